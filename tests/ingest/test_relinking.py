"""Entities after a small change are those that all mentions make, and only what changed was linked."""

import pytest
from in_process import InProcess
from pdfs import pdf

from h3cold.ingest import jobs, relinking
from h3cold.ingest.pipeline import build
from h3cold.ingest.repair import repair
from h3cold.ingest.store import ColdStore
from h3cold.ingest.store.rows import row_entity, row_mention, row_relation
from h3cold.kg.linking import link
from h3cold.recall import ColdTier
from h3cold.schemas.config import load_config, parse_config
from h3cold.schemas.errors import ConfigError
from h3cold.schemas.summary import DocumentCounts

SAID = [
    'Acme Holdings Limited ("Acme") acquired Bolt Systems Inc. in 2021.',
    "Jane Roe, chief executive officer of Acme Holdings Limited, resigned.",
    "Borealis Foods Inc. acquired Tansley Mining Corp. for $3 million in 2019.",
    "Acme Holdings Limited and Bolt Systems Inc. sued Larkspur Shipping Limited.",
]


def all_linked(store, user=None):
    mentions = [row_mention(r) for r in store.table("mentions").to_table().to_pylist()]
    return link(mentions, [row_relation(r) for r in store.table("relations").to_table().to_pylist()], user)


def test_a_small_change_links_what_it_touches(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", InProcess)
    for i, text in enumerate(SAID):
        pdf(tmp_path / "in" / f"{i}.pdf", text)
    build(tmp_path / "in", tmp_path / "s")
    linked = []
    real = relinking._linked
    monkeypatch.setattr(relinking, "_linked", lambda m, r, u: linked.append(real(m, r, u)) or linked[-1])
    (tmp_path / "in" / "3.pdf").unlink()
    pdf(tmp_path / "in" / "1.pdf", "Jane Roe, chairman of Quillfeather Textiles Inc., spoke.")
    build(tmp_path / "in", tmp_path / "s")
    store = ColdStore.open(tmp_path / "s")
    entities = [row_entity(r) for r in store.table("entities").to_table().to_pylist()]
    assert entities == all_linked(store)
    anew = set(linked[0]["name"].to_pylist())
    assert any("Quillfeather" in name for name in anew)
    assert not any("Borealis" in name or "Tansley" in name for name in anew)
    assert any("Borealis" in e.name for e in entities)
    assert not any("Larkspur" in e.name for e in entities)


def test_damage_of_the_former_entities_is_not_taken_over(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", InProcess)
    for i, text in enumerate(SAID[:2]):
        pdf(tmp_path / "in" / f"{i}.pdf", text)
    build(tmp_path / "in", tmp_path / "s")
    path = next((tmp_path / "s" / "tables" / "entities.lance" / "data").iterdir())
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 2
    path.write_bytes(data)
    pdf(tmp_path / "in" / "2.pdf", SAID[2])
    build(tmp_path / "in", tmp_path / "s")
    store = ColdStore.open(tmp_path / "s")
    assert [row_entity(r) for r in store.table("entities").to_table().to_pylist()] == all_linked(store)


def test_the_users_word_on_names_is_followed_and_taken_back(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", InProcess)
    for i, text in enumerate(SAID):
        pdf(tmp_path / "in" / f"{i}.pdf", text)
    aliases, store = tmp_path / "aliases.txt", tmp_path / "s"
    (tmp_path / "config.yaml").write_text("cold_storage: {alias_file: aliases.txt}\n", encoding="utf-8")
    config = load_config(tmp_path / "config.yaml")

    def entities():
        reader = ColdStore.open(store)
        assert reader.verify() == []
        found = [row_entity(r) for r in reader.table("entities").to_table().to_pylist()]
        assert found == all_linked(reader, relinking.kept_aliases(reader.manifest))
        return {e.name: set(e.aliases) for e in found if e.type == "ORG"}

    build(tmp_path / "in", store)
    plain = entities()
    aliases.write_text("Acme Holdings Limited = Tansley Mining Corp.\n", encoding="utf-8")
    assert build(tmp_path / "in", store, config).documents == DocumentCounts(unchanged=4)
    assert any(name.startswith("Tansley Mining Corp") for name in entities()["Acme Holdings Limited"])
    with ColdTier.open(store) as tier:
        hits = tier.recall("What did Tansley Mining Corp. acquire?", top=4)
    assert any("Acme Holdings Limited —acquired" in hit.reason for hit in hits)
    repair(store)
    assert build(tmp_path / "in", store, config).snapshot == 2
    aliases.write_text("# none\n", encoding="utf-8")
    build(tmp_path / "in", store, config)
    assert entities() == plain
    aliases.write_text("\nAcme\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"aliases\.txt, line 2: 'Acme' is no alias"):
        build(tmp_path / "in", store, config)


def test_a_small_change_keeps_to_the_users_word(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", InProcess)
    for i, text in enumerate(SAID):
        pdf(tmp_path / "in" / f"{i}.pdf", text)
    aliases, store = tmp_path / "aliases.txt", tmp_path / "s"
    aliases.write_text("Borealis Foods Inc. = Acme Holdings Limited = Larkspur Shipping Limited\n", encoding="utf-8")
    config = parse_config({"cold_storage": {"alias_file": str(aliases)}})
    build(tmp_path / "in", store, config)
    (tmp_path / "in" / "2.pdf").unlink()
    build(tmp_path / "in", store, config)
    build(tmp_path / "in", tmp_path / "clean", config)
    tables = [ColdStore.open(s).table("entities").to_table().to_pylist() for s in (store, tmp_path / "clean")]
    assert tables[0] == tables[1]

"""Entities after a small change are those that all mentions make, and only what changed was linked."""

from in_process import InProcess
from pdfs import pdf

from h3cold.ingest import jobs, relinking
from h3cold.ingest.pipeline import build
from h3cold.ingest.store import ColdStore
from h3cold.ingest.store.rows import row_entity, row_mention, row_relation
from h3cold.kg.linking import link

SAID = [
    'Acme Holdings Limited ("Acme") acquired Bolt Systems Inc. in 2021.',
    "Jane Roe, chief executive officer of Acme Holdings Limited, resigned.",
    "Borealis Foods Inc. acquired Tansley Mining Corp. for $3 million in 2019.",
    "Acme Holdings Limited and Bolt Systems Inc. sued Larkspur Shipping Limited.",
]


def all_linked(store):
    mentions = [row_mention(r) for r in store.table("mentions").to_table().to_pylist()]
    return link(mentions, [row_relation(r) for r in store.table("relations").to_table().to_pylist()])


def test_a_small_change_links_what_it_touches(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", InProcess)
    for i, text in enumerate(SAID):
        pdf(tmp_path / "in" / f"{i}.pdf", text)
    build(tmp_path / "in", tmp_path / "s")
    linked = []
    real = relinking._linked
    monkeypatch.setattr(relinking, "_linked", lambda m, r: linked.append(real(m, r)) or linked[-1])
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

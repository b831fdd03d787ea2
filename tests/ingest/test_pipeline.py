"""A folder becomes a store, and stays one: what changed is done, what did not is not, what fails is said."""

import json
import os

import pymupdf
import pytest
from in_process import InProcess
from pdfs import pdf

from h3cold.ingest import jobs, pipeline
from h3cold.ingest.pipeline import build
from h3cold.ingest.store import ColdStore
from h3cold.schemas.config import Config, parse_config
from h3cold.schemas.errors import StoreBusyError, UsageError
from h3cold.schemas.summary import DocumentCounts

ACME = "Acme Holdings Limited acquired Bolt Systems Inc. for $5 million in March 2021."
BOLT = "The board of Bolt Systems Inc. appointed Jane Miller as chief executive officer."
CITY = "Rain fell on the river all night and the boats stayed in."


@pytest.fixture
def folder(tmp_path):
    pdf(tmp_path / "in" / "acme.pdf", ACME, "A second page about revenue.", table=True)
    pdf(tmp_path / "in" / "sub" / "bolt.pdf", BOLT)
    return tmp_path / "in"


ORDER = {"sources": "path", "documents": "id", "blocks": "id", "images": "block", "entities": "id", "relations": "id"}


def rows(store, *, times=True):
    """All of a snapshot's rows, in an order of their own."""
    out = {}
    for name in store.manifest.tables:
        found = store.table(name).to_table().to_pylist()
        if name == "sources" and not times:
            found = [{k: v for k, v in row.items() if k != "mtime_ns"} for row in found]
        out[name] = sorted(found, key=lambda row: json.dumps(row, default=repr, sort_keys=True))
    return out


@pytest.fixture
def parsed(monkeypatch):
    """Work in this process; gives the names of the files that are parsed from now on (clear it at will)."""
    monkeypatch.setattr(jobs, "Pool", InProcess)
    InProcess.parsed.clear()
    return InProcess.parsed


def spoil(path):
    """Other bytes, of the same size and time: whoever opens the file now fails."""
    status = path.stat()
    path.write_bytes(b"x" * status.st_size)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_a_folder_becomes_a_store(folder, tmp_path):
    summary = build(folder, tmp_path / "s")
    assert summary.documents == DocumentCounts(added=2)
    assert (summary.snapshot, summary.pages, summary.failures) == (1, 3, ())
    store = ColdStore.open(tmp_path / "s")
    assert summary.blocks == store.count("blocks") >= 3
    assert store.verify() == []
    blocks = store.blocks(store.table("blocks").to_table(columns=["id"])["id"].to_pylist())
    assert any("Bolt Systems" in b.text for b in blocks)
    table = next(b for b in blocks if b.kind == "table")
    assert table.table.grid() == [["r0c0", "r0c1"], ["r1c0", "r1c1"], ["r2c0", "r2c1"]]
    png = pymupdf.Pixmap(store.image(table.id))
    assert png.width == pytest.approx((table.bbox[2] - table.bbox[0] + 6) * 2, abs=2)
    assert {store.source_path(d).name for d in store.documents()} == {"acme.pdf", "bolt.pdf"}
    names = {row["name"] for row in store.table("entities").to_table().to_pylist()}
    assert any("Bolt Systems" in name for name in names)
    assert store.count("relations") > 0
    status = json.loads((tmp_path / "s" / "meta" / "ocr_status.json").read_text())
    assert (status["pages"], status["routes"]) == (3, {"geometry": 3})
    assert "no image vectors: no weights" in status["images"]["vectors"]


def test_an_unchanged_folder_opens_no_pdf_and_publishes_nothing(folder, tmp_path, parsed):
    build(folder, tmp_path / "s")
    before = sorted((p, p.stat().st_mtime_ns) for p in (tmp_path / "s" / "tables").rglob("*"))
    spoil(folder / "acme.pdf"), spoil(folder / "sub" / "bolt.pdf")
    again = build(folder, tmp_path / "s")
    assert again.documents == DocumentCounts(unchanged=2)
    assert (again.snapshot, again.pages, again.blocks) == (1, 0, 0)
    assert sorted((p, p.stat().st_mtime_ns) for p in (tmp_path / "s" / "tables").rglob("*")) == before


def test_only_what_changed_is_opened_and_nothing_of_the_old_is_left(folder, tmp_path, parsed):
    build(folder, tmp_path / "s")
    old = set(ColdStore.open(tmp_path / "s").documents())
    pdf(folder / "sub" / "bolt.pdf", CITY)
    pdf(folder / "new.pdf", "Something new.")
    parsed.clear()
    summary = build(folder, tmp_path / "s")
    assert sorted(parsed) == ["bolt.pdf", "new.pdf"]
    assert summary.documents == DocumentCounts(added=1, changed=1, unchanged=1)
    store = ColdStore.open(tmp_path / "s")
    gone = old - set(store.documents())
    assert len(gone) == 1
    for name in ("blocks", "pages", "images", "mentions", "relations"):
        assert not set(store.table(name).to_table()["document"].to_pylist()) & gone, name
    assert "Jane Miller" not in {row["name"] for row in store.table("entities").to_table().to_pylist()}
    assert store.verify() == []


def test_removing_a_file_removes_all_of_it(folder, tmp_path, parsed):
    build(folder, tmp_path / "s")
    (folder / "acme.pdf").unlink()
    summary = build(folder, tmp_path / "s")
    assert summary.documents == DocumentCounts(unchanged=1, removed=1)
    store = ColdStore.open(tmp_path / "s")
    assert store.verify() == []
    build(folder, tmp_path / "clean")
    assert rows(store) == rows(ColdStore.open(tmp_path / "clean"))


def test_a_renamed_file_is_not_opened_and_is_found_under_its_new_name(folder, tmp_path, parsed):
    build(folder, tmp_path / "s")
    parsed.clear()
    (folder / "acme.pdf").rename(folder / "zeta.pdf")
    summary = build(folder, tmp_path / "s")
    assert parsed == set()
    assert summary.documents == DocumentCounts(unchanged=2, renamed=1)
    store = ColdStore.open(tmp_path / "s")
    assert sorted(d["source"] for d in store.documents().values()) == ["sub/bolt.pdf", "zeta.pdf"]
    build(folder, tmp_path / "clean")
    assert rows(store) == rows(ColdStore.open(tmp_path / "clean"))


def test_a_file_that_comes_to_hold_what_another_holds_takes_its_old_document_away(folder, tmp_path, parsed):
    build(folder, tmp_path / "s")
    (folder / "acme.pdf").write_bytes((folder / "sub" / "bolt.pdf").read_bytes())
    assert build(folder, tmp_path / "s").documents == DocumentCounts(unchanged=1, removed=1, copies=1)
    pdf(folder / "acme.pdf", ACME)
    assert build(folder, tmp_path / "s").documents == DocumentCounts(changed=1, unchanged=1)
    (folder / "acme.pdf").replace(folder / "sub" / "bolt.pdf")
    assert build(folder, tmp_path / "s").documents == DocumentCounts(unchanged=1, renamed=1, removed=1)


def test_two_copies_are_one_document_with_two_sources(folder, tmp_path, parsed):
    (folder / "copy.pdf").write_bytes((folder / "acme.pdf").read_bytes())
    summary = build(folder, tmp_path / "s")
    assert summary.documents == DocumentCounts(added=2, copies=1)
    store = ColdStore.open(tmp_path / "s")
    assert ["acme.pdf", "copy.pdf"] in [d["sources"] for d in store.documents().values()]
    (folder / "acme.pdf").unlink()
    assert build(folder, tmp_path / "s").documents == DocumentCounts(unchanged=2)
    assert sorted(d["source"] for d in ColdStore.open(tmp_path / "s").documents().values()) == [
        "copy.pdf",
        "sub/bolt.pdf",
    ]


def test_what_fails_is_said_with_its_reason_and_not_tried_again(folder, tmp_path, parsed):
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "text.pdf").write_text("hello")
    locked = pymupdf.open()
    locked.new_page().insert_text((72, 72), "Secret words.")
    locked.save(folder / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="pw", owner_pw="own")
    (folder / "cut.pdf").write_bytes((folder / "acme.pdf").read_bytes()[:300])
    (folder / "dead.pdf").symlink_to("nowhere")
    summary = build(folder, tmp_path / "s")
    reasons = {f.source: f.reason for f in summary.failures}
    assert list(reasons) == ["cut.pdf", "dead.pdf", "empty.pdf", "locked.pdf", "text.pdf"]
    for source, words in (("empty.pdf", "0 bytes"), ("text.pdf", "not a PDF"), ("locked.pdf", "password")):
        assert words in reasons[source]
    assert summary.documents == DocumentCounts(added=2, failed=5)
    assert len(list((tmp_path / "s" / "meta" / "quarantine").iterdir())) == 4  # the dead link has no bytes to name
    parsed.clear()
    again = build(folder, tmp_path / "s")
    assert parsed == set()
    assert again.failures == summary.failures
    assert again.documents == DocumentCounts(unchanged=2, failed=5)
    config = parse_config({"ingest": {"passwords": ["pw"]}})
    with_password = build(folder, tmp_path / "s", config)
    assert with_password.documents == DocumentCounts(added=1, unchanged=2, failed=4)
    assert "acme.pdf" not in parsed
    assert "bolt.pdf" not in parsed
    assert ColdStore.open(tmp_path / "s").verify() == []


def test_a_file_that_broke_is_gone_and_one_that_cannot_be_read_stays(folder, tmp_path, parsed, monkeypatch):
    from h3cold.ingest import scan as scanning

    build(folder, tmp_path / "s")
    real = scanning.file_digest

    def refuse(path):
        if path.endswith(b"acme.pdf"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    (folder / "acme.pdf").touch()
    with monkeypatch.context() as patch:
        patch.setattr(scanning, "file_digest", refuse)  # root may read everything, so the kernel cannot play this
        kept = build(folder, tmp_path / "s")
    assert [(f.source, f.page) for f in kept.failures] == [("acme.pdf", None)]
    assert "Permission denied; what was indexed of it before is kept" in kept.failures[0].reason
    assert len(ColdStore.open(tmp_path / "s").documents()) == 2
    assert build(folder, tmp_path / "s").failures == ()
    (folder / "acme.pdf").write_text("broken now")
    broken = build(folder, tmp_path / "s")
    assert broken.documents == DocumentCounts(unchanged=1, failed=1)
    assert [d["source"] for d in ColdStore.open(tmp_path / "s").documents().values()] == ["sub/bolt.pdf"]


def test_a_missing_or_empty_folder_and_a_foreign_store_are_refused(folder, tmp_path, parsed):
    with pytest.raises(UsageError, match="no such folder"):
        build(tmp_path / "none", tmp_path / "s")
    (tmp_path / "hollow").mkdir()
    with pytest.raises(UsageError, match="no PDF files"):
        build(tmp_path / "hollow", tmp_path / "s")
    assert not (tmp_path / "s").exists()
    build(folder, tmp_path / "s")
    pdf(tmp_path / "other" / "x.pdf", CITY)
    with pytest.raises(UsageError, match="this store was made from"):
        build(tmp_path / "other", tmp_path / "s")
    with pytest.raises(UsageError, match="keeps its 2 documents"):
        build(tmp_path / "hollow", tmp_path / "s")
    folder.rename(tmp_path / "moved")
    moved = build(tmp_path / "moved", tmp_path / "s")
    assert moved.documents == DocumentCounts(unchanged=2)
    assert ColdStore.open(tmp_path / "s").manifest.root == str(tmp_path / "moved")
    assert build(tmp_path / "other", tmp_path / "s", rebuild=True).documents == DocumentCounts(added=1, removed=2)


def test_rebuild_gives_the_same_rows(folder, tmp_path, parsed):
    build(folder, tmp_path / "s")
    first = rows(ColdStore.open(tmp_path / "s"))
    summary = build(folder, tmp_path / "s", rebuild=True)
    assert (summary.pages, summary.documents) == (3, DocumentCounts(unchanged=2))
    assert summary.snapshot == 2
    assert rows(ColdStore.open(tmp_path / "s")) == first


def test_a_change_of_settings_redoes_what_depends_on_it(folder, tmp_path, parsed):
    build(folder, tmp_path / "s")
    parsed.clear()
    graphless = parse_config({"cold_storage": {"knowledge_graph_enabled": False}})
    build(folder, tmp_path / "s", graphless)
    assert parsed == set()
    store = ColdStore.open(tmp_path / "s")
    assert (store.count("mentions"), store.count("entities")) == (0, 0)
    assert store.count("images") == 1
    assert store.verify() == []
    summary = build(folder, tmp_path / "s", parse_config({"ingest": {"keep_days": 0, "workers": 1}}))
    assert parsed == set()
    assert summary.blocks
    build(folder, tmp_path / "clean")
    assert rows(ColdStore.open(tmp_path / "s")) == rows(ColdStore.open(tmp_path / "clean"))
    build(folder, tmp_path / "s", parse_config({"ingest": {"block_tokens": 64}}))
    assert sorted(parsed) == ["acme.pdf", "bolt.pdf"]


def test_a_second_build_at_a_time_is_refused(folder, tmp_path, parsed):
    from h3cold.ingest.store.writer import open_writer

    build(folder, tmp_path / "s")
    pdf(folder / "more.pdf", CITY)
    with open_writer(tmp_path / "s", text_dimension=384), pytest.raises(StoreBusyError, match=f"process {os.getpid()}"):
        build(folder, tmp_path / "s")


def test_an_interrupted_build_goes_on_where_it_stopped(folder, tmp_path, parsed, monkeypatch):
    for i in range(4):
        pdf(folder / f"n{i}.pdf", f"Number {i}. {CITY}")
    real = jobs.run_documents

    def interrupted(*args):
        for i, event in enumerate(real(*args)):
            if i == 3:
                raise KeyboardInterrupt
            yield event

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(pipeline, "run_documents", interrupted)
        patch.setattr(pipeline, "AHEAD", 0)
        build(folder, tmp_path / "s")
    assert not (tmp_path / "s" / "manifest.json").exists()
    parsed.clear()
    summary = build(folder, tmp_path / "s")
    assert summary.documents == DocumentCounts(added=6)
    assert 0 < len(parsed) < 6
    build(folder, tmp_path / "clean")
    assert rows(ColdStore.open(tmp_path / "s")) == rows(ColdStore.open(tmp_path / "clean"))
    assert ColdStore.open(tmp_path / "s").verify() == []


def test_long_documents_come_in_windows(tmp_path, parsed):
    words = ["river", "boat", "stone", "glass", "apple", "night", "rain", "wheel", "lamp", "paper"]
    texts = [f"{words[i % 10]} and {words[i // 10]} met by the {words[i * 7 % 10]}.".capitalize() for i in range(100)]
    texts.append("The end of it all came late.")
    pdf(tmp_path / "in" / "long.pdf", *texts)
    config = parse_config({"cold_storage": {"knowledge_graph_enabled": False}})
    summary = build(tmp_path / "in", tmp_path / "s", config)
    assert summary.pages == 101
    store = ColdStore.open(tmp_path / "s")
    found = store.table("blocks").to_table(columns=["text"])["text"].to_pylist()
    for text in texts:
        assert sum(text in block for block in found) == 1
    assert store.verify() == []


def test_the_default_configuration_is_the_same_as_none(folder, tmp_path, parsed):
    build(folder, tmp_path / "s")
    assert build(folder, tmp_path / "s", Config()).documents == DocumentCounts(unchanged=2)

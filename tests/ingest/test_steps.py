"""A build in steps: the same store as a build in one go, whatever is done twice, late or not at all."""

import json

import pytest
from in_process import InProcess
from pdfs import pdf

from h3cold.ingest import jobs
from h3cold.ingest.batches import FOLDER, batch_folder
from h3cold.ingest.cli_steps import main
from h3cold.ingest.pipeline import build
from h3cold.ingest.steps import detect, index_batch
from h3cold.ingest.store import ColdStore
from h3cold.ingest.store.lock import WriteLock
from h3cold.schemas.config import parse_config
from h3cold.schemas.errors import StoreBusyError, UsageError

TABLES = ("sources", "documents", "pages", "blocks", "images", "entities", "mentions", "relations")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Four good files and a bad one; work is done in this process."""
    monkeypatch.setattr(jobs, "Pool", InProcess)
    InProcess.parsed.clear()
    for i in range(4):
        pdf(
            tmp_path / "in" / f"{i}.pdf",
            f"Company{i} Holdings Limited acquired Bolt{i} Systems Inc. in 2021.",
            table=i == 1,
        )
    (tmp_path / "in" / "bad.pdf").write_text("no")
    return tmp_path


def rows(path):
    store = ColdStore.open(path)
    assert store.verify() == []
    found = {name: store.table(name).to_table().to_pylist() for name in TABLES}
    return {name: sorted(json.dumps(r, default=repr, sort_keys=True) for r in own) for name, own in found.items()}


def test_in_steps_or_in_one_go_it_is_the_same_store(here):
    found = detect(here / "in", here / "s", documents=2)
    assert (found.documents.added, len(found.batches)) == (5, 3)
    done = [index_batch(name, here / "s") for name in reversed(found.batches)]
    assert not (here / "s" / "manifest.json").exists()
    assert sum(d.done for d in done) == 4
    assert [f.source for d in done for f in d.failures] == ["bad.pdf"]
    InProcess.parsed.clear()
    summary = build(here / "in", here / "s")
    assert InProcess.parsed == set(), "neither what was done nor what failed is tried again"
    assert (summary.documents.added, summary.documents.failed, summary.pages) == (4, 1, 4)
    assert summary.failures[0].reason == "not a PDF: it does not start with %PDF"
    build(here / "in", here / "one go")
    assert rows(here / "s") == rows(here / "one go")
    assert not list((here / "s" / FOLDER).iterdir())
    again = detect(here / "in", here / "s")
    assert (again.batches, again.documents.unchanged) == ((), 4)
    assert build(here / "in", here / "s").snapshot == 1


def test_a_step_that_is_done_again_does_nothing(here):
    first = detect(here / "in", here / "s", documents=2).batches
    assert detect(here / "in", here / "s", documents=2).batches == first
    index_batch(first[0], here / "s")
    InProcess.parsed.clear()
    again = index_batch(first[0], here / "s")
    assert (again.done, again.pages, InProcess.parsed) == (0, 0, set())
    left = detect(here / "in", here / "s", documents=2).batches
    assert set(left) == set(first[1:])


def test_what_no_batch_has_done_the_build_does(here):
    """One batch was never indexed; a file of another changed, one vanished, a new one came, one has another name."""
    names = detect(here / "in", here / "s", documents=2).batches
    for name in names[1:]:
        index_batch(name, here / "s")
    pdf(here / "in" / "2.pdf", "Other words.")
    (here / "in" / "3.pdf").rename(here / "in" / "9.pdf")
    pdf(here / "in" / "new.pdf", "A new file.")
    InProcess.parsed.clear()
    build(here / "in", here / "s")
    assert {"2.pdf", "new.pdf"} <= InProcess.parsed and "9.pdf" not in InProcess.parsed
    build(here / "in", here / "one go")
    assert rows(here / "s") == rows(here / "one go")


def test_removals_need_no_batch(here):
    build(here / "in", here / "s")
    (here / "in" / "0.pdf").unlink()
    found = detect(here / "in", here / "s")
    assert (found.batches, found.documents.removed) == ((), 1)
    assert build(here / "in", here / "s").documents.removed == 1


def test_batches_made_with_other_settings_are_not_taken(here):
    for name in detect(here / "in", here / "s").batches:
        index_batch(name, here / "s")
    InProcess.parsed.clear()
    config = parse_config({"ingest": {"layout": "fast"}})
    build(here / "in", here / "s", config)
    assert {"0.pdf", "1.pdf", "2.pdf", "3.pdf"} <= InProcess.parsed
    build(here / "in", here / "one go", config)
    assert rows(here / "s") == rows(here / "one go")


def test_a_batch_that_is_being_worked_on_is_left_alone(here):
    names = detect(here / "in", here / "s", documents=2).batches
    index_batch(names[0], here / "s")
    with WriteLock(batch_folder(here / "s", names[0])):
        with pytest.raises(StoreBusyError):
            index_batch(names[0], here / "s")
        build(here / "in", here / "s")
        assert batch_folder(here / "s", names[0]).exists()
    assert ColdStore.open(here / "s").count("documents") == 4
    assert build(here / "in", here / "s").snapshot == 1, "it holds nothing that is not there"
    assert not batch_folder(here / "s", names[0]).exists()


def test_the_commands(here, capsys):
    store = ["--store", str(here / "s")]
    assert main(["detect", "--path", str(here / "in"), *store, "--batch-documents", "9"]) == 0
    (name,) = json.loads(capsys.readouterr().out)["batches"]
    assert main(["index", "--batch", name, *store]) == 3
    result = json.loads(capsys.readouterr().out)
    assert (result["batch"], result["done"], result["failures"][0]["source"]) == (name, 4, "bad.pdf")
    with WriteLock(batch_folder(here / "s", name)):
        assert main(["index", "--batch", name, *store]) == 4
    for wrong in (["index", "--batch", "none", *store], ["detect", "--path", str(here / "none"), *store],
                  ["detect", "--path", str(here / "in"), *store, "--batch-documents", "0"]):  # fmt: skip
        capsys.readouterr()
        assert main(wrong) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_no_such_batch(tmp_path):
    with pytest.raises(UsageError, match="detect changes anew"):
        index_batch("../..", tmp_path)

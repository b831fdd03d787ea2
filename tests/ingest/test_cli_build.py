"""`h3-index-builder`: what it prints, where, and with which exit status."""

import io
import json
import os
import signal
import subprocess
import sys
import threading
import time

import jsonschema
import psutil
import pymupdf
import pytest
from in_process import InProcess

from h3cold.ingest import jobs, pipeline
from h3cold.ingest.cli_build import SHOWN_FAILURES, configuration, main
from h3cold.ingest.store.lock import WriteLock
from h3cold.ingest.store.writer import open_writer
from h3cold.schemas.errors import ConfigError
from h3cold.schemas.export import json_schemas
from h3cold.schemas.manifest import STORE_VERSION


def pdf(path, text, pages=1):
    doc = pymupdf.open()
    for i in range(pages):
        doc.new_page().insert_text((72, 90 + 20 * i), f"{text} Part {i}.")
    doc.save(path, no_new_id=True)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working folder with `in/good.pdf`; work is done in this process."""
    monkeypatch.setattr(jobs, "Pool", InProcess)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    pdf(tmp_path / "in" / "good.pdf", "Rain fell on the river.")
    return tmp_path


def test_all_indexed_is_zero_and_the_summary_is_on_standard_output(here, capsys):
    assert main(["--path", "in"]) == 0
    out = capsys.readouterr()
    assert "documents  1 added, 0 changed, 0 unchanged, 0 removed, 0 failed" in out.out
    assert "h3_cold, snapshot 1" in out.out
    assert "reading" in out.err
    assert (here / "h3_cold" / "manifest.json").exists()


def test_json_is_one_object_of_the_published_schema(here, capsys):
    (here / "in" / "bad\n名.pdf").write_text("no")
    assert main(["--path", "in", "--store", "s", "--json"]) == 3
    out = capsys.readouterr().out
    summary = json.loads(out)
    assert out.count("\n") == 1
    jsonschema.validate(summary, json_schemas()["index_summary"])
    assert list(summary) == ["snapshot", "documents", "pages", "blocks", "seconds", "failures", "removed",
                             "reasons"]  # fmt: skip
    assert summary["documents"] == {"added": 1, "changed": 0, "unchanged": 0, "renamed": 0, "removed": 0, "failed": 1,
                                    "copies": 0}  # fmt: skip
    assert summary["failures"] == [
        {"source": "bad\n名.pdf", "page": None, "reason": "not a PDF: it does not start with %PDF"}
    ]


def test_failures_are_listed_one_a_line_up_to_a_count(here, capsys):
    for i in range(SHOWN_FAILURES + 5):
        (here / "in" / f"bad{i:03d}\n.pdf").write_text(f"no {i}")
    assert main(["--path", "in"]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert sum("not a PDF" in line for line in lines) == SHOWN_FAILURES
    assert "  bad000\\n.pdf: not a PDF: it does not start with %PDF" in lines
    assert lines[-1] == "  and 5 more; --json lists them all"


def test_the_readmes_order_of_things(here, capsys):
    """Added, unchanged, changed and removed, as the summary counts them."""
    main(["--path", "in"]), main(["--path", "in"])
    pdf(here / "in" / "good.pdf", "Other words.")
    pdf(here / "in" / "more.pdf", "More words.")
    main(["--path", "in"])
    (here / "in" / "more.pdf").unlink()
    assert main(["--path", "in", "--rebuild"]) == 0
    counts = [line for line in capsys.readouterr().out.splitlines() if line.startswith("documents")]
    assert counts == [
        "documents  1 added, 0 changed, 0 unchanged, 0 removed, 0 failed",
        "documents  0 added, 0 changed, 1 unchanged, 0 removed, 0 failed",
        "documents  1 added, 1 changed, 0 unchanged, 0 removed, 0 failed",
        "documents  0 added, 0 changed, 1 unchanged, 1 removed, 0 failed",
    ]


def test_files_that_are_copies_of_another_are_told(here, capsys):
    main(["--path", "in"])
    assert "copies" not in capsys.readouterr().out
    for number in (1, 2):
        (here / "in" / f"other{number}.pdf").write_bytes((here / "in" / "good.pdf").read_bytes())
    assert main(["--path", "in"]) == 0
    told = capsys.readouterr().out
    assert "documents  0 added, 0 changed, 1 unchanged, 0 removed, 0 failed" in told
    assert "copies     2 files are copies of others byte for byte: indexed once, by the first name\n" in told
    (here / "in" / "other2.pdf").unlink()
    main(["--path", "in"])
    assert "copies     1 file is a copy of another byte for byte" in capsys.readouterr().out


def test_the_summary_names_what_was_removed_and_says_why_nothing_changed_but_the_snapshot(here, capsys):
    for number in range(7):
        pdf(here / "in" / f"more{number}.pdf", f"More words, {number}.")
    main(["--path", "in"])
    assert "removed    " not in (first := capsys.readouterr().out) and "because" not in first
    for number in range(7):
        (here / "in" / f"more{number}.pdf").unlink()
    main(["--path", "in"])
    told = capsys.readouterr().out
    assert "removed    more0.pdf, more1.pdf, more2.pdf, more3.pdf, more4.pdf and 2 more\n" in told
    main(["--path", "in"])
    assert "snapshot 2" in (same := capsys.readouterr().out) and "because" not in same and "removed    " not in same
    (here / "other.yaml").write_text("hbf: {ann_index_type: IVF}\n")
    main(["--path", "in", "--config", "other.yaml"])
    told = capsys.readouterr().out
    assert "snapshot 3" in told and "1 unchanged" in told
    assert "because    settings, or this program's version, are others than those of snapshot 2\n" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--path"),
        (["--path", "none"], "none: no such folder"),
        (["--path", "in/good.pdf"], "no such folder"),
        (["--path", "hollow"], "no PDF files"),
        (["--path", "in", "--workers", "-1"], "workers"),
        (["--path", "in", "--workers", "two"], "invalid int"),
        (["--path", "in", "--ocr", "maybe"], "invalid choice"),
        (["--path", "in", "--config", "none.yaml"], "none.yaml: cannot read"),
        (["--path", "in", "--config", "typo.yaml"], "did you mean 'block_tokens'?"),
        (["--path", "in", "--nonsense"], "unrecognized arguments"),
    ],
)
def test_wrong_usage_is_two_and_one_line(here, capsys, arguments, words):
    (here / "hollow").mkdir()
    (here / "typo.yaml").write_text("ingest: {block_token: 3}")
    try:
        status = main(arguments)
    except SystemExit as e:
        status = e.code
    out = capsys.readouterr()
    assert status == 2
    assert out.out == ""
    said = [line for line in out.err.splitlines() if line.startswith("h3-index-builder: ")]
    assert len(said) == 1
    assert words in said[0]
    assert "Traceback" not in out.err
    assert not (here / "h3_cold").exists()


def test_help_shows_examples_and_exit_statuses(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    out = capsys.readouterr().out
    assert end.value.code == 0
    assert "h3-index-builder --path /data/pdfs" in out
    assert "3 done, but some documents or pages failed" in out


def test_a_store_at_fault_is_one_line_and_status_one(here, capsys):
    with open_writer("busy", text_dimension=384):
        assert main(["--path", "in", "--store", "busy"]) == 4
    assert f"process {os.getpid()}" in capsys.readouterr().err
    (here / "file").write_text("in the way")
    assert main(["--path", "in", "--store", "file"]) == 1
    assert "file: the store cannot be written" in capsys.readouterr().err
    main(["--path", "in", "--store", "old"])
    manifest = here / "old" / "manifest.json"
    manifest.write_text(manifest.read_text().replace(f'"schema_version": {STORE_VERSION}', '"schema_version": 7'))
    assert main(["--path", "in", "--store", "old"]) == 1
    assert "schema version 7" in capsys.readouterr().err.splitlines()[-1]


def test_options_win_over_the_file_and_the_file_is_found_by_its_name(here):
    (here / "mine.yaml").write_text("ingest: {workers: 3, ocr: 'off'}\ncold_storage: {ocr_enabled: false}")
    config = configuration("mine.yaml", workers=None, ocr=None)
    assert (config.ingest.workers, config.ingest.ocr, config.cold_storage.ocr_enabled) == (3, "off", False)
    config = configuration("mine.yaml", workers=1, ocr="force")
    assert (config.ingest.workers, config.ingest.ocr, config.cold_storage.ocr_enabled) == (1, "force", True)
    assert configuration(None, workers=None, ocr=None).ingest.workers == 0
    (here / "h3_config.yaml").write_text("ingest: {workers: 5}")
    assert configuration(None, workers=None, ocr=None).ingest.workers == 5
    (here / "h3_config.yaml").write_text("- what")
    with pytest.raises(ConfigError, match="expected sections"):
        configuration(None, workers=None, ocr=None)


def test_ctrl_c_ends_with_130_one_line_and_no_orphans(tmp_path):
    """The real command with real workers, interrupted while they read."""
    (tmp_path / "in").mkdir()
    for i in range(30):
        pdf(tmp_path / "in" / f"{i}.pdf", f"Number {i}.", pages=20)
    command = [sys.executable, "-m", "h3cold.ingest.cli_build", "--path", "in", "--store", "s", "--workers", "1"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    while process.stderr.readline() != "reading\n":
        assert process.poll() is None
    children = []
    while not children:
        children = psutil.Process(process.pid).children(recursive=True)
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == ""
    assert [line for line in err.splitlines() if "h3-index-builder" in line] == [
        "h3-index-builder: interrupted: the store is as it was; the next run keeps files that were finished, "
        "of longer ones each 48 pages that were read, and pages read by OCR; other pages of files that were begun it "
        "reads again"
    ]
    assert "Traceback" not in err
    _, alive = psutil.wait_procs(children, timeout=10)
    assert alive == []


@pytest.mark.parametrize("arguments", [("--path", ""), ("--path", "in", "--store", "")])
def test_an_empty_name_is_not_the_current_folder(here, capsys, arguments):
    assert main(list(arguments)) == 2
    assert "is empty; give a folder" in capsys.readouterr().err
    assert [f.name for f in here.iterdir()] == ["in"]


def test_output_in_a_charset_without_chinese(here, capsys, monkeypatch):
    (here / "in" / "年报.pdf").write_text("no")
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert main(["--path", "in", "--json"]) == 3
    assert json.loads(raw.getvalue().decode("utf-8"))["failures"][0]["source"] == "年报.pdf"


def test_a_reader_that_has_seen_enough_is_no_error(here, monkeypatch):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        assert main(["--path", "in", "--json"]) == 0


def test_a_second_writer_waits_as_long_as_it_is_told_to(here, capsys):
    """The store is taken, its holder publishes a snapshot and lets go; whoever waited goes on from that snapshot."""
    assert main(["--path", "in", "--store", "s"]) == 0
    pdf(here / "in" / "more.pdf", "More words.")
    holder = WriteLock(here / "s")
    assert main(["--path", "in", "--store", "s", "--wait", "0.3"]) == 4
    assert f"process {os.getpid()}" in capsys.readouterr().err

    def publish_and_let_go():
        time.sleep(0.5)
        holder.close()

    thread = threading.Thread(target=publish_and_let_go)
    thread.start()
    assert main(["--path", "in", "--store", "s", "--wait", "60", "--json"]) == 0
    thread.join()
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["documents"]["added"] == 1


def test_a_build_that_was_overtaken_looks_again(here, capsys, monkeypatch):
    """Another build publishes after this one has read the record, before it has the lock."""
    main(["--path", "in", "--store", "s"])
    pdf(here / "in" / "more.pdf", "More words.")
    opened, overtaken = pipeline.open_writer, []

    def open_late(*arguments, **options):
        if not overtaken:
            overtaken.append(True)
            pipeline.build("in", "s")
        return opened(*arguments, **options)

    monkeypatch.setattr(pipeline, "open_writer", open_late)
    capsys.readouterr()
    assert main(["--path", "in", "--store", "s", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["snapshot"], summary["documents"]["added"], summary["documents"]["unchanged"]) == (2, 0, 2)


def test_the_layout_of_the_command_line_comes_before_the_file(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("ingest: {layout: fast}")
    assert configuration(str(file)).ingest.layout == "fast"
    assert configuration(str(file), layout="model").ingest.layout == "model"


def test_an_unknown_layout_model_is_wrong_usage(tmp_path, capsys):
    file = tmp_path / "mine.yaml"
    file.write_text("ingest: {layout_model: pymupdff}")
    store = tmp_path / "store"
    assert main(["--path", str(tmp_path), "--store", str(store), "--config", str(file)]) == 2
    assert "known: pymupdf, rapidlayout" in capsys.readouterr().err
    assert not store.exists()

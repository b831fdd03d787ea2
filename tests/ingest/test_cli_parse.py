"""`h3-parse` on real files: what it prints, what it says when it cannot, how it exits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import hostile_files
import psutil
import pytest
from in_process import InProcess

from h3cold.ingest import worker_process
from h3cold.ingest.cli_parse import main
from h3cold.ingest.workers import Result

ENGLISH = "larkspur_annual_report_2023.pdf"
CHINESE = "青屿精密2023年年度报告.pdf"
LOCKED = "board_minutes_encrypted.pdf"


@pytest.fixture
def in_process(monkeypatch):
    """No worker processes, whose start takes a second each; those are for the tests of what they add."""
    monkeypatch.setattr("h3cold.ingest.parse_watched.Pool", InProcess)


@pytest.fixture
def parse(examples, capsys, in_process):
    """Runs h3-parse on an example; gives its exit code, output and messages."""

    def run(file, *options):
        code = main([str(examples.folder / file), "--layout", "fast", *options])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def test_markdown_is_the_default(parse):
    code, out, err = parse(ENGLISH, "--pages", "6-7")
    assert (code, err) == (0, "")
    assert out.startswith("<!-- page 6 -->") and "<!-- page 7 -->" in out and "<!-- page 8 -->" not in out
    assert "| Receivables turnover (times) | 6.1 | 6.2 | 6.0 |" in out
    assert "2023 Annual Report on Form 10-K" not in out  # the running header, known from the pages around
    assert "Consolidated Statements of Income\n" in out


def test_output_to_a_dash_is_the_screen(parse, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = parse(ENGLISH, "--pages", "6", "-o", "-")
    assert code == 0 and out.startswith("<!-- page 6 -->")
    assert list(tmp_path.iterdir()) == []


def test_json_of_one_chinese_page(parse, examples):
    code, out, err = parse(CHINESE, "--format", "json", "--pages", "3")
    assert (code, err) == (0, "")
    made = json.loads(out)
    assert made["source"] == str(examples.folder / CHINESE)
    (page,) = made["pages"]
    assert (page["page"], page["width"], page["height"], page["route"]) == (3, 595, 842, "geometry")
    assert [r["order"] for r in page["regions"]] == list(range(len(page["regions"])))
    tables = [r["table"] for r in page["regions"] if r["kind"] == "table"]
    cells = {(c["row"], c["col"]): c["text"] for t in tables for c in t["cells"] if t["cols"] == 4}
    row = next(r for (r, c), text in cells.items() if c == 0 and text == "应收账款周转率（次）")
    assert [cells[row, c] for c in (1, 2, 3)] == ["4.55", "4.21", "3.98"]


def test_html_into_a_file(parse, tmp_path):
    out = tmp_path / "report.html"
    code, shown, _ = parse(ENGLISH, "--format", "html", "--pages", "-2", "-o", str(out))
    assert (code, shown) == (0, "")
    html = out.read_text(encoding="utf-8")
    assert html.count('<section class="page">') == 2
    assert html.count("data:image/jpeg;base64,/9j/") == 2
    assert "Table of Contents" in html


def test_an_encrypted_file_with_and_without_its_password(parse):
    code, out, err = parse(LOCKED)
    assert (code, out) == (3, "")
    assert err.count("\n") == 1 and LOCKED in err and "give its password (--password)" in err
    code, out, err = parse(LOCKED, "--password", "wrong")
    assert (code, out) == (3, "") and err.count("\n") == 1 and "the password given is wrong" in err
    code, out, _ = parse(LOCKED, "--password", "wrong", "--password", "h3-example")
    assert code == 0 and "RMB 186.4 million" in out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--pages", "0-3"), "counted from 1"), (("--pages", "7-3"), "the first one first"),
        (("--pages", "x"), "expected 3, "
            "3-7"), (("--pages", "-"), "expected 3, 3-7"), (("--pages", "13-"), "has 12 pages"),
        (("-o", "/no/such/folder/out.md"), "/no/such/folder/out.md: cannot be written"),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_line_and_exit_2(parse, options, says):
    code, out, err = parse(ENGLISH, *options)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and err.startswith("h3-parse: ") and says in err


def test_missing_files_and_folders(parse):
    code, _, err = parse("nowhere.pdf")
    assert code == 2 and "nowhere.pdf: no such file" in err
    code, _, err = parse(".")
    assert code == 2 and "is a folder" in err


def test_a_file_that_is_no_pdf_fails(parse, tmp_path):
    fake = tmp_path / "fake.pdf"
    fake.write_text("hello")
    code, out, err = parse(fake)
    assert (code, out) == (3, "")
    assert err.count("\n") == 1 and "fake.pdf: not a PDF" in err


def test_an_unknown_layout_model_is_wrong_usage(examples, capsys, in_process):
    file = str(examples.folder / ENGLISH)
    assert main([file, "--pages", "1", "--layout", "model", "--layout-model", "pymupdff"]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and "known: pymupdf, rapidlayout" in shown.err


def test_what_another_program_hands_over_is_read(examples):
    data = (examples.folder / ENGLISH).read_bytes()
    command = [sys.executable, "-m", "h3cold.ingest.cli_parse", "-", "--pages", "1", "--layout", "fast"]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"FORM 10-K" in done.stdout
    done = subprocess.run(command, input=b"", capture_output=True, check=False)
    assert done.returncode == 3 and b"is empty" in done.stderr


def test_an_interrupt_ends_it_in_words_and_leaves_no_half_file(examples, monkeypatch, capsys, tmp_path, in_process):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("h3cold.ingest.parse.parse_window", interrupted)
    out = tmp_path / "out.md"
    assert main([str(examples.folder / ENGLISH), "--layout", "fast", "-o", str(out)]) == 130
    assert capsys.readouterr().err == "h3-parse: interrupted\n"
    assert not out.exists()


class Told(InProcess):
    """Workers whose heartbeats are passed on."""

    def __init__(self, work, *, progress, **limits):
        super().__init__(work)
        self.progress = progress

    def next(self):
        task = self.tasks.popleft()
        done = worker_process._work(self.work, task, lambda page, doing="": self.progress(task, page))
        return Result(task, done.value, done.failure)


def test_a_terminal_is_told_how_many_pages(examples, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("h3cold.ingest.parse_watched.Pool", Told)
    monkeypatch.setattr("h3cold.ingest.cli_parse.PATIENCE", -1.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ticks = iter(range(1000))
    monkeypatch.setattr("h3cold.ingest.cli_parse.time", SimpleNamespace(monotonic=lambda: next(ticks)))
    file, options = str(examples.folder / ENGLISH), ["--layout", "fast", "--pages", "2"]
    assert main([file, *options, "-o", str(tmp_path / "out.md")]) == 0
    said = capsys.readouterr().err
    assert "h3-parse: 2 pages" in said and "h3-parse: 10 pages" in said and said.endswith("\r\x1b[K")
    monkeypatch.setenv("COLUMNS", "500")
    assert main([file, *options, "--out", str(tmp_path / "out")]) == 0
    assert f"h3-parse: 1/1 files, {file}: 10 pages" in capsys.readouterr().err


def test_unknown_options_exit_2(examples, capsys):
    with pytest.raises(SystemExit) as stop:
        main([str(examples.folder / ENGLISH), "--format", "xml"])
    assert stop.value.code == 2
    assert "invalid choice" in capsys.readouterr().err


def test_help_shows_examples(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert "h3-parse report.pdf --pages 3-7" in out and "exit codes" in out


def test_a_reader_that_stops_early_is_no_error(examples):
    command = [sys.executable, "-m", "h3cold.ingest.cli_parse", str(examples.folder / ENGLISH), "--format", "html"]
    with subprocess.Popen([*command, "--layout", "fast"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout.read(15) == b"<!DOCTYPE html>"
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 0


def test_a_file_cut_off_in_the_middle_names_the_pages_it_lost(parse):
    code, out, err = parse("truncated_report.pdf")
    assert code == 3
    assert "Table of Contents" in out  # what is there is read
    lost = [line for line in err.splitlines() if "truncated_report.pdf, page " in line]
    assert len(lost) == err.count("\n") == 10
    assert out.count("could not be read") == 10


@pytest.mark.parametrize("name", ["report.pdf", "link.pdf"])
def test_the_pdf_is_never_written_over(examples, tmp_path, capsys, name):
    source = tmp_path / "report.pdf"
    source.write_bytes((examples.folder / ENGLISH).read_bytes())
    (tmp_path / "link.pdf").symlink_to(source)
    before = source.read_bytes()
    assert main([str(source), "--pages", "1", "--layout", "fast", "-o", str(tmp_path / name)]) == 2
    assert "is the PDF itself" in capsys.readouterr().err
    assert source.read_bytes() == before


def test_a_page_that_never_ends_costs_itself_only(tmp_path, capsys):
    file = tmp_path / "endless.pdf"
    file.write_bytes(hostile_files.endless(before=1, after=1))
    assert main([str(file), "--layout", "fast", "--page-seconds", "1"]) == 3
    shown = capsys.readouterr()
    assert "page number 1 of the book" in shown.out and "page number 3 of the book" in shown.out
    assert shown.err.count("\n") == 1
    assert shown.err.startswith(f"h3-parse: {file}, page 2: took longer than 1 s") and "--page-seconds" in shown.err


def test_too_little_memory_is_one_line(tmp_path, capsys):
    file = tmp_path / "good.pdf"
    file.write_bytes(hostile_files.good(2))
    assert main([str(file), "--layout", "fast", "--memory-mb", "1"]) == 3
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert "took more than 1 MB; raise --memory-mb" in shown.err


def running(file, out):
    """h3-parse at work on a page without end, and its worker once that is at it."""
    command = [sys.executable, "-m", "h3cold.ingest.cli_parse", str(file), "--layout", "fast", "-o", str(out)]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    return run, worker_of(run)


def worker_of(run, *, but=frozenset()):
    """The process that works for h3-parse, once it has worked for a moment; another one than those in `but`."""
    for _ in range(600):
        for child in psutil.Process(run.pid).children():
            if child.pid not in but and child.cpu_times().user > 3:
                return child
        time.sleep(0.1)
    raise AssertionError("no worker is at work")


@pytest.fixture
def endless(tmp_path):
    file = tmp_path / "endless.pdf"
    file.write_bytes(hostile_files.endless())
    return file


def test_ctrl_c_ends_the_workers_too(endless, tmp_path):
    run, worker = running(endless, tmp_path / "out.md")
    os.kill(run.pid, signal.SIGINT)
    assert run.communicate(timeout=20)[1] == "h3-parse: interrupted\n"
    assert run.returncode == 130
    assert not worker.is_running() and not (tmp_path / "out.md").exists()


def test_a_page_that_crashes_its_process_twice_is_given_up(endless, tmp_path):
    run, worker = running(endless, tmp_path / "out.md")
    worker.send_signal(signal.SIGSEGV)
    worker_of(run, but={worker.pid}).send_signal(signal.SIGSEGV)
    said = run.communicate(timeout=60)[1]
    assert (run.returncode, said.count("\n")) == (3, 1)
    assert said.startswith(f"h3-parse: {endless}, page 1: the worker process crashed (SIGSEGV")
    assert "could not be read" in (tmp_path / "out.md").read_text()


def test_what_nobody_foresaw_is_one_line(capsys, tmp_path, monkeypatch):
    def failing(*_, **__):
        raise KeyError("words")

    monkeypatch.delenv("H3_TRACE", raising=False)
    monkeypatch.setattr("h3cold.ingest.cli_parse._parse", failing)
    assert main([str(tmp_path / "a.pdf")]) == 1
    assert capsys.readouterr().err == "h3-parse: internal error: KeyError: 'words'; H3_TRACE=1 shows where\n"
    monkeypatch.setenv("H3_TRACE", "1")
    with pytest.raises(KeyError):
        main([str(tmp_path / "a.pdf")])

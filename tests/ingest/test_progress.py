"""What a build shows while it runs, and how it counts."""

import io
import json
import os
import subprocess
import sys

import psutil
import pytest

from h3cold.ingest.live import FILE, SLOWEST, Live, read_live
from h3cold.ingest.progress import (
    AFTER_READING,
    READING,
    Bar,
    Lines,
    Silent,
    count,
    duration,
    one_line,
    open_progress,
    time_left,
    where,
)
from h3cold.schemas.summary import Failure


class Terminal(io.StringIO):
    def isatty(self):
        return True


def play(progress):
    progress.stage("reading")
    progress.begin(2, 1000)
    progress.opened("a.pdf", 12, 250)
    progress.working("a.pdf", "page 3")
    for page in range(1, 13):
        progress.timed("a.pdf", page, 0.5)
    progress.pages("a.pdf", 12, [3])
    progress.vectors("a.pdf", 5, 10)
    progress.finished("a.pdf", 250)
    progress.failed("b\n.pdf", 4, "no [bold]good[/bold]")
    progress.finished("b\n.pdf", 750)
    progress.close()


def test_plain_lines_show_rate_and_time_left():
    out = io.StringIO()
    play(Lines(out, every=0.0))
    lines = out.getvalue().splitlines()
    assert lines[0] == "reading"
    assert "0/2 files, 0 pages" in lines[1]
    assert "(a.pdf, page 3)" in lines[1]
    assert "vectors 5/10" in lines[3]
    assert "1/2 files, 12 pages, " in lines[4]
    assert " pages/s, a few seconds left" in lines[4]
    assert "failed: b\\n.pdf, page 4: no [bold]good[/bold]" in lines


def test_plain_lines_are_few():
    out = io.StringIO()
    progress = Lines(out, every=1000.0)
    for _ in range(100):
        progress.pages("a.pdf", 1)
    assert out.getvalue() == ""


def test_a_terminal_gets_a_bar_and_failures_word_for_word():
    out = Terminal()
    progress = open_progress(out)
    assert isinstance(progress, Bar)
    play(progress)
    assert "no [bold]good[/bold]" in out.getvalue()
    assert isinstance(open_progress(io.StringIO()), Lines)


def test_a_terminal_is_told_no_time_left_of_parts_without_pages():
    out = io.StringIO()
    progress = Lines(out, every=0.0)
    progress.stage("reading")
    progress.begin(1, 1000)
    progress.working("a.pdf", "page 1")
    for page in range(1, 13):
        progress.timed("a.pdf", page, 0.5)
    progress.pages("a.pdf", 12)
    progress.stage("building indexes")
    progress.working("a.pdf", "words")
    lines = out.getvalue().splitlines()
    assert lines[1] == "0/1 files, 0 pages (a.pdf, page 1)"
    assert " pages/s" in lines[2]
    assert lines[4] == "0/1 files, 12 pages (a.pdf, words)"


def test_when_all_pages_are_read_something_else_is_told():
    out = io.StringIO()
    live = Live(Lines(out, every=0.0))
    live.stage(READING)
    live.begin(2, 2000)
    for name in ("a.pdf", "b.pdf"):
        assert live.state()["step"] == READING
        live.opened(name, 12, 1000)
        live.timed(name, 1, 100.0)
        live.pages(name, 12)
    live.vectors("a.pdf", 0, 6)
    assert live.state()["step"] == AFTER_READING
    assert live.state()["seconds_left"] is not None
    live.stage("building indexes")
    assert live.state()["seconds_left"] is None, "what the parts that follow take is not known"
    lines = out.getvalue().splitlines()[:-1]
    assert AFTER_READING in lines and " pages/s" in lines[-1] and "about 0 s" not in out.getvalue()
    assert {READING} <= set(live.times()) and AFTER_READING not in live.times()


def test_what_a_snapshot_lacks_is_told_in_the_end_whenever_it_failed():
    live = Live(Silent())
    live.failed("a.pdf", 3, "tried again")
    live.lacks([Failure("a.pdf", None, "encrypted"), Failure("b.pdf", 2, "too slow")])
    assert live.state()["failed"] == 2
    assert live.state()["last_failures"][1] == {"source": "b.pdf", "page": 2, "reason": "too slow"}


def test_figures():
    assert [duration(s) for s in (0.4, 59, 95, 3725)] == ["0 s", "59 s", "1 min 35 s", "1 h 2 min"]
    assert one_line("a\tb\x1b[31m报\n") == "a\\tb\\x1b[31m报\\n"
    assert where("x.pdf", None) == "x.pdf"
    assert [time_left(s) for s in (0.0, 4.9, 95)] == ["a few seconds left"] * 2 + ["about 1 min 35 s left"]
    assert [count(n, "line") for n in (0, 1, 2)] == ["0 lines", "1 line", "2 lines"]


def test_those_who_watch_see_what_is_going_on(tmp_path):
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta" / "live.json.1.tmp").write_text("{")
    live = Live(Silent())
    with live.written(tmp_path):
        state = read_live(tmp_path)
        assert (state["state"], state["pid"], state["step"]) == ("running", os.getpid(), "starting")
        live.stage("reading")
        live.begin(3, 300)
        live.opened("a.pdf", 40, 100)
        live.working("a.pdf", "page 7")
        for page in range(1, 31):
            live.timed("a.pdf", page, page / 10)
        live.timed("a.pdf", 30, 0.25)
        live.pages("a.pdf", 30, ocr=[30, 29])
        live.failed("a.pdf", 5, "why")
        now = live.state()
    slowest = [(s["page"], s["seconds"]) for s in now["slowest_pages"]]
    assert slowest == [(n, n / 10) for n in range(30, 30 - SLOWEST, -1)]
    assert (now["current"][0]["source"], now["current"][0]["at"]) == ("a.pdf", "page 7")
    assert now["pages"] == {"read": 30, "indexed": 0, "expected": 41, "exact": False}
    assert (now["failed"], now["last_failures"]) == (1, [{"source": "a.pdf", "page": 5, "reason": "why"}])
    assert now["memory_mb"]["main"] == pytest.approx(psutil.Process().memory_info().rss >> 20, rel=0.2)
    assert live.times()["ocr"] == pytest.approx(6.15)
    assert live.times()["parse"] == pytest.approx(46.75)
    assert read_live(tmp_path)["state"] == "done"
    assert [p.name for p in (tmp_path / "meta").iterdir()] == ["live.json"]


@pytest.mark.parametrize(("error", "state"), [(ValueError, "failed"), (KeyboardInterrupt, "interrupted")])
def test_how_it_ended_is_told(tmp_path, error, state):
    (tmp_path / "meta").mkdir()
    with pytest.raises(error), Live(Silent()).written(tmp_path):
        raise error
    assert read_live(tmp_path)["state"] == state


def test_a_build_that_was_killed_is_not_taken_for_running(tmp_path):
    (tmp_path / "meta").mkdir()
    script = (
        "import os, sys; from pathlib import Path; from h3cold.ingest.live import Live; "
        "from h3cold.ingest.progress import Silent\n"
        "with Live(Silent()).written(Path(sys.argv[1])): os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert done.returncode == -9
    assert read_live(tmp_path)["state"] == "killed"
    file = tmp_path / FILE
    state = json.loads(file.read_text())
    # The number may belong to another process by now: this one.
    file.write_text(json.dumps(state | {"pid": os.getpid()}))
    assert read_live(tmp_path)["state"] == "killed"
    # Of another machine's processes nothing can be seen but that it no longer writes.
    file.write_text(json.dumps(state | {"host": "elsewhere"}))
    assert read_live(tmp_path)["state"] == "running"
    file.write_text(json.dumps(state | {"host": "elsewhere", "updated": "2020-01-01T00:00:00+00:00"}))
    assert read_live(tmp_path)["state"] == "killed"


def test_nothing_to_see_is_no_error(tmp_path):
    assert read_live(tmp_path) is None
    with Live(Silent()).written(tmp_path / "cannot" / "be" / "written"):
        pass
    (tmp_path / "meta").mkdir()
    (tmp_path / FILE).write_text("{")
    assert read_live(tmp_path) is None

"""What a build shows while it runs, and how it counts."""

import io
import json
import os
import subprocess
import sys

import psutil
import pytest

from h3cold.ingest.live import FILE, SLOWEST, Live, read_live
from h3cold.ingest.pace import USUAL_VECTORS, Pace
from h3cold.ingest.progress import Bar, Lines, Silent, count, duration, one_line, open_progress, where


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


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
    assert " pages/s, about " in lines[4]
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


def test_time_left_goes_by_pages_not_by_bytes():
    """A file of pictures is large and has few pages; once it is open, its pages count, not its bytes."""
    clock = Clock()
    pace = Pace(clock)
    pace.begin(2, 1_000_000)
    assert (pace.total, pace.left()) == (20, None)
    pace.opened("scan.pdf", 10, 900_000)
    pace.opened("text.pdf", 90, 100_000)
    assert pace.total == 100
    clock.now += 10
    pace.pages("text.pdf", 90)
    pace.vectors("text.pdf", 45, 90)
    assert (pace.rate, pace.whole, pace.share) == (9.0, 45.0, 0.675)
    assert pace.left() == pytest.approx(10 / 45 * 55)
    pace.pages("scan.pdf", 10)
    pace.finished("text.pdf", 100_000), pace.finished("scan.pdf", 900_000)
    assert (pace.left(), pace.share, pace.files_done) == (0.0, 1.0, 2)


def test_time_left_weighs_scans_by_what_their_pages_take():
    """Texts of .1 s a page, then a scan of 3 s a page, one worker, vectors .2 s a page beside: told from the scan's
    third page on to a third, and never turned back by much."""
    clock = Clock()
    pace = Pace(clock)
    pace.begin(6, 5 * 500_000 + 1_000_000)
    end = clock.now + 5 * 50 * 0.2 + 40 * 3.0
    told, shares = [], []
    for n in range(5):
        pace.opened(f"{n}.pdf", 50, 500_000)
        for page in range(1, 51):
            clock.now += 0.2
            pace.timed(f"{n}.pdf", page, 0.1)
            pace.embedded(0.2)
        pace.pages(f"{n}.pdf", 50)
        pace.finished(f"{n}.pdf", 500_000)
        shares.append(pace.share)
    pace.opened("scan.pdf", 40, 1_000_000)
    for page in range(1, 41):
        clock.now += 3.0
        pace.timed("scan.pdf", page, 3.0)
        told.append(pace.left() / max(end - clock.now, 1.0))
        shares.append(pace.share)
    assert all(2 / 3 < ratio < 3 / 2 for ratio in told[8:-4]), told
    assert shares == sorted(shares) and shares[-1] > 0.9
    pace.pages("scan.pdf", 40)
    pace.vectors("scan.pdf", 40, 40)
    assert pace.left() == 0.0


def test_time_left_goes_down_with_the_clock_and_does_not_jump():
    clock = Clock()
    pace = Pace(clock)
    pace.begin(1, 1000)
    pace.opened("a.pdf", 100, 1000)
    for page in range(1, 11):
        clock.now += 1.0
        pace.timed("a.pdf", page, 1.0)
    first = pace.left()
    clock.now += 1.0
    pace.timed("a.pdf", 11, 1.0)
    assert first - 2 < pace.left() < first
    pace.opened("b.pdf", 100, 0)
    clock.now += 1.0
    pace.timed("a.pdf", 12, 1.0)
    assert first - 2 < pace.left() < first + 10  # of the 100 s more


def test_pages_on_record_are_no_work():
    clock = Clock()
    pace = Pace(clock)
    pace.begin(1, 1000)
    pace.opened("a.pdf", 100, 1000)
    pace.pages("a.pdf", 80)
    for page in range(81, 91):
        clock.now += 3.0
        pace.timed("a.pdf", page, 3.0)
    assert pace.left() == pytest.approx(30, rel=0.05)


def test_what_it_takes_to_start_is_no_pace():
    """Processes start for 20 s, then pages take a tenth; their vectors are not known yet, but will be needed."""
    clock = Clock()
    pace = Pace(clock)
    pace.begin(10, 1_000_000)
    clock.now += 20
    assert pace.left() is None
    for page in range(1, 6):
        clock.now += 0.1
        pace.timed("a.pdf", page, 0.1)
    pace.timed("a.pdf", 5, 0.0)  # looked at twice
    assert pace.seen == 5
    assert pace.rate == pytest.approx(10)
    assert pace.left() == pytest.approx(20 * USUAL_VECTORS)


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


def test_a_file_that_fails_at_once_tells_nothing_of_the_rest():
    clock = Clock()
    pace = Pace(clock)
    pace.begin(11, 1_100_000)
    pace.finished("broken.pdf", 1_000_000)
    clock.now += 1
    assert (pace.total, pace.left(), pace.share) == (2, None, 0.0)
    pace.opened("a.pdf", 1, 10_000)
    assert pace.total == 3  # of one page nobody takes the others to be as dense
    for n in range(100):
        pace.opened(f"{n}.pdf", 10, 800)
    assert pace.total == 1001 + 35


def test_figures():
    assert [duration(s) for s in (0.4, 59, 95, 3725)] == ["0 s", "59 s", "1 min 35 s", "1 h 2 min"]
    assert one_line("a\tb\x1b[31m报\n") == "a\\tb\\x1b[31m报\\n"
    assert where("x.pdf", None) == "x.pdf"
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
    assert now["pages"] == {"read": 30, "indexed": 0, "expected": 40}
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

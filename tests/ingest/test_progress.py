"""What a build shows while it runs."""

import io

from h3cold.ingest.progress import Bar, Lines, duration, one_line, open_progress, remaining, where


class Terminal(io.StringIO):
    def isatty(self):
        return True


def play(progress):
    progress.stage("reading")
    progress.begin(2, 1000)
    progress.working("a.pdf", "page 3")
    progress.pages("a.pdf", 12)
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
    assert "1/2 files, 12 pages, " in lines[3]
    assert " pages/s, about " in lines[3]
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


def test_figures():
    assert remaining(10.0, 250, 1000) == 30.0
    assert remaining(10.0, 0, 1000) is None
    assert remaining(10.0, 7, 1000) is None
    assert [duration(s) for s in (0.4, 59, 95, 3725)] == ["0 s", "59 s", "1 min 35 s", "1 h 2 min"]
    assert one_line("a\tb\x1b[31m报\n") == "a\\tb\\x1b[31m报\\n"
    assert where("x.pdf", None) == "x.pdf"

"""How far a build is and how long it will take, as it is counted."""

import pytest

from h3cold.ingest.pace import USUAL_VECTORS, Pace


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


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


def test_a_file_that_fails_at_once_tells_nothing_of_the_rest():
    clock = Clock()
    pace = Pace(clock)
    pace.begin(11, 1_100_000)
    pace.finished("broken.pdf", 1_000_000)
    clock.now += 1
    assert (pace.total, pace.left(), pace.share) == (2, None, 0.0)
    pace.opened("a.pdf", 1, 10_000)
    assert pace.total == 4  # of one page nobody takes the others to be as dense
    for n in range(8):
        pace.opened(f"{n}.pdf", 10, 800)
    assert pace.total == 81 + 16


def test_pages_of_files_that_are_not_open_are_foreseen_by_files_and_bytes():
    """After a dense text no folder of scans has a hundred times as many pages as it has."""
    pace = Pace(Clock())
    pace.begin(11, 10_100_000)
    pace.opened("text.pdf", 40, 100_000)
    assert 40 + 10 * 20 < pace.total < 40 + 10 * 80
    assert not pace.all_open


def test_what_is_taken_over_or_given_up_is_not_waited_for():
    """Pages that the store has, of a file with a new name; a file that fails on the way, one that fails at once."""
    pace = Pace(Clock())
    pace.begin(3, 3000)
    pace.opened("renamed.pdf", 18, 1000)
    pace.pages("renamed.pdf", 18)
    pace.opened("broken.pdf", 100, 1000)
    pace.pages("broken.pdf", 48)
    assert not pace.all_open
    pace.finished("empty.pdf", 1000)
    assert pace.all_open and not pace.all_read and pace.total == 118
    pace.finished("broken.pdf", 1000)
    assert pace.all_read and pace.read == pace.total == 66

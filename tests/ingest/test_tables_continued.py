"""Tables that go on from one page to the next."""

from __future__ import annotations

from h3cold.ingest.tables.continued import continues, repeated_header
from h3cold.schemas.page import Cell, Region, Table

SIZE = (612.0, 792.0)


def table(rows: list[list[str]], *, top: float, lefts: tuple[float, ...] = (72, 200, 300), header: int = 1) -> Region:
    cells = tuple(
        Cell(r, c, text, (lefts[c], top + 14 * r, lefts[c] + 60, top + 14 * r + 12), header=r < header)
        for r, row in enumerate(rows) for c, text in enumerate(row)
    )  # fmt: skip
    bottom = top + 14 * len(rows)
    return Region("table", (lefts[0], top, lefts[-1] + 60, bottom), "", 0, table=Table(len(rows), len(lefts), cells))


HEAD = ["Item", "2023", "2022"]
FIRST = table([HEAD, ["a", "1", "2"], ["b", "3", "4"]], top=700)


def goes_on(previous: Region, current: Region) -> bool:
    return continues(previous, current, previous_size=SIZE, current_size=SIZE)


def test_same_columns_with_the_header_repeated():
    second = table([HEAD, ["c", "5", "6"]], top=60)
    assert goes_on(FIRST, second)
    assert repeated_header(FIRST.table, second.table) == 1


def test_same_columns_without_a_header():
    assert goes_on(FIRST, table([["c", "5", "6"], ["d", "7", "8"]], top=60, header=0))


def test_header_marked_as_continued():
    second = table([["Item (continued)", "2023", "2022"], ["c", "5", "6"]], top=60)
    assert goes_on(FIRST, second)
    assert repeated_header(FIRST.table, second.table) == 1


def test_another_header_is_another_table():
    assert not goes_on(FIRST, table([["Name", "Shares", "Price"], ["c", "5", "6"]], top=60))


def test_other_columns_are_another_table():
    assert not goes_on(FIRST, table([HEAD, ["c", "5", "6"]], top=60, lefts=(72, 420, 500)))
    assert not goes_on(FIRST, table([HEAD[:2], ["c", "5"]], top=60, lefts=(72, 200)))


def test_not_at_the_foot_of_one_page_and_the_head_of_the_next():
    assert not goes_on(table([HEAD, ["a", "1", "2"]], top=200), table([HEAD, ["c", "5", "6"]], top=60))
    assert not goes_on(FIRST, table([HEAD, ["c", "5", "6"]], top=500))


def test_only_tables_continue():
    assert not goes_on(FIRST, Region("text", (72, 60, 300, 90), "text", 0))

from __future__ import annotations

import pymupdf
from hypothesis import given
from hypothesis import strategies as st
from pdf_pages import LOREM, put, two_columns, wrapped

from h3cold.ingest.order import Item, columns, line_item
from h3cold.ingest.page_facts import read_page


def order_of(page: pymupdf.Page) -> str:
    lines = read_page(page).lines
    parts = columns([line_item(line) for line in lines])
    return " | ".join(" ".join(lines[i].text.strip() for i in part) for part in parts)


def marks(text: str, *names: str) -> list[str]:
    return sorted((n for n in names if n in text), key=text.index)


def test_two_columns_under_a_heading() -> None:
    text = order_of(two_columns(pymupdf.open()))
    assert marks(text, "A heading", "L1", "L2", "L3", "R1", "R2", "R3") == [
        "A heading", "L1", "L2", "L3", "R1", "R2", "R3",
    ]  # fmt: skip


def test_a_heading_across_parts_the_bands_above_and_below_it() -> None:
    page = pymupdf.open().new_page()
    for top, name in ((80, "a"), (420, "b")):
        put(page, 50, top, wrapped(f"L{name} {LOREM}", 44))
        put(page, 310, top, wrapped(f"R{name} {LOREM}", 44))
    put(page, 50, 380, "MIDDLE heading set across both columns of the page", size=16)
    assert marks(order_of(page), "La", "Ra", "MIDDLE", "Lb", "Rb") == ["La", "Ra", "MIDDLE", "Lb", "Rb"]


def test_three_columns() -> None:
    page = pymupdf.open().new_page()
    for n, x in enumerate((40, 220, 400)):
        put(page, x, 80, wrapped(f"C{n} {LOREM}", 30))
    assert marks(order_of(page), "C0", "C1", "C2") == ["C0", "C1", "C2"]
    assert len(order_of(page).split(" | ")) == 3


def test_labels_and_values_are_rows_not_columns() -> None:
    page = pymupdf.open().new_page()
    for n, (label, value) in enumerate([("Title:", "Annual report"), ("Author:", "A. Smith"), ("Date:", "May 2020")]):
        page.insert_text((50, 80 + 20 * n), label)
        page.insert_text((200, 80 + 20 * n), value)
    assert len(columns([line_item(line) for line in read_page(page).lines])) == 1


def test_the_right_column_first_where_text_runs_to_the_left() -> None:
    items = [Item((x, y, x + 200, y + 10), 10, 40) for x in (50, 300) for y in range(100, 400, 14)]
    half = len(items) // 2
    assert columns(items)[0] == list(range(half))
    assert columns(items, rtl=True)[0] == list(range(half, 2 * half))


boxes = st.builds(
    lambda x, y, w, h: Item((x, y, x + w, y + h), 10.0, int(w / 5)),
    st.floats(0, 500), st.floats(0, 700), st.floats(1, 300), st.floats(4, 40),
)  # fmt: skip


@given(st.lists(boxes, max_size=40))
def test_every_item_comes_once(items: list[Item]) -> None:
    found = [i for part in columns(items) for i in part]
    assert sorted(found) == list(range(len(items)))


def test_headings_below_unequal_columns_open_the_full_width_text_that_follows() -> None:
    page = pymupdf.open().new_page()
    put(page, 50, 80, wrapped(f"La {LOREM} {LOREM}", 44))
    put(page, 310, 80, wrapped(f"Ra {LOREM}", 44))
    below = max(line.bbox[3] for line in read_page(page).lines)
    put(page, 50, below + 40, "HEADING of a section", size=15)
    put(page, 50, below + 60, "None.")
    put(page, 50, below + 85, "SECOND heading", size=15)
    put(page, 50, below + 105, wrapped(f"WIDE {LOREM}", 95))
    assert marks(order_of(page), "La", "Ra", "HEADING", "None.", "SECOND", "WIDE") == [
        "La", "Ra", "HEADING", "None.", "SECOND", "WIDE",
    ]  # fmt: skip


def test_figures_under_a_head_of_several_lines_are_rows() -> None:
    page = pymupdf.open().new_page()
    put(page, 60, 120, [f"Mr. Name Number {n}" for n in range(1, 8)])
    put(page, 400, 120, [f"17,{n}43" for n in range(1, 8)])
    put(page, 400, 120 - 13 * 4, ["Unvested", "Restricted", "Stock Units"])
    parts = order_of(page)
    assert marks(parts, "Number 1", "17,143", "Number 7", "17,743")[0:2] == ["Number 1", "17,143"]


def test_an_index_in_columns_is_no_table_of_short_rows() -> None:
    page = pymupdf.open().new_page()
    for k, x in enumerate((60, 330)):
        entries = [
            f"{'lr'[k]}{name}, {n + 3}" for n, name in enumerate(("atlas", "base", "curve", "dim", "edge", "face"))
        ]
        put(page, x, 100, entries, size=10)
    text = order_of(page)
    assert marks(text, "latlas", "lface", "ratlas", "rface") == ["latlas", "lface", "ratlas", "rface"]


def test_short_lists_with_headings_of_their_own_are_columns() -> None:
    page = pymupdf.open().new_page()
    put(page, 60, 100, ["a one", "b two", "c three", "d four"], size=10)
    put(page, 60, 172, ["Curves"], size=14)
    put(page, 60, 195, ["e five", "f six"], size=10)
    put(page, 330, 100, ["g seven", "h eight"], size=10)
    put(page, 330, 143, ["Groups"], size=14)
    put(page, 330, 166, ["i nine", "j ten", "k eleven"], size=10)
    found = marks(order_of(page), "a one", "Curves", "f six", "g seven", "Groups", "k eleven")
    assert found == ["a one", "Curves", "f six", "g seven", "Groups", "k eleven"]


def test_lines_in_the_middle_between_lines_at_the_left_are_no_column():
    places = [(237, 83, 358), (57, 128, 129), (57, 158, 146), (57, 191, 210), (261, 207, 335), (503, 226, 539)]
    items = [Item((x0, y, x1, y + 12), 12, 14) for x0, y, x1 in places]
    items.append(Item((57, 240, 535, 758), 9, 0, solid=True))
    assert [i for part in columns(items) for i in part] == list(range(7))


def test_notes_in_the_margin_set_wider_than_the_text_beside_them_are_a_column():
    notes = [Item((27, 240 + 14.2 * n, 120, 250 + 14.2 * n), 11, 12) for n in range(8)]
    text = [Item((153, 241 + 12 * n, 414, 251 + 12 * n), 10, 44) for n in range(12)]
    assert [len(part) for part in columns([*notes, *text])] == [8, 12]


def test_numbers_at_a_distance_stay_with_what_they_open() -> None:
    items = []
    for y in (80, 160, 240):
        items.append(Item((50, y, 58, y + 12), 10, 0))
        items.append(Item((90, y, 300, y + 12), 10, 30))
        items.append(Item((110, y + 20, 400, y + 64), 10, 0, True))  # code below it
    assert columns(items) == [list(range(9))]

"""Geometry and tables."""

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.schemas.block import Block, block_id
from h3cold.schemas.geometry import PageBox, area, inside, iou, overlap, union
from h3cold.schemas.page import Cell, Table, make_cells

points = st.floats(0, 1000, allow_nan=False)
boxes = st.tuples(points, points, points, points).map(
    lambda b: (min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3]))
)


@given(boxes, boxes)
def test_overlap_is_symmetric_and_bounded(a, b):
    assert overlap(a, b) == overlap(b, a) <= min(area(a), area(b)) + 1e-6
    assert 0 <= iou(a, b) <= 1 + 1e-9
    assert 0 <= inside(a, b) <= 1 + 1e-9


@given(st.lists(boxes, min_size=1))
def test_union_holds_every_box(many):
    whole = union(many)
    assert all(whole[0] <= b[0] and whole[1] <= b[1] and whole[2] >= b[2] and whole[3] >= b[3] for b in many)


def cell(row, col, text, **more):
    return Cell(row, col, text, (0, 0, 1, 1), **more)


def test_grid_and_header_rows():
    table = Table(3, 2, (cell(0, 0, "", header=True), cell(0, 1, "2023", header=True), cell(1, 0, "Revenue"),
                         cell(1, 1, "5"), cell(2, 0, "Total", colspan=2)))  # fmt: skip
    assert table.grid() == [["", "2023"], ["Revenue", "5"], ["Total", ""]]
    assert table.header_rows() == 1


def test_a_block_over_two_pages():
    boxes = (PageBox(2, (10, 10, 20, 20), 0, 1), PageBox(2, (5, 30, 9, 40)), PageBox(3, (0, 0, 1, 1), 1, 2))
    block = Block(block_id("d", 7), "d", 7, "passage", "ab", ("A",), boxes)
    assert (block.id, block.page, block.pages, block.bbox) == ("d-00007-c1", 2, (2, 3), (5, 10, 20, 40))


def test_a_caption_stands_before_the_text_once():
    block = Block("b", "d", 0, "table", "| 2023", (), (PageBox(1, (0, 0, 1, 1)),), caption="In thousands")
    assert block.captioned == "In thousands\n| 2023"
    assert replace(block, text="In thousands | 2023").captioned == "In thousands | 2023"
    assert replace(block, text="").captioned == "In thousands"
    assert replace(block, caption="").captioned == "| 2023"


@given(st.integers(0, 9), st.text(), boxes, st.integers(1, 4), st.booleans(), st.integers(0, 3))
def test_a_cell_made_quickly_is_a_cell_as_any_other(number, text, box, span, header, page):
    fields = (number, number + 1, text, box, span, 1, header)
    (made,), plain = make_cells([fields], page=page), Cell(*fields, page)
    assert type(made) is Cell and made == plain and hash(made) == hash(plain) and repr(made) == repr(plain)
    assert asdict(made) == asdict(plain) and replace(made, text="x") == replace(plain, text="x")
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == plain
    with pytest.raises(FrozenInstanceError):
        made.text = "y"
    assert make_cells([fields]) == (Cell(*fields),)

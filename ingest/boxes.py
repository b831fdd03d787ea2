"""Filled boxes as MuPDF's text reader hands them out along with the text.

Many pages of reports and of the web draw nothing but filled boxes: shades, and rules as thin boxes. Reading them with
the text spares interpreting the page a second time, which takes as long as its text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import pymupdf

from h3cold.schemas.geometry import BBox

BOX_FLAGS = pymupdf.mupdf.FZ_STEXT_COLLECT_VECTORS | pymupdf.mupdf.FZ_STEXT_LAZY_VECTORS
"""MuPDF's flags by which a text page holds vector graphics, those that are drawn within a line behind it."""

TEXT, VECTOR = 0, 3
"""Kinds of blocks in `extractDICT`."""

ON_BASE, IN_BLOCK = 0.8, 1.5
"""Distance of two baselines, in font sizes, up to which MuPDF takes them for one, and their lines for one block's."""

INDENT = 0.5
"""Points by which a line of a block begins at most to the right of the line before."""

_LABEL = re.compile(r"\s*(?:\(?\w{1,4}[.)\]]|[^\w\s]|\[\d+\])\s")
"""What an item begins with: its further lines begin where its words do, behind that."""

Block = dict[str, Any]
_new = tuple.__new__  # of a named tuple, with all of its fields: half the time of calling its class


class Box(NamedTuple):
    """A filled box: its colour (RGB, 0..1), and whether it is the last one of its path."""

    bbox: BBox
    color: tuple[float, float, float]
    last: bool


def part_boxes(blocks: Iterable[Block], after: Collection[int] = ()) -> tuple[list[Block], list[Block]]:
    """A page's blocks of text, numbered anew, and those of vector graphics, from what `extractDICT` has.

    Whatever is drawn between two lines makes MuPDF begin a new block: it gets the number of the one before where MuPDF
    would have gone on with that. `after` are places, among the blocks of text, of those that follow a picture.
    """
    text: list[Block] = []
    vectors: list[Block] = []
    number, before = -1, -1
    last: dict[str, Any] | None = None
    for block in blocks:
        if block["type"] != TEXT:
            if block["type"] == VECTOR:
                vectors.append(block)
            continue
        lines = block["lines"]
        apart = block["number"] > before + 1 or len(text) in after
        if not (apart and last and lines and _goes_on(last, lines[0])):
            number += 1
        before, block["number"] = block["number"], number
        text.append(block)
        last = lines[-1] if lines else last
    return text, vectors


def _goes_on(line: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether MuPDF would put the second line into the block of the first.

    It goes by their baselines and by where the second begins: not further right than the first, or its words.
    """
    (ax, ay), (bx, by) = line["dir"], other["dir"]
    if line["wmode"] != other["wmode"] or ax * bx + ay * by < 0.999 or not (line["spans"] and other["spans"]):
        return False
    first = other["spans"][0]
    size, (x, y), (x_before, y_before) = first["size"], first["origin"], line["spans"][-1]["origin"]
    off = abs(bx * (y - y_before) - by * (x - x_before))
    if off < ON_BASE * size or off > IN_BLOCK * size:
        return bool(off < ON_BASE * size)
    indented = x - line["spans"][0]["origin"][0] > INDENT
    return not indented or _LABEL.match("".join([span["text"] for span in line["spans"]])) is not None


def filled_boxes(vectors: Iterable[Block]) -> list[Box] | None:
    """The filled boxes of a page as far as they are seen; None where it draws anything else."""
    out: list[Box] = []
    for vector in vectors:
        if vector["stroked"] or not vector["isrect"]:
            return None
        rgb = vector["color"]
        color = ((rgb >> 16) / 255, (rgb >> 8 & 255) / 255, (rgb & 255) / 255)
        out.append(_new(Box, (vector["bbox"], color, not vector["continues"])))
    return out

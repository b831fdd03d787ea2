"""Where each letter of a page's lines and words stands; read letter by letter, so only for pages that need it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from h3cold.ingest.page_facts import Turn
from h3cold.ingest.script import plain
from h3cold.schemas.geometry import BBox, union


class Letter(NamedTuple):
    """A character that is not blank, and the x it begins at, in points."""

    char: str
    x: float


Key = tuple[str, int, int, int]
Letters = dict[Key, list[Letter]]
"""The letters of each line and each word of a page, from left to right, by `letters_key`."""


def letters_key(text: str, box: BBox) -> Key:
    """What a line or a word is found by: its text without blanks, and where it begins and ends (tenths of points)."""
    return unspaced(text), round(10 * box[0]), round(10 * box[1]), round(10 * box[2])


def unspaced(text: str) -> str:
    """A text without its blanks."""
    if text.isascii() and text.isprintable():  # ten times as fast
        return text.replace(" ", "")
    return "".join(text.split())


def place_letters(blocks: Iterable[dict[str, Any]], turn: Turn) -> Letters:
    """The letters of a page's lines and of their words, from blocks as `extractRAWDICT` has them."""
    out: Letters = {}
    for block in blocks:
        for line in block.get("lines", ()):
            whole: list[tuple[str, BBox]] = []
            word: list[tuple[str, BBox]] = []
            boxes: list[BBox] = []
            for span in line["spans"]:
                seen = len(whole)
                for char in span["chars"]:
                    if char["c"].isspace():
                        _put(out, word, [box for _, box in word])
                        word = []
                    else:
                        word.append((char["c"], turn.box(char["bbox"])))
                        whole.append(word[-1])
                if len(whole) > seen:
                    boxes.append(turn.box(span["bbox"]))
            _put(out, word, [box for _, box in word])
            _put(out, whole, boxes)
    return out


def _put(out: Letters, chars: list[tuple[str, BBox]], boxes: list[BBox]) -> None:
    if chars:
        letters = [Letter(c, box[0]) for char, box in chars for c in plain(char)]  # a ligature is several
        out[letters_key("".join(c for c, _ in letters), union(boxes))] = sorted(letters, key=lambda c: c.x)

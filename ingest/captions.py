"""Which caption belongs to which table or figure, and what else names one that has none."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from h3cold.ingest.pieces import Item, sentences
from h3cold.ingest.script import han_count

_TABLE = re.compile(r"\s*(?:table|exhibit|schedule|表|附表)\b|\s*[附续]?表", re.IGNORECASE)
_FIGURE = re.compile(r"\s*(?:fig(?:ure|\.)?|chart|graph)\b|\s*(?:图|圖)", re.IGNORECASE)
_UNITS = re.compile(
    r"单位|币种|人民币|\bin (?:millions|thousands|billions)\b|\b(?:millions|thousands) of\b|%\)|except per[- ]share",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"\s*(?:(?:notes?|sources?)\s*[:.]|(?:附?注|说明|资料来源|数据来源)\s*[:：]|\(\d{1,2}\)\s|\[\d{1,2}\]\s?|[*†‡§]\s?\w)",
    re.IGNORECASE,
)
"""How a note under a table opens."""

NEAR = 24.0
"""Points between a table and its notes, and between these, at most."""

NOTES = 300
"""Letters of notes that go with a table, Han characters counted three times; others are text."""

_SHORT = 160
"""Characters of a line that may name the table below it."""


class Floats(NamedTuple):
    """Captions and notes by the index of their table or figure; `attached` are their own indices."""

    by_owner: dict[int, list[Item]]
    attached: frozenset[int]

    def captions(self, owner: Item) -> tuple[list[Item], list[Item]]:
        """The captions read before and after the owner, with its notes."""
        mine = self.by_owner.get(owner.position, [])
        return [c for c in mine if c.position < owner.position], [c for c in mine if c.position > owner.position]


def attach(items: Sequence[Item], fits: Callable[[Item], bool]) -> Floats:
    """Give each caption to the table or figure next to it that it fits best, and the notes right under a table to
    that; what does not `fits` stays text.
    """
    by_owner: dict[int, list[Item]] = {}
    attached: set[int] = set()
    for i, item in enumerate(items):
        if item.region.kind != "caption" or not fits(item):
            continue
        near = [n for n in (_neighbour(items, i, -1), _neighbour(items, i, 1)) if n is not None]
        free = [n for n in near if n.region.kind == _named(item) or _may_have(by_owner.get(n.position, []), item)]
        best = max(free, key=lambda n: _score(item, n), default=None)
        if best is not None:
            by_owner.setdefault(best.position, []).append(item)
            attached.add(item.position)
    owner, foot, room = None, 0.0, 0
    for item in items:
        text = item.region.text
        if item.region.kind == "table":
            owner, foot, room = item, item.region.bbox[3], NOTES
        elif owner is None or item.position in attached:
            continue
        elif (room := room - len(text) - 2 * han_count(text)) > 0 and _is_note(item, owner, foot) and fits(item):
            by_owner.setdefault(owner.position, []).append(item)
            attached.add(item.position)
            foot = item.region.bbox[3]
        else:
            owner = None
    return Floats(by_owner, frozenset(attached))


def _is_note(item: Item, table: Item, foot: float) -> bool:
    """Whether an item is a note to a table, right below it and what belongs to it, which ends at the height `foot`."""
    region = item.region
    x0, y0, x1, _ = region.bbox
    if item.page != table.page or not -2 < y0 - foot < NEAR or x0 > table.region.bbox[2] or x1 < table.region.bbox[0]:
        return False
    return region.kind == "footnote" or (region.kind in ("text", "list") and _NOTE.match(region.text) is not None)


def _may_have(captions: Sequence[Item], item: Item) -> bool:
    """Whether an owner has no caption yet, or its last is right before this one: a name over the units."""
    return not captions or item.position - captions[-1].position == 1


def _neighbour(items: Sequence[Item], i: int, step: int) -> Item | None:
    j = i + step
    while 0 <= j < len(items) and items[j].region.kind == "caption":
        j += step
    if 0 <= j < len(items) and items[j].region.kind in ("table", "figure") and abs(items[j].page - items[i].page) <= 1:
        return items[j]
    return None


def _named(caption: Item) -> str:
    text = caption.region.text
    return "figure" if _FIGURE.match(text) else "table" if _TABLE.match(text) else ""


def _score(caption: Item, owner: Item) -> tuple[bool, bool, bool, float]:
    """Of the kind the caption names; on its page; where captions of the kind stand (table: above); near."""
    below = owner.position > caption.position
    kind = owner.region.kind
    a, b = caption.region.bbox, owner.region.bbox
    return (
        kind == _named(caption),
        owner.page == caption.page,
        below == (kind == "table"),
        -max(0.0, b[1] - a[3], a[1] - b[3]),
    )


def context(item: Item, section: Sequence[Item], *, units_only: bool = False) -> str:
    """What the text says right before a table, figure or formula: the last sentence, or the line with the units.

    Only text of the same section and page counts; `units_only` leaves out what does not name units.
    """
    before = [i for i in section if i.position < item.position and i.region.kind in ("text", "list", "caption")]
    if not before or item.position - before[-1].position > 2 or item.page != before[-1].page:
        return ""
    text = before[-1].region.text.strip()
    spans = list(sentences(text))
    last = text[spans[-1][0] :].strip() if spans else ""
    if len(last) > _SHORT or (units_only and not _UNITS.search(last)) or before[-1].region.kind == "caption":
        return ""
    return last

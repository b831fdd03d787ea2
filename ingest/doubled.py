"""Text that a page prints twice: a second layer in other pieces, whole or with letters missing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from h3cold.ingest.page_facts import Line, PageFacts, Word
from h3cold.schemas.geometry import BBox, inside, union


def join_doubled(facts: PageFacts) -> int:
    """Put together what was printed twice in other pieces ("The Limes" over "Limes Home"), and drop the defective copy
    of a line that a second layer is; returns how many lines went.
    """
    lines = facts.lines
    at: dict[int, list[int]] = {}
    for i, line in enumerate(lines):
        if line.dir[0] > 0.98:
            at.setdefault(round(line.spans[0].baseline), []).append(i)
    gone: set[int] = set()
    for row in at.values():
        if len(row) < 2:
            continue
        row.sort(key=lambda i: (lines[i].bbox[0], -lines[i].bbox[2]))
        last = row[0]
        for i in row[1:]:
            a, b = lines[last], lines[i]
            if b.bbox[0] >= a.bbox[2] - 1:
                last = i
                continue
            said = _overlaid(a, b)
            if said is None:
                last = i if b.bbox[2] > a.bbox[2] else last
            elif said == "":
                gone.add(i)
            elif said == b.text:
                gone.add(last)
                last = i
            else:
                gone.add(i)
                lines[last] = _said(a, said, union((a.bbox, b.bbox)))
    if gone:
        facts.lines = [line for i, line in enumerate(lines) if i not in gone]
        facts._words = partial(_single, facts.words())
    return len(gone)


def _overlaid(a: Line, b: Line) -> str | None:
    """What two lines over each other say, the first one beginning further left: "" what the first says, the second's
    text what that says, or both put together. None if they are no copies of each other.
    """
    if abs(a.size - b.size) > 0.1 * a.size:
        return None
    mine, other = unspaced(a.text), unspaced(b.text)
    if b.bbox[2] <= a.bbox[2] + 1 and _is_part(other, mine):
        return ""
    if b.bbox[0] <= a.bbox[0] + 1 and _is_part(mine, other):
        return b.text
    one, two = a.text.strip(), b.text.strip()
    if len(a.spans) > 1 or len(b.spans) > 1 or a.spans[0].font != b.spans[0].font or a.bbox[2] - b.bbox[0] < a.size:
        return None
    shared = next((n for n in range(min(len(one), len(two)), 2, -1) if one.endswith(two[:n])), 0)
    return one + two[shared:] if shared else None


def _is_part(short: str, long: str) -> bool:
    """Whether all of a text's characters stand in another one, in their order."""
    rest = iter(long)
    return len(short) <= len(long) and all(c in rest for c in short)


def _said(line: Line, text: str, box: BBox) -> Line:
    return line._replace(text=text, bbox=box, spans=(line.spans[0]._replace(text=text, bbox=box),))


def _single(words: Sequence[Word]) -> list[Word]:
    """Words without those that lie over others and say a part of them."""
    out: list[Word] = []
    last: dict[int, Word] = {}
    for word in sorted(words, key=lambda w: (w.bbox[0], -w.bbox[2], -len(w.text))):
        row = round((word.bbox[1] + word.bbox[3]) / 4)
        near = (last[r] for r in (row, row - 1, row + 1) if r in last)
        if any(inside(word.bbox, w.bbox) > 0.8 and _is_part(word.text, w.text) for w in near):
            continue
        out.append(word)
        last[row] = word
    return out


def unspaced(text: str) -> str:
    if text.isascii() and text.isprintable():  # ten times as fast
        return text.replace(" ", "")
    return "".join(text.split())

"""Text that a page prints twice: a second layer in other pieces, whole or with letters missing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf

from h3cold.ingest.page_facts import Line, PageFacts, Word
from h3cold.ingest.placed import Letter, Letters, letters_key, unspaced
from h3cold.schemas.geometry import BBox, inside, union

NEAR = 0.3
"""How far from each other two prints of a letter stand at most, as a share of its size: shadows are set off."""

APART = 0.75
"""Points between the baselines of two prints of a line: a shadow is a hair lower."""

MOST = 4
"""Lines over each other that the next one is compared with."""


def join_doubled(facts: PageFacts) -> int:
    """Put together what was printed twice in other pieces ("The Limes" over "Limes Home"), and drop the defective copy
    of a line that a second layer is; returns how many lines went.
    """
    lines = facts.lines
    gone: set[int] = set()
    letters: Letters | None = None
    for row in _on_one_line(lines):
        if len(row) < 2:
            continue
        row.sort(key=lambda i: (lines[i].bbox[0], -lines[i].bbox[2]))
        reach: list[int] = []  # lines that go on to where the next one begins
        end = -inf
        for i in row:
            apart, end = lines[i].bbox[0] + 1 >= end, max(end, lines[i].bbox[2])
            if apart:  # as nearly all are
                reach = [i]
                continue
            reach = [k for k in reach if lines[k].bbox[2] > lines[i].bbox[0] + 1][-MOST:]
            for k in reversed(reach):
                if letters is None:
                    letters = facts._letters() if facts._letters else {}
                said = _overlaid(lines[k], lines[i], letters)
                if said is None:
                    continue
                if said == lines[i].text:
                    gone.add(k)
                    reach.remove(k)
                    reach.append(i)
                else:
                    gone.add(i)
                    if said:
                        lines[k] = _said(lines[k], said, union((lines[k].bbox, lines[i].bbox)))
                break
            else:
                reach.append(i)
    if gone:
        facts.lines = [line for i, line in enumerate(lines) if i not in gone]
        facts._words = partial(_single, facts.words(), letters or {})
    return len(gone)


def _on_one_line(lines: Sequence[Line]) -> list[list[int]]:
    """The level lines by their baselines, those less than `APART` from each other together."""
    level = sorted((line.spans[0].baseline, i) for i, line in enumerate(lines) if line.dir[0] > 0.98)
    out: list[list[int]] = []
    last = -inf
    for y, i in level:
        if y - last < APART:
            out[-1].append(i)
        else:
            out.append([i])
        last = y
    return out


def _overlaid(a: Line, b: Line, letters: Letters) -> str | None:
    """What two lines over each other say, the first one beginning further left: "" what the first says, the second's
    text what that says, or both put together. None if they are no copies of each other: text that is printed over the
    blanks or the leaders of a form's line is no copy, whatever that line says elsewhere.
    """
    if abs(a.size - b.size) > 0.1 * a.size:
        return None
    mine, other = letters.get(letters_key(a.text, a.bbox)), letters.get(letters_key(b.text, b.bbox))
    if not mine or not other:
        return None
    near = NEAR * a.size
    if b.bbox[2] <= a.bbox[2] + 1 and _lies_over(other, mine, near):
        return ""
    if b.bbox[0] <= a.bbox[0] + 1 and _lies_over(mine, other, near):
        return b.text
    one, two = a.text.strip(), b.text.strip()
    if len(a.spans) > 1 or len(b.spans) > 1 or a.spans[0].font != b.spans[0].font or a.bbox[2] - b.bbox[0] < a.size:
        return None
    shared = next((n for n in range(min(len(one), len(two)), 1, -1) if one.endswith(two[:n])), 0)
    count = len(unspaced(two[:shared]))
    if not count or not _lies_over(other[:count], mine[-count:], near):
        return None
    said = one + two[shared:]
    letters[letters_key(said, union((a.bbox, b.bbox)))] = [*mine, *other[count:]]
    return said


def _lies_over(short: Sequence[Letter], long: Sequence[Letter], near: float) -> bool:
    """Whether each letter of a text lies over one of another text that is the same, up to `near` points from it."""
    k = 0
    for char, x in short:
        while k < len(long) and (long[k].char != char or long[k].x < x - near):
            k += 1
        if k == len(long) or long[k].x > x + near:
            return False
        k += 1
    return True


def _said(line: Line, text: str, box: BBox) -> Line:
    return line._replace(text=text, bbox=box, spans=(line.spans[0]._replace(text=text, bbox=box),))


def _single(words: Sequence[Word], letters: Letters) -> list[Word]:
    """Words without those that lie over others and say a part of them."""
    out: list[Word] = []
    last: dict[int, Word] = {}
    for word in sorted(words, key=lambda w: (w.bbox[0], -w.bbox[2], -len(w.text))):
        row = round((word.bbox[1] + word.bbox[3]) / 4)
        near = (last[r] for r in (row, row - 1, row + 1) if r in last)
        if any(inside(word.bbox, w.bbox) > 0.8 and _is_copy(word, w, letters) for w in near):
            continue
        out.append(word)
        last[row] = word
    return out


def _is_copy(word: Word, other: Word, letters: Letters) -> bool:
    one, two = letters.get(letters_key(word.text, word.bbox)), letters.get(letters_key(other.text, other.bbox))
    return one is not None and two is not None and _lies_over(one, two, NEAR * (word.bbox[3] - word.bbox[1]))

"""Text that a tagged PDF gives for letters drawn as shapes: MuPDF lays it on one point, without a width.

Its dictionary output leaves such text out, as its box is empty. Here it is read letter by letter and given the box of
the picture that the letters are, or the width that its neighbour on the line, or its length, suggests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from h3cold.ingest.page_facts import Line, PageFacts, Span
from h3cold.ingest.script import count_letters, is_cjk
from h3cold.schemas.geometry import BBox, union

NARROW = 0.15
"""Width of a letter, as a share of its line's height, below which a line counts as collapsed."""


LETTERS = 0.7
"""Size of letters as a share of the height of their picture."""


class _Run(NamedTuple):
    text: str
    x: float
    baseline: float
    size: float
    picture: BBox | None = None


def restore_collapsed(textpage: Any, facts: PageFacts) -> None:
    """Put in what the dictionary output leaves out: text without a width, which tagged PDFs have.

    Pictures that are the letters of such text are pictures no more.
    """
    letters = count_letters("".join([line.text for line in facts.lines]))
    if count_letters(textpage.extractText()) <= letters + 1:
        return
    facts.lines = [ln for ln in facts.lines if ln.dir[0] < 0.7 or not is_collapsed(ln.bbox, len(ln.text))]
    printed = {(ln.text, round(ln.spans[0].baseline)) for ln in facts.lines}
    found, drawn = collapsed_lines(textpage, facts.width, facts.images)
    facts.lines += [ln for ln in found if (ln.text, round(ln.spans[0].baseline)) not in printed]
    facts.images = [box for box in facts.images if box not in drawn]


def is_collapsed(box: tuple[float, float, float, float], length: int) -> bool:
    """Whether a horizontal line's box is far too narrow for so many characters."""
    return length > 2 and box[2] - box[0] < NARROW * (box[3] - box[1]) * length


def collapsed_lines(textpage: Any, page_width: float, pictures: Sequence[BBox] = ()) -> tuple[list[Line], set[BBox]]:
    """The collapsed lines of a text page, pieces of one line put together. Slow: letter by letter.

    Returns with them those of the `pictures` that are their letters.
    """
    from pymupdf import mupdf

    runs: list[_Run] = []
    for block in textpage.this:
        if block.m_internal.type != mupdf.FZ_STEXT_BLOCK_TEXT:
            continue
        for line in block:
            box = line.m_internal.bbox
            runs += _runs(line, (box.x0, box.y0, box.x1, box.y1))
    runs = [_pictured(run, pictures) for run in runs]
    out: list[Line] = []
    group: list[_Run] = []
    for run in [*runs, None]:
        if run is not None and group and abs(run.baseline - group[-1].baseline) < 1 and run.x >= group[-1].x:
            group.append(run)
            continue
        if group:
            out.append(_line(group, page_width, -1 - len(out)))
        group = [] if run is None else [run]
    return out, {run.picture for run in runs if run.picture is not None}


def _pictured(run: _Run, pictures: Sequence[BBox]) -> _Run:
    """A run with the size that its letters have in the picture that begins where it does."""
    for box in pictures:
        if abs(box[0] - run.x) < 1.5 and abs(box[3] - run.baseline) < 1.5 and box[2] - box[0] > box[3] - box[1] > 4:
            return run._replace(size=LETTERS * (box[3] - box[1]), picture=box)
    return run


def _runs(line: Any, box: tuple[float, float, float, float]) -> list[_Run]:
    first = char = line.m_internal.first_char  # the iterator over a line takes ten times as long
    length = 0
    while char:
        length += 1
        char = char.next
    if not is_collapsed(box, length):
        return []
    chars = []
    char = first
    while char:
        chars.append((chr(char.c), char.origin.x, char.origin.y))
        char = char.next
    height = box[3] - box[1]
    out: list[_Run] = []
    for char, x, y in chars:
        if out and abs(out[-1].baseline - y) < 1:
            out[-1] = out[-1]._replace(text=out[-1].text + char)
        else:
            out.append(_Run(char, x, y, 0.0))
    return [run._replace(size=max(6.0, 0.85 * height / len(out))) for run in out]


def _line(runs: list[_Run], page_width: float, block: int) -> Line:
    text = runs[0].text
    for run in runs[1:]:
        text += ("" if _is_one_word(text, run.text) else " ") + run.text
    size = min(r.size for r in runs)
    base = runs[0].baseline
    drawn = [r.picture for r in runs if r.picture is not None]
    if len(drawn) == len(runs):
        box = union(drawn)
        base -= 0.25 * size  # the text lies at the picture's foot
    else:
        end = min(page_width, runs[-1].x + 0.5 * size * len(runs[-1].text.strip()))
        box = (runs[0].x, base - 0.9 * size, max(end, runs[0].x + 1), base + 0.25 * size)
    span = Span(text, box, "", size, False, False, False, 0, base)
    return Line(text, box, (span,), (1.0, 0.0), block)


def _is_one_word(before: str, after: str) -> bool:
    """Whether a word, or what belongs to it, goes on from one picture to the next: pieces of one letter tell it."""
    if not before or not after or before[-1].isspace() or after[0].isspace() or is_cjk(before[-1]):
        return True
    last, first = before.split()[-1], after.split()[0]
    letters = [c for c in first if c.isalpha()]
    scrap = len(letters) == 1 and first[0] not in "aAI"
    return not (first[0].isalnum() or first[0] in "(\"‘“'&") or scrap or (len(last) == 1 and last not in "aA&")

"""Text that a tagged PDF gives for letters drawn as shapes: MuPDF lays it on one point, without a width.

Its dictionary output leaves such text out, as its box is empty. Here it is read letter by letter and given the
width that its neighbour on the line, or its length, suggests.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from h3cold.ingest.page_facts import Line, Span

NARROW = 0.15
"""Width of a letter, as a share of its line's height, below which a line counts as collapsed."""


class _Run(NamedTuple):
    text: str
    x: float
    baseline: float
    size: float


def is_collapsed(box: tuple[float, float, float, float], length: int) -> bool:
    """Whether a horizontal line's box is far too narrow for so many characters."""
    return length > 2 and box[2] - box[0] < NARROW * (box[3] - box[1]) * length


def collapsed_lines(textpage: Any, page_width: float) -> list[Line]:
    """The collapsed lines of a text page, pieces of one line put together. Slow: letter by letter."""
    from pymupdf import mupdf

    runs: list[_Run] = []
    for block in textpage.this:
        if block.m_internal.type != mupdf.FZ_STEXT_BLOCK_TEXT:
            continue
        for line in block:
            box = line.m_internal.bbox
            runs += _runs(line, (box.x0, box.y0, box.x1, box.y1))
    out: list[Line] = []
    group: list[_Run] = []
    for run in [*runs, None]:
        if run is not None and group and abs(run.baseline - group[-1].baseline) < 1 and run.x >= group[-1].x:
            group.append(run)
            continue
        if group:
            out.append(_line(group, page_width, -1 - len(out)))
        group = [] if run is None else [run]
    return out


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
    text = "".join(r.text for r in runs)
    size = min(r.size for r in runs)
    end = min(page_width, runs[-1].x + 0.5 * size * len(runs[-1].text.strip()))
    base = runs[0].baseline
    box = (runs[0].x, base - 0.9 * size, max(end, runs[0].x + 1), base + 0.25 * size)
    span = Span(text, box, "", size, False, False, False, 0, base)
    return Line(text, box, (span,), (1.0, 0.0), block)

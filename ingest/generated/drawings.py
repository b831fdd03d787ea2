"""Bar charts, diagrams and display formulas, drawn as vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from h3cold.ingest.generated.lettering import Style, width
from h3cold.ingest.generated.truth import TruthRegion
from h3cold.ingest.generated.typeset import Sheet

BLUE = (0.16, 0.36, 0.58)
ORANGE = (0.86, 0.5, 0.2)
GREY = (0.45, 0.45, 0.45)


def bar_chart(
    sheet: Sheet,
    *,
    groups: Sequence[str],
    series: Sequence[tuple[str, Sequence[float]]],
    unit: str,
    caption: str,
    height: float = 170.0,
) -> None:
    """Grouped bars with their values, a legend, and the caption below."""
    style = sheet.book.small
    cap = sheet.book.table_head
    sheet.space(6)
    sheet.need(height + 2 * cap.leading)
    top, left, right = sheet.y, sheet.x0 + 10, sheet.x1 - 10
    base = top + height - 20
    words = [unit]
    sheet.pen.draw(left, top + 9, unit, style)
    peak = max(v for _, values in series for v in values)
    for tick in range(1, 5):
        y = base - (base - top - 34) * tick / 4
        sheet.pen.line((left, y), (right, y), thick=0.3, color=(0.8, 0.8, 0.8))
    slot = (right - left) / len(groups)
    bar = slot * 0.7 / len(series)
    for s, (_, values) in enumerate(series):
        for g, value in enumerate(values):
            x = left + slot * g + slot * 0.15 + bar * s
            y = base - (base - top - 34) * value / peak
            sheet.pen.box((x, y, x + bar - 2, base), color=None, fill=(BLUE, ORANGE)[s % 2])
            label = f"{value:.1f}"
            words.append(label)
            sheet.pen.draw(x + (bar - 2 - width(label, style)) / 2, y - 3, label, style)
    sheet.pen.line((left, base), (right, base), thick=1, color=GREY)
    for g, name in enumerate(groups):
        sheet.pen.draw(left + slot * (g + 0.5) - width(name, style) / 2, base + 12, name, style)
        words.append(name)
    x = right
    for s, (name, _) in reversed(list(enumerate(series))):
        x -= width(name, style) + 18
        sheet.pen.box((x, top + 2, x + 8, top + 10), color=None, fill=(BLUE, ORANGE)[s % 2])
        sheet.pen.draw(x + 11, top + 9, name, style)
        words.append(name)
    sheet.y = top + height
    sheet.add(TruthRegion("figure", "\n".join(words), (sheet.x0, top, sheet.x1, sheet.y)))
    sheet.text(caption, style=cap, kind="caption")


def boxes_diagram(sheet: Sheet, names: Sequence[str], *, caption: str, height: float = 70.0) -> None:
    """Boxes from left to right with arrows between them, and the caption below."""
    style, cap = sheet.book.small, sheet.book.small
    sheet.space(4)
    sheet.need(height + 2 * cap.leading)
    top = sheet.y
    slot = sheet.room / len(names)
    middle = top + height / 2
    for i, name in enumerate(names):
        x0, x1 = sheet.x0 + slot * i + 5, sheet.x0 + slot * (i + 1) - 13
        sheet.pen.box((x0, top + 12, x1, top + height - 12), thick=0.8, color=BLUE, radius=0.15)
        lines = name.split("\n")
        for j, line in enumerate(lines):
            y = middle + (j - (len(lines) - 1) / 2) * style.leading + 0.35 * style.size
            sheet.pen.draw((x0 + x1 - width(line, style)) / 2, y, line, style)
        if i + 1 < len(names):
            sheet.pen.line((x1, middle), (x1 + 14, middle), thick=0.8, color=GREY)
            tip = [(x1 + 18, middle), (x1 + 12, middle - 3), (x1 + 12, middle + 3)]
            sheet.pen.polygon(tip, fill=GREY)
    sheet.y = top + height
    words = "\n".join(line for name in names for line in name.split("\n"))
    sheet.add(TruthRegion("figure", words, (sheet.x0, top, sheet.x1, sheet.y)))
    sheet.text(caption, style=cap, kind="caption")


class Run(NamedTuple):
    """A piece of a formula: `rise` lifts it, in points; `scale` sizes it."""

    text: str
    font: str = "tiit"
    rise: float = 0.0
    scale: float = 1.0


class Fraction(NamedTuple):
    """One run list over another."""

    above: Sequence[Run]
    below: Sequence[Run]


def display_formula(sheet: Sheet, parts: Sequence[Run | Fraction], number: str) -> None:
    """A centred formula with its number at the right edge of the column."""
    size = sheet.book.body.size + 0.5
    tall = any(isinstance(p, Fraction) for p in parts)
    height = size * (3.2 if tall else 2.0)
    sheet.need(height + 4)
    top = sheet.y
    base = top + height / 2 + 0.35 * size
    total = sum(_wide(p, size) for p in parts)
    x = sheet.x0 + (sheet.room - total - 20) / 2
    words = []
    for part in parts:
        wide = _wide(part, size)
        if isinstance(part, Fraction):
            _runs(sheet, part.above, x + (wide - _runs_wide(part.above, size)) / 2, base - 0.75 * size, size)
            _runs(sheet, part.below, x + (wide - _runs_wide(part.below, size)) / 2, base + 0.75 * size, size)
            y = base - 0.3 * size
            sheet.pen.line((x + 1, y), (x + wide - 1, y), thick=0.6)
            words.append(
                "(" + "".join(r.text for r in part.above) + ") / (" + "".join(r.text for r in part.below) + ")"
            )
        else:
            _runs(sheet, [part], x, base, size)
            words.append(part.text)
        x += wide
    label = f"({number})"
    style = sheet.book.body
    sheet.pen.draw(sheet.x1 - width(label, style), base, label, style)
    sheet.y = top + height
    text = "".join(words).strip() + f" {label}"
    sheet.add(TruthRegion("formula", text, (sheet.x0, top, sheet.x1, sheet.y)))
    sheet.space(4)


def _style(run: Run, size: float) -> Style:
    return Style(run.font, size * run.scale, 0.0)


def _runs_wide(runs: Sequence[Run], size: float) -> float:
    return sum(width(r.text, _style(r, size)) for r in runs)


def _wide(part: Run | Fraction, size: float) -> float:
    if isinstance(part, Run):
        return width(part.text, _style(part, size))
    return max(_runs_wide(part.above, size), _runs_wide(part.below, size)) + 6


def _runs(sheet: Sheet, runs: Sequence[Run], x: float, base: float, size: float) -> None:
    for run in runs:
        style = _style(run, size)
        sheet.pen.draw(x, base - run.rise, run.text, style)
        x += width(run.text, style)

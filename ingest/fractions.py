"""Fractions as they are set: a bar with spans above and below it; and the text of a formula that has them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from h3cold.ingest.lines import make_rows
from h3cold.ingest.page_facts import Line, PageFacts, Span
from h3cold.schemas.geometry import BBox, union

LONGEST = 300.0
"""Points up to which a rule can be the bar of a fraction."""

MAX_RULES = 400
"""Rules beyond which a page's are not looked at: it is full of tables or line art."""

_Place = tuple[int, int]


class Fraction(NamedTuple):
    """The bar, what stands above and below it, and beside it on the same line: (line, span) indices each."""

    bar: BBox
    above: tuple[_Place, ...]
    below: tuple[_Place, ...]
    beside: tuple[_Place, ...]

    @property
    def lines(self) -> set[int]:
        """Indices of the lines that hold a piece of it."""
        return {i for i, _ in (*self.above, *self.below, *self.beside)}


def find_fractions(facts: PageFacts, lines: Collection[int], about: Collection[int] = ()) -> list[Fraction]:
    """Fractions among the horizontal `lines` (indices into `facts.lines`), each within one line of a formula.

    Where it is told which lines they are `about`, those that none of these can be a piece of are left out.
    """
    if len(facts.rules) > MAX_RULES:
        return []
    bars = {(round(r.x0, 1), round(r.y0, 1), round(r.x1, 1), round(r.y0, 1)) for r in facts.rules
            if r.horizontal and 4 < r.x1 - r.x0 < LONGEST}  # fmt: skip
    out = []
    reaches = [(i, facts.lines[i].bbox[1] - 15, facts.lines[i].bbox[3] + 15) for i in lines] if bars else []
    asked = [(top, foot) for i, top, foot in reaches if not about or i in about]
    for bar in sorted(bars):
        if not any(top < bar[1] < foot for top, foot in asked):
            continue
        near = [i for i, top, foot in reaches if top < bar[1] < foot]
        spans = {(i, k): s for i in near for k, s in enumerate(facts.lines[i].spans)}
        above, below = _stacked(spans, bar, up=True), _stacked(spans, bar, up=False)
        if above and below:
            beside = _beside({p: s for p, s in spans.items() if p not in above and p not in below}, bar)
            if beside:
                out.append(Fraction(bar, tuple(above), tuple(below), tuple(beside)))
    return out


def _stacked(spans: dict[_Place, Span], bar: BBox, *, up: bool) -> list[_Place]:
    """Spans right above (below) a bar that keep to its width."""
    x0, y, x1, _ = bar
    out = []
    for place, s in spans.items():
        foot = y - s.baseline
        near = 0 < foot < 0.9 * s.size if up else 0 < s.baseline - y < 1.6 * s.size and s.bbox[3] - y > 0.8 * s.size
        if near and s.bbox[0] > x0 - 3 and s.bbox[2] < x1 + 3 and s.text.strip():
            out.append(place)
    return out


def _beside(spans: dict[_Place, Span], bar: BBox) -> list[_Place]:
    """Spans that the bar's height runs through, one after another from its ends outwards."""
    x0, y, x1, _ = bar
    on = {p: s for p, s in spans.items() if s.bbox[1] + 1 < y < s.baseline and s.baseline - y < s.size}
    out: list[_Place] = []
    while True:
        more = [
            p for p, s in on.items() if p not in out and (-2 < x0 - s.bbox[2] < s.size or -2 < s.bbox[0] - x1 < s.size)
        ]
        if not more:
            return out
        out += more
        x0, x1 = min(x0, *(on[p].bbox[0] for p in more)), max(x1, *(on[p].bbox[2] for p in more))


def formula_text(facts: PageFacts, lines: Collection[int]) -> str:
    """A formula's text in reading order, a fraction as "(numerator) / (denominator)"."""
    fractions = find_fractions(facts, lines)
    used = {p for f in fractions for p in (*f.above, *f.below)}
    rest = [(i, k) for i in lines for k in range(len(facts.lines[i].spans)) if (i, k) not in used]
    level = all(any(_on_line(facts.lines[i].spans[k], f.bar) for f in fractions) for i, k in rest)
    if not fractions or not level or len(used) < sum(len(f.above) + len(f.below) for f in fractions):
        return _text(facts, [(i, k) for i in lines for k in range(len(facts.lines[i].spans))])
    fractions.sort(key=lambda f: f.bar)
    out: list[str] = []
    for n, f in enumerate(fractions):
        start = fractions[n - 1].bar[2] if n else float("-inf")
        out.append(_text(facts, [p for p in rest if start <= _middle(facts, p) < f.bar[0]]))
        out.append(f"({_text(facts, f.above)}) / ({_text(facts, f.below)})")
    out.append(_text(facts, [p for p in rest if _middle(facts, p) >= fractions[-1].bar[0]]))
    return " ".join(text for text in out if text)


def _on_line(span: Span, bar: BBox) -> bool:
    return span.bbox[1] - 4 < bar[1] < span.bbox[3] + 4


def _middle(facts: PageFacts, place: _Place) -> float:
    box = facts.lines[place[0]].spans[place[1]].bbox
    return (box[0] + box[2]) / 2


def _text(facts: PageFacts, places: Sequence[_Place]) -> str:
    """Spans read as lines of the page are."""
    pieces: list[Line] = []
    for i in sorted({i for i, _ in places}):
        spans = tuple(facts.lines[i].spans[k] for j, k in sorted(places) if j == i)
        text = "".join(s.text for s in spans)
        if text.strip():
            pieces.append(facts.lines[i]._replace(text=text, bbox=union(s.bbox for s in spans), spans=spans))
    return " ".join(row.text for row in make_rows(pieces))

"""From raw text lines to clean rows: what is no text of the page goes, pieces on one baseline come together."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from h3cold.ingest.doubled import join_doubled
from h3cold.ingest.page_facts import Line, PageFacts, Span
from h3cold.ingest.placed import unspaced
from h3cold.ingest.script import is_cjk, join_pieces, tidy
from h3cold.schemas.geometry import BBox, inside, union

_PUNCTUATION_BULLETS = "•‣⁃‰"
_LEADERS = re.compile(r"(?:[.·…]\s?){4,}")
"""Dots that lead to a page's number, in a piece of their own."""

_WORD_END = re.compile(r"(?:\w\w|\W)\s*$")
_SUPERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


LONG = 16
"""Pieces of a row beyond which a further one is compared with what they have in common."""


class _Extent(NamedTuple):
    """Of the first `pieces` of a row: the right edge, lowest top and highest foot, heights and baselines."""

    pieces: int
    right: float
    top: float
    foot: float
    low: float
    high: float
    first: float
    last: float


class Row(NamedTuple):
    """One visual line of a column. `size` in points, of its longest run; `bold` is true where most of it is bold.

    `baseline` is the y its letters stand on; `lead` tells that it opens with a bold run that ends within the row,
    `mark` that it opens with one sign in a font of its own or set off by a gap: a bullet, whatever it decodes to.
    """

    text: str
    bbox: BBox
    size: float
    bold: bool
    italic: bool
    font: str
    color: int
    baseline: float
    lead: bool
    mark: bool
    confidence: float | None


def drop_outside(facts: PageFacts) -> int:
    """Remove lines whose centre is outside the page; returns how many they were."""
    width, height = facts.width, facts.height
    kept = []
    for line in facts.lines:
        x0, y0, x1, y1 = line.bbox
        if -1 <= x0 + x1 <= 2 * width + 1 and -1 <= y0 + y1 <= 2 * height + 1:
            kept.append(line)
    dropped = len(facts.lines) - len(kept)
    facts.lines = kept
    return dropped


def drop_hidden(facts: PageFacts) -> int:
    """Remove unpainted text that lies on no picture (it is no OCR layer); returns how many lines that were.

    Such text is not for the page's readers: it is left over, or meant for machines only.
    """
    if not any(line.hidden for line in facts.lines) or all(line.hidden for line in facts.lines):
        return 0
    pictures = [*facts.images, *facts.art]
    kept = [ln for ln in facts.lines if not ln.hidden or any(inside(ln.bbox, p) > 0.5 for p in pictures)]
    dropped = len(facts.lines) - len(kept)
    facts.lines = kept
    return dropped


def drop_duplicates(facts: PageFacts) -> int:
    """Remove a line that is printed again over itself (shadows, doubled text layers); returns how many."""
    pieces = join_doubled(facts)
    lines = facts.lines
    same: dict[str, list[int]] = {}
    for i, line in enumerate(lines):
        same.setdefault(unspaced(line.text), []).append(i)
    if len(same) == len(lines):
        return pieces
    dropped: set[int] = set()
    for twins in same.values():
        if len(twins) > 1:
            dropped.update(_printed_again(lines, twins))
    if dropped:
        facts.lines = [line for i, line in enumerate(lines) if i not in dropped]
    return len(dropped) + pieces


def _printed_again(lines: Sequence[Line], twins: Sequence[int]) -> list[int]:
    """Of lines that say the same (indices) those that lie over another one of them, hidden ones over any."""
    twins = sorted(twins, key=lambda i: lines[i].hidden)
    boxes = [lines[i].bbox for i in twins]
    slacks = [0.5 * min(y1 - y0, x1 - x0) for x0, y0, x1, y1 in boxes]
    many = len(twins) > LONG  # thousands may be alike: what is near enough lies in the same cell then, or the next
    cell = max(*slacks, 0.01)
    seen: dict[tuple[int, int], list[BBox]] = {(0, 0): []}
    out = []
    for i, box, slack in zip(twins, boxes, slacks, strict=True):
        x, y = box[0], box[1]
        across, down = (int(x // cell), int(y // cell)) if many else (0, 0)
        near = seen[0, 0] if not many else [
            b for a in (-1, 0, 1) for d in (-1, 0, 1) for b in seen.get((across + a, down + d), ())
        ]  # fmt: skip
        if any(abs(x - b[0]) < slack and abs(y - b[1]) < slack for b in near):
            out.append(i)
        else:
            seen.setdefault((across, down), []).append(box)
    return out


def line_text(line: Line) -> str:
    """A line's text, with raised digits told apart from what they follow: `sales[1]`, `10⁶`."""
    printed = line.confidence is None and not line.hidden
    if len(line.spans) == 1 or not any(s.superscript for s in line.spans):
        return tidy(line.text, printed=printed)
    parts: list[str] = []
    for i, span in enumerate(line.spans):
        text = span.text
        mark = text.strip()
        before = parts[-1].rstrip()[-1:] if parts else ""
        if _raised(line.spans, i) and before and mark.isascii() and mark.replace(",", "").isdigit():
            blank = text[len(text.rstrip()) :]
            power = before.isdigit() or not _WORD_END.search(parts[-1])
            parts.append((mark.translate(_SUPERS) if power else f"[{mark}]") + blank)
        elif i == 0 and _raised(line.spans, i) and mark.isdigit():
            parts.append(f"[{mark}] ")  # the mark that a footnote opens with
        else:
            parts.append(text)
    return tidy("".join(parts), printed=printed)


def _raised(spans: Sequence[Span], i: int) -> bool:
    near = spans[i - 1] if i else (spans[i + 1] if len(spans) > 1 else spans[i])
    return spans[i].superscript and spans[i].size < 0.85 * near.size


def make_row(pieces: Sequence[Line]) -> Row | None:
    """The pieces of one visual line, in reading order, as a row; None where nothing but blanks or a ruling is left."""
    texts = [t for t in _piece_texts(pieces) if t]
    if len(texts) > 2 and texts.count(".") > 2:
        texts = _without_dots(texts)
    if not texts or (len(texts) == 1 and len(texts[0]) > 4 and not texts[0].strip("_-–—=.·*~ ")):  # a rule in letters
        return None
    spans = pieces[0].spans if len(pieces) == 1 else [s for p in pieces for s in p.spans]
    total = bold = italic = 0
    largest = 0.0
    main = spans[0]
    if len(spans) == 1:
        total = len(main.text)
        bold, italic, largest = total * main.bold, total * main.italic, max(0.0, main.size)
    else:
        for span in spans:
            n = len(span.text)
            total += n
            bold += n * span.bold
            italic += n * span.italic
            largest = max(largest, span.size)
            if n > len(main.text):
                main = span
    scores = [p.confidence for p in pieces if p.confidence is not None]
    text = join_pieces(texts)
    return tuple.__new__(Row, (
        text,
        pieces[0].bbox if len(pieces) == 1 else union(p.bbox for p in pieces),
        largest if largest > main.size and text.isupper() else main.size,  # small capitals count as large ones
        bold * 3 >= total * 2,
        italic * 3 >= total * 2,
        main.font,
        main.color,
        main.baseline,
        spans[0].bold and bold * 3 < total * 2 and len(spans[0].text.strip()) > 1,
        _has_mark(pieces, spans),
        sum(scores) / len(scores) if scores else None,
    ))  # fmt: skip


def _without_dots(texts: Sequence[str]) -> list[str]:
    """Pieces without the dots that lead from one to the next, each set by itself, but for one sign."""
    out: list[str] = []
    for text in texts:
        if text != ".":
            out.append(text)
        elif out and out[-1] != "…":
            out.append("…")
    return out[:-1] if out and out[-1] == "…" else out


def _has_mark(pieces: Sequence[Line], spans: Sequence[Span]) -> bool:
    sign = pieces[0].text.strip() if len(pieces) > 1 else spans[0].text.strip()
    if (
        len(sign) != 1
        or sign.isalnum()
        or unicodedata.category(sign) == "Sm"
        or unicodedata.category(sign)[0] in "MPZ"
        or sign in "$€£¥+=~<>|^`"
    ):
        return sign in _PUNCTUATION_BULLETS if len(sign) == 1 else False
    if len(pieces) > 1:
        return pieces[1].bbox[0] - pieces[0].bbox[2] > 0.2 * pieces[1].size
    return len(spans) > 1 and spans[1].font != spans[0].font


def _piece_texts(pieces: Sequence[Line]) -> list[str]:
    """Texts of the pieces; one that touches the piece before (a raised mark, a drop cap) is glued to it."""
    if len(pieces) == 1:
        return [line_text(pieces[0])]
    texts: list[str] = []
    for i, piece in enumerate(pieces):
        text = line_text(piece)
        if not text and texts and i + 1 < len(pieces) and _LEADERS.fullmatch(piece.text.strip()):
            text = "…"
        if i and texts and text:
            gap = piece.bbox[0] - pieces[i - 1].bbox[2]
            small = piece.size < 0.85 * pieces[i - 1].size and piece.bbox[3] < pieces[i - 1].bbox[3] - 1
            if gap < 0.15 * piece.size or (is_cjk(text[0]) and is_cjk(texts[-1][-1]) and gap < 0.6 * piece.size):
                mark = f"[{text}]" if small and text.isdigit() and not texts[-1][-1].isdigit() else text
                texts[-1] += mark
                continue
        texts.append(text)
    return texts


def make_rows(lines: Sequence[Line], *, rtl: bool = False) -> list[Row]:
    """The lines of one column as rows, top to bottom; pieces on one baseline become one row."""
    return rows_of_groups(group_lines(lines, rtl=rtl))


def group_lines(lines: Sequence[Line], *, rtl: bool = False) -> list[list[Line]]:
    """The lines of one column by visual lines, top to bottom; the pieces of each in reading order."""
    todo = sorted(lines, key=lambda ln: (ln.bbox[1] + ln.bbox[3], ln.bbox[0]))
    groups: list[list[Line]] = []
    extents: dict[int, _Extent] = {}
    for line in todo:
        top = line.bbox[1]
        for group in groups[:-4:-1]:
            if top > group[0].bbox[3]:
                continue  # right below, as most lines are
            if (len(group) > LONG and _goes_on(line, group, extents)) or all(_same_row(line, o) for o in group):
                group.append(line)
                break
        else:
            groups.append([line])
    for group in groups:
        if len(group) > 1:
            group.sort(key=lambda ln: -ln.bbox[2] if rtl else ln.bbox[0])
    return groups


def _goes_on(line: Line, group: Sequence[Line], extents: dict[int, _Extent]) -> bool:
    """Whether a line is right of all of a long row and so level with it that `_same_row` holds for each piece: no look
    at thousands of them. `extents` keeps what was found of each row.
    """
    count, right, top, foot, low, high, first, last = extents.get(
        id(group), _Extent(0, -inf, -inf, inf, inf, 0.1, inf, -inf)
    )
    for other in group[count:]:
        _, y0, x1, y1 = other.bbox
        base = other.spans[0].baseline
        right, top, foot, low, high = max(right, x1), max(top, y0), min(foot, y1), min(low, y1 - y0), max(high, y1 - y0)
        first, last = min(first, base), max(last, base)
    extents[id(group)] = _Extent(len(group), right, top, foot, low, high, first, last)
    x0, y0, _, y1 = line.bbox
    base, height = line.spans[0].baseline, y1 - y0
    level = max(base - first, last - base) < 0.35 * min(low, height) and min(low, height) > 0.8 * max(high, height)
    return level and x0 >= right and min(y1, foot) - max(y0, top) >= 0.5 * height


def rows_of_groups(groups: Sequence[Sequence[Line]]) -> list[Row]:
    """Each visual line of `group_lines` that is more than blanks or a ruling as a row."""
    rows = [row for row in map(make_row, groups) if row is not None]
    if len(rows) > 1 and any(len(group) > 1 for group in groups):
        rows.sort(key=lambda r: r.bbox[1] + r.bbox[3])
    return rows


def _same_row(a: Line, b: Line) -> bool:
    (ax0, ay0, ax1, ay1), (bx0, by0, bx1, by1) = a.bbox, b.bbox
    shared = min(ay1, by1) - max(ay0, by0)
    ha, hb = ay1 - ay0, by1 - by0
    if shared < 0.5 * min(ha, hb):
        return False
    if min(ax1, bx1) - max(ax0, bx0) > 0.3 * min(ha, hb):
        return False
    ratio = min(ha, hb) / max(ha, hb, 0.1)
    off = abs(a.spans[0].baseline - b.spans[0].baseline)
    if ratio > 0.8:
        return off < 0.35 * min(ha, hb)
    if a.confidence is not None and b.confidence is not None:
        return shared >= 0.7 * min(ha, hb)  # OCR's boxes are as high as their letters: an item's "e." is low
    gap = max(ax0, bx0) - min(ax1, bx1)  # a raised or lowered mark stands close to its word
    return off < 0.6 * max(ha, hb) and gap < 1.5 * max(ha, hb)

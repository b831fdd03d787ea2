"""Rows of one column put together to paragraphs, list items and headings-to-be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from h3cold.ingest.amid import ENDS, closes, dash_amid, opened_in_last
from h3cold.ingest.lines import Row
from h3cold.ingest.numbering import scheme
from h3cold.ingest.script import is_cjk, join_lines
from h3cold.schemas.geometry import BBox, union

BULLETS = "•●▪■◦‣⁃∙·○◆◇❖➢➤►▶✓✔✗✘□▫★☆\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf0a8\uf06e\uf071\ufffd"
BULLET = re.compile(rf"(?:[{BULLETS}]|[-–—*o§‰](?=\s))\s*(?=\S|$)")
NUMBERED = re.compile(
    r"(?!\(\d{3}\)\s*\d{3,4}[-–.\s]{1,3}\d{3,4}(?!\d))(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]\s|\[\d{1,3}\]\s+(?=[A-Z\u4e00-\u9fff])|[（(](?:\d{1,2}|[a-z]|[一二三四五六七八九十]{1,3})[)）]|"
    r"\d{1,2}[、．）]|[①-⑳]|[一二三四五六七八九十]{1,3}、)"
)
_BOX = "[□☐☑☒■√✓✔✗✘×]"
CHOICES = re.compile(rf"(?:{_BOX}\s?[^□☐☑☒■√✓✔✗✘×。；;]{{1,24}}){{2,}}$")
"""A form's choices on one line, each behind its box: `□适用 √不适用`."""

CHECKED = re.compile(r"[☐☑☒]|[□√✔✓✗✘](?=\s*(?:(?:不?适用|[是否有无])|(?:Yes|No)\b))")
"""How a line opens with a box of a form, which tells something: it is no bullet."""

_BOXES = "☐☑☒√"
BOXED = re.compile(r"[☐☑☒]\s*\S|√\s?[^\W\d_]{2}")
"""How a line opens with a box that only forms have."""

OPPOSED = ("✓✔✗✘√×■□☐☑☒", "▪▫", "●○", "◆◇", "★☆")
"""Marks that say yes or no where two of a kind stand in one list: its items' values, no bullets."""

CLAUSE = re.compile(
    r"第[一二三四五六七八九十百零〇\d]{1,6}[编篇部章节条]|\d{1,2}(?:\.\d{1,2}){1,3}\.?\s|(?i:section|article)\s+[\dIVX]+\b"
)
"""How a clause or section opens that is no item of a list."""

SHORT_CLAUSE = re.compile(
    r"第[一二三四五六七八九十百零〇\d]{1,6}(?:[章节条]\s|[章节](?=[\u4e00-\u9fff]))[^。；，:：]{1,20}(?<![.。;；,，])"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\.?\s?(?![万亿元个百千倍米吨年月日多余至])[\u4e00-\u9fff][^。；，:：、]{1,20}(?<![.。;；,，])"
)
"""A Chinese chapter, section or article that has a line and a name of its own; OCR leaves out the blank between."""

CAPTION = re.compile(
    r"(?:(?:Figure|FIGURE|Fig\.|FIG\.|Table|TABLE|Chart|CHART|Exhibit|Graph|Box|Scheme|Listing|Example(?=\s\d+[-.–]\d)|Plate|Abbildung|Tabelle)"
    r"\s*(?:[A-Z]\.?-?)?\d+(?:[.\-–]\d+)*|(?:图表|图|表|附图|附表)\s*[\dA-Z一二三四五六七八九十]+(?:[.\-–—]\d+)*)"
    r"(?=[\s:.：．、|—–-]|[\u4e00-\u9fff]|$)"
)
"""How a caption opens: with its number."""

_REFERS = re.compile(
    r"\s+(?:shows?|presents?|lists?|gives?|summari[sz]es?|contains?|provides?|illustrates?|is|are|was|were|has|and)\b"
)

_PART = re.compile(r"(?i:part)\s+(?:[IVX]{1,4}|\d{1,2})\.?")

LABELLED = re.compile(r"[^：。，；]{1,14}：\S")
"""A Chinese row that gives a value with its name; where it ends short and another follows, each is its own line."""

LEADER = re.compile(r"\s…\s*[\divxlIVXL-]{1,7}$")
"""How an entry of a table of contents ends: with dots that lead to a page's number (see `script.tidy`)."""

_UNITS = re.compile(r"^[^。]{2,40}[(（][^()（）]*(?:单位|币种)[^()（）]*[)）]$")
"""A line of Chinese that ends in what the figures below it are counted in."""


@dataclass(slots=True)
class Paragraph:
    """Consecutive rows of one column. `indent` is how far (points) its first row starts right of the column.

    `above` is the free height over it in points (large for the first of a column); `width` the column's. `answered`
    tells that it is a form's question with the answer beside it.
    """

    rows: list[Row]
    column: BBox
    above: float
    answered: bool = False

    @property
    def bbox(self) -> BBox:
        rows = self.rows
        return rows[0].bbox if len(rows) == 1 else union([r.bbox for r in rows])

    @property
    def size(self) -> float:
        """Font size of the longest row, in points."""
        rows = self.rows
        return rows[0].size if len(rows) == 1 else max(rows, key=lambda r: len(r.text)).size

    @property
    def bold(self) -> bool:
        return all(r.bold for r in self.rows)

    @property
    def centred(self) -> bool:
        """Whether every row stands in the middle of a column that is much wider."""
        middle, width = self.column[0] + self.column[2], self.column[2] - self.column[0]
        return all(
            abs(r.bbox[0] + r.bbox[2] - middle) < 2 * r.size and r.bbox[0] - self.column[0] > 0.08 * width
            for r in self.rows
        )

    @property
    def confidence(self) -> float | None:
        """OCR's mean confidence weighted by length, None for born-digital text."""
        scored = [(r.confidence, len(r.text)) for r in self.rows if r.confidence is not None]
        return sum(c * n for c, n in scored) / sum(n for _, n in scored) if scored else None

    def text(self, known: Collection[str] = ()) -> str:
        if len(self.rows) == 1:
            return self.rows[0].text.replace("\u00ad", "")
        if self.answered:
            at = next((i for i, r in enumerate(self.rows) if r.bbox[0] > self.rows[0].bbox[2]), 0)
            asked = self.rows[at - 1].text[-1] if at else ""
            if asked.isalnum() and not is_cjk(asked):  # a name in Latin letters, and what it stands for
                parts = (self.rows[:at], self.rows[at:])
                return " ".join(join_lines([r.text for r in part], known=known) for part in parts)
        return join_lines([r.text for r in self.rows], known=known)


def paragraphs(rows: Sequence[Row], *, own: Collection[int] = ()) -> list[Paragraph]:
    """Group the rows of one column (top to bottom); those in `own` (indices) open a paragraph in any case."""
    if not rows:
        return []
    column = union(r.bbox for r in rows)
    pitch = _pitch(rows)
    left = _usual_left(rows)
    out = [Paragraph([rows[0]], column, column[3])]
    for i, (before, row) in enumerate(pairwise(rows), 1):
        rows_so_far = out[-1].rows
        if i in own or _breaks(rows_so_far, before, row, pitch, left, column):
            amid = len(rows_so_far) > 1 and not any(map(_opens_item, [*rows_so_far[-2:], row]))
            if amid and i not in own and opened_in_last(rows_so_far, row, left, column[2]):
                opening = rows_so_far.pop()
                free = opening.bbox[1] - rows_so_far[-1].bbox[3]
                out.append(Paragraph([opening, row], column, free))
                continue
            out.append(Paragraph([row], column, row.bbox[1] - before.bbox[3]))
        else:
            out[-1].rows.append(row)
    return out


def _pitch(rows: Sequence[Row]) -> float:
    """Usual distance of baselines as a multiple of the font size."""
    steps: Counter[float] = Counter()
    for a, b in pairwise(rows):
        step = (b.baseline - a.baseline) / max(a.size, 1)
        if 0.8 < step < 2.6 and abs(a.size - b.size) < 0.06 * a.size:
            steps[round(step * 20) / 20] += min(len(a.text), 60)
    if not steps:
        return 1.3
    usual = steps.most_common(1)[0][0]
    close = [s for s, n in steps.items() if s < usual and n > 0.4 * steps[usual]]
    return min(close, default=usual)  # lists set wide apart must not make a page's paragraphs run together


def _usual_left(rows: Sequence[Row]) -> float:
    edges: Counter[int] = Counter(round(r.bbox[0] / 2) for r in rows)
    common = edges.most_common(1)[0][1]
    return 2 * min(x for x, n in edges.items() if n >= 0.5 * common)


def opens_caption(text: str) -> bool:
    """Whether a row opens a caption; a sentence about a table ("Table 3 shows") does not."""
    found = CAPTION.match(text)
    return found is not None and not _REFERS.match(text, found.end())


def starts_item(text: str) -> bool:
    """Whether a row opens a list item: a bullet, or a short number or letter with its mark."""
    return bool(BULLET.match(text) or NUMBERED.match(text) or BOXED.match(text))


def tells(items: Sequence[Paragraph]) -> bool:
    """Whether the marks of a list say something: two of a kind stand before items that begin at one place. What is
    set in deeper has other bullets and no more to say.
    """
    rows = [i.rows[0] for i in items]
    marked = [r for r in rows if r.mark or BULLET.match(r.text) or BOXED.match(r.text)]
    first = {(r.text[0], round(r.bbox[0])): r for r in marked}
    return any(
        a.text[0] != b.text[0]
        and abs(a.bbox[0] - b.bbox[0]) < 0.4 * a.size
        and any(a.text[0] in kind and b.text[0] in kind for kind in OPPOSED)
        for a, b in combinations(first.values(), 2)
    )


def _breaks(so_far: list[Row], before: Row, row: Row, pitch: float, left: float, column: BBox) -> bool:
    above, text, lone = before.text, row.text, len(so_far) == 1
    tall, own = before.size, row.size
    size, least = (tall, own) if tall > own else (own, tall)
    step = (row.baseline - before.baseline) / max(least, 1)
    if step > max(pitch * 1.28, pitch + 0.25) or step < -0.5 or ("…" in above and LEADER.search(above)):
        return True
    differ = size - least
    if differ > 0.12 * size and not _same_sentence(before, row):
        return True
    if above[-1] in "。！？" and (differ > 0.04 * size or _UNITS.search(text)):
        return True  # a sentence, and under it the name of a table
    (x0, _, x1, _), (start, _, end, _), (edge, _, right, _) = before.bbox, row.bbox, column
    ended = above[-1:] in ENDS
    short = x1 < right - max(0.18 * (right - edge), 2 * size)
    lower = text[:1].islower()
    if before.bold != row.bold and (ended or short or not lower) and not (before.lead or row.lead):
        return True
    if lone and before.italic and not row.italic and short and not ended and text[:1].isupper():
        return True  # a heading in italics
    apart = before.font != row.font or (short and not ended and tall > 1.06 * own)
    if lone and apart and tall > 1.03 * own and not lower and not _fills(before, row, column):
        return True  # a heading that is hardly larger
    if row.lead and ended and start <= x0 + size:
        return True
    first = so_far[0]
    if start > x1 + 2 * size and len(above) > 2 and step > 0.5:
        return True  # set to the right, below the end of a short row: a unit, a date, who signs
    if text[0] in _BOXES and BOXED.match(text) and (ended or short or first.text[0] in OPPOSED[0]):
        return True
    if row.mark or BULLET.match(text) or is_choice(text) or is_choice(above):
        return not (dash_amid(before, row, right) and not _opens_item(first))
    if short and _ends_han(before, row) and not (row.bold and before.bold):
        return True
    if (ended or short or start < x0 - 0.5 * size) and NUMBERED.match(text) and not closes(above, text):
        return True
    if len(above) < 12 and _PART.fullmatch(above) and scheme(text) in ("item", "chapter"):
        return True
    if CLAUSE.match(text) and (ended or short or CLAUSE.match(above)):
        return True
    ends_before = x1 < right - 1.5 * size
    if ends_before and (opens_caption(text) or ("：" in text and LABELLED.match(text) and LABELLED.match(above))):
        return True
    if short and lone and SHORT_CLAUSE.fullmatch(above):
        return True
    if lone and _is_centred(before, column) and _is_indented(row, column, size):
        return True  # a heading over the first line of its text
    indent = start - x0
    centred = abs((start + end) - (x0 + x1)) < size
    if centred and abs(indent) > 0.5 * size and differ < 0.5:
        return ended and short and not lower and end - start > 0.9 * (right - edge)
    if indent > 0.7 * size and x0 < left + size and not (lone and _opens_item(first)):
        if lone and not ended:
            wide = (2.6 if is_cjk(text[0]) else 1.9) * size
            return indent > wide * 3 and short  # a hanging indent, unless far too deep
        return ended or short
    if indent < -0.7 * size and (not lone or _opens_item(first)):
        fills = start < left + size and not short
        return not (fills and lone and not ended)  # a numbered paragraph's first line may be indented
    return short and ended and not (centred and abs(indent) > 0.1 * size)


def _fills(before: Row, row: Row, column: BBox) -> bool:
    """Whether a row is running text, in part in another type, from edge to edge of a column, as that below is."""
    (x0, _, x1, _), (start, _, end, _), wide = before.bbox, row.bbox, 0.7 * (column[2] - column[0])
    ended = before.text[-1:] in ENDS or before.bold or before.size > 1.08 * row.size
    return not ended and min(x1 - x0, end - start) > wide and column[2] - x1 < before.size


def _opens_item(row: Row) -> bool:
    return row.mark or starts_item(row.text)


def is_choice(text: str) -> bool:
    """Whether a row is nothing but choices of a form with their boxes."""
    return text[:1] in "□☐☑☒■√✓✔✗✘×" and CHOICES.match(text) is not None


def _ends_han(before: Row, row: Row) -> bool:
    """Whether a row of Chinese could have gone on, as the next one does: such text fills its lines but the last."""
    return (
        row.bbox[2] > before.bbox[2] + 2 * row.size
        and row.bbox[0] <= before.bbox[0] + 0.5 * row.size
        and is_cjk(before.text[-1])
        and is_cjk(row.text[0])
    )


def _is_centred(row: Row, column: BBox) -> bool:
    """Whether a row stands in the middle of a column that is much wider."""
    left, right, width = row.bbox[0] - column[0], column[2] - row.bbox[2], column[2] - column[0]
    return min(left, right) > 0.15 * width and abs(left - right) < max(1.5 * row.size, 0.08 * width)


def _is_indented(row: Row, column: BBox, size: float) -> bool:
    """Whether a row fills its column but for a first line's indent."""
    indent = row.bbox[0] - column[0]
    return column[2] - row.bbox[2] < 1.5 * size < indent < 6 * size and not row.text[:1].islower()


def _same_sentence(before: Row, row: Row) -> bool:
    """A drop cap, or a change of size in the midst of a sentence."""
    return (len(before.text) <= 2 and before.size > row.size) or (
        abs(before.size - row.size) < 0.25 * before.size
        and row.text[:1].islower()
        and before.text[-1:] not in ENDS
        and before.font == row.font
    )

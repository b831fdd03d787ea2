"""Which paragraphs are headings, and on what level.

A page is read alone, so a heading found there only carries its *style*; `settle` turns styles into levels once the
whole document is known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from h3cold.ingest.paragraphs import SHORT_CLAUSE, Paragraph
from h3cold.ingest.script import han_count
from h3cold.schemas.page import Page, Region

STYLE = 1000
"""Levels from here on are styles, not levels: `STYLE + 20 * size in points (+ 1 if bold)`."""

DEEPEST = 6

_NUMBER = r"(?:\d{1,2}|[A-Z]|[IVX]{1,5})"
NUMBERING: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"PART\s+(?:[IVX]+|\d+)\b", re.IGNORECASE), 1),
    (re.compile(r"第[一二三四五六七八九十百\d]+[编篇部]"), 1),
    (re.compile(r"(?:CHAPTER|APPENDIX|ANNEX|SCHEDULE|EXHIBIT)\s+(?:[IVXLC]+|\d+|[A-Z])\b", re.IGNORECASE), 2),
    (re.compile(r"第[一二三四五六七八九十百\d]+章"), 2),
    (re.compile(r"(?:Item|ITEM)\s+\d{1,2}[A-C]?\b"), 2),
    (re.compile(r"(?:ARTICLE|Article)\s+(?:[IVXLC]+|\d+)\b"), 2),
    (re.compile(r"第[一二三四五六七八九十百\d]+节"), 3),
    (re.compile(r"(?:SECTION|Section|§)\s*\d+(?:\.\d+)*"), 3),
    (re.compile(r"(?:NOTE|Note)\s+\d{1,2}\b"), 3),
    (re.compile(r"第[一二三四五六七八九十百零〇\d]+条"), 4),
    (re.compile(r"[一二三四五六七八九十]{1,3}[、．.]"), 4),
    (re.compile(r"[（(][一二三四五六七八九十]{1,3}[)）]"), 5),
)
_DECIMAL = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?(?=\s|[\u4e00-\u9fff])(?!\s*(?:%|\d))")
_SURE = re.compile(
    r"(?i:part|chapter|appendix|annex|article|section|item|note|schedule)\s+[\dIVXA-Z]|第[一二三四五六七八九十百\d]+[编篇部章节]|"
    r"\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+[A-Z\u4e00-\u9fff]|[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十]{1,3}[)）]"
)
"""Numbering that makes a heading of a short line even where it looks like the text around it."""

_LEADER = re.compile(r"…\s*[\divxlIVXL-]{1,6}$")
"""An entry of a table of contents."""

_LONE_NUMBER = re.compile(r"(?:[IVXLC]{1,6}|[A-Z])\.?|[一二三四五六七八九十]{1,3}")

_WORD_LETTERS = re.compile(r"[^\W\d_]")
_ROMAN = re.compile(r"[IVX]{1,5}\.\s+\S")
_LETTER = re.compile(r"[A-Z]\.\s+\S")
_SENTENCE = re.compile(r"[a-z]{2}[.;]\s+[A-Z][a-z]|[。；]\S")


def body_size(sizes: Counter[float]) -> float:
    """Font size (points) that most letters are set in, from letters counted by size; 10 where there are none."""
    return sizes.most_common(1)[0][0] if sizes else 10.0


def numbering(text: str) -> int | None:
    """Rank of a heading's numbering, 1 the highest; None without one. `2.1.3` ranks by its parts."""
    for pattern, rank in NUMBERING:
        if pattern.match(text):
            return rank
    decimal = _DECIMAL.match(text)
    if decimal:
        return 2 + decimal[1].count(".")
    if _ROMAN.match(text):
        return 2
    return 3 if _LETTER.match(text) else None


def looks_like_heading(para: Paragraph, body: float, body_bold: bool, after: Paragraph | None) -> bool:
    """Whether size, weight, numbering and place of a paragraph make it a heading.

    Args:
        body: the body text's size in points; `body_bold` whether that is bold throughout.
        after: the paragraph below in the same column.
    """
    rows = len(para.rows)
    if rows > 4:
        return False
    text = para.text()
    if rows == 1 and len(text) < 8 and _LONE_NUMBER.fullmatch(text) and para.centred and para.above > 0.5 * para.size:
        return True
    length = len(text) + han_count(text)
    letters = len(_WORD_LETTERS.findall(text)) if length <= 220 else 0
    if letters < 2 or letters < 0.4 * len(text.replace(" ", "")):
        return False
    if _SENTENCE.search(text) or _LEADER.search(text) or text[-1] in ",;，；、" or (text[-1] in "。" and rows > 1):
        return False
    ratio = para.size / max(body, 1)
    big = ratio >= 1.15
    bold = para.bold and not body_bold
    ranked = numbering(text) is not None
    full_stop = text[-1] in ".。:：" and not ranked
    if big:
        return not (full_stop and length > 90) and (rows <= 3 or ratio > 1.5)
    if ratio < 0.9:
        return False
    if bold and text[-1] in ".。" and length > 60 and rows <= 3 and after is not None and not after.bold:
        return len(after.rows) > 1.5 * rows  # a sentence as the head of what explains it, as risk factors have
    if bold:
        return length <= 160 and not (full_stop and text[-1] in ".。" and length > 60) and (rows <= 2 or ranked)
    if _set_apart(para, after) and rows == 1 and length <= 80 and text[0].isupper() and not full_stop:
        return True
    capitals = sum(c.isupper() for c in text)
    lower = sum(c.islower() for c in text)
    stands_free = para.above > 0.7 * para.size or ratio >= 1.05
    if rows == 1 and SHORT_CLAUSE.fullmatch(text):
        return True
    if ranked and rows <= 2 and stands_free and length <= 90 and text[-1] not in ".。;；:：?？" and _SURE.match(text):
        return True
    code = "_" in text or "(*" in text
    return capitals >= 4 and lower == 0 and not code and rows <= 2 and stands_free and length <= 90 and not full_stop


def _set_apart(para: Paragraph, after: Paragraph | None) -> bool:
    """A line in italics with free space over it, right above upright text."""
    return (
        para.rows[0].italic
        and after is not None
        and not after.rows[0].italic
        and para.above > 0.5 * para.size
        and after.above < 1.2 * para.size
        and para.rows[0].bbox[2] - para.rows[0].bbox[0] < 0.8 * (para.column[2] - para.column[0])
        and len(after.rows) > 1
    )


def style(para: Paragraph) -> int:
    """The provisional level of a heading."""
    return STYLE + 2 * round(10 * para.size) + int(para.bold)


def settle(pages: Sequence[Page], outline: Sequence[tuple[int, str, int]]) -> list[Page]:
    """Replace every heading's style by its level, 1 (the outermost) to 6.

    Args:
        outline: the file's bookmarks as (level, title, 1-based page); their levels win where a heading matches.
    """
    marks = {(_key(title), page): level for level, title, page in outline}
    heads = [(p, r) for p in pages for r in p.regions if r.kind == "heading" and (r.level or 0) >= STYLE]
    ranks = _style_ranks([r for _, r in heads])
    fixed: dict[int, int] = {}
    for page, region in heads:
        for near in (0, -1, 1):
            level = marks.get((_key(region.text), page.number + near))
            if level is not None:
                fixed[id(region)] = level
                break
    shift = _outline_shift(heads, fixed, ranks)
    out = []
    for page in pages:
        regions = tuple(
            replace(r, level=_clip(fixed.get(id(r), ranks[r.level] + shift)))
            if r.kind == "heading" and r.level is not None and r.level >= STYLE
            else r
            for r in page.regions
        )
        out.append(replace(page, regions=regions))
    return _by_number(out)


def _clip(level: int) -> int:
    return max(1, min(DEEPEST, level))


def _key(title: str) -> str:
    return re.sub(r"\W+", "", title).casefold()


def _style_ranks(heads: Sequence[Region]) -> dict[int, int]:
    """Levels by style: larger type first, bold before regular; sizes within half a point are one."""
    styles = sorted({r.level for r in heads if r.level is not None}, reverse=True)
    ranks: dict[int, int] = {}
    rank, last = 0, None
    for s in styles:
        if last is None or last - s > 9 or (s ^ last) & 1:
            rank += 1
        ranks[s] = rank
        last = s
    return ranks


def _outline_shift(heads: Sequence[tuple[Page, Region]], fixed: dict[int, int], ranks: dict[int, int]) -> int:
    """How far style ranks lie from the outline's levels where both are known."""
    offs = Counter(fixed[id(r)] - ranks[r.level] for _, r in heads if id(r) in fixed and r.level is not None)
    return offs.most_common(1)[0][0] if offs else 0


def _by_number(pages: Sequence[Page]) -> list[Page]:
    """Numbered headings of one scheme get levels in the scheme's order: `2.1` one below `2`."""
    levels: dict[int, Counter[int]] = {}
    for page in pages:
        for r in page.regions:
            rank = numbering(r.text) if r.kind == "heading" else None
            if rank is not None and r.level is not None:
                levels.setdefault(rank, Counter())[r.level] += 1
    final: dict[int, int] = {}
    for rank in sorted(levels):
        usual = levels[rank].most_common(1)[0][0]
        above = [final[r] for r in final if r < rank]
        final[rank] = max(usual, max(above) + 1) if above else usual
    out = []
    for page in pages:
        regions = []
        for r in page.regions:
            rank = numbering(r.text) if r.kind == "heading" else None
            regions.append(replace(r, level=_clip(final[rank])) if rank is not None else r)
        out.append(replace(page, regions=tuple(regions)))
    return out

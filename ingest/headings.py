"""Which paragraphs are headings.

A page is read alone, so a heading found there only carries its *style*; `levels.settle` turns styles into levels once
the whole document is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from h3cold.ingest.numbering import scheme
from h3cold.ingest.paragraphs import SHORT_CLAUSE, Paragraph, starts_item
from h3cold.ingest.script import count_alphabetic, han_count
from h3cold.schemas.page import Region

STYLE = 1000
"""Levels from here on are styles, not levels: `STYLE + 40 * size in points + 2 if bold + 1 if italic`."""


LONGEST = 220
"""Letters of a heading at most; a Han character counts two."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a heading is set; `size` in points."""

    size: float
    bold: bool
    italic: bool
    capitals: bool


_SURE = re.compile(
    r"(?i:part|chapter|appendix|annex|article|section|item|note|schedule)\s+[\dIVXA-Z]|第[一二三四五六七八九十百\d]+[编篇部章节]|"
    r"\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+[A-Z\u4e00-\u9fff]|[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十]{1,3}[)）]"
)
"""Numbering that makes a heading of a short line even where it looks like the text around it."""

_LEADER = re.compile(r"…\s*[\divxlIVXL-]{1,6}$")
"""An entry of a table of contents."""

_LONE_NUMBER = re.compile(r"(?:[IVXLC]{1,6}|[A-Z])\.?|[一二三四五六七八九十]{1,3}")

_NO_HEADING = re.compile(
    r"\*|(?:note|caution|warning|tip|important)$|(?:n/?a|none|yes|no|nil)\.?$|(?:https?://|www\.)\S+$|[\w.-]+\.(?:com|org|net|gov|edu|cn)(?:/\S*)?$|\w*_\w*$"
    r"|(?:see |the )*accompanying notes\b|see notes to\b"
    r"|(?:dear|fellow|to (?:our|my|the|all))\s+[\w ]{2,40}[:,]$|尊敬的.{1,15}[：:]$",
    re.IGNORECASE,
)
"""Footnotes' stars, addresses, names in code, how letters greet."""

_MONO = re.compile(r"courier|mono|typewriter|cmtt|sftt|consol|menlo", re.IGNORECASE)
"""Names of fonts that code is set in."""

_FILLED = re.compile(r"[^\W\d]{2,}[:：]\s+\S.*[^\W\d]{2,}[:：](?:\s|$)")
"""Two names, each with its value: a row of a form."""

_ADDRESS = re.compile(r"\w[./@]\w|\d{2}")
"""Part of an address, a number or a date."""

_PAGE_NUMBER = re.compile(r"[ivxl]{2,6}")
_WORD_LETTERS = re.compile(r"[^\W\d_]")
_SENTENCE = re.compile(
    r"[a-z]{2}(?<!\bInc)(?<!\bCorp)(?<!\bLtd)(?<!\bBros)(?<!\bMrs)(?<!\bProf)[.;]\s+[A-Z][a-z]|[。；]\S"
)


def title_key(text: str) -> str:
    """A heading's text as it is compared with the outline's: letters and digits only, without case."""
    return re.sub(r"\W+", "", text).casefold()


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
    if length > LONGEST:
        return False
    letters = count_alphabetic(text) if text.isascii() else len(_WORD_LETTERS.findall(text))
    if letters < 2 or letters < 0.4 * (len(text) - text.count(" ")):
        return False
    if text[-1] in ",;，；、" or _holds_sentence(text) or ("…" in text and _LEADER.search(text)):
        return False
    ranked, size, heavy = scheme(text) is not None, para.size, para.bold
    if _NO_HEADING.match(text) or " = " in text or (ranked and rows > 1 and text[-1] in "?？"):
        return False
    if (":" in text or "：" in text) and not (heavy or ranked) and _FILLED.search(text):
        return False
    if text[-1] == "。" and (rows > 1 or (length > 24 and not ranked)):
        return False
    if text[0].islower() and (text[-1] == "." or _PAGE_NUMBER.fullmatch(text)) and not ranked:
        return False  # the end of a sentence, or the page's number
    ratio = size / max(body, 1)
    if ratio < 1.3 and not heavy and after is not None and after.rows[0].text[:1].islower() and text[-1] not in "?!":
        return False  # the sentence goes on below
    if text[-1] in ":：" and after is not None and not ranked and _is_value(after):
        return False
    big = ratio >= 1.15
    bold = heavy and not body_bold
    full_stop = text[-1] in ".。:：" and not ranked
    if not big and not ranked and (text[-1] == "。" or (text[0] in "(（" and text[-1] == ".")):
        return False
    if big:
        return not (full_stop and length > 90) and (rows <= 3 or ratio > 1.5)
    if ratio < 0.9 and not (bold and ranked and ratio > 0.8 and para.above > 0.7 * size):
        return False
    if bold and full_stop and -size < para.above < 0.4 * size and rows == 1 and text[-1] in ".。":
        return False  # the end of the text above
    if bold and text[-1] in ".。" and length > 60 and rows <= 3 and after is not None and not after.bold:
        return len(after.rows) > 1.5 * rows  # a sentence as the head of what explains it, as risk factors have
    if bold:
        return length <= 160 and not (full_stop and text[-1] in ".。" and length > 60) and (rows <= 2 or ranked)
    if _set_apart(para, after) and rows == 1 and length <= 80 and text[0].isupper() and not full_stop:
        return True
    if _in_other_type(para, after, ratio) and length <= 90 and not (full_stop or text[-1] in ".。"):
        return True
    stands_free = para.above > 0.7 * size or ratio >= 1.05
    if rows == 1 and SHORT_CLAUSE.fullmatch(text):
        return True
    if ranked and rows <= 2 and stands_free and length <= 90 and text[-1] not in ".。;；:：?？" and _SURE.match(text):
        return True
    if not (stands_free and rows <= 2 and length <= 90 and text.isupper()) or full_stop:
        return False
    code = "_" in text or "(*" in text or _MONO.search(para.rows[0].font) is not None
    return not code and sum(map(str.isupper, text)) >= 4


def _holds_sentence(text: str) -> bool:
    """Whether a sentence ends before the end."""
    may = ". " in text or "; " in text or not text.isascii()
    return may and _SENTENCE.search(text) is not None


def _is_value(para: Paragraph) -> bool:
    """Whether a paragraph is one short line with a figure or an address: what a label such as "See also:" announces."""
    text = para.rows[0].text
    return len(para.rows) == 1 and len(text) < 40 and text[-1] not in ".。:：" and _ADDRESS.search(text) is not None


def _in_other_type(para: Paragraph, after: Paragraph | None, ratio: float) -> bool:
    """A line that is a little larger, in another font, than the text right below it, which fills the column."""
    if after is None or len(para.rows) > 1 or ratio < 1.03 or after.rows[0].size > 0.99 * para.size:
        return False
    row, below = para.rows[0], after.rows[0]
    width = para.column[2] - para.column[0]
    return (
        row.font != below.font
        and (row.bbox[2] - row.bbox[0] < 0.9 * width or starts_item(row.text))
        and para.above > 0.3 * para.size
        and after.above < 1.5 * para.size
        and (len(after.rows) > 1 or below.bbox[2] - below.bbox[0] > 0.7 * width)
        and (starts_item(row.text) or not row.text[:1].islower())
    )


def _set_apart(para: Paragraph, after: Paragraph | None) -> bool:
    """A line in italics with free space over it, right above upright text."""
    return (
        para.rows[0].italic
        and after is not None
        and not after.rows[0].italic
        and (para.above > 0.5 * para.size or (para.above > 0 and para.rows[0].text.istitle()))
        and after.above < 1.2 * para.size
        and para.rows[0].bbox[2] - para.rows[0].bbox[0] < 0.8 * (para.column[2] - para.column[0])
        and len(after.rows) > 1
    )


def style(para: Paragraph) -> int:
    """The provisional level of a heading."""
    return styled(para.size, bold=para.bold, italic=para.rows[0].italic)


def styled(size: float, *, bold: bool = False, italic: bool = False) -> int:
    """A look as a provisional level; `size` in points."""
    return STYLE + 4 * round(10 * size) + 2 * int(bold) + int(italic)


def look(region: Region) -> Look:
    """The look of a heading that still carries its provisional level."""
    code = (region.level or STYLE) - STYLE
    large = sum(map(str.isupper, region.text))
    both = large + sum(map(str.islower, region.text))
    return Look(code // 4 / 10, bool(code & 2), bool(code & 1), both > 1 and large > 0.9 * both)

"""Lines that look like headings, or like text, and name the table or figure that they stand next to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from h3cold.ingest.headings import STYLE, look, title_key
from h3cold.ingest.numbering import numbering
from h3cold.schemas.page import FURNITURE, Page, Region, RegionKind

NEAR = 26.0
"""Points between a table or figure and the line that names it."""

_SCALE = (
    r"(?:(?:all\s+)?(?:amounts?|figures|dollars?|numbers?|values?|sums?|tabular amounts)[\w ]{0,40}\s)?"
    r"(?:expressed\s+|stated\s+|presented\s+)?in\s+(?:(?:us|u\.s\.|canadian|australian|hong kong)\s+)?(?:\$\s*)?"
    r"(?:thousands?|millions?|billions?|[A-Z]{3}\s+(?:thousands?|millions?)|\$'?000s?|dollars|euros?|rmb|percent)\b.{0,70}"
)
_UNIT_LINE = re.compile(
    rf"[(\[（]?\s*(?:{_SCALE}|dollars in (?:thousands|millions|billions)\b.{{0,70}}|unaudited|未经审计)\s*[)\]）]?[.:]?"
    r"|[(（\[]\s*in\s[^()（）\[\]]{1,40}[)）\]]|(?:[₹$€£¥]|rs\.?|inr|usd|eur|gbp|cny|rmb)\s?(?:thousands?|millions?|billions?|crores?|lakhs?|mn|bn|m|k)\.?"
    r"|[(（]?(?:金额|货币|数量)?(?:单位|币种)\s*[：:].{1,40}|[(（](?:人民币)?(?:百万|千|万|亿)?元[)）]",
    re.IGNORECASE,
)
"""A line that says no more than in what the figures below it are counted."""

_IN_UNITS = re.compile(
    r"[(（][^()（）]*(?:\bin (?:thousands|millions|billions)\b|\b(?:thousands|millions|billions) of\b|%|[千万亿]元)"
    r"[^()（）]*[)）]\W*$",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^。.!！?？;；:：]{2,60}[(（][^()（）]{2,40}[)）]")
"""A name with something in brackets at its end, no sentence."""

_BRACKETED = re.compile(r"[(（\[][^()（）\[\]]{2,60}[)）\]]")
"""What qualifies the name of a table above it: "(as at the end of March)"."""

_LABEL = re.compile(r"(?:chart|figure|fig\.|graph|diagram|table|exhibit|图|圖|图表|表)\s*[:：—–]\s*\S", re.IGNORECASE)

_SOURCE = re.compile(r"(?:sources?|notes?|base)\s*[:：.]|(?:附?注|说明|资料来源|数据来源|来源)\s*[:：]", re.IGNORECASE)
"""How the line under a chart opens that says where it is from: what stands in one frame with it."""

QUESTION = 320
"""Letters of what may stand between a chart's name and the chart: what was asked, in what it is counted."""

FEWEST = 2
"""Names of tables in one type from which the type is known to be theirs."""


def named(regions: Sequence[Region], titles: Collection[str] = ()) -> list[Region]:
    """The page's regions with units' lines and names of tables and figures as captions.

    A name is known by its label ("Chart: …") or, above a table, by the units it ends in; units alone that stand above
    no table are text. What the file's outline calls a heading (`titles`, keys of the page's) stays one.
    """
    out = _with_floats(regions)
    for i in range(len(out) - 1, -1, -1):  # the line next to the table first: a name may stand over its units
        r = out[i]
        if r.kind not in ("heading", "text") or len(r.text) > 160 or (titles and title_key(r.text) in titles):
            continue
        opens = not any(o.kind not in ("title", "heading", "caption") for o in out[:i])
        kind = _names(r, _beside(out, i, 1), _beside(out, i, -1), opens=opens)
        if i and out[i - 1].kind == "caption" and _BRACKETED.fullmatch(r.text):
            kind = "caption" if 0 <= r.bbox[1] - out[i - 1].bbox[3] < r.bbox[3] - r.bbox[1] else kind
        if kind != r.kind:
            out[i] = replace(r, kind=kind, level=None)
    return _over_charts(out, titles)


def _over_charts(regions: list[Region], titles: Collection[str]) -> list[Region]:
    """Headings over charts that have a source or note below them, and what stands between, as captions.

    The heading at the head of a page, such as a slide's, stays one.
    """
    for i, r in enumerate(regions):
        if r.kind != "figure" or i < 2 or not _sourced(regions, i):
            continue
        j = i - 1
        if regions[j].kind in ("text", "caption") and len(regions[j].text) < QUESTION and _over(regions[j], r):
            j -= 1
        head = regions[j]
        opens = not any(o.kind not in (*FURNITURE, "title") for o in regions[:j])
        name = head.kind == "heading" and numbering(head.text) is None and title_key(head.text) not in titles
        if name and not opens and _over(head, regions[j + 1]) and _over(head, r, far=120.0):
            regions[j:i] = [replace(o, kind="caption", level=None) for o in regions[j:i]]
    return regions


def _sourced(regions: Sequence[Region], i: int) -> bool:
    """Whether a chart's source or note stands right below it."""
    below = [r for r in regions[i + 1 : i + 4] if r.kind != "figure"][:2]
    return any(_SOURCE.match(r.text) is not None and _over(regions[i], r) for r in below)


def _over(a: Region, b: Region, far: float = NEAR) -> bool:
    """Whether `a` stands at most `far` points over `b`, within its width or around it."""
    shared = min(a.bbox[2], b.bbox[2]) - max(a.bbox[0], b.bbox[0])
    narrow = min(a.bbox[2] - a.bbox[0], b.bbox[2] - b.bbox[0])
    return -6 < b.bbox[1] - a.bbox[3] < far and shared > 0.6 * narrow


def _with_floats(regions: Sequence[Region]) -> list[Region]:
    """A caption belongs to a table or a figure; where the page has neither nearby and it is long, it is text."""
    out = list(regions)
    for i, r in enumerate(out):
        if (
            r.kind == "caption"
            and len(r.text) > 400
            and not any(n.kind in ("table", "figure") for n in out[max(0, i - 2) : i + 3])
        ):
            out[i] = replace(r, kind="text")
    return out


def _names(r: Region, below: str, above: str, *, opens: bool) -> RegionKind:
    """What a heading or text is, given the table or figure next to it; a statement's title `opens` its page."""
    if _UNIT_LINE.fullmatch(r.text):
        return "caption" if below == "table" else "text"
    if (_LABEL.match(r.text) and (above or below)) or (below == "table" and _BRACKETED.fullmatch(r.text)):
        return "caption"
    if r.kind == "text" and below == "table" and _NAME.fullmatch(r.text) and _IN_UNITS.search(r.text):
        return "caption"
    if r.kind == "heading" and below == "table" and not opens and numbering(r.text) is None:
        return "caption" if _IN_UNITS.search(r.text) else "heading"
    return r.kind


def names_in_one_type(pages: Sequence[Page], outline: Sequence[tuple[int, str, int]] = ()) -> list[Page]:
    """Headings of a type that stands over tables only, and that others of the document are larger than, as captions.

    Capitals, numbers and places at the head of a page speak for sections: statements are named so.
    """
    found: defaultdict[tuple[int, bool, bool], list[tuple[Region, bool]]] = defaultdict(list)
    largest = 0.0
    told = {title_key(title) for _, title, _ in outline}
    for page in pages:
        body = [r for r in page.regions if r.kind not in FURNITURE]
        for i, r in enumerate(body):
            if r.kind != "heading" or (r.level or 0) < STYLE:
                continue
            how = look(r)
            largest = max(largest, how.size)
            names = _beside(body, i, 1) == "table" and i > 0 and not how.capitals and numbering(r.text) is None
            names = names and title_key(r.text) not in told
            found[round(2 * how.size), how.bold, how.italic].append((r, names))
    theirs = {
        id(r)
        for (size, _, _), heads in found.items()
        if size < 2 * 0.95 * largest and len(heads) >= FEWEST and sum(n for _, n in heads) >= 0.9 * len(heads)
        for r, names in heads
        if names
    }
    if not theirs:
        return list(pages)
    return [
        replace(p, regions=tuple(replace(r, kind="caption", level=None) if id(r) in theirs else r for r in p.regions))
        for p in pages
    ]


def _beside(regions: Sequence[Region], i: int, step: int) -> str:
    """The kind of the table or figure right below (`step` 1) or above a line, captions between them aside; or ""."""
    here = regions[i].bbox
    for j in range(i + step, len(regions) if step > 0 else -1, step):
        there = regions[j].bbox
        over = min(here[2], there[2]) > max(here[0], there[0])
        gap = there[1] - here[3] if step > 0 else here[1] - there[3]
        if not over or not -6 < gap < NEAR:
            return ""
        if regions[j].kind in ("table", "figure"):
            return regions[j].kind
        if regions[j].kind != "caption":
            return ""
        here = there
    return ""

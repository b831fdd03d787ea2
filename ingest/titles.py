"""A document's title on its first pages, and what stands there between the title and the text."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from h3cold.ingest.headings import STYLE, look, title_key
from h3cold.ingest.numbering import numbering
from h3cold.schemas.page import FURNITURE, Page, Region

_OPENS_TEXT = re.compile(
    r"\W*(?:abstract|(?:executive )?summary|introduction|keywords|(?:table of )?contents|摘\s*要|引\s*言|目\s*录)\W*$"
    r"|\d{1,2}\.?\s+\S|第[一1]章|[一]、",
    re.IGNORECASE,
)
_ABSTRACT = re.compile(r"\W*(?:abstract|摘\s*要)\W*", re.IGNORECASE)
_CONTENTS = re.compile(r"\W*(?:table of contents|contents|index|目\s*录)\W*", re.IGNORECASE)
_NO_TITLE = re.compile(
    r"\W*(?:for (?:immediate )?release\b.*|(?:\w+ )?\d{1,2},? (?:19|20)\d\d|(?:19|20)\d\d|\d+|page \d+.*"
    r"|dear\b.{0,60}|to whom it may concern.?|(?:front|back) cover|confidential|draft|official.{0,30}review"
    r"|机密|内部资料|[(（\[][^()（）\[\]]*[)）\]])\W*",
    re.IGNORECASE,
)
_COURT = re.compile(r"\bcourt\b|\bdistrict of\b|法院", re.IGNORECASE)
_PLEADING = re.compile(
    r"\b(?:complaint|defen[cs]e of|motion|order|opinion|judge?ment|petition|brief|notice of|memorandum|answer)\b"
    r"|起诉状|答辩状|上诉状|判决书|裁定书|决定书",
    re.IGNORECASE,
)
KIND = re.compile(
    r"\breports?\b|\bprospectus\b|\bagreement\b|\bstatement\b|\bpresentation\b|报告|年报|季报|说明书|合同|协议|公告|章程|制度",
    re.IGNORECASE,
)
"""Words that say what a document is."""

_COMPANY_ONLY = re.compile(
    r"[\u4e00-\u9fff（）()]{4,40}(?:公司|集团)|.{3,60}\b(?:Inc|Corp|Corporation|Ltd|Limited|plc|PLC|LLC)\.?"
)
_JOINS_NEXT = re.compile(r"(?:\b(?:of|on|in|and|the|for|to|with|a|an|by|from|at)|[&:,(]|——?|-)$", re.IGNORECASE)
_JOINS_LAST = re.compile(r"(?:(?:of|on|in|and|the|for|to|with|by|from|at)\b|[&(])", re.IGNORECASE)
_DEAR = re.compile(
    r"(?:dear\s+(?:sir|madam|mr|ms|mrs|dr|all|colleague|\w+)\b.{0,40}[:,]|尊敬的.{1,20}[：:])$", re.IGNORECASE
)
_SUBJECT = re.compile(r"(?:re|subject|regarding|ref|事由|主题)\s*[:：]\s*(?=\S)", re.IGNORECASE)

MOST_PARTS = 6


def mark_title(pages: Sequence[Page], outline: Sequence[tuple[int, str, int]] = ()) -> list[Page]:
    """Make the largest heading of the first page that has one the title, with the lines that go on with it.

    Headings still carry their style (`headings.STYLE`). A numbered heading is no title, nor is one that stands
    below running text, under a larger one, or deeper than the first level of the `outline`. A letter's title is its
    subject. What looks like a heading between the title and the abstract or first section is text: authors,
    affiliations, dates.
    """
    deeper = {title_key(title) for level, title, _ in outline if level > 1}
    out = list(pages)
    if out:
        letter = _with_subject(out[0])
        if letter is not None:
            return [letter, *out[1:]]
    for n, page in enumerate(out[:3]):
        begun = next((i for i, r in enumerate(page.regions) if _is_prose(r)), 99)
        every = [r for r in page.regions[:begun] if _is_styled(r) and not _NO_TITLE.fullmatch(r.text)]
        heads = [
            (i, r) for i, r in enumerate(page.regions[:begun]) if _is_head(r) and title_key(r.text) not in deeper
        ]  # fmt: skip
        largest = max((look(r).size for _, r in heads), default=0.0)
        if not heads or largest < 0.9 * max(look(r).size for r in every):
            if begun < 99 or heads:
                return out  # the text has begun without a title
            continue
        court = _COURT.search(" ".join(r.text for _, r in heads[:3])) is not None
        if court:  # what it is stands below the parties, who may look like prose
            heads += [(i, r) for i, r in enumerate(page.regions[:30]) if i >= begun and _is_head(r)]
        first = _named(heads, largest)
        if not court and first != heads[0][0] and heads[0][0] <= 1 and _is_usual(pages, look(page.regions[first]).size):
            first = heads[0][0]  # what is larger are the sections
        if n and first > 3:
            return out
        out[n] = _marked(page, first, {title_key(title) for _, title, _ in outline})
        return out
    return out


def _named(heads: list[tuple[int, Region]], largest: float) -> int:
    """Which heading begins the title: the first of the largest; on a court's papers what they are, not the court."""
    chosen = next((i, r) for i, r in heads if look(r).size >= 0.96 * largest)
    if _COURT.search(chosen[1].text) and not _PLEADING.search(chosen[1].text):
        paper = next((k for k in heads if k[0] > chosen[0] and _PLEADING.search(k[1].text)), chosen)
        together = paper[0] == chosen[0] + 1 and abs(look(paper[1]).size - look(chosen[1]).size) < 0.3
        return chosen[0] if together else paper[0]
    words = chosen[1].text.split()
    if len(words) == 1 and chosen[1].text.isascii():  # a logo's one word, larger than the title
        longer = [i for i, r in heads if look(r).size >= 0.55 * largest and 3 <= len(r.text.split()) <= 14]
        if longer and longer[0] < chosen[0]:
            return longer[0]
    return chosen[0]


def _is_usual(pages: Sequence[Page], size: float) -> bool:
    """Whether headings of this size stand all over the document."""
    return sum(_is_head(r) and abs(look(r).size - size) < 0.3 for p in pages for r in p.regions) > 3


def _with_subject(page: Page) -> Page | None:
    """The page of a letter with its subject as the title; None if it is no letter, or has none."""
    regions = list(page.regions)
    for i, r in enumerate(regions[:14]):
        if r.kind in ("text", "heading") and _SUBJECT.match(r.text) and len(r.text) < 200:
            greets = any(_DEAR.search(o.text) for o in regions[:i] + regions[i + 1 : i + 4])
            if greets:
                regions[i] = replace(r, kind="title", level=None)
                return replace(page, regions=tuple(regions))
        titled = r.text[:1] > "\u2e80" and any(_is_head(o) for o in regions[:i])  # its title is over the salutation
        if r.kind in ("text", "heading") and _DEAR.match(r.text) and i + 1 < len(regions) and not titled:
            after = regions[i + 1]
            if after.kind in ("text", "heading") and _is_subject(after.text):
                regions[i + 1] = replace(after, kind="title", level=None)
                return replace(page, regions=tuple(regions))
    return None


def _is_subject(text: str) -> bool:
    """A line that names what a letter is about: no sentence, most of its words capitals or Han."""
    words = [w for w in text.split() if w[0].isalpha()]
    if not 4 <= len(text) <= 120 or text[-1] in ",;:，；：。" or not words:
        return False
    return text[0] > "\u2e80" or (len(words) > 1 and 2 * sum(w[0].isupper() for w in words) > len(words))


def _is_prose(region: Region) -> bool:
    return region.kind in ("text", "list") and len(region.text) > 150


def _is_styled(region: Region) -> bool:
    return region.kind == "heading" and (region.level or 0) >= STYLE


def _is_head(region: Region) -> bool:
    return (
        _is_styled(region)
        and len(region.text) > 2
        and numbering(region.text) is None
        and not _CONTENTS.fullmatch(region.text)
        and not _NO_TITLE.fullmatch(region.text)
    )


def _marked(page: Page, first: int, named: Collection[str]) -> Page:
    """The page with its title, and as text what looks like headings around it but is not `named` in the outline."""
    regions = list(page.regions)
    parts = _parts(regions, first)
    for i in range(parts[0]):
        if _is_styled(regions[i]) and numbering(regions[i].text) is None and title_key(regions[i].text) not in named:
            regions[i] = replace(regions[i], kind="text", level=None)  # a date, a form's name: no chapter of its own
    for i in parts:
        regions[i] = replace(regions[i], kind="title", level=None)
    last = max(parts)
    opens = next((i for i in range(last + 1, len(regions)) if _OPENS_TEXT.match(regions[i].text)), None)
    prose = opens is not None and any(_is_prose(r) for r in regions[last + 1 : opens])
    begins = opens is not None and (regions[opens].kind == "heading" or _ABSTRACT.fullmatch(regions[opens].text))
    if opens is not None and begins and opens - last <= 12 and not prose:
        for i in range(last + 1, opens):
            if regions[i].kind == "heading":
                regions[i] = replace(regions[i], kind="text", level=None)
    return replace(page, regions=tuple(regions))


def _parts(regions: Sequence[Region], first: int) -> list[int]:
    """Indices of the title's lines: those of its size that follow, and others that its sentence begins or ends in."""
    size = look(regions[first]).size
    parts = [first]
    for i in range(first + 1, len(regions)):
        r, before = regions[i], regions[parts[-1]]
        if r.kind == "figure" or r.kind in FURNITURE:
            continue  # a picture behind the title
        if r.kind != "heading" or len(parts) == MOST_PARTS or _OPENS_TEXT.match(r.text) or _NO_TITLE.fullmatch(r.text):
            break
        near = r.bbox[1] - before.bbox[3] < 1.2 * size
        same = abs(look(r).size - size) <= 0.21 and i <= first + 3
        goes_on = near and (_JOINS_NEXT.search(before.text) or _JOINS_LAST.match(r.text) or _is_open(before.text))
        if not (same or (near and abs(look(r).size - size) < 0.05 * size) or goes_on):
            break
        parts.append(i)
    for i in range(first - 1, -1, -1):
        r = regions[i]
        if r.kind != "heading" or regions[parts[0]].bbox[1] - r.bbox[3] > size or not _JOINS_NEXT.search(r.text):
            break
        parts.insert(0, i)
    if _COMPANY_ONLY.fullmatch(" ".join(regions[i].text for i in parts).strip()):
        kind = next((i for i in range(parts[-1] + 1, len(regions)) if _says_kind(regions[i])), None)
        parts += [kind] if kind is not None else []
    return parts


def _says_kind(region: Region) -> bool:
    return region.kind in ("heading", "text") and len(region.text) < 60 and KIND.search(region.text) is not None


def _is_open(text: str) -> bool:
    return text.count("(") > text.count(")") or text.count("（") > text.count("）")

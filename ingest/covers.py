"""Cover pages of filings: a form, whose large lines are no headings, and where a document within a document begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from h3cold.ingest.numbering import scheme
from h3cold.schemas.page import FURNITURE, Page, Region

FORM_NAME = re.compile(
    r"\W*form\s*(?:10-?\s?[KQ]|8-?\s?K|20-?\s?F|40-?\s?F|6-?\s?K|S-?\d|F-?\d|N-?CSR)(?:[-/][A-Z]+)?\W*", re.IGNORECASE
)
_REGISTRANT = re.compile(
    r"exact name of (?:the )?(?:registrant|company|issuer)|name of registrant as specified in its charter",
    re.IGNORECASE,
)
_COMMISSION = re.compile(r"commission file n|securities and exchange commission", re.IGNORECASE)
_BEGINS = re.compile(
    r"\W*(?:[\w.,&’' -]{0,40}\s)?(?:table of contents|contents|index)\W*|(?:page\s+)?(?:PART|ITEM)\s+[I1]\b.*"
    r"|(?:special |cautionary )?(?:note|statement)s? (?:regarding|concerning) .*|forward.looking statements.*",
    re.IGNORECASE,
)
"""What ends a cover that goes on over the page."""

AT_MOST = 3
"""Pages that a cover goes on for."""

_NAMES = ("ame of", "ame Of", "AME OF")
"""What a page that names the registrant has: found far sooner than the whole of it is."""


def covers(pages: Sequence[Page]) -> tuple[int, ...]:
    """Numbers of the pages on which a filing's cover begins: they name a form and the registrant in so many words.

    The form may stand on the page before the one that names the registrant.
    """
    out: list[int] = []
    for before, page in zip([None, *pages], pages, strict=False):
        text = "\n".join(r.text for r in page.regions if r.kind not in FURNITURE)
        if (
            not any(words in text for words in _NAMES)
            or not _REGISTRANT.search(text)
            or not _COMMISSION.search(f"{_text(before)}\n{text}")
        ):
            continue
        first = page
        if before is not None and not _names_form(page) and _names_form(before):
            first = before
        if not out or first.number > out[-1] + AT_MOST:
            out.append(first.number)
    return tuple(out)


def _text(page: Page | None) -> str:
    return "\n".join(r.text for r in page.regions) if page is not None else ""


def _names_form(page: Page) -> bool:
    return any(FORM_NAME.fullmatch(line) for r in page.regions for line in r.text.split("\n"))


def plain_covers(pages: Sequence[Page], starts: Sequence[int]) -> list[Page]:
    """The pages with what looks like headings on covers made text, and on the few pages before one at the front, which
    only say what is sent.
    """
    out = list(pages)
    for start in starts:
        begun = next((i for i, p in enumerate(out) if p.number == start), 0)
        if start <= AT_MOST:
            for i in range(begun):
                out[i] = replace(out[i], regions=tuple(_plain(r) for r in out[i].regions))
        for i in range(begun, min(len(out), begun + AT_MOST)):
            regions = list(out[i].regions)
            end = next((k for k, r in enumerate(regions) if i > begun and _is_text_again(r)), len(regions))
            out[i] = replace(out[i], regions=(*map(_plain, regions[:end]), *regions[end:]))
            if end < len(regions) or not _goes_on(out, i):
                break
    return out


def _plain(region: Region) -> Region:
    return replace(region, kind="text", level=None) if region.kind in ("heading", "title") else region


def _is_text_again(region: Region) -> bool:
    return region.kind in ("heading", "title", "list", "table") and _BEGINS.match(region.text) is not None


def _goes_on(pages: Sequence[Page], i: int) -> bool:
    """Whether the page after `i` is still cover: no heading with a number, or none before the registrant is named."""
    following = pages[i + 1] if i + 1 < len(pages) else None
    if following is None:
        return False
    if _REGISTRANT.search(_text(following)):
        return True
    heads = [r for r in following.regions if r.kind in ("heading", "title")]
    return bool(heads) and not any(scheme(r.text) for r in heads) and not _BEGINS.match(heads[0].text)

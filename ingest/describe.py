"""What a document is about as a whole: title, language, company, period, date, type, authors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from h3cold.ingest.companies import company_of, names_in
from h3cold.ingest.doctypes import doctype_of
from h3cold.ingest.language import language_of
from h3cold.ingest.periods import find_date, find_period, find_year, plain_years
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.page import FURNITURE, Page

FORMS = ("10-K", "10-Q", "8-K", "20-F")
"""Kinds of filings that are best called by their form."""

ANNUAL = ("10-K", "20-F", "annual report")

FRONT = 4
"""Pages at the front that name what a document is."""

_SOFTWARE = re.compile(
    r"microsoft|word|adobe|acrobat|\.docx?|\.pdf|untitled|latex|powerpoint|presentation\d*$|^\W*$|^slide", re.I
)
_NO_AUTHOR = re.compile(
    r"admin|user|microsoft|adobe|owner|unknown|anonymous|author|\bhp\b|dell|lenovo|windows|donnelley|^\W*$", re.I
)
_STAMPS = re.compile(r"\s*(?:\[[\d,]+\]|[*†‡§¶∗]|[⁰¹²³⁴-⁹]+|,\s*\d+)+")


def describe(source: str, pages: Sequence[Page], meta: Mapping[str, str | None]) -> DocumentInfo:
    """Read the facts off the first pages, the PDF's metadata where it is sane, and the file's name."""
    front = plain_years("\n".join(r.text for p in pages[:FRONT] for r in p.regions))
    body = "\n".join(r.text for p in _sample(pages) for r in p.regions if r.kind not in FURNITURE)
    name = Path(source).stem
    heading = _title_text(pages)
    doctype = _doctype(pages, heading, front)
    company = company_of(pages, heading) if doctype != "paper" else ""  # authors' employers are not what it is about
    period, end = _period(f"{heading}\n{plain_years(name)}\n{front}", name, doctype)
    return DocumentInfo(
        title=_title(heading, meta, name, doctype, company, period),
        language=language_of(body or front or heading or meta.get("title") or name),
        company=company,
        period=period,
        date=end or find_date(front) or _meta_date(meta),
        doctype=doctype,
        authors=_authors(pages, meta, doctype),
    )


def _period(text: str, name: str, doctype: str) -> tuple[str, str]:
    """An annual report's period is a year, whatever quarters its letter to the shareholders speaks of."""
    period, end = find_period(text)
    if doctype not in ANNUAL or period.startswith("FY"):
        return period, end
    year = re.search(r"(?<!\d)((?:19|20)\d\d)(?!\d)", name)
    fiscal = find_year(text)
    return (fiscal or (f"FY{year[1]}" if year else period)), ""


def _sample(pages: Sequence[Page]) -> list[Page]:
    """Up to eight pages over the whole document: the front of a report is often in another language."""
    return list(pages[:: max(1, len(pages) // 8)])


def _title_text(pages: Sequence[Page]) -> str:
    """The title on the first pages, all its consecutive parts."""
    parts: list[str] = []
    for page in pages[:3]:
        for region in page.regions:
            if region.kind == "title":
                parts.append(region.text)
            elif parts:
                return " ".join(parts)
        if parts:
            return " ".join(parts)
    return ""


def _title(heading: str, meta: Mapping[str, str | None], name: str, doctype: str, company: str, period: str) -> str:
    if doctype in FORMS and company and not (company in heading and re.search(r"(?<!\d)20\d\d(?!\d)", heading)):
        return " ".join(part for part in (company, "Form", doctype, period) if part)
    if doctype.endswith("report") and company and doctype != "report" and company not in heading:
        return " ".join(part for part in (company, doctype, period) if part)
    if heading and len(heading) <= 250:
        return heading
    stated = (meta.get("title") or "").strip()
    if len(stated) > 4 and not _SOFTWARE.search(stated) and "\ufffd" not in stated:
        return stated
    return name.replace("_", " ")


def _doctype(pages: Sequence[Page], heading: str, front: str) -> str:
    opening = "\n".join(r.text for p in pages[:2] for r in p.regions)[:6000]
    found = doctype_of(heading, opening)
    wide = sum(p.width > 1.2 * p.height for p in pages)
    if not found and pages and wide > 0.8 * len(pages) and len(front) < 1200 * min(len(pages), FRONT):
        return "slides"
    return found


def _meta_date(meta: Mapping[str, str | None]) -> str:
    found = re.match(r"D?:?((?:19|20)\d\d)(\d\d)(\d\d)", meta.get("creationDate") or "")
    if not found or not ("01" <= found[2] <= "12" and "01" <= found[3] <= "31"):
        return ""
    return f"{found[1]}-{found[2]}-{found[3]}"


def _authors(pages: Sequence[Page], meta: Mapping[str, str | None], doctype: str) -> tuple[str, ...]:
    stated = (meta.get("author") or "").strip()
    if stated and len(stated) < 300 and not _NO_AUTHOR.search(stated) and not names_in(stated):
        return _names(stated)
    if doctype != "paper" or not pages:
        return ()
    seen = False
    for region in pages[0].regions:
        if region.kind == "title":
            seen = True
        elif seen and region.kind == "text":
            names = _names(_STAMPS.sub(", ", region.text))
            people = [
                n
                for n in names
                if re.fullmatch(r"(?:[^\W\d_][\w.'’-]*\s+){1,3}[^\W\d_][\w'’-]+|[\u4e00-\u9fff]{2,4}", n)
            ]
            return tuple(people) if len(people) * 2 > len(names) else ()
        elif seen:
            return ()
    return ()


def _names(text: str) -> tuple[str, ...]:
    return tuple(n for part in re.split(r"[,;、，；]|\s+(?:and|&)\s+", text) if len(n := part.strip()) > 1)

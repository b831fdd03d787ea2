"""What a document is about as a whole: title, language, company, period, date, type, authors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from h3cold.ingest.companies import COVERS, company_of, names_in
from h3cold.ingest.doctypes import doctype_of
from h3cold.ingest.language import language_of
from h3cold.ingest.periods import (
    day_comes_first,
    find_date,
    find_end,
    find_labelled_date,
    find_period,
    find_year,
    iso_date,
    lone_date,
    names_month,
    plain_years,
    without_received,
)
from h3cold.ingest.scores import indel
from h3cold.ingest.script import join_lines
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.page import FURNITURE, Page

T = TypeVar("T")

FORMS = ("10-K", "10-Q", "8-K", "20-F")
"""Kinds of filings that are best called by their form."""

ANNUAL = ("10-K", "20-F", "annual report")

PARTIES = ("judgment", "court filing")
"""Kinds that name several companies, none of which they are about more than others."""

PERIODIC = (*ANNUAL, "10-Q", "interim report")
"""Kinds that are dated by the last day of their period; others by the day that they give themselves."""

TIMELESS = (*PARTIES, "contract", "regulation", "paper", "letter", "notice", "decision")
"""Kinds that report on no period, whatever years they speak of."""

FRONT = 4
"""Pages at the front that name what a document is."""

SIGNED = ("judgment", "court filing", "decision", "notice", "contract", "letter", "")
"""Kinds that are dated where they are signed, at their end."""

LAST = 6
"""Regions at the end of a document among which that date stands."""

HEAD, FOOT = 1500, 500
"""Letters of the first page within which a date is the document's: under its title, or where it is signed."""

_SOFTWARE = re.compile(
    r"microsoft|word|adobe|acrobat|untitled|latex|powerpoint|presentation\d*$|^\W*$|^slide|[a-z]:\\|screenshot"
    r"|\.(?:docx?|pdf|exe|indd|qxd|xls[xm]?|pptx?|png|jpe?g|tiff?|dvi|ps|rtf|odt|txt|html?)\b|^[\d\s.,_-]+$",
    re.IGNORECASE,
)
_PRINTED_IN = re.compile(
    r"\b(?:Journal|Proceedings|Transactions|Conference|Letters|Annals|Review|Bulletin)\b.*?\b((?:19|20)\d\d)\b"
    r"|(?:学报|期刊|杂志|会议录).*?((?:19|20)\d\d)(?!\d)"
)
"""Where a paper appeared, with the year."""

_NO_AUTHOR = re.compile(
    r"admin|user|microsoft|adobe|owner|unknown|anonymous|author|\bhp\b|dell|lenovo|windows|donnelley|^\W*$", re.I
)
_STAMPS = re.compile(r"\s*(?:\[[\d,]+\]|[*†‡§¶∗]|[⁰¹²³⁴-⁹]+|,\s*\d+)+")


def describe(source: str, pages: Sequence[Page], meta: Mapping[str, str | None]) -> DocumentInfo:
    """Read the facts off the first pages, the PDF's metadata where it is sane, and the file's name."""
    return described(source, pages, meta)[0]


def described(
    source: str, pages: Sequence[Page], meta: Mapping[str, str | None]
) -> tuple[DocumentInfo, tuple[str, ...]]:
    """What `describe` returns, and why a fact could not be read: it is empty then, and the others are read all the
    same.
    """
    lost: list[str] = []

    def read(fact: str, otherwise: T, of: Callable[..., T], *given: object) -> T:
        try:
            return of(*given)
        except Exception as e:  # whatever one fact's words do, the document is kept
            lost.append(f"the document's {fact} could not be read: {type(e).__name__}: {e}")
            return otherwise

    front = plain_years("\n".join(r.text for p in pages[:FRONT] for r in p.regions))
    name = Path(source).stem
    heading = read("heading", "", _title_text, pages)
    doctype = read("kind", "", _doctype, pages, heading, front)
    company = read("company", "", _company, pages, heading, doctype)
    period, end = read("period", ("", ""), _reported, pages, f"{heading}\n{plain_years(name)}", front, name, doctype)
    info = DocumentInfo(
        title=read("title", _spaced(name), _title, heading, meta, name, doctype, company, period),
        language=read("language", "en", _language, pages, front or heading or meta.get("title") or name),
        company=company,
        period=period,
        date=read("date", end, _dated, pages, meta, doctype, end),
        doctype=doctype,
        authors=read("authors", (), _authors, pages, meta, doctype),
    )
    return info, tuple(lost)


def _company(pages: Sequence[Page], heading: str, doctype: str) -> str:
    return company_of(pages, heading, only_titled=doctype in PARTIES) if doctype != "paper" else ""


def _language(pages: Sequence[Page], otherwise: str) -> str:
    body = "\n".join(r.text for p in _sample(pages) for r in p.regions if r.kind not in FURNITURE)
    return language_of(body or otherwise)


def _dated(pages: Sequence[Page], meta: Mapping[str, str | None], doctype: str, end: str) -> str:
    """The document's day; `end` is the last one of its period."""
    own = _date(pages, doctype)
    return (end or own if doctype in PERIODIC else own or end) or _made(pages, meta)


def _reported(pages: Sequence[Page], said: str, front: str, name: str, doctype: str) -> tuple[str, str]:
    """The period, and its last day where the document says it."""
    period, end = _period(said, "" if doctype in TIMELESS else front, name, doctype, day_comes_first(front))
    if doctype == "paper" and not period:
        period = _volume(pages)
    if doctype in ANNUAL and not end:  # letters to the shareholders come before the form that says it
        cover = (plain_years(r.text) for p in pages[:COVERS] for r in p.regions if r.kind not in FURNITURE)
        end = find_end("\n".join(cover), period)
    return period, end


def _period(said: str, front: str, name: str, doctype: str, day_first: bool) -> tuple[str, str]:
    """The period that title and name say, else the first pages. An annual report's is a year, whatever quarters and
    former years its letter to the shareholders speaks of.
    """
    text = f"{said}\n{front}"
    if doctype in ANNUAL and (titled := find_year(said)):
        return titled, ""
    period, end = find_period(text, day_first=day_first)
    if doctype not in ANNUAL or period.startswith("FY"):
        return period, end
    year = re.search(r"(?<!\d)((?:19|20)\d\d)(?!\d)", name)
    fiscal = find_year(text)
    return (fiscal or (f"FY{year[1]}" if year else period)), ""


def _volume(pages: Sequence[Page]) -> str:
    """The year of the journal or the proceedings that a paper's margins name; empty where they name none."""
    lines = [r.text for p in pages[:2] for r in p.regions if r.kind in FURNITURE or len(r.text) < 160]
    years = (_PRINTED_IN.search(text) for text in lines)
    return next((year[1] or year[2] for year in years if year), "")


def _sample(pages: Sequence[Page]) -> list[Page]:
    """Up to eight pages over the whole document: the front of a report is often in another language."""
    return list(pages[:: max(1, -(-len(pages) // 8))])


def _title_text(pages: Sequence[Page]) -> str:
    """The title on the first page that has one, all its parts."""
    for page in pages[:3]:
        parts: list[str] = []
        for region in page.regions:
            if region.kind == "title":
                text = _undoubled(region.text).strip(" *†‡")
                if not any(indel(_letters(text), _letters(part)) > 0.9 for part in parts):
                    parts.append(text)
        if parts:
            return join_lines(parts)
    return ""


def _undoubled(text: str) -> str:
    """A line that is printed twice, as for a shadow, once."""
    half = len(text) // 2
    if half > 4 and text[:half].strip() == text[-half:].strip():
        return text[:half].strip()
    for middle in [i for i, c in enumerate(text) if c == " " and abs(2 * i - len(text)) < 8]:
        one, other = text[:middle], text[middle + 1 :]
        if len(one) > 8 and indel(_letters(one), _letters(other)) > 0.9:
            return max(one, other, key=len)
    return text


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()


def _title(heading: str, meta: Mapping[str, str | None], name: str, doctype: str, company: str, period: str) -> str:
    if doctype in FORMS and company and not (company in heading and re.search(r"(?<!\d)20\d\d(?!\d)", heading)):
        return " ".join(part for part in (company, "Form", doctype, period) if part)
    named = company in heading and len(_letters(heading)) > len(_letters(company)) + 2
    if doctype.endswith("report") and company and doctype != "report" and not named:
        return " ".join(part for part in (company, doctype, period) if part)
    stated = " ".join((meta.get("title") or "").replace("\0", " ").split())
    sane = len(stated) > 4 and not _SOFTWARE.search(stated) and "\ufffd" not in stated
    if heading and len(heading) <= 250:
        # the same words, of which the page lost blanks
        return (
            stated
            if sane and _letters(stated) == _letters(heading) and stated.count(" ") > heading.count(" ")
            else heading
        )
    if sane:
        return stated
    return " ".join(part for part in (company, doctype, period) if part) if company and doctype else _spaced(name)


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _doctype(pages: Sequence[Page], heading: str, front: str) -> str:
    opening = "\n".join(r.text for p in pages[:2] for r in p.regions)[:6000]
    found = doctype_of(heading, opening) or doctype_of(_under_title(pages), "")
    wide = sum(p.width > 1.2 * p.height for p in pages)
    grids = sum(any(r.kind == "table" for r in p.regions) for p in pages)
    sparse = len(front) < 1200 * min(len(pages), FRONT) and grids < 0.5 * len(pages)
    if not found and len(pages) > 2 and wide > 0.8 * len(pages) and sparse:
        return "slides"
    return found


def _under_title(pages: Sequence[Page]) -> str:
    """The heading right below the title, which may say what kind of document it is."""
    for page in pages[:3]:
        last = max((i for i, r in enumerate(page.regions) if r.kind == "title"), default=None)
        if last is not None:
            return next((r.text for r in page.regions[last + 1 : last + 2] if r.kind == "heading"), "")
    return ""


def _date(pages: Sequence[Page], doctype: str) -> str:
    """The date that stands over the first page, or that the front says is the document's, or that is a line of its
    own there or where the document is signed, else the first within its head or its foot.
    """
    plain = [plain_years("\n".join(r.text for r in p.regions if r.kind != "table")) for p in pages[:FRONT]]
    texts = [without_received(text) for text in plain]
    if not texts:
        return ""
    day_first = day_comes_first("\n".join(texts))
    running = "\n".join(r.text for p in pages[:1] for r in p.regions if r.kind == "header")
    if date := find_date(running, day_first=day_first):
        return date
    if date := find_labelled_date("\n".join([*texts[:1], *(t[:HEAD] for t in texts[1:2])]), day_first=day_first):
        return date
    body = ([plain_years(r.text) for r in p.regions if r.kind not in (*FURNITURE, "table")] for p in reversed(pages))
    signed = next((own[-LAST:] for own in body if own), []) if doctype in SIGNED else []
    for text in (plain_years(r.text) for r in pages[0].regions if r.kind not in (*FURNITURE, "table")):
        if date := lone_date(text, day_first=day_first):
            return date
    for text in reversed(signed):
        if date := lone_date(text, day_first=day_first, closing=True):
            return date
    first = texts[0]
    foot = first[max(HEAD, len(first) - FOOT) :]
    return find_date(first[:HEAD], day_first=day_first) or find_date(foot, day_first=day_first)


def _made(pages: Sequence[Page], meta: Mapping[str, str | None]) -> str:
    """The day the file was made, where the front names its month."""
    made = re.match(r"D?:?((?:19|20)\d\d)(\d\d)(\d\d)", meta.get("creationDate") or "")
    front = "\n".join(plain_years(r.text) for p in pages[:FRONT] for r in p.regions if r.kind != "table")
    if not made or not names_month(front, int(made[1]), int(made[2])):
        return ""
    return iso_date(int(made[1]), int(made[2]), int(made[3]))


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

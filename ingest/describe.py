"""What a document is about as a whole: title, language, company, period, date, type, authors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from h3cold.ingest.doctypes import doctype_of
from h3cold.ingest.language import language_of
from h3cold.ingest.periods import find_date, find_period, plain_years
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.page import FURNITURE, Page

FRONT = 4
"""Pages at the front that name what a document is."""

_REGISTRANT = re.compile(
    r"([^\n|]{3,90})[\s|]*\n[\s|]*\(?\s*exact name of (?:the )?(?:registrant|company|issuer)", re.IGNORECASE
)
_COMPANY_EN = re.compile(
    r"\b((?:The\s+)?(?:[A-Z][\w&.'’-]*|[A-Z]{2,})(?:[ ,]+(?:of|and|&|the|[A-Z][\w&.'’-]*)){0,6}?,?\s+"
    r"(?:Inc|INC|Incorporated|INCORPORATED|Corp|CORP|Corporation|CORPORATION|Ltd|LTD|Limited|LIMITED|LLC|L\.L\.C|PLC|plc|"
    r"Company|COMPANY|Co|Group|GROUP|Holdings|HOLDINGS|N\.V|S\.A|AG|SE|GmbH)\b\.?)"
)
_COMPANY_ZH = re.compile(
    r"([\u4e00-\u9fff]{2,12}(?:[（(][\u4e00-\u9fff]{2,6}[)）])?[\u4e00-\u9fff]{0,14}?"
    r"(?:股份有限公司|有限责任公司|集团有限公司|有限公司|集团公司))"
)
_LEAD_ZH = re.compile(r"^(?:甲方|乙方|发行人|公司名称|关于|和|与|及|由|对|向|为|的|本|该|在)+[：:]?")
_NO_COMPANY = re.compile(
    r"^(?:the\s+)?(?:company|group|corporation|limited|holdings)\.?$|accountan|securities and exchange", re.I
)
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
    company = _company(front, heading)
    period, end = find_period(f"{heading}\n{plain_years(name)}\n{front}")
    if (
        not period
        and doctype in ("10-K", "annual report")
        and (year := re.search(r"(?<!\d)((?:19|20)\d\d)(?!\d)", name))
    ):
        period = f"FY{year[1]}"
    return DocumentInfo(
        title=_title(heading, meta, name, doctype, company, period),
        language=language_of(body or front or heading or meta.get("title") or name),
        company=company,
        period=period,
        date=end or find_date(front) or _meta_date(meta),
        doctype=doctype,
        authors=_authors(pages, meta, doctype),
    )


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
    if doctype in ("10-K", "10-Q", "8-K", "20-F") and company:
        return " ".join(part for part in (company, "Form", doctype, period) if part)
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


def _company(front: str, heading: str) -> str:
    registrant = _REGISTRANT.search(front)
    if registrant and any(c.isupper() for c in registrant[1]):
        return _clean_company(registrant[1])
    for text in (heading, front):
        chinese = Counter(_LEAD_ZH.sub("", name) for name in _COMPANY_ZH.findall(text))
        if chinese:
            return chinese.most_common(1)[0][0]
        names = [_clean_company(n) for n in _COMPANY_EN.findall(text)]
        count = Counter(n for n in names if not _NO_COMPANY.search(n) and len(n) > 5)
        if count:
            best, times = count.most_common(1)[0]
            if text is heading or times >= 2:
                return best
    return ""


def _clean_company(name: str) -> str:
    return re.sub(r"\s+", " ", name).strip(" ,;:_-–—")


def _meta_date(meta: Mapping[str, str | None]) -> str:
    found = re.match(r"D?:?((?:19|20)\d\d)(\d\d)(\d\d)", meta.get("creationDate") or "")
    if not found or not ("01" <= found[2] <= "12" and "01" <= found[3] <= "31"):
        return ""
    return f"{found[1]}-{found[2]}-{found[3]}"


def _authors(pages: Sequence[Page], meta: Mapping[str, str | None], doctype: str) -> tuple[str, ...]:
    stated = (meta.get("author") or "").strip()
    if (
        stated
        and len(stated) < 300
        and not _NO_AUTHOR.search(stated)
        and not _COMPANY_EN.search(stated)
        and not _COMPANY_ZH.search(stated)
    ):
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

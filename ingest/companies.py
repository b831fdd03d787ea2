"""The company a document is about: who registered it, who is named in its title, or whom its pages name most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from h3cold.schemas.page import FURNITURE, Page

COVERS = 30
"""Pages at the front among which a filing's cover page may be: annual reports put letters before it."""

_EXACT_NAME = re.compile(r"exact name of (?:the )?(?:registrant|company|issuer)", re.IGNORECASE)
_FILE_NUMBER = re.compile(r".*\bnumber:?\s*[\d-]+\s*", re.IGNORECASE)
_SUFFIX = (
    r"(?:Inc|INC|Incorporated|INCORPORATED|Corp|CORP|Corporation|CORPORATION|Ltd|LTD|Limited|LIMITED|LLC|L\.L\.C|PLC|plc|"
    r"Company|COMPANY|Co|Group|GROUP|Holdings|HOLDINGS|N\.V|S\.A|AG|SE|GmbH)\b\.?"
)
_ENGLISH = re.compile(
    r"\b((?:The\s+|THE\s+)?(?:[A-Z][\w&.'’-]*)(?:,?\s+(?:of|and|&|the|[A-Z][\w&.'’-]*)){0,5}?,?\s+"
    + _SUFFIX
    + r"(?:,?\s+(?:Inc|INC|Ltd|LTD|Limited|LIMITED|LLC|PLC|plc)\b\.?)?)"
)
_ENDING = re.compile(r"\s(?=[ACGHILNPSp])" + _SUFFIX)
"""What each English name ends in: looked for first, as most texts have none."""

_CHINESE = re.compile(
    r"([\u4e00-\u9fff]{2,12}(?:[（(][\u4e00-\u9fff]{2,6}[)）])?[\u4e00-\u9fff]{0,14}?"
    r"(?:股份有限公司|有限责任公司|集团有限公司|有限公司|集团公司))"
)
_OFFICE = re.compile(r"^.*\b(?:Officer|President|Director|Chairman|Secretary|Treasurer|Manager|Partner|Counsel),\s+")
"""Whoever signs for a company stands before its name."""

_FIRST_PARTY = re.compile(
    r"(?:^|\n)(?:甲\s*方(?:[（(][^（()）\n]{1,10}[)）])?|[\u4e00-\u9fff]{2,6}[（(][^（()）\n]{0,6}甲方[^（()）\n]?[)）])"
    r"[：:]\s*([\u4e00-\u9fff（）()]{2,40}?(?:公司|集团))(?=[\s（(，,。]|$)"
)
"""Whom a Chinese contract names first."""

_BETWEEN = re.compile(r"\b(?:between|among)\s*:?\s+(?:\(?(?:1|i)\)\s*)?(?=[A-Z])")
_AGREED = re.compile(r"\b(?:agreement|contract|lease|deed)\b", re.IGNORECASE)
"""What comes before the first party of an English contract, and shows that it is one."""

_HELPERS = re.compile(
    r"(?:保荐|承销|审计机构|会计师|律师|评级机构|受托管理|财务顾问|上市推荐)[^：:\n]{0,14}[：:][^\n]*"
    r"|\b(?:underwriters?|bookrunners?|managers?|auditors?|counsel|transfer agent|registrar|sponsor|trustee)\b"
    r"[^:\n]{0,20}:[^\n]*",
    re.IGNORECASE,
)
"""Whoever helps a company to an offer or a report is named on its cover as well."""

_LEAD = re.compile(r"^(?:甲方|乙方|发行人|公司名称|关于|和|与|及|由|对|向|为|的|本|该|在)+[：:]?")
_SOFT = frozenset({"co", "group", "company", "holdings", "se", "ag"})
"""Endings that other phrases have as well ("President and Co", "the Company"); they need more evidence."""

_OTHERS = re.compile(
    r"^(?:the\s+)?(?:company|group|corporation|limited|holdings|co)\.?$"
    r"|accountan|exchange commission|trust company|stock market|nasdaq|stock exchange"
    r"|\w+, (?:[a-z]\.\s?){1,3},? (?:and )?\w+, (?:[a-z]\.\s?){1,3}"  # authors with their initials
    r"|pricewaterhouse|deloitte|ernst|kpmg|^(?:our|this|each|any|such|if|in|as|we|president|attach|copyright)\b",
    re.IGNORECASE,
)


def company_of(pages: Sequence[Page], title: str, *, only_titled: bool = False) -> str:
    """The company's name as the document writes it; empty where none is named clearly.

    With `only_titled`, how often companies are named on the pages tells nothing, as on a court's papers.
    """
    cover = "\n".join(r.text for p in pages[:COVERS] for r in p.regions if r.kind not in FURNITURE)
    registrant = _registrant(cover)
    if registrant:
        return registrant
    party = _FIRST_PARTY.search(cover[:6000]) if "甲" in cover else None
    if party:
        return party[1]
    if _AGREED.search(title) and (parties := _first_parties(pages)):
        return parties
    titled = names_in(title)
    if titled:
        return titled[0]
    return "" if only_titled else _most_named(pages)


def _first_parties(pages: Sequence[Page]) -> str:
    """Whom an English contract names first: "… is made between X and Y"."""
    for region in (r for p in pages[:2] for r in p.regions):
        between = _BETWEEN.search(region.text)
        if between and _AGREED.search(region.text[: between.start() + 400]):
            named = names_in(region.text[between.end() : between.end() + 150])
            if named and region.text.startswith(named[0], between.end()):
                return named[0]
    return ""


def _registrant(cover: str) -> str:
    """What stands before "(exact name of registrant as specified in its charter)" on a filing's cover page."""
    if "xact" not in cover and "XACT" not in cover:  # found far sooner than the pattern is
        return ""
    for found in _EXACT_NAME.finditer(cover):
        before = [
            part.strip(" (|\t") for part in re.split(r"[\n|]", cover[max(0, found.start() - 150) : found.start()])
        ]
        name = _FILE_NUMBER.sub("", next((part for part in reversed(before) if part), ""))
        if 3 <= len(name) <= 90 and any(c.isupper() for c in name):
            return _tidy(name)
    return ""


def names_in(text: str) -> list[str]:
    """Company names in a text, in its order."""
    chinese = [_LEAD.sub("", name) for name in _CHINESE.findall(text)] if "公司" in text else []
    english = [_tidy(_OFFICE.sub("", name)) for name in _ENGLISH.findall(text)] if _ENDING.search(text) else []
    return chinese + [name for name in english if len(name) > 5 and not _OTHERS.search(name)]


def _may_name(text: str) -> bool:
    """Whether a text has how a company's name ends: most have not."""
    return "公司" in text or _ENDING.search(text) is not None


def _most_named(pages: Sequence[Page]) -> str:
    """The name on most pages; one in the running lines of a page counts double, one on the first page triple."""
    count: Counter[str] = Counter()
    spelt: dict[str, Counter[str]] = {}
    step = max(1, len(pages) // 60)
    sample = [*pages[:8], *pages[8::step]]
    for page in sample:
        here: dict[str, int] = {}
        for region in page.regions:
            if region.kind == "table":
                continue  # a list of many
            text = region.text
            if not _may_name(text):
                continue
            for name in names_in(_HELPERS.sub("", text) if ":" in text or "：" in text else text):
                key = re.sub(r"\W+|^the\s", "", name.casefold())
                weight = 3 if page.number == 1 else 2 if region.kind in FURNITURE else 1
                if page.number == 1 and len(region.text.strip()) <= len(name) + 1:
                    weight = 5  # all that a line of the cover says
                here[key] = max(here.get(key, 0), weight)
                spelt.setdefault(key, Counter())[name] += 1
        count.update(here)
    if not count:
        return ""
    (key, weight), *others = count.most_common(9)
    if weight < 1.5 * max((n for k, n in others if k not in key and key not in k), default=0):
        return ""  # one of several
    name = min(spelt[key], key=lambda n: (n.isupper(), -spelt[key][n], n))
    soft = name.split()[-1].strip(".").lower() in _SOFT
    return name if weight >= (4 if soft else 3) else ""


def _tidy(name: str) -> str:
    return re.sub(r"\s+", " ", name).strip(" ,;:_-–—")

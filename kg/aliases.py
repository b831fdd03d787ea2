"""Short names that a document gives its parties: (the “Company”), （以下简称“本公司”）, (SEC), pairs of languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from h3cold.kg.names import is_acronym, word_set
from h3cold.kg.spans import Span
from h3cold.schemas.graph import EntityType

NAMED: frozenset[EntityType] = frozenset({"PERSON", "ORG", "AGENCY", "LAW", "CONTRACT", "PLACE", "PRODUCT"})
SELF_EN = (
    "the Company",
    "The Company",
    "the Registrant",
    "The Registrant",
    "the registrant",
    "our Company",
    "our company",
)
SELF_ZH = ("本公司", "我公司", "本集团", "发行人", "公司")
"""Words for the document's own company where it defines none."""
PARTIES_ZH = ("甲方", "乙方", "丙方", "丁方")

_OPEN, _CLOSE = r"[(（\[]", r"[)）\]]"
_QUOTED = re.compile(r"[“\"「『]\s?([^“”\"「」『』()（）\n]{1,40}?)\s?,?[”\"」』]")
_BRACKET = re.compile(_OPEN + r"((?:[^()（）\[\]\n]|[(（][^()（）\[\]\n]{1,20}[)）]){1,160})" + _CLOSE)
_PARTY = re.compile(
    r"(甲方|乙方|丙方|丁方|委托方|受托方|出租方|承租方|出让方|受让方|转让方|买方|卖方|借款人|贷款人|担保人|保证人|债权人|债务人|发包人|承包人|采购人|供应商)"
    r"(?:[（(][^（）()\n]{1,20}[)）])?\s?[:：]\s?"
)
_SHORT_OF = re.compile(r"[“\"]?([A-Za-z\u4e00-\u9fff]{2,12})[”\"]?(?:是|为|系|即)$")
_SHORT_ZH = re.compile(
    r"(?:以下统称|以下合称|以下简称|下称|以下称|简称|又称|或称|或)\s?(?:为|作)?\s?[:：]?\s?[“\"「『'‘]?([^“”\"「」『』'‘’,，、;；或]{1,20})[”\"」』'’]?"
)
_BARE_ACRONYM = re.compile(r"^[A-Z][A-Za-z&.-]{1,7}$")
_LATIN_NAME = re.compile(r"^(?:英文名称?(?:为|是)?[:：]?\s?)?([A-Z][\w&'’.,-]*(?:\s[\w&'’.,()-]+){1,10})$")
_HAN_NAME = re.compile(r"^(?:中文名称?(?:为|是)?[:：]?\s?)?([\u4e00-\u9fff（）()]{4,30})$")
_ROLE = re.compile(
    r"^(?:together|collectively|each|including|as (?:amended|successor)|formerly|see|note)\b", re.IGNORECASE
)
_OF_ACT = re.compile(
    r"^(?:Sections?|Rules?|Article)\s[^A-Z]{1,30}(?:[A-Z]\)?[^A-Z]{0,10})?\b(?:of|under|to)\s(?:the\s)?(?=[A-Z].*\b(?:Act|Code|Law)\b)"
)
"""The part of an act before its name: the bracket behind both shortens the act."""
_NEAR = 160
"""Characters between a name's end and the bracket that shortens it ("X, a Delaware corporation (“Y”)")."""


_MEAN = re.compile(
    r"((?:[“\"][^“”\"\n]{1,40}[”\"][\s,;]{0,3}(?:and\s|or\s)?){1,8})(?:[^.“”\"\n]{0,20}\b)?"
    r"(?:mean|means|refer to|refers to|refer collectively to|are to)\s(?:the\s|The\s)?"
)
_ACRONYM = re.compile(r"\(([A-Z][A-Za-z&-]{1,8})\)")


class Alias(NamedTuple):
    """`short` stands for the entity `full` of type `type` in this document; `same` where both are proper names."""

    short: str
    full: str
    type: EntityType
    same: bool


def find_aliases(text: str, spans: Sequence[Span]) -> Iterator[Alias]:
    """Aliases that `text` defines, given its names in order of place."""
    named = [s for s in spans if s.type in NAMED]
    yield from _meant(text, named)
    yield from _labelled(text, named)
    for match in _BRACKET.finditer(text):
        inner = match.group(1).strip()
        owner = _owner(text, match.start(), named)
        if owner is None:
            continue
        direct = not text[owner.end : match.start()].strip(" ,.")
        shorts = (
            [m.group(1) for m in _SHORT_ZH.finditer(inner)] if re.search(r"简称|下称|统称|合称|以下称", inner) else []
        )
        if not shorts and not re.search(r"collectively|together with|respectively", inner):
            shorts = [m.group(1) for m in _QUOTED.finditer(inner)]
        parts = [p.strip() for p in re.split("[,，、;；]", inner)]
        if direct and owner.type in ("ORG", "AGENCY", "PERSON"):
            pairs = [pair for part in dict.fromkeys((inner, *parts)) if (pair := _pair(owner.text, part))]
            for pair in pairs[:1]:
                yield Alias(pair, owner.text, owner.type, True)
                shorts += [p for p in parts if p != pair and _BARE_ACRONYM.match(p) and is_acronym(p, pair)]
        if not shorts and direct and _BARE_ACRONYM.match(inner) and is_acronym(inner, owner.text):
            shorts = [inner]
        for short in shorts:
            name = re.sub(r"^(?:the|The|our|a)\s", "", short.strip(" ,.“”\"'‘’"))
            said = "简称" in inner or "下称" in inner
            role = name.casefold() in word_set("parties") or name in SELF_ZH or not name.isascii() or said
            if len(name) >= 2 and name != owner.text and not _ROLE.match(name) and (role or _proper(name, owner)):
                full = _OF_ACT.sub("", owner.text) if owner.type == "LAW" else owner.text
                yield Alias(name, full, owner.type, _proper(name, owner))


def _meant(text: str, named: Sequence[Span]) -> Iterator[Alias]:
    """“we,” “the firm” and “X” mean NAME: the names of a report for its own company."""
    for match in _MEAN.finditer(text):
        owner = next((s for s in named if s.type == "ORG" and 0 <= s.start - match.end() <= 6), None)
        if owner is None:
            continue
        for quoted in _QUOTED.finditer(match.group(1)):
            short = re.sub(r"^(?:the|The|our|a)\s", "", quoted.group(1).strip(" ,.;"))
            if short.casefold() in ("we", "us", "our"):
                yield Alias("we", owner.text, "ORG", False)
            elif len(short) >= 2 and short != owner.text:
                yield Alias(short, owner.text, "ORG", _proper(short, owner))


def _labelled(text: str, named: Sequence[Span]) -> Iterator[Alias]:
    """甲方：X公司, and "X是Y的简称"."""
    starts = {s.start: s for s in named if s.type in ("ORG", "AGENCY", "PERSON")}
    for match in _PARTY.finditer(text):
        if match.end() in starts:
            yield Alias(match.group(1), starts[match.end()].text, starts[match.end()].type, False)
    for match in re.finditer("的(?:简称|英文简称|英文缩写|缩写)", text):
        owner = next((s for s in starts.values() if s.end == match.start()), None)
        if owner is not None and (short := _SHORT_OF.search(text, max(0, owner.start - 16), owner.start)):
            yield Alias(short.group(1), owner.text, owner.type, False)


def acronym_terms(text: str, spans: Sequence[Span]) -> Iterator[str]:
    """Acronyms in brackets that shorten what is no name here: "global core liquid assets (GCLA)"."""
    for match in _ACRONYM.finditer(text):
        before = re.findall(r"[\w&'’-]+", text[max(0, match.start() - 100) : match.start()])
        letters = re.sub(r"[^A-Za-z]", "", match.group(1)).rstrip("s").lower()
        spelt = any(
            "".join(p[0] for w in before[-n:] for p in w.split("-") if p).lower() == letters
            for n in range(2, min(9, len(before) + 1))
        )
        owned = any(s.type in NAMED and 0 <= match.start() - s.end <= 1 for s in spans)
        if spelt and not owned:
            yield match.group(1)


def _owner(text: str, at: int, named: Sequence[Span]) -> Span | None:
    """The name that a bracket at `at` belongs to: the nearest before it, or the head of the list it ends."""
    before = [s for s in named if at - _NEAR <= s.end <= at]
    if not before:
        return None
    last = before[-1]
    gap = text[last.end : at].lstrip(".")
    if re.search(r"[.;。；](?:\s|$)", gap):
        return None
    # "X Inc., a Delaware corporation (“Y”)": the bracket speaks of X, not of the place.
    for span in reversed(before):
        between = text[span.end : at]
        if (
            re.match(r",?\s(?:an?|the)\s", between)
            and span.type in ("ORG", "PERSON")
            and not re.search(r"[.;]\s", between)
        ):
            return span
    return last


def _pair(name: str, inner: str) -> str:
    """The other language's name in a bracket after `name`, or ""."""
    han = any("\u4e00" <= c <= "\u9fff" for c in name)
    match = (_LATIN_NAME if han else _HAN_NAME).match(inner)
    return match.group(1) if match else ""


def _proper(short: str, owner: Span) -> bool:
    """True for a short form that says who it is by itself ("GS", "Goldman Sachs"), False for a role ("Bank", 甲方)."""
    if is_acronym(short, owner.text):
        return True
    if any("\u4e00" <= c <= "\u9fff" for c in short):
        return len(short) >= 3 and set(short) <= set(owner.text)
    folded, full = short.casefold().split(), owner.text.casefold().replace(",", "").split()
    return bool(folded) and set(folded) <= set(full) and short[:1].isupper()

"""English turns of phrase that tie two names by the words between, before and behind them, whatever the names' kinds."""
# ruff: noqa: E501  (a pattern is read as one piece, however long)

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from h3cold.kg.forms_en import OFFICES
from h3cold.kg.spans import Found, Span
from h3cold.kg.surface_en import fits
from h3cold.schemas.graph import EntityType, RelationType

_THE = r"(?:the\s)?"
_FEW = r"(?:[\w$€£%.,&'’-]+\s){0,5}?"
_ASIDE = r"(?:\s\([^()]{1,40}\))?"
_BE = r"(?:,?\s(?:(?:who|which)\s)?(?:is|was|became|remains|has\sbeen)\s(?:now\s|currently\s|also\s|then\s)?|,\s)(?:an?\s|the\s|its\s|our\s|one\sof\s(?:the\s)?)?"
_HAS = r"\s(?:has|had|have|took|retains?|maintains?|holds?|held)\s(?:an?\s)?"
_STAKE = r"(?:stake|interest|shareholding|stockholding|holding|equity)"
_WORKER = (
    r"(?:employee|engineer|professor|lecturer|researcher|scientist|analyst|economist|journalist|editor|reporter|columnist|correspondent"
    r"|consultant|lawyer|attorney|accountant|adviser|advisor|instructor|producer|designer|programmer|developer|architect|curator"
    r"|player|striker|goalkeeper|midfielder|defender|pitcher|quarterback|forward|coach|manager|captain|member|faculty\smember|staff\smember|fellow)s?"
)
_SUIT = r"(?:action|suit|lawsuit|claim|complaint|proceedings?|arbitration|petition|case)s?"


class Phrase(NamedTuple):
    """A relation and what stands between two names, behind the second, and before the first.

    `swap` makes the second name the head; `value` is the kind of value that belongs to the edge, or "office".
    """

    type: RelationType
    first: str
    second: str
    gap: str
    behind: str = ""
    before: str = ""
    swap: bool = False
    confidence: float = 0.78
    value: str = ""


_O, _P, _A, _L, _C, _W = "ORG", "PERSON", "AGENCY", "PLACE", "CONTRACT", "LAW"
_OP, _OA = "ORG|PERSON", "ORG|AGENCY"

PHRASES: tuple[Phrase, ...] = (
    # owns
    Phrase("owns", _OP, _O, rf"{_ASIDE}{_BE}(?:[\w-]+\s){{0,3}}(?:share|stock)holder\s(?:of|in)\s{_THE}", value="PERCENT"),
    Phrase("owns", _O, _OP, rf"{_ASIDE},?\sin\swhich\s{_THE}", rf"{_HAS}{_FEW}{_STAKE}\b", swap=True, value="PERCENT"),
    Phrase("owns", _OP, _O, rf"{_ASIDE}{_HAS}{_FEW}{_STAKE}\sin\s{_THE}", value="PERCENT"),
    Phrase("owns", _OP, _O, rf"{_ASIDE}\s(?:increased|raised|reduced|cut|decreased|lowered|built\sup)\sits\s{_FEW}{_STAKE}\sin\s{_THE}", value="PERCENT"),
    Phrase("owns", _OP, _O, rf"['’]s?\s{_FEW}{_STAKE}\sin\s{_THE}", value="PERCENT"),
    Phrase("owns", _O, _OP, rf"['’]s?\s(?:[\w-]+\s){{0,3}}(?:(?:share|stock)holder|owner),?\s(?:(?:is|was)\s)?{_THE}", swap=True, value="PERCENT"),
    Phrase("owns", _O, _OP, rf"{_ASIDE}{_BE}(?:[\w-]+\s){{0,6}}?(?:[\w-]*owned|controlled)(?:\sand\soperated)?\s(?:by|company\sof)\s{_THE}", swap=True, value="PERCENT"),
    Phrase("owns", _O, _OP, rf"(?:['’]s?)?\s(?:[\w-]+\s){{0,2}}(?:share|stock)holders\s(?:are|were|include)\s{_THE}", swap=True, value="PERCENT"),
    Phrase("owns", _O, _OP, rf"{_ASIDE}\s(?:are|were|include)\s{_THE}", "", r"\b(?:share|stock)holders\sof\s(?:the\s)?$", swap=True, value="PERCENT"),
    # acquires
    Phrase("acquires", _OP, _O, rf"{_ASIDE}\s(?:has\s)?(?:took|taken|takes)\sover\s{_THE}", value="MONEY"),
    Phrase("acquires", _O, _OP, rf"{_ASIDE}\sby\s{_THE}", "", rf"\b(?:acquisition|purchase|takeover)\sof\s(?:all\sof\s)?{_THE}$", swap=True, value="MONEY"),
    Phrase("acquires", _O, _O, rf"{_ASIDE}\s(?:has\s|was\s|were\s)?merged\s(?:with\sand\s)?into\s{_THE}", swap=True),
    Phrase("acquires", _O, _O, rf"{_ASIDE}\s(?:has\s)?(?:merged|completed\s(?:its|a|the)\smerger)\swith\s{_THE}", confidence=0.6),
    # subsidiary_of
    Phrase("subsidiary_of", _O, _O, rf"{_ASIDE}{_BE}(?:[\w-]+\s){{0,2}}(?:holding|parent)(?:\scompany|\scorporation)?\s(?:of|for)\s{_THE}", swap=True),
    Phrase("subsidiary_of", _O, _O, rf"['’]s?\s(?:[\w-]+\s){{0,3}}(?:subsidiary|unit|division|arm|imprint|label),?\s{_THE}", swap=True),
    Phrase("subsidiary_of", _O, _OA, rf"{_ASIDE}{_BE}(?:[\w-]+\s){{0,4}}(?:subsidiary|unit|division|arm|branch|imprint|department|brand|label|wing|organ|affiliate\slabel)\s(?:company\s)?(?:of|within)\s{_THE}"),
    # invests_in
    Phrase("invests_in", _OP, _O, rf"{_ASIDE}\s(?:has\s)?(?:made|completed)\s(?:an?\s)?{_FEW}investments?\s(?:of\s[^,;]{{2,30}}?\s)?in\s{_THE}", value="MONEY"),
    Phrase("invests_in", _O, _OP, rf"{_ASIDE}\s(?:received|secured|obtained|closed)\s(?:an?\s)?{_FEW}(?:investment|funding|financing|capital)(?:\sof\s[^,;]{{2,30}}?)?\sfrom\s{_THE}", swap=True, value="MONEY"),
    Phrase("invests_in", _O, _OP, rf"{_ASIDE}\sraised\s[^;]{{2,40}}?\sfrom\s{_THE}", swap=True, value="MONEY"),
    Phrase("invests_in", _OP, _O, rf"['’]s?\s{_FEW}investment(?:\sof\s[^,;]{{2,30}}?)?\sin\s{_THE}", value="MONEY"),
    Phrase("invests_in", _OP, _O, rf"{_ASIDE}\s(?:co-)?led\s(?:an?\s|the\s)?{_FEW}(?:round|financing|funding)(?:\sround)?\s(?:in|of|for)\s{_THE}", value="MONEY"),
    # officer_of
    Phrase("officer_of", _O, _P, r"\s(?:has\s|had\s)?(?:named|appointed|elected|promoted|hired)\s(?:Mr\.\s|Ms\.\s|Dr\.\s)?", rf",?\s(?:as\s|to\s(?:be\s)?)?(?:its\s|the\s|an?\s)?(?:new\s)?{OFFICES}(?!\w)", swap=True, value="office"),
    Phrase("officer_of", _P, _OA, rf"\s(?:(?:has\s)?joined|sits\son|sat\son|serves\son|served\son|was\s(?:elected|appointed)\sto|is\s(?:currently\s)?a\smember\sof)\s{_THE}(?:[Bb]oard(?:\sof\s(?P<o>[Dd]irectors|[Tt]rustees|[Gg]overnors))?)\s(?:of|at)\s{_THE}", value="board"),
    Phrase("officer_of", _OA, _P, rf"{_ASIDE},?\s(?:(?:which\s)?(?:is|was)\s)?(?:led|headed|chaired)\sby\s(?:[a-z][\w-]+\s){{0,3}}(?:Mr\.\s|Ms\.\s|Dr\.\s|Sir\s)?", swap=True, confidence=0.72),
    Phrase("officer_of", _P, _OA, rf",?\s(?:heads|headed|chairs|chaired|(?:co-)?founded|founding|who\s(?:(?:co-)?founded|heads|headed))\s{_THE}", confidence=0.74),
    Phrase("officer_of", _OA, _P, rf"{_ASIDE}(?:,?\s(?:which\s)?(?:is|was)|,)?\s(?:(?:co-)?founded|established)\s(?:in\s\d{{4}}\s)?by\s(?:[a-z][\w-]+\s){{0,4}}(?:Mr\.\s|Ms\.\s|Dr\.\s|Sir\s)?", swap=True, value="founder"),
    Phrase("officer_of", _OA, _P, rf"['’]s?\s(?:[a-z][\w-]+\s){{0,2}}?(?P<o>{OFFICES}|leader|head|commissioner|coach),?\s(?:(?:is|was)\s)?(?:Mr\.\s|Ms\.\s|Dr\.\s|Sir\s)?", swap=True, value="office"),
    Phrase("officer_of", _P, _OA, rf"(?:\s\([^()]{{1,40}}\))?{_BE}(?:[\w-]+\s){{0,4}}?(?P<o>leader|head|(?:general\s)?secretary|dean|rector|chancellor|governor|commissioner|principal|provost|founder|co-founder|founding\smember|chairman|president|director|executive)(?:\sand\s[\w-]+(?:\s[\w-]+)?)?\sof\s{_THE}(?:(?:record\slabel|company|company|party|band|group|firm|club|newspaper|magazine)\s)?", value="office"),
    # employed_by
    Phrase("employed_by", _P, _OA, rf"(?:\s\([^()]{{1,40}}\))?{_BE}(?:[\w-]+\s){{0,8}}?{_WORKER}\s(?:[\w-]+\s){{0,3}}?(?:of|at|with|for)\s{_THE}", confidence=0.75),
    Phrase("employed_by", _P, _OA, rf"(?:,?\swho|,\s(?:and\s)?)?\s(?:has\s|had\s|currently\s|also\s|later\s|then\s)?(?:plays?|played|pitched|coached|coaches|starred|worked|works|taught|teaches|lectured)\s(?:[\w-]+\s){{0,6}}?(?:for|at|with)\s{_THE}", confidence=0.75),
    Phrase("employed_by", _P, _OA, rf"\s(?:is|was)\s(?:employed|hired|signed|drafted|selected)\s(?:[\w-]+\s){{0,6}}?by\s{_THE}", confidence=0.75),
    Phrase("employed_by", _P, _OA, rf"\s(?:signed|re-signed)\s(?:[\w-]+\s){{0,6}}?(?:with|for)\s{_THE}", confidence=0.72),
    # supplies
    Phrase("supplies", _O, _O, rf"{_ASIDE}{_BE}(?:[\w-]+\s){{0,4}}(?:supplier|vendor|provider|manufacturer)\s(?:of\s(?:[\w-]+\s){{1,4}})?(?:to|for)\s{_THE}"),
    # located_in
    Phrase("located_in", _L, _OA, r"[- ]based\s(?:[a-z][\w-]+\s){0,4}", swap=True),
    Phrase("located_in", _OA, _L, rf"{_ASIDE}{_BE}(?:[a-z][\w-]+\s){{0,4}}", r"\s?-\s?based\b"),
    Phrase("located_in", _L, _OA, r"['’]s\s", r"(?!\s[a-z-]+s?\b(?<!\sis)(?<!\swas)(?<!\shas)(?<!\sin)(?<!\sand)(?<!\sof))", swap=True, confidence=0.7),
    Phrase("located_in", _O, _L, rf"\s(?:is|are|was|were)\s(?:located\s|situated\s)?(?:in|at)\s{_THE}", "", r"\b(?:headquarters|head\soffice|(?:principal\s)?(?:executive\s)?offices?|registered\soffice)\sof\s(?:the\s)?$"),
    Phrase("located_in", _O, _L, rf"['’]s?\s(?:[\w-]+\s){{0,3}}(?:headquarters|head\soffice|(?:principal\s)?(?:executive\s)?offices?|registered\soffice)\s(?:is|are|was|were)\s(?:located\s|situated\s)?(?:in|at)\s{_THE}"),
    # regulated_by, penalised_by
    Phrase("regulated_by", _A, _O, rf"{_ASIDE}{_BE}(?:[\w-]+\s){{0,3}}(?:regulator|supervisor|overseer)\s(?:of|for)\s{_THE}", swap=True),
    Phrase("penalised_by", _A, _OP, rf"{_ASIDE}\s(?:has\s)?(?:imposed|assessed|levied|issued)\s[^;]{{0,80}}?(?:penalt(?:y|ies)|fines?|sanctions?)\b[^;]{{0,40}}?\s(?:on|against|upon)\s{_THE}", swap=True, value="MONEY"),
    Phrase("penalised_by", _OP, _A, rf"{_ASIDE}\s(?:received|was\sgiven|incurred)\s[^;]{{0,50}}?(?:fines?|penalt(?:y|ies)|sanctions?|reprimand)\b[^;]{{0,30}}?\s(?:from|by)\s{_THE}", value="MONEY"),
    # litigates_against
    Phrase("litigates_against", f"{_OP}|AGENCY", _OP, rf"{_ASIDE}\s(?:on\s[^;]{{4,20}}\s)?against\s{_THE}", "", rf"\b{_SUIT}\b[^.;]{{0,40}}\b(?:filed|brought|commenced|initiated)\sby\s{_THE}$"),
    Phrase("litigates_against", f"{_OP}|AGENCY", _OP, rf"{_ASIDE}\s(?:has\s)?(?:filed|brought|commenced|initiated|lodged)\s[^;]{{0,60}}?\b{_SUIT}\b[^;]{{0,40}}?\sagainst\s{_THE}"),
    Phrase("litigates_against", _OP, f"{_OP}|AGENCY", rf"{_ASIDE}\s(?:is|was|were|has\sbeen)\s(?:named\s)?(?:as\s)?(?:an?\s)?(?:co-)?defendants?\sin\s[^;]{{0,60}}?\b(?:filed|brought|commenced)\sby\s{_THE}", swap=True),
    # guarantees
    Phrase("guarantees", _OP, _OP, rf"{_ASIDE}\s(?:has\s)?(?:provided|issued|gave|given|provides|guaranteed|guarantees)\s(?:an?\s)?(?:[\w$€£.,-]+\s){{0,6}}?(?:(?:guarantees?|of)\s)(?:for\s|of\s|to\s|in\sfavou?r\sof\s|the\s)*(?:(?:[\w-]+\s){{1,4}}(?:of|by)\s)?{_THE}", confidence=0.74),
    Phrase("guarantees", _OP, _OP, rf"{_ASIDE}(?:\s(?:acts?|acted|serves?|served)\sas|{_BE})(?:\s?(?:an?|the))?\s?guarantor\s(?:of|for)\s{_THE}(?:(?:[\w-]+\s){{1,5}}(?:of|by)\s{_THE})?"),
    Phrase("guarantees", _O, _OP, rf"(?:['’]s?)?{_ASIDE}\s[^.;]{{0,50}}?\b(?:is|are|was|were|been)\s(?:[\w-]+\s){{0,4}}guaranteed\s(?:by|on[\w\s-]+by)\s{_THE}", swap=True),
    # cites
    Phrase("cites", _W, _W, r"(?:\s(?:and|or)\s\d[\w.() -]{0,14}?)?(?:,?\s(?:which\s)?(?:is|was|were|are))?\s(?:adopted|promulgated|issued|enacted|made|established)\s(?:under|pursuant\sto)\s(?:the\s)?"),
    Phrase("cites", _W, _W, r"\s(?:refers?|referred|refer\sback)\sto\s(?:the\s)?"),
    Phrase("cites", _W, _W, r",?\s(?:as\s)?(?:defined|set\sforth|described|prescribed)\s(?:in|by|under)\s(?:the\s)?"),
)  # fmt: skip
_HEDGE = re.compile(
    r"\b(?:if|unless|whether|(?-i:may)|might|could|would|should|shall|will|cannot|can|not|never|no\slonger|neither|nor|without|proposed|potential|possible|planned"
    r"|plans?\sto|intends?\sto|expects?\sto|agreed\sto|seeks?\sto|considering|reportedly|allegedly|rumou?red|denie[sd])\b|n['’]t\b",
    re.IGNORECASE,
)
_BEFORE_HEDGE = re.compile(
    r"\b(?:[Nn]either|[Nn]or|[Nn]one\sof|[Nn]o|[Ii]f|[Uu]nless|[Ww]hether|[Hh]ad|[Ss]hould|[Pp]roposed|[Pp]lanned|[Pp]otential|[Pp]ossible|[Aa]ttempted|[Ff]ailed)\b[^,;.]{0,40}$"
)
_NEAR = 4
"""Names between which a phrase may stand: the next few."""


@cache
def _compiled() -> tuple[
    tuple[Phrase, frozenset[str], frozenset[str], re.Pattern[str], re.Pattern[str] | None, re.Pattern[str] | None], ...
]:
    return tuple(
        (
            p,
            frozenset(p.first.split("|")),
            frozenset(p.second.split("|")),
            re.compile(p.gap),
            re.compile(p.behind) if p.behind else None,
            re.compile(p.before) if p.before else None,
        )
        for p in PHRASES
    )


@cache
def _by_kinds() -> dict[tuple[EntityType, EntityType], list[int]]:
    """Numbers of the phrases that may stand between names of two kinds."""
    out: dict[tuple[EntityType, EntityType], list[int]] = {}
    for i, (_, first, second, *_) in enumerate(_compiled()):
        for a in first:
            for b in second:
                out.setdefault((a, b), []).append(i)  # type: ignore[arg-type]
    return out


def phrases(text: str, spans: Sequence[Span]) -> Iterator[Found]:
    """Relations of one sentence; `spans` in order of place and in its coordinates, values among them."""
    names = [s for s in spans if s.type in ("ORG", "PERSON", "AGENCY", "PLACE", "LAW")]
    text = text.replace("\n", " ")
    dates = [s for s in spans if s.type == "DATE"]
    period = dates[0].text if len(dates) == 1 else ""
    for index, first in enumerate(names):
        for second in names[index + 1 : index + 1 + _NEAR]:
            gap = text[first.end : second.start]
            if len(gap) > 160 or _HEDGE.search(gap):
                break
            for number in _by_kinds().get((first.type, second.type), ()):
                phrase, _, _, between, behind, before = _compiled()[number]
                match = between.fullmatch(gap)
                if match is None:
                    continue
                after = behind.match(text, second.end) if behind is not None else None
                if (behind is not None and after is None) or (after is not None and _HEDGE.search(after.group())):
                    continue
                lead = before.search(text, max(0, first.start - 90), first.start) if before is not None else None
                if (before is not None and lead is None) or _BEFORE_HEDGE.search(
                    text, max(0, first.start - 60), first.start
                ):
                    continue
                head, tail = (second, first) if phrase.swap else (first, second)
                if not fits(phrase.type, head, tail):
                    continue
                end = after.end() if after is not None else second.end
                value = _value(phrase.value, spans, match, after, end)
                yield Found(phrase.type, head, tail, first.start, end, phrase.confidence, value, period)


def _value(kind: str, spans: Sequence[Span], gap: re.Match[str], behind: re.Match[str] | None, end: int) -> str:
    """The edge's share, amount or office: the only one of its kind in the sentence, or as the phrase says it."""
    if kind == "founder":
        return "founder"
    if kind == "board":
        return {"t": "trustee", "g": "governor"}.get((gap.groupdict().get("o") or "d")[0].lower(), "director")
    if kind == "office":
        if said := gap.groupdict().get("o"):
            return str(said)
        office = re.search(OFFICES, behind.group()) if behind is not None else None
        return office.group() if office is not None else ""
    values = [s.text for s in spans if kind and s.type == kind]
    return values[0] if len(values) == 1 else ""

"""Where things are, by the words of an English sentence: chains of places, what lies in them, adjectives of countries."""
# ruff: noqa: E501  (a pattern is read as one piece, however long)

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise

from h3cold.kg.names import countries, fold, read_lines
from h3cold.kg.spans import Found, Span

_SETTLED = (
    r"village|capital|camp|hamlet|town|township|city|municipality|district|province|county|commune|comune|comarca"
    r"|neighbou?rhood|region|borough|community|settlement|locality|parish|ward|quarter|territory|state|department"
    r"|subdistrict|prefecture|oblast|voivodeship|place|seat|port|resort|metropolis|area|exclave|principality"
)
_SITE = (
    r"airport|school|station|park|stadium|arena|museum|valley|peak|castle|building|skyscraper|river|stream|creek|lake"
    r"|island|archipelago|mountain|range|volcano|glacier|bay|peninsula|forest|reserve|bridge|dam|street|highway|motorway"
    r"|freeway|route|railway|canal|church|cathedral|basilica|monastery|abbey|temple|mosque|palace|fort|fortress|tower|theat(?:re|er)"
    r"|hospital|clinic|university|college|institute|institution|academy|seminary|library|prison|cemetery|hotel|mall|plant|factory"
    r"|mine|refinery|farm|base|monument|memorial|zoo|garden|hall|studio|venue|beach|hill|reservoir|desert|plateau|square|centre|center"
)
_BODY = (
    r"company|corporation|firm|manufacturer|maker|producer|automaker|carmaker|airline|bank|insurer|retailer|publisher|developer"
    r"|provider|operator|supplier|contractor|conglomerate|group|broadcaster|network|channel|newspaper|magazine|label|club|team|band"
    r"|orchestra|party|union|agency|ministry|authority|organi[sz]ation|association|foundation|charity|distributor|start-?up|utility"
    r"|brewery|shipyard|chain|partnership|trust|enterprise|businesses|business|brokerage|bookmaker|builder|legislature|parliament"
)
_KINDS = rf"(?:{_SETTLED}|{_SITE}|{_BODY})"
_FILL = r"(?!(?:of|for|by|with|to|from|who|that|which|in|at|is|was|between|and)\b)[\w'’./-]+,?\s(?:(?:and|/)\s)?"
_SIDE = (
    r"(?:(?:far\s|extreme\s|present[- ]day\s|modern\s|what is now\s)?(?:(?:north|south|east|west|central|upper|lower|mid)[\w-]*(?:[-\s](?:central|west|east)\w*)?\s)?"
    r"(?:(?:part|end|portion|side|half|corner|edge|suburbs?|outskirts|heart|centre|center)\sof\s(?:the\s)?)?"
    r"(?:(?:north|south|east|west|central)\w*\s)?)"
)
_OF_KIND = r"(?:(?:[\w.-]+\s){0,2}(?:" + _SETTLED + r")\sof\s(?:the\s)?)?"
_LEAD = r"(?:the\s)?" + _SIDE + _OF_KIND + _SIDE
_LINK = re.compile(
    rf"\s?(?:,\s(?:(?:in|within)\s)?{_LEAD}|\sin\s{_LEAD}|\s(?:{_SETTLED}|{_SITE})\sof\s(?:the\s)?{_SIDE}"
    rf"|\s(?:{_SETTLED}),?\s(?:in|of)\s{_LEAD}|,\s(?:the\s)?capital\sof\s(?:the\s)?|\s\(|\),?\sin\s{_LEAD})"
)
"""Between a place and the one that it lies in."""
_APART = re.compile(rf"\s?(?:,\s(?:the\s)?{_SIDE}|\s\()")
"""Links that a list has, too: they need a large place at the end."""
_LIST = re.compile(r"\s?,?\s(?:and|or|&|to|as well as)\s(?:in\s|the\s)*(?=[A-Z])")
_ALSO_CITIES = frozenset(
    {"new york", "washington", "singapore", "hong kong", "mexico", "luxembourg", "panama", "kuwait"}
)
_LIST_BEFORE = re.compile(r"\b(?:and|or|between|from)\s$|[A-Z]\w+,\s$")
_BE = r"(?:,?\s(?:which\s|that\s)?(?:is|are|was|were|became|remains)\s(?:now\s|also\s|currently\s|then\s)?(?:an?\s|the\s|one\sof\s(?:the\s)?)|,\s(?:an?\s|the\s))"
_ALIAS = r"(?:\s\([^()]{0,160}\)|,\s(?:formerly|also|officially|originally|commonly)\s[^.;]{3,60},){0,2}"
_AFTER_KIND = (
    r"(?=[^\s\w]|$|\s(?:that|which|who|whose|where|in|on|at|of|for|by|with|from|to|as|and|or|but|is|are|was|were|has|had|near|since|until"
    r"|within|under|during|after|before|about|than|[a-z-]+(?:ed|ing)|known|built|born|made|held|run|led|based|[A-Z(])\b|\s[(“\"])"
)
"""What a noun that says the kind is followed by; another noun makes it a word of that one ("bank regulators")."""
_IS_IN = re.compile(
    rf"{_ALIAS}{_BE}(?:{_FILL}){{0,8}}?{_KINDS}s?(?:\s(?:and|or)\s(?:{_FILL}){{0,4}}?[\w-]+){{0,2}}"
    rf"(?:,?\s(?:(?:which|that)\sis\s)?(?:located|situated|based|headquartered|lying|found|published|established|founded))?"
    rf"\s(?:in|within|at|of|from|on)\s{_LEAD}$"
)
_SEATED = re.compile(
    rf"{_ALIAS},?\s(?:(?:which|that)\s)?(?:(?:is|are|was|were)\s)?(?:currently\s|primarily\s|now\s)?"
    r"(?:based|headquartered|located|situated|incorporated|organi[sz]ed|published|lies|lie|stands|sits|has\sits\s(?:head)?(?:quarters|office)"
    r"|its\sheadquarters)(?:\sand\s(?:based|headquartered))?"
    rf"(?:\sentirely|\spartly)?\s(?:in|at|within|near the cent(?:er|re) of)\s{_LEAD}$"
)
_SITE_NAME = re.compile(
    r"\b(?:University|College|School|Institute|Academy|Hospital|Airport|Museum|Stadium|Arena|Cathedral|Church|Abbey|Monastery|Palace|Castle"
    r"|Tower|Studios?|Theat(?:re|er)|Hall|Library|Station|Center|Centre|Park|Hotel|Campus|Prison|Cemetery|Bridge|Dam|Mine|Plant|Refinery|Lake"
    r"|River|Mountains?|Island|Monument|Memorial|Opera|House|Court|Zoo|Gardens?|Speedway|Base|Seminary|Clinic)\b"
)
_SITE_IN = re.compile(rf"(?:\s\([^()]{{0,40}}\))?,?\s(?:in|at)\s{_LEAD}$|\s?,\s$")
_AT_BEFORE = re.compile(r"\b(?:at|attended|from|joined|entered|for)\s(?:the\s)?$")
_KIND_NAME = re.compile(rf"\b(?:{_SETTLED}|{_SITE})$", re.IGNORECASE)
_OF = re.compile(rf"\sof\s{_LEAD}")
"""Behind a name that ends in its kind ("Kotayk Province of Armenia")."""
_STATE_OF = re.compile(rf"\s(?:{_SETTLED})\sof\s(?:the\s)?")
"""Between a country and the part of it that is named ("the U.S. state of Oregon")."""
_HEDGE = re.compile(
    r"\b(?:if|unless|whether|may|might|could|would|not|never|no longer|neither|proposed|potential|fictional|plans? to|will)\b"
)


@cache
def _adjectives() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Behind a name ("X is a Turkish maker"), before one ("the Turkish maker X"), and any adjective at all."""
    adjective = "|".join(sorted((re.escape(a) for a, _ in countries()), key=len, reverse=True))
    behind = rf"{_ALIAS}{_BE}(?:{_FILL}){{0,3}}?(?P<a>{adjective})(?:[-\s]based)?\s(?:{_FILL}){{0,7}}?(?:and\s)?{_KINDS}\b{_AFTER_KIND}"
    before = rf"(?<![\w-])(?P<a>{adjective})\s(?:{_FILL}){{0,3}}?{_KINDS}\s(?:of\s|called\s|named\s)?(?:the\s)?$"
    return re.compile(behind), re.compile(before), re.compile(rf"(?<![\w-])(?:{adjective})(?![\w-])")


@cache
def rank(name: str) -> int:
    """How large a place is: 3 a country, 2 a state or region, 1 a county or district, 0 unknown."""
    text = fold(name).removeprefix("the ").strip(" .")
    if text in _listed()[0]:
        return 3
    if text in _listed()[1] or re.search(
        r"\b(?:province|state|voivodeship|oblast|prefecture|region|governorate)\b", text
    ):
        return 2
    return 1 if re.search(r"\b(?:county|district|municipality|gmina|raion|canton|department)\b", text) else 0


@cache
def _listed() -> tuple[frozenset[str], frozenset[str]]:
    """Folded names of countries and larger areas, and of states, provinces and regions."""
    lines = read_lines("places.txt")
    state, city, china = (next(i for i, line in enumerate(lines) if line.startswith(n)) for n in ("Alabama", "New York City", "Guangdong"))  # fmt: skip
    wide = {fold(n).strip(" .") for line in lines[:state] for n in line.split("|")}
    wide |= {fold(n) for pair in countries() for n in pair} | {"great britain", "soviet union"}
    states = {fold(n).strip(" .") for line in (*lines[state:city], *lines[china:]) for n in line.split("|")}
    states |= {fold(n) for line in read_lines("regions_en.txt") for n in line.split("|")}
    return frozenset(wide), frozenset(states - wide)


def whereabouts(text: str, spans: Sequence[Span]) -> Iterator[Found]:
    """Edges "located in" of one sentence; `spans` in order of place and in its coordinates."""
    names = [s for s in spans if s.type in ("ORG", "AGENCY", "PLACE", "PERSON") and s.text.count(" ") < 8]
    if not names:
        return
    text = text.replace("\n", " ")
    yield from _adjectival(text, names)
    for country, part in list(pairwise(names)):
        both = country.type == part.type == "PLACE" and rank(country.text) == 3 > rank(part.text)
        if both and _STATE_OF.fullmatch(text[country.end : part.start]):
            yield Found("located_in", part, country, country.start, part.end, 0.8)
            names.remove(country)
    at = 0
    while at < len(names):
        run = _run(text, names, at)
        if run:
            for i, small in enumerate(run):
                for wide in run[i + 1 :]:
                    if rank(small.text) < 3 and not small.text.endswith(wide.text):
                        yield Found("located_in", small, wide, run[0].start, run[-1].end, 0.8)
            head = _head(text, names, at, rank(run[-1].text) >= 2)
            for wide in run:
                if head is not None and head.text != wide.text:
                    yield Found("located_in", head, wide, head.start, run[-1].end, 0.78)
        at += max(1, len(run))


def _run(text: str, names: Sequence[Span], at: int) -> list[Span]:
    """The places from `at` on each of which lies in the next; none where `at` is no place."""
    run: list[Span] = []
    for name in names[at:]:
        if name.type != "PLACE":
            break
        if run:
            gap = text[run[-1].end : name.start]
            linked = _LINK.fullmatch(gap) or (_OF.fullmatch(gap) and _KIND_NAME.search(run[-1].text))
            if len(gap) > 80 or not linked or not _wider(text, run, name, gap):
                break
        run.append(name)
    follows = names[at + len(run)] if at + len(run) < len(names) else None
    pairs = (
        bool(run)
        and follows is not None
        and rank(run[-1].text) > rank(follows.text)
        and fold(run[-1].text) not in _ALSO_CITIES
    )
    pairs = pairs and not _LIST_BEFORE.search(text[: run[0].start])
    if len(run) > 1 and not pairs and _LIST.match(text[run[-1].end :]):
        # "A, B and C": whatever the commas joined is a list.
        while len(run) > 1 and _APART.fullmatch(text[run[-2].end : run[-1].start]):
            run.pop()
    if len(run) > 1 and _LIST_BEFORE.search(text[: run[0].start]) and not rank(run[-1].text):
        del run[1:]
    return run


def _wider(text: str, run: Sequence[Span], name: Span, gap: str) -> bool:
    size, before = rank(name.text), max(rank(s.text) for s in run)
    if size < before or (size == before >= 2) or fold(name.text) == fold(run[-1].text):
        return False
    return not _APART.fullmatch(gap) or (size > 0 and text[name.end : name.end + 2] not in ("'s", "’s"))


def _head(text: str, names: Sequence[Span], at: int, ends: bool) -> Span | None:
    """The name before a run of places that the words between put there; a comma does where the run `ends` in a large one."""
    start = names[at].start
    for head in reversed(names[max(0, at - 4) : at]):
        gap = text[head.end : start]
        if len(gap) > 220 or re.search(r"[.;:]\s(?=[A-Z])", gap):
            break
        if head.type == "PERSON" or _HEDGE.search(gap):
            continue
        if rank(head.text) == 3 or text[head.end : head.end + 2] in ("'s", "’s"):
            continue
        if _IS_IN.fullmatch(gap) or _SEATED.fullmatch(gap):
            return head
        site = _SITE_NAME.search(head.text) or _AT_BEFORE.search(text, max(0, head.start - 8), head.start)
        if head is names[at - 1] and site and _SITE_IN.fullmatch(gap):
            return head if not _APART.fullmatch(gap) or ends else None
    return None


def _adjectival(text: str, names: Sequence[Span]) -> Iterator[Found]:
    """ "X is a Turkish maker of", "the Turkish maker X", "the Canadian province of X"."""
    behind, before, any_ = _adjectives()
    if not any_.search(text):
        return
    for name in names:
        if name.type == "PERSON" or rank(name.text) == 3:
            continue
        match = behind.match(text, name.end)
        if match is None and (lead := before.search(text[max(0, name.start - 90) : name.start])):
            at = max(0, name.start - 90)
        elif match is not None:
            lead, at = match, 0
        else:
            continue
        if _HEDGE.search(lead.group()):
            continue
        start, end = at + lead.start("a"), at + lead.end("a")
        tail = Span(start, end, "PLACE", text[start:end])
        yield Found("located_in", name, tail, min(start, name.start), max(end, name.end), 0.78)


_IT = re.compile(
    rf"(?:It|(?:The|This)\s(?!capital|seat|area){_KINDS})(?=,?\s(?:is|was|lies|stands|has\sits|sits|which|located|based|headquartered)\b)"
)
_TOPIC = re.compile(rf"{_ALIAS},?\s[a-z]")


def topic(text: str, spans: Sequence[Span]) -> Span | None:
    """The name that a sentence begins with: what the next one calls "it", or by its kind."""
    first = next((s for s in spans if s.type in ("ORG", "AGENCY", "PLACE", "PERSON", "PRODUCT")), None)
    begins = first is not None and first.start <= 4 and text[: first.start].strip() in ("", "The", "A", "An")
    return first if begins and first is not None and _TOPIC.match(text, first.end) else None


def stand_in(text: str, spans: Sequence[Span], about: Span | None) -> list[Span]:
    """The spans, and before them the word that speaks of what the text is `about`, under its name."""
    match = _IT.match(text) if about is not None and about.type in ("ORG", "AGENCY", "PLACE") else None
    if about is None or match is None or any(s.start < match.end() for s in spans):
        return list(spans)
    return [about._replace(start=0, end=match.end()), *spans]


def beyond(edges: Iterable[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], str]]:
    """(edge, place) for each place that an edge's head lies in by way of its tail: what is in a town is in its country.

    `edges` are (what, the place that it is in); a place said to be in itself by way of others leads nowhere.
    """
    wider: dict[str, list[str]] = {}
    edges = list(dict.fromkeys(edges))
    for head, tail in edges:
        wider.setdefault(head, []).append(tail)
    known = set(edges)
    for head, tail in edges:
        seen, waiting = {tail}, [(tail, 0)]
        while waiting:
            at, steps = waiting.pop(0)
            for place in wider.get(at, ()) if steps < 3 else ():
                if place in seen:
                    continue
                seen.add(place)
                waiting.append((place, steps + 1))
                if place != head and (head, place) not in known:
                    known.add((head, place))
                    yield (head, tail), place

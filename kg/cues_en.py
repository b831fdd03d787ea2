"""What the words around an English name say about its kind."""

# ruff: noqa: E501  (a pattern is read as one piece, however long)

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from h3cold.kg.forms_en import OFFICES
from h3cold.kg.names import word_set
from h3cold.kg.spans import Span
from h3cold.schemas.graph import EntityType

_BEFORE: tuple[tuple[re.Pattern[str], EntityType, int], ...] = (
    (re.compile(r"\b(?:in|In|near|around|outside|throughout|across)\s$"), "PLACE", 6),
    (re.compile(r"\b(?:village|villagers|town|city|municipality|district|province|county|region|island|port|borough|suburb|state|commune|parish|hamlet|north|south|east|west) of\s$"), "PLACE", 12),
    (re.compile(r"\b(?:born in|died in|located in|situated in|based in|moved to|headquartered in|lived in|returned to)\s$"), "PLACE", 8),
    (re.compile(r"\b(?:band|group|company|firm|label|label,|team|club|airline|bank|organi[sz]ation|publisher|broadcaster|agency)\s$"), "ORG", 8),
    (re.compile(r"\b(?:leads?|runs?|ran|extends?|extended|railway|road|train|travel\w*|flew|sailed) to\s$"), "PLACE", 8),
    (re.compile(r"\bat\s(?:the\s)?$"), "PLACE", 3),
    (re.compile(r"\b(?:to|from|between)\s$"), "PLACE", 1),
    (re.compile(r"\b(?:album|albums|song|songs|single|singles|film|films|movie|novel|book|opera|play|series|episode|game|magazine|track"
                r"|musical|EP|titled|entitled|called|named|guitar|guitars|model|software|drug|aircraft),?\s[\"“]?$"), "PRODUCT", 8),
    (re.compile(r"\b(?:signed (?:to|with|by)|joined|members? of|released by|published by|drafted by|employed by|owned by)\s(?:the\s)?$"), "ORG", 5),
    (re.compile(r"\b(?:actor|actress|singer|guitarist|drummer|bassist|author|writer|director|player|captain|coach|son|daughter|wife|husband|brother"
                r"|sister|father|mother|composer|poet|king|queen|General|Captain|Colonel|Lieutenant|Sergeant|Lord|Lady|Saint|Professor|engineer"
                r"|architect|founder|born|née)\s$"), "PERSON", 8),
    (re.compile(r"(?:/\s?s\s?/|Name:|Attn:|By:)\s$"), "PERSON", 8),
)  # fmt: skip
_AFTER: tuple[tuple[re.Pattern[str], EntityType, int], ...] = (
    (re.compile(r"^,?\s(?:is|was) an? (?:[\w-]+ ){0,3}(?:village|town|city|municipality|river|commune|suburb|island|lake|district|county|hamlet)\b"), "PLACE", 14),
    (re.compile(r"^,?\s(?:is|was|are|were) an? (?:[\w-]+ ){0,4}(?:company|band|organi[sz]ation|club|team|group|corporation|firm|agency|label|party)\b"), "ORG", 14),
    (re.compile(r"^,?\s(?:is|was) an? (?:[\w-]+ ){0,4}(?:actor|actress|singer|player|politician|writer|author|musician|composer|footballer|artist|lawyer"
                r"|scientist|engineer|poet|guitarist|boxer|coach|journalist|historian|philosopher)\b"), "PERSON", 14),
    (re.compile(r"^,?\s(?:as\s|to\sbe\s)?(?:its\s|the\s)?(?:new\s)?" + OFFICES + r"\b(?!\sof\s[a-z])"), "PERSON", 12),
    (re.compile(r"^\s\((?:born|b\.|c\.\s?\d|\d{4}\s?[-–]+)"), "PERSON", 8),
    (re.compile(r"^(?:'s|’s)?\s(?:said|says|told|wrote|married|played|won|died|retired|graduated|resigned|argued|believed|recalled|performed|studied|sang)\b"), "PERSON", 5),
    (re.compile(r"^,?\s(?:Inc|Corp|Ltd|LLC|plc)\b"), "ORG", 12),
    (re.compile(r"^,\s(?:California|Texas|New York|England|Ontario|Florida|Ohio|Illinois|Massachusetts|Virginia|Georgia|Pennsylvania|Washington"
                r"|France|Germany|Italy|Spain|Japan|China|India|Canada|Australia|Scotland|Wales|Ireland|Vermont|Maine|Michigan|Hampshire)\b"), "PLACE", 8),
)  # fmt: skip
_LAND = re.compile(
    r"\s(?:River|Lake|Brook|Pond|Islands?|Mountains?|Valley|Creek|County|Street|Road|Avenue|Boulevard|Drive|Lane|Park|Beach|Bay"
    r"|Harbou?r|Airport|Station|Bridge|Field|Stadium|Arena|Hills?|Ocean|Sea|Peninsula|Junction|Village|District|Province|Square"
    r"|Gym|Mall|Market|Cemetery|Gardens?|Palace|Castle|Cathedral|Reservoir|Theat(?:re|er)|Zoo|Estate|Circuit|Speedway|Dam|Basin"
    r"|Canal|Dock|Pavilion|Plaza|Forest|Falls|Coast|Canyon|Desert|Gulf|Strait|Highway|Township|Parish|Point|Springs|Plant|Terminal)$"
    r"|^(?:Commonwealth|State|City|County|Republic|Kingdom|Province|Town|Village|Port|Isle|Gulf|Bay|Lake|Mount|District) of\b"
    r"|^(?:Lake|Mount|Mt\.|Fort|Port|Cape|Camp|Rio|Saint|St\.|San|Santa|North|South|East|West|New|Upper|Lower) [A-Z]\w+(?: [A-Z]\w+)?$"
)
_BODY = re.compile(
    r"\s(?:University|College|Institute|Association|Foundation|Society|Union|Federation|League|Club|Party|Orchestra|Records|Band|Army"
    r"|Navy|Force|Corps|Group|Holdings|Partners|Bank|Bancorp|Railroad|Railway|Airlines|Airways|Motors|Studios?|Productions|Press"
    r"|Conference|Alliance|Committee|Council|Congress|Senate|Parliament|Church|Hospital|School|Academy|Laboratory|Division|Squadron"
    r"|Regiment|Brigade|Battalion|Wing|Works|Industries|Systems|Technologies|Pharmaceuticals|Entertainment|Games|Network|Times|Post"
    r"|Journal|Herald|Team|Company|Corporation|Center|Centre|Hotel|Casino|Trains|Railways)$"
)


@cache
def nicknames() -> tuple[str, ...]:
    """What teams call themselves behind the name of their town."""
    return tuple(n.replace("_", " ") for n in sorted(word_set("nicknames")))


def kind_by_form(name: str) -> EntityType | None:
    """PLACE or ORG where the last or first word of a longer name says so."""
    if " " not in name:
        return None
    if any(name.endswith(" " + n) for n in nicknames()):
        return "ORG"
    if _BODY.search(name):
        return "ORG"
    return "PLACE" if _LAND.search(name) else None


def cues(text: str, span: Span) -> Iterator[tuple[EntityType, int]]:
    """(type, votes) for each hint beside an occurrence."""
    before, after = text[max(0, span.start - 30) : span.start], text[span.end : span.end + 60]
    if before.endswith(('"', "“")) and after.startswith(('"', "”", ',"', ".”", ",”")):
        yield "PRODUCT", 6
    if span.type == "PERSON" and re.search(r"\b[Tt]he\s$", before):
        yield "ORG", 3
    for pattern, type, votes in _BEFORE:
        if pattern.search(before) and not (type == "PLACE" and span.text.startswith("The ")):
            yield type, votes
    for pattern, type, votes in _AFTER:
        if pattern.match(after):
            yield type, votes


def common_noun(name: str) -> bool:
    """True for a capitalised term that ends in a word that no name ends in ("Funding Date", "Unassigned Rights")."""
    return name.split()[-1].casefold() in word_set("common_heads")


_DEFINED = re.compile(
    r"[“\"]\s?([A-Z][^“”\"\n]{1,50}?)\s?[”\"]\s?(?:,?\s?(?:each )?(?:means?|is|are|shall|has|have|includes?)\b)"
)


def defined_terms(text: str) -> Iterator[str]:
    """Terms that a contract defines: “Funding Date” means ..."""
    for match in _DEFINED.finditer(text):
        yield match.group(1)

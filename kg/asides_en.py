"""English relations by turns of phrase that need more than two names' gap: "its subsidiary X", "our President"."""
# ruff: noqa: E501  (a pattern is read as one piece, however long)

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from h3cold.kg.forms_en import OFFICES
from h3cold.kg.parse_en import FIRST_DATE
from h3cold.kg.spans import Found, Span

_KIN = r"(?:[\w-]+[\s-]){0,3}(?:subsidiary|unit)"
_ITS_BEFORE = re.compile(r"\b(?:its|their)\s" + _KIN + r",?\s(?:the\s)?$")
_ITS_AFTER = re.compile(r"^,?\s(?:and\s)?(?:is\s)?(?:its|a|an)\s(?:[\w-]+[\s-]){0,3}subsidiary\b(?!\sof)")
_OUR_AFTER = re.compile(
    r"^,?\s(?:(?:is|was|has been|has served as|serves as|served as|who is|as|became|joined us as"
    r"|was appointed|was named)\s)?(?:and\s)?our\s(" + OFFICES + r")(?!\w)(?!,?\s(?:of|at)\s)"
)
_AND_IN = re.compile(r"^(?:\s(?:in|on|for|during)\s[^,;.]{2,30}?)(?:,\sand\s|,\s|\sand\s)(?:the\s)?$")
_LAW = re.compile(
    r"^\s(?:(?:was|were|has|have|had|been|is|later|further|subsequently)\s){0,3}(amend(?:s|ed)|repeal(?:s|ed)|supersed(?:es|ed)|replac(?:es|ed)"
    r"|implement(?:s|ed)|modif(?:ies|ied))(\sby)?\s(?:the\s|certain provisions of\s)*$"
)
_SIGN = re.compile(
    r"\b(?:enter(?:ed|s)? into|sign(?:ed|s)?|execut(?:ed|es)|are (?:all |each )?parties to|is (?:also )?a party to"
    r"|conclud(?:ed|es)|agreed to)\s"
    r"(?:(?:a|an|the|this|that|certain|new|definitive|separate|amended and restated|[\w-]+-year)\s){0,3}$"
)
_WITH = re.compile(r"^[^.;]{0,60}?\b(?:with|between|among|by and (?:between|among))\s(?:the\s)?$")
_JOINT = re.compile(r"^(?:\s\([^()]{0,60}\))?(?:,\sand\s|,\s|\sand\s|\s&\s)(?:the\s)?$")
_AMONG = re.compile(
    r"^(?:\s\([^()]{1,60}\))?(?:,?\s(?:was|were|has been)\s(?:signed|executed|entered into)(?:\s[^;]{0,30}?)?)?"
    r"(?:,?\s(?:effective|dated|made|executed|entered into)(?:\s[^;]{2,40}?)?)?,?\s(?:by and )?(?:between|among|by)\s(?:and among\s|and between\s)?(?:the\s)?$"
)
_HOLDERS = re.compile(r"holders\b[^.;]{0,80}\s(?:are|were|include)\s(?:the\s)?$")
_LINE = 60
"""Characters of a line that a paragraph fills."""
_NO = re.compile(
    r"\b(?:neither|nor|not|never|(?-i:may)|might|could|would|will|shall|should|intends?|plans?|expects?|proposed|if|unless|whether|no)\b",
    re.IGNORECASE,
)


def asides(text: str, spans: Sequence[Span]) -> Iterator[Found]:
    """Relations of one sentence; `spans` in order of place and in its coordinates."""
    names = [s for s in spans if s.type in ("ORG", "PERSON", "AGENCY", "CONTRACT")]
    yield from _its(text, names)
    yield from _our(text, names)
    dates = [s for s in spans if s.type == "DATE"]
    opening = FIRST_DATE.match(text)
    dates = [d for d in dates if opening is not None and d.start == opening.end()] if len(dates) > 1 else dates
    for item in _signed(text, names):
        yield item._replace(period=dates[0].text if dates else "")
    laws = [s for s in spans if s.type == "LAW"]
    for first, second in pairwise(laws):
        if match := _LAW.match(text[first.end : second.start]):
            head, tail = (second, first) if match.group(2) else (first, second)
            word = "amends" if match.group(1).startswith("amend") else match.group(1)
            yield Found("cites", head, tail, first.start, second.end, 0.75, word)


def _its(text: str, names: Sequence[Span]) -> Iterator[Found]:
    """ "X said that its subsidiary Y", "X guarantees the notes of Y, its wholly owned subsidiary"."""
    orgs = [n for n in names if n.type == "ORG"]
    for index, child in enumerate(orgs):
        if not index:
            continue
        before = text[max(0, child.start - 60) : child.start]
        if _ITS_BEFORE.search(before) or _ITS_AFTER.match(text[child.end : child.end + 60]):
            parent = next(n for n in orgs if n.start >= _paragraph(text, child.start, orgs[:index]))
            if parent.text != child.text and "former" not in before[-30:]:
                yield Found("subsidiary_of", child, parent, parent.start, child.end, 0.75)


def _paragraph(text: str, at: int, orgs: Sequence[Span]) -> int:
    """Start of the paragraph that `at` stands in, or of the wrapped lines before it that name somebody.

    Short lines are no sentence: the head of a letter names its writer, not the parent of whom it speaks of.
    """
    start = text.rfind("\n", 0, at) + 1
    while start and not any(o.start >= start for o in orgs):
        above = text.rfind("\n", 0, start - 1) + 1
        if start - above < _LINE:
            break
        start = above
    return start


def _our(text: str, names: Sequence[Span]) -> Iterator[Found]:
    """ "Jane Roe is our President": the tail is a span of the word "our", which its document resolves."""
    for person in (n for n in names if n.type == "PERSON"):
        if match := _OUR_AFTER.match(text[person.end : person.end + 120]):
            at = person.end + match.start(1) - len("our ")
            ours = next((n for n in names if n.start == at and n.type == "ORG"), None)
            if ours is not None:
                yield Found("officer_of", person, ours, person.start, person.end + match.end(), 0.8, match.group(1))


def _signed(text: str, names: Sequence[Span]) -> Iterator[Found]:
    """ "X (the Seller) and Y have signed this Purchase Agreement", "X entered into a Lease Agreement with Y"."""
    for index, contract in enumerate(names):
        if contract.type != "CONTRACT":
            continue
        yield from _between(text, names, index)
        if not (said := _SIGN.search(text, 0, contract.start)):
            continue
        if _NO.search(text[max(0, said.start() - 24) : said.start()]):
            continue
        before = [n for n in names[:index] if n.end <= said.start() and not _bracketed(text, n)]
        heads: list[Span] = []
        for name in reversed(before):
            gap = text[name.end : heads[-1].start] if heads else text[name.end : said.start()]
            fits = _JOINT.match(gap) if heads else len(gap) <= 60 and not re.search(r"[.;]\s", gap)
            if not fits:
                break
            heads.append(name)
        after: list[Span] = []
        for name in names[index + 1 :]:
            gap = text[(after[-1] if after else contract).end : name.start]
            if not (_JOINT if after else _WITH).match(gap):
                break
            after.append(name)
        for party in (*heads, *after):
            if party.type != "CONTRACT":
                yield Found(
                    "party_to", party, contract, min(party.start, contract.start), max(party.end, contract.end), 0.78
                )


def _between(text: str, names: Sequence[Span], index: int) -> Iterator[Found]:
    """ "The Credit Agreement, dated as of May 3, 2021, by and among X and Y", "… was signed by X and Y"."""
    contract = names[index]
    if _NO.search(text[max(0, contract.start - 40) : contract.start]):
        return
    last = contract
    for party in names[index + 1 :]:
        gap = text[last.end : party.start]
        if party.type == "CONTRACT" or not (_JOINT if last is not contract else _AMONG).match(gap) or _NO.search(gap):
            return
        yield Found("party_to", party, contract, contract.start, party.end, 0.78)
        last = party


def _bracketed(text: str, name: Span) -> bool:
    opened = text.rfind("(", max(0, name.start - 40), name.start)
    return opened >= 0 and ")" not in text[opened : name.start]


def siblings(text: str, found: Sequence[Found], spans: Sequence[Span]) -> Iterator[Found]:
    """ "We acquired X in 2018 and Y in 2020": the next name is acquired, too, at its own time."""
    names = [s for s in spans if s.type == "ORG"]
    dates = [s for s in spans if s.type == "DATE"]
    for item in found:
        if item.type not in ("acquires", "invests_in") or item.tail not in names:
            continue
        for other in names[names.index(item.tail) + 1 :]:
            if not _AND_IN.match(text[item.tail.end : other.start]):
                break
            period = next((d.text for d in dates if 0 <= d.start - other.end <= 6), "")
            yield item._replace(tail=other, end=max(item.end, other.end), value="", period=period)
            break


def holders(text: str, found: Sequence[Found], spans: Sequence[Span]) -> Iterator[Found]:
    """ "The shareholders of X are A, B and C": each of them."""
    names = [s for s in spans if s.type in ("ORG", "PERSON", "AGENCY")]
    for item in found:
        listed = item.type == "owns" and item.head in names and _HOLDERS.search(text, 0, item.head.start)
        last = item.head
        for other in names[names.index(item.head) + 1 :] if listed else ():
            if other == item.tail or not _JOINT.match(text[last.end : other.start]):
                break
            yield item._replace(head=other, end=max(item.end, other.end), value="")
            last = other

"""English relations from spaCy's parse of the sentences that can hold one, and from a few surface forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from h3cold.kg.asides_en import asides, holders, siblings
from h3cold.kg.forms_en import OFFICES
from h3cold.kg.names import read_lines, word_set, word_sets
from h3cold.kg.parse_en import ACTORS, Parsed, lemma_of, parse
from h3cold.kg.phrases_en import phrases
from h3cold.kg.places_en import stand_in, topic, whereabouts
from h3cold.kg.spans import Found, Span
from h3cold.kg.surface_en import fits, surface
from h3cold.schemas.graph import RelationType

_POSSESSIVE = re.compile(r"['’]s?\s")
_INVERSE = frozenset({"penalised_by", "employed_by", "regulated_by"})
"""Relations whose verb has the tail for its subject ("the SEC fined X")."""


@cache
def _verbs() -> dict[str, tuple[RelationType, str]]:
    rows = (line.split() for line in read_lines("verbs_en.txt"))
    return {verb: (type, place) for verb, type, place in rows}  # type: ignore[misc]


@cache
def _trigger() -> re.Pattern[str]:
    return re.compile(word_sets()["triggers"], re.IGNORECASE)


def read(sentences: Sequence[tuple[str, Sequence[Span]]]) -> list[list[Found]]:
    """Relations of each (sentence, spans in its coordinates); only sentences that can gain by it are parsed."""
    rich = [i for i, (text, spans) in enumerate(sentences) if worth_parsing(text, spans)]
    out = [
        [*surface(t, spans), *asides(t, spans), *phrases(t, spans)] if len(spans) > 1 else [] for t, spans in sentences
    ]
    about, since = None, 0
    for (text, spans), found in zip(sentences, out, strict=True):
        found += list(holders(text, found, spans))
        found += whereabouts(text, stand_in(text, spans, about))
        now = topic(text, spans)
        about, since = (now, 0) if now is not None else (about if since < 2 else None, since + 1)
    for i, doc in zip(rich, parse(sentences[i][0].replace("\n", " ") for i in rich), strict=True):
        out[i] = relations(doc, sentences[i][1], out[i])
    return out


def worth_parsing(sentence: str, spans: Sequence[Span]) -> bool:
    """True where a sentence has two names and a word that ties names."""
    return sum(s.type in ACTORS for s in spans) >= 2 and _trigger().search(sentence) is not None


def relations(doc: Any, spans: Sequence[Span], more: Sequence[Found] = ()) -> list[Found]:
    """Relations of one parsed sentence and `more` of it; `spans` in its coordinates, values among them."""
    reader = Parsed(doc, spans)
    found = [*_verb_relations(reader), *_nouns(reader), *more]
    found += siblings(doc.text, found, spans)
    best: dict[tuple[RelationType, Span, Span], Found] = {}
    for item in found:
        key = (item.type, item.head, item.tail)
        if item.head.text != item.tail.text and (key not in best or best[key].confidence < item.confidence):
            best[key] = item
    return list(best.values())


def _verb_relations(r: Parsed) -> Iterator[Found]:
    """Relations that a verb carries."""
    for verb in r.doc:
        if verb.pos_ not in ("VERB", "AUX") or (verb.i and verb.text[0].isupper()) or not r.asserted(verb):
            continue  # a capital within a sentence: a word of a title
        frame = _verbs().get(lemma_of(verb))
        if frame:
            yield from _frame(r, verb, *frame)
        yield from _other_verbs(r, verb)


def _frame(r: Parsed, verb: Any, type: RelationType, place: str) -> Iterator[Found]:
    passive = any(c.dep_ in ("nsubjpass", "auxpass") for c in verb.children) or (
        verb.dep_ == "acl" and verb.tag_ == "VBN"
    )
    objects = [c for c in verb.children if c.dep_ in ("dobj", "obj", "attr", "dative")]
    if (
        type == "acquires"
        and not passive
        and (sellers := r.after(verb, ("from",)))
        and not any(r.names(o) for o in objects)
    ):
        # "X buys its servers from Y": goods, not a business, change hands.
        if any(lemma_of(t) in word_set("deals") for o in objects for t in o.subtree):
            return
        for buyer in r.subjects(verb):
            for seller in sellers:
                if fits("supplies", seller, buyer):
                    yield _found(r, "supplies", seller, buyer, 0.7)
        return
    if place == "obj":
        if passive:
            heads, tails = r.agents(verb), r.subjects(verb)
        else:
            heads, tails = r.subjects(verb), [s for o in objects for s in r.names(o)]
    else:
        heads = r.subjects(verb)
        tails = r.after(verb, (place, "at", "near") if type == "located_in" else (place,))
        tails += [t for o in objects for t in r.after(o, (place,))] if type in ("supplies", "invests_in") else []
    if type == "located_in":
        tails = [t for t in tails if t.type == "PLACE"]
        # "Our plants are located in": the plants are, not who owns them.
        heads = [h for h in heads if h.text.casefold() != "our" and not _POSSESSIVE.match(r.doc.text, h.end)]
    if type in ("acquires", "owns"):
        tails = [t for t in tails if t.type == "ORG"]
        heads = [h for h in heads if h.type in ("ORG", "PERSON", "AGENCY", "PLACE")]
    value = (
        r.value("PERCENT")
        if type == "owns"
        else r.value("MONEY", verb)
        if type in ("acquires", "penalised_by", "invests_in")
        else ""
    )
    for head in heads:
        for tail in tails:
            a, b = (tail, head) if type in _INVERSE else (head, tail)
            if fits(type, a, b):
                office = "founder" if type == "officer_of" else value
                yield _found(r, type, a, b, 0.8, office)


def _other_verbs(r: Parsed, verb: Any) -> Iterator[Found]:
    lemma = lemma_of(verb)
    if lemma in ("pay", "settle"):
        payers = r.subjects(verb)
        for body in (s for s in r.spans if s.type == "AGENCY"):
            if re.search(r"penalt|fine|settle|sanction|disgorge", r.doc.text):
                for payer in payers:
                    if payer.type in ("ORG", "PERSON"):
                        yield _found(r, "penalised_by", payer, body, 0.7, r.value("MONEY"))
    elif lemma in ("file", "bring", "commence") and re.search(r"lawsuit|complaint|suit|action|claim", r.doc.text):
        for head in r.subjects(verb):
            for tail in [
                *r.after(verb, ("against",)),
                *(t for c in verb.children for t in r.after(c, ("against",))),
            ]:
                if head.type in ("ORG", "PERSON", "AGENCY") and tail.type in ("ORG", "PERSON"):
                    yield _found(r, "litigates_against", head, tail, 0.75)
    elif lemma == "enter":
        for head in r.subjects(verb):
            for tail in r.after(verb, ("into",)):
                if tail.type == "CONTRACT":
                    for party in [head, *(p for p in r.after(verb, ("with", "among", "between")))]:
                        if party.type in ("ORG", "PERSON", "AGENCY"):
                            yield _found(r, "party_to", party, tail, 0.75)
    elif lemma in ("work", "join"):
        for head in r.subjects(verb):
            for tail in [
                *r.after(verb, ("for", "at")),
                *(s for c in verb.children if c.dep_ == "dobj" and lemma == "join" for s in r.names(c)),
            ]:
                if head.type == "PERSON" and tail.type in ("ORG", "AGENCY"):
                    yield _found(r, "employed_by", head, tail, 0.65)
    elif lemma in ("serve", "appoint", "elect", "name", "be", "become") and verb.i + 1 < len(r.doc):
        yield from _offices(r, verb)


def _offices(r: Parsed, verb: Any) -> Iterator[Found]:
    """ "X serves as chairman of Y", "X was appointed chief executive of Y"."""
    for node in verb.subtree:
        if (
            lemma_of(node) in word_set("offices")
            and node.i > verb.i
            and node.dep_ in ("attr", "pobj", "oprd", "conj", "dobj")
        ):
            for head in (h for h in r.subjects(verb) if h.type == "PERSON"):
                for tail in [*r.after(node, ("of", "at", "for")), *r.owners(node)]:
                    if tail.type in ("ORG", "AGENCY"):
                        yield _found(r, "officer_of", head, tail, 0.75, _phrase(r, node))


def _nouns(r: Parsed) -> Iterator[Found]:
    """Relations that a noun carries: "X, a subsidiary of Y", "X's acquisition of Y", "the village of X in Y"."""
    for node in r.doc:
        lemma = lemma_of(node)
        if node.pos_ not in ("NOUN", "PROPN") or (node.i in r.at and lemma not in word_set("parts")):
            continue
        if lemma in word_set("parts") and r.sure(node):
            parents = [p for p in [*r.after(node, ("of",)), *r.owners(node)] if p.type in ("ORG", "AGENCY")]
            for child in r.named_by(node):
                for parent in parents:
                    if child.type == "ORG":
                        yield _found(r, "subsidiary_of", child, parent, 0.8)
        elif lemma in ("acquisition", "purchase", "takeover") and r.sure(node):
            heads = [*r.owners(node), *r.after(node, ("by",))]
            verb = node.head
            if (
                not heads
                and verb.lemma_ in ("complete", "announce", "close", "finalize")
                and r.asserted(verb)
                and verb.lemma_ != "announce"
            ):
                heads = r.subjects(verb)
            for head in heads:
                for tail in r.after(node, ("of",)):
                    if fits("acquires", head, tail) and not _POSSESSIVE.match(r.doc.text, tail.end):
                        yield _found(r, "acquires", head, tail, 0.75, r.value("MONEY"))
        elif lemma in word_set("settlements"):
            for head in r.named_by(node):
                for tail in r.after(node, ("in", "of")):
                    if head.type == tail.type == "PLACE":
                        yield _found(r, "located_in", head, tail, 0.75)
        elif lemma in ("customer", "supplier"):
            for one in r.named_by(node):
                for other in [*r.after(node, ("of", "to")), *r.owners(node)]:
                    head, tail = (other, one) if lemma == "customer" else (one, other)
                    if head.type == tail.type == "ORG":
                        yield _found(r, "supplies", head, tail, 0.7)


def _phrase(r: Parsed, node: Any) -> str:
    match = re.search(OFFICES, r.doc.text[node.left_edge.idx :])
    return match.group() if match else node.text


def _found(r: Parsed, type: RelationType, head: Span, tail: Span, confidence: float, value: str = "") -> Found:
    amount = next((s for s in r.spans if s.type == "MONEY" and s.text == value), None)
    late = max((head, tail), key=lambda s: s.start)
    period = r.period(late) or (r.period(amount) if amount is not None else "")
    return Found(type, head, tail, 0, len(r.doc.text), confidence, value, period)

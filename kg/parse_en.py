"""A parsed English sentence with its names, and the walks over it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from h3cold.kg.names import word_set
from h3cold.kg.ner_en import load_model
from h3cold.kg.spans import Span

_AT = re.compile(r"\.?,?\s(?:(?:in|on|during|as of|effective|since|dated|for|from)\s)?(?:the\s)?")
FIRST_DATE = re.compile(
    r"(?:(?:Furthermore|Additionally|Also|Further|Subsequently|Later|Then|Finally|\d{1,2}|\([a-z]\)),?\s)?(?:[Oo]n|[Ii]n|[Ee]ffective(?:\son)?|[Dd]uring|[Aa]s\sof)\s(?:the\s)?"
)
ACTORS = ("ORG", "PERSON", "AGENCY", "PLACE", "CONTRACT")
"""Types that take part in relations of English sentences."""


def lemma_of(token: Any) -> str:
    """Lower-case lemma; the lemmatiser's "fin" for "fined" is put right."""
    lemma = str(token.lemma_).lower()
    return "fine" if lemma == "fin" and token.lower_.startswith("fin") else lemma


def parse(sentences: Iterable[str], *, batch: int = 64) -> Iterator[Any]:
    """spaCy documents with tags, lemmas and dependencies, one a sentence, as they are asked for."""
    nlp = load_model()
    with nlp.select_pipes(disable=["ner"]):
        yield from nlp.pipe(sentences, batch_size=batch)


class Parsed:
    """One sentence: its parse, its names by token, and the walks between them."""

    def __init__(self, doc: Any, spans: Sequence[Span]) -> None:
        self.doc, self.spans = doc, spans
        self.at: dict[int, Span] = {}
        for span in spans:
            if span.type in ACTORS:
                piece = doc.char_span(span.start, span.end, alignment_mode="expand")
                for token in piece or ():
                    self.at[token.i] = span

    def asserted(self, verb: Any) -> bool:
        """False for what is denied, conditional, possible or only planned."""
        if any(c.dep_ == "neg" or (c.dep_ == "aux" and c.lower_ in word_set("modals")) for c in verb.children):
            return False
        if any(c.lower_ in ("longer", "never", "hardly") and c.i < verb.i for c in verb.children):  # "no longer"
            return False
        subject = next((c for c in verb.children if c.dep_ in ("nsubj", "nsubjpass")), None)
        if subject is not None:
            if any(t.lower_ in ("neither", "nor", "no", "none", "nobody") for t in subject.subtree):
                return False
            # "Had X bought Y, it would": an inverted condition.
            if any(
                c.dep_ == "aux" and c.i < subject.i and c.lower_ in ("had", "were", "should") for c in verb.children
            ):
                return False
        if any(
            (c.dep_ == "mark" and c.lower_ in word_set("conditions"))
            or (c.dep_ == "advmod" and c.lower_ in ("when", "whether"))
            for c in verb.children
        ):
            return False
        if verb.dep_ in ("xcomp", "ccomp", "acl", "pcomp", "conj", "advcl") and verb.head.i != verb.i:
            above = verb.head
            if verb.tag_ == "VB" and (lemma_of(above) in word_set("plans") or above.pos_ != "VERB"):
                return False
            if above.pos_ in ("VERB", "AUX") and verb.dep_ in ("xcomp", "conj"):
                return self.asserted(above)
            if lemma_of(above) in word_set("plans"):
                return False
        return True

    def sure(self, noun: Any) -> bool:
        """False for "the proposed acquisition", "no subsidiary of", or a noun under an unasserted verb."""
        if any(c.lower_ in word_set("doubts") for c in noun.children):
            return False
        verb = next((a for a in noun.ancestors if a.pos_ in ("VERB", "AUX")), None)
        return verb is None or (self.asserted(verb) and lemma_of(verb) not in word_set("plans"))

    def names(self, token: Any, depth: int = 0) -> list[Span]:
        """The names a noun phrase stands for, through "51% of the shares of X" and conjunctions."""
        out: list[Span] = []
        stake = depth < 4 and token.lemma_.lower() in word_set("stakes")
        # "certain assets of X" are no share of X, unless its business comes with them.
        if stake and any(c.lower_ in ("certain", "some", "selected") for c in token.children) and token.dep_ != "conj":
            return out
        if token.i in self.at:
            out.append(self.at[token.i])
        elif (depth < 4 and lemma_of(token) in word_set("stakes")) or token.ent_type_ == "PERCENT":
            out += self.owners(token)
            for prep in (c for c in token.children if c.dep_ == "prep" and c.lower_ in ("of", "in")):
                for child in prep.children:
                    if child.dep_ == "pobj":
                        out += self.names(child, depth + 1)
        if depth < 4:
            for child in token.children:
                described = child.dep_ == "appos" and not out and lemma_of(token) in word_set("bodies")
                if (child.dep_ == "conj" and (out or stake)) or described:
                    out += self.names(child, depth + 1)
        return out

    def subjects(self, verb: Any, depth: int = 0) -> list[Span]:
        """Names that a verb has for its subject, also over relative clauses and coordination."""
        out = [
            s
            for c in verb.children
            if c.dep_ in ("nsubj", "nsubjpass") and c.lower_ not in ("which", "that", "who")
            for s in self.names(c)
        ]
        if (
            out
            or depth > 3
            or any(c.dep_ in ("nsubj", "nsubjpass") and c.lower_ not in ("which", "that", "who") for c in verb.children)
        ):
            return out
        if verb.dep_ in ("relcl", "acl"):
            return self.names(verb.head)
        if verb.dep_ == "ROOT" and (first := self._behind_a_year(verb)) is not None:
            return [first]
        if verb.dep_ in ("xcomp", "ccomp"):
            # "nominated X to be": the object above is the subject here.
            objects = [s for c in verb.head.children if c.dep_ in ("dobj", "dative") for s in self.names(c)]
            if objects:
                return objects
        if verb.dep_ in ("conj", "xcomp", "advcl") and verb.head.pos_ in ("VERB", "AUX"):
            return self.subjects(verb.head, depth + 1)
        return out

    def agents(self, verb: Any) -> list[Span]:
        return [
            s
            for c in verb.children
            if c.dep_ in ("agent", "prep") and c.lower_ == "by"
            for p in c.children
            if p.dep_ == "pobj"
            for s in self.names(p)
        ]

    def after(self, token: Any, prepositions: tuple[str, ...]) -> list[Span]:
        """Names behind one of a word's prepositions."""
        return [
            s
            for c in token.children
            if c.dep_ in ("prep", "agent", "dative") and c.lower_ in prepositions
            for p in c.children
            if p.dep_ == "pobj"
            for s in self.names(p)
        ]

    def owners(self, noun: Any) -> list[Span]:
        return [s for c in noun.children if c.dep_ == "poss" for s in self.names(c)]

    def named_by(self, noun: Any) -> list[Span]:
        """Names that a common noun describes: apposition either way, or "X is a ..."."""
        out = [s for c in noun.children if c.dep_ == "appos" for s in self.names(c)]
        if noun.dep_ == "appos" and noun.head.i in self.at:
            out.append(self.at[noun.head.i])
        if noun.dep_ == "attr" and noun.head.lemma_ in ("be", "become", "remain") and self.asserted(noun.head):
            out += self.subjects(noun.head)
        return out

    def _behind_a_year(self, verb: Any) -> Span | None:
        """The name in "In 2023 Granite Corp. invested", which the parser takes for the preposition's object."""
        for prep in (c for c in verb.lefts if c.dep_ == "prep" and c.lower_ in ("in", "during", "on", "since")):
            noun = next((c for c in prep.children if c.dep_ == "pobj" and c.i in self.at), None)
            if noun is not None and any(s.type == "DATE" and prep.idx < s.start < noun.idx for s in self.spans):
                return self.at[noun.i]
        return None

    def value(self, type: str, near: Any = None) -> str:
        """The sentence's value of a type, as printed: its only one, else the first behind the word `near`."""
        values = [s for s in self.spans if s.type == type]
        if len(values) > 1 and near is not None:
            values = [s for s in values if s.start > near.idx][:1]
        return values[0].text if len(values) == 1 else ""

    def period(self, near: Span | None = None) -> str:
        """The sentence's date: its only one, else the one right behind the name or value that ends at `near`."""
        dates = [s for s in self.spans if s.type == "DATE"]
        if len(dates) > 1 and near is not None:
            text = self.doc.text
            dates = [d for d in dates if d.start >= near.end and _AT.fullmatch(text[near.end : d.start])]
        if len(dates) > 1 and (first := FIRST_DATE.match(self.doc.text)):
            # "On May 3, 2019, X signed …, which is payable until …": the sentence is about its first day.
            dates = [d for d in self.spans if d.type == "DATE" and d.start == first.end()]
        return dates[0].text if len(dates) == 1 else ""

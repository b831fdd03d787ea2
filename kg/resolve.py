"""Which node a span stands for, by what its own document says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from h3cold.kg.aliases import PARTIES_ZH, SELF_EN, SELF_ZH, Alias
from h3cold.kg.consistency import inside_word
from h3cold.kg.lexicon import Lexicon
from h3cold.kg.names import entity_id, fold, form_id, key, legal_form, org_id, own_form, short_names
from h3cold.kg.spans import Found, Span
from h3cold.schemas.graph import EntityType

_SELF_WORDS = frozenset({*SELF_EN, *SELF_ZH, "We", "we", "Our", "our", "Us", "us"})
_GROUP = re.compile(r" (?:group|holdings?|companies)$")


class Names:
    """The names of one document and the nodes they stand for."""

    def __init__(self, spans: Sequence[Span], aliases: Sequence[Alias], *, company: str) -> None:
        self._aliases: dict[str, tuple[EntityType, str]] = {}
        meanings: dict[str, Counter[tuple[EntityType, str]]] = {}
        for alias in aliases:
            meanings.setdefault(alias.short, Counter())[alias.type, alias.full] += 1
        # Where a document defines a short name twice, the meaning that it gives most often holds.
        for short, counts in meanings.items():
            self._aliases[short] = max(counts, key=lambda m: counts[m])
        people: dict[str, set[str]] = {}
        orgs: dict[str, str] = {}
        for span in spans:
            if span.type == "PERSON" and len(span.text.split()) > 1:
                people.setdefault(key("PERSON", span.text).split()[-1], set()).add(key("PERSON", span.text))
            elif span.type == "ORG":
                orgs.setdefault(key("ORG", span.text), span.text)
        self._last_names = {last: next(iter(full)) for last, full in people.items() if len(full) == 1}
        self._full_orgs = {_GROUP.sub("", k): name for k, name in sorted(orgs.items()) if _GROUP.search(k) and " " in k}
        said = {s.text for s in spans if s.type == "ORG"}
        shorter = short_names([n for n in {*said, company} if n], taken=self._aliases, own=company)
        # A form that is the name of the document's own company is no short one of another's ("Inpixon India Limited").
        own = key("ORG", company) if company else ""
        self._short = {k: n for k, n in ((key("ORG", form), n) for form, n in shorter.items() if form in said)
                       if k != own or key("ORG", n) == own}  # fmt: skip
        pairs = [(short, self._aliases[short]) for short in PARTIES_ZH if short in self._aliases]
        self.contracting = [Span(0, 0, type, full) for _, (type, full) in pairs]
        self._anchors: dict[str, str] = {}
        self.company = self._find_company(company, spans)
        self._bearers = _bearers(spans, self.company)
        if self.company and not legal_form(self.company):
            formal = {s.text for s in spans if s.type == "ORG" and own_form(s.text)}
            named = sorted(name for name in formal if key("ORG", name) == key("ORG", self.company))
            self.company = named[0] if len({own_form(name) for name in named}) == 1 else self.company
        self.company_id = self._org_id(self.company) if self.company else ""

    def _find_company(self, company: str, spans: Sequence[Span]) -> str:
        """The document's own company: whom it calls "the Company", else whom its description names if its text
        does too or the name has a legal form, else the organisation with a legal form that it names by far the most."""
        own = key("ORG", company) if company else ""
        if own and sum(own == key("ORG", s.text) for s in spans) >= 3:
            # Its description and its text agree: a role defined for somebody else in an exhibit does not count.
            for word in ("Company", "Registrant", "本公司", "公司", "发行人"):
                if word in self._aliases:
                    self._aliases[word] = ("ORG", company)
            return company
        for short in ("we", "Company", "本公司", "公司", "Registrant", "发行人"):
            if short in self._aliases and self._aliases[short][0] == "ORG":
                return self._aliases[short][1]
        counts = Counter(key("ORG", s.text) for s in spans if s.type == "ORG")
        legal = fold(company) != key("ORG", company)
        if company and (key("ORG", company) in counts or legal or not counts):
            return company
        full = {key("ORG", s.text): s.text for s in spans if s.type == "ORG" and fold(s.text) != key("ORG", s.text)}
        ranked = sorted((n for n in counts if n in full), key=lambda n: (-counts[n], n))
        if ranked and counts[ranked[0]] >= 5 and (len(ranked) == 1 or counts[ranked[0]] >= 2 * counts[ranked[1]]):
            return full[ranked[0]]
        return ""

    def self_spans(self, text: str, spans: Sequence[Span], words: Sequence[str]) -> list[Span]:
        """Places where the document speaks of its own company without naming it; none where it has none."""
        if not self.company:
            return []
        taken = {p for s in spans for p in range(s.start, s.end)}
        starts = {s.start for s in spans if s.type in ("ORG", "AGENCY")}
        found = (Span(a, b, "ORG", text[a:b], 0.3) for a, b, _ in Lexicon(dict.fromkeys(words, True)).find(text))
        return [
            s
            for s in found
            if s.start not in taken
            and not (s.end + 1 in starts and text[s.end].isspace())
            and not inside_word(text, s.start, s.end)
        ]

    def full(self, span: Span) -> tuple[EntityType, str]:
        """Type and full name of what a span stands for in this document."""
        text = re.sub(r"^(?:the|The|our)\s", "", span.text)
        if span.text in _SELF_WORDS and self.company:
            return "ORG", self.company
        if text in self._aliases:
            return self._aliases[text]
        if span.type == "PERSON":
            folded = key("PERSON", span.text)
            if " " not in folded and folded in self._last_names:
                return "PERSON", self._last_names[folded]
        elif span.type == "ORG":
            folded = key("ORG", span.text)
            if folded in self._full_orgs:
                return "ORG", self._full_orgs[folded]
            if folded in self._short and not (folded in self._bearers and legal_form(span.text)):
                name = self._short[folded]
                return "ORG", self._bearers.get(key("ORG", name), name)
        return span.type, span.text

    def type_of(self, span: Span) -> EntityType:
        return self.full(span)[0]

    def id_of(self, span: Span) -> str:
        """Node id; a person's is told apart by the employer that the document gives, else by its company."""
        type, name = self.full(span)
        if type == "PERSON":
            folded = key("PERSON", name)
            anchor = self._anchors.get(folded, key("ORG", self.company) if self.company else "")
            return entity_id("PERSON", f"{folded} @ {anchor}" if anchor else folded)
        return self._org_id(name) if type == "ORG" else entity_id(type, name)

    def _org_id(self, name: str) -> str:
        """An organisation's node; a namesake of another legal form has one of its own."""
        bearer, form = self._bearers.get(key("ORG", name), ""), legal_form(name)
        if bearer and not own_form(bearer) and form not in ("", legal_form(bearer)):
            return form_id(name)
        return org_id(name)

    def place_people(self, found: Iterable[Found]) -> None:
        """Takes from officer and employment edges which organisation each person is known by."""
        seen: dict[str, Counter[str]] = {}
        for item in found:
            if item.type in ("officer_of", "employed_by"):
                person, employer = self.full(item.head), self.full(item.tail)
                seen.setdefault(key("PERSON", person[1]), Counter())[key("ORG", employer[1])] += 1
        self._anchors = {person: min(counts, key=lambda o: (-counts[o], o)) for person, counts in seen.items()}


def _bearers(spans: Sequence[Span], company: str) -> dict[str, str]:
    """Key of each name that the document writes with several legal forms -> the full name that the bare one means.

    "Acme, Inc." and "Acme GmbH" in one document are two: the document's own company has the bare name, else the one
    that is named most.
    """
    counts: dict[str, dict[str, Counter[str]]] = {}
    for name in [*(s.text for s in spans if s.type == "ORG"), *([company] if company else [])]:
        if form := legal_form(name):
            counts.setdefault(key("ORG", name), {}).setdefault(form, Counter())[name] += 1
    out = {}
    for folded, forms in counts.items():
        if len(forms) > 1:
            most = min(forms, key=lambda form: (-forms[form].total(), form))
            out[folded] = min(forms[most], key=lambda name: (-forms[most][name], name))
    if company and key("ORG", company) in out and legal_form(company):
        out[key("ORG", company)] = company
    return out

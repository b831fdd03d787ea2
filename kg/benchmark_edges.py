"""Edges against annotated ones: English (Re-DocRED), Chinese (FinRE)."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from h3cold.kg import relations_en
from h3cold.kg.extract import Extraction, extract
from h3cold.kg.names import key
from h3cold.kg.places_en import beyond
from h3cold.kg.relations_zh import relations as relations_zh
from h3cold.kg.spans import Span, disjoint
from h3cold.kg.values import find_values
from h3cold.kg.within import NEAR, by_name, known
from h3cold.schemas.block import Block, block_id
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.geometry import PageBox
from h3cold.schemas.graph import EntityType, RelationType

# Wikidata property -> the edge it states: relation, and True where the property's tail is our head.
_WIKIDATA: dict[str, tuple[tuple[RelationType, bool], ...]] = {
    "P127": (("owns", True), ("subsidiary_of", False)),
    "P749": (("subsidiary_of", False), ("owns", True)),
    "P355": (("subsidiary_of", True), ("owns", False)),
    "P108": (("employed_by", False), ("officer_of", False)),
    "P488": (("officer_of", True),), "P112": (("officer_of", True),), "P6": (("officer_of", True),),
    "P35": (("officer_of", True),), "P54": (("employed_by", False),), "P463": (("employed_by", False),),
    "P131": (("located_in", False),), "P17": (("located_in", False),), "P159": (("located_in", False),),
    "P276": (("located_in", False),), "P740": (("located_in", False),), "P30": (("located_in", False),),
    "P706": (("located_in", False),), "P206": (("located_in", False),), "P150": (("located_in", True),),
    "P36": (("located_in", True),), "P361": (("subsidiary_of", False), ("located_in", False)),
}  # fmt: skip
_RECALLED = {"owns": ("P127",), "subsidiary_of": ("P749",), "employed_by": ("P108",), "officer_of": ("P488",),
             "located_in": ("P131", "P17", "P159", "P276", "P740")}  # fmt: skip
_WIKI_TYPES: dict[str, EntityType] = {"PER": "PERSON", "ORG": "ORG", "LOC": "PLACE", "TIME": "DATE", "MISC": "PRODUCT"}

# FinRE's label -> class of edge. Planned deals (拟收购) and disposals (减持) state no edge of ours.
_FINRE = {
    "拥有": "own", "持股": "own", "增持": "own", "收购": "acquire", "借壳": "acquire",
    "入股": "invest", "注资": "invest", "买资": "invest", "成立": "invest", "纠纷": "litigate", "订单": "supply",
}  # fmt: skip
_CLASSES: dict[RelationType, tuple[str, bool]] = {
    "owns": ("own", False), "subsidiary_of": ("own", True), "acquires": ("acquire", False),
    "invests_in": ("invest", False), "litigates_against": ("litigate", False), "supplies": ("supply", False),
}  # fmt: skip


class Tally(NamedTuple):
    """Right, wrong and missed."""

    right: int
    wrong: int
    missed: int

    def figures(self) -> dict[str, float]:
        precision = self.right / max(1, self.right + self.wrong)
        recall = self.right / max(1, self.right + self.missed)
        f1 = 2 * precision * recall / (precision + recall) if self.right else 0.0
        return {"precision": round(precision, 4), "recall": round(recall, 4), "f1": round(f1, 4)}


def block(text: str, position: int, document: str, language: str = "en") -> Block:
    """A passage without a page's geometry."""
    box = PageBox(1, (0.0, 0.0, 1.0, 1.0), 0, len(text))
    return Block(block_id(document, position), document, position, "passage", text, (), (box,), language)


def natural(sentence: Sequence[tuple[str, str]]) -> tuple[str, set[tuple[int, int, str]]]:
    """The sentence with the blanks that print would have, and its gold spans in characters."""
    text, places, quoted = "", [], False
    for word, _ in sentence:
        tight = not text or re.match(r"^(?:[.,;:!?)\]%”]|'s|n't|'$|’)", word) or text.endswith(("(", "[", "$", "“"))
        if word == '"':
            tight, quoted = bool(tight) or quoted, not quoted
        elif text.endswith('"') and quoted:
            tight = True
        text += ("" if tight else " ") + word
        places.append(len(text) - len(word))
    gold, at = set(), 0
    while at < len(sentence):
        label, end = sentence[at][1], at + 1
        while label != "O" and end < len(sentence) and sentence[end][1] == "I-" + label[2:]:
            end += 1
        if label[2:] in ("PER", "ORG", "LOC"):
            gold.add((places[at], places[end - 1] + len(sentence[end - 1][0]), label[2:]))
        at = end
    return text, gold


def redocred(path: Path, part: slice = slice(None)) -> dict[str, float]:
    """Edges of Re-DocRED: with its entities given, and from our own (both ends must meet one of its entities).

    `precision` and `recall` are over the relations that map to ours; an edge is right where any property that
    implies it is annotated. `recall_<type>` counts only the property that means just that.
    """
    tallies: dict[str, Counter[str]] = defaultdict(Counter)
    loose = 0
    for document in json.loads(path.read_text(encoding="utf-8"))[part]:
        text, starts = _wiki_text(document["sents"])
        places = {
            v: _wiki_places(mentions, document["sents"], starts) for v, mentions in enumerate(document["vertexSet"])
        }
        stated = [(label["r"], *edge) for label in document["labels"] for edge in _wiki_edges(label)]
        gold = {(t, h, o) for _, t, h, o in stated}
        meant = {(t, h, o) for r, t, h, o in stated if r in _RECALLED.get(t, ())}
        given = set(_given_edges(text, starts, places))
        mine, unknown = _own_edges(text, places)
        loose += unknown
        for way, edges in (("given", given), ("found", mine)):
            for edge in edges:
                tallies[way]["right" if edge in gold else "wrong"] += 1
                tallies[f"{way}_{edge[0]}"]["right" if edge in gold else "wrong"] += 1
            for edge in meant:
                tallies[way]["met" if edge in edges else "missed"] += 1
                tallies[f"{way}_{edge[0]}"]["met" if edge in edges else "missed"] += 1
    out: dict[str, float] = {}
    for way, c in sorted(tallies.items()):
        if c["right"] + c["wrong"]:
            out[f"precision_{way}"] = round(c["right"] / (c["right"] + c["wrong"]), 4)
        out[f"recall_{way}"] = round(c["met"] / max(1, c["met"] + c["missed"]), 4)
        out[f"edges_{way}"] = c["right"] + c["wrong"]
    return out | {"edges_with_an_unknown_end": loose}


def _wiki_places(
    mentions: Sequence[dict[str, Any]], sentences: Sequence[Sequence[str]], starts: Sequence[Sequence[int]]
) -> list[tuple[int, int, str]]:
    """(start, end, type) of an annotated entity's mentions."""
    out = []
    for m in mentions:
        last = m["pos"][1] - 1
        end = starts[m["sent_id"]][last] + len(sentences[m["sent_id"]][last])
        out.append((starts[m["sent_id"]][m["pos"][0]], end, m["type"]))
    return out


def _wiki_edges(label: dict[str, Any]) -> Iterator[tuple[str, int, int]]:
    for type, swap in _WIKIDATA.get(label["r"], ()):
        yield (type, label["t"], label["h"]) if swap else (type, label["h"], label["t"])


def _wiki_text(sentences: Sequence[Sequence[str]]) -> tuple[str, list[list[int]]]:
    text, starts = "", []
    for sentence in sentences:
        printed, _ = natural([(w, "O") for w in sentence])
        places, at = [], 0
        for word in sentence:
            at = printed.index(word, at)
            places.append(len(text) + at)
            at += len(word)
        starts.append(places)
        text += printed + " "
    return text, starts


def _given_edges(
    text: str, starts: Sequence[Sequence[int]], places: dict[int, list[tuple[int, int, str]]]
) -> Iterator[tuple[str, int, int]]:
    owner = {(a, b): v for v, ms in places.items() for a, b, _ in ms}
    spans = disjoint(
        Span(a, b, _WIKI_TYPES[t], text[a:b], 1.0) for ms in places.values() for a, b, t in ms if t in _WIKI_TYPES
    )
    pieces = []
    for index, words in enumerate(starts):
        following = starts[index + 1] if index + 1 < len(starts) else []
        if words:
            start, end = words[0], following[0] if following else len(text)
            local = [s for s in spans if start <= s.start and s.end <= end]
            pieces.append((start, end, [s._replace(start=s.start - start, end=s.end - start) for s in local]))
    found: dict[tuple[RelationType, int, int], None] = {}
    for (start, _, _), edges in zip(pieces, relations_en.read([(text[a:b], s) for a, b, s in pieces]), strict=True):
        for one in edges:
            head, tail = (owner.get((s.start + start, s.end + start)) for s in (one.head, one.tail))
            if one.type in _RECALLED and head is not None and tail is not None and head != tail:
                found[one.type, head, tail] = None
    yield from found
    yield from _wider(text, [(h, t) for type, h, t in found if type == "located_in"], places)


def _wider(
    text: str, stated: Sequence[tuple[int, int]], places: dict[int, list[tuple[int, int, str]]]
) -> Iterator[tuple[str, int, int]]:
    """What follows from the stated places, as it does for a document of our own."""
    named = {str(v): key("PLACE", text[a:b]) for v, ms in places.items() for a, b, t in ms[:1] if t == "LOC"}
    edges = [(str(h), str(t)) for h, t in stated]
    listed = known(named, edges)
    for (head, tail), place in beyond([*edges, *listed.items()]):
        if (head, tail) in edges:
            yield "located_in", int(head), int(place)
    ids = {name: int(v) for v, name in named.items()}
    for v, ms in places.items():
        if ms[0][2] == "ORG":
            for name in by_name(text[ms[0][0] : ms[0][1]]):
                if name in ids:
                    yield "located_in", v, ids[name]
    for head, tail in listed.items():
        gaps = (max(a, c) - min(b, d) for a, b, _ in places[int(head)] for c, d, _ in places[int(tail)])
        if min(gaps) <= NEAR:
            yield "located_in", int(head), int(tail)


def _own_edges(text: str, places: dict[int, list[tuple[int, int, str]]]) -> tuple[set[tuple[str, int, int]], int]:
    result = extract([block(text, 0, "0" * 32)], info=DocumentInfo())
    vertex = _aligned(result, [(a, b, v) for v, ms in places.items() for a, b, _ in ms])
    edges: set[tuple[str, int, int]] = set()
    unknown = 0
    for relation in result.relations:
        if relation.type in _RECALLED:
            head, tail = vertex.get(relation.head), vertex.get(relation.tail)
            if head is None or tail is None:
                unknown += 1
            elif head != tail:
                edges.add((relation.type, head, tail))
    return edges, unknown


def _aligned(result: Extraction, gold: Sequence[tuple[int, int, int]]) -> dict[str, int]:
    """Entity id -> the annotated entity that most of its mentions overlap."""
    votes: dict[str, Counter[int]] = defaultdict(Counter)
    for mention in result.mentions:
        for start, end, vertex in gold:
            if min(end, mention.end) - max(start, mention.start) > 0:
                votes[mention.entity][vertex] += 1
    return {entity: min(c, key=lambda v: (-c[v], v)) for entity, c in votes.items()}


def finre(path: Path, part: slice = slice(None)) -> dict[str, float]:
    """F1 of FinRE's edges that map to ours, over its entity pairs: entities given, and found by us."""
    pairs: dict[tuple[str, frozenset[str]], set[tuple[str, str, str]]] = defaultdict(set)
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            head, tail, label, text = line.split("\t")
            gold = pairs[text, frozenset((head, tail))]
            name, passive = label.removeprefix("被"), label.startswith("被")
            if name in _FINRE:
                a, b = (tail, head) if passive else (head, tail)
                gold |= {(_FINRE[name], x, y) for x, y in ([(a, b), (b, a)] if name == "纠纷" else [(a, b)])}
    rows = list(pairs.items())[part]
    given = _score((_finre_given(text, ends), ends, gold) for (text, ends), gold in rows)
    texts = list(dict.fromkeys(text for (text, _), _ in rows))
    own = {t: _finre_found(t) for t in texts}
    found = _score((own[text], ends, gold) for (text, ends), gold in rows)
    return {f"{k}_given": v for k, v in given.items()} | {f"{k}_found": v for k, v in found.items()}


def _score(
    rows: Iterable[tuple[set[tuple[str, str, str]], frozenset[str], set[tuple[str, str, str]]]],
) -> dict[str, float]:
    right = wrong = missed = 0
    for mine, ends, gold in rows:
        asked = set()
        for type, head, tail in mine:
            a, b = (next((e for e in sorted(ends, key=len, reverse=True) if _one_name(e, n)), "") for n in (head, tail))
            if a and b and a != b:
                asked.add((type, a, b))
        right, wrong, missed = right + len(asked & gold), wrong + len(asked - gold), missed + len(gold - asked)
    return Tally(right, wrong, missed).figures()


def _one_name(gold: str, mine: str) -> bool:
    """True where our name is the annotated one, or but the longer or shorter form of it."""
    return (
        gold == mine
        or (len(gold) >= 2 and mine.startswith(gold))
        or (len(mine) >= 2 and gold.endswith(mine))
        or (len(gold) >= 3 and mine.endswith(gold))
    )


def _classes(found: Iterable[tuple[RelationType, str, str]]) -> set[tuple[str, str, str]]:
    out = set()
    for type, head, tail in found:
        if type in _CLASSES:
            name, swap = _CLASSES[type]
            out.add((name, tail, head) if swap else (name, head, tail))
            if name == "litigate":
                out.add((name, tail, head))
    return out


def _plain(text: str) -> str:
    """FinRE masks numbers as <N>; any number does for the patterns."""
    return text.replace("<N>", "10")


def _finre_given(text: str, ends: frozenset[str]) -> set[tuple[str, str, str]]:
    text, names = _plain(text), {_plain(e): e for e in ends}
    spans = [
        Span(m.start(), m.end(), "ORG", n, 2 + len(n) / 100) for n in names for m in re.finditer(re.escape(n), text)
    ]
    values = [v for v in find_values(text) if v.type in ("PERCENT", "MONEY", "DATE")]
    return _classes(
        (f.type, names[f.head.text], names[f.tail.text]) for f in relations_zh(text, disjoint([*spans, *values]))
    )


def _finre_found(text: str) -> set[tuple[str, str, str]]:
    result = extract([block(_plain(text), 0, "0" * 32, "zh")], info=DocumentInfo(language="zh"))
    names = {m.entity: m.text for m in result.mentions}
    return _classes((r.type, names.get(r.head, ""), names.get(r.tail, "")) for r in result.relations)

"""Mentions and relations of one document, from its blocks; no state is kept between documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from h3cold.kg import ner_en, ner_zh, relations_en, relations_zh
from h3cold.kg.aliases import SELF_EN, SELF_ZH, Alias, find_aliases
from h3cold.kg.conflicts import settled
from h3cold.kg.consistency import agree
from h3cold.kg.names import entity_id, relation_id, simplified
from h3cold.kg.prose_measures import measures
from h3cold.kg.resolve import Names
from h3cold.kg.sentences import sentences
from h3cold.kg.signatures import signatures
from h3cold.kg.signatures_zh import signatures_zh
from h3cold.kg.spans import Found, Span, disjoint
from h3cold.kg.table_facts import CellFact, CellName, facts_of_tables
from h3cold.kg.tickers import find_tickers
from h3cold.kg.values import find_values, is_law_title
from h3cold.kg.within import wider
from h3cold.schemas.block import Block
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.geometry import BBox
from h3cold.schemas.graph import Mention, Relation

MOST_MENTIONS = 400
"""Per block; a block of about 256 tokens has a tenth of that, a wall of noise any number."""


MOST_CHARACTERS = 20_000
"""Of a block; what cuts pages into blocks stays far below, so more of it is no text."""


class Extraction(NamedTuple):
    """What one document says; rows are in order of block and place."""

    mentions: list[Mention]
    relations: list[Relation]


class Reading(NamedTuple):
    """A block's text and the spans found in it, without overlap, in order of place."""

    block: Block
    text: str
    chinese: bool
    spans: list[Span]
    printed: str = ""
    """The text as printed; `text` has simplified characters in their places."""


def extract(blocks: Sequence[Block], *, info: DocumentInfo) -> Extraction:
    """Everything the graph keeps of one document.

    Args:
        blocks: the document's blocks, in order.
        info: its company (what "the Company" and 本公司 mean by default), title and language.
    Raises:
        ModelError: the document has English text and no English model is installed.
    """
    readings, aliases = read(blocks, company=info.company)
    facts = list(facts_of_tables(blocks))
    listed = [Span(0, 0, c.type, c.text) for _, f in facts for c in (f.head, f.tail) if c is not None]
    names = Names([*(s for r in readings for s in r.spans), *listed], aliases, company=info.company)
    found = list(_relations(readings, names))
    names.place_people(f for _, f in found)
    mentions = list(_mentions(readings, names))
    relations: dict[str, Relation] = {}
    for reading, item in found:
        add(relations, _edge(reading.block, item, names))
    mentions += _adjectives(found, mentions, names)
    for one in list(wider(relations.values(), mentions)):
        add(relations, one)
    for block, fact in facts:
        rows = _cell_rows(block, fact, names)
        mentions += rows[0]
        add(relations, rows[1])
    mentions += _tickers(readings, names)
    mentions += _unsaid_company(mentions, relations.values(), names)
    if is_law_title(info.title):
        for mention in mentions:
            if mention.type == "LAW":
                add(relations, _citation(mention, info.title))
    return Extraction(list(dict.fromkeys(mentions)), settled(list(relations.values())))


def add(relations: dict[str, Relation], one: Relation | None) -> None:
    """Keeps the more certain of two equal edges; an edge from a thing to itself is none."""
    if (
        one is not None
        and one.head != one.tail
        and (one.id not in relations or relations[one.id].confidence < one.confidence)
    ):
        relations[one.id] = one


def read(blocks: Sequence[Block], *, company: str = "") -> tuple[list[Reading], list[Alias]]:
    """Spans of every block, made consistent over the document, and the short names that it defines."""
    printed = [b.caption if b.kind in ("table", "figure") and b.table is not None else b.text for b in blocks]
    printed = [t[:MOST_CHARACTERS] for t in printed]
    texts = [simplified(t) for t in printed]
    chinese = [_is_chinese(t) for t in texts]
    english = ner_en.model_names(
        [t if any("A" <= c <= "Z" for c in t) and not zh else "" for t, zh in zip(texts, chinese, strict=True)]
    )
    han = ner_zh.find_all([t if any("\u4e00" <= c <= "\u9fff" for c in t) else "" for t in texts])
    readings = []
    for block, text, zh, modelled, read_han, raw in zip(blocks, texts, chinese, english, han, printed, strict=True):
        spans = [*modelled, *find_values(text), *ner_en.rule_names(text), *read_han]
        readings.append(Reading(block, text, zh, disjoint(spans), raw))
    aliases = [a for r in readings for a in find_aliases(r.text, r.spans)]
    for ticker in find_tickers([(r.block, r.text, r.spans) for r in readings]):
        if ticker.owner is not None and ticker.symbol.isalpha():
            aliases.append(Alias(ticker.symbol, ticker.owner.text, "ORG", True))
    agreed = agree([(r.text, r.spans) for r in readings], aliases, _spellings(company))
    return [r._replace(spans=spans[:MOST_MENTIONS]) for r, spans in zip(readings, agreed, strict=True)], aliases


def _spellings(company: str) -> list[str]:
    """A document's company as covers print it, and as sentences do ("INPIXON", "Inpixon")."""
    return list(dict.fromkeys((company, company.title() if company.isupper() else company))) if company else []


def _is_chinese(text: str) -> bool:
    han = sum("\u4e00" <= c <= "\u9fff" for c in text)
    return han * 4 > len(text) - text.count(" ")


def _relations(readings: Sequence[Reading], names: Names) -> Iterator[tuple[Reading, Found]]:
    """Relations of all blocks, each in its block's coordinates; English sentences go through the parser together."""
    pieces: list[tuple[Reading, int, str, list[Span]]] = []
    company = Span(0, 0, "ORG", names.company) if names.company else None
    for reading in readings:
        words = SELF_ZH if reading.chinese else (*SELF_EN, "We", "we", "Our", "our")
        spans = sorted([*reading.spans, *names.self_spans(reading.text, reading.spans, words)])
        for item in (signatures_zh if reading.chinese else signatures)(
            reading.text, reading.spans, company, reading.block.headings
        ):
            yield reading, item
        for start, end in sentences(reading.text, whole=True) if reading.chinese else ():
            for item in relations_zh.sanctions(reading.text[start:end], _local(spans, start, end)):
                yield reading, _shift(item, start)
        for start, end in sentences(reading.text):
            local = _local(spans, start, end)
            for item in measures(reading.text[start:end], local, company, chinese=reading.chinese):
                yield reading, _shift(item, start)
            if not local:
                continue
            if reading.chinese:
                piece = reading.text[start:end]
                for item in relations_zh.relations(piece, local, company=company, both=names.contracting):
                    yield reading, _shift(item, start)
            else:
                pieces.append((reading, start, reading.text[start:end], local))
    for (reading, start, _, _), found in zip(pieces, relations_en.read([p[2:] for p in pieces]), strict=True):
        for item in found:
            yield reading, _shift(item, start)


def _local(spans: Sequence[Span], start: int, end: int) -> list[Span]:
    """Those of the spans that lie in `start:end`, in its coordinates."""
    inside = (s for s in spans if start <= s.start and s.end <= end)
    return [s._replace(start=s.start - start, end=s.end - start) for s in inside]


def _shift(item: Found, by: int) -> Found:
    def moved(span: Span) -> Span:
        return span._replace(start=span.start + by, end=span.end + by)

    return item._replace(head=moved(item.head), tail=moved(item.tail), start=item.start + by, end=item.end + by)


def _mentions(readings: Sequence[Reading], names: Names) -> Iterator[Mention]:
    for reading in readings:
        for span in reading.spans:
            yield _mention(reading, span, names)


def _mention(reading: Reading, span: Span, names: Names) -> Mention:
    block, text = reading.block, reading.printed[span.start : span.end]
    page, box = place_of(block, span.start)
    return Mention(
        names.id_of(span), block.document, block.id, names.type_of(span), text, span.start, span.end, page, box
    )


def place_of(block: Block, offset: int) -> tuple[int, BBox]:
    """(1-based page, box) of a character of a block's text."""
    for box in block.boxes:
        if box.start <= offset < box.end:
            return box.page, box.bbox
    return block.page, block.bbox


def _edge(block: Block, item: Found, names: Names) -> Relation | None:
    head, tail = names.id_of(item.head), names.id_of(item.tail)
    if not head or not tail:
        return None
    page, _ = place_of(block, item.start)
    id = relation_id(item.type, head, tail, block.id, item.value, item.period)
    return Relation(
        id,
        item.type,
        head,
        tail,
        block.document,
        block.id,
        page,
        item.start,
        item.end,
        round(item.confidence, 2),
        item.value,
        item.period,
    )


def _adjectives(found: Iterable[tuple[Reading, Found]], mentions: Sequence[Mention], names: Names) -> Iterator[Mention]:
    """Adjectives that edges end at ("a Turkish company") as mentions of their countries."""
    known = {(m.block, m.start) for m in mentions}
    for reading, item in found:
        tail = item.tail
        at = (reading.block.id, tail.start)
        if item.type == "located_in" and at not in known and reading.text[tail.start : tail.end] == tail.text:
            known.add(at)
            yield _mention(reading, tail, names)


def _cell_rows(block: Block, fact: CellFact, names: Names) -> tuple[list[Mention], Relation | None]:
    """Mentions of a table fact's names and its edge; none where the document's company is not known."""
    label = fact.row.split("\n")[0].strip()
    whole = re.search(rf"^{re.escape(label)} \|", block.text, re.MULTILINE) if label else None
    at = whole.start() if whole is not None else max(block.text.find(label), 0)
    page, box = place_of(block, at)
    mentions, ids = [], []
    for cell in (fact.head, fact.tail):
        if cell is None:
            ids.append(names.company_id)
            continue
        span = _cell_span(block, cell, at)
        ids.append(names.id_of(span))
        mentions.append(
            Mention(ids[-1], block.document, block.id, names.type_of(span), cell.text, span.start, span.end, page, box)
        )
    if not all(ids):
        return [], None
    end = block.text.find("\n", at)
    id = relation_id(fact.type, *ids, block.id, fact.value, fact.period)
    return mentions, Relation(
        id, fact.type, ids[0], ids[1], block.document, block.id, page, at, end if end > at else len(block.text),
        fact.confidence, fact.value, fact.period,
    )  # fmt: skip


def _tickers(readings: Sequence[Reading], names: Names) -> Iterator[Mention]:
    """Stock symbols as names of their companies."""
    for block, start, symbol, owner in find_tickers([(r.block, r.text, r.spans) for r in readings]):
        entity = names.company_id if owner is None else names.id_of(owner)
        if entity:
            page, box = place_of(block, start)
            yield Mention(entity, block.document, block.id, "ORG", symbol, start, start + len(symbol), page, box)


def _unsaid_company(mentions: Sequence[Mention], relations: Iterable[Relation], names: Names) -> list[Mention]:
    """A mention without length for a company that edges end at but no text names: the description alone knows it."""
    id = names.company_id
    if any(m.entity == id for m in mentions):
        return []
    first = next((r for r in relations if id and id in (r.head, r.tail)), None)
    if first is None:
        return []
    return [
        Mention(
            id,
            first.document,
            first.block,
            "ORG",
            names.company,
            first.start,
            first.start,
            first.page,
            (0.0, 0.0, 0.0, 0.0),
        )
    ]


def _cell_span(block: Block, cell: CellName, near: int) -> Span:
    start = block.text.find(cell.text, near)
    if start < 0:
        return Span(near, near, cell.type, cell.text)
    return Span(start, start + len(cell.text), cell.type, cell.text)


def _citation(mention: Mention, title: str) -> Relation:
    head = entity_id("LAW", title)
    id = relation_id("cites", head, mention.entity, mention.block)
    return Relation(
        id,
        "cites",
        head,
        mention.entity,
        mention.document,
        mention.block,
        mention.page,
        mention.start,
        mention.end,
        0.7,
    )

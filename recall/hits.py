"""Blocks in hand become hits: with their reason, their picture, their surroundings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.rows import row_block, sound_block
from h3cold.ingest.store.said import Said, read_said
from h3cold.recall.context import context_of
from h3cold.recall.corpus import Corpus
from h3cold.recall.filters import KINDS
from h3cold.recall.render import region_png
from h3cold.recall.structure import answer_in, joined_text, whole, years_in
from h3cold.recall.understand import Question
from h3cold.schemas.block import Block
from h3cold.schemas.errors import CorruptionError
from h3cold.schemas.geometry import BBox, union
from h3cold.schemas.hit import Hit, Intent
from h3cold.schemas.page import Table

SHOWN = ["text", "headings", "boxes", "caption", "table", "digest"]
"""Columns of a hit's block that the corpus does not hold."""


class Chosen(NamedTuple):
    """A block that recall settled on, by its row in the corpus: its score, the intent it serves, what spoke for it.

    `parts` are the rows of the table whose piece it is, itself among them, else none.
    """

    row: int
    parts: tuple[int, ...]
    score: float
    intent: Intent
    signs: Callable[[], list[str]]


def make_hits(
    store: ColdStore, corpus: Corpus, chosen: Sequence[Chosen], question: Question, *, prefix: str
) -> list[Hit]:
    """Hits in the order given; all their blocks are read at once. A piece of a table comes as the whole table.

    `prefix` opens every reason: how the question was understood.

    Raises:
        StoreError: the store cannot be read.
    """
    blocks = read_blocks(store, corpus, list(dict.fromkeys(row for c in chosen for row in (c.row, *c.parts))))
    hits = []
    for rank, pick in enumerate(chosen, 1):
        parts = sorted((blocks[r] for r in pick.parts or (pick.row,)), key=lambda b: b.position)
        hits.append(_hit(store, corpus, pick, parts, blocks[pick.row], question, rank=rank, prefix=prefix))
    return hits


def read_blocks(store: ColdStore, corpus: Corpus, rows: list[int]) -> dict[int, Block]:
    """Blocks by row, without their place among the pieces of a split one.

    They come from the index of what blocks say; of a store that was made before there was one, from the table. What the
    corpus knows of them is not read again: each column of the table costs a quarter of a millisecond.

    Raises:
        StoreError: the store cannot be read.
    """
    if corpus.said is not None:
        return {row: _said_block(corpus, corpus.said, row) for row in rows}
    return read_table(store, corpus, rows)


def read_table(store: ColdStore, corpus: Corpus, rows: list[int]) -> dict[int, Block]:
    """As `read_blocks`, but from the table in any case.

    Raises:
        StoreError: the store cannot be read.
    """
    read = store.table("blocks")._take_rows(corpus.rowid[rows].tolist(), columns=SHOWN).to_pylist()
    return {row: row_block({**_known(corpus, row), **shown}) for row, shown in zip(rows, read, strict=True)}


def _said_block(corpus: Corpus, said: Said, row: int) -> Block:
    known, says = _known(corpus, row), read_said(said, row)
    if known["id"] != says["id"]:
        raise CorruptionError(f"{said.path}: {says['id']} stands for {known['id']}; see h3-monitor --verify --repair")
    return sound_block(known | says)


def _known(corpus: Corpus, row: int) -> dict[str, Any]:
    return {
        "id": corpus.ids[row].decode("utf-8", "surrogatepass"),
        "document": corpus.documents[int(corpus.document[row])]["id"],
        "position": int(corpus.position[row]),
        "kind": KINDS[int(corpus.kind[row])],
        "language": corpus.languages[int(corpus.language[row])],
        "group": f"{corpus.group[row]}" if corpus.group[row] >= 0 else "", "part": 0, "parts": 1, "tokens": 0,
    }  # fmt: skip


def _hit(
    store: ColdStore, corpus: Corpus, pick: Chosen, parts: Sequence[Block], block: Block, question: Question, *,
    rank: int, prefix: str,
) -> Hit:  # fmt: skip
    document = store.documents()[block.document]
    many = len(parts) > 1
    table = whole(parts) if many else block.table
    boxes = [b.bbox for p in parts for b in p.boxes if b.page == block.page]
    bbox: BBox = union(boxes)
    pages = tuple(sorted({page for p in parts for page in p.pages}))
    signs = pick.signs()
    if table is not None:
        signs += _table_signs(table, question)
    if many:
        signs.append(f"table of {len(parts)} parts, pages {pages[0]}–{pages[-1]}" if len(pages) > 1
                     else f"table of {len(parts)} parts")  # fmt: skip
    text = replace(block, text=joined_text(parts) if many else block.text).captioned
    return Hit(
        rank=rank,
        score=round(float(pick.score), 6),
        intent=pick.intent,
        block=block.id,
        kind=block.kind,
        document=block.document,
        source=document["source"],
        title=document["title"] or "",
        page=block.page,
        pages=pages,
        bbox=bbox,
        headings=block.headings,
        text=text,
        table=table,
        reason="; ".join([prefix, *signs]),
        _image=lambda: region_png(store, "" if many else block.id, block.document, block.page, bbox),
        _context=partial(context_of, corpus, pick.parts or (pick.row,), partial(read_blocks, store, corpus)),
    )


def _table_signs(table: Table, question: Question) -> list[str]:
    answer = answer_in(table, question)
    out = []
    if answer.row:
        out.append(f"row “{answer.row[:80]}”")
    if answer.columns:
        out.append("columns " + ", ".join(f"“{c[:40]}”" for c in answer.columns[:4]))
    years = years_in(table, question)
    if len(years) > 1:
        out.append("holds " + " and ".join(map(str, years)))
    return out

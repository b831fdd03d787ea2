"""Blocks in hand become hits: with their reason, their picture, their surroundings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.rows import row_block, sound_block
from h3cold.ingest.store.said import Said, read_said
from h3cold.recall.context import context_of
from h3cold.recall.corpus import Corpus, pieces_of, row_of
from h3cold.recall.excerpt import WHOLE, excerpt, length, pieces_to_read
from h3cold.recall.filters import KINDS
from h3cold.recall.render import region_png
from h3cold.recall.structure import joined_text, lines_above, told_by, whole, years_in
from h3cold.recall.table_columns import year_told
from h3cold.recall.understand import Question
from h3cold.recall.words import Bools
from h3cold.schemas.block import Block, captioned
from h3cold.schemas.errors import CorruptionError, QueryError
from h3cold.schemas.geometry import BBox, union
from h3cold.schemas.hit import STEP, Answer, Hit, Intent
from h3cold.schemas.page import Table

SHOWN = ["text", "headings", "boxes", "caption", "table", "digest"]
"""Columns of a hit's block that the corpus does not hold."""


ABROAD = 0.7
"""What an answer in another language than the question's is worth beside one in that."""


class Chosen(NamedTuple):
    """A block that recall settled on, by its row in the corpus: its score, the intent it serves, what spoke for it.

    `parts` are the rows of the table whose piece it is, itself among them, else none. `copies` are rows that say
    the same. `worth` is what it came in its place for (see `fuse.worths`); `answers`: what its table answers counts.
    """

    row: int
    parts: tuple[int, ...]
    score: float
    intent: Intent
    signs: Callable[[], list[str]]
    copies: tuple[int, ...] = ()
    worth: float = 0.0
    answers: bool = False


class Around(NamedTuple):
    """A block's surroundings, read when they are asked for: `context(scope)` and all `cells()` of its table."""

    context: Callable[[str], str]
    cells: Callable[[], Table | None]


class Seen(NamedTuple):
    """A block that recall settled on, read, in `parts` where it is split: what is shown of it, and what it answers.

    `cut` says that `text` and `table` are but the rows that answer; `fit`, 0..1, is how much of the question they say;
    `elsewhen`: for other years than are asked for. `page` is that of the row that answers, 0 where it is not told.
    """

    pick: Chosen
    parts: Sequence[Block]
    block: Block
    text: str
    table: Table | None
    cut: bool
    answer: Answer | None
    fit: float
    elsewhen: bool = False
    page: int = 0


def look(store: ColdStore, corpus: Corpus, chosen: Sequence[Chosen], question: Question) -> list[Seen]:
    """What stands in each block chosen; all are read at once.

    A piece of a table comes as the whole table, of a long one as the rows that answer.

    Raises:
        StoreError: the store cannot be read.
    """
    wanted = [_wanted(corpus, pick, question) for pick in chosen]
    blocks = read_blocks(store, corpus, list(dict.fromkeys(row for rows in wanted for row in rows)))
    out = []
    for pick, rows in zip(chosen, wanted, strict=True):
        parts = sorted((blocks[row] for row in rows), key=lambda b: b.position)
        out.append(_seen(store, pick, parts, blocks[pick.row], question))
    return out


def _seen(store: ColdStore, pick: Chosen, parts: Sequence[Block], block: Block, question: Question) -> Seen:
    pieces = len(pick.parts) or 1
    text, table, cut = block.text, block.table, len(parts) < pieces
    if pieces > 1 and not cut:
        text = joined_text(parts)
        cut = length(text) > WHOLE
        table = None if cut else whole(parts)
    if cut:
        text, table = excerpt(parts, block, question)
    if table is None:
        return Seen(pick, parts, block, text, None, cut, None, 0.0)
    document = store.documents()[block.document]
    called = " ".join(str(document[key] or "") for key in ("title", "company", "source"))
    year, about = year_told(document["period"]), parts[0].caption or block.caption
    told = told_by(table, question, about, above=lines_above(parts[0]), year=year, called=called)
    fit = told.fit * (1.0 if block.language == question.language else ABROAD)
    return Seen(pick, parts, block, text, table, cut, told.answer, fit, told.elsewhen, told.page)


def make_hits(
    store: ColdStore, corpus: Corpus, seen: Sequence[tuple[Seen, float]], question: Question, *, prefix: str,
    told: Bools | None = None,
) -> list[Hit]:  # fmt: skip
    """Hits in the order given, each with the score to show, with the answers of the documents that are `told`, or all.

    `prefix` opens every reason: how the question was understood.
    """
    kept = [
        (one if told is None or told[corpus.document[one.pick.row]] else one._replace(answer=None), score)
        for one, score in seen
    ]
    return [
        _hit(store, corpus, one, question, rank=rank, score=score, prefix=prefix)
        for rank, (one, score) in enumerate(kept, 1)
    ]


def _wanted(corpus: Corpus, pick: Chosen, question: Question) -> list[int]:
    if not pick.parts:
        return [pick.row]
    return pieces_to_read(corpus.words, pick.parts, pick.row, corpus.page[list(pick.parts)], question)


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
    read = store.take("blocks", corpus.rowid[rows].tolist(), SHOWN).to_pylist()
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
    store: ColdStore, corpus: Corpus, seen: Seen, question: Question, *, rank: int, score: float, prefix: str
) -> Hit:
    pick, parts, block, text, table, cut, answer, *_ = seen
    document = store.documents()[block.document]
    rows = list(pick.parts or (pick.row,))
    many = len(rows) > 1
    block = next((part for part in parts if part.page == seen.page), block)  # where the row that answers stands
    here = block.page
    bbox: BBox = union([b.bbox for p in parts for b in p.boxes if b.page == here])
    spans = [range(int(corpus.page[row]), int(corpus.last_page[row]) + 1) for row in rows]
    pages = tuple(sorted(set().union(*spans)) if many else spans[0])
    signs = pick.signs()
    if table is not None:
        signs += _table_signs(table, answer, question)
    if many:
        signs.append(f"table of {len(rows)} parts, pages {pages[0]}–{pages[-1]}" if len(pages) > 1
                     else f"table of {len(rows)} parts")  # fmt: skip
    if cut:
        signs.append("of which the rows that answer are shown")
    return Hit(
        rank=rank,
        score=round(score, 6),
        intent=pick.intent,
        block=block.id,
        kind=block.kind,
        document=block.document,
        source=document["source"],
        title=document["title"] or "",
        page=here,
        pages=pages,
        bbox=bbox,
        headings=block.headings,
        text=captioned(block.caption, text),
        table=table,
        reason="; ".join([prefix, *signs]),
        answer=answer,
        excerpt=cut,
        copies=_copies(corpus, document, pick.copies),
        _image=lambda: region_png(store, "" if many else block.id, block.document, here, bbox),
        _context=partial(context_of, corpus, rows, partial(read_blocks, store, corpus)),
        _cells=partial(cells_of, rows, partial(read_blocks, store, corpus)) if cut else None,
    )


def row_named(corpus: Corpus, block: str) -> int | None:
    """The row of a block by the id that a caller gives; None where there is none.

    Raises:
        QueryError: `block` is no text.
    """
    if not isinstance(block, str):
        raise QueryError(f"a block's id is text, not {type(block).__name__}")
    return row_of(corpus, block)


def around(store: ColdStore, corpus: Corpus, row: int) -> Around:
    """What stands around the block of a row, or around the table that it is a piece of."""
    rows, read = pieces_of(corpus, row).tolist() or [row], partial(read_blocks, store, corpus)
    return Around(partial(context_of, corpus, rows, read), partial(cells_of, rows, read))


def cells_of(rows: Sequence[int], read: Callable[[list[int]], dict[int, Block]]) -> Table | None:
    """All of the table whose pieces these rows of the corpus are.

    Raises:
        StoreError: the store cannot be read.
    """
    return whole(sorted(read(list(rows)).values(), key=lambda b: b.position))


def _copies(corpus: Corpus, document: Mapping[str, Any], rows: Sequence[int]) -> tuple[str, ...]:
    """The other files of the document, then those of the documents that `rows` are of."""
    others = [corpus.documents[int(corpus.document[row])] for row in rows]
    every = (name for other in (document, *others) for name in other["sources"] or [other["source"]])
    return tuple(name for name in dict.fromkeys(every) if name != document["source"])


def _table_signs(table: Table, answer: Answer | None, question: Question) -> list[str]:
    out = []
    if answer is not None and answer.row:
        out.append(f"row “{STEP.join(step[:80] for step in answer.row.split(STEP))}”")
    if answer is not None and answer.columns:
        out.append("columns " + ", ".join(f"“{c[:40]}”" for c in answer.columns[:4]))
    years = years_in(table, question)
    if len(years) > 1:
        out.append("holds " + " and ".join(map(str, years)))
    return out

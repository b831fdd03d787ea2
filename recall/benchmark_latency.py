"""`h3-benchmark recall --sets latency`: how long a question takes in a large store, stage by stage.

The store holds copies of the blocks of a small one. A copy has documents of its own, of companies with names of their
own; one token in eight is another one of the same frequency class; vectors are turned a little. So words are as
frequent as in real text, and no two copies of a block say the same or lie in the same place.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa

from h3cold.ingest.store.reader import ColdStore
from h3cold.recall.measures import Figures
from h3cold.schemas.errors import UsageError

BLOCKS = 1_000_000
ROUNDS = 3
"""Times that each question is asked; all count."""

CHANGED = 1 / 8
"""Share of the tokens that are others in a copy."""

TURNED = 0.3
"""Length of what is added to a unit vector: the copy's cosine to the original is about 0.96."""

TOGETHER = 32
"""Copies written at a time."""


def measure_latency(bases: Sequence[Path], store: Path, questions: Sequence[str], *, blocks: int = BLOCKS) -> Figures:
    """Figures for a store of about so many blocks, which is made from `bases` unless it is there already.

    Of each stage, by wall clock and by processor time of all threads: "embedding" alone; "understanding", with the
    embedding beside it; "search", from candidates to hits; "recall", the whole.

    Raises:
        UsageError: the `bases` have no blocks.
        StoreError: a store cannot be read or written.
    """
    from h3cold.ingest.embed import open_embedder
    from h3cold.recall.cold_tier import ColdTier
    from h3cold.recall.opening import question_embedder
    from h3cold.recall.search import search

    if not (store / "manifest.json").exists():
        make_copies(bases, store, blocks=blocks)
    manifest = ColdStore.open(store).manifest
    embedder = question_embedder(
        open_embedder(manifest.models.get("embedder name", "e5-small")), manifest.counts["blocks"]
    )
    process = psutil.Process()
    before = process.memory_info().rss
    began = time.perf_counter()
    with ColdTier.open(store) as tier:
        figures: Figures = {
            "blocks": tier.status()["counts"]["blocks"],
            "open s": round(time.perf_counter() - began, 2),
        }
        for question in questions:  # what is mapped comes from the disk once
            tier.recall(question)
        stages: dict[str, list[tuple[float, float]]] = {
            "embedding": [],
            "understanding": [],
            "search": [],
            "recall": [],
        }
        for question in [*questions] * ROUNDS:
            _time(stages["embedding"], partial(embedder.queries, [question]))
            snapshot, asked = _time(stages["understanding"], partial(tier.prepare, question))
            if asked is not None:
                _time(stages["search"], partial(search, snapshot, asked))
            _time(stages["recall"], partial(tier.recall, question))
        figures["resident MB"] = round((process.memory_info().rss - before) / 1e6)
    for name, times in stages.items():
        for kind, values in zip(("ms", "cpu ms"), zip(*times, strict=True), strict=True):
            figures[f"{name} p50 {kind}"] = round(float(np.median(values)) * 1e3, 1)
            figures[f"{name} p99 {kind}"] = round(float(np.quantile(values, 0.99)) * 1e3, 1)
    return figures


def _time(times: list[tuple[float, float]], do: Callable[[], Any]) -> Any:
    wall, cpu = time.perf_counter(), time.process_time()
    out = do()
    times.append((time.perf_counter() - wall, time.process_time() - cpu))
    return out


def make_copies(
    bases: Sequence[Path], store: Path, *, blocks: int, also: Callable[[int], Mapping[str, pa.Table]] | None = None
) -> None:
    """Publish a store of copies of all blocks of the stores `bases`, whole ones, until there are `blocks` or just over.

    `also` gives the rows of other tables for a copy by its number; with entities and relations the graph is indexed.

    Raises:
        UsageError: the `bases` have no blocks.
        StoreError: a store cannot be read or written.
    """
    from h3cold.ingest.store.checksums import Checksums
    from h3cold.ingest.store.datasets import Datasets
    from h3cold.ingest.store.graph import build_graph_index
    from h3cold.ingest.store.indexes import build_blocks_index
    from h3cold.ingest.store.manifest import publish_manifest
    from h3cold.ingest.store.tables import schemas
    from h3cold.ingest.store.told import build_told
    from h3cold.schemas.manifest import STORE_VERSION, Manifest

    sources = [ColdStore.open(base) for base in bases]
    rows = pa.concat_tables([source.table("blocks").to_table() for source in sources])
    if not rows.num_rows:
        raise UsageError(f"{', '.join(map(str, bases))}: no blocks to make copies of")
    known = [row for source in sources for row in source.documents().values()]
    original = _Original(rows)
    tables = Datasets(store, schemas(text_dimension=original.vectors.shape[1]))
    tables.start_empty(tables.schemas)
    documents: list[dict[str, Any]] = []
    copies = -(-blocks // rows.num_rows)
    for first in range(0, copies, TOGETHER):
        made = []
        for number in range(first, min(first + TOGETHER, copies)):
            documents += [_document(row, number) for row in known]
            made.append(original.copy(number))
            for name, more in (also(number) if also else {}).items():
                tables.append(name, more)
        tables.append("blocks", pa.concat_tables(made))
    tables.replace("documents", documents)
    tables.settle()
    index = build_blocks_index(store, tables["blocks"], snapshot=1, kind="auto")
    index |= build_told(store, tables.__getitem__, snapshot=1)
    if also:
        index |= build_graph_index(store, tables.__getitem__, snapshot=1)
    Checksums(store).save()
    publish_manifest(
        store,
        Manifest(
            schema_version=STORE_VERSION,
            snapshot=1,
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            root=sources[0].manifest.root,
            config="",
            tables=tables.versions(),
            index=index,
            models=sources[0].manifest.models,
            counts={name: table.count_rows() for name, table in tables.items()},
        ),
    )


class _Original:
    """The blocks that are copied: their tokens as numbers, what their digests cover."""

    def __init__(self, rows: Any) -> None:
        from h3cold.ingest.store.rows import SAID

        self._rows = rows
        flat = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        self.vectors = flat.reshape(rows.num_rows, -1).astype(np.float32)
        self._said = rows.select(list(SAID)).to_pylist()
        tokens = [text.split() for text in rows["tokens_text"].to_pylist()]
        numbers: dict[str, int] = {}
        self._flat = np.array([numbers.setdefault(t, len(numbers)) for own in tokens for t in own], np.int64)
        self._at = np.cumsum([0, *map(len, tokens)]).tolist()
        self._spelt = np.array(list(numbers), dtype=object)
        self._by_frequency = np.argsort(-np.bincount(self._flat), kind="stable")

    def copy(self, number: int) -> Any:
        """Rows of `blocks` of a copy; number 0 says what the original says."""
        from h3cold.ingest.store.rows import block_digest

        own = [{**said, "id": copied_id(said["id"], number)} for said in self._said]
        columns = {
            "id": [row["id"] for row in own],
            "document": [copied_id(document, number) for document in self._rows["document"].to_pylist()],
            "indexed": [""] * len(own),
            "tokens_text": self._tokens(number),
            "group": [group and f"{group}-{number}" for group in self._rows["group"].to_pylist()],
            "digest": [block_digest(row) for row in own],
        }
        out = self._rows
        for name, values in columns.items():
            out = out.set_column(out.schema.get_field_index(name), name, pa.array(values, pa.string()))
        random = np.random.default_rng(number)
        size = self.vectors.shape[1]
        turned = self.vectors + random.normal(0, TURNED / np.sqrt(size), self.vectors.shape) * (number > 0)
        turned /= np.linalg.norm(turned, axis=1, keepdims=True)
        halves = pa.FixedSizeListArray.from_arrays(pa.array(turned.astype(np.float16).reshape(-1)), size)
        return out.set_column(out.schema.get_field_index("vector"), "vector", halves)

    def _tokens(self, number: int) -> list[str]:
        """Every block's tokens, joined: one kind in eight is another one of about its frequency."""
        random = np.random.default_rng(number)
        places = np.arange(len(self._spelt))
        moved = np.flatnonzero(random.random(len(places)) < (CHANGED if number else 0))
        places[moved] = np.minimum(moved * random.uniform(0.7, 1.4, len(moved)), len(places) - 1).astype(np.int64)
        becomes = np.empty(len(places), np.int64)
        becomes[self._by_frequency] = self._by_frequency[places]
        said = self._spelt[becomes[self._flat]]
        name = [copied_name(number)] if number else []
        return [" ".join([*said[a:b], *name]) for a, b in pairwise(self._at)]


def copied_id(name: str, number: int) -> str:
    """A document's id, or a block's that begins with it, in a copy."""
    return f"{number:08x}{name[8:]}"


def _document(row: dict[str, Any], number: int) -> dict[str, Any]:
    """A row of `documents` for a copy; the first copy keeps its names."""
    own = {**row, "id": copied_id(row["id"], number)}
    if not number:
        return own
    name = copied_name(number)
    source = f"{name}/{row['source']}"
    return {**own, "company": f"{row['company'] or row['title']} {name}", "title": f"{row['title']} {name}",
            "source": source, "sources": [source]}  # fmt: skip


def copied_name(number: int) -> str:
    """A word that is nobody's name."""
    return "".join("bdfgklmnprstvz"[number // 14**i % 14] + "aeiou"[(number + i) % 5] for i in range(3)) + "co"

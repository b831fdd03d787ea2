"""The stage that lays every document out as a tree (`tree`), with a summary in words and vectors at each node.

One file a snapshot, `trees`, of which a reader maps what it descends to:

- `documents` (ids, in order), `tops` int8 [D, 1 + PARTS, k]: of each document the vector of all of it and of its
  parts, from which a question can tell whether to go on;
- nodes in order of document, those of document d from `nodes_at[d]` on, each before its children: `level` (0 document,
  1 chapter, 2 section), `first` and `last` (rows of blocks, exclusive), `codes` int8 [N, k], and `said` (UTF-8: title,
  newline, summary) from `said_at[node]`;
- of each block its sentence, `leaf` from `leaf_at[row]`; its vector lies in `summaries`, or where there are none in
  `leaves` int8 [n, k].

Vectors are summaries (`network`) where the store has them, else the embedding model's own; `scales` [k] are those of
the nodes' codes, `leaf_scales` [k] those of `leaves`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from h3cold.ingest.compress.codes import BYTES, decoded
from h3cold.ingest.compress.extract import MIDDLE, TOP, allowed, cut, gathered, sentence_of, told
from h3cold.ingest.compress.network import Bytes, Floats, ids_digest, read_network
from h3cold.ingest.compress.tree import Span, spans
from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.reader import LOOKUP, quoted
from h3cold.ingest.store.writer import StoreWriter
from h3cold.schemas.errors import H3Error

ROLES = ("trees",)

PARTS = 4
"""Parts of a document with a vector of their own at the top, beside that of all of it."""

TITLE = 64
"""Bytes of a title that are kept."""

CHOSEN = "sentences that end"
"""Which sentences stand for blocks; those of a store where others did are chosen anew."""

WIDEST = 4.0
"""Times the usual size of a number, what the codes of nodes reach."""

BATCH = 4096


class Read(NamedTuple):
    """Blocks in order of id: ids, documents, heading paths, sentences."""

    ids: list[str]
    documents: list[str]
    headings: list[tuple[str, ...]]
    sentences: list[str]


def build_trees(
    writer: StoreWriter, summaries: Mapping[str, str], former: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Write the trees of the snapshot that is about to be published; gives the file by role.

    `summaries` are the files by role that the stage of that name made, none where there are no summaries; `former` the
    index files of the snapshot before.

    Raises:
        StoreError: the file cannot be written.
    """
    blocks = _read(writer, former or {})
    if not blocks.ids:
        return {}
    vectors, scales, leaves = _vectors(writer, summaries, blocks.ids)
    titles = {row["id"]: row["title"] or "" for row in
              writer.table("documents").to_table(columns=["id", "title"]).to_pylist()}  # fmt: skip
    arrays = lay_out(blocks, vectors, scales, titles) | leaves
    relative = f"index/{writer.number()}/trees"
    write_arrays(
        writer.path / relative, arrays, {"ids": ids_digest(blocks.ids), "summaries": bool(summaries), "chosen": CHOSEN}
    )
    return {"trees": relative}


def lay_out(
    blocks: Read, vectors_of: Callable[[slice], Floats], scales: Floats, titles: Mapping[str, str]
) -> dict[str, npt.NDArray[Any]]:
    """The arrays of the file, but for `leaves`; `vectors_of` gives the blocks' vectors by row."""
    documents = list(dict.fromkeys(blocks.documents))
    starts = [*np.flatnonzero(np.array([True, *(a != b for a, b in pairwise(blocks.documents))])).tolist(),
              len(blocks.ids)]  # fmt: skip
    tops = np.empty((len(documents), 1 + PARTS, len(scales)), np.int8)
    nodes: list[tuple[int, int, int]] = []
    vectors: list[Bytes] = []
    said: list[str] = []
    sentences: list[str] = []
    nodes_at = [0]
    for place, document in enumerate(documents):
        start, end = starts[place], starts[place + 1]
        own = vectors_of(slice(start, end))
        tree = spans(blocks.headings[start:end], own, titles.get(document, ""))
        for span in tree:
            part = own[span.first : span.last]
            nodes.append((span.level, start + span.first, start + span.last))
            vectors.append(_coded(_mean(part), scales))
            said.append(_said(span, part, blocks.sentences[start + span.first : start + span.last]))
        edges = np.linspace(0, len(own), PARTS + 1).round().astype(int)
        pieces = [own[a : max(b, a + 1)] if a < len(own) else own for a, b in pairwise(edges.tolist())]
        tops[place] = np.stack([_coded(_mean(piece), scales) for piece in (own, *pieces)])
        nodes_at.append(len(nodes))
        sentences += [cut(sentence, allowed(end - start, BYTES)) for sentence in blocks.sentences[start:end]]
    flat = np.array(nodes, np.int64).reshape(-1, 3)
    text, text_at = _texts(said)
    leaf, leaf_at = _texts(sentences)
    return {"documents": np.array([d.encode("utf-8", "surrogatepass") for d in documents], "S"), "tops": tops,
            "nodes_at": np.array(nodes_at, np.int64), "level": flat[:, 0].astype(np.uint8),
            "first": flat[:, 1].astype(np.uint32), "last": flat[:, 2].astype(np.uint32),
            "codes": np.stack(vectors), "said": text, "said_at": text_at, "leaf": leaf, "leaf_at": leaf_at,
            "scales": scales.astype(np.float32)}  # fmt: skip


def _said(span: Span, vectors: Floats, sentences: Sequence[str]) -> str:
    """Title and summary of a node: sentences of the blocks nearest to what all of its have in common, in order."""
    most = TOP if span.level == 0 else MIDDLE
    nearest = np.argsort(-(vectors @ _mean(vectors)), kind="stable").tolist()
    taken = told(nearest, sentences, most=8 if span.level == 0 else 3)
    return f"{cut(span.title, TITLE)}\n{gathered([sentences[i] for i in taken], most=most)}"


def _mean(vectors: Floats) -> Floats:
    out = vectors.mean(axis=0)
    return np.asarray(out / max(float(np.linalg.norm(out)), 1e-9), dtype=np.float32)


def _coded(vector: Floats, scales: Floats) -> Bytes:
    return np.rint(np.clip(vector / scales, -127, 127)).astype(np.int8)


def _vectors(
    writer: StoreWriter, summaries: Mapping[str, str], ids: Sequence[str]
) -> tuple[Callable[[slice], Floats], Floats, dict[str, npt.NDArray[Any]]]:
    """Vectors of the blocks by row in order of id, scales for codes of nodes, the arrays of the blocks' own codes."""
    if summaries:
        arrays, _ = map_arrays(writer.path / summaries["summaries"])
        grid = read_network(writer.path / summaries["summaries.network"])[0].grid
        usual = np.sqrt(grid.mean**2 + grid.spread**2)
        return lambda rows: decoded(grid, arrays["codes"][rows]), usual * np.float32(WIDEST / 127), {}
    place = {block: row for row, block in enumerate(ids)}
    table = writer.table("blocks")
    dimension = table.schema.field("vector").type.list_size
    codes = np.empty((len(ids), dimension), np.int8)
    for batch in table.to_batches(columns=["id", "vector"], batch_size=BATCH):
        rows = [place[i] for i in batch["id"].to_pylist()]
        flat = batch["vector"].flatten().to_numpy(zero_copy_only=False)
        codes[rows] = np.rint(np.clip(flat.astype(np.float32).reshape(-1, dimension), -1, 1) * 127)
    scales = np.full(dimension, 1 / 127, np.float32)
    return lambda rows: codes[rows] * scales, scales, {"leaves": codes, "leaf_scales": scales}


def _read(writer: StoreWriter, former: Mapping[str, str]) -> Read:
    """All blocks; sentences of documents that are as they were are taken from the former trees."""
    table = writer.table("blocks").to_table(columns=["id", "document", "headings"])
    ids, documents, headings = (table[name].to_pylist() for name in ("id", "document", "headings"))
    order = sorted(range(len(ids)), key=ids.__getitem__)
    known = _sentences(writer, former)
    changed = sorted({documents[i] for i in order if ids[i] not in known})
    everything = len(changed) == len(set(documents))
    for start in range(0, len(changed), LOOKUP):
        listed = ", ".join(quoted(d) for d in changed[start : start + LOOKUP])
        which = None if everything else f"document IN ({listed})"
        columns = ["id", "text", "caption"]
        for batch in writer.table("blocks").to_batches(columns=columns, filter=which, batch_size=BATCH):
            for row in batch.to_pylist():
                known[row["id"]] = sentence_of(row["caption"] or row["text"] or "")
        if everything:
            break
    return Read([ids[i] for i in order], [documents[i] for i in order], [tuple(headings[i]) for i in order],
                [known[ids[i]] for i in order])  # fmt: skip


def _sentences(writer: StoreWriter, former: Mapping[str, str]) -> dict[str, str]:
    """Sentences by block, of the former trees, of documents that nothing was done to since."""
    if writer.fresh or not {"trees", "blocks.words"} <= set(former):
        return {}
    if not Checksums(writer.path).hold(former[role] for role in ("trees", "blocks.words")):
        return {}
    try:
        arrays, notes = map_arrays(writer.path / former["trees"])
        ids = [i.decode("utf-8", "surrogatepass") for i in map_arrays(writer.path / former["blocks.words"])[0]["ids"]]
        if notes["ids"] != ids_digest(ids) or notes["chosen"] != CHOSEN:
            return {}
        flat, at = bytes(arrays["leaf"]), arrays["leaf_at"].tolist()
    except (H3Error, KeyError):  # derived: made anew
        return {}
    return {
        block: flat[at[row] : at[row + 1]].decode("utf-8", "surrogatepass")
        for row, block in enumerate(ids) if block.partition("-")[0] not in writer.redone
    }  # fmt: skip


def _texts(texts: Sequence[str]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    data = [text.encode("utf-8", "surrogatepass") for text in texts]
    at = np.concatenate([[0], np.cumsum([len(d) for d in data])]).astype(np.int64)
    return np.frombuffer(b"".join(data), np.uint8), at

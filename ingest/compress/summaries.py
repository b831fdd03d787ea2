"""The stage that makes a summary of every block: calibrated and learned on the store's own text, then kept with it.

Two files a snapshot: `summaries` has a row for each block in order of id (`codes` uint8 [n, BYTES]; `spread` float32
[n, 2], how far its drawn tokens lie from the usual and how much of that the projection drops; `taught`, whether
what is used was learned with it), `summaries.network` what makes them. The network is kept from build to build and
new blocks get their summaries by it, so that a store built in steps has another network, and other summaries, than
one built at once: `--rebuild` makes them alike. It is learned anew when the text has drifted (see `drifted`).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from h3cold.ingest.compress.codes import BYTES, KEPT, coded
from h3cold.ingest.compress.network import (
    Floats,
    Network,
    ids_digest,
    read_network,
    summaries,
    write_network,
)
from h3cold.ingest.compress.runs import DRAWN, unpacked
from h3cold.ingest.compress.training import Lesson, learn_network, lost, principal
from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.writer import StoreWriter
from h3cold.schemas.errors import CorruptionError, H3Error

ROLES = ("summaries", "summaries.network")

LEAST = 400
"""Blocks from which there is enough to learn from, and less to keep: the network is as large as 170 vectors."""

LEAST_PAIRS = 150
TAUGHT = 8000
"""Blocks that are learned from, at most, of whole documents in order of id, that is at random."""

FROM_ONE = 1000
"""Blocks of one document that are learned from, at most."""

HELD_OUT = 15
"""Of a hundred sections, those that are not learned from but measured on."""

MARGIN = 0.03
"""Share of the variance by which new text may be kept worse than the text that the projection was calibrated on."""

NEW = 200
"""New blocks from which it is known how well they are kept."""

KNOWN = 0.5
"""Share of the blocks that must have been there when the network was learned."""

COMPARED = 400
"""Blocks whose cosines are compared with those of full vectors."""

BATCH = 2048


class Summaries(NamedTuple):
    """What the stage made: its files by role, none where it is off, and what to say of it in the status."""

    files: dict[str, str]
    status: str


class Blocks(NamedTuple):
    """Every block in order of id: its id, document, and section (document and headings, as a number)."""

    ids: list[str]
    documents: list[str]
    sections: npt.NDArray[np.int64]
    positions: npt.NDArray[np.int64]


class Kept(NamedTuple):
    """A former calibration, and the summaries by it of blocks that are as they were, by id."""

    file: str
    network: Network
    notes: dict[str, Any]
    arrays: dict[str, Any]
    rows: dict[str, int]


def build_summaries(writer: StoreWriter, *, dimensions: int, embedder: str, former: Mapping[str, str]) -> Summaries:
    """Write the summaries of the snapshot that is about to be published.

    `dimensions` is what token vectors are projected to, `embedder` the id of their model, `former` the index files of
    the snapshot before.

    Raises:
        StoreError: the files cannot be written.
    """
    blocks = read_blocks(writer)
    count = writer.table("tokens").count_rows()
    if len(blocks.ids) < LEAST:
        return Summaries({}, f"off: {LEAST:,} blocks are needed to learn from, here are {len(blocks.ids):,};"
                             " the full vectors are used")  # fmt: skip
    if count < len(blocks.ids):
        return Summaries({}, f"off: {len(blocks.ids) - count:,} of {len(blocks.ids):,} blocks have no token vectors: an"
                             " older version embedded them, or a model that gives none; the full vectors are used,"
                             " --rebuild embeds all anew")  # fmt: skip
    kept = _kept(writer, former, dimensions=dimensions, embedder=embedder)
    arrays = None if kept is None else _arrays(writer, blocks, kept.network, kept)
    if kept is None or arrays is None or drifted(arrays, kept.notes):
        why = "" if kept is None else ", learned anew as the text had changed"
        made = calibrate(writer, blocks, dimensions=dimensions, embedder=embedder)
        if isinstance(made, str):
            return Summaries({}, made)
        network, notes, mean, taught = made
        file = f"index/{writer.number()}/summaries.network"
        write_network(writer.path / file, network, notes)
        network, notes = read_network(writer.path / file)  # as every later build has it
        own = {"spread": np.zeros((0, 2), np.float32), "mean": mean, "codes": np.zeros((0, BYTES), np.uint8)}
        arrays = _arrays(writer, blocks, network, Kept(file, network, notes, own, {}), taught)
    else:
        file, notes, why = kept.file, kept.notes, ""
    relative = f"index/{writer.number()}/summaries"
    write_arrays(writer.path / relative, arrays, {"ids": ids_digest(blocks.ids), "network": file})
    says = (f"512 numbers of {notes['pca']} a token, kept in {BYTES} bytes a block; of the tokens' variance"
            f" {notes['retained']:.3f} is kept{why}")  # fmt: skip
    return Summaries({"summaries": relative, "summaries.network": file}, says)


def drifted(arrays: Mapping[str, Any], notes: Mapping[str, Any]) -> bool:
    """Whether to learn anew: new text is kept worse by `MARGIN`, or is more than what was learned from."""
    new = ~arrays["taught"]
    if new.mean() > 1 - KNOWN:
        return True
    return bool(new.sum() >= NEW and retained(arrays["spread"][new]) < notes["retained"] - MARGIN)


def retained(spread: Floats) -> float:
    """Share of the variance of token vectors that the projection keeps."""
    whole, dropped = spread.sum(axis=0, dtype=np.float64)
    return float(1 - dropped / max(whole, 1e-12))


def read_blocks(writer: StoreWriter) -> Blocks:
    """All blocks, by what is needed here."""
    table = writer.table("blocks").to_table(columns=["id", "document", "position", "headings"])
    ids, documents, headings = (table[name].to_pylist() for name in ("id", "document", "headings"))
    order = sorted(range(len(ids)), key=ids.__getitem__)
    numbers: dict[tuple[str, ...], int] = {}
    section = [numbers.setdefault((documents[i], *headings[i]), len(numbers)) for i in order]
    positions = np.array(table["position"].to_pylist(), np.int64)[order] if order else np.zeros(0, np.int64)
    return Blocks([ids[i] for i in order], [documents[i] for i in order], np.array(section, np.int64), positions)


def calibrate(
    writer: StoreWriter, blocks: Blocks, *, dimensions: int, embedder: str
) -> tuple[Network, dict[str, Any], Floats, npt.NDArray[np.bool_]] | str:
    """Network, notes, mean token vector and which blocks were learned from; or why there is too little for it."""
    rows = _chosen(blocks)
    place = {blocks.ids[row]: i for i, row in enumerate(rows.tolist())}
    runs: list[Floats] = [np.zeros((0, 0), np.float32)] * len(rows)
    tokens: list[Floats] = [runs[0]] * len(rows)
    for ids, found in _read(writer):
        for block, (own, drawn) in zip(ids, found, strict=True):
            if block in place:
                runs[place[block]], tokens[place[block]] = own, drawn
    section = blocks.sections[rows]
    numbers = {document: i for i, document in enumerate(dict.fromkeys(blocks.documents))}
    document = np.array([numbers[blocks.documents[row]] for row in rows.tolist()], np.int64)
    # Rows are in order of document and position.
    beside = np.flatnonzero((section[1:] == section[:-1]) & (np.diff(blocks.positions[rows]) > 0))
    pairs = np.stack([beside, beside + 1], axis=1)
    aside = np.isin(section[pairs[:, 0]], _held_out(blocks, rows, np.unique(section[pairs[:, 0]])))
    if (~aside).sum() < LEAST_PAIRS:
        return (f"off: {LEAST_PAIRS} pairs of blocks in one section are needed to learn from, here are"
                f" {(~aside).sum()}; the full vectors are used")  # fmt: skip
    drawn = np.concatenate(tokens)
    dimensions = min(dimensions, drawn.shape[1])
    # What is kept is told of tokens that the directions were not found with: of their own, few tokens keep too much.
    aside_tokens = np.arange(len(drawn)) % 5 == 0
    most = drawn[~aside_tokens]
    kept = retained(lost(drawn[aside_tokens], principal(most, dimensions), most.mean(axis=0)))
    basis = principal(drawn, dimensions)
    starts = np.concatenate([[0], np.cumsum([len(r) for r in runs])])
    network = learn_network(Lesson(np.concatenate(runs), starts, section, document, pairs[~aside]), basis)
    taught = np.zeros(len(blocks.ids), np.bool_)
    taught[rows] = True
    notes = {"pca": dimensions, "dimension": drawn.shape[1], "embedder": embedder, "retained": round(kept, 4),
             "blocks": len(rows), **_measured(network, runs, pairs[aside], document)}  # fmt: skip
    return network, notes, drawn.mean(axis=0).astype(np.float32), taught


def _held_out(blocks: Blocks, rows: npt.NDArray[np.int64], sections: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Sections that are not learned from: at random by their first block, one at least where there are two."""
    first: dict[int, int] = {}
    for row in rows.tolist():
        first.setdefault(int(blocks.sections[row]), row)
    drawn = sorted(sections.tolist(), key=lambda s: zlib.crc32(blocks.ids[first[s]].encode()))
    count = max(len(drawn) * HELD_OUT // 100, min(1, len(drawn) // 2))
    return np.array(drawn[:count], np.int64)


def _chosen(blocks: Blocks) -> npt.NDArray[np.int64]:
    """Rows to learn from."""
    out: list[int] = []
    taken: dict[str, int] = {}
    for row, document in enumerate(blocks.documents):
        taken[document] = taken.get(document, 0) + 1
        if taken[document] <= FROM_ONE:
            out.append(row)
            if len(out) == TAUGHT:
                break
    return np.array(out, np.int64)


def _measured(
    network: Network, runs: Sequence[Floats], pairs: npt.NDArray[np.int64], document: npt.NDArray[np.int64]
) -> dict[str, Any]:
    """Cosines of pairs that were held out, and of blocks of different documents: mean, 5th, 50th, 95th percentile."""
    draw = np.random.default_rng(len(runs))
    other = draw.integers(0, len(runs), (2000, 2))
    other = other[document[other[:, 0]] != document[other[:, 1]]]
    wanted = np.unique(np.concatenate([pairs.ravel(), other.ravel()]))
    if len(wanted) < COMPARED:  # one document, or one section
        wanted = np.union1d(wanted, draw.permutation(len(runs))[:COMPARED])
    place = {row: i for i, row in enumerate(wanted.tolist())}
    vectors = summaries(network, [runs[row] for row in wanted.tolist()])
    whole = np.stack([runs[row].mean(axis=0) for row in wanted.tolist()])
    whole /= np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), 1e-9)
    out: dict[str, Any] = {"slope": _slope(vectors, whole)}
    for name, found in (("same section", pairs), ("different documents", other)):
        if len(found):
            a, b = ([place[row] for row in found[:, side].tolist()] for side in (0, 1))
            cosines = (vectors[a] * vectors[b]).sum(axis=1)
            out[name] = [round(float(v), 4) for v in (cosines.mean(), *np.percentile(cosines, [5, 50, 95]))]
    return out


def _slope(vectors: Floats, whole: Floats) -> float:
    """How much the cosine of full vectors rises with that of summaries, among those that are rather near."""
    draw = np.random.default_rng(len(vectors))
    sample = draw.permutation(len(vectors))[:COMPARED]
    short, full = vectors[sample] @ vectors[sample].T, whole[sample] @ whole[sample].T
    np.fill_diagonal(short, -1)
    near = short >= np.sort(short, axis=1)[:, -20:-19]
    x, y = short[near], full[near]
    return float(np.clip(((x - x.mean()) * (y - y.mean())).sum() / max(((x - x.mean()) ** 2).sum(), 1e-9), 0.05, 1.0))


def _read(writer: StoreWriter) -> Iterator[tuple[list[str], list[tuple[Floats, Floats]]]]:
    """Ids with runs and drawn tokens, some thousand at a time."""
    dimension = writer.table("blocks").schema.field("vector").type.list_size
    for batch in writer.table("tokens").to_batches(columns=["block", "runs"], batch_size=BATCH):
        yield batch["block"].to_pylist(), [unpacked(data, dimension) for data in batch["runs"].to_pylist()]


def _arrays(
    writer: StoreWriter, blocks: Blocks, network: Network, kept: Kept, taught: npt.NDArray[np.bool_] | None = None
) -> dict[str, npt.NDArray[Any]]:
    """Arrays of `summaries`: those of `kept.rows` as they were, the others made now."""
    count = len(blocks.ids)
    codes, spread = np.empty((count, BYTES), np.uint8), np.empty((count, 2), np.float32)
    taught = np.zeros(count, np.bool_) if taught is None else taught
    old = np.array([kept.rows.get(i, -1) for i in blocks.ids], np.int64)
    was = old >= 0
    codes[was], spread[was] = kept.arrays["codes"][old[was]], kept.arrays["spread"][old[was]]
    if was.any():
        taught[was] = kept.arrays["taught"][old[was]]
    mean = np.asarray(kept.arrays["mean"])
    new = {blocks.ids[row]: row for row in np.flatnonzero(~was).tolist()}
    for ids, found in _read(writer) if new else ():
        own = [i for i, block in enumerate(ids) if block in new]
        if not own:
            continue
        rows = [new[ids[i]] for i in own]
        codes[rows] = coded(network.grid, summaries(network, [found[i][0] for i in own], kept=KEPT))
        parts = lost(np.concatenate([found[i][1] for i in own]), network.basis, mean)
        spread[rows] = parts.reshape(len(own), DRAWN, 2).sum(axis=1)
    return {"codes": codes, "spread": spread, "taught": taught, "mean": mean}


def _kept(writer: StoreWriter, former: Mapping[str, str], *, dimensions: int, embedder: str) -> Kept | None:
    """The former calibration, None where there is none that holds: it is derived, and made anew."""
    if not {*ROLES, "blocks.words"} <= set(former) or writer.fresh:
        return None
    if not Checksums(writer.path).hold(former[role] for role in (*ROLES, "blocks.words")):
        return None
    try:
        network, notes = read_network(writer.path / former["summaries.network"])
        arrays, about = map_arrays(writer.path / former["summaries"])
        ids = [i.decode("utf-8", "surrogatepass") for i in map_arrays(writer.path / former["blocks.words"])[0]["ids"]]
        if (notes["pca"], notes["embedder"]) != (min(dimensions, notes["dimension"]), embedder):
            return None
        if about["ids"] != ids_digest(ids) or arrays["codes"].shape != (len(ids), BYTES):
            raise CorruptionError(f"{former['summaries']}: not of the blocks of the former snapshot")
    except (H3Error, KeyError):
        return None
    rows = {i: row for row, i in enumerate(ids) if i.partition("-")[0] not in writer.redone}
    return Kept(former["summaries.network"], network, notes, arrays, rows)

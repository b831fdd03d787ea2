"""Does all of a snapshot hold: tables, counts, references between them, indexes, checksums?"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from h3cold.ingest.store.arrays import map_arrays
from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.files import walk_files
from h3cold.ingest.store.indexes import read_ids, read_index
from h3cold.ingest.store.lance_errors import LANCE_ERRORS
from h3cold.ingest.store.manifest import history, parse_manifest
from h3cold.ingest.store.reader import data_files
from h3cold.ingest.store.rows import SAID, block_digest, row_mention, row_relation
from h3cold.ingest.store.said import ROLE, open_said
from h3cold.ingest.store.words import row_key, tokens_of
from h3cold.schemas.errors import H3Error, StoreError
from h3cold.schemas.manifest import Manifest

if TYPE_CHECKING:
    from h3cold.ingest.store.reader import ColdStore

UNIQUE = {"sources": ("path",), "documents": ("id",), "pages": ("document", "page"), "blocks": ("id",),
          "images": ("block",), "entities": ("id",), "relations": ("id", "document")}  # fmt: skip

REFERENCES = (
    ("pages", "document", "documents", "id"),
    ("blocks", "document", "documents", "id"),
    ("images", "block", "blocks", "id"),
    ("tokens", "block", "blocks", "id"),
    ("mentions", "block", "blocks", "id"),
    ("relations", "block", "blocks", "id"),
)
SHOWN = 3
NEEDED = "this snapshot needs it"
SAMPLE = 100
NEAREST = 20
"""Index rows that are compared with the table, and among how many of its neighbours a row must be."""


def verify(store: ColdStore) -> list[str]:
    """What is wrong with the snapshot, one line each; empty when all of it holds.

    Files on record that are damaged are told even where only an older snapshot, or none, needs them. They come
    first: a table with damaged files is not read, as that can mislead, or hang, whoever does.
    """
    damage = damaged_files(store)
    out = [line for _, line in damage]
    if not Checksums(store.path).readable:
        out.append("meta/checksums.json: missing or damaged: bit rot cannot be found; h3-monitor --verify --repair")
    sick = {name.split("/")[1].removesuffix(".lance") for name, line in damage if line.endswith(NEEDED)}
    tables, checks = _tables, WHOLE
    if sick:
        tables, checks = partial(_tables, but=sick), (_manifest, _vectors)
    for check in (tables, *checks):
        try:
            out.extend(check(store))
        except (H3Error, KeyError, *LANCE_ERRORS) as e:
            line = " ".join(str(e).split())
            if line not in out:
                out.append(line)
    return out


def damaged_files(store: ColdStore) -> list[tuple[str, str]]:
    """Files that do not hold what was written, by path below the store, with a line that says who needs them."""
    damaged = Checksums(store.path).damaged()
    if not damaged:
        return []
    owners = {m.snapshot: needed_files(store.path, m) for m in history(store.path)}
    current = owners.pop(store.manifest.snapshot, set())
    out = []
    for name in damaged:
        old = [str(number) for number, files in owners.items() if name in files]
        of_whom = "left over, no snapshot needs it"
        if name in current:
            of_whom = NEEDED
        elif old:
            of_whom = f"snapshot {', '.join(old)} needs it, which is not this one"
        out.append((name, f"{name}: its content is not what was written; {of_whom}"))
    return out


def needed_files(store: Path, manifest: Manifest) -> set[str]:
    """Files, by path below the store, that a snapshot is read from; of a table that does not open, all there are."""
    import lance

    out = set(manifest.index.values())
    for name, version in manifest.tables.items():
        folder = store / "tables" / f"{name}.lance"
        files = [folder / "_versions" / f"{number}.manifest" for number in (version, 2**64 - 1 - version)]
        if Checksums(store).hold(f.relative_to(store).as_posix() for f in files):
            try:
                table = lance.dataset(folder, version=version)
                files += data_files(folder, table)
                files += [f for i in table.list_indices() for f in walk_files(folder / "_indices" / str(i["uuid"]))]
            except LANCE_ERRORS:
                files = walk_files(folder)
        else:
            files = walk_files(folder)
        out |= {f.relative_to(store).as_posix() for f in files}
    return out


def _tables(store: ColdStore, *, but: Collection[str] = ()) -> Iterator[str]:
    """Every table opens at its version, reads to its end, and has the rows that were counted."""
    for name, rows in store.manifest.counts.items():
        if name in but:
            continue
        try:
            read = sum(batch.num_rows for batch in store.table(name).to_batches())
        except (StoreError, *LANCE_ERRORS) as e:
            yield f"table {name} does not read: {' '.join(str(e).split())[:200]}"
            continue
        if read != rows:
            yield f"table {name} has {read} rows, the manifest says {rows}"


def _unique(store: ColdStore) -> Iterator[str]:
    for name, columns in UNIQUE.items():
        table = store.table(name).to_table(columns=list(columns))
        keys = list(zip(*(table[c].to_pylist() for c in columns), strict=True))
        if len(set(keys)) != len(keys):
            yield f"table {name}: {len(keys) - len(set(keys))} rows share their {' and '.join(columns)} with another"


def _references(store: ColdStore) -> Iterator[str]:
    for name, column, target, key in REFERENCES:
        if name not in store.manifest.tables:  # made before there was such a table
            continue
        dangling = _column(store, name, column) - _column(store, target, key)
        if dangling:
            yield f"table {name}: {column} {_some(dangling)} not in {target}"


def _sources(store: ColdStore) -> Iterator[str]:
    """Documents are those that the sources name, with as many pages and blocks as they say."""
    rows = store.table("sources").to_table(columns=["document", "status"]).to_pylist()
    indexed = {r["document"] for r in rows if r["status"] == "indexed"}
    documents = store.documents()
    if indexed != set(documents):
        yield f"sources and documents disagree about {_some(indexed ^ set(documents))}"
    for name in ("blocks", "pages"):
        found: dict[str, int] = {}
        for document in store.table(name).to_table(columns=["document"])["document"].to_pylist():
            found[document] = found.get(document, 0) + 1
        wrong = {d for d, row in documents.items() if row[name] != found.get(d, 0)}
        if wrong:
            yield f"table {name}: another number of rows than documents says for {_some(wrong)}"


def _blocks(store: ColdStore) -> Iterator[str]:
    """Every block still says what was written."""
    batches = store.table("blocks").to_batches(columns=[*SAID, "digest"])
    wrong = {r["id"] for batch in batches for r in batch.to_pylist() if block_digest(r) != r["digest"]}
    if wrong:
        yield f"table blocks: the digest does not fit {_some(wrong)}"


def _entities(store: ColdStore) -> Iterator[str]:
    """Entities are those that the mentions make, no more and no less."""
    from h3cold.kg.linking import link
    from h3cold.kg.user_aliases import load_aliases

    mentions = [row_mention(r) for r in store.table("mentions").to_table().to_pylist()]
    relations = [row_relation(r) for r in store.table("relations").to_table().to_pylist()]
    user = load_aliases(store.manifest.models.get("aliases", ""))
    wrong = {e.id for e in link(mentions, relations, user)} ^ _column(store, "entities", "id")
    if wrong:
        yield f"table entities: {_some(wrong)} do not agree with the mentions"


def _words(store: ColdStore) -> Iterator[str]:
    """The index of words is of the rows that the table has, in the places where they are, and says what they say."""
    arrays, _ = map_arrays(store.index_path("blocks.words"))
    ids = [i.decode() for i in arrays["ids"].tolist()]
    table = store.table("blocks")
    keys = {
        row["id"]: row_key(row)
        for batch in table.to_batches(columns=["id", "digest", "tokens_text"])
        for row in batch.to_pylist()
    }
    if ids != sorted(keys) or arrays["keys"].tolist() != [keys[i] for i in ids]:
        yield "index blocks.words: its blocks are not those of the table"
        return
    picked = [int(i) for i in np.linspace(0, len(ids) - 1, min(len(ids), SAMPLE))]
    found = table._take_rows(arrays["rowid"][picked].tolist(), columns=["id", "tokens_text"]).to_pylist()
    for place, row in zip(picked, found, strict=True):
        if row["id"] != ids[place] or row["tokens_text"].split() != tokens_of(arrays, place):
            yield f"index blocks.words: row {place} is not {ids[place]}"
            return


def _said(store: ColdStore) -> Iterator[str]:
    """The index of what blocks say, where there is one, is of the rows that the table has."""
    if ROLE in store.manifest.index:
        said = open_said(store.index_path(ROLE))
        table = store.table("blocks").to_table(columns=["id", "digest"]).sort_by("id")
        if [digest.decode() for digest in said.digests.tolist()] != table["digest"].to_pylist():
            yield f"index {ROLE}: its blocks are not those of the table"


def _graph(store: ColdStore) -> Iterator[str]:
    """The index of the graph, where there is one, was made from the rows that the tables have."""
    from h3cold.ingest.store.graph import ROLE as GRAPH
    from h3cold.ingest.store.graph import tables_digest

    if GRAPH in store.manifest.index:
        notes = map_arrays(store.index_path(GRAPH))[1]
        if notes["of"] != tables_digest(store.table("entities"), store.table("relations")):
            yield f"index {GRAPH}: its rows are not those of the tables"


def _vectors(store: ColdStore) -> Iterator[str]:
    """Every vector index has a row for each of its ids, those are all there are, and rows are the table's vectors."""
    for role in store.manifest.index:
        if not (store.path / store.manifest.index[role]).exists():
            yield f"index {role}: {store.path / store.manifest.index[role]} is missing"
            return
    for role in sorted(r for r in store.manifest.index if f"{r}.ids" in store.manifest.index):
        ids = read_ids(store.index_path(f"{role}.ids"))
        index = read_index(store.index_path(role), ids)
        if role in store.manifest.tables and ids != sorted(_column(store, role, "id")):
            yield f"index {role}: its ids are not those of the table"
        elif role == "blocks":
            yield from _own_vectors(store, index, ids)


def _statements(store: ColdStore) -> Iterator[str]:
    """The index of the graph's sentences, where there is one, has those that the graph's edges say."""
    from h3cold.ingest.store.statements import ROLE as STATEMENTS
    from h3cold.ingest.store.statements import of_graph

    index = store.manifest.index
    if STATEMENTS in index and "graph" in index:
        files = store.index_path(STATEMENTS), store.index_path("graph")
        if not of_graph(*files, store.table("relations")):
            yield f"index {STATEMENTS}: its sentences are not those of the graph"


def _documents(store: ColdStore) -> Iterator[str]:
    """The document index, where there is one, has a row for each document."""
    if "documents" not in store.manifest.index or "documents.ids" in store.manifest.index:
        return  # none, or one of an older kind, which `_vectors` looks at
    arrays, _ = map_arrays(store.index_path("documents"))
    if [i.decode() for i in arrays["ids"].tolist()] != sorted(store.documents()):
        yield "index documents: its documents are not those of the table"


def _compressed(store: ColdStore) -> Iterator[str]:
    """Summaries and trees, where there are any, are of the table's blocks, and summaries of the network beside them."""
    from h3cold.ingest.compress.network import ids_digest, read_network

    index = store.manifest.index
    roles = [role for role in ("summaries", "trees") if role in index]
    blocks = ids_digest(sorted(_column(store, "blocks", "id"))) if roles else ""
    for role in roles:
        arrays, notes = map_arrays(store.index_path(role))
        if notes["ids"] != blocks:
            yield f"index {role}: its blocks are not those of the table"
        if role == "summaries":
            try:
                read_network(store.index_path("summaries.network"))
            except H3Error as e:  # whole as a file, but not one that this version reads: made anew by a repair
                yield f"index summaries: {e}"
            if notes["network"] != index["summaries.network"] or len(arrays["codes"]) != store.count("blocks"):
                yield "index summaries: they were not made by the network beside them"


def _own_vectors(store: ColdStore, index: Any, ids: Sequence[str]) -> Iterator[str]:
    """Some rows, spread over the index, are nearest to the vector that the table has under their ids."""
    picked = [int(i) for i in np.linspace(0, len(ids) - 1, min(len(ids), SAMPLE))]
    for row in store.rows("blocks", "id", [ids[i] for i in picked], ["id", "vector"]):
        place = bisect_left(ids, row["id"])
        vector = np.asarray([row["vector"]], dtype=np.float32)
        found = index.search(vector, min(len(ids), NEAREST))
        if place not in found[1][0] and not np.isclose(found[0][0][0], found[0][0][-1], atol=1e-3):
            yield f"index blocks: row {place} is not the vector of {row['id']}"
            return


def _manifest(store: ColdStore) -> Iterator[str]:
    """The manifest is what was published: it stands in `meta/manifests` a second time."""
    number = store.manifest.snapshot
    path = store.path / "meta" / "manifests" / f"{number}.json"
    try:
        copy = parse_manifest(json.loads(path.read_text(encoding="utf-8")), where=str(path))
    except (OSError, ValueError, H3Error) as e:
        yield f"{path.relative_to(store.path)}: the manifest's copy does not read: {' '.join(str(e).split())}"
        return
    if copy != store.manifest:
        yield f"manifest.json: is not as its copy {path.relative_to(store.path)}; one of them is damaged"


def _column(store: ColdStore, table: str, column: str) -> set[Any]:
    return set(store.table(table).to_table(columns=[column])[column].to_pylist())


def _some(values: set[Any]) -> str:
    first = sorted(values)[:SHOWN]
    more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
    return ", ".join(map(str, first)) + more


WHOLE: tuple[Callable[[ColdStore], Iterator[str]], ...] = (
    _manifest, _unique, _references, _sources, _blocks, _entities, _graph, _words, _said, _vectors, _documents,
    _compressed, _statements,
)  # fmt: skip
"""Checks that need all tables."""

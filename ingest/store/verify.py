"""Does all of a snapshot hold: tables, counts, references between them, indexes, checksums?"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.files import walk_files
from h3cold.ingest.store.lance_errors import LANCE_ERRORS
from h3cold.ingest.store.manifest import history, parse_manifest
from h3cold.ingest.store.reader import data_files
from h3cold.ingest.store.rows import SAID, block_digest, row_mention, row_relation
from h3cold.ingest.store.verify_indexes import INDEXES, column_of, vectors
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
DOUBTED = (
    "meta/checksums.json: taken anew after it was lost, whether the indexes hold cannot be told;"
    " h3-monitor --verify --repair"
)


def verify(store: ColdStore) -> list[str]:
    """What is wrong with the snapshot, one line each; empty when all of it holds.

    Files on record that are damaged are told even where only an older snapshot, or none, needs them. They come
    first: a table with damaged files is not read, as that can mislead, or hang, whoever does.
    """
    damage = damaged_files(store)
    out = [line for _, line in damage]
    if not Checksums(store.path).readable:
        out.append("meta/checksums.json: missing or damaged: bit rot cannot be found; h3-monitor --verify --repair")
    elif Checksums(store.path).doubted & set(store.manifest.index.values()):
        out.append(DOUBTED)
    sick = {name.split("/")[1].removesuffix(".lance") for name, line in damage if line.endswith(NEEDED)}
    unread = list(_tables(store, but=sick))
    out += unread
    checks, indexes = WHOLE, INDEXES
    if sick:
        checks, indexes = (_manifest,), {"of vectors": vectors}
    for check in checks:
        out += _found(check, store)
    for name, check in indexes.items():
        # Tables that read to their end are not what an index's check fails at: the index is, which can be made anew.
        out += _found(check, store, index="" if sick or unread else f"index {name} does not read: ")
    return list(dict.fromkeys(out))


def _found(check: Callable[[ColdStore], Iterator[str]], store: ColdStore, *, index: str = "") -> list[str]:
    """Lines of a check, the last of them, after `index`, what it failed at."""
    out: list[str] = []
    try:
        out.extend(check(store))
    except (H3Error, LookupError, TypeError, *LANCE_ERRORS) as e:
        why = " ".join(str(e).split())
        out.append(index + (why if isinstance(e, (H3Error, *LANCE_ERRORS)) else f"{type(e).__name__} {why}"))
    return out


def damaged_files(store: ColdStore) -> list[tuple[str, str]]:
    """Files that do not hold what was written, by path below the store, with a line that says who needs them.

    Also those that are gone and that another snapshot needs; what this one lacks its own checks tell.
    """
    sums = Checksums(store.path)
    damaged, gone = sums.damaged(), [*sums.missing("index"), *sums.missing("tables")]
    if not damaged and not gone:
        return []
    owners = {m.snapshot: needed_files(store.path, m) for m in history(store.path)}
    current = owners.pop(store.manifest.snapshot, set())
    out = []
    for name in [*damaged, *gone]:
        old = [str(number) for number, files in owners.items() if name in files]
        if name in gone and (name in current or not old):
            continue
        of_whom = "left over, no snapshot needs it"
        if name in current:
            of_whom = NEEDED
        elif old:
            of_whom = f"snapshot {', '.join(old)} needs it, which is not this one"
        what = "its content is not what was written" if os.access(store.path / name, os.R_OK) else "may not be read"
        what = "missing" if name in gone else what
        out.append((name, f"{name}: {what}; {of_whom}"))
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
        dangling = column_of(store, name, column) - column_of(store, target, key)
        if dangling:
            yield f"table {name}: {column} {_some(dangling)} not in {target}"


def _sources(store: ColdStore) -> Iterator[str]:
    """Documents are those that the sources name, with as many pages and blocks as they say."""
    rows = store.table("sources").to_table(columns=["document", "status"]).to_pylist()
    indexed = {r["document"] for r in rows if r["status"] == "indexed"}
    documents = {row["id"]: row for row in store.table("documents").to_table().to_pylist()}
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
    wrong = {e.id for e in link(mentions, relations, user)} ^ column_of(store, "entities", "id")
    if wrong:
        yield f"table entities: {_some(wrong)} do not agree with the mentions"


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


def _some(values: set[Any]) -> str:
    first = sorted(values)[:SHOWN]
    more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
    return ", ".join(map(str, first)) + more


WHOLE: tuple[Callable[[ColdStore], Iterator[str]], ...] = (
    _manifest,
    _unique,
    _references,
    _sources,
    _blocks,
    _entities,
)
"""Checks that need all tables."""

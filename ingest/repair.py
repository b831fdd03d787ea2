"""To mend a store: what is derived is made anew from the tables, what nobody can mend is said.

Nothing is guessed: a table whose rows are damaged stays as it is until the files are indexed again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from h3cold.ingest.compress import summaries, trees
from h3cold.ingest.document_vectors import ROLES, build_document_index
from h3cold.ingest.relinking import kept_aliases, linked
from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.codes import ROLE as CODES
from h3cold.ingest.store.graph import build_graph_index
from h3cold.ingest.store.indexes import ROWS, Kind, build_blocks_index
from h3cold.ingest.store.lance_errors import LANCE_ERRORS
from h3cold.ingest.store.lock import WriteLock
from h3cold.ingest.store.manifest import CURRENT, parse_manifest, publish_manifest, read_manifest, records
from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.statements import ROLE as STATEMENTS
from h3cold.ingest.store.statements import build_statements
from h3cold.ingest.store.told import build_told
from h3cold.ingest.store.verify import needed_files, verify
from h3cold.ingest.store.writer import StoreWriter, open_writer
from h3cold.schemas.config import Config
from h3cold.schemas.errors import H3Error, ModelError, StoreError
from h3cold.schemas.manifest import Manifest


def repair(store: str | Path, config: Config | None = None) -> list[str]:
    """Mend what can be mended; what was done, one line each. `verify` tells what is left.

    Indexes, entities, counts and records are made anew, from tables that hold; that publishes a snapshot, and an
    interrupted build begins anew. Where the checksums are lost all indexes are, as nothing tells which of them hold.
    Snapshots that are no longer current are given up where they are damaged.

    Raises:
        StoreBusyError: a build is running.
        StoreError: no snapshot of the store can be read.
    """
    where = Path(store)
    with WriteLock(where):
        done = _mend_manifest(where)
        current = read_manifest(where)
        done += _drop_older(where, current)
        done += _mend_records(where, current)
        known = not Checksums(where).doubted & set(current.index.values())  # an interrupted repair leaves doubts, too
    derived = _derived(ColdStore.open(where), known=known)
    if derived:
        done += _publish_anew(where, derived, config or Config(), known=known)
        with WriteLock(where):
            done += _drop_older(where, read_manifest(where))
            Checksums(where).save()
    return done


def _mend_manifest(store: Path) -> list[str]:
    """Put back the newest record of which every table opens, where the manifest is damaged or lost."""
    try:
        read_manifest(store)
        return []
    except StoreError as e:
        known = [m for _, m in records(store) if m is not None and _opens(store, m)]
        if not known:
            raise StoreError(f"{e}; no record in {store}/meta/manifests fits, index again with --rebuild") from e
    publish_manifest(store, known[-1])
    return [f"{CURRENT}: put back from meta/manifests/{known[-1].snapshot}.json"]


def _opens(store: Path, manifest: Manifest) -> bool:
    reader = ColdStore(store, manifest)
    try:
        return all(reader.count(name) == rows for name, rows in manifest.counts.items())
    except (H3Error, *LANCE_ERRORS):
        return False


def _drop_older(store: Path, current: Manifest) -> list[str]:
    """Give up older snapshots that are damaged, and damaged files that no snapshot needs."""
    sums = Checksums(store)
    damaged, needed = set(sums.damaged()), needed_files(store, current)
    lacking = damaged.union(sums.missing("index"), sums.missing("tables")) - needed
    done = []
    for path, manifest in records(store):
        if int(path.stem) == current.snapshot:
            continue
        files = set() if manifest is None else needed_files(store, manifest)
        if manifest is None or files & lacking:
            path.unlink()
            done.append(f"snapshot {path.stem}: damaged, and not the current one; given up")
        else:
            needed |= files
    for name in sorted(damaged - needed):
        (store / name).unlink(missing_ok=True)
        done.append(f"{name}: damaged, and no snapshot needs it; removed")
    return done


def _mend_records(store: Path, current: Manifest) -> list[str]:
    """The manifest's copy, and the checksums."""
    done = []
    path = store / "meta" / "manifests" / f"{current.snapshot}.json"
    try:
        whole = parse_manifest(json.loads(path.read_text(encoding="utf-8")), where=str(path)) == current
    except (OSError, ValueError, H3Error):
        whole = False
    if not whole:
        publish_manifest(store, current)
        done.append(f"meta/manifests/{path.name}: written anew")
    sums = Checksums(store)
    if not sums.readable:
        sums.save(doubted=current.index.values())
        done.append("meta/checksums.json: taken anew of the files as they are; what was damaged before in vectors and"
                    " in rows other than blocks is found no more")  # fmt: skip
    return done


def _derived(store: ColdStore, *, known: bool) -> set[str]:
    """What of the current snapshot is damaged and can be made anew: "index", the names of tables, "counts".

    Indexes are believed only where their checksums were `known`.
    """
    manifest, sums = store.manifest, Checksums(store.path)
    damaged = set(sums.damaged()) & needed_files(store.path, manifest)
    lost = {file for file in manifest.index.values() if not (store.path / file).exists()}
    out = {"index"} if lost | {f for f in damaged if f.startswith("index/")} else set()
    for name in damaged:
        parts = name.split("/")
        out |= {parts[1].removesuffix(".lance")} if "_indices" in parts else set()
    out |= {n.split("/")[1].removesuffix(".lance") for n in sums.missing("tables") if "_indices" in n.split("/")}
    if not damaged and not out:
        lines = verify(store)
        out |= {"entities" for line in lines if line.startswith("table entities:")}
        out |= {"counts" for line in lines if "the manifest says" in line}
        out |= {"index" for line in lines if line.startswith("index ")}
        out |= set() if known or not manifest.index else {"index"}
        if any(line.startswith("table ") and " does not read" in line for line in lines):
            return set()  # nothing can be made from it
    return out


def _publish_anew(store: Path, derived: set[str], config: Config, *, known: bool) -> list[str]:
    """Make the indexes, and what else is damaged, from the tables; publish. See `_derived` for `known`."""
    base = read_manifest(store)
    dimensions = _dimensions(store, base)
    if dimensions is None:
        return []
    (store / "meta" / "checkpoint.json").unlink(missing_ok=True)
    with open_writer(store, text_dimension=dimensions[0], image_dimension=dimensions[1]) as writer:
        if writer.fresh or writer.base != base:
            raise StoreError(f"{store}: tables do not open as they should; index again with --rebuild")
        writer.index_again(derived & set(base.tables))
        if "entities" in derived:
            writer.replace("entities", linked(writer, kept_aliases(base)))
        index, models = _indexes(writer, config, known=known)
        writer.publish(
            root=base.root, config=base.config, models={**base.models, **models}, index=index,
            keep_days=config.ingest.keep_days,
        )  # fmt: skip
        number = writer.base.snapshot if writer.base else 0
    what = ", ".join(sorted(derived))
    return [f"{what}: made anew from the tables, as snapshot {number}"]


def _indexes(writer: StoreWriter, config: Config, *, known: bool) -> tuple[dict[str, str], dict[str, str]]:
    kind = _kind(writer.base, config.hbf.ann_index_type)
    index = build_blocks_index(writer.path, writer.table("blocks"), snapshot=writer.number(), kind=kind)
    index |= build_told(writer.path, writer.table, snapshot=writer.number())
    index |= build_graph_index(writer.path, writer.table, snapshot=writer.number())
    base, models = writer.base, {}
    if base is not None and (STATEMENTS in base.index or "embedder" in base.models):  # older versions made none
        index |= _statements(writer, base, index, known=known)
    summed = summaries.Summaries({}, "")
    if base is not None and any(role in base.index for role in summaries.ROLES):
        summed = summaries.build_summaries(
            writer, dimensions=config.hbf.compression_pca_dim, embedder=base.models["embedder"],
            former=base.index if known else {},
        )  # fmt: skip
        index, models["summaries"] = index | summed.files, summed.status
    if base is not None and "trees" in base.index:
        index |= trees.build_trees(writer, summed.files)
    if base is not None and any(role in base.index for role in ROLES):
        made = build_document_index(writer, anew=not known)
        index, models["documents"] = index | made.files, made.status
    return index, models


def _kind(base: Manifest | None, kind: Kind) -> Kind:
    """How vectors are indexed anew: where that is not said, as they were."""
    if kind != "auto" or base is None or "blocks" not in base.index:
        return kind
    if CODES in base.index:
        return "IVF"
    return kind if ROWS in base.index else "Flat"


def _statements(writer: StoreWriter, base: Manifest, index: Mapping[str, str], *, known: bool) -> dict[str, str]:
    """The index of statements; those whose vectors are lost are embedded again, none where the model is not at hand."""

    def embed(texts: Sequence[str]) -> Any:
        from h3cold.ingest.embed import open_embedder

        model = open_embedder(base.models.get("embedder name", "e5-small"))
        if model.id != base.models["embedder"]:
            raise ModelError(f"the store's vectors are of {base.models['embedder']}, at hand is {model.id}")
        return model.passages(texts)

    for former in (base.index,) if known else ({}, base.index):  # without a model those of unknown state are kept
        try:
            return build_statements(
                writer.path, writer.table("relations"), index, snapshot=writer.number(),
                embedder=base.models["embedder"], embed=embed, former=former,
            )  # fmt: skip
        except ModelError:
            continue
    return {}  # recall weighs edges without them


def _dimensions(store: Path, manifest: Manifest) -> tuple[int, int] | None:
    """Lengths of text and picture vectors; None where the tables do not open."""
    import lance

    def length(name: str) -> Any:
        table = lance.dataset(store / "tables" / f"{name}.lance", version=manifest.tables[name])
        return table.schema.field("vector").type.list_size

    try:
        return int(length("blocks")), int(length("images"))
    except LANCE_ERRORS:
        return None

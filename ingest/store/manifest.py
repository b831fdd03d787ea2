"""Reading and publishing the snapshot record."""

from __future__ import annotations

import datetime
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from h3cold.ingest.store.files import seal, sealed, write_json
from h3cold.schemas.errors import CorruptionError, StoreError, StoreVersionError
from h3cold.schemas.export import to_json
from h3cold.schemas.manifest import STORE_VERSION, Manifest

CURRENT = "manifest.json"


def read_manifest(store: Path, snapshot: int | None = None) -> Manifest:
    """The current manifest, or that of an older snapshot.

    Raises:
        StoreError: there is no store, or no such snapshot.
        CorruptionError: the record is damaged.
        StoreVersionError: the store is of another schema version.
    """
    path = store / CURRENT
    try:
        manifest = parse_manifest(json.loads(path.read_text(encoding="utf-8")), where=str(path))
    except FileNotFoundError:
        raise StoreError(f"{store}: {_unpublished(store)}") from None
    except OSError as e:
        raise StoreError(f"{path}: cannot read the store's manifest: {e.strerror}") from e
    except ValueError as e:
        raise CorruptionError(
            f"{path}: the manifest is damaged ({e}); h3-monitor --verify --repair puts back what was published"
        ) from e
    if snapshot is None or snapshot == manifest.snapshot:
        return manifest
    for known in history(store):
        if known.snapshot == snapshot:
            return known
    have = [m.snapshot for m in history(store)]
    raise StoreError(f"{store}: no snapshot {snapshot}; at hand: {', '.join(map(str, have))}")


def _unpublished(store: Path) -> str:
    """Why there is no manifest, and what to do: no build began here, none published yet, or it was removed."""
    from h3cold.ingest.live import read_live  # not needed where there is a store, which shall open fast

    meta = store / "meta"
    states = [live["state"] for folder in (store, *meta.glob("batches/*")) if (live := read_live(folder)) is not None]
    if "running" in states:
        return f"its first build is under way, nothing is published yet; h3-monitor --store {store} --watch follows it"
    if any(m is not None for _, m in records(store)):
        return f"its {CURRENT} is gone; h3-monitor --store {store} --verify --repair puts back what was published"
    batches = (meta / "batches").is_dir()
    if batches or (meta / "checkpoint.json").exists() or {*states} - {"done"}:
        stopped = "waits for its next step or was interrupted" if batches else "was interrupted or failed"
        return (
            f"its first build {stopped}, nothing is published yet; run h3-index-builder --path FOLDER --store {store}"
            " again: it goes on with what was finished"
        )
    return "no cold store here; make one with h3-index-builder --path FOLDER"


def published(store: Path, *, damaged: bool) -> Manifest | None:
    """The current manifest, None where there is none; also where it cannot be read, if it may be `damaged`.

    Raises:
        StoreError: as `read_manifest`.
    """
    try:
        return read_manifest(store) if (store / CURRENT).exists() else None
    except StoreError:
        if not damaged:
            raise
        return None


def history(store: Path) -> list[Manifest]:
    """Manifests of every published snapshot that is still kept, oldest first, the current one last."""
    current = parse_manifest(json.loads((store / CURRENT).read_text(encoding="utf-8")), where=CURRENT)
    older = [m for _, m in records(store) if m is not None and m.snapshot < current.snapshot]
    return [*older, current]


def parse_manifest(data: Any, *, where: str) -> Manifest:
    """Validate plain JSON.

    Raises:
        ValueError: it is no manifest.
        StoreVersionError: it is one of another schema version.
    """
    if not isinstance(data, dict) or not isinstance(data.get("schema_version"), int):
        raise ValueError("no schema_version in it")
    if data["schema_version"] != STORE_VERSION:
        raise StoreVersionError(
            f"{where}: store of schema version {data['schema_version']}, this program reads version {STORE_VERSION};"
            " index the folder into a new store, or this one again with --rebuild"
        )
    if not sealed(data):
        raise ValueError("it is not what was written")
    names = {f.name for f in fields(Manifest)}
    missing = {"snapshot", "created", "root", "config"} - set(data)
    if missing:
        raise ValueError(f"no {sorted(missing)[0]} in it")
    return Manifest(**{k: v for k, v in data.items() if k in names})


def moment(former: Manifest | None) -> str:
    """Now, for a snapshot behind `former`, and not before it: a clock may go back."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return now if former is None else max(now, former.created)


def publish_manifest(store: Path, manifest: Manifest) -> None:
    """Make `manifest` the current snapshot; the one moment at which readers see a build's work.

    Raises:
        StoreError: it cannot be written; the former snapshot stays current.
    """
    record = seal(to_json(manifest))
    write_json(store / "meta" / "manifests" / f"{manifest.snapshot}.json", record)
    write_json(store / CURRENT, record)


def records(store: Path) -> list[tuple[Path, Manifest | None]]:
    """Every record in `meta/manifests`, by snapshot; None where it is damaged or of another schema version."""
    out: list[tuple[Path, Manifest | None]] = []
    paths = [p for p in (store / "meta" / "manifests").glob("*.json") if p.stem.isdigit()]
    for path in sorted(paths, key=lambda p: int(p.stem)):
        try:
            out.append((path, parse_manifest(json.loads(path.read_text(encoding="utf-8")), where=str(path))))
        except (ValueError, OSError, StoreError):
            out.append((path, None))
    return out

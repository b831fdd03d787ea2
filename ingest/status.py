"""`meta/ocr_status.json` and its like for every stage, and the quarantine records: what was done, what could not be.

A status describes all of the snapshot that it was published with; `seconds` are those that the build spent which
published it: of all worker processes together for `parse`, `ocr` (the pages it read) and `blocks`, else by the clock.
"""

from __future__ import annotations

import datetime
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from h3cold.ingest.lost_pages import KEPT
from h3cold.ingest.plan import Attempt, Plan
from h3cold.ingest.store.arrays import map_arrays
from h3cold.ingest.store.files import write_json
from h3cold.ingest.store.statements import ROLE as STATEMENTS
from h3cold.ingest.store.writer import StoreWriter
from h3cold.kg.statements import LEFT_OUT
from h3cold.schemas.config import Config
from h3cold.schemas.errors import StoreError
from h3cold.schemas.export import to_json
from h3cold.schemas.summary import Failure

STAGES = ("parse", "ocr", "blocks", "kg", "embed", "statements", "summaries", "index")

UNSURE = 0.6
"""OCR confidence below which a page is worth a look."""


def write_status(
    writer: StoreWriter,
    config: Config,
    models: Mapping[str, str],
    index: Mapping[str, str],
    failures: Sequence[Failure],
    times: Mapping[str, float],
) -> None:
    """Write `meta/<stage>_status.json` for each stage of the snapshot that is about to be published.

    `times` are the build's seconds by stage, see `Progress.times`.

    Raises:
        StoreError: they cannot be written.
    """
    made = {
        "parse": _parse(writer, config, failures),
        "ocr": _ocr(writer, config, models, failures),
        "blocks": _blocks(writer, config),
        "kg": _graph(writer, config),
        "embed": _embed(writer, models),
        "statements": _statements(writer, models, index),
        "summaries": {"summaries": models.get("summaries", "")},
        "index": _index(writer, models, index),
    }
    about = {"snapshot": writer.number(), "written": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")}
    for stage in STAGES:
        status = {"stage": stage, **about, "seconds": round(times.get(stage, 0.0), 2), **made[stage]}
        write_json(writer.path / "meta" / f"{stage}_status.json", status)


def read_status(store: Path, snapshot: int) -> dict[str, dict[str, Any]]:
    """The stages' statuses by name, as far as they are those of this snapshot."""
    out = {}
    for stage in STAGES:
        try:
            status = json.loads((store / "meta" / f"{stage}_status.json").read_text(encoding="utf-8"))
            if status["snapshot"] == snapshot:
                out[stage] = status
        except (OSError, ValueError, KeyError, TypeError):  # derived: written anew by the next build
            continue
    return out


def _parse(writer: StoreWriter, config: Config, failures: Sequence[Failure]) -> dict[str, Any]:
    table = writer.table("pages").to_table(columns=["route", "reasons"])
    return {
        "documents": writer.table("documents").count_rows(),
        "pages": table.num_rows,
        "routes": _counts(table["route"]),
        "reasons": dict(Counter(r for rs in table["reasons"].to_pylist() for r in rs or ()).most_common(30)),
        "models": {"layout": config.ingest.layout, "layout_model": config.ingest.layout_model},
        "failures": to_json([f for f in failures if KEPT not in f.reason]),
    }


def _ocr(writer: StoreWriter, config: Config, models: Mapping[str, str], failures: Sequence[Failure]) -> dict[str, Any]:
    """Pages by route and by OCR engine with its confidence (0..1), the models in use, and those failures that are no
    others': pages that have their text layer alone since OCR of them failed.
    """
    table = writer.table("pages").to_table(columns=["route", "ocr_engine", "ocr_confidence"])
    engines: dict[str, list[float]] = defaultdict(list)
    for engine, confidence in zip(table["ocr_engine"].to_pylist(), table["ocr_confidence"].to_pylist(), strict=True):
        if engine is not None:
            engines[engine].append(confidence or 0.0)
    return {
        "mode": config.ingest.ocr if config.cold_storage.ocr_enabled else "off",
        "pages": table.num_rows,
        "routes": _counts(table["route"]),
        "ocr": {
            name: {
                "pages": len(found),
                "confidence": round(sum(found) / len(found), 3),
                "lowest": round(min(found), 3),
                "unsure_pages": sum(c < UNSURE for c in found),
            }
            for name, found in sorted(engines.items())
        },
        "images": {"stored": writer.table("images").count_rows(), "vectors": models["images"]},
        "models": dict(models),
        "failures": to_json([f for f in failures if KEPT in f.reason]),
    }


def _blocks(writer: StoreWriter, config: Config) -> dict[str, Any]:
    table = writer.table("blocks").to_table(columns=["kind", "language", "tokens"])
    tokens = table["tokens"].to_pylist()
    return {
        "blocks": table.num_rows,
        "kinds": _counts(table["kind"]),
        "languages": _counts(table["language"]),
        "tokens": {"mean": round(sum(tokens) / max(len(tokens), 1), 1), "most": max(tokens, default=0)},
        "images": writer.table("images").count_rows(),
        "models": {"tokens counted by": config.ingest.embedder},
        "failures": [],
    }


def _graph(writer: StoreWriter, config: Config) -> dict[str, Any]:
    return {
        "enabled": config.cold_storage.knowledge_graph_enabled,
        "entities": _counts(writer.table("entities").to_table(columns=["type"])["type"]),
        "relations": _counts(writer.table("relations").to_table(columns=["type"])["type"]),
        "mentions": writer.table("mentions").count_rows(),
        "models": {},
        "failures": [],
    }


def _embed(writer: StoreWriter, models: Mapping[str, str]) -> dict[str, Any]:
    blocks = writer.table("blocks")
    return {
        "vectors": blocks.count_rows(),
        "dimensions": blocks.schema.field("vector").type.list_size,
        "models": {name: models[name] for name in ("embedder", "images") if name in models},
        "failures": [],
    }


def _statements(writer: StoreWriter, models: Mapping[str, str], index: Mapping[str, str]) -> dict[str, Any]:
    """Edges that have a sentence with a vector, the different sentences, and edges left out by kind."""
    arrays, _ = map_arrays(writer.path / index[STATEMENTS])
    kinds = _counts(writer.table("relations").to_table(columns=["type"])["type"])
    return {
        "statements": len(arrays["scales"]),
        "edges": int((arrays["of_edge"] >= 0).sum()),
        "left_out": {kind: count for kind, count in kinds.items() if kind in LEFT_OUT},
        "models": {"embedder": models["embedder"]},
        "failures": [],
    }


def _index(writer: StoreWriter, models: Mapping[str, str], index: Mapping[str, str]) -> dict[str, Any]:
    return {
        "files": {role: {"file": file, "bytes": (writer.path / file).stat().st_size} for role, file in index.items()},
        "models": {"documents": models.get("documents", "")},
        "failures": [],
    }


def _counts(column: Any) -> dict[str, int]:
    """Rows by value, most frequent first."""
    return {str(name): n for name, n in Counter(column.to_pylist()).most_common()}


def write_quarantine(store: Path, plan: Plan, failed: Mapping[str, Attempt]) -> None:
    """One record in `meta/quarantine/` for each document that could not be indexed; others are taken away.

    Raises:
        StoreError: they cannot be written.
    """
    folder = store / "meta" / "quarantine"
    for document, attempt in failed.items():
        path = folder / f"{document}.json"
        if document in plan.documents and not path.exists():
            files = [f.source for f in plan.documents[document]]
            write_json(path, {"document": document, "sources": files, "page": attempt.page, "reason": attempt.reason})
    try:
        for path in folder.glob("*.json"):
            if path.stem not in failed:
                path.unlink()
    except OSError as e:
        raise StoreError(f"{folder}: cannot write: {e.strerror}") from e

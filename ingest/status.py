"""`meta/ocr_status.json` and the quarantine records: how every page was read, and what could not be."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from h3cold.ingest.plan import Attempt, Plan
from h3cold.ingest.store.files import write_json
from h3cold.ingest.store.writer import StoreWriter
from h3cold.schemas.errors import StoreError
from h3cold.schemas.export import to_json
from h3cold.schemas.summary import Failure


def build_status(writer: StoreWriter, models: Mapping[str, str], failures: Sequence[Failure]) -> dict[str, Any]:
    """Pages by route and by OCR engine with its mean confidence (0..1), failures, and the models in use."""
    table = writer.table("pages").to_table(columns=["route", "ocr_engine", "ocr_confidence"]).to_pylist()
    engines: dict[str, list[float]] = defaultdict(list)
    for row in table:
        if row["ocr_engine"] is not None:
            engines[row["ocr_engine"]].append(row["ocr_confidence"] or 0.0)
    return {
        "snapshot": writer.number(),
        "written": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "pages": len(table),
        "routes": dict(sorted(Counter(row["route"] for row in table).items())),
        "ocr": {
            name: {"pages": len(found), "confidence": round(sum(found) / len(found), 3)}
            for name, found in sorted(engines.items())
        },
        "images": {
            "stored": writer.table("images").count_rows(),
            "vectors": models["images"],
        },
        "models": dict(models),
        "failures": to_json(failures),
    }


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

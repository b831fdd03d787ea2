"""What a store holds and how it came about, as plain data for people and machines."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from h3cold.h3bridge.engine import STATE_FILE
from h3cold.h3bridge.processes import started
from h3cold.ingest.status import read_status
from h3cold.ingest.store import ColdStore
from h3cold.ingest.store.manifest import CURRENT, history
from h3cold.schemas.errors import StoreError, UsageError

DONE = {"parse": "pages", "blocks": "blocks", "kg": "mentions", "embed": "vectors", "statements": "statements"}
"""What a stage's status counts."""


_ONE = re.compile(r"^1 (?!of )([a-z]+)\b")
_COUNT = re.compile(r"^[\d,]+ (?:of [\d,]+ )?")
_NUMBER = re.compile(r"\b\d+(?:\.\d+)?\b")


def report(store: ColdStore) -> dict[str, Any]:
    """Snapshot, documents, pages by route, OCR, models, failures, and bytes on disk by table and index."""
    manifest = store.manifest
    pages = store.table("pages").to_table(columns=["route", "reasons", "ocr_engine", "ocr_confidence"])
    sources = store.table("sources").to_table(columns=["source", "page", "reason", "status"]).to_pylist()
    failed = [{k: s[k] for k in ("source", "page", "reason")} for s in sources if s["status"] == "failed"]
    return {
        "store": str(store.path),
        "snapshot": manifest.snapshot,
        "created": manifest.created,
        "root": manifest.root,
        "rows": dict(manifest.counts),
        "documents": dict(Counter(s["status"] for s in sources)),
        "pages_by_route": dict(Counter(pages["route"].to_pylist()).most_common()),
        "route_reasons": _reasons(pages["route"].to_pylist(), pages["reasons"].to_pylist()),
        "ocr": _ocr(pages["ocr_engine"].to_pylist(), pages["ocr_confidence"].to_pylist()),
        "models": {name: of for name, of in manifest.models.items() if name != "aliases"},
        "stages": stages(store),
        "snapshots": snapshots(store),
        "bytes": _bytes(store.path),
        "failures": failed + _failed_pages(store),
    }


def stages(store: ColdStore) -> list[dict[str, Any]]:
    """What each stage did to this snapshot, how long it took, by which models; files and pages that failed."""
    out = []
    for name, status in read_status(store.path, store.manifest.snapshot).items():
        models = ", ".join(f"{k}: {v}" for k, v in status.get("models", {}).items() if v)
        done = f"{status[DONE[name]]:,} {DONE[name]}" if name in DONE else f"{len(status.get('files', ()))} files"
        if name == "summaries":
            done = str(status["summaries"])
        if name == "ocr":
            done = f"{sum(engine['pages'] for engine in status['ocr'].values()):,} pages"
            models = ", ".join(f"{k}: confidence {v['confidence']}" for k, v in status["ocr"].items())
        failed = len(status.get("failures", ()))
        out.append({"stage": name, "done": done, "failed": failed, "seconds": status["seconds"], "models": models})
    return out


def snapshots(store: ColdStore) -> list[dict[str, Any]]:
    """Snapshots that are kept, oldest first."""
    return [
        {"snapshot": m.snapshot, "created": m.created, "documents": m.counts.get("documents", 0),
         "blocks": m.counts.get("blocks", 0), "open": m.snapshot == store.manifest.snapshot}
        for m in history(store.path)
    ]  # fmt: skip


def scheduler_state(store: Path) -> dict[str, Any]:
    """The state that the last engine on this store saved: when, tick, tiers, blocks, decisions.

    `process` says whether the process that wrote it still runs: when it ended, its tiers went with it.

    Blocks of documents that have left the store since are only counted, as `gone`.

    Raises:
        UsageError: no engine has run on this store yet, or its file is damaged.
    """
    path = store / STATE_FILE
    try:
        state: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{path}: no scheduler state; it is written when a Bridge promotes hits") from None
    except (OSError, ValueError) as e:
        raise UsageError(f"{path}: unreadable scheduler state ({e}); it is written anew at the next promotion") from e
    state.pop("heat", None)
    state["process"] = _process(state)
    here = _blocks_here(store, [block["block"] for block in state.get("blocks", ())])
    if here is not None:
        kept = [block for block in state["blocks"] if block["block"] in here or "/" in block["block"]]  # or a page
        state["gone"] = len(state["blocks"]) - len(kept)
        state["blocks"] = kept
    return state


def _process(state: dict[str, Any]) -> str:
    began = state.pop("pid_started", None)
    if not isinstance(began, int) or not isinstance(state.get("pid"), int):
        return "not known"
    if started(state["pid"]) == began:
        return "running"
    return "ended: what its tiers held is gone, the heat is kept"


def _blocks_here(store: Path, blocks: list[str]) -> set[str] | None:
    """Those of the blocks that the store has; None where nobody can tell: the state is of use all the same."""
    try:
        return {row["id"] for row in ColdStore.open(store).rows("blocks", "id", blocks, ["id"])}
    except (StoreError, OSError, ValueError):  # Lance's errors are the latter two
        return None


def check(path: Path, snapshot: int | None = None, *, repair: bool = False) -> dict[str, Any]:
    """Whether a snapshot is whole and what is wrong, one line each; with `repair`, what was mended before.

    Raises:
        StoreError: there is no store, or no such snapshot.
        StoreBusyError: a build is running, so that nothing can be mended.
    """
    from h3cold.ingest.repair import repair as mend

    done = {"repaired": mend(path)} if repair else {}
    try:
        store = ColdStore.open(path, snapshot)
    except StoreError as e:
        if snapshot is not None or not (path / CURRENT).exists():
            raise
        return {"snapshot": None, "whole": False, "problems": [str(e)], **done}
    problems = store.verify()
    return {"snapshot": store.manifest.snapshot, "whole": not problems, "problems": problems, **done}


def _reasons(routes: list[str], reasons: list[list[str] | None]) -> list[dict[str, Any]]:
    """Pages by route and reason, the commonest first, without their numbers, so that equal ones add up."""
    counts = Counter(
        (route, said) for route, given in zip(routes, reasons, strict=True)
        for said in {numberless(reason) for reason in given or ()}
    )  # fmt: skip
    return [{"route": route, "reason": reason, "pages": n} for (route, reason), n in counts.most_common()]


def numberless(reason: str) -> str:
    """`1 line dropped` and `2 lines dropped` -> `lines dropped`; other numbers are left open."""
    return _NUMBER.sub("…", _COUNT.sub("", _ONE.sub(r"\1s", reason)))


def _ocr(engines: list[str | None], confidences: list[float | None]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for engine in sorted({e for e in engines if e}):
        seen = [c for e, c in zip(engines, confidences, strict=True) if e == engine and c is not None]
        pages = sum(e == engine for e in engines)
        out[engine] = {"pages": pages, "mean_confidence": round(sum(seen) / len(seen), 3) if seen else None}
    return out


def _failed_pages(store: ColdStore) -> list[dict[str, Any]]:
    rows = store.table("pages").to_table(columns=["document", "page", "failure"], filter="failure IS NOT NULL")
    documents = store.documents()
    return [
        {"source": documents[r["document"]]["source"], "page": r["page"], "reason": r["failure"]}
        for r in rows.to_pylist()
    ]


def _bytes(store: Path) -> dict[str, int]:
    parts = [p for folder in ("tables", "index") for p in sorted((store / folder).iterdir())]
    return {str(p.relative_to(store)): sum(f.stat().st_size for f in p.rglob("*") if f.is_file()) for p in parts}

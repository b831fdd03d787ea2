"""What an engine's scheduler knows and did, for `h3-monitor` and for the next process."""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from h3cold.h3bridge.policies.ahas_queue import AhasQueue
from h3cold.h3bridge.processes import started

if TYPE_CHECKING:
    from h3cold.h3bridge.engine import H3Engine


def snapshot(engine: H3Engine) -> dict[str, Any]:
    """See `H3Engine.state`."""
    scheduler, last = engine.scheduler, {d.block: d.reason for d in engine.decisions}
    known = sorted(scheduler.dump(), key=scheduler.priority, reverse=True)
    return {
        "tick": scheduler.tick,
        "mean_request": round(scheduler.mean_request, 2),
        "prefetch_window": engine.prefetch_window,
        "modes": {t.value: q.mode for t, q in engine.queues.items() if isinstance(q, AhasQueue)},
        "tiers": [{**asdict(r), "blocks": len(r.blocks)} for r in engine.residency()],
        "blocks": [
            {"block": b, "tier": engine.tier_of(b).value, "heat": scheduler.heat(b),
             "relevance": scheduler.relevance(b), "score": scheduler.score(b), "reason": last.get(b, "")}
            for b in known
        ],
        "decisions": [asdict(d) for d in engine.decisions],
    }  # fmt: skip


def save(engine: H3Engine, path: Path) -> bool:
    """See `H3Engine.save`."""
    try:
        path.parent.mkdir(exist_ok=True)  # without parents: a mistyped path must not grow a folder
        draft = path.with_suffix(f".{uuid.uuid4().hex[:8]}.tmp")  # others may write to this store
        now = datetime.now(UTC).isoformat(timespec="seconds")
        writer = {"written": now, "pid": os.getpid(), "pid_started": started(os.getpid())}
        draft.write_text(json.dumps({**writer, **snapshot(engine), "heat": engine.scheduler.dump()}), encoding="utf-8")
        draft.replace(path)
    except OSError:
        return False
    return True


def restore(engine: H3Engine, path: Path) -> None:
    """Go on with the heat that the last engine left, if it left any."""
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
        engine.scheduler.restore(saved["tick"], saved["heat"], saved.get("mean_request", 0.0))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return  # no state, or one that is damaged: heat starts anew, nothing else depends on it

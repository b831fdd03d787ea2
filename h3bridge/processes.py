"""Whether a process that wrote something still runs: its number may be another's by now, its start is its own."""

from __future__ import annotations

from pathlib import Path


def started(pid: int) -> int | None:
    """When a process began, in clock ticks since the machine's start; None where there is none, or it has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    state, *rest = text.rpartition(")")[2].split()  # the name before may hold anything
    return None if state in "ZX" else int(rest[18])

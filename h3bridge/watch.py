"""`h3-monitor --watch`: follows a build from another terminal, until it ends."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from h3cold.ingest.live import FILE, read_live
from h3cold.ingest.progress import one_line, time_left, where
from h3cold.schemas.errors import UsageError

SECONDS = 1.0
"""Time between two looks."""

QUIET = 900.0
"""Seconds between two steps of a scheduled build, retries included, after which nobody is expected to go on."""

BATCHES = "meta/batches/*/meta/live.json"
ENDED_WELL = "done"


def live_states(store: Path) -> dict[str, dict[str, Any]]:
    """The states of the builds into a store by name: "build" for the store's own, else the batch's name.

    Batches that are not running any more are left out, while anything is. Where nothing is, but batches wait for
    their turn or to be published, that is what is told: {"batches": {"state": "waiting", "count": how many}}.
    """
    folders = {"build": store} | {path.parent.parent.name: path.parent.parent for path in store.glob(BATCHES)}
    states = {name: state for name, folder in folders.items() if (state := read_live(folder)) is not None}
    running = {name: state for name, state in states.items() if state["state"] == "running"}
    if not running and (count := waiting(store)):
        return {"batches": {"state": "waiting", "count": count}}
    return running or {name: state for name, state in states.items() if name == "build"}


def waiting(store: Path) -> int:
    """Batches of a scheduled build that is going on; 0 where nothing was done to any of them for `QUIET` seconds."""
    batches = list((store / "meta" / "batches").glob("*"))
    touched = 0.0
    for path in (batch / name for batch in batches for name in ("batch.json", FILE)):
        with contextlib.suppress(OSError):  # not begun yet, or just published
            touched = max(touched, path.stat().st_mtime)
    return len(batches) if time.time() - touched < QUIET else 0


def watch(store: Path, out: TextIO, *, as_json: bool) -> int:
    """Show what is going on until nothing runs any more; 0 where the last build ended well, 3 where it did not.

    A terminal shows one picture that moves; other streams get a line when something changes; with `as_json` each
    is an object of its own.

    Raises:
        UsageError: nothing is known of any build into this store.
    """
    states = live_states(store)
    if not states:
        raise UsageError(f"{store}: nothing was ever built here while anybody could watch; start h3-index-builder")
    if out.isatty() and not as_json:
        last = _on_terminal(store, states)
    else:
        last = _in_lines(store, states, out, as_json=as_json)
    ended = last.get("build", {}).get("state", ENDED_WELL)
    if not as_json:
        print(_end(ended), file=out, flush=True)
    return 0 if ended == ENDED_WELL else 3


def _running(states: Mapping[str, Mapping[str, Any]]) -> bool:
    return any(state["state"] in ("running", "waiting") for state in states.values())


def _in_lines(store: Path, states: dict[str, dict[str, Any]], out: TextIO, *, as_json: bool) -> dict[str, Any]:
    shown: dict[str, str] = {}
    while True:
        for name, state in states.items():
            line = json.dumps({"build": name, **state}, ensure_ascii=False) if as_json else line_of(name, state)
            if shown.get(name) != line:
                print(line, file=out, flush=True)
                shown[name] = line
        if not _running(states):
            return states
        time.sleep(SECONDS)
        states = live_states(store)


def _on_terminal(store: Path, states: dict[str, dict[str, Any]]) -> dict[str, Any]:
    from rich.console import Group
    from rich.live import Live

    with Live(Group(), auto_refresh=False) as screen:
        while True:
            screen.update(Group(*(panel(name, state) for name, state in states.items())), refresh=True)
            if not _running(states):
                return states
            time.sleep(SECONDS)
            states = live_states(store)


def line_of(name: str, state: Mapping[str, Any]) -> str:
    """A state on one line."""
    if state["state"] == "waiting":
        return f"{name} waiting: {state['count']} to be indexed or published; the scheduler has not begun its next step"
    files, pages = state["files"], state["pages"]
    known = state["state"] == "running" and state["seconds_left"] is not None
    left = f", {time_left(state['seconds_left'])}" if known else ""
    workers = state["memory_mb"]["workers"]
    memory = f"memory {state['memory_mb']['main']:,} MB" + (f" and {sum(workers):,} MB of workers" if workers else "")
    at = "; ".join(f"{one_line(c['source'])}: {c['at']}" for c in state["current"][:2])
    return (
        f"{name} {state['state']}: {state['step']}, {files['done']}/{files['total']} files, "
        f"{pages['read']} of {_expected(pages)} pages, {state['pages_per_second']:.1f} pages/s{left}, "
        f"{state['failed']} failed, {memory}" + (f" ({at})" if at else "")
    )


def _expected(pages: Mapping[str, Any]) -> str:
    return f"{'' if pages.get('exact', True) else 'about '}{pages['expected']}"


def panel(name: str, state: Mapping[str, Any]) -> Any:
    """A state as a picture for a terminal."""
    from rich.console import Group
    from rich.panel import Panel
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    if state["state"] == "waiting":
        return Panel(Text(line_of(name, state)))
    files, pages, memory = state["files"], state["pages"], state["memory_mb"]
    left = "time left unknown yet" if state["seconds_left"] is None else time_left(state["seconds_left"])
    left = f", {left}" if state["state"] == "running" else ""
    facts = Table.grid(padding=(0, 2))
    for key, value in (
        ("step", state["step"]),
        ("files", f"{files['done']} of {files['total']}, {state['failed']} failed"),
        ("pages", f"{pages['read']} read, {pages['indexed']} indexed of {_expected(pages)}"),
        ("rate", f"{state['pages_per_second']:.1f} pages/s{left}"),
        ("memory", f"{memory['main']} MB, workers {', '.join(f'{m} MB' for m in memory['workers']) or 'none'};"
                   f" at most {memory['peak_main']} and {memory['peak_worker']} MB"),
    ):  # fmt: skip
        facts.add_row(Text(key, style="bold"), Text(value))
    bar = Table.grid(expand=True)  # a bar by itself does not end its line
    bar.add_row(ProgressBar(total=1.0, completed=state["share"]))
    parts: list[Any] = [bar, facts]
    parts += _list("now", [(c["source"], None, f"{c['at']}, for {c['seconds']:.0f} s") for c in state["current"]])
    slowest = [(s["source"], s["page"], f"{s['seconds']:.1f} s") for s in state["slowest_pages"][:5]]
    parts += _list("slowest pages", slowest)
    parts += _list("failed", [(f["source"], f["page"], f["reason"]) for f in state["last_failures"]])
    return Panel(Group(*parts), title=f"{name}: {state['state']}", title_align="left")


def _list(title: str, rows: Sequence[tuple[str, int | None, str]]) -> list[Any]:
    from rich.table import Table
    from rich.text import Text

    if not rows:
        return []
    table = Table.grid(padding=(0, 2))
    for source, page, what in rows:
        table.add_row(Text(where(source, page)), Text(one_line(what)))
    return [Text(f"\n{title}", style="bold"), table]


def _end(state: str) -> str:
    said = {
        "done": "the build is done",
        "failed": "the build failed; the store is as it was before it",
        "interrupted": "the build was interrupted; run it again to go on",
        "killed": "the build ended without a word: its process is gone; run it again to go on",
    }
    return said[state]

"""What a store survives: `h3-benchmark store`, set `faults`.

A store of a few small documents is brought up to date while it is killed, loses power or fills its disk; or it lies
there and bits flip. After each fault: is what was published still whole, does the next build end with the rows and
the answers of a build that nothing happened to, was any answer in between a wrong one?
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from h3cold.ingest import fault_trials as trials
from h3cold.schemas.errors import H3Error

KILLS, DAMAGES, FULL = 200, 60, 20
SEED = 20261129
UNREAD = ("latest_version_hint.json", "meta/lock", ".txn", "_status.json", "meta/live.json", "meta/quarantine")
"""Parts of names of files that no reader depends on."""


def run(*, kills: int = KILLS, damages: int = DAMAGES, full: int = FULL, seed: int = SEED) -> dict[str, float]:
    """Figures by name: `<fault> survived`, `<fault> tried`, `documents lost`, `wrong answers after a fault`.

    Raises:
        H3Error: the trials cannot be run here.
    """
    command = [sys.executable, "-m", __name__, *map(str, (kills, damages, full, seed))]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise H3Error(f"the fault trials ended with status {done.returncode}: {done.stderr.strip()[-500:]}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


class Bench:
    """A folder, its store before a change and after, and what came of the trials."""

    def __init__(self, base: Path, chance: random.Random) -> None:
        self.folder, self.before, self.after = base / "in", base / "before", base / "after"
        self.store, self.record = base / "s", base / "synced"
        self.chance = chance
        self.figures: dict[str, float] = {"documents lost": 0, "wrong answers after a fault": 0}
        self.notes: list[str] = []
        _documents(self.folder, range(4))
        self.old = self._built(self.before)
        _documents(self.folder, range(3, 8), edition=2)
        (self.folder / "0.pdf").unlink()
        self.new = self._built(trials.fresh_copy(self.before, self.after))
        self.build = partial(trials.build_store, self.folder, self.store)
        trials.fresh_copy(self.before, self.store)
        self.events = int(self.expect("done", trials.forked(trials.counted(self.build))))

    def _built(self, store: Path) -> dict[str, Any]:
        def do() -> dict[str, Any]:
            trials.build_store(self.folder, store)
            return trials.state(store)

        state: dict[str, Any] = self.expect("done", trials.forked(do))
        return state

    def expect(self, kind: str, outcome: tuple[str, Any]) -> Any:
        """What a trial gave.

        Raises:
            H3Error: it ended otherwise.
        """
        if outcome[0] != kind:
            raise H3Error(f"a trial that should be {kind} was {outcome[0]}: {outcome[1]}")
        return outcome[1]

    def count(self, fault: str, survived: bool, note: str) -> None:
        """Put a trial on record."""
        self.figures[f"{fault} tried"] = self.figures.get(f"{fault} tried", 0) + 1
        self.figures[f"{fault} survived"] = self.figures.get(f"{fault} survived", 0) + survived
        if not survived:
            self.notes.append(f"{fault}: {note}")

    def interrupted(self, fault: str, arm: Callable[[], None], *, power: bool = False) -> None:
        """A build that `arm` puts an end to; then the look at the store, the next build, and the look at that."""
        trials.fresh_copy(self.before, self.store)
        self.record.unlink(missing_ok=True)

        def begin() -> None:
            if power:
                trials.synced_to(self.record)()
            arm()

        trials.forked(self.build, before=begin)
        if power:
            trials.lose_power(self.store, self.before, self.record, self.chance)
        kind, then = trials.forked(lambda: trials.state(self.store))
        whole = kind == "done" and self._same(then, self.new if then["snapshot"] == self.new["snapshot"] else self.old)
        ended, now = trials.forked(self._again)
        self.count(
            fault,
            whole and ended == "done" and self._same(now, self.new),
            f"{_told(kind, then)}; then {_told(ended, now)}",
        )

    def _again(self) -> dict[str, Any]:
        self.build()
        return trials.state(self.store)

    def _same(self, state: dict[str, Any], expected: dict[str, Any]) -> bool:
        self.figures["documents lost"] += len(set(expected["documents"]) - set(state["documents"]))
        self.figures["wrong answers after a fault"] += _differing(state["answers"], expected["answers"])
        return all(state[name] == expected[name] for name in ("rows", "documents", "answers", "problems"))

    def damaged(self, name: str) -> None:
        """A store one of whose files is damaged: is it found, are the answers right or none, can it be mended?"""
        trials.fresh_copy(self.after, self.store)
        how = trials.damage(self.store / name, self.chance)
        kind, given = trials.forked(lambda: trials.answers(self.store))
        if kind == "done":
            self.figures["wrong answers after a fault"] += _differing(given, self.new["answers"])
        found, problems = trials.forked(self._verified)
        told = found == "refused" or (found == "done" and bool(problems))
        if not any(part in name for part in UNREAD):
            self.count("damage found", told, f"{name} {how}: {found} {problems}"[:300])
        mended, state = trials.forked(self._mended)
        same = mended == "done" and self._same(state, self.new)
        answered = kind in ("done", "refused")
        self.count("damage", answered and same, f"{name} {how}: {kind}, {mended} {str(state)[:300]}")

    def _verified(self) -> list[str]:
        from h3cold.ingest.store.reader import ColdStore

        return ColdStore.open(self.store).verify()

    def _mended(self) -> dict[str, Any]:
        """As `h3-monitor --verify --repair` does it, and `h3-index-builder --rebuild` where that is not enough."""
        from h3cold.ingest import jobs, pipeline
        from h3cold.ingest.repair import repair

        try:
            repair(self.store, trials.config())
            if self._verified() == []:
                return trials.state(self.store)
        except (H3Error, OSError, ValueError):
            pass
        setattr(jobs, "Pool", trials.Inline)  # noqa: B010  (a name that it imports)
        pipeline.build(self.folder, self.store, trials.config(), rebuild=True)
        repair(self.store, trials.config())
        return trials.state(self.store)


def _told(kind: str, outcome: Any) -> str:
    """What became of a trial, in short."""
    what = (
        f"snapshot {outcome['snapshot']}, rows {outcome['rows']}, {outcome['problems']}" if kind == "done" else outcome
    )
    return f"{kind}: {what}"[:400]


def _differing(answers: list[Any], expected: list[Any]) -> int:
    return sum(mine != right for mine, right in zip(answers, expected, strict=True))


def _documents(folder: Path, numbers: range, *, edition: int = 1) -> None:
    import pymupdf

    folder.mkdir(exist_ok=True)
    for i in numbers:
        doc = pymupdf.open()
        for text in (
            f"Company{i} Holdings Limited acquired Bolt{i} Systems Inc. for ${i + edition} million in 202{i}.",
            f"Rain fell on river {i} all night, said page two of edition {edition}.",
            f"应收账款周转率第{i}年上升。",
        ):
            doc.new_page().insert_text((72, 90), text, fontsize=11, fontname="china-s")
        doc.save(folder / f"{i}.pdf", no_new_id=True)
        doc.close()


def _trials(base: Path, kills: int, damages: int, full: int, seed: int) -> dict[str, float]:
    from h3cold.ingest import embed

    embed.open_embedder = cache(embed.open_embedder)  # loaded once, here, for all that are forked
    embed.open_embedder("e5-small").passages(["warm"])
    _documents(base / "warm", range(1))
    trials.warm(base / "warm" / "0.pdf")
    for module in ("lance", "faiss", "h3cold.kg.linking", "h3cold.ingest.publication", "h3cold.ingest.pipeline"):
        __import__(module)
    bench = Bench(base, random.Random(seed))
    chance = bench.chance
    for i in range(kills):
        power = i % 2 == 1
        arm = trials.killed_at(chance.randint(1, bench.events))
        if i % 4 > 1:
            arm = trials.killed_after(chance.uniform(0.0, 1.5))
        bench.interrupted("power loss" if power else "kill -9", arm, power=power)
    for _ in range(full):
        bench.interrupted("full disk", trials.full_disk(int(10 ** chance.uniform(2.0, 5.0))))
    files = [p.relative_to(bench.after).as_posix() for p in sorted(bench.after.rglob("*")) if p.is_file()]
    for name in chance.sample(files, min(damages, len(files))):
        bench.damaged(name)
    print("\n".join(bench.notes), file=sys.stderr)
    return bench.figures


def main(arguments: list[str]) -> None:
    """Run the trials in this process, which must not have used Lance; prints the figures as JSON."""
    kills, damages, full, seed = map(int, arguments)
    base = Path(tempfile.mkdtemp(prefix="h3-faults-"))
    try:
        print(json.dumps(_trials(base, kills, damages, full, seed)))
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])

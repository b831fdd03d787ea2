"""`h3-benchmark`: the project's figures, from one command each."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from pathlib import Path

from h3cold.schemas.errors import H3Error, UsageError

RUNNERS = {
    "parse": "h3cold.ingest.benchmark_parse",
    "embed": "h3cold.ingest.benchmark_embed",
    "recall": "h3cold.recall.benchmark",
    "kg": "h3cold.kg.benchmark",
    "bridge": "h3cold.h3bridge.benchmark",
}
NEED_NO_DATA = ("embed", "bridge")

EXAMPLES = """examples:
  h3-benchmark parse --data /data/benchmarks
  h3-benchmark recall --data /data/benchmarks --sets uda_fin --json
  H3_BENCH_DATA=/data/benchmarks h3-benchmark kg
  h3-benchmark bridge"""


def main(argv: list[str] | None = None) -> int:
    """Run one benchmark; exit 0, or 2 for wrong usage, 3 when it fails."""
    parser = argparse.ArgumentParser(
        prog="h3-benchmark",
        description="Measure parsing, embedding, recall, the knowledge graph or the tiers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=RUNNERS, help="which part to measure")
    parser.add_argument("--data", metavar="DIR", default=os.environ.get("H3_BENCH_DATA"),
                        help="folder of the benchmark sets (default: $H3_BENCH_DATA)")  # fmt: skip
    parser.add_argument("--sets", metavar="A,B", help="only these sets (default: all that the part knows)")
    parser.add_argument("--json", action="store_true", help="one JSON object {set: {figure: value}}")
    args = parser.parse_args(argv)
    try:
        figures = _run(args.what, args.data, args.sets.split(",") if args.sets else None)
    except UsageError as e:
        print(f"h3-benchmark: {e}", file=sys.stderr)
        return 2
    except H3Error as e:
        print(f"h3-benchmark: {e}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("h3-benchmark: interrupted", file=sys.stderr)
        return 130
    if args.json:
        print(json.dumps(figures, ensure_ascii=False, indent=2))
    else:
        _table(figures)
    return 0


def _run(what: str, data: str | None, sets: list[str] | None) -> dict[str, dict[str, float]]:
    if data is None and what not in NEED_NO_DATA:
        raise UsageError(f"{what} needs its data: give --data DIR or set H3_BENCH_DATA")
    folder = Path(data) if data else Path()
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; --data takes the folder that holds the benchmark sets")
    figures: dict[str, dict[str, float]] = importlib.import_module(RUNNERS[what]).run(folder, sets)
    return figures


def _table(figures: dict[str, dict[str, float]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("set", "figure", "value")
    for name, values in figures.items():
        for figure, value in values.items():
            table.add_row(name, figure, f"{value:,.4g}" if isinstance(value, float) else str(value))
        table.add_section()
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    sys.exit(main())

"""`h3-benchmark`: the project's figures, from one command each."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from pathlib import Path

from h3cold.schemas.errors import H3Error, UsageError
from h3cold.schemas.version import add_version

RUNNERS = {
    "parse": "h3cold.ingest.benchmark_parse",
    "peers": "h3cold.ingest.benchmark_peers",
    "embed": "h3cold.ingest.benchmark_embed",
    "store": "h3cold.ingest.benchmark_store",
    "recall": "h3cold.recall.benchmark",
    "recall-peers": "h3cold.recall.benchmark_peers",
    "compression": "h3cold.recall.benchmark_compression",
    "kg": "h3cold.recall.benchmark_relation",
    "bridge": "h3cold.h3bridge.benchmark",
}
NEED_NO_DATA = ("embed", "store", "bridge")
MADE_SETS = {"parse": {"generated", "engines"}, "kg": {"bilingual", "paraphrased"}, "compression": {"documents"}}
"""Sets that are made on the spot, by part."""

EXAMPLES = """examples:
  h3-benchmark parse --data /data/benchmarks
  h3-benchmark parse --sets generated,engines
  h3-benchmark peers --data /data/benchmarks --sets icdar,docling
  h3-benchmark recall --data /data/benchmarks --sets uda_fin --work /data/stores --json
  h3-benchmark recall --data /data/pdfs --questions my_questions.jsonl
  h3-benchmark recall --data /data/pdfs --questions my_questions.jsonl --tune weights.json
  h3-benchmark compression --data /data/benchmarks --sets uda_fin,documents --work /data/stores
  H3_BENCH_DATA=/data/benchmarks h3-benchmark kg
  h3-benchmark store
  h3-benchmark store --sets many,long,faults
  h3-benchmark bridge"""


def main(argv: list[str] | None = None) -> int:
    """Run one benchmark; exit 0, or 2 for wrong usage, 3 when it fails."""
    parser = argparse.ArgumentParser(
        prog="h3-benchmark",
        description="Measure parsing, embedding, recall, what others do beside, compression, the graph or the tiers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=RUNNERS, help="which part to measure")
    parser.add_argument("--data", metavar="DIR", default=os.environ.get("H3_BENCH_DATA"),
                        help="folder of the benchmark sets (default: $H3_BENCH_DATA)")  # fmt: skip
    parser.add_argument("--sets", metavar="A,B", help="only these sets (default: all that the part knows)")
    parser.add_argument("--work", metavar="DIR",
                        help="recall, compression: keep stores here for later (default: $H3_BENCH_WORK)")  # fmt: skip
    parser.add_argument("--questions", metavar="FILE",
                        help="recall, compression: ask these about the PDF files in DIR of --data; JSON Lines of "
                             '{"query", "source", "page" or "pages"}')  # fmt: skip
    parser.add_argument("--tune", metavar="FILE",
                        help="recall only, with --questions: learn the ranking's weights on every other question, "
                             "report the rest before and after, write the weights to FILE (recall.weights in "
                             "h3_config.yaml takes it)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON object {set: {figure: value}}")
    add_version(parser)
    args = parser.parse_args(argv)
    try:
        figures = _run(args)
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
    elif args.what in ("peers", "recall-peers"):
        _side_by_side(figures)
    else:
        _table(figures)
    return 0


def _run(args: argparse.Namespace) -> dict[str, dict[str, float]]:
    if args.what not in ("recall", "compression") and (args.work or args.questions):
        raise UsageError(f"--work and --questions are for recall and compression, not {args.what}")
    if args.what != "recall" and args.tune:
        raise UsageError(f"--tune is for recall, not {args.what}")
    if args.tune and not args.questions:
        raise UsageError("--tune learns from labelled questions: give them with --questions FILE")
    made = bool(args.sets) and set(args.sets.split(",")) <= MADE_SETS.get(args.what, set())
    if args.data is None and args.what not in NEED_NO_DATA and not made:
        raise UsageError(f"{args.what} needs its data: give --data DIR or set H3_BENCH_DATA")
    folder = Path(args.data) if args.data else Path()
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; --data takes the folder that holds the benchmark sets")
    sets = args.sets.split(",") if args.sets else None
    run = importlib.import_module(RUNNERS[args.what]).run
    figures: dict[str, dict[str, float]]
    if args.what == "embed":  # has one set, of its own
        figures = run()
        return figures
    if args.tune:
        from h3cold.recall.benchmark import tune

        return tune(folder, Path(args.questions), Path(args.tune), work=Path(args.work) if args.work else None)
    more = {name: Path(getattr(args, name)) for name in ("work", "questions") if getattr(args, name)}
    figures = run(folder, sets, **more)
    return figures


def _side_by_side(figures: dict[str, dict[str, float]]) -> None:
    """A column for each parser, a row for each figure."""
    from rich.console import Console
    from rich.table import Table

    rows = dict.fromkeys(figure for values in figures.values() for figure in values if figure != "absent")
    table = Table("figure", *figures)
    for row in rows:
        table.add_row(row, *(f"{v[row]:.4g}" if row in v else "absent" if "absent" in v else "-"
                             for v in figures.values()))  # fmt: skip
    Console(width=None if sys.stdout.isatty() else 140).print(table)


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

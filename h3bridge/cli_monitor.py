"""`h3-monitor`: what is in a store, whether it is whole, and what the scheduler did."""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from h3cold.schemas.errors import CorruptionError, H3Error, UsageError, unforeseen
from h3cold.schemas.version import add_version

if TYPE_CHECKING:
    from h3cold.ingest.store import ColdStore

EXAMPLES = """examples:
  h3-monitor --store ./h3_cold                          what is in the store
  h3-monitor --store ./h3_cold --verify                 check every table, index and reference; exit 3 if broken
  h3-monitor --store ./h3_cold --verify --repair        make anew what is derived; tells what needs --rebuild
  h3-monitor --store ./h3_cold --outline reports/a.pdf  its chapters and sections, with summaries
  h3-monitor --store ./h3_cold --graph                  entities and relations
  h3-monitor --store ./h3_cold --graph --export g.graphml   the graph as a file: .graphml .gexf .jsonld .csv (Neo4j)
  h3-monitor --store ./h3_cold --graph --explain "Acme"     why these names are one
  h3-monitor --store ./h3_cold --dump-scheduler-state   heat, tier and reason of each block, last decisions
  h3-monitor plan --model llama-3.1-405b --context 1M --tiers memtier.conf   what fits where, and how fast
  h3-monitor --store ./h3_cold --as-of 3                what an older snapshot held
  h3-monitor --store ./h3_cold --watch                  follow a build that is running; ends when it does
  h3-monitor --store ./h3_cold --json | jq .pages_by_route"""


_TITLES = {"snapshots": "snapshots; open: the one that this report is about"}
_UNITS = ("kB", "MB", "GB", "TB")


def main(argv: list[str] | None = None) -> int:
    """Print the report; exit 0, 1 where the store does not read, 2 for wrong usage or no store, 3 when
    --verify finds something wrong."""
    given = sys.argv[1:] if argv is None else argv
    if given[:1] == ["plan"]:
        from h3cold.h3bridge.cli_plan import main as plan

        return plan(given[1:])
    parser = argparse.ArgumentParser(
        prog="h3-monitor",
        description="Show what a cold store holds, check it, or dump the tier scheduler's state.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--store", metavar="DIR", default="./h3_cold", help="the cold store (default: ./h3_cold)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--verify", action="store_true", help="check tables, indexes and references")
    what.add_argument("--graph", action="store_true", help="statistics of the knowledge graph")
    what.add_argument("--outline", metavar="DOCUMENT", help="a document's chapters and sections, with summaries")
    what.add_argument("--dump-scheduler-state", action="store_true", help="each block's heat, tier and reason")
    what.add_argument("--watch", action="store_true", help="follow a running build; exit 3 if it does not end well")
    parser.add_argument("--export", metavar="FILE", help="with --graph: write it as .graphml, .gexf, .jsonld or .csv")
    parser.add_argument("--explain", metavar="NAME", help="with --graph: why the names of a node are one")
    parser.add_argument("--aliases", metavar="FILE", help="with --graph: NAME = OTHER and NAME != OTHER, line by line")
    parser.add_argument("--repair", action="store_true", help="with --verify: first mend what can be mended")
    parser.add_argument("--as-of", metavar="WHEN", help="an older snapshot: its number, or a time")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    add_version(parser)
    args = parser.parse_args(given)
    if args.repair and (not args.verify or args.as_of):
        parser.error("--repair goes with --verify, and mends the current snapshot")
    asked = (args.export, args.explain, args.aliases)
    if any(word is not None for word in asked) and not args.graph:
        parser.error("--export, --explain and --aliases go with --graph")
    try:
        for name in ("export", "explain", "aliases", "outline", "as_of"):
            if getattr(args, name) == "":
                raise UsageError(f"--{name.replace('_', '-')}: the word behind it is empty")
        return _run(args)
    except KeyboardInterrupt:
        return 130
    except H3Error as e:
        print(f"h3-monitor: {e}", file=sys.stderr)
        return 1 if isinstance(e, CorruptionError) else 2
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, ValueError) as e:  # Lance's, from a table whose files are missing or damaged
        reason = " ".join(str(e).split())[:200]
        print(f"h3-monitor: {args.store}: cannot be read ({reason}); --verify tells what is damaged", file=sys.stderr)
        return 1
    except Exception as e:
        print(f"h3-monitor: {unforeseen(e)}", file=sys.stderr)
        return 1


def _run(args: argparse.Namespace) -> int:
    from h3cold.h3bridge import monitor
    from h3cold.h3bridge.watch import watch
    from h3cold.ingest.store import ColdStore
    from h3cold.ingest.store.as_of import resolve

    if not Path(args.store).is_dir():
        raise UsageError(f"{args.store}: no such store; h3-index-builder --path PDFS --store {args.store} makes one")
    if args.dump_scheduler_state:
        return _show(monitor.scheduler_state(Path(args.store)), as_json=args.json)
    if args.watch:
        return watch(Path(args.store), sys.stdout, as_json=args.json)
    if args.verify:
        found = monitor.check(Path(args.store), resolve(Path(args.store), args.as_of), repair=args.repair)
        _show(found, as_json=args.json)
        return 0 if found["whole"] else 3
    store = ColdStore.open(args.store, resolve(Path(args.store), args.as_of))
    if args.outline:
        from h3cold.h3bridge.outlines import outline_report

        return _show(outline_report(store, args.outline), as_json=args.json)
    return _show(_graph(args, store) if args.graph else monitor.report(store), as_json=args.json)


def _graph(args: argparse.Namespace, store: ColdStore) -> Mapping[str, Any]:
    from h3cold.h3bridge import graph_view
    from h3cold.ingest.relinking import kept_aliases
    from h3cold.kg.user_aliases import read_aliases

    user = read_aliases(Path(args.aliases)) if args.aliases else kept_aliases(store.manifest)
    rows = graph_view.read_rows(store, user)
    if args.export:
        return graph_view.export_graph(rows, Path(args.export))
    return graph_view.explain_node(store, rows, args.explain) if args.explain else graph_view.graph_report(rows)


def _show(data: Mapping[str, Any], *, as_json: bool) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):  # a pipe may be opened in a charset without Chinese
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    print(json.dumps(data, ensure_ascii=False, indent=2) if as_json else _tables(data), flush=True)
    return 0


def _tables(data: Mapping[str, Any]) -> str:
    """The report for people. Made whole before it is printed: rich would exit with 1 where a pipe is closed."""
    from rich.console import Console

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 140
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False, soft_wrap=False)
    for name, value in data.items():
        title = _TITLES.get(name, name.replace("_", " "))
        if name == "bytes":
            sizes = {**value, "together": sum(value.values())}
            _table(console, "on disk", ["", "size"], [[part, size_of(size)] for part, size in sizes.items()])
        elif isinstance(value, Mapping):
            _table(console, title, ["", title], [[k, _cell(v)] for k, v in value.items()])
        elif isinstance(value, Sequence) and not isinstance(value, str):
            _rows(console, title, value)
        else:
            console.print(f"{title}: {value}", markup=False)
    return out.getvalue().rstrip("\n")


def _rows(console: Any, title: str, rows: Sequence[Any]) -> None:
    if not rows:
        console.print(f"{title}: none", markup=False)
    elif isinstance(rows[0], Mapping):
        _table(console, f"{title} ({len(rows)})", list(rows[0]), [[_cell(v) for v in r.values()] for r in rows])
    else:
        for row in rows:
            console.print(f"{title}: {row}", markup=False)


def _table(console: Any, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    if not rows:
        console.print(f"{title}: none", markup=False)
        return
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(Text(str(c)) for c in row))
    console.print(table)


def size_of(count: int) -> str:
    """`11588685` -> `11.6 MB`."""
    if count < 1000:
        return f"{count} bytes"
    unit = min(int(math.log10(count)) // 3, len(_UNITS))
    return f"{count / 1000**unit:.1f} {_UNITS[unit - 1]}"


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {_cell(v)}" for k, v in value.items())
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return "" if value is None else str(value)


if __name__ == "__main__":
    sys.exit(main())

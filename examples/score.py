"""Score the parser against the examples' truth: `python examples/score.py [--misses]`.

One line a document; `h3cold.ingest.generated.score` says what the columns are.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from make import make_examples

from h3cold.ingest.generated.score import COLUMNS, figure, score
from h3cold.ingest.parse import parse_document
from h3cold.ingest.scores import Tally


def main() -> int:
    """Print the scores of every readable example."""
    options = argparse.ArgumentParser(description="Score the parser against the examples' truth.")
    options.add_argument("--misses", action="store_true", help="say what was missed and what was made up")
    options.add_argument("--no-scans", action="store_true", help="leave out the scanned letters, which take longest")
    args = options.parse_args()
    totals: dict[str, dict[str, Tally]] = {}
    print(f"{'document':38}" + "".join(f"{name:>8}" for name in COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        for document in make_examples(Path(folder)).readable:
            if args.no_scans and document.scanned:
                continue
            parsed = parse_document(Path(folder) / document.file)
            scores, misses = score(document, parsed)
            print(_row(document.file, scores))
            for miss in misses if args.misses else ():
                print("    " + miss)
            total = totals.setdefault(document.language, {})
            for name, tally in scores.items():
                total[name] = total.get(name, Tally()).plus(tally)
    for language, total in totals.items():
        print(_row(f"all, {language}", total))
    return 0


def _row(name: str, scores: dict[str, Tally]) -> str:
    wide = sum(ord(c) >= 0x2E80 for c in name)  # a Han character takes two columns of a terminal
    cells = ["-" if scores.get(c, Tally()) == Tally() else f"{figure(c, scores[c]):.3f}" for c in COLUMNS]
    return f"{name:{38 - wide}}" + "".join(f"{cell:>8}" for cell in cells)


if __name__ == "__main__":
    sys.exit(main())

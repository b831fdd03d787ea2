"""Fails when a source file is longer than it should be: past 300 lines it is usually two ideas."""

import sys
from pathlib import Path

LIMIT = 320


def main() -> int:
    root = Path(__file__).parent.parent
    packages = ("schemas", "kg", "ingest", "recall", "h3bridge", "examples", "tests")
    files = [f for p in packages for f in sorted((root / p).rglob("*.py"))]
    long = [(f, n) for f in files if (n := len(f.read_text(encoding="utf-8").splitlines())) > LIMIT]
    for file, lines in long:
        print(f"{file.relative_to(root)}: {lines} lines, more than {LIMIT}: split it")
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main())

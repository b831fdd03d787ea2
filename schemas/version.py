"""`--version`, the same for every command."""

from __future__ import annotations

import argparse
from typing import Any


def add_version(parser: argparse.ArgumentParser) -> None:
    """Let a command say which version of the toolkit it belongs to."""
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")


class _Version(argparse.Action):
    """Looks the version up when it is asked for: that takes longer than a command needs to start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"{parser.prog} {version('h3cold')}")
        parser.exit(0)

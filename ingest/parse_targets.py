"""Where what many files say is written: one output a file, folders kept, no two on one name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from h3cold.schemas.errors import UsageError

ENDINGS = {"markdown": ".md", "json": ".json", "html": ".html", "csv": ".csv"}
"""Ending of a file's name by format."""


class Target(NamedTuple):
    """A PDF and the file that it becomes."""

    source: Path
    output: Path


def targets(sources: Sequence[str], folder: Path, ending: str) -> list[Target]:
    """The PDFs of files and folders (all that end in .pdf below these), each with its place under `folder`.

    A file that is missing is among them: reading it fails alone. Names that would meet are told apart by a number.

    Raises:
        UsageError: `folder` is a file, or there is no PDF in what was named.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder}: is a file; name a folder")
    out: list[Target] = []
    seen: set[Path] = set()
    taken: set[str] = set()
    for source, place in _placed(sources, folder):
        if source.absolute() in seen:
            continue
        seen.add(source.absolute())
        named = place.with_name(place.stem + ending)
        number = 2
        while str(named).casefold() in taken:
            named = place.with_name(f"{place.stem}-{number}{ending}")
            number += 1
        taken.add(str(named).casefold())
        out.append(Target(source, folder / named))
    if not out:
        raise UsageError(f"{', '.join(sources)}: no PDF in it")
    return out


def _placed(sources: Sequence[str], folder: Path) -> Iterator[tuple[Path, Path]]:
    """Each PDF with its path relative to what was named; what lies in `folder` itself is no source."""
    for name in sources:
        path = Path(name)
        if not path.is_dir():
            yield path, Path(path.name)
            continue
        for found in sorted(path.rglob("*")):
            if found.suffix.lower() == ".pdf" and found.is_file() and folder not in found.parents:
                yield found, found.relative_to(path)

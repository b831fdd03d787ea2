"""Title, company, period, date, kind and language of documents, as they are found and as they are."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from h3cold.ingest.generated.openings import openings
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.ingest.scores import Tally, indel, normalised
from h3cold.schemas.document import DocumentInfo

KNOWN = "known_details.json"
"""Truth by file name, read off the files by eye, in the form of `openings.Opening.truth`."""

FILINGS = ("ABMD_2012", "ADI_2009", "GS_2016", "inpixon_2019", "lifeway-foods-inc_2019", "viavi-solutions-inc_2019")
"""Annual reports whose file names say company and year."""

ALIKE = 0.92
"""Similarity from which a title is the true one; hyphens at ends of lines and marks of notes come and go."""

FIELDS: Mapping[str, Callable[[DocumentInfo], str]] = {
    "title": lambda info: info.title,
    "company": lambda info: info.company,
    "period": lambda info: info.period,
    "date": lambda info: info.date,
    "type": lambda info: info.doctype,
    "language": lambda info: info.language,
}
"""What is scored, and where it stands."""

Case = tuple[str, Path, str, Mapping[str, Sequence[str]]]
"""Group, file, language, and truth: field -> values each of which is right, "" among them where there is none."""


def details(data: Path) -> dict[str, float]:
    """Precision and recall of each field by group: `filings`, other `real` files by language, `made` ones by language.

    A value counts as found where it is right; one that is wrong counts against precision, and against recall too where
    there is a true one; of documents that have none any value is wrong. `..._files` says how many documents. OCR is
    off: what scans say is another matter.
    """
    out: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        tallies, files, _ = measured([*_real(data), *_made(Path(folder))])
    for group in files:
        out[f"{group}_files"] = files[group]
        for name in FIELDS:
            if tally := tallies.get((group, name)):
                out |= {f"{group}_{name}_precision": tally.precision, f"{group}_{name}_recall": tally.recall}
    return out


def measured(cases: Sequence[Case]) -> tuple[dict[tuple[str, str], Tally], dict[str, int], list[str]]:
    """Tallies by group and field, documents by group, and what was wrong, a line each."""
    tallies: dict[tuple[str, str], Tally] = {}
    files: dict[str, int] = {}
    wrong: list[str] = []
    for group, path, language, truth in cases:
        info = parse_document(path, options=ParseOptions(ocr="off", layout="fast")).info
        files[group] = files.get(group, 0) + 1
        for name, value_of in FIELDS.items():
            right = (language,) if name == "language" and language else truth.get(name)
            if right is None:
                continue
            found = value_of(info)
            tally = judged(name, found, right)
            tallies[group, name] = tallies.get((group, name), Tally()).plus(tally)
            if not tally.correct and (tally.found or tally.expected):
                wrong.append(f"{group} {path.name} {name}: {found!r}, not {' | '.join(right)!r}")
    return tallies, files, wrong


def judged(name: str, found: str, right: Sequence[str]) -> Tally:
    """A value that was found against those that are right; no value where one may be missing counts for nothing."""
    if not found:
        return Tally(0, 0, int("" not in right))
    fits = any(value and (_title(found, value) if name == "title" else _same(found, value)) for value in right)
    return Tally(int(fits), 1, int(fits or "" not in right))


def _title(found: str, value: str) -> bool:
    if "+" in value:
        return all(normalised(part) in normalised(found) for part in value.split("+"))
    return indel(normalised(found), normalised(value)) >= ALIKE


def _same(found: str, value: str) -> bool:
    return normalised(found).strip(".") == normalised(value).strip(".")


def _real(data: Path) -> Iterator[Case]:
    """The files of the data folder that the truth knows, those that are there."""
    known = json.loads((Path(__file__).parent / KNOWN).read_text(encoding="utf-8"))
    places = {path.name: path for path in sorted(data.rglob("*.pdf")) if path.name in known}
    for name, path in places.items():
        truth = {field: [value] if isinstance(value, str) else value for field, value in known[name].items()}
        language = truth.pop("language", [""])[0]
        group = "filings" if path.stem in FILINGS else f"real_{language or 'en'}"
        yield group, path, language, truth


def _made(folder: Path) -> Iterator[Case]:
    for opening in openings():
        path = folder / f"{opening.name}.pdf"
        path.write_bytes(opening.data)
        yield f"made_{opening.language}", path, opening.language, opening.truth

"""First pages of filings, contracts, judgments, papers and letters, of which it is known what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

from h3cold.ingest.generated import words
from h3cold.ingest.generated.lettering import Style
from h3cold.ingest.generated.typeset import Book, Sheet

EACH = 3
"""Documents of a kind, each with another company and year."""

_FIRMS = {
    "en": ("Larkspur Instruments, Inc.", "Borealis Grid Services plc", "Quillfeather Foods Corporation",
           "Harrowgate Shipping Limited", "Tansley Biologics, Inc.", "Fennimore Software Corp."),
    "zh": ("宁川安航仪器股份有限公司", "启衡电网服务有限公司", "云栖食品集团股份有限公司",
           "滨河远洋运输有限公司", "青禾生物科技股份有限公司", "岱山软件股份有限公司"),
}  # fmt: skip
_SUFFIX = re.compile(r",? (?:Inc\.|plc|Corporation|Limited|Corp\.)$|(?:集团)?(?:股份)?有限公司$")
_HAN = "〇一二三四五六七八九"


class Opening(NamedTuple):
    """A file's name and bytes, its language, and what is true of it: field -> values of which each is right.

    A title's value may be words, parted by "+", that it must all have. "" among the values means that it has none.
    """

    name: str
    data: bytes
    language: str
    truth: Mapping[str, tuple[str, ...]]


def openings() -> Iterator[Opening]:
    """All of them, the same on every run."""
    text = (Path(__file__).parent / "openings.txt").read_text(encoding="utf-8")
    blocks = re.split(r"^== ", text, flags=re.MULTILINE)[1:]
    for k, block in enumerate(blocks):
        head, *lines = block.splitlines()
        language, name = head.split()
        for seed in range(EACH):
            said = _said(language, Random(100 * k + seed))
            filled = [line.format_map(said) for line in lines if line]
            known = [line.partition(":") for line in filled if re.match(r"[a-z]+:", line)]
            truth = {field: tuple(v.strip() for v in value.split("|")) for field, _, value in known}
            page = [line for line in filled if not re.match(r"[a-z]+:", line)]
            yield Opening(f"{language}_{name}_{seed}", _set(page, language, Random(seed)), language, truth)


def _said(language: str, dice: Random) -> dict[str, str]:
    firm, other = dice.sample(_FIRMS[language], 2)
    year = dice.randrange(2012, 2023)
    han = "".join(_HAN[int(c)] for c in str(year)[2:])
    years = {"y": str(year), "y0": str(year - 1), "y1": str(year + 1), "y2": str(year + 2), "hy": han}
    return {"firm": firm, "other": other, "short": _SUFFIX.sub("", firm), "n": str(dice.randrange(100, 999)), **years}


def _set(lines: list[str], language: str, dice: Random) -> bytes:
    wide = "wide" in lines
    running = next((line[2:] for line in lines if line.startswith("^ ")), "")
    sheet = Sheet(
        _book(language, wide=wide), size=(720.0, 405.0) if wide else (595.0, 842.0),
        running=lambda number: (running, "" if wide else str(number)),
    )  # fmt: skip
    small = sheet.book.small
    for line in lines:
        mark, _, text = line.partition(" ")
        if mark == "---":
            sheet.open_page()
        elif mark == "...":
            for _ in range(2):
                sheet.text(words.paragraph(dice, words.vocabulary(language)))
        elif mark == "T":
            sheet.title(text)
        elif mark == "H":
            sheet.heading(text, 1)
        elif mark in ("C", "S", "P"):
            sheet.text(text, align="center" if mark == "C" else "left", style=small if mark == "S" else None)
    return sheet.finish(title="")[0]


def _book(language: str, *, wide: bool) -> Book:
    size = 18.0 if wide else 10.5
    if language == "zh":
        body = Style("cjk", size, 1.6 * size)
        bold = body._replace(heavy=True)
    else:
        body, bold = Style("tiro", size, 1.3 * size), Style("tibo", size, 1.3 * size)
    title = bold._replace(size=1.8 * size, leading=2.4 * size)
    head = bold._replace(size=1.3 * size, leading=1.9 * size)
    small = body._replace(size=0.8 * size, leading=1.1 * size)
    return Book(title=title, headings=(head,), body=body, small=small, table=small, table_head=small, running=small)

"""Single pages of plain text, to compare what OCR engines read without any question of layout."""

from __future__ import annotations

from random import Random

from h3cold.ingest.generated import words
from h3cold.ingest.generated.lettering import Style
from h3cold.ingest.generated.tabular import set_table
from h3cold.ingest.generated.typeset import Book, Sheet

KINDS = ("en", "zh", "mixed", "digits")


def sample(kind: str, *, seed: int = 1) -> tuple[bytes, str]:
    """One page as a PDF, and its text row by row: "en", "zh", "mixed" prose, or a table of "digits"."""
    rng = Random(seed)
    han = kind in ("zh", "mixed")
    body = Style("cjk", 10.5, 17) if han else Style("tiro" if seed % 2 else "helv", 10.5, 14)
    book = Book(
        title=body, headings=(body,), body=body, small=body, table=body._replace(size=9, leading=12),
        table_head=body._replace(size=9, leading=12), running=body, gap=6,
    )  # fmt: skip
    sheet = Sheet(book, size=(595.0, 500.0), margins=(60.0, 50.0, 60.0, 50.0))
    if kind == "digits":
        head = [words.LABELS["en"].item, *(str(year) for year in range(2018, 2023))]
        rows = [[rng.choice(words.ROWS["en"]), *(words.number(rng) for _ in range(5))] for _ in range(20)]
        set_table(sheet, [head, *rows], widths=(2, 1, 1, 1, 1, 1), aligns="lrrrrr", look="lines")
    while kind != "digits" and sheet.y < sheet.floor - 5 * body.leading:
        sheet.text(words.paragraph(rng, words.vocabulary(kind), most=3))
    data, pages = sheet.finish(title=kind)
    return data, "\n".join(region.words for region in pages[0].regions)

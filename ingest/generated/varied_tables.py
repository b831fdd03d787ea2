"""Tables of several kinds for the generated documents."""

from __future__ import annotations

from random import Random

from h3cold.ingest.generated import words
from h3cold.ingest.generated.tabular import Look, set_table
from h3cold.ingest.generated.typeset import Sheet
from h3cold.ingest.generated.words import Labels

LOOKS: tuple[Look, ...] = ("ruled", "lines", "statement")


def varied_table(sheet: Sheet, rng: Random, k: int, *, language: str, wide: bool) -> None:
    """Set table number `k`: its kind and look follow from that; in narrow columns it is a small one."""
    text = words.LABELS[language]
    what = rng.choice(words.vocabulary(language).lists["thing"])
    caption = text.table.format(k=k, what=what)
    names = rng.sample(words.ROWS[language], rng.randint(4, 9 if wide else 5))
    kind = k % 4 if wide else 0
    if kind == 1:
        _halves(sheet, rng, names, text, caption)
    elif kind == 2:
        _regions(sheet, rng, names, text, caption)
    else:
        _years(sheet, rng, names, text, caption, look=LOOKS[k % 3], count=3 if wide else 2, notes=kind == 3)


def _years(
    sheet: Sheet, rng: Random, names: list[str], text: Labels, caption: str, *, look: Look, count: int, notes: bool
) -> None:
    """A column for each year and a total below; with `notes` a column that is mostly empty."""
    years = [str(year) for year in range(2023 - count, 2023)]
    rows = [[text.item, *([text.note] if notes else []), *years]]
    for name in [*names, text.total]:
        note = [rng.choice(("", "", "4", "7(a)"))] if notes else []
        rows.append([name, *note, *(words.number(rng, digits=5 if count > 2 else 4) for _ in years)])
    widths = [2.2 if count > 2 else 1.5, *([0.7] if notes else []), *[1.0] * count]
    aligns = "l" + "c" * notes + "r" * count
    set_table(sheet, rows, widths=widths, aligns=aligns, look=look, totals=(len(rows) - 1,), caption=caption)


def _halves(sheet: Sheet, rng: Random, names: list[str], text: Labels, caption: str) -> None:
    """Two header rows, the upper one's cells over two columns each."""
    pair = [text.plan, text.actual]
    head = [[text.item, text.halves[0], "", text.halves[1], ""], ["", *pair, *pair]]
    rows = [[name, *(words.number(rng) for _ in range(4))] for name in names]
    spans = ((0, 0, 2, 1), (0, 1, 1, 2), (0, 3, 1, 2))
    set_table(sheet, [*head, *rows], widths=(2, 1, 1, 1, 1), aligns="lrrrr", head=2, spans=spans, caption=caption)


def _regions(sheet: Sheet, rng: Random, names: list[str], text: Labels, caption: str) -> None:
    """The first column's cells span the rows of one region each; kept on one page, as no cell may be cut."""
    rows = [[text.region, text.item, text.plan, text.actual]]
    spans = []
    for region in text.regions:
        spans.append((len(rows), 0, 2, 1))
        for i, name in enumerate(rng.sample(names, 2)):
            rows.append([region if i == 0 else "", name, words.number(rng), words.number(rng)])
    sheet.need(26.0 * (len(rows) + 2))
    set_table(sheet, rows, widths=(1, 2, 1, 1), aligns="llrr", spans=tuple(spans), caption=caption)

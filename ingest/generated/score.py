"""Scores of a parse against the exact truth, as tallies that add up over pages and documents.

`order` is the indel similarity of the body text in order (per page, weighted by length), `heads` the F1 of headings
and titles by text, `levels` the share of those found that stand on the right level, `run` the F1 of headers and
footers, `kinds` the share of the other regions' text that got the right kind, `teds` the tables' tree-edit
similarity, `cer` the share of wrong characters of scans, `info` the described fields that are right.
"""

from __future__ import annotations

import itertools
from collections import Counter

from h3cold.ingest.generated.truth import TruthDocument, TruthPage, TruthRegion, TruthTable
from h3cold.ingest.scores import Tally, edit_distance, indel, match_boxes, normalised, teds
from h3cold.schemas.document import DocumentInfo, ParsedDocument
from h3cold.schemas.page import FURNITURE, Cell, Page, Region, Table

HEADS = ("title", "heading")
F1S = ("heads", "run")
COLUMNS = ("order", "heads", "levels", "run", "kinds", "teds", "cer", "info")


def figure(name: str, tally: Tally) -> float:
    """The figure of a column: an F1 or a share of what is expected."""
    return tally.f1 if name in F1S else tally.recall


def score(document: TruthDocument, parsed: ParsedDocument) -> tuple[dict[str, Tally], list[str]]:
    """Tallies by column (see above; all but the F1s are shares of `expected`) and a line for each miss."""
    scores = {name: Tally() for name in COLUMNS}
    misses: list[str] = []
    for truth, page in zip(document.pages, parsed.pages, strict=True):
        found = page.regions
        _add(scores, "order", _order(truth, page))
        _add(scores, "run", _same(truth, found, ("header", "footer"), misses))
        _add(scores, "heads", _same(truth, found, HEADS, misses))
        _add(scores, "levels", _levels(truth, found, misses))
        _add(scores, "kinds", _kinds(truth, found, misses))
        _add(scores, "teds", _tables(truth, found, misses))
        if document.scanned:
            _add(scores, "cer", _errors(truth, page))
    _add(scores, "info", _described(document, parsed.info, misses))
    return scores, misses


def _add(scores: dict[str, Tally], name: str, tally: Tally) -> None:
    scores[name] = scores[name].plus(tally)


def _share(correct: float, expected: float) -> Tally:
    return Tally(correct, expected, expected)


def _order(truth: TruthPage, page: Page) -> Tally:
    told = _body(truth.regions)
    return _share(len(told) * indel(told, _body(page.regions)), len(told))


def _body(regions: tuple[TruthRegion, ...] | tuple[Region, ...]) -> str:
    """Text in order; figures' words have none, and a formula's are set in two dimensions."""
    left_out = {*FURNITURE, "figure", "formula"}
    return "".join(normalised(_words(r)) for r in regions if r.kind not in left_out)


def _words(region: TruthRegion | Region) -> str:
    if isinstance(region, TruthRegion):
        return region.words
    if region.table is None:
        return region.text
    return "\n".join(" ".join(cell for cell in row if cell) for row in region.table.grid())


def _same(truth: TruthPage, found: tuple[Region, ...], kinds: tuple[str, ...], misses: list[str]) -> Tally:
    told = Counter(normalised(r.text) for r in truth.regions if r.kind in kinds)
    ours = Counter(normalised(r.text) for r in found if r.kind in kinds)
    for a, b in itertools.pairwise([normalised(r.text) for r in truth.regions if r.kind in kinds]):
        if a + b in ours:  # a title set in two lines may come as one
            ours = ours - Counter([a + b]) + Counter([a, b])
    if "header" in kinds:  # a running line may come in two pieces or one
        told, ours = Counter(["".join(sorted(told.elements()))]), Counter(["".join(sorted(ours.elements()))])
        told, ours = +Counter({k: n for k, n in told.items() if k}), Counter({k: n for k, n in ours.items() if k})
    misses += [f"p{truth.number} missed {kinds[-1]}: {text[:70]}" for text in (told - ours)]
    misses += [f"p{truth.number} no {kinds[-1]}: {text[:70]}" for text in (ours - told)]
    return Tally((told & ours).total(), ours.total(), told.total())


def _levels(truth: TruthPage, found: tuple[Region, ...], misses: list[str]) -> Tally:
    """A title has no level; where only one side calls a line the title it counts as level 1."""
    ours = {normalised(r.text): r.level or 1 for r in found if r.kind in HEADS}
    told = [(r.text, r.level or 1) for r in truth.regions if r.kind in HEADS and normalised(r.text) in ours]
    wrong = [(text, level, ours[normalised(text)]) for text, level in told if ours[normalised(text)] != level]
    misses += [f"p{truth.number} level {ours_} for {level}: {text[:60]}" for text, level, ours_ in wrong]
    return _share(len(told) - len(wrong), len(told))


def _kinds(truth: TruthPage, found: tuple[Region, ...], misses: list[str]) -> Tally:
    by_kind: dict[str, str] = {
        k: "".join(normalised(_words(r)) for r in found if r.kind == k) for k in {r.kind for r in found}
    }
    right = total = 0
    for region in truth.regions:
        if region.kind in (*HEADS, *FURNITURE, "figure", "formula", "table"):
            continue
        for line in map(normalised, region.text.split("\n")):
            head = line.lstrip("-•")[:12]
            total += 1
            if head in by_kind.get(region.kind, ""):
                right += 1
            else:
                kinds = [k for k, text in by_kind.items() if head in text]
                misses.append(f"p{truth.number} {region.kind} became {'/'.join(kinds) or 'nothing'}: {line[:60]}")
    return _share(right, total)


def _tables(truth: TruthPage, found: tuple[Region, ...], misses: list[str]) -> Tally:
    told = [r for r in truth.regions if r.table is not None]
    ours = [r for r in found if r.table is not None]
    pairs = {j: i for i, j in match_boxes([r.bbox for r in ours], [r.bbox for r in told])}
    total = 0.0
    for j, region in enumerate(told):
        assert region.table is not None
        value = teds(ours[pairs[j]].table if j in pairs else None, table_of(region.table))
        total += value
        if value < 0.95:
            misses.append(f"p{truth.number} table {j + 1}: teds {value:.2f}")
    misses += [f"p{truth.number} no table: {_words(ours[i])[:60]!r}" for i in set(range(len(ours))) - {*pairs.values()}]
    return _share(total, max(len(told), len(ours)) if told or ours else 0)


def table_of(truth: TruthTable) -> Table:
    """A true table as ours are."""
    spans = {(r, c): (h, w) for r, c, h, w in truth.spans}
    covered = {(r + i, c + j) for r, c, h, w in truth.spans for i in range(h) for j in range(w)} - spans.keys()
    cells = [
        Cell(r, c, text, (0, 0, 0, 0), *spans.get((r, c), (1, 1)), header=r < truth.header_rows)
        for r, row in enumerate(truth.rows)
        for c, text in enumerate(row)
        if (r, c) not in covered
    ]
    return Table(len(truth.rows), len(truth.rows[0]), tuple(cells))


def _errors(truth: TruthPage, page: Page) -> Tally:
    """Characters as printed, running lines included, less the edit distance to what was read in reading order: blanks
    and the marks of list items do not count, full and half width do.
    """
    told, ours = (_printed("\n".join(map(_words, regions))) for regions in (truth.regions, page.regions))
    return _share(len(told) - edit_distance(told, ours), len(told))


def _printed(text: str) -> str:
    return "".join("".join(line.lstrip("-•").split()) for line in text.split("\n"))


def _described(document: TruthDocument, info: DocumentInfo, misses: list[str]) -> Tally:
    right = 0
    for name in ("title", "language", "company", "period", "doctype"):
        told, ours = getattr(document, name), getattr(info, name)
        same = normalised(told) == normalised(ours)
        right += same
        if not same:
            misses.append(f"{name}: {ours!r} for {told!r}")
    return _share(right, 5)

"""Questions at the left with their answers at the right: each question is read whole, then its answer.

Rows alone would put the answer into the midst of a question that has two lines. Where answers begin below each other
and no line reaches over that edge, the lines left of it are put together to questions; what stands beside a question
is its answer, wherever between its first and its last line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from h3cold.ingest.form_edges import EDGE, edges_of, ends_of, free_runs, pieces_of
from h3cold.ingest.lines import Row, line_text, make_row
from h3cold.ingest.order import LABEL
from h3cold.ingest.page_facts import Line
from h3cold.ingest.paragraphs import Paragraph, starts_item
from h3cold.ingest.script import is_cjk
from h3cold.schemas.geometry import union

TIGHT = 1.2
"""Distance of two lines of one question at most, as a multiple of the smallest one in the form."""

LOOSE = 1.75
"""Distance of two lines, in font sizes, from which they are never of one question."""

FREE = 5.0
"""Empty height between two entries of one form at most, in font sizes."""

CHOICE = 18.0
"""Length of a choice that stands by itself, in font sizes, at most: longer ones may be wrapped."""

LEAST = 0.6
"""Distance of two lines, in font sizes, at least."""

_WORD = re.compile(r"[^\W\d_]{2}|[\u4e00-\u9fff]")
_ASKS = (":", "：", "?", "？")


class Entry(NamedTuple):
    """A question and its answer, top to bottom each; either may be empty, not both."""

    question: list[Row]
    answer: list[Row]


class Form(NamedTuple):
    """Entries that take the place of the groups of lines `first`..`last`; `right` is where their column ends."""

    first: int
    last: int
    entries: list[Entry]
    right: float

    def rows(self) -> Iterator[list[Row]]:
        """What is to be read as one item each. Where a line of an answer had room for what stands below it, its lines
        are choices.
        """
        for question, answer in self.entries:
            item = [*question, *answer[:1]]
            room = [_had_room(above, below, self.right) for above, below in pairwise(answer)]
            for (above, below), ended in zip(pairwise(answer), room, strict=True):
                short = above.bbox[2] - above.bbox[0] < CHOICE * above.size and above.text[-1:] not in ",-、，"
                if ended or (any(room) and short and not below.text[:1].islower()):
                    yield item
                    item = []
                item.append(below)
            yield item


def find_forms(groups: Sequence[Sequence[Line]]) -> list[Form]:
    """The forms among the visual lines of a column, each given as its pieces from left to right."""
    if sum(len(group) > 1 for group in groups) < 2:
        return []
    pieces = [pieces_of(group) for group in groups]
    closed = [group[-1].bbox[2] for group in groups if not group[-1].text.endswith("  ")]
    right = max(closed, default=max(group[-1].bbox[2] for group in groups))
    taken = [False] * len(groups)
    out = _labelled(pieces, right)
    for form in out:
        taken[form.first : form.last + 1] = [True] * (form.last + 1 - form.first)
    edges = edges_of(pieces)
    ends = ends_of(pieces) if edges else []
    for edge in edges:
        for first, last in free_runs(ends, edge, taken):
            for form in _form(pieces, first, last, edge, right):
                out.append(form)
                taken[form.first : form.last + 1] = [True] * (form.last + 1 - form.first)
    return sorted(out)


def _labelled(pieces: Sequence[Sequence[Sequence[Line]]], right: float) -> list[Form]:
    """Lines that follow each other of which each holds values with their names, two on some of them, as forms."""
    out: list[Form] = []
    run: list[int] = []
    for k, row in enumerate([*pieces, []]):
        if row and all(_has_colon(p[0]) and LABEL.match(line_text(p[0])) for p in row):
            run.append(k)
            continue
        while run and len(pieces[run[-1]]) == 1:
            run.pop()
        while run and len(pieces[run[0]]) == 1:
            del run[0]
        if len(run) > 1:
            rows = [(make_row([line for p in pieces[i] for line in p])) for i in run]
            out.append(Form(run[0], run[-1], [Entry([r], []) for r in rows if r is not None], right))
        run = []
    return out


def _has_colon(line: Line) -> bool:
    """Whether there is a colon in a line, as behind a value's name."""
    return ":" in line.text or "：" in line.text


def outside(groups: Sequence[Sequence[Line]], forms: Sequence[Form]) -> Sequence[Sequence[Line]]:
    """The visual lines that are in none of the forms."""
    if not forms:
        return groups
    return [g for k, g in enumerate(groups) if not any(f.first <= k <= f.last for f in forms)]


def with_answers(paras: Sequence[Paragraph], forms: Sequence[Form]) -> list[Paragraph]:
    """The paragraphs around the forms with those of the forms at their places."""
    out = list(paras)
    if not forms:
        return out
    column = union([p.column for p in paras] + [r.bbox for f in forms for rows in f.rows() for r in rows])
    for form in forms:
        items = [Paragraph(rows, column, rows[0].size, answered=True) for rows in form.rows()]
        top = items[0].bbox[1]
        at = sum(p.bbox[1] + p.bbox[3] < 2 * top for p in out)
        out[at:at] = items
    return out


class _Found(NamedTuple):
    """An entry with the first and the last visual line of it."""

    first: int
    last: int
    entry: Entry


class _Side(NamedTuple):
    """A row of one side, with its visual line."""

    at: int
    row: Row


def _form(pieces: Sequence[Sequence[Sequence[Line]]], first: int, last: int, edge: float, right: float) -> list[Form]:
    while first < last and _stands_apart(pieces[first], pieces[last], edge):
        first += 1
    left, values = _sides(pieces, first, last, edge)
    if len(values) < 2 or len(left) < 2 or not _asks(left):
        return []
    if any(_step(a.row, b.row) < LEAST for side in (left, values) for a, b in pairwise(side)):
        return []  # pieces of one line at two heights
    starts = _starts(left, values, right)
    held = _held(left, starts, values)
    found: list[_Found] = []
    for n, (a, b) in enumerate(pairwise([*starts, len(left)])):
        lines = [*(left[i].at for i in range(a, b)), *(values[k].at for k in held[n])]
        entry = Entry([left[i].row for i in range(a, b)], [values[k].row for k in held[n]])
        found.append(_Found(min(lines), max(lines), entry))
    asked = [f.entry for f in found if f.entry.answer]
    tall = sum(len(question) > 1 or len(answer) > 1 for question, answer in asked)
    labels = sum(question[-1].text.endswith(_ASKS) or starts_item(question[0].text) for question, _ in asked)
    if len(asked) < 2 or (labels < 0.5 * len(asked) and len(asked) < 3):
        return []
    if not tall and (len(asked) < 3 or labels < 0.7 * len(asked)):
        return []
    return _together(found, right)


def _stands_apart(row: Sequence[Sequence[Line]], below: Sequence[Sequence[Line]], edge: float) -> bool:
    """Whether a line begins right of where answers do and is set in another size than they: a heading over a form."""
    line, size = row[0][0], below[0][0].size
    return len(row) == 1 and line.bbox[0] > edge + 2 * size and abs(line.size - size) > 0.1 * size


def _together(found: Sequence[_Found], right: float) -> list[Form]:
    """Entries that follow each other as one form; headings and remarks between them are none of it."""
    out: list[Form] = []
    run: list[_Found] = []
    for f in [*found, None]:
        if f is not None and _belongs(f.entry) and (not run or (f.first > run[-1].last and _near(run[-1], f))):
            run.append(f)
            continue
        while run and not run[-1].entry.answer:
            run.pop()
        while run and not run[0].entry.answer:
            del run[0]
        if run and not any(g.first <= run[-1].last and g.last >= run[0].first for g in found if g not in run):
            out.append(Form(run[0].first, run[-1].last, [g.entry for g in run], right))
        run = [f] if f is not None and _belongs(f.entry) else []
    return out


def _near(above: _Found, below: _Found) -> bool:
    """Whether two entries are of one size and not far apart."""
    a, b = [*above.entry.question, *above.entry.answer], [*below.entry.question, *below.entry.answer]
    size = a[0].size
    free = min(row.bbox[1] for row in b) - max(row.bbox[3] for row in a)
    return free < FREE * size and abs(b[0].size - size) < 0.2 * size


def _belongs(entry: Entry) -> bool:
    return bool(entry.answer) or entry.question[-1].text.endswith(_ASKS) or starts_item(entry.question[0].text)


def _sides(
    pieces: Sequence[Sequence[Sequence[Line]]], first: int, last: int, edge: float
) -> tuple[list[_Side], list[_Side]]:
    left: list[_Side] = []
    right: list[_Side] = []
    for k in range(first, last + 1):
        for side, beyond in ((left, False), (right, True)):
            own = [line for p in pieces[k] for line in p if (p[0].bbox[0] >= edge - EDGE) is beyond]
            row = make_row(own) if own else None
            if row is not None:
                side.append(_Side(k, row))
    return left, right


def _asks(left: Sequence[_Side]) -> bool:
    """Whether the left side is words, not numbers and bullets before what is right of them."""
    texts = [side.row.text for side in left]
    bare = sum(len(t) < 3 or not any(c.isalpha() for c in t[2:]) for t in texts)
    return bare <= 0.2 * len(texts)


def _starts(left: Sequence[_Side], values: Sequence[_Side], right: float) -> list[int]:
    """Indices of the rows that begin a question."""
    steps = [_step(a.row, b.row) for side in (left, values) for a, b in pairwise(side)]
    least = min((s for s in steps if s > 0.8), default=1.2)
    level = {v.at for v in values}
    edge = max(side.row.bbox[2] for side in left)
    fresh = {values[0].at}  # where an answer begins, not goes on
    for u, v in pairwise(values):
        wordless = not _WORD.search(u.row.text + v.row.text)
        if wordless or _step(u.row, v.row) > TIGHT * least or _had_room(u.row, v.row, right):
            fresh.add(v.at)
    out = [0]
    answered = left[0].at in level
    for i in range(1, len(left)):
        a, b = left[i - 1].row, left[i].row
        step, beside = _step(a, b), left[i].at in level
        begins = step > max(TIGHT * least, least + 0.15) or step > LOOSE or abs(a.size - b.size) > 0.1 * a.size
        begins = begins or (a.bold != b.bold and not beside) or starts_item(b.text)
        if not begins and beside:
            asked = a.text.endswith(_ASKS) and not b.text[:1].islower()
            goes_on = b.text[:1].islower() or not _had_room(a, b, edge)
            begins = asked or not goes_on or (answered and left[i].at in fresh)
        if begins:
            out.append(i)
            answered = False
        answered = answered or beside
    return out


def _step(above: Row, below: Row) -> float:
    return (below.baseline - above.baseline) / max(1.0, min(above.size, below.size))


def _had_room(above: Row, below: Row, edge: float) -> bool:
    """Whether the first word of a row had room at the end of the row above it."""
    letters = 1 if is_cjk(below.text[0]) else len(below.text.split()[0])
    wide = (below.bbox[2] - below.bbox[0]) * letters / max(1, len(below.text))
    return edge - above.bbox[2] > wide + 0.4 * above.size and not below.text[:1].islower()


def _held(left: Sequence[_Side], starts: Sequence[int], values: Sequence[_Side]) -> list[list[int]]:
    """For each question the indices of the rows that answer it."""
    spans = []
    for a, b in pairwise([*starts, len(left)]):
        spans.append((left[a].row.bbox[1], left[b - 1].row.bbox[3]))
    owner: list[int | None] = []
    for side in values:
        middle = (side.row.bbox[1] + side.row.bbox[3]) / 2
        owner.append(next((n for n, (top, foot) in enumerate(spans) if top <= middle <= foot), None))
    known = [k for k, own in enumerate(owner) if own is not None]
    for a, b in pairwise(known):  # what is between two answers belongs to that from which less space parts it
        gaps = [values[k + 1].row.bbox[1] - values[k].row.bbox[3] for k in range(a, b)]
        cut = max(range(len(gaps)), key=lambda k: (round(gaps[k]), k))
        owner[a : b + 1] = [owner[a]] * (cut + 1) + [owner[b]] * (b - a - cut)
    if known:
        owner[: known[0]] = [owner[known[0]]] * known[0]
        owner[known[-1] :] = [owner[known[-1]]] * (len(owner) - known[-1])
    owner = [0 if own is None else own for own in owner]
    return [[k for k, own in enumerate(owner) if own == n] for n in range(len(spans))]

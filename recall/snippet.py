"""What a terminal shows of a hit: a few lines, around what answers the question."""

from __future__ import annotations

import math
import re
import textwrap
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from h3cold.recall.understand import understand
from h3cold.schemas.hit import STEP, Answer, Hit

SNIPPET = 320
"""Letters of a passage."""

WIDTH, ROWS = 100, 8
"""Letters of a line and lines of a table."""

TOP, NEAR = 4, 1
"""Of a table whose answer stands further down: its first lines, and the lines before and behind that one."""

_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[^a-z\s])|(?<=[。！？；])\s*")


def snippet(hit: Hit, query: str) -> list[str]:
    """The lines to show: a passage from its start if that holds the sentence that says most of the question, else from
    that sentence on; of a table a row a line, its first ones and those around the row that answers."""
    if hit.table is not None and hit.text:
        return _of_table([" ".join(line.split()) for line in hit.text.splitlines()], hit.answer, query)
    shown = " ".join(hit.text.split())
    start = _start(shown, query) if len(shown) > SNIPPET else 0
    cut = ("… " if start else "") + shown[start : start + SNIPPET] + (" …" if len(shown) > start + SNIPPET else "")
    return textwrap.wrap(cut, WIDTH) or ["(no text; see the picture)"]


def _start(text: str, query: str) -> int:
    """Where the part that is shown begins: 0, or at the best sentence, sooner where what follows would fill no more."""
    at = [0, *(found.end() for found in _SENTENCE.finditer(text)), len(text)]
    parts = [text[a:b] for a, b in pairwise(at)]
    scores = _scores(parts, query)
    best = max(range(len(parts)), key=lambda i: (scores[i], -i))
    if at[best + 1] <= SNIPPET:
        return 0
    return next(a for a in at if a >= min(at[best], len(text) - SNIPPET))


def _of_table(rows: Sequence[str], answer: Answer | None, query: str) -> list[str]:
    best = _answering(rows, answer, query) if len(rows) > ROWS + 1 else 0
    if len(rows) <= ROWS + 1:
        shown = list(rows)
    elif best < ROWS:
        shown = [*rows[:ROWS], f"… ({len(rows) - ROWS} more lines)"]
    else:
        start, end = best - NEAR, min(best + NEAR + 1, len(rows))
        shown = [*rows[:TOP], f"… ({start - TOP} lines)", *rows[start:end]]
        shown += [f"… ({len(rows) - end} more lines)"] if end < len(rows) else []
    return [textwrap.shorten(row, WIDTH, placeholder=" …") for row in shown]


def _answering(rows: Sequence[str], answer: Answer | None, query: str) -> int:
    """The row with most of the answer's values, and its label; without an answer the one that says most."""
    if answer is None or not answer.row:
        scores = _scores(rows, query)
    else:
        own = answer.row.rpartition(STEP)[2]
        scores = [2 * sum(value in row for value in answer.values) + (own in row) for row in rows]
    return max(range(len(rows)), key=lambda i: (scores[i], -i))


def _scores(parts: Sequence[str], query: str) -> list[float]:
    """How much of the question each part says, words that few of them say weighing more."""
    from h3cold.ingest.tokens import lexical

    weights = dict(understand(query).terms)
    held = [frozenset(lexical(part)) & weights.keys() for part in parts]
    count = Counter(token for tokens in held for token in tokens)
    return [sum(weights[t] * math.log(1 + len(parts) / count[t]) for t in tokens) for tokens in held]

"""What makes a row of a table no answer: it says nothing that the question does not, or nothing of what is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from h3cold.recall.table_columns import Column, Sheet
from h3cold.recall.table_rows import Row
from h3cold.recall.understand import HAN, Question, tokens_of

_WHO = re.compile(r"\bwho\b|谁|哪位", re.IGNORECASE)


def telling(question: Question) -> frozenset[str]:
    """Words of a question that tell what of: no years, no names of documents."""
    return frozenset(question.words) - question.spent - {str(y) for y in question.years}


def speaks_of(said: frozenset[str], words: frozenset[str]) -> bool:
    """Whether caption and heads say any of a question's words; in another language that is not known."""
    abroad = any(map(HAN.search, said)) != any(map(HAN.search, words))
    return abroad or not said.isdisjoint(words)


def heads_a_column(said: frozenset[str], paths: Sequence[tuple[str, ...]]) -> bool:
    """Whether the heads of columns have one of these words."""
    return not said.isdisjoint(" ".join(step for path in paths for step in path).lower().split())


def says_no_more(told: Sequence[Column], sheet: Sheet, row: Row, question: Question) -> bool:
    """Whether all values but repeat what is asked, and the row's label is not what is asked for by its head."""
    words = frozenset(question.words)
    if not all(tokens_of(c.value) <= words for c in told if tokens_of(c.value)):
        return False
    if not any(tokens_of(c.value) for c in told):
        return False
    head = sheet.paths[row.col] if 0 <= row.col < len(sheet.paths) else ()
    asked = _WHO.search(question.text) or not tokens_of(" ".join(head)).isdisjoint(words)
    return tokens_of(row.label) <= words or not asked

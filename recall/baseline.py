"""What a user would take instead: BM25 over whole pages' plain text. For comparison in the same run only."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

_WORD = re.compile(r"[a-z0-9]+(?:\.\d+)?|[\u3400-\u9fff]")


class PageText(NamedTuple):
    """A page: path as the store names it, 1-based number, plain text."""

    source: str
    page: int
    text: str


class Bm25(NamedTuple):
    """Postings word -> (rows, term frequencies), and the length norm of each row."""

    postings: dict[str, tuple[np.ndarray, np.ndarray]]  # type: ignore[type-arg]
    norm: np.ndarray  # type: ignore[type-arg]


def words(text: str) -> list[str]:
    """Lower-case words and numbers; Han characters as character bigrams."""
    found = _WORD.findall(text.lower())
    out = [w for w in found if w.isascii()]
    out += [a + b for a, b in pairwise(found) if not a.isascii() and not b.isascii()]
    return out


def read_pages(root: Path, sources: Iterable[str]) -> list[PageText]:
    """Plain text of every page of these files."""
    import pymupdf

    out = []
    for source in sources:
        with pymupdf.open(root / source) as doc:
            out += [PageText(source, number, page.get_text()) for number, page in enumerate(doc, 1)]
    return out


def bm25(texts: Sequence[str], *, k1: float = 1.2, b: float = 0.75) -> Bm25:
    """Index `texts` (Robertson and Zaragoza, 2009, with their usual k1 and b)."""
    rows: defaultdict[str, list[int]] = defaultdict(list)
    counts: defaultdict[str, list[int]] = defaultdict(list)
    lengths = np.zeros(len(texts))
    for i, text in enumerate(texts):
        terms = Counter(words(text))
        lengths[i] = terms.total()
        for word, count in terms.items():
            rows[word].append(i)
            counts[word].append(count)
    norm = k1 * (1 - b + b * lengths / max(lengths.mean(), 1e-9)) if len(texts) else lengths
    return Bm25({w: (np.array(rows[w]), np.array(counts[w], float) * (k1 + 1)) for w in rows}, norm)


def rank(index: Bm25, query: str) -> list[int]:
    """Rows by falling score, those with no common word left out."""
    n = len(index.norm)
    scores = np.zeros(n)
    for word in set(words(query)):
        if word in index.postings:
            rows, counts = index.postings[word]
            idf = np.log(1 + (n - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += idf * counts / (counts / 2.2 + index.norm[rows])
    return [int(i) for i in np.argsort(-scores, kind="stable") if scores[i] > 0]

"""The index of words, opened: which blocks hold the question's words and how much they say, and what candidates say.

All of it works on numbers of tokens in mapped arrays (see `ingest/store/words.py`); no text is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from h3cold.ingest.store.words import FULL, Lists, find_token, taken
from h3cold.schemas.errors import CorruptionError

Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]

CHUNK = 256
"""Scores of which the best is taken, to find the best of all without sorting them."""

TOGETHER = 1 << 16
"""Words of bits that are compared at a time, when blocks are held against each other: they stay in the cache."""


ROUGH = 1 << 16
"""Kinds of tokens that are told apart at first, by a table that stays in the cache."""


class Words(NamedTuple):
    """The arrays of the index, and the numbers of tokens looked up so far."""

    vocabulary: Any
    token_at: Any
    tokens: Lists
    heads: Lists
    labels: Lists
    rows: Any
    rows_at: Any
    impacts: Any
    known: dict[str, int]


class Texts(NamedTuple):
    """What candidates hold of the words asked about: `place[word]` is a word's column.

    `present` [candidates, words]: in the text; `heads`: in headings or caption; `paired` [candidates, pairs]: whether
    the pairs of neighbouring words stand together.
    """

    place: Mapping[str, int]
    present: Bools
    heads: Bools
    paired: Bools


def open_words(arrays: Mapping[str, Any]) -> Words:
    """The part of the index's arrays that is about words."""
    tokens, heads, labels = (Lists(arrays[name], arrays[f"{name}_at"]) for name in ("tokens", "heads", "labels"))
    return Words(
        arrays["vocabulary"], arrays["token_at"], tokens, heads, labels, arrays["rows"], arrays["rows_at"],
        arrays["impacts"], {},
    )  # fmt: skip


def number_of(words: Words, token: str) -> int:
    """The number of a token, -1 if no block has it."""
    known = words.known.get(token)
    if known is None:
        known = words.known[token] = find_token(words.vocabulary, words.token_at, token)
    return known


def bm25(words: Words, terms: Sequence[tuple[str, float]]) -> Floats:
    """The score of every row [n] for the weighted `terms`: the sum over them of weight * idf * impact.

    idf is ln(1 + (n - df + 0.5) / (df + 0.5)). Impacts are kept in 255 steps, otherwise nothing is rounded or left out.

    Raises:
        CorruptionError: the index names rows that there are not.
    """
    n = len(words.tokens.at) - 1
    scores = np.zeros(n, np.float32)
    try:
        for token, weight in terms:
            number = number_of(words, token)
            if number > 0:
                start, end = words.rows_at[number : number + 2].tolist()
                held = end - start
                factor = np.float32(weight * np.log(1 + (n - held + 0.5) / (held + 0.5)) * FULL / 255)
                # Quicker than a sum by places, and no slower than SciPy, which takes 0.1 s to import.
                np.add.at(scores, words.rows[start:end], words.impacts[start:end] * factor)
    except IndexError as e:
        raise CorruptionError("the index of words is damaged; see h3-monitor --verify --repair") from e
    return scores


def best_rows(scores: Floats, *, limit: int, among: Bools | None = None) -> tuple[Ints, Floats]:
    """Rows and scores above 0, best first and the lower row first where they are the same, at most `limit`."""
    if among is not None:
        scores = scores * among
    whole = len(scores) // CHUNK
    rows = np.zeros(0, np.int64)
    if whole >= limit:  # so many chunks hold one as good as the limit-th best of their best ones
        chunks = scores[: whole * CHUNK].reshape(whole, CHUNK)
        tops = chunks.max(axis=1)
        least = np.partition(tops, whole - limit)[whole - limit]
        if least > 0:
            held = np.flatnonzero(tops >= least)
            of, place = np.nonzero(chunks[held] >= least)
            last = whole * CHUNK + np.flatnonzero(scores[whole * CHUNK :] >= least)
            rows = np.concatenate([held[of] * CHUNK + place, last])
    if not len(rows):
        rows = np.flatnonzero(scores > 0)
    found = scores[rows]
    if len(rows) > 4 * limit:
        kept = found >= np.partition(found, len(rows) - limit)[len(rows) - limit]
        rows, found = rows[kept], found[kept]
    order = np.argsort(-found, kind="stable")[:limit]
    return rows[order], found[order]


def read_texts(words: Words, rows: Ints, asked: Iterable[str], pairs: Sequence[tuple[str, str]]) -> Texts:
    """What the blocks of `rows` hold of the words `asked` and of the `pairs` of such words."""
    place = {word: i for i, word in enumerate(dict.fromkeys(asked))}
    numbers = np.array([number_of(words, word) for word in place], np.int64)
    order = np.argsort(numbers)
    order = order[numbers[order] > 0]
    at, column, of = _met(taken(words.tokens, rows), numbers[order], order)
    present = np.zeros((len(rows), len(place)), np.bool_)
    present[of, column] = True
    heads = np.zeros_like(present)
    _, head_column, head_of = _met(taken(words.heads, rows), numbers[order], order)
    heads[head_of, head_column] = True
    paired = np.zeros((len(rows), len(pairs)), np.bool_)
    together = np.flatnonzero((np.diff(at) == 1) & (of[:-1] == of[1:]))
    which = np.full((len(place), len(place)), -1, np.int64)
    for i, (a, b) in enumerate(pairs):
        which[place[a], place[b]] = i
    pair = which[column[together], column[together + 1]]
    paired[of[together[pair >= 0]], pair[pair >= 0]] = True
    return Texts(place, present, heads, paired)


def read_first(
    words: Words, rows: Iterable[int], asked: Iterable[str], pairs: Sequence[tuple[str, str]]
) -> tuple[Ints, Texts]:
    """`rows`, ascending, and what they hold, for `read_more`."""
    ordered = np.array(sorted(rows), np.int64)
    return ordered, read_texts(words, ordered, asked, pairs)


def read_more(
    words: Words, rows: Ints, asked: Iterable[str], pairs: Sequence[tuple[str, str]], known: tuple[Ints, Texts]
) -> Texts:
    """`read_texts` of `rows`, ascending, some of which are `known`: those rows and what they hold."""
    before, texts = known
    at = np.searchsorted(rows, before)
    kept = np.flatnonzero(rows[np.minimum(at, len(rows) - 1)] == before) if len(rows) else at[:0]
    new = np.delete(np.arange(len(rows)), at[kept])
    more = read_texts(words, rows[new], asked, pairs)

    def both(old: Bools, own: Bools) -> Bools:
        out = np.empty((len(rows), own.shape[1]), np.bool_)
        out[at[kept]], out[new] = old[kept], own
        return out

    return Texts(more.place, both(texts.present, more.present), both(texts.heads, more.heads),
                 both(texts.paired, more.paired))  # fmt: skip


def _met(lists: Lists, numbers: Ints, columns: Ints) -> tuple[Ints, Ints, Ints]:
    """Where the lists hold one of the `numbers` (ascending): the place, the number's column, and which list it is."""
    nothing = np.zeros(0, np.int64)
    if not len(numbers):
        return nothing, nothing, nothing
    rough = np.zeros(ROUGH, np.bool_)
    rough[numbers & (ROUGH - 1)] = True
    at = np.flatnonzero(rough.take(lists.flat & (ROUGH - 1)))  # few of all, with all that is looked for
    found = np.minimum(np.searchsorted(numbers, lists.flat[at]), len(numbers) - 1)
    good = numbers[found] == lists.flat[at]
    at, found = at[good], found[good]
    return at, columns[found], np.searchsorted(lists.at, at, side="right") - 1


def read_labels(words: Words, rows: Ints, asked: Iterable[str]) -> list[list[frozenset[str]]]:
    """Row labels of these tables that are made of words `asked` only, as sets of tokens."""
    known = {number: word for word in asked if (number := number_of(words, word)) > 0}
    lists = taken(words.labels, rows)
    ends = np.flatnonzero(lists.flat == 0)
    sought = np.array(sorted((0, *known)), np.int64)
    wanted = np.zeros(len(lists.flat), np.bool_)
    wanted[_met(lists, sought, sought)[0]] = True
    starts = np.concatenate([[0], ends[:-1] + 1])[: len(ends)]
    fits = np.add.reduceat(~wanted, starts) == 0 if len(ends) else np.zeros(0, np.bool_)
    of = np.searchsorted(lists.at, starts, side="right") - 1
    out: list[list[frozenset[str]]] = [[] for _ in rows]
    for place, start, end in zip(of[fits].tolist(), starts[fits].tolist(), ends[fits].tolist(), strict=True):
        out[place].append(frozenset(map(known.__getitem__, lists.flat[start:end].tolist())))
    return out


def alike(words: Words, rows: Ints, without: Sequence[Ints], *, share: float) -> Bools:
    """Which of the blocks say the same [rows, rows]: of all their tokens they share at least `share` (Jaccard).

    `without` are tokens of each one that do not count: of the document, which all its blocks carry.
    """
    n, tokens = len(rows), taken(words.tokens, rows)
    left_out = list(map(len, without))
    numbers, size = _numbered(np.concatenate([tokens.flat, *without]))
    matrix = np.zeros((n, -(-(size + 1) // 64) * 64), np.bool_)
    held, begins, flat = len(tokens.flat), np.arange(n) * matrix.shape[1], matrix.reshape(-1)
    flat[np.repeat(begins, np.diff(tokens.at)) + numbers[:held]] = True
    flat[np.repeat(begins, left_out) + numbers[held:]] = False
    bits = np.packbits(matrix, axis=1).view(np.uint64)  # counting bits takes one thread and less time than a product
    counts = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
    out = np.diag(counts > 0)
    # Who has much fewer tokens cannot share enough; of the forty best that leaves few pairs, or none.
    near = (counts[:, None] >= share * counts) & (counts >= share * counts[:, None]) & (counts > 0)
    first, second = np.nonzero(np.triu(near, 1))
    if not len(first):
        return out
    step = max(1, TOGETHER // bits.shape[1])
    both = np.concatenate([
        np.bitwise_count(bits[first[i : i + step]] & bits[second[i : i + step]]).sum(axis=1, dtype=np.int64)
        for i in range(0, len(first), step)
    ])  # fmt: skip
    same = both >= share * (counts[first] + counts[second] - both)
    out[first[same], second[same]] = out[second[same], first[same]] = True
    return out


def _numbered(tokens: Ints) -> tuple[Ints, int]:
    """The same number, from 0, for the same token, and how many there are; in no order, which sorting would cost."""
    rough = tokens & (ROUGH - 1)
    last = np.empty(ROUGH, np.int32)  # half as much to be found in the cache
    last[rough] = np.arange(len(tokens), dtype=np.int32)
    at = last[rough]  # the place of the last one that is taken for the same
    others = np.flatnonzero(tokens[at] != tokens)
    counted = np.zeros(len(tokens), np.int64)
    counted[at] = 1
    numbers = (np.cumsum(counted) - 1)[at]
    size = int(counted.sum())
    different, which = np.unique(tokens[others], return_inverse=True)
    numbers[others] = size + which
    return numbers, size + len(different)


def product(matrix: Any, vector: Any) -> Any:
    """`matrix @ vector` [rows], a row at a time, in this thread.

    A product by BLAS wakes a thread for each core. On two cores the other one then span for 19 ms a question, in the
    time of all that ran beside: the embedding of the question most of all.
    """
    return np.vecdot(matrix, vector)


def numbers_of(words: Words, tokens: Iterable[str]) -> Ints:
    """Numbers of those tokens that some block has."""
    numbers = (number_of(words, token) for token in tokens)
    return np.array([number for number in numbers if number > 0], np.int64)

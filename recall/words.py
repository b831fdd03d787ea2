"""The index of words, opened: which blocks hold the question's words and how much they say, and what candidates say.

All of it works on numbers of tokens in mapped arrays (see `ingest/store/words.py`); no text is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from h3cold.ingest.store.words import FULL, Lists, find_token, taken
from h3cold.schemas.errors import CorruptionError

Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]

CHUNK = 64
"""Scores of which the best is taken, to find the best of all without sorting them."""

MANY = 1 << 18
"""Rows from which SciPy adds up scores: that takes half the time, and importing it a quarter of a second."""

ROUGH = 1 << 16
"""Kinds of tokens that are told apart at first, by a table that stays in the cache."""


class Words(NamedTuple):
    """The arrays of the index, and the numbers of tokens looked up so far.

    `sound` are tokens whose rows were looked at: all there are. `spare` are scores of 0 for who asks next.
    """

    vocabulary: Any
    token_at: Any
    tokens: Lists
    heads: Lists
    labels: Lists
    rows: Any
    rows_at: Any
    impacts: Any
    known: dict[str, int]
    sound: set[int]
    spare: list[Floats]


class Texts(NamedTuple):
    """What candidates hold of the words asked about: `place[word]` is a word's column.

    `present` [candidates, words]: in the text; `heads`: in headings or caption; `paired` [candidates, pairs]: whether
    the pairs of neighbouring words stand together.
    """

    place: Mapping[str, int]
    present: Bools
    heads: Bools
    paired: Bools


class Sought(NamedTuple):
    """Words to look for: `place[word]` is a word's column, `numbers` are those known, ascending, with their `columns`.

    `pair[a, b]` is the column of a pair of words side by side, -1 where that is none of the `pairs` that are sought.
    """

    place: Mapping[str, int]
    numbers: Ints
    columns: Ints
    pair: Ints
    pairs: int


def open_words(arrays: Mapping[str, Any]) -> Words:
    """The part of the index's arrays that is about words."""
    if len(arrays["tokens_at"]) > MANY:
        quick_sum()  # imported now, not when somebody waits
    tokens, heads, labels = (Lists(arrays[name], arrays[f"{name}_at"]) for name in ("tokens", "heads", "labels"))
    return Words(
        arrays["vocabulary"], arrays["token_at"], tokens, heads, labels, arrays["rows"], arrays["rows_at"],
        arrays["impacts"], {}, set(), [],
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
    try:
        scores = words.spare.pop()
    except IndexError:
        scores = np.zeros(n, np.float32)
    add = quick_sum() if n >= MANY else _add
    for token, weight in terms:
        number = number_of(words, token)
        if number > 0:
            start, end = words.rows_at[number : number + 2].tolist()
            held, rows = end - start, words.rows[start:end]
            if number not in words.sound:  # what adds does not look
                if held and rows.view(np.uint32).max() >= n:
                    raise CorruptionError("the index of words is damaged; see h3-monitor --verify --repair")
                words.sound.add(number)
            factor = np.float32(weight * math.log(1 + (n - held + 0.5) / (held + 0.5)) * FULL / 255)
            add(scores, rows, words.impacts[start:end], factor)
    return scores


def done_with(words: Words, scores: Floats) -> None:
    """Make `scores` ready for who asks next: to get as many numbers of 0 takes longer than to set these to 0."""
    scores.fill(0)
    if not words.spare:
        words.spare.append(scores)


def _add(scores: Floats, rows: Ints, impacts: Any, factor: np.float32) -> None:
    np.add.at(scores, rows, impacts * factor)  # quicker than a sum by places


@cache
def quick_sum() -> Callable[[Floats, Ints, Any, np.float32], None]:
    """What adds to the scores of rows their impacts times a factor: SciPy's product with a sparse matrix, as it has it
    within; its public ones copy what they multiply.
    """
    try:
        matvec = import_module("scipy.sparse._sparsetools").csc_matvec
    except (ImportError, AttributeError):
        return _add

    def add(scores: Floats, rows: Ints, impacts: Any, factor: np.float32) -> None:
        ends = np.array([0, len(rows)], rows.dtype)
        matvec(len(scores), 1, ends, rows, impacts.astype(np.float32), np.array([factor]), scores)

    return add


def best_rows(scores: Floats, *, limit: int, among: Bools | None = None) -> tuple[Ints, Floats]:
    """Rows and scores above 0, best first and the lower row first where they are the same, at most `limit`."""
    if among is not None:
        scores = scores * among
    whole = len(scores) // CHUNK
    rows = np.zeros(0, np.int64)
    if whole >= limit:  # so many chunks hold one as good as the limit-th best of their best ones
        chunks = scores[: whole * CHUNK].reshape(CHUNK, whole)  # each a column: numpy is quickest along those
        tops = chunks.max(axis=0)
        least = np.partition(tops, whole - limit)[whole - limit]
        if least > 0:
            held = np.flatnonzero(tops >= least)
            place, of = np.divmod(np.flatnonzero(chunks[:, held] >= least), len(held))
            last = whole * CHUNK + np.flatnonzero(scores[whole * CHUNK :] >= least)
            rows = np.concatenate([place * whole + held[of], last])
    if not len(rows):
        rows = np.flatnonzero(scores > 0)
    found = scores[rows]
    if len(rows) > 4 * limit:
        kept = found >= np.partition(found, len(rows) - limit)[len(rows) - limit]
        rows, found = rows[kept], found[kept]
    order = np.argsort(-found, kind="stable")[:limit]
    return rows[order], found[order]


def look_up(words: Words, asked: Iterable[str], pairs: Sequence[tuple[str, str]]) -> Sought:
    """The words `asked`, and `pairs` of such words, as they are looked for in texts."""
    place = {word: i for i, word in enumerate(dict.fromkeys(asked))}
    numbers = np.array([number_of(words, word) for word in place], np.int64)
    order = np.argsort(numbers)
    order = order[numbers[order] > 0]
    pair = np.full((len(place), len(place)), -1, np.int64)
    for i, (a, b) in enumerate(pairs):
        pair[place[a], place[b]] = len(place) + i
    return Sought(place, numbers[order], order, pair, len(pairs))


def read_texts(words: Words, rows: Ints, sought: Sought) -> Texts:
    """What the blocks of `rows` hold of the words and pairs `sought`."""
    return _texts(_held(words, rows, sought), sought)


def read_first(words: Words, rows: Iterable[int], sought: Sought) -> tuple[Ints, Bools]:
    """`rows`, ascending, and what they hold, for `read_more`."""
    ordered = np.array(sorted(rows), np.int64)
    return ordered, _held(words, ordered, sought)


def read_more(words: Words, rows: Ints, sought: Sought, known: tuple[Ints, Bools]) -> Texts:
    """`read_texts` of `rows`, ascending, some of which are `known`: those rows and what they hold."""
    before, old = known
    at = np.searchsorted(rows, before)
    kept = np.flatnonzero(rows[np.minimum(at, len(rows) - 1)] == before) if len(rows) else at[:0]
    new = np.ones(len(rows), np.bool_)
    new[at[kept]] = False
    held = np.empty((2, len(rows), old.shape[2]), np.bool_)
    held[:, at[kept]], held[:, new] = old[:, kept], _held(words, rows[new], sought)
    return _texts(held, sought)


def _held(words: Words, rows: Ints, sought: Sought) -> Bools:
    """[text or headings, rows, words and pairs]: all at once, numpy takes as long for little as for much."""
    n, width = len(rows), len(sought.place)
    texts, heads = taken(words.tokens, rows), taken(words.heads, rows)
    both = Lists(np.concatenate([texts.flat, heads.flat]), np.concatenate([texts.at, texts.at[-1] + heads.at[1:]]))
    at, column, of = _met(both, sought.numbers, sought.columns)
    out = np.zeros((2 * n, width + sought.pairs), np.bool_)
    out[of, column] = True
    near = np.flatnonzero((at[1:] - at[:-1] == 1) & (of[1:] == of[:-1]))
    pair = sought.pair[column[near], column[near + 1]]
    out[of[near[pair >= 0]], pair[pair >= 0]] = True  # none of headings is looked at: their words are in no order
    return out.reshape(2, n, out.shape[1])


def _texts(held: Bools, sought: Sought) -> Texts:
    width = len(sought.place)
    return Texts(sought.place, held[0, :, :width], held[1, :, :width], held[0, :, width:])


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
    same: dict[bytes, frozenset[str]] = {}  # many tables have a row of the same label
    for place, start, end in zip(of[fits].tolist(), starts[fits].tolist(), ends[fits].tolist(), strict=True):
        label = lists.flat[start:end]
        if (key := label.tobytes()) not in same:
            same[key] = frozenset(map(known.__getitem__, label.tolist()))
        out[place].append(same[key])
    return out


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

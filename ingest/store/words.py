"""The index of words: every block's search tokens in order, and for each token the blocks that hold it.

Derived from the table `blocks`, one file a snapshot (`blocks.words`), mapped by whoever recalls. Row i belongs to the
i-th block in order of id, as in the vector index. Its arrays:

- of each row: `ids`, `keys` (what its words were read from, as a number), `document` (place in `documents`, the ids
  in order), `position`, `page`, `last_page`, `kind` and `language` (places in the notes of these names), `rowid`
  (Lance's), `group` (a number shared by the pieces of one split table, else -1), `blank` (neither text nor caption);
- `vocabulary`: the tokens in order of their UTF-8 bytes, end to end, token t from `token_at[t]` to `token_at[t + 1]`;
  token 0 is the empty one, a separator;
- `tokens`, `heads`, `labels`, those of row i from `tokens_at[i]` and so on: tokens of the searched text in order;
  tokens of headings and caption, each once, ascending; a table's row labels, each followed by the separator;
- `rows`, `impacts` from `rows_at[t]`: the rows that hold token t, ascending, and how much it says of them by BM25
  (Robertson & Zaragoza, 2009): tf (k1 + 1) / (tf + k1 (1 - b + b dl / average dl)), `FULL` / 255 to the unit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from blake3 import blake3

from h3cold.ingest.store.arrays import Array, map_arrays, write_arrays
from h3cold.ingest.store.checksums import Checksums
from h3cold.schemas.errors import StoreError

K1, B = 1.2, 0.75
FULL = K1 + 1
"""Impact that no term frequency reaches."""

LABEL_ROWS = 60
"""Rows of a table whose labels are kept."""

BATCH = 4096
_COLUMNS = ["id", "document", "position", "kind", "page", "pages", "language", "group", "digest", "text", "caption",
            "headings", "tokens_text"]  # fmt: skip
_LISTS = ("tokens", "heads", "labels")


class Lists(NamedTuple):
    """Lists of token numbers end to end: list i is `flat[at[i] : at[i + 1]]`."""

    flat: Array
    at: Array


def build_words_index(
    store: Path, blocks: Any, *, snapshot: int, former: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Index the words of the `blocks` dataset; returns role -> path below the store for the manifest.

    Blocks that are as they were in `former` (files by role of the snapshot before) are not read anew; the result is
    the same.

    Raises:
        StoreError: the file cannot be written.
    """
    relative = Path("index") / str(snapshot) / "blocks.words"
    arrays, notes = make_words(blocks, _former(store, former or {}))
    write_arrays(store / relative, arrays, notes)
    return {"blocks.words": relative.as_posix()}


def _former(store: Path, files: Mapping[str, str]) -> dict[str, Array] | None:
    if "blocks.words" not in files or not Checksums(store).hold([files["blocks.words"]]):
        return None
    try:
        return map_arrays(store / files["blocks.words"])[0]
    except StoreError:  # it is derived
        return None


def make_words(blocks: Any, former: Mapping[str, Array] | None = None) -> tuple[dict[str, Array], dict[str, Any]]:
    """Arrays and notes of the index of a `lance.LanceDataset` of blocks."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    separator = numbers[""]
    columns: dict[str, list[Any]] = defaultdict(list)
    lists = {name: _Growing() for name in _LISTS}
    known = {} if former is None else {key: row for row, key in enumerate(former["keys"].tolist())}
    old: list[int] = []
    for row in _read(blocks):
        key = row_key(row)
        _add_columns(columns, row, key)
        old.append(known.get(key, -1))
        if old[-1] < 0:
            number = numbers.__getitem__
            lists["tokens"].add(list(map(number, row["tokens_text"].split())))
            heads = {t for text in (*row["headings"], row["caption"]) for t in _tokens(text)}
            lists["heads"].add([number(t) for t in sorted(heads)])
            lists["labels"].add([n for label in _labels(row) for n in (*map(number, label), separator)])
        else:
            for growing in lists.values():
                growing.add(())
    order = np.argsort(np.array(columns["id"], dtype="S"), kind="stable")
    made = {name: growing.lists() for name, growing in lists.items()}
    if former is not None:
        made = _with_former(made, former, np.array(old, np.int64), numbers)
    made = {name: taken(found, order) for name, found in made.items()}
    vocabulary, renumbered = _vocabulary(numbers, made.values())
    made = {name: Lists(renumbered[found.flat], found.at) for name, found in made.items()}
    heads_at = made["heads"].at
    within = np.repeat(np.arange(len(order)), np.diff(heads_at))
    made["heads"] = Lists(made["heads"].flat[np.lexsort((made["heads"].flat, within))], heads_at)
    arrays, notes = _columns(columns, order)
    for name, found in made.items():
        arrays |= {name: found.flat, f"{name}_at": found.at}
    arrays |= _spelt(vocabulary)
    return arrays | _inverted(made["tokens"], len(vocabulary)), notes


def _read(blocks: Any) -> Iterator[dict[str, Any]]:
    scan = blocks.scanner(columns=_COLUMNS, with_row_id=True, batch_size=BATCH)
    for batch in scan.to_batches():
        yield from batch.to_pylist()


def row_key(row: Mapping[str, Any]) -> int:
    """A number for all that the words of a block are read from."""
    said = f"{row['digest']}\n{row['tokens_text']}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake3(said).digest(8), "little")


def _add_columns(columns: dict[str, list[Any]], row: Mapping[str, Any], key: int) -> None:
    for name in ("position", "page", "kind", "language", "group"):
        columns[name].append(row[name])
    columns["id"].append(row["id"].encode())
    columns["document"].append(row["document"].encode())
    columns["last_page"].append(row["pages"][-1])
    columns["rowid"].append(row["_rowid"])
    columns["key"].append(key)
    columns["blank"].append(not (row["text"] + row["caption"]).strip())


def _labels(row: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    if row["kind"] == "table":
        for line in row["text"].splitlines()[:LABEL_ROWS]:
            tokens = _tokens(line.partition(" | ")[0])
            if tokens:
                yield tokens


@lru_cache(maxsize=1 << 16)
def _tokens(text: str) -> tuple[str, ...]:
    from h3cold.ingest.tokens import lexical

    return tuple(dict.fromkeys(lexical(text)))


def tokens_of(arrays: Mapping[str, Array], row: int) -> list[str]:
    """The tokens of a row of the index, in order."""
    spelt, at = arrays["vocabulary"], arrays["token_at"]
    numbers = arrays["tokens"][arrays["tokens_at"][row] : arrays["tokens_at"][row + 1]].tolist()
    return [spelt[at[n] : at[n + 1]].tobytes().decode("utf-8", "surrogatepass") for n in numbers]


def rows_with(arrays: Mapping[str, Array], token: str) -> Array:
    """Rows of the index that hold a token, ascending."""
    number = find_token(arrays["vocabulary"], arrays["token_at"], token)
    return (
        arrays["rows"][arrays["rows_at"][number] : arrays["rows_at"][number + 1]] if number > 0 else arrays["rows"][:0]
    )


def find_token(vocabulary: Array, at: Array, token: str) -> int:
    """The number of a token, -1 if no block has it."""
    wanted = token.encode("utf-8", "surrogatepass")
    low, high = 0, len(at) - 1
    while low < high:
        middle = (low + high) // 2
        if vocabulary[at[middle] : at[middle + 1]].tobytes() < wanted:
            low = middle + 1
        else:
            high = middle
    found = low < len(at) - 1 and vocabulary[at[low] : at[low + 1]].tobytes() == wanted
    return low if found else -1


class _Growing:
    """Lists while they come in."""

    def __init__(self) -> None:
        self._parts: list[Array] = [np.zeros(0, np.int32)]
        self._flat: list[int] = []
        self._sizes: list[int] = []

    def add(self, numbers: Sequence[int]) -> None:
        self._flat.extend(numbers)
        self._sizes.append(len(numbers))
        if len(self._flat) > 1 << 20:  # as numbers of Python's, a token takes seven times as much
            self._parts.append(np.array(self._flat, np.int32))
            self._flat = []

    def lists(self) -> Lists:
        return Lists(np.concatenate([*self._parts, np.array(self._flat, np.int32)]), _ends(np.array(self._sizes)))


def _ends(sizes: Array) -> Array:
    at = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=at[1:])
    return at


def taken(lists: Lists, rows: Array) -> Lists:
    """The lists of `rows`, in that order."""
    starts = lists.at[rows]
    sizes = lists.at[rows + 1] - starts
    at = _ends(sizes)
    shift = starts - at[:-1]
    flat = np.empty(at[-1], lists.flat.dtype)
    for i in range(0, len(rows), 1 << 16):  # the places take twice as much memory as the numbers
        part = slice(i, i + (1 << 16))
        first, last = at[i], at[part.stop] if part.stop < len(at) else at[-1]
        places = np.repeat(shift[part], sizes[part])
        places += np.arange(first, last)
        flat[first:last] = lists.flat.take(places)
    return Lists(flat, at)


def _with_former(
    made: Mapping[str, Lists], former: Mapping[str, Array], old: Array, numbers: defaultdict[str, int]
) -> dict[str, Lists]:
    """`made`, the lists of rows that were there before (`old` is which one, -1 none) taken from where they stood."""
    then = {name: taken(Lists(former[name], former[f"{name}_at"]), old[old >= 0]) for name in _LISTS}
    used = np.zeros(len(former["token_at"]) - 1, np.bool_)
    for lists in then.values():
        used[lists.flat] = True
    now = np.full(len(used), -1, np.int32)
    spelt, at = former["vocabulary"].tobytes(), former["token_at"].tolist()
    for token in np.flatnonzero(used).tolist():
        now[token] = numbers[spelt[at[token] : at[token + 1]].decode("utf-8", "surrogatepass")]
    out = {}
    place = np.flatnonzero(old >= 0)
    for name, lists in then.items():
        both = Lists(
            np.concatenate([made[name].flat, now[lists.flat]]),
            np.concatenate([made[name].at, made[name].at[-1] + lists.at[1:]]),
        )
        which = np.arange(len(old))
        which[place] = len(old) + np.arange(len(place))
        out[name] = taken(both, which)
    return out


def _vocabulary(numbers: Mapping[str, int], lists: Iterable[Lists]) -> tuple[list[bytes], Array]:
    """Tokens that stand in the lists, in order, and the place of each number among them."""
    used = np.zeros(len(numbers), np.bool_)
    used[numbers[""]] = True
    for found in lists:
        used[found.flat] = True
    spelt = sorted(
        (token.encode("utf-8", "surrogatepass"), number) for token, number in numbers.items() if used[number]
    )
    renumbered = np.full(len(numbers), -1, np.int32)
    renumbered[[number for _, number in spelt]] = np.arange(len(spelt))
    return [token for token, _ in spelt], renumbered


def _spelt(vocabulary: Sequence[bytes]) -> dict[str, Array]:
    return {
        "vocabulary": np.frombuffer(b"".join(vocabulary), np.uint8),
        "token_at": _ends(np.array([len(token) for token in vocabulary])),
    }


def _columns(columns: Mapping[str, list[Any]], order: Array) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays of one value a row, and the notes."""
    documents, document = np.unique(np.array(columns["document"], dtype="S"), return_inverse=True)
    out = {"ids": np.array(columns["id"], dtype="S")[order], "keys": np.array(columns["key"], np.uint64)[order]}
    out |= {"documents": documents, "document": document.astype(np.int32)[order]}
    for name in ("position", "page", "last_page"):
        out[name] = np.array(columns[name], np.int32)[order]
    notes = {}
    for name in ("kind", "language"):
        notes[name] = sorted(set(columns[name]))
        place = {text: i for i, text in enumerate(notes[name])}
        out[name] = np.array([place[text] for text in columns[name]], np.int16)[order]
    out["rowid"] = np.array(columns["rowid"], np.int64)[order]
    groups: dict[str, int] = {"": -1}
    group = [groups.setdefault(columns["group"][i], len(groups) - 1) for i in order.tolist()]
    out["group"] = np.array(group, np.int32)
    out["blank"] = np.array(columns["blank"], np.bool_)[order]
    return out, notes


def _inverted(tokens: Lists, size: int) -> dict[str, Array]:
    """For each token of a vocabulary of `size` the rows that hold it, and its impact on each."""
    from scipy.sparse import csr_array

    n = len(tokens.at) - 1
    often = csr_array((np.ones(len(tokens.flat), np.uint16), tokens.flat.copy(), tokens.at.copy()), shape=(n, size))
    often.sum_duplicates()
    held = often.tocsc()
    held.sort_indices()
    lengths = np.diff(tokens.at).astype(np.float32)
    norm = K1 * (1 - B + B * lengths / max(float(lengths.mean()) if n else 0.0, 1.0))
    impacts = np.empty(held.nnz, np.uint8)
    for i in range(0, held.nnz, 1 << 22):
        tf = held.data[i : i + (1 << 22)].astype(np.float32)
        share = tf / (tf + norm[held.indices[i : i + (1 << 22)]])
        impacts[i : i + (1 << 22)] = np.clip(np.rint(share * 255), 1, 255)
    return {"rows": held.indices.astype(np.int32), "rows_at": held.indptr.astype(np.int64), "impacts": impacts}

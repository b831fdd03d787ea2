"""A dictionary that lies in arrays, so that it can be mapped from a file: keys in order of their UTF-8 bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
Array = np.ndarray[Any, Any]


def coded(text: str) -> bytes:
    """UTF-8, surrogates as they are."""
    return text.encode("utf-8", "surrogatepass")


def spelt(name: str, texts: Sequence[str]) -> dict[str, Array]:
    """`texts` end to end as `name` (u8), text i from `name_at[i]` to `name_at[i + 1]`."""
    every = [coded(text) for text in texts]
    return {name: np.frombuffer(b"".join(every), np.uint8), f"{name}_at": ends([len(text) for text in every])}


def ends(sizes: Sequence[int]) -> Array:
    """Where lists of these sizes begin and end when they stand end to end, int64 [n + 1]."""
    out = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(np.asarray(sizes, np.int64), out=out[1:])
    return out


def listed(name: str, lists: Sequence[Sequence[int]]) -> dict[str, Array]:
    """Lists of numbers end to end as `name` (int32) and `name_at`."""
    flat = [number for numbers in lists for number in numbers]
    return {name: np.array(flat, np.int32), f"{name}_at": ends([len(numbers) for numbers in lists])}


class Texts(Sequence[str]):
    """The texts that `spelt` laid down."""

    def __init__(self, arrays: Mapping[str, Array], name: str) -> None:
        self._flat, self._at = arrays[name], arrays[f"{name}_at"]

    def __len__(self) -> int:
        return len(self._at) - 1

    def __getitem__(self, row: Any) -> Any:
        return self.code(row).decode("utf-8", "surrogatepass")

    def code(self, row: int) -> bytes:
        """The text's bytes."""
        return bytes(self._flat[self._at[row] : self._at[row + 1]].tobytes())

    def row(self, text: str) -> int:
        """Place of a text, -1 where it is none of them; they must be in order of their bytes."""
        wanted, low, high = coded(text), 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.code(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self.code(low) == wanted else -1


class Spelt(Mapping[str, T]):
    """Texts in order of their bytes, with what the row of each stands for."""

    def __init__(self, texts: Texts, value: Callable[[int], T]) -> None:
        self._texts, self._value = texts, value

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._texts.row(key) >= 0

    def __getitem__(self, key: str) -> T:
        row = self._texts.row(key)
        if row < 0:
            raise KeyError(key)
        return self._value(row)

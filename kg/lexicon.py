"""Finds the names of a large list in a text, in time that does not grow with the list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")
PREFIX = 2


def wordlike(char: str) -> bool:
    """True for a letter or digit of a script that puts blanks between words."""
    return char.isalnum() and not "\u2e80" <= char <= "\u9fff" and not "\uf900" <= char <= "\ufaff"


class Lengths(Protocol):
    """Lengths of the names that begin with two characters, longest first; None where none does."""

    def get(self, prefix: str, /) -> list[int] | None:
        """The lengths."""


class Lexicon(Generic[T]):
    """Names (two characters or longer) with what they stand for; matching is exact, so fold both sides if need be."""

    def __init__(self, names: Mapping[str, T]) -> None:
        self.names: Mapping[str, T] = {name: value for name, value in names.items() if len(name) >= PREFIX}
        lengths: dict[str, set[int]] = {}
        for name in self.names:
            lengths.setdefault(name[:PREFIX], set()).add(len(name))
        self.lengths: Mapping[str, list[int]] | Lengths = {
            prefix: sorted(sizes, reverse=True) for prefix, sizes in lengths.items()
        }

    @classmethod
    def over(cls, names: Mapping[str, T], lengths: Lengths) -> Lexicon[T]:
        """A lexicon of names and lengths that were worked out before."""
        out: Lexicon[T] = cls({})
        out.names, out.lengths = names, lengths
        return out

    def __len__(self) -> int:
        return len(self.names)

    def find(self, text: str) -> Iterator[tuple[int, int, T]]:
        """Leftmost longest matches as (start, end, value); words of spaced scripts match whole only."""
        at, size = 0, len(text)
        while at < size - 1:
            sizes = self.lengths.get(text[at : at + PREFIX])
            end = 0
            if sizes and not (at and wordlike(text[at]) and wordlike(text[at - 1])):
                end = next((at + n for n in sizes if self._matches(text, at, at + n)), 0)
            if end:
                yield at, end, self.names[text[at:end]]
                at = end
            else:
                at += 1

    def _matches(self, text: str, start: int, end: int) -> bool:
        if end > len(text) or text[start:end] not in self.names:
            return False
        return end == len(text) or not (wordlike(text[end]) and wordlike(text[end - 1]))

"""Short names of listed and well-known Chinese companies, where the text's words do not speak against them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from h3cold.kg.lexicon import Lexicon
from h3cold.kg.names import read_lines

_SAFE = 4
"""Characters from which a listed name is hardly ever a part of other words."""
_ON = re.compile("(?:股份|集团|控股|国际)?公司|集团")
"""What a listed name may go on with."""
_MARKED = re.compile(r"(?<![A-Za-z])S?\*?ST(?=[\u4e00-\u9fff]{2})")
"""The mark that exchanges put before the name of a company with losses."""
_LONGEST = 4
"""Characters of a name behind that mark."""
_ENDS = ("v", "p", "d", "c", "u", "m", "t", "f", "w", "a")


@cache
def _lexicon() -> Lexicon[bool]:
    return Lexicon(dict.fromkeys(" ".join(read_lines("listed_zh.txt")).split(), True))


def known_names(text: str, words: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, int]]:
    """Places of listed names in a sentence of `text`, given as its words (start, end, class).

    中通 within 集中通过 is none: a short name begins and ends where words do.
    """
    if not words:
        return
    first, last = words[0][0], words[-1][1]
    starts, ends = {w[0] for w in words}, {w[1] for w in words}
    for a, b, _ in _lexicon().find(text[first:last]):
        start, end = a + first, b + first
        if end - start >= _SAFE or text[start:end].isascii() or (start in starts and end in ends):
            more = _ON.match(text, end, last)
            yield start, more.end() if more and more.end() in ends else end
    for mark in _MARKED.finditer(text, first, last):
        end = mark.end()
        for start, stop, flag in (w for w in words if w[1] > mark.end()):
            if stop - mark.end() > _LONGEST or (end - mark.end() >= 2 and flag.startswith(_ENDS)):
                break
            end = stop if start >= mark.end() else end
        if end - mark.end() >= 2:
            yield mark.end(), end


def is_known(name: str) -> bool:
    """True for a listed or well-known company's short name."""
    return name in _lexicon().names

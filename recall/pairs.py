"""Character pairs of a Chinese question that join two of its words: what search holds for words it may not know.

A name that the dictionary does not know falls into single characters, and its pairs are all that finds it. The pairs at
the seams of known words, or with a grammatical word in them, are chance, but rare enough to outweigh real words.
"""

from __future__ import annotations

from collections.abc import Sequence

_FIRST, _LAST = "\u3400", "\u9fff"
_GRAMMAR = frozenset(
    "的了是在和与及或之其于为以而也将对由被把从该等这那都就所有个又着什么哪谁几多少吗呢吧何怎样很最更还并且但因如若则此每各某"
)
"""Characters that mostly make grammar: particles, prepositions, conjunctions, words that ask."""


def seams(tokens: Sequence[str]) -> frozenset[str]:
    """Those of a text's search tokens that are pairs of characters across two words.

    Not those of two single characters, which could be part of a name, unless they make grammar.
    """
    from h3cold.ingest.han import dictionary

    pairs = [t for t in tokens if len(t) == 2 and _FIRST <= t[0] <= _LAST and _FIRST <= t[1] <= _LAST]
    if not pairs:
        return frozenset()
    known, words = dictionary(), set(tokens)
    longer = " ".join(t for t in words if len(t) > 2)

    def loose(pair: str) -> bool:
        if known.score(pair) or pair in longer:
            return False
        return not _GRAMMAR.isdisjoint(pair) or not (pair[0] in words and pair[1] in words)

    return frozenset(filter(loose, pairs))

"""Sentences that stand for a text: those whose words are its most frequent (SumBasic, Nenkova & Vanderwende, 2005).

Nothing is written anew, so nothing can be said that the document does not say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from h3cold.kg.sentences import sentences as parted

LEAF, MIDDLE, TOP = 160, 112, 640
"""Bytes of a summary: of a block, of a section or chapter, of a document."""

LEAVES, BRIEFEST = 128 << 10, 64
"""Bytes that all blocks of a document have, vectors and sentences, and what each sentence has of it at least."""

_WORDS = re.compile(r"[A-Za-z][A-Za-z'-]{3,}|[\u4e00-\u9fff]{2}")
SHORTEST = 20
MEANT = 0.4
"""Share of a sentence's letters that stand in words."""

_ENDED = re.compile(r"[.!?。！？；…][\"”’）」』)]{0,2}$")
_MARKS = re.compile(r"[□■☐☑☒√✓✔]|(?:[.…·] ?){3}.| \| |://")
"""Boxes of a form, dots of a table of contents, cells of a row, addresses of references."""
_LOWER = re.compile(r"\b[a-z]+\b")
_LINKS = frozenset(
    ("a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "per", "the", "to", "with")
)
"""Words in lower case that titles have, too."""
_HAN = re.compile(r"[\u4e00-\u9fff]")
LEAST_HAN = 8


def is_sentence(text: str) -> bool:
    """Whether a text is one that ends, and no title, line of a table of contents, unit or mark of a form."""
    if not _ENDED.search(text) or _MARKS.search(text):
        return False
    return len(_HAN.findall(text)) >= LEAST_HAN or not _LINKS.issuperset(_LOWER.findall(text))


def told(places: Iterable[int], sentences: Sequence[str], *, most: int) -> list[int]:
    """At most so many of these places, first come first served, in order: those of sentences where there are any."""
    said = [place for place in places if sentences[place]]
    real = [place for place in said if is_sentence(sentences[place])]
    return sorted((real or said)[:most])


def sentence_of(text: str, *, most: int = LEAF) -> str:
    """The sentence of a block that says most of what it is about, at most `most` bytes of it."""
    sentences = [line[a:b] for line in text.split("\n") for a, b in parted(line)]
    if not sentences:
        return ""
    words = [_words(s) for s in sentences]
    counts = Counter(w for own in words for w in own)
    whole = sum(counts.values()) or 1

    def weight(place: int) -> float:
        own = words[place]
        # A short one says little, and so do figures and the dots of a table of contents.
        known = len(sentences[place].encode()) >= SHORTEST and sum(map(len, own)) >= MEANT * len(sentences[place])
        real = known and is_sentence(sentences[place])
        return (sum(counts[w] for w in own) / (len(own) + 2) / whole if own else 0.0) + known + real

    best = max(range(len(sentences)), key=lambda i: (weight(i), -i))
    return cut(sentences[best], most)


def allowed(blocks: int, vector: int) -> int:
    """Bytes of a block's sentence in a document of so many, where a vector takes `vector` of them."""
    return min(LEAF, max(BRIEFEST, LEAVES // max(blocks, 1) - vector))


def gathered(sentences: Sequence[str], *, most: int) -> str:
    """As many of these sentences as `most` bytes take, each once, in their order."""
    out: list[str] = []
    left = most
    for sentence in dict.fromkeys(s for s in sentences if s):
        size = len(sentence.encode()) + 1
        if size > left and out:
            break
        out.append(cut(sentence, left))
        left -= size
        if left <= 0:
            break
    return " ".join(out)


def cut(text: str, most: int) -> str:
    """At most `most` bytes of a text, whole letters, marked where it was cut."""
    text = " ".join(text.split())
    data = text.encode()
    if len(data) <= most:
        return text
    return data[: max(most - 3, 0)].decode(errors="ignore").rstrip() + "…"


def _words(sentence: str) -> list[str]:
    return [w.lower() for w in _WORDS.findall(sentence)]

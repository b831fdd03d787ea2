"""Chinese firms by their words: which have a name of their own, and where it begins (江苏安靠光热…有限公司)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from h3cold.kg.context_zh import stop_words
from h3cold.kg.known_zh import is_known
from h3cold.kg.names import read_lines
from h3cold.kg.spans import Span
from h3cold.kg.words_zh import Word, tagger, wordlike_han

_FORM = re.compile(r"(?:集团|控股)?(?:股份|责任)?(?:有限责任|有限)公司$")
_PLAIN = re.compile(r"(?:集团|子|分|母|总)?公司$")
_NAMING = ("nr", "ns", "nt", "nz", "j", "eng", "x", "i", "l")
"""Classes of words that may be somebody's own."""
_LOOSE = ("p", "c", "u", "d", "r", "y", "m", "q", "t", "w")
"""Classes of words that stand before a name, not in it."""
_LEGAL = re.compile("(?:股份有限|有限责任|有限)公司")
_JOINING = re.compile(
    "(?:由|被|与|和|及|向|对|为|给|将|把|是|系|以|从|因|的|于|控股|持股|参股|收购|担保|起诉|诉|增资|投资|接受|受)+"
)
_LED_BY = re.compile("[\u4e00-\u9fff]{0,6}?(?<!自)[由被若](?=[\u4e00-\u9fff]{3,}有限)")
_BRAND = 4
"""Characters of a brand between a place and a line of business."""
_WIDEST = 12
"""Characters of the longest word that is looked for before a place in the text."""


def firm(text: str, span: Span, words: Mapping[int, Word]) -> Span | None:
    """The span with its firm's whole name; None for a legal form or 公司 with nothing of its own before it.

    Args:
        words: the words of the span's sentence by their starts. A span that ends in no 公司 comes back as it is.
    """
    form = _FORM.search(span.text) or _PLAIN.search(span.text)
    if span.type != "ORG" or form is None:
        return span
    legal = "有限" in form.group()
    head = span.text[: form.start()]
    parts = list(_inside(text, span.start, span.start + len(head), words))
    if not head or (is_known(head) or any(_own(word) for word in parts)):
        return _unless_place(span, head, legal)
    if not legal:
        return None
    start = _whole(text, span.start, words)
    if start < span.start:
        return span._replace(start=start, text=text[start : span.end], weight=span.weight + (span.start - start) / 100)
    return None if all(word in _industries() for word, _, _ in parts) else span


def apart(text: str, span: Span, words: Mapping[int, Word]) -> list[Span]:
    """A guess that runs over 及 as the names on both sides of it (沈高及新东北电气)."""
    known, start, out = tagger().dt.word_tag_tab, span.start, []
    for match in re.finditer("以及|及其|及", span.text[2:-2]):
        at = span.start + 2 + match.start()
        word = next((words[a] for a in range(at, at - _WIDEST, -1) if a in words), None)
        if word is not None and word[1] > at and (word[2] == "c" or text[word[0] : word[1]] not in known):
            out.append(span._replace(start=start, end=at, text=text[start:at]))
            start = at + len(match.group())
    return [*out, span._replace(start=start, text=text[start : span.end])]


def parted(span: Span) -> list[Span]:
    """A span that runs over the words between two firms, or from one into them, as those firms."""
    if span.type != "ORG" or "有限" not in span.text:
        return [span]
    out, start = [], 0
    if lead := _LED_BY.match(span.text):
        start = lead.end()
    for end in (m.end() for m in _LEGAL.finditer(span.text)):
        behind = _JOINING.match(span.text, end)
        if end == len(span.text) or behind is not None:
            at = span.start + start
            out.append(span._replace(start=at, end=span.start + end, text=span.text[start:end]))
            start = behind.end() if behind is not None else end
    if not out:
        return [span]
    return out if start == len(span.text) or _LEGAL.search(span.text, start) is None else [span]


@cache
def _industries() -> frozenset[str]:
    files = ("industries_zh.txt", "trades_zh.txt", "tails_zh.txt", "inside_zh.txt")
    return frozenset(w for file in files for line in read_lines(file) for w in line.split()) - {"兴业"}


@cache
def _places() -> frozenset[str]:
    return frozenset(n for line in read_lines("places.txt") for n in line.split("|"))


def _inside(text: str, start: int, end: int, words: Mapping[int, Word]) -> Iterator[tuple[str, str, bool]]:
    """(word, class, whether the dictionary has it) of a stretch; what no word begins is one by itself."""
    known = tagger().dt.word_tag_tab
    while start < end:
        _, stop, flag = words.get(start, (start, end, "x"))
        word = text[start : min(stop, end)]
        yield word, flag, word in known
        start = stop


def _own(part: tuple[str, str, bool]) -> bool:
    """True for a word that is more than a common one: it may be a firm's own."""
    word, flag, known = part
    if word in stop_words() or word in _industries():
        return False
    return flag.startswith(_NAMING) or is_known(word) or (not known and len(word) > 1)


def _unless_place(span: Span, head: str, legal: bool) -> Span | None:
    """中国公司, 上海子公司 name nobody: somebody's firm there."""
    return None if not head or (head in _places() and (not legal or len(head) < 2)) else span


def _whole(text: str, start: int, words: Mapping[int, Word]) -> int:
    """Where a firm's name begins that goes on to the left of its line of business: at its place, or its brand."""
    known, at, brand = tagger().dt.word_tag_tab, start, start
    while (word := _before(words, at)) is not None and start - word[0] <= _BRAND + 6:
        name = text[word[0] : word[1]]
        if not all(wordlike_han(c) for c in name) or name in stop_words() or word[2].startswith(_LOOSE):
            break
        at = word[0]
        if word[2] == "ns" or name in _places():
            return at
        if start - at > _BRAND or (name in known and word[2].startswith("v")):
            break
        brand = at if name not in known else brand
    return brand


def _before(words: Mapping[int, Word], place: int) -> Word | None:
    """The word that ends at a place of the text."""
    return next((words[a] for a in range(place - 1, place - _WIDEST, -1) if a in words and words[a][1] == place), None)

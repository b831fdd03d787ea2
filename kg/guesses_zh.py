"""Which of the Chinese model's guesses are names: jieba's words, its dictionary and the known names judge them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from h3cold.kg.context_zh import odd, stop_words
from h3cold.kg.known_zh import is_known
from h3cold.kg.spans import Span
from h3cold.kg.words_zh import Word, plausible_person, tagger, wordlike_han

_LEADS = ("p", "c", "d", "r", "m", "q", "t", "u", "y")
"""Word classes that no name begins with."""
_LONGER = 0.74
"""Weight of a name that begins with a known one (万达商管): more than that has."""
_AFTER = re.compile("(?:股权|股份|股票|方面|产品|品牌|旗下|系列|所有)$")
"""What the model takes with a name that it does not belong to."""
AGENCY_END = re.compile("[局厅委院署部关]$|委员会$|政府$")
_WIDEST = 12
"""Characters of the longest word that is looked for around a place."""


def sensible(text: str, span: Span, words: Mapping[int, Word]) -> Span | None:
    """The model's name without the small words before it; None for what common words make up or cut in two."""
    start, inside = span.start, []
    if tail := _AFTER.search(span.text, 2):
        span = span._replace(end=span.end - len(tail.group()), text=span.text[: tail.start()])
    while (word := words.get(start)) and (word[2].startswith(_LEADS) or text[start : word[1]] in stop_words()):
        start = word[1]
    at = start
    while at < span.end and (word := words.get(at)):
        inside.append(word)
        at = word[1]
    known = tagger().dt.word_tag_tab
    if at != span.end:
        # What cuts a word of the dictionary in two is no name; a word that the tagger made up may be cut.
        cut = _cut(words, start) or _cut(words, span.end)
        if cut is None or text[cut[0] : cut[1]] in known:
            return None
        if cut[2].startswith("nr") and plausible_person(text[cut[0] : cut[1]]):
            return Span(cut[0], cut[1], "PERSON", text[cut[0] : cut[1]], span.weight)
    name = text[start : span.end]
    if (
        len(name) < 2
        or name.isnumeric()
        or not name[-1].isalnum()
        or (name.isascii() and not _among_han(text, start, span.end))
    ):
        return None
    if span.type == "PERSON":
        return span if plausible_person(name) or "·" in name else None
    if plausible_person(name) and not is_known(name):
        return None  # a person whom the model takes for a firm
    if len(inside) == 1 and inside[0][2].startswith("nr") and not is_known(name):
        return None
    parts = [(text[a:b], f, text[a:b] in known) for a, b, f in inside]
    for index in range(1, len(inside)):
        # "老大万科": a known name behind common words is the name.
        if is_known(text[inside[index][0] : span.end]) and all(
            k and f in ("n", "v", "vn", "a", "b") for _, f, k in parts[:index]
        ):
            return None
    if at == span.end and not odd(parts):
        return None
    type = span.type if span.type != "AGENCY" or AGENCY_END.search(name) else "ORG"
    longer = any(is_known(name[:size]) for size in range(2, len(name)))
    return span._replace(start=start, text=name, type=type, weight=_LONGER if longer else span.weight)


def _cut(words: Mapping[int, Word], place: int) -> Word | None:
    """The word that goes on over a place of the text."""
    found = next((words[at] for at in range(place - 1, place - _WIDEST, -1) if at in words), None)
    return found if found is not None and found[1] > place else None


def _among_han(text: str, start: int, end: int) -> bool:
    """True for a foreign word of three letters or more within Chinese."""
    beside = (text[max(0, start - 1) : start] + text[end : end + 1]).strip("，。、；：,")
    return end - start >= 3 and all(wordlike_han(c) for c in beside)

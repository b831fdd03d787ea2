"""The last order of the best, once they are read: a table's answer has a say, and what says nothing stands behind."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import accumulate

from h3cold.recall.cells import amount
from h3cold.recall.hits import Chosen, Seen
from h3cold.recall.understand import Question, tokens_of
from h3cold.recall.unsaid import garbled
from h3cold.recall.wishes import asks_amount, states_amount

ANSWERING, LOOKED = 5, 8
"""Best candidates for a question about structure of which the answers count, and of which they do where row labels say
anything that is asked, too; however many hits are wanted."""

SPARED = 3
"""Best candidates that are looked at where the first ones say nothing."""

ANSWER_WEIGHT = 0.1
"""What a row and columns that say all of the question add to a table's score when hits are put in their last order."""

ANSWER_FLOOR = 0.35
"""Fit of an answer below which it says nothing: many a table has a row of one of the question's words."""

FIGURE = 100
"""Amount from which tables that answer with the same one tell of the same thing."""

AS_GOOD = 0.02
"""Of tables that answer with the same amounts, the shortest comes first where another is not better by more."""

WITHOUT_AMOUNT = 0.05
"""What a passage that states no amount is worth less where one is asked for."""

HEADED = 0.6
"""Share of a heading's words that a question must have to ask about what stands under it."""

_PUNCTUATION = re.compile(r"[(（]?\b\d{1,4}\b[)）]?|[\s.。,，;；:：\-–—□■√☐☑☒✓✔\[\]()（）]+")
_NOTHING = frozenset(
    ["", "notapplicable", "none", "n/a", "na", "nil", "reserved", "omitted", "不适用", "适用不适用", "是否", "无", "略"]
)
"""What a passage may say without saying anything."""

_LONGEST = max(map(len, _NOTHING))

BEGINNING = 160
"""Letters of a passage that are looked at first: nearly all say something there."""

Look = Callable[[Sequence[Chosen]], list[Seen]]


def in_last_order(chosen: Sequence[Chosen], look: Look, question: Question, top: int) -> list[tuple[Seen, float]]:
    """The best `top` of `chosen`, each with the score to show: its own, or that of a better one that stands behind it.

    What tables answer counts beside their worth, if it should (see `Chosen`), and where an amount is asked for, whether
    a passage states any. Those that say nothing, the likes of "Not applicable." under a heading that the question does
    not ask about, stand behind all others. Beyond the first `top`, only those are read that could come among them.
    """
    seen = look(chosen[:top])
    if len(chosen) > top:
        least = min(_sums(seen, question))  # an answer adds at most ANSWER_WEIGHT to what is worth less
        near = [c for c in chosen[top:] if c.worth + ANSWER_WEIGHT * c.answers > least]
        seen += look(near)
    empty = {one.pick.row for one in seen if not tells(one, question)}
    if empty and len(seen) < len(chosen):
        known = {one.pick.row: one for one in seen}
        more = look([c for c in chosen if c.row not in known])
        known |= {one.pick.row: one for one in more}
        empty |= {one.pick.row for one in more if not tells(one, question)}
        seen = [known[c.row] for c in chosen]
    sums = _sums(seen, question)
    order = [seen[i] for i in sorted(range(len(seen)), key=lambda i: (seen[i].pick.row in empty, -sums[i]))]
    shown = list(accumulate((one.pick.score for one in reversed(order)), max))[::-1]
    return list(zip(order[:top], shown, strict=False))


def _sums(seen: Sequence[Seen], question: Question) -> list[float]:
    """What each is worth with its answer, less where an amount is asked for and a passage states none."""
    sums = by_answers(seen)
    if question.kinds or not asks_amount(question.text):
        return sums
    return [worth - WITHOUT_AMOUNT * _lacks_amount(one) for one, worth in zip(seen, sums, strict=True)]


def by_answers(seen: Sequence[Seen]) -> list[float]:
    """What each is worth with its answer; the same figures in a document answer alike, whatever they are called.

    Where of tables with the same figures a shorter one is about as good as the best, they change places.
    """
    said = [(one.block.document, _figures(one)) for one in seen]
    best: dict[tuple[str, tuple[float, ...]], float] = {}
    for key, one in zip(said, seen, strict=True):
        best[key] = max(one.fit, best.get(key, 0.0))
    fits = [best[key] if key[1] else one.fit for key, one in zip(said, seen, strict=True)]
    sums = [
        one.pick.worth + ANSWER_WEIGHT * max(0.0, fit - ANSWER_FLOOR) / (1 - ANSWER_FLOOR) * one.pick.answers
        for one, fit in zip(seen, fits, strict=True)
    ]
    alike: defaultdict[tuple[str, tuple[float, ...]], list[int]] = defaultdict(list)
    for i, (key, one) in enumerate(zip(said, seen, strict=True)):
        if key[1] and one.pick.answers:
            alike[key].append(i)
    for group in alike.values():
        best_one = max(group, key=sums.__getitem__)
        short = _shortest(seen, [i for i in group if sums[i] > sums[best_one] - AS_GOOD], sums)
        sums[best_one], sums[short] = sums[short], sums[best_one]
    return sums


def _shortest(seen: Sequence[Seen], which: Sequence[int], sums: Sequence[float]) -> int:
    """The table that says the least of other things, the best of equals."""
    return min(which, key=lambda i: (len(seen[i].pick.parts), len(seen[i].text), -sums[i]))


def _lacks_amount(seen: Seen) -> bool:
    return seen.pick.answers and seen.block.kind == "passage" and not states_amount(seen.block.text)


def _figures(seen: Seen) -> tuple[float, ...]:
    """The amounts that a table answers with; none where they are so small that many a table has the like."""
    if seen.answer is None or seen.fit <= 0:
        return ()
    found = tuple(value for text in seen.answer.values if (value := amount(text)) is not None)
    return found if max(map(abs, found), default=0.0) >= FIGURE else ()


def tells(seen: Seen, question: Question) -> bool:
    """Whether a block says anything that the question may be after."""
    block = seen.block
    if garbled(block.text):
        return False
    if block.kind != "passage" or _says_something(block.captioned):
        return True
    asked = set(question.words) - question.spent
    headed = tokens_of(_PUNCTUATION.sub(" ", block.headings[-1])) - {"item", "part"} if block.headings else frozenset()
    return bool(headed) and (asked <= headed or len(asked & headed) >= HEADED * len(headed))


def _says_something(text: str) -> bool:
    if len(text) > BEGINNING and len(_PUNCTUATION.sub("", text[:BEGINNING])) > _LONGEST:
        return True
    return _PUNCTUATION.sub("", text).casefold() not in _NOTHING

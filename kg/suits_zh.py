"""Who sues whom in a Chinese sentence: courts are no parties, and those on one side do not sue each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from h3cold.kg.spans import Found, Span

_COURT = re.compile(r"(?:法院|法庭|仲裁委员会|仲裁委|仲裁院)$")
_BEFORE_COURT = r"(?:向|在|于|由|经|被|到|至)?"
_JOINED = re.compile(r"\s?(?:[、和与及同跟]|以及|及其|暨)\s?")
_SHORTENED = re.compile(
    r"[（(](?:以下)?(?:简称|下称)[“\"]?|(?:[（(](?:以下)?(?:简称|下称)[^（）()]{1,12})?[”\"]?[）)]、"
)
"""Between a name and its short form, and between that and the next name of a list."""
_VERSUS = re.compile(r"\s?[与和同跟]\s?")
_SUES = re.compile(r"起诉|状告|控告|指控|告上|提起诉讼|诉至|索赔|提起仲裁|申请仲裁|(?<![告投上胜败起])诉(?![求讼说称])")


def is_court(span: Span) -> bool:
    """True for a court or a court of arbitration: it hears a suit and is no party of it."""
    return _COURT.search(span.text) is not None


def without_courts(text: str, names: Sequence[Span]) -> str:
    """Words between two names without where the suit is heard ("向甲法院起诉" is "起诉")."""
    for name in names:
        if is_court(name):
            text = re.sub(_BEFORE_COURT + re.escape(name.text), "", text)
    return text


def without_joined(text: str) -> str:
    """Words behind a name without the masked names that are joined to it ("被甲、乙起诉")."""
    return re.sub(rf"^(?:{_JOINED.pattern}○)+", "", text)


def parties_of_suits(text: str, found: Sequence[Found], names: Sequence[Span]) -> Iterator[Found]:
    """The suits of a sentence, for each of those joined on either side, without those of one side against itself.

    Args:
        found: suits, each tied by the words between two names.
        names: the sentence's names without its courts, in order of place.
    """
    sides = {name: side for side in _sides(text, names) for name in side}
    suing = [f for f in found if sides[f.head] is not sides[f.tail] and _says_who(text, f, sides)]
    together = [side for f in suing for side in (sides[f.head], sides[f.tail])]
    for item in found:
        side = sides[item.head]
        if item in suing:
            yield from _each(item, side, sides[item.tail])
        elif side is not sides[item.tail]:
            yield item
        elif not any(side is one for one in together):
            one, other = _split(text, side)
            if not other:
                yield item
            elif item.head in one and item.tail in other:
                yield from _each(item, one, other)


def _each(item: Found, heads: Sequence[Span], tails: Sequence[Span]) -> Iterator[Found]:
    """A suit for each of the two sides; those whom the words tie only by "and" are less sure."""
    for head in heads:
        for tail in tails:
            less = 0.0 if (head, tail) == (item.head, item.tail) else 0.1
            start, end = min(item.start, head.start, tail.start), max(item.end, head.end, tail.end)
            yield item._replace(head=head, tail=tail, start=start, end=end, confidence=item.confidence - less)


def _says_who(text: str, item: Found, sides: Mapping[Span, Sequence[Span]]) -> bool:
    """True where a verb tells the one who sues from the one who is sued."""
    early, late = sorted((item.head, item.tail))
    joined = sides[late][-1].end - late.end  # what `without_joined` left out
    return _SUES.search(text, early.end, item.end + joined) is not None


def _sides(text: str, names: Sequence[Span]) -> list[list[Span]]:
    """Runs of names with nothing but "and" between them."""
    out: list[list[Span]] = []
    for name in names:
        gap = text[out[-1][-1].end : name.start] if out else ""
        if out and (_JOINED.fullmatch(gap) or _SHORTENED.fullmatch(gap)):
            out[-1].append(name)
        else:
            out.append([name])
    return out


def _split(text: str, side: Sequence[Span]) -> tuple[Sequence[Span], Sequence[Span]]:
    """ "甲、乙与丙、丁的纠纷": the two sides, where one word alone tells them apart; else all and none."""
    places = [i for i in range(1, len(side)) if _VERSUS.fullmatch(text[side[i - 1].end : side[i].start])]
    return (side[: places[0]], side[places[0] :]) if len(places) == 1 else (side, ())

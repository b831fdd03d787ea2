"""Who signs for a Chinese company, and as what: 法定代表人（签字）：王建国, 独立董事：甲、乙、丙."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from h3cold.kg.spans import Found, Span
from h3cold.kg.words_zh import OUTSIDERS, people, plausible_person

_SEAL = r"(?:\s?[（(](?:签字|签名|签章|盖章|签字或盖章|签字并盖章|公章)[)）]|签名|签字|签章)?"
_NAME = r"[\u4e00-\u9fff]{2,4}"
_GAP = re.compile(r"[ \u3000]*[、，,][ \u3000\n]*|[ \u3000\n]+|及|和")
_END = re.compile(r"(?![\u4e00-\u9fff：:（(])")
_OWNER = re.compile(r"(?:董事会|监事会|股东大会)?\s?(?:[（(](?:盖章|公章|签章)[)）])?\s*$")
_DATE_LINE = re.compile(r"\s*(?:日期\s?[:：]\s?)?$")
_CONTRACT = re.compile(r"合同|协议|甲方|乙方|出租方|承租方|出借人|借款人|转让方|受让方")


class SignedLine(NamedTuple):
    """An office and the places of those who sign under it."""

    office: str
    start: int
    names: tuple[tuple[int, int], ...]


@cache
def _lines() -> re.Pattern[str]:
    titles = "|".join(sorted((re.escape(t) for t in people()[1] if t not in OUTSIDERS), key=len, reverse=True))
    return re.compile(
        rf"(?:^|(?<=[\s。；;，,、]))(?:公司|本公司)?(?:全体)?(?P<o>(?:{titles})(?:[、兼及和](?:{titles}))*){_SEAL}\s?"
        rf"(?:[:：]|(?<=[)）名字章])(?=\s))\s*(?={_NAME})"
    )


def signed_lines(text: str) -> Iterator[SignedLine]:
    """The offices of a text that names follow behind a colon or a place for a seal."""
    if "：" not in text and ":" not in text and "签" not in text:
        return
    for match in _lines().finditer(text):
        names: list[tuple[int, int]] = []
        at = match.end()
        while len(names) < 30:
            end = _name_end(text, at)
            if not end:
                break
            names.append((at, end))
            gap = _GAP.match(text, end)
            if gap is None or gap.end() == end:
                break
            at = gap.end()
        if names:
            yield SignedLine(match.group("o"), match.start("o"), tuple(names))


def _name_end(text: str, at: int) -> int:
    """The end of the name that begins at a place and is followed by no other character of a word; 0 where none is."""
    for size in (4, 3, 2):
        piece = text[at : at + size]
        if (
            re.fullmatch(_NAME, piece)
            and len(piece) == size
            and _END.match(text, at + size)
            and plausible_person(piece)
        ):
            return 0 if piece in people()[1] else at + size
    return 0


def signatures_zh(
    text: str, spans: Sequence[Span], company: Span | None, headings: Sequence[str] = ()
) -> Iterator[Found]:
    """Officers by the lines that they sign: of the company on the line above, else of the document's own.

    Args:
        spans: of the whole text, in order of place.
        headings: of the text's block.
    """
    own = None if _CONTRACT.search(" ".join([text, *headings[-1:]])) else company
    lines = list(signed_lines(text))
    for index, line in enumerate(lines):
        owner = _above(text, spans, line.start) or own
        if owner is None:
            continue
        last = line.names[-1][1]
        stop = lines[index + 1].start if index + 1 < len(lines) else len(text)
        date = next((s for s in spans if s.type == "DATE" and last <= s.start <= last + 40), None)
        dated = date is not None and date.start < stop and _DATE_LINE.match(text[last : date.start])
        for start, end in line.names:
            person = Span(start, end, "PERSON", text[start:end])
            period = date.text if dated and date is not None else ""
            yield Found("officer_of", person, owner, line.start, end, 0.85, line.office, period)


def _above(text: str, spans: Sequence[Span], at: int) -> Span | None:
    """The company that has the nearest line above to itself."""
    for span in reversed([s for s in spans if s.type == "ORG" and s.end <= at and at - s.end < 120]):
        line = text.rfind("\n", 0, span.start) + 1
        rest = text[span.end :].split("\n", 1)[0]
        if not text[line : span.start].strip() and _OWNER.fullmatch(rest):
            return span
    return None

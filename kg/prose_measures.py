"""Key figures that a sentence states: "revenue of $1.2 billion in 2023", 实现营业收入12.6亿元."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from h3cold.kg.names import fold
from h3cold.kg.spans import Found, Span

_TIE_EN = re.compile(
    r"^(?:\s\([^()]{1,20}\))?(?:\s(?:for|in|during)\s(?:the\s)?[^,.;]{0,56}\d{4})?,?\s"
    r"(?:of|was|were|is|at|totall?ed|reached|amounted to|came to"
    r"|(?:increased|decreased|rose|fell|grew|declined|dropped)(?:\s\S{1,8}%)?\sto)"
    r"\s(?:approximately |about |nearly |a record |over |more than )?$"
)
_TIE_ZH = re.compile(
    r"^(?:[（(][^（）()]{1,12}[）)])?(?:合计|总额|总计|累计)?(?:约?为|达到?|约|是|实现|完成|[:：]|(?:增长?|上升|提升|提高|下降|下滑|降)(?:至|到))*(?:人民币)?$"
)
_RATIO = re.compile(r"率$|比$|\b(?:margin|ratio|turnover|rate|share)\b", re.IGNORECASE)
_TURNS = re.compile(r"^\s?(\d+(?:\.\d+)?\s?(?:次|倍|times\b|x\b))")
_BARE = re.compile(r"^(\d{1,3}\.\d{1,3})(?![\d%％]|,\d|\s?(?:%|percent|per cent|[百千万亿元]|[mb]illion|to\b|[:：]))")
"""A ratio told as a number alone."""
_NUMERIC = re.compile(r"比率$|周转率$|\b(?:ratio|turnover)$", re.IGNORECASE)
"""Measures that are told so."""
_WHOSE = re.compile(r"\s(?:of|for|at)\s(?:the\s)?")
_OPEN = re.compile(
    r"\b(?:must|minimum|require|at least|well-capitalized|expect|would|could|(?-i:may)|might|if|forecast|(?-i:target)"
    r"|guidance|project(?:s|ed)|assum|hypothetical|no assurance)"
    r"|预计|预期|目标|如果|若|假设|计划|力争|预测|不超过|有望|不低于|不得低于|最低",
    re.IGNORECASE,
)
_COMPARED = re.compile(r"\b(?:compared|versus|as against|up from|down from)\b|相比|同比|上年|较")
"""Behind these words a figure is of another period than the one said before."""
_PART = re.compile(
    r"\b(?:increase|decrease|decline|reduction|growth|change|fall|rise|drop|difference)s? (?:in|of)\s(?:[\w-]+\s){0,3}$"
    r"|\b(?:deferred|unearned|one-time|incremental|additional|segment|average|estimated|pro forma)\s(?:[\w-]+\s)?$",
    re.IGNORECASE,
)
"""Before a measure's name: what is told is a change or a part of it."""
_VAGUE = frozenset({"sales", "inventory", "inventories", "employees", "employee", "dividends per share"})
"""Names of measures that a sentence often uses for a part of them."""


def measures(text: str, spans: Sequence[Span], company: Span | None, *, chinese: bool) -> Iterator[Found]:
    """Measures with their values; the subject is the organisation named before, else the document's company.

    Args:
        spans: in order of place and in the sentence's coordinates, measures and values among them.
    """
    if _OPEN.search(text):
        return
    dates = [s for s in spans if s.type == "DATE"]
    plain = _undated(text, dates)
    for index, measure in enumerate(spans):
        if measure.type != "MEASURE" or fold(measure.text) in _VAGUE or _PART.search(text[: measure.start]):
            continue
        ratio = _RATIO.search(measure.text) is not None
        # "Gross margin of Halden was 34.5%": whose it is stands behind it.
        owner = next((s for s in spans[index + 1 : index + 2] if s.type == "ORG"), None)
        if owner is not None and not _WHOSE.fullmatch(text[measure.end : owner.start]):
            owner = None
        after_it = index + 1 + (owner is not None)
        near, behind = spans[after_it : after_it + 3], (owner or measure).end
        value, end = _value(plain, near, measure, behind, chinese=chinese, ratio=ratio)
        orgs = [s for s in spans[:index] if s.type == "ORG" and not any(c.isdigit() for c in s.text)]
        subject = owner or (orgs[-1] if orgs else company)
        if value and subject is not None:
            inside = [d for d in dates if measure.end <= d.start and d.end <= end]
            after = [d for d in dates if 0 <= d.start - end <= (24 if len(dates) == 1 else 9)]
            before = [d for d in dates if d.end <= measure.start]
            before = before[-1:] if chinese or len(dates) == 1 else []
            before = [d for d in before if not _COMPARED.search(text[d.end : measure.start])]
            period = (inside[:1] or after[:1] or before)[:1]
            start = min(measure.start, subject.start) if orgs and owner is None else measure.start
            yield Found("measure_of", subject, measure, start, end, 0.65, value, period[0].text if period else "")


def _undated(text: str, dates: Sequence[Span]) -> str:
    """The text with each date or period that has a comma or blank as a year of its length."""
    for one in dates:
        text = text[: one.start] + "x" * (len(one.text) - 4) + "2000"[-len(one.text) :] + text[one.end :]
    return text


def _value(
    text: str, following: Sequence[Span], measure: Span, behind: int, *, chinese: bool, ratio: bool
) -> tuple[str, int]:
    """The value that a tie joins to what ends at `behind`, and its end."""
    tie = _TIE_ZH if chinese else _TIE_EN
    for one in following:
        fits = one.type == ("PERCENT" if ratio else "MONEY")
        if fits and tie.match(text[behind : one.start]):
            return one.text, one.end
    first = re.search(r"\d", text[behind : behind + 24]) if ratio else None
    if first is not None and tie.match(text[behind : behind + first.start()]):
        at = behind + first.start()
        found = _TURNS.match(text[at:]) or (_BARE.match(text[at:]) if _NUMERIC.search(measure.text) else None)
        if found:
            return found.group(1), at + found.end()
    return "", 0

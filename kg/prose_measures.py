"""Key figures that a sentence states: "revenue of $1.2 billion in 2023", 实现营业收入12.6亿元."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from h3cold.kg.names import fold
from h3cold.kg.spans import Found, Span

_TIE_EN = re.compile(
    r"^(?:\s\([^()]{1,20}\))?(?:\s(?:for|in|during)\s(?:the\s)?[^,.;]{0,24}\d{4})?,?\s"
    r"(?:of|was|were|is|at|totall?ed|reached|amounted to|came to"
    r"|(?:increased|decreased|rose|fell|grew|declined|dropped)(?:\s\S{1,8}%)?\sto)"
    r"\s(?:approximately |about |nearly |a record |over |more than )?$"
)
_TIE_ZH = re.compile(
    r"^(?:[（(][^（）()]{1,12}[）)])?(?:合计|总额|总计|累计)?(?:约?为|达到?|约|是|实现|完成|[:：]|(?:增长?|上升|提升|提高|下降|下滑|降)(?:至|到))*(?:人民币)?$"
)
_RATIO = re.compile(r"率$|比$|\b(?:margin|ratio|turnover|rate|share)\b", re.IGNORECASE)
_TURNS = re.compile(r"^\s?(\d+(?:\.\d+)?\s?(?:次|times\b))")
_OPEN = re.compile(
    r"\b(?:must|minimum|require|at least|well-capitalized|expect|would|could|may|might|if|forecast|target"
    r"|guidance|project(?:s|ed)|assum|hypothetical|no assurance)"
    r"|预计|预期|目标|如果|若|假设|计划|力争|预测|不超过|有望|不低于|不得低于|最低",
    re.IGNORECASE,
)
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
    for index, measure in enumerate(spans):
        if measure.type != "MEASURE" or fold(measure.text) in _VAGUE or _PART.search(text[: measure.start]):
            continue
        ratio = _RATIO.search(measure.text) is not None
        value, end = _value(text, spans[index + 1 : index + 4], measure, chinese=chinese, ratio=ratio)
        orgs = [s for s in spans[:index] if s.type == "ORG" and not any(c.isdigit() for c in s.text)]
        subject = orgs[-1] if orgs else company
        if value and subject is not None:
            inside = [d for d in dates if measure.end <= d.start and d.end <= end]
            after = [d for d in dates if 0 <= d.start - end <= (24 if len(dates) == 1 else 9)]
            before = [d for d in dates if d.end <= measure.start]
            before = before[-1:] if chinese or len(dates) == 1 else []
            period = (inside[:1] or after[:1] or before)[:1]
            start = min(measure.start, subject.start) if orgs else measure.start
            yield Found("measure_of", subject, measure, start, end, 0.65, value, period[0].text if period else "")


def _value(text: str, following: Sequence[Span], measure: Span, *, chinese: bool, ratio: bool) -> tuple[str, int]:
    tie = _TIE_ZH if chinese else _TIE_EN
    for one in following:
        fits = one.type == ("PERCENT" if ratio else "MONEY")
        if fits and tie.match(text[measure.end : one.start]):
            return one.text, one.end
    if ratio:
        for match in re.finditer(r"\d", text[measure.end : measure.end + 24]):
            at = measure.end + match.start()
            turns = _TURNS.match(text[at:])
            if turns and tie.match(text[measure.end : at]):
                return turns.group(1), at + turns.end()
            break
    return "", 0

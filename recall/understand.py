"""What a question says about what it wants: periods, document types, numbers, terms and their synonyms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from h3cold.recall.glossary import Concept, concepts, singular
from h3cold.recall.pairs import seams
from h3cold.recall.periods import Period, find_periods, without_wording
from h3cold.recall.places import named_pages, named_parts, without_pages
from h3cold.recall.relative import Now

HAN = re.compile(r"[\u3400-\u9fff]")
TERMS = 64
"""Search tokens of a question that are used, at most; and as many of its synonyms."""

SYNONYM = 0.35
"""Weight of a synonym's token beside 1 for a token of the question itself."""

SPENT = 0.3
"""What a word weighs in the word search once it has named documents or periods."""

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])")
_EMPTY_WORDS = frozenset(
    re.findall(
        r"\S+",
        """
    what which who whom whose where when why how much mani doe did do is are was were be been the a an of in on for to
    from and or by with at as it this that these those there has have had can could should would will may pleas show
    give me tell find list us our we you your i my ani between dure per each respect vs versus
    什么 多少 哪些 哪个 哪家 哪里 如何 怎么 怎样 是否 是 的 了 在 和 与 及 吗 呢 有 请 为 为何 为什么 几 分别
    谁 哪 哪儿 哪位 哪种 哪年 哪一 哪一年 哪几 哪天 哪两 哪项 哪座 何时 何地 何处 何人 何年 何种 何月 时候
    请问 问 告诉 告知 知道 想 一下 查 查询 查找 帮 帮忙 麻烦 谢谢
    几个 几座 几项 几年 几次 几名 几位 几种 几人 多大 多长 多久 多高 多远 多深 多重
        """,
    )
)
"""Search tokens (stems) that ask, and say nothing of what is asked for."""

_WORKED_OUT = frozenset(("percentag", "percent", "differ", "gap", "chang", "compar", "相比", "对比", "比较", "变化"))
"""Search tokens for what is worked out from figures: where these stand it is seldom said."""

_HOW_MUCH = re.compile(r"\bhow (?:much|many)\b|\bby what\b|\bpercent|多少|百分|几个|[几多]大|幅度", re.IGNORECASE)
_TRENDS = frozenset(
    ("increas", "decreas", "declin", "grow", "growth", "grew", "fell", "fall", "rise", "rose", "drop",
     "同比", "环比", "下降", "上升", "增长", "减少", "增加", "增减", "下滑", "上涨")
)  # fmt: skip
"""Search tokens for what became of a figure: where it is asked how much, tables have the figures and not these."""

_CHANGES = ("增减", "变动", "chang")
"""Search tokens of heads under which tables say how much."""

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "table",
        re.compile(
            r"\btables?\b|\b(?:balance sheet|(?:income|cash[- ]flow|earnings) statement|profit and loss account)s?\b"
            r"|\bstatements? of (?:comprehensive |consolidated )?(?:income|operations|earnings|cash flows"
            r"|financial (?:position|condition)|(?:changes in )?(?:share|stock)holders[’']? equity)\b"
            r"|表格|[一-鿿]表(?=\W|$|的|中)|附表",
            re.IGNORECASE,
        ),
    ),
    (
        "figure",
        re.compile(r"\b(?:figures?|fig\.|charts?|graphs?|diagrams?|maps?|plots?)\b|图(?!书|灵|谋)", re.IGNORECASE),
    ),
    ("formula", re.compile(r"\b(?:formulas?|formulae|equations?|eq\.)(?=\W|$)|公式|方程", re.IGNORECASE)),
)
_KIND_WORDS = re.compile(
    r"\b(?:(?:bar|pie|line|column|area|stacked|scatter|flow)[\s-]*)?"
    r"(?:tables?|figures?|fig\.|charts?|graphs?|diagrams?|plots?)(?!\w)"
    r"|(?:柱状|条形|饼状?|折线|曲线|走势|散点|示意|流程)图|(?:一览|明细|统计)[图表]|图[表片]|表格|的[图表](?=\W|$)",
    re.IGNORECASE,
)
"""Words for kinds of blocks: they say what to look for, not about what."""

_DOCTYPES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("10-K", r"\b10-?K\b|annual report|年报|年度报告"),
        ("10-Q", r"\b10-?Q\b|quarterly report|季报|季度报告"),
        ("interim report", r"interim report|half[- ]year(?:ly)? report|半年报|半年度报告|中期报告|中报"),
        ("8-K", r"\b8-?K\b|current report"),
        ("proxy statement", r"proxy statement|DEF ?14A|委托书"),
        ("prospectus", r"prospectus|offering (?:circular|memorandum)|招股(?:说明)?书|募集说明书"),
        ("contract", r"\bcontract\b|\bagreement\b|\blease\b|合同|协议"),
        ("regulation", r"\bregulations?\b|\bstatute\b|\bact\b|管理办法|条例|规定|实施细则"),
        ("judgment", r"judg(?:e)?ment|court ruling|判决书|裁定书"),
        ("paper", r"\bpaper\b|论文"),
        ("letter", r"\bletter\b|函件|来信|信函"),
    )
)


_WHO_BUYS = re.compile(
    r"\b(?:who|whom|which \w+)\b.{0,60}?\b(acquire[sd]?|bought|buys?|purchased|took over|taken over)\b"
    r"|(?:谁|哪家\w{0,4})[^，。]{0,20}?(收购|买下|买走|购买|受让)|(收购|买下|买走|购买|受让)[^，。]{1,24}的(?:是|公司)?(?:谁|哪)",
    re.IGNORECASE,
)
_HANDED_OVER = ("acquired", "bought", "purchased", "sold", "收购", "购买", "受让", "出售", "转让")
"""Where it is asked who bought something, a text may as well say that it was sold."""


class Unit(NamedTuple):
    """A concept in search tokens: its `words` in the question, and the token sets of its other forms."""

    words: frozenset[str]
    forms: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question understood.

    `words` are its own search tokens, `terms` these and its synonyms' with weights, `kinds` the structures it names.
    `spent` are words that name documents, periods, pages or kinds of blocks: where to look, and little of what for.
    `pages` are those it names (`places.LAST` for the last), `parts` the tokens of numbered figures, notes and the like,
    each as tuples of which any may stand there. `also` are its names with those of the same entities in the other
    script, `aliases` the latter's search tokens; `places` are its countries and towns likewise. `read` are names as
    they were asked with and what they were taken for.
    """

    text: str
    language: str
    words: tuple[str, ...]
    terms: tuple[tuple[str, float], ...]
    units: tuple[Unit, ...]
    periods: tuple[Period, ...]
    doctypes: tuple[str, ...]
    kinds: tuple[str, ...]
    numbers: tuple[str, ...]
    also: tuple[Concept, ...] = ()
    aliases: tuple[str, ...] = ()
    spent: frozenset[str] = frozenset()
    pages: tuple[int, ...] = ()
    parts: tuple[tuple[tuple[str, ...], ...], ...] = ()
    read: tuple[tuple[str, str], ...] = ()
    places: tuple[Concept, ...] = ()

    @property
    def years(self) -> tuple[int, ...]:
        """Years named, in order, each once."""
        return tuple(dict.fromkeys([p.year for p in self.periods]))


def understand(
    text: str, *, now: Now | None = None, also: Sequence[Concept] = (), places: Sequence[Concept] = ()
) -> Question:
    """Read a clean question.

    Args:
        text: the question.
        now: where the documents that are meant stand in time, for "last year".
        also: names in the question and what else the store calls them.
        places: countries and towns in it with their names in the other script.
    """
    from h3cold.ingest.tokens import lexical

    words = tuple(dict.fromkeys(t for t in lexical(text) if t not in _EMPTY_WORDS))[:TERMS]
    if not words:
        words = tuple(dict.fromkeys(lexical(text)))[:TERMS]
    weights = dict.fromkeys(words, 1.0)
    units = []
    for concept in (*also, *places, *concepts(text), *_handed_over(text)):
        unit = Unit(_asked(concept.found, words), tuple(tokens_of(o) for o in concept.others))
        units.append(unit)
        for form in unit.forms:
            for token in sorted(form):
                weights.setdefault(token, SYNONYM)
    periods = tuple(find_periods(text, now=now))
    years = {str(p.year) for p in periods}
    telling = without_pages(without_kinds(without_wording(text, periods) if periods else text))
    spent = frozenset(words) - frozenset(lexical(telling)) - years
    spent |= seams(words) | (_WORKED_OUT & frozenset(words))
    trends = _TRENDS & frozenset(words) if _HOW_MUCH.search(text) else frozenset()
    spent |= trends
    spent = spent if len(spent) < len(words) else frozenset()
    weights |= dict.fromkeys(spent, SPENT)
    for year in sorted(years):
        weights.setdefault(year, 1.0)
    for token in _CHANGES if trends else ():
        weights.setdefault(token, SYNONYM)
    terms = tuple(weights.items())
    own, other = terms[: len(words)], terms[len(words) :][:TERMS]
    return Question(
        text=text,
        language="zh" if HAN.search(text) else "en",
        words=words,
        terms=own + other,
        units=tuple(units),
        periods=periods,
        doctypes=tuple(name for name, pattern in _DOCTYPES if pattern.search(text)),
        kinds=tuple(name for name, pattern in _KINDS if pattern.search(text)),
        numbers=tuple(n for n in dict.fromkeys(_NUMBER.findall(text)) if n not in years),
        also=tuple(also),
        spent=spent,
        pages=named_pages(text),
        parts=_parts(text),
        places=tuple(places),
        aliases=tuple(dict.fromkeys(t for concept in also for other in concept.others for t in lexical(other))),
    )


def _handed_over(text: str) -> list[Concept]:
    """What a question for a buyer says it with, and the other words that tell it."""
    asks = _WHO_BUYS.search(text)
    if asks is None:
        return []
    said = next(word for word in asks.groups() if word)
    own = tokens_of(said)
    return [Concept(said, tuple(word for word in _HANDED_OVER if tokens_of(word) != own))]


def without_kinds(text: str) -> str:
    """`text` without the words for tables, charts and so on, but for those with a number ("Table 3")."""
    return " ".join((_KIND_WORDS.sub(" ", text), *named_parts(text)))


def _parts(text: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    from h3cold.ingest.tokens import lexical

    out = []
    for said in named_parts(text):
        tokens = tuple(lexical(said))
        if len(tokens) > 1:
            other = {"fig": "figur", "figur": "fig"}.get(tokens[0])
            out.append((tokens,) if other is None else (tokens, (other, *tokens[1:])))
    return tuple(out)


def _asked(found: str, words: Sequence[str]) -> frozenset[str]:
    """The tokens of a form as the question has them: "RSUs" stays what it is, of which the singular was found."""
    form = tokens_of(found)
    if form.issubset(words):
        return form
    plurals = {singular(word): word for word in words}
    return frozenset(plurals.get(token, token) for token in form)


@lru_cache(maxsize=1 << 16)
def tokens_of(text: str) -> frozenset[str]:
    """The search tokens of a text."""
    return frozenset(order_of(text))


@lru_cache(maxsize=1 << 16)
def order_of(text: str) -> tuple[str, ...]:
    """The search tokens of a text as they stand."""
    from h3cold.ingest.tokens import lexical

    return tuple(lexical(text))

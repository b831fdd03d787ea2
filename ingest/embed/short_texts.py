"""Short texts of the kinds that people ask, from which the question encoder learns (`train_student`).

Made of sentences, terms and names of open texts by cutting, shuffling, spoiling and templates; no language model is
asked. See `Pools` for what goes in.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

LONGEST = 320
"""Characters of a text at most; Chinese ones stop at a third. Questions of more are rare and cost the training much."""


class Pools(NamedTuple):
    """What texts are made of, English then Chinese: sentences, terms (labels, headings, words) and names."""

    prose_en: list[str]
    prose_zh: list[str]
    terms_en: list[str]
    terms_zh: list[str]
    names_en: list[str]
    names_zh: list[str]
    questions_en: list[str]
    questions_zh: list[str]


def made(pools: Pools, *, seed: int, count: int) -> list[str]:
    """`count` different texts, 55 of 100 English; all questions of the pools are among them."""
    rng = random.Random(seed)
    found = dict.fromkeys([*pools.questions_en, *pools.questions_zh])
    kinds = [(_ENGLISH, 0.55), (_CHINESE, 0.45)]
    while len(found) < count:
        (makers,) = rng.choices([k for k, _ in kinds], [w for _, w in kinds])
        (make,) = rng.choices([m for m, _ in makers], [w for _, w in makers])
        text = _spoilt(rng, make(rng, pools))
        limit = LONGEST // 3 if len(re.findall(r"[一-鿿]", text)) > len(text) / 3 else LONGEST
        text = " ".join(text[:limit].split())
        if len(text) > 1:
            found[text] = None
    asked = len({*pools.questions_en, *pools.questions_zh})
    out = list(found)
    rest = out[asked:]
    rng.shuffle(rest)
    return out[:asked] + rest


def _span_en(rng: random.Random, p: Pools) -> str:
    words = rng.choice(p.prose_en).split()
    size = min(len(words), rng.randint(3, 25))
    at = rng.choice([0, rng.randint(0, len(words) - size)])
    return " ".join(words[at : at + size])


def _span_zh(rng: random.Random, p: Pools) -> str:
    text = rng.choice(p.prose_zh)
    parts = re.split(r"(?<=[，。；：！？、])", text)
    at = rng.randrange(len(parts))
    if rng.random() < 0.5:
        return "".join(parts[at : at + rng.randint(1, 3)]).strip("，。；：、")
    size = min(len(text), rng.randint(4, 40))
    start = rng.randint(0, len(text) - size)
    return text[start : start + size]


def _whole_en(rng: random.Random, p: Pools) -> str:
    return rng.choice(p.prose_en)


def _whole_zh(rng: random.Random, p: Pools) -> str:
    return rng.choice(p.prose_zh)


def _keywords_en(rng: random.Random, p: Pools) -> str:
    words = [w.strip(".,;:()\"'") for w in rng.choice(p.prose_en).split() if len(w) > 3]
    words = rng.sample(words, min(len(words), rng.randint(1, 5)))
    if rng.random() < 0.5:
        words.insert(rng.randint(0, len(words)), rng.choice(p.terms_en))
    return " ".join(words)


def _keywords_zh(rng: random.Random, p: Pools) -> str:
    words = rng.choices(p.terms_zh, k=rng.randint(1, 4))
    if rng.random() < 0.4:
        words.insert(0, rng.choice(p.names_zh))
    if rng.random() < 0.3:
        words.append(_period_zh(rng))
    return rng.choice(["", " ", " ", "的", "，"]).join(words)


def _period_en(rng: random.Random) -> str:
    year = rng.randint(1995, 2027)
    return rng.choice([
        f"{year}", f"{year}", f"FY{year}", f"fiscal {year}", f"fiscal year {year}", f"Q{rng.randint(1, 4)} {year}",
        f"the {rng.choice(['first', 'second', 'third', 'fourth'])} quarter of {year}", f"December 31, {year}",
        f"the year ended {rng.choice(_MONTHS)} {rng.randint(28, 31)}, {year}", f"{year - 1} and {year}",
        f"{year - rng.randint(1, 5)} to {year}", "last year", "the past three years", f"H1 {year}",
    ])  # fmt: skip


def _period_zh(rng: random.Random) -> str:
    year = rng.randint(1995, 2027)
    return rng.choice([
        f"{year}年", f"{year}年", f"{year}年度", f"{year}财年", f"{year}年第{rng.choice('一二三四')}季度",
        f"{year}年{rng.choice(['上', '下'])}半年", f"{year}年末",
        f"{year}年{rng.randint(1, 12)}月{rng.randint(1, 28)}日",
        f"{year - 1}年和{year}年", f"{year - rng.randint(1, 5)}至{year}年", "去年", "近三年", "本期", "上年同期",
        f"截至{year}年12月31日",
    ])  # fmt: skip


_MONTHS = ["January", "March", "June", "September", "October", "December"]

_ASKED_EN = [
    "What was {n}'s {t} in {p}?", "What is the {t} of {n} in {p}?", "How much {t} did {n} report for {p}?",
    "what was the {t} in {p}?", "How did {t} change from {y} to {z}?", "by how much did {t} increase from {y} to {z}?",
    "what is the percentage change in {t} between {y} and {z}?", "what is the ratio of {t} to {u} in {p}?",
    "what portion of {u} is {t}?", "What percentage of {u} was {t} in {p}?", "Compare {t} and {u} for {p}.",
    "Which year had the highest {t}?", "Why did {t} decline in {p}?", "Why did {n}'s {t} rise?",
    "What drove the change in {t}?", "How does {n} recognise {t}?", "What is {n}'s policy on {t}?",
    "What does the report say about {t}?", "Where is {t} discussed?", "Explain {t}.", "Define {t}", "{t} definition",
    "Who is the {t} of {n}?", "Who owns {n}?", "Which companies does {n} control?", "Who regulates {n}?",
    "When did {n} acquire {m}?", "When was {n} founded?", "Where is {n} headquartered?", "Is {n} a subsidiary of {m}?",
    "What are the risks of {t}?", "What are the main {t}?", "List all {t} of {n}", "How many {t} are there in {p}?",
    "Show the table of {t} by {u}", "table with {t} for {p}", "chart of {t}", "figure showing {t} and {u}",
    "What is shown in figure {i}?", "In table {i}, what is the {t} for {u}?", "according to section {i}, what is {t}?",
    "What does clause {i}.{j} say about {t}?", "What happens if {t} is breached?", "Can {t} be terminated?",
    "What are the obligations of {n} under {t}?", "What is the effective date of {t}?", "What penalty applies to {t}?",
    "What method is used for {t}?", "How is {t} calculated?", "What is the formula for {t}?", "What is {t} used for?",
    "What dataset was used to evaluate {t}?", "Which model performs best on {t}?", "How does {t} differ from {u}?",
    "What is the relationship between {t} and {u}?", "Does {n} disclose {t}?", "Did {n} pay {t} in {p}?",
    "What court decided the case of {n} v. {m}?", "What is the {t} per share?", "total {t} {p}", "{n} {t} {p}",
    "{n} {t}", "{t} {p}", "{t} vs {u}", "{t} as a percentage of {u}", "{n} annual report {p} {t}", "tell me about {t}",
    "find {t}", "I need the {t} of {n} for {p}", "What are the differences between {n} and {m} in {t}?",
    "How many {t} did {n} have as of {p}?", "What was the change in {t} for {u} in {p}, in millions?",
    "If {t} had grown as in {y}, what would {u} be in {z}?", "On what page is {t}?", "What is the average {t} for {p}?",
    "what was the total {t} for {n} during {p} in millions?", "Under {h}, what is {t}?", "{h}", "{h}: {t}",
    "What does \"{h}\" cover?", "Summarise {h}.",
]  # fmt: skip

_ASKED_ZH = [
    "{n}{p}的{t}是多少？", "{n}的{t}是什么？", "{p}{t}是多少？", "{n}{p}{t}", "{p}{n}{t}为多少", "{t}同比增长多少？",
    "{y}年与{z}年{t}变化了多少？", "对比{y}年与{z}年的{t}", "{t}占{u}的比例是多少？", "{t}和{u}的关系是什么？",
    "为什么{p}{t}下降？", "{n}{t}增长的原因是什么？", "{n}如何确认{t}？", "{n}关于{t}的规定是什么？", "什么是{t}？",
    "{t}是什么意思？", "{t}的定义", "请解释{t}", "{n}的{t}是谁？", "谁控制{n}？", "{n}的控股股东是谁？",
    "{n}有哪些子公司？", "{n}由谁监管？", "{n}什么时候收购了{m}？", "{n}成立于哪一年？", "{n}位于哪里？",
    "{n}和{m}是什么关系？", "{t}有哪些风险？", "{t}主要包括哪些？", "列出{n}的全部{t}", "{p}有多少{t}？",
    "{t}的表格", "{p}{t}明细表", "按{u}划分的{t}表", "{t}走势图", "图{i}说明了什么？", "表{i}中{t}是多少？",
    "第{i}条对{t}有何规定？", "第{i}章第{j}节讲什么？", "违反{t}应当承担什么责任？", "{t}可以解除吗？",
    "{n}在{t}中的义务是什么？", "{t}的有效期是多久？", "{t}怎么计算？", "{t}的计算公式", "{t}的作用是什么？",
    "如何设置{t}？", "哪种方法在{t}上效果最好？", "{t}与{u}有什么区别？", "{n}是否披露了{t}？", "{n}{p}是否分红？",
    "{n}诉{m}一案由哪个法院审理？", "每股{t}", "{n}年报中的{t}", "查找{t}", "请问{n}的{t}怎么样", "介绍一下{t}",
    "哪一年{t}最高？", "{t}从{y}年到{z}年增加了多少", "{n}{p}{t}较上年增减多少万元？", "{h}", "{h}的主要内容",
    "{h}中{t}的情况", "{t}在什么时候发生？", "{t}位于什么地方？", "哪些{t}属于{u}？", "{n}以什么闻名？",
]  # fmt: skip


def _slots(rng: random.Random, names: list[str], terms: list[str], period: str) -> dict[str, str]:
    year = rng.randint(1998, 2026)
    return {
        "n": rng.choice(names), "m": rng.choice(names), "t": rng.choice(terms), "u": rng.choice(terms),
        "h": rng.choice(terms), "p": period, "y": str(year - rng.randint(1, 4)), "z": str(year),
        "i": str(rng.randint(1, 30)), "j": str(rng.randint(1, 12)),
    }  # fmt: skip


def _asked_en(rng: random.Random, p: Pools) -> str:
    return rng.choice(_ASKED_EN).format_map(_slots(rng, p.names_en, p.terms_en, _period_en(rng)))


def _asked_zh(rng: random.Random, p: Pools) -> str:
    return rng.choice(_ASKED_ZH).format_map(_slots(rng, p.names_zh, p.terms_zh, _period_zh(rng)))


def _mixed(rng: random.Random, p: Pools) -> str:
    names, terms = p.names_en + p.names_zh, rng.choice([p.terms_en, p.terms_zh])
    if rng.random() < 0.6:
        return rng.choice(_ASKED_ZH).format_map(_slots(rng, names, terms, _period_zh(rng)))
    return rng.choice(_ASKED_EN).format_map(_slots(rng, names, terms, _period_en(rng)))


_COUNTED_ZH = "年月日个人次元米名种家届岁亿万公条册%％"
_NUMBERS_ZH = re.compile(rf"[0-9０-９一二两三四五六七八九十百千万亿.,]{{1,12}}(?=[{_COUNTED_ZH}])")


def _cloze_zh(rng: random.Random, p: Pools) -> str:
    """A clause with a number asked for, or made a question by its end."""
    text = _span_zh(rng, p)
    hits = list(_NUMBERS_ZH.finditer(text))
    if hits:
        hit = rng.choice(hits)
        return text[: hit.start()] + rng.choice(["多少", "几", "哪"]) + text[hit.end() :] + "？"
    ends = ["吗？", "是什么？", "是谁？", "有哪些？", "的原因是什么？", "在哪里？", "？", "是什么时候？"]
    return text + rng.choice(ends)


def _cloze_en(rng: random.Random, p: Pools) -> str:
    text = _span_en(rng, p).rstrip(".,;:")
    start = rng.choice(
        ["Is it true that", "When", "Why did", "What is", "Who", "Which", "Where", "How many", "What does", "How does",
         "In which year", "Does it say that", "How much", "what's", "Do you know whether", "Name the"]
    )  # fmt: skip
    return f"{start} {text[:1].lower()}{text[1:]}?"


def _long_en(rng: random.Random, p: Pools) -> str:
    return f"{_span_en(rng, p)}. {rng.choice([_asked_en, _cloze_en])(rng, p)} {_asked_en(rng, p)}"


def _long_zh(rng: random.Random, p: Pools) -> str:
    return f"{_span_zh(rng, p)}。{_asked_zh(rng, p)}{_cloze_zh(rng, p)}"


def _term_en(rng: random.Random, p: Pools) -> str:
    return rng.choice(p.terms_en)


def _term_zh(rng: random.Random, p: Pools) -> str:
    return rng.choice(p.terms_zh)


_Maker = Callable[[random.Random, Pools], str]
_ENGLISH: list[tuple[_Maker, float]] = [
    (_asked_en, 0.34), (_span_en, 0.2), (_cloze_en, 0.14), (_keywords_en, 0.1), (_whole_en, 0.08), (_term_en, 0.06),
    (_long_en, 0.05), (_mixed, 0.03),
]  # fmt: skip
_CHINESE: list[tuple[_Maker, float]] = [
    (_asked_zh, 0.34), (_span_zh, 0.2), (_cloze_zh, 0.16), (_keywords_zh, 0.1), (_whole_zh, 0.06), (_term_zh, 0.05),
    (_long_zh, 0.03), (_mixed, 0.06),
]  # fmt: skip


def _spoilt(rng: random.Random, text: str) -> str:
    """The text, of ten three times with its case, its end or a letter changed as people do."""
    chance = rng.random()
    if chance < 0.1:
        return text.lower()
    if chance < 0.12:
        return text.upper()
    if chance < 0.17:
        return text.rstrip("?？.。")
    if chance < 0.22 and len(text) > 8:
        at = rng.randrange(1, len(text) - 2)
        swapped = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        return rng.choice([text[:at] + text[at + 1 :], swapped, text[:at] + text[at] + text[at:]])
    if chance < 0.24:
        return text.title()
    return text


def sentences(text: str) -> Iterator[str]:
    """Sentences of 12 to 400 characters; of Chinese, from 6."""
    for part in re.split(r"(?<=[.!?])\s+(?=[A-Z0-9\"'(])|(?<=[。！？])|\n{2,}", text):
        part = " ".join(part.split())
        if (6 if re.search(r"[一-鿿]", part) else 12) <= len(part) <= 400:
            yield part

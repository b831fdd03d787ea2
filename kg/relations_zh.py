"""Chinese relations by the words between, before and after two names of one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from h3cold.kg.clauses_zh import careers, laws, made_by, offices, parties, penalties
from h3cold.kg.forms_zh import FORMS, HEDGE
from h3cold.kg.names import read_lines, strip_legal_form
from h3cold.kg.spans import Found, Span
from h3cold.kg.suits_zh import is_court, parties_of_suits, without_courts, without_joined
from h3cold.kg.surface_en import fits
from h3cold.schemas.graph import RelationType

_HOLDS_IT = re.compile(
    r"(?:合计|直接|间接|共同|现|目前|仍)*(?:持有|拥有|控制)其(?:\d[\d.]*[%％])?的?(?:全部)?(?:股权|股份)?"
)
_OTHER_CLAUSE = re.compile(
    r"[，,](?!占|持股|持有|比例|合计|共|约|其中|金额|作价|对价|总价|价格|交易|担保|总额|罚款|并处|涉及|本金|\d)"
)
"""A clause that does not go on about the share or price of the one before."""
_AND = re.compile(r"[、和与及]|以及|及其|，")
_CHILD_BEFORE = re.compile(
    r"(?:公司|其|旗下|集团|下属|属下|，|,)(?:的|在[\u4e00-\u9fff]{2,4}的)?(?:全资|控股|境外|境内|下属|参股|主要|核心)*(?:子公司|孙公司|分公司|附属公司|控股公司)(?:之一)?[—\-“\"]*$|(?:旗下|属下|下属)(?:的|公司|企业)?[“\"]?$"
)
_OWNER_BEFORE = re.compile(
    r"(?:公司|其|，|,|到|向|的|称|及|因)(?:第?[一二三四五]?大?|控股|实际|主要|间接|原|前|单一)*(?:股东|控制人|母公司)(?:之一)?[—\-“\"]*$"
)
_BRANCH = re.compile(r"^.{2,8}(?:分行|支行|分公司|分院|分部)$")
_GROUP = re.compile(r"(?:集团|集团公司|总公司|公司|控股)$")
_VALUES = re.compile(
    r"(?:于|在|自|截至)?(?:19|20)\d\d\s?年(?:\s?\d{1,2}\s?月)?(?:\s?\d{1,2}\s?日)?(?:末|底|度|初|[上下]半年|半年度|前[一二三]季度|第?[一二三四1-4]季度|\d{0,2}\s?[-—~至]\s?\d{1,2}\s?月)?"
    r"|(?:以|作价|斥资|耗资|出资)?(?:现金|人民币|约|合计|共)*\d[\d.,]*\s?[万亿千百]*(?:美元|元|港元|欧元)(?:人民币|现金|的价格|的对价)?"
)
"""When and for how much: between two names, but not what ties them."""
_HELD = re.compile(r"(?:持有|所持)有?的?$")
_SOLD = re.compile(
    r"的?(?:全部|合计|共)*\d[\d.]*\s?[%％]的?(?:股权|股份|股票|出资额)?(?:[（(][^（）()]{1,30}[）)])?(?:全部|一并|协议|分别)*"
    r"(?:转让|出售|出让|划转|过户|转给|卖)"
)
"""A stake that goes to another: whoever "holds" it so holds it no more."""
_REASON = re.compile(r"(?:^|[，。；])(?:经查|经调查)?[，]?(?:因|由于|鉴于|针对|就)[^，。；]*$")
"""A clause that says what a decision is about; its dates are not the decision's."""
_OF_THEM = re.compile(r"[，,]其中[，,]?")
_CHILD_BETWEEN = re.compile(r"(?:子公司|分公司|附属公司|控股公司|孙公司)○")
"""The second name is tied to its parent's child, not to the parent."""
_HEDGE_BEFORE = re.compile(r"拟|非|原|前|不是|并非")
_LINE_OF_BUSINESS = re.compile(
    r"^.{0,8}(?:银行|证券|基金|信托|人寿|财险|地产|置业|物业|分行|支行|分公司|影业|音乐|体育|文学|易购|驿站|中国|印尼公司|金融|财务公司|租赁|软件|香港|国际)$"
)
_LAWSUIT = re.compile(r"诉讼|起诉|侵权|官司|仲裁|专利战|撤诉|诉案|纠纷|对簿公堂|被告|原告|索赔")
_FIGHT = re.compile(r"[诉告裁赔]|官司|纠纷|争|侵权|对簿公堂|交恶|口水战|专利战|大战|反目|冲突|指控")
_SENTENCE_SPANS = 60
"""Names of one sentence that are paired; a longer run is a list, not a sentence."""


_POLITE = frozenset({"先生", "女士", "博士", "教授", "律师"})


@cache
def _titles() -> str:
    return "|".join(sorted(read_lines("people_zh.txt")[2].split(), key=len, reverse=True))


@cache
def _forms() -> tuple[tuple[RelationType, re.Pattern[str], re.Pattern[str] | None, bool, float], ...]:
    titles = _titles()
    return tuple(
        (
            type,
            re.compile(gap.replace("TITLES", titles)),
            re.compile(after.replace("TITLES", titles)) if after else None,
            swap,
            confidence,
        )
        for type, gap, after, swap, confidence in FORMS
    )


def relations(
    text: str, spans: Sequence[Span], *, company: Span | None = None, both: Sequence[Span] = ()
) -> list[Found]:
    """Relations of one sentence; `spans` in order of place and in its coordinates, values among them.

    `company` is whose document it is, `both` the parties that the document calls 甲方, 乙方.
    """
    names = [s for s in spans if s.type in ("ORG", "PERSON", "AGENCY", "PLACE", "CONTRACT", "PRODUCT")][
        :_SENTENCE_SPANS
    ]
    best: dict[tuple[RelationType, Span, Span], Found] = {}
    found = [
        *(f for f in _pairs(text, names) if f.type != "litigates_against"),
        *_by_topic(text, names),
        *_by_pronoun(text, names),
        *_by_name(names),
    ]
    found += [*careers(text, names), *offices(text, names, _titles(), company), *parties(text, names, both)]
    found += [*_suits(text, names), *laws(text, spans), *_branches(names), *made_by(text, names)]
    for item in found:
        key = (item.type, item.head, item.tail)
        if key not in best or best[key].confidence < item.confidence:
            best[key] = item
    out = list(_one_tie([_with_values(text, item, spans) for item in best.values()]))
    return [*out, *_siblings(text, out, names, spans)]


def _one_tie(found: Sequence[Found]) -> Iterator[Found]:
    """Without "A owns B" where the sentence calls B a subsidiary of A, unless it says how much, and the like."""
    children = {(f.head.text, f.tail.text) for f in found if f.type == "subsidiary_of"}
    founded = {(f.head.text, f.tail.text) for f in found if f.type == "invests_in"}
    for item in found:
        pair = (item.head.text, item.tail.text)
        if item.type != "owns" or item.value or (pair[::-1] not in children and pair not in founded):
            yield item


def sanctions(text: str, spans: Sequence[Span]) -> list[Found]:
    """Penalties of a sentence with all that its semicolons join; `spans` in its coordinates."""
    names = [s for s in spans if s.type in ("ORG", "PERSON", "AGENCY")][:_SENTENCE_SPANS]
    return [_with_values(text, item, spans) for item in penalties(text, names)]


def _pairs(text: str, names: Sequence[Span], courts: Sequence[Span] = ()) -> Iterator[Found]:
    for i, first in enumerate(names):
        for j in range(i + 1, min(i + 5, len(names))):
            second = names[j]
            if second.start - first.end > 70:
                break
            gap = without_courts(_masked(text, first.end, second.start, names[i + 1 : j]), courts)
            plain = _VALUES.sub("", gap)
            behind = _masked(text, second.end, min(len(text), second.end + 60), names[j + 1 : j + 5])
            suit = without_joined(without_courts(behind, courts))
            for type, between, after, swap, confidence in _forms():
                head, tail = (second, first) if swap else (first, second)
                if not fits(type, head, tail) or not (
                    between.fullmatch(gap) or (plain != gap and between.fullmatch(plain))
                ):
                    continue
                if type != "subsidiary_of" and _CHILD_BETWEEN.search(gap):
                    continue
                rest = suit if type == "litigates_against" else behind
                if after is not None and not (match := after.match(rest)):
                    continue
                tailpiece = match.group() if after is not None and match else ""
                clause = max(text.rfind(c, 0, first.start) for c in "，。；,;") + 1
                # "拟购买X下属的Y": the purchase is planned, X's hold on Y is a fact.
                before = "" if type in ("subsidiary_of", "officer_of", "located_in") else text[clause : first.start]
                if HEDGE.search(before + "○" + gap + "○" + tailpiece):
                    continue
                if type == "owns" and _HELD.search(gap) and _SOLD.match(text, second.end):
                    continue
                yield Found(type, head, tail, first.start, second.end + len(tailpiece), confidence)


def _by_topic(text: str, names: Sequence[Span]) -> Iterator[Found]:
    """ "X公告称，公司控股子公司Y…", "X …，其控股股东Y…": the sentence's first organisation is the one spoken of."""
    topic = next((s for s in names if s.type == "ORG"), None)
    if topic is None:
        return
    for name in names:
        before = text[max(0, name.start - 16) : name.start]
        if name.type != "ORG" or name.start <= topic.end or name.text == topic.text:
            continue
        if _CHILD_BEFORE.search(before) and not _HEDGE_BEFORE.search(before):
            yield Found("subsidiary_of", name, topic, topic.start, name.end, 0.65)
        elif _OWNER_BEFORE.search(before) and not _HEDGE_BEFORE.search(before):
            yield Found("owns", name, topic, topic.start, name.end, 0.65)


def _by_pronoun(text: str, names: Sequence[Span]) -> Iterator[Found]:
    """ "甲公司为…，张三持有其62%的股权": 其 is the organisation that the clause before is about."""
    for name in names:
        said = _HOLDS_IT.match(text, name.end)
        clause = text.rfind("，", 0, name.start)
        if said is None or clause < 0 or text[clause + 1 : name.start].strip():
            continue
        start = max(text.rfind(c, 0, clause) for c in "，。；") + 1
        it = next((n for n in names if n.type == "ORG" and start <= n.start < clause), None)
        if it is not None and fits("owns", name, it) and not HEDGE.search(text[start : name.end]):
            yield Found("owns", name, it, it.start, said.end(), 0.8)


def _by_name(names: Sequence[Span]) -> Iterator[Found]:
    """阿里巴巴 and 阿里巴巴商业银行 in one sentence: a name made of another and a line of business is a part of it."""
    orgs = {s.text: s for s in names if s.type == "ORG"}
    for child in orgs.values():
        for parent in orgs.values():
            core = strip_legal_form(parent.text).removesuffix("集团")
            rest = child.text.removeprefix(core)
            within = _LINE_OF_BUSINESS.search(rest) or (_GROUP.search(parent.text) and len(rest) >= 2)
            if len(core) < 2 or rest == child.text or not within or parent.text.startswith(child.text):
                continue
            if strip_legal_form(child.text) != strip_legal_form(parent.text):
                yield Found(
                    "subsidiary_of", child, parent, min(child.start, parent.start), max(child.end, parent.end), 0.5
                )


def _branches(names: Sequence[Span]) -> Iterator[Found]:
    """兴业银行济南分行, where both stand as names side by side."""
    for parent, branch in pairwise(names):
        if parent.type == branch.type == "ORG" and parent.end == branch.start and _BRANCH.search(branch.text):
            yield Found("subsidiary_of", branch, parent, parent.start, branch.end, 0.75)


def _suits(text: str, names: Sequence[Span]) -> Iterator[Found]:
    """Who sues whom; a sentence about a lawsuit whose words do not say it may still name just two."""
    if _FIGHT.search(text) is None:
        return
    sides = [n for n in names if not is_court(n) and n.type in ("ORG", "PERSON", "AGENCY")]
    courts = [n for n in names if is_court(n)]
    said = [f for f in _pairs(text, sides, courts) if f.type == "litigates_against"]
    yield from parties_of_suits(text, said, sides) if said else _by_fight(text, sides)


def _by_fight(text: str, names: Sequence[Span]) -> Iterator[Found]:
    """A sentence about a lawsuit that names just two organisations."""
    orgs = list({s.text: s for s in names if s.type in ("ORG", "PERSON")}.values())
    if len(orgs) == 2 and (orgs[0].text in orgs[1].text or orgs[1].text in orgs[0].text):
        return
    if len(orgs) == 2 and _LAWSUIT.search(text) and not HEDGE.search(text):
        yield Found("litigates_against", orgs[0], orgs[1], orgs[0].start, orgs[1].end, 0.5)


def _masked(text: str, start: int, end: int, inner: Sequence[Span]) -> str:
    out, at = [], start
    for span in inner:
        if span.start >= at and span.end <= end:
            out += [text[at : span.start], "○"]
            at = span.end
    return "".join([*out, text[at:end]]).strip(' ”"’）)')


def _with_values(text: str, item: Found, spans: Sequence[Span]) -> Found:
    """The share or amount that stands in or right behind the evidence, and the sentence's only date."""
    value = item.value
    wanted = {
        "owns": "PERCENT",
        "subsidiary_of": "PERCENT",
        "acquires": "MONEY",
        "invests_in": "MONEY",
        "penalised_by": "MONEY",
        "guarantees": "MONEY",
    }
    type = wanted.get(item.type)
    if type:
        stop = next(m.start() for m in re.finditer(r"[。；]|$", text) if m.start() >= item.end)
        if _OTHER_CLAUSE.match(text, item.end):
            stop = item.end
        near = [s for s in spans if s.type == type and item.start <= s.start < min(stop, item.end + 40)]
        if item.type == "penalised_by":  # of two parties in one sentence each has its own
            near = [s for s in near if s.start >= max(item.head.start, item.tail.start)] or near
        value = near[0].text if near else ""
    elif item.type == "officer_of" and not value:
        found = re.findall(_titles(), text[item.start : item.end])
        value = "、".join(t for t in dict.fromkeys(found) if t not in _POLITE)
    dates = [s for s in spans if s.type == "DATE" and s.start <= item.end]
    if item.type == "penalised_by":
        dates = [d for d in dates if not _REASON.search(text[: d.start])]
    if item.type == "guarantees":
        value = own_share(text, item, spans)
    return item._replace(value=value, period=dates[-1].text if dates else "")


def own_share(text: str, item: Found, spans: Sequence[Span]) -> str:
    """The amount of a guarantee; after 其中 ("of which") only where the guarantor is named as its bearer."""
    stop = next(m.start() for m in re.finditer(r"[。；]|$", text) if m.start() >= item.end)
    inner = _OF_THEM.search(text, item.end, stop)
    money = [s for s in spans if s.type == "MONEY" and item.start <= s.start < min(stop, item.end + 40)]
    if inner is None or (money and money[0].start < inner.start()):
        return money[0].text if money else ""
    own = inner.end() if text.startswith(item.head.text, inner.end()) else stop
    after = [s for s in spans if own + len(item.head.text) <= s.start < stop and s.type in ("MONEY", "ORG")]
    return after[0].text if after and after[0].type == "MONEY" else ""


def _alike(item: Found, role: str, one: Span, other: Span) -> bool:
    """Kinds of names that one list joins: shareholders may be firms and persons."""
    owners = item.type == "owns" and role == "head" and {one.type, other.type} <= {"ORG", "PERSON"}
    return one.type == other.type or owners


def _siblings(text: str, found: Sequence[Found], names: Sequence[Span], spans: Sequence[Span]) -> Iterator[Found]:
    """The same relation for names joined to its head or tail: "A、B和C共同签署"."""
    for item in found:
        if item.type not in ("party_to", "owns", "subsidiary_of", "acquires", "invests_in", "guarantees"):
            continue
        for index, name in enumerate(names):
            for role, anchor in (("head", item.head), ("tail", item.tail)):
                if name != anchor:
                    continue
                for step in (-1, 1):
                    other, last = index + step, name
                    while 0 <= other < len(names) and _alike(item, role, names[other], name):
                        one = names[other]
                        gap = text[min(last.end, one.end) : max(last.start, one.start)]
                        if item.type == "subsidiary_of" and gap in ("与", "和", "同", "跟"):
                            break
                        if not _AND.fullmatch(gap.strip()) or gap == "，" or one in (item.head, item.tail):
                            break
                        joint = item._replace(head=one, confidence=item.confidence - 0.1)
                        if item.type == "guarantees":
                            joint = joint._replace(value=own_share(text, joint, spans))
                        yield (
                            joint
                            if role == "head"
                            else item._replace(tail=one, confidence=item.confidence - 0.1, value="")
                        )
                        other, last = other + step, one

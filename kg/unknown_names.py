"""Whether a question names somebody: then edges of others are no answer, however well their kind fits."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from h3cold.kg.lexicon import Lexicon
from h3cold.kg.names import fold, read_lines
from h3cold.kg.short_names import name_kinds

_ONE = r"[A-Z](?:[^\W\u3400-\u9fff]|[&'’.-])*"
_BRAND = r"[a-z][A-Z][a-z]{2,}(?:[^\W\u3400-\u9fff]|[&'’.-])*"  # "eBay", but no unit ("kWh") and no sign ("pH")
_WORDS = re.compile(rf"(?<![A-Za-z\d])(?<![A-Za-z]['’])(?:{_BRAND}|{_ONE})(?:\s(?:(?:of|and|&|the|for|de)\s)?{_ONE})*")
_PEOPLES = re.compile(r"(?:ese|ian|ean|ish|can|[dt]ch|ench)s?$")
_ASKING = (
    "who whom whose which what when where why how is are was were do does did has have had list show name give find "
    "tell all every each any in on at of by for from to the a an please can could i"
)
_PLACE = re.compile(
    r"\b(?:of|by|at|for|from|against|with|do(?:es)?|did|has|is|was|(?:own|control|run|lead|head|manag|found|buy|bought|"
    r"acquir|sue|fine|suppl|regulat|hold)\w*)\s+(?:the\s)?(?=([a-z][\w&'-]{2,}))"
)
"""Before where a name stands, and the first word of what stands there."""
_ASKED = re.compile("[谁哪何]|什么|多少|怎")
_HAN = re.compile("[\u4e00-\u9fff]")
_SAFE = 4
"""Characters from which a listed name is hardly ever a part of other words."""
_BEFORE = re.compile(r"(?:^|\W|[和与及或对比较在给向为了被由是问谁制股购诉资有])$")
_BEHIND = re.compile(r"的|公司|集团|[是在与和及或有去今上将被由于从向之]|\W|\d|[谁何哪]|$")
_FORMAL = re.compile(r"[\u4e00-\u9fff]{2,12}?(?:有限公司|有限责任公司|股份公司)")
_KIND = re.compile(r"([\u4e00-\u9fff]{2,12}?)(?:公司|集团|银行|证券|保险|科技|股份|基金)")
_LEGAL = r"(?:inc|corp|corporation|co|company|ltd|limited|plc|llc|lp|ag|gmbh)\b"
_WHEN = re.compile(
    r"(?:\d{2,4}|[〇零○一二三四五六七八九]{2,4})(?:财年|会计年度|年度?)(?:末|底|第?[一二三四]季度?末?|[上下]半年|\d{1,2}月(?:\d{1,2}日)?)?"
    r"|[去今前上]年度?|(?:担任|出任|任职|就任|请问|关于|根据|截至)"
)
"""What stands before a name, and is no part of it."""
_WHO = re.compile(r"谁(?:控股|控制|持有|拥有|收购|起诉|处罚|投资|担保|掌管)(?:了|着|过)?")
_OBJECT = re.compile(
    rf"{_WHO.pattern}([\u4e00-\u9fff]{{2,}})"
    r"|([\u4e00-\u9fff]{3,12})的(?:第?[一二三]?大|控股|实际|主要)*(?:股东|控制人|母公司|子公司|董事长|总经理|总裁)"
)
_NOBODY = re.compile(
    r"(?:谁|哪.{0,2}|什么|这家?|那家?|该|本|其|它|我|贵|的|子|母|孙|分|上市|目标|关联|控股|参股|全资|所有|全部|各|多少|几家?|一家|每家?|相关"
    r"|有限|商业|投资|中国|国有|民营|外资|对手|客户|供应商|公司|企业|集团|银行|股份|股权|股票|比例"
    r"|回购|发行|购买|出售|增持|减持|转让|认购|质押|冻结|收购|无形|应收|应付|长期|短期|对外|普通|优先)$"
)


def names_somebody(question: str, known: Callable[[str], bool] | None = None) -> bool:
    """True where a question has a name by its form; see `names_in`."""
    return bool(names_in(question, known))


def names_in(question: str, known: Callable[[str], bool] | None = None) -> list[str]:
    """What a question names by its form: capitalised English words, a Chinese company's or an owner's place.

    Places, public bodies and peoples do not count: "fines in China" asks for no one's. With `known`, which tells the
    words that the documents say, one that they never say counts in a name's place though it is written as the words
    around it are ("who owns globex", "WHO OWNS GLOBEX"); and so does one in capitals beside Chinese.
    """
    beside_chinese = known is not None and _HAN.search(question) is not None
    cased = not question.isupper() or beside_chinese  # all in capitals, they tell no names
    opens = not _HAN.search(question)  # in Chinese no word is written large because a sentence begins
    said = [name for m in _WORDS.finditer(question) if cased and (name := _name(m.group(), opens and m.start() == 0))]
    said += _in_chinese(question)
    if said or known is None:
        return said
    small = question.lower() if question.isupper() else question
    return [word for word in _PLACE.findall(small) if not _common(word) and not known(word)]


def telling_words(name: str) -> list[str]:
    """The words of an English name that are its own, not of its kind or place ("Borealis" of "Borealis Services")."""
    return [word for word in name.split() if not _common(word)]


def own_words(name: str) -> list[str]:
    """The telling words, those that say what kind of company it is left out where others are left ("power")."""
    telling = telling_words(name)
    return [word for word in telling if word.casefold().strip(".'’") not in name_kinds()] or telling


def names_company(name: str, question: str) -> bool:
    """Whether a name of a question is a company's for certain: by its script, its legal form, its kind or its fame."""
    if _HAN.search(name) or fold(name) in _companies():
        return True
    last = name.split()[-1].casefold()
    return last in name_kinds() or re.search(rf"{re.escape(name)},?\s+{_LEGAL}", question, re.IGNORECASE) is not None


def _name(words: str, first: bool) -> str:
    """The name that these capitalised words are, "" for none."""
    words = re.sub(r"['’]s$", "", words.rstrip(".-"))
    parts = words.split()
    while parts and parts[0].casefold() in _ASKING.split():
        parts, first = parts[1:], False
    name = " ".join(parts)
    if not parts or fold(name) in _places() or all(_common(p) for p in parts):
        return ""
    alone = first and len(parts) == 1  # a question's first word is written large whatever it is
    return "" if alone and fold(name) not in _companies() else name


def _common(word: str) -> bool:
    low = word.casefold().strip(".'’")
    return (
        low in _generic() or low in _places() or _PEOPLES.search(low) is not None or (word.isupper() and len(low) <= 4)
    )


def _in_chinese(question: str) -> list[str]:
    if not _HAN.search(question):
        return []
    question = _WHEN.sub("，", question)
    said = [m.group(1) for m in _KIND.finditer(_WHO.sub("，", question))]
    said += [a or b for a, b in _OBJECT.findall(question)]
    said = [name for name in said if not _NOBODY.search(name) and not _ASKED.search(name)]
    return [m.group() for m in _FORMAL.finditer(_WHO.sub("，", question))] + said + _listed_in(question)


def _listed_in(question: str) -> list[str]:
    """Listed and well-known companies; of short names those that what stands beside them shows to be whole words."""
    return [
        question[a:b]
        for a, b, _ in _listed().find(question)
        if b - a >= _SAFE or (_BEFORE.search(question, 0, a) and _BEHIND.match(question, b))
    ]


@cache
def _companies() -> frozenset[str]:
    return frozenset(fold(form) for line in read_lines("companies.txt") for form in line.split("|"))


@cache
def _listed() -> Lexicon[bool]:
    words = " ".join(read_lines("listed_zh.txt")).split()
    words += [form for line in read_lines("companies.txt") for form in line.split("|")]
    return Lexicon({word: True for word in words if _HAN.search(word)})


@cache
def _generic() -> frozenset[str]:
    return frozenset(" ".join(read_lines("generic_en.txt")).casefold().split()) | frozenset(_ASKING.split())


@cache
def _places() -> frozenset[str]:
    files = ("places.txt", "agencies.txt", "measures.txt")
    return frozenset(fold(form) for file in files for line in read_lines(file) for form in line.split("|"))

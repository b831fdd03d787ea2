"""Whether a question names somebody: then edges of others are no answer, however well their kind fits."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from h3cold.kg.names import canonical_names, fold, read_lines

_WORDS = re.compile(r"[A-Z][\w&'’.-]*(?:\s(?:(?:of|and|&|the|for|de)\s)?[A-Z][\w&'’.-]*)*")
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
_FORMAL = re.compile(r"[\u4e00-\u9fff]{2}(?:有限公司|有限责任公司|股份公司)")
_KIND = re.compile(r"([\u4e00-\u9fff]{2,12}?)(?:公司|集团|银行|证券|保险|科技|股份|基金)")
_OBJECT = re.compile(
    r"谁(?:控股|控制|持有|拥有|收购|起诉|处罚|投资|担保|掌管)(?:了|着|过)?([\u4e00-\u9fff]{2,})"
    r"|([\u4e00-\u9fff]{3,12})的(?:第?[一二三]?大|控股|实际|主要)*(?:股东|控制人|母公司|子公司|董事长|总经理|总裁)"
)
_NOBODY = re.compile(
    r"(?:谁|哪.{0,2}|什么|这家?|那家?|该|本|其|它|我|贵|的|子|母|孙|分|上市|目标|关联|控股|参股|全资|所有|全部|各|多少|几家?|一家|每家?|相关"
    r"|有限|商业|投资|中国|国有|民营|外资|对手|客户|供应商|公司|企业|集团|银行|股份|股权|股票|比例)$"
)


def names_somebody(question: str, known: Callable[[str], bool] | None = None) -> bool:
    """True where a question has a name by its form: capitalised English words, a Chinese company's or an owner's place.

    Places, public bodies and peoples do not count: "fines in China" asks for no one's. With `known`, which tells the
    words that the documents say, one that they never say counts in a name's place though it is in lower case ("who
    owns globex").
    """
    if any(_is_name(m.group(), m.start() == 0) for m in _WORDS.finditer(question)) or _in_chinese(question):
        return True
    places = () if known is None else _PLACE.findall(question)
    return any(not _common(word) and known is not None and not known(word) for word in places)


def _is_name(words: str, first: bool) -> bool:
    words = re.sub(r"['’]s$", "", words.rstrip(".-"))
    parts = words.split()
    while parts and parts[0].casefold() in _ASKING.split():
        parts, first = parts[1:], False
    name = " ".join(parts)
    if not parts or fold(name) in _places() or all(_common(p) for p in parts):
        return False
    return not (first and len(parts) == 1)  # a question's first word is written large whatever it is


def _common(word: str) -> bool:
    low = word.casefold().strip(".'’")
    return (
        low in _generic() or low in _places() or _PEOPLES.search(low) is not None or (word.isupper() and len(low) <= 4)
    )


def _in_chinese(question: str) -> bool:
    if _FORMAL.search(question):
        return True
    said = [m.group(1) for m in _KIND.finditer(question)]
    said += [a or b for a, b in _OBJECT.findall(question)]
    return any(not _NOBODY.search(name) for name in said)


@cache
def _generic() -> frozenset[str]:
    return frozenset(" ".join(read_lines("generic_en.txt")).casefold().split()) | frozenset(_ASKING.split())


@cache
def _places() -> frozenset[str]:
    names = canonical_names()
    listed = {fold(p) for file in ("places.txt", "agencies.txt") for line in read_lines(file) for p in line.split("|")}
    return frozenset(names) | frozenset(names.values()) | listed

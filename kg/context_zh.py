"""Chinese company names that nothing but their place in a sentence tells: 持有三毛物业30%股权, 徐工机械收购."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from h3cold.kg.names import read_lines

_CHAR = r"[\u4e00-\u9fffA-Za-z]"
_NOT = "的了在是与和及或等对将其该这那本拟被由从于以为向把有无不已个第各所持购买卖占权份额后前日月年"
_NAME = rf"((?:(?![{_NOT}]){_CHAR}){{2,8}}?)"
_SHARE = r"\d[\d,.]*\s?(?:[%％]|[万亿]?股)"
_CLAUSE = r"(?:^|(?<=[,，。；;:：\n“]))"
_WHEN = r"(?:\d+月\d+日|今日|昨日|近日|日前|目前|此前|仍|只|共|合计|已|将|拟|欲|再度|宣布|公告)*"
_PHRASE = frozenset("vrmcpuqtf")
_NAMED = ("nr", "ns", "nt", "nz", "j", "eng", "x")
"""Classes of words that make phrases, and of those that make names."""
_PLACES: tuple[re.Pattern[str], ...] = tuple(
    map(
        re.compile,
        (
            rf"(?:持有|收购|增持|减持|受让|转让|购买|出售|认购|举牌|控股|参股|入股)了?(?:其)?{_NAME}(?:的)?约?(?={_SHARE}|股权|全部股权)",
            rf"(?:旗下的?|子公司|控股股东|大股东|母公司|全资控股|股东){_NAME}(?=[,，。；、的(（\d]|持有|拟|将|以|于|自|近日|日前|也|已|股权|股份|发布|公告|首席|董事|法人|总经理|副总|$)",
            rf"{_CLAUSE}{_NAME}(?={_WHEN}(?:持有|收购|增持|减持|举牌|控股|参股|入股|受让|并购|认购|抛售|出资|起诉|披露|公布|发布公告))",
            rf"{_CLAUSE}{_NAME}(?=(?:的|{_WHEN}|{_WHEN}[为是系]{_CHAR}{{2,10}}(?:的)?)(?:第?[一二三]?大股东|控股股东|实际控制人|母公司|全资子公司|控股子公司|子公司))",
        ),
    )
)  # fmt: skip


def placed_names(
    text: str, start: int, end: int, words: Callable[[str], Sequence[tuple[str, str, bool]]]
) -> Iterator[tuple[int, int]]:
    """Spans of a sentence that stand where a company's name does and are no common words.

    Args:
        words: what a tagger makes of a string: (word, class, whether its dictionary has the word).
    """
    for pattern in _PLACES:
        for match in pattern.finditer(text, start, end):
            if odd(words(match.group(1))):
                yield match.span(1)


def odd(words: Sequence[tuple[str, str, bool]]) -> bool:
    """True for what is not put together of common words alone, as a phrase is (优质资产, 目标企业)."""
    *first, (last, flag, known) = words
    if any(word in stop_words() for word, _, _ in first):
        return False
    name = any(not k or f.startswith(_NAMED) for _, f, k in first)
    phrase = any(k and f[:1] in _PHRASE for _, f, k in first)
    if last in _trades():
        return (name and not (phrase and last in stop_words())) or (
            len(first) == 1 and last not in stop_words() | {"资产", "能源", "黄金", "食品"} and not phrase
        )
    if phrase or last in stop_words() or last.endswith(("公司", "企业", "集团")):
        return False
    if known and flag[:1] in _PHRASE:
        return name and flag.startswith("v") and sum(len(w) for w, _, _ in words) <= 4
    return name or not known or flag.startswith(_NAMED)


@cache
def stop_words() -> frozenset[str]:
    """Words that name nobody, alone or within a phrase."""
    return frozenset(w for file in ("generic_zh.txt", "stop_zh.txt") for line in read_lines(file) for w in line.split())


@cache
def _trades() -> frozenset[str]:
    return frozenset(" ".join(read_lines("trades_zh.txt")).split())

"""Chinese texts with known names, made from templates, lists and jieba's dictionary: what the small model learns from.

Every slot that is filled is a label; what the rules are sure of beside the slots is one as well.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from h3cold.kg.names import read_lines
from h3cold.kg.ner_zh import find_names
from h3cold.kg.words_zh import tagger
from h3cold.schemas.graph import EntityType

_SLOT = re.compile(r"\{([A-Z])(\d?)\}")
_TYPES: dict[str, EntityType] = {
    "L": "ORG", "F": "ORG", "O": "ORG", "H": "ORG", "E": "ORG", "S": "ORG", "P": "PERSON", "G": "AGENCY", "C": "PLACE",
}  # fmt: skip
_SURE, _LONG = 0.75, 5
"""Weight and length from which a rule's name is taken for true where no slot stands."""
_FORMS = (
    "有限公司",
    "股份有限公司",
    "有限责任公司",
    "集团有限公司",
    "集团股份有限公司",
    "集团",
    "公司",
    "集团公司",
    "控股有限公司",
)
_OFFICES = (
    "证监局",
    "市公安局",
    "市税务局",
    "市市场监督管理局",
    "市中级人民法院",
    "省高级人民法院",
    "市生态环境局",
    "市人民政府",
    "海关",
    "银保监局",
)
_SOUNDS = "斯特尔德克马罗拉巴卡洛迪雷尼兰森格布维塔奥莱伦姆逊索西亚安诺莫哈凯费加普利帕多伯顿"
_LATIN = "alanarbocacodadeelenfagohainkalalomaminanoorpararisasesotatetitovavevixo"
_HALF = str.maketrans("，：（）", ",:()")
_FREQUENT = 400
"""Count in jieba's dictionary from which a word is common enough for a sentence."""


class Labelled(NamedTuple):
    """A text and its names as (start, end, type), in order and without overlap."""

    text: str
    names: tuple[tuple[int, int, EntityType], ...]


class Lists(NamedTuple):
    """What slots are filled from."""

    listed: tuple[str, ...]
    trades: tuple[str, ...]
    titles: tuple[str, ...]
    families: tuple[str, ...]
    given: str
    agencies: tuple[str, ...]
    places: tuple[str, ...]
    nouns: tuple[str, ...]
    verbs: tuple[str, ...]
    stems: str


def silver(seed: int, rounds: int, *, held_out: bool) -> Iterator[Labelled]:
    """`rounds` fillings of each template; every fifth template and every fifth listed name are for `held_out` alone."""
    rng, lists = random.Random(seed), _lists(held_out)
    templates = [t for i, t in enumerate(read_lines("silver_zh.txt")) if (i % 5 == 4) == held_out]
    for _ in range(rounds):
        for template in templates:
            pieces = [template] if rng.random() < 0.7 else [template, rng.choice(templates)]
            filled = [_fill(piece, rng, lists) for piece in pieces]
            one = filled[0]
            for more in filled[1:]:
                by = len(one.text)
                one = Labelled(one.text + more.text, (*one.names, *((a + by, b + by, t) for a, b, t in more.names)))
            if rng.random() < 0.4:
                one = one._replace(text=one.text.translate(_HALF))
            yield _with_rules(one)


def _with_rules(one: Labelled) -> Labelled:
    names = list(one.names)
    for span in sorted(find_names(one.text, model=False), key=lambda s: -s.weight):
        apart = all(span.end <= a or b <= span.start for a, b, _ in names)
        if span.weight >= _SURE and len(span.text) >= _LONG and apart:
            names.append((span.start, span.end, span.type))
    return one._replace(names=tuple(sorted(names)))


def _fill(template: str, rng: random.Random, lists: Lists) -> Labelled:
    text, at, names = "", 0, []
    kept: dict[str, str] = {}
    for slot in _SLOT.finditer(template):
        text, at = text + template[at : slot.start()], slot.end()
        kind, number = slot.groups()
        if kind == "S":
            filling = kept["S" + number]
        elif kind == "F" and number:
            filling, kept["S" + number] = _full_name(rng, lists)
        else:
            filling = _MAKERS[kind](rng, lists)
        if kind in _TYPES:
            names.append((len(text), len(text) + len(filling), _TYPES[kind]))
        text += filling
    return Labelled(text + template[at:], tuple(names))


@cache
def _lists(held_out: bool) -> Lists:
    listed = " ".join(read_lines("listed_zh.txt")).split()
    tagger().dt.initialize()
    known, counts = tagger().dt.word_tag_tab, tagger().dt.FREQ
    chosen = tuple(n for i, n in enumerate(listed) if (i % 5 == 4) == held_out)
    single, double, titles = read_lines("people_zh.txt")
    trades = tuple(" ".join(read_lines("trades_zh.txt")).split())
    spelt = [n for file in ("places.txt", "agencies.txt") for line in read_lines(file) for n in line.split("|")]
    gazetteer = {n for n in spelt if not n.isascii()}
    agencies = {n for line in read_lines("agencies.txt") for n in line.split("|") if not n.isascii()}

    def words(flags: Sequence[str], sizes: Sequence[int], least: int) -> tuple[str, ...]:
        found = (w for w, f in known.items() if f in flags and len(w) in sizes and counts.get(w, 0) >= least)
        return tuple(sorted(w for w in found if all("\u4e00" <= c <= "\u9fff" for c in w)))

    people = [w for w in words(("nr",), (3,), 3) if w[0] in single]
    stems = "".join(n[:2] for n in chosen if not n.isascii() and n[:2] not in gazetteer)
    return Lists(
        chosen,
        trades,
        tuple(titles.split()),
        (*(single * 6), *double.split()),
        "".join(w[1:] for w in people),
        tuple(sorted(agencies)),
        (*sorted(gazetteer - agencies), *words(("ns",), (2, 3), 60)),
        words(("n", "vn", "n"), (2, 3, 4), _FREQUENT),
        words(("v",), (2,), _FREQUENT),
        "".join(c for c in stems if "\u4e00" <= c <= "\u9fff"),
    )


def _stem(rng: random.Random, lists: Lists) -> str:
    return "".join(rng.choice(lists.stems) for _ in range(rng.choice((2, 2, 2, 3))))


def _with_trade(rng: random.Random, lists: Lists) -> str:
    return _stem(rng, lists) + rng.choice(lists.trades)


def _short_name(rng: random.Random, lists: Lists) -> str:
    kind = rng.random()
    if kind < 0.45:
        return rng.choice(lists.listed)
    if kind < 0.7:
        return _with_trade(rng, lists)
    if kind < 0.78:
        return rng.choice(lists.places)[:2] + rng.choice((_stem(rng, lists), rng.choice(lists.trades)))
    return _stem(rng, lists) + (rng.choice(("集团", "股份", "公司", "控股")) if kind > 0.92 else "")


def _full_name(rng: random.Random, lists: Lists) -> tuple[str, str]:
    """A full name, and the short form of it."""
    place, stem = rng.choice(lists.places) if rng.random() < 0.6 else "", _stem(rng, lists)
    place += rng.choice(("市", "省")) if len(place) == 2 and rng.random() < 0.3 else ""
    trades = "".join(rng.choice(lists.trades) for _ in range(rng.choice((1, 1, 2))))
    bracket = f"（{rng.choice(lists.places)}）" if rng.random() < 0.06 else ""
    short = rng.choice((stem, stem + trades[:2], place[:2] + stem))
    return place + stem + bracket + trades + rng.choice(_FORMS), short


def _foreign(rng: random.Random, lists: Lists) -> str:
    if rng.random() < 0.35:
        name = "".join(
            _LATIN[2 * i : 2 * i + 2] for i in (rng.randrange(len(_LATIN) // 2) for _ in range(rng.randint(2, 4)))
        )
        name = rng.choice((name.upper(), name.title(), name[:3].upper()))
    else:
        name = "".join(rng.choice(_SOUNDS) for _ in range(rng.randint(2, 5)))
    return name + rng.choice(("", "", "", "公司", "集团"))


def _person(rng: random.Random, lists: Lists) -> str:
    if rng.random() < 0.08:
        parts = ["".join(rng.choice(_SOUNDS) for _ in range(rng.randint(2, 3))) for _ in range(2)]
        return rng.choice((parts[0], "·".join(parts)))
    given = "".join(rng.choice(lists.given) for _ in range(rng.choice((1, 2, 2, 2))))
    return rng.choice(lists.families) + given


def _agency(rng: random.Random, lists: Lists) -> str:
    known = rng.random() < 0.6
    return rng.choice(lists.agencies) if known else rng.choice(lists.places)[:3] + rng.choice(_OFFICES)


def _number(rng: random.Random, lists: Lists) -> str:
    whole = rng.choice((rng.randint(1, 99), rng.randint(100, 9999), 10))
    return f"{whole}.{rng.randint(0, 99)}" if rng.random() < 0.4 else str(whole)


def _money(rng: random.Random, lists: Lists) -> str:
    return _number(rng, lists) + rng.choice(("万元", "亿元", "万美元", "亿港元", "亿欧元", "元"))


def _day(rng: random.Random, lists: Lists) -> str:
    year, month, day = rng.randint(1998, 2026), rng.randint(1, 12), rng.randint(1, 28)
    return rng.choice((f"{year}年{month}月{day}日", f"{month}月{day}日", f"{year}年", "日前", "近日", "昨日", "今日"))


def _either(rng: random.Random, lists: Lists) -> str:
    return _full_name(rng, lists)[0] if rng.random() < 0.4 else _short_name(rng, lists)


_MAKERS: dict[str, Callable[[random.Random, Lists], str]] = {
    "L": _short_name,
    "F": lambda rng, lists: _full_name(rng, lists)[0],
    "O": _either,
    "H": _with_trade,
    "E": _foreign,
    "P": _person,
    "T": lambda rng, lists: rng.choice(lists.titles),
    "G": _agency,
    "C": lambda rng, lists: rng.choice(lists.places),
    "W": lambda rng, lists: rng.choice(lists.nouns),
    "V": lambda rng, lists: rng.choice(lists.verbs),
    "N": _number,
    "D": _day,
    "M": _money,
    "B": lambda rng, lists: rng.choice(lists.trades),
    "X": lambda rng, lists: rng.choice(lists.nouns) + rng.choice(("管理办法", "法", "条例", "规定", "实施细则")),
}

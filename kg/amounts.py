"""Printed values as numbers that can be compared: amounts with their currency, and shares."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import NamedTuple


class Amount(NamedTuple):
    """A number and its unit: an ISO 4217 currency, "%", or "" where none is said."""

    number: float
    unit: str


_CURRENCY = (
    ("HKD", r"HK\$|HKD|港元|港币"),
    ("TWD", r"NT\$|TWD|新台币|新臺幣"),
    ("AUD", r"(?<![A-Z])A\$|AUD|澳元"),
    ("CAD", r"(?<![A-Z])C\$|CAD|加元"),
    ("SGD", r"(?<![A-Z])S\$|SGD|新加坡元"),
    ("USD", r"US\$|U\.S\.\s?\$|USD|\bU\.?S\.?\sdollars?|美元|美金"),
    ("EUR", r"€|EUR|\beuros?\b|欧元"),
    ("GBP", r"£|GBP|\bpounds?\b|英镑"),
    ("JPY", r"JPY|\byen\b|日元"),
    ("CNY", r"RMB|CNY|人民币|\byuan\b|\brenminbi\b|¥|元"),
    ("USD", r"\$|\bdollars?\b"),
)
_COMPILED = tuple((code, re.compile(pattern, re.IGNORECASE)) for code, pattern in _CURRENCY)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SCALE = (
    ("万亿", 1e12), ("千亿", 1e11), ("百亿", 1e10), ("十亿", 1e9), ("亿", 1e8), ("千万", 1e7), ("百万", 1e6),
    ("十万", 1e5), ("万", 1e4), ("千", 1e3),
    ("trillion", 1e12), ("billion", 1e9), ("bn", 1e9), ("million", 1e6), ("mn", 1e6),
    ("thousand", 1e3),
)  # fmt: skip
_HAN = (
    {c: i for i, c in enumerate("零一二三四五六七八九")}
    | {"〇": 0, "○": 0, "两": 2}
    | dict(zip("壹贰叁肆伍陆柒捌玖", range(1, 10), strict=True))
)
_TENS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_HAN_NUMBER = re.compile("[" + "".join([*_HAN, *_TENS]) + "万亿点]+")


def amount(text: str) -> Amount | None:
    """The first amount or share of a printed value: "RMB 3.5 million" -> (3500000, "CNY"), "百分之五" -> (5, "%").

    None where it has no number. A number in brackets is negative, as accounts print it.
    """
    plain = unicodedata.normalize("NFKC", text).replace("in thousands", "thousand").replace("in millions", "million")
    plain = plain.replace("in billions", "billion")
    unit = "%" if re.search(r"%|per\s?cent|percentage|百分|basis point", plain) else ""
    unit = unit or next((code for code, pattern in _COMPILED if pattern.search(plain)), "")
    found = _NUMBER.search(plain)
    if found is not None:
        number, rest = float(found.group().replace(",", "")), plain[found.end() :].casefold()
        if re.search(r"[(-]\s?[^\w\s]?\s?$", plain[: found.start()]) and "%" not in plain[: found.start()]:
            number = -number
    elif (spelt := _HAN_NUMBER.search(plain.replace("百分之", ""))) is not None:
        return Amount(_han(spelt.group()), unit)
    else:
        return None
    if unit == "%":
        return Amount(number / 100 if "basis point" in rest else number, unit)
    scale = next((by for word, by in _SCALE if re.match(r"[\s()]{0,3}[^\d\s]{0,3}?[\s()]{0,2}" + word, rest)), 1.0)
    return Amount(_times(number, scale), unit)


def _times(number: float, by: float) -> float:
    """The product as one would write it: 2.594 hundred million is 259400000, not 259399999.99999997."""
    return float(Decimal(str(number)) * Decimal(by))


def _han(text: str) -> float:
    """The value of a spelt number: 一千二百万 -> 12000000, 五点六 -> 5.6."""
    whole, _, part = text.partition("点")
    total = section = digit = 0
    for char in whole:
        if char in _HAN:
            digit = _HAN[char]
        elif char in _TENS:
            section += (digit or 1) * _TENS[char]
            digit = 0
        else:
            total = (total + section + digit) * (10_000 if char == "万" else 100_000_000)
            section = digit = 0
    tail = float("0." + "".join(str(_HAN.get(c, 0)) for c in part)) if part else 0.0
    return total + section + digit + tail

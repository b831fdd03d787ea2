"""The words that full-text search works on: one function for what is indexed and for what is asked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache

from h3cold.ingest.han import dictionary

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc"
_SPACED_HAN = re.compile(rf"(?<!\S)[{_HAN}](?:[ \t]+[{_HAN}])+(?!\S)")
_HAN_YEAR = re.compile("(?<![〇零一二三四五六七八九])[一二][〇零一二三四五六七八九]{3}(?=年)")
_TOKEN = re.compile(
    rf"(?P<han>[{_HAN}{_KANA}]+)"
    r"|(?P<abbreviation>(?<![^\W_])(?:[^\W\d_]\.){2,})"  # U.S., e.g.
    r"|(?P<form>(?<![\w.,])\d{1,3}-[a-z](?![^\W_]))"  # 10-K
    r"|(?P<dotted>\d+(?:\.\d+){2,})"  # section 4.10.2, version and IP numbers
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+\.\d+|(?<![\w.])\.\d+)"
    rf"|(?P<word>(?:(?![{_HAN}{_KANA}])[^\W_])+(?:'[^\W\d_]+)?)"
    r"|(?P<percent>%|‰)"
)
_IS_KANA = re.compile(rf"[{_KANA}]").match
_PIECES = re.compile(r"\d+|[^\W\d_]+")
_YEAR_DIGITS = str.maketrans("〇零一二三四五六七八九", "00123456789")
# Marks that NFKC keeps although they are not part of a word, and the apostrophes that are.
_CLEAN = {0x00AD: None, 0x200B: None, 0x200C: None, 0x200D: None, 0xFEFF: None, 0x2019: "'", 0x2018: "'", 0x2212: "-"}
_CLEAN |= dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013), "-")
_LONGEST = 64
_STOP = frozenset(
    re.findall(
        r"[a-z]+",
        """
    a about above after again all also am an and any are as at be because been before being below between both but
    by can cannot could dont did do does doing during each either for from further had has have having he her here
    hers him his how however i if in into is it its itself me more most my no nor not of off on once only or other
    our ours out over own s same she should so some such than that the their theirs them then there these they this
    those through to too under until up upon very was we were what when where which while who whom whose why will
    with would you your yours
        """,
    )
)
_HAN_STOP = frozenset("的了是在和与及或之其于为以而也将对由被把从该等这那都就所有个年月日")


def lexical(text: str) -> list[str]:
    """Search tokens of a text, in order; none holds a blank, every one is lower-case.

    Words are stemmed (Snowball English) and English stop words left out; numbers lose their thousands separators,
    signs and trailing zeros ("1,234.50" and "(1234.5)" are one token, "12.5%" is "12.5" and "percent"); full-width
    forms are half-width, accents folded; mixed codes come whole and in parts ("FY2023": fy2023, fy, 2023).
    Han runs come as words (see `han`) and as the character bigrams that are not words already.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_CLEAN)
    text = text.lower()
    if not text.isascii():
        text = _SPACED_HAN.sub(lambda m: "".join(m[0].split()), text)
        text = _HAN_YEAR.sub(lambda m: m[0].translate(_YEAR_DIGITS), text)
        text = _fold(text)
    out: list[str] = []
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or ""
        out += _READERS[kind](found[0])
    return out


def _fold(text: str) -> str:
    # Accents only: a mark on a Latin, Greek or Cyrillic letter. Marks of other scripts spell different words.
    decomposed = unicodedata.normalize("NFD", text)
    if len(decomposed) == len(text):
        return text
    return unicodedata.normalize("NFC", re.sub("[\u0300-\u036f]+", "", decomposed))


@lru_cache(maxsize=1 << 16)
def _read_word(word: str) -> tuple[str, ...]:
    stem, _, ending = word[:_LONGEST].partition("'")
    word = stem + (ending if ending != "s" else "")
    if word.isalpha():
        return () if word in _STOP else (_stem(word),)
    pieces = _PIECES.findall(word)
    parts = (_stem(p) if p.isalpha() else p for p in pieces if len(p) > 1) if 1 < len(pieces) <= 3 else ()
    return word, *parts


def _read_number(number: str) -> Iterator[str]:
    whole, _, fraction = number.replace(",", "").partition(".")
    kept = fraction.rstrip("0")
    whole = whole or "0"
    yield f"{whole}.{kept}" if kept else whole
    if fraction != kept and "," not in number and len(whole) < 3:
        yield f"{whole}.{fraction}"  # may be a section: 4.10 is not 4.1


def _read_han(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield from () if run in _HAN_STOP else (run,)
        return
    words = dictionary().cut_for_search(run)
    yield from (w for w in words if len(w) > 1 or (w not in _HAN_STOP and not _IS_KANA(w)))
    known = set(words)
    yield from (pair for i in range(len(run) - 1) if (pair := run[i : i + 2]) not in known)


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    return _stemmer()(word)


@cache
def _stemmer() -> Callable[[str], str]:
    import snowballstemmer

    stem: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord
    return stem


_READERS: dict[str, Callable[[str], Iterable[str]]] = {
    "han": _read_han,
    "word": _read_word,
    "number": _read_number,
    "abbreviation": lambda t: iter([t.replace(".", "")]),
    "form": lambda t: iter([t.replace("-", ""), t.partition("-")[0]]),
    "dotted": lambda t: iter([t]),
    "percent": lambda t: iter(["percent"]),
}

"""Characters that a page shows but its text layer names wrongly: TeX's symbols and accents, Arabic's lam-alef.

Fonts of TeX often come without a map to Unicode. Their symbols then have no value (U+FFFD), their accents stand as
characters of their own before the letter (`Poincar´e`). The codes of the fonts are those of Knuth's "Computer Modern
Typefaces" (1986) and of AMSFonts; what they stand for is taken from TeX Live's `texglyphlist`.
An Arabic font draws lam and alef as one glyph; where both letters were given for it, they come in the page's order.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

import pymupdf

from h3cold.ingest.signs import signs
from h3cold.schemas.geometry import BBox, union

_OMX = (
    "()[]⌊⌋⌈⌉{}⟨⟩|∥/\\()()[]⌊⌋⌈⌉{}⟨⟩/\\()[]⌊⌋⌈⌉{}⟨⟩/\\/\\⎛⎞⎡⎤⎣⎦⎢⎥⎧⎫⎩⎭⎨⎬⎪⏐⎝⎠⎜⎟⟨⟩"
    "⊔⊔∮∮⊙⊙⊕⊕⊗⊗∑∏∫⋃⋂⊎⋀⋁∑∏∫⋃⋂⊎⋀⋁∐∐ˆˆˆ˜˜˜[]⌊⌋⌈⌉{}√√√√√√√‖↑↓︷︷︸︸⇑⇓"
)
_OMS = (
    "−·×∗÷⋄±∓⊕⊖⊗⊘⊙◯∘∙≍≡⊆⊇≤≥⪯⪰∼≈⊂⊃≪≫≺≻←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝′∞∈∋△▽\u0338↦∀∃¬∅ℜℑ⊤⊥ℵ"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ∪∩⊎∧∨⊢⊣⌊⌋⌈⌉{}⟨⟩|∥↕⇕\\≀√⨿∇∫⊔⊓⊑⊒§†‡¶♣♢♡♠"
)
_OML = (
    "ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχψωεϑϖϱςφ↼↽⇀⇁↪↩▷◁0123456789.,<>/⋆∂"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ♭♮♯⌣⌢ℓabcdefghijklmnopqrstuvwxyzıȷ℘⃗⁀"
)
_MSB = (
    "≨≩≰≱≮≯⊀⊁≨≩⪇⪈⪇⪈⋠⋡⋨⋩⋦⋧≰≱⪵⪶⪹⪺⪉⪊≁≇╱╲⊊⊋⊈⊉⫋⫌⫋⫌⊊⊋⊈⊉∦∤∤∦⊬⊮⊭⊯⋭⋬⋪⋫↚↛⇍⇏⇎↮⋇∅∄"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZℲ⅁˜˜ˆˆ\ufffd\ufffd\ufffd\ufffd\ufffd℧ð≂ℶℷℸ⋖⋗⋉⋊∣∥∖∼≈≊⪸⪷↶↷ϝϰkℏℏ϶"
)
_TEX: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), codes)
    for pattern, codes in ((r"CMEX\d", _OMX), (r"CM(?:SY|BSY)\d", _OMS), (r"CMMI(?:B)?\d", _OML), (r"MSBM\d", _MSB))
)
"""Fonts by their name, and what their codes from 0 on stand for."""

_ACCENTS = "´`¨ˆ˜¯˘˙˚ˇ"
_ACCENTED = re.compile(f"([{_ACCENTS}])([A-Za-zıȷΑ-ω])")
_COMBINING = str.maketrans("´`¨ˆ˜¯˘˙˚ˇ", "\u0301\u0300\u0308\u0302\u0303\u0304\u0306\u0307\u030a\u030c")
_UNDOTTED = {"ı": "i", "ȷ": "j"}
_TEX_TEXT = re.compile(r"CM(?:R|BX|TI|SL|SS|MI|CSC|TT|B)[A-Z]*\d")
_ALEF = "اأإآ"

Block = dict[str, Any]


def needs_mending(text: str) -> bool:
    """Whether a page's text has signs of what `mended_blocks` mends; most pages have none."""
    return not text.isascii() and bool("\ufffd" in text or "ل" in text or _ACCENTED.search(text))


def mended_blocks(page: pymupdf.Page, flags: int) -> list[Block]:
    """The page's blocks as `extractDICT` has them, each character named by what is printed."""
    blocks: list[Block] = page.get_text("rawdict", flags=flags)["blocks"]
    codes: dict[tuple[str, int, int], str] = {}
    if any(_table(s["font"]) and any(c["c"] == "\ufffd" for c in s["chars"]) for s in _spans(blocks)):
        coded = page.get_text("rawdict", flags=flags | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE)["blocks"]
        codes = {_place(s, c): c["c"] for s in _spans(coded) if _table(s["font"]) for c in s["chars"]}
    for span in _spans(blocks):
        chars = span["chars"]
        _swap_lam_alef(chars)
        table = _table(span["font"])
        if table:
            for char in chars:
                if char["c"] == "\ufffd":
                    char["c"] = _named(table, codes.get(_place(span, char), "\ufffd"))
        span["text"] = text_of(span["font"], "".join([c["c"] for c in chars]))
    return blocks


def mended_words(blocks: list[Block]) -> Iterator[tuple[str, BBox]]:
    """The blank-separated words of `mended_blocks` with their boxes; a word does not go on into another line."""
    for block in blocks:
        for line in block.get("lines", ()):
            word: list[str] = []
            box: list[BBox] = []
            for span in line["spans"]:
                for char, named in zip(span["chars"], _by_char(span), strict=True):
                    if not named.isspace():
                        word.append(named)
                        box.append(tuple(char["bbox"]))
                    elif word:
                        yield "".join(word), union(box)
                        word, box = [], []
            if word:
                yield "".join(word), union(box)


def _by_char(span: Mapping[str, Any]) -> list[str]:
    """A span's mended text, one piece for each of its characters: an accent that went to its letter leaves none."""
    chars = [c["c"] for c in span["chars"]]
    if len(span["text"]) == len(chars):
        return list(span["text"])
    out = []
    for n, char in enumerate(chars):
        if char in _ACCENTS and n + 1 < len(chars) and _ACCENTED.fullmatch(char + chars[n + 1]):
            out.append("")
        elif n and out[-1] == "" and chars[n - 1] in _ACCENTS:
            out.append(_ACCENTED.sub(_composed, chars[n - 1] + char))
        else:
            out.append(char)
    return out


def text_of(font: str, text: str) -> str:
    """A span's text with TeX's accents on their letters, and the codes of fonts of signs as signs."""
    text = signs(font, text)
    return text if text.isascii() or not _TEX_TEXT.match(font) else _ACCENTED.sub(_composed, text)


def _composed(match: re.Match[str]) -> str:
    letter = _UNDOTTED.get(match[2], match[2])
    return unicodedata.normalize("NFC", letter + match[1].translate(_COMBINING))


def _spans(blocks: list[Block]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        for line in block.get("lines", ()):
            yield from line["spans"]


def _table(font: str) -> str | None:
    return next((codes for pattern, codes in _TEX if pattern.match(font)), None)


def _named(table: str, code: str) -> str:
    return table[ord(code)] if ord(code) < len(table) else "\ufffd"


def _place(span: Mapping[str, Any], char: Mapping[str, Any]) -> tuple[str, int, int]:
    x, y = char["origin"]
    return span["font"], round(10 * x), round(10 * y)


def _swap_lam_alef(chars: list[dict[str, Any]]) -> None:
    """An alef without a width at the right edge of a lam is that lam's second half."""
    for n in range(len(chars) - 1):
        a, b = chars[n], chars[n + 1]
        if b["c"] == "ل" and a["c"] in _ALEF and a["bbox"][2] - a["bbox"][0] < 0.1 < b["bbox"][2] - b["bbox"][0]:
            a["c"], b["c"] = b["c"], a["c"]

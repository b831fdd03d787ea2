"""Which script a character belongs to, and how pieces of text are joined across lines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
CJK = HAN + "\u3000-\u3004\u3008-\u3020\u3030-\u30ff\u31f0-\u31ff\ufe30-\ufe4f\uff00-\uff64\uff66-\uff9f\uffe0-\uffee"
"""Regex classes (without brackets): Han characters; those plus kana and full-width signs, all written unspaced."""

_HAN = re.compile(f"[{HAN}]")
_FORMS = re.compile("[\ufb00-\ufb06\ufb1d-\ufdfb\ufe70-\ufefc]")
_LAM_ALEF = re.compile("ا([أإآ])ل")
_CJK = re.compile(f"[{CJK}]")
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufefc]")
_GAP = re.compile(f"(?<=[{CJK}])[ \u00a0](?=[{CJK}])")
_PRINTED_GAP = re.compile(f"(?<=\\S[{CJK}])(?<![。，、；！？])[ \u00a0](?=[{CJK}]\\S)")
_SPREAD = re.compile(f"(?:^|[ \u00a0])[{CJK}][ \u00a0]+[{CJK}](?=[ \u00a0]|$)")
_CLAUSE = re.compile("(第[一二三四五六七八九十百零〇\\d]{1,6}[编篇部章节条款项])[ \u00a0\u3000]+")
_LEADERS = re.compile("(?:[.·…_\ufffd]\\s?){4,}")
_NEGATED = re.compile("\u0338\\s?([=<>≤≥∈∋⊂⊃⊆⊇≡∼≈≃∃∣∥⇒⇐⇔])")
_ASCII_BLANKS = b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"
_NO_ASCII_LETTERS = bytes(c for c in range(256) if c > 127 or not chr(c).isalpha())
_ASCII = bytes(range(128))
_SPACES = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u205f]{2,}|[\t\u00a0\u2000-\u200a\u202f\u205f]")
_INVISIBLE = re.compile("[\u200b\u200c\u2060\ufeff\x00-\x08\x0b-\x1f\x7f]")
_LAST_WORD = re.compile(r"(\w+)[-\u2010\u00ad]$")
_FIRST_WORD = re.compile(r"\w+")

_FIRST_HALVES = """
after all anti best business class cost cross cutting decision double down end ever ex fact far first five
four free full fully good half hand hard high in income inter interest joint large life long low lower macro
market mid mono multi near newly no non off on one open over part per performance point post pre present price
privately publicly quarter quasi real re risk second self semi set seven short side single six small so state
step sub tax ten third three time top trade tri two under up upper value vice well wholly wide world write
year
"""

COMPOUNDS = frozenset(_FIRST_HALVES.split())
"""First halves that usually keep their hyphen when a line breaks after it (long-term, non-cash)."""


def is_cjk(char: str) -> bool:
    """Whether a character is written without blanks around it (Han, kana, full-width punctuation)."""
    return char >= "\u2e80" and _CJK.match(char) is not None


def plain(text: str) -> str:
    """Text with ligatures and Arabic presentation forms as the letters they stand for, in reading order."""
    if text.isascii():
        return text
    if _FORMS.search(text):
        text = _FORMS.sub(lambda m: unicodedata.normalize("NFKC", m[0]), text)
    # one glyph for lam and alef whose two letters came in the order of the page, not of the word
    return _LAM_ALEF.sub("ال\\1", text) if "ا" in text else text


def count_letters(text: str) -> int:
    """Number of characters that are no blanks."""
    if not text.isascii():
        return len("".join(text.split()))
    return len(text.encode().translate(None, _ASCII_BLANKS))


def count_alphabetic(text: str) -> int:
    """Number of letters of any script."""
    others = sum(map(str.isalpha, beyond_ascii(text)))
    return len(text.encode(errors="replace").translate(None, _NO_ASCII_LETTERS)) + others


def beyond_ascii(text: str) -> str:
    """The characters of a text that are not ASCII, without halves of surrogate pairs."""
    return "" if text.isascii() else text.encode(errors="replace").translate(None, _ASCII).decode()


def rtl_count(text: str) -> int:
    """Number of letters of scripts that are written from right to left."""
    return 0 if text.isascii() else len(_RTL.findall(text))


def han_count(text: str) -> int:
    """Number of Han characters."""
    return 0 if text.isascii() else len(_HAN.findall(text))


def tidy(text: str, *, printed: bool = False) -> str:
    """One line's text without control characters, doubled blanks and stray blanks between CJK characters.

    A wide gap between CJK characters stays one blank, as does the one behind the number of a clause (`第三条 …`);
    dots that lead to a page number become one sign. Where the blanks are `printed`, not OCR's guesses, single ones
    between words (`单位：元 币种：人民币`) stay as well, unless the line is spread out character by character.
    """
    if (
        text.isascii()
        and text.isprintable()
        and "  " not in text
        and not ("." in text and _led(text))
        and ("____" not in text)
    ):
        return text.strip()
    text = _INVISIBLE.sub("", text)
    if not text.isascii():
        if "\u0338" in text:  # TeX strikes a sign out before it sets it
            text = _NEGATED.sub(lambda m: unicodedata.normalize("NFC", m[1] + "\u0338"), text)
        if _CJK.search(text):
            text = _CLAUSE.sub("\\1  ", text) if "第" in text else text
            if printed and not _SPREAD.search(text):
                text = _PRINTED_GAP.sub("  ", text)
            text = _GAP.sub("", text).replace("\u3000", " ")
    if "...." in text or ". . ." in text or "····" in text or "……" in text or "____" in text or "\ufffd" * 4 in text:
        text = _LEADERS.sub(" … ", text) if text.strip("._·… ") else ""
    return _SPACES.sub(" ", text).strip()


def _led(text: str) -> bool:
    """Whether there may be dots that lead to a page number in ASCII text."""
    return "...." in text or ". . ." in text


def join_pieces(pieces: Sequence[str]) -> str:
    """Pieces that stand side by side on one baseline with wide gaps between them."""
    if len(pieces) == 1:
        return pieces[0]
    if all(len(p) == 1 and is_cjk(p) for p in pieces):
        return "".join(pieces)  # a spaced-out title
    return " ".join(pieces)


def join_lines(lines: Sequence[str], *, known: Collection[str] = ()) -> str:
    """Lines of one paragraph as running text.

    A hyphen at a line's end goes when the word was only broken there: `known` is the words of the same page (lower
    case), which decides for words that also stand there unbroken. CJK lines are joined without a blank.
    """
    out = lines[0]
    for line in lines[1:]:
        if not out or not line:
            out += line
            continue
        last, first = out[-1], line[0]
        if last in "-\u2010\u00ad":
            out = _join_broken(out, line, known)
        elif (is_cjk(last) or is_cjk(first)) and not ("\uac00" <= first <= "\ud7a3" or "\uac00" <= last <= "\ud7a3"):
            out += line
        else:
            out += " " + line
    return out.replace("\u00ad", "")


def _join_broken(head: str, tail: str, known: Collection[str]) -> str:
    before, after = _LAST_WORD.search(head), _FIRST_WORD.match(tail)
    if not before or not after:
        return head + (" " if len(head) > 1 and head[-2] == " " else "") + tail
    if head[-1] == "\u00ad":
        return head[:-1] + tail
    capitals = len(before[1]) > 1 and before[1].isupper() and after[0].isupper()
    if not (after[0][0].islower() or capitals) or not before[1][-1].isalpha():
        return head + tail
    left, right = before[1].lower(), after[0].lower()
    if left + right in known:
        return head[:-1] + tail
    if f"{left}-{right}" in known or left in COMPOUNDS:
        return head + tail
    return head[:-1] + tail

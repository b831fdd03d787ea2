"""Fonts of signs: what their codes show, where a file gives the code (or a private one) in place of the sign.

The codes are those of Adobe's ZapfDingbats encoding (PDF 32000-1, annex D.6) and of Microsoft's Wingdings fonts, as
Unicode 7.0 mapped them (L2/11-052); of the latter only check marks, boxes, bullets and arrows, which tell something.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

_WINGDINGS = {
    0x6C: "●", 0x6E: "■", 0x6F: "☐", 0x70: "☐", 0x71: "□", 0x72: "□", 0x75: "◆", 0x76: "❖", 0x77: "◆", 0x78: "☒",
    0x9F: "•", 0xA1: "○", 0xA7: "▪", 0xA8: "☐", 0xAB: "★", 0xD8: "➢", 0xE0: "→", 0xE8: "➔", 0xF0: "⇨", 0xFB: "✗",
    0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_WINGDINGS2 = {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0x97: "●", 0xA2: "■", 0xA3: "☐"}
_WEBDINGS = {0x61: "✓", 0x63: "☐", 0x67: "■", 0x6E: "●", 0x72: "✗"}
_ZAPF = {code: chr(0x26E0 + code) for code in range(0x21, 0x7F)} | {
    0x25: "☎", 0x2A: "☛", 0x2B: "☞", 0x48: "★", 0x6C: "●", 0x6E: "■", 0x6F: "☐", 0x71: "☐", 0x73: "▲", 0x74: "▼",
    0x75: "◆", 0x77: "◗",
}  # fmt: skip
_FONTS: tuple[tuple[re.Pattern[str], dict[int, str]], ...] = (
    (re.compile(r"(?i)wingdings\s?-?2"), _WINGDINGS2),
    (re.compile(r"(?i)wingdings(?!\s?-?3)"), _WINGDINGS),
    (re.compile(r"(?i)webdings"), _WEBDINGS),
    (re.compile(r"(?i)zapf\s?dingbats"), _ZAPF),
)
_PRIVATE = re.compile("[\uf06e\uf06f\uf076\uf0a7\uf0a8\uf0d8\uf0fb-\uf0fe]")
_OWN = re.compile(r"(?i)symbol|awesome|icon|glyph")
"""Fonts whose private codes are other signs."""


@lru_cache(maxsize=1024)
def _codes(font: str) -> dict[int, str] | None:
    found = next((codes for pattern, codes in _FONTS if pattern.search(font)), None)
    return {} if found is None and _OWN.search(font) else found


def signs(font: str, text: str) -> str:
    """A span's text with the codes of a font of signs as the signs; as many characters as before."""
    codes = _codes(font)
    if codes is None:
        return text if text.isascii() else _PRIVATE.sub(lambda m: _sign(_WINGDINGS, m[0]), text)
    return "".join([_sign(codes, c) for c in text])


def has_codes(lines: Sequence[Any], text: str) -> bool:
    """Whether any of the lines' spans have codes in place of signs; `text` is what the lines say together."""
    fonts = {span.font for line in lines for span in line.spans}
    if not any(map(_codes, fonts)) and (text.isascii() or not _PRIVATE.search(text)):
        return False  # as on nearly all pages
    return any(signs(span.font, span.text) != span.text for line in lines for span in line.spans)


def _sign(codes: dict[int, str], char: str) -> str:
    code = ord(char)
    return codes.get(code - 0xF000 if 0xF020 <= code <= 0xF0FF else code, char)

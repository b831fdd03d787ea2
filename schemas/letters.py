"""Letters that patterns without case take for others, while looking them up as small letters does not."""

from __future__ import annotations

_TWINS = {"ı": "i", "İ": "I", "ſ": "s", "\u212a": "K"}
_TABLE = str.maketrans(_TWINS)


def plain_case(text: str) -> str:
    """`text` with ı, İ, ſ and the Kelvin sign as the letters that `re.IGNORECASE` matches them with, each one letter:
    places in the text stay the same. "Aprıl" and "ſecond" are then found by their names.
    """
    return text if text.isascii() or not any(c in text for c in _TWINS) else text.translate(_TABLE)

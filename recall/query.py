"""What a caller may ask: the query made clean, the intent checked."""

from __future__ import annotations

import difflib
import os
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, SupportsIndex

from h3cold.recall.filters import Where, parse_where, shown
from h3cold.schemas.errors import QueryError, UsageError
from h3cold.schemas.hit import INTENTS

LONGEST = 2000
"""Characters of a query that are read; a longer one is a document, and its head says what it is about."""

CUT = f"of the query only the first {LONGEST:,} characters were read"
"""What a hit's reason ends with where that is so."""

_SEEN = 4 * LONGEST
"""Characters that are cleaned for them: to look at each of a whole book takes long."""

_WIDEST = 18
"""Characters that one becomes at most as it is made plain."""

_WORDY = re.compile(r"[^\W_]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_CHINESE_SIGNS = "！（），：；？～"
"""Full-width signs that a Chinese question has as a matter of course; the patterns that read it know them."""
_FORM = re.compile(
    r"(?:\bplease\s+)?\b(?:writ\w+|giv\w+|return|express|provide|output|save|answer)\s+(?:down\s+)?(?:(?:the|your|an?)\s+)?(?:answers?\s+)?"
    r"(?:in|into|as|with)\s+(?:(?:the|an?)\s+)?"
    r"(?:list|int(?:eger)?|float(?:ing[- ]point)?|string|json|markdown|bullet[- ]point)s?\b"
    r"(?:\s+format)?(?:\s+with\s+\w+\s+decimals?(?:\s+places?)?)?"
    r"|\b(?:the|your)\s+answers?\s+(?:should|shall|must)\s+be\s+(?:formatted\s+as\s+)?(?:an?\s+)?(?:list|integer|float|string|json)\b"
    r"|,?\s*(?:\b(?:like|for example|such as)\b|\be\.g\.),?:?\s*\[[^\[\]]{0,80}\]"
    r"|请?(?:用|以)(?:列表|整数|小数|JSON|字符串)(?:的?(?:形式|格式))?(?:回答|作答|给出|输出)(?:答案)?",
    re.IGNORECASE,
)
"""What prompts say of the form that an answer is to have: it is not on the page."""


class Defaults(NamedTuple):
    """The section `recall` of a configuration that says nothing: reading a real one takes a seventh of a second."""

    top: int = 5
    candidates: int = 100
    mode: str = "full"
    weights: str = ""
    cross_encoder: str = ""


def clean_query(query: str) -> str:
    """`query` without control and invisible characters, blanks collapsed, at most 2,000 characters.

    Full-width and other forms of letters and digits become plain ones.

    Raises:
        QueryError: it is no text, or holds no letter, digit or Han character.
    """
    if not isinstance(query, str):
        raise QueryError(f"a query is text, not {type(query).__name__}")
    text = _visible(query)[:LONGEST].rstrip()
    if not _WORDY.search(text):
        shown = query.strip()[:40]
        raise QueryError(f"the query {shown!a} holds no word or number; ask with words" if shown else "empty query")
    return text


def without_form(text: str) -> str:
    """A clean query without what it says of the form of the answer; the whole where nothing else is said."""
    rest = re.sub(r"(?<=[.?!。？！])\s*[.,;:](?=\s|$)", "", " ".join(_FORM.sub(" ", text).split()))
    return rest if _WORDY.search(rest) else text


def is_cut(query: str) -> bool:
    """Whether `clean_query` leaves the end of this text out."""
    if len(query) * _WIDEST <= LONGEST:
        return False  # without cleaning it once more
    return len(query.strip()) > _SEEN or len(_visible(query)) > LONGEST


def _visible(query: str) -> str:
    head = query.strip()[:_SEEN]
    if head.isascii():
        return " ".join("".join(c if c.isprintable() else " " for c in head).split())
    signs = _CHINESE_SIGNS if _HAN.search(head) else ""
    plain = "".join(c if c.isascii() else _plain(c, signs) for c in head)
    return " ".join(unicodedata.normalize("NFC", "".join(map(_seen, plain))).split())


def _plain(c: str, signs: str) -> str:
    """Letters and digits as patterns look for them; ² and ½ stay, as 32 and 11/2 are other numbers."""
    folds = "！" <= c <= "～" if unicodedata.category(c)[0] != "L" else True
    return unicodedata.normalize("NFKC", c) if folds and c not in signs else c


def _seen(c: str) -> str:
    """What is left of a character: nothing of one that joins or parts letters unseen, a blank of other controls."""
    kind = unicodedata.category(c)
    return "" if kind == "Cf" else " " if kind[0] in "CZ" else c


def check_request(query: str, intent: str, top: int, where: Mapping[str, Any] | None) -> tuple[str, Where]:
    """The clean query, as `without_form` has it, and the checked filters, before anything is opened for them.

    Raises:
        QueryError: the query holds no word, or intent, top or a filter is not one that there is.
    """
    text = without_form(clean_query(query))
    check_intent(intent)
    check_top(top)
    return text, parse_where(where)


def check_intent(intent: str, *, document: bool = False) -> None:
    """Refuse an intent that is neither "auto" nor one of text, structure, relation, nor "document" where that works.

    Raises:
        QueryError: names the known ones, and the nearest.
    """
    known = ("auto", *INTENTS, *(("document",) if document else ()))
    if intent not in known:
        near = difflib.get_close_matches(shown(intent), known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        whole = "" if document else "; for whole documents call documents_like"
        raise QueryError(f"unknown intent {shown(intent)}; {hint}known: {', '.join(known)}{whole}")


def check_top(top: int) -> None:
    """Refuse a number of hits that cannot be.

    Raises:
        QueryError: `top` is no number from 1 to 1000.
    """
    _check_number("top", top, most=1000)


def check_folder(path: str | Path) -> Path:
    """A store's path, of which it is only sure that there can be one of this name.

    Raises:
        UsageError: no file can have it.
    """
    try:
        if b"\0" not in os.fsencode(where := Path(path)):
            return where
    except (TypeError, ValueError):
        pass
    raise UsageError(f"{shown(path)} is no path; give the folder of a cold store")


def check_candidates(candidates: int) -> None:
    """Refuse a number of candidates that cannot be.

    Raises:
        QueryError: `candidates` is no number from 1 to 100,000.
    """
    _check_number("candidates", candidates, most=100_000)


def _check_number(name: str, value: int, *, most: int) -> None:
    whole = isinstance(value, int | SupportsIndex) and not isinstance(value, bool)
    if not whole or not 1 <= value <= most:
        raise QueryError(f"{name} must be a number from 1 to {most}, not {shown(value)}")

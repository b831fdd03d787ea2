"""`where`: hard filters on documents and blocks."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from h3cold.schemas.block import BlockKind
from h3cold.schemas.errors import QueryError

DOCUMENT_KEYS = ("company", "period", "doctype", "language", "source", "document", "title")
KEYS = (*DOCUMENT_KEYS, "kind", "page")
KINDS: tuple[str, ...] = get_args(BlockKind)
LEADS = ("", "*/")
"""What may stand before a source's pattern: a bare name is found in any folder."""
LARGEST = 10**9
"""What numbers in filters are below."""
SHOWN = 80
"""Characters of a wrong value that an error shows."""
LONGEST = 1000
"""Characters of a value at most."""
_PAGES = re.compile(r"(\d{1,9})(?:\s*[-–:]\s*(\d{1,9})?)?")


class Where(NamedTuple):
    """Checked filters: `documents` key -> accepted values; kinds; inclusive page ranges. Empty means no limit."""

    documents: dict[str, tuple[str, ...]]
    kinds: tuple[str, ...]
    pages: tuple[tuple[int, int], ...]


def parse_where(where: Mapping[str, Any] | None) -> Where:
    """Check filters. A value is one text or a list of which any may hold; `page` takes 12, "12", "3-7", "40-".

    Raises:
        QueryError: an unknown key (names the known ones), or a value that the key cannot take.
    """
    documents: dict[str, tuple[str, ...]] = {}
    kinds: tuple[str, ...] = ()
    pages: tuple[tuple[int, int], ...] = ()
    if where is not None and not isinstance(where, Mapping):
        raise QueryError(f"where must map filter names to values, not {type(where).__name__}")
    for key, value in (where or {}).items():
        if key not in KEYS:
            near = difflib.get_close_matches(shown(key), KEYS, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise QueryError(f"unknown filter {shown(key)}; {hint}known: {', '.join(KEYS)}")
        values = _values(key, value)
        if key == "kind":
            kinds = tuple(_kind(v) for v in values)
        elif key == "page":
            pages = tuple(_page_range(v) for v in values)
        else:
            documents[key] = tuple(v.casefold() for v in values)
    return Where(documents, kinds, pages)


def accepts(where: Where, row: Mapping[str, Any]) -> bool:
    """Whether a `documents` row passes: globs for source and title, any part of the name for company, else equal."""
    for key, wanted in where.documents.items():
        if key == "source":
            have = [str(s).casefold() for s in (row["sources"] or [row["source"]])]
            # Every name is tried with a slash before it, so that **/a.pdf takes a.pdf at the top as well.
            if not any(fnmatch.fnmatchcase(f"/{h}", f"{lead}{w}") for h in have for w in wanted for lead in LEADS):
                return False
            continue
        have_one = str(row["id"] if key == "document" else row[key] or "").casefold()
        if key in ("company", "title"):
            good = any(w in have_one or fnmatch.fnmatchcase(have_one, w) for w in wanted)
        elif key == "period":
            good = any(_period(w) == _period(have_one) for w in wanted)
        else:
            good = have_one in wanted
        if not good:
            return False
    return True


def _values(key: str, value: Any) -> list[str]:
    many = list(value) if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)) else [value]
    out = [str(v).strip() for v in many if isinstance(v, str) or _is_number(v)]
    if len(out) != len(many) or not all(out) or not out:
        raise QueryError(f"filter {key}: {shown(value)} is no text, number or list of them")
    if longest := max((v for v in out if len(v) > LONGEST), key=len, default=""):
        raise QueryError(f"filter {key}: a value of {len(longest):,} characters; {LONGEST:,} are the most")
    return out


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST


def shown(value: object) -> str:
    """A value as an error has it: on one line, cut, whatever it is; Python spells no number of thousands of digits."""
    try:
        text = repr(value)
    except ValueError:
        return f"a huge {type(value).__name__}"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _kind(value: str) -> str:
    if value.casefold() not in KINDS:
        raise QueryError(f"filter kind: {shown(value)}; known: {', '.join(KINDS)}")
    return value.casefold()


def _page_range(value: str) -> tuple[int, int]:
    m = _PAGES.fullmatch(value)
    if not m:
        raise QueryError(f"filter page: {shown(value)} is no page or range such as 12, 3-7 or 40-")
    first = int(m[1])
    last = int(m[2]) if m[2] else first if value.strip().isdigit() else LARGEST
    if not 1 <= first <= last:
        raise QueryError(f"filter page: {shown(value)} runs backwards or starts below 1")
    return first, last


def _period(text: str) -> str:
    """FY2023, fy 2023 and 2023 are one period."""
    bare = re.sub(r"\s+", "", text.casefold())
    return re.sub(r"^(?:fy)?((?:19|20)\d\d)(?:年度?)?$", r"fy\1", bare)

"""Lines that say which page they stand on."""

from __future__ import annotations

import re
from functools import lru_cache

_PAGE_NUMBER = re.compile(
    r"\W{0,3}(?:(?:page|p\.|pg\.?|seite)\s*)?(?:[A-Z]{1,2}-)?(\d{1,4}|\d{1,2}-\d{1,3}|[ivxl]{1,6})(?:\s*(?:of|/|\|)\s*\d{1,4})?\W{0,3}"
    r"|[-—\s]*第?\s*(\d{1,4})\s*页?(?:\s*[,，/]?\s*共\s*\d+\s*页)?[-—\s]*",
    re.IGNORECASE,
)

_NAMES_PAGE = re.compile(
    r"(?:^|[\s|–—-])(?:page|pagina|página|seite|pg\.?|p\.)\s*\d{1,4}(?:\s*(?:of|/|de|von|di|sur)\s*\d{1,4})?\W*$"
    r"|第\s*\d{1,4}\s*页(?:\s*[,，/]?\s*共\s*\d{1,4}\s*页)?\W*$",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def page_number(text: str) -> int | None:
    """The number in a line that is nothing but a page number (0 for a roman one); None otherwise."""
    found = _PAGE_NUMBER.fullmatch(text.strip())
    if not found:
        return None
    number = found[1] or found[2]
    number = number.rpartition("-")[2]
    return int(number) if number.isdigit() else 0


def names_page(text: str) -> bool:
    """Whether a line ends in its page's number, named as such: "Appendix A - Page 1 of 51"."""
    return text.rstrip()[-1:].isalnum() and _NAMES_PAGE.search(text) is not None

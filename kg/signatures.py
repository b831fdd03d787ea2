"""Who signs for a company, and as what: the lines and tables under "Pursuant to the requirements of …"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from h3cold.kg.names import fold, key
from h3cold.kg.spans import Found, Span

_SIGN = re.compile(r"/\s?[sS]\s?/\s{0,3}")
_NAME_WORD = re.compile(r"(?:[A-Z][\w.'’-]{0,24}|de|van|von|der|del|la|bin|al)$")
_SUFFIX = re.compile(r"(?:Jr|Sr|Ph\.?D|M\.?D|CPA|Esq|II|III|IV)\.?$", re.IGNORECASE)
_OFFICE_BEGINS = re.compile(
    r"(?:Chief|Co|President|Director|Chair\w*|Vice|Executive|Senior|Principal|Secretary|Treasurer|Controller|General|Managing|Trustee"
    r"|Founder|Corporate|Group|Interim|Acting|Deputy|Lead|Independent|Non-?[Ee]xecutive|CEO|CFO|COO|CTO|Manager|Member|Partner|Assistant"
    r"|First|Global|Finance|Financial|Accounting|Comptroller|Attorney|Sole|Authorized|Title:|Capacity:|Its:|Name:|Date:?|Dated:?|By:)\b"
)
_OFFICE = re.compile(
    r"\b(?:Officer|Director|President|Chair(?:man|woman|person)?|Secretary|Treasurer|Controller|Comptroller|Counsel|Trustee|Partner|Founder"
    r"|CEO|CFO|COO|CTO)s?\b"
)
_OFFICE_ENDS = re.compile(r"\s*(?:\(Principal|\(Duly|\bDated?\b|\bBy:|/\s?[sS]\s?/|\n|\bName:|$)")
_LABEL = re.compile(r"\s*(?:Name|Title|Capacity|Its)\s?:\s*")
_OWN = re.compile(
    r"\bPursuant to the requirements|\bregistrant\b|\bI(?:, [\w .'’-]{3,40},)? (?:have reviewed|certify)", re.IGNORECASE
)
_CONTRACT = re.compile(r"in witness whereof|hereto have (?:caused|executed)|\bmutual covenants", re.IGNORECASE)
_DATED = re.compile(r"\bDated?\b")


class Signature(NamedTuple):
    """A name and the office printed under it; both as places in the text."""

    start: int
    end: int
    office: str
    until: int


def signed(text: str) -> Iterator[Signature]:
    """The signatures of a text; the name as it is printed under the signature, if it is."""
    signs = list(_SIGN.finditer(text)) if "/s" in text.casefold() or "/ s" in text.casefold() else []
    for index, sign in enumerate(signs):
        stop = signs[index + 1].start() if index + 1 < len(signs) else len(text)
        found = _one(text, sign.end(), min(stop, sign.end() + 260))
        if found is not None:
            yield found


def _one(text: str, start: int, stop: int) -> Signature | None:
    words: list[re.Match[str]] = []
    for word in re.finditer(r"[^\s,]+,?", text[start:stop]):
        if "\n" in text[start + words[-1].end() if words else start : start + word.start()]:
            break
        plain = word.group().rstrip(",")
        if len(words) >= 2 and _OFFICE_BEGINS.match(plain):
            break
        if not (_NAME_WORD.match(plain) or _SUFFIX.match(plain)) or len(words) == 10:
            break
        words.append(word)
    half = len(words) // 2
    if half >= 2 and len(words) % 2 == 0 and _alike(words[:half], words[half:]):
        words = words[:half]  # the signature and the name under it came as one line
    if not 2 <= len(words) <= 6:
        return None
    name = text[start : start + words[-1].end()].rstrip(",")
    end = start + len(name)
    again = re.compile(
        r"[\s,]*(?:Name:\s*)?(" + r"[\s,]+".join(re.escape(w) for w in re.split(r"[\s,]+", name)) + ")", re.IGNORECASE
    )
    if printed := again.match(text, end, stop):
        start, end = printed.span(1)
    at = end
    while label := _LABEL.match(text, at):
        at = label.end()
    at += len(re.match(r"[\s,]*", text[at:]).group())  # type: ignore[union-attr]
    ends = _OFFICE_ENDS.search(text, at, stop)
    until = ends.start() if ends is not None else stop
    office = " ".join(text[at:until].split()).strip(" ,;")
    if not 2 < len(office) <= 120 or not _OFFICE.search(office) or not office[0].isupper():
        return Signature(start, end, "", end)
    return Signature(start, end, office, until)


def _alike(first: Sequence[re.Match[str]], second: Sequence[re.Match[str]]) -> bool:
    return [w.group().casefold().rstrip(",") for w in first] == [w.group().casefold().rstrip(",") for w in second]


def signatures(text: str, spans: Sequence[Span], company: Span | None, headings: Sequence[str] = ()) -> Iterator[Found]:
    """Officers by their signatures: of the company on the line above, else of the document's if it is what is signed.

    Args:
        spans: of the whole text, in order of place.
        headings: of the text's block.
    """
    found = list(signed(text))
    if not found:
        return
    dates = [s for s in spans if s.type == "DATE" and _DATED.search(text, max(0, s.start - 8), s.start)]
    before = bool(dates) and dates[0].start < found[0].start
    own = company if _is_own(text, company, headings) else None
    for index, one in enumerate(found):
        if not one.office:
            continue
        owner = _above(text, spans, one.start) or own
        if owner is None:
            continue
        stop = found[index + 1].start if index + 1 < len(found) else len(text)
        above, below = (
            (d for d in reversed(dates) if d.end <= one.start),
            (d for d in dates if one.end <= d.start < stop),
        )
        date = next(above if before else below, None)
        person = Span(one.start, one.end, "PERSON", text[one.start : one.end])
        yield Found(
            "officer_of", person, owner, one.start, one.until, 0.85, one.office, date.text if date is not None else ""
        )


def _is_own(text: str, company: Span | None, headings: Sequence[str]) -> bool:
    if company is None or _CONTRACT.search(text):
        return False
    last = fold(headings[-1]) if headings else ""
    return (
        bool(_OWN.search(text)) or last in ("signature", "signatures") or key("ORG", last) == key("ORG", company.text)
    )


def _above(text: str, spans: Sequence[Span], at: int) -> Span | None:
    """The company that has the nearest line above to itself."""
    for span in reversed([s for s in spans if s.type == "ORG" and s.end <= at and at - s.end < 600]):
        line = text.rfind("\n", 0, span.start) + 1
        end = text.find("\n", span.end)
        if span.start - line <= 4 and text[span.end : end if end >= 0 else len(text)].strip(" .,:") in (
            "",
            "By",
            "(Registrant)",
        ):
            return span
    return None


def signed_rows(rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, str, str, str]]:
    """(name, office, date, first cell) of each signature of a table whose columns are name, title and date.

    What stands in the rows below a signature, up to the next one, belongs to it.
    """
    at = 0
    while at < len(rows):
        if not _SIGN.search(rows[at][0]):
            at += 1
            continue
        more = next((i for i in range(at + 1, len(rows)) if _SIGN.search(rows[i][0])), len(rows))
        group = rows[at : min(more, at + 4)]
        name = next(signed(" ".join(row[0] for row in group)), None)
        if name is not None and len(rows[at]) > 1:
            text = " ".join(row[0] for row in group)
            cells = [
                " ".join(" ".join(row[i].split()) for row in group if row[i].strip()) for i in range(1, len(rows[at]))
            ]
            office = next((c for c in cells if _OFFICE.search(c)), "")
            office = re.sub(r"\s*\((?:Principal|Duly|and Principal)[^()]*\)?", "", office).strip(" ,;")
            date = next((c for c in cells if re.search(r"(?:19|20)\d\d\b", c) and not _OFFICE.search(c)), "")
            if office and len(office) <= 120:
                yield text[name.start : name.end], office, date[:40], rows[at][0]
        at = more

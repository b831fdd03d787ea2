"""Reading order measured on text: what two parsers write differently without reading in another order does not count.

Both sides are brought to one form before they are compared (`plain_order`):
Unicode compatibility forms (raised digits, ligatures), quotes, dashes, blanks, case; bullets, whatever sign they
decode to; dots that lead to a page number; the brackets that we set around a raised note mark (`sales[1]`). Text inside
pictures and running headers and footers are left out on both sides, captions count where they stand. The words of a
table that both sides found in one place are sorted: how its cells are cut is what TEDS measures.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from h3cold.ingest.scores import indel, match_boxes
from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.geometry import BBox
from h3cold.schemas.page import Region, Table

_ONE_FORM = str.maketrans({
    **dict.fromkeys("–—−‐‑―", "-"), **dict.fromkeys("’‘“”\"´`‚„«»", "'"), "∣": "|", "‖": "∥", "〈": "⟨", "〉": "⟩",
    **dict.fromkeys("\u00ad\ufffd•●▪■□▫◦", None),
})  # fmt: skip
_BULLET = re.compile(r"(?:[•●▪■◦‣⁃∙·○◆➢✓□▫\ue000-\uf8ff\U000f0000-\U000ffffd]|SM590000|r(?=\s[A-Z])|[-–—*](?=\s))\s*")
_LEADERS = re.compile(r"(?:\s*[.…·]){3,}|(?<=\s)[.…·]+(?=\s|$)|…|_{3,}")
_NOTE = re.compile(r"\[(\d{1,3})\]")
_KEPT_CODES = re.compile("6 ?(?=[=∈⊆⇒⇐∃])|7(?=→)|4(?=[A-Z]{2})")
_SIGNS = str.maketrans(
    {"\u0338": None, "≠": "=", "∉": "∈", "⊈": "⊆", "⇏": "⇒", "⇍": "⇐", "∄": "∃", "↦": None, "△": None}
)

Boxed = tuple[int, BBox]
"""A table's 1-based page and box."""


def plain_order(text: str, *, item: bool = False) -> str:
    """Text in the form in which orders are compared; `item` takes a list item's bullet away."""
    text = text.translate(_ONE_FORM).strip()
    if item:
        text = _BULLET.sub("", text, count=1) if _BULLET.match(text) else text
    text = _NOTE.sub(r"\1", _LEADERS.sub(" ", unicodedata.normalize("NFKC", text)))
    return "".join(text.split()).casefold()


def order_score(doc: ParsedDocument, truth: dict[str, Any]) -> float:
    """Indel similarity (0..1) of the body text in reading order to docling's, both in `plain_order`."""
    mine = [(p.number, r.bbox) for p in doc.pages for r in p.regions if r.table is not None]
    theirs = [_docling_box(t, truth) for t in truth["tables"]]
    ours_too, theirs_too = _found_by_both(mine, theirs)
    return indel("".join(_body(doc, ours_too)), "".join(_docling_body(truth, theirs_too)))


def docling_text(truth: dict[str, Any]) -> str:
    """docling's body text in its order, for parsers of which no more than the text is known."""
    return "".join(_docling_body(truth, set()))


def _found_by_both(mine: list[Boxed], theirs: list[Boxed]) -> tuple[set[int], set[int]]:
    """Indices of the tables on either side that the other side has in the same place."""
    a, b = set(), set()
    for page in {p for p, _ in mine}:
        left = [(i, box) for i, (p, box) in enumerate(mine) if p == page]
        right = [(j, box) for j, (p, box) in enumerate(theirs) if p == page]
        for i, j in match_boxes([box for _, box in left], [box for _, box in right]):
            a.add(left[i][0])
            b.add(right[j][0])
    return a, b


def _body(doc: ParsedDocument, shared: set[int]) -> Iterator[str]:
    n = 0
    for region in (r for p in doc.pages for r in p.regions):
        if region.table is not None:
            yield _table_words(region.table, n in shared)
            n += 1
        elif region.kind not in ("header", "footer", "figure"):
            yield from _parts(region)


def _parts(region: Region) -> Iterator[str]:
    for line in region.text.split("\n"):
        yield plain_order(line, item=True)


def _table_words(table: Table, sort: bool) -> str:
    return _words([c.text for c in table.cells], sort)


def _words(cells: list[str], sort: bool) -> str:
    if not sort:
        return "".join(map(plain_order, cells))
    return "".join(sorted(plain_order(word) for cell in cells for word in cell.split()))


def _docling_box(item: dict[str, Any], truth: dict[str, Any]) -> Boxed:
    prov = item["prov"][0]
    height, b = truth["pages"][str(prov["page_no"])]["size"]["height"], prov["bbox"]
    return prov["page_no"], (b["l"], height - b["t"], b["r"], height - b["b"])


def _docling_body(truth: dict[str, Any], shared: set[int]) -> Iterator[str]:
    """Texts and table cells in the order of the document's tree; a caption stands where its box does."""

    def visit(node: dict[str, Any]) -> Iterator[str]:
        for child in node.get("children", ()):
            _, kind, index = child["$ref"].split("/")
            item = truth[kind][int(index)]
            if item.get("content_layer") == "furniture":
                continue
            if kind == "texts":
                yield plain_order(item.get("orig") or item["text"], item=True)
            if kind == "tables":
                before, after = _captions(item, truth)
                yield from before
                yield _words([c["text"] for c in item["data"]["table_cells"]], int(index) in shared)
                yield from after
            if kind == "pictures":
                before, after = _captions(item, truth)
                yield from (*before, *after)
            if kind in ("texts", "groups"):
                yield from visit(item)

    yield from visit(truth["body"])


def _captions(item: dict[str, Any], truth: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The captions and notes of a table or picture that stand above it and below it."""
    above: list[str] = []
    below: list[str] = []
    for ref in (*item.get("captions", ()), *item.get("footnotes", ())):
        text = truth["texts"][int(ref["$ref"].split("/")[2])]
        higher = text["prov"][0]["bbox"]["t"] > item["prov"][0]["bbox"]["t"]
        (above if higher else below).append(plain_order(text.get("orig") or text["text"]))
    return above, below


def book_score(doc: ParsedDocument, truth: str) -> float:
    """Indel similarity (0..1) of all text, furniture included, to that of one plain text file.

    The truth of GeoTopo has `[image]` for the words in pictures and kept the codes of three of TeX's signs: `6=` for
    ≠, `7→` for ↦, `4` for △ before a name; the signs are left out on both sides.
    """
    parts = (
        _table_words(r.table, False) if r.table is not None else "".join(_parts(r))
        for p in doc.pages
        for r in p.regions
        if r.kind != "figure"
    )
    return indel(plain_book("".join(parts)), book_text(truth))


def plain_book(text: str) -> str:
    """A book's text (`plain_order`) without the signs that its truth has codes for."""
    return text.translate(_SIGNS)


def book_text(truth: str) -> str:
    """The truth in the form in which it is compared; see `book_score`."""
    expected = _KEPT_CODES.sub("", truth.replace("[image]", ""))
    return "".join(plain_order(line, item=True) for line in expected.splitlines())

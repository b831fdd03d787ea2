"""A page tree whose counts are wrong, put right: MuPDF takes them at their word, and loses pages or the whole file."""

from __future__ import annotations

import re

import pymupdf

DEEPEST = 50
"""Levels of a page tree that are followed."""

MUPDF_ERRORS = (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase)
"""What PyMuPDF raises where MuPDF cannot go on: its own errors, wrapped or not."""

MOST_MISSED = 10_000
"""Pages of a file made for the web that are counted as lost, at most: what it says of them may be wrong, too."""

_REFERENCE = re.compile(r"(\d+)\s+\d+\s+R\b")


def count_pages(doc: pymupdf.Document) -> int:
    """The number of a PDF's pages, after its page tree was mended in memory where the counts in it are too small, too
    large or impossible; 0 where that is beyond mending.
    """
    try:
        root = _root(doc)
        least = max(1, len(_kids(doc, root)))  # each entry of the root holds a page or more
        stated = _stated(doc)
        if stated >= least and 0 < doc.page_xref(stated - 1) < doc.xref_length():
            return stated
    except MUPDF_ERRORS:
        pass
    try:
        root = _root(doc)  # a look at the pages may have repaired the file
        if not _kids(doc, root) or not _set_counts(doc, root, set(), 0)[1]:
            _gather(doc, root)
    except MUPDF_ERRORS:
        return 0
    return max(0, _stated(doc))


def _stated(doc: pymupdf.Document) -> int:
    try:
        return int(doc.page_count)
    except MUPDF_ERRORS:
        return 0


def _root(doc: pymupdf.Document) -> int:
    """The object that the tree begins with; 0 if there is none."""
    catalog = doc.pdf_catalog()
    return _number(doc, *doc.xref_get_key(catalog, "Pages")) if 0 < catalog < doc.xref_length() else 0


def _number(doc: pymupdf.Document, kind: str, value: str) -> int:
    found = _REFERENCE.fullmatch(value) if kind == "xref" else None
    return int(found[1]) if found and 0 < int(found[1]) < doc.xref_length() else 0


def _kids(doc: pymupdf.Document, node: int) -> list[int]:
    kind, value = doc.xref_get_key(node, "Kids") if node else ("null", "")
    if array := _number(doc, kind, value):
        kind, value = "array", doc.xref_object(array)
    return [int(x) for x in _REFERENCE.findall(value)] if kind == "array" else []


def _set_counts(doc: pymupdf.Document, node: int, seen: set[int], depth: int) -> tuple[int, int]:
    """Write the count of every node from `node` down; returns its entries and how many of those are page objects.

    An entry that names no object counts as a page, so that it is missed.
    """
    entries = pages = 0
    seen.add(node)
    for kid in _kids(doc, node):
        if not 0 < kid < doc.xref_length() or depth > DEEPEST or kid in seen:
            entries += 1
        elif doc.xref_get_key(kid, "Kids")[0] in ("array", "xref"):
            below = _set_counts(doc, kid, seen, depth + 1)
            entries, pages = entries + below[0], pages + below[1]
        else:
            entries, pages = entries + 1, pages + _is_page(doc, kid)
    if node:
        doc.xref_set_key(node, "Count", str(entries))
    return entries, pages


def _is_page(doc: pymupdf.Document, xref: int) -> bool:
    return doc.xref_get_key(xref, "Type") == ("name", "/Page")


def _gather(doc: pymupdf.Document, root: int) -> None:
    """Make a tree of all page objects, in the order of their numbers, where none can be reached from its root.

    A file made for the web that was cut off still says how many pages it had and which was the first: the others count,
    so that they are missed.
    """
    pages = [x for x in range(1, doc.xref_length()) if _is_page(doc, x)]
    if not pages:
        return
    if not root:
        root = doc.get_new_xref()
        doc.xref_set_key(doc.pdf_catalog(), "Pages", f"{root} 0 R")
    first, told = _linearized(doc)
    pages.sort(key=lambda x: x != first)
    pages += [doc.xref_length()] * min(MOST_MISSED, told - len(pages))  # no object has this number
    doc.update_object(root, "<</Type/Pages>>")
    doc.xref_set_key(root, "Kids", "[" + " ".join(f"{x} 0 R" for x in pages) + "]")
    doc.xref_set_key(root, "Count", str(len(pages)))


def _linearized(doc: pymupdf.Document) -> tuple[int, int]:
    """The object of the first page and the number of pages that a file made for the web begins with; 0 and 0 if none
    (ISO 32000-1, annex F: /O and /N of its linearization parameters).
    """
    for xref in range(1, doc.xref_length()):
        if doc.xref_get_key(xref, "Linearized")[0] != "null":
            (_, first), (_, told) = doc.xref_get_key(xref, "O"), doc.xref_get_key(xref, "N")
            return (int(first), int(told)) if first.isdecimal() and told.isdecimal() else (0, 0)
    return 0, 0

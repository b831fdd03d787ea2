"""A document's tree, as `h3-monitor --outline` shows it."""

from __future__ import annotations

from typing import Any

from h3cold.ingest.store import ColdStore
from h3cold.recall.descent import Node, open_trees, outline
from h3cold.schemas.errors import UsageError


def outline_report(store: ColdStore, document: str) -> dict[str, Any]:
    """The parts of a document (its id, or one of its sources), outermost first, with pages and summaries.

    Raises:
        UsageError: the store has no such document.
        StoreError: the snapshot has no trees, or they cannot be read.
    """
    documents = store.documents()
    found = [d for d, row in documents.items() if document in (d, row["source"], *row["sources"])]
    if not found:
        raise UsageError(f"{store.path}: no document {document!r}; give a source as h3-recall shows it, or an id")
    columns = store.table("blocks").to_table(columns=["id", "page"])
    pages = dict(zip(columns["id"].to_pylist(), columns["page"].to_pylist(), strict=True))
    ids = sorted(pages)
    tree = outline(open_trees(store, ids), found[0])
    parts: list[dict[str, Any]] = []
    if tree is not None:
        _add(parts, tree, [pages[i] for i in ids])
    return {"document": documents[found[0]]["source"], "outline": parts}


def _add(parts: list[dict[str, Any]], node: Node, pages: list[int]) -> None:
    parts.append({
        "level": ("document", "chapter", "section")[node.level], "title": "  " * node.level + (node.title or "…"),
        "pages": f"{pages[node.first]}–{pages[node.last - 1]}", "blocks": node.last - node.first,
        "summary": node.summary,
    })  # fmt: skip
    for child in node.children:
        _add(parts, child, pages)

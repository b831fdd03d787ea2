"""Tables, figures and formulas of a page, with the text lines that each of them holds."""

from __future__ import annotations

from h3cold.ingest.page_facts import PageFacts
from h3cold.ingest.regions import Solid
from h3cold.schemas.geometry import BBox
from h3cold.schemas.page import Table


def find_solids(facts: PageFacts) -> list[tuple[Solid, frozenset[int]]]:
    """What is no running text, in no particular order."""
    try:
        from h3cold.ingest.tables import find_tables
    except ImportError:
        return []
    out: list[tuple[Solid, frozenset[int]]] = []
    taken: list[BBox] = []
    for found in find_tables(facts):
        out.append((Solid("table", found.bbox, table_text(found.table)), found.lines))
        taken.append(found.bbox)
    return out


def table_text(table: Table) -> str:
    """A table's text: a row a line, cells parted by ` | `."""
    return "\n".join(" | ".join(row) for row in table.grid())

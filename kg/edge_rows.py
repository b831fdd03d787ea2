"""The rows of the graph's edges, as arrays beside those of `kg.graph_index`: to tell an edge opens no table.

Arrays, texts as `kg.spelt` lays them down:

- of each edge `row_ids`, `row_values`, `row_periods`, `row_pages`, `row_starts`, `row_ends`, `row_sure` (confidence as
  the table has it), and `row_heads`, `row_tails`, places in `ends`: ids at its ends before any were merged, in order;
- `loose`, those of `ends`, in order, that are no entity's, `called` what the longest of their mentions says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from h3cold.kg.spelt import Array, Spelt, Texts, coded, spelt


class EdgeColumns(NamedTuple):
    """What `kg.graph_index.Edges` lacks of the table of relations, in the same order."""

    ids: Sequence[str]
    pages: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]


class EdgeRows(NamedTuple):
    """The opened arrays, and names of mentions that are no entity's by their id."""

    arrays: Mapping[str, Array]
    ends: Texts
    ids: Texts
    values: Texts
    periods: Texts
    called: Mapping[str, str]

    def row(self, edge: int) -> dict[str, Any]:
        """Of one edge the columns of the table that no other array has."""
        a = self.arrays
        return {
            "id": self.ids[edge],
            "head": self.ends[int(a["row_heads"][edge])],
            "tail": self.ends[int(a["row_tails"][edge])],
            "page": int(a["row_pages"][edge]),
            "start": int(a["row_starts"][edge]),
            "end": int(a["row_ends"][edge]),
            "confidence": float(a["row_sure"][edge]),
            "value": self.values[edge],
            "period": self.periods[edge],
        }


def row_arrays(
    columns: EdgeColumns, *, heads: Sequence[str], tails: Sequence[str], confidence: Sequence[float],
    values: Sequence[str], periods: Sequence[str], called: Mapping[str, str],
) -> dict[str, Array]:  # fmt: skip
    """The arrays, of columns of one length."""
    ends = sorted({*heads, *tails}, key=coded)
    place = {id: row for row, id in enumerate(ends)}
    loose = sorted(called, key=coded)
    return {
        **spelt("ends", ends), **spelt("row_ids", columns.ids), **spelt("row_values", values),
        **spelt("row_periods", periods), **spelt("loose", loose), **spelt("called", [called[id] for id in loose]),
        "row_heads": np.array([place[id] for id in heads], np.int32),
        "row_tails": np.array([place[id] for id in tails], np.int32),
        "row_pages": np.array(columns.pages, np.int32), "row_starts": np.array(columns.starts, np.int32),
        "row_ends": np.array(columns.ends, np.int32), "row_sure": np.array(confidence, np.float64),
    }  # fmt: skip


def open_rows(arrays: Mapping[str, Array]) -> EdgeRows | None:
    """What `row_arrays` laid down; None where an older version left it out."""
    if "row_ids" not in arrays:
        return None
    called = Texts(arrays, "called")
    return EdgeRows(
        arrays, Texts(arrays, "ends"), Texts(arrays, "row_ids"), Texts(arrays, "row_values"),
        Texts(arrays, "row_periods"), Spelt(Texts(arrays, "loose"), lambda row: str(called[row])),
    )  # fmt: skip

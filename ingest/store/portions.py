"""A dataset's rows bit by bit, so that a copy of any size fits into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


def portions(table: Any, column: str, wanted: pa.Array, *, size: int) -> Iterator[pa.Table]:
    """Rows of a dataset whose `column` is one of `wanted`, in tables of about `size` bytes."""
    parts: list[pa.RecordBatch] = []
    for batch in table.to_batches():
        own = batch.filter(pc.is_in(batch[column], value_set=wanted))
        if own.num_rows:
            parts.append(own)
        if sum(part.nbytes for part in parts) > size:
            yield pa.Table.from_batches(parts)
            parts = []
    if parts:
        yield pa.Table.from_batches(parts)

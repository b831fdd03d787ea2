"""Lines of a form above a table: names with their values, several side by side, that keep no columns with it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from h3cold.ingest.tables.rows import Row

_LABEL = re.compile(r"[^\d:：][^:：]{0,24}[:：](?!\d\d\b)")
"""How a value with its name begins."""


def labelled(band: Sequence[Row], multi: Sequence[int], lines: Sequence[float]) -> int:
    """How many of the rows with several pieces are lines of a form above the table: names with their values each, and
    below them a rule, or a header of three columns and more.
    """
    count = sum(1 for _ in itertools.takewhile(lambda k: is_labels(band[k]), multi))
    if not 0 < count < len(multi):
        return 0
    above, below = band[multi[count - 1]], band[multi[count]]
    ruled = any((above.y0 + above.y1) / 2 < y < (below.y0 + below.y1) / 2 for y in lines)
    return count if ruled or (len(below.segs) > 2 and not any(_LABEL.match(s.text) for s in below.segs)) else 0


def is_labels(row: Row) -> bool:
    """Whether a row holds two values and more with their names, each in a piece with it or in the next one."""
    if len(row.segs) < 2:
        return False
    names = [(":" in s.text or "：" in s.text) and _LABEL.match(s.text) is not None for s in row.segs]
    if sum(names) < 2:
        return False
    after = [False, *(s.text[-1] in ":：" for s in row.segs[:-1])]
    held = sum(name or value for name, value in zip(names, after, strict=True))
    return held >= 0.75 * len(names)

"""Headings' levels, from all that a whole document shows: its outline, numbers, type, and what stands under what.

A page is read alone, so that a heading found there only carries its *style* (`headings.style`). Here headings of one
kind (one scheme of numbers, or one look) come to stand on one level.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from h3cold.ingest.contents import told_levels
from h3cold.ingest.headings import STYLE, Look, look
from h3cold.ingest.numbering import nesting, scheme, unnumbered
from h3cold.schemas.page import Page, Region

DEEPEST = 6
Outline = Sequence[tuple[int, str, int]]

_SAME_SIZE = 0.035
"""Sizes that differ by less than this share are one."""

_OFTEN = 0.15
"""Share of a kind's headings that must stand under another kind for the two to be nested."""


_BACK = re.compile(r"signatures?\b|(?:exhibit|index to) (?:index|exhibits)\b|exhibits\b", re.IGNORECASE)
"""What stands beside the last items of a filing."""


@dataclass(frozen=True, slots=True)
class Head:
    """A heading: its page (1-based), look and scheme of numbers."""

    region: Region
    page: int
    look: Look
    scheme: str | None


def settle(pages: Sequence[Page], outline: Outline, *, starts: Collection[int] = ()) -> list[Page]:
    """Replace every heading's style by its level, 1 (the outermost) to 6.

    Args:
        outline: the file's bookmarks as (level, title, 1-based page); their levels win where a heading matches.
            Without any, those that its lists of contents show by setting entries in.
        starts: pages (1-based) where another document begins within this one; its levels are found apart.
    """
    outline = outline or told_levels(pages)
    zones: dict[int, list[Head]] = defaultdict(list)
    for page in pages:
        zone = max((s for s in starts if s <= page.number), default=0)
        for r in page.regions:
            if r.kind == "heading" and (r.level or 0) >= STYLE:
                zones[zone].append(Head(r, page.number, look(r), scheme(r.text)))
    levels: dict[int, int] = {}
    for heads in zones.values():
        levels |= _levels(heads, outline)
    out: list[Page] = []
    for page in pages:
        if any(id(r) in levels for r in page.regions):
            regions = (replace(r, level=levels[id(r)]) if id(r) in levels else r for r in page.regions)
            page = replace(page, regions=tuple(regions))
        out.append(page)
    return out


def _levels(heads: list[Head], outline: Outline) -> dict[int, int]:
    """Levels by `id` of the regions."""
    ranks = _ranks(heads)
    depths = _depths(heads, ranks)
    known = _told(heads, ranks, outline)
    if known and all(page == 0 for _, _, page in outline) and not _agrees(ranks, known):
        known = {}
    by_rank = _by_outline(depths, {ranks[i]: level for i, level in known.items()}) if known else depths
    found = [known.get(i, by_rank[rank]) for i, rank in enumerate(ranks)]
    if not known:
        found = _under_items(heads, found)
    return {id(h.region): max(1, min(DEEPEST, level)) for h, level in zip(heads, found, strict=True)}


def _agrees(ranks: Sequence[int], known: Mapping[int, int]) -> bool:
    """Whether levels that a list of contents shows tell ranks apart that differ: lists are often set in less."""
    of: dict[int, Counter[int]] = defaultdict(Counter)
    for i, level in known.items():
        of[ranks[i]][level] += 1
    usual = [of[r].most_common(1)[0][0] for r in sorted(of)]
    return len(known) > 3 and len(set(known.values())) > 1 and all(a < b for a, b in pairwise(usual))


def _under_items(heads: Sequence[Head], found: Sequence[int]) -> list[int]:
    """Levels with the unnumbered headings that look like a filing's parts below the item that they stand in.

    Such files set "PART II" and "OVERVIEW" alike; what is larger than the parts stands outside of them.
    """
    parts = [level for h, level in zip(heads, found, strict=True) if h.scheme == "part"]
    items = [level for h, level in zip(heads, found, strict=True) if h.scheme == "item"]
    if len(parts) < 2 or len(items) < 4:
        return list(found)
    part, item = Counter(parts).most_common(1)[0][0], Counter(items).most_common(1)[0][0]
    alike = [i for i, h in enumerate(heads) if h.scheme is None and part <= found[i] < item]
    out, within = list(found), False
    for i, h in enumerate(heads):
        within = h.scheme == "item" or (within and not (h.scheme == "part" or found[i] < part))
        if i in alike and within:
            out[i] = item if _BACK.match(h.region.text) else item + 1
    return out


def _ranks(heads: Sequence[Head]) -> list[int]:
    """Each heading's kind as a rank, 0 the outermost: schemes of numbers in the order they nest, looks by size, weight
    and capitals between them.
    """
    looks = _ordered_looks(heads)
    mine = [looks[h.look] for h in heads]
    usual: dict[str, float] = {}
    numbered: Counter[int] = Counter()
    reach: dict[int, tuple[int, int]] = {}
    above = -1.0
    for name in nesting(h.scheme for h in heads if h.scheme):
        found = Counter(m for h, m in zip(heads, mine, strict=True) if h.scheme == name)
        most, count = min(found.items(), key=lambda kv: (-kv[1], kv[0]))
        numbered[most] = count  # of the innermost scheme of this look, as they come in order
        at = [i for i, h in enumerate(heads) if h.scheme == name]
        reach[most] = min(at[0], *reach.get(most, at)), max(at[-1], *reach.get(most, at))
        above = usual[name] = max(float(most), above + 0.01)
    between = Counter(
        m for i, m in enumerate(mine) if heads[i].scheme not in usual and m in reach and reach[m][0] < i < reach[m][1]
    )
    # many unnumbered ones between numbered ones are their sections; a few ("References") stand beside them
    sections = {m for m, n in between.items() if n > max(2, 1.2 * numbered[m])}
    places = [
        usual[h.scheme] if h.scheme in usual else m + 0.5 * (m in sections) for h, m in zip(heads, mine, strict=True)
    ]
    rank = {place: n for n, place in enumerate(sorted(set(places)))}
    return [rank[place] for place in places]


def _ordered_looks(heads: Sequence[Head]) -> dict[Look, int]:
    """Looks in order: larger type first, then bold, capitals, upright; sizes that hardly differ are one."""
    order: dict[Look, tuple[int, bool, bool, bool]] = {}
    cluster, begun = -1, 1e9
    for one in sorted({h.look for h in heads}, key=lambda k: -k.size):
        if one.size < (1 - _SAME_SIZE) * begun:
            cluster, begun = cluster + 1, one.size
        order[one] = (cluster, not one.bold, not one.capitals, one.italic)
    index = {key: n for n, key in enumerate(sorted(set(order.values())))}
    return {one: index[key] for one, key in order.items()}


def _depths(heads: Sequence[Head], ranks: Sequence[int]) -> dict[int, int]:
    """Level by rank: how deep headings of the rank mostly stand under open ones of higher rank.

    Never higher than a rank above it, and below every rank that it stands under more than now and then.
    """
    count = Counter(ranks)
    schemed = {r for r, h in zip(ranks, heads, strict=True) if h.scheme}
    stray = {r for r, n in count.items() if n == 1 and r not in schemed and len(heads) > 12}
    stray -= {ranks[0]} if ranks else set()
    depth: dict[int, Counter[int]] = defaultdict(Counter)
    under: dict[int, Counter[int]] = defaultdict(Counter)
    open_: list[int] = []
    for r in ranks:
        while open_ and open_[-1] >= r:
            open_.pop()
        depth[r][len(open_) + 1] += 1
        under[r].update(open_)
        if r not in stray:
            open_.append(r)
    out: dict[int, int] = {}
    for r in sorted(depth):
        most = min(depth[r].items(), key=lambda kv: (-kv[1], kv[0]))[0]
        nested = [out[q] + 1 for q, n in under[r].items() if n >= _OFTEN * count[r]]
        out[r] = max(most if r not in stray else 1, *nested, *(out[q] for q in out if q not in stray), 1)
    return out


def _told(heads: Sequence[Head], ranks: Sequence[int], outline: Outline) -> dict[int, int]:
    """Levels that the outline tells, by index. One without levels tells nothing about headings of several kinds."""
    at = {(key, page): level for level, title, page in outline for key in _keys(title)}
    often = Counter(_keys(title)[-1] for _, title, _ in outline)
    anywhere = {_keys(title)[-1]: level for level, title, _ in outline if often[_keys(title)[-1]] == 1}
    once = Counter(_keys(h.region.text)[-1] for h in heads)
    out: dict[int, int] = {}
    for i, h in enumerate(heads):
        keys = _keys(h.region.text)
        level = next((at[key, h.page + n] for n in (0, -1, 1) for key in keys if (key, h.page + n) in at), None)
        if level is None and once[keys[-1]] == 1:
            level = anywhere.get(keys[-1])
        if level is not None:
            out[i] = level
    flat = len({level for level, _, _ in outline}) < 2
    return {} if flat and len({ranks[i] for i in out}) > 1 else out


def _by_outline(depths: Mapping[int, int], known: Mapping[int, int]) -> dict[int, int]:
    """Level by rank, as the outline has it where it names headings of that rank, else as far from the next as
    before."""
    out: dict[int, int] = {}
    for r in sorted(depths):
        above = max((k for k in known if k < r), default=None)
        below = min((k for k in known if k > r), default=None)
        if r in known:
            out[r] = known[r]
        elif above is not None:
            out[r] = known[above] + max(1, depths[r] - depths[above])
        elif below is not None:
            out[r] = max(1, known[below] - max(1, depths[below] - depths[r]))
    return out


def _keys(title: str) -> tuple[str, str]:
    """What is compared: letters and digits, with the number and without."""
    whole, bare = (re.sub(r"\W+", "", t).casefold() for t in (title, unnumbered(title)))
    return whole, bare or whole

"""One page's facts as regions in reading order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from h3cold.ingest.axes import with_turned
from h3cold.ingest.centred import own_lines
from h3cold.ingest.contents import contents_page
from h3cold.ingest.drawn_bullets import with_bullets
from h3cold.ingest.float_names import named
from h3cold.ingest.forms import find_forms, outside, with_answers
from h3cold.ingest.given_back import Place
from h3cold.ingest.headings import looks_like_heading, style, title_key
from h3cold.ingest.lines import group_lines, line_text, make_rows, rows_of_groups
from h3cold.ingest.order import Item, any_beside, columns, line_item, line_items
from h3cold.ingest.page_facts import Line, PageFacts
from h3cold.ingest.paragraphs import (
    BOXED,
    BULLET,
    CHECKED,
    Paragraph,
    is_choice,
    opens_caption,
    paragraphs,
    starts_item,
    tells,
)
from h3cold.ingest.script import rtl_count
from h3cold.ingest.tables.headers import upright_headings
from h3cold.ingest.tagged import Placed, tag_order
from h3cold.ingest.turn import by_direction, quarter, turned, turned_back
from h3cold.schemas.geometry import BBox, inside, union
from h3cold.schemas.page import Region, RegionKind, Table

_FOOTNOTE_MARK = re.compile(
    r"(?:\[\d{1,3}\]|\d{1,3}(?:[)\s]|\.(?!\d))|\d{1,2}(?=[A-Za-z]|(?![年月日万亿个%])[\u4e00-\u9fff])|[⁰¹²³⁴-⁹]{1,2}|[*†‡§¶]+|\(\d{1,2}\)|[（(]\d{1,2}[)）]|注[:：\d]|[①-⑳])\s*\S"
)


@dataclass(frozen=True, slots=True)
class Solid:
    """An element found before the text flow: a table, a figure or a formula."""

    kind: RegionKind
    bbox: BBox
    text: str
    table: Table | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Typography:
    """What body text looks like: its size in points, and whether it is bold throughout."""

    size: float
    bold: bool


def typography(pages: Sequence[PageFacts]) -> Typography:
    """The body type of these pages: what most of their letters are set in."""
    return _type_of([facts.lines for facts in pages])


def _type_of(pages: Sequence[Sequence[Line]]) -> Typography:
    exact: dict[float, int] = {}
    bold = 0
    for lines in pages:
        for line in lines:
            spans = line.spans
            n, size = len(line.text), spans[0].size if len(spans) == 1 else line.size
            exact[size] = exact.get(size, 0) + n
            if spans[0].bold:
                bold += n
    sizes: Counter[float] = Counter()
    for size, n in exact.items():
        sizes[round(size * 2) / 2] += n
    return Typography(sizes.most_common(1)[0][0] if sizes else 10.0, bold > 0.7 * sum(sizes.values()))


def page_regions(
    facts: PageFacts,
    running: dict[int, Place],
    usual: Typography,
    *,
    find_solids: Callable[[PageFacts], list[tuple[Solid, frozenset[int]]]],
    titles: Collection[str] = (),
) -> list[Region]:
    """All regions of a page: headers, then the text in reading order, then footers.

    Args:
        running: indices into `facts.lines` of running lines.
        usual: the body type of the pages around, used where this page has too little text to tell.
        find_solids: tables, figures and formulas of a page, each with the indices of the lines it holds.
        titles: keys of the headings that the file's outline places on this page.
    """
    body = [line for i, line in enumerate(facts.lines) if i not in running] if running else facts.lines
    regions = _furniture(facts, running, "header") + _line_numbers(facts, running)
    held: set[int] = set()  # what is written upwards in a table of level text, or beside a figure
    for n, (way, lines) in enumerate(by_direction(body)):
        lines = [line for line in lines if id(line) not in held]
        crossing = upright_headings(facts, body) if n == 0 and way == 0 and len(lines) < len(body) else []
        frame = turned(facts, way, [*lines, *crossing])
        found = _flow(frame, usual, find_solids if n == 0 else _no_solids, titles)
        if n == 0 and way == 0 and len(lines) < len(body) and any(r.kind == "figure" for r in found):
            found, beside = with_turned(found, [line for line in body if abs(line.dir[1]) > 0.7])
            held |= beside
        regions += turned_back(found, way, facts.width, facts.height)
        tables = [r for r in found if r.kind == "table"] if crossing else []
        held |= {
            id(c) for c in crossing if any(inside(c.bbox, t.bbox) > 0.9 and c.text.strip() in t.text for t in tables)
        }
    regions = contents_page(regions) + _furniture(facts, running, "footer")
    return [replace(r, order=i) for i, r in enumerate(regions)]


def _no_solids(facts: PageFacts) -> list[tuple[Solid, frozenset[int]]]:
    return []


def _furniture(facts: PageFacts, running: dict[int, Place], place: RegionKind) -> list[Region]:
    out = []
    lines = [facts.lines[i] for i, where in running.items() if where == place]
    level = [line for line in lines if line.dir[0] >= 0.7]
    for row in make_rows(level):
        out.append(Region(place, row.bbox, row.text, 0, confidence=row.confidence))
    for line in lines:
        if line.dir[0] < 0.7 and (text := line_text(line)):
            out.append(Region(place, line.bbox, text, 0, confidence=line.confidence))
    return out


def _line_numbers(facts: PageFacts, running: dict[int, Place]) -> list[Region]:
    """The numbers of lines beside the text, in one region: a header, as what runs at a page's side is."""
    lines = sorted((facts.lines[i] for i, where in running.items() if where == "margin"), key=lambda ln: ln.bbox[1])
    if not lines:
        return []
    return [Region("header", union(line.bbox for line in lines), " ".join(line.text.strip() for line in lines), 0)]


def _flow(
    facts: PageFacts,
    usual: Typography,
    find_solids: Callable[[PageFacts], list[tuple[Solid, frozenset[int]]]],
    titles: Collection[str],
) -> list[Region]:
    found = find_solids(facts)
    taken = frozenset[int]().union(*(lines for _, lines in found))
    solids = [solid for solid, _ in found]
    lines = [line for i, line in enumerate(facts.lines) if i not in taken and not quarter(line)]
    lines = with_bullets(lines, facts)
    letters = sum([len(line.text) for line in lines])
    type_ = _type_of([lines]) if letters > 500 or not usual.size else usual
    rtl = sum(_is_rtl(line.text) for line in lines if not line.text.isascii()) > 0.5 * len(lines) if lines else False
    known_items = dict(zip(map(id, facts.lines), line_items(facts), strict=True))
    items = [known_items.get(id(line)) or line_item(line) for line in lines]
    items += [Item(solid.bbox, type_.size, 0, True) for solid in solids]
    known: set[str] = set()
    out: list[Region] = []
    for part in _parts(items, lines, found, facts, rtl=rtl):
        out += _column(part, lines, solids, facts, type_, titles, known, rtl)
    return named(out, titles)


def _parts(
    items: list[Item],
    lines: list[Line],
    found: list[tuple[Solid, frozenset[int]]],
    facts: PageFacts,
    *,
    rtl: bool,
) -> list[list[int]]:
    """Indices of `items` (the lines, then what was found) by columns, in the order of the file's tags or, where they
    are of no use, in that of the geometry.
    """
    parts = columns(items, rtl=rtl)
    if len(parts) == 1 and not any_beside(items):
        return parts
    held = [i for _, taken in found for i in taken]
    tags = facts.tags([*(line.bbox for line in lines), *(facts.lines[i].bbox for i in held)])
    if tags is None or all(tag is None for tag in tags[: len(lines)]):
        return parts
    placed = [Placed(line.bbox, len(line.text), tag) for line, tag in zip(lines, tags, strict=False)]
    tag_of = dict(zip(held, tags[len(lines) :], strict=True))
    for solid, taken in found:
        named = [tag for i in taken if (tag := tag_of[i]) is not None]
        placed.append(Placed(solid.bbox, 0, min(named, key=lambda t: t.element, default=None)))
    runs = tag_order(placed, rtl=rtl)
    if runs is None:
        return parts
    return [[run[i] for i in part] for run in runs for part in columns([items[i] for i in run], rtl=rtl)]


def _is_rtl(text: str) -> bool:
    return rtl_count(text) * 2 > len(text)


def _column(
    part: list[int],
    lines: list[Line],
    solids: list[Solid],
    facts: PageFacts,
    type_: Typography,
    titles: Collection[str],
    known: set[str],
    rtl: bool,
) -> list[Region]:
    """Regions of one column: its text, broken where a solid stands."""
    mine = sorted((solids[i - len(lines)] for i in part if i >= len(lines)), key=lambda s: s.bbox[1] + s.bbox[3])
    text = [lines[i] for i in part if i < len(lines)]
    out: list[Region] = []
    for solid in mine:
        middle = (solid.bbox[1] + solid.bbox[3]) / 2
        above = [line for line in text if (line.bbox[1] + line.bbox[3]) / 2 < middle]
        out += _text(above, facts, type_, titles, known, rtl)
        table = _from_the_right(solid.table) if rtl and solid.table is not None else solid.table
        told = solid.text if table is solid.table or table is None else "\n".join(map(" | ".join, table.grid()))
        out.append(Region(solid.kind, solid.bbox, told, 0, table=table, confidence=solid.confidence))
        text = [line for line in text if (line.bbox[1] + line.bbox[3]) / 2 >= middle]
    return out + _text(text, facts, type_, titles, known, rtl)


def _from_the_right(table: Table) -> Table:
    """A table of a page that is read from the right: its rightmost column is the first."""
    cells = [replace(c, col=table.cols - c.col - c.colspan) for c in table.cells]
    return replace(table, cells=tuple(sorted(cells, key=lambda c: (c.row, c.col))))


def _text(
    lines: list[Line], facts: PageFacts, type_: Typography, titles: Collection[str], known: set[str], rtl: bool
) -> list[Region]:
    groups = group_lines(lines, rtl=rtl)
    forms = [] if rtl else find_forms(groups)
    rows = rows_of_groups(outside(groups, forms))
    if not known and any(row.text.endswith("-") for row in rows):
        words = set("\n".join([line.text for line in facts.lines]).lower().split())
        known.update([w.strip(".,;:()") for w in words])
    paras = with_answers(paragraphs(rows, own=own_lines(rows, facts)), forms)
    out: list[Region] = []
    items: list[Paragraph] = []
    for n, para in enumerate(paras):
        after = paras[n + 1] if n + 1 < len(paras) else None
        kind = _kind(para, after, facts, type_, titles)
        if kind == "list":
            items.append(para)
            continue
        if items:
            out.append(_list(items, known))
            items = []
        level = style(para) if kind == "heading" else None
        out.append(Region(kind, para.bbox, para.text(known), 0, level=level, confidence=para.confidence))
    if items:
        out.append(_list(items, known))
    return _footnotes(out, facts, type_, paras)


def _list(items: list[Paragraph], known: Collection[str]) -> Region:
    texts = [p.text(known) for p in items] if tells(items) else [_bullet_text(p, known) for p in items]
    scores = [p.confidence for p in items if p.confidence is not None]
    return Region(
        "list", union(p.bbox for p in items), "\n".join(texts), 0,
        confidence=sum(scores) / len(scores) if scores else None,
    )  # fmt: skip


def _bullet_text(para: Paragraph, known: Collection[str]) -> str:
    """Bullets of all kinds, and the codes that stand for them, become one sign; boxes of a form stay as they are."""
    text = para.text(known)
    if CHECKED.match(text):
        return text
    found = BULLET.match(text)
    if (found or para.rows[0].mark) and len(text) > 1:
        return "• " + text[found.end() if found else 1 :].lstrip()
    return text


def _kind(
    para: Paragraph, after: Paragraph | None, facts: PageFacts, type_: Typography, titles: Collection[str]
) -> RegionKind:
    text = para.rows[0].text
    if para.answered:
        return "list"
    if titles and len(para.rows) <= 4 and title_key(para.text()) in titles:
        return "heading"
    if text[0] in "*†‡" and para.size <= 0.93 * type_.size and para.rows[0].bbox[1] > 0.6 * facts.height:
        return "footnote"
    if is_choice(text):
        return "text"
    bullet = BULLET.match(text)
    if (bullet and len(text) > bullet.end()) or BOXED.match(text) or (para.rows[0].mark and len(text) > 2):
        return "list"
    if opens_caption(text):
        return "caption" if len(para.rows) <= 12 else "text"
    if looks_like_heading(para, type_.size, type_.bold, after):
        return "heading"
    return "list" if starts_item(text) else "text"


def _footnotes(regions: list[Region], facts: PageFacts, type_: Typography, paras: list[Paragraph]) -> list[Region]:
    """Small text with a mark at the foot of a column is a footnote, and so is what goes on below it."""
    sizes = {id(r): p.size for r, p in zip(regions, paras, strict=False)} if len(regions) == len(paras) else {}
    out = list(regions)
    for i in range(len(out) - 1, -1, -1):
        r = out[i]
        size = sizes.get(id(r)) or _size_of(r, paras)
        if r.kind not in ("text", "list") or size > 0.93 * type_.size or r.bbox[1] < 0.45 * facts.height:
            break
        if _FOOTNOTE_MARK.match(r.text):
            out[i] = replace(r, kind="footnote", level=None)
    return out


def _size_of(region: Region, paras: list[Paragraph]) -> float:
    return max((p.size for p in paras if inside(p.bbox, region.bbox) > 0.9), default=99.0)

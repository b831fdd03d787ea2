"""A parsed document as blocks: passages, tables, figures and formulas of about 256 tokens, each of one section.

What holds for every document:

- Body text is every region but headers, footers and headings. Each of its characters (blanks aside) lies in the
  span of exactly one box of exactly one block. A table's is its cells' text; " | " between cells is not body text.
  Pictures without words have a block too, unless they are specks (see `flow.SPECK`).
- A heading's text is in `headings` of every block below it. Where nothing is below it, or so little that several
  such sections are put together (see `flow.join_scraps`), it is body text.
- Characters of `text` that no box spans are a table's header rows repeated from its first part.
- Blocks are ordered by where they begin, and the spans within one by reading order.
- No block has more than `SLACK` times the target in tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from h3cold.ingest.captions import Floats, attach, context
from h3cold.ingest.flow import Section, join_scraps, reading_order, sections
from h3cold.ingest.pieces import HAN, Count, Item, Piece, estimate, measure, pack
from h3cold.ingest.table_parts import split_table
from h3cold.schemas.block import Block, BlockKind, block_id
from h3cold.schemas.document import DocumentInfo, ParsedDocument
from h3cold.schemas.geometry import BBox, PageBox
from h3cold.schemas.page import Cell, Table

_KINDS: dict[str, BlockKind] = {"table": "table", "figure": "figure", "formula": "formula"}
_LEADERS = re.compile(r"\s*(?:[.·…_]\s?){5,}\s*")
"""Dots that lead the eye to a page number: many tokens, no meaning."""

_PATH = 200
"""Characters of the heading path that go into the indexed text, the innermost headings first."""


@dataclass(slots=True)
class _Draft:
    """A block being made; `order` places it, `tokens` and ids come last."""

    order: int
    kind: BlockKind
    headings: tuple[str, ...]
    text: str = ""
    boxes: list[PageBox] = field(default_factory=list)
    caption: str = ""
    table: Table | None = None
    group: str = ""
    part: int = 0
    parts: int = 1

    def add(self, text: str, box: BBox, page: int, *, joint: str = "\n") -> None:
        """Append a region's text as a span of its own."""
        if text and self.text:
            self.text += joint
        start = len(self.text)
        self.text += text
        self.boxes.append(PageBox(page, box, start, start + len(text)))


def build_blocks(doc: ParsedDocument, *, target_tokens: int = 256, count: Count | None = None) -> list[Block]:
    """Cut a parsed document into blocks, in reading order.

    Args:
        target_tokens: aimed-at size of a block, in tokens of the embedding model.
        count: number of tokens of each text; by default an estimate from the characters.
    """
    tally = _without_markers(count) if count else estimate
    items = reading_order(doc)
    pieces = measure([i for i in items if i.region.table is None], tally, target_tokens)
    sizes = {index: sum(p.tokens for p in run) for index, run in pieces.items()}
    floats = attach(items, lambda i: 4 * sizes[i.position] <= target_tokens)
    drafts: list[_Draft] = []
    tables = _Tables(doc.id, tally, target_tokens, sizes)
    scrap = target_tokens / 10
    for section in join_scraps(
        list(sections(items)), lambda s: sum(sizes.get(i.position, target_tokens) for i in s.items) <= scrap
    ):
        drafts.extend(_passages(section, floats, pieces, target_tokens))
        for item in section.items:
            if item.region.kind == "table" and item.region.table is not None:
                drafts.extend(tables.drafts(item, section, floats))
            elif item.region.kind in _KINDS:
                drafts.extend(_float_drafts(doc.id, item, section, floats, pieces, target_tokens))
    drafts.sort(key=lambda d: d.order)
    tokens = (count or estimate)([d.text for d in drafts]) if drafts else []
    return [
        Block(block_id(doc.id, i), doc.id, i, d.kind, d.text, d.headings, tuple(d.boxes),
              _language(d.text, doc.info.language), d.caption, d.table, d.group, d.part, d.parts, n)
        for i, (d, n) in enumerate(zip(drafts, tokens, strict=True))
    ]  # fmt: skip


def indexed_text(info: DocumentInfo, block: Block) -> str:
    """What is embedded and searched for a block: its document, its place in it, its caption, its text.

    The same for the same arguments; the parts that the document does not state, or that stand in the title or
    the text already, are left out.
    """
    about = [info.title]
    about.extend(v for v in (info.company, info.period, info.doctype) if v and v.lower() not in info.title.lower())
    path: list[str] = []
    for heading in reversed(block.headings):
        if sum(map(len, path)) + len(heading) > _PATH and path:
            break
        path.insert(0, heading[:_PATH])
    lines = [" | ".join(v for v in about if v), " > ".join(path)]
    if block.caption not in block.text:
        lines.append(block.caption)
    lines.append(_LEADERS.sub(" … ", block.text))
    return "\n".join(line for line in lines if line)


def _without_markers(count: Count) -> Count:
    """Tokenizers add markers for begin and end to every text; a piece of a text has none."""
    markers = count([""])[0]
    return lambda texts: [max(0, n - markers) for n in count(texts)] if texts else []


def _passages(section: Section, floats: Floats, pieces: dict[int, list[Piece]], target: int) -> list[_Draft]:
    """The section's running text, then its footnotes; what a table or figure interrupts is put together when one
    side is small.
    """
    drafts: list[_Draft] = []
    for run in (*_runs(section, floats, pieces, target), *_notes(section, floats, pieces)):
        packed = pack(run, target)
        for part in packed:
            draft = _Draft(part[0].item.position, "passage", section.path)
            _fill(draft, part)
            drafts.append(draft)
    for i, draft in enumerate(drafts):
        draft.part, draft.parts = i, len(drafts)
    return drafts


def _notes(section: Section, floats: Floats, pieces: dict[int, list[Piece]]) -> list[list[Piece]]:
    """The footnotes of each page."""
    by_page: dict[int, list[Piece]] = {}
    for item in section.items:
        if item.region.kind == "footnote" and item.position not in floats.attached:
            by_page.setdefault(item.page, []).extend(pieces[item.position])
    return list(by_page.values())


def _runs(section: Section, floats: Floats, pieces: dict[int, list[Piece]], target: int) -> list[list[Piece]]:
    stretches: list[list[Piece]] = [[]]
    for item in section.items:
        if item.region.kind in _KINDS:
            stretches.append([])
        elif item.position not in floats.attached and item.region.kind != "footnote":
            stretches[-1].extend(pieces[item.position])
    runs: list[list[Piece]] = []
    for stretch in filter(None, stretches):
        near = bool(runs) and stretch[0].item.page - runs[-1][-1].item.page <= 1
        if near and 4 * min(sum(p.tokens for p in run) for run in (stretch, runs[-1])) < target:
            runs[-1].extend(stretch)
        else:
            runs.append(stretch)
    return runs


def _fill(draft: _Draft, part: Sequence[Piece]) -> None:
    """Pieces of one region that follow each other become one span, with the share of its box that they take up."""
    i = 0
    while i < len(part):
        j = i
        while j + 1 < len(part) and part[j + 1].item.position == part[i].item.position:
            j += 1
        item, start, end = part[i].item, part[i].start, part[j].end
        text = item.region.text[start:end].strip()
        joint = "\n"
        if item.region.continues and start == 0 and item.region.kind == "text" and draft.text:
            joined = HAN.match(draft.text[-1]) and text and HAN.match(text[0])
            joint = "" if joined or (draft.text[-1] == "-" and text[:1].islower()) else " "
        draft.add(text, _share(item, start, end), item.page, joint=joint)
        i = j + 1


def _share(item: Item, start: int, end: int) -> BBox:
    x0, y0, x1, y1 = item.region.bbox
    whole = len(item.region.text) or 1
    return (x0, y0 + (y1 - y0) * start / whole, x1, y0 + (y1 - y0) * end / whole)


def _float_drafts(
    document: str, item: Item, section: Section, floats: Floats, pieces: dict[int, list[Piece]], target: int
) -> list[_Draft]:
    """A figure or formula with its caption; more than one only if it holds more words than fit."""
    above, below = floats.captions(item)
    caption = " ".join(c.region.text.strip() for c in (*above, *below)) or _introduction(item, section)
    inner = [p for i in (*above, item, *below) for p in pieces[i.position]]
    parts = pack(inner, target) or [[]]
    drafts = []
    for i, part in enumerate(parts):
        whole = len(parts) == 1 and bool(part)  # it begins with its caption, wherever that stands
        start = part[0].item.position if whole else item.position
        draft = _Draft(start, _KINDS[item.region.kind], section.path, caption=caption, part=i, parts=len(parts))
        draft.group = f"{document}-f{item.position:05d}" if len(parts) > 1 else ""
        _fill(draft, part)
        if len(parts) > 1 or not pieces[item.position]:
            # the picture itself, which may hold no text; first, so that the block shows it
            draft.boxes.insert(0, PageBox(item.page, item.region.bbox))
        drafts.append(draft)
    return drafts


def _introduction(item: Item, section: Section) -> str:
    """A formula says little without the sentence that leads to it; a picture's neighbour may be about anything."""
    return context(item, section.items) if item.region.kind == "formula" else ""


@dataclass(slots=True)
class _Tables:
    """Tables of one document: those that go on over pages share a group and the header of the first."""

    document: str
    count: Count
    target: int
    sizes: dict[int, int]
    group: list[_Draft] = field(default_factory=list)
    header: tuple[Cell, ...] = ()
    caption: str = ""
    name: str = ""

    def drafts(self, item: Item, section: Section, floats: Floats) -> list[_Draft]:
        """The parts of one table region."""
        region = item.region
        above, below = floats.captions(item)
        caption = " ".join(c.region.text.strip() for c in (*above, *below) if c.region.kind == "caption")
        goes_on = region.continues and bool(self.group)
        if not goes_on:
            self.group, self.header, self.caption, self.name = [], (), "", f"{self.document}-t{item.position:05d}"
        hint = context(item, section.items, units_only=bool(caption))
        self.caption = " ".join(filter(None, (caption, hint))) or self.caption
        first, last = (sum(self.sizes[c.position] for c in side) for side in (above, below))
        parts = split_table(region, count=self.count, target=self.target, first=first, last=last, header=self.header)
        table = region.table
        assert table is not None
        deep = table.header_rows()
        self.header = tuple(c for c in table.cells if c.row < deep) or self.header
        out = []
        for i, part in enumerate(parts):
            start = above[0].position if above and i == 0 else item.position
            draft = _Draft(start, "table", section.path, caption=self.caption, table=part.table)
            for c in above if i == 0 else ():
                draft.add(c.region.text.strip(), c.region.bbox, c.page)
            if part.header:
                draft.text += ("\n" if draft.text else "") + part.header
            draft.add(part.body, part.bbox, item.page)
            for c in below if i == len(parts) - 1 else ():
                draft.add(c.region.text.strip(), c.region.bbox, c.page)
            out.append(draft)
        self.group.extend(out)
        for i, draft in enumerate(self.group):
            draft.part, draft.parts = i, len(self.group)
            draft.group = self.name if len(self.group) > 1 else ""
        return out


def _language(text: str, default: str) -> str:
    """The block's own language where its letters are clearly of one script."""
    letters = sum(map(str.isalpha, text))
    han = len(HAN.findall(text))
    if letters and han / letters > 0.3:
        return "zh"
    return "en" if default == "zh" and letters > 20 and han / letters < 0.05 else default

"""Running headers, footers, page numbers and watermarks: found by what repeats from page to page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal

from h3cold.ingest.page_facts import Line, PageFacts
from h3cold.ingest.page_numbers import agreeing, contents_lines, names_page, page_number, same_text
from h3cold.ingest.repeated_titles import Titles, repeats_title, titles_of
from h3cold.ingest.watermarks import watermarks

Place = Literal["header", "footer"]

ZONE = 0.11
"""Share of the page's height at its top and bottom in which running lines are looked for."""

WIDER = 0.17
"""The same where all that lies further out is running itself, and on three pages at least."""

FEWEST_CELLS = 3
"""Pieces side by side, over as many others, that make a row the head of a table."""

ROWS_BELOW = 10
"""Height below the head of a table, in font sizes, in which something must stand in each of its columns."""

_ITEM = re.compile(r"[(\[（【]?(?:\d{1,3}|[ivxl]{1,6}|[A-Z])[.)\]）】、]\s*", re.IGNORECASE)

_Key = tuple[Place, str, int]


def find_running(pages: Sequence[PageFacts]) -> list[dict[int, Place]]:
    """Per page, the indices of its running lines and whether they are header or footer.

    A line in the top or bottom zone is running when the same text (numbers aside) stands at the same height on
    other pages, or when it is a page number and nothing but running lines lies further out.
    """
    enough = 3 if len(pages) > 5 else 2
    seen: defaultdict[_Key, dict[int, str]] = defaultdict(dict)
    zones = [_zone_lines(page) for page in pages]
    for page, lines in zip(pages, zones, strict=True):
        for index, place in lines:
            line = page.lines[index]
            for key in _keys(line, place):
                seen[key].setdefault(page.number, line.text)
    offsets = _number_offsets(pages, zones)
    usual_offsets = [off for off, n in offsets.items() if 3 * n >= max(offsets.values())]
    titles = titles_of(pages) if len(pages) > 1 else []
    out: list[dict[int, Place]] = []
    for n, (page, lines) in enumerate(zip(pages, zones, strict=True)):
        found: dict[int, Place] = {}
        for row in _rows(page, lines):
            if not _may_run(page, row, found, len(pages)):
                continue
            if _is_numbered_margin(page, row, found):
                found.update(row)
                continue
            # what stands inside of text that changes must recur all the more: a form's or a chapter's usual headings
            least = enough if _outermost(page, row, found) else max(enough + 1, len(pages) // 2)
            repeated = [i for i, place in row if _recurs(seen, page, i, place, usual_offsets, least)]
            # one word that happens to recur must not take the line of text it stands in
            usual = _letters(page, repeated) * 2 >= _letters(page, [i for i, _ in row])
            if usual or (repeated and _at_margins(page, row)) or (titles and _is_title(page, row, found, titles, n)):
                found.update(row)
        _give_back(page, found)
        _give_back_table_heads(page, found)
        _give_back_cells(page, found)
        _give_back_turned(page, found)
        for index, place in lines:
            if index not in found and _is_page_number(page, index, place, found, offsets):
                found[index] = place
        out.append(found)
    for marks, places in zip(watermarks(pages), out, strict=True):
        places.update(dict.fromkeys(marks, "header"))
    return out


def _recurs(
    seen: Mapping[_Key, Mapping[int, str]],
    page: PageFacts,
    index: int,
    place: Place,
    offsets: Sequence[int],
    least: int,
) -> bool:
    """Whether a line stands at one height on so many pages."""
    line = page.lines[index]
    found = [seen[key] for key in _keys(line, place)]
    return any(len(own) >= least and agreeing(own, line.text, page.number, offsets) >= least for own in found)


def _at_margins(page: PageFacts, row: Sequence[tuple[int, Place]]) -> bool:
    """Whether a row at the very edge is two pieces, one at each margin: where one runs, and changes sides, both do."""
    pieces = sorted((page.lines[i] for i, _ in row), key=lambda line: line.bbox[0])
    boxes = [line.bbox for line in pieces]
    edge = boxes[0][3] <= ZONE * page.height or boxes[0][1] >= (1 - ZONE) * page.height
    if len(boxes) != 2 or not edge or boxes[1][0] - boxes[0][2] < 4 * pieces[0].size:
        return False
    left = min(line.bbox[0] for line in page.lines)
    right = max(line.bbox[2] for line in page.lines)
    return boxes[0][0] - left < 6 and right - boxes[1][2] < 6


def _is_title(
    page: PageFacts, row: Sequence[tuple[int, Place]], found: dict[int, Place], titles: Sequence[Titles], at: int
) -> bool:
    """Whether a row at the top edge, nothing but numbers further out, says what another page has for a title.

    Below a line that runs it is the page's own heading, named in the text of other pages.
    """
    texts = [page.lines[i] for i, _ in row]
    if row[0][1] != "header" or texts[0].bbox[3] > ZONE * page.height or not _outermost(page, row, found):
        return False
    over = [page.lines[i].text for i, place in found.items() if place == "header" and page.lines[i].dir[0] > 0.98]
    return all(page_number(text) is not None for text in over) and repeats_title(texts, titles, at)


def _outermost(page: PageFacts, row: Sequence[tuple[int, Place]], found: dict[int, Place]) -> bool:
    """Whether nothing but running lines lies between a row and the page's edge."""
    index, place = row[0]
    _, top, _, foot = page.lines[index].bbox
    header = place == "header"
    for i in range(len(page.lines)) if header else reversed(range(len(page.lines))):
        line = page.lines[i]
        box = line.bbox
        if (box[3] <= top if header else box[1] >= foot) and i not in found and line.dir[0] > 0.98:
            return False
    return True


def _give_back(page: PageFacts, found: dict[int, Place]) -> None:
    """Take back rows that run on without a gap into the text beside them: a form's or a letter's, not a header's."""
    for place, step in (("header", 1), ("footer", -1)):
        rows = sorted((i for i, where in found.items() if where == place), key=lambda i: -step * page.lines[i].bbox[1])
        for i in rows:
            line = page.lines[i]
            size = line.size
            for j, other in enumerate(page.lines):
                gap = other.bbox[1] - line.bbox[3] if step > 0 else line.bbox[1] - other.bbox[3]
                if not -0.5 * size < gap < 0.35 * size or j in found:
                    continue
                beside = min(line.bbox[2], other.bbox[2]) > max(line.bbox[0], other.bbox[0])
                alike = abs(other.size - size) < 0.3 and other.spans[0].font == line.spans[0].font
                if alike and beside:
                    del found[i]
                    break


def _give_back_table_heads(page: PageFacts, found: dict[int, Place]) -> None:
    """Take back the head of a table that goes on over pages: its cells stand right over those of the row below."""
    top = [(i, place) for i, place in found.items() if place == "header"]
    for row in _rows(page, top):
        boxes = [page.lines[i].bbox for i, _ in row]
        if len(boxes) < FEWEST_CELLS:
            continue
        foot, size = max(b[3] for b in boxes), page.lines[row[0][0]].size
        below = [line.bbox for i, line in enumerate(page.lines) if i not in found and line.bbox[1] > foot - 0.3 * size]
        nearest = min((b[1] for b in below), default=page.height)
        cells = [b for b in below if b[1] < nearest + 0.6 * size]
        rows = [b for b in below if b[1] < nearest + ROWS_BELOW * size]  # a column may be empty in the first of them
        over = sum(any(min(a[2], b[2]) > max(a[0], b[0]) for b in rows) for a in boxes)
        if nearest - foot < 2.5 * size and len(cells) >= FEWEST_CELLS and over >= max(FEWEST_CELLS, len(boxes) - 1):
            for i, _ in row:
                del found[i]


def _give_back_cells(page: PageFacts, found: dict[int, Place]) -> None:
    """Take back what stands between the upright rules of a table that mostly holds lines that do not run."""
    upright = [r for r in page.rules if not r.horizontal] if found else []
    for i in list(found) if len(upright) >= FEWEST_CELLS else ():
        x0, y0, x1, y1 = page.lines[i].bbox
        middle = (y0 + y1) / 2
        sides = {round(r.x0 / 3) for r in upright if r.y0 <= middle <= r.y1}
        if len(sides) < FEWEST_CELLS or not 3 * min(sides) <= (x0 + x1) / 2 <= 3 * max(sides):
            continue
        top = bottom = middle
        for r in sorted((r for r in upright if round(r.x0 / 3) in sides), key=lambda r: abs(r.y0 + r.y1 - 2 * middle)):
            if r.y0 <= bottom + 3 and r.y1 >= top - 3:
                top, bottom = min(top, r.y0), max(bottom, r.y1)
        held = [j for j, line in enumerate(page.lines) if top < (line.bbox[1] + line.bbox[3]) / 2 < bottom]
        if sum(j in found for j in held) < 0.5 * len(held):
            del found[i]


def _give_back_turned(page: PageFacts, found: dict[int, Place]) -> None:
    """Take back lines that run up or down where most such lines are the page's text: a table set sideways."""
    if any(abs(page.lines[i].dir[1]) > 0.7 for i in found):
        turned = [i for i, line in enumerate(page.lines) if abs(line.dir[1]) > 0.7]
        if sum(i in found for i in turned) < 0.3 * len(turned):
            for i in turned:  # at the sides are the head and foot of such a page
                x0, _, x1, _ = page.lines[i].bbox
                if ZONE * page.width < (x0 + x1) / 2 < (1 - ZONE) * page.width:
                    found.pop(i, None)


def _may_run(page: PageFacts, row: Sequence[tuple[int, Place]], found: dict[int, Place], pages: int) -> bool:
    """A row beyond the zone itself runs only if nothing but running lines lies between it and the page's edge."""
    index, place = row[0]
    box = page.lines[index].bbox
    if box[3] <= ZONE * page.height or box[1] >= (1 - ZONE) * page.height or page.lines[index].dir[0] < 0.98:
        return True
    beyond = [
        i
        for i in found
        if ZONE * page.height < page.lines[i].bbox[3] and page.lines[i].bbox[1] < (1 - ZONE) * page.height
    ]
    if pages < 3 or sum(len(page.lines[i].text) for i, _ in row) > 70 or len(beyond) > 3:
        return False
    lines = page.lines
    if place == "header":
        return not any(line.bbox[3] < box[1] and i not in found for i, line in enumerate(lines))
    return not any(lines[i].bbox[1] > box[3] and i not in found for i in reversed(range(len(lines))))


def _is_numbered_margin(page: PageFacts, row: Sequence[tuple[int, Place]], found: dict[int, Place]) -> bool:
    """A row at the very edge of a page with a page number at one end and text beside it, set off from the body."""
    if sum(len(" ".join(page.lines[i].text.split())) for i, _ in row) > 120:
        return False
    named = any(names_page(page.lines[i].text) for i, _ in row)
    if len(row) < 2 and not named:
        return False
    ordered = sorted((page.lines[i] for i, _ in row), key=lambda line: line.bbox[0])
    if not named and page_number(ordered[0].text) is None and page_number(ordered[-1].text) is None:
        return False
    place = row[0][1]
    if not named and page_number(ordered[-1].text) is None and _ITEM.fullmatch(ordered[0].text.strip()):
        return False  # a note, and its number
    if not named and any(found[i] == place and page_number(page.lines[i].text) for i in found):
        return False  # the page has its number
    marks = [line.text.strip() for line in ordered if page_number(line.text) is not None]
    if len(set(marks)) < len(marks):
        return False  # a table's row of crosses: X is a Roman ten
    mine = {i for i, _ in row}
    top, bottom = min(ln.bbox[1] for ln in ordered), max(ln.bbox[3] for ln in ordered)
    size = max(line.size for line in ordered)
    others = [line.bbox for i, line in enumerate(page.lines) if i not in mine and i not in found]
    if place == "header":
        inner = min((b[1] for b in others), default=page.height)
        return bottom <= ZONE * page.height and inner > bottom + 0.4 * size
    inner = max((b[3] for b in others), default=0.0)
    return top >= (1 - ZONE) * page.height and inner < top - 0.4 * size


def _letters(page: PageFacts, lines: Sequence[int]) -> int:
    return sum(len(page.lines[i].text) for i in lines)


def _rows(page: PageFacts, lines: Sequence[tuple[int, Place]]) -> list[list[tuple[int, Place]]]:
    """Lines of the zones by the baseline they stand on, the outermost first."""
    rows: list[list[tuple[int, Place]]] = []
    middle = page.height / 2
    for index, place in sorted(lines, key=lambda entry: -abs(page.lines[entry[0]].bbox[3] - middle)):
        box = page.lines[index].bbox
        last = page.lines[rows[-1][-1][0]].bbox if rows else None
        if last is not None and abs(last[3] - box[3]) < 0.35 * (box[3] - box[1]):
            rows[-1].append((index, place))
        else:
            rows.append([(index, place)])
    return rows


def _zone_lines(page: PageFacts) -> list[tuple[int, Place]]:
    top, bottom = WIDER * page.height, (1 - WIDER) * page.height
    out: list[tuple[int, Place]] = []
    middle = page.height / 2
    for i, line in enumerate(page.lines):
        box = line.bbox
        if box[3] <= top:
            out.append((i, "header"))
        elif box[1] >= bottom or (len(line.text) < 8 and box[1] > middle and page_number(line.text)):
            out.append((i, "footer"))
        elif line.dir[0] < 0.98 and (box[2] < 0.08 * page.width or box[0] > 0.92 * page.width):
            out.append((i, "header"))  # written up the margin
    entries = contents_lines(page.lines, [i for i, _ in out])
    return [(i, place) for i, place in out if i not in entries] if entries else out


def _keys(line: Line, place: Place) -> list[_Key]:
    """Heights count as equal within about 3 points: a line is filed under two overlapping steps."""
    text = same_text(line.text)
    step = int(line.bbox[3] // 3)
    return [(place, text, step), (place, text, step + 1)]


def _number_offsets(pages: Sequence[PageFacts], zones: Sequence[list[tuple[int, Place]]]) -> Counter[int]:
    """How often a lone number in a margin lies a given distance from the page's own number."""
    offsets: Counter[int] = Counter()
    for page, lines in zip(pages, zones, strict=True):
        for off in {n - page.number for i, _ in lines if (n := page_number(page.lines[i].text))}:
            offsets[off] += 1
    return offsets


def _is_page_number(page: PageFacts, index: int, place: Place, found: dict[int, Place], offsets: Counter[int]) -> bool:
    line = page.lines[index]
    number = page_number(line.text)
    if number is None:
        return False
    _, y, _, foot = line.bbox
    beside = 0.5 * line.size
    for i, other in enumerate(page.lines):
        _, top, _, bottom = other.bbox
        further_out = bottom < y if place == "header" else top > foot
        if (further_out or abs(top - y) < beside) and i != index and i not in found:
            return False
    if ZONE * page.height < line.bbox[3] and line.bbox[1] < (1 - ZONE) * page.height:
        nearest = max((ln.bbox[3] for i, ln in enumerate(page.lines) if i != index and i not in found), default=0.0)
        alone = place == "footer" and line.bbox[1] - nearest > 2 * line.size
        return bool(number) and (offsets[number - page.number] >= 4 or (alone and line.bbox[1] > 0.75 * page.height))
    worded = any(c.isalpha() for c in line.text)
    return worded or offsets[number - page.number] >= 2 or number == page.number or len(line.text.strip()) <= 4

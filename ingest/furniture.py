"""Running headers, footers, page numbers and watermarks: found by what repeats from page to page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from h3cold.ingest.given_back import ZONE, Place, give_back, margin_rows
from h3cold.ingest.line_numbers import line_numbers
from h3cold.ingest.page_facts import Line, PageFacts
from h3cold.ingest.page_numbers import agreeing, contents_lines, names_page, page_number, same_text
from h3cold.ingest.repeated_titles import Titles, repeats_title, titles_of
from h3cold.ingest.watermarks import watermarks

WIDER = 0.17
"""The same where all that lies further out is running itself, and on three pages at least."""

LETTERHEAD = 0.08
"""Share of the page's height at its top that holds no title."""

TITLE = 1.6
"""How much larger than most of the page's text a title is set."""

_ITEM = re.compile(r"[(\[（【]?(?:\d{1,3}|[ivxl]{1,6}|[A-Z])[.)\]）】、]\s*", re.IGNORECASE)

_Key = tuple[Place, str, int]


def find_running(pages: Sequence[PageFacts]) -> list[dict[int, Place]]:
    """Per page, the indices of its running lines and whether they are header, footer or numbers of lines (`margin`).

    A line in the top or bottom zone is running when the same text (numbers aside) stands at the same height on
    other pages, or when it is a page number and nothing but running lines lies further out.
    """
    enough = 3 if len(pages) > 5 else 2
    seen: defaultdict[_Key, dict[int, str]] = defaultdict(dict)
    numbered = line_numbers(pages)
    zones = [
        [(i, place) for i, place in _zone_lines(page) if i not in numbers]
        for page, numbers in zip(pages, numbered, strict=True)
    ]
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
        found: dict[int, Place] = dict.fromkeys(numbered[n], "margin")
        for row in margin_rows(page, lines):
            if not _may_run(page, row, found, len(pages)):
                continue
            if _is_numbered_margin(page, row, found):
                found.update(row)
                continue
            # what stands inside of text that changes, or announces it, must recur all the more: a form's headings
            inner = not _outermost(page, row, found) or page.lines[row[-1][0]].text.rstrip()[-1:] in (":", "：")
            least = max(enough + 1, len(pages) // 2) if inner else enough
            repeated = [i for i, place in row if _recurs(seen, page, i, place, usual_offsets, least)]
            if repeated and _names_all(page, row, seen):
                continue
            # one word that happens to recur must not take the line of text it stands in
            usual = _letters(page, repeated) * 2 >= _letters(page, [i for i, _ in row])
            if usual or (repeated and _at_margins(page, row)) or (titles and _is_title(page, row, found, titles, n)):
                found.update(row)
        give_back(page, found)
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


def _names_all(page: PageFacts, row: Sequence[tuple[int, Place]], seen: Mapping[_Key, Mapping[int, str]]) -> bool:
    """Whether a row is a title in large type amid the first page that has it: later ones only say it again."""
    index, place = row[0]
    line = page.lines[index]
    x0, y0, x1, _ = line.bbox
    centred = len(row) == 1 and abs(x0 + x1 - page.width) < 0.03 * page.width
    if place != "header" or not centred or y0 < LETTERHEAD * page.height:
        return False
    sizes = Counter(round(other.size) for other in page.lines for _ in other.text)
    if line.size < TITLE * sizes.most_common(1)[0][0]:
        return False
    return all(min(seen[key]) >= page.number for key in _keys(line, place) if key in seen)


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

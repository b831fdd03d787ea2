"""A page's text as MuPDF reads it: the part that is shown, its pictures' boxes, and how much a crop leaves out."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pymupdf

from h3cold.ingest.boxes import BOX_FLAGS, ON_BASE, Block, Box, filled_boxes, part_boxes
from h3cold.ingest.script import count_letters
from h3cold.schemas.geometry import BBox

if TYPE_CHECKING:
    from h3cold.ingest.page_facts import Line

CROPPED = 1.02
"""Area of a sheet, over that of the part that is shown, from which a page counts as cropped."""


_FAR = 1e7
"""Points off every page."""

_MUCH = 12
"""Bytes of a page's content for each letter read, and beyond 4 KB, from which more text may lie below the page."""


_SHORT = 4096
"""Bytes of a page's content up to which its strings are counted: in longer ones that takes as long as reading them."""

_STRING = re.compile(rb"\(([^()\\]*(?:\\.[^()\\]*)*)\)(?!\s*(?:>>|/))|<([0-9A-Fa-f]{2,})>(?!\s*(?:>>|/))", re.DOTALL)
"""A string that is no value of a property."""


class Shown(NamedTuple):
    """Text read from a page, and boxes of its pictures as stored.

    `whole` is the text of the sheet, None on pages that are not cropped; `blocks` those of the text as `extractDICT`
    has them; `boxes` see `boxes.filled_boxes`.
    """

    textpage: pymupdf.TextPage
    pictures: list[BBox]
    whole: pymupdf.TextPage | None
    blocks: list[Block]
    boxes: list[Box] | None


def read_shown(page: pymupdf.Page, flags: int, *, boxes: bool = False) -> Shown:
    """Read what is shown of a page. `flags` are MuPDF's for text, the one that clips to the page among them; with
    `boxes` filled boxes are read along with the text.

    A cropped page is read with all that its sheet holds; only where something of that lies outside is it read again
    with the crop.

    Raises:
        RuntimeError: (MuPDF's errors are its subclasses) the page's content cannot be interpreted.
    """
    whole = None
    if boxes:
        flags |= BOX_FLAGS
    if _is_cropped(page):
        unclipped = flags & ~pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_PRESERVE_IMAGES
        every = page.get_textpage(clip=pymupdf.INFINITE_RECT(), flags=unclipped)
        whole = every
        if not page.rotation and not picture_boxes(every) and _lies_within(every, page.rect):
            return _shown(every, [], every)
    textpage = page.get_textpage(flags=flags | pymupdf.TEXT_PRESERVE_IMAGES)
    pictures = picture_boxes(textpage)
    after = _hide_pictures(textpage) if pictures else ()
    if after is None:
        textpage = page.get_textpage(flags=flags)
    return _shown(textpage, pictures, whole, after or ())


def _shown(
    textpage: pymupdf.TextPage, pictures: list[BBox], whole: pymupdf.TextPage | None, after: Collection[int] = ()
) -> Shown:
    blocks, vectors = part_boxes(textpage.extractDICT()["blocks"], after)
    return Shown(textpage, pictures, whole, blocks, filled_boxes(vectors))


def letters_left_out(
    page: pymupdf.Page, shown: Shown, lines: Sequence[Line], *, flags: int, content: Sequence[bytes]
) -> int:
    """Letters that the file has for a page outside of the part that is shown, given the lines that were read.

    A page that is not cropped is read once more where its text seems to run off the sheet: it touches an edge, or ends
    right above the lower one with much more in the page's content, or where this is short and has strings of many more
    letters than were read.
    """
    whole = shown.whole
    read = count_letters("".join([line.text for line in lines]))
    size = sum(map(len, content))
    if whole is None and (
        _runs_off(lines, page.rect, far=size > 4096 + _MUCH * read)
        or (size <= _SHORT and _letters(content) > 1.1 * read + 8)
    ):
        whole = page.get_textpage(clip=pymupdf.INFINITE_RECT(), flags=flags & ~pymupdf.TEXT_MEDIABOX_CLIP)
    if whole is None or whole is shown.textpage:
        return 0
    found = count_letters(whole.extractText())
    return 0 if found <= read else max(0, found - count_letters(shown.textpage.extractText()))


def _letters(content: Sequence[bytes]) -> int:
    """About how many letters a page's content shows, no fewer than two bytes each where codes may be of two."""
    strings = _STRING.findall(b"\n".join(content))
    plain = b"".join([text for text, _ in strings]).translate(None, b" \n\r\t\\")
    return len(plain) // (2 if b"\0" in plain else 1) + sum(len(code) for _, code in strings) // 4


def _runs_off(lines: Sequence[Line], rect: pymupdf.Rect, *, far: bool) -> bool:
    """Whether a line touches an edge of the page; with `far` also whether the next would lie below it."""
    right, lower = rect.width - 1, rect.height - 1
    for line in lines:
        x0, y0, x1, y1 = line.bbox
        if x0 < 1 or x1 > right or y0 < 1 or y1 > lower or (far and y1 + (y1 - y0) > lower):
            return True
    return False


def picture_boxes(textpage: pymupdf.TextPage) -> list[BBox]:
    """Boxes of the pictures in text that was read with `pymupdf.TEXT_PRESERVE_IMAGES`."""
    out: list[BBox] = []
    picture = pymupdf.mupdf.FZ_STEXT_BLOCK_IMAGE
    block = textpage.this.m_internal.first_block  # PyMuPDF's own way takes ten times as long
    while block:
        if block.type == picture:
            out.append((block.bbox.x0, block.bbox.y0, block.bbox.x1, block.bbox.y1))
        block = block.next
    return out


def _hide_pictures(textpage: pymupdf.TextPage) -> list[int] | None:
    """Move pictures off the page: text handed out together with them would come with every picture encoded.

    Returns the places, among the blocks of text, of those that follow a picture. None, and nothing is done, where a
    picture stands within a line: it parts what is one line without it.
    """
    pictures = []
    after: list[int] = []
    texts, last, apart = 0, None, False
    block = textpage.this.m_internal.first_block
    while block:
        if block.type == pymupdf.mupdf.FZ_STEXT_BLOCK_IMAGE:
            pictures.append(block)
            apart = True
        elif block.type == pymupdf.mupdf.FZ_STEXT_BLOCK_TEXT:
            if apart and last is not None:
                if _share_line(last, block):
                    return None
                after.append(texts)
            texts, last, apart = texts + 1, block, False
        block = block.next
    for block in pictures:
        box = block.bbox
        box.x0 = box.y0 = box.x1 = box.y1 = _FAR
    return after


def _share_line(block: Any, other: Any) -> bool:
    """Whether a block of text begins on the baseline that another one ends on."""
    ends, begins = ([line.m_internal for line in pymupdf.mupdf.FzStextBlock(b)] for b in (block, other))
    end, start, way = ends[-1].last_char, begins[0].first_char, begins[0].dir
    off = way.x * (start.origin.y - end.origin.y) - way.y * (start.origin.x - end.origin.x)
    return abs(off) < ON_BASE * start.size


def _lies_within(textpage: pymupdf.TextPage, rect: pymupdf.Rect) -> bool:
    """Whether no block of text reaches over the edge of what is shown."""
    x0, y0, x1, y1 = rect
    block = textpage.this.m_internal.first_block
    while block:
        box = block.bbox
        far = box.x0 < x0 or box.y0 < y0 or box.x1 > x1 or box.y1 > y1
        if far and block.type == pymupdf.mupdf.FZ_STEXT_BLOCK_TEXT:
            return False
        block = block.next
    return True


def _is_cropped(page: pymupdf.Page) -> bool:
    if page.xref > 0:  # asked of MuPDF itself: PyMuPDF's boxes take longer than reading a short page's text
        entries = pymupdf.mupdf.pdf_page_from_fz_page(page.this).obj()
        if not pymupdf.mupdf.pdf_dict_get_inheritable(entries, pymupdf.mupdf.PDF_ENUM_NAME_CropBox).m_internal:
            return False
    shown, whole = page.cropbox, page.mediabox
    return abs(whole.width * whole.height) >= CROPPED * abs(shown.width * shown.height)

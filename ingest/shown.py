"""A page's text as MuPDF reads it: the part that is shown, its pictures' boxes, and how much a crop leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pymupdf

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


class Shown(NamedTuple):
    """Text read from a page, boxes of its pictures as stored, and the letters that the crop leaves out, if known."""

    textpage: pymupdf.TextPage
    pictures: list[BBox]
    whole: pymupdf.TextPage | None


def read_shown(page: pymupdf.Page, flags: int) -> Shown:
    """Read what is shown of a page. `flags` are MuPDF's for text, the one that clips to the page among them.

    A cropped page is read with all that its sheet holds; only where something of that lies outside is it read again
    with the crop. `whole` is the text of the sheet then, None on pages that are not cropped.

    Raises:
        RuntimeError: (MuPDF's errors are its subclasses) the page's content cannot be interpreted.
    """
    whole = None
    if _is_cropped(page):
        unclipped = flags & ~pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_PRESERVE_IMAGES
        every = page.get_textpage(clip=pymupdf.INFINITE_RECT(), flags=unclipped)
        whole = every
        if not page.rotation and not picture_boxes(every) and _lies_within(every, page.rect):
            return Shown(every, [], every)
    textpage = page.get_textpage(flags=flags | pymupdf.TEXT_PRESERVE_IMAGES)
    pictures = picture_boxes(textpage)
    if pictures and not _hide_pictures(textpage):
        textpage = page.get_textpage(flags=flags)
    return Shown(textpage, pictures, whole)


def letters_left_out(page: pymupdf.Page, shown: Shown, lines: Sequence[Line], *, flags: int, content: int) -> int:
    """Letters that the file has for a page outside of the part that is shown, given the lines that were read.

    A page that is not cropped is read once more where its text seems to run off the sheet: it touches an edge, or ends
    right above the lower one with much more in the page's content (`content` is its length in bytes).
    """
    whole = shown.whole
    read = count_letters("".join([line.text for line in lines]))
    if whole is None and _runs_off(lines, page.rect, far=content > 4096 + _MUCH * read):
        whole = page.get_textpage(clip=pymupdf.INFINITE_RECT(), flags=flags & ~pymupdf.TEXT_MEDIABOX_CLIP)
    if whole is None or whole is shown.textpage:
        return 0
    found = count_letters(whole.extractText())
    return 0 if found <= read else max(0, found - count_letters(shown.textpage.extractText()))


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
    block = textpage.this.m_internal.first_block  # PyMuPDF's own way takes ten times as long
    while block:
        if block.type != pymupdf.mupdf.FZ_STEXT_BLOCK_TEXT:
            out.append((block.bbox.x0, block.bbox.y0, block.bbox.x1, block.bbox.y1))
        block = block.next
    return out


def _hide_pictures(textpage: pymupdf.TextPage) -> bool:
    """Move pictures off the page: text handed out together with them would come with every picture encoded.

    False, and nothing is done, where one stands between blocks of text: it parts lines that are one without it.
    """
    blocks = []
    block = textpage.this.m_internal.first_block
    while block:
        blocks.append(block)
        block = block.next
    text = [i for i, block in enumerate(blocks) if block.type == pymupdf.mupdf.FZ_STEXT_BLOCK_TEXT]
    if text and text[-1] - text[0] >= len(text):
        return False
    for block in blocks:
        if block.type != pymupdf.mupdf.FZ_STEXT_BLOCK_TEXT:
            box = block.bbox
            box.x0 = box.y0 = box.x1 = box.y1 = _FAR
    return True


def _lies_within(textpage: pymupdf.TextPage, rect: pymupdf.Rect) -> bool:
    """Whether no block of text reaches over the edge of what is shown."""
    x0, y0, x1, y1 = rect
    block = textpage.this.m_internal.first_block
    while block:
        box = block.bbox
        if box.x0 < x0 or box.y0 < y0 or box.x1 > x1 or box.y1 > y1:
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

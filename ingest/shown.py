"""A page's text as MuPDF reads it: the part that is shown, its pictures' boxes, and how much a crop leaves out."""

from __future__ import annotations

from typing import NamedTuple

import pymupdf

from h3cold.ingest.script import count_letters
from h3cold.schemas.geometry import BBox

CROPPED = 1.02
"""Area of a sheet, over that of the part that is shown, from which a page counts as cropped."""


_FAR = 1e7
"""Points off every page."""


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


def letters_left_out(shown: Shown, text: str) -> int:
    """Letters that the file has for a page outside of the part that is shown, given the text of its lines."""
    if shown.whole is None or shown.whole is shown.textpage:
        return 0
    found = count_letters(shown.whole.extractText())
    if found <= count_letters(text):
        return 0
    return max(0, found - count_letters(shown.textpage.extractText()))


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

"""A page's text as MuPDF reads it: the part that is shown, its pictures' boxes, and how much a crop leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pymupdf

from h3cold.ingest.boxes import BOX_FLAGS, ON_BASE, Block, Box, filled_boxes, part_boxes
from h3cold.ingest.script import count_letters
from h3cold.schemas.geometry import BBox

if TYPE_CHECKING:
    from h3cold.ingest.page_facts import Line

CROPPED = 1.00001
"""Area of a sheet, over that of the part that is shown, from which a page counts as cropped."""

_FAR = 1e7
"""Points off every page."""


class Shown(NamedTuple):
    """Text read from a page, and boxes of its pictures as stored.

    `whole` is all that the file has for the page, None where no text of it lies beyond an edge; `blocks` those of the
    text, and `vectors` those of vector graphics, as `extractDICT` has them.
    """

    textpage: pymupdf.TextPage
    pictures: list[BBox]
    whole: pymupdf.TextPage | None
    blocks: list[Block]
    vectors: list[Block]

    @property
    def boxes(self) -> list[Box] | None:
        """See `boxes.filled_boxes`."""
        return filled_boxes(self.vectors)


def read_shown(page: pymupdf.Page, flags: int, *, boxes: bool = False, sheet: BBox | None = None) -> Shown:
    """Read what is shown of a page. `flags` are MuPDF's for text, the one that clips to the page among them; with
    `boxes` filled boxes are read along with the text. `sheet` is the part that is shown, before the page is turned.

    It is read with all that the file has for it; only where some of that reaches over an edge is it read again with
    what is shown alone. Of a cropped page, whose drawings depend on the crop, that holds only where it has no pictures.

    Raises:
        RuntimeError: (MuPDF's errors are its subclasses) the page's content cannot be interpreted.
    """
    if boxes:
        flags |= BOX_FLAGS
    flags |= pymupdf.TEXT_PRESERVE_IMAGES
    cropped, sheet = _is_cropped(page), sheet or sheet_of(page.rect, page.rotation)
    limitless = flags & ~pymupdf.TEXT_MEDIABOX_CLIP if cropped else flags  # with it MuPDF clips to a crop all the same
    whole = page.get_textpage(clip=pymupdf.INFINITE_RECT(), flags=limitless)
    pictures = None if cropped and picture_boxes(whole) else _cut_to(whole, sheet)
    if pictures is None:
        return _shown(page, page.get_textpage(flags=flags), flags, whole)
    shown = _shown(page, whole, flags, None, pictures)
    return shown if _cut(shown.vectors, sheet) else _shown(page, page.get_textpage(flags=flags), flags, None)


def _shown(
    page: pymupdf.Page,
    textpage: pymupdf.TextPage,
    flags: int,
    whole: pymupdf.TextPage | None,
    pictures: list[BBox] | None = None,
) -> Shown:
    pictures = picture_boxes(textpage) if pictures is None else pictures
    after = _hide_pictures(textpage) if pictures else ()
    if after is None:
        textpage = page.get_textpage(flags=flags & ~pymupdf.TEXT_PRESERVE_IMAGES)
    blocks, vectors = part_boxes(textpage.extractDICT()["blocks"], after or ())
    return Shown(textpage, pictures, whole, blocks, vectors)


def letters_left_out(shown: Shown, lines: Sequence[Line]) -> int:
    """Letters that the file has for a page outside of the part that is shown, given the lines that were read."""
    if shown.whole is None:
        return 0
    read = count_letters("".join([line.text for line in lines]))
    found = count_letters(shown.whole.extractText())
    return 0 if found <= read else max(0, found - count_letters(shown.textpage.extractText()))


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


def sheet_of(rect: pymupdf.Rect, rotation: int) -> BBox:
    """The part of a page that is shown, before it is turned; `rect` is the page's, which takes long to be told."""
    width, height = rect.width, rect.height
    return (0.0, 0.0, height, width) if rotation in (90, 270) else (0.0, 0.0, width, height)


def _cut_to(textpage: pymupdf.TextPage, sheet: BBox) -> list[BBox] | None:
    """Make text that was read with no limits what it were had it been read with these, boxes of pictures cut to them,
    and return those. None, and it is to be read again, where text reaches over an edge or a picture lies beyond one.
    """
    x0, y0, x1, y1 = sheet
    pictures: list[BBox] = []
    text, picture = pymupdf.mupdf.FZ_STEXT_BLOCK_TEXT, pymupdf.mupdf.FZ_STEXT_BLOCK_IMAGE
    block = textpage.this.m_internal.first_block
    while block:  # each look at a field costs as much as reading five letters: once over all blocks for both
        kind = block.type
        if kind == text:
            box = block.bbox
            left, right = box.x0, box.x1
            if left < x0 or right > x1 or left == right or box.y0 < y0 or box.y1 > y1:
                return None
        elif kind == picture:
            box = block.bbox
            left, top, right, bottom = box.x0, box.y0, box.x1, box.y1
            if left < x0 or right > x1 or top < y0 or bottom > y1 or left == right:
                if left > x1 or right < x0 or top > y1 or bottom < y0:
                    return None
                box.x0, box.y0, box.x1, box.y1 = max(left, x0), max(top, y0), min(right, x1), min(bottom, y1)
            pictures.append((box.x0, box.y0, box.x1, box.y1))
        block = block.next
    limits = textpage.this.m_internal.mediabox
    limits.x0, limits.y0, limits.x1, limits.y1 = sheet
    return pictures


def _cut(vectors: Sequence[Block], sheet: BBox) -> bool:
    """Cut boxes of vector graphics to the sheet; False where one lies beyond it."""
    left, top, right, bottom = sheet
    for block in vectors:
        x0, y0, x1, y1 = block["bbox"]
        if x0 < left or x1 > right or y0 < top or y1 > bottom:
            x0, y0, x1, y1 = block["bbox"] = (max(x0, left), max(y0, top), min(x1, right), min(y1, bottom))
            if x0 >= x1 or y0 >= y1:
                return False
    return True


def _is_cropped(page: pymupdf.Page) -> bool:
    if page.xref > 0:  # asked of MuPDF itself: PyMuPDF's boxes take longer than reading a short page's text
        entries = pymupdf.mupdf.pdf_page_from_fz_page(page.this).obj()
        if not pymupdf.mupdf.pdf_dict_get_inheritable(entries, pymupdf.mupdf.PDF_ENUM_NAME_CropBox).m_internal:
            return False
    shown, whole = page.cropbox, page.mediabox
    return abs(whole.width * whole.height) > CROPPED * abs(shown.width * shown.height)

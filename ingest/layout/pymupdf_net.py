"""PyMuPDF 2.0's layout network: looks at a page's text and graphics beside its picture; weights in the wheel."""

from __future__ import annotations

from typing import Any

import layoutparser as lp
import pymupdf
from layoutparser.models.base_layoutmodel import BaseLayoutModel

from h3cold.schemas.errors import UsageError


class PyMuPDFLayoutModel(BaseLayoutModel):
    """LayoutParser's shape around `pymupdf.Page.get_layout`; it gives no scores, and finds nothing on a scan."""

    DEPENDENCIES = ()  # LayoutParser only knows those of its own models
    DETECTOR_NAME = "pymupdf"
    MODEL_CATALOG: dict[str, dict[str, str]] = {}  # noqa: RUF012  (the base class wants it so)
    TAKES_PAGES = True

    def __init__(self) -> None:
        import pymupdf.layout

        pymupdf.layout.activate()

    def detect(self, image: Any) -> Any:
        """The layout of a `pymupdf.Page`, in points of the page as displayed.

        Raises:
            UsageError: `image` is a picture, which has no text to look at.
        """
        page = self.image_loader(image)
        if not page.rotation:
            return _layout(page)
        # The network takes no notice of a page's rotation: show it the page as it is displayed.
        rotation, (width, height) = page.rotation, page.rect.br
        with pymupdf.open() as doc:
            upright = doc.new_page(width=width, height=height)
            page.set_rotation(0)  # in memory only; `show_pdf_page` takes a rotated page's width for its height
            try:
                upright.show_pdf_page(upright.rect, page.parent, page.number, rotate=-rotation)
            finally:
                page.set_rotation(rotation)
            return _layout(upright)

    def image_loader(self, image: Any) -> pymupdf.Page:
        """`image` if it is a page; see `detect`."""
        if isinstance(image, pymupdf.Page):
            return image
        raise UsageError("PyMuPDF's layout network takes a pymupdf.Page; for a picture use the model rapidlayout")


def _layout(page: pymupdf.Page) -> Any:
    page.get_layout()
    boxes = page.layout_information or ()
    return lp.Layout([lp.TextBlock(lp.Rectangle(*map(float, box[:4])), type=box[4]) for box in boxes])

"""Any LayoutParser-compatible model on a PDF page."""

from __future__ import annotations

import functools
import importlib
import math
from typing import Any, get_args

import numpy as np
import pymupdf
from numpy.typing import NDArray

from h3cold.schemas.errors import ModelError, UsageError
from h3cold.schemas.page import RegionKind

MODELS = {
    "pymupdf": "h3cold.ingest.layout.pymupdf_net:PyMuPDFLayoutModel",
    "rapidlayout": "h3cold.ingest.layout.rapid_layout:RapidLayoutModel",
}

DPI = 144
MAX_PIXELS = 6_000_000
"""Pages that would take more at `DPI` are rendered smaller; the models shrink their input to about 1 MP anyway."""

KINDS: dict[str, RegionKind] = {
    # DocLayNet, as PyMuPDF's network names them
    "section-header": "heading", "list-item": "list", "picture": "figure", "page-header": "header",
    "page-footer": "footer", "table-fallback": "table",
    # CDLA, of RapidLayout's bundled model
    "figure_caption": "caption", "table_caption": "caption", "equation": "formula", "reference": "text",
    # other data sets' names for the same, as in LayoutParser's model catalogue
    "paragraph": "text", "image": "figure", "imageregion": "figure", "tableregion": "table", "textregion": "text",
    "mathsregion": "formula", "separatorregion": "figure", "abstract": "text", "author": "text",
}  # fmt: skip
"""A model's name of a class, in lower case, to ours; names that are ours already are not listed."""


@functools.cache
def open_model(name: str) -> Any:
    """The layout model `name`: one of `MODELS`, or any that has LayoutParser's `detect(image) -> Layout`.

    That is `module:Class`, `module:Class@CONFIG` for a class that takes the path of a configuration as LayoutParser's
    own do, or a name of LayoutParser's catalogue such as `lp://EfficientDet/PubLayNet`.

    Raises:
        UsageError: no model has that name; lists the known ones.
        ModelError: it does not load.
    """
    target, _, configuration = MODELS.get(name, name).partition("@")
    module, _, attribute = target.partition(":")
    if target.startswith("lp://"):
        module, attribute, configuration = "layoutparser", "AutoLayoutModel", name
    elif not (module and attribute):
        raise UsageError(
            f"unknown layout model {name!r}; known: {', '.join(MODELS)}, module:Class or module:Class@CONFIG of your "
            "own, lp://... of LayoutParser's catalogue"
        )
    try:
        make = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as e:
        raise UsageError(f"layout model {name!r} cannot be found: {e}") from e
    try:
        model = make(configuration) if configuration else make()
    except Exception as e:
        raise ModelError(f"layout model {name!r} does not load: {type(e).__name__}: {e}") from e
    if model is None:  # so LayoutParser says that none of the libraries is there that its models run on
        raise ModelError(f"layout model {name!r} does not load: install the library that LayoutParser runs it with")
    if not callable(getattr(model, "detect", None)):
        raise UsageError(f"layout model {name!r} has no method detect(image) as LayoutParser's models have")
    return model


def detect(page: pymupdf.Page, model: str = "pymupdf") -> Any:
    """The page's layout by `model`: a `layoutparser.Layout` of `TextBlock`s in points of the page as displayed.

    A block's `type` is one of `schemas.page.RegionKind` ("text" for a class nobody knows), its `score` 0..1 or None
    where the model gives none, its `id` its place in the model's order.

    Raises:
        UsageError, ModelError: see `open_model`.
    """
    import layoutparser as lp

    detector = open_model(model)
    if getattr(detector, "TAKES_PAGES", False):
        found, scale = detector.detect(page), 1.0
    else:
        picture, scale = render(page)
        found = detector.detect(picture)
    width, height = page.rect.width, page.rect.height
    blocks: list[Any] = []
    for block in found:
        x0, y0, x1, y1 = (float(v) / scale for v in block.coordinates)
        box = lp.Rectangle(max(0.0, x0), max(0.0, y0), min(width, x1), min(height, y1))
        if box.x_1 < box.x_2 and box.y_1 < box.y_2:
            blocks.append(lp.TextBlock(box, id=len(blocks), type=kind(block.type), score=block.score))
    return lp.Layout(blocks)


def kind(name: Any) -> RegionKind:
    """Our name for a model's class."""
    key = str(name).strip().lower()
    return next((k for k in get_args(RegionKind) if k == key), KINDS.get(key, "text"))


def render(page: pymupdf.Page) -> tuple[NDArray[np.uint8], float]:
    """The page as an RGB picture [height, width, 3], and its scale in pixels a point."""
    scale = min(DPI / 72, math.sqrt(MAX_PIXELS / max(1.0, page.rect.width * page.rect.height)))
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False)
    rows = np.frombuffer(pixmap.samples_mv, np.uint8).reshape(pixmap.height, pixmap.stride)
    return rows[:, : pixmap.width * 3].reshape(pixmap.height, pixmap.width, 3).copy(), scale

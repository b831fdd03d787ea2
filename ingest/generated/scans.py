"""Scans of pages that we set: pictures only, turned a little, with the noise and the losses of a scanner."""

from __future__ import annotations

import numpy as np
import pymupdf

from h3cold.ingest.generated.typeset import finish_file

PAPER = 0.96
"""Lightness of the paper, as a share of white."""


def scanned(data: bytes, *, title: str, dpi: int, skew: float, seed: int, noise: float = 4.0) -> bytes:
    """The file `data` as its scan: grey JPEG pictures, the same bytes on every run.

    Args:
        skew: degrees clockwise that a hand-fed page lies askew.
        noise: standard deviation of the grey levels (of 255).
    """
    out = pymupdf.open()
    random = np.random.default_rng(seed)
    with pymupdf.open(stream=data) as clean:
        for page in clean:
            matrix = pymupdf.Matrix(dpi / 72, dpi / 72).prerotate(skew)
            picture = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False)
            grey = np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.stride)[:, : picture.width]
            noisy = np.clip(grey * PAPER + random.normal(0, noise, grey.shape), 0, 255).astype(np.uint8)
            image = pymupdf.Pixmap(pymupdf.csGRAY, picture.width, picture.height, noisy.tobytes(), False)
            sheet = out.new_page(width=page.rect.width, height=page.rect.height)
            sheet.insert_image(sheet.rect, stream=image.tobytes("jpeg", jpg_quality=70))
    return finish_file(out, title=title)

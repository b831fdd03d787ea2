"""Work on documents that is not in the tables yet: windows of pages, OCR of single ones, slices of vectors.

A document reaches the tables when all of it is done. Until then, each piece that is done has a file of its own in
`meta/ledger/<document>/`, named by stage, by the digest of the settings it was made with, and by its place, so that
whoever goes on after a crash begins with the piece that is missing. Documents of one window have OCR only.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from blake3 import blake3

from h3cold.ingest.stages import Window
from h3cold.ingest.store.files import read_checked, write_checked
from h3cold.ingest.store.page_rows import json_page
from h3cold.schemas.export import to_json
from h3cold.schemas.page import Page

Floats = np.ndarray[Any, np.dtype[np.float32]]


class Ledger:
    """The pieces on record below `store`; `parse` and `embed` are the digests of the settings they must have."""

    def __init__(self, store: Path, *, parse: str, embed: str) -> None:
        self._folder = store / "meta" / "ledger"
        self._parse, self._embed = parse, embed

    def save_window(self, document: str, first: int, window: Window) -> None:
        """Put pages on record, the first of which is page `first`.

        Raises:
            StoreError: they cannot be written.
        """
        write_checked(self._window(document, first), json.dumps(to_json(window), ensure_ascii=False).encode())

    def windows(self, document: str) -> Iterator[Window | int]:
        """The windows on record, by first page; of those that are damaged, or in another shape than this version's,
        the first page alone: they are to be read again.
        """
        for path in sorted((self._folder / document).glob(f"parse-{self._parse}-*")):
            number = path.name.rpartition("-")[2]
            if not number.isdecimal():
                continue  # the draft of one, left by a build that was killed at it
            data = read_checked(path)
            try:
                if data is None:
                    raise ValueError(path)
                yield _window(json.loads(data))
            except (LookupError, TypeError, ValueError, AttributeError):
                yield int(number)

    def save_vectors(self, document: str, texts: Sequence[str], vectors: Floats, runs: Sequence[bytes]) -> None:
        """Put the vectors [n, d] of these n texts on record, and what is kept of their tokens'.

        Raises:
            StoreError: they cannot be written.
        """
        sizes = np.array([len(data) for data in runs], "<u4").tobytes()
        floats = np.ascontiguousarray(vectors, dtype="<f4").tobytes()
        write_checked(self._vectors(document, texts), sizes + floats + b"".join(runs))

    def vectors(self, document: str, texts: Sequence[str]) -> tuple[Floats, list[bytes]] | None:
        """What `save_vectors` put on record of just these texts; None where it is not there."""
        data = read_checked(self._vectors(document, texts))
        try:
            return None if data is None else _runs(data, len(texts))
        except ValueError:  # another version's
            return None

    def forget(self, documents: Collection[str]) -> None:
        """Drop what is on record of documents that are in the tables now."""
        for document in documents:
            shutil.rmtree(self._folder / document, ignore_errors=True)

    def forget_all_but(self, documents: Collection[str]) -> None:
        """Drop what no build will ask for again."""
        for folder in self._folder.iterdir() if self._folder.is_dir() else ():
            if folder.name not in documents:
                shutil.rmtree(folder, ignore_errors=True)

    def _window(self, document: str, first: int) -> Path:
        return self._folder / document / f"parse-{self._parse}-{first:06}"

    def _vectors(self, document: str, texts: Sequence[str]) -> Path:
        said = blake3(json.dumps(list(texts)).encode()).hexdigest(16)
        return self._folder / document / f"runs-{self._embed}-{said}"

    def ocr_of(self, document: str) -> str:
        """How the paths of files begin that hold OCR of single pages, which workers put on record (`ocr.kept`)."""
        return str(self._folder / document / f"ocr-{self._parse}-")


def _runs(data: bytes, texts: int) -> tuple[Floats, list[bytes]]:
    sizes = np.frombuffer(data, "<u4", texts).astype(np.int64)
    at = np.cumsum([len(data) - sizes.sum(), *sizes]).tolist()
    if at[0] <= 4 * texts:
        raise ValueError("no vectors")
    floats = np.frombuffer(data[4 * texts : at[0]], "<f4").reshape(texts, -1)
    return floats, [data[start:end] for start, end in pairwise(at)]


def _window(data: dict[str, Any]) -> Window:
    outline = tuple((level, title, page) for level, title, page in data["outline"])
    pages = tuple(json_page(p) for p in data["pages"])
    if not isinstance(data["count"], int) or not isinstance(data["meta"], dict) or not all(map(_sound, pages)):
        raise TypeError("fields of other types")
    if any(not 1 <= p.number <= data["count"] for p in pages):
        raise ValueError("pages that the file has not")
    return Window(pages, data["count"], data["meta"], outline)


def _sound(page: Page) -> bool:
    """Whether what a page was read from had values of the right types."""
    texts = [page.source, page.route, *page.reasons]
    numbers = [page.number, page.width, page.height, page.rotation]
    for region in page.regions:
        texts += [region.kind, region.text]
        numbers += [region.order, *region.bbox]
        for cell in region.table.cells if region.table is not None else ():
            texts.append(cell.text)
            numbers += [cell.row, cell.col, cell.rowspan, cell.colspan, *cell.bbox]
    boxes = all(len(r.bbox) == 4 for r in page.regions)
    return boxes and all(isinstance(t, str) for t in texts) and all(isinstance(n, int | float) for n in numbers)

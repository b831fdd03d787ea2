"""Opening a PDF: every way in which a file is not one ends in an error that says so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pymupdf

from h3cold.ingest.page_tree import MUPDF_ERRORS, count_pages
from h3cold.schemas.errors import DocumentError, EncryptedError

HEADER_WITHIN = 1024
"""Bytes at the start in which `%PDF` must stand, as Acrobat has it."""

_STRUCTURE = re.compile(rb"\d+\s+\d+\s+obj\b|\bstartxref\b|%%EOF")
"""What a PDF without its first line still shows at its start or its end."""

_OTHERS = (
    (b"\xff\xd8\xff", "a JPEG picture"), (b"\x89PNG", "a PNG picture"), (b"GIF8", "a GIF picture"),
    (b"PK\x03\x04", "a ZIP or Office file"), (b"\xd0\xcf\x11\xe0", "an old Office file"), (b"{\\rtf", "an RTF file"),
    (b"<", "a web page or XML"),
)  # fmt: skip
"""How files that are no PDF begin."""

_OBJECT = re.compile(rb"(\d+)\s+\d+\s+obj\b")


class LostContentError(RuntimeError):
    """A page's content is not in the file; the message says so in words of ours."""

    def __init__(self) -> None:
        super().__init__("its content is not in the file, which was cut off or is damaged")


def document_id(data: bytes) -> str:
    """BLAKE3 of the bytes, the first 16 of it in hex."""
    from blake3 import blake3

    return blake3(data).hexdigest(16)


def read_file(path: str | Path) -> bytes:
    """The bytes of a file that starts like a PDF, or has lost its first line and is built like one.

    Raises:
        DocumentError: the file is missing, unreadable, empty or not a PDF.
    """
    source = str(path)
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise DocumentError(source, "no such file") from None
    except IsADirectoryError:
        raise DocumentError(source, "is a folder; give a PDF file") from None
    except OSError as e:
        raise DocumentError(source, f"cannot be read: {e.strerror}") from e
    if not data:
        raise DocumentError(source, "the file is empty (0 bytes)")
    if b"%PDF" not in data[:HEADER_WITHIN]:
        begin = data.lstrip()[:16]
        what = next((name for mark, name in _OTHERS if begin.startswith(mark)), "")
        if what or not (_STRUCTURE.search(data[:HEADER_WITHIN]) or _STRUCTURE.search(data[-HEADER_WITHIN:])):
            raise DocumentError(source, f"not a PDF: it does not start with %PDF{what and f', it is {what}'}")
    return data


def open_document(path: str | Path, *, passwords: Sequence[str] = (), data: bytes | None = None) -> pymupdf.Document:
    """Open a PDF, repaired where MuPDF can. `data` is the file's bytes if they were read already.

    Raises:
        DocumentError: not a PDF, damaged beyond repair, or without pages.
        EncryptedError: none of `passwords` (nor the empty one) opens it.
    """
    source = str(path)
    data = read_file(path) if data is None else data
    quiet = pymupdf.TOOLS.mupdf_display_errors(), pymupdf.TOOLS.mupdf_display_warnings()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        doc = pymupdf.open(stream=data, filetype="pdf")
        if not doc.is_pdf:  # MuPDF trusts a file's first bytes more than what it is told
            raise DocumentError(source, "not a PDF: it is a picture or another kind of document")
        if doc.needs_pass and not any(doc.authenticate(p) for p in ("", *passwords)):
            raise EncryptedError(source, encrypted(passwords, "ingest.passwords"))
        pages = count_pages(doc)
    except MUPDF_ERRORS as e:
        raise DocumentError(source, f"damaged beyond repair: {' '.join(str(e).split())}") from e
    finally:
        pymupdf.TOOLS.mupdf_display_errors(quiet[0])
        pymupdf.TOOLS.mupdf_display_warnings(quiet[1])
    if pages < 1:
        raise DocumentError(source, "has no pages (it may be truncated)")
    return doc


def encrypted(passwords: Sequence[str], option: str) -> str:
    """Why an encrypted file does not open; `option` is where passwords are given."""
    if not passwords:
        return f"encrypted; give its password ({option})"
    given = "the password given is" if len(passwords) == 1 else f"all {len(passwords)} passwords given are"
    return f"encrypted, and {given} wrong; give the right one ({option})"


def lost_streams(page: pymupdf.Page) -> tuple[int, int]:
    """Content streams that the page names and the file does not hold, and all that it names.

    A page that is not in the file itself counts as one that has lost its one stream. MuPDF repairs a file that was
    cut off and shows such pages as blank, without a word.
    """
    doc = page.parent
    objects = doc.xref_length()
    if not 0 < page.xref < objects:
        return 1, 1
    streams = page.get_contents()
    return sum(not (0 < x < objects and doc.xref_is_stream(x)) for x in streams), len(streams)


def is_cut_off(page: pymupdf.Page) -> bool:
    """Whether the file ends within the page's content or one of its pictures; MuPDF shows what there is of it,
    without a word."""
    doc = page.parent
    data = doc.stream
    if not data or not doc.is_repaired:
        return False
    begin, end = data.rfind(b"stream"), data.rfind(b"endstream")
    if begin < 0 or begin == end + len("end"):
        return False
    numbers = _OBJECT.findall(data[max(0, begin - 4096) : begin])
    return bool(numbers) and int(numbers[-1]) in [*page.get_contents(), *(p[0] for p in page.get_images(full=True))]

"""PDFs that break readers, made from bytes: what each is called says what is wrong with it."""

from __future__ import annotations

import zlib

import pymupdf

FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def text(words, at=100):
    return f"BT /F 14 Tf 72 {at} Td ({words}) Tj ET\n".encode()


def pdf(contents, *, objects=(), page=b"", root=b"", count=None, kids=None):
    """A PDF with one page for each content stream (bytes, or (dictionary entries, raw data)).

    Objects: 1 catalog, 2 page tree, 3 font, then page and stream in turn, then `objects`.
    """
    numbers = [4 + 2 * i for i in range(len(contents))]
    kids = b" ".join(b"%d 0 R" % n for n in numbers) if kids is None else kids
    bodies = [
        b"<</Type/Catalog/Pages 2 0 R" + root + b">>",
        b"<</Type/Pages/Kids[" + kids + b"]/Count %d>>" % (len(contents) if count is None else count),
        FONT,
    ]
    for number, content in zip(numbers, contents, strict=True):
        entries, data = content if isinstance(content, tuple) else (b"", content)
        bodies.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Resources<</Font<</F 3 0 R>>" + page + b">>"
            b"/Contents %d 0 R>>" % (number + 1)
        )
        bodies.append(b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(data), data))
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate([*bodies, *objects], 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
    out += b"".join(b"%010d 00000 n \n" % at for at in offsets)
    out += b"trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n" % (len(offsets) + 1, start)
    return bytes(out)


def deflated(data):
    return (b"/Filter/FlateDecode", zlib.compress(data, 9))


def bomb(megabytes):
    """A stream that unpacks to so many megabytes of operators, and is small and quickly made."""
    packer = zlib.compressobj(9)
    start = packer.compress(b"0 0 m 9 9 l S\n" * 75_000) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(b"0 0 m 9 9 l S\n" * 75_000) + packer.flush(zlib.Z_FULL_FLUSH)
    return (b"/Filter/FlateDecode", start + again * (megabytes - 1))


def good(pages):
    return pdf([text(f"This is page number {n + 1} of the book.") for n in range(pages)])


def encrypted(password):
    with pymupdf.open(stream=good(2), filetype="pdf") as doc:
        return doc.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=password, owner_pw="owner")


def huge_picture():
    """A picture that says it is 60,000 pixels square, with next to no data."""
    data = zlib.compress(b"\0" * 1000)
    picture = (
        b"<</Type/XObject/Subtype/Image/Width 60000/Height 60000/BitsPerComponent 8/ColorSpace/DeviceRGB"
        b"/Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(data), data)
    )
    return pdf([b"400 0 0 300 0 0 cm /P Do"], objects=[picture], page=b"/XObject<</P 6 0 R>>")


def self_drawing_form():
    form = b"<</Type/XObject/Subtype/Form/BBox[0 0 400 300]/Resources<</XObject<</X 6 0 R>>>>/Length 12>>"
    content = text("Before the form.") + b"/X Do"
    return pdf([content], objects=[form + b"stream\n/X Do /X Do \nendstream"], page=b"/XObject<</X 6 0 R>>")


def deep_page_tree(levels):
    chain = [b"<</Type/Pages/Kids[%d 0 R]/Count 1/Parent %d 0 R>>" % (7 + i, 5 + i) for i in range(levels)]
    leaf = b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 400 300]/Resources<</Font<</F 3 0 R>>>>/Contents 5 0 R>>"
    return pdf([text("At the end of the tree.")], objects=[*chain, leaf % (5 + levels)], kids=b"6 0 R")


def endless(before=0, after=0):
    """A page that would take for ever to read: forms that each draw the next ten times over, with pages around it."""
    depth = 14
    first = 4 + 2 * (before + 1 + after)
    forms = []
    for n in range(depth):
        draw = b"/X Do " * 10 if n < depth - 1 else text("over and over").strip()
        named = b"/XObject<</X %d 0 R>>" % (first + n + 1) if n < depth - 1 else b"/Font<</F 3 0 R>>"
        head = b"<</Type/XObject/Subtype/Form/BBox[0 0 400 300]/Resources<<%s>>/Length %d>>" % (named, len(draw))
        forms.append(head + b"stream\n" + draw + b"\nendstream")
    pages = [text(f"This is page number {n + 1} of the book.") for n in range(before + 1 + after)]
    pages[before] += b"/X Do"
    return pdf(pages, objects=forms, page=b"/XObject<</X %d 0 R>>" % first)


def outline_cycle():
    outline = b"<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 1>>"
    item = b"<</Title(Round and round)/Parent 6 0 R/Next 7 0 R/First 7 0 R/Dest[4 0 R/Fit]>>"
    return pdf([text("A book with a strange outline.")], objects=[outline, item], root=b"/Outlines 6 0 R")

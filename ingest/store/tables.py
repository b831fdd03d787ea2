"""The store's tables as Arrow schemas. `document` is 32 hex digits, `page` 1-based, boxes are in PDF points."""

from __future__ import annotations

import pyarrow as pa

TEXTS = pa.list_(pa.string())
NUMBERS = pa.list_(pa.int32())
BOX = pa.list_(pa.float64())

SOURCES = pa.schema(
    [
        ("source", pa.string()),  # as shown: relative to the root, "/" between parts, odd bytes as \xNN
        ("path", pa.binary()),  # the same, byte for byte as the file system has it
        ("document", pa.string()),  # "" where the file could not be read
        ("size", pa.int64()),
        ("mtime_ns", pa.int64()),
        ("status", pa.string()),  # indexed | failed
        ("reason", pa.string()),
        ("page", pa.int32()),
        ("config", pa.string()),  # digest of the settings a failed file was tried with
    ]
)
DOCUMENTS = pa.schema(
    [
        ("id", pa.string()),
        ("source", pa.string()),  # the first of `sources`
        ("sources", TEXTS),  # every file with these bytes, sorted
        ("title", pa.string()),
        ("language", pa.string()),
        ("company", pa.string()),
        ("period", pa.string()),
        ("date", pa.string()),
        ("doctype", pa.string()),
        ("authors", TEXTS),
        ("pages", pa.int32()),
        ("blocks", pa.int32()),
        ("stages", pa.string()),  # JSON: stage -> digest of the settings its rows were made with
        ("meta", pa.string()),  # JSON: what the file says of itself (title, author, dates)
    ]
)
PAGES = pa.schema(
    [
        ("document", pa.string()),
        ("page", pa.int32()),
        ("width", pa.float64()),
        ("height", pa.float64()),
        ("rotation", pa.int32()),
        ("source", pa.string()),
        ("route", pa.string()),
        ("reasons", TEXTS),
        ("ocr_engine", pa.string()),
        ("ocr_confidence", pa.float64()),
        ("failure", pa.string()),
        ("regions", pa.string()),  # JSON list of regions
        ("cells", pa.binary()),  # zlib of a JSON list of [place in `regions`, table], null where there is no table
    ]
)
IMAGES_COLUMNS = [
    ("block", pa.string()),
    ("document", pa.string()),
    ("page", pa.int32()),
    ("bbox", BOX),
    ("png", pa.binary()),
]
MENTIONS = pa.schema(
    [
        ("entity", pa.string()),
        ("document", pa.string()),
        ("block", pa.string()),
        ("type", pa.string()),
        ("text", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("page", pa.int32()),
        ("bbox", BOX),
    ]
)
RELATIONS = pa.schema(
    [
        ("id", pa.string()),
        ("type", pa.string()),
        ("head", pa.string()),
        ("tail", pa.string()),
        ("document", pa.string()),
        ("block", pa.string()),
        ("page", pa.int32()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("confidence", pa.float64()),
        ("value", pa.string()),
        ("period", pa.string()),
    ]
)
ENTITIES = pa.schema(
    [
        ("id", pa.string()),
        ("type", pa.string()),
        ("name", pa.string()),
        ("aliases", TEXTS),
        ("documents", TEXTS),
        ("mentions", pa.int32()),
    ]
)


TOKENS = pa.schema(
    [
        ("block", pa.string()),
        ("document", pa.string()),
        ("runs", pa.binary()),  # see `compress.runs`
    ]
)


def blocks_schema(dimension: int) -> pa.Schema:
    """Blocks, with a text vector of `dimension` half floats."""
    return pa.schema(
        [
            ("id", pa.string()),
            ("document", pa.string()),
            ("position", pa.int32()),
            ("kind", pa.string()),
            ("text", pa.string()),
            ("indexed", pa.string()),  # what was embedded: the text behind its context
            ("tokens_text", pa.string()),  # our lexical tokens of `indexed`, joined by blanks
            ("headings", TEXTS),
            ("page", pa.int32()),
            ("pages", NUMBERS),
            ("boxes", pa.string()),  # JSON list of [page, x0, y0, x1, y1, start, end]
            ("caption", pa.string()),
            ("table", pa.string()),  # JSON of a Table, null for other kinds
            ("group", pa.string()),
            ("part", pa.int32()),
            ("parts", pa.int32()),
            ("language", pa.string()),
            ("tokens", pa.int32()),
            ("digest", pa.string()),  # of what the block says, checked whenever it is read
            ("vector", pa.list_(pa.float16(), dimension)),
        ]
    )


def images_schema(dimension: int) -> pa.Schema:
    """Pictures of blocks, with an image vector of `dimension` floats (null while no image model is given)."""
    return pa.schema([*IMAGES_COLUMNS, ("vector", pa.list_(pa.float32(), max(dimension, 1)))])


def schemas(*, text_dimension: int, image_dimension: int = 0) -> dict[str, pa.Schema]:
    """Every table's schema by its name."""
    return {
        "sources": SOURCES,
        "documents": DOCUMENTS,
        "pages": PAGES,
        "blocks": blocks_schema(text_dimension),
        "images": images_schema(image_dimension),
        "tokens": TOKENS,
        "mentions": MENTIONS,
        "relations": RELATIONS,
        "entities": ENTITIES,
    }


BY_DOCUMENT = {"documents": "id", "pages": "document", "blocks": "document", "images": "document",
               "tokens": "document", "mentions": "document", "relations": "document"}  # fmt: skip
"""Tables whose rows belong to one document, with the column that names it."""

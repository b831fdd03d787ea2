"""Dataclasses to table rows and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from blake3 import blake3

from h3cold.ingest.store.page_rows import json_table, page_row, rounded, rounded_table
from h3cold.schemas.block import Block
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.errors import CorruptionError
from h3cold.schemas.export import from_json, to_json
from h3cold.schemas.geometry import PageBox
from h3cold.schemas.graph import Entity, Mention, Relation
from h3cold.schemas.page import Page

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """Everything the store keeps of one document; `vectors` [blocks, dimension] go with `blocks` row by row, as `runs`
    do where there are any.
    """

    id: str
    info: DocumentInfo
    stages: Mapping[str, str]
    pages: Sequence[Page]
    blocks: Sequence[Block]
    indexed: Sequence[str]
    tokens_text: Sequence[str]
    vectors: np.ndarray[Any, Any]
    page_count: int
    meta: Mapping[str, str | None] = field(default_factory=dict)
    images: Sequence[Row] = field(default=())
    runs: Sequence[bytes] = field(default=())
    mentions: Sequence[Mention] = field(default=())
    relations: Sequence[Relation] = field(default=())

    def tables(self) -> dict[str, list[Row]]:
        """Rows by table name."""
        return {
            "documents": [self._document_row()],
            "pages": [page_row(self.id, page) for page in self.pages],
            "blocks": [
                block_row(block, indexed, tokens, vector)
                for block, indexed, tokens, vector in zip(
                    self.blocks, self.indexed, self.tokens_text, self.vectors, strict=True
                )
            ],
            "images": list(self.images),
            "tokens": [
                {"block": block.id, "document": self.id, "runs": runs}
                for block, runs in zip(self.blocks, self.runs, strict=bool(self.runs))
            ],
            "mentions": [asdict(m) for m in self.mentions],
            "relations": [asdict(r) for r in self.relations],
        }

    def _document_row(self) -> Row:
        """Its sources are filled in when the snapshot is published."""
        return {
            "id": self.id,
            "source": "",
            "sources": [],
            **asdict(self.info),
            "pages": self.page_count,
            "blocks": len(self.blocks),
            "stages": json.dumps(dict(self.stages), sort_keys=True),
            "meta": json.dumps(dict(self.meta), sort_keys=True),
        }


def rounded_block(block: Block) -> Block:
    """The block with its boxes as the store will give them back."""
    boxes = tuple(replace(b, bbox=rounded(b.bbox)) for b in block.boxes)
    return replace(block, boxes=boxes, table=rounded_table(block.table))


SAID = ("id", "kind", "text", "headings", "boxes", "caption", "table")
"""Columns that a block's digest covers."""


DIGEST = 16
"""Bytes of a digest."""


def said_text(row: Mapping[str, Any]) -> bytes:
    """What a row of `blocks` says, as one text: JSON of the columns `SAID` in their order."""
    return json.dumps([row[name] for name in SAID], ensure_ascii=False).encode("utf-8", "surrogatepass")


def said_row(text: bytes) -> Row:
    """Inverse of `said_text`."""
    return dict(zip(SAID, from_json(text), strict=True))


def block_digest(row: Mapping[str, Any]) -> str:
    """BLAKE3 (hex) of what a row of `blocks` says."""
    return blake3(said_text(row)).hexdigest(DIGEST)


def block_row(block: Block, indexed: str, tokens_text: str, vector: Any) -> Row:
    """Row of `blocks`."""
    row = {
        "id": block.id,
        "document": block.document,
        "position": block.position,
        "kind": block.kind,
        "text": block.text,
        "indexed": indexed,
        "tokens_text": tokens_text,
        "headings": list(block.headings),
        "page": block.page,
        "pages": list(block.pages),
        "boxes": json.dumps([[b.page, *rounded(b.bbox), b.start, b.end] for b in block.boxes]),
        "caption": block.caption,
        "table": None if block.table is None else json.dumps(to_json(block.table), ensure_ascii=False),
        "group": block.group,
        "part": block.part,
        "parts": block.parts,
        "language": block.language,
        "tokens": block.tokens,
        "vector": np.asarray(vector, dtype=np.float16),
    }
    return {**row, "digest": block_digest(row)}


def row_block(row: Mapping[str, Any]) -> Block:
    """Inverse of `block_row`; needs no vector, indexed text or tokens.

    Raises:
        CorruptionError: the row is not what was written, so a bit of it has changed since.
    """
    if block_digest(row) != row["digest"]:
        raise CorruptionError(
            f"block {row['id']}: its digest does not fit, the store is damaged; see h3-monitor --verify"
        )
    return sound_block(row)


def sound_block(row: Mapping[str, Any]) -> Block:
    """As `row_block`, of a row that is known to be what was written."""
    return Block(
        id=row["id"],
        document=row["document"],
        position=row["position"],
        kind=row["kind"],
        text=row["text"],
        headings=tuple(row["headings"]),
        boxes=tuple(PageBox(b[0], (b[1], b[2], b[3], b[4]), b[5], b[6]) for b in from_json(row["boxes"])),
        language=row["language"],
        caption=row["caption"],
        table=None if row["table"] is None else json_table(from_json(row["table"])),
        group=row["group"],
        part=row["part"],
        parts=row["parts"],
        tokens=row["tokens"],
    )


BLOCK_COLUMNS = ["id", "document", "position", "kind", "text", "headings", "boxes", "language", "caption", "table",
                 "group", "part", "parts", "tokens", "digest"]  # fmt: skip
"""What `row_block` reads."""


def row_mention(row: Mapping[str, Any]) -> Mention:
    """Row of `mentions` as its dataclass."""
    return Mention(**{**row, "bbox": tuple(row["bbox"])})


def row_relation(row: Mapping[str, Any]) -> Relation:
    """Row of `relations` as its dataclass."""
    return Relation(**row)


def row_entity(row: Mapping[str, Any]) -> Entity:
    """Row of `entities` as its dataclass."""
    return Entity(**{**row, "aliases": tuple(row["aliases"]), "documents": tuple(row["documents"])})


def entity_rows(entities: Iterable[Entity]) -> list[Row]:
    """Rows of `entities`, by id."""
    return [asdict(e) for e in sorted(entities, key=lambda e: e.id)]

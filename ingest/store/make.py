"""A store straight from blocks in hand: for tests, for documents that other programs parsed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from h3cold.ingest.embed import PassageEmbedder
from h3cold.ingest.store.graph import build_graph_index
from h3cold.ingest.store.indexes import build_blocks_index
from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.rows import DocumentRows, Row, entity_rows
from h3cold.ingest.store.statements import build_statements
from h3cold.ingest.store.told import build_told
from h3cold.ingest.store.writer import open_writer
from h3cold.schemas.block import Block
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.graph import Entity, Mention, Relation
from h3cold.schemas.page import Page


def make_store(
    path: str | Path,
    blocks: Iterable[Block],
    *,
    embedder: PassageEmbedder,
    info: Mapping[str, DocumentInfo] | None = None,
    sources: Mapping[str, str] | None = None,
    root: str = "",
    pages: Mapping[str, Sequence[Page]] | None = None,
    images: Mapping[str, bytes] | None = None,
    mentions: Iterable[Mention] = (),
    relations: Iterable[Relation] = (),
    entities: Iterable[Entity] = (),
) -> ColdStore:
    """Publish a snapshot that holds just these blocks.

    `info`, `sources` (path relative to `root`) and `pages` are by document id, `images` (PNG) by block id.

    Raises:
        StoreError: the store cannot be written.
    """
    from h3cold.ingest.blocks import indexed_text
    from h3cold.ingest.compress.summaries import build_summaries
    from h3cold.ingest.compress.trees import build_trees
    from h3cold.ingest.embedding import embed
    from h3cold.ingest.tokens import lexical

    info, sources, pages, images = info or {}, sources or {}, pages or {}, images or {}
    ordered = sorted(blocks, key=lambda b: (b.document, b.position))
    all_mentions, all_relations = list(mentions), list(relations)
    with open_writer(path, text_dimension=embedder.dimension, fresh=True) as writer:
        source_rows: list[Row] = []
        documents: dict[str, list[str]] = {}
        for document, group in groupby(ordered, key=lambda b: b.document):
            own = list(group)
            about = info.get(document, DocumentInfo())
            indexed = [indexed_text(about, b) for b in own]
            vectors, runs = embed(embedder, indexed)
            writer.add(
                DocumentRows(
                    id=document,
                    info=about,
                    stages={},
                    pages=pages.get(document, ()),
                    blocks=own,
                    indexed=indexed,
                    tokens_text=[" ".join(lexical(text)) for text in indexed],
                    vectors=vectors,
                    runs=runs if all(runs) else (),
                    page_count=len(pages.get(document, ())),
                    images=[image_row(b, images[b.id]) for b in own if b.id in images],
                    mentions=[m for m in all_mentions if m.document == document],
                    relations=[r for r in all_relations if r.document == document],
                )
            )
            source = sources.get(document, f"{document}.pdf")
            documents[document] = [source]
            source_rows.append(source_row(source, source.encode(), document=document))
        writer.flush()
        writer.replace("sources", source_rows)
        writer.set_sources(documents)
        writer.replace("entities", entity_rows(entities))
        writer.index_tables()
        index = build_blocks_index(writer.path, writer.table("blocks"), snapshot=writer.number(), kind="Flat")
        index |= build_told(writer.path, writer.table, snapshot=writer.number())
        index |= build_graph_index(writer.path, writer.table, snapshot=writer.number())
        index |= build_statements(
            writer.path, writer.table("relations"), index, snapshot=writer.number(), embedder=embedder.id,
            embed=embedder.passages, former={},
        )  # fmt: skip
        made = build_summaries(writer, dimensions=128, embedder=embedder.id, former={})
        models = {"embedder": embedder.id, "summaries": made.status}
        index |= made.files | build_trees(writer, made.files)
        writer.publish(root=root, config="", models=models, index=index, keep_days=0)
    return ColdStore.open(path)


def source_row(
    source: str,
    path: bytes,
    *,
    document: str,
    size: int = 0,
    mtime_ns: int = 0,
    status: str = "indexed",
    reason: str | None = None,
    page: int | None = None,
    config: str = "",
) -> Row:
    """Row of `sources`."""
    return {
        "source": source,
        "path": path,
        "document": document,
        "size": size,
        "mtime_ns": mtime_ns,
        "status": status,
        "reason": reason,
        "page": page,
        "config": config,
    }


def image_row(block: Block, png: bytes, vector: Any = None) -> Row:
    """Row of `images`."""
    return {"block": block.id, "document": block.document, "page": block.page, "bbox": list(block.bbox), "png": png,
            "vector": vector}  # fmt: skip

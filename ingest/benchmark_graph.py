"""What the knowledge graph costs: its share of the processor time of a build, and words read a second on two cores."""

from __future__ import annotations

import multiprocessing
import re
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pymupdf

from h3cold.ingest.blocks import build_blocks
from h3cold.ingest.embed.e5 import E5
from h3cold.ingest.embedding import embed
from h3cold.ingest.opening import document_id, open_document, read_file
from h3cold.ingest.parse import ParseOptions, finish, outline_of, parse_window
from h3cold.ingest.stages import describe_blocks
from h3cold.kg.extract import Extraction, extract
from h3cold.kg.linking import link, same_as
from h3cold.kg.statements import LEFT_OUT, statement
from h3cold.schemas.block import Block
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.errors import UsageError

FILINGS = 30
"""Pages from which a file counts as a filing."""

PAGES = 8
"""Of each filing, from its middle."""

_TOKEN = re.compile(r"\w+|[^\w\s]")
Read = tuple[DocumentInfo, tuple[Block, ...]]


def filings(data: Path) -> dict[str, float]:
    """Processor seconds of each stage over pages of UDA's filings, OCR and layout models off, one thread each.

    `graph_share` is the graph's (reading, linking and its sentences' vectors) of all stages; `tokens` are words and
    signs. `tokens_per_second_on_2_cores` is by the clock, over two processes that share the documents;
    `per_processor_second`, what one core does in a second of its own, tells how busy the machine was.

    Raises:
        UsageError: there are no filings in the folder.
    """
    E5(threads=1).passages(["ready"])
    extract([], info=DocumentInfo(language="en"))
    spent: dict[str, float] = {}
    documents: list[Read] = []
    found: list[Extraction] = []
    for path in sorted((data / "uda").rglob("*.pdf")):
        with pymupdf.open(path) as doc:
            long = doc.page_count >= FILINGS
        if long and "wiki" not in str(path):
            info, blocks, said = _document(path, spent)
            documents.append((info, blocks))
            found.append(said)
    if not documents:
        raise UsageError(f"{data / 'uda'}: no PDF of {FILINGS} pages")
    said_once = _sentences(found, spent)
    tokens = sum(len(_TOKEN.findall(b.text)) for _, blocks in documents for b in blocks)
    graph = sum(spent[stage] for stage in ("graph", "linking", "statements"))
    seconds, processor = _on_two(documents)
    return {
        "filings": len(documents), "pages": PAGES * len(documents), "tokens": tokens, "statements": said_once,
        "graph_share": round(graph / sum(spent.values()), 4),
        "statements_share": round(spent["statements"] / sum(spent.values()), 4),
        "tokens_per_processor_second": round(tokens / processor, 1),
        "tokens_per_second_on_2_cores": round(tokens / seconds, 1),
        **{f"seconds_{stage}": round(value, 3) for stage, value in spent.items()},
    }  # fmt: skip


def _document(path: Path, spent: dict[str, float]) -> tuple[DocumentInfo, tuple[Block, ...], Extraction]:
    """What one document gives, each stage's processor seconds added to `spent`."""
    clock = _Clock(spent)
    data = read_file(path)
    with open_document(path, data=data) as doc:
        first = max(1, (doc.page_count - PAGES) // 2)
        pages = parse_window(doc, path.name, first, first + PAGES - 1, ParseOptions(ocr="off", layout="fast"))
        parsed = finish(document_id(data), path.name, pages, doc.metadata or {}, outline_of(doc))
    clock.book("parse")
    model = E5(threads=1)
    blocks = tuple(build_blocks(parsed, target_tokens=256, count=model.count_tokens))
    drafted = describe_blocks(parsed.id, parsed.info, blocks, graph=False)
    clock.book("blocks")
    said = extract(blocks, info=parsed.info)
    clock.book("graph")
    embed(model, drafted.indexed)
    clock.book("vectors")
    return parsed.info, blocks, said


def _sentences(found: Sequence[Extraction], spent: dict[str, float]) -> int:
    """Links what was read and embeds the edges' sentences, each once; how many there are."""
    mentions = [m for f in found for m in f.mentions]
    relations = [r for f in found for r in f.relations]
    clock = _Clock(spent)
    names = {e.id: e.name for e in link(mentions, relations)}
    merged = same_as(mentions, relations)
    clock.book("linking")
    texts = set()
    for r in relations:
        if r.type not in LEFT_OUT:
            head, tail = (names[merged.get(id, id)] for id in (r.head, r.tail))
            texts.add(statement(r.type, head, tail, value=r.value, period=r.period))
    E5(threads=1).passages(sorted(texts))
    clock.book("statements")
    return len(texts)


def _on_two(documents: Sequence[Read]) -> tuple[float, float]:
    """Seconds by the clock in which two processes read all documents between them, and their processor seconds."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        list(pool.map(_read, [(DocumentInfo(language="en"), ())] * 8))  # both have their models
        started = time.perf_counter()
        processor = sum(pool.map(_read, sorted(documents, key=lambda d: -len(d[1]))))
        return time.perf_counter() - started, processor


def _read(document: Read) -> float:
    """Processor seconds to read a document's blocks."""
    started = time.process_time()
    extract(document[1], info=document[0])
    return time.process_time() - started


class _Clock:
    """Books processor time since the last call."""

    def __init__(self, spent: dict[str, float]) -> None:
        self._spent = spent
        self._since = time.process_time()

    def book(self, stage: str) -> None:
        now = time.process_time()
        self._spent[stage] = self._spent.get(stage, 0.0) + now - self._since
        self._since = now

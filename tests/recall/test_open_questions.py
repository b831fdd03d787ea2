"""A table whose row and column are asked for, where the question may be after text as well."""

from silent_model import SilentModel

from h3cold.ingest.store.make import make_store
from h3cold.recall import ColdTier
from h3cold.schemas.block import Block, block_id
from h3cold.schemas.geometry import PageBox
from h3cold.schemas.page import Cell, Table

BOX = (60.0, 100.0, 500.0, 300.0)
RUNS = [
    ["Machine", "Single processor", "Dual core"],
    ["Serial", "10:12:22", "11:02:14"],
    ["Speed-up rate", "1.27", "1.94"],
]
CELLS = tuple(Cell(r, c, text, BOX, header=r == 0) for r, row in enumerate(RUNS) for c, text in enumerate(row))
TEXTS = [
    "Speed was measured on a dual core machine, and the rate is given below.",
    "\n".join(" | ".join(row) for row in RUNS),
    *(f"Nothing of the kind is said on page {n} of the report, which tells of other runs." for n in range(3, 9)),
]


def test_it_comes_before_a_passage_that_says_about_as_much(tmp_path):
    document, table = "a" * 32, Table(3, 3, CELLS)
    blocks = []
    for n, text in enumerate(TEXTS):
        kind, boxes = "table" if n == 1 else "passage", (PageBox(n + 1, BOX, 0, len(text)),)
        own = table if n == 1 else None
        blocks.append(Block(block_id(document, n), document, n, kind, text, (), boxes, table=own))
    made = make_store(tmp_path / "s", blocks, embedder=SilentModel())
    with ColdTier.open(made.path) as tier:
        query = "What speed-up rate did the dual core machine reach?"
        assert tier.decide(query).best == "text"
        hit = tier.recall(query)[0]
        assert hit.kind == "table" and hit.answer.values == ("1.94",)

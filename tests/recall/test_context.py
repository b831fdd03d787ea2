"""A hit widened to its section, its pages, its document."""

from dataclasses import replace
from functools import partial

import pytest
from silent_model import SilentModel

from h3cold.ingest.store.make import make_store
from h3cold.recall import ColdTier
from h3cold.recall.context import LONGEST, STEP, context_of
from h3cold.recall.hits import read_blocks
from h3cold.schemas.block import Block, block_id
from h3cold.schemas.errors import QueryError
from h3cold.schemas.geometry import PageBox

BOX = (60.0, 100.0, 500.0, 300.0)


def passage(document, position, page, headings, text, **more):
    boxes = tuple(PageBox(p, BOX, 0, len(text)) for p in (page if isinstance(page, tuple) else (page,)))
    return Block(block_id(document, position), document, position, "passage", text, headings, boxes, **more)


EN, ZH, LONG = "a" * 32, "b" * 32, "c" * 32
BLOCKS = [
    passage(EN, 0, 1, ("1 Business",), "First of the report."),
    passage(EN, 1, 1, ("1 Business",), "Second."),
    passage(EN, 2, (1, 2), ("1 Business", "1.1 Plants"), "Over the page's end."),
    replace(
        passage(EN, 3, 2, ("2 Data",), "Year | Tons\n2021 | 5"), kind="table", caption="Table 1", group="t", parts=2
    ),
    replace(passage(EN, 4, 3, ("2 Data",), "Year | Tons\n2022 | 6"), kind="table", group="t", part=1, parts=2),
    passage(EN, 5, 3, ("2 Data",), "After the table."),
    passage(EN, 6, 4, ("1 Business",), "Last, under the first heading again."),
    passage(ZH, 0, 1, ("第一节 概况",), "公司概况。", language="zh"),
    passage(ZH, 1, 1, ("第一节 概况",), "总部位于北京。", language="zh"),
    passage(ZH, 2, 2, ("第二节 风险",), "原材料价格上涨。", language="zh"),
    *(passage(LONG, i, 1 + i // 10, (), f"Line {i}.") for i in range(3 * STEP)),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    made = make_store(tmp_path_factory.mktemp("context") / "s", BLOCKS, embedder=SilentModel())
    with ColdTier.open(made.path) as tier:
        yield tier


@pytest.fixture(scope="module")
def widen(store):
    """widen(document, position(s), scope)."""
    snapshot = store.prepare("first")[0]
    place = {i.decode(): row for row, i in enumerate(snapshot.corpus.ids.tolist())}

    def of(document, positions, scope):
        rows = [place[block_id(document, p)] for p in positions]
        return context_of(snapshot.corpus, rows, partial(read_blocks, snapshot.store, snapshot.corpus), scope)

    return of


TABLE = "Table 1\nYear | Tons\n2021 | 5\n\n2022 | 6"


@pytest.mark.parametrize(
    ("document", "positions", "section", "page"),
    [
        (EN, [0], "First of the report.\n\nSecond.", "First of the report.\n\nSecond.\n\nOver the page's end."),
        (EN, [2], "Over the page's end.", f"First of the report.\n\nSecond.\n\nOver the page's end.\n\n{TABLE[:28]}"),
        (EN, [3, 4], f"{TABLE}\n\nAfter the table.", f"Over the page's end.\n\n{TABLE}\n\nAfter the table."),
        (EN, [4], f"{TABLE}\n\nAfter the table.", "Year | Tons\n2022 | 6\n\nAfter the table."),
        (EN, [6], "Last, under the first heading again.", "Last, under the first heading again."),
        (ZH, [0], "公司概况。\n\n总部位于北京。", "公司概况。\n\n总部位于北京。"),
        (ZH, [2], "原材料价格上涨。", "原材料价格上涨。"),
    ],
)
def test_section_and_page(widen, document, positions, section, page):
    assert widen(document, positions, "section") == section
    assert widen(document, positions, "page") == page


def test_a_sentence_that_leads_to_a_table_is_said_once(tmp_path):
    lead = "The tons of each year were as follows:"
    blocks = [
        passage(EN, 0, 1, (), f"Coal fell. {lead}"),
        replace(passage(EN, 1, 1, (), "Year | Tons\n2021 | 5"), kind="table", caption=lead),
        replace(passage(EN, 2, 1, (), "Year | Tons\n2021 | 7"), kind="table", caption=lead),
    ]
    with ColdTier.open(make_store(tmp_path / "s", blocks, embedder=SilentModel()).path) as tier:
        text = tier.recall("coal")[0].context()
    assert text == f"Coal fell. {lead}\n\nYear | Tons\n2021 | 5\n\n{lead}\nYear | Tons\n2021 | 7"


def test_a_document_without_headings_is_one_section(widen):
    whole = "\n\n".join(f"Line {i}." for i in range(3 * STEP))
    for position in (0, STEP, 3 * STEP - 1):
        assert widen(LONG, [position], "section") == whole == widen(LONG, [position], "document")
    assert 3 * STEP <= LONGEST


def test_a_hit_widens_by_name_and_an_unknown_scope_is_told(store):
    hit = next(h for h in store.recall("Second", top=20) if h.block == block_id(EN, 1))
    assert hit.context() == hit.context("section") == "First of the report.\n\nSecond."
    assert hit.context("page").endswith("Over the page's end.")
    assert hit.context("document").startswith("First") and hit.context("document").count("Year | Tons") == 1
    with pytest.raises(QueryError, match="did you mean 'section'"):
        hit.context("sections")


def test_every_hit_stands_in_each_of_its_contexts(tier):
    for query in ("steel", "plants output", "应收账款周转率", "违约金"):
        for hit in tier.recall(query, top=10):
            line = hit.text.splitlines()[-1]
            assert all(line in hit.context(scope) for scope in ("section", "page", "document"))

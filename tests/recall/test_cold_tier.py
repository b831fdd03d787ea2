"""Recall on a small real store: the right block for each intent, in both languages and across them."""

from dataclasses import replace

import numpy as np
import pymupdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from h3cold.ingest.embed import open_embedder
from h3cold.ingest.store.make import make_store
from h3cold.recall import ColdTier
from h3cold.schemas.block import Block, block_id
from h3cold.schemas.errors import QueryError, StoreError
from h3cold.schemas.geometry import PageBox
from h3cold.schemas.hit import hit_json

BOX = (60.0, 100.0, 500.0, 300.0)


def place(hit):
    return hit.source, hit.page


@pytest.mark.parametrize(
    ("query", "source", "page"),
    [
        ("What risks does the price of steel bring for Acme in 2022?", "acme/acme_2022.pdf", 2),
        ("What was Acme's capital expenditure in fiscal 2023?", "acme/acme_2023.pdf", 4),
        ("Acme capital expenditure FY2021", "acme/acme_2021.pdf", 4),
        ("Acme 2022年的资本开支是多少", "acme/acme_2022.pdf", 4),
        ("对比2022与2023年应收账款周转率", "huaxin.pdf", 2),
        ("逾期交货的违约金怎么算", "合同.pdf", 1),
        ("how long does the duty of confidentiality last after the contract ends", "合同.pdf", 2),
        ("华信科技面临哪些风险", "huaxin.pdf", 4),
        ("revenue by region of 华信", "huaxin.pdf", 3),
    ],
)
def test_the_right_page_comes_first(tier, query, source, page):
    hits = tier.recall(query)
    assert place(hits[0]) == (source, page), [(place(h), h.reason) for h in hits]


def test_a_table_of_both_years_comes_with_its_row_its_columns_its_cells_and_its_picture(tier):
    hit = tier.recall("对比2022与2023年应收账款周转率", top=1)[0]
    assert (hit.intent, hit.kind) == ("structure", "table")
    assert "应收账款周转率" in hit.reason and "2022年" in hit.reason and "holds 2022 and 2023" in hit.reason
    assert hit.table.grid()[1] == ["应收账款周转率（次）", "4.21", "3.87"]
    picture = pymupdf.Pixmap(hit.image())
    assert picture.width > picture.height > 100
    assert not picture.is_unicolor


def test_structure_asked_for_brings_structures_only(tier):
    hits = tier.recall("steel prices and locomotives", intent="structure", top=20)
    assert hits and {h.kind for h in hits} == {"table"}


def test_a_table_split_over_pages_comes_whole_and_once(tier):
    hits = tier.recall("output of Plant 7", intent="structure", top=10)
    own = [h for h in hits if h.source == "plants.pdf"]
    assert len(own) == 1 and own[0].rank == 1
    assert (own[0].page, own[0].pages) == (3, (2, 3))
    assert [row[0] for row in own[0].table.grid()] == ["Plant", *(f"Plant {i}" for i in range(1, 9))]
    assert "2 parts" in own[0].reason and "Plant 7" in own[0].reason
    assert own[0].page == 3 and tier.block(own[0].block).page == 3  # where the row that answers stands


def test_a_relation_comes_with_its_path(tier):
    hit = tier.recall("Which companies does Acme own?")[0]
    assert hit.intent == "relation" and place(hit) == ("acme/acme_2022.pdf", 3)
    assert "Acme Widgets, Inc. —owns (51%, 2022)→ Beta Gears Ltd" in hit.reason and "p. 3" in hit.reason
    hit = tier.recall("华信科技与谁签订了合同", intent="relation")[0]
    assert place(hit) == ("合同.pdf", 1) and "东方铁路" in hit.reason


def test_a_relation_that_the_graph_does_not_know_is_answered_by_text_and_says_so(tier):
    hits = tier.recall("Who founded Zzyzx Mining?", intent="relation")
    assert hits and all("by text" in h.reason and h.intent == "text" for h in hits)


def test_near_identical_filings_are_told_apart_by_period(tier):
    for year in (2021, 2022, 2023):
        for query in (
            f"What did Acme pay in dividends in {year}?",
            f"Acme FY{year} risk factors",
            f"Acme {year}年度股利",
        ):
            assert tier.recall(query)[0].source == f"acme/acme_{year}.pdf", query


def test_last_year_is_the_stores_newest(tier):
    assert tier.recall("Acme's dividends last year")[0].source == "acme/acme_2023.pdf"


def test_copies_of_one_text_collapse_into_one_hit_that_names_the_others(tier):
    hits = tier.recall("Our business depends on steel prices", intent="text", top=10)
    steel = [h for h in hits if h.text.startswith("Our business depends")]
    assert len(steel) == 1
    assert "same text in acme/acme_202" in steel[0].reason


@pytest.mark.parametrize(
    ("where", "good"),
    [
        ({"company": "acme"}, lambda h: h.source.startswith("acme/")),
        ({"period": "2022"}, lambda h: h.source == "acme/acme_2022.pdf"),
        ({"language": "zh"}, lambda h: h.source in ("huaxin.pdf", "合同.pdf")),
        ({"source": "acme/*_2021.pdf"}, lambda h: h.source == "acme/acme_2021.pdf"),
        ({"kind": "table"}, lambda h: h.kind == "table"),
        ({"page": "4-"}, lambda h: h.page >= 4),
        ({"doctype": "10-K", "kind": "table", "page": 4}, lambda h: (h.kind, h.page) == ("table", 4)),
    ],
)
def test_filters_hold_for_every_intent(tier, where, good):
    for intent in ("text", "structure", "relation", "auto"):
        hits = tier.recall("payments and companies of Acme in 2022", intent=intent, top=50, where=where)
        assert hits and all(good(h) for h in hits), intent


def test_a_filter_that_nothing_passes_gives_nothing(tier):
    assert tier.recall("steel", where={"company": "nobody"}) == []
    with pytest.raises(QueryError, match="known"):
        tier.recall("steel", where={"colour": "red"})


def test_hits_are_whole_and_in_order(tier, made):
    hits = tier.recall("net sales and steel", top=8)
    assert [h.rank for h in hits] == list(range(1, 9))
    assert all(0 < h.page <= 5 and h.page in h.pages and h.document in made.ids.values() for h in hits)
    assert set(hit_json(hits[0])) == {"rank", "score", "intent", "block", "kind", "document", "source", "title", "page",
                                      "pages", "bbox", "headings", "text", "table", "reason", "answer", "excerpt",
                                      "copies"}  # fmt: skip
    assert len({h.block for h in hits}) == 8
    assert tier.recall("net sales and steel", top=8) == hits


def test_context_is_the_section_and_a_passage_has_a_picture(tier):
    hit = tier.recall("逾期交货的违约金", top=1)[0]
    assert hit.context() == hit.text
    assert pymupdf.Pixmap(hit.image()).width > 100


QUERIES = [
    "' OR 1=1; DROP TABLE blocks; --",
    'text:"steel" AND (NOT gears)~2^4 *',
    "x AND",
    "(((((x",
    "?",
    "a" * 10_000,
    "steel " * 2000,
    "\x00steel\x1b[31m",
    "{{7*7}} ${jndi:ldap://x} %s%n\\",
    "🙂 steel 🙂",
    "的",
    "2022",
    "ماذا",
    "ＡＣＭＥ　２０２２",
]


@pytest.mark.parametrize("query", QUERIES)
def test_hostile_queries_get_an_answer_or_a_clear_error(tier, query):
    try:
        hits = tier.recall(query)
    except QueryError as e:
        assert "\n" not in str(e)
    else:
        assert all(h.reason for h in hits)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60))
def test_any_query_gets_an_answer_or_a_clear_error(tier, query):
    try:
        tier.recall(query, top=3)
    except QueryError as e:
        assert "\n" not in str(e)


@pytest.mark.parametrize("number", [0, -1, 2.5, "3", True, float("nan"), 10**9])
def test_numbers_that_cannot_be_are_told(tier, number):
    with pytest.raises(QueryError, match="top must be"):
        tier.recall("steel", top=number)
    with pytest.raises(QueryError, match="candidates must be"):
        tier.recall("steel", candidates=number)


def test_blocks_come_by_id_and_those_of_other_stores_do_not(tier):
    hit = tier.recall("steel", top=np.int64(1))[0]
    assert tier.block(hit.block).id == hit.block
    assert [tier.block(i) for i in ("", "x" * 1000, "\ud800", "0" * 32 + "-00001-c1")] == [None] * 4
    with pytest.raises(QueryError, match="text, not int"):
        tier.block(5)


def test_a_source_that_changed_is_not_drawn(made, tier):
    path = made.root / "acme" / "acme_2021.pdf"
    kept = path.read_bytes()
    hit = tier.recall("Acme 2021 business", where={"source": "acme/acme_2021.pdf"}, top=1)[0]
    try:
        path.write_bytes(kept + b"\n%")
        with pytest.raises(StoreError, match="changed"):
            hit.image()
        path.unlink()
        with pytest.raises(StoreError, match="acme_2021"):
            hit.image()
    finally:
        path.write_bytes(kept)


def test_a_name_in_the_other_script_finds_the_company_and_says_so(tier):
    hit = tier.recall("艾克米公司2022年的资本开支是多少？", top=1)[0]
    assert (hit.source, hit.page) == ("acme/acme_2022.pdf", 4)
    assert "艾克米公司 is also Acme Widgets, Inc." in hit.reason
    assert "is also" not in tier.recall("capital expenditure 2022", top=1)[0].reason


def test_reasons_name_documents_as_they_are_printed(tier):
    assert "named: Acme Widgets, Inc." in tier.recall("acme widgets capital expenditure 2022", top=1)[0].reason
    assert "named: 华信科技股份有限公司" in tier.recall("华信科技的应收账款周转率", top=1)[0].reason


def test_pictures_without_a_word_are_no_text(made, tmp_path):
    document = next(iter(made.ids.values()))
    picture = Block(
        block_id(document, 0), document, 0, "figure", "", ("Rates",), (PageBox(1, BOX, 0, 0),), language="en"
    )
    said = replace(
        picture, id=block_id(document, 1), position=1, kind="passage", text="Rates rose in spring.", tokens=5
    )
    store = make_store(tmp_path / "s", [picture, said], embedder=open_embedder())
    with ColdTier.open(store.path) as tier:
        assert [h.block for h in tier.recall("rates", intent="text")] == [said.id]
        assert {h.block for h in tier.recall("figure of rates", intent="structure")} == {picture.id}


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("华信科技年报第3页的表", 3),
        ("华信科技年报第2页的表", 2),
        ("华信科技 表3-3", 3),
        ("华信科技年报最后一页写了什么", 4),
    ],
)
def test_a_page_or_a_numbered_table_that_is_named_comes_first(tier, query, page):
    best = tier.recall(query)[0]
    assert (best.source, best.page) == ("huaxin.pdf", page)

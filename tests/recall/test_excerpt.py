"""Of a long table a hit has the rows that answer and the head; all of it comes on demand."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from silent_model import SilentModel

from h3cold.ingest.store.make import make_store
from h3cold.recall import ColdTier
from h3cold.recall.cli import main
from h3cold.recall.excerpt import GAP, PIECES, SHOWN, WHOLE, Line, _scores, excerpt, length
from h3cold.recall.serve import answer
from h3cold.recall.structure import answer_in
from h3cold.recall.understand import understand
from h3cold.schemas.block import Block, block_id
from h3cold.schemas.geometry import PageBox
from h3cold.schemas.page import Cell, Table

DOCUMENT = "d" * 32
HEAD = ("Notice date", "Company", "City", "Employees")
CITIES = ("Fremont", "Oakland", "San Jose", "Irvine", "Chico")
ROWS = 240
EACH = 12


def grid(rows, *, top=0.0):
    cells = [
        Cell(r, c, text, (60 + 100 * c, top + 10 * r, 160 + 100 * c, top + 10 * r + 10), header=r == 0)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    ]
    return Table(len(rows), len(rows[0]), tuple(cells))


def row(i):
    return (f"{1 + i % 12:02d}/15/2015", f"Firm{i} Works", CITIES[i % 5], str(1000 + i))


def piece(number, rows, *, parts):
    text = "\n".join(" | ".join(r) for r in (HEAD, *rows))
    box = PageBox(1 + number // 4, (60.0, 100.0, 500.0, 100.0 + 10 * len(rows)), 0, len(text))
    return Block(
        block_id(DOCUMENT, number), DOCUMENT, number, "table", text, ("Notices",), (box,), language="en",
        caption="Layoff notices" if number == 0 else "", table=grid((HEAD, *rows)), group=f"{DOCUMENT[:8]}-t0",
        part=number, parts=parts,
    )  # fmt: skip


LIST = [piece(n, [row(i) for i in range(n * EACH, n * EACH + EACH)], parts=ROWS // EACH) for n in range(ROWS // EACH)]


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    store = make_store(tmp_path_factory.mktemp("excerpt") / "s", LIST, embedder=SilentModel())
    with ColdTier.open(store.path) as tier:
        yield tier


def test_a_hit_in_a_long_table_has_the_rows_that_answer(listed):
    (hit,) = listed.recall("How many employees of Firm137 Works?")
    lines = hit.text.splitlines()
    assert hit.excerpt and "rows that answer" in hit.reason
    assert lines[0] == " | ".join(HEAD) and " | ".join(row(137)) in lines and GAP in lines
    assert length(hit.text) < SHOWN + 200 < length(hit.context("table"))
    assert hit.table.grid()[0] == list(HEAD) and list(row(137)) in hit.table.grid() and hit.table.header_rows() == 1
    assert hit.page == 1 + 137 // EACH // 4 and hit.pages == tuple(range(1, 6))


def test_all_of_the_table_comes_on_demand(listed):
    (hit,) = listed.recall("Firm137 Works")
    whole = hit.cells()
    assert whole.rows == 1 + ROWS and whole.grid()[1:] == [list(row(i)) for i in range(ROWS)]
    assert {c.page for c in whole.cells} == set(hit.pages)
    assert hit.context("table").count("Notice date") == 1
    assert all(" | ".join(row(i)) in hit.context("table") for i in (0, 137, ROWS - 1))
    around = listed.around(hit.block)
    assert around.cells() == whole and around.context("table") == hit.context("table")
    assert listed.around("nothing") is None


def test_many_rows_that_answer_are_shown_from_all_over_the_table(listed):
    (hit,) = listed.recall("companies in Fremont with notice in month 03/15/2015")
    shown = [r for r in hit.table.grid()[1:] if r[2] == "Fremont"]
    assert len(shown) > 5 and hit.excerpt


def test_a_shorter_table_comes_whole(tmp_path):
    blocks = [replace(b, parts=3) for b in LIST[:3]]
    with ColdTier.open(make_store(tmp_path / "s", blocks, embedder=SilentModel()).path) as tier:
        (hit,) = tier.recall("Firm3 Works")
        assert not hit.excerpt and hit.table.rows == 1 + 3 * EACH and hit.cells() is hit.table
        assert hit.text == hit.context("table") and SHOWN < length(hit.text) < WHOLE


def test_the_command_and_the_server_give_the_same(listed, capsys):
    (hit,) = listed.recall("Firm137 Works")
    assert main(["Firm137 Works", "--store", str(listed.path), "--json", "--context", "table"]) == 0
    told = json.loads(capsys.readouterr().out)["hits"][0]
    assert told["text"] == hit.text and told["excerpt"] and told["table"]["rows"] == hit.table.rows
    assert told["context"] == hit.context("table") and told["cells"]["rows"] == 1 + ROWS
    served = answer(listed, "POST", "/recall", json.dumps({"query": "Firm137 Works", "context": "table"}).encode())
    assert served.body["hits"][0] == told
    block = answer(listed, "GET", f"/blocks/{hit.block}?context=table").body
    assert block["cells"] == told["cells"] and block["context"] == told["context"]
    assert "context" not in answer(listed, "GET", f"/blocks/{hit.block}").body
    refused = answer(listed, "GET", f"/blocks/{hit.block}?context=tabel")
    assert refused.status == 400 and "did you mean 'table'" in refused.body["error"]
    assert answer(listed, "GET", f"/blocks/{hit.block}?contxt=table").status == 400
    assert main(["Firm137 Works", "--store", str(listed.path), "--context", "tables"]) == 2
    assert "did you mean 'table'" in capsys.readouterr().err
    assert main(["Firm137 Works", "--store", str(listed.path), "--context", "table"]) == 0
    assert f"   | {' | '.join(row(0))}\n" in capsys.readouterr().out


WORDS = st.sampled_from(["revenue", "Firm3", "Fremont", "收入", "1,204", "", "net income of the year", "x" * 900])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.lists(WORDS, min_size=2, max_size=2), min_size=1, max_size=6), min_size=1, max_size=PIECES),
    st.sampled_from(["revenue in Fremont", "Firm3", "收入是多少", "nothing of this"]),
    st.data(),
)
def test_an_excerpt_is_bounded_in_order_and_of_the_table(pieces, query, data):
    parts = []
    for n, rows in enumerate(pieces):
        text = "\n".join(" | ".join(r) for r in (("A", "B"), *rows))
        parts.append(replace(piece(n, [], parts=len(pieces)), text=text, table=grid((("A", "B"), *rows))))
    found = data.draw(st.sampled_from(parts))
    text, table = excerpt(parts, found, understand(query))
    body = [r for r in text.splitlines()[1:] if r != GAP]
    every = [" | ".join(r).rstrip(" |") for rows in pieces for r in rows]
    left = iter(every)
    assert all(any(line == other for other in left) for line in body)  # in their order
    assert length("".join(body)) <= SHOWN or len(body) == 1
    if table is None:
        assert not any(every)
    else:
        assert table.rows == 1 + len(body) and table.header_rows() == 1
        assert [" | ".join(r).rstrip(" |") for r in table.grid()[1:]] == body


def test_a_row_is_told_with_what_stands_in_its_columns():
    rows = [["", "2023年", "2022年"], ["应收账款周转率（次）", "4.21", "3.87"], ["合计", "1", "2"]]
    told = answer_in(grid(rows), understand("对比2022与2023年应收账款周转率"))
    assert (told.row, told.columns, told.values) == ("应收账款周转率（次）", ("2023年", "2022年"), ("4.21", "3.87"))
    english = [["", "2019", "2018"], ["Service and other revenue", "5", "4"], ["Total revenues", "99", "84"]]
    told = answer_in(grid(english), understand("What was revenue in 2019?"))
    assert (told.row, told.values) == ("Total revenues", ("99",))
    assert answer_in(grid([["City", "Count"], ["Total", "632"]]), understand("number of employees at Macy's")) is None


def test_a_head_over_several_columns_is_above_each_of_them():
    cells = [
        Cell(0, 1, "Year ended March 31,", (0, 0, 1, 1), colspan=2, header=True),
        Cell(1, 1, "2012", (0, 0, 1, 1), header=True), Cell(1, 2, "2011", (0, 0, 1, 1), header=True),
        Cell(2, 0, "Cost of goods sold", (0, 0, 1, 1)), Cell(2, 1, "24", (0, 0, 1, 1)), Cell(2, 2, "21", (0, 0, 1, 1)),
    ]  # fmt: skip
    told = answer_in(Table(3, 3, tuple(cells)), understand("cost of goods sold in 2011"))
    assert (told.columns, told.values) == (("Year ended March 31, > 2011",), ("21",))


def test_where_no_label_is_asked_for_a_year_or_a_sum_answers():
    due = grid([["Fiscal year", "Due"], ["2016", "6,980"], ["2017", "10,470"], ["Total", "17,450"]])
    told = answer_in(due, understand("maturities of long-term debt in 2017"), "Maturities of long-term debt")
    assert (told.row, told.values) == ("2017", ("10,470",))
    regions = grid([["地区", "2016年"], ["华东", "3"], ["华南", "4"], ["合计", "7"]])
    told = answer_in(regions, understand("2016年的营业收入"), "营业收入分地区情况")
    assert (told.row, told.values) == ("合计", ("7",))
    assert answer_in(regions, understand("2016年分地区的营业收入"), "营业收入分地区情况") is None  # each row does
    assert answer_in(regions, understand("2016年的员工人数"), "营业收入分地区情况") is None


TEXTS = st.sampled_from(["", "2019", "Total", "合计", "Revenue", "收入", "1,204", "FY2019", "Net\nrevenue"])


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(TEXTS, min_size=1, max_size=3), max_size=4), st.integers(0, 3), st.integers(1, 3))
def test_any_table_is_looked_through_without_error(rows, heads, span):
    cols = max(map(len, rows), default=0)
    cells = tuple(
        Cell(r, c, text, (0, 0, 1, 1), colspan=span if c + span <= cols else 1, header=r < heads)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    )
    table = Table(len(rows), cols, cells)
    for text in ("revenue in 2019", "2019年的收入合计", "Total"):
        told = answer_in(table, understand(text), "Revenue 收入")
        if told is not None:
            assert told.row or told.columns
            assert len(told.values) == len(told.columns) or not (told.row or told.values)


def test_rows_that_say_as_much_are_worth_the_same_whatever_order_their_words_come_in():
    groups = [[f"{word}{end}" for word in ("brak", "drel", "flim", "gron")] for end in "bcdfghjklmnp"]
    lines = [" ".join(words[:n]) for words in groups for n in (4, 4, 3, 2, 2, 1)]
    scores = _scores([Line(0, n, text) for n, text in enumerate(lines)], understand(" ".join(map(" ".join, groups))))
    assert len(set(scores[::6])) == 1 and scores[0] > scores[2] > scores[3] > scores[5] > 0

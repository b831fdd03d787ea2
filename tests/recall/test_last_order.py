"""The last order of hits, when they are read."""

from types import SimpleNamespace

import numpy as np
import pytest

from h3cold.recall.filters import KINDS
from h3cold.recall.fuse import worths
from h3cold.recall.hits import Chosen, Seen
from h3cold.recall.last_order import in_last_order
from h3cold.recall.search import may_answer
from h3cold.recall.understand import understand
from h3cold.recall.unsaid import of_other_years
from h3cold.recall.wishes import asks_amount, states_amount
from h3cold.schemas.block import Block, PageBox
from h3cold.schemas.hit import Answer


def seen(row, worth, fit=0.0, *, said="9", document="d", answers=True, kind="table", text="", heading=""):
    block = Block(f"b{row}", document, row, kind, text, (heading,), (PageBox(1, (0, 0, 1, 1)),), "en")
    answer = Answer("Net sales", ("2019",), (said,)) if fit else None
    pick = Chosen(row, (), worth, "structure", list, worth=worth, answers=answers)
    return Seen(pick, (block,), block, text, None, False, answer, fit)


def ordered(every, top, question="net sales"):
    """Blocks in their last order, the scores shown, and which blocks were read."""
    read = []

    def look(chosen):
        read.extend(c.row for c in chosen)
        return [one for one in every if one.pick in chosen]

    told = in_last_order([one.pick for one in every], look, understand(question), top)
    return [one.pick.row for one, _ in told], [score for _, score in told], read


def test_a_table_that_answers_comes_before_one_that_hardly_does_unless_that_is_much_better():
    order, scores, _ = ordered([seen(1, 0.60, 0.1), seen(2, 0.57, 0.9), seen(3, 0.40, 1.0)], 2)
    assert order == [2, 1] and scores == [0.60, 0.60]
    assert ordered([seen(1, 0.60, 0.1), seen(2, 0.57, 0.9, answers=False)], 2)[0] == [1, 2]
    assert ordered([seen(1, 0.70, 0.1), seen(2, 0.57, 0.9), seen(3, 0.40, 1.0)], 3)[0] == [1, 2, 3]


def test_what_cannot_come_among_the_first_is_not_read():
    every = [seen(1, 0.60, 0.9), seen(2, 0.59, 0.9), seen(3, 0.58, 1.0), seen(4, 0.57, answers=False), seen(5, 0.40, 1)]
    order, _, read = ordered(every, 2)
    assert order == [1, 3] and read == [1, 2, 3]


def test_the_same_figure_in_a_document_answers_alike_and_another_documents_does_not_count():
    same = {"said": "5,436"}
    assert ordered([seen(1, 0.59, 0.5, **same), seen(2, 0.58, 0.9, **same)], 2)[0] == [1, 2]
    assert ordered([seen(1, 0.59, 0.5, **same), seen(2, 0.58, 0.9, said="5,437")], 2)[0] == [2, 1]
    assert ordered([seen(1, 0.59, 0.5, **same), seen(2, 0.58, 0.9, document="e", **same)], 2)[0] == [2, 1]
    assert ordered([seen(1, 0.59, 0.5), seen(2, 0.58, 0.9)], 2)[0] == [2, 1]  # many a table has a 9


def test_what_a_hit_came_for_falls_with_its_page_shown_before_and_is_that_of_a_better_one_behind():
    scores, pages = np.array([0.9, 0.8, 0.7], np.float32), np.array([1, 1, 2])
    assert worths(scores, pages) == pytest.approx([0.9, 0.74, 0.7])
    assert worths(scores[::-1], pages) == pytest.approx([0.9, 0.9, 0.9])


def test_what_says_nothing_stands_behind_unless_it_is_asked_about():
    def passage(row, text, heading):
        return seen(row, 1.0 / row, kind="passage", text=text, heading=heading, answers=False)

    every = [passage(1, "Not applicable.\n38", "ITEM 4. MINE SAFETY DISCLOSURES"),
             passage(2, "The mine was closed.", "Mines")]  # fmt: skip
    assert ordered(every, 2, "which mine was closed in 2019?")[0] == [2, 1]
    assert ordered(every, 1, "which mine was closed in 2019?")[0] == [2]
    assert ordered(every, 1, "mine safety disclosures")[::2] == ([1], [1])
    boxes = "□ " * 300  # however much stands before it
    far = [passage(1, f"{boxes}Not applicable.", "Safety"), passage(2, f"{boxes}The mine was closed.", "Mines")]
    assert ordered(far, 1, "which mine was closed in 2019?")[0] == [2]
    chinese = [passage(1, "□适用√不适用", "五、证券投资情况"), passage(2, "公司投资了国债。", "投资")]
    assert ordered(chinese, 1, "公司投资了什么国债")[0] == [2]


def test_of_tables_with_the_same_figures_the_shorter_is_first_unless_the_other_is_better():
    def table(row, worth, text, **more):
        return seen(row, worth, 0.9, said="5,436", text=text, **more)

    large = "four segments, each with its revenues, expenses and earnings"
    assert ordered([table(1, 0.600, large), table(2, 0.590, "one segment")], 2)[:2] == ([2, 1], [0.6, 0.6])
    assert ordered([table(1, 0.600, large), table(2, 0.570, "one segment")], 2)[0] == [1, 2]
    assert ordered([table(1, 0.600, large), table(2, 0.590, "one segment", document="e")], 2)[0] == [1, 2]
    assert ordered([table(1, 0.600, "one segment"), table(2, 0.590, large)], 2)[0] == [1, 2]


def test_a_passage_without_an_amount_comes_behind_where_one_is_asked_for():
    def passage(row, worth, text):
        return seen(row, worth, kind="passage", text=text)

    every = [passage(1, 0.60, "In 2016 hedges were designated (Note 7)."), passage(2, 0.58, "Hedges of $375 million.")]
    assert ordered(every, 2, "difference between the amounts of hedges")[0] == [2, 1]
    assert ordered(every, 2, "which hedges were designated?")[0] == [1, 2]
    assert ordered(every, 2, "table of the amounts of hedges")[0] == [1, 2]
    far = [every[0], passage(2, 0.50, "Hedges of $375 million.")]
    assert ordered(far, 2, "difference between the amounts of hedges")[0] == [1, 2]


@pytest.mark.parametrize(("text", "states"), [
    ("As of October 31, 2009 (1), see Note 2 and level 3.", False), ("2016年12月31日的情况", False),
    ("about 40 sites", True), ("two segments", True), ("3.5%", True), ("约三成", True),
    ("收入为2016年的一半，共12万元", True), ("第二十三节", False), ("收入１，２３４元", True),
])  # fmt: skip
def test_amounts_are_told_from_dates_and_numbers_of_notes(text, states):
    assert states_amount(text) is states


def test_how_many_there_are_may_have_to_be_counted():
    asked = ["how much is it", "what percentage of loans", "debt-to-asset ratio", "利润是多少", "同比增长率"]
    assert all(map(asks_amount, asked))
    assert not any(map(asks_amount, ["how many logos are shown", "有多少个子公司", "who owns it"]))
    named = ["what follows a change in control", "differences between class A and class B shares"]
    assert not any(map(asks_amount, named))


def test_a_year_that_is_said_of_something_else_is_none_that_is_reported():
    sold = seen(1, 0.6, 0.4)._replace(elsewhen=True)
    asked = understand("net sales in 2021")
    promise = seen(2, 0.5, kind="passage", text="Published on 4 May 2021. Net sales were 9 million in 2019.")
    assert of_other_years([sold, promise], asked)
    tells = seen(2, 0.5, kind="passage", text="We grew. In 2021 net sales were 9.5 million.")
    assert not of_other_years([sold, tells], asked)
    assert not of_other_years([promise, sold], asked)


@pytest.mark.parametrize(
    ("question", "may"),
    [
        ("Acme net sales", [True, True, True, False]),
        ("Acme net sales in 2018", [True, True, False, False]),  # the report on 2018, not that on 2019
        ("Chart showing Acme's net sales over five years in 2018", [False, False, False, False]),
        ("How much did Acme sell in 2018 by the table?", [True, False, False, False]),
        ("Why is Acme's chief executive of 2018 not in the table?", [True, False, False, False]),
        ("Acme 2018年固定资产明细表", [False, False, False, False]),  # the table itself is wanted, no row of another
    ],
)
def test_answers_count_of_the_kind_that_is_asked_for_and_of_the_documents_period(question, may):
    corpus = SimpleNamespace(
        document=np.array([0, 0, 1, 2]), kind=np.array([KINDS.index(k) for k in ("table", "figure", "table", "table")])
    )
    evidence = SimpleNamespace(period=np.array([1.0, 0.5, 1.0], np.float32))
    found = SimpleNamespace(pool=SimpleNamespace(rows=np.arange(4)), own=np.array([True, True, True, False]))
    asked = SimpleNamespace(question=understand(question), evidence=evidence)
    assert may_answer(corpus, asked, found).tolist() == may


@pytest.mark.parametrize(
    "query",
    [
        "Net cash provided by operating activities of Acme in 2022",
        "dividends paid",
        "minimum lease payments in 2024",
        "存货周转率",
    ],
)
def test_the_first_hit_is_the_same_however_many_are_wanted(tier, query):
    assert len({tier.recall(query, intent="structure", top=top)[0].block for top in (1, 3, 10, 20)}) == 1

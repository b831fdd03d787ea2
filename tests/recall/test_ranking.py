"""Ranking parts by themselves: evidence by document, features, copies, table answers."""

from dataclasses import replace
from itertools import combinations

import faiss
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.ingest.tokens import lexical
from h3cold.recall.catalog import make_catalog, weigh
from h3cold.recall.corpus import is_abroad
from h3cold.recall.fuse import COPY, distinct, hold
from h3cold.recall.languages import find_centres, meaning_of, nearest_evenly
from h3cold.recall.rank import (
    FEATURES,
    asked_pairs,
    asked_words,
    gathered,
    numbered,
    pool_rarity,
    relative,
    scored,
    standing,
)
from h3cold.recall.row_labels import label_agreement, sought_in_labels
from h3cold.recall.structure import answer_in, joined_text, whole
from h3cold.recall.understand import understand
from h3cold.recall.weights import default_weights
from h3cold.recall.words import Texts
from h3cold.schemas.block import Block
from h3cold.schemas.export import to_json
from h3cold.schemas.geometry import PageBox
from h3cold.schemas.hit import INTENTS, Answer
from h3cold.schemas.page import Cell, Table


def row(source, *, company="", period="", title="", doctype="", date=""):
    return {"source": source, "company": company, "period": period, "title": title, "doctype": doctype, "date": date}


DOCUMENTS = [
    row("GS_2015.pdf", company="The Goldman Sachs Group, Inc.", period="FY2015", doctype="10-K"),
    row("GS_2016.pdf", company="The Goldman Sachs Group, Inc.", period="FY2016", doctype="10-K"),
    row("GS_2017Q1.pdf", company="The Goldman Sachs Group, Inc.", period="2017Q1", doctype="10-Q"),
    row("ADI_2016.pdf", company="Analog Devices, Inc."),
    row("贵州茅台2016.pdf", company="贵州茅台酒股份有限公司", period="FY2016", doctype="annual report"),
    row("memo.pdf", title="Notes on nothing"),
]  # fmt: skip
CATALOG = make_catalog(DOCUMENTS)


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("Goldman Sachs revenue in 2015", "GS_2015.pdf"),
        ("Goldman 2016 dividends", "GS_2016.pdf"),
        ("GS, Q1 2017: trading revenue", "GS_2017Q1.pdf"),
        ("Analog Devices 2016", "ADI_2016.pdf"),
        ("茅台2016年营业收入", "贵州茅台2016.pdf"),
    ],
)
def test_name_and_period_point_to_one_document(question, source):
    evidence = weigh(CATALOG, understand(question))
    total = evidence.name + 0.5 * evidence.period
    assert DOCUMENTS[int(total.argmax())]["source"] == source


def test_a_report_of_the_next_year_restates_and_the_named_one_is_better():
    period = weigh(CATALOG, understand("revenue in 2015")).period
    assert period[0] == 1 > period[1] > 0
    assert (weigh(CATALOG, understand("revenue")).period == 0).all()
    assert CATALOG.newest == 2017


def test_doctype_is_evidence_where_the_question_says_it():
    assert weigh(CATALOG, understand("the 10-Q of Goldman")).doctype.tolist() == [0, 0, 1, 0, 0, 0]
    assert weigh(CATALOG, understand("2016年年报")).doctype.tolist() == [1, 1, 0, 0, 1, 0]


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 2)), min_size=1, max_size=40))
def test_gathered_evidence_is_one_value_a_key_and_1_at_the_best(pairs):
    keys = np.array([k for k, _ in pairs])
    values = np.array([v for _, v in pairs], np.float32)
    out = gathered(keys, values, best=3)
    assert all(len(set(out[keys == k].tolist())) == 1 for k in set(keys.tolist()))
    assert out.min() >= 0 and out.max() <= 1
    if values.max() > 0:
        assert out.max() == pytest.approx(1)


def test_rare_words_weigh_more_and_weights_are_complete():
    present = np.array([[True, True, False], [True, False, False], [True, False, False]])
    texts = Texts({"a": 0, "b": 1, "zz": 2}, present, present, np.zeros((3, 2), bool))
    rarity = pool_rarity(("a", "b", "zz"), texts)
    assert rarity["zz"] >= rarity["b"] > rarity["a"] > 0
    full = np.ones((1, len(FEATURES)), np.float32)
    for intent in INTENTS:
        assert scored(full, default_weights()[intent])[0] == pytest.approx(1)


def same(a, b):
    return bool(a and b) and len(a & b) >= COPY * len(a | b)


def alike(tokens):
    def pairs(rows):
        found = [(i, j) for i, j in combinations(range(len(rows)), 2) if same(tokens[rows[i]], tokens[rows[j]])]
        return tuple(np.array(found, np.int64).reshape(-1, 2).T)

    return pairs


@given(
    st.lists(st.frozensets(st.sampled_from("abcdefgh"), max_size=6), min_size=1, max_size=12),
    st.data(),
)
def test_every_candidate_is_kept_or_a_copy_of_one_that_is(tokens, data):
    n = len(tokens)
    scores = np.array(data.draw(st.lists(st.floats(0, 1), min_size=n, max_size=n)), np.float32)
    pages = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    kept, copies = distinct(scores, pages, alike(tokens), depth=n)
    dropped = [j for group in copies.values() for j in group]
    assert sorted(kept + dropped) == list(range(n))
    assert all(same(tokens[i], tokens[j]) for i, group in copies.items() for j in group)
    assert not any(same(tokens[i], tokens[j]) for i in kept for j in kept if i != j)


def test_other_pages_come_before_the_rest_of_a_page_that_was_shown():
    scores = np.array([0.9, 0.88, 0.86], np.float32)
    tokens = [frozenset({"a"}), frozenset({"b"}), frozenset({"c"})]
    assert distinct(scores, np.array([1, 1, 2]), alike(tokens), depth=3)[0] == [0, 2, 1]


def grid(rows, header=1):
    return Table(len(rows), len(rows[0]), tuple(
        Cell(r, c, text, (c * 10.0, r * 10.0, c * 10.0 + 9, r * 10.0 + 9), header=r < header)
        for r, line in enumerate(rows) for c, text in enumerate(line)))  # fmt: skip


def test_the_row_and_columns_that_answer():
    table = grid([["", "2016", "2015", "2014"], ["Net revenues", "1", "2", "3"], ["Rent expense", "4", "5", "6"]])
    answer = answer_in(table, understand("what was rent charged to operating expense in 2016 and 2015?"))
    assert answer == Answer("Rent expense", ("2016", "2015"), ("4", "5"))
    assert answer_in(table, understand("who is the chairman?")) is None
    assert answer_in(grid([["项目", "2022年"], ["营业收入", "1"]]), understand("2022年营收")).row == "营业收入"


def test_row_labels_made_of_the_questions_words_agree_and_longer_ones_do_not():
    question = understand("what is the debt-to-total asset ratio in 2016?")
    rarity = dict.fromkeys(question.words, 1.0)
    tokens = [frozenset(lexical(label)) for label in ("Debt", "Total assets", "Debt securities", "")]
    whole_share = label_agreement(tokens, sought_in_labels(rarity, question))
    assert whole_share == pytest.approx(3 / 4)  # all but "ratio"; the year is no label
    assert label_agreement(tokens[2:], sought_in_labels(rarity, question)) == 0
    headed = frozenset(lexical("Capital ratio"))
    assert label_agreement(tokens, sought_in_labels(rarity, question), headed) == pytest.approx(3 / 4 + 1 / 8)
    assert label_agreement(tokens[2:], sought_in_labels(rarity, question), headed) == 0  # headings alone answer nothing
    capex = understand("capital expenditure in 2016")
    label = [frozenset(lexical("Purchases of property, plant and equipment"))]
    assert label_agreement(label, sought_in_labels(dict.fromkeys(capex.words, 1.0), capex)) == 1


def test_a_whole_table_repeats_no_header():
    class Part:
        page = 1

        def __init__(self, table):
            self.table = table

    parts = [
        Part(grid([["A", "B"], ["1", "2"]])),
        Part(grid([["A", "B"], ["3", "4"]])),
        Part(grid([["5", "6"]], header=0)),
    ]
    assert whole(parts).grid() == [["A", "B"], ["1", "2"], ["3", "4"], ["5", "6"]]
    assert whole([]) is None


def test_a_table_of_two_pages_has_its_head_once_and_cells_that_tell_their_page() -> None:
    def part(page: int, head: str, row: str) -> Block:
        box = (0.0, 0.0, 9.0, 9.0)
        cells = (Cell(0, 0, head, box, header=True), Cell(1, 0, row, box))
        return Block(f"d-0000{page}-c1", "d", page, "table", row, (), (PageBox(page, box),), table=Table(2, 1, cells))

    table = whole([part(3, "Item  A", "1"), part(4, "item A (continued)", "2"), part(5, "Item B", "3")])
    assert table is not None
    assert [(c.text, c.page) for c in table.cells] == [("Item  A", 3), ("1", 3), ("2", 4), ("Item B", 5), ("3", 5)]
    assert [c["page"] for c in to_json(table)["cells"]] == [3, 3, 4, 5, 5]
    parts = [replace(part(3, "Item", "1"), text="Table 5 (in millions)\nItem | Sales\nA | 1"),
             replace(part(4, "Item", "2"), text="Item (continued) | Sales\nA | 1\nB | 2")]  # fmt: skip
    assert joined_text(parts) == "Table 5 (in millions)\nItem | Sales\nA | 1\nA | 1\nB | 2"
    assert "page" not in to_json(Cell(0, 0, "x", (0.0, 0.0, 9.0, 9.0)))


def test_the_answer_in_another_language_stands_out_although_each_language_lies_apart():
    """Two languages around centres far apart: the one block that fits in either language comes before the rest."""
    random = np.random.default_rng(5)
    means = np.eye(8, dtype=np.float32)[:2]
    language = np.array([0] * 40 + [1] * 20)
    noise = random.normal(0, 0.05, (60, 8)).astype(np.float32)
    target = np.eye(8, dtype=np.float32)[5]
    vectors = means[language] + noise
    vectors[[7, 45]] += 0.3 * target
    index = faiss.IndexFlatIP(8)
    index.add(vectors)
    question = means[0] + target  # asked in the first language

    def best(centres):
        return nearest_evenly(index, meaning_of(question, centres, index), limit=2, mask=None)[0].tolist()

    centres = find_centres(Rows(language), lambda rows: vectors[rows])
    assert 45 not in best(None)
    assert set(best(centres)) == {7, 45}
    assert find_centres(Rows(np.zeros(60, int)), lambda rows: vectors[rows]) is None
    few = find_centres(Rows(np.array([0] * 28 + [1] * 28 + [2] * 4)), lambda rows: vectors[rows])
    assert few.means.shape == (3, 8) and set(few.of[-4:].tolist()) == {2}
    mask = language == 1
    assert nearest_evenly(index, meaning_of(question, centres, index), limit=3, mask=mask)[0][0] == 45


def test_listings_within_a_document_in_the_questions_language_do_not_stand_out():
    """Blocks in the second language under headings in the first lie nearer to it than others of theirs."""
    random = np.random.default_rng(5)
    means = np.eye(8, dtype=np.float32)[:2]
    language, document = np.array([0] * 40 + [1] * 60), np.array([0] * 40 + [1] * 50 + [0] * 10)
    vectors = means[language] + random.normal(0, 0.05, (100, 8)).astype(np.float32)
    vectors[90:] += 0.6 * means[0]
    target = np.eye(8, dtype=np.float32)[5]
    vectors[[7, 45]] += 0.3 * target
    index = faiss.IndexFlatIP(8)
    index.add(vectors)
    centres = find_centres(Rows(language, document), lambda rows: vectors[rows])
    assert len(centres.means) == 4
    found = nearest_evenly(index, meaning_of(means[0] + target, centres, index), limit=2, mask=None)[0].tolist()
    assert set(found) == {7, 45}


def test_a_block_is_abroad_where_its_document_is_too():
    corpus = Rows(np.array([0, 1, 1]), np.array([0, 1, 0]))
    assert [is_abroad(corpus, row, "l0") for row in range(3)] == [False, True, False]


class Rows:
    """As much of a corpus as centres are worked out from."""

    def __init__(self, language, document=None):
        self.language = language
        self.languages = tuple(f"l{n}" for n in range(int(language.max()) + 1))
        self.document = language if document is None else document
        self.documents = [{"language": name} for name in self.languages]

    def __len__(self):
        return len(self.language)


@given(st.permutations(range(8)), st.integers(0, 9), st.integers(0, 3))
def test_the_best_text_is_held_in_place_and_nothing_else_is_lost(kept, one, place):
    copies = {kept[-1]: [9]}
    out = hold(list(kept), copies, one, place=place)
    shown = kept[-1] if one == 9 else one
    assert shown in out[: place + 1]
    assert set(out) == {*kept, shown} and len(out) == len(set(out))
    assert [i for i in out if i != shown] == [i for i in kept if i != shown]
    if shown in kept[: place + 1]:
        assert out == list(kept)


def test_a_numbered_figure_is_found_by_its_caption_before_a_text_that_speaks_of_it():
    question = understand("How many green bars are there in Figure 2?")
    place = {word: i for i, word in enumerate(asked_words(question))}
    pairs = asked_pairs(question)
    present = np.ones((4, len(place)), np.bool_)
    heads, paired = np.zeros_like(present), np.zeros((4, len(pairs)), np.bool_)
    heads[0, [place["fig"], place["2"]]] = True  # a caption "Fig. 2"
    paired[0, pairs.index(("fig", "2"))] = paired[1, pairs.index(("figur", "2"))] = True
    heads[2, [place["figur"], place["2"]]] = True  # "Figure 1" under "2. Results"
    assert numbered(Texts(place, present, heads, paired), question).tolist() == [1, 0.5, 0, 0]
    plain = understand("green bars")
    assert not numbered(Texts({w: i for i, w in enumerate(plain.words)}, present, heads, paired), plain).any()


def test_name_evidence_counts_by_the_best_named_document_once_one_is_named():
    sure, unsure = np.array([0.6, 0.3, 0.0], np.float32), np.array([0.4, 0.2, 0.0], np.float32)
    assert relative(sure).tolist() == pytest.approx([1, 0.5, 0]) and relative(unsure).tolist() == unsure.tolist()
    assert not relative(np.zeros(0, np.float32)).size


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 9)), min_size=1, max_size=30))
def test_places_of_pages_are_by_their_best_block(pairs):
    pages, values = np.array([p for p, _ in pairs]), np.array([v for _, v in pairs], np.float32)
    found = standing(pages, values)
    best = {p: values[pages == p].max() for p in set(pages.tolist())}
    better = [len({v for v in best.values() if v > best[p]}) for p in pages.tolist()]
    assert np.allclose(found, [1 / (1 + n) for n in better])

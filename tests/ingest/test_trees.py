"""Trees of documents: every block in one section, cuts where topics or headings change, sentences of the text only."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.ingest.compress.codes import BYTES
from h3cold.ingest.compress.extract import (
    BRIEFEST,
    LEAF,
    LEAVES,
    allowed,
    cut,
    gathered,
    is_sentence,
    sentence_of,
    told,
)
from h3cold.ingest.compress.shifts import shifts
from h3cold.ingest.compress.tree import CHAPTER, LEAST, SECTION, SHARE, spans


def topics(sizes, noise=0.4, seed=3):
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((len(sizes), 32))
    rows = [c + noise * draw.standard_normal((n, 32)) for c, n in zip(centres, sizes, strict=True)]
    vectors = np.concatenate(rows).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def ranges(tree, level):
    return [(s.first, s.last) for s in tree if s.level == level]


def test_the_topic_shifts_where_it_was_made_to():
    found = shifts(topics([12, 9, 15]))
    assert set(np.argsort(-found)[:2].tolist()) == {11, 20}
    assert found.max() == 1 and found.min() >= 0


def test_a_document_without_headings_is_cut_where_its_topics_change():
    tree = spans([()] * 36, topics([12, 9, 15]))
    assert {12, 21} <= {first for first, _ in ranges(tree, 2)}


def test_headings_part_a_document_before_topics_do():
    headings = [("Risks", "Market")] * 8 + [("Risks", "Credit")] * 7 + [("Results",)] * 9
    tree = spans(headings, topics([11, 13]), title="A report")
    assert [s.title for s in tree if s.level == 2] == ["Market", "Credit", "Results"]
    assert (tree[0].title, tree[0].first, tree[0].last) == ("A report", 0, 24)


@settings(max_examples=60)
@given(st.lists(st.sampled_from("abcd"), max_size=120), st.integers(0, 99))
def test_every_block_is_in_one_section_and_every_section_in_one_chapter(letters, seed):
    draw = np.random.default_rng(seed)
    vectors = draw.standard_normal((len(letters), 8)).astype(np.float32)
    tree = spans([(x,) for x in letters], vectors)
    if not letters:
        assert tree == []
        return
    sections, chapters = ranges(tree, 2), ranges(tree, 1)
    for level in (sections, chapters):
        assert level[0][0] == 0 and level[-1][1] == len(letters)
        assert all(a[1] == b[0] for a, b in pairwise(level))
    assert {a for a, _ in chapters} <= {a for a, _ in sections}
    assert all(b - a <= max(SECTION, 2 * LEAST) for a, b in sections)
    assert len(chapters) <= 1 + len(sections) // LEAST


@pytest.mark.parametrize("count", [300, 2_000, 20_000])
def test_a_document_of_five_thousand_pages_has_no_more_nodes_than_one_of_three_hundred(count):
    vectors = np.random.default_rng(0).standard_normal((count, 16)).astype(np.float32)
    tree = spans([()] * count, vectors)
    sections, chapters = ranges(tree, 2), ranges(tree, 1)
    assert max(b - a for a, b in sections) <= max(SECTION, 3 * (count // SHARE))
    assert SHARE // 4 < len(sections) <= SHARE
    assert max(sum(a <= s < b for s, _ in sections) for a, b in chapters) <= CHAPTER


@given(st.integers(1, 2_000))
def test_the_blocks_of_a_long_document_have_shorter_sentences(blocks):
    most = allowed(blocks, BYTES)
    assert BRIEFEST <= most <= LEAF
    assert most == BRIEFEST or blocks * (most + BYTES) <= LEAVES


@pytest.mark.parametrize("count", [1, 2])
def test_a_document_of_a_line_is_a_tree_of_one_section(count):
    tree = spans([("Only",)] * count, np.ones((count, 4), np.float32))
    assert [s.level for s in tree] == [0, 1, 2] and {(s.first, s.last) for s in tree} == {(0, count)}


def test_the_sentence_that_says_most_is_taken():
    text = "See note 4. Revenue of the segment rose as revenue from kefir rose in each segment. 12 13 14."
    assert sentence_of(text) == "Revenue of the segment rose as revenue from kefir rose in each segment."
    chinese = "应收账款周转率下降。公司应收账款周转率与应收账款余额均有变化。见附注。"
    assert sentence_of(chinese).startswith("公司应收账款")


@pytest.mark.parametrize(
    "line",
    ["Selected Financial Data and Selected Quarterly Financial Data 19", "编制单位：北辰港务股份有限公司 单位：元",
     "□是√否，是否存在对外担保的情况说明。", "Security Ownership of Beneficial Owners and Management Item 13.",
     "Selected Financial Data is ........................ 19.", "Childebert III | 694 | he died aged 33."],
)  # fmt: skip
def test_lines_that_are_no_sentences_stand_for_nothing_that_has_one(line):
    english, chinese = "The plant in Fremont was closed in May.", "公司关闭了位于天津的工厂。"
    assert not is_sentence(line) and is_sentence(english) and is_sentence(chinese)
    assert sentence_of(f"{line}\n{english}") == english
    assert sentence_of(f"{chinese}\n{line}") == chinese
    assert told([3, 0, 1, 2], [line, english, "", chinese], most=2) == [1, 3]
    assert told([1, 0], ["", line], most=2) == [1]


def test_an_abbreviation_ends_no_sentence():
    text = "Mr. Belluzzo was President of Acme Inc. in No. 5 of the agreement, and J. R. Smith its treasurer. He left."
    assert sentence_of(text) == text.removesuffix(" He left.")


@given(st.text(max_size=400), st.integers(4, 200))
def test_a_summary_keeps_to_its_bytes_and_to_the_text(text, most):
    for found in (cut(text, most), gathered([text, text], most=most)):
        assert len(found.encode("utf-8", "surrogatepass")) <= most
    own = sentence_of(text)
    assert len(own.encode("utf-8", "surrogatepass")) <= LEAF
    assert own.rstrip("…").rstrip() in " ".join(text.split())


def test_a_table_of_contents_names_no_part_that_has_more_in_it() -> None:
    paths = [("目录",), *[("第一节 公司简介",)] * 5, *[("第二节 公司治理",)] * 30]
    tree = spans(paths, np.ones((36, 4), np.float32), title="年度报告")
    assert [s.title for s in tree if s.level == 1] == ["年度报告"]
    assert next(s.title for s in tree if s.level == 2) == "第一节 公司简介"

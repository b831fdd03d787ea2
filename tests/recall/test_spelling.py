import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.ingest.tokens import lexical
from h3cold.recall.catalog import make_catalog, weigh
from h3cold.recall.spelling import read_names, within
from h3cold.recall.understand import understand

COMPANIES = ("Lifeway Foods, Inc.", "The Goldman Sachs Group, Inc.", "华岳重工股份有限公司", "东湖光电科技股份有限公司")
CATALOG = make_catalog([
    {"company": c, "title": "", "source": f"{i}.pdf", "period": "", "doctype": "", "date": ""}
    for i, c in enumerate(COMPANIES)
])  # fmt: skip
SAID = frozenset(lexical(" ".join(COMPANIES) + " net sales revenue of life by the way 营业收入 重组 净利润"))


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("Lifewey net sales", "Lifeway"),
        ("net sales of lifwey", ""),
        ("Goldmann Sachs revenue", "Goldman"),
        ("life way revenue", "Lifeway"),
        ("华岳重功营业收入", "华岳重工"),
        ("华悦重工2015年营业收入", "华岳重工"),
        ("画岳重工的营业收入", "华岳重工"),
        ("华岳仲工净利润", "华岳重工"),
        ("东湖光电二〇一三年净利润", ""),
        ("华岳重工净利润", ""),
        ("Tesla revenue", ""),
        ("revenue of fouds", ""),
        ("Lifeway net sales", ""),
    ],
)
def test_names_spelt_a_little_wrong_are_read_as_those_of_documents(text, taken):
    read = read_names(text, CATALOG, SAID.__contains__)
    assert [r.taken for r in read[1]] == ([taken] if taken else [])
    assert read[0] == (text.replace(read[1][0].said, taken) if taken else text)


@given(st.text("abc", min_size=1, max_size=6), st.text("abc", max_size=6), st.integers(0, 3))
def test_slips_are_counted_alike_both_ways(one, other, slips):
    assert within(one, other, slips) == within(other, one, slips)
    assert within(one, one, slips)


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("Blue Foods net sales", None),
        ("Zenith Group revenue", None),
        ("东方重工股份有限公司营业收入", None),
        ("长江科技的净利润", None),
        ("Lifeway Foods net sales", 0),
        ("华岳重工营业收入", 2),
    ],
)
def test_what_kind_of_company_one_is_names_nobody(text, document):
    evidence = weigh(CATALOG, understand(text))
    assert np.flatnonzero(evidence.name > 0.1).tolist() == ([] if document is None else [document])

import pytest

from h3cold.kg.sentences import LONGEST, sentences
from h3cold.kg.spans import disjoint
from h3cold.kg.values import find_values, is_law_title

CASES = [
    ("paid US$3.2 million and 300万元", "MONEY", ["US$3.2 million", "300万元"]),
    ("51% or 12.5 percent or 百分之三十", "PERCENT", ["51%", "12.5 percent", "百分之三十"]),
    ("on January 27, 1999, 2023年12月31日, in Q3 2020", "DATE", ["January 27, 1999", "2023年12月31日", "Q3 2020"]),
    (
        "Rule 10b-5 and Section 13(d) of the Securities Exchange Act of 1934, 《中华人民共和国证券法》第一百九十七条",
        "LAW",
        [
            "Rule 10b-5",
            "Section 13(d) of the Securities Exchange Act of 1934",
            "《中华人民共和国证券法》第一百九十七条",
        ],
    ),
    ("案号（2021）京01民初123号。", "CASE", ["（2021）京01民初123号"]),
    ("签订《股权转让合同》 under the Credit Agreement,", "CONTRACT", ["《股权转让合同》", "Credit Agreement"]),
    ("gross margin and 应收账款周转率", "MEASURE", ["gross margin", "应收账款周转率"]),
]


@pytest.mark.parametrize(("text", "type", "expected"), CASES)
def test_values_are_found_as_printed(text, type, expected):
    found = [s for s in disjoint(find_values(text)) if s.type == type]
    assert [s.text for s in found] == expected
    assert all(text[s.start : s.end] == s.text for s in found)


def test_law_titles():
    assert is_law_title("上市公司信息披露管理办法（2021年修订）")
    assert not is_law_title("2023年年度报告")


def test_sentences_cover_the_text_and_are_bounded():
    text = "Mr. Smith owns Acme Inc. in the U.S. market. " * 50 + "x" * 5000 + "。第二句！"
    pieces = list(sentences(text))
    assert all(0 < b - a <= LONGEST for a, b in pieces)
    assert "".join(text[a:b] for a, b in pieces).replace(" ", "") == text.replace(" ", "")
    assert text[slice(*pieces[0])] == "Mr. Smith owns Acme Inc. in the U.S. market."

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.kg.lexicon import Lexicon
from h3cold.kg.names import entity_id, fold, is_acronym, key

SAME = [
    ("ORG", "The Goldman Sachs Group, Inc.", "Goldman Sachs Group"),
    ("ORG", "騰訊控股有限公司", "腾讯控股有限公司"),
    ("ORG", "华夏科技股份有限公司", "华夏科技"),
    ("ORG", "Lifeway Foods, Inc.’s", "LIFEWAY FOODS INC"),
    ("ORG", "谷歌", "Google"),
    ("AGENCY", "中国证监会", "China Securities Regulatory Commission"),
    ("AGENCY", "the SEC", "U.S. Securities and Exchange Commission"),
    ("PLACE", "U.S.", "美国"),
    ("PERSON", "Mr. Lloyd C. Blankfein", "Lloyd C Blankfein"),
    ("LAW", "《中华人民共和国证券法》", "中华人民共和国证券法"),
]
DIFFERENT = [
    ("ORG", "Goldman Sachs & Co.", "Goldman Sachs Group, Inc."),
    ("ORG", "华夏科技有限公司上海分公司", "华夏科技有限公司"),
    ("ORG", "Apple Inc.", "Apple Hospitality REIT"),
]


@pytest.mark.parametrize(("type", "one", "other"), SAME)
def test_spellings_of_one_name_share_an_id(type, one, other):
    assert entity_id(type, one) == entity_id(type, other)


@pytest.mark.parametrize(("type", "one", "other"), DIFFERENT)
def test_different_things_keep_their_ids(type, one, other):
    assert entity_id(type, one) != entity_id(type, other)


def test_one_name_of_two_kinds_is_two_things():
    assert entity_id("PERSON", "Washington") != entity_id("PLACE", "Washington")


@pytest.mark.parametrize(
    ("short", "name", "expected"),
    [
        ("SEC", "Securities and Exchange Commission", True),
        ("GS", "Goldman Sachs Group, Inc.", True),
        ("IBM", "International Business Machines Corporation", True),
        ("ABC", "Goldman Sachs Group, Inc.", False),
        ("A", "Apple", False),
    ],
)
def test_acronyms(short, name, expected):
    assert is_acronym(short, name) is expected


@given(st.text(max_size=40))
def test_a_key_is_stable(name):
    assert key("ORG", key("ORG", name)) == key("ORG", key("ORG", key("ORG", name)))
    assert fold(fold(name)) == fold(name)


@given(st.lists(st.sampled_from(["Acme", "Acme Corp", "中国", "中国银行", "Bank"]), min_size=1), st.text(max_size=60))
def test_a_lexicon_finds_what_it_says(names, text):
    for start, end, value in Lexicon({n: n for n in names}).find(text + " " + names[0]):
        assert (text + " " + names[0])[start:end] == value in names


def test_a_lexicon_never_matches_beyond_the_text():
    assert list(Lexicon({"Vermont": 1, "Vermont Bank": 2}).find("in Vermont")) == [(3, 10, 1)]


def test_a_lexicon_matches_whole_words_and_the_longest_name():
    found = list(Lexicon({"Acme": 1, "Acme Corp": 2, "银行": 3}).find("Acmeville, Acme Corp and 中国银行业"))
    assert [v for *_, v in found] == [2, 3]

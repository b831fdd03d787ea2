"""Filters on documents and blocks."""

import pytest

from h3cold.recall.filters import KEYS, accepts, parse_where
from h3cold.schemas.errors import QueryError

ROW = {
    "id": "d1", "source": "filings/GS_2016.pdf", "sources": ["copies/x.pdf", "filings/GS_2016.pdf"],
    "title": "Annual Report", "company": "The Goldman Sachs Group, Inc.", "period": "FY2016",
    "doctype": "10-K", "language": "en",
}  # fmt: skip


@pytest.mark.parametrize(
    ("where", "passes"),
    [
        ({}, True),
        ({"company": "goldman"}, True),
        ({"company": "Gold Mine"}, False),
        ({"company": ["Acme", "goldman sachs"]}, True),
        ({"period": "2016"}, True),
        ({"period": "FY 2016"}, True),
        ({"period": "FY2015"}, False),
        ({"doctype": "10-k", "language": "EN"}, True),
        ({"doctype": "10-K", "language": "zh"}, False),
        ({"source": "GS_*.pdf"}, True),
        ({"source": "**/GS_2016.pdf"}, True),
        ({"source": "**/copies/x.pdf"}, True),
        ({"source": "/copies/x.pdf"}, True),
        ({"source": "/x.pdf"}, False),
        ({"source": "copies/*"}, True),
        ({"source": "GS"}, False),
        ({"document": "d1"}, True),
        ({"title": "annual*"}, True),
    ],
)
def test_document_filters(where, passes):
    assert accepts(parse_where(where), ROW) is passes


def test_block_filters():
    assert parse_where({"kind": "Table", "page": "3-7"}).pages == ((3, 7),)
    assert parse_where({"page": [2, "10-"]}).pages == ((2, 2), (10, 10**9))
    for bad in ({"page": "7-3"}, {"page": "x"}, {"page": 0}, {"kind": "picture"}, {"company": ""}, {"company": None}):
        with pytest.raises(QueryError):
            parse_where(bad)


@pytest.mark.parametrize(
    "bad", [{"page": "9" * 5000}, {"page": f"1-{'9' * 5000}"}, {"page": 10**5000}, {"company": b"abc"}, {10**5000: "a"},
            {"page": [10**5000, 1]}, {"kind": "x" * 5000}, {"page": f"7{' ' * 40_000}x"},
            *({key: "*a" * 450_000} for key in KEYS), *({key: ["[" * 900_000, "a"]} for key in KEYS)],
)  # fmt: skip
def test_what_python_itself_cannot_spell_is_refused_in_short(bad):
    with pytest.raises(QueryError) as error:
        parse_where(bad)
    assert len(str(error.value)) < 400


def test_an_unknown_filter_names_the_known_ones():
    with pytest.raises(QueryError, match="company") as error:
        parse_where({"compny": "x"})
    assert all(key in str(error.value) for key in KEYS)

"""Each field of a request with what it cannot be: a refusal in short that says which, what it is and what it takes."""

import json
from urllib.parse import urlencode

import pytest

from h3cold.recall.serve import FIELDS, answer

WRONG = {
    "query": (None, True, 7, 1.5, "", " ", "…", [], ["steel"], {}, {"text": "steel"}),
    "intent": (True, 7, 1.5, "", " ", "tables", [], ["text"], {}, {"text": 1}),
    "top": (True, 0, -1, 1001, 1.5, "", "5", "five", [], [5], {}),
    "where": (False, True, 0, 7, 1.5, "", "page=1", [], [[]], [None], [""], ["company"], ["=x"], ["page="], ["kind=x"],
              {"": "x"}, {"compny": "x"}, *({"page": v} for v in (None, True, 0, 1.5, "", "x", [], [None], {}))),
    "context": (False, True, 0, 7, 1.5, "", " ", "pag", [], ["page"], {}, {"page": 1}),
    "as_of": (False, True, 1.5, "", " ", "soon", [], [1], {}, {"snapshot": 1}),
}  # fmt: skip


def refused(tier, request):
    reply = answer(tier, "POST", "/recall", json.dumps(request).encode())
    return reply.body.get("error", "") if reply.status == 400 else f"status {reply.status}"


def test_every_field_is_looked_at():
    assert set(WRONG) == set(FIELDS)


@pytest.mark.parametrize("intent", ["text", "document"])
@pytest.mark.parametrize(("field", "value"), [(f, v) for f, values in WRONG.items() for v in values])
def test_what_a_field_cannot_be_is_refused(tier, field, value, intent):
    told = refused(tier, {"query": "steel", "intent": intent, field: value})
    names = {"where": ("where", "filter"), "context": ("context", "scope"), "as_of": ("as of", "as_of")}
    assert any(name in told for name in names.get(field, (field,))) and len(told) < 400


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", ["x" * 50_000, ["x" * 50_000], {"x" * 50_000: 1}])
def test_a_long_value_is_refused_in_short(tier, field, value):
    if field != "query" or not isinstance(value, str):
        assert 0 < len(refused(tier, {"query": "steel", field: value})) < 400


@pytest.mark.parametrize("intent", ["auto", "document"])
def test_null_is_as_good_as_not_given_and_so_is_an_object_without_filters(tier, intent):
    bare = {"query": "steel"} | ({} if intent == "auto" else {"intent": intent})
    plain = answer(tier, "POST", "/recall", json.dumps(bare).encode())
    for more in ({f: None for f in FIELDS if f not in bare}, {"where": {}}):
        assert answer(tier, "POST", "/recall", json.dumps(bare | more).encode()) == plain
    assert plain.status == 200 and plain.body["hits"]


@pytest.mark.parametrize("field", FIELDS)
def test_an_empty_field_of_a_query_string_is_refused(tier, field):
    reply = answer(tier, "GET", "/recall?" + urlencode({"query": "steel"} | {field: ""}))
    assert reply.status == 400 and reply.body["error"]

"""What leaves the program: plain JSON that fits the committed schemas, which fit the code."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold import schemas
from h3cold.schemas.config import Config
from h3cold.schemas.export import dump, from_json, json_schemas, to_json
from h3cold.schemas.hit import Hit, HitRecord, hit_json
from h3cold.schemas.manifest import Manifest
from h3cold.schemas.page import Cell, Table
from h3cold.schemas.summary import DocumentCounts, Failure, IndexSummary

COMMITTED = Path(schemas.__file__).parent / "json"


@pytest.mark.parametrize("name", sorted(json_schemas()))
def test_committed_schemas_are_current(name):
    committed = (COMMITTED / f"{name}.schema.json").read_text(encoding="utf-8")
    assert committed == dump(json_schemas()[name]), "run `make schemas` and commit the result"


def validate(name, value):
    jsonschema.validate(json.loads(json.dumps(value)), json.loads((COMMITTED / f"{name}.schema.json").read_text()))


boxes = st.tuples(*[st.floats(0, 1000)] * 4)
cells = st.builds(Cell, row=st.integers(0, 5), col=st.integers(0, 5), text=st.text(max_size=20), bbox=boxes)
tables = st.none() | st.builds(Table, rows=st.just(6), cols=st.just(6), cells=st.lists(cells, max_size=4).map(tuple))
hits = st.builds(Hit, rank=st.integers(1, 99), score=st.floats(0, 1), page=st.integers(1, 9), bbox=boxes, table=tables)


@given(hits)
def test_a_hit_fits_its_schema_and_keeps_the_contract_order(hit):
    record = hit_json(hit)
    assert list(record) == ["rank", "score", "intent", "block", "kind", "document", "source", "title", "page", "pages",
                            "bbox", "headings", "text", "table", "reason", "answer", "excerpt", "copies"]  # fmt: skip
    assert list(record) == list(HitRecord.__dataclass_fields__)
    validate("hit", record)


def test_summary_manifest_and_config_fit_their_schemas():
    summary = IndexSummary(3, DocumentCounts(added=2, failed=1), 10, 40, 1.5, (Failure("a.pdf", None, "empty"),))
    validate("index_summary", to_json(summary))
    assert list(to_json(summary)) == ["snapshot", "documents", "pages", "blocks", "seconds", "failures",
                                      "removed", "reasons"]  # fmt: skip
    validate("manifest", to_json(Manifest(1, 3, "2026-01-01T00:00:00Z", "/data", "abc", {"blocks": 4})))
    validate("config", Config().model_dump(mode="json"))


def test_a_detached_hit_says_so():
    hit = Hit(1, 1.0, "text", "b", "passage", "d", "a.pdf", "", 1, (1,), (0, 0, 1, 1), (), "text", None, "why")
    with pytest.raises(ValueError, match="detached"):
        hit.image()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(JSON, st.booleans())
def test_json_is_read_back_as_it_was_written(value, escaped):
    text = json.dumps(value, ensure_ascii=escaped)
    assert repr(from_json(text)) == repr(from_json(text.encode("utf-8", "surrogatepass"))) == repr(json.loads(text))


def test_half_of_a_surrogate_pair_is_read_and_what_is_no_json_is_refused():
    for text in ('"a\ud83db"', r'"a\ud83db"'):
        assert from_json(text) == from_json(text.encode("utf-8", "surrogatepass")) == "a\ud83db"
    for wrong in ("", "{", b'{"a": 1', "nothing"):
        with pytest.raises(ValueError):
            from_json(wrong)

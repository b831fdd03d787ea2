"""What leaves the program: plain JSON that fits the committed schemas, which fit the code."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold import schemas
from h3cold.schemas.config import Config
from h3cold.schemas.export import dump, json_schemas, to_json
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

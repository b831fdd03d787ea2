"""The product on the example documents: folder in, answers with file, page and box out."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from h3cold import schemas
from h3cold.recall import ColdTier
from h3cold.schemas.hit import hit_json

SCHEMAS = Path(schemas.__file__).parent / "json"


@pytest.fixture(scope="module")
def tier(example_store):
    with ColdTier.open(example_store) as opened:
        yield opened


def found(tier, question, top):
    hits = tier.recall(question.text, top=top)
    places = {(p.file, p.page) for p in question.answers}
    return next((h for h in hits if any((h.source, page) in places for page in h.pages)), None)


@pytest.mark.parametrize(
    ("intent", "language"), [(i, lang) for i in ("text", "structure", "relation") for lang in ("en", "zh")]
)
def test_questions_find_their_page(tier, examples, intent, language):
    questions = [q for q in examples.truth.questions if (q.intent, q.language) == (intent, language)]
    assert len(questions) >= 3
    missed = [q.text for q in questions if found(tier, q, 5) is None]
    assert not missed


def test_structure_questions_find_the_table_or_figure_itself(tier, examples):
    questions = [q for q in examples.truth.questions if q.intent == "structure"]
    first = [tier.recall(q.text, intent="structure", top=1)[0] for q in questions]
    assert all(h.kind in ("table", "figure", "formula") for h in first)
    right = [
        any((h.source, h.page) == (p.file, p.page) for p in q.answers) for h, q in zip(first, questions, strict=True)
    ]
    assert sum(right) >= 0.8 * len(right)


def test_hits_show_their_source(tier, examples):
    for query in ("对比2022与2023年应收账款周转率", "Which agency fined Brightwater Metering?"):
        for hit in tier.recall(query):
            record = hit_json(hit)
            jsonschema.validate(json.loads(json.dumps(record)), json.loads((SCHEMAS / "hit.schema.json").read_text()))
            assert (examples.folder / hit.source).is_file()
            x0, y0, x1, y1 = hit.bbox
            assert 0 <= x0 < x1 <= 843
            assert 0 <= y0 < y1 <= 843
            assert hit.reason
            assert hit.image().startswith(b"\x89PNG")
            assert hit.text.strip()[:20] in hit.context()


def test_a_second_run_from_the_command_line_opens_nothing(examples, example_store, tmp_path):
    """The store fixture was built in this process; the command finds nothing to do and reports the same failures."""
    import shutil

    store = tmp_path / "h3_cold"
    shutil.copytree(example_store, store)
    command = [
        sys.executable,
        "-m",
        "h3cold.ingest.cli_build",
        "--path",
        str(examples.folder),
        "--store",
        str(store),
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    summary = json.loads(done.stdout)
    jsonschema.validate(summary, json.loads((SCHEMAS / "index_summary.schema.json").read_text()))
    assert done.returncode == 3
    assert summary["documents"]["unchanged"] + summary["documents"]["failed"] == len(examples.truth.documents)
    assert (summary["pages"], summary["blocks"]) == (0, 0)
    assert "board_minutes_encrypted.pdf" in {f["source"] for f in summary["failures"]}
    assert "truncated_report.pdf" in {f["source"] for f in summary["failures"]}

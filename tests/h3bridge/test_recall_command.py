"""h3-benchmark recall with a user's own documents and questions."""

import json
import shutil

from h3cold.h3bridge.cli_benchmark import main


def said(capsys, *arguments):
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_recall_is_measured_on_anyones_own_questions(capsys, tmp_path, examples, example_store):
    asked = tmp_path / "mine.jsonl"
    asked.write_text(
        '{"query": "How is drift compensated?", "source": "drift_compensated_flow_paper.pdf", "pages": [1, 2]}\n',
        "utf-8",
    )
    shutil.copytree(example_store, tmp_path / "stores" / "mine")  # as a run before left it
    own = ["--data", str(examples.folder), "--questions", str(asked), "--work", str(tmp_path / "stores"), "--json"]
    status, out, _ = said(capsys, "recall", *own)
    assert status == 0
    assert json.loads(out)["mine"]["page recall@5"] == 1 and json.loads(out)["mine"]["files that failed"] == 1
    status, _, err = said(capsys, "kg", *own)
    assert status == 2 and "are for recall and compression, not kg" in err

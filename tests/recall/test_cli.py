"""`h3-recall` as people and programs use it."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pymupdf
import pytest

from h3cold.ingest.store.manifest import publish_manifest, read_manifest
from h3cold.recall import ColdTier
from h3cold.recall.cli import main
from h3cold.schemas.config import load_config


def run(capsys, *args):
    code = main(list(args))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_readable_answer(capsys, made):
    code, out, err = run(capsys, "Acme capital expenditure 2022", "--store", str(made.store), "--top", "2")
    assert (code, err) == (0, "")
    assert "1. acme/acme_2022.pdf  p. 4  [60, 100, 500, 300]  table" in out
    assert "Item 8. Financial Statements › Cash Flows" in out and "why: " in out and "2. " in out


def test_json_answer(capsys, made):
    code, out, _ = run(capsys, "对比2022与2023年应收账款周转率", "--store", str(made.store), "--json")
    answer = json.loads(out)
    assert code == 0 and list(answer) == ["query", "intent", "hits", "confidence", "fits"]
    assert (answer["query"], answer["intent"]) == ("对比2022与2023年应收账款周转率", "structure")
    first = answer["hits"][0]
    assert list(first) == ["rank", "score", "intent", "block", "kind", "document", "source", "title", "page", "pages",
                           "bbox", "headings", "text", "table", "reason", "answer", "excerpt", "copies"]  # fmt: skip
    assert first["source"] == "huaxin.pdf" and first["table"]["cells"][0]["text"] == "指标"
    assert len(answer["hits"]) == 5


def test_filters_and_pictures(capsys, made, tmp_path):
    filters = ["--where", "period=FY2021", "--where", "period=FY2022", "--where", "kind=passage"]
    pictured = ["--top", "3", "--image", str(tmp_path / "png")]
    code, out, _ = run(capsys, "steel", "--store", str(made.store), *filters, *pictured)
    assert code == 0 and "acme_2023" not in out.replace("same text in acme/acme_2023", "")
    pictures = sorted((tmp_path / "png").iterdir())
    assert len(pictures) == 3 and all(pymupdf.Pixmap(str(p)).width > 50 for p in pictures)
    assert all(str(p) in out for p in pictures)


def test_a_picture_of_a_file_that_is_gone_says_what_it_needs(capsys, made, tmp_path):
    store = tmp_path / "store"
    shutil.copytree(made.store, store)
    manifest = read_manifest(store)
    publish_manifest(store, replace(manifest, snapshot=manifest.snapshot + 1, root=str(tmp_path / "moved")))
    asked = ["steel", "--store", str(store), "--where", "kind=passage", "--top", "1", "--image", str(tmp_path)]
    code, out, _ = run(capsys, *asked)
    assert code == 0 and "gone, and pictures of text are drawn from the original PDF" in out


def test_nothing_found_is_an_answer(capsys, made):
    code, out, _ = run(capsys, "steel", "--store", str(made.store), "--where", "company=nobody")
    assert code == 0 and "Nothing found where company=nobody" in out


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ([""], "empty"),
        (["🙂"], "no word"),
        (["x", "--intent", "tabel"], "structure"),
        (["x", "--intent", "tabel"], "relation, document"),
        (["x", "--where", "compny=y"], "company"),
        (["x", "--where", "page"], "KEY=VALUE"),
        (["x", "--where", "page=9-2"], "page"),
        (["x", "--top", "0"], "top"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(capsys, made, args, told):
    code, out, err = run(capsys, *args, "--store", str(made.store))
    assert (code, out) == (2, "") and err.count("\n") == 1 and told in err


def test_a_missing_store_is_one_line_and_exit_2(capsys, tmp_path):
    code, out, err = run(capsys, "steel", "--store", str(tmp_path / "nowhere"))
    assert (code, out) == (2, "") and err.count("\n") == 1 and "h3-index-builder" in err
    (tmp_path / "manifest.json").write_text("{", encoding="utf-8")
    code, _, err = run(capsys, "steel", "--store", str(tmp_path))
    assert code == 1 and err.count("\n") == 1 and "damaged" in err


def test_what_nobody_foresaw_is_one_line(capsys, made, monkeypatch):
    def failing(*_, **__):
        raise KeyError("words")

    monkeypatch.delenv("H3_TRACE", raising=False)
    monkeypatch.setattr("h3cold.recall.cold_tier.ColdTier.recall", failing)
    assert main(["steel", "--store", str(made.store)]) == 1
    told = capsys.readouterr().err
    assert told == "h3-recall: internal error: KeyError: 'words'; H3_TRACE=1 shows where\n"
    monkeypatch.setenv("H3_TRACE", "1")
    with pytest.raises(KeyError):
        main(["steel", "--store", str(made.store)])


def test_help_shows_examples(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0 and "examples:" in capsys.readouterr().out


def test_configuration_says_how_many(capsys, made, tmp_path, monkeypatch):
    file = tmp_path / "mine.yaml"
    file.write_text("recall: {top: 2, candidates: 10}\n", encoding="utf-8")
    asked = ["steel", "--store", str(made.store), "--json"]
    _, out, _ = run(capsys, *asked, "--config", str(file))
    assert len(json.loads(out)["hits"]) == 2
    _, out, _ = run(capsys, *asked, "--config", str(file), "--top", "3")
    assert len(json.loads(out)["hits"]) == 3
    (tmp_path / "h3_config.yaml").write_text("recall: {tpo: 2}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, *asked)
    assert code == 2 and "did you mean 'top'?" in err and err.count("\n") == 1
    with ColdTier.open(made.store, config=load_config(file)) as tier:
        assert len(tier.recall("steel")) == 2 and tier.candidates == 10


def test_output_in_a_charset_without_chinese(made):
    command = [sys.executable, "-m", "h3cold.recall.cli", "应收账款", "--store", str(made.store)]
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "应收账款" in done.stdout.decode("utf-8")


def test_a_page_filter_keeps_blocks_that_reach_into_the_page():
    from h3cold.recall.corpus import mask_of
    from h3cold.recall.filters import Where

    class Columns(SimpleNamespace):
        def __len__(self):
            return len(self.page)

    corpus = Columns(page=np.array([1, 1, 3]), last_page=np.array([1, 2, 3]), document=np.array([0, 0, 0]),
                     documents=[{"id": "d"}], kind=np.array([0, 0, 0]))  # fmt: skip
    assert mask_of(corpus, Where({}, (), ((2, 2),))).tolist() == [False, True, False]

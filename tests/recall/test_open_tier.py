"""A cold tier opened, refreshed, forked and closed; what opening it loads, and stores that cannot be opened."""

import json
import subprocess
import sys

import pytest

from h3cold.recall import ColdTier
from h3cold.recall.search import search
from h3cold.schemas.errors import StoreError, StoreVersionError


def test_status_refresh_and_close(made):
    with ColdTier.open(made.store, as_of=1) as opened:
        status = opened.status()
        assert status["snapshot"] == 1 and status["counts"]["documents"] == 6
        assert any("open_clip" in line for line in status["without"])
        assert opened.refresh() is False
    with pytest.raises(StoreError, match="closed"):
        opened.recall("steel")


def test_a_fork_is_told_to_open_its_own(made):
    code = (
        "import os, sys; from h3cold.recall import ColdTier; from h3cold.schemas.errors import StoreError\n"
        "tier = ColdTier.open(sys.argv[1])\n"
        "if not os.fork():\n"
        "    try: tier.recall('steel')\n"
        "    except StoreError as e: print(e, flush=True)\n"
        "    os._exit(0)\n"
        "os.wait(); print(len(tier.recall('steel')))\n"
    )
    said = subprocess.run([sys.executable, "-c", code, made.store], capture_output=True, text=True, timeout=60).stdout
    assert said.split("\n")[0].endswith("opened before the process forked; open it in each process")
    assert int(said.split("\n")[1]) > 0


def test_a_question_is_answered_though_its_tier_is_closed_meanwhile(made):
    opened, whole = ColdTier.open(made.store), []
    for close in (lambda: None, opened.close):
        snapshot, asked = opened.prepare("Acme capital expenditure FY2021")
        asked.vector()
        close()
        whole.append([(hit.block, hit.score, hit.reason) for hit in search(snapshot, asked)])
    assert whole[0] == whole[1] != []


def test_stores_that_cannot_be_opened(tmp_path, made):
    with pytest.raises(StoreError, match="h3-index-builder"):
        ColdTier.open(tmp_path)
    with pytest.raises(StoreError, match="snapshot"):
        ColdTier.open(made.store, as_of=99)
    manifest = json.loads((made.store / "manifest.json").read_text(encoding="utf-8"))
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"schema_version": 99}), encoding="utf-8")
    with pytest.raises(StoreVersionError, match="99"):
        ColdTier.open(tmp_path)


def test_without_a_configuration_the_defaults_are_those_of_an_empty_one():
    from h3cold.recall.cold_tier import Defaults
    from h3cold.schemas.config import Recall

    assert Defaults()._asdict() == Recall().model_dump()


def test_importing_recall_loads_nothing_heavy():
    code = (
        "import sys, h3cold.recall; from h3cold.recall import ColdTier\n"
        "heavy = {'torch', 'spacy', 'pymupdf', 'gensim', 'sentence_transformers', 'lance', 'faiss', 'onnxruntime'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_recalling_loads_no_torch_and_no_pdf_reader(made):
    code = (
        "import sys; from h3cold.recall import ColdTier\n"
        "ColdTier.open(sys.argv[1]).recall('对比2022与2023年应收账款周转率 and steel')\n"
        "heavy = {'torch', 'spacy', 'pymupdf', 'gensim', 'sentence_transformers', 'jieba'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(made.store)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

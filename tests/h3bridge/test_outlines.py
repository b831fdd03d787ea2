"""`h3-monitor --outline` shows a document's tree."""

import json

import pytest
from toy_blocks import Toy, blocks

from h3cold.h3bridge.cli_monitor import main
from h3cold.ingest.store.make import make_store


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return make_store(tmp_path_factory.mktemp("outlines") / "s", blocks(2, each=30), embedder=Toy())


def test_the_parts_of_a_document_are_shown(store, capsys):
    source = sorted(row["source"] for row in store.documents().values())[1]
    assert main(["--store", str(store.path), "--outline", source, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    levels = [part["level"] for part in shown["outline"]]
    assert shown["document"] == source and levels[:3] == ["document", "chapter", "section"]
    assert sum(p["blocks"] for p in shown["outline"] if p["level"] == "section") == 30
    assert main(["--store", str(store.path), "--outline", source]) == 0
    assert "part 7" in capsys.readouterr().out


def test_an_unknown_document_is_a_mistake_of_the_caller(store, capsys):
    assert main(["--store", str(store.path), "--outline", "nothing.pdf"]) == 2
    assert "no document 'nothing.pdf'" in capsys.readouterr().err

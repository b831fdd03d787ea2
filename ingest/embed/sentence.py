"""Any sentence-transformers model, by folder or by name. Only a name touches the network, and only here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from h3cold.ingest.embed import Vectors
from h3cold.schemas.errors import ModelError

_BATCH = 32
_PATIENCE = 5.0  # seconds for the hub to answer


class SentenceModel:
    """The embedder; see `Embedder`. Runs in float32 on the CPU or the device that torch finds.

    Prompts that the model brings for queries and passages are used; the E5 family's, which it does not bring, are
    added by name.

    Args:
        name: a folder, or a model's name: looked up in the local hub cache first, then on the hub.

    Raises:
        ModelError: there is no such folder, name or network, or the files in it do not load.
    """

    def __init__(self, name: str) -> None:
        folder = Path(name).expanduser()
        if not folder.is_dir() and _looks_like_path(name):
            raise ModelError(f"{name}: no such folder; give the folder of a sentence-transformers model, or e5-small")
        self._model = _load(str(folder)) if folder.is_dir() else _load_by_name(name)
        self.id = f"sentence-transformers:{folder.name if folder.is_dir() else name}"
        self.dimension: int = self._model.get_embedding_dimension()
        prompts: dict[str, str] = self._model.prompts or {}
        e5 = "e5-" in self.id.lower() and "instruct" not in self.id.lower()
        self._query = prompts.get("query") or ("query: " if e5 else "")
        document = prompts.get("document") or prompts.get("passage")
        self._passage = document or ("passage: " if e5 else "")

    def passages(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), dimension]."""
        return self._embed(texts, self._passage)

    def queries(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), dimension]."""
        return self._embed(texts, self._query)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text by the model's own tokenizer."""
        tokenizer = self._model.tokenizer
        return [len(tokenizer.encode(text, add_special_tokens=False, verbose=False)) for text in texts]

    def _embed(self, texts: Sequence[str], prompt: str) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        vectors = self._model.encode(
            list(texts), prompt=prompt or None, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, np.float32)


def _looks_like_path(name: str) -> bool:
    # A hub name is `model` or `owner/model`.
    return name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name


def _load_by_name(name: str) -> Any:
    from huggingface_hub import HfApi, try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    repositories = [name] if "/" in name else [f"sentence-transformers/{name}", name]
    reason = ""
    try:
        for repository in repositories:
            if isinstance(try_to_load_from_cache(repository, "config.json"), str):
                return _load(repository)
        for repository in repositories:
            try:
                HfApi().model_info(repository, timeout=_PATIENCE)  # the download itself would retry for minutes
            except Exception as e:  # of whichever HTTP library the hub's client is built on
                reason = " ".join(str(e).split())[:120]
            else:
                return _load(repository, download=True)
    except HFValidationError:
        reason = "not a name that it allows"
    raise ModelError(
        f"embedding model {name!r}: not an engine of ours, not a folder, not in the local hub cache, and not on the "
        f"hub ({reason}); use e5-small, which needs no download, or the folder of a sentence-transformers model"
    )


def _load(model: str, *, download: bool = False) -> Any:
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(model, local_files_only=not download)
    except Exception as e:  # the loaders of its many parts raise anything
        reason = " ".join(str(e).split())[:300]
        raise ModelError(f"{model}: not a sentence-transformers model that loads ({reason})") from e

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
        where, download = find_model(
            name, kind="embedding model", owner="sentence-transformers",
            instead="use e5-small, which needs no download",
        )  # fmt: skip
        self._model = _load(where, download=download)
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


def find_model(name: str, *, kind: str, owner: str, instead: str) -> tuple[str, bool]:
    """What to load for `name`, a folder or a hub model's (of `owner` where it names none), and whether to download it.

    A name is looked up in the local hub cache first, then on the hub. `kind` is what the user
    calls it, `instead` what else he can do.

    Raises:
        ModelError: there is no such folder, name or network.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return str(folder), False
    if name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name:  # a hub name is `model`, `owner/model`
        raise ModelError(f"{name}: no such folder; give the folder of a sentence-transformers model, or {instead}")
    from huggingface_hub import HfApi, try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    repositories = [name] if "/" in name else [f"{owner}/{name}", name]
    reason = ""
    try:
        for repository in repositories:
            if isinstance(try_to_load_from_cache(repository, "config.json"), str):
                return repository, False
        for repository in repositories:
            try:
                HfApi().model_info(repository, timeout=_PATIENCE)  # the download itself would retry for minutes
            except Exception as e:  # of whichever HTTP library the hub's client is built on
                reason = " ".join(str(e).split())[:120]
            else:
                return repository, True
    except HFValidationError:
        reason = "not a name that it allows"
    raise ModelError(
        f"{kind} {name!r}: not a folder, not in the local hub cache, and not on the hub ({reason}); give the folder of"
        f" a sentence-transformers model, or {instead}"
    )


def _load(model: str, *, download: bool = False) -> Any:
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(model, local_files_only=not download)
    except Exception as e:  # the loaders of its many parts raise anything
        reason = " ".join(str(e).split())[:300]
        raise ModelError(f"{model}: not a sentence-transformers model that loads ({reason})") from e

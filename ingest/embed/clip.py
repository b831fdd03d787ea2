"""Image vectors of tables, figures and formulas, and of questions, from an open_clip model whose weights are at hand.

No package carries such weights, so this is off until the configuration names some; `status` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from h3cold.ingest.embed import Vectors
from h3cold.schemas.errors import ModelError

_BATCH = 16
_FOLDER_CONFIG = "open_clip_config.json"


def status(config: str) -> str:
    """One line for people: which image model is in use, or why none is. `config` is the setting `ingest.clip`."""
    if not config:
        return "no image vectors: no weights (set ingest.clip to ARCHITECTURE:WEIGHTS_PATH of an open_clip model)"
    try:
        architecture, path = _parse(config)
    except ModelError as e:
        return f"no image vectors: {e}"
    return f"image vectors by {architecture}, weights {path}"


class ClipModel:
    """Puts pictures and sentences into one space.

    Args:
        config: `ARCHITECTURE:WEIGHTS_PATH`; the architecture is one of open_clip's names and the path a checkpoint,
            or the path is a folder with `open_clip_config.json`, whose architecture goes before the given name.

    Raises:
        ModelError: the setting, the architecture or the weights are not usable; says which.
    """

    def __init__(self, config: str) -> None:
        architecture, path = _parse(config)
        self.id = f"open_clip:{architecture}:{path.name}"
        self._torch, self._model, self._preprocess, self._tokenize = _load(architecture, path)
        self.dimension: int = self.texts([""]).shape[1]

    def images(self, pictures: Sequence[bytes]) -> Vectors:
        """Unit vectors of PNG (or other encoded) pictures, float32 [len(pictures), dimension].

        Raises:
            ModelError: a picture cannot be decoded; says which, counted from 0.
        """
        return self._in_batches(pictures, self._images)

    def texts(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of questions, float32 [len(texts), dimension]; long ones count up to the model's window."""
        return self._in_batches(texts, lambda batch, _: self._model.encode_text(self._tokenize(list(batch))))

    def _images(self, batch: Sequence[bytes], first: int) -> Any:
        from PIL import Image

        tensors = []
        for number, picture in enumerate(batch, first):
            try:
                tensors.append(self._preprocess(Image.open(BytesIO(picture)).convert("RGB")))
            except (OSError, ValueError, SyntaxError) as e:  # Pillow raises SyntaxError for broken PNG chunks
                raise ModelError(f"picture {number}: cannot be decoded ({e})") from e
        return self._model.encode_image(self._torch.stack(tensors))

    def _in_batches(self, items: Sequence[Any], encode: Any) -> Vectors:
        if not items:
            return np.zeros((0, self.dimension), np.float32)
        out = []
        with self._torch.inference_mode():
            for first in range(0, len(items), _BATCH):
                vectors = encode(items[first : first + _BATCH], first).float()
                out.append(self._torch.nn.functional.normalize(vectors, dim=-1).cpu().numpy())
        return np.concatenate(out)


def _parse(config: str) -> tuple[str, Path]:
    architecture, colon, place = config.partition(":")
    if not colon or not architecture or not place:
        raise ModelError(
            f"ingest.clip is {config!r}, not ARCHITECTURE:WEIGHTS_PATH, as in ViT-B-32:/models/vit_b_32.pt"
        )
    path = Path(place).expanduser()
    if not path.exists():
        raise ModelError(f"no weights at {path}, which ingest.clip names")
    if path.is_dir() and not (path / _FOLDER_CONFIG).is_file():
        raise ModelError(f"{path}, which ingest.clip names, has no {_FOLDER_CONFIG}; give the checkpoint file itself")
    return architecture, path


def _load(architecture: str, path: Path) -> tuple[Any, Any, Any, Any]:
    import open_clip
    import torch

    name, weights = (f"local-dir:{path}", None) if path.is_dir() else (architecture, str(path))
    if weights:
        known = open_clip.get_model_config(architecture)
        if known is None:
            raise ModelError(f"open_clip knows no architecture {architecture!r}; open_clip.list_models() lists them")
        if "hf_tokenizer_name" in known.get("text_cfg", {}):
            raise ModelError(f"{architecture} has a tokenizer of its own: name a folder with {_FOLDER_CONFIG} and it")
    try:
        model, _, preprocess = open_clip.create_model_and_transforms(name, pretrained=weights, pretrained_text=False)
        tokenize = open_clip.get_tokenizer(name)
    except Exception as e:  # whatever torch and open_clip meet in a file that is not a checkpoint
        reason = " ".join(str(e).split())[:200]
        raise ModelError(f"{path}: not weights of {architecture} ({reason})") from e
    return torch, model.eval(), preprocess, tokenize

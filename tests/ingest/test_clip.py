"""Image vectors with a small randomly initialised model: the plumbing, not the quality."""

from __future__ import annotations

import json
from io import BytesIO

import numpy as np
import open_clip
import pytest
import torch
from PIL import Image, ImageDraw

from h3cold.ingest.embed.clip import ClipModel, status
from h3cold.schemas.errors import ModelError

TINY = {
    "embed_dim": 24,
    "vision_cfg": {"image_size": 32, "layers": 2, "width": 64, "patch_size": 16},
    "text_cfg": {"context_length": 16, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 2},
}


def picture(colour: str, *, mode: str = "RGB") -> bytes:
    image = Image.new(mode, (90, 40), "white")
    ImageDraw.Draw(image).rectangle((10, 5, 60, 30), fill=colour)
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clip")
    configs = folder / "configs"
    configs.mkdir()
    (configs / "tiny-test-clip.json").write_text(json.dumps(TINY))
    open_clip.add_model_config(configs)
    torch.manual_seed(3)
    model = open_clip.create_model("tiny-test-clip")
    torch.save(model.state_dict(), folder / "tiny.pt")
    bundle = folder / "bundle"
    bundle.mkdir()
    (bundle / "open_clip_config.json").write_text(json.dumps({"model_cfg": TINY, "preprocess_cfg": {}}))
    torch.save(model.state_dict(), bundle / "open_clip_pytorch_model.bin")
    return folder


def test_pictures_and_questions_share_a_space(weights) -> None:
    model = ClipModel(f"tiny-test-clip:{weights}/tiny.pt")
    assert model.dimension == 24 and model.id == "open_clip:tiny-test-clip:tiny.pt"
    pictures = [picture(c) for c in ("red", "blue", "green")] * 7
    vectors = model.images(pictures)
    assert vectors.shape == (21, 24) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.allclose(vectors[0], vectors[18], atol=1e-5) and not np.allclose(vectors[0], vectors[1], atol=1e-4)
    questions = model.texts(["net revenue by segment", "营业收入 " * 60])
    assert questions.shape == (2, 24) and np.allclose(np.linalg.norm(questions, axis=1), 1, atol=1e-5)
    assert model.images([]).shape == model.texts([]).shape == (0, 24)


def test_any_kind_of_png_is_read(weights) -> None:
    model = ClipModel(f"tiny-test-clip:{weights}/tiny.pt")
    assert model.images([picture("red", mode=m) for m in ("RGBA", "L", "P", "1")]).shape == (4, 24)


def test_folder_and_file_are_the_same_model(weights) -> None:
    by_file = ClipModel(f"tiny-test-clip:{weights}/tiny.pt")
    by_folder = ClipModel(f"tiny:{weights}/bundle")
    assert np.allclose(by_file.images([picture("red")]), by_folder.images([picture("red")]), atol=1e-5)


def test_broken_picture_is_named(weights) -> None:
    model = ClipModel(f"tiny-test-clip:{weights}/tiny.pt")
    with pytest.raises(ModelError, match="picture 1"):
        model.images([picture("red"), picture("red")[:60]])


def test_status_is_plain(weights) -> None:
    assert status("").startswith("no image vectors: no weights")
    assert "no weights at /none/x.pt" in status("ViT-B-32:/none/x.pt")
    assert "not ARCHITECTURE:WEIGHTS_PATH" in status("ViT-B-32")
    assert status(f"tiny-test-clip:{weights}/tiny.pt").startswith("image vectors by tiny-test-clip")


def test_what_cannot_load_is_said(weights, tmp_path) -> None:
    with pytest.raises(ModelError, match="knows no architecture"):
        ClipModel(f"ViT-Nope:{weights}/tiny.pt")
    with pytest.raises(ModelError, match="tokenizer of its own"):
        ClipModel(f"xlm-roberta-base-ViT-B-32:{weights}/tiny.pt")
    with pytest.raises(ModelError, match="not weights of tiny-test-clip"):
        (tmp_path / "text.pt").write_text("hello")
        ClipModel(f"tiny-test-clip:{tmp_path}/text.pt")
    with pytest.raises(ModelError, match=r"no open_clip_config\.json"):
        ClipModel(f"tiny-test-clip:{tmp_path}")

"""No library reports home from our processes: seen from outside, with a home of its own."""

import os
import subprocess
import sys

import pytest

from h3cold.ingest.embed.e5 import model_path

EMBED = "from h3cold.ingest.embed.e5 import E5; E5(model=Path({!r})).queries(['rain'])"
PARSE = "import h3cold.ingest.parse"
OCR = "from h3cold.ingest.ocr.rapid import _engine; _engine()"
LAYOUT = "from h3cold.ingest.layout import open_model; open_model({!r})"


@pytest.mark.parametrize("code", [EMBED, PARSE, OCR, LAYOUT.format("pymupdf"), LAYOUT.format("rapidlayout")])
def test_onnxruntime_opens_no_store_of_events(tmp_path, code):
    """Its store of events to send lies in the user's cache; without telemetry it is not made."""
    home = {k: v for k, v in os.environ.items() if k not in ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")}
    code = "from pathlib import Path; " + code.format(str(model_path()))
    subprocess.run([sys.executable, "-c", code], env={**home, "HOME": str(tmp_path)}, check=True, timeout=120)
    assert not [f for f in tmp_path.rglob("*") if f.name == "onnxruntime.db"]

"""Fixtures of all tests: the example PDFs, made once a session."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import settings

settings.register_profile("project", deadline=None, max_examples=60)  # a busy machine is no failure
settings.load_profile("project")

# A run in the background of a shell ignores Ctrl-C, and so would the commands that are tested with it.
signal.signal(signal.SIGINT, signal.default_int_handler)

EXAMPLES = Path(__file__).parent.parent / "examples"
if str(EXAMPLES) not in sys.path:
    sys.path.insert(0, str(EXAMPLES))

if TYPE_CHECKING:
    from h3cold.ingest.generated.truth import Truth


class Examples(NamedTuple):
    """The folder with the example PDFs (read only: copy what a test changes) and what they hold."""

    folder: Path
    truth: Truth


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Examples:
    from make import make_examples

    folder = tmp_path_factory.mktemp("examples")
    return Examples(folder, make_examples(folder))


@pytest.fixture(scope="session")
def example_store(examples: Examples, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store built over the examples as a user would (read only)."""
    from h3cold.ingest.pipeline import build
    from h3cold.schemas.config import Config

    store = tmp_path_factory.mktemp("store") / "h3_cold"
    build(examples.folder, store, Config())
    return store

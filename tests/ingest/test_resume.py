"""What a crash, or another configuration, costs: only the pieces that were not done, or depend on it."""

import json
import shutil

import numpy as np
import pymupdf
import pytest
from blake3 import blake3
from in_process import InProcess
from pdfs import pdf
from test_pipeline import rows

from h3cold.ingest import embed, embedding, jobs, ocr, pages_read
from h3cold.ingest.ledger import Ledger
from h3cold.ingest.ocr.kept import KeptOcr
from h3cold.ingest.pipeline import build
from h3cold.ingest.progress import Silent
from h3cold.ingest.stages import Reading
from h3cold.ingest.store import ColdStore
from h3cold.ingest.store.files import read_checked, write_checked
from h3cold.schemas.config import parse_config

CONFIG = {"cold_storage": {"knowledge_graph_enabled": False}}
WORDS = ["river", "boat", "stone", "glass", "apple", "night", "rain", "wheel", "lamp", "paper"]


class DiedError(BaseException):
    """Not an Exception: nothing may catch it."""


class Mortal(InProcess):
    """A pool that dies when it has read `windows` windows; `read` collects those that were begun."""

    windows = 1000
    read = []  # noqa: RUF012  (one for all of a test)

    def next(self):
        job = self.tasks[0].payload
        if isinstance(job, Reading):
            if len(self.read) >= self.windows:
                raise DiedError
            self.read.append(self.tasks[0].first)
        return super().next()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with one document of four windows, and a store that a clean build made of it."""
    base = tmp_path_factory.mktemp("long")
    pdf(base / "in" / "long.pdf", *(f"{WORDS[i]} met the {WORDS[i * 7 % 10]} {i}." for i in range(10)), table=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "Pool", Mortal)
        patch.setattr(jobs, "WINDOW", 3)
        patch.setattr(pages_read, "WINDOW", 3)
        build(base / "in", base / "clean", parse_config(CONFIG))
    return base


@pytest.fixture
def long(made, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", Mortal)
    monkeypatch.setattr(jobs, "WINDOW", 3)
    monkeypatch.setattr(pages_read, "WINDOW", 3)
    Mortal.read.clear()
    (tmp_path / "in").symlink_to(made / "in")
    shutil.copytree(made / "clean", tmp_path / "clean")
    return tmp_path


def interrupted(long, windows):
    with pytest.MonkeyPatch.context() as patch, pytest.raises(DiedError):
        patch.setattr(Mortal, "windows", windows)
        build(long / "in", long / "s", parse_config(CONFIG))


def same(long):
    store = ColdStore.open(long / "s")
    assert (rows(store), store.verify()) == (rows(ColdStore.open(long / "clean")), [])


@pytest.mark.parametrize("windows", [1, 3])
def test_a_long_document_goes_on_at_the_window_it_reached(long, windows):
    interrupted(long, windows)
    assert Mortal.read == [1, 4, 7][:windows]
    build(long / "in", long / "s", parse_config(CONFIG))
    assert Mortal.read == [1, 4, 7, 10]
    same(long)
    assert list((long / "s" / "meta" / "ledger").iterdir()) == []


def test_settings_of_later_stages_leave_what_was_read_and_those_of_parsing_do_not(long):
    interrupted(long, 2)
    build(long / "in", long / "s", parse_config({**CONFIG, "ingest": {"block_tokens": 64}}))
    assert Mortal.read == [1, 4, 7, 10]
    shutil.rmtree(long / "s")
    Mortal.read.clear()
    interrupted(long, 2)
    build(long / "in", long / "s", parse_config({**CONFIG, "ingest": {"ocr": "off"}}))
    assert Mortal.read == [1, 4, 1, 4, 7, 10]


def cut(path, data):
    path.write_bytes(path.read_bytes()[:-1])


def without_count(path, data):
    write_checked(path, json.dumps({k: v for k, v in data.items() if k != "count"}).encode())


def with_a_new_field(path, data):
    page = data["pages"][0]
    write_checked(path, json.dumps({**data, "pages": [{**page, "colour": "grey"}]}).encode())


def with_numbers_for_texts(path, data):
    data["pages"][0]["regions"][0]["text"] = 7
    write_checked(path, json.dumps(data).encode())


class Heard(Silent):
    """What a build notes."""

    def __init__(self):
        self.notes = []

    def note(self, text):
        self.notes.append(text)


@pytest.mark.parametrize("damage", [cut, without_count, with_a_new_field, with_numbers_for_texts])
def test_a_piece_that_is_damaged_or_of_another_shape_is_told_and_done_again(long, damage):
    interrupted(long, 3)
    pieces = sorted((long / "s" / "meta" / "ledger").rglob("parse-*"))
    assert len(pieces) == 3
    damage(pieces[0], json.loads(read_checked(pieces[0])))
    pieces[0].with_name(f"{pieces[0].name}.77.tmp").write_bytes(b"")
    heard = Heard()
    build(long / "in", long / "s", parse_config(CONFIG), progress=heard)
    why = "what is on record of it is damaged, or another version's; read again"
    assert heard.notes == [f"long.pdf, page 1 and those after it: {why}"]
    assert Mortal.read == [1, 4, 7, 1, 10]
    same(long)


def test_vectors_of_a_long_document_are_not_made_twice(long, monkeypatch):
    """The embedder dies at its second call; the next build asks for what is missing only."""
    monkeypatch.setattr(embedding, "SLICE", 1)
    monkeypatch.setattr(embedding, "RECORDED", 1)
    real = embed.open_embedder("e5-small")
    asked = []

    class Counting:
        """The embedder, which counts."""

        id, dimension, count_tokens = real.id, real.dimension, real.count_tokens
        query_states = real.query_states
        calls = 1

        def passage_states(self, texts):
            if len(asked) >= self.calls:
                raise DiedError
            asked.extend(texts)
            return real.passage_states(texts)

    monkeypatch.setattr(embed, "open_embedder", lambda name: Counting())
    with pytest.raises(DiedError):
        build(long / "in", long / "s", parse_config(CONFIG))
    monkeypatch.setattr(Counting, "calls", 10_000)
    build(long / "in", long / "s", parse_config(CONFIG))
    store = ColdStore.open(long / "s")
    assert len(asked) == len(set(asked)) == store.count("blocks") > 1
    same(long)


class Short:
    """An embedder of 8 numbers that counts words."""

    id, dimension = "short", 8

    def count_tokens(self, texts):
        return [len(t.split()) for t in texts]

    def passages(self, texts):
        out = np.array([[1 + len(t) % 7, *(t.count(c) for c in "aeioust")] for t in texts], np.float32)
        return out / np.linalg.norm(out, axis=1, keepdims=True)


@pytest.mark.parametrize(
    "other",
    [{"block_tokens": 64}, {"images": False}, {"embedder": "short"}],
    ids=["block size", "pictures", "embedder of another length"],
)
def test_other_blocks_pictures_and_vectors_are_made_without_reading_the_file_again(long, monkeypatch, other):
    real = embed.open_embedder
    monkeypatch.setattr(embed, "open_embedder", lambda name: Short() if name == "short" else real(name))
    config = parse_config({**CONFIG, "ingest": other})
    build(long / "in", long / "s", config)
    Mortal.read.clear()
    build(long / "in", long / "clean", config)
    assert Mortal.read == []
    store = ColdStore.open(long / "clean")
    assert (rows(store), store.verify()) == (rows(ColdStore.open(long / "s")), [])
    assert store.manifest.counts["blocks"] > 0


def test_a_ledger_forgets_what_is_in_the_tables(tmp_path):
    ledger = Ledger(tmp_path, parse="p", embed="e")
    ledger.save_vectors("a", ["x", "y"], np.eye(2, dtype=np.float32), [b"of x", b"and y"])
    ledger.save_vectors("b", ["x"], np.ones((1, 3), np.float32), [b""])
    vectors, runs = ledger.vectors("a", ["x", "y"])
    assert (vectors.tolist(), runs) == ([[1, 0], [0, 1]], [b"of x", b"and y"])
    assert ledger.vectors("b", ["x"])[1] == [b""]
    assert ledger.vectors("a", ["x"]) is None
    assert Ledger(tmp_path, parse="p", embed="other").vectors("a", ["x", "y"]) is None
    ledger.forget_all_but({"b"})
    assert ledger.vectors("a", ["x", "y"]) is None
    ledger.forget(["b"])
    assert ledger.vectors("b", ["x"]) is None


def scan(path, *texts):
    """A PDF whose pages are pictures of these texts."""
    path.parent.mkdir(parents=True)
    with pymupdf.open() as doc, pymupdf.open() as pages:
        for text in texts:
            pages.new_page(width=300, height=120).insert_text((20, 50), text, fontsize=16)
        for page in pages:
            doc.new_page(width=300, height=120).insert_image((0, 0, 300, 120), pixmap=page.get_pixmap(dpi=150))
        doc.save(path, no_new_id=True)


def test_pages_of_a_scan_that_were_read_before_ctrl_c_are_not_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", InProcess)
    scan(tmp_path / "in" / "scan.pdf", "The river rose at night.", "The boat met the stone.")
    whole, read = ocr.read, []

    def interrupted(page, **more):
        read.append(page.number)
        if len(read) == 2:
            raise KeyboardInterrupt
        return whole(page, **more)

    monkeypatch.setattr(ocr, "read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "in", tmp_path / "s", parse_config(CONFIG))
    (kept,) = (tmp_path / "s" / "meta" / "ledger").glob("*/ocr-*")
    with pymupdf.open(tmp_path / "in" / "scan.pdf") as doc:
        assert KeptOcr(str(kept)[: -len("000001")]).find(1, None) == whole(doc[0], language="auto")
    kept.with_name(kept.name[:-1] + "2").write_bytes(b"damaged")
    build(tmp_path / "in", tmp_path / "s", parse_config(CONFIG))
    assert read == [0, 1, 1]
    store = ColdStore.open(tmp_path / "s")
    text = " ".join(store.table("blocks").to_table(columns=["text"])["text"].to_pylist())
    assert "river rose" in text and "boat met" in text
    assert list((tmp_path / "s" / "meta" / "ledger").iterdir()) == []
    assert KeptOcr(str(tmp_path / "none" / "ocr-")).find(1, (0.0, 0.0, 9.5, 9.5)) is None


def test_a_page_s_record_of_another_shape_is_not_believed(tmp_path):
    """Its checksum only says that it is what some version wrote."""
    box, span = [1.0, 2.0, 3.0, 4.0], ["tide", [1.0, 2.0, 3.0, 4.0], "F", 9.0, False, False, False, 0, 4.0]
    whole = {
        "lines": [["tide", box, [span], [1.0, 0.0], 0, 0.9, False, False]], "words": [["tide", box]], "engine": "e",
        "confidence": 0.9, "language": "en", "rotation": 0, "skew": 0.0, "notes": ["n"], "rules": [[0, 1, 2, 1, 0.5]],
    }  # fmt: skip

    def found(record):
        write_checked(tmp_path / "ocr-000001", json.dumps(record).encode())
        return KeptOcr(str(tmp_path / "ocr-")).find(1, None)

    assert found(whole).lines[0].spans[0].text == "tide"
    others = [
        {name: value} for name, value in {
            "lines": [["tide", box]], "words": [["tide", box[:3]]], "rules": [[1, 2]], "engine": None, "notes": [1],
            "confidence": "sure", "rotation": None,
        }.items()
    ]  # fmt: skip
    for other in [*others, {"words": [["tide", ["1", *box[1:]]]]}, {"lines": [["tide", box, [span[:-1]], [1, 0], 0]]}]:
        assert found(whole | other) is None
    for other in ({"lines": []}, [], None, "x", 3):
        assert found(other) is None
    (tmp_path / "ocr-000001").write_bytes(blake3(b"no zlib").digest() + b"no zlib")
    assert KeptOcr(str(tmp_path / "ocr-")).find(1, None) is None

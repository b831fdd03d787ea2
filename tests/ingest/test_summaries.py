"""Summaries of blocks: what is learned, what is kept from build to build, and when there are none."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from toy_blocks import SIZE, Toy, blocks

from h3cold.ingest.compress import summaries as stage
from h3cold.ingest.compress import training
from h3cold.ingest.compress.codes import BYTES, coded, decoded, fitted, products
from h3cold.ingest.compress.network import (
    SUMMARY,
    leading,
    parameters,
    read_network,
    summaries,
    write_network,
)
from h3cold.ingest.compress.runs import DRAWN, RUN, packed, runs_of, unpacked
from h3cold.ingest.compress.summaries import build_summaries, drifted
from h3cold.ingest.compress.training import Lesson, learn_network, principal
from h3cold.ingest.compress.trees import build_trees
from h3cold.ingest.store import ColdStore
from h3cold.ingest.store.arrays import map_arrays
from h3cold.ingest.store.make import make_store
from h3cold.ingest.store.writer import open_writer
from h3cold.schemas.errors import CorruptionError


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(stage, "LEAST", 60)
    monkeypatch.setattr(stage, "LEAST_PAIRS", 20)
    monkeypatch.setattr(stage, "NEW", 10)
    monkeypatch.setattr(training, "STEPS", 8)


def test_a_store_gets_summaries_that_keep_sections_together(tmp_path, small):
    store = make_store(tmp_path / "s", blocks(6), embedder=Toy())
    network, notes = read_network(store.index_path("summaries.network"))
    arrays, _ = map_arrays(store.index_path("summaries"))
    assert arrays["codes"].shape == (144, BYTES)
    assert parameters(network) < 1_000_000 and network.third.shape[1] == SUMMARY
    assert notes["same section"][0] > notes["different documents"][0] + 0.2
    assert 0.5 < notes["retained"] <= 1 and notes["pca"] == SIZE
    assert "512 numbers" in store.manifest.models["summaries"]
    assert store.verify() == []


@pytest.mark.parametrize("documents", [1, 3])
def test_documents_without_headings_have_summaries_though_nothing_is_held_out(tmp_path, small, documents):
    plain = [replace(block, headings=()) for block in blocks(documents, each=96)]
    store = make_store(tmp_path / "s", plain, embedder=Toy())
    assert store.manifest.models["summaries"].startswith("512 numbers")
    _, notes = read_network(store.index_path("summaries.network"))
    assert 0.05 <= notes["slope"] <= 1 and ("different documents" in notes) == (documents > 1)


def test_the_same_store_gets_the_same_summaries(tmp_path, small):
    one, two = (make_store(tmp_path / name, blocks(4), embedder=Toy()) for name in "ab")
    for role in ("summaries", "summaries.network"):
        assert one.index_path(role).read_bytes() == two.index_path(role).read_bytes()


def again(store, extra, *, dimensions=128):
    """The stage run once more, on a store that `extra` documents were added to."""
    with open_writer(store.path, text_dimension=SIZE) as writer:
        if extra:
            other = make_store(store.path.parent / f"extra{len(extra)}", extra, embedder=Toy())
            with open_writer(other.path, text_dimension=SIZE) as source:
                writer.take_over(source, {b.document for b in extra})
        from h3cold.ingest.store.indexes import build_blocks_index

        index = build_blocks_index(writer.path, writer.table("blocks"), snapshot=writer.number(), kind="Flat")
        former = writer.base.index
        made = build_summaries(writer, dimensions=dimensions, embedder="toy", former=former)
        index |= made.files | build_trees(writer, made.files, former)
        writer.publish(root="", config="", models={"summaries": made.status}, index=index, keep_days=9)
    return ColdStore.open(store.path), made


def build_anew(store, former):
    """The trees made once more, taking over what `former` has."""
    with open_writer(store.path, text_dimension=SIZE) as writer:
        own = {role: store.manifest.index[role] for role in stage.ROLES}
        return build_trees(writer, own, former)["trees"]


def test_new_blocks_get_summaries_without_learning_anew(tmp_path, small):
    store = make_store(tmp_path / "s", blocks(6), embedder=Toy())
    before, _ = map_arrays(store.index_path("summaries"))
    codes = np.array(before["codes"])
    later, made = again(store, blocks(1, shift=3000, each=8))
    after, _ = map_arrays(later.index_path("summaries"))
    assert later.manifest.index["summaries.network"] == store.manifest.index["summaries.network"]
    assert np.array_equal(after["codes"][:144], codes) and len(after["codes"]) == 152
    assert after["taught"].sum() == 144 and "anew" not in made.status
    kept, whole = (map_arrays(later.path / build_anew(later, former))[0] for former in (later.manifest.index, {}))
    assert all(np.array_equal(kept[name], whole[name]) for name in whole)
    network, _ = read_network(later.index_path("summaries.network"))
    last = blocks(1, shift=3000, each=8)[0]
    from h3cold.ingest.blocks import indexed_text
    from h3cold.schemas.document import DocumentInfo

    runs = unpacked(packed(Toy().passage_states([indexed_text(DocumentInfo(), last)])[1][0]), SIZE)[0]
    assert np.array_equal(coded(network.grid, summaries(network, [runs]))[0], after["codes"][144])


def test_text_of_another_kind_is_noticed_and_learned(tmp_path, small):
    store = make_store(tmp_path / "s", blocks(6), embedder=Toy())
    later, made = again(store, blocks(8, shift=50))
    assert "learned anew" in made.status
    assert later.manifest.index["summaries.network"] != store.manifest.index["summaries.network"]


def test_drift_is_text_that_the_projection_keeps_worse():
    taught = np.array([True] * 900 + [False] * 300)
    spread = np.stack([np.ones(1200), np.where(taught, 0.1, 0.12)], axis=1).astype(np.float32)
    notes = {"retained": 0.9}
    assert not drifted({"taught": taught, "spread": spread}, notes)
    spread[900:, 1] = 0.14
    assert drifted({"taught": taught, "spread": spread}, notes)
    assert not drifted({"taught": taught[:1000], "spread": spread[:1000]}, notes), "too few new ones to tell"
    assert drifted({"taught": ~taught, "spread": np.stack([np.ones(1200), np.zeros(1200)], axis=1)}, notes)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_small_store_says_so_and_has_none(tmp_path, count):
    store = make_store(tmp_path / "s", blocks(count), embedder=Toy())
    assert "summaries" not in store.manifest.index
    assert f"here are {24 * count}; the full vectors are used" in store.manifest.models["summaries"]


def test_a_model_without_token_vectors_is_named_as_the_reason(tmp_path, small):
    class Plain:
        id, dimension = "plain", SIZE

        def passages(self, texts):
            return Toy().passages(texts)

    store = make_store(tmp_path / "s", blocks(6), embedder=Plain())
    assert "144 of 144 blocks have no token vectors" in store.manifest.models["summaries"]


def test_a_damaged_calibration_is_made_anew(tmp_path, small):
    store = make_store(tmp_path / "s", blocks(6), embedder=Toy())
    path = store.path / store.manifest.index["summaries.network"]
    whole = path.read_bytes()
    path.write_bytes(whole[:-40] + b"\xff" * 40)
    later, made = again(store, [])
    assert "512 numbers" in made.status
    assert later.index_path("summaries.network").read_bytes() == whole


def test_another_number_of_dimensions_is_calibrated_for(tmp_path, small):
    store = make_store(tmp_path / "s", blocks(6), embedder=Toy())
    later, _ = again(store, [], dimensions=16)
    network, notes = read_network(later.index_path("summaries.network"))
    assert network.basis.shape == (SIZE, 16) and notes["pca"] == 16


@pytest.mark.parametrize("what", ["shape", "number", "bytes", "missing"])
def test_a_calibration_that_is_none_is_refused(tmp_path, what):
    draw = np.random.default_rng(0)
    runs = draw.standard_normal((40, SIZE)).astype(np.float32)
    starts = np.arange(41)
    pairs = np.stack([np.arange(0, 40, 2), np.arange(1, 40, 2)], axis=1)
    basis = principal(runs, 16)
    network = learn_network(Lesson(runs, starts, np.arange(40) // 2, np.zeros(40, np.int64), pairs), basis, steps=1)
    path = tmp_path / "network"
    if what == "shape":
        network = network._replace(gate=network.gate[:-1])
    elif what == "number":
        network = network._replace(gate=np.full_like(network.gate, np.nan))
    elif what == "missing":
        write_network(path, network, {})
    if what != "missing":
        write_network(path, network, {"dimension": SIZE})
    if what == "bytes":
        path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(CorruptionError, match=r"repair|rebuild"):
        read_network(path)


@given(st.integers(1, 600), st.integers(1, 9))
def test_runs_cover_every_token(tokens, dimension):
    states = np.arange(tokens * dimension, dtype=np.float32).reshape(tokens, dimension) / 7
    runs = runs_of(states)
    assert len(runs) == -(-tokens // RUN)
    assert np.allclose(runs.mean(axis=0), states.mean(axis=0), rtol=0.1, atol=states.max() / 8)


@settings(max_examples=40)
@given(arrays(np.float32, st.tuples(st.integers(1, 90), st.just(8)), elements=st.floats(-50, 50, width=32)))
def test_what_is_kept_of_tokens_comes_back_nearly_as_it_was(states):
    runs, drawn = unpacked(packed(states), 8)
    expected = runs_of(states)
    assert drawn.shape == (DRAWN, 8)
    assert (np.abs(runs - expected) <= np.abs(expected).max(axis=1, keepdims=True) / 120 + 1e-4).all()


@pytest.mark.parametrize("data", [b"", b"abc", b"\0" * 50 * DRAWN])
def test_bytes_that_are_no_runs_are_refused(data):
    with pytest.raises(ValueError, match="no runs"):
        unpacked(data, SIZE)


def test_paths_are_below_the_store(tmp_path, small):
    store = make_store(tmp_path / "s", blocks(4), embedder=Toy())
    assert not any(Path(store.manifest.index[role]).is_absolute() for role in stage.ROLES)


def test_summaries_of_other_blocks_are_found_out(tmp_path, small):
    store = make_store(tmp_path / "s", blocks(4), embedder=Toy())
    other = make_store(tmp_path / "o", blocks(4, shift=90), embedder=Toy())
    for role in ("summaries", "trees"):
        store.index_path(role).write_bytes(other.index_path(role).read_bytes())
        (store.path / "meta" / "checksums.json").unlink(missing_ok=True)
    found = "\n".join(ColdStore.open(store.path).verify())
    assert "index summaries: its blocks are not those of the table" in found
    assert "index trees: its blocks are not those of the table" in found


@pytest.mark.parametrize("fall", [0.0, 0.5, 1.0, 3.0])
def test_a_code_is_near_to_what_it_was_made_of(fall):
    draw = np.random.default_rng(4)
    usual = ((1 + np.arange(SUMMARY)) ** -fall).astype(np.float32)
    vectors = draw.standard_normal((400, SUMMARY)).astype(np.float32) * usual + 2 * usual
    grid = fitted(vectors)
    assert grid.bits.sum() == 8 * BYTES and grid.bits.max() <= 8
    codes = coded(grid, vectors)
    assert codes.shape == (400, BYTES) and codes.dtype == np.uint8
    found, whole = decoded(grid, codes), vectors[:, : len(grid.mean)]
    lost = ((found - whole) ** 2).sum() / ((whole - whole.mean(axis=0)) ** 2).sum()
    assert lost < (0.06 if fall < 1 else 0.02)
    query = draw.standard_normal(len(grid.mean)).astype(np.float32)
    assert np.allclose(products(grid, codes, query), found @ query, atol=1e-3)


def test_searching_keeps_less_of_the_network_and_makes_the_same_of_it(tmp_path, small):
    store = make_store(tmp_path / "s", blocks(6), embedder=Toy())
    network, _ = read_network(store.index_path("summaries.network"))
    small_one = leading(network)
    assert small_one.nbytes < store.index_path("summaries.network").stat().st_size / 2
    runs = [np.stack([Toy().word(f"3x{i}"), Toy().word(f"9x{i}")]).astype(np.float32) for i in range(20)]
    whole = summaries(network, runs)[:, : len(network.grid.mean)]
    short = summaries(small_one.network(), runs)
    assert np.allclose(np.linalg.norm(short, axis=1), 1, atol=1e-5)
    whole /= np.linalg.norm(whole, axis=1, keepdims=True)
    assert (short * whole).sum(axis=1).min() > 0.9999

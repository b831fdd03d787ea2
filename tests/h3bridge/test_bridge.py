"""Promotion of real hits from a real store."""

import json
import shutil
from dataclasses import replace

import lance
import numpy as np
import pytest

from h3cold.h3bridge import Bridge, H3Engine
from h3cold.h3bridge.engine import GB, STATE_FILE
from h3cold.h3bridge.frames import ALIGN
from h3cold.h3bridge.summary_target import SummaryTarget
from h3cold.ingest.store.files import seal
from h3cold.recall import ColdTier
from h3cold.schemas.block import block_id
from h3cold.schemas.errors import PromotionError
from h3cold.schemas.tier import Tier


@pytest.fixture
def tier(example_store):
    with ColdTier.open(example_store) as opened:
        yield opened


@pytest.fixture
def engine(tmp_path):
    return H3Engine(hbm_size_gb=4 * ALIGN / GB, hbf_size_gb=40 * ALIGN / GB, cold_storage_path=tmp_path)


def test_hits_become_warm_and_read_as_they_were_recalled(tier, engine):
    hits = tier.recall("What did the Environmental Protection Agency fine?", top=5)
    done = Bridge(tier, engine).promote(hits)
    assert [p.block for p in done] == [h.block for h in hits]
    assert all(p.tier in (Tier.HBM, Tier.HBF) for p in done)
    assert any(p.tier is Tier.HBM for p in done)
    for hit in hits:
        assert engine.read(hit.block).decode() == tier.store.blocks([hit.block])[0].captioned
    assert (engine.cold_path / STATE_FILE).exists()


def test_reading_on_fetches_what_follows(tier, engine):
    document = next(d for d, row in tier.store.documents().items() if row["source"].startswith("larkspur"))
    run = tier.store.blocks([block_id(document, 3), block_id(document, 4)])
    hits = tier.recall("Larkspur", top=20, where={"document": document})
    neighbours = [h for h in hits if h.block in {b.id for b in run}]
    assert neighbours, "the store's own hits are what is promoted"
    Bridge(tier, engine).promote([replace(hits[0], block=b.id) for b in run])
    ahead = [block_id(document, i) for i in range(5, 9)]
    assert all(engine.tier_of(b) is Tier.HBF for b in ahead)
    assert engine.tier_of(block_id(document, 10)) is Tier.COLD
    state = json.loads((engine.cold_path / STATE_FILE).read_text())
    assert (state["mean_request"], state["prefetch_window"]) == (2, 5)
    later = H3Engine(hbm_size_gb=4 * ALIGN / GB, hbf_size_gb=40 * ALIGN / GB, cold_storage_path=engine.cold_path)
    assert later.prefetch_window == 5


def test_summaries_of_hits_are_searched_in_the_middle_tier(tier, engine):
    hits = tier.recall("What did the Environmental Protection Agency fine?", top=5)
    vectors = {row["id"]: np.asarray(row["vector"], dtype=np.float32)
               for row in tier.store.rows("blocks", "id", [h.block for h in hits], ["id", "vector"])}  # fmt: skip
    dimensions = len(vectors[hits[0].block])
    with SummaryTarget(engine, embedder="e5-small", dimensions=dimensions) as target:
        tickets = Bridge(tier, engine).promote_summaries(hits, target)
        assert all(target.wait(ticket).tier is Tier.HBF for ticket in tickets)
        found = target.search(vectors[hits[3].block])
    assert found[0] == (hits[3].block, pytest.approx(1.0, abs=1e-5))
    assert {name for name, _ in found} == vectors.keys()
    assert engine.residency()[0].blocks == (), "nothing of it is for a model"


def test_a_document_s_end_stops_the_reading_ahead(tier, engine):
    document, row = next(iter(tier.store.documents().items()))
    hit = tier.recall("the", top=1, intent="text", where={"document": document})[0]
    last = [replace(hit, block=block_id(document, i)) for i in (row["blocks"] - 2, row["blocks"] - 1)]
    Bridge(tier, engine).promote(last)
    assert sum(len(r.blocks) for r in engine.residency()) == 2


def test_a_hit_of_a_block_that_is_gone_is_a_clear_error(tier, engine):
    hit = replace(tier.recall("Larkspur", top=1)[0], block="0" * 32 + "-00000-c1")
    good = tier.recall("Larkspur", top=1)[0]
    with pytest.raises(PromotionError, match="recall again"):
        Bridge(tier, engine).promote([good, hit])
    assert engine.tier_of(good.block) is Tier.COLD


def test_a_hit_of_another_store_is_refused_before_anything_moves(tier, engine):
    good, other = tier.recall("Larkspur", top=2)
    stranger = replace(other, source="elsewhere/report.pdf")
    with pytest.raises(PromotionError, match="another store's"):
        Bridge(tier, engine).promote([good, stranger])
    assert engine.tier_of(good.block) is Tier.COLD
    assert engine.scheduler.tick == 0


def test_prompts_of_the_same_hits_share_their_beginning(tier, engine):
    hits = tier.recall("Larkspur", top=3)
    bridge = Bridge(tier, engine)
    one, other = bridge.prompt(hits, "Who?", system="Answer."), bridge.prompt(hits[::-1], "When?", system="Answer.")
    assert one.prefix == other.prefix
    assert one.text == f"{one.prefix}Who?"
    assert all(hit.text in one.prefix for hit in hits)


def test_nothing_recalled_is_nothing_promoted(tier, engine):
    assert Bridge(tier, engine).promote([]) == []
    assert engine.scheduler.tick == 0


def test_a_store_that_cannot_be_written_to_still_serves(tier, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    engine = H3Engine(hbm_size_gb=1, hbf_size_gb=1, cold_storage_path=blocked)
    assert Bridge(tier, engine).promote(tier.recall("Larkspur", top=1))[0].tier is Tier.HBM
    assert not engine.save()


def test_a_block_damaged_in_the_store_is_not_promoted(example_store, tmp_path, engine):
    """Text that is not what was written is found when it crosses into HBF."""
    store = tmp_path / "h3_cold"
    shutil.copytree(example_store, store)
    with ColdTier.open(store) as tier:
        hit = tier.recall("Environmental Protection Agency", top=1)[0]
        blocks = tier.store.table("blocks")
        blocks.checkout_version(blocks.version).update({"text": "'another text'"}, where=f"id = '{hit.block}'")
        manifest = json.loads((store / "manifest.json").read_text())
        manifest["tables"]["blocks"] = lance.dataset(store / "tables" / "blocks.lance").version
        (store / "manifest.json").write_text(json.dumps(seal({k: v for k, v in manifest.items() if k != "digest"})))
    with ColdTier.open(store) as tier, pytest.raises(PromotionError, match="digest does not fit"):
        Bridge(tier, engine).promote([hit])
    assert engine.tier_of(hit.block) is Tier.COLD

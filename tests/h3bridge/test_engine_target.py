"""Promotion by queue: bounded, demand first, one load a key, cancelled and leased, and nothing leaks."""

import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.h3bridge.engine import GB, H3Engine
from h3cold.h3bridge.engine_target import EngineTarget
from h3cold.h3bridge.frames import ALIGN, Kind, namespace
from h3cold.h3bridge.monitor import scheduler_state
from h3cold.h3bridge.protocol import Busy, Payload, State, Ticket
from h3cold.schemas.errors import PromotionError
from h3cold.schemas.tier import Tier


@pytest.fixture
def engine(tmp_path):
    return H3Engine(hbm_size_gb=2 * ALIGN / GB, hbf_size_gb=6 * ALIGN / GB, cold_storage_path=tmp_path)


def payload(engine, key, load=None):
    return Payload(key, Kind.TEXT, engine.namespace, load or (lambda: key.encode()))


class Gate:
    """A slow tier: loads wait until the gate opens."""

    def __init__(self):
        self.open, self.entered, self.loads = threading.Event(), threading.Event(), []

    def __call__(self, key):
        def load():
            self.loads.append(key)
            self.entered.set()
            self.open.wait(10)
            return key.encode()

        return load


@pytest.fixture
def gate():
    made = Gate()
    yield made
    made.open.set()


def test_a_promotion_ends_in_the_tiers(engine):
    with EngineTarget(engine) as target:
        done = target.wait(target.promote(payload(engine, "a")))
        assert (done.state, done.tier) == (State.DONE, Tier.HBM)
        assert engine.read("a") == b"a"
        assert target.lookup(["a", "b"]) == {"a": Tier.HBM, "b": Tier.COLD}
        assert target.stats()["done"] == 1


def test_one_load_however_many_ask_and_demand_comes_first(engine, gate):
    with EngineTarget(engine) as target:
        first = target.promote(payload(engine, "first", gate("first")))
        assert gate.entered.wait(5)
        ahead = target.promote(payload(engine, "ahead", gate("ahead")), demand=False)
        demand = [target.promote(payload(engine, "demand", gate("demand"))) for _ in range(3)]
        gate.open.set()
        assert all(target.wait(t).state is State.DONE for t in [first, ahead, *demand])
    assert gate.loads == ["first", "demand", "ahead"]


def test_a_full_queue_is_busy_and_gives_way_to_demand_only(engine, gate):
    with EngineTarget(engine, queue=1) as target:
        target.promote(payload(engine, "loading", gate("loading")))
        assert gate.entered.wait(5)
        ahead = target.promote(payload(engine, "ahead"), demand=False)
        assert isinstance(target.promote(payload(engine, "more"), demand=False), Busy)
        target.promote(payload(engine, "demand"))
        assert target.poll(ahead).reason == "gave way to a demand"
        busy = target.promote(payload(engine, "another"))
        assert isinstance(busy, Busy)
        assert busy.retry_after > 0
        gate.open.set()


def test_cancelled_during_its_load_nothing_is_placed(engine, gate):
    with EngineTarget(engine) as target:
        ticket = target.promote(payload(engine, "a", gate("a")))
        assert gate.entered.wait(5)
        assert target.poll(ticket).state is State.LOADING
        assert target.cancel(ticket)
        assert not target.cancel(ticket)
        gate.open.set()
    assert target.poll(ticket).state is State.CANCELLED
    assert engine.tier_of("a") is Tier.COLD


def test_a_deadline_that_passes_in_the_queue_expires(engine, gate):
    with EngineTarget(engine) as target:
        target.promote(payload(engine, "slow", gate("slow")))
        assert gate.entered.wait(5)
        late = target.promote(payload(engine, "late"), deadline=0.0)
        time.sleep(0.01)
        gate.open.set()
        assert target.wait(late).state is State.EXPIRED
    assert engine.tier_of("late") is Tier.COLD


def test_a_load_that_fails_says_why_and_the_thread_goes_on(engine):
    def broken():
        raise RuntimeError("no such sector")

    with EngineTarget(engine) as target:
        failed = target.wait(target.promote(payload(engine, "a", broken)))
        assert (failed.state, failed.reason) == (State.FAILED, "RuntimeError: no such sector")
        assert target.wait(target.promote(payload(engine, "b"))).state is State.DONE


def test_a_loader_that_exits_does_not_take_the_thread_along(engine):
    def leaves():
        raise SystemExit(3)

    with EngineTarget(engine) as target:
        failed = target.wait(target.promote(payload(engine, "a", leaves)), timeout=5)
        assert (failed.state, failed.reason) == (State.FAILED, "SystemExit: 3")
        assert target.wait(target.promote(payload(engine, "b"))).state is State.DONE
        for asked in (target.poll, target.wait):
            with pytest.raises(PromotionError, match="not of this target"):
                asked(Ticket("zz", "a"))


def test_a_demand_that_joins_a_load_under_way_counts_as_demand(engine, gate):
    with EngineTarget(engine) as target:
        ahead = target.promote(payload(engine, "a", gate("a")), demand=False)
        assert gate.entered.wait(5)
        demand = target.promote(payload(engine, "a", gate("a")))
        gate.open.set()
        assert target.wait(demand).tier is target.wait(ahead).tier is Tier.HBM
    assert gate.loads == ["a"]
    assert engine.scheduler.heat("a") > 0


def test_what_is_asked_for_again_while_its_cancelled_load_ends_is_loaded(engine, gate):
    with EngineTarget(engine) as target:
        first = target.promote(payload(engine, "a", gate("a")))
        assert gate.entered.wait(5)
        target.cancel(first)
        again = target.promote(payload(engine, "a"))
        gate.open.set()
        assert target.wait(again).state is State.DONE
    assert engine.read("a") == b"a"


def test_what_is_not_this_engine_s_is_refused(engine):
    with EngineTarget(engine) as target:
        with pytest.raises(PromotionError, match="another model"):
            target.promote(Payload("a", Kind.TEXT, namespace("text", "llama"), bytes))
        with pytest.raises(PromotionError, match="another model"):
            target.promote(Payload("a", Kind.PAGE, engine.namespace, bytes))
        with pytest.raises(PromotionError, match="VECTOR is not for this target"):
            target.promote(Payload("a", Kind.VECTOR, engine.namespace, bytes))
    with pytest.raises(PromotionError, match="closed"):
        target.promote(payload(engine, "a"))


def test_a_lease_holds_until_it_is_released_or_runs_out(engine):
    with EngineTarget(engine) as target:
        target.wait(target.promote(payload(engine, "a")))
        lease = target.lease("a", "me", 60)
        assert not engine.evict("a")
        for _ in range(30):
            for key in ("b", "c", "d"):
                target.wait(target.promote(payload(engine, key)))
        assert engine.tier_of("a") is Tier.HBM
        target.release(lease)
        assert target.lease("a", "me", -1).expires < time.monotonic()
        assert engine.evict("a")
        assert target.lease("a", "me", 60) is None
        assert target.stats()["leases"] == 0


def test_a_killed_process_leaves_no_lease_and_no_byte(tmp_path):
    """It dies with a lease out and a load under way: the next engine on its store starts free, and knows the heat."""
    code = f"""
import time
from h3cold.h3bridge.engine import H3Engine
from h3cold.h3bridge.engine_target import EngineTarget
from h3cold.h3bridge.frames import Kind
from h3cold.h3bridge.protocol import Payload
engine = H3Engine(hbm_size_gb=1e-4, hbf_size_gb=1e-4, cold_storage_path={str(tmp_path)!r})
target = EngineTarget(engine)
target.wait(target.promote(Payload("a", Kind.TEXT, engine.namespace, lambda: b"a")))
target.lease("a", "me", 3600)
engine.save()
target.promote(Payload("b", Kind.TEXT, engine.namespace, lambda: time.sleep(60) or b"b"))
print("ready", flush=True)
time.sleep(60)
"""
    other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert other.stdout.readline() == b"ready\n"
    other.kill()
    other.wait()
    other.stdout.close()
    assert scheduler_state(tmp_path)["process"].startswith("ended")
    engine = H3Engine(hbm_size_gb=2 * ALIGN / GB, hbf_size_gb=6 * ALIGN / GB, cold_storage_path=tmp_path)
    assert engine.scheduler.heat("a") > 0
    assert all(r.used == 0 for r in engine.residency())
    with EngineTarget(engine) as target:
        assert target.stats()["leases"] == 0
        assert target.wait(target.promote(payload(engine, "a"))).tier is Tier.HBM
        assert engine.evict("a")


keys = st.sampled_from([f"k{i}" for i in range(9)])
steps = st.lists(st.tuples(st.sampled_from(["demand", "ahead", "cancel", "evict", "lease", "release"]), keys),
                 max_size=40)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(steps)
def test_no_sequence_leaks_a_byte_or_a_lease(tmp_path_factory, sequence):
    engine = H3Engine(hbm_size_gb=2 * ALIGN / GB, hbf_size_gb=4 * ALIGN / GB,
                      cold_storage_path=tmp_path_factory.getbasetemp())  # fmt: skip
    tickets, leases = [], []
    with EngineTarget(engine, queue=4) as target:
        for action, key in sequence:
            if action in ("demand", "ahead"):
                answer = target.promote(payload(engine, key), demand=action == "demand")
                tickets += [] if isinstance(answer, Busy) else [answer]
            elif action == "cancel" and tickets:
                target.cancel(tickets[-1])
            elif action == "evict":
                with engine.guard:
                    engine.evict(key)
            elif action == "lease":
                leases += [lease] if (lease := target.lease(key, "me", 60)) else []
            elif leases:
                target.release(leases.pop())
            with engine.guard:
                assert all(r.used <= r.budget for r in engine.residency())
        states = {target.wait(t).state for t in tickets}
        assert states <= {State.DONE, State.CANCELLED}
        for lease in leases:
            target.release(lease)
        assert target.stats()["leases"] == target.stats()["waiting"] == 0
    for resident in engine.residency():
        assert resident.used == ALIGN * len(resident.blocks)
        for block in resident.blocks:
            assert engine.read(block) == block.encode()
            assert engine.evict(block)
    assert all(r.used == 0 for r in engine.residency())

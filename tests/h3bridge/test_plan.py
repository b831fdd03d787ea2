"""Planning: known figures come out, files are checked, and the linear mapping is near the best one."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.h3bridge.cli_monitor import main as monitor
from h3cold.h3bridge.engine_setup import engine_from_memtier
from h3cold.h3bridge.memtier import MemTier, allocate, load_memtier, parse_bytes
from h3cold.h3bridge.model_sizes import read_model
from h3cold.h3bridge.placement import MEMORY_PAGE, Memory, Sublayer, exhaustive, place, step_seconds
from h3cold.h3bridge.plan import parse_tokens, plan
from h3cold.schemas.errors import ConfigError, UsageError
from h3cold.schemas.tier import Tier

CONF = """
[hbm]
type = hbm
capacity = 640GB   # eight accelerators
latency = 200ns
bandwidth = 26.8TB/s
[flash]
type = hbf
capacity = 4TiB
latency = 20us
"""
HBM = MemTier("hbm", "hbm", 100, 1e-7, 1000.0)
DRAM = MemTier("ram", "dram", 1000, 1e-7, 100.0)


def conf(tmp_path, text=CONF):
    path = tmp_path / "memtier.conf"
    path.write_text(text)
    return path


def test_the_known_figures_of_llama_405b(tmp_path):
    """405 GB of FP8 weights; 516 kB of keys and values a token, about 540 GB at 2^20 tokens."""
    model = read_model("Llama-3.1-405B")
    made = plan(model, 2**20, load_memtier(conf(tmp_path)))
    assert made["bytes"]["weights"] / 1e9 == pytest.approx(405, rel=0.005)
    assert made["bytes"]["kv_per_token"] == 516_096
    assert made["bytes"]["kv"] / 1e9 == pytest.approx(541, rel=0.005)
    assert plan(model, 1_000_000, load_memtier(conf(tmp_path)))["bytes"]["kv"] == 516_096_000_000
    assert made["does_not_fit"] == {}
    assert sum(p["bytes"] for p in made["placement"] if p["tier"] == "hbm") == 640 * 10**9
    assert made["predicted"]["tokens_per_second_both_memories_at_once"] > made["predicted"]["tokens_per_second"] > 0
    assert read_model("llama-3.1-8b").kv_bytes(1, 2) == 128 * 1024
    assert read_model("llama-3.1-8b").parameters == 8_030_261_248


def test_what_does_not_fit_is_said(tmp_path):
    made = plan(read_model("llama-3.1-405b"), 10_000_000, load_memtier(conf(tmp_path)))
    assert made["does_not_fit"]["kv"] > 0
    assert made["predicted"]["tokens_per_second"] is None


def test_history_that_does_not_fit_is_said_and_the_rest_is_still_predicted(tmp_path, capsys):
    given = ["plan", "--model", "llama-3.1-8b", "--context", "1K", "--tiers", str(conf(tmp_path)), "--history"]
    assert monitor([*given, "90TB", "--json"]) == 3
    made = json.loads(capsys.readouterr().out)
    assert made["bytes"]["history"] == 90 * 10**12
    assert 0 < made["does_not_fit"]["history"] < 90 * 10**12
    assert made["predicted"]["tokens_per_second"] > 0
    assert monitor([*given, "90TB"]) == 3
    assert "fit nowhere" in capsys.readouterr().out
    assert monitor([*given, "1TB"]) == 0


@pytest.mark.parametrize(("prices", "cost"), [((2, 0), 2 * 8.0303), ((0, 0), 0.0), ((2, None), None)])
def test_the_cost_knows_what_is_free_from_what_has_no_price(prices, cost):
    tiers = [MemTier(kind, kind, 8_030_261_248, 1e-7, 1e12, price)
             for kind, price in zip(("hbm", "dram"), prices, strict=True)]  # fmt: skip
    made = plan(read_model("llama-3.1-8b"), 1000, tiers)
    assert made["placement"][1]["tier"] == "dram"
    assert made["cost"] == (None if cost is None else pytest.approx(cost, rel=1e-3))
    assert made["assumed"] == {"operations_per_second": 400e12, "bytes_per_second": {"hbm": 1e12, "dram": 1e12}}


@pytest.mark.parametrize(
    ("name", "parameters", "active", "kv"),
    [("mixtral-8x7b", 46.7, 12.9, 2 * 8 * 128), ("qwen3-30b-a3b", 30.5, 3.35, 2 * 4 * 128),
     ("qwen3-235b-a22b", 235.1, 22.2, 2 * 4 * 128), ("deepseek-v3", 671.0, 37.5, 576),
     ("gpt-oss-120b", 116.8, 5.7, 2 * 8 * 64)],
)  # fmt: skip
def test_the_published_figures_of_mixtures_of_experts(tmp_path, name, parameters, active, kv):
    """Billions of parameters, those a token uses, and numbers kept of a token in a layer."""
    model = read_model(name)
    assert model.parameters / 1e9 == pytest.approx(parameters, rel=0.002)
    assert model.active / 1e9 == pytest.approx(active, rel=0.005)
    assert model.kv_bytes(1, 2) == 2 * kv * model.layers
    made = plan(model, 1000, load_memtier(conf(tmp_path)))
    fast, large = 26.8e12, 1.6e12
    shares = {p["tier"]: p["share"] for p in made["placement"] if p["kind"] == "weights"}
    read = model.active * (shares["hbm"] / fast + shares.get("flash", 0) / large)
    in_flash = sum(p["bytes"] for p in made["placement"] if p["kind"] == "kv" and p["tier"] == "flash")
    step = read + in_flash / large + (made["bytes"]["kv"] - in_flash) / fast
    assert 1 / made["predicted"]["tokens_per_second"] == pytest.approx(step)


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "no tier"), ("[a]\ntype=hbm\nlatency=1ns", "capacity missing"), ("[a]\ntyp=hbm", "did you mean 'type'"),
     ("[a]\ntype=tape\ncapacity=1GB\nlatency=1s", "known: hbm"), ("[a]\ntype=hbm\ncapacity=much\nlatency=1s", "'much'"),
     ("[a]\ntype=hbm\ncapacity=0GB\nlatency=1s", "above 0"), ("capacity", "no section headers"),
     ("[a]\ntype=hbm\ncapacity=1GB\nlatency=1s\n[a]\n", "already exists"),
     (f"[a]\ntype=hbm\ncapacity={'9' * 400}GB\nlatency=1s", "no memory has"),
     ("[a]\ntype=hbm\ncapacity=1GB\nlatency=1s\nbandwidth=0.0001B/s", "above 0"),
     *((f"[a]\ntype=hbm\ncapacity=1GB\nlatency=1s\nprice={p}", "0 or more") for p in ("-5", "nan", "inf"))],
)  # fmt: skip
def test_a_wrong_memtier_conf_is_said_where(tmp_path, text, said):
    with pytest.raises(ConfigError, match=said):
        load_memtier(conf(tmp_path, text))


def test_sizes_and_tokens():
    assert parse_bytes("1.5 KiB") == 1536
    assert [parse_tokens(t) for t in ("4096", "128K", "1M", "1.5k")] == [4096, 128_000, 1_000_000, 1500]
    for wrong in ("many", "", "M", "²", "٣K", "0.0001", "0", "-5", "nan", "9" * 400, "9" * 25, "1.2.3"):
        with pytest.raises(UsageError, match="such as 4096"):
            parse_tokens(wrong)


def test_an_engine_takes_budgets_and_assumed_speeds_from_the_file(tmp_path):
    ssd = "[disk]\ntype = ssd\ncapacity = 8TB\nlatency = 80us\n"
    engine = engine_from_memtier(conf(tmp_path, CONF + ssd), cold_storage_path=tmp_path)
    assert [engine.tiers[t].budget for t in (Tier.HBM, Tier.HBF)] == [640 * 10**9, 4 * 1024**4]
    assert (engine.speeds.hbf.value, engine.speeds.cold.value) == (1.6e12, 7e9)
    engine.speeds.prefill.add(50_000, 1.0)
    assert engine.speeds.worth_loading(1000, 131_072, warm=False)
    engine.speeds.prefill.add(1e6, 1.0)
    assert not engine.speeds.worth_loading(1000, 131_072, warm=False)
    with pytest.raises(ConfigError, match="nothing could be kept warm"):
        engine_from_memtier(conf(tmp_path, ssd))


def test_each_kind_goes_where_it_belongs():
    shares = allocate({"weights": 80, "kv": 60}, [HBM, DRAM])
    assert [(s.kind, s.tier, s.bytes) for s in shares] == [("weights", "hbm", 80), ("kv", "hbm", 20), ("kv", "ram", 40)]


kinds = st.sampled_from(["attention", "qkv", "fc"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(kinds, st.integers(1, 5)), min_size=1, max_size=5), st.integers(0, 12), st.floats(2, 20),
       st.floats(1, 3))  # fmt: skip
def test_the_linear_mapping_is_near_the_best(sizes, capacity, ratio, slow):
    sublayers = [Sublayer(kind, pages * MEMORY_PAGE) for kind, pages in sizes]
    fast = Memory(capacity * MEMORY_PAGE, ratio * 1e9, {})
    large = Memory(100 * MEMORY_PAGE, 1e9, {"attention": slow})
    ours, best = place(sublayers, fast, large), exhaustive(sublayers, fast, large)
    assert sum(ours) <= capacity
    assert step_seconds(sublayers, best, fast, large) >= 0.95 * step_seconds(sublayers, ours, fast, large)


def test_the_fast_memory_takes_what_the_large_one_cannot():
    sublayers = [Sublayer("fc", 4 * MEMORY_PAGE), Sublayer("attention", 4 * MEMORY_PAGE)]
    fast, large = Memory(7 * MEMORY_PAGE, 1e9, {}), Memory(MEMORY_PAGE, 1e9, {})
    assert sum(place(sublayers, fast, large)) == 7
    with pytest.raises(ValueError, match="do not fit"):
        place(sublayers, Memory(0, 1e9, {}), large)


def test_the_plan_on_the_command_line(tmp_path, capsys):
    given = ["plan", "--model", "llama-3.1-405b", "--tiers", str(conf(tmp_path)), "--context"]
    assert monitor([*given, "1M"]) == 0
    out = capsys.readouterr().out
    assert "405.9 GB" in out
    assert "516,096 bytes a token" in out
    assert monitor([*given, "1M", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bytes"]["kv"] == 516_096_000_000
    assert monitor([*given, "90M"]) == 3
    assert "fit nowhere" in capsys.readouterr().out
    assert monitor([*given, "lots"]) == 2
    assert "such as 4096" in capsys.readouterr().err

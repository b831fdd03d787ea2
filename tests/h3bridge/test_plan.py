"""Planning: known figures come out, files are checked, and the linear mapping is near the best one."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.h3bridge.cli_monitor import main as monitor
from h3cold.h3bridge.memtier import MemTier, allocate, load_memtier, parse_bytes, prefetch_window
from h3cold.h3bridge.placement import MEMORY_PAGE, Memory, Sublayer, exhaustive, place, step_seconds
from h3cold.h3bridge.plan import parse_tokens, plan, read_model
from h3cold.schemas.errors import ConfigError, UsageError

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


def test_a_config_json_is_read(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"hidden_size": 64, "intermediate_size": 96, "vocab_size": 97,
        "num_hidden_layers": 2, "num_attention_heads": 4, "tie_word_embeddings": True}))  # fmt: skip
    model = read_model(str(tmp_path))
    assert (model.kv_heads, model.head_dim) == (4, 16)
    assert model.parameters == 2 * (64 * 64 * 4 + 3 * 64 * 96 + 128) + 97 * 64 + 64
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(UsageError, match="no decoder's"):
        read_model(str(tmp_path))
    with pytest.raises(UsageError, match="presets: llama"):
        read_model("gpt-9")


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "no tier"), ("[a]\ntype=hbm\nlatency=1ns", "capacity missing"), ("[a]\ntyp=hbm", "did you mean 'type'"),
     ("[a]\ntype=tape\ncapacity=1GB\nlatency=1s", "known: hbm"), ("[a]\ntype=hbm\ncapacity=much\nlatency=1s", "'much'"),
     ("[a]\ntype=hbm\ncapacity=0GB\nlatency=1s", "above 0"), ("capacity", "no section headers"),
     ("[a]\ntype=hbm\ncapacity=1GB\nlatency=1s\n[a]\n", "already exists")],
)  # fmt: skip
def test_a_wrong_memtier_conf_is_said_where(tmp_path, text, said):
    with pytest.raises(ConfigError, match=said):
        load_memtier(conf(tmp_path, text))


def test_sizes_tokens_and_windows():
    assert parse_bytes("1.5 KiB") == 1536
    assert [parse_tokens(t) for t in ("4096", "128K", "1M", "1.5k")] == [4096, 128_000, 1_000_000, 1500]
    with pytest.raises(UsageError, match="such as 4096"):
        parse_tokens("many")
    assert prefetch_window([4, 4, 4]) == 10
    assert prefetch_window([]) == 1


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

"""The plan as people read it."""

import re

from h3cold.h3bridge.cli_monitor import main as monitor

CONF = "[hbm]\ntype = hbm\ncapacity = 640GB\nbandwidth = 26.8TB/s\nlatency = 200ns\nprice = 2\n"


def planned(tmp_path, capsys, model, context):
    path = tmp_path / "memtier.conf"
    path.write_text(CONF)
    status = monitor(["plan", "--model", model, "--context", context, "--tiers", str(path)])
    return status, capsys.readouterr().out


def test_the_cost_is_told_with_what_it_is_in_and_one_memory_is_said(tmp_path, capsys):
    status, out = planned(tmp_path, capsys, "llama-3.1-8b", "1K")
    assert status == 0
    assert "cost of the bytes placed: 16.3, in the currency of the tiers' prices (per GB)" in out
    assert re.search(r"two fastest read at once +none: there are no two tiers", out)
    assert re.search(r"KV cache read +[0-9.,e-]+ s\n", out)


def test_speeds_of_what_does_not_fit_say_so(tmp_path, capsys):
    status, out = planned(tmp_path, capsys, "llama-3.1-405b", "90M")
    assert status == 3
    assert re.search(r"KV cache read +none: weights and KV cache do not fit\n", out)
    assert re.search(r"all computed +[0-9.,]+ s\n", out)
    assert not re.search(r" - | -$", out, re.M)

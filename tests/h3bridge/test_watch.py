"""A scheduled build is followed from its first batch to its publication, whatever time passes between its steps."""

import io
import json
import os
import threading
import time

import pytest

from h3cold.h3bridge import watch as watching
from h3cold.h3bridge.cli_monitor import main as monitor
from h3cold.h3bridge.watch import QUIET, line_of, live_states, watch
from h3cold.ingest.live import Live
from h3cold.ingest.progress import Silent
from h3cold.recall.cli import main as recall


def wait_for(said, words):
    until = time.monotonic() + 60
    while words not in said.getvalue():
        assert time.monotonic() < until, said.getvalue()
        time.sleep(0.01)


@pytest.mark.parametrize("as_json", [False, True])
def test_between_two_steps_it_waits(tmp_path, monkeypatch, as_json):
    monkeypatch.setattr(watching, "SECONDS", 0.02)
    batch = tmp_path / "meta" / "batches" / "ab12"
    batch.mkdir(parents=True)
    (batch / "batch.json").write_text("{}")
    said, ended = io.StringIO(), []
    thread = threading.Thread(target=lambda: ended.append(watch(tmp_path, said, as_json=as_json)))
    thread.start()
    wait_for(said, "waiting")
    (batch / "meta").mkdir()
    with Live(Silent()).written(batch):
        wait_for(said, "ab12")
    with Live(Silent()).written(tmp_path):
        (batch / "meta" / "live.json").unlink()
        (batch / "meta").rmdir()
        (batch / "batch.json").unlink()
        batch.rmdir()
        wait_for(said, '"build": "build"' if as_json else "build running")
    thread.join(60)
    assert ended == [0]
    lines = said.getvalue().splitlines()
    if as_json:
        assert {json.loads(line)["state"] for line in lines} == {"waiting", "running", "done"}
    else:
        assert "batches waiting: 1 to be indexed or published" in lines[0]
        assert lines[-1] == "the build is done"


def test_a_line_says_what_its_figures_are():
    state = Live(Silent()).state() | {"state": "running", "seconds_left": 0.2}
    state |= {"memory_mb": {"main": 586, "workers": [1231, 1229]}, "pages": {"read": 7, "expected": 20, "exact": False}}
    line = line_of("build", state)
    assert "memory 586 MB and 2,460 MB of workers" in line and "7 of about 20 pages" in line
    assert "a few seconds left" in line
    assert "7 of 20 pages" in line_of("build", state | {"pages": {"read": 7, "expected": 20, "exact": True}})


def test_batches_that_nobody_goes_on_with_are_not_waited_for(tmp_path):
    (tmp_path / "meta").mkdir()
    with Live(Silent()).written(tmp_path):
        pass
    path = tmp_path / "meta" / "batches" / "ab12" / "batch.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    assert live_states(tmp_path) == {"batches": {"state": "waiting", "count": 1}}
    os.utime(path, (time.time() - 2 * QUIET,) * 2)
    assert list(live_states(tmp_path)) == ["build"]


def asked_of(store, capsys):
    """What recall and the monitor say of a store that has no snapshot."""
    for command in (lambda: recall(["steel", "--store", str(store)]), lambda: monitor(["--store", str(store)])):
        assert command() == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        yield said


@pytest.mark.parametrize("where", ["", "meta/batches/ab12"])
def test_a_first_build_that_is_under_way_or_was_interrupted_is_told(tmp_path, capsys, where):
    (tmp_path / where / "meta").mkdir(parents=True)
    with pytest.raises(KeyboardInterrupt), Live(Silent()).written(tmp_path / where):
        for said in asked_of(tmp_path, capsys):
            assert "under way" in said and f"h3-monitor --store {tmp_path} --watch" in said
        raise KeyboardInterrupt
    for said in asked_of(tmp_path, capsys):
        assert f"h3-index-builder --path FOLDER --store {tmp_path} again" in said


def test_a_folder_into_which_nothing_was_ever_built_is_no_store(tmp_path, capsys):
    for said in asked_of(tmp_path, capsys):
        assert "no cold store here; make one" in said

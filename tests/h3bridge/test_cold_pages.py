"""Pages in files: published whole, shared by processes, swept after dead ones, quarantined when damaged."""

import os
import signal
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.h3bridge import frames
from h3cold.h3bridge.cold_pages import ColdPages
from h3cold.h3bridge.serving import page_chain
from h3cold.schemas.errors import PromotionError

SPACE = frames.namespace("kv", "test")


def page(key, payload=b"x" * 5000):
    return frames.Frame(key, SPACE, frames.Kind.PAGE, payload, (5, 1000), "uint8")


@given(payload=st.binary(max_size=9000), compress=st.booleans())
def test_what_is_stored_comes_back(tmp_path_factory, payload, compress):
    cold = ColdPages(tmp_path_factory.mktemp("cold"), SPACE, compress=compress)
    cold.put(page("a", payload))
    found = cold.get("a")
    assert (bytes(found.payload), found.shape, found.dtype) == (payload, (5, 1000), "uint8")
    assert cold.get("b") is None
    assert "a" in cold


def test_packing_saves_whole_frames_and_incompressible_pages_stay_plain(tmp_path):
    cold = ColdPages(tmp_path, SPACE)
    assert cold.put(page("zeros", bytes(300_000))) == frames.PAGE_ALIGN
    assert cold.put(page("noise", os.urandom(300_000))) == 5 * frames.PAGE_ALIGN
    assert cold.put(page("zeros", bytes(300_000))) == 0, "it is there already"


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "swap", "other namespace"])
def test_a_damaged_page_is_a_miss_and_can_be_written_anew(tmp_path, damage):
    cold = ColdPages(tmp_path, SPACE)
    cold.put(page("a"))
    cold.put(page("b", b"y" * 5000))
    file = cold._path("a", session=False)
    data = bytearray(file.read_bytes())
    if damage == "flip":
        data[300] ^= 16
    elif damage == "cut":
        data = data[:-1]
    elif damage == "empty":
        data = bytearray()
    elif damage == "swap":
        data = bytearray(cold._path("b", session=False).read_bytes())
    else:
        data = bytearray(frames.encode(frames.Frame("a", frames.namespace("other"), frames.Kind.PAGE, b"z")))
    file.write_bytes(bytes(data))
    assert cold.get("a") is None
    assert cold.quarantined == 1
    assert len(list((tmp_path / "pages" / "quarantine").iterdir())) == 1
    cold.put(page("a"))
    assert bytes(cold.get("a").payload) == b"x" * 5000


def test_a_crash_between_write_and_publish_leaves_nothing_visible(tmp_path):
    """A process that ends after the draft is written, before it is renamed."""
    code = f"""
import os, pathlib
from h3cold.h3bridge import frames
from h3cold.h3bridge.cold_pages import ColdPages
pathlib.Path.replace = lambda self, target: os._exit(9)
ColdPages(pathlib.Path({str(tmp_path)!r}), {SPACE!r}).put(frames.Frame("a", {SPACE!r}, frames.Kind.PAGE, b"x"))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    cold = ColdPages(tmp_path, SPACE)
    assert cold.get("a") is None
    assert list(tmp_path.rglob("*.tmp"))
    cold.sweep()
    assert not list(tmp_path.rglob("*.tmp"))
    assert cold.put(page("a"))


def test_a_killed_process_s_session_is_swept_and_a_living_one_s_is_not(tmp_path):
    code = f"""
import pathlib, time
from h3cold.h3bridge import frames
from h3cold.h3bridge.cold_pages import ColdPages
cold = ColdPages(pathlib.Path({str(tmp_path)!r}), {SPACE!r})
cold.put(frames.Frame("a", {SPACE!r}, frames.Kind.PAGE, b"x"), session=True)
print("ready", flush=True)
time.sleep(60)
"""
    other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert other.stdout.readline() == b"ready\n"
    cold = ColdPages(tmp_path, SPACE)
    assert cold.sweep() == 0
    assert len(list(tmp_path.rglob("sessions/*/*.frame"))) == 1
    other.send_signal(signal.SIGKILL)
    other.wait()
    other.stdout.close()
    assert cold.sweep() == 1
    assert not list(tmp_path.rglob("sessions/*"))


def test_two_processes_write_and_read_one_store(tmp_path):
    code = f"""
import pathlib, sys
from h3cold.h3bridge import frames
from h3cold.h3bridge.cold_pages import ColdPages
cold = ColdPages(pathlib.Path({str(tmp_path)!r}), {SPACE!r})
for turn in range(3):
    for i in range(15):
        key = f"k{{i}}"
        frame = cold.get(key)
        assert frame is None or bytes(frame.payload) == key.encode() * 900, key
        cold.put(frames.Frame(key, {SPACE!r}, frames.Kind.PAGE, key.encode() * 900))
assert cold.quarantined == 0
"""
    runs = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert [run.wait(60) for run in runs] == [0, 0]
    cold = ColdPages(tmp_path, SPACE)
    assert all(bytes(cold.get(f"k{i}").payload) == f"k{i}".encode() * 900 for i in range(15))


def test_without_a_store_or_room_it_is_said(tmp_path):
    with pytest.raises(PromotionError, match="no cold store here"):
        ColdPages(tmp_path / "typo", SPACE).put(page("a"))
    assert not (tmp_path / "typo").exists()
    (tmp_path / "pages").write_text("in the way")
    with pytest.raises(PromotionError, match="cannot be written"):
        ColdPages(tmp_path, SPACE).put(page("a"))


def test_closing_a_session_removes_its_pages(tmp_path):
    cold = ColdPages(tmp_path, SPACE)
    cold.put(page("a"), session=True)
    cold.put(page("b"))
    cold.close()
    assert cold.get("b") is not None
    assert len(list(tmp_path.rglob("*.frame"))) == 1


def test_names_of_pages_do_not_depend_on_the_hash_seed():
    code = "from h3cold.h3bridge.serving import page_chain; print(page_chain(range(40)))"
    runs = {
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True,
                       check=True).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(runs) == 1
    assert len(page_chain(range(40))) == 2
    assert page_chain([1, *range(1, 40)])[1] != page_chain(range(40))[1]

"""h3-monitor and h3-benchmark as they are called."""

import json
import os
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import pytest

from h3cold.h3bridge import Bridge, H3Engine
from h3cold.h3bridge.cli_benchmark import main as benchmark
from h3cold.h3bridge.cli_monitor import main as monitor
from h3cold.h3bridge.cli_monitor import size_of
from h3cold.h3bridge.engine import STATE_FILE
from h3cold.h3bridge.monitor import numberless
from h3cold.recall import ColdTier


def said(capsys, command, *arguments):
    status = command(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_report_counts_what_the_store_holds(capsys, example_store, examples):
    status, out, _ = said(capsys, monitor, "--store", str(example_store), "--json")
    report = json.loads(out)
    assert status == 0
    assert report["documents"]["failed"] >= 1
    assert report["pages_by_route"]["ocr"] == sum(d.scanned for d in examples.truth.documents)
    reasons = report["route_reasons"]
    assert all(set(row) == {"route", "reason", "pages"} for row in reasons)
    assert sum(row["pages"] for row in reasons if row["reason"] == "no text, only a picture") == report[
        "pages_by_route"]["ocr"]  # fmt: skip
    assert len({(row["route"], row["reason"]) for row in reasons}) == len(reasons)
    assert "no weights" in report["models"]["images"]
    assert any(f["source"] == "board_minutes_encrypted.pdf" for f in report["failures"])
    assert sum(report["bytes"].values()) == sum(
        f.stat().st_size for d in ("tables", "index") for f in (example_store / d).rglob("*") if f.is_file()
    )
    status, out, _ = said(capsys, monitor, "--store", str(example_store))
    assert status == 0
    assert "board_minutes_encrypted.pdf" in out


def test_the_report_tells_of_every_stage_and_of_the_snapshots(capsys, example_store):
    _, out, _ = said(capsys, monitor, "--store", str(example_store), "--json")
    report = json.loads(out)
    stages = {s["stage"]: s for s in report["stages"]}
    assert list(stages)[:5] == ["parse", "ocr", "blocks", "kg", "embed"]
    assert {"index", "summaries"} <= set(stages)
    assert stages["parse"]["done"] == f"{report['rows']['pages']} pages"
    assert all(s["seconds"] > 0 for s in stages.values())
    assert "embedder: " in stages["embed"]["models"]
    assert stages["ocr"]["done"] == f"{report['pages_by_route']['ocr']} pages"
    assert all(f"{engine}: confidence 0." in stages["ocr"]["models"] for engine in report["ocr"])
    assert report["snapshots"] == [
        {"snapshot": 1, "created": report["created"], "documents": report["rows"]["documents"],
         "blocks": report["rows"]["blocks"], "open": True}
    ]  # fmt: skip
    ocr = json.loads((example_store / "meta" / "ocr_status.json").read_text())
    assert 0 < ocr["seconds"] < stages["parse"]["seconds"]
    assert sum(e["pages"] for e in ocr["ocr"].values()) == report["pages_by_route"]["ocr"]
    for name, status in stages.items():
        told = json.loads((example_store / "meta" / f"{name}_status.json").read_text())
        assert (told["stage"], told["snapshot"], len(told.get("failures", ()))) == (name, 1, status["failed"])
    status, _, err = said(capsys, monitor, "--store", str(example_store), "--as-of", "7")
    assert (status, "no snapshot 7" in err) == (2, True)
    assert said(capsys, monitor, "--store", str(example_store), "--as-of", "1")[0] == 0


def test_reasons_add_up_whatever_they_count():
    said = ["1 line printed twice dropped", "2 lines printed twice dropped", "1 line read again by rapidocr",
            "12 lines read again by rapidocr", "1 of 2 content streams are not in the file",
            "turned by 90 degrees to be read", "14,000 vector paths: drawings not read"]  # fmt: skip
    assert list(dict.fromkeys(map(numberless, said))) == [
        "lines printed twice dropped", "lines read again by rapidocr", "content streams are not in the file",
        "turned by … degrees to be read", "vector paths: drawings not read",
    ]  # fmt: skip


def test_people_are_told_of_bytes_in_units_with_their_sum(capsys, example_store):
    report = json.loads(said(capsys, monitor, "--store", str(example_store), "--json")[1])
    _, out, _ = said(capsys, monitor, "--store", str(example_store))
    whole = sum(report["bytes"].values())
    assert [line.split()[1:-1] for line in out.splitlines() if "together" in line] == [
        ["together", "│", *size_of(whole).split()]
    ]
    assert f"{whole:,}" not in out and "open: the one that this report is about" in out
    assert [size_of(n) for n in (0, 999, 1000, 11_588_685, 2_000_000_000)] == [
        "0 bytes", "999 bytes", "1.0 kB", "11.6 MB", "2.0 GB",
    ]  # fmt: skip


def test_what_failed_is_counted_at_one_stage(capsys, example_store):
    report = json.loads(said(capsys, monitor, "--store", str(example_store), "--json")[1])
    assert {s["stage"]: s["failed"] for s in report["stages"] if s["failed"]} == {"parse": len(report["failures"])}


def test_a_build_is_watched_to_its_end(capsys, tmp_path, examples):
    """A real build in another process; the watcher tells of it while it runs and ends when it does."""
    (tmp_path / "in").mkdir()
    for file in sorted(examples.folder.rglob("*.pdf"), key=lambda f: f.stat().st_size)[:2]:
        shutil.copy(file, tmp_path / "in" / file.name)
    store = tmp_path / "s"
    status, _, err = said(capsys, monitor, "--store", str(tmp_path), "--watch")
    assert (status, "nothing was ever built here" in err) == (2, True)
    command = [sys.executable, "-m", "h3cold.ingest.cli_build", "--path", str(tmp_path / "in"), "--store", str(store)]
    build = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (store / "meta" / "live.json").exists():
        assert build.poll() is None
        time.sleep(0.05)
    status, out, _ = said(capsys, monitor, "--store", str(store), "--watch", "--json")
    assert (status, build.wait()) in ((0, 0), (0, 3))  # some examples are damaged on purpose
    states = [json.loads(line) for line in out.splitlines()]
    assert states[0]["state"] == "running" and states[-1]["state"] == "done"
    assert states[0]["pid"] == build.pid
    assert max(len(s["memory_mb"]["workers"]) for s in states) >= 1
    assert states[-1]["files"]["done"] == states[-1]["files"]["total"] > 0
    assert states[-1]["slowest_pages"]
    status, out, _ = said(capsys, monitor, "--store", str(store), "--watch")
    assert (status, "the build is done" in out) == (0, True)
    live = store / "meta" / "live.json"
    live.write_text(json.dumps(json.loads(live.read_text()) | {"state": "running"}))  # as a kill leaves it
    status, out, _ = said(capsys, monitor, "--store", str(store), "--watch")
    assert (status, "its process is gone" in out) == (3, True)


def test_the_graph_s_statistics(capsys, example_store):
    _, out, _ = said(capsys, monitor, "--store", str(example_store), "--graph", "--json")
    graph = json.loads(out)
    assert {"ORG", "PERSON"} <= set(graph["nodes_by_type"])
    assert {"owns", "penalised_by"} <= set(graph["edges_by_type"])


def test_the_graph_goes_out_as_a_file_and_explains_itself(capsys, example_store, tmp_path):
    path = tmp_path / "graph.gexf"
    status, out, _ = said(capsys, monitor, "--store", str(example_store), "--graph", "--export", str(path), "--json")
    assert status == 0 and json.loads(out)["files"] == [str(path)] and path.stat().st_size > 1000
    _, out, _ = said(capsys, monitor, "--store", str(example_store), "--graph", "--json")
    name = json.loads(out)["best_connected"][0]["name"]
    status, out, _ = said(capsys, monitor, "--store", str(example_store), "--graph", "--explain", name, "--json")
    assert status == 0 and name in out
    aliases = tmp_path / "aliases.txt"
    aliases.write_text("nonsense\n", encoding="utf-8")
    empty = [[option, ""] for option in ("--export", "--explain", "--aliases")]
    for more in (["--export", "graph.xyz"], ["--explain", "nobody at all"], ["--aliases", str(aliases)], *empty):
        status, _, error = said(capsys, monitor, "--store", str(example_store), "--graph", *more)
        assert status == 2 and error


def test_verify_tells_a_whole_store_from_a_damaged_one(capsys, example_store, tmp_path):
    store = tmp_path / "h3_cold"
    shutil.copytree(example_store, store)
    status, out, _ = said(capsys, monitor, "--store", str(store), "--verify", "--json")
    assert (status, json.loads(out)["whole"]) == (0, True)
    victim = max((store / "tables" / "blocks.lance" / "data").iterdir(), key=lambda f: f.stat().st_size)
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(data)
    status, out, _ = said(capsys, monitor, "--store", str(store), "--verify", "--json")
    assert status == 3
    assert json.loads(out)["problems"]


def test_repair_mends_an_index_and_says_so(capsys, example_store, tmp_path):
    store = tmp_path / "h3_cold"
    shutil.copytree(example_store, store)
    next((store / "index").rglob("blocks.faiss")).write_bytes(b"junk")
    (store / "manifest.json").write_text("{")
    assert said(capsys, monitor, "--store", str(store), "--verify")[0] == 3
    status, out, _ = said(capsys, monitor, "--store", str(store), "--verify", "--repair", "--json")
    found = json.loads(out)
    assert (status, found["whole"], found["problems"]) == (0, True, [])
    assert any("manifest.json: put back" in line for line in found["repaired"])
    assert any("index: made anew" in line for line in found["repaired"])


@pytest.mark.parametrize("change", ["an index's file", "checksums", "damaged checksums", "manifest", "its copy"])
def test_verify_sees_what_lance_does_not_look_for(capsys, example_store, tmp_path, change):
    store = tmp_path / "h3_cold"
    shutil.copytree(example_store, store)
    manifest = store / "manifest.json"
    if change == "an index's file":
        next((store / "index").rglob("blocks.words")).unlink()
    elif change == "checksums":
        (store / "meta" / "checksums.json").unlink()
    elif change == "damaged checksums":
        (store / "meta" / "checksums.json").write_text('["tables"]')
    elif change == "manifest":
        manifest.write_text(manifest.read_text().replace('"blocks.ids"', '"clocks.ids"'))
    else:
        next((store / "meta" / "manifests").iterdir()).write_text("{}")
    status, out, _ = said(capsys, monitor, "--store", str(store), "--verify", "--json")
    assert status == 3
    assert json.loads(out)["problems"]


def test_a_report_on_lost_files_is_an_error_in_one_line(capsys, example_store, tmp_path):
    store = tmp_path / "h3_cold"
    shutil.copytree(example_store, store)
    for file in (store / "tables" / "pages.lance" / "data").iterdir():
        file.unlink()
    status, _, err = said(capsys, monitor, "--store", str(store))
    assert (status, err.count("\n")) == (1, 1)
    assert "--verify tells what is damaged" in err


def test_a_reader_of_the_report_that_has_seen_enough_is_no_error(example_store, monkeypatch):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        assert monitor(["--store", str(example_store)]) == 0


def test_the_scheduler_s_state_after_a_promotion(capsys, example_store, tmp_path):
    store = tmp_path / "h3_cold"
    shutil.copytree(example_store, store)
    status, _, err = said(capsys, monitor, "--store", str(store), "--dump-scheduler-state")
    assert (status, "no scheduler state" in err) == (2, True)
    with ColdTier.open(store) as tier:
        engine = H3Engine(hbm_size_gb=1, hbf_size_gb=1, cold_storage_path=store)
        (done,) = Bridge(tier, engine).promote(tier.recall("Larkspur", top=1))
    status, out, _ = said(capsys, monitor, "--store", str(store), "--dump-scheduler-state", "--json")
    state = json.loads(out)
    assert status == 0
    assert state["blocks"][0]["block"] == done.block
    assert state["blocks"][0]["tier"] == "hbm"
    assert state["decisions"][-1]["reason"] == done.reason
    assert state["gone"] == 0
    assert (state["process"], state["pid"]) == ("running", os.getpid())
    assert datetime.now(UTC) - datetime.fromisoformat(state["written"]) < timedelta(hours=1)
    file = store / STATE_FILE
    saved = json.loads(file.read_text())
    file.write_text(
        json.dumps(saved | {"blocks": [*saved["blocks"], {**saved["blocks"][0], "block": "of a deleted one"}]})
    )
    _, out, _ = said(capsys, monitor, "--store", str(store), "--dump-scheduler-state", "--json")
    after = json.loads(out)
    assert (after["gone"], after["blocks"]) == (1, state["blocks"])
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for change, told in (({"pid": ended.pid}, "ended"), ({"pid_started": 1}, "ended"), ({"pid": None}, "not known")):
        file.write_text(json.dumps(saved | change))
        _, out, _ = said(capsys, monitor, "--store", str(store), "--dump-scheduler-state", "--json")
        assert json.loads(out)["process"].startswith(told)


@pytest.mark.parametrize("arguments", [["--store", "no/such/store"], ["--store", "no/such/store", "--verify"]])
def test_a_missing_store_is_one_line(capsys, arguments):
    status, out, err = said(capsys, monitor, *arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "no such store" in err


def test_the_benchmark_says_what_it_needs(capsys, tmp_path):
    status, _, err = said(capsys, benchmark, "kg", "--data", str(tmp_path / "none"))
    assert (status, "no such folder" in err) == (2, True)
    status, _, err = said(capsys, benchmark, "bridge", "--sets", "speed")
    assert (status, "known: bandwidth, promotions" in err) == (2, True)


def test_the_bridge_s_bandwidth_is_measured(capsys):
    status, out, _ = said(capsys, benchmark, "bridge", "--sets", "bandwidth", "--json")
    figures = json.loads(out)["bandwidth"]
    assert status == 0
    assert figures["cold to HBF / plain read"] > 0
    assert figures["HBF to HBM / memory copy"] > 0

"""The command `h3-serve`: it serves, ends cleanly, and tells in one line what keeps it from serving."""

import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from urllib.request import urlopen

import pytest

from h3cold.ingest.store.manifest import publish_manifest, read_manifest
from h3cold.recall.cli_serve import main


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_tells_of_a_newer_snapshot_and_ends_cleanly(made, tmp_path, how):
    store = tmp_path / "store"
    shutil.copytree(made.store, store)
    code = "import sys; from h3cold.recall.cli_serve import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "--store", str(store), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        first = process.stdout.readline()
        with urlopen(f"{first.split()[-1]}/recall?query=steel", timeout=30) as reply:
            assert reply.status == 200
        now = read_manifest(store)
        publish_manifest(store, replace(now, snapshot=now.snapshot + 1))
        assert process.stdout.readline() == f"snapshot {now.snapshot + 1} taken up\n"
        process.send_signal(how)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, "stopped\n")
    assert all(line.startswith("note: ") for line in err.splitlines())


def test_a_clean_stop_that_nobody_reads_of_is_one(made):
    code = "import sys; from h3cold.recall.cli_serve import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "--store", str(made.store), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.stdout.close()
        process.terminate()
        err = process.stderr.read()
        assert process.wait(30) == 0
    assert all(line.startswith("note: ") for line in err.splitlines())


def test_the_command_without_a_store_is_one_line(capsys, tmp_path):
    assert main(["--store", str(tmp_path / "none")]) == 2
    err = capsys.readouterr().err
    assert err.startswith("h3-serve: ") and err.count("\n") == 1
    (tmp_path / "manifest.json").write_text("{", encoding="utf-8")
    assert main(["--store", str(tmp_path)]) == 1 and "damaged" in capsys.readouterr().err

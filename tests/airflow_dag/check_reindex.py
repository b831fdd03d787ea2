"""The DAG in the real Airflow, over a real folder of PDF files. Run by `make test-airflow`, with Airflow's interpreter.

Each run is `dag.test()` in a process of its own, as Airflow's own tooling does it, with a database in a scratch folder.
The toolkit's steps run in the toolkit's environment, whose interpreter is `$H3_PYTHON`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = os.environ["H3_PYTHON"]

DAG = """
import datetime
from h3cold.ingest.airflow import reindex_dag

dag = reindex_dag(
    path={path!r}, store={store!r}, python={python!r}, schedule="0 2 * * *", batch_documents=2, workers=1, retries=1,
    retry_delay=datetime.timedelta(seconds=1),
)
"""

RUN = """
import json, sys
from airflow.models.xcom import XComModel
from airflow.utils.session import create_session
from reindex import dag

run = dag.test(run_conf=json.loads(sys.argv[1]))
tasks = {}
for ti in run.get_task_instances():
    with create_session() as session:
        found = XComModel.get_many(run_id=run.run_id, task_ids=ti.task_id, map_indexes=ti.map_index, key="return_value")
        values = [XComModel.deserialize_value(row) for row in session.scalars(found)]
    tasks.setdefault(ti.task_id, []).append([ti.state, ti.try_number, values[0] if values else None])
with open(sys.argv[2], "w") as out:
    json.dump({"state": run.state, "tasks": tasks}, out)
"""

FLAKY = """#!/bin/sh
# The toolkit's interpreter on a bad day: the answer of the first batch is lost, although its work was done.
{python} "$@"
status=$?
case "$*" in
*"cli_steps index"*) if [ ! -e {marker} ]; then : > {marker}; exit 1; fi ;;
esac
exit $status
"""

MAKE = """
import sys, pymupdf
for name in sys.argv[1:]:
    doc = pymupdf.open()
    doc.new_page().insert_text((72, 90), f"Company {name} Holdings Limited acquired Bolt Systems Inc. in March 2021.")
    doc.save(name, no_new_id=True)
"""


def make(folder, *names):
    folder.mkdir(exist_ok=True)
    subprocess.run([PYTHON, "-c", MAKE, *(str(folder / name) for name in names)], check=True)


@pytest.fixture(scope="module")
def airflow(tmp_path_factory):
    """Runs the DAG; gives its state and for each task's instances their state, number of tries and result."""
    home = tmp_path_factory.mktemp("airflow")
    (home / "dags").mkdir()
    environment = {
        **os.environ,
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
        "PYTHONPATH": f"{home}/dags{os.pathsep}{os.environ['PYTHONPATH']}",
    }
    command = Path(sys.executable).with_name("airflow")
    subprocess.run([command, "db", "migrate"], env=environment, check=True, capture_output=True)
    flaky = home / "flaky"
    flaky.write_text(FLAKY.format(python=PYTHON, marker=home / "failed-once"))
    flaky.chmod(0o755)
    options = {"path": str(home / "pdfs"), "store": str(home / "h3_cold"), "python": str(flaky)}
    (home / "dags" / "reindex.py").write_text(DAG.format(**options))

    def run(**params):
        out = home / "result.json"
        out.unlink(missing_ok=True)
        done = subprocess.run([sys.executable, "-c", RUN, json.dumps(params), out], env=environment, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
        assert out.exists(), done.stdout[-4000:]
        return json.loads(out.read_text()), done.stdout

    return home, run


def test_a_scheduled_run_with_a_failing_file_and_a_retry(airflow):
    home, run = airflow
    make(home / "pdfs", "a.pdf", "b.pdf", "c.pdf")
    (home / "pdfs" / "bad.pdf").write_text("no PDF at all")
    result, log = run()
    tasks = result["tasks"]
    assert result["state"] == "success", log[-4000:]
    assert len(tasks["detect"][0][2]) == len(tasks["index"]) == 2
    assert sorted(tries for _, tries, _ in tasks["index"]) == [1, 2]
    again = next(value for _, tries, value in tasks["index"] if tries == 2)
    assert (again["done"], again["pages"]) == (0, 0), "what was done before the retry is not done again"
    summary = tasks["report"][0][2]
    assert summary["documents"]["added"] == 3
    assert [f["source"] for f in summary["failures"]] == ["bad.pdf"]
    assert tasks["publish"][0][2]["snapshot"] == 1
    assert tasks["verify"][0][2]["whole"] is True
    assert "failed: bad.pdf: not a PDF" in log
    assert not list((home / "h3_cold" / "meta" / "batches").iterdir())


def test_a_run_with_nothing_to_index_publishes_what_was_removed(airflow):
    home, run = airflow
    (home / "pdfs" / "a.pdf").unlink()
    result, log = run()
    tasks = result["tasks"]
    assert result["state"] == "success", log[-4000:]
    assert [state for state, _, _ in tasks["index"]] == ["skipped"]
    assert tasks["report"][0][2]["documents"] == {**tasks["report"][0][2]["documents"], "removed": 1, "unchanged": 2}


def test_path_and_store_are_parameters_and_a_wrong_one_is_not_retried(airflow):
    home, run = airflow
    result, log = run(path=str(home / "nowhere"), store=str(home / "other"))
    assert result["state"] == "failed"
    assert result["tasks"]["detect"][0][:2] == ["failed", 1]
    assert f"{home}/nowhere: no such folder" in log
    assert not (home / "other").exists()

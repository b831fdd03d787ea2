"""Scheduled re-indexing with Apache Airflow (3.x): an operator for each step and a DAG of them.

    detect ──▶ index [one mapped task a batch] ──▶ publish ──▶ verify ──▶ report

In a file in Airflow's dags folder::

    from h3cold.ingest.airflow import reindex_dag

    dag = reindex_dag(path="/data/pdfs", store="/data/h3_cold", schedule="0 2 * * *", python="/opt/h3/bin/python")

Airflow pins many packages, so the toolkit best lives in an environment of its own, whose interpreter is `python`. In
Airflow's environment `pip install --no-deps h3cold` is enough: this module needs nothing but Airflow.

Retries are safe: a batch that is tried again does what was not done, a publication that is tried again publishes what
is missing or nothing. Readers of the store see all of a run's work at once, when `publish` has ended.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import IO, Any

from airflow.sdk import DAG, BaseOperator, Param, TriggerRule
from airflow.sdk.exceptions import AirflowException, AirflowFailException

USAGE, SOME_FAILED = 2, 3
"""Exit statuses of the steps: nothing to gain from a retry; done, but some documents or pages failed."""


class H3Operator(BaseOperator):
    """Runs one step in the toolkit's own interpreter; what it prints goes to the task's log, its result to XCom.

    Args:
        step: "detect" (result: names of batches), "index" (needs `batch`), "publish" or "verify".
        path: folder with the PDF files; store: the cold store. Both are templates, as are `config` and `python`.
        batch: name of a batch, from "detect".
        python: interpreter of the environment that the toolkit is installed in; empty = this one.
        config: a configuration file, empty = none.
        workers: worker processes of the step, 0 = one a core.
        batch_documents: documents in a batch at most.
        wait: seconds that "publish" waits for another build into the store.

    A step fails for good where the call itself is wrong (no such folder, bad configuration); other failures are
    retried as the task's `retries` says. Documents or pages that fail do not fail the step: they are in its result.
    """

    template_fields: Sequence[str] = ("path", "store", "batch", "python", "config")
    ui_color = "#e8f0e4"

    def __init__(
        self,
        *,
        step: str,
        path: str = "{{ params.path }}",
        store: str = "{{ params.store }}",
        batch: str = "",
        python: str = "",
        config: str = "",
        workers: int = 0,
        batch_documents: int = 200,
        wait: float = 3600.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.step, self.path, self.store, self.batch = step, path, store, batch
        self.python, self.config = python, config
        self.workers, self.batch_documents, self.wait = workers, batch_documents, wait
        self._process: subprocess.Popen[str] | None = None

    def execute(self, context: Mapping[str, Any]) -> Any:
        """Run the step.

        Raises:
            AirflowFailException: the call is wrong; no retry helps.
            AirflowException: the step failed.
        """
        status, out = self._run(self.command())
        if status == USAGE:
            raise AirflowFailException(f"{self.step}: wrong usage, see the log above")
        if status not in (0, SOME_FAILED) or (status and self.step == "verify"):
            raise AirflowException(f"{self.step}: exit status {status}, see the log above")
        result = json.loads(out)
        return result["batches"] if self.step == "detect" else result

    def command(self) -> list[str]:
        """The step's command line."""
        steps, store = "h3cold.ingest.cli_steps", ["--store", self.store]
        config = ["--config", self.config] if self.config else []
        workers = ["--workers", str(self.workers)]
        by_step = {
            "detect": [steps, "detect", "--path", self.path, *store, *config,
                       "--batch-documents", str(self.batch_documents)],
            "index": [steps, "index", "--batch", self.batch, *store, *config, *workers],
            "publish": ["h3cold.ingest.cli_build", "--path", self.path, *store, *config, *workers,
                        "--wait", str(self.wait), "--json"],
            "verify": ["h3cold.h3bridge.cli_monitor", "--verify", "--json", *store],
        }  # fmt: skip
        if self.step not in by_step:
            raise AirflowFailException(f"no step {self.step!r}; there are {', '.join(by_step)}")
        return [self.python or sys.executable, "-m", *by_step[self.step]]

    def on_kill(self) -> None:
        """End the step and its workers; what was finished is kept."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGTERM)

    def _run(self, command: list[str]) -> tuple[int, str]:
        self.log.info("running %s", " ".join(command))
        # Airflow's own settings of Python are not for another environment's interpreter.
        own = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV") if self.python else ()
        environment = {k: v for k, v in os.environ.items() if k not in own}
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                encoding="utf-8", errors="replace", env=environment,
            )  # fmt: skip
        except OSError as e:
            raise AirflowFailException(f"{command[0]}: does not start: {e.strerror}; set `python`") from e
        said = threading.Thread(target=self._log, args=(self._process.stderr,), daemon=True)
        said.start()
        out = self._process.stdout.read() if self._process.stdout else ""
        status = self._process.wait()
        said.join()
        return status, out

    def _log(self, lines: IO[str]) -> None:
        for line in lines:
            self.log.info(line.rstrip())


class H3ReportOperator(BaseOperator):
    """Says in the log what a run did; its result (XCom) is the publication's summary with what the batches indexed.

    `fail_on_failures` makes it fail where documents or pages could not be indexed, for those who want to be alerted.
    """

    def __init__(self, *, publish: str = "publish", fail_on_failures: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.publish, self.fail_on_failures = publish, fail_on_failures

    def execute(self, context: Mapping[str, Any]) -> Any:
        """Report.

        Raises:
            AirflowFailException: something could not be indexed and `fail_on_failures` is set.
        """
        summary = context["ti"].xcom_pull(task_ids=self.publish)
        counts = ", ".join(f"{n} {what}" for what, n in summary["documents"].items())
        self.log.info("snapshot %s: documents: %s; %s pages, %s blocks", summary["snapshot"], counts,
                      summary["pages"], summary["blocks"])  # fmt: skip
        for failure in summary["failures"]:
            page = "" if failure["page"] is None else f", page {failure['page']}"
            self.log.warning("failed: %s%s: %s", failure["source"], page, failure["reason"])
        if summary["failures"] and self.fail_on_failures:
            raise AirflowFailException(f"files or pages that could not be indexed: {len(summary['failures'])}")
        return summary


def reindex_dag(
    *,
    path: str,
    store: str,
    schedule: str | datetime.timedelta | None = "0 2 * * *",
    dag_id: str = "h3_reindex",
    python: str = "",
    config: str = "",
    workers: int = 0,
    batch_documents: int = 200,
    parallel: int = 2,
    retries: int = 2,
    retry_delay: datetime.timedelta = datetime.timedelta(minutes=5),
    fail_on_failures: bool = False,
) -> DAG:
    """A DAG that brings `store` up to date with the folder `path` on a `schedule` (cron, timedelta, None = by hand).

    `path` and `store` are the defaults of the DAG's parameters of these names: a run can be triggered for others.
    One run is active at a time, in it `parallel` batches with `workers` processes each. For the rest see `H3Operator`
    and `H3ReportOperator`.
    """
    dag = DAG(
        dag_id=dag_id,
        schedule=schedule,
        start_date=datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC),
        catchup=False,
        max_active_runs=1,
        params={
            "path": Param(path, type="string", minLength=1, description="folder with the PDF files"),
            "store": Param(store, type="string", minLength=1, description="the cold store"),
        },
        default_args={"retries": retries, "retry_delay": retry_delay},
        doc_md=__doc__,
        tags=["h3"],
    )
    common = {"dag": dag, "python": python, "config": config, "workers": workers}
    detect = H3Operator(task_id="detect", step="detect", batch_documents=batch_documents, **common)
    index = H3Operator.partial(
        task_id="index",
        step="index",
        max_active_tis_per_dagrun=parallel,
        map_index_template="{{ task.batch }}",
        **common,
    ).expand(batch=detect.output)
    # With nothing to index the mapped task is skipped; what was removed or renamed is published all the same.
    publish = H3Operator(task_id="publish", step="publish", trigger_rule=TriggerRule.NONE_FAILED, **common)
    verify = H3Operator(task_id="verify", step="verify", **common)
    report = H3ReportOperator(task_id="report", fail_on_failures=fail_on_failures, dag=dag)
    detect >> index >> publish >> verify >> report
    return dag

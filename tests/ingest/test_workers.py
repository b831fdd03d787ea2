import os
import signal
import subprocess
import sys
import textwrap
import time

import psutil
import pymupdf
import pytest
import worker_behaviour as behaviour
from hypothesis import given
from hypothesis import strategies as st

from h3cold.ingest import benchmark_memory, supervisor
from h3cold.ingest.worker_tasks import Failure, part
from h3cold.ingest.workers import Pool, Task, run, windows
from h3cold.schemas.errors import UsageError


@pytest.mark.parametrize(
    ("waited", "spent", "over"),
    [
        (9.0, 9.0, False),
        (11.0, 10.5, True),  # it computes without an end
        (11.0, 0.1, True),  # it waits for what never comes
        (25.0, 8.0, False),  # others have the processors
        (41.0, 8.0, True),
    ],
)
def test_a_page_is_over_its_limit_by_what_it_got_of_the_processors(waited, spent, over):
    assert supervisor._over(waited, spent, 10.0) is over


def pages_of(results):
    """Pages that came back, and failures by page."""
    read, failed = [], {}
    for task, value, failure in results:
        if failure is None:
            read += value[0]
        else:
            assert task.first == task.last == failure.page
            failed[failure.page] = failure
    return sorted(read), failed


def gone(pid):
    """Dead, whether or not its parent has noticed."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_all_results_arrive_from_more_than_one_process():
    tasks = [Task(f"{i}.pdf", 1, 3) for i in range(12)]
    results = list(run(tasks, behaviour.behave, workers=2))
    assert sorted(r.task.source for r in results) == sorted(t.source for t in tasks)
    assert all(r.failure is None and r.value[0] == [1, 2, 3] for r in results)
    workers = {r.value[1] for r in results}
    assert os.getpid() not in workers
    assert all(gone(pid) for pid in workers)


def test_windows_cover_a_file_once():
    tasks = list(windows("a.pdf", 100, size=48))
    assert [(t.first, t.last) for t in tasks] == [(1, 48), (49, 96), (97, 100)]


@pytest.mark.parametrize(
    ("what", "kind", "reason"),
    [
        ("segfault", "crash", "SIGSEGV"),
        ("kill", "crash", "killed from outside"),
        ("exit", "crash", "exit code 3"),
        ("raise", "error", "ValueError: no such font"),
    ],
)
def test_only_the_guilty_page_fails(what, kind, reason):
    results = run([Task("a.pdf", 1, 9, {4: what}), Task("b.pdf", 1, 2)], behaviour.behave, workers=2)
    by_source = {"a.pdf": [], "b.pdf": []}
    for result in results:
        by_source[result.task.source].append(result)
    read, failed = pages_of(by_source["a.pdf"])
    assert read == [1, 2, 3, 5, 6, 7, 8, 9]
    assert list(failed) == [4]
    assert failed[4].kind == kind
    assert reason in failed[4].reason
    assert pages_of(by_source["b.pdf"]) == ([1, 2], {})


def test_several_guilty_pages():
    read, failed = pages_of(run([Task("a.pdf", 1, 6, {1: "segfault", 3: "raise", 6: "exit"})], behaviour.behave))
    assert read == [2, 4, 5]
    assert sorted(failed) == [1, 3, 6]


@pytest.mark.parametrize("what", ["hang", "hang with child"])
def test_a_page_that_hangs_is_stopped(what):
    before = {p.pid for p in psutil.process_iter()}
    read, failed = pages_of(run([Task("a.pdf", 1, 3, {2: what})], behaviour.behave, workers=1, page_seconds=1.5))
    assert read == [1, 3]
    assert failed[2].kind == "timeout"
    assert "longer than 1.5 s" in failed[2].reason
    assert f"in {'hang' if what == 'hang' else ''}" in failed[2].reason
    started = (p for p in psutil.process_iter(["cmdline"]) if p.pid not in before)
    left = [p for p in started if p.info["cmdline"] == ["sleep", "600"]]
    deadline = time.monotonic() + 10
    while not all(gone(p.pid) for p in left) and time.monotonic() < deadline:
        time.sleep(0.05)  # a killed process takes a moment to die
    assert all(gone(p.pid) for p in left)


def test_a_page_that_leaks_is_stopped():
    read, failed = pages_of(run([Task("a.pdf", 1, 3, {2: "leak"})], behaviour.behave, workers=1, memory_mb=300))
    assert read == [1, 3]
    assert failed[2].kind == "memory"
    assert "300 MB" in failed[2].reason
    assert failed[2].page == 2


def test_a_worker_that_grew_is_replaced_without_loss():
    tasks = [Task(f"{i}.pdf", 1, 1, {1: "leak slowly"}) for i in range(4)]
    results = list(run(tasks, behaviour.behave, workers=1, memory_mb=500))
    assert [r.failure for r in results] == [None] * 4
    assert len({r.value[1] for r in results}) > 1


def test_what_a_worker_has_freed_goes_back_to_the_system():
    full, after = (r.value for r in run([Task("a.pdf", n, n) for n in (1, 2)], behaviour.scatter, workers=1))
    assert after < full - 100e6


def test_a_long_file_is_measured_window_by_window(tmp_path):
    pages = tmp_path / "page.pdf"
    with pymupdf.open() as doc:
        for n in range(7):
            doc.new_page().insert_text((72, 72), f"Page {n} of a report.")
        doc.save(pages, no_new_id=True)
    benchmark_memory.join([pages], tmp_path / "long.pdf", 100)
    samples = benchmark_memory.measured(tmp_path / "long.pdf", 100)
    assert [done for done, _ in samples] == [48, 96, 100]
    assert len({s.process for _, s in samples}) == 1
    assert all(s.failed == 0 and s.resident > 1e7 for _, s in samples)


def test_slope():
    assert benchmark_memory.slope([(0, 5), (1000, 7), (2000, 9)]) == pytest.approx(0.002)
    assert benchmark_memory.slope([(0, 5)]) == 0


def test_a_document_error_fails_the_task_as_one_and_keeps_its_words():
    (result,) = run([Task("a.pdf", 1, 9, {5: "raise document error"})], behaviour.behave)
    assert result.failure == Failure("document", "truncated; get the file again", 2)
    assert (result.task.first, result.task.last) == (1, 9)


def test_a_whole_task_is_tried_twice_when_it_crashes_then_fails_as_one():
    (result,) = run([Task("a.pdf", 1, 9, {5: "segfault"}, whole=True)], behaviour.behave)
    assert (result.task.first, result.task.last, result.task.tries) == (1, 9, 1)
    assert result.failure.kind == "crash"


def test_a_crash_without_a_heartbeat_is_narrowed_down():
    results = list(run([Task("a.pdf", 1, 8, 6)], behaviour.no_beat, workers=1))
    assert sorted(p for r in results if r.failure is None for p in r.value) == [1, 2, 3, 4, 5, 7, 8]
    assert [r.failure.page for r in results if r.failure] == [6]


def test_huge_results_come_through():
    results = list(run([Task(f"{i}", payload=30_000_000 + i) for i in range(3)], behaviour.huge, workers=2))
    assert sorted(len(r.value) for r in results) == [30_000_000, 30_000_001, 30_000_002]


@pytest.mark.parametrize(
    ("work", "reason"), [(behaviour.unreadable, "cannot be read"), (behaviour.unsendable, "cannot be sent")]
)
def test_a_result_that_cannot_travel_is_a_failure_not_a_hang(work, reason):
    (result,) = run([Task("a.pdf")], work)
    assert result.failure.kind == "error"
    assert reason in result.failure.reason


def test_noise_and_interrupts_do_not_disturb():
    (result,) = run([Task("a.pdf", 1, 3, {1: "print", 2: "interrupt"})], behaviour.behave)
    assert result.value[0] == [1, 2, 3]


def test_workers_have_few_threads_and_import_nothing_heavy():
    (result,) = run([Task("a.pdf")], behaviour.environment)
    environment, torch, pymupdf = result.value
    assert environment["OMP_NUM_THREADS"] == environment["OMP_THREAD_LIMIT"] == "1"
    assert not torch
    assert not pymupdf


def test_progress_tells_every_page():
    heard = []
    list(run([Task("a.pdf", 1, 3)], behaviour.behave, progress=lambda task, page: heard.append((task.source, page))))
    assert heard == [("a.pdf", 1), ("a.pdf", 2), ("a.pdf", 3)]


def test_tasks_are_read_no_further_ahead_than_needed():
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield Task(f"{len(taken)}.pdf")

    results = run(endless(), behaviour.behave, workers=1)
    for _ in range(5):
        next(results)
    assert len(taken) <= 7
    results.close()


def test_a_pool_takes_tasks_that_follow_from_results():
    with Pool(behaviour.behave, workers=2) as pool:
        pool.submit(Task("a.pdf", 1, 1))
        seen = []
        while pool.pending:
            result = pool.next()
            seen.append(result.task.first)
            if result.task.first < 4:
                pool.submit(Task("a.pdf", result.task.first + 1, result.task.first + 1))
        assert seen == [1, 2, 3, 4]
        with pytest.raises(ValueError, match="no task is pending"):
            pool.next()


def test_leaving_a_pool_ends_its_workers():
    with Pool(behaviour.pause, workers=2) as pool:
        pool.submit(Task("a.pdf", payload=0))
        pid = pool.next().value
        pool.submit(Task("a.pdf", payload=60))
        assert not gone(pid)
    assert gone(pid)


def test_work_that_cannot_be_imported_is_an_error():
    with pytest.raises(UsageError, match="importable by name"):
        list(run([Task("a.pdf")], lambda task, heartbeat: None))


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_its_parent(tmp_path, signal_number):
    script = tmp_path / "script.py"
    # No __main__ guard, as in the scripts of most users.
    script.write_text(
        textwrap.dedent("""
        import worker_behaviour as behaviour
        from h3cold.ingest.workers import Task, run
        tasks = [Task("a.pdf", payload=0), *(Task(f"{i}.pdf", payload=600) for i in range(4))]
        for result in run(tasks, behaviour.pause, workers=2):
            print(result.value, flush=True)
        """)
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(tmp_path)}
    parent = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              env=environment)  # fmt: skip
    parent.stdout.readline()
    workers = psutil.Process(parent.pid).children(recursive=True)
    assert workers
    parent.send_signal(signal_number)
    parent.wait(timeout=20)
    parent.stdout.close()
    deadline = time.monotonic() + 20
    while not all(gone(w.pid) for w in workers):
        assert time.monotonic() < deadline, "workers are left behind"
        time.sleep(0.05)


@given(
    st.integers(1, 60), st.integers(0, 60), st.none() | st.integers(0, 130),
    st.sampled_from(["document", "error", "crash", "timeout", "memory"]), st.booleans(),
)  # fmt: skip
def test_parting_loses_no_page_and_comes_to_an_end(first, length, page, kind, whole):
    todo, failed, steps = [Task("a.pdf", first, first + length, whole=whole)], [], 0
    while todo:
        task = todo.pop()
        steps += 1
        # Every part fails: on the page that was said when it is in the part, else without a page.
        failure = Failure(kind, "x", page if page is not None and task.first <= page <= task.last else None)
        parted = part(task, failure)
        covered = sorted(p for t in [*parted.again, *(r.task for r in parted.failed)]
                         for p in range(t.first, t.last + 1))  # fmt: skip
        assert covered == list(range(task.first, task.last + 1))
        todo += parted.again
        failed += parted.failed
    assert steps <= 4 * (length + 1)
    assert sorted(p for r in failed for p in range(r.task.first, r.task.last + 1)) == list(
        range(first, first + length + 1)
    )

"""Pages whose worker process is lost while OCR reads them: what can be had without it is kept, and told."""

import json

import pymupdf
import pytest
import worker_behaviour as behaviour
from in_process import InProcess

from h3cold.h3bridge.monitor import report
from h3cold.ingest import jobs, ocr, parse_watched
from h3cold.ingest.parse import parse_document
from h3cold.ingest.parse_options import ParseOptions
from h3cold.ingest.parse_watched import WatchedFile
from h3cold.ingest.pipeline import build
from h3cold.ingest.render_html import render_html
from h3cold.ingest.render_markdown import render_markdown
from h3cold.ingest.stages import Reading
from h3cold.ingest.store import ColdStore
from h3cold.ingest.worker_tasks import OCR, Failure, Result, part
from h3cold.schemas.config import parse_config
from h3cold.schemas.errors import ModelError

DOUBTFUL = "Zürich" + " Ãéàöü ÄÅÊËÎÏ çèéêëì ñòóôõö ùúûüýÿ" * 3
PLAIN = {"cold_storage": {"knowledge_graph_enabled": False}}
CONFIG = parse_config({**PLAIN, "ingest": {"layout": "fast"}})


def made(path, *kinds):
    """A PDF of sound and doubtful pages and scans."""
    path.parent.mkdir(exist_ok=True)
    with pymupdf.open() as doc:
        for kind in kinds:
            if kind == "doubtful":  # small, as OCR's time goes by its size
                doc.new_page(width=420, height=200).insert_textbox((40, 40, 390, 180), DOUBTFUL)
            elif kind == "scan":
                doc.new_page().insert_image((72, 72, 500, 700), pixmap=doc[0].get_pixmap(dpi=30))
            else:
                doc.new_page().insert_text((72, 72 + 11 * doc.page_count), f"Rain fell on {kind}.")
        doc.save(path, no_new_id=True)
    return path


@pytest.mark.parametrize(
    ("does", "seconds", "reason", "how"),
    [
        ("hang", 2, "took longer than 2 s", "it took too long"),
        ("leak", 60, "took more than 500 MB", "it took too much memory"),
        ("segfault", 60, "the worker process crashed (SIGSEGV", "its process crashed"),
    ],
)
def test_a_page_that_ocr_never_ends_with_keeps_its_text_layer(tmp_path, monkeypatch, does, seconds, reason, how):
    """Real processes, lost while they recognise characters."""
    monkeypatch.setattr(parse_watched, "work", behaviour.parse_without_end)
    monkeypatch.setenv("H3_TEST_OCR", does)
    file = made(tmp_path / "a.pdf", "doubtful", *(["scan"] if does == "hang" else []))
    options = ParseOptions(layout="fast")
    with WatchedFile(file, "a.pdf", options, page_seconds=seconds, memory_mb=500) as watched:
        doc = watched.parse()
    kept, *scan = doc.pages
    assert (kept.route, kept.source, kept.ocr_engine) == ("geometry", "text", None)
    assert kept.regions[0].text.startswith("Zürich")
    assert kept.reasons == (
        "text reads like bytes of another encoding",
        f"OCR stopped: {how}; text layer kept as it is",
    )
    assert kept.failure.startswith(f"OCR stopped: {reason}")
    assert kept.failure.endswith("; text layer kept as it is")
    assert doc.failures == tuple((p.number, p.failure) for p in doc.pages)
    if scan:
        assert scan[0].route == "failed" and scan[0].failure.startswith(reason), "of a scan nothing is to be had"
        assert "raise --page-seconds" in kept.failure
    assert "Zürich" in "".join(render_markdown(doc))
    html = "".join(render_html(doc, lambda page: None))
    assert "Zürich" in html and "OCR stopped" in html


class Stopped(InProcess):
    """A pool in which the process is stopped in the OCR of page 2, each time."""

    failure = Failure("timeout", "took longer than 120 s", 2, OCR)

    def next(self):
        task = self.tasks[0]
        job = task.payload
        if not isinstance(job, Reading) or job.settings.options.ocr == "off" or not task.first <= 2 <= task.last:
            return super().next()
        if task.first < task.last:
            parted = part(self.tasks.popleft(), self.failure)
            self.tasks.extend([*parted.again, *(r.task for r in parted.failed)])
            return self.next()
        return Result(self.tasks.popleft(), None, self.failure)


@pytest.mark.parametrize("pages", [3, 50])
def test_a_build_keeps_such_pages_and_reads_them_again_with_ocr(tmp_path, monkeypatch, pages):
    monkeypatch.setattr(jobs, "Pool", Stopped)
    folder, store = tmp_path / "in", tmp_path / "s"
    made(folder / "a.pdf", "river", "doubtful", *(f"hill {n}" for n in range(2, pages)))
    for reads, then in ((1, "the next build reads it again"), (2, "the next build"), (3, "not read again with these")):
        summary = build(folder, store, CONFIG)
        ((page, reason),) = [(f.page, f.reason) for f in summary.failures]
        assert page == 2
        assert reason.startswith("OCR stopped: took longer than 120 s; text layer kept as it is (read")
        assert f"(read {reads} time" in reason and then in reason
        assert words(store) == [*words_of("river"), *DOUBTFUL.split(), *(
            w for n in range(2, pages) for w in words_of(f"hill {n}"))]  # fmt: skip
    assert ColdStore.open(store).verify() == []
    assert [f["page"] for f in report(ColdStore.open(store))["failures"]] == [2]
    status = json.loads((store / "meta" / "parse_status.json").read_text())
    assert status["reasons"]["OCR stopped: it took too long; text layer kept as it is"] == 1
    assert build(folder, store, CONFIG).snapshot == summary.snapshot, "it was read as often as it will be"
    if pages > 48:
        return  # another second for OCR
    monkeypatch.setattr(jobs, "Pool", InProcess)
    longer = parse_config({**PLAIN, "ingest": {"layout": "fast", "page_seconds": 300}})
    whole = build(folder, store, longer)
    assert whole.failures == ()
    rows = {r["page"]: r for r in ColdStore.open(store).table("pages").to_table().to_pylist()}
    assert (rows[2]["route"], rows[2]["failure"], len(rows)) == ("ocr", None, pages)


def test_where_an_engine_fails_the_text_layer_is_kept_and_the_page_read_again(tmp_path, monkeypatch):
    def failing(*args, **options):
        raise ModelError("tesseract failed: killed")

    monkeypatch.setattr(jobs, "Pool", InProcess)
    file = made(tmp_path / "in" / "a.pdf", "doubtful", "scan")
    with monkeypatch.context() as patch:
        patch.setattr(ocr, "read", failing)
        kept, lost = parse_document(file).pages
        assert (kept.route, kept.failure) == (
            "geometry", "OCR failed: tesseract failed: killed; text layer kept as it is"
        )  # fmt: skip
        assert (lost.route, lost.failure) == ("failed", "tesseract failed: killed")
        summary = build(file.parent, tmp_path / "s", CONFIG)
        assert [f.reason.count("(read 1 time; the next build reads it again)") for f in summary.failures] == [1, 1]
        summary = build(file.parent, tmp_path / "s", CONFIG)
        assert [f.reason.count("(read 2 times; the next build reads it again)") for f in summary.failures] == [1, 1]


def words_of(about):
    return f"Rain fell on {about}.".split()


def words(store):
    """The words of all blocks, in order."""
    blocks = ColdStore.open(store).table("blocks").to_table(columns=["position", "text"]).to_pylist()
    return [w for b in sorted(blocks, key=lambda b: b["position"]) for w in b["text"].split()]

"""`h3-index-builder`: a folder of PDF files into a cold store."""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, TextIO

from h3cold.schemas.errors import H3Error, StoreBusyError, UsageError, unforeseen
from h3cold.schemas.export import to_json
from h3cold.schemas.version import add_version

if TYPE_CHECKING:
    from h3cold.schemas.config import Config
    from h3cold.schemas.summary import IndexSummary

SHOWN_FAILURES = 20
"""Failures listed for people; `--json` lists them all."""

SHOWN_REMOVED = 5
"""Removed files named for people; `--json` names them all."""

DEFAULT_CONFIG = "h3_config.yaml"
BUSY = 4
INTERRUPTED = 130

KEPT = (
    "the next run keeps files that were finished, of longer ones each 48 pages that were read, and pages read by OCR; "
    "other pages of files that were begun it reads again"
)

EXAMPLES = """\
examples:
  h3-index-builder --path /data/pdfs
  h3-index-builder --path /data/pdfs --store /var/lib/h3_cold --workers 4
  h3-index-builder --path /data/scans --ocr force --rebuild
  h3-index-builder --path /data/pdfs --json > summary.json

A second run opens only what is new or changed. After Ctrl-C the next run goes on: it keeps files that were finished,
of longer ones each 48 pages that were read, and pages read by OCR; other pages of files that were begun it reads again.
exit status:
  0 all indexed   1 the store or a model is at fault   2 wrong usage   3 done, but some documents or pages failed
  4 another process is writing to the store
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, not the whole usage."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    out = _Parser(
        prog="h3-index-builder",
        description="Read a folder of PDF files into a cold store, or bring the store up to date with the folder.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    out.add_argument("--path", required=True, metavar="FOLDER", help="folder with the PDF files, searched in depth")
    out.add_argument("--store", default="./h3_cold", metavar="FOLDER", help="the cold store (default: ./h3_cold)")
    out.add_argument("--config", metavar="FILE", help=f"configuration (default: {DEFAULT_CONFIG} where there is one)")
    out.add_argument("--workers", type=int, metavar="N", help="worker processes (default: one a core)")
    out.add_argument("--ocr", choices=("auto", "off", "force"), help="OCR where needed, never, or on every page")
    out.add_argument("--layout", choices=("fast", "auto", "model"),
                     help="layout model never, on pages of ambiguous geometry, or on every page")  # fmt: skip
    out.add_argument("--rebuild", action="store_true", help="start from nothing; readers keep the old snapshot")
    out.add_argument("--wait", type=_seconds, default=0.0, metavar="SECONDS",
                     help="how long to wait for another build into this store (default: not at all)")  # fmt: skip
    out.add_argument("--json", action="store_true", help="print the summary as one JSON object")
    add_version(out)
    return out


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError
    return value


def configuration(
    file: str | None, *, workers: int | None = None, ocr: str | None = None, layout: str | None = None
) -> Config:
    """The configuration file, with what the command line says instead.

    Raises:
        ConfigError: the file, or a value, is not valid.
    """
    from h3cold.schemas.config import Config, load_config, parse_config  # takes a while, which --help does not wait

    if file is None and Path(DEFAULT_CONFIG).is_file():
        file = DEFAULT_CONFIG
    config = Config() if file is None else load_config(file)
    data = config.model_dump()
    if workers is not None:
        data["ingest"]["workers"] = workers
    if ocr is not None:
        data["ingest"]["ocr"] = ocr
    if layout is not None:
        data["ingest"]["layout"] = layout
    if ocr == "force":
        data["cold_storage"]["ocr_enabled"] = True
    return parse_config(data, where="command line")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    args = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, terminated)
    try:
        for option, value in (("--path", args.path), ("--store", args.store)):
            if not value:  # a shell variable that is not set; it would mean the folder one happens to stand in
                raise UsageError(f"{option}: is empty; give a folder (. for the current one)")
        config = configuration(args.config, workers=args.workers, ocr=args.ocr, layout=args.layout)
        if not Path(args.path).is_dir():
            raise UsageError(f"{args.path}: no such folder; give the folder that holds the PDF files")
        if config.ingest.layout != "fast" and config.ingest.layout_model != type(config)().ingest.layout_model:
            from h3cold.ingest.layout import open_model

            open_model(config.ingest.layout_model)  # a wrong name is wrong usage, not a failure of single pages
        summary = _build(args.path, args.store, config, rebuild=args.rebuild, wait=args.wait)
    except H3Error as e:
        return _say(str(e), 2 if isinstance(e, UsageError) else BUSY if isinstance(e, StoreBusyError) else 1)
    except KeyboardInterrupt:
        return _say(f"interrupted: the store is as it was; {KEPT}", INTERRUPTED)
    except (OSError, MemoryError) as e:
        return _say(
            f"{getattr(e, 'filename', None) or args.store}: {getattr(e, 'strerror', None) or type(e).__name__}", 1
        )
    except Exception as e:
        return _say(unforeseen(e), 1)
    try:
        _print(summary, args.store, as_json=args.json)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 3 if summary.failures else 0


def _print(summary: IndexSummary, store: str, *, as_json: bool) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):  # a cron job's output may be in a charset without Chinese
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if as_json:
        print(json.dumps(to_json(summary), ensure_ascii=False))
    else:
        print_summary(summary, store, sys.stdout)
    sys.stdout.flush()


def _build(path: str, store: str, config: Config, *, rebuild: bool, wait: float) -> IndexSummary:
    from h3cold.ingest.pipeline import build
    from h3cold.ingest.progress import open_progress

    progress = open_progress(sys.stderr)
    try:
        return build(path, store, config, rebuild=rebuild, wait=wait, progress=progress)
    finally:
        progress.close()


def print_summary(summary: IndexSummary, store: str, out: TextIO) -> None:
    """The summary for people."""
    from h3cold.ingest.progress import count, duration, where

    counts = summary.documents
    renamed = f" ({counts.renamed} renamed)" if counts.renamed else ""
    rate = f", {summary.pages / summary.seconds:.1f} pages/s" if summary.pages and summary.seconds else ""
    rows = [
        ("store", f"{store}, snapshot {summary.snapshot}"),
        ("documents", f"{counts.added} added, {counts.changed} changed, {counts.unchanged} unchanged{renamed}, "
                      f"{counts.removed} removed, {counts.failed} failed"),
        ("this run", f"{count(summary.pages, 'page')}, {count(summary.blocks, 'block')} "
                     f"in {duration(summary.seconds)}{rate}"),
    ]  # fmt: skip
    if counts.copies:
        same = "is a copy of another" if counts.copies == 1 else "are copies of others"
        rows.append(("copies", f"{count(counts.copies, 'file')} {same} byte for byte: indexed once, by the first name"))
    if summary.removed:
        more = len(summary.removed) - SHOWN_REMOVED
        named = ", ".join(where(source, None) for source in summary.removed[:SHOWN_REMOVED])
        rows.append(("removed", named + (f" and {more} more" if more > 0 else "")))
    if summary.reasons:
        rows.append(("because", "; ".join(summary.reasons)))
    for name, value in rows:
        print(f"{name:<10} {value}", file=out)
    if not summary.failures:
        return
    files = sum(failure.page is None for failure in summary.failures)
    pages = len(summary.failures) - files
    parts = [count(n, what) for n, what in ((files, "file"), (pages, "page")) if n]
    print(f"failed     {' and '.join(parts)}", file=out)
    for failure in summary.failures[:SHOWN_FAILURES]:
        print(f"  {where(failure.source, failure.page)}: {failure.reason}", file=out)
    if len(summary.failures) > SHOWN_FAILURES:
        print(f"  and {len(summary.failures) - SHOWN_FAILURES} more; --json lists them all", file=out)


def _say(message: str, status: int) -> int:
    print(f"h3-index-builder: {' '.join(message.split())}", file=sys.stderr)
    return status


def terminated(number: int, frame: FrameType | None) -> None:
    """Signal handler: a polite kill ends as Ctrl-C does."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())

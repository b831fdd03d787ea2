"""`h3-parse`: PDFs as Markdown, JSON, HTML or CSV. Parses arguments and prints only."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from h3cold.schemas.errors import H3Error, UsageError, unforeseen
from h3cold.schemas.version import add_version

if TYPE_CHECKING:
    from h3cold.schemas.document import ParsedDocument

DEFAULT_MODEL = "pymupdf"
PATIENCE = 1.0
"""Seconds before a terminal is told what page is read."""

EXAMPLES = """\
examples:
  h3-parse report.pdf                                 Markdown on the screen
  h3-parse report.pdf --pages 3-7 --format json       regions with boxes and tables with cells
  h3-parse 年度报告.pdf --format html -o report.html    every page with its regions outlined
  h3-parse report.pdf --format csv -o tables.csv      its tables, an empty line between two
  h3-parse a.pdf b.pdf reports/ --out read            each file, and each PDF in the folder, to a file in read/
  h3-parse minutes.pdf --password secret              an encrypted file
  curl -s https://host/report.pdf | h3-parse -        what another program hands over
  h3-parse scan.pdf --ocr force                       recognise the characters on every page

exit codes: 0 all pages read, 2 wrong usage, 3 a file or some of its pages could not be read (others were),
1 anything else
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    args = _parser().parse_args(argv)
    try:
        return _parse(args)
    except UsageError as e:
        return _fail(str(e), 2)
    except H3Error as e:
        return _fail(str(e), 3)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as e:
        return _fail(f"{args.output or args.out or 'output'}: cannot be written: {e.strerror}", 2)
    except KeyboardInterrupt:
        return _fail("interrupted", 130)
    except Exception as e:
        return _fail(unforeseen(e), 1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="h3-parse",
        description="Read PDFs: their text in reading order, headings, tables, figures.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("files", metavar="FILE", nargs="+",
                        help="the PDF; - reads standard input; several, or a folder, with --out")  # fmt: skip
    parser.add_argument("--format", choices=("markdown", "json", "html", "csv"), default="markdown",
                        help="default: markdown; csv: the tables alone")  # fmt: skip
    parser.add_argument("--pages", metavar="3-7", help="only these pages: 3, 3-7, 3- or -7 (default: all)")
    parser.add_argument("--ocr", choices=("auto", "off", "force"), default="auto",
                        help="recognise characters where needed (default), never, or on every page")  # fmt: skip
    parser.add_argument("--layout", choices=("fast", "auto", "model"), default="auto",
                        help="layout model never, on hard pages (default), or on every page")  # fmt: skip
    parser.add_argument("--layout-model", default=DEFAULT_MODEL, metavar="NAME",
                        help="pymupdf (default), rapidlayout, or a LayoutParser model as module:Class")  # fmt: skip
    parser.add_argument("--password", action="append", default=[], metavar="WORD", help="of an encrypted file")
    parser.add_argument("--page-seconds", type=_positive, default=120, metavar="N",
                        help="longest time for one page; then it is given up (default: 120)")  # fmt: skip
    parser.add_argument("--memory-mb", type=_positive, default=4096, metavar="N",
                        help="most memory of a process that reads pages (default: 4096)")  # fmt: skip
    parser.add_argument("-o", "--output", metavar="OUT", help="write to this file instead of the screen (-)")
    parser.add_argument("--out", metavar="DIR", help="write a file for each PDF into this folder, made if missing")
    add_version(parser)
    return parser


def _parse(args: argparse.Namespace) -> int:
    wanted = _span(args.pages)
    if args.layout != "fast" and args.layout_model != DEFAULT_MODEL:
        from h3cold.ingest.layout import open_model

        open_model(args.layout_model)  # a wrong name is wrong usage, not a failure of every page
    if args.out is not None:
        return _parse_all(args, wanted)
    if len(args.files) > 1:
        raise UsageError("several files: name a folder for what they become with --out DIR")
    path = Path("/dev/stdin" if args.files[0] == "-" else args.files[0])
    output = None if args.output == "-" else args.output
    if path.is_dir() or not path.exists():
        kind = "is a folder; give one PDF file, or --out DIR for what its PDFs become" if path.is_dir() else ""
        raise UsageError(f"{path}: {kind or 'no such file'}")
    if output is not None and os.path.exists(output) and path.samefile(output):  # noqa: PTH110
        raise UsageError(f"{output}: is the PDF itself; write to another file")
    return _parse_one(args, path, output, wanted)


def _parse_all(args: argparse.Namespace, wanted: tuple[int, int | None]) -> int:
    """Each PDF to a file of its own; one that fails is named, the others are read. Prints what was written."""
    from h3cold.ingest.parse_targets import ENDINGS, targets
    from h3cold.ingest.progress import one_line

    if args.output is not None or "-" in args.files:
        raise UsageError("--out names the files itself: no --output and no standard input with it")
    if not args.out:
        raise UsageError("--out: is empty; name a folder")
    if args.out == "-":
        raise UsageError("--out -: names no folder (./- does); one PDF goes to the screen without --out")
    found = targets(args.files, Path(args.out), ENDINGS[args.format])
    given = {_identity(source) for source, _ in found if source.exists()}
    code = 0
    for number, (source, output) in enumerate(found, 1):
        about = f"{number}/{len(found)} files, {one_line(str(source))}: "
        try:
            if output.exists() and _identity(output) in given:
                code = _fail(f"{source}: not read: {output} is a PDF that is to be read; name another folder", 3)
                continue
            output.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".h3-parse-", dir=output.parent) as folder:
                part = Path(folder) / output.name  # a folder, not a file: what is written in it has the usual mode
                code = max(code, _parse_one(args, source, str(part), wanted, about=about))
                part.replace(output)
        except H3Error as e:
            code = _fail(str(e), 3)
        except OSError as e:
            code = _fail(f"{output}: cannot be written: {e.strerror}", 3)
        else:
            print(output, flush=True)
    return code


def _identity(path: Path) -> tuple[int, int]:
    """What two names of one file have in common (as os.path.samefile compares, of many at once)."""
    found = path.stat()
    return found.st_dev, found.st_ino


def _parse_one(
    args: argparse.Namespace, path: Path, output: str | None, wanted: tuple[int, int | None], *, about: str = ""
) -> int:
    from h3cold.ingest.parse_options import ParseOptions
    from h3cold.ingest.parse_watched import WatchedFile

    options = ParseOptions(
        ocr=args.ocr, layout=args.layout, layout_model=args.layout_model, passwords=tuple(args.password)
    )
    with (
        _on_disk(path) as file,
        WatchedFile(file, str(path), options, page_seconds=args.page_seconds, memory_mb=args.memory_mb) as watched,
    ):
        with _progress(about) as heartbeat:
            doc = watched.parse(*wanted, progress=heartbeat)
        with _opened(output) as out:
            for piece in _rendered(args.format, doc, watched.picture):
                out.write(piece)
            out.flush()
    for page, reason in doc.failures:
        print(f"h3-parse: {path}, page {page}: {reason}", file=sys.stderr)
    return 3 if doc.failures else 0


@contextmanager
def _on_disk(path: Path) -> Iterator[Path]:
    """The file where other processes can open it: what came through a pipe is written down."""
    if path.is_file() or not path.exists():
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="h3-parse-", suffix=".pdf") as file:
        file.write(path.read_bytes())
        file.flush()
        yield Path(file.name)


@contextmanager
def _progress(about: str) -> Iterator[Callable[[int], None] | None]:
    """Says on the terminal how many pages have been begun, of a file that takes longer than a moment, after `about`."""
    if not sys.stderr.isatty():
        yield None
        return
    from h3cold.ingest.progress import count

    said = started = time.monotonic()
    seen: set[int] = set()

    def heartbeat(page: int) -> None:
        nonlocal said
        seen.add(page)
        now = time.monotonic()
        if now - started > PATIENCE and now - said > 0.2:
            said = now
            said_now = f"h3-parse: {about}{count(len(seen), 'page')}"
            width = shutil.get_terminal_size().columns - 1  # a line that is too long cannot be taken back
            print(f"\r\x1b[K{said_now[:width]}", end="", file=sys.stderr, flush=True)

    try:
        yield heartbeat
    finally:
        if said > started:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _rendered(form: str, doc: ParsedDocument, picture: Callable[[int, int], bytes | None]) -> Iterator[str]:
    if form == "json":
        from h3cold.ingest.render_json import document_json

        yield json.dumps(document_json(doc), ensure_ascii=False, indent=1) + "\n"
    elif form == "html":
        from h3cold.ingest.render_html import render_html

        last = doc.pages[-1].number if doc.pages else 0
        yield from render_html(doc, lambda number: picture(number, last))
    elif form == "csv":
        from h3cold.ingest.render_tables import render_csv

        yield from render_csv(doc)
    else:
        from h3cold.ingest.render_markdown import render_markdown

        yield from render_markdown(doc)


def _span(text: str | None) -> tuple[int, int | None]:
    """First and last page (None: to the end) of "3", "3-7", "3-" or "-7"."""
    if text is None:
        return 1, None
    match = re.fullmatch(r"\s*(\d*)\s*(-?)\s*(\d*)\s*", text)
    if match is None or not (match[1] or match[3]):
        raise UsageError(f"--pages {text!r}: expected 3, 3-7, 3- or -7")
    first = int(match[1] or 1)
    last = int(match[3]) if match[3] else None if match[2] else first
    if first < 1 or (last is not None and last < first):
        raise UsageError(f"--pages {text!r}: pages are counted from 1, the first one first")
    return first, last


@contextmanager
def _opened(output: str | None) -> Iterator[IO[str]]:
    if output is None:
        if hasattr(sys.stdout, "reconfigure"):  # a pipe may be opened in a charset without Chinese
            sys.stdout.reconfigure(encoding="utf-8")
        yield sys.stdout
        return
    with Path(output).open("w", encoding="utf-8") as file:
        yield file


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


def _fail(message: str, code: int) -> int:
    print(f"h3-parse: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())

"""`h3-recall`: ask a cold store. Parses and prints only."""

from __future__ import annotations

import argparse
import atexit
import gc
import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from h3cold.schemas.errors import CorruptionError, H3Error, StoreError, UsageError, unforeseen
from h3cold.schemas.version import add_version

if TYPE_CHECKING:
    from h3cold.schemas.config import Config
    from h3cold.schemas.hit import Answer, Hit, Hits

DEFAULT_CONFIG = "h3_config.yaml"
STEM = 50
"""Letters of a source's name in its picture's name: some file systems take 255 bytes."""
EXAMPLES = """\
examples:
  h3-recall "What was capital expenditure in 2018?"
  h3-recall "对比2022与2023年应收账款周转率" --store ./h3_cold --top 3
  h3-recall "Who owns Riot Games?" --intent relation --json
  h3-recall reports/acme_2023.pdf --intent document              # documents like this one
  h3-recall "Who is the chief executive?" --as-of 2026-11-01
  h3-recall "revenue by region" --where company=Acme --where period=FY2023 --image ./pictures

filters (--where, repeatable; the same key twice means either value):
  company=PART-OF-NAME  title=PART-OF-TITLE  period=FY2023  doctype=10-K  language=en|zh
  source=GLOB  document=ID  kind=passage|table|figure|formula  page=12 or 3-7 or 40-

exit codes: 0 answered (also when nothing fits), 2 wrong usage or no store, 1 the store is damaged, or a
model is not at hand
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    args = _parser().parse_args(argv)
    _end_quickly()
    if isinstance(sys.stdout, io.TextIOWrapper):  # a pipe may be in a charset without Chinese
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        return _answer(args)
    except UsageError as e:
        return _fail(e, 2)
    except H3Error as e:
        return _fail(e, 2 if no_store(Path(args.store), args.as_of) else 1)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except (OSError, ValueError) as e:  # Lance's errors: files of the store are lost or damaged
        return _fail(StoreError(f"{args.store}: the store does not read, see h3-monitor --verify ({str(e)[:200]})"), 1)
    except Exception as e:
        return _fail(RuntimeError(unforeseen(e)), 1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="h3-recall",
        description="Ask a cold store, in English or Chinese: the blocks that answer, with file, page, box and reason.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("query", metavar="QUERY", help="a question or some words")
    parser.add_argument("--store", default="./h3_cold", metavar="DIR", help="the cold store (default: ./h3_cold)")
    parser.add_argument(
        "--intent",
        default="auto",
        metavar="INTENT",
        help="auto, text, structure, relation, or document for whole ones (default: auto)",
    )
    parser.add_argument("--top", type=int, metavar="N", help="hits shown (default: recall.top of the configuration, 5)")
    parser.add_argument(
        "--config", metavar="FILE", help=f"configuration (default: {DEFAULT_CONFIG} where there is one)"
    )
    parser.add_argument(
        "--where", action="append", default=[], metavar="KEY=VALUE", help="keep only what fits; see below"
    )
    parser.add_argument(
        "--as-of", metavar="WHEN", help="ask an older snapshot: its number, or a time such as 2026-11-29T14:30"
    )
    parser.add_argument(
        "--context",
        metavar="SCOPE",
        help="show what is around each hit: section, page, document, or table for all of a long one",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--image",
        metavar="DIR",
        help="write a PNG of each hit's region into this folder; of text it is drawn from the PDF",
    )
    add_version(parser)
    return parser


def _answer(args: argparse.Namespace) -> int:
    from h3cold.recall.query import check_intent, check_request

    where = _where(args.where)
    config = open_config(args.config)
    if args.intent == "document":
        return _documents(args, config)
    check_intent(args.intent, document=True)
    if args.context is not None:
        from h3cold.recall.context import check_scope

        check_scope(args.context)
    check_request(
        args.query, args.intent, 1 if args.top is None else args.top, where
    )  # a wrong call is told before anything is opened
    from h3cold.recall.cold_tier import ColdTier

    with _without_pandas(), ColdTier.open(args.store, args.as_of, config=config) as tier:
        hits = tier.recall(args.query, intent=args.intent, top=args.top, where=where)
        intent = args.intent if args.intent != "auto" else tier.decide(args.query).best
        pictures = _write_images(hits, Path(args.image)) if args.image else {}
        without = tier.status()["without"]
    if args.json:
        from h3cold.schemas.hit import answer_json

        print(json.dumps(answer_json(args.query, intent, hits, context=args.context), ensure_ascii=False))
    else:
        _print(hits, intent, pictures, args)
    smaller = config is not None and config.recall.mode != "full"  # who chose a mode is told that it is not to be had
    for line in without if smaller or not hits else ():
        print(f"note: {line}", file=sys.stderr)
    return 0


def _documents(args: argparse.Namespace, config: Config | None) -> int:
    """Documents instead of their blocks."""
    from dataclasses import asdict

    from h3cold.recall.query import check_request

    if args.where or args.image or args.context:
        raise UsageError("--where, --image and --context are for blocks; --intent document takes none of them")
    top = 5 if args.top is None else args.top
    check_request(args.query, "auto", top, {})
    from h3cold.recall.cold_tier import ColdTier

    with _without_pandas(), ColdTier.open(args.store, args.as_of, config=config) as tier:
        hits = tier.documents_like(args.query, top=top)
    if args.json:
        told = {"query": args.query, "intent": "document", "hits": [asdict(h) for h in hits]}
        print(json.dumps({**told, "fits": any(h.fits for h in hits)}, ensure_ascii=False))
        return 0
    print("intent: document" if hits else "Nothing found.")
    if hits and not any(h.fits for h in hits):
        print("Nothing is like it; the nearest there is:")
    for hit in hits:
        print(f"\n{hit.rank}. {_printable(hit.source)}  score {hit.score:.3f}")
        if hit.title:
            print(f"   {_printable(hit.title)}")
        print(f"   why: {hit.reason}")
    return 0


def open_config(file: str | None) -> Config | None:
    """The configuration, None where none is given and none lies here: reading one takes a while to load."""
    if file is None and not Path(DEFAULT_CONFIG).is_file():
        return None
    from h3cold.schemas.config import load_config

    return load_config(file or DEFAULT_CONFIG)


class _NoPandas:
    """An import hook by which there is no pandas while Lance and pyarrow are imported."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas" and any(map(_being_imported, ("lance", "pyarrow"))):
            raise ModuleNotFoundError("left out to start sooner", name=name)


def _being_imported(name: str) -> bool:
    return getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False)


@contextmanager
def _without_pandas() -> Iterator[None]:
    """Lance is imported as if there were no pandas: pyarrow takes more than half of its start for it alone."""
    hook = _NoPandas()
    sys.meta_path.insert(0, hook)
    try:
        yield
    finally:
        sys.meta_path.remove(hook)


def _end_quickly() -> None:
    """At the end of the process leave its memory to the system: going through all objects takes a tenth of a second."""
    for ending in (gc.disable, gc.freeze):
        atexit.unregister(ending)
        atexit.register(ending)


def _where(pairs: Sequence[str]) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not sign or not key.strip():
            raise UsageError(f"--where {pair!r}: expected KEY=VALUE, as in --where period=FY2023")
        out.setdefault(key.strip(), []).append(value)
    return out


def _write_images(hits: Sequence[Hit], folder: Path) -> dict[int, str]:
    """Pictures by rank: a path, or why there is none; one that fails does not cost the others."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise UsageError(f"{folder}: cannot write pictures there: {e.strerror or e}") from e
    out = {}
    for hit in hits:
        path = folder / f"hit{hit.rank}_{_printable(Path(hit.source).stem)[:STEM]}_p{hit.page}.png"
        try:
            path.write_bytes(hit.image())
            out[hit.rank] = str(path)
        except (H3Error, OSError) as e:
            out[hit.rank] = f"none: {' '.join(str(e).split())}"
    return out


def _printable(text: str) -> str:
    """File names may hold control characters that a terminal would obey."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _print(hits: Hits, intent: str, pictures: dict[int, str], args: argparse.Namespace) -> None:
    if not hits:
        print("Nothing found" + (f" where {', '.join(args.where)}." if args.where else "."))
        return
    from h3cold.recall.snippet import snippet

    print(f"intent: {intent}")
    if not hits.fits:
        print(f"Nothing fits well (confidence {hits.confidence:.2f}); the nearest there is:")
    for hit in hits:
        box = ", ".join(f"{v:.0f}" for v in hit.bbox)
        pages = f"p. {hit.page}" if len(hit.pages) == 1 else f"p. {hit.page} (of {hit.pages[0]}–{hit.pages[-1]})"
        print(f"\n{hit.rank}. {_printable(hit.source)}  {pages}  [{box}]  {hit.kind}  score {hit.score:.3f}")
        if hit.headings:
            print(f"   {' › '.join(hit.headings)}")
        lines = snippet(hit, args.query) if args.context is None else hit.context(args.context).splitlines()
        for line in lines:
            print(f"   | {_printable(line)}")
        if hit.answer is not None and hit.answer.row:
            print(f"   answer: {_told(hit.answer)}")
        if hit.copies:
            print(f"   also in: {', '.join(map(_printable, hit.copies))}")
        print(f"   why: {hit.reason}")
        if hit.rank in pictures:
            print(f"   picture: {pictures[hit.rank]}")


def _told(answer: Answer) -> str:
    """A row and its columns as one line: "Dividends paid; 2023 = (2,310), 2022 = (2,210); in thousands"."""
    values = [f"{head} = {value}" for head, value in zip(answer.columns, answer.values, strict=True)]
    unit = f"in {answer.unit}" if answer.unit and answer.unit != "%" else ""
    return _printable("; ".join(filter(None, (answer.row, ", ".join(values), unit))))


def no_store(path: Path, as_of: str | None = None) -> bool:
    """A store or snapshot that is not there, or of another version, is the caller's mistake."""
    from h3cold.ingest.store.as_of import resolve
    from h3cold.ingest.store.manifest import read_manifest

    try:
        read_manifest(path, resolve(path, as_of))
    except H3Error as e:
        return not isinstance(e, CorruptionError)
    return False


def _fail(error: Exception, code: int) -> int:
    print(f"h3-recall: {' '.join(str(error).split())}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())

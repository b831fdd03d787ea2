"""The steps of a scheduled build as commands, for schedulers: `python -m h3cold.ingest.cli_steps --help`."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Sequence

from h3cold.ingest.cli_build import BUSY, INTERRUPTED, configuration, terminated
from h3cold.schemas.errors import H3Error, StoreBusyError, UsageError
from h3cold.schemas.export import to_json

NAME = "h3cold.ingest.cli_steps"
EXAMPLES = f"""\
examples:
  python -m {NAME} detect --path /data/pdfs --store ./h3_cold       prints {{"documents": ..., "batches": [NAME, ...]}}
  python -m {NAME} index --batch NAME --store ./h3_cold             one of them, in any order or side by side
  h3-index-builder --path /data/pdfs --store ./h3_cold              publishes them all, with what they left out

exit status: as of h3-index-builder
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a step; prints one JSON object and returns the exit status."""
    args = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, terminated)
    try:
        result = _run(args)
    except H3Error as e:
        return _say(str(e), 2 if isinstance(e, UsageError) else BUSY if isinstance(e, StoreBusyError) else 1)
    except KeyboardInterrupt:
        return _say("interrupted; what was finished is kept", INTERRUPTED)
    except (OSError, MemoryError) as e:
        return _say(
            f"{getattr(e, 'filename', None) or args.store}: {getattr(e, 'strerror', None) or type(e).__name__}", 1
        )
    print(json.dumps(result))
    return 3 if result.get("failures") else 0


def _parser() -> argparse.ArgumentParser:
    out = argparse.ArgumentParser(
        prog=f"python -m {NAME}", description="Index a folder in steps, for schedulers.", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
    )  # fmt: skip
    steps = out.add_subparsers(dest="step", required=True)
    detect = steps.add_parser("detect", help="compare the folder with the store, cut what changed into batches")
    detect.add_argument("--path", required=True, metavar="FOLDER", help="folder with the PDF files")
    detect.add_argument("--batch-documents", type=int, metavar="N", help="documents in a batch at most")
    index = steps.add_parser("index", help="index one batch; nothing is published")
    index.add_argument("--batch", required=True, metavar="NAME", help="its name, as detect printed it")
    index.add_argument("--workers", type=int, metavar="N", help="worker processes (default: one a core)")
    for step in (detect, index):
        step.add_argument("--store", default="./h3_cold", metavar="FOLDER", help="the cold store (default: ./h3_cold)")
        step.add_argument("--config", metavar="FILE", help="configuration, as for h3-index-builder")
    return out


def _run(args: argparse.Namespace) -> dict[str, object]:
    from h3cold.ingest.progress import open_progress
    from h3cold.ingest.steps import BATCH_DOCUMENTS, detect, index_batch

    if args.step == "detect":
        config = configuration(args.config, workers=None, ocr=None)
        count = BATCH_DOCUMENTS if args.batch_documents is None else args.batch_documents
        if count < 1:
            raise UsageError(f"--batch-documents: {count} is no number of documents")
        return to_json(detect(args.path, args.store, config, documents=count))
    config = configuration(args.config, workers=args.workers, ocr=None)
    progress = open_progress(sys.stderr)
    try:
        return to_json(index_batch(args.batch, args.store, config, progress=progress))
    finally:
        progress.close()


def _say(message: str, status: int) -> int:
    print(f"{NAME}: {' '.join(message.split())}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())

"""`h3-serve`: recall over HTTP. Parses and prints only."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from h3cold.recall.cli import no_store, open_config
from h3cold.schemas.errors import H3Error, UsageError, unforeseen
from h3cold.schemas.version import add_version

EXAMPLES = """\
examples:
  h3-serve --store ./h3_cold
  curl 'localhost:8733/recall?query=net+income+2023&top=3&where=company=Acme'
  curl localhost:8733/recall -d '{"query": "对比2022与2023年应收账款周转率", "intent": "structure"}'
  curl localhost:8733/blocks/BLOCK-ID
  curl localhost:8733/healthz

Answers are those of h3-recall --json. A newly published snapshot is taken up within seconds,
and a line says so. There is no access
control: listen elsewhere than on this machine only behind something that has. A signal to end lets what was asked be
answered first; a second one does not.

exit codes: 0 stopped (Ctrl-C, SIGTERM), 2 wrong usage or no store, 1 anything else
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until interrupted; returns the exit code."""
    args = _parser().parse_args(argv)
    logging.basicConfig(level=logging.INFO if args.verbose else logging.WARNING, format="%(message)s")
    try:
        return _serve(args)
    except UsageError as e:
        return _fail(e, 2)
    except H3Error as e:
        return _fail(e, 2 if no_store(Path(args.store)) else 1)
    except (OSError, ValueError) as e:
        return _fail(e, 1)
    except Exception as e:
        return _fail(RuntimeError(unforeseen(e)), 1)


def _serve(args: argparse.Namespace) -> int:
    from h3cold.recall.cold_tier import ColdTier
    from h3cold.recall.server import RecallServer

    for signum in (signal.SIGINT, signal.SIGTERM):  # a shell starts what runs behind it with SIGINT ignored
        signal.signal(signum, _interrupted)
    try:
        config = open_config(args.config)
        with (
            ColdTier.open(args.store, config=config) as tier,
            RecallServer(tier, args.host, args.port, _taken) as server,
        ):
            print(
                f"{args.store}, snapshot {tier.status()['snapshot']}: http://{args.host}:{server.server_port}",
                flush=True,
            )
            for line in tier.status()["without"]:
                print(f"note: {line}", file=sys.stderr)
            serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
            try:
                serving.start()
                serving.join()
            except KeyboardInterrupt:
                server.shutdown()
                server.drain()
                raise
    except KeyboardInterrupt:
        try:
            print("stopped", flush=True)
        except BrokenPipeError:  # nobody reads it any more; what is left in the buffer must not fail the exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _taken(snapshot: int) -> None:
    with contextlib.suppress(OSError):  # nobody reads it any more
        print(f"snapshot {snapshot} taken up", flush=True)


def _interrupted(signum: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="h3-serve",
        description="Answer questions to a cold store over HTTP, as JSON.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--store", default="./h3_cold", metavar="DIR", help="the cold store (default: ./h3_cold)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8733, help="port to listen on, 0 = a free one (default: 8733)")
    parser.add_argument("--config", metavar="FILE", help="configuration (default: h3_config.yaml where there is one)")
    parser.add_argument("--verbose", action="store_true", help="log every request to standard error")
    add_version(parser)
    return parser


def _fail(error: Exception, code: int) -> int:
    print(f"h3-serve: {' '.join(str(error).split())}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())

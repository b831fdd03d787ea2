"""The socket side of `h3-serve`: HTTP/1.1, a thread a connection, and a thread that looks for newer snapshots."""

from __future__ import annotations

import json
import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from h3cold.recall.cold_tier import ColdTier
from h3cold.recall.serve import Reply, answer
from h3cold.schemas.errors import H3Error, UsageError

LARGEST = 1 << 20
"""Bytes of a body that is read; a question has no more than 2,000 characters."""

SILENT = 30.0
"""Seconds after which a connection that says nothing is closed."""

LOOK = 2.0
"""Seconds between two looks for a newer snapshot."""

_LOG = logging.getLogger(__name__)


class RecallServer(ThreadingHTTPServer):
    """Serves one tier until `shutdown`. Port 0 takes a free one; `server_port` says which."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, tier: ColdTier, host: str, port: int) -> None:
        self.tier = tier
        self._over = threading.Event()
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as e:
            why = getattr(e, "strerror", None) or e
            raise UsageError(f"cannot listen on {host}:{port}: {why}; choose others with --host and --port") from e
        self._looking = threading.Thread(target=self._look, name="h3-refresh", daemon=True)
        self._looking.start()

    def _look(self) -> None:
        """Go on to newer snapshots; answers under way keep theirs."""
        while not self._over.wait(LOOK):
            try:
                if self.tier.refresh():
                    _LOG.info("snapshot %s", self.tier.status()["snapshot"])
            except (H3Error, OSError, ValueError) as e:  # the snapshot in hand still answers
                _LOG.warning("no newer snapshot: %s", e)

    def server_close(self) -> None:
        self._over.set()
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is nobody's error."""
        _LOG.debug("connection of %s broke off", client_address, exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = SILENT
    server: RecallServer
    error_content_type = "application/json; charset=utf-8"
    error_message_format = '{"error": "%(message)s"}'

    def version_string(self) -> str:
        return "h3-serve"

    def do_GET(self) -> None:
        self._reply(answer(self.server.tier, "GET", self.path))

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            self.close_connection = True
            self._reply(Reply(411, {"error": "no Content-Length; send the body whole, with its length"}))
        elif int(length) > LARGEST:
            self.close_connection = True
            self._reply(Reply(413, {"error": f"a body of {length} bytes; {LARGEST} are read, ask shorter"}))
        else:
            self._reply(answer(self.server.tier, "POST", self.path, self.rfile.read(int(length))))

    def _other(self) -> None:
        self.close_connection = True  # a body may follow that nobody reads
        self._reply(answer(self.server.tier, self.command, self.path))

    do_HEAD = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _other  # noqa: N815  (the base looks for these)

    def _reply(self, reply: Reply) -> None:
        # A lone surrogate, which JSON can spell, comes back spelt.
        body = json.dumps(reply.body, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if reply.allow:
            self.send_header("Allow", ", ".join(reply.allow))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # the base's name
        _LOG.info("%s %s", self.address_string(), format % args)

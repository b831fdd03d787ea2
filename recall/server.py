"""The socket side of `h3-serve`: HTTP/1.1, a thread a connection, and a thread that looks for newer snapshots."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from h3cold.recall.cold_tier import ColdTier
from h3cold.recall.older import Older
from h3cold.recall.serve import Reply, answer
from h3cold.schemas.errors import H3Error, UsageError

LARGEST = 1 << 20
"""Bytes of a body that is read; a question has no more than 2,000 characters."""

MOST = 256
"""Connections at a time; of the files that the process may open they take a half at most."""

FIRST = 5.0
"""Seconds after which a connection that begins no request, or no further one, is closed."""

SILENT = 30.0
"""Seconds after which one that stops in the middle of a request is closed."""

LOOK = 2.0
"""Seconds between two looks for a newer snapshot."""

DRAIN = 10.0
"""Seconds that requests under way have for their answers once the server is to end."""

QUIET = 0.2
"""Seconds without a request under way after which none is coming from connections that were taken."""

_DIGITS = 18
"""Of a body's length; Python reads no number of thousands."""

_LOG = logging.getLogger(__name__)


class RecallServer(ThreadingHTTPServer):
    """Serves one tier until `shutdown`. Port 0 takes a free one; `server_port` says which. `taken` is called with the
    number of each newer snapshot that it goes on to.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self, tier: ColdTier, host: str, port: int, taken: Callable[[int], None] = lambda snapshot: None
    ) -> None:
        self.tier, self._taken = tier, taken
        self.older = Older()
        self.ending = False
        self._over = threading.Event()
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._room = threading.BoundedSemaphore(MOST if files < 0 else max(1, min(MOST, files // 2)))
        self._guard = threading.Lock()
        self._busy = 0
        self._said = ""
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
                    self._taken(self.tier.status()["snapshot"])
                self._said = ""
            except (H3Error, OSError, ValueError) as e:  # the snapshot in hand still answers
                if str(e) != self._said:
                    _LOG.warning("no newer snapshot: %s", e)
                self._said = str(e)

    def get_request(self) -> tuple[Any, Any]:
        try:
            return super().get_request()
        except OSError as e:
            if e.errno in (errno.EMFILE, errno.ENFILE):  # who waits is told of at once again: do not spin
                time.sleep(0.1)
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        """Hand a connection to a thread of its own, where there is room for one more."""
        if not self._room.acquire(blocking=False):
            _turn_away(request)
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread was to be had
            self._room.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def count(self, begun: int) -> None:
        """A request began (1), or was answered (-1)."""
        with self._guard:
            self._busy += begun

    def drain(self) -> None:
        """After `shutdown`: take no more connections, wait for the answers under way, for `DRAIN` seconds at most."""
        self.socket.setblocking(False)
        until = time.monotonic() + DRAIN
        while time.monotonic() < until:  # those that the system took for us before
            try:
                request, client = self.get_request()
            except OSError:
                break
            request.setblocking(True)
            self.process_request(request, client)
        self.socket.close()
        self.ending = True
        quiet = time.monotonic()
        while quiet + QUIET > (now := time.monotonic()) and now < until:
            quiet = now if self._busy else quiet
            time.sleep(0.01)

    def server_close(self) -> None:
        self._over.set()
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is nobody's error."""
        level = logging.DEBUG if isinstance(sys.exc_info()[1], OSError) else logging.ERROR
        _LOG.log(level, "connection of %s broke off", client_address, exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = FIRST
    server: RecallServer
    begun = False
    asked = 0

    def version_string(self) -> str:
        return "h3-serve"

    def handle_one_request(self) -> None:
        self.connection.settimeout(FIRST)
        try:
            super().handle_one_request()
        finally:
            if self.begun:
                self.begun = False
                self.server.count(-1)

    def parse_request(self) -> bool:
        """Called when the first line is there."""
        self.begun = True
        self.server.count(1)
        self.asked += 1
        self.connection.settimeout(SILENT)
        if not super().parse_request():
            return False
        if self.server.ending:
            self.close_connection = True
            if self.asked > 1:
                self._reply(_ENDING)
                return False
        return True

    def _answer(self) -> None:
        body = self._body()
        if isinstance(body, Reply):  # nobody knows where the next request begins
            self.close_connection = True
            self._reply(body)
            self._linger()
        else:
            self._reply(answer(self.server.tier, self.command, self.path, body, self.server.older))

    do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _answer  # noqa: N815  (the base looks for these)

    def _body(self) -> bytes | Reply:
        """The request's body, or why it is not read."""
        lengths = {length.strip() for length in self.headers.get_all("Content-Length", [])}
        if "Transfer-Encoding" in self.headers:
            if lengths:
                return Reply(400, {"error": "both Transfer-Encoding and Content-Length; send the length alone"})
            return Reply(411, {"error": "no Content-Length; send the body whole, with its length"})
        if not lengths:
            if self.command == "POST":
                return Reply(411, {"error": "no Content-Length; send the body whole, with its length"})
            return b""
        length = lengths.pop()
        if lengths or not (length.isascii() and length.isdigit() and len(length) <= _DIGITS):
            return Reply(400, {"error": f"Content-Length {length[:40]!r}: give one number, the bytes of the body"})
        size = int(length)
        if size and self.command in ("GET", "HEAD"):
            return Reply(400, {"error": f"{self.command} with a body; ask by the query string, or by POST"})
        if size > LARGEST:
            return Reply(413, {"error": f"a body of {size} bytes; {LARGEST} are read, ask shorter"})
        try:
            body = self.rfile.read(size)
        except TimeoutError:
            return Reply(408, {"error": f"the body did not come within {SILENT:.0f} s"})
        if len(body) < size:
            return Reply(400, {"error": f"the body ends after {len(body)} of {size} bytes; send all of it"})
        return body

    def _linger(self) -> None:
        """Take what still comes for a moment: to close with some of it unread would cost the client our reply."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            until, left = time.monotonic() + 1, LARGEST
            while left > 0 and (wait := until - time.monotonic()) > 0:
                self.connection.settimeout(wait)
                got = len(self.connection.recv(65_536))
                left = left - got if got else 0

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """A request that the base class refuses, as JSON like all others."""
        self.request_version = self.protocol_version  # so that there is a status, whatever the first line was
        self.close_connection = True
        self._reply(Reply(code, {"error": " ".join((message or HTTPStatus(code).phrase).split())}))
        self._linger()

    def _reply(self, reply: Reply) -> None:
        try:
            body = _spelt(reply)
        except Exception:
            _LOG.exception("internal error: the answer to %s %.200s is no JSON", self.command, self.path)
            reply = _UNSPELT
            body = _spelt(reply)
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


_ENDING = Reply(503, {"error": "the server is ending; ask again later"})
_UNSPELT = Reply(500, {"error": "internal error: the answer is no JSON; the server's log shows where"})
_FULL = Reply(503, {"error": "too many connections; close some, or ask again later"})


def _spelt(reply: Reply) -> bytes:
    # A lone surrogate, which JSON can spell, comes back spelt.
    return json.dumps(reply.body, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _turn_away(request: socket.socket) -> None:
    """Tell a client for which there is no thread, without waiting for it."""
    body = _spelt(_FULL)
    head = f"HTTP/1.1 {_FULL.status} Service Unavailable\r\nContent-Type: application/json; charset=utf-8\r\n"
    with contextlib.suppress(OSError):
        request.setblocking(False)
        request.send(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
        request.shutdown(socket.SHUT_WR)
        request.recv(65_536)  # unread, it would cost the client this reply

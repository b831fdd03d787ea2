"""JSON over HTTP, with nothing but the standard library."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from h3cold.schemas.errors import PromotionError


@dataclass(frozen=True, slots=True)
class Answer:
    """Status and body (None where it is no JSON object) of a response, and its `Retry-After` in seconds, if any."""

    status: int
    body: dict[str, Any] | None
    retry_after: float | None


def call(url: str, body: dict[str, Any] | None = None, *, token: str = "", timeout: float = 30.0) -> Answer:
    """GET, or POST of `body`; any status is an answer.

    Raises:
        PromotionError: nobody answers at `url`.
    """
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    data = None if body is None else json.dumps(body).encode()
    if not url.startswith(("http://", "https://")):
        raise PromotionError(f"{url}: no address of a server; give http://HOST:PORT")
    asked = urllib.request.Request(url, data=data, headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=timeout) as response:
            return _answer(response.status, response.headers, response.read())
    except urllib.error.HTTPError as e:
        with e:
            return _answer(e.code, e.headers, e.read())
    except (OSError, ValueError) as e:  # URLError and time-outs are OSErrors
        raise PromotionError(f"{url}: no answer ({getattr(e, 'reason', e)}); is the server running?") from e


def _answer(status: int, headers: Any, raw: bytes) -> Answer:
    try:
        body = json.loads(raw)
    except ValueError:
        body = None
    wait = headers.get("Retry-After", "")
    return Answer(status, body if isinstance(body, dict) else None, float(wait) if wait.isdigit() else None)

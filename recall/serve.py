"""Recall over HTTP: what a request asks, and what it gets as status and JSON. No sockets here; see `server.py`.

    POST /recall     {"query", "intent"?, "top"?, "where"?, "context"?, "as_of"?}   what `h3-recall --json` prints, of
                     the newest snapshot or of that of "as_of"; "where" is {"key": value} or ["key=value"]
    GET  /recall     the same by ?query=…&intent=…&top=…&where=key=value
    GET  /blocks/ID  one block by the id that a hit carries; ?context=section, page, document or table: what is around
    GET  /healthz    whether the store reads, and at which snapshot; 503 where not

A refusal is {"error": message}, with what was wrong, where, and what to do.
"""

from __future__ import annotations

import difflib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from h3cold.recall.cold_tier import ColdTier
from h3cold.recall.context import check_scope
from h3cold.recall.filters import shown
from h3cold.recall.older import Older
from h3cold.recall.query import check_intent, check_request
from h3cold.schemas.errors import CorruptionError, H3Error, QueryError, StoreError, UsageError
from h3cold.schemas.export import to_json
from h3cold.schemas.hit import answer_json

FIELDS = ("query", "intent", "top", "where", "context", "as_of")
MOST_AROUND = 50
"""Hits whose context comes with them: each can be a whole document."""

_UNREADABLE = (H3Error, OSError, ValueError)
"""The last two are Lance's: files of the store are lost or damaged."""

_LOG = logging.getLogger(__name__)

PATHS = {"/recall": ("GET", "POST"), "/blocks/": ("GET",), "/healthz": ("GET",)}


class Reply(NamedTuple):
    """An HTTP status, what the body says as JSON, and for 405 the methods that are allowed."""

    status: int
    body: dict[str, Any]
    allow: tuple[str, ...] = ()


class _NotFoundError(H3Error):
    """There is nothing of that name."""


def answer(tier: ColdTier, method: str, target: str, body: bytes = b"", older: Older | None = None) -> Reply:
    """The reply to one request; `target` is its path and query string. Raises nothing: what nobody foresaw is logged.

    `older` keeps older snapshots open that were asked for by "as_of"; without it each is opened anew.
    """
    try:
        return _answer(tier, method, target, body, older or Older())
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as e:  # a panic of Lance's is no Exception
        _LOG.exception("internal error at %s %.200s", method, target)
        return _refused(500, f"internal error ({type(e).__name__}: {str(e)[:200]}); the server's log shows where")


def _answer(tier: ColdTier, method: str, target: str, body: bytes, older: Older) -> Reply:
    try:
        url = urlsplit(target)
    except ValueError as e:
        return _refused(400, f"the target {target[:80]!a} is no URL ({e}); ask as in /recall?query=net+income+2023")
    path = unquote(url.path)
    route = next((p for p in PATHS if path == p or (p.endswith("/") and path.startswith(p))), None)
    if route is None:
        return _refused(404, f"no {path[:80]!r} here; there are POST and GET /recall, GET /blocks/ID, GET /healthz")
    allowed = PATHS[route]
    if method == "HEAD":  # what GET would say, without its body: load balancers ask so
        method = "GET"
    if method not in allowed:
        return _refused(405, f"{route} takes {' and '.join(allowed)}, not {method[:20]}", allowed)
    if route == "/healthz":
        return _health(tier)
    try:
        tier = tier.fixed()  # all of a reply is of one snapshot
        if route == "/blocks/":
            return Reply(200, _block(tier, path.removeprefix(route), url.query))
        request = _from_body(body) if method == "POST" else _from_query(url.query)
        if "as_of" in request:
            tier = _older(older, tier, request.pop("as_of"))
        return Reply(200, _recall(tier, request))
    except _NotFoundError as e:
        return _refused(404, str(e))
    except UsageError as e:
        return _refused(400, str(e))
    except CorruptionError as e:
        return _refused(500, str(e))
    except StoreError as e:
        return _refused(503, str(e))
    except _UNREADABLE as e:
        return _refused(500, _unread(tier, e))


def _refused(status: int, why: str, allow: tuple[str, ...] = ()) -> Reply:
    return Reply(status, {"error": " ".join(why.split())}, allow)


def _from_body(body: bytes) -> dict[str, Any]:
    try:
        request = json.loads(body, object_pairs_hook=_once)
    except (ValueError, RecursionError) as e:
        raise QueryError(f'the body is no JSON ({e}); send an object such as {{"query": "net income 2023"}}') from e
    if not isinstance(request, dict):
        raise QueryError(f'the body is a JSON {type(request).__name__}; send an object with "query"')
    if isinstance(where := request.get("where"), list):
        request["where"] = _pairs(where)
    return _known(request)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object of which no name stands twice: Python would take the last without a word."""
    out: dict[str, Any] = {}
    for name, value in pairs:
        _put(out, name, value)
    return out


def _pairs(where: list[Any]) -> dict[str, list[str]]:
    """Filters that are written as key=value."""
    if not where:
        raise QueryError('where is an empty list; give key=value, as in ["period=FY2023"], or leave it out')
    out: dict[str, list[str]] = {}
    for pair in where:
        key, sign, wanted = pair.partition("=") if isinstance(pair, str) else ("", "", "")
        if not sign:
            raise QueryError(f"where={shown(pair)}: expected key=value, as in where=period=FY2023")
        out.setdefault(key.strip(), []).append(wanted)
    return out


def _from_query(query: str) -> dict[str, Any]:
    request: dict[str, Any] = {}
    where: list[str] = []
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name == "where":
            where.append(value)
        else:
            _put(request, name, int(value) if name == "top" and value.isdecimal() and len(value) < 10 else value)
    return _known(request | ({"where": _pairs(where)} if where else {}))


def _put(request: dict[str, Any], name: str, value: Any) -> None:
    if name in request:
        raise QueryError(f"{name[:40]} is given twice; give it once")
    request[name] = value


def _check_fields(request: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in request:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise QueryError(f"unknown field {str(name)[:40]!r}; {hint}known: {', '.join(known)}")


def _known(request: Mapping[str, Any]) -> dict[str, Any]:
    _check_fields(request, FIELDS)
    if "query" not in request:
        raise QueryError("no query; give one, as in ?query=net+income+2023")
    return {name: value for name, value in request.items() if value is not None or name == "query"}


def _recall(tier: ColdTier, request: Mapping[str, Any]) -> dict[str, Any]:
    query, intent = request["query"], request.get("intent", "auto")
    if intent == "document":
        for name, none in (("where", {}), ("context", None)):
            if request.get(name, none) != none:
                raise QueryError(f'"{name}" is for blocks; intent "document" does not take it')
        check_request(query, "auto", top := request.get("top", 5), {})
        found = tier.documents_like(query, top=top)
        told = {"query": query, "intent": intent, "hits": [asdict(h) for h in found]}
        return {**told, "fits": any(h.fits for h in found)}
    check_intent(intent, document=True)
    context = request.get("context")
    if context is not None:
        check_scope(context)
        if isinstance(wished := request.get("top"), int) and wished > MOST_AROUND:
            raise QueryError(
                f"top is {wished}: with a context at most {MOST_AROUND}; ask /blocks/ID for that of others"
            )
    hits = tier.recall(query, intent, request.get("top"), request.get("where"))
    return answer_json(query, intent if intent != "auto" else tier.decide(query).best, hits, context=context)


def _older(older: Older, tier: ColdTier, as_of: Any) -> ColdTier:
    try:
        return older.at(tier, as_of)
    except CorruptionError:
        raise
    except StoreError as e:
        raise _NotFoundError(str(e)) from e


def _unread(tier: ColdTier, e: Exception) -> str:
    return f"{tier.path}: the store does not read, see h3-monitor --verify ({str(e)[:200]})"


def _health(tier: ColdTier) -> Reply:
    """What is open, or why nothing can be answered from it."""
    try:
        tier = tier.fixed()
        tier.check()
        status = tier.status()
    except StoreError as e:
        return _refused(503, str(e))
    except _UNREADABLE as e:
        return _refused(503, _unread(tier, e))
    kept = ("snapshot", "created", "counts", "without")
    return Reply(200, {"status": "ok", **{name: status[name] for name in kept}})


def _block(tier: ColdTier, name: str, query: str) -> dict[str, Any]:
    """A block under the names that a hit has for the same things, with what is around it where that is asked for."""
    request: dict[str, str] = {}
    for field, value in parse_qsl(query, keep_blank_values=True):
        _put(request, field, value)
    _check_fields(request, ("context",))
    scope = request.get("context")
    if scope is not None:
        check_scope(scope)
    block, found = tier.block(name), tier.around(name)
    if block is None or found is None:
        snapshot = tier.status()["snapshot"]
        raise _NotFoundError(f"no block {name[:80]!r} in snapshot {snapshot}; ids are what hits call their block")
    document = tier.documents()[block.document]
    return {
        "block": block.id,
        "kind": block.kind,
        "document": block.document,
        "source": document["source"],
        "title": document["title"] or "",
        **{name: to_json(getattr(block, name)) for name in ("page", "pages", "bbox", "headings")},
        "text": block.captioned,
        "table": to_json(block.table),
        **({} if scope is None else {"context": found.context(scope)}),
        **({"cells": to_json(found.cells())} if scope == "table" else {}),
    }

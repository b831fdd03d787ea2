"""Recall over HTTP: the answers of `h3-recall --json`, clear refusals, newer snapshots, a clean end."""

import http.client
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.recall.serve import Reply, answer
from h3cold.recall.server import LARGEST, RecallServer
from h3cold.schemas.errors import UsageError
from h3cold.schemas.hit import hit_json

QUERY = "对比2022与2023年应收账款周转率"


@pytest.fixture(scope="module")
def port(tier):
    server = RecallServer(tier, "127.0.0.1", 0)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@contextmanager
def running(tier):
    with RecallServer(tier, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def read_reply(connection):
    reply = http.client.HTTPResponse(connection)
    reply.begin()
    return reply.status, json.loads(reply.read())


def ask(port, method, target, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, target, body, headers or {})
        reply = connection.getresponse()
        text = reply.read()
        assert reply.headers["Content-Type"].startswith("application/json")
        return reply.status, json.loads(text) if text else None
    finally:
        connection.close()


def test_answers_are_those_of_recall(port, tier):
    status, posted = ask(port, "POST", "/recall", json.dumps({"query": QUERY, "top": 3, "where": {"language": "zh"}}))
    hits = tier.recall(QUERY, top=3, where={"language": "zh"})
    assert status == 200 and list(posted) == ["query", "intent", "hits", "confidence", "fits"]
    assert posted["hits"] == json.loads(json.dumps([hit_json(hit) for hit in hits]))
    assert (posted["intent"], posted["confidence"]) == ("structure", round(hits.confidence, 3))
    given_twice = urlencode([("query", QUERY), ("top", "3"), ("where", "language=zh"), ("where", "kind=table"),
                             ("where", "kind=passage")])  # fmt: skip
    status, got = ask(port, "GET", f"/recall?{given_twice}")
    assert status == 200 and [h["block"] for h in got["hits"]] == [h["block"] for h in posted["hits"]]
    listed = {"query": QUERY, "top": 3, "where": ["language=zh", "kind=table", "kind=passage"]}
    assert ask(port, "POST", "/recall", json.dumps(listed)) == (200, got)


def test_whole_documents_are_answers_too(port, tier):
    status, got = ask(port, "GET", "/recall?query=price+of+steel&intent=document&top=2")
    assert status == 200
    assert [h["document"] for h in got["hits"]] == [h.document for h in tier.documents_like("price of steel", top=2)]
    assert ask(port, "GET", "/recall?query=steel&intent=document&where=page=1")[0] == 400


def test_a_look_without_a_body(port):
    assert ask(port, "HEAD", "/healthz") == (200, None)


def test_a_block_comes_by_its_id(port, tier):
    hit = tier.recall("price of steel")[0]
    status, block = ask(port, "GET", f"/blocks/{quote(hit.block)}")
    told = json.loads(json.dumps(hit_json(hit)))
    assert status == 200 and all(block[name] == told[name] for name in block if name != "text")
    assert hit.text == block["text"]


def test_health(port, tier):
    status, health = ask(port, "GET", "/healthz")
    assert status == 200 and health["status"] == "ok"
    assert health["counts"] == tier.status()["counts"] and health["snapshot"] == tier.status()["snapshot"]


@pytest.mark.parametrize(
    ("method", "target", "body", "status", "told"),
    [
        ("GET", "/", None, 404, "/recall"),
        ("GET", "/recalls?query=a", None, 404, "/recall"),
        ("GET", "/recall", None, 400, "no query"),
        ("GET", "/recall?query=", None, 400, "empty query"),
        ("GET", "/recall?query=%F0%9F%98%80", None, 400, "no word"),
        ("GET", "/recall?query=steel&quary=x", None, 400, "did you mean 'query'"),
        ("POST", "/recall", b'{"query": "steel", "top": 2, "query": "iron"}', 400, "query is given twice"),
        ("POST", "/recall", b'{"query": "a", "where": {"kind": "table", "kind": "figure"}}', 400, "kind is given"),
        ("GET", "/recall?query=steel&query=iron", None, 400, "given twice"),
        ("GET", "/recall?query=steel&top=0", None, 400, "1 to 1000"),
        ("GET", "/recall?query=steel&top=-1", None, 400, "1 to 1000"),
        ("GET", "/recall?query=steel&top=99999999999999999999", None, 400, "1 to 1000"),
        ("GET", "/recall?query=steel&top=NaN", None, 400, "1 to 1000"),
        ("GET", "/recall?query=steel&intent=tables", None, 400, "known: auto, text, structure, relation, document"),
        ("POST", "/recall", '{"query": "steel", "intent": "documnt"}', 400, "did you mean 'document'"),
        ("GET", "/recall?query=steel&context=pag", None, 400, "did you mean 'page'"),
        ("GET", "/recall?query=steel&context=document&top=51", None, 400, "at most 50"),
        ("GET", "/recall?query=steel&context=page&intent=document", None, 400, "is for blocks"),
        ("POST", "/recall", '{"query": "steel", "context": 3}', 400, "unknown scope"),
        ("POST", "/recall", '{"query": "steel", "intent": "document", "context": 0}', 400, "is for blocks"),
        ("POST", "/recall", '{"query": "steel", "intent": "document", "where": 0}', 400, "is for blocks"),
        ("GET", "/recall?query=steel&where=compny=a", None, 400, "did you mean 'company'"),
        ("GET", "/recall?query=steel&where=company", None, 400, "key=value"),
        ("POST", "/recall", "", 400, "no JSON"),
        ("POST", "/recall", "{", 400, "no JSON"),
        ("POST", "/recall", b"\xff\xfe", 400, "no JSON"),
        ("POST", "/recall", "[" * 5000, 400, "no JSON"),
        ("POST", "/recall", "[1]", 400, "object"),
        ("POST", "/recall", "{}", 400, "no query"),
        ("POST", "/recall", '{"query": null}', 400, "text, not NoneType"),
        ("POST", "/recall", '{"query": 7}', 400, "text, not int"),
        ("POST", "/recall", '{"query": "steel", "top": NaN}', 400, "not nan"),
        ("POST", "/recall", '{"query": "steel", "top": true}', 400, "1 to 1000"),
        ("POST", "/recall", '{"query": "steel", "intent": ["text"]}', 400, "unknown intent"),
        ("POST", "/recall", '{"query": "steel", "where": "a=b"}', 400, "where must map"),
        ("POST", "/recall", '{"query": "steel", "where": {"page": {}}}', 400, "page"),
        ("POST", "/recall", '{"query": "steel", "where": ["company"]}', 400, "key=value"),
        ("POST", "/recall", '{"query": "steel", "where": ["a=b", 7]}', 400, "key=value"),
        ("POST", "/recall", '{"query": "steel", "where": ["compny=a"]}', 400, "did you mean 'company'"),
        ("POST", "/healthz", "{}", 405, "GET"),
        ("DELETE", "/recall", None, 405, "GET and POST"),
        ("PUT", "/blocks/a", "x", 405, "GET"),
        ("GET", "/blocks/", None, 404, "no block"),
        ("GET", "/blocks/%00%FFx", None, 404, "no block"),
        ("GET", "/blocks/0123456789abcdef0123456789abcdef-00001-c1", None, 404, "in snapshot"),
        ("GET", "/blocks/a?context=table&context=page", None, 400, "context is given twice"),
        ("GET", "/blocks/../../etc/passwd", None, 404, "no block"),
        ("GET", "/healthz", '{"query": "steel"}', 400, "body"),
        ("TRACE", "/healthz", None, 501, "TRACE"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(port, method, target, body, status, told):
    got, reply = ask(port, method, target, body)
    assert got == status and list(reply) == ["error"] and told in reply["error"]


class PanicError(BaseException):
    """As what Rust raises: no Exception."""


@pytest.mark.parametrize("error", [KeyError("words"), RuntimeError("lance"), PanicError("index out of bounds")])
@pytest.mark.parametrize("target", ["/recall?query=steel", "/healthz", "/blocks/a"])
def test_what_nobody_foresaw_is_logged_and_told(port, tier, monkeypatch, caplog, error, target):
    def failing(*_, **__):
        raise error

    for name in ("recall", "check", "block"):
        monkeypatch.setattr(tier, name, failing)
    status, reply = ask(port, "GET", target)
    assert status == 500 and type(error).__name__ in reply["error"] and "log" in reply["error"]
    (record,) = [r for r in caplog.records if r.levelname == "ERROR"]
    assert target in record.getMessage() and record.exc_info[1] is error


def test_an_answer_that_json_cannot_say_is_told(port, monkeypatch, caplog):
    monkeypatch.setattr("h3cold.recall.server.answer", lambda *_: Reply(200, {"hits": {1, 2}}))
    status, reply = ask(port, "GET", "/recall?query=steel")
    assert status == 500 and "no JSON" in reply["error"] and "no JSON" in caplog.text


def test_bodies_without_a_length_or_too_long(port):
    assert ask(port, "POST", "/recall", headers={"Transfer-Encoding": "chunked"})[0] == 411
    assert ask(port, "POST", "/recall", headers={"Content-Length": str(LARGEST + 1)})[0] == 413


@pytest.mark.parametrize(
    ("sent", "status", "told"),
    [
        (b"POST /recall HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", 400, "Content-Length"),
        (b"POST /recall HTTP/1.1\r\nContent-Length: -5\r\n\r\n", 400, "Content-Length"),
        (b"POST /recall HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\nxxxxx", 400, "one number"),
        (b"POST /recall HTTP/1.1\r\nContent-Length: 50\r\n\r\n{}", 400, "2 of 50"),
        (b"POST /recall HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n", 400, "both"),
        (b"GET http://[zz]/recall?query=a HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "no URL"),
        (b"GET / HTTP/9.9\"\r\n\r\n", 400, 'HTTP/9.9"'),
        (b'F"O\\O / HTTP/1.1\r\n\r\n', 501, "Unsupported"),
        (b"\x16\x03\x01\x00\xa5\r\n\r\n", 400, "syntax"),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", 414, "Too Long"),
        (b"GET /healthz HTTP/1.1\r\n" + b"a: b\r\n" * 150 + b"\r\n", 431, "headers"),
    ],
)  # fmt: skip
def test_what_is_no_request_is_told_as_json_and_ends_the_connection(port, sent, status, told):
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        got, reply = read_reply(connection)
        assert got == status and list(reply) == ["error"] and told in reply["error"]
        assert connection.recv(1) == b""


def test_the_body_of_a_get_is_no_second_request(port):
    inner = b"GET /healthz HTTP/1.1\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(inner) + inner)
        assert read_reply(connection)[0] == 400
        assert connection.recv(1) == b""


def test_connections_beyond_the_room_are_turned_away_and_idle_ones_end(tier, monkeypatch):
    monkeypatch.setattr("h3cold.recall.server.MOST", 3)
    monkeypatch.setattr("h3cold.recall.server.FIRST", 0.5)
    with running(tier) as server:
        idle = [socket.create_connection(("127.0.0.1", server.server_port), timeout=30) for _ in range(3)]
        status, reply = ask(server.server_port, "GET", "/healthz")
        assert status == 503 and "too many connections" in reply["error"]
        assert [connection.recv(1) for connection in idle] == [b""] * 3
        for connection in idle:
            connection.close()
        until = time.monotonic() + 20
        while ask(server.server_port, "GET", "/healthz")[0] != 200 and time.monotonic() < until:
            time.sleep(0.05)
        assert ask(server.server_port, "GET", "/healthz")[0] == 200


def test_what_was_asked_before_the_end_is_answered_and_nothing_after(tier, monkeypatch):
    begun, go = threading.Event(), threading.Event()

    def slow(*given):
        begun.set()
        assert go.wait(30)
        return answer(*given)

    with running(tier) as server, socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as kept:
        kept.sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
        assert read_reply(kept)[0] == 200
        monkeypatch.setattr("h3cold.recall.server.answer", slow)
        with ThreadPoolExecutor(2) as pool:
            asked = pool.submit(ask, server.server_port, "GET", "/recall?query=steel")
            assert begun.wait(30)
            server.shutdown()
            drained = pool.submit(server.drain)
            until = time.monotonic() + 20
            while not server.ending and time.monotonic() < until:
                time.sleep(0.01)
            with pytest.raises(OSError):
                ask(server.server_port, "GET", "/healthz")
            kept.sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
            assert read_reply(kept)[0] == 503
            go.set()
            assert asked.result()[0] == 200 and asked.result()[1]["hits"]
            drained.result()


def test_a_lone_surrogate_and_many_characters_are_questions(port):
    assert ask(port, "POST", "/recall", '{"query": "steel \\ud800"}')[1]["query"] == "steel \ud800"
    status, reply = ask(port, "POST", "/recall", json.dumps({"query": "steel " * 10_000}))
    assert status == 200 and all("first 2,000 characters" in hit["reason"] for hit in reply["hits"]) and reply["hits"]


def test_many_at_once(port, tier):
    alone = [hit.block for hit in tier.recall("steel")]
    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(lambda _: ask(port, "GET", "/recall?query=steel"), range(36)))
    assert all(status == 200 and [h["block"] for h in reply["hits"]] == alone for status, reply in found)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["query", "intent", "top", "where", "x"]), json_values, max_size=4))
@settings(max_examples=25, deadline=None)
def test_any_object_gets_an_answer_or_a_refusal(tier, request):
    reply = answer(tier, "POST", "/recall", json.dumps(request).encode())
    assert reply.status in (200, 400) and ("hits" in reply.body) == (reply.status == 200)


@given(st.text(max_size=60))
@settings(max_examples=25, deadline=None)
def test_any_target_gets_an_answer_or_a_refusal(tier, text):
    for target in (
        text,
        f"/recall?query={text}",
        f"/recall?{text}",
        f"/blocks/{text}",
        f"/recall?query=a&where={text}",
    ):
        assert answer(tier, "GET", target).status in (200, 400, 404, 405)


def test_a_port_that_is_taken_is_told(tier, port):
    with pytest.raises(UsageError, match="cannot listen"):
        RecallServer(tier, "127.0.0.1", port)
    with pytest.raises(UsageError, match="cannot listen"):
        RecallServer(tier, "127.0.0.1", 70_000)

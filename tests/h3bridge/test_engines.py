"""Adapters against servers of the documented shapes, and the parts of policies and storages that are ours."""

import json
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from h3cold.h3bridge.engines import vllm_policy
from h3cold.h3bridge.engines.lmcache_server import LMCacheServer
from h3cold.h3bridge.engines.openai_server import OpenAIServer
from h3cold.h3bridge.engines.sglang_storage import PageStorage, page_hash
from h3cold.h3bridge.frames import Kind
from h3cold.h3bridge.protocol import Busy, Payload, State
from h3cold.schemas.errors import PromotionError, UsageError
from h3cold.schemas.tier import Tier


@pytest.fixture
def serve():
    servers = []

    def start(answer):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.reply(*answer("POST", self.path, body))

            def do_GET(self):
                self.reply(*answer("GET", self.path, None))

            def reply(self, status, body, headers=()):
                data = json.dumps(body).encode()
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args):
                return

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def tokens(key="k", ids=(1, 2, 3)):
    return Payload(key, Kind.TOKENS, b"", bytes, token_ids=tuple(ids))


def settled(target, ticket):
    for _ in range(500):
        progress = target.poll(ticket)
        if progress.state not in (State.WAITING, State.LOADING):
            return progress
        time.sleep(0.01)
    raise AssertionError("not over in five seconds")


def test_a_server_of_completions_is_warmed_by_one_token(serve):
    seen = []

    def answer(method, path, body):
        seen.append((method, path, body))
        return 200, {"choices": [{"text": "x"}]}

    target = OpenAIServer(serve(answer), "m", token="secret")
    assert settled(target, target.promote(tokens())).state is State.DONE
    text = Payload("t", Kind.TEXT, b"", lambda: "前缀".encode())
    assert settled(target, target.promote(text)).tier is Tier.HBM
    target.close()
    assert [(p, b["prompt"], b["max_tokens"]) for _, p, b in seen] == [
        ("/v1/completions", [1, 2, 3], 1), ("/v1/completions", "前缀", 1)]  # fmt: skip
    assert target.lookup(["t", "other"]) == {"t": Tier.HBM, "other": Tier.COLD}


def test_a_server_of_completions_that_fails_or_is_slow(serve):
    hold = threading.Event()

    def answer(method, path, body):
        hold.wait(10)
        return 429, {"error": {"message": "later"}}, [("Retry-After", "7")]

    target = OpenAIServer(serve(answer), "m", at_once=1)
    ticket = target.promote(tokens())
    assert isinstance(target.promote(tokens("other")), Busy)
    hold.set()
    failed = settled(target, ticket)
    assert failed.state is State.FAILED
    assert "429" in failed.reason
    nobody = OpenAIServer("http://127.0.0.1:9", "m", timeout=2)
    assert "is the server running" in settled(nobody, nobody.promote(tokens())).reason
    with pytest.raises(PromotionError, match="takes text and tokens"):
        target.promote(Payload("p", Kind.PAGE, b"", bytes))


def test_lmcache_is_asked_polled_and_believed(serve):
    polls = []

    def answer(method, path, body):
        if method == "POST":
            assert set(body) == {"model_name", "world_size", "token_ids", "cache_salt"}
            if body["model_name"] == "unregistered":
                return 503, {"detail": "no layout registered"}
            if not body["token_ids"][1:]:
                return 202, {"chunks": 0, "status": "noop"}
            if body["token_ids"][0] < 0:
                return 400, {"detail": "token cap exceeded"}
            return 202, {"request_id": f"r{body['token_ids'][0]}", "chunks": 2, "status": "submitted"}
        name = path.rsplit("/", 1)[1]
        polls.append(name)
        if name == "r9":
            return 404, {"detail": "unknown"}
        if polls.count(name) == 1:
            return 200, {"request_id": name, "status": "pending"}
        found = 2 if name == "r1" else 1
        return 200, {"request_id": name, "status": "completed", "found_keys": found, "total_keys": 2}

    url = serve(answer)
    target = LMCacheServer(url, "m")
    ticket = target.promote(tokens("whole", (1, 2)))
    assert target.poll(ticket).state is State.LOADING
    assert (target.poll(ticket).state, target.poll(ticket).tier) == (State.DONE, Tier.HBF)
    assert polls.count("r1") == 2, "a finished prefetch can be read only once: its end is remembered"
    part = target.promote(tokens("part", (5, 2)))
    assert (settled(target, part).tier, target.poll(part).reason) == (Tier.COLD, "1 of 2 keys were stored")
    assert settled(target, target.promote(tokens("short", (1,)))).reason.startswith("less than a chunk")
    assert settled(target, target.promote(tokens("lost", (9, 9)))).state is State.FAILED
    assert isinstance(LMCacheServer(url, "unregistered").promote(tokens()), Busy)
    with pytest.raises(PromotionError, match="token cap"):
        target.promote(tokens("x", (-1, 2)))
    with pytest.raises(PromotionError, match="token ids"):
        target.promote(Payload("t", Kind.TEXT, b"", bytes))
    assert target.lookup(["whole", "part"]) == {"whole": Tier.HBF, "part": Tier.COLD}


@dataclass
class Chunk:
    ref_cnt: int = 0


chunk_steps = st.lists(st.tuples(st.sampled_from(["use", "pin", "remove", "evict"]), st.integers(0, 11)), max_size=60)


@given(chunk_steps)
def test_the_vllm_policy_evicts_exactly_or_not_at_all(steps):
    policy, held = vllm_policy.AhasChunks(8), {}
    for action, number in steps:
        key = bytes([number])
        if action == "use":
            if key not in held:
                held[key] = Chunk()
                policy.insert(key, held[key])
            policy.on_request_finished([[key]], set(), set(), None)
        elif action == "pin" and key in held:
            held[key].ref_cnt ^= 1
        elif action == "remove" and key in held:
            policy.remove(key)
            del held[key]
        elif action == "evict":
            protected = {key}
            free = {k for k, c in held.items() if c.ref_cnt == 0 and k not in protected}
            wished = number % 4
            gone = policy.evict(wished, protected)
            assert (gone is None) == (len(free) < wished)
            for k, chunk in gone or ():
                assert k in free
                assert held.pop(k) is chunk
        assert all(policy.get(k) is c for k, c in held.items())
        assert policy.get(b"never") is None
    policy.clear()
    assert policy.evict(1, set()) is None


def test_hot_chunks_outlive_a_scan_in_the_vllm_policy():
    policy = vllm_policy.AhasChunks(4)
    for number in range(4):
        policy.insert(bytes([number]), Chunk())
    for _ in range(20):
        policy.touch([bytes([1]), bytes([2])])
    assert {k for k, _ in policy.evict(2, set())} == {bytes([0]), bytes([3])}


def config(folder, **changes):
    return SimpleNamespace(**{"extra_config": {"h3_path": str(folder)}, "model_name": "m", "tp_rank": 0, "tp_size": 1,
                              **changes})  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.uint8])
def test_pages_of_sglang_come_back_or_are_a_miss(tmp_path, dtype):
    storage = PageStorage(config(tmp_path))
    pages = [torch.arange(64, dtype=torch.float32).reshape(2, 32).to(dtype) + i for i in range(3)]
    keys = [page_hash([1, 2]), page_hash([3, 4], page_hash([1, 2])), page_hash([5, 6])]
    assert storage.batch_set(keys, pages)
    into = torch.zeros(64, dtype=dtype)
    assert torch.equal(storage.get(keys[1], into).reshape(2, 32), pages[1])
    assert all(torch.equal(a, b) for a, b in zip(storage.batch_get(keys), pages, strict=True))
    assert storage.batch_exists([*keys, "none"]) == 3
    assert storage.get(keys[0], torch.zeros(63, dtype=dtype)) is None
    assert PageStorage(config(tmp_path, tp_rank=1)).get(keys[0]) is None
    for file in tmp_path.rglob("*.frame"):
        data = bytearray(file.read_bytes())
        data[150] ^= 1
        file.write_bytes(data)
    assert storage.batch_get(keys) == [None] * 3
    assert not storage.exists(keys[0])
    assert storage.set(keys[0], pages[0])
    assert torch.equal(storage.get(keys[0]), pages[0])


def test_page_hashes_are_sglang_s():
    first = page_hash([1, 2])
    assert first.startswith("34fb5c825de7ca4a")
    assert page_hash([3, 4], first).startswith("c57b445f90651b9a")


def test_a_storage_without_a_folder_is_refused(tmp_path):
    with pytest.raises(UsageError, match="folder that is there"):
        PageStorage(config(tmp_path / "none"))

"""Request traces: a format of our own, a converter for public `hash_ids` traces, and generated workloads.

A trace file is JSON Lines. The first line is `{"format": "h3-trace", "version": 1, "name": ...}`, each further line one
request: `{"keys": [...]}` with the blocks it touches, best first, and `"vectors": {key: [...]}` for keys that are
named for the first time and whose embedding is known.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from h3cold.schemas.errors import UsageError

Request = tuple[list[str], dict[str, np.ndarray]]
"""Keys that one request touches, best first, and the embeddings of those that have one."""

FORMAT, VERSION = "h3-trace", 1
DIM, TOPIC, TOPICS = 32, 200, 100


def write_trace(path: Path, requests: Iterable[Request], *, name: str) -> int:
    """Write a trace; returns the number of requests."""
    seen: set[str] = set()
    count = 0
    with path.open("w", encoding="utf-8") as out:
        out.write(json.dumps({"format": FORMAT, "version": VERSION, "name": name}) + "\n")
        for keys, vectors in requests:
            count += 1
            line: dict[str, Any] = {"keys": keys}
            fresh = {k: np.round(v, 5).tolist() for k, v in vectors.items() if k not in seen}
            if fresh:
                line["vectors"] = fresh
                seen.update(fresh)
            out.write(json.dumps(line) + "\n")
    return count


def read_trace(path: Path) -> Iterator[Request]:
    """The requests of a trace file.

    Raises:
        UsageError: the file cannot be read, is no trace of this version, or a line is no request.
    """
    known: dict[str, np.ndarray] = {}
    for number, line in _lines(path):
        if number == 1:
            if line.get("format") != FORMAT or line.get("version") != VERSION:
                raise UsageError(
                    f"{path}: no {FORMAT} of version {VERSION}; `hash_ids` traces are to be converted first"
                )
            continue
        keys = line.get("keys")
        if not isinstance(keys, list) or not all(isinstance(k, str) for k in keys):
            raise UsageError(f"{path}, line {number}: a request is a list of names under `keys`")
        for key, vector in (line.get("vectors") or {}).items():
            known[key] = np.asarray(vector, dtype=np.float32)
        yield keys, {k: known[k] for k in keys if k in known}


def convert_hash_ids(path: Path) -> Iterator[Request]:
    """Requests of a public trace whose lines hold `hash_ids`, the ids of a prompt's blocks, prefix first.

    Raises:
        UsageError: the file cannot be read, or a line has no `hash_ids`.
    """
    for number, line in _lines(path):
        ids = line.get("hash_ids")
        if not isinstance(ids, list):
            raise UsageError(f"{path}, line {number}: no list `hash_ids`")
        yield [f"h{i}" for i in dict.fromkeys(ids)], {}


def recall_trace(requests: int, *, blocks: int, seed: int) -> Iterator[Request]:
    """Requests as recall makes them: topics with favourites, drift within and between topics, scans, reading on.

    Topics are drawn by a Zipf law and change every 50 requests on average; a request asks for up to 5 blocks of its
    topic, by a Zipf law over favourites that slowly change places. One request in 40 scans 30 blocks of a document at
    once, one in 60 starts reading on, 5 blocks a request for 6 requests. A block's vector (32-d) is its topic's plus
    noise; blocks of no topic have random vectors.
    """
    rng, noise = random.Random(seed), np.random.default_rng(seed)
    topics = [rng.sample(range(blocks), TOPIC) for _ in range(TOPICS)]
    centres = noise.standard_normal((TOPICS, DIM))
    table = noise.standard_normal((blocks, DIM))
    for members, centre in zip(topics, centres, strict=True):
        table[members] = centre + 0.7 * noise.standard_normal((TOPIC, DIM))
    table = (table / np.linalg.norm(table, axis=1, keepdims=True)).astype(np.float32)
    weights = [1 / (i + 1) for i in range(TOPICS)]
    inner = [1 / (i + 1) for i in range(TOPIC)]
    topic, reading = topics[0], 0
    place = 0
    for _ in range(requests):
        if rng.random() < 1 / 50:
            (topic,) = rng.choices(topics, weights)
        if rng.random() < 1 / 20:  # a favourite rises, another sinks
            one, other = rng.randrange(20), rng.randrange(TOPIC)
            topic[one], topic[other] = topic[other], topic[one]
        if reading:
            reading -= 1
            asked = list(range(place, place + 5))
            place += 5
        elif rng.random() < 1 / 40:
            start = rng.randrange(blocks - 30)
            asked = list(range(start, start + 30))
        elif rng.random() < 1 / 60:
            reading, place = 6, rng.randrange(blocks - 40)
            asked = list(dict.fromkeys(rng.choices(topic, inner, k=5)))
        else:
            asked = list(dict.fromkeys(rng.choices(topic, inner, k=5)))
        yield [_name(i) for i in asked], {_name(i): table[i] for i in asked}


def zipf_trace(requests: int, *, blocks: int, seed: int, skew: float = 0.9) -> Iterator[Request]:
    """One block a request, independently drawn by a Zipf law of exponent `skew`."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, blocks + 1) ** skew
    for i in rng.choice(blocks, size=requests, p=weights / weights.sum()):
        yield [_name(i)], {}


def scan_trace(requests: int, *, blocks: int, seed: int) -> Iterator[Request]:
    """Zipf requests with a scan over a twentieth of the blocks after every thousand."""
    rng = random.Random(seed)
    for number, request in enumerate(zipf_trace(requests, blocks=blocks, seed=seed), 1):
        yield request
        if number % 1000 == 0:
            start = rng.randrange(blocks - blocks // 20)
            for i in range(start, start + blocks // 20):
                yield [_name(i)], {}


def loop_trace(requests: int, *, blocks: int) -> Iterator[Request]:
    """The same blocks over and over, in order."""
    for i in range(requests):
        yield [_name(i % blocks)], {}


def chat_trace(requests: int, *, seed: int) -> Iterator[Request]:
    """Requests as in public `hash_ids` traces: conversations whose each turn repeats the prompt so far and adds to it.

    A few system prompts are shared by all; a conversation has 1 to 8 turns of 2 to 12 new blocks, and dozens of
    conversations are open at a time.
    """
    rng = random.Random(seed)
    systems = [[f"s{s}-{i}" for i in range(rng.randint(1, 12))] for s in range(12)]
    shares = [1 / (i + 1) for i in range(12)]
    waiting: list[tuple[int, list[str], int]] = []  # when, prompt so far, turns left
    fresh = 0
    for now in range(requests):
        due = [w for w in waiting if w[0] <= now]
        if due:
            chosen = min(due)
            waiting.remove(chosen)
            _, prompt, left = chosen
        else:
            (prompt,) = rng.choices(systems, shares)
            left = min(8, int(rng.expovariate(0.5)) + 1)
        new = rng.randint(2, 12)
        prompt = [*prompt, *(f"h{i}" for i in range(fresh, fresh + new))]
        fresh += new
        yield prompt, {}
        if left > 1:
            waiting.append((now + 1 + int(rng.expovariate(1 / 60)), prompt, left - 1))


def _name(place: int) -> str:
    return f"made-{place:06d}-c1"


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                try:
                    line = json.loads(text)
                except ValueError as e:
                    raise UsageError(f"{path}, line {number}: not JSON ({e})") from e
                if not isinstance(line, dict):
                    raise UsageError(f"{path}, line {number}: not an object")
                yield number, line
    except OSError as e:
        raise UsageError(f"{path}: cannot be read ({e.strerror})") from e
    except UnicodeDecodeError as e:
        raise UsageError(f"{path}: not UTF-8 text ({e.reason})") from e

"""What `H3Engine` does for a model: its forward served from the tiers, and prefixes kept for the next time.

Stored prefixes are pages named by a chain of digests, each over the one before and the page's token ids, within a
namespace of everything keys and values depend on. So a page is found only behind exactly the same tokens.
"""

from __future__ import annotations

import functools
import inspect
import json
import operator
import struct
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blake3 import blake3

from h3cold.h3bridge import frames
from h3cold.h3bridge.cold_pages import ColdPages, unpacked
from h3cold.h3bridge.kv_pages import PAGE_TOKENS, KVPages, page_frame, page_tensor
from h3cold.h3bridge.protocol import Payload
from h3cold.h3bridge.tiers import TierMemory
from h3cold.h3bridge.weights import weights_digest
from h3cold.schemas.errors import CorruptionError, PromotionError, UsageError
from h3cold.schemas.tier import Tier

if TYPE_CHECKING:
    from h3cold.h3bridge.engine import H3Engine
    from h3cold.h3bridge.kv_cache import PagedCache

WINDOW = 256
"""Recent tokens a layer keeps in HBM where the budget allows it."""

ATTENTION = ("exact", "recalled")
REUSE = ("auto", "always", "never")


@dataclass(frozen=True, slots=True)
class Prefill:
    """A prompt in a cache: `saved` of its `tokens` were read instead of computed; `logits` of the last token."""

    cache: PagedCache
    tokens: int
    saved: int
    logits: Any


def wrapped(engine: H3Engine, forward: Callable[..., Any], *, attention: str) -> Callable[..., Any]:
    """See `H3Engine.wrap_forward`."""
    if attention not in ATTENTION:
        raise UsageError(f"attention {attention!r}: known are {', '.join(ATTENTION)}")
    model = getattr(forward, "__self__", None)
    if model is None or not hasattr(model, "config"):
        raise UsageError("wrap_forward takes the bound forward of a transformers model: "
                         "model.forward = engine.wrap_forward(model.forward)")  # fmt: skip
    from transformers.cache_utils import DynamicCache

    exact = attention == "exact"
    new_cache(engine, model, exact=exact).close()  # what cannot be paged shows now

    names = [p.name for p in inspect.signature(forward).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]

    @functools.wraps(forward)
    def served(*args: Any, **kwargs: Any) -> Any:
        if len(args) <= len(names) and kwargs.keys().isdisjoint(names[: len(args)]):  # else forward itself says so
            kwargs, args = {**dict(zip(names, args, strict=False)), **kwargs}, ()
        given = kwargs.pop("past_key_values", None)  # its former name
        given = kwargs.get("cache") if given is None else given
        wished = kwargs.get("use_cache")
        wished = getattr(model.config, "use_cache", True) if wished is None else wished
        if given is None:
            given = new_cache(engine, model, exact=exact) if wished else None
        elif wished and type(given) is DynamicCache and not given.get_seq_length():
            new_cache(engine, model, exact=exact).take_over(given)  # the caller may pass his object again
        if given is not None:
            kwargs["cache"] = given
        mask = kwargs.get("attention_mask")
        if not exact and given is not None and mask is not None and getattr(mask, "ndim", 2) == 2:
            if not bool(mask.all()):
                raise UsageError("recalled attention takes prompts without padding: one at a time")
            kwargs["attention_mask"] = None  # all ones: it would not fit what is left out
        return forward(*args, **kwargs)

    return served


def new_cache(engine: H3Engine, model: Any, *, exact: bool = True, space: bytes | None = None) -> PagedCache:
    """An empty cache for the model over the engine's tiers.

    `space` is the namespace of prefixes it shares; without one its pages are its own, and nobody looks at the weights,
    which training changes at each step.
    """
    from h3cold.h3bridge.kv_cache import PagedCache

    cold = cold_pages(engine, space or frames.namespace("kv", "of one cache"))
    pages = KVPages(engine.tiers[Tier.HBM], engine.tiers[Tier.HBF], cold, make_room=engine.make_room,
                    guard=engine.guard, peers=engine.caches)  # fmt: skip
    return PagedCache(model.config, pages, window=WINDOW, exact=exact)


def cold_pages(engine: H3Engine, space: bytes) -> ColdPages:
    """The engine's cold pages of one namespace."""
    if space not in engine.cold:
        engine.cold[space] = ColdPages(engine.cold_path, space)
        engine.cold[space].sweep()
    return engine.cold[space]


def model_space(engine: H3Engine, model: Any) -> bytes:
    """Namespace of a model's keys and values: configuration, weights, dtype, page size and layout.

    Tokenizer and chat template decide which ids a prompt has, and pages are named by ids; the model's path counts, too.
    """
    config = {k: v for k, v in model.config.to_dict().items() if k not in ("_name_or_path", "transformers_version")}
    return frames.namespace(
        "kv", engine.model_path or "", type(model).__name__, json.dumps(config, sort_keys=True, default=str),
        weights_digest(model), str(model.dtype), str(PAGE_TOKENS), "page=[k/v,batch,head,token,dim]",
    )  # fmt: skip


def page_chain(token_ids: Sequence[int]) -> list[str]:
    """Names of the whole pages of a prompt: each digest covers all tokens up to its page's end."""
    out, before = [], b""
    for start in range(0, len(token_ids) - PAGE_TOKENS + 1, PAGE_TOKENS):
        ids = struct.pack(f"<{PAGE_TOKENS}I", *token_ids[start : start + PAGE_TOKENS])
        before = blake3(before + ids).digest()
        out.append(before.hex())
    return out


def prefill(engine: H3Engine, model: Any, token_ids: Sequence[int], *, chunk: int, reuse: str) -> Prefill:
    """See `H3Engine.prefill`."""
    import torch

    ids = checked_ids(model, token_ids)
    if not ids or chunk < 1 or reuse not in REUSE:
        raise UsageError(f"prefill takes at least one token, chunks of at least one, reuse as {', '.join(REUSE)}")
    cache = new_cache(engine, model, space=model_space(engine, model))
    saved = _adopt(engine, model, cache, ids, reuse) if reuse != "never" else 0
    logits, chain = None, page_chain(ids)
    stored = dict.fromkeys(cache.windows, saved // PAGE_TOKENS)
    for window in cache.windows.values():
        window.record(True)
    begun = time.perf_counter()
    with torch.no_grad():
        start = saved
        while start < len(ids):
            end = min(len(ids), (start // chunk + 1) * chunk)
            part = torch.tensor([ids[start:end]], device=model.device)
            out = model(input_ids=part, cache=cache, use_cache=True)
            logits, start = out.logits[:, -1, :], end
            for number, window in cache.windows.items():  # now, since it forgets them
                for page in window.take():
                    cold = cache.pages.cold
                    cold.put(page_frame(f"{chain[stored[number]]}/{number}", cold.space, page))
                    stored[number] += 1
    for window in cache.windows.values():
        window.record(False)
    engine.speeds.prefill.add(len(ids) - saved, time.perf_counter() - begun)
    _store(engine, model, cache, chain, saved)
    return Prefill(cache, len(ids), saved, logits)


def checked_ids(model: Any, token_ids: Sequence[int]) -> list[int]:
    """The ids as plain integers.

    Raises:
        UsageError: something is no integer, or no token of this model.
    """
    known = model.get_input_embeddings().num_embeddings
    try:
        ids = [operator.index(t) for t in token_ids]
    except TypeError as e:
        raise UsageError(f"prefill takes one prompt's token ids, a flat list of integers ({e})") from None
    wrong = next((i for i, t in enumerate(ids) if not 0 <= t < known), None)
    if wrong is not None:
        raise UsageError(f"token {wrong} has id {ids[wrong]}; this model knows 0 to {known - 1}: is it another "
                         "model's tokenizer?")  # fmt: skip
    return ids


def _adopt(engine: H3Engine, model: Any, cache: PagedCache, ids: list[int], reuse: str) -> int:
    """Append the longest stored prefix, leaving at least one token to compute; returns its tokens."""
    cold, hbf = cache.pages.cold, engine.tiers[Tier.HBF]
    chain = page_chain(ids[:-1])
    warm = bool(chain) and all(f"{chain[0]}/{layer}" in hbf for layer in range(len(cache.layers)))
    begun, adopted, size = time.perf_counter(), 0, 0
    for digest in chain:
        if not all(f"{digest}/{number}" in hbf or f"{digest}/{number}" in cold for number in cache.windows):
            break
        found = [_stored(cold, hbf, f"{digest}/{layer.layer}") for layer in cache.paged]
        whole = [frame for frame in found if frame is not None]
        if len(whole) < len(found):
            break
        size += sum(len(frame.payload) for frame in whole)
        per_token = size // (adopted + PAGE_TOKENS)
        if not adopted and reuse == "auto":  # the first page tells the size of the others
            there = next((i for i, d in enumerate(chain) if f"{d}/0" not in hbf and f"{d}/0" not in cold), len(chain))
            if not engine.speeds.worth_loading(there * PAGE_TOKENS, per_token, warm=warm):
                return 0
        for layer, frame in zip(cache.paged, whole, strict=True):
            with cache.pages.room(len(frame.payload), "a page on its way"):
                layer.adopt(page_tensor(frame).to(model.device))
        adopted += PAGE_TOKENS
    for number, window in cache.windows.items() if adopted else ():
        needed = [chain[page] for page in window.needs(adopted // PAGE_TOKENS)]
        last = [kept for digest in needed if (kept := _stored(cold, hbf, f"{digest}/{number}")) is not None]
        if len(last) < len(needed):  # damaged: all is computed, and it is written anew
            cache.reset()
            return 0
        window.adopt([page_tensor(kept) for kept in last], adopted, model.device)
    if adopted:
        (engine.speeds.hbf if warm else engine.speeds.cold).add(size, time.perf_counter() - begun)
    return adopted


def _stored(cold: ColdPages, hbf: Any, key: str) -> frames.Frame | None:
    data = hbf.get(key)
    if data is not None:
        try:
            return unpacked(frames.decode(data, key=key, namespace=cold.space))
        except CorruptionError:
            hbf.drop(key)  # the cold copy may be whole
    return cold.get(key)


def _store(engine: H3Engine, model: Any, cache: PagedCache, chain: list[str], saved: int) -> None:
    cold = cache.pages.cold
    for layer in cache.paged:
        for number in range(saved // PAGE_TOKENS, len(chain)):
            page = cache.pages.fetch(layer.keys_of_pages[number], model.device)
            cold.put(page_frame(f"{chain[number]}/{layer.layer}", cold.space, page))
    engine.prefixes.pop(chain[-1] if chain else "", None)
    if chain:
        engine.prefixes[chain[-1]] = (cold.space, tuple(chain), len(cache.layers))


def stored_pages(engine: H3Engine, model: Any, token_ids: Sequence[int]) -> list[Payload]:
    """See `H3Engine.stored_pages`."""
    cold = cold_pages(engine, model_space(engine, model))
    layers = len(new_cache(engine, model).layers)

    def reader(key: str) -> Callable[[], bytes]:
        def read() -> bytes:
            data = cold.raw(key)
            if data is None:
                raise PromotionError(f"page {key}: lost or damaged in {engine.cold_path}; prefill computes it anew")
            return data

        return read

    out = []
    for digest in page_chain(checked_ids(model, token_ids)):
        keys = [f"{digest}/{layer}" for layer in range(layers)]
        if not all(key in cold for key in keys):
            break
        out += [Payload(key, frames.Kind.PAGE, cold.space, reader(key)) for key in keys]
    return out


def warmup_tokens(engine: H3Engine, n: int) -> int:
    """See `H3Engine.warmup_tokens`."""
    if n < 0:
        raise UsageError(f"warmup_tokens({n}): give 0 or more tokens")
    left, warm = n // PAGE_TOKENS, 0
    for space, chain, layers in reversed(engine.prefixes.values()):
        keys = [[f"{digest}/{layer}" for layer in range(layers)] for digest in chain[:left]]
        flat = [key for page in keys for key in page]
        pages = warm_pages(flat, cold_pages(engine, space), engine.tiers[Tier.HBF], guard=engine.guard)
        done = pages // layers
        left, warm = left - done, warm + done
        if done < len(keys) or not left:
            break
    return warm * PAGE_TOKENS


def warm_pages(
    keys: Sequence[str], cold: ColdPages, hbf: TierMemory, *, readers: int = 4,
    guard: AbstractContextManager[Any] | None = None,
) -> int:  # fmt: skip
    """Bring pages from files into HBF, reading and checking several at a time; returns how many of the first are there.

    Stops at the first page that is not to be had, or does not fit.
    """
    guard = guard or nullcontext()
    with ThreadPoolExecutor(readers, thread_name_prefix="h3-pages") as pool:
        for number, (key, data) in enumerate(zip(keys, _read_ahead(pool, keys, cold, hbf, readers), strict=True)):
            with guard:
                if key in hbf:
                    continue
                if data is None or not hbf.fits(len(data)):
                    return number
                hbf.put(key, data)
    return len(keys)


def _read_ahead(
    pool: ThreadPoolExecutor, keys: Sequence[str], cold: ColdPages, hbf: TierMemory, readers: int
) -> Iterator[bytes | None]:
    """The pages' bytes in order, at most a few more read than were taken."""
    under_way: deque[Future[bytes | None]] = deque()
    for key in keys:
        under_way.append(pool.submit(lambda k: None if k in hbf else cold.raw(k), key))
        if len(under_way) > 2 * readers:
            yield under_way.popleft().result()
    while under_way:
        yield under_way.popleft().result()

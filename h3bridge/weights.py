"""What a model's weights are, so that keys and values are never those of other weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blake3 import blake3

SAMPLE = 64
"""Numbers of each weight that are looked at to see whether it changed."""


def weights_digest(model: Any) -> str:
    """`digest_weights`, made anew when the weights change: in place, by loading or merging others, or replaced."""
    weights = sorted(model.state_dict().items())
    mark = _mark(weights)
    known: tuple[bytes, str] | None = getattr(model, "_h3_weights", None)
    if known is None or known[0] != mark:
        known = model._h3_weights = mark, digest_weights(weights)
    return known[1]


def digest_weights(weights: Sequence[tuple[str, Any]]) -> str:
    """Digest over names, shapes, types and all bytes: a copy to the host at most, a gigabyte or more a second."""
    import torch

    digest = blake3(max_threads=blake3.AUTO)
    for name, tensor in weights:
        digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
        digest.update(memoryview(_bits(tensor).cpu().reshape(-1).view(torch.uint8).numpy()))
    return digest.hexdigest()


def _mark(weights: Sequence[tuple[str, Any]]) -> bytes:
    """What shows at little cost that weights changed: where they are, how often they were written to, and a sample.

    Writing through `.data`, as merging adapters does, is not counted by torch: the sample shows it.
    """
    import torch

    digest, samples = blake3(), []
    for name, tensor in weights:
        written = 0 if tensor.is_inference() else tensor._version
        digest.update(f"{name} {tensor.data_ptr()} {written}\n".encode())
        flat = _bits(tensor).reshape(-1)
        samples.append(flat[:: max(1, len(flat) // SAMPLE)].long())
    if samples:
        digest.update(torch.cat([s.cpu() for s in samples]).numpy().tobytes())
    return digest.digest()


def _bits(tensor: Any) -> Any:
    """A tensor's numbers as integers of the same width."""
    import torch

    widths = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    whole = tensor.detach().contiguous()
    return (whole if whole.dim() else whole.reshape(1)).view(widths.get(whole.element_size(), torch.uint8))

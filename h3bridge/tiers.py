"""The warm tiers: byte-budgeted holders of frames in host memory and, where CUDA is present, device memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from h3cold.schemas.errors import PromotionError


class FrameHolder(Protocol):
    """Where a tier's bytes sit."""

    medium: str

    def hold(self, data: bytes | memoryview) -> Any:
        """Copy `data` in; returns what stands for it."""

    def fetch(self, held: Any) -> bytes:
        """Copy it out again."""


class HostMemory:
    """Frames in this process's memory."""

    def __init__(self, medium: str = "host memory") -> None:
        self.medium = medium

    def hold(self, data: bytes | memoryview) -> bytes:
        return bytes(data)  # bytes never change: no second copy is needed

    def fetch(self, held: bytes) -> bytes:
        return held


class PinnedMemory:
    """Frames in page-locked host memory, from which a CUDA device copies at full speed."""

    medium = "pinned host memory"

    def hold(self, data: bytes | memoryview) -> Any:
        import torch

        return torch.frombuffer(bytearray(data), dtype=torch.uint8).pin_memory()

    def fetch(self, held: Any) -> bytes:
        return bytes(held.numpy())


class DeviceMemory:
    """Frames in the memory of a CUDA device, as uint8 tensors."""

    def __init__(self, device: str = "cuda:0") -> None:
        import torch

        self._torch, self._device = torch, device
        self.medium = f"device memory ({torch.cuda.get_device_name(device)})"

    def hold(self, data: bytes | memoryview) -> Any:
        return self._torch.frombuffer(bytearray(data), dtype=self._torch.uint8).to(self._device)

    def fetch(self, held: Any) -> bytes:
        return bytes(held.cpu().numpy())


def cuda_present() -> bool:
    """Whether a CUDA device can be used; torch is imported only on machines with an NVIDIA driver."""
    from pathlib import Path

    if not (Path("/proc/driver/nvidia").exists() or Path("/dev/nvidia0").exists()):
        return False
    import torch

    return bool(torch.cuda.is_available())


class TierMemory:
    """A budget of bytes filled with frames; `used` never exceeds `budget`, `peak` is the most it ever was."""

    def __init__(self, name: str, budget: int, holder: FrameHolder) -> None:
        if budget < 0:
            raise PromotionError(f"{name}: a budget of {budget} bytes makes no tier; give 0 or more")
        self.name, self.budget, self.holder = name, budget, holder
        self.used = self.peak = 0
        self._frames: dict[str, tuple[Any, int]] = {}
        self._objects: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._frames

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._frames if key not in self._objects)

    def __len__(self) -> int:
        return len(self._frames) - len(self._objects)

    @property
    def occupancy(self) -> float:
        """Used share of the budget, 0..1; a tier without a budget is full."""
        return self.used / self.budget if self.budget else 1.0

    def fits(self, size: int) -> bool:
        """Whether `size` more bytes stay within the budget."""
        return self.used + size <= self.budget

    def size(self, key: str) -> int:
        """Bytes the frame of `key` takes here.

        Raises:
            KeyError: it is not here.
        """
        return self._frames[key][1]

    def put(self, key: str, data: bytes | memoryview) -> None:
        """Take a frame in.

        Raises:
            PromotionError: it would exceed the budget; the tier is left as it was.
        """
        self.drop(key)
        if not self.fits(len(data)):  # what was here under the key is gone: it was another version
            raise PromotionError(f"{self.name}: {len(data)} bytes do not fit, {self.budget - self.used} are free")
        self._frames[key] = (self.holder.hold(data), len(data))
        self.used += len(data)
        self.peak = max(self.peak, self.used)

    def get(self, key: str) -> bytes | None:
        """The frame's bytes, unchecked, or None when it is not here."""
        held = self._frames.get(key)
        return None if held is None or key in self._objects else self.holder.fetch(held[0])

    def hold_object(self, key: str, held: Any, size: int) -> None:
        """Count `size` bytes that somebody holds here as a tensor, or elsewhere (None), against the budget.

        Raises:
            PromotionError: it would exceed the budget; the tier is left as it was.
        """
        freed = self._frames[key][1] if key in self._frames else 0
        if self.used - freed + size > self.budget:
            raise PromotionError(f"{self.name}: {size} bytes do not fit, {self.budget - self.used} are free")
        self.drop(key)
        self._frames[key] = (held, size)
        self._objects.add(key)
        self.used += size
        self.peak = max(self.peak, self.used)

    def object(self, key: str) -> Any:
        """What `hold_object` took under `key`, None when there is nothing."""
        return self._frames[key][0] if key in self._objects else None

    def drop(self, key: str) -> int:
        """Let a frame go; returns the bytes it freed (0 when it was not here)."""
        _, size = self._frames.pop(key, (None, 0))
        self._objects.discard(key)
        self.used -= size
        return size

"""Writes that survive a power cut: to a temporary name, synced, renamed, the folder synced."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

from blake3 import blake3

from h3cold.schemas.errors import StoreError

CHUNK = 4 << 20


def write_json(path: Path, value: Any) -> None:
    """Replace `path` by `value` as JSON: a reader sees the old file or the new one, never a part.

    Raises:
        StoreError: the file cannot be written.
    """
    write_bytes(path, (json.dumps(value, indent=1, ensure_ascii=True) + "\n").encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Replace `path` by `data`, as `write_json` does.

    Raises:
        StoreError: the file cannot be written.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        make_folder(path.parent)
        with draft.open("wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        draft.replace(path)
        sync_folder(path.parent)
    except OSError as e:
        draft.unlink(missing_ok=True)
        raise StoreError(f"{path}: cannot write: {e.strerror or e}") from e


def write_checked(path: Path, data: bytes) -> None:
    """Replace `path` by `data`, packed, with a checksum.

    Raises:
        StoreError: the file cannot be written.
    """
    packed = zlib.compress(data, 1)
    write_bytes(path, blake3(packed).digest() + packed)


def read_checked(path: Path) -> bytes | None:
    """What `write_checked` wrote; None where it is not there, or not whole."""
    try:
        data = path.read_bytes()
        return zlib.decompress(data[32:]) if blake3(data[32:]).digest() == data[:32] else None
    except (OSError, zlib.error):
        return None


def make_folder(path: Path) -> None:
    """Make a folder and those above it that are missing, with their names on the disk.

    Raises:
        OSError: it cannot be made.
    """
    missing = []
    while not path.is_dir():
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def seal(data: dict[str, Any]) -> dict[str, Any]:
    """`data` with a digest of itself, by which `sealed` tells whether it was altered."""
    return {**data, "digest": _own_digest(data)}


def sealed(data: dict[str, Any]) -> bool:
    """Whether what `seal` gave is as it was."""
    return data.get("digest") == _own_digest({k: v for k, v in data.items() if k != "digest"})


def _own_digest(data: dict[str, Any]) -> str:
    return blake3(json.dumps(data, sort_keys=True).encode()).hexdigest(16)


def file_digest(path: str | bytes | Path) -> str:
    """BLAKE3 of a file's bytes, 64 hex digits. Not by memory map: a file cut short meanwhile would kill the process.

    Raises:
        OSError: it cannot be read.
    """
    digest = blake3(max_threads=blake3.AUTO)
    with open(path, "rb", buffering=0) as f:  # noqa: PTH123  (a path in bytes, too)
        while chunk := f.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def sync_file(path: Path) -> None:
    """Have the file's content on the disk before anything that is written later."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_folder(path: Path) -> None:
    """Have the folder's names on the disk."""
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def walk_files(root: Path) -> list[Path]:
    """Every plain file below `root`, sorted; empty where there is no such folder."""
    return sorted(Path(folder) / name for folder, _, names in os.walk(root) for name in names)


def version_files(table: Path) -> dict[int, Path]:
    """Files of the versions of the Lance table in a folder, which Lance names in either of two ways."""
    paths = [p for p in (table / "_versions").glob("*.manifest") if p.stem.isdigit()]
    return {min(int(p.stem), 2**64 - 1 - int(p.stem)): p for p in paths}

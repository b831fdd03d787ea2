"""Files derived once from installed packages and kept in the user's cache."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from h3cold.schemas.errors import ModelError


def cached(name: str, build: Callable[[Path], None]) -> Path:
    """The file `name` in the user's cache, built by `build(path)` if it is not there yet.

    `name` carries a version: a file once there is never rewritten. Processes that build at the same time each write
    a file of their own and rename it into place, so that a reader sees a whole file or none.

    Raises:
        ModelError: neither the user's cache folder nor the temporary folder can be written.
    """
    failures = []
    for folder in _folders():
        path = folder / name
        if path.exists():
            return path
        try:
            _build_in(folder, path, build)
        except OSError as e:
            failures.append(f"{folder}: {e.strerror or e}")
            continue
        return path
    raise ModelError(f"no place to keep {name} ({'; '.join(failures)}); set XDG_CACHE_HOME to a folder you can write")


def _folders() -> tuple[Path, Path]:
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        home = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    except RuntimeError:  # no home folder is known for this user
        home = Path(tempfile.gettempdir())
    user = os.getuid() if hasattr(os, "getuid") else os.getlogin()
    return home / "h3cold", Path(tempfile.gettempdir()) / f"h3cold-{user}"


def _build_in(folder: Path, path: Path, build: Callable[[Path], None]) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise PermissionError(1, "belongs to another user")
    handle, scratch = tempfile.mkstemp(prefix=path.stem + ".", suffix=".part", dir=folder)
    os.close(handle)
    try:
        build(Path(scratch))
        with Path(scratch).open("rb") as f:
            os.fsync(f.fileno())  # the name must not outlive the content when the power goes
        Path(scratch).replace(path)
    finally:
        Path(scratch).unlink(missing_ok=True)

"""A disk cache that many processes share.

In: a key (text of any length) and bytes. Out: the bytes again, or None. Entries are named by the hash of their key and hold
a checksum, so that a torn or altered file is a miss and is removed; they are written under a temporary name and renamed, so
that a reader sees a whole entry or none. Nothing in it is executed, imported or unpickled. The cache never fails a launch: a
disk that is full or cannot be written only means that the next process compiles again.
Non-goals: what a key holds (`runtime.build`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

MAGIC = b"transpiler cache 1\n"
_DIGEST = hashlib.sha256().digest_size
DEFAULT_LIMIT = 512 * 1024 * 1024
_SUFFIX = ".bin"


@dataclass(frozen=True, slots=True)
class CacheInfo:
    folder: Path
    entries: int
    bytes: int
    limit: int


def default_folder() -> Path:
    """`TRANSPILER_CACHE_DIR`, else `transpiler` in the user's cache folder."""
    if named := os.environ.get("TRANSPILER_CACHE_DIR"):
        return Path(named).expanduser()
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "transpiler"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "transpiler" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "transpiler"
    return Path.home() / ".cache" / "transpiler"


def default_limit() -> int:
    """`TRANSPILER_CACHE_BYTES`, else 512 MiB."""
    text = os.environ.get("TRANSPILER_CACHE_BYTES", "")
    return int(text) if text.isdigit() else DEFAULT_LIMIT


class DiskCache:
    """Entries in one folder, the least recently used removed when they exceed `limit` bytes."""

    def __init__(self, folder: Path | None = None, limit: int | None = None) -> None:
        self.folder = default_folder() if folder is None else folder
        self.limit = default_limit() if limit is None else limit

    def _path(self, key: str) -> Path:
        name = hashlib.sha256(key.encode()).hexdigest()
        return self.folder / name[:2] / f"{name[2:]}{_SUFFIX}"

    def get(self, key: str) -> bytes | None:
        """The bytes of an entry, or None where there is none that is whole."""
        path = self._path(key)
        try:
            raw = path.read_bytes()
        except OSError:
            return None
        payload = _unwrap(raw)
        if payload is None:
            _remove(path)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the age decides what is removed first
        return payload

    def put(self, key: str, payload: bytes) -> None:
        """Write an entry; a disk that refuses is no error."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_atomically(path, _wrap(payload))
        except OSError:
            return
        self._shrink()

    def info(self) -> CacheInfo:
        files = self._files()
        return CacheInfo(self.folder, len(files), sum(size for _, size, _ in files), self.limit)

    def clear(self) -> int:
        """Remove every entry; returns how many there were."""
        files = self._files()
        for _, _, path in files:
            _remove(path)
        return len(files)

    def _files(self) -> list[tuple[float, int, Path]]:
        """(time of last use, bytes, path) of each entry."""
        found: list[tuple[float, int, Path]] = []
        for path in self.folder.glob(f"??/*{_SUFFIX}"):
            try:
                state = path.stat()
            except OSError:  # another process removed it
                continue
            found.append((state.st_mtime, state.st_size, path))
        return found

    def _shrink(self) -> None:
        files = sorted(self._files())
        total = sum(size for _, size, _ in files)
        for _, size, path in files:
            if total <= self.limit:
                return
            _remove(path)
            total -= size


def _wrap(payload: bytes) -> bytes:
    return MAGIC + hashlib.sha256(payload).digest() + payload


def _unwrap(raw: bytes) -> bytes | None:
    start = len(MAGIC) + _DIGEST
    if not raw.startswith(MAGIC) or len(raw) < start:
        return None
    payload = raw[start:]
    return payload if hashlib.sha256(payload).digest() == raw[len(MAGIC) : start] else None


def _write_atomically(path: Path, raw: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        os.replace(temporary, path)
    except OSError:
        _remove(Path(temporary))
        raise


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()

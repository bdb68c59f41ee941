"""The disk cache: whole entries or none, however many processes write and whatever happens to the disk."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from transpiler.runtime.cache import DiskCache, default_folder, default_limit


def entry(cache: DiskCache) -> Path:
    (path,) = cache.folder.glob("??/*.bin")
    return path


def test_what_was_put_is_got(tmp_path: Path):
    cache = DiskCache(tmp_path)
    assert cache.get("key") is None
    cache.put("key", b"\x00cubin")
    assert DiskCache(tmp_path).get("key") == b"\x00cubin"
    assert cache.get("other") is None
    cache.put("key", b"newer")
    assert cache.get("key") == b"newer"


@pytest.mark.parametrize(
    "damage", [lambda raw: raw[:-1], lambda raw: raw[:3], lambda raw: b"", lambda raw: raw[:-1] + b"?"]
)
def test_a_damaged_entry_is_a_miss_and_goes_away(tmp_path: Path, damage):
    cache = DiskCache(tmp_path)
    cache.put("key", b"payload" * 100)
    path = entry(cache)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get("key") is None
    assert not path.exists()
    cache.put("key", b"again")
    assert cache.get("key") == b"again"


def test_the_least_recently_used_goes_first(tmp_path: Path):
    cache = DiskCache(tmp_path, limit=2500)
    now = time.time()
    for age, key in ((300, "old"), (200, "middle")):
        cache.put(key, bytes(1000))
        path = cache._path(key)
        os.utime(path, (now - age, now - age))
    assert cache.get("old") is not None, "now it is the youngest"
    cache.put("new", bytes(1000))
    assert cache.get("middle") is None
    assert cache.get("old") is not None
    assert cache.get("new") is not None


def test_an_unwritable_folder_is_no_error(tmp_path: Path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    cache = DiskCache(blocked / "cache")
    cache.put("key", b"x")
    assert cache.get("key") is None
    assert cache.info().entries == 0
    assert cache.clear() == 0


def test_info_and_clear(tmp_path: Path):
    cache = DiskCache(tmp_path, limit=10**6)
    cache.put("a", b"1")
    cache.put("b", b"2")
    info = cache.info()
    assert (info.folder, info.entries, info.limit) == (tmp_path, 2, 10**6)
    assert cache.clear() == 2
    assert cache.info().entries == 0


def test_the_environment_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("TRANSPILER_CACHE_DIR", raising=False)
    assert default_folder() == tmp_path / "xdg" / "transpiler"
    monkeypatch.setenv("TRANSPILER_CACHE_DIR", str(tmp_path / "own"))
    assert default_folder() == tmp_path / "own"
    monkeypatch.setenv("TRANSPILER_CACHE_BYTES", "12345")
    assert default_limit() == 12345


WRITER = """
import sys
from pathlib import Path
from transpiler.runtime.cache import DiskCache
cache = DiskCache(Path(sys.argv[1]), limit=60_000)
for round in range(60):
    for key in range(5):
        want = bytes([key]) * (4000 + 100 * key)
        cache.put(str(key), want)
        got = cache.get(str(key))
        assert got is None or got == want
"""


def test_many_processes_share_it(tmp_path: Path):
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    for process in running:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()
    assert DiskCache(tmp_path).info().entries == 5
    assert not list(tmp_path.glob("**/.*.tmp"))

"""The parse tables on disk, so that a cold start neither imports Lark nor compiles the grammar.

In: the text of the grammar. Out: `Tables`, or nothing where the cache has none. A file is JSON in a folder of the user that
nobody else can write, named by a hash of all that it depends on, and put in place by an atomic rename: no file is unpickled,
none is half written, and an unwritable or damaged cache only costs time.
Non-goals: the cache of cubins (`runtime.cache`).
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from transpiler.frontend.tables import Tables

_FORMAT = "1"


def load(grammar: str) -> Tables | None:
    """The tables of this grammar if they are on disk and whole."""
    folder = _folder()
    if folder is None or not _is_private(folder):
        return None
    try:
        text = (folder / _name(grammar)).read_text(encoding="utf-8")
        checksum, _, data = text.partition("\n")
        return Tables.from_data(json.loads(data)) if checksum == _hash(data) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def store(grammar: str, tables: Tables) -> Tables:
    """Keep the tables for the next process, where that is possible; gives them back."""
    folder = _folder()
    if folder is None:
        return tables
    data = json.dumps(tables.to_data(), separators=(",", ":"))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_private(folder):
            _write(folder / _name(grammar), f"{_hash(data)}\n{data}")
    except OSError:
        pass
    return tables


def _write(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".tables-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _folder() -> Path | None:
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        root = Path(base) if base and os.path.isabs(base) else Path.home() / ".cache"
    except RuntimeError:  # no home folder
        return None
    return root / "transpiler" / "grammar"


def _is_private(folder: Path) -> bool:
    """A folder that another user owns or may write is not trusted."""
    try:
        status = folder.stat()
    except OSError:
        return False
    if not hasattr(os, "getuid"):
        return stat.S_ISDIR(status.st_mode)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


def _name(grammar: str) -> str:
    """The grammar, the Python and the Lark that made the tables: asking Lark for its version would mean importing it."""
    spec = find_spec("lark")
    status = os.stat(spec.origin) if spec and spec.origin else None
    lark = (status.st_mtime_ns, status.st_size) if status else ()
    return f"tables-{_hash(repr((_FORMAT, grammar, sys.version_info[:3], lark)))}.json"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]

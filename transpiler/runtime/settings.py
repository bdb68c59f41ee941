"""What the environment asks of launches.

In: environment variables, read when they are needed. Out: answers. Non-goals: the cache's own (`runtime.cache`).
"""

from __future__ import annotations

import os


def synchronous() -> bool:
    """`TRANSPILER_SYNC=1`: each launch waits, so that errors are raised where they were caused."""
    return _is_set("TRANSPILER_SYNC")


def sanitizing() -> bool:
    """`TRANSPILER_SANITIZE=1`, set by `transpile sanitize`: machine code knows its Python lines, arrays share no memory pool."""
    return _is_set("TRANSPILER_SANITIZE")


def _is_set(name: str) -> bool:
    return os.environ.get(name, "") not in ("", "0")

"""What `print` writes: one text a lane, in the order of the lanes.

In: parts (text, or a value a lane with a format spec). Out: texts appended to a list, up to a bound as a device has
one.
Non-goals: `printf` itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MOST = 100_000
"""Texts that a launch keeps."""


def print_lanes(printed: list[str], parts: list[str | tuple[np.ndarray, str]], count: int) -> None:
    columns = [part if isinstance(part, str) else [_formatted(value, part[1]) for value in part[0]] for part in parts]
    for i in range(min(count, MOST - len(printed))):
        printed.append("".join(column if isinstance(column, str) else column[i] for column in columns))


def _formatted(value: Any, spec: str) -> str:
    """Python's text for the value; without a spec a float shows its shortest digits in its own dtype."""
    if spec:
        return format(value.item() if value.dtype.kind in "biuf" else float(value), spec)
    return str(value.item()) if value.dtype.kind in "biu" else str(value)

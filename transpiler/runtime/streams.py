"""Streams of other libraries as addresses.

In: the `stream=` of a launch, or the producer of an array of another library. Out: the address of a CUDA stream; 0 is the
default stream.
Non-goals: waiting (`runtime.hazards`, `runtime.launch`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

_LEGACY = 1
"""How the array interface spells the default stream; CUDA takes 0 too."""

Producer = int | Callable[[], int]
"""A stream by address, or what is asked for it at each launch."""


def stream_pointer(stream: Any) -> int:
    """A CuPy, PyTorch or Numba stream, an object with `__cuda_stream__`, or an address."""
    if isinstance(stream, int):
        return 0 if stream == _LEGACY else stream
    for attribute in ("ptr", "cuda_stream", "handle"):
        address = getattr(stream, attribute, None)
        if address is not None:
            return int(getattr(address, "value", address) or 0)
    protocol: Any = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        answer: Any = protocol() if callable(protocol) else protocol
        return int(answer[1])
    raise TypeError(f"stream= takes a CuPy, PyTorch or Numba stream or an address, not {type(stream).__name__}")


def address_of(producer: Producer) -> int:
    return producer if isinstance(producer, int) else producer()


@cache
def torch_stream(device: int) -> Callable[[], int]:
    """PyTorch's current stream on a device, at each call."""

    def current() -> int:
        return int(sys.modules["torch"].cuda.current_stream(device).cuda_stream)

    raw = getattr(getattr(sys.modules.get("torch"), "_C", None), "_cuda_getCurrentRawStream", None)
    return current if raw is None else lambda: raw(device)

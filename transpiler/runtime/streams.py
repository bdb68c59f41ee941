"""Streams of other libraries as addresses.

In: the `stream=` of a launch, or an array of another library. Out: the address of a CUDA stream; 0 is the default stream.
Non-goals: waiting (`runtime.hazards`, `runtime.launch`).
"""

from __future__ import annotations

import sys
from typing import Any

from transpiler.runtime.arguments import ArrayArg

_LEGACY = 1
"""How the array interface spells the default stream; CUDA takes 0 too."""


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
        _, address = protocol() if callable(protocol) else protocol
        return int(address)
    raise TypeError(f"stream= takes a CuPy, PyTorch or Numba stream or an address, not {type(stream).__name__}")


def producer_stream(array: ArrayArg) -> int | None:
    """The stream that produces the contents of an array, where it says so."""
    if array.stream is not None:
        return stream_pointer(array.stream)
    if type(array.owner).__module__.partition(".")[0] == "torch":
        return int(sys.modules["torch"].cuda.current_stream(array.device).cuda_stream)
    return None

"""The C++ parameters of a launch as bytes.

In: the C++ parameters of a kernel and their values. Out: a buffer with the values, each aligned, and a table of their addresses:
what `cuLaunchKernel` takes. Non-goals: checks of the values (`runtime.scalars`, `runtime.checks`).
"""

from __future__ import annotations

import ctypes
import struct
from typing import Any

from transpiler.ir.abi import AbiParam
from transpiler.runtime.scalars import FORMATS

Buffer = tuple[Any, int, Any]
"""Memory with the parameters, the address of the table, and the table, which must live as long."""


class Packer:
    """Packs the C++ parameters: a buffer with them, and a table of their addresses, which is what CUDA takes.

    Only those of the source change from launch to launch; the sizes behind them are packed when a buffer is made.
    """

    def __init__(self, abi: tuple[AbiParam, ...], sizes: list[Any]) -> None:
        formats = [_format(param) for param in abi]
        self._changing = len(abi) - len(sizes)
        self._all = _struct(formats)
        self._sizes = sizes
        self._offsets = _offsets(formats)
        self.pack_into = _struct(formats[: self._changing]).pack_into
        """`pack_into(buffer, 0, *arguments)`."""
        self.size = self._all.size
        self.free: list[Buffer] = []
        """Buffers that no launch uses now: a list's `pop` and `append` are safe from several threads."""

    def buffer(self) -> Buffer:
        """A new buffer."""
        buffer = ctypes.create_string_buffer(max(self.size, 1))
        self._all.pack_into(buffer, 0, *[0] * self._changing, *self._sizes)
        base = ctypes.addressof(buffer)
        table = (ctypes.c_void_p * max(len(self._offsets), 1))(*(base + offset for offset in self._offsets))
        return buffer, ctypes.addressof(table), table


def _format(param: AbiParam) -> str:
    if param.kind in ("pointer", "failure"):
        return "Q"
    return FORMATS[param.dtype.name] if param.dtype is not None else "q"


def parameter_formats(abi: tuple[AbiParam, ...]) -> str:
    """The `struct` letters of C++ parameters."""
    return "".join(map(_format, abi))


def _struct(formats: list[str]) -> struct.Struct:
    return struct.Struct("=" + "".join(f"{pad}x{letter}" for pad, letter in _aligned(formats)))


def _aligned(formats: list[str]) -> list[tuple[int, str]]:
    """Each format with the padding before it."""
    out: list[tuple[int, str]] = []
    at = 0
    for letter in formats:
        size = struct.calcsize("=" + letter)
        pad = -at % size
        out.append((pad, letter))
        at += pad + size
    return out


def _offsets(formats: list[str]) -> list[int]:
    at = 0
    found: list[int] = []
    for pad, letter in _aligned(formats):
        found.append(at + pad)
        at += pad + struct.calcsize("=" + letter)
    return found

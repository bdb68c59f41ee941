"""Many kernels built by g++ at once, and kept from one test run to the next.

In: kernels of the device IR. Out: `HostKernel`s that run on NumPy arrays. Libraries are found again by the hash of the text
that they were built from, in the folder that pytest keeps between runs. Non-goals: the stand-ins for CUDA
(`tests.support.host_build`).
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.strategies.numbers import NUMPY
from tests.support import host_build
from tests.support.host_build import HERE, Deadlock, Failure
from transpiler.emit import FAILURE_WORDS, AbiParam, EmitOptions, emit_unit
from transpiler.ir import device

CACHE = Path(os.environ.get("PYTEST_CACHE", Path(__file__).parents[2] / ".pytest_cache")) / "d" / "host_kernels"
BATCH = 48
"""Kernels in one file: enough to share the headers, few enough for g++ to stay quick."""


@dataclass(frozen=True, slots=True)
class HostKernel:
    library: Path
    name: str
    abi: tuple[AbiParam, ...]
    shared_bytes: int

    def run(
        self,
        arguments: Mapping[str, Any],
        grid: Sequence[int],
        block: Sequence[int],
        dims: Mapping[str, int] | None = None,
    ) -> Failure | None:
        """Launch; arrays are changed in place. Returns the recorded check that failed first."""
        launch = getattr(ctypes.CDLL(str(self.library)), f"host_launch_{self.name}")
        launch.restype = ctypes.c_bool
        failure = np.zeros(FAILURE_WORDS, np.int64)
        given = {**arguments, **_half_scalars(self.abi, arguments)}
        holders = [host_build._holder(param, given, dims or {}, failure) for param in self.abi]
        pointers = (ctypes.c_void_p * max(len(holders), 1))(*(holder.ctypes.data for holder in holders))
        sizes = [(ctypes.c_uint * 3)(*(*size, 1, 1, 1)[:3]) for size in (grid, block)]
        if not launch(pointers, *sizes, ctypes.c_size_t(self.shared_bytes)):
            raise Deadlock(self.name)
        if failure[0] == 0:
            return None
        words = [int(word) for word in failure]
        return Failure(words[0], (words[1], words[2], words[3]), (words[4], words[5], words[6]), words[7], words[8])


def _half_scalars(abi: Sequence[AbiParam], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Half-precision scalars are passed by their bits."""
    halves = [p for p in abi if p.kind == "scalar" and p.dtype is not None and p.dtype.name in ("f16", "bf16")]
    return {p.name: np.array(arguments[p.name], NUMPY[p.dtype.name]).view(np.uint16)[()] for p in halves if p.dtype}


def build_kernels(kernels: Sequence[device.Kernel]) -> list[HostKernel]:
    """Build kernels in files of `BATCH`; their order is kept."""
    built: list[HostKernel] = []
    for first in range(0, len(kernels), BATCH):
        built += _build(kernels[first : first + BATCH])
    return built


def emitted(kernel: device.Kernel, number: int = 0) -> tuple[str, str, tuple[AbiParam, ...]]:
    """The text of a unit that holds this kernel alone, the kernel's C name in it, and its parameters."""
    named = replace(kernel, name=f"{kernel.name}_{number}")
    unit = emit_unit(f"unit_{number}", [named], options=EmitOptions(unchecked=True))
    entry = unit.entries[0]
    return unit.source, entry.name, entry.abi


def _build(kernels: Sequence[device.Kernel]) -> list[HostKernel]:
    units = [emitted(kernel, number) for number, kernel in enumerate(kernels)]
    entries = [(f"unit_{number}", name, abi) for number, (_, name, abi) in enumerate(units)]
    library = library_of(host_build.host_text("\n".join(text for text, _, _ in units), entries))
    return [HostKernel(library, name, abi, 0) for _, name, abi in units]


def library_of(text: str) -> Path:
    headers = b"".join((HERE / name).read_bytes() for name in ("host_cuda.h", "host_cuda_math.h"))
    digest = hashlib.sha256(text.encode() + headers + repr(host_build.FLAGS).encode()).hexdigest()[:24]
    kept = CACHE / f"{digest}.so"
    if not kept.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(f".{os.getpid()}")
        shutil.copy(host_build.build(text), part)
        part.replace(kept)
    return kept

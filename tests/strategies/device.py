"""Many kernels built by NVRTC at once, and run on a CUDA device as `host` runs them on the CPU.

In: kernels of the device IR. Out: `DeviceKernel`s that run on NumPy arrays. Needs cupy and a device.
Non-goals: launches as users make them (`tests.gpu.test_launch`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.strategies.host import emitted
from tests.strategies.numbers import NUMPY
from transpiler.emit import FAILURE_WORDS, AbiParam
from transpiler.ir import device
from transpiler.runtime import nvrtc

BATCH = 24


@dataclass(frozen=True, slots=True)
class DeviceKernel:
    function: Any
    abi: tuple[AbiParam, ...]

    def run(
        self,
        arguments: Mapping[str, Any],
        grid: Sequence[int],
        block: Sequence[int],
        dims: Mapping[str, int] | None = None,
    ) -> int:
        """Launch; arrays are changed in place. Returns the number of the recorded check that failed first, or 0."""
        import cupy

        held = {k: cupy.asarray(memory(v)) for k, v in arguments.items() if isinstance(v, np.ndarray)}
        failure = cupy.zeros(FAILURE_WORDS, np.int64)
        values = tuple(self._value(p, arguments, dims or {}, held, failure) for p in self.abi)
        if np.prod(grid):
            self.function((*grid, 1, 1)[:3], (*block, 1, 1)[:3], values)
        for name, array in held.items():
            memory(arguments[name])[:] = array.get()
        return int(failure[0])

    def _value(
        self,
        param: AbiParam,
        arguments: Mapping[str, Any],
        dims: Mapping[str, int],
        held: Mapping[str, Any],
        failure: Any,
    ) -> Any:
        wide = np.int64 if "long long" in param.cpp_type else np.int32
        match param.kind:
            case "pointer":
                return held[param.name]
            case "scalar":
                assert param.dtype is not None
                dtype = NUMPY["bool_" if param.dtype.name == "bool" else param.dtype.name]
                value = np.array(arguments[param.name], dtype)
                return value.view(np.uint16)[()] if param.dtype.name == "bf16" else value[()]
            case "dim":
                return wide(dims[param.name])
            case "extent":
                return wide(arguments[param.name].shape[param.axis])
        return failure


def memory(array: np.ndarray) -> np.ndarray:
    """The bytes of an array as they lie."""
    return (array if array.flags.c_contiguous else array.T).reshape(-1).view(np.uint8)


def build_on_device(kernels: Sequence[device.Kernel]) -> list[DeviceKernel]:
    """Build kernels that have the same options in modules of `BATCH`; their order is kept."""
    import cupy

    arch = f"sm_{cupy.cuda.Device().compute_capability}"
    built: list[DeviceKernel] = []
    for first in range(0, len(kernels), BATCH):
        units = [emitted(kernel, number) for number, kernel in enumerate(kernels[first : first + BATCH])]
        module = cupy.cuda.function.Module()
        module.load(nvrtc.compile("\n".join(text for text, _, _ in units), arch=arch, options=("--fmad=false",)))
        built += [DeviceKernel(module.get_function(name), abi) for _, name, abi in units]
    return built

"""The one interface between a launch and CUDA.

In: nothing. Out: `Driver`, which `device.CudaDriver` implements with CuPy and the tests implement with a fake, so that every
check, hazard, lifetime and failure of the launch is tested with no GPU; `Limits` and `Function`, plain data.
Non-goals: policy of any kind: a driver does what it is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Limits:
    """What a device allows. Grid and block extents are in x, y, z order."""

    arch: str
    threads_per_block: int = 1024
    block: tuple[int, int, int] = (1024, 1024, 64)
    grid: tuple[int, int, int] = (2**31 - 1, 65535, 65535)
    shared_per_block: int = 48 * 1024
    shared_per_block_optin: int = 48 * 1024
    multiprocessors: int = 1
    argument_bytes: int = 4096


@dataclass(frozen=True, slots=True)
class Function:
    """A kernel loaded on a device."""

    handle: int
    registers: int = 0
    static_shared: int = 0
    max_threads: int = 1024


class Stream(Protocol):
    """A stream that lives as long as the object."""

    @property
    def ptr(self) -> int: ...


class Driver(Protocol):
    """What a launch needs of CUDA; pointers, streams and function handles are integers, events are opaque."""

    errors: tuple[type[Exception], ...]
    """What its calls raise when CUDA reports an error."""

    def device(self) -> int:
        """The current device."""
        ...

    def limits(self, device: int) -> Limits: ...

    def load(self, device: int, image: bytes, symbol: str) -> Function: ...

    def allow_shared(self, function: Function, size: int) -> None:
        """Opt in to more than 48 KB of shared memory."""
        ...

    def resident_blocks(self, function: Function, threads: int, shared: int) -> int:
        """Blocks that a multiprocessor holds at once."""
        ...

    def launch(
        self,
        handle: int,
        grid_x: int,
        grid_y: int,
        grid_z: int,
        block_x: int,
        block_y: int,
        block_z: int,
        shared: int,
        stream: int,
        params: int,
        extra: int,
        /,
    ) -> None: ...

    def launch_cooperative(
        self,
        handle: int,
        grid_x: int,
        grid_y: int,
        grid_z: int,
        block_x: int,
        block_y: int,
        block_z: int,
        shared: int,
        stream: int,
        params: int,
        /,
    ) -> None: ...

    def current_stream(self, device: int = -1, /) -> Stream:
        """The stream that CuPy code of this thread uses now on a device, the current one unless named."""
        ...

    def synchronize(self, stream: int) -> None: ...

    def capturing(self, stream: int) -> bool: ...

    def record(self, stream: int) -> Any:
        """An event behind all work that the stream holds now."""
        ...

    def passed(self, event: Any) -> bool: ...

    def wait(self, stream: int, event: Any) -> None:
        """Work given to the stream from now on starts after the event."""
        ...

    def mark(self, stream: int) -> Any:
        """An event like `record`'s that knows its time."""
        ...

    def elapsed(self, first: Any, last: Any) -> float:
        """Microseconds between two marks that have passed."""
        ...

    def l2_bytes(self, device: int) -> int:
        """The size of the second-level cache."""
        ...

    def mapped(self, size: int) -> int:
        """The address of zeroed host memory that kernels can write, at the same address; it is never freed."""
        ...

    def device_of(self, pointer: int) -> int | None:
        """The device that a pointer belongs to; None for host memory."""
        ...

    def array_type(self) -> type:
        """The array class of the fast path: `data.ptr`, `data.device_id`, `dtype`, `shape`, `strides`, `_c_contiguous`."""
        ...

    def zeros(self, count: int, dtype: str) -> Any:
        """A new array of `array_type` on the current device."""
        ...

    def copy(self, value: Any) -> Any:
        """A contiguous copy, of `array_type`, of any device array."""
        ...

    def to_device(self, array: Any) -> Any:
        """A copy of a NumPy array."""
        ...

    def from_dlpack(self, value: Any) -> Any:
        """An array of `array_type` over the memory of a DLPack exporter."""
        ...

"""CUDA through CuPy: the only module that imports it.

In: nothing but a machine with CuPy. Out: `CudaDriver`, the `Driver` of real launches; `cuda_driver()`, one a process.
Works with the CuPy packages for CUDA 12 and 13. Non-goals: policy (`runtime.launch`); compiling (`runtime.nvrtc`).
"""

from __future__ import annotations

import ctypes
import threading
from functools import cache
from typing import Any

from transpiler.runtime.driver import Function, Limits
from transpiler.runtime.settings import sanitizing


class NoDevice(RuntimeError):
    """No CUDA device can be used, and why."""


class CudaDriver:
    """`Driver` on CuPy's driver and runtime bindings."""

    def __init__(self) -> None:
        try:
            import cupy
            from cupy_backends.cuda.api import driver, runtime  # pyright: ignore[reportAttributeAccessIssue]
        except ImportError as error:
            raise NoDevice(f"CuPy cannot be imported: {error}") from error
        try:
            count = runtime.getDeviceCount()
        except runtime.CUDARuntimeError as error:
            raise NoDevice(str(error)) from error
        if count == 0:
            raise NoDevice("the machine has no CUDA device")
        if sanitizing():
            cupy.cuda.set_allocator(None)  # within a pool an access behind an array still meets memory of the pool
        self._cupy = cupy
        self._driver = driver
        self._runtime = runtime
        self._modules: list[Any] = []
        self._limits: dict[int, Limits] = {}
        self._mapped: list[int] = []
        self.errors: tuple[type[Exception], ...] = (driver.CUDADriverError, runtime.CUDARuntimeError)
        self.device = runtime.getDevice
        self.launch = driver.launchKernel
        self.launch_cooperative = driver.launchCooperativeKernel
        self.synchronize = runtime.streamSynchronize
        self.current_stream = cupy.cuda.get_current_stream

    def limits(self, device: int) -> Limits:
        if device not in self._limits:
            self._limits[device] = self._read_limits(device)
        return self._limits[device]

    def _read_limits(self, device: int) -> Limits:
        runtime = self._runtime

        def attribute(name: str) -> int:
            return runtime.deviceGetAttribute(getattr(runtime, f"cudaDevAttr{name}"), device)

        properties = runtime.getDeviceProperties(device)
        major, minor = properties["major"], properties["minor"]
        wide = (major, minor) >= (7, 0) and runtime.driverGetVersion() >= 12010
        return Limits(
            arch=f"sm_{major}{minor}",
            threads_per_block=attribute("MaxThreadsPerBlock"),
            block=(attribute("MaxBlockDimX"), attribute("MaxBlockDimY"), attribute("MaxBlockDimZ")),
            grid=(attribute("MaxGridDimX"), attribute("MaxGridDimY"), attribute("MaxGridDimZ")),
            shared_per_block=attribute("MaxSharedMemoryPerBlock"),
            shared_per_block_optin=attribute("MaxSharedMemoryPerBlockOptin"),
            multiprocessors=attribute("MultiProcessorCount"),
            argument_bytes=32764 if wide else 4096,
        )

    def load(self, device: int, image: bytes, symbol: str) -> Function:
        driver = self._driver
        with self._cupy.cuda.Device(device):
            self._runtime.free(0)  # makes the context of the device
            module = self._cupy.cuda.function.Module()
            module.load(image)
            function = module.get_function(symbol)
        self._modules.append((module, function))
        handle = function.ptr
        return Function(
            handle,
            registers=driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_NUM_REGS, handle),
            static_shared=driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, handle),
            max_threads=driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, handle),
        )

    def allow_shared(self, function: Function, size: int) -> None:
        attribute = self._driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        self._driver.funcSetAttribute(function.handle, attribute, size)

    def resident_blocks(self, function: Function, threads: int, shared: int) -> int:
        return self._driver.occupancyMaxActiveBlocksPerMultiprocessor(function.handle, threads, shared)

    def capturing(self, stream: int) -> bool:
        return bool(self._runtime.streamIsCapturing(stream)) if stream else False

    def record(self, stream: int) -> Any:
        event = self._cupy.cuda.Event(disable_timing=True)
        self._runtime.eventRecord(event.ptr, stream)
        return event

    def passed(self, event: Any) -> bool:
        return event.done

    def wait(self, stream: int, event: Any) -> None:
        self._runtime.streamWaitEvent(stream, event.ptr, 0)

    def mark(self, stream: int) -> Any:
        event = self._cupy.cuda.Event()
        self._runtime.eventRecord(event.ptr, stream)
        return event

    def elapsed(self, first: Any, last: Any) -> float:
        return 1e3 * self._runtime.eventElapsedTime(first.ptr, last.ptr)

    def l2_bytes(self, device: int) -> int:
        return self._runtime.deviceGetAttribute(self._runtime.cudaDevAttrL2CacheSize, device)

    def mapped(self, size: int) -> int:
        runtime = self._runtime
        address = runtime.hostAlloc(size, runtime.hostAllocPortable | runtime.hostAllocMapped)
        ctypes.memset(address, 0, size)
        return address

    def device_of(self, pointer: int) -> int | None:
        runtime = self._runtime
        attributes = runtime.pointerGetAttributes(pointer)
        if attributes.type in (runtime.memoryTypeDevice, runtime.memoryTypeManaged):
            return attributes.device
        return None

    def array_type(self) -> type:
        return self._cupy.ndarray

    def zeros(self, count: int, dtype: str) -> Any:
        return self._cupy.zeros(count, dtype)

    def copy(self, value: Any) -> Any:
        return self._cupy.ascontiguousarray(value).copy()

    def from_dlpack(self, value: Any) -> Any:
        return self._cupy.from_dlpack(value)

    def to_device(self, array: Any) -> Any:
        """A copy of a NumPy array on the current device."""
        return self._cupy.asarray(array)

    def to_host(self, array: Any) -> Any:
        """A copy of a device array as a NumPy array, once what its stream has to do is done."""
        return self._cupy.asnumpy(array)


_lock = threading.Lock()


@cache
def _make() -> CudaDriver:
    return CudaDriver()


def cuda_driver() -> CudaDriver:
    """The driver of this process; raises `NoDevice` where there is none."""
    with _lock:
        return _make()

"""A driver that records what it is told, arrays with addresses and no memory, and kernels built by hand."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from transpiler.emit.abi import abi
from transpiler.errors import CompileError
from transpiler.ir import device as d
from transpiler.ir.types import BOOL, DTYPES, F32, I32, INDEX, DType
from transpiler.runtime.arguments import c_strides
from transpiler.runtime.driver import Function, Limits
from transpiler.runtime.instances import Instances
from transpiler.runtime.launch import Launcher, Shared
from transpiler.runtime.packing import parameter_formats
from transpiler.runtime.plan import Configuration
from transpiler.runtime.unit import MISSING, CompiledUnit, Dim3, Given, Parameter
from transpiler.source import Source, Span

SOURCE = Source("@kernel(domain=N, block=256)\ndef saxpy(a, x, y):\n    y[i] = a * x[i] + y[i]\n", "saxpy.py")
HERE = Span(0, 7)
OWN = Configuration()


@dataclass
class FakeEvent:
    stream: int
    number: int


@dataclass
class FakeStream:
    ptr: int


class FakeError(Exception):
    """What CUDA reports."""


@dataclass
class Launch:
    handle: int
    grid: Dim3
    block: Dim3
    shared: int
    stream: int
    arguments: list[Any]


class FakeDriver:
    """A `Driver` without a device. `log` holds launches, records and waits in order; `done` is how far each stream has come."""

    errors = (FakeError,)

    def __init__(self, devices: int = 1, limits: Limits | None = None) -> None:
        self.log: list[tuple[Any, ...]] = []
        self.launches: list[Launch] = []
        self.current = 0
        self.stream = 0
        self.done: dict[int, int] = {}
        self.recorded = 0
        self.captured: set[int] = set()
        self.destroyed: set[int] = set()
        self.functions: dict[int, CompiledUnit] = {}
        self.loads: list[tuple[int, bytes, str]] = []
        self.optins: list[int] = []
        self.fail: FakeError | None = None
        self.host: list[Any] = []
        self.pointers: dict[int, int] = {}
        self.formats: dict[int, str] = {}
        self.clock = 0.0
        """Microseconds; tests move it on."""
        self._limits = limits or Limits("sm_90", shared_per_block_optin=227 * 1024, multiprocessors=132)

    def device(self) -> int:
        return self.current

    def limits(self, device: int) -> Limits:
        return self._limits

    def load(self, device: int, image: bytes, symbol: str) -> Function:
        self.loads.append((device, image, symbol))
        return Function(handle=len(self.loads), registers=32, max_threads=1024)

    def allow_shared(self, function: Function, size: int) -> None:
        self.optins.append(size)

    def resident_blocks(self, function: Function, threads: int, shared: int) -> int:
        return 2

    def launch(self, handle, gx, gy, gz, bx, by, bz, shared, stream, params, extra, /) -> None:
        if self.fail is not None:
            raise self.fail
        arguments = [read_argument(params, i, f) for i, f in enumerate(self.formats.get(handle, ""))]
        self.launches.append(Launch(handle, (gx, gy, gz), (bx, by, bz), shared, stream, arguments))
        self.log.append(("launch", stream))

    def launch_cooperative(self, handle, gx, gy, gz, bx, by, bz, shared, stream, params, /) -> None:
        self.launch(handle, gx, gy, gz, bx, by, bz, shared, stream, params, 0)
        self.log[-1] = ("cooperative", stream)

    def current_stream(self, device: int = -1, /) -> FakeStream:
        return FakeStream(self.stream)

    def synchronize(self, stream: int) -> None:
        if self.fail is not None:
            raise self.fail
        self.log.append(("synchronize", stream))
        self.done[stream] = self.recorded

    def capturing(self, stream: int) -> bool:
        return stream in self.captured

    def record(self, stream: int) -> FakeEvent:
        assert stream not in self.destroyed, "CUDA crashes here"
        self.recorded += 1
        self.log.append(("record", stream))
        return FakeEvent(stream, self.recorded)

    def passed(self, event: FakeEvent) -> bool:
        return self.done.get(event.stream, 0) >= event.number

    def wait(self, stream: int, event: FakeEvent) -> None:
        self.log.append(("wait", stream, event.stream))

    def mark(self, stream: int) -> float:
        self.log.append(("mark", stream))
        return self.clock

    def elapsed(self, first: float, last: float) -> float:
        return last - first

    def l2_bytes(self, device: int) -> int:
        return 50 * 2**20

    def mapped(self, size: int) -> int:
        memory = ctypes.create_string_buffer(size)
        self.host.append(memory)
        return ctypes.addressof(memory)

    def device_of(self, pointer: int) -> int | None:
        return self.pointers.get(pointer, 0)

    def array_type(self) -> type:
        return FakeArray

    def zeros(self, count: int, dtype: str) -> Any:
        return array(count, dtype=dtype)

    def copy(self, value: Any) -> Any:
        return array(*value.shape, dtype=str(value.dtype))

    def to_device(self, value: Any) -> Any:
        return array(*value.shape, dtype=str(value.dtype))

    def from_dlpack(self, value: Any) -> Any:
        return value.array


def read_argument(table: int, number: int, letter: str) -> Any:
    """What CUDA would copy: the parameter behind an entry of the table."""
    address = ctypes.c_void_p.from_address(table + 8 * number).value
    assert address is not None
    return struct.unpack("=" + letter, ctypes.string_at(address, struct.calcsize("=" + letter)))[0]


@dataclass
class FakePointer:
    ptr: int
    device_id: int = 0


@dataclass
class FakeArray:
    """A device array for which memory is an address."""

    data: FakePointer
    shape: tuple[int, ...]
    dtype: np.dtype
    strides: tuple[int, ...]

    @property
    def _c_contiguous(self) -> bool:
        wanted = c_strides(self.shape, self.dtype.itemsize)
        return (
            all(n == 1 or s == w for n, s, w in zip(self.shape, self.strides, wanted, strict=True)) or 0 in self.shape
        )


_next = 0x10000


def array(
    *shape: int, dtype: str = "float32", at: int | None = None, strides: tuple[int, ...] | None = None, device: int = 0
):
    """A C-contiguous array at an address of its own, unless told otherwise."""
    global _next
    kind = np.dtype(dtype)
    if at is None:
        at = _next
        _next += max(int(np.prod(shape)) * kind.itemsize, 1) + 0x1000 & ~0xFFF
    return FakeArray(FakePointer(at, device), shape, kind, strides or c_strides(shape, kind.itemsize))


# --- kernels ------------------------------------------------------------------------------------------------


def const(value: int) -> d.Const:
    return d.Const(value, type=INDEX, span=HERE)


def dim(name: str) -> d.DimRef:
    return d.DimRef(name, type=INDEX, span=HERE)


def var(param: d.ScalarParam) -> d.Var:
    return d.Var(param, type=param.type, span=HERE)


def extent(name: str, axis: int = 0) -> d.Extent:
    return d.Extent(name, axis, type=INDEX, span=HERE)


def less(left: d.Expr, right: d.Expr, op: str = "<") -> d.Compare:
    return d.Compare(op, left, right, type=BOOL, span=HERE)


def binary(op: str, left: d.Expr, right: d.Expr) -> d.Binary:
    return d.Binary(op, left, right, type=INDEX, span=HERE)


def array_param(
    name: str, ownership: str, *shape: d.Expr, dtype: DType = F32, order: str = "C", span: Span = HERE
) -> d.ArrayParam:
    return d.ArrayParam(name, dtype, shape, ownership, order, span=span)


def scalar_param(name: str, dtype: DType = F32) -> d.ScalarParam:
    return d.ScalarParam(name, dtype, span=HERE)


def load(param: d.ArrayParam, *indices: d.Expr) -> d.Load:
    return d.Load(param, indices, type=param.dtype, span=HERE)


def kernel(name: str, *params: d.ScalarParam | d.ArrayParam, **rest: Any) -> d.Kernel:
    """A kernel whose body names the sizes of its arrays, so that they are passed."""
    index = d.LaunchVar("grid", 0, type=INDEX, span=HERE)
    body: list[d.Stmt] = list(rest.pop("body", ()))
    for size in rest.pop("passes", ()):
        target = d.Local("n", INDEX, span=HERE)
        body.append(d.Assign(target, size, span=HERE))
    for param in params:
        if isinstance(param, d.ArrayParam) and param.ownership != "in" and param.rank == 1:
            zero = d.Const(0, type=param.dtype, span=HERE)
            body.append(d.Store(param, (index,), zero, span=HERE))
    settings: dict[str, Any] = {"dims": (), "block": (256, None, None)} | rest
    settings["block"] = tuple(1 if i and b is None else b for i, b in enumerate(settings["block"]))
    return d.Kernel(name, SOURCE, params, body=tuple(body), span=HERE, **settings)


def saxpy(**rest: Any) -> d.Kernel:
    settings: dict[str, Any] = {"dims": ("N",), "domain": (dim("N"),), "passes": [dim("N")]} | rest
    params = (scalar_param("a"), array_param("x", "in", dim("N")), array_param("y", "inout", dim("N")))
    return kernel("saxpy", *params, **settings)


def anonymous(**rest: Any) -> d.Kernel:
    """`fill(y: Out[f32, int], n: i32)`, with `n <= len(y)` as its contract."""
    return kernel("fill", array_param("y", "out", extent("y")), scalar_param("n", I32), **rest)


@dataclass
class FakeProgram:
    """A program with one instance for all arguments, and one for each block of a caller unless `own_only`."""

    kernel: d.Kernel
    contract: tuple[str, ...] = ()
    own_only: bool = False
    free_contract: tuple[str, ...] | None = None
    defaults: dict[str, Any] = field(default_factory=dict)
    consts: tuple[str, ...] = ()
    checks: tuple[Any, ...] = ()
    requests: list[tuple[dict[str, Given], Dim3 | None]] = field(default_factory=list)

    name = property(lambda self: self.kernel.name)
    source = property(lambda self: self.kernel.source)
    span = property(lambda self: self.kernel.span)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        own = [Parameter(p.name, p.span, self.defaults.get(p.name, MISSING)) for p in self.kernel.params]
        return (*own, *(Parameter(name, HERE, is_const=True) for name in self.consts))

    def instance(self, given: Mapping[str, Given], block: Dim3 | None) -> CompiledUnit:
        self.requests.append((dict(given), block))
        kernel = self.kernel
        if block is None:
            return self._unit(kernel, self.contract)
        if self.own_only:
            raise CompileError(())
        free = d.Kernel(
            kernel.name,
            kernel.source,
            kernel.params,
            kernel.dims,
            kernel.body,
            block,
            requires=kernel.requires,
            arrays=kernel.arrays,
            axes=kernel.axes,
            span=kernel.span,
        )
        return self._unit(free, self.contract if self.free_contract is None else self.free_contract)

    def _unit(self, kernel: d.Kernel, contract: tuple[str, ...]) -> CompiledUnit:
        return CompiledUnit(
            kernel=kernel, abi=abi(kernel), symbol=kernel.name, cuda="// text", contract=contract, checks=self.checks
        )


class Bench:
    """A launcher on a fake driver."""

    def __init__(self, program: FakeProgram | d.Kernel, driver: FakeDriver | None = None) -> None:
        self.program = program if isinstance(program, FakeProgram) else FakeProgram(program)
        self.driver = driver or FakeDriver()
        self.shared = Shared(self.driver)
        self.launcher = Launcher(self.program, self.shared, Instances(self.driver, self._build))

    def _build(self, unit: CompiledUnit, arch: str) -> bytes:
        self.driver.formats[len(self.driver.loads) + 1] = parameter_formats(unit.abi)
        return f"cubin of {unit.symbol} for {arch}".encode()

    def __call__(self, *args: Any, config: Configuration = OWN, **options: Any) -> None:
        self.launcher(args, self.launcher.lane(config), **options)

    @property
    def launches(self) -> list[Launch]:
        return self.driver.launches


ALL_DTYPES = DTYPES

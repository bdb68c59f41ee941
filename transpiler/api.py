"""The Python interface: `@kernel`, `@device`, `transpile`.

In: a Python function, or the text of a kernel file. Out: `Kernel` objects that launch, `Result`s that hold text.
Decorating does nothing but remember the function: its source is read, proved and built by the first use.
Non-goals: what happens at a launch (`runtime.launch`), the passes (`pipeline`).
"""

from __future__ import annotations

import functools
import importlib
import sys
import threading
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from transpiler.errors import CompileError, DeviceError, LaunchError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import FrameType

    from transpiler.diagnostics import Diagnostic
    from transpiler.pipeline import FileReport
    from transpiler.prove import Proof
    from transpiler.runtime.bound import Bound
    from transpiler.runtime.handle import Handle
    from transpiler.simulate import Report
    from transpiler.source import Source

__all__ = [
    "CompileError",
    "Configured",
    "DeviceError",
    "DeviceFunction",
    "Kernel",
    "LaunchError",
    "Result",
    "device",
    "kernel",
    "synchronize",
    "transpile",
]


class Kernel:
    """A kernel: call it to launch with the grid that the decorator says, `k[grid, block](...)` for another one.

    Safe to share between threads; pickles by module and name.
    """

    def __init__(
        self, function: Callable[..., Any], options: dict[str, Any] | None = None, scope: dict[str, Any] | None = None
    ) -> None:
        functools.update_wrapper(self, function)
        self.options = options or {}
        self.scope = scope or {}
        """The local names around a kernel that was made inside a function: its annotations mean these."""
        self._lock = threading.Lock()
        self._made: Handle | None = None
        self._configured: dict[Any, Configured] = {}

    def __call__(self, *args: Any, stream: Any = None, sync: bool = False, **named: Any) -> None:
        """Launch with the kernel's own grid; the stream is the caller's current one unless given.

        `sync=True` waits for the kernel, so that its failures are raised here.
        """
        handle = self._made or self._handle()
        lane = handle.own_lane
        if named or len(args) != handle.count:
            args = lane.launcher.bind_arguments(args, named)
        lane.launcher(args, lane, stream, sync)

    def __getitem__(self, configuration: tuple[Any, Any]) -> Configured:
        """`k[grid, block]`: x, y, z extents as integers or tuples."""
        found = self._configured.get(configuration)
        if found is None:
            found = self._configured[configuration] = Configured(self, configuration)
            if len(self._configured) > 4096:
                self._configured.clear()
        return found

    def bind(self, *args: Any, stream: Any = None, **named: Any) -> Bound:
        """Check the arguments once; the result launches with them when it is called."""
        handle = self._handle()
        return handle.bind(handle.launcher.bind_arguments(args, named), handle.own_lane, stream)

    def simulate(
        self,
        *args: Any,
        grid: Any = None,
        block: Any = None,
        schedule: str | int | None = None,
        smem: int = 0,
        **named: Any,
    ) -> Report:
        """Run on NumPy arrays, on this machine: what the kernel means, with races and bad accesses found.

        `schedule` is the order in which threads act where an order shows: `None` ascending, `"reverse"`, or a seed.
        """
        return self._handle().simulate(args, named, grid, block, schedule=schedule, smem=smem)

    # --- what the compiler made of it ---------------------------------------------------------------------

    @property
    def source(self) -> str:
        """The CUDA C++ text."""
        return self._handle().unit().source

    @property
    def header(self) -> str:
        """The C++ header with the kernel's prototype and contract."""
        return self._handle().unit().header

    @property
    def contract(self) -> tuple[str, ...]:
        """What every launch is checked for."""
        return self._handle().report().contract

    @property
    def proof(self) -> Proof:
        """What was proved, under which assumptions."""
        return self._handle().proof()

    def ptx(self, arch: str) -> str:
        """PTX for an architecture such as `sm_90`; needs no GPU."""
        return self._handle().ptx(arch)

    def cubin(self, arch: str) -> bytes:
        """Machine code for an architecture such as `sm_90`; needs no GPU."""
        return self._handle().cubin(arch)

    def __repr__(self) -> str:
        return f"<kernel {getattr(self, '__module__', '?')}.{getattr(self, '__qualname__', '?')}>"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        return _find, (self.__module__, self.__qualname__)  # type: ignore[attr-defined]

    def _handle(self) -> Handle:
        with self._lock:
            if self._made is None:
                from transpiler.runtime.handle import Handle

                self._made = Handle(self)
            return self._made


class Configured:
    """`k[grid, block]`: launches with the caller's grid and block."""

    def __init__(self, kernel: Kernel, configuration: tuple[Any, Any]) -> None:
        self._kernel = kernel
        self._asked = configuration
        self._lanes: dict[int, Any] = {}

    def __call__(self, *args: Any, stream: Any = None, smem: int = 0, sync: bool = False, **named: Any) -> None:
        handle = self._kernel._made or self._kernel._handle()
        lane = self._lanes.get(smem)
        if lane is None:
            lane = self._lanes[smem] = handle.lane(self._asked, smem)
        if named or len(args) != handle.count:
            args = lane.launcher.bind_arguments(args, named)
        lane.launcher(args, lane, stream, sync)

    def bind(self, *args: Any, stream: Any = None, smem: int = 0, **named: Any) -> Bound:
        handle = self._kernel._handle()
        return handle.bind(handle.launcher.bind_arguments(args, named), handle.lane(self._asked, smem), stream)


class DeviceFunction:
    """A function of the kernel language; kernels call it, the host cannot."""

    def __init__(self, function: Callable[..., Any], scope: dict[str, Any] | None = None) -> None:
        functools.update_wrapper(self, function)
        self.scope = scope or {}

    def __call__(self, *_args: object, **_keywords: object) -> object:
        name = getattr(self, "__name__", "?")
        raise TypeError(f"`{name}` is a @device function: kernels call it; it has no host version")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        return _find, (self.__module__, self.__qualname__)  # type: ignore[attr-defined]


def _find(module: str, qualname: str) -> Any:
    """A kernel again, in another process."""
    value: Any = importlib.import_module(module)
    for name in qualname.split("."):
        if name == "<locals>":
            raise LookupError(f"`{qualname}` of `{module}` was made inside a function: such a kernel does not pickle")
        value = getattr(value, name)
    return value


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...
@overload
def kernel(
    *,
    block: Any = ...,
    grid: Any = ...,
    domain: Any = ...,
    instances: Sequence[Mapping[str, Any]] = ...,
    checks: Literal["static", "dynamic"] = ...,
    asserts: Literal["on", "off"] = ...,
    fma: Literal["on", "off"] = ...,
    fast_math: bool = ...,
    deterministic: bool = ...,
    min_blocks: int = ...,
    max_registers: int = ...,
    track: Literal["simt", "tile"] = ...,
) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Mark a function as a kernel: `@kernel` or `@kernel(domain=N, block=256)`.

    `block`, `grid` and `domain` are in x, y, z order; `domain` starts `ceil(domain / block)` blocks an axis. `checks="dynamic"`
    turns bounds that are not proved into run-time checks. The compiler reads these from the text of the file.
    """
    frame = sys._getframe(1)
    if function is not None:
        return Kernel(function, options, _scope(function, frame))
    return lambda decorated: Kernel(decorated, options, _scope(decorated, frame))


def device(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that kernels can call."""
    return DeviceFunction(function, _scope(function, sys._getframe(1)))


def _scope(function: Callable[..., Any], frame: FrameType) -> dict[str, Any]:
    """Names that the decorator and the annotations of a function mean, which no closure keeps."""
    return dict(frame.f_locals) if "<locals>" in function.__qualname__ else {}


def synchronize(stream: Any = None) -> None:
    """Wait for a stream (the current one) and raise what kernels have recorded: failed checks and assertions."""
    from transpiler.runtime.session import session

    session().shared.synchronize(stream)


class Result(NamedTuple):
    """What `transpile` returns. Texts are None where something is not proved; `diagnostics` says what."""

    source: str | None
    header: str | None
    manifest: dict[str, Any] | None
    contract: dict[str, tuple[str, ...]]
    """The conditions of each kernel."""
    diagnostics: tuple[Diagnostic, ...]
    report: FileReport

    @property
    def ok(self) -> bool:
        return self.source is not None


def transpile(source: str | Path | Source | Kernel, *, path: str = "<string>", arch: str | None = None) -> Result:
    """Text of a kernel file (or a path, or a kernel) to CUDA C++; needs no GPU, and raises nothing for what the text says."""
    from transpiler import pipeline
    from transpiler.diagnostics import Severity

    report, unit = pipeline.emit(_source_of(source, path), arch=arch)
    found = [*report.diagnostics, *(d for k in report.kernels for d in k.diagnostics)]
    found.sort(key=lambda d: (d.severity is not Severity.ERROR, d.span.start))
    return Result(
        source=unit.source if unit else None,
        header=unit.header if unit else None,
        manifest=unit.manifest if unit else None,
        contract={k.name: tuple(k.contract) for k in report.kernels},
        diagnostics=tuple(found),
        report=report,
    )


def _source_of(given: Any, path: str) -> Source:
    from transpiler.source import Source

    if isinstance(given, Source):
        return given
    if isinstance(given, str):
        return Source(given, path)
    if hasattr(given, "__fspath__"):
        return Source.read(given)
    if not callable(given):
        raise TypeError(f"transpile takes a text, a path or a kernel, not {type(given).__name__}")
    from transpiler.runtime.handle import captured

    return captured(given).source

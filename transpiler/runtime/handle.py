"""What stands behind one `Kernel` once it has been used.

In: a live function and the arguments of its decorator. Out: a launcher, compiled units, reports, simulation; whether the live
values agree with the text.
Non-goals: the surface of the Python interface (`api`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from transpiler import pipeline
from transpiler.diagnostics import Diagnostic, Severity
from transpiler.errors import CompileError, LaunchError
from transpiler.ir import device as d
from transpiler.runtime.binding import bind_arguments, given_arguments
from transpiler.runtime.bound import Bound
from transpiler.runtime.capture import Captured, NoSource, capture, live_names
from transpiler.runtime.grid import dim3
from transpiler.runtime.instances import Instances
from transpiler.runtime.launch import Lane, Launcher
from transpiler.runtime.owned import array_of, is_readonly
from transpiler.runtime.plan import Configuration
from transpiler.runtime.program import FileProgram, compiled
from transpiler.runtime.session import session
from transpiler.runtime.unit import CompiledUnit, Dim3, Given
from transpiler.source import Source, Span


def captured(value: Any) -> Captured:
    """The text of a kernel or function; raises where it has none."""
    found = capture(value)
    if isinstance(found, NoSource):
        name = getattr(value, "__qualname__", repr(value))
        raise CompileError(
            [
                Diagnostic(
                    code="E0820",
                    message=f"the text of `{name}` cannot be read from {found.path}",
                    source=Source("", found.path),
                    span=Span(0, 0),
                    help="put the kernel into a file or a notebook cell, or call `transpiler.transpile(text)`",
                )
            ]
        )
    return found


class LiveProgram(FileProgram):
    """A kernel of a file whose live values are compared with what the text says."""

    live: Callable[[], Mapping[str, Any]]
    options: Mapping[str, Any]
    """What the decorator was given."""

    def instance(self, given: Mapping[str, Given], block: Dim3 | None) -> CompiledUnit:
        unit = super().instance(given, block)
        check_live_values(unit.kernel, self.live())
        if block is None:
            check_live_block(unit.kernel, self.options)
        return unit


class Handle:
    """The compiler's and the launch's view of one kernel."""

    def __init__(self, kernel: Any) -> None:
        found = captured(kernel)
        file = FileProgram.read(found.source, found.name)
        self.program = LiveProgram(file.module, file.function)
        self.program.options = kernel.options
        self.program.live = lambda: live_names(kernel) if found.whole_file else {}
        self.count = len(self.program.parameters)
        self._lock = threading.RLock()
        self._launcher: Launcher | None = None
        self._reports: list[pipeline.KernelReport] | None = None

    # --- launching ----------------------------------------------------------------------------------------

    @property
    def launcher(self) -> Launcher:
        with self._lock:
            if self._launcher is None:
                self._launcher = self._make_launcher()
            return self._launcher

    def _make_launcher(self) -> Launcher:
        from transpiler.runtime.device import NoDevice

        here = session()
        try:
            shared = here.shared
        except NoDevice as error:
            raise self._no_device(error) from error
        return Launcher(self.program, shared, Instances(shared.driver, here.build), here.checker)

    def _no_device(self, error: Exception) -> LaunchError:
        from transpiler.runtime.refusal import refusal

        name = self.program.name
        fix = (
            f"`{name}.simulate(...)` runs it on this machine with NumPy arrays; `transpile doctor` says what is missing"
        )
        return refusal(self.program, "E0818", f"no CUDA device: {error}", help=fix)

    @cached_property
    def own_lane(self) -> Lane:
        """The lane of `k(...)`."""
        return self.launcher.lane(Configuration())

    def lane(self, asked: Any, smem: int) -> Lane:
        """The lane of `k[grid, block]`."""
        if not isinstance(asked, tuple) or len(asked) != 2:
            from transpiler.runtime.refusal import refusal

            raise refusal(self.program, "E0814", f"`[{asked!r}]` is not `[grid, block]`")
        grid, block = dim3(self.program, asked[0], "grid"), dim3(self.program, asked[1], "block")
        return self.launcher.lane(Configuration(grid, block, smem))

    def bind(self, args: tuple[Any, ...], lane: Lane, stream: Any) -> Bound:
        return Bound(self.launcher, args, lane, stream)

    # --- the compiler's answers ---------------------------------------------------------------------------

    def reports(self) -> list[pipeline.KernelReport]:
        """One report for each instance that ahead-of-time output holds; raises where one is not proved."""
        with self._lock:
            if self._reports is None:
                from transpiler.check import instances_of

                instances, found = instances_of(self.program.module, self.program.function)
                errors = [x for x in found if x.severity is Severity.ERROR]
                if errors:
                    raise CompileError(errors)
                states = [
                    pipeline.KernelState(module=self.program.module, function=self.program.function, instance=instance)
                    for instance in instances
                ]
                reports = [pipeline.check_state(state)[1] for state in states]
                for report in reports:
                    if report.verdict != "proved":
                        raise CompileError(x for x in report.diagnostics if x.severity is Severity.ERROR)
                self._reports = reports
            return self._reports

    def report(self) -> pipeline.KernelReport:
        return self.reports()[0]

    def proof(self) -> Any:
        return self.report().proof

    def unit(self) -> pipeline.Unit:
        return pipeline.emit_reports(pipeline.unit_name(self.program.source.path), self.reports())

    def cubin(self, arch: str) -> bytes:
        return session().builder.cubin(compiled(self.report()), arch)

    def ptx(self, arch: str) -> str:
        return session().builder.ptx(compiled(self.report()), arch)

    def simulate(self, args: tuple[Any, ...], named: Mapping[str, Any], grid: Any, block: Any, **options: Any) -> Any:
        """Run the kernel in the simulator; `options` are the simulator's."""
        from transpiler.simulate import simulate

        handles = bind_arguments(self.program, args, named)
        bound = tuple(map(array_of, handles))
        given = given_arguments(self.program, bound)
        kernel = self.lowered(given)
        refuse_frozen(kernel, dict(zip((p.name for p in self.program.parameters), handles, strict=True)))
        values = dict(zip((p.name for p in self.program.parameters), bound, strict=True))
        wanted = {p.name for p in kernel.params}
        arguments = {n: v for n, v in values.items() if n in wanted}
        return simulate(kernel, arguments, grid=grid, block=block, **options)

    def lowered(self, given: Mapping[str, Given]) -> d.Kernel:
        """The device IR for these arguments, proved or not: the simulator shows what is wrong with it."""
        state, found = pipeline.run_passes(self.program.state(given, None), upto="lower")
        if state.kernel is None:
            raise CompileError(x for x in found if x.severity is Severity.ERROR)
        return state.kernel


def refuse_frozen(kernel: d.Kernel, arguments: Mapping[str, Any]) -> None:
    """The simulator writes plain arrays, so that what is lent or frozen is told apart here."""
    from transpiler.runtime.refusal import refusal

    for param in kernel.params:
        value = arguments[param.name]
        if isinstance(param, d.ArrayParam) and param.ownership != "in" and is_readonly(value):
            text = f"`{param.name}` is written, and the argument is read-only: {value!r}"
            raise refusal(kernel, "E0809", text, span=param.span, help="pass a buffer of its own")


def check_live_values(kernel: d.Kernel, live: Mapping[str, Any]) -> None:
    """Module constants that the kernel names are what they were when the text was read."""
    from transpiler.ir.walk import walk
    from transpiler.runtime.refusal import refusal

    for function in (kernel, *kernel.functions):
        for node in (node for stmt in function.body for node in walk(stmt)):
            if not isinstance(node, d.Const) or not node.name or node.name not in live:
                continue
            value = live[node.name]
            if isinstance(value, (bool, int, float)) and not _same(value, node.value):
                said = int(node.value) if isinstance(value, int) and node.value % 1 == 0 else node.value
                raise refusal(
                    kernel,
                    "E0819",
                    f"`{node.name}` is {value!r} in the running program, {said!r} in the text of its file",
                    span=node.span,
                    help="constants are frozen when a kernel is compiled: change the file, or make it a parameter",
                    launch=False,
                )


def check_live_block(kernel: d.Kernel, options: Mapping[str, Any]) -> None:
    """The decorator's `block=` was what its text says."""
    from transpiler.runtime.refusal import refusal

    live = options.get("block")
    extents = live if isinstance(live, tuple) else (live,)
    if live is None or not all(isinstance(extent, int) for extent in extents):
        return
    if (*extents, 1, 1)[:3] != kernel.block:
        raise refusal(
            kernel,
            "E0819",
            f"`block=` was {live!r} when the decorator ran, the text of its file says {kernel.block}",
            help="constants are frozen when a kernel is compiled: change the file",
            launch=False,
        )


def _same(live: float, text: float) -> bool:
    return live == text or (live != live and text != text) or abs(live - text) <= 1e-6 * abs(live)

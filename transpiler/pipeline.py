"""The way of a kernel through the house, as data: `PASSES`, and what runs them over a file.

In: the source of a kernel file, or one kernel of it with the types of its arguments. Out: `FileReport` (what was found),
`Unit` (the emitted text). Nothing is raised for what a user did: findings are diagnostics in the reports.
Non-goals: building and launching (`runtime`), files on disk (`cli`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from transpiler.check.meaning import Typed
from transpiler.diagnostics import Diagnostic, Severity
from transpiler.ir import device, surface
from transpiler.records import record
from transpiler.source import Source

if TYPE_CHECKING:
    from transpiler.check.kernel import ArgumentType, Instance
    from transpiler.emit.unit import EmittedUnit
    from transpiler.prove import Proof

Block = tuple[int, int, int]


@record(kw_only=True)
class KernelState:
    """One kernel instance on its way; each pass fills in one field."""

    module: surface.Module
    function: surface.Function
    instance: Instance = field(default_factory=dict)
    arguments: Mapping[str, ArgumentType] = field(default_factory=dict)
    block: Block | None = None
    """A launch's own block: the kernel is taken with it and with a free grid."""
    typed: Typed | None = None
    kernel: device.Kernel | None = None
    proof: Proof | None = None


@record
class Pass:
    """A named function from a state to a state and findings, and why it stands where it does."""

    name: str
    run: Callable[[KernelState], tuple[KernelState, list[Diagnostic]]]
    why: str


def _check(state: KernelState) -> tuple[KernelState, list[Diagnostic]]:
    from transpiler.check import check_kernel

    typed, diagnostics = check_kernel(state.module, state.function, state.instance, state.arguments)
    return replace(state, typed=typed), diagnostics


def _lower(state: KernelState) -> tuple[KernelState, list[Diagnostic]]:
    from transpiler.lower import lower_kernel

    assert state.typed is not None
    kernel = lower_kernel(state.typed)
    if state.block is not None:
        kernel = replace(kernel, block=state.block, grid=None, domain=None, block_given=True)
    return replace(state, kernel=kernel), []


def _lint(state: KernelState) -> tuple[KernelState, list[Diagnostic]]:
    from transpiler.check.coalescing import check_coalescing

    assert state.kernel is not None
    return state, check_coalescing(state.kernel)


def _prove(state: KernelState) -> tuple[KernelState, list[Diagnostic]]:
    from transpiler.confirm import Confirm
    from transpiler.prove import prove

    assert state.kernel is not None
    proof = prove(state.kernel, confirm=Confirm(state.kernel))
    return replace(state, proof=proof), list(proof.diagnostics)


PASSES: tuple[Pass, ...] = (
    Pass("check", _check, "types come first: all that follows relies on them"),
    Pass("lower", _lower, "tuples, views and Python's evaluation order are settled once, for everyone behind"),
    Pass("lint", _lint, "on the device IR, where views and aliases are gone; before the proof, which may end the run"),
    Pass("prove", _prove, "on the device IR, so that what is proved is what is emitted and simulated"),
)

Hook = Callable[[Pass, KernelState, float], None]
"""Called behind each pass with its result and the seconds it took."""


def run_passes(
    state: KernelState, hook: Hook | None = None, upto: str = "prove"
) -> tuple[KernelState, list[Diagnostic]]:
    """Run the passes in order, up to the named one; an error of a pass ends the run."""
    found: list[Diagnostic] = []
    for step in PASSES:
        started = time.perf_counter()
        state, diagnostics = step.run(state)
        if hook is not None:
            hook(step, state, time.perf_counter() - started)
        found += diagnostics
        if step.name == upto or any(d.severity is Severity.ERROR for d in diagnostics):
            break
    return state, found


# --- reports ----------------------------------------------------------------------------------------------


@record(kw_only=True)
class KernelReport:
    """What is known about one kernel instance. `verdict` is `proved`, `refuted`, `unknown` or `error`."""

    name: str
    line: int
    verdict: str
    contract: tuple[str, ...] = ()
    disjoint: tuple[tuple[str, str], ...] = ()
    assumptions: tuple[str, ...] = ()
    runtime_checks: tuple[str, ...] = ()
    time_ms: float = 0.0
    diagnostics: tuple[Diagnostic, ...] = ()
    instance: tuple[tuple[str, str], ...] = ()
    kernel: device.Kernel | None = None
    proof: Proof | None = None


@dataclass(frozen=True, kw_only=True)
class FileReport:
    """What is known about a file: findings that belong to no kernel, and its kernels in order."""

    path: str
    source: Source
    module: surface.Module
    diagnostics: tuple[Diagnostic, ...] = ()
    kernels: tuple[KernelReport, ...] = ()

    @cached_property
    def proved(self) -> bool:
        errors = any(d.severity is Severity.ERROR for d in self.diagnostics)
        return not errors and all(k.verdict == "proved" for k in self.kernels)


@record(kw_only=True)
class Unit:
    """The emitted files of one kernel file."""

    name: str
    source: str
    header: str
    manifest: dict[str, Any]
    emitted: EmittedUnit


def check(
    source: Source,
    *,
    deny_trust: bool = False,
    hook: Hook | None = None,
    read: Callable[[Path], Source] = Source.read,
    only: str | None = None,
) -> FileReport:
    """Prove every kernel of a file, or the one that is named, in every instance that ahead-of-time output holds.

    `read` gives the text of imported files.
    """
    from transpiler.check import instances_of
    from transpiler.frontend import parse_module

    module, diagnostics = parse_module(source, read)
    kernels: list[KernelReport] = []
    for function in module.functions:
        if function.is_kernel and only in (None, function.name):
            instances, found = instances_of(module, function)
            if found:
                kernels.append(_failed(function, found))
            for instance in instances:
                state = KernelState(module=module, function=function, instance=instance)
                kernels.append(check_state(state, deny_trust=deny_trust, hook=hook)[1])
    return FileReport(
        path=source.path, source=source, module=module, diagnostics=tuple(diagnostics), kernels=tuple(kernels)
    )


def check_state(
    state: KernelState, *, deny_trust: bool = False, hook: Hook | None = None
) -> tuple[KernelState, KernelReport]:
    """Prove one kernel instance. The time is that of the prover, or of the passes where they end before it."""
    started = time.perf_counter()
    state, found = run_passes(state, hook)
    if deny_trust and state.proof is not None:
        found += [_denied(state.function, text) for text in state.proof.assumptions]
    elapsed = (time.perf_counter() - started) * 1e3
    return state, _report(state, found, elapsed)


def _report(state: KernelState, found: list[Diagnostic], elapsed: float) -> KernelReport:
    function, proof = state.function, state.proof
    failed = any(d.severity is Severity.ERROR for d in found)
    verdict = proof.verdict if proof is not None else "error"
    if verdict == "proved" and failed:
        verdict = "error"
    return KernelReport(
        name=function.name,
        line=function.source.line(function.name_span.start),
        verdict=verdict,
        contract=tuple(proof.contract) if proof is not None else (),
        disjoint=tuple(proof.disjoint) if proof is not None else (),
        assumptions=tuple(proof.assumptions) if proof is not None else (),
        runtime_checks=tuple(str(c) for c in proof.runtime_checks) if proof is not None else (),
        time_ms=proof.time_ms if proof is not None else elapsed,
        diagnostics=tuple(found),
        instance=state.kernel.instance if state.kernel is not None else (),
        kernel=state.kernel,
        proof=proof,
    )


def _failed(function: surface.Function, found: list[Diagnostic]) -> KernelReport:
    line = function.source.line(function.name_span.start)
    return KernelReport(name=function.name, line=line, verdict="error", diagnostics=tuple(found))


def _denied(function: surface.Function, assumption: str) -> Diagnostic:
    return Diagnostic(
        code="E0308",
        message=f"`--deny-trust` refuses the assumption: {assumption}",
        source=function.source,
        span=function.name_span,
        help="prove it with `invariant`, `requires` or a guard instead",
    )


# --- emission ---------------------------------------------------------------------------------------------


def emit(
    source: Source,
    *,
    arch: str | None = None,
    line_info: bool = False,
    unchecked: bool = False,
    deny_trust: bool = False,
) -> tuple[FileReport, Unit | None]:
    """Prove a file and emit it. No unit where something is not proved, unless `unchecked` (then with a banner)."""
    report = check(source, deny_trust=deny_trust)
    if not (report.proved or unchecked):
        return report, None
    emittable = [k for k in report.kernels if k.kernel is not None]
    if len(emittable) < len(report.kernels) or any(d.severity is Severity.ERROR for d in report.diagnostics):
        return report, None
    return report, emit_reports(
        unit_name(source.path), emittable, arch=arch, line_info=line_info, unchecked=not report.proved
    )


def unit_name(path: str) -> str:
    """The name of the emitted files and of their namespace: that of the kernel file, as an identifier."""
    stem = PurePath(path).stem or "kernels"
    name = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in stem)
    return name if not name[0].isdigit() else f"k{name}"


def emit_reports(
    name: str, reports: list[KernelReport], *, arch: str | None = None, line_info: bool = False, unchecked: bool = False
) -> Unit:
    """The C++ text of kernels that were checked."""
    from transpiler.emit import EmitOptions, emit_header, emit_unit, manifest

    kernels = [k.kernel for k in reports if k.kernel is not None]
    contracts = {k.kernel: k.contract for k in reports if k.kernel is not None}
    ranges = {k.kernel: _ranges(k) for k in reports if k.kernel is not None}
    checks = {
        k.kernel: frozenset(k.proof.checked_nodes) for k in reports if k.kernel is not None and k.proof is not None
    }
    options = EmitOptions(line_info=line_info, unchecked=unchecked, arch=arch)
    emitted = emit_unit(name, kernels, ranges=ranges, contracts=contracts, runtime_checks=checks, options=options)
    header = emit_header(name, kernels, contracts=contracts)
    facts = manifest(name, kernels, emitted, contracts=contracts)
    return Unit(name=name, source=emitted.source, header=header, manifest=facts, emitted=emitted)


def _ranges(report: KernelReport) -> device.Ranges:
    from transpiler.prove.ranges import ranges

    assert report.kernel is not None
    return ranges(report.kernel)


def kernel_named(module: surface.Module, name: str) -> surface.Function | None:
    """The kernel of that name in a file."""
    return next((f for f in module.functions if f.is_kernel and f.name == name), None)

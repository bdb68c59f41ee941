"""The fast stage: what a text says, its names and types, without any proof.

In: a text, and how imported files are read. Out: `Analysis`: findings, and the typed instances of each kernel, for hovering.
Non-goals: proofs (`worker`), anything of LSP.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from transpiler.check import instances_of
from transpiler.check.host import check_launches
from transpiler.check.meaning import Typed
from transpiler.diagnostics import Diagnostic, Severity
from transpiler.frontend import parse_module
from transpiler.ir import surface
from transpiler.pipeline import KernelState, run_passes
from transpiler.source import Source

Read = Callable[[Path], Source]


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of a text at once. `sound` says that some kernel may be proved."""

    source: Source
    module: surface.Module
    diagnostics: tuple[Diagnostic, ...] = ()
    typed: tuple[Typed, ...] = ()
    """Each instance of a kernel that has types."""
    sound: bool = False

    def functions(self) -> Iterator[Typed]:
        """Kernels and the instances of device functions that they call, each once."""
        seen: dict[int, Typed] = {}
        todo = [*reversed(self.typed)]
        while todo:
            typed = todo.pop()
            if id(typed) not in seen:
                seen[id(typed)] = typed
                todo += reversed(typed.callees)
                yield typed

    def kernel_at(self, offset: int) -> surface.Function | None:
        """The kernel in whose text, decorators included, an offset lies."""
        for function in self.module.functions:
            first, end = whole(function)
            if function.is_kernel and first <= offset <= end:
                return function
        return None


def whole(function: surface.Function) -> tuple[int, int]:
    """Where the first line of a function begins, its decorators included, and where it ends."""
    first = min([function.span.start, *(d.span.start for d in function.decorators)])
    return function.source.text.rfind("\n", 0, first) + 1, function.span.end


def analyse(source: Source, read: Read = Source.read) -> Analysis:
    """Parse a text and type its kernels. A text that does not name the package has none."""
    if "transpiler" not in source.text:
        return Analysis(source, surface.Module(source, {}, ()))
    module, found = parse_module(source, read)
    typed: list[Typed] = []
    sound = False
    for function in module.functions:
        if not function.is_kernel:
            continue
        instances, wrong = instances_of(module, function)
        found += wrong
        for instance in instances:
            state, wrong = run_passes(KernelState(module=module, function=function, instance=instance), upto="lint")
            found += wrong
            sound = sound or not any(d.severity is Severity.ERROR for d in wrong)
            if state.typed is not None:
                typed.append(state.typed)
    found += check_launches(source, module)
    return Analysis(source, module, once(found), tuple(typed), sound)


def once(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Instances of one kernel say the same of the same place: once is enough."""
    unique = {(d.code, d.source.path, d.span, d.message): d for d in reversed(found)}
    return tuple(reversed(unique.values()))

"""The fast stage: what a text says, its names and types, without any proof.

In: a text, how imported files are read, what the analysis before this one remembers. Out: `Analysis`: findings at once, and the
typed instances of a function when they are asked for, by hovering. A kernel is typed anew only where its text or what stands
outside of kernels has changed: that is what keeps the answer to a keystroke short.
Non-goals: proofs (`worker`), anything of LSP.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from transpiler.check import check_kernel, instances_of
from transpiler.check.host import check_launches
from transpiler.check.meaning import Typed
from transpiler.diagnostics import Diagnostic, Label, Severity
from transpiler.frontend import parse_module
from transpiler.ir import surface
from transpiler.pipeline import KernelState, run_passes
from transpiler.source import Source, Span

Read = Callable[[Path], Source]
Key = tuple[str, ...]
"""All texts that decide what is found in a kernel: its own, the names of kernels, what is outside of them, imported files."""


@dataclass(frozen=True, slots=True)
class Known:
    """What was found in a kernel that began at `start`. `sound`: some instance of it may be proved."""

    start: int
    found: tuple[Diagnostic, ...]
    sound: bool


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of a text at once. `sound` says that some kernel may be proved."""

    source: Source
    module: surface.Module
    diagnostics: tuple[Diagnostic, ...] = ()
    sound: bool = False
    memory: dict[Key, Known] = field(default_factory=dict)
    _typed: dict[str, tuple[Typed, ...]] = field(default_factory=dict)

    def typed(self, function: surface.Function) -> tuple[Typed, ...]:
        """The instances of a kernel, or those of a device function that kernels of the file call."""
        if not function.is_kernel:
            kernels = (t for f in self.module.functions if f.is_kernel for t in self.typed(f))
            return tuple(t for t in _called(kernels) if t.function is function)
        if function.name not in self._typed:
            instances, _ = instances_of(self.module, function)
            found = (check_kernel(self.module, function, instance)[0] for instance in instances)
            self._typed[function.name] = tuple(t for t in found if t is not None)
        return self._typed[function.name]

    def kernel_at(self, offset: int) -> surface.Function | None:
        """The kernel in whose text, decorators included, an offset lies."""
        for function in self.module.functions:
            whole = whole_of(function)
            if function.is_kernel and whole.start <= offset <= whole.end:
                return function
        return None


def _called(typed: Iterator[Typed]) -> Iterator[Typed]:
    """The instances of device functions that are called, each once."""
    seen: set[int] = set()
    todo = [callee for t in typed for callee in t.callees]
    while todo:
        callee = todo.pop()
        if id(callee) not in seen:
            seen.add(id(callee))
            todo += callee.callees
            yield callee


def whole_of(function: surface.Function) -> Span:
    """A function from its first line, decorators included."""
    first = min([function.span.start, *(d.span.start for d in function.decorators)])
    return Span(function.source.text.rfind("\n", 0, first) + 1, function.span.end)


def analyse(source: Source, read: Read = Source.read, before: Analysis | None = None) -> Analysis:
    """Parse a text and type its kernels. A text that does not name the package has none."""
    if "transpiler" not in source.text:
        return Analysis(source, surface.Module(source, {}, ()))
    module, found = parse_module(source, read)
    kernels = [function for function in module.functions if function.is_kernel]
    around = _around(source, module, kernels)
    memory: dict[Key, Known] = {}
    sound = False
    for kernel in kernels:
        whole = whole_of(kernel)
        key = (source.slice(whole), *around)
        known = before.memory.get(key) if before is not None else None
        known = _known(module, kernel) if known is None else _moved(known, source, whole.start)
        if all(_inside(d, source, whole) for d in known.found):
            memory[key] = known
        found += known.found
        sound = sound or known.sound
    found += check_launches(source, module)
    return Analysis(source, module, once(found), sound, memory)


def _around(source: Source, module: surface.Module, kernels: list[surface.Function]) -> Key:
    """What kernels can refer to: the names of each other, the text between them, the files that are imported."""
    texts = [" ".join(kernel.name for kernel in kernels)]
    end = 0
    for whole in sorted((whole_of(kernel) for kernel in kernels), key=lambda span: span.start):
        texts.append(source.text[end : whole.start])
        end = max(end, whole.end)
    return (*texts, source.text[end:], *(m.source.text for m in module.modules if m.source is not source))


def _known(module: surface.Module, kernel: surface.Function) -> Known:
    """What the passes before the proof find in a kernel."""
    instances, found = instances_of(module, kernel)
    sound = False
    for instance in instances:
        _, wrong = run_passes(KernelState(module=module, function=kernel, instance=instance), upto="lint")
        found += wrong
        sound = sound or not any(d.severity is Severity.ERROR for d in wrong)
    return Known(whole_of(kernel).start, tuple(found), sound)


def _inside(found: Diagnostic, source: Source, whole: Span) -> bool:
    """Whether a finding speaks of the kernel's own text alone, and so moves with it."""
    spans = [found.span, *(label.span for label in found.labels)]
    return found.source is source and all(whole.start <= s.start and s.end <= whole.end for s in spans)


def _moved(known: Known, source: Source, start: int) -> Known:
    """What was found, in a text where the kernel begins elsewhere."""
    by = start - known.start

    def moved(span: Span) -> Span:
        return Span(span.start + by, span.end + by)

    found = tuple(
        replace(
            d,
            source=source,
            span=moved(d.span),
            labels=tuple(Label(moved(label.span), label.message) for label in d.labels),
        )
        for d in known.found
    )
    return Known(start, found, known.sound)


def once(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Instances of one kernel say the same of the same place: once is enough."""
    unique = {(d.code, d.source.path, d.span, d.message): d for d in reversed(found)}
    return tuple(reversed(unique.values()))

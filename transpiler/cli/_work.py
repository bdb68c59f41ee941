"""What the command line asks of the rooms below, in one place.

In: sources and options. Out: reports and units, under the protocols here; findings are in them, never raised.
Each function imports what it needs when it is called, so that a command loads no more than its own work.
Non-goals: anything that prints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from transpiler.cli.files import read
from transpiler.diagnostics import Diagnostic
from transpiler.source import Source

if TYPE_CHECKING:
    from transpiler.diagnostics.machine import FileFacts, KernelFacts
    from transpiler.pipeline import FileReport


class Unit(Protocol):
    """The emitted files of one kernel file; `name` is theirs, without suffix."""

    @property
    def name(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def header(self) -> str: ...
    @property
    def manifest(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class NoReport:
    """What is known of a file that cannot be read."""

    path: str
    diagnostics: tuple[Diagnostic, ...]
    kernels: tuple[KernelFacts, ...] = ()


def load(paths: Sequence[str]) -> list[Source | NoReport]:
    """The files of a command line, each read or with the reason why it cannot be."""
    found = zip(paths, map(read, paths), strict=True)
    return [NoReport(path, (it,)) if isinstance(it, Diagnostic) else it for path, it in found]


def status(reports: Sequence[FileFacts]) -> int:
    """Exit status for what was found: 2 if a file could not be read, 1 if not every kernel is proved, else 0."""
    if any(isinstance(report, NoReport) for report in reports):
        return 2
    proved = all(kernel.verdict == "proved" for report in reports for kernel in report.kernels)
    errors = any(d.severity.value == "error" for report in reports for d in report.diagnostics)
    return 0 if proved and not errors else 1


def unit_name(path: str) -> str:
    """What the emitted files of a kernel file are called, without suffix."""
    from transpiler import pipeline

    return pipeline.unit_name(path)


def check(source: Source, *, deny_trust: bool = False) -> FileReport:
    """Prove every kernel of a file."""
    from transpiler import pipeline

    return pipeline.check(source, deny_trust=deny_trust)


def emit(
    source: Source,
    *,
    arch: str | None = None,
    line_info: bool = False,
    unchecked: bool = False,
    deny_trust: bool = False,
) -> tuple[FileFacts, Unit | None]:
    """Prove every kernel of a file and emit it; no unit where something is not proved, unless `unchecked`."""
    from transpiler import pipeline

    return pipeline.emit(source, arch=arch, line_info=line_info, unchecked=unchecked, deny_trust=deny_trust)

"""One kernel file: read, proved, emitted, compiled, as every kind of build asks it.

In: paths, sources, options. Out: reports and units, under the protocols here; findings are in them. What cannot be done although
it is proved raises `Refused`.
Each function imports what it needs when it is called, so that a build loads no more than its own work.
Non-goals: many files and the cache (`ahead.build`), writing (`ahead.outputs`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from transpiler.ahead.files import Refused, Unreadable, read
from transpiler.diagnostics import Diagnostic
from transpiler.source import Source

if TYPE_CHECKING:
    from transpiler.diagnostics.machine import FileFacts, KernelFacts
    from transpiler.emit import EmittedUnit
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
    @property
    def emitted(self) -> EmittedUnit: ...


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


def emit(
    source: Source,
    *,
    arch: str | None = None,
    line_info: bool = False,
    unchecked: bool = False,
    deny_trust: bool = False,
) -> tuple[FileReport, Unit | None]:
    """Prove every kernel of a file and emit it; no unit where there is none, or one is not proved, unless `unchecked`."""
    from transpiler import pipeline

    report, unit = pipeline.emit(source, arch=arch, line_info=line_info, unchecked=unchecked, deny_trust=deny_trust)
    return report, unit if report.kernels else None


def inputs(report: FileFacts) -> list[str]:
    """The files that a result depends on: the kernel file and those that it imports."""
    module = getattr(report, "module", None)
    return [report.path, *(module.imported if module is not None else ())]


def nvrtc_version() -> tuple[int, int] | str:
    """The version of NVRTC here, or why there is none."""
    from transpiler.runtime import nvrtc

    try:
        return nvrtc.version()
    except nvrtc.NvrtcMissing as reason:
        return str(reason)


def supported_archs() -> list[str]:
    """The architectures that NVRTC here compiles for; its absence ends the command."""
    from transpiler.runtime import nvrtc

    try:
        return [f"sm_{number}" for number in nvrtc.supported_archs()]
    except nvrtc.NvrtcMissing as reason:
        raise Unreadable(f"{reason}; `transpile doctor` says what to install") from None


def unknown_archs(archs: Sequence[str]) -> str:
    """What is wrong with these architectures for the NVRTC here; nothing where it knows them all."""
    known = supported_archs()
    unknown = [arch for arch in archs if arch.rstrip("af") not in known]
    return f"NVRTC here does not know {', '.join(unknown)}; it knows {', '.join(known)}" if unknown else ""


def lacking(unit: Unit, archs: Sequence[str]) -> list[Diagnostic]:
    """What in a unit these architectures cannot run, each place once."""
    from transpiler import target

    found: dict[tuple[str, int], Diagnostic] = {}
    for arch in archs:
        for entry in unit.emitted.entries:
            for diagnostic in target.lacking(entry.kernel, arch):
                found.setdefault((diagnostic.source.path, diagnostic.span.start), diagnostic)
    return list(found.values())


def compile(unit: Unit, arch: str, form: str, *, line_info: bool = False) -> bytes:
    """PTX or cubin of a unit. What NVRTC refuses is a bug of ours, and raises."""
    from transpiler.runtime import nvrtc

    options = set(_nvrtc_options(unit))
    if line_info:
        options.add("-lineinfo")
    return nvrtc.compile(unit.source, arch=arch, kind=form, options=tuple(sorted(options)), name=f"{unit.name}.cu")


def nvcc_options(unit: Unit, *, line_info: bool = False) -> tuple[str, ...]:
    """What a unit asks of nvcc, which spells it as NVRTC does."""
    options = set(_nvrtc_options(unit)) | ({"-lineinfo"} if line_info else set())
    return tuple(sorted(options))


def _nvrtc_options(unit: Unit) -> tuple[str, ...]:
    """What the decorators ask of NVRTC. One file is one compilation: `fma="off"` of one kernel is right for all, other options
    have to agree."""
    from transpiler.runtime import nvrtc

    asked = {entry.kernel.name: set(nvrtc.options_for(entry.kernel.options)) for entry in unit.emitted.entries}
    union = set[str]().union(*asked.values())
    common = set[str].intersection(*asked.values()) if asked else set[str]()
    differing = union - common - {"--fmad=false", "-lineinfo"}
    if differing:
        raise Refused(f"kernels of one file differ in {', '.join(sorted(differing))}; build them from two files")
    return tuple(union)

"""What the command line asks of the rooms below, in one place.

In: sources and options. Out: reports and units, under the protocols here; findings are in them, never raised.
Each function imports what it needs when it is called, so that a command loads no more than its own work.
Non-goals: anything that prints.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from transpiler.cli.files import Refused, Unreadable, read
from transpiler.diagnostics import Diagnostic
from transpiler.source import Source

if TYPE_CHECKING:
    from transpiler.diagnostics.machine import FileFacts, KernelFacts
    from transpiler.emit import EmittedUnit
    from transpiler.pipeline import FileReport
    from transpiler.runtime.cache import CacheInfo


Dim3 = tuple[int, int, int]


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


def check(source: Source, *, deny_trust: bool = False) -> FileReport:
    """Prove every kernel of a file."""
    from transpiler import pipeline

    return pipeline.check(source, deny_trust=deny_trust)


def check_launches(report: FileReport) -> FileReport:
    """The report with what is wrong in the host code of the file: nothing else waits for that."""
    from transpiler.check import host

    found = host.check_launches(report.source, report.module)
    return replace(report, diagnostics=(*report.diagnostics, *found)) if found else report


def emit(
    source: Source,
    *,
    arch: str | None = None,
    line_info: bool = False,
    unchecked: bool = False,
    deny_trust: bool = False,
) -> tuple[FileFacts, Unit | None]:
    """Prove every kernel of a file and emit it; no unit where there is none, or one is not proved, unless `unchecked`."""
    from transpiler import pipeline

    report, unit = pipeline.emit(source, arch=arch, line_info=line_info, unchecked=unchecked, deny_trust=deny_trust)
    return report, unit if report.kernels else None


def inputs(report: FileFacts) -> list[str]:
    """The files that a result depends on: the kernel file and those that it imports."""
    module = getattr(report, "module", None)
    return [report.path, *(module.imported if module is not None else ())]


# --- machine code -----------------------------------------------------------------------------------------


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


def cuda_include() -> str | None:
    """The folder of the CUDA headers that kernels with f16 or bf16 need."""
    from transpiler.runtime import nvrtc

    return next((d for d in nvrtc.include_directories() if os.path.exists(os.path.join(d, "cuda_fp16.h"))), None)


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


def default_arch() -> str:
    """The architecture of the GPU here, or sm_90."""
    if no_gpu() is not None:
        return "sm_90"
    from transpiler.runtime.device import cuda_driver

    driver = cuda_driver()
    return driver.limits(driver.device()).arch


def disassembler() -> str | None:
    """A program that shows machine code."""
    return shutil.which("nvdisasm") or shutil.which("cuobjdump")


def disassemble(tool: str, cubin: bytes) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernels.cubin")
        with open(path, "wb") as file:
            file.write(cubin)
        words = [tool, path] if "nvdisasm" in os.path.basename(tool) else [tool, "-sass", path]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace")
    return done.stdout if done.returncode == 0 else f"{os.path.basename(tool)} failed: {done.stderr.strip()}"


# --- this machine -----------------------------------------------------------------------------------------


def cache_info() -> CacheInfo:
    """Where the cache of compiled kernels is, and what it holds."""
    from transpiler.runtime.cache import DiskCache

    return DiskCache().info()


def cache_clear() -> int:
    """Remove every entry; how many there were."""
    from transpiler.runtime.cache import DiskCache

    return DiskCache().clear()


def no_gpu() -> str | None:
    """Why kernels cannot be launched here; None where they can."""
    from transpiler.runtime.device import NoDevice, cuda_driver

    try:
        cuda_driver()
    except NoDevice as reason:
        return str(reason).partition("\n")[0].rstrip(".")
    return None


def launch(source: Source, name: str, arguments: dict[str, Any], configuration: tuple[Dim3, Dim3] | None) -> None:
    """Launch a kernel of a file on the GPU and wait for it; NumPy arrays come back as the kernel left them.

    Raises what a launch raises. `configuration` is a grid and a block in place of the kernel's own.
    """
    from transpiler.runtime.device import cuda_driver
    from transpiler.runtime.instances import Instances
    from transpiler.runtime.launch import Launcher
    from transpiler.runtime.plan import Configuration
    from transpiler.runtime.program import FileProgram
    from transpiler.runtime.session import session

    here = session()
    driver = cuda_driver()
    launcher = Launcher(FileProgram.read(source, name), here.shared, Instances(driver, here.build), here.checker)
    on_device = {n: driver.to_device(v) if hasattr(v, "shape") else v for n, v in arguments.items()}
    lane = launcher.lane(Configuration(*configuration) if configuration else Configuration())
    launcher(tuple(on_device.values()), lane, sync=True)
    for parameter, value in arguments.items():
        if hasattr(value, "shape"):
            value[...] = driver.to_host(on_device[parameter])

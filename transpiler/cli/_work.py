"""What the command line asks of the rooms below, in one place.

In: sources and options. Out: reports and units (those of any build: `ahead.work`); findings are in them, never raised.
Each function imports what it needs when it is called, so that a command loads no more than its own work.
Non-goals: anything that prints.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from transpiler.ahead.work import (
    NoReport,
    Unit,
    compile,
    emit,
    inputs,
    load,
    nvcc_options,
    nvrtc_version,
    status,
    supported_archs,
    unit_name,
    unknown_archs,
)
from transpiler.source import Source

if TYPE_CHECKING:
    from transpiler.pipeline import FileReport
    from transpiler.runtime.cache import CacheInfo

__all__ = [
    "NoReport",
    "Unit",
    "cache_clear",
    "cache_info",
    "check",
    "check_launches",
    "compile",
    "cuda_include",
    "default_arch",
    "disassemble",
    "disassembler",
    "emit",
    "inputs",
    "launch",
    "load",
    "no_gpu",
    "nvcc_options",
    "nvrtc_version",
    "repaired",
    "status",
    "supported_archs",
    "unit_name",
    "unknown_archs",
]

Dim3 = tuple[int, int, int]


def check(source: Source, *, deny_trust: bool = False) -> FileReport:
    """Prove every kernel of a file."""
    from transpiler import pipeline

    return pipeline.check(source, deny_trust=deny_trust)


def check_launches(report: FileReport) -> FileReport:
    """The report with what is wrong in the host code of the file: nothing else waits for that."""
    from transpiler.check import host

    found = host.check_launches(report.source, report.module)
    return replace(report, diagnostics=(*report.diagnostics, *found)) if found else report


# --- machine code -----------------------------------------------------------------------------------------


def cuda_include() -> str | None:
    """The folder of the CUDA headers that kernels with f16 or bf16 need."""
    from transpiler.runtime import nvrtc

    return next((d for d in nvrtc.include_directories() if os.path.exists(os.path.join(d, "cuda_fp16.h"))), None)


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


def repaired(report: FileReport) -> FileReport:
    """The report with those fixes alone that were tried and help."""
    from transpiler import repair

    return replace(report, kernels=repair.repaired(report.source, report.kernels))


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

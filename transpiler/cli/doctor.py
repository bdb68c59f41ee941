"""`transpile doctor`: what this machine has, and for what is missing what to install.

Each check is a function that returns a `Finding`; none of them imports CuPy before the rest has been looked at.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import click

from transpiler.cli import _work
from transpiler.cli.console import echo, styled


@dataclass(frozen=True, slots=True)
class Finding:
    """`state` is `ok`, `missing` (the transpiler does less without it) or `broken` (something that it needs does not work)."""

    state: str
    text: str
    advice: str = ""


_MARK = {"ok": ("ok", "green"), "missing": ("--", "yellow"), "broken": ("NO", "red")}


@click.command("doctor")
def command() -> int:
    """Look at Python, packages, NVRTC, CUDA headers, driver, CuPy, compiler and cache.

    Exit status 0 if kernels can be checked, emitted and compiled here; a missing GPU only means that they are simulated.
    """
    broken = False
    for name, check in CHECKS.items():
        finding = check()
        mark, color = _MARK[finding.state]
        echo(f"{styled(mark, fg=color, bold=True)}  {name:<14} {finding.text}")
        if finding.advice:
            echo(f"    {'':<14} -> {finding.advice}")
        broken |= finding.state == "broken"
    return 1 if broken else 0


def _python() -> Finding:
    return Finding("ok", f"{platform.python_version()} at {sys.executable}")


def _packages() -> Finding:
    """The packages that check, emit and simulate need."""
    missing = [name for name in ("lark", "jinja2", "numpy", "z3-solver", "ml_dtypes") if _version(name) is None]
    if missing:
        return Finding("broken", f"{', '.join(missing)} not installed", f"{_pip()} {' '.join(missing)}")
    return Finding("ok", f"z3 {_version('z3-solver')}, numpy {_version('numpy')}, lark {_version('lark')}")


def _nvrtc() -> Finding:
    if platform.system() == "Darwin":
        return Finding("missing", "there is no CUDA for macOS: check, emit and simulate work, build and run do not")
    found = _work.nvrtc_version()
    if isinstance(found, str):
        return Finding("broken", found, f"{_pip()} nvidia-cuda-nvrtc-cu12, or install the CUDA toolkit")
    return Finding("ok", f"{found[0]}.{found[1]}, {', '.join(_span(_work.supported_archs()))}")


def _headers() -> Finding:
    folder = _work.cuda_include()
    if folder is None:
        advice = f"{_pip()} nvidia-cuda-runtime-cu12, or install the CUDA toolkit"
        return Finding("missing", "cuda_fp16.h not found: kernels with f16 or bf16 cannot be compiled", advice)
    return Finding("ok", str(folder))


def _driver() -> Finding:
    library = _load_driver()
    if library is None:
        return Finding(
            "missing", "no CUDA driver: kernels are simulated", "install NVIDIA's driver where there is a GPU"
        )
    status, version = library.cuInit(0), ctypes.c_int()
    library.cuDriverGetVersion(ctypes.byref(version))
    shown = f"CUDA {version.value // 1000}.{version.value % 1000 // 10}"
    if status != 0:
        return Finding(
            "missing", f"{shown}, but cuInit failed with error {status}", "see that `nvidia-smi` lists a GPU"
        )
    return Finding("ok", shown)


def _gpu() -> Finding:
    library = _load_driver()
    if library is None or library.cuInit(0) != 0:
        return Finding("missing", "none: kernels are simulated")
    count = ctypes.c_int()
    library.cuDeviceGetCount(ctypes.byref(count))
    found = [_device(library, ordinal) for ordinal in range(count.value)]
    return Finding("ok", "; ".join(found)) if found else Finding("missing", "none: kernels are simulated")


def _cupy() -> Finding:
    version = next((v for name in ("cupy-cuda12x", "cupy-cuda13x", "cupy") if (v := _version(name))), None)
    if version is None:
        advice = f"{_pip()} cupy-cuda12x (or cupy-cuda13x beside a CUDA 13 driver)"
        return Finding("missing", "not installed: kernels cannot be launched from Python", advice)
    try:
        importlib.import_module("cupy")
    except ImportError as error:
        return Finding("broken", f"{version} does not import: {error}", f"{_pip()} --force-reinstall cupy-cuda12x")
    return Finding("ok", version)


def _compiler() -> Finding:
    for name in ("nvcc", "g++", "clang++", "cl"):
        path = shutil.which(name)
        if path:
            return Finding("ok", f"{path} {_first_version(path)}".rstrip())
    advice = "install g++ (Debian: apt install g++), or the CUDA toolkit for nvcc"
    return Finding(
        "missing", "no C++ compiler: emitted code can be read and built by NVRTC, not linked into C++", advice
    )


def _disassembler() -> Finding:
    path = _work.disassembler()
    if path is None:
        return Finding("missing", "no nvdisasm or cuobjdump: `inspect` shows no SASS", "install the CUDA toolkit")
    return Finding("ok", str(path))


def _cache() -> Finding:
    folder = Path(_work.cache_info().folder)
    parent = next(p for p in (folder, *folder.parents) if p.exists())
    if not os.access(parent, os.W_OK):
        return Finding(
            "missing", f"{folder} cannot be written: every process compiles anew", "set TRANSPILER_CACHE_DIR"
        )
    return Finding("ok", str(folder))


CHECKS: dict[str, Callable[[], Finding]] = {
    "python": _python,
    "packages": _packages,
    "nvrtc": _nvrtc,
    "cuda headers": _headers,
    "driver": _driver,
    "gpu": _gpu,
    "cupy": _cupy,
    "c++ compiler": _compiler,
    "disassembler": _disassembler,
    "cache": _cache,
}


# --- helpers ----------------------------------------------------------------------------------------------


def _pip() -> str:
    return f"{Path(sys.executable).name} -m pip install"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _span(archs: list[str]) -> list[str]:
    return [archs[0], "...", archs[-1]] if len(archs) > 2 else archs


def _load_driver() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL("nvcuda.dll" if platform.system() == "Windows" else "libcuda.so.1")
    except OSError:
        return None


def _device(library: ctypes.CDLL, ordinal: int) -> str:
    device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    name = ctypes.create_string_buffer(128)
    library.cuDeviceGet(ctypes.byref(device), ordinal)
    library.cuDeviceGetName(name, len(name), device)
    library.cuDeviceGetAttribute(ctypes.byref(major), 75, device)  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    library.cuDeviceGetAttribute(ctypes.byref(minor), 76, device)
    return f"{name.value.decode(errors='replace')} (sm_{major.value}{minor.value})"


def _first_version(path: str) -> str:
    """The version number that a compiler prints."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        return ""
    words = (done.stdout or done.stderr).replace(",", " ").split()
    return next((word for word in words if word[:1].isdigit() and "." in word), "")

"""Builds emitted units with g++ against stand-ins for CUDA, and runs their kernels on the CPU.

In: the text of a unit, the C name and parameters of a kernel, NumPy arguments, a launch. Out: the arrays, changed in place.
An oracle: what the emitted text does, beside what the simulator says that it means. Needs g++ with C++20.
Non-goals: speed; races (threads run one after the other); warps in lock step.
"""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from transpiler.emit.helpers import load
from transpiler.ir.abi import FAILURE_WORDS, AbiParam

HERE = Path(__file__).parent
COMPILER = shutil.which("g++")
FLAGS = ("-std=c++20", "-O1", "-fPIC", "-shared", "-pthread", "-w", "-ffp-contract=off")
_NUMPY = {
    "bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
    "u32": np.uint32, "u64": np.uint64, "f32": np.float32, "f64": np.float64, "f16": np.uint16, "bf16": np.uint16,
}  # fmt: skip


class HostBuildError(RuntimeError):
    """g++ refused the text."""


class Deadlock(RuntimeError):
    """A thread waited at a barrier, or in a warp collective, for one that never came."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The first recorded check that failed."""

    number: int
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    index: int
    extent: int


def available() -> bool:
    return COMPILER is not None and sys.platform == "linux"


def host_text(unit_source: str, entries: Sequence[tuple[str, str, Sequence[AbiParam]]]) -> str:
    """The unit as plain C++ with a launcher for each entry: (namespace, C name, parameters)."""
    text = re.sub(r"^#include <(?:cuda_fp16|cuda_bf16|cooperative_groups)\.h>\n", "", unit_source, flags=re.MULTILINE)
    text = re.sub(
        r"extern __shared__ __align__\(16\) unsigned char (\w+)\[\];",
        r"unsigned char* const \1 = host::dynamic_shared();",
        text,
    )
    for definition in load("intrinsic_copy.cuh").definitions:  # PTX: the stand-ins have copies of their own
        text = text.replace(definition.text, "")
    text = text.replace("intrinsic::cp_async", "host::cp_async")
    cooperative = "true" if "cooperative_groups::" in text else "false"
    launchers = []
    for namespace, name, abi in entries:
        arguments = [f"*reinterpret_cast<{_plain(p.cpp_type)}*>(arguments[{k}])" for k, p in enumerate(abi)]
        launchers.append(
            f"static void run_{name}(void** arguments) {{ {namespace}::{name}({', '.join(arguments)}); }}\n"
            f'extern "C" bool host_launch_{name}(void** arguments, const unsigned* grid, const unsigned* block, size_t bytes)\n'
            f"{{\n    return host::launch(grid, block, bytes, {cooperative}, run_{name}, arguments);\n}}\n"
        )
    return f'#include "host_cuda.h"\n{text}\n{"".join(launchers)}'


def _plain(cpp_type: str) -> str:
    return cpp_type.replace(" __restrict__", "")


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="host-build-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _precompiled(flags: tuple[str, ...]) -> Path:
    """A folder with the stand-ins precompiled for these flags: they take ten times as long as a kernel."""
    folder = _folder() / hashlib.sha256("\0".join(flags).encode()).hexdigest()[:16]
    folder.mkdir()
    for name in ("host_cuda.h", "host_cuda_math.h"):
        shutil.copy(HERE / name, folder / name)
    _compile([*flags, "-x", "c++-header", "-o", str(folder / "host_cuda.h.gch"), str(folder / "host_cuda.h")])
    return folder


def _compile(arguments: list[str]) -> None:
    if COMPILER is None:
        raise HostBuildError("g++ is not installed")
    done = subprocess.run([COMPILER, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise HostBuildError(done.stderr[:4000])


def build(text: str, flags: tuple[str, ...] = FLAGS) -> Path:
    """Compile C++ text to a library (or, by the flags, a program), once a session for each text."""
    stem = hashlib.sha256("\0".join((text, *flags)).encode()).hexdigest()[:16]
    library = _folder() / f"{stem}.so"
    if not library.exists():
        source = library.with_suffix(".cpp")
        source.write_text(text)
        headers = _precompiled(tuple(flag for flag in flags if flag != "-shared"))
        _compile([*flags, f"-I{headers}", "-o", str(library), str(source)])
    return library


def run_on_host(
    unit_source: str,
    entry: str,
    abi: Sequence[AbiParam],
    arguments: Mapping[str, Any],
    grid: Sequence[int],
    block: Sequence[int],
    *,
    namespace: str | None = None,
    dims: Mapping[str, int] | None = None,
    dynamic_bytes: int = 0,
    flags: tuple[str, ...] = FLAGS,
) -> Failure | None:
    """Run a kernel. `arguments` are NumPy arrays and numbers by Python name (f16 and bf16 arrays of any 16-bit dtype);
    `dims` gives the values of named dims. Returns the recorded check that failed first, if one did.
    """
    if namespace is None:
        namespace = re.findall(r"^namespace (\w+) \{", unit_source, re.MULTILINE)[0]
    library = ctypes.CDLL(str(build(host_text(unit_source, [(namespace, entry, abi)]), flags)))
    failure = np.zeros(FAILURE_WORDS, np.int64)
    holders = [_holder(param, arguments, dims or {}, failure) for param in abi]
    pointers = (ctypes.c_void_p * max(len(holders), 1))(*(holder.ctypes.data for holder in holders))
    launch = getattr(library, f"host_launch_{entry}")
    launch.restype = ctypes.c_bool
    sizes = [(ctypes.c_uint * 3)(*(*size, 1, 1, 1)[:3]) for size in (grid, block)]
    if not launch(pointers, *sizes, ctypes.c_size_t(dynamic_bytes)):
        raise Deadlock(entry)
    if failure[0] == 0:
        return None
    words = [int(word) for word in failure]
    return Failure(words[0], (words[1], words[2], words[3]), (words[4], words[5], words[6]), words[7], words[8])


def _holder(param: AbiParam, arguments: Mapping[str, Any], dims: Mapping[str, int], failure: np.ndarray) -> np.ndarray:
    """Memory that holds the value of one C++ parameter."""
    match param.kind:
        case "pointer":
            return np.array([arguments[param.name].ctypes.data], np.uint64)
        case "scalar":
            assert param.dtype is not None
            return np.array([arguments[param.name]], _NUMPY[param.dtype.name])
        case "dim":
            return np.array([dims[param.name]], np.int64)
        case "extent":
            return np.array([arguments[param.name].shape[param.axis]], np.int64)
        case "stride":
            array = arguments[param.name]
            return np.array([array.strides[param.axis] // array.itemsize], np.int64)
    return np.array([failure.ctypes.data], np.uint64)

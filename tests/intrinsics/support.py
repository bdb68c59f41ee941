"""For tests of the table: every signature that an entry can have, and C++ functions that call it."""

from __future__ import annotations

from importlib.resources import files

import ml_dtypes
import numpy as np
import pytest

from transpiler.intrinsics import TABLE, Intrinsic, Signature
from transpiler.intrinsics.entry import Scalar
from transpiler.intrinsics.reference import signatures
from transpiler.ir.types import BF16, DType

CPP = {
    **{"bool": "bool", "i8": "signed char", "i16": "short", "i32": "int", "i64": "long long", "index": "long long"},
    **{"u8": "unsigned char", "u16": "unsigned short", "u32": "unsigned int", "u64": "unsigned long long"},
    **{"f16": "__half", "bf16": "__nv_bfloat16", "f32": "float", "f64": "double"},
}


CASES = [(entry, signature) for entry in TABLE.values() for signature in signatures(entry)]


def type_name(t: Scalar) -> str:
    return CPP[str(t)]


def statement(entry: Intrinsic, signature: Signature) -> str:
    """The call as `emit` writes it: arguments `a0`, ..., results `r0`, ..."""
    names = {f"r{k}": f"r{k}" for k in range(len(signature.results))}
    text = entry.cpp(signature).format(*(f"a{k}" for k in range(len(signature.args))), **names)
    return f"r0 = {text};" if len(signature.results) == 1 else f"{text};"


def kernel(name: str, entry: Intrinsic, signature: Signature) -> str:
    """One thread an element: `void name(const A0*, ..., R0*, ...)`."""
    params = [f"const {type_name(t)}* p{k}" for k, t in enumerate(signature.args)]
    params += [f"{type_name(t)}* q{k}" for k, t in enumerate(signature.results)]
    lines = [f'extern "C" __global__ void {name}({", ".join(params)}) {{']
    lines += ["    int rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);"]
    lines += ["    int i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + rank;"]
    lines += [f"    {type_name(t)} a{k} = p{k}[i];" for k, t in enumerate(signature.args)]
    lines += [f"    {type_name(t)} r{k};" for k, t in enumerate(signature.results)]
    lines += [f"    {statement(entry, signature)}"]
    lines += [f"    q{k}[i] = r{k};" for k in range(len(signature.results))]
    return "\n".join([*lines, "}", ""])


def device_code(*entries: Intrinsic) -> str:
    """The headers of these entries, each once, in order."""
    names = dict.fromkeys(header for entry in entries for header in entry.headers)
    return "\n".join((files("transpiler.templates") / "device" / name).read_text("utf-8") for name in names)


def unit(cases: list[tuple[Intrinsic, Signature]]) -> str:
    text = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" + device_code(*(entry for entry, _ in cases))
    return text + "\n".join(kernel(f"case{k}", entry, signature) for k, (entry, signature) in enumerate(cases))


def numpy_dtype(t: Scalar) -> np.dtype:
    if not isinstance(t, DType):
        return np.dtype(np.int64)
    if t == BF16:
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype("bool" if t.kind == "bool" else f"{t.kind[0]}{t.itemsize}")


def compiled(text: str, arch: str) -> bytes:
    """PTX (`compute_80`) or machine code (`sm_80`) by NVRTC, which needs no GPU; fails on errors and warnings."""
    nvrtc = pytest.importorskip("cupy.cuda").nvrtc
    headers = pytest.importorskip("cuda.pathfinder").find_nvidia_header_directory("cudart")
    program = nvrtc.createProgram(text, "unit.cu", (), ())
    try:
        nvrtc.compileProgram(program, (f"-I{headers}", f"--gpu-architecture={arch}", "-std=c++17"))
    except nvrtc.NVRTCError:
        pytest.fail(nvrtc.getProgramLog(program))
    assert "warning" not in nvrtc.getProgramLog(program)
    return nvrtc.getCUBIN(program) if arch.startswith("sm_") else nvrtc.getPTX(program)

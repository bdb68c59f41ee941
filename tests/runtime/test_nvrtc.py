"""NVRTC on a machine with no GPU: kinds, architectures, options, errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from transpiler.ir.device import Options
from transpiler.runtime import nvrtc

SAXPY = """\
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}
"""


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_90a", "sm_120"])
def test_cubin_for_any_arch(arch: str) -> None:
    cubin = nvrtc.compile(SAXPY, arch=arch)
    assert cubin[:4] == b"\x7fELF"
    assert b"saxpy" in cubin


def test_ptx_names_the_virtual_architecture() -> None:
    ptx = nvrtc.compile(SAXPY, arch="sm_80", kind="ptx")
    assert b".target sm_80" in ptx
    assert b".entry saxpy" in ptx
    assert not ptx.endswith(b"\0")


def test_options_reach_the_compiler() -> None:
    fused = nvrtc.compile(SAXPY, arch="sm_90", kind="ptx")
    rounded = nvrtc.compile(SAXPY, arch="sm_90", kind="ptx", options=nvrtc.options_for(Options(fma="off")))
    assert b"fma.rn.f32" in fused
    assert b"fma.rn.f32" not in rounded


def test_options_of_a_kernel() -> None:
    options = Options(fma="off", fast_math=True, max_registers=64, line_info=True)
    assert nvrtc.options_for(options) == ("--use_fast_math", "--fmad=false", "-lineinfo", "--maxrregcount=64")
    assert nvrtc.options_for(Options()) == ()


def test_an_unknown_arch_is_named() -> None:
    with pytest.raises(nvrtc.UnsupportedArch, match=r"does not build for sm_12; it knows .*sm_90"):
        nvrtc.compile(SAXPY, arch="sm_12")
    with pytest.raises(nvrtc.UnsupportedArch):
        nvrtc.compile(SAXPY, arch="native")


def test_a_refused_text_is_an_internal_error_with_the_line() -> None:
    broken = SAXPY.replace("a * x[i]", "b * x[i]")
    with pytest.raises(nvrtc.NvrtcError) as caught:
        nvrtc.compile(broken, arch="sm_90")
    error = caught.value
    assert error.messages[0].line == 5
    assert error.messages[0].text == 'identifier "b" is undefined'
    assert "y[i] = b * x[i] + y[i];" in str(error)


def test_line_directives_map_the_log_to_python() -> None:
    broken = SAXPY.replace("        y[i] = a", '#line 12 "saxpy.py"\n        y[i] = b')
    with pytest.raises(nvrtc.NvrtcError) as caught:
        nvrtc.compile(broken, arch="sm_90")
    assert (caught.value.messages[0].path, caught.value.messages[0].line) == ("saxpy.py", 12)


def test_half_headers_are_found() -> None:
    text = '#include <cuda_fp16.h>\nextern "C" __global__ void k(__half* x) { x[0] = x[1] + x[2]; }\n'
    assert nvrtc.compile(text, arch="sm_90")[:4] == b"\x7fELF"


def test_parse_log() -> None:
    log = 'a b.cu(3): warning #177-D: variable "x" was declared\n    int x;\n\nk.py(7): catastrophic error: no file\n'
    found = nvrtc.parse_log(log)
    assert [(m.path, m.line, m.kind) for m in found] == [("a b.cu", 3, "warning"), ("k.py", 7, "error")]


def test_headers_of_another_cuda_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cuda_runtime_api.h").write_text("#define CUDART_VERSION  11080\n")
    assert nvrtc.headers_version(tmp_path) == 11
    assert nvrtc.headers_version(tmp_path / "nowhere") is None
    assert nvrtc.headers_version(Path(nvrtc.include_directories()[0])) == nvrtc.version()[0]
    monkeypatch.setattr(nvrtc, "include_directories", tuple)
    with pytest.raises(nvrtc.NvrtcMissing, match="install nvidia-cuda-runtime"):
        nvrtc.compile("#include <cuda_fp16.h>\n", arch="sm_90")

"""What is read out of a cubin, against one that NVRTC makes here."""

from __future__ import annotations

import pytest

from transpiler.cli.cubin import resources
from transpiler.runtime import nvrtc

SOURCE = """\
extern "C" __global__ void light(float* y) { y[threadIdx.x] = 1.0f; }
extern "C" __global__ void heavy(float* y, int k) {
    float z[100];
    for (int i = 0; i < 100; i++) z[(i * k) % 100] = y[i];
    y[k] = z[k % 100];
}
"""


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_120"])
def test_registers_stack_and_code_are_those_of_each_kernel(arch: str) -> None:
    try:
        cubin = nvrtc.compile(SOURCE, arch=arch)
    except nvrtc.NvrtcMissing as reason:
        pytest.skip(str(reason))
    heavy, light = resources(cubin)
    assert (heavy.kernel, light.kernel) == ("heavy", "light")
    assert heavy.stack == 400
    assert light.stack == 0
    assert 0 < light.registers < heavy.registers <= 255
    assert 0 < light.code < heavy.code


@pytest.mark.parametrize("raw", [b"", b"MZ", b"\x7fELF\x01\x01" + bytes(100)])
def test_what_is_no_cubin_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match="ELF"):
        resources(raw)

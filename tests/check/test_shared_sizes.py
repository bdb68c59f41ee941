"""Shared arrays that the launch sizes: what the host can compute, and where they may stand."""

import pytest

from tests.support.kernels import check, codes, lowered


@pytest.mark.parametrize("shape", ["cuda.blockDim.x", "N", "2 * n", "len(x)", "(cuda.blockDim.x, 3)", "0"])
def test_the_host_can_size_it(shape: str) -> None:
    lowered(f"@kernel\ndef k(x: In[f32, N], n: i32):\n    s = cuda.shared.array({shape}, f32)\n")


@pytest.mark.parametrize("shape", ["cuda.threadIdx.x + 1", "cuda.blockIdx.x + 1", "p[0]", "i", "cuda.popc(u32(3))"])
def test_the_host_cannot_size_it(shape: str) -> None:
    found = check(
        f"@kernel\ndef k(p: In[i32, N]):\n    i = cuda.grid(1) + 1\n    s = cuda.shared.array({shape}, f32)\n"
    )
    assert {d.code for d in found} == {"E0205"}


def test_a_device_function_takes_it_from_its_caller() -> None:
    text = "@device\ndef f(n: i32):\n    s = cuda.shared.array(n, f32)\n\n@kernel\ndef k(n: i32):\n    f(n)\n"
    assert "E0205" in {d.code for d in check(text)}


def test_constant_shapes_may_stand_in_device_functions() -> None:
    text = "@device\ndef f():\n    s = cuda.shared.array(32, f32)\n\n@kernel\ndef k(n: i32):\n    f()\n"
    assert not [c for c in codes(text) if c.startswith("E")]

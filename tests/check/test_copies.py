"""Asynchronous copies: what they may copy from where to where, and the device IR that they become."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.kernels import check, kernel_text, lowered
from transpiler.ir.dump import dump_body

SHARED = "s = cuda.shared.array(64, f32)\nh = cuda.shared.array((8, 16), f16)\nd = cuda.shared.array(33, f32)\n"
PARAMS = "x: In[f32, N], y: In[f16, M, N], z: In[f32, N, Strided], c: In[f32, M, N, FOrder], a: Atomic[f32, N], n: i32"


def text(body: str) -> str:
    return kernel_text(SHARED + "i = cuda.threadIdx.x\n" + textwrap.dedent(body), PARAMS)


def test_device_ir() -> None:
    body = "cuda.cp_async(s, 4 * i, x, i, count=4)\ncuda.cp_async_commit_group()\ncuda.cp_async_wait_group(1)\n"
    assert dump_body(lowered(text(body))).splitlines()[1:] == [
        "copy s[4 * i] = x[i] count 4",
        "commit copies",
        "wait copies 1",
    ]


@pytest.mark.parametrize(
    "call",
    [
        "cuda.cp_async(s, i, x, i)",
        "cuda.cp_async(s, 2 * i, x, i, 2)",
        "cuda.cp_async(h, (i, 0), y, (i, 8), 8)",
        "cuda.cp_async(h[i], 0, y[i], 8, 8)",
        "cuda.cp_async(h[1:], (0, 0), y[i:, :], (0, 8), 8)",
        "cuda.cp_async(s, i, z, i)",
        "cuda.cp_async(s, i, c, (0, i))",
        "cuda.cp_async(d, i, x, i)",
        "cuda.cp_async(cuda.shared.array(n, f32), i, x, i)",
    ],
)
def test_accepted(call: str) -> None:
    if "array(n" in call:
        call = "q = cuda.shared.array(n, f32)\ncuda.cp_async(q, i, x, i)"
    assert check(text(call)) == []


REFUSED = [
    ("cuda.cp_async(s, i, x, i, 3)", "E0205", "moves 4, 8 or 16 bytes, and 3 of f32 are 12"),
    ("cuda.cp_async(h, (0, i), y, (0, i))", "E0205", "1 of f16 are 2"),
    ("cuda.cp_async(s, i, x, i, n)", "E0205", "`count` is an integer of at least 1 that is known at compile time"),
    ("cuda.cp_async(s, i, x, i, 0)", "E0205", "`count` is an integer of at least 1"),
    ("cuda.cp_async(x, i, x, i)", "E0206", "fills shared memory, and `x` is not: it is global memory"),
    ("cuda.cp_async(s, i, d, i)", "E0206", "reads global memory, and `d` is not: it is shared memory"),
    ("cuda.cp_async(s, i, a, i)", "E0306", "only atomics touch it"),
    ("cuda.cp_async(s, i, y, (i, i))", "E0206", "`y` holds f16, `s` f32"),
    ("cuda.cp_async(s, i, i, i)", "E0204", "what an asynchronous copy reads is an array"),
    ("cuda.cp_async(s, (i, i), x, i)", "E0211", "2 indices on"),
    ("cuda.cp_async(s, 4 * i, z, i, 4)", "E0206", "`z` is strided"),
    ("cuda.cp_async(s, 4 * i, c, (i, i), 4)", "E0206", "`c` is column-major"),
    ("cuda.cp_async(h[:, 0], i, y[0], i, 8)", "E0206", "`h[:, 0]` is cut from an array on its last axis"),
    ("cuda.cp_async(h[0], 0, y[0, ::2], i, 8)", "E0206", "`y[0, ::2]` is cut"),
    ("cuda.cp_async(d, 4 * i, x, 4 * i, 4)", "E0206", "`d` has 132 bytes, which copies of 16 bytes do not divide"),
    ("q = cuda.shared.array(n, f32)\ncuda.cp_async(q, i, x, i, 2)", "E0206", "`q` is sized by the launch"),
    ("cuda.cp_async_wait_group(n)", "E0205", "`pending` is an integer of at least 0 that is known at compile time"),
    ("cuda.cp_async_wait_group(-1)", "E0205", "`pending` is an integer of at least 0"),
    ("cuda.cp_async_wait_group()", "E0205", "lacks the argument `pending`"),
    ("cuda.cp_async_commit_group(1)", "E0205", "takes 0 arguments"),
]


@pytest.mark.parametrize(("body", "code", "words"), REFUSED, ids=[row[0].splitlines()[-1] for row in REFUSED])
def test_refused(body: str, code: str, words: str) -> None:
    (found,) = check(text(body))
    assert found.code == code
    assert words in found.message


@pytest.mark.parametrize("call", ["cp_async(s, 0, x, 0)", "cp_async_commit_group()", "cp_async_wait_group(0)"])
def test_they_stand_in_the_kernel_itself(call: str) -> None:
    function = f"@device\ndef f(s: InOut[f32, 64], x: In[f32, int]):\n    cuda.{call}\n\n"
    found = check(function + text("f(s, x)"))
    assert "E0206" in {d.code for d in found}
    assert any("stand in the kernel itself" in d.message for d in found)

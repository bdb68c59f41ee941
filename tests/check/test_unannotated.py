"""Kernels without annotations: types come from the arguments of a launch, ownership from use."""

from __future__ import annotations

import pytest

from tests.support.kernels import module
from transpiler.check import ArgumentType, check_kernel
from transpiler.ir import device
from transpiler.ir.dump import dump
from transpiler.ir.types import F32, F64, I32, I64
from transpiler.lower import lower_kernel

ARRAYS = {name: ArgumentType(F32, 1) for name in "abc"}


def kernel(text: str, **arguments: ArgumentType) -> device.Kernel:
    parsed = module(text)
    typed, found = check_kernel(parsed, parsed.functions[-1], arguments=arguments)
    assert typed is not None, [f"{d.code} {d.message}" for d in found]
    return lower_kernel(typed)


def test_scalars_and_arrays_take_the_types_of_their_arguments() -> None:
    text = "@kernel\ndef k(x, y, n, s):\n    i = cuda.grid(1)\n    if i < n:\n        y[i, 0] = s * x[i]\n"
    built = kernel(text, x=ArgumentType(F32, 1), y=ArgumentType(F64, 2), n=ArgumentType(I64), s=ArgumentType(F32))
    assert dump(built).splitlines()[0] == (
        "kernel k(x: in? f32[x.shape[0]], y: inout? f64[y.shape[0], y.shape[1]], n: i64, s: f32) block=(?, 1, 1)"
    )


@pytest.mark.parametrize(
    ("body", "ownership"),
    [
        ("a[0] = b[0]", {"a": "inout", "b": "in", "c": "in"}),
        ("a[0] += b[0]", {"a": "inout", "b": "in", "c": "in"}),
        ("(a[0], x), b[1] = (1.0, 2.0), 3.0", {"a": "inout", "b": "inout", "c": "in"}),
        ("r = a[1:]\ns = r\ns[0] = b[0]", {"a": "inout", "b": "in", "c": "in"}),
        ("cuda.atomic.add(a, 0, b[0])\ncuda.atomic.max(b, 0, 1.0)", {"a": "atomic", "b": "inout", "c": "in"}),
        ("at = len(a) + a.shape[0]\nb[0] = at", {"a": "in", "b": "inout", "c": "in"}),
        ("put(a, 1.0)\nshow(b)", {"a": "inout", "b": "in", "c": "in"}),
        ("put_later(v=1.0, r=a)\nbump(b)", {"a": "inout", "b": "atomic", "c": "in"}),
        ("both(b[2:], a)", {"a": "in", "b": "inout", "c": "in"}),
    ],
)
def test_ownership_comes_from_use(body: str, ownership: dict[str, str]) -> None:
    helpers = (
        "@device\ndef put(r, v):\n    r[0] = v\n"
        "@device\ndef show(r: In[f32, int]):\n    return r[0]\n"
        "@device\ndef put_later(r, v):\n    put(r, v)\n"
        "@device\ndef bump(r: Atomic[f32, int]):\n    cuda.atomic.add(r, 0, 1.0)\n"
        "@device\ndef both(r, s):\n    r[0] = s[0]\n"
    )
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    built = kernel(f"{helpers}@kernel(block=32)\ndef k(a, b, c):\n{lines}", **ARRAYS)
    assert {p.name: p.ownership for p in built.params if isinstance(p, device.ArrayParam)} == ownership
    assert all(p.inferred for p in built.params if isinstance(p, device.ArrayParam))


def test_annotations_and_arguments_mix() -> None:
    built = kernel("@kernel(block=32)\ndef k(x: In[f32, N], n):\n    v = x[n]\n", n=ArgumentType(I32))
    assert [p.name for p in built.params] == ["x", "n"]
    assert built.dims == ("N",)

"""`deterministic=True` refuses what depends on the order of threads, wherever it stands."""

from __future__ import annotations

from tests.support.kernels import codes

ADD = "@device\ndef add(a: Atomic[f32, int], v: f32):\n    cuda.atomic.add(a, 0, v)\n"
KERNEL = "@kernel(block=32, deterministic=True)\ndef k(x: Atomic[{}, 1], y: Atomic[i32, 1]):\n    {}\n"


def test_float_sums_are_refused() -> None:
    assert codes(KERNEL.format("f32", "cuda.atomic.add(x, 0, 1.0)")) == ["E0311"]
    assert codes(KERNEL.format("f16", "cuda.atomic.sub(x, 0, 1.0)")) == ["E0311"]
    assert codes(ADD + KERNEL.format("f32", "add(x, 1.0)")) == ["E0311"]


def test_what_no_order_changes_is_not() -> None:
    assert codes(KERNEL.format("f32", "cuda.atomic.max(x, 0, 1.0)\n    cuda.atomic.add(y, 0, 1)")) == []
    assert codes(KERNEL.replace(", deterministic=True", "").format("f32", "cuda.atomic.add(x, 0, 1.0)")) == []

"""Kernels for the simulator's tests, written in the kernel language.

In: the text of a kernel file without its import line. Out: device IR of its kernels.
"""

from __future__ import annotations

from typing import Any

from tests.support.cpython_surface import module_from_ast
from transpiler.check import check_kernel
from transpiler.ir import device
from transpiler.lower import lower_kernel
from transpiler.simulate import Report, simulate
from transpiler.source import Source

HEADER = """import math
from transpiler import Atomic, Const, Dim, In, InOut, Out, Strided, cuda, device, kernel, unroll
from transpiler import invariant, requires, trust, ordered, injective, permutation, in_range, nondecreasing
from transpiler import bool_, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64
class N(Dim): ...
class M(Dim): ...
"""
FIRST_LINE = HEADER.count("\n") + 1
"""Of a test's own text."""


def lowered(text: str, name: str | None = None) -> device.Kernel:
    """The kernel of that name, or the only one."""
    source = Source(HEADER + text, "kernel.py")
    module = module_from_ast(source)
    function = next(f for f in module.functions if f.is_kernel and name in (None, f.name))
    typed, diagnostics = check_kernel(module, function)
    errors = [(d.code, d.message) for d in diagnostics if d.severity.value == "error"]
    assert not errors, errors
    assert typed is not None
    return lower_kernel(typed)


def run(text: str, /, grid: Any = None, block: Any = None, **arguments: Any) -> Report:
    options = {k: arguments.pop(k) for k in ("schedule", "detect", "max_steps", "smem", "blocks") if k in arguments}
    return simulate(lowered(text), arguments, grid=grid, block=block, **options)

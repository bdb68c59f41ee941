"""From the text of a kernel to its diagnostics and its device IR, for tests.

Texts need no imports: `PRELUDE` stands in front of them. `codes` and `lowered` take a whole file or the body of a kernel `k`.
"""

from __future__ import annotations

import textwrap

from transpiler.check import check_kernel, instances_of
from transpiler.diagnostics import Diagnostic
from transpiler.frontend import parse_module
from transpiler.ir import device, surface
from transpiler.lower import lower_kernel
from transpiler.source import Source

PRELUDE = """\
import math
import numpy as np
from transpiler import (
    Atomic, Const, DType, Dim, FOrder, In, InOut, Out, Strided, bf16, bool_, cuda, device, f16, f32, f64, i8, i16, i32, i64,
    in_range, injective, invariant, kernel, nondecreasing, ordered, permutation, requires, trust, u8, u16, u32, u64, unroll, vec,
)
class M(Dim): ...
class N(Dim): ...
"""


def kernel_text(body: str, params: str, decorator: str = "kernel(block=32)") -> str:
    """A kernel `k` with this body."""
    return f"@{decorator}\ndef k({params}):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"


def module(text: str) -> surface.Module:
    parsed, diagnostics = parse_module(Source(PRELUDE + textwrap.dedent(text), "kernels.py"))
    assert diagnostics == [], diagnostics
    return parsed


def check(text: str) -> list[Diagnostic]:
    """What `check` finds in all instances of all kernels of a file; what passes is lowered too."""
    return checked(module(text))[1]


def checked(parsed: surface.Module) -> tuple[list[device.Kernel], list[Diagnostic]]:
    kernels: list[device.Kernel] = []
    found: list[Diagnostic] = []
    for function in parsed.functions:
        if not function.is_kernel:
            continue
        instances, diagnostics = instances_of(parsed, function)
        found += diagnostics
        for instance in instances:
            typed, diagnostics = check_kernel(parsed, function, instance)
            found += diagnostics
            if typed is not None:
                kernels.append(lower_kernel(typed))
    return kernels, found


def codes(text: str) -> list[str]:
    """Codes of what is found, each once, in order."""
    return list(dict.fromkeys(d.code for d in check(text)))


def lowered(text: str) -> device.Kernel:
    """The device IR of the first kernel (in its first instance) of a file without errors."""
    kernels, found = checked(module(text))
    assert not [d for d in found if d.code.startswith("E")], [f"{d.code} {d.message}" for d in found]
    return kernels[0]

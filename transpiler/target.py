"""What an architecture lacks: features of kernels that older `sm_XX` cannot run, as a table.

In: a kernel and an architecture. Out: diagnostics E0701, one for each statement or call that needs a newer one.
Source of the limits: CUDA C++ Programming Guide, sections on atomic functions, warp intrinsics and cooperative groups; PTX ISA,
`cp.async`.
Non-goals: limits of a launch (`runtime.grid`), which architectures the NVRTC at hand knows (`runtime.nvrtc`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from transpiler.diagnostics import Diagnostic
from transpiler.ir import device
from transpiler.ir.walk import walk
from transpiler.source import Source, Span

_ATOMIC_SUMS = {"f64": 60, "f16": 70, "bf16": 70}
"""Before these, `atomicAdd` does not take the dtype."""
_SYSTEM_SCOPE, _GRID_BARRIER, _ASYNC_COPY = 60, 60, 80


def number(arch: str) -> int:
    """90 of `sm_90a`; raises `ValueError` for what is no architecture."""
    found = re.fullmatch(r"(?:sm|compute)_(\d+)[af]?", arch)
    if found is None:
        raise ValueError(f"{arch!r} is no architecture")
    return int(found[1])


def lacking(kernel: device.Kernel, arch: str) -> list[Diagnostic]:
    """What in the kernel `arch` cannot run."""
    have = number(arch)
    found: list[Diagnostic] = []
    for function in (kernel, *kernel.functions):
        for what, needed, span in _needs(function):
            if needed > have:
                found.append(_diagnostic(function.source, span, what, needed, arch))
    return found


def _needs(function: device.Kernel | device.Function) -> Iterator[tuple[str, int, Span]]:
    for node in (n for stmt in function.body for n in walk(stmt)):
        match node:
            case device.Atomic(op=("add" | "sub") as op) if node.array.dtype.name in _ATOMIC_SUMS:
                yield f"`atomic.{op}` on {node.array.dtype}", _ATOMIC_SUMS[node.array.dtype.name], node.span
            case device.Atomic(scope="system"):
                yield "an atomic of system scope", _SYSTEM_SCOPE, node.span
            case device.Barrier(scope="grid"):
                yield "a barrier of the grid", _GRID_BARRIER, node.span
            case device.AsyncCopy() | device.CommitGroup() | device.WaitGroup():
                yield "an asynchronous copy", _ASYNC_COPY, node.span
            case device.Call() | device.CallStmt() if not isinstance(node.callee, device.Function):
                yield f"`{node.callee.name.removeprefix('transpiler.')}`", node.callee.min_arch, node.span


def _diagnostic(source: Source, span: Span, what: str, needed: int, arch: str) -> Diagnostic:
    return Diagnostic(
        code="E0701",
        message=f"{what} needs sm_{needed}; {arch} does not have it",
        source=source,
        span=span,
        help=f"build for sm_{needed} or newer",
    )

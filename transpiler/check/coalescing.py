"""A lint: accesses whose fastest thread axis is not the last index, so that neighbouring threads touch memory a row apart.

In: the device IR of a kernel. Out: at most one W0503 for each array parameter of two axes or more, at its first such access.
Threads are numbered along x first (along y where the block is one thread wide); arrays lie in C order. What an index is worth is
not asked: an access is named only where the last index does not depend on the fastest axis at all and an earlier one does, by
sums and products. Non-goals: a bound on the bandwidth that is lost; shared memory, whose banks are another matter.
"""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.diagnostics import Diagnostic
from transpiler.ir import device
from transpiler.ir.walk import statements, walk

_ROW_IN_A_TRANSACTION = 32
"""Bytes: rows of this length or less are fetched whole, whatever the order."""


def check_coalescing(kernel: device.Kernel) -> list[Diagnostic]:
    axis = next((k for k, extent in enumerate(kernel.block) if extent != 1), 0)
    moving = _moving_locals(kernel.body, axis)
    found: dict[device.Array, Diagnostic] = {}
    for access in _accesses(kernel.body):
        if access.array not in found and _is_across(access, axis, moving):
            found[access.array] = _diagnostic(kernel, access, axis)
    return list(found.values())


Access = device.Load | device.Store | device.Atomic


def _accesses(body: tuple[device.Stmt, ...]) -> Iterator[Access]:
    for node in (n for stmt in body for n in walk(stmt)):
        if isinstance(node, Access):
            yield node


def _is_across(access: Access, axis: int, moving: set[device.Local]) -> bool:
    array = access.array
    if not isinstance(array, device.ArrayParam) or array.order != "C" or array.rank < 2:
        return False
    last = array.shape[-1]
    if isinstance(last, device.Const) and last.value * array.dtype.itemsize <= _ROW_IN_A_TRANSACTION:
        return False
    *earlier, inner = access.indices
    return not _depends(inner, axis, moving) and any(_grows(e, axis, moving) for e in earlier)


def _moving_locals(body: tuple[device.Stmt, ...], axis: int) -> set[device.Local]:
    """Locals whose value depends on the fastest axis."""
    moving: set[device.Local] = set()
    while True:
        before = len(moving)
        for stmt in statements(body):
            match stmt:
                case device.Assign() if _depends(stmt.value, axis, moving):
                    moving.add(stmt.target)
                case device.For() if _depends(stmt.start, axis, moving):
                    moving.add(stmt.counter)
        if len(moving) == before:
            return moving


def _depends(expr: device.Expr, axis: int, moving: set[device.Local]) -> bool:
    return any(_is_position(node, axis) or (isinstance(node, device.Var) and node.var in moving) for node in walk(expr))


def _is_position(node: device.Node, axis: int) -> bool:
    if not isinstance(node, device.LaunchVar):
        return False
    return node.name == "laneid" or (node.name in ("threadIdx", "grid") and node.axis == axis)


def _grows(expr: device.Expr, axis: int, moving: set[device.Local]) -> bool:
    """Whether an index moves with the axis by sums and products alone: a gather or a division may well stay in a row."""
    plain = all(
        isinstance(node, device.Const | device.Var | device.DimRef | device.Extent | device.LaunchVar)
        or (isinstance(node, device.Binary) and node.op in ("+", "-", "*"))
        for node in walk(expr)
    )
    return plain and _depends(expr, axis, moving)


def _diagnostic(kernel: device.Kernel, access: Access, axis: int) -> Diagnostic:
    name, thread = access.array.name, f"threadIdx.{'xyz'[axis]}"
    return Diagnostic(
        code="W0503",
        message=f"neighbouring threads ({thread}) touch elements of `{name}` that lie a row apart: a transaction each",
        source=kernel.source,
        span=access.span,
        help=f"let `{thread}` run over the last index of `{name}`, or stage a tile in shared memory",
    )

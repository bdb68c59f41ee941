"""Short words to build device IR by hand.

In: Python values. Out: device nodes without spans that matter.
"""

from __future__ import annotations

from transpiler.ir import device as d
from transpiler.ir.types import BOOL, F32, I32, INDEX, DType
from transpiler.source import Source, Span

SPAN = Span(0, 0)
SOURCE = Source("", "kernels.py")


def const(value: float | bool, type_: d.Scalar = INDEX, text: str = "", name: str = "") -> d.Const:
    return d.Const(value, text, name, span=SPAN, type=type_)


def local(name: str, type_: d.Scalar = INDEX) -> d.Local:
    return d.Local(name, type_, span=SPAN)


def scalar(name: str, dtype: DType = I32) -> d.ScalarParam:
    return d.ScalarParam(name, dtype, span=SPAN)


def var(of: d.Local | d.ScalarParam) -> d.Var:
    return d.Var(of, span=SPAN, type=of.type)


def dim(name: str) -> d.DimRef:
    return d.DimRef(name, span=SPAN, type=INDEX)


def extent(array: str, axis: int = 0) -> d.Extent:
    return d.Extent(array, axis, span=SPAN, type=INDEX)


def launch(name: str, axis: int = 0) -> d.LaunchVar:
    return d.LaunchVar(name, axis, span=SPAN, type=INDEX)


def array(
    name: str, dtype: DType = F32, *shape: d.Expr | int, ownership: str = "in", order: str = "C", rank: int = 1
) -> d.ArrayParam:
    """An array parameter; without a shape all extents are anonymous."""
    extents = tuple(const(e) if isinstance(e, int) else e for e in shape)
    extents = extents or tuple(extent(name, axis) for axis in range(rank))
    return d.ArrayParam(name, dtype, extents, ownership, order, span=SPAN)


def shared(name: str, dtype: DType = F32, *shape: d.Expr | int) -> d.SharedArray:
    return d.SharedArray(name, dtype, tuple(const(e) if isinstance(e, int) else e for e in shape), span=SPAN)


def unary(op: str, operand: d.Expr) -> d.Unary:
    return d.Unary(op, operand, span=SPAN, type=operand.type)


def binary(op: str, left: d.Expr, right: d.Expr) -> d.Binary:
    return d.Binary(op, left, right, span=SPAN, type=left.type)


def compare(op: str, left: d.Expr, right: d.Expr) -> d.Compare:
    return d.Compare(op, left, right, span=SPAN, type=BOOL)


def logic(op: str, left: d.Expr, right: d.Expr) -> d.Logic:
    return d.Logic(op, left, right, span=SPAN, type=BOOL)


def select(cond: d.Expr, then: d.Expr, orelse: d.Expr) -> d.Select:
    return d.Select(cond, then, orelse, span=SPAN, type=then.type)


def cast(operand: d.Expr, type_: d.Scalar) -> d.Cast:
    return d.Cast(operand, span=SPAN, type=type_)


def load(of: d.Array, *indices: d.Expr) -> d.Load:
    return d.Load(of, indices, span=SPAN, type=of.dtype)


def assign(target: d.Local, value: d.Expr, comments: tuple[str, ...] = (), trailing: str | None = None) -> d.Assign:
    return d.Assign(target, value, span=SPAN, comments=comments, trailing=trailing)


def store(to: d.Array, indices: tuple[d.Expr, ...] | d.Expr, value: d.Expr, augmented: str | None = None) -> d.Store:
    return d.Store(to, indices if isinstance(indices, tuple) else (indices,), value, augmented, span=SPAN)


def atomic(target: d.Local | None, op: str, on: d.Array, index: d.Expr, *operands: d.Expr, **kinds: str) -> d.Atomic:
    return d.Atomic(target, op, on, (index,), operands, **kinds, span=SPAN)


def if_(cond: d.Expr, then: list[d.Stmt], orelse: list[d.Stmt] | None = None) -> d.If:
    return d.If(cond, tuple(then), tuple(orelse or ()), span=SPAN)


def for_(
    counter: d.Local,
    start: d.Expr,
    stop: d.Expr,
    body: list[d.Stmt],
    step: d.Expr | None = None,
    unroll: int | None = None,
) -> d.For:
    return d.For(counter, start, stop, step or const(1), tuple(body), unroll, span=SPAN)


def while_(cond: d.Expr, body: list[d.Stmt], pre: list[d.Stmt] | None = None) -> d.While:
    return d.While(tuple(pre or ()), cond, tuple(body), span=SPAN)


def kernel(
    params: list[d.ScalarParam | d.ArrayParam],
    body: list[d.Stmt],
    *,
    name: str = "k",
    block: tuple[int | None, int | None, int | None] = (256, 1, 1),
    dims: tuple[str, ...] = (),
    **fields: object,
) -> d.Kernel:
    return d.Kernel(name, SOURCE, tuple(params), dims, tuple(body), block, span=SPAN, **fields)  # type: ignore[arg-type]


def function(
    name: str, params: list, returns: tuple[d.Scalar, ...], body: list[d.Stmt], **fields: object
) -> d.Function:
    return d.Function(name, SOURCE, tuple(params), returns, tuple(body), span=SPAN, **fields)  # type: ignore[arg-type]


def ret(*values: d.Expr) -> d.Return:
    return d.Return(values, span=SPAN)

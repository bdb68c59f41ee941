"""The invariants of the device IR, checked after lowering: what the consumers rely on and need not test again.

In: a kernel. Out: nothing, or `AssertionError` with the node at fault, which is a bug of ours.
"""

from __future__ import annotations

from transpiler.ir import device
from transpiler.ir.copies import SIZES
from transpiler.ir.types import BOOL, INDEX, IndexType
from transpiler.ir.walk import statements, walk


def verify(kernel: device.Kernel) -> None:
    for function in kernel.functions:
        _body(function.body, function.returns)
        for stmt in statements(function.body):
            asynchronous = isinstance(stmt, device.AsyncCopy | device.CommitGroup | device.WaitGroup)
            _check(not asynchronous, stmt, "an asynchronous copy outside the kernel itself")
    _body(kernel.body, ())
    known = set(kernel.functions)
    for body in (kernel.body, *(f.body for f in kernel.functions)):
        for node in (n for stmt in body for n in walk(stmt)):
            if isinstance(node, device.Call | device.CallStmt) and isinstance(node.callee, device.Function):
                _check(node.callee in known, node, "a callee outside the unit")


def _check(holds: bool, node: device.Node, what: str) -> None:
    if not holds:
        raise AssertionError(f"device IR: {what} at {node.span}: {type(node).__name__}")


def _body(body: tuple[device.Stmt, ...], returns: tuple[device.Scalar, ...]) -> None:
    for stmt in statements(body):
        _statement(stmt, returns)
    for node in (n for stmt in body for n in walk(stmt)):
        if isinstance(node, device.Expr):
            _expression(node)


def _statement(stmt: device.Stmt, returns: tuple[device.Scalar, ...]) -> None:
    match stmt:
        case device.Assign():
            _check(
                stmt.target.type == stmt.value.type,
                stmt,
                f"{stmt.value.type} assigned to {stmt.target.type} `{stmt.target.name}`",
            )
        case device.Store():
            _check(stmt.value.type == stmt.array.dtype, stmt, f"{stmt.value.type} stored in {stmt.array.dtype}")
            _indices(stmt, stmt.array, stmt.indices)
        case device.Atomic():
            _check(all(o.type == stmt.array.dtype for o in stmt.operands), stmt, "operands of an atomic")
            _indices(stmt, stmt.array, stmt.indices)
        case device.AsyncCopy():
            source = stmt.source.array
            _check(isinstance(stmt.array, device.SharedArray), stmt, "a copy to memory that is not shared")
            _check(isinstance(source, device.ArrayParam), stmt, "a copy of memory that is not global")
            _check(stmt.source.type == stmt.array.dtype, stmt, f"{stmt.source.type} copied to {stmt.array.dtype}")
            _check(stmt.bytes in SIZES, stmt, f"a copy of {stmt.bytes} bytes")
            _indices(stmt, stmt.array, stmt.indices)
        case device.WaitGroup():
            _check(stmt.pending >= 0, stmt, "a wait for fewer than all groups")
        case device.If() | device.While() | device.Assert():
            _check(stmt.cond.type == BOOL, stmt, "a condition that is no bool")
        case device.For():
            _check(
                all(isinstance(b.type, IndexType) for b in (stmt.start, stmt.stop, stmt.step)),
                stmt,
                "bounds of a range",
            )
            _check(
                not any(isinstance(s, device.Assign) and s.target is stmt.counter for s in statements(stmt.body)),
                stmt,
                "an assigned counter",
            )
        case device.Return():
            _check(tuple(v.type for v in stmt.values) == returns, stmt, "results")


def _indices(node: device.Node, array: device.Array, indices: tuple[device.Expr, ...]) -> None:
    _check(len(indices) == array.rank, node, f"{len(indices)} indices on {array.rank} axes")
    _check(all(i.type == INDEX for i in indices), node, "an index that is no index integer")


def _expression(expr: device.Expr) -> None:
    match expr:
        case device.Binary():
            _check(
                expr.left.type == expr.right.type == expr.type,
                expr,
                f"`{expr.op}` of {expr.left.type} and {expr.right.type} gives {expr.type}",
            )
        case device.Compare():
            integers = all(isinstance(t, IndexType) or t.is_integer for t in (expr.left.type, expr.right.type))
            _check(
                expr.left.type == expr.right.type or integers,
                expr,
                f"`{expr.op}` of {expr.left.type} and {expr.right.type}",
            )
        case device.Logic():
            _check(expr.left.type == expr.right.type == BOOL, expr, "operands of a logic operator")
        case device.Select():
            _check(expr.cond.type == BOOL and expr.then.type == expr.orelse.type == expr.type, expr, "arms of a select")
        case device.Load():
            _indices(expr, expr.array, expr.indices)
            _check(expr.type == expr.array.dtype, expr, "the type of a load")
        case device.Var():
            _check(expr.type == expr.var.type, expr, "the type of a variable")
        case device.Call() if isinstance(expr.callee, device.Function):
            _check(expr.callee.pure, expr, "a call with effects in an expression")

"""Walking the device IR.

In: statements and expressions. Out: iterators in the order of the source. Non-goals: rewriting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from transpiler.ir import device as d


def operands(expr: d.Expr | d.View | d.Range) -> tuple[d.Expr | d.View | d.Range, ...]:
    """The direct operands of an expression, left to right."""
    match expr:
        case d.Unary() | d.Cast():
            return (expr.operand,)
        case d.Binary() | d.Compare() | d.Logic():
            return (expr.left, expr.right)
        case d.Select():
            return (expr.cond, expr.then, expr.orelse)
        case d.Load():
            return expr.indices
        case d.Call():
            return expr.args
        case d.View():
            return expr.items
        case d.Range():
            return (expr.start, expr.length)
    return ()


def subexpressions(expr: d.Expr | d.View | d.Range) -> Iterator[d.Expr | d.View | d.Range]:
    """The expression and everything below it, operands after the operation."""
    stack: list[d.Expr | d.View | d.Range] = [expr]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(operands(node)))


def expressions(stmt: d.Stmt) -> tuple[d.Expr | d.View, ...]:
    """The expressions that a statement itself holds, those of its bodies left out."""
    match stmt:
        case d.Assign():
            return (stmt.value,)
        case d.Store():
            return (*stmt.indices, stmt.value)
        case d.Atomic():
            return (*stmt.indices, *stmt.operands)
        case d.AsyncCopy():
            return (*stmt.indices, stmt.source)
        case d.CallStmt():
            return stmt.args
        case d.Barrier():
            return () if stmt.mask is None else (stmt.mask,)
        case d.If() | d.While() | d.Assert() | d.Invariant():
            return (stmt.cond,)
        case d.For():
            return (stmt.start, stmt.stop, stmt.step)
        case d.Return():
            return stmt.values
        case d.Print():
            return tuple(part[0] for part in stmt.parts if not isinstance(part, str))
        case d.Trust():
            return () if stmt.cond is None else (stmt.cond,)
    return ()


def bodies(stmt: d.Stmt) -> tuple[tuple[d.Stmt, ...], ...]:
    match stmt:
        case d.If():
            return (stmt.then, stmt.orelse)
        case d.For():
            return (stmt.body,)
        case d.While():
            return (stmt.pre, stmt.body)
    return ()


def targets(stmt: d.Stmt) -> tuple[d.Local, ...]:
    """The locals that a statement itself assigns (a loop's counter included)."""
    match stmt:
        case d.Assign():
            return (stmt.target,)
        case d.Atomic():
            return () if stmt.target is None else (stmt.target,)
        case d.CallStmt():
            return stmt.targets
        case d.For():
            return (stmt.counter,)
    return ()


def statements(body: Iterable[d.Stmt]) -> Iterator[d.Stmt]:
    """All statements, an enclosing one before those in its bodies."""
    for stmt in body:
        yield stmt
        for inner in bodies(stmt):
            yield from statements(inner)


def everything(body: Iterable[d.Stmt]) -> Iterator[d.Expr | d.View | d.Range]:
    """Every expression node of the statements."""
    for stmt in statements(body):
        for expr in expressions(stmt):
            yield from subexpressions(expr)

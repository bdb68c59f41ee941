"""Statements of the typed kernel to device statements.

In: a surface body. Out: device statements in `low.out`, comments carried along.
Non-goals: loops (`loops`).
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.check.meaning import (
    NoneMeaning,
    TupleMeaning,
)
from transpiler.ir import device, surface
from transpiler.ir.types import VectorType
from transpiler.lower.assignment import assign, assign_name, augmented
from transpiler.lower.calls import call_statement
from transpiler.lower.context import Lowering
from transpiler.lower.expressions import condition, value
from transpiler.lower.tuples import items, scalar_types
from transpiler.lower.values import convert


def lower_body(low: Lowering, body: tuple[surface.Stmt, ...]) -> None:
    """Comments go to the first device statement of their own; those of a statement that became none go to the next one."""
    waiting: tuple[str, ...] = ()
    for stmt in body:
        mark = len(low.out)
        lower_statement(low, stmt)
        if len(low.out) > mark:
            low.out[mark] = commented(low.out[mark], waiting + stmt.comments, stmt.trailing)
            waiting = ()
        else:
            waiting += stmt.comments + ((stmt.trailing,) if stmt.trailing else ())


def commented(stmt: device.Stmt, comments: tuple[str, ...], trailing: str | None = None) -> device.Stmt:
    """The statement with more comments above it, and one behind it if it has none yet."""
    if not comments and not trailing:
        return stmt
    return replace(stmt, comments=comments + stmt.comments, trailing=stmt.trailing or trailing)


def lower_statement(low: Lowering, stmt: surface.Stmt) -> None:
    from transpiler.lower.loops import lower_for, lower_while

    match stmt:
        case surface.Assign():
            assign(low, stmt)
        case surface.AnnAssign():
            if stmt.value is not None:
                assert isinstance(stmt.target, surface.Name)
                assign_name(low, stmt.target, stmt.value)
        case surface.AugAssign():
            augmented(low, stmt)
        case surface.ExprStmt():
            if isinstance(stmt.value, surface.Call):
                call_statement(low, stmt.value)
            elif isinstance(stmt.value, surface.Walrus):
                assign_name(low, stmt.value.target, stmt.value.value)
        case surface.If():
            _if(low, stmt)
        case surface.For():
            lower_for(low, stmt)
        case surface.While():
            lower_while(low, stmt)
        case surface.Break():
            if low.breaks and low.breaks[-1] is not None:
                from transpiler.ir.types import BOOL
                from transpiler.lower.values import constant

                low.emit(device.Assign(low.breaks[-1], constant(True, BOOL, stmt.span), span=stmt.span))
            low.emit(device.Break(span=stmt.span))
        case surface.Continue():
            low.emit(device.Continue(span=stmt.span))
        case surface.Return():
            _return(low, stmt)
        case surface.Assert():
            text = stmt.message.value if isinstance(stmt.message, surface.Str) else ""
            message = text or f"assert {low.typed.function.source.slice(stmt.test.span)}"
            low.emit(device.Assert(condition(low, stmt.test), message, span=stmt.span))


# --- assignment -------------------------------------------------------------------------------------------


# --- arrays -----------------------------------------------------------------------------------------------


# --- if, return -------------------------------------------------------------------------------------------


def _if(low: Lowering, stmt: surface.If) -> None:
    known = low.typed.dead.get(stmt)
    if known is not None:
        lower_body(low, stmt.body if known else stmt.orelse)
        return
    test = condition(low, stmt.test)
    with low.block() as then:
        lower_body(low, stmt.body)
    with low.block() as orelse:
        lower_body(low, stmt.orelse)
    low.emit(device.If(test, tuple(then), tuple(orelse), span=stmt.span))


def _return(low: Lowering, stmt: surface.Return) -> None:
    returns = low.typed.returns
    if stmt.value is None or isinstance(returns, NoneMeaning | None):
        low.emit(device.Return(span=stmt.span))
        return
    kinds = scalar_types(returns)
    if isinstance(returns, TupleMeaning | VectorType):
        values = [convert(v, k) for v, k in zip(items(low, stmt.value), kinds, strict=True)]
    else:
        values = [value(low, stmt.value, kinds[0])]
    low.emit(device.Return(tuple(values), span=stmt.span))

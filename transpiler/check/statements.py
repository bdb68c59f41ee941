"""Types of statements: binding of names, stores, loops, returns.

In: a body and its `Context`. Out: `typed.locals`, `typed.loops`, `typed.dead`. `bind` joins all assignments of a local into
one type. Non-goals: definite assignment (`assignment`), which paths run.
"""

from __future__ import annotations

import itertools

from transpiler.check import promotion
from transpiler.check.bindings import assign, bind, element_type
from transpiler.check.context import BUILTIN_DTYPES, Context
from transpiler.check.expressions import describe, infer, infer_condition
from transpiler.check.loops import iterated
from transpiler.check.meaning import (
    AllocCall,
    ArrayMeaning,
    DTypeRef,
    Meaning,
    NoneMeaning,
    Qualified,
    RangeMeaning,
    SequenceMeaning,
    Static,
    TupleMeaning,
    VectorRef,
    type_of,
)
from transpiler.check.operators import binary_type, vector_binary
from transpiler.ir import surface
from transpiler.ir.types import BF16, F16, F32, INDEX, WEAK_FLOAT, Type, VectorType


def check_body(ctx: Context, body: tuple[surface.Stmt, ...]) -> None:
    for stmt in body:
        check_statement(ctx, stmt)


def check_statement(ctx: Context, stmt: surface.Stmt) -> None:
    match stmt:
        case surface.Assign():
            meaning = infer(ctx, stmt.value)
            for target in stmt.targets:
                assign(ctx, target, meaning, stmt.value)
        case surface.AnnAssign():
            _annotated(ctx, stmt)
        case surface.AugAssign():
            _augmented(ctx, stmt)
        case surface.ExprStmt():
            _expression(ctx, stmt)
        case surface.If():
            _if(ctx, stmt)
        case surface.For():
            _for(ctx, stmt)
        case surface.While():
            _while(ctx, stmt)
        case surface.Return():
            _return(ctx, stmt)
        case surface.Assert():
            infer_condition(ctx, stmt.test)
            if stmt.message is not None and not isinstance(stmt.message, surface.Str):
                ctx.report("E0230", stmt.message.span, "the message of an `assert` is literal text")


def _annotated(ctx: Context, stmt: surface.AnnAssign) -> None:
    if not isinstance(stmt.target, surface.Name):
        ctx.report("E0217", stmt.target.span, "only a local can be annotated")
        return
    fixed = annotation_type(ctx, stmt.annotation)
    if fixed is None:
        return
    if ctx.fixed.setdefault(stmt.target.id, fixed) != fixed:
        known = describe(ctx.fixed[stmt.target.id])
        ctx.report("E0203", stmt.annotation.span, f"`{stmt.target.id}` is annotated as {known} before", "use two names")
        return
    if ctx.typed.locals.get(stmt.target.id) != fixed:
        ctx.typed.locals[stmt.target.id] = fixed
        ctx.first_assignment[stmt.target.id] = (fixed, stmt.target.span)
        ctx.changed = True
    if stmt.value is not None:
        bind(ctx, stmt.target, infer(ctx, stmt.value), stmt.value)


def annotation_type(ctx: Context, annotation: surface.Expr) -> Type | None:
    """The type that a local's or a return's annotation names; `int` is an index integer, `float` f32."""
    meaning = infer(ctx, annotation)
    match meaning:
        case DTypeRef():
            return meaning.dtype
        case VectorRef():
            return meaning.type
        case Qualified(name="builtins.int"):
            return INDEX
        case Qualified(name=name) if name in BUILTIN_DTYPES:
            return BUILTIN_DTYPES[name]
        case None:
            return None
    ctx.report(
        "E0214", annotation.span, f"{describe(meaning)} is not a type of a value", "write a dtype: `i32`, `f32`, ..."
    )
    return None


def _augmented(ctx: Context, stmt: surface.AugAssign) -> None:
    value = infer(ctx, stmt.value)
    match stmt.target:
        case surface.Name():
            old = ctx.lookup(stmt.target)
            if old is None or value is None:
                return
            ctx.typed.meanings[stmt.target] = old
            if isinstance(old, Static):
                old = old.type
            result = _half_sum(stmt.op, old, value) or _combined(ctx, stmt, old, value)
            if result is not None:
                _bind_result(ctx, stmt.target, result, stmt)
        case surface.Subscript():
            _augmented_element(ctx, stmt, stmt.target, value)
        case _:
            ctx.report("E0217", stmt.target.span, "this cannot be assigned")


def _bind_result(ctx: Context, name: surface.Name, result: Meaning, stmt: surface.AugAssign) -> None:
    """The result of `x op= v`, bound to x; where x has a fixed type the result must be storable."""
    fixed = ctx.fixed.get(name.id)
    if fixed is None:
        bind(ctx, name, result, stmt.value)
        return
    target, found = type_of(fixed), type_of(result)
    converted = promotion.conversion(found, target) if target is not None and found is not None else None
    if isinstance(converted, promotion.Refusal):
        ctx.report("E0207", stmt.span, converted.reason, converted.help)


def _half_sum(op: str, old: Meaning, value: Meaning) -> Type | None:
    """A literal 0.0 to which only 16-bit floats are added accumulates in f32."""
    return F32 if op in "+-" and old == WEAK_FLOAT and type_of(value) in (F16, BF16) else None


def _combined(ctx: Context, stmt: surface.AugAssign, old: Meaning, value: Meaning) -> Meaning | None:
    a, b = type_of(old), type_of(value)
    if a is None or b is None:
        ctx.report("E0204", stmt.span, f"`{stmt.op}=` needs numbers, not {describe(old)} and {describe(value)}")
        return None
    if isinstance(a, VectorType) or isinstance(b, VectorType):
        return vector_binary(ctx, stmt.op, stmt.span, a, b)
    return binary_type(ctx, stmt.span, stmt.op, old, value)


def _augmented_element(ctx: Context, stmt: surface.AugAssign, target: surface.Subscript, value: Meaning | None) -> None:
    base = infer(ctx, target.value)
    element = element_type(ctx, target, base)
    if element is None or value is None:
        return
    ctx.typed.meanings[target] = element
    result = _combined(ctx, stmt, element, value)
    found = type_of(result)
    if result is None or found is None:
        return
    converted = promotion.conversion(found, element)
    if isinstance(converted, promotion.Refusal):
        ctx.report("E0207", stmt.span, converted.reason, converted.help)


# --- the rest ---------------------------------------------------------------------------------------------


def _expression(ctx: Context, stmt: surface.ExprStmt) -> None:
    value = stmt.value
    if isinstance(value, surface.EllipsisLiteral | surface.Str):
        return
    meaning = infer(ctx, value)
    if meaning is None:
        return
    call = ctx.typed.calls.get(value) if isinstance(value, surface.Call) else None
    if isinstance(call, AllocCall):
        ctx.report("E0222", value.span, "an array needs a name", "assign it: `tile = cuda.shared.array(...)`")
    elif not isinstance(value, surface.Call | surface.Walrus):
        ctx.report("W0208", value.span, "this expression has no effect")


def _if(ctx: Context, stmt: surface.If) -> None:
    test = infer_condition(ctx, stmt.test)
    if isinstance(test, Static):
        ctx.typed.dead[stmt] = bool(test.value)
        check_body(ctx, stmt.body if test.value else stmt.orelse)
        return
    ctx.typed.dead.pop(stmt, None)
    ctx.branch_depth += 1
    check_body(ctx, stmt.body)
    check_body(ctx, stmt.orelse)
    ctx.branch_depth -= 1


def _for(ctx: Context, stmt: surface.For) -> None:
    meaning = iterated(ctx, stmt.iter)
    if meaning is not None:
        ctx.typed.loops[stmt] = meaning
    match meaning:
        case RangeMeaning():
            if isinstance(stmt.target, surface.Name):
                bind(ctx, stmt.target, INDEX, stmt.iter)
            else:
                ctx.report("E0237", stmt.target.span, "a `range` gives one integer a trip: the target is one name")
        case SequenceMeaning():
            for item in meaning.items:
                assign(ctx, stmt.target, _item_type(item), stmt.iter)
    _loop_body(ctx, stmt)


def _loop_body(ctx: Context, stmt: surface.For | surface.While) -> None:
    leading = itertools.takewhile(lambda s: isinstance(s, surface.ExprStmt), stmt.body)
    ctx.leading |= {s.value for s in leading if isinstance(s, surface.ExprStmt)}
    ctx.branch_depth += 1
    check_body(ctx, stmt.body)
    check_body(ctx, stmt.orelse)
    ctx.branch_depth -= 1


def _item_type(item: Meaning) -> Meaning:
    if isinstance(item, TupleMeaning):
        return TupleMeaning(tuple(_item_type(part) for part in item.items))
    return item.type if isinstance(item, Static) else item


def _while(ctx: Context, stmt: surface.While) -> None:
    test = infer_condition(ctx, stmt.test)
    ctx.typed.dead.pop(stmt, None)
    if isinstance(test, Static) and not test.value:
        ctx.typed.dead[stmt] = False
        check_body(ctx, stmt.orelse)
        return
    if isinstance(test, Static) and not _leaves(stmt.body):
        ctx.report("W0205", stmt.span, "this loop has no `break` and no `return`: it does not end")
    _loop_body(ctx, stmt)


def _leaves(body: tuple[surface.Stmt, ...]) -> bool:
    """Whether a `break` of this loop, or a `return`, stands in the body."""
    for stmt in body:
        if isinstance(stmt, surface.Break | surface.Return):
            return True
        if isinstance(stmt, surface.If) and (_leaves(stmt.body) or _leaves(stmt.orelse)):
            return True
        if isinstance(stmt, surface.For | surface.While) and (_returns(stmt.body) or _leaves(stmt.orelse)):
            return True
    return False


def _returns(body: tuple[surface.Stmt, ...]) -> bool:
    from transpiler.ir.walk import surface_walk

    return any(isinstance(node, surface.Return) for stmt in body for node in surface_walk(stmt))


def _return(ctx: Context, stmt: surface.Return) -> None:
    meaning = infer(ctx, stmt.value) if stmt.value is not None else NoneMeaning()
    if ctx.function.is_kernel and stmt.value is not None and not isinstance(stmt.value, surface.NoneLiteral):
        ctx.report("E0232", stmt.span, "a kernel returns nothing", "write the result to an `Out` parameter")
        return
    if isinstance(meaning, ArrayMeaning):
        ctx.report("E0232", stmt.span, "a device function returns numbers, not arrays")
        return
    ctx.return_meanings.append((meaning, stmt.span))

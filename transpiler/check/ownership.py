"""Ownership that can be read off the text: inferred for unannotated parameters, and `Out` read before any write.

In: a function. Out: ownership words, diagnostics E0305 and E0306. Writes to `In` and to `Atomic` are refused where they are typed
(`statements`). Non-goals: order of accesses between threads (`prove`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from transpiler.check.annotations import OWNERSHIP, qualified_name
from transpiler.check.context import Context
from transpiler.check.meaning import ArrayMeaning, AtomicCall, BuiltinCall, FunctionCall, ShapeOf
from transpiler.ir import surface
from transpiler.ir.walk import surface_children, surface_walk

# --- from use ---------------------------------------------------------------------------------------------


def from_use(module: surface.Module, function: surface.Function) -> dict[str, str]:
    """Ownership of each array that is not only read: `atomic` where only atomics touch it, else `inout`."""
    return _from_use(module, function, {})


def _from_use(
    module: surface.Module, function: surface.Function, known: dict[surface.Function, dict[str, str]]
) -> dict[str, str]:
    """`known` holds what was found of other functions (nothing of one that is being looked at: calls may go round)."""
    if function in known:
        return known[function]
    known[function] = {}
    aliases, targets = _aliases(function), _targets(function)
    written: set[str] = set()
    atomics: set[str] = set()
    plain: set[str] = set()
    for node in (n for stmt in function.body for n in surface_walk(stmt)):
        match node:
            case surface.Assign():
                written |= {n for target in node.targets for n in _stored(target)}
            case surface.AugAssign():
                written |= set(_stored(node.target))
            case surface.Call() if qualified_name(module, node.func).startswith("transpiler.cuda.atomic."):
                atomics |= set(_base(node.args[0])) if node.args else set()
            case surface.Call():
                for name, own in _passed(module, node, known).items():
                    (atomics if own == "atomic" else plain if own == "in" else written).add(name)
            case surface.Subscript() if node not in targets:
                plain |= set(_base(node))
    written, atomics, plain = ({aliases.get(n, n) for n in names} for names in (written, atomics, plain))
    known[function] = {n: "inout" for n in written} | {
        n: "inout" if n in plain or n in written else "atomic" for n in atomics
    }
    return known[function]


def _targets(function: surface.Function) -> set[surface.Node]:
    """Subscripts that are only written, and those that an atomic or an alias takes whole."""
    found: set[surface.Node] = set()
    for node in (n for stmt in function.body for n in surface_walk(stmt)):
        if isinstance(node, surface.Assign):
            found |= set(node.targets) | {node.value}
        elif isinstance(node, surface.Call):
            found |= set(node.args[:1])
    return found


def _aliases(function: surface.Function) -> dict[str, str]:
    """Locals that name an array or a view of one: `b = a`, `r = a[1]`, `s = r[2:]`."""
    found: dict[str, str] = {}
    for node in (n for stmt in function.body for n in surface_walk(stmt)):
        if isinstance(node, surface.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], surface.Name):
            for name in _base(node.value):
                found[node.targets[0].id] = found.get(name, name)
    return found


def _passed(
    module: surface.Module, call: surface.Call, known: dict[surface.Function, dict[str, str]]
) -> dict[str, str]:
    """What a device function does with the arrays that it is passed: its annotations say, or its own use."""
    callee = module.names.get(call.func.id) if isinstance(call.func, surface.Name) else None
    if not isinstance(callee, surface.Function):
        return {}
    home = module.home(callee.source)
    used = _from_use(home, callee, known)
    by_name = {p.name: arg for p, arg in zip(callee.params, call.args, strict=False)}
    by_name |= {k.name: k.value for k in call.keywords}
    owned: dict[str, str] = {}
    for param in callee.params:
        for name in _base(by_name[param.name]) if param.name in by_name else ():
            owned[name] = _said(home, param) or used.get(param.name, "in")
    return owned


def _said(module: surface.Module, param: surface.Param) -> str:
    annotation = param.annotation
    return (
        OWNERSHIP.get(qualified_name(module, annotation.value), "") if isinstance(annotation, surface.Subscript) else ""
    )


def _stored(target: surface.Expr) -> list[str]:
    if isinstance(target, surface.TupleExpr):
        return [n for item in target.items for n in _stored(item)]
    return _base(target) if isinstance(target, surface.Subscript) else []


def _base(expr: surface.Expr) -> list[str]:
    while isinstance(expr, surface.Subscript):
        expr = expr.value
    return [expr.id] if isinstance(expr, surface.Name) else []


# --- reads that must not be -------------------------------------------------------------------------------


@dataclass(slots=True)
class _Outs:
    """What the text has written so far."""

    ctx: Context
    stored: set[ArrayMeaning] = field(default_factory=set)
    around: frozenset[ArrayMeaning] = frozenset()
    """What the loops around write somewhere."""
    earlier: frozenset[ArrayMeaning] = frozenset()
    """What an earlier trip may have written: `around`, where a branch may leave out the first trip."""


def check_outs(ctx: Context) -> None:
    """Plain reads of `Atomic`s, and reads of an `Out` before which nothing can have written it."""
    _statements(_Outs(ctx), ctx.function.body)


def _statements(outs: _Outs, body: Iterable[surface.Node]) -> None:
    for stmt in body:
        _statement(outs, stmt)


def _statement(outs: _Outs, stmt: surface.Node) -> None:
    match stmt:
        case surface.Assign():
            _reads(outs, stmt.value)
            for target in stmt.targets:
                _write(outs, target)
        case surface.AugAssign():
            _reads(outs, stmt.target)
            _reads(outs, stmt.value)
            _write(outs, stmt.target)
        case surface.Expr():
            _reads(outs, stmt)
        case surface.If():
            _branches(outs, stmt)
        case surface.For() | surface.While():
            inside = replace(outs, around=outs.around | _stores_in(outs.ctx, stmt))
            _statements(inside, surface_children(stmt))
        case _:
            _statements(outs, surface_children(stmt))


def _branches(outs: _Outs, stmt: surface.If) -> None:
    _reads(outs, stmt.test)
    known = outs.ctx.typed.dead.get(stmt)
    bodies = (stmt.body, stmt.orelse) if known is None else (stmt.body if known else stmt.orelse,)
    arms = [replace(outs, stored=set(outs.stored), earlier=outs.around) for _ in bodies]
    for arm, body in zip(arms, bodies, strict=True):
        _statements(arm, body)
        outs.stored |= arm.stored


def _stores_in(ctx: Context, stmt: surface.Stmt) -> frozenset[ArrayMeaning]:
    found: set[ArrayMeaning] = set()
    for node in surface_walk(stmt):
        if isinstance(node, surface.Assign):
            for target in node.targets:
                _store_to(ctx, target, found)
        elif isinstance(node, surface.AugAssign):
            _store_to(ctx, node.target, found)
    return frozenset(found)


def _store_to(ctx: Context, target: surface.Expr, stored: set[ArrayMeaning]) -> None:
    for part in target.items if isinstance(target, surface.TupleExpr) else (target,):
        if isinstance(part, surface.Subscript):
            base = ctx.typed.meanings.get(part.value)
            if isinstance(base, ArrayMeaning):
                stored.add(base.owner)


def _write(outs: _Outs, target: surface.Expr) -> None:
    if isinstance(target, surface.TupleExpr):
        for item in target.items:
            _write(outs, item)
    elif isinstance(target, surface.Subscript):
        for item in target.items:
            _reads(outs, item)
        _store_to(outs.ctx, target, outs.stored)


def _reads(outs: _Outs, expr: surface.Expr) -> None:
    calls, meanings = outs.ctx.typed.calls, outs.ctx.typed.meanings
    call = calls.get(expr) if isinstance(expr, surface.Call) else None
    if isinstance(call, FunctionCall):
        # What the callee does to an array is its own affair here; the prover looks inside.
        arrays = (meanings.get(a) for a in call.args if a is not None)
        outs.stored |= {m.owner for m in arrays if isinstance(m, ArrayMeaning)}
    if isinstance(call, AtomicCall):
        for part in (*call.index, *call.operands):
            _reads(outs, part)
        return
    if isinstance(call, BuiltinCall) and call.name == "len":
        return
    if isinstance(expr, surface.Subscript):
        _element_read(outs, expr)
    for child in surface_children(expr):
        if isinstance(child, surface.Expr):
            _reads(outs, child)
        elif isinstance(child, surface.Keyword):
            _reads(outs, child.value)


def _element_read(outs: _Outs, expr: surface.Subscript) -> None:
    meanings = outs.ctx.typed.meanings
    base = meanings.get(expr.value)
    if not isinstance(base, ArrayMeaning) or isinstance(meanings.get(expr), ArrayMeaning | ShapeOf):
        return
    if base.ownership == "atomic":
        outs.ctx.report(
            "E0306",
            expr.span,
            f"`{base.name}` is an `Atomic` parameter: only atomics touch it",
            "use `cuda.atomic.load`",
        )
    elif base.ownership == "out" and base.owner not in outs.stored | outs.earlier:
        outs.ctx.report(
            "E0305",
            expr.span,
            f"`{base.name}` is an `Out` parameter and nothing has written it yet",
            f"annotate it `InOut[{base.dtype}, ...]` if its old value matters",
        )

"""Definite assignment: no local is read on a path that has not assigned it (Python would raise `UnboundLocalError`).

In: a typed function. Out: diagnostics E0209 (and E0210 for a loop variable read behind its loop).
A loop is taken to run at least once only where its range is known not to be empty.
Non-goals: elements of arrays (`prove`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.check.context import Context
from transpiler.check.meaning import RangeMeaning, SequenceMeaning, Static, live_operands
from transpiler.diagnostics import Label
from transpiler.ir import surface
from transpiler.ir.walk import surface_children

State = frozenset[str] | None
"""Names assigned on every path to here; None where no path comes."""


@dataclass(slots=True)
class _Loop:
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


@dataclass(slots=True)
class _Flow:
    ctx: Context
    loops: list[_Loop] = field(default_factory=list)


def check_assignment(ctx: Context) -> bool:
    """Report reads before assignment; tells whether the end of the body can be reached."""
    parameters = frozenset(p.name for p in ctx.typed.params) | frozenset(ctx.scope)
    return _body(_Flow(ctx), ctx.function.body, parameters) is not None


def _meet(*states: State) -> State:
    known = [s for s in states if s is not None]
    if not known:
        return None
    return frozenset.intersection(*known)


def _body(flow: _Flow, body: tuple[surface.Stmt, ...], state: State) -> State:
    for stmt in body:
        state = _statement(flow, stmt, state)
    return state


def _statement(flow: _Flow, stmt: surface.Stmt, state: State) -> State:
    match stmt:
        case surface.Assign():
            state = _expression(flow, stmt.value, state)
            for target in stmt.targets:
                state = _target(flow, target, state)
        case surface.AnnAssign():
            if stmt.value is not None:
                state = _target(flow, stmt.target, _expression(flow, stmt.value, state))
        case surface.AugAssign():
            state = _expression(flow, stmt.value, _expression(flow, stmt.target, state))
        case surface.ExprStmt():
            state = _expression(flow, stmt.value, state)
        case surface.Assert():
            state = _expression(flow, stmt.test, state)
        case surface.If():
            state = _if(flow, stmt, state)
        case surface.For():
            state = _for(flow, stmt, state)
        case surface.While():
            state = _while(flow, stmt, state)
        case surface.Return():
            if stmt.value is not None:
                _expression(flow, stmt.value, state)
            return None
        case surface.Break():
            if flow.loops:
                flow.loops[-1].breaks.append(state)
            return None
        case surface.Continue():
            if flow.loops:
                flow.loops[-1].continues.append(state)
            return None
    return state


def _target(flow: _Flow, target: surface.Expr, state: State) -> State:
    match target:
        case surface.Name():
            return None if state is None else state | {target.id}
        case surface.TupleExpr():
            for item in target.items:
                state = _target(flow, item, state)
        case _:
            state = _expression(flow, target, state)
    return state


def _if(flow: _Flow, stmt: surface.If, state: State) -> State:
    known = flow.ctx.typed.dead.get(stmt)
    holds, fails = _condition(flow, stmt.test, state)
    if known is not None:
        return _body(flow, stmt.body, holds) if known else _body(flow, stmt.orelse, fails)
    return _meet(_body(flow, stmt.body, holds), _body(flow, stmt.orelse, fails))


def _for(flow: _Flow, stmt: surface.For, state: State) -> State:
    state = _expression(flow, stmt.iter, state)
    flow.loops.append(_Loop())
    inside = _body(flow, stmt.body, _target(flow, stmt.target, state))
    loop = flow.loops.pop()
    runs = _runs(flow.ctx, flow.ctx.typed.loops.get(stmt))
    done = _meet(inside, *loop.continues) if runs else state
    return _meet(_body(flow, stmt.orelse, done), *loop.breaks)


def _runs(ctx: Context, meaning: RangeMeaning | SequenceMeaning | None) -> bool:
    """Whether the loop is known to make a trip."""
    if isinstance(meaning, SequenceMeaning):
        return True
    if meaning is None:
        return False
    start, stop, step = (
        ctx.typed.meanings.get(e) if e is not None else Static(default)
        for e, default in ((meaning.start, 0), (meaning.stop, 0), (meaning.step, 1))
    )
    if not (isinstance(start, Static) and isinstance(stop, Static) and isinstance(step, Static)) or step.value == 0:
        return False
    return len(range(int(start.value), int(stop.value), int(step.value))) > 0


def _while(flow: _Flow, stmt: surface.While, state: State) -> State:
    holds, fails = _condition(flow, stmt.test, state)
    if stmt in flow.ctx.typed.dead:
        return _body(flow, stmt.orelse, fails)
    flow.loops.append(_Loop())
    _body(flow, stmt.body, holds)
    breaks = flow.loops.pop().breaks
    return _meet(_body(flow, stmt.orelse, fails), *breaks)


def _condition(flow: _Flow, expr: surface.Expr, state: State) -> tuple[State, State]:
    """What is assigned where the condition holds, and where it fails: `and`, `or` and chains stop early."""
    known = flow.ctx.typed.meanings.get(expr)
    if isinstance(known, Static) and not isinstance(expr, surface.BoolOp):
        state = _parts(flow, expr, state)
        return (state, None) if known.value else (None, state)
    match expr:
        case surface.Unary(op="not"):
            holds, fails = _condition(flow, expr.operand, state)
            return fails, holds
        case surface.BoolOp():
            return _lazy_condition(flow, expr, state)
        case surface.Compare():
            first = _expression(flow, expr.rights[0], _expression(flow, expr.left, state))
            last = first
            for right in expr.rights[1:]:
                last = _expression(flow, right, last)
            return last, first
    state = _expression(flow, expr, state)
    return state, state


def _lazy_condition(flow: _Flow, expr: surface.BoolOp, state: State) -> tuple[State, State]:
    """`and` holds behind its last operand and may fail behind each; `or` the other way round."""
    through: State = state
    out: State = None
    for operand in live_operands(expr, flow.ctx.typed.meanings):
        holds, fails = _condition(flow, operand, through)
        through, left = (holds, fails) if expr.op == "and" else (fails, holds)
        out = _meet(out, left)
    return (through, out) if expr.op == "and" else (out, through)


def _expression(flow: _Flow, expr: surface.Expr, state: State) -> State:
    """Check the reads of an expression in evaluation order; only a walrus assigns."""
    match expr:
        case surface.Walrus():
            return _target(flow, expr.target, _expression(flow, expr.value, state))
        case surface.BoolOp() | surface.Compare() | surface.Unary(op="not"):
            return _meet(*_condition(flow, expr, state))
        case surface.IfExp():
            holds, fails = _condition(flow, expr.test, state)
            known = flow.ctx.typed.meanings.get(expr.test)
            if isinstance(known, Static):
                return _expression(flow, expr.body, holds) if known.value else _expression(flow, expr.orelse, fails)
            return _meet(_expression(flow, expr.body, holds), _expression(flow, expr.orelse, fails))
    return _parts(flow, expr, state)


def _parts(flow: _Flow, expr: surface.Expr, state: State) -> State:
    """The reads of a name, or of the parts of an expression from left to right."""
    if isinstance(expr, surface.Name):
        _read(flow, expr, state)
    for child in surface_children(expr):
        if isinstance(child, surface.Expr):
            state = _expression(flow, child, state)
        elif isinstance(child, surface.Keyword):
            state = _expression(flow, child.value, state)
    return state


def _read(flow: _Flow, name: surface.Name, state: State) -> None:
    ctx = flow.ctx
    if state is None or name.id not in ctx.assignments or name.id in state:
        return
    places = ctx.assignments[name.id]
    label = Label(places[0], "assigned here")
    if name.id in ctx.loop_targets and places[0].start < name.span.start:
        ctx.report(
            "E0210",
            name.span,
            f"`{name.id}` has no value if the loop makes no trip",
            f"assign `{name.id}` before the loop",
            (label,),
        )
    else:
        ctx.report(
            "E0209",
            name.span,
            f"`{name.id}` is read where it may not have been assigned",
            "assign it on every path before",
            (label,),
        )

"""What the range analysis needs beside its traversal: states and their lattice, loop counters, who assigns what.

In: states, statements. Out: joined states, sets of locals. Non-goals: evaluating expressions (`ranges`).
"""

from __future__ import annotations

import math
from collections import Counter

from transpiler.ir import device as d
from transpiler.ir.types import DType
from transpiler.prove import intervals as iv
from transpiler.prove.intervals import ANY, Interval

_INT32_ENDS = (-(2**31), 2**31 - 1)

State = dict[object, Interval]
"""What is known of variables, by key (see `_Analysis.key`); a missing key has the range of its type."""


def thresholds(body: tuple[d.Stmt, ...]) -> tuple[list[float], list[float]]:
    """Where widening stops on its way down and up: the constants of the body and the ends of 32 bits."""
    values = {-1, 0, 1, *_INT32_ENDS, 2**32 - 1}
    for node in _nodes(body):
        if isinstance(node, d.Const) and isinstance(node.value, int) and not isinstance(node.value, bool):
            values |= {node.value - 1, node.value, node.value + 1}
    ordered = sorted(values)
    return [*reversed(ordered), -math.inf], [*ordered, math.inf]


def _nodes(body: tuple[d.Stmt, ...]) -> list[d.Expr]:
    """Every expression below the statements, as often as it occurs."""
    found: list[d.Expr] = []

    def visit(value: object) -> None:
        if isinstance(value, tuple):
            for item in value:
                visit(item)
        elif isinstance(value, d.Expr | d.Stmt | d.View | d.Range):
            if isinstance(value, d.Expr):
                found.append(value)
            for name in _CHILDREN[type(value)]:
                visit(getattr(value, name))

    visit(body)
    return found


def shared_nodes(body: tuple[d.Stmt, ...]) -> set[d.Expr]:
    """Expressions that stand at more than one place: what they can be is joined over the places."""
    return {node for node, count in Counter(_nodes(body)).items() if count > 1}


def _children() -> dict[type, tuple[str, ...]]:
    skipped = {"span", "type", "op", "array", "name", "callee", "var", "target", "targets", "comments", "trailing"}
    classes = [c for c in vars(d).values() if isinstance(c, type) and issubclass(c, d.Node)]
    return {c: tuple(f for f in c.__dataclass_fields__ if f not in skipped) for c in classes}


_CHILDREN = _children()


def of_type(type_: d.Scalar) -> Interval:
    """All values of a type; floats have no range and answer as unbounded."""
    if isinstance(type_, DType) and not type_.is_float:
        return (type_.min, type_.max)
    return ANY


def counter_range(start: Interval, stop: Interval, step: Interval) -> Interval | None:
    """The values of a range's counter, None if there are none."""
    if step[0] > 0:
        low, high = start[0], stop[1] - 1
        if start[0] == start[1] and step[0] == step[1] and not math.isinf(high) and low <= high:
            high = low + (high - low) // step[0] * step[0]
    elif step[1] < 0:
        low, high = stop[0] + 1, start[1]
        if start[0] == start[1] and step[0] == step[1] and not math.isinf(low) and low <= high:
            low = high - (high - low) // -step[0] * -step[0]
    else:
        low, high = min(start[0], stop[0] + 1), max(start[1], stop[1] - 1)
    return (low, high) if low <= high else None


def join_states(states: list[State | None]) -> State | None:
    """What holds whichever of the states is the present one."""
    reached = [state for state in states if state is not None]
    if not reached:
        return None
    out = reached[0]
    for state in reached[1:]:
        if state is not out:
            out = {key: iv.join(out[key], state[key]) for key in out if key in state}
    return out


def meet_states(a: State, b: State) -> State:
    out = {**a, **b}
    for key in a.keys() & b.keys():
        out[key] = iv.meet(a[key], b[key]) or a[key]
    return out


def covers(outer: State, inner: State) -> bool:
    """Whether all that `inner` allows is allowed by `outer`."""
    return all(key in inner and low <= inner[key][0] and inner[key][1] <= high for key, (low, high) in outer.items())


def assigned(body: tuple[d.Stmt, ...]) -> set[d.Local]:
    """All locals that the statements assign."""
    found: set[d.Local] = set()
    for stmt in body:
        match stmt:
            case d.Assign():
                found.add(stmt.target)
            case d.Atomic() if stmt.target is not None:
                found.add(stmt.target)
            case d.CallStmt():
                found.update(stmt.targets)
            case d.If():
                found |= assigned(stmt.then) | assigned(stmt.orelse)
            case d.For():
                found |= {stmt.counter} | assigned(stmt.body)
            case d.While():
                found |= assigned(stmt.pre) | assigned(stmt.body)
    return found


def locals_of(expr: d.Expr) -> set[d.Local]:
    if isinstance(expr, d.Var):
        return {expr.var} if isinstance(expr.var, d.Local) else set()
    found: set[d.Local] = set()
    for name in _CHILDREN[type(expr)]:
        value = getattr(expr, name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, d.Expr):
                found |= locals_of(item)
    return found


def launch_aliases(body: tuple[d.Stmt, ...]) -> dict[d.Local, d.LaunchVar]:
    """Locals that are assigned once, a launch variable: another name for it."""
    values: dict[d.Local, list[d.Expr | None]] = {}

    def visit(stmts: tuple[d.Stmt, ...]) -> None:
        for stmt in stmts:
            match stmt:
                case d.Assign():
                    values.setdefault(stmt.target, []).append(stmt.value)
                case d.If():
                    visit(stmt.then)
                    visit(stmt.orelse)
                case d.For():
                    values.setdefault(stmt.counter, []).append(None)
                    visit(stmt.body)
                case d.While():
                    visit(stmt.pre)
                    visit(stmt.body)
                case _:
                    for local in assigned((stmt,)):
                        values.setdefault(local, []).append(None)

    visit(body)
    once = {local: value[0] for local, value in values.items() if len(value) == 1}
    return {local: value for local, value in once.items() if isinstance(value, d.LaunchVar)}

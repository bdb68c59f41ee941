"""What the rules of lowering share while they build one function: places of names, the open statement list, temporaries.

In: a `Typed`. Out: `Lowering`. Statements go to `out`; an expression that needs a statement (an atomic, a shuffle) appends it
there. `operands` keeps Python's left-to-right order: when an operand appends statements with effects, the operands before it that
could see them are put into temporaries in front of them.
Non-goals: rules.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from transpiler.check.meaning import Meaning, Typed
from transpiler.intrinsics.entry import Effect
from transpiler.ir import device, surface
from transpiler.ir.types import INDEX
from transpiler.ir.walk import statements, walk
from transpiler.records import record
from transpiler.source import Span

Scalar = device.Scalar


@record
class Binding:
    """A name that stands for an array or a view: per axis of `array` an index, or the `Range` that is left."""

    array: device.Array
    items: tuple[device.Expr | device.Range, ...]
    sliced: frozenset[int] = frozenset()
    """Axes of the array whose range the user cut: their bounds are obligations of their own."""

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes of the array that are left, in order."""
        return tuple(k for k, item in enumerate(self.items) if isinstance(item, device.Range))

    def extent(self, axis: int) -> device.Expr:
        """The extent of an axis of the view."""
        item = self.items[self.axes[axis]]
        assert isinstance(item, device.Range)
        return item.length


Place = device.Local | device.ScalarParam | Binding | tuple["Place", ...]


@dataclass(slots=True, eq=False)
class Lowering:
    """One function being built."""

    typed: Typed
    functions: dict[tuple[Typed, frozenset[str]], device.Function]
    """Device functions built so far, callees first, by instance and the arrays passed with strides; shared within a kernel."""
    places: dict[str, Place] = field(default_factory=dict)
    extents: dict[str, device.Expr] = field(default_factory=dict)
    """Named dims of a device function: the extents that they stand for in the call."""
    out: list[device.Stmt] = field(default_factory=list)
    arrays: list[device.SharedArray | device.LocalArray | device.ConstArray] = field(default_factory=list)
    requires: list[device.Requirement] = field(default_factory=list)
    breaks: list[device.Local | None] = field(default_factory=list)
    """Per open loop the flag that a `break` sets, where an `else` needs it."""

    def meaning(self, expr: surface.Expr) -> Meaning:
        return self.typed.meanings[expr]

    # --- statements and temporaries -----------------------------------------------------------------------

    def emit(self, stmt: device.Stmt) -> None:
        self.out.append(stmt)

    @contextmanager
    def block(self) -> Iterator[list[device.Stmt]]:
        """Statements of the `with` body go to the yielded list."""
        outer, self.out = self.out, []
        try:
            yield self.out
        finally:
            self.out = outer

    def temp(self, name: str, value: device.Expr) -> device.Var:
        """A temporary that holds a value from here on."""
        local = device.Local(name, value.type, True, span=value.span)
        self.emit(device.Assign(local, value, span=value.span))
        return device.Var(local, type=value.type, span=value.span)

    def once(self, value: device.Expr, name: str = "value") -> device.Expr:
        """The value in a form that may be written twice: as it is when it is simple, else a temporary."""
        return value if is_simple(value) else self.temp(name, value)

    def operands(self, builders: list[Callable[[], device.Expr]], name: str = "left") -> list[device.Expr]:
        """Build operands in order; earlier ones are saved where a later one has effects."""
        built: list[device.Expr] = []
        for build in builders:
            mark = len(self.out)
            value = build()
            if len(self.out) > mark:
                self._save(built, mark, name)
            built.append(value)
        return built

    def _save(self, built: list[device.Expr], mark: int, name: str) -> None:
        appended = tuple(self.out[mark:])
        saved: list[device.Stmt] = []
        for position, value in enumerate(built):
            if not disturbed(value, appended):
                continue
            local = device.Local(name, value.type, True, span=value.span)
            saved.append(device.Assign(local, value, span=value.span))
            built[position] = device.Var(local, type=value.type, span=value.span)
        self.out[mark:mark] = saved


def disturbed(value: device.Expr, appended: tuple[device.Stmt, ...]) -> bool:
    """Whether evaluating the value behind the appended statements could give something else than in front of them."""
    if is_stable(value):
        return False
    changed = {local for stmt in statements(appended) for local in assigned_locals(stmt)}
    quiet = not any(writes_memory(stmt) for stmt in statements(appended))
    for node in walk(value):
        if isinstance(node, device.Load | device.Call) and not quiet:
            return True
        if isinstance(node, device.Var) and node.var in changed:
            return True
    return False


def writes_memory(stmt: device.Stmt) -> bool:
    """Whether a statement can change what a load gives: by a store of this thread, or by meeting others."""
    if isinstance(stmt, device.CallStmt):
        callee = stmt.callee
        return isinstance(callee, device.Function) or callee.effect is Effect.BLOCK
    return isinstance(
        stmt, device.Store | device.Atomic | device.AsyncCopy | device.WaitGroup | device.Barrier | device.Fence
    )


def assigned_locals(node: device.Node) -> tuple[device.Local, ...]:
    """The locals that a statement itself gives a value."""
    match node:
        case device.Assign():
            return (node.target,)
        case device.Atomic():
            return (node.target,) if node.target is not None else ()
        case device.CallStmt():
            return node.targets
        case device.For():
            return (node.counter,)
    return ()


def is_simple(value: device.Expr) -> bool:
    return isinstance(value, device.Const | device.Var | device.DimRef | device.Extent | device.LaunchVar)


def is_stable(value: device.Expr) -> bool:
    """Whether no statement can change the value: constants, launch variables, extents, temporaries, arithmetic on them."""
    for node in walk(value):
        if isinstance(node, device.Load | device.Call):
            return False
        if isinstance(node, device.Var) and isinstance(node.var, device.Local) and not node.var.is_temp:
            return False
    return True


def index(value: int, span: Span) -> device.Const:
    return device.Const(value, type=INDEX, span=span)


def arith(op: str, left: device.Expr, right: device.Expr) -> device.Expr:
    """`left op right` on index integers that lowering itself combines: computed where both are known, without zeros and ones."""
    if isinstance(right, device.Const) and (op, right.value) in _NEUTRAL:
        return left
    if isinstance(left, device.Const) and (op, left.value) in (("+", 0), ("*", 1)):
        return right
    if isinstance(left, device.Const) and isinstance(right, device.Const):
        return index(_FOLDS[op](int(left.value), int(right.value)), left.span)
    if op == "+" and isinstance(right, device.Const) and right.value < 0:
        op, right = "-", index(-int(right.value), right.span)
    return device.Binary(op, left, right, type=INDEX, span=left.span)


_FOLDS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "min": min,
    "max": max,
}
_NEUTRAL = (("+", 0), ("-", 0), ("*", 1), ("//", 1))

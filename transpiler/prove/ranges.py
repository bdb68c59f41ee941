"""Numeric ranges of the integers of a kernel, by abstract interpretation of the device IR.

In: a kernel. Out: `device.Ranges`: for each integer expression the values that it can take where it stands, for each local the
values that it ever holds. They decide which index integers need 64 bits, where `/` is `//`, where `+` cannot wrap.
Soundness first: what is missing is unbounded. Guards, asserts, `requires` and loop bounds refine; loops widen to a fixed point
and narrow once. A data integer wraps, so a range outlives arithmetic on it only where the exact result fits the dtype.
Device functions are analysed with the arguments of all their calls joined.
Non-goals: relations between variables, apart from the launch's own (`blockIdx * blockDim + threadIdx`); floats; array contents.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from transpiler.ir import device as d
from transpiler.ir.types import DType, IndexType
from transpiler.prove import intervals as iv
from transpiler.prove.intervals import ANY, Interval
from transpiler.prove.launch_ranges import LaunchRanges
from transpiler.prove.range_states import (
    State,
    assigned,
    counter_range,
    covers,
    join_states,
    launch_aliases,
    locals_of,
    meet_states,
    of_type,
    shared_nodes,
    thresholds,
)

SIZE: Interval = (0, 2**47)
"""Dims and extents: no address space holds more elements."""

INTRINSIC_RESULTS: dict[str, Interval] = {
    "transpiler.cuda.popc": (0, 64),
    "transpiler.cuda.clz": (0, 64),
    "transpiler.cuda.ffs": (0, 64),
}


def ranges(kernel: d.Kernel) -> d.Ranges:
    """The proved ranges of a kernel and its device functions."""
    facts = _Facts()
    returns: dict[d.Function, list[Interval]] = {}
    launch = LaunchRanges.of(kernel)
    for function in kernel.functions:  # callees first: what they return whatever their arguments are
        analysis = _Analysis(launch, _Facts(), returns, thresholds(function.body))
        analysis.run(function.body, {})
        returns[function] = analysis.results(len(function.returns))
    bodies: list[d.Kernel | d.Function] = [kernel, *reversed(kernel.functions)]
    arguments: dict[object, Interval] = {}
    for body in bodies:  # callers first: which arguments a function is given
        analysis = _Analysis(launch, facts, returns, thresholds(body.body), arguments)
        if isinstance(body, d.Kernel):
            analysis.enter_kernel(body)
        else:
            analysis.enter_function(body)
    return facts.table()


@dataclass(slots=True)
class _Facts:
    """What the last visit of each node saw: the last traversal of a loop body is the one with its stable state."""

    exprs: dict[d.Expr, Interval] = field(default_factory=dict)
    assigned: dict[tuple[d.Local, object], Interval] = field(default_factory=dict)
    """By local and assigning node."""

    def table(self) -> d.Ranges:
        locals_: dict[d.Local, Interval] = {}
        for (local, _), value in self.assigned.items():
            locals_[local] = iv.join(locals_.get(local, value), value)
        return d.Ranges(
            {expr: _open(value) for expr, value in self.exprs.items()},
            {local: _open(value) for local, value in locals_.items()},
        )


def _open(value: Interval) -> tuple[int | None, int | None]:
    low, high = value
    return (None if math.isinf(low) else int(low), None if math.isinf(high) else int(high))


class _Analysis:
    """One traversal of one body. `state` is what holds at the present point, None where it is not reached."""

    def __init__(
        self,
        launch: LaunchRanges,
        facts: _Facts,
        returns: dict[d.Function, list[Interval]],
        thresholds: tuple[list[float], list[float]],
        arguments: dict[object, Interval] | None = None,
    ) -> None:
        self.launch = launch
        self.facts = facts
        self.returns = returns
        self.thresholds = thresholds
        self.arguments = arguments
        self.state: State | None = {}
        self.recording = True
        self.shared: set[d.Expr] = set()
        self.breaks: list[list[State]] = []
        self.continues: list[list[State]] = []
        self.returned: list[list[Interval]] = []
        self.aliases: dict[d.Local, d.LaunchVar] = {}

    # --- whole bodies -------------------------------------------------------------------------------------

    def enter_kernel(self, kernel: d.Kernel) -> None:
        start: State = {}
        self.state = start
        for axis, extent in enumerate(kernel.grid or ()):
            self.narrow(d.LaunchVar("gridDim", axis, span=extent.span, type=IndexType()), self.value(extent))
        for requirement in kernel.requires:
            if requirement.cond is not None:
                self.assume(requirement.cond, True)
        self.run(kernel.body, self.state if self.state is not None else start)

    def enter_function(self, function: d.Function) -> None:
        start: State = {}
        for param in function.params:
            if not isinstance(param, d.ArrayParam) and (known := (self.arguments or {}).get(param)) is not None:
                start[param] = known
                self.facts.assigned[param, function] = known  # type: ignore[index]
        self.run(function.body, start)

    def run(self, body: tuple[d.Stmt, ...], start: State) -> None:
        self.aliases = launch_aliases(body)
        self.shared = shared_nodes(body)
        self.state = start
        self.block(body)

    def results(self, count: int) -> list[Interval]:
        """The values that a function returns, joined over its returns."""
        out: list[Interval] = []
        for position in range(count):
            values = [row[position] for row in self.returned if position < len(row)]
            joined = values[0] if values else ANY
            for value in values[1:]:
                joined = iv.join(joined, value)
            out.append(joined)
        return out

    # --- statements ---------------------------------------------------------------------------------------

    def block(self, body: tuple[d.Stmt, ...]) -> None:
        for stmt in body:
            if self.state is None:
                return
            self.statement(stmt)

    def statement(self, stmt: d.Stmt) -> None:
        match stmt:
            case d.Assign():
                self.assign(stmt.target, self.value(stmt.value), stmt)
            case d.Store():
                self.values(*stmt.indices, stmt.value)
            case d.Atomic():
                self.values(*stmt.indices, *stmt.operands)
                if stmt.target is not None:
                    self.assign(stmt.target, of_type(stmt.array.dtype), stmt)
            case d.AsyncCopy():
                self.values(*stmt.indices, *stmt.source.indices)
            case d.CallStmt():
                self.call_statement(stmt)
            case d.Barrier():
                if stmt.mask is not None:
                    self.value(stmt.mask)
            case d.If():
                self.branch(stmt)
            case d.For():
                self.for_loop(stmt)
            case d.While():
                self.while_loop(stmt)
            case d.Break() | d.Continue():
                assert self.state is not None
                (self.breaks if isinstance(stmt, d.Break) else self.continues)[-1].append(self.state)
                self.state = None
            case d.Return():
                self.returned.append([self.value(value) for value in stmt.values])
                self.state = None
            case d.Assert() | d.Invariant():
                self.value(stmt.cond)
                if isinstance(stmt, d.Invariant) or self.launch.asserts:
                    self.assume(stmt.cond, True)
            case d.Trust():
                if stmt.cond is not None:
                    self.value(stmt.cond)
                    self.assume(stmt.cond, True)
            case d.Print():
                self.values(*(part[0] for part in stmt.parts if not isinstance(part, str)))

    def assign(self, local: d.Local, value: Interval, where: object) -> None:
        assert self.state is not None
        if isinstance(local.type, DType) and local.type.is_float:
            return
        self.state = {**self.state, local: value}
        self.facts.assigned[local, where] = value

    def call_statement(self, stmt: d.CallStmt) -> None:
        self.call_arguments(stmt.callee, stmt.args)
        results = self.returns.get(stmt.callee, []) if isinstance(stmt.callee, d.Function) else []
        for position, target in enumerate(stmt.targets):
            known = results[position] if position < len(results) else of_type(target.type)
            self.assign(target, iv.meet(known, of_type(target.type)) or known, stmt)

    def branch(self, stmt: d.If) -> None:
        self.value(stmt.cond)
        before = self.state
        self.assume(stmt.cond, True)
        self.block_if_reached(stmt.then)
        after_then = self.state
        self.state = before
        self.assume(stmt.cond, False)
        self.block_if_reached(stmt.orelse)
        self.state = join_states([after_then, self.state])

    def block_if_reached(self, body: tuple[d.Stmt, ...]) -> None:
        if self.state is not None:
            self.block(body)

    # --- loops --------------------------------------------------------------------------------------------

    def for_loop(self, stmt: d.For) -> None:
        start, stop, step = self.value(stmt.start), self.value(stmt.stop), self.value(stmt.step)
        counter = counter_range(start, stop, step)
        before = self.state
        assert before is not None
        if counter is None:
            return  # never entered
        self.facts.assigned[stmt.counter, stmt] = counter
        changed = assigned(stmt.body)

        def body() -> None:
            if step[0] > 0:
                self.assume_order(stmt.start, stmt.stop, changed)
            if self.state is not None:
                self.state = {**self.state, stmt.counter: counter}
                self.block(stmt.body)

        leaving = self.iterate(before, body)
        self.state = join_states([before, *leaving])
        if self.state is not None:
            self.state = {key: value for key, value in self.state.items() if key is not stmt.counter}

    def assume_order(self, low: d.Expr, high: d.Expr, changed: set[d.Local]) -> None:
        """In the body `low < high` held when the loop began: true of what the body does not assign."""
        if changed.isdisjoint(locals_of(low)) and changed.isdisjoint(locals_of(high)):
            self.assume_comparison("<", low, high)

    def while_loop(self, stmt: d.While) -> None:
        before = self.state
        assert before is not None
        exits: list[State] = []

        def body() -> None:
            exits.clear()
            self.block(stmt.pre)
            if self.state is None:
                return
            self.value(stmt.cond)
            tested = self.state
            self.assume(stmt.cond, False)
            if self.state is not None:
                exits.append(self.state)
            self.state = tested
            self.assume(stmt.cond, True)
            self.block_if_reached(stmt.body)

        leaving = self.iterate(before, body, falls_through=False)
        self.state = join_states([*exits, *leaving])

    def iterate(self, before: State, body: Callable[[], None], falls_through: bool = True) -> list[State]:
        """Run a loop body to its fixed point; the states in which it is left (by `break`, and at its end if it falls through)."""
        entry = before
        for attempt in range(100):
            end, _ = self.once(entry, body)
            following = join_states([before, end])
            assert following is not None
            if covers(entry, following):
                break
            entry = self.widen(entry, following) if attempt else join_states([entry, following]) or following
        else:
            entry = {}
        narrowed = join_states([before, self.once(entry, body)[0]])  # one step down from the fixed point is sound
        assert narrowed is not None
        narrowed = meet_states(entry, narrowed)
        end, breaks = self.once(narrowed, body)
        return [*breaks, *([end] if falls_through and end is not None else [])]

    def once(self, entry: State, body: Callable[[], None]) -> tuple[State | None, list[State]]:
        self.breaks.append([])
        self.continues.append([])
        self.state = entry
        body()
        end = join_states([self.state, *self.continues.pop()])
        return end, self.breaks.pop()

    def widen(self, old: State, new: State) -> State:
        down, up = self.thresholds
        out: State = {}
        for key in old.keys() & new.keys():
            low, high = old[key]
            new_low, new_high = new[key]
            low = low if new_low >= low else next(t for t in down if t <= new_low)
            high = high if new_high <= high else next(t for t in up if t >= new_high)
            out[key] = (low, high)
        return out

    # --- expressions --------------------------------------------------------------------------------------

    def values(self, *exprs: d.Expr) -> None:
        for expr in exprs:
            self.value(expr)

    def value(self, expr: d.Expr) -> Interval:
        """The values of an expression at the present point; they are recorded."""
        if self.state is None:
            return ANY
        result = self.compute(expr)
        if self.recording and not (isinstance(expr.type, DType) and expr.type.is_float):
            known = self.facts.exprs.get(expr) if expr in self.shared else None
            self.facts.exprs[expr] = result if known is None else iv.join(known, result)
        return result

    def peek(self, expr: d.Expr) -> Interval:
        """As `value`, without a record: a guard looks at operands again when more is known than where they stand."""
        recording, self.recording = self.recording, False
        try:
            return self.value(expr)
        finally:
            self.recording = recording

    def compute(self, expr: d.Expr) -> Interval:
        key = self.key(expr)
        if key is not None:
            return self.known(key, expr)
        match expr:
            case d.Const():
                return (int(expr.value), int(expr.value)) if not isinstance(expr.value, float) else ANY
            case d.Unary():
                return self.unary(expr, self.value(expr.operand))
            case d.Binary():
                return self.binary(expr, self.value(expr.left), self.value(expr.right))
            case d.Compare():
                self.values(expr.left, expr.right)
                return iv.BOOL
            case d.Logic():
                return self.logic(expr)
            case d.Select():
                return self.select(expr)
            case d.Cast():
                return self.cast(expr, self.value(expr.operand))
            case d.Load():
                self.values(*expr.indices)
                return self.load(expr.array)
            case d.Call():
                return self.call(expr)
        return of_type(expr.type)

    def key(self, expr: d.Expr) -> object:
        """What the state knows the expression by; None for those that are computed."""
        match expr:
            case d.Var():
                alias = self.aliases.get(expr.var) if isinstance(expr.var, d.Local) else None
                return expr.var if alias is None else ("launch", alias.name, alias.axis)
            case d.DimRef():
                return ("dim", expr.name)
            case d.Extent():
                return ("extent", expr.array, expr.axis)
            case d.LaunchVar():
                return ("launch", expr.name, expr.axis)
        return None

    def known(self, key: object, expr: d.Expr) -> Interval:
        assert self.state is not None
        if key in self.state:
            return self.state[key]
        match key:
            case ("launch", str(name), int(axis)):
                return self.launch.of_variable(name, axis)
            case ("dim" | "extent", *_):
                return SIZE
        if isinstance(expr, d.Var) and isinstance(expr.var, d.ScalarParam):
            return of_type(expr.var.dtype)
        return of_type(expr.type)

    def fit(self, expr: d.Expr, exact: Interval) -> Interval:
        """The range of a result whose exact value is in `exact`: what does not fit a dtype wraps to anything in it."""
        if isinstance(expr.type, IndexType):
            return exact
        whole = of_type(expr.type)
        return exact if whole[0] <= exact[0] and exact[1] <= whole[1] else whole

    def unary(self, expr: d.Unary, operand: Interval) -> Interval:
        if isinstance(expr.type, DType) and expr.type.is_float:
            return ANY
        if expr.op == "not":
            return iv.BOOL
        if expr.op == "~" and isinstance(expr.type, DType) and expr.type.kind == "uint":
            return (expr.type.max - operand[1], expr.type.max - operand[0])
        operation = {"-": iv.negate, "abs": iv.absolute, "~": iv.invert}[expr.op]
        return self.fit(expr, operation(operand))

    def binary(self, expr: d.Binary, left: Interval, right: Interval) -> Interval:
        if isinstance(expr.type, DType) and expr.type.is_float:
            return ANY
        operation = iv.OPERATIONS.get(expr.op)
        exact = operation(left, right) if operation else ANY
        if expr.op in ("+", "*"):
            exact = iv.meet(exact, self.launch.of_pattern(expr, self.resolve)) or exact
        return self.fit(expr, exact)

    def resolve(self, expr: d.Expr) -> d.Expr:
        """A local that stands for a launch variable, as that variable."""
        if isinstance(expr, d.Var) and isinstance(expr.var, d.Local):
            return self.aliases.get(expr.var, expr)
        return expr

    def logic(self, expr: d.Logic) -> Interval:
        self.value(expr.left)
        before = self.state
        self.assume(expr.left, expr.op == "and")
        self.value(expr.right)
        self.state = before
        return iv.BOOL

    def select(self, expr: d.Select) -> Interval:
        self.value(expr.cond)
        before = self.state
        arms = []
        for arm, truth in ((expr.then, True), (expr.orelse, False)):
            self.assume(expr.cond, truth)
            if self.state is not None:
                arms.append(self.value(arm))
            self.state = before
        return iv.join(arms[0], arms[-1]) if arms else ANY

    def cast(self, expr: d.Cast, operand: Interval) -> Interval:
        source = expr.operand.type
        if isinstance(source, DType) and source.is_float:
            return of_type(expr.type)
        if isinstance(expr.type, DType) and expr.type.kind == "bool":
            return iv.BOOL
        return self.fit(expr, operand)

    @staticmethod
    def load(array: d.Array) -> Interval:
        if isinstance(array, d.ConstArray) and array.values and not array.dtype.is_float:
            return (int(min(array.values)), int(max(array.values)))
        return of_type(array.dtype)

    def call(self, expr: d.Call) -> Interval:
        self.call_arguments(expr.callee, expr.args)
        if isinstance(expr.callee, d.Function):
            known = self.returns.get(expr.callee, [])
            return (iv.meet(known[0], of_type(expr.type)) or ANY) if known else of_type(expr.type)
        known_intrinsic = INTRINSIC_RESULTS.get(expr.callee.name)
        return iv.meet(of_type(expr.type), known_intrinsic or ANY) or of_type(expr.type)

    def call_arguments(self, callee: object, args: tuple[d.Expr | d.View, ...]) -> None:
        params = callee.params if isinstance(callee, d.Function) else (None,) * len(args)
        for param, arg in zip(params, args, strict=False):
            if isinstance(arg, d.View):
                for item in arg.items:
                    self.values(*((item.start, item.length) if isinstance(item, d.Range) else (item,)))
                continue
            value = self.value(arg)
            if self.recording and self.arguments is not None and param is not None:
                self.arguments[param] = iv.join(self.arguments.get(param, value), value)

    # --- guards -------------------------------------------------------------------------------------------

    def assume(self, cond: d.Expr, truth: bool) -> None:
        """Refine the state by a condition that is known to be true (or false); None where that cannot be."""
        if self.state is None:
            return
        match cond:
            case d.Const():
                if bool(cond.value) != truth:
                    self.state = None
            case d.Unary(op="not"):
                self.assume(cond.operand, not truth)
            case d.Logic():
                self.assume_logic(cond, truth)
            case d.Compare():
                self.assume_comparison(cond.op if truth else _NEGATED[cond.op], cond.left, cond.right)

    def assume_logic(self, cond: d.Logic, truth: bool) -> None:
        both = (cond.op == "and") == truth
        if both:
            self.assume(cond.left, truth)
            self.assume(cond.right, truth)
            return
        before = self.state
        self.assume(cond.left, truth)
        first = self.state
        self.state = before
        self.assume(cond.left, not truth)
        self.assume(cond.right, truth)
        self.state = join_states([first, self.state])

    def assume_comparison(self, op: str, left: d.Expr, right: d.Expr) -> None:
        if any(isinstance(side.type, DType) and side.type.is_float for side in (left, right)):
            return
        for a, b, relation in ((left, right, op), (right, left, _MIRRORED[op])):
            if self.state is None:
                return
            low, high = self.peek(b)
            match relation:
                case "<":
                    self.narrow(a, (-math.inf, high - 1))
                case "<=":
                    self.narrow(a, (-math.inf, high))
                case ">":
                    self.narrow(a, (low + 1, math.inf))
                case ">=":
                    self.narrow(a, (low, math.inf))
                case "==":
                    self.narrow(a, (low, high))
                case "!=" if low == high:
                    self.exclude(a, low)

    def exclude(self, expr: d.Expr, value: float) -> None:
        if self.state is None:
            return
        low, high = self.peek(expr)
        if low == high == value:
            self.state = None
        elif low == value:
            self.narrow(expr, (low + 1, math.inf))
        elif high == value:
            self.narrow(expr, (-math.inf, high - 1))

    def narrow(self, expr: d.Expr, bound: Interval) -> None:
        """Take over that the value of `expr` lies in `bound`, also for the variables that it is computed from."""
        if self.state is None:
            return
        present = self.peek(expr)
        common = iv.meet(present, bound)
        if common is None:
            self.state = None
            return
        key = self.key(expr)
        if key is not None:
            if common != present:
                self.state = {**self.state, key: common}
            return
        match expr:
            case d.Cast() if not (isinstance(expr.operand.type, DType) and expr.operand.type.is_float):
                if not (isinstance(expr.type, DType) and expr.type.kind == "bool") and self.is_exact(expr):
                    self.narrow(expr.operand, common)
            case d.Unary(op="-") if self.is_exact(expr):
                self.narrow(expr.operand, iv.negate(common))
            case d.Binary() if self.is_exact(expr):
                self.narrow_operands(expr, common)

    def is_exact(self, expr: d.Unary | d.Binary | d.Cast) -> bool:
        """Whether the result is the mathematical one: on dtypes only where it cannot wrap."""
        if isinstance(expr.type, IndexType):
            return True
        if expr.type.is_float:
            return False
        if isinstance(expr, d.Binary):
            operation = iv.OPERATIONS.get(expr.op)
            exact = operation(self.peek(expr.left), self.peek(expr.right)) if operation else ANY
        else:
            exact = self.peek(expr.operand)
            exact = iv.negate(exact) if isinstance(expr, d.Unary) else exact
        whole = of_type(expr.type)
        return whole[0] <= exact[0] and exact[1] <= whole[1]

    def narrow_operands(self, expr: d.Binary, bound: Interval) -> None:
        left, right = self.peek(expr.left), self.peek(expr.right)
        match expr.op:
            case "+":
                self.narrow(expr.left, iv.subtract(bound, right))
                self.narrow(expr.right, iv.subtract(bound, left))
            case "-":
                self.narrow(expr.left, iv.add(bound, right))
                self.narrow(expr.right, iv.subtract(left, bound))
            case "*":
                for factor, other in ((expr.left, right), (expr.right, left)):
                    if other[0] == other[1] > 0:  # ceil(low / c) <= factor <= floor(high / c)
                        low, high = iv.negate(iv.floor_divide(iv.negate(bound), other)), iv.floor_divide(bound, other)
                        self.narrow(factor, (low[0], high[1]))
            case "//" if right[0] == right[1] > 0:
                low = bound[0] if math.isinf(bound[0]) else bound[0] * right[0]
                high = bound[1] if math.isinf(bound[1]) else bound[1] * right[0] + right[0] - 1
                self.narrow(expr.left, (low, high))


_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

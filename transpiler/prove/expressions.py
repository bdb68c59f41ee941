"""Symbolic evaluation of expressions.

In: a device IR expression, the values of locals, the conditions under which it is evaluated. Out: a `Poly`
(integers), a `Formula` (bool) or a float `Atom`; on the way every load is recorded as an access and every division,
shift and exact cast as an obligation, under the conditions of lazy operators.

Non-goals: statements (`machine`), loops (`loops`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from transpiler.intrinsics.entry import Intrinsic
from transpiler.ir import device as d
from transpiler.ir.types import BOOL, I64, DType, IndexType
from transpiler.prove.budget import Budget
from transpiler.prove.fold import Terms
from transpiler.prove.launch import Launch
from transpiler.prove.record import Access, Guard, Loop, Obligation, Record
from transpiler.prove.terms import (
    CONTENT,
    FLOAT,
    HAVOC,
    OPAQUE,
    Atom,
    Formula,
    Poly,
    Sharing,
    conjuncts,
)
from transpiler.source import Source, Span

Value = Poly | Formula | Atom


@dataclass(eq=False, slots=True)
class Bound:
    """An array argument: which array, and per axis of it an index or (start, step) of the next axis of the parameter."""

    array: d.Array
    items: tuple[Poly | tuple[Poly, Poly, int], ...]
    """An index, or (start, length, step)."""

    def indices(self, inner: tuple[Poly, ...]) -> tuple[Poly, ...]:
        given = iter(inner)
        return tuple(i if isinstance(i, Poly) else i[0] + next(given).scale(i[2]) for i in self.items)

    def extents(self) -> list[Poly]:
        return [i[1] for i in self.items if not isinstance(i, Poly)]


@dataclass(eq=False, slots=True)
class Frame:
    """A function being executed: its parameters, and how it returned so far."""

    source: Source
    scalars: dict[d.ScalarParam, Value] = field(default_factory=dict)
    arrays: dict[str, Bound] = field(default_factory=dict)
    exits: list = field(default_factory=list)
    """(conditions, returned values, state) of the returns met so far; the kernel's own frame does not use the values."""
    call: Span | None = None
    is_kernel: bool = False


@dataclass(eq=False, slots=True)
class State:
    """Where execution stands: values of locals, conditions on the way, accesses open in each lane."""

    env: dict[d.Local, Value]
    pc: Guard
    open: dict[str, list[Access]]
    dominators: tuple[int, ...] = ()
    dead: bool = False
    flags: int = 0


class Expressions:
    """Evaluation of expressions in `self.state`."""

    def __init__(self, kernel: d.Kernel, launch: Launch, terms: Terms, written: set[str], budget: Budget):
        self.budget = budget
        self.kernel = kernel
        self.launch = launch
        self.terms = terms
        self.written = written
        self.record = Record()
        self.tickets: dict[Access, Poly] = {}
        """What atomics on integers gave back."""
        self.frame = Frame(kernel.source, is_kernel=True)
        self.state = State({}, (), {"block": [], "grid": []})
        self.loops: tuple[Loop, ...] = ()
        self.trips: tuple[tuple[str, Poly], ...] = ()
        self._seq = 0
        self._tables: dict[int, int] = {}
        self.distrusted = False
        """Somewhere an order of accesses is believed: then two reads in one interval may differ."""

    # --- helpers ---

    def next_seq(self) -> int:
        self._seq += 1
        return self._seq

    def occurrence(
        self, label: str, sort: str, sharing: Sharing, flags: int, r=(None, None), kind: str = "load"
    ) -> Value:
        """A value about which only its place in the execution is known: one a place and iteration."""
        args = tuple(self.terms.of(loop.trip) for loop in self.loops)
        atom = self.terms.atom(kind, f"{label}@{self.next_seq()}", args, sort, sharing, r, flags)
        return self.terms.as_value(atom)

    def unknown(self, t: d.Scalar, label: str, sharing: Sharing = Sharing.THREAD, flags: int = HAVOC) -> Value:
        if isinstance(t, IndexType):
            return self.occurrence(label, "int", sharing, flags, kind="hv")
        if t.is_float:
            return self.occurrence(label, "float", sharing, flags | FLOAT, kind="hv")
        if t.kind == "bool":
            return self.occurrence(label, "bool", sharing, flags, kind="hv")
        return self.occurrence(label, "int", sharing, flags, (t.min, t.max), kind="hv")

    def oblige(self, kind: str, claim: Formula, node: d.Node, dtype: DType | None = None, text: str = "") -> None:
        if claim is not self.terms.true:
            s = self.state
            self.record.obligations.append(
                Obligation(kind, claim, s.pc, node.span, self.frame.source, s.flags, dtype, text, self.loops, node)
            )

    def under(self, cond: Formula, expr: d.Expr) -> Value:
        """The value of an expression evaluated only where `cond` holds."""
        saved = self.state.pc
        self.state.pc = saved + conjuncts(cond)
        value = self.eval(expr)
        self.state.pc = saved
        return value

    def resolve(self, array: d.Array, indices: tuple[Poly, ...]) -> tuple[d.Array, tuple[Poly, ...]]:
        """The array of the kernel that is meant, and the index in it."""
        if isinstance(array, d.ArrayParam) and not self.frame.is_kernel:
            bound = self.frame.arrays[array.name]
            return bound.array, bound.indices(indices)
        return array, indices

    def access(self, node: d.Node, array: d.Array, indices: tuple[Poly, ...], mode: str, **more) -> Access:
        array, indices = self.resolve(array, indices)
        s = self.state
        made = Access(
            array,
            indices,
            s.pc,
            mode,
            node.span,
            self.frame.source,
            self.next_seq(),
            s.flags,
            dominators=s.dominators,
            loops=self.loops,
            node=node,
            trips=self.trips,
            **more,
        )
        if not isinstance(array, d.ConstArray):
            self.record.accesses.append(made)
            if not isinstance(array, d.LocalArray):
                s.open["block"].append(made)
                if isinstance(array, d.ArrayParam):
                    s.open["grid"].append(made)
        else:
            self.record.accesses.append(made)
        return made

    def extents(self, array: d.Array) -> list[Poly]:
        """The extents of an array of the kernel (not of a parameter of a device function)."""
        if isinstance(array, d.SharedArray) and [getattr(e, "value", None) for e in array.shape] == [0]:
            left = self.terms.atom("var", f"len({array.name})", (), "int", Sharing.LAUNCH, (0, None), OPAQUE)
            return [self.terms.of(left)]  # what `smem=` leaves, known to the launch only
        frame, self.frame = self.frame, self._root_frame
        values = [self.int_of(self.eval(e)) for e in array.shape]
        self.frame = frame
        return values

    @property
    def _root_frame(self) -> Frame:
        return Frame(self.kernel.source, is_kernel=True)

    # --- evaluation ---

    def eval(self, e: d.Expr) -> Value:
        return getattr(self, "_" + type(e).__name__.lower())(e)

    def holds(self, e: d.Expr) -> Formula:
        """The value of a condition."""
        value = self.eval(e)
        assert isinstance(value, Formula), value
        return value

    def int_of(self, value: Value) -> Poly:
        """An integer, also of a bool."""
        if isinstance(value, Formula):
            return self.terms.ite(value, self.terms.int(1), self.terms.int(0))
        assert isinstance(value, Poly), value
        return value

    def _const(self, e: d.Const) -> Value:
        t = self.terms
        if isinstance(e.type, DType) and e.type.kind == "bool":
            return t.true if e.value else t.false
        if isinstance(e.type, DType) and e.type.is_float:
            return t.float_const(e.value)
        return t.int(int(e.value))

    def _var(self, e: d.Var) -> Value:
        if isinstance(e.var, d.ScalarParam):
            if e.var in self.frame.scalars:
                return self.frame.scalars[e.var]
            return self.launch.scalar(e.var)
        value = self.state.env.get(e.var)
        if value is None:  # assigned on no way here: refused by check, or dead code
            value = self.state.env[e.var] = self.unknown(e.var.type, e.var.name)
        return value

    def _dimref(self, e: d.DimRef) -> Value:
        return self.launch.dim(e.name)

    def _extent(self, e: d.Extent) -> Value:
        if not self.frame.is_kernel:
            return self.frame.arrays[e.array].extents()[e.axis]
        return self.launch.extent(e.array, e.axis)

    def _launchvar(self, e: d.LaunchVar) -> Value:
        return self.launch.variable(e.name, e.axis)

    def _unary(self, e: d.Unary) -> Value:
        t = self.terms
        v = self.eval(e.operand)
        if isinstance(v, Formula) and e.op in ("not", "~"):
            return t.negate(v)
        if isinstance(v, Atom):
            if e.op == "-" and v.kind == "fconst":
                return t.float_const(-v.data)
            return t.float_op("neg" if e.op == "-" else e.op, (v,))
        p = self.int_of(v)
        if e.op == "-":
            return self._typed(-p, e)
        if e.op == "abs":
            return self._typed(t.maximum(p, -p), e)
        if isinstance(e.type, DType) and e.type.kind == "uint":
            return -p + e.type.max
        return -p - 1

    def _typed(self, p: Poly, e: d.Expr) -> Poly:
        """The value in the type of the expression: a dtype wraps, an index integer must fit in 64 bits."""
        if isinstance(e.type, DType):
            return self.terms.wrap(p, e.type)
        if None in p.range and p.flags & HAVOC:  # a linear counter does not get there, what is multiplied in a loop may
            t = self.terms
            self.oblige("index", t.all((t.le(t.int(I64.min), p), t.le(p, t.int(I64.max)))), e, I64)
        return p

    def _binary(self, e: d.Binary) -> Value:
        a, b = self.eval(e.left), self.eval(e.right)
        t = self.terms
        if isinstance(a, Formula) and isinstance(b, Formula):
            match e.op:
                case "&":
                    return t.all((a, b))
                case "|":
                    return t.any((a, b))
                case "^":
                    return t.ite_formula(a, t.negate(b), b)
        if isinstance(a, Atom) or isinstance(b, Atom):
            return t.float_op(e.op, (a, b))
        return self._integer(e, self.int_of(a), self.int_of(b))

    def _integer(self, e: d.Binary, a: Poly, b: Poly) -> Poly:
        t = self.terms
        match e.op:
            case "+":
                p = a + b
            case "-":
                p = a - b
            case "*":
                p = a * b
            case "//" | "%":
                self.oblige("divisor", t.ne(b), e)
                p = t.div(a, b) if e.op == "//" else t.mod(a, b)
            case "&":
                p = t.bit_and(a, b)
            case "|":
                p = t.bit_or(a, b)
            case "^":
                p = t.bit_xor(a, b)
            case "<<" | ">>":
                limit = e.type.bits - 1 if isinstance(e.type, DType) else 63
                self.oblige("shift", t.all((t.ge(b), t.le(b, t.int(limit)))), e, text=str(limit + 1))
                p = t.shl(a, b) if e.op == "<<" else t.shr(a, b)
            case "min":
                p = t.minimum(a, b)
            case "max":
                p = t.maximum(a, b)
            case "**":
                self.oblige("power", t.ge(b), e)
                p = t.power(a, b)
            case _:
                return t.of(t.atom("call", e.op, (a, b), flags=OPAQUE))
        return self._typed(p, e)

    def _compare(self, e: d.Compare) -> Formula:
        a, b = self.eval(e.left), self.eval(e.right)
        t = self.terms
        if isinstance(a, Atom) or isinstance(b, Atom):
            return t.float_compare(e.op, self._float_of(a), self._float_of(b))
        if isinstance(a, Formula) and isinstance(b, Formula) and e.op in ("==", "!="):
            same = t.ite_formula(a, b, t.negate(b))
            return same if e.op == "==" else t.negate(same)
        return self.compare(e.op, self.int_of(a), self.int_of(b))

    def compare(self, op: str, p: Poly, q: Poly) -> Formula:
        t = self.terms
        match op:
            case "<":
                return t.lt(p, q)
            case "<=":
                return t.le(p, q)
            case ">":
                return t.lt(q, p)
            case ">=":
                return t.le(q, p)
            case "==":
                return t.eq(p, q)
        return t.ne(p, q)

    def _float_of(self, v: Value) -> Atom:
        t = self.terms
        if isinstance(v, Atom):
            return v
        if isinstance(v, Formula):
            return t.ite_float(v, t.float_const(1.0), t.float_const(0.0))
        return t.float_const(v.const) if v.const is not None else t.float_op("int", (v,))

    def _logic(self, e: d.Logic) -> Formula:
        t = self.terms
        a = self.holds(e.left)
        rest = a if e.op == "and" else t.negate(a)
        if rest is t.false:
            return a
        b = self.under(rest, e.right)
        assert isinstance(b, Formula), b
        return t.all((a, b)) if e.op == "and" else t.any((a, b))

    def _select(self, e: d.Select) -> Value:
        t = self.terms
        c = self.holds(e.cond)
        if c is t.true:
            return self.eval(e.then)
        if c is t.false:
            return self.eval(e.orelse)
        return self.choose(c, self.under(c, e.then), self.under(t.negate(c), e.orelse))

    def choose(self, c: Formula, a: Value, b: Value) -> Value:
        t = self.terms
        if a is b:
            return a
        if isinstance(a, Formula) and isinstance(b, Formula):
            return t.ite_formula(c, a, b)
        if isinstance(a, Atom) or isinstance(b, Atom):
            return t.ite_float(c, self._float_of(a), self._float_of(b))
        return t.ite(c, self.int_of(a), self.int_of(b))

    def _cast(self, e: d.Cast) -> Value:
        v = self.eval(e.operand)
        target = e.type
        t = self.terms
        if isinstance(target, IndexType):
            return self._to_int(v, None)
        if target.kind == "bool":
            if isinstance(v, Formula):
                return v
            if isinstance(v, Atom):
                return t.negate(t.float_compare("==", v, t.float_const(0.0)))
            return t.ne(v)
        if target.is_float:
            if isinstance(v, Atom) and v.kind == "fconst":
                return v
            if isinstance(v, Atom):
                return v if self._widens(e.operand.type, target) else t.float_op(f"cast {target}", (v,))
            return self._float_of(v)
        p = self._to_int(v, target)
        if e.exact:
            lo, hi = t.int(target.min), t.int(target.max)
            self.oblige("fits", t.all((t.le(lo, p), t.le(p, hi))), e, target)
            return p
        return t.wrap(p, target)

    @staticmethod
    def _widens(source: d.Scalar, target: DType) -> bool:
        return isinstance(source, DType) and source.is_float and source.bits < target.bits

    def _to_int(self, v: Value, target: DType | None) -> Poly:
        t = self.terms
        if isinstance(v, Atom):
            if v.kind == "fconst" and v.data == int(v.data):
                return t.int(int(v.data))
            r = (target.min, target.max) if target is not None else (None, None)
            return t.of(t.atom("f2i", f"int {target or ''}", (v,), range=r, flags=FLOAT))
        return self.int_of(v)

    def _load(self, e: d.Load) -> Value:
        indices = tuple(self.int_of(self.eval(i)) for i in e.indices)
        a = self.access(e, e.array, indices, "r")
        return self.loaded(a)

    def loaded(self, a: Access) -> Value:
        """The value that an access reads. Between barriers the value at an index that the block shares is shared: else someone
        writes it in the same interval, which is a race."""
        t = self.terms
        array = a.array
        if isinstance(array, d.ConstArray):
            return self._constant(array, a.indices)
        if array.name not in self.written and isinstance(array, d.ArrayParam):
            return t.load(array.name, "", a.indices, array.dtype, None, 0)
        shared = all(i.sharing <= Sharing.COUNTER for i in a.indices) and not isinstance(array, d.LocalArray)
        sharing = Sharing.BLOCK if shared and not self.distrusted else Sharing.THREAD
        trips = tuple(t.of(loop.trip) for loop in self.loops)
        return t.load(array.name, f"@{a.seq}", (*a.indices, *trips), array.dtype, sharing, CONTENT)

    def _constant(self, array: d.ConstArray, indices: tuple[Poly, ...]) -> Value:
        t = self.terms
        at, sizes = _constants(indices), _constants(self.extents(array))
        if at is not None and sizes is not None and all(0 <= i < n for i, n in zip(at, sizes, strict=True)):
            flat = 0
            for i, n in zip(at, sizes, strict=True):
                flat = flat * n + i
            if flat < len(array.values):
                v = array.values[flat]
                if array.dtype.is_float:
                    return t.float_const(v)
                return (t.true if v else t.false) if array.dtype.kind == "bool" else t.int(int(v))
        number = self._tables.setdefault(id(array), len(self._tables))
        value = t.load(f"{array.name}.{number}", "", indices, array.dtype, None, OPAQUE)
        if isinstance(value, Poly):
            t.atoms[value.terms[0][0][0]].range = (int(min(array.values)), int(max(array.values)))
            return t.of(t.atoms[value.terms[0][0][0]])
        return value

    def _call(self, e: d.Call) -> Value:
        if isinstance(e.callee, d.Function):
            return self.inline(e.callee, e.args, e)[0]
        args = tuple(self.eval(a) for a in e.args if isinstance(a, d.Expr))
        return self.pure(e.callee, args, e.type)

    def pure(self, callee: Intrinsic, args: tuple[Value, ...], result: d.Scalar) -> Value:
        """An intrinsic without effect: some function of its arguments."""
        t = self.terms
        name = callee.name
        if result == BOOL:
            return t.bool_atom(t.atom("call", name, args, "bool", flags=OPAQUE))
        if isinstance(result, DType) and result.is_float:
            return t.float_op(name, args)
        r = (result.min, result.max) if isinstance(result, DType) else (None, None)
        short = name.rsplit(".", 1)[-1]
        if short in ("popc", "clz", "ffs"):
            r = (0, 64)
        return t.of(t.atom("call", name, args, range=r, flags=OPAQUE))

    # --- statements, which `machine` knows ---

    def inline(self, callee: d.Function, args: tuple, node: d.Node) -> list[Value]:
        raise NotImplementedError

    def block(self, statements: Iterable[d.Stmt]) -> None:
        raise NotImplementedError

    def fork(self, base: State, extra: Guard, lanes: set[str]) -> State:
        raise NotImplementedError

    def join(self, base: State, paths: list[State], lossless: bool = False) -> State:
        raise NotImplementedError

    def lanes_of(self, statements: Iterable[d.Stmt]) -> set[str]:
        raise NotImplementedError


def _constants(polys: Iterable[Poly]) -> list[int] | None:
    """The values of constants; None if one is none."""
    values = [p.const for p in polys]
    known = [v for v in values if v is not None]
    return known if len(known) == len(values) else None

"""Expressions on lanes: each node gives one value a lane, or one value for all.

In: an expression, the lanes that evaluate it, the activation that holds its names. Out: a NumPy array with an entry a
lane, or a NumPy scalar where all agree. `Logic` and `Select` evaluate an operand only in the lanes that need it. What
goes wrong is told to the findings; the lane goes on with 0. A value may share memory with a local: whoever keeps it
beyond the statement copies it.
Non-goals: statements (`machine`), what operators mean (`arithmetic`), races (`races`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from transpiler.intrinsics.entry import Intrinsic
from transpiler.ir import device as ir
from transpiler.ir.types import DType, Scalar
from transpiler.simulate import arithmetic
from transpiler.simulate.conversion import convert, misfit
from transpiler.simulate.dtypes import Value, numpy_dtype
from transpiler.simulate.lanes import Chunk, Lanes
from transpiler.simulate.memory import Binding, Memory, OutOfBounds, at
from transpiler.simulate.program import Program
from transpiler.simulate.races import Detector
from transpiler.simulate.report import Actor, Findings, shown
from transpiler.source import Source

CallFunction = Callable[[ir.Function, tuple[ir.Expr | ir.View, ...], Lanes, "Activation"], list[Value]]


@dataclass(slots=True, eq=False)
class Activation:
    """The names of one call of a function, for all lanes that are in it. A local is one value, or one a lane of the chunk."""

    source: Source
    scalars: dict[ir.Local | ir.ScalarParam, Value] = field(default_factory=dict)
    arrays: dict[ir.Array, Binding] = field(default_factory=dict)
    by_name: dict[str, Binding] = field(default_factory=dict)

    def bind(self, array: ir.Array, binding: Binding) -> None:
        self.arrays[array] = binding
        self.by_name[array.name] = binding

    def assign(self, target: ir.Local | ir.ScalarParam, value: Value, lanes: Lanes) -> None:
        held = self.scalars.get(target)
        if np.ndim(value) == 0 and lanes.full:
            self.scalars[target] = value
            return
        if held is None or np.ndim(held) == 0:
            dtype = numpy_dtype(target.type)
            held = self.scalars[target] = (
                np.zeros(lanes.width, dtype) if held is None else np.full(lanes.width, held, dtype)
            )
        held[lanes.at] = value


def spread(value: Value, lanes: Lanes) -> np.ndarray:
    """One entry a lane (read only where the value is one)."""
    return np.broadcast_to(value, (lanes.count,)) if np.ndim(value) == 0 else value


class Evaluator:
    def __init__(
        self, program: Program, chunk: Chunk, dims: dict[str, np.int64], findings: Findings, detector: Detector | None
    ) -> None:
        self.program = program
        self.chunk = chunk
        self.dims = dims
        self.findings = findings
        self.detector = detector
        self.call_function: CallFunction | None = None
        """Set by the machine: runs a device function that an expression calls."""
        self._constants: dict[ir.Const, Value] = {}
        self._by_type: dict[type, Callable[[Any, Lanes, Activation], Value]] = {
            ir.Const: self._const,
            ir.Var: self._var,
            ir.DimRef: self._dim,
            ir.Extent: self._extent,
            ir.LaunchVar: self._launch_var,
            ir.Unary: self._unary,
            ir.Binary: self._binary,
            ir.Compare: self._compare,
            ir.Logic: self._logic,
            ir.Select: self._select,
            ir.Cast: self._cast,
            ir.Load: self._load,
            ir.Call: self._call,
        }

    def value(self, expr: ir.Expr, lanes: Lanes, env: Activation) -> Value:
        return self._by_type[type(expr)](expr, lanes, env)

    def values(self, exprs: tuple[ir.Expr, ...], lanes: Lanes, env: Activation) -> list[Value]:
        return [self._by_type[type(expr)](expr, lanes, env) for expr in exprs]

    # --- leaves --------------------------------------------------------------------------------------------

    def _const(self, expr: ir.Const, lanes: Lanes, env: Activation) -> Value:
        value = self._constants.get(expr)
        if value is None:
            value = self._constants[expr] = scalar_of(expr.value, expr.type)
        return value

    def _var(self, expr: ir.Var, lanes: Lanes, env: Activation) -> Value:
        return at(env.scalars[expr.var], lanes)

    def _dim(self, expr: ir.DimRef, lanes: Lanes, env: Activation) -> Value:
        return self.dims[expr.name]

    def _extent(self, expr: ir.Extent, lanes: Lanes, env: Activation) -> Value:
        return env.by_name[expr.array].extent(expr.axis, lanes)

    def _launch_var(self, expr: ir.LaunchVar, lanes: Lanes, env: Activation) -> Value:
        return self.chunk.variable(expr.name, expr.axis, lanes)

    # --- operators -----------------------------------------------------------------------------------------

    def _unary(self, expr: ir.Unary, lanes: Lanes, env: Activation) -> Value:
        operand = self.value(expr.operand, lanes, env)
        return arithmetic.unary(expr.op, expr.type, operand, self._fault(expr, lanes, env, operand))

    def _binary(self, expr: ir.Binary, lanes: Lanes, env: Activation) -> Value:
        left, right = self.value(expr.left, lanes, env), self.value(expr.right, lanes, env)
        return arithmetic.binary(expr.op, expr.type, left, right, self._fault(expr, lanes, env, left, right))

    def _compare(self, expr: ir.Compare, lanes: Lanes, env: Activation) -> Value:
        return arithmetic.compare(expr.op, self.value(expr.left, lanes, env), self.value(expr.right, lanes, env))

    def _logic(self, expr: ir.Logic, lanes: Lanes, env: Activation) -> Value:
        left = self.value(expr.left, lanes, env)
        open_ = left if expr.op == "and" else np.logical_not(left)
        undecided, _ = lanes.split(open_)
        if undecided.count == 0:
            return left
        right = self.value(expr.right, undecided, env)
        if undecided is lanes:
            return right
        result = left.copy()
        result[open_] = right
        return result

    def _select(self, expr: ir.Select, lanes: Lanes, env: Activation) -> Value:
        cond = self.value(expr.cond, lanes, env)
        yes, no = lanes.split(cond)
        if no.count == 0:
            return self.value(expr.then, lanes, env)
        if yes.count == 0:
            return self.value(expr.orelse, lanes, env)
        result = np.empty(lanes.count, numpy_dtype(expr.type))
        result[cond] = self.value(expr.then, yes, env)
        result[~cond] = self.value(expr.orelse, no, env)
        return result

    def _cast(self, expr: ir.Cast, lanes: Lanes, env: Activation) -> Value:
        operand = self.value(expr.operand, lanes, env)
        target = expr.type if isinstance(expr.type, DType) else _I64
        if (expr.exact or not isinstance(expr.type, DType)) and operand.dtype.kind in "iu":
            bad = misfit(operand, target)
            if bad is not None:
                self._fault(expr, lanes, env, operand)(arithmetic.OVERFLOW, bad)
        return convert(operand, expr.type)

    # --- calls ---------------------------------------------------------------------------------------------

    def _call(self, expr: ir.Call, lanes: Lanes, env: Activation) -> Value:
        if isinstance(expr.callee, ir.Function):
            assert self.call_function is not None
            return at(self.call_function(expr.callee, expr.args, lanes, env)[0], lanes)
        return self.intrinsic(expr.callee, expr.args, lanes, env)

    def intrinsic(self, callee: Intrinsic, args: tuple[ir.Expr | ir.View, ...], lanes: Lanes, env: Activation) -> Value:
        """A pure intrinsic; of arguments on which all lanes agree it is computed once."""
        given = [self.value(arg, lanes, env) for arg in args if isinstance(arg, ir.Expr)]
        if all(np.ndim(value) == 0 for value in given):
            return np.asarray(callee.numpy(*(np.reshape(value, 1) for value in given))).reshape(-1)[0]
        return callee.numpy(*(spread(value, lanes) for value in given))

    # --- memory --------------------------------------------------------------------------------------------

    def _load(self, expr: ir.Load, lanes: Lanes, env: Activation) -> Value:
        binding = env.arrays[expr.array]
        element, outside = binding.locate(self.values(expr.indices, lanes, env), lanes)
        if outside is not None:
            self.out_of_bounds(expr, binding, outside, lanes, env, "read")
            inside = lanes.where(~outside.mask)
            result = np.zeros(lanes.count, numpy_dtype(expr.type))
            if inside.count:
                result[~outside.mask] = self._load_inside(
                    expr, binding.memory, spread(element, lanes)[~outside.mask], inside, env
                )
            return result
        return self._load_inside(expr, binding.memory, element, lanes, env)

    def _load_inside(self, expr: ir.Load, memory: Memory, element: Value, lanes: Lanes, env: Activation) -> Value:
        cells = memory.cells(element, self.chunk, lanes)
        values = memory.read(cells)
        if self.detector is not None and memory.space != "const":
            if memory.born is not None:
                self._check_born(expr, memory, memory.born[spread(cells, lanes)], cells, lanes, env)
            elif memory.shadow is not None:
                batch = self.detector.batch(memory, spread(cells, lanes), lanes, self.program.site_of[expr], values)
                if memory.blank:
                    self._check_born(expr, memory, memory.shadow.initialised(batch.rows), cells, lanes, env)
                self.detector.read(batch)
        return values

    def _check_born(
        self, expr: ir.Load, memory: Memory, born: np.ndarray, cells: Value, lanes: Lanes, env: Activation
    ) -> None:
        if born.all():
            return
        unborn = ~born
        position = int(np.argmax(unborn))
        thread = self.thread(lanes, position)
        cell = int(spread(cells, lanes)[position])
        is_out = memory.space == "global"
        words = (
            "of an `Out` parameter before any thread wrote it"
            if is_out
            else f"of {memory.space} memory that nothing was written to"
        )
        index = memory.index(cell)
        self.findings.add(
            "E0305" if is_out else "E0307",
            f"{self.findings.name(thread)} reads `{memory.array.name}{list(index)}` {words}",
            (Actor(thread, env.source, expr.span, "read"),),
            help="declare it `InOut` if its old value matters"
            if is_out
            else "write the element (in every thread that reads it, or before a barrier) first",
            array=memory.array.name,
            index=index,
            times=int(np.count_nonzero(unborn)),
        )

    def out_of_bounds(
        self,
        node: ir.Load | ir.Store | ir.Atomic,
        binding: Binding,
        outside: OutOfBounds,
        lanes: Lanes,
        env: Activation,
        access: str,
    ) -> None:
        thread = self.thread(lanes, outside.position)
        name = node.array.name
        axis = f"axis {outside.axis} of `{name}`" if len(node.indices) > 1 else f"`{name}`"
        self.findings.add(
            "E0501",
            f"{self.findings.name(thread)}: index {outside.index} is outside {axis}, which has {outside.extent} elements",
            (Actor(thread, env.source, node.span, access),),
            help=f"guard the access: `if {env.source.slice(node.indices[outside.axis].span) or 'i'} < ...:`"
            if outside.index >= 0
            else None,
            array=binding.memory.array.name,
            index=(outside.index,) if len(node.indices) == 1 else None,
            times=int(np.count_nonzero(outside.mask)),
        )

    # --- faults --------------------------------------------------------------------------------------------

    def thread(self, lanes: Lanes, position: int) -> int:
        """Launch-wide number of a member of `lanes`."""
        return self.chunk.number(int(lanes.ids[position]))

    def _fault(self, node: ir.Expr, lanes: Lanes, env: Activation, *operands: Value) -> arithmetic.Fault:
        def tell(code: str, mask: Value) -> None:
            where = spread(mask, lanes)
            position = int(np.argmax(where))
            thread = self.thread(lanes, position)
            given = " and ".join(shown(operand if np.ndim(operand) == 0 else operand[position]) for operand in operands)
            self.findings.add(
                code,
                f"{self.findings.name(thread)}: {_fault_words(code, node)} (here {given})",
                (Actor(thread, env.source, node.span, "read"),),
                times=int(np.count_nonzero(where)),
            )

        return tell


_I64 = DType("i64", "int", 64)


def scalar_of(value: int | float | bool, type_: Scalar) -> Value:
    """A Python number as one of the type."""
    if isinstance(type_, DType) and type_.is_float:
        return convert(np.float64(value), type_)
    return numpy_dtype(type_).type(value)


def _fault_words(code: str, node: ir.Expr) -> str:
    if code == arithmetic.OVERFLOW:
        return (
            f"the value does not fit {node.type}"
            if isinstance(node, ir.Cast) and isinstance(node.type, DType)
            else "the exact result needs more than 64 bits"
        )
    return {
        arithmetic.DIVISION: "division by zero",
        arithmetic.SHIFT: "a shift by less than 0, or by the width or more",
        arithmetic.POWER: "an integer to a negative power",
    }[code]

"""The one printer of expressions: device IR to C++ that means the same.

In: an expression, the C++ names and types of what it refers to, the proved ranges. Out: a `Text`.
An integer text holds the exact value of its expression, in whatever C++ type is natural (`threadIdx.x` is unsigned,
an `i8` in arithmetic an `int`); each operation sees to it that C++ computes it without wrap-around where Python would
not wrap, and by wrapping without undefined behaviour where the language says that it wraps.
Parts: `integers` (index and data arithmetic), `floats`, `conversions`, `memory` (accesses and views).
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.emit import conversions, floats, integers, literals, memory, text
from transpiler.emit.abi import Checks, interval
from transpiler.emit.constants import Constants
from transpiler.emit.cpp_types import (
    ANY,
    INT,
    INT32,
    LONG,
    PROMOTED,
    UINT,
    ULONG,
    Interval,
    cpp_type,
    index_type,
    within,
)
from transpiler.emit.helpers import Helpers
from transpiler.emit.text import Text, primary
from transpiler.intrinsics.entry import Intrinsic, Signature
from transpiler.ir import device as d
from transpiler.ir.types import BOOL, DType, IndexType
from transpiler.prove import intervals as iv
from transpiler.prove.launch_ranges import LaunchRanges

SIZE: Interval = (0, 2**47)
_AXES = "xyz"


class Printer:
    """Prints the expressions of one function."""

    def __init__(
        self,
        launch: LaunchRanges,
        ranges: d.Ranges,
        helpers: Helpers,
        constants: Constants,
        checks: Checks,
        failing: Callable[[d.Load | d.Store | d.Atomic, int], int | None],
    ) -> None:
        self.launch = launch
        self.ranges = ranges
        self.helpers = helpers
        self.constants = constants
        self.checks = checks
        self.failing = failing
        """Number of the recorded check of an axis of an access, None where it is proved."""
        self.variables: dict[d.Local | d.ScalarParam, Text] = {}
        self.sizes: dict[tuple[str, str, int], str] = {}
        self.arrays: dict[d.Array, memory.Place] = {}
        self.functions: dict[d.Function, FunctionName] = {}

    # --- what is known of values --------------------------------------------------------------------------

    def range_of(self, expr: d.Expr) -> Interval:
        """The values of an expression: proved ones, or what follows from those of its operands."""
        if expr in self.ranges.exprs:
            return interval(self.ranges.exprs[expr])
        match expr:
            case d.Const() if not isinstance(expr.value, float):
                return (int(expr.value), int(expr.value))
            case d.DimRef() | d.Extent():
                return SIZE
            case d.LaunchVar():
                return self.launch.of_variable(expr.name, expr.axis)
            case d.Var() if isinstance(expr.var, d.Local) and expr.var in self.ranges.locals:
                return interval(self.ranges.locals[expr.var])
            case d.Binary() if isinstance(expr.type, IndexType) and expr.op in iv.OPERATIONS:
                return iv.OPERATIONS[expr.op](self.range_of(expr.left), self.range_of(expr.right))
        return all_values(expr.type)

    # --- printing -----------------------------------------------------------------------------------------

    def text(self, expr: d.Expr) -> str:
        """An expression where anything may stand (an argument, an initialiser)."""
        return self.expr(expr).text

    def expr(self, expr: d.Expr) -> Text:
        match expr:
            case d.Const():
                return self.const(expr)
            case d.Var():
                return self.variables[expr.var]
            case d.DimRef():
                return primary(self.sizes["dim", expr.name, 0], LONG)
            case d.Extent():
                return primary(self.sizes["extent", expr.array, expr.axis], LONG)
            case d.LaunchVar():
                return self.launch_variable(expr.name, expr.axis)
            case d.Unary():
                return self.unary(expr)
            case d.Binary():
                return self.binary(expr)
            case d.Compare():
                return self.compare(expr)
            case d.Logic():
                op = "&&" if expr.op == "and" else "||"
                return text.binary(op, self.expr(expr.left), self.expr(expr.right), "bool")
            case d.Select():
                return self.select(expr)
            case d.Cast():
                return conversions.convert(self, expr)
            case d.Load():
                return memory.load(self, expr)
            case d.Call():
                return self.call(expr.callee, expr.args, (expr.type,))
        raise TypeError(f"not an expression of the device IR: {expr!r}")

    def const(self, const: d.Const) -> Text:
        if const.name and (named := self.constants.name(const)):
            return primary(named, constant_type(const))
        return literal(const)

    def launch_variable(self, name: str, axis: int) -> Text:
        letter = _AXES[axis]
        block = self.launch.block[axis]
        match name:
            case "laneid" if self.launch.block[1:] == (1, 1):
                return text.binary("%", primary("threadIdx.x", UINT), primary("32", INT), UINT)
            case "laneid":
                self.helpers.use("lane_id.cuh")
                return text.call("lane_id", [], UINT)
            case "warpsize":
                return primary("warpSize", INT)
            case "blockDim" if block:
                return primary(str(block), INT)
            case "grid":
                start = text.binary(
                    "*", primary(f"blockIdx.{letter}", UINT), self.launch_variable("blockDim", axis), UINT
                )
                return text.binary("+", start, primary(f"threadIdx.{letter}", UINT), UINT)
            case "gridsize":
                return text.binary(
                    "*", primary(f"gridDim.{letter}", UINT), self.launch_variable("blockDim", axis), UINT
                )
        return primary(f"{name}.{letter}", UINT)

    def unary(self, expr: d.Unary) -> Text:
        if expr.op == "not":
            return text.unary("!", self.expr(expr.operand), "bool")
        if isinstance(expr.type, DType) and expr.type.is_float:
            return floats.unary(self, expr)
        return integers.unary(self, expr)

    def binary(self, expr: d.Binary) -> Text:
        if isinstance(expr.type, IndexType):
            return integers.index(self, expr)
        if expr.type.is_float:
            return floats.binary(self, expr)
        return integers.data(self, expr)

    def compare(self, expr: d.Compare) -> Text:
        if any(isinstance(side.type, DType) and side.type.is_float for side in (expr.left, expr.right)):
            return text.binary(expr.op, self.expr(expr.left), self.expr(expr.right), "bool")
        left, right = integers.plain_literals(self, expr.left, expr.right)
        return integers.compare(self, expr.op, left, self.range_of(expr.left), right, self.range_of(expr.right))

    def select(self, expr: d.Select) -> Text:
        cond, then, orelse = self.expr(expr.cond), self.expr(expr.then), self.expr(expr.orelse)
        if isinstance(expr.type, DType) and expr.type.is_float:
            return text.conditional(cond, then, orelse, then.ctype)
        ctype = common_type(expr.type, (then, self.range_of(expr.then)), (orelse, self.range_of(expr.orelse)))
        if UINT in (then.ctype, orelse.ctype) and ctype != UINT:  # C++ would convert the other arm to unsigned
            then, orelse = (t if t.ctype != UINT else text.cast(t, ctype) for t in (then, orelse))
        return text.conditional(cond, then, orelse, ctype)

    def call(
        self, callee: Intrinsic | d.Function, args: tuple[d.Expr | d.View, ...], results: tuple[d.Scalar, ...]
    ) -> Text:
        if isinstance(callee, d.Function):
            function = self.functions[callee]
            return text.call(function.name, memory.arguments(self, function, args), function.result_types[0])
        return self.intrinsic(callee, args, results, {})

    def intrinsic(
        self,
        callee: Intrinsic,
        args: tuple[d.Expr | d.View, ...],
        results: tuple[d.Scalar, ...],
        targets: dict[str, str],
    ) -> Text:
        """The table's C++ of an intrinsic: arguments stand where any expression may, the result binds like a cast or call."""
        scalars = [arg for arg in args if isinstance(arg, d.Expr)]
        signature = Signature(tuple(arg.type for arg in scalars), results)
        for header in callee.headers:
            self.helpers.use(header)
        spelled = callee.cpp(signature).format(*(self.argument(arg) for arg in scalars), **targets)
        ctype = "void"
        if results:
            ctype = cpp_type(results[0]) if isinstance(results[0], DType) else LONG
        return Text(spelled, text.UNARY if spelled.startswith("(") else text.POSTFIX, ctype)

    def argument(self, arg: d.Expr) -> str:
        """An argument of an overloaded function: of exactly the C++ type of its dtype."""
        return self.exactly(arg, cpp_type(arg.type) if isinstance(arg.type, DType) else "").text

    def exactly(self, expr: d.Expr, ctype: str) -> Text:
        """An expression converted to a C++ type if it has another; no type means that any integer type will do."""
        out = self.expr(expr)
        if not ctype or out.ctype == ctype:
            return out
        if isinstance(expr, d.Const) and not expr.name and ctype in (INT, LONG, UINT, ULONG):
            return literal(expr, ctype)
        return text.cast(out, ctype)


class FunctionName:
    """What a call of a device function must know of its C++: name, parameters, result types."""

    def __init__(self, function: d.Function, name: str, parameters: tuple, result_types: tuple[str, ...]) -> None:
        self.function = function
        self.name = name
        self.parameters = parameters
        self.result_types = result_types
        self.result_struct = ""


def all_values(type_: d.Scalar) -> Interval:
    if isinstance(type_, DType) and not type_.is_float:
        return (type_.min, type_.max)
    return ANY


def constant_type(const: d.Const) -> str:
    """The C++ type of a constant: that of its dtype; an index integer's by its value."""
    if isinstance(const.type, IndexType):
        return index_type((int(const.value), int(const.value)))
    return cpp_type(const.type)


def literal(const: d.Const, ctype: str = "") -> Text:
    """A constant spelled out. Types narrower than `int` have no literals in C++: theirs are `int`."""
    if const.type == BOOL:
        return primary("true" if const.value else "false", "bool")
    if isinstance(const.type, DType) and const.type.is_float:
        return floats.literal(const)
    ctype = ctype or constant_type(const)
    if ctype in PROMOTED:
        ctype = INT
    value = int(const.value)
    return Text(literals.integer(value, ctype, const.text), text.UNARY if value < 0 else text.PRIMARY, ctype)


def common_type(type_: d.Scalar, *parts: tuple[Text, Interval]) -> str:
    """The C++ type in which integers of these types and values can stand together unchanged."""
    kinds = {part.ctype for part, _ in parts}
    if len(kinds) == 1:
        return kinds.pop()
    if ULONG in kinds:
        return ULONG
    if LONG in kinds:
        return LONG
    if UINT in kinds:
        values = parts[0][1]
        for _, other in parts[1:]:
            values = iv.join(values, other)
        return UINT if values[0] >= 0 else INT if within(values, INT32) else LONG
    return INT

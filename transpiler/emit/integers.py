"""Integer operations in C++: exact on index integers, wrapping on data integers, never undefined.

In: operations of the device IR on integers, with the ranges of their operands. Out: the plain operator wherever the
ranges show that C++ computes the same, else a cast of the first operand that makes the computation 64 bits wide
(index) or a helper of `templates/device` (data, floor division of negative numbers, mixed comparisons).
Non-goals: conversions between types (`conversions`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.emit import text
from transpiler.emit.cpp_types import (
    INT,
    INT32,
    INT64,
    LONG,
    PROMOTED,
    UINT,
    UINT32,
    ULONG,
    Interval,
    cpp_type,
    index_type,
    within,
)
from transpiler.emit.text import Text
from transpiler.ir import device as d
from transpiler.ir.types import DType, IndexType
from transpiler.prove import intervals as iv

if TYPE_CHECKING:
    from transpiler.emit.expressions import Printer

_WRAPPING = {"+": "wrapping_add", "-": "wrapping_sub", "*": "wrapping_mul"}


# --- index integers: exact --------------------------------------------------------------------------------


def index(p: Printer, e: d.Binary, wide: bool = False) -> Text:
    """An operation on index integers; `wide` asks for a 64-bit result."""
    left, right = p.range_of(e.left), p.range_of(e.right)
    match e.op:
        case "//" | "%":
            return _division(p, e, left, right)
        case "**":
            return _power(p, e)
        case "min" | "max":
            a, b, ctype = unify(p, e.left, e.right, iv.join(left, right), same=True)
            return text.call(e.op, [a.text, b.text], ctype)
        case "<<" | ">>":
            return _index_shift(p, e, left)
        case "&" | "|" | "^":
            a, b, ctype = unify(p, e.left, e.right, iv.OPERATIONS[e.op](left, right))
            return text.binary(e.op, a, b, ctype)
    a, b, ctype = unify(p, e.left, e.right, INT64 if wide else p.range_of(e))
    return text.binary(e.op, a, b, ctype)


def unify(p: Printer, left: d.Expr, right: d.Expr, result: Interval, same: bool = False) -> tuple[Text, Text, str]:
    """Two operands, cast where C++ would otherwise convert them to another value or compute the result too narrowly.

    `same`: both must have one C++ type (arguments of an overloaded function).
    """
    a, b = plain_literals(p, left, right)
    ar, br = p.range_of(left), p.range_of(right)
    kinds = {INT if t.ctype in PROMOTED else t.ctype for t in (a, b)}
    if LONG in kinds:
        ctype = LONG
    elif UINT in kinds and ar[0] >= 0 and br[0] >= 0 and within(result, UINT32):
        ctype = UINT
    elif all(within(r, INT32) for r in (ar, br, result)):
        ctype = INT
        a, b = (text.cast(t, INT) if t.ctype == UINT else t for t in (a, b))
    else:
        ctype = LONG
        if b.ctype == UINT and a.ctype != UINT:
            b = text.cast(b, LONG)
        else:
            a = _wide(p, left)
    if same:
        a, b = (_as(p, side, t, ctype) for side, t in ((left, a), (right, b)))
    return a, b, ctype


def _as(p: Printer, e: d.Expr, t: Text, ctype: str) -> Text:
    return t if t.ctype == ctype else p.exactly(e, ctype)


def _wide(p: Printer, e: d.Expr) -> Text:
    """An operand in 64 bits: the cast goes to the first factor, so that the whole product is wide."""
    if isinstance(e, d.Binary) and e.op in ("+", "-", "*") and isinstance(e.type, IndexType):
        out = index(p, e, wide=True)
        if out.ctype == LONG:
            return out
    return p.exactly(e, LONG)


def _division(p: Printer, e: d.Binary, left: Interval, right: Interval) -> Text:
    """`//` and `%`: plain where no sign can differ, a shift or mask for powers of two, else floored by a helper."""
    result = iv.join(iv.OPERATIONS[e.op](left, right), left)
    op = "/" if e.op == "//" else "%"
    power = power_of_two(e.right)
    a, b, ctype = unify(p, e.left, e.right, result)
    if power > 1 and op == "%" and ctype != UINT:
        return text.binary("&", a, text.primary(str(power - 1), INT), ctype)
    if left[0] >= 0 and right[0] >= 0:
        return text.binary(op, a, b, ctype)
    if power > 1:
        return text.binary(">>", a, text.primary(str(power.bit_length() - 1), INT), ctype)
    name = "floor_div" if op == "/" else "floor_mod"
    p.helpers.use(f"{name}.cuh")
    return text.call(name, [_as(p, e.left, a, ctype).text, _as(p, e.right, b, ctype).text], ctype)


def power_of_two(e: d.Expr) -> int:
    """The value of a constant that is a power of two, else 0."""
    value = int(e.value) if isinstance(e, d.Const) else 0
    return value if value > 0 and value & (value - 1) == 0 else 0


def _power(p: Printer, e: d.Binary) -> Text:
    exponent, result = p.range_of(e.right), p.range_of(e)
    ctype = index_type(result)
    if isinstance(e.left, d.Const) and e.left.value == 2 and within(exponent, (0, 62)):
        one = text.primary("1" if ctype == INT else "1LL", ctype)
        return text.binary("<<", one, p.expr(e.right), ctype)
    p.helpers.use("integer_power.cuh")
    return text.call("integer_power", [p.exactly(e.left, ctype).text, p.text(e.right)], ctype)


def _index_shift(p: Printer, e: d.Binary, left: Interval) -> Text:
    a, b = p.expr(e.left), p.expr(e.right)
    if e.op == ">>":
        return text.binary(">>", a, b, INT if a.ctype in PROMOTED else a.ctype)
    result = p.range_of(e)
    ctype = LONG if a.ctype == LONG else index_type(iv.join(result, left))
    if left[0] < 0:
        p.helpers.use("shifts.cuh")
        return text.call("shift_left", [_as(p, e.left, a, ctype).text, b.text], ctype)
    if a.ctype == UINT and within(result, UINT32):
        return text.binary("<<", a, b, UINT)
    if ctype == LONG:
        a = a if a.ctype == LONG else _wide(p, e.left)
    elif a.ctype not in PROMOTED:
        a = text.cast(a, INT)
    return text.binary("<<", a, b, ctype)


# --- data integers: wrapping ------------------------------------------------------------------------------


def data(p: Printer, e: d.Binary) -> Text:
    """An operation on integers (or bools) of a dtype."""
    dtype = e.type
    assert isinstance(dtype, DType)
    ctype = cpp_type(dtype)
    left, right = p.range_of(e.left), p.range_of(e.right)
    exact = iv.OPERATIONS[e.op](left, right)
    fits = within(exact, (dtype.min, dtype.max))
    if e.op in ("min", "max"):
        args = [_compute(p, side, ctype).text for side in (e.left, e.right)]
        return text.call(e.op, args, INT if ctype in PROMOTED else ctype)
    if e.op in ("<<", ">>"):
        return _data_shift(p, e, ctype, fits)
    if e.op == "**":
        p.helpers.use("integer_power.cuh")
        base, work = _compute(p, e.left, ctype), INT if ctype in PROMOTED else ctype
        return _narrow(text.call("integer_power", [base.text, p.text(e.right)], work), ctype, fits)
    if e.op in ("//", "%"):
        return _narrow(_data_division(p, e, ctype, left, right), ctype, fits)
    if ctype in (INT, LONG) and not fits and e.op in _WRAPPING:
        p.helpers.use(f"{_WRAPPING[e.op]}.cuh")
        args = [p.exactly(side, ctype).text for side in (e.left, e.right)]
        return text.call(_WRAPPING[e.op], args, ctype)
    a, b = plain_literals(p, e.left, e.right)
    if ctype in PROMOTED:
        if ctype == "unsigned short" and e.op == "*" and not within(exact, INT32):
            a = text.cast(a, UINT)
        out = text.binary(e.op, a, b, UINT if a.ctype == UINT else INT)
        return _narrow(out, ctype, fits)
    if ctype not in (a.ctype, b.ctype):
        a = p.exactly(e.left, ctype)
    return text.binary(e.op, a, b, ctype)


def _compute(p: Printer, e: d.Expr, ctype: str) -> Text:
    """An operand in the type that C++ computes in; the narrow ones become `int` by themselves, in calls too."""
    out = p.expr(e)
    if ctype in PROMOTED:
        return out if out.ctype in PROMOTED else p.exactly(e, INT)
    return p.exactly(e, ctype)


def _narrow(out: Text, ctype: str, fits: bool) -> Text:
    """A result computed in `int`, cut down to a narrower type if it may not fit."""
    return out if fits or ctype in (INT, LONG, UINT, ULONG) else text.cast(out, ctype)


def _data_division(p: Printer, e: d.Binary, ctype: str, left: Interval, right: Interval) -> Text:
    op = "/" if e.op == "//" else "%"
    work = INT if ctype in PROMOTED else ctype
    if work in (UINT, ULONG) or (left[0] >= 0 and right[0] >= 0):
        a, b = plain_literals(p, e.left, e.right)
        if work not in (a.ctype, b.ctype) and not {a.ctype, b.ctype} <= PROMOTED:
            a = p.exactly(e.left, work)
        return text.binary(op, a, b, work)
    a = _compute(p, e.left, ctype)
    power = power_of_two(e.right)
    if power > 1:
        amount = power - 1 if op == "%" else power.bit_length() - 1
        return text.binary("&" if op == "%" else ">>", a, text.primary(str(amount), INT), work)
    name = "floor_div" if op == "/" else "floor_mod"
    p.helpers.use(f"{name}.cuh")
    return text.call(name, [a.text, _compute(p, e.right, ctype).text], work)


def _data_shift(p: Printer, e: d.Binary, ctype: str, fits: bool) -> Text:
    a = _compute(p, e.left, ctype)
    b = literal_int(e.right) if isinstance(e.right, d.Const) and not e.right.name else p.expr(e.right)
    work = INT if ctype in PROMOTED else ctype
    if e.op == ">>" or work in (UINT, ULONG) or (fits and p.range_of(e.left)[0] >= 0):
        return _narrow(text.binary(e.op, a, b, work), ctype, fits)
    p.helpers.use("shifts.cuh")
    return _narrow(text.call("shift_left", [a.text, b.text], work), ctype, fits)


def unary(p: Printer, e: d.Unary) -> Text:
    """`-`, `~` and `abs` of either kind of integer."""
    operand, values = p.expr(e.operand), p.range_of(e.operand)
    if isinstance(e.type, IndexType):
        return _index_unary(p, e, operand, values)
    ctype = cpp_type(e.type)
    work = INT if ctype in PROMOTED else ctype
    exact = {"-": iv.negate, "~": iv.invert, "abs": iv.absolute}[e.op](values)
    fits = within(exact, (e.type.min, e.type.max))
    operand = _compute(p, e.operand, ctype)
    if e.op == "abs":
        if work in (UINT, ULONG) or values[0] >= 0:
            return operand
        if work == ctype and not fits:
            p.helpers.use("wrapping_abs.cuh")
            return text.call("wrapping_abs", [operand.text], work)
        return _narrow(text.call("abs" if work == INT else "llabs", [operand.text], work), ctype, fits)
    if e.op == "-" and work == ctype and e.type.kind == "int" and not fits:
        p.helpers.use("wrapping_sub.cuh")
        return text.call("wrapping_sub", ["0" if work == INT else "0LL", operand.text], work)
    return _narrow(text.unary(e.op, operand, work), ctype, fits or (e.type.kind == "int" and e.op == "~"))


def _index_unary(p: Printer, e: d.Unary, operand: Text, values: Interval) -> Text:
    if e.op == "abs" and values[0] >= 0:
        return operand
    result = p.range_of(e)
    ctype = LONG if operand.ctype == LONG else index_type(iv.join(result, values))
    if operand.ctype not in PROMOTED or ctype != INT:
        operand = p.exactly(e.operand, ctype)
    if e.op == "abs":
        return text.call("abs" if ctype == INT else "llabs", [operand.text], ctype)
    return text.unary(e.op, operand, ctype)


# --- comparisons: by value --------------------------------------------------------------------------------


def compare(p: Printer, op: str, a: Text, ar: Interval, b: Text, br: Interval) -> Text:
    """A comparison of integers by value, whatever their C++ types."""
    kinds = {INT if t.ctype in PROMOTED else t.ctype for t in (a, b)}
    unsigned = kinds & {UINT, ULONG}
    if len(kinds) > 1 and unsigned and not (ar[0] >= 0 and br[0] >= 0) and kinds != {UINT, LONG}:
        if ULONG in kinds:
            p.helpers.use("compare.cuh")
            return text.call(_COMPARE[op], [a.text, b.text], "bool")
        sides = []
        for t, r in ((a, ar), (b, br)):
            sides.append(text.cast(t, INT if within(r, INT32) else LONG) if t.ctype == UINT else t)
        a, b = sides
    return text.binary(op, a, b, "bool")


_COMPARE = {
    "<": "value_less",
    "<=": "value_less_equal",
    ">": "value_greater",
    ">=": "value_greater_equal",
    "==": "value_equal",
    "!=": "value_not_equal",
}


def plain_literals(p: Printer, left: d.Expr, right: d.Expr) -> tuple[Text, Text]:
    """Two operands; a literal beside one that is none goes without suffix where C++ converts it to the same value."""
    a, b = p.expr(left), p.expr(right)
    if _is_literal(right) and not _is_literal(left):
        b = _plain(right, a, b)
    elif _is_literal(left) and not _is_literal(right):
        a = _plain(left, b, a)
    return a, b


def _is_literal(e: d.Expr) -> bool:
    return isinstance(e, d.Const) and not e.name and not isinstance(e.value, float | bool)


def _plain(e: d.Expr, other: Text, out: Text) -> Text:
    from transpiler.emit.expressions import literal

    assert isinstance(e, d.Const)
    small = within((int(e.value), int(e.value)), INT32)
    if out.ctype == other.ctype and small and (e.value >= 0 or out.ctype == LONG):
        return literal(e, INT)
    return out


def literal_int(const: d.Const) -> Text:
    """A literal in a comparison, without a suffix where its value fits `int`."""
    from transpiler.emit.expressions import literal

    return literal(const, INT) if within((int(const.value), int(const.value)), INT32) else literal(const)

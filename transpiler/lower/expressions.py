"""Expressions of the typed kernel to device expressions.

In: a surface expression with its tables. Out: a device expression, with what has effects appended to `low.out` before.
Here is the dispatch, names and literals; the classes of expressions have modules of their own.
Non-goals: places of stores (`assignment`).
"""

from __future__ import annotations

from transpiler.check import promotion
from transpiler.check.meaning import ArrayMeaning, DimMeaning, Qualified, Static, type_of
from transpiler.ir import device, surface
from transpiler.ir.types import INDEX, WEAK_FLOAT, Type, VectorType, WeakType
from transpiler.ir.walk import surface_walk
from transpiler.lower.context import Lowering
from transpiler.lower.values import constant, convert, truth


def value(low: Lowering, expr: surface.Expr, want: Type | None = None) -> device.Expr:
    """The expression as a scalar, in type `want` where given."""
    meaning = low.meaning(expr)
    if isinstance(meaning, Static):
        return _static(low, expr, meaning, want)
    built = _value(low, expr, kind_of(low, expr, want))
    return built if want is None else convert(built, want)


def condition(low: Lowering, expr: surface.Expr) -> device.Expr:
    """The expression as a bool."""
    return truth(value(low, expr))


def kind_of(low: Lowering, expr: surface.Expr, want: Type | None = None) -> device.Scalar:
    """The type that an expression is computed in: its own, or for one made of literals alone the wanted one.

    `0.1 if c else 0.2` beside an f64 has to be built of f64 literals: rounding them to f32 first would give another number.
    """
    own = type_of(low.meaning(expr))
    assert own is not None
    if isinstance(own, WeakType) and want is not None and (own != WEAK_FLOAT or promotion.is_float(want)):
        own = want
    kind = promotion.settle(own)
    assert isinstance(kind, device.Scalar), f"{own} is no scalar"
    return kind


def _static(low: Lowering, expr: surface.Expr, meaning: Static, want: Type | None) -> device.Expr:
    """A known number: by its name where it has one, as it was written where it is a literal."""
    kind = promotion.settle(want if want is not None else meaning.type)
    if isinstance(expr, surface.Name):
        place = low.places.get(expr.id)
        if isinstance(place, device.Local) and place.type == kind:
            return device.Var(place, type=place.type, span=expr.span)
    if isinstance(expr, surface.Binary) and kind == INDEX and expr.op in ("+", "-", "*") and _has_name(low, expr):
        left, right = value(low, expr.left, INDEX), value(low, expr.right, INDEX)
        return device.Binary(expr.op, left, right, type=INDEX, span=expr.span)
    text = expr.text if isinstance(expr, surface.Int | surface.Float) else ""
    return constant(meaning.value, kind, expr.span, text, meaning.name)


def _has_name(low: Lowering, expr: surface.Expr) -> bool:
    """Whether a constant expression is worth keeping as written: it names a constant, and all of it are small integers."""
    parts = [low.typed.meanings.get(node) for node in surface_walk(expr) if isinstance(node, surface.Expr)]
    small = all(isinstance(m, Static) and isinstance(m.value, int) and abs(m.value) < 1 << 31 for m in parts)
    return small and any(isinstance(m, Static) and m.name for m in parts)


def _value(low: Lowering, expr: surface.Expr, kind: device.Scalar) -> device.Expr:
    from transpiler.lower import calls, choices, operators

    match expr:
        case surface.Name():
            return _name(low, expr)
        case surface.Attribute():
            return _attribute(low, expr)
        case surface.Subscript():
            return _subscript(low, expr)
        case surface.Unary():
            return operators.unary(low, expr, kind)
        case surface.Binary():
            return operators.binary(low, expr.op, expr.left, expr.right, kind, expr.span)
        case surface.Compare():
            return operators.compare(low, expr)
        case surface.BoolOp():
            return choices.bool_op(low, expr, kind)
        case surface.IfExp():
            return choices.conditional(low, expr, kind)
        case surface.Walrus():
            from transpiler.lower.assignment import assign_name

            assign_name(low, expr.target, expr.value)
            return _name(low, expr.target)
        case surface.Call():
            return calls.call_value(low, expr, kind)
    raise AssertionError(f"{type(expr).__name__} has no scalar value")


def _name(low: Lowering, name: surface.Name) -> device.Expr:
    if name.id in low.extents:
        return low.extents[name.id]
    place = low.places.get(name.id)
    if isinstance(place, device.Local | device.ScalarParam):
        return device.Var(place, type=place.type, span=name.span)
    meaning = low.meaning(name)
    if isinstance(meaning, DimMeaning):
        return device.DimRef(meaning.name, type=INDEX, span=name.span)
    assert low.typed.module.names.get(name.id) == "transpiler.cuda.laneid", f"`{name.id}` is no scalar"
    return device.LaunchVar("laneid", 0, type=INDEX, span=name.span)


def _attribute(low: Lowering, expr: surface.Attribute) -> device.Expr:
    from transpiler.lower.arrays import size
    from transpiler.lower.tuples import items

    base = low.meaning(expr.value)
    if isinstance(base, ArrayMeaning):
        assert expr.attr == "size"
        return size(low, expr)
    if isinstance(base, VectorType):
        return items(low, expr.value)["xyzw".index(expr.attr)]
    assert isinstance(base, Qualified)
    if expr.attr == "laneid":
        return device.LaunchVar("laneid", 0, type=INDEX, span=expr.span)
    name = base.name.removeprefix("transpiler.cuda.")
    return device.LaunchVar(name, "xyz".index(expr.attr), type=INDEX, span=expr.span)


def _subscript(low: Lowering, expr: surface.Subscript) -> device.Expr:
    from transpiler.lower.arrays import element
    from transpiler.lower.tuples import item_of

    if isinstance(low.meaning(expr.value), ArrayMeaning):
        array, indices = element(low, expr)
        return device.Load(array, indices, type=array.dtype, span=expr.span)
    return item_of(low, expr)[0]

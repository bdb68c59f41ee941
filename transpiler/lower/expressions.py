"""Expressions of the typed kernel to device expressions.

In: a surface expression with its tables. Out: a device expression, with what has effects appended to `low.out` before.
Tuples and vectors become lists of scalars (`items`). Non-goals: calls (`calls`), places of stores (`statements`).
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.check import promotion
from transpiler.check.meaning import (
    ArrayMeaning,
    DimMeaning,
    Meaning,
    NoneMeaning,
    ShapeOf,
    Static,
    TupleMeaning,
    type_of,
)
from transpiler.ir import device, surface
from transpiler.ir.types import BOOL, INDEX, DType, Type, VectorType
from transpiler.lower.context import Binding, Lowering, Place, add, index, times
from transpiler.lower.values import constant, convert, truth
from transpiler.source import Span

_EXPANDED_POWERS = (2, 3, 4)
"""`x ** 2` of a float is `x * x`: exact where `pow` is not, and what a person writes."""


def value(low: Lowering, expr: surface.Expr, want: Type | None = None) -> device.Expr:
    """The expression as a scalar, in type `want` where given."""
    meaning = low.meaning(expr)
    if isinstance(meaning, Static):
        return _static(low, expr, meaning, want)
    built = _value(low, expr)
    return built if want is None else convert(built, want)


def condition(low: Lowering, expr: surface.Expr) -> device.Expr:
    """The expression as a bool."""
    return truth(value(low, expr))


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
    from transpiler.ir.walk import surface_walk

    parts = [low.typed.meanings.get(node) for node in surface_walk(expr) if isinstance(node, surface.Expr)]
    small = all(isinstance(m, Static) and isinstance(m.value, int) and abs(m.value) < 1 << 31 for m in parts)
    return small and any(isinstance(m, Static) and m.name for m in parts)


def _value(low: Lowering, expr: surface.Expr) -> device.Expr:
    match expr:
        case surface.Name():
            return _name(low, expr)
        case surface.Attribute():
            return _attribute(low, expr)
        case surface.Subscript():
            return _subscript(low, expr)
        case surface.Unary():
            return _unary(low, expr)
        case surface.Binary():
            return _binary(low, expr)
        case surface.Compare():
            return _compare(low, expr)
        case surface.BoolOp():
            return _bool_op(low, expr)
        case surface.IfExp():
            return _conditional(low, expr)
        case surface.Walrus():
            from transpiler.lower.statements import assign_name

            assign_name(low, expr.target, expr.value)
            return _name(low, expr.target)
        case surface.Call():
            from transpiler.lower.calls import call_value

            return call_value(low, expr)
    raise AssertionError(f"{type(expr).__name__} has no scalar value")


def _name(low: Lowering, name: surface.Name) -> device.Expr:
    if name.id in low.extents:
        return low.extents[name.id]
    place = low.places.get(name.id)
    if isinstance(place, device.Local | device.ScalarParam):
        return device.Var(place, type=place.type, span=name.span)
    meaning = low.meaning(name)
    assert isinstance(meaning, DimMeaning), f"`{name.id}` is no scalar"
    return device.DimRef(meaning.name, type=INDEX, span=name.span)


def _attribute(low: Lowering, expr: surface.Attribute) -> device.Expr:
    base = low.meaning(expr.value)
    if isinstance(base, ArrayMeaning):
        assert expr.attr == "size"
        return _size(low, expr)
    if isinstance(base, VectorType):
        return items(low, expr.value)["xyzw".index(expr.attr)]
    name = getattr(base, "name", "").removeprefix("transpiler.cuda.")
    if expr.attr == "laneid":
        return device.LaunchVar("laneid", 0, type=INDEX, span=expr.span)
    return device.LaunchVar(name, "xyz".index(expr.attr), type=INDEX, span=expr.span)


def _size(low: Lowering, expr: surface.Attribute) -> device.Expr:
    bound = binding(low, expr.value)
    total: device.Expr = index(1, expr.span)
    for axis in range(len(bound.axes)):
        extent = bound.extent(axis)
        first = isinstance(total, device.Const) and total.value == 1
        total = extent if first else device.Binary("*", total, extent, type=INDEX, span=expr.span)
    return total


# --- arrays -----------------------------------------------------------------------------------------------


def whole(array: device.Array) -> Binding:
    return Binding(array, tuple(device.Range(index(0, n.span), n, span=n.span) for n in array.shape))


def binding(low: Lowering, expr: surface.Expr) -> Binding:
    """The array or view that an expression stands for."""
    if isinstance(expr, surface.Name):
        place = low.places[expr.id]
        assert isinstance(place, Binding)
        return place
    assert isinstance(expr, surface.Subscript)
    return indexed(low, binding(low, expr.value), expr)


def indexed(low: Lowering, base: Binding, expr: surface.Subscript) -> Binding:
    """`base[items]`: indices are put in place of the ranges that are left."""
    axes = base.axes[: len(expr.items)]
    builders = [_item_builder(low, base, axis, item) for axis, item in zip(range(len(axes)), expr.items, strict=True)]
    scalars = low.operands([b for b in builders if b is not None], "index")
    result = list(base.items)
    sliced = set(base.sliced)
    position = 0
    for axis, item, builder in zip(axes, expr.items, builders, strict=True):
        current = base.items[axis]
        assert isinstance(current, device.Range)
        if builder is None:
            assert isinstance(item, surface.Slice)
            result[axis] = _cut(low, current, item)
            if item.start is not None or item.stop is not None or item.step is not None:
                sliced.add(axis)
            continue
        at = scalars[position]
        position += 1
        if axis in base.sliced:
            _within(low, at, current.length)
        result[axis] = add(current.start, times(at, current.step))
    return Binding(base.array, tuple(result), frozenset(sliced))


def _item_builder(low: Lowering, base: Binding, axis: int, item: surface.Expr) -> Callable[[], device.Expr] | None:
    if isinstance(item, surface.Slice):
        return None
    meaning = low.meaning(item)
    if isinstance(meaning, Static) and meaning.value < 0:
        extent = base.extent(axis)
        from_end = index(-int(meaning.value), item.span)
        if isinstance(extent, device.Const):
            return lambda: index(int(extent.value) + int(meaning.value), item.span)
        return lambda: device.Binary("-", extent, from_end, type=INDEX, span=item.span)
    return lambda: value(low, item, INDEX)


def _within(low: Lowering, at: device.Expr, length: device.Expr) -> None:
    """An index into a slice has to stay in the slice, not just in the array that it is cut from."""
    zero = index(0, at.span)
    inside = device.Logic(
        "and",
        device.Compare("<=", zero, at, type=BOOL, span=at.span),
        device.Compare("<", at, length, type=BOOL, span=at.span),
        type=BOOL,
        span=at.span,
    )
    low.emit(device.Assert(inside, "index outside the slice", span=at.span))


def _cut(low: Lowering, current: device.Range, item: surface.Slice) -> device.Range:
    """`[start:stop:step]` of a range, clipped to it as Python does."""
    if item.start is None and item.stop is None and item.step is None:
        return current
    length = current.length
    start = _bound(low, item.start, length, index(0, item.span))
    stop = _bound(low, item.stop, length, length)
    step = low.meaning(item.step) if item.step is not None else Static(1)
    assert isinstance(step, Static)
    count = device.Binary("-", stop, start, type=INDEX, span=item.span)
    if step.value != 1:
        rounded = add(count, index(int(step.value) - 1, item.span))
        count = device.Binary("//", rounded, index(int(step.value), item.span), type=INDEX, span=item.span)
    left = device.Binary("max", index(0, item.span), count, type=INDEX, span=item.span)
    return device.Range(
        add(current.start, times(start, current.step)),
        low.once(left, "length"),
        current.step * int(step.value),
        span=item.span,
    )


def _bound(low: Lowering, expr: surface.Expr | None, length: device.Expr, default: device.Expr) -> device.Expr:
    if expr is None:
        return default
    at = low.once(value(low, expr, INDEX), "bound")
    if isinstance(at, device.Const):
        if at.value == 0:
            return at
        if at.value < 0:
            at = device.Binary("+", length, at, type=INDEX, span=expr.span)
            return low.once(device.Binary("max", index(0, expr.span), at, type=INDEX, span=expr.span), "bound")
        return low.once(device.Binary("min", at, length, type=INDEX, span=expr.span), "bound")
    negative = device.Compare("<", at, index(0, expr.span), type=BOOL, span=expr.span)
    from_end = device.Binary("+", length, at, type=INDEX, span=expr.span)
    clipped = device.Binary("max", index(0, expr.span), from_end, type=INDEX, span=expr.span)
    within = device.Binary("min", at, length, type=INDEX, span=expr.span)
    return low.once(device.Select(negative, clipped, within, type=INDEX, span=expr.span), "bound")


def element(low: Lowering, expr: surface.Subscript) -> tuple[device.Array, tuple[device.Expr, ...]]:
    """The array and the full index tuple of an element."""
    bound = indexed(low, binding(low, expr.value), expr)
    indices = tuple(item for item in bound.items if isinstance(item, device.Expr))
    assert len(indices) == bound.array.rank, "not an element"
    return bound.array, indices


def _subscript(low: Lowering, expr: surface.Subscript) -> device.Expr:
    base = low.meaning(expr.value)
    if isinstance(base, ArrayMeaning):
        array, indices = element(low, expr)
        return device.Load(array, indices, type=array.dtype, span=expr.span)
    return _item_of(low, expr)[0]


# --- tuples and vectors -----------------------------------------------------------------------------------


def items(low: Lowering, expr: surface.Expr) -> list[device.Expr]:
    """The scalars that a tuple, a vector or a shape is made of, those of nested tuples in their place."""
    meaning = low.meaning(expr)
    match expr, meaning:
        case _, TupleMeaning() if _all_static(meaning):
            return [constant(m.value, m.type, expr.span, "", m.name) for m in _leaves(meaning)]
        case surface.TupleExpr(), _:
            return low.operands([b for e in expr.items for b in item_builders(low, e)], "item")
        case surface.Name(), _:
            return _place_items(low.places[expr.id], expr.span)
        case surface.Attribute(), ShapeOf():
            bound = binding(low, expr.value)
            return [bound.extent(axis) for axis in range(len(bound.axes))]
        case surface.Call(), _:
            from transpiler.lower.calls import call_items

            return call_items(low, expr)
        case surface.IfExp(), _:
            return _conditional_items(low, expr)
        case surface.Binary(), VectorType():
            return _vector_binary(low, expr, meaning)
        case surface.Unary(), VectorType():
            return [device.Unary(expr.op, item, type=item.type, span=expr.span) for item in items(low, expr.operand)]
        case surface.Subscript(), _:
            return _item_of(low, expr)
        case surface.Walrus(), _:
            from transpiler.lower.statements import assign_name

            assign_name(low, expr.target, expr.value)
            return _place_items(low.places[expr.target.id], expr.span)
    raise AssertionError(f"{type(expr).__name__} is no tuple")


def item_builders(low: Lowering, expr: surface.Expr) -> list[Callable[[], device.Expr]]:
    """Builders for the scalars of an expression, one for a scalar; the first one builds them all."""
    count = leaf_count(low.meaning(expr))
    if count is None:
        return [lambda: value(low, expr)]
    built: list[device.Expr] = []

    def build(position: int) -> device.Expr:
        if not built:
            built.extend(items(low, expr))
        return built[position]

    return [(lambda k=k: build(k)) for k in range(count)]


def leaf_count(meaning: Meaning) -> int | None:
    """How many scalars a value is made of; None for a scalar."""
    match meaning:
        case TupleMeaning():
            return sum(1 if (n := leaf_count(item)) is None else n for item in meaning.items)
        case VectorType():
            return meaning.size
        case ShapeOf():
            return meaning.array.rank
    return None


def scalar_types(meaning: Meaning | None) -> tuple[device.Scalar, ...]:
    """The types of the scalars that a value is made of; none for `None`."""
    match meaning:
        case None | NoneMeaning():
            return ()
        case TupleMeaning():
            return tuple(k for item in meaning.items for k in scalar_types(item))
        case VectorType():
            return (meaning.dtype,) * meaning.size
    return (_scalar(meaning),)


def _scalar(meaning: Meaning) -> device.Scalar:
    """The type of a number, literals settled."""
    found = type_of(meaning)
    settled = promotion.settle(found) if found is not None else None
    assert isinstance(settled, device.Scalar), f"{meaning} is no number"
    return settled


def _all_static(meaning: TupleMeaning) -> bool:
    return all(isinstance(m, Static) or (isinstance(m, TupleMeaning) and _all_static(m)) for m in meaning.items)


def _leaves(meaning: TupleMeaning) -> list[Static]:
    found: list[Static] = []
    for item in meaning.items:
        found += [item] if isinstance(item, Static) else _leaves(item) if isinstance(item, TupleMeaning) else []
    return found


def _place_items(place: Place, span: Span) -> list[device.Expr]:
    if isinstance(place, tuple):
        return [read for part in place for read in _place_items(part, span)]
    assert isinstance(place, device.Local | device.ScalarParam)
    return [device.Var(place, type=place.type, span=span)]


def _item_of(low: Lowering, expr: surface.Subscript) -> list[device.Expr]:
    """The scalars of `t[k]`, where the item is a tuple itself or a number."""
    base, known = low.meaning(expr.value), low.meaning(expr.items[0])
    assert isinstance(known, Static)
    counts = (
        [1 if (n := leaf_count(m)) is None else n for m in base.items]
        if isinstance(base, TupleMeaning)
        else [1] * (leaf_count(base) or 0)
    )
    position = range(len(counts))[int(known.value)]
    start = sum(counts[:position])
    return items(low, expr.value)[start : start + counts[position]]


def _conditional_items(low: Lowering, expr: surface.IfExp) -> list[device.Expr]:
    test = low.meaning(expr.test)
    if isinstance(test, Static):
        return items(low, expr.body if test.value else expr.orelse)
    kinds = scalar_types(low.meaning(expr))
    test_value = low.once(condition(low, expr.test), "chosen")
    results = [device.Local("item", kind, True, span=expr.span) for kind in kinds]
    arms: list[tuple[device.Stmt, ...]] = []
    for arm in (expr.body, expr.orelse):
        with low.block() as body:
            for local, item in zip(results, items(low, arm), strict=True):
                low.emit(device.Assign(local, convert(item, local.type), span=expr.span))
        arms.append(tuple(body))
    low.emit(device.If(test_value, arms[0], arms[1], span=expr.span))
    return [device.Var(local, type=local.type, span=expr.span) for local in results]


def _vector_binary(low: Lowering, expr: surface.Binary, vector: VectorType) -> list[device.Expr]:
    columns: list[list[device.Expr]] = []
    for side in (expr.left, expr.right):
        meaning = low.meaning(side)
        if isinstance(meaning, VectorType):
            columns.append(items(low, side))
        else:
            columns.append([low.once(value(low, side, vector.dtype), "scale")] * vector.size)
    return [arithmetic(low, expr.op, left, right, expr.span) for left, right in zip(*columns, strict=True)]


# --- operators --------------------------------------------------------------------------------------------


def _unary(low: Lowering, expr: surface.Unary) -> device.Expr:
    if expr.op == "not":
        return device.Unary("not", condition(low, expr.operand), type=BOOL, span=expr.span)
    operand = value(low, expr.operand, _scalar(low.meaning(expr)))
    return operand if expr.op == "+" else device.Unary(expr.op, operand, type=operand.type, span=expr.span)


def _binary(low: Lowering, expr: surface.Binary) -> device.Expr:
    a, b = type_of(low.meaning(expr.left)), type_of(low.meaning(expr.right))
    assert a is not None
    assert b is not None
    promoted = promotion.binary(expr.op, a, b)
    assert isinstance(promoted, promotion.Promoted)
    if expr.op == "**":
        return _power(low, expr, promoted.operand)
    left, right = low.operands(
        [lambda: value(low, expr.left, promoted.operand), lambda: value(low, expr.right, promoted.operand)]
    )
    return device.Binary(expr.op, left, right, type=left.type, span=expr.span)


def arithmetic(low: Lowering, op: str, left: device.Expr, right: device.Expr, span: Span) -> device.Expr:
    """`left op right` of built operands, promoted."""
    promoted = promotion.binary(op, left.type, right.type)
    assert isinstance(promoted, promotion.Promoted)
    if op == "**" and isinstance(right, device.Const):
        return power(low, convert(left, promoted.operand), right.value, promoted.operand, span)
    a, b = convert(left, promoted.operand), convert(right, promoted.operand)
    return device.Binary(op, a, b, type=a.type, span=span)


def _power(low: Lowering, expr: surface.Binary, kind: Type) -> device.Expr:
    exponent = low.meaning(expr.right)
    if isinstance(exponent, Static):
        return power(low, value(low, expr.left, kind), exponent.value, kind, expr.span)
    left, right = low.operands([lambda: value(low, expr.left, kind), lambda: value(low, expr.right, kind)])
    return device.Binary("**", left, right, type=left.type, span=expr.span)


def power(low: Lowering, base: device.Expr, exponent: int | float | bool, kind: Type, span: Span) -> device.Expr:
    """`base ** exponent` for a constant exponent: small whole ones are products."""
    if exponent == 1:
        return base
    if exponent in _EXPANDED_POWERS:
        factor = low.once(base, "base")
        result = factor
        for _ in range(int(exponent) - 1):
            result = device.Binary("*", result, factor, type=factor.type, span=span)
        return result
    return device.Binary("**", base, constant(exponent, kind, span), type=base.type, span=span)


Operand = device.Expr | surface.Expr
"""An operand of a comparison: built, or (a literal, which takes the other side's type) not yet."""


def _compare(low: Lowering, expr: surface.Compare) -> device.Expr:
    """A chain evaluates each operand once and stops at the first comparison that is false."""
    rights = list(expr.rights)
    sides = (expr.left, rights[0])
    built = low.operands([(lambda e=e: value(low, e)) for e in sides if not _is_literal(low, e)])
    pending = iter(built)
    left, right = (e if _is_literal(low, e) else next(pending) for e in sides)
    if len(rights) > 1:
        right = _kept(low, right)
    result = compare(low, expr.ops[0], left, right, expr.span)
    for position, op in enumerate(expr.ops[1:], start=1):
        previous, following = right, rights[position]
        with low.block() as body:
            right = following if _is_literal(low, following) else value(low, following)
            if position < len(rights) - 1:
                right = _kept(low, right)
            test = compare(low, op, previous, right, expr.span)
        result = _lazily(low, "and", result, test, tuple(body), expr.span)
    return result


def _is_literal(low: Lowering, expr: surface.Expr) -> bool:
    return isinstance(low.meaning(expr), Static)


def _kept(low: Lowering, operand: Operand) -> Operand:
    return low.once(operand, "middle") if isinstance(operand, device.Expr) else operand


def compare(low: Lowering, op: str, left: Operand, right: Operand, span: Span) -> device.Expr:
    """A comparison by value."""
    if isinstance(left, surface.Expr):
        left = _literal_beside(low, left, right)
    if isinstance(right, surface.Expr):
        right = _literal_beside(low, right, left)
    promoted = promotion.comparison(op, left.type, right.type)
    assert isinstance(promoted, promotion.Promoted)
    kind = promoted.operand
    mixed = isinstance(kind, DType) and kind.kind == "uint" and kind.bits == 64 and left.type != right.type
    if not mixed:
        left, right = convert(left, kind), convert(right, kind)
    return device.Compare(op, left, right, type=BOOL, span=span)


def _literal_beside(low: Lowering, expr: surface.Expr, other: Operand) -> device.Expr:
    """A literal in the type of the other side where it fits it; else an exact integer or a float of its own."""
    known = low.meaning(expr)
    assert isinstance(known, Static)
    if isinstance(known.value, bool) or isinstance(other, surface.Expr) or other.type == BOOL:
        return value(low, expr)
    kind = other.type
    if isinstance(known.value, float) and not (isinstance(kind, DType) and kind.is_float):
        return value(low, expr)
    return value(low, expr, kind if promotion.fits(known.value, kind) else INDEX)


def _lazily(
    low: Lowering, op: str, left: device.Expr, right: device.Expr, body: tuple[device.Stmt, ...], span: Span
) -> device.Expr:
    """`left op right` where evaluating `right` may need the statements in `body`."""
    if not body:
        return device.Logic(op, left, right, type=BOOL, span=span)
    result = device.Local("holds", BOOL, True, span=span)
    low.emit(device.Assign(result, left, span=span))
    read = device.Var(result, type=BOOL, span=span)
    test = read if op == "and" else device.Unary("not", read, type=BOOL, span=span)
    low.emit(device.If(test, (*body, device.Assign(result, right, span=span)), span=span))
    return read


def _bool_op(low: Lowering, expr: surface.BoolOp) -> device.Expr:
    kind = _scalar(low.meaning(expr))
    if kind != BOOL:
        return _value_of_bool_op(low, expr, kind)
    result = condition(low, expr.values[0])
    for operand in expr.values[1:]:
        with low.block() as body:
            following = condition(low, operand)
        result = _lazily(low, expr.op, result, following, tuple(body), expr.span)
    return result


def _value_of_bool_op(low: Lowering, expr: surface.BoolOp, kind: device.Scalar) -> device.Expr:
    """`a and b` of numbers is an operand, as in Python."""
    result = device.Local("operand", kind, True, span=expr.span)
    low.emit(device.Assign(result, value(low, expr.values[0], kind), span=expr.span))
    for operand in expr.values[1:]:
        read = device.Var(result, type=kind, span=expr.span)
        test = truth(read) if expr.op == "and" else device.Unary("not", truth(read), type=BOOL, span=expr.span)
        with low.block() as body:
            low.emit(device.Assign(result, value(low, operand, kind), span=expr.span))
        low.emit(device.If(test, tuple(body), span=expr.span))
    return device.Var(result, type=kind, span=expr.span)


def _conditional(low: Lowering, expr: surface.IfExp) -> device.Expr:
    test = low.meaning(expr.test)
    if isinstance(test, Static):
        return value(low, expr.body if test.value else expr.orelse)
    kind = _scalar(low.meaning(expr))
    chosen = condition(low, expr.test)
    with low.block() as then:
        body = value(low, expr.body, kind)
    with low.block() as other:
        orelse = value(low, expr.orelse, kind)
    if not then and not other:
        return device.Select(chosen, body, orelse, type=kind, span=expr.span)
    result = device.Local("chosen", kind, True, span=expr.span)
    arms = (
        (*then, device.Assign(result, body, span=expr.span)),
        (*other, device.Assign(result, orelse, span=expr.span)),
    )
    low.emit(device.If(chosen, *arms, span=expr.span))
    return device.Var(result, type=kind, span=expr.span)

"""Assignments: names, elements, tuples of targets, `op=`; arrays that get a name.

In: a surface assignment. Out: device statements in `low.out`, in Python's order: the value first, then the targets from left to
right. Non-goals: statements that only hold an assignment (`statements`).
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.check.meaning import (
    AllocCall,
    ArrayMeaning,
    DeviceRef,
    DTypeRef,
    Qualified,
    Static,
    VectorRef,
    type_of,
)
from transpiler.ir import device, surface
from transpiler.ir.types import INDEX, Type, VectorType
from transpiler.ir.walk import surface_walk, walk
from transpiler.lower.arrays import binding, element, whole
from transpiler.lower.calls import effect_call, has_effect
from transpiler.lower.context import Binding, Lowering, Place, disturbed, is_stable
from transpiler.lower.expressions import value
from transpiler.lower.operators import arithmetic
from transpiler.lower.tuples import item_builders, items, leaf_count
from transpiler.lower.values import convert
from transpiler.records import record
from transpiler.source import Span


def assign(low: Lowering, stmt: surface.Assign) -> None:
    first = stmt.targets[0]
    if len(stmt.targets) > 1:
        _assign_chain(low, stmt)
    elif isinstance(first, surface.TupleExpr):
        _assign_leaves(low, _pairs(low, first, stmt.value))
    else:
        assign_target(low, first, stmt.value)


def _assign_chain(low: Lowering, stmt: surface.Assign) -> None:
    """`x = y = value`: the value is computed once; each target converts it."""
    meaning = low.meaning(stmt.value)
    if isinstance(meaning, Static):
        for target in stmt.targets:
            assign_target(low, target, stmt.value)
        return
    if isinstance(meaning, DTypeRef | DeviceRef | Qualified | VectorRef):
        return  # names of something known at compile time, looked up where they are used
    if isinstance(meaning, ArrayMeaning):
        names = [target for target in stmt.targets if isinstance(target, surface.Name)]
        assign_name(low, names[0], stmt.value)
        low.places |= {name.id: low.places[names[0].id] for name in names}
        return
    if leaf_count(meaning) is None:
        values = [low.once(value(low, stmt.value), "value")]
    else:
        values = [low.once(v, "item") for v in items(low, stmt.value)]
    held = [v if is_stable(v) else low.temp("item", v) for v in values]
    for target in stmt.targets:
        for leaf, item in zip(_leaf_targets(low, target), held, strict=True):
            assign_built(low, leaf, item)


def assign_target(low: Lowering, target: surface.Expr, expr: surface.Expr) -> None:
    if isinstance(target, surface.Name):
        assign_name(low, target, expr)
    else:
        assert isinstance(target, surface.Subscript)
        _store_value(low, target, expr)


Leaf = device.Local | surface.Subscript
"""What a scalar can be assigned to."""


@record
class _Pair:
    """One scalar of a tuple assignment: where it goes, and what builds it."""

    target: Leaf
    build: Callable[[], device.Expr]


def _pairs(low: Lowering, target: surface.Expr, source: surface.Expr) -> list[_Pair]:
    """`(a, b), c = x, y` taken apart; names of arrays and of compile-time values are bound on the way."""
    if isinstance(target, surface.TupleExpr) and isinstance(source, surface.TupleExpr):
        parts = zip(target.items, source.items, strict=True)
        return [pair for part, expr in parts for pair in _pairs(low, part, expr)]
    if isinstance(target, surface.Name) and not isinstance(low.places.get(target.id), device.Local | tuple):
        assign_name(low, target, source)
        return []
    leaves = _leaf_targets(low, target)
    if leaf_count(low.meaning(source)) is None:
        return [_Pair(leaf, lambda leaf=leaf: value(low, source, _held(low, leaf))) for leaf in leaves]
    return [_Pair(leaf, build) for leaf, build in zip(leaves, item_builders(low, source), strict=True)]


def _leaf_targets(low: Lowering, target: surface.Expr) -> list[Leaf]:
    match target:
        case surface.TupleExpr():
            return [leaf for part in target.items for leaf in _leaf_targets(low, part)]
        case surface.Name():
            return _locals_of(low.places.get(target.id))
    assert isinstance(target, surface.Subscript)
    return [target]


def _locals_of(place: Place | None) -> list[Leaf]:
    if isinstance(place, tuple):
        return [leaf for part in place for leaf in _locals_of(part)]
    return [place] if isinstance(place, device.Local) else []


def _held(low: Lowering, leaf: Leaf) -> Type:
    """The type that a target holds."""
    if isinstance(leaf, device.Local):
        return leaf.type
    found = type_of(low.meaning(leaf))
    assert found is not None
    return found


def _assign_leaves(low: Lowering, pairs: list[_Pair]) -> None:
    """All values first, then the targets from left to right: a value waits in a temporary where a target could change it."""
    values = low.operands([pair.build for pair in pairs], "item")
    for position, pair in enumerate(pairs):
        changed = _changed_by(low, pair.target)
        for later in range(position + 1, len(values)):
            if _depends(values[later], changed, not isinstance(pair.target, device.Local)):
                values[later] = low.temp("item", values[later])
        assign_built(low, pair.target, values[position])


def _changed_by(low: Lowering, leaf: Leaf) -> set[device.Local]:
    """The locals that an assignment to this target changes: itself, or those of a walrus in its index."""
    if isinstance(leaf, device.Local):
        return {leaf}
    names = [node.target.id for node in surface_walk(leaf) if isinstance(node, surface.Walrus)]
    places = (low.places.get(name) for name in names)
    return {place for place in places if isinstance(place, device.Local)}


def _depends(expr: device.Expr, changed: set[device.Local], stored: bool) -> bool:
    for node in walk(expr):
        if isinstance(node, device.Var) and node.var in changed:
            return True
        if stored and isinstance(node, device.Load | device.Call):
            return True
    return False


def assign_name(low: Lowering, name: surface.Name, expr: surface.Expr) -> None:
    """`name = expr`: an allocation, a view, an alias, a tuple or a scalar."""
    meaning = low.meaning(expr)
    if isinstance(meaning, ArrayMeaning):
        _bind_array(low, name, expr)
        return
    if leaf_count(meaning) is not None:
        if isinstance(low.places.get(name.id), tuple):
            _assign_leaves(low, _pairs(low, name, expr))
        return
    local = low.places.get(name.id)
    if not isinstance(local, device.Local):
        return  # a compile-time alias, or a constant that is named where it is used
    if isinstance(expr, surface.Call) and has_effect(low, expr):
        _assign_effect(low, local, expr)
        return
    low.emit(device.Assign(local, value(low, expr, local.type), span=name.span.to(expr.span)))


def _assign_effect(low: Lowering, local: device.Local, call: surface.Call) -> None:
    """`old = cuda.atomic.add(...)` needs no temporary where the types agree."""
    found = type_of(low.meaning(call))
    if found == local.type:
        effect_call(low, call, (local,))
        return
    result = effect_call(low, call, ())[0]
    low.emit(device.Assign(local, convert(result, local.type), span=call.span))


def assign_built(low: Lowering, target: Leaf, built: device.Expr) -> None:
    """Assign a built value to a local or an element."""
    if isinstance(target, device.Local):
        low.emit(device.Assign(target, convert(built, target.type), span=built.span))
        return
    _store(low, target, built, target.span)


def _store_value(low: Lowering, target: surface.Subscript, expr: surface.Expr) -> None:
    _store(low, target, value(low, expr, type_of(low.meaning(target))), target.span.to(expr.span))


def _store(low: Lowering, target: surface.Subscript, built: device.Expr, span: Span) -> None:
    """`a[i] = value`: Python evaluates the value first, then the index."""
    after = len(low.out)
    array, indices = element(low, target)
    if disturbed(built, tuple(low.out[after:])):
        local = device.Local("value", built.type, True, span=built.span)
        low.out.insert(after, device.Assign(local, built, span=built.span))
        built = device.Var(local, type=local.type, span=built.span)
    low.emit(device.Store(array, indices, convert(built, array.dtype), span=span))


def augmented(low: Lowering, stmt: surface.AugAssign) -> None:
    if isinstance(stmt.target, surface.Name):
        _augmented_name(low, stmt, stmt.target)
        return
    assert isinstance(stmt.target, surface.Subscript)
    array, indices = element(low, stmt.target)
    indices = tuple(i if _repeatable(i) else low.temp("index", i) for i in indices)
    load = device.Load(array, indices, type=array.dtype, span=stmt.target.span)
    left, result = _combine(low, stmt, load)
    augmented = stmt.op if left is load and isinstance(result, device.Binary) and result.left is load else None
    low.emit(device.Store(array, indices, convert(result, array.dtype), augmented, span=stmt.span))


def _repeatable(expr: device.Expr) -> bool:
    return not any(isinstance(n, device.Load | device.Call) for n in walk(expr))


def _combine(low: Lowering, stmt: surface.AugAssign, old: device.Expr) -> tuple[device.Expr, device.Expr]:
    """`old op value`: the old value is loaded before the right side is evaluated."""
    known = low.meaning(stmt.value)
    kind = old.type if isinstance(known, Static) and _takes(old.type, known) else None
    left, right = low.operands([lambda: old, lambda: value(low, stmt.value, kind)], "old")
    return left, arithmetic(low, stmt.op, left, right, stmt.span)


def _takes(kind: Type, known: Static) -> bool:
    from transpiler.check.promotion import fits, is_float

    return (
        (not isinstance(known.value, float) or is_float(kind))
        and not isinstance(known.value, bool)
        and fits(known.value, kind)
    )


def _augmented_name(low: Lowering, stmt: surface.AugAssign, name: surface.Name) -> None:
    place = low.places[name.id]
    if isinstance(place, tuple):
        _augmented_vector(low, stmt, place)
        return
    assert isinstance(place, device.Local)
    _, result = _combine(low, stmt, device.Var(place, type=place.type, span=name.span))
    low.emit(device.Assign(place, convert(result, place.type), span=stmt.span))


def _augmented_vector(low: Lowering, stmt: surface.AugAssign, place: tuple) -> None:
    known = low.meaning(stmt.value)
    size = len(place)
    values = (
        items(low, stmt.value)
        if isinstance(known, VectorType)
        else [low.once(value(low, stmt.value, place[0].type), "scale")] * size
    )
    for local, item in zip(place, values, strict=True):
        old = device.Var(local, type=local.type, span=stmt.span)
        low.emit(
            device.Assign(local, convert(arithmetic(low, stmt.op, old, item, stmt.span), local.type), span=stmt.span)
        )


def _bind_array(low: Lowering, name: surface.Name, expr: surface.Expr) -> None:
    call = low.typed.calls.get(expr) if isinstance(expr, surface.Call) else None
    if isinstance(call, AllocCall):
        low.places[name.id] = whole(_allocate(low, name, call))
        if call.fill is not None:
            _fill(low, name, call)
        return
    bound = binding(low, expr)
    fixed = tuple(i if isinstance(i, device.Range) or is_stable(i) else low.temp("row", i) for i in bound.items)
    low.places[name.id] = Binding(bound.array, fixed, bound.sliced)


def _allocate(low: Lowering, name: surface.Name, call: AllocCall) -> device.Array:
    array, span = call.array, name.span
    shape = _shape(low, call, span)
    built: device.SharedArray | device.LocalArray | device.ConstArray
    if array.space == "const":
        built = device.ConstArray(name.id, array.dtype, shape, call.values, span=span)
    elif array.space == "local":
        built = device.LocalArray(name.id, array.dtype, shape, span=span)
    else:
        built = device.SharedArray(name.id, array.dtype, shape, span=span)
    low.arrays.append(built)
    return built


def _shape(low: Lowering, call: AllocCall, span: Span) -> tuple[device.Expr, ...]:
    """The extents: constants by their name where they have one, others as the launch computes them."""
    if len(call.shape) != len(set(call.shape)) or len(call.shape) != call.array.rank:
        return tuple(device.Const(e, type=INDEX, span=span) for e in call.array.shape if isinstance(e, int))
    shape: list[device.Expr] = []
    for expr in call.shape:
        known = low.meaning(expr)
        if isinstance(known, Static):
            shape.append(device.Const(int(known.value), "", known.name, type=INDEX, span=span))
        else:
            shape.append(value(low, expr, INDEX))
    return tuple(shape)


def _fill(low: Lowering, name: surface.Name, call: AllocCall) -> None:
    """`fill=`: a thread fills its local array; the threads of a block share the work for a shared one and then meet."""
    from transpiler.lower.loops import fill_local, fill_shared

    bound = low.places[name.id]
    assert isinstance(bound, Binding)
    assert call.fill is not None
    array = bound.array
    item = value(low, call.fill, array.dtype)
    (fill_shared if isinstance(array, device.SharedArray) else fill_local)(low, array, item)

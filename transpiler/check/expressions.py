"""Types of expressions.

In: a surface expression and its `Context`. Out: its `Meaning`, also written to the table; None where it is unknown (not yet, or
after an error, which was reported). Non-goals: calls (`calls`), statements (`statements`).
"""

from __future__ import annotations

from transpiler.check import promotion
from transpiler.check.constants import fold_binary, fold_compare, fold_unary
from transpiler.check.context import Context
from transpiler.check.meaning import (
    ArrayMeaning,
    DimMeaning,
    DTypeRef,
    Meaning,
    NoneMeaning,
    Qualified,
    ShapeOf,
    Static,
    Text,
    TupleMeaning,
    type_of,
)
from transpiler.diagnostics import Label
from transpiler.ir import surface
from transpiler.ir.types import BOOL, INDEX, DType, Type, VectorType

LAUNCH_VARIABLES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
AXES = "xyz"


def infer(ctx: Context, expr: surface.Expr) -> Meaning | None:
    """The meaning of an expression, recorded in the table."""
    meaning = _infer(ctx, expr)
    if meaning is not None:
        ctx.typed.meanings[expr] = meaning
    return meaning


def infer_number(ctx: Context, expr: surface.Expr, what: str) -> Type | None:
    """The type of an expression that has to be a number; reports what else it is."""
    meaning = infer(ctx, expr)
    if meaning is None:
        return None
    value = type_of(meaning)
    if value is None or not promotion.is_number(value):
        ctx.report("E0204", expr.span, f"{what} has to be a number, not {describe(meaning)}")
        return None
    return value


def infer_index(ctx: Context, expr: surface.Expr, what: str) -> Type | None:
    """The type of an expression that has to be an integer."""
    value = infer_number(ctx, expr, what)
    if value is not None and not promotion.is_int(value):
        ctx.report(
            "E0204",
            expr.span,
            f"{what} has to be an integer, not {value}",
            "cast with `i32(...)` where truncation is meant",
        )
        return None
    return value


def infer_condition(ctx: Context, expr: surface.Expr) -> Meaning | None:
    """The meaning of a condition: a bool, or a number that is compared with 0."""
    meaning = infer(ctx, expr)
    if isinstance(meaning, ArrayMeaning | TupleMeaning | ShapeOf):
        ctx.report(
            "E0223", expr.span, f"{describe(meaning)} has no truth value", "compare an element, or use `len(...)`"
        )
        return None
    if meaning is not None and not isinstance(meaning, NoneMeaning) and type_of(meaning) is None:
        ctx.report("E0223", expr.span, f"{describe(meaning)} has no truth value")
        return None
    return meaning


def describe(meaning: Meaning | None) -> str:
    """What a user would call this meaning."""
    match meaning:
        case ArrayMeaning():
            return f"the {meaning.rank}-d array `{meaning.name}`"
        case Static():
            return f"the number {meaning.value}"
        case Text():
            return "a string"
        case DTypeRef():
            return f"the dtype {meaning.dtype}"
        case Qualified():
            return f"`{meaning.name.removeprefix('builtins.').removeprefix('transpiler.')}`"
        case TupleMeaning():
            return f"a tuple of {len(meaning.items)}"
        case NoneMeaning():
            return "None"
        case DimMeaning():
            return f"the dim {meaning.name}"
        case ShapeOf():
            return f"the shape of `{meaning.array.name}`"
    value = type_of(meaning)
    return str(value) if value is not None else "a function"


def _infer(ctx: Context, expr: surface.Expr) -> Meaning | None:
    match expr:
        case surface.Int() | surface.Float() | surface.Bool():
            return Static(expr.value)
        case surface.Str():
            return Text(expr.value)
        case surface.NoneLiteral():
            return NoneMeaning()
        case surface.Name():
            return ctx.lookup(expr)
        case surface.Attribute():
            return _attribute(ctx, expr)
        case surface.Subscript():
            return subscript(ctx, expr)
        case surface.Unary():
            return _unary(ctx, expr)
        case surface.Binary():
            return _binary(ctx, expr)
        case surface.Compare():
            return _compare(ctx, expr)
        case surface.BoolOp():
            return _bool_op(ctx, expr)
        case surface.IfExp():
            return _conditional(ctx, expr)
        case surface.TupleExpr():
            items = tuple(infer(ctx, item) for item in expr.items)
            return None if None in items else TupleMeaning(items)  # type: ignore[arg-type]
        case surface.Walrus():
            from transpiler.check.statements import bind

            meaning = infer(ctx, expr.value)
            bind(ctx, expr.target, meaning, expr.value)
            return ctx.typed.locals.get(expr.target.id)
        case surface.Call():
            from transpiler.check.calls import infer_call

            return infer_call(ctx, expr)
        case surface.FString():
            ctx.report("E0230", expr.span, "a string can stand only in `print`, `assert` and `trust`")
        case surface.ListExpr() | surface.DictExpr():
            ctx.report(
                "E0204", expr.span, "lists and dicts are not part of the language", "use a tuple, or `cuda.local.array`"
            )
        case surface.Slice() | surface.EllipsisLiteral():
            ctx.report("E0235", expr.span, "`...` and slices stand only between the brackets of an array")
    return None


# --- operators --------------------------------------------------------------------------------------------


def _unary(ctx: Context, expr: surface.Unary) -> Meaning | None:
    if expr.op == "not":
        meaning = infer_condition(ctx, expr.operand)
        if isinstance(meaning, NoneMeaning):
            return Static(True)
        if isinstance(meaning, Static):
            return Static(not meaning.value)
        return None if meaning is None else BOOL
    operand = infer(ctx, expr.operand)
    if isinstance(operand, Static):
        folded = fold_unary(expr.op, operand.value)
        if isinstance(folded, str):
            ctx.report("E0224", expr.span, folded, "use `not`" if "True" in folded else None)
            return None
        return Static(folded)
    value = infer_number(ctx, expr.operand, f"the operand of `{expr.op}`")
    if value is None:
        return None
    if expr.op == "~":
        if value == BOOL:
            ctx.report("E0224", expr.span, "`~` on a bool is -1 or -2 in Python", "use `not`")
            return None
        if not promotion.is_int(value):
            ctx.report("E0204", expr.span, f"`~` works on integers, not on {value}")
            return None
        return value
    promoted = promotion.arithmetic_type(value, value)
    assert isinstance(promoted, promotion.Promoted)
    if expr.op == "-" and isinstance(value, DType) and value.kind == "uint":
        ctx.report("W0209", expr.span, f"`-` on {value} wraps to a large number", "cast to a signed type first")
    return promoted.result


def _binary(ctx: Context, expr: surface.Binary) -> Meaning | None:
    left, right = infer(ctx, expr.left), infer(ctx, expr.right)
    if left is None or right is None:
        return None
    if isinstance(left, Static) and isinstance(right, Static):
        folded = fold_binary(expr.op, left.value, right.value)
        if isinstance(folded, str):
            code = "E0503" if folded.startswith("division") else "E0204"
            ctx.report(code, expr.span, f"this expression has no value: {folded}")
            return None
        return Static(folded)
    a, b = type_of(left), type_of(right)
    if a is None or b is None:
        ctx.report(
            "E0204",
            expr.span,
            f"`{expr.op}` needs numbers, not {describe(left)} and {describe(right)}",
            _array_help(left, right),
        )
        return None
    if isinstance(a, VectorType) or isinstance(b, VectorType):
        return _vector_binary(ctx, expr, a, b)
    return binary_type(ctx, expr.span, expr.op, left, right)


def _array_help(*operands: Meaning) -> str | None:
    if any(isinstance(m, ArrayMeaning) for m in operands):
        return "one thread works on one element: index the array"
    return None


def _vector_binary(ctx: Context, expr: surface.Binary, a: Type, b: Type) -> Meaning | None:
    size = a.size if isinstance(a, VectorType) else b.size  # type: ignore[union-attr]
    if isinstance(a, VectorType) and isinstance(b, VectorType) and a.size != b.size:
        ctx.report("E0204", expr.span, f"`{expr.op}` on vectors of {a.size} and {b.size} items")
        return None
    left = a.dtype if isinstance(a, VectorType) else a
    right = b.dtype if isinstance(b, VectorType) else b
    item = binary_type(ctx, expr.span, expr.op, left, right)
    value = promotion.settle(item) if item is not None and not isinstance(item, Static) else None  # type: ignore[arg-type]
    return VectorType(value, size) if isinstance(value, DType) else None


def binary_type(ctx: Context, span: surface.Span, op: str, left: Meaning, right: Meaning) -> Type | None:
    """The result type of `left op right`, with every refusal and warning that the operator knows."""
    a, b = type_of(left), type_of(right)
    assert a is not None and b is not None
    promoted = promotion.binary(op, a, b)
    if isinstance(promoted, promotion.Refusal):
        ctx.report("E0204", span, promoted.reason, promoted.help)
        return None
    if not _literals_fit(ctx, span, promoted.operand, left, right):
        return None
    _warn_mixed(ctx, span, op, promoted, a, b)
    if op == "**":
        return _power(ctx, span, promoted, right)
    if op == "-" and isinstance(promoted.result, DType) and promoted.result.kind == "uint":
        ctx.report(
            "W0209",
            span,
            f"a difference of {promoted.result} wraps where it is negative in Python",
            "cast to a signed type where it may be below zero",
        )
    if op in ("/", "//", "%") and isinstance(right, Static) and right.value == 0 and promotion.is_int(promoted.operand):
        ctx.report("E0503", span, "division by zero")
        return None
    return promoted.result


def _literals_fit(ctx: Context, span: surface.Span, target: Type, *operands: Meaning) -> bool:
    for operand in operands:
        if (
            isinstance(operand, Static)
            and not isinstance(operand.value, bool)
            and not promotion.fits(operand.value, target)
        ):
            if isinstance(operand.value, float) and not isinstance(target, DType):
                continue
            ctx.report(
                "E0208",
                span,
                f"the number {operand.value} does not fit {target}",
                f"cast the other operand to a wider type than {target}",
            )
            return False
    return True


def _warn_mixed(ctx: Context, span: surface.Span, op: str, promoted: promotion.Promoted, a: Type, b: Type) -> None:
    words = {
        "W0201": f"`/` of two integers gives {promoted.result} here; Python gives a float64: cast to f64 for that",
        "W0202": f"an integer meets {promoted.operand}: the integer is converted, and rounded above 2**24 (f32) or 2**53 (f64)",
        "W0203": "f32 meets f64: the operation is done in f64",
    }
    for code in promoted.warnings:
        ctx.report(code, span, words[code], "cast one operand to say what is meant")


def _power(ctx: Context, span: surface.Span, promoted: promotion.Promoted, right: Meaning) -> Type | None:
    if promotion.is_int(promoted.result) and isinstance(right, Static) and right.value < 0:
        ctx.report("E0228", span, "an integer to a negative power is a float in Python", "make the base a float")
        return None
    if promotion.is_float(promoted.result) and isinstance(right, Static) and right.value == 0.5:
        ctx.report(
            "W0210", span, "`x ** 0.5` calls `pow`", "write `math.sqrt(x)`, which is faster and correctly rounded"
        )
    return promoted.result


def _compare(ctx: Context, expr: surface.Compare) -> Meaning | None:
    operands = [infer(ctx, expr.left), *(infer(ctx, right) for right in expr.rights)]
    if any(op in ("in", "not in") for op in expr.ops):
        ctx.report("E0225", expr.span, "`in` is not part of the language", "compare with each value")
        return None
    if any(op in ("is", "is not") for op in expr.ops):
        return _identity(ctx, expr, operands)
    if None in operands:
        return None
    if all(isinstance(m, Static) for m in operands):
        values = [m.value for m in operands if isinstance(m, Static)]
        return Static(all(fold_compare(op, a, b) for op, a, b in zip(expr.ops, values, values[1:], strict=False)))
    for op, left, right in zip(expr.ops, operands, operands[1:], strict=False):
        assert left is not None and right is not None
        if not _comparable(ctx, expr.span, op, left, right):
            return None
    return BOOL


def _comparable(ctx: Context, span: surface.Span, op: str, left: Meaning, right: Meaning) -> bool:
    a, b = type_of(left), type_of(right)
    if a is None or b is None:
        ctx.report(
            "E0204",
            span,
            f"`{op}` compares numbers, not {describe(left)} with {describe(right)}",
            _array_help(left, right),
        )
        return False
    promoted = promotion.comparison(op, a, b)
    if isinstance(promoted, promotion.Refusal):
        ctx.report("E0204", span, promoted.reason, promoted.help)
        return False
    _warn_mixed(ctx, span, op, promoted, a, b)
    return True


def _identity(ctx: Context, expr: surface.Compare, operands: list[Meaning | None]) -> Meaning | None:
    """`x is None`, decided at compile time; `is` on anything else has no meaning on a device."""
    if len(operands) == 2 and None not in operands and NoneMeaning() in operands:
        same = operands[0] == operands[1]
        return Static(same if expr.ops[0] == "is" else not same)
    if None not in operands:
        ctx.report("E0225", expr.span, "`is` compares identities, which numbers do not have", "write `==`")
    return None


def _bool_op(ctx: Context, expr: surface.BoolOp) -> Meaning | None:
    meanings = [infer_condition(ctx, value) for value in expr.values]
    if None in meanings:
        return None
    statics = [m for m in meanings if isinstance(m, Static)]
    if len(statics) == len(meanings):
        values = [m.value for m in statics]
        decisive = [v for v in values if bool(v) == (expr.op == "or")]
        return Static(decisive[0] if decisive else values[-1])
    if all(_is_truth(m) for m in meanings):
        return BOOL
    return _joined(ctx, expr.span, meanings, expr.values, f"the operands of `{expr.op}`")


def _is_truth(meaning: Meaning | None) -> bool:
    return type_of(meaning) == BOOL


def _joined(
    ctx: Context, span: surface.Span, meanings: list[Meaning | None], exprs: tuple[surface.Expr, ...], what: str
) -> Meaning | None:
    if all(isinstance(m, TupleMeaning) for m in meanings):
        return _joined_tuples(ctx, span, meanings, what)
    result: Type | None = None
    for meaning, expr in zip(meanings, exprs, strict=True):
        value = type_of(meaning)
        if value is None:
            ctx.report("E0204", expr.span, f"{what} have to be numbers, not {describe(meaning)}")
            return None
        joined = value if result is None else promotion.join(result, value)
        if isinstance(joined, promotion.Refusal):
            labels = tuple(Label(e.span, describe(m)) for m, e in zip(meanings, exprs, strict=True))
            ctx.report("E0203", span, f"{what} have different types: {joined.reason}", joined.help, labels)
            return None
        result = joined
    return result


def _joined_tuples(ctx: Context, span: surface.Span, meanings: list[Meaning | None], what: str) -> Meaning | None:
    tuples = [m.items for m in meanings if isinstance(m, TupleMeaning)]
    if len({len(items) for items in tuples}) != 1:
        ctx.report("E0203", span, f"{what} are tuples of different lengths")
        return None
    items: list[Meaning] = []
    for column in zip(*tuples, strict=True):
        types = [type_of(item) for item in column]
        joined = types[0]
        for value in types[1:]:
            both = promotion.join(joined, value) if joined is not None and value is not None else None
            if both is None or isinstance(both, promotion.Refusal):
                ctx.report("E0203", span, f"{what} have items of different types")
                return None
            joined = both
        assert joined is not None
        items.append(joined)
    return TupleMeaning(tuple(items))


def _conditional(ctx: Context, expr: surface.IfExp) -> Meaning | None:
    test = infer_condition(ctx, expr.test)
    if isinstance(test, Static | NoneMeaning):
        taken = expr.body if isinstance(test, Static) and test.value else expr.orelse
        return infer(ctx, taken)
    arms = [infer(ctx, expr.body), infer(ctx, expr.orelse)]
    if test is None or None in arms:
        return None
    if arms[0] == arms[1] and isinstance(arms[0], Static):
        return arms[0].type
    return _joined(ctx, expr.span, arms, (expr.body, expr.orelse), "the arms of this conditional expression")


# --- attributes and subscripts ----------------------------------------------------------------------------


def _attribute(ctx: Context, expr: surface.Attribute) -> Meaning | None:
    base = infer(ctx, expr.value)
    match base:
        case Qualified():
            return _qualified_attribute(ctx, expr, base)
        case ArrayMeaning():
            return _array_attribute(ctx, expr, base)
        case VectorType():
            if expr.attr in "xyzw"[: base.size] and len(expr.attr) == 1:
                return base.dtype
            ctx.report("E0234", expr.span, f"{base} has no attribute `{expr.attr}`")
        case None:
            pass
        case _:
            ctx.report("E0234", expr.span, f"{describe(base)} has no attribute `{expr.attr}`")
    return None


def _qualified_attribute(ctx: Context, expr: surface.Attribute, base: Qualified) -> Meaning | None:
    parent = base.name.removeprefix("transpiler.cuda.")
    if parent in LAUNCH_VARIABLES:
        if expr.attr in AXES and len(expr.attr) == 1:
            ctx.typed.axes = max(ctx.typed.axes, AXES.index(expr.attr) + 1)
            return INDEX
        ctx.report("E0234", expr.span, f"`cuda.{parent}` has the attributes x, y and z")
        return None
    meaning = ctx.qualified(f"{base.name}.{expr.attr}")
    if meaning == Qualified("transpiler.cuda.laneid"):
        return INDEX
    return meaning


def _array_attribute(ctx: Context, expr: surface.Attribute, array: ArrayMeaning) -> Meaning | None:
    match expr.attr:
        case "shape":
            return ShapeOf(array)
        case "size":
            return INDEX
        case "ndim":
            return Static(array.rank)
        case "dtype":
            return DTypeRef(array.dtype)
    ctx.report(
        "E0229",
        expr.span,
        f"arrays in a kernel have no `{expr.attr}`",
        "they have shape, size, ndim, dtype and elements",
    )
    return None


def subscript(ctx: Context, expr: surface.Subscript) -> Meaning | None:
    """`a[i, j]` (an element), `a[i]`, `a[1:n]` (views), `t[0]` of a tuple, `a.shape[k]`."""
    base = infer(ctx, expr.value)
    match base:
        case ArrayMeaning():
            return _index_array(ctx, expr, base)
        case ShapeOf():
            return _constant_item(
                ctx,
                expr,
                base.array.rank,
                tuple(
                    n if isinstance(n, DimMeaning) else Static(n) if n is not None else INDEX for n in base.array.shape
                ),
            )
        case TupleMeaning():
            return _constant_item(ctx, expr, len(base.items), base.items)
        case VectorType():
            return _constant_item(ctx, expr, base.size, (base.dtype,) * base.size)
        case None:
            for item in expr.items:
                infer(ctx, item) if not isinstance(item, surface.Slice) else None
            return None
    ctx.report("E0212", expr.span, f"{describe(base)} cannot be indexed")
    return None


def _constant_item(ctx: Context, expr: surface.Subscript, count: int, items: tuple[Meaning, ...]) -> Meaning | None:
    index = infer(ctx, expr.items[0]) if len(expr.items) == 1 else None
    if not isinstance(index, Static) or isinstance(index.value, float):
        ctx.report(
            "E0212",
            expr.span,
            "the index has to be an integer known at compile time",
            "use `cuda.local.array` for a run-time index",
        )
        return None
    if not -count <= index.value < count:
        ctx.report("E0212", expr.span, f"index {index.value} of {count} items")
        return None
    return items[index.value]


def _index_array(ctx: Context, expr: surface.Subscript, array: ArrayMeaning) -> Meaning | None:
    if len(expr.items) > array.rank:
        ctx.report("E0211", expr.span, f"{len(expr.items)} indices on {describe(array)}")
        return None
    shape: list[int | DimMeaning | None] = []
    known = True
    for item, extent in zip(expr.items, array.shape, strict=False):
        if isinstance(item, surface.Slice):
            known = _slice(ctx, item) and known
            shape.append(None)
        else:
            known = _index_item(ctx, item, extent) and known
    shape.extend(array.shape[len(expr.items) :])
    if not known:
        return None
    if not shape:
        return array.dtype
    return _view(ctx, expr, array, tuple(shape))


def _view(
    ctx: Context, expr: surface.Subscript, array: ArrayMeaning, shape: tuple[int | DimMeaning | None, ...]
) -> ArrayMeaning:
    view = ctx.views.get(expr)
    if view is None or view.owner is not array.owner:
        view = ArrayMeaning(array.name, array.dtype, shape, array.space, array.ownership, expr, array.owner)
        ctx.views[expr] = view
    return view


def _index_item(ctx: Context, item: surface.Expr, extent: int | DimMeaning | None) -> bool:
    if isinstance(item, surface.EllipsisLiteral | surface.NoneLiteral):
        ctx.report(
            "E0235", item.span, "`...` and `None` in an index are not part of the language", "write the indices out"
        )
        return False
    meaning = infer(ctx, item)
    if isinstance(meaning, ArrayMeaning) or type_of(meaning) == BOOL:
        ctx.report("E0235", item.span, "an index is an integer, not an array or a bool", "loop over the elements")
        return False
    if infer_index(ctx, item, "an index") is None:
        return False
    if isinstance(meaning, Static) and isinstance(extent, int) and not -extent <= meaning.value < extent:
        ctx.report("E0501", item.span, f"index {meaning.value} is outside the extent {extent}")
        return False
    return True


def _slice(ctx: Context, item: surface.Slice) -> bool:
    known = True
    for bound in (item.start, item.stop):
        known = (bound is None or infer_index(ctx, bound, "a bound of a slice") is not None) and known
    if item.step is None:
        return known
    step = infer(ctx, item.step)
    if step is None:
        return False
    if not isinstance(step, Static) or not isinstance(step.value, int) or step.value < 1:
        ctx.report("E0235", item.span, "the step of a slice has to be a positive constant")
        return False
    return known


# --- module constants -------------------------------------------------------------------------------------


def fold_module_constant(module: surface.Module, definition: surface.ConstantDef, depth: int = 0) -> Meaning | None:
    """The value of `NAME = expression` at module level without running the file, or None."""
    value = fold_static(module, definition.value, depth)
    if isinstance(value, Static):
        return Static(value.value, definition.name)
    return value


def fold_static(module: surface.Module, expr: surface.Expr, depth: int = 0) -> Meaning | None:
    """A number, a tuple or a dtype that an expression over module-level names stands for, or None."""
    if depth > 50:
        return None
    match expr:
        case surface.Int() | surface.Float() | surface.Bool():
            return Static(expr.value)
        case surface.Name():
            return _fold_name(module, expr, depth)
        case surface.Attribute(value=surface.Name(id=base), attr=attr):
            qualified = module.names.get(base)
            return _fold_qualified(f"{qualified}.{attr}") if isinstance(qualified, str) else None
        case surface.Unary():
            operand = fold_static(module, expr.operand, depth + 1)
            folded = fold_unary(expr.op, operand.value) if isinstance(operand, Static) else ""
            return None if isinstance(folded, str) else Static(folded)
        case surface.Binary():
            left, right = fold_static(module, expr.left, depth + 1), fold_static(module, expr.right, depth + 1)
            if not (isinstance(left, Static) and isinstance(right, Static)):
                return None
            folded = fold_binary(expr.op, left.value, right.value)
            return None if isinstance(folded, str) else Static(folded)
        case surface.TupleExpr():
            items = tuple(fold_static(module, item, depth + 1) for item in expr.items)
            return None if None in items else TupleMeaning(items)  # type: ignore[arg-type]
        case surface.Call():
            return _fold_call(module, expr, depth)
    return None


def _fold_name(module: surface.Module, name: surface.Name, depth: int) -> Meaning | None:
    definition = module.names.get(name.id)
    if isinstance(definition, surface.ConstantDef):
        return fold_module_constant(module, definition, depth + 1)
    return _fold_qualified(definition) if isinstance(definition, str) else None


def _fold_qualified(name: str) -> Meaning | None:
    from transpiler.check.constants import MATH_CONSTANTS
    from transpiler.check.context import dtype_of_name

    library, _, attr = name.rpartition(".")
    if library in ("math", "numpy") and attr in MATH_CONSTANTS:
        return Static(MATH_CONSTANTS[attr])
    dtype = dtype_of_name(name)
    return DTypeRef(dtype) if dtype is not None else None


def _fold_call(module: surface.Module, call: surface.Call, depth: int) -> Meaning | None:
    """`math.sqrt(2)`, `int(x)`, `float(x)`, `min(...)`: pure functions of known numbers."""
    import math

    args = [fold_static(module, arg, depth + 1) for arg in call.args]
    values = [m.value for m in args if isinstance(m, Static)]
    if len(values) != len(call.args) or call.keywords:
        return None
    match call.func:
        case surface.Attribute(value=surface.Name(id=base), attr=attr) if module.names.get(base) == "math":
            function = getattr(math, attr, None)
        case surface.Name(id=("int" | "float" | "abs" | "min" | "max" | "round" | "pow" | "bool") as name) if (
            name not in module.names
        ):
            function = {
                "int": int,
                "float": float,
                "abs": abs,
                "min": min,
                "max": max,
                "round": round,
                "pow": pow,
                "bool": bool,
            }[name]
        case surface.Name(id=name) if str(module.names.get(name, "")).startswith("math."):
            function = getattr(math, str(module.names[name]).removeprefix("math."), None)
        case _:
            return None
    try:
        result = function(*values) if callable(function) else None
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        return None
    return Static(result) if isinstance(result, int | float) else None

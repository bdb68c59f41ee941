"""Module-level names as compile-time constants: what `NAME = expression` is worth without running the file.

In: a module and an expression over its names. Out: a number, a tuple, a dtype, or None where that takes running the file.
Non-goals: names inside functions (`context`).
"""

from __future__ import annotations

from transpiler.check.constants import fold_binary, fold_unary
from transpiler.check.meaning import (
    DTypeRef,
    Meaning,
    Static,
    TupleMeaning,
)
from transpiler.ir import surface


def fold_module_constant(module: surface.Module, definition: surface.ConstantDef, depth: int = 0) -> Meaning | None:
    """The value of `NAME = expression` at module level without running the file, or None."""
    value = fold_static(module.home(definition.source), definition.value, depth)
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
            return _fold_definition(module, f"{qualified}.{attr}", depth) if isinstance(qualified, str) else None
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
            items = [fold_static(module, item, depth + 1) for item in expr.items]
            known = tuple(item for item in items if item is not None)
            return TupleMeaning(known) if len(known) == len(items) else None
        case surface.Call():
            return _fold_call(module, expr, depth)
    return None


def _fold_name(module: surface.Module, name: surface.Name, depth: int) -> Meaning | None:
    definition = module.names.get(name.id)
    return _fold_definition(module, definition, depth) if isinstance(definition, str | surface.ConstantDef) else None


def _fold_definition(module: surface.Module, definition: str | surface.ConstantDef, depth: int) -> Meaning | None:
    """A constant, or a qualified name: of another kernel file (`common.EPS`), of `math`, of a dtype."""
    if isinstance(definition, str):
        imported = module.names.get(definition)
        if not isinstance(imported, surface.ConstantDef):
            return _fold_qualified(definition)
        definition = imported
    return fold_module_constant(module, definition, depth + 1)


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

"""Annotations of parameters: ownership words, dtypes, extents, layouts, `Const`.

In: an annotation and the generic bindings of the instance. Out: `Annotated`, what the parameter is.
Non-goals: building the parameter (`signature`).
"""

from __future__ import annotations

from transpiler.check.context import BUILTIN_DTYPES, Context, dtype_of_name
from transpiler.check.meaning import DimMeaning, DTypeRef, Static
from transpiler.check.module_constants import fold_static
from transpiler.ir import surface
from transpiler.ir.types import DType
from transpiler.records import record

OWNERSHIP = {"transpiler.In": "in", "transpiler.Out": "out", "transpiler.InOut": "inout", "transpiler.Atomic": "atomic"}
_ORDERS = {"transpiler.Strided": "strided", "transpiler.FOrder": "F"}

CONST_KINDS = ("int", "bool", "float")

Extent = int | DimMeaning | None


@record
class ArrayAnnotation:
    ownership: str
    dtype: DType
    extents: tuple[Extent, ...]
    order: str
    optional: bool


@record
class ScalarAnnotation:
    dtype: DType


@record
class ConstAnnotation:
    kind: str
    """`int`, `bool` or `float`."""


Annotated = ArrayAnnotation | ScalarAnnotation | ConstAnnotation


def qualified_name(module: surface.Module, expr: surface.Expr) -> str:
    """The full name that an annotation's name or attribute stands for; empty when it is a definition of the file."""
    match expr:
        case surface.Name():
            meaning = module.names.get(expr.id, "builtins." + expr.id)
            return meaning if isinstance(meaning, str) else ""
        case surface.Attribute():
            base = qualified_name(module, expr.value)
            return f"{base}.{expr.attr}" if base else ""
    return ""


def annotation(ctx: Context, expr: surface.Expr) -> Annotated | None:
    """What an annotation says, or None after a report."""
    expr = _unquoted(ctx, expr)
    if isinstance(expr, surface.Binary) and expr.op == "|":
        return _optional(ctx, expr, (expr.left, expr.right))
    if isinstance(expr, surface.Subscript):
        return _subscripted(ctx, expr)
    found = dtype(ctx, expr)
    if found is not None:
        return ScalarAnnotation(found)
    name = qualified_name(ctx.module, expr)
    if name in OWNERSHIP:
        ctx.report(
            "E0214",
            expr.span,
            f"`{name.removeprefix('transpiler.')}` needs a dtype and extents",
            "for example `In[f32, int]`",
        )
    else:
        ctx.report(
            "E0214",
            expr.span,
            f"`{ctx.source.slice(expr.span)}` is not an annotation of the kernel language",
            "write a dtype, or `In[f32, N]`, `Out[...]`, `InOut[...]`, `Atomic[...]`, `Const[int]`",
        )
    return None


def _unquoted(ctx: Context, expr: surface.Expr) -> surface.Expr:
    """The expression that a string annotation spells; dtype names such as `"float32"` stay strings."""
    if isinstance(expr, surface.Str) and dtype_of_name(expr.value) is None:
        from transpiler.frontend import parse_expression

        parsed = parse_expression(expr.value, expr.span)
        if parsed is not None:
            return parsed
    return expr


def dtype(ctx: Context, expr: surface.Expr) -> DType | None:
    """The dtype that an expression names: ours, NumPy's, a string, `float`, a generic of this instance."""
    if isinstance(expr, surface.Str):
        return dtype_of_name(expr.value)
    generic = ctx.scope.get(expr.id) if isinstance(expr, surface.Name) else None
    if isinstance(generic, DTypeRef):
        return generic.dtype
    name = qualified_name(ctx.module, expr)
    if name == "builtins.int":
        return None
    if name in BUILTIN_DTYPES:
        return BUILTIN_DTYPES[name]
    if name:
        return dtype_of_name(name) if "." in name and not name.startswith("builtins.") else None
    folded = fold_static(ctx.module, expr)
    return folded.dtype if isinstance(folded, DTypeRef) else None


def _optional(ctx: Context, expr: surface.Expr, items: tuple[surface.Expr, ...]) -> Annotated | None:
    """`In[...] | None`, `Optional[In[...]]`."""
    arms = [arm for arm in items if not isinstance(arm, surface.NoneLiteral)]
    inner = annotation(ctx, arms[0]) if len(arms) == 1 else None
    if isinstance(inner, ArrayAnnotation):
        return ArrayAnnotation(inner.ownership, inner.dtype, inner.extents, inner.order, True)
    if len(arms) != 1 or inner is not None:
        ctx.report("E0214", expr.span, "an annotation with `|` makes an array optional: `In[f32, N] | None`")
    return None


def _subscripted(ctx: Context, expr: surface.Subscript) -> Annotated | None:
    name = qualified_name(ctx.module, expr.value)
    if name in ("typing.Optional", "typing.Union"):
        return _optional(ctx, expr, expr.items)
    if name == "transpiler.Const":
        kind = qualified_name(ctx.module, expr.items[0]).removeprefix("builtins.")
        if kind in CONST_KINDS:
            return ConstAnnotation(kind)
        ctx.report("E0214", expr.span, "`Const` takes int, bool or float")
        return None
    if name == "transpiler.Partition":
        ctx.report("E0601", expr.span, "`Partition` belongs to the tile track, which is not built yet")
        return None
    if name not in OWNERSHIP:
        ctx.report(
            "E0214",
            expr.span,
            f"`{ctx.source.slice(expr.value.span)}[...]` is not an annotation of the kernel language",
        )
        return None
    return _array(ctx, expr, OWNERSHIP[name])


def _array(ctx: Context, expr: surface.Subscript, ownership: str) -> Annotated | None:
    items = list(expr.items)
    order = "C"
    if len(items) > 1 and qualified_name(ctx.module, items[-1]) in _ORDERS:
        order = _ORDERS[qualified_name(ctx.module, items.pop())]
    found = dtype(ctx, items[0])
    if found is None:
        ctx.report(
            "E0214",
            items[0].span,
            f"`{ctx.source.slice(items[0].span)}` is not a dtype",
            "dtypes are bool_, i8 to i64, u8 to u64, f16, bf16, f32, f64",
        )
        return None
    if len(items) == 1:
        ctx.report(
            "E0214",
            expr.span,
            "an array annotation names its extents",
            f"`{ctx.source.slice(expr.value.span)}[{found}, int]` for one axis of any extent, `()` for a 0-d array",
        )
        return None
    if len(items) == 2 and isinstance(items[1], surface.TupleExpr) and not items[1].items:
        return ArrayAnnotation(ownership, found, (), order, False)
    extents: list[Extent] = []
    for item in items[1:]:
        extent = _extent(ctx, item)
        if isinstance(extent, bool):
            return None
        extents.append(extent)
    return ArrayAnnotation(ownership, found, tuple(extents), order, False)


def _extent(ctx: Context, item: surface.Expr) -> Extent | bool:
    """A dim, a constant, None for `int`; False after a report."""
    if qualified_name(ctx.module, item) == "builtins.int":
        return None
    if isinstance(item, surface.Subscript) and qualified_name(ctx.module, item.value) in (
        "typing.Literal",
        "typing_extensions.Literal",
    ):
        item = item.items[0]
    if isinstance(item, surface.Name):
        meaning = ctx.scope.get(item.id)
        if isinstance(meaning, DimMeaning):
            return meaning
        if isinstance(ctx.module.names.get(item.id), surface.DimDef):
            return DimMeaning(item.id)
        if isinstance(meaning, Static) and isinstance(meaning.value, int) and not isinstance(meaning.value, bool):
            return meaning.value
    folded = fold_static(ctx.module, item)
    number = folded.value if isinstance(folded, Static) else None
    if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
        return number
    ctx.report(
        "E0214",
        item.span,
        f"`{ctx.source.slice(item.span)}` is not an extent",
        "an extent is a `Dim`, a constant, or `int` for any",
    )
    return False


def extent_names(
    module: surface.Module, function: surface.Function, annotation: surface.Expr | None, rank: int
) -> list[str | None]:
    """Per axis the named dim in an array annotation, for a device function that uses it as a number."""
    items = annotation.items[1 : 1 + rank] if isinstance(annotation, surface.Subscript) else ()
    generic = {p.name for p in function.type_params}

    def name_of(item: surface.Expr) -> str | None:
        if isinstance(item, surface.Name) and (
            item.id in generic or isinstance(module.names.get(item.id), surface.DimDef)
        ):
            return item.id
        return None

    return [name_of(item) for item in items]

"""Parameters of a kernel: what their annotations make of them, in the body and in the device IR.

In: the parameters, the values of the instance, for unannotated ones the types of the arguments. Out: `ParamMeaning`s.
Non-goals: parameters of device functions, which take their types from each call (`device_instances`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transpiler.check import ownership
from transpiler.check.annotations import (
    ArrayAnnotation,
    ConstAnnotation,
    Extent,
    ScalarAnnotation,
    annotation,
    qualified_name,
)
from transpiler.check.context import Context
from transpiler.check.meaning import ArrayMeaning, DimMeaning, NoneMeaning, ParamMeaning, Static
from transpiler.check.module_constants import fold_static
from transpiler.check.promotion import fits
from transpiler.ir import device, surface
from transpiler.ir.types import INDEX, DType
from transpiler.source import Span


@dataclass(frozen=True, slots=True)
class ArgumentType:
    """The type of an actual argument, for an unannotated parameter: an array (`rank` set) or a scalar."""

    dtype: DType
    rank: int | None = None


Instance = Mapping[str, DType | int | float | bool | None]
"""Generic dtype or `Const` parameter to its value; an optional array parameter that is absent maps to None."""


def bind_type_params(ctx: Context) -> None:
    """`def k[N: Dim](...)`: dims of this function alone."""
    for parameter in ctx.function.type_params:
        if parameter.bound is None or qualified_name(ctx.module, parameter.bound) != "transpiler.Dim":
            ctx.report("E0214", parameter.span, f"the type parameter `{parameter.name}` is no dim", "write `[N: Dim]`")
        ctx.scope[parameter.name] = DimMeaning(parameter.name)


def parameters(
    ctx: Context, instance: Instance, arguments: Mapping[str, ArgumentType]
) -> tuple[ParamMeaning, ...] | None:
    """All parameters, put in scope; None after a report."""
    inferred = ownership.from_use(ctx.module, ctx.function)
    built = [_parameter(ctx, p, instance, arguments.get(p.name), inferred) for p in ctx.function.params]
    for param in built:
        if param is not None:
            ctx.scope[param.name] = param.meaning
    return None if None in built else tuple(p for p in built if p is not None)


def _parameter(
    ctx: Context, param: surface.Param, instance: Instance, given: ArgumentType | None, inferred: dict[str, str]
) -> ParamMeaning | None:
    if param.annotation is None:
        return _unannotated(ctx, param, given, inferred)
    said = annotation(ctx, param.annotation)
    match said:
        case ConstAnnotation():
            return _const(ctx, param, said, instance)
        case ScalarAnnotation():
            return scalar_param(ctx, param, said.dtype)
        case ArrayAnnotation():
            return _annotated_array(ctx, param, said, instance)
    return None


def _annotated_array(
    ctx: Context, param: surface.Param, said: ArrayAnnotation, instance: Instance
) -> ParamMeaning | None:
    if said.optional and param.name in instance and instance[param.name] is None:
        return ParamMeaning(param.name, NoneMeaning(), None, param.span)
    none = isinstance(param.default, surface.NoneLiteral)
    if param.default is not None and not (none and said.optional):
        help = "write `In[...] | None = None`" if none else "give scalars a default; arrays are passed"
        ctx.report("E0214", param.default.span, f"the array parameter `{param.name}` cannot have this default", help)
        return None
    assert param.annotation is not None
    return array_param(ctx, param.name, said, param.annotation.span)


def _unannotated(
    ctx: Context, param: surface.Param, given: ArgumentType | None, inferred: dict[str, str]
) -> ParamMeaning | None:
    if given is None:
        ctx.report(
            "E0216",
            param.span,
            f"the parameter `{param.name}` has no annotation",
            f"write `{param.name}: In[f32, int]` or `{param.name}: i32`: only a launch takes types from its arguments",
        )
        return None
    if given.rank is None:
        return scalar_param(ctx, param, given.dtype)
    said = ArrayAnnotation(inferred.get(param.name, "in"), given.dtype, (None,) * given.rank, "C", False)
    return array_param(ctx, param.name, said, param.span, inferred=True)


def _const(ctx: Context, param: surface.Param, said: ConstAnnotation, instance: Instance) -> ParamMeaning | None:
    value = instance.get(param.name)
    if value is None and param.default is not None:
        folded = fold_static(ctx.module, param.default)
        value = folded.value if isinstance(folded, Static) else None
    if value is None:
        ctx.report("E0233", param.span, f"the `Const` parameter `{param.name}` has no value")
        return None
    known = None if isinstance(value, DType) else const_value(said, value)
    if known is None:
        ctx.report("E0233", param.span, f"`{param.name}` is a `Const[{said.kind}]`; {value} is none")
        return None
    return ParamMeaning(param.name, Static(known, param.name), None, param.span)


def const_value(said: ConstAnnotation, value: int | float | bool) -> int | float | bool | None:
    """The value as `Const[int]`, `Const[bool]` or `Const[float]` takes it; None where it does not."""
    if said.kind == "float" and not isinstance(value, bool):
        return float(value)
    return value if type(value).__name__ == said.kind else None


def scalar_param(ctx: Context, param: surface.Param, dtype: DType) -> ParamMeaning | None:
    default = None
    if param.default is not None:
        folded = fold_static(ctx.module, param.default)
        default = folded.value if isinstance(folded, Static) else None
        if default is None or not fits(default, dtype):
            ctx.report("E0214", param.default.span, f"the default of `{param.name}` is not a constant of {dtype}")
            return None
    built = device.ScalarParam(param.name, dtype, default, span=param.span)
    return ParamMeaning(param.name, built.type, built, param.span)


def array_param(ctx: Context, name: str, said: ArrayAnnotation, span: Span, inferred: bool = False) -> ParamMeaning:
    shape = tuple(_extent_expr(name, axis, extent, span) for axis, extent in enumerate(said.extents))
    built = device.ArrayParam(name, said.dtype, shape, said.ownership, said.order, inferred, span=span)
    meaning = ArrayMeaning(name, said.dtype, said.extents, "param", said.ownership, ctx.function)
    return ParamMeaning(name, meaning, built, span)


def _extent_expr(array: str, axis: int, extent: Extent, span: Span) -> device.Expr:
    match extent:
        case int():
            return device.Const(extent, type=INDEX, span=span)
        case DimMeaning():
            return device.DimRef(extent.name, type=INDEX, span=span)
    return device.Extent(array, axis, type=INDEX, span=span)

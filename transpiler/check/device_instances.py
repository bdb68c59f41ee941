"""Device functions, typed per call: one instance for each tuple of parameter types, shared by all callers in a kernel.

In: a device function and the meanings of its arguments. Out: the `Typed` of that instance; what does not fit is reported at the
argument, in the caller. Non-goals: binding arguments to names (`device_calls`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transpiler.check import ownership
from transpiler.check.annotations import ArrayAnnotation, ConstAnnotation, Extent, ScalarAnnotation, annotation
from transpiler.check.context import Context, new_context
from transpiler.check.expressions import describe
from transpiler.check.meaning import (
    ArrayMeaning,
    DimMeaning,
    DTypeRef,
    Meaning,
    NoneMeaning,
    ParamMeaning,
    Static,
    TupleMeaning,
    Typed,
    at_run_time,
    settled,
    type_of,
)
from transpiler.check.parameters import array_param, bind_type_params, const_value, scalar_param
from transpiler.check.promotion import is_number, settle
from transpiler.diagnostics import Diagnostic
from transpiler.ir import device, surface
from transpiler.ir.types import F32, I64, INDEX, NONE, WEAK_FLOAT, DType, VectorType
from transpiler.source import Span


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why an argument is not what its parameter takes."""

    code: str
    reason: str
    help: str | None = None


class DeviceInstances:
    """The instances of one kernel."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[Typed | None, list[Diagnostic]]] = {}

    def __call__(
        self, function: surface.Function, args: Sequence[Meaning], spans: Sequence[Span], caller: Context
    ) -> Typed | None:
        ctx = new_context(caller.module.home(function.source), function, caller)
        ctx.muted = False
        params = self._bound(ctx, args, spans, caller)
        if params is None:
            return None
        key = (function, *(_key(p.meaning) for p in params))
        if key not in self._known:
            self._known[key] = _typed(ctx, params), ctx.diagnostics
        typed, diagnostics = self._known[key]
        if not caller.muted:
            caller.diagnostics.extend(d for d in diagnostics if d not in caller.diagnostics)
        return typed

    def _bound(
        self, ctx: Context, args: Sequence[Meaning], spans: Sequence[Span], caller: Context
    ) -> tuple[ParamMeaning, ...] | None:
        bind_type_params(ctx)
        bound: list[ParamMeaning] = []
        mismatch = _bind_generics(ctx, args)
        if mismatch is not None:
            caller.report(mismatch.code, spans[0], mismatch.reason, mismatch.help)
            return None
        literal = _literal_dtype(args)
        for param, arg, span in zip(ctx.function.params, args, spans, strict=True):
            built = _bind(ctx, param, arg, literal)
            if isinstance(built, Mismatch):
                caller.report(
                    built.code, span, f"`{param.name}` of `{ctx.function.name}` gets {built.reason}", built.help
                )
                return None
            if built is None:
                if not caller.muted:
                    caller.diagnostics.extend(ctx.diagnostics)
                return None
            ctx.scope[param.name] = built.meaning
            bound.append(built)
        return tuple(bound)


def _typed(ctx: Context, params: tuple[ParamMeaning, ...]) -> Typed | None:
    from transpiler.check.decorator import check_decorators
    from transpiler.check.kernel import type_body

    ctx.typed.params = params
    check_decorators(ctx)
    type_body(ctx)
    failed = any(d.code.startswith("E") for d in ctx.diagnostics) or ctx.typed.returns is None
    return None if failed else ctx.typed


def _key(meaning: Meaning) -> object:
    """What an instance depends on in a parameter."""
    match meaning:
        case ArrayMeaning():
            return (meaning.dtype, tuple(e if isinstance(e, int) else None for e in meaning.shape), meaning.ownership)
        case Static():
            return (type(meaning.value), repr(meaning.value))
    return meaning


# --- generics ---------------------------------------------------------------------------------------------


def _bind_generics(ctx: Context, args: Sequence[Meaning]) -> Mismatch | None:
    """Give each generic dtype in the annotations the dtype of an argument: arrays first, then typed scalars, then literals."""
    uses = [
        (definition, arg)
        for param, arg in zip(ctx.function.params, args, strict=True)
        if (definition := _generic_of(ctx, param)) is not None
    ]
    for definition, arg in sorted(uses, key=lambda use: _certainty(use[1])):
        dtype = _dtype_of(definition, arg)
        known = ctx.scope.get(definition.name)
        if known is None and dtype is not None and dtype.name in definition.of:
            ctx.scope[definition.name] = DTypeRef(dtype)
        elif known is None:
            of = ", ".join(definition.of)
            return Mismatch(
                "E0206", f"`{definition.name}` of `{ctx.function.name}` is one of {of}, not {describe(arg)}"
            )
    return None


def _generic_of(ctx: Context, param: surface.Param) -> surface.DTypeDef | None:
    expr = param.annotation
    if isinstance(expr, surface.Subscript):
        expr = expr.items[0]
    definition = ctx.module.names.get(expr.id) if isinstance(expr, surface.Name) else None
    return definition if isinstance(definition, surface.DTypeDef) else None


def _certainty(arg: Meaning) -> int:
    return 0 if isinstance(arg, ArrayMeaning) else 1 if isinstance(arg, DType) else 2


def _dtype_of(definition: surface.DTypeDef, arg: Meaning) -> DType | None:
    if isinstance(arg, ArrayMeaning):
        return arg.dtype
    value = type_of(settled(at_run_time(arg)))
    if value == INDEX:
        return I64
    return value if isinstance(value, DType) else None


def _literal_dtype(args: Sequence[Meaning]) -> DType:
    """The dtype of float literals: the widest of the other arguments, as they take that of the other operand elsewhere."""
    dtypes = (arg.dtype if isinstance(arg, ArrayMeaning) else arg for arg in args)
    floats = [dtype for dtype in dtypes if isinstance(dtype, DType) and dtype.is_float]
    return max(floats, key=lambda dtype: dtype.bits, default=F32)


# --- one parameter ----------------------------------------------------------------------------------------


def _bind(ctx: Context, param: surface.Param, arg: Meaning, literal: DType) -> ParamMeaning | Mismatch | None:
    """A parameter, given the meaning of its argument; None after a report in its own function."""
    if param.annotation is None:
        return _unannotated(ctx, param, arg, literal)
    said = annotation(ctx, param.annotation)
    if said is None:
        return None
    match said, arg:
        case ConstAnnotation(), Static():
            known = const_value(said, arg.value)
            if known is None:
                return Mismatch("E0206", f"{describe(arg)}, which is no {said.kind}")
            return ParamMeaning(param.name, Static(known, param.name), None, param.span)
        case ConstAnnotation(), _:
            return Mismatch("E0206", f"{describe(arg)}, which is not known at compile time")
        case ScalarAnnotation(), _ if is_number(type_of(arg) or NONE):
            return scalar_param(ctx, _without_default(param), said.dtype)
        case ArrayAnnotation(), ArrayMeaning():
            return _array(ctx, param, said, arg)
        case ArrayAnnotation(optional=True), NoneMeaning():
            return ParamMeaning(param.name, arg, None, param.span)
    return Mismatch("E0206", f"{describe(arg)}, which its annotation does not allow")


def _unannotated(ctx: Context, param: surface.Param, arg: Meaning, literal: DType) -> ParamMeaning | Mismatch:
    match arg:
        case ArrayMeaning():
            own = ownership.from_use(ctx.module, ctx.function).get(param.name, "in")
            mismatch = _ownership_mismatch(own, arg)
            if mismatch is not None:
                return mismatch
            said = ArrayAnnotation(own, arg.dtype, _fixed(arg), "C", False)
            return array_param(ctx, param.name, said, param.span, inferred=True)
        case DTypeRef() | NoneMeaning():
            return ParamMeaning(param.name, arg, None, param.span)
        case TupleMeaning() | VectorType():
            return ParamMeaning(param.name, settled(at_run_time(arg)), None, param.span)
    return _scalar(param, arg, literal)


def _scalar(param: surface.Param, arg: Meaning, literal: DType) -> ParamMeaning | Mismatch:
    value = type_of(at_run_time(arg))
    value = literal if value == WEAK_FLOAT else settle(value) if value is not None else None
    if value == INDEX:
        built = device.ScalarParam(param.name, I64, span=param.span)
        return ParamMeaning(param.name, INDEX, built, param.span)
    if isinstance(value, DType):
        built = device.ScalarParam(param.name, value, span=param.span)
        return ParamMeaning(param.name, built.type, built, param.span)
    return Mismatch("E0206", describe(arg))


def _without_default(param: surface.Param) -> surface.Param:
    return surface.Param(param.name, param.annotation, None, param.kind, span=param.span)


def _fixed(array: ArrayMeaning) -> tuple[Extent, ...]:
    """The extents of an argument as the callee sees them: constants stay, dims are passed as numbers."""
    return tuple(e if isinstance(e, int) else None for e in array.shape)


def _array(ctx: Context, param: surface.Param, said: ArrayAnnotation, arg: ArrayMeaning) -> ParamMeaning | Mismatch:
    if said.dtype != arg.dtype:
        return Mismatch("E0206", f"elements of {arg.dtype} where {said.dtype} is wanted")
    if len(said.extents) != arg.rank:
        return Mismatch("E0206", f"{arg.rank} axes where {len(said.extents)} are wanted")
    mismatch = _ownership_mismatch(said.ownership, arg)
    if mismatch is not None:
        return mismatch
    for want, have in zip(said.extents, arg.shape, strict=True):
        if isinstance(want, int) and isinstance(have, int) and want != have:
            return Mismatch("E0206", f"an extent of {have} where {want} is wanted")
    extents = tuple(
        want if isinstance(want, int) else have if isinstance(have, int) else None
        for want, have in zip(said.extents, arg.shape, strict=True)
    )
    called = ArrayAnnotation(said.ownership, said.dtype, extents, said.order, False)
    for want, have in zip(said.extents, extents, strict=True):
        known = ctx.scope.get(want.name) if isinstance(want, DimMeaning) else None
        if isinstance(known, Static) and isinstance(have, int) and known.value != have:
            return Mismatch("E0206", f"an extent of {have} where an argument before says that it is {known.value}")
        if isinstance(want, DimMeaning) and not isinstance(known, Static):
            ctx.scope[want.name] = Static(have) if isinstance(have, int) else INDEX
    return array_param(ctx, param.name, called, param.span)


def _ownership_mismatch(wanted: str, arg: ArrayMeaning) -> Mismatch | None:
    if wanted != "in" and (arg.ownership == "in" or arg.space == "const"):
        help = f"annotate `{arg.name}` as `Out` or `InOut` in the caller" if arg.space == "param" else None
        return Mismatch("E0304", f"`{arg.name}`, which is lent for reading only, and writes it", help)
    if arg.ownership == "atomic" and wanted != "atomic":
        return Mismatch(
            "E0306", f"`{arg.name}`, which only atomics touch, for plain accesses", "annotate it `Atomic[...]`"
        )
    return None

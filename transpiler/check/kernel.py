"""One kernel or device function, typed: parameters, launch options, the fixpoint over the body, the checks behind it.

In: a module, a function, the values of its generics (`Instance`), for an unannotated kernel the types of its arguments.
Out: `Typed` (None where an error leaves nothing to lower) and diagnostics.
Non-goals: choosing an instance for a launch (`runtime`), proofs.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from transpiler.check import ownership
from transpiler.check.annotations import (
    Annotated,
    ArrayAnnotation,
    ConstAnnotation,
    Extent,
    ScalarAnnotation,
    annotation,
)
from transpiler.check.assignment import check_assignment
from transpiler.check.context import Context
from transpiler.check.decorator import launch_of, options_dict
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
    type_of,
)
from transpiler.check.promotion import Refusal, conversion, fits, join, settle
from transpiler.check.statements import annotation_type, check_body
from transpiler.diagnostics import Diagnostic, Label
from transpiler.ir import device, surface
from transpiler.ir.types import DTYPES, I64, INDEX, DType, VectorType
from transpiler.ir.walk import surface_walk
from transpiler.source import Span

_MOST_PASSES = 50
"""Types only climb a short lattice, so passes end; the bound guards against a mistake of ours."""


@dataclass(frozen=True, slots=True)
class ArgumentType:
    """The type of an actual argument, for an unannotated parameter: an array (`rank` set) or a scalar."""

    dtype: DType
    rank: int | None = None


Instance = Mapping[str, DType | int | float | bool | None]
"""Generic dtype or `Const` parameter to its value; an optional array parameter that is absent maps to None."""


def instances_of(
    module: surface.Module, function: surface.Function
) -> tuple[list[dict[str, DType | int | float | bool | None]], list[Diagnostic]]:
    """The instances that ahead-of-time output holds: every dtype of each generic, times the decorator's `instances=`.

    A kernel with `Const` parameters and no `instances=` has none, which is reported as E0233.
    """
    generics = _generics(module, function)
    products = [dict(zip(generics, values, strict=True)) for values in itertools.product(*generics.values())]
    ctx = _context(module, function, None)
    listed = options_dict(ctx, "instances")
    consts = [p.name for p in function.params if _is_const(ctx, p)]
    missing = [c for c in consts if listed is None or any(c not in entry for entry in listed)]
    defaults = {p.name: p.default for p in function.params if p.name in missing and p.default is not None}
    for entry in listed or [{}]:
        for name, default in defaults.items():
            folded = _fold_default(module, default)
            if folded is not None and name not in entry:
                entry[name] = folded
    missing = [c for c in missing if c not in defaults]
    if missing:
        ctx.muted = False
        ctx.report(
            "E0233",
            function.name_span,
            f"`{missing[0]}` is a `Const` parameter and no instance gives its value",
            f'write `@kernel(instances=[{{"{missing[0]}": 16}}, ...])`',
        )
        return [], ctx.diagnostics
    merged = listed if listed is not None else [dict.fromkeys([], 0)]
    if listed is None and defaults:
        merged = [{n: _fold_default(module, d) for n, d in defaults.items()}]  # type: ignore[list-item]
    return [{**product, **entry} for product in products for entry in merged], ctx.diagnostics


def _fold_default(module: surface.Module, expr: surface.Expr) -> int | float | bool | None:
    from transpiler.check.module_constants import fold_static

    folded = fold_static(module, expr)
    return folded.value if isinstance(folded, Static) else None


def _generics(module: surface.Module, function: surface.Function) -> dict[str, list[DType]]:
    found: dict[str, list[DType]] = {}
    annotations = [p.annotation for p in function.params if p.annotation is not None]
    for node in itertools.chain.from_iterable(surface_walk(a) for a in annotations):
        definition = module.names.get(node.id) if isinstance(node, surface.Name) else None
        if isinstance(definition, surface.DTypeDef):
            found[definition.name] = [DTYPES[name] for name in definition.of]
    return found


def _is_const(ctx: Context, param: surface.Param) -> bool:
    from transpiler.check.annotations import qualified_name

    a = param.annotation
    return isinstance(a, surface.Subscript) and qualified_name(ctx, a.value) == "transpiler.Const"


def check_kernel(
    module: surface.Module,
    function: surface.Function,
    instance: Instance | None = None,
    arguments: Mapping[str, ArgumentType] | None = None,
) -> tuple[Typed | None, list[Diagnostic]]:
    """Type one instance of a kernel."""
    ctx = _context(module, function, None)
    ctx.muted = False
    for name, value in (instance or {}).items():
        if isinstance(value, DType):
            ctx.scope[name] = DTypeRef(value)
        elif value is not None:
            ctx.scope[name] = Static(value, name)
    for parameter in function.type_params:
        ctx.scope[parameter.name] = DimMeaning(parameter.name)
    params = _parameters(ctx, dict(instance or {}), arguments or {})
    launch = launch_of(ctx, instance or {})
    if params is None or launch is None:
        return None, ctx.diagnostics
    ctx.typed.params, ctx.typed.launch = params, launch
    _type_body(ctx)
    errors = any(d.code.startswith("E") for d in ctx.diagnostics)
    return None if errors else ctx.typed, ctx.diagnostics


def _context(module: surface.Module, function: surface.Function, parent: Context | None) -> Context:
    typed = Typed(function, module, function.name)
    ctx = Context(typed, _Instances() if parent is None else parent.instances)
    ctx.stack = (*(parent.stack if parent is not None else ()), function)
    for node in itertools.chain.from_iterable(surface_walk(stmt) for stmt in function.body):
        for name in assigned_names(node):
            ctx.assignments.setdefault(name.id, []).append(name.span)
        if isinstance(node, surface.For):
            ctx.loop_targets |= {n.id for n in _target_names(node.target)}
    plain = {s.targets[0].id for s in _plain_assignments(function.body)}
    typed.constants = frozenset(
        n for n in plain if len(ctx.assignments[n]) == 1 and n not in {p.name for p in function.params}
    )
    return ctx


def _plain_assignments(body: tuple[surface.Stmt, ...]) -> list[surface.Assign]:
    nodes = itertools.chain.from_iterable(surface_walk(stmt) for stmt in body)
    return [
        n
        for n in nodes
        if isinstance(n, surface.Assign) and len(n.targets) == 1 and isinstance(n.targets[0], surface.Name)
    ]


def _target_names(target: surface.Expr) -> list[surface.Name]:
    if isinstance(target, surface.Name):
        return [target]
    if isinstance(target, surface.TupleExpr):
        return [name for item in target.items for name in _target_names(item)]
    return []


def assigned_names(node: surface.Node) -> list[surface.Name]:
    match node:
        case surface.Assign():
            return [name for target in node.targets for name in _target_names(target)]
        case surface.AnnAssign() | surface.AugAssign() | surface.For() | surface.Walrus():
            return _target_names(node.target)
    return []


# --- parameters -------------------------------------------------------------------------------------------


def _parameters(ctx: Context, instance: dict, arguments: Mapping[str, ArgumentType]) -> tuple[ParamMeaning, ...] | None:
    inferred = ownership.from_use(ctx.function)
    params: list[ParamMeaning | None] = []
    for param in ctx.function.params:
        built = _parameter(ctx, param, instance, arguments, inferred)
        if built is not None:
            ctx.scope[param.name] = built.meaning
        params.append(built)
    return None if None in params else tuple(p for p in params if p is not None)


def _parameter(
    ctx: Context, param: surface.Param, instance: dict, arguments: Mapping[str, ArgumentType], inferred: dict[str, str]
) -> ParamMeaning | None:
    if param.annotation is None:
        return _unannotated(ctx, param, arguments.get(param.name), inferred)
    said = annotation(ctx, param.annotation)
    match said:
        case ConstAnnotation():
            return _const(ctx, param, said, instance)
        case ScalarAnnotation():
            return scalar_param(ctx, param, said.dtype)
        case ArrayAnnotation():
            if said.optional and param.name in instance and instance[param.name] is None:
                return ParamMeaning(param.name, NoneMeaning(), None, param.span)
            return array_param(ctx, param.name, said, param.annotation.span)
    return None


def _unannotated(
    ctx: Context, param: surface.Param, given: ArgumentType | None, inferred: dict[str, str]
) -> ParamMeaning | None:
    if given is None:
        ctx.report(
            "E0216",
            param.span,
            f"the parameter `{param.name}` has no annotation",
            f"write `{param.name}: In[f32, int]`, `{param.name}: i32`, ...; only a library call can take the types from its arguments",
        )
        return None
    if given.rank is None:
        return scalar_param(ctx, param, given.dtype)
    said = ArrayAnnotation(inferred.get(param.name, "in"), given.dtype, (None,) * given.rank, "C", False)
    return array_param(ctx, param.name, said, param.span, inferred=True)


def _const(ctx: Context, param: surface.Param, said: ConstAnnotation, instance: dict) -> ParamMeaning | None:
    value = instance.get(param.name)
    if value is None and param.default is not None:
        value = _fold_default(ctx.module, param.default)
    if value is None:
        ctx.report("E0233", param.span, f"the `Const` parameter `{param.name}` has no value")
        return None
    if said.kind == "float" and not isinstance(value, bool):
        value = float(value)
    if type(value).__name__ != said.kind:
        ctx.report("E0233", param.span, f"`{param.name}` is a `Const[{said.kind}]`; {value!r} is none")
        return None
    return ParamMeaning(param.name, Static(value, param.name), None, param.span)


def scalar_param(ctx: Context, param: surface.Param, dtype: DType) -> ParamMeaning | None:
    default = None
    if param.default is not None:
        default = _fold_default(ctx.module, param.default)
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


# --- the body ---------------------------------------------------------------------------------------------


def _type_body(ctx: Context) -> None:
    """Passes over the body until the types of locals stand still; then literals settle; then one pass that reports."""
    diagnostics, ctx.muted = ctx.muted, True
    ctx.decorator_meanings = dict(ctx.typed.meanings)
    _fixpoint(ctx)
    for name, meaning in list(ctx.typed.locals.items()):
        ctx.typed.locals[name] = _settled(meaning)
    _fixpoint(ctx)
    ctx.muted = diagnostics
    _pass(ctx)
    _returns(ctx)
    check_assignment(ctx)
    ownership.check_outs(ctx)


def _fixpoint(ctx: Context) -> None:
    for _ in range(_MOST_PASSES):
        ctx.changed = False
        _pass(ctx)
        if not ctx.changed:
            return
    raise AssertionError(f"the types of {ctx.function.name} do not settle")


def _pass(ctx: Context) -> None:
    ctx.typed.callees.clear()
    ctx.typed.meanings.clear()
    ctx.typed.meanings.update(ctx.decorator_meanings)
    ctx.typed.calls.clear()
    ctx.return_meanings.clear()
    _assigned_parameters(ctx)
    check_body(ctx, ctx.function.body)


def _assigned_parameters(ctx: Context) -> None:
    """A scalar parameter that the body assigns is a local that starts with the argument."""
    for param in ctx.typed.params:
        if param.name in ctx.assignments and param.device is not None and not isinstance(param.meaning, ArrayMeaning):
            ctx.typed.locals.setdefault(param.name, param.meaning)
            ctx.first_assignment.setdefault(param.name, (param.meaning, param.span))


def _settled(meaning: Meaning) -> Meaning:
    if isinstance(meaning, TupleMeaning):
        return TupleMeaning(tuple(_settled(item) for item in meaning.items))
    value = type_of(meaning)
    return settle(value) if value is not None and not isinstance(meaning, Static | DimMeaning) else meaning


def _returns(ctx: Context) -> None:
    """The result type of a device function: its annotation, or the join of what it returns."""
    if ctx.function.is_kernel:
        ctx.typed.returns = NoneMeaning()
        return
    found = [m for m, _ in ctx.return_meanings]
    if None in found:
        return
    result: Meaning | None = NoneMeaning() if not found or not _always_returns(ctx.function.body) else None
    for meaning, span in ctx.return_meanings:
        assert meaning is not None
        settled = _settled(
            meaning.type if isinstance(meaning, Static) else INDEX if isinstance(meaning, DimMeaning) else meaning
        )
        result = settled if result is None else _joined_return(ctx, result, settled, span)
        if result is None:
            return
    annotated = _return_annotation(ctx)
    if annotated is not None and result is not None:
        _check_return(ctx, result, annotated)
        result = annotated
    ctx.typed.returns = result


def _always_returns(body: tuple[surface.Stmt, ...]) -> bool:
    if not body:
        return False
    match body[-1]:
        case surface.Return():
            return True
        case surface.If() as last:
            return _always_returns(last.body) and _always_returns(last.orelse)
        case surface.While() as last:
            return isinstance(last.test, surface.Bool) and last.test.value
    return False


def _joined_return(ctx: Context, a: Meaning, b: Meaning, span: Span) -> Meaning | None:
    if a == b:
        return a
    if isinstance(a, TupleMeaning) and isinstance(b, TupleMeaning) and len(a.items) == len(b.items):
        items = [_joined_return(ctx, x, y, span) for x, y in zip(a.items, b.items, strict=True)]
        return None if None in items else TupleMeaning(tuple(i for i in items if i is not None))
    x, y = type_of(a), type_of(b)
    joined = (
        join(x, y)
        if x is not None and y is not None and not isinstance(a, NoneMeaning) and not isinstance(b, NoneMeaning)
        else None
    )
    if joined is None or isinstance(joined, Refusal):
        first = ctx.return_meanings[0][1] if ctx.return_meanings else span
        ctx.report(
            "E0232",
            span,
            "the returns of this function differ"
            + (f": {joined.reason}" if joined else ", and some paths return nothing"),
            labels=(Label(first, "another return"),),
        )
        return None
    return joined


def _return_annotation(ctx: Context) -> Meaning | None:
    annotated = ctx.function.returns
    if annotated is None or isinstance(annotated, surface.NoneLiteral):
        return None
    if isinstance(annotated, surface.Subscript):
        items = [annotation_type(ctx, item) for item in annotated.items]
        return None if None in items else TupleMeaning(tuple(i for i in items if i is not None))
    return annotation_type(ctx, annotated)


def _check_return(ctx: Context, result: Meaning, annotated: Meaning) -> None:
    pairs = (
        list(zip(result.items, annotated.items, strict=False))
        if isinstance(result, TupleMeaning) and isinstance(annotated, TupleMeaning)
        else [(result, annotated)]
    )
    for found, wanted in pairs:
        a, b = type_of(found), type_of(wanted)
        converted = conversion(a, b) if a is not None and b is not None and a != b else None
        if isinstance(found, NoneMeaning) or isinstance(converted, Refusal):
            span = ctx.function.returns.span if ctx.function.returns is not None else ctx.function.name_span
            reason = converted.reason if isinstance(converted, Refusal) else "some paths return nothing"
            ctx.report("E0232", span, f"the function does not return what its annotation says: {reason}")


# --- device functions -------------------------------------------------------------------------------------


class _Instances:
    """Device functions typed per call: one instance for each tuple of argument types, shared by all callers in a kernel."""

    def __init__(self) -> None:
        self._known: dict[tuple, tuple[Typed | None, list[Diagnostic]]] = {}

    def __call__(
        self, function: surface.Function, args: tuple[Meaning, ...], caller: Context, span: Span
    ) -> Typed | None:
        key = (function, *(_key(arg) for arg in args))
        if key not in self._known:
            self._known[key] = self._typed(function, args, caller)
        typed, diagnostics = self._known[key]
        if not caller.muted:
            caller.diagnostics.extend(d for d in diagnostics if d not in caller.diagnostics)
        return typed

    def _typed(
        self, function: surface.Function, args: tuple[Meaning, ...], caller: Context
    ) -> tuple[Typed | None, list[Diagnostic]]:
        ctx = _context(caller.module, function, caller)
        ctx.muted = False
        for parameter in function.type_params:
            ctx.scope[parameter.name] = DimMeaning(parameter.name)
        params = [_bound(ctx, p, arg) for p, arg in zip(function.params, args, strict=True)]
        if None in params:
            return None, ctx.diagnostics
        ctx.typed.params = tuple(p for p in params if p is not None)
        for p in ctx.typed.params:
            ctx.scope[p.name] = p.meaning
        _type_body(ctx)
        failed = any(d.code.startswith("E") for d in ctx.diagnostics) or ctx.typed.returns is None
        return None if failed else ctx.typed, ctx.diagnostics


def _key(meaning: Meaning) -> object:
    """What an instance depends on in an argument."""
    match meaning:
        case ArrayMeaning():
            return (meaning.dtype, tuple(e if isinstance(e, int) else None for e in meaning.shape), meaning.ownership)
        case DimMeaning():
            return INDEX
    return meaning


def _bound(ctx: Context, param: surface.Param, arg: Meaning) -> ParamMeaning | None:
    """A parameter of a device function, given the meaning of its argument."""
    said: Annotated | None = None
    if param.annotation is not None:
        said = annotation(ctx, param.annotation)
        if said is None:
            return None
    match said, arg:
        case ConstAnnotation(), Static():
            return ParamMeaning(param.name, Static(arg.value, param.name), None, param.span)
        case ScalarAnnotation(), _:
            return scalar_param(ctx, _without_default(param), said.dtype)
        case ArrayAnnotation(), ArrayMeaning():
            return _bound_array(ctx, param, said, arg)
        case None, ArrayMeaning():
            own = ownership.from_use(ctx.function).get(param.name, "in")
            return array_param(
                ctx, param.name, ArrayAnnotation(own, arg.dtype, _fixed(arg), "C", False), param.span, inferred=True
            )
        case None, DTypeRef() | NoneMeaning():
            return ParamMeaning(param.name, arg, None, param.span)
        case None, TupleMeaning() | VectorType():
            return ParamMeaning(param.name, _settled(arg), None, param.span)
        case None, _:
            return _inferred_scalar(ctx, param, arg)
    from transpiler.check.expressions import describe

    ctx.report(
        "E0206", param.span, f"`{param.name}` is called with {describe(arg)}, which its annotation does not allow"
    )
    return None


def _without_default(param: surface.Param) -> surface.Param:
    return surface.Param(param.name, param.annotation, None, param.kind, span=param.span)


def _fixed(array: ArrayMeaning) -> tuple[Extent, ...]:
    """The extents of an argument as the callee sees them: constants stay, dims are passed as numbers."""
    return tuple(e if isinstance(e, int) else None for e in array.shape)


def _bound_array(ctx: Context, param: surface.Param, said: ArrayAnnotation, arg: ArrayMeaning) -> ParamMeaning | None:
    reason = ""
    if said.dtype != arg.dtype:
        reason = f"elements of {arg.dtype} where {said.dtype} is wanted"
    elif len(said.extents) != arg.rank:
        reason = f"{arg.rank} axes where {len(said.extents)} are wanted"
    elif said.ownership != "in" and arg.ownership == "in":
        reason = f"`{arg.name}`, which is lent for reading only"
    elif arg.ownership == "atomic" and said.ownership != "atomic":
        reason = f"`{arg.name}`, which only atomics touch"
    else:
        for want, have in zip(said.extents, arg.shape, strict=True):
            if isinstance(want, int) and isinstance(have, int) and want != have:
                reason = f"an extent of {have} where {want} is wanted"
    if reason:
        code = "E0304" if "lent for reading" in reason else "E0206"
        ctx.report(code, param.span, f"`{param.name}` is called with {reason}")
        return None
    extents = tuple(
        want if isinstance(want, int) else have if isinstance(have, int) else None
        for want, have in zip(said.extents, arg.shape, strict=True)
    )
    built = array_param(
        ctx, param.name, ArrayAnnotation(said.ownership, said.dtype, extents, said.order, False), param.span
    )
    for want, have in zip(said.extents, extents, strict=True):
        if isinstance(want, DimMeaning):
            ctx.scope[want.name] = Static(have) if isinstance(have, int) else INDEX
    return built


def _inferred_scalar(ctx: Context, param: surface.Param, arg: Meaning) -> ParamMeaning | None:
    value = _settled(arg.type if isinstance(arg, Static) else INDEX if isinstance(arg, DimMeaning) else arg)
    if value == INDEX:
        built = device.ScalarParam(param.name, I64, span=param.span)
        return ParamMeaning(param.name, INDEX, built, param.span)
    if isinstance(value, DType):
        built = device.ScalarParam(param.name, value, span=param.span)
        meaning: Meaning = value
        return ParamMeaning(param.name, meaning, built, param.span)
    from transpiler.check.expressions import describe

    ctx.report("E0206", param.span, f"`{param.name}` cannot be {describe(arg)}")
    return None

"""A typed SIMT kernel to its device IR: parameters, locals, body, device functions.

In: `Typed` of a kernel. Out: `device.Kernel`, verified. A device function is built once for each instance, callees first.
Non-goals: the ABI (`emit.abi`), optimisation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from transpiler.check.meaning import ArrayMeaning, Meaning, ParamMeaning, Static, TupleMeaning, Typed, type_of
from transpiler.check.promotion import settle
from transpiler.ir import device
from transpiler.ir.types import INDEX, VectorType
from transpiler.ir.verify import verify
from transpiler.ir.walk import any_node, assigned_names, surface_walk, walk
from transpiler.lower.arrays import whole
from transpiler.lower.context import Lowering, Place
from transpiler.lower.expressions import value
from transpiler.lower.statements import commented, lower_body
from transpiler.lower.tuples import scalar_types
from transpiler.source import Span


def lower_kernel(typed: Typed) -> device.Kernel:
    """Build the device IR of a typed kernel."""
    assert typed.launch is not None
    low = Lowering(typed, {})
    params = _parameters(low)
    _locals(low)
    lower_body(low, typed.function.body)
    launch = typed.launch
    low.places |= {p.name: p.device for p in typed.params if isinstance(p.device, device.ScalarParam)}
    with low.block():
        grid = tuple(value(low, e, INDEX) for e in launch.grid) if launch.grid is not None else None
        domain = tuple(value(low, e, INDEX) for e in launch.domain) if launch.domain is not None else None
    function = typed.function
    kernel = device.Kernel(
        typed.name,
        function.source,
        tuple(p for p in params if not isinstance(p, device.Local)),
        launch.dims,
        _without_unread(typed, tuple(low.out)),
        launch.block or _free_block(typed.axes),
        grid,
        domain,
        tuple(low.requires),
        tuple(low.arrays),
        tuple(low.functions.values()),
        launch.options,
        launch.instance,
        function.docstring,
        function.comments,
        function.closing_comments,
        typed.axes,
        launch.block is not None,
        span=function.name_span,
    )
    verify(kernel)
    return kernel


def _free_block(axes: int) -> tuple[int | None, int | None, int | None]:
    """Without `block=` the block is free on the axes that the kernel uses and 1 on the others."""
    return None, None if axes > 1 else 1, None if axes > 2 else 1


def function_of(low: Lowering, typed: Typed, scattered: frozenset[str] = frozenset()) -> device.Function:
    """The device function of an instance, built on first use; `scattered` names the arrays whose elements do not lie together."""
    key = (typed, scattered)
    if key not in low.functions:
        inner = Lowering(typed, low.functions)
        params = _parameters(inner, scattered)
        _locals(inner)
        lower_body(inner, typed.function.body)
        returns = scalar_types(typed.returns)
        body = _without_unread(typed, tuple(inner.out))
        low.functions[key] = device.Function(
            _unique_name(low, typed),
            typed.function.source,
            tuple(params),
            returns,
            body,
            tuple(inner.arrays),
            typed.function.docstring,
            typed.function.comments,
            _is_pure(body),
            span=typed.function.name_span,
        )
    return low.functions[key]


def _unique_name(low: Lowering, typed: Typed) -> str:
    """`combine`, and `combine_f64` for a second instance, `combine_f64_2` where that is taken."""
    taken = {f.name for f in low.functions.values()}
    if typed.name not in taken:
        return typed.name
    kinds = [
        str(p.meaning.dtype if isinstance(p.meaning, ArrayMeaning) else type_of(p.meaning) or "") for p in typed.params
    ]
    base = "_".join([typed.name, *dict.fromkeys(k for k in kinds if k and k.isidentifier())])
    name, count = base, 2
    while name in taken:
        name, count = f"{base}_{count}", count + 1
    return name


def _is_pure(body: tuple[device.Stmt, ...]) -> bool:
    effects = (
        device.Store,
        device.Atomic,
        device.CallStmt,
        device.Barrier,
        device.Fence,
        device.Assert,
        device.Print,
        device.Trust,
    )
    return not any_node(body, lambda node: isinstance(node, effects))


# --- parameters and locals --------------------------------------------------------------------------------


def _parameters(
    low: Lowering, scattered: frozenset[str] = frozenset()
) -> list[device.ScalarParam | device.ArrayParam | device.Local]:
    built: list[device.ScalarParam | device.ArrayParam | device.Local] = []
    for param in low.typed.params:
        if isinstance(param.device, device.ArrayParam):
            order = "strided" if param.name in scattered else param.device.order
            array = param.device if order == param.device.order else replace(param.device, order=order)
            low.places[param.name] = whole(array)
            _dims_of(low, param)
            built.append(array)
        elif param.device is not None:
            low.places[param.name] = param.device
            built.append(param.device)
            _assigned_parameter(low, param)
        elif isinstance(param.meaning, TupleMeaning | VectorType):
            parts = _item_params(param)
            low.places[param.name] = tuple(parts)
            built += parts
    return built


def _assigned_parameter(low: Lowering, param: ParamMeaning) -> None:
    """A scalar that the body assigns becomes a local that starts with the argument."""
    found = type_of(low.typed.locals.get(param.name))
    if found is None or not isinstance(param.device, device.ScalarParam):
        return
    from transpiler.lower.values import convert

    kind = settle(found)
    assert isinstance(kind, device.Scalar)
    local = device.Local(param.name, kind, span=param.span)
    read = device.Var(param.device, type=param.device.type, span=param.span)
    low.emit(device.Assign(local, convert(read, kind), span=param.span))
    low.places[param.name] = local


def _item_params(param: ParamMeaning) -> list[device.ScalarParam]:
    from transpiler.ir.types import I64, DType

    parts: list[device.ScalarParam] = []
    for position, kind in enumerate(scalar_types(param.meaning)):
        dtype = kind if isinstance(kind, DType) else I64
        parts.append(device.ScalarParam(f"{param.name}_{position}", dtype, span=param.span))
    return parts


def _dims_of(low: Lowering, param: ParamMeaning) -> None:
    """In a device function a named dim is the extent of the array that is passed."""
    if low.typed.function.is_kernel or low.typed.launch is not None:
        return
    from transpiler.check.annotations import extent_names

    array = param.device
    assert isinstance(array, device.ArrayParam)
    annotation = next((p.annotation for p in low.typed.function.params if p.name == param.name), None)
    for axis, name in enumerate(extent_names(low.typed.module, low.typed.function, annotation, array.rank)):
        if name is not None:
            low.extents.setdefault(name, array.shape[axis])


def _locals(low: Lowering) -> None:
    spans = _first_spans(low.typed)
    parameters = {p.name for p in low.typed.params}
    for name, meaning in low.typed.locals.items():
        if name not in parameters:
            place = _place(name, meaning, spans.get(name, low.typed.function.name_span))
            if place is not None:
                low.places[name] = place


def _first_spans(typed: Typed) -> dict[str, Span]:
    spans: dict[str, Span] = {}
    for stmt in typed.function.body:
        for node in surface_walk(stmt):
            for name in assigned_names(node):
                spans.setdefault(name.id, name.span)
    return spans


def _place(name: str, meaning: Meaning, span: Span) -> Place | None:
    if isinstance(meaning, TupleMeaning):
        parts = [_place(f"{name}_{k}", item, span) for k, item in enumerate(meaning.items)]
        return None if None in parts else tuple(p for p in parts if p is not None)
    found = type_of(meaning)
    if isinstance(found, VectorType):
        return tuple(device.Local(f"{name}_{axis}", found.dtype, span=span) for axis in "xyzw"[: found.size])
    if found is None:
        return None
    kind = settle(found)
    return device.Local(name, kind, span=span) if isinstance(kind, device.Scalar) else None


Body = tuple[device.Stmt, ...]


def _without_unread(typed: Typed, body: Body) -> Body:
    """Drop assignments of compile-time constants that every use has replaced by the number."""
    read = {node.var for stmt in body for node in walk(stmt) if isinstance(node, device.Var)}
    constants = {name for name in typed.constants if isinstance(typed.locals.get(name), Static)}

    def clean(stmts: Body) -> Body:
        kept: list[device.Stmt] = []
        waiting: tuple[str, ...] = ()
        for stmt in stmts:
            if isinstance(stmt, device.Assign) and stmt.target not in read and stmt.target.name in constants:
                waiting += stmt.comments + ((stmt.trailing,) if stmt.trailing else ())
            else:
                kept.append(commented(_with_bodies(stmt, clean), waiting))
                waiting = ()
        return tuple(kept)

    return clean(body)


def _with_bodies(stmt: device.Stmt, clean: Callable[[Body], Body]) -> device.Stmt:
    match stmt:
        case device.If():
            return replace(stmt, then=clean(stmt.then), orelse=clean(stmt.orelse))
        case device.For():
            return replace(stmt, body=clean(stmt.body))
        case device.While():
            return replace(stmt, pre=clean(stmt.pre), body=clean(stmt.body))
    return stmt

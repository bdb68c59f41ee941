"""Resolved calls to device expressions and statements.

In: a `surface.Call` and its `ResolvedCall`. Out: its value; calls with an effect are appended to `low.out` as statements whose
results go to temporaries, or straight to `targets` where an assignment gives them.
Non-goals: typing.
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.check.meaning import (
    ArrayMeaning,
    AtomicCall,
    BarrierCall,
    BuiltinCall,
    CastCall,
    ContractCall,
    CopyCall,
    CopyGroupCall,
    FenceCall,
    FunctionCall,
    IntrinsicCall,
    ParamMeaning,
    PrintCall,
    Static,
    TupleMeaning,
    VectorCall,
    type_of,
)
from transpiler.intrinsics.entry import Effect, Intrinsic
from transpiler.ir import device, surface
from transpiler.ir.types import I64, INDEX, U32, WEAK_FLOAT, IndexType, VectorType
from transpiler.lower.arrays import binding, element, lies_together
from transpiler.lower.context import Lowering
from transpiler.lower.expressions import condition, kind_of, value
from transpiler.lower.operators import arithmetic, binary
from transpiler.lower.tuples import item_builders
from transpiler.lower.values import cast_number, constant, convert

Targets = tuple[device.Local, ...]


def call_value(low: Lowering, call: surface.Call, kind: device.Scalar) -> device.Expr:
    """The value of a call that has one scalar result; `kind` is its type, the wanted one for a call on literals alone."""
    resolved = low.typed.calls[call]
    match resolved:
        case CastCall():
            return _cast(low, call, resolved)
        case BuiltinCall():
            return _builtin(low, call, resolved, kind)
        case AtomicCall():
            results = atomic(low, call, resolved, ())
            return results[0]
        case IntrinsicCall() if resolved.entry.effect is Effect.PURE:
            args = _intrinsic_args(low, resolved)
            return device.Call(resolved.entry, tuple(args), type=resolved.signature.results[0], span=call.span)
        case FunctionCall():
            function = _function(low, resolved)
            if function.pure and len(function.returns) == 1:
                args = _function_args(low, resolved, function)
                return device.Call(function, args, type=function.returns[0], span=call.span)
    return effect_call(low, call, ())[0]


def call_items(low: Lowering, call: surface.Call) -> list[device.Expr]:
    """The results of a call that has several."""
    resolved = low.typed.calls[call]
    match resolved:
        case BuiltinCall(name=("grid" | "gridsize") as name):
            meaning = low.meaning(call)
            assert isinstance(meaning, TupleMeaning)
            return [device.LaunchVar(name, axis, type=INDEX, span=call.span) for axis in range(len(meaning.items))]
        case BuiltinCall(name="divmod"):
            left, right = low.operands([(lambda e=e: value(low, e)) for e in resolved.args])
            left, right = low.once(left, "dividend"), low.once(right, "divisor")
            return [arithmetic(low, op, left, right, call.span) for op in ("//", "%")]
        case VectorCall():
            return _vector(low, resolved)
    return effect_call(low, call, ())


def has_effect(low: Lowering, expr: surface.Expr) -> bool:
    """Whether the expression is a call that becomes a statement."""
    if not isinstance(expr, surface.Call):
        return False
    match low.typed.calls.get(expr):
        case AtomicCall():
            return True
        case IntrinsicCall() as resolved:
            return resolved.entry.effect is not Effect.PURE
        case FunctionCall() as resolved:
            function = _function(low, resolved)
            return not (function.pure and len(function.returns) == 1)
    return False


def effect_call(low: Lowering, call: surface.Call, targets: Targets) -> list[device.Expr]:
    """Append the statement of a call; its results go to `targets`, or to temporaries when there are none."""
    resolved = low.typed.calls[call]
    match resolved:
        case AtomicCall():
            return atomic(low, call, resolved, targets)
        case IntrinsicCall():
            args: tuple[device.Expr | device.View, ...] = tuple(_intrinsic_args(low, resolved))
            kinds: tuple[device.Scalar, ...] = resolved.signature.results
            callee: device.Function | Intrinsic = resolved.entry
            name = resolved.entry.name.rpartition(".")[2].removesuffix("_sync")
        case FunctionCall():
            function = _function(low, resolved)
            args = _function_args(low, resolved, function)
            kinds, callee, name = function.returns, function, resolved.callee.function.name + "_result"
        case _:
            raise AssertionError(f"{type(resolved).__name__} has no results")
    if not targets:
        targets = tuple(device.Local(name, kind, True, span=call.span) for kind in kinds)
    low.emit(device.CallStmt(targets, callee, args, span=call.span))
    return [device.Var(local, type=local.type, span=call.span) for local in targets]


def call_statement(low: Lowering, call: surface.Call) -> None:
    """A call whose value is ignored."""
    resolved = low.typed.calls.get(call)
    match resolved:
        case BarrierCall():
            mask = convert(value(low, resolved.mask), U32) if resolved.mask is not None else None
            low.emit(device.Barrier(resolved.scope, mask, span=call.span))
        case FenceCall():
            low.emit(device.Fence(resolved.scope, span=call.span))
        case CopyCall():
            _copy(low, call, resolved)
        case CopyGroupCall(pending=None):
            low.emit(device.CommitGroup(span=call.span))
        case CopyGroupCall(pending=int() as pending):
            low.emit(device.WaitGroup(pending, span=call.span))
        case PrintCall():
            low.emit(device.Print(_print_parts(low, resolved), span=call.span))
        case ContractCall():
            _contract(low, call, resolved)
        case AtomicCall():
            _atomic_statement(low, call, resolved, None)
        case IntrinsicCall() if not resolved.signature.results:
            args = tuple(_intrinsic_args(low, resolved))
            low.emit(device.CallStmt((), resolved.entry, args, span=call.span))
        case FunctionCall() if not _function(low, resolved).returns:
            function = _function(low, resolved)
            low.emit(device.CallStmt((), function, _function_args(low, resolved, function), span=call.span))
        case None:
            pass
        case _:
            _ignored(low, call)


def _ignored(low: Lowering, call: surface.Call) -> None:
    """A value that nobody uses: what computes it stays only where it has an effect."""
    if has_effect(low, call):
        effect_call(low, call, ())


# --- built-ins --------------------------------------------------------------------------------------------


def _cast(low: Lowering, call: surface.Call, resolved: CastCall) -> device.Expr:
    """`f64(0.1)` is the f64 nearest to 0.1: a literal is not rounded to another type on the way."""
    known = low.meaning(resolved.arg)
    if isinstance(known, Static):
        return device.Const(
            cast_number(known.value, resolved.dtype), "", known.name, type=resolved.dtype, span=call.span
        )
    wanted = resolved.dtype if type_of(known) == WEAK_FLOAT and resolved.dtype.is_float else None
    return convert(value(low, resolved.arg, wanted), resolved.dtype, explicit=True)


def _builtin(low: Lowering, call: surface.Call, resolved: BuiltinCall, kind: device.Scalar) -> device.Expr:
    match resolved.name:
        case "len":
            return binding(low, resolved.args[0]).extent(0)
        case "grid" | "gridsize":
            return device.LaunchVar(resolved.name, 0, type=INDEX, span=call.span)
        case "int":
            return value(low, resolved.args[0], kind)
        case "abs":
            operand = value(low, resolved.args[0], kind)
            return device.Unary("abs", operand, type=operand.type, span=call.span)
        case "min" | "max":
            parts = low.operands([(lambda e=e: value(low, e, kind)) for e in resolved.args], "argument")
            result = parts[0]
            for part in parts[1:]:
                result = device.Binary(resolved.name, result, part, type=part.type, span=call.span)
            return result
        case "pow":
            base, exponent = resolved.args
            return binary(low, "**", base, exponent, kind, call.span)
    raise AssertionError(f"the built-in {resolved.name} has no scalar value")


def _vector(low: Lowering, resolved: VectorCall) -> list[device.Expr]:
    parts = low.operands([(lambda e=e: value(low, e, resolved.type.dtype)) for e in resolved.args], "item")
    return [low.once(parts[0], "item")] * resolved.type.size if len(parts) == 1 else parts


# --- intrinsics, atomics, functions -----------------------------------------------------------------------


def _intrinsic_args(low: Lowering, resolved: IntrinsicCall) -> list[device.Expr]:
    builders: list[Callable[[], device.Expr]] = []
    for arg, kind in zip(resolved.args, resolved.signature.args, strict=True):
        if isinstance(arg, Static):
            builders.append(
                lambda a=arg, k=kind: constant(
                    a.value, k, low.typed.function.span, hex(int(a.value)) if abs(a.value) > 0xFFFF else ""
                )
            )
        else:
            builders.append(lambda a=arg, k=kind: value(low, a, k))
    return low.operands(builders, "argument")


def atomic(low: Lowering, call: surface.Call, resolved: AtomicCall, targets: Targets) -> list[device.Expr]:
    array = low.meaning(resolved.array)
    assert isinstance(array, ArrayMeaning)
    local = targets[0] if targets else device.Local("old", array.dtype, True, span=call.span)
    _atomic_statement(low, call, resolved, local)
    return [device.Var(local, type=local.type, span=call.span)]


def _atomic_statement(low: Lowering, call: surface.Call, resolved: AtomicCall, target: device.Local | None) -> None:
    array, indices = element(low, surface.Subscript(resolved.array, resolved.index, span=call.span))
    count = len(indices)
    builders = [lambda i=i: i for i in indices]
    builders += [(lambda e=e: value(low, e, array.dtype)) for e in resolved.operands]
    parts = low.operands(builders, "argument")
    operands = tuple(parts[count:])
    low.emit(
        device.Atomic(
            target, resolved.op, array, tuple(parts[:count]), operands, resolved.order, resolved.scope, span=call.span
        )
    )


def _copy(low: Lowering, call: surface.Call, resolved: CopyCall) -> None:
    array, into = element(low, surface.Subscript(resolved.array, resolved.index, span=call.span))
    source, out = element(low, surface.Subscript(resolved.source, resolved.source_index, span=resolved.source.span))
    parts = low.operands([lambda i=i: i for i in (*into, *out)], "argument")
    first = device.Load(source, tuple(parts[len(into) :]), type=source.dtype, span=call.span)
    low.emit(device.AsyncCopy(array, tuple(parts[: len(into)]), first, resolved.count, span=call.span))


def _function(low: Lowering, resolved: FunctionCall) -> device.Function:
    from transpiler.lower.simt import function_of

    scattered = {
        param.name
        for param, arg in zip(resolved.callee.params, resolved.args, strict=True)
        if arg is not None and isinstance(param.meaning, ArrayMeaning) and not lies_together(low, arg)
    }
    return function_of(low, resolved.callee, frozenset(scattered))


def _function_args(
    low: Lowering, resolved: FunctionCall, function: device.Function
) -> tuple[device.Expr | device.View, ...]:
    """The arguments in the order of the parameters; they are evaluated in the order in which they are written."""
    given = [(p, a) for p, a in zip(resolved.callee.params, resolved.args, strict=True) if a is not None]
    scalars: list[Callable[[], device.Expr]] = []
    places: dict[int, list[int]] = {}
    for position in sorted(range(len(given)), key=lambda k: given[k][1].span.start):
        param, arg = given[position]
        if not isinstance(param.meaning, ArrayMeaning):
            builders = _argument_builders(low, param, arg)
            places[position] = [len(scalars) + k for k in range(len(builders))]
            scalars += builders
    built = low.operands(scalars, "argument")
    args: list[device.Expr | device.View] = []
    for position, (_, arg) in enumerate(given):
        if position in places:
            args += [built[k] for k in places[position]]
        else:
            bound = binding(low, arg)
            args.append(device.View(bound.array, bound.items, span=arg.span))
    return tuple(args)


def _argument_builders(low: Lowering, param: ParamMeaning, arg: surface.Expr) -> list[Callable[[], device.Expr]]:
    """One for each scalar that an argument is passed as."""
    if isinstance(param.meaning, TupleMeaning | VectorType):
        return item_builders(low, arg)
    return [lambda: _scalar_arg(low, arg, param.device)]


def _scalar_arg(low: Lowering, arg: surface.Expr, param: object) -> device.Expr:
    """An argument in the type that the parameter is passed in; an index integer must fit a narrower one."""
    assert isinstance(param, device.ScalarParam)
    exact = isinstance(kind_of(low, arg), IndexType) and param.dtype == I64
    return value(low, arg, INDEX if exact else param.dtype)


# --- print and contracts ----------------------------------------------------------------------------------


def _print_parts(low: Lowering, resolved: PrintCall) -> tuple[str | tuple[device.Expr, str], ...]:
    exprs = [part[0] for part in resolved.parts if not isinstance(part, str)]
    built = iter(low.operands([(lambda e=e: value(low, e)) for e in exprs], "shown"))
    merged: list[str | tuple[device.Expr, str]] = []
    for part in resolved.parts:
        if not isinstance(part, str):
            merged.append((next(built), part[1]))
        elif merged and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    return tuple(merged)


def _contract(low: Lowering, call: surface.Call, resolved: ContractCall) -> None:
    match resolved.name:
        case "requires":
            for cond in resolved.conditions:
                low.requires.append(_requirement(low, cond))
        case "invariant":
            low.emit(device.Invariant(condition(low, resolved.conditions[0]), span=call.span))
        case "trust":
            cond = condition(low, resolved.conditions[0]) if resolved.conditions else None
            ordered = binding(low, resolved.array).array if resolved.array is not None else None
            low.emit(device.Trust(cond, ordered, resolved.reason, span=call.span))


def _requirement(low: Lowering, expr: surface.Expr) -> device.Requirement:
    from transpiler.ir.pretty import condition_text

    ranks = {p.name: p.meaning.rank for p in low.typed.params if isinstance(p.meaning, ArrayMeaning)}
    contract = low.typed.calls.get(expr) if isinstance(expr, surface.Call) else None
    if isinstance(contract, ContractCall):
        array = binding(low, contract.conditions[0]).array.name
        args = tuple(value(low, e, INDEX) for e in contract.conditions[1:])
        text = ", ".join([array, *(condition_text(a, ranks) for a in args)])
        return device.Requirement(f"{contract.name}({text})", None, contract.name, array, args, span=expr.span)
    built = condition(low, expr)
    return device.Requirement(condition_text(built, ranks), built, span=expr.span)

"""One kernel or device function, typed: parameters, launch options, the fixpoint over the body, the checks behind it.

In: a module, a function, the values of its generics (`Instance`), for an unannotated kernel the types of its arguments.
Out: `Typed` (None where an error leaves nothing to lower) and diagnostics.
Non-goals: choosing an instance for a launch (`runtime`), proofs.
"""

from __future__ import annotations

from collections.abc import Mapping

from transpiler.check import ownership
from transpiler.check.assignment import check_assignment
from transpiler.check.context import Context, new_context
from transpiler.check.decorator import launch_of
from transpiler.check.determinism import check_determinism
from transpiler.check.meaning import ArrayMeaning, DimMeaning, DTypeRef, NoneMeaning, Static, Typed, settled
from transpiler.check.parameters import ArgumentType, Instance, bind_type_params, parameters
from transpiler.check.results import check_returns
from transpiler.check.statements import check_body
from transpiler.diagnostics import Diagnostic
from transpiler.ir import surface
from transpiler.ir.types import DType

_MOST_PASSES = 50
"""Types only climb a short lattice, so passes end; the bound guards against a mistake of ours."""


def check_kernel(
    module: surface.Module,
    function: surface.Function,
    instance: Instance | None = None,
    arguments: Mapping[str, ArgumentType] | None = None,
) -> tuple[Typed | None, list[Diagnostic]]:
    """Type one instance of a kernel."""
    ctx = new_context(module.home(function.source), function)
    ctx.muted = False
    for name, value in (instance or {}).items():
        if isinstance(value, DType):
            ctx.scope[name] = DTypeRef(value)
        elif value is not None:
            ctx.scope[name] = Static(value, name)
    bind_type_params(ctx)
    params = parameters(ctx, instance or {}, arguments or {})
    ctx.typed.params = params or ()
    ctx.dims = _dims(ctx.typed)
    ctx.typed.launch = launch_of(ctx, instance or {})
    if params is None or ctx.typed.launch is None:
        return None, ctx.diagnostics
    type_body(ctx)
    ctx.diagnostics += check_determinism(ctx.typed)
    errors = any(d.code.startswith("E") for d in ctx.diagnostics)
    return None if errors else ctx.typed, ctx.diagnostics


def _dims(typed: Typed) -> list[str]:
    arrays = (p.meaning for p in typed.params if isinstance(p.meaning, ArrayMeaning))
    return list(dict.fromkeys(e.name for array in arrays for e in array.shape if isinstance(e, DimMeaning)))


def type_body(ctx: Context) -> None:
    """Passes over the body until the types of locals stand still; then literals settle; then one pass that reports."""
    muted, ctx.muted = ctx.muted, True
    ctx.decorator_meanings = dict(ctx.typed.meanings)
    _fixpoint(ctx)
    for name, meaning in list(ctx.typed.locals.items()):
        ctx.typed.locals[name] = settled(meaning)
    _fixpoint(ctx)
    ctx.muted = muted
    _pass(ctx)
    falls_through = check_assignment(ctx)
    if ctx.function.is_kernel:
        ctx.typed.returns = NoneMeaning()
    else:
        check_returns(ctx, falls_through)
    ownership.check_outs(ctx)
    _unknown_locals(ctx)


def _fixpoint(ctx: Context) -> None:
    for _ in range(_MOST_PASSES):
        ctx.changed = False
        _pass(ctx)
        if not ctx.changed:
            return
    raise AssertionError(f"the types of {ctx.function.name} do not settle")


def _pass(ctx: Context) -> None:
    """Type the body once more; what a pass writes is taken back first, but for the types of locals."""
    ctx.typed.callees.clear()
    ctx.typed.meanings.clear()
    ctx.typed.meanings.update(ctx.decorator_meanings)
    ctx.typed.calls.clear()
    ctx.return_meanings.clear()
    ctx.unknown.clear()
    _assigned_parameters(ctx)
    check_body(ctx, ctx.function.body)


def _assigned_parameters(ctx: Context) -> None:
    """A scalar parameter that the body assigns is a local that starts with the argument."""
    for param in ctx.typed.params:
        if param.name in ctx.assignments and param.device is not None and not isinstance(param.meaning, ArrayMeaning):
            ctx.typed.locals.setdefault(param.name, param.meaning)
            ctx.first_assignment.setdefault(param.name, (param.meaning, param.span))


def _unknown_locals(ctx: Context) -> None:
    """A local that is read but never gets a type, where nothing else was found: only code that never runs assigns it."""
    if not any(d.code.startswith("E") for d in ctx.diagnostics):
        for name in ctx.unknown:
            ctx.report("E0209", name.span, f"`{name.id}` never gets a value", "assign it before")

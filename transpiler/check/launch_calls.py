"""Types of calls that speak of threads or to the host: `cuda.grid`, barriers, fences, `requires`, `invariant`, `trust`.

In: a `surface.Call`. Out: its meaning, and a `BarrierCall`, `FenceCall` or `ContractCall` in the table.
Non-goals: whether barriers are uniform and contracts hold (`prove`).
"""

from __future__ import annotations

from transpiler.check.calls import Form, arguments, resolved
from transpiler.check.context import Context
from transpiler.check.expressions import infer, infer_condition, infer_index
from transpiler.check.meaning import (
    ArrayMeaning,
    AtomicCall,
    BarrierCall,
    BuiltinCall,
    ContractCall,
    FenceCall,
    FunctionCall,
    IntrinsicCall,
    Meaning,
    NoneMeaning,
    Qualified,
    Static,
    Text,
    TupleMeaning,
)
from transpiler.ir import surface
from transpiler.ir.types import INDEX


def _grid(name: str) -> Form:
    def form(ctx: Context, call: surface.Call) -> Meaning | None:
        args = arguments(ctx, call, ("ndim",))
        count = infer(ctx, args[0]) if args and args[0] else None
        if not isinstance(count, Static) or count.value not in (1, 2, 3) or isinstance(count.value, bool):
            if args is not None and count is not None:
                ctx.report("E0205", call.span, f"`cuda.{name}` takes 1, 2 or 3")
            return None
        dims = int(count.value)
        ctx.typed.axes = max(ctx.typed.axes, dims)
        resolved(ctx, call, BuiltinCall(name, ()))
        return INDEX if dims == 1 else TupleMeaning((INDEX,) * dims)

    return form


def _barrier(scope: str, *names: str) -> Form:
    def form(ctx: Context, call: surface.Call) -> Meaning | None:
        args = arguments(ctx, call, names)
        if args is None:
            return None
        mask = args[0] if args else None
        if mask is not None and infer_index(ctx, mask, "a mask") is None:
            return None
        resolved(ctx, call, BarrierCall(scope, mask))
        return NoneMeaning()

    return form


def _fence(scope: str) -> Form:
    def form(ctx: Context, call: surface.Call) -> Meaning | None:
        if arguments(ctx, call, ()) is None:
            return None
        resolved(ctx, call, FenceCall(scope))
        return NoneMeaning()

    return form


def _this_grid(ctx: Context, call: surface.Call) -> Meaning | None:
    return Qualified("transpiler.cuda.this_grid()") if arguments(ctx, call, ()) is not None else None


DATA_CONTRACTS = {"injective": 1, "permutation": 1, "nondecreasing": 1, "in_range": 3}


def _requires(ctx: Context, call: surface.Call) -> Meaning | None:
    if call.keywords or not call.args:
        ctx.report("E0205", call.span, "`requires` takes conditions")
        return None
    if not ctx.function.is_kernel:
        ctx.report(
            "E0236",
            call.span,
            "`requires` belongs to a kernel: the host checks it at the launch",
            "write `assert` in a device function",
        )
        return None
    if ctx.branch_depth:
        ctx.report(
            "E0236", call.span, "`requires` under a condition: the host checks it at every launch", "move it to the top"
        )
        return None
    for condition in call.args:
        if not _data_contract(ctx, condition):
            infer_condition(ctx, condition)
            _launch_known(ctx, condition)
    resolved(ctx, call, ContractCall("requires", call.args))
    return NoneMeaning()


def _launch_known(ctx: Context, condition: surface.Expr) -> None:
    """A requirement speaks of dims, scalars, extents and launch dimensions: what the host knows before the launch."""
    from transpiler.ir.walk import surface_walk

    for node in surface_walk(condition):
        local = isinstance(node, surface.Name) and node.id in ctx.assignments
        thread = isinstance(node, surface.Attribute) and ctx.typed.meanings.get(node.value) in (
            Qualified("transpiler.cuda.threadIdx"),
            Qualified("transpiler.cuda.blockIdx"),
        )
        element = isinstance(node, surface.Subscript) and isinstance(ctx.typed.meanings.get(node.value), ArrayMeaning)
        computed = isinstance(node, surface.Call) and isinstance(
            ctx.typed.calls.get(node), IntrinsicCall | FunctionCall | AtomicCall
        )
        if local or thread or element or computed:
            ctx.report(
                "E0236",
                node.span,
                "the host checks a requirement before the launch: it speaks of dims, scalars, extents, `gridDim`, `blockDim`",
                "a condition on values inside the kernel is an `assert`",
            )


def _data_contract(ctx: Context, condition: surface.Expr) -> bool:
    if not isinstance(condition, surface.Call):
        return False
    callee = infer(ctx, condition.func)
    name = callee.name.removeprefix("transpiler.") if isinstance(callee, Qualified) else ""
    if name not in DATA_CONTRACTS:
        return False
    names = ("p",) if DATA_CONTRACTS[name] == 1 else ("p", "lo", "hi")
    args = arguments(ctx, condition, names)
    if args is None or args[0] is None:
        return True
    array = infer(ctx, args[0])
    if not isinstance(array, ArrayMeaning) or array.space != "param" or array.rank != 1 or not array.dtype.is_integer:
        ctx.report("E0236", condition.span, f"`{name}` speaks of a 1-d integer array parameter")
    elif array.ownership != "in" and not (name == "in_range" and array.ownership in ("atomic", "inout")):
        ctx.report(
            "E0236", condition.span, f"`{name}` speaks of an array that the kernel only reads", "annotate it `In[...]`"
        )
    for bound in args[1:]:
        if bound is not None:
            infer_index(ctx, bound, "a bound")
    resolved(ctx, condition, ContractCall(name, tuple(a for a in args if a is not None)))
    return True


def _invariant(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("cond",))
    if args is None or args[0] is None:
        return None
    if call not in ctx.leading:
        ctx.report("E0236", call.span, "an `invariant` opens the body of a loop: it holds whenever the loop goes round")
    infer_condition(ctx, args[0])
    resolved(ctx, call, ContractCall("invariant", (args[0],)))
    return NoneMeaning()


def _trust(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("cond", "reason"))
    if args is None or args[0] is None:
        return None
    reason = infer(ctx, args[1]) if args[1] is not None else None
    if not isinstance(reason, Text) or not reason.value.strip():
        ctx.report("E0236", call.span, "`trust` wants a reason, as literal text, for whoever reads the report")
        return None
    if isinstance(args[0], surface.Call) and infer(ctx, args[0].func) == Qualified("transpiler.ordered"):
        return _trust_ordered(ctx, call, args[0], reason.value)
    infer_condition(ctx, args[0])
    resolved(ctx, call, ContractCall("trust", (args[0],), reason=reason.value))
    return NoneMeaning()


def _trust_ordered(ctx: Context, call: surface.Call, ordered: surface.Call, reason: str) -> Meaning | None:
    args = arguments(ctx, ordered, ("array",))
    array = infer(ctx, args[0]) if args and args[0] else None
    if not isinstance(array, ArrayMeaning):
        ctx.report("E0236", ordered.span, "`ordered` speaks of an array")
        return None
    resolved(ctx, call, ContractCall("trust", (), ordered.args[0], reason))
    return NoneMeaning()


def _misplaced_contract(name: str) -> Form:
    def form(ctx: Context, call: surface.Call) -> Meaning | None:
        where = "`trust(ordered(a), ...)`" if name == "ordered" else "`requires(...)`"
        ctx.report("E0236", call.span, f"`{name}` stands in {where} only")
        return None

    return form


FORMS: dict[str, Form] = {
    "transpiler.cuda.grid": _grid("grid"),
    "transpiler.cuda.gridsize": _grid("gridsize"),
    "transpiler.cuda.syncthreads": _barrier("block"),
    "transpiler.cuda.syncwarp": _barrier("warp", "mask="),
    "transpiler.cuda.this_grid": _this_grid,
    "transpiler.cuda.cg.this_grid": _this_grid,
    "transpiler.cuda.this_grid().sync": _barrier("grid"),
    "transpiler.cuda.threadfence": _fence("device"),
    "transpiler.cuda.threadfence_block": _fence("block"),
    "transpiler.cuda.threadfence_system": _fence("system"),
    "transpiler.requires": _requires,
    "transpiler.invariant": _invariant,
    "transpiler.trust": _trust,
    "transpiler.ordered": _misplaced_contract("ordered"),
    **{f"transpiler.{name}": _misplaced_contract(name) for name in DATA_CONTRACTS},
}

"""Types of calls: built-ins, casts, special forms of `cuda`, table intrinsics, device functions.

In: a `surface.Call`. Out: its meaning, and in `typed.calls` the `ResolvedCall` that `lower` builds from. A special form is one
row of `FORMS`; a plain intrinsic needs none: it is looked up in the table of intrinsics.
Non-goals: atomics and memory (`memory_calls`), loops over `range` (`loops`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from transpiler.check import promotion
from transpiler.check.context import BUILTIN_DTYPES, Context
from transpiler.check.expressions import describe, infer, infer_condition, infer_index, infer_number
from transpiler.check.meaning import (
    ArrayMeaning,
    BarrierCall,
    BuiltinCall,
    CastCall,
    ContractCall,
    DeviceRef,
    DTypeRef,
    FenceCall,
    FunctionCall,
    IntrinsicCall,
    Meaning,
    NoneMeaning,
    PrintCall,
    Qualified,
    Static,
    Text,
    TupleMeaning,
    VectorCall,
    VectorRef,
    type_of,
)
from transpiler.ir import surface
from transpiler.ir.types import BOOL, F32, I32, INDEX, DType, Type, VectorType

Form = Callable[[Context, surface.Call], Meaning | None]


def infer_call(ctx: Context, call: surface.Call) -> Meaning | None:
    callee = infer(ctx, call.func)
    match callee:
        case Qualified():
            return _named(ctx, call, callee.name)
        case DTypeRef():
            return cast(ctx, call, callee.dtype)
        case VectorRef():
            return _vector(ctx, call, callee.type)
        case DeviceRef():
            return _device_call(ctx, call, callee.function)
        case None:
            for arg in call.args:
                infer(ctx, arg)
            return None
    ctx.report("E0204", call.func.span, f"{describe(callee)} cannot be called")
    return None


def _named(ctx: Context, call: surface.Call, name: str) -> Meaning | None:
    from transpiler.check import loops, memory_calls

    for table in (FORMS, memory_calls.FORMS, loops.FORMS):
        form = table.get(name)
        if form is not None:
            return form(ctx, call)
    if name in BUILTIN_DTYPES:
        return _builtin_cast(ctx, call, name)
    return _intrinsic(ctx, call, name)


def arguments(ctx: Context, call: surface.Call, names: Sequence[str]) -> list[surface.Expr | None] | None:
    """The arguments in the order of `names`; a name ending in `=` may be missing (then None). Reports wrong ones."""
    plain = [n.rstrip("=") for n in names]
    bound: dict[str, surface.Expr] = {}
    what = ctx.source.slice(call.func.span)
    if len(call.args) > len(names):
        ctx.report("E0205", call.span, f"`{what}` takes {len(names)} arguments, not {len(call.args)}")
        return None
    for name, arg in zip(plain, call.args, strict=False):
        bound[name] = arg
    for keyword in call.keywords:
        if keyword.name not in plain or keyword.name in bound:
            reason = "is given twice" if keyword.name in bound else "is not a parameter"
            ctx.report(
                "E0205",
                keyword.span,
                f"`{keyword.name}` {reason} of `{what}`",
                f"it has the parameters {', '.join(plain)}",
            )
            return None
        bound[keyword.name] = keyword.value
    missing = [n for n in names if not n.endswith("=") and n not in bound]
    if missing:
        ctx.report(
            "E0205",
            call.span,
            f"`{what}` lacks the argument `{missing[0]}`",
            f"it has the parameters {', '.join(plain)}",
        )
        return None
    return [bound.get(n) for n in plain]


def resolved(ctx: Context, call: surface.Call, value: object) -> None:
    ctx.typed.calls[call] = value  # type: ignore[assignment]


# --- casts ------------------------------------------------------------------------------------------------


def cast(ctx: Context, call: surface.Call, dtype: DType) -> Meaning | None:
    """`f32(x)`: a conversion that the user asks for."""
    args = arguments(ctx, call, ("x",))
    if args is None or args[0] is None:
        return None
    if infer_number(ctx, args[0], f"the argument of `{dtype}(...)`") is None:
        return None
    value = ctx.typed.meanings.get(args[0])
    if (
        isinstance(value, Static)
        and isinstance(value.value, int)
        and not promotion.fits(value.value, dtype)
        and dtype.kind == "float"
    ):
        ctx.report("E0208", call.span, f"the number {value.value} does not fit {dtype}")
        return None
    resolved(ctx, call, CastCall(dtype, args[0]))
    return dtype


def _builtin_cast(ctx: Context, call: surface.Call, name: str) -> Meaning | None:
    args = arguments(ctx, call, ("x",))
    if args is None or args[0] is None:
        return None
    operand = infer_number(ctx, args[0], f"the argument of `{name.removeprefix('builtins.')}`")
    if operand is None:
        return None
    value = ctx.typed.meanings[args[0]]
    if isinstance(value, Static):
        try:
            return Static({"builtins.int": int, "builtins.float": float, "builtins.bool": bool}[name](value.value))
        except (OverflowError, ValueError):
            ctx.report("E0208", call.span, f"{value.value} is no integer")
            return None
    target: Type
    if name == "builtins.bool":
        target = BOOL
    elif name == "builtins.float":
        ctx.report(
            "W0206", call.span, "`float(x)` is f32 in a kernel; Python's is 64 bits wide", "write `f32(x)` or `f64(x)`"
        )
        target = F32
    elif promotion.is_int(operand):
        resolved(ctx, call, BuiltinCall("int", (args[0],)))
        return operand
    else:
        target = I32
    assert isinstance(target, DType)
    resolved(ctx, call, CastCall(target, args[0]))
    return target


# --- built-ins --------------------------------------------------------------------------------------------


def _len(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("a",))
    if args is None or args[0] is None:
        return None
    value = infer(ctx, args[0])
    if isinstance(value, TupleMeaning):
        return Static(len(value.items))
    if isinstance(value, VectorType):
        return Static(value.size)
    if not isinstance(value, ArrayMeaning):
        if value is not None:
            ctx.report("E0204", call.span, f"`len` of {describe(value)}")
        return None
    if value.rank == 0:
        ctx.report("E0204", call.span, "`len` of a 0-d array")
        return None
    resolved(ctx, call, BuiltinCall("len", (args[0],)))
    extent = value.shape[0]
    return Static(extent) if isinstance(extent, int) else INDEX


def _abs(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("x",))
    value = infer_number(ctx, args[0], "the argument of `abs`") if args and args[0] else None
    if value is None or args is None or args[0] is None:
        return None
    known = ctx.typed.meanings[args[0]]
    if isinstance(known, Static):
        return Static(abs(known.value))
    resolved(ctx, call, BuiltinCall("abs", (args[0],)))
    return I32 if value == BOOL else value


def _extremum(name: str) -> Form:
    def form(ctx: Context, call: surface.Call) -> Meaning | None:
        if call.keywords or len(call.args) < 2:
            ctx.report(
                "E0226",
                call.span,
                f"`{name}` takes two or more numbers",
                "`key=`, `default=` and one iterable are not part of the language: write a loop",
            )
            return None
        types = [infer_number(ctx, arg, f"an argument of `{name}`") for arg in call.args]
        meanings = [ctx.typed.meanings.get(arg) for arg in call.args]
        if None in types:
            return None
        if all(isinstance(m, Static) for m in meanings):
            values = [m.value for m in meanings if isinstance(m, Static)]
            return Static(min(values) if name == "min" else max(values))
        result = types[0]
        for value in types[1:]:
            assert result is not None and value is not None
            joined = result if result == value == BOOL else promotion.arithmetic_type(result, value)
            if isinstance(joined, promotion.Refusal):
                ctx.report("E0204", call.span, joined.reason, joined.help)
                return None
            result = joined.operand if isinstance(joined, promotion.Promoted) else joined
        resolved(ctx, call, BuiltinCall(name, call.args))
        return result

    return form


def _round(ctx: Context, call: surface.Call) -> Meaning | None:
    if len(call.args) + len(call.keywords) > 1:
        ctx.report(
            "E0227", call.span, "`round` with digits is not part of the language", "scale, round, and scale back"
        )
        return None
    args = arguments(ctx, call, ("x",))
    value = infer_number(ctx, args[0], "the argument of `round`") if args and args[0] else None
    if value is None or args is None or args[0] is None:
        return None
    known = ctx.typed.meanings[args[0]]
    if isinstance(known, Static):
        return Static(round(known.value))
    if promotion.is_int(value) or value == BOOL:
        resolved(ctx, call, BuiltinCall("int", (args[0],)))
        return value
    return _intrinsic(ctx, call, "builtins.round")


def _divmod(ctx: Context, call: surface.Call) -> Meaning | None:
    from transpiler.check.expressions import binary_type

    args = arguments(ctx, call, ("a", "b"))
    if args is None or args[0] is None or args[1] is None:
        return None
    left, right = infer(ctx, args[0]), infer(ctx, args[1])
    if (
        left is None
        or right is None
        or infer_number(ctx, args[0], "an argument of `divmod`") is None
        or infer_number(ctx, args[1], "an argument of `divmod`") is None
    ):
        return None
    item = binary_type(ctx, call.span, "//", left, right)
    if item is None:
        return None
    resolved(ctx, call, BuiltinCall("divmod", (args[0], args[1])))
    return TupleMeaning((item, item))


def _pow(ctx: Context, call: surface.Call) -> Meaning | None:
    from transpiler.check.expressions import binary_type

    if len(call.args) != 2 or call.keywords:
        ctx.report("E0205", call.span, "`pow` takes two numbers here")
        return None
    left, right = infer(ctx, call.args[0]), infer(ctx, call.args[1])
    if (
        left is None
        or right is None
        or infer_number(ctx, call.args[0], "an argument of `pow`") is None
        or infer_number(ctx, call.args[1], "an argument of `pow`") is None
    ):
        return None
    resolved(ctx, call, BuiltinCall("pow", call.args))
    return binary_type(ctx, call.span, "**", left, right)


def _print(ctx: Context, call: surface.Call) -> Meaning | None:
    options = {"sep": " ", "end": "\n"}
    for keyword in call.keywords:
        if keyword.name not in options or not isinstance(keyword.value, surface.Str):
            ctx.report(
                "E0230",
                keyword.span,
                f"`print` in a kernel has `sep=` and `end=` with literal text, not `{keyword.name}`",
            )
            return None
        options[keyword.name] = keyword.value.value
    parts: list[str | tuple[surface.Expr, str]] = []
    for position, arg in enumerate(call.args):
        if position:
            parts.append(options["sep"])
        if not _print_item(ctx, arg, parts):
            return None
    parts.append(options["end"])
    resolved(ctx, call, PrintCall(tuple(parts)))
    return NoneMeaning()


def _print_item(ctx: Context, arg: surface.Expr, parts: list[str | tuple[surface.Expr, str]]) -> bool:
    if isinstance(arg, surface.Str):
        parts.append(arg.value)
        return True
    if isinstance(arg, surface.FString):
        return all(_print_piece(ctx, piece, parts) for piece in arg.parts)
    if infer_number(ctx, arg, "what `print` shows") is None:
        return False
    parts.append((arg, ""))
    return True


def _print_piece(
    ctx: Context, piece: surface.Str | surface.FormattedValue, parts: list[str | tuple[surface.Expr, str]]
) -> bool:
    import re

    if isinstance(piece, surface.Str):
        parts.append(piece.value)
        return True
    value = infer_number(ctx, piece.value, "what `print` shows")
    if value is None:
        return False
    pattern = r"0?\d*(\.\d+)?[fgeE]?" if promotion.is_float(value) else r"0?\d*[dxX]?"
    if not re.fullmatch(pattern, piece.spec):
        ctx.report(
            "E0230",
            piece.span,
            f"the format `{piece.spec}` of {value} is not supported in a kernel",
            "width, `.3f`, `g`, `e`, `d` and `x` are",
        )
        return False
    parts.append((piece.value, piece.spec))
    return True


# --- vectors, launch variables ----------------------------------------------------------------------------


def _vec(ctx: Context, call: surface.Call) -> Meaning | None:
    args = arguments(ctx, call, ("dtype", "size"))
    if args is None or args[0] is None or args[1] is None:
        return None
    dtype, size = infer(ctx, args[0]), infer(ctx, args[1])
    if (
        not isinstance(dtype, DTypeRef)
        or not isinstance(size, Static)
        or not isinstance(size.value, int)
        or not 2 <= size.value <= 4
    ):
        ctx.report("E0205", call.span, "`vec` takes a dtype and 2, 3 or 4")
        return None
    return VectorRef(VectorType(dtype.dtype, size.value))


def _vector(ctx: Context, call: surface.Call, vector: VectorType) -> Meaning | None:
    if call.keywords or len(call.args) not in (1, vector.size):
        ctx.report("E0205", call.span, f"{vector} is made of {vector.size} numbers, or of one for all")
        return None
    for arg in call.args:
        value = infer_number(ctx, arg, "an item of a vector")
        if value is None or not storable(ctx, arg, value, vector.dtype):
            return None
    resolved(ctx, call, VectorCall(vector, call.args))
    return vector


def storable(ctx: Context, expr: surface.Expr, value: Type, target: Type) -> bool:
    """Whether the value of `expr` may be stored as `target`; reports why not, and warns where digits are lost."""
    meaning = ctx.typed.meanings.get(expr)
    if isinstance(meaning, Static) and promotion.is_number(value):
        converted = promotion.conversion(value, target)
        if not isinstance(converted, promotion.Refusal) and not promotion.fits(meaning.value, target):
            ctx.report("E0208", expr.span, f"the number {meaning.value} does not fit {target}")
            return False
    converted = promotion.conversion(value, target)
    if isinstance(converted, promotion.Refusal):
        ctx.report("E0207", expr.span, converted.reason, converted.help)
        return False
    if converted.warning:
        ctx.report(
            converted.warning,
            expr.span,
            f"{value} is narrowed to {target}",
            f"write `{target}(...)` to say that this is meant",
        )
    return True


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


# --- barriers, fences, contracts --------------------------------------------------------------------------


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
        if local or thread or element:
            ctx.report(
                "E0236",
                node.span,
                "a requirement is checked by the host before the launch: it speaks of dims, scalars, extents, `gridDim` and `blockDim`",
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
    elif array.ownership != "in":
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
    if ctx.loop_depth == 0:
        ctx.report("E0236", call.span, "`invariant` stands in the body of a loop")
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


# --- table intrinsics -------------------------------------------------------------------------------------


def _intrinsic(ctx: Context, call: surface.Call, name: str) -> Meaning | None:
    from transpiler.intrinsics import ALIASES, TABLE

    entry = TABLE.get(ALIASES.get(name, name))
    if entry is None:
        shown = name.removeprefix("builtins.").removeprefix("transpiler.")
        ctx.report(
            "E0202", call.func.span, f"`{shown}` is not part of the kernel language", _suggestion(shown, list(TABLE))
        )
        return None
    defaults = dict(p.split("=", 1) for p in entry.params if "=" in p)
    args = arguments(ctx, call, [p.split("=")[0] + ("=" if "=" in p else "") for p in entry.params])
    if args is None:
        return None
    actual: list[surface.Expr | Static] = []
    types: list[Type] = []
    for param, arg in zip(entry.params, args, strict=True):
        if arg is None and defaults[param.split("=")[0]] == "None":
            continue
        if arg is None:
            static = Static(int(defaults[param.split("=")[0]], 0))
            actual.append(static)
            types.append(static.type)
            continue
        value = infer_number(ctx, arg, f"the argument `{param.split('=')[0]}`")
        if value is None:
            return None
        actual.append(arg)
        types.append(value)
    signature = entry.rule(tuple(types))
    if isinstance(signature, str):
        ctx.report("E0206", call.span, signature)
        return None
    for arg, target in zip(actual, signature.args, strict=True):
        known = ctx.typed.meanings.get(arg) if isinstance(arg, surface.Expr) else arg
        if isinstance(known, Static) and not promotion.fits(known.value, target):
            ctx.report("E0208", call.span, f"the number {known.value} does not fit {target}")
            return None
    resolved(ctx, call, IntrinsicCall(entry, signature, tuple(actual)))
    match len(signature.results):
        case 0:
            return NoneMeaning()
        case 1:
            return signature.results[0]
    return TupleMeaning(signature.results)


def _suggestion(name: str, known: list[str]) -> str | None:
    import difflib

    short = {k.removeprefix("transpiler."): k for k in known}
    near = difflib.get_close_matches(name, short, n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else None


# --- device functions -------------------------------------------------------------------------------------


def _device_call(ctx: Context, call: surface.Call, function: surface.Function) -> Meaning | None:
    names = [p.name + ("=" if p.default is not None else "") for p in function.params]
    args = arguments(ctx, call, names)
    if args is None:
        return None
    if function in ctx.stack:
        ctx.report(
            "E0219",
            call.span,
            f"`{function.name}` calls itself, here or through others: a GPU thread has no deep stack",
            "write a loop",
        )
        return None
    meanings: list[Meaning] = []
    exprs: list[surface.Expr | None] = []
    for param, arg in zip(function.params, args, strict=True):
        expr = arg if arg is not None else param.default
        assert expr is not None
        meaning = infer(ctx, expr)
        if meaning is None:
            return None
        meanings.append(meaning)
        exprs.append(expr)
    callee = ctx.instances(function, tuple(meanings), ctx, call.span)
    if callee is None:
        return None
    passed: list[surface.Expr | None] = []
    for param, expr in zip(callee.params, exprs, strict=True):
        passed.append(None if isinstance(param.meaning, Static | DTypeRef | NoneMeaning) else expr)
        if param.device is not None and expr is not None and not _accepts(ctx, expr, param.meaning):
            return None
    resolved(ctx, call, FunctionCall(callee, tuple(passed)))
    if callee not in ctx.typed.callees:
        ctx.typed.callees.append(callee)
    ctx.typed.axes = max(ctx.typed.axes, callee.axes)
    return callee.returns


def _accepts(ctx: Context, expr: surface.Expr, param: Meaning) -> bool:
    value, target = type_of(ctx.typed.meanings.get(expr)), type_of(param)
    if value is None or target is None or isinstance(param, ArrayMeaning | TupleMeaning | VectorType):
        return True
    return storable(ctx, expr, value, target)


FORMS: dict[str, Form] = {
    "builtins.len": _len,
    "builtins.abs": _abs,
    "builtins.min": _extremum("min"),
    "builtins.max": _extremum("max"),
    "builtins.round": _round,
    "builtins.divmod": _divmod,
    "builtins.pow": _pow,
    "builtins.print": _print,
    "transpiler.vec": _vec,
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

"""The decorator of a kernel: block, grid, domain, options, instances.

In: `@kernel(...)` as parsed. Out: `Launch`, or None after a report. Everything is in x, y, z order.
Non-goals: launch limits of a device (`runtime`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transpiler.check.context import Context
from transpiler.check.expressions import infer
from transpiler.check.meaning import DTypeRef, Launch, Static
from transpiler.check.module_constants import fold_static
from transpiler.ir import device, surface
from transpiler.ir.types import DType
from transpiler.ir.walk import surface_walk

_WORDS = {"checks": ("static", "dynamic"), "asserts": ("on", "off"), "fma": ("on", "off"), "track": ("simt", "tile")}
_FLAGS = ("fast_math", "deterministic")
_COUNTS = ("min_blocks", "max_registers")
_LAUNCH = ("block", "grid", "domain", "instances")
_MOST_THREADS = 1024
_LARGEST_BLOCK = (1024, 1024, 64)


def _decorator(ctx: Context) -> surface.Decorator | None:
    return next((d for d in ctx.function.decorators if d.name == "transpiler.kernel"), None)


def _keywords(ctx: Context) -> dict[str, surface.Expr]:
    decorator = _decorator(ctx)
    return {k.name: k.value for k in decorator.keywords} if decorator is not None else {}


def launch_of(ctx: Context, instance: Mapping[str, object]) -> Launch | None:
    """What the decorators of this function say, checked."""
    check_decorators(ctx)
    keywords = _keywords(ctx)
    errors = sum(d.code.startswith("E") for d in ctx.diagnostics)
    block = _block(ctx, keywords["block"]) if "block" in keywords else None
    grid = _sizes(ctx, keywords, "grid")
    domain = _sizes(ctx, keywords, "domain")
    if grid is not None and domain is not None:
        ctx.report("E0231", keywords["domain"].span, "`grid=` and `domain=` both fix the grid", "keep one of them")
    if domain is not None and block is None:
        ctx.report("E0231", keywords["domain"].span, "`domain=` needs `block=`: the grid is `ceil(domain / block)`")
    options = _options(ctx, keywords)
    if options is None or sum(d.code.startswith("E") for d in ctx.diagnostics) > errors:
        return None
    return Launch(block, grid, domain, options, _labels(ctx, instance), tuple(ctx.dims))


def _labels(ctx: Context, instance: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """What tells this instance from others: generic dtypes, then parameters in their order."""
    names = [p.name for p in ctx.function.params]
    values = {p.name: p.meaning.value for p in ctx.typed.params if isinstance(p.meaning, Static)}
    ordered = sorted(instance, key=lambda name: names.index(name) if name in names else -1)
    return tuple((name, str(values.get(name, instance[name]))) for name in ordered)


def check_decorators(ctx: Context) -> None:
    """Report decorators and options that mean nothing here."""
    for decorator in ctx.function.decorators:
        if decorator.name == "transpiler.kernel":
            known = (*_LAUNCH, *_WORDS, *_FLAGS, *_COUNTS)
            for keyword in decorator.keywords:
                if keyword.name not in known:
                    ctx.report(
                        "E0215",
                        keyword.span,
                        f"`@kernel` has no option `{keyword.name}`",
                        f"options are {', '.join(known)}",
                    )
            if decorator.args:
                ctx.report(
                    "E0215", decorator.span, "the options of `@kernel` are keywords", "write `@kernel(block=256)`"
                )
        elif decorator.name != "transpiler.device":
            ctx.report(
                "E0215",
                decorator.span,
                f"the decorator `{decorator.name}` has no meaning on a device",
                "remove it, or wrap the launch in a function",
            )


def _block(ctx: Context, expr: surface.Expr) -> tuple[int | None, int | None, int | None] | None:
    items = expr.items if isinstance(expr, surface.TupleExpr) else (expr,)
    sizes: list[int] = []
    for item in items:
        folded = infer(ctx, item)
        if not isinstance(folded, Static) or not isinstance(folded.value, int) or isinstance(folded.value, bool):
            ctx.report(
                "E0231",
                item.span,
                "`block=` is made of integers known at compile time",
                "leave `block=` away and give the block at the launch",
            )
            return None
        sizes.append(folded.value)
    if len(sizes) > 3 or any(n < 1 for n in sizes):
        ctx.report("E0231", expr.span, "`block=` is one to three positive numbers, in x, y, z order")
        return None
    while len(sizes) < 3:
        sizes.append(1)
    threads = sizes[0] * sizes[1] * sizes[2]
    if threads > _MOST_THREADS or any(n > most for n, most in zip(sizes, _LARGEST_BLOCK, strict=True)):
        ctx.report(
            "E0231", expr.span, f"a block of {threads} threads: a block has at most 1024, and at most 64 along z"
        )
        return None
    return sizes[0], sizes[1], sizes[2]


def _sizes(ctx: Context, keywords: dict[str, surface.Expr], name: str) -> tuple[surface.Expr, ...] | None:
    expr = keywords.get(name)
    if expr is None:
        return None
    items = expr.items if isinstance(expr, surface.TupleExpr) else (expr,)
    if not 1 <= len(items) <= 3:
        ctx.report("E0231", expr.span, f"`{name}=` is one to three sizes, in x, y, z order")
        return None
    for item in items:
        if not _names_a_local(ctx, item, name) and infer(ctx, item) is not None:
            _host_known(ctx, item, name)
    return items


def _names_a_local(ctx: Context, item: surface.Expr, name: str) -> bool:
    local = next(
        (
            n
            for n in surface_walk(item)
            if isinstance(n, surface.Name) and n.id in ctx.assignments.keys() - ctx.scope.keys()
        ),
        None,
    )
    if local is not None:
        ctx.report(
            "E0231", local.span, f"`{local.id}` is a local of the kernel: `{name}=` is computed before the launch"
        )
    return local is not None


def _host_known(ctx: Context, item: surface.Expr, name: str) -> None:
    """A size of the grid is computed by the host: dims, constants and scalar parameters."""
    from transpiler.check.meaning import type_of
    from transpiler.check.promotion import is_int

    meaning = ctx.typed.meanings.get(item)
    value = type_of(meaning)
    if value is None or not is_int(value):
        ctx.report("E0231", item.span, f"`{name}=` is made of integers: dims, constants, scalar parameters")
    for node in surface_walk(item):
        if isinstance(node, surface.Call):
            ctx.report(
                "E0231",
                node.span,
                f"a call in `{name}=` is not understood",
                "write arithmetic on dims, such as `(N + 31) // 32`",
            )


def _options(ctx: Context, keywords: dict[str, surface.Expr]) -> device.Options | None:
    values: dict[str, Any] = {}
    for name, words in _WORDS.items():
        if name in keywords:
            expr = keywords[name]
            if not isinstance(expr, surface.Str) or expr.value not in words:
                ctx.report("E0215", expr.span, f"`{name}=` is one of {', '.join(map(repr, words))}")
                return None
            values[name] = expr.value
    for name in _FLAGS:
        if name in keywords:
            folded = fold_static(ctx.module, keywords[name])
            if not isinstance(folded, Static) or not isinstance(folded.value, bool):
                ctx.report("E0215", keywords[name].span, f"`{name}=` is True or False")
                return None
            values[name] = folded.value
    for name in _COUNTS:
        if name in keywords:
            folded = fold_static(ctx.module, keywords[name])
            if not isinstance(folded, Static) or not isinstance(folded.value, int) or folded.value < 1:
                ctx.report("E0215", keywords[name].span, f"`{name}=` is a positive integer")
                return None
            values[name] = folded.value
    if values.pop("track", "simt") == "tile":
        ctx.report(
            "E0601", keywords["track"].span, "the tile track is not built yet", "write the kernel for the SIMT track"
        )
        return None
    return device.Options(**values)


def listed_instances(ctx: Context) -> list[dict[str, DType | int | float | bool | None]] | None:
    """`instances=[{"TILE": 16, "T": f32}, ...]`, empty when it is not given; None after a report."""
    expr = _keywords(ctx).get("instances")
    if expr is None:
        return []
    entries: list[dict[str, DType | int | float | bool | None]] = []
    for item in expr.items if isinstance(expr, surface.ListExpr | surface.TupleExpr) else (expr,):
        entry = _entry(ctx, item)
        if entry is None:
            ctx.report("E0215", item.span, 'an instance is a dict of names and constants: `{"TILE": 16}`')
            return None
        entries.append(entry)
    return entries


def _entry(ctx: Context, item: surface.Expr) -> dict[str, DType | int | float | bool | None] | None:
    if not isinstance(item, surface.DictExpr):
        return None
    entry: dict[str, DType | int | float | bool | None] = {}
    for key, value in zip(item.keys, item.values, strict=True):
        folded = fold_static(ctx.module, value)
        if not isinstance(key, surface.Str):
            return None
        if isinstance(folded, Static):
            entry[key.value] = folded.value
        elif isinstance(folded, DTypeRef):
            entry[key.value] = folded.dtype
        elif isinstance(value, surface.NoneLiteral):
            entry[key.value] = None
        else:
            return None
    return entry

"""The instances that ahead-of-time output holds: dtypes of generics, values of `Const` parameters.

In: a module and a kernel of it. Out: one mapping an instance, or E0233 where a `Const` parameter has no value.
Non-goals: the instance of a launch (`runtime`).
"""

from __future__ import annotations

import itertools

from transpiler.check.annotations import CONST_KINDS, qualified_name
from transpiler.check.context import Context, new_context
from transpiler.check.decorator import listed_instances
from transpiler.check.meaning import Static
from transpiler.check.module_constants import fold_static
from transpiler.diagnostics import Diagnostic
from transpiler.ir import surface
from transpiler.ir.types import DTYPES, DType
from transpiler.ir.walk import surface_walk

Values = dict[str, DType | int | float | bool | None]


def instances_of(module: surface.Module, function: surface.Function) -> tuple[list[Values], list[Diagnostic]]:
    """Every dtype of each generic, times the decorator's `instances=`."""
    ctx = new_context(module, function)
    ctx.muted = False
    listed = listed_instances(ctx)
    if listed is None:
        return [], ctx.diagnostics
    entries = [{**_defaults(module, function), **entry} for entry in listed or [{}]]
    for const in (p for p in function.params if _is_const(module, p)):
        if any(const.name not in entry for entry in entries):
            ctx.report(
                "E0233",
                const.span,
                f"`{const.name}` is a `Const` parameter and no instance gives its value",
                f'write `@kernel(instances=[{{"{const.name}": 16}}, ...])`',
            )
            return [], ctx.diagnostics
    generics = _generics(module, function)
    products = [dict(zip(generics, values, strict=True)) for values in itertools.product(*generics.values())]
    instances = [{**product, **entry} for product in products for entry in entries]
    return [i for i in instances if _allowed(ctx, i, generics)], ctx.diagnostics


def _defaults(module: surface.Module, function: surface.Function) -> Values:
    """Values of `Const` parameters that have a default."""
    found: Values = {}
    for param in function.params:
        if param.default is not None and _is_const(module, param):
            folded = fold_static(module, param.default)
            if isinstance(folded, Static):
                found[param.name] = folded.value
    return found


def _is_const(module: surface.Module, param: surface.Param) -> bool:
    a = param.annotation
    if not isinstance(a, surface.Subscript) or qualified_name(module, a.value) != "transpiler.Const":
        return False
    return qualified_name(module, a.items[0]).removeprefix("builtins.") in CONST_KINDS


def _generics(module: surface.Module, function: surface.Function) -> dict[str, list[DType]]:
    found: dict[str, list[DType]] = {}
    annotations = [p.annotation for p in function.params if p.annotation is not None]
    for node in itertools.chain.from_iterable(surface_walk(a) for a in annotations):
        definition = module.names.get(node.id) if isinstance(node, surface.Name) else None
        if isinstance(definition, surface.DTypeDef):
            found[definition.name] = [DTYPES[name] for name in definition.of]
    return found


def _allowed(ctx: Context, instance: Values, generics: dict[str, list[DType]]) -> bool:
    """Whether the dtypes that `instances=` gives are among those of the generic."""
    for name, dtypes in generics.items():
        if instance[name] not in dtypes:
            of = ", ".join(map(str, dtypes))
            ctx.report(
                "E0215", ctx.function.name_span, f"`instances=` gives {instance[name]} for `{name}`: it is one of {of}"
            )
            return False
    return True

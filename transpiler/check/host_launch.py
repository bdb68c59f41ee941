"""One launch in host code, compared with the kernel's parameters.

In: a call, the kernel, the facts at that place. Out: diagnostics with the codes of the launch (E08), for what cannot be right.
Non-goals: whether the launch is reached; sizes; ranges of scalars: the launch itself checks those.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from transpiler.check.annotations import OWNERSHIP, ArrayAnnotation, ScalarAnnotation, annotation, qualified_name
from transpiler.check.context import new_context
from transpiler.check.host_facts import Env, Value, qualified, value_of
from transpiler.diagnostics import Diagnostic
from transpiler.ir import surface

_KEYWORDS = {
    "call": ("stream", "sync"),
    "configured": ("stream", "smem", "sync"),
    "bind": ("stream",),
    "bind configured": ("stream", "smem"),
    "simulate": ("grid", "block", "schedule", "smem"),
    "testing": ("grid", "block"),
}
"""What each way to launch takes beside the kernel's own parameters."""

Report = Callable[[str, ast.expr, str, "str | None"], Diagnostic]
"""Code, place, message, help."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """`kind` is `array`, `scalar` or empty (not known); `dtype` and `rank` are None where any is right."""

    name: str
    kind: str
    ownership: str = ""
    dtype: str | None = None
    rank: int | None = None
    optional: bool = False
    required: bool = True
    keyword_only: bool = False

    @property
    def is_written(self) -> bool:
        return self.ownership in ("out", "inout", "atomic")


@dataclass(frozen=True, slots=True)
class Site:
    """A call that launches `function`; `way` is a key of `_KEYWORDS`, `args` are those for the kernel."""

    function: surface.Function
    way: str
    node: ast.Call
    args: list[ast.expr]

    @property
    def on_device(self) -> bool:
        return self.way not in ("simulate", "testing")


def site_of(node: ast.Call, kernels: Mapping[str, surface.Function], imports: Mapping[str, str]) -> Site | None:
    """`k(...)`, `k[grid, block](...)`, `k.bind(...)`, `k.simulate(...)`, `testing.launch(k, ...)`."""
    if qualified(imports, node.func) == "transpiler.testing.launch" and node.args:
        function = kernels.get(_dotted(node.args[0]))
        return Site(function, "testing", node, node.args[1:]) if function is not None else None
    called, way = node.func, "call"
    if isinstance(called, ast.Attribute) and called.attr in ("bind", "simulate"):
        called, way = called.value, called.attr
    if isinstance(called, ast.Subscript) and way != "simulate":
        called, way = called.value, "configured" if way == "call" else "bind configured"
    function = kernels.get(_dotted(called))
    return Site(function, way, node, node.args) if function is not None else None


def _dotted(node: ast.expr) -> str:
    return ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""


def parameters_of(module: surface.Module, function: surface.Function) -> list[Parameter]:
    """What the annotations say; a generic dtype is any."""
    home = module.home(function.source)
    ctx = new_context(home, function)
    found = []
    for param in function.params:
        said = annotation(ctx, param.annotation) if param.annotation is not None else None
        facts: dict = {"kind": ""}
        if isinstance(said, ArrayAnnotation):
            rank = len(said.extents)
            facts = {"kind": "array", "ownership": said.ownership, "dtype": said.dtype.name, "rank": rank}
            facts["optional"] = said.optional
        elif isinstance(said, ScalarAnnotation):
            facts = {"kind": "scalar"}
        elif isinstance(param.annotation, surface.Subscript):
            word = qualified_name(home, param.annotation.value)
            facts = {"kind": "array", "ownership": OWNERSHIP[word]} if word in OWNERSHIP else facts
        required, keyword_only = param.default is None, param.kind == "keyword-only"
        found.append(Parameter(param.name, **facts, required=required, keyword_only=keyword_only))
    return found


def check_site(
    site: Site, parameters: list[Parameter], env: Env, imports: Mapping[str, str], report: Report
) -> Iterator[Diagnostic]:
    """Everything that is wrong for certain."""
    keywords = {k.arg: k.value for k in site.node.keywords if k.arg is not None}
    if any(isinstance(a, ast.Starred) for a in site.args) or len(keywords) < len(site.node.keywords):
        return
    misfits = list(_arity(site, parameters, keywords, report))
    if misfits:
        yield from misfits
        return
    given = dict(zip((p.name for p in parameters), site.args, strict=False))
    given |= {name: node for name, node in keywords.items() if any(p.name == name for p in parameters)}
    values = {name: value_of(node, env, imports) for name, node in given.items()}
    for parameter in parameters:
        if parameter.name in given:
            yield from _argument(site, parameter, given[parameter.name], values[parameter.name], env, report)
    if site.on_device:
        yield from _aliases(parameters, given, values, report)


def _arity(
    site: Site, parameters: list[Parameter], keywords: dict[str, ast.expr], report: Report
) -> Iterator[Diagnostic]:
    name = site.function.name
    listed = f"the parameters are {', '.join(f'`{p.name}`' for p in parameters)}"
    positional = [p for p in parameters if not p.keyword_only]
    takes = f"`{name}` takes {len(parameters)} argument{'' if len(parameters) == 1 else 's'}"
    if len(site.args) > len(positional):
        yield report("E0801", site.args[len(positional)], f"{takes}, {len(site.args)} are given", listed)
        return
    taken = {p.name for p in positional[: len(site.args)]}
    own = set() if site.way == "testing" else {p.name for p in parameters}
    for keyword, node in keywords.items():
        if keyword in taken and keyword in own:
            yield report("E0801", node, f"argument `{keyword}` of `{name}` is given twice", None)
        elif keyword not in own and keyword not in _KEYWORDS[site.way]:
            yield report("E0801", node, f"`{name}` has no parameter `{keyword}`", listed)
            return  # what it was meant for is missing, too
    missing = [p.name for p in parameters if p.required and p.name not in taken | (set(keywords) & own)]
    if missing:
        words = ", ".join(f"`{m}`" for m in missing)
        yield report("E0801", site.node.func, f"{takes}; missing: {words}", listed)


def _argument(
    site: Site, parameter: Parameter, node: ast.expr, value: Value | None, env: Env, report: Report
) -> Iterator[Diagnostic]:
    text, name = ast.unparse(node), parameter.name
    if parameter.kind == "array" and isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        yield report("E0817", node, f"`{name}` of `{site.function.name}` is an array, not a number", None)
    if value is None:
        return
    if value.identity in env.moved:
        line = env.moved[value.identity]
        yield report("E0822", node, f"`{text}` was moved in line {line}", "pass what `move()` returned")
    elif parameter.kind == "scalar":
        yield report("E0813", node, f"`{name}` of `{site.function.name}` is a scalar, `{text}` is an array", None)
    elif parameter.kind == "array":
        yield from _array(site, parameter, node, value, env, report)


def _array(
    site: Site, parameter: Parameter, node: ast.expr, value: Value, env: Env, report: Report
) -> Iterator[Diagnostic]:
    text, whose = ast.unparse(node), f"`{parameter.name}` of `{site.function.name}`"
    if value.place == "host" and site.on_device:
        yield report("E0804", node, f"{whose} is given a host array", f"copy it first: `cupy.asarray({text})`")
    if None not in (value.dtype, parameter.dtype) and value.dtype != parameter.dtype:
        fix = "make the array with that dtype, or convert it with `astype`"
        yield report("E0802", node, f"{whose} is an array of {parameter.dtype}, `{text}` holds {value.dtype}", fix)
    if None not in (value.rank, parameter.rank) and value.rank != parameter.rank:
        yield report("E0803", node, f"{whose} has rank {parameter.rank}, `{text}` has rank {value.rank}", None)
    if parameter.is_written and (value.borrowed or value.identity in env.frozen):
        why = "is borrowed" if value.borrowed else f"was frozen in line {env.frozen[value.identity]}"
        yield report("E0809", node, f"{whose} is written, and `{text}` {why}", "pass a buffer of its own")


def _aliases(
    parameters: list[Parameter], given: dict[str, ast.expr], values: dict[str, Value | None], report: Report
) -> Iterator[Diagnostic]:
    """The same array for two parameters of which one is written."""
    arrays = [p for p in parameters if p.kind == "array" and p.name in given]
    for number, second in enumerate(arrays):
        for first in arrays[:number]:
            if not (first.is_written or second.is_written) or (first.optional and second.optional):
                continue
            if _same(given[first.name], given[second.name], values[first.name], values[second.name]):
                written = second if second.is_written else first
                text = ast.unparse(given[second.name])
                yield report(
                    "E0808",
                    given[second.name],
                    f"`{text}` is both `{first.name}` and `{second.name}`, and the kernel writes `{written.name}`",
                    f"pass a copy: `{ast.unparse(given[first.name])}.copy()`, or an output of its own",
                )


def _same(a: ast.expr, b: ast.expr, first: Value | None, second: Value | None) -> bool:
    if first is not None and second is not None:
        return first.identity == second.identity and not first.empty
    return isinstance(a, ast.Name) and isinstance(b, ast.Name) and a.id == b.id

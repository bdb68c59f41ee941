"""The parameter list of a kernel in C++: the one truth for the text, the header, the manifest and the launch.

In: a kernel or a device function. Out: its C++ parameters in order: those of the source, then what the body needs to
know about sizes (named dims, anonymous extents, strides, as `long long`), then the failure buffer of recorded checks.
A size is needed where the body names it, or where it linearises an index of a parameter of rank 2 or more.
Non-goals: values (`runtime.launch`), checks of them (`runtime.contracts`).
"""

from __future__ import annotations

import re

from transpiler.emit import walk
from transpiler.emit.cpp_types import ANY, LONG, cpp_type, index_type
from transpiler.emit.helpers import reserved
from transpiler.emit.names import Names
from transpiler.intrinsics.entry import Signature
from transpiler.ir import device as d
from transpiler.ir.abi import AbiParam
from transpiler.ir.types import DType
from transpiler.records import record

Size = tuple[str, str, int]
"""`("dim", name, 0)`, `("extent", array, axis)` or `("stride", array, axis)`."""


@record
class Checks:
    """Which checks run on the device: asserts of the source, and bounds that are not proved."""

    asserts: bool
    bounds: bool

    @staticmethod
    def of(options: d.Options) -> Checks:
        return Checks(options.asserts != "off", options.checks == "dynamic")


def abi(kernel: d.Kernel) -> tuple[AbiParam, ...]:
    """The C++ parameters of a kernel."""
    return parameters(kernel, function_names(kernel), Checks.of(kernel.options))


def function_names(function: d.Kernel | d.Function) -> Names:
    """The identifiers of a function, before any is claimed: those of helpers and of intrinsics that it calls are taken."""
    calls = [(s.callee, s.args, tuple(t.type for t in s.targets)) for s in _call_statements(function.body)]
    calls += [(n.callee, n.args, (n.type,)) for n in walk.everything(function.body) if isinstance(n, d.Call)]
    taken: set[str] = set()
    for callee, args, results in calls:
        if isinstance(callee, d.Function):
            continue
        types = tuple(arg.type for arg in args if isinstance(arg, d.Expr))
        if not results:
            ruled = callee.rule(types)
            results = () if isinstance(ruled, str) else ruled.results
        taken.update(re.findall(r"[A-Za-z_]\w*", callee.cpp(Signature(types, results))))
    return Names(reserved() | taken)


def _call_statements(body: tuple[d.Stmt, ...]) -> list[d.CallStmt]:
    return [stmt for stmt in walk.statements(body) if isinstance(stmt, d.CallStmt)]


def parameters(
    function: d.Kernel | d.Function, names: Names, checks: Checks, ranges: d.Ranges | None = None
) -> tuple[AbiParam, ...]:
    """The C++ parameters of a kernel or device function; their identifiers are claimed from `names`.

    `ranges` decide the width of index integers that a device function takes.
    """
    out = [_source_parameter(p, function, names, ranges) for p in function.params]
    ranks = {p.name: p.rank for p in function.params if isinstance(p, d.ArrayParam)}
    for kind, name, axis in _ordered(function, needed_sizes(function, checks)):
        cpp_name = names.claim(_size_name(kind, name, axis, ranks.get(name, 0)), note=kind == "dim")
        out.append(AbiParam(kind, LONG, cpp_name, name, None if kind == "dim" else axis))
    if needs_failure(function, checks):
        out.append(AbiParam("failure", "long long*", "failure", ""))
    return tuple(out)


def _source_parameter(
    param: d.ScalarParam | d.ArrayParam | d.Local,
    function: d.Kernel | d.Function,
    names: Names,
    ranges: d.Ranges | None,
) -> AbiParam:
    name = names.claim(param.name)
    if isinstance(param, d.ArrayParam):
        const = "const " if param.ownership == "in" else ""
        hint = " __restrict__" if isinstance(function, d.Kernel) and param.ownership != "atomic" else ""
        return AbiParam("pointer", f"{const}{cpp_type(param.dtype)}*{hint}", name, param.name, None, param.dtype)
    dtype = param.dtype if isinstance(param, d.ScalarParam) else param.type
    if isinstance(function, d.Function) and not isinstance(param.type, DType):
        return AbiParam("scalar", index_parameter_type(param, ranges), name, param.name)
    assert isinstance(dtype, DType)
    return AbiParam("scalar", cpp_type(dtype), name, param.name, None, dtype)


def index_parameter_type(param: d.ScalarParam | d.Local, ranges: d.Ranges | None) -> str:
    """The C++ type of an index integer that a device function takes."""
    known = ranges.locals.get(param) if ranges else None  # type: ignore[call-overload]
    return index_type(interval(known))


def interval(known: tuple[int | None, int | None] | None) -> tuple[float, float]:
    """A range of the fact table with infinite ends for those that are open or missing."""
    if known is None:
        return ANY
    return (ANY[0] if known[0] is None else known[0], ANY[1] if known[1] is None else known[1])


def _size_name(kind: str, name: str, axis: int, rank: int) -> str:
    if kind == "dim":
        return name
    if kind == "stride":
        return f"{name}_stride{axis}"
    return f"{name}_len" if rank == 1 else f"{name}_shape{axis}"


def _ordered(function: d.Kernel | d.Function, sizes: set[Size]) -> list[Size]:
    """Dims as declared, then extents and strides parameter by parameter."""
    dims: list[Size] = []
    if isinstance(function, d.Kernel):
        declared = [*function.dims, *sorted(name for kind, name, _ in sizes if kind == "dim")]
        dims = [("dim", name, 0) for name in dict.fromkeys(declared) if ("dim", name, 0) in sizes]
    arrays = [p for p in function.params if isinstance(p, d.ArrayParam)]
    axes = [(kind, p.name, axis) for p in arrays for kind in ("extent", "stride") for axis in range(p.rank)]
    return dims + [size for size in axes if size in sizes]


def needed_sizes(function: d.Kernel | d.Function, checks: Checks) -> set[Size]:
    """The sizes that the C++ body names."""
    return _Sizes(checks).of(function)


class _Sizes:
    """Collects sizes over a body and the calls in it."""

    def __init__(self, checks: Checks) -> None:
        self.checks = checks
        self.found: set[Size] = set()

    def of(self, function: d.Kernel | d.Function) -> set[Size]:
        for stmt in walk.statements(function.body):
            if isinstance(stmt, d.Invariant | d.Trust) or (isinstance(stmt, d.Assert) and not self.checks.asserts):
                continue  # not emitted
            if isinstance(stmt, d.Store | d.Atomic | d.AsyncCopy):
                self.element(stmt.array)
            for expr in walk.expressions(stmt):
                self.expression(expr)
            if isinstance(stmt, d.CallStmt):
                self.call(stmt.callee, stmt.args)
        for array in function.arrays:
            for extent in array.shape:
                self.expression(extent)
        return self.found

    def element(self, array: d.Array) -> None:
        """What an access to one element needs beside its index."""
        self.found |= linear_sizes(array)
        if self.checks.bounds and isinstance(array, d.ArrayParam):
            for extent in array.shape:
                self.expression(extent)

    def expression(self, expr: d.Expr | d.View | d.Range) -> None:
        match expr:
            case d.DimRef():
                self.found.add(("dim", expr.name, 0))
            case d.Extent():
                self.found.add(("extent", expr.array, expr.axis))
            case d.Load():
                self.element(expr.array)
            case d.Call():
                self.call(expr.callee, expr.args)
            case d.View():
                return  # the call knows what of it is passed
        for operand in walk.operands(expr):
            self.expression(operand)

    def call(self, callee: object, args: tuple[d.Expr | d.View, ...]) -> None:
        """What array arguments need: the offset of their first element, and the sizes that the callee is given."""
        if not isinstance(callee, d.Function):
            return
        sizes = needed_sizes(callee, self.checks)
        for param, arg in zip(callee.params, args, strict=True):
            if not isinstance(arg, d.View):
                continue
            if not starts_at_zero(arg):
                self.found |= linear_sizes(arg.array)
            for item in arg.items:
                self.expression(item.start if isinstance(item, d.Range) else item)
            for axis, item in enumerate(item for item in arg.items if isinstance(item, d.Range)):
                if ("extent", param.name, axis) in sizes:
                    self.expression(item.length)
                if ("stride", param.name, axis) in sizes:
                    self.found |= linear_sizes(arg.array)


def starts_at_zero(view: d.View) -> bool:
    """Whether the first element of a view is that of its array."""
    starts = [item.start if isinstance(item, d.Range) else item for item in view.items]
    return all(isinstance(start, d.Const) and start.value == 0 for start in starts)


def linear_sizes(array: d.Array) -> set[Size]:
    """What the offset of an element is computed from, beside its index."""
    if isinstance(array, d.ArrayParam) and array.order == "strided":
        return {("stride", array.name, axis) for axis in range(array.rank)}
    column_major = isinstance(array, d.ArrayParam) and array.order == "F"
    sizes = _Sizes(Checks(False, False))
    for extent in array.shape[:-1] if column_major else array.shape[1:]:
        sizes.expression(extent)
    return sizes.found


def needs_failure(function: d.Kernel | d.Function, checks: Checks) -> bool:
    """Whether the body, or what it calls, may record a failed check."""
    if checks.bounds and isinstance(function, d.Kernel):
        return True
    for stmt in walk.statements(function.body):
        if isinstance(stmt, d.Assert) and checks.asserts:
            return True
        if isinstance(stmt, d.Store | d.Atomic) and checks.bounds:
            return True
    if checks.bounds and any(isinstance(node, d.Load) for node in walk.everything(function.body)):
        return True
    return any(needs_failure(callee, checks) for callee in called_functions(function))


def called_functions(function: d.Kernel | d.Function) -> list[d.Function]:
    """The device functions that a body calls itself, in order of first call."""
    calls = [s.callee for s in walk.statements(function.body) if isinstance(s, d.CallStmt)]
    calls += [node.callee for node in walk.everything(function.body) if isinstance(node, d.Call)]
    return [callee for callee in dict.fromkeys(calls) if isinstance(callee, d.Function)]

"""Kernels and device functions in C++: signature, declarations, body.

In: a kernel or device function, what the unit shares (helpers, constants, names, numbers of checks). Out: its text.
Non-goals: the frame around them (`unit`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from transpiler.emit import arrays, literals, scopes, text, walk
from transpiler.emit.abi import Checks, function_names, interval, parameters
from transpiler.emit.coalesce import coalesce
from transpiler.emit.constants import Constants
from transpiler.emit.cpp_types import LONG, PROMOTED, cpp_type, index_type
from transpiler.emit.expressions import FunctionName, Printer, constant_type, literal
from transpiler.emit.helpers import Helpers
from transpiler.emit.memory import Place
from transpiler.emit.names import Names
from transpiler.emit.statements import Statements, variable_type
from transpiler.emit.templates import render
from transpiler.emit.text import Text
from transpiler.ir import device as d
from transpiler.ir.abi import AbiParam
from transpiler.ir.shared import SharedLayout, shared_layout
from transpiler.ir.types import DType
from transpiler.prove import intervals as iv
from transpiler.prove.launch_ranges import LaunchRanges
from transpiler.records import record
from transpiler.source import Source

LINE_WIDTH = 100


@record
class Site:
    """A recorded check: its number in the failure buffer, and what to tell when it fails.

    `kind` is `assert` or `bounds`; for bounds `array` and `axis` say which access.
    """

    number: int
    kind: str
    line: int
    path: str
    message: str = ""
    array: str = ""
    axis: int = 0


@dataclass(slots=True)
class Sites:
    """Numbers the recorded checks of a unit, from 1, in the order of the text."""

    found: dict[tuple[object, ...], Site] = field(default_factory=dict)

    def number(self, node: d.Node, source: Source, kind: str, message: str, array: str, axis: int) -> int:
        key = (source.path, node.span, kind, array, axis)
        if key not in self.found:
            line = source.line(node.span.start)
            self.found[key] = Site(len(self.found) + 1, kind, line, source.path, message, array, axis)
        return self.found[key].number


@dataclass(slots=True)
class Unit:
    """What the functions of a unit share."""

    helpers: Helpers = field(default_factory=Helpers)
    constants: Constants = field(default_factory=lambda: Constants(define_constant))
    names: Names = field(default_factory=Names)
    sites: Sites = field(default_factory=Sites)
    functions: dict[str, str] = field(default_factory=dict)
    """Text of device functions by C++ name."""
    line_info: bool = False


def define_constant(const: d.Const) -> tuple[str, str]:
    return constant_type(const), literal(const).text


class Emitter:
    """Emits one kernel and the device functions that it calls into a unit."""

    def __init__(
        self, unit: Unit, kernel: d.Kernel, ranges: d.Ranges, runtime_checks: Collection[d.Node] | None
    ) -> None:
        self.unit = unit
        self.kernel = kernel
        self.ranges = ranges
        self.runtime_checks = runtime_checks
        self.checks = Checks.of(kernel.options)
        self.launch = LaunchRanges.of(kernel)
        self.called: dict[d.Function, FunctionName] = {}

    # --- kernels ------------------------------------------------------------------------------------------

    def kernel_text(self, name: str, comments: list[str]) -> tuple[str, tuple[AbiParam, ...]]:
        """The kernel under the C name `name`; its device functions go to the unit."""
        for function in self.kernel.functions:
            self.device_function(function)
        kernel = self.kernel
        names = function_names(kernel)
        params = parameters(kernel, names, self.checks)
        instance = frozenset(key for key, _ in kernel.instance)
        constants = Constants(define_constant, self.unit.constants, instance)
        printer = self.printer(kernel, params, constants, kernel.source)
        layout = shared_layout(kernel)
        prologue, body = self.body(kernel, printer, layout, names, lambda values: "return;")
        own = "".join(f"{line}\n" for line in constants.lines)
        notes = [f"{python} is spelled {cpp} in C++." for python, cpp in names.mapping.items()]
        signature = f'extern "C" __global__ void {self.launch_bounds()}{name}'
        shown = render(
            "function.cu.j2",
            comments=[*comments, *([""] if comments and notes else []), *map(literals.comment_keep, notes)],
            qualifiers=self.line_mark(kernel.source, kernel.span.start) + signature.removesuffix(name),
            name=name,
            parameters=[param.declaration for param in params],
            wrapped=_is_long(signature, params),
            prologue=own + prologue,
            body=body,
            epilogue="".join(f"// {literals.comment(c)}\n" for c in kernel.closing_comments),
        )
        return shown, params

    def launch_bounds(self) -> str:
        """The most threads that a block may have, so that the compiler leaves each enough registers."""
        x, y, z = self.kernel.block
        threads = min(1024, (x or 1024) * (y or 1024) * (z or 64))
        blocks = self.kernel.options.min_blocks
        return f"__launch_bounds__({threads}{f', {blocks}' if blocks else ''}) "

    # --- device functions ---------------------------------------------------------------------------------

    def device_function(self, function: d.Function) -> None:
        """Emit a device function once: two kernels that need the same text share it."""
        for candidate in self.candidates(function):
            name = FunctionName(function, candidate, (), self.result_types(function))
            body = self.function_text(function, name)
            if self.unit.functions.setdefault(candidate, body) == body:
                self.called[function] = name
                return

    def candidates(self, function: d.Function) -> list[str]:
        base = self.unit.names.fresh(function.name, ())
        return [base, *(f"{base}_{count}" for count in range(2, 1000))]

    def result_types(self, function: d.Function) -> tuple[str, ...]:
        """The C++ types of the results; an index integer is as wide as the values that are returned."""
        returns = [s for s in walk.statements(function.body) if isinstance(s, d.Return)]
        out = []
        for position, type_ in enumerate(function.returns):
            if isinstance(type_, DType):
                out.append(cpp_type(type_))
                continue
            values = [r.values[position] for r in returns]
            known = [interval(self.ranges.exprs[v]) if v in self.ranges.exprs else iv.ANY for v in values]
            joined = known[0] if known else iv.ANY
            for value in known[1:]:
                joined = iv.join(joined, value)
            out.append(index_type(joined))
        return tuple(out) or ("void",)

    def function_text(self, function: d.Function, name: FunctionName) -> str:
        names = function_names(function)
        params = parameters(function, names, self.checks, self.ranges)
        name.parameters = params
        printer = self.printer(function, params, self.unit.constants, function.source)
        types = name.result_types
        several = len(function.returns) > 1
        name.result_struct = f"{name.name}_result" if several else types[0]

        def result(values: tuple[Text, ...]) -> str:
            if not several:
                return f"return {values[0].text};" if values else "return;"
            return f"return {{{', '.join(map(_field, values, types))}}};"

        prologue, body = self.body(function, printer, None, names, result)
        fields = [f"    {ctype} r{k};\n" for k, ctype in enumerate(types)] if several else []
        struct = f"struct {name.result_struct} {{\n{''.join(fields)}}};\n\n" if several else ""
        notes = [f"{python} is spelled {cpp} in C++." for python, cpp in names.mapping.items()]
        qualifiers = f"__device__ inline {name.result_struct} "
        shown = render(
            "function.cu.j2",
            comments=[*doc_lines(function.comments, function.doc), *map(literals.comment_keep, notes)],
            qualifiers=self.line_mark(function.source, function.span.start) + qualifiers,
            name=name.name,
            parameters=[param.declaration for param in params],
            wrapped=_is_long(qualifiers + name.name, params),
            prologue=prologue,
            body=body,
            epilogue="",
        )
        return struct + shown

    # --- both ---------------------------------------------------------------------------------------------

    def line_mark(self, source: Source, offset: int) -> str:
        return f"#line {source.line(offset)} {literals.string(source.path)}\n" if self.unit.line_info else ""

    def printer(
        self, function: d.Kernel | d.Function, params: tuple[AbiParam, ...], constants: Constants, source: Source
    ) -> Printer:
        def failing(access: d.Load | d.Store | d.Atomic, axis: int) -> int | None:
            if not self.checks.bounds or self.runtime_checks is None or access not in self.runtime_checks:
                return None
            return self.unit.sites.number(access, source, "bounds", "", access.array.name, axis)

        p = Printer(self.launch, self.ranges, self.unit.helpers, constants, self.checks, failing)
        by_name = {param.name: param for param in function.params}
        for param in params:
            if param.kind in ("dim", "extent", "stride"):
                p.sizes[param.kind, param.name, param.axis or 0] = param.cpp_name
            elif param.kind == "pointer":
                array = by_name[param.name]
                assert isinstance(array, d.ArrayParam)
                p.arrays[array] = Place(param.cpp_name, flat=True)
            elif param.kind == "scalar":
                scalar = by_name[param.name]
                assert not isinstance(scalar, d.ArrayParam)
                p.variables[scalar] = text.primary(param.cpp_name, param.cpp_type)
        p.functions = self.called
        return p

    def body(
        self,
        function: d.Kernel | d.Function,
        printer: Printer,
        layout: SharedLayout | None,
        names: Names,
        result: object,
    ) -> tuple[str, str]:
        """Declarations of arrays, and the statements."""
        for node in walk.everything(function.body):  # a local must not hide a constant that its function names
            if isinstance(node, d.Const) and node.name and (cpp := printer.constants.name(node)):
                names.reserve(cpp)
        prologue = arrays.declare(printer, function.arrays, layout, names)
        stmts = coalesce(function.body)
        plan = scopes.plan(stmts, function.params, names)
        loops: dict[d.Local, list[d.For]] = {}
        for stmt in walk.statements(stmts):
            if isinstance(stmt, d.For) and stmt not in plan.hidden:
                loops.setdefault(stmt.counter, []).append(stmt)
        self.declare_variables(function, printer, plan, loops)

        def check(stmt: d.Assert) -> int | None:
            if not self.checks.asserts or (self.runtime_checks is not None and stmt not in self.runtime_checks):
                return None
            return self.unit.sites.number(stmt, function.source, "assert", stmt.message, "", 0)

        taken = {*names.used, *plan.names.values()}
        statements = Statements(
            printer,
            plan,
            function.source,
            self.unit.line_info,
            isinstance(function, d.Kernel),
            result,  # type: ignore[arg-type]
            check,
            lambda name: names.fresh(name, taken),
        )
        return prologue, statements.function_body(stmts)

    @staticmethod
    def declare_variables(
        function: d.Kernel | d.Function, p: Printer, plan: scopes.Plan, loops: dict[d.Local, list[d.For]]
    ) -> None:
        """Give each local its name and C++ type; what a call with several results declares has the types of those."""
        for local, name in plan.names.items():
            p.variables[local] = text.primary(name, variable_type(p, local, loops.get(local, [])))
        for stmt, locals_ in plan.declares.items():
            if isinstance(stmt, d.CallStmt) and isinstance(stmt.callee, d.Function) and len(locals_) > 1:
                for local, ctype in zip(stmt.targets, p.functions[stmt.callee].result_types, strict=True):
                    p.variables[local] = text.primary(plan.names[local], ctype)


def doc_lines(comments: tuple[str, ...], doc: str | None) -> list[str]:
    """Comments above a function, and its docstring, as comment lines."""
    out = [literals.comment(comment) for comment in comments]
    if doc:
        out += ["", *literals.comment_lines(doc)] if out else literals.comment_lines(doc)
    return out


def _field(value: Text, ctype: str) -> str:
    """A value in a braced initialiser, where C++ allows no narrowing."""
    narrow = (
        value.ctype != ctype and ctype not in ("float", "double") and (ctype != LONG or value.ctype not in PROMOTED)
    )
    return text.cast(value, ctype).text if narrow else value.text


def _is_long(signature: str, params: tuple[AbiParam, ...]) -> bool:
    return len(signature) + sum(len(param.declaration) + 2 for param in params) > LINE_WIDTH

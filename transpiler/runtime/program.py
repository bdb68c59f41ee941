"""A kernel of a file as a `Program`: instances made by the pipeline.

In: the text of a file and the name of a kernel in it. Out: its parameters, and a `CompiledUnit` for the arguments of a launch,
as its package holds it (`runtime.packaged`) or compiled here.
Non-goals: live Python objects (`api`), cubins (`runtime.build`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from transpiler import pipeline
from transpiler.check.kernel import ArgumentType
from transpiler.check.meaning import Static
from transpiler.check.module_constants import fold_static
from transpiler.diagnostics import Diagnostic, Severity
from transpiler.errors import CompileError
from transpiler.ir import surface
from transpiler.ir.types import BOOL, DTYPES, F32, I64, DType
from transpiler.runtime.nvrtc import options_for
from transpiler.runtime.packaged import Packaged, find
from transpiler.runtime.refusal import refusal
from transpiler.runtime.settings import sanitizing
from transpiler.runtime.unit import MISSING, CompiledUnit, Dim3, Given, Parameter
from transpiler.source import Source, Span


class FileProgram:
    """One kernel of a file."""

    def __init__(self, module: surface.Module, function: surface.Function) -> None:
        self.module = module
        self.function = function
        self.name = function.name
        self.source = function.source
        self.span: Span = function.name_span
        self.parameters = tuple(_parameter(module, param) for param in function.params)

    @staticmethod
    def read(source: Source, name: str) -> FileProgram:
        """The kernel of that name; raises `CompileError` where the file holds none that can be read."""
        from transpiler.frontend import parse_module

        module, diagnostics = parse_module(source)
        function = pipeline.kernel_named(module, name)
        errors = [d for d in diagnostics if d.severity is Severity.ERROR]
        if function is None:
            raise CompileError(errors or [_not_found(source, name)])
        return FileProgram(module, function)

    @cached_property
    def packaged(self) -> Packaged | None:
        """What was packaged with the file; it knows no Python lines, which a sanitizer wants."""
        return None if sanitizing() else find(self.module)

    def instance(self, given: Mapping[str, Given], block: Dim3 | None) -> CompiledUnit:
        """The kernel for these arguments as it was packaged; else check, prove and emit it."""
        state = self.state(given, block)
        found = self.packaged.unit(state) if self.packaged is not None else None
        if isinstance(found, CompiledUnit):
            return found
        return replace(compiled(pipeline.check_state(state)[1]), package=found)

    def state(self, given: Mapping[str, Given], block: Dim3 | None) -> pipeline.KernelState:
        """The kernel for these arguments, before any pass."""
        return pipeline.KernelState(
            module=self.module,
            function=self.function,
            instance=self._instance(given),
            arguments=self._argument_types(given),
            block=block,
        )

    def _instance(self, given: Mapping[str, Given]) -> dict[str, DType | int | float | bool | None]:
        """Values of `Const` parameters, dtypes of generics, and None for absent arrays."""
        values: dict[str, DType | int | float | bool | None] = {}
        for param in self.function.params:
            argument = given[param.name]
            if argument.value is not None:
                values[param.name] = argument.value
            elif argument.kind == "none":
                values[param.name] = None
        for generic, param in self._generic_uses():
            self._bind_generic(values, generic, param, given[param.name])
        return values

    def _generic_uses(self) -> list[tuple[surface.DTypeDef, surface.Param]]:
        """Generic dtypes with the parameters that name them, arrays before scalars."""
        uses: list[tuple[surface.DTypeDef, surface.Param]] = []
        for param in self.function.params:
            for name in _names(param.annotation):
                definition = self.module.names.get(name)
                if isinstance(definition, surface.DTypeDef):
                    uses.append((definition, param))
        return sorted(uses, key=lambda use: isinstance(use[1].annotation, surface.Name))

    def _bind_generic(
        self, values: dict[str, Any], generic: surface.DTypeDef, param: surface.Param, argument: Given
    ) -> None:
        if argument.kind == "none":
            return
        dtype = argument.dtype
        if dtype is None:  # a Python number takes what the arrays say
            if generic.name in values:
                return
            dtype = next((name for name in ("f32", "f64", "i64") if name in generic.of), generic.of[0])
        known = values.setdefault(generic.name, DTYPES[dtype])
        if dtype not in generic.of:
            text = f"`{param.name}` holds {dtype}; `{generic.name}` stands for {', '.join(generic.of)}"
            raise refusal(self, "E0802", text, span=param.span, help="convert it to one of them")
        if argument.kind == "array" and known != DTYPES[dtype]:
            text = f"`{generic.name}` is {known} in an earlier argument, `{param.name}` holds {dtype}"
            raise refusal(self, "E0802", text, span=param.span, help=f"one launch has one `{generic.name}`")

    def _argument_types(self, given: Mapping[str, Given]) -> dict[str, ArgumentType]:
        """Types for parameters without an annotation."""
        found: dict[str, ArgumentType] = {}
        for param in self.function.params:
            argument = given[param.name]
            if param.annotation is None and argument.kind != "none":
                rank = argument.rank if argument.kind == "array" else None
                plain = {"int": I64, "float": F32, "bool": BOOL}.get(argument.kind, F32)
                found[param.name] = ArgumentType(DTYPES.get(argument.dtype or "", plain), rank)
        return found


def compiled(report: pipeline.KernelReport) -> CompiledUnit:
    """The unit of a proved kernel; raises `CompileError` for any other."""
    if report.verdict != "proved" or report.kernel is None:
        raise CompileError(d for d in report.diagnostics if d.severity is Severity.ERROR)
    kernel = report.kernel
    lines = sanitizing()
    unit = pipeline.emit_reports(pipeline.unit_name(kernel.source.path), [report], line_info=lines)
    entry = unit.emitted.entry(kernel)
    return CompiledUnit(
        kernel=kernel,
        abi=entry.abi,
        symbol=entry.name,
        cuda=unit.source,
        contract=tuple(report.contract),
        checks=entry.sites,
        options=options_for(replace(kernel.options, line_info=lines or kernel.options.line_info)),
    )


def _parameter(module: surface.Module, param: surface.Param) -> Parameter:
    default: Any = MISSING
    if isinstance(param.default, surface.NoneLiteral):
        default = None
    elif param.default is not None:
        folded = fold_static(module, param.default)
        default = folded.value if isinstance(folded, Static) else MISSING
    return Parameter(param.name, param.span, default, _is_const(module, param), param.kind == "keyword-only")


def _is_const(module: surface.Module, param: surface.Param) -> bool:
    annotation = param.annotation
    return isinstance(annotation, surface.Subscript) and qualified(module, annotation.value) == "transpiler.Const"


def qualified(module: surface.Module, expr: surface.Expr) -> str | None:
    """The full name of an imported name or of an attribute of one."""
    if isinstance(expr, surface.Name):
        meaning = module.names.get(expr.id)
        return meaning if isinstance(meaning, str) else None
    if isinstance(expr, surface.Attribute):
        base = qualified(module, expr.value)
        return f"{base}.{expr.attr}" if base else None
    return None


def _names(expr: surface.Expr | None) -> Iterator[str]:
    match expr:
        case surface.Name():
            yield expr.id
        case surface.Subscript():
            for item in expr.items:
                yield from _names(item)
        case surface.Binary():
            yield from _names(expr.left)
            yield from _names(expr.right)


def _not_found(source: Source, name: str) -> Diagnostic:
    return Diagnostic(
        code="E0820",
        message=f"{source.path} holds no kernel `{name}` at its top level",
        source=source,
        span=Span(0, 0),
        help="the function must stand in the file as it was imported, decorated with `@kernel`",
    )

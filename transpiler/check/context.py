"""What the rules of `check` share while they type one function instance: tables, names in scope, the sink of diagnostics.

In: a module and a function. Out: `Context`. Types of locals are found by passes over the body that run until nothing changes;
diagnostics of all passes but the last are dropped (`muted`).
Non-goals: rules.
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from transpiler.check.meaning import (
    ArrayMeaning,
    DeviceRef,
    DimMeaning,
    DTypeRef,
    Meaning,
    Qualified,
    Static,
    Typed,
)
from transpiler.diagnostics import Diagnostic, Label
from transpiler.ir import surface
from transpiler.ir.types import BOOL, DTYPES, F32, F64, I64, INDEX, DType
from transpiler.ir.walk import assigned_names, surface_walk, target_names
from transpiler.source import Source, Span

Definition = surface.Function | surface.DimDef | surface.DTypeDef | surface.ConstantDef | surface.Opaque | str

_NUMPY = {
    "bool": "bool", "bool_": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float16": "f16", "float32": "f32", "float64": "f64", "half": "f16", "single": "f32", "double": "f64",
}  # fmt: skip
_LIBRARIES = ("numpy.", "cupy.", "numba.", "numba.types.", "torch.", "jax.numpy.", "ml_dtypes.")


def dtype_of_name(name: str) -> DType | None:
    """The dtype that a qualified name or a string such as `float32` stands for."""
    if name.startswith("transpiler."):
        short = name.removeprefix("transpiler.")
        return BOOL if short == "bool_" else DTYPES.get(short)
    for library in _LIBRARIES:
        if name.startswith(library):
            name = name.removeprefix(library)
            break
    if name == "bfloat16":
        return DTYPES["bf16"]
    return DTYPES.get(_NUMPY.get(name, name))


BUILTIN_DTYPES = {"builtins.float": F32, "builtins.int": I64, "builtins.bool": BOOL}
DOUBLE = F64


@dataclass(slots=True, eq=False)
class Context:
    """One function instance being typed."""

    typed: Typed
    instances: Callable[[surface.Function, Sequence[Meaning], Sequence[Span], Context], Typed | None]
    """Types a device function for the meanings of its arguments, which stand at the given spans (see `device_instances`)."""
    scope: dict[str, Meaning] = field(default_factory=dict)
    """Parameters and generic names."""
    assignments: dict[str, list[Span]] = field(default_factory=dict)
    """Names that the body assigns, each with all its places: local for the whole function, as in Python."""
    fixed: dict[str, Meaning] = field(default_factory=dict)
    """Locals with an annotation."""
    first_assignment: dict[str, tuple[Meaning, Span]] = field(default_factory=dict)
    dims: list[str] = field(default_factory=list)
    """Named dims of a kernel, in the order in which its arrays name them: the launch knows no others."""
    views: dict[surface.Node, ArrayMeaning] = field(default_factory=dict)
    decorator_meanings: dict[surface.Expr, Meaning] = field(default_factory=dict)
    """Meanings of the sizes in the decorator, which the passes over the body keep."""
    stack: tuple[surface.Function, ...] = ()
    muted: bool = True
    changed: bool = False
    diagnostics: list[Diagnostic] = field(default_factory=list)
    branch_depth: int = 0
    """How many run-time branches and loops are open."""
    leading: set[surface.Expr] = field(default_factory=set)
    """Calls at the top of a loop body, where an `invariant` has its place."""
    unknown: list[surface.Name] = field(default_factory=list)
    """Reads of locals whose type is not known (yet)."""
    loop_targets: set[str] = field(default_factory=set)
    return_meanings: list[tuple[Meaning | None, Span]] = field(default_factory=list)

    @property
    def function(self) -> surface.Function:
        return self.typed.function

    @property
    def module(self) -> surface.Module:
        return self.typed.module

    @property
    def source(self) -> Source:
        return self.typed.function.source

    def report(
        self, code: str, span: Span, message: str, help: str | None = None, labels: tuple[Label, ...] = ()
    ) -> None:
        """Record a diagnostic; returns None so that rules can `return ctx.report(...)` as an unknown meaning."""
        if not self.muted:
            diagnostic = Diagnostic(code=code, message=message, source=self.source, span=span, help=help, labels=labels)
            if not any(d.code == code and d.span == span for d in self.diagnostics):
                self.diagnostics.append(diagnostic)

    # --- names --------------------------------------------------------------------------------------------

    def lookup(self, name: surface.Name) -> Meaning | None:
        """What a name means here; reports unknown names. None while the type of a local is not known yet."""
        if name.id in self.assignments and name.id not in self.scope:
            known = self.typed.locals.get(name.id)
            if known is None:
                self.unknown.append(name)
            return known
        if name.id in self.scope:
            return (
                self.typed.locals.get(name.id, self.scope[name.id])
                if name.id in self.assignments
                else self.scope[name.id]
            )
        if name.id in self.module.names:
            return self.definition(name, self.module.names[name.id], name.id)
        if hasattr(builtins, name.id):
            return self.qualified("builtins." + name.id)
        self.report("E0201", name.span, f"the name `{name.id}` is not defined", self._nearest(name.id))
        return None

    def definition(self, expr: surface.Expr, definition: Definition, shown: str) -> Meaning | None:
        """What a module-level definition means where the expression names it."""
        match definition:
            case str():
                return self.qualified(definition)
            case surface.Function():
                return self._function(expr, definition)
            case surface.DimDef() if definition.name in self.dims:
                return DimMeaning(definition.name)
            case surface.DimDef():
                help = "use `len(...)` of an array" if self.function.is_kernel else "pass it as an argument"
                self.report("E0221", expr.span, f"the dim `{shown}` is an extent of no array parameter here", help)
            case surface.ConstantDef():
                return self._constant(expr, definition)
            case surface.DTypeDef():
                self.report("E0216", expr.span, f"`{shown}` has no dtype here: no parameter of the kernel uses it")
            case surface.Opaque():
                self.report(
                    "E0221",
                    expr.span,
                    f"`{shown}` is {definition.what}",
                    "a kernel can use numbers, tuples of them, dims, dtypes and device functions",
                    (Label(definition.span, "bound here"),),
                )
        return None

    def _function(self, name: surface.Expr, function: surface.Function) -> Meaning | None:
        if function.is_kernel:
            self.report(
                "E0221",
                name.span,
                f"`{function.name}` is a kernel: it is launched from the host",
                "make it a `@device` function",
            )
            return None
        return DeviceRef(function)

    def _constant(self, name: surface.Expr, definition: surface.ConstantDef) -> Meaning | None:
        from transpiler.check.module_constants import fold_module_constant

        meaning = fold_module_constant(self.module, definition)
        if meaning is None:
            self.report(
                "E0220",
                name.span,
                f"the value of `{definition.name}` is not known without running the file",
                "make it a literal, arithmetic on literals, or pass it as a parameter",
            )
        return meaning

    def qualified(self, name: str) -> Meaning:
        """A qualified name, or the constant or dtype that it stands for."""
        from transpiler.check.constants import MATH_CONSTANTS

        if name in BUILTIN_DTYPES:
            return Qualified(name)
        dtype = dtype_of_name(name) if "." in name else None
        if dtype is not None:
            return DTypeRef(dtype)
        library, _, attr = name.rpartition(".")
        if library in ("math", "numpy", "cupy") and attr in MATH_CONSTANTS:
            return Static(MATH_CONSTANTS[attr])
        if name == "transpiler.cuda.warpsize":
            return Static(32)
        if name == "transpiler.cuda.laneid":
            return INDEX
        return Qualified(name)

    def _nearest(self, name: str) -> str | None:
        import difflib

        near = difflib.get_close_matches(name, [*self.scope, *self.assignments, *self.module.names], n=1)
        return f"did you mean `{near[0]}`?" if near else None


def new_context(module: surface.Module, function: surface.Function, caller: Context | None = None) -> Context:
    """The context of a function before its parameters are known; a device function shares the instances of its caller."""
    from transpiler.check.device_instances import DeviceInstances

    typed = Typed(function, module, function.name)
    ctx = Context(typed, DeviceInstances() if caller is None else caller.instances)
    ctx.stack = (*(caller.stack if caller is not None else ()), function)
    plain: set[str] = set()
    for node in itertools.chain.from_iterable(surface_walk(stmt) for stmt in function.body):
        for name in assigned_names(node):
            ctx.assignments.setdefault(name.id, []).append(name.span)
        if isinstance(node, surface.For):
            ctx.loop_targets |= {n.id for n in target_names(node.target)}
        if isinstance(node, surface.Assign) and len(node.targets) == 1:
            plain |= {node.targets[0].id} if isinstance(node.targets[0], surface.Name) else set()
    parameters = {p.name for p in function.params}
    typed.constants = frozenset(n for n in plain if len(ctx.assignments[n]) == 1 and n not in parameters)
    return ctx

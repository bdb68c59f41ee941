"""A kernel of the device IR as compact text, one line a statement: for tests that pin lowering down, and for debugging.

In: a `device.Kernel`. Out: text with every type and conversion visible: `3i32` is a constant of that dtype (bare integers are
index integers), `f32(e)` a cast, `i32!(e)` a cast that must be proved to lose nothing, `%old` a temporary, `name.1` the second
local of that name. Non-goals: a format to be read back; C++ (`emit`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.ir import device
from transpiler.ir.types import BOOL, INDEX, DType

_INDENT = "  "
_COMPOUND = (device.Binary, device.Compare, device.Logic, device.Select, device.Unary)


def dump(kernel: device.Kernel) -> str:
    """The kernel and its device functions, callees first."""
    lines: list[str] = []
    for function in kernel.functions:
        lines += _Printer().function(function)
    return "\n".join([*lines, *_Printer().kernel(kernel)]) + "\n"


def dump_body(kernel: device.Kernel) -> str:
    """The statements of the kernel alone."""
    return "\n".join(_Printer().body(kernel.body, 0)) + "\n"


@dataclass(slots=True)
class _Printer:
    """Names the locals of one function in the order in which they are met."""

    names: dict[device.Local, str] = field(default_factory=dict)
    taken: dict[str, int] = field(default_factory=dict)

    # --- functions ----------------------------------------------------------------------------------------

    def kernel(self, kernel: device.Kernel) -> list[str]:
        instance = "".join(f" {name}={value}" for name, value in kernel.instance)
        block = ", ".join("?" if n is None else str(n) for n in kernel.block)
        lines = [f"kernel {kernel.name}({self.params(kernel.params)}) block=({block}){instance}"]
        for word, sizes in (("grid", kernel.grid), ("domain", kernel.domain)):
            if sizes is not None:
                lines.append(f"{_INDENT}{word} {', '.join(self.expr(e) for e in sizes)}")
        lines += [f"{_INDENT}requires {r.text}" for r in kernel.requires]
        return [*lines, *self.arrays(kernel.arrays), *self.body(kernel.body, 1)]

    def function(self, function: device.Function) -> list[str]:
        word = "pure" if function.pure else "device"
        results = ", ".join(map(str, function.returns)) or "nothing"
        header = f"{word} {function.name}({self.params(function.params)}) -> {results}"
        return [header, *self.arrays(function.arrays), *self.body(function.body, 1)]

    def params(self, params: tuple[device.ScalarParam | device.ArrayParam | device.Local, ...]) -> str:
        return ", ".join(self.param(p) for p in params)

    def param(self, param: device.ScalarParam | device.ArrayParam | device.Local) -> str:
        match param:
            case device.ArrayParam():
                order = "" if param.order == "C" else f" {param.order}"
                inferred = "?" if param.inferred else ""
                return f"{param.name}: {param.ownership}{inferred} {self.shape(param)}{order}"
            case device.ScalarParam():
                default = "" if param.default is None else f" = {param.default}"
                return f"{param.name}: {param.dtype}{default}"
        return f"{self.local(param)}: {param.type}"

    def shape(self, array: device.Array) -> str:
        return f"{array.dtype}[{', '.join(self.expr(e) for e in array.shape)}]"

    def arrays(self, arrays: tuple[device.SharedArray | device.LocalArray | device.ConstArray, ...]) -> list[str]:
        lines: list[str] = []
        for array in arrays:
            space = type(array).__name__.removesuffix("Array").lower()
            values = f" = {array.values}" if isinstance(array, device.ConstArray) else ""
            lines.append(f"{_INDENT}{space} {array.name}: {self.shape(array)}{values}")
        return lines

    # --- statements ---------------------------------------------------------------------------------------

    def body(self, body: tuple[device.Stmt, ...], depth: int) -> list[str]:
        return [line for stmt in body for line in self.stmt(stmt, depth)]

    def stmt(self, stmt: device.Stmt, depth: int) -> list[str]:
        pad = _INDENT * depth
        match stmt:
            case device.If():
                lines = [f"{pad}if {self.expr(stmt.cond)}:", *self.body(stmt.then, depth + 1)]
                if not stmt.then:
                    lines.append(f"{pad}{_INDENT}pass")
                if stmt.orelse:
                    lines += [f"{pad}else:", *self.body(stmt.orelse, depth + 1)]
                return lines
            case device.For():
                bounds = ", ".join(self.expr(e) for e in (stmt.start, stmt.stop, stmt.step))
                unroll = "" if stmt.unroll is None else f" unroll {stmt.unroll or 'fully'}"
                header = f"{pad}for {self.local(stmt.counter)} in range({bounds}){unroll}:"
                return [header, *self.body(stmt.body, depth + 1)]
            case device.While():
                lines = [f"{pad}while {self.expr(stmt.cond)}:", *self.body(stmt.body, depth + 1)]
                return [f"{pad}each test:", *self.body(stmt.pre, depth + 1), *lines] if stmt.pre else lines
        return [pad + self.simple(stmt)]

    def simple(self, stmt: device.Stmt) -> str:
        match stmt:
            case device.Assign():
                return f"{self.typed(stmt.target)} = {self.expr(stmt.value)}"
            case device.Store():
                augmented = f"  (augmented {stmt.augmented})" if stmt.augmented else ""
                return f"{stmt.array.name}[{self.exprs(stmt.indices)}] = {self.expr(stmt.value)}{augmented}"
            case device.Atomic():
                return self.results((stmt.target,) if stmt.target is not None else ()) + self.atomic(stmt)
            case device.AsyncCopy():
                target = f"{stmt.array.name}[{self.exprs(stmt.indices)}]"
                return f"copy {target} = {self.expr(stmt.source)} count {stmt.count}"
            case device.CommitGroup():
                return "commit copies"
            case device.WaitGroup():
                return f"wait copies {stmt.pending}"
            case device.CallStmt():
                return f"{self.results(stmt.targets)}{stmt.callee.name}({self.exprs(stmt.args)})"
            case device.Barrier():
                return f"barrier {stmt.scope}" + (f" {self.expr(stmt.mask)}" if stmt.mask is not None else "")
            case device.Fence():
                return f"fence {stmt.scope}"
            case device.Return():
                return f"return {self.exprs(stmt.values)}".rstrip()
            case device.Assert():
                return f"assert {self.expr(stmt.cond)}, {stmt.message!r}"
            case device.Print():
                parts = (p if isinstance(p, str) else f"{{{self.expr(p[0])}:{p[1]}}}" for p in stmt.parts)
                return f"print {''.join(parts)!r}"
            case device.Invariant():
                return f"invariant {self.expr(stmt.cond)}"
            case device.Trust():
                what = f"ordered({stmt.ordered.name})" if stmt.ordered is not None else self.expr_or_nothing(stmt.cond)
                return f"trust {what}, {stmt.reason!r}"
        return type(stmt).__name__.lower()

    def results(self, targets: tuple[device.Local, ...]) -> str:
        return f"{', '.join(self.typed(t) for t in targets)} = " if targets else ""

    def atomic(self, stmt: device.Atomic) -> str:
        words = "" if (stmt.order, stmt.scope) == ("relaxed", "device") else f" {stmt.order} {stmt.scope}"
        operands = "".join(f", {self.expr(o)}" for o in stmt.operands)
        return f"atomic {stmt.op}({stmt.array.name}[{self.exprs(stmt.indices)}]{operands}){words}"

    # --- expressions --------------------------------------------------------------------------------------

    def local(self, local: device.Local) -> str:
        if local not in self.names:
            base = f"%{local.name}" if local.is_temp else local.name
            count = self.taken.get(base, 0)
            self.taken[base] = count + 1
            self.names[local] = f"{base}.{count}" if count else base
        return self.names[local]

    def typed(self, local: device.Local) -> str:
        return f"{self.local(local)}: {local.type}"

    def exprs(self, exprs: tuple[device.Expr | device.View, ...]) -> str:
        return ", ".join(self.view(e) if isinstance(e, device.View) else self.expr(e) for e in exprs)

    def expr_or_nothing(self, expr: device.Expr | None) -> str:
        return "" if expr is None else self.expr(expr)

    def view(self, view: device.View) -> str:
        return f"{view.array.name}[{', '.join(self.item(item) for item in view.items)}]"

    def item(self, item: device.Expr | device.Range) -> str:
        if isinstance(item, device.Expr):
            return self.expr(item)
        step = "" if item.step == 1 else f" step {item.step}"
        return f"{self.expr(item.start)} +: {self.expr(item.length)}{step}"

    def inner(self, expr: device.Expr) -> str:
        text = self.expr(expr)
        return f"({text})" if isinstance(expr, _COMPOUND) else text

    def expr(self, expr: device.Expr) -> str:
        match expr:
            case device.Const():
                return constant(expr)
            case device.Var():
                return self.local(expr.var) if isinstance(expr.var, device.Local) else expr.var.name
            case device.DimRef():
                return expr.name
            case device.Extent():
                return f"{expr.array}.shape[{expr.axis}]"
            case device.LaunchVar():
                return expr.name if expr.name in ("laneid", "warpsize") else f"{expr.name}.{'xyz'[expr.axis]}"
            case device.Unary(op="abs"):
                return f"abs({self.expr(expr.operand)})"
            case device.Unary():
                return f"{expr.op}{' ' if expr.op == 'not' else ''}{self.inner(expr.operand)}"
            case device.Binary(op=("min" | "max") as op):
                return f"{op}({self.expr(expr.left)}, {self.expr(expr.right)})"
            case device.Binary() | device.Compare() | device.Logic():
                return f"{self.inner(expr.left)} {expr.op} {self.inner(expr.right)}"
            case device.Select():
                return f"{self.inner(expr.then)} if {self.inner(expr.cond)} else {self.inner(expr.orelse)}"
            case device.Cast():
                return f"{expr.type}{'!' if expr.exact else ''}({self.expr(expr.operand)})"
            case device.Load():
                return f"{expr.array.name}[{self.exprs(expr.indices)}]"
            case device.Call():
                return f"{expr.callee.name}({self.exprs(expr.args)})"
        raise AssertionError(f"{type(expr).__name__} is no expression")


def constant(const: device.Const) -> str:
    """`16`, `0.5f32`, `True`; `TILE{16}` for one that has a name."""
    suffix = str(const.type) if isinstance(const.type, DType) and const.type != BOOL else ""
    shown = f"{const.value!r}{suffix}" if const.type != INDEX else str(const.value)
    return f"{const.name}{{{shown}}}" if const.name else shown

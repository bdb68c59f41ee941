"""Statements of the device IR as C++.

In: a body, its `Plan`, the printer of its expressions. Out: lines of C++, without the indentation of the function.
The text of nested statements is in `templates/stmt`; here it is decided what goes in.
Non-goals: expressions, declarations of parameters and arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from transpiler.emit import atomics, integers, literals, memory, printing, text, walk
from transpiler.emit.abi import interval
from transpiler.emit.cpp_types import INT, INT32, LONG, cpp_type, index_type, within
from transpiler.emit.expressions import Printer, all_values
from transpiler.emit.scopes import Plan, is_elif
from transpiler.emit.templates import render
from transpiler.emit.text import Text
from transpiler.ir import device as d
from transpiler.ir.types import DType
from transpiler.prove import intervals as iv
from transpiler.prove.range_states import counter_range
from transpiler.source import Source

_COMPOUND = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"})


@dataclass(slots=True)
class Statements:
    """Prints the statements of one function."""

    printer: Printer
    plan: Plan
    source: Source
    line_info: bool
    is_kernel: bool
    result: Callable[[tuple[Text, ...]], str]
    """How the function returns values that are printed."""
    check: Callable[[d.Assert], int | None]
    """Number of the recorded check of an assert, None where it is proved or off."""
    fresh: Callable[[str], str]
    """An identifier for a helper variable."""

    def block(self, body: tuple[d.Stmt, ...]) -> str:
        return "".join(self.statement(stmt) for stmt in body)

    def function_body(self, body: tuple[d.Stmt, ...]) -> str:
        """As `block`; a kernel's last `return` says nothing."""
        if body and isinstance(body[-1], d.Return) and not body[-1].values and not body[-1].comments:
            body = body[:-1]
        return self.block(body)

    def statement(self, stmt: d.Stmt) -> str:
        """One statement with its comments, ending in a newline (empty for those that only speak to the prover)."""
        lines = self.lines(stmt)
        before = [f"{self.declaration(local)};\n" for local in self.plan.before.get(stmt, ())]
        comments = [f"// {literals.comment(c)}".rstrip() + "\n" for c in stmt.comments]
        if stmt.trailing and lines:
            first, newline, rest = lines.partition("\n")
            lines = f"{first}  // {literals.comment(stmt.trailing)}{newline}{rest}"
        elif stmt.trailing:
            comments.append(f"// {literals.comment(stmt.trailing)}\n")
        mark = self.line_mark(stmt) if lines or before else ""
        return "".join([*comments, *before, mark, lines])

    def line_mark(self, stmt: d.Stmt) -> str:
        if not self.line_info:
            return ""
        return f"#line {self.source.line(stmt.span.start)} {literals.string(self.source.path)}\n"

    def lines(self, stmt: d.Stmt) -> str:
        match stmt:
            case d.Assign():
                return self.assign(stmt)
            case d.Store():
                return self.store(stmt)
            case d.Atomic():
                return self.atomic(stmt)
            case d.AsyncCopy() | d.CommitGroup() | d.WaitGroup():
                return self.copy(stmt)
            case d.CallStmt():
                return self.call(stmt)
            case d.Barrier():
                return self.barrier(stmt)
            case d.Fence():
                return f"{atomics.FENCES[stmt.scope]}\n"
            case d.If():
                return self.branch(stmt)
            case d.For():
                return self.for_loop(stmt)
            case d.While():
                return self.while_loop(stmt)
            case d.Break():
                return "break;\n"
            case d.Continue():
                return "continue;\n"
            case d.Return():
                return f"{self.result(tuple(self.printer.expr(value) for value in stmt.values))}\n"
            case d.Assert():
                return self.assertion(stmt)
            case d.Print():
                return f"{printing.statement(self.printer, stmt)}\n"
        return ""

    # --- declarations and assignments ---------------------------------------------------------------------

    def declaration(self, local: d.Local) -> str:
        const = "const " if local in self.plan.constant else ""
        variable = self.printer.variables[local]
        return f"{const}{variable.ctype} {variable.text}"

    def target(self, stmt: d.Stmt, local: d.Local) -> str:
        """The left side of an assignment: a declaration where this is the place for it."""
        return (
            self.declaration(local) if local in self.plan.declares.get(stmt, ()) else self.printer.variables[local].text
        )

    def assign(self, stmt: d.Assign) -> str:
        value = self.printer.expr(stmt.value)
        target = self.target(stmt, stmt.target)
        return f"{compound(target, value)}\n"

    def store(self, stmt: d.Store) -> str:
        target = memory.element(self.printer, stmt.array, stmt.indices)
        value = self.printer.expr(stmt.value)
        line = f"{compound(target.text, value)}\n"
        return self.guarded(stmt, stmt.array, stmt.indices, line)

    def guarded(self, stmt: d.Store | d.Atomic, array: d.Array, indices: tuple[d.Expr, ...], lines: str) -> str:
        guard = memory.bounds_guard(self.printer, stmt, array, indices)
        return lines if guard is None else render("stmt/if.j2", cond=guard.text, then=lines, orelse="", chained=False)

    def atomic(self, stmt: d.Atomic) -> str:
        p = self.printer
        called = atomics.call(p, stmt, memory.element(p, stmt.array, stmt.indices))
        before, behind = (f"{fence}\n" if fence else "" for fence in atomics.fences(stmt))
        guard = memory.bounds_guard(p, stmt, stmt.array, stmt.indices)
        if stmt.target is None:
            line = f"{called.text};\n"
        elif guard is None:
            line = f"{self.target(stmt, stmt.target)} = {called.text};\n"
        else:
            called = text.conditional(guard, called, memory.zero(stmt.array.dtype), called.ctype)
            return f"{before}{self.target(stmt, stmt.target)} = {called.text};\n{behind}"
        return before + self.guarded(stmt, stmt.array, stmt.indices, line) + behind

    def copy(self, stmt: d.AsyncCopy | d.CommitGroup | d.WaitGroup) -> str:
        p = self.printer
        p.helpers.use("intrinsic_copy.cuh")
        if isinstance(stmt, d.CommitGroup):
            return "intrinsic::cp_async_commit_group();\n"
        if isinstance(stmt, d.WaitGroup):
            return f"intrinsic::cp_async_wait_group<{stmt.pending}>();\n"
        target = memory.element(p, stmt.array, stmt.indices)
        source = memory.element(p, stmt.source.array, stmt.source.indices)
        return f"intrinsic::cp_async<{stmt.bytes}>(&{target.text}, &{source.text});\n"

    def call(self, stmt: d.CallStmt) -> str:
        p = self.printer
        results = tuple(target.type for target in stmt.targets)
        if isinstance(stmt.callee, d.Function):
            return self.function_call(stmt, stmt.callee)
        if len(stmt.targets) > 1:
            names = {f"r{k}": p.variables[local].text for k, local in enumerate(stmt.targets)}
            return f"{p.intrinsic(stmt.callee, stmt.args, results, names).text};\n"
        called = p.intrinsic(stmt.callee, stmt.args, results or intrinsic_results(stmt), {}).text
        return f"{self.target(stmt, stmt.targets[0])} = {called};\n" if stmt.targets else f"{called};\n"

    def function_call(self, stmt: d.CallStmt, callee: d.Function) -> str:
        p = self.printer
        function = p.functions[callee]
        called = f"{function.name}({', '.join(memory.arguments(p, function, stmt.args))})"
        if not stmt.targets:
            return f"{called};\n"
        if len(stmt.targets) == 1:
            return f"{self.target(stmt, stmt.targets[0])} = {called};\n"
        names = [p.variables[local].text for local in stmt.targets]
        if stmt in self.plan.declares:
            return f"const auto [{', '.join(names)}] = {called};\n"
        results = self.fresh("results")
        fields = [f"{name} = {results}.r{k};\n" for k, name in enumerate(names)]
        return render("stmt/block.j2", body=f"const auto {results} = {called};\n{''.join(fields)}")

    # --- synchronisation ----------------------------------------------------------------------------------

    def barrier(self, stmt: d.Barrier) -> str:
        if stmt.scope == "block":
            return "__syncthreads();\n"
        if stmt.scope == "grid":
            self.printer.helpers.include("cooperative_groups.h")
            return "cooperative_groups::this_grid().sync();\n"
        full = stmt.mask is None or (isinstance(stmt.mask, d.Const) and stmt.mask.value == 0xFFFFFFFF)
        return f"__syncwarp({'' if full or stmt.mask is None else self.printer.text(stmt.mask)});\n"

    def assertion(self, stmt: d.Assert) -> str:
        number = self.check(stmt)
        if number is None:
            return f"// asserted: {literals.comment(stmt.message)}\n" if stmt.message else ""
        self.printer.helpers.use("failure.cuh")
        leave = "return;\n"
        if not self.is_kernel:
            self.printer.helpers.use("end_thread.cuh")
            leave = "end_thread();\n"
        failed = text.unary("!", self.printer.expr(stmt.cond), "bool")
        note = f"  // {literals.comment(stmt.message)}" if stmt.message else ""
        then = f"record_failure(failure, {number}, 0, 0);{note}\n{leave}"
        return render("stmt/if.j2", cond=failed.text, then=then, orelse="", chained=False)

    # --- control flow -------------------------------------------------------------------------------------

    def branch(self, stmt: d.If) -> str:
        cond = self.printer.expr(stmt.cond)
        then = self.block(stmt.then)
        if is_elif(stmt) and self.plan.before.get(stmt.orelse[0]) is None:
            inner = stmt.orelse[0]
            assert isinstance(inner, d.If)
            orelse = self.branch(inner)
            if orelse:
                return render("stmt/if.j2", cond=cond.text, then=then, orelse=orelse, chained=True)
        else:
            orelse = self.block(stmt.orelse)
        if not then and not orelse:
            return ""  # a condition has no effect
        if not then:
            cond, then, orelse = text.unary("!", cond, "bool"), orelse, ""
        return render("stmt/if.j2", cond=cond.text, then=then, orelse=orelse, chained=False)

    def while_loop(self, stmt: d.While) -> str:
        p = self.printer
        if not stmt.pre:
            return render("stmt/while.j2", cond=p.text(stmt.cond), body=self.block(stmt.body))
        leave = text.unary("!", p.expr(stmt.cond), "bool").text
        test = render("stmt/if.j2", cond=leave, then="break;\n", orelse="", chained=False)
        return render("stmt/while.j2", cond="true", body=self.block(stmt.pre) + test + self.block(stmt.body))

    def for_loop(self, stmt: d.For) -> str:
        p = self.printer
        counter = p.variables[stmt.counter]
        body_prefix = ""
        if stmt in self.plan.hidden:
            shown, counter = counter, Text(self.fresh(f"{counter.text}_count"), text.PRIMARY, self.counter_type(stmt))
            body_prefix = f"{shown.text} = {counter.text};\n"
        changed = {stmt.counter, *(local for inner in walk.statements(stmt.body) for local in walk.targets(inner))}
        hoisted: list[str] = []
        stop = self.loop_bound(stmt.stop, f"{counter.text}_stop", changed, hoisted)
        step_range = p.range_of(stmt.step)
        needs_name = step_range[0] <= 0 <= step_range[1]
        step = self.loop_bound(stmt.step, f"{counter.text}_step", changed, hoisted, needs_name)
        loop = render(
            "stmt/for.j2",
            pragma=_unroll(stmt.unroll),
            ctype=counter.ctype,
            counter=counter.text,
            start=p.text(stmt.start),
            test=self.loop_test(stmt, counter, stop, step),
            advance=_advance(counter.text, stmt.step, step),
            body=body_prefix + self.block(stmt.body),
        )
        return render("stmt/block.j2", body="".join(hoisted) + loop) if hoisted else loop

    def loop_bound(
        self, bound: d.Expr, name: str, changed: set[d.Local], hoisted: list[str], needs_name: bool = False
    ) -> Text:
        """A bound is evaluated once: what the body may change, or is costly to repeat, goes to a constant in front."""
        out = self.printer.expr(bound)
        nodes = list(walk.subexpressions(bound))
        varies = any(isinstance(n, d.Load | d.Call) or (isinstance(n, d.Var) and n.var in changed) for n in nodes)
        if not varies and (not needs_name or out.precedence == text.PRIMARY):
            return out
        name = self.fresh(name)
        ctype = index_type(self.printer.range_of(bound))
        hoisted.append(f"const {ctype} {name} = {out.text};\n")
        return text.primary(name, ctype)

    def loop_test(self, stmt: d.For, counter: Text, stop: Text, step: Text) -> str:
        p = self.printer
        steps, stops = p.range_of(stmt.step), p.range_of(stmt.stop)
        values = _hull(p, stmt)
        if isinstance(stmt.stop, d.Const) and not stmt.stop.name:
            stop = integers.literal_int(stmt.stop)
        up = integers.compare(p, "<", counter, values, stop, stops)
        down = integers.compare(p, ">", counter, values, stop, stops)
        if steps[0] > 0:
            return up.text
        if steps[1] < 0:
            return down.text
        positive = text.binary(">", step, text.primary("0", INT), "bool")
        return text.conditional(positive, up, down, "bool").text

    def counter_type(self, stmt: d.For) -> str:
        """Wide enough for the start, and for the step past the last value."""
        return index_type(_hull(self.printer, stmt))


def _hull(p: Printer, stmt: d.For) -> tuple[float, float]:
    """Every value that the C++ counter holds, the one that ends the loop included."""
    start, stop, step = p.range_of(stmt.start), p.range_of(stmt.stop), p.range_of(stmt.step)
    values = counter_range(start, stop, step)
    return start if values is None else iv.join(start, iv.join(values, iv.add(values, step)))


def variable_type(p: Printer, local: d.Local | d.ScalarParam, loops: list[d.For]) -> str:
    """The C++ type of a variable: its dtype's, or the width that holds all values of an index integer."""
    if loops:
        hulls = [_hull(p, loop) for loop in loops]
        return INT if all(within(hull, INT32) for hull in hulls) else LONG
    if isinstance(local.type, DType):
        return cpp_type(local.type)
    if isinstance(local, d.ScalarParam):
        return cpp_type(local.dtype)
    return index_type(interval(p.ranges.locals[local]) if local in p.ranges.locals else all_values(local.type))


def intrinsic_results(stmt: d.CallStmt) -> tuple[d.Scalar, ...]:
    """The result types of an intrinsic whose results are not used: by its own rule."""
    if isinstance(stmt.callee, d.Function):
        return stmt.callee.returns
    ruled = stmt.callee.rule(tuple(arg.type for arg in stmt.args if isinstance(arg, d.Expr)))
    return () if isinstance(ruled, str) else ruled.results


def compound(target: str, value: Text) -> str:
    """`x = x + y` as `x += y`."""
    if value.op in _COMPOUND and value.left == target:
        return f"{target} {value.op}= {value.right};"
    return f"{target} = {value.text};"


def _unroll(count: int | None) -> str:
    return "" if count is None else "#pragma unroll" if count == 0 else f"#pragma unroll {count}"


def _advance(counter: str, step: d.Expr, printed: Text) -> str:
    if isinstance(step, d.Const) and not step.name:
        value = int(step.value)
        if abs(value) == 1:
            return f"{'++' if value > 0 else '--'}{counter}"
        return f"{counter} {'+=' if value > 0 else '-='} {abs(value)}"
    return f"{counter} += {printed.text}"

"""Launches in ordinary host code that cannot be right, found without running it.

In: the text of a file and what it says to its kernels. Out: diagnostics of launch sites: arguments missing, of another dtype,
on the host, aliased, used after a move. The file is parsed by CPython's `ast`, never executed. A false alarm is worse than a
miss: facts come from straight-line code alone, branches and loops forget what they change, and code that expects a refusal is
left alone.
Non-goals: values that flow through functions, attributes and containers.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from transpiler.check.host_facts import Env, value_of
from transpiler.check.host_launch import Parameter, check_site, parameters_of, site_of
from transpiler.diagnostics import Diagnostic
from transpiler.ir import surface
from transpiler.source import Source, Span

_BUILTINS = {name: f"builtins.{name}" for name in ("float", "bool")}
_EXPECTS_FAILURE = re.compile(r"raise|suppress|expect|fail|refus|error", re.IGNORECASE)
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_MAYBE = (ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


def check_launches(source: Source, module: surface.Module) -> list[Diagnostic]:
    """Findings at the launch sites of a file."""
    kernels = {n: f for n, f in module.names.items() if isinstance(f, surface.Function) and f.is_kernel}
    if not kernels or not _may_launch(source.text, kernels):
        return []  # most kernel files: `ast` has nothing to do
    try:
        tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError):
        return []  # the front end has said what is wrong, or it is of no interest to kernels
    file = _File(source, module, frozenset(_shared_names(tree)))
    scope = _Scope(file, kernels, dict(_BUILTINS))
    scope.enter(tree.body, ())
    return file.found


def _may_launch(text: str, kernels: Iterable[str]) -> bool:
    names = "|".join(re.escape(name) for name in kernels)
    return "Owned(" in text or re.search(rf"(?<!def )\b(?:{names})\s*[\[(.,)]", text) is not None


def _shared_names(tree: ast.AST) -> Iterator[str]:
    """Names that functions may rebind from elsewhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names


@dataclass(slots=True)
class _File:
    source: Source
    module: surface.Module
    shared: frozenset[str]
    found: list[Diagnostic] = field(default_factory=list)
    parameters: dict[int, list[Parameter]] = field(default_factory=dict)

    def report(self, code: str, node: ast.expr, message: str, help: str | None) -> Diagnostic:
        return Diagnostic(code=code, message=message, source=self.source, span=self._span(node), help=help)

    def _span(self, node: ast.expr) -> Span:
        end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return Span(self._offset(node.lineno, node.col_offset), self._offset(end_line, end))

    def _offset(self, line: int, column: int) -> int:
        """`ast` counts columns in bytes of UTF-8."""
        lines = self.source.text.split("\n")
        before = lines[line - 1].encode("utf-8", "surrogatepass")[:column].decode("utf-8", "surrogatepass")
        return sum(len(text) + 1 for text in lines[: line - 1]) + len(before)

    def parameters_of(self, function: surface.Function) -> list[Parameter]:
        if id(function) not in self.parameters:
            self.parameters[id(function)] = parameters_of(self.module, function)
        return self.parameters[id(function)]


class _Scope:
    """A module or function body: what its names stand for, and the facts as its statements run."""

    def __init__(self, file: _File, kernels: dict[str, surface.Function], imports: dict[str, str]) -> None:
        self.file = file
        self.kernels = kernels
        self.imports = imports
        self.env = Env()

    def enter(self, body: Sequence[ast.stmt], parameters: Iterable[str]) -> None:
        """Bind the names of the body, then run it, then the functions in it."""
        bound = Counter(parameters)
        imported: dict[str, str] = {}
        for statement in body:
            for name, target in _bindings(statement):
                bound[name] += 1
                if target:
                    imported[name] = target
        is_module = not isinstance(self, _Inner)
        lost = {n for n, count in bound.items() if not is_module or count > 1} | self.file.shared
        self.kernels = {n: k for n, k in self.kernels.items() if n.partition(".")[0] not in lost}
        self.imports = {n: t for n, t in self.imports.items() if n not in bound and n not in self.file.shared}
        self.imports |= {n: t for n, t in imported.items() if bound[n] == 1 and n not in self.file.shared}
        self.run(body)
        for statement in body:
            self._functions(statement)

    def _functions(self, statement: ast.AST) -> None:
        """The functions and methods that stand in a statement, each a scope of its own."""
        if isinstance(statement, _Function):
            if not any(statement.name == f.name for f in self.file.module.functions):
                a = statement.args
                names = [x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if x is not None]
                _Inner(self.file, self.kernels, self.imports).enter(statement.body, names)
            return
        for child in ast.iter_child_nodes(statement):
            self._functions(child)

    # --- statements ---------------------------------------------------------------------------------------

    def run(self, body: Sequence[ast.stmt]) -> bool:
        """Statements in order; whether the end is not reached."""
        return any(self.statement(statement) for statement in body)

    def statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.Assign(targets=targets, value=value):
                self.expression(value)
                self._assign(targets, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.expression(value)
                self._assign([target], value)
            case ast.If():
                return self._if(node)
            case ast.For() | ast.While():
                self.expression(node.iter if isinstance(node, ast.For) else node.test)
                self._forget(node)
                for block in (node.body, node.orelse):
                    self._aside(block)
            case ast.With(items=items, body=body):
                return self._with(node, items, body)
            case ast.Expr() | ast.Return() | ast.Raise() | ast.Assert():
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.expression(child)
                self._forget(node, stores_only=True)
            case _:
                self._forget(node)  # `try`, `match` and the rest: what they do is not followed
        return isinstance(node, _ENDS)

    def _if(self, node: ast.If) -> bool:
        self.expression(node.test)
        self._forget(node.test)
        before = self.env.copy()
        body_ends, after_body = self.run(node.body), self.env
        self.env = before
        else_ends = self.run(node.orelse)
        if not body_ends:
            self.env = after_body if else_ends else self.env.both(after_body)
        return body_ends and else_ends

    def _with(self, node: ast.With, items: list[ast.withitem], body: list[ast.stmt]) -> bool:
        if any(_EXPECTS_FAILURE.search(ast.unparse(item.context_expr)) for item in items):
            self._forget(node)
            return False
        for item in items:
            self.expression(item.context_expr)
            self._forget(item)
        return self.run(body)

    def _aside(self, block: Sequence[ast.stmt]) -> None:
        """A block that may run any number of times: its facts stay in it."""
        before = self.env.copy()
        self.run(block)
        self.env = before

    def _assign(self, targets: list[ast.expr], value: ast.expr) -> None:
        pairs: list[tuple[ast.expr, ast.expr]] = []
        if len(targets) == 1 and isinstance(targets[0], ast.Tuple) and isinstance(value, ast.Tuple):
            if len(targets[0].elts) == len(value.elts):
                pairs = list(zip(targets[0].elts, value.elts, strict=True))
        else:
            pairs = [(target, value) for target in targets]
        made = {id(v): value_of(v, self.env, self.imports) for _, v in pairs}
        for target in targets:
            self._forget(target)
        for target, source in pairs:
            fact = made[id(source)]
            if isinstance(target, ast.Name) and fact is not None and target.id not in self.file.shared:
                self.env.names[target.id] = fact
                if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
                    self._stay_frozen(source.func, fact.identity)

    def _stay_frozen(self, method: ast.Attribute, identity: int) -> None:
        """What is moved out of a frozen buffer is frozen."""
        old = self.env.names.get(method.value.id) if isinstance(method.value, ast.Name) else None
        if method.attr == "move" and old is not None and old.identity in self.env.frozen:
            self.env.frozen[identity] = self.env.frozen[old.identity]

    def _forget(self, node: ast.AST, stores_only: bool = False) -> None:
        """Nothing is known of the names that a piece of code binds, or whose buffers or attributes it may change."""
        for name, _ in _bindings(node):
            self.env.names.pop(name, None)
        for child in () if stores_only else ast.walk(node):
            if not isinstance(child, ast.Attribute) or not isinstance(child.value, ast.Name):
                continue
            if isinstance(child.ctx, ast.Store) or child.attr in ("move", "freeze"):
                self.env.names.pop(child.value.id, None)

    # --- expressions --------------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> None:
        """The calls that are made for certain, inner ones first."""
        match node:
            case ast.IfExp(test=first) | ast.BoolOp(values=[first, *_]):
                self.expression(first)
                self._forget(node)
            case _ if isinstance(node, _MAYBE):
                self._forget(node)
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.expression(child)
                    elif isinstance(child, ast.keyword):
                        self.expression(child.value)
                if isinstance(node, ast.Call):
                    self._call(node)

    def _call(self, node: ast.Call) -> None:
        site = site_of(node, self.kernels, self.imports)
        if site is not None:
            parameters = self.file.parameters_of(site.function)
            self.file.found += check_site(site, parameters, self.env, self.imports, self.file.report)
            return
        method = node.func
        if not isinstance(method, ast.Attribute) or method.attr not in ("move", "borrow", "freeze"):
            return
        value = value_of(method.value, self.env, self.imports)
        if value is None or not value.owned or value.borrowed:
            return
        if value.identity in self.env.moved:
            text, line = ast.unparse(method.value), self.env.moved[value.identity]
            fix = "go on with what `move()` returned"
            self.file.found.append(self.file.report("E0822", node, f"`{text}` was moved in line {line}", fix))
        elif method.attr == "move":
            self.env.moved[value.identity] = node.lineno
        elif method.attr == "freeze":
            self.env.frozen.setdefault(value.identity, node.lineno)


class _Inner(_Scope):
    """A function's scope: each name that it binds hides the one outside, wherever it is bound."""


def _bindings(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Names that a piece of code binds in its own scope; with a full name where that is an import."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name, ""
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, ""
            return
        case ast.Import(names=names):
            yield from ((a.asname or a.name.partition(".")[0], a.name if a.asname else "") for a in names if a.asname)
            yield from ((a.name.partition(".")[0], a.name.partition(".")[0]) for a in names if not a.asname)
        case ast.ImportFrom(names=names, module=origin, level=level):
            yield from ((a.asname or a.name, f"{origin}.{a.name}" if origin and not level else "") for a in names)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name, ""
        case ast.MatchMapping(rest=str(name)):
            yield name, ""
        case ast.Lambda():
            return
    for child in ast.iter_child_nodes(node):
        yield from _bindings(child)

"""The surface AST as CPython's own parser sees it: the oracle of the front end.

In: the `Source` of a kernel file that the running Python can parse. Out: `module_from_ast(source) -> surface.Module` with the
spans of `ast` (UTF-8 byte columns turned into character offsets). Shares no code with `transpiler.frontend`, which it judges.
Non-goals: comments (left empty), diagnostics (`Unsupported` is raised), files imported by name (names stay qualified).
"""

from __future__ import annotations

import ast
import inspect
import unicodedata
from typing import Any

from transpiler.ir import surface as s
from transpiler.source import Source, Span

NUMPY_DTYPES = {
    "bool_": "bool",
    **{f"int{b}": f"i{b}" for b in (8, 16, 32, 64)},
    **{f"uint{b}": f"u{b}" for b in (8, 16, 32, 64)},
    **{f"float{b}": f"f{b}" for b in (16, 32, 64)},
    "bfloat16": "bf16",
}
DTYPE_SPELLINGS = frozenset(NUMPY_DTYPES) | frozenset(NUMPY_DTYPES.values())
"""A whole annotation that is a string with one of these stays a string; any other string annotation is parsed."""

_BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.MatMult: "@",
}
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
_COMPARE = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_BOOL = {ast.And: "and", ast.Or: "or"}


class Unsupported(Exception):
    """A construct that the surface AST has no node for."""


class _Reader:
    """Turns the nodes of one file (or of one string annotation at `base` in it) into surface nodes."""

    def __init__(self, source: Source, text: str, base: int) -> None:
        self.source = source
        self.lines = text.split("\n")
        self.starts = [base]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def offset(self, line: int, column: int) -> int:
        text = self.lines[line - 1]
        return self.starts[line - 1] + len(text.encode()[:column].decode())

    def span(self, node: Any) -> Span:
        return Span(self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset))

    def text(self, node: ast.AST) -> str:
        return self.source.slice(self.span(node))

    # --- expressions ---

    def expr(self, node: ast.expr) -> s.Expr:
        span = self.span(node)
        match node:
            case ast.Name():
                return s.Name(node.id, span=span)
            case ast.Constant():
                return self.constant(node, span)
            case ast.JoinedStr():
                return self.joined(node, span)
            case ast.Attribute():
                return s.Attribute(self.expr(node.value), node.attr, span=span)
            case ast.Subscript():
                return s.Subscript(self.expr(node.value), self.items(node.slice), span=span)
            case ast.Slice():
                return s.Slice(*(part and self.expr(part) for part in (node.lower, node.upper, node.step)), span=span)
            case ast.Call():
                return s.Call(self.expr(node.func), self.exprs(node.args), self.keywords(node.keywords), span=span)
            case ast.UnaryOp():
                return s.Unary(_UNARY[type(node.op)], self.expr(node.operand), span=span)
            case ast.BinOp():
                return s.Binary(_BINARY[type(node.op)], self.expr(node.left), self.expr(node.right), span=span)
            case ast.Compare():
                ops = tuple(_COMPARE[type(op)] for op in node.ops)
                return s.Compare(self.expr(node.left), ops, self.exprs(node.comparators), span=span)
            case ast.BoolOp():
                return s.BoolOp(_BOOL[type(node.op)], self.exprs(node.values), span=span)
            case ast.IfExp():
                return s.IfExp(self.expr(node.test), self.expr(node.body), self.expr(node.orelse), span=span)
            case ast.Tuple():
                return s.TupleExpr(self.exprs(node.elts), span=span)
            case ast.List():
                return s.ListExpr(self.exprs(node.elts), span=span)
            case ast.Dict() if None not in node.keys:
                return s.DictExpr(self.exprs(node.keys), self.exprs(node.values), span=span)
            case ast.NamedExpr():
                return s.Walrus(self.expr(node.target), self.expr(node.value), span=span)
        raise Unsupported(type(node).__name__)

    def exprs(self, nodes: list) -> tuple[s.Expr, ...]:
        return tuple(self.expr(node) for node in nodes)

    def items(self, node: ast.expr) -> tuple[s.Expr, ...]:
        return self.exprs(node.elts) if isinstance(node, ast.Tuple) else (self.expr(node),)

    def keywords(self, nodes: list[ast.keyword]) -> tuple[s.Keyword, ...]:
        if any(node.arg is None for node in nodes):
            raise Unsupported("** argument")
        return tuple(s.Keyword(node.arg, self.expr(node.value), span=self.span(node)) for node in nodes)

    def constant(self, node: ast.Constant, span: Span) -> s.Expr:
        value = node.value
        if value is None:
            return s.NoneLiteral(span=span)
        if value is Ellipsis:
            return s.EllipsisLiteral(span=span)
        if isinstance(value, bool):
            return s.Bool(value, span=span)
        if isinstance(value, int):
            return s.Int(value, self.text(node), span=span)
        if isinstance(value, float):
            return s.Float(value, self.text(node), span=span)
        if isinstance(value, str):
            return s.Str(value, span=span)
        raise Unsupported(type(value).__name__)

    def joined(self, node: ast.JoinedStr, span: Span) -> s.FString:
        """Inside an f-string the spans of `ast` are wrong before Python 3.12: those of pieces are the whole string's."""
        parts: list[s.Str | s.FormattedValue] = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(s.Str(part.value, span=span))
            else:
                parts.append(s.FormattedValue(self.inside(part.value), self.spec(part.format_spec), span=span))
        return s.FString(tuple(parts), span=span)

    def inside(self, node: ast.expr) -> s.Expr:
        text = ast.unparse(node)
        return _expression(Source(text), text)

    def spec(self, node: ast.expr | None) -> str:
        if node is None:
            return ""
        assert isinstance(node, ast.JoinedStr)
        if not all(isinstance(part, ast.Constant) for part in node.values):
            raise Unsupported("nested format specification")
        return "".join(part.value for part in node.values)

    def annotation(self, node: ast.expr | None) -> s.Expr | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value not in DTYPE_SPELLINGS:
            text = self.text(node)
            return _expression(self.source, node.value, self.span(node).start + text.index(node.value))
        return node and self.expr(node)

    # --- statements ---

    def block(self, nodes: list[ast.stmt]) -> tuple[s.Stmt, ...]:
        return tuple(self.stmt(node) for node in nodes)

    def stmt(self, node: ast.stmt) -> s.Stmt:
        span = self.span(node)
        match node:
            case ast.Assign():
                return s.Assign(self.exprs(node.targets), self.expr(node.value), span=span)
            case ast.AnnAssign():
                value = node.value and self.expr(node.value)
                return s.AnnAssign(self.expr(node.target), self.annotation(node.annotation), value, span=span)
            case ast.AugAssign():
                return s.AugAssign(self.expr(node.target), _BINARY[type(node.op)], self.expr(node.value), span=span)
            case ast.Expr():
                return s.ExprStmt(self.expr(node.value), span=span)
            case ast.If():
                return self.if_(node, span)
            case ast.For():
                target, over = self.expr(node.target), self.expr(node.iter)
                return s.For(target, over, self.block(node.body), self.block(node.orelse), span=span)
            case ast.While():
                return s.While(self.expr(node.test), self.block(node.body), self.block(node.orelse), span=span)
            case ast.Break():
                return s.Break(span=span)
            case ast.Continue():
                return s.Continue(span=span)
            case ast.Pass():
                return s.Pass(span=span)
            case ast.Return():
                return s.Return(node.value and self.expr(node.value), span=span)
            case ast.Assert():
                return s.Assert(self.expr(node.test), node.msg and self.expr(node.msg), span=span)
        raise Unsupported(type(node).__name__)

    def if_(self, node: ast.If, span: Span) -> s.If:
        is_elif = self.source.text.startswith("elif", span.start)
        return s.If(self.expr(node.test), self.block(node.body), self.block(node.orelse), is_elif, span=span)

    # --- functions ---

    def function(self, node: ast.FunctionDef, names: dict[str, Any]) -> s.Function:
        span = self.span(node)
        name_start = self.source.text.index(node.name, span.start + len("def"))
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        docstring = ast.get_docstring(node, clean=False)
        return s.Function(
            name=node.name,
            name_span=Span(name_start, name_start + len(node.name)),
            source=self.source,
            decorators=tuple(self.decorator(d, names) for d in node.decorator_list),
            type_params=tuple(self.type_param(p) for p in getattr(node, "type_params", ())),
            params=self.params(node.args),
            returns=self.annotation(node.returns),
            docstring=None if docstring is None else inspect.cleandoc(docstring),
            comments=(),
            body=self.block(body),
            span=span,
        )

    def type_param(self, node: Any) -> s.TypeParam:
        return s.TypeParam(node.name, node.bound and self.expr(node.bound), span=self.span(node))

    def decorator(self, node: ast.expr, names: dict[str, Any]) -> s.Decorator:
        call = node if isinstance(node, ast.Call) else None
        args = self.exprs(call.args) if call else ()
        keywords = self.keywords(call.keywords) if call else ()
        return s.Decorator(qualified(call.func if call else node, names) or "", args, keywords, span=self.span(node))

    def params(self, node: ast.arguments) -> tuple[s.Param, ...]:
        if node.vararg or node.kwarg:
            raise Unsupported("variadic parameter")
        positional = node.posonlyargs + node.args
        defaults = [None] * (len(positional) - len(node.defaults)) + list(node.defaults)
        kinds = ["positional-only"] * len(node.posonlyargs) + ["positional-or-keyword"] * len(node.args)
        rows = list(zip(positional, defaults, kinds, strict=True))
        rows += [(arg, default, "keyword-only") for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
        return tuple(self.param(*row) for row in rows)

    def param(self, node: ast.arg, default: ast.expr | None, kind: str) -> s.Param:
        value = default and self.expr(default)
        span = self.span(node)
        if value is not None:
            span = span.to(self.span(default))
        return s.Param(node.arg, self.annotation(node.annotation), value, kind, span=span)


def _expression(source: Source, text: str, base: int = 0) -> s.Expr:
    return _Reader(source, text, base).expr(ast.parse(text, mode="eval").body)


def qualified(node: ast.expr, names: dict[str, Any]) -> str | None:
    """The dotted name that an expression stands for, through the imports of the file."""
    if isinstance(node, ast.Name):
        meaning = names.get(node.id, node.id)
        return meaning if isinstance(meaning, str) else node.id
    if isinstance(node, ast.Attribute):
        base = qualified(node.value, names)
        return None if base is None else f"{base}.{node.attr}"
    return None


def module_from_ast(source: Source) -> s.Module:
    """What the file says that kernels can use; imports stay qualified names."""
    text = source.text.removeprefix("\ufeff")
    reader = _Reader(source, text, len(source.text) - len(text))
    names: dict[str, Any] = {}
    functions: dict[str, s.Function] = {}
    for node in ast.parse(text).body:
        for name, meaning in _bindings(node, reader, names):
            functions.pop(name, None)
            rebound = isinstance(meaning, s.ConstantDef) and name in names
            names[name] = s.Opaque(name, "a rebound name", span=meaning.span) if rebound else meaning
            if isinstance(meaning, s.Function):
                functions[name] = meaning
    return s.Module(source, names, tuple(functions.values()))


def _bindings(node: ast.stmt, reader: _Reader, names: dict[str, Any]) -> list[tuple[str, Any]]:
    match node:
        case ast.Import():
            return [
                (a.asname or a.name.split(".")[0], a.name if a.asname else a.name.split(".")[0]) for a in node.names
            ]
        case ast.ImportFrom():
            module = "." * node.level + (node.module or "")
            joint = "" if module.endswith(".") else "."
            return [(a.asname or a.name, f"{module}{joint}{a.name}") for a in node.names]
        case ast.FunctionDef():
            wanted = ("transpiler.kernel", "transpiler.device")
            decorators = [qualified(getattr(d, "func", d), names) for d in node.decorator_list]
            if any(name in wanted for name in decorators):
                return [(node.name, reader.function(node, names))]
            what = "a function that is not a device function"
            return [(node.name, s.Opaque(node.name, what, span=reader.span(node)))]
        case ast.ClassDef():
            return [(node.name, _class(node, reader, names))]
        case ast.Assign() | ast.AnnAssign() if node.value is not None:
            return _constants(node, reader)
    return []


def _class(node: ast.ClassDef, reader: _Reader, names: dict[str, Any]) -> Any:
    bases = [qualified(base, names) for base in node.bases]
    if "transpiler.Dim" in bases:
        return s.DimDef(node.name, span=reader.span(node))
    if "transpiler.DType" in bases:
        of = next(k.value for k in node.keywords if k.arg == "of")
        dtypes = [qualified(item, names) or "" for item in getattr(of, "elts", [of])]
        short = [name.rpartition(".")[2] for name in dtypes]
        return s.DTypeDef(node.name, tuple(NUMPY_DTYPES.get(name, name) for name in short), span=reader.span(node))
    return s.Opaque(node.name, "a class", span=reader.span(node))


def _constants(node: ast.Assign | ast.AnnAssign, reader: _Reader) -> list[tuple[str, Any]]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    found: list[tuple[str, Any]] = []
    for target in targets:
        if isinstance(target, ast.Name):
            name = unicodedata.normalize("NFKC", target.id)
            found.append((name, _constant(name, node, reader)))
        else:
            for part in ast.walk(target):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    found.append((part.id, s.Opaque(part.id, "a value", span=reader.span(node))))
    return found


def _constant(name: str, node: Any, reader: _Reader) -> s.ConstantDef | s.Opaque:
    span = reader.span(node)
    if isinstance(node.value, ast.List | ast.Dict):
        return s.Opaque(name, f"a {type(node.value).__name__.lower()}", span=span)
    try:
        return s.ConstantDef(name, reader.expr(node.value), reader.source, span=span)
    except Unsupported:
        return s.Opaque(name, "a value that is no constant", span=span)

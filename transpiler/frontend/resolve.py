"""What the names of a file mean to its kernels.

In: a `Source`. Out: `surface.Module`, and diagnostics of the functions decorated as kernels or device functions. The file is
read, never executed: imports, constants, `class N(Dim)`, `class T(DType, of=...)` and decorated functions are understood through
the qualified names that imports give; any other binding is `Opaque`. Of two bindings the latest counts, except that a constant
bound twice is none.
Non-goals: finding imported files (`imports`), folding constants (`check.constants`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from transpiler.diagnostics import Diagnostic
from transpiler.frontend import imports, parse
from transpiler.frontend.scan import Line, block_end, closing_bracket, logical_lines
from transpiler.ir import surface as s
from transpiler.ir.types import DTYPES
from transpiler.source import Source, Span

Meaning = s.Function | s.DimDef | s.DTypeDef | s.ConstantDef | s.Opaque | str

WANTED = frozenset(["transpiler.kernel", "transpiler.device"])
"""The decorators that make a function one of ours."""

MAX_CONSTANT = 2000
"""Characters of a statement that may define a constant: tables of data are not parsed."""

_NUMPY = {"bool_": "bool", "bfloat16": "bf16"} | {
    f"{long}{bits}": f"{short}{bits}"
    for long, short in (("int", "i"), ("uint", "u"), ("float", "f"))
    for bits in (8, 16, 32, 64)
}
_COMPOUND = ("if", "elif", "else", "for", "while", "try", "except", "finally", "with", "match")
_DECORATOR = re.compile(r"@[ \t]*(\w+(?:[ \t]*\.[ \t]*\w+)*)")
_DEFINED = re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
_BOUND = re.compile(r"\(?[ \t]*(\w+)[ \t]*(?:,|=(?!=)|:(?!=)|(?:[-+*/%&|^@]|//|\*\*|<<|>>)=)")
_BOUND_IN_BLOCK = re.compile(
    r"(?:for[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]*)?[-+*/%&|^@<>]*=(?!=)|(?:with|except)\b.*\bas[ \t]+(\w+))"
)
_WORDS = re.compile(r"\w+")


def parse_module(source: Source, read: Callable[[Path], Source] = Source.read) -> tuple[s.Module, list[Diagnostic]]:
    """All that a file says to its kernels. Errors of imported files, which `read` reads, come along, each with its own source."""
    files = imports.Files(Reader, read)
    reader = files.root(source)
    return files.module(reader), sorted_diagnostics(files)


def parse_function(
    source: Source, first_line: int, scope: Mapping[str, Meaning] | None = None
) -> tuple[s.Module, s.Function | None, list[Diagnostic]]:
    """The function that begins (with its first decorator) on a line anywhere in a file, nested ones and undecorated ones too.

    `scope` holds the meanings of names of enclosing functions; the module that comes back has them too.
    """
    files = imports.Files(Reader)
    reader = files.root(source)
    module = files.module(reader)
    reader.names.update(scope or {})
    function, found = reader.function_at(first_line)
    return replace(module, names=reader.names), function, found


def sorted_diagnostics(files: imports.Files[Reader]) -> list[Diagnostic]:
    return [found for reader in files.readers for found in sorted(reader.diagnostics, key=lambda d: d.span.start)]


class Reader:
    """Reads one file from top to bottom; `names` grows as it goes, which is what a cycle of imports sees."""

    def __init__(self, source: Source, files: imports.Files[Reader]) -> None:
        self.source = source
        self.names: dict[str, Meaning] = {}
        self.functions: dict[str, s.Function] = {}
        self.diagnostics: list[Diagnostic] = []
        self._files = files
        self._text = source.text
        self._lines: list[Line] = []

    def read(self) -> None:
        self._refuse_null_bytes()
        self._lines = logical_lines(self._text)
        index = 0
        while index < len(self._lines):
            index = self._statement(index)
        self._refuse_globals()

    def qualified(self, node: s.Expr) -> str:
        """The dotted name that an expression stands for, through the imports so far; empty if it is no dotted name."""
        parts: list[str] = []
        while isinstance(node, s.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, s.Name):
            return ""
        return ".".join([self._imported(node.id), *reversed(parts)])

    def _imported(self, name: str) -> str:
        meaning = self.names.get(name, name)
        return meaning if isinstance(meaning, str) else name

    # --- statements of the module ---

    def _statement(self, index: int) -> int:
        line = self._lines[index]
        if line.width:
            return index + 1  # belongs to nothing: an error of Python, and none of ours
        if line.word == "@":
            return self._decorated(index)
        if line.word in ("def", "async", "class"):
            return self._definition(index)
        if line.word in _COMPOUND:
            after, _ = block_end(self._lines, index, self._text)
            self._block(index, after)
            return after
        if line.word in ("import", "from"):
            self._import(line, is_certain=True)
        elif line.word == "del":
            for name in _WORDS.findall(self._slice(line))[1:]:
                self.names.pop(name, None)
                self.functions.pop(name, None)
        else:
            self._assignment(line)
        return index + 1

    def _slice(self, line: Line) -> str:
        return self._text[line.start : line.end]

    def bind(self, name: str, meaning: Meaning) -> None:
        self.functions.pop(name, None)
        self.names[name] = meaning
        if isinstance(meaning, s.Function) and meaning.source is self.source:
            self.functions[name] = meaning

    def _opaque(self, name: str, what: str, line: Line) -> None:
        self.bind(name, s.Opaque(name, what, span=Span(line.start, line.end)))

    def _import(self, line: Line, *, is_certain: bool) -> None:
        for name, meaning in self._files.imported(self._slice(line), self.source):
            if is_certain or name not in self.names:
                self.bind(name, meaning)

    def _block(self, index: int, after: int) -> None:
        """Names bound under `if`, `try`, `for`: imports count where nothing else binds the name, values never."""
        while index < after:
            line = self._lines[index]
            text = self._slice(line)
            if line.word in ("import", "from"):
                self._import(line, is_certain=False)
            elif (defined := _DEFINED.match(text)) is not None:
                self._opaque(defined[1], "a definition inside a block", line)
                index = max(block_end(self._lines, index, self._text)[0], index + 1)
                continue
            elif (bound := _BOUND_IN_BLOCK.match(text)) is not None:
                self._opaque(bound[1] or bound[2] or bound[3], "a name that is bound inside a block", line)
            index += 1

    # --- functions ---

    def _decorated(self, index: int) -> int:
        first, names = index, []
        while index < len(self._lines) and self._lines[index].word == "@" and self._lines[index].width == 0:
            found = _DECORATOR.match(self._slice(self._lines[index]))
            names.append(self._qualified_text(found[1]) if found else "")
            index += 1
        is_wanted = not WANTED.isdisjoint(names)
        defined = _DEFINED.match(self._slice(self._lines[index])) if index < len(self._lines) else None
        if defined is None or self._lines[index].width:
            if is_wanted:
                line = self._lines[index - 1]
                self._report(
                    "E0135", Span(line.start, line.end), "a decorator with no function below it", "write `def` below it"
                )
            return index
        line = self._lines[index]
        if not is_wanted or line.word == "class":
            return self._definition(index)
        after, end = block_end(self._lines, index, self._text)
        self._function(first, index, defined[1], end)
        return after

    def _function(self, first: int, index: int, name: str, end: int) -> None:
        line, top = self._lines[index], self._lines[first]
        if line.word == "async":
            message = "an `async` function cannot be a kernel"
            self._report(
                "E0113",
                Span(line.start, line.start + 5),
                message,
                "leave out `async`: a launch does not wait by itself",
            )
            function = None
        else:
            function, found = parse.parse_function(
                self.source, top.start, end, top.indentation, self.qualified, top.above
            )
            self.diagnostics += found
        if function is not None:
            self.bind(function.name, function)
        else:
            self._opaque(name, "a function with a syntax error", line)

    def function_at(self, first_line: int) -> tuple[s.Function | None, list[Diagnostic]]:
        row = first_line - self.source.first_line
        starts = [*self.source.line_starts, len(self._text) + 1]
        if not 0 <= row < len(starts) - 1:
            return None, []
        first = next((i for i, line in enumerate(self._lines) if starts[row] <= line.start < starts[row + 1]), None)
        if first is None:
            return None, []
        index = first
        while index + 1 < len(self._lines) and self._lines[index].word == "@":
            index += 1
        line, top = self._lines[index], self._lines[first]
        if line.word != "def":
            return None, self._no_function(line)
        _, end = block_end(self._lines, index, self._text)
        return parse.parse_function(self.source, top.start, end, top.indentation, self.qualified, top.above)

    def _no_function(self, line: Line) -> list[Diagnostic]:
        span, text = Span(line.start, line.end), self._slice(line)
        if "lambda" in text:
            code, message, help = "E0115", "a `lambda` cannot be a kernel", "write a function with `def`"
        else:
            code, message, help = "E0135", "no function begins here", "a kernel is written with `def`"
        return [Diagnostic(code=code, message=message, source=self.source, span=span, help=help)]

    def _definition(self, index: int) -> int:
        line = self._lines[index]
        after, _ = block_end(self._lines, index, self._text)
        defined = _DEFINED.match(self._slice(line))
        if defined is not None and line.word == "class":
            self.bind(defined[1], self._class(line, defined))
        elif defined is not None:
            self._opaque(defined[1], "a function that is not a device function", line)
        return max(after, index + 1)

    # --- classes and constants ---

    def _class(self, line: Line, defined: re.Match[str]) -> Meaning:
        name, start = defined[1], line.start + defined.start(1)
        span = Span(line.start, line.end)
        end = closing_bracket(self._text, line.start + defined.end(), line.end)
        call = parse.parse_expression(self.source, start, end + 1) if 0 < end - start < MAX_CONSTANT else None
        bases = [self.qualified(base) for base in call.args] if isinstance(call, s.Call) else []
        if "transpiler.Dim" in bases:
            return s.DimDef(name, span=span)
        if "transpiler.DType" in bases and isinstance(call, s.Call):
            return s.DTypeDef(name, self._dtypes(call), span=span)
        return s.Opaque(name, "a class", span=span)

    def _dtypes(self, call: s.Call) -> tuple[str, ...]:
        """The `of=` of a dtype class."""
        of = next((keyword.value for keyword in call.keywords if keyword.name == "of"), None)
        items = of.items if isinstance(of, s.TupleExpr | s.ListExpr) else () if of is None else (of,)
        names = [item.value if isinstance(item, s.Str) else self.qualified(item).rpartition(".")[2] for item in items]
        dtypes = [_NUMPY.get(name, name) for name in names]
        wrong = next((item for item, dtype in zip(items, dtypes, strict=True) if dtype not in DTYPES), None)
        if wrong is not None or not dtypes:
            message = "a class of dtypes lists them with `of=`" if wrong is None else "this is no dtype"
            self._report("E0136", (wrong or of or call).span, message, "write `class T(DType, of=(f16, f32)): ...`")
        return tuple(dtype for dtype in dtypes if dtype in DTYPES)

    def _assignment(self, line: Line) -> None:
        bound = _BOUND.match(self._slice(line))
        if bound is None:
            if line.word == "type" and (alias := re.match(r"type[ \t]+(\w+)[ \t]*[\[=]", self._slice(line))):
                self._opaque(alias[1], "a type alias", line)
            return
        statements = (
            parse.parse_line(self.source, line.start, line.end) if line.end - line.start <= MAX_CONSTANT else None
        )
        if statements is None:
            for name in _targets(self._slice(line)):
                self._opaque(name, "a value that is no constant", line)
            return
        for statement in statements:
            self._constants(statement, line)

    def _constants(self, statement: s.Stmt, line: Line) -> None:
        match statement:
            case s.Assign():
                for target in statement.targets:
                    self._constant(target, statement.value, statement.span, line)
            case s.AnnAssign() if statement.value is not None:
                self._constant(statement.target, statement.value, statement.span, line)
            case s.AugAssign(target=s.Name(id=name)):
                self._opaque(name, "a name that is bound more than once", line)

    def _constant(self, target: s.Expr, value: s.Expr, span: Span, line: Line) -> None:
        if isinstance(target, s.TupleExpr):
            values = value.items if isinstance(value, s.TupleExpr) else ()
            pairs = zip(target.items, values, strict=True) if len(values) == len(target.items) else ()
            for item, part in pairs:
                self._constant(item, part, span, line)
            if not pairs:
                for item in target.items:
                    if isinstance(item, s.Name):
                        self._opaque(item.id, "a part of a value that is no tuple", line)
        elif isinstance(target, s.Name):
            if isinstance(value, s.ListExpr | s.DictExpr):
                what = "a list" if isinstance(value, s.ListExpr) else "a dict"
                self._opaque(target.id, what, line)
            elif target.id in self.names:
                self._opaque(target.id, "a name that is bound more than once", line)
            else:
                self.bind(target.id, s.ConstantDef(target.id, value, self.source, line.above, span=span))

    # --- the whole file ---

    def _qualified_text(self, dotted: str) -> str:
        first, *rest = [part.strip() for part in dotted.split(".")]
        return ".".join([self._imported(first), *rest])

    def _refuse_null_bytes(self) -> None:
        place = self._text.find("\0")
        if place >= 0:
            self._report("E0105", Span(place, place + 1), "a null byte in the text", "save the file as UTF-8 text")

    def _refuse_globals(self) -> None:
        """A constant that some function rebinds with `global` is none."""
        for line in self._lines:
            if line.word == "global" and line.width:
                for name in _WORDS.findall(self._slice(line))[1:]:
                    if isinstance(self.names.get(name), s.ConstantDef):
                        self._opaque(name, "a name that a function rebinds with `global`", line)

    def _report(self, code: str, span: Span, message: str, help: str) -> None:
        self.diagnostics.append(Diagnostic(code=code, message=message, source=self.source, span=span, help=help))


def _targets(text: str) -> list[str]:
    """The names that an assignment binds whose value is not of the language; good enough to call them no constants."""
    left = re.split(r"=(?!=)|:", text, maxsplit=1)[0]
    return _WORDS.findall(left) if re.fullmatch(r"[\w\s,()*]*", left) else []

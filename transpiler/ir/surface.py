"""The surface AST: what the parser saw, one class a construct of the language.

In: built by `frontend.parse`. Out: frozen nodes with a span and nothing else: no types, no scopes, no facts (those are tables
beside the tree). A node is itself: two equal expressions on two lines are two nodes, so identity is equality.
Both tracks share it. Non-goals: constructs outside the language, which the parser refuses with their own message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from transpiler.records import node
from transpiler.source import Source, Span


@node(kw_only=True)
class Node:
    span: Span


# --- expressions ------------------------------------------------------------------------------------------


@node(kw_only=True)
class Expr(Node):
    pass


@node
class Name(Expr):
    id: str
    """NFKC-normalised, as Python does."""


@node
class Int(Expr):
    value: int
    text: str
    """As written, so that `0xFF` stays `0xFF` in the C++."""


@node
class Float(Expr):
    value: float
    text: str


@node
class Bool(Expr):
    value: bool


@node
class NoneLiteral(Expr):
    pass


@node
class Str(Expr):
    value: str


@node
class FormattedValue(Expr):
    """`{value:spec}` of an f-string."""

    value: Expr
    spec: str


@node
class FString(Expr):
    parts: tuple[Str | FormattedValue, ...]


@node
class Attribute(Expr):
    value: Expr
    attr: str


@node
class Slice(Expr):
    start: Expr | None
    stop: Expr | None
    step: Expr | None


@node
class EllipsisLiteral(Expr):
    pass


@node
class Subscript(Expr):
    """`value[items]`; `a[i, j]` has two items, `a[(i, j)]` too."""

    value: Expr
    items: tuple[Expr, ...]


@node
class Keyword(Node):
    name: str
    value: Expr


@node
class Call(Expr):
    func: Expr
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]


@node
class Unary(Expr):
    """`op` is `-`, `+`, `~` or `not`."""

    op: str
    operand: Expr


@node
class Binary(Expr):
    """`op` is one of `+ - * / // % ** << >> & | ^ @`."""

    op: str
    left: Expr
    right: Expr


@node
class Compare(Expr):
    """`left ops[0] rights[0] ops[1] rights[1] ...`; an op is one of `< <= > >= == !=`, `is`, `is not`, `in`, `not in`."""

    left: Expr
    ops: tuple[str, ...]
    rights: tuple[Expr, ...]


@node
class BoolOp(Expr):
    """`op` is `and` or `or`; two or more values, flattened as CPython does (`a and b and c` is one node)."""

    op: str
    values: tuple[Expr, ...]


@node
class IfExp(Expr):
    test: Expr
    body: Expr
    orelse: Expr


@node
class TupleExpr(Expr):
    items: tuple[Expr, ...]


@node
class ListExpr(Expr):
    """Legal in decorators and annotations only."""

    items: tuple[Expr, ...]


@node
class DictExpr(Expr):
    """Legal in decorators only."""

    keys: tuple[Expr, ...]
    values: tuple[Expr, ...]


@node
class Walrus(Expr):
    target: Name
    value: Expr


# --- statements -------------------------------------------------------------------------------------------


@node(kw_only=True)
class Stmt(Node):
    comments: tuple[str, ...] = ()
    """Comment lines above the statement, without `#` and one blank after it."""
    trailing: str | None = None
    """The comment behind the statement (behind the header of a compound one)."""


@node
class Assign(Stmt):
    """`targets[0] = targets[1] = value`; a target is a Name, Subscript, Attribute (refused later) or TupleExpr of targets."""

    targets: tuple[Expr, ...]
    value: Expr


@node
class AnnAssign(Stmt):
    target: Expr
    annotation: Expr
    value: Expr | None


@node
class AugAssign(Stmt):
    """`op` is the binary operator without `=`."""

    target: Expr
    op: str
    value: Expr


@node
class ExprStmt(Stmt):
    value: Expr


@node
class If(Stmt):
    """`elif` is an `If` alone in `orelse`, with `is_elif` set on it."""

    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    is_elif: bool = False


@node
class For(Stmt):
    target: Expr
    iter: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


@node
class While(Stmt):
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


@node
class Break(Stmt):
    pass


@node
class Continue(Stmt):
    pass


@node
class Pass(Stmt):
    pass


@node
class Return(Stmt):
    value: Expr | None


@node
class Assert(Stmt):
    test: Expr
    message: Expr | None


# --- functions and files ----------------------------------------------------------------------------------


@node
class Param(Node):
    name: str
    annotation: Expr | None
    default: Expr | None
    kind: str = "positional-or-keyword"
    """`positional-only`, `positional-or-keyword` or `keyword-only`."""


@node
class TypeParam(Node):
    """`N: Dim` of `def k[N: Dim](...)` (PEP 695)."""

    name: str
    bound: Expr | None


@node
class Decorator(Node):
    """`name` is the dotted name resolved through the file's imports (`transpiler.kernel`); args as written."""

    name: str
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]


@node
class Function(Node):
    """A function with `@kernel` or `@device`. `name_span` is where its name stands."""

    name: str
    name_span: Span
    source: Source
    """The file it stands in: spans of its nodes are offsets there, also when another file imports it."""
    decorators: tuple[Decorator, ...]
    type_params: tuple[TypeParam, ...]
    params: tuple[Param, ...]
    returns: Expr | None
    docstring: str | None
    comments: tuple[str, ...]
    """Comment lines directly above the decorators."""
    body: tuple[Stmt, ...]
    """Without the docstring."""
    closing_comments: tuple[str, ...] = ()
    """Comment lines at the end of the body, behind the last statement."""

    @property
    def is_kernel(self) -> bool:
        return any(d.name == "transpiler.kernel" for d in self.decorators)


@node
class DimDef(Node):
    """`class N(Dim): ...`."""

    name: str


@node
class DTypeDef(Node):
    """`class T(DType, of=(f16, f32)): ...`; `of` holds the dtype names in order."""

    name: str
    of: tuple[str, ...]


@node
class ConstantDef(Node):
    """A module-level `NAME = expression` that may be a constant; `check.constants` folds it where a kernel names it."""

    name: str
    value: Expr
    source: Source
    """The file it stands in."""
    comments: tuple[str, ...] = ()


@node
class Opaque(Node):
    """A module-level name that a kernel must not use: an ordinary class or function, a rebound name, a list.

    `what` says what it is, for the message: `"a class"`, `"a function that is not a device function"`.
    """

    name: str
    what: str


@node
class Module:
    """What a file says that kernels can use. `names` maps each module-level name to its meaning.

    The meaning is a definition above, a `Function`, or a `str`: the qualified name that an import binds (`"transpiler.cuda"`,
    `"math"`, `"numpy.float32"`). Definitions imported from other kernel files are the definitions themselves. For `import common`
    there is also a key for each qualified name, such as `"common.EPS"`.
    """

    source: Source
    names: dict[str, Function | DimDef | DTypeDef | ConstantDef | Opaque | str]
    functions: tuple[Function, ...]
    """Kernels and device functions of this file in the order they stand (the latest of two with one name)."""
    imported: tuple[str, ...] = ()
    """Paths of the files read for imports: the dependencies of a build."""
    modules: Sequence[Module] = field(default=(), repr=False)
    """This module and those of the files, which share this list: an imported definition has its names in its own."""

    def home(self, source: Source) -> Module:
        """The module that a definition of this file or of an imported one stands in."""
        return next((module for module in self.modules if module.source is source), self)

"""Conditions and sizes of a launch as C++ on the host, over `transpiler::exact` integers (`templates/host/transpiler_checks.h`).

In: device IR over dims, extents, scalars and launch dimensions, or a condition as Python text; how the launcher names them.
Out: C++ whose value is Python's, or is not valid where it does not fit; the names and values for a message.
Non-goals: kernels (`expressions`); when a condition is checked (`host`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

from transpiler.emit import literals
from transpiler.emit.cpp_types import LONG
from transpiler.ir import device as d
from transpiler.ir.types import DType
from transpiler.records import record

Key = tuple[str, str, int]
"""(kind, name, axis): `dim`, `scalar`, `extent`, `gridDim` or `blockDim`."""


@record
class Term:
    """C++ of a `kind`: `exact` (an integer), `double`, or `truth`."""

    code: str
    kind: str


class NotAHostCondition(ValueError):
    """A condition that speaks of more than the host knows: a bug of ours, since the compiler wrote it."""


_ARITHMETIC = {"+": "({} + {})", "-": "({} - {})", "*": "({} * {})"}
_INTEGER = {
    "//": "floor_div({}, {})",
    "%": "({} % {})",
    "**": "power({}, {})",
    "&": "({} & {})",
    "|": "({} | {})",
    "^": "({} ^ {})",
    "<<": "({} << {})",
    ">>": "({} >> {})",
    "min": "min({}, {})",
    "max": "max({}, {})",
}
_AST_BINARY: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_AST_COMPARE: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


class HostPrinter:
    """Prints for one launcher; `names` holds what it can speak of. `seen` collects the names of what was printed."""

    def __init__(self, names: Mapping[Key, Term]) -> None:
        self.names = names
        self.seen: dict[Key, Term] = {}

    def _name(self, kind: str, name: str, axis: int = 0) -> Term:
        key = (kind, name, axis)
        if key not in self.names:
            raise NotAHostCondition(f"{kind} {name} {axis}")
        self.seen[key] = self.names[key]
        return self.names[key]

    # --- device IR ---

    def device(self, expr: d.Expr) -> Term:
        match expr:
            case d.Const():
                return constant(expr.value)
            case d.Var():
                return self._name("scalar", expr.var.name)
            case d.DimRef():
                return self._name("dim", expr.name)
            case d.Extent():
                return self._name("extent", expr.array, expr.axis)
            case d.LaunchVar(name="gridDim" | "blockDim"):
                return self._name(expr.name, "", expr.axis)
            case d.LaunchVar(name="gridsize"):
                return binary("*", self._name("gridDim", "", expr.axis), self._name("blockDim", "", expr.axis))
            case d.LaunchVar(name="warpsize"):
                return Term("exact(32)", "exact")
            case d.Unary():
                return unary(expr.op, self.device(expr.operand))
            case d.Binary():
                return binary(expr.op, self.device(expr.left), self.device(expr.right))
            case d.Compare():
                return compare(expr.op, self.device(expr.left), self.device(expr.right))
            case d.Logic():
                return logic(expr.op, [self.device(expr.left), self.device(expr.right)])
            case d.Select():
                return select(*(self.device(part) for part in (expr.cond, expr.then, expr.orelse)))
            case d.Cast():
                return _cast(self.device(expr.operand), expr)
        raise NotAHostCondition(type(expr).__name__)

    # --- Python text ---

    def text(self, condition: str) -> Term:
        return self._ast(ast.parse(condition, mode="eval").body)

    def _ast(self, node: ast.expr) -> Term:
        match node:
            case ast.Constant(value=bool() | int() | float() as value):
                return constant(value)
            case ast.Name():
                return self._name("dim" if ("dim", node.id, 0) in self.names else "scalar", node.id)
            case ast.BinOp() if type(node.op) in _AST_BINARY:
                return binary(_AST_BINARY[type(node.op)], self._ast(node.left), self._ast(node.right))
            case ast.UnaryOp():
                op = {ast.USub: "-", ast.Invert: "~", ast.Not: "not", ast.UAdd: "+"}[type(node.op)]
                return unary(op, self._ast(node.operand))
            case ast.Compare():
                terms = [self._ast(part) for part in (node.left, *node.comparators)]
                links = zip(terms, node.ops, terms[1:], strict=False)
                return logic("and", [compare(_AST_COMPARE[type(op)], a, b) for a, op, b in links])
            case ast.BoolOp():
                return logic("and" if isinstance(node.op, ast.And) else "or", [self._ast(v) for v in node.values])
            case ast.IfExp():
                return select(*(self._ast(part) for part in (node.test, node.body, node.orelse)))
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=array)]):
                return self._name("extent", array, 0)
            case ast.Call(func=ast.Name(id="abs"), args=[operand]):
                return unary("abs", self._ast(operand))
            case ast.Call(func=ast.Name(id="min" | "max" as name), args=[first, *rest]):
                term = self._ast(first)
                for other in rest:
                    term = binary(name, term, self._ast(other))
                return term
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=array), attr="shape"), slice=ast.Constant(value=int(axis))
            ):
                return self._name("extent", array, axis)
            case ast.Attribute(
                value=ast.Attribute(value=ast.Name(id="cuda"), attr=name), attr=("x" | "y" | "z") as axis
            ):
                return self._name(name, "", "xyz".index(axis))
        raise NotAHostCondition(ast.unparse(node))


def constant(value: int | float | bool) -> Term:
    if isinstance(value, bool):
        return Term(f"truth({str(value).lower()})", "truth")
    if isinstance(value, int):
        return Term(_integer(value), "exact")
    return Term(literals.floating(value, 64), "double")


def _integer(value: int) -> str:
    if abs(value) < 1 << 31:
        return f"exact({value})"
    if abs(value) < 1 << 63:
        return f"exact({literals.integer(value, LONG)})"
    high, low = divmod(value, 1 << 62)  # no literal of C++ holds it
    return f"({_integer(high)} * power(exact(2), 62) + {low}LL)"


def unary(op: str, operand: Term) -> Term:
    if op == "not":
        return Term(f"!{as_truth(operand).code}", "truth")
    if op == "+":
        return operand
    if operand.kind == "double":
        return Term(f"std::fabs({operand.code})" if op == "abs" else f"(-{operand.code})", "double")
    code = as_exact(operand).code
    return Term(f"abs({code})" if op == "abs" else f"({op}{code})", "exact")


def binary(op: str, left: Term, right: Term) -> Term:
    if op == "/" or "double" in (left.kind, right.kind):
        a, b = as_double(left).code, as_double(right).code
        if op in ("min", "max"):
            sign = "<=" if op == "min" else ">="
            return Term(f"({a} {sign} {b} ? {a} : {b})", "double")
        forms = {**_ARITHMETIC, "/": "({} / {})", "**": "std::pow({}, {})", "//": "std::floor({} / {})"}
        if op not in forms:
            raise NotAHostCondition(f"{op} of floats")
        return Term(forms[op].format(a, b), "double")
    forms = {**_ARITHMETIC, **_INTEGER}
    return Term(forms[op].format(*_plain(as_exact(left).code, as_exact(right).code)), "exact")


def compare(op: str, left: Term, right: Term) -> Term:
    convert: Callable[[Term], Term] = as_double if "double" in (left.kind, right.kind) else as_exact
    a, b = convert(left).code, convert(right).code
    if convert is as_double:
        return Term(f"truth({a} {op} {b})", "truth")
    a, b = _plain(_arithmetic(a), _arithmetic(b))
    return Term(f"({a} {op} {b})", "truth")


def _plain(a: str, b: str) -> tuple[str, str]:
    """A constant beside an `exact` needs no conversion of its own."""
    left, right = (re.fullmatch(r"exact\((-?\d+(?:LL)?)\)", code) for code in (a, b))
    if left is not None and right is None:
        return left[1], b
    if right is not None and left is None:
        return a, right[1]
    return a, b


def logic(op: str, terms: list[Term]) -> Term:
    *rest, last = [as_truth(term).code for term in terms]
    word = "both" if op == "and" else "either"
    for code in reversed(rest):
        last = f"{word}({_bare(code)}, {_bare(last)})"
    return Term(last, "truth")


def select(condition: Term, then: Term, otherwise: Term) -> Term:
    kinds = {then.kind, otherwise.kind}
    convert = as_double if "double" in kinds else as_truth if kinds == {"truth"} else as_exact
    code = ", ".join(part.code for part in (as_truth(condition), convert(then), convert(otherwise)))
    return Term(f"select({code})", convert(then).kind)


def _cast(operand: Term, cast: d.Cast) -> Term:
    if not isinstance(cast.type, DType) or cast.exact or cast.type == getattr(cast.operand, "type", None):
        return operand
    if cast.type.is_float:
        return as_double(operand)
    if cast.type.kind == "bool":
        return as_truth(operand)
    if operand.kind == "double":
        raise NotAHostCondition("a float as an integer")
    signed = "true" if cast.type.kind == "int" else "false"
    return Term(f"wrapped({as_exact(operand).code}, {cast.type.bits}, {signed})", "exact")


def as_exact(term: Term) -> Term:
    if term.kind == "double":
        raise NotAHostCondition("a float where an integer is wanted")
    return Term(f"as_number({term.code})", "exact") if term.kind == "truth" else term


def as_double(term: Term) -> Term:
    return term if term.kind == "double" else Term(f"{as_exact(term).code}.real()", "double")


def as_truth(term: Term) -> Term:
    if term.kind == "truth":
        return term
    zero = "0.0" if term.kind == "double" else "exact(0)"
    return compare("!=", term, Term(zero, term.kind))


def _bare(code: str) -> str:
    """Without the brackets around the whole of it."""
    if not (code.startswith("(") and code.endswith(")")):
        return code
    depth = 0
    for position, char in enumerate(code):
        depth += (char == "(") - (char == ")")
        if depth == 0 and position < len(code) - 1:
            return code
    return code[1:-1]


def _arithmetic(code: str) -> str:
    """An operand of a comparison: brackets around a sum or product say nothing, others do."""
    return code if re.search(r" (<|<=|>|>=|==|!=|&|\||\^|<<|>>) ", code) else _bare(code)


def bare(term: Term) -> str:
    """The C++ of a term as an argument of a call."""
    return _bare(term.code)

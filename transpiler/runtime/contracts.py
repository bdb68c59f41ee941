"""Conditions of a contract as Python code on the numbers of a launch.

In: conditions as text (`cuda.gridDim.x * 256 <= len(x)`) or as device IR (`requires`, `grid=`, `domain=`, shared extents). Out:
functions over the slot list of `runtime.slots`, in exact integers. Text is parsed and rebuilt from a short list of allowed nodes
with every name replaced by a slot: what is compiled is always our own text.
Non-goals: deciding when a condition is checked (`runtime.plan`); data contracts (`runtime.data_contracts`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from transpiler.ir import device as d
from transpiler.runtime.slots import Slot, Slots

Values = list[Any]
"""The numbers of a launch, one a slot."""


@dataclass(frozen=True, slots=True)
class Term:
    """An expression over slots: Python code with `v[k]` for slot k, and the slots that it reads."""

    code: str
    uses: frozenset[Slot]


@dataclass(frozen=True, slots=True)
class Condition:
    """`text` is how the user reads it."""

    text: str
    term: Term


@dataclass(frozen=True, slots=True)
class DataCheck:
    """A data contract on the array parameter `array`; `args` are slots expressions (the bounds of `in_range`)."""

    text: str
    predicate: str
    array: str
    args: tuple[Term, ...]


PREDICATES = ("injective", "permutation", "in_range", "nondecreasing")

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
}
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not "}
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_FUNCTIONS = ("min", "max", "abs")
_AXES = {"x": 0, "y": 1, "z": 2}


class NotACondition(ValueError):
    """A contract text that this module cannot read: a bug of ours, since the compiler wrote it."""


def parse_condition(text: str, table: Slots) -> Condition | DataCheck:
    """A contract line of the prover."""
    tree = ast.parse(text, mode="eval").body
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in PREDICATES:
        array, *bounds = tree.args
        if not isinstance(array, ast.Name):
            raise NotACondition(text)
        return DataCheck(text, tree.func.id, array.id, tuple(_from_ast(bound, table) for bound in bounds))
    return Condition(text, _from_ast(tree, table))


def _slot(table: Slots, kind: str, name: str, axis: int) -> Term:
    slot = (kind, name, axis)
    if slot not in table.index:
        raise NotACondition(f"no {kind} {name} {axis}")
    return Term(f"v[{table[slot]}]", frozenset((slot,)))


def _joined(template: str, terms: Sequence[Term]) -> Term:
    uses = frozenset[Slot]().union(*(term.uses for term in terms))
    return Term(template.format(*(term.code for term in terms)), uses)


def _from_ast(node: ast.expr, table: Slots) -> Term:
    match node:
        case ast.Constant(value=bool() | int() | float()):
            return Term(repr(node.value), frozenset())
        case ast.Name():
            kind = "dim" if ("dim", node.id, 0) in table.index else "scalar"
            return _slot(table, kind, node.id, 0)
        case ast.BinOp() if type(node.op) in _BINARY:
            operands = [_from_ast(node.left, table), _from_ast(node.right, table)]
            return _joined(f"({{}} {_BINARY[type(node.op)]} {{}})", operands)
        case ast.UnaryOp() if type(node.op) in _UNARY:
            return _joined(f"({_UNARY[type(node.op)]}{{}})", [_from_ast(node.operand, table)])
        case ast.Compare():
            return _compare(node, table)
        case ast.BoolOp():
            word = " and " if isinstance(node.op, ast.And) else " or "
            terms = [_from_ast(value, table) for value in node.values]
            return _joined(f"({word.join('{}' for _ in terms)})", terms)
        case ast.IfExp():
            terms = [_from_ast(part, table) for part in (node.body, node.test, node.orelse)]
            return _joined("({} if {} else {})", terms)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=array)]):
            return _slot(table, "extent", array, 0)
        case ast.Call(func=ast.Name(id=name), args=args) if name in _FUNCTIONS:
            terms = [_from_ast(arg, table) for arg in args]
            return _joined(f"{name}({', '.join('{}' for _ in terms)})", terms)
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name(id=array), attr="shape"), slice=ast.Constant(value=int(axis))
        ):
            return _slot(table, "extent", array, axis)
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="cuda"), attr=name), attr=axis) if axis in _AXES:
            return _slot(table, name, "", _AXES[axis])
        case _:
            raise NotACondition(ast.unparse(node))


def _compare(node: ast.Compare, table: Slots) -> Term:
    terms = [_from_ast(part, table) for part in (node.left, *node.comparators)]
    template = "({}" + "".join(f" {_COMPARE[type(op)]} {{}}" for op in node.ops) + ")"
    return _joined(template, terms)


def from_device(expr: d.Expr, table: Slots) -> Term:
    """An expression of device IR over dims, extents, scalars and launch dimensions."""
    match expr:
        case d.Const():
            return Term(repr(expr.value), frozenset())
        case d.Var():
            return _slot(table, "scalar", expr.var.name, 0)
        case d.DimRef():
            return _slot(table, "dim", expr.name, 0)
        case d.Extent():
            return _slot(table, "extent", expr.array, expr.axis)
        case d.LaunchVar(name="gridDim" | "blockDim"):
            return _slot(table, expr.name, "", expr.axis)
        case d.LaunchVar(name="gridsize"):
            return _joined("({} * {})", [_slot(table, name, "", expr.axis) for name in ("gridDim", "blockDim")])
        case d.LaunchVar(name="warpsize"):
            return Term("32", frozenset())
        case d.Unary(op="abs"):
            return _joined("abs({})", [from_device(expr.operand, table)])
        case d.Unary():
            return _joined(f"({expr.op} {{}})", [from_device(expr.operand, table)])
        case d.Binary(op="min" | "max"):
            return _joined(f"{expr.op}({{}}, {{}})", [from_device(expr.left, table), from_device(expr.right, table)])
        case d.Binary() | d.Compare() | d.Logic():
            return _joined(f"({{}} {expr.op} {{}})", [from_device(expr.left, table), from_device(expr.right, table)])
        case d.Select():
            return _joined("({} if {} else {})", [from_device(e, table) for e in (expr.then, expr.cond, expr.orelse)])
        case d.Cast():
            return _cast(expr, table)
        case _:
            raise NotACondition(f"{type(expr).__name__} in a condition of the launch")


def _cast(expr: d.Cast, table: Slots) -> Term:
    operand = [from_device(expr.operand, table)]
    if not isinstance(expr.type, d.DType) or expr.exact or expr.type == getattr(expr.operand, "type", None):
        return operand[0]
    if expr.type.is_float:
        return _joined("float({})", operand)
    if expr.type.kind == "bool":
        return _joined("({} != 0)", operand)
    low, span = expr.type.min, 1 << expr.type.bits
    return _joined(f"((int({{}}) - {low}) % {span} + {low})", operand)


_BUILTINS = {"min": min, "max": max, "abs": abs, "float": float, "int": int, "ZeroDivisionError": ZeroDivisionError}


def value_function(terms: Sequence[Term]) -> Callable[[Values], tuple[Any, ...]]:
    """A function that returns the values of the terms."""
    body = "".join(f"{term.code}, " for term in terms)
    return _compiled(f"def function(v): return ({body})")


@lru_cache(maxsize=4096)
def _compiled(text: str) -> Callable[[Values], Any]:
    """Our own text as a function; shape classes of one kernel share it."""
    space: dict[str, Any] = {"__builtins__": _BUILTINS}
    exec(compile(text, "<launch>", "exec"), space)
    return space["function"]


def check_function(conditions: Sequence[Condition]) -> Callable[[Values], int]:
    """A function that returns the number of the first condition that does not hold, or -1.

    A condition that divides by zero does not hold.
    """
    lines = ["def function(v):", "    k = 0", "    try:"]
    for number, condition in enumerate(conditions):
        lines.append(f"        k = {number}")
        lines.append(f"        if not {condition.term.code}: return {number}")
    lines += ["        return -1", "    except ZeroDivisionError:", "        return k"]
    return _compiled("\n".join(lines))


def conditions(kernel: d.Kernel, contract: Sequence[str], table: Slots) -> tuple[list[Condition], list[DataCheck]]:
    """Everything that a kernel asks of a launch, without repetition: what it says, then what was inferred."""
    found: dict[str, Condition] = {}
    data: dict[str, DataCheck] = {}
    for requirement in kernel.requires:
        if requirement.cond is None:
            args = tuple(from_device(arg, table) for arg in requirement.args)
            data[requirement.text] = DataCheck(requirement.text, requirement.predicate, requirement.array, args)
        else:
            found[requirement.text] = Condition(requirement.text, from_device(requirement.cond, table))
    for text in contract:
        parsed = parse_condition(text, table)
        if isinstance(parsed, DataCheck):
            data.setdefault(text, parsed)
        else:
            found.setdefault(text, parsed)
    return list(found.values()), list(data.values())


def explain(condition: Condition, table: Slots, values: Values) -> str:
    """The numbers behind a condition that does not hold: `n = 10, len(x) = 8`."""
    names = {slot: _readable(slot) for slot in condition.term.uses}
    ordered = sorted(condition.term.uses, key=lambda slot: table[slot])
    return ", ".join(f"{names[slot]} = {values[table[slot]]}" for slot in ordered)


def _readable(slot: Slot) -> str:
    kind, name, axis = slot
    if kind == "extent":
        return f"len({name})" if axis == 0 else f"{name}.shape[{axis}]"
    if kind in ("gridDim", "blockDim"):
        return f"cuda.{kind}.{'xyz'[axis]}"
    return name

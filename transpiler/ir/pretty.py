"""Conditions of a contract as Python text, the form that users write and the launch evaluates.

In: a device expression over dims, scalars, extents and launch variables. Out: text such as `cuda.gridDim.x * 256 <= len(x)`.
Non-goals: C++ (`emit`), whole kernels.
"""

from __future__ import annotations

from transpiler.ir import device

_PRECEDENCE = {
    "or": 1,
    "and": 2,
    "not": 3,
    "|": 5,
    "^": 6,
    "&": 7,
    "<<": 8,
    ">>": 8,
    "+": 9,
    "-": 9,
    "*": 10,
    "/": 10,
    "//": 10,
    "%": 10,
    "**": 12,
}
_COMPARE, _UNARY, _ATOM = 4, 11, 13


def extent_text(array: device.Array, axis: int) -> str:
    return f"len({array.name})" if array.rank == 1 else f"{array.name}.shape[{axis}]"


def condition_text(expr: device.Expr, ranks: dict[str, int]) -> str:
    """The expression as Python; `ranks` gives the rank of each array parameter (`len(x)` for one axis, else `x.shape[k]`)."""
    return _text(expr, ranks, 0)


def _text(expr: device.Expr, ranks: dict[str, int], outer: int) -> str:
    text, own = _pieces(expr, ranks)
    return f"({text})" if own < outer else text


def _pieces(expr: device.Expr, ranks: dict[str, int]) -> tuple[str, int]:
    match expr:
        case device.Const():
            return str(expr.value), _ATOM if not isinstance(expr.value, int | float) or expr.value >= 0 else _UNARY
        case device.Var():
            return expr.var.name, _ATOM
        case device.DimRef():
            return expr.name, _ATOM
        case device.Extent():
            one = ranks.get(expr.array, 1) == 1
            return (f"len({expr.array})" if one else f"{expr.array}.shape[{expr.axis}]"), _ATOM
        case device.LaunchVar():
            return _launch_variable(expr)
        case device.Cast():
            return _pieces(expr.operand, ranks)
        case device.Unary():
            return _unary(expr, ranks)
        case device.Binary(op=("min" | "max") as op):
            return f"{op}({_text(expr.left, ranks, 0)}, {_text(expr.right, ranks, 0)})", _ATOM
        case device.Binary() | device.Logic():
            own = _PRECEDENCE[expr.op]
            left_bound, right_bound = (own + 1, own) if expr.op == "**" else (own, own + 1)
            return f"{_text(expr.left, ranks, left_bound)} {expr.op} {_text(expr.right, ranks, right_bound)}", own
        case device.Compare():
            return (
                f"{_text(expr.left, ranks, _COMPARE + 1)} {expr.op} {_text(expr.right, ranks, _COMPARE + 1)}",
                _COMPARE,
            )
        case device.Select():
            parts = (_text(e, ranks, 1) for e in (expr.then, expr.cond, expr.orelse))
            return "{} if {} else {}".format(*parts), 0
    raise AssertionError(f"{type(expr).__name__} in a contract")


def _unary(expr: device.Unary, ranks: dict[str, int]) -> tuple[str, int]:
    if expr.op == "abs":
        return f"abs({_text(expr.operand, ranks, 0)})", _ATOM
    if expr.op == "not":
        return f"not {_text(expr.operand, ranks, _PRECEDENCE['not'])}", _PRECEDENCE["not"]
    return f"{expr.op}{_text(expr.operand, ranks, _UNARY)}", _UNARY


def _launch_variable(expr: device.LaunchVar) -> tuple[str, int]:
    axis = "xyz"[expr.axis]
    if expr.name == "gridsize":
        return f"cuda.gridDim.{axis} * cuda.blockDim.{axis}", _PRECEDENCE["*"]
    return f"cuda.{expr.name}.{axis}", _ATOM

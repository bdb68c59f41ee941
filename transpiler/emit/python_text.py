"""Sizes as Python text, for headers and manifests.

In: expressions over dims, extents, scalars and launch variables. Out: Python that says the same (`(n + 255) // 256`).
Non-goals: expressions of kernel bodies, which have their source.
"""

from __future__ import annotations

from transpiler.ir import device as d

_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "//": 2, "%": 2, "/": 2, "**": 4}


def python_text(expr: d.Expr, precedence: int = 0) -> str:
    match expr:
        case d.Const():
            return str(expr.value)  # its name means nothing outside the kernel file
        case d.DimRef():
            return expr.name
        case d.Var():
            return expr.var.name
        case d.Extent():
            return f"{expr.array}.shape[{expr.axis}]"
        case d.LaunchVar():
            return f"cuda.{expr.name}.{'xyz'[expr.axis]}"
        case d.Cast():
            return python_text(expr.operand, precedence)
        case d.Unary():
            return f"{expr.op}{python_text(expr.operand, 3)}"
        case d.Binary(op="min" | "max"):
            return f"{expr.op}({python_text(expr.left)}, {python_text(expr.right)})"
        case d.Binary():
            own = _PRECEDENCE.get(expr.op, 0)
            text = f"{python_text(expr.left, own)} {expr.op} {python_text(expr.right, own + 1)}"
            return f"({text})" if own < precedence or own == 0 else text
    return "?"

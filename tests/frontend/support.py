"""Helpers for the tests of the front end."""

from __future__ import annotations

from transpiler.diagnostics import Diagnostic
from transpiler.frontend import parse_module
from transpiler.ir import surface as s
from transpiler.source import Source

IMPORTS = "from transpiler import Dim, DType, In, InOut, Out, cuda, device, f16, f32, i32, kernel\n"


def module(text: str) -> s.Module:
    """The module of a text that has no errors."""
    result, diagnostics = parse_module(Source(text))
    assert diagnostics == [], [(d.code, d.message) for d in diagnostics]
    return result


def kernel(body: str, params: str = "x: In[f32, int]") -> s.Function:
    """The kernel with this body, whose lines begin in column 0."""
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    (function,) = module(f"{IMPORTS}@kernel\ndef k({params}):\n{lines}\n").functions
    return function


def findings(body: str, params: str = "x") -> list[Diagnostic]:
    """The diagnostics of a kernel with this body."""
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse_module(Source(f"{IMPORTS}@kernel\ndef k({params}):\n{lines}\n"))[1]


def shown(source: Source, node: s.Node) -> str:
    return source.slice(node.span)

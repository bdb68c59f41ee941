"""`print` as `printf`.

In: a `Print`. Out: one `printf` call whose format says what Python would: text is escaped for C and for `printf`, a
value without a format is printed by its type.
Non-goals: refusing formats that `printf` lacks (`check`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.emit import literals, text
from transpiler.emit.cpp_types import INT, LONG, PROMOTED, UINT, ULONG
from transpiler.emit.text import Text
from transpiler.ir import device as d
from transpiler.ir.types import BOOL, DType

if TYPE_CHECKING:
    from transpiler.emit.expressions import Printer

_SPEC = re.compile(r"(?P<flags>[<>]?[-+ 0#]*)(?P<width>\d*)(?P<precision>\.\d+)?(?P<kind>[dxXobeEfFgGs]?)")
_INTEGER = {INT: ("", "d"), LONG: ("ll", "d"), UINT: ("", "u"), ULONG: ("ll", "u")}


def statement(p: Printer, stmt: d.Print) -> str:
    spelled, args = "", []
    for part in stmt.parts:
        if isinstance(part, str):
            spelled += part.replace("%", "%%")
            continue
        conversion, value = _conversion(p, *part)
        spelled += conversion
        args.append(value)
    return f"printf({', '.join([literals.string(spelled), *args])});"


def _conversion(p: Printer, expr: d.Expr, spec: str) -> tuple[str, str]:
    match = _SPEC.fullmatch(spec)
    flags, width, precision, kind = match.group("flags", "width", "precision", "kind") if match else ("", "", None, "")
    start = "%" + flags.replace("<", "-").replace(">", "") + width
    value = p.expr(expr)
    if expr.type == BOOL and kind in ("", "s"):
        choice = text.conditional(value, text.primary('"True"', ""), text.primary('"False"', ""), "")
        return f"{start}s", choice.text
    if isinstance(expr.type, DType) and expr.type.is_float:
        value = value if value.ctype in ("float", "double") else text.cast(value, "float")
        return f"{start}{precision or ''}{kind if kind in 'eEfFgG' and kind else 'g'}", value.text
    if kind and kind in "eEfFgG":
        return f"{start}{precision or ''}{kind}", text.cast(value, "double").text
    return _integer(start, kind, value)


def _integer(start: str, kind: str, value: Text) -> tuple[str, str]:
    """Integers of any width: `printf` must be told which."""
    ctype = INT if value.ctype in PROMOTED else value.ctype
    length, letter = _INTEGER[ctype]
    return f"{start}{length}{kind if kind and kind in 'xXo' else letter}", value.text

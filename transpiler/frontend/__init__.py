"""From text to the surface AST: `parse_module(source)` for a file, `parse_function(source, first_line)` for one function in it.

    scan, resolve, imports      the lines of any file; what its names mean; other kernel files
    tables, table_cache         what Lark makes of the grammar, as plain data; on the disk
    tokens, layout, machine     text to tokens to lines and blocks to the start rule
    expressions, literals, statements, functions    the builder of surface nodes, one method a rule
    parse                       all of that for one function, line or expression, and going on after an error
    met, foreign, mistakes, syntax_errors, depth, findings      what is wrong

Nothing here executes the file that it reads.
"""

from __future__ import annotations

from transpiler.frontend import parse
from transpiler.frontend.resolve import parse_function, parse_module
from transpiler.ir.surface import Expr
from transpiler.source import Source, Span

__all__ = ["parse_expression", "parse_function", "parse_module"]


def parse_expression(text: str, span: Span) -> Expr | None:
    """The expression in a string literal that stands at `span`, with spans there; None where it is none of the language."""
    blank = " " * (span.start + 1)
    return parse.parse_expression(Source(blank + text), len(blank), len(blank) + len(text))

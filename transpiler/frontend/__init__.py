"""From text to the surface AST: `parse_module(source)` for a file, `parse_function(source, first_line)` for one function in it.

    scan      logical lines of any file            tables   Lark's LALR tables as data (table_cache: on disk)
    resolve   names, constants, which functions    tokens, layout, machine   text to tokens to the start rule
    imports   other kernel files                   expressions, literals, statements   the nodes
                                                   syntax_errors, depth, findings      what is wrong

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

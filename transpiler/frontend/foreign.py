"""What Python has and kernels have not: each construct with its own code, sentence and replacement.

In: `Met`. Out: a `Finding`, or None where the construct is another. Non-goals: what is no Python either (`mistakes`).
"""

from __future__ import annotations

from transpiler.frontend.met import Finding, Met
from transpiler.frontend.tokens import Token, kinds
from transpiler.source import Span

_BRANCH = "test the value with `if`, or demand it with `requires(...)` or `assert`"
_CONSTRUCTS: dict[str, tuple[str, str, str]] = {
    "TRY": ("E0110", "`try`", _BRANCH),
    "EXCEPT": ("E0110", "`except`", _BRANCH),
    "FINALLY": ("E0110", "`finally`", _BRANCH),
    "RAISE": ("E0111", "`raise`", "use `assert condition, 'text'`: what is not proved is checked when the kernel runs"),
    "WITH": ("E0112", "`with`", "write what it does in place"),
    "ASYNC": ("E0113", "`async`", "a launch is asynchronous by itself: give it `stream=`"),
    "AWAIT": ("E0113", "`await`", "a launch is asynchronous by itself: give it `stream=`"),
    "YIELD": ("E0114", "`yield`", "store the values into an `Out` parameter"),
    "LAMBDA": ("E0115", "`lambda`", "write a function with `@device` and call it by name"),
    "DEF": (
        "E0116",
        "a function inside a kernel",
        "move it to the top level of the file and decorate it with `@device`",
    ),
    "CLASS": ("E0117", "a class inside a kernel", "use a tuple for values that belong together"),
    "IMPORT": ("E0118", "`import` inside a kernel", "move it to the top of the file"),
    "FROM": ("E0118", "`from ... import` inside a kernel", "move it to the top of the file"),
    "GLOBAL": ("E0119", "`global`", "write to an array parameter; module constants can be read without it"),
    "NONLOCAL": ("E0119", "`nonlocal`", "return the value from the `@device` function"),
    "DEL": ("E0120", "`del`", "leave it out: a local ends with the function"),
}
_INSIDE_EXPRESSIONS = frozenset(["LAMBDA", "YIELD", "AWAIT"])
_KEYWORDS = frozenset(_CONSTRUCTS) | kinds(
    "AND ASSERT BREAK CONTINUE ELIF ELSE FALSE FOR IF IN IS NONE NOT OR PASS RETURN TRUE WHILE"
)
_USED_AS_NAME = kinds("EQUAL AUGMENT COMMA RPAR RSQB DOT COLONEQUAL")


def keyword(met: Met) -> Finding | None:
    token = met.token
    if token.type not in _KEYWORDS:
        return None
    if met.before is not None and met.before.type == "DOT":
        return _as_name(token)
    if token.type == "FOR" and met.line and met.brackets:
        return None
    if met.next in _USED_AS_NAME and met.accepts("NAME"):
        return _as_name(token)
    if token.type in _CONSTRUCTS and (not met.line or token.type in _INSIDE_EXPRESSIONS):
        if token.type == "ASYNC" and met.next == "DEF":
            return Finding(*_sentence("DEF"))
        return Finding(*_sentence(token.type))
    if met.before is not None and met.before.type in (*_CONSTRUCTS, "ELSE") and token.type == "IF":
        return Finding("E0101", "`else if` is written `elif`", "write `elif`")
    if token.type in ("ELIF", "ELSE") and not met.line:
        return Finding(
            "E0101", f"an `{token.value}` with no `if` at its indentation", "indent it like the `if` it belongs to"
        )
    if met.accepts("NAME") and met.before is not None and token.type not in ("IF", "ELSE", "NOT"):
        is_operator = token.type in ("IN", "IS", "AND", "OR")
        if not is_operator or met.before.type in ("EQUAL", "AUGMENT", "COMMA", "LPAR", "LSQB", "FOR"):
            return _as_name(token)
    return None


def _sentence(kind: str) -> tuple[str, str, str]:
    code, what, help = _CONSTRUCTS[kind]
    return code, f"{what} is not part of the kernel language", help


def _as_name(token: Token) -> Finding:
    help = f"choose another name, such as `{token.value.lower()}_`"
    return Finding("E0128", f"`{token.value}` is a word of Python and cannot be a name", help)


def soft_statement(met: Met) -> Finding | None:
    """`match` and `print` are names: they are statements by what follows them."""
    if not met.line or met.line[0].type != "NAME":
        return None
    first = met.line[0]
    last = ([*met.line, met.token, *met.ahead][-2] if met.ahead else met.line[-1]).type
    if first.value == "match" and last == "COLON" and met.token.type != "INDENT":
        help = "compare with `if` and `elif`"
        return Finding("E0121", "`match` is not part of the kernel language", help, first.span)
    if (
        first.value == "print"
        and len(met.line) == 1
        and met.token.type in ("NAME", "STRING", "FSTRING", "INT", "FLOAT")
    ):
        return Finding("E0129", "`print` is a function", "put brackets around what it prints", first.span)
    return None


def comprehension(met: Met) -> Finding | None:
    if met.token.type in ("FOR", "ASYNC") and met.line and met.brackets:
        kind = {"LSQB": "a list comprehension", "LBRACE": "a set or dict comprehension"}
        what = kind.get(met.brackets[-1].type, "a generator expression")
        return Finding("E0122", f"{what} is not part of the kernel language", "write a `for` loop", met.token.span)
    return None


def star(met: Met) -> Finding | None:
    token, before = met.token, met.before
    in_header = met.head in ("DEF", "ASYNC")
    if in_header and (
        token.type == "DOUBLESTAR" or (before is not None and before.type == "STAR" and token.type == "NAME")
    ):
        what = "**" if token.type == "DOUBLESTAR" else "*"
        help = "name each parameter: a launch has a fixed number of arguments"
        return Finding("E0125", f"`{what}` parameters are not part of the kernel language", help)
    if token.type in ("STAR", "DOUBLESTAR") and met.accepts("NAME"):
        help = "write each value out"
        return Finding("E0124", f"`{token.value}` before a value is not part of the kernel language", help)
    return None


def set_display(met: Met) -> Finding | None:
    if met.brackets and met.brackets[-1].type == "LBRACE" and met.token.type in ("COMMA", "RBRACE") and met.line:
        help = "use a tuple `(...)` for constants"
        span = Span(met.brackets[-1].start, met.token.end)
        return Finding("E0123", "a set is not part of the kernel language", help, span)
    return None

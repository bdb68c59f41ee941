"""What a syntax error means.

In: `Met`: the token that cannot come, what stands around it, what could have come. Out: one diagnostic with its own code. Errors
are told apart by the type of the token, the line so far and the open brackets, in the order of `_RULES`: a construct of Python
that is not part of the language has its own sentence and replacement.
Non-goals: getting past an error (`parse`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from transpiler.diagnostics import Label
from transpiler.frontend.findings import Findings
from transpiler.frontend.layout import CLOSE, OPEN
from transpiler.frontend.machine import END
from transpiler.frontend.tokens import Token
from transpiler.source import Span


@dataclass(slots=True)
class Met:
    """The parser met `token`; `line` is what it took of this line before, `ahead` what follows up to the line end."""

    token: Token
    line: list[Token]
    ahead: list[Token]
    brackets: list[Token]
    accepts: Callable[[str], bool]
    text: str

    @property
    def before(self) -> Token | None:
        return self.line[-1] if self.line else None

    @property
    def head(self) -> str:
        """The type of the first token of the line."""
        return self.line[0].type if self.line else self.token.type

    @property
    def next(self) -> str:
        return self.ahead[0].type if self.ahead else ""

    def touches(self, *types: str) -> bool:
        """Whether the token before is of one of these types and no blank lies between."""
        return self.before is not None and self.before.type in types and self.before.end == self.token.start


class Finding(NamedTuple):
    code: str
    message: str
    help: str | None = None
    span: Span | None = None
    label: Label | None = None


def report(met: Met, findings: Findings) -> None:
    """Add the diagnostic; the clauses of a `try` that is reported already are not news."""
    found = next(filter(None, (rule(met) for rule in _RULES)), None) or _anything(met)
    if met.token.type in ("EXCEPT", "FINALLY") and findings.has("E0110"):
        return
    findings.add(found.code, found.span or met.token.span, found.message, found.help, found.label)


def open_brackets(tokens: list[Token]) -> list[Token]:
    found: list[Token] = []
    for token in tokens:
        if token.type in OPEN:
            found.append(token)
        elif token.type in CLOSE and found:
            found.pop()
    return found


# --- constructs of Python that kernels do not have ---------------------------------------------------------

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
_KEYWORDS = frozenset(_CONSTRUCTS) | frozenset(
    [
        "AND",
        "ASSERT",
        "BREAK",
        "CONTINUE",
        "ELIF",
        "ELSE",
        "FALSE",
        "FOR",
        "IF",
        "IN",
        "IS",
        "NONE",
        "NOT",
        "OR",
        "PASS",
        "RETURN",
        "TRUE",
        "WHILE",
    ]
)
_USED_AS_NAME = frozenset(["EQUAL", "AUGMENT", "COMMA", "RPAR", "RSQB", "DOT", "COLONEQUAL"])
_OPERATORS = frozenset(
    [
        "PLUS",
        "MINUS",
        "STAR",
        "SLASH",
        "DOUBLESLASH",
        "PERCENT",
        "DOUBLESTAR",
        "LESSLESS",
        "MOREMORE",
        "AMPERSAND",
        "VBAR",
        "CIRCUMFLEX",
        "LESS",
        "LESSEQUAL",
        "MORE",
        "MOREEQUAL",
        "EQEQUAL",
        "NOTEQUAL",
    ]
)


def _keyword(met: Met) -> Finding | None:
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


def _soft_statement(met: Met) -> Finding | None:
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


def _comprehension(met: Met) -> Finding | None:
    if met.token.type in ("FOR", "ASYNC") and met.line and met.brackets:
        kind = {"LSQB": "a list comprehension", "LBRACE": "a set or dict comprehension"}
        what = kind.get(met.brackets[-1].type, "a generator expression")
        return Finding("E0122", f"{what} is not part of the kernel language", "write a `for` loop", met.token.span)
    return None


def _star(met: Met) -> Finding | None:
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


def _set_display(met: Met) -> Finding | None:
    if met.brackets and met.brackets[-1].type == "LBRACE" and met.token.type in ("COMMA", "RBRACE") and met.line:
        help = "use a tuple `(...)` for constants"
        span = Span(met.brackets[-1].start, met.token.end)
        return Finding("E0123", "a set is not part of the kernel language", help, span)
    return None


# --- layout and lexing -------------------------------------------------------------------------------------

_LOOKALIKES = {
    "\N{MULTIPLICATION SIGN}": "*",
    "\N{DIVISION SIGN}": "/",
    "\N{MINUS SIGN}": "-",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{GREATER-THAN OR EQUAL TO}": ">=",
    "\N{NOT EQUAL TO}": "!=",
    "\N{LOGICAL AND}": "and",
    "\N{LOGICAL OR}": "or",
    "\N{NOT SIGN}": "not",
    "\N{LEFTWARDS ARROW}": "=",
    "\N{RIGHTWARDS ARROW}": "->",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{FULLWIDTH LEFT PARENTHESIS}": "(",
    "\N{FULLWIDTH RIGHT PARENTHESIS}": ")",
    "\N{FULLWIDTH COMMA}": ",",
    "\N{FULLWIDTH COLON}": ":",
    "\N{FULLWIDTH SEMICOLON}": ";",
    "\N{NO-BREAK SPACE}": "a blank",
    "\N{ZERO WIDTH SPACE}": "nothing",
    "\N{ZERO WIDTH NO-BREAK SPACE}": "nothing",
}


def _layout(met: Met) -> Finding | None:
    token = met.token
    match token.type:
        case "UNCLOSED":
            help = f"add the `{_closing(token)}`"
            return Finding("E0102", f"this `{token.value}` is never closed", help)
        case "UNALIGNED":
            return Finding("E0103", "this indentation fits no block above", "align it with the block it belongs to")
        case "MIXED":
            return Finding("E0103", "tabs and blanks are mixed in the indentation", "indent with blanks only")
        case "DEEP":
            return Finding("E0130", "blocks nested too deeply", "take the inner part into a `@device` function")
        case "INDENT":
            return Finding("E0103", "an indented line with no block to belong to", "remove the indentation")
    if met.accepts("INDENT"):
        return Finding("E0103", "an indented block is missing here", "indent the body, or write `pass`")
    return None


def _lexing(met: Met) -> Finding | None:
    token = met.token
    match token.type:
        case "BADSTRING":
            return Finding("E0104", "a string that does not end on its line", "add the closing quote")
        case "BYTES":
            return Finding("E0127", "a bytes literal is not part of the kernel language", "use integers of dtype `u8`")
        case "COMPLEX":
            return Finding(
                "E0126", "complex numbers are not part of the kernel language", "keep two floats: real and imaginary"
            )
        case "MISNAMED":
            return _misnamed(token)
        case "STRAY":
            return _stray(met)
    return None


def _misnamed(token: Token) -> Finding:
    place = next((i for i, c in enumerate(token.value) if not f"a{c}".isidentifier()), 0)
    character = token.value[place]
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    meant = _LOOKALIKES.get(character)
    help = f"replace it by {meant}" if meant in ("a blank", "nothing") else f"write `{meant}`" if meant else "remove it"
    span = Span(token.start + place, token.start + place + 1)
    return Finding("E0105", f"the character `{shown}` does not belong to Python", help, span)


def _stray(met: Met) -> Finding:
    character = met.token.value
    if character == "!":
        return Finding("E0108", "`!` is not an operator of Python", "write `not`")
    if character == "?":
        return Finding("E0108", "`? :` is not an operator of Python", "write `a if condition else b`")
    if character == "\\":
        return Finding("E0105", "a backslash must be the last character of its line", "remove what stands behind it")
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    return Finding("E0105", f"the character `{shown}` does not belong to Python", "remove it")


# --- operators of other languages --------------------------------------------------------------------------

_FOREIGN = {
    ("AMPERSAND", "AMPERSAND"): ("&&", "and"),
    ("VBAR", "VBAR"): ("||", "or"),
    ("LESS", "MORE"): ("<>", "!="),
    ("EQEQUAL", "EQUAL"): ("===", "=="),
    ("NOTEQUAL", "EQUAL"): ("!==", "!="),
    ("EQUAL", "MORE"): ("=>", ">="),
    ("EQUAL", "LESS"): ("=<", "<="),
}


def _foreign_operator(met: Met) -> Finding | None:
    if met.before is None:
        return None
    if met.token.type == "EQUAL" and met.next in ("MORE", "LESS") and met.ahead[0].start == met.token.end:
        sign = met.ahead[0].value
        span = met.token.span.to(met.ahead[0].span)
        return Finding("E0108", f"`={sign}` is not an operator of Python", f"write `{sign}=`", span)
    foreign = _FOREIGN.get((met.before.type, met.token.type))
    if foreign is not None and met.touches(met.before.type):
        span = met.before.span.to(met.token.span)
        return Finding("E0108", f"`{foreign[0]}` is not an operator of Python", f"write `{foreign[1]}`", span)
    if (
        len(met.line) > 1
        and met.before.type in ("PLUS", "MINUS")
        and met.token.type in ("NEWLINE", "RPAR", "SEMICOLON", END)
    ):
        first, second = met.line[-2:]
        if first.type == second.type and first.end == second.start:
            sign = first.value
            span = first.span.to(second.span)
            return Finding("E0108", f"`{sign}{sign}` is not an operator of Python", f"write `{sign}= 1`", span)
    return None


# --- brackets, colons, values that are missing -------------------------------------------------------------


def _closing(bracket: Token) -> str:
    return {"(": ")", "[": "]", "{": "}"}[bracket.value]


def _bracket(met: Met) -> Finding | None:
    token = met.token
    if token.type in CLOSE:
        if not met.brackets:
            return Finding("E0102", f"a `{token.value}` with no bracket to close", "remove it, or open the bracket")
        opened = met.brackets[-1]
        if OPEN[opened.type] != token.type:
            label = Label(opened.span, "opened here")
            return Finding(
                "E0102", f"`{token.value}` does not close `{opened.value}`", f"write `{_closing(opened)}`", label=label
            )
    elif met.brackets and met.before is not None and _ends_value(met.before):
        between = met.text[met.before.end : token.start]
        if "\n" in between or "\r" in between:
            opened = met.brackets[-1]
            return Finding(
                "E0102", f"this `{opened.value}` is never closed", f"add the `{_closing(opened)}`", opened.span
            )
    return None


def _ends_value(token: Token) -> bool:
    return token.type in CLOSE or token.type in ("NAME", "INT", "FLOAT", "STRING", "FSTRING", "TRUE", "FALSE", "NONE")


_HEADERS = frozenset(["IF", "ELIF", "ELSE", "FOR", "WHILE", "DEF"])


def _colon(met: Met) -> Finding | None:
    if met.head in _HEADERS and not met.brackets and met.token.type in ("NEWLINE", "LBRACE") and met.accepts("COLON"):
        place = met.before.end if met.before is not None else met.token.start
        word = met.line[0].value if met.line else ""
        span = Span(place, place) if met.token.type == "NEWLINE" else met.token.span
        return Finding("E0107", f"a `:` is missing behind this `{word}`", "add the `:`", span)
    return None


def _attribute(met: Met) -> Finding | None:
    if met.before is not None and met.before.type == "DOT":
        return Finding("E0101", "a name is missing behind this `.`", "write the name of the attribute", met.before.span)
    return None


def _assignment(met: Met) -> Finding | None:
    token = met.token
    if token.type == "EQUAL":
        if met.head in ("IF", "ELIF", "WHILE", "ASSERT", "RETURN"):
            return Finding("E0109", "`=` assigns, and this is a condition", "to compare, write `==`")
        return Finding("E0109", "`=` cannot stand inside an expression", "to compare, write `==`")
    if token.type == "COLONEQUAL":
        return Finding("E0109", "`:=` needs a name in front and brackets around it", "as a statement, write `=`")
    return None


def _value(met: Met) -> Finding | None:
    """An operator, or `=`, with nothing behind it; `x if c` with no `else`."""
    if met.token.type not in ("NEWLINE", END, *CLOSE, "COMMA", "COLON", "SEMICOLON") or met.before is None:
        return None
    if met.before.type in _OPERATORS or met.before.type in (
        "EQUAL",
        "AUGMENT",
        "NOT",
        "AND",
        "OR",
        "IN",
        "IS",
        "TILDE",
    ):
        help = "write the value that belongs there"
        return Finding("E0101", f"nothing follows this `{met.before.value}`", help, met.before.span)
    if met.accepts("ELSE") and not met.accepts("COMMA"):
        help = "write `a if condition else b`"
        return Finding("E0101", "a conditional expression needs an `else`", help)
    return None


def _number(met: Met) -> Finding | None:
    """Digits and letters with no blank between: no number of Python."""
    if met.touches("INT", "FLOAT") and met.token.type in ("INT", "FLOAT", "NAME", "COMPLEX") and met.before is not None:
        span = met.before.span.to(met.token.span)
        text = met.before.value + met.token.value
        help = (
            "write octal numbers as `0o17`"
            if text.isdigit() and text[0] == "0"
            else "write a number such as `17`, `0x1F` or `1.5e-3`"
        )
        return Finding("E0106", f"`{text}` is not a number of Python", help, span)
    if met.touches("STRING", "FSTRING") and met.token.type == "NAME":
        return Finding("E0104", "a name right behind a string", "use the other kind of quotes inside it")
    return None


def _anything(met: Met) -> Finding:
    token = met.token
    if token.type in ("NEWLINE", "DEDENT", END):
        place = met.before.span if met.before is not None else token.span
        return Finding("E0101", "the line ends too early", None, place)
    if met.before is not None and _ends_value(met.before) and (_ends_value(token) or token.type in OPEN):
        shown = f"`{_short(met.before.value)}` and `{_short(token.value)}`"
        return Finding("E0101", f"an operator or a comma is missing between {shown}")
    return Finding("E0101", f"`{_short(token.value)}` cannot stand here")


def _short(text: str) -> str:
    first = text.splitlines()[0] if text else ""
    return first if len(first) <= 30 and first == text else first[:27] + "..."


_RULES: tuple[Callable[[Met], Finding | None], ...] = (
    _lexing,
    _foreign_operator,
    _number,
    _soft_statement,
    _comprehension,
    _star,
    _keyword,
    _layout,
    _set_display,
    _bracket,
    _colon,
    _attribute,
    _assignment,
    _value,
)

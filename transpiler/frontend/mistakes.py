"""What is no Python: layout, characters, numbers, brackets, operators of other languages, parts that are missing.

In: `Met`. Out: a `Finding`, or None where the mistake is another. Non-goals: what is Python, but not for kernels (`foreign`).
"""

from __future__ import annotations

from transpiler.diagnostics import Label
from transpiler.frontend.layout import CLOSE, OPEN
from transpiler.frontend.machine import END
from transpiler.frontend.met import Finding, Met, ends_value
from transpiler.frontend.tokens import Token, kinds
from transpiler.source import Span

_OPERATORS = kinds(
    "PLUS MINUS STAR SLASH DOUBLESLASH PERCENT DOUBLESTAR LESSLESS MOREMORE AMPERSAND VBAR CIRCUMFLEX LESS "
    "LESSEQUAL MORE MOREEQUAL EQEQUAL NOTEQUAL"
)

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


def layout(met: Met) -> Finding | None:
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


def lexing(met: Met) -> Finding | None:
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


def foreign_operator(met: Met) -> Finding | None:
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


def bracket(met: Met) -> Finding | None:
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
    elif met.brackets and met.before is not None and ends_value(met.before):
        between = met.text[met.before.end : token.start]
        if "\n" in between or "\r" in between:
            opened = met.brackets[-1]
            return Finding(
                "E0102", f"this `{opened.value}` is never closed", f"add the `{_closing(opened)}`", opened.span
            )
    return None


_HEADERS = kinds("IF ELIF ELSE FOR WHILE DEF")


def colon(met: Met) -> Finding | None:
    if met.head in _HEADERS and not met.brackets and met.token.type in ("NEWLINE", "LBRACE") and met.accepts("COLON"):
        place = met.before.end if met.before is not None else met.token.start
        word = met.line[0].value if met.line else ""
        span = Span(place, place) if met.token.type == "NEWLINE" else met.token.span
        return Finding("E0107", f"a `:` is missing behind this `{word}`", "add the `:`", span)
    return None


def attribute(met: Met) -> Finding | None:
    if met.before is not None and met.before.type == "DOT":
        return Finding("E0101", "a name is missing behind this `.`", "write the name of the attribute", met.before.span)
    return None


def assignment(met: Met) -> Finding | None:
    token = met.token
    if token.type == "EQUAL":
        if met.head in ("IF", "ELIF", "WHILE", "ASSERT", "RETURN"):
            return Finding("E0109", "`=` assigns, and this is a condition", "to compare, write `==`")
        return Finding("E0109", "`=` cannot stand inside an expression", "to compare, write `==`")
    if token.type == "COLONEQUAL":
        return Finding("E0109", "`:=` needs a name in front and brackets around it", "as a statement, write `=`")
    return None


def value(met: Met) -> Finding | None:
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


def number(met: Met) -> Finding | None:
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

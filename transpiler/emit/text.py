"""Pieces of C++ expressions with what is needed to put them together: precedence and C++ type.

In: operand texts. Out: texts with as few parentheses as C++ needs, and a few more where readers (and compilers'
warnings) want
them: bit operators and shifts never mix with other operators unparenthesised, nor `&&` with `||`.
This is the one precedence table. Non-goals: what an operation means (`expressions`).
"""

from __future__ import annotations

from transpiler.records import record

PRIMARY, POSTFIX, UNARY = 17, 16, 15
CONDITIONAL, ASSIGNMENT = 3, 2

BINARY = {
    "*": 13, "/": 13, "%": 13,
    "+": 12, "-": 12,
    "<<": 11, ">>": 11,
    "<": 10, "<=": 10, ">": 10, ">=": 10,
    "==": 9, "!=": 9,
    "&": 8, "^": 7, "|": 6,
    "&&": 5, "||": 4,
}  # fmt: skip

BITWISE = frozenset({"<<", ">>", "&", "^", "|"})
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})


@record
class Text:
    """An expression: its text, the precedence of its outermost operator, its C++ type.

    A binary operation also keeps its operator and operands, for `x += y` and for the rules on mixed operators.
    """

    text: str
    precedence: int
    ctype: str
    op: str = ""
    left: str = ""
    right: str = ""

    def at(self, precedence: int) -> str:
        """The text where an operand of at least this precedence may stand."""
        return self.text if self.precedence >= precedence else f"({self.text})"


def primary(text: str, ctype: str) -> Text:
    return Text(text, PRIMARY, ctype)


def call(name: str, args: list[str], ctype: str) -> Text:
    return Text(f"{name}({', '.join(args)})", POSTFIX, ctype)


def cast(operand: Text, ctype: str) -> Text:
    return Text(f"({ctype}){operand.at(UNARY)}", UNARY, ctype)


def unary(op: str, operand: Text, ctype: str) -> Text:
    text = operand.at(UNARY)
    if text.startswith(op):  # - -x is not --x
        text = f"({text})"
    return Text(f"{op}{text}", UNARY, ctype)


def binary(op: str, left: Text, right: Text, ctype: str) -> Text:
    precedence = BINARY[op]
    left_text = f"({left.text})" if _confusing(op, left) else left.at(precedence)
    associative = op in ("&&", "||") and right.op == op  # short circuit goes left to right either way
    right_text = f"({right.text})" if _confusing(op, right) else right.at(precedence + (not associative))
    if right_text.startswith(op) and op in "+-&":  # a - -b reads badly and a --b would not parse
        right_text = f"({right_text})"
    return Text(f"{left_text} {op} {right_text}", precedence, ctype, op, left_text, right.text)


def conditional(cond: Text, then: Text, orelse: Text, ctype: str) -> Text:
    text = f"{cond.at(CONDITIONAL + 1)} ? {then.at(CONDITIONAL + 1)} : {orelse.at(CONDITIONAL)}"
    return Text(text, CONDITIONAL, ctype)


def _confusing(op: str, operand: Text) -> bool:
    inner = operand.op
    if not inner or inner == op:
        return inner in COMPARISONS
    if op in BITWISE or inner in BITWISE:
        return op not in ("&&", "||") or inner in BITWISE - {"<<", ">>"}
    if op in COMPARISONS:
        return inner in COMPARISONS
    return op == "||" and inner == "&&"

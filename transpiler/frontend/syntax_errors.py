"""What a syntax error means.

In: `Met`: the token that cannot come, what stands around it, what could have come. Out: one diagnostic with its own code. Errors
are told apart by the type of the token, the line so far and the open brackets, in the order of `_RULES`: a construct of Python
that is not part of the language has its own sentence and replacement.
Non-goals: getting past an error (`parse`).
"""

from __future__ import annotations

from transpiler.frontend import foreign, mistakes
from transpiler.frontend.findings import Findings
from transpiler.frontend.layout import OPEN
from transpiler.frontend.machine import END
from transpiler.frontend.met import Finding, Met, Rule, ends_value

_RULES: tuple[Rule, ...] = (
    mistakes.lexing,
    mistakes.foreign_operator,
    mistakes.number,
    foreign.soft_statement,
    foreign.comprehension,
    foreign.star,
    foreign.keyword,
    mistakes.layout,
    foreign.set_display,
    mistakes.bracket,
    mistakes.colon,
    mistakes.attribute,
    mistakes.assignment,
    mistakes.value,
)


def report(met: Met, findings: Findings) -> None:
    """Add the diagnostic; the clauses of a `try` that is reported already are not news."""
    found = next(filter(None, (rule(met) for rule in _RULES)), None) or _anything(met)
    if met.token.type in ("EXCEPT", "FINALLY") and findings.has("E0110"):
        return
    findings.add(found.code, found.span or met.token.span, found.message, found.help, found.label)


def _anything(met: Met) -> Finding:
    token = met.token
    if token.type in ("NEWLINE", "DEDENT", END):
        place = met.before.span if met.before is not None else token.span
        return Finding("E0101", "the line ends too early", None, place)
    if met.before is not None and ends_value(met.before) and (ends_value(token) or token.type in OPEN):
        shown = f"`{_short(met.before.value)}` and `{_short(token.value)}`"
        return Finding("E0101", f"an operator or a comma is missing between {shown}")
    return Finding("E0101", f"`{_short(token.value)}` cannot stand here")


def _short(text: str) -> str:
    first = text.splitlines()[0] if text else ""
    return first if len(first) <= 30 and first == text else first[:27] + "..."

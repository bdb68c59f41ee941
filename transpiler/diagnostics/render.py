"""A diagnostic as text for people: title, source lines with carets, witness, help.

In: a `Diagnostic`. Out: a string without a final newline, the same on every machine; with `color`, ANSI codes in it.
Non-goals: deciding whether colour is wanted and how wide the terminal is (`cli.console`), machine formats (`machine`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from transpiler.diagnostics.excerpt import Excerpt, Mark, excerpt
from transpiler.diagnostics.model import Diagnostic, Severity, Thread, Witness

_SGR = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "gutter": "1;34",
    "label": "1;34",
    "bold": "1",
    "help": "1;32",
}

_VERBS = {"read": "reads", "write": "writes", "atomic": "updates"}


@dataclass(frozen=True, slots=True)
class Paint:
    """Puts ANSI codes about a text, or does not."""

    color: bool

    def __call__(self, role: str, text: str) -> str:
        return f"\x1b[{_SGR[role]}m{text}\x1b[0m" if self.color and text else text


def render(diagnostic: Diagnostic, *, color: bool = False, width: int = 120) -> str:
    """The whole finding; source lines wider than `width` columns are clipped around what is marked."""
    paint = Paint(color)
    severity = diagnostic.severity.value
    title, *more = diagnostic.message.split("\n")
    view = excerpt(diagnostic.source, _marks(diagnostic), width) if diagnostic.source.text else Excerpt((), 1)
    margin = " " * view.gutter
    where = diagnostic.source.position(diagnostic.span.start)
    lines = [
        paint(severity, f"{severity}[{diagnostic.code}]") + paint("bold", f": {title}"),
        *more,
        f"{margin}{paint('gutter', '-->')} {diagnostic.source.path}:{where.line}:{where.column}",
        *_source_lines(view, paint, severity),
    ]
    if diagnostic.witness or diagnostic.help:
        lines.append(f"{margin} {paint('gutter', '|')}")
    if diagnostic.witness:
        lines += _note(margin, paint, "note", "witness", witness_lines(diagnostic.witness))
    if diagnostic.help:
        lines += _note(margin, paint, "help", "help", diagnostic.help.split("\n"))
    return "\n".join(line.rstrip() for line in lines)


def _marks(diagnostic: Diagnostic) -> list[Mark]:
    return [
        Mark(diagnostic.span, "", primary=True),
        *(Mark(label.span, label.message, primary=False) for label in diagnostic.labels),
    ]


def _source_lines(view: Excerpt, paint: Paint, severity: str) -> Iterable[str]:
    bar = paint("gutter", "|")
    if view.rows:
        yield f"{' ' * view.gutter} {bar}"
    for row in view.rows:
        if row.kind == "gap":
            yield paint("gutter", "...")
        elif row.kind == "source":
            yield f"{paint('gutter', str(row.line).rjust(view.gutter))} {bar} {row.text}"
        else:
            painted = "".join(
                paint({"primary": severity, "secondary": "label", "": "label"}[role], text) if text.strip() else text
                for role, text in row.parts
            )
            yield f"{' ' * view.gutter} {bar} {painted}"


def _note(margin: str, paint: Paint, role: str, name: str, lines: list[str]) -> list[str]:
    """`= name: first line`, the others indented below it."""
    head = f"{margin} {paint('gutter', '=')} {paint(role, name)}: {lines[0]}"
    indent = margin + " " * (len(name) + 5)
    return [head, *(indent + line for line in lines[1:])]


# --- witness ----------------------------------------------------------------------------------------------


def witness_lines(witness: Witness) -> list[str]:
    """The launch in one line, then one line a thread."""
    lines = ["; ".join(_launch(witness)) or "any launch"]
    element = _element(witness)
    lines += [_thread(thread, element) for thread in witness.threads]
    if witness.interval:
        lines.append(f"barrier interval: {witness.interval}")
    return lines


def _launch(witness: Witness) -> Iterable[str]:
    launch = witness.launch
    dims = [f"{name} {_tuple(launch[name])}" for name in ("grid", "block") if name in launch]
    if dims:
        yield ", ".join(dims)
    scalars = launch.get("scalars") or {}
    if scalars:
        yield ", ".join(f"{name} = {value}" for name, value in scalars.items())
    shapes = launch.get("shapes") or {}
    if shapes:
        yield ", ".join(f"{name}.shape == {_tuple(shape)}" for name, shape in shapes.items())
    for name, data in (launch.get("data") or {}).items():
        yield f"{name} holds {_data(data, shapes.get(name))}"


def _data(data: object, shape: Sequence[int] | None) -> str:
    """Leading elements, with dots where the array has more; or the one number that fills it."""
    if not isinstance(data, (list, tuple)):
        return f"{data} everywhere"
    whole = shape is not None and math.prod(shape) == len(data) <= 8
    return f"[{', '.join(map(str, data[:8]))}{'' if whole else ', ...'}]"


def _element(witness: Witness) -> str:
    if witness.array is None:
        return ""
    if witness.index is None:
        return f" {witness.array}"
    return f" {witness.array}[{', '.join(map(str, witness.index)) or '()'}]"


def _thread(thread: Thread, element: str) -> str:
    """What a thread does; of a barrier only where it stands, since the point may be that one of them never gets there."""
    who = f"thread {_tuple(thread.thread)} of block {_tuple(thread.block)}"
    verb = _VERBS.get(thread.access) if element else None
    return f"{who} {verb}{element} in line {thread.line}" if verb else f"{who}, line {thread.line}"


def _tuple(values: object) -> str:
    if isinstance(values, (list, tuple)):
        return f"({', '.join(map(str, values))}{',' if len(values) == 1 else ''})"
    return str(values)


# --- many -------------------------------------------------------------------------------------------------


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """By place, errors before warnings at one place; what is equal keeps its order."""
    rank = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}
    return sorted(diagnostics, key=lambda d: (d.span.start, rank[d.severity], d.code))

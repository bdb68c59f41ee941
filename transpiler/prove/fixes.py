"""What a finding of the prover would have changed in the text: a barrier, a condition of the contract, a guard.

In: places and conditions that the checks found. Out: `Fix`es, the best first, none where the text has no place for them.
Barriers and conditions were proved to help (`advice`), guards are proposals; `repair` tries all of them on the text.
Non-goals: choosing a barrier or a condition (`advice`), help lines.
"""

from __future__ import annotations

from collections.abc import Iterable

from transpiler.diagnostics.model import Fix
from transpiler.frontend import edits
from transpiler.frontend.edits import Edits
from transpiler.ir import device as d
from transpiler.ir.walk import walk
from transpiler.prove.bounds import Condition
from transpiler.prove.context import Context
from transpiler.prove.record import Access
from transpiler.prove.terms import show_poly
from transpiler.source import Source, Span


def barrier(source: Source, where: str, beside: Span, *, below: bool) -> tuple[Fix, ...]:
    """A barrier of the block above or below a statement."""
    cuda, known = edits.imported(source, "cuda")
    text = f"{cuda}.syncthreads()"
    put = (
        edits.line_below(source, beside.start, beside.end, text)
        if below
        else edits.line_above(source, beside.start, text)
    )
    return _fix(f"put `{text}` {where}", put, known)


def requirement(kernel: d.Kernel, condition: str) -> tuple[Fix, ...]:
    """One more line of the contract."""
    requires, known = edits.imported(kernel.source, "requires")
    text = f"{requires}({condition})"
    return _fix(f"state `{text}`", edits.first_in_body(kernel.source, kernel.span, text), known)


def guards(context: Context, access: Access, faults: Iterable[tuple[int, bool]]) -> tuple[Fix, ...]:
    """The access only where its indices are in bounds, or no thread going on where they are not. A fault is (axis, too low)."""
    indices = _indices(access)
    if access.source is not context.kernel.source or indices is None:
        return ()
    sides: dict[int, set[bool]] = {}
    for axis, low in faults:
        sides.setdefault(axis, set()).add(low)
    extents = context.extents(access.array)
    parts = [_inside(indices[axis], show_poly(extents[axis]), sides[axis]) for axis in sorted(sides)]
    condition = " and ".join(parts)
    outside = f"not ({condition})"
    if len(parts) == 1 and " <= " not in condition:
        outside = condition.replace(" < ", " >= ")
    start = access.span.start
    return (
        *_fix(f"guard it with `if {condition}:`", edits.guarded(access.source, start, condition)),
        *_fix(f"return before it `if {outside}:`", edits.return_above(access.source, start, outside)),
    )


def carried(context: Context, c: Condition) -> tuple[Fix, ...]:
    """For a condition that every launch has to meet: a guard in its place, or the condition in the contract."""
    extents = context.extents(c.access.array)
    axes = [axis for axis, extent in enumerate(extents) if extent is c.extent]
    return (*guards(context, c.access, [(axis, False) for axis in axes]), *requirement(context.kernel, c.text))


def _inside(index: str, extent: str, sides: set[bool]) -> str:
    if sides == {True}:
        return f"{index} >= 0"
    return f"0 <= {index} < {extent}" if len(sides) > 1 else f"{index} < {extent}"


def _indices(access: Access) -> list[str] | None:
    """The indices as they are written; None where reading one twice would do something twice."""
    node = access.node
    if not isinstance(node, d.Load | d.Store | d.Atomic):
        return None
    for index in node.indices:
        for part in walk(index):
            if isinstance(part, d.Var) and isinstance(part.var, d.Local) and part.var.is_temp:
                return None
    texts = [" ".join(access.source.slice(index.span).split()) for index in node.indices]
    return [f"({text})" if " if " in text or " or " in text else text for text in texts]


def _fix(title: str, *parts: Edits | None) -> tuple[Fix, ...]:
    """One change of all parts, none where a part has no place."""
    found: Edits = ()
    for part in parts:
        if part is None:
            return ()
        found += part
    return (Fix(title, tuple(sorted(found, key=lambda edit: edit.span.start))),)

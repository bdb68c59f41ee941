"""What is known of the place under the cursor, in Markdown.

In: the analysis of a text, the proofs of its kernels where they are there, an offset. Out: `Hover`: the type of an expression,
the declaration of a parameter, the contract of a kernel, how an access was shown to be in bounds, what an intrinsic does.
Non-goals: anything of LSP.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from transpiler.check.expressions import describe
from transpiler.check.meaning import (
    ArrayMeaning,
    DeviceRef,
    FunctionCall,
    IntrinsicCall,
    Meaning,
    Qualified,
    Static,
    Typed,
    type_of,
)
from transpiler.intrinsics import Intrinsic, find
from transpiler.ir import surface as s
from transpiler.ir.types import INDEX
from transpiler.ir.walk import surface_walk
from transpiler.lsp.analysis import Analysis, whole_of
from transpiler.pipeline import KernelReport
from transpiler.prove import AccessReport
from transpiler.records import record
from transpiler.source import Source, Span

_OWNERSHIP = {
    "in": "only read",
    "out": "written before it is read",
    "inout": "read and written",
    "atomic": "touched by atomic operations alone",
}
_SPACES = {"shared": "shared by the block", "local": "of each thread", "const": "known at compile time"}
_VERBS = {"r": "read", "w": "written", "a": "updated atomically"}
_LONGEST = 60
"""Characters of an expression that is repeated."""


@record
class Hover:
    markdown: str
    span: Span


def hover(analysis: Analysis, kernels: Sequence[KernelReport] | None, offset: int) -> Hover | None:
    """What to say of an offset; None where it means nothing to a kernel."""
    for function in analysis.module.functions:
        if not _in(whole_of(function), offset):
            continue
        if _in(function.name_span, offset):
            return Hover(_kernel(function, kernels), function.name_span)
        typed = analysis.typed(function)
        param = next((p for p in function.params if _in(p.span, offset)), None)
        if param is not None:
            return Hover(_parameter(function.source, param, typed), param.span)
        return _expression(analysis, function, typed, kernels or (), offset)
    return None


def _in(span: Span, offset: int) -> bool:
    return span.start <= offset <= span.end


# --- kernels and parameters -------------------------------------------------------------------------------


def _kernel(function: s.Function, kernels: Sequence[KernelReport] | None) -> str:
    parts = [_code(f"def {function.name}"), *([function.docstring] if function.docstring else [])]
    if not function.is_kernel:
        return "\n\n".join(parts)
    if kernels is None:
        return "\n\n".join([*parts, "not proved yet"])
    for report in (k for k in kernels if k.name == function.name):
        values = ", ".join(f"{name}={value}" for name, value in report.instance)
        parts.append(f"**{report.verdict}**" + (f" for {values}" if values else ""))
        parts += _list("every launch must meet", report.contract)
        parts += _list("must not overlap", [" and ".join(pair) for pair in report.disjoint])
        parts += _list("assumed", report.assumptions)
        parts += _list("checked at run time", report.runtime_checks)
    return "\n\n".join(parts)


def _list(title: str, items: Iterable[str]) -> list[str]:
    lines = [f"- `{item}`" for item in items]
    return [f"{title}:\n\n" + "\n".join(lines)] if lines else []


def _parameter(source: Source, param: s.Param, typed: Sequence[Typed]) -> str:
    meanings = [p.meaning for t in typed for p in t.params if p.name == param.name]
    arrays = [m for m in meanings if isinstance(m, ArrayMeaning)]
    parts = [_code(source.slice(param.span))]
    if arrays:
        parts.append(f"{_array(arrays[0])}: {_OWNERSHIP.get(arrays[0].ownership, arrays[0].ownership)}")
    elif meanings:
        parts.append(" or ".join(dict.fromkeys(map(_shown, meanings))))
    return "\n\n".join(parts)


# --- expressions ------------------------------------------------------------------------------------------


def _expression(
    analysis: Analysis, function: s.Function, typed: Sequence[Typed], kernels: Sequence[KernelReport], offset: int
) -> Hover | None:
    chain = _chain(function, offset)
    if not chain:
        return None
    while len(chain) > 1 and not any(_type(t, chain[-1]) for t in typed) and _is_named_by(chain[-2], chain[-1]):
        chain.pop()  # `cuda` of `cuda.threadIdx.x`, `cuda.grid` of `cuda.grid(1)`
    expr, above = chain[-1], chain[-2] if len(chain) > 1 else None
    access = above if isinstance(above, s.Subscript) and above.value is expr else expr
    parts: list[str] = []
    types = dict.fromkeys(shown for t in typed if (shown := _type(t, expr)))
    if types:
        parts.append(_code(f"{_short(analysis.source, expr.span)}: {' | '.join(types)}"))
    entry = next((e for t in typed if (e := _intrinsic(t, expr)) is not None), None)
    if entry is not None:
        parts.append(_code(f"{entry.name}({', '.join(entry.params)})"))
        parts.append(entry.doc)
    callee = next((t.calls[expr] for t in typed if isinstance(expr, s.Call) and expr in t.calls), None)
    if isinstance(callee, FunctionCall) and callee.callee.function.docstring:
        parts.append(callee.callee.function.docstring)
    parts += _accesses(analysis.source, function, access, kernels)
    return Hover("\n\n".join(parts), expr.span) if parts else None


def _chain(function: s.Function, offset: int) -> list[s.Expr]:
    """The expressions that hold an offset, the outermost first; of two that touch, the one that starts there."""
    found: list[s.Expr] = []
    for stmt in (*function.decorators, *function.body):
        found += [n for n in surface_walk(stmt) if isinstance(n, s.Expr) and _in(n.span, offset)]
    starting = [n for n in found if offset < n.span.end]
    return sorted(starting or found, key=lambda n: n.span.start - n.span.end)


def _type(typed: Typed, expr: s.Expr) -> str | None:
    meaning = typed.meanings.get(expr)
    if meaning is None and isinstance(expr, s.Name):
        meaning = typed.locals.get(expr.id)
    return None if meaning is None or isinstance(meaning, Qualified | DeviceRef) else _shown(meaning)


def _shown(meaning: Meaning) -> str:
    if isinstance(meaning, ArrayMeaning):
        return _array(meaning)
    if isinstance(meaning, Static):
        return repr(meaning.value)
    kind = type_of(meaning)
    return "index" if kind == INDEX else str(kind) if kind is not None else describe(meaning)


def _array(array: ArrayMeaning) -> str:
    shape = ", ".join("int" if e is None else str(getattr(e, "name", e)) for e in array.shape)
    where = _SPACES.get(array.space)
    return f"array of {array.dtype}, shape ({shape}{',' if array.rank == 1 else ''})" + (f", {where}" if where else "")


def _is_named_by(above: s.Expr, expr: s.Expr) -> bool:
    """Whether an expression is the first part of what names the one above it."""
    return (isinstance(above, s.Attribute) and above.value is expr) or (
        isinstance(above, s.Call) and above.func is expr
    )


def _intrinsic(typed: Typed, expr: s.Expr) -> Intrinsic | None:
    resolved = typed.calls.get(expr) if isinstance(expr, s.Call) else None
    if isinstance(resolved, IntrinsicCall):
        return resolved.entry
    meaning = typed.meanings.get(expr)
    return find(meaning.name) if isinstance(meaning, Qualified) else None


# --- accesses ---------------------------------------------------------------------------------------------


def _accesses(source: Source, function: s.Function, expr: s.Expr, kernels: Sequence[KernelReport]) -> list[str]:
    """One line a way in which an array is used here."""
    lines: dict[str, None] = {}
    for kernel in kernels:
        for access in kernel.proof.accesses if kernel.proof is not None else ():
            if access.path == source.path and access.span in _spans(function, expr, access.mode):
                lines[_access(access, kernel)] = None
    return ["\n".join(f"- {line}" for line in lines)] if lines else []


def _spans(function: s.Function, expr: s.Expr, mode: str) -> Iterator[Span]:
    """The spans of accesses that an expression makes: a store is reported as its statement."""
    yield expr.span
    if mode == "r":
        return
    for stmt in (n for top in function.body for n in surface_walk(top)):
        targets = (
            stmt.targets if isinstance(stmt, s.Assign) else (stmt.target,) if isinstance(stmt, s.AugAssign) else ()
        )
        if any(expr is node for target in targets for node in (target, *getattr(target, "items", ()))):
            yield stmt.span


def _access(access: AccessReport, kernel: KernelReport) -> str:
    verb = _VERBS.get(access.mode, access.mode)
    if access.how == "open":
        checked = kernel.verdict == "proved"
        return f"{verb}: bounds {'are checked at run time' if checked else 'could not be shown'}"
    by = f", by {' and '.join(f'`{line}`' for line in access.contract)}" if access.contract else ""
    return f"{verb}, in bounds: {access.how}{by}"


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _short(source: Source, span: Span) -> str:
    text = " ".join(source.slice(span).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."

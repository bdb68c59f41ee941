"""Findings of the checks as diagnostics, in words.

In: findings with their witnesses. Out: `Diagnostic`s. A message names the threads, the element, the lines, the
interval and the launch that shows it; unknown is said as "cannot show", never as a fault.
Non-goals: help lines that need a proof (`advice`).
"""

from __future__ import annotations

from transpiler.diagnostics.model import Diagnostic, Label, Witness
from transpiler.ir import device as d
from transpiler.prove.bounds import Condition, Fault
from transpiler.prove.divergence import Divergence
from transpiler.prove.initialised import Unset
from transpiler.prove.races import Finding
from transpiler.prove.record import Obligation
from transpiler.prove.terms import CONTENT, EXIT, FLOAT, HAVOC, TICKET, show_poly

VERB = {"r": "reads", "w": "writes", "a": "atomically updates"}
WHY = (
    (CONTENT, "the contents of arrays that the kernel writes"),
    (TICKET, "the result of an atomic operation"),
    (HAVOC, "a value carried by a loop"),
    (FLOAT, "a float computation"),
    (EXIT, "when a loop is left"),
)


def why(flags: int) -> str:
    """What a proof would have to know."""
    reasons = [text for bit, text in WHY if flags & bit]
    return " and ".join(reasons[:2]) if reasons else "arithmetic that the prover does not follow"


def thread_text(block: tuple[int, ...], thread: tuple[int, ...], one_block: bool) -> str:
    t = f"thread ({', '.join(map(str, thread))})"
    return t if one_block else f"{t} of block ({', '.join(map(str, block))})"


def race(f: Finding, w: Witness, help: str | None = None) -> Diagnostic:
    """A pair that certainly races."""
    shared = isinstance(f.first.array, d.SharedArray)
    code = "E0303" if shared else "E0301" if f.relation == "block" else "E0302"
    one_block = w.threads[0].block == w.threads[1].block
    first, second = (thread_text(t.block, t.thread, one_block) for t in w.threads)
    where = f" of block ({', '.join(map(str, w.threads[0].block))})" if one_block else ""
    element = f"`{w.array}[{', '.join(map(str, w.index or ()))}]`"
    verbs = [{"read": "reads", "write": "writes", "atomic": "updates"}[t.access] for t in w.threads]
    lines = (w.threads[0].line, w.threads[1].line)
    apart = f"with no barrier between ({w.interval})" if f.relation == "block" else "and nothing orders blocks"
    message = (
        f"{element} is raced for: {first} {verbs[0]} it in line {lines[0]}, {second}{where} {verbs[1]} it in line "
        f"{lines[1]}, {apart}"
    )
    labels = (Label(f.second.span, f"{second} {verbs[1]} it here"),)
    return Diagnostic(
        code=code,
        message=message,
        source=f.first.source,
        span=f.first.span,
        labels=labels,
        help=help,
        lines=lines,
        witness=w,
    )


def race_unknown(f: Finding) -> Diagnostic:
    names = "a block" if f.relation == "block" else "different blocks"
    message = (
        f"cannot show that two threads of {names} do not race for `{f.first.array.name}` in lines {f.first.line} and "
        f"{f.second.line}: it depends on {why(f.flags)}"
    )
    help = f'state what keeps them apart in `requires`, use atomics, or `trust(ordered({f.first.array.name}), "why")`'
    if f.counter is not None:
        help = (
            f"the last block comes after all others if the counter starts at 0: `requires(in_range({f.counter}, 0, 1))`"
        )
    return Diagnostic(
        code="E0309",
        message=message,
        source=f.first.source,
        span=f.first.span,
        labels=(Label(f.second.span, "the other access"),),
        lines=f.lines,
        help=help,
    )


def diverges(f: Divergence, w: Witness | None, help: str | None = None) -> Diagnostic:
    what = "warp collective" if f.sync.collective or f.sync.scope == "warp" else "barrier"
    if w is None:
        return Diagnostic(
            code="E0409",
            message=f"cannot show that all threads reach this {what} together: it depends on {why(f.decision.flags)}",
            source=f.sync.source,
            span=f.sync.span,
            help="move it out of the branch or loop, or make the condition the same for all threads",
        )
    code = "E0402" if what == "warp collective" else "E0401"
    first = thread_text(w.threads[0].block, w.threads[0].thread, True)
    other = thread_text(w.threads[-1].block, w.threads[-1].thread, True)
    rest = f"and {other} does not" if len(w.threads) > 1 else "but its mask does not name that lane"
    return Diagnostic(
        code=code,
        message=f"{first} reaches this {what} {rest}",
        source=f.sync.source,
        span=f.sync.span,
        help=help or f"move the {what} out of the branch or loop, or make the condition the same for all threads",
        lines=(f.sync.line,),
        witness=w,
    )


def out_of_bounds(f: Fault, w: Witness | None) -> Diagnostic:
    a = f.access
    extent = show_poly(f.extent)
    side = "index below 0" if f.low else f"index not below {extent}"
    if w is None:
        return Diagnostic(
            code="E0509",
            message=f"cannot show that `{a.array.name}[...]` is in bounds (axis {f.axis}, {side}): "
            f"it depends on {why(f.decision.flags)}",
            source=a.source,
            span=a.span,
            help='guard the access, state a bound with `requires`, or use `checks="dynamic"`',
        )
    index = ", ".join(map(str, w.index or ()))
    who = thread_text(w.threads[0].block, w.threads[0].thread, False)
    return Diagnostic(
        code="E0501",
        message=f"`{a.array.name}[{index}]` is out of bounds: {who} {VERB[a.mode]} it, and axis {f.axis} has "
        f"{_size(w, a, f)} elements",
        source=a.source,
        span=a.span,
        help=_guard_help(f, extent),
        witness=w,
    )


def _size(w: Witness, a, f: Fault) -> str:
    shape = w.launch["shapes"].get(a.array.name)
    return str(shape[f.axis]) if shape else show_poly(f.extent)


def _guard_help(f: Fault, extent: str) -> str:
    if f.low:
        return "guard the access so that the index is at least 0"
    return (
        f"guard the access so that the index stays below {extent}, or state a condition that implies it with `requires`"
    )


def obligation(o: Obligation, w: Witness | None, flags: int) -> Diagnostic:
    certain = {
        "fits": "E0502",
        "index": "E0502",
        "divisor": "E0503",
        "step": "E0506",
        "shift": "E0504",
        "power": "E0505",
        "assert": "E0507",
        "invariant": "E0508",
    }
    unknown = {
        "fits": "E0510",
        "index": "E0510",
        "divisor": "E0511",
        "step": "E0511",
        "shift": "E0511",
        "power": "E0511",
        "assert": "E0511",
        "invariant": "E0511",
    }
    words = {
        "fits": f"this value fits in {o.dtype}",
        "index": "this index integer fits in 64 bits",
        "divisor": "this divisor is not zero",
        "step": "this step is not zero",
        "shift": f"this shift is within 0 .. {o.text}",
        "power": "this exponent is not negative",
        "assert": "this assertion holds",
        "invariant": "this invariant holds",
    }[o.kind]
    if w is None:
        return Diagnostic(
            code=unknown[o.kind],
            message=f"cannot show that {words}: it depends on {why(flags)}",
            source=o.source,
            span=o.span,
            help="bound the operands with a guard or `requires`",
        )
    who = thread_text(w.threads[0].block, w.threads[0].thread, False)
    faults = {
        "fits": f"this value does not fit in {o.dtype}",
        "index": "this index integer does not fit in 64 bits",
        "divisor": "this divides by zero",
        "step": "this range has step 0",
        "shift": f"this shift is not within 0 .. {o.text}",
        "power": "this raises an integer to a negative power",
        "assert": f"this assertion does not hold ({o.text})" if o.text else "this assertion does not hold",
        "invariant": "this invariant does not hold",
    }[o.kind]
    return Diagnostic(
        code=certain[o.kind],
        message=f"{faults} in {who}",
        source=o.source,
        span=o.span,
        help="use a wider type, or bound the operands with a guard or `requires`"
        if o.kind == "fits"
        else "guard it, or state a bound with `requires`",
        witness=w,
    )


def stored_wraps(o: Obligation) -> Diagnostic:
    return Diagnostic(
        code="W0502",
        message=f"this index integer may not fit in {o.dtype}, and then wraps in memory",
        source=o.source,
        span=o.span,
        help="bound it with `requires`, or store it in a wider array",
    )


def unset(u: Unset, w: Witness | None) -> Diagnostic:
    a = u.read
    if isinstance(a.array, d.ArrayParam):
        code, what = "E0305", f"`{a.array.name}` is an `Out` parameter and is read before its owner wrote it"
    else:
        code, what = "E0307", f"`{a.array.name}` is read before it is set"
    if w is None:
        return Diagnostic(
            code="E0310",
            message=f"cannot show that this element of `{a.array.name}` was set before it is read",
            source=a.source,
            span=a.span,
            help="set the whole array before the barrier, or guard the read as the write is guarded"
            + (", or declare it `InOut`" if code == "E0305" else ""),
        )
    who = thread_text(w.threads[0].block, w.threads[0].thread, False)
    return Diagnostic(
        code=code,
        message=f"{what}, by {who}",
        source=a.source,
        span=a.span,
        help="declare it `InOut`" if code == "E0305" else "write it first, or give the array a `fill=`",
        witness=w,
    )


def grid_dependent(c: Condition) -> Diagnostic:
    return Diagnostic(
        code="W0501",
        message=f"nothing guards this access, so every launch needs `{c.text}`",
        source=c.access.source,
        span=c.access.span,
        help=f"guard it with `if i < {show_poly(c.extent)}:`, or write `requires({c.text})`",
    )


def exhausted(kernel: d.Kernel) -> Diagnostic:
    return Diagnostic(
        code="E0312",
        message="this kernel takes more steps to prove than the prover may spend on one",
        source=kernel.source,
        span=kernel.span,
        help="split it, move part of it into a kernel of its own, or write unrolled code as a loop",
    )


def impossible(kernel: d.Kernel) -> Diagnostic:
    first = kernel.requires[0]
    return Diagnostic(
        code="E0512",
        message="no launch meets this contract: " + " and ".join(f"`{r.text}`" for r in kernel.requires if r.cond),
        source=kernel.source,
        span=first.span.to(kernel.requires[-1].span),
        help="drop or mend one of the conditions",
    )

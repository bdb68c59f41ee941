"""Barriers and collectives under divergent control flow.

In: the `Sync`s of a `Context`. Out: those that threads which must meet there do not reach together. A condition that
all threads of the scope share cannot diverge; any other is one question: two threads of a block (warp), it holds for
one and not for the other. Iterations of loops that hold a barrier are shared, by induction on the barriers met
before. A partial mask must name exactly the lanes that arrive.
Non-goals: words for users.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.prove.context import Context
from transpiler.prove.decide import Decision
from transpiler.prove.record import Sync
from transpiler.prove.terms import EXIT, Formula, Sharing

FULL = 0xFFFFFFFF


@dataclass(eq=False, slots=True)
class Divergence:
    sync: Sync
    decision: Decision

    @property
    def exact(self) -> bool:
        return self.decision.verdict == "yes" and not self.decision.flags | (self.sync.flags & ~EXIT)


def divergences(context: Context, cheap_only: bool = False) -> list[Divergence]:
    """With `cheap_only` the solver is not asked: what that leaves open counts."""
    found: list[Divergence] = []
    cache: dict[tuple, Decision] = {}
    lines: set[tuple] = set()
    for sync in context.record.syncs:
        if (sync.line, sync.span) in lines:
            continue
        decision = _decide(context, sync, cache, cheap_only)
        if decision.verdict != "no":
            lines.add((sync.line, sync.span))
            found.append(Divergence(sync, decision))
    return found


def _decide(context: Context, sync: Sync, cache: dict[tuple, Decision], cheap_only: bool) -> Decision:
    t = context.terms
    limit = Sharing.WARP if sync.scope == "warp" else Sharing.LAUNCH if sync.scope == "grid" else Sharing.COUNTER
    varying = [f for f in sync.guard if f.sharing > limit]
    if sync.scope == "warp" and sync.mask is not None and sync.mask.const != FULL:
        return _partial_mask(context, sync, varying)
    if not varying:
        return Decision("no", "syntactic")
    key = (sync.scope, tuple(f.id for f in sync.guard))
    if key in cache:
        return cache[key]
    copy = (
        context.same_warp
        if sync.scope == "warp"
        else context.other_block
        if sync.scope == "grid"
        else context.same_block
    )
    other = [copy.formula(f) for f in varying]
    shared = [f for f in sync.guard if f.sharing <= limit]
    question: list[Formula] = [*shared, *varying, t.negate(t.all(other))]
    if sync.scope == "warp":
        question.append(context.one_warp())
    decision = cache[key] = context.decider.decide(question, cheap_only)
    return decision


def _partial_mask(context: Context, sync: Sync, varying: list[Formula]) -> Decision:
    """The lanes named by a constant mask are those that arrive."""
    t = context.terms
    mask = None if sync.mask is None else sync.mask.const
    if mask is None:
        return Decision("unknown")
    lane = t.mod(context.launch.linear_tid, t.int(32))
    named = t.any(t.eq(lane, i) for i in range(32) if mask >> i & 1)
    outside = context.decider.decide((*sync.guard, t.negate(named)))
    if outside.verdict != "no":
        return outside
    if not varying:
        return Decision("no", "syntactic")
    shared = [f for f in sync.guard if f.sharing <= Sharing.WARP]
    copy = context.same_warp
    absent = context.decider.decide(
        (*sync.guard, context.one_warp(), copy.formula(named), copy.formula(t.negate(t.all(varying))), *shared)
    )
    return absent

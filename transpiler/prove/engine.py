"""The prover: runs the checks of one kernel and puts their answers together.

In: a `device.Kernel`. Out: `Proof`. Order of checks: divergence (barrier intervals mean something only where barriers
are uniform), races, bounds and contract, memory that was never set, arithmetic. What rests on contents of memory that
the kernel writes is a candidate, handed to `confirm`, which runs it; a candidate that no run confirms is unknown.
Non-goals: running kernels, showing diagnostics.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import replace

from transpiler.diagnostics.model import Diagnostic, Severity, Witness
from transpiler.ir import device as d
from transpiler.prove import fixes, report
from transpiler.prove.advice import Advice, Help
from transpiler.prove.bounds import Bounds, BoundsResult, Fault
from transpiler.prove.budget import Exhausted
from transpiler.prove.context import Context
from transpiler.prove.copies import unfollowed
from transpiler.prove.decide import Decision
from transpiler.prove.divergence import Divergence, divergences
from transpiler.prove.initialised import Initialised
from transpiler.prove.proof import AccessReport, ContractLine, Proof
from transpiler.prove.races import MAX_REFUTED, Finding, Races
from transpiler.prove.record import Obligation
from transpiler.prove.terms import TICKET, walk_atoms
from transpiler.prove.witness import Witnesses

Confirm = Callable[[Witness], "Witness | None"]
MAX_CANDIDATES = 6
MAX_TRIPS = 1 << 40
"""No loop runs longer, as far as the 64 bits of index integers are concerned."""


class Engine:
    """One proof."""

    def __init__(self, kernel: d.Kernel, confirm: Confirm | None, block: tuple[int | None, ...], free_grid: bool):
        self.kernel = kernel
        self.confirm = confirm
        self.context = Context(kernel, block, free_grid)
        self.refuted: list[Diagnostic] = []
        self.unknown: list[Diagnostic] = []
        self.warnings: list[Diagnostic] = []
        self.runtime_checks: list[str] = []
        self.checked: set[d.Node] = set()
        self.races = Races(self.context)
        self.advice = Advice(kernel, block, free_grid, len(self.context.record.accesses))

    def run(self) -> Proof:
        bounds = BoundsResult()
        try:
            if self._impossible():
                self.refuted.append(report.impossible(self.kernel))
            else:
                self._check(bounds)
        except Exhausted:
            self.unknown.append(report.exhausted(self.kernel))
        return self._proof(bounds)

    def _check(self, bounds: BoundsResult) -> None:
        Bounds(self.context, bounds).run()
        bounds.assume(self.context.terms)
        self.witnesses = Witnesses(self.context, bounds.conditions)
        if self._divergence():
            self._races()
        self._bounds(bounds)
        self._unset()
        self._obligations()
        self.unknown += unfollowed(self.kernel)

    # --- checks ---

    def _impossible(self) -> bool:
        """No launch meets what is required: anything could be proved of it."""
        return bool(self.context.required) and self.context.decider.decide(self.context.required).verdict == "no"

    def _divergence(self) -> bool:
        """Whether barrier intervals can be relied on."""
        fine = True
        for f in divergences(self.context):
            fine = False
            if f.exact:
                copy = self.context.same_warp if f.sync.scope == "warp" else self.context.same_block
                w = self.witnesses.of_place(
                    f.sync.line, f.decision, "collective" if f.sync.collective else "barrier", copy
                )
                help = self.advice.for_divergence(f.sync.line) if f.sync.loops and not self.refuted else None
                self.refuted.append(_advised(report.diverges(f, w, help and help.text), help))
            else:
                w = self._run_divergence(f)
                (self.unknown if w is None else self.refuted).append(report.diverges(f, w))
        return fine

    def _run_divergence(self, f: Divergence) -> Witness | None:
        if self.confirm is None or f.decision.verdict != "yes" or f.sync.collective:
            return None
        copy = self.context.same_warp if f.sync.scope == "warp" else self.context.same_block
        return self.confirm(self.witnesses.of_place(f.sync.line, f.decision, "barrier", copy))

    def _races(self) -> None:
        unknown: list[Finding] = []
        seen: set[tuple] = set()
        found = 0
        for f in self.races.run():
            mark = (f.first.array.name, f.lines, f.relation)
            if found >= MAX_REFUTED or mark in seen:
                continue
            if f.exact:
                w = self._pair_witness(f)
            else:
                tried = sum(not g.exact for g in unknown)
                w = self._confirmed(f) if tried < MAX_CANDIDATES else None
            seen.add(mark)
            if w is None:
                unknown.append(f)
            else:
                found += 1
                help = self.advice.for_race(f) if found == 1 else None
                self.refuted.append(_advised(report.race(f, w, help and help.text), help))
        if not found:
            self.unknown += [report.race_unknown(f) for f in unknown]

    def _confirmed(self, f: Finding) -> Witness | None:
        """A run that shows the race of a candidate. Protocols of atomics and fences are beyond what a run may refute."""
        if self.confirm is None or f.decision.verdict != "yes":
            return None
        if f.flags & TICKET and self.context.record.fences:
            return None
        return self.confirm(self._pair_witness(f))

    def _pair_witness(self, f: Finding) -> Witness:
        copy = self.context.other_block if f.relation == "grid" else self.context.same_block
        between = f"between {f.interval.start} and {f.interval.end}"
        if f.interval.start.startswith("the end of an iteration"):
            between = f"from {f.interval.start} to {f.interval.end}"
        return self.witnesses.of_pair(f.first, f.second_copy, copy, f.decision, between)

    def _bounds(self, bounds: BoundsResult) -> None:
        seen: set[tuple] = set()
        open_faults = [(f, self._under_contract(f, bounds)) for f in bounds.faults]
        open_faults = [(f, decision) for f, decision in open_faults if decision.verdict != "no"]
        for f, decision in open_faults:
            mark = (f.access.span, f.access.array.name)
            exact = decision.verdict == "yes" and not decision.flags | f.access.flags
            if exact and mark not in seen and not self._left_to_run_time(f):
                seen.add(mark)
                diagnostic = report.out_of_bounds(f, self.witnesses.of_access(f.access, decision))
                self.refuted.append(self._guarded(diagnostic, f, bounds))
        for f, decision in open_faults:
            mark = (f.access.span, f.access.array.name)
            if mark in seen:
                continue
            seen.add(mark)
            w = self._run_bounds(f, decision)
            if w is not None:
                self.refuted.append(self._guarded(report.out_of_bounds(f, w), f, bounds))
            elif self.kernel.options.checks == "dynamic" and f.access.node is not None:
                self.checked.add(f.access.node)
                self.runtime_checks.append(f"line {f.access.line}: {f.access.array.name}")
            else:
                self.unknown.append(self._guarded(report.out_of_bounds(f, None), f, bounds))
        for c in bounds.conditions:
            if c.grid_dependent:
                self.warnings.append(replace(report.grid_dependent(c), proposals=fixes.carried(self.context, c)))

    def _guarded(self, diagnostic: Diagnostic, f: Fault, bounds: BoundsResult) -> Diagnostic:
        """With guards against all that is wrong with the indices of this access."""
        mine = [g for g in bounds.faults if g.access.span == f.access.span and g.access.array is f.access.array]
        return replace(diagnostic, proposals=fixes.guards(self.context, f.access, [(g.axis, g.low) for g in mine]))

    def _run_bounds(self, f: Fault, decision: Decision) -> Witness | None:
        """A run that shows an access out of bounds whose model rests on approximations. What depends on contents that one may
        choose is no such fault where the access is checked at run time."""
        if self.confirm is None or decision.verdict != "yes" or self.kernel.options.checks == "dynamic":
            return None
        if f.extent.flags:  # what `smem=` leaves, which the launch decides
            return None
        return self.confirm(self.witnesses.of_access(f.access, decision))

    def _left_to_run_time(self, f: Fault) -> bool:
        """With `checks="dynamic"`, what depends on the contents of memory is checked where it happens."""
        terms = (*f.access.guard, *f.access.indices)
        return self.kernel.options.checks == "dynamic" and any(a.kind in ("load", "ticket") for a in walk_atoms(terms))

    def _under_contract(self, f: Fault, bounds: BoundsResult) -> Decision:
        """The fault again in a launch that keeps what was inferred for other accesses."""
        t = self.context.terms
        kept = [t.le(c.least, c.extent) for c in bounds.conditions if c.extent is f.extent and not c.alternatives]
        if not kept:
            return f.decision
        index = f.access.indices[f.axis]
        outside = t.lt(index, t.int(0)) if f.low else t.le(f.extent, index)
        return self.context.decider.decide((*f.access.guard, outside, *kept))

    def _unset(self) -> None:
        for u in Initialised(self.context).run():
            exact = u.certain and u.decision.verdict == "yes" and not (u.decision.flags | u.read.flags)
            w = self.witnesses.of_access(u.read, u.decision) if exact else None
            (self.refuted if exact else self.unknown).append(report.unset(u, w))

    def _obligations(self) -> None:
        seen: set = set()
        for o in self.context.record.obligations:
            if (o.span, o.kind) in seen:
                continue
            t = self.context.terms
            trips = [t.le(t.of(loop.trip), t.int(MAX_TRIPS)) for loop in o.loops] if o.kind == "index" else []
            question = (*o.guard, *trips, t.negate(o.claim))
            decision = self.context.decider.decide(question, cheap_only=o.kind == "stored")
            if decision.verdict == "no":
                continue
            seen.add((o.span, o.kind))
            self._broken(o, decision)

    def _broken(self, o: Obligation, decision) -> None:
        exact = decision.verdict == "yes" and not decision.flags | o.flags
        if o.kind == "stored":
            self.warnings.append(report.stored_wraps(o))
        elif o.kind == "assert" and not exact:
            self.runtime_checks.append(f"line {o.line}: assert")
            assert o.node is not None
            self.checked.add(o.node)
        elif exact:
            w = self.witnesses.of_place(o.line, decision, "write", None)
            self.refuted.append(report.obligation(o, w, 0))
        else:
            self.unknown.append(report.obligation(o, None, decision.flags | o.flags))

    # --- the answer ---

    def _proof(self, bounds: BoundsResult) -> Proof:
        lines = self._contract(bounds)
        verdict = "refuted" if self.refuted else "unknown" if self.unknown else "proved"
        found = [*self.refuted, *self.unknown, *self.warnings]
        errors = [x for x in found if x.severity is Severity.ERROR]
        return Proof(
            verdict=verdict if errors else "proved",
            contract=tuple(line.text for line in lines),
            lines=lines,
            disjoint=self._disjoint(),
            assumptions=tuple(t.text for t in self.context.record.trusted),
            runtime_checks=tuple(self.runtime_checks),
            checked_nodes=frozenset(self.checked),
            diagnostics=tuple(found),
            accesses=tuple(
                AccessReport(
                    a.line,
                    a.array.name,
                    a.mode,
                    how,
                    tuple(dict.fromkeys(c.text for c in bounds.carried_by.get(a, ()))),
                    a.span,
                    a.source.path,
                )
                for a, how in bounds.how.items()
            ),
            pairs=tuple(self.races.pairs.items()),
            queries=self.context.decider.solver.queries,
        )

    def _contract(self, bounds: BoundsResult) -> tuple[ContractLine, ...]:
        lines = [
            ContractLine(r.text, "data" if r.predicate else "required", r.predicate, r.array)
            for r in self.kernel.requires
        ]
        lines += [ContractLine(c.text, "inferred", grid_dependent=c.grid_dependent) for c in bounds.conditions]
        return tuple(lines)

    def _disjoint(self) -> tuple[tuple[str, str], ...]:
        arrays = list(self.kernel.arrays_by_name.values())
        written = self.context.written
        return tuple(
            (a.name, b.name) for a, b in itertools.combinations(arrays, 2) if a.name in written or b.name in written
        )


def _advised(diagnostic: Diagnostic, help: Help | None) -> Diagnostic:
    return replace(diagnostic, proposals=help.proposals) if help is not None else diagnostic


def prove(
    kernel: d.Kernel,
    *,
    confirm: Confirm | None = None,
    block: tuple[int | None, int | None, int | None] | None = None,
    free_grid: bool = False,
) -> Proof:
    """Prove a kernel for the block of its decorator, or for `block` and any grid."""
    started = time.perf_counter()
    loading = 0.0
    try:
        engine = Engine(kernel, confirm, block or kernel.block, free_grid or block is not None)
    except Exhausted:  # before anything could be checked
        proof = Proof(verdict="unknown", contract=(), diagnostics=(report.exhausted(kernel),))
    else:
        proof = engine.run()
        loading = engine.context.decider.solver.load_seconds
    return replace(proof, time_ms=(time.perf_counter() - started - loading) * 1e3)

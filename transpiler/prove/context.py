"""What every check needs: the kernel's terms, its record, copies of terms for a second thread, and the decider.

In: a kernel and a block. Out: `Context`, made by symbolic execution.
Non-goals: the checks.
"""

from __future__ import annotations

from functools import cached_property

from transpiler.ir import device as d
from transpiler.prove.axioms import Axioms
from transpiler.prove.budget import Budget
from transpiler.prove.decide import Decider
from transpiler.prove.fold import Terms
from transpiler.prove.launch import GRID_LIMIT, Launch
from transpiler.prove.machine import Machine, written_arrays
from transpiler.prove.rewrite import Copy
from transpiler.prove.terms import Formula, Poly, Sharing


class Context:
    """One kernel, executed symbolically once for a block shape."""

    def __init__(self, kernel: d.Kernel, block: tuple[int | None, ...], free_grid: bool, budget: Budget | None = None):
        self.budget = budget or Budget()
        self.kernel = kernel
        self.terms = Terms()
        self.launch = Launch(self.terms, kernel, block)
        self.written = written_arrays(kernel)
        self.machine = Machine(kernel, self.launch, self.terms, self.written, self.budget)
        facts = list(self.launch.facts)
        self.required = self._requirements()
        facts.extend(self.required)
        if not free_grid:
            facts.extend(self._grid_facts())
        self.machine.run()
        self.record = self.machine.record
        self.axioms = Axioms(kernel, self.terms, self.machine)
        self.decider = Decider(self.terms, facts, self.axioms, self.budget)
        self.axioms.decider = self.decider
        self.same_block = Copy(self.terms, Sharing.COUNTER)
        self.other_block = Copy(self.terms, Sharing.LAUNCH)
        self.same_warp = Copy(self.terms, Sharing.WARP)

    def _requirements(self) -> list[Formula]:
        machine = self.machine
        found = []
        for r in self.kernel.requires:
            if r.cond is not None:
                found.append(machine.holds(r.cond))
            elif r.predicate == "in_range":  # an array with elements has values for them
                low, high = (machine.int_of(machine.eval(e)) for e in r.args)
                array = self.kernel.arrays_by_name[r.array]
                empty = self.terms.any(self.terms.le(n, self.terms.int(0)) for n in machine.extents(array))
                found.append(self.terms.any((empty, self.terms.lt(low, high))))
        machine.record.truncate((0,) * len(machine.record.sizes()))
        return found

    def _grid_facts(self) -> list[Formula]:
        """`grid=` and `domain=` fix the number of blocks on each axis."""
        t, kernel, launch = self.terms, self.kernel, self.launch
        given = kernel.grid if kernel.grid is not None else kernel.domain
        if given is None:
            return []
        facts: list[Formula] = []
        for axis, expr in enumerate(given[:3]):
            extent = self.machine.int_of(self.machine.eval(expr))
            if kernel.grid is None:
                block = launch.block[axis]
                extent = t.div(extent + (block - 1), block)
            launch.set_grid(axis, extent)
            facts.append(t.ge(extent - t.int(1)))  # where there is a thread, there is a block
            if extent.const is None:
                facts.append(t.le(extent, t.int(GRID_LIMIT[axis])))
        for axis in range(len(given), kernel.axes):
            launch.set_grid(axis, t.int(1))
        self.machine.record.truncate((0,) * len(self.machine.record.sizes()))
        return facts

    def distinct_threads(self) -> Formula:
        """Two threads of a block are not the same."""
        t = self.terms
        return t.any(t.ne(p, self.same_block.poly(p)) for p in self.launch.tid)

    def distinct_blocks(self) -> Formula:
        t = self.terms
        return t.any(t.ne(p, self.other_block.poly(p)) for p in self.launch.bid)

    def distinct_warps(self) -> Formula:
        t = self.terms
        w = self.launch.warp(self.launch.linear_tid)
        return t.ne(w, self.same_block.poly(w))

    def one_warp(self) -> Formula:
        t = self.terms
        w = self.launch.warp(self.launch.linear_tid)
        return t.eq(w, self.same_warp.poly(w))

    def extents(self, array: d.Array) -> list[Poly]:
        return self.machine.extents(array)

    def anonymous(self, p: Poly) -> bool:
        """Whether this is the extent of an `int` axis, which may get an inferred lower bound."""
        if len(p.terms) != 1 or len(p.terms[0][0]) != 1 or p.terms[0][1] != 1:
            return False
        return self.terms.atoms[p.terms[0][0][0]].name in self._anonymous_names

    @cached_property
    def _anonymous_names(self) -> set[str]:
        names = set()
        for a in self.kernel.arrays_by_name.values():
            for axis, e in enumerate(a.shape):
                if isinstance(e, d.Extent):
                    names.add(f"len({a.name})" if a.rank == 1 else f"{a.name}.shape[{axis}]")
        return names

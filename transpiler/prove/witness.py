"""A model as a launch that one can run: grid, block, scalars, shapes, contents, and the threads in question.

In: a `Decision` with a model. Out: `diagnostics.Witness`, the smallest there is: grid, scalars, extents, trip
numbers, blocks and threads are minimised in that order. Extents are as large as the contract asks for.
Non-goals: words.
"""

from __future__ import annotations

from typing import Any

from transpiler.diagnostics.model import Thread, Witness
from transpiler.ir import device as d
from transpiler.prove.bounds import Condition
from transpiler.prove.context import Context
from transpiler.prove.decide import Decision
from transpiler.prove.record import Access
from transpiler.prove.rewrite import Rewrite
from transpiler.prove.terms import Atom, Poly, walk_atoms

DATA_LIMIT = 1 << 16
Triple = tuple[int, int, int]


class Witnesses:
    """Makes witnesses of one kernel. `conditions` are the inferred part of its contract."""

    def __init__(self, context: Context, conditions: list[Condition]):
        self.context = context
        self.conditions = conditions

    def smallest(self, decision: Decision) -> Decision:
        order = sorted((a for a in walk_atoms(decision.formulas) if a.sort == "int"), key=self._rank)
        names = [a.id for a in order if a.kind in ("var", "load", "hv", "ticket")]
        found = self.context.decider.smallest(decision, names)
        return found if found.verdict == "yes" else decision

    def _rank(self, a: Atom) -> tuple[int, int]:
        launch = self.context.launch
        ids = [{x for p in ps for x in p.atom_ids()} for ps in (launch.grid, launch.bid, launch.tid)]
        name = a.name.rstrip("'")
        if a.id in ids[0] or name.startswith("cuda.blockDim"):
            return (0, a.id)
        if a.kind != "var":
            return (7, a.id)
        if "#" in name:
            return (3, a.id)
        if name.startswith("cuda.blockIdx"):
            return (4, a.id)
        if name.startswith("cuda.threadIdx"):
            return (5, a.id)
        return (2 if name.startswith("len(") or ".shape[" in name or name in self.context.kernel.dims else 1, a.id)

    # --- parts of a launch ---

    def value(self, p: Poly, decision: Decision) -> int:
        return self.context.decider.value(p, decision.model)

    def place(self, decision: Decision, copy: Rewrite | None) -> tuple[Triple, Triple]:
        """Block and thread of one side of the model."""
        launch = self.context.launch
        values = []
        for group in (launch.bid, launch.tid):
            polys = [copy.poly(p) if copy is not None else p for p in group]
            values.append(tuple(self.value(p, decision) for p in polys))
        return values[0], values[1]  # type: ignore[return-value]

    def launch(self, decision: Decision) -> dict[str, Any]:
        context = self.context
        kernel, launch = context.kernel, context.launch
        grid = [self.value(p, decision) for p in launch.grid]
        for axis, (b, own) in enumerate(zip(launch.bid, grid, strict=True)):
            for copy in (None, context.other_block):
                index = self.value(copy.poly(b) if copy else b, decision)
                grid[axis] = max(own, grid[axis], index + 1)
        scalars = {p.name: self._scalar(p, decision) for p in kernel.params if isinstance(p, d.ScalarParam)}
        shapes = {a.name: self._shape(a, decision) for a in kernel.arrays_by_name.values()}
        found: dict[str, Any] = {
            "grid": tuple(grid),
            "block": tuple(max(1, self.value(p, decision)) for p in launch.block),
            "scalars": scalars,
            "shapes": shapes,
        }
        data = self._data(decision, shapes)
        if data:
            found["data"] = data
        return found

    def _scalar(self, p: d.ScalarParam, decision: Decision) -> int | float | bool:
        term = self.context.launch.scalar(p)
        if isinstance(term, Poly):
            return self.value(term, decision)
        atom = term.args[0] if not isinstance(term, Atom) else term
        value = decision.model.get(atom.id, 0)
        return bool(value) if p.dtype.kind == "bool" else float(value)

    def _shape(self, a: d.ArrayParam, decision: Decision) -> tuple[int, ...]:
        sizes = []
        for extent in self.context.extents(a):
            known = any(a in decision.model for a in extent.atom_ids())
            least = [1 if self.context.anonymous(extent) and not known else 0, self.value(extent, decision)]
            for c in self.conditions:
                if c.extent is extent:
                    least.append(min(self.value(p, decision) for p in (c.least, *c.alternatives)))
            sizes.append(max(least))
        return tuple(sizes)

    def _data(self, decision: Decision, shapes: dict[str, tuple[int, ...]]) -> dict[str, list]:
        """Contents that the model speaks of; what it leaves open is 0."""
        cells: dict[str, dict[int, int | float | bool]] = {}
        for a in walk_atoms(decision.formulas):
            if a.kind != "load" or a.data is None or not a.data[1] or a.data[0] not in shapes:
                continue
            name, _, dtype = a.data
            flat, ok = 0, True
            for p, n in zip(a.args, shapes[name], strict=False):
                i = self.value(p, decision)
                ok = ok and 0 <= i < n
                flat = flat * n + i
            if not ok or flat >= DATA_LIMIT or a.id not in decision.model:
                continue
            v = decision.model[a.id]
            cells.setdefault(name, {})[flat] = (
                float(v) if dtype.is_float else bool(v) if dtype.kind == "bool" else int(v)
            )
        out = {}
        for r in self.context.kernel.requires:
            if r.predicate and len(shapes[r.array]) == 1 and shapes[r.array][0] <= DATA_LIMIT:
                out[r.array] = self._kept(r, cells.pop(r.array, {}), shapes[r.array][0], decision)
        for name, found in cells.items():
            if any(found.values()):
                values = [found.get(i, 0) for i in range(max(found) + 1)]
                while values and not values[-1]:
                    values.pop()
                out[name] = values
        return out

    def _kept(self, r: d.Requirement, cells: dict[int, Any], size: int, decision: Decision) -> list:
        """Contents that keep a data contract around the cells that the model speaks of."""
        if r.predicate == "nondecreasing":
            values, last = [], min(cells.values(), default=0)
            for i in range(size):
                last = cells.get(i, last)
                values.append(last)
            return values
        if r.predicate == "in_range":
            low = self.value(self.context.machine.int_of(self.context.machine.eval(r.args[0])), decision)
            return [cells.get(i, low) for i in range(size)]
        taken = set(cells.values())
        free = (v for v in range(2 * size + 1) if v not in taken)
        return [cells[i] if i in cells else next(free) for i in range(size)]

    # --- witnesses ---

    def of_pair(self, a: Access, b: Access, copy: Rewrite, decision: Decision, interval: str) -> Witness:
        model = self.smallest(decision)
        places = (self.place(model, None), self.place(model, copy))
        threads = tuple(
            Thread(block, thread, access.line, {"r": "read", "w": "write", "a": "atomic"}[access.mode])
            for (block, thread), access in zip(places, (a, b), strict=True)
        )
        index = tuple(self.value(p, model) for p in a.indices)
        return Witness(self.launch(model), threads, a.array.name, index, interval)

    def of_access(self, a: Access, decision: Decision) -> Witness:
        model = self.smallest(decision)
        block, thread = self.place(model, None)
        what = {"r": "read", "w": "write", "a": "atomic"}[a.mode]
        index = tuple(self.value(p, model) for p in a.indices)
        return Witness(self.launch(model), (Thread(block, thread, a.line, what),), a.array.name, index)

    def of_place(self, line: int, decision: Decision, what: str, copy: Rewrite | None) -> Witness:
        model = self.smallest(decision)
        places = [self.place(model, None)] + ([self.place(model, copy)] if copy is not None else [])
        threads = tuple(Thread(block, thread, line, what) for block, thread in places)
        return Witness(self.launch(model), threads)

"""Help lines that were checked: a barrier at a place, a condition on the launch, tried and proved before they are printed.

In: a refuted kernel and what refuted it. Out: a help line with the change of the text that it speaks of, or None where
nothing tried helps. A barrier is tried
between the two accesses, else at the end of the loop around both, in the innermost statement list that holds both and
then further out. Conditions are tried in a fixed order: one block, whole blocks of a scalar, a scalar of at least 1.
Non-goals: changing the kernel. Nothing is ever inserted. How a change is written: `fixes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from transpiler.diagnostics.model import Fix
from transpiler.ir import device as d
from transpiler.ir.types import BOOL, INDEX
from transpiler.prove import fixes
from transpiler.prove.budget import SOLVER_STEPS, WORK, Budget, Exhausted
from transpiler.prove.context import Context
from transpiler.prove.divergence import divergences
from transpiler.prove.races import Finding, Races
from transpiler.records import record

Block = tuple[int | None, ...]
Body = tuple[d.Stmt, ...]
MAX_PLACES = 3
MAX_ACCESSES = 80
"""Larger kernels are not proved again for a help line."""
SHARE = 4
"""All tries together may cost one part in so many of what a proof may."""


@record
class Help:
    """A help line, and the change that it speaks of where the text has a place for it."""

    text: str
    proposals: tuple[Fix, ...] = ()


@record
class Place:
    """The body of a kernel with one more barrier; `where` it stands: above or below the statement `beside`."""

    body: Body
    where: str
    beside: d.Stmt
    below: bool


class Advice:
    """Tries changes of one kernel."""

    def __init__(self, kernel: d.Kernel, block: Block, free_grid: bool, size: int):
        self.kernel = kernel
        self.block = block
        self.free_grid = free_grid
        self.small = size <= MAX_ACCESSES
        self.budget = Budget(solver=SOLVER_STEPS // SHARE, work=WORK // SHARE)

    def _context(self, kernel: d.Kernel) -> Context:
        return Context(kernel, self.block, self.free_grid, self.budget)

    # --- races ---

    def for_race(self, f: Finding) -> Help | None:
        if not self.small:
            return None
        try:
            return self._for_race(f)
        except Exhausted:
            return None

    def _for_race(self, f: Finding) -> Help | None:
        if f.relation == "grid":
            return self._with_condition(lambda c: not self._still_races(c, f))
        if f.first.source is not self.kernel.source or f.second.source is not self.kernel.source:
            return None
        return self._with_barrier(f) or self._with_condition(lambda c: not self._still_races(c, f))

    def _with_barrier(self, f: Finding) -> Help | None:
        for place in islice(places(self.kernel, f.first.node, f.second.node), MAX_PLACES):
            changed = replace(self.kernel, body=place.body)
            if not self._still_races(changed, f):
                text = f"put `cuda.syncthreads()` {place.where}: with it these accesses do not race (checked)"
                return Help(text, fixes.barrier(self.kernel.source, place.where, place.beside.span, below=place.below))
        return None

    def _still_races(self, kernel: d.Kernel, f: Finding) -> bool:
        """Whether these lines may still race, or a barrier diverges."""
        context = self._context(kernel)
        if divergences(context, cheap_only=True):
            return True
        mine = {f.first.line, f.second.line}
        found = Races(context, only=f.first.array.name, cheap_only=True).run()
        return any({g.first.line, g.second.line} == mine for g in found)

    # --- divergence ---

    def for_divergence(self, line: int) -> Help | None:
        if not self.small:
            return None

        def helps(kernel: d.Kernel) -> bool:
            context = self._context(kernel)
            return not any(f.sync.line == line for f in divergences(context))

        try:
            return self._with_condition(helps)
        except Exhausted:
            return None

    # --- conditions ---

    def _with_condition(self, helps: Callable[[d.Kernel], bool]) -> Help | None:
        for text, cond in self._conditions():
            requirement = d.Requirement(text, cond, span=self.kernel.span)
            changed = replace(self.kernel, requires=(*self.kernel.requires, requirement))
            if helps(changed):
                also = " or `grid=1`" if text == "cuda.gridDim.x == 1" else ""
                line = f"if that is meant, write `requires({text})`{also}: under it this cannot happen (checked)"
                return Help(line, fixes.requirement(self.kernel, text))
        return None

    def _conditions(self) -> Iterator[tuple[str, d.Expr]]:
        span = self.kernel.span

        def launch(name: str) -> d.Expr:
            return d.LaunchVar(name, 0, span=span, type=INDEX)

        def number(value: int) -> d.Expr:
            return d.Const(value, span=span, type=INDEX)

        def compare(op: str, left: d.Expr, right: d.Expr) -> d.Expr:
            return d.Compare(op, left, right, span=span, type=BOOL)

        if self.kernel.grid is None and self.kernel.domain is None:
            yield "cuda.gridDim.x == 1", compare("==", launch("gridDim"), number(1))
        scalars = [p for p in self.kernel.params if isinstance(p, d.ScalarParam) and p.dtype.kind == "int"]
        for p in scalars[:3]:
            value = d.Var(p, span=span, type=INDEX)
            rest = d.Binary("%", value, launch("blockDim"), span=span, type=INDEX)
            yield f"{p.name} % cuda.blockDim.x == 0", compare("==", rest, number(0))
            yield f"{p.name} >= 1", compare(">=", value, number(1))


def places(kernel: d.Kernel, first: d.Node | None, second: d.Node | None) -> Iterator[Place]:
    """Where one more barrier could stand, the innermost place first."""
    if first is None or second is None:
        return
    a, b = _way(kernel.body, first), _way(kernel.body, second)
    if a is None or b is None:
        return
    shared = 0
    while shared < min(len(a), len(b)) and a[shared][0] == b[shared][0] and a[shared][1] == b[shared][1]:
        shared += 1
    depths = [shared, *range(shared - 1, -1, -1)] if shared < min(len(a), len(b)) else range(shared - 1, -1, -1)
    for depth in depths:
        if depth >= min(len(a), len(b)) or a[depth][0] != b[depth][0]:
            continue  # in the two arms of one branch
        i, j = sorted((a[depth][1], b[depth][1]))
        statements = _list_at(kernel.body, a[:depth], a[depth][0])
        if i < j:
            line = kernel.source.line(statements[j].span.start)
            body = _insert(kernel.body, a[:depth], a[depth][0], j)
            yield Place(body, f"before line {line}", statements[j], below=False)
        loop = depth > 0 and isinstance(_statement(kernel.body, a[:depth]), (d.For, d.While))
        if loop:
            last = statements[-1]
            line = kernel.source.line(max(last.span.end - 1, last.span.start))
            body = _insert(kernel.body, a[:depth], a[depth][0], len(statements))
            yield Place(body, f"behind line {line}, at the end of the loop", last, below=True)


Way = list[tuple[str, int]]
"""From the body of the kernel down: (field of the statement above, index in it)."""


def _way(body: Body, node: d.Node) -> Way | None:
    """Where the statement stands that holds a node."""
    for i, s in enumerate(body):
        if s is node or _holds(s, node):
            for name in _lists(s):
                inner = _way(getattr(s, name), node)
                if inner is not None:
                    return [("body", i), *[(name if n == 0 else f, k) for n, (f, k) in enumerate(inner)]]
            return [("body", i)]
    return None


def _lists(s: d.Stmt) -> tuple[str, ...]:
    return {d.If: ("then", "orelse"), d.For: ("body",), d.While: ("pre", "body")}.get(type(s), ())


def _holds(x: object, node: d.Node) -> bool:
    if x is node:
        return True
    if isinstance(x, tuple):
        return any(_holds(y, node) for y in x)
    if isinstance(x, (d.Stmt, d.Expr, d.View, d.Range)):
        names = getattr(type(x), "__dataclass_fields__", {})
        return any(_holds(getattr(x, n), node) for n in names if n not in ("span", "type", "array", "callee"))
    return False


def _statement(body: Body, way: Way) -> d.Stmt:
    """The statement at the end of a way."""
    s = body[way[0][1]]
    for name, i in way[1:]:
        s = getattr(s, name)[i]
    return s


def _list_at(body: Body, way: Way, name: str) -> Body:
    return getattr(_statement(body, way), name) if way else body


def _insert(body: Body, way: Way, name: str, at: int) -> Body:
    """The body with a barrier before index `at` of the statement list that `way` leads to."""
    if not way:
        span = body[min(at, len(body) - 1)].span
        return (*body[:at], d.Barrier("block", span=span), *body[at:])
    _, i = way[0]
    s = body[i]
    field = way[1][0] if len(way) > 1 else name
    inner = _insert(getattr(s, field), [("body", way[1][1]), *way[2:]] if len(way) > 1 else [], name, at)
    return (*body[:i], replace(s, **{field: inner}), *body[i + 1 :])

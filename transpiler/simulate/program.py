"""What the simulator wants to know of a kernel before it runs: a walk over its tree, once.

In: a kernel. Out: `Program`: numbered access sites, the source that each node stands in, which arrays need shadow
cells, and which features (fences, waiting loops, grid barriers) call for the costlier ways of running.
Non-goals: any judgement of the kernel.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from transpiler.intrinsics.entry import Effect, Intrinsic
from transpiler.ir import device as ir
from transpiler.source import Source, Span


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the source that touches memory. `access` is `read`, `write` or `atomic`; `scope` is that of an atomic."""

    node: ir.Load | ir.Store | ir.Atomic
    source: Source
    access: str
    scope: str = ""

    @property
    def span(self) -> Span:
        return self.node.span

    @property
    def line(self) -> int:
        return self.source.line(self.node.span.start)


@dataclass(slots=True)
class Program:
    kernel: ir.Kernel
    sites: list[Site] = field(default_factory=list)
    site_of: dict[ir.Node, int] = field(default_factory=dict)
    sources: dict[ir.Node, Source] = field(default_factory=dict)
    """Of statements, and of expressions that can go wrong, in device functions; others stand in the kernel's source."""
    changed: set[ir.Array] = field(default_factory=set)
    """Arrays that something may write: the others cannot race."""
    seen_changed: set[ir.Array] = field(default_factory=set)
    """With the parameters that they are passed for, though only read there."""
    ordered: dict[ir.Array, str] = field(default_factory=dict)
    """Arrays whose accesses are trusted not to race, with the reason."""
    waits: set[ir.While] = field(default_factory=set)
    """Loops whose end another thread may bring about."""
    dims: set[str] = field(default_factory=set)
    """Named dims that something refers to."""
    has_fence: bool = False
    has_grid_barrier: bool = False

    def source_of(self, node: ir.Node) -> Source:
        return self.sources.get(node, self.kernel.source)

    def line_of(self, node: ir.Node) -> int:
        return self.source_of(node).line(node.span.start)


def analyse(kernel: ir.Kernel) -> Program:
    program = Program(kernel)
    bodies: list[tuple[Source, tuple[ir.Stmt, ...]]] = [(kernel.source, kernel.body)]
    bodies += [(function.source, function.body) for function in kernel.functions]
    for source, body in bodies:
        for stmt in body:
            for node in walk(stmt):
                _note(program, node, source)
    conditions = [requirement.cond for requirement in kernel.requires if requirement.cond is not None]
    for expr in (*(kernel.grid or ()), *(kernel.domain or ()), *conditions):
        program.dims |= {node.name for node in walk(expr) if isinstance(node, ir.DimRef)}
    program.dims.update(kernel.dims)
    _note_changes(program)
    for node in list(program.sources):
        if isinstance(node, ir.While) and _waits(node, program.seen_changed):
            program.waits.add(node)
    return program


def walk(node: ir.Node) -> Iterator[ir.Node]:
    """The node and what it holds, without declarations (locals, arrays, functions)."""
    yield node
    for name in _child_fields(type(node)):
        value = getattr(node, name)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, tuple):
                child = child[0]
            if isinstance(child, ir.Expr | ir.Stmt | ir.View | ir.Range):
                yield from walk(child)


@cache
def _child_fields(cls: type) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(cls) if f.name not in ("span", "comments", "trailing", "type"))


def _note(program: Program, node: ir.Node, source: Source) -> None:
    if source is not program.kernel.source or isinstance(node, ir.While):
        program.sources[node] = source
    match node:
        case ir.Load():
            _site(program, Site(node, source, "read"))
        case ir.Store():
            _site(program, Site(node, source, "write"))
        case ir.Atomic():
            _site(program, Site(node, source, "atomic", node.scope))
            program.has_fence |= node.order != "relaxed"
        case ir.DimRef():
            program.dims.add(node.name)
        case ir.Fence():
            program.has_fence = True
        case ir.Barrier(scope="grid"):
            program.has_grid_barrier = True
        case ir.Trust(ordered=ir.Array() as array):
            program.ordered[array] = node.reason


def _site(program: Program, site: Site) -> None:
    program.site_of[site.node] = len(program.sites)
    program.sites.append(site)


def _note_changes(program: Program) -> None:
    """Stores and atomics change their array, and a changed parameter of a function changes what calls pass for it."""
    for site in program.sites:
        if site.access != "read" and not (isinstance(site.node, ir.Atomic) and site.node.op == "load"):
            program.changed.add(site.node.array)
    passed = [
        pair for body in _bodies(program.kernel) for stmt in body for node in walk(stmt) for pair in _passed(node)
    ]
    _spread(program.changed, passed)
    program.seen_changed = set(program.changed)
    _spread(program.seen_changed, [(array, param) for param, array in passed])


def _spread(members: set[ir.Array], arrows: list[tuple[ir.Array, ir.Array]]) -> None:
    """Add what arrows lead to from members."""
    before = -1
    while before != len(members):
        before = len(members)
        members.update(end for start, end in arrows if start in members)


def _passed(node: ir.Node) -> list[tuple[ir.Array, ir.Array]]:
    """Array parameters of a function and the arrays that a call passes for them."""
    if not isinstance(node, ir.Call | ir.CallStmt) or not isinstance(node.callee, ir.Function):
        return []
    pairs = zip(node.callee.params, node.args, strict=True)
    return [(param, arg.array) for param, arg in pairs if isinstance(arg, ir.View) and isinstance(param, ir.ArrayParam)]


def _bodies(kernel: ir.Kernel) -> list[tuple[ir.Stmt, ...]]:
    return [kernel.body, *(function.body for function in kernel.functions)]


def _waits(loop: ir.While, changed: set[ir.Array]) -> bool:
    """May another thread end this loop: it holds an atomic, or a volatile read, or its condition reads what someone writes."""
    for node in walk(loop):
        if isinstance(node, ir.Atomic):
            return True
        if (
            isinstance(node, ir.CallStmt)
            and isinstance(node.callee, Intrinsic)
            and node.callee.effect is Effect.VOLATILE
        ):
            return True
    return any(
        isinstance(node, ir.Load) and node.array in changed for part in (*loop.pre, loop.cond) for node in walk(part)
    )

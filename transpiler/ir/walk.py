"""Generic traversal of surface and device trees.

In: any node. Out: its children, or all nodes below it, in source order. Fields that refer to declarations rather than own them
(a `Var`'s local, a `Load`'s array, a callee) are not children.
Non-goals: rewriting; passes build new trees by hand where they do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from typing import TypeVar

from transpiler.ir import device, surface

T = TypeVar("T")

_REFERENCES = frozenset(("var", "callee", "array", "target", "targets", "counter", "type", "ordered"))


@cache
def _owned_fields(cls: type, skip_references: bool) -> tuple[str, ...]:
    names = (f.name for f in fields(cls) if f.name not in ("span", "source"))
    return tuple(n for n in names if not (skip_references and n in _REFERENCES))


def _nodes(value: object, kind: type[T]) -> Iterator[T]:
    if isinstance(value, kind):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item, kind)


def surface_children(node: surface.Node) -> Iterator[surface.Node]:
    """The nodes directly below a surface node."""
    for name in _owned_fields(type(node), False):
        yield from _nodes(getattr(node, name), surface.Node)


def surface_walk(node: surface.Node) -> Iterator[surface.Node]:
    """A surface node and all nodes below it, parents first."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(list(surface_children(current))))


def target_names(target: surface.Expr) -> list[surface.Name]:
    """The names in the target of an assignment, from left to right."""
    if isinstance(target, surface.Name):
        return [target]
    if isinstance(target, surface.TupleExpr):
        return [name for item in target.items for name in target_names(item)]
    return []


def assigned_names(node: surface.Node) -> list[surface.Name]:
    """The names that a node itself (not what stands below it) gives a value."""
    match node:
        case surface.Assign():
            return [name for target in node.targets for name in target_names(target)]
        case surface.AnnAssign() | surface.AugAssign() | surface.For() | surface.Walrus():
            return target_names(node.target)
    return []


def children(node: device.Node) -> Iterator[device.Node]:
    """The nodes directly below a device node: operands, indices, statements of a body."""
    for name in _owned_fields(type(node), True):
        yield from _nodes(getattr(node, name), device.Node)


def walk(node: device.Node) -> Iterator[device.Node]:
    """A device node and all nodes below it, parents first."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(list(children(current))))


def statements(body: tuple[device.Stmt, ...]) -> Iterator[device.Stmt]:
    """All statements of a body, nested ones included, in source order."""
    for stmt in body:
        yield stmt
        for name in ("pre", "then", "body", "orelse"):
            yield from statements(getattr(stmt, name, ()))


def any_node(body: tuple[device.Stmt, ...], test: Callable[[device.Node], bool]) -> bool:
    """Whether some node of a body passes a test."""
    return any(test(node) for stmt in body for node in walk(stmt))

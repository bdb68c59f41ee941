"""Comparing surface trees.

In: two trees. Out: the path of the first difference, or None. Comments, which `ast` does not have, are left out on request;
so are spans and spellings of what stands inside f-strings, which are wrong in `ast` before Python 3.12.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from transpiler.ir import surface as s

COMMENTS = frozenset(["comments", "trailing", "closing_comments"])


def first_difference(left: Any, right: Any, skip: frozenset[str] = COMMENTS, path: str = "") -> str | None:
    if type(left) is not type(right):
        return f"{path}: {left!r} is not {right!r}"
    if isinstance(left, tuple):
        if len(left) != len(right):
            return f"{path}: {len(left)} items, not {len(right)}: {left!r}, {right!r}"
        pairs = [(f"{path}[{i}]", one, other) for i, (one, other) in enumerate(zip(left, right, strict=True))]
        return next(filter(None, (first_difference(one, other, skip, at) for at, one, other in pairs)), None)
    if isinstance(left, s.Node):
        names = [field.name for field in fields(left) if field.name not in skip and field.name != "source"]
        inside = skip | {"span", "text"} if isinstance(left, s.FString) else skip
        for name in names:
            deeper = inside if name == "parts" else skip
            found = first_difference(getattr(left, name), getattr(right, name), deeper, f"{path}.{name}")
            if found:
                return found
        return None
    return None if left == right else f"{path}: {left!r}, not {right!r}"


def module_difference(left: s.Module, right: s.Module) -> str | None:
    """The first difference of two modules: functions, constants, classes, imports."""
    if list(left.names) != list(right.names):
        return f"names: {list(left.names)}, not {list(right.names)}"
    for name, meaning in left.names.items():
        other = right.names[name]
        if isinstance(meaning, s.Opaque) and isinstance(other, s.Opaque):
            continue
        skip = COMMENTS | {"span"} if isinstance(meaning, s.DimDef | s.DTypeDef) else COMMENTS
        found = first_difference(meaning, other, skip, name)
        if found:
            return found
    return None

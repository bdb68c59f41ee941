"""Named constants of the source, by name in the C++.

In: `Const` nodes that stand for a module constant or a `Const` parameter. Out: an identifier for each (name, C++
type, value), and the `constexpr` definitions: those of the instance stand in its kernel, the others in the namespace
of the unit.
Non-goals: constants without a name, which are literals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from transpiler.emit.cpp_types import is_half
from transpiler.emit.names import legal
from transpiler.ir import device as d


@dataclass(slots=True)
class Constants:
    """The constants of one scope. What `instance` does not name belongs to `outer`, the unit's."""

    define: Callable[[d.Const], tuple[str, str]]
    """C++ type and literal of a constant."""
    outer: Constants | None = None
    instance: frozenset[str] = frozenset()
    definitions: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By identifier: C++ type and literal."""

    def name(self, const: d.Const) -> str | None:
        """The identifier of a constant, None for what is spelled out: infinities, and half types (never `constexpr`)."""
        if is_half(const.type) or (isinstance(const.value, float) and not math.isfinite(const.value)):
            return None
        if self.outer is not None and const.name not in self.instance:
            return self.outer.name(const)
        wanted = self.define(const)
        base = legal(const.name)
        for candidate in (base, f"{base}_{const.type}", *(f"{base}_{count}" for count in range(2, 1000))):
            if self.definitions.setdefault(candidate, wanted) == wanted:
                return candidate
        return None

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(f"constexpr {ctype} {name} = {value};" for name, (ctype, value) in self.definitions.items())

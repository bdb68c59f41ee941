"""The table of intrinsics: what each is called, how it is typed, written in C++, computed in NumPy and documented.

In: the entries of the modules of this folder. Out: `TABLE` by qualified name, `ALIASES` for other spellings of the
same function, `find` for both. Loads no NumPy: meanings are imported when they are first called.
Non-goals: what `check` knows by itself (`range`, `len`, `abs`, `min`, `max`, launch variables, shared arrays,
atomics, barriers).
"""

from __future__ import annotations

from transpiler.intrinsics import bits, block, clock, cuda_math, math, random, warp
from transpiler.intrinsics.aliases import ALIASES
from transpiler.intrinsics.entry import Effect, Intrinsic, Rule, Signature

MODULES = (math, cuda_math, bits, warp, block, random, clock)

TABLE: dict[str, Intrinsic] = {entry.name: entry for module in MODULES for entry in module.ENTRIES}


def find(name: str) -> Intrinsic | None:
    """The intrinsic of that qualified name, in any of its spellings."""
    return TABLE.get(ALIASES.get(name, name))


__all__ = ["ALIASES", "TABLE", "Effect", "Intrinsic", "Rule", "Signature", "find"]

"""Names of NumPy meanings that are imported when the simulator first calls them.

In: `meaning("floats.sqrt")`, written in table entries. Out: a callable that imports
`transpiler.intrinsics.meaning_floats` and calls `sqrt` of it. So the table loads without NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Meaning:
    """A function of a `meaning_*` module, with leading arguments that are fixed in the entry."""

    path: str
    leading: tuple[Any, ...] = ()

    @cached_property
    def function(self) -> Any:
        module, name = self.path.split(".")
        return getattr(import_module(f"transpiler.intrinsics.meaning_{module}"), name)

    def __call__(self, *args: Any) -> Any:
        return self.function(*self.leading, *args)


def meaning(path: str, *leading: Any) -> Meaning:
    return Meaning(path, leading)

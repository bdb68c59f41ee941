"""Device code that units need beside their kernels: the files of `templates/device`, each pasted once and only if used.

In: names of files, as the printer meets their functions. Out: their text, those that they build on first, and the
CUDA headers that they include. A file says what it builds on in lines `// uses: other.cuh`.
Non-goals: deciding which helper an operation needs.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from transpiler.records import record

_USES = re.compile(r"^// uses: (\S+)\n", re.MULTILINE)
_INCLUDE = re.compile(r"^#include <(\S+)>\n", re.MULTILINE)
_DEFINED = re.compile(r"^(?:__device__|struct)\b[^\n(]*?\b(\w+)(?= *[({])", re.MULTILINE)
_NAMESPACE = re.compile(r"^namespace (\w+)", re.MULTILINE)


@record
class Helper:
    name: str
    text: str
    uses: tuple[str, ...]
    includes: tuple[str, ...]
    identifiers: frozenset[str]


@cache
def load(name: str) -> Helper:
    raw = (files("transpiler.templates") / "device" / name).read_text("utf-8")
    text = _INCLUDE.sub("", _USES.sub("", raw)).replace("#pragma once\n", "").strip()
    identifiers = frozenset(_DEFINED.findall(text)) if "namespace " not in text else frozenset(_NAMESPACE.findall(text))
    return Helper(name, text, tuple(_USES.findall(raw)), tuple(_INCLUDE.findall(raw)), identifiers)


class Helpers:
    """Collects the helpers of one unit in order of first use, which is a fixed order: that of the source."""

    def __init__(self) -> None:
        self._used: dict[str, Helper] = {}
        self.includes: dict[str, None] = {}

    def use(self, name: str) -> None:
        if name in self._used:
            return
        helper = load(name)
        for other in helper.uses:
            self.use(other)
        self._used[name] = helper
        for header in helper.includes:
            self.include(header)

    def include(self, header: str) -> None:
        """Ask for a header of the CUDA toolkit."""
        self.includes[header] = None

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(helper.text for helper in self._used.values())


@cache
def reserved() -> frozenset[str]:
    """What the helpers define at the scope of the unit: names that locals must not hide."""
    folder = files("transpiler.templates") / "device"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".cuh"))
    return frozenset(identifier for name in names for identifier in load(name).identifiers)

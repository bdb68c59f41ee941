"""Device code that units need beside their kernels: definitions from the files of `templates/device`, only those that are used.

In: names of files, as the printer meets their functions; in the end the text that calls them. Out: the definitions that the text
reaches, each once, and the CUDA headers that they include. A file says what it builds on in lines `// uses: other.cuh`; its
first comment is about the whole file, a comment behind that about the definition under it.
Non-goals: deciding which helper an operation needs.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from transpiler.records import record

_USES = re.compile(r"^// uses: (\S+)\n", re.MULTILINE)
_INCLUDE = re.compile(r"^#include <(\S+)>\n", re.MULTILINE)
_NAMESPACE = re.compile(r"^namespace (\w+) \{$")
_TEMPLATE = re.compile(r"\btemplate\s*<[^<>]*>")
_DEFINED = re.compile(r"\b(?:struct|union|class)\s+(\w+)|(operator\s*\W+|\w+)\s*\(")
_SCOPED = re.compile(r"\b(atomicCAS|atomic_cell|atomic_update|atomic_compare_exchange)\b(?!\.cuh)")
"""What `name.cuh@system` spells with that suffix."""
_WORD = re.compile(r"[A-Za-z_]\w*")


@record
class Definition:
    """A function, a struct or one overload or specialisation of them, with the comment above it."""

    name: str
    text: str
    words: frozenset[str]


@record
class Helper:
    name: str
    comment: str
    namespace: str
    definitions: tuple[Definition, ...]
    uses: tuple[str, ...]
    includes: tuple[str, ...]

    @property
    def identifiers(self) -> frozenset[str]:
        """What it defines at the scope of the unit."""
        return frozenset({self.namespace} if self.namespace else {d.name for d in self.definitions})


@cache
def load(name: str) -> Helper:
    file, _, scope = name.partition("@")
    raw = (files("transpiler.templates") / "device" / file).read_text("utf-8")
    if scope:
        raw = _SCOPED.sub(rf"\1_{scope}", raw)
    lines = _INCLUDE.sub("", _USES.sub("", raw)).strip().split("\n")
    comment = _take_comment(lines)
    namespaces = [match[1] for line in lines if (match := _NAMESPACE.match(line))]
    body = [line for line in lines if not _NAMESPACE.match(line) and not line.startswith("}  // namespace")]
    return Helper(
        name,
        "\n".join(comment),
        namespaces[0] if namespaces else "",
        _definitions(body),
        tuple(_USES.findall(raw)),
        tuple(_INCLUDE.findall(raw)),
    )


def _take_comment(lines: list[str]) -> list[str]:
    out = []
    while lines and lines[0].startswith("//"):
        out.append(lines.pop(0))
    return out


def _definitions(lines: list[str]) -> tuple[Definition, ...]:
    """Cut at the lines where every brace is closed again."""
    out: list[Definition] = []
    pending: list[str] = []
    depth = 0
    for line in lines:
        if not line.strip() and depth == 0:
            continue
        pending.append(line)
        depth += line.count("{") - line.count("}")
        if depth == 0 and line.rstrip().endswith(("}", ";")):
            out.append(_definition("\n".join(pending)))
            pending = []
    return tuple(out)


def _definition(text: str) -> Definition:
    code = re.sub(r"//.*", "", text)
    match = _DEFINED.search(_TEMPLATE.sub("", code))
    name = (match[1] or match[2]) if match else text
    return Definition(name, text, frozenset(_WORD.findall(code)))


class Helpers:
    """Collects the helper files of one unit in order of first use, which is a fixed order: that of the source."""

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

    def texts(self, callers: str) -> tuple[str, ...]:
        """The definitions that `callers` reaches, by file."""
        reached = self._reached(frozenset(_WORD.findall(callers)))
        out = []
        for helper in self._used.values():
            kept = [d.text for d in helper.definitions if d.name in reached]
            if not kept:
                continue
            body = "\n".join(kept)
            if helper.namespace:
                body = f"namespace {helper.namespace} {{\n\n{body}\n\n}}  // namespace {helper.namespace}"
            out.append(f"{helper.comment}\n{body}" if helper.comment else body)
        return tuple(out)

    def _reached(self, words: frozenset[str]) -> set[str]:
        definitions = [d for helper in self._used.values() for d in helper.definitions]
        reached: set[str] = set()
        waiting = set(words)
        while waiting:
            reached |= waiting
            waiting = {w for d in definitions if d.name in waiting for w in d.words} - reached
        return reached


RESERVED = frozenset(
    """
    atomic_add_op atomic_and_op atomic_cell atomic_compare_exchange atomic_dec_op atomic_exch_op atomic_inc_op
    atomic_load atomic_max_op atomic_min_op atomic_or_op atomic_store atomic_sub_op atomic_update atomic_word
    atomic_xor_op cubed end_thread float_to_int floor_div floor_mod in_bounds integer_power intrinsic lane_id
    python_max python_min record_failure same_bits shift_left squared value_equal value_greater
    value_greater_equal value_less value_less_equal value_not_equal wrapping_abs wrapping_add wrapping_mul
    wrapping_sub
    """.split()  # noqa: SIM905
)
"""What all helpers define at the scope of the unit, spelled out so that no command reads them all; a test compares."""


def reserved() -> frozenset[str]:
    """Names that locals must not hide."""
    return RESERVED

"""THE table of diagnostic codes.

Families: E01 syntax, E02 names and types, E03 races and ownership, E04 barriers and divergence, E05 bounds and arithmetic,
E06 tiles, E07 target, E08 launch contract, E09 build; W01 to W09 likewise for warnings. Every code has a page in `explain/`,
shown by `transpile explain CODE`, and a test.

Non-goals: the words of one finding, which its pass writes.
"""

from __future__ import annotations

from dataclasses import dataclass

_FAMILY_KIND = {
    "01": "syntax",
    "02": "type",
    "04": "divergence",
    "06": "tile",
    "07": "target",
    "08": "launch",
}


@dataclass(frozen=True, slots=True)
class Code:
    code: str
    title: str
    kind: str


def _table(*rows: tuple[str, str] | tuple[str, str, str]) -> dict[str, Code]:
    """Rows are (code, title) or (code, title, kind); families 03 and 05 name their kind, the others have one."""
    table: dict[str, Code] = {}
    for code, title, *kind in rows:
        assert code not in table, code
        table[code] = Code(code, title, kind[0] if kind else _FAMILY_KIND.get(code[1:3], "other"))
    return table


CODES: dict[str, Code] = _table(
    # E01 syntax
    ("E0101", "not valid syntax"),
    # E02 names and types
    # E03 races and ownership
    ("E0301", "two threads of a block race in global memory", "race-global"),
    ("E0302", "threads of two blocks race in global memory", "race-global"),
    ("E0303", "two threads race in shared memory", "race-shared"),
    ("E0304", "an In parameter is written", "ownership"),
    ("E0305", "an Out parameter is read before it is written", "ownership"),
    ("E0306", "an Atomic parameter is touched by a plain access", "ownership"),
    ("E0307", "uninitialised memory is read", "uninitialised"),
    ("E0309", "cannot show that no race occurs", "race-global"),
    # E04 barriers and divergence
    ("E0401", "a barrier under divergent control flow", "divergence"),
    ("E0402", "a warp collective under divergent control flow", "divergence"),
    ("E0409", "cannot show that a barrier is uniform", "divergence"),
    # E05 bounds and arithmetic
    ("E0501", "an access out of bounds", "out-of-bounds"),
    ("E0502", "an index integer does not fit its destination", "overflow"),
    ("E0503", "a division by zero", "arithmetic"),
    ("E0504", "a shift outside the width", "arithmetic"),
    ("E0509", "cannot show that an access is in bounds", "out-of-bounds"),
)

"""All rows together.

In: the modules `rows_*`. Out: cases, refusals, and the files that test what needs more than a kernel text.
"""

from __future__ import annotations

from tests.traps import rows_assignment, rows_control, rows_gpu, rows_names, rows_numbers
from tests.traps.harness import Case, Refused

ROWS: tuple[Case | Refused, ...] = (
    *rows_numbers.ROWS,
    *rows_control.ROWS,
    *rows_assignment.ROWS,
    *rows_names.ROWS,
    *rows_gpu.ROWS,
)
CASES: tuple[Case, ...] = tuple(row for row in ROWS if isinstance(row, Case))
REFUSED: tuple[Refused, ...] = tuple(row for row in ROWS if isinstance(row, Refused))
ELSEWHERE: dict[int, tuple[str, ...]] = {**rows_names.ELSEWHERE, **rows_gpu.ELSEWHERE}
"""Row to test files."""

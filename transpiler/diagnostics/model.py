"""What we tell a user: one record for a finding, whatever shows it.

In: a code of the table in `codes`, a span, words. Out: `Diagnostic`, immutable data with no idea of how it is shown.
Non-goals: rendering (`render`), JSON and SARIF (`machine`), collecting state: passes return lists of diagnostics.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from transpiler.diagnostics.codes import CODES
from transpiler.records import record
from transpiler.source import Source, Span


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@record
class Label:
    """A secondary span: because of this."""

    span: Span
    message: str


@record
class Thread:
    """One of the threads of a witness: block and thread index in x, y, z order, the line and what it does there."""

    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    line: int
    access: str
    """`"read"`, `"write"`, `"atomic"`, `"barrier"` or `"collective"`."""


@record
class Witness:
    """A launch, and what goes wrong in it: what `transpile simulate --witness` replays.

    `launch` holds `grid`, `block` (x, y, z), `scalars`, `shapes` by parameter, and `data` (leading elements, or one number
    that fills the array) where the contents of arrays matter.
    """

    launch: dict[str, Any]
    threads: tuple[Thread, ...]
    array: str | None = None
    index: tuple[int, ...] | None = None
    interval: str | None = None


@record
class Edit:
    """Puts `text` in the place of a span; an empty span is a place to insert at."""

    span: Span
    text: str


@record
class Fix:
    """A change of the text that mends a finding. Edits do not overlap."""

    title: str
    edits: tuple[Edit, ...]

    def applied(self, text: str) -> str:
        """The text with the change made; of two edits at one place the first comes first."""
        for edit in sorted(reversed(self.edits), key=lambda e: e.span.start, reverse=True):
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        return text


@record(kw_only=True)
class Diagnostic:
    """One finding. `span` says what is wrong here, `labels` because of what, `help` and `fixes` what would mend it."""

    code: str
    message: str
    source: Source
    span: Span
    labels: tuple[Label, ...] = ()
    help: str | None = None
    lines: tuple[int, ...] = ()
    """The lines that take part (two accesses of a race, a barrier); empty means the line of `span`."""
    witness: Witness | None = None
    proposals: tuple[Fix, ...] = ()
    """Changes of `source` that may help, the best first: for `repair` to try, not to be shown."""
    fixes: tuple[Fix, ...] = ()
    """Those that were tried and help."""

    @property
    def severity(self) -> Severity:
        return Severity.WARNING if self.code.startswith("W") else Severity.ERROR

    @property
    def kind(self) -> str:
        return CODES[self.code].kind

    @property
    def all_lines(self) -> tuple[int, ...]:
        return self.lines or (self.source.line(self.span.start),)

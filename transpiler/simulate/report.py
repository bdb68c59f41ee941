"""What a simulated launch found.

In: findings of the machine, one call each. Out: `Report` with diagnostics of the same kind as the static checks give.
Of findings that have the same code and the same lines the first is kept and the rest are counted.
Non-goals: finding them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from transpiler.diagnostics.model import Diagnostic, Label, Thread, Witness
from transpiler.simulate.lanes import Launch, Triple
from transpiler.source import Source, Span


@dataclass(slots=True)
class Report:
    """`statements` counts thread-statements: one for each statement and each thread that executes it."""

    diagnostics: list[Diagnostic]
    occurrences: list[int]
    """How often each diagnostic occurred, in the order of `diagnostics`."""
    printed: str = ""
    statements: int = 0
    steps: int = 0
    """Statements that lanes executed together: what a run costs where lanes are few."""
    blocks: int = 0
    threads: int = 0
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return not any(d.severity.value == "error" for d in self.diagnostics)

    def codes(self) -> set[str]:
        return {d.code for d in self.diagnostics}


@dataclass(frozen=True, slots=True)
class Actor:
    """A thread, where in the source it is and what it does there."""

    thread: int
    """Launch-wide number."""
    source: Source
    span: Span
    access: str

    @property
    def line(self) -> int:
        return self.source.line(self.span.start)


@dataclass(slots=True)
class Findings:
    """Collects diagnostics of one launch."""

    launch: Launch
    description: dict[str, Any]
    """The launch as a witness tells it."""
    _found: dict[tuple[Any, ...], tuple[Diagnostic, list[int]]] = field(default_factory=dict)

    def known(self, code: str, *spans: Span) -> bool:
        """Is there such a finding already (then it need not be worded again: call `again`)."""
        return (code, *spans) in self._found

    def again(self, times: int, code: str, *spans: Span) -> None:
        self._found[(code, *spans)][1][0] += times

    def add(
        self,
        code: str,
        message: str,
        actors: Sequence[Actor],
        *,
        labels: tuple[Label, ...] = (),
        help: str | None = None,
        array: str | None = None,
        index: tuple[int, ...] | None = None,
        interval: str | None = None,
        both_lines: bool = True,
        times: int = 1,
    ) -> None:
        """`actors[0]` stands at the primary span. `both_lines`: the line of the other one takes part as well."""
        first = actors[0]
        key = (code, *(a.span for a in actors))
        if key in self._found:
            self._found[key][1][0] += times
            return
        lines = tuple(sorted(a.line for a in actors)) if len(actors) > 1 and both_lines else ()
        witness = Witness(self.description, tuple(self._thread(a) for a in actors), array, index, interval)
        diagnostic = Diagnostic(
            code=code,
            message=message,
            source=first.source,
            span=first.span,
            labels=labels,
            help=help,
            lines=lines,
            witness=witness,
        )
        self._found[key] = (diagnostic, [times])

    def _thread(self, actor: Actor) -> Thread:
        block, thread = self.launch.thread_at(actor.thread)
        return Thread(block, thread, actor.line, actor.access)

    def name(self, thread: int) -> str:
        """How a message names a thread: axes that the launch does not use are left out."""
        block, index = self.launch.thread_at(thread)
        return f"thread {_short(index, self.launch.block)} of block {_short(block, self.launch.grid)}"

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return [d for d, _ in self._found.values()]

    @property
    def occurrences(self) -> list[int]:
        return [times[0] for _, times in self._found.values()]


def _short(index: Triple, extents: Triple) -> str:
    used = max((axis + 1 for axis in range(3) if extents[axis] > 1), default=1)
    return str(index[0]) if used == 1 else str(index[:used])


def shown(value: Any) -> str:
    """A value as a message shows it: Python's shortest text for its type."""
    text = str(value.item() if getattr(value, "dtype", None) is not None and value.dtype.kind in "biu" else value)
    return text

"""Exceptions that reach a user of the Python interface. Everything else that a user did wrong is a returned diagnostic.

In: diagnostics. Out: exceptions whose text is their short form (code, message, place, help).
Non-goals: carets and colours (`diagnostics.render`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.diagnostics.model import Diagnostic


def short_text(diagnostic: Diagnostic) -> str:
    """`E0805: message`, where it stands, and the help line."""
    place = f"{diagnostic.source.path}:{diagnostic.source.line(diagnostic.span.start)}"
    lines = [f"{diagnostic.code}: {diagnostic.message}", f"  at {place}"]
    if diagnostic.help:
        lines.append(f"  help: {diagnostic.help}")
    return "\n".join(lines)


class CompileError(Exception):
    """A kernel that the compiler refuses; `diagnostics` says why."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(map(short_text, self.diagnostics)))

    def __reduce__(self) -> tuple[type[CompileError], tuple[tuple[Diagnostic, ...]]]:
        return CompileError, (self.diagnostics,)


class SimulationError(Exception):
    """A simulated run that found faults; `diagnostics` holds them."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(map(short_text, self.diagnostics)))

    def __reduce__(self) -> tuple[type[SimulationError], tuple[tuple[Diagnostic, ...]]]:
        return SimulationError, (self.diagnostics,)


class LaunchError(ValueError, TypeError):
    """A launch that was refused: nothing has run. `diagnostic` holds the E08 code, the parameter's place and the fix."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(short_text(diagnostic))

    def __reduce__(self) -> tuple[type[LaunchError], tuple[Diagnostic]]:
        return LaunchError, (self.diagnostic,)

    @property
    def code(self) -> str:
        return self.diagnostic.code


class DeviceError(RuntimeError):
    """CUDA reported an error that belongs to the launch named in the text."""

"""The exception of a refused launch, made in one place.

In: the program (or kernel instance) and a parameter's name, a code, words. Out: a `LaunchError` whose diagnostic points at
the parameter in the kernel's file.
Non-goals: deciding; every check of the launch does that itself and raises what this makes.
"""

from __future__ import annotations

from typing import Protocol

from transpiler.diagnostics.model import Diagnostic
from transpiler.errors import LaunchError
from transpiler.source import Source, Span


class Named(Protocol):
    """What a refusal needs of a kernel: `Program` and `device.Kernel` both have it."""

    @property
    def name(self) -> str: ...
    @property
    def source(self) -> Source: ...
    @property
    def span(self) -> Span: ...


def refusal(
    kernel: Named, code: str, message: str, *, span: Span | None = None, help: str | None = None, launch: bool = True
) -> LaunchError:
    """`LaunchError` that names the kernel; `span` is the parameter's or condition's, else the kernel's."""
    text = f"launch of `{kernel.name}` refused: {message}" if launch else message
    return LaunchError(Diagnostic(code=code, message=text, source=kernel.source, span=span or kernel.span, help=help))

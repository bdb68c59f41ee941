"""Options and choices that several commands share.

In: text from the command line. Out: values, or usage errors that say what is expected.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from transpiler.cli import _work
from transpiler.cli.console import show
from transpiler.source import Source

if TYPE_CHECKING:
    from transpiler.pipeline import KernelReport

Dim3 = tuple[int, int, int]
Command = TypeVar("Command", bound=Callable[..., Any])


class _Dims(click.ParamType):
    """`256`, `32,8` or `8,8,4`: x, y, z; what is left out is 1 (0 for the place of a thread, whose default says so)."""

    name = "x[,y[,z]]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Dim3:
        if isinstance(value, tuple):
            return value
        words = str(value).strip("()").split(",")
        fill = 0 if param is not None and param.default == (0, 0, 0) else 1
        try:
            extents = [int(word) for word in words]
        except ValueError:
            extents = []
        if not 1 <= len(extents) <= 3 or any(extent < fill for extent in extents):
            self.fail(f"{value!r} is not one to three integers, x,y,z", param, ctx)
        x, y, z = (*extents, fill, fill)[:3]
        return x, y, z


dims = _Dims()


class _Arch(click.ParamType):
    """`sm_90`, `sm_90a`."""

    name = "sm_XX"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not re.fullmatch(r"sm_\d{2,3}[af]?", str(value)):
            self.fail(f"{value!r} is no architecture such as sm_90", param, ctx)
        return str(value)


class _Archs(click.ParamType):
    """`sm_90` or `sm_80,sm_90`."""

    name = "sm_XX[,...]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        return tuple(dict.fromkeys(arch_type.convert(word.strip(), param, ctx) for word in str(value).split(",")))


arch_type, archs_type = _Arch(), _Archs()


def launch_options(command: Command) -> Command:
    """--kernel, --grid, --block and --set."""
    for option in (
        click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Choose a dim or a scalar."),
        click.option("--block", type=dims, help="Threads of a block, in place of the decorator's."),
        click.option("--grid", type=dims, help="Blocks of the grid, in place of the decorator's."),
        click.option("--kernel", "kernel_name", metavar="NAME", help="Which kernel, where FILE has several."),
    ):
        command = option(command)
    return command


def numbers(settings: tuple[str, ...]) -> dict[str, int | float]:
    """`("N=64", "a=0.5")` as a mapping."""
    found: dict[str, int | float] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        try:
            found[name.strip()] = (
                int(text, 0) if text.strip().lstrip("-")[:1].isdigit() and "." not in text else float(text)
            )
        except ValueError:
            equals = ""
        if not equals or not name.strip().isidentifier():
            raise click.UsageError(f"--set takes NAME=NUMBER, not {setting!r}")
    return found


def only_source(file: str) -> Source:
    """The text of the one FILE of a command; what cannot be read ends it with status 2."""
    (source,) = _work.load([file])
    if isinstance(source, _work.NoReport):
        show(source.diagnostics)
        raise click.exceptions.Exit(2)
    return source


def choose_kernel(source: Source, name: str | None) -> KernelReport:
    """The named kernel of a file, or its only one; errors in it, other than what the prover finds, end the command."""
    report = _work.check(source)
    named = [k for k in report.kernels if name is None or k.name == name]
    names = list(dict.fromkeys(k.name for k in report.kernels))
    if any(d.severity.value == "error" for d in report.diagnostics):
        show(report.diagnostics)
        raise click.exceptions.Exit(1)
    if not names:
        raise click.UsageError(f"{source.path}:1:1: no @kernel here")
    if not named:
        raise click.UsageError(f"{source.path} has no kernel {name!r}; it has {', '.join(names)}")
    if name is None and len(names) > 1:
        raise click.UsageError(f"{source.path} has {len(names)} kernels; choose one with --kernel: {', '.join(names)}")
    if named[0].kernel is None:
        show(named[0].diagnostics)
        raise click.exceptions.Exit(1)
    return named[0]

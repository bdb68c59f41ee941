"""`transpile bench FILE`: how long its kernels take on the GPU, on made-up data."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import click

from transpiler.cli import _work
from transpiler.cli.console import echo, show
from transpiler.cli.options import Dim3, choose_kernel, launch_options, numbers, only_source
from transpiler.cli.simulate import make_up
from transpiler.source import Source

if TYPE_CHECKING:
    from transpiler.cli.data import MadeUp
    from transpiler.pipeline import KernelReport
    from transpiler.runtime.bound import Bound

SIDE = {1: 1 << 22, 2: 1 << 11, 3: 1 << 7}
"""Extents to try first by the highest rank of an array: millions of elements, so that memory decides and not the launch."""


@click.command("bench")
@click.argument("file", type=click.Path())
@launch_options
@click.option("--runs", type=click.IntRange(1), default=100, show_default=True, help="Runs of each kernel.")
def command(
    file: str, kernel_name: str | None, grid: Dim3 | None, block: Dim3 | None, settings: tuple[str, ...], runs: int
) -> int:
    """Measure the kernels of FILE, or one of them, by CUDA events.

    Medians, with the cache flushed before each run, kernels taking turns; microseconds, and GB/s if each element of the
    arrays is touched once. --set N=1000000 chooses sizes. Exit status 2 without a GPU: the simulator's time says nothing.
    """
    source = only_source(file)
    reports = _chosen(source, kernel_name)
    if any(report.verdict != "proved" for report in reports):
        show(d for report in reports for d in report.diagnostics)
        return 1
    why_not = _work.no_gpu()
    if why_not is not None:
        echo(f"no GPU ({why_not}): nothing is measured", err=True)
        return 2
    launches = [large(report, numbers(settings), grid, block) for report in reports]
    own = all(r.kernel is not None and (r.kernel.grid or r.kernel.domain) for r in reports)
    return _measure(source, reports, launches, grid is not None or block is not None or not own, runs)


def _chosen(source: Source, name: str | None) -> list[KernelReport]:
    """The named kernel, or each of the file; of a generic one its first instance."""
    names = [name] if name is not None else list(dict.fromkeys(k.name for k in _work.check(source).kernels))
    return [choose_kernel(source, each) for each in names or [None]]


def large(report: KernelReport, fixed: dict[str, int | float], grid: Dim3 | None, block: Dim3 | None) -> MadeUp:
    """Arrays of millions of elements where the contract allows; else what `run` makes up."""
    assert report.kernel is not None
    ranks = [getattr(p, "rank", 0) for p in report.kernel.params]
    side = SIDE.get(max(ranks, default=0))
    if side is not None and grid is None:
        try:
            return make_up(report, {**dict.fromkeys(report.kernel.dims, side), **fixed}, grid, block)
        except click.UsageError:
            pass  # a dim with a size of its own: the contract decides
    return make_up(report, fixed, grid, block)


def _measure(source: Source, reports: list[KernelReport], launches: list[MadeUp], configured: bool, runs: int) -> int:
    from transpiler.errors import CompileError, DeviceError, LaunchError
    from transpiler.testing import do_bench

    try:
        bound = [_bind(source, r, made, configured) for r, made in zip(reports, launches, strict=True)]
        found = do_bench(*bound, runs=runs)
    except (CompileError, LaunchError, DeviceError, IndexError) as error:
        echo(f"error: {error}", err=True)
        return 1
    for report, made, timing in zip(reports, launches, found if isinstance(found, tuple) else (found,), strict=True):
        chosen = "".join(f", {name} = {value}" for name, value in made.numbers.items())
        echo(f"{report.name}: {timing}; grid {made.grid}, block {made.block}{chosen}")
    return 0


def _bind(source: Source, report: KernelReport, made: MadeUp, configured: bool) -> Bound:
    """The launch, bound; the file itself is not executed."""
    from transpiler.runtime.bound import Bound
    from transpiler.runtime.instances import Instances
    from transpiler.runtime.launch import Launcher
    from transpiler.runtime.plan import Configuration
    from transpiler.runtime.program import FileProgram
    from transpiler.runtime.session import session

    here = session()
    driver = here.shared.driver
    program = FileProgram.read(source, report.name)
    launcher = Launcher(program, here.shared, Instances(driver, here.build), here.checker)
    consts = {p.name for p in program.parameters if p.is_const}
    named: dict[str, Any] = {n: ast.literal_eval(text) for n, text in report.instance if n in consts}
    named |= {n: driver.to_device(v) if hasattr(v, "shape") else v for n, v in made.arguments.items()}
    lane = launcher.lane(Configuration(made.grid, made.block) if configured else Configuration())
    return Bound(launcher, launcher.bind_arguments((), named), lane, None)

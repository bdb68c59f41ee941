"""`transpile simulate FILE`: one kernel in the simulator, on made-up data or on the launch of a witness."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from transpiler.cli.console import echo, plural, show
from transpiler.cli.files import Unreadable
from transpiler.cli.options import Dim3, choose_kernel, dims, launch_options, numbers, only_source
from transpiler.diagnostics import Witness

if TYPE_CHECKING:
    from transpiler.cli.data import MadeUp
    from transpiler.ir import device
    from transpiler.pipeline import KernelReport
    from transpiler.simulate import Report


@click.command("simulate")
@click.argument("file", type=click.Path())
@launch_options
@click.option("--witness", type=click.Path(), help="Replay a witness: its JSON, or the JSON of `check` that holds one.")
@click.option("--step", is_flag=True, help="Walk one thread, statement by statement, with its variables.")
@click.option("--at-block", type=dims, default=(0, 0, 0), help="Block of the thread that --step walks: x,y,z.")
@click.option("--at-thread", type=dims, default=(0, 0, 0), help="Index of that thread in its block: x,y,z.")
def command(
    file: str,
    kernel_name: str | None,
    grid: Dim3 | None,
    block: Dim3 | None,
    settings: tuple[str, ...],
    witness: str | None,
    step: bool,
    at_block: Dim3,
    at_thread: Dim3,
) -> int:
    """Run a kernel of FILE in the simulator, which reports races, divergence, accesses out of bounds.

    Sizes and contents are made up so that they meet the contract; --set N=64 chooses a dim or a scalar. Exit status 1 if
    something was found.
    """
    source = only_source(file)
    if witness is not None:
        told, name = read_witness(witness)
        return replay(choose_kernel(source, kernel_name or name), told)
    report = choose_kernel(source, kernel_name)
    made_up = make_up(report, numbers(settings), grid, block)
    assert report.kernel is not None
    if step:
        return walk(report.kernel, made_up, at_block, at_thread)
    return simulated(report.kernel, made_up)


def make_up(report: KernelReport, fixed: Mapping[str, int | float], grid: Dim3 | None, block: Dim3 | None) -> MadeUp:
    """A launch that meets the contract; that of a kernel which is not proved is only what it says itself."""
    from transpiler.cli import data

    assert report.kernel is not None
    contract = report.contract if report.verdict == "proved" else ()
    try:
        return data.make_up(report.kernel, contract, fixed=fixed, grid=grid, block=block)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def simulated(kernel: device.Kernel, launch: MadeUp) -> int:
    """Run a kernel on a made-up launch, and show what it found and computed."""
    from transpiler.simulate import simulate

    chosen = "".join(f", {name} = {value}" for name, value in launch.numbers.items())
    echo(f"simulating {kernel.name}: grid {launch.grid}, block {launch.block}{chosen}")
    report = simulate(kernel, launch.arguments, grid=launch.grid, block=launch.block)
    status = show_findings(report)
    for parameter in kernel.params:
        if getattr(parameter, "ownership", "in") != "in":
            echo(f"{parameter.name} = {summary(launch.arguments[parameter.name])}")
    return status


def show_findings(report: Report) -> int:
    """What the kernel printed, what was found, how much ran."""
    if report.printed:
        echo(report.printed.rstrip("\n"))
    show(report.diagnostics, err=False)
    ran = f"{plural(report.blocks, 'block')}, {plural(report.threads, 'thread')}, {plural(report.statements, 'statement')}"
    found = plural(len(report.diagnostics), "finding") if report.diagnostics else "nothing found"
    echo(f"{found}: {ran} in {report.seconds * 1000:.0f} ms")
    return 0 if report.ok else 1


def summary(array: Any) -> str:
    """The leading elements of an array, its dtype and shape."""
    import numpy

    text = numpy.array2string(array, threshold=8, edgeitems=3, precision=6)
    return f"{' '.join(text.split())} {array.dtype}{array.shape}"


# --- witness ----------------------------------------------------------------------------------------------


def read_witness(path: str) -> tuple[Witness, str | None]:
    """The witness in a file, and the kernel that it belongs to where the file says so."""
    from transpiler.diagnostics.machine import witness_from_json

    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        found, name = _first_witness(data) if isinstance(data, dict) and "files" in data else (data, None)
        return witness_from_json(found), name
    except OSError as error:
        raise Unreadable(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:  # JSON's errors, too
        raise Unreadable(f"{path} holds no witness: {error}") from None


def _first_witness(data: Any) -> tuple[Any, str | None]:
    try:
        for file in data["files"]:
            for kernel in file["kernels"]:
                for diagnostic in kernel["diagnostics"]:
                    if diagnostic["witness"]:
                        return diagnostic["witness"], kernel["name"]
    except (TypeError, KeyError) as error:
        raise ValueError(f"it is no output of `check` ({error})") from None
    raise ValueError("no finding in it has one")


def replay(report: KernelReport, witness: Witness) -> int:
    """Run the launch of a witness, and say whether it shows what the witness says."""
    from transpiler.simulate import simulate_witness

    assert report.kernel is not None
    replayed = simulate_witness(report.kernel, witness)
    status = show_findings(replayed.report)
    echo("the witness is confirmed" if replayed.confirmed else "the witness is not confirmed")
    return status


# --- step -------------------------------------------------------------------------------------------------


def walk(kernel: device.Kernel, launch: MadeUp, at_block: Dim3, at_thread: Dim3) -> int:
    """Show the statements that one thread executes; on a terminal each waits for Enter, and `q` ends the walk."""
    from transpiler.simulate import Report, trace

    try:
        steps = trace(
            kernel, launch.arguments, grid=launch.grid, block=launch.block, at_block=at_block, at_thread=at_thread
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if isinstance(steps, Report):
        return show_findings(steps)
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    for step in steps:
        variables = ", ".join(f"{name} = {value}" for name, value in step.variables.items())
        echo(f"{step.line:>5}  {step.text}" + (f"\n       {variables}" if variables else ""))
        if interactive and click.prompt("", default="", show_default=False, prompt_suffix="").strip() == "q":
            break
    return 0

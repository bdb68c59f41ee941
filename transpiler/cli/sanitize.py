"""`transpile sanitize FILE`: its `main()`, or one kernel on made-up data, under the tools of NVIDIA's compute-sanitizer.

The kernels are built with line information, so that what the tools find speaks of lines of the Python file.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import click

from transpiler.cli import _work
from transpiler.cli.console import echo, styled
from transpiler.cli.options import Dim3, launch_options, only_source
from transpiler.cli.program import NO_MAIN

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
FINDINGS = 86
"""Exit status where a tool found something; no program of its own is likely to end with it."""

_COUNT = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)")
_NOISE = re.compile(
    r"^=+ (?:COMPUTE-SANITIZER|(?:ERROR|RACECHECK|LEAK) SUMMARY.*)?$|^=+\s+(?:Saved host backtrace|Host Frame).*"
)


@click.command("sanitize")
@click.argument("file", type=click.Path())
@launch_options
@click.option(
    "--tool", "tools", multiple=True, type=click.Choice(TOOLS), help="One of the four tools; all unless given."
)
def command(
    file: str,
    kernel_name: str | None,
    grid: Dim3 | None,
    block: Dim3 | None,
    settings: tuple[str, ...],
    tools: tuple[str, ...],
) -> int:
    """Run FILE as `run` does, once under each tool of compute-sanitizer.

    Exit status: 0 nothing found, 86 findings, 1 the program failed by itself, 2 there is no GPU or no compute-sanitizer.
    """
    only_source(file)
    sanitizer = _found()
    if sanitizer is None:
        echo(
            "compute-sanitizer is not installed: it is part of the CUDA toolkit (Debian and Ubuntu: apt-get install",
            err=True,
        )
        echo("cuda-sanitizer-12-9 from NVIDIA's repository), and is looked for on PATH and under CUDA_HOME", err=True)
        return 2
    why_not = _work.no_gpu()
    if why_not is not None:
        echo(
            f"no GPU ({why_not}): there is nothing to sanitize; `transpile simulate` finds races without one", err=True
        )
        return 2
    program = _program(file, kernel_name, grid, block, settings)
    statuses = [_run(sanitizer, tool, program, file) for tool in tools or TOOLS]
    return FINDINGS if FINDINGS in statuses else max(statuses)


def _found() -> str | None:
    """compute-sanitizer on PATH, or in a toolkit."""
    homes = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    folders = [os.path.join(home, part) for home in homes for part in ("bin", "compute-sanitizer")]
    return shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path=os.pathsep.join(folders))


def _program(
    file: str, kernel_name: str | None, grid: Dim3 | None, block: Dim3 | None, settings: tuple[str, ...]
) -> list[str]:
    """What runs under the tool."""
    if kernel_name is None and grid is None and block is None and not settings:
        return [sys.executable, "-m", "transpiler.cli.program", file]
    words = [sys.executable, "-m", "transpiler.cli", "run", file]
    for option, value in (("--kernel", kernel_name), ("--grid", grid), ("--block", block)):
        if value is not None:
            words += [option, value if isinstance(value, str) else ",".join(map(str, value))]
    for setting in settings:
        words += ["--set", setting]
    return words


def _run(sanitizer: str, tool: str, program: list[str], file: str) -> int:
    """One tool; what it found is printed without its own frames of the host."""
    words = [sanitizer, "--tool", tool, "--error-exitcode", str(FINDINGS), *program]
    environment = {**os.environ, "TRANSPILER_SANITIZE": "1"}
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", env=environment)
    if done.returncode == NO_MAIN:
        raise click.UsageError(f"{file} has no main(); --kernel NAME runs one kernel on made-up data")
    lines = (done.stdout + done.stderr).splitlines()
    counted = next((int(m[1]) for m in map(_COUNT.search, reversed(lines)) if m), None)
    if done.returncode == FINDINGS or counted:
        echo(f"{tool}: {styled(f'{counted or 1} found', fg='red', bold=True)}")
        for line in lines:
            if line.startswith("=====") and not _NOISE.match(line):
                echo(f"  {line.lstrip('=')}")
        return FINDINGS
    if done.returncode or counted is None:
        echo(f"{tool}: {styled('failed', fg='red', bold=True)}, the program ended with status {done.returncode}")
        for line in lines[-20:]:
            echo(f"  {line}")
        return 1
    echo(f"{tool}: {styled('clean', fg='green', bold=True)}")
    return 0

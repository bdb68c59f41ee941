"""The table of commands, loaded on demand, and what happens when one fails.

In: the arguments of the process. Out: its exit status.
Non-goals: what a command does (its module).
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from transpiler.ahead.files import Refused
from transpiler.version import VERSION

COMMANDS: dict[str, str] = {
    "check": "Prove kernels free of races, divergence and out-of-bounds accesses.",
    "emit": "Write CUDA C++, a header and a manifest.",
    "build": "Compile to PTX or cubin; needs no GPU.",
    "run": "Run main() or one kernel, simulated where there is no GPU.",
    "simulate": "Run a kernel in the simulator, which finds races.",
    "bench": "Measure kernels on the GPU.",
    "sanitize": "Run under NVIDIA's compute-sanitizer, with Python lines.",
    "inspect": "Show C++, PTX, SASS and registers of a kernel.",
    "explain": "Explain a diagnostic code, with a wrong and a right kernel.",
    "list": "List kernels, intrinsics, codes or architectures.",
    "new": "Create a small project that works.",
    "lsp": "Answer an editor: findings, types, proofs and fixes as you type.",
    "doctor": "Find out what is missing on this machine.",
    "cache": "Show or clear the cache of compiled kernels.",
}
"""Name and one sentence; the command stands as `command` in the module `transpiler.cli.NAME`."""


class Commands(click.Group):
    """A group that imports a command's module when the command is called, not to list it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        return import_module(f"transpiler.cli.{cmd_name}").command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _cmake_folder(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print the folder of TranspilerConfig.cmake and end."""
    if value:
        from importlib.resources import files

        click.echo(str(files("transpiler.integrations") / "cmake"))
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="transpile", message="%(prog)s %(version)s")
@click.option(
    "--cmake-dir",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_cmake_folder,
    help="Where find_package(Transpiler) looks.",
)
def app() -> None:
    """Python kernels to readable CUDA C++, with a proof of what they do.

    `transpile COMMAND --help` says more. Exit status: 0 all proved, 1 refuted, unknown or error, 2 usage or unreadable
    file, 70 internal error.
    """


def run(args: list[str] | None = None) -> int:
    """Run a command line and return its exit status; nothing but `SystemExit` of shell completion leaves here."""
    try:
        status = app.main(args=args, prog_name="transpile", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except Refused as reason:
        click.echo(f"error: {reason}", err=True)
        return reason.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`); keep the interpreter from complaining about it once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:  # the only catch-all: the crash reporter
        from transpiler.cli import crash

        return crash.report(error, sys.argv[1:] if args is None else args)

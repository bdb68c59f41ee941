"""The command `transpile`. `app` holds the table of commands; each has its module, imported when it is called.

Exit status: 0 all proved (or done), 1 refuted, unknown or an error in a kernel, 2 usage or an unreadable file, 70 a bug of ours.
"""

from __future__ import annotations


def main(args: list[str] | None = None) -> int:
    """Entry point of the installed command; `args` are those of the process unless given."""
    import gc

    gc.set_threshold(100_000, 50, 100)  # looking for garbage takes a tenth of a short command
    from transpiler.cli.app import run

    return run(args)

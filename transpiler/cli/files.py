"""Files of the command line: those of any build (`ahead.files`), and the folder of `-o`.

In: paths from the command line. Out: a `Source`, or why there is none; folders and files.
"""

from __future__ import annotations

from pathlib import Path

from transpiler.ahead.files import Refused, Unreadable, read, reason, unreadable, write

__all__ = ["Refused", "Unreadable", "output_folder", "read", "unreadable", "write"]


def output_folder(path: str) -> Path:
    """Create the folder of `-o` if need be."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "it is a file" if folder.is_file() else reason(error)
        raise Unreadable(f"cannot write to the folder {path}: {why}") from None
    return folder

"""Runs a Markdown page: files that it shows are written, commands that it shows are run, output that it shows is compared.

* A Python block below `<!-- file: NAME -->` becomes that file, in an empty folder that the whole page shares.
* In a `console` block each `$ transpile ...` or `$ python ...` is run there; the lines below it are its output (both streams).
  A line `...` stands for any lines, `...` in a line for any text. A command with no output shown may print anything.
* `<!-- status: 1 -->` above a block is the exit status of its last command; otherwise each has to be 0.
* `> NAME` at the end of a command writes its output to that file.
* Other commands (`make`, `pip`, `cd`) are shown for the reader and not run.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

_BLOCK = re.compile(
    r"(?:<!-- (?P<word>file|status): (?P<value>[^ ]+) -->\n+)?^```(?P<language>\w+)\n(?P<text>.*?)^```",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Command:
    line: str
    output: str | None
    """None where the page shows none."""
    status: int


def files(page: str) -> dict[str, str]:
    """The files that a page shows, by name."""
    return {m["value"]: m["text"] for m in _BLOCK.finditer(page) if m["word"] == "file"}


def commands(page: str) -> Iterator[Command]:
    for match in _BLOCK.finditer(page):
        if match["language"] != "console":
            continue
        parts = re.split(r"^\$ ", match["text"], flags=re.MULTILINE)[1:]
        for number, part in enumerate(parts):
            line, _, output = part.partition("\n")
            line = re.sub(r"\s+#.*", "", line)
            status = int(match["value"]) if match["word"] == "status" and number == len(parts) - 1 else 0
            if line.startswith(("transpile ", "python ")):
                yield Command(line, output if output.strip() else None, status)


def run(command: Command, folder: Path) -> str:
    """Run a command in `folder`, check its exit status, return what it printed."""
    words = shlex.split(command.line)
    target = words.pop() if ">" in words else None
    words = [word for word in words if word != ">"]
    words = [sys.executable, *(["-m", "transpiler.cli"] if words[0] == "transpile" else []), *words[1:]]
    environment = {k: v for k, v in os.environ.items() if k != "FORCE_COLOR"} | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120
    )
    assert done.returncode == command.status, f"$ {command.line}\n{done.stdout}"
    if target is not None:
        (folder / target).write_text(done.stdout)
    return done.stdout


def matches(shown: str, printed: str) -> bool:
    """Whether printed text is what a page shows."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else ".*?".join(map(re.escape, line.rstrip().split("..."))) + r"[ ]*\n"
        for line in shown.strip("\n").split("\n")
    )
    return re.fullmatch(pattern, printed.strip("\n") + "\n") is not None

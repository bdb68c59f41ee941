"""Literate specs: what a Markdown chapter says about the language, as cases.

In: the `.md` files of this folder. Out: `Case`s. A `python` block is a kernel file without its imports, or (without `@kernel`)
the body of `BODY`. A line that has to be diagnosed is followed by a comment: `#   ^^^^ E0203` puts carets under the exact span,
`# ~ E0203` names the line only. A block without such comments has to be clean and to lower. An `ir` block behind it is what it
lowers to. Non-goals: what the prover finds.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from tests.support.kernels import PRELUDE, checked
from transpiler.diagnostics import Diagnostic
from transpiler.frontend import parse_module
from transpiler.ir import device
from transpiler.ir.dump import dump
from transpiler.source import Source

FOLDER = Path(__file__).parent
BODY = "@kernel(block=32)\ndef k(x: In[f32, int], y: InOut[f32, int], p: In[i32, int], q: InOut[i32, int], n: i32, a: f32):\n"
_BLOCK = re.compile(r"^#+ (?P<heading>[^\n]*)$|^```(?P<kind>python|ir)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"^(?P<before>\s*#\s*)(?P<mark>\^+|~) (?P<code>[EW]\d{4})\s*$")


@dataclass(frozen=True, slots=True)
class Case:
    """A block, under the name of its chapter and heading, with the device IR that it should become (None: not said)."""

    name: str
    text: str
    ir: str | None = None
    ir_span: tuple[int, int] = (0, 0)
    """Where the expected IR stands in the file."""


Finding = tuple[int, str, str | None]
"""Line, code, and the text of the span where the spec draws carets."""


def chapters() -> list[Path]:
    return sorted(p for p in FOLDER.glob("*.md") if p.name != "README.md")


def cases(path: Path) -> list[Case]:
    """The blocks of a chapter in order."""
    found: list[Case] = []
    heading, counts = path.stem, dict[str, int]()
    for match in _BLOCK.finditer(path.read_text(encoding="utf-8")):
        if match["heading"]:
            heading = match["heading"]
        elif match["kind"] == "python":
            counts[heading] = counts.get(heading, 0) + 1
            found.append(Case(f"{path.stem}: {heading} {counts[heading]}", match["text"]))
        else:
            found[-1] = Case(found[-1].name, found[-1].text, match["text"], match.span("text"))
    return found


def file_text(case: Case) -> str:
    """The kernel file that a block stands for."""
    wrapped = case.text if "@kernel" in case.text else BODY + textwrap.indent(case.text, "    ")
    return PRELUDE + wrapped


def expected(text: str) -> set[Finding]:
    """What the comments of a text ask for."""
    found: set[Finding] = set()
    line = 0
    lines = text.splitlines()
    for number, content in enumerate(lines, start=1):
        mark = _MARK.match(content)
        if mark is None:
            line = number
        elif mark["mark"] == "~":
            found.add((line, mark["code"], None))
        else:
            start = len(mark["before"])
            found.add((line, mark["code"], lines[line - 1][start : start + len(mark["mark"])]))
    return found


def run(case: Case) -> tuple[list[device.Kernel], set[Finding]]:
    """The kernels of a block that are free of errors, and what was found, spans shown where the spec draws carets."""
    text = file_text(case)
    source = Source(text, "spec.py")
    module, diagnostics = parse_module(source)
    kernels, found = checked(module)
    wanted = expected(text)
    return kernels, {_finding(d, wanted) for d in [*diagnostics, *found]}


def _finding(diagnostic: Diagnostic, wanted: set[Finding]) -> Finding:
    line = diagnostic.source.line(diagnostic.span.start)
    if (line, diagnostic.code, None) in wanted:
        return line, diagnostic.code, None
    return line, diagnostic.code, diagnostic.source.slice(diagnostic.span)


def lowered(kernels: list[device.Kernel]) -> str:
    return "\n".join(dump(kernel) for kernel in kernels)

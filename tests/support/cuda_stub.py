"""The part of `transpiler/cuda.pyi` that the table of intrinsics decides.

In: the table. Out: stub text; `python -m tests.support.cuda_stub` writes it into the file, behind the marker.
Non-goals: the syntax forms above the marker, which no table knows.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

from transpiler.intrinsics import ALIASES, TABLE
from transpiler.intrinsics.entry import Intrinsic

STUB = Path(__file__).parents[2] / "transpiler" / "cuda.pyi"
MARKER = "# --- from the table of intrinsics (python -m tests.support.cuda_stub) ---\n"
PREFIX = "transpiler.cuda."


def generated() -> str:
    """Functions, then one class for each namespace (`block`, `warp`, `random`)."""
    known = TABLE | {name: TABLE[original] for name, original in ALIASES.items()}
    entries = sorted((name[len(PREFIX) :], entry) for name, entry in known.items() if name.startswith(PREFIX))
    parts = [_function(name, entry) for name, entry in entries if "." not in name]
    for space in sorted({name.partition(".")[0] for name, _ in entries if "." in name}):
        members = [(name.partition(".")[2], entry) for name, entry in entries if name.startswith(f"{space}.")]
        lines = "".join(textwrap.indent(_function(name, entry, "self, "), "    ") for name, entry in members)
        parts.append(f"class _{space.capitalize()}:\n{lines}\n{space}: _{space.capitalize()}\n")
    return MARKER + "\n" + "\n".join(parts)


def _function(name: str, entry: Intrinsic, first: str = "") -> str:
    params = [p.partition("=") for p in entry.params]
    listed = ", ".join(f"{name}: Any = {default}" if default else f"{name}: Any" for name, _, default in params)
    doc = entry.doc.partition(" Source: ")[0]
    lines = textwrap.wrap(doc, 108 if not first else 104)
    text = f'"""{lines[0]}"""' if len(lines) == 1 else '"""' + "\n    ".join(lines) + '\n    """'
    return f"def {name}({(first + listed).removesuffix(', ')}) -> Any:\n    {text}\n"


def main() -> None:
    text = STUB.read_text(encoding="utf-8").partition(MARKER)[0]
    STUB.write_text(text.rstrip("\n") + "\n\n" + generated(), encoding="utf-8")


if __name__ == "__main__":
    main()

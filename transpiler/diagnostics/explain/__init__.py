"""The pages behind the codes: `page("E0302")` is the Markdown of `E0302.md` in this folder.

A page is: `# CODE: title`, why it is refused, `## Wrong` and `## Right`, each with one Python block that is a whole file.
Non-goals: showing a page (`cli.explain`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Example:
    """A Python block of a page, and whether it stands there as a wrong or a right one."""

    wrong: bool
    text: str


def page(code: str) -> str | None:
    """The page of a code, None where there is none."""
    path = files(__name__).joinpath(f"{code}.md")
    return path.read_text(encoding="utf-8") if path.is_file() else None


def examples(text: str) -> list[Example]:
    """The Python blocks below the headings `Wrong` and `Right`."""
    found: list[Example] = []
    heading = ""
    for match in re.finditer(
        r"^#+ (?P<heading>[^\n]*)$|^```python\n(?P<block>.*?)^```", text, re.MULTILINE | re.DOTALL
    ):
        if match["block"] is None:
            heading = match["heading"].lower()
        elif "wrong" in heading or "right" in heading:
            found.append(Example("wrong" in heading, match["block"]))
    return found

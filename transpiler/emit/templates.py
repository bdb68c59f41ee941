"""The Jinja templates, and the only import of jinja2.

In: the name of a template in `templates/`, strings and tuples of strings. Out: text. A name that a template does not
get is an error.
Non-goals: decisions; a template sees no IR.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment, Template


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("transpiler.templates", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["indented"] = indented
    return environment


def indented(lines: str) -> str:
    """Lines of C++ one level deeper; blank ones and `#line` stay at the margin."""
    return "".join(
        line if line.isspace() or line.startswith("#line") else f"    {line}"
        for line in lines.splitlines(keepends=True)
    )


@cache
def _template(name: str) -> Template:
    return _environment().get_template(name)


def render(template: str, /, **values: object) -> str:
    return _template(template).render(values)


def plain(name: str) -> str:
    """A file of `templates/` as it is."""
    from importlib.resources import files

    return files("transpiler.templates").joinpath(*name.split("/")).read_text("utf-8")

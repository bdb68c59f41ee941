"""From a live function to the text that the compiler reads.

In: a function, kernel or device function. Out: a `Source` and the function's name in it. A function at the top of its module's
file is read as the command line reads it: the whole file. A closure, a notebook cell or a function of an exec'ed text that
`linecache` knows is cut out, and the names that it uses are spelled out above it with their live values; lines keep their
numbers.
Non-goals: executing anything; names that have no spelling (the compiler reports them as unknown).
"""

from __future__ import annotations

import ast
import linecache
import textwrap
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transpiler.source import Source


@dataclass(frozen=True, slots=True)
class Captured:
    """A function's text. `whole_file` says that module constants come from the file and must agree with the live ones."""

    source: Source
    name: str
    whole_file: bool


@dataclass(frozen=True, slots=True)
class NoSource:
    """A function without text, and where it says that it comes from."""

    path: str


def capture(value: Any) -> Captured | NoSource:
    """The text of a kernel, device function or plain function."""
    function = plain_function(value)
    if function is None:
        return NoSource(repr(value))
    code = function.__code__
    path = code.co_filename
    lines = linecache.getlines(path, function.__globals__)
    if not lines:
        return NoSource(path)
    if "<locals>" not in function.__qualname__ and _is_module_file(function, path):
        return Captured(Source("".join(lines), path), function.__name__, True)
    block = _block(lines, code.co_firstlineno)
    prelude = list(_prelude(block, live_names(value), set()))
    first = code.co_firstlineno - sum(text.count("\n") for text in prelude)
    return Captured(Source("".join(prelude) + block, path, first), function.__name__, False)


def _is_module_file(function: types.FunctionType, path: str) -> bool:
    named = function.__globals__.get("__file__")
    return isinstance(named, str) and Path(named).resolve() == Path(path).resolve()


def _block(lines: list[str], first: int) -> str:
    """The lines of one function with its decorators, without their common indentation."""
    import inspect

    return textwrap.dedent("".join(inspect.getblock(lines[first - 1 :])))


def plain_function(value: Any) -> types.FunctionType | None:
    """The function behind a kernel or device function."""
    function = getattr(value, "__wrapped__", value)
    return function if isinstance(function, types.FunctionType) else None


def live_names(value: Any) -> Mapping[str, Any]:
    """What the names of a function mean now: its closure, the names around it, its module."""
    function = plain_function(value)
    assert function is not None
    names: dict[str, Any] = {**function.__globals__, **getattr(value, "scope", {})}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not assigned yet: the function names itself
            continue
    return names


def _prelude(block: str, names: Mapping[str, Any], done: set[str]) -> Iterator[str]:
    """Statements that give the names of a function their live meanings."""
    try:
        tree = ast.parse(block)
    except SyntaxError:  # the compiler says what is wrong with it
        return
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names and node.id not in done | own:
            done.add(node.id)
            yield from _definition(node.id, names[node.id], done)


def _definition(name: str, value: Any, done: set[str]) -> Iterator[str]:
    kind = type(value)
    if isinstance(value, types.ModuleType):
        yield _import_module(name, value.__name__)
    elif kind.__module__ == "transpiler.api" and plain_function(value) is not None:
        yield from _function(value, done)
    elif _is_dim(value):
        yield f"from transpiler import Dim as Dim_\nclass {name}(Dim_): ...\n"
    elif isinstance(value, type) and kind.__module__ == "transpiler.lang" and getattr(value, "of", ()):
        items = ", ".join(item.__name__ for item in value.of)
        yield f"from transpiler import DType as DType_, {items}\nclass {name}(DType_, of=({items},)): ...\n"
    elif isinstance(value, (bool, int, float)) or _is_number_tuple(value):
        spelled = _spell(value)
        if "math_" in spelled:
            yield "import math as math_\n"
        yield f"{name} = {spelled}\n"
    else:
        home, original = _home(value)
        if home and original:
            yield f"from {home} import {original} as {name}\n"


def _import_module(name: str, module: str) -> str:
    parent, _, leaf = module.rpartition(".")
    return f"from {parent} import {leaf} as {name}\n" if parent else f"import {module} as {name}\n"


def _function(value: Any, done: set[str]) -> Iterator[str]:
    """A device function that a captured one calls."""
    function = plain_function(value)
    assert function is not None
    lines = linecache.getlines(function.__code__.co_filename, function.__globals__)
    if lines:
        block = _block(lines, function.__code__.co_firstlineno)
        yield from _prelude(block, live_names(value), done)
        yield block


def _is_dim(value: Any) -> bool:
    return isinstance(value, type) and any(
        base.__module__ == "transpiler.lang" and base.__name__ == "Dim" for base in value.__mro__[1:]
    )


def _is_number_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(v, (bool, int, float)) or _is_number_tuple(v) for v in value)


def _spell(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({' '.join(_spell(item) + ',' for item in value)})"
    if isinstance(value, float) and value != value:
        return "math_.nan"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "math_.inf" if value > 0 else "-math_.inf"
    return repr(value)


def _home(value: Any) -> tuple[str | None, str | None]:
    """The module and name to import a word of the language, or any other named object, from."""
    if type(value).__module__ == "transpiler.lang" and not isinstance(value, type):
        word = str(getattr(value, "_name", "")) or str(getattr(value, "name", ""))
        space, _, leaf = word.rpartition(".")
        return (f"transpiler.{space}" if space else "transpiler"), leaf
    home = getattr(value, "__module__", None)
    root = "transpiler" if isinstance(home, str) and home.startswith("transpiler.") else home
    return root, getattr(value, "__name__", None)

"""The invariants of ARCHITECTURE.md, each as a test."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "transpiler"

ROOMS = (
    ("records", "source", "version"),
    ("diagnostics",),
    ("errors",),
    ("ir",),
    ("intrinsics",),
    ("target",),
    ("frontend",),
    ("check",),
    ("lower",),
    ("prove", "simulate"),
    ("emit",),
    ("confirm",),
    ("pipeline",),
    ("repair",),
    ("runtime",),
    ("ahead",),
    ("lang",),
    ("cuda", "random", "tile"),
    ("api", "testing"),
    ("lsp",),
    ("integrations", "cli"),
)
"""Lowest first; rooms in one row do not import each other, but as `NEIGHBOURS` says."""

NEIGHBOURS: set[tuple[str, str]] = set()

THIRD_PARTY = {
    "z3": ("prove/solver.py",),
    "jinja2": ("emit/templates.py",),
    "cupy": ("runtime/device.py",),
    "lark": ("frontend/",),
    "click": ("cli/",),
    "rich": ("cli/",),
    "setuptools": ("integrations/setuptools.py",),
    "pygls": ("lsp/server.py",),
    "lsprotocol": ("lsp/",),
}
"""Where a package may be imported."""

SIMULATOR_SEES = {"source", "diagnostics", "ir", "intrinsics"}
"""An oracle must not share the code that it judges."""

FILES = sorted(path for path in PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def rank(name: str) -> int:
    return next(i for i, row in enumerate(ROOMS) if name in row)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted module) of every import, those inside functions too, without those for type checkers alone."""
    for node in _executed(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "transpiler":
            yield from ((node.lineno, f"transpiler.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            yield node.lineno, node.module


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING"):
            yield from _executed(child)


def test_every_module_stands_in_a_room() -> None:
    known = {name for row in ROOMS for name in row}
    assert {room(path) for path in FILES} - known - {"__init__"} == set()


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_room_imports_only_lower_ones(path: Path) -> None:
    mine = room(path)
    if mine == "__init__":
        return
    for line, module in imports(path):
        package, _, rest = module.partition(".")
        theirs = rest.split(".")[0]
        if package != "transpiler" or not any(theirs in row for row in ROOMS) or theirs == mine:
            continue
        allowed = rank(theirs) < rank(mine) or (mine, theirs) in NEIGHBOURS
        assert allowed, f"{path.relative_to(ROOT)}:{line}: {mine} imports {theirs}"


@pytest.mark.parametrize("package", THIRD_PARTY)
def test_a_third_party_package_enters_where_it_is_named(package: str) -> None:
    homes = {
        path.relative_to(PACKAGE).as_posix()
        for path in FILES
        for _, module in imports(path)
        if module.split(".")[0] == package
    }
    assert [home for home in homes if not home.startswith(THIRD_PARTY[package])] == []


def test_the_simulator_shares_nothing_with_what_it_judges() -> None:
    seen = {
        module.split(".")[1]
        for path in FILES
        if room(path) == "simulate"
        for _, module in imports(path)
        if module.startswith("transpiler.")
    }
    assert seen - {"simulate"} <= SIMULATOR_SEES


def test_importing_the_package_is_light() -> None:
    heavy = ("cupy", "numpy", "z3", "jinja2", "lark", "click", "rich", "ml_dtypes", "pygls", "lsprotocol")
    code = f"import sys, transpiler; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", ["types", "surface", "device"])
def test_nodes_are_frozen_and_are_themselves(name: str) -> None:
    module = importlib.import_module(f"transpiler.ir.{name}")
    classes = [c for _, c in inspect.getmembers(module, inspect.isclass) if c.__module__ == module.__name__]
    nodes = [c for c in classes if dataclasses.is_dataclass(c)]
    assert nodes
    for node in nodes:
        with pytest.raises(dataclasses.FrozenInstanceError):
            node.__new__(node).anything = 1
        assert "__slots__" in vars(node) or name == "surface", node
        if hasattr(module, "Node") and issubclass(node, module.Node):
            assert node.__eq__ is object.__eq__, f"{node} compares structurally"


def test_only_the_crash_reporter_catches_everything() -> None:
    found = [
        f"{path.relative_to(PACKAGE).as_posix()}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler) and _catches_everything(node)
    ]
    assert found == ["cli/app.py"]


def _catches_everything(handler: ast.ExceptHandler) -> bool:
    names = [handler.type] if not isinstance(handler.type, ast.Tuple) else handler.type.elts
    return any(name is None or getattr(name, "id", "") in ("Exception", "BaseException") for name in names)


def test_the_list_of_packages_is_what_the_folders_hold() -> None:
    """`packages` is explicit, because grammar and templates stand outside `transpiler`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    inside = {".".join(p.parent.relative_to(ROOT).parts) for p in PACKAGE.rglob("__init__.py")}
    assert sorted(project["tool"]["setuptools"]["packages"]) == sorted(
        inside | {"transpiler.grammar", "transpiler.templates"}
    )


def test_every_data_file_is_in_the_package_data() -> None:
    """What is not listed would be missing from a wheel."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tool = project["tool"]["setuptools"]
    folders = {"transpiler.grammar": ROOT / "grammar", "transpiler.templates": ROOT / "templates"}
    shipped = {
        path
        for package, patterns in tool["package-data"].items()
        for pattern in patterns
        for path in folders.get(package, ROOT / package.replace(".", "/")).glob(pattern)
    }
    there = {
        path
        for folder in (PACKAGE, *folders.values())
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert there - shipped == set()

"""Imports: from an import statement to meanings, through the files that lie beside the importing one.

In: the text of an import statement and the file it stands in. Out: (name, meaning) pairs: a definition of a kernel file that was
read, else the qualified name. Files are looked for as Python would for a script or a package: relative imports, the folder of
the importing file, the root of its package. Nothing is executed, no other folder is read, a cycle sees what is known so far.
`read` gives the text of a file: what is on the disk, unless an editor knows better.
Non-goals: `sys.path`, installed packages, the standard library.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from transpiler.ir import surface as s
from transpiler.source import Source

_NOISE = re.compile(r"#[^\r\n]*|\\(?:\r\n|\n|\r)|[()\r\n]")
_FROM = re.compile(r"from\s*(\.[.\s]*)?\s*([\w.]*)\s*\bimport\b\s*(.*)", re.DOTALL)
_ITEM = re.compile(r"\s*([\w.]+)(?:\s+as\s+(\w+))?\s*$")


class FileReader(Protocol):
    """What `resolve.Reader` is to this module."""

    source: Source
    names: dict[str, Any]
    functions: dict[str, s.Function]
    diagnostics: list[Any]

    def read(self) -> None: ...


R = TypeVar("R", bound=FileReader)


class Files(Generic[R]):
    """The files of one run; each is read once."""

    def __init__(self, reader: Callable[[Source, Files[R]], R], read: Callable[[Path], Source] = Source.read) -> None:
        self._make_reader = reader
        self._read_text = read
        self._by_path: dict[Path, R] = {}
        self.readers: list[R] = []

    def root(self, source: Source) -> R:
        """Read the file that the run is about."""
        path = Path(source.path)
        return self._read(path.resolve() if _is_file(path) else path, source)

    def module(self, reader: R) -> s.Module:
        paths = tuple(other.source.path for other in self.readers if other is not reader)
        modules: list[s.Module] = []
        for other in self.readers:
            functions = tuple(other.functions.values())
            modules.append(s.Module(other.source, other.names, functions, paths if other is reader else (), modules))
        return modules[self.readers.index(reader)]

    def _read(self, path: Path, source: Source) -> R:
        reader = self._make_reader(source, self)
        self._by_path[path] = reader
        self.readers.append(reader)
        reader.read()
        return reader

    def _load(self, path: Path) -> R | None:
        path = path.resolve()
        if path not in self._by_path:
            try:
                source = self._read_text(path)
            except (OSError, SyntaxError, UnicodeDecodeError, LookupError):
                return None
            return self._read(path, source)
        return self._by_path[path]

    # --- statements ---

    def imported(self, text: str, source: Source) -> Iterator[tuple[str, Any]]:
        """What the import statements of a line bind."""
        for statement in _NOISE.sub(" ", text).split(";"):
            statement = statement.strip()
            if (found := _FROM.match(statement)) is not None:
                level = (found[1] or "").count(".")
                yield from self._from(level, found[2], found[3], source)
            elif statement.startswith("import"):
                yield from self._import(statement.removeprefix("import"), source)

    def _import(self, items: str, source: Source) -> Iterator[tuple[str, Any]]:
        for item in items.split(","):
            found = _ITEM.match(item)
            if found is None:
                continue
            module, alias = found[1], found[2]
            first = module.partition(".")[0]
            yield (alias, module) if alias else (first, first)
            yield from self._inside(module, self._find(0, module, source))

    def _from(self, level: int, module: str, items: str, source: Source) -> Iterator[tuple[str, Any]]:
        if module == "__future__":
            return
        path = self._find(level, module, source)
        reader = self._load(path) if path is not None else None
        names = reader.names if reader is not None else {}
        prefix = "." * level + module
        if items.strip() == "*":
            yield from self._star(prefix, names)
            return
        for item in items.split(","):
            found = _ITEM.match(item)
            if found is None:
                continue
            name, alias = found[1], found[2] or found[1]
            joint = "" if prefix.endswith(".") else "."
            qualified = f"{prefix}{joint}{name}"
            yield alias, names.get(name, qualified)
            if name not in names:
                below = f"{module}.{name}" if module else name
                yield from self._inside(qualified, self._find(level, below, source))

    def _star(self, prefix: str, names: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        if prefix == "transpiler":
            import transpiler

            yield from ((name, f"transpiler.{name}") for name in getattr(transpiler, "__all__", ()))
            return
        yield from (
            (name, meaning) for name, meaning in list(names.items()) if not name.startswith("_") and "." not in name
        )

    def _inside(self, qualified: str, path: Path | None) -> Iterator[tuple[str, Any]]:
        """A module that is bound as a whole: its names, qualified."""
        reader = self._load(path) if path is not None else None
        if reader is not None:
            yield from (
                (f"{qualified}.{name}", meaning) for name, meaning in list(reader.names.items()) if "." not in name
            )

    # --- places ---

    def _find(self, level: int, module: str, source: Source) -> Path | None:
        importer = Path(source.path)
        parts = module.split(".") if module else []
        if not _is_file(importer) or "" in parts:
            return None
        folder = importer.resolve().parent
        if level:
            folders = [folder, *folder.parents][level - 1 : level]
        elif parts[0] in sys.stdlib_module_names or parts[0] == "transpiler":
            return None
        else:
            folders = [folder, _package_root(folder)]
        for base in folders:
            for path in _candidates(base, parts):
                if _is_file(path):
                    return path
        return None


def _candidates(base: Path, parts: list[str]) -> list[Path]:
    whole = base.joinpath(*parts)
    package = whole / "__init__.py"
    return [whole.parent / f"{whole.name}.py", package] if parts else [package]


def _package_root(folder: Path) -> Path:
    """The first folder above that is no package."""
    while _is_file(folder / "__init__.py") and folder.parent != folder:
        folder = folder.parent
    return folder


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have, such as the source of a notebook cell
        return False

"""The build command of setuptools that ships kernels ready to launch.

In: a project whose `pyproject.toml` requires this package to build and has a table `[tool.transpiler]`. Out: in the wheel, beside
each module with kernels, a folder `__transpiled__` with their C++, images for each architecture and a manifest, which
`runtime.packaged` reads. What is wrong in the table or in a kernel fails the build, in the compiler's format, and leaves what an
earlier build wrote as it was. An editable installation gets none: its files change, and NVRTC builds what is launched.
Non-goals: extension modules; other builders, which call `transpile build --package`.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setuptools import Command
from setuptools.errors import BaseError

if TYPE_CHECKING:
    from setuptools import Distribution

    from transpiler.ahead.build import Built, Request

TABLE = "[tool.transpiler]"
COMMAND = "transpile"


def finalize(distribution: Distribution) -> None:
    """Have `build` transpile, for a project with the table; setuptools calls this for every one that is built beside us."""
    root = Path(distribution.src_root or os.curdir)
    table = _table(root / "pyproject.toml")
    if table is None:
        return
    build = distribution.get_command_class("build")
    steps = [*build.sub_commands, (COMMAND, None)]
    distribution.cmdclass["build"] = type("build", (build,), {"sub_commands": steps})
    distribution.cmdclass[COMMAND] = type(COMMAND, (Transpile,), {"table": table})


def _table(path: Path) -> Any:
    """The table as it stands; None where there is none. A file that is no TOML is for setuptools to refuse."""
    try:
        project = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    tool = project.get("tool")
    return tool.get("transpiler") if isinstance(tool, dict) else None


# --- the table --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Settings:
    """The table, valid."""

    kernels: tuple[str, ...]
    archs: tuple[str, ...]
    ptx: tuple[str, ...] = ()
    fatbin: bool = False
    line_info: bool = False
    deny_trust: bool = False


_LISTS, _FLAGS = ("kernels", "archs", "ptx"), ("fatbin", "line-info", "deny-trust")


def settings(table: Any) -> Settings:
    """The table with its types and values checked; raises `BaseError` that says what is wrong in it."""
    if not isinstance(table, dict):
        raise BaseError(f"{TABLE} is no table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key in _LISTS:
            if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
                raise BaseError(f"{TABLE}: `{key}` is a list of strings, such as {_EXAMPLES[key]}, not {value!r}")
            values[key] = tuple(dict.fromkeys(value))
        elif key in _FLAGS:
            if not isinstance(value, bool):
                raise BaseError(f"{TABLE}: `{key}` is true or false, not {value!r}")
            values[key.replace("-", "_")] = value
        else:
            raise BaseError(f"{TABLE}: there is no key `{key}`; the keys are {', '.join((*_LISTS, *_FLAGS))}")
    for key in ("kernels", "archs"):
        if key not in values:
            raise BaseError(f"{TABLE}: `{key}` is missing; write {key} = {_EXAMPLES[key]}")
    for arch in (*values["archs"], *values.get("ptx", ())):
        if not re.fullmatch(r"sm_\d{2,3}[af]?", arch):
            raise BaseError(f"{TABLE}: {arch!r} is no architecture such as sm_90")
    return Settings(**values)


_EXAMPLES = {"kernels": '["src/pkg/*.py"]', "archs": '["sm_80", "sm_90"]', "ptx": '["sm_90"]'}


# --- the command ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the distribution: its dotted name, its file, and where the build puts it."""

    name: str
    file: str
    built: Path


class Transpile(Command):
    """`transpile`, a step of `build`."""

    description = f"build the kernels that {TABLE} names for their architectures"
    user_options = [("build-lib=", None, "folder of the build")]  # noqa: RUF012  # as setuptools declares it

    table: Any = None
    editable_mode: bool = False
    """Set by setuptools."""

    def initialize_options(self) -> None:
        self.build_lib: str | None = None

    def finalize_options(self) -> None:
        self.set_undefined_options("build", ("build_lib", "build_lib"))

    def run(self) -> None:
        if self.editable_mode:
            return
        from transpiler.ahead.files import Refused

        wanted = settings(self.table)
        try:
            self._write(self._build(_chosen(wanted.kernels, self._modules()), wanted))
        except Refused as reason:
            raise BaseError(str(reason)) from reason

    def get_source_files(self) -> list[str]:
        """Nothing beside the modules, which are in the source distribution anyway."""
        return []

    def get_outputs(self) -> list[str]:
        from transpiler.runtime.packaged import FOLDER

        return sorted({str(p) for m in self._modules() for p in (m.built.parent / FOLDER).glob("*")})

    def get_output_mapping(self) -> dict[str, str]:
        return {}

    def _modules(self) -> list[Module]:
        """The modules that the wheel will hold."""
        step = self.get_finalized_command("build_py")
        found = []
        for package, module, file in step.find_all_modules():
            name = ".".join(part for part in (package, module) if part).removesuffix(".__init__")
            built = step.get_module_outfile(self.build_lib, package.split(".") if package else [], module)
            found.append(Module(name, file, Path(built)))
        return found

    def _build(self, modules: Sequence[Module], wanted: Settings) -> list[tuple[Module, Built]]:
        """Every file with kernels, built; raises where one is not proved."""
        from transpiler.ahead import build, work
        from transpiler.ahead.files import Unreadable

        def refuse_unknown() -> None:
            if found := work.unknown_archs((*wanted.archs, *wanted.ptx)):
                raise Unreadable(f"{TABLE}: {found}")

        files = [module.file for module in modules]
        results = build.build(
            files, _request(wanted), jobs=os.cpu_count() or 1, step=lambda path: None, prepare=refuse_unknown
        )
        failed = sum(_failed(result) for result in results)
        if failed:
            raise BaseError(f"{TABLE}: {failed} of {len(files)} files cannot be built; nothing was written")
        built = [pair for pair in zip(modules, results, strict=True) if pair[1].contents]
        if not built:
            raise BaseError(f"{TABLE}: no @kernel in {', '.join(files)}")
        return built

    def _write(self, built: Sequence[tuple[Module, Built]]) -> None:
        """Write what changed, and remove what an earlier build left behind."""
        from transpiler.ahead.outputs import write_changed
        from transpiler.runtime.packaged import FOLDER

        contents: dict[Path, dict[str, bytes]] = {}
        for module, result in built:
            folder = contents.setdefault(module.built.parent / FOLDER, {})
            clash = next((name for name in result.contents if name in folder), None)
            if clash is not None:
                raise BaseError(f"{TABLE}: two files beside {module.file} would be written to {clash}; rename one")
            folder.update(result.contents)
        for folder, files in contents.items():
            folder.mkdir(parents=True, exist_ok=True)
            write_changed(folder, files)
        for folder in {module.built.parent / FOLDER for module in self._modules()}:
            for path in folder.glob("*"):
                if path.is_file() and path.name not in contents.get(folder, {}):
                    path.unlink()


def _request(wanted: Settings) -> Request:
    from transpiler.ahead import build

    joiner = build.joiner() if wanted.fatbin else None
    if wanted.fatbin and joiner is None:
        _say(f"{TABLE}: warning: CUDA's `fatbinary` is not installed: one cubin an architecture")
    return build.Request(
        archs=wanted.archs,
        line_info=wanted.line_info,
        deny_trust=wanted.deny_trust,
        fatbin=joiner,
        package=True,
        ptx=wanted.ptx,
    )


def _chosen(patterns: Sequence[str], modules: Sequence[Module]) -> list[Module]:
    """The modules that the patterns name, each once; a pattern is a path with wildcards, or a dotted name."""
    by_path = {Path(module.file).resolve(): module for module in modules}
    found: dict[str, Module] = {}
    for pattern in patterns:
        for module in _matches(pattern, modules, by_path):
            found[module.file] = module
    return list(found.values())


def _matches(pattern: str, modules: Sequence[Module], by_path: dict[Path, Module]) -> Iterator[Module]:
    named = [module for module in modules if module.name == pattern]
    if named:
        yield from named
        return
    try:
        paths = sorted(path for path in Path().glob(pattern) if path.suffix == ".py")
    except (ValueError, NotImplementedError) as error:
        raise BaseError(f"{TABLE}: `kernels`: {pattern!r} is no pattern of paths below this folder: {error}") from None
    if not paths:
        raise BaseError(f"{TABLE}: `kernels`: {pattern!r} is neither a module of this distribution nor matches a file")
    for path in paths:
        if path.resolve() not in by_path:
            raise BaseError(f"{TABLE}: `kernels`: {path} is in no package of this distribution, so no launch finds it")
        yield by_path[path.resolve()]


def _failed(result: Built) -> bool:
    """Print what was found in a file; whether there is something that cannot be shipped."""
    from transpiler.ahead import work
    from transpiler.diagnostics.gcc import to_gcc

    for line in to_gcc([result.report]):
        _say(line)
    if result.refused:
        _say(f"{result.report.path}:1:1: error: {result.refused}")
    return bool(result.refused) or work.status([result.report]) != 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)

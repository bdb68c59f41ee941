"""Machine code that was built with a Python package and lies beside its kernels.

In: the kernel file of a launch and the folder `__transpiled__` next to it. Out: a `CompiledUnit` with neither proof nor emission,
whose `package` holds the images; or why there is none, which `runtime.build` says where NVRTC is missing, too. What lies there
is used if it was made by this version of the transpiler from the text that runs, imported constants included, and holds the
very specialisation that is launched. What cannot be read is a warning; nothing here fails a launch.
Non-goals: building it (`ahead.build`); the contract of a launch, which is checked the same way whoever built the kernel.
"""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, Protocol

from transpiler import pipeline
from transpiler.diagnostics import Diagnostic
from transpiler.errors import short_text
from transpiler.ir import device as d
from transpiler.ir import surface
from transpiler.ir.abi import AbiParam
from transpiler.ir.dump import dump
from transpiler.ir.types import DTYPES
from transpiler.records import record
from transpiler.runtime.unit import CompiledUnit, Image, Package
from transpiler.source import Source, Span
from transpiler.version import VERSION

FOLDER = "__transpiled__"
SCHEMA = 1
"""Of the manifest; one of a newer schema is not read."""


@record
class Site:
    """A recorded check, as `CheckSite` wants it."""

    number: int
    kind: str
    line: int
    path: str
    message: str = ""
    array: str = ""
    axis: int = 0


# --- what a package is known by ---------------------------------------------------------------------------


def text_digest(module: surface.Module) -> str:
    """Of the text of a kernel file and of those that it imports from, wherever they lie."""
    texts = [other.source.text.rstrip("\n") for other in module.modules or (module,)]
    return _sha(json.dumps(texts).encode())


def specialisation(kernel: d.Kernel) -> str:
    """Of what the device runs: dtypes, values of `Const` parameters, absent arrays, options, everything that was folded in."""
    return _sha(f"{kernel.options!r}\n{dump(kernel)}".encode())


def _sha(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


# --- writing ----------------------------------------------------------------------------------------------


class File(Protocol):
    """An image that has just been built."""

    @property
    def name(self) -> str: ...
    @property
    def form(self) -> str: ...
    @property
    def archs(self) -> tuple[str, ...]: ...
    @property
    def content(self) -> bytes: ...


def facts(
    module: surface.Module,
    kernels: Sequence[d.Kernel],
    options: Sequence[str],
    images: Sequence[File],
    texts: Mapping[str, bytes],
) -> dict[str, Any]:
    """The field `package` of a manifest: `kernels` are those of the manifest in its order, `texts` other files beside it."""
    contents = {**texts, **{image.name: image.content for image in images}}
    return {
        "transpiler": VERSION,
        "text": text_digest(module),
        "specialisations": [specialisation(kernel) for kernel in kernels],
        "options": list(options),
        "images": [{"file": i.name, "form": i.form, "archs": list(i.archs)} for i in images],
        "sha256": {name: _sha(content) for name, content in contents.items()},
    }


# --- reading ----------------------------------------------------------------------------------------------


class Packaged:
    """What lies beside one kernel file. `fault` says why none of it is of use, and `fix` what would mend that."""

    def __init__(self, module: surface.Module, path: Path) -> None:
        self.path = path
        self.says = f"the package ({FOLDER}/{path.name})"
        self.fault, self.fix = "", "install the package again"
        self._module = module
        try:
            self._read(json.loads(path.read_bytes()))
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            self.fault = f"{self.says} cannot be read ({type(error).__name__}: {error})"
            warn(module.source, self.fault)

    def _read(self, data: dict[str, Any]) -> None:
        package = data["package"]
        if data["schema"] > SCHEMA:
            self.fault = f"{self.says} has schema {data['schema']}, and schema {SCHEMA} is what this version reads"
        elif package["transpiler"] != VERSION:
            self.fault = f"{self.says} was built by transpiler {package['transpiler']}, and this is {VERSION}"
            self.fix = f"build it again with transpiler {VERSION}"
        elif package["text"] != text_digest(self._module):
            self.fault = (
                f"{self.says} was built from another text than {PurePath(self._module.source.path).name} has now"
            )
            self.fix = "build it again"
        if self.fault:
            return
        self._digests = {str(name): str(digest) for name, digest in package["sha256"].items()}
        self._cuda = self._file(f"{data['unit']}.cu").decode()
        self._options = tuple(map(str, package["options"]))
        entries = zip(package["specialisations"], data["kernels"], strict=True)
        self._entries = {digest: _Entry(entry) for digest, entry in entries}
        self._images = tuple(
            Image(path := self.path.with_name(i["file"]), i["form"], tuple(i["archs"]), self._digests[path.name])
            for i in package["images"]
        )
        for image in self._images:
            for arch in image.archs:
                _numbers(arch)

    def _file(self, name: str) -> bytes:
        content = self.path.with_name(name).read_bytes()
        if _sha(content) != self._digests[name]:
            raise ValueError(f"{name} is not what was built")
        return content

    def unit(self, state: pipeline.KernelState) -> CompiledUnit | Package:
        """The kernel as it was packaged; a `Package` without images where it was not, which says why."""
        if self.fault:
            return Package((), self.fault, self.fix)
        name = state.function.name
        if state.block is not None:
            block = ", ".join(map(str, state.block))
            return Package((), f"{self.says} holds `{name}` for its own block, not for ({block})", "launch it so")
        state, _ = pipeline.run_passes(state, upto="lower")
        if state.kernel is None:
            return Package((), f"{self.says} holds nothing that was refused")  # the compiler says what is wrong
        entry = self._entries.get(specialisation(state.kernel))
        if entry is None:
            held = [e.title for e in self._entries.values() if e.name == name]
            wanted = _title(name, state.kernel.instance)
            return Package(
                (),
                f"{self.says} holds {', '.join(held) or 'other kernels'}, not {wanted}",
                "add the instance to the decorator's `instances=` and build the package again",
            )
        archs = ", ".join(dict.fromkeys(arch for image in self._images for arch in image.archs))
        return CompiledUnit(
            kernel=state.kernel,
            abi=entry.abi,
            symbol=entry.symbol,
            cuda=self._cuda,
            contract=entry.contract,
            checks=entry.checks(state.module),
            options=self._options,
            package=Package(self._images, f"{self.says} is for {archs or 'no architecture'}"),
        )


class _Entry:
    """A kernel of a manifest, as far as a launch needs it."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.name = str(data["name"])
        self.title = _title(self.name, data["instance"].items())
        self.symbol = str(data["entry"])
        self.contract = tuple(map(str, data["contract"]))
        self.abi = tuple(
            AbiParam(p["kind"], p["type"], p["name"], p["python"] or "", p["axis"], p["dtype"] and DTYPES[p["dtype"]])
            for p in data["parameters"]
        )
        self._sites = tuple(Site(**site) for site in data["checks"])

    def checks(self, module: surface.Module) -> tuple[Site, ...]:
        """The recorded checks, with the paths that their files have here."""
        paths = {PurePath(other.source.path).name: other.source.path for other in module.modules}
        return tuple(replace(site, path=paths.get(site.path, site.path)) for site in self._sites)


def _title(name: str, instance: Any) -> str:
    values = ", ".join(f"{key}={value}" for key, value in instance)
    return f"`{name}[{values}]`" if values else f"`{name}`"


def find(module: surface.Module) -> Packaged | None:
    """What was packaged with a kernel file."""
    source = Path(module.source.path)
    path = source.parent / FOLDER / f"{pipeline.unit_name(str(source))}.json"
    try:
        there = path.is_file()
    except (OSError, ValueError):  # the name of a notebook cell
        return None
    return Packaged(module, path) if there else None


# --- images -----------------------------------------------------------------------------------------------


def usable(images: Sequence[Image], arch: str) -> Iterator[Image]:
    """The images that a device of `arch` can run, the closest first: machine code, then PTX, which the driver compiles."""
    ranked = [(rank, image) for image in images if (rank := _rank(image, arch)) is not None]
    return iter([image for _, image in sorted(ranked, key=lambda pair: pair[0], reverse=True)])


def content(image: Image, source: Source) -> bytes | None:
    """The bytes of an image; None, and a warning, where they are not those that were packaged."""
    try:
        raw = image.path.read_bytes()
    except OSError as error:
        warn(source, f"{image.path} cannot be read ({error.strerror or error})")
        return None
    if _sha(raw) != image.sha256:
        warn(source, f"{image.path} is not what was packaged")
        return None
    return raw + b"\0" if image.form == "ptx" else raw


def _rank(image: Image, arch: str) -> tuple[bool, int, bool] | None:
    """How well an image suits a device; None where it cannot run there."""
    fits = [have for have in image.archs if _runs(have, image.form, arch)]
    return max(((image.form != "ptx", _numbers(have)[0], have[-1].isalpha()) for have in fits), default=None)


def _runs(have: str, form: str, arch: str) -> bool:
    """CUDA's rules: machine code runs on its major version from its minor one on, PTX on all later ones; what is specific to an
    architecture (`a`) runs there alone, what is specific to a family (`f`) within its major version."""
    (number, suffix), (wanted, _) = _numbers(have), _numbers(arch)
    if suffix == "a":
        return number == wanted
    return number <= wanted and (number // 10 == wanted // 10 or (form == "ptx" and not suffix))


def _numbers(arch: str) -> tuple[int, str]:
    found = re.fullmatch(r"sm_(\d+)([af]?)", arch)
    if found is None:
        raise ValueError(f"{arch!r} is no architecture")
    return int(found[1]), found[2]


def warn(source: Source, message: str) -> None:
    """W0901: something of a package that cannot be used; the launch goes on without it."""
    found = Diagnostic(
        code="W0901",
        message=message,
        source=source,
        span=Span(0, 0),
        help="NVRTC builds the kernel instead; install the package again",
    )
    warnings.warn(short_text(found), RuntimeWarning, stacklevel=2)

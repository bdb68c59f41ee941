"""Ahead-of-time builds: kernel files to images for several architectures, in parallel, and nothing twice.

In: paths, and a `Request`. Out: for each file its report and outputs (name to bytes), in the order of the paths, the same bytes
however many processes work. Results are kept in the disk cache under what they depend on: the text of the file and of what it
imports, the request, the tool and NVRTC. Only files that are proved and without findings are kept.
Non-goals: writing (`outputs`), what is printed (`cli.build`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transpiler.ahead import work
from transpiler.ahead.files import Refused
from transpiler.diagnostics import Diagnostic
from transpiler.diagnostics.machine import FileFacts, dumps

if TYPE_CHECKING:
    from transpiler.pipeline import FileReport
    from transpiler.runtime.cache import DiskCache


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of every file. `form` is `ptx` or `cubin`; `fatbin` is the program that joins cubins, or None.

    With `package` the outputs are those that `runtime.packaged` looks for beside a kernel file, PTX of `ptx` among them.
    """

    archs: tuple[str, ...]
    form: str = "cubin"
    line_info: bool = False
    deny_trust: bool = False
    fatbin: str | None = None
    package: bool = False
    ptx: tuple[str, ...] = ()

    @property
    def targets(self) -> tuple[tuple[str, str], ...]:
        """(architecture, form) of each compilation."""
        return (*((arch, self.form) for arch in self.archs), *((arch, "ptx") for arch in self.ptx))


@dataclass(frozen=True, slots=True)
class Facts:
    """A kernel's report without its trees, for other processes and for the cache."""

    name: str
    line: int
    verdict: str
    contract: tuple[str, ...] = ()
    disjoint: tuple[tuple[str, str], ...] = ()
    assumptions: tuple[str, ...] = ()
    runtime_checks: tuple[str, ...] = ()
    instance: tuple[tuple[str, str], ...] = ()
    time_ms: float = 0.0
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """A file's report without its trees."""

    path: str
    diagnostics: tuple[Diagnostic, ...]
    kernels: tuple[Facts, ...]


@dataclass(frozen=True, slots=True)
class Built:
    """What became of one file; `refused` says what the build could not do although it is proved."""

    report: FileFacts
    contents: dict[str, bytes]
    refused: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class BuiltImage:
    """A file of machine code: `form` is `cubin`, `ptx` or `fatbin`."""

    name: str
    form: str
    archs: tuple[str, ...]
    content: bytes


Step = Callable[[str], None]
"""Called with the path of each file that is done."""


def build(paths: Sequence[str], request: Request, *, jobs: int, step: Step, prepare: Callable[[], None]) -> list[Built]:
    """Build files; `prepare` is called before the first one that is not in the cache."""
    from transpiler.runtime.cache import DiskCache

    cache = DiskCache()
    tool = fingerprint()
    found: dict[str, Built] = {}
    for path in dict.fromkeys(paths):
        known = _recall(cache, path, request, tool)
        if known is not None:
            found[path] = known
            step(path)
    missing = [path for path in dict.fromkeys(paths) if path not in found]
    if missing:
        prepare()
    if len(missing) > 1 and jobs > 1:
        with ProcessPoolExecutor(max_workers=min(jobs, len(missing))) as pool:
            running = {pool.submit(_make, path, request, tool): path for path in missing}
            for done in as_completed(running):
                found[running[done]] = done.result()
                step(running[done])
    else:
        for path in missing:
            found[path] = _make(path, request, tool)
            step(path)
    return [found[path] for path in paths]


def _make(path: str, request: Request, tool: str) -> Built:
    """Build one file and keep the result; runs in a process of its own."""
    from transpiler.runtime.cache import DiskCache

    (source,) = work.load([path])
    if isinstance(source, work.NoReport):
        return Built(source, {})
    report, unit = work.emit(source, line_info=request.line_info, deny_trust=request.deny_trust)
    slim = _slim(report)
    if unit is None:
        return Built(slim, {})
    lacking = work.lacking(unit, [arch for arch, _ in request.targets])
    if lacking:
        return Built(Summary(slim.path, (*slim.diagnostics, *lacking), slim.kernels), {})
    cache = DiskCache()
    try:
        contents = _contents(unit, report, request, cache)
    except Refused as reason:
        return Built(slim, {}, refused=reason.message)
    built = Built(slim, contents)
    if not any((slim.diagnostics, *(kernel.diagnostics for kernel in slim.kernels))):
        _keep(cache, path, request, tool, work.inputs(report)[1:], built)
    return built


def _slim(report: FileFacts) -> Summary:
    names = Facts.__dataclass_fields__
    kernels = tuple(Facts(**{name: getattr(kernel, name) for name in names}) for kernel in report.kernels)
    return Summary(report.path, tuple(report.diagnostics), kernels)


def _contents(unit: work.Unit, report: FileReport, request: Request, cache: DiskCache) -> dict[str, bytes]:
    from transpiler.emit import support

    images = _images(unit, request, cache)
    out = {image.name: image.content for image in images}
    if request.package:
        return out | _packaged(unit, report, request, images)
    described: dict[str, Any] = {"images": {image.archs[0]: image.name for image in images}}
    if request.fatbin is not None:
        described = {"fatbin": images[0].name, "archs": list(images[0].archs)}
    texts = {f"{unit.name}.h": unit.header, f"{unit.name}.json": dumps({**unit.manifest, **described}) + "\n"}
    return out | {name: text.encode() for name, text in {**texts, **support(None)}.items()}


def _images(unit: work.Unit, request: Request, cache: DiskCache) -> list[BuiltImage]:
    compiled = [
        BuiltImage(f"{unit.name}.{arch}.{form}", form, (arch,), _compiled(unit, arch, form, request, cache))
        for arch, form in request.targets
    ]
    if request.fatbin is None:
        return compiled
    cubins = {image.archs[0]: image.content for image in compiled if image.form == "cubin"}
    joined = BuiltImage(f"{unit.name}.fatbin", "fatbin", tuple(cubins), join(request.fatbin, cubins))
    return [joined, *(image for image in compiled if image.form != "cubin")]


def _packaged(unit: work.Unit, report: FileReport, request: Request, images: Sequence[BuiltImage]) -> dict[str, bytes]:
    """The text and the manifest that a launch reads."""
    from transpiler.runtime import packaged

    source = f"{unit.name}.cu", unit.source.encode()
    facts = packaged.facts(
        report.module,
        [entry.kernel for entry in unit.emitted.entries],
        work.nvcc_options(unit, line_info=request.line_info),
        images,
        dict([source]),
    )
    return dict([source, (f"{unit.name}.json", (dumps({**unit.manifest, "package": facts}) + "\n").encode())])


def _compiled(unit: work.Unit, arch: str, form: str, request: Request, cache: DiskCache) -> bytes:
    """A unit for one architecture: a change of a comment in Python costs no compilation where the C++ stays the same."""
    options = work.nvcc_options(unit, line_info=request.line_info)
    key = json.dumps(["image", form, unit.source, arch, options, nvrtc_release()])
    built = cache.get(key)
    if built is None:
        built = work.compile(unit, arch, form, line_info=request.line_info)
        cache.put(key, built)
    return built


# --- fat binaries -----------------------------------------------------------------------------------------


def joiner() -> str | None:
    """CUDA's `fatbinary`: on the path, or in a toolkit that the environment names."""
    homes = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    places = [str(Path(home) / "bin") for home in homes if home]
    return shutil.which("fatbinary") or next(
        (hit for place in places if (hit := shutil.which("fatbinary", path=place))), None
    )


def join(tool: str, cubins: dict[str, bytes]) -> bytes:
    """Cubins of several architectures in one file, of which the driver takes what suits the device."""
    with tempfile.TemporaryDirectory() as folder:
        words = [tool, "-64", "--create", os.path.join(folder, "all.fatbin")]
        for arch, cubin in cubins.items():
            path = os.path.join(folder, f"{arch}.cubin")
            Path(path).write_bytes(cubin)
            words.append(f"--image3=kind=elf,sm={arch.removeprefix('sm_')},file={path}")
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            raise Refused(f"{tool} failed: {done.stderr.strip() or done.stdout.strip()}")
        return Path(folder, "all.fatbin").read_bytes()


# --- the cache --------------------------------------------------------------------------------------------


def fingerprint() -> str:
    """The tool itself: every file of the package, by size and time of change."""
    from importlib.resources import files

    digest = hashlib.sha256()
    for root in (Path(str(files("transpiler"))), Path(str(files("transpiler.templates")))):
        for folder, _, names in sorted(os.walk(root)):
            for name in sorted(names):
                if name.endswith((".py", ".cuh", ".j2", ".h", ".lark")):
                    state = os.stat(os.path.join(folder, name))
                    digest.update(f"{name} {state.st_size} {state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def nvrtc_release() -> str:
    """The NVRTC that is used, without loading it where a wheel says which one it is."""
    from importlib import metadata

    for name in ("nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc"):
        try:
            return f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            continue
    return str(work.nvrtc_version())


def _key(path: str, request: Request, tool: str) -> str | None:
    digest = _digest(path)
    if digest is None:
        return None
    state = [path, os.path.abspath(path), digest, repr(request), tool, nvrtc_release(), sys.version]
    return json.dumps(["file", *state])


def _digest(path: str) -> str | None:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except (OSError, ValueError):
        return None


def _keep(cache: DiskCache, path: str, request: Request, tool: str, imported: Sequence[str], built: Built) -> None:
    key = _key(path, request, tool)
    if key is None:
        return
    entry = {
        "imported": {name: _digest(name) for name in imported},
        "kernels": [{**_plain(kernel), "diagnostics": []} for kernel in built.report.kernels],
        "contents": {name: base64.b64encode(content).decode() for name, content in built.contents.items()},
    }
    cache.put(key, json.dumps(entry).encode())


def _plain(kernel: Any) -> dict[str, Any]:
    return {name: getattr(kernel, name) for name in Facts.__dataclass_fields__}


def _recall(cache: DiskCache, path: str, request: Request, tool: str) -> Built | None:
    """The result of an earlier build, if all that it rests on is as it was."""
    key = _key(path, request, tool)
    raw = cache.get(key) if key is not None else None
    if raw is None:
        return None
    entry = json.loads(raw)
    if any(_digest(name) != digest for name, digest in entry["imported"].items()):
        return None
    kernels = tuple(_facts(kernel) for kernel in entry["kernels"])
    contents = {name: base64.b64decode(text) for name, text in entry["contents"].items()}
    return Built(Summary(path, (), kernels), contents, cached=True)


def _facts(data: dict[str, Any]) -> Facts:
    pairs = {name: tuple(map(tuple, data[name])) for name in ("disjoint", "instance")}
    lists = {name: tuple(data[name]) for name in ("contract", "assumptions", "runtime_checks")}
    facts = Facts(data["name"], data["line"], data["verdict"], time_ms=data["time_ms"])
    return replace(facts, **pairs, **lists)

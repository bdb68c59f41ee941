"""NVRTC: CUDA C++ text to PTX or a cubin of any architecture, with no GPU and no driver.

In: the text of a unit, an architecture, options. Out: bytes. The library (`runtime.nvrtc_library`) and the CUDA headers are
found in wheels, a toolkit or `CUDA_HOME` by cuda-pathfinder.
Works with NVRTC 12 and 13. Our own text must compile: where it does not, `NvrtcError` is an internal error with a report.
Non-goals: caching (`runtime.cache`), loading (`runtime.device`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from transpiler.runtime.nvrtc_library import Library, Refused

if TYPE_CHECKING:
    from transpiler.ir.device import Options

STANDARD = "-std=c++17"
_MESSAGE = re.compile(r"^(?P<path>.+?)\((?P<line>\d+)\): (?P<kind>(?:catastrophic )?error|warning)[^:]*: (?P<text>.*)$")


class NvrtcMissing(RuntimeError):
    """NVRTC is not installed."""


class UnsupportedArch(ValueError):
    """The NVRTC at hand does not know an architecture."""


@dataclass(frozen=True, slots=True)
class Message:
    """One line of NVRTC's log. With `#line` directives in the text, `path` and `line` are those of the Python file."""

    path: str
    line: int
    kind: str
    text: str


class NvrtcError(RuntimeError):
    """NVRTC refused text that we emitted: a bug of ours. `messages` and `log` say where, `source` is the text."""

    def __init__(self, source: str, log: str, arch: str, options: tuple[str, ...]) -> None:
        self.source = source
        self.log = log
        self.arch = arch
        self.options = options
        self.messages = parse_log(log)
        super().__init__(self.report())

    def report(self) -> str:
        """The log, and the lines of C++ that it speaks of."""
        numbered = self.source.split("\n")
        shown = []
        for message in self.messages:
            shown.append(f"{message.path}:{message.line}: {message.kind}: {message.text}")
            if message.path.endswith(".cu") and 0 < message.line <= len(numbered):
                shown.append(f"    {numbered[message.line - 1].strip()}")
        return "\n".join(
            [
                f"internal error: NVRTC {'.'.join(map(str, version()))} refuses the emitted C++ for {self.arch}",
                *(shown or [self.log.strip()]),
            ]
        )


def parse_log(log: str) -> tuple[Message, ...]:
    found = (_MESSAGE.match(line) for line in log.splitlines())
    return tuple(Message(m["path"], int(m["line"]), m["kind"].split()[-1], m["text"]) for m in found if m)


@cache
def _library() -> Library:
    try:
        return Library()
    except OSError as error:
        raise NvrtcMissing(f"NVRTC cannot be loaded: {error}") from error


@cache
def version() -> tuple[int, int]:
    """The version of the NVRTC at hand, as (major, minor)."""
    return _library().version()


@cache
def supported_archs() -> tuple[int, ...]:
    """Compute capabilities that this NVRTC builds for, such as 90."""
    return tuple(sorted(_library().architectures()))


@cache
def include_directories() -> tuple[str, ...]:
    """Where the CUDA headers of NVRTC's own major version lie; only units with f16, bf16 or grid barriers need them."""
    try:
        from cuda.pathfinder import find_nvidia_header_directory
    except ImportError:
        return ()
    found = find_nvidia_header_directory("cudart")
    if found is None or headers_version(Path(found)) != version()[0]:
        return ()
    others = find_nvidia_header_directory("cccl")
    return tuple(dict.fromkeys(directory for directory in (found, others) if directory))


def headers_version(directory: Path) -> int | None:
    """The major version of CUDA that a folder of headers belongs to."""
    try:
        text = (directory / "cuda_runtime_api.h").read_text("utf-8", errors="replace")
    except OSError:
        return None
    match = re.search(r"#define\s+CUDART_VERSION\s+(\d+)", text)
    return int(match[1]) // 1000 if match else None


def options_for(options: Options) -> tuple[str, ...]:
    """NVRTC's spelling of what a kernel's decorator says."""
    out = []
    if options.fast_math:
        out.append("--use_fast_math")
    if options.fma == "off":
        out.append("--fmad=false")
    if options.line_info:
        out.append("-lineinfo")
    if options.max_registers:
        out.append(f"--maxrregcount={options.max_registers}")
    return tuple(out)


def compile(
    source: str, *, arch: str, kind: str = "cubin", options: tuple[str, ...] = (), name: str = "kernels.cu"
) -> bytes:
    """Compile a unit for `arch` (`sm_90`, `sm_90a`, ...) to `kind`: `"cubin"` or `"ptx"`."""
    check_arch(arch)
    target = arch if kind == "cubin" else arch.replace("sm_", "compute_")
    flags = (f"-arch={target}", STANDARD, *options, *_includes(source))
    try:
        built = _library().compile(source, name, flags, kind.upper())
    except Refused as error:
        raise NvrtcError(source, str(error), arch, flags) from error
    return built.rstrip(b"\0") if kind == "ptx" else built


def check_arch(arch: str) -> None:
    """Raise `UnsupportedArch` for what is no architecture of this NVRTC."""
    match = re.fullmatch(r"sm_(\d+)[af]?", arch)
    known = supported_archs()
    if match is None or int(match[1]) not in known:
        listed = ", ".join(f"sm_{number}" for number in known)
        raise UnsupportedArch(f"NVRTC {'.'.join(map(str, version()))} does not build for {arch}; it knows {listed}")


def _includes(source: str) -> tuple[str, ...]:
    if "#include" not in source:
        return ()
    directories = include_directories()
    if not directories:
        major = version()[0]
        raise NvrtcMissing(
            f"the CUDA {major} headers (cuda_fp16.h and others) are not found: "
            f"install nvidia-cuda-runtime{f'-cu{major}' if major < 13 else ''} or a CUDA {major} toolkit"
        )
    return tuple(f"-I{directory}" for directory in directories)

"""What the launch asks of the compiler: a small protocol between `pipeline` and `runtime`.

In: nothing. Out: `CompiledUnit` (one kernel instance, proved and emitted), `Program` (a kernel of a file, which makes
instances), `Given` (what the arguments of a launch say about themselves, the key of an instance), `Parameter`; `Package` and
`Image`, the machine code that a kernel brought along.
Non-goals: passes (`pipeline`), cubins (`runtime.build`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from transpiler.ir import device as d
from transpiler.ir.abi import AbiParam
from transpiler.source import Source, Span

Dim3 = tuple[int, int, int]


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = _Missing()
"""The default of a parameter that has none."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as the file declares it; `is_const` marks `Const[...]`, whose value is part of the instance."""

    name: str
    span: Span
    default: Any = MISSING
    is_const: bool = False
    keyword_only: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """An argument as an instance sees it.

    `kind` is `array` (with `dtype`, a name such as `f32`, and `rank`), `int`, `float` or `bool` (with `dtype` where it is a NumPy
    scalar), or `none`. `value` is set for `Const` parameters only.
    """

    kind: str
    dtype: str | None = None
    rank: int = 0
    value: int | float | bool | None = None


class CheckSite(Protocol):
    """A check that the kernel records when it fails: `kind` is `bounds` (of an axis of an array) or `assert`."""

    @property
    def number(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def array(self) -> str: ...
    @property
    def axis(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Image:
    """Machine code in a file: `form` is `cubin`, `ptx`, or `fatbin` for several architectures in one."""

    path: Path
    form: str
    archs: tuple[str, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class Package:
    """What was packaged with a kernel: `says` tells what it is for, or why none of it is of use, and `fix` what mends that."""

    images: tuple[Image, ...]
    says: str
    fix: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CompiledUnit:
    """One kernel instance with everything that launching it needs. `contract` holds conditions as Python text."""

    kernel: d.Kernel
    abi: tuple[AbiParam, ...]
    symbol: str
    """Its `extern "C"` name in the cubin."""
    cuda: str
    """The C++ text that holds it."""
    contract: tuple[str, ...] = ()
    checks: tuple[CheckSite, ...] = ()
    options: tuple[str, ...] = ()
    """NVRTC options beside the architecture."""
    package: Package | None = None
    """What lies beside the kernel's file, if anything does."""


class Program(Protocol):
    """One kernel of a file."""

    name: str
    source: Source
    span: Span
    parameters: tuple[Parameter, ...]

    def instance(self, given: Mapping[str, Given], block: Dim3 | None) -> CompiledUnit:
        """The instance for these arguments; with a `block`, proved for that block and a free grid (`k[grid, block]`).

        Raises `CompileError` where the kernel is refused.
        """
        ...

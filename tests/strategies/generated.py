"""A generated kernel with a launch for it, and the file that it stands in.

In: parts of a kernel as text. Out: `Generated`. Non-goals: drawing the parts (`scalar`, `cooperative`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.strategies.numbers import NUMPY, is_int

Triple = tuple[int, int, int]

HEADER = """\
import math

from transpiler import (
    Atomic, Dim, In, InOut, Out, bf16, bool_, cuda, device, f16, f32, f64, i8, i16, i32, i64, kernel, u8, u16, u32, u64, unroll,
)


class M(Dim): ...


class N(Dim): ...


"""


@dataclass(frozen=True, kw_only=True)
class Generated:
    """The kernel is named `k`. `arguments` are arrays and numbers of one launch; `results` are the arrays to compare."""

    text: str
    arguments: Mapping[str, Any]
    results: tuple[str, ...]
    grid: Triple
    block: Triple
    features: frozenset[str] = field(default_factory=frozenset)
    """What was drawn, for counting."""

    @property
    def threads(self) -> int:
        return int(np.prod(self.grid)) * int(np.prod(self.block))


def kernel_file(params: list[str], body: list[str], decorator: str, before: str = "") -> str:
    inner = textwrap.indent("\n".join(body), "    ")
    return f"{HEADER}{before}@kernel({decorator})\ndef k({', '.join(params)}):\n{inner}\n"


def contents(dtype: str, shape: tuple[int, ...] | int, seed: int) -> np.ndarray:
    """Small numbers of both signs, with the edges of the dtype among them."""
    random = np.random.default_rng(seed)
    if is_int(dtype):
        info = np.iinfo(NUMPY[dtype])
        values = random.integers(max(info.min, -40), min(info.max, 90), shape, dtype=np.int64)
        edges = random.choice(np.array([info.min, info.max, 0, 1, info.max // 2], object), shape)
        picked = np.where(random.random(shape) < 0.15, edges, values.astype(object))
        return picked.astype(NUMPY[dtype])
    if dtype == "bool_":
        return random.random(shape) < 0.5
    values = np.round(random.normal(0, 6, shape), 2)
    edges = random.choice([0.0, -0.0, 0.5, -1.5, np.inf, -np.inf, np.nan, 3e4, 1e-4], shape)
    return np.where(random.random(shape) < 0.15, edges, values).astype(NUMPY[dtype])

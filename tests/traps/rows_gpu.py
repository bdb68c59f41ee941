"""Rows 87 to 95: traps of a GPU that Python hides. CPython runs one thread after the other, so what is right is stated here."""

# ruff: noqa: E501 (a row is a line)
from __future__ import annotations

from typing import Any

import numpy as np

from tests.traps.harness import PRELUDE, Case, Refused, Triple, elementwise, refused


def together(
    row: int, title: str, body: str, expected: Any, *, grid: Triple = (1, 1, 1), block: Triple = (64, 1, 1), **more: Any
) -> Case:
    """Threads that meet: `v` is what they write, an i32 array of 128."""
    return Case(row=row, title=title, text=_text(body, block), arguments={"v": np.zeros(128, np.int32)}, results=("v",), grid=grid, block=block,
                expected={"v": np.resize(np.array(expected, np.int32), 128)}, **more)  # fmt: skip


def wrong(
    row: int,
    title: str,
    body: str,
    code: str,
    before: str = "",
    *,
    grid: Triple = (1, 1, 1),
    block: Triple = (64, 1, 1),
) -> list[Refused]:
    """Found when it runs, and before it runs (under the code `before` where that is another one)."""
    arguments = {"v": np.zeros(128, np.int32)}
    return [
        Refused(
            row=row,
            title=title,
            text=_text(body, block),
            code=code,
            stage="run",
            arguments=arguments,
            grid=grid,
            block=block,
        ),
        Refused(row=row, title=f"{title}, before it runs", text=_text(body, block), code=before or code, stage="prove"),
    ]


def _text(body: str, block: Triple) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{PRELUDE}\n@kernel(block={block})\ndef k(v: InOut[i32, 128]):\n    tx = cuda.threadIdx.x\n{lines}"


TILE = "s = cuda.shared.array(64, i32)\n"
WARP = "s = cuda.shared.array(32, i32)\ns[tx] = tx\n"

ROWS: list[Case | Refused] = [
    together(87, "one thread writes for all", "if cuda.syncthreads_or(tx > 60):\n    if tx == 0:\n        v[0] = 1", [1] + [0] * 127),
    together(87, "a flag that is trusted", 'trust(ordered(v), "every thread writes the same value")\nif tx > 60:\n    v[0] = 1', [1] + [0] * 127, warns=()),
    *wrong(87, "two threads write the same value", "if tx > 60:\n    v[0] = 1", "E0301"),
    *wrong(87, "two blocks write the same value", "if tx == 0:\n    v[0] = 1", "E0302", grid=(2, 1, 1)),
    together(88, "shared memory is written, then read", TILE + "s[tx] = tx\ncuda.syncthreads()\nv[tx] = s[63 - tx]", list(range(63, -1, -1)) + [0] * 64),
    together(88, "shared memory with fill=", "s = cuda.shared.array(64, i32, fill=7)\nv[tx] = s[63 - tx]", [7] * 64 + [0] * 64),
    *wrong(88, "shared memory read before it is written", TILE + "v[tx] = s[tx]", "E0307"),
    *wrong(88, "local memory read before it is written", "s = cuda.local.array(4, i32)\ns[0] = 1\nv[tx] = s[1]", "E0307", "E0310"),
    together(89, "a vote of the whole warp", "m = cuda.ballot_sync(0xFFFFFFFF, tx % 2 == 0)\nv[tx] = i32(m & 0xFF)", [0x55] * 64 + [0] * 64),
    together(89, "a shuffle of the whole warp", "w = cuda.shfl_down_sync(0xFFFFFFFF, tx, 1)\nv[tx] = i32(w)", [t + 1 if t % 32 < 31 else t for t in range(64)] + [0] * 64),
    *wrong(89, "a full mask in a divergent branch", "if tx < 16:\n    m = cuda.ballot_sync(0xFFFFFFFF, tx > 3)\n    v[tx] = i32(m)", "E0402", block=(32, 1, 1)),
    together(90, "syncwarp between a write and a read", WARP + "cuda.syncwarp()\nv[tx] = s[31 - tx]", list(range(31, -1, -1)) + [0] * 96, block=(32, 1, 1)),
    *wrong(90, "a warp without syncwarp", WARP + "v[tx] = s[31 - tx]", "E0303", block=(32, 1, 1)),
    *[Refused(row=91, title=f"a launch of {grid} blocks of {block}", text=_text("v[0] = 1", (1, 1, 1)), code="E0814", stage="run", arguments={"v": np.zeros(128, np.int32)}, grid=grid, block=block)
      for grid, block in (((1, 65536, 1), (1, 1, 1)), ((1, 1, 65536), (1, 1, 1)), ((1, 1, 1), (1025, 1, 1)), ((1, 1, 1), (33, 32, 1)), ((1, 1, 1), (1, 1, 65)))],
    together(91, "the largest blocks", "if tx == 0 and cuda.threadIdx.z == 63:\n    v[0] = 1", [1] + [0] * 127, block=(1, 1, 64)),
    together(91, "a grid of many blocks in y and z", "if tx == 0 and cuda.blockIdx.y == 299 and cuda.blockIdx.z == 1:\n    v[0] = 1", [1] + [0] * 127, block=(1, 1, 1), grid=(1, 300, 2)),
    elementwise(92, "no elements", "out[i] = a[i]", {"a": np.zeros(0, np.int32)}, {"out": "i32"}),
    refused(92, "a grid of 0 is no mistake, a block of 0 is", "y[i] = q()", "E0231", before="@kernel(block=0)\ndef bad(y: InOut[i32, int]):\n    y[0] = 1\n@device\ndef q():\n    return 1\n"),
    together(93, "atomics of integers", "cuda.atomic.add(v, 0, 1)\ncuda.atomic.max(v, 1, tx)\ncuda.atomic.or_(v, 2, 1 << (tx & 7))\ncuda.atomic.min(v, 3, -tx)\ncuda.atomic.xor(v, 4, tx)", [64, 63, 255, -63] + [0] * 124),
    refused(93, "an atomic on bools", "cuda.atomic.add(f, 0, True)\ny[i] = 1", "E0206", params="f: Atomic[bool_, N]"),
    refused(93, "an atomic that works on integers", "cuda.atomic.xor(f, 0, 1.0)\ny[i] = 1", "E0206", params="f: Atomic[f32, N]"),
    refused(94, "an atomic sum of floats under deterministic=True", "y[i] = 1", "E0311", before="@kernel(block=64, deterministic=True)\ndef total(f: Atomic[f32, 1]):\n    cuda.atomic.add(f, 0, 0.5)\n"),
    Case(row=94, title="an atomic sum of floats that no order changes", text=PRELUDE + "\n@kernel(block=64)\ndef k(f: Atomic[f32, 1]):\n    cuda.atomic.add(f, 0, 0.5)\n",
         arguments={"f": np.zeros(1, np.float32)}, results=("f",), block=(64, 1, 1), expected={"f": np.array([32.0], np.float32)}),
]  # fmt: skip

ELSEWHERE: dict[int, tuple[str, ...]] = {
    91: ("tests/runtime/test_refusals.py",),
    92: ("tests/runtime/test_launch.py",),
    95: ("tests/runtime/test_refusals.py",),
}

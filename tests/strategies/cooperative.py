"""Kernels whose threads meet: shared memory, barriers, loops around them, warps, atomics; some right, some spoiled.

In: a `random.Random` (of a seed, or hypothesis's). Out: a `Generated` kernel. Patterns that are free of races by
construction (trees, scans, rotations, transposes, histograms, shuffles) are strung together, with parameters drawn; in part
of the kernels one thing is then spoiled (a barrier dropped or moved, an index shifted, a guard lost), and in part of them
accesses are drawn at random, so that many race, leave the array or diverge. What is right about a kernel is for the
simulator and the prover to say: no verdict is given here. Values are integers, so that no order of atomics shows. Non-
goals: the grammar of scalar code (`scalar`).
"""

# ruff: noqa: E501 (a form of the grammar is a line)
from __future__ import annotations

import random
import re
from typing import Any

import numpy as np

from tests.strategies.generated import Generated, kernel_file

BARRIER = "cuda.syncthreads()"


def cooperative_kernel(rng: random.Random) -> Generated:
    return _Block(rng).kernel()


class _Block:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.size = rng.choice([32, 32, 64, 64, 96])
        """Threads of a block, along x."""
        self.blocks = rng.randint(1, 3)
        self.features: set[str] = set()
        self.fresh = 0
        self.scratch: list[str] = []
        self.total_ops = rng.choice([["add", "sub"], ["add", "sub"], ["max"], ["min"], ["or_"], ["xor"]])
        """Operations on `total` that commute with each other."""

    def kernel(self) -> Generated:
        rng = self.rng
        if rng.random() < 0.12:
            return self._plane()
        body = ["s = cuda.shared.array(B, i32)", "tx, i = cuda.threadIdx.x, cuda.grid(1)", self.load()]
        phases = [self._permute, self._tree, self._scan, self._rotate, self._histogram, self._warp, self._totals, self._stride, self._local,
                  self._uniform, self._double_buffer, self._ballot, self._neighbours]  # fmt: skip
        for _ in range(rng.randint(1, 3)):
            phase = rng.choice(phases)
            self.features.add(phase.__name__.strip("_"))
            body += phase()
        spoiled = rng.random()
        if spoiled < 0.3:
            body += self._random()
            self.features.add("random")
        body += rng.choice(
            [
                ["if i < N:", "    out[i] = v"],
                ["out[i] = v if i < N else 0"] if rng.random() < 0.1 else ["if i < N:", "    out[i] += v"],
            ]
        )
        if 0.3 <= spoiled < 0.75:
            body = self.spoil(body)
        return self.generated(self.scratch + body)

    def generated(self, body: list[str]) -> Generated:
        rng = self.rng
        threads = self.size * self.blocks
        length = rng.choice(
            [threads, threads - rng.randint(1, self.size - 1), max(1, threads - 1), threads + rng.randint(0, 40)]
        )
        random_ = np.random.default_rng(rng.randrange(1 << 30))
        arguments: dict[str, Any] = {
            "x": random_.integers(-50, 50, length, dtype=np.int32),
            "out": random_.integers(-9, 9, length, dtype=np.int32),
            "total": np.zeros(8, np.int32),
            "n": rng.randint(0, 5),
            "m": rng.randint(1, 4),
        }
        params = ["x: In[i32, N]", "out: InOut[i32, N]", "total: Atomic[i32, 8]", "n: i32", "m: i32"]
        decorator = rng.choice(["block=B", "domain=N, block=B"])
        text = kernel_file(params, body, decorator, f"B = {self.size}\n\n\n")
        return Generated(text=text, arguments=arguments, results=("out", "total"), grid=(self.blocks, 1, 1), block=(self.size, 1, 1),
                         features=frozenset(self.features))  # fmt: skip

    def name(self, stem: str) -> str:
        self.fresh += 1
        return f"{stem}{self.fresh}"

    def load(self) -> str:
        return self.rng.choice(
            ["v = x[i] if i < N else 0", "v = x[i] if i < N else tx", "v = i32(tx) + (x[i] if i < N else 0)"]
        )

    def permutation(self) -> str:
        """An index of the block's array, one thread an element."""
        power = self.size & (self.size - 1) == 0
        forms = [
            "B - 1 - tx",
            f"(tx + {self.rng.randint(1, self.size)}) % B",
            "(tx + n * n) % B",
            f"(B + tx - {self.rng.randint(1, 5)}) % B",
        ]
        if power:
            forms += [f"tx ^ {self.rng.randrange(1, self.size)}", f"(tx * {self.rng.choice([3, 5, 7])}) % B"]
        return self.rng.choice(forms)

    # --- patterns that are right ---------------------------------------------------------------------------

    def _permute(self) -> list[str]:
        if self.rng.random() < 0.5:
            return [f"s[{self.permutation()}] = v", BARRIER, f"v = s[{self.permutation()}] * 3 + 1", BARRIER]
        return ["s[tx] = v", BARRIER, f"v += s[{self.permutation()}]", BARRIER]

    def _neighbours(self) -> list[str]:
        k = self.rng.randint(1, 3)
        return [
            "s[tx] = v",
            BARRIER,
            f"if tx >= {k}:",
            f"    v += s[tx - {k}]",
            f"if tx + {k} < B:",
            f"    v -= s[tx + {k}]",
            BARRIER,
        ]

    def _tree(self) -> list[str]:
        if self.size & (self.size - 1):
            return [
                "s[tx] = v",
                BARRIER,
                "if tx == 0:",
                "    for k in range(1, B):",
                "        s[0] += s[k]",
                BARRIER,
                "v += s[0]",
                BARRIER,
            ]
        half, op = (
            self.name("half"),
            self.rng.choice(["s[tx] += s[tx + {h}]", "s[tx] = max(s[tx], s[tx + {h}])", "s[tx] = s[tx] ^ s[tx + {h}]"]),
        )
        step = op.format(h=half)
        forms = [
            [f"{half} = B // 2", f"while {half} > 0:", f"    if tx < {half}:", f"        {step}", f"    {BARRIER}", f"    {half} //= 2"],
            [f"{half} = B >> 1", f"while {half}:", f"    if tx < {half}:", f"        {step}", f"    {BARRIER}", f"    {half} >>= 1"],
            [f"for {half} in ({', '.join(str(self.size >> k) for k in range(1, self.size.bit_length()))},):", f"    if tx < {half}:", f"        {step}", f"    {BARRIER}"],
        ]  # fmt: skip
        return ["s[tx] = v", BARRIER, *self.rng.choice(forms), "v += s[0]", BARRIER]

    def _scan(self) -> list[str]:
        step, left = self.name("step"), self.name("left")
        return [
            "s[tx] = v", BARRIER, f"{step} = 1", f"while {step} < B:", f"    {left} = s[tx - {step}] if tx >= {step} else 0", f"    {BARRIER}",
            f"    s[tx] += {left}", f"    {BARRIER}", f"    {step} *= 2", "v = s[tx]", BARRIER,
        ]  # fmt: skip

    def _rotate(self) -> list[str]:
        r, w = self.name("r"), self.name("w")
        count = self.rng.choice(["n", "m", "3"])
        return ["s[tx] = v", BARRIER, f"for {r} in range({count}):", f"    {w} = s[(tx + {self.rng.randint(1, 9)}) % B] + {r}", f"    {BARRIER}", f"    s[tx] = {w}", f"    {BARRIER}", "v = s[tx]", BARRIER]  # fmt: skip

    def _double_buffer(self) -> list[str]:
        r, d, size = self.name("r"), self.name("d"), self.size
        self.scratch.append(f"{d} = cuda.shared.array((2, B), i32)")
        return [f"{d}[0, tx] = v", BARRIER, f"for {r} in range({self.rng.choice(['n', '4'])}):", f"    {d}[({r} + 1) % 2, tx] = {d}[{r} % 2, (tx + {self.rng.randrange(1, size)}) % B] + 1",
                f"    {BARRIER}", f"v += {d}[0, tx] - {d}[0, 0]" if self.rng.random() < 0.2 else f"v += {d}[0, tx]", BARRIER]  # fmt: skip

    def _histogram(self) -> list[str]:
        h, bins = self.name("h"), self.rng.choice([8, 16, 32])
        self.scratch.append(f"{h} = cuda.shared.array({bins}, i32)")
        op = self.rng.choice(["add", "max", "or_", "xor"])
        return [
            f"if tx < {bins}:",
            f"    {h}[tx] = 0",
            BARRIER,
            f"cuda.atomic.{op}({h}, v % {bins}, {self.rng.choice(['1', 'v & 15'])})",
            BARRIER,
            f"v += {h}[tx % {bins}]",
        ]

    def _totals(self) -> list[str]:
        op = self.rng.choice(self.total_ops)
        guard = self.rng.choice(["i < N", "tx == 0", "v > 0"])
        return [f"if {guard}:", f"    cuda.atomic.{op}(total, {self.rng.choice(['0', 'tx % 8', 'v % 8', '7'])}, v)"]

    def _warp(self) -> list[str]:
        w = self.name("w")
        forms = [
            [f"{w} = v", *(f"{w} += cuda.shfl_down_sync(0xFFFFFFFF, {w}, {d})" for d in (16, 8, 4, 2, 1)), f"v += {w}"],
            [f"{w} = v", f"for d{w} in (16, 8, 4, 2, 1):", f"    {w} = max({w}, cuda.shfl_xor_sync(0xFFFFFFFF, {w}, d{w}))", f"v = v * 2 - {w}"],
            [f"{w} = cuda.shfl_sync(0xFFFFFFFF, v, {self.rng.randrange(32)})", f"v -= {w}"],
            [f"{w} = cuda.shfl_up_sync(0xFFFFFFFF, v, {self.rng.randint(1, 5)})", "if tx % 32 >= 5:", f"    v += {w}"],
            ["s[tx] = v", "cuda.syncwarp()", f"{w} = s[tx ^ {self.rng.randint(1, 31)}]", "cuda.syncwarp()", f"v = v + {w}", BARRIER],
        ]  # fmt: skip
        return self.rng.choice(forms)

    def _ballot(self) -> list[str]:
        w = self.name("w")
        condition = self.rng.choice(["v > 0", "v % 2 == 0", "i < N"])
        return self.rng.choice([
            [f"{w} = cuda.ballot_sync(0xFFFFFFFF, {condition})", f"v += i32({w} & 0xFF)"],
            [f"if cuda.any_sync(0xFFFFFFFF, {condition}):", "    v += 1"],
            [f"v += cuda.syncthreads_count({condition})"],
            [f"if cuda.syncthreads_or({condition}):", "    s[tx] = v", f"    {BARRIER}", "    v += s[B - 1 - tx]", BARRIER],
            ["s[tx] = v", f"if cuda.syncthreads_and({condition}):", "    v = s[B - 1 - tx]", BARRIER],
        ])  # fmt: skip

    def _stride(self) -> list[str]:
        j = self.name("j")
        return [
            f"for {j} in range(i, N, cuda.gridsize(1)):",
            f"    out[{j}] = out[{j}] + {self.rng.choice([f'x[{j}]', '1', f'{j} % 7'])}",
        ]

    def _local(self) -> list[str]:
        z, k = self.name("z"), self.name("k")
        self.scratch.append(f"{z} = cuda.local.array(4, i32)")
        return [
            f"for {k} in range(4):",
            f"    {z}[{k}] = v + {k} * tx",
            f"v = {z}[{self.rng.randrange(4)}] - {z}[tx % 4]",
        ]

    def _uniform(self) -> list[str]:
        """Barriers under conditions that all threads of a block share."""
        condition = self.rng.choice(["n > 2", "cuda.blockIdx.x % 2 == 0", "m == 1", "N > B"])
        inner = ["s[tx] = v", BARRIER, f"v += s[{self.permutation()}]", BARRIER]
        return [f"if {condition}:", *("    " + line for line in inner)]

    def _plane(self) -> Generated:
        """A transpose of a matrix by tiles, or sums of rows, in a plane of threads."""
        rng = self.rng
        side = rng.choice([4, 8])
        pad = rng.choice([0, 1])
        rows, columns = side * rng.randint(1, 3), side * rng.randint(1, 3)
        ragged = rng.random() < 0.4
        if ragged:
            rows, columns = max(1, rows - rng.randint(0, 3)), max(1, columns - rng.randint(0, 3))
        body = [
            f"t = cuda.shared.array(({side}, {side + pad}), i32)", "tx, ty = cuda.threadIdx.x, cuda.threadIdx.y", f"r0, c0 = cuda.blockIdx.y * {side}, cuda.blockIdx.x * {side}",
            "if r0 + ty < M and c0 + tx < N:", "    t[ty, tx] = a[r0 + ty, c0 + tx]", BARRIER,
            "if c0 + ty < N and r0 + tx < M:", "    b[c0 + ty, r0 + tx] = t[tx, ty]",
        ]  # fmt: skip
        self.features.add("plane")
        if rng.random() < 0.5:
            body = self.spoil(body)
        random_ = np.random.default_rng(rng.randrange(1 << 30))
        arguments = {
            "a": random_.integers(-99, 99, (rows, columns), dtype=np.int32),
            "b": np.zeros((columns, rows), np.int32),
        }
        text = kernel_file(["a: In[i32, M, N]", "b: InOut[i32, N, M]"], body, f"block=({side}, {side})")
        grid = (-(-columns // side), -(-rows // side), 1)
        return Generated(
            text=text,
            arguments=arguments,
            results=("b",),
            grid=grid,
            block=(side, side, 1),
            features=frozenset(self.features),
        )

    # --- what is likely to be wrong ------------------------------------------------------------------------

    def place(self) -> str:
        rng = self.rng
        k = rng.randint(1, 5)
        return rng.choice(
            [
                "tx",
                f"tx // {k + 1}",
                f"(tx + {k}) % B",
                f"tx + {k}",
                f"tx - {k}",
                f"tx * {k} % B",
                "0",
                f"tx ^ {k}",
                "B - 1 - tx",
                "v % B",
                "n",
                f"(i + {k}) % B",
            ]
        )

    def _random(self) -> list[str]:
        """Accesses drawn at random, in a few intervals."""
        rng = self.rng
        lines = ["s[tx] = v"] if rng.random() < 0.8 else []
        for _ in range(rng.randint(2, 6)):
            access = rng.choice([f"s[{self.place()}] = v + {rng.randint(0, 3)}", f"v += s[{self.place()}]", f"s[{self.place()}] += 1", BARRIER, BARRIER,
                                 f"cuda.atomic.add(s, {self.place()}, 1)", f"v = s[{self.place()}] - v"])  # fmt: skip
            if rng.random() < 0.35:
                guard = rng.choice(
                    [
                        "tx < 16",
                        "tx == 0",
                        "i < N",
                        "n > 1",
                        "v > 0",
                        "tx % 2 == 0",
                        "tx > 0",
                        f"tx < B - {rng.randint(1, 4)}",
                    ]
                )
                lines += [f"if {guard}:", f"    {access}"]
            elif rng.random() < 0.15:
                lines += [
                    f"for q{self.name('')} in range({rng.choice(['n', '2', 'm'])}):",
                    f"    {access}",
                    f"    {rng.choice([BARRIER, 'v += 1'])}",
                ]
            else:
                lines.append(access)
        return lines

    def spoil(self, body: list[str]) -> list[str]:
        """One thing wrong, somewhere."""
        self.features.add("spoiled")
        for _ in range(8):
            changed = self.rng.choice(
                [_drop_barrier, _guard_barrier, _shift_index, _drop_guard, _move_barrier, _share_element, _weaken]
            )(self.rng, list(body))
            if changed != body:
                return changed
        return body


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _lines_with(body: list[str], what: str) -> list[int]:
    return [k for k, line in enumerate(body) if what in line]


def _drop_barrier(rng: random.Random, body: list[str]) -> list[str]:
    places = _lines_with(body, BARRIER)
    if places:
        place = rng.choice(places)
        body[place] = _indent(body[place]) + "v += 0" if "v" in "".join(body[:place]) else _indent(body[place]) + "pass"
    return body


def _guard_barrier(rng: random.Random, body: list[str]) -> list[str]:
    places = _lines_with(body, BARRIER)
    if places:
        place = rng.choice(places)
        at = _indent(body[place])
        guard = rng.choice(
            ["tx < 16", "tx >= 0", "i < N" if any("i = " in line or ", i = " in line for line in body) else "tx < 4"]
        )
        body[place : place + 1] = [f"{at}if {guard}:", f"{at}    {BARRIER}"]
    return body


def _move_barrier(rng: random.Random, body: list[str]) -> list[str]:
    places = [
        k
        for k in _lines_with(body, BARRIER)
        if k > 0 and _indent(body[k - 1]) == _indent(body[k]) and not body[k - 1].rstrip().endswith(":")
    ]
    if places:
        place = rng.choice(places)
        body[place - 1], body[place] = body[place], body[place - 1]
    return body


def _shift_index(rng: random.Random, body: list[str]) -> list[str]:
    places = [k for k, line in enumerate(body) if re.search(r"\[[^\]]*tx", line)]
    if places:
        place = rng.choice(places)
        body[place] = re.sub(
            r"\btx\b(?=[^\[]*\])", rng.choice(["(tx + 1)", "(tx - 1)", "(tx // 2)", "(tx * 2)"]), body[place], count=1
        )
    return body


def _drop_guard(rng: random.Random, body: list[str]) -> list[str]:
    places = [k for k, line in enumerate(body) if line.lstrip().startswith("if ") and line.rstrip().endswith(":")]
    if places:
        place = rng.choice(places)
        body[place] = (
            f"{_indent(body[place])}if {rng.choice(['n >= 0', 'True', 'm > 0']) if 'B' in ''.join(body) else 'True'}:"
        )
    return body


def _share_element(rng: random.Random, body: list[str]) -> list[str]:
    places = _lines_with(body, "out[i]")
    if places:
        place = rng.choice(places)
        body[place] = body[place].replace(
            "out[i]", rng.choice(["out[i // 2]", "out[i % 8]", "out[0]", "out[i + 1]", "out[tx]"])
        )
    return body


def _weaken(rng: random.Random, body: list[str]) -> list[str]:
    """A comparison that is off by one, or the other way round."""
    places = [k for k, line in enumerate(body) if re.search(r"(if|while) .*(<|>=) ", line)]
    if places:
        place = rng.choice(places)
        body[place] = (
            body[place].replace(" < ", " <= ", 1) if " < " in body[place] else body[place].replace(" >= ", " > ", 1)
        )
    return body

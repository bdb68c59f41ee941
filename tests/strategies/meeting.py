"""Short kernels whose threads may meet, be stopped or leave an array: index arithmetic, loops and barriers drawn freely.

In: a `random.Random`. Out: the text of a kernel file with the kernel `k`. Nothing is right by construction: the prover says
which are, the simulator whether that is true. Small moduli, strides and bounds make both answers common.
Non-goals: values (what is stored hardly matters), the grammar of scalar code (`scalar`), known patterns (`cooperative`).
"""

# ruff: noqa: E501, SIM300 (a form of the grammar is a line)
from __future__ import annotations

import random

from tests.strategies.generated import HEADER

SHARED = 64
GLOBAL = ("out", "y")


def meeting_kernel(rng: random.Random) -> str:
    return _Writer(rng).text()


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.block = rng.choice(["8", "16", "32", "48", "64", "(8, 4)", "(4, 4, 2)"])
        self.threads = {"(8, 4)": 32, "(4, 4, 2)": 32}.get(self.block) or int(self.block)
        self.names = ["tx", "i"]
        """Index integers in sight."""
        self.uniform = ["n", "m", "bx"]
        self.fresh = 0
        self.loops = 0
        self.helpers = ""

    def text(self) -> str:
        rng = self.rng
        start = ["s = cuda.shared.array(64, i32, fill=0)" if rng.random() < 0.7 else "s = cuda.shared.array(64, i32)"]
        start += ["p = cuda.local.array(4, i32, fill=0)"] if rng.random() < 0.2 else []
        linear = {"(8, 4)": "cuda.threadIdx.y * 8 + cuda.threadIdx.x", "(4, 4, 2)": "cuda.threadIdx.x + 4 * cuda.threadIdx.y + 16 * cuda.threadIdx.z"}  # fmt: skip
        start.append(f"tx = {linear.get(self.block, 'cuda.threadIdx.x')}")
        start += ["bx = cuda.blockIdx.x", f"i = bx * {self.threads} + tx"]
        if "p = " in "".join(start):
            self.names.append("p[tx % 4]")
        start += (
            ["requires(m >= 1, m <= 9, n >= 0)"]
            if rng.random() < 0.5
            else ["requires(m >= 1)"]
            if rng.random() < 0.3
            else []
        )
        body = self.body(0, rng.randint(1, 4))
        out = rng.choice(["N", "int", "int"])
        grid = (
            rng.choice(["", "", ", grid=2", ", grid=1", ", domain=N"])
            if self.block[0] != "("
            else rng.choice(["", ", grid=1"])
        )
        lines = [
            f"@kernel(block={self.block}{grid})",
            f"def k(x: In[i32, N], out: InOut[i32, {out}], y: InOut[i32, int], c: Atomic[{rng.choice(['i32', 'u32', 'u32', 'i64'])}, 4], n: i32, m: i32):",
            *("    " + line for line in [*start, *body]),
        ]
        return f"{HEADER.replace('u64, unroll', 'u64, requires, unroll')}{self.helpers}" + "\n".join(lines) + "\n"

    # --- statements ---

    def body(self, depth: int, count: int) -> list[str]:
        kept = list(self.names), list(self.uniform)
        lines: list[str] = []
        for _ in range(count):
            lines += self.statement(depth)
        self.names, self.uniform = kept
        return lines or ["pass"]

    def statement(self, depth: int) -> list[str]:
        rng = self.rng
        kinds = (
            ["store"] * 5
            + ["shared"] * 4
            + ["barrier"] * 4
            + ["local"] * 3
            + ["ticket", "warp", "atomic", "divide", "call", "reduce"]
        )
        if depth < 3:
            kinds += ["if"] * 4 + ["for"] * 3 + ["while"] * 2 + ["uniform_if"]
        kinds += ["leave"] * 2 if self.loops else []
        kinds += ["return"] if rng.random() < 0.2 else []
        return getattr(self, f"_{rng.choice(kinds)}")(depth)

    def _store(self, depth: int) -> list[str]:
        array = self.rng.choice(GLOBAL)
        index = self.index()
        line = f"{array}[{index}] = {self.value()}"
        if self.rng.random() < 0.5:
            index = "i"
        if self.rng.random() < 0.85:
            low = f"{index} >= 0 and " if index != "i" and self.rng.random() < 0.8 else ""
            return [f"if {low}{index} < {self.rng.choice([f'len({array})', 'N', 'n', '16'])}:", f"    {line}"]
        return [line]

    def _shared(self, depth: int) -> list[str]:
        index = self.shared_index()
        if self.rng.random() < 0.4:
            name = self.name("v")
            return [f"{name} = s[{index}]"]
        guard = self.rng.random()
        line = f"s[{index}] = {self.value()}"
        return [f"if {self.condition()}:", f"    {line}"] if guard < 0.4 else [line]

    def _barrier(self, depth: int) -> list[str]:
        return ["cuda.syncthreads()"] if self.rng.random() < 0.9 else ["cuda.syncwarp()"]

    def _local(self, depth: int) -> list[str]:
        name = self.name("a")
        line = f"{name} = {self.index()}"
        self.names.append(name)
        return [line]

    def _ticket(self, depth: int) -> list[str]:
        name = self.name("t")
        op = self.rng.choice(["add", "add", "add", "sub", "exch", "max", "inc"])
        step = self.rng.choice(["1", "1", "1", "2", "m", "0", "2147483647"])
        scope = self.rng.choice(["", "", ', scope="block"'])
        return [f"{name} = cuda.atomic.{op}(c, {self.rng.choice(['0', 'bx % 4', 'tx % 4'])}, {step}{scope})", f"if {name} >= 0 and {name} < len(y):", f"    y[{name}] = i"]  # fmt: skip

    def _atomic(self, depth: int) -> list[str]:
        return [f"cuda.atomic.add(s, {self.shared_index()}, 1)"]

    def _warp(self, depth: int) -> list[str]:
        name = self.name("w")
        mask = self.rng.choice(["0xFFFFFFFF", "0xFFFFFFFF", "0xFFFF", "cuda.activemask()"])
        return [f"{name} = cuda.shfl_xor_sync({mask}, i, {self.rng.choice(['1', '2', '16'])})"]

    def _reduce(self, depth: int) -> list[str]:
        name = self.name("q")
        return [f"{name} = {self.rng.choice(['cuda.syncthreads_or', 'cuda.syncthreads_count'])}({self.condition()})"]

    def _divide(self, depth: int) -> list[str]:
        name = self.name("d")
        line = f"{name} = {self.index()} {self.rng.choice(['//', '%'])} {self.rng.choice(['m', 'm', 'n', '(n + 1)', '(tx + 1)', '3'])}"
        self.names.append(name)
        return [line]

    def _call(self, depth: int) -> list[str]:
        if not self.helpers:
            sync = self.rng.choice(["    cuda.syncthreads()\n", ""])
            self.helpers = (
                "@device\ndef put(t: InOut[i32, int], at: i64, step: i64):\n"
                f"    t[at] = 1\n{sync}    if step > 3:\n        return at\n    return at + step\n\n\n"
            )
        name = self.name("r")
        lines = [f"{name} = put(s, {self.shared_index()}, {self.index()})"]
        self.names.append(name)
        return lines

    def _if(self, depth: int) -> list[str]:
        lines = [f"if {self.condition()}:", *_in(self.body(depth + 1, self.rng.randint(1, 2)))]
        if self.rng.random() < 0.3:
            lines += ["else:", *_in(self.body(depth + 1, 1))]
        return lines

    def _uniform_if(self, depth: int) -> list[str]:
        u = self.rng.choice(self.uniform)
        return [f"if {u} {self.rng.choice(['>', '<', '=='])} {self.rng.choice(['0', '1', '3', 'n', 'N'])}:", *_in(self.body(depth + 1, self.rng.randint(1, 3)))]  # fmt: skip

    def _for(self, depth: int) -> list[str]:
        rng = self.rng
        name = self.name("k")
        start, stop, step = rng.choice(
            [("0", "3", "1"), ("0", "n", "1"), ("tx", "16", "8"), ("i", "n", "cuda.gridsize(1)"), ("tx", "n", str(self.threads)), ("n", "0", "-1"),
             ("3", "-1", "-1"), ("0", "m", "2"), ("1", "n", "m"), ("0", "tx % 3", "1"), ("i", "len(out)", str(self.threads)), ("0", "N", "16")]
        )  # fmt: skip
        uniform = "tx" not in start + stop and "i" != start
        return self._looped(f"for {name} in range({start}, {stop}, {step}):", depth, [], name, uniform)

    def _while(self, depth: int) -> list[str]:
        rng = self.rng
        name = self.name("h")
        start, cond, step = rng.choice(
            [("4", "> 0", "//= 2"), ("16", "> 0", "//= 2"), ("1", "< 16", "*= 2"), ("0", "< n", "+= 1"), ("n", "> 0", "-= 1"),
             ("tx", "< 32", "+= 8"), ("1", "< n", "*= 2"), ("n", "> 1", "//= 2"), ("0", "< 7", "+= m"), ("1", "< 40", "<<= 1")]
        )  # fmt: skip
        last = [f"{name} {step}"]
        return [f"{name} = {start}", *self._looped(f"while {name} {cond}:", depth, last, name, "tx" not in start)]

    def _looped(self, head: str, depth: int, last: list[str], counter: str, uniform: bool) -> list[str]:
        kept = list(self.names), list(self.uniform)
        self.names.append(counter)
        if uniform:
            self.uniform.append(counter)
        self.loops += 1
        inner = self.body(depth + 1, self.rng.randint(1, 4))
        self.loops -= 1
        self.names, self.uniform = kept
        return [head, *_in([*inner, *last])]

    def _leave(self, depth: int) -> list[str]:
        return [f"if {self.condition()}:", f"    {self.rng.choice(['break', 'break', 'break'])}"]

    def _return(self, depth: int) -> list[str]:
        return [f"if {self.condition()}:", "    return"]

    # --- expressions ---

    def name(self, letter: str) -> str:
        self.fresh += 1
        return f"{letter}{self.fresh}"

    def index(self) -> str:
        rng = self.rng
        a = rng.choice([*self.names, "tx", "i"])
        c = rng.choice(["1", "2", "3", "4", "8"])
        u = rng.choice([*self.uniform, "m"])
        return rng.choice(
            [a, a, a, f"{a} + {c}", f"{a} - {c}", f"{a} * {c}", f"{a} * 2 + 1", f"{a} + {u}", f"{a} // {c}", f"{a} % {c}", f"({a} ^ {c})", f"({a} & 7)",
             f"({a} >> 1)", f"{a} * {u}", f"{a} + {u} * {self.threads}", f"{self.threads} - 1 - tx", f"min({a}, {c})", f"max({a}, {u})",
             f"({a} if {self.condition()} else {u})", f"x[{a}]" if rng.random() < 0.3 else a, f"-{a}", f"abs({a} - {c})", f"(tx // 8) * 8 + (tx + {c}) % 8",
             f"{a} + len(y)" if rng.random() < 0.1 else a]
        )  # fmt: skip

    def shared_index(self) -> str:
        rng = self.rng
        u = rng.choice([*self.uniform, "m"])
        return rng.choice(
            ["tx", "tx", "tx", "tx", "tx", "tx", "tx", "tx + 1", "tx - 1", f"(tx + 1) % {self.threads}", f"{self.threads} - 1 - tx", "0", "tx // 2", "tx ^ 1", "tx ^ 2", f"({self.index()}) % 64",
             f"(tx + {u}) % {self.threads}", "tx % 32", f"({self.index()}) & 63", f"tx + {u}", "tx * 2", f"(tx * 2 + 1) % {self.threads}", f"({u} % 2) * 32 + tx % 32"]
        )  # fmt: skip

    def condition(self) -> str:
        rng = self.rng
        a = rng.choice([*self.names, "tx", "i"])
        u = rng.choice([*self.uniform, "m"])
        op = rng.choice(["<", "<=", ">", ">=", "==", "!="])
        return rng.choice(
            [f"{a} {op} {rng.choice(['0', '1', '4', '8', '31'])}", f"{a} < n", f"{a} < N", f"{a} % 2 == 0", f"tx {op} {u}", f"{u} {op} 2", f"{u} % 2 == 0", f"x[{a}] > 0" if rng.random() < 0.2 else f"{a} > 3",
             f"{a} < 5 and {u} {op} 1", f"tx == 0 or {u} < 3", f"0 <= {a} < len(out)", f"tx // 32 == {u}"]
        )  # fmt: skip

    def value(self) -> str:
        return self.rng.choice(["i32(tx)", "1", "i32(i + 1)", "n", "m"])


def _in(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]

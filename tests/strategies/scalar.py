"""Kernels whose threads meet nobody: scalar code over the whole grammar of statements and expressions, for CPython to judge.

In: a `random.Random` (of a seed, or hypothesis's). Out: a `Generated` kernel in which every thread owns the elements at its
index. Everything is typed as it is drawn, so that the language accepts it: narrow integers, halves and index integers meet
in the ways that the promotion rules allow. Divisors, shift counts and exponents are bounded, but for a few left as they
come. Non-goals: threads that meet (`cooperative`).
"""

# ruff: noqa: E501 (a form of the grammar is a line)
from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.strategies.generated import Generated, contents, kernel_file
from tests.strategies.numbers import FLOATS, INTEGERS, NUMPY, bits, common_dtype, is_int, limits

INDEX = "index"
ROWS = 4
"""Results a dtype: rows of its output."""

HELPERS = """\
@device
def find(r: InOut[i32, int], wanted: i64, first: i64):
    for at in range(first, len(r)):
        if r[at] % 5 == wanted:
            return at
        r[at] += at
    else:
        r[0] = r[0] // 3 + wanted
    return -1


@device
def say(t: InOut[i64, int], at: i64, d: i64):
    t[at] = (t[at] * 31 + d) % 1000003
    return d


@device
def mixed(a: f32, b: f32):
    if a < b:
        return a * b - 1.0
    return b - a


@device
def spread(v: i64, low: i64 = 3):
    total = 0
    for step in range(low):
        total += v * step % 11
    return total, v - low


"""


def scalar_kernel(rng: random.Random) -> Generated:
    return _Writer(rng).kernel()


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        pool = [*INTEGERS, *FLOATS]
        self.dtypes = sorted({rng.choice(pool) for _ in range(rng.randint(2, 4))} | {"i32"}, key=pool.index)
        self.locals: dict[str, list[str]] = {kind: [] for kind in (*self.dtypes, INDEX)}
        self.features: set[str] = set()
        self.loops = 0
        self.budget = rng.randint(6, 16)
        """Statements left to draw."""
        self.fresh = 0
        self.counters: list[str] = []
        """Loop variables in sight; they are read, and some are assigned."""

    # --- the kernel ----------------------------------------------------------------------------------------

    def kernel(self) -> Generated:
        rng = self.rng
        length = rng.choice([1, 7, 33, 40])
        params = [f"a_{t}: In[{t}, N]" for t in self.dtypes]
        params += [f"o_{t}: InOut[{t}, {ROWS}, N]" for t in self.dtypes] + [
            "o_index: InOut[i64, 4, N]",
            "t: InOut[i64, N]",
        ]
        params += ["n: i32", "s: f32"]
        inner = self.start()
        while self.budget > 0:
            inner += self.statement(0)
        for kind in (*self.dtypes, INDEX):
            inner += [f"o_{kind}[{row}, i] = {name}" for row, name in enumerate(self.locals[kind][:ROWS])]
        body = ["i = cuda.grid(1)", "if i < N:", *indented(inner)]
        seed = rng.randrange(1 << 30)
        arguments: dict[str, Any] = {f"a_{t}": contents(t, length, seed + k) for k, t in enumerate(self.dtypes)}
        arguments |= {f"o_{t}": np.zeros((ROWS, length), NUMPY[t]) for t in self.dtypes}
        arguments |= {
            "o_index": np.zeros((4, length), np.int64),
            "t": np.zeros(length, np.int64),
            "n": rng.choice([rng.randint(-3, 9), rng.randint(-3, 9), 2**31 - 1, -(2**31)]),
            "s": np.float32(1.25),
        }
        results = tuple(name for name in arguments if name[0] in "ot" and name != "n")
        text = kernel_file(params, body, 'domain=N, block=32, fma="off"', HELPERS)
        return Generated(text=text, arguments=arguments, results=results, grid=(-(-length // 32), 1, 1), block=(32, 1, 1), features=frozenset(self.features))  # fmt: skip

    def start(self) -> list[str]:
        """A few locals of each type, and an array of the thread's own."""
        lines = ["z = cuda.local.array(8, i32, fill=0)"]
        for kind in self.dtypes:
            for k in range(2):
                name = f"v{k}_{kind}"
                lines.append(f"{name} = {self.rng.choice([f'a_{kind}[i]', f'{kind}({self.literal(kind)})'])}")
                self.locals[kind].append(name)
        for k in range(2):
            lines.append(f"n{k} = i % {self.rng.randint(2, 9)} + {self.rng.randint(-2, 3)}")
            self.locals[INDEX].append(f"n{k}")
        return lines

    # --- statements ----------------------------------------------------------------------------------------

    def statement(self, depth: int) -> list[str]:
        self.budget -= 1
        kinds = (
            ["assign"] * 4
            + ["augment"] * 3
            + ["store"] * 2
            + ["pair", "chain", "effect", "element", "divmod", "call", "annotated"]
        )
        kinds += ["slice", "search", "gather"]
        if depth < 3:
            kinds += ["walrus_while", "data_range"]
            kinds += ["if"] * 3 + ["for"] * 3 + ["while"] * 2 + ["tuple_for"]
        if self.loops:
            kinds += ["leave"] * 2
        kind = self.rng.choice(kinds)
        self.features.add(kind)
        return getattr(self, f"_{kind}")(depth)

    def block(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randint(1, 3)):
            lines += self.statement(depth)
        return indented(lines)

    def some_type(self) -> str:
        return self.rng.choice([*self.dtypes, *self.dtypes, INDEX])

    def local(self, kind: str) -> str:
        return self.rng.choice(self.locals[kind])

    def _assign(self, _depth: int) -> list[str]:
        kind = self.some_type()
        return [f"{self.local(kind)} = {self.value(kind, 3)}"]

    def value(self, kind: str, depth: int) -> str:
        """An expression for a local; index integers are kept small, so that no product of them leaves 64 bits."""
        return (
            f"({self.index(depth)}) % {self.rng.randint(2, 97)} - {self.rng.randint(0, 9)}"
            if kind == INDEX
            else self.typed(kind, depth)
        )

    def _annotated(self, _depth: int) -> list[str]:
        kind = self.rng.choice(self.dtypes)
        self.fresh += 1
        name = f"w{self.fresh}"
        narrower = self.rng.choice(
            [d for d in self.dtypes if is_int(d) == is_int(kind) and {d, kind} != {"f16", "bf16"}]
        )
        lines = [
            f"{name}: {kind} = {self.typed(kind, 2)}",
            f"{name} = {self.typed(narrower, 1)}" if not is_int(kind) else f"{name} += {self.typed(kind, 1)}",
        ]
        return [*lines, f"{self.local(kind)} = {name}"]

    def _augment(self, _depth: int) -> list[str]:
        kind = self.some_type()
        name = self.local(kind)
        if kind == INDEX:
            return [f"{name} {self.rng.choice(['+', '-', '*'])}= {self.small_index()}", f"{name} %= 89"]
        return [f"{name} {self.operation(kind, 2)}"]

    def operation(self, kind: str, depth: int) -> str:
        """`op= value` for a place of this dtype."""
        if not is_int(kind):
            op = self.rng.choice(["+", "-", "*", "/", "//", "%"])
            return f"{op}= {self.operand(kind, depth)}"
        op = self.rng.choice(["+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>"])
        if op in ("//", "%"):
            return f"{op}= {self.divisor(kind, depth)}"
        if op in ("<<", ">>"):
            return f"{op}= {self.count(kind, depth)}"
        return f"{op}= {self.operand(kind, depth)}"

    def _store(self, _depth: int) -> list[str]:
        kind = self.rng.choice(self.dtypes)
        place = f"o_{kind}[{self.rng.randrange(ROWS)}, i]"
        if self.rng.random() < 0.4:
            return [f"{place} {self.operation(kind, 2)}"]
        return [f"{place} = {self.typed(kind, 3)}"]

    def _element(self, _depth: int) -> list[str]:
        place = f"z[({self.index(1)}) % 8]"
        if self.rng.random() < 0.5:
            return [f"{place} {self.operation('i32', 2)}"]
        if self.rng.random() < 0.3:
            return [f"{place}, z[{self.rng.randrange(8)}] = z[{self.rng.randrange(8)}], {self.typed('i32', 1)}"]
        return [f"{place} = {self.typed('i32', 2)}", f"{self.local('i32')} = z[-{self.rng.randint(1, 8)}]"]

    def _pair(self, _depth: int) -> list[str]:
        a, b = self.some_type(), self.some_type()
        x, y = self.local(a), self.local(b)
        if x == y:
            return [f"{x} = {self.value(a, 2)}"]
        if a == b and self.rng.random() < 0.5:
            return [f"{x}, {y} = {y}, {x}"]
        return [f"{x}, {y} = {self.value(a, 2)}, {self.value(b, 2)}"]

    def _chain(self, _depth: int) -> list[str]:
        kind = self.some_type()
        return [f"{self.local(kind)} = {self.local(kind)} = {self.value(kind, 2)}"]

    def _divmod(self, _depth: int) -> list[str]:
        kind = self.rng.choice(self.dtypes)
        left, right = self.typed(kind, 1), self.divisor(kind, 1) if is_int(kind) else self.typed(kind, 1)
        q, r = self.locals[kind][0], self.locals[kind][1]
        return [f"{q}, {r} = divmod({left}, {right})"]

    def _effect(self, _depth: int) -> list[str]:
        """Calls that leave a trace: their order shows."""
        calls = [f"say(t, i, {self.small_index()})" for _ in range(3)]
        a, b, c = calls
        form = self.rng.choice([
            f"{a} + {b} * {c}", f"{a} if {b} > {c} else {self.small_index()}", f"max({a}, {b}, {c})", f"{a} - ({b} - {c})",
            f"1 if {a} < {b} <= {c} else 0", f"1 if {a} > 3 and {b} > 2 or {c} > 1 else 2", f"say(t, i, {a} + {b})",
            f"abs({a}) + min({b}, {c})",
        ])  # fmt: skip
        return [f"{self.local(INDEX)} = ({form}) % 61"]

    def _call(self, _depth: int) -> list[str]:
        if self.rng.random() < 0.5 and "f32" in self.dtypes:
            return [f"{self.local('f32')} = mixed({self.typed('f32', 1)}, {self.typed('f32', 1)})"]
        extra = self.rng.choice(["", f", {self.rng.randint(0, 5)}", ", low=2"])
        return [f"n0, n1 = spread({self.small_index()}{extra})", "n0 %= 71", "n1 %= 67"]

    def _slice(self, _depth: int) -> list[str]:
        """A part of the thread's own array, clipped to it as Python clips."""
        rng = self.rng
        self.fresh += 1
        name = f"r{self.fresh}"
        bounds = [rng.choice(["", str(rng.randint(-9, 9)), f"({self.index(1)}) % 12 - 3"]) for _ in range(2)]
        step = rng.choice(["", "", ":2", ":3"])
        lines = [
            f"{name} = z[{bounds[0]}:{bounds[1]}{step}]",
            f"if len({name}) > 0:",
            f"    {name}[-1] = {self.typed('i32', 1)}",
        ]
        lines += (
            [f"    {name}[({self.index(1)}) % len({name})] {self.operation('i32', 1)}"] if rng.random() < 0.7 else []
        )
        return [*lines, f"{self.local(INDEX)} = len({name}) + {self.rng.randint(-2, 2)}"]

    def _search(self, _depth: int) -> list[str]:
        where = self.rng.choice(["z", "z", "z[2:]", "z[::3]"])
        return [f"{self.local(INDEX)} = find({where}, {self.small_index()}, {self.rng.randint(0, 2)})"]

    def _gather(self, _depth: int) -> list[str]:
        """Data as an index."""
        kind = self.rng.choice([d for d in self.dtypes if is_int(d)])
        source = self.rng.choice(self.dtypes)
        wrapped = f"({self.typed(kind, 1)}) % {self.rng.choice([3, 7, 8])}"
        lines = [f"{self.local('i32')} = z[{wrapped}]"]
        if self.rng.random() < 0.5:
            lines.append(f"{self.local(source)} = a_{source}[i64({self.typed(kind, 1)}) % N]")
        return lines

    def _walrus_while(self, depth: int) -> list[str]:
        self.fresh += 1
        name = f"c{self.fresh}"
        start = [f"{name} = ({self.index(1)}) % 5 + 1"]
        return [*start, f"while ({name} := {name} - 1) > 0 and ({self.condition(1)}):", *self._loop_body(depth, [])]

    def _data_range(self, depth: int) -> list[str]:
        """A range whose bounds are data, of any width."""
        self.fresh += 1
        name = f"k{self.fresh}"
        kind = self.rng.choice([d for d in self.dtypes if is_int(d) and d != "u64"])
        stop = f"({self.typed(kind, 1)}) % 5"
        header = self.rng.choice(
            [f"range({stop})", f"range({stop}, 6, 2)", f"range(({self.typed(kind, 1)}) % 7, {stop}, -1)"]
        )
        return [f"for {name} in {header}:", *self._loop_body(depth, [], name)]

    def _if(self, depth: int) -> list[str]:
        lines = [f"if {self.condition(2)}:", *self.block(depth + 1)]
        if self.rng.random() < 0.4:
            lines += [f"elif {self.condition(2)}:", *self.block(depth + 1)]
        if self.rng.random() < 0.5:
            lines += ["else:", *self.block(depth + 1)]
        return lines

    def _loop_body(self, depth: int, first: list[str], counter: str = "") -> list[str]:
        """`counter` is in sight in the body only: behind it the loop may have made no trip."""
        self.loops += 1
        self.counters += [counter] if counter else []
        lines = indented(first) + self.block(depth + 1)
        self.counters = [name for name in self.counters if name != counter]
        self.loops -= 1
        if self.rng.random() < 0.3:
            lines += ["else:", *self.block(depth + 1)]
        return lines

    def _for(self, depth: int) -> list[str]:
        self.fresh += 1
        own = self.rng.random() < 0.7
        name = f"k{self.fresh}" if own else self.local(INDEX)
        header = f"for {name} in {self.range_()}:"
        first = [f"{name} = {name} + {self.rng.randint(1, 3)}"] if self.rng.random() < 0.15 else []
        return [header, *self._loop_body(depth, first, name if own else "")]

    def range_(self) -> str:
        rng, e = self.rng, lambda: f"({self.index(1)}) % {rng.randint(2, 7)}"
        text = rng.choice([
            lambda: f"range({e()})", lambda: f"range({e()} - 2, {e()})", lambda: f"range({e()}, {e()} - 3, -1)",
            lambda: f"range({e()}, {e()} + 3, {rng.randint(2, 3)})", lambda: f"range({e()} - 4, {e()}, {e()} + 1)",
            lambda: f"range({e()} + 2, {e()} - 3, -({e()} + 1))", lambda: f"range({rng.randint(0, 4)})",
            lambda: f"reversed(range({e()}, {e()} + 2, {rng.randint(1, 3)}))", lambda: f"unroll(range({rng.randint(1, 4)}))",
        ])()  # fmt: skip
        return text

    def _tuple_for(self, depth: int) -> list[str]:
        self.fresh += 1
        name = f"k{self.fresh}"
        items = ", ".join(str(self.rng.randint(-9, 9)) for _ in range(self.rng.randint(1, 3)))
        form = self.rng.choice([f"for {name} in ({items},):", f"for {name}, k{self.fresh}b in enumerate(({items},)):"])
        return [form, *self._loop_body(depth, [], name)]

    def _while(self, depth: int) -> list[str]:
        self.fresh += 1
        name = f"c{self.fresh}"
        condition = f"{name} > 0" if self.rng.random() < 0.5 else f"{name} > 0 and ({self.condition(1)})"
        return [f"{name} = ({self.index(1)}) % 6", f"while {condition}:", *self._loop_body(depth, [f"{name} -= 1"])]

    def _leave(self, _depth: int) -> list[str]:
        word = self.rng.choice(["break", "continue", "break", "continue", "return"])
        return [f"if {self.condition(1)}:", f"    {word}"]

    # --- conditions ----------------------------------------------------------------------------------------

    def condition(self, depth: int) -> str:
        rng = self.rng
        if depth > 0 and rng.random() < 0.4:
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            return rng.choice(
                [
                    f"({a}) and ({b})",
                    f"({a}) or ({b})",
                    f"not ({a})",
                    f"({a}) & ({b})",
                    f"({a}) ^ ({b})",
                    f"({a}) == ({b})",
                ]
            )
        kind = self.some_type()
        sign = rng.choice(["<", "<=", ">", ">=", "==", "!="])
        if kind == INDEX:
            return f"{self.index(1)} {sign} {self.index(1)}"
        other = rng.choice([d for d in self.dtypes if comparable(kind, d)])
        if rng.random() < 0.15:
            return f"bool({self.typed(kind, 1)})"
        chain = f" {rng.choice(['<', '!='])} {self.typed(other, 0)}" if rng.random() < 0.3 else ""
        right = self.literal(kind) if rng.random() < 0.3 and not chain else self.typed(other, 1)
        return f"{self.typed(kind, 1)} {sign} {right}{chain}"

    # --- expressions ---------------------------------------------------------------------------------------

    def typed(self, kind: str, depth: int) -> str:
        """An expression of a dtype."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            return self.leaf(kind)
        forms = [self._binary] * 6 + [self._unary, self._cast, self._extremum, self._choice, self._value_logic]
        forms += [self._walrus] if rng.random() < 0.3 else []
        return rng.choice(forms)(kind, depth)

    def leaf(self, kind: str) -> str:
        rng = self.rng
        forms = [
            self.local(kind),
            self.local(kind),
            f"a_{kind}[i]",
            f"a_{kind}[({self.index(0)}) % N]",
            f"{kind}({self.literal(kind)})",
            f"o_{kind}[{rng.randrange(ROWS)}, i]",
        ]
        if kind == "i32":
            forms += [f"z[({self.index(0)}) % 8]", f"z[-{rng.randint(1, 8)}]"]
        if kind == "f32":
            forms.append("s")
        return rng.choice(forms)

    def literal(self, kind: str) -> str:
        rng = self.rng
        if kind == INDEX:
            return str(rng.randint(-9, 40))
        if is_int(kind):
            low, high = limits(kind)
            return str(
                rng.choice([n for n in (-7, -3, -1, 0, 1, 2, 3, 5, 8, 100, low, high, high // 3) if low <= n <= high])
            )
        return rng.choice(["0.0", "0.5", "1.5", "-2.25", "0.1", "3", "1e-3", "100.0", "7.0"])

    def operand(self, kind: str, depth: int) -> str:
        """What may stand beside a value of a dtype without changing the dtype of the result."""
        rng = self.rng
        choice = rng.random()
        if choice < 0.2:
            return self.literal(kind)
        if choice < 0.4:
            return self.typed(rng.choice([d for d in self.dtypes if absorbed(d, kind)]), depth - 1)
        if choice < 0.5 and (not is_int(kind) or kind in ("i32", "i64")):
            return f"({self.small_index()})"
        return self.typed(kind, depth - 1)

    def divisor(self, kind: str, depth: int) -> str:
        rng = self.rng
        if rng.random() < 0.03:
            return self.typed(kind, depth - 1)
        if rng.random() < 0.4:
            low, high = limits(kind)
            return str(
                rng.choice(
                    [n for n in (1, 2, 3, 4, 7, 8, 16, 100, -1, -2, -3, -8, low, high) if n != 0 and low <= n <= high]
                )
            )
        return f"({self.typed(kind, depth - 1)} | 1)"

    def count(self, kind: str, depth: int) -> str:
        rng = self.rng
        if rng.random() < 0.02:
            return self.typed(kind, depth - 1)
        return (
            str(rng.randrange(bits(kind)))
            if rng.random() < 0.4
            else f"({self.typed(kind, depth - 1)} & {bits(kind) - 1})"
        )

    def _binary(self, kind: str, depth: int) -> str:
        rng = self.rng
        left = self.typed(kind, depth - 1)
        if not is_int(kind):
            op = rng.choice(["+", "-", "*", "/", "//", "%", "+", "*"])
            if rng.random() < 0.1:
                return f"({left}) ** {rng.choice([2, 3])}"
            right = self.operand(kind, depth)
            return f"({left} {op} {right})" if rng.random() < 0.8 else f"({right} {op} {left})"
        op = rng.choice(["+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>", "**"])
        if op in ("//", "%"):
            return f"({left} {op} {self.divisor(kind, depth)})"
        if op in ("<<", ">>"):
            return f"({left} {op} {self.count(kind, depth)})"
        if op == "**":
            return (
                f"(({left}) ** {rng.randint(0, 5)})"
                if rng.random() < 0.5
                else f"(({left}) ** ({self.typed(kind, depth - 1)} & 7))"
            )
        right = self.operand(kind, depth)
        return f"({left} {op} {right})" if rng.random() < 0.8 else f"({right} {op} {left})"

    def _unary(self, kind: str, depth: int) -> str:
        inner = self.typed(kind, depth - 1)
        forms = [f"(-{inner})", f"abs({inner})", f"(+{inner})"] + (
            [f"(~{inner})"] if is_int(kind) else [f"math.sqrt({inner})"]
        )
        return self.rng.choice(forms)

    def _cast(self, kind: str, depth: int) -> str:
        rng = self.rng
        source = rng.choice([*self.dtypes, INDEX])
        if source == INDEX:
            return f"{kind}({self.small_index()})"
        if kind == "i32" and source in ("f16", "bf16", "f32"):
            return f"{rng.choice(['int', 'round', 'math.floor', 'math.ceil', 'math.trunc'])}({self.typed(source, depth - 1)})"
        if rng.random() < 0.2:
            return f"{kind}({self.condition(1)})"
        return f"{kind}({self.typed(source, depth - 1)})"

    def _extremum(self, kind: str, depth: int) -> str:
        name = self.rng.choice(["min", "max"])
        parts = [self.typed(kind, depth - 1), self.operand(kind, depth)] + (
            [self.literal(kind)] if self.rng.random() < 0.3 else []
        )
        return f"{name}({', '.join(parts)})"

    def _choice(self, kind: str, depth: int) -> str:
        return f"({self.typed(kind, depth - 1)} if {self.condition(1)} else {self.typed(kind, depth - 1)})"

    def _value_logic(self, kind: str, depth: int) -> str:
        return f"({self.typed(kind, depth - 1)} {self.rng.choice(['and', 'or'])} {self.typed(kind, depth - 1)})"

    def _walrus(self, kind: str, depth: int) -> str:
        self.features.add("walrus")
        return f"({self.local(kind)} := {self.typed(kind, depth - 1)})"

    # --- index integers ------------------------------------------------------------------------------------

    def index(self, depth: int) -> str:
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            return rng.choice(["i", "n", "N", *self.locals[INDEX], *self.counters, str(rng.randint(-5, 60))])
        a, b = self.index(depth - 1), self.index(depth - 1)
        return rng.choice([
            f"({a} + {b})", f"({a} - {b})", f"({a} * {rng.randint(-7, 7)})", f"({a} // {rng.choice([1, 2, 3, 8, -2, -5])})",
            f"({a} % {rng.choice([1, 2, 3, 8, 10, -4])})", f"min({a}, {b})", f"max({a}, {b}, 0)", f"abs({a})", f"(-{a})", f"({a} & 15)",
            f"({a} << {rng.randint(0, 4)})", f"({a} >> {rng.randint(0, 3)})", f"({a} if {a} < {b} else {b})", f"({a} ^ {b})",
            f"({a} // (abs({b}) + 1))", f"({a} % (abs({b}) + 1))", f"(~{a})", f"({a} | {rng.randint(0, 9)})",
        ])  # fmt: skip

    def small_index(self) -> str:
        return f"({self.index(1)}) % {self.rng.randint(2, 9)}"


def absorbed(dtype: str, into: str) -> bool:
    """Whether an operation of the two is done in `into`."""
    if {dtype, into} == {"f16", "bf16"}:
        return False
    if (
        is_int(dtype)
        and is_int(into)
        and dtype[0] != into[0]
        and max(bits(d) * (1 + (d[0] == "u")) for d in (dtype, into)) > 64
    ):
        return False
    return common_dtype(dtype, into) == into


def comparable(a: str, b: str) -> bool:
    return {a, b} != {"f16", "bf16"}


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]

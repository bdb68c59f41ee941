"""Contradictions that need no solver: elimination, digits, intervals.

In: formulas. Out: whether they contradict each other, and equations derived on the way (to help the solver where this
gives up).

* Equations with a unit coefficient eliminate a variable.
* **Digits.** In `c*A + B = 0` where the range of `B` holds one multiple of `c` only, `B` is that multiple. So `16*r1
  + x1 = 16*r2 + x2` with `0 <= x < 16` gives `r1 = r2` and `x1 = x2`. `c` may be a product of launch parameters
  (`gridDim * 256`, `rows * cols`): then `|B| < c` is shown from the inequalities.
* An inequality is shown by adding others until an interval proves it.
* Of a disjunction, what intervals rule out is dropped; what is left alone is assumed.

Everything is sound for any integers; nothing is complete. Non-goals: splitting cases, division.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from transpiler.prove.terms import Formula, Mono, Pool, Range, Sharing, range_mul

Row = dict[Mono, int]
Part = tuple[str, Any]
"""`ge`, `eq`, `ne` with a row, `b`, `nb` with a boolean atom, or something else that is not looked into."""
Case = tuple[Part, ...]
COMPARED = ("ge", "eq", "ne")
MAX_ROUNDS = 8
MAX_STEPS = 60
DEPTH = 4
MAX_SEARCHES = 200
"""Sums of inequalities looked at for one conjunction."""


class Linear:
    """One conjunction. `contradiction` may be asked once."""

    def __init__(self, pool: Pool, formulas: Iterable[Formula]):
        self.pool = pool
        self.atoms = pool.atoms
        self.equal: list[Row] = []
        self.at_least: list[Row] = []
        self.unequal: list[Row] = []
        self.choices: list[list[Case]] = []
        self.truth: dict[int, bool] = {}
        self._clash = False
        for f in formulas:
            if f.op == "or":
                self.choices.append([_case(g) for g in f.args])
            else:
                self._assume(_case(f))
        self.bounds: dict[Mono, Range] = {}
        self.derived: list[Row] = []
        self._steps = self._searches = 0
        self.work = 0
        """Rows looked at."""

    def contradiction(self) -> bool:
        for _ in range(MAX_ROUNDS):
            if self._clash or self._tighten():
                return True
            while self.equal and self._steps < MAX_STEPS:
                self._steps += 1
                row = self.equal.pop(0)
                if self._take(row):
                    return True
            if self._tighten() or self._tighten() or any(self._never(("ne", row)) for row in self.unequal):
                return True
            left = len(self.choices)
            if self._choose():
                return True
            if len(self.choices) == left:
                break
        return any(self.shows(_negated(row), DEPTH - 1) for row in self.at_least)

    # --- choices ---

    def _assume(self, case: Case) -> None:
        for op, what in case:
            if op == "eq":
                self.equal.append(what)
            elif op == "ge":
                self.at_least.append(what)
            elif op == "ne":
                self.unequal.append(what)
            elif op in ("b", "nb"):
                self._clash |= self.truth.setdefault(what, op == "b") != (op == "b")

    def _choose(self) -> bool:
        """Drop cases that cannot be; one that is left must be. True if none is left."""
        kept: list[list[Case]] = []
        for cases in self.choices:
            possible = [case for case in cases if not any(self._never(p) or self._refutes(p) for p in case)]
            if not possible:
                return True
            if len(possible) == 1:
                self._assume(possible[0])
            else:
                kept.append(possible)
        self.choices = kept
        return False

    def _refutes(self, part: Part) -> bool:
        op, what = part
        return op == "ge" and self.shows(_negated(what), 2)

    def _never(self, part: Part) -> bool:
        """Whether intervals alone rule a literal out."""
        op, what = part
        if op in ("b", "nb"):
            return what in self.truth and self.truth[what] != (op == "b")
        if op not in ("eq", "ge", "ne"):
            return False
        lo, hi = self.range(what)
        if op == "ge":
            return hi is not None and hi < 0
        if op == "ne":
            return lo == 0 and hi == 0
        common = _content(what)
        misses = bool(common) and what.get((), 0) % common != 0
        return misses or (lo is not None and lo > 0) or (hi is not None and hi < 0)

    # --- equations ---

    def _take(self, row: Row) -> bool:
        """Use one equation. True if it is contradictory."""
        row = {m: c for m, c in row.items() if c}
        if not row:
            return False
        common = _content(row)
        constant = row.get((), 0)
        if common == 0 or constant % common:
            return True
        if common > 1:
            row = {m: c // common for m, c in row.items()}
        lo, hi = self.range(row)
        if (lo is not None and lo > 0) or (hi is not None and hi < 0):
            return True
        split = self._split_constant(row)
        if split is None:
            split = self._split_symbolic(row)
        if split is False:
            return True
        if split:
            self.derived.extend(split)
            self.equal = split + self.equal
            return False
        self._eliminate(row)
        return False

    def _split_constant(self, row: Row) -> list[Row] | Literal[False] | None:
        sizes = sorted({abs(c) for m, c in row.items() if m and abs(c) > 1})
        constant = row.get((), 0)
        for g in sizes:
            low = {m: c for m, c in row.items() if m and c % g}
            high = {m: c for m, c in row.items() if m and c % g == 0}
            lo, hi = self.range(low)
            if lo is None or hi is None:
                continue
            first, last = -((-(lo + constant)) // g), (hi + constant) // g
            if first > last:
                return False
            if first == last and low and high:
                return [_plus(low, {(): constant - first * g}), _plus(high, {(): first * g})]
        return None

    def _split_symbolic(self, row: Row) -> list[Row] | None:
        """The rest is smaller than the common factor of the monomials that hold some launch parameter."""
        parameters: dict[int, int] = {}
        for m in row:
            for a in set(m):
                if self._is_parameter(a):
                    parameters[a] = parameters.get(a, 0) + 1
        for f in sorted(parameters, key=lambda a: (-parameters[a], a)):
            high = {m: c for m, c in row.items() if f in m}
            low = {m: c for m, c in row.items() if f not in m}
            common = tuple(a for a in _common(high) if self._is_parameter(a))
            size = _gcd_all(high.values())
            for unit in dict.fromkeys((common, (f,))):
                width = {unit: size, (): -1}
                if self.shows(_plus(width, low, -1), DEPTH) and self.shows(_plus(width, low), DEPTH):
                    quotient = {_without(m, unit): c // size for m, c in high.items()}
                    return [low, quotient]
        return None

    def _is_parameter(self, a: int) -> bool:
        atom = self.atoms[a]
        return atom.sharing is Sharing.LAUNCH

    def _eliminate(self, row: Row) -> None:
        inner = {a for m in row if len(m) > 1 for a in m}
        best: Mono | None = None
        for m, c in row.items():
            if len(m) == 1 and abs(c) == 1 and m[0] not in inner and (best is None or self._rank(m) > self._rank(best)):
                best = m
        if best is None:
            self.at_least.append(row)
            self.at_least.append({m: -c for m, c in row.items()})
            return
        self.work += len(self.at_least) + len(self.equal) + len(self.unequal) + len(self.choices)
        sign = row[best]
        value = {m: -c * sign for m, c in row.items() if m != best}
        x = best[0]
        bound = self.bounds.get(best, self.atoms[x].range)
        if bound[0] is not None:
            self.at_least.append(_plus(value, {(): -bound[0]}))
        if bound[1] is not None:
            self.at_least.append(_plus({(): bound[1]}, value, -1))
        self.equal = [_replace(r, x, value) for r in self.equal]
        self.at_least = [_replace(r, x, value) for r in self.at_least]
        self.unequal = [_replace(r, x, value) for r in self.unequal]
        self.choices = [
            [tuple((op, _replace(r, x, value) if op in COMPARED else r) for op, r in case) for case in cases]
            for cases in self.choices
        ]

    def _rank(self, m: Mono) -> tuple[int, int]:
        atom = self.atoms[m[0]]
        return (atom.sharing + (10 if atom.kind == "var" else 0), m[0])

    # --- inequalities ---

    def range(self, row: Row) -> Range:
        lo: int | None = 0
        hi: int | None = 0
        for m, c in row.items():
            low, high = self._mono_range(m)
            if c < 0:
                low, high = high, low
            if lo is not None:
                lo = None if low is None and c else lo + c * (low or 0)
            if hi is not None:
                hi = None if high is None and c else hi + c * (high or 0)
            elif lo is None:
                return (None, None)
        return (lo, hi)

    def _mono_range(self, m: Mono) -> Range:
        found = self.bounds.get(m)
        if found is None:
            found = (1, 1)
            for a in m:
                found = range_mul(found, self.bounds.get((a,), self.atoms[a].range))
            if m and len(m) > 1:
                return found
            self.bounds[m] = found
        return found

    def _tighten(self) -> bool:
        """One round of bounds from inequalities; True if one of them cannot hold."""
        self.work += 4 * len(self.at_least)
        for row in self.at_least:
            _, hi = self.range(row)
            if hi is not None and hi < 0:
                return True
            for m, c in row.items():
                if len(m) != 1 or not c:
                    continue
                rest = self.range({n: k for n, k in row.items() if n != m})[1]
                if rest is None:
                    continue
                lo, top = self._mono_range(m)
                if c > 0:
                    bound = -(rest // c)
                    if lo is None or bound > lo:
                        lo = bound
                else:
                    bound = rest // -c
                    if top is None or bound < top:
                        top = bound
                if lo is not None and top is not None and lo > top:
                    return True
                self.bounds[m] = (lo, top)
        return any(self._exclude(row) for row in self.unequal)

    def _exclude(self, row: Row) -> bool:
        """A value that a variable cannot have shortens its interval if it stands at an end. True if nothing is left."""
        monos = [m for m, c in row.items() if m and c]
        if len(monos) != 1 or len(monos[0]) != 1 or row.get((), 0) % row[monos[0]]:
            return False
        m = monos[0]
        value = -row.get((), 0) // row[m]
        lo, hi = self._mono_range(m)
        lo = value + 1 if lo == value else lo
        hi = value - 1 if hi == value else hi
        self.bounds[m] = (lo, hi)
        return lo is not None and hi is not None and lo > hi

    def shows(self, row: Row, depth: int) -> bool:
        """Whether `row >= 0` follows by adding inequalities."""
        self._searches += 1
        self.work += 1
        lo, _ = self.range(row)
        if lo is not None and lo >= 0:
            return True
        if depth == 0 or self._searches > MAX_SEARCHES:
            return False
        worst = self._worst(row)
        if worst is None:
            return False
        c = row[worst]
        for other in self.at_least:
            k = other.get(worst, 0)
            if k and (k > 0) == (c > 0) and c % k == 0 and self.shows(_plus(row, other, -(c // k)), depth - 1):
                return True
        return False

    def _worst(self, row: Row) -> Mono | None:
        """The monomial that most keeps the row from being provably non-negative."""
        best: Mono | None = None
        loss = 0
        for m, c in row.items():
            if not m or not c:
                continue
            low = self._mono_range(m)[c < 0]
            if low is None:
                return m
            if c * low < loss:
                best, loss = m, c * low
        return best


def _case(f: Formula) -> Case:
    """The literals of a formula that is no disjunction."""
    if f.op in COMPARED:
        return ((f.op, dict(f.args[0].terms)),)
    if f.op in ("b", "nb"):
        return ((f.op, f.args[0].id),)
    if f.op == "and":
        return tuple(part for g in f.args for part in _case(g))
    return ((f.op, 0),)


def _plus(a: Row, b: Row, factor: int = 1) -> Row:
    out = dict(a)
    for m, c in b.items():
        value = out.get(m, 0) + factor * c
        if value:
            out[m] = value
        else:
            out.pop(m, None)
    return out


def _negated(row: Row) -> Row:
    """`row < 0` as something that is at least 0."""
    return _plus({m: -c for m, c in row.items()}, {(): -1})


def _replace(row: Row, x: int, value: Row) -> Row:
    if not any(x in m for m in row):
        return row
    out: Row = {}
    for m, c in row.items():
        terms: Row = {tuple(a for a in m if a != x): c}
        for _ in range(m.count(x)):
            terms = _times(terms, value)
        out = _plus(out, terms)
    return out


def _times(a: Row, b: Row) -> Row:
    out: Row = {}
    for m, c in a.items():
        for n, k in b.items():
            key = tuple(sorted(m + n))
            out[key] = out.get(key, 0) + c * k
    return out


def _content(row: Row) -> int:
    return _gcd_all(c for m, c in row.items() if m)


def _gcd_all(values: Iterable[int]) -> int:
    common = 0
    for v in values:
        a, b = common, abs(v)
        while b:
            a, b = b, a % b
        common = a
    return common


def _common(row: Row) -> Mono:
    """The greatest common divisor of the monomials."""
    monos = list(row)
    shared = list(monos[0])
    for m in monos[1:]:
        left = list(m)
        kept = []
        for a in shared:
            if a in left:
                left.remove(a)
                kept.append(a)
        shared = kept
    return tuple(shared)


def _without(m: Mono, unit: Mono) -> Mono:
    left = list(m)
    for a in unit:
        left.remove(a)
    return tuple(left)

"""Constructors of atoms that fold: division, bits, minimum, selection, wrapping, floats, loads.

In: terms. Out: the same value in fewer or simpler terms: `x & (2**k - 1)` becomes `x % 2**k`, `x >> c` a division, `x
^ 2**k` an addition, `a | b` of disjoint masks a sum, `(32*q + r) // 32` with `0 <= r < 32` becomes `q`. Division and
modulo floor, as in Python; bits are those of infinite two's complement, so folding holds for negative values too.

Non-goals: widths (`wrap` makes them explicit), and bit tricks on two variables, which the solver gets bit by bit.
"""

from __future__ import annotations

from transpiler.ir.types import DType
from transpiler.prove.terms import (
    FLOAT,
    OPAQUE,
    Atom,
    Formula,
    Poly,
    Pool,
    Range,
    Sharing,
    range_join,
)

BLAST_BITS = 16
"""Operands of bit operations that the solver gets bit by bit are at most this wide."""


class Terms(Pool):
    """A pool with folding constructors."""

    # --- division ---

    def div(self, p: Poly, d: Poly) -> Poly:
        c = d.const
        if c is None:
            return self._div_symbolic(p, d)
        if c == 0:
            return self.of(self.atom("div", "//", (p, d), flags=OPAQUE))
        if c < 0:
            return self.div(-p, self.int(-c))
        if c == 1:
            return p
        whole, rest = self._split(p, c)
        lo, hi = rest.range
        if lo is not None and hi is not None and lo >= 0 and hi < c:
            return whole
        inner = self._single(rest)
        if inner is not None and inner.kind == "div" and inner.args[1].const is not None and inner.args[1].const > 0:
            return whole + self.div(inner.args[0], self.int(inner.args[1].const * c))
        r = (None if lo is None else lo // c, None if hi is None else hi // c)
        return whole + self.of(self.atom("div", "//", (rest, d), range=r))

    def mod(self, p: Poly, d: Poly) -> Poly:
        c = d.const
        if c is None:
            return self._mod_symbolic(p, d)
        if c == 0:
            return self.of(self.atom("mod", "%", (p, d), flags=OPAQUE))
        if c < 0:
            return -self.mod(-p, self.int(-c))
        if c == 1:
            return self.int(0)
        _, rest = self._split(p, c)
        lo, hi = rest.range
        if lo is not None and hi is not None and lo >= 0 and hi < c:
            return rest
        inner = self._single(rest)
        if inner is not None and inner.kind == "mod" and inner.args[1].const and inner.args[1].const % c == 0:
            return self.mod(inner.args[0], d)
        return self.of(self.atom("mod", "%", (rest, d), range=(0, c - 1)))

    def _split(self, p: Poly, c: int) -> tuple[Poly, Poly]:
        """`p == c * whole + rest`: multiples of `c` are in `whole`, and the constant lets `rest` start in `0 .. c-1`."""
        whole = {m: k // c for m, k in p.terms if k % c == 0 and m}
        rest = {m: k for m, k in p.terms if k % c and m}
        constant = p.constant_part
        low = self.poly(rest).range[0]
        q = (constant + low) // c if low is not None else constant // c
        whole[()] = q
        rest[()] = constant - q * c
        return self.poly(whole), self.poly(rest)

    def _single(self, p: Poly) -> Atom | None:
        if len(p.terms) == 1 and p.terms[0][1] == 1 and len(p.terms[0][0]) == 1:
            return self.atoms[p.terms[0][0][0]]
        return None

    def _divide_out(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """`p == d * whole + rest`, where `d` is one monomial."""
        whole: dict = {}
        rest: dict = {}
        if len(d.terms) != 1:
            return self.int(0), p
        dm, dc = d.terms[0]
        for m, k in p.terms:
            left = list(m)
            ok = k % dc == 0
            for a in dm:
                if a in left:
                    left.remove(a)
                else:
                    ok = False
            if ok:
                whole[tuple(left)] = k // dc
            else:
                rest[m] = k
        return self.poly(whole), self.poly(rest)

    def _div_symbolic(self, p: Poly, d: Poly) -> Poly:
        if p.const == 0:
            return p
        positive = d.range[0] is not None and d.range[0] >= 1
        whole, rest = self._divide_out(p, d) if positive else (self.int(0), p)
        if rest.const == 0:
            return whole
        lo, hi = rest.range
        r: Range = (None, None)
        if positive and lo is not None:
            r = (0 if lo >= 0 else lo, None if hi is None else max(hi, 0))
        return whole + self.of(self.atom("div", "//", (rest, d), range=r))

    def _mod_symbolic(self, p: Poly, d: Poly) -> Poly:
        if p.const == 0:
            return p
        positive = d.range[0] is not None and d.range[0] >= 1
        rest = self._divide_out(p, d)[1] if positive else p
        if rest.const == 0:
            return rest
        top = None if d.range[1] is None else d.range[1] - 1
        if rest.range[0] is not None and rest.range[0] >= 0 and rest.range[1] is not None:
            top = rest.range[1] if top is None else min(top, rest.range[1])
        return self.of(self.atom("mod", "%", (rest, d), range=(0, top) if positive else (None, None)))

    # --- bits ---

    def bit_and(self, p: Poly, q: Poly) -> Poly:
        if p.const is not None and q.const is not None:
            return self.int(p.const & q.const)
        if p.const is not None:
            p, q = q, p
        mask = q.const
        if mask is None:
            if p is q:
                return p
            lo = 0 if _nonneg(p) or _nonneg(q) else None
            his = [x.range[1] for x in (p, q) if _nonneg(x) and x.range[1] is not None]
            return self._bits("and", p, q, (lo, min(his) if his else None))
        if mask == 0:
            return q
        if mask < 0:
            return p - self.bit_and(p, self.int(~mask))
        shift = (mask & -mask).bit_length() - 1
        field = (mask >> shift) + 1
        if field & (field - 1) == 0:
            return self.mod(self.div(p, self.int(1 << shift)), self.int(field)).scale(1 << shift)
        return self._bits("and", p, q, (0, mask))

    def bit_or(self, p: Poly, q: Poly) -> Poly:
        if p.const is not None and q.const is not None:
            return self.int(p.const | q.const)
        if p is q:
            return p
        if self._disjoint_bits(p, q):
            return p + q
        return self._bits("or", p, q, _bits_range(p, q))

    def bit_xor(self, p: Poly, q: Poly) -> Poly:
        if p.const is not None and q.const is not None:
            return self.int(p.const ^ q.const)
        if p is q:
            return self.int(0)
        if p.const is not None:
            p, q = q, p
        if self._disjoint_bits(p, q):
            return p + q
        for x, y in ((p, q), (q, p)):
            inner = self._single(x)
            if inner is not None and inner.kind == "xor" and y in inner.args:
                return inner.args[1] if inner.args[0] is y else inner.args[0]
        c = q.const
        if c is not None:
            if c < 0:
                return -self.bit_xor(p, self.int(~c)) - 1
            lo, hi = p.range
            if lo is not None and hi is not None and lo >= 0 and hi <= c and c & (c + 1) == 0:
                return -p + c
            if c & (c - 1) == 0:
                bit = self.mod(self.div(p, q), self.int(2))
                out = p + c - bit.scale(2 * c)
                self._stays_within(out, bit, p, c)
                return out
        return self._bits("xor", p, q, _bits_range(p, q))

    def _stays_within(self, out: Poly, bit: Poly, p: Poly, c: int) -> None:
        """Turning a bit keeps a value below the power of two that it was below: a fact of the bit."""
        lo, hi = p.range
        atom = self._single(bit)
        if atom is None or lo is None or hi is None or lo < 0:
            return
        top = (1 << max(hi, c).bit_length()) - 1
        for fact in (self.ge(out), self.ge(self.int(top) - out)):
            if fact.op == "ge" and fact not in atom.facts:
                atom.facts = (*atom.facts, fact)

    def _disjoint_bits(self, p: Poly, q: Poly) -> bool:
        for a, b in ((p, q), (q, p)):
            lo, hi = b.range
            if lo is None or hi is None or lo < 0:
                continue
            unit = 1 << hi.bit_length()
            if all(c % unit == 0 for _, c in a.terms):
                return True
        return False

    def _bits(self, op: str, p: Poly, q: Poly, r: Range) -> Poly:
        if p.id > q.id:
            p, q = q, p
        fits = all(_nonneg(x) and x.range[1] is not None and x.range[1] < 1 << BLAST_BITS for x in (p, q))
        return self.of(self.atom(op, op, (p, q), range=r, flags=0 if fits else OPAQUE))

    def shl(self, p: Poly, q: Poly) -> Poly:
        if q.const is not None and 0 <= q.const <= 128:
            return p.scale(1 << q.const)
        lo = p.range[0]
        return self.of(
            self.atom("shl", "<<", (p, q), range=(lo if lo is not None and lo >= 0 else None, None), flags=OPAQUE)
        )

    def shr(self, p: Poly, q: Poly) -> Poly:
        if q.const is not None and 0 <= q.const <= 128:
            return self.div(p, self.int(1 << q.const))
        r = (0, p.range[1]) if _nonneg(p) else (None, None)
        return self.of(self.atom("shr", ">>", (p, q), range=r, flags=OPAQUE))

    def power(self, p: Poly, q: Poly) -> Poly:
        e = q.const
        if e is not None and 0 <= e <= 8:
            out = self.int(1)
            for _ in range(e):
                out = self.mul(out, p)
            return out
        if p.const == 2:
            return self.shl(self.int(1), q)
        return self.of(self.atom("pow", "**", (p, q), flags=OPAQUE))

    # --- selection ---

    def minimum(self, p: Poly, q: Poly) -> Poly:
        d = (p - q).range
        if d[1] is not None and d[1] <= 0:
            return p
        if d[0] is not None and d[0] >= 0:
            return q
        if p.id > q.id:
            p, q = q, p
        lo = None if p.range[0] is None or q.range[0] is None else min(p.range[0], q.range[0])
        his = [x.range[1] for x in (p, q) if x.range[1] is not None]
        return self.of(self.atom("min", "min", (p, q), range=(lo, min(his) if his else None)))

    def maximum(self, p: Poly, q: Poly) -> Poly:
        d = (p - q).range
        if d[1] is not None and d[1] <= 0:
            return q
        if d[0] is not None and d[0] >= 0:
            return p
        if p.id > q.id:
            p, q = q, p
        hi = None if p.range[1] is None or q.range[1] is None else max(p.range[1], q.range[1])
        los = [x.range[0] for x in (p, q) if x.range[0] is not None]
        return self.of(self.atom("max", "max", (p, q), range=(max(los) if los else None, hi)))

    def ite(self, cond: Formula, p: Poly, q: Poly) -> Poly:
        if cond is self.true or p is q:
            return p
        if cond is self.false:
            return q
        return self.of(self.atom("ite", "ite", (cond, p, q), range=range_join(p.range, q.range)))

    def ite_formula(self, cond: Formula, f: Formula, g: Formula) -> Formula:
        if f is g:
            return f
        return self.any((self.all((cond, f)), self.all((self.negate(cond), g))))

    def ite_float(self, cond: Formula, p: Atom, q: Atom) -> Atom:
        if cond is self.true or p is q:
            return p
        if cond is self.false:
            return q
        return self.atom("fite", "ite", (cond, p, q), "float", flags=FLOAT)

    def wrap(self, p: Poly, t: DType) -> Poly:
        """The value that a variable of dtype `t` holds when `p` is stored in it."""
        lo, hi = p.range
        if lo is not None and hi is not None and t.min <= lo and hi <= t.max:
            return p
        size = self.int(1 << t.bits)
        if t.kind == "int":
            return self.mod(p + (1 << (t.bits - 1)), size) - (1 << (t.bits - 1))
        return self.mod(p, size)

    # --- floats and loads ---

    def float_const(self, value: float) -> Atom:
        atom = self.atom("fconst", repr(float(value)), (), "float")
        atom.data = float(value)
        return atom

    def float_op(self, name: str, args: tuple) -> Atom:
        return self.atom("fop", name, args, "float", flags=0 if name in ("+", "-", "*", "neg") else FLOAT)

    def float_compare(self, op: str, a: Atom, b: Atom) -> Formula:
        if op in (">", ">="):
            op, a, b = {">": "<", ">=": "<="}[op], b, a
        if a.kind == "fconst" and b.kind == "fconst":
            x, y = a.data, b.data
            return self.true if {"<": x < y, "<=": x <= y, "==": x == y, "!=": x != y}[op] else self.false
        if op == "!=":
            return self.negate(self.float_compare("==", a, b))
        return self.bool_atom(self.atom("fcmp", op, (a, b), "bool"))

    def load(self, array: str, label: str, indices: tuple[Poly, ...], t: DType, sharing: Sharing | None, flags: int):
        """The value of an element: a `Poly`, `Formula` or float `Atom`. `label` tells loads apart whose values may differ."""
        sort = "float" if t.is_float else "bool" if t.kind == "bool" else "int"
        r = (t.min, t.max) if sort == "int" else (None, None)
        atom = self.atom("load", f"{array}{label}", indices, sort, sharing, r, flags)
        atom.data = (array, len(label) == 0, t)
        return self.as_value(atom)

    def as_value(self, atom: Atom) -> Poly | Formula | Atom:
        if atom.sort == "int":
            return self.of(atom)
        return self.bool_atom(atom) if atom.sort == "bool" else atom


def _nonneg(p: Poly) -> bool:
    return p.range[0] is not None and p.range[0] >= 0


def _bits_range(p: Poly, q: Poly) -> Range:
    if not (_nonneg(p) and _nonneg(q)) or p.range[1] is None or q.range[1] is None:
        return (0, None) if _nonneg(p) and _nonneg(q) else (None, None)
    return (0, (1 << max(p.range[1].bit_length(), q.range[1].bit_length())) - 1)

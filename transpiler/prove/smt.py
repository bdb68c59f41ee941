"""Formulas as SMT-LIB text for linear integer arithmetic.

In: terms. Out: text, one name an atom, with what must be declared and what holds of each atom by construction.
Products of variables and divisions by variables become opaque variables; `Encoder.opaque` says which, and a few
lemmas hold for them. Bit operations on two bounded variables are written bit by bit.

Non-goals: solving (`solver`), deciding which facts a query needs.
"""

from __future__ import annotations

from transpiler.prove.fold import BLAST_BITS, Terms
from transpiler.prove.terms import Atom, Formula, Poly


class Encoder:
    """Text of terms, made once each. New declarations pile up in `pending` until `take` fetches them."""

    def __init__(self, terms: Terms):
        self.terms = terms
        self.pending: list[str] = []
        self.opaque: dict[tuple[int, ...], str] = {}
        self.opaque_atoms: set[int] = set()
        self._atom_text: dict[int, str] = {}
        self._poly_text: dict[int, str] = {}
        self._formula_text: dict[int, str] = {}

    def take(self) -> str:
        text = "".join(self.pending)
        self.pending.clear()
        return text

    def name(self, atom: Atom) -> str:
        """The constant that stands for an atom in models."""
        return f"a{atom.id}"

    def poly(self, p: Poly) -> str:
        found = self._poly_text.get(p.id)
        if found is None:
            parts = [self._monomial(m, c) for m, c in p.terms]
            found = parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})" if parts else "0"
            self._poly_text[p.id] = found
        return found

    def _monomial(self, mono: tuple[int, ...], c: int) -> str:
        if not mono:
            return _number(c)
        first, *rest = mono
        body = self._product(mono) if rest else self.atom(self.terms.atoms[first])
        return body if c == 1 else f"(* {_number(c)} {body})"

    def _product(self, mono: tuple[int, ...]) -> str:
        found = self.opaque.get(mono)
        if found is None:
            found = self.opaque[mono] = "p" + "_".join(map(str, mono))
            self._declare(found)
            for a in mono:
                self.atom(self.terms.atoms[a])
            self._bounds(found, self.terms.poly({mono: 1}).range)
            self._product_lemmas(found, mono)
        return found

    def _product_lemmas(self, name: str, mono: tuple[int, ...]) -> None:
        """`b >= 1` and `a >= 0` give `a*b >= a`: enough to compare a product with its factors."""
        for i, a in enumerate(mono):
            rest = mono[:i] + mono[i + 1 :]
            lo_a = self.terms.atoms[a].range[0]
            lo_rest = self.terms.poly({rest: 1}).range[0]
            if lo_a is not None and lo_a >= 1 and lo_rest is not None and lo_rest >= 0:
                other = self.atom(self.terms.atoms[rest[0]]) if len(rest) == 1 else self._product(rest)
                self.pending.append(f"(assert (>= {name} {other}))")

    def _declare(self, name: str, sort: str = "Int") -> None:
        self.pending.append(f"(declare-const {name} {sort})")

    def _bounds(self, name: str, r: tuple[int | None, int | None]) -> None:
        if r[0] is not None:
            self.pending.append(f"(assert (<= {_number(r[0])} {name}))")
        if r[1] is not None:
            self.pending.append(f"(assert (<= {name} {_number(r[1])}))")

    def atom(self, a: Atom) -> str:
        found = self._atom_text.get(a.id)
        if found is None:
            found = self._atom_text[a.id] = self._atom(a)
        return found

    def _atom(self, a: Atom) -> str:
        match a.kind:
            case "div" | "mod":
                d = a.args[1].const
                if d is not None and d > 0:
                    return f"({a.kind} {self.poly(a.args[0])} {_number(d)})"
            case "min" | "max":
                x, y = (self.poly(v) for v in a.args)
                return f"(ite ({'<=' if a.kind == 'min' else '>='} {x} {y}) {x} {y})"
            case "ite":
                return f"(ite {self.formula(a.args[0])} {self.poly(a.args[1])} {self.poly(a.args[2])})"
            case "and" | "or" | "xor":
                if all(
                    x.range[0] is not None and x.range[0] >= 0 and (x.range[1] or 0) < 1 << BLAST_BITS for x in a.args
                ) and all(x.range[1] is not None for x in a.args):
                    return self._bitwise(a)
        name = self.name(a)
        self._declare(name, "Bool" if a.sort == "bool" else "Int")
        if a.sort == "int":
            self._bounds(name, a.range)
        if a.kind not in ("var", "load", "hv", "fcmp", "bhv"):
            self.opaque_atoms.add(a.id)
        if a.kind in ("div", "mod"):
            self._division_lemmas(a, name)
        return name

    def _division_lemmas(self, a: Atom, name: str) -> None:
        p, d = (self.poly(x) for x in a.args)
        if a.kind == "mod":
            self.pending.append(f"(assert (=> (>= {d} 1) (and (<= 0 {name}) (< {name} {d}))))")
            self.pending.append(f"(assert (=> (and (<= 0 {p}) (< {p} {d})) (= {name} {p})))")
        else:
            self.pending.append(f"(assert (=> (and (>= {d} 1) (>= {p} 0)) (and (<= 0 {name}) (<= {name} {p}))))")
            self.pending.append(f"(assert (=> (and (<= 0 {p}) (< {p} {d})) (= {name} 0)))")

    def _bitwise(self, a: Atom) -> str:
        width = max(x.range[1].bit_length() for x in a.args) or 1
        names: list[list[str]] = []
        for x in a.args:
            bits = [f"b{x.id}_{i}" for i in range(width)]
            if x.id not in self._bit_polys or self._bit_polys[x.id] < width:
                for b in bits[self._bit_polys.get(x.id, 0) :]:
                    self._declare(b, "Bool")
                self._bit_polys[x.id] = width
                total = " ".join(f"(ite {b} {1 << i} 0)" for i, b in enumerate(bits))
                self.pending.append(f"(assert (= {self.poly(x)} (+ 0 {total})))")
            names.append(bits)
        op = {"and": "and", "or": "or", "xor": "xor"}[a.kind]
        parts = (f"(ite ({op} {x} {y}) {1 << i} 0)" for i, (x, y) in enumerate(zip(*names, strict=True)))
        return f"(+ 0 {' '.join(parts)})"

    @property
    def _bit_polys(self) -> dict[int, int]:
        return self.__dict__.setdefault("_bits", {})

    def formula(self, f: Formula) -> str:
        found = self._formula_text.get(f.id)
        if found is None:
            found = self._formula_text[f.id] = self._formula(f)
        return found

    def _formula(self, f: Formula) -> str:
        match f.op:
            case "true" | "false":
                return f.op
            case "ge":
                return self._compare(">=", f.args[0])
            case "eq":
                return self._compare("=", f.args[0])
            case "ne":
                return f"(not {self._compare('=', f.args[0])})"
            case "b":
                return self.atom(f.args[0])
            case "nb":
                return f"(not {self.atom(f.args[0])})"
        return f"({f.op} {' '.join(self.formula(a) for a in f.args)})"

    def _compare(self, op: str, p: Poly) -> str:
        left = [self._monomial(m, c) for m, c in p.terms if c > 0]
        right = [self._monomial(m, -c) for m, c in p.terms if c < 0]
        x, y = (s[0] if len(s) == 1 else f"(+ {' '.join(s)})" if s else "0" for s in (left, right))
        return f"({op} {x} {y})"


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"

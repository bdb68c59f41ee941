"""Rebuilding terms with some atoms replaced: the second thread's copy, the next iteration, a fixed parameter.

In: a `Terms` pool and a function from an atom to its replacement (None keeps it). Out: the rewritten term, folded
again.
Non-goals: deciding what is replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from transpiler.prove.fold import Terms
from transpiler.prove.terms import Atom, Formula, Poly, Sharing

Leaf = Callable[[Atom], "Poly | None"]


class Rewrite:
    """One substitution with its memo. `leaf` decides on variables and on whole atoms before their arguments are looked at."""

    def __init__(self, terms: Terms, leaf: Leaf):
        self.terms = terms
        self.leaf = leaf
        self._polys: dict[int, Poly] = {}
        self._formulas: dict[int, Formula] = {}
        self._atoms: dict[int, Atom | Poly | Formula] = {}

    def poly(self, p: Poly) -> Poly:
        found = self._polys.get(p.id)
        if found is not None:
            return found
        t = self.terms
        changed = False
        values: dict[int, Poly] = {}
        for a in p.atom_ids():
            atom = t.atoms[a]
            new = self.atom(atom)
            assert isinstance(new, Poly), atom
            values[a] = new
            changed |= not (len(new.terms) == 1 and new.terms[0] == ((a,), 1))
        if not changed:
            self._polys[p.id] = p
            return p
        out = t.int(0)
        for mono, c in p.terms:
            product = t.int(c)
            for a in mono:
                product = t.mul(product, values[a])
            out = t.add(out, product)
        self._polys[p.id] = out
        return out

    def formula(self, f: Formula) -> Formula:
        found = self._formulas.get(f.id)
        if found is None:
            found = self._formulas[f.id] = self._formula(f)
        return found

    def _formula(self, f: Formula) -> Formula:
        t = self.terms
        match f.op:
            case "ge":
                return t.ge(self.poly(f.args[0]))
            case "eq":
                return t.eq(self.poly(f.args[0]))
            case "ne":
                return t.negate(t.eq(self.poly(f.args[0])))
            case "b":
                return self._truth(f.args[0])
            case "nb":
                return t.negate(self._truth(f.args[0]))
            case "and":
                return t.all(self.formula(a) for a in f.args)
            case "or":
                return t.any(self.formula(a) for a in f.args)
        return f

    def _truth(self, a: Atom) -> Formula:
        value = self.atom(a)
        assert isinstance(value, Formula), a
        return value

    def formulas(self, fs: tuple[Formula, ...]) -> tuple[Formula, ...]:
        return tuple(self.formula(f) for f in fs)

    def polys(self, ps: tuple[Poly, ...]) -> tuple[Poly, ...]:
        return tuple(self.poly(p) for p in ps)

    def atom(self, a: Atom) -> Atom | Poly | Formula:
        """A `Poly` for an integer atom, a `Formula` for a boolean one, an `Atom` for a float."""
        found = self._atoms.get(a.id)
        if found is None:
            found = self._atoms[a.id] = self._atom(a)
        return found

    def _atom(self, a: Atom) -> Atom | Poly | Formula:
        t = self.terms
        new = self.leaf(a)
        if new is not None:
            return new
        if not a.args:
            return t.as_value(a)
        args: tuple[Any, ...] = tuple(self.any(x) for x in a.args)  # of the sorts that the kind of atom has
        if all(x is y for x, y in zip(args, a.args, strict=True)):
            return t.as_value(a)
        match a.kind:
            case "div":
                return t.div(*args)
            case "mod":
                return t.mod(*args)
            case "and":
                return t.bit_and(*args)
            case "or":
                return t.bit_or(*args)
            case "xor":
                return t.bit_xor(*args)
            case "shl":
                return t.shl(*args)
            case "shr":
                return t.shr(*args)
            case "pow":
                return t.power(*args)
            case "min":
                return t.minimum(*args)
            case "max":
                return t.maximum(*args)
            case "ite":
                return t.ite(*args)
            case "fite":
                return t.ite_float(*args)
            case "fcmp":
                return t.float_compare(a.name, *args)
        return t.as_value(self.rebuilt(a, a.name, args))

    def rebuilt(self, a: Atom, name: str, args: tuple) -> Atom:
        """The atom with another name or other arguments; what was known of it is known of the new one."""
        new = self.terms.atom(a.kind, name, args, a.sort, a.own, a.range, a.flags)
        new.data = a.data
        if a.facts and not new.facts:
            self._atoms[a.id] = self.terms.as_value(new)  # facts speak of the atom itself
            new.facts = self.formulas(a.facts)
        return new

    def any(self, x):
        if isinstance(x, Poly):
            return self.poly(x)
        if isinstance(x, Formula):
            return self.formula(x)
        if isinstance(x, Atom):
            return self.atom(x)
        return x


def substitute(terms: Terms, mapping: dict[int, Poly]) -> Rewrite:
    """Replace atoms by id."""
    return Rewrite(terms, lambda a: mapping.get(a.id))


class Copy(Rewrite):
    """The second of two threads: what the two do not share gets a prime."""

    def __init__(self, terms: Terms, shared: Sharing):
        super().__init__(terms, lambda a: None)
        self.shared = shared

    def _atom(self, a: Atom) -> Atom | Poly | Formula:
        if a.sharing <= self.shared:
            return self.terms.as_value(a)
        if a.own > self.shared:
            return self.terms.as_value(self.rebuilt(a, a.name + "'", tuple(self.any(x) for x in a.args)))
        return super()._atom(a)

"""Terms of the proofs: integer polynomials over atoms, formulas and opaque float values, hash-consed per kernel.

In: constructors of `Pool`. Out: `Poly`, `Formula` and `Atom` objects; equal terms are one object, so equality is
identity. A `Poly` is a sum of monomials over atoms with integer coefficients: two index expressions that are equal by
ring arithmetic are the same object. What is not ring arithmetic (division, bits, minimum, loads, loop-carried
unknowns) is an atom over polynomials; `fold` builds these and folds what it can. Everything has a sharing class, an
interval and the kinds of approximation inside it.

Non-goals: no reasoning beyond intervals, and no solver. Floats are trees without arithmetic: rounding has no ring laws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any


class Sharing(IntEnum):
    """Who sees one value: the whole launch, a block, a warp, one thread. A uniform loop counter is shared by the threads
    of a block that are in one barrier interval."""

    LAUNCH = 0
    BLOCK = 1
    COUNTER = 2
    WARP = 3
    THREAD = 4


# Kinds of approximation. A model that rests on one of them is a candidate, not a counterexample.
CONTENT = 1
"""The contents of memory that the launch writes."""
HAVOC = 2
"""A loop-carried value about which nothing is known."""
FLOAT = 4
"""A float that is more than a load or a small constant."""
TICKET = 8
"""The result of an atomic operation."""
EXIT = 16
"""Whether an earlier iteration left the loop."""
OPAQUE = 32
"""Integer arithmetic that the solver is not told about."""

Range = tuple[int | None, int | None]
Mono = tuple[int, ...]

MAX_DEPTH = 40
"""Deeper terms become unknown functions of what is in them."""
LEAVES = ("var", "probe", "load", "hv", "ticket", "deep")


class Atom:
    """An indivisible value: `kind` says which, `args` are terms, `name` is a label (a variable, an array, an operation)."""

    __slots__ = ("args", "data", "depth", "facts", "flags", "id", "kind", "name", "own", "range", "sharing", "sort")

    def __init__(self, id: int, kind: str, name: str, args: tuple, sort: str):
        self.id = id
        self.kind = kind
        self.name = name
        self.args = args
        self.sort = sort
        self.own = Sharing.LAUNCH
        """The class apart from the arguments: a loaded value may be a thread's own although the index is not."""
        self.sharing = Sharing.LAUNCH
        self.range: Range = (None, None)
        self.flags = 0
        self.facts: tuple[Formula, ...] = ()
        self.data: Any = None
        """What the kind needs besides terms: a constant, where a value was loaded, the access that gave it."""
        self.depth = 1 + max((a.depth for a in args if isinstance(a, (Poly, Formula, Atom))), default=0)

    def __repr__(self) -> str:
        return show_atom(self)


class Poly:
    """`terms` maps sorted tuples of atom ids (with repetition) to coefficients; the empty tuple is the constant."""

    __slots__ = ("depth", "flags", "id", "pool", "range", "sharing", "terms")

    def __init__(self, pool: Pool, id: int, terms: tuple[tuple[Mono, int], ...]):
        self.pool = pool
        self.id = id
        self.terms = terms
        atoms = pool.atoms
        self.sharing = Sharing.LAUNCH
        self.flags = 0
        self.depth = 0
        for mono, _ in terms:
            for a in mono:
                atom = atoms[a]
                self.depth = max(self.depth, atom.depth)
                if atom.sharing > self.sharing:
                    self.sharing = atom.sharing
                self.flags |= atom.flags
        self.range = _poly_range(atoms, terms)

    @property
    def const(self) -> int | None:
        """The value of a constant, else None."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and not self.terms[0][0]:
            return self.terms[0][1]
        return None

    @property
    def constant_part(self) -> int:
        return self.terms[0][1] if self.terms and not self.terms[0][0] else 0

    @property
    def linear(self) -> bool:
        return all(len(m) <= 1 for m, _ in self.terms)

    def atom_ids(self) -> set[int]:
        return {a for m, _ in self.terms for a in m}

    def __add__(self, other: Poly | int) -> Poly:
        return self.pool.add(self, other if isinstance(other, Poly) else self.pool.int(other))

    def __sub__(self, other: Poly | int) -> Poly:
        return self.pool.add(self, (other if isinstance(other, Poly) else self.pool.int(other)).scale(-1))

    def __mul__(self, other: Poly | int) -> Poly:
        if isinstance(other, int):
            return self.scale(other)
        return self.pool.mul(self, other)

    def __neg__(self) -> Poly:
        return self.scale(-1)

    def scale(self, factor: int) -> Poly:
        if factor == 1:
            return self
        if factor == 0:
            return self.pool.int(0)
        return self.pool.poly({m: c * factor for m, c in self.terms})

    def __repr__(self) -> str:
        return show_poly(self)


class Formula:
    """Negation normal form. `op`: `true false`, `ge eq ne` (a polynomial against 0), `b nb` (a boolean atom), `and or`."""

    __slots__ = ("args", "depth", "flags", "id", "op", "sharing")

    def __init__(self, id: int, op: str, args: tuple):
        self.id = id
        self.op = op
        self.args = args
        self.depth = 1 + max((a.depth for a in args), default=0)
        self.sharing = max((a.sharing for a in args), default=Sharing.LAUNCH)
        self.flags = 0
        for a in args:
            self.flags |= a.flags

    def __repr__(self) -> str:
        if self.op in ("ge", "eq", "ne"):
            return f"{self.args[0]} {dict(ge='>=', eq='==', ne='!=')[self.op]} 0"
        if self.op in ("b", "nb"):
            return ("not " if self.op == "nb" else "") + repr(self.args[0])
        return self.op if not self.args else "(" + f" {self.op} ".join(map(repr, self.args)) + ")"


class Pool:
    """All terms of one kernel."""

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self._atom_index: dict[tuple, Atom] = {}
        self._polys: dict[tuple, Poly] = {}
        self._formulas: dict[tuple, Formula] = {}
        self._ints: dict[int, Poly] = {}
        self._products: dict[tuple[int, int], Poly] = {}
        self._negations: dict[int, Formula] = {}
        self.true = self._formula("true", ())
        self.false = self._formula("false", ())

    # --- atoms ---

    def atom(
        self,
        kind: str,
        name: str,
        args: tuple = (),
        sort: str = "int",
        sharing: Sharing | None = None,
        range: Range = (None, None),
        flags: int = 0,
    ) -> Atom:
        """The atom with this kind, name and arguments; class and flags are joined with those of the arguments."""
        key = (kind, name, sort, args)
        found = self._atom_index.get(key)
        if found is not None:
            return found
        if (
            kind not in LEAVES
            and max((a.depth for a in args if isinstance(a, (Poly, Formula, Atom))), default=0) > MAX_DEPTH
        ):
            atom = self._atom_index[key] = self._deep(args, sort, range)
            return atom
        atom = Atom(len(self.atoms), kind, name, args, sort)
        base = Sharing.LAUNCH if sharing is None else sharing
        for a in args:
            if isinstance(a, (Poly, Formula, Atom)):
                base = max(base, a.sharing)
                flags |= a.flags
        atom.own = Sharing.LAUNCH if sharing is None else sharing
        atom.sharing = base
        atom.flags = flags
        atom.range = range
        self.atoms.append(atom)
        self._atom_index[key] = atom
        return atom

    def _deep(self, args: tuple, sort: str, range: Range) -> Atom:
        """Something too deep to look into: an unknown function of the variables and values of memory in it."""
        within = walk_atoms(a for a in args if isinstance(a, (Poly, Formula, Atom)))
        leaves = [a for a in within if a.kind in LEAVES and a.kind != "deep"]
        terms = tuple(self.of(a) if a.sort == "int" else a for a in leaves)
        return self.atom("deep", f"deep{len(self.atoms)}", terms, sort, None, range, OPAQUE)

    def var(self, name: str, sharing: Sharing, range: Range = (None, None)) -> Poly:
        return self.of(self.atom("var", name, (), "int", sharing, range))

    # --- polynomials ---

    def int(self, value: int) -> Poly:
        found = self._ints.get(value)
        if found is None:
            found = self._ints[value] = self.poly({(): value})
        return found

    def of(self, atom: Atom) -> Poly:
        return self.poly({(atom.id,): 1})

    def poly(self, terms: dict[Mono, int]) -> Poly:
        key = tuple(sorted((m, c) for m, c in terms.items() if c))
        found = self._polys.get(key)
        if found is None:
            found = self._polys[key] = Poly(self, len(self._polys), key)
        return found

    def add(self, a: Poly, b: Poly) -> Poly:
        if not a.terms:
            return b
        if not b.terms:
            return a
        terms = dict(a.terms)
        for m, c in b.terms:
            terms[m] = terms.get(m, 0) + c
        return self.poly(terms)

    def mul(self, a: Poly, b: Poly) -> Poly:
        if a.const is not None:
            return b.scale(a.const)
        if b.const is not None:
            return a.scale(b.const)
        key = (a.id, b.id)
        found = self._products.get(key)
        if found is None:
            terms: dict[Mono, int] = {}
            for m1, c1 in a.terms:
                for m2, c2 in b.terms:
                    m = tuple(sorted(m1 + m2))
                    terms[m] = terms.get(m, 0) + c1 * c2
            found = self._products[key] = self.poly(terms)
        return found

    # --- formulas ---

    def _formula(self, op: str, args: tuple) -> Formula:
        key = (op, *(a.id for a in args))
        found = self._formulas.get(key)
        if found is None:
            found = self._formulas[key] = Formula(len(self._formulas), op, args)
        return found

    def ge(self, p: Poly) -> Formula:
        """p >= 0, divided by the common factor of its coefficients."""
        lo, hi = p.range
        if lo is not None and lo >= 0:
            return self.true
        if hi is not None and hi < 0:
            return self.false
        p = self._tighten(p)
        return self._formula("ge", (p,))

    def _tighten(self, p: Poly) -> Poly:
        common = 0
        for m, c in p.terms:
            if m:
                common = _gcd(common, abs(c))
                if common == 1:
                    return p
        if common <= 1:
            return p
        return self.poly({m: (c // common) for m, c in p.terms})

    def lt(self, a: Poly, b: Poly) -> Formula:
        return self.ge(b - a - 1)

    def le(self, a: Poly, b: Poly) -> Formula:
        return self.ge(b - a)

    def eq(self, a: Poly, b: Poly | int = 0) -> Formula:
        p = a - b
        value = p.const
        if value is not None:
            return self.true if value == 0 else self.false
        lo, hi = p.range
        if (lo is not None and lo > 0) or (hi is not None and hi < 0) or self._misses_zero(p):
            return self.false
        if p.terms[-1][1] < 0:
            p = -p
        common = 0
        for _, c in p.terms:
            common = _gcd(common, abs(c))
        if common > 1:
            p = self.poly({m: c // common for m, c in p.terms})
        return self._formula("eq", (p,))

    @staticmethod
    def _misses_zero(p: Poly) -> bool:
        common = 0
        for m, c in p.terms:
            if m:
                common = _gcd(common, abs(c))
        return common > 1 and p.constant_part % common != 0

    def ne(self, a: Poly, b: Poly | int = 0) -> Formula:
        return self.negate(self.eq(a, b))

    def bool_atom(self, atom: Atom) -> Formula:
        return self._formula("b", (atom,))

    def all(self, parts: Iterable[Formula]) -> Formula:
        return self._connect("and", parts, self.true, self.false)

    def any(self, parts: Iterable[Formula]) -> Formula:
        return self._connect("or", parts, self.false, self.true)

    def _connect(self, op: str, parts: Iterable[Formula], unit: Formula, zero: Formula) -> Formula:
        flat: dict[int, Formula] = {}
        for part in parts:
            for p in part.args if part.op == op else (part,):
                if p is zero:
                    return zero
                if p is not unit:
                    flat[p.id] = p
        for p in flat.values():
            if self.negate(p).id in flat:
                return zero
        if not flat:
            return unit
        args = tuple(flat.values())
        if len(args) == 1:
            return args[0]
        if max(a.depth for a in args) > MAX_DEPTH:
            return self.bool_atom(self._deep(args, "bool", (None, None)))
        return self._formula(op, args)

    def negate(self, f: Formula) -> Formula:
        found = self._negations.get(f.id)
        if found is None:
            found = self._negations[f.id] = self._negate(f)
            self._negations.setdefault(found.id, f)
        return found

    def _negate(self, f: Formula) -> Formula:
        match f.op:
            case "true":
                return self.false
            case "false":
                return self.true
            case "ge":
                return self.ge(-f.args[0] - 1)
            case "eq":
                return self._formula("ne", f.args)
            case "ne":
                return self._formula("eq", f.args)
            case "b":
                return self._formula("nb", f.args)
            case "nb":
                return self._formula("b", f.args)
            case "and":
                return self.any(self.negate(a) for a in f.args)
            case _:
                return self.all(self.negate(a) for a in f.args)


def conjuncts(f: Formula) -> tuple[Formula, ...]:
    if f.op == "true":
        return ()
    return f.args if f.op == "and" else (f,)


def walk_atoms(terms: Iterable[Poly | Formula | Atom], facts: bool = False) -> list[Atom]:
    """Every atom in these terms, arguments (and, if asked, attached facts) included, each once, in order of creation."""
    seen: dict[int, Atom] = {}
    stack = list(terms)
    done: set[int] = set()
    while stack:
        t = stack.pop()
        if isinstance(t, Poly):
            for m, _ in t.terms:
                for a in m:
                    if a not in seen:
                        stack.append(t.pool.atoms[a])
        elif isinstance(t, Formula):
            if t.id not in done:
                done.add(t.id)
                stack.extend(t.args)
        elif isinstance(t, Atom) and t.id not in seen:
            seen[t.id] = t
            stack.extend(a for a in t.args if isinstance(a, (Poly, Formula, Atom)))
            if facts:
                stack.extend(t.facts)
    return [seen[i] for i in sorted(seen)]


# --- intervals --------------------------------------------------------------------------------------------


def range_mul(a: Range, b: Range) -> Range:
    """Product of two intervals; None is unbounded."""
    if a == (0, 0) or b == (0, 0):
        return (0, 0)
    products: list[int] = []
    lo_open = hi_open = False
    for x, sx in ((a[0], -1), (a[1], 1)):
        for y, sy in ((b[0], -1), (b[1], 1)):
            if x is not None and y is not None:
                products.append(x * y)
                continue
            sign_x = sx if x is None else (x > 0) - (x < 0)
            sign_y = sy if y is None else (y > 0) - (y < 0)
            if sign_x * sign_y > 0:
                hi_open = True
            elif sign_x * sign_y < 0:
                lo_open = True
            else:
                products.append(0)
    return (None if lo_open else min(products), None if hi_open else max(products))


def _poly_range(atoms: list[Atom], terms: tuple[tuple[Mono, int], ...]) -> Range:
    lo: int | None = 0
    hi: int | None = 0
    for mono, c in terms:
        r: Range = (c, c)
        if len(mono) == 2 and mono[0] == mono[1]:
            square = range_mul(atoms[mono[0]].range, atoms[mono[0]].range)
            r = range_mul(r, (max(0, square[0]) if square[0] is not None else 0, square[1]))
        else:
            for a in mono:
                r = range_mul(r, atoms[a].range)
        lo = None if lo is None or r[0] is None else lo + r[0]
        hi = None if hi is None or r[1] is None else hi + r[1]
    return (lo, hi)


def range_join(a: Range, b: Range) -> Range:
    lo = None if a[0] is None or b[0] is None else min(a[0], b[0])
    hi = None if a[1] is None or b[1] is None else max(a[1], b[1])
    return (lo, hi)


def _gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


# --- text, for debugging and for contracts ----------------------------------------------------------------

_INFIX = {"div": "//", "mod": "%", "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>"}


def show_atom(a: Atom) -> str:
    if a.kind == "var":
        return a.name
    if a.kind in _INFIX:
        left, right = (show_poly(x, parens=True) for x in a.args)
        return f"({left} {_INFIX[a.kind]} {right})"
    if a.kind in ("min", "max"):
        return f"{a.kind}({', '.join(map(repr, a.args))})"
    if a.kind == "ite":
        return f"({a.args[1]} if {a.args[0]} else {a.args[2]})"
    if a.kind == "load":
        return f"{a.name}[{', '.join(map(repr, a.args))}]"
    return f"{a.name}({', '.join(map(repr, a.args))})"


def show_poly(p: Poly, parens: bool = False, atom: Callable[[Atom], str] = show_atom) -> str:
    """Python text: positive monomials first, the constant last."""
    if not p.terms:
        return "0"
    ordered = sorted(p.terms, key=lambda t: (t[0] == (), t[1] < 0, -len(t[0]), t[0]))
    text = ""
    for mono, c in ordered:
        factors = [atom(p.pool.atoms[a]) for a in mono]
        size = abs(c)
        if size != 1 or not factors:
            factors.append(str(size))
        body = " * ".join(factors)
        text = f"{text} {'-' if c < 0 else '+'} {body}" if text else ("-" if c < 0 else "") + body
    single = len(p.terms) == 1 and p.terms[0][1] > 0 and (len(p.terms[0][0]) + (p.terms[0][1] != 1) <= 1)
    return f"({text})" if parens and not single else text

"""Is this conjunction satisfiable? The one question behind every check.

In: formulas. Out: `no` (with how it was shown), `yes` with a model, or `unknown`. Facts attached to atoms, launch
facts and data contracts on loads join by themselves. Cheap arguments come first (`linear`), then linear integer
arithmetic in the solver; if a model rests on a product or a division by a parameter, parameters are set to small
constants and it is solved again.

A model is a counterexample only where nothing was approximated: see `Decision.flags`.
Non-goals: what the conjunction means.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from transpiler.prove.budget import DECISION, LINEAR, Budget
from transpiler.prove.fold import Terms
from transpiler.prove.linear import Linear
from transpiler.prove.rewrite import substitute
from transpiler.prove.smt import Encoder
from transpiler.prove.solver import Solver
from transpiler.prove.terms import OPAQUE, Atom, Formula, Poly, Sharing, conjuncts, walk_atoms

SMALL = (2, 1, 3, 4, 5, 8, 16, 33)
MAX_FIXINGS = 40
MAX_TRIES = 150
"""Of parameters set to constants, in one kernel."""
FLOAT_BOUND = 64


@dataclass(eq=False, slots=True)
class Decision:
    """`verdict` is `no`, `yes` or `unknown`; `how` is `syntactic`, `interval` or `solver`. `model` gives values by atom id."""

    verdict: str
    how: str = "solver"
    model: dict[int, int | bool] = field(default_factory=dict)
    flags: int = 0
    formulas: tuple[Formula, ...] = ()
    """What the model satisfies, with the parameters fixed that had to be."""
    fixed: dict[int, int] = field(default_factory=dict)


class Decider:
    """Decides for one kernel. `axioms` makes formulas that hold of the loads and tickets among given atoms."""

    def __init__(
        self,
        terms: Terms,
        facts: Iterable[Formula],
        axioms: Callable[[list[Atom]], list[Formula]],
        budget: Budget | None = None,
    ):
        self.budget = budget or Budget()
        self.terms = terms
        self.facts = tuple(facts)
        self.axioms = axioms
        self.encoder = Encoder(terms)
        self.solver = Solver(self.budget)
        self.tries = 0
        self._fact_atoms = [a for f in self.facts for a in walk_atoms([f])]

    def implied(self, guard: Iterable[Formula], claim: Formula) -> Decision:
        """`no` where the claim follows."""
        return self.decide((*guard, self.terms.negate(claim)))

    def decide(self, formulas: Iterable[Formula], cheap_only: bool = False) -> Decision:
        given = self._flatten(formulas)
        if given is None:
            return Decision("no", "syntactic")
        full = self._close(given)
        if full is None:
            return Decision("no", "syntactic")
        linear = Linear(self.terms, (*full, *self._divisions(full)))
        contradiction = linear.contradiction()
        self.budget.spend(DECISION + linear.work // LINEAR)
        if contradiction:
            return Decision("no", "interval" if linear.at_least else "syntactic")
        if cheap_only:
            return Decision("unknown", "interval")
        derived = [self.terms.eq(self.terms.poly(row)) for row in linear.derived]
        return self._solve(full, derived)

    def _flatten(self, formulas: Iterable[Formula]) -> tuple[Formula, ...] | None:
        out: dict[int, Formula] = {}
        for f in formulas:
            for c in conjuncts(f):
                if c is self.terms.false:
                    return None
                out[c.id] = c
        return tuple(out.values())

    def _close(self, given: tuple[Formula, ...]) -> tuple[Formula, ...] | None:
        """With the facts of all atoms mentioned, to a fixed point."""
        full: dict[int, Formula] = {f.id: f for f in (*self.facts, *given)}
        seen: set[int] = set()
        while True:
            atoms = walk_atoms(full.values())
            new = [a for a in atoms if a.id not in seen]
            if not new:
                break
            seen.update(a.id for a in new)
            for f in itertools.chain(*(a.facts for a in new), self.axioms(atoms)):
                for c in conjuncts(f):
                    if c is self.terms.false:
                        return None
                    full.setdefault(c.id, c)
        return tuple(full.values())

    def _divisions(self, full: tuple[Formula, ...]) -> list[Formula]:
        """What the solver knows of `p // c` and `p % c` by itself: `p == c * (p // c) + p % c`."""
        t = self.terms
        out: list[Formula] = []
        for a in walk_atoms(full):
            if a.kind not in ("div", "mod") or not a.args[1].const or a.args[1].const < 0:
                continue
            p, c = a.args[0], a.args[1]
            quotient = t.div(p, c)
            rest = p - quotient.scale(c.const)
            if a.kind == "mod":
                out.append(t.eq(rest, t.of(a)))
            out.extend((t.ge(rest), t.ge(c - 1 - rest)))
        return out

    # --- the solver ---

    def _solve(self, full: tuple[Formula, ...], derived: list[Formula]) -> Decision:
        verdict, model = self._ask((*full, *derived))
        if verdict == "unsat":
            return Decision("no", "solver")
        nonlinear = self._nonlinear(full)
        if nonlinear:
            return self._with_parameters_fixed(full)
        if verdict == "unknown":
            return Decision("unknown")
        return self._found(full, model, {})

    def _ask(self, formulas: Iterable[Formula]) -> tuple[str, dict[int, int | bool]]:
        texts = [self.encoder.formula(f) for f in formulas]
        self.solver.declare(self.encoder.take())
        answer = self.solver.check(texts)
        model = {int(n[1:]): v for n, v in answer.model.items() if n[0] == "a" and n[1:].isdigit()}
        return answer.verdict, model

    def _nonlinear(self, formulas: Iterable[Formula]) -> list[set[int]]:
        """For each product or division by a parameter the launch parameters in it (maybe none)."""
        found: list[set[int]] = []
        seen_polys: set[int] = set()
        for p in _polys(formulas):
            if p.id in seen_polys:
                continue
            seen_polys.add(p.id)
            for m, _ in p.terms:
                if len(m) > 1:
                    found.append({a for a in m if self._is_parameter(a)})
        for a in walk_atoms(formulas):
            if a.kind in ("div", "mod", "shl", "shr", "pow") and a.args[1].const is None:
                found.append({b.id for b in walk_atoms([a.args[1]]) if self._is_parameter(b.id)})
        return found

    def _is_parameter(self, a: int) -> bool:
        atom = self.terms.atoms[a]
        return atom.kind == "var" and atom.sharing is Sharing.LAUNCH

    def _with_parameters_fixed(self, full: tuple[Formula, ...]) -> Decision:
        """Small constants for parameters, so that what is left is linear."""
        chosen: list[int] = []
        left = self._nonlinear(full)
        while True:
            left = [s for s in left if len(s) == 0 or not s & set(chosen)]
            counts: dict[int, int] = {}
            for s in left:
                for a in s:
                    counts[a] = counts.get(a, 0) + 1
            if not counts:
                break
            chosen.append(max(counts, key=lambda a: (counts[a], -a)))
        if not chosen or len(chosen) > 3:
            return Decision("unknown")
        combos = sorted(itertools.product(range(len(SMALL)), repeat=len(chosen)), key=lambda c: (sum(c), c))[
            :MAX_FIXINGS
        ]
        for combo in combos:
            self.tries += 1
            if self.tries > MAX_TRIES:
                break
            fixed = {a: SMALL[i] for a, i in zip(chosen, combo, strict=True)}
            found = self._try(full, fixed)
            if found is not None:
                return found
        return Decision("unknown")

    def _try(self, full: tuple[Formula, ...], fixed: dict[int, int]) -> Decision | None:
        t = self.terms
        for a, v in fixed.items():
            lo, hi = t.atoms[a].range
            if (lo is not None and v < lo) or (hi is not None and v > hi):
                return None
        self.budget.spend(DECISION + len(full))
        rewrite = substitute(t, {a: t.int(v) for a, v in fixed.items()})
        flat = self._flatten(rewrite.formula(f) for f in full)
        if flat is None or self._nonlinear(flat):
            return None
        verdict, model = self._ask(flat)
        if verdict != "sat":
            return None
        return self._found(flat, model | fixed, fixed)

    def _found(self, formulas: tuple[Formula, ...], model: dict[int, int | bool], fixed: dict[int, int]) -> Decision:
        flags = 0
        for f in formulas:
            flags |= f.flags
        if any(a.id in self.encoder.opaque_atoms for a in walk_atoms(formulas)):
            flags |= OPAQUE
        return Decision("yes", "solver", self._spoken_of(model, formulas) | fixed, flags, formulas, fixed)

    def _spoken_of(self, model: dict[int, int | bool], formulas: Iterable[Formula]) -> dict[int, int | bool]:
        """The solver also values what earlier questions declared: such values mean nothing."""
        return {a.id: model[a.id] for a in walk_atoms(formulas) if a.id in model}

    # --- models ---

    def smallest(self, found: Decision, order: list[int]) -> Decision:
        """The same question, with these atoms as small as can be, one after the other; floats become small integers."""
        floats, exact = self._floats(found.formulas)
        formulas = [*found.formulas, *self._congruence(found.formulas)]
        texts = [self.encoder.formula(f) for f in formulas] + floats
        names = [self.encoder.atom(self.terms.atoms[a]) for a in order if a not in found.fixed]
        ranges = [self.terms.atoms[a].range for a in order if a not in found.fixed]
        self.solver.declare(self.encoder.take())
        answer = self.solver.smallest(texts, list(zip(names, ranges, strict=True)))
        if answer.verdict != "sat":
            return Decision("unknown", model=found.model, flags=found.flags, formulas=found.formulas, fixed=found.fixed)
        model = {int(n[1:]): v for n, v in answer.model.items() if n[0] == "a" and n[1:].isdigit()}
        flags = found.flags | (0 if exact else OPAQUE)
        model = self._spoken_of(model, found.formulas) | found.fixed
        return Decision("yes", "solver", model, flags, found.formulas, found.fixed)

    def _congruence(self, formulas: tuple[Formula, ...]) -> list[Formula]:
        """Loads of one array at one index are one value."""
        t = self.terms
        loads: dict[str, list[Atom]] = {}
        for a in walk_atoms(formulas):
            if a.kind == "load" and a.sort == "int" and "@" not in a.name:
                loads.setdefault(a.data[0], []).append(a)
        out = []
        for atoms in loads.values():
            for a, b in itertools.combinations(atoms, 2):
                differ = [t.ne(x, y) for x, y in zip(a.args, b.args, strict=True)]
                out.append(t.any((*differ, t.eq(t.of(a), t.of(b)))))
        return out

    def _floats(self, formulas: tuple[Formula, ...]) -> tuple[list[str], bool]:
        """Comparisons of floats over small integers, which floats hold exactly; whether all could be written so."""
        texts: list[str] = []
        exact = True
        leaves: dict[int, Atom] = {}
        for a in walk_atoms(formulas):
            if a.kind != "fcmp":
                continue
            x, y = (self._float_text(v, leaves) for v in a.args)
            if x is None or y is None:
                exact = exact and bool(a.flags)
                continue
            op = {"==": "="}.get(a.name.rstrip("'"), a.name.rstrip("'"))
            texts.append(f"(= {self.encoder.atom(a)} ({op} {x} {y}))")
        for leaf in leaves.values():
            name = self.encoder.atom(leaf)
            texts.append(f"(<= (- {FLOAT_BOUND}) {name} {FLOAT_BOUND})")
        for a, b in itertools.combinations([v for v in leaves.values() if v.kind == "load"], 2):
            if a.name == b.name:
                same = [self.encoder.formula(self.terms.eq(x, y)) for x, y in zip(a.args, b.args, strict=True)]
                texts.append(f"(=> (and true {' '.join(same)}) (= {self.encoder.atom(a)} {self.encoder.atom(b)}))")
        return texts, exact

    def _float_text(self, a: Atom, leaves: dict[int, Atom]) -> str | None:
        if a.kind == "fconst":
            return (
                None
                if a.data != int(a.data) or abs(a.data) > 1e6
                else str(int(a.data))
                if a.data >= 0
                else f"(- {int(-a.data)})"
            )
        if (a.kind == "load" and "@" not in a.name) or a.kind == "var":
            leaves[a.id] = a
            return self.encoder.atom(a)
        if a.kind == "fop" and a.name == "int":
            return self.encoder.poly(a.args[0])
        if a.kind == "fop" and a.name in ("+", "-", "neg"):
            parts = [self._float_text(x, leaves) if isinstance(x, Atom) else None for x in a.args]
            known = [p for p in parts if p is not None]
            if len(known) == len(parts):
                return f"({'-' if a.name == 'neg' else a.name} {' '.join(known)})"
        return None

    def value(self, p: Poly, model: dict[int, int | bool]) -> int:
        """A polynomial in a model; what the model leaves open is its least value."""
        total = 0
        for m, c in p.terms:
            for a in m:
                c *= self.atom_value(self.terms.atoms[a], model)
            total += c
        return total

    def atom_value(self, a: Atom, model: dict[int, int | bool]) -> int:
        if a.id in model and a.kind not in ("div", "mod", "min", "max", "ite", "and", "or", "xor"):
            return int(model[a.id])
        if a.kind in ("div", "mod", "min", "max", "and", "or", "xor", "shl", "shr"):
            x, y = (self.value(v, model) for v in a.args)
            match a.kind:
                case "div":
                    return x // y if y else 0
                case "mod":
                    return x % y if y else 0
                case "min":
                    return min(x, y)
                case "max":
                    return max(x, y)
                case "and":
                    return x & y
                case "or":
                    return x | y
                case "xor":
                    return x ^ y
                case "shl":
                    return x << y if 0 <= y < 256 else 0
            return x >> y if 0 <= y < 256 else 0
        if a.kind == "ite":
            return self.value(a.args[1] if self.holds(a.args[0], model) else a.args[2], model)
        lo = a.range[0]
        return max(0, lo) if lo is not None else 0

    def holds(self, f: Formula, model: dict[int, int | bool]) -> bool:
        match f.op:
            case "true" | "false":
                return f.op == "true"
            case "ge":
                return self.value(f.args[0], model) >= 0
            case "eq":
                return self.value(f.args[0], model) == 0
            case "ne":
                return self.value(f.args[0], model) != 0
            case "b":
                return bool(model.get(f.args[0].id, False))
            case "nb":
                return not model.get(f.args[0].id, False)
            case "and":
                return all(self.holds(a, model) for a in f.args)
        return any(self.holds(a, model) for a in f.args)


def _polys(formulas: Iterable[Formula]) -> Iterable[Poly]:
    stack: list = list(formulas)
    done: set[int] = set()
    while stack:
        x = stack.pop()
        if isinstance(x, Poly):
            yield x
            stack.extend(x.pool.atoms[a] for m, _ in x.terms for a in m)
        elif isinstance(x, Atom):
            if x.id not in done:
                done.add(x.id)
                stack.extend(a for a in x.args if isinstance(a, (Poly, Formula, Atom)))
        elif isinstance(x, Formula):
            stack.extend(x.args)

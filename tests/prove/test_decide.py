"""The decider against brute force: `no` means that no assignment exists, a model is one."""

from __future__ import annotations

import itertools
import random

import pytest

from transpiler.prove.decide import Decider
from transpiler.prove.fold import Terms
from transpiler.prove.linear import Linear
from transpiler.prove.terms import Formula, Poly, Sharing

VALUES = range(4)
NAMES = ("x", "y", "z")


def setting() -> tuple[Terms, list[Poly], Decider]:
    t = Terms()
    variables = [t.var(n, Sharing.THREAD, (0, VALUES[-1])) for n in NAMES]
    return t, variables, Decider(t, (), lambda atoms: [])


def random_formula(t: Terms, rng: random.Random, variables: list[Poly], depth: int = 2) -> Formula:
    if depth and rng.random() < 0.3:
        parts = [random_formula(t, rng, variables, depth - 1) for _ in range(2)]
        return t.any(parts) if rng.random() < 0.7 else t.all(parts)
    p = t.int(rng.randint(-6, 6))
    for v in variables:
        p = p + v * rng.choice((0, 0, 1, -1, 2, -3, 4))
    if rng.random() < 0.3:
        p = p + t.mod(variables[0] + variables[1], t.int(rng.choice((2, 3)))) - t.div(variables[2], t.int(2))
    return rng.choice((t.ge, t.eq, t.ne, t.ge))(p)


def satisfiable(decider: Decider, formulas: list[Formula], ids: list[int]) -> bool:
    for values in itertools.product(VALUES, repeat=len(ids)):
        model: dict[int, int | bool] = dict(zip(ids, values, strict=True))
        if all(decider.holds(f, model) for f in formulas):
            return True
    return False


@pytest.mark.parametrize("seed", range(8))
def test_against_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    t, variables, decider = setting()
    ids = [v.terms[0][0][0] for v in variables]
    for _ in range(60):
        formulas = [random_formula(t, rng, variables) for _ in range(rng.randint(1, 5))]
        wanted = satisfiable(decider, formulas, ids)
        if Linear(t, formulas).contradiction():
            assert not wanted, formulas
        found = decider.decide(formulas)
        assert found.verdict == ("yes" if wanted else "no"), formulas
        if wanted:
            model = {i: found.model.get(i, 0) for i in ids}
            assert all(decider.holds(f, model) for f in formulas)


def test_digits_with_symbolic_radix_need_no_solver() -> None:
    t = Terms()
    n = t.var("n", Sharing.LAUNCH)
    y1, y2, x1, x2 = (t.var(name, Sharing.THREAD, (0, None)) for name in ("y1", "y2", "x1", "x2"))
    decider = Decider(t, (), lambda atoms: [])
    inside = [t.lt(x, n) for x in (x1, x2)]
    same = t.eq(t.mul(y1, n) + x1, t.mul(y2, n) + x2)
    found = decider.decide((*inside, same, t.any((t.ne(x1, x2), t.ne(y1, y2)))))
    assert (found.verdict, decider.solver.queries) == ("no", 0)


def test_parameters_in_products_are_fixed_for_a_model() -> None:
    t = Terms()
    step = t.var("step", Sharing.LAUNCH, (1, None))
    j, k = (t.var(name, Sharing.THREAD, (0, 255)) for name in ("j", "k"))
    decider = Decider(t, (), lambda atoms: [])
    found = decider.decide((t.eq(j + t.mul(step, k), t.int(7)), t.ge(k - 2)))
    assert found.verdict == "yes"
    value = {p: decider.value(p, found.model) for p in (step, j, k)}
    assert value[j] + value[step] * value[k] == 7


def test_answers_and_models_are_the_same_on_every_run() -> None:
    def once() -> tuple[str, dict]:
        rng = random.Random(3)
        t, variables, decider = setting()
        found = decider.decide([random_formula(t, rng, variables) for _ in range(3)])
        return found.verdict, found.model

    assert len({str(once()) for _ in range(3)}) == 1

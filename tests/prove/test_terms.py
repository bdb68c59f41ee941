"""Terms: equal values are one object, and folding keeps the value."""

from __future__ import annotations

import random

import pytest

from transpiler.ir.types import I8, U8
from transpiler.prove.decide import Decider
from transpiler.prove.fold import Terms
from transpiler.prove.rewrite import Copy, substitute
from transpiler.prove.terms import Poly, Sharing, show_poly


@pytest.fixture
def t() -> Terms:
    return Terms()


def variable(t: Terms, name: str, low: int | None = None, high: int | None = None) -> Poly:
    return t.var(name, Sharing.THREAD, (low, high))


def test_ring_equality_is_identity(t: Terms) -> None:
    x, y = variable(t, "x"), variable(t, "y")
    assert (x + y) * (x - y) is x * x - y * y
    assert (x - x).const == 0


def test_division_of_a_known_digit_folds(t: Terms) -> None:
    q, r = variable(t, "q", 0, None), variable(t, "r", 0, 31)
    p = q * 32 + r
    assert t.div(p, t.int(32)) is q
    assert t.mod(p, t.int(32)) is r
    assert t.div(t.div(p, t.int(4)), t.int(8)) is t.div(p, t.int(32))


def test_masks_become_arithmetic(t: Terms) -> None:
    x = variable(t, "x", 0, 255)
    assert t.bit_and(x, t.int(31)) is t.mod(x, t.int(32))
    assert t.shr(x, t.int(3)) is t.div(x, t.int(8))
    assert t.bit_or(x * 256, x) is x * 257
    y = variable(t, "y", 0, 15)
    assert t.bit_xor(y, t.bit_xor(y, x)) is x


@pytest.mark.parametrize("op", ["div", "mod", "bit_and", "bit_or", "bit_xor", "minimum", "maximum"])
def test_folding_keeps_the_value(t: Terms, op: str) -> None:
    """Any two operands, negative ones too, against Python."""
    python = {
        "div": lambda a, b: a // b,
        "mod": lambda a, b: a % b,
        "bit_and": lambda a, b: a & b,
        "bit_or": lambda a, b: a | b,
        "bit_xor": lambda a, b: a ^ b,
        "minimum": min,
        "maximum": max,
    }[op]
    rng = random.Random(op)
    decider = Decider(t, (), lambda atoms: [])
    x, y = variable(t, "x", -40, 40), variable(t, "y", 0, 63)
    ids = [p.terms[0][0][0] for p in (x, y)]
    for _ in range(300):
        a = x * rng.randint(-3, 3) + y * rng.randint(-2, 33) + rng.randint(-40, 40)
        b = t.int(rng.choice([-1, 1, -7, 2, 3, 4, 8, 16, 31, 32, 63, -16]))
        got = getattr(t, op)(a, b)
        for _ in range(4):
            model = {ids[0]: rng.randint(-40, 40), ids[1]: rng.randint(0, 63)}
            value = decider.value(got, model)
            assert value == python(decider.value(a, model), b.const), (op, a, b, got, model)
            low, high = got.range
            assert low is None or low <= value
            assert high is None or value <= high


def test_wrapping_is_that_of_the_dtype(t: Terms) -> None:
    decider = Decider(t, (), lambda atoms: [])
    x = variable(t, "x")
    for v in (-300, -129, -128, 0, 127, 128, 255, 256, 1000):
        model = {x.terms[0][0][0]: v}
        assert decider.value(t.wrap(x, I8), model) == (v + 128) % 256 - 128
        assert decider.value(t.wrap(x, U8), model) == v % 256


def test_the_second_thread_has_its_own_variables(t: Terms) -> None:
    shared, own = t.var("n", Sharing.LAUNCH), variable(t, "x")
    copy = Copy(t, Sharing.COUNTER)
    assert copy.poly(shared) is shared
    assert show_poly(copy.poly(own + shared)) == "n + x'"


def test_facts_move_with_their_variable(t: Terms) -> None:
    x, n = variable(t, "x", 0, None), t.var("n", Sharing.LAUNCH)
    atom = t.atoms[x.terms[0][0][0]]
    atom.facts = (t.lt(x, n),)
    copied = Copy(t, Sharing.COUNTER).poly(x)
    assert t.atoms[copied.terms[0][0][0]].facts == (t.lt(copied, n),)


def test_substitution_folds_again(t: Terms) -> None:
    x, y = variable(t, "x", 0, 100), variable(t, "y", 0, 100)
    p = t.div(x, y)
    assert substitute(t, {y.terms[0][0][0]: t.int(1)}).poly(p) is x


def test_a_formula_and_its_negation_cancel(t: Terms) -> None:
    x = variable(t, "x")
    f = t.lt(x, t.int(5))
    assert t.all((f, t.negate(f))) is t.false
    assert t.any((f, t.negate(f))) is t.true
    assert t.negate(t.negate(f)) is f
    assert t.eq(x * 2, t.int(3)) is t.false

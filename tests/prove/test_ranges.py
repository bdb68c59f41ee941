"""The range analysis: intervals against brute force, loops, guards, launch variables, wrapping."""

from __future__ import annotations

import math
import operator
from itertools import product

import pytest

from tests.support.device_ir import (
    SPAN,
    array,
    assign,
    binary,
    cast,
    compare,
    const,
    dim,
    extent,
    for_,
    function,
    if_,
    kernel,
    launch,
    load,
    local,
    logic,
    ret,
    scalar,
    select,
    store,
    unary,
    var,
    while_,
)
from transpiler.ir import device as d
from transpiler.ir.types import I32, I64, INDEX, U8, U32
from transpiler.prove import intervals as iv
from transpiler.prove.ranges import ranges

OPERATIONS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "min": min,
    "max": max,
}
INT32 = (-(2**31), 2**31 - 1)


@pytest.mark.parametrize("op", OPERATIONS)
def test_intervals_hold_every_result(op: str) -> None:
    ends = range(-5, 6)
    pairs = [(low, high) for low, high in product(ends, ends) if low <= high]
    for a, b in product(pairs[::2], pairs[::3]):
        low, high = iv.OPERATIONS[op](a, b)
        for x, y in product(range(a[0], a[1] + 1), range(b[0], b[1] + 1)):
            if (op in ("//", "%") and y == 0) or (op in ("<<", ">>", "**") and y < 0):
                continue
            assert low <= OPERATIONS[op](x, y) <= high, (op, a, b, x, y)


@pytest.mark.parametrize("op", OPERATIONS)
def test_intervals_with_open_ends_stay_intervals(op: str) -> None:
    open_ends = [(-math.inf, math.inf), (0, math.inf), (-math.inf, 5), (3, 4), (1, 1), (-7, 2**70)]
    long_ends = [(0, 3000), (2000, 2**256), (-(2**256), 255), (2**255, math.inf), (-(2**256), 2**256)]
    for a, b in product(open_ends + long_ends, open_ends + long_ends):
        low, high = iv.OPERATIONS[op](a, b)
        assert low <= high
        assert all(math.isinf(end) or (isinstance(end, int) and abs(end) <= 2**256) for end in (low, high))


def range_of(value: d.Expr, params: list, *, before: list[d.Stmt] | None = None, **fields) -> tuple:
    target = local("r", value.type)
    k = kernel(params, [*(before or []), assign(target, value)], **fields)
    return ranges(k).exprs[value]


def test_launch_variables_of_a_fixed_block() -> None:
    assert range_of(launch("threadIdx"), []) == (0, 255)
    assert range_of(launch("threadIdx", 1), []) == (0, 0)
    assert range_of(launch("blockDim"), []) == (256, 256)
    assert range_of(launch("gridDim"), []) == (1, (2**31 - 1) // 256)
    assert range_of(launch("grid"), [])[1] < 2**31
    assert range_of(launch("blockIdx", 1), []) == (0, 0)


def test_launch_variables_of_a_free_block() -> None:
    free = (None, 1, 1)
    assert range_of(launch("threadIdx"), [], block=free) == (0, 1023)
    assert range_of(launch("gridsize"), [], block=free) == (1, 2**31 - 1)


@pytest.mark.parametrize("block", [(256, 1, 1), (None, 1, 1)])
def test_the_handwritten_grid_is_below_2_to_31(block: tuple) -> None:
    tx = local("tx")
    start = binary("*", launch("blockIdx"), launch("blockDim"))
    written = binary("+", start, var(tx))
    low, high = range_of(written, [], before=[assign(tx, launch("threadIdx"))], block=block)
    assert low == 0
    assert high < 2**31
    size = binary("*", launch("blockDim"), launch("gridDim"))
    assert range_of(size, [], block=block)[1] < 2**31


def test_unrelated_products_are_not_the_grid() -> None:
    wrong_axis = binary("+", binary("*", launch("blockIdx", 1), launch("blockDim")), launch("threadIdx"))
    assert range_of(wrong_axis, [], block=(None, None, 1), axes=2)[1] > 2**25


def test_a_guard_refines_and_does_not_leak() -> None:
    n, i = scalar("n"), local("i")
    inside, outside = binary("+", var(i), const(1)), binary("+", var(i), const(1))
    out = array("out", I32, ownership="out")
    k = kernel(
        [n, out],
        [
            assign(i, cast(var(n), INDEX)),
            if_(
                logic("and", compare(">=", var(i), const(0)), compare("<", var(i), const(10))),
                [store(out, inside, const(0, I32))],
            ),
            store(out, outside, const(0, I32)),
        ],
    )
    found = ranges(k)
    assert found.exprs[inside] == (1, 10)
    assert found.exprs[outside] == (INT32[0] + 1, INT32[1] + 1)


def test_what_a_guard_computes_is_not_refined_by_it() -> None:
    n = scalar("n")
    tested = binary("+", var(n), const(1))
    out = array("out", I32, ownership="out")
    k = kernel([n, out], [if_(compare("<", tested, const(10)), [store(out, const(0), const(0, I32))])])
    assert ranges(k).exprs[tested] == (INT32[0] + 1, INT32[1] + 1)


def test_requires_refine_scalars_and_dims() -> None:
    n = scalar("n")
    requirement = d.Requirement("n < 100", compare("<", var(n), const(100)), span=SPAN)
    assert range_of(binary("*", var(n), const(2)), [n], requires=(requirement,)) == (2 * INT32[0], 198)
    bound = d.Requirement("N <= 64", compare("<=", dim("N"), const(64)), span=SPAN)
    assert range_of(dim("N"), [], requires=(bound,), dims=("N",)) == (0, 64)


def test_early_return_refines_what_follows() -> None:
    n = scalar("n")
    after = binary("-", var(n), const(1))
    k = kernel([n], [if_(compare("<", var(n), const(1)), [ret()]), assign(local("r"), after)])
    assert ranges(k).exprs[after] == (0, INT32[1] - 1)


def test_loop_counters() -> None:
    k, n = local("k"), scalar("n")
    for start, stop, step, expected in [
        (const(0), const(32), const(8), (0, 24)),
        (const(31), const(-1), const(-1), (0, 31)),
        (const(1), var(n), const(1), (1, INT32[1] - 1)),
        (launch("threadIdx"), const(32), const(8), (0, 31)),
        (const(10), const(0), const(-3), (1, 10)),
        (const(0), const(0), const(1), None),
    ]:
        body = for_(k, start, stop, [assign(local("t"), var(k))], step)
        assert ranges(kernel([n], [body])).locals.get(k) == expected


def test_a_step_of_unknown_sign() -> None:
    k, s = local("k"), scalar("s")
    assert ranges(kernel([s], [for_(k, const(5), const(9), [], var(s))])).locals[k] == (5, 8)


def test_halving_and_doubling_loops_narrow() -> None:
    step, n = local("step"), scalar("n")
    halving = [
        assign(step, const(128)),
        while_(compare(">", var(step), const(0)), [assign(step, binary("//", var(step), const(2)))]),
    ]
    assert ranges(kernel([], halving)).locals[step] == (0, 128)
    doubling = [
        assign(step, const(1)),
        while_(compare("<", var(step), const(256)), [assign(step, binary("*", var(step), const(2)))]),
    ]
    assert ranges(kernel([], doubling)).locals[step] == (1, 510)
    unbounded = [
        assign(step, const(1)),
        while_(compare("!=", var(step), var(n)), [assign(step, binary("*", var(step), const(2)))]),
    ]
    assert ranges(kernel([n], unbounded)).locals[step][1] is None


def test_accumulation_in_a_loop_is_widened() -> None:
    total, k, n = local("total"), local("k"), scalar("n")
    body = [
        assign(total, const(0)),
        for_(k, const(0), var(n), [assign(total, binary("+", var(total), const(3)))]),
    ]
    assert ranges(kernel([n], body)).locals[total] == (0, None)


def test_break_and_continue_join() -> None:
    i, k, n = local("i"), local("k"), scalar("n")
    after = binary("+", var(i), const(0))
    body = [
        assign(i, const(0)),
        for_(
            k,
            const(0),
            var(n),
            [
                if_(compare("==", var(k), const(3)), [assign(i, const(7)), d.Break(span=SPAN)]),
                if_(compare("==", var(k), const(4)), [assign(i, const(-9)), d.Continue(span=SPAN)]),
            ],
        ),
        assign(local("r"), after),
    ]
    assert ranges(kernel([n], body)).exprs[after] == (-9, 7)


def test_data_integers_lose_their_range_when_they_may_wrap() -> None:
    x = array("x", U8)
    byte = load(x, const(0))
    assert range_of(binary("+", byte, const(1, U8)), [x]) == (0, 255)
    wide = cast(load(x, const(0)), I32)
    assert range_of(binary("+", wide, const(1, I32)), [x]) == (1, 256)
    y = array("y", I32)
    wrapped = binary("*", load(y, const(0)), const(2, I32))
    assert range_of(wrapped, [y]) == INT32
    below = binary("-", load(array("z", U32), const(0)), const(1, U32))
    assert range_of(below, []) == (0, 2**32 - 1)


def test_a_wrapping_guard_refines_nothing() -> None:
    n = local("n", U32)
    x = array("x", U32)
    inside = var(n)
    body = [
        assign(n, load(x, const(0))),
        if_(compare("<", binary("+", var(n), const(5, U32)), const(10, U32)), [assign(local("r", U32), inside)]),
    ]
    assert ranges(kernel([x], body)).exprs[inside] == (0, 2**32 - 1)


def test_select_and_short_circuit_arms() -> None:
    n = scalar("n")
    arm = binary("-", var(n), const(1))
    chosen = select(compare(">", var(n), const(0)), arm, const(0))
    assert range_of(chosen, [n]) == (0, INT32[1] - 1)
    right = binary("*", var(n), const(2))
    assert_right = logic("and", compare("<", var(n), const(4)), compare(">", right, const(0)))
    k = kernel([n], [if_(assert_right, [])])
    assert ranges(k).exprs[right] == (2 * INT32[0], 6)


def test_a_node_at_two_places_has_the_values_of_both() -> None:
    n = scalar("n")
    read = var(n)
    both = logic("and", compare("<", read, const(4)), compare("!=", read, const(0)))
    found = ranges(kernel([n], [if_(both, [])]))
    assert found.exprs[read] == INT32


def test_asserts_count_only_while_they_are_checked() -> None:
    n = scalar("n")
    body = [d.Assert(compare("<", var(n), const(8)), "small", span=SPAN)]
    after = var(n)
    assert range_of(after, [n], before=body)[1] == 7
    off = var(n)
    assert range_of(off, [n], before=body, options=d.Options(asserts="off"))[1] == INT32[1]


def test_unary_operations() -> None:
    n = scalar("n")
    assert range_of(unary("abs", var(n)), [n]) == (0, 2**31)
    assert range_of(unary("~", var(n)), [n]) == INT32
    assert range_of(unary("~", const(3, U8)), []) == (252, 252)


def test_device_functions_know_their_arguments_and_give_their_results() -> None:
    p = scalar("p", I64)
    inside = binary("+", var(p), const(1))
    f = function("f", [p], (INDEX,), [ret(binary("%", var(p), const(8)))], pure=True)
    g = function(
        "g",
        [q := scalar("q", I64)],
        (INDEX,),
        [assign(local("t"), inside2 := binary("+", var(q), const(1))), ret(inside2)],
    )
    first = d.Call(f, (launch("threadIdx"),), span=SPAN, type=INDEX)
    r = local("r")
    call = d.CallStmt((r,), g, (const(100),), span=SPAN)
    again = d.CallStmt((r,), g, (const(7),), span=SPAN)
    found = ranges(kernel([], [assign(local("a"), first), call, again], functions=(f, g)))
    assert found.exprs[first] == (0, 7)
    assert found.exprs[inside2] == (8, 101)
    assert inside not in found.exprs


def test_dims_and_extents_are_sizes() -> None:
    x = array("x")
    low, high = range_of(extent("x"), [x])
    assert low == 0
    assert high is not None
    assert high < 2**62


def test_nested_loops_stay_fast() -> None:
    body: list[d.Stmt] = [assign(local("t"), const(1))]
    for depth in range(7):
        counter = local(f"k{depth}")
        body = [assign(local(f"s{depth}"), const(0)), for_(counter, const(0), scalar_read(), body)]
    assert ranges(kernel([], body)).locals


def scalar_read() -> d.Expr:
    return var(scalar("n"))

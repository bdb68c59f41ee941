"""Contract texts and device expressions as Python code on slots."""

import pytest

from tests.runtime import fakes
from transpiler.emit.abi import abi
from transpiler.ir import device as d
from transpiler.ir.types import BOOL, F32, I8, I32, INDEX
from transpiler.runtime.contracts import (
    Condition,
    DataCheck,
    NotACondition,
    check_function,
    explain,
    from_device,
    parse_condition,
    value_function,
)
from transpiler.runtime.slots import slots

KERNEL = fakes.kernel(
    "k",
    fakes.array_param("x", "in", fakes.extent("x")),
    fakes.array_param("a", "out", fakes.extent("a", 0), fakes.extent("a", 1)),
    fakes.scalar_param("n", I32),
    fakes.scalar_param("s", F32),
    dims=("N",),
)
TABLE = slots(KERNEL, abi(KERNEL))


def values(**numbers: float) -> list:
    out: list = [0] * len(TABLE)
    for name, number in numbers.items():
        kind, _, rest = name.partition("__")
        label, _, axis = rest.partition("__")
        out[TABLE[kind, label, int(axis or 0)]] = number
    return out


def holds(text: str, **numbers: float) -> bool:
    condition = parse_condition(text, TABLE)
    assert isinstance(condition, Condition)
    return check_function([condition])(values(**numbers)) == -1


@pytest.mark.parametrize(
    ("text", "numbers", "expected"),
    [
        ("n <= len(x)", {"scalar__n": 8, "extent__x": 8}, True),
        ("n <= len(x)", {"scalar__n": 9, "extent__x": 8}, False),
        ("cuda.gridDim.x * 256 + 1 <= len(x)", {"gridDim____0": 2, "extent__x": 513}, True),
        (
            "cuda.gridDim.y * cuda.blockDim.y <= a.shape[1]",
            {"gridDim____1": 3, "blockDim____1": 4, "extent__a__1": 11},
            False,
        ),
        ("0 <= n < N", {"scalar__n": 3, "dim__N": 3}, False),
        ("N % 32 == 0 and not n == 3", {"dim__N": 64, "scalar__n": 2}, True),
        ("-(-N // 256) <= 2 or s > 0.5", {"dim__N": 1000, "scalar__s": 0.75}, True),
        ("n * n <= 2**62", {"scalar__n": 2**31 - 1}, True),
        ("n * n * n <= 2**63", {"scalar__n": 2**31 - 1}, False),
        ("min(n, N) == (n if n < N else N)", {"scalar__n": 4, "dim__N": 3}, True),
        ("N // n == 3", {"dim__N": 9, "scalar__n": 0}, False),
    ],
)
def test_conditions_are_exact(text: str, numbers: dict[str, float], expected: bool):
    assert holds(text, **numbers) is expected


def test_the_first_condition_that_fails_is_reported():
    conditions = [parse_condition(text, TABLE) for text in ("n >= 0", "n < N", "n < 0")]
    assert check_function([c for c in conditions if isinstance(c, Condition)])(values(scalar__n=5, dim__N=5)) == 1


def test_the_numbers_behind_a_condition_are_named():
    condition = parse_condition("n * a.shape[1] <= len(x) * cuda.gridDim.x", TABLE)
    assert isinstance(condition, Condition)
    text = explain(condition, TABLE, values(scalar__n=3, extent__x=7, extent__a__1=5, gridDim____0=2))
    assert sorted(text.split(", ")) == ["a.shape[1] = 5", "cuda.gridDim.x = 2", "len(x) = 7", "n = 3"]


def test_data_contracts_are_recognised():
    check = parse_condition("in_range(x, 0, N)", TABLE)
    assert isinstance(check, DataCheck)
    assert (check.predicate, check.array) == ("in_range", "x")
    assert value_function(check.args)(values(dim__N=12)) == (0, 12)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "x[0]",
        "unknown <= 3",
        "len(y) > 0",
        "n.real",
        "(lambda: 1)()",
        "'text'",
        "[n]",
        "n if n else q",
    ],
)
def test_other_python_is_not_evaluated(text: str):
    with pytest.raises(NotACondition):
        parse_condition(text, TABLE)


def test_device_expressions():
    def evaluate(expr: d.Expr, **numbers: float) -> object:
        return value_function([from_device(expr, TABLE)])(values(**numbers))[0]

    n = fakes.var(fakes.scalar_param("n", I32))
    assert evaluate(fakes.binary("//", fakes.dim("N"), fakes.const(32)), dim__N=100) == 3
    assert evaluate(fakes.binary("min", n, fakes.extent("a", 1)), scalar__n=4, extent__a__1=3) == 3
    narrow = d.Cast(n, type=I8, span=fakes.HERE)
    assert [evaluate(narrow, scalar__n=v) for v in (127, 128, -129, 256)] == [127, -128, 127, 0]
    chosen = d.Select(fakes.less(n, fakes.const(0)), fakes.const(1), fakes.const(2), type=INDEX, span=fakes.HERE)
    assert evaluate(chosen, scalar__n=-1) == 1
    assert evaluate(d.Unary("abs", n, type=INDEX, span=fakes.HERE), scalar__n=-7) == 7
    both = d.Logic("and", fakes.less(n, fakes.const(3)), fakes.less(n, fakes.const(0), ">"), type=BOOL, span=fakes.HERE)
    assert evaluate(both, scalar__n=2) is True
    threads = d.LaunchVar("gridsize", 0, type=INDEX, span=fakes.HERE)
    assert evaluate(threads, gridDim____0=3, blockDim____0=64) == 192

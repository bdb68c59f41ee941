"""The code that recognises a repeated launch says yes only where the general path would have accepted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime import fakes
from tests.runtime.fakes import Bench, FakeArray, FakeProgram, array
from transpiler.ir.types import I32
from transpiler.runtime.plan import Configuration


def warm(bench: Bench, *args: Any, config: Configuration = fakes.OWN) -> Any:
    for _ in range(2):
        bench(*args, config=config)
    last = bench.launcher.lane(config).last
    assert last is not None
    assert last[2] is not None
    return last[2]


def test_a_repeated_launch_is_recognised():
    match = warm(Bench(fakes.saxpy()), 2.0, array(8), array(8))
    x, y = array(8), array(8)
    assert match((3.0, x, y)) == (3.0, x.data.ptr, y.data.ptr)


X = array(8)


@pytest.mark.parametrize(
    "args",
    [
        (2, array(8), array(8)),
        (1e39, array(8), array(8)),
        (float("nan"), array(8), array(8)),
        (2.0, array(9), array(9)),
        (2.0, array(8, dtype="int32"), array(8)),
        (2.0, array(8, strides=(8,)), array(8)),
        (2.0, array(8, device=1), array(8)),
        (2.0, array(8, at=0x70001), array(8)),
        (2.0, X, X),
        (2.0, FakeArray(X.data, (8,), X.dtype, (4,)), array(8, at=X.data.ptr + 28)),
        (2.0, array(8), object()),
        (None, array(8), array(8)),
    ],
)
def test_what_differs_goes_the_general_way(args: tuple[Any, ...]):
    match = warm(Bench(fakes.saxpy()), 2.0, array(8), array(8))
    assert match(args) is None


def test_const_values_and_layouts_are_part_of_it():
    match = warm(Bench(FakeProgram(fakes.saxpy(), consts=("TILE",))), 2.0, array(8), array(8), 16)
    assert match((2.0, array(8), array(8), 17)) is None
    assert match((2.0, array(8), array(8), 16.0)) is None
    assert match((2.0, array(8), array(8), 16)) is not None


def test_conditions_on_scalars_are_checked_on_both_paths():
    bench = Bench(FakeProgram(fakes.anonymous(), contract=("n <= len(y)",)))
    config = Configuration((1, 1, 1), (256, 1, 1))
    warm(bench, array(8), 8, config=config)
    with pytest.raises(ValueError, match="n = 9"):
        bench(array(8), 9, config=config)
    assert len(bench.launches) == 2


def test_another_device_is_another_launch():
    bench = Bench(fakes.saxpy())
    warm(bench, 2.0, array(8), array(8))
    bench.driver.current = 1
    bench(2.0, array(8, device=1), array(8, device=1))
    assert [device for device, _, _ in bench.driver.loads] == [0, 1]


def test_two_shapes_in_turn():
    bench = Bench(
        fakes.kernel(
            "k", fakes.array_param("y", "out", fakes.extent("y")), fakes.scalar_param("n", I32), grid=(fakes.const(1),)
        )
    )
    for n in (8, 9, 8, 9, 8, 8, 9):
        bench(array(n), n)
    assert [launch.arguments[1] for launch in bench.launches] == [8, 9, 8, 9, 8, 8, 9]

"""Launches on a fake driver: what is packed, what is cached, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from tests.runtime import fakes
from tests.runtime.fakes import Bench, FakeProgram, array
from transpiler.errors import DeviceError, LaunchError
from transpiler.ir import device as d
from transpiler.ir.types import F32, F64, I32
from transpiler.runtime.plan import Configuration


def test_a_launch_packs_pointers_scalars_and_dims_in_the_order_of_the_abi():
    bench = Bench(fakes.saxpy())
    x, y = array(1000), array(1000)
    bench(2.0, x, y)
    (launch,) = bench.launches
    assert launch.arguments == [2.0, x.data.ptr, y.data.ptr, 1000]
    assert (launch.grid, launch.block, launch.shared, launch.stream) == ((4, 1, 1), (256, 1, 1), 0, 0)


def test_the_second_launch_of_a_shape_class_plans_nothing():
    bench = Bench(fakes.saxpy())
    bench(2.0, array(1000), array(1000))
    bench(3.0, array(1000), array(1000))
    assert len(bench.program.requests) == 1
    assert len(bench.launcher.lane(fakes.OWN).plans) == 1
    bench(3.0, array(2000), array(2000))
    assert len(bench.program.requests) == 1, "another shape is the same instance"
    assert bench.launches[-1].grid == (8, 1, 1)
    assert len(bench.driver.loads) == 1


@pytest.mark.parametrize(
    ("value", "packed"),
    [(2, 2.0), (True, 1.0), (np.float32(0.5), 0.5), (np.int64(3), 3.0), (float("inf"), float("inf"))],
)
def test_numbers_of_python_and_numpy_are_float_scalars(value: object, packed: float):
    bench = Bench(fakes.saxpy())
    bench(value, array(8), array(8))
    assert bench.launches[0].arguments[0] == packed


def test_an_empty_array_starts_nothing():
    bench = Bench(fakes.saxpy())
    bench(2.0, array(0), array(0))
    assert bench.launches == []


def test_a_grid_that_depends_on_a_scalar_is_computed_at_each_launch():
    n = fakes.scalar_param("n", I32)
    kernel = fakes.kernel("fill", fakes.array_param("y", "out", fakes.extent("y")), n, domain=(fakes.var(n),))
    bench = Bench(FakeProgram(kernel, contract=("n <= len(y)",)))
    y = array(1000)
    for count in (10, 1000, 0):
        bench(y, count)
    assert [launch.grid[0] for launch in bench.launches] == [1, 4]
    with pytest.raises(LaunchError, match=r"needs `n <= len\(y\)`, but n = 1001, len\(y\) = 1000"):
        bench(y, 1001)


def test_a_contract_on_the_grid_is_checked_for_the_callers_grid():
    bench = Bench(FakeProgram(fakes.anonymous(), contract=("cuda.gridDim.x * 256 <= len(y)",)))
    bench(array(1024), 1, config=Configuration((4, 1, 1), (256, 1, 1)))
    with pytest.raises(LaunchError, match="E0806"):
        bench(array(1023), 1, config=Configuration((4, 1, 1), (256, 1, 1)))
    assert len(bench.launches) == 1


def test_a_callers_block_is_proved_once():
    bench = Bench(fakes.saxpy())
    config = Configuration((7, 1, 1), (128, 1, 1))
    bench(2.0, array(800), array(800), config=config)
    bench(2.0, array(900), array(900), config=config)
    assert [block for _, block in bench.program.requests] == [None, (128, 1, 1)]
    assert [(launch.grid, launch.block) for launch in bench.launches] == [((7, 1, 1), (128, 1, 1))] * 2


def test_a_kernel_that_needs_its_own_grid_takes_it_from_the_caller_too():
    bench = Bench(FakeProgram(fakes.saxpy(), own_only=True))
    bench(2.0, array(1000), array(1000), config=Configuration((4, 1, 1), (256, 1, 1)))
    assert bench.launches[0].grid == (4, 1, 1)
    with pytest.raises(LaunchError, match="proved for its own grid only"):
        bench(2.0, array(1000), array(1000), config=Configuration((5, 1, 1), (256, 1, 1)))


def test_without_grid_or_domain_the_caller_is_told_how_to_launch():
    with pytest.raises(LaunchError, match=r"`fill\[grid, block\]\(...\)`"):
        Bench(fakes.anonymous())(array(8), 3)


def test_smem_is_passed_and_opted_in():
    bench = Bench(fakes.saxpy())
    bench(2.0, array(8), array(8), config=Configuration((1, 1, 1), (256, 1, 1), smem=100_000))
    assert bench.launches[0].shared == 100_000
    assert bench.driver.optins == [227 * 1024]
    with pytest.raises(LaunchError, match="300000 bytes of shared memory"):
        bench(2.0, array(8), array(8), config=Configuration((1, 1, 1), (256, 1, 1), smem=300_000))


def test_shared_arrays_are_sized_by_dims_and_scalars():
    n = fakes.scalar_param("n", I32)
    tile = d.SharedArray("tile", F32, (fakes.var(n),), span=fakes.HERE)
    wide = d.SharedArray("wide", F64, (fakes.dim("N"), fakes.const(2)), span=fakes.HERE)
    y = fakes.array_param("y", "out", fakes.dim("N"))
    bench = Bench(fakes.kernel("k", y, n, dims=("N",), arrays=(tile, wide), grid=(fakes.const(1),)))
    for count in (3, 5):
        bench(array(10), count)
    assert [launch.shared for launch in bench.launches] == [10 * 2 * 8 + 3 * 4, 10 * 2 * 8 + 5 * 4]
    with pytest.raises(LaunchError, match="bytes of shared memory"):
        bench(array(10), 10**6)


def test_const_values_make_instances():
    bench = Bench(FakeProgram(fakes.saxpy(), consts=("TILE",)))
    for tile in (16, 32, 16):
        bench(2.0, array(8), array(8), tile)
    assert [given["TILE"].value for given, _ in bench.program.requests] == [16, 32]
    assert len(bench.launches[0].arguments) == 4


def test_an_error_of_cuda_names_the_kernel():
    bench = Bench(fakes.saxpy())
    bench(2.0, array(8), array(8))
    bench.driver.fail = fakes.FakeError("CUDA_ERROR_ILLEGAL_ADDRESS")
    with pytest.raises(
        DeviceError, match=r"refused the launch of `saxpy`: CUDA_ERROR_ILLEGAL_ADDRESS.*TRANSPILER_SYNC=1"
    ):
        bench(2.0, array(8), array(8))


def test_sync_waits_and_attributes():
    bench = Bench(fakes.saxpy())
    bench(2.0, array(8), array(8), sync=True)
    assert ("synchronize", 0) in bench.driver.log

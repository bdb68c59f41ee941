"""Warp and block intrinsics against one-lane-at-a-time definitions in plain Python."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from transpiler.intrinsics import TABLE
from transpiler.intrinsics.meaning_lanes import WARP

FULL = 0xFFFFFFFF
DTYPES = (np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.uint64)
DTYPES += (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)


def numpy_of(name: str):
    return TABLE[f"transpiler.cuda.{name}"].numpy


def uniform(value: int, dtype: type, active: np.ndarray) -> np.ndarray:
    return np.full(active.shape, value, dtype)


def received(kind: str, lane: int, operand: int, width: int) -> int:
    """The lane that is read, from the CUDA guide's words."""
    start = lane // width * width
    if kind == "shfl_sync":
        return start + operand % width
    source = {"up": lane - operand, "down": lane + operand, "xor": lane ^ operand}[kind.split("_")[1]]
    if kind == "shfl_xor_sync":
        return source if source < start + width else lane
    return source if start <= source < start + width else lane


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("kind", ["shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"])
def test_shuffles(kind: str, dtype: type) -> None:
    active = np.ones((2, WARP), bool)
    value = np.arange(2 * WARP).reshape(2, WARP).astype(dtype)
    for width in (1, 2, 4, 8, 16, 32):
        for operand in (0, 1, 2, 3, 5, 16, 31):
            result = numpy_of(kind)(
                active,
                uniform(FULL, np.uint32, active),
                value,
                uniform(operand, np.int32, active),
                uniform(width, np.int32, active),
            )
            source = [received(kind, lane, operand, width) for lane in range(WARP)]
            assert result.dtype == value.dtype
            assert (result == value[:, source]).all(), (width, operand)


def test_shuffle_by_lane_of_its_own() -> None:
    active, lanes = np.ones((1, WARP), bool), np.arange(WARP, dtype=np.int32)[None]
    value = (lanes * 10).astype(np.float32)
    result = numpy_of("shfl_sync")(
        active, uniform(FULL, np.uint32, active), value, 31 - lanes, uniform(32, np.int32, active)
    )
    assert (result == value[:, ::-1]).all()


def test_shuffle_from_an_idle_lane_gives_zero() -> None:
    active = np.arange(WARP)[None] < 20
    mask, value = uniform(0xFFFFF, np.uint32, active), uniform(7, np.int32, active)
    result = numpy_of("shfl_down_sync")(
        active, mask, value, uniform(4, np.int32, active), uniform(32, np.int32, active)
    )
    assert result[0, :16].tolist() == [7] * 16
    assert result[0, 16:20].tolist() == [0] * 4


def test_shuffle_in_a_block_of_sixteen() -> None:
    active = np.ones((3, 16), bool)
    value = np.arange(48, dtype=np.int32).reshape(3, 16)
    width = uniform(16, np.int32, active)
    result = numpy_of("shfl_xor_sync")(
        active, uniform(0xFFFF, np.uint32, active), value, uniform(1, np.int32, active), width
    )
    assert (result == value[:, np.arange(16) ^ 1]).all()


@pytest.mark.parametrize("idle", [(), (0, 5, 31), tuple(range(8, 32)), tuple(range(31))])
def test_votes(idle: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    active = np.ones((1, WARP), bool)
    active[0, list(idle)] = False
    mask_bits = sum(1 << lane for lane in range(WARP) if active[0, lane])
    mask = uniform(mask_bits, np.uint32, active)
    for share in (0.0, 0.5, 1.0):
        predicate = rng.random((1, WARP)) < share
        chosen = [lane for lane in range(WARP) if active[0, lane] and predicate[0, lane]]
        assert (numpy_of("ballot_sync")(active, mask, predicate) == sum(1 << lane for lane in chosen)).all()
        assert (numpy_of("any_sync")(active, mask, predicate) == bool(chosen)).all()
        assert (numpy_of("all_sync")(active, mask, predicate) == (len(chosen) == active.sum())).all()
    assert (numpy_of("activemask")(active) == mask_bits).all()


def test_votes_of_two_groups_at_once() -> None:
    """Half warps with masks of their own see their own half only."""
    active = np.ones((1, WARP), bool)
    low = np.arange(WARP)[None] < 16
    mask = np.where(low, np.uint32(0xFFFF), np.uint32(0xFFFF0000))
    assert (numpy_of("all_sync")(active, mask, low) == low).all()
    assert (numpy_of("ballot_sync")(active, mask, low) == np.where(low, 0xFFFF, 0)).all()


@pytest.mark.parametrize("dtype", [np.int32, np.uint64, np.float32, np.float64, np.float16, np.int8, np.bool_])
def test_matches(dtype: type) -> None:
    active = np.ones((1, WARP), bool)
    active[0, 3] = False
    value = (np.arange(WARP)[None] % 2).astype(dtype)
    mask = uniform(FULL ^ 8, np.uint32, active)
    expected = [sum(1 << k for k in range(WARP) if k % 2 == lane % 2 and k != 3) for lane in range(WARP)]
    result = numpy_of("match_any_sync")(active, mask, value)
    assert result[0, active[0]].tolist() == [e for lane, e in enumerate(expected) if lane != 3]
    threads, equal = numpy_of("match_all_sync")(active, mask, value)
    assert not threads[active].any()
    assert not equal[active].any()
    threads, equal = numpy_of("match_all_sync")(active, mask, np.ones_like(value))
    assert (threads[active] == FULL ^ 8).all()
    assert equal[active].all()


def test_match_compares_bits() -> None:
    active = np.ones((1, WARP), bool)
    mask = uniform(FULL, np.uint32, active)
    _, equal = numpy_of("match_all_sync")(active, mask, uniform(math.nan, np.float32, active))  # type: ignore[arg-type]
    assert equal.all()
    signed = np.where(np.arange(WARP)[None] < 16, np.float32(0), np.float32(-0.0))
    assert numpy_of("match_any_sync")(active, mask, signed)[0, 0] == 0xFFFF


FOLDS = {
    "sum": lambda values: sum(values),
    "prod": lambda values: math.prod(values),
    "max": max,
    "min": min,
    "and_": lambda values: __import__("functools").reduce(lambda a, b: a & b, values),
    "or_": lambda values: __import__("functools").reduce(lambda a, b: a | b, values),
    "xor": lambda values: __import__("functools").reduce(lambda a, b: a ^ b, values),
}
SHAPES = [("warp", 32), ("warp", 7), ("warp", 1), *(("block", n) for n in (1, 5, 32, 33, 64, 100, 1000, 1024))]


def data(scope: str, threads: int, dtype: type) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(threads)
    active = np.ones((3, threads), bool)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return active, rng.integers(info.min, info.max, (3, threads), dtype=dtype, endpoint=True)
    return active, rng.integers(-3, 4, (3, threads)).astype(dtype)


def wrapped(value: int, dtype: type) -> int:
    return int(np.array(value % 2 ** (8 * np.dtype(dtype).itemsize), np.uint64).astype(dtype))


@pytest.mark.parametrize(("scope", "threads"), SHAPES)
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("name", FOLDS)
def test_integer_reductions(name: str, dtype: type, scope: str, threads: int) -> None:
    active, value = data(scope, threads, dtype)
    result = numpy_of(f"{scope}.{name}")(active, value)
    assert result.dtype == value.dtype
    for row, ours in zip(value.tolist(), result.tolist(), strict=True):
        assert ours == [wrapped(FOLDS[name](row), dtype)] * threads


@pytest.mark.parametrize(("scope", "threads"), SHAPES)
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_float_reductions_of_small_integers_are_exact(dtype: type, scope: str, threads: int) -> None:
    active, value = data(scope, threads, dtype)
    whole = value.astype(np.int64)
    sums = numpy_of(f"{scope}.sum")(active, value)
    assert sums.dtype == value.dtype
    assert (sums.astype(np.float64) == whole.sum(1, keepdims=True).astype(np.float64).astype(dtype).astype(float)).all()
    assert (numpy_of(f"{scope}.max")(active, value).astype(int) == whole.max(1, keepdims=True)).all()
    assert (numpy_of(f"{scope}.min")(active, value).astype(int) == whole.min(1, keepdims=True)).all()
    scan = numpy_of(f"{scope}.scan")(active, value).astype(np.float64)
    assert (scan == np.cumsum(whole, 1).astype(np.float64).astype(dtype).astype(float)).all()


@pytest.mark.parametrize(("scope", "threads"), SHAPES)
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint64])
def test_integer_scans(dtype: type, scope: str, threads: int) -> None:
    active, value = data(scope, threads, dtype)
    inclusive = np.cumsum(value, axis=1, dtype=dtype)
    assert (numpy_of(f"{scope}.scan")(active, value) == inclusive).all()
    exclusive = np.concatenate([np.zeros((3, 1), dtype), inclusive[:, :-1]], axis=1)
    assert (numpy_of(f"{scope}.exclusive_scan")(active, value) == exclusive).all()


def test_bitwise_reductions_of_bools() -> None:
    active = np.ones((1, WARP), bool)
    one = np.arange(WARP)[None] == 9
    assert numpy_of("warp.or_")(active, one).all()
    assert not numpy_of("warp.and_")(active, one).any()
    assert numpy_of("warp.xor")(active, one).all()


def test_float_sum_keeps_the_order_of_the_butterfly() -> None:
    """1e8 swallows a single 1 but not the pair of them: the order shows in the result."""
    value = np.zeros((1, WARP), np.float32)
    value[0, [0, 8, 24]] = 1e8, 4, 4  # lanes 8 and 24 meet first
    assert numpy_of("warp.sum")(np.ones((1, WARP), bool), value)[0, 0] == np.float32(1e8) + np.float32(8)
    value[0, [0, 16, 8, 24]] = 1e8, 4, 4, 0  # lane 0 meets them one by one
    assert numpy_of("warp.sum")(np.ones((1, WARP), bool), value)[0, 0] == np.float32(1e8)


def test_missing_values_in_max() -> None:
    value = np.full((1, WARP), np.nan, np.float32)
    value[0, 5] = -2
    assert (numpy_of("warp.max")(np.ones((1, WARP), bool), value) == -2).all()
    assert (numpy_of("block.min")(np.ones((1, WARP), bool), value) == -2).all()


@pytest.mark.parametrize("threads", [1, 31, 100])
def test_counting_barriers(threads: int) -> None:
    active = np.ones((2, threads), bool)
    predicate = np.arange(2 * threads).reshape(2, threads) >= threads
    assert numpy_of("syncthreads_count")(active, predicate).tolist() == [[0] * threads, [threads] * threads]
    assert numpy_of("syncthreads_and")(active, predicate).tolist() == [[False] * threads, [True] * threads]
    assert numpy_of("syncthreads_or")(active, predicate).tolist() == [[False] * threads, [True] * threads]

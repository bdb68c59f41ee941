"""Each signature of each entry on a GPU against its NumPy meaning; skipped where there is none.

Exact functions agree to the bit, others within the error that the CUDA guide states for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.intrinsics.support import CASES, compiled, device_code, numpy_dtype, unit
from transpiler.intrinsics import TABLE, Effect, Intrinsic, Signature
from transpiler.ir.types import DType

ULPS = {"math.gamma": 11, "math.pow": 8, "math.erfc": 6, "math.log": 4, "transpiler.cuda.exp10": 4, "math.fma": 0}
EXACT = (
    *("sqrt", "fabs", "floor", "ceil", "trunc", "round", "rint", "fmod", "remainder", "copysign", "ldexp", "fma"),
    *("isnan", "isinf", "isfinite", "degrees", "radians", "rcp", "saturate", "fmin", "fmax", "philox", "uniform"),
)
FLOATS = (-np.inf, -170.5, -3.0, -2.5, -1.0, -0.5, -1e-5, -0.0, 0.0, 1e-5, 0.5, 1.0, 2.5, 88.0, 6e4, np.inf, np.nan)
COUNT = 3200


@pytest.fixture(scope="module")
def cupy() -> Any:
    cupy = pytest.importorskip("cupy")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("no GPU here")
    return cupy


@pytest.fixture(scope="module")
def module(cupy: Any) -> Any:
    return load(cupy, unit(CASES))


def load(cupy: Any, text: str) -> Any:
    """By NVRTC itself: `RawModule` would add `-ftz=true`, and we keep subnormal numbers."""
    loaded = cupy.cuda.function.Module()
    loaded.load(compiled(text, f"sm_{cupy.cuda.Device().compute_capability}"))
    return loaded


def values(rng: np.random.Generator, dtype: np.dtype, count: int) -> np.ndarray:
    if dtype.kind == "b":
        return rng.random(count) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        edges = np.array([info.min, info.max, 0, 1, 2, 31], dtype)
        shift = rng.integers(0, dtype.itemsize * 8, count).astype(dtype)
        drawn = rng.integers(info.min, info.max, count, dtype, endpoint=True) >> shift
        return np.where(rng.random(count) < 0.1, rng.choice(edges, count), drawn)
    drawn = rng.normal(size=count) * 10.0 ** rng.uniform(-3, 2, count)
    with np.errstate(over="ignore"):
        return np.where(rng.random(count) < 0.2, rng.choice(FLOATS, count), drawn).astype(dtype)


def arguments(entry: Intrinsic, signature: Signature, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    args = [values(rng, numpy_dtype(t), count) for t in signature.args]
    for k, param in enumerate(p.partition("=")[0] for p in entry.params[: len(args)]):
        if param == "mask":
            args[k] = np.full(count, 0xFFFFFFFF, np.uint32)
        elif param == "width":
            args[k] = np.repeat(2 ** rng.integers(0, 6, count // 32), 32).astype(np.int32)
        elif param in ("lane", "delta", "lane_mask"):
            args[k] = rng.integers(0, 32, count).astype(np.int32)
        elif param == "i":
            args[k] = rng.integers(-160, 160, count).astype(np.int32)
        elif param == "nanoseconds":
            args[k] %= np.uint32(100)
        elif entry.name.endswith("fast_pow"):
            args[k] = np.abs(args[k])
        elif entry.effect in (Effect.WARP, Effect.BLOCK) and args[k].dtype.kind not in "iub":
            args[k] = rng.normal(size=count).astype(args[k].dtype)
        if "match" in entry.name and param == "value":
            args[k] = np.where(rng.random(count) < 0.9, args[k][0], args[k])
            args[k][:64] = args[k][0]
    return args


def run(
    cupy: Any, function: Any, args: list[np.ndarray], results: list[np.dtype], block: tuple[int, ...]
) -> list[np.ndarray]:
    def device(a: np.ndarray) -> Any:
        return cupy.asarray(np.ascontiguousarray(a).view(f"u{a.dtype.itemsize}"))

    count, threads = len(args[0]) if args else COUNT, int(np.prod(block))
    outputs = [device(np.zeros(count, dtype)) for dtype in results]
    function((count // threads,), block, (*map(device, args), *outputs))
    return [o.get().view(dtype) for o, dtype in zip(outputs, results, strict=True)]


def meaning(entry: Intrinsic, args: list[np.ndarray], threads: int) -> list[np.ndarray]:
    if entry.effect is Effect.PURE:
        result = entry.numpy(*args)
    else:
        width = threads if entry.effect is Effect.BLOCK else min(threads, 32)
        shaped = [a.reshape(-1, width) for a in args]
        result = entry.numpy(np.ones(shaped[0].shape, bool), *shaped)
    return [r.ravel() for r in (result if isinstance(result, tuple) else (result,))]


def check(entry: Intrinsic, signature: Signature, args: list[np.ndarray], ours: np.ndarray, device: np.ndarray) -> None:
    short = entry.name.rpartition(".")[2]
    if ours.dtype.kind in "iub":
        wrong = ours != device
    elif short in EXACT or entry.effect in (Effect.WARP, Effect.BLOCK):
        bits = f"u{ours.dtype.itemsize}"
        wrong = (ours.view(bits) != device.view(bits)) & ~(np.isnan(ours) & np.isnan(device))
    else:
        wrong = ~close(entry.name, short, args, ours, device)
    where = np.flatnonzero(wrong)[:3]
    assert not wrong.any(), (
        str(signature),
        [([a[k] for a in args], ours[k], device[k]) for k in where],
        int(wrong.sum()),
    )


def close(name: str, short: str, args: list[np.ndarray], ours: np.ndarray, device: np.ndarray) -> np.ndarray:
    a, b = ours.astype(np.float64), device.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if short.startswith("fast_"):
        tame = np.all([(np.abs(x) < 60) & (np.abs(x) > 1e-3) for x in args], axis=0) & (np.abs(a) < 1e4)
        return same | ~tame | (np.abs(a - b) <= 1e-3 * np.maximum(np.abs(a), 1))
    if short in ("normal", "lgamma"):
        return same | (np.abs(a - b) <= 1e-5 * np.maximum(np.abs(a), 1))
    unit = np.abs(np.spacing(ours).astype(np.float64))
    return same | (np.abs(a - b) <= ULPS.get(name, 4) * unit)


IDS = [f"{e.name}-{k}" for k, (e, _) in enumerate(CASES)]
BLOCKS = {Effect.PURE: [(64,)], Effect.WARP: [(32,)], Effect.VOLATILE: [(64,)]}
SHAPES = [(1,), (20,), (32,), (50,), (64,), (100,), (8, 2, 10), (800,), (40, 20)]


@pytest.mark.parametrize("case", range(len(CASES)), ids=IDS)
def test_device_agrees_with_numpy(cupy: Any, module: Any, case: int) -> None:
    entry, signature = CASES[case]
    owns_lanes = any(h in ("intrinsic_warp.cuh", "intrinsic_block.cuh") for h in entry.headers)
    shapes = SHAPES if entry.effect is Effect.BLOCK else [(20,), (32,)] if owns_lanes else BLOCKS[entry.effect]
    args = arguments(entry, signature, COUNT)
    for block in shapes:
        results = run(
            cupy, module.get_function(f"case{case}"), args, [numpy_dtype(t) for t in signature.results], block
        )
        if entry.effect is Effect.VOLATILE:
            continue
        with np.errstate(all="ignore"):
            for ours, device in zip(meaning(entry, args, int(np.prod(block))), results, strict=True):
                check(entry, signature, args, ours, device)


REPEATED = """
extern "C" __global__ void repeated(int* out) {
    int rank = threadIdx.x, wrong = 0, threads = blockDim.x;
    for (int turn = 0; turn < 200; ++turn) {
        if ((rank + turn) % 7 == 0) __nanosleep(200);  // some threads lag behind
        wrong += intrinsic::block_sum(turn) != turn * threads;
        wrong += intrinsic::block_max(rank ^ turn) < turn;
        wrong += intrinsic::block_scan(turn) != turn * (rank + 1);
        wrong += intrinsic::block_exclusive_scan(turn + 0.5f) != (turn + 0.5f) * rank;
    }
    out[blockIdx.x * threads + rank] = wrong;
}
"""


@pytest.mark.parametrize("threads", [1, 33, 96, 1000, 1024])
def test_scratch_memory_is_safe_in_sequence(cupy: Any, threads: int) -> None:
    code = device_code(TABLE["transpiler.cuda.block.sum"]) + REPEATED
    out = cupy.ones(4 * threads, "int32")
    load(cupy, code).get_function("repeated")((4,), (threads,), (out,))
    assert not out.any()


def test_all_dtypes_are_met() -> None:
    seen = {t for _, s in CASES for t in (*s.args, *s.results) if isinstance(t, DType)}
    assert len(seen) == 13

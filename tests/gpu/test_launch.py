"""Launches on the device: results, refusals, streams, lifetime, failures, other libraries, graphs."""

from __future__ import annotations

import gc
from importlib.util import find_spec

import numpy as np
import pytest

from tests.gpu import gpu_kernels as k
from transpiler import LaunchError, synchronize


def cupy():
    import cupy

    return cupy


def needs(package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not installed")


def test_results_match_numpy():
    cp = cupy()
    x, y = cp.arange(1000, dtype="f4"), cp.ones(1000, "f4")
    k.saxpy(2.0, x, y)
    np.testing.assert_array_equal(y.get(), 2 * np.arange(1000, dtype="f4") + 1)
    a = cp.random.random((64, 96), dtype="f4")
    b = cp.empty((96, 64), "f4")
    k.transpose(a, b)
    np.testing.assert_array_equal(b.get(), a.get().T)
    h = cp.zeros(10, "i4")
    k.histogram[4, 256](cp.arange(1000, dtype="i4") % 12, h, 1000, 10)
    np.testing.assert_array_equal(h.get(), np.bincount(np.arange(1000) % 12)[:10])
    ints, floats = cp.empty(4, "i8"), cp.empty(4, "f8")
    k.all_scalars(ints, floats, -5, -(2**40), 0.25, 1.5, 200, True)
    assert ints.get().tolist() == [-5, -(2**40), 200, 1]
    assert floats.get().tolist() == [0.25, 1.5, 1.5, 1.5]


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 100_003])
def test_any_size(n: int):
    cp = cupy()
    x, y = cp.arange(n, dtype="f4"), cp.zeros(n, "f4")
    k.copy(x, y)
    np.testing.assert_array_equal(y.get(), x.get())


def test_half_types():
    cp = cupy()
    x, y = cp.arange(8, dtype="f2"), cp.ones(8, "f2")
    k.add_half(x, y)
    assert y.get().tolist() == [1 + i for i in range(8)]


@needs("torch")
def test_bfloat16_of_torch():
    import torch

    x = torch.arange(8, dtype=torch.bfloat16, device="cuda")
    y = torch.ones(8, dtype=torch.bfloat16, device="cuda")
    k.add_bf16(x, y)
    assert y.tolist() == [1 + i for i in range(8)]


def test_strided_views():
    cp = cupy()
    base = cp.arange(20, dtype="f4")
    k.copy_strided(base[::2], base[1::2])
    assert base.get()[1::2].tolist() == list(range(0, 20, 2))
    with pytest.raises(LaunchError, match="E0808"):
        k.copy_strided(base[:10], base[5:15])


def test_a_refused_launch_leaves_the_arrays_as_they_were():
    cp = cupy()
    c = cp.arange(8, dtype="f4")
    before = c.get()
    for args, code in (
        ((2.0, c, c), "E0808"),
        ((2.0, c[:-1], c[1:]), "E0808"),
        ((2.0, c.astype("f8"), c), "E0802"),
        ((2.0, before, c), "E0804"),
        ((2.0, c[::2], c[1::2]), "E0807"),
    ):
        with pytest.raises(LaunchError) as caught:
            k.saxpy(*args)
        assert caught.value.code == code
        np.testing.assert_array_equal(c.get(), before)
    k.saxpy(2.0, c.copy(), c)
    np.testing.assert_array_equal(c.get(), 3 * before)


def test_more_than_48_kilobytes_of_shared_memory():
    cp = cupy()
    x, y = cp.arange(1024, dtype="f4"), cp.empty(1024, "f4")
    k.large_shared(x, y)
    expected = np.arange(1024, dtype="f4").reshape(4, 256)[:, ::-1].ravel() + 63
    np.testing.assert_array_equal(y.get(), expected)


def test_limits_are_refused_before_the_launch():
    cp = cupy()
    with pytest.raises(LaunchError, match="1024"):
        k.saxpy[1, 2048](2.0, cp.zeros(8, "f4"), cp.zeros(8, "f4"))


# --- streams -------------------------------------------------------------------------------------------------

ROUNDS = 20_000


def hazard_run(ledger_on: bool) -> int:
    """How many elements a reader on another stream sees before the slow writer wrote them."""
    from transpiler.runtime.session import session

    cp = cupy()
    ledgers = session().shared.ledgers
    n = 1 << 16
    wrong = 0
    writer, reader = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    before = type(ledgers.setdefault(0, session().shared.ledger(0))).before
    for _ in range(5):
        y, z = cp.zeros(n, "f4"), cp.zeros(n, "f4")
        cp.cuda.Device().synchronize()
        k.slow_fill(y, 7.0, ROUNDS, stream=writer)
        if not ledger_on:
            type(ledgers[0]).before = lambda *_: False  # type: ignore[method-assign]
        try:
            k.copy(y, z, stream=reader)
        finally:
            type(ledgers[0]).before = before  # type: ignore[method-assign]
        cp.cuda.Device().synchronize()
        wrong += int((z != 7).sum())
    return wrong


def test_a_hazard_between_streams_is_ordered():
    cp = cupy()
    k.slow_fill(cp.zeros(8, "f4"), 0.0, 1)  # compiling takes longer than the slow kernel: do it first
    k.copy(cp.zeros(8, "f4"), cp.zeros(8, "f4"))
    assert hazard_run(ledger_on=False) > 0, "the hazard must be real for this test to mean something"
    assert hazard_run(ledger_on=True) == 0


def test_arguments_of_a_side_stream_survive_under_memory_pressure():
    cp = cupy()
    side = cp.cuda.Stream(non_blocking=True)
    n = 1 << 20
    results = []
    for i in range(20):
        x = cp.full(n, float(i), "f4")
        y = cp.empty(n, "f4")
        cp.cuda.get_current_stream().synchronize()
        k.slow_fill(y, 1.0, 2000, stream=side)
        k.saxpy(1.0, x, y, stream=side)
        results.append(y)
        del x, y
        gc.collect()
        cp.full(n, -99.0, "f4")  # takes the memory that was given back
    side.synchronize()
    for i, y in enumerate(results):
        assert float(y.min()) == float(y.max()) == i + 1


def test_the_stream_is_the_callers():
    cp = cupy()
    x, y = cp.arange(1000, dtype="f4"), cp.zeros(1000, "f4")
    with cp.cuda.Stream(non_blocking=True) as stream:
        k.copy(x, y)
        stream.synchronize()
    np.testing.assert_array_equal(y.get(), x.get())


# --- failures ------------------------------------------------------------------------------------------------


def test_a_failed_bounds_check_is_an_index_error():
    cp = cupy()
    index = cp.arange(1000, dtype="f4")
    index[700] = 5000
    x, y = cp.ones(1000, "f4"), cp.empty(1000, "f4")
    with pytest.raises(
        IndexError, match=r"index 5000 is outside `x` of extent 1000\n.*block \(2, 0, 0\), thread \(188, 0, 0\)"
    ):
        k.gather(index, x, y, sync=True)
    assert float(y[700]) == 0.0
    index[700] = 3
    k.gather(index, x, y, sync=True)


def test_a_failed_assertion_arrives_at_synchronize():
    cp = cupy()
    x = cp.ones(8, "f4")
    x[3] = 10
    k.asserting(x, cp.empty(8, "f4"))
    with pytest.raises(AssertionError, match="x is too large"):
        synchronize()
    synchronize()


# --- other libraries -------------------------------------------------------------------------------------------


@needs("torch")
def test_torch_tensors_run_on_torchs_stream():
    import torch

    x, y = torch.arange(1000.0, device="cuda"), torch.ones(1000, device="cuda")
    k.saxpy(2.0, x, y)
    torch.testing.assert_close(y, 2 * x + 1)
    with torch.cuda.stream(torch.cuda.Stream()):
        z = torch.zeros(1000, device="cuda")
        k.saxpy(1.0, x, z)
        torch.testing.assert_close(z, x)
    with pytest.raises(LaunchError, match=r"(?s)E0804.*`x.cuda\(\)`"):
        k.saxpy(1.0, x.cpu(), y)
    with pytest.raises(LaunchError, match="E0807"):
        k.saxpy(1.0, torch.zeros(1000, 2, device="cuda")[:, 0], y)


@needs("jax")
def test_jax_arrays_are_read_only():
    import jax.numpy as jnp

    cp = cupy()
    x = jnp.arange(8.0)
    if x.devices().pop().platform != "gpu":
        pytest.skip("JAX has no GPU here")
    y = cp.ones(8, "f4")
    k.saxpy(2.0, x, y)
    assert y.get().tolist() == [2 * i + 1 for i in range(8)]
    with pytest.raises(LaunchError, match="E0809"):
        k.saxpy(2.0, y, x)


class OnlyDLPack:
    def __init__(self, array) -> None:
        self._array = array

    def __dlpack__(self, **keywords):
        return self._array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_dlpack_exporters():
    cp = cupy()
    x, y = cp.arange(8, dtype="f4"), cp.ones(8, "f4")
    k.saxpy(2.0, OnlyDLPack(x), y)
    assert y.get().tolist() == [2 * i + 1 for i in range(8)]
    with pytest.raises(LaunchError, match="E0808"):
        k.saxpy(2.0, OnlyDLPack(y), y)


# --- graphs ----------------------------------------------------------------------------------------------------


def test_cupy_captures_launches():
    cp = cupy()
    x, y = cp.ones(1000, "f4"), cp.zeros(1000, "f4")
    k.saxpy(1.0, x, y)
    stream = cp.cuda.Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    bound = k.saxpy.bind(1.0, x, y)
    with stream:
        stream.begin_capture()
        for _ in range(5):
            k.saxpy(1.0, x, y)
        bound()
        graph = stream.end_capture()
    for _ in range(3):
        graph.launch(stream)
    stream.synchronize()
    assert float(y[0]) == 1 + 3 * 6


@needs("torch")
def test_torch_captures_launches():
    import torch

    x, y = torch.ones(1000, device="cuda"), torch.zeros(1000, device="cuda")
    k.saxpy(1.0, x, y)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(5):
            k.saxpy(1.0, x, y)
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    assert float(y[0]) == 1 + 3 * 5


def test_many_launches_leak_nothing():
    import tracemalloc

    cp = cupy()
    x, y = cp.ones(1000, "f4"), cp.zeros(1000, "f4")
    for _ in range(1000):
        k.saxpy(1.0, x, y)
    cp.cuda.Device().synchronize()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(20_000):
        k.saxpy(1.0, x, y)
    cp.cuda.Device().synchronize()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 64 * 1024

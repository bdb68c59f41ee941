"""Two devices: launches go to the current one, and arrays of another one are refused."""

from __future__ import annotations

import pytest

from tests.gpu import gpu_kernels as k
from transpiler import LaunchError


@pytest.fixture
def cp():
    import cupy

    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("the machine has one CUDA device")
    return cupy


def test_each_device_has_its_own_launches(cp):
    for device in (0, 1, 0):
        with cp.cuda.Device(device):
            x, y = cp.arange(1000, dtype="f4"), cp.zeros(1000, "f4")
            k.saxpy(2.0, x, y)
            k.saxpy(1.0, x, y)
            assert float(y[999]) == 3 * 999


def test_arrays_of_another_device_are_refused(cp):
    x = cp.arange(1000, dtype="f4")
    with cp.cuda.Device(1):
        y = cp.zeros(1000, "f4")
        with pytest.raises(LaunchError, match=r"E0812.*`x` lies on device 0, the launch is on device 1"):
            k.saxpy(2.0, x, y)
    with pytest.raises(LaunchError, match=r"`y` lies on device 1, the launch is on device 0"):
        k.saxpy(2.0, x, y)


def test_streams_of_a_second_device_are_ordered(cp):
    with cp.cuda.Device(1):
        n = 1 << 16
        writer, reader = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
        y, z = cp.zeros(n, "f4"), cp.zeros(n, "f4")
        cp.cuda.Device(1).synchronize()
        k.slow_fill(y, 7.0, 20_000, stream=writer)
        k.copy(y, z, stream=reader)
        cp.cuda.Device(1).synchronize()
        assert int((z != 7).sum()) == 0

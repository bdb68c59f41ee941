"""`transpiler.testing`: what runs where, and what is raised."""

import numpy as np
import pytest

from transpiler import Out, cuda, i32, kernel
from transpiler.errors import SimulationError
from transpiler.runtime.device import NoDevice, cuda_driver
from transpiler.testing import check, launch


@kernel(block=32)
def crowd(out: Out[i32, 1]):
    out[0] = cuda.threadIdx.x


@kernel(block=32)
def ramp(out: Out[i32, 32]):
    out[cuda.threadIdx.x] = cuda.threadIdx.x


def _simulated() -> bool:
    try:
        cuda_driver()
    except NoDevice:
        return True
    return False


@pytest.mark.skipif(not _simulated(), reason="a GPU is present: nothing is simulated")
def test_a_simulated_fault_is_raised() -> None:
    with pytest.raises(SimulationError, match="E0301"):
        launch(crowd, np.zeros(1, dtype=np.int32), grid=1, block=32)


def test_arrays_are_changed_in_place() -> None:
    out = np.zeros(32, dtype=np.int32)
    assert launch(ramp, out, grid=1, block=32) in ("GPU", "simulator")
    check(out, np.arange(32))


def test_a_difference_is_an_assertion_error() -> None:
    with pytest.raises(AssertionError):
        check(np.ones(2), [1, 2])

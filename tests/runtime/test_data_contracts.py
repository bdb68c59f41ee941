"""Contracts on contents: the check kernels in the simulator, what a claim covers, when a launch checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.runtime import fakes
from tests.runtime.fakes import Bench, FakeProgram, array
from tests.runtime.test_arguments import DLPackOnly
from transpiler import injective, pipeline, transpile
from transpiler.errors import LaunchError
from transpiler.ir.types import DTYPES, I32
from transpiler.runtime.data_contracts import KERNELS, Checker, Claim, Verified, claim_of
from transpiler.runtime.launch import Shared
from transpiler.runtime.program import FileProgram
from transpiler.simulate import simulate
from transpiler.source import Source


def run(name: str, dtype: str, **arrays: Any) -> None:
    program = FileProgram.read(Source(KERNELS, "data_contracts"), name)
    state, _ = pipeline.run_passes(
        pipeline.KernelState(module=program.module, function=program.function, instance={"T": DTYPES[dtype]}),
        upto="lower",
    )
    assert state.kernel is not None
    assert simulate(state.kernel, arrays).ok


def test_the_check_kernels_are_proved():
    result = transpile(KERNELS)
    assert result.ok
    assert set(result.contract) == {"bounds", "falls", "repeats"}


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint32"])
def test_bounds(dtype: str):
    p = np.array([5, 3, 100, 7], dtype)
    low, high = np.array([2**62], "i8"), np.array([-(2**62)], "i8")
    run("bounds", {"int8": "i8", "int64": "i64", "uint32": "u32"}[dtype], p=p, low=low, high=high)
    assert (int(low[0]), int(high[0])) == (3, 100)


@pytest.mark.parametrize(("values", "expected"), [([1, 1, 2, 9], 0), ([1, 2, 1, 9], 1), ([4], 0)])
def test_falls(values: list[int], expected: int):
    found = np.zeros(1, "i4")
    run("falls", "i32", p=np.array(values, "i4"), found=found)
    assert found[0] == expected


@pytest.mark.parametrize(("values", "expected"), [([3, 1, 2], 0), ([3, 1, 3], 1), ([-5, -6], 0), ([-5, -5], 1)])
def test_repeats(values: list[int], expected: int):
    found, low = np.zeros(1, "i4"), min(values)
    seen = np.zeros(max(values) - low + 1, "i4")
    run("repeats", "i32", p=np.array(values, "i4"), low=low, seen=seen, found=found)
    assert found[0] == expected


@pytest.mark.parametrize(
    ("have", "want", "expected"),
    [
        (Claim("permutation"), Claim("permutation"), True),
        (Claim("permutation"), Claim("injective"), True),
        (Claim("injective"), Claim("permutation"), False),
        (Claim("permutation"), Claim("in_range", 0, 8), True),
        (Claim("permutation"), Claim("in_range", 0, 7), False),
        (Claim("in_range", 0, 8), Claim("in_range", -1, 9), True),
        (Claim("in_range", 0, 8), Claim("in_range", 1, 8), False),
        (Claim("nondecreasing"), Claim("injective"), False),
    ],
)
def test_what_a_claim_covers(have: Claim, want: Claim, expected: bool):
    assert have.covers(want, 8) is expected


def test_claims_are_made_of_the_words_of_the_language():
    assert claim_of(injective, ()) == Claim("injective")
    with pytest.raises(TypeError, match="two bounds"):
        claim_of("in_range", (1,))
    with pytest.raises(TypeError, match="no data contract"):
        claim_of("sorted", ())


class FixedChecker(Checker):
    """Answers without a device, and counts the questions."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer
        self.asked: list[Claim] = []

    def fault(self, array: Any, claim: Claim) -> str | None:
        self.asked.append(claim)
        return None if self.answer else "a value occurs twice"


def scatter(answer: bool) -> tuple[Bench, FixedChecker]:
    p = fakes.array_param("p", "in", fakes.dim("N"), dtype=I32)
    y = fakes.array_param("y", "out", fakes.dim("N"))
    kernel = fakes.kernel("scatter", p, y, dims=("N",), domain=(fakes.dim("N"),))
    bench = Bench(FakeProgram(kernel, contract=("injective(p)", "in_range(p, 0, N)")))
    checker = FixedChecker(answer)
    bench.launcher.checker = checker
    return bench, checker


def test_a_launch_checks_contents_each_time():
    bench, checker = scatter(True)
    for _ in range(2):
        bench(array(8, dtype="int32"), array(8))
    assert checker.asked == [Claim("injective"), Claim("in_range", 0, 8)] * 2
    assert len(bench.launches) == 2


def test_contents_that_break_the_contract_are_refused():
    bench, _ = scatter(False)
    with pytest.raises(LaunchError, match=r"E0816.*`injective\(p\)` does not hold: a value occurs twice"):
        bench(array(8, dtype="int32"), array(8))
    assert bench.launches == []


class Exported:
    """A CuPy array, as far as a handle needs one."""

    shape, dtype = (8,), np.dtype("int32")
    __cuda_array_interface__ = {"shape": (8,), "typestr": "<i4", "data": (0x9000, False), "version": 3}  # noqa: RUF012


class FlagChecker(Checker):
    """The decisions of a checker, with the answers of its kernels given."""

    def __init__(self, low: int = 0, high: int = 0, flag: bool = False) -> None:
        super().__init__(Shared(fakes.FakeDriver()), None)
        self.bounds, self.flag = (low, high), flag

    def _bounds(self, flat: Any) -> tuple[int, int]:
        return self.bounds

    def _flag(self, name: str, *args: Any) -> bool:
        return self.flag


@pytest.mark.parametrize(
    ("checker", "claim", "fault"),
    [
        (FlagChecker(0, 7), Claim("permutation"), None),
        (FlagChecker(0, 7, True), Claim("permutation"), "a value occurs twice"),
        (FlagChecker(1, 8), Claim("permutation"), "its values run from 1 to 8"),
        (FlagChecker(-3, 70), Claim("injective"), None),
        (FlagChecker(0, 6), Claim("injective"), "its values run from 0 to 6, and it has 8 elements"),
        (FlagChecker(0, 2**60), Claim("injective"), f"its values run from 0 to {2**60}: too far apart for a check"),
        (FlagChecker(0, 7), Claim("in_range", 0, 8), None),
        (FlagChecker(0, 8), Claim("in_range", 0, 8), "its values run from 0 to 8"),
        (FlagChecker(flag=True), Claim("nondecreasing"), "a value is less than the one before it"),
    ],
)
def test_a_fault_says_what_is_wrong(checker: Checker, claim: Claim, fault: str | None):
    assert checker.fault(DLPackOnly(array(8, dtype="int32")), claim) == fault


def test_what_cannot_be_checked():
    assert "not one of f32" in (FlagChecker().fault(DLPackOnly(array(8)), Claim("injective")) or "")
    assert FlagChecker(9, 9, True).fault(DLPackOnly(array(0, dtype="int32")), Claim("permutation")) is None


def test_a_verified_handle_is_not_checked_again():
    bench, checker = scatter(False)
    bench(Verified(Exported(), Claim("permutation")), array(8))
    assert checker.asked == []
    assert bench.launches[0].arguments[0] == 0x9000
    with pytest.raises(LaunchError, match="E0816"):
        bench(Verified(Exported(), Claim("injective")), array(8))


def test_capture_takes_verified_handles_only():
    bench, _ = scatter(True)
    bench.driver.captured.add(7)
    with pytest.raises(LaunchError, match=r"E0821.*while a graph is captured"):
        bench(array(8, dtype="int32"), array(8), stream=7)
    bench(Verified(Exported(), Claim("permutation")), array(8), stream=7)
    assert len(bench.launches) == 1


def test_what_a_kernel_writes_is_checked_each_time_and_never_in_a_graph():
    kernel = fakes.kernel(
        "count", fakes.array_param("done", "atomic", fakes.dim("N"), dtype=I32), dims=("N",), domain=(fakes.dim("N"),)
    )
    bench = Bench(FakeProgram(kernel, contract=("in_range(done, 0, 1)",)))
    bench.launcher.checker = checker = FixedChecker(True)
    for _ in range(2):
        bench(array(1, dtype="int32"))
    assert checker.asked == [Claim("in_range", 0, 1)] * 2
    bench.driver.captured.add(7)
    with pytest.raises(LaunchError, match=r"E0821(?s:.*)the kernel writes `done`, so each launch must look at it"):
        bench(array(1, dtype="int32"), stream=7)


def test_a_verified_handle_is_read_only():
    kernel = fakes.kernel(
        "k", fakes.array_param("p", "inout", fakes.dim("N"), dtype=I32), dims=("N",), domain=(fakes.dim("N"),)
    )
    with pytest.raises(LaunchError, match="E0809"):
        Bench(kernel)(Verified(Exported(), Claim("permutation")))

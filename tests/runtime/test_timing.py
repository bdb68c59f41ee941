"""Timing on a clock that the tests move."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.runtime import fakes
from tests.runtime.fakes import Bench, FakeDriver, array
from transpiler import testing
from transpiler.runtime import session as sessions
from transpiler.runtime.bound import Bound
from transpiler.runtime.session import Session
from transpiler.runtime.timing import FLUSH_BYTES, Timing, measure


class Cold:
    """An array that notes when it is written."""

    def __init__(self, driver: FakeDriver, count: int) -> None:
        self.driver, self.count = driver, count

    def fill(self, value: int) -> None:
        self.driver.log.append(("fill", self.count))
        self.driver.clock += 1000


@pytest.fixture
def driver() -> FakeDriver:
    fake = FakeDriver()
    fake.zeros = lambda count, dtype: Cold(fake, count)  # type: ignore[method-assign]
    return fake


def takes(driver: FakeDriver, name: str, *times: float) -> Callable[[], None]:
    """Work of so many microseconds, the last ones again and again."""
    left = list(times)

    def work() -> None:
        driver.clock += left.pop(0) if len(left) > 1 else left[0]
        driver.log.append((name,))

    return work


def test_the_median_counts_and_the_flush_does_not(driver: FakeDriver):
    (found,) = measure(driver, [takes(driver, "a", 90, 5, 7, 6, 900, 6)], runs=5, warmup=1, flush=True)
    assert found == Timing(6, 6, 7, 5)


def test_functions_take_turns_and_the_order_turns_round(driver: FakeDriver):
    a, b = measure(driver, [takes(driver, "a", 3), takes(driver, "b", 4)], runs=2, warmup=0, flush=True)
    assert (a.microseconds, b.microseconds) == (3, 4)
    cold = ("fill", FLUSH_BYTES)
    run = lambda name: [cold, ("mark", 0), (name,), ("mark", 0)]  # noqa: E731
    assert driver.log == [*run("a"), *run("b"), *run("b"), *run("a"), ("synchronize", 0)]


def test_nothing_is_flushed_unless_asked(driver: FakeDriver):
    measure(driver, [takes(driver, "a", 3)], runs=2, warmup=0, flush=False)
    assert ("fill", FLUSH_BYTES) not in driver.log


def test_a_bound_launch_knows_its_bytes():
    bench = Bench(fakes.saxpy())
    bound = Bound(bench.launcher, (2.0, array(1000), array(1000)), bench.launcher.lane(fakes.OWN), None)
    assert bound.bytes_moved == 4 * 1000 * 3, "x is read, y is read and written"
    assert Timing(2.0, 1, 3, 5, bound.bytes_moved).gb_per_s == 6.0
    assert str(Timing(2.0, 1, 3, 5, 12000)) == "2.00 us, 6 GB/s (1.00 to 3.00, 5 runs)"
    assert str(Timing(2.0, 1, 3, 5)) == "2.00 us (1.00 to 3.00, 5 runs)"


def test_do_bench_returns_one_or_several(driver: FakeDriver):
    old = sessions.replace(Session(driver))
    try:
        one = testing.do_bench(takes(driver, "a", 3), runs=3)
        several = testing.do_bench(takes(driver, "a", 3), takes(driver, "b", 4), runs=3)
        with pytest.raises(ValueError, match="at least one"):
            testing.do_bench(takes(driver, "a", 3), runs=0)
    finally:
        sessions.replace(old)
    assert isinstance(one, Timing)
    assert isinstance(several, tuple)
    assert [t.microseconds for t in (one, *several)] == [3, 3, 4]

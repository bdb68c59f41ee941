"""Order between streams and lifetime of arguments, on a driver that records what it is told."""

import gc
import weakref

import pytest

from tests.runtime import fakes
from tests.runtime.fakes import Bench, FakeDriver, array
from transpiler.runtime.hazards import Ledger, Table
from transpiler.runtime.lifetime import BATCH_LAUNCHES, Keeper
from transpiler.runtime.streams import stream_pointer


def bench() -> Bench:
    return Bench(fakes.saxpy())


def test_one_stream_pays_nothing():
    b = bench()
    x, y = array(8), array(8)
    for _ in range(5):
        b(2.0, x, y)
    assert b.driver.log == [("launch", 0)] * 5


def test_the_second_stream_waits_for_all_that_came_before():
    b = bench()
    x, y, z = array(8), array(8), array(8)
    b(2.0, x, y)
    b(2.0, z, y, stream=7)
    assert b.driver.log[:4] == [("launch", 0), ("record", 0), ("wait", 7, 0), ("launch", 7)]


def after_two_streams() -> Bench:
    """Two streams are in play and all history has passed."""
    b = bench()
    b(2.0, array(8), array(8))
    b(2.0, array(8), array(8), stream=7)
    b.driver.done = {0: 10**9, 7: b.driver.recorded}
    b.driver.done = {0: b.driver.recorded, 7: b.driver.recorded}
    b.driver.log.clear()
    return b


def waits(b: Bench) -> list[tuple]:
    return [entry for entry in b.driver.log if entry[0] == "wait"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("write a", "read a", [("wait", 7, 0)]),
        ("read a", "write a", [("wait", 7, 0)]),
        ("write a", "write a", [("wait", 7, 0)]),
        ("read a", "read a", []),
        ("write a", "write b", []),
    ],
)
def test_a_reader_waits_for_the_writer_and_a_writer_for_both(first: str, second: str, expected: list):
    b = after_two_streams()
    named = {"a": array(8), "b": array(8)}
    for text, stream in ((first, 0), (second, 7)):
        verb, name = text.split()
        pair = (named[name], array(8)) if verb == "read" else (array(8), named[name])
        b(2.0, *pair, stream=stream)
    assert waits(b) == expected


def test_views_of_one_array_conflict_where_they_overlap():
    b = after_two_streams()
    base = array(16)
    b(2.0, array(8), array(8, at=base.data.ptr))
    b(2.0, array(8), array(8, at=base.data.ptr + 32), stream=7)
    assert waits(b) == []
    b(2.0, array(8, at=base.data.ptr + 16), array(8), stream=9)
    assert waits(b) == [("wait", 9, 0), ("wait", 9, 7)]


def test_a_writer_waits_for_all_readers_since_the_last_write():
    b = after_two_streams()
    a = array(8)
    for stream in (0, 7, 9):
        b(2.0, a, array(8), stream=stream)
    b.driver.log.clear()
    b(2.0, array(8), a, stream=9)
    assert waits(b) == [("wait", 9, 0), ("wait", 9, 7)]
    b.driver.log.clear()
    b(2.0, a, array(8), stream=0)
    assert waits(b) == [("wait", 0, 9)]


def test_passed_events_are_not_waited_for():
    b = after_two_streams()
    a = array(8)
    b(2.0, array(8), a)
    b.driver.done[0] = b.driver.recorded
    b(2.0, a, array(8), stream=7)
    assert waits(b) == []


def test_a_captured_stream_is_left_alone():
    b = bench()
    b(2.0, array(8), array(8))
    b.driver.captured.add(7)
    b(2.0, array(8), array(8), stream=7)
    assert b.driver.log == [("launch", 0), ("launch", 7)]
    assert len(b.shared.keeper) == 0


def test_when_other_streams_are_idle_one_stream_is_in_play_again():
    b = after_two_streams()
    x, y = array(8), array(8)
    for _ in range(100):
        b(2.0, x, y)
        b.driver.done = {0: b.driver.recorded, 7: b.driver.recorded}
    b.driver.log.clear()
    b(2.0, x, y)
    assert b.driver.log == [("launch", 0)]
    b(2.0, x, y, stream=7)
    assert waits(b) == [("wait", 7, 0)]


def test_while_another_stream_works_its_history_is_kept():
    b = after_two_streams()
    a = array(8)
    b(2.0, array(8), a, stream=7)  # does not end
    x, y = array(8), array(8)
    for _ in range(200):
        b(2.0, x, y)
        b.driver.done[0] = b.driver.recorded
    b.driver.log.clear()
    b(2.0, a, array(8))
    assert waits(b) == [("wait", 0, 7)]


def test_streams_that_come_and_go_leave_nothing():
    b = bench()
    x, y = array(8), array(8)
    for stream in range(10, 200):
        b(2.0, x, y, stream=stream)
        b.driver.done = dict.fromkeys(range(200), b.driver.recorded)
    b(2.0, x, y)
    assert len(b.shared.keeper) <= 1
    assert len(b.shared.keeper._queues) <= 1


def test_the_only_stream_lives_until_the_next_one_comes():
    class Stream:
        ptr = 5

    b = bench()
    for _ in range(3):
        stream = Stream()
        weakref.finalize(stream, b.driver.destroyed.add, 5)
        b(2.0, array(8), array(8), stream=stream)
        del stream
        gc.collect()
        assert 5 not in b.driver.destroyed, "an event must be recorded on it when another stream comes"
        b.driver.done = dict.fromkeys(range(10), 10**9)
        for _ in range(100):
            b(2.0, array(8), array(8))
        gc.collect()
        assert 5 in b.driver.destroyed
        b.driver.destroyed.clear()


def test_a_stream_known_by_its_address_alone_leaves_an_event_at_each_launch():
    b = bench()
    for _ in range(2):
        b(2.0, array(8), array(8), stream=7)
    b.driver.destroyed.add(7)
    b(2.0, array(8), array(8), stream=9)
    assert b.driver.log == [("launch", 7), ("record", 7)] * 2 + [("launch", 9), ("record", 9)]


def test_the_history_stays_small():
    ledger = Ledger(FakeDriver())
    ledger.before(0, [], [])
    ledger.before(1, [], [])
    for k in range(5_000):
        driver = ledger._driver
        assert isinstance(driver, FakeDriver)
        ledger.after(k % 2, [(k * 64, k * 64 + 32)], [(k * 64 + 32, k * 64 + 64)])
        driver.done = {0: driver.recorded, 1: driver.recorded}
        driver.log.clear()
    assert len(ledger._table) <= 600


def test_ranges_are_split_where_histories_differ():
    table = Table()
    for segment in table.cover(0, 100):
        segment.writer = "first"  # type: ignore[assignment]
    for segment in table.cover(40, 60):
        segment.writer = "second"  # type: ignore[assignment]
    assert [(s.low, s.high, s.writer) for s in table.overlapping(0, 200)] == [
        (0, 40, "first"),
        (40, 60, "second"),
        (60, 100, "first"),
    ]
    assert [(s.low, s.high) for s in table.cover(90, 120)] == [(90, 100), (100, 120)]
    assert table.overlapping(60, 60) == []


# --- lifetime -----------------------------------------------------------------------------------------------


def test_on_the_default_stream_nothing_is_held():
    b = bench()
    x, y = array(8), array(8)
    b(2.0, x, y)
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_on_a_side_stream_arguments_live_until_the_launch_is_done():
    b = bench()
    x, y = array(8), array(8)
    b(2.0, x, y, stream=7)
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is not None, "the launch may still run"
    for _ in range(BATCH_LAUNCHES):
        b(2.0, array(8), y, stream=7)
    gc.collect()
    assert gone() is not None, "its event has not passed"
    b.driver.done[7] = b.driver.recorded
    b(2.0, array(8), y, stream=7)
    gc.collect()
    assert gone() is None


def test_large_arguments_are_given_back_one_launch_later():
    driver = FakeDriver()
    keeper = Keeper(driver)
    keeper.hold(7, "gigabyte", 2**30)
    assert len(keeper) == 1
    driver.done[7] = driver.recorded
    keeper.release()
    assert len(keeper) == 0


def test_a_stuck_stream_does_not_hold_what_others_used():
    driver = FakeDriver()
    keeper = Keeper(driver)
    keeper.hold(5, "stuck", 2**30)
    keeper.hold(7, "quick", 2**30)
    driver.done[7] = driver.recorded
    keeper.release()
    assert len(keeper) == 1


def test_many_launches_hold_little():
    b = bench()
    x, y = array(8), array(8)
    for _ in range(2000):
        b(2.0, x, y, stream=7)
        b.driver.done[7] = b.driver.recorded
        b.driver.log.clear()
        b.driver.launches.clear()
    assert len(b.shared.keeper) <= 2 * BATCH_LAUNCHES
    assert len(b.launcher.lane(fakes.OWN).plans[next(iter(b.launcher.lane(fakes.OWN).plans))].packer.free) == 1


# --- streams of other libraries ---------------------------------------------------------------------------------


class CuPyStream:
    ptr = 11


class TorchStream:
    cuda_stream = 12


class NumbaStream:
    class handle:
        value = 13


class CudaCoreStream:
    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, 14


@pytest.mark.parametrize(
    ("stream", "address"),
    [(CuPyStream(), 11), (TorchStream(), 12), (NumbaStream(), 13), (CudaCoreStream(), 14), (15, 15), (1, 0)],
)
def test_streams_of_any_library(stream: object, address: int):
    b = bench()
    b(2.0, array(8), array(8), stream=stream)
    assert b.launches[0].stream == address


def test_what_is_no_stream_is_refused():
    with pytest.raises(TypeError, match="not str"):
        stream_pointer("fast")

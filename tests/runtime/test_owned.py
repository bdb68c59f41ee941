"""`Owned` buffers: who may launch with them, and who may write."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from tests.api import launch_kernels as k
from tests.runtime import fakes
from tests.runtime.fakes import Bench, FakeArray, array
from transpiler import Owned
from transpiler.errors import LaunchError
from transpiler.runtime.bound import Bound


def bench() -> Bench:
    return Bench(fakes.saxpy())


def test_owned_and_borrowed_buffers_launch_like_their_arrays():
    here, x, y = bench(), array(8), array(8)
    owned = Owned(y)
    for _ in range(3):
        here(2.0, Owned(x).borrow(), owned)
    assert [launch.arguments[1:3] for launch in here.launches] == [[x.data.ptr, y.data.ptr]] * 3


# (what is passed as `y`, which the kernel writes; code; words)
WRONG: list[tuple[str, Any, str, str]] = [
    ("borrowed", lambda o: o.borrow(), "E0809", "`y`"),
    ("frozen", lambda o: o.freeze(), "E0809", "`y`"),
    ("moved", lambda o: (o.move(), o)[1], "E0822", "moved at .*test_owned.py"),
    ("borrow of a moved one", lambda o: (o.borrow(), o.move())[0], "E0822", "its owner was moved"),
    ("frozen, then moved", lambda o: o.freeze().move(), "E0809", "`y`"),
]


@pytest.mark.parametrize(("passed", "code", "words"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_may_not_be_written_is_refused(passed: Any, code: str, words: str):
    here, y = bench(), array(8)
    with pytest.raises(LaunchError, match=words) as caught:
        here(2.0, array(8), passed(Owned(y)))
    assert caught.value.code == code
    assert here.launches == []
    here(2.0, array(8), Owned(y))
    assert len(here.launches) == 1


def test_the_new_owner_may_write():
    here, owned = bench(), Owned(array(8))
    here(2.0, array(8), owned.move())
    assert len(here.launches) == 1


@pytest.mark.parametrize("use", [Owned.move, Owned.borrow, Owned.freeze, lambda o: o.array, len, lambda o: o.dtype])
def test_use_after_move_is_an_error_that_names_both_places(use: Any):
    owned = Owned(array(8))
    owned.move()
    with pytest.raises(LaunchError, match=r"(?s)E0822.*moved at .*test_owned\.py.*at .*test_owned\.py"):
        use(owned)


def test_freezing_does_not_undo_earlier_launches_but_stops_later_ones():
    here, owned = bench(), Owned(array(8))
    here(2.0, array(8), owned)
    here(2.0, array(8), owned)
    owned.freeze()
    with pytest.raises(LaunchError, match="E0809"):
        here(2.0, array(8), owned)


def test_the_array_of_an_owner_overlaps_the_owner():
    x = array(8)
    with pytest.raises(LaunchError, match="E0808"):
        bench()(2.0, x, Owned(x))


def test_an_owner_of_a_host_array_is_refused():
    with pytest.raises(LaunchError, match="E0804"):
        bench()(2.0, array(8), Owned(np.zeros(8, "f4")))


def test_what_is_bound_knows_when_its_buffer_is_moved():
    here, owned = bench(), Owned(array(8))
    bound = Bound(here.launcher, (2.0, array(8), owned), here.launcher.lane(fakes.OWN), None)
    bound()
    owned.move()
    with pytest.raises(LaunchError, match="E0822"):
        bound()
    assert len(here.launches) == 1


class Weak(FakeArray):
    """An array whose end can be seen."""


def test_a_launch_on_a_side_stream_keeps_what_its_owner_moved_away():
    here, y = bench(), array(8)
    here.driver.array_type = lambda: Weak  # type: ignore[method-assign]
    here = Bench(fakes.saxpy(), here.driver)
    weak = Weak(y.data, y.shape, y.dtype, y.strides)
    x = array(8)
    ended = weakref.ref(weak)
    owned = Owned(weak)
    del weak
    here(2.0, Weak(x.data, x.shape, x.dtype, x.strides), owned, stream=7)
    owned.move()
    del owned
    gc.collect()
    assert ended() is not None


def test_an_owner_is_not_owned_twice():
    with pytest.raises(TypeError, match="has an owner"):
        Owned(Owned(array(8)))


def test_simulation_takes_owners_and_keeps_what_is_frozen():
    x, y = np.ones(8, "f4"), np.zeros(8, "f4")
    k.saxpy.simulate(2.0, Owned(x).borrow(), Owned(y))
    assert y.tolist() == [2.0] * 8
    with pytest.raises(LaunchError, match="E0809"):
        k.saxpy.simulate(2.0, x, Owned(y).freeze())
    assert y.tolist() == [2.0] * 8

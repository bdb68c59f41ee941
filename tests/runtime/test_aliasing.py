"""Overlap of strided arrays, against the set of bytes."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from transpiler.runtime.aliasing import Region, overlap

sizes = st.lists(st.integers(0, 4), min_size=1, max_size=3)


def touched(region: Region) -> set[int]:
    found: set[int] = set()
    for index in product(*(range(n) for n in region.shape)):
        start = region.pointer + sum(i * s for i, s in zip(index, region.strides, strict=True))
        found.update(range(start, start + region.itemsize))
    return found


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_views_of_equal_strides_are_compared_exactly(data: st.DataObject):
    shape = data.draw(sizes)
    strides = tuple(data.draw(st.integers(-12, 12)) for _ in shape)
    other = tuple(data.draw(st.integers(0, 4)) for _ in shape)
    a = Region(100, tuple(shape), strides, 4)
    b = Region(100 + data.draw(st.integers(-40, 40)), other, strides, 4)
    assert overlap(a, b) == bool(touched(a) & touched(b))
    assert overlap(b, a) == overlap(a, b)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_an_overlap_is_never_missed(data: st.DataObject):
    regions = []
    for _ in range(2):
        shape = tuple(data.draw(sizes))
        strides = tuple(data.draw(st.integers(-12, 12)) for _ in shape)
        regions.append(Region(data.draw(st.integers(60, 140)), shape, strides, data.draw(st.sampled_from((1, 4, 8)))))
    a, b = regions
    if touched(a) & touched(b):
        assert overlap(a, b)


def test_even_and_odd_elements_do_not_overlap():
    even, odd = Region(0, (100,), (8,), 4), Region(4, (100,), (8,), 4)
    assert not overlap(even, odd)
    assert overlap(even, Region(2, (100,), (8,), 4))


def test_sliding_windows_end_soon():
    windows = Region(0, (1000, 1000, 1000), (4, 4, 4), 4)
    assert overlap(windows, Region(2, (1000, 1000, 1000), (4, 4, 4), 4))

"""Do two arrays share memory?

In: two `Extent`s: address, extents, byte strides, item size. Out: whether an element of one overlaps an element of the other:
exact where both have the same strides (two halves of a matrix, even and odd elements), else by the range of addresses.
Non-goals: which pairs matter (`runtime.plan`: each written array with every other).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Region:
    """The bytes that an array touches."""

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int

    @property
    def empty(self) -> bool:
        return 0 in self.shape

    def bounds(self) -> tuple[int, int]:
        """Lowest address, and the one behind the highest."""
        low = high = self.pointer
        for extent, stride in zip(self.shape, self.strides, strict=True):
            reach = (extent - 1) * stride
            low, high = (low + reach, high) if reach < 0 else (low, high + reach)
        return low, high + self.itemsize


_PATIENCE = 64
"""Windows that slide over each other by small strides have many candidates: beyond this many they count as overlapping."""


def overlap(a: Region, b: Region) -> bool:
    """Whether an element of `a` shares a byte with an element of `b`."""
    if a.empty or b.empty:
        return False
    (a_low, a_high), (b_low, b_high) = a.bounds(), b.bounds()
    if a_high <= b_low or b_high <= a_low:
        return False
    if a.strides != b.strides or a.itemsize != b.itemsize:
        return True
    axes = [
        (abs(stride), n - 1, m - 1) if stride > 0 else (abs(stride), m - 1, n - 1)
        for stride, n, m in zip(a.strides, a.shape, b.shape, strict=True)
        if stride != 0
    ]
    axes.sort(reverse=True)
    return _meets(b.pointer - a.pointer, axes, a.itemsize)


def _meets(distance: int, axes: list[tuple[int, int, int]], itemsize: int) -> bool:
    """Whether steps `-down <= k <= up` along the axes bring `distance` within one element of zero.

    An axis is (stride, up, down); `distance` is what is left between the two elements.
    """
    if not axes:
        return -itemsize < distance < itemsize
    (stride, up, down), rest = axes[0], axes[1:]
    reach_up = sum(step * most for step, most, _ in rest) + itemsize - 1
    reach_down = sum(step * least for step, _, least in rest) + itemsize - 1
    first = max(-down, -((reach_up - distance) // stride))
    last = min(up, (distance + reach_down) // stride)
    if last - first > _PATIENCE:
        return True
    return any(_meets(distance - k * stride, rest, itemsize) for k in range(first, last + 1))

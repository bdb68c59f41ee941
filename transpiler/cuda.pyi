"""The `cuda` namespace: what a kernel can ask of its thread, warp, block and grid. Names are Numba's.

What speaks of threads is in x, y, z order; what speaks of arrays is in array order.
"""

from typing import Any, Literal, Protocol, overload

class _Dim3(Protocol):
    @property
    def x(self) -> int: ...
    @property
    def y(self) -> int: ...
    @property
    def z(self) -> int: ...

threadIdx: _Dim3
"""Index of the thread in its block."""
blockIdx: _Dim3
"""Index of the block in the grid."""
blockDim: _Dim3
"""Threads in a block, by axis."""
gridDim: _Dim3
"""Blocks in the grid, by axis."""
laneid: int
"""Index of the thread in its warp, 0 to 31."""
warpsize: int
"""Threads in a warp: 32."""

@overload
def grid(ndim: Literal[1]) -> int: ...
@overload
def grid(ndim: Literal[2]) -> tuple[int, int]: ...
@overload
def grid(ndim: Literal[3]) -> tuple[int, int, int]:
    """Index of the thread in the whole grid: `blockIdx * blockDim + threadIdx`, for 1, 2 or 3 axes."""

@overload
def gridsize(ndim: Literal[1]) -> int: ...
@overload
def gridsize(ndim: Literal[2]) -> tuple[int, int]: ...
@overload
def gridsize(ndim: Literal[3]) -> tuple[int, int, int]:
    """Threads in the whole grid, by axis: the step of a grid-stride loop."""

class _Memory:
    def array(self, shape: Any, dtype: Any, *, fill: Any = None) -> Any:
        """An array of that shape; `fill` sets every element first."""

class _Constant:
    def array_like(self, values: Any) -> Any:
        """A constant array with the values of a module-level tuple."""

shared: _Memory
"""Memory of the block: `cuda.shared.array((32, 33), f32)`."""
local: _Memory
"""Memory of the thread: `cuda.local.array(4, f32)`."""
const: _Constant
"""Constant memory."""

_Order = Literal["relaxed", "acquire", "release", "acq_rel", "seq_cst"]
_Scope = Literal["block", "device", "system"]

class _Atomic:
    """Read, modify and write one element in one step; the old value is returned."""

    def add(self, array: Any, index: Any, value: Any, *, order: _Order = ..., scope: _Scope = ...) -> Any: ...
    def sub(self, array: Any, index: Any, value: Any, *, order: _Order = ..., scope: _Scope = ...) -> Any: ...
    def min(self, array: Any, index: Any, value: Any, *, order: _Order = ..., scope: _Scope = ...) -> Any: ...
    def max(self, array: Any, index: Any, value: Any, *, order: _Order = ..., scope: _Scope = ...) -> Any: ...
    def and_(self, array: Any, index: Any, value: Any, *, order: _Order = ..., scope: _Scope = ...) -> Any: ...
    def or_(self, array: Any, index: Any, value: Any, *, order: _Order = ..., scope: _Scope = ...) -> Any: ...
    def xor(self, array: Any, index: Any, value: Any, *, order: _Order = ..., scope: _Scope = ...) -> Any: ...
    def exch(self, array: Any, index: Any, value: Any, *, order: _Order = ..., scope: _Scope = ...) -> Any:
        """Store `value`, return what was there."""
    def inc(self, array: Any, index: Any, limit: Any, *, order: _Order = ..., scope: _Scope = ...) -> Any:
        """`old + 1`, or 0 where `old >= limit`."""
    def dec(self, array: Any, index: Any, limit: Any, *, order: _Order = ..., scope: _Scope = ...) -> Any:
        """`old - 1`, or `limit` where `old` is 0 or above `limit`."""
    def cas(
        self, array: Any, index: Any, expected: Any, desired: Any, *, order: _Order = ..., scope: _Scope = ...
    ) -> Any:
        """Store `desired` where the old value is `expected`; returns the old value."""
    def load(self, array: Any, index: Any, *, order: _Order = ..., scope: _Scope = ...) -> Any: ...
    def store(self, array: Any, index: Any, value: Any, *, order: _Order = ..., scope: _Scope = ...) -> None: ...

atomic: _Atomic
"""Atomic operations on global and shared memory."""

def syncthreads() -> None:
    """Wait for all threads of the block; what they wrote before is seen behind it."""

def syncthreads_count(predicate: Any) -> int:
    """A barrier that returns for how many threads the predicate holds."""

def syncthreads_and(predicate: Any) -> int:
    """A barrier that says whether the predicate holds for every thread."""

def syncthreads_or(predicate: Any) -> int:
    """A barrier that says whether the predicate holds for any thread."""

def syncwarp(mask: Any = 0xFFFFFFFF) -> None:
    """Wait for the threads of the warp that are in the mask."""

def threadfence() -> None:
    """Order this thread's memory accesses as the device sees them; nobody waits."""

def threadfence_block() -> None:
    """Order this thread's memory accesses as the block sees them."""

def threadfence_system() -> None:
    """Order this thread's memory accesses as the whole system sees them."""

class _GridGroup:
    def sync(self) -> None:
        """Wait for all threads of the grid (a cooperative launch)."""

def this_grid() -> _GridGroup:
    """All threads of a cooperative launch."""

def shfl_sync(mask: Any, value: Any, source_lane: Any) -> Any:
    """The value that `source_lane` passes."""

def shfl_up_sync(mask: Any, value: Any, delta: Any) -> Any:
    """The value that the lane `delta` below passes; the lowest lanes get their own."""

def shfl_down_sync(mask: Any, value: Any, delta: Any) -> Any:
    """The value that the lane `delta` above passes; the highest lanes get their own."""

def shfl_xor_sync(mask: Any, value: Any, lane_mask: Any) -> Any:
    """The value that lane `laneid ^ lane_mask` passes."""

def all_sync(mask: Any, predicate: Any) -> bool:
    """Whether the predicate holds in every lane of the mask."""

def any_sync(mask: Any, predicate: Any) -> bool:
    """Whether the predicate holds in a lane of the mask."""

def ballot_sync(mask: Any, predicate: Any) -> Any:
    """One bit a lane: where the predicate holds."""

def match_any_sync(mask: Any, value: Any) -> Any:
    """The lanes that pass the same value as this one."""

def match_all_sync(mask: Any, value: Any) -> tuple[Any, bool]:
    """The mask and True where all lanes pass the same value, else 0 and False."""

def activemask() -> Any:
    """The lanes that run at this moment; changes by itself."""

def lanemask_lt() -> Any:
    """The lanes below this one."""

def popc(x: Any) -> Any:
    """Number of bits that are 1."""

def clz(x: Any) -> Any:
    """Number of leading bits that are 0."""

def ffs(x: Any) -> Any:
    """Position of the lowest bit that is 1, counted from 1; 0 where there is none."""

def brev(x: Any) -> Any:
    """The bits in reversed order."""

def fma(a: Any, b: Any, c: Any) -> Any:
    """`a * b + c`, rounded once."""

def cbrt(x: Any) -> Any:
    """Cube root."""

def rsqrt(x: Any) -> Any:
    """`1 / sqrt(x)`."""

def fmin(a: Any, b: Any) -> Any:
    """The lesser value; a NaN loses."""

def fmax(a: Any, b: Any) -> Any:
    """The greater value; a NaN loses."""

class _Group:
    """Collectives that own their scratch memory; every thread of the group calls them."""

    def sum(self, value: Any) -> Any: ...
    def max(self, value: Any) -> Any: ...
    def min(self, value: Any) -> Any: ...
    def scan(self, value: Any) -> Any:
        """Inclusive prefix sum in thread order."""

block: _Group
"""Collectives of the block."""
warp: _Group
"""Collectives of the warp."""

class _Random:
    """Stateless generators: the same arguments give the same numbers."""

    def philox(self, seed: Any, counter: Any) -> Any: ...
    def uniform(self, seed: Any, counter: Any) -> Any:
        """A float in [0, 1)."""
    def normal(self, seed: Any, counter: Any) -> Any:
        """A normally distributed float."""

random: _Random
"""Random numbers."""

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

def cp_async(array: Any, index: Any, source: Any, source_index: Any, count: int = 1) -> None:
    """Start copying `count` elements (4, 8 or 16 bytes) from `source` in global memory to `array` in shared memory.

    The copy goes on while the thread does. It ends with a `cp_async_wait_group` of this thread that covers its group; until then
    nobody may touch the target or write the source, and other threads read the target behind a barrier behind that wait.
    """

def cp_async_commit_group() -> None:
    """Close a group: the copies that this thread has started since the last one."""

def cp_async_wait_group(pending: int) -> None:
    """Wait for all groups of this thread but the last `pending` ones (a constant)."""

def syncthreads() -> None:
    """Wait for all threads of the block; what they wrote before is seen behind it."""

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

class _Cooperative:
    def this_grid(self) -> _GridGroup:
        """All threads of a cooperative launch."""

cg: _Cooperative
"""Cooperative groups, as Numba spells them."""

# --- from the table of intrinsics (python -m tests.support.cuda_stub) ---

def activemask() -> Any:
    """The threads of the warp, as bits, that happen to execute together here: says nothing about who should."""

def all_sync(mask: Any, predicate: Any) -> Any:
    """Whether `predicate` holds in all threads of the mask."""

def any_sync(mask: Any, predicate: Any) -> Any:
    """Whether `predicate` holds in some thread of the mask."""

def ballot_sync(mask: Any, predicate: Any) -> Any:
    """The threads of the mask, as bits, in which `predicate` holds."""

def brev(x: Any) -> Any:
    """x with its 32 or 64 bits in reverse order."""

def byte_perm(x: Any, y: Any, selector: Any) -> Any:
    """Four bytes picked from the eight of y (upper) and x by the lowest three bits of each nibble of `selector`."""

def cbrt(x: Any) -> Any:
    """Cube root, of negative numbers too."""

def clock() -> Any:
    """The cycle counter of the multiprocessor, lower 32 bits; wraps."""

def clock64() -> Any:
    """The cycle counter of the multiprocessor."""

def clz(x: Any) -> Any:
    """How many zero bits stand above the highest set bit: the width (32 or 64) for 0."""

def cospi(x: Any) -> Any:
    """Cosine of pi times x, without rounding pi."""

def erf(x: Any) -> Any:
    """Error function."""

def erfc(x: Any) -> Any:
    """`1 - erf(x)`, accurate for large x."""

def exp10(x: Any) -> Any:
    """10 to the power of x."""

def exp2(x: Any) -> Any:
    """2 to the power of x."""

def fast_cos(x: Any) -> Any:
    """Cosine, f32 only, approximated by the hardware: less accurate and on a smaller domain."""

def fast_divide(x: Any, y: Any) -> Any:
    """x / y, f32 only, approximated by the hardware: less accurate and on a smaller domain."""

def fast_exp(x: Any) -> Any:
    """e to the power of x, f32 only, approximated by the hardware: less accurate and on a smaller domain."""

def fast_exp10(x: Any) -> Any:
    """10 to the power of x, f32 only, approximated by the hardware: less accurate and on a smaller domain."""

def fast_log(x: Any) -> Any:
    """Natural logarithm, f32 only, approximated by the hardware: less accurate and on a smaller domain."""

def fast_log10(x: Any) -> Any:
    """Logarithm to base 10, f32 only, approximated by the hardware: less accurate and on a smaller domain."""

def fast_log2(x: Any) -> Any:
    """Logarithm to base 2, f32 only, approximated by the hardware: less accurate and on a smaller domain."""

def fast_pow(x: Any, y: Any) -> Any:
    """x to the power of y for x above 0, f32 only, approximated by the hardware: less accurate and on a smaller
    domain.
    """

def fast_sin(x: Any) -> Any:
    """Sine, f32 only, approximated by the hardware: less accurate and on a smaller domain."""

def fast_tan(x: Any) -> Any:
    """Tangent, f32 only, approximated by the hardware: less accurate and on a smaller domain."""

def ffs(x: Any) -> Any:
    """The position of the lowest set bit, counted from 1; 0 for 0."""

def fma(x: Any, y: Any, z: Any) -> Any:
    """`x*y + z`, rounded once."""

def fmax(x: Any, y: Any) -> Any:
    """The larger argument; a NaN counts as missing, -0.0 is below 0.0."""

def fmin(x: Any, y: Any) -> Any:
    """The smaller argument; a NaN counts as missing, -0.0 is below 0.0."""

def funnelshift_l(low: Any, high: Any, shift: Any) -> Any:
    """The upper word of `high:low` shifted left by `shift & 31`."""

def funnelshift_r(low: Any, high: Any, shift: Any) -> Any:
    """The lower word of `high:low` shifted right by `shift & 31`."""

def globaltimer() -> Any:
    """Nanoseconds of a clock that all multiprocessors share, in steps of the device's choice (PTX ISA,
    %globaltimer).
    """

def match_all_sync(mask: Any, value: Any) -> Any:
    """The mask and True if all its threads have a value of the same bits, else 0 and False."""

def match_any_sync(mask: Any, value: Any) -> Any:
    """The threads of the mask, as bits, whose value has the same bits as the own one."""

def mulhi(x: Any, y: Any) -> Any:
    """The upper half of the product of two integers of one dtype."""

def nanosleep(nanoseconds: Any) -> Any:
    """Suspends the thread for about so many nanoseconds, at most a millisecond."""

def popc(x: Any) -> Any:
    """How many bits of x are set."""

def rcp(x: Any) -> Any:
    """`1 / x`, correctly rounded; infinite at 0."""

def rsqrt(x: Any) -> Any:
    """`1 / sqrt(x)`."""

def saturate(x: Any) -> Any:
    """x clamped to 0 to 1; NaN gives 0."""

def shfl_down_sync(mask: Any, value: Any, delta: Any, width: Any = 32) -> Any:
    """The value of the thread `delta` lanes above; its own where the group has none. `width` (a power of two, at
    most 32) cuts the warp into groups that exchange among themselves.
    """

def shfl_sync(mask: Any, value: Any, lane: Any, width: Any = 32) -> Any:
    """The value of thread `lane` of the group (modulo `width`). `width` (a power of two, at most 32) cuts the warp
    into groups that exchange among themselves.
    """

def shfl_up_sync(mask: Any, value: Any, delta: Any, width: Any = 32) -> Any:
    """The value of the thread `delta` lanes below; its own where the group has none. `width` (a power of two, at
    most 32) cuts the warp into groups that exchange among themselves.
    """

def shfl_xor_sync(mask: Any, value: Any, lane_mask: Any, width: Any = 32) -> Any:
    """The value of the thread in lane `laneid ^ lane_mask`; its own beyond the group. `width` (a power of two, at
    most 32) cuts the warp into groups that exchange among themselves.
    """

def sinpi(x: Any) -> Any:
    """Sine of pi times x, without rounding pi."""

def syncthreads_and(predicate: Any) -> Any:
    """A barrier of the block that also tells whether `predicate` holds in all threads."""

def syncthreads_count(predicate: Any) -> Any:
    """A barrier of the block that also tells in how many threads `predicate` holds."""

def syncthreads_or(predicate: Any) -> Any:
    """A barrier of the block that also tells whether `predicate` holds in some thread."""

class _Block:
    def and_(self, value: Any) -> Any:
        """The bitwise and over the threads of the block, in the dtype of `value` (integers and bools); a barrier."""
    def exclusive_scan(self, value: Any) -> Any:
        """The sum of the values before its own (0 for the first) over the threads of the block, in the dtype of
        `value` (integers wrap, bools are counted in `i32`); a barrier.
        """
    def inclusive_scan(self, value: Any) -> Any:
        """The sum of the values up to and including its own over the threads of the block, in the dtype of `value`
        (integers wrap, bools are counted in `i32`); a barrier.
        """
    def max(self, value: Any) -> Any:
        """The largest value over the threads of the block, in the dtype of `value` (a NaN counts as missing); a
        barrier.
        """
    def min(self, value: Any) -> Any:
        """The smallest value over the threads of the block, in the dtype of `value` (a NaN counts as missing); a
        barrier.
        """
    def or_(self, value: Any) -> Any:
        """The bitwise or over the threads of the block, in the dtype of `value` (integers and bools); a barrier."""
    def prod(self, value: Any) -> Any:
        """The product over the threads of the block, in the dtype of `value` (integers wrap); a barrier."""
    def scan(self, value: Any) -> Any:
        """The sum of the values up to and including its own over the threads of the block, in the dtype of `value`
        (integers wrap, bools are counted in `i32`); a barrier.
        """
    def sum(self, value: Any) -> Any:
        """The sum over the threads of the block, in the dtype of `value` (integers wrap, bools are counted in
        `i32`); a barrier.
        """
    def xor(self, value: Any) -> Any:
        """The bitwise exclusive or over the threads of the block, in the dtype of `value` (integers and bools); a
        barrier.
        """

block: _Block

class _Random:
    def normal(self, seed: Any, index: Any, stream: Any = 0) -> Any:
        """A standard normal f32: Box-Muller on the first two Philox words."""
    def philox(self, seed: Any, index: Any, stream: Any = 0) -> Any:
        """Four random words of 32 bits for the key `seed` and the counter (`index`, `stream`)."""
    def uniform(self, seed: Any, index: Any, stream: Any = 0) -> Any:
        """A uniform f32 in [0, 1): the upper 24 bits of the first Philox word, exact."""

random: _Random

class _Warp:
    def and_(self, value: Any) -> Any:
        """The bitwise and over the threads of the warp, in the dtype of `value` (integers and bools)."""
    def exclusive_scan(self, value: Any) -> Any:
        """The sum of the values before its own (0 for the first) over the threads of the warp, in the dtype of
        `value` (integers wrap, bools are counted in `i32`).
        """
    def inclusive_scan(self, value: Any) -> Any:
        """The sum of the values up to and including its own over the threads of the warp, in the dtype of `value`
        (integers wrap, bools are counted in `i32`).
        """
    def max(self, value: Any) -> Any:
        """The largest value over the threads of the warp, in the dtype of `value` (a NaN counts as missing)."""
    def min(self, value: Any) -> Any:
        """The smallest value over the threads of the warp, in the dtype of `value` (a NaN counts as missing)."""
    def or_(self, value: Any) -> Any:
        """The bitwise or over the threads of the warp, in the dtype of `value` (integers and bools)."""
    def prod(self, value: Any) -> Any:
        """The product over the threads of the warp, in the dtype of `value` (integers wrap)."""
    def scan(self, value: Any) -> Any:
        """The sum of the values up to and including its own over the threads of the warp, in the dtype of `value`
        (integers wrap, bools are counted in `i32`).
        """
    def sum(self, value: Any) -> Any:
        """The sum over the threads of the warp, in the dtype of `value` (integers wrap, bools are counted in
        `i32`).
        """
    def xor(self, value: Any) -> Any:
        """The bitwise exclusive or over the threads of the warp, in the dtype of `value` (integers and bools)."""

warp: _Warp

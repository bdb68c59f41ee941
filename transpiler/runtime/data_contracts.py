"""Contracts on the contents of arrays: `injective`, `permutation`, `in_range`, `nondecreasing`.

In: an integer array on the device and a predicate. Out: whether it holds, found by kernels in our own language that the compiler
proves like any other; `Verified`, a handle with a private copy for which the answer is known. The result is read back, so a
check waits for the device: that is its price, and what `verified(...)` pays once.
Non-goals: arrays of floats; value ranges that no table of flags can cover.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from transpiler.runtime.arguments import ArrayArg, Unusable, read_array
from transpiler.runtime.owned import array_of
from transpiler.runtime.plan import Configuration
from transpiler.source import Source

if TYPE_CHECKING:
    from transpiler.runtime.launch import Launcher, Shared

KERNELS = '''
from transpiler import Atomic, Dim, DType, In, cuda, i8, i16, i32, i64, kernel, u8, u16, u32

class N(Dim): ...
class K(Dim): ...
class T(DType, of=(i8, i16, i32, i64, u8, u16, u32)): ...

@kernel(domain=N, block=256)
def bounds(p: In[T, N], low: Atomic[i64, 1], high: Atomic[i64, 1]):
    """The least and the greatest value."""
    i = cuda.grid(1)
    if i < N:
        cuda.atomic.min(low, 0, i64(p[i]))
        cuda.atomic.max(high, 0, i64(p[i]))

@kernel(domain=N, block=256)
def falls(p: In[T, N], found: Atomic[i32, 1]):
    """Whether a value is less than the one before it."""
    i = cuda.grid(1)
    if i + 1 < N:
        if p[i + 1] < p[i]:
            cuda.atomic.max(found, 0, 1)

@kernel(domain=N, block=256)
def repeats(p: In[T, N], low: i64, seen: Atomic[i32, K], found: Atomic[i32, 1]):
    """Whether a value occurs twice; `seen` has a flag for each value from `low` on."""
    i = cuda.grid(1)
    if i < N:
        v = i64(p[i]) - low
        if v >= 0 and v < K:
            old = cuda.atomic.exch(seen, v, 1)
            if old == 1:
                cuda.atomic.max(found, 0, 1)
'''
MOST_FLAGS = 1 << 28
_INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32")
_I64_MIN, _I64_MAX = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Claim:
    """A predicate with its bounds."""

    predicate: str
    low: int = 0
    high: int = 0

    def covers(self, other: Claim, length: int) -> bool:
        """Whether arrays that meet this claim meet the other one."""
        if self.predicate == "permutation" and other.predicate == "injective":
            return True
        if self.predicate == "permutation" and other.predicate == "in_range":
            return other.low <= 0 and length <= other.high
        if self.predicate == other.predicate == "in_range":
            return other.low <= self.low and self.high <= other.high
        return self.predicate == other.predicate

    def __str__(self) -> str:
        return f"in_range(..., {self.low}, {self.high})" if self.predicate == "in_range" else self.predicate


class Verified:
    """An integer array whose contents are known to meet a claim: read-only, and nobody else's memory."""

    def __init__(self, array: Any, claim: Claim) -> None:
        self._array = array
        self.claim = claim

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._array.shape)

    @property
    def dtype(self) -> Any:
        return self._array.dtype

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        interface = dict(self._array.__cuda_array_interface__)
        interface["data"] = (interface["data"][0], True)
        return interface

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<verified {self.claim}, shape {self.shape}>"


class Checker:
    """Runs the check kernels; one a process."""

    def __init__(self, shared: Shared, build: Any) -> None:
        self._shared = shared
        self._build = build

    @cached_property
    def _launchers(self) -> dict[str, Launcher]:
        from transpiler.runtime.instances import Instances
        from transpiler.runtime.launch import Launcher
        from transpiler.runtime.program import FileProgram

        source = Source(KERNELS, "transpiler/runtime/data_contracts.py")
        return {
            name: Launcher(FileProgram.read(source, name), self._shared, Instances(self._shared.driver, self._build))
            for name in ("bounds", "falls", "repeats")
        }

    def fault(self, array: Any, claim: Claim) -> str | None:
        """Why the contents do not meet the claim, None where they do; waits for the current stream."""
        record = read_array(array, self._shared.driver)
        if isinstance(record, Unusable):
            return record.reason
        if record.dtype not in _INTEGERS or record.strides is not None:
            return f"only contiguous arrays of {', '.join(_INTEGERS)} can be checked, not one of {record.dtype}"
        if record.size == 0:
            return None
        flat = replace(record, shape=(record.size,), readonly=True)
        if claim.predicate == "nondecreasing":
            return "a value is less than the one before it" if self._flag("falls", flat) else None
        return self._fault_of_values(flat, claim)

    def _fault_of_values(self, flat: ArrayArg, claim: Claim) -> str | None:
        low, high = self._bounds(flat)
        span = f"its values run from {low} to {high}"
        if claim.predicate == "in_range":
            return None if claim.low <= low and high < claim.high else span
        if claim.predicate == "permutation" and (low, high) != (0, flat.size - 1):
            return span
        if high - low + 1 < flat.size:
            return f"{span}, and it has {flat.size} elements"
        if high - low >= MOST_FLAGS:
            return f"{span}: too far apart for a check"
        seen = self._shared.driver.zeros(high - low + 1, "int32")
        return "a value occurs twice" if self._flag("repeats", flat, low, seen) else None

    def _run(self, name: str, *args: Any) -> None:
        launcher = self._launchers[name]
        launcher(args, launcher.lane(Configuration()), None, False)
        self._shared.driver.synchronize(self._shared.driver.current_stream().ptr)

    def _flag(self, name: str, *args: Any) -> bool:
        found = self._shared.driver.zeros(1, "int32")
        self._run(name, *args, found)
        return bool(int(found[0]))

    def _bounds(self, flat: ArrayArg) -> tuple[int, int]:
        low, high = self._shared.driver.zeros(1, "int64"), self._shared.driver.zeros(1, "int64")
        low.fill(_I64_MAX)
        high.fill(_I64_MIN)
        self._run("bounds", flat, low, high)
        return int(low[0]), int(high[0])


def claim_of(predicate: Any, bounds: tuple[int, ...]) -> Claim:
    """`permutation`, or `in_range` with its two bounds."""
    name = str(getattr(predicate, "_name", predicate))
    if name not in ("injective", "permutation", "in_range", "nondecreasing"):
        raise TypeError(f"{name!r} is no data contract: they are injective, permutation, in_range, nondecreasing")
    if len(bounds) != (2 if name == "in_range" else 0):
        raise TypeError("in_range takes two bounds, the others none")
    return Claim(name, *bounds)


def verify(array: Any, predicate: Any, bounds: tuple[int, ...]) -> Verified:
    """A verified private copy of an array; `ValueError` where the contract does not hold."""
    from transpiler.runtime.session import session

    claim = claim_of(predicate, bounds)
    here = session()
    copy = here.shared.driver.copy(array_of(array))
    fault = here.checker.fault(copy, claim)
    if fault is not None:
        raise ValueError(f"the array does not meet {claim}: {fault}")
    return Verified(copy, claim)

"""Atomic operations in C++.

In: an `Atomic` and the address it works on. Out: CUDA's `atomicAdd` and its kin where the dtype has it, else a helper
of `templates/device` that loops on compare-and-swap. CUDA's functions are relaxed; acquire and release are fences
around them, of the scope of the operation: a fence before a relaxed write releases, one behind a relaxed read
acquires.
Non-goals: whether an architecture has the instruction (`check`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.emit import text
from transpiler.emit.cpp_types import LONG, ULONG, cpp_type
from transpiler.emit.text import Text
from transpiler.ir import device as d

if TYPE_CHECKING:
    from transpiler.emit.expressions import Printer

_NATIVE = {
    "add": {"i32", "u32", "u64", "f32", "f64", "f16", "bf16"},
    "sub": {"i32", "u32"},
    "min": {"i32", "u32", "i64", "u64"},
    "max": {"i32", "u32", "i64", "u64"},
    "and": {"i32", "u32", "u64"},
    "or": {"i32", "u32", "u64"},
    "xor": {"i32", "u32", "u64"},
    "exch": {"i32", "u32", "u64", "f32"},
    "cas": {"i32", "u32", "u64"},
    "inc": {"u32"},
    "dec": {"u32"},
}
_FUNCTIONS = {"and": "And", "or": "Or", "xor": "Xor", "cas": "CAS"}
_SUFFIX = {"block": "_block", "device": "", "system": "_system"}
FENCES = {"block": "__threadfence_block();", "device": "__threadfence();", "system": "__threadfence_system();"}
_SCOPED = {"i32", "u32", "i64", "u64", "f32", "f64"}


def fences(stmt: d.Atomic) -> tuple[str, str]:
    """What stands before and behind an atomic for its memory order, maybe nothing."""
    fence = FENCES[stmt.scope]
    before = fence if stmt.order in ("release", "acq_rel", "seq_cst") else ""
    behind = fence if stmt.order in ("acquire", "acq_rel", "seq_cst") else ""
    return before, behind


def call(p: Printer, stmt: d.Atomic, target: Text) -> Text:
    """The C++ call; its value is what the memory held before (what was loaded, for `load`)."""
    dtype, ctype = stmt.array.dtype, cpp_type(stmt.array.dtype)
    address = f"&{target.text}"
    operands = [p.exactly(operand, ctype).text for operand in stmt.operands]
    suffix = _SUFFIX[stmt.scope] if dtype.name in _SCOPED else ""
    name = f"atomic{_FUNCTIONS.get(stmt.op, stmt.op.capitalize())}{suffix}"
    unscoped = stmt.scope == "system" and dtype.name not in _SCOPED
    if dtype.name in _NATIVE.get(stmt.op, ()) and not unscoped:
        return text.call(name, [address, *operands], ctype)
    if dtype.name == "i64" and stmt.op in ("add", "and", "or", "xor", "exch", "cas"):
        address = f"reinterpret_cast<{ULONG}*>({address})"
        operands = [p.exactly(operand, ULONG).text for operand in stmt.operands]
        called = text.call(name, [address, *operands], ULONG)
        return called if stmt.target is None else text.cast(called, LONG)
    if stmt.op == "sub" and dtype.name in ("u64", "f32", "f64"):
        negative = text.unary("-", p.exactly(stmt.operands[0], ctype), ctype)
        return text.call(f"atomicAdd{suffix}", [address, negative.text], ctype)
    if stmt.op in ("load", "store"):
        p.helpers.use("atomic_access.cuh")
        return text.call(f"atomic_{stmt.op}", [address, *operands], ctype)
    as_float = dtype.name in ("f32", "f64") and stmt.op != "cas"
    system = "_system" if stmt.scope == "system" else ""  # the loops work for a device, and so for a block
    file = "atomic_update_float.cuh" if as_float else "atomic_update.cuh"
    p.helpers.use(f"{file}@system" if system else file)
    if stmt.op == "cas":
        return text.call(f"atomic_compare_exchange{system}", [address, *operands], ctype)
    return text.call(f"atomic_update{system}<atomic_{stmt.op}_op>", [address, *operands], ctype)

"""What names and expressions mean: the vocabulary of the typed kernel.

In: nothing. Out: the classes of compile-time values, resolved calls, and `Typed`, the tables that `check` fills beside the
surface tree of one function instance. A meaning is a run-time `Type` of `ir.types` or one of the compile-time values below.
Non-goals: rules (which are in `promotion`, `expressions`, `calls`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from transpiler.intrinsics.entry import Intrinsic, Signature
from transpiler.ir import device, surface
from transpiler.ir.types import (
    BOOL,
    F32,
    INDEX,
    WEAK_FLOAT,
    WEAK_INT,
    DType,
    IndexType,
    NoneType,
    TupleType,
    Type,
    VectorType,
    WeakType,
)
from transpiler.records import node, record
from transpiler.source import Span


@record
class Static:
    """A number known at compile time: a literal, a module constant, a `Const` parameter, arithmetic on them."""

    value: int | float | bool
    name: str = ""

    @property
    def type(self) -> Type:
        if isinstance(self.value, bool):
            return BOOL
        return WEAK_INT if isinstance(self.value, int) else WEAK_FLOAT


@record
class Text:
    """A string, legal as a message or as a dtype name."""

    value: str


@record
class DTypeRef:
    """A dtype as a value: `f32` in `f32(x)` or `cuda.shared.array(8, f32)`."""

    dtype: DType


@record
class VectorRef:
    """`vec(f32, 3)` as a constructor."""

    type: VectorType


@record
class Qualified:
    """An imported or built-in name, to be looked up by its full name: `transpiler.cuda.atomic`, `math`, `builtins.len`."""

    name: str


@record
class DeviceRef:
    """A `@device` function."""

    function: surface.Function


@record
class DimMeaning:
    """A named dim: an index integer."""

    name: str


@node
class ArrayMeaning:
    """An array or a view. `origin` is the parameter, the allocating call or the subscript that it comes from.

    `shape` holds per axis a constant, a dim or None; `root` is the array that owns the memory (itself for no view).
    """

    name: str
    dtype: DType
    shape: tuple[int | DimMeaning | None, ...]
    space: str
    """`param`, `shared`, `local` or `const`."""
    ownership: str
    origin: surface.Node
    root: ArrayMeaning | None = None
    dynamic: bool = False
    """`cuda.shared.array(0, t)`: as long as `smem=` of the launch leaves."""

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def owner(self) -> ArrayMeaning:
        return self.root or self


@record
class ShapeOf:
    """`a.shape`."""

    array: ArrayMeaning


@record
class TupleMeaning:
    items: tuple[Meaning, ...]


@record
class RangeMeaning:
    """`range(...)`, maybe in `unroll`, `reversed` or `enumerate`: legal behind `in` of a `for`."""

    start: surface.Expr | None
    stop: surface.Expr
    step: surface.Expr | None
    unroll: int | None = None
    reverse: bool = False


@record
class SequenceMeaning:
    """What else a `for` can run over: known items (a tuple, `enumerate` or `zip` of known ones); the body is repeated."""

    items: tuple[Meaning, ...]
    exprs: tuple[surface.Expr | None, ...]
    """The expressions of the items where there are any (else the meaning is a `Static`)."""


@record
class NoneMeaning:
    """`None`, and an optional array argument that is absent."""


Meaning = (
    Type
    | Static
    | Text
    | DTypeRef
    | VectorRef
    | Qualified
    | DeviceRef
    | DimMeaning
    | ArrayMeaning
    | ShapeOf
    | TupleMeaning
    | RangeMeaning
    | SequenceMeaning
    | NoneMeaning
)


# --- calls, resolved --------------------------------------------------------------------------------------


@record
class IntrinsicCall:
    entry: Intrinsic
    signature: Signature
    args: tuple[surface.Expr | Static, ...]


@record
class FunctionCall:
    callee: Typed
    args: tuple[surface.Expr | None, ...]
    """None where the parameter is a compile-time constant of the instance."""


@record
class CastCall:
    dtype: DType
    arg: surface.Expr


@record
class BuiltinCall:
    """`abs min max divmod pow int float bool len` and `cuda.grid`, `cuda.gridsize`, by name."""

    name: str
    args: tuple[surface.Expr, ...]


@record
class VectorCall:
    type: VectorType
    args: tuple[surface.Expr, ...]


@record
class AtomicCall:
    op: str
    array: surface.Expr
    index: tuple[surface.Expr, ...]
    operands: tuple[surface.Expr, ...]
    order: str
    scope: str


@record
class CopyCall:
    """`cuda.cp_async`: `count` elements from `source` to `array`."""

    array: surface.Expr
    index: tuple[surface.Expr, ...]
    source: surface.Expr
    source_index: tuple[surface.Expr, ...]
    count: int


@record
class CopyGroupCall:
    """A group of asynchronous copies is closed (`pending` is None), or all but the last `pending` ones are waited for."""

    pending: int | None


@record
class AllocCall:
    array: ArrayMeaning
    shape: tuple[surface.Expr, ...]
    fill: surface.Expr | None
    values: tuple[int | float | bool, ...] = ()


@record
class BarrierCall:
    scope: str
    mask: surface.Expr | None


@record
class FenceCall:
    scope: str


@record
class PrintCall:
    parts: tuple[str | tuple[surface.Expr, str], ...]


@record
class ContractCall:
    """`requires`, `invariant` and `trust` as statements."""

    name: str
    conditions: tuple[surface.Expr, ...]
    array: surface.Expr | None = None
    reason: str = ""


ResolvedCall = (
    IntrinsicCall
    | FunctionCall
    | CastCall
    | BuiltinCall
    | VectorCall
    | AtomicCall
    | CopyCall
    | CopyGroupCall
    | AllocCall
    | BarrierCall
    | FenceCall
    | PrintCall
    | ContractCall
)


@record
class ParamMeaning:
    """A parameter: its meaning in the body, and what the device IR will hold for it (None: a compile-time constant)."""

    name: str
    meaning: Meaning
    device: device.ScalarParam | device.ArrayParam | None
    span: Span


@dataclass(slots=True, eq=False)
class Typed:
    """One function instance with its tables. Filled by `check`, read by `lower`; not changed afterwards."""

    function: surface.Function
    module: surface.Module
    name: str
    params: tuple[ParamMeaning, ...] = ()
    locals: dict[str, Meaning] = field(default_factory=dict)
    meanings: dict[surface.Expr, Meaning] = field(default_factory=dict)
    calls: dict[surface.Call, ResolvedCall] = field(default_factory=dict)
    loops: dict[surface.For, RangeMeaning | SequenceMeaning] = field(default_factory=dict)
    dead: dict[surface.Stmt, bool] = field(default_factory=dict)
    """`if` statements decided at compile time (`if x is None`, `if USE_BIAS`): the value of the test."""
    constants: frozenset[str] = frozenset()
    """Locals assigned once, by a plain assignment: compile-time constants where the value is one."""
    returns: Meaning | None = None
    callees: list[Typed] = field(default_factory=list)
    axes: int = 1
    launch: Launch | None = None


@record
class Launch:
    """What the kernel's decorator says, evaluated."""

    block: tuple[int | None, int | None, int | None] | None
    grid: tuple[surface.Expr, ...] | None
    domain: tuple[surface.Expr, ...] | None
    options: device.Options
    instance: tuple[tuple[str, str], ...]
    dims: tuple[str, ...]


def type_of(meaning: Meaning | None) -> Type | None:
    """The run-time type of a value, or None for what is none (a dtype, a function, an array)."""
    match meaning:
        case Static():
            return meaning.type
        case DimMeaning():
            return INDEX
        case DType() | IndexType() | WeakType() | VectorType() | NoneType():
            return meaning
        case TupleMeaning(items=items):
            types = [t for item in items if (t := type_of(item)) is not None]
            return TupleType(tuple(types)) if len(types) == len(items) else None
        case TupleType():
            return meaning
    return None


def at_run_time(meaning: Meaning) -> Meaning:
    """What is left of a value that a local holds: the types of numbers, of items too."""
    match meaning:
        case TupleMeaning():
            return TupleMeaning(tuple(at_run_time(item) for item in meaning.items))
        case ShapeOf():
            return TupleMeaning((INDEX,) * meaning.array.rank)
    return type_of(meaning) or meaning


def settled(meaning: Meaning) -> Meaning:
    """The meaning of a local once all its assignments are known: literals get their default type."""
    match meaning:
        case TupleMeaning():
            return TupleMeaning(tuple(settled(item) for item in meaning.items))
        case WeakType():
            return INDEX if meaning == WEAK_INT else F32
    return meaning


def live_operands(expr: surface.BoolOp, meanings: Mapping[surface.Expr, Meaning]) -> tuple[surface.Expr, ...]:
    """The operands of `and` or `or` that can matter: none behind one that decides at compile time, none before the last that
    cannot decide. Both `check` and `lower` go by it, so that `b is not None and b[0] > 0` is fine where `b` is absent.
    """
    live: list[surface.Expr] = []
    for operand in expr.values:
        known = meanings.get(operand)
        decides = isinstance(known, Static) and bool(known.value) == (expr.op == "or")
        if decides or operand is expr.values[-1] or not isinstance(known, Static):
            live.append(operand)
        if decides:
            break
    return tuple(live)

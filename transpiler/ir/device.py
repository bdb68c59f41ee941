"""The device IR: what one thread does. Both tracks lower to it; it alone is proved, emitted and simulated.

In: built by `lower`. Out: frozen nodes with spans into the Python source, checked by `ir.verify`. It keeps Python's meaning in
few constructs; everything that Python says in many ways has one form here:

* Every expression is typed by a `DType` or by `INDEX` (exact integers). Operands of an operation have the type that the
  operation is done in: conversions are explicit `Cast`s. Tuples, vectors and views of arrays are gone.
* An expression has no effect. Loads are expressions; whatever writes, synchronises or exchanges between threads is a statement.
  Lowering has spilled operands so that evaluating an expression in any order, at its place, gives Python's result.
* `Logic` and `Select` evaluate lazily, as in Python: a guard protects the load on its right.
* Arithmetic is Python's: `//` and `%` floor, comparison is by value, `min` keeps the first of equals. On `INDEX` it is exact,
  on integer dtypes it wraps as NumPy's does, on floats it rounds to the dtype at each operation.
* Loops are `For` (a range: bounds evaluated once, the counter is never assigned in the body nor read after the loop) and `While`.

Nodes are themselves (`eq=False`): facts are kept in tables beside the tree, keyed by node.
Non-goals: control-flow graphs, SSA, C++ concerns (declaration places, widths, precedence).
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from transpiler.ir.types import DType, IndexType
from transpiler.records import node, record
from transpiler.source import Source, Span

if TYPE_CHECKING:
    from transpiler.intrinsics.entry import Intrinsic

Scalar = DType | IndexType


@node(kw_only=True)
class Node:
    span: Span


# --- places -----------------------------------------------------------------------------------------------


@node
class Local(Node):
    """A variable of one thread. Temporaries of lowering have `is_temp`; two locals may share a name."""

    name: str
    type: Scalar
    is_temp: bool = False


@node
class ScalarParam(Node):
    """A scalar by value, uniform over the launch. `dtype` is what is passed; a signed integer is read as `INDEX`."""

    name: str
    dtype: DType
    default: int | float | bool | None = None

    @property
    def type(self) -> Scalar:
        return IndexType() if self.dtype.kind == "int" else self.dtype


@node
class Array(Node):
    """An array that threads can reach. `shape` holds `DimRef`, `Const` or `Extent` (of this very array, by name) expressions."""

    name: str
    dtype: DType
    shape: tuple[Expr, ...]

    @property
    def rank(self) -> int:
        return len(self.shape)


@node
class ArrayParam(Array):
    """Global memory in a kernel; in a device function any memory, given by the call.

    `ownership` is `in`, `out`, `inout` or `atomic`; `order` is `C`, `F` or `strided` (then `Stride` exists for each axis).
    """

    ownership: str
    order: str = "C"
    inferred: bool = False
    """Ownership comes from use, not from an annotation."""


@node
class SharedArray(Array):
    """Memory of a block. Extents that are not `Const` are sized by the launch; `shape == (Const(0),)` is what `smem=` leaves."""


@node
class LocalArray(Array):
    """Memory of a thread, of constant shape."""


@node
class ConstArray(Array):
    """Values known at compile time, in C order."""

    values: tuple[int | float | bool, ...]


# --- expressions ------------------------------------------------------------------------------------------


@node(kw_only=True)
class Expr(Node):
    type: Scalar


@node
class Const(Expr):
    """A literal, already in the range of its type; `text` is how Python spells it where that is worth keeping (`0xFF`).

    `name` is the module constant or `Const` parameter that it stands for, to be named in the C++.
    """

    value: int | float | bool
    text: str = ""
    name: str = ""


@node
class Var(Expr):
    """Read of a local or a scalar parameter."""

    var: Local | ScalarParam


@node
class DimRef(Expr):
    """A named dim; type INDEX, at least 0, uniform over the launch."""

    name: str


@node
class Extent(Expr):
    """The extent of an axis of the array parameter of that name (anonymous: `int` in the annotation); INDEX, at least 0."""

    array: str
    axis: int


@node
class LaunchVar(Expr):
    """A launch variable, type INDEX.

    `name` is `threadIdx blockIdx blockDim gridDim grid gridsize` with an axis (0 x, 1 y, 2 z), or `laneid warpsize` (axis 0).
    `grid` is `blockIdx * blockDim + threadIdx`, `gridsize` is `gridDim * blockDim`: both are below 2**31 by contract.
    """

    name: str
    axis: int


@node
class Unary(Expr):
    """`op`: `-`, `~` (integers), `not` (bool to bool), `abs`."""

    op: str
    operand: Expr


@node
class Binary(Expr):
    """`op`: `+ - *`, `/` (floats), `// %`, `**`, `& | ^` (integers and bool), `<< >>` (integers), `min max`.

    The type is that of both operands.
    """

    op: str
    left: Expr
    right: Expr


@node
class Compare(Expr):
    """`op`: `< <= > >= == !=`; type BOOL. Operands of one type, or of two integer types and then compared by value."""

    op: str
    left: Expr
    right: Expr


@node
class Logic(Expr):
    """`op`: `and`, `or`; bool operands, the right one evaluated only where the left one does not decide."""

    op: str
    left: Expr
    right: Expr


@node
class Select(Expr):
    """`then if cond else orelse`, lazily."""

    cond: Expr
    then: Expr
    orelse: Expr


@node
class Cast(Expr):
    """Conversion to `type`.

    Integer to integer dtype wraps; float to integer truncates, saturates, NaN gives 0; to float rounds to nearest even; to
    bool is `!= 0`. To INDEX from an integer dtype or bool is exact. `exact` marks a conversion that the user did not write
    and that loses nothing only if the value fits (INDEX into a dtype): an obligation of the prover.
    """

    operand: Expr
    exact: bool = False


@node
class Load(Expr):
    """`array[indices]`; one INDEX expression an axis."""

    array: Array
    indices: tuple[Expr, ...]


@node
class Call(Expr):
    """A pure intrinsic, or a device function that only computes and reads and returns one scalar."""

    callee: Intrinsic | Function
    args: tuple[Expr | View, ...]


@node
class Range(Node):
    """Elements `start + k*step`, `0 <= k < length`, of an axis; all INDEX, `step` a constant other than 0."""

    start: Expr
    length: Expr
    step: int = 1


@node
class View(Node):
    """An array argument: per axis of `array` an index (the axis is dropped) or a `Range`. A whole array has full ranges."""

    array: Array
    items: tuple[Expr | Range, ...]


# --- statements -------------------------------------------------------------------------------------------


@node(kw_only=True)
class Stmt(Node):
    comments: tuple[str, ...] = ()
    trailing: str | None = None


@node
class Assign(Stmt):
    target: Local
    value: Expr


@node
class Store(Stmt):
    """`augmented` is the operator where the source says `a[i] += v`: `value` is the Binary whose left operand is the Load."""

    array: Array
    indices: tuple[Expr, ...]
    value: Expr
    augmented: str | None = None


@node
class Atomic(Stmt):
    """`target = old value; array[indices] = op(old, operands)` in one step.

    `op`: `add sub min max and or xor exch inc dec cas load store`; `cas` has operands (expected, desired), `load` none.
    `order`: `relaxed acquire release acq_rel seq_cst`; `scope`: `block device system`.
    """

    target: Local | None
    op: str
    array: Array
    indices: tuple[Expr, ...]
    operands: tuple[Expr, ...]
    order: str = "relaxed"
    scope: str = "device"


@node
class AsyncCopy(Stmt):
    """`count` elements of the last axis, from that which `source` loads on, go to those of `array` from `indices` on, later.

    `array` is shared, the source global. Its group is closed by the next `CommitGroup` of the thread; from here until a
    `WaitGroup` of the thread that covers the group, the elements may be read and written at any time.
    """

    array: Array
    indices: tuple[Expr, ...]
    source: Load
    count: int

    @property
    def bytes(self) -> int:
        return self.count * self.array.dtype.itemsize


@node
class CommitGroup(Stmt):
    """Closes a group: the asynchronous copies of this thread since the last one."""


@node
class WaitGroup(Stmt):
    """Waits until all groups of this thread but the last `pending` ones are complete."""

    pending: int


@node
class CallStmt(Stmt):
    """An intrinsic with an effect, or a device function; `targets` take its results in order (all or none of them)."""

    targets: tuple[Local, ...]
    callee: Intrinsic | Function
    args: tuple[Expr | View, ...]


@node
class Barrier(Stmt):
    """`scope`: `block`, `warp` (with a `mask`, u32) or `grid`. In its scope, accesses before it come before those behind it."""

    scope: str
    mask: Expr | None = None


@node
class Fence(Stmt):
    """A memory fence; `scope`: `block`, `device`, `system`. Orders, does not wait."""

    scope: str


@node
class If(Stmt):
    cond: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...] = ()


@node
class For(Stmt):
    """`for counter in range(start, stop, step)`. `unroll`: None (the compiler decides), 0 fully, or a count."""

    counter: Local
    start: Expr
    stop: Expr
    step: Expr
    body: tuple[Stmt, ...]
    unroll: int | None = None


@node
class While(Stmt):
    """`pre` runs before each test (effects that the condition holds: a walrus, an atomic); usually empty."""

    pre: tuple[Stmt, ...]
    cond: Expr
    body: tuple[Stmt, ...]


@node
class Break(Stmt):
    pass


@node
class Continue(Stmt):
    """In a `While` it goes on to `pre` and the test."""


@node
class Return(Stmt):
    values: tuple[Expr, ...] = ()


@node
class Assert(Stmt):
    cond: Expr
    message: str


@node
class Print(Stmt):
    """`parts`: text, or (expression, format spec such as `.3f`, maybe empty). Ends with what `end` said (part of the text)."""

    parts: tuple[str | tuple[Expr, str], ...]


@node
class Invariant(Stmt):
    """Holds whenever the loop whose body it opens tests its condition; proved, then used."""

    cond: Expr


@node
class Trust(Stmt):
    """Believed and listed as an assumption: `cond`, or (when `ordered`) that accesses to the array do not race."""

    cond: Expr | None
    ordered: Array | None
    reason: str


# --- functions --------------------------------------------------------------------------------------------


@node
class Requirement(Node):
    """One condition of `requires`: `cond` over dims, scalars and launch dimensions, or a data contract.

    A data contract is `predicate` (`injective permutation in_range nondecreasing`) on the array parameter `array`, with INDEX
    `args`.
    `text` is the condition as Python, in full names (`cuda.gridDim.x`, `len(x)`).
    """

    text: str
    cond: Expr | None
    predicate: str = ""
    array: str = ""
    args: tuple[Expr, ...] = ()


@node
class Function(Node):
    """An instance of a device function: one for each tuple of argument types. `returns` holds 0, 1 or more scalar types.

    `name` is unique in the unit (`combine`, `combine_f64`).
    """

    name: str
    source: Source
    params: tuple[ScalarParam | ArrayParam | Local, ...]
    """Scalars that the body assigns are `Local`s, others `ScalarParam`s. Extents that are not constants are `Extent`s."""
    returns: tuple[Scalar, ...]
    body: tuple[Stmt, ...]
    arrays: tuple[SharedArray | LocalArray | ConstArray, ...] = ()
    doc: str | None = None
    comments: tuple[str, ...] = ()
    pure: bool = False
    """Neither writes memory nor synchronises: may stand in an expression."""


@record
class Options:
    """What the decorator says beside the launch."""

    checks: str = "static"
    asserts: str = "on"
    fma: str = "on"
    fast_math: bool = False
    deterministic: bool = False
    min_blocks: int | None = None
    max_registers: int | None = None
    line_info: bool = False


@node
class Kernel(Node):
    """One instance of a kernel: generic dtypes and `Const` parameters have values (`instance`, empty when there are none).

    `block`: extents in x, y, z order, None where it is free. `grid` and `domain` as in the decorator, x, y, z order, or None.
    """

    name: str
    source: Source
    params: tuple[ScalarParam | ArrayParam, ...]
    dims: tuple[str, ...]
    body: tuple[Stmt, ...]
    block: tuple[int | None, int | None, int | None]
    grid: tuple[Expr, ...] | None = None
    domain: tuple[Expr, ...] | None = None
    requires: tuple[Requirement, ...] = ()
    arrays: tuple[SharedArray | LocalArray | ConstArray, ...] = ()
    functions: tuple[Function, ...] = ()
    """Callees first."""
    options: Options = Options()
    instance: tuple[tuple[str, str], ...] = ()
    """(name of the generic dtype or Const parameter, its value as text), in order of declaration."""
    doc: str | None = None
    comments: tuple[str, ...] = ()
    closing_comments: tuple[str, ...] = ()
    axes: int = 1
    """How many launch axes the kernel uses: the blocks of the others number 1, by contract."""
    block_given: bool = True
    """`block=` stands in the decorator."""

    @property
    def arrays_by_name(self) -> dict[str, ArrayParam]:
        return {p.name: p for p in self.params if isinstance(p, ArrayParam)}


@record
class Ranges:
    """Proved numeric ranges (inclusive; None is unbounded), a fact table beside a kernel.

    `exprs` is flow-sensitive: the values that this node can take where it stands. `locals` joins all values that a local holds.
    What is missing is unbounded.
    """

    exprs: dict[Expr, tuple[int | None, int | None]] = field(default_factory=dict)
    locals: dict[Local, tuple[int | None, int | None]] = field(default_factory=dict)

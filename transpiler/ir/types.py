"""The types of the kernel language.

In: nothing. Out: immutable values that compare structurally. Scalars are `DType`s; an *index integer* (launch variables,
dims, extents, loop counters, signed scalar parameters, arithmetic on them) has type `INDEX`: an exact mathematical integer
for the proofs and the simulator, 32 or 64 bits wide in the C++ as its range allows.
Non-goals: C++ spelling (`emit`), NumPy dtypes (`simulate`, `runtime`), promotion rules (`check.promotion`).
"""

from __future__ import annotations

from transpiler.records import record


@record
class DType:
    """A scalar of memory: `kind` is `"bool"`, `"int"`, `"uint"` or `"float"`; `bits` its width in memory."""

    name: str
    kind: str
    bits: int

    def __str__(self) -> str:
        return self.name

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def itemsize(self) -> int:
        return self.bits // 8

    @property
    def min(self) -> int:
        return -(1 << (self.bits - 1)) if self.kind == "int" else 0

    @property
    def max(self) -> int:
        if self.kind == "bool":
            return 1
        return (1 << (self.bits - (self.kind == "int"))) - 1


BOOL = DType("bool", "bool", 8)
I8, I16, I32, I64 = (DType(f"i{b}", "int", b) for b in (8, 16, 32, 64))
U8, U16, U32, U64 = (DType(f"u{b}", "uint", b) for b in (8, 16, 32, 64))
F16, F32, F64 = (DType(f"f{b}", "float", b) for b in (16, 32, 64))
BF16 = DType("bf16", "float", 16)

DTYPES: dict[str, DType] = {t.name: t for t in (BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64)}


@record
class IndexType:
    """Exact integers; see the module docstring."""

    def __str__(self) -> str:
        return "index"


INDEX = IndexType()


@record
class WeakType:
    """A literal (or arithmetic on literals) that takes the other operand's type; `kind` is `"int"` or `"float"`.

    Lives in `check` only; no IR node of `ir.device` has it.
    """

    kind: str

    def __str__(self) -> str:
        return f"{self.kind} literal"


WEAK_INT, WEAK_FLOAT = WeakType("int"), WeakType("float")


@record
class TupleType:
    """A tuple value; lowering replaces it by its items."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))}{',' if len(self.items) == 1 else ''})"


@record
class VectorType:
    """A short vector `vec(f32, 3)`; lowering replaces it by its items."""

    dtype: DType
    size: int

    def __str__(self) -> str:
        return f"vec({self.dtype}, {self.size})"


@record
class ArrayType:
    """An array or a view of one: element type and rank."""

    dtype: DType
    rank: int

    def __str__(self) -> str:
        return f"{self.rank}-d array of {self.dtype}"


@record
class NoneType:
    """The value of a call that returns nothing, and of an absent optional argument."""

    def __str__(self) -> str:
        return "None"


NONE = NoneType()

Scalar = DType | IndexType
Type = DType | IndexType | WeakType | TupleType | VectorType | ArrayType | NoneType

"""The words of the kernel language, as Python sees them.

In: nothing. Out: what kernel files import: ownership words, dims, dtypes and the statements that only a kernel can say. A
kernel file must import on any machine, so every word here is an inert value: annotations and decorator arguments build a
description (`In[f32, N // 2]` is evaluated by Python when the file is imported), and calling a word of kernels on the host
is an error that says so. What a type checker sees stands in `lang.pyi`.
Non-goals: meaning (the compiler reads the text of the file, never these objects); intrinsics (`cuda`).
"""

from __future__ import annotations


class DimExpr:
    """Arithmetic on dims outside a kernel: remembers how it was written."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        raise TypeError(f"`{self.text}` has no value before a launch: dims are known when arrays are passed")

    def __index__(self) -> int:
        raise TypeError(f"`{self.text}` has no value before a launch: dims are known when arrays are passed")


def _spell(value: object) -> str:
    return value.__name__ if isinstance(value, type) else repr(value)


def _operator(symbol: str, reflected: bool = False):
    def apply(self: object, other: object) -> DimExpr:
        left, right = (other, self) if reflected else (self, other)
        return DimExpr(f"({_spell(left)} {symbol} {_spell(right)})")

    return apply


_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "truediv": "/", "mod": "%", "pow": "**"}
_ORDER = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


class _DimType(type):
    """Makes a dim class behave as an integer where annotations and decorators use it."""

    def __neg__(cls) -> DimExpr:
        return DimExpr(f"-{cls.__name__}")

    def __repr__(cls) -> str:
        return cls.__name__


for _target in (DimExpr, _DimType):
    for _name, _symbol in _ARITHMETIC.items():
        setattr(_target, f"__{_name}__", _operator(_symbol))
        setattr(_target, f"__r{_name}__", _operator(_symbol, reflected=True))
    for _name, _symbol in _ORDER.items():
        setattr(_target, f"__{_name}__", _operator(_symbol))


class Dim(metaclass=_DimType):
    """Base of named extents: `class N(Dim): ...`."""


class _DTypeType(type):
    def __repr__(cls) -> str:
        return cls.__name__

    def __call__(cls, *_args: object, **_keywords: object) -> object:
        raise TypeError(f"`{cls.__name__}(...)` converts inside a kernel; on the host use NumPy's or CuPy's dtypes")


class DType(metaclass=_DTypeType):
    """A scalar type of the language; `class T(DType, of=(f16, f32)): ...` makes kernels that use `T` generic."""

    of: tuple[type[DType], ...] = ()

    def __init_subclass__(cls, of: tuple[type[DType], ...] = ()) -> None:
        cls.of = tuple(of)


class bool_(DType): ...


class i8(DType): ...


class i16(DType): ...


class i32(DType): ...


class i64(DType): ...


class u8(DType): ...


class u16(DType): ...


class u32(DType): ...


class u64(DType): ...


class f16(DType): ...


class bf16(DType): ...


class f32(DType): ...


class f64(DType): ...


class Annotation:
    """`In[f32, N]` as a value: the word and what stands in its brackets."""

    __slots__ = ("items", "word")

    def __init__(self, word: str, items: tuple[object, ...]) -> None:
        self.word = word
        self.items = items

    def __repr__(self) -> str:
        return f"{self.word}[{', '.join(map(_spell, self.items))}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Annotation) and (self.word, self.items) == (other.word, other.items)

    def __hash__(self) -> int:
        return hash((self.word, self.items))

    def __or__(self, other: object) -> Alternative:
        return Alternative((self, other))

    def __ror__(self, other: object) -> Alternative:
        return Alternative((other, self))


class Alternative:
    """`In[f32, N] | None`."""

    __slots__ = ("options",)

    def __init__(self, options: tuple[object, ...]) -> None:
        self.options = options

    def __repr__(self) -> str:
        return " | ".join(map(_spell, self.options))


class _Word:
    """An ownership word; `word[...]` is an annotation."""

    def __init__(self, name: str, doc: str) -> None:
        self.name = name
        self.__doc__ = doc

    def __getitem__(self, items: object) -> Annotation:
        return Annotation(self.name, items if isinstance(items, tuple) else (items,))

    def __repr__(self) -> str:
        return self.name


In = _Word("In", "An array that is only read: `In[dtype, *dims]`.")
Out = _Word("Out", "An array whose elements are each written by one owner and not read before: `Out[dtype, *dims]`.")
InOut = _Word("InOut", "As `Out`, and its old value may be read: `InOut[dtype, *dims]`.")
Atomic = _Word("Atomic", "An array touched only by atomic operations: `Atomic[dtype, *dims]`.")
Partition = _Word("Partition", "Tile track: each block owns one tile: `Partition[dtype, (tile shape), *dims]`.")
Const = _Word("Const", "A parameter known at compile time: `Const[int]`, `Const[bool]`, `Const[float]`.")


class _Mark:
    """Last item of an annotation that says how an array lies in memory."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


Strided = _Mark("Strided")
FOrder = _Mark("FOrder")


class KernelWord:
    """A function or name that has a meaning inside kernels only."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *_args: object, **_keywords: object) -> object:
        raise TypeError(f"`{self._name}(...)` has a meaning inside a kernel only; this call runs on the host")

    def __getattr__(self, attribute: str) -> KernelWord:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        return KernelWord(f"{self._name}.{attribute}")

    def __repr__(self) -> str:
        return f"<{self._name}: inside kernels>"

    def __reduce__(self) -> tuple[type[KernelWord], tuple[str]]:
        return KernelWord, (self._name,)


requires = KernelWord("requires")
invariant = KernelWord("invariant")
trust = KernelWord("trust")
ordered = KernelWord("ordered")
injective = KernelWord("injective")
permutation = KernelWord("permutation")
in_range = KernelWord("in_range")
nondecreasing = KernelWord("nondecreasing")
vec = KernelWord("vec")
unroll = KernelWord("unroll")


def verified(array: object, predicate: KernelWord, *bounds: int) -> object:
    """Check a data contract of `array` once: a handle that owns a private copy, which launches accept unchecked.

    `verified(p, permutation)`, `verified(p, in_range, 0, n)`.
    """
    from transpiler.runtime.data_contracts import verify

    return verify(array, predicate, bounds)

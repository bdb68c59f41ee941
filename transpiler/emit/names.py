"""Python names as C++ identifiers.

In: the names of a kernel, in order. Out: for each a C++ identifier that is legal, clashes with nothing that the unit
uses, and is the Python name wherever that is possible; and the list of those that had to change, for a comment.
Non-goals: which names live in which scope (`scopes`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Set


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYWORDS = _words(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t
    class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue
    decltype default delete do double dynamic_cast else enum explicit export extern false float for friend
    goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
    protected public register reinterpret_cast requires return short signed sizeof static static_assert
    static_cast struct switch template this thread_local throw true try typedef typeid typename union
    unsigned using virtual void volatile wchar_t while xor xor_eq final override
    """
)

BUILTINS = _words(
    """
    NULL NAN INFINITY INT_MAX INT_MIN threadIdx blockIdx blockDim gridDim warpSize min max abs llabs fabs
    fabsf powf pow printf errno linux unix failure shared_memory
    """
)
"""Macros, CUDA's own names, and names that this emitter uses itself."""

FILE_SCOPE = _words(
    """
    assert main std cuda dim3 size_t half __half __nv_bfloat16
    acos acosh asin asinh atan atan2 atanh cbrt ceil clock copysign cos cosh erf erfc exp exp2 expm1 fdim
    floor fma fmax fmin fmod frexp free hypot ilogb isfinite isinf isnan j0 j1 jn ldexp lgamma log log10
    log1p log2 logb lrint lround malloc memcpy memset modf nan nearbyint nextafter normal remainder remquo
    rint round rsqrt scalbn signbit sin sincos sinh sqrt sqrtf tan tanh tgamma trunc y0 y1 yn int2 int3 int4
    float2 float3 float4 double2 uint2 uint3 uint4 char1 long4
    """
)
"""Names of the C and CUDA libraries at file scope: a kernel or device function must not redefine them."""


def transliterate(name: str) -> str:
    """A name in ASCII: Greek letters by name, accents dropped, anything else by code point."""
    out = []
    for char in name:
        if char.isascii():
            out.append(char)
            continue
        if greek := re.match(r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?(\w+)", unicodedata.name(char, "")):
            word = greek[2].replace("LAMDA", "LAMBDA")
            out.append(word.lower() if greek[1] == "SMALL" else word.capitalize())
            continue
        plain = "".join(c for c in unicodedata.normalize("NFKD", char) if c.isascii() and (c.isalnum() or c == "_"))
        out.append(plain or f"u{ord(char):04x}")
    return "".join(out)


def legal(name: str) -> str:
    """The nearest identifier that C++ does not reserve."""
    name = transliterate(name)
    if re.match(r"_[A-Z_]", name):
        name = name.lstrip("_") or "unused"
    name = re.sub(r"__+", "_", name)
    if not name or name[0].isdigit():
        name = f"n{name}"
    return f"{name}_" if name in KEYWORDS or name in BUILTINS else name


class Names:
    """Hands out the identifiers of one scope and its inner ones; `taken` are those that an enclosing scope needs."""

    def __init__(self, taken: frozenset[str] = frozenset()) -> None:
        self._reserved = taken
        self._used: set[str] = set()
        self.mapping: dict[str, str] = {}
        """Python names that could not be kept, in order of appearance."""

    @property
    def used(self) -> Set[str]:
        """What is claimed for the whole function."""
        return self._used

    def reserve(self, cpp: str) -> None:
        """Keep an identifier away from all that is claimed later."""
        self._used.add(cpp)

    def claim(self, name: str, *, note: bool = True) -> str:
        """A fresh identifier for `name`, different from all claimed before."""
        cpp = self.fresh(name, self._used)
        self._used.add(cpp)
        if note:
            self.note(name, cpp)
        return cpp

    def fresh(self, name: str, taken: Container[str]) -> str:
        """As `claim`, but only what is `taken` and reserved counts, and nothing is remembered."""
        base = legal(name)
        if base in self._reserved:
            base = f"{base}_"
        cpp, count = base, 2
        while cpp in taken or cpp in self._reserved:
            cpp = f"{base}{'' if base.endswith('_') else '_'}{count}"
            count += 1
        return cpp

    def note(self, name: str, cpp: str) -> None:
        """Remember that a name is spelled otherwise in the C++ (a second local of one name is no such case)."""
        if not cpp.startswith(name) or not re.fullmatch(r"(_\d+)?", cpp[len(name) :]):
            self.mapping.setdefault(name, cpp)

"""Float functions that CUDA has and Python's `math` has not, the fast approximations, and NumPy's roundings to floats.

In: nothing. Out: `ENTRIES`, all pure. Non-goals: what `math` spells (see `math`; `cuda.fma` and `cuda.cbrt` are
aliases of it).
"""

from __future__ import annotations

from transpiler.intrinsics.entry import Intrinsic
from transpiler.intrinsics.math import entry
from transpiler.intrinsics.rules import floating
from transpiler.intrinsics.spelling import by_float, call, function, same, slots
from transpiler.ir.types import F32


def cuda(name: str, params: str, single: str, double: str, doc: str) -> Intrinsic:
    return entry(f"transpiler.cuda.{name}", params, by_float(single, double), doc)


def fast(name: str, doc: str, count: int = 1, spelled: str = "") -> Intrinsic:
    """An approximation of the special function unit; its meaning is the accurate function."""
    params = "x y" if count == 2 else "x"
    return entry(
        f"transpiler.cuda.fast_{name}",
        params,
        same(call(spelled or f"__{name}f", slots(count))),
        f"{doc}, f32 only, approximated by the hardware: less accurate and on a smaller domain.",
        rule=floating(count, allowed=(F32,)),
        numpy=name,
    )


def numpy_rounding(name: str, words: str) -> Intrinsic:
    return entry(
        f"numpy.{name}",
        "x",
        function(name),
        f"{words}, as a float.",
        numpy=f"{name}_float",
    )


ENTRIES = (
    cuda("rsqrt", "x", "rsqrtf({0})", "rsqrt({0})", "`1 / sqrt(x)`."),
    cuda("rcp", "x", "__frcp_rn({0})", "__drcp_rn({0})", "`1 / x`, correctly rounded; infinite at 0."),
    cuda("saturate", "x", "__saturatef({0})", "fmin(fmax({0}, 0.0), 1.0)", "x clamped to 0 to 1; NaN gives 0."),
    cuda(
        "fmin",
        "x y",
        "fminf({0}, {1})",
        "fmin({0}, {1})",
        "The smaller argument; a NaN counts as missing, -0.0 is below 0.0.",
    ),
    cuda(
        "fmax",
        "x y",
        "fmaxf({0}, {1})",
        "fmax({0}, {1})",
        "The larger argument; a NaN counts as missing, -0.0 is below 0.0.",
    ),
    cuda("sinpi", "x", "sinpif({0})", "sinpi({0})", "Sine of pi times x, without rounding pi."),
    cuda("cospi", "x", "cospif({0})", "cospi({0})", "Cosine of pi times x, without rounding pi."),
    cuda("exp10", "x", "exp10f({0})", "exp10({0})", "10 to the power of x."),
    fast("exp", "e to the power of x"),
    fast("exp10", "10 to the power of x"),
    fast("log", "Natural logarithm"),
    fast("log2", "Logarithm to base 2"),
    fast("log10", "Logarithm to base 10"),
    fast("sin", "Sine"),
    fast("cos", "Cosine"),
    fast("tan", "Tangent"),
    fast("pow", "x to the power of y for x above 0", 2),
    fast("divide", "x / y", 2, "__fdividef"),
    numpy_rounding("floor", "The largest whole number that is not above x"),
    numpy_rounding("ceil", "The smallest whole number that is not below x"),
    numpy_rounding("trunc", "x without its fraction"),
    numpy_rounding("rint", "The nearest whole number, halves to the even one"),
)

"""Intrinsics named after Python's `math` module, and float functions that CUDA has beside them.

In: nothing. Out: `ENTRIES`. All are pure and work on f16, bf16, f32 and f64; integers become f32 (64-bit ones f64).
Half precision is computed in f32 and rounded once more. Where Python raises, the device gives the IEEE result:
`sqrt(-1.0)` is NaN.
Non-goals: `abs`, `min`, `max`, `pow()` (operators of the IR), approximate functions (`fast`).
"""

from __future__ import annotations

from transpiler.intrinsics.entry import Effect, Intrinsic, Signature
from transpiler.intrinsics.meaning import meaning
from transpiler.intrinsics.rules import float_and_int, floating, rounding
from transpiler.intrinsics.spelling import Cpp, by_float, call, function, slots, through_float
from transpiler.ir.types import BOOL, F32, F64

GUIDE = "CUDA C++ Programming Guide, Mathematical Functions"


def log_with_base(signature: Signature) -> str:
    if len(signature.args) == 1:
        return function("log")(signature)
    return by_float("__fdiv_rn(logf({0}), logf({1}))", "__ddiv_rn(log({0}), log({1}))")(signature)


def fused(signature: Signature) -> str:
    """Half precision has its own instruction: fusing in f32 would round twice."""
    function = "fmaf" if signature.args[0] == F32 else "fma" if signature.args[0] == F64 else "__hfma"
    return call(function, slots(3))


def to_integer(direction: str) -> Cpp:
    """`direction`: `rd`, `ru`, `rz` or `rn`. Saturates, NaN gives 0; the 64-bit instruction needs a helper for NaN."""

    def cpp(signature: Signature) -> str:
        (dtype,) = signature.args
        if dtype == signature.results[0]:
            return "({0})"
        if dtype == F64:
            return f"intrinsic::double_to_i64_{direction}({{0}})"
        return through_float(signature, f"__float2int_{direction}({{0}})", signature.results[0])

    return cpp


def entry(name: str, params: str, cpp: Cpp, doc: str, *, numpy: str = "", **others: object) -> Intrinsic:
    names = tuple(params.split())
    fields: dict[str, object] = {
        "rule": floating(len(names)),
        "effect": Effect.PURE,
        "numpy": meaning(f"floats.{numpy or name.rpartition('.')[2]}"),
    }
    return Intrinsic(name=name, params=names, cpp=cpp, doc=f"{doc} Source: {GUIDE}.", **(fields | others))  # type: ignore[arg-type]


def unary(name: str, doc: str, cuda: str = "") -> Intrinsic:
    return entry(f"math.{name}", "x", function(cuda or name), doc)


def binary(name: str, doc: str, params: str = "x y", cuda: str = "") -> Intrinsic:
    return entry(f"math.{name}", params, function(cuda or name, 2), doc)


def classify(name: str, doc: str) -> Intrinsic:
    return entry(
        f"math.{name}",
        "x",
        by_float(f"(bool){name}({{0}})", f"(bool){name}({{0}})"),
        doc,
        rule=floating(1, result=BOOL),
    )


def to_int(name: str, direction: str, words: str) -> Intrinsic:
    return entry(
        name,
        "x",
        to_integer(direction),
        f"{words}, as an integer: `i64` for f64, `i32` for narrower floats, saturating, 0 for NaN; an integer stays as it is.",
        rule=rounding,
        headers=("intrinsic_round.cuh",),
    )


ENTRIES = (
    unary("sqrt", "Square root, correctly rounded; NaN below 0."),
    unary("cbrt", "Cube root, of negative numbers too."),
    unary("exp", "e to the power of x."),
    unary("exp2", "2 to the power of x."),
    unary("expm1", "`exp(x) - 1`, accurate near 0."),
    entry(
        "math.log",
        "x base=None",
        log_with_base,
        "Natural logarithm, or with `base` the quotient of two logarithms; NaN below 0, -inf at 0.",
    ),
    unary("log2", "Logarithm to base 2."),
    unary("log10", "Logarithm to base 10."),
    unary("log1p", "`log(1 + x)`, accurate near 0."),
    unary("sin", "Sine of x in radians."),
    unary("cos", "Cosine of x in radians."),
    unary("tan", "Tangent of x in radians."),
    unary("asin", "Arc sine in radians; NaN outside -1 to 1."),
    unary("acos", "Arc cosine in radians; NaN outside -1 to 1."),
    unary("atan", "Arc tangent in radians."),
    binary("atan2", "Angle of the point (x, y) in radians, from -pi to pi.", "y x"),
    unary("sinh", "Hyperbolic sine."),
    unary("cosh", "Hyperbolic cosine."),
    unary("tanh", "Hyperbolic tangent."),
    unary("asinh", "Inverse hyperbolic sine."),
    unary("acosh", "Inverse hyperbolic cosine; NaN below 1."),
    unary("atanh", "Inverse hyperbolic tangent; NaN outside -1 to 1."),
    binary("pow", "x to the power of y, in floats; NaN for a negative x and a fractional y."),
    binary("hypot", "`sqrt(x*x + y*y)` without overflow on the way."),
    unary("fabs", "Absolute value, as a float."),
    to_int("math.floor", "rd", "The largest integer that is not above x"),
    to_int("math.ceil", "ru", "The smallest integer that is not below x"),
    to_int("math.trunc", "rz", "x without its fraction"),
    to_int("builtins.round", "rn", "The nearest integer, halves to the even one"),
    binary("fmod", "Remainder of x / y with the sign of x, exact; NaN for y = 0."),
    binary("remainder", "IEEE remainder: x minus the nearest multiple of y, exact; NaN for y = 0."),
    binary("copysign", "The magnitude of x with the sign of y."),
    entry("math.ldexp", "x i", function("ldexp", 2), "`x * 2**i` for an integer i.", rule=float_and_int),
    unary("erf", "Error function."),
    unary("erfc", "`1 - erf(x)`, accurate for large x."),
    unary("gamma", "Gamma function; NaN at negative integers.", "tgamma"),
    unary("lgamma", "Logarithm of the absolute value of the gamma function; inf at 0 and negative integers."),
    classify("isnan", "Whether x is not a number."),
    classify("isinf", "Whether x is an infinity."),
    classify("isfinite", "Whether x is neither an infinity nor NaN."),
    entry(
        "math.degrees",
        "x",
        by_float("__fmul_rn({0}, 57.29577951308232f)", "__dmul_rn({0}, 57.29577951308232)"),
        "Radians to degrees: one multiplication.",
    ),
    entry(
        "math.radians",
        "x",
        by_float("__fmul_rn({0}, 0.017453292519943295f)", "__dmul_rn({0}, 0.017453292519943295)"),
        "Degrees to radians: one multiplication.",
    ),
    entry("math.fma", "x y z", fused, "`x*y + z`, rounded once."),
)

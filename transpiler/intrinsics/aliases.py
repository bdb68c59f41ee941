"""Other spellings of intrinsics, that people bring from NumPy and Numba.

In: nothing. Out: `ALIASES`, from a qualified name to the one that is in the table. Only names with the very same
meaning are here: `numpy.floor` gives a float and has its own entry.
"""

from __future__ import annotations

SAME_IN_NUMPY = (
    *("sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
    *("sin", "cos", "tan", "sinh", "cosh", "tanh", "hypot", "degrees", "radians"),
    *("fabs", "fmod", "copysign", "ldexp", "isnan", "isinf", "isfinite"),
)
RENAMED_IN_NUMPY = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "deg2rad": "radians",
    "rad2deg": "degrees",
    "asin": "asin",
    "acos": "acos",
    "atan": "atan",
    "atan2": "atan2",
    "asinh": "asinh",
    "acosh": "acosh",
    "atanh": "atanh",
}

ALIASES: dict[str, str] = {
    **{f"numpy.{name}": f"math.{name}" for name in SAME_IN_NUMPY},
    **{f"numpy.{theirs}": f"math.{ours}" for theirs, ours in RENAMED_IN_NUMPY.items()},
    "numpy.fmin": "transpiler.cuda.fmin",
    "numpy.fmax": "transpiler.cuda.fmax",
    "transpiler.cuda.fma": "math.fma",
    "transpiler.cuda.cbrt": "math.cbrt",
    "transpiler.cuda.erf": "math.erf",
    "transpiler.cuda.erfc": "math.erfc",
    "transpiler.cuda.exp2": "math.exp2",
    "transpiler.cuda.block.inclusive_scan": "transpiler.cuda.block.scan",
    "transpiler.cuda.warp.inclusive_scan": "transpiler.cuda.warp.scan",
}

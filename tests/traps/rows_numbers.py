"""Rows 1 to 35: numbers."""

# ruff: noqa: E501 (a row is a line)
from __future__ import annotations

import math

import numpy as np

from tests.strategies.numbers import FLOATS, INTEGERS, NUMPY, Num, bits, limits
from tests.traps.harness import Case, Refused, elementwise, fault, refused, single
from tests.traps.values import divisible, edges, halves, pairs, spread

I32 = np.array([7, -7, 3, 12, 0, 2147483647, -2147483648, 1], np.int32)
F32 = np.array([1.5, -2.5, np.nan, 0.1, -0.0, 0.5, 1e30, 3.0], np.float32)


def operators(row: int, title: str, rows: list[str], inputs: dict[str, np.ndarray], dtype: str, **more: object) -> Case:
    """One kernel that stores the value of each expression into its own row of `out`."""
    body = "\n".join(f"out[{k}, i] = {text}" for k, text in enumerate(rows))
    return elementwise(row, title, body, inputs, {"out": (dtype, len(rows))}, **more)  # type: ignore[arg-type]


def both(dtype: str, values: tuple[np.ndarray, np.ndarray]) -> dict[str, np.ndarray]:
    return {"a": values[0], "b": values[1]}


def division() -> list[Case | Refused]:
    """Rows 1 to 4 and 7."""
    found: list[Case | Refused] = []
    for dtype in INTEGERS:
        inputs = both(dtype, divisible(dtype))
        rows = ["a[i] // b[i]", "a[i] % b[i]", "divmod(a[i], b[i])[0]", "divmod(a[i], b[i])[1]"]
        body = "\n".join(
            [
                "out[0, i] = a[i] // b[i]",
                "out[1, i] = a[i] % b[i]",
                "q, r = divmod(a[i], b[i])",
                "out[2, i] = q",
                "out[3, i] = r",
            ]
        )
        found.append(elementwise(1, f"// and % of {dtype}", body, inputs, {"out": (dtype, len(rows))}))
        constants = [3, 1, 8, 64] + ([-3, -1, -8] if dtype[0] == "i" else [])
        rows = [f"a[i] {op} {c}" for c in constants for op in ("//", "%")] + ["(a[i] & 7) // 3", "(a[i] & 7) % 4"]
        found.append(operators(2, f"// and % of {dtype} by constants", rows, {"a": edges(dtype)}, dtype))
        rows = ["5 // b[i]", "5 % b[i]"] + (["-5 // b[i]", "-5 % b[i]"] if dtype[0] == "i" else [])
        found.append(operators(2, f"constants // and % by {dtype}", rows, {"b": inputs["b"]}, dtype))
        zero = {"a": np.array([5, 0], NUMPY[dtype]), "b": np.array([0, 0], NUMPY[dtype])}
        for op in ("//", "%"):
            found.append(fault(operators(3, f"{dtype} {op} 0", [f"a[i] {op} b[i]"], zero, dtype), "E0503"))
    for case in [c for c in found if c.title.startswith("// and % of") and "by" not in c.title]:
        found.append(elementwise(7, f"divmod as a pair, {case.title[10:]}", "p = divmod(a[i], b[i])\nout[0, i] = p[0]\nout[1, i] = p[1]",
                                 {k: case.arguments[k] for k in "ab"}, {"out": (case.title[12:].strip(), 2)}))  # fmt: skip
    for dtype in ("i32", "u64"):
        rows = ["a[i] // b[i] if b[i] != 0 else 7", "a[i] % (b[i] | 1)"]
        found.append(operators(3, f"a guarded divisor of {dtype}", rows, both(dtype, pairs(dtype)), dtype))
    where = np.zeros(100, np.int32)
    rows = [f"(i - 50) {op} {c}" for c in (7, -7, 8, -8, 1) for op in ("//", "%")]
    rows += [
        "(i - 50) // (i - 200)",
        "(i - 50) % (i - 200)",
        "i // 8 * 8 + i % 8",
        "divmod(i - 50, 7)[0]",
        "divmod(i - 50, 7)[1]",
    ][:3]
    found.append(operators(1, "// and % of index integers", rows, {"z": where}, "i64"))
    found.append(fault(operators(3, "an index // 0", ["5 // (i - i)"], {"z": where}, "i64"), "E0503"))
    found.append(refused(3, "a literal 0", "y[i] = x[i] // 0", "E0503"))
    found.append(refused(3, "a literal % 0", "y[i] = x[i] % 0", "E0503"))
    found.append(refused(3, "a divisor that nothing bounds", "y[i] = x[i] // n", "E0503", stage="prove"))
    found.append(refused(1, "// of an array", "y[i] = x // 3", "E0204"))
    found.append(refused(2, "% of an array", "y[i] = x % 3", "E0204"))
    found.append(refused(7, "divmod of one number", "q, r = divmod(x[i])", "E0205"))
    return found


def wrapping() -> list[Case | Refused]:
    """Rows 4, 8, 9, 10, 15, 26, 27: integers that wrap, compare, shift."""
    found: list[Case | Refused] = []
    for dtype in INTEGERS:
        inputs = both(dtype, pairs(dtype))
        rows = ["-a[i]", "abs(a[i])", "~a[i]", "+a[i]"]
        warns = ("W0209",) if dtype[0] == "u" else ()
        found.append(operators(4, f"-, abs, ~ of {dtype}", rows, {"a": edges(dtype)}, dtype, warns=warns))
        rows = [f"a[i] {op} b[i]" for op in ("+", "-", "*", "&", "|", "^")]
        rows += ["a[i] + 1", "a[i] * 3", "a[i] - 1", "(a[i] & 15) + 1", "a[i] * a[i] + b[i]", "1 - a[i]"]
        found.append(operators(8, f"+ - * & | ^ of {dtype}", rows, inputs, dtype, warns=warns))
        width = bits(dtype)
        counts = {**inputs, "b": (inputs["b"].astype(np.int64) % width).astype(NUMPY[dtype])}
        rows = [
            "a[i] << b[i]",
            "a[i] >> b[i]",
            "a[i] << 3",
            "a[i] >> 1",
            "1 << b[i]",
            f"a[i] >> {width - 1}",
            f"a[i] << {width - 1}",
        ]
        found.append(operators(27, f"<< and >> of {dtype}", rows, counts, dtype))
        for op in ("<<", ">>"):
            one = {"a": np.ones(1, NUMPY[dtype]), "b": np.full(1, width, NUMPY[dtype])}
            found.append(fault(operators(27, f"{dtype} {op} its width", [f"a[i] {op} b[i]"], one, dtype), "E0504"))
        small = {"a": inputs["a"], "b": np.abs(inputs["b"].astype(np.int64) % 11).astype(NUMPY[dtype])}
        rows = ["a[i] ** b[i]", "a[i] ** 2", "a[i] ** 3", "a[i] ** 0", "a[i] ** 1", "a[i] ** 7", "2 ** b[i]"]
        found.append(operators(15, f"** of {dtype}", rows, small, dtype))
        if dtype[0] == "i":
            negative = {"a": np.array([2], NUMPY[dtype]), "b": np.array([-1], NUMPY[dtype])}
            found.append(fault(operators(15, f"{dtype} ** -1", ["a[i] ** b[i]"], negative, dtype), "E0505"))
            negative = {"a": np.array([1], NUMPY[dtype]), "b": np.array([-1], NUMPY[dtype])}
            found.append(fault(operators(27, f"{dtype} << -1", ["a[i] << b[i]"], negative, dtype), "E0504"))
    big = np.array([2147483647, -2147483648, 0, 5], np.int32)
    rows = [
        "(i + 2_000_000_000) * 3",
        "i * i * i * 1_000_003",
        "(i + 2147483647) + (i + 2147483647)",
        "-(i + 2147483648)",
        "(i + 7) << 31",
    ]
    found.append(operators(8, "index integers are exact", rows, {"z": np.zeros(70, np.int32)}, "i64"))
    found.append(operators(8, "the middle of two indices", ["(i + 2147483600 + 2147483646) // 2"], {"z": big}, "i64"))
    most = {"z": np.zeros(4, np.int32), "far": 2**31 - 1}
    found.append(fault(operators(8, "an index beyond 64 bits", ["far * far * far"], most, "i64"), "E0502"))
    found.append(fault(operators(8, "an index that i32 cannot hold", ["far + far"], most, "i32"), "E0502"))
    found.append(fault(operators(4, "-(an index) that i8 cannot hold", ["-far"], most, "i8"), "E0502"))
    count = {"z": np.zeros(3, np.int32), "m": Num("u32", 5)}
    found.append(
        elementwise(
            9,
            "a range to an unsigned difference",
            "for k in range(m - 1):\n    out[i] += k",
            count,
            {"out": "i32"},
            warns=("W0209",),
        )
    )
    found.append(
        single(
            9,
            "unsigned minus wraps",
            "t[0] = u32(3) - u32(5)\nt[1] = -u32(1)\nt[2] = u32(x[0]) - 8\nt[3] = u64(2) - u64(3) >> u64(1)",
            warns=("W0209",),
        )
    )
    found.append(refused(9, "an unsigned difference as an index", "y[i] = x[m - 1]", "E0501", stage="prove"))
    found.append(refused(15, "a literal negative exponent", "y[i] = x[i] ** -1", "E0228"))
    found.append(refused(27, "a float shift", "y[i] = x[i] << s", "E0204"))
    found.append(refused(27, "a shift that nothing bounds", "y[i] = x[i] << n", "E0504", stage="prove"))
    return found


def comparisons() -> list[Case | Refused]:
    """Rows 10, 28 and 36: by value, between all pairs of integer dtypes."""
    found: list[Case | Refused] = []
    signs = ("<", "<=", ">", ">=", "==", "!=")
    for dtype in INTEGERS:
        for other in INTEGERS:
            inputs = both(dtype, pairs(dtype, other))
            found.append(operators(10, f"{dtype} with {other}", [f"a[i] {s} b[i]" for s in signs], inputs, "bool_"))
        rows = [f"a[i] {s} {c}" for s in signs for c in (-1, 0, 1)] + [
            f"{c} {s} a[i]" for s in signs for c in (-1, 127)
        ]
        rows += [f"a[i] {s} i" for s in signs] + [f"i - 3 {s} a[i]" for s in signs]
        found.append(operators(10, f"{dtype} with literals and indices", rows, {"a": edges(dtype)}, "bool_"))
        rows = [f"a[i] {s} {c}" for s in signs for c in (300, -300, 70000, 3_000_000_000, 2**63 - 1, -(2**63))]
        found.append(operators(10, f"{dtype} with literals that it cannot hold", rows, {"a": edges(dtype)}, "bool_"))
    for dtype in FLOATS:
        inputs = both(dtype, pairs(dtype))
        rows = [f"a[i] {s} b[i]" for s in signs] + [f"not a[i] {s} b[i]" for s in signs]
        rows += ["a[i] != a[i]", "a[i] == a[i]", "not (a[i] < 0.5)", "a[i] >= 0.5", "a[i] < b[i] < 2.0"]
        found.append(operators(28, f"comparisons of {dtype}, NaN among them", rows, inputs, "bool_"))
    found.append(refused(10, "a number with an array", "y[i] = 1 if x < 3 else 0", "E0204"))
    found.append(refused(28, "a comparison with a string", 'y[i] = 1 if g[i] == "nan" else 0', "E0204"))
    return found


def literals() -> list[Case | Refused]:
    """Rows 11 to 13, 16, 31, 33 and 35."""
    z = {"z": np.zeros(1, np.int32)}
    wide = ["3_000_000_000", "1 << 40", "-2147483648", "-2147483648 - 1", "0xFFFFFFFF", "0o17", "0b1011", "1_000_000", "-9223372036854775808",
            "9223372036854775807", "i64(3_000_000_000) * 3", "-2 ** 2", "2 ** 3 ** 2", "7 // -2", "-7 % 3", "0xFF ^ 0x0F", "(1 << 62) - 1 + (1 << 62)"]  # fmt: skip
    narrow = ["-2147483648", "2147483647", "-2147483647 - 1", "0x7FFFFFFF", "-0x80000000", "1 << 30"]
    floats = [
        "0.1",
        "1e-3",
        "1.",
        ".5",
        "1_0.5",
        "1e30",
        "0.1 + 0.2",
        "1 / 3",
        "2 ** -1",
        "-2.0 ** 2",
        "16777217.0",
        "1e-45",
        "3.4028235e38",
        "7 / 2",
    ]
    named = ["math.pi", "math.e", "math.tau", "math.inf", "-math.inf", "math.nan", "2 * math.pi", "np.pi"]
    found: list[Case | Refused] = [
        operators(11, "integer literals as i64", wide, z, "i64"),
        operators(12, "integer literals as i32", narrow, z, "i32"),
        operators(12, "integer literals as u32", ["0xFFFFFFFF", "4294967295", "0x80000000", "u32(5) - 6"], z, "u32"),
        operators(
            12, "integer literals as u64", ["0xFFFF_FFFF_FFFF_FFFF", "18446744073709551615", "1 << 63"], z, "u64"
        ),
        operators(12, "integer literals as i8", ["-128", "127", "0x7F", "-0x80"], z, "i8"),
        operators(
            16,
            "powers and minus",
            ["-2 ** 2", "(-2) ** 2", "2 ** 3 ** 2", "-(2 ** 2)", "-i ** 2 - 1", "2 ** (i + 3)"],
            z,
            "i64",
        ),
        operators(
            16,
            "a power of -1",
            ["2 ** -1", "a[i] * 2 ** -1", "a[i] ** -1", "-a[i] ** 2"],
            {"a": F32[[0, 1, 3, 5, 7]]},
            "f32",
            ulps=2,
        ),
        refused(11, "a literal beyond i32", "y[i] = 3_000_000_000", "E0208"),
        refused(11, "a literal beyond the other side", "y[i] = x[i] + 3_000_000_000", "E0208"),
        refused(12, "a negative literal in u32", "v: u32 = -1", "E0208"),
        refused(12, "a literal beyond i8", "b: i8 = 128", "E0208"),
        refused(13, "a float literal beyond f32", "out[i] = 1e39", "E0208"),
        refused(13, "a float literal that is no number", "out[i] = 1e400", "E0208"),
        refused(16, "a literal integer to a negative power", "y[i] = x[i] ** (2 - 3)", "E0228"),
        refused(31, "an unknown constant", "out[i] = math.phi", "E0204"),
        refused(33, "a complex literal", "out[i] = 1j", "E0126"),
        refused(35, "a float literal into an integer", "y[i] = 0.5", "E0207"),
    ]
    for dtype in FLOATS:
        typed = [f"{dtype}({t})" for t in floats if dtype != "f16" or t not in ("1e30", "16777217.0", "3.4028235e38")]
        if dtype == "bf16":
            typed.remove(f"{dtype}(3.4028235e38)")
        found.append(operators(13, f"float literals as {dtype}", typed, z, dtype))
        found.append(operators(31, f"constants as {dtype}", [f"{dtype}({t})" for t in named], z, dtype))
        rows = [
            "a[i] * 0.1",
            "a[i] + 1",
            "a[i] * 3",
            "1 / a[i]",
            "0.3 - a[i]",
            "a[i] * math.pi",
            "a[i] + 16777217" if dtype[0] == "f" and dtype != "f16" else "a[i] + 5",
        ]
        found.append(operators(13, f"literals beside {dtype}", rows, {"a": edges(dtype)}, dtype))
        near = np.array([0.1, 0.3, -0.1, 1e-3, 0.7], np.float64).astype(NUMPY[dtype])
        found.append(
            operators(
                35,
                f"{dtype} == 0.1",
                [f"a[i] == {c}" for c in ("0.1", "0.3", "-0.1", "1e-3", "0.7")],
                {"a": near},
                "bool_",
            )
        )
    return found


def floats() -> list[Case | Refused]:
    """Rows 5, 6, 14, 28 to 34 of floats."""
    found: list[Case | Refused] = []
    for dtype in INTEGERS:
        result = "f64" if bits(dtype) == 64 else "f32"
        rows = ["a[i] / b[i]", "a[i] / 3", "1 / b[i]"]
        found.append(operators(5, f"/ of {dtype}", rows, both(dtype, divisible(dtype)), result, warns=("W0201",)))
    found.append(operators(5, "/ of an index", ["(i - 5) / 7", "f64(i - 5) / 7"], {"z": np.zeros(20, np.int32)}, "f64", warns=("W0201",),
                           expected={"out": np.array([np.float32(np.arange(-5, 15)) / np.float32(7), np.arange(-5, 15) / 7.0], np.float64)}))  # fmt: skip
    for dtype in FLOATS:
        inputs = both(dtype, pairs(dtype))
        found.append(operators(6, f"// and % of {dtype}", ["a[i] // b[i]", "a[i] % b[i]"], inputs, dtype))
        found.append(
            operators(
                6,
                f"// and % of {dtype} by constants",
                ["a[i] // 0.1", "a[i] % 0.1", "a[i] // -3.0", "a[i] % -3", "1.0 % a[i]"],
                {"a": edges(dtype)},
                dtype,
            )
        )
        rows = [
            "a[i] + b[i]",
            "a[i] - b[i]",
            "a[i] * b[i]",
            "a[i] / b[i]",
            "-a[i]",
            "abs(a[i])",
            "a[i] * b[i] + a[i]",
            "a[i] - b[i] * b[i]",
        ]
        row = 34 if dtype in ("f16", "bf16") else 30
        found.append(operators(row, f"arithmetic of {dtype}", rows, inputs, dtype))
        found.append(operators(row, f"arithmetic of {dtype}, all sizes", rows, both(dtype, spread(dtype)), dtype))
        found.append(
            operators(
                29,
                f"a product and a sum round twice, {dtype}",
                ["a[i] * a[i] - b[i]", "b[i] + a[i] * b[i]"],
                both(dtype, _near_one(dtype)),
                dtype,
            )
        )
        rows = ["math.sqrt(a[i])"]
        found.append(operators(32, f"sqrt of {dtype}", rows, {"a": edges(dtype)}, dtype))
        found.append(operators(32, f"sqrt of {dtype}, all sizes", rows, {"a": spread(dtype)[0]}, dtype))
        rows = ["a[i] ** 2", "a[i] ** 3", "a[i] ** 4", "a[i] ** 1", "(a[i] + 1.0) ** 2", "pow(a[i], 2)"]
        found.append(operators(14, f"small powers of {dtype}", rows, {"a": edges(dtype)}, dtype))
    bases = np.array([0.0, -0.0, 0.25, 2.0, 9.0, np.inf, -np.inf, np.nan, -4.0], np.float32)
    found.append(
        operators(
            14,
            "x ** 0.5 and other powers",
            ["a[i] ** 0.5", "a[i] ** 1.5", "2.0 ** a[i]", "a[i] ** 5", "a[i] ** -2"],
            {"a": bases},
            "f32",
            ulps=4,
            warns=("W0210",),
        )
    )
    found.append(operators(32, "log and acos outside their domain", ["math.log(a[i])", "math.acos(a[i])", "math.log2(a[i])"],
                           {"a": np.array([0.0, -1.0, 2.0, -2.0], np.float32)}, "f32", ulps=2,
                           expected={"out": np.array([[-np.inf, np.nan, math.log(2), np.nan], [math.pi / 2, math.pi, np.nan, np.nan], [-np.inf, np.nan, 1.0, np.nan]], np.float32)}))  # fmt: skip
    found += [
        refused(5, "an integer division into an integer", "y[i] = x[i] / 2", "E0207"),
        refused(6, "% of an array of floats", "out[i] = g % 2.0", "E0204"),
        refused(14, "a power of an array", "out[i] = g ** 2", "E0204"),
        refused(30, "a float with a string", 'out[i] = g[i] / "2"', "E0230"),
        refused(29, "fma with two arguments", "out[i] = math.fma(g[i], g[i])", "E0205"),
        refused(32, "sqrt of an array", "out[i] = math.sqrt(g)", "E0204"),
        refused(34, "f16 with bf16", "out[i] = f16(g[i]) + bf16(g[i])", "E0204"),
    ]
    return found


def _near_one(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers whose products need all bits: fusing the sum shows."""
    step = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}[dtype]
    a = np.array([1 + k * step for k in range(1, 30)], np.float64)
    return a.astype(NUMPY[dtype]), (a * a).astype(NUMPY[dtype])


def functions() -> list[Case | Refused]:
    """Rows 17 to 26: built-ins, casts, bools."""
    found: list[Case | Refused] = []
    for dtype in (*INTEGERS, *FLOATS):
        inputs = both(dtype, pairs(dtype))
        rows = ["min(a[i], b[i])", "max(a[i], b[i])", "min(b[i], a[i], 2)", "max(a[i], 1, b[i])", "abs(a[i])"]
        found.append(operators(17, f"min, max, abs of {dtype}", rows, inputs, dtype))
        found.append(
            operators(
                23,
                f"truth of {dtype}",
                [
                    "bool(a[i])",
                    "not a[i]",
                    "True if a[i] else False",
                    "True if a[i] and b[i] else False",
                    "bool_(a[i])",
                ],
                inputs,
                "bool_",
            )
        )
        for target in (*INTEGERS, *FLOATS, "bool_"):
            if target != dtype:
                values = np.concatenate([edges(dtype), spread(dtype, 200)[0]])
                found.append(
                    operators(
                        20 if dtype in FLOATS else 11, f"{target}({dtype})", [f"{target}(a[i])"], {"a": values}, target
                    )
                )
    found.append(operators(17, "fmin and fmax by name", ["cuda.fmin(a[i], b[i])", "cuda.fmax(a[i], b[i])"], {"a": F32, "b": F32[::-1].copy()}, "f32",
                           expected={"out": np.array([np.fmin(F32, F32[::-1]), np.fmax(F32, F32[::-1])])}))  # fmt: skip
    found.append(
        operators(
            17, "min and max of bools", ["min(a[i] > 0, a[i] < 5)", "max(a[i] > 0, a[i] < 5)"], {"a": I32}, "bool_"
        )
    )
    found.append(
        operators(
            17,
            "min and max of indices",
            ["min(i, 3)", "max(i - 4, 0, 2)", "abs(i - 4)", "min(7 - i, i)"],
            {"z": I32},
            "i64",
        )
    )
    for dtype in FLOATS:
        numbers = np.concatenate([edges(dtype), halves(dtype)])
        result = "i64" if dtype == "f64" else "i32"
        found.append(operators(19, f"round of {dtype}", ["round(a[i])"], {"a": numbers}, result))
        found.append(operators(20, f"int of {dtype}", ["int(a[i])"], {"a": numbers}, result))
        found.append(
            operators(
                21,
                f"floor, ceil, trunc of {dtype}",
                [f"math.{f}(a[i])" for f in ("floor", "ceil", "trunc")],
                {"a": numbers},
                result,
            )
        )
    found.append(
        operators(
            20, "int of an integer", ["int(a[i])", "int(i)", "int(2.9)", "int(-2.9)", "int(True)"], {"a": I32}, "i64"
        )
    )
    found.append(
        operators(
            22,
            "float(x)",
            ["float(a[i])", "float(i) / 3", "f64(a[i])", "float(2) + a[i] * 0.0"],
            {"a": F32},
            "f32",
            warns=("W0206",),
        )
    )
    found.append(
        operators(
            24,
            "bools are numbers",
            [
                "(a[i] > 0) + (a[i] > 1)",
                "(a[i] > 0) * 3",
                "True + True",
                "-(a[i] > 0)",
                "(a[i] > 0) - (a[i] < 0)",
                "a[i] + (a[i] > 0)",
                "abs(a[i] > 0)",
            ],
            {"a": I32},
            "i32",
        )
    )
    found.append(
        elementwise(
            24,
            "a sum of comparisons",
            "c = 0\nfor k in range(8):\n    c += a[k] > 1\nout[i] = c",
            {"a": I32},
            {"out": "i32"},
        )
    )
    found.append(operators(25, "~ of integers", ["~a[i]", "~~a[i]", "~i", "~5", "-~a[i]"], {"a": I32}, "i64"))
    found.append(operators(25, "not instead of ~", ["not f[i]", "not (f[i] and not f[i])"], {"f": I32 > 0}, "bool_"))
    rows = [
        "(a[i] > 0) & (b[i] > 0)",
        "(a[i] > 0) | (b[i] > 0)",
        "(a[i] > 0) ^ (b[i] > 0)",
        "a[i] & 1 == 1",
        "a[i] & (b[i] == 3)",
        "a[i] | b[i] ^ 3 & 5 == 7",
        "not a[i] & 1",
    ]
    found.append(
        operators(
            26,
            "bits of bools, and precedence",
            [f"bool({r})" for r in rows],
            {"a": I32, "b": I32[::-1].copy()},
            "bool_",
        )
    )
    found.append(single(26, "& of bools evaluates both", "a = (say(t, 1) > 5) & (say(t, 2) > 0)\ny[0] = 1 if a else 2"))
    found += [
        refused(17, "abs of an array", "y[i] = abs(x)", "E0204"),
        refused(18, "min of one iterable", "y[i] = min(x)", "E0226"),
        refused(18, "max with key=", "y[i] = max(x[i], 3, key=abs)", "E0226"),
        refused(18, "min with default=", "y[i] = min(x[i], default=3)", "E0226"),
        refused(19, "round with digits", "out[i] = round(g[i], 2)", "E0227"),
        refused(20, "a float into an integer without a cast", "y[i] = g[i]", "E0207"),
        refused(21, "floor of an array", "y[i] = math.floor(g)", "E0204"),
        refused(22, "float of a string", 'out[i] = float("1.5")', "E0204"),
        refused(23, "truth of an array", "if x:\n    y[i] = 1", "E0223"),
        refused(24, "a number into a bool", "b: bool_ = x[i] + 1", "E0207"),
        refused(25, "~ of a bool", "b = ~(x[i] > 0)", "E0224"),
        refused(25, "~ of True", "y[i] = ~True", "E0224"),
        refused(26, "& of floats", "y[i] = 1 if g[i] & s else 0", "E0204"),
        refused(4, "- of an array", "y[i] = -x", "E0204"),
        refused(8, "a sum that is no number", 'y[i] = x[i] + "1"', "E0230"),
    ]
    found.append(single(18, "min of many numbers", "y[0] = min(x[0], x[1], x[2], x[3])\ny[1] = max(x[0], x[1], n, 3)"))
    found.append(elementwise(33, "a pair instead of a complex number", "re, im = a[i], b[i]\nre, im = re * re - im * im, 2.0 * re * im\nout[0, i] = re\nout[1, i] = im",
                             {"a": F32, "b": F32[::-1].copy()}, {"out": ("f32", 2)}))  # fmt: skip
    return found


def rounded_twice() -> list[Case | Refused]:
    """Row 34: values between two bf16 (or f16) that a stop at f32 would move to the wrong side."""
    wide = [2**53 + 2**45 + 1, 2**24 + 2**16 + 1, -(2**62) - 2**54 - 1, 257 * 2**20 + 1, 513, 2**63 - 1, 3, -1]
    narrow = [2**24 + 2**16 + 1, 2**30 + 2**22 + 1, -(2**30) - 2**22 - 1, 257 * 2**15 + 1, 5]
    doubles = [1 + 2**-8 + 2**-40, 1 + 2**-9, 1 + 2**-11 + 2**-40, 65519.999999, 3.39e38, 3.0000000001e-8]
    found: list[Case | Refused] = []
    for source, target, values in (
        ("int64", "u64", wide),
        ("int32", "u32", narrow),
        ("float64", "f32", doubles),
    ):
        rows = ["bf16(a[i])", f"bf16({target}(a[i]))"]
        found.append(operators(34, f"bf16 of {source} rounds once", rows, {"a": np.array(values, source)}, "bf16"))
        found.append(
            operators(34, f"f16 of {source} rounds once", ["f16(a[i])"], {"a": np.array(values, source)}, "f16")
        )
    literals = ["bf16(1.00390625000001)", "bf16(16842753)", "bf16(1.0078125)", "bf16(-1.00390624999999)", "bf16(1e-40)"]
    found.append(operators(34, "literals of bf16 round once", literals, {"z": np.zeros(1, np.int32)}, "bf16"))
    return found


ROWS: list[Case | Refused] = [
    *division(),
    *wrapping(),
    *comparisons(),
    *literals(),
    *floats(),
    *functions(),
    *rounded_twice(),
]

assert limits("i8") == (-128, 127)

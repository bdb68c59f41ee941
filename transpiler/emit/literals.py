"""Literals, strings and comments in C++.

In: Python values and texts. Out: C++ tokens that mean the same value, for any text safe to paste.
Non-goals: when a literal may drop its suffix (`expressions`).
"""

from __future__ import annotations

import math
import re
import struct
from fractions import Fraction

from transpiler.emit.cpp_types import INT, INT32, LONG, UINT, ULONG

_PLAIN_INT = re.compile(r"0[xXbB][0-9a-fA-F]+|[1-9]\d*|0")
_PLAIN_FLOAT = re.compile(r"(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?")


def integer(value: int, ctype: str, text: str = "") -> str:
    """An integer literal of a C++ type; `text` is Python's spelling, kept where it is C++ too."""
    magnitude = text.replace("_", "").lower() if value >= 0 else ""
    if not _PLAIN_INT.fullmatch(magnitude) or int(magnitude, 0) != value:
        magnitude = str(abs(value))
    suffix = {UINT: "u", ULONG: "ULL", LONG: "LL"}.get(ctype, "")
    if ctype == INT and not INT32[0] <= value <= INT32[1]:
        suffix = "LL"
    if value == -(2**63):
        return "(-9223372036854775807LL - 1)"
    if value == -(2**31) and not suffix:
        return "(-2147483647 - 1)"
    if magnitude.startswith("0x") and suffix == "" and value > INT32[1]:
        suffix = "LL"
    return f"{'-' if value < 0 else ''}{magnitude}{suffix}"


def floating(value: float, bits: int, text: str = "") -> str:
    """A literal of `float` (32 bits) or `double`: the decimal text of the source if there is one, else the shortest."""
    if math.isnan(value) or math.isinf(value):
        return _special(value, bits)
    suffix = "f" if bits == 32 else ""
    spelled = text.replace("_", "").lower()
    if not _PLAIN_FLOAT.fullmatch(spelled) or value < 0 or float(spelled) != value:
        spelled = shortest(value, bits)
    if math.copysign(1.0, value) < 0 and not spelled.startswith("-"):
        spelled = f"-{spelled}"
    if not re.search(r"[.e]", spelled):
        spelled += ".0"
    if spelled.endswith("."):
        spelled += "0"
    return (f"0{spelled}" if spelled.startswith(".") else spelled) + suffix


def _special(value: float, bits: int) -> str:
    if bits == 32:
        pattern = "0x7fc00000" if math.isnan(value) else "0x7f800000"
        return f"{'-' if value < 0 else ''}__int_as_float({pattern})"
    pattern = "0x7ff8000000000000LL" if math.isnan(value) else "0x7ff0000000000000LL"
    return f"{'-' if value < 0 else ''}__longlong_as_double({pattern})"


def shortest(value: float, bits: int) -> str:
    """The shortest decimal that rounds to `value` rounded to `bits`."""
    if bits == 64:
        return repr(value)
    target = round_to_float(value)
    for digits in range(1, 10):
        text = f"{target:.{digits}g}"
        if round_to_float(text) == target:
            return repr(float(text))
    return repr(target)


def round_to_float(value: float | str) -> float:
    """Nearest binary32, ties to even, from the exact value (no rounding to binary64 on the way)."""
    exact = Fraction(value)
    if exact == 0:
        return 0.0
    # frexp of the rounded double may be one too high just below a power of two; the quotient then still has 24 bits.
    exponent = max(math.frexp(float(exact))[1] - 24, -149)
    return _scaled(exact, exponent)


def _scaled(exact: Fraction, exponent: int) -> float:
    """`exact` rounded to a multiple of `2**exponent`, ties to even; infinite from 2**128 on."""
    rounded = round(exact / Fraction(2) ** exponent) * Fraction(2) ** exponent
    if abs(rounded) >= 2**128:
        return math.inf if rounded > 0 else -math.inf
    return float(rounded)


def half_source(value: float, name: str, text: str) -> str:
    """A float literal whose conversion to f16 or bf16 is `value` rounded to that type once."""
    rounded = round_half(value, name)
    near = floating(value, 32, text)
    if not math.isfinite(rounded) or round_half(round_to_float(value), name) == rounded:
        return near
    return floating(rounded, 32)


def round_half(value: float, name: str) -> float:
    """`value` rounded to f16 or bf16, ties to even."""
    if not math.isfinite(value):
        return value
    if name == "f16":
        try:
            return struct.unpack("<e", struct.pack("<e", value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    exact = Fraction(value)
    if exact == 0:
        return value
    return _scaled(exact, max(math.frexp(value)[1] - 8, -133))


def string(text: str) -> str:
    """A C string literal. Bytes outside printable ASCII are octal: unlike hex, an octal escape has an end."""
    out = []
    for byte in text.encode("utf-8"):
        char = chr(byte)
        if char in '"\\':
            out.append(f"\\{char}")
        elif char == "\n":
            out.append("\\n")
        elif char == "\t":
            out.append("\\t")
        elif char == "?":
            out.append("\\?" if out and out[-1] in ("?", "\\?") else "?")  # no trigraph
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append(f"\\{byte:03o}")
    return f'"{"".join(out)}"'


def comment(text: str) -> str:
    """A Python comment as the text behind `//`: nothing in it can end the line early or join the next one."""
    text = re.sub(r"^#+!?:?\s?", "", text.strip())
    text = "".join(c if c.isprintable() else " " for c in text).rstrip()
    text = text.replace("??/", "?? /")
    return f"{text} ." if text.endswith("\\") else text


def comment_lines(text: str) -> tuple[str, ...]:
    """A docstring or other block of text as comment lines, its common indentation taken off as `inspect` does."""
    lines = text.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    lines = [lines[0].strip(), *(line[margin:] for line in lines[1:])]
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return tuple(comment_keep(line) for line in lines)


def comment_keep(line: str) -> str:
    """As `comment` for a line of prose: a leading `#` and the indentation stay."""
    indent = line[: len(line) - len(line.lstrip())]
    return indent.replace("\t", "    ") + ("" if not line.strip() else _escape(line.strip()))


def _escape(text: str) -> str:
    text = "".join(c if c.isprintable() else " " for c in text).rstrip().replace("??/", "?? /")
    return f"{text} ." if text.endswith("\\") else text

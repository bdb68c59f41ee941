"""dtypes of other libraries in the names of the kernel language.

In: a dtype object, a typestr of the array interface, or a scalar type. Out: `f32`, `i64`, ... or None where the language has
no such type.
Non-goals: promotion; byte orders other than the machine's (refused).
"""

from __future__ import annotations

from typing import Any

_KINDS = {"i": "i", "u": "u", "f": "f"}
_NAMES = {f"{short}{bits}" for short in "iu" for bits in (8, 16, 32, 64)} | {"f16", "f32", "f64"}
_LONG = {"int": "i", "uint": "u", "float": "f"}


def from_typestr(typestr: str) -> str | None:
    """`<f4` of the array interface; bfloat16 comes as `<V2`."""
    order, kind, size = typestr[0], typestr[1], typestr[2:]
    if order == ">" and size != "1":
        return None
    if kind == "b" and size == "1":
        return "bool"
    if kind == "V" and size == "2":
        return "bf16"
    name = f"{_KINDS.get(kind, '?')}{int(size) * 8}" if size.isdigit() else "?"
    return name if name in _NAMES else None


def from_name(name: str) -> str | None:
    """`float32`, `torch.float32`, `bfloat16`, `bool`, `int8`."""
    name = name.rpartition(".")[2]
    if name in ("bool", "bool_"):
        return "bool"
    if name == "bfloat16":
        return "bf16"
    aliases = {"half": "f16", "float": "f32", "double": "f64", "short": "i16", "int": "i32", "long": "i64"}
    if name in aliases:
        return aliases[name]
    letters = name.rstrip("0123456789")
    short = f"{_LONG.get(letters, '?')}{name[len(letters) :]}"
    return short if short in _NAMES else None


def from_numpy(dtype: Any) -> str | None:
    """A NumPy dtype object (also one of `ml_dtypes`)."""
    if dtype.name == "bfloat16":
        return "bf16"
    return from_typestr(dtype.str)


LONG_NAMES = {"bool": "bool", "bf16": "bfloat16"} | {
    short: f"{long}{short[1:]}"
    for letter, long in (("i", "int"), ("u", "uint"), ("f", "float"))
    for short in _NAMES
    if short[0] == letter
}
"""The kernel language's names in NumPy's spelling, for messages: `f32` is `float32`."""

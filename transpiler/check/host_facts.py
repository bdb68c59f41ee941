"""What host code shows about the values of its names, without running it.

In: expressions of CPython's `ast`, what the names of a scope stand for. Out: `Value`s of arrays whose construction is in sight
(`np.zeros(n, dtype=np.float64)`, `cp.empty(n, "f4")`, `Owned(x)`), `Env`, the facts that hold at one place.
Non-goals: control flow (`host`), launches (`host_launch`); anything that is not certain is simply not known.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from transpiler.check.context import dtype_of_name

LIBRARIES = {"numpy": "host", "cupy": "device"}
"""Where the arrays of a library live."""

_DTYPE_POSITION = {"zeros": 1, "ones": 1, "empty": 1, "full": 2}
_FLOAT_UNLESS_SAID = ("zeros", "ones", "empty")
_COPIES = ("array", "asarray", "ascontiguousarray")
_NUMPY_STRINGS = {f"{kind}{size}": f"{kind}{size * 8}" for kind in "iu" for size in (1, 2, 4, 8)} | {
    **{f"f{size}": f"f{size * 8}" for size in (2, 4, 8)},
    **{f"{word}{bits}": f"{word[0]}{bits}" for word in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
    "bool": "bool",
    "?": "bool",
}
"""NumPy's spelling in strings, where `i8` has eight bytes."""

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Value:
    """An array: what is None or empty is not known. Equal `identity` is the same memory for certain."""

    identity: int
    place: str = ""
    """`host` or `device`."""
    dtype: str | None = None
    rank: int | None = None
    empty: bool = False
    owned: bool = False
    borrowed: bool = False


@dataclass(slots=True)
class Env:
    """Facts at one place: values by name, and the line at which a buffer was moved or frozen, by identity."""

    names: dict[str, Value] = field(default_factory=dict)
    moved: dict[int, int] = field(default_factory=dict)
    frozen: dict[int, int] = field(default_factory=dict)

    def copy(self) -> Env:
        return Env(dict(self.names), dict(self.moved), dict(self.frozen))

    def both(self, other: Env) -> Env:
        """What holds whichever way was taken."""
        return Env(
            _common(self.names, other.names), _common(self.moved, other.moved), _common(self.frozen, other.frozen)
        )


def _common(first: dict, second: dict) -> dict:
    return {key: value for key, value in first.items() if key in second and second[key] == value}


def qualified(imports: Mapping[str, str], node: ast.expr) -> str:
    """`numpy.zeros` for `np.zeros`; empty where the root is no import."""
    if isinstance(node, ast.Name):
        return imports.get(node.id, "")
    if isinstance(node, ast.Attribute):
        base = qualified(imports, node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def value_of(node: ast.expr, env: Env, imports: Mapping[str, str]) -> Value | None:
    """The array that an expression is, as far as it can be seen."""
    if isinstance(node, ast.Name):
        return env.names.get(node.id)
    if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    if isinstance(node.func, ast.Attribute) and not node.keywords:
        made = _by_method(node, node.func, env, imports)
        if made is not None:
            return made
    name = qualified(imports, node.func)
    if name == "transpiler.Owned" and len(node.args) == 1:
        inner = value_of(node.args[0], env, imports)
        return replace(inner or Value(0), identity=next(_numbers), owned=True)
    library, _, function = name.partition(".")
    return _constructed(node, library, function, env, imports) if library in LIBRARIES else None


def _by_method(node: ast.Call, method: ast.Attribute, env: Env, imports: Mapping[str, str]) -> Value | None:
    """`x.astype("f4")`, `x.copy()`, `owned.move()`, `owned.borrow()`."""
    value = value_of(method.value, env, imports)
    if value is None:
        return None
    if value.owned:
        if method.attr == "move" and not node.args:
            return replace(value, identity=next(_numbers))
        return replace(value, borrowed=True) if method.attr == "borrow" and not node.args else None
    if method.attr == "astype" and len(node.args) == 1:
        return replace(value, identity=next(_numbers), dtype=dtype_of(node.args[0], imports))
    return replace(value, identity=next(_numbers)) if method.attr == "copy" and not node.args else None


def _constructed(node: ast.Call, library: str, function: str, env: Env, imports: Mapping[str, str]) -> Value | None:
    keywords = {k.arg: k.value for k in node.keywords}
    if None in keywords or not node.args:
        return None
    said = keywords.get("dtype")
    if function in _DTYPE_POSITION:
        position = _DTYPE_POSITION[function]
        if said is None and len(node.args) > position:
            said = node.args[position]
        silent = "f64" if function in _FLOAT_UNLESS_SAID else None
        extents = _extents(node.args[0])
        return Value(
            next(_numbers),
            LIBRARIES[library],
            dtype_of(said, imports) if said is not None else silent,
            len(extents) if extents is not None else None,
            any(isinstance(e, ast.Constant) and e.value == 0 for e in extents or ()),
        )
    if function not in _COPIES:
        return None
    if said is None and len(node.args) > 1:
        said = node.args[1]
    inner = value_of(node.args[0], env, imports)
    dtype = dtype_of(said, imports) if said is not None else (inner.dtype if inner is not None else None)
    identity = next(_numbers)
    if (
        inner is not None
        and function != "array"
        and inner.place == LIBRARIES[library]
        and not node.keywords
        and said is None
    ):
        identity = inner.identity  # may be the same memory, and is where it is contiguous: so are all constructed here
    return Value(identity, LIBRARIES[library], dtype, inner.rank if inner else None, bool(inner and inner.empty))


def _extents(node: ast.expr) -> list[ast.expr] | None:
    """The extents of a shape that is written out."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return [node]
    if isinstance(node, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in node.elts):
        return node.elts
    return None


def dtype_of(node: ast.expr, imports: Mapping[str, str]) -> str | None:
    """The dtype that an argument names: `np.float32`, `"f4"`, `float`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _NUMPY_STRINGS.get(node.value.lstrip("<=|"))
    name = qualified(imports, node)
    library, _, word = name.partition(".")
    if library in LIBRARIES and (word in _NUMPY_STRINGS or word in ("bool_", "half", "single", "double")):
        found = dtype_of_name(name)
        return found.name if found is not None else None
    return {"builtins.float": "f64", "builtins.bool": "bool"}.get(name)

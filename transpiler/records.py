"""Frozen records at a tenth of the price of `dataclass(frozen=True, slots=True)` at import.

In: a class with annotated fields. Out: the same class with slots and immutable instances, a dataclass for `fields`, `replace`,
`asdict`, `match`, copying and pickling. `dataclass` writes and compiles five methods of every class when it is imported, which
for some 150 classes is half the time of a command; here a method is compiled when it is first called, and most never are.
Non-goals: mutable records, `InitVar`, `__post_init__`: use `dataclass`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform, overload

C = TypeVar("C", bound=type)


@overload
def node(cls: C, /) -> C: ...
@overload
def node(*, kw_only: bool = False) -> Callable[[C], C]: ...
@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def node(cls: Any = None, /, *, kw_only: bool = False) -> Any:
    """A record that is itself: two equal ones are different keys of a fact table."""
    return _frozen(cls, kw_only) if cls is not None else lambda decorated: _frozen(decorated, kw_only)


@overload
def record(cls: C, /) -> C: ...
@overload
def record(*, kw_only: bool = False) -> Callable[[C], C]: ...
@dataclass_transform(frozen_default=True, eq_default=True, field_specifiers=(field,))
def record(cls: Any = None, /, *, kw_only: bool = False) -> Any:
    """A record that compares and hashes by its fields."""

    def decorate(decorated: Any) -> Any:
        made = _frozen(decorated, kw_only)
        for name, make in (("__eq__", _eq), ("__hash__", _hash)):
            if name not in vars(decorated) or vars(decorated)[name] is None:
                _compile_on_first_call(made, name, make)
        return made

    return decorate(cls) if cls is not None else decorate


def _frozen(cls: Any, kw_only: bool) -> Any:
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # else `dataclass` spells the signature, which is slow
    made: Any = dataclass(cls, init=False, repr=False, eq=False, slots=True, kw_only=kw_only)
    _compile_on_first_call(made, "__init__", _init)
    made.__setattr__, made.__delattr__ = _no_setattr, _no_delattr
    made.__getstate__, made.__setstate__ = _getstate, _setstate
    if "__repr__" not in vars(cls):
        made.__repr__ = _repr
    return made


# --- methods that are the same for every record -----------------------------------------------------------


def _no_setattr(self: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_delattr(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for f, held in zip(fields(self), state, strict=True):
        object.__setattr__(self, f.name, held)


def _repr(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({shown})"


# --- methods that are compiled for a class ----------------------------------------------------------------


def _compile_on_first_call(cls: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> None:
    def first(self: object, *args: object, **keywords: object) -> Any:
        method = make(cls)
        setattr(cls, name, method)
        return method(self, *args, **keywords)

    setattr(cls, name, first)


def _compiled(text: str, names: dict[str, Any], name: str) -> Callable[..., Any]:
    exec(text, names)
    return names[name]


def _init(cls: Any) -> Callable[..., Any]:
    """Fields in order, keyword-only ones last; each is set through its slot, which is the quickest way past `__setattr__`."""
    names: dict[str, Any] = {"MISSING": MISSING}
    parameters: list[str] = []
    lines: list[str] = []
    keywords: list[str] = []
    for f in fields(cls):
        names[f"set_{f.name}"] = getattr(cls, f.name).__set__
        given, text = f.name, f.name
        if f.default is not MISSING:
            names[f"default_{f.name}"] = f.default
            text = f"{f.name}=default_{f.name}"
        elif f.default_factory is not MISSING:
            names[f"make_{f.name}"] = f.default_factory
            text, given = f"{f.name}=MISSING", f"make_{f.name}() if {f.name} is MISSING else {f.name}"
        (keywords if f.kw_only else parameters).append(text)
        lines.append(f"    set_{f.name}(self, {given})")
    signature = ", ".join(["self", *parameters, *(["*", *keywords] if keywords else [])])
    return _compiled("\n".join([f"def __init__({signature}):", *lines, "    return"]), names, "__init__")


def _eq(cls: Any) -> Callable[..., Any]:
    same = " and ".join(f"self.{f.name} == other.{f.name}" for f in fields(cls) if f.compare) or "True"
    text = (
        "def __eq__(self, other):\n    if self is other:\n        return True\n"
        f"    if type(self) is not type(other):\n        return NotImplemented\n    return {same}"
    )
    return _compiled(text, {}, "__eq__")


def _hash(cls: Any) -> Callable[..., Any]:
    hashed = ", ".join(f"self.{f.name}" for f in fields(cls) if (f.compare if f.hash is None else f.hash))
    return _compiled(f"def __hash__(self):\n    return hash(({hashed}{',' if hashed else ''}))", {}, "__hash__")

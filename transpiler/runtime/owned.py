"""Ownership of buffers on the host, for those who want it: one name answers for a buffer, and says who may write it.

In: an array of any library. Out: `Owned`, `Borrowed`, which launches take like the array. `move()` hands the buffer on,
`borrow()` lends it for reading, `freeze()` ends all writing. To use a moved buffer is E0822, to write a borrowed or frozen one
E0809.
Non-goals: other references to the array itself, which Python lets anyone keep.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any


class _Place:
    """Where a buffer was moved, for messages."""

    __slots__ = ("line", "path")

    def __init__(self, depth: int) -> None:
        frame = sys._getframe(depth + 1)
        self.path, self.line = frame.f_code.co_filename, frame.f_lineno

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Handle:
    """What launches see: the array, unless it was moved away, and whether they may write it."""

    __slots__ = ()

    def lent(self) -> Any:
        """The array; raises `LaunchError` (E0822) once it was moved."""
        why = self.moved()
        if why is not None:
            raise _used(why)
        return self._array()

    def moved(self) -> str | None:
        """Why the buffer cannot be used any more."""
        raise NotImplementedError

    def is_readonly(self) -> bool:
        raise NotImplementedError

    def _array(self) -> Any:
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.lent().shape)

    @property
    def dtype(self) -> Any:
        return self.lent().dtype

    def __len__(self) -> int:
        return self.shape[0]


class Owned(Handle):
    """A buffer with one owner: `buffer = Owned(x)`, `k(buffer)`, `other = buffer.move()`."""

    __slots__ = ("_frozen", "_held", "_moved")

    def __init__(self, array: Any) -> None:
        if isinstance(array, Handle):
            raise TypeError("this array has an owner: `move()` it, or `borrow()` from it")
        self._held = array
        self._frozen = False
        self._moved: _Place | None = None

    def move(self) -> Owned:
        """The buffer under a new owner; this one, and what was borrowed from it, is not used again."""
        self.lent()
        new = Owned(self._held)
        new._frozen = self._frozen
        self._held, self._moved = None, _Place(1)
        return new

    def borrow(self) -> Borrowed:
        """A handle for reading, good until the buffer is moved."""
        self.lent()
        return Borrowed(self)

    def freeze(self) -> Owned:
        """From now on nobody writes the buffer; returns the owner."""
        self.lent()
        self._frozen = True
        return self

    @property
    def array(self) -> Any:
        """The array itself."""
        return self.lent()

    def moved(self) -> str | None:
        return f"it was moved at {self._moved}" if self._moved is not None else None

    def is_readonly(self) -> bool:
        return self._frozen

    def _array(self) -> Any:
        return self._held

    def __repr__(self) -> str:
        state = self.moved() or ("frozen" if self._frozen else "owned")
        return f"<Owned: {state}>"


class Borrowed(Handle):
    """A buffer lent for reading."""

    __slots__ = ("_owner",)

    def __init__(self, owner: Owned) -> None:
        self._owner = owner

    def moved(self) -> str | None:
        why = self._owner.moved()
        return f"it is borrowed, and {why.replace('it was', 'its owner was')}" if why is not None else None

    def is_readonly(self) -> bool:
        return True

    def _array(self) -> Any:
        return self._owner._array()

    def __repr__(self) -> str:
        return f"<Borrowed: {self.moved() or 'for reading'}>"


def array_of(value: Any) -> Any:
    """The array within a handle; anything else as it is."""
    return value.lent() if isinstance(value, Handle) else value


def is_readonly(value: Any) -> bool:
    """Whether a handle says so; arrays speak for themselves."""
    return isinstance(value, Handle) and value.is_readonly()


def memory(args: Iterable[Any]) -> tuple[Any, ...]:
    """What a launch uses, to be kept: the arrays themselves, since an owner lets go of its own when it moves it."""
    return tuple(value._array() if isinstance(value, Handle) else value for value in args)


def _used(why: str) -> Exception:
    from transpiler.diagnostics.model import Diagnostic
    from transpiler.errors import LaunchError
    from transpiler.source import Source, Span

    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    source = Source("", frame.f_code.co_filename, frame.f_lineno)
    text = f"the buffer cannot be used here: {why}"
    return LaunchError(
        Diagnostic(code="E0822", message=text, source=source, span=Span(0, 0), help="go on with what `move()` returned")
    )

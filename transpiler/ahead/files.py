"""Files in and out: kernel files read with a reason where that fails, outputs written whole or not at all.

In: paths that a user named. Out: a `Source`, or a diagnostic that says where and why not; written files.
Non-goals: parsing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from transpiler.diagnostics import Diagnostic
from transpiler.source import Source, Span

LIMIT = 16 << 20
"""Bytes of a kernel file; more is no source text, and reading it all could take the machine down."""


class Refused(Exception):
    """Something in the kernels that cannot be done, or in what was asked of them; `exit_code` is that of a command."""

    exit_code = 1

    @property
    def message(self) -> str:
        return str(self)


class Unreadable(Refused):
    """A file or folder that cannot be used."""

    exit_code = 2


def read(path: str) -> Source | Diagnostic:
    """The text of a kernel file, or why there is none."""
    try:
        with open(path, "rb") as file:
            raw = file.read(LIMIT + 1)
    except OSError as error:
        return unreadable(Source("", path), 0, f"cannot read {path}: {reason(error)}")
    except ValueError as error:  # a zero byte in the name
        return unreadable(Source("", repr(path)), 0, f"cannot read {path!r}: {error}")
    if len(raw) > LIMIT:
        return unreadable(Source("", path), 0, f"{path} is larger than {LIMIT >> 20} MiB")
    zero = raw.find(b"\0")
    if zero >= 0:
        return _at_byte(path, raw, zero, "a zero byte: this is a binary file, not Python text")
    try:
        return Source.decode(raw, path)
    except UnicodeDecodeError as error:
        return _undecodable(path, raw, error)
    except (SyntaxError, UnicodeError) as error:
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as bad:  # within the first two lines, where Python speaks of the coding line
            return _undecodable(path, raw, bad)
        return _at_byte(path, raw, 0, getattr(error, "msg", None) or str(error))


def _undecodable(path: str, raw: bytes, error: UnicodeDecodeError) -> Diagnostic:
    offset = error.start + len(raw) - len(error.object)  # the codec cuts a BOM off before it counts
    return _at_byte(path, raw, offset, f"byte 0x{raw[offset]:02x} is not {error.encoding.upper()} text")


def unreadable(source: Source, offset: int, message: str) -> Diagnostic:
    return Diagnostic(
        code="E0199",
        message=message,
        source=source,
        span=Span(offset, offset + 1),
        help="save the file as UTF-8 text" if source.text else None,
    )


def _at_byte(path: str, raw: bytes, offset: int, message: str) -> Diagnostic:
    before = _newlines(raw[:offset].decode("utf-8", "replace"))
    return unreadable(Source(before + _newlines(raw[offset:].decode("utf-8", "replace")), path), len(before), message)


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def reason(error: OSError) -> str:
    """`No such file or directory` as `no such file or directory`."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


# --- out --------------------------------------------------------------------------------------------------


def write(contents: Mapping[Path, str | bytes]) -> None:
    """Write several files: all are written under temporary names first, and take their names when every one is complete."""
    temporary: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            temporary[path] = path.with_name(f".{path.name}.{os.getpid()}.tmp")
            temporary[path].write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        for path, written in temporary.items():
            os.replace(written, path)
    except OSError as error:
        raise Unreadable(f"cannot write {error.filename2 or error.filename}: {reason(error)}") from None
    finally:
        for written in temporary.values():
            written.unlink(missing_ok=True)

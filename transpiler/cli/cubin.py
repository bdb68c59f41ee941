"""What a cubin says about its kernels: registers, stack, size of the code.

In: the bytes of a cubin (a 64-bit little-endian ELF file). Out: `Resources`, one a kernel. NVIDIA's `.nv.info` sections hold
attributes as (format, kind, size, payload); those read here name a symbol and a number.
Non-goals: machine code (a disassembler's work), shared memory (the manifest has it; here it holds what the system reserves, too).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

FRAME_SIZE, REGISTERS = 0x11, 0x2F
"""Kinds of attributes: bytes of stack of a function, its registers."""
_SIZED = 0x04
"""The format of an attribute whose payload has a size; the others have none, and the two bytes are the value."""


@dataclass(frozen=True, slots=True)
class Resources:
    kernel: str
    registers: int
    stack: int
    """Bytes a thread: local arrays and spilled registers."""
    code: int
    """Bytes of machine code."""


@dataclass(frozen=True, slots=True)
class _Section:
    name: str
    content: bytes
    size: int
    """In memory: some sections have no content."""
    link: int


def resources(cubin: bytes) -> list[Resources]:
    """One entry for each kernel, by name. Raises `ValueError` for what is no cubin."""
    sections = _sections(cubin)
    symbols = _symbols(sections)
    numbers: dict[tuple[int, str], int] = {}
    for section in sections:
        if section.name == ".nv.info":
            for kind, payload in _attributes(section.content):
                if kind in (FRAME_SIZE, REGISTERS):
                    symbol, number = struct.unpack_from("<II", payload)
                    numbers[kind, symbols[symbol]] = number
    sizes = {section.name: section.size for section in sections}
    kernels = sorted(s.name.removeprefix(".nv.info.") for s in sections if s.name.startswith(".nv.info."))
    return [
        Resources(
            kernel=name,
            registers=numbers.get((REGISTERS, name), 0),
            stack=numbers.get((FRAME_SIZE, name), 0),
            code=sizes.get(f".text.{name}", 0),
        )
        for name in kernels
    ]


def _sections(elf: bytes) -> list[_Section]:
    if elf[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit ELF file")
    (table,) = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    rows = [struct.unpack_from("<IIQQQQII", elf, table + i * size) for i in range(count)]
    text = rows[names][4]
    sections: list[_Section] = []
    for name, kind, _flags, _address, offset, length, link, _info in rows:
        end = elf.index(b"\0", text + name)
        content = b"" if kind == 8 else elf[offset : offset + length]  # SHT_NOBITS
        sections.append(_Section(elf[text + name : end].decode(), content, length, link))
    return sections


def _symbols(sections: list[_Section]) -> list[str]:
    table = next(s for s in sections if s.name == ".symtab")
    strings = sections[table.link].content
    starts = [struct.unpack_from("<I", table.content, at)[0] for at in range(0, len(table.content), 24)]
    return [strings[start : strings.index(b"\0", start)].decode() for start in starts]


def _attributes(content: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(content):
        form, kind, size = struct.unpack_from("<BBH", content, at)
        at += 4
        payload = content[at : at + size] if form == _SIZED else b""
        at += len(payload)
        yield kind, payload

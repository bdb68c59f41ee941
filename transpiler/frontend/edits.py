"""Edits of the text of a kernel file, with the right indentation: a line more, a guard, an import.

In: a `Source` and a place in it. Out: `Edit`s, or None where the text offers no place (a body on the line of its `def`).
Only logical lines are looked at, so whether an edit does what it is meant to is for `repair` to find out.
Non-goals: deciding what to write.
"""

from __future__ import annotations

import re

from transpiler.diagnostics.model import Edit
from transpiler.frontend.scan import Line, block_end, logical_lines
from transpiler.source import Source, Span

Edits = tuple[Edit, ...]

_COMPOUND = frozenset(("if", "for", "while", "with"))
_LATER_ARMS = frozenset(("elif", "else"))
_STRING = re.compile(r"[rRuU]?[\"']")
_FROM = re.compile(r"from\s+transpiler\s+import\b[\s(]*")
_IMPORT = re.compile(r"import\s+transpiler(?:\s+as\s+(\w+))?\s*$")
_ITEM = re.compile(r"(\w+)(?:\s+as\s+(\w+))?")


def line_above(source: Source, offset: int, text: str) -> Edits | None:
    """A line of its own above the statement that an offset is in."""
    found = _line_at(logical_lines(source.text), offset)
    if found is None:
        return None
    _, line = found
    return (Edit(Span(line.start, line.start), f"{text}\n{line.indentation}"),)


def line_below(source: Source, start: int, end: int, text: str) -> Edits | None:
    """A line of its own below the statement from `start` to `end`, as far to the right as the statement."""
    found = _line_at(logical_lines(source.text), start)
    if found is None:
        return None
    stop = _physical_end(source.text, end)
    return (Edit(Span(stop, stop), f"\n{found[1].indentation}{text}"),)


def first_in_body(source: Source, name: Span, text: str) -> Edits | None:
    """A line of its own at the top of the function that is called so in this place, below its docstring."""
    lines = logical_lines(source.text)
    found = _line_at(lines, name.start)
    if found is None:
        return None
    index, header = found
    body = lines[index + 1 : block_end(lines, index, source.text)[0]]
    if len(body) > 1 and _STRING.match(source.text, body[0].start):
        body = body[1:]
    if not body or body[0].width <= header.width:
        return None
    return (Edit(Span(body[0].start, body[0].start), f"{text}\n{body[0].indentation}"),)


def guarded(source: Source, offset: int, condition: str) -> Edits | None:
    """`if condition:` about the statement that an offset is in, with all that belongs to it."""
    lines = logical_lines(source.text)
    found = _line_at(lines, offset)
    if found is None or found[1].word in _LATER_ARMS:
        return None
    index, line = found
    end = line.end
    if line.word in _COMPOUND:
        after, end = block_end(lines, index, source.text)
        while after < len(lines) and lines[after].width == line.width and lines[after].word in _LATER_ARMS:
            after, end = block_end(lines, after, source.text)
    if '"""' in source.text[line.start : end] or "'''" in source.text[line.start : end]:
        return None  # a string over several lines would change
    unit = "\t" if "\t" in line.indentation else "    "
    edits = [Edit(Span(line.start, line.start), f"if {condition}:\n{line.indentation}{unit}")]
    for start in source.line_starts:
        if line.start < start < end and source.text[start] != "\n":
            edits.append(Edit(Span(start, start), unit))
    return tuple(edits)


def return_above(source: Source, offset: int, condition: str) -> Edits | None:
    """`if condition: return` above the statement that an offset is in."""
    found = _line_at(logical_lines(source.text), offset)
    if found is None or found[1].word in _LATER_ARMS:
        return None
    line = found[1]
    unit = "\t" if "\t" in line.indentation else "    "
    text = f"if {condition}:\n{line.indentation}{unit}return\n{line.indentation}"
    return (Edit(Span(line.start, line.start), text),)


def imported(source: Source, name: str) -> tuple[str, Edits]:
    """How the file calls `transpiler.NAME`, and the edit that makes it known where the file does not."""
    first: tuple[int, str] | None = None
    last = None
    for line in logical_lines(source.text):
        text = source.text[line.start : line.end]
        if line.width:
            continue
        if (head := _FROM.match(text)) is not None:
            items = {i[1]: i[2] or i[1] for i in _ITEM.finditer(re.sub(r"#.*", "", text[head.end() :]))}
            if name in items or text[head.end() :].startswith("*"):
                return items.get(name, name), ()
            first, last = first or (line.start + head.end(), text[head.end() :]), line
        elif (whole := _IMPORT.match(text)) is not None:
            return f"{whole[1] or 'transpiler'}.{name}", ()
        elif text.startswith("from transpiler"):
            last = line
    if first is not None and "#" not in first[1]:
        return name, (_item_added(*first, name),)
    if last is not None:
        stop = _physical_end(source.text, last.end)
        return name, (Edit(Span(stop, stop), f"\nfrom transpiler import {name}"),)
    return name, ()


def _item_added(start: int, text: str, name: str) -> Edit:
    """One more name in a list of imports that is kept in order."""
    items = list(_ITEM.finditer(text))
    later = next((i for i in items if i[1] > name), None)
    if later is not None or not items:
        at = start + (later.start() if later is not None else 0)
        return Edit(Span(at, at), f"{name}, ")
    at = start + items[-1].end()
    return Edit(Span(at, at), f", {name}")


def _line_at(lines: list[Line], offset: int) -> tuple[int, Line] | None:
    return next(((i, line) for i, line in enumerate(lines) if line.start <= offset < line.end), None)


def _physical_end(text: str, offset: int) -> int:
    """Where the line ends that holds what stands before an offset."""
    stop = text.find("\n", max(offset - 1, 0) if text[offset - 1 : offset] == "\n" else offset)
    return len(text) if stop < 0 else stop

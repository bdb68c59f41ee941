"""Files that are no kernel files, and outputs that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from transpiler.cli import files
from transpiler.diagnostics import Diagnostic
from transpiler.source import Source


def refused(path: Path) -> tuple[str, int, int]:
    """The message and the position of a file that cannot be read."""
    found = files.read(str(path))
    assert isinstance(found, Diagnostic)
    assert found.code == "E0199"
    position = found.source.position(found.span.start)
    return found.message, position.line, position.column


def test_a_good_file_is_read_as_python_would(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_bytes(b"\xef\xbb\xbfa = 'x'\r\nb = 1\r")
    found = files.read(str(path))
    assert isinstance(found, Source)
    assert found.text == "a = 'x'\nb = 1\n"
    path.write_bytes("# coding: latin-1\nä = 1\n".encode("latin-1"))
    found = files.read(str(path))
    assert isinstance(found, Source)
    assert "ä" in found.text


@pytest.mark.parametrize(
    ("raw", "reason", "line", "column"),
    [
        (b"a = 1\nb = \xff\n", "byte 0xff is not UTF-8 text", 2, 5),
        (b"\xef\xbb\xbf\n\n\na = \xc3(\n", "byte 0xc3 is not UTF-8", 4, 5),
        (b"\n\n# \xc3\xa4\xc3\xa4 \xe4\n", "byte 0xe4 is not UTF-8 text", 3, 6),
        (b"\x7fELF\x02\x01\x00\x00", "a zero byte", 1, 7),
        (b"# coding: nonsense\n", "nonsense", 1, 1),
        (b"# coding: rot13\n", "rot13", 1, 1),
        (b"# coding: ascii\n\n\nb = '\xe4'\n", "byte 0xe4 is not ASCII text", 4, 6),
        ("a = 1\n".encode("utf-16"), "zero byte", 1, 4),
    ],
)
def test_what_is_no_text_is_refused_where_it_stops(
    tmp_path: Path, raw: bytes, reason: str, line: int, column: int
) -> None:
    path = tmp_path / "k.py"
    path.write_bytes(raw)
    message, *place = refused(path)
    assert reason in message
    assert place == [line, column]


def test_what_cannot_be_opened_is_refused_with_the_reason(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "none.py")[0]
    assert "is a directory" in refused(tmp_path)[0]
    assert "file name too long" in refused(tmp_path / ("x" * 5000))[0].lower()
    assert "null" in refused(tmp_path / "a\0b")[0]


def test_an_endless_file_is_refused_and_not_read_to_its_end() -> None:
    if not os.path.exists("/dev/zero"):
        pytest.skip("needs /dev/zero")
    assert "larger than" in refused(Path("/dev/zero"))[0]


def test_write_makes_all_files_or_none(tmp_path: Path) -> None:
    files.write({tmp_path / "a": "old", tmp_path / "b": b"old"})
    (tmp_path / "c").mkdir()
    with pytest.raises(files.Unreadable, match="cannot write"):
        files.write({tmp_path / "a": "new", tmp_path / "missing" / "b": "new"})
    assert (tmp_path / "a").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b", "c"]


def test_the_output_folder_is_made_and_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    assert files.output_folder(str(tmp_path / "x" / "y")).is_dir()
    (tmp_path / "f").write_text("")
    with pytest.raises(files.Unreadable, match="it is a file"):
        files.output_folder(str(tmp_path / "f"))

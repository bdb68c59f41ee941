"""Offsets and LSP positions."""

from __future__ import annotations

import pytest
from lsprotocol.types import Position

from transpiler.lsp.positions import Positions
from transpiler.source import Source

TEXT = "a🚀b\n\nü€\x0cx\u2028y\nlast"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_there_and_back(encoding: str) -> None:
    positions, source = Positions(encoding), Source(TEXT)
    for offset in range(len(TEXT) + 1):
        assert positions.offset(source, positions.position(source, offset)) == offset


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 5), ("utf-16", 3), ("utf-32", 2)])
def test_columns_are_code_units(encoding: str, column: int) -> None:
    assert Positions(encoding).position(Source(TEXT), 2) == Position(0, column)


def test_only_line_feeds_end_lines() -> None:
    assert Positions().position(Source(TEXT), TEXT.index("last")) == Position(3, 0)


def test_what_is_outside_is_moved_inside() -> None:
    positions, source = Positions(), Source(TEXT)
    assert positions.offset(source, Position(0, 99)) == 3
    assert positions.offset(source, Position(99, 0)) == len(TEXT)
    assert positions.offset(source, Position(0, 2)) == 1  # between the halves of the rocket


def test_a_lone_surrogate_takes_a_unit() -> None:
    assert Positions().position(Source("\ud83dx"), 1) == Position(0, 1)

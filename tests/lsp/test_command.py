"""`transpile lsp` where it cannot serve."""

from __future__ import annotations

import importlib.util

import pytest

from transpiler.cli.app import run


def test_without_pygls_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pygls" else find_spec(name))
    assert run(["lsp"]) == 2
    assert "pip install 'transpiler-cuda12x[lsp]'" in capsys.readouterr().err

"""Tests on a CUDA device; skipped with a reason where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def _missing() -> str | None:
    """Why no kernel can be launched here."""
    from transpiler.runtime.device import NoDevice, cuda_driver

    try:
        cuda_driver()
    except NoDevice as error:
        return str(error)
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    mine = [item for item in items if HERE in item.path.parents]
    reason = _missing() if mine else None
    if reason is not None:
        for item in mine:
            item.add_marker(pytest.mark.skip(reason=f"no CUDA device: {reason}"))

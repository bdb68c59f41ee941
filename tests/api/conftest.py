"""A session with a fake driver and real cubins, so that everything up to the launch is the real thing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.fakes import FakeDriver
from transpiler.runtime import session as sessions
from transpiler.runtime.packing import parameter_formats
from transpiler.runtime.session import Session
from transpiler.runtime.unit import CompiledUnit


@pytest.fixture(scope="session")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def driver(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDriver]:
    monkeypatch.setenv("TRANSPILER_CACHE_DIR", str(cache_folder))
    fake = FakeDriver()

    def build(unit: CompiledUnit, arch: str) -> bytes:
        fake.formats[len(fake.loads) + 1] = parameter_formats(unit.abi)
        return session.builder.cubin(unit, arch)

    session = Session(fake, build)
    old = sessions.replace(session)
    yield fake
    sessions.replace(old)

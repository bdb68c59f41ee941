"""A server for each test, ended whatever happens."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lsp.client import Client


@pytest.fixture
def client() -> Iterator[Client]:
    client = Client()
    try:
        yield client
    finally:
        client.end()

"""The server's end of the worker, with workers that misbehave."""

from __future__ import annotations

import asyncio
import sys

import pytest

from transpiler.lsp import prover
from transpiler.lsp.prover import Prover, ProverEnded
from transpiler.lsp.worker import Emit, Emitted, Prove
from transpiler.source import Source

REQUEST = Prove(Source(""), {})


def worker(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(prover, "COMMAND", (sys.executable, "-c", code))


@pytest.mark.parametrize(
    "code",
    [
        "raise SystemExit(1)",
        "import sys; sys.stdin.buffer.read(9); sys.stdout.write('short')",
        "import sys; sys.stdin.buffer.read(9); sys.stdout.buffer.write((99).to_bytes(8, 'big') + b'less')",
    ],
)
def test_a_worker_that_dies_is_said_so_and_replaced(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    async def session() -> object:
        mine = Prover()
        with monkeypatch.context() as broken:
            worker(broken, code)
            with pytest.raises(ProverEnded):
                await mine.ask(REQUEST)
        answer = await mine.ask(REQUEST)
        mine.stop()
        return answer

    assert asyncio.run(session()) == ()


def test_a_worker_that_nobody_waits_for_any_more_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    async def session() -> object:
        mine = Prover()
        with monkeypatch.context() as endless:
            worker(endless, "import time; time.sleep(1000)")
            stale = asyncio.ensure_future(mine.ask(REQUEST))
            await asyncio.sleep(0.2)
            stale.cancel()
            process = mine.start()
        answer = await mine.ask(REQUEST)
        assert process.poll() is not None
        mine.stop()
        return answer

    assert asyncio.run(session()) == ()


def test_requests_take_turns() -> None:
    async def session() -> list[object]:
        mine = Prover()
        answers = await asyncio.gather(mine.ask(REQUEST), mine.ask(Emit(Source(""), {}, "k")), mine.ask(REQUEST))
        mine.stop()
        return answers

    assert asyncio.run(session()) == [(), Emitted("k", None, proved=False), ()]

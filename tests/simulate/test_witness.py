"""Replay of witnesses, and one thread walked step by step."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from tests.simulate.support import FIRST_LINE, lowered, run
from transpiler.diagnostics import Thread, Witness
from transpiler.simulate import Report, Step, simulate_witness, trace

SHIFT = """
@kernel(block=64)
def shift(a: InOut[f32, int], n: i32, k: i32):
    i = cuda.grid(1)
    if i < n:
        a[i] = a[i + k]
"""
LINE = FIRST_LINE + 5


def launch(**changes: Any) -> dict[str, Any]:
    base = {"grid": [2, 1, 1], "block": [64, 1, 1], "scalars": {"n": 128, "k": 1}, "shapes": {"a": [129]}, "data": {}}
    return base | changes


def threads(*ids: int) -> list[dict[str, Any]]:
    return [{"block": [i // 64, 0, 0], "thread": [i % 64, 0, 0], "line": LINE, "access": "write"} for i in ids]


def test_a_true_witness_is_confirmed() -> None:
    told = {"launch": launch(), "threads": threads(0, 1), "array": "a", "index": [1], "interval": None}
    replay = simulate_witness(lowered(SHIFT), told, kind="race-global")
    assert replay.confirmed is not None
    assert replay.confirmed.all_lines == (LINE, LINE)


@pytest.mark.parametrize(
    "changes",
    [
        {"launch": launch(scalars={"n": 128, "k": 0})},
        {"launch": launch(scalars={"n": 1, "k": 1})},
        {"array": "b"},
        {"threads": [{**t, "line": LINE - 1} for t in threads(0, 1)]},
    ],
)
def test_a_false_witness_is_not_confirmed(changes: dict[str, Any]) -> None:
    told = {"launch": launch(), "threads": threads(0, 1), "array": "a", "index": [1], "interval": None} | changes
    assert simulate_witness(lowered(SHIFT), told).confirmed is None


def test_another_kind_of_finding_does_not_confirm() -> None:
    told = {"launch": launch(shapes={"a": [128]}), "threads": threads(127)[:1], "array": "a"}
    kernel = lowered(SHIFT)
    assert simulate_witness(kernel, told, kind="out-of-bounds").confirmed is not None
    assert simulate_witness(kernel, told, kind="divergence").confirmed is None


def test_what_the_simulator_finds_it_replays() -> None:
    report = run(SHIFT, a=np.zeros(129, np.float32), n=128, k=1, grid=2)
    kernel = lowered(SHIFT)
    for found in report.diagnostics:
        assert found.witness is not None
        as_json = json.loads(json.dumps(asdict(found.witness)))
        assert simulate_witness(kernel, found.witness, kind=found.kind).confirmed is not None
        assert simulate_witness(kernel, as_json, kind=found.kind).confirmed is not None
    assert len(report.diagnostics) == 2


def test_contents_of_arrays_are_part_of_a_witness() -> None:
    kernel = lowered("""
@kernel(block=64, grid=1)
def scatter(p: In[i32, 64], out: Out[i32, 64]):
    out[p[cuda.threadIdx.x]] = 1
""")
    shapes = {"p": [64], "out": [64]}

    def replay(contents: Any) -> Any:
        told = {"grid": [1], "block": [64], "scalars": {}, "shapes": shapes, "data": {"p": contents}}
        return simulate_witness(kernel, {"launch": told, "threads": []}).report.codes()

    assert replay(list(range(64))) == set()
    assert replay([5, 5, *range(6, 64), 0, 1]) == {"E0301"}
    assert replay(3) == {"E0301"}
    assert replay(64) == {"E0501"}


def test_arrays_of_billions_of_elements_cost_what_is_touched() -> None:
    n = 2_300_000_000
    kernel = lowered("""
@kernel(block=256)
def mark(a: InOut[u8, N]):
    i = i64(cuda.blockIdx.x) * 256 + cuda.threadIdx.x
    a[i - 1] = u8(1)
""")
    blocks = n // 256
    told = Witness(
        {"grid": [blocks, 1, 1], "block": [256, 1, 1], "scalars": {}, "shapes": {"a": [n]}, "data": {}},
        (Thread((0, 0, 0), (0, 0, 0), FIRST_LINE + 4, "write"),),
        "a",
    )
    replay = simulate_witness(kernel, told)
    assert replay.confirmed is not None
    assert replay.confirmed.code == "E0501"
    assert replay.report.threads == 256
    far = Witness(told.launch, (Thread((blocks - 1, 0, 0), (7, 0, 0), FIRST_LINE + 4, "write"),), "a")
    assert simulate_witness(kernel, far).report.ok


def test_races_in_arrays_of_billions_of_elements_are_found() -> None:
    n = 2_300_000_000
    kernel = lowered("""
@kernel(block=256)
def mark(a: InOut[u8, N]):
    i = i64(cuda.blockIdx.x) * 256 + cuda.threadIdx.x
    a[i // 2 + 1000000000] = u8(1)
""")
    told = Witness(
        {"grid": [4, 1, 1], "block": [256, 1, 1], "scalars": {}, "shapes": {"a": [n]}, "data": {}},
        tuple(Thread((0, 0, 0), (t, 0, 0), FIRST_LINE + 4, "write") for t in (0, 1)),
        "a",
    )
    replay = simulate_witness(kernel, told, kind="race-global")
    assert replay.confirmed is not None
    assert replay.report.occurrences == [512]


# --- steps ------------------------------------------------------------------------------------------------

WALK = """
@device
def square(v):
    w = v * v
    return w

@kernel(block=4, grid=2)
def walk(out: Out[i32, 8]):
    i = cuda.grid(1)
    total = 0
    for j in range(i):
        if j % 2 == 1:
            total += j
    out[i] = square(total)
"""


def steps(thread: int, block: int = 0) -> list[Step]:
    found = trace(lowered(WALK), {"out": np.zeros(8, np.int32)}, at_block=block, at_thread=thread)
    assert not isinstance(found, Report)
    return list(found)


def test_a_thread_is_walked_statement_by_statement() -> None:
    walked = steps(3)
    assert [s.line - FIRST_LINE for s in walked][:4] == [8, 9, 10, 11]
    assert walked[0].text == "i = cuda.grid(1)"
    assert walked[0].variables == {}
    assert walked[1].variables == {"i": 3}
    in_loop = [s for s in walked if s.text == "if j % 2 == 1:"]
    assert [s.variables["j"] for s in in_loop] == [0, 1, 2]
    added = [s for s in walked if s.text == "total += j"]
    assert [s.variables["total"] for s in added] == [0]
    assert next(s for s in walked if s.text == "out[i] = square(total)").variables["total"] == 1


def test_functions_show_their_own_variables() -> None:
    inside = next(s for s in steps(3) if s.text == "return w")
    assert inside.variables == {"v": 1, "w": 1}


def test_each_thread_has_its_own_way() -> None:
    assert len(steps(0)) < len(steps(1)) < len(steps(3))
    assert steps(1, block=1)[1].variables == {"i": 5}


def test_a_launch_that_is_refused_has_no_steps() -> None:
    refused = trace(lowered(WALK), {"out": np.zeros(9, np.int32)})
    assert isinstance(refused, Report)
    assert refused.codes() == {"E0805"}


def test_a_thread_that_is_not_there_is_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError, match="not in a grid"):
        trace(lowered(WALK), {"out": np.zeros(8, np.int32)}, at_thread=4)


def test_a_pair_of_one_block_is_found_although_others_touched_the_element_first() -> None:
    kernel = lowered("""
@kernel(block=32, grid=4)
def k(a: InOut[i32, 1], out: Out[i32, 128]):
    i = cuda.grid(1)
    out[i] = a[0]
    if i == 100:
        a[0] = 1
""")
    told = Witness(
        {"grid": [4, 1, 1], "block": [32, 1, 1], "scalars": {}, "shapes": {"a": [1], "out": [128]}, "data": {}},
        tuple(Thread((3, 0, 0), (t, 0, 0), FIRST_LINE + line, "write") for t, line in ((3, 4), (4, 6))),
        "a",
    )
    confirmed = simulate_witness(kernel, told).confirmed
    assert confirmed is not None
    assert confirmed.code == "E0301"

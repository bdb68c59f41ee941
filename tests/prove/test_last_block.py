"""The last block finishes for all: what makes it safe, and that without any one of it nothing is proved."""

from __future__ import annotations

import numpy as np
import pytest

from tests.prove.support import errors, kernel, proof
from transpiler.simulate import simulate

PARAMS = "x: In[f32, int], part: InOut[f32, int], total: InOut[f32, int], done: Atomic[u32, int]"
STARTS = "requires(in_range(done, 0, 1))"
LAST = "ticket == u32(cuda.gridDim.x - 1)"

ALONE = """
requires(in_range(done, 0, 1))
if cuda.threadIdx.x == 0:
    part[cuda.blockIdx.x] = x[cuda.blockIdx.x]
    cuda.threadfence()
    ticket = cuda.atomic.add(done, 0, u32(1))
    cuda.threadfence()
    if ticket == u32(cuda.gridDim.x - 1):
        acc = f32(0)
        for j in range(cuda.gridDim.x):
            acc += part[j]
        total[0] = acc
"""

FLAG = """
requires(in_range(done, 0, 1))
last = cuda.shared.array(1, bool_)
t = cuda.threadIdx.x
part[cuda.grid(1)] = x[cuda.grid(1)]
cuda.syncthreads()
if t == 0:
    cuda.threadfence()
    ticket = cuda.atomic.add(done, 0, u32(1))
    cuda.threadfence()
    last[0] = ticket == u32(cuda.gridDim.x - 1)
cuda.syncthreads()
if last[0]:
    acc = f32(0)
    for j in range(t, 64 * cuda.gridDim.x, 64):
        acc += part[j]
    s = cuda.block.sum(acc)
    if t == 0:
        total[0] = s
        cuda.atomic.exch(done, 0, u32(0))
"""

VOTE = """
requires(in_range(done, 0, 1))
t = cuda.threadIdx.x
part[cuda.grid(1)] = x[cuda.grid(1)]
cuda.syncthreads()
last = False
if t == 0:
    cuda.threadfence()
    ticket = cuda.atomic.inc(done, 0, u32(cuda.gridDim.x - 1))
    cuda.threadfence()
    last = ticket == u32(cuda.gridDim.x - 1)
if cuda.syncthreads_or(last):
    acc = f32(0)
    for j in range(t, 64 * cuda.gridDim.x, 64):
        acc += part[j]
    s = cuda.block.sum(acc)
    if t == 0:
        total[0] = s
"""

Changes = tuple[tuple[str, str], ...]


def changed(body: str, changes: Changes) -> str:
    for old, new in changes:
        assert old in body, old
        body = body.replace(old, new, 1)
    return body


SAFE: dict[str, tuple[str, Changes]] = {
    "one thread does all": (ALONE, ()),
    "a flag in shared memory": (FLAG, ()),
    "a vote": (VOTE, ()),
    "a number that comes round by itself": (
        ALONE,
        (("add(done, 0, u32(1))", "inc(done, 0, u32(cuda.gridDim.x - 1))"),),
    ),
    "an atomic that releases and acquires": (
        ALONE,
        (("cuda.threadfence()", "pass"), ("cuda.threadfence()", "pass"), ("u32(1)", 'u32(1), order="acq_rel"')),
    ),
    "a fence in each part": (FLAG, (("cuda.threadfence()", "cuda.threadfence_system()"),)),
    "a flag that is a number": (
        FLAG,
        (("bool_", "i32"), ("last[0] = " + LAST, f"last[0] = 1 if {LAST} else 0"), ("if last[0]", "if last[0] == 1")),
    ),
    "counting at least so high": (ALONE, (("ticket ==", "ticket >="),)),
    "the draw is a step behind": (
        ALONE,
        (("ticket == u32(cuda.gridDim.x - 1)", "ticket + u32(1) == u32(cuda.gridDim.x)"),),
    ),
    "an atomic load looks at the counter": (ALONE, (("acc = f32(0)", "acc = f32(cuda.atomic.load(done, 0))"),)),
    "the write is the drawer's, the fence behind a barrier": (
        VOTE,
        (
            ("part[cuda.grid(1)] = x[cuda.grid(1)]\n", "if t == 0:\n    part[cuda.blockIdx.x] = x[cuda.grid(1)]\n"),
            ("64 * cuda.gridDim.x, 64", "cuda.gridDim.x, 64"),
        ),
    ),
}

NOT_PROVED: dict[str, tuple[str, Changes]] = {
    "no release": (ALONE, (("cuda.threadfence()", "pass"),)),
    "no acquire": (ALONE, (("cuda.threadfence()\n    if", "pass\n    if"),)),
    "fences of the block only": (ALONE, (("cuda.threadfence()", "cuda.threadfence_block()"),)),
    "an acquiring atomic releases nothing": (
        ALONE,
        (("cuda.threadfence()", "pass"), ("u32(1)", 'u32(1), order="acquire"')),
    ),
    "a releasing atomic acquires nothing": (
        ALONE,
        (("cuda.threadfence()\n    if", "pass\n    if"), ("u32(1)", 'u32(1), order="release"')),
    ),
    "the fence comes before the write": (
        ALONE,
        (
            (
                "    part[cuda.blockIdx.x] = x[cuda.blockIdx.x]\n    cuda.threadfence()\n",
                "    cuda.threadfence()\n    part[cuda.blockIdx.x] = x[cuda.blockIdx.x]\n",
            ),
        ),
    ),
    "the fence is under a condition": (
        ALONE,
        (("    cuda.threadfence()\n", "    if x[0] > f32(0):\n        cuda.threadfence()\n"),),
    ),
    "the write is in a later loop than the fence": (
        ALONE,
        (("    ticket =", "    for k in range(2):\n        part[cuda.blockIdx.x] = f32(k)\n    ticket ="),),
    ),
    "another thread writes, too": (
        ALONE,
        (
            ("requires", "if cuda.threadIdx.x == 1:\n    part[cuda.blockIdx.x + cuda.gridDim.x] = f32(1)\nrequires"),
            ("range(cuda.gridDim.x)", "range(2 * cuda.gridDim.x)"),
        ),
    ),
    "scope of a block": (ALONE, (("u32(1))", 'u32(1), scope="block")'),)),
    "a step of 2": (ALONE, (("u32(1))", "u32(2))"),)),
    "a step of 0": (ALONE, (("u32(1))", "u32(0))"),)),
    "drawn twice": (ALONE, (("    ticket =", "    cuda.atomic.add(done, 0, u32(1))\n    ticket ="),)),
    "drawn in a loop": (
        ALONE,
        (
            (
                "    ticket = cuda.atomic.add(done, 0, u32(1))\n",
                "    ticket = u32(0)\n    for k in range(2):\n        ticket = cuda.atomic.add(done, 0, u32(1))\n",
            ),
        ),
    ),
    "drawn by every warp": (FLAG, (("if t == 0:", "if t % 32 == 0:"),)),
    "a counter for each block": (ALONE, (("add(done, 0,", "add(done, cuda.blockIdx.x,"),)),
    "the last but one": (ALONE, (("cuda.gridDim.x - 1)", "cuda.gridDim.x - 2)"),)),
    "not the last": (ALONE, (("ticket ==", "ticket !="),)),
    "too low a bound": (ALONE, (("ticket == u32(cuda.gridDim.x - 1)", "ticket >= u32(cuda.gridDim.x // 2)"),)),
    "reset before all have drawn": (
        FLAG,
        (("cuda.syncthreads()\nif last", "cuda.atomic.exch(done, 0, u32(0))\ncuda.syncthreads()\nif last"),),
    ),
    "set before the draw": (
        ALONE,
        (("    cuda.threadfence()\n", "    cuda.threadfence()\n    cuda.atomic.exch(done, 0, u32(0))\n"),),
    ),
    "it starts anywhere": (ALONE, ((STARTS, "pass"),)),
    "it starts at 0 or 1": (ALONE, (("in_range(done, 0, 1)", "in_range(done, 0, 2)"),)),
    "another counter starts at 0": (ALONE, (("add(done,", "add(more,"),)),
    "it comes round early": (ALONE, (("add(done, 0, u32(1))", "inc(done, 0, u32(cuda.gridDim.x // 2))"),)),
    "no barrier before the draw": (FLAG, (("cuda.syncthreads()\n", "pass\n"),)),
    "the fence is the writers', not the drawer's": (
        FLAG,
        (
            ("cuda.syncthreads()\nif t", "cuda.threadfence()\ncuda.syncthreads()\nif t"),
            ("    cuda.threadfence()\n    ticket", "    ticket"),
        ),
    ),
    "the acquire is the readers', not the drawer's": (
        FLAG,
        (
            ("    cuda.threadfence()\n    last", "    last"),
            ("if last[0]:\n", "if last[0]:\n    if t > 0:\n        cuda.threadfence()\n"),
        ),
    ),
    "the vote asks for something else": (VOTE, (("syncthreads_or(last)", "syncthreads_or(last or x[0] > f32(0))"),)),
    "the vote of the others": (VOTE, (("if cuda.syncthreads_or(last)", "if not cuda.syncthreads_or(last)"),)),
    "the flag is written by two": (
        FLAG,
        (("cuda.syncthreads()\nif last", "if t == 1:\n    last[0] = x[0] > f32(0)\ncuda.syncthreads()\nif last"),),
    ),
    "the flag says the opposite": (FLAG, (("if last[0]", "if not last[0]"),)),
    "a read behind the draw of a block that is not last": (
        ALONE,
        (("    if ticket", "    part[cuda.blockIdx.x] = f32(0)\n    if ticket"),),
    ),
}


@pytest.mark.parametrize("name", SAFE)
def test_the_last_block_comes_after_all_others(name: str) -> None:
    body, changes = SAFE[name]
    found = proof(changed(body, changes), PARAMS, "kernel(block=64)")
    assert found.verdict == "proved", [d.message for d in found.diagnostics]
    assert dict(found.pairs)["protocol"] > 0


@pytest.mark.parametrize("name", SAFE)
def test_the_simulator_agrees(name: str) -> None:
    body, changes = SAFE[name]
    made = kernel(changed(body, changes), PARAMS, "kernel(block=64)")
    x = np.ones(64 * 9, np.float32)
    arrays = {"x": x, "part": np.zeros_like(x), "total": np.zeros(1, np.float32), "done": np.zeros(1, np.uint32)}
    report = simulate(made, arrays, grid=(9, 1, 1), block=(64, 1, 1))
    assert report.diagnostics == []


@pytest.mark.parametrize("name", NOT_PROVED)
def test_without_any_one_of_it_nothing_is_proved(name: str) -> None:
    body, changes = NOT_PROVED[name]
    params = PARAMS + ", more: Atomic[u32, int]" if "more" in changed(body, changes) else PARAMS
    found = proof(changed(body, changes), params, "kernel(block=64)")
    assert found.verdict != "proved"


def test_a_grid_of_two_axes_counts_both() -> None:
    body = changed(
        ALONE,
        (("cuda.blockIdx.x] = x[cuda.blockIdx.x]", "cuda.blockIdx.x + cuda.gridDim.x * cuda.blockIdx.y] = x[0]"),),
    )
    body = body.replace("if cuda.threadIdx.x == 0:", "if cuda.threadIdx.x == 0 and cuda.threadIdx.y == 0:")
    assert proof(body, PARAMS, "kernel(block=(8, 8))").verdict != "proved"
    both = body.replace("u32(cuda.gridDim.x - 1)", "cuda.gridDim.x * cuda.gridDim.y - 1")
    found = proof(both, PARAMS, "kernel(block=(8, 8))")
    assert found.verdict == "proved", [d.message for d in found.diagnostics]


def test_where_the_start_alone_is_missing_it_is_proposed() -> None:
    found = proof(changed(ALONE, ((STARTS, "pass"),)), PARAMS, "kernel(block=64)")
    assert errors(found) == ["E0309"]
    assert found.diagnostics[0].help == (
        "the last block comes after all others if the counter starts at 0: `requires(in_range(done, 0, 1))`"
    )


def test_it_is_not_proposed_where_more_is_missing() -> None:
    found = proof(changed(ALONE, ((STARTS, "pass"), ("cuda.threadfence()", "pass"))), PARAMS, "kernel(block=64)")
    assert all("in_range" not in (d.help or "") for d in found.diagnostics)

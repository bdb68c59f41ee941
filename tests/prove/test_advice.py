"""Help lines: the barrier or condition that they name does help."""

from __future__ import annotations

from tests.prove.support import proof

STAGED = """
s = cuda.shared.array(256, i32)
tx = cuda.threadIdx.x
s[tx] = tx
out[cuda.grid(1)] = s[255 - tx]
"""

LOOP = """
s = cuda.shared.array(256, i32)
tx = cuda.threadIdx.x
v = 0
for t in range(n):
    s[tx] = v
    cuda.syncthreads()
    v = s[255 - tx] + 1
out[cuda.grid(1)] = v
"""


def help_of(body: str, params: str) -> str:
    p = proof(body, params)
    assert p.verdict == "refuted"
    return p.diagnostics[0].help or ""


def test_a_barrier_between_two_statements() -> None:
    assert "before line 15" in help_of(STAGED, "out: Out[i32, int]")


def test_a_barrier_at_the_end_of_a_loop() -> None:
    text = help_of(LOOP, "out: Out[i32, int], n: i32")
    assert "at the end of the loop" in text
    mended = LOOP.replace("+ 1\n", "+ 1\n    cuda.syncthreads()\n")
    assert proof(mended, "out: Out[i32, int], n: i32").verdict == "proved"


def test_one_block() -> None:
    body = "out[cuda.threadIdx.x] = cuda.blockIdx.x"
    assert "cuda.gridDim.x == 1" in help_of(body, "out: Out[i32, int]")
    assert proof("requires(cuda.gridDim.x == 1)\n" + body, "out: Out[i32, int]").verdict == "proved"


def test_whole_blocks() -> None:
    body = """
for i in range(cuda.threadIdx.x, n, 256):
    cuda.syncthreads()
"""
    assert "n % cuda.blockDim.x == 0" in help_of(body, "n: i32")


def test_no_barrier_is_proposed_where_none_helps() -> None:
    body = """
i = cuda.grid(1)
if i < n:
    out[i // 2] = i
"""
    assert "checked" not in help_of(body, "out: Out[i32, int], n: i32")


def test_accesses_in_the_two_arms_of_a_branch() -> None:
    body = """
s = cuda.shared.array(256, i32, fill=0)
tx = cuda.threadIdx.x
if tx < 7:
    s[tx] = 1
else:
    v = 0
    v = 1
    s[tx - 7] = v
"""
    assert "checked" not in help_of(body, "n: i32")

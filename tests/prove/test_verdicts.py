"""One kernel a rule: what is proved, refuted and unknown, with its code and lines."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

import pytest

from tests.prove.support import errors, proof

OUT = "out: Out[i32, int], n: i32"
ARRAYS = "x: In[i32, int], out: Out[i32, int], n: i32, m: i32"
TICKETS = "out: Out[i32, int], count: Atomic[i32, int], n: i32, cap: i32"


@dataclass(frozen=True)
class Rule:
    name: str
    verdict: str
    body: str
    params: str = OUT
    codes: tuple[str, ...] = ()
    decorator: str = "kernel(block=256)"
    before: str = ""


def draw(step: str = "1", op: str = "add", more: str = "") -> str:
    return f"""
    i = cuda.grid(1)
    if i < n:
        p = cuda.atomic.{op}(count, 0, {step}{more})
        if p >= 0 and p < cap:
            out[p] = i
    """


SHARED = """
    s = cuda.shared.array(256, i32, fill=0)
    tx = cuda.threadIdx.x
"""


def shared(rest: str) -> str:
    return dedent(SHARED) + dedent(rest)


LOOPS = [
    Rule(
        "a body that may skip its barrier meets iterations far apart",
        "refuted",
        shared("""
        for k in range(n):
            s[(tx + k) % 256] = k
            if k % 3 == 0:
                cuda.syncthreads()
        out[cuda.grid(1)] = s[tx]
        """),
        codes=("E0303",),
    ),
    Rule(
        "a body that may skip its barrier and touches its own cell only",
        "proved",
        shared("""
        for k in range(n):
            s[tx] = k
            if k % 3 == 0:
                cuda.syncthreads()
        out[cuda.grid(1)] = s[tx]
        """),
    ),
    Rule(
        "a loop that may be empty lets the interval pass",
        "refuted",
        shared("""
        s[tx] = tx
        for _ in range(n):
            cuda.syncthreads()
        out[cuda.grid(1)] = s[255 - tx]
        """),
        codes=("E0303",),
    ),
    Rule(
        "what is open at a break joins what follows",
        "refuted",
        shared("""
        for k in range(n):
            cuda.syncthreads()
            s[tx] = k
            if k > 2:
                break
            cuda.syncthreads()
        out[cuda.grid(1)] = s[255 - tx]
        """),
        codes=("E0303",),
    ),
    Rule(
        "a barrier before the break closes it",
        "proved",
        shared("""
        for k in range(n):
            s[tx] = k
            cuda.syncthreads()
            if k > 2:
                break
            v = s[255 - tx]
            cuda.syncthreads()
        cuda.syncthreads()
        out[cuda.grid(1)] = s[255 - tx]
        """),
    ),
    Rule(
        "a break that not all threads take diverges",
        "refuted",
        shared("""
        for k in range(n):
            if k > tx:
                break
            cuda.syncthreads()
        out[cuda.grid(1)] = s[tx]
        """),
        codes=("E0401",),
    ),
    Rule(
        "a break of an inner loop",
        "refuted",
        shared("""
        for a in range(n):
            for b in range(n):
                if b > a:
                    break
                s[tx] = a
                cuda.syncthreads()
            out[cuda.grid(1)] = s[255 - tx]
        """),
        codes=("E0303",),
    ),
    Rule(
        "a private loop hands out the array by stride",
        "proved",
        """
        s = cuda.shared.array(1024, i32)
        tx = cuda.threadIdx.x
        for k in range(tx, 1024, 256):
            s[k] = tx
        cuda.syncthreads()
        out[cuda.grid(1)] = s[1023 - tx]
        """,
    ),
    Rule(
        "the stride is not the number of threads",
        "refuted",
        """
        s = cuda.shared.array(1024, i32)
        tx = cuda.threadIdx.x
        for k in range(tx, 1024, 255):
            s[k] = tx
        cuda.syncthreads()
        out[cuda.grid(1)] = s[tx]
        """,
        codes=("E0303",),
    ),
    Rule(
        "a grid-stride loop in two dimensions",
        "proved",
        """
        x0, y0 = cuda.grid(2)
        dx, dy = cuda.gridsize(2)
        for y in range(y0, h, dy):
            for x in range(x0, w, dx):
                img[y * w + x] = 1.0
        """,
        "img: Out[f32, int], w: i32, h: i32",
        decorator="kernel(block=(16, 16))",
    ),
    Rule(
        "a flag in shared memory is the same for all threads",
        "proved",
        shared("""
        for k in range(n):
            if tx == 0:
                s[0] = k
            cuda.syncthreads()
            stop = s[0] > 7
            cuda.syncthreads()
            if stop:
                break
        out[cuda.grid(1)] = 1
        """),
    ),
    Rule(
        "a flag read without a barrier behind it",
        "refuted",
        shared("""
        for k in range(n):
            if tx == 0:
                s[0] = k
            cuda.syncthreads()
            if s[0] > 7:
                break
        out[cuda.grid(1)] = 1
        """),
        codes=("E0303",),
    ),
    Rule(
        "an invariant carries a binary search",
        "proved",
        """
        i = cuda.grid(1)
        lo = 0
        hi = max(n, 0)
        while lo < hi:
            invariant(0 <= lo <= hi <= max(n, 0))
            mid = (lo + hi) // 2
            if x[mid] < i:
                lo = mid + 1
            else:
                hi = mid
        if i < n and lo < n:
            out[i] = lo
        """,
        ARRAYS,
    ),
    Rule(
        "an invariant that the start breaks",
        "refuted",
        """
        lo = 0
        while lo < n:
            invariant(lo > 0)
            lo = lo + 1
        """,
        codes=("E0508",),
    ),
    Rule(
        "an index that doubles without end leaves 64 bits",
        "unknown",
        """
        q = 1
        for k in range(n):
            q = q * 2 + 1
        if q == 3 and cuda.grid(1) == 0:
            out[0] = 1
        """,
        codes=("E0510",),
    ),
]

TICKET_RULES = [
    Rule("tickets are distinct", "proved", draw(), TICKETS),
    Rule("a step of three may come round", "unknown", draw("3"), TICKETS, ("E0309", "E0309")),
    Rule("a step of zero hands out one ticket", "refuted", draw("0"), TICKETS),
    Rule("a step of 2**31 comes round", "refuted", draw("2147483648"), TICKETS.replace("Atomic[i32", "Atomic[u32")),
    Rule("subtraction", "unknown", draw(op="sub"), TICKETS),
    Rule("exchange", "refuted", draw(op="exch"), TICKETS),
    Rule("compare and swap", "refuted", draw("0, 1", "cas"), TICKETS),
    Rule("the scope of a block", "refuted", draw(more=", scope='block'"), TICKETS),
    Rule(
        "a counter in f32",
        "unknown",
        """
        i = cuda.grid(1)
        if i < n:
            p = i32(cuda.atomic.add(count, 0, 1.0))
            if p >= 0 and p < cap:
                out[p] = i
        """,
        TICKETS.replace("Atomic[i32", "Atomic[f32"),
    ),
    Rule(
        "a queue filled from a grid-stride loop",
        "proved",
        """
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            p = cuda.atomic.add(count, 0, 1)
            if p >= 0 and p < cap:
                out[p] = i
        """,
        TICKETS,
    ),
    Rule(
        "a counter that is reset",
        "unknown",
        draw()
        + """
    if i == 0:
        cuda.atomic.exch(count, 0, 0)
    """,
        TICKETS,
    ),
]

COLLECTIVES = [
    Rule(
        "half a warp with its mask",
        "proved",
        """
        tx = cuda.threadIdx.x
        v = 1.0
        if tx % 32 < 16:
            v = cuda.shfl_xor_sync(0xFFFF, v, 1)
        out[cuda.grid(1)] = v
        """,
        "out: Out[f32, int]",
    ),
    Rule(
        "a mask that names a lane which does not come",
        "refuted",
        """
        tx = cuda.threadIdx.x
        v = 1.0
        if tx % 32 < 16:
            v = cuda.shfl_xor_sync(0x1FFFF, v, 1)
        out[cuda.grid(1)] = v
        """,
        "out: Out[f32, int]",
        ("E0402",),
    ),
    Rule(
        "a mask that lacks a lane which comes",
        "refuted",
        """
        tx = cuda.threadIdx.x
        v = 1.0
        if tx % 32 < 16:
            v = cuda.shfl_xor_sync(0xFF, v, 1)
        out[cuda.grid(1)] = v
        """,
        "out: Out[f32, int]",
        ("E0402",),
    ),
    Rule(
        "a reduction by shuffles",
        "proved",
        """
        v = x[cuda.grid(1)]
        off = 16
        while off > 0:
            v += cuda.shfl_down_sync(0xFFFFFFFF, v, off)
            off //= 2
        if cuda.threadIdx.x % 32 == 0:
            out[cuda.grid(1) // 32] = v
        """,
        "x: In[f32, int], out: Out[f32, int]",
    ),
    Rule(
        "the sum of a block has its own barriers",
        "proved",
        """
        i = cuda.grid(1)
        s = cuda.block.sum(x[i] if i < n else 0.0)
        if cuda.threadIdx.x == 0:
            out[cuda.blockIdx.x] = s
        """,
        "x: In[f32, int], out: Out[f32, int], n: i32",
    ),
    Rule(
        "a grid barrier orders blocks",
        "proved",
        """
        i = cuda.grid(1)
        if i < n:
            a[i] = 1
        cuda.this_grid().sync()
        if i < n:
            out[i] = a[n - 1 - i]
        """,
        "a: InOut[i32, int], out: Out[i32, int], n: i32",
    ),
    Rule(
        "a block barrier does not",
        "refuted",
        """
        i = cuda.grid(1)
        if i < n:
            a[i] = 1
        cuda.syncthreads()
        if i < n:
            out[i] = a[n - 1 - i]
        """,
        "a: InOut[i32, int], out: Out[i32, int], n: i32",
        ("E0302",),
    ),
    Rule(
        "an early return before a barrier",
        "refuted",
        shared("""
        if cuda.grid(1) >= n:
            return
        cuda.syncthreads()
        out[cuda.grid(1)] = s[tx]
        """),
        codes=("E0401",),
    ),
]

MEMORY = [
    Rule(
        "nothing sets shared memory",
        "refuted",
        """
        s = cuda.shared.array(256, i32)
        out[cuda.grid(1)] = s[cuda.threadIdx.x]
        """,
        codes=("E0307",),
    ),
    Rule(
        "half of it is set",
        "unknown",
        """
        s = cuda.shared.array(256, i32)
        tx = cuda.threadIdx.x
        if tx < 128:
            s[tx] = 1
        cuda.syncthreads()
        out[cuda.grid(1)] = s[tx]
        """,
        codes=("E0310",),
    ),
    Rule(
        "a local array is set by a loop",
        "proved",
        """
        t = cuda.local.array(8, i32)
        for j in range(8):
            t[j] = j
        i = cuda.grid(1)
        if i < n:
            out[i] = t[i % 8]
        """,
    ),
    Rule(
        "rows of a two-dimensional array through a device function",
        "proved",
        """
        s = cuda.shared.array((8, 32), f32)
        tx = cuda.threadIdx.x
        put(s[tx // 32], tx % 32)
        cuda.syncthreads()
        out[cuda.grid(1)] = s[tx // 32, 31 - tx % 32]
        """,
        "out: Out[f32, int]",
        before="""
        from transpiler import device
        @device
        def put(row: Out[f32, int], i: i32):
            row[i] = 1.0
        """,
    ),
    Rule(
        "shared memory sized by the block",
        "proved",
        """
        s = cuda.shared.array(cuda.blockDim.x, i32)
        tx = cuda.threadIdx.x
        s[tx] = tx
        cuda.syncthreads()
        out[cuda.grid(1)] = s[cuda.blockDim.x - 1 - tx]
        """,
        decorator="kernel",
    ),
    Rule(
        "what `smem=` leaves is known to the launch only",
        "unknown",
        """
        s = cuda.shared.array(0, i32)
        s[cuda.threadIdx.x] = 1
        """,
        codes=("E0509",),
    ),
]

ARITHMETIC = [
    Rule("division by a parameter", "refuted", "i = cuda.grid(1)\nif i < n:\n    out[i] = i // m", ARRAYS, ("E0503",)),
    Rule("division by data", "refuted", "i = cuda.grid(1)\nif i < n:\n    out[i] = 7 // x[i]", ARRAYS, ("E0503",)),
    Rule("division under a guard", "proved", "i = cuda.grid(1)\nif i < n and m > 0:\n    out[i] = i // m", ARRAYS),
    Rule(
        "a shift by a parameter", "refuted", "i = cuda.grid(1)\nif i < n:\n    out[i] = x[i] << m", ARRAYS, ("E0504",)
    ),
    Rule(
        "a local that is too narrow",
        "refuted",
        "i = cuda.grid(1)\nif i < n:\n    k: i16 = i\n    out[i] = k",
        codes=("E0502",),
    ),
    Rule(
        "trust is believed and bounds what it says",
        "proved",
        "i = cuda.grid(1)\nif i < n:\n    trust(0 <= x[i] < N, 'made so')\n    out[i] = y[x[i]]",
        "x: In[i32, int], y: In[i32, N], out: Out[i32, int], n: i32",
    ),
    Rule(
        "an access that depends on data becomes a check",
        "proved",
        "i = cuda.grid(1)\nif i < n:\n    out[i] = y[x[i]]",
        "x: In[i32, int], y: In[i32, N], out: Out[i32, int], n: i32",
        decorator="kernel(block=256, checks='dynamic')",
    ),
    Rule(
        "an access that is wrong for every content does not",
        "refuted",
        "i = cuda.grid(1)\nif i < N:\n    out[i + 1] = 1",
        "out: Out[i32, N]",
        ("E0501",),
        decorator="kernel(block=256, checks='dynamic')",
    ),
]

RULES = [*LOOPS, *TICKET_RULES, *COLLECTIVES, *MEMORY, *ARITHMETIC]


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name.replace(" ", "-"))
def test_rule(rule: Rule) -> None:
    p = proof(dedent(rule.body), rule.params, rule.decorator, dedent(rule.before))
    assert p.verdict == rule.verdict, [d.message for d in p.diagnostics]
    if rule.codes:
        assert errors(p)[0] in rule.codes


def test_trust_is_listed() -> None:
    rule = next(r for r in RULES if r.name.startswith("trust"))
    p = proof(rule.body, rule.params)
    assert len(p.assumptions) == 1
    assert "made so" in p.assumptions[0]


def test_run_time_checks_are_listed_with_their_nodes() -> None:
    rule = next(r for r in RULES if "becomes a check" in r.name)
    p = proof(rule.body, rule.params, rule.decorator)
    assert len(p.runtime_checks) == len(p.checked_nodes) == 1


def test_a_contract_that_no_launch_meets() -> None:
    p = proof("requires(n > 3, n < 2)\nout[0] = 1", OUT)
    assert p.verdict == "refuted"
    assert errors(p) == ["E0512"]


def test_a_trusted_order_is_no_reason_for_uniformity() -> None:
    body = """
    s = cuda.shared.array(1, i32, fill=0)
    trust(ordered(s), "all write the same")
    s[0] = n
    if s[0] > 3:
        cuda.syncthreads()
    """
    p = proof(dedent(body), OUT)
    assert p.verdict == "unknown"
    assert errors(p) == ["E0409"]


DEVICE = """
from transpiler import device
@device
def find(s: InOut[i32, 256], n: i32) -> i32:
    tx = cuda.threadIdx.x
    for k in range(n):
        cuda.syncthreads()
        s[tx] = k
        if k > 2:
            return k
        cuda.syncthreads()
    return 0
"""


def test_a_return_from_a_device_function_leaves_its_accesses_open() -> None:
    body = """
    s = cuda.shared.array(256, i32, fill=0)
    tx = cuda.threadIdx.x
    k = find(s, n)
    {barrier}
    out[cuda.grid(1)] = s[255 - tx] + k
    """
    p = proof(dedent(body.format(barrier="")), OUT, before=DEVICE)
    assert (p.verdict, errors(p)[0]) == ("refuted", "E0303")
    assert proof(dedent(body.format(barrier="cuda.syncthreads()")), OUT, before=DEVICE).verdict == "proved"


def test_two_arrays_of_one_name() -> None:
    before = """
from transpiler import device
@device
def head(v: i32) -> i32:
    s = cuda.shared.array((2, 256), i32)
    s[0, cuda.threadIdx.x] = v
    cuda.syncthreads()
    return s[0, 255 - cuda.threadIdx.x]
"""
    body = """
    s = cuda.shared.array(256, i32)
    tx = cuda.threadIdx.x
    s[tx] = head(tx)
    out[cuda.grid(1)] = s[tx]
    """
    assert proof(dedent(body), OUT, before=before).verdict == "proved"


def test_a_fault_on_one_side_hides_none_on_the_other() -> None:
    """`a[len(a) - 1]` is fine under the contract of `a[i]`, which says nothing of `a[len(a) - 1 + n]` in the same line."""
    body = """
    i = cuda.grid(1)
    if i < n:
        out[i] = 1
        for k in range(2):
            out[len(out) - 1 + k * n] = 2
    """
    p = proof(dedent(body), OUT)
    assert p.verdict == "refuted"
    assert "E0501" in errors(p)


def test_what_the_last_test_of_a_loop_assigns_is_new() -> None:
    """Behind the loop `t` is one ticket more: all threads that leave have drawn different ones, none has its start value."""
    body = """
    t = 0
    while (t := cuda.atomic.add(count, 0, 1)) < n:
        pass
    if t >= 0 and t < cap:
        out[t] = 1
    if t == 0 and n > 0:
        out[0] = 2
    """
    p = proof(dedent(body), TICKETS)
    assert p.verdict != "proved"

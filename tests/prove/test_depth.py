"""Terms that grow with the length of the text do not exhaust the stack, and prove no less than they can."""

from __future__ import annotations

from tests.prove.support import proof


def test_a_long_sum() -> None:
    lines = ["i = cuda.grid(1)", "v = 0.0", *["v = v * 0.5 + x[i % 7]"] * 90, "if i < n:", "    out[i] = v"]
    p = proof("\n".join(lines), "x: In[f32, 7], out: Out[f32, int], n: i32")
    assert (p.verdict, p.contract) == ("proved", ("n <= len(out)",))


def test_a_long_hash_is_still_an_index_of_one_thread() -> None:
    lines = ["i = cuda.grid(1)", "h = u32(i)", *["h = (h ^ (h >> 3)) * 5"] * 200, "if i < n:", "    out[h % 64] = 1"]
    assert proof("\n".join(lines), "out: Out[i32, 64], n: i32").verdict in ("unknown", "refuted")


def test_many_early_exits() -> None:
    lines = ["i = cuda.grid(1)", *[f"if i == {3 * k} and n > {k}:\n    return" for k in range(200)], "out[i] = 1"]
    assert proof("\n".join(lines), "out: Out[i32, int], n: i32").verdict == "proved"


def test_a_loop_with_many_exits_and_divisions() -> None:
    body = """
    i = cuda.grid(1)
    k = i
    for j in range(60):
        if k % 3 == 1:
            continue
        k = (k * 7 + j) // 5
    if i < n:
        out[i] = k % 2
    """
    import textwrap

    assert proof(textwrap.dedent(body), "out: Out[i32, int], n: i32").verdict == "proved"

"""Rows 56 to 65: assignment, indexing, calls."""

# ruff: noqa: E501 (a row is a line)
from __future__ import annotations

import numpy as np

from tests.traps.harness import PRELUDE, SAY, Case, Refused, elementwise, fault, refused, single

GRID = np.arange(12, dtype=np.int32).reshape(3, 4) * 3 - 7


TOTAL = """
@device
def total(r: In[i32, int]):
    s = 0
    for k in range(len(r)):
        s = s * 10 + r[k]
    return s


@device
def both(r: InOut[i32, int, int], j: i64):
    r[0, 0] += 1
    return total(r[:, j]) * 1000 + total(r[0]) + total(r[0, ::2])


"""


def rank_two(row: int, title: str, body: str, **more: object) -> Case:
    """One thread with a 3 by 4 array `a` to read and one like it, `b`, to write."""
    text = (
        f"{SAY}{TOTAL}\n@kernel(block=1)\ndef k(a: In[i32, 3, 4], b: InOut[i32, int, int], t: InOut[i64, int], n: i32):\n"
        + "".join(f"    {line}\n" for line in body.splitlines())
    )
    arguments = {"a": GRID, "b": np.zeros((3, 4), np.int32), "t": np.zeros(4, np.int64), "n": 1}
    return Case(row=row, title=title, text=PRELUDE + text, arguments=arguments, results=("b", "t"), **more)  # type: ignore[arg-type]


def ordered(word: str) -> Case:
    """Arrays that do not lie in C order, passed on whole and in parts."""
    text = f"{PRELUDE}{TOTAL}@kernel(block=1)\ndef k(a: In[i32, 3, 4, {word}], b: InOut[i32, 3, 4, {word}], t: InOut[i64, int], n: i32):\n"
    text += "    b[n, 2] = a[n, 3]\n    t[0] = total(a[n])\n    t[1] = total(a[:, n])\n    t[2] = both(b, 2)\n    t[3] = total(a[0, ::2])\n"
    arguments = {
        "a": np.asfortranarray(GRID),
        "b": np.zeros((3, 4), np.int32, order="F"),
        "t": np.zeros(4, np.int64),
        "n": 1,
    }
    return Case(
        row=60, title=f"arrays in {word} passed to device functions", text=text, arguments=arguments, results=("b", "t")
    )


def assignment() -> list[Case | Refused]:
    """Rows 56 to 58."""
    return [
        single(56, "swaps", "a = x[0]\nb = x[1]\na, b = b, a\ny[0] = a\ny[1] = b\ny[2] = 3\ny[3] = 4\ny[2], y[3] = y[3], y[2]"),
        single(56, "rotations", "a, b, c = 1, 2, 3\nfor i in range(n):\n    a, b, c = b, c, a\ny[0] = a * 100 + b * 10 + c\na, b = 0, 1\nfor i in range(10):\n    a, b = b, a + b\ny[1] = a"),
        single(56, "the index of target two uses target one", "i = 0\ny[1] = 5\ni, y[i + 2] = 3, y[1]\ny[0] = i\nk = 1\ny[k], k = k + 5, y[k] + 3\ny[4] = k"),
        single(56, "values first, targets from left to right", "t[say(t, 1)], t[say(t, 2)] = say(t, 3), say(t, 4)"),
        single(56, "nested targets", "a, (b, c) = x[0], (x[1], x[2])\n(a, b), c = (b, a), c + 1\ny[0] = a\ny[1] = b\ny[2] = c\n(a, b), c = (b, c), a\ny[3] = a - b + c * 2"),
        refused(56, "too many values", "a, b = 1, 2, 3", "E0217"),
        refused(56, "a number taken apart", "a, b = x[i]", "E0217"),
        single(57, "the index once, the load first", "t[say(t, 1)] += say(t, 2)\nt[0] += say(t, 5)"),
        single(57, "an element added to itself", "y[0] = 3\ny[0] += y[0]\ny[0] *= y[0] + 1\ny[1] = 2\ny[y[1]] += y[1]\ny[y[2] - 2] -= 1"),
        single(57, "a local and an effect", "a = t[0]\na += say(t, 3)\na -= say(t, 4) * 2\nt[1] = a\nb = 1\nb += (b := 5)\ny[0] = b"),
        single(57, "every operator", "a = x[3]\na += 1\na -= 3\na *= 5\na //= 2\na %= 17\na <<= 3\na >>= 1\na |= 65\na &= 0x7F\na ^= 3\na **= 2\ny[0] = a\nh[0] = g[0]\nh[0] /= 3.0\nh[0] %= 0.3\nh[0] -= 1"),
        refused(57, "a float added to an integer", "y[i] += g[i]", "E0207"),
        refused(57, "an array augmented", "x += 1", "E0204"),
        single(58, "chained", "a = b = x[0] + 1\ny[0] = y[1] = a + b\ni = 0\ni = y[i] = 4\ny[7] = i\na, b = c, d = x[0], x[1]\ny[2] = a * 1000 + b * 100 + c * 10 + d"),
        single(58, "chained targets in order, the value once", "t[say(t, 1)] = t[say(t, 2)] = say(t, 3)"),
        single(58, "annotated", "a: i64 = 3\na += x[5]\nb: i32\nb = 4\ny[0] = b\nt[0] = a * a\nc: f32 = 1\nh[0] = c / 3"),
        refused(58, "declared but not assigned", "b: i32\ny[i] = b", "E0209"),
        refused(58, "an annotation that does not hold", "b: i32 = g[i]\ny[i] = b", "E0207"),
    ]  # fmt: skip


def indexing() -> list[Case | Refused]:
    """Rows 59 to 61 and 63."""
    shape = "t[0] = len(a) * 1000 + a.shape[1] * 100 + a.size\nt[1] = a.ndim * 10 + len(a[0])\nt[2] = len(a.shape) + b.shape[0] * b.shape[1]\nb[0, 0] = a.dtype(300) // 7"
    beyond = elementwise(
        59, "an index beyond the end", "out[i] = a[i + 1]", {"a": np.arange(4, dtype=np.int32)}, {"out": "i32"}
    )
    before = elementwise(
        59, "a run-time index of -1", "out[i] = a[i - 1]", {"a": np.arange(4, dtype=np.int32)}, {"out": "i32"}
    )
    far = single(59, "an index of another axis", "y[0] = 1", before="")
    return [
        single(59, "constant negative indices", "y[-1] = 5\ny[0] = x[-2]\ny[1] = x[-len((1, 2, 3))]\nh[-3] = g[-8]"),
        rank_two(59, "constant negative indices of two axes", "b[-1, -4] = a[-3, -1]\nb[0][-1] = a[1][-2]"),
        fault(beyond, "E0501"),
        fault(before, "E0501"),
        Refused(row=59, title="an axis run over", stage="run", code="E0501", text=far.text.replace("    y[0] = 1", "    z = cuda.local.array((2, 3), i32)\n    z[0, n + 2] = 1"), arguments=far.arguments),
        refused(59, "a constant index outside the extent", "z = cuda.local.array(4, i32)\nz[0] = 1\ny[i] = z[4]", "E0501"),
        refused(59, "a constant index of a store outside the extent", "z = cuda.local.array(4, i32)\nz[4] = 1", "E0501", stage="prove"),
        refused(59, "a run-time index that may be -1", "y[i] = x[i - 1]", "E0501", stage="prove"),
        refused(59, "an index that nothing bounds", "y[i] = x[n]", "E0501", stage="prove"),
        rank_two(60, "elements in both spellings", "b[1, 2] = a[2, 1]\nb[0][3] = a[1][n]\nb[n + 1, n] = a[n][n + 1] + a[0, 0]"),
        rank_two(60, "a row is a view", "r = b[1]\nr[2] = 5\nq = a[n]\nfor k in range(len(r)):\n    r[k] += q[k]\nb[0, 0] = len(r)"),
        rank_two(60, "slices of two axes", "r = b[1:, ::2]\nr[0, 1] = 7\nr[1][0] = 8\nt[0] = len(r) * 10 + len(r[0])\ns = a[:2]\nb[0, 1] = s[1, 3]"),
        single(60, "slices", "r = y[2:6]\nr[0] = 5\nr[3] = 6\ny[0] = r[3]\ns = y[1:8:3]\ns[1] = 9\ny[1] = len(r) * 10 + len(s)\nu = y[1:8]\nv = u[2:]\nv[0] = 4\ny[7] = v[0] + len(v)"),
        single(60, "bounds of slices: negative, clipped, kept", "r = y[-3:]\nr[0] = 3\nq = y[:-5]\nq[2] = 2\nt[0] = len(r) * 10 + len(q)\nt[1] = len(y[3:100]) * 10 + len(y[n + 50:])\nk = 2\ns = y[k:]\nk = 5\ns[0] = 1"),
        rank_two(60, "rows, columns and steps passed to device functions", "t[0] = total(a[n])\nt[1] = total(a[:, 2]) - total(a[1:, 0])\nt[2] = total(a[2, ::3]) * 1000 + total(a[0, 1:])\nt[3] = both(b, 1)\nt[3] += both(b[1:, ::2], 1) + both(b[:, 1:3], 0)"),
        single(60, "parts of local arrays passed to device functions", "z = cuda.local.array(8, i32)\nfor k in range(8):\n    z[k] = k\nt[0] = total(z[::3])\nt[1] = total(z[2:])\nt[2] = total(z)\nw = z[1::2]\nt[3] = total(w[1:])\nt[4] = total(w[::2])", before=TOTAL),
        ordered("FOrder"),
        fault(single(60, "an index outside a slice", "r = y[2:4]\nr[n + 1] = 5"), "E0507"),
        refused(60, "...", "y[i] = x[...]", "E0235"),
        refused(60, "None in an index", "y[i] = x[None]", "E0235"),
        refused(60, "a bool as an index", "y[i] = x[x[i] > 0]", "E0235"),
        refused(60, "an array as an index", "y[i] = x[y]", "E0235"),
        refused(60, "too many indices", "y[i] = x[i, 0]", "E0211"),
        refused(60, "a float as an index", "y[i] = x[g[i]]", "E0204"),
        single(61, "another name for an array", "b = y\nb[0] = 3\ny[1] = b[0] + 1"),
        single(61, "a loop that copies", "for k in range(len(y)):\n    y[k] = x[k]"),
        refused(61, "an array assigned to a parameter", "y = x", "E0217"),
        refused(61, "a slice assigned", "y[:] = 0", "E0235"),
        refused(61, "a row assigned", "z = cuda.local.array((2, 3), i32)\nz[0] = 1", "E0235"),
        rank_two(63, "len, shape, size, ndim, dtype", shape),
        refused(63, "len of a number", "y[i] = len(n)", "E0204"),
        refused(63, "a shape at run time", "y[i] = x.shape[n]", "E0212"),
    ]  # fmt: skip


def calls() -> list[Case | Refused]:
    """Rows 62, 64, 65."""
    named = "@device\ndef mix(a: i32, b: i32, c: i32 = 7):\n    return a * 100 + b * 10 + c\n"
    return [
        single(62, "operands from left to right", "t[1] = say(t, 1) * 100 + say(t, 2) * 10 + say(t, 3)\nt[2] = say(t, 4) - (say(t, 5) - say(t, 6))"),
        single(62, "a load before an effect", "t[0] = 4\nt[1] = t[0] + say(t, 2)\nt[2] = say(t, 3) + t[0]\na = 1\ny[0] = a + (a := 5) * a\ny[1] = a"),
        single(62, "arguments", "t[1] = max(say(t, 1), say(t, 3), say(t, 2))\nt[2] = abs(say(t, 1)) + min(t[0], say(t, 5))\nsay(t, say(t, 1) + say(t, 2))"),
        single(62, "atomics", "y[0] = y[0] + cuda.atomic.add(y, 0, 5) * 2 + y[0]\ny[1] = cuda.atomic.add(y, 2, 1) - cuda.atomic.add(y, 2, 2)\ny[3] = cuda.atomic.max(y, 2, 9) * 10 + cuda.atomic.cas(y, 2, 9, 4)"),
        single(62, "the value before the index", "t[say(t, 1)] = say(t, 2)\nt[say(t, 1)] = t[0] * 2 + 1\na, b = t[0], say(t, 2)\nt[3] = a - b"),
        refused(62, "an argument too many", "y[i] = abs(x[i], 1)", "E0205"),
        refused(64, "a transpose", "y[i] = x.T[i]", "E0229"),
        refused(64, "a method", "y[i] = x.sum()", "E0229"),
        refused(64, "an attribute assigned", "x.size = 3", "E0217"),
        rank_two(64, "what exists instead", "s = 0\nfor r in range(a.shape[0]):\n    for c in range(a.shape[1]):\n        s += a[r, c]\n        b[r, c] = a[a.shape[0] - 1 - r, c]\nt[0] = s"),
        single(65, "keywords and defaults of device functions", "y[0] = mix(1, 2, 3)\ny[1] = mix(b=1, a=2)\ny[2] = mix(1, c=4, b=5)", before=named),
        single(65, "keyword arguments are evaluated as written", "t[1] = mix(b=say(t, 1), a=say(t, 2), c=say(t, 3))", before=SAY + named.replace("i32", "i64")),
        refused(65, "a starred argument", "y[i] = abs(*x)", "E0124"),
        refused(65, "a starred target", "a, *b = 1, 2, 3", "E0124"),
        refused(65, "a keyword twice", "y[i] = mix(1, 2, a=3)", "E0205", before=named),
        refused(65, "a keyword that is none", "y[i] = mix(1, 2, d=3)", "E0205", before=named),
        refused(65, "an argument that is missing", "y[i] = mix(1)", "E0205", before=named),
    ]  # fmt: skip


ROWS: list[Case | Refused] = [*assignment(), *indexing(), *calls()]

"""Rows 36 to 55: control flow and scope."""

# ruff: noqa: E501 (a row is a line)
from __future__ import annotations

import numpy as np

from tests.traps.harness import Case, Refused, elementwise, fault, refused, single

TRIP = np.arange(-4, 9, dtype=np.int32)


def operands() -> list[Case | Refused]:
    """Rows 36 to 41."""
    a = np.array([5, 0, -3, 7, 2, 2, -9, 1], np.int32)
    two = {"a": a, "b": a[::-1].copy()}
    lazy_guard = (
        "out[i] = 1 if i + 3 < len(a) and a[i + 3] > 0 else 2\nif i + 5 >= len(a) or a[i + 5] > 0:\n    out[i] += 10"
    )
    return [
        single(36, "a chain evaluates its middle once", "y[0] = 1 if say(t, 1) < say(t, 2) < say(t, 3) else 0"),
        single(36, "a chain stops at the first that is false", "y[0] = 1 if say(t, 3) < say(t, 2) < say(t, 4) < say(t, 5) else 0"),
        single(36, "chains of all signs", "y[0] = 1 if x[1] < x[4] <= x[4] < x[0] != x[1] == -7 else 0\ny[1] = 1 if 0 <= x[2] < 3 else 2\ny[2] = 1 if 3 > x[2] > 0 else 2"),
        single(36, "a chain in a while", "k = 0\nwhile 0 <= k < say(t, 3):\n    k += 1\ny[0] = k"),
        elementwise(36, "a chain is no (a < b) < c", "out[i] = 1 if a[i] < b[i] < 3 else 2\nout[i] += 4 if -5 < a[i] <= b[i] else 8", two, {"out": "i32"}),
        refused(36, "a chain through an array", "y[i] = 1 if 0 < x < n else 0", "E0204"),
        single(37, "and, or give an operand", "y[0] = x[0] and x[1]\ny[1] = x[4] and x[1]\ny[2] = x[0] or x[1]\ny[3] = x[4] or x[2]\nt[1] = say(t, 0) or say(t, 4) or say(t, 5)"),
        single(37, "and, or within each other", "y[0] = x[0] and (x[4] or x[2])\ny[1] = (x[4] and x[0]) or (x[1] and x[3])\ny[2] = x[4] or (x[4] and x[0])\ny[3] = 1 if x[0] and (x[1] or n > 5) and (g[0] or x[4]) else 2"),
        single(37, "and, or of floats", "h[0] = g[0] and g[1]\nh[1] = g[4] and g[1]\nh[2] = g[4] or g[0]\nh[3] = g[2] or g[0]"),
        single(37, "and, or are lazy", "if say(t, 1) > 5 and say(t, 2) > 0:\n    y[0] = 1\nif say(t, 3) > 0 or say(t, 4) > 0:\n    y[1] = 1"),
        elementwise(37, "a guard protects the load on its right", lazy_guard, two, {"out": "i32"}),
        single(37, "and before or, mixed", "y[0] = 1 if (say(t, 1) > 0 and say(t, 2) > 5) or say(t, 3) > 2 else 0\ny[1] = 1 if say(t, 4) > 9 or say(t, 5) > 0 and say(t, 6) > 9 else 0"),
        refused(37, "and of a bool and a number", "y[i] = flags[i] and x[i]", "E0203"),
        single(38, "not", "y[0] = 1 if not x[0] else 2\ny[1] = 1 if not (x[0] and g[0]) else 2\ny[2] = 1 if not 0 < x[0] < 5 else 2\ny[3] = 1 if not not x[4] else 2"),
        single(38, "an absent argument", "y[0] = pick(x)\ny[1] = pick(x, x)\ny[2] = pick(x, b=None)", before="@device\ndef pick(a: In[i32, int], b: In[i32, int] | None = None):\n    if b is None:\n        r = a[0]\n    else:\n        r = a[0] + b[1]\n    return r\n"),
        refused(38, "is between numbers", "y[i] = 1 if x[i] is n else 0", "E0225"),
        refused(38, "in", "y[i] = 1 if x[i] in (1, 2) else 0", "E0225"),
        single(39, "arms are lazy", "t[1] = say(t, 1) if n > 0 else say(t, 2)\nt[2] = say(t, 3) if n < 0 else say(t, 4)"),
        single(39, "arms take the common type", "h[0] = g[0] if n > 0 else 0\nh[1] = 1 if n > 0 else 0.5\ny[0] = 1 if n < 0 else 2 if n == 0 else 3"),
        single(39, "a guarded load", "y[0] = x[n + 100] if n + 100 < len(x) else -1"),
        refused(39, "arms of different types", "out[i] = g[i] if n > 0 else x[i]", "E0203"),
        refused(39, "arms of bool and number", "y[i] = flags[i] if n > 0 else 3", "E0203"),
        single(40, "assigned on every path", "if n > 0:\n    a = 1\nelif n < 0:\n    a = 2\nelse:\n    a = 3\ny[0] = a\nwhile True:\n    b = 4\n    break\ny[1] = b"),
        refused(40, "assigned on one path", "if n > 0:\n    a = 1\ny[i] = a", "E0209"),
        refused(40, "assigned in a loop that may not run", "while n > s:\n    a = 1\n    break\ny[i] = a", "E0209"),
        refused(40, "read before its assignment", "y[i] = a\na = 1", "E0209"),
        single(41, "0 becomes a float", "acc = 0\nfor k in range(2):\n    acc += g[k]\nh[0] = acc\nif n > 0:\n    b = 0\nelse:\n    b = g[0]\nh[1] = b"),
        single(41, "integers widen", "a = x[0]\na = a + i64(x[5])\nt[1] = a * 2"),
        refused(41, "an integer and a float", "if n > 0:\n    a = x[i]\nelse:\n    a = g[i]\nout[i] = a", "E0203"),
        refused(41, "a bool and a number", "a = flags[i]\na = x[i]\ny[i] = a", "E0203"),
    ]  # fmt: skip


def loops() -> list[Case | Refused]:
    """Rows 42 to 50."""
    nested_else = (
        "for i in range(3):\n    for j in range(3):\n        if i * j == 2:\n            break\n    else:\n        y[i] = 1\n"
        "        continue\n    break\nelse:\n    y[7] = 1\ny[6] = i * 10 + j"
    )
    outer = "for i in range(4):\n    for j in range(2):\n        if x[0] == 100:\n            break\n    else:\n        break\n    y[1] = 5\ny[0] = i"
    count = "trips = 0\ns = 0\nfor k in range({}):\n    trips += 1\n    s = s * 3 + k\nout[0, i] = trips\nout[1, i] = s"
    trips = {"a": np.repeat(TRIP, len(TRIP)), "b": np.tile(TRIP, len(TRIP))}
    steps = {**trips, "c": np.resize(np.array([1, -1, 2, -3, 5, -7], np.int32), len(trips["a"]))}
    far = {"z": np.zeros(1, np.int32), "lo": 2147483640, "hi": 2147483647, "st": 4}
    backwards = {"z": np.zeros(1, np.int32), "lo": -2147483640, "hi": -2147483648, "st": -3}
    near_end = "c = 0\ns = 0\nfor k in range(lo, hi, st):\n    c += 1\n    s += k % 1000\nout[0, i] = c\nout[1, i] = s"
    found: list[Case | Refused] = [
        single(42, "the variable lives on", "for i in range(5):\n    y[i] = i\ny[6] = i\nfor i in range(9):\n    if x[i % 8] == 0:\n        break\ny[7] = i"),
        single(42, "a loop inside a loop of one name", "for i in range(3):\n    for i in range(2):\n        y[i] += 1\n    y[i + 4] += i\ny[7] = i"),
        single(42, "with a value before", "i = 40\nfor i in range(n - n):\n    pass\ny[0] = i"),
        refused(42, "behind a loop that may not run", "for k in range(n):\n    pass\ny[i] = k", "E0210"),
        single(43, "assigned in the body", "for i in range(5):\n    y[i] = 1\n    i = i + 100\n    y[7] += i\nfor i in range(4):\n    i += 1\n    h[i] = i"),
        single(43, "assigned in the body of a while", "i = 0\nwhile i < 5:\n    y[i] = 1\n    i += 2\ny[7] = i"),
        single(44, "bounds are evaluated once", "m = n + 2\nfor i in range(m):\n    m = 100\n    y[i] += 1\ny[7] = 3\nfor i in range(y[7]):\n    y[7] = 100\n    y[i + 3] = 7"),
        single(44, "bounds in order", "for i in range(say(t, 1), say(t, 9), say(t, 3)):\n    y[i] = 1"),
        single(44, "a counter as its own bound", "i = 4\nfor i in range(i):\n    y[i] = i\ny[7] = i"),
        elementwise(45, "all bounds and steps", count.format("a[i], b[i], c[i]"), steps, {"out": ("i64", 2)}),
        elementwise(45, "downwards", count.format("a[i], b[i], -1"), trips, {"out": ("i64", 2)}),
        elementwise(45, "by twos and threes", count.format("a[i], b[i], 2") + "\nfor k in range(b[i], a[i], -3):\n    out[1, i] += k", trips, {"out": ("i64", 2)}),
        elementwise(45, "an unsigned bound downwards", "for k in range(u[i], 0, -1):\n    out[i] += k\nfor k in range(u[i] - 1, -1, -1):\n    out[i] += 1",
                    {"u": np.array([3, 0, 1, 7], np.uint32) + np.uint32(1)}, {"out": "i64"}, warns=("W0209",)),
        refused(45, "a literal step of 0", "for k in range(0, n, 0):\n    y[i] = k", "E0506"),
        fault(elementwise(45, "a step of 0", "for k in range(0, 4, a[i]):\n    out[i] = k", {"a": np.zeros(2, np.int32)}, {"out": "i32"}), "E0506"),
        refused(45, "a step that nothing bounds", "for k in range(0, 4, n):\n    y[i] = k", "E0506", stage="prove"),
        elementwise(46, "up to the end of 32 bits", near_end, far, {"out": ("i64", 2)}),
        elementwise(46, "down to the end of 32 bits", near_end, backwards, {"out": ("i64", 2)}),
        elementwise(46, "narrow data as bounds", count.format("a[i], b[i], c[i]"), {"a": np.array([120, -120, 0], np.int8), "b": np.array([127, -128, -1], np.int8), "c": np.array([100, -100, -1], np.int8)}, {"out": ("i64", 2)}),
        elementwise(46, "unsigned data as bounds", count.format("a[i], b[i]"), {"a": np.array([4294967290, 5, 0], np.uint32), "b": np.array([4294967295, 2, 3], np.uint32)}, {"out": ("i64", 2)}),
        refused(46, "a float as a bound", "for k in range(s):\n    y[i] = k", "E0204"),
        single(47, "for else", "for i in range(3):\n    if x[i] == 100:\n        break\nelse:\n    y[0] = 1\nfor i in range(3):\n    if x[i] == x[1]:\n        break\nelse:\n    y[1] = 1\ny[2] = 2"),
        single(47, "while else", "k = 0\nwhile k < 3:\n    k += 1\nelse:\n    y[0] = k\nk = 0\nwhile k < 3:\n    k += 1\n    if k == 2:\n        break\nelse:\n    y[1] = 9\ny[2] = k"),
        single(47, "nested else", nested_else),
        single(47, "an else that leaves the outer loop", outer),
        single(47, "else of a loop that does not run", "for i in range(0):\n    y[0] = 1\nelse:\n    y[1] = 1\nwhile n > 5:\n    y[2] = 1\nelse:\n    y[3] = 1"),
        single(48, "continue", "for i in range(6):\n    if i % 2 == 0:\n        continue\n    y[i] = i\nk = 0\nwhile k < 6:\n    k += 1\n    if k % 2:\n        continue\n    h[k] = k"),
        single(48, "break of the inner loop", "for i in range(3):\n    for j in range(5):\n        if j > i:\n            break\n        y[j] += 1"),
        single(48, "break and continue in an unrolled loop", "for i in unroll(range(6)):\n    if i == 2:\n        continue\n    if i == 5:\n        break\n    y[i] = i + 1"),
        single(48, "continue in a loop with else", "for i in range(4):\n    if i == 1:\n        continue\n    y[i] = 1\nelse:\n    y[7] = 2"),
        refused(48, "break outside a loop", "break", "E0132"),
        refused(48, "a barrier behind a divergent break", "for k in range(4):\n    if x[i] > k:\n        break\n    cuda.syncthreads()\ny[i] = 1", "E0401", stage="prove"),
        elementwise(49, "return", "if a[i] < 0:\n    return\nfor k in range(5):\n    if k == a[i]:\n        return\n    out[i] += 1", {"a": TRIP}, {"out": "i32"}),
        refused(49, "return before a barrier", "if x[i] > 0:\n    return\ncuda.syncthreads()\ny[i] = 1", "E0401", stage="prove"),
        refused(49, "return of a value", "return 5", "E0232"),
        single(50, "while True", "k = 0\nwhile True:\n    k += 1\n    if k == 5:\n        break\ny[0] = k\nwhile True:\n    if k > 9:\n        return\n    k += 1\n    y[1] = k"),
        Case(row=50, title="W a loop without an exit", text=refused(50, "", "if n > 1000:\n    while True:\n        y[i] = 1", "").text,
             arguments={"x": np.zeros(1, np.int32), "g": np.zeros(1, np.float32), "u": np.zeros(1, np.uint32), "flags": np.zeros(1, bool), "y": np.zeros(1, np.int32), "out": np.zeros(1, np.float32), "n": 1, "m": np.uint32(1), "s": np.float32(1)},
             results=("y",), block=(64, 1, 1), expected={"y": np.zeros(1, np.int32)}, warns=("W0205",)),
    ]  # fmt: skip
    return found


def statements() -> list[Case | Refused]:
    """Rows 51 to 55."""
    found: list[Case | Refused] = [
        single(51, "statements that do nothing", "pass\n...\n'text'\ny[0] = 1\nabs(n)"),
        single(51, "W an expression without effect", "x[0] == 3\ny[0] = 1", warns=("W0208",)),
        refused(51, "an array without a name", "cuda.local.array(4, f32)", "E0222"),
        single(53, "assert that holds", "assert n == 1, 'one'\nassert x[0] > 0\ny[0] = 1"),
        fault(single(53, "assert that does not hold", "assert x[0] < n, 'seven'\ny[0] = 1"), "E0507"),
        single(54, "enumerate, zip, reversed", "for k, d in enumerate((5, 7, 9)):\n    y[k] = d\nfor k, d in enumerate(range(2, 5), 3):\n    y[k] += d\nfor a, b in zip((1, 2, 3), range(5, 9)):\n    h[a] = b\n"
               "for i in reversed(range(2, 7)):\n    t[0] = t[0] * 10 + i\nfor i in reversed(range(1, n + 6, 3)):\n    t[1] = t[1] * 10 + i\nfor i in reversed(range(n + 4, 0, -3)):\n    t[2] = t[2] * 10 + i\nfor i in reversed((3, 1, 2)):\n    t[3] = t[3] * 10 + i"),
        refused(54, "enumerate of an array", "for k, d in enumerate(x):\n    y[i] = d", "E0237"),
        refused(54, "for over an array", "for d in x:\n    y[i] = d", "E0237"),
        refused(54, "a comprehension", "a = [x[k] for k in range(3)]", "E0122"),
        refused(54, "a generator", "y[i] = sum(x[k] for k in range(3))", "E0122"),
        single(55, "constant tuples", "for d in (4, 2, 1):\n    y[d] = d\nfor a, (b, c) in ((1, (2, 3)), (4, (5, 6))):\n    y[a] += b * c\nfor w in (0.5, 1.5, 0.1):\n    h[0] += w * g[1]\nfor d in STEPS:\n    t[0] = t[0] * 100 + d", before="STEPS = (16, 8, 4)\n"),
        single(55, "broken out of", "for d in (4, 2, 1):\n    if d == 2:\n        break\n    y[d] = 1\ny[0] = d\nfor d in (1, 2, 3):\n    if d == 2:\n        continue\n    y[d + 4] = d\nelse:\n    y[6] = 1"),
        refused(55, "a tuple of run-time values", "for d in (n, n + 1):\n    y[i] = d", "E0237"),
    ]  # fmt: skip
    words = {
        "try": ("try:\n    y[i] = 1\nexcept ValueError:\n    pass", "E0110"),
        "raise": ("raise ValueError", "E0111"),
        "with": ("with s:\n    pass", "E0112"),
        "async": ("async for k in range(3):\n    pass", "E0113"),
        "await": ("await s", "E0113"),
        "yield": ("yield n", "E0114"),
        "lambda": ("f = lambda v: v", "E0115"),
        "a nested def": ("def f(v):\n    return v", "E0116"),
        "class": ("class C:\n    pass", "E0117"),
        "import": ("import math", "E0118"),
        "global": ("global A", "E0119"),
        "nonlocal": ("nonlocal A", "E0119"),
        "del": ("del i", "E0120"),
        "match": ("match n:\n    case 1:\n        y[i] = 1", "E0121"),
        "a list": ("a = [1, 2]", "E0123"),
        "a set": ("a = {1, 2}", "E0123"),
        "a dict": ("a = {1: 2}", "E0123"),
    }
    found += [refused(52, word, body, code) for word, (body, code) in words.items()]
    found.append(
        elementwise(
            52,
            "if and elif instead of match",
            "if a[i] == 1:\n    out[i] = 10\nelif a[i] == 2:\n    out[i] = 20\nelse:\n    out[i] = 30",
            {"a": TRIP},
            {"out": "i32"},
        )
    )
    return found


ROWS: list[Case | Refused] = [*operands(), *loops(), *statements()]

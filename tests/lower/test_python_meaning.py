"""Lowered kernels mean what CPython means: evaluation order, laziness, loops, assignment, arithmetic (numbers are rows of TRAPS).

`say(t, d)` is a device function that appends the digit `d` to the trace `t[0]` and returns it: a wrong order, a lost or a
repeated evaluation shows as another number.
"""

# ruff: noqa: E501 - a case is one line, so that the table can be read

from __future__ import annotations

import numpy as np
import pytest

from tests.support.kernels import kernel_text
from tests.support.python_meaning import agree

SAY = """\
@device
def say(t: InOut[i64, int], d: i64):
    t[0] = t[0] * 10 + d
    return d
"""
PARAMS = "x: In[i32, int], y: InOut[i32, int], g: In[f32, int], h: InOut[f32, int], t: InOut[i64, int], n: i32"

CASES = {
    "36 a chain evaluates its middle once": "y[0] = 1 if say(t, 1) < say(t, 2) < say(t, 3) else 0",
    "36 a chain stops at the first false": "y[0] = 1 if say(t, 3) < say(t, 2) < say(t, 4) < say(t, 5) else 0",
    "36 a chain of loads": "y[0] = 1 if x[0] < x[1] <= x[2] != x[3] else 0",
    "36 a chain in a condition": "if 0 <= say(t, 4) < n:\n    y[0] = 5\nelse:\n    y[0] = 6",
    "36 a chain in a while": "k = 0\nwhile 0 <= k < say(t, 3):\n    k += 1\ny[0] = k",
    "37 and gives an operand": "y[0] = x[0] and x[1]\ny[1] = x[4] and x[1]\ny[2] = x[0] and x[4] and x[1]",
    "37 or gives an operand": "y[0] = x[0] or x[1]\ny[1] = x[4] or x[1]\ny[2] = x[4] or x[4] or x[2]",
    "37 and, or are lazy": "if say(t, 1) > 5 and say(t, 2) > 0:\n    y[0] = 1\nif say(t, 3) > 0 or say(t, 4) > 0:\n    y[1] = 1",
    "37 a guard protects the load": "i = n + 1000\nif i < len(x) and x[i] > 0:\n    y[0] = 1",
    "37 mixed": "y[0] = 1 if (say(t, 1) > 0 and say(t, 2) > 5) or say(t, 3) > 2 else 0",
    "37 values with effects": "t[1] = say(t, 0) or say(t, 4) or say(t, 5)\nt[2] = say(t, 1) and say(t, 0) and say(t, 7)",
    "38 not": "y[0] = 1 if not x[0] else 2\ny[1] = 1 if not (x[0] and g[0]) else 2",
    "38 not of a chain": "y[0] = 1 if not 0 < x[0] < 5 else 2",
    "39 arms are lazy": "t[1] = say(t, 1) if n > 0 else say(t, 2)\nt[2] = say(t, 3) if n < 0 else say(t, 4)",
    "39 arms take the common type": "h[0] = g[0] if n > 0 else 0\nh[1] = 1 if n > 0 else 0.5",
    "39 nested": "y[0] = 1 if n < 0 else 2 if n == 0 else 3",
    "39 a guarded load": "y[0] = x[n + 100] if n + 100 < len(x) else -1",
    "42 the variable lives on": "for i in range(5):\n    y[i] = i\ny[6] = i",
    "42 behind a break": "for i in range(9):\n    if x[i % 8] == 0:\n        break\ny[0] = i",
    "42 a loop inside a loop of one name": "for i in range(3):\n    for i in range(2):\n        y[i] += 1\n    y[i + 4] += i\ny[7] = i",
    "42 with a start before": "i = 40\nfor i in range(n - n):\n    pass\ny[0] = i",
    "43 assigned in the body": "for i in range(5):\n    y[i] = 1\n    i = i + 100\n    y[7] += i",
    "43 augmented in the body": "for i in range(4):\n    i += 1\n    y[i] = i",
    "44 bounds are evaluated once": "m = n\nfor i in range(m):\n    m = 100\n    y[i] += 1",
    "44 bounds of memory": "y[0] = 3\nfor i in range(y[0]):\n    y[0] = 100\n    y[i + 1] = 7",
    "44 bounds in order": "for i in range(say(t, 1), say(t, 9), say(t, 3)):\n    y[i] = 1",
    "44 a bound used again": "m = 3\nfor i in range(m):\n    m = m + 1\ny[0] = m",
    "44 a counter as the bound of itself": "i = 4\nfor i in range(i):\n    y[i] = i\ny[7] = i",
    "45 downwards": "for i in range(7, 0, -2):\n    y[i] = i",
    "45 downwards to below zero": "for i in range(3, -1, -1):\n    y[i] = i + 10",
    "45 a step of the launch": "for i in range(7, 0, -n):\n    y[i] = i\nfor i in range(0, 7, n):\n    y[i] += 2",
    "45 an unsigned bound": "c = u32(x[0])\nfor i in range(c, 0, -1):\n    y[i] = i",
    "45 an empty range": "for i in range(5, 2):\n    y[0] = 1\nfor i in range(2, 5, -1):\n    y[1] = 1",
    "47 for else": "for i in range(3):\n    if x[i] == 100:\n        break\nelse:\n    y[0] = 1",
    "47 for else, broken": "for i in range(3):\n    if x[i] == x[1]:\n        break\nelse:\n    y[0] = 1\ny[1] = 2",
    "47 while else": "k = 0\nwhile k < 3:\n    k += 1\nelse:\n    y[0] = k",
    "47 while else, broken": "k = 0\nwhile k < 3:\n    k += 1\n    if k == 2:\n        break\nelse:\n    y[0] = 9\ny[1] = k",
    "47 nested else": (
        "for i in range(3):\n    for j in range(3):\n        if i * j == 2:\n            break\n    else:\n        y[i] = 1\n"
        "        continue\n    break\nelse:\n    y[7] = 1\ny[6] = i * 10 + j"
    ),
    "47 else breaks the outer loop": (
        "for i in range(4):\n    for j in range(2):\n        if x[0] == 100:\n            break\n    else:\n        break\n"
        "    y[1] = 5\ny[0] = i"
    ),
    "48 continue": "for i in range(6):\n    if i % 2 == 0:\n        continue\n    y[i] = i",
    "48 continue in a while": "k = 0\nwhile k < 6:\n    k += 1\n    if k % 2:\n        continue\n    y[k] = k",
    "48 break of the inner loop": "for i in range(3):\n    for j in range(5):\n        if j > i:\n            break\n        y[j] += 1",
    "48 continue in an unrolled loop": "for i in unroll(range(6)):\n    if i == 2:\n        continue\n    if i == 5:\n        break\n    y[i] = i + 1",
    "49 return": "for i in range(6):\n    if i == 3:\n        return\n    y[i] = 1",
    "50 while True": "k = 0\nwhile True:\n    k += 1\n    if k == 5:\n        break\ny[0] = k",
    "51 pass and texts": "pass\n...\n'text'\ny[0] = 1",
    "54 enumerate": "for k, d in enumerate((5, 7, 9)):\n    y[k] = d\nfor k, d in enumerate(range(2, 5), 3):\n    y[k] += d",
    "54 zip": "for a, b in zip((1, 2, 3), range(5, 9)):\n    y[a] = b\ny[0] = a + b",
    "54 reversed": "for i in reversed(range(2, 7)):\n    t[0] = t[0] * 10 + i",
    "54 reversed with a step": "for i in reversed(range(1, n + 6, 3)):\n    t[0] = t[0] * 10 + i",
    "54 reversed downwards": "for i in reversed(range(n + 4, 0, -3)):\n    t[0] = t[0] * 10 + i",
    "54 reversed and empty": "for i in reversed(range(n, 0)):\n    t[0] = 7\nfor i in reversed(range(0, -n, 2)):\n    t[0] = 8",
    "55 constant tuples": "for d in (4, 2, 1):\n    y[d] = d\nfor a, (b, c) in ((1, (2, 3)), (4, (5, 6))):\n    y[a] += b * c",
    "55 a tuple of floats": "for w in (0.5, 1.5, 0.1):\n    h[0] += w * g[1]",
    "55 broken out of": "for d in (4, 2, 1):\n    if d == 2:\n        break\n    y[d] = 1\ny[0] = d",
    "56 swap": "a = x[0]\nb = x[1]\na, b = b, a\ny[0] = a\ny[1] = b",
    "56 swap of elements": "y[0] = 3\ny[1] = 4\ny[0], y[1] = y[1], y[0]",
    "56 rotate": "a, b, c = 1, 2, 3\nfor i in range(n):\n    a, b, c = b, c, a\ny[0] = a * 100 + b * 10 + c",
    "56 the index of target two uses target one": "i = 0\ny[1] = 5\ni, y[i + 2] = 3, y[1]\ny[0] = i",
    "56 targets left to right": "t[say(t, 1)], t[say(t, 2)] = say(t, 3), say(t, 4)",
    "56 fibonacci": "a, b = 0, 1\nfor i in range(10):\n    a, b = b, a + b\ny[0] = a",
    "56 nested targets": "a, (b, c) = x[0], (x[1], x[2])\n(a, b), c = (b, a), c + 1\ny[0] = a\ny[1] = b\ny[2] = c",
    "56 nested swap": "a, b, c = 1, 2, 3\n(a, b), c = (b, c), a\ny[0] = a * 100 + b * 10 + c",
    "56 an element and a local": "k = 1\ny[k], k = k + 5, y[k] + 3\ny[0] = k",
    "57 the index once, the load first": "t[say(t, 1)] += say(t, 2)",
    "57 adds itself": "y[0] = 3\ny[0] += y[0]\ny[0] *= y[0] + 1",
    "57 the value changes the target": "t[0] += say(t, 5)",
    "57 the index is memory": "y[0] = 2\ny[y[0]] += y[0]\ny[y[2] - 2] -= 1",
    "57 a local target": "a = t[0]\na += say(t, 3)\na -= say(t, 4) * 2\nt[1] = a",
    "57 the old local": "a = 1\na += (a := 5)\ny[0] = a",
    "58 chained": "a = b = x[0] + 1\ny[0] = y[1] = a + b",
    "58 chained targets in order": "t[say(t, 1)] = t[say(t, 2)] = say(t, 3)",
    "58 chained: the second index uses the first": "i = 0\ni = y[i] = 4\ny[7] = i",
    "58 chained tuples": "a, b = c, d = x[0], x[1]\ny[0] = a * 1000 + b * 100 + c * 10 + d",
    "58 annotated": "a: i64 = 3\na += x[0]\nb: i32\nb = 4\ny[0] = b\nt[0] = a",
    "59 a negative constant": "y[-1] = 5\ny[0] = x[-2]\ny[1] = x[-len((1, 2, 3))]",
    "62 operands left to right": "t[1] = say(t, 1) * 100 + say(t, 2) * 10 + say(t, 3)",
    "62 a load before an effect": "t[0] = 4\nt[1] = t[0] + say(t, 2)\nt[2] = say(t, 3) + t[0]",
    "62 a local before an effect": "a = 1\ny[0] = a + (a := 5) * a\ny[1] = a",
    "62 arguments": "t[1] = max(say(t, 1), say(t, 3), say(t, 2))\nt[2] = abs(say(t, 1)) + min(t[0], say(t, 5))",
    "62 atomics": "y[0] = y[0] + cuda.atomic.add(y, 0, 5) * 2 + y[0]\ny[1] = cuda.atomic.add(y, 0, 1) - cuda.atomic.add(y, 0, 2)",
    "62 the value before the index": "t[say(t, 1)] = say(t, 2)",
    "62 an index that changes memory": "t[say(t, 1)] = t[0] * 2 + 1",
    "62 a tuple": "a, b = t[0], say(t, 2)\nt[1] = a\nt[2] = b\nc, d = say(t, 1), t[0]\nt[3] = c + d",
    "62 nested calls": "say(t, say(t, 1) + say(t, 2))",
    "82 walrus": "if (v := x[0] + 1) > 0:\n    y[0] = v\ny[1] = v",
    "82 walrus in while": "k = 0\nwhile (v := x[k]) != 0:\n    y[k] = v\n    k += 1\ny[7] = v + 10",
    "82 walrus in a while with and": "k = 0\nwhile k < 8 and (v := x[k]) != 0:\n    y[k] = v\n    k += 1\ny[7] = k",
    "82 walrus in while with continue": "k = 0\nwhile (k := k + 1) < 6:\n    if k == 3:\n        continue\n    y[k] = k",
    "82 walrus twice": "y[0] = (a := 2) + (a := a * 3) + a",
    "82 walrus in an index": "i = 1\ny[(i := 3)] = i + 1\ny[0] = i",
    "82 walrus in the index of a swap": "i = 1\ny[(i := 3)], y[2] = i + 1, i + 7",
    "83 precedence": "y[0] = -2 ** 2\ny[1] = (1 if x[0] else 2 if x[1] else 3) + 4\ny[2] = 1 if not x[0] == x[1] else 0\ny[3] = 7 - 2 - 1",
    "83 bits and comparisons": "y[0] = 1 if x[0] & 1 == 1 else 0\ny[1] = x[0] | x[1] ^ x[2] & 5\ny[2] = ~x[0] << 1",
    "1 floor division": "for i in range(7):\n    y[i] = x[i] // 3 + (x[i] // -3) * 10",
    "2 modulo": "for i in range(7):\n    y[i] = x[i] % 3 + (x[i] % -3) * 10",
    "7 divmod": "q, r = divmod(x[1], 4)\ny[0] = q\ny[1] = r\np = divmod(n, 2)\ny[2] = p[0] * 10 + p[1]",
    "8 data wraps": "y[0] = x[5] + x[5]\ny[1] = x[5] * 3\ny[2] = -x[6]\ny[3] = abs(x[6])\ny[4] = x[6] // (x[7] - 2)",
    "9 unsigned wraps": "t[0] = u32(3) - u32(5)\nt[1] = -u32(1)\nt[2] = u32(x[0]) - 7",
    "10 compared by value": "y[0] = 1 if i32(-1) < u32(1) else 0\ny[1] = 1 if u64(1) > i64(-1) else 0\ny[2] = 1 if u32(x[0]) > -1 else 0",
    "11 wide literals": "t[0] = 3_000_000_000\nt[1] = 1 << 40\nt[2] = x[0] * i64(1 << 33)",
    "14 powers": "h[0] = g[0] ** 2\nh[1] = (g[0] + g[1]) ** 3\ny[0] = x[0] ** 2\ny[1] = x[0] ** 0\ny[2] = x[1] ** 1",
    "14 a power with an effect in it": "t[1] = say(t, 3) ** 2",
    "15 integer powers": "e = x[0]\nif e >= 0:\n    y[0] = x[2] ** e",
    "16 precedence of powers": "y[0] = -2 ** 2 + 2 ** 3 ** 2\nh[0] = g[0] * 2 ** -1",
    "17 min and max keep the first": "h[0] = max(-0.0 * g[0], 0.0)\nh[1] = min(g[2], g[0])\nh[2] = max(g[0], g[1], g[3])\ny[0] = min(x[0], x[1], 5)",
    "24 bool arithmetic": "y[0] = (n > 0) + (n > 9) + True\ny[1] += x[0] > 0\nc = 0\nfor i in range(7):\n    c += x[i] > 1\ny[2] = c",
    "26 bits of bools": "a = x[0] > 0\nb = x[1] > 0\ny[0] = 1 if a & b else 0\ny[1] = 1 if a ^ b else 0\ny[2] = 1 if a | b else 0",
    "27 shifts": "y[0] = x[1] >> 1\ny[1] = x[0] << 3\ny[2] = x[1] << 2\ny[3] = 1 << (x[0] & 7)",
    "28 nan": "v = g[0] * math.inf - g[0] * math.inf\ny[0] = 1 if v != v else 0\ny[1] = 1 if not (v < 1.0) else 0\ny[2] = 1 if v else 0",
    "23 truth": "y[0] = 1 if x[0] else 0\ny[1] = 1 if g[4] else 0\nif g[0]:\n    y[2] = 1\ny[3] = 1 if bool(x[4]) else 0",
    "20 int of a float": "y[0] = int(g[0])\ny[1] = int(g[1])\ny[2] = i32(g[3] * 3.0)",
    "19 round": "y[0] = round(g[0])\ny[1] = round(g[1])\ny[2] = round(h[0] + 2.5)",
    "21 floor": "y[0] = math.floor(g[1])\ny[1] = math.ceil(g[1])\ny[2] = math.trunc(f64(g[1]))",
    "35 a literal takes the type": "h[1] = 0.1\ny[0] = 1 if h[1] == 0.1 else 0\ny[1] = 1 if g[5] == 0.1 else 0",
    "41 zero becomes a float": "acc = 0\nfor i in range(4):\n    acc += g[i]\nh[0] = acc",
    "60 views": "r = y[2:6]\nr[0] = 5\nr[3] = 6\ny[0] = r[3]\ns = y[1:8:3]\ns[1] = 9\ny[1] = len(r) * 10 + len(s)",
    "60 a view of a view": "r = y[1:8]\ns = r[2:]\ns[0] = 4\ny[0] = s[0] + len(s)",
    "60 a view stands": "i = 2\nr = y[i:]\ni = 5\nr[0] = 1\ny[7] = i",
    "60 negative bounds": "r = y[-3:]\nr[0] = 3\nq = y[:-5]\nq[2] = 2\ny[0] = len(r) * 10 + len(q)",
    "60 bounds are clipped": "r = y[3:100]\ny[0] = len(r)\nq = y[n + 50:]\ny[1] = len(q)",
    "61 an alias": "b = y\nb[0] = 3\ny[1] = b[0] + 1",
    "63 lengths": "y[0] = len(x)\ny[1] = x.shape[0]\ny[2] = x.size\ny[3] = x.ndim\n(m,) = x.shape\ny[4] = m",
    "66 names": "new = x[0]\nunsigned = new + 1\ny[0] = unsigned",
    "shared arrays": "s = cuda.shared.array(4, i32, fill=7)\ns[1] = x[0]\ncuda.syncthreads()\ny[0] = s[0] + s[1]",
    "local arrays": "s = cuda.local.array((2, 3), i32, fill=1)\ns[1, 2] = x[0]\nr = s[1]\nr[0] += 4\ny[0] = s[1, 2] * 10 + s[1, 0]\ny[1] = s[1][2]",
    "constant arrays": "c = cuda.const.array_like((3, 1, 4))\nfor i in range(3):\n    y[i] = c[i]\nd = cuda.const.array_like(((1, 2), (3, 4)))\ny[3] = d[1, 0]",
    "shapes": "s = x.shape\ny[0] = s[0]\n(m,) = y[2:5].shape\ny[1] = m",
    "nested tuples": "p = (x[0], (x[1], x[2]))\nq = p[1]\np = (1, q)\n(a, b) = p[1]\ny[0] = p[0] * 100 + q[0]\ny[1] = a - b",
    "tuples": "p = (x[0], x[1])\nq = p\np = (x[2], x[3])\na, b = q\ny[0] = a\ny[1] = b\ny[2] = p[0]\ny[3] = p[-1]",
    "a tuple swapped with itself": "p = (1, 2)\np = (p[1], p[0])\ny[0] = p[0] * 10 + p[1]",
    "a tuple from a condition": "p = (x[0], x[1]) if n > 5 else (x[2], x[3])\ny[0] = p[0]\ny[1] = p[1]",
    "a branch that assigns": "if x[0] > 0:\n    v = 1\nelse:\n    v = x[1]\ny[0] = v",
    "comparisons of bools": "a = x[0] > 0\ny[0] = 1 if a == (x[1] > 0) else 0\ny[1] = 1 if a == True else 0",
    "narrow integers": "a = i8(x[2])\nb = a * i8(100)\nt[0] = b\nc = u8(200) + u8(100)\nt[1] = c\nd = i16(30000) + i16(x[0])\nt[2] = d",
    "augmented narrowing": "a = i8(x[0])\na += i8(127)\nt[0] = a",
    "mixed widths": "t[0] = x[5] + i64(x[5])\nt[1] = u8(200) + i8(-5)\nt[2] = u32(4000000000) + x[0]",
    "i64 and u64 compare": "a = i64(-1)\nb = u64(1)\ny[0] = 1 if a < b else 0\ny[1] = 1 if b == a else 0\ny[2] = 1 if b > n else 0",
    "half floats": "a = f16(g[0])\nb = a * f16(0.1) + a\nh[0] = b\nc = 0.0\nfor i in range(3):\n    c += a\nh[1] = c",
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_means_what_python_means(name: str) -> None:
    text = SAY + kernel_text(CASES[name], PARAMS)
    agree(
        text,
        x=np.array([3, -7, 5, 2, 0, 2**31 - 1, -(2**31), 1], np.int32),
        y=np.zeros(8, np.int32),
        g=np.array([1.5, -2.5, 3.25, 0.7, 0.0, 0.1, 1e30, -4.0], np.float32),
        h=np.zeros(8, np.float32),
        t=np.zeros(10_000, np.int64),
        n=2,
    )

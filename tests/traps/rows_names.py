"""Rows 66 to 86: names, text and source."""

# ruff: noqa: E501, RUF001 (a row is a line)
from __future__ import annotations

import keyword

import numpy as np

from tests.traps.harness import PRELUDE, Case, Refused, refused, single

CPP_WORDS = [
    "auto",
    "register",
    "template",
    "int",
    "float",
    "double",
    "this",
    "new",
    "union",
    "and_eq",
    "or_eq",
    "xor_eq",
    "compl",
    "NULL",
    "const",
    "volatile",
    "static",
    "extern",
    "inline",
    "struct",
    "enum",
    "switch",
    "case",
    "default",
    "do",
    "goto",
    "typedef",
    "typename",
    "namespace",
    "using",
    "operator",
    "private",
    "public",
    "protected",
    "virtual",
    "explicit",
    "export",
    "friend",
    "mutable",
    "sizeof",
    "throw",
    "char",
    "short",
    "long",
    "signed",
    "unsigned",
    "void",
    "wchar_t",
    "char16_t",
    "char32_t",
    "constexpr",
    "decltype",
    "noexcept",
    "nullptr",
    "static_assert",
    "static_cast",
    "const_cast",
    "dynamic_cast",
    "reinterpret_cast",
    "thread_local",
    "typeid",
    "delete",
    "alignas",
    "alignof",
    "asm",
    "bitand",
    "bitor",
    "not_eq",
    "xor",
    "char8_t",
    "concept",
    "requires_",
    "constinit",
    "consteval",
    "co_await",
    "co_return",
    "co_yield",
]
"""Words of C++ that are names in Python."""

FILE_SCOPE = [
    "printf",
    "main",
    "std",
    "y0",
    "y1",
    "j0",
    "j1",
    "yn",
    "jn",
    "dim3",
    "size_t",
    "threadIdx",
    "blockIdx",
    "warpSize",
    "uint3",
    "float4",
    "int2",
    "half",
    "exp",
    "log",
    "sin",
    "cos",
    "floor",
    "ceil",
    "sqrt",
    "memcpy",
    "malloc",
    "free",
    "assert_",
    "abs_",
    "clock",
    "cudaError_t",
    "__global__x",
    "min_",
    "uchar1",
    "fma",
]
"""Names that CUDA C++ has at file scope."""


def locals_named(row: int, title: str, names: list[str]) -> Case:
    body = "\n".join(f"{name} = x[{k % 8}] - {k}" for k, name in enumerate(names))
    total = "\n".join(f"t[{k % 8}] = t[{k % 8}] * 31 + {name}" for k, name in enumerate(names))
    return single(row, title, f"{body}\n{total}")


def naming() -> list[Case | Refused]:
    """Rows 66 to 70."""
    words = [w for w in CPP_WORDS if not keyword.iskeyword(w)]
    every = "".join(
        f"@device\ndef {name}(v: i32):\n    return v * {k + 2} + 1\n"
        for k, name in enumerate(("y0", "std", "main", "printf", "template", "j1"))
    )
    return [
        locals_named(66, "locals named like words of C++", words),
        single(66, "parameters named like words of C++", "y[0] = register - int\ny[1] = template[0] + union[1]\ny[2] = register_ * 2",
               params="register: i32, int: i32, template: In[i32, int], union: In[i32, int], register_: i32",
               arguments={"register": 7, "int": 9, "template": np.array([4], np.int32), "union": np.array([1, 2], np.int32), "register_": 3}),
        refused(66, "a word of Python", "class = 3\ny[i] = class", "E0128"),
        refused(66, "another word of Python", "in = 3\ny[i] = 4", "E0128"),
        locals_named(67, "locals named like functions of C", FILE_SCOPE),
        single(67, "device functions named like functions of C", "y[0] = y0(n) + std(n) * 10\ny[1] = main(n) + printf(n) * 10\ny[2] = template(n) * j1(n)", before=every),
        *(named_kernel(67, name) for name in ("min", "abs", "sqrt", "y0", "main", "std", "template", "dim3")),
        locals_named(68, "reserved names", ["__x", "_X", "__y__", "_Abc", "a__b", "_", "__", "x_", "_1", "x__"]),
        locals_named(69, "names beyond ASCII", ["α", "β_2", "größe", "переменная", "变量", "ſ1"]),
        single(69, "names that NFKC makes one", "ﬁ = x[0]\ny[0] = fi + 1\nfi = 3\ny[1] = ﬁ"),
        refused(69, "a character that no name has", "a€ = 1", "E0105"),
        single(70, "built-ins shadowed by locals", "range = x[0]\nmin = x[1]\nlen = 3\nsum = range + min + len\ny[0] = sum\nfloat = 1\ny[1] = float", before=""),
        single(70, "a built-in shadowed by a device function", "y[0] = max(n, 5)", before="@device\ndef max(a: i32, b: i32):\n    return a * 100 + b\n"),
        single(70, "parameters named like built-ins", "y[0] = abs + max[1]", params="abs: i32, max: In[i32, int]", arguments={"abs": 4, "max": np.array([5, 6], np.int32)}),
        refused(70, "a shadowed built-in that is called", "min = x[i]\ny[i] = min(n, 3)", "E0204"),
        refused(70, "a shadowed range that is called", "range = 3\nfor k in range(4):\n    y[i] = k", "E0204"),
    ]  # fmt: skip


def named_kernel(row: int, name: str) -> Case:
    """The name stands twice: once for the kernel, once (with `_`) for a local in it. CPython runs it as `k`."""
    text = (
        PRELUDE
        + f"\n@kernel(block=1)\ndef {name}(v: InOut[i32, int], n: i32):\n    {name}_ = n * 3\n    v[0] = {name}_ + 1\n"
    )
    return Case(
        row=row,
        title=f"a kernel named {name}",
        text=text,
        arguments={"v": np.zeros(1, np.int32), "n": 5},
        results=("v",),
        expected={"v": np.array([16], np.int32)},
    )


def scopes() -> list[Case | Refused]:
    """Rows 71 to 74, 80, 81, 84."""
    constants = "SIZE = 4\nHALF = SIZE // 2\nSCALE = 0.1\nON = True\nPAIR = (3, 5)\nROOT = math.sqrt(2)\nKIND = f32\nBIG = 1 << 40\nNEG = -SIZE\n"
    values = "y[0] = SIZE * 10 + HALF\nh[0] = SCALE * g[0]\ny[1] = 1 if ON else 2\ny[2] = PAIR[0] * PAIR[1]\nh[1] = ROOT * g[0]\nh[2] = KIND(SIZE) / 3\nt[0] = BIG + NEG\nz = cuda.local.array(SIZE, i32)\nz[0] = 3\ny[3] = z[0] + len(z)"
    unknown = "import os\nTABLE = [1, 2]\nLOOKUP = {1: 2}\nNOW = os.getpid()\nSIZE = 4\n"
    default = "def pick(a: i32, b: i32 = 3, *, c: i32 = 4):\n    return a + b * 10 + c * 100\n"
    aliases = "import transpiler.cuda as cu\nfrom transpiler.cuda import grid as where, threadIdx as here\nimport math as m\nimport numpy\n"
    return [
        refused(71, "a local named like a constant, read first", "y[i] = SIZE\nSIZE = 3", "E0209", before="SIZE = 4\n"),
        single(71, "a local named like a constant", "SIZE = x[0]\ny[0] = SIZE", before="SIZE = 4\n"),
        single(72, "constants of the file", values, before=constants),
        refused(72, "a list of the file", "y[i] = TABLE[0]", "E0221", before=unknown),
        refused(72, "a dict of the file", "y[i] = LOOKUP[1]", "E0221", before=unknown),
        refused(72, "a value that only running tells", "y[i] = NOW", "E0220", before=unknown),
        refused(72, "an undefined name", "y[i] = SIZEE", "E0201", before=unknown),
        refused(72, "a constant assigned in the kernel by global", "global SIZE\nSIZE = 5", "E0119", before=unknown),
        single(73, "defaults and keyword-only parameters", "y[0] = pick(1)\ny[1] = pick(1, 2)\ny[2] = pick(1, c=5)\ny[3] = pick(a=2, b=3, c=4)", before="@device\n" + default),
        refused(73, "a mutable default", "y[i] = f(1)", "E0123", before="@device\ndef f(a: i32, b=[]):\n    return a\n"),
        refused(73, "*args", "y[i] = f(1)", "E0125", before="@device\ndef f(*args):\n    return 1\n"),
        refused(73, "**kwargs", "y[i] = f(1)", "E0125", before="@device\ndef f(a: i32, **more):\n    return a\n"),
        refused(73, "a keyword-only parameter by place", "y[i] = pick(1, 2, 3)", "E0205", before="@device\n" + default),
        single(74, "import aliases", "y[0] = cu.threadIdx.x + where(1) + here.x + 1\nh[0] = m.sqrt(g[0])\ny[1] = numpy.int32(7)\nh[1] = m.pi", before=aliases,
               expected={"y": np.array([1, 7, 0, 0, 0, 0, 0, 0], np.int32), "h": np.array([np.sqrt(np.float32(1.5)), np.pi, 0, 0, 0, 0, 0, 0], np.float32), "t": np.zeros(8, np.int64)}),
        refused(74, "an unknown option of the decorator", "y[i] = f(1)", "E0215", before="@kernel(blok=3)\ndef q(y: InOut[i32, int]):\n    y[0] = 1\n@device\ndef f(a: i32):\n    return a\n"),
        refused(74, "a decorator that is not known", "y[i] = f(1)", "E0215", before="import functools\n@functools.lru_cache\n@device\ndef f(a: i32):\n    return a\n"),
        single(81, "the last definition of a name counts", "y[0] = f(1)\ny[1] = SIZE", before="SIZE = 2\n@device\ndef f(a: i32):\n    return a\n@device\ndef f(a: i32):\n    return a + 10\n",
               expected={"y": np.array([11, 2, 0, 0, 0, 0, 0, 0], np.int32), "h": np.zeros(8, np.float32), "t": np.zeros(8, np.int64)}),
        refused(81, "a lambda as a device function", "y[i] = f(1)", "E0221", before="f = device(lambda a: a)\n"),
        refused(81, "a constant bound twice", "y[i] = SIZE", "E0221", before="SIZE = 1\nSIZE = 2\n"),
        single(84, "annotations as strings", "y[0] = v[0] + q", params='v: "In[i32, int]", q: "i32"', arguments={"v": np.array([5], np.int32), "q": 6}),
        single(84, "annotations of NumPy and by name", "h[0] = v[0] * q", params="v: In[np.float32, int], q: np.float32", arguments={"v": np.array([5], np.float32), "q": np.float32(6)},
               expected={"y": np.zeros(8, np.int32), "h": np.array([30, 0, 0, 0, 0, 0, 0, 0], np.float32), "t": np.zeros(8, np.int64)}),
        refused(84, "an annotation that is none", "y[i] = 1", "E0214", params="q: str"),
    ]  # fmt: skip


def text() -> list[Case | Refused]:
    """Rows 75 to 79, 82, 83, 85."""
    comments = "# first\ny[0] = 1  # a trailing one with */ in it and \\\ny[1] = 2  # ??/ a trigraph\n# /* open\ny[2] = 3  # type: ignore\nv = x[0]  # noqa: E501\n# fmt: off\ny[3] = v\n# last \\"
    docstring = 'A docstring with */ and " and a backslash \\\\ and ??/.\n\n    More.'
    docs = f'\n@kernel(block=1)\ndef k(y: InOut[i32, int]):\n    """{docstring}"""\n    y[0] = 1\n'
    odd = "\n@kernel(block=1)\ndef k(y: InOut[i32, int],\n      n: i32,\n      ):\n\ty[0] = (n +\n\n  2 *\n\t3)\n\tif n > 0: y[1] = 1; y[2] = n + \\\n   4\n\f\ty[3] = 5; y[4] = 6;\n\tfor j in range(2): y[5] += j; y[6] += 1\n\tpass"
    shown = [
        'print("plain")',
        'print("a", n, x[1], sep="-", end="!\\n")',
        'print(f"n={n} x={x[1]:5d}|{g[0]:.3f}|{g[1]:8.2f}|{n:03d}|{x[0]:x}")',
        'print("100% \\\\ \\"quoted\\" {braces} %d")',
        'print(f"{{n}} {n}%")',
        'print(g[0], g[3], n)',
        'print()',
        'print("tab\\tend")',
        'print(x[0] > 0)',
    ]  # fmt: skip
    return [
        single(75, "comments that could end comments", comments),
        Case(row=75, title="a docstring that could end a comment", text=PRELUDE + docs, arguments={"y": np.zeros(1, np.int32)}, results=("y",)),
        refused(75, "a string that is no comment", 'y[i] = "text"', "E0204"),
        Case(row=76, title="tabs, form feeds, continuations, no end of line", text=PRELUDE + odd, arguments={"y": np.zeros(8, np.int32), "n": 3}, results=("y",)),
        Case(row=76, title="CRLF and a byte order mark", text="\ufeff" + PRELUDE.lstrip() + "\n@kernel(block=1)\ndef k(y: InOut[i32, int]):\n    y[0] = 1 + \\\n        2\n",
             arguments={"y": np.zeros(1, np.int32)}, results=("y",), expected={"y": np.array([3], np.int32)}),
        Refused(row=76, title="tabs and blanks mixed", text=PRELUDE + "\n@kernel(block=1)\ndef k(y: InOut[i32, int]):\n    if y[0] > 0:\n        y[0] = 1\n\ty[1] = 1\n", code="E0103"),
        refused(76, "an unknown indentation", "if n > 0:\n        y[i] = 1\n    y[i] = 2", "E0103"),
        single(77, "comments for tools", "y[0] = 1  # type: int\n# fmt: off\ny[1]=2\n# fmt: on\ny[2] = 3  # noqa\n# type: (int) -> int\nh[0] = 1  # pyright: ignore"),
        refused(77, "a type comment does not type", "a = x[i]  # type: f32\na = g[i]\ny[i] = 1", "E0203"),
        *(single(78 if "%" not in line and "\\" not in line else 79, f"{line}", line, printed=True) for line in shown),
        refused(78, "a format of the string", 'print("{}".format(n))', "E0230"),
        refused(78, "% of a string", 'print("%d" % n)', "E0230"),
        refused(78, "a format that printf has not", 'print(f"{n:^10}")', "E0230"),
        refused(78, "a conversion", 'print(f"{n!r}")', "E0131"),
        refused(78, "a string as a value", 'a = "text"', "E0204"),
        refused(79, "a string that does not end", 'print("abc)', "E0104"),
        single(82, "walrus", "if (v := x[0] + 1) > 0:\n    y[0] = v\ny[1] = v\ny[2] = (a := 2) + (a := a * 3) + a\ny[(j := 3)] = n\ny[j + 1] = 7"),
        single(82, "walrus in a while, evaluated each time", "k = 0\nwhile (v := x[k]) != 0:\n    y[k] = v\n    k += 1\ny[7] = v + 10\nk = 0\nwhile k < 8 and (v := x[k]) != 0:\n    h[k] = v\n    k += 1\nt[1] = k\nk = 0\nwhile (k := k + 1) < 6:\n    if k == 3:\n        continue\n    t[k + 1] = k"),
        refused(82, "a walrus without brackets", "a := 3", "E0109"),
        single(83, "precedence by the tree", "y[0] = -2 ** 2 + 2 ** 3 ** 2 - (7 - 2) - 1\ny[1] = (1 if x[0] else 2 if x[1] else 3) + 4\ny[2] = 1 if not x[0] == x[1] else 0\ny[3] = 7 - (2 - 1) - (3 - (4 - 5))\n"
               "y[4] = x[0] * (x[1] + 2) // (3 - n) % 5 << 2 & 0xFF | 3 ^ 5\ny[5] = 2 * (3 if n else 4) + ~x[2] * -x[3]\ny[6] = (x[0] & 3) == 3 and not x[0] > 9 or n < 0\nh[0] = g[0] / (g[1] / g[5]) - (g[0] - g[1])"),
        single(83, "semicolons and one-line bodies", "y[0] = 1; y[1] = 2\nif n > 0: y[2] = 3; y[3] = 4\nelse: y[4] = 5\nfor k in range(2): y[5] += k; y[6] += 1\nwhile n < 0: pass"),
        refused(83, "brackets that do not close", "y[i] = (1 + 2", "E0102"),
        refused(83, "else if", "if n > 0:\n    y[i] = 1\nelse if n < 0:\n    y[i] = 2", "E0101"),
        single(85, "numbers in text and back", "h[0] = 1e-05\nh[1] = 123456789.0\nh[2] = 0.30000001192092896\nh[3] = 3e-45\nh[4] = 1e22\nh[5] = 16777216.0\nh[6] = 1.17549435e-38\nh[7] = 100.0"),
        refused(85, "a number with a comma", "h: f32 = 1,5", "E0207"),
    ]  # fmt: skip


ELSEWHERE: dict[int, tuple[str, ...]] = {
    80: ("tests/api/test_kernel.py",),
    86: ("tests/traps/test_determinism.py",),
}
"""Rows whose tests need more than a kernel text."""

ROWS: list[Case | Refused] = [*naming(), *scopes(), *text()]

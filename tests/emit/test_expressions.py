"""How expressions read: precedence, widths, literals, names."""

from __future__ import annotations

import pytest

from tests.support.device_ir import (
    SPAN,
    array,
    assign,
    binary,
    cast,
    compare,
    const,
    dim,
    extent,
    for_,
    if_,
    kernel,
    launch,
    load,
    local,
    logic,
    scalar,
    select,
    store,
    unary,
    var,
)
from transpiler.emit import emit_unit
from transpiler.ir import device as d
from transpiler.ir.types import BF16, BOOL, F16, F32, F64, I8, I16, I32, I64, INDEX, U8, U32, U64

N, M = scalar("n"), scalar("m", I64)
X, Y = array("x"), array("y", F64)
A, B, U, W, C = array("a", I32), array("b", U8), array("u", U32), array("w", U64), array("c", I64)
H, G = array("h", F16), array("g", BF16)
F, E = local("f", F32), local("e", BOOL)
GRID = launch("grid")
ZERO = const(0)


def body_of(k: d.Kernel) -> list[str]:
    """The lines of a kernel's body, without indentation."""
    source = emit_unit("t", [k]).source
    source = source[source.index("__global__") :]
    lines = source[source.index("\n{\n") + 3 : source.rindex("}\n\n}  // namespace")].splitlines()
    return [line.strip() for line in lines]


def printed(value: d.Expr) -> str:
    """The C++ of one expression, as the value of an assignment."""
    line = body_of(kernel([N, M, X, Y, A, B, U, W, C, H, G], [assign(local("r", value.type), value)]))[-1]
    return line.split(" r = ", 1)[1].removesuffix(";")


def x(index: d.Expr = ZERO) -> d.Load:
    return load(X, index)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (binary("-", x(), binary("-", x(), x())), "x[0] - (x[0] - x[0])"),
        (binary("-", binary("-", x(), x()), x()), "x[0] - x[0] - x[0]"),
        (binary("*", binary("+", x(), x()), x()), "(x[0] + x[0]) * x[0]"),
        (binary("/", x(), binary("*", x(), x())), "x[0] / (x[0] * x[0])"),
        (unary("-", unary("-", x())), "-(-x[0])"),
        (binary("-", x(), unary("-", x())), "x[0] - (-x[0])"),
        (unary("-", binary("*", x(), x())), "-(x[0] * x[0])"),
        (binary("+", x(), const(-1.0, F32)), "x[0] + -1.0f"),
        (binary("-", x(), const(-1.0, F32)), "x[0] - (-1.0f)"),
    ],
)
def test_parentheses_of_arithmetic(value: d.Expr, expected: str) -> None:
    assert printed(value) == expected


def test_bit_operators_never_mix_bare() -> None:
    u = load(U, ZERO)
    masked = binary("&", u, const(7, U32))
    assert printed(compare("==", masked, const(3, U32))) == "(u[0] & 7) == 3"
    assert printed(binary("|", masked, binary("<<", u, const(2, U32)))) == "(u[0] & 7) | (u[0] << 2)"
    assert printed(binary("<<", binary("+", u, const(1, U32)), const(2, U32))) == "(u[0] + 1) << 2"
    assert printed(compare("<", binary(">>", u, const(1, U32)), const(3, U32))) == "(u[0] >> 1) < 3"
    assert printed(binary("+", binary("<<", u, const(1, U32)), u)) == "(u[0] << 1) + u[0]"


def test_logic() -> None:
    p, q, r = (compare("<", x(const(k)), const(1.0, F32)) for k in range(3))
    shown = [f"x[{k}] < 1.0f" for k in range(3)]
    assert printed(logic("or", logic("and", p, q), r)) == f"({shown[0]} && {shown[1]}) || {shown[2]}"
    assert printed(logic("and", p, logic("and", q, r))) == " && ".join(shown)
    assert printed(logic("and", p, logic("or", q, r))) == f"{shown[0]} && ({shown[1]} || {shown[2]})"
    assert printed(unary("not", p)) == f"!({shown[0]})"
    assert printed(compare("==", p, q)) == f"({shown[0]}) == ({shown[1]})"


def test_select() -> None:
    p = compare("<", x(), const(1.0, F32))
    one, two = const(1.0, F32), const(2.0, F32)
    assert printed(select(p, one, select(p, two, one))) == "x[0] < 1.0f ? 1.0f : x[0] < 1.0f ? 2.0f : 1.0f"
    assert printed(select(p, select(p, two, one), one)) == "x[0] < 1.0f ? (x[0] < 1.0f ? 2.0f : 1.0f) : 1.0f"
    assert printed(binary("+", select(p, one, two), one)) == "(x[0] < 1.0f ? 1.0f : 2.0f) + 1.0f"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            binary("+", binary("*", launch("blockIdx"), const(256)), launch("threadIdx")),
            "blockIdx.x * 256 + threadIdx.x",
        ),
        (GRID, "blockIdx.x * 256 + threadIdx.x"),
        (launch("gridsize"), "gridDim.x * 256"),
        (launch("blockDim"), "256"),
        (launch("laneid"), "threadIdx.x % 32"),
        (binary("-", launch("threadIdx"), const(1)), "(int)threadIdx.x - 1"),
        (binary("-", const(255), launch("threadIdx")), "255 - threadIdx.x"),
        (binary("*", GRID, var(N)), "(long long)(blockIdx.x * 256 + threadIdx.x) * n"),
        (binary("+", var(N), const(1)), "(long long)n + 1"),
        (binary("+", binary("*", var(N), var(N)), const(1)), "(long long)n * n + 1"),
        (binary("+", binary("*", dim("N"), GRID), const(1)), "N * (blockIdx.x * 256 + threadIdx.x) + 1"),
        (binary("//", launch("threadIdx"), const(32)), "threadIdx.x / 32"),
        (binary("%", launch("threadIdx"), const(32)), "threadIdx.x % 32"),
        (binary("//", var(N), const(32)), "n >> 5"),
        (binary("%", var(N), const(32)), "n & 31"),
        (binary("//", var(N), const(10)), "floor_div(n, 10)"),
        (binary("//", const(7), const(2)), "7 / 2"),
        (binary("**", const(2), binary("+", launch("threadIdx"), const(0))), "integer_power(2LL, threadIdx.x + 0)"),
        (binary("**", const(2), binary("%", launch("threadIdx"), const(8))), "1 << (threadIdx.x % 8)"),
        (binary("min", var(N), const(5)), "min(n, 5)"),
        (binary("min", var(M), const(5)), "min(m, 5LL)"),
        (binary("max", launch("threadIdx"), var(N)), "max((int)threadIdx.x, n)"),
        (unary("abs", var(N)), "llabs((long long)n)"),
        (unary("abs", launch("threadIdx")), "threadIdx.x"),
    ],
)
def test_index_integers(value: d.Expr, expected: str) -> None:
    assert value.type == INDEX
    k = kernel([N, M, X], [assign(local("r"), value)], dims=("N",))
    assert body_of(k)[-1].split(" r = ", 1)[1] == f"{expected};"


def test_a_guard_saves_the_wide_form() -> None:
    small = binary("+", var(N), const(1))
    k = kernel([N], [if_(compare("<", var(N), const(100)), [assign(local("r"), small)])])
    assert "const int r = n + 1;" in body_of(k)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (binary("+", load(A, ZERO), const(1, I32)), "wrapping_add(a[0], 1)"),
        (binary("*", load(C, ZERO), const(2, I64)), "wrapping_mul(c[0], 2LL)"),
        (binary("+", load(U, ZERO), const(1, U32)), "u[0] + 1"),
        (binary("-", const(0, U32), load(U, ZERO)), "0 - u[0]"),
        (binary("+", load(B, ZERO), const(1, U8)), "(unsigned char)(b[0] + 1)"),
        (binary("+", cast(load(B, ZERO), I32), const(1, I32)), "b[0] + 1"),
        (binary("&", load(A, ZERO), const(0xFF, I32, "0xFF")), "a[0] & 0xff"),
        (binary("//", load(A, ZERO), const(3, I32)), "floor_div(a[0], 3)"),
        (binary("//", load(U, ZERO), const(3, U32)), "u[0] / 3"),
        (binary("<<", load(A, ZERO), const(3, I32)), "shift_left(a[0], 3)"),
        (binary("<<", const(1, I32), const(3, I32)), "1 << 3"),
        (unary("-", load(A, ZERO)), "wrapping_sub(0, a[0])"),
        (unary("~", load(A, ZERO)), "~a[0]"),
        (unary("abs", load(C, ZERO)), "wrapping_abs(c[0])"),
        (compare("<", load(A, ZERO), load(U, ZERO)), "a[0] < (long long)u[0]"),
        (compare("<", load(C, ZERO), load(W, ZERO)), "value_less(c[0], w[0])"),
        (compare("<", load(B, ZERO), load(W, ZERO)), "b[0] < w[0]"),
        (compare("<", GRID, load(A, ZERO)), "(int)(blockIdx.x * 256 + threadIdx.x) < a[0]"),
        (compare("==", load(U, ZERO), const(5, U32)), "u[0] == 5"),
    ],
)
def test_data_integers(value: d.Expr, expected: str) -> None:
    assert printed(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (cast(load(A, ZERO), F32), "(float)a[0]"),
        (cast(binary("+", x(), x()), F64), "(double)(x[0] + x[0])"),
        (cast(load(A, ZERO), I64), "a[0]"),
        (cast(load(A, ZERO), U8), "(unsigned char)a[0]"),
        (cast(x(), I32), "__float2int_rz(x[0])"),
        (cast(load(Y, ZERO), I64), "float_to_int<long long>(y[0])"),
        (cast(x(), U8), "float_to_int<unsigned char>(x[0])"),
        (cast(x(), BOOL), "x[0] != 0.0f"),
        (cast(load(A, ZERO), BOOL), "a[0] != 0"),
        (cast(GRID, I32), "(int)(blockIdx.x * 256 + threadIdx.x)"),
        (cast(load(H, ZERO), F32), "(float)h[0]"),
        (cast(x(), F16), "__float2half(x[0])"),
        (cast(load(Y, ZERO), BF16), "__double2bfloat16(y[0])"),
        (cast(compare("<", x(), x()), I32), "x[0] < x[0]"),
        (binary("+", cast(compare("<", x(), x()), I32), const(1, I32)), "(x[0] < x[0]) + 1"),
        (cast(cast(load(A, ZERO), I8), I16), "(signed char)a[0]"),
    ],
)
def test_casts(value: d.Expr, expected: str) -> None:
    assert printed(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (binary("/", x(), const(3.0, F32)), "x[0] / 3.0f"),
        (binary("//", x(), x()), "floor_div(x[0], x[0])"),
        (binary("min", x(), const(0.0, F32)), "python_min(x[0], 0.0f)"),
        (binary("**", x(), const(2.0, F32)), "squared(x[0])"),
        (binary("**", x(), const(0.5, F32)), "powf(x[0], 0.5f)"),
        (binary("**", load(Y, ZERO), const(3.0, F64)), "cubed(y[0])"),
        (unary("abs", x()), "fabsf(x[0])"),
        (unary("abs", load(H, ZERO)), "__habs(h[0])"),
        (binary("+", load(H, ZERO), const(0.1, F16)), "h[0] + __float2half(0.1f)"),
        (binary("%", load(G, ZERO), load(G, ZERO)), "__float2bfloat16(floor_mod((float)g[0], (float)g[0]))"),
        (compare("<", x(), load(X, const(1))), "x[0] < x[1]"),
    ],
)
def test_floats(value: d.Expr, expected: str) -> None:
    assert printed(value) == expected


def test_compound_assignment() -> None:
    i, acc = local("i"), local("acc", F32)
    out = array("y", F32, ownership="inout")
    counts = array("k", I32, ownership="inout")
    lines = body_of(
        kernel(
            [X, out, counts],
            [
                assign(i, ZERO),
                assign(acc, const(0.0, F32)),
                assign(acc, binary("+", var(acc), binary("*", x(), x()))),
                assign(acc, binary("-", x(), var(acc))),
                assign(i, binary("//", var(i), const(2))),
                store(out, var(i), binary("*", load(out, var(i)), var(acc)), "*"),
                store(counts, var(i), binary("+", load(counts, var(i)), const(1, I32)), "+"),
            ],
        )
    )
    assert lines == [
        "int i = 0;",
        "float acc = 0.0f;",
        "acc += x[0] * x[0];",
        "acc = x[0] - acc;",
        "i /= 2;",
        "y[i] *= acc;",
        "k[i] = wrapping_add(k[i], 1);",
    ]


def test_linear_indices() -> None:
    i, j = launch("grid"), launch("threadIdx")
    c = array("c", F32, dim("M"), dim("N"))
    f = array("f", F32, dim("M"), dim("N"), order="F")
    s = array("s", F32, rank=2, order="strided")
    z = d.ArrayParam("z", F32, (), "in", span=SPAN)
    t = array("t", F32, 4, 8)
    params = [c, f, s, z, t]
    total = load(c, i, j)
    for other in (load(f, i, j), load(s, i, j), load(z), load(t, ZERO, j), load(c, ZERO, j), load(c, i, ZERO)):
        total = binary("+", total, other)
    text = body_of(kernel(params, [assign(F, total)], dims=("M", "N")))[-1]
    g = "(blockIdx.x * 256 + threadIdx.x)"
    assert text == (
        f"const float f_2 = c[{g} * N + threadIdx.x] + f[threadIdx.x * M + {g}]"
        f" + s[{g} * s_stride0 + threadIdx.x * s_stride1] + z[0] + t[threadIdx.x] + c[threadIdx.x] + c[{g} * N];"
    )


def test_named_constants() -> None:
    scale = const(0.1, F32, "0.1", "SCALE")
    double = const(0.1, F64, "0.1", "SCALE")
    limit = const(16, INDEX, "16", "LIMIT")
    inf = const(float("inf"), F32, "", "INF")
    body = [
        assign(local("p", F32), binary("*", scale, inf)),
        assign(local("q", F64), double),
        for_(local("k"), ZERO, limit, [assign(local("t"), const(3, INDEX, "3", "STEP"))]),
    ]
    k = kernel([], body, instance=(("STEP", "3"),))
    source = emit_unit("t", [k]).source
    for line in (
        "constexpr float SCALE = 0.1f;",
        "constexpr double SCALE_f64 = 0.1;",
        "constexpr int LIMIT = 16;",
        "    constexpr int STEP = 3;",
        "const float p = SCALE * __int_as_float(0x7f800000);",
        "for (int k = 0; k < LIMIT; ++k) {",
    ):
        assert line in source


def test_dims_and_extents_are_parameters_where_the_body_names_them() -> None:
    rows = array("rows", F32, extent("rows", 0), extent("rows", 1))
    text = emit_unit("t", [kernel([rows], [assign(F, load(rows, ZERO, ZERO))])]).source
    assert "k(\n    const float* __restrict__ rows,\n    long long rows_shape1)" in text
    text = emit_unit("t", [kernel([X], [if_(compare("<", GRID, extent("x")), [assign(F, x(GRID))])])]).source
    assert "k(const float* __restrict__ x, long long x_len)" in text

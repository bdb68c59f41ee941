"""How statements read: scopes, loops, branches, comments, calls, checks."""

from __future__ import annotations

import pytest

from tests.emit.test_expressions import body_of
from tests.support.device_ir import (
    SPAN,
    array,
    assign,
    atomic,
    binary,
    cast,
    compare,
    const,
    extent,
    for_,
    function,
    if_,
    kernel,
    launch,
    load,
    local,
    ret,
    scalar,
    shared,
    store,
    var,
    while_,
)
from transpiler.emit import EmitOptions, abi, emit_unit, shared_layout
from transpiler.ir import device as d
from transpiler.ir.types import BOOL, F16, F32, F64, I32, I64, INDEX, U8, U32
from transpiler.runtime import nvrtc

N = scalar("n")
X = array("x")
OUT = array("out", F32, ownership="out")
GRID = launch("grid")
ZERO = const(0)
SMALL = compare("<", load(X, ZERO), const(1.0, F32))


def test_declared_where_first_assigned_and_const_when_only_there() -> None:
    a, b = local("a", F32), local("b", F32)
    body = [assign(a, const(1.0, F32)), assign(b, var(a)), assign(b, const(2.0, F32))]
    assert body_of(kernel([], body)) == ["const float a = 1.0f;", "float b = a;", "b = 2.0f;"]


def test_declared_in_the_innermost_block_of_all_uses() -> None:
    t = local("t", F32)
    inside = [assign(t, const(1.0, F32)), store(OUT, ZERO, var(t))]
    assert body_of(kernel([X, OUT], [if_(SMALL, inside)])) == [
        "if (x[0] < 1.0f) {",
        "const float t = 1.0f;",
        "out[0] = t;",
        "}",
    ]


def test_hoisted_in_front_of_the_branch_that_assigns_it() -> None:
    t = local("t", F32)
    branch = if_(
        SMALL, [assign(t, const(1.0, F32))], [if_(SMALL, [assign(t, const(2.0, F32))], [assign(t, load(X, ZERO))])]
    )
    assert body_of(kernel([X, OUT], [branch, store(OUT, ZERO, var(t))])) == [
        "float t;",
        "if (x[0] < 1.0f) {",
        "t = 1.0f;",
        "} else if (x[0] < 1.0f) {",
        "t = 2.0f;",
        "} else {",
        "t = x[0];",
        "}",
        "out[0] = t;",
    ]


def test_two_locals_of_one_name_differ_only_where_they_meet() -> None:
    k1, k2, inner = local("k"), local("k"), local("k")
    body = [
        for_(k1, ZERO, const(4), [store(OUT, var(k1), const(0.0, F32))]),
        for_(
            k2,
            ZERO,
            const(4),
            [for_(inner, ZERO, const(2), [store(OUT, binary("+", var(k2), var(inner)), const(0.0, F32))])],
        ),
    ]
    assert body_of(kernel([OUT], body)) == [
        "for (int k = 0; k < 4; ++k) {",
        "out[k] = 0.0f;",
        "}",
        "for (int k = 0; k < 4; ++k) {",
        "for (int k_2 = 0; k_2 < 2; ++k_2) {",
        "out[k + k_2] = 0.0f;",
        "}",
        "}",
    ]


@pytest.mark.parametrize(
    ("start", "stop", "step", "header"),
    [
        (ZERO, var(N), const(1), "for (int k = 0; k < n; ++k) {"),
        (const(31), const(-1), const(-1), "for (int k = 31; k > -1; --k) {"),
        (launch("threadIdx"), const(64), const(8), "for (int k = threadIdx.x; k < 64; k += 8) {"),
        (
            GRID,
            var(N),
            launch("gridsize"),
            "for (long long k = blockIdx.x * 256 + threadIdx.x; k < n; k += gridDim.x * 256) {",
        ),
        (ZERO, extent("x"), const(1), "for (long long k = 0; k < x_len; ++k) {"),
        (const(10), ZERO, var(N), "for (long long k = 10; n > 0 ? k < 0 : k > 0; k += n) {"),
        (ZERO, const(2**31 - 1), const(2), "for (long long k = 0; k < 2147483647; k += 2) {"),
    ],
)
def test_for_headers(start: d.Expr, stop: d.Expr, step: d.Expr, header: str) -> None:
    k = local("k")
    loop = for_(k, start, stop, [store(OUT, ZERO, const(0.0, F32))], step)
    assert body_of(kernel([X, OUT, N], [loop]))[0] == header


def test_bounds_that_the_body_changes_are_evaluated_once() -> None:
    k, n = local("k"), local("n")
    body = [assign(n, const(8)), for_(k, ZERO, var(n), [assign(n, binary("-", var(n), const(1)))])]
    assert body_of(kernel([], body)) == [
        "long long n = 8;",
        "{",
        "const int k_stop = n;",
        "for (int k = 0; k < k_stop; ++k) {",
        "n -= 1;",
        "}",
        "}",
    ]
    loads = array("limits", I32)
    loop = for_(k, ZERO, cast(load(loads, ZERO), INDEX), [store(OUT, var(k), const(0.0, F32))])
    assert "const int k_stop = limits[0];" in body_of(kernel([loads, OUT], [loop]))


def test_unrolling() -> None:
    k = local("k")
    for count, pragma in ((0, "#pragma unroll"), (4, "#pragma unroll 4")):
        loop = for_(k, ZERO, const(8), [store(OUT, var(k), const(0.0, F32))], unroll=count)
        assert body_of(kernel([OUT], [loop]))[0] == pragma


def test_while_with_statements_before_its_test() -> None:
    t, counts = local("t", I32), array("c", I32, ownership="atomic")
    draw = atomic(t, "add", counts, ZERO, const(1, I32))
    loop = while_(
        compare("<", var(t), const(9, I32)), [store(OUT, ZERO, const(1.0, F32)), d.Continue(span=SPAN)], [draw]
    )
    assert body_of(kernel([counts, OUT], [loop])) == [
        "while (true) {",
        "const int t = atomicAdd(&c[0], 1);",
        "if (!(t < 9)) {",
        "break;",
        "}",
        "out[0] = 1.0f;",
        "continue;",
        "}",
    ]


def test_an_empty_branch_is_turned_round_or_dropped() -> None:
    trust = d.Trust(SMALL, None, "because", span=SPAN)
    assert (
        body_of(kernel([X, OUT], [if_(SMALL, [trust], [store(OUT, ZERO, const(1.0, F32))])]))[0]
        == "if (!(x[0] < 1.0f)) {"
    )
    assert body_of(kernel([X, OUT], [if_(SMALL, [trust])])) == []


def test_comments_are_carried_and_cannot_break_out() -> None:
    body = [
        assign(local("a", F32), const(1.0, F32), ("# first", "#: second \\", "# */ ??/"), "# behind \\"),
        d.Return(span=SPAN),
    ]
    k = kernel(
        [], body, doc="One.\n\n    Two */\n      three\\\n    ", comments=("# above",), closing_comments=("# end",)
    )
    text = emit_unit("t", [k]).source
    assert "\n// above\n//\n// One.\n//\n// Two */\n//   three\\ .\nextern" in text
    assert body_of(k) == [
        "// first",
        "// second \\ .",
        "// */ ?? /",
        "const float a = 1.0f;  // behind \\ .",
        "// end",
    ]


def test_barriers_and_fences() -> None:
    full = const(0xFFFFFFFF, U32)
    body = [
        d.Barrier("block", span=SPAN),
        d.Barrier("warp", full, span=SPAN),
        d.Barrier("warp", const(0xFF, U32, "0xFF"), span=SPAN),
        d.Fence("block", span=SPAN),
        d.Fence("device", span=SPAN),
        d.Fence("system", span=SPAN),
    ]
    assert body_of(kernel([], body)) == [
        "__syncthreads();",
        "__syncwarp();",
        "__syncwarp(0xffu);",
        "__threadfence_block();",
        "__threadfence();",
        "__threadfence_system();",
    ]
    grid = emit_unit("t", [kernel([], [d.Barrier("grid", span=SPAN)])])
    assert grid.includes == ("cooperative_groups.h",)
    assert "cooperative_groups::this_grid().sync();" in grid.source


def test_print_is_escaped_for_c_and_for_printf() -> None:
    parts = (
        '50% "x" \\ ',
        (GRID, ""),
        " ",
        (const(2**40), "6d"),
        (load(X, ZERO), ".3f"),
        (load(X, ZERO), ""),
        (const(True, BOOL), ""),
        (cast(load(array("b", U8), ZERO), U32), "x"),
        "é\n",
    )
    b = next(p for p in parts if isinstance(p, tuple) and isinstance(p[0], d.Cast))[0].operand.array
    line = body_of(kernel([X, b], [d.Print(parts, span=SPAN)]))[0]
    assert line == (
        'printf("50%% \\"x\\" \\\\ %u %6lld%.3f%g%s%x\\303\\251\\n", blockIdx.x * 256 + threadIdx.x, 1099511627776LL,'
        ' x[0], x[0], true ? "True" : "False", b[0]);'
    )


def test_asserts_are_recorded_checks() -> None:
    check = d.Assert(SMALL, "small \\", span=SPAN)
    k = kernel([X], [check])
    assert [p.kind for p in abi(k)] == ["pointer", "failure"]
    assert body_of(k) == [
        "if (!(x[0] < 1.0f)) {",
        "record_failure(failure, 1, 0, 0);  // small \\ .",
        "return;",
        "}",
    ]
    unit = emit_unit("t", [k])
    assert [(s.number, s.kind, s.message) for s in unit.entries[0].sites] == [(1, "assert", "small \\")]
    proved = emit_unit("t", [k], runtime_checks={k: ()})
    assert "// asserted: small" in proved.source
    assert [p.kind for p in proved.entries[0].abi] == ["pointer", "failure"]
    off = kernel([X], [check], options=d.Options(asserts="off"))
    assert [p.kind for p in abi(off)] == ["pointer"]


def test_checked_accesses_are_guarded() -> None:
    i, t = local("i"), local("t", I32)
    counts = array("c", I32, ownership="atomic")
    read, write = load(X, var(i)), store(OUT, var(i), const(1.0, F32))
    count = atomic(t, "add", counts, var(i), const(1, I32))
    k = kernel(
        [X, OUT, counts],
        [assign(i, GRID), assign(local("v", F32), read), write, count],
        options=d.Options(checks="dynamic"),
    )
    unit = emit_unit("t", [k], runtime_checks={k: {read, write, count}})
    lines = unit.source.splitlines()
    assert "    const float v = in_bounds(failure, 1, i, x_len) ? x[i] : 0.0f;" in lines
    assert (
        "    if (in_bounds(failure, 2, i, out_len)) {" in lines
        or "    if (in_bounds(failure, 1, i, out_len)) {" in lines
    )
    assert any("? atomicAdd(&c[i], 1) : 0;" in line for line in lines)
    assert {(s.kind, s.array) for s in unit.entries[0].sites} == {("bounds", "x"), ("bounds", "out"), ("bounds", "c")}
    assert [p.cpp_name for p in abi(k)] == ["x", "out", "c", "x_len", "out_len", "c_len", "failure"]


def test_device_functions_with_several_results() -> None:
    p, q = d.ScalarParam("p", F32, span=SPAN), d.ScalarParam("q", I64, span=SPAN)
    f = function("pair", [p, q], (F32, INDEX), [ret(var(p), binary("+", var(q), const(1)))], doc="Both.")
    a, b, c = local("a", F32), local("b"), local("c", F32)
    first = d.CallStmt((a, b), f, (const(1.0, F32), const(3)), span=SPAN)
    again = d.CallStmt((c, b), f, (var(a), var(b)), span=SPAN)
    text = emit_unit("t", [kernel([], [first], functions=(f,))]).source
    assert "struct pair_result {\n    float r0;\n    int r1;\n};" in text
    assert "// Both.\n__device__ inline pair_result pair(float p, int q)\n{\n    return {p, q + 1};\n}" in text
    assert "    const auto [a, b] = pair(1.0f, 3);" in text
    lines = body_of(kernel([], [first, again], functions=(f,)))
    assert (
        lines
        == [
            "float a;",
            "long long b;",
            "{",
            "const auto results = pair(1.0f, 3);",
            "a = results.r0;",
            "b = results.r1;",
            "}",
            "float c;",
            "{",
            "const auto results = pair(a, b);",
            "c = results.r0;",
            "b = results.r1;",
            "}",
        ]
        or "const auto results = pair(a, b);" in lines
    )


def test_copies_of_results_are_taken_out() -> None:
    f = function("pair", [], (F32, F32), [ret(const(1.0, F32), const(2.0, F32))])
    t0, t1 = (d.Local("item", F32, True, span=SPAN) for _ in range(2))
    a, b = local("a", F32), local("b", F32)
    body = [d.CallStmt((t0, t1), f, (), span=SPAN), assign(a, var(t0)), assign(b, var(t1))]
    assert body_of(kernel([], body, functions=(f,))) == ["const auto [a, b] = pair();"]
    again = [*body, store(OUT, ZERO, var(t0))]
    assert "const float a = item;" in body_of(kernel([OUT], again, functions=(f,)))


def test_views_are_passed_as_pointers_and_sizes() -> None:
    row = array("row", F32)
    k = local("k")
    f = function("total", [row], (F32,), [for_(k, ZERO, extent("row"), []), ret(load(row, ZERO))])
    strided = array("column", F32, order="strided")
    g = function("first", [strided], (F32,), [ret(load(strided, const(1)))])
    a = array("a", F32, rank=2)
    tile = shared("tile", F32, 4, 8)
    whole = d.Range(ZERO, extent("a", 1), span=SPAN)

    def called(callee: d.Function, of: d.Array, *items: d.Expr | d.Range) -> d.Call:
        return d.Call(callee, (d.View(of, items, span=SPAN),), span=SPAN, type=F32)

    body = [
        assign(local("p", F32), called(f, a, GRID, whole)),
        assign(local("q", F32), called(f, tile, const(2), d.Range(const(1), const(3), span=SPAN))),
        assign(local("r", F32), called(g, a, d.Range(ZERO, extent("a", 0), 2, span=SPAN), const(5))),
    ]
    k_ = kernel([a], body, arrays=(tile,), functions=(f, g))
    assert body_of(k_) == [
        "__shared__ float tile[4][8];",
        "const float p = total(&a[(blockIdx.x * 256 + threadIdx.x) * a_shape1], a_shape1);",
        "const float q = total(&tile[2][1], 3);",
        "const float r = first(&a[5], a_shape1 * 2);",
    ]


def test_large_static_memory_is_cut_from_the_dynamic_block() -> None:
    a, b, c = shared("a", F32, 64, 128), shared("b", F64, 128, 32), shared("c", U8, 0)
    k = kernel([], [store(a, (ZERO, ZERO), const(1.0, F32)), store(c, ZERO, const(1, U8))], arrays=(a, b, c))
    layout = shared_layout(k)
    assert (layout.static, layout.dynamic, layout.leftover) == ((), (b, a), c)
    assert layout.dynamic_bytes(lambda e: e.value) == 65536
    assert body_of(k)[:4] == [
        "extern __shared__ __align__(16) unsigned char shared_memory[];",
        "double (*const b)[32] = reinterpret_cast<double (*)[32]>(shared_memory);",
        "float (*const a)[128] = reinterpret_cast<float (*)[128]>(b + 128);",
        "unsigned char* const c = reinterpret_cast<unsigned char*>("
        "shared_memory + (8 * 128 * 32 + 4 * 64 * 128 + 15) / 16 * 16);",
    ]
    small = kernel([], [store(a, (ZERO, ZERO), const(1.0, F32))], arrays=(a,))
    assert shared_layout(small).static == (a,)


def test_arrays_of_constants_and_of_a_thread() -> None:
    table = d.ConstArray("table", F32, (const(2), const(2)), (1.0, 2.0, 3.0, 4.0), span=SPAN)
    own = d.LocalArray("own", I32, (const(3),), span=SPAN)
    k = kernel(
        [], [store(own, ZERO, const(1, I32)), assign(local("f", F32), load(table, ZERO, const(1)))], arrays=(table, own)
    )
    assert body_of(k) == [
        "constexpr float table[2][2] = {{1.0f, 2.0f}, {3.0f, 4.0f}};",
        "int own[3];",
        "own[0] = 1;",
        "const float f = table[0][1];",
    ]


@pytest.mark.parametrize(
    ("block", "options", "shown"),
    [
        ((32, 8, 1), d.Options(), "__launch_bounds__(256) "),
        ((None, 1, 1), d.Options(), "__launch_bounds__(1024) "),
        ((128, 1, 1), d.Options(min_blocks=4), "__launch_bounds__(128, 4) "),
    ],
)
def test_launch_bounds(block: tuple, options: d.Options, shown: str) -> None:
    assert f"void {shown}k(" in emit_unit("t", [kernel([], [], block=block, options=options)]).source


def test_banners() -> None:
    k = kernel([], [], options=d.Options(fast_math=True, fma="off"))
    text = emit_unit("t", [k], options=EmitOptions(unchecked=True)).source
    for word in ("UNCHECKED", "FAST MATH", "--fmad=false"):
        assert word in text
    assert "UNCHECKED" not in emit_unit("t", [kernel([], [])]).source


def test_contract_lines_stand_above_the_kernel() -> None:
    k = kernel([X], [assign(local("f", F32), load(X, ZERO))], doc="Doc.")
    text = emit_unit("t", [k], contracts={k: ["1 <= len(x)"]}).source
    assert "// Doc.\n//\n// Launch contract: 1 <= len(x)\nextern" in text


def test_instances_get_names_of_their_own() -> None:
    kernels = [kernel([], [], name="scale", instance=(("T", value),)) for value in ("f32", "-1", "0.5")]
    assert [e.name for e in emit_unit("t", kernels).entries] == ["scale_f32", "scale_m1", "scale_0p5"]
    reserved = [kernel([], [], name=name) for name in ("min", "main", "\N{GREEK SMALL LETTER ALPHA}", "__x", "min")]
    assert [e.name for e in emit_unit("t", reserved).entries] == ["min_", "main_", "alpha", "x", "min_2"]


def test_device_functions_are_shared_by_their_text() -> None:
    def pair() -> d.Kernel:
        f = function("f", [d.ScalarParam("p", F32, span=SPAN)], (F32,), [ret(const(1.0, F32))], pure=True)
        call = d.Call(f, (const(1.0, F32),), span=SPAN, type=F32)
        return kernel([], [assign(local("r", F32), call)], name="k", functions=(f,))

    other = function("f", [], (F32,), [ret(const(2.0, F32))], pure=True)
    third = kernel([], [assign(local("r", F32), d.Call(other, (), span=SPAN, type=F32))], name="m", functions=(other,))
    text = emit_unit("t", [pair(), pair(), third]).source
    assert text.count("float f(float p)") == 1
    assert "float f_2()" in text
    assert "const float r = f_2();" in text


def test_constants_of_half_types_are_no_constexpr() -> None:
    table = d.ConstArray("table", F16, (const(2),), (0.1, 2.0), span=SPAN)
    scale = const(0.1, F16, "0.1", "SCALE")
    body = [assign(local("f", F16), binary("*", load(table, GRID), scale))]
    unit = emit_unit("t", [kernel([], body, arrays=(table,))])
    assert "const __half table[2] = {__float2half(0.1f), __float2half(2.0f)};" in unit.source
    assert "SCALE" not in unit.source
    assert nvrtc.compile(unit.source, arch="sm_80")


def test_a_counter_that_is_a_variable_elsewhere_counts_apart() -> None:
    k, acc = local("k"), local("acc")
    body = [
        assign(k, const(9)),
        assign(acc, ZERO),
        for_(k, var(k), binary("*", var(k), const(2)), [assign(acc, binary("+", var(acc), var(k)))]),
        store(OUT, ZERO, cast(binary("+", var(acc), var(k)), F32)),
    ]
    text = "\n".join(body_of(kernel([OUT], body)))
    assert "const int k_count_stop = k * 2;" in text
    assert "for (int k_count = k; k_count < k_count_stop; ++k_count) {\nk = k_count;" in text

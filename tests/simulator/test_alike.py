"""Numbers that all lanes have alike: IGC's vectorizer loses what is made of their comparisons (backends/spirv/facts/comparisons.py)."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests import tools
from tests.mlir.test_users import check_on
from tests.mlir.users import User
from xetile.runtime.specialize import PerformanceWarning

DEVICES = ("sim:pvc", "sim:bmg", "sim:dg2")
ROWS = 16


def _choices():
    """Functions of two values and a number: `x ? y` in many words."""
    tests = (lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b, lambda a, b: a == b, lambda a, b: a != b,
             lambda a, b: ~(a < b))  # fmt: skip
    for test in tests:
        yield lambda x, y, i, test=test: xt.where(test(x, y), x, y) + 1
        yield lambda x, y, i, test=test: xt.where(test(x, y), y, x) - 1
        yield lambda x, y, i, test=test: xt.where(test(x, 0), 0, x) + y
        yield lambda x, y, i, test=test: xt.where(test(x, y), x + 1, y - 1)
        yield lambda x, y, i, test=test: test(x, y).to(x.dtype) + x
    yield lambda x, y, i: xt.clamp(x + y, -3, 3)
    yield lambda x, y, i: xt.maximum(x - 1, y)
    yield lambda x, y, i: xt.minimum(x + i, 2)
    yield lambda x, y, i: xt.fmax(x - 1, y)
    yield lambda x, y, i: xt.abs(x) - y
    yield lambda x, y, i: xt.floor(x * 0.75) + y
    yield lambda x, y, i: xt.where(xt.isnan(x), y, x) + i


CHOICES = tuple(_choices())


@xt.jit(num_subgroups=1, grid=(1,))
def chosen(A, Out, n, CHOICES: xt.constexpr, KIND: xt.constexpr, FORM: xt.constexpr, DTYPE: xt.constexpr):
    """Of each choice: columns or scalars that lanes share, computed in a line, a loop or a branch."""
    for k in xt.static_range(len(CHOICES)):
        if KIND == "scalar":
            x = xt.full((ROWS, 16), A[1, 2], DTYPE)
        else:
            x = xt.tile_broadcast(xt.load_tile(xt.init_tile(A, (0, 1), (ROWS, 1))), (ROWS, 16)).to(DTYPE)
        if KIND == "column":
            y = xt.tile_broadcast(xt.load_tile(xt.init_tile(A, (1, 2), (ROWS, 1))), (ROWS, 16)).to(DTYPE)
        else:
            y = xt.full((ROWS, 16), A[3, 1], DTYPE)
        if FORM == "loop":
            for i in range(n):
                x = CHOICES[k](x, y, i).to(DTYPE)
        elif FORM == "branch":
            if n > 2:
                x = CHOICES[k](x, y, n).to(DTYPE)
            else:
                x = CHOICES[k](y, x, 1).to(DTYPE)
        else:
            x = CHOICES[k](CHOICES[k](x, y, n).to(DTYPE), y, 1).to(DTYPE)
        xt.store_tile(x.to(xt.f32), xt.init_tile(Out[k], (0, 0), (ROWS, 16)))


def check(device, choices, kind, form, dtype=xt.f32):
    tools.require_tool("ocloc")
    numbers = np.random.default_rng(5).integers(-4, 5, (32, 32)).astype(np.float32)
    numbers[7] = np.nan
    results = []
    for where in ("numpy", device):
        out = np.zeros((len(choices), ROWS, 16), np.float32)
        with xt.device(where):
            chosen[(1,)](numbers, out, 3, CHOICES=choices, KIND=kind, FORM=form, DTYPE=dtype)
        results.append(out)
    np.testing.assert_array_equal(*results[::-1])


@pytest.mark.every(24)
@pytest.mark.filterwarnings("ignore", category=PerformanceWarning)
@pytest.mark.parametrize(("kind", "form", "device"), [
    ("column", "line", "sim:pvc"), ("scalar", "loop", "sim:bmg"), ("column", "branch", "sim:pvc"), ("both", "line", "sim:dg2"),
])  # fmt: skip
def test_choices_among_what_lanes_have_alike(kind, form, device):
    check(device, CHOICES[::3], kind, form)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore", category=PerformanceWarning)
@pytest.mark.parametrize("dtype", [xt.f32, xt.f16, xt.bf16, xt.i32])
@pytest.mark.parametrize("form", ["line", "loop", "branch"])
@pytest.mark.parametrize("kind", ["scalar", "column", "both"])
@pytest.mark.parametrize("device", DEVICES)
def test_all_choices(device, kind, form, dtype):
    check(device, CHOICES if dtype is not xt.i32 else CHOICES[:-4], kind, form, dtype)


FUNCTIONS = (lambda x: xt.sqrt(xt.maximum(3.0, x)), xt.round, xt.exp, lambda x: x + 1, lambda x: x / 3, lambda x: x)


@xt.jit(num_subgroups=1, grid=(1,))
def converted(A, w, Out, FUNCTIONS: xt.constexpr, SOURCE: xt.constexpr, KIND: xt.constexpr):
    """Out[k] = the k-th function of numbers that lanes share, in the element type of Out, stored by blocks."""
    for k in xt.static_range(len(FUNCTIONS)):
        if KIND == "column":
            x = xt.load_tile(xt.init_tile(A, (0, 0), (ROWS, 1))).to(SOURCE)
        else:
            x = xt.full((ROWS, 32), A[1, 2] if KIND == "element" else w, SOURCE)
        y = FUNCTIONS[k](x).to(Out.dtype)
        xt.store_tile(xt.tile_broadcast(y, (ROWS, 32)), xt.init_tile(Out[k], (0, 0), (ROWS, 32)))


def check_converted(device, source, target, kind):
    tools.require_tool("ocloc")
    numbers = np.random.default_rng(5).integers(1, 9, (32, 32)).astype(np.float32)
    results = []
    for where in ("numpy", device):
        out = np.zeros((len(FUNCTIONS), ROWS, 32), target.numpy)
        with xt.device(where):
            converted[(1,)](numbers, 2.0, out, FUNCTIONS=FUNCTIONS, SOURCE=source, KIND=kind)
        results.append(out.astype(np.float32))
    np.testing.assert_allclose(*results[::-1], rtol=0.02)


@pytest.mark.every(6)
@pytest.mark.parametrize(("source", "target", "kind", "device"), [
    (xt.bf16, xt.f16, "number", "sim:bmg"), (xt.f16, xt.f16, "column", "sim:pvc"), (xt.f32, xt.f16, "element", "sim:bmg"),
])  # fmt: skip
def test_conversions_of_what_lanes_have_alike(source, target, kind, device):
    check_converted(device, source, target, kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["number", "element", "column"])
@pytest.mark.parametrize("target", [xt.f16, xt.bf16, xt.f32, xt.i16, xt.u8, xt.i32])
@pytest.mark.parametrize("source", [xt.f16, xt.bf16, xt.f32])
@pytest.mark.parametrize("device", DEVICES)
def test_all_conversions(device, source, target, kind):
    check_converted(device, source, target, kind)


@xt.jit(grid=(1,), num_subgroups=1)
def begun(A, B, Column, C, M: xt.constexpr, LOOP: xt.constexpr):
    """A product whose sums begin with a computed column."""
    acc = xt.load_tile(Column[0:M])[:, None] + xt.zeros((M, 16))
    if LOOP:
        for k in range(0, A.shape[1], 16):
            acc += xt.load_tile(A[0:M, k : k + 16]) @ xt.load_tile(B[k : k + 16, 0:16])
    else:
        acc += xt.load_tile(A[0:M, 0:16]) @ xt.load_tile(B[0:16, 0:16])
    C[0:M, 0:16] = acc


@pytest.mark.simulated
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("rows", [8, 24])
def test_sums_begin_with_a_column(device, loop, rows):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    a, b = np.ones((rows, 16), np.float16), np.ones((16, 16), np.float16)
    column, c = np.arange(rows, dtype=np.float32), np.zeros((rows, 16), np.float32)
    with xt.device(device):
        begun(a, b, column, c, M=rows, LOOP=loop)
    assert (c == 16 + column[:, None]).all()


ALIKE = ("scaled", "added behind", "scaled at the end", "given anew", "given anew while", "branch", "sums of rows")


@xt.jit(grid=(1,), num_subgroups=1)
def met(A, B, Column, C, n, FORM: xt.constexpr, DTYPE: xt.constexpr):
    """A product's sums meet a computed column: in a loop, behind it, in place of what was summed."""
    M: xt.constexpr = 16
    alike = (xt.load_tile(Column[0:M])[:, None] + xt.zeros((M, 16))).to(DTYPE)
    acc, total = xt.zeros((M, 16), DTYPE), xt.zeros((M, 16), DTYPE)
    if FORM == "branch":
        acc = alike
        if n > 1:
            acc = alike * 2
    if FORM == "sums of rows":
        acc = (xt.sum(xt.load_tile(A[0:M, 0:16]).to(xt.f32), axis=1) + xt.zeros((M, 16))).to(DTYPE)
    if FORM == "given anew while":
        k = 0
        while k < n * 16:
            total += xt.tile_mma(xt.load_tile(A[0:M, k : k + 16]), xt.load_tile(B[k : k + 16, 0:16]), acc)
            acc = alike + alike
            k += 16
    else:
        for k in range(0, n * 16, 16):
            if FORM == "scaled":
                acc *= alike
            acc = xt.tile_mma(xt.load_tile(A[0:M, k : k + 16]), xt.load_tile(B[k : k + 16, 0:16]), acc)
            if FORM == "added behind":
                acc += alike
            if FORM == "given anew":
                total += acc
                acc = alike + alike
    if FORM == "scaled at the end":
        acc *= alike
    C[0:M, 0:16] = (total if FORM == "given anew" or FORM == "given anew while" else acc).to(xt.f32)


def check_met(device, form, dtype):
    """Sums of whole numbers, against NumPy's."""
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    rng, n = np.random.default_rng(4), 3
    kind = np.float16 if dtype is xt.f16 or dtype is xt.f32 else ml_dtypes.bfloat16
    a, b = rng.integers(-1, 2, (16, 16 * n)).astype(kind), rng.integers(-1, 2, (16 * n, 16)).astype(kind)
    column, c = (np.arange(16, dtype=np.float32) % 4), np.zeros((16, 16), np.float32)
    with xt.device(device):
        met(a, b, column, c, n, FORM=form, DTYPE=dtype)
    a, b, alike = a.astype(float), b.astype(float), np.repeat(column[:, None], 16, 1).astype(float)
    acc, total = np.zeros((16, 16)), np.zeros((16, 16))
    acc = {"branch": 2 * alike, "sums of rows": acc + a[:, :16].sum(1)[:, None]}.get(form, acc)
    for k in range(0, n * 16, 16):
        acc = acc * (alike if form == "scaled" else 1) + a[:, k : k + 16] @ b[k : k + 16]
        total = total + acc
        acc = 2 * alike if form.startswith("given anew") else acc + (alike if form == "added behind" else 0)
    expected = total if form.startswith("given anew") else acc * (alike if form == "scaled at the end" else 1)
    np.testing.assert_array_equal(c, expected)


@pytest.mark.simulated
@pytest.mark.parametrize(
    ("form", "dtype"),
    [("scaled", xt.f32), ("added behind", xt.f32), ("scaled at the end", xt.f32), ("given anew", xt.f32), ("given anew while", xt.f32),
     ("sums of rows", xt.f16), ("sums of rows", xt.bf16)],
)  # fmt: skip
def test_sums_meet_a_column(form, dtype):
    check_met("sim:pvc", form, dtype)


@pytest.mark.slow
@pytest.mark.simulated
@pytest.mark.parametrize("dtype", [xt.f32, xt.f16, xt.bf16])
@pytest.mark.parametrize("form", ALIKE)
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
def test_all_sums_meet_a_column(device, form, dtype):
    check_met(device, form, dtype)


CHOSEN_BETWEEN = {
    "clamp": lambda x, v: xt.clamp(x, -7, 7) * v,
    "clamped again": lambda x, v: xt.clamp(xt.clamp(x, -7, 7) * v, -7, 7),
    "largest": lambda x, v: xt.maximum(x, -2) + v,
    "choice": lambda x, v: xt.where(x < 1, x, x + 3) * v,
    "choice by others": lambda x, v: xt.where(v < 1, x, x + 3) - v,
}


@xt.jit(num_subgroups=1, grid=(1,))
def chosen_between(A, Out, CHOICE: xt.constexpr, FROM: xt.constexpr):
    """Differences of a number and sums of rows, chosen between and joined with a tile that differs between lanes."""
    u, v = xt.load_tile(xt.init_tile(A, (0, 0), (ROWS, 16))), xt.load_tile(xt.init_tile(A, (0, 16), (ROWS, 16)))
    x = xt.full((ROWS, 16), FROM, xt.f32) - xt.sum(u, 1)
    xt.store_tile(CHOSEN_BETWEEN[CHOICE](x, v), xt.init_tile(Out, (0, 0), (ROWS, 16)))


@pytest.mark.simulated
@pytest.mark.covering
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("choice", CHOSEN_BETWEEN)
def test_computed_columns_that_are_chosen(choice, device):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    given = np.random.default_rng(0).integers(-3, 4, (ROWS, 32)).astype(np.float32)
    found = {}
    for where in ("numpy", device):
        found[where] = np.zeros((ROWS, 16), np.float32)
        with xt.device(where):
            chosen_between[1](given, found[where], CHOICE=choice, FROM=2)
    np.testing.assert_array_equal(found[device], found["numpy"])


STORED_BESIDE = {
    "sum": lambda x, c: x + c * c * c,
    "difference": lambda x, c: c * c - x,
    "product": lambda x, c: x * (c + c),
    "larger": lambda x, c: xt.maximum(x, c * c * c),
    "of bf16": lambda x, c: (x.to(xt.bf16) + (c * c).to(xt.bf16)).to(xt.f32),
    "of bf16 that are sums": lambda x, c: (x.to(xt.bf16) + c.to(xt.bf16) * c.to(xt.bf16)).to(xt.f32),
}


@xt.jit(grid=(1,))
def stored_beside(X, C, Out, FORM: xt.constexpr):
    """What is computed of a column in all columns, joined with a tile, in a kernel without products: stored by one message."""
    c = xt.tile_broadcast(xt.load_tile(C[0:8, 0:1]), (8, 16))
    xt.store_tile(FORM(xt.load_tile(X[0:8, 0:16]).to(xt.f32), c), Out[0:8, 0:16])


@pytest.mark.simulated
@pytest.mark.covering
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", STORED_BESIDE)
def test_a_column_in_all_columns_beside_a_tile(form, dtype, device):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    if device == "sim:dg2" and dtype is np.float64:
        pytest.skip("DG2 has no f64")
    rng = np.random.default_rng(0)
    x, c = rng.integers(-9, 9, (8, 64)).astype(dtype), rng.integers(1, 9, (8, 16)).astype(np.float32)
    found = {}
    for where in ("numpy", device):
        found[where] = np.zeros((8, 16), np.float32)
        with xt.device(where):
            stored_beside(x, c, found[where], FORM=STORED_BESIDE[form])
    np.testing.assert_array_equal(found[device], found["numpy"])


ROWS_OF_TWO, ALONE = (
    "#xegpu.layout<sg_layout = [2, 2], sg_data = [16, 64]>",
    "#xegpu.layout<sg_layout = [2, 2], sg_data = [16, 1]>",
)
LINE = f"#xegpu.slice<{ROWS_OF_TWO}, dims = [1]>"


def reduced(kind: str, start: str, source: str, n: int) -> list[str]:
    """Rows reduced and spread again, as %s{n}."""
    return [
        f"%z{n} = arith.constant {{layout_result_0 = {LINE}}} dense<{start}> : vector<32xf32>",
        f"%r{n} = vector.multi_reduction <{kind}>, {source}, %z{n} {{layout_result_0 = {LINE}}} [1] : vector<32x128xf32> to vector<32xf32>",
        f"%c{n} = vector.shape_cast %r{n} {{layout_result_0 = {ALONE}}} : vector<32xf32> to vector<32x1xf32>",
        f"%s{n} = vector.broadcast %c{n} {{layout_result_0 = {ROWS_OF_TWO}}} : vector<32x1xf32> to vector<32x128xf32>",
    ]


@pytest.mark.simulated
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
def test_sums_of_what_lanes_have_alike(device):
    """Each lane's own numbers are summed up first."""
    for tool in ("ocloc", "iga64", "mlir-opt-22"):
        tools.require_tool(tool)
    kind = f"!xegpu.tensor_desc<32x128xf32, {ROWS_OF_TWO}>"
    ops = [
        f"%a = xegpu.create_nd_tdesc %A : memref<32x128xf32> -> {kind}",
        "%zero = arith.constant 0 : index",
        f"%x = xegpu.load_nd %a[%zero, %zero] <{{layout = {ROWS_OF_TWO}}}> : {kind} -> vector<32x128xf32>",
        *reduced("minimumf", "0.0", "%x", 0), *reduced("add", "0.0", "%s0", 1),
        f"%l = xegpu.create_nd_tdesc %L : memref<32x128xf32> -> {kind}",
        f"xegpu.store_nd %s0, %l[%zero, %zero] <{{layout = {ROWS_OF_TWO}}}> : vector<32x128xf32>, {kind}",
        f"%r = xegpu.create_nd_tdesc %R : memref<32x128xf32> -> {kind}",
        f"xegpu.store_nd %s1, %r[%zero, %zero] <{{layout = {ROWS_OF_TWO}}}> : vector<32x128xf32>, {kind}",
    ]  # fmt: skip
    head = "gpu.module @m {\n  gpu.func @k(%A: memref<32x128xf32>, %L: memref<32x128xf32>, %R: memref<32x128xf32>) kernel {\n"
    text = head + "".join(f"    {op}\n" for op in ops) + "    gpu.return\n  }\n}"

    def meaning(given):
        least = np.repeat(np.minimum(given["A"].min(1, keepdims=True), 0), 128, 1)
        return {"L": least, "R": 128 * least}

    check_on(User(text, meaning), device)


CONDITIONS = (
    lambda i: xt.full((4, 64), 4294967296.0, xt.f32) >= 1.0,
    lambda i: i < 100,
    lambda i: i != 100,
    lambda i: (i & 7) < 8,
    lambda i: i * 2 != 31,
)


@xt.jit(num_subgroups=1, grid=(1,))
def always_chosen(A, Out, CONDITION: xt.constexpr, DTYPE: xt.constexpr):
    """Out = larger ones of 0.5, and of a number in place of A's wherever a condition holds, which is everywhere."""
    x = xt.load_tile(xt.init_tile(A, (0, 0), (4, 64)))
    places = xt.tile_broadcast(xt.arange(64), (4, 64))
    one = xt.where(CONDITION(places), xt.full((4, 64), 1.0, DTYPE), x.to(DTYPE))
    xt.store_tile(xt.maximum(one, 0.5).to(Out.dtype), xt.init_tile(Out, (0, 0), (4, 64)))


@pytest.mark.every(3)
@pytest.mark.parametrize(("device", "dtype", "condition"), [
    ("sim:bmg", xt.bf16, 0), ("sim:pvc", xt.bf16, 1), ("sim:bmg", xt.bf16, 2), ("sim:pvc", xt.bf16, 3), ("sim:bmg", xt.bf16, 4),
    ("sim:dg2", xt.bf16, 1), ("sim:bmg", xt.f16, 1),
])  # fmt: skip
def test_a_choice_that_the_driver_finds_out(device, dtype, condition):
    tools.require_tool("ocloc")
    out = np.zeros((4, 64), np.float32)
    with xt.device(device):
        always_chosen(np.full((4, 64), 3, np.float32), out, CONDITION=CONDITIONS[condition], DTYPE=dtype)
    np.testing.assert_array_equal(out, 1)


@xt.jit(num_subgroups=1, grid=(1,))
def chosen_beside_sums(A, Out, CONDITION: xt.constexpr):
    """Out = the sums of A's rows, and 1 wherever a condition holds, which is everywhere."""
    x = xt.load_tile(xt.init_tile(A, (0, 0), (4, 64)))
    one = xt.where(CONDITION(xt.tile_broadcast(xt.arange(64), (4, 64))), 1.0, x)
    xt.store_tile(one + xt.sum(x, axis=1, keepdims=True), xt.init_tile(Out, (0, 0), (4, 64)))


@pytest.mark.every(2)
@pytest.mark.parametrize(("device", "condition"), [("sim:bmg", 1), ("sim:pvc", 3), ("sim:dg2", 4)])
def test_constants_that_are_chosen_beside_what_lanes_have_alike(device, condition):
    tools.require_tool("ocloc")
    out = np.zeros((4, 64), np.float32)
    with xt.device(device):
        chosen_beside_sums(np.full((4, 64), 3, np.float32), out, CONDITION=CONDITIONS[condition])
    np.testing.assert_array_equal(out, 193)


@xt.jit(num_subgroups=1, grid=(1,))
def larger_in_words_of_pairs(One, U, Out, Bits):
    """Out = the larger one of a number and a constant, everywhere; Bits of f64 beside, for which vectors are hidden once more."""
    one = xt.full((1, 1), One[0, 0], One.dtype)
    larger = xt.maximum(xt.tile_broadcast(one, (4, 64)), -0.0074)
    xt.store_tile(larger, xt.init_tile(Out, (0, 0), (4, 64)))
    u = xt.load_tile(xt.init_tile(U, (0, 0), (4, 64)))
    xt.store_tile(u.to(xt.f64).bitcast(xt.u64), xt.init_tile(Bits, (0, 0), (4, 64)))


@pytest.mark.parametrize("device", ["sim:bmg", "sim:pvc"])
def test_zeros_of_lanes_are_no_zeros_of_elements(device):
    tools.require_tool("ocloc")
    u = np.arange(256, dtype=np.uint64).reshape(4, 64) << np.uint64(20)
    out, bits = np.zeros((4, 64), ml_dtypes.bfloat16), np.zeros_like(u)
    with xt.device(device):
        larger_in_words_of_pairs(np.full((1, 1), -6, ml_dtypes.bfloat16), u, out, bits)
    np.testing.assert_array_equal(out, np.full((4, 64), -0.0074, ml_dtypes.bfloat16))
    np.testing.assert_array_equal(bits, u.astype(np.float64).view(np.uint64))


@xt.jit(num_subgroups=8)
def less_than_zeros(A, G, Out, a):
    """Out = a row of a product, and constants less than zeros, less a place, rolled."""
    p = xt.program_id(0)
    same = xt.full((5, 64), xt.cast(p, xt.f16), xt.f16)
    sums = xt.load_tile(xt.init_tile(A, (0, 64), (8, 64))) + xt.load_tile(xt.init_tile(G, (-2, 3), (8, 5))) @ same
    row = xt.clamp(sums, -7, 7)[(xt.arange(1) * 3 + (xt.cast(p, xt.i32) * 3 % 7)) % 8]
    constants = (xt.arange(1)[None, :] % 5 - xt.arange(1)[:, None] % 3).to(xt.f32)
    first = xt.argmax(xt.zeros((5, 32), xt.f32) + a, 0).to(xt.f32)
    rolled = xt.roll(xt.clamp(xt.zeros((2, 32), xt.f32) - constants, -7, 7) - xt.clamp(first, -7, 7), 1, 1)
    xt.store_tile(row, xt.init_tile(Out[p, 0], (0, 0), (1, 64)))
    xt.store_tile(rolled, xt.init_tile(Out[p, 1], (0, 0), (2, 32)))


@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
def test_constants_less_than_hidden_zeros(device):
    """A zero that IGC cannot know is no constant any more, nor is what is computed of it and of constants."""
    tools.require_tool("ocloc")
    a = np.arange(40 * 96, dtype=np.float32).reshape(40, 96) % 7 - 3
    out = np.ones((2, 2, 3, 64), np.float32)
    with xt.device(device):
        less_than_zeros[2](a, a.astype(np.float16), out, 3)
    np.testing.assert_array_equal(out[:, 1, :2, :32], 0)

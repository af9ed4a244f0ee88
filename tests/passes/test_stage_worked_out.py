"""Operands that are worked out of what is loaded, through shared local memory: each element once by a workgroup, not by each subgroup."""

from __future__ import annotations

import warnings

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Close, Launch
from tests.parity.run import uncompiled
from xetile.passes.workgroup.loops import shares
from xetile.runtime.specialize import PerformanceWarning

BM = BN = BK = 32
GROUP = 64


@xt.jit
def product(A, W, S, C, FORM: xt.constexpr):
    """C = A @ W as FORM says: weights as they are or transposed, and what is done to them in a step."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    columns = xt.load_tile(xt.init_tile(S, (0, n), (1, BN)))
    turned = FORM.startswith("turned")
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        w = xt.load_tile(xt.init_tile(W.T if turned else W, (k, n), (BK, BN)))
        if FORM.endswith("columns"):
            b = (w.to(xt.f32) * columns).to(xt.f16)
        elif FORM.endswith("groups"):
            b = ((w.to(xt.f32) - 1) * xt.load_tile(xt.init_tile(S, (k // GROUP, n), (1, BN)))).to(xt.f16)
        elif FORM.endswith("rows"):
            b = w.to(xt.f16) * xt.load_tile(xt.init_tile(S.T, (k, 0), (BK, 1))).to(xt.f16)
        elif FORM.endswith("counted"):
            b = w.to(xt.f16) + (k // BK).to(xt.f16)
        else:
            b = w.to(xt.f16)
        acc = xt.tile_mma(a.to(xt.f16), b, acc)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit
def nibbles(A, Packed, C):
    m, n, half = xt.program_id(1) * BM, xt.program_id(0) * BN, Packed.shape[0]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, half, BK):
        packed = xt.load_tile(xt.init_tile(Packed, (k, n), (BK, BN)))
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ ((packed & 15).to(xt.i8) - 8).to(xt.f16)
        acc += xt.load_tile(xt.init_tile(A, (m, k + half), (BM, BK))) @ ((packed >> 4).to(xt.i8) - 8).to(xt.f16)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


WEIGHTS = {"i8": np.int8, "f8e4m3": ml_dtypes.float8_e4m3fn, "f32": np.float32, "bf16": ml_dtypes.bfloat16}
FORMS = ("plain", "columns", "groups", "rows", "counted", "turned", "turned columns", "turned groups", "turned rows")
# Inside of the arrays; reaching outside of them, with an odd number of steps; with rows that are no whole words.
SIZES = [(64, 64, 128), (70, 72, 96), (33, 65, 41)]
CASES = [(form, dtype, size) for form in FORMS for dtype in WEIGHTS for size in SIZES]


def launch(form: str, dtype: str, size: tuple[int, int, int]) -> Launch:
    m, n, k = size
    rng = np.random.default_rng(k)
    a, w = rng.integers(-4, 5, (m, k)).astype(np.float16), rng.integers(-4, 5, (k, n)).astype(WEIGHTS[dtype])
    scales = rng.integers(1, 4, (-(-k // GROUP), n)).astype(np.float32)
    down, b = np.arange(k), w.astype(np.float64)
    if form.endswith("columns"):
        b = b * scales[:1]
    elif form.endswith("groups"):
        b = (b - 1) * scales[down // GROUP]
    elif form.endswith("rows"):
        scales = rng.integers(1, 4, (1, max(k, n))).astype(np.float32)
        b = b * scales[0, :k, None]
    elif form.endswith("counted"):
        b = b + (down // BK)[:, None]
    given = np.ascontiguousarray(w.T) if form.startswith("turned") else w
    exact = (a.astype(np.float64) @ b).astype(np.float32)
    return Launch(product, {"A": a, "W": given, "S": scales, "C": np.zeros((m, n), np.float32)}, {"C": exact},
                  (-(-n // BN), -(-m // BM)), {"FORM": form}, 4, targets=("dg2",))  # fmt: skip


@pytest.mark.every(12, 3)
@pytest.mark.parametrize("form, dtype, size", CASES, ids=str)
def test_levels_agree(form, dtype, size):
    launch(form, dtype, size).at_levels("dg2")


@pytest.mark.every(36, 6)
@pytest.mark.parametrize("form, dtype, size", CASES, ids=str)
def test_the_module_of_the_gpu_is_right(form, dtype, size):
    launch(form, dtype, size).on_device("cpu", "dg2")


@pytest.mark.every(36, 6)
@pytest.mark.parametrize("form, dtype, size", CASES, ids=str)
def test_machine_code_is_right(form, dtype, size):
    launch(form, dtype, size).on_device("sim:dg2")


def layout_of(kernel: xt.Kernel, *types: str, **constants: object) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        return uncompiled(kernel, *types, num_subgroups=4, target="dg2", **constants).ir["layout"]


@pytest.mark.parametrize("form", FORMS)
def test_both_operands_are_shared(form):
    text = layout_of(product, "f16[?,?]", "i8[?,?]", "f32[?,?]", "f32[?,?]", FORM=form)
    assert text.count("memref.alloca") == 2
    assert "memref<64x32xf16" in text and "xi8, affine_map" not in text


def test_two_operands_of_one_load():
    text = layout_of(nibbles, "f16[?,?]", "u8[?,?]", "f32[?,?]")
    assert text.count("memref.alloca") == 4
    rng = np.random.default_rng(1)
    a, packed = rng.integers(-4, 5, (40, 128)).astype(np.float16), rng.integers(0, 256, (64, 48)).astype(np.uint8)
    weights = np.concatenate([packed & 15, packed >> 4]).astype(np.float64) - 8
    exact = (a.astype(np.float64) @ weights).astype(np.float32)
    given = Launch(nibbles, {"A": a, "Packed": packed, "C": np.zeros((40, 48), np.float32)}, {"C": exact}, (2, 2), {}, 4)
    given.at_levels("dg2")
    given.on_device("sim:dg2")


@xt.jit
def summed(A, W, C, Sums):
    """What also goes elsewhere is not shared; neither is what depends on an array that a step stores to."""
    acc, total = xt.zeros((BM, BN), xt.f32), xt.zeros((BK, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (k, 0), (BK, BN))).to(xt.f16)
        total += w.to(xt.f32)
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, k), (BM, BK))), w, acc)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (BM, BN)))
    xt.store_tile(total, xt.init_tile(Sums, (0, 0), (BK, BN)))


@xt.jit
def scaled_by_what_changes(A, W, S, C):
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        scale = xt.load_tile(xt.init_tile(S, (0, 0), (1, BN)))
        b = (xt.load_tile(xt.init_tile(W, (k, 0), (BK, BN))).to(xt.f32) * scale).to(xt.f16)
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, k), (BM, BK))), b, acc)
        xt.store_tile(scale + 1.0, xt.init_tile(S, (0, 0), (1, BN)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (BM, BN)))


def test_what_is_not_shared():
    text = layout_of(summed, "f16[?,?]", "i8[?,?]", "f32[?,?]", "f32[?,?]")
    assert "memref<64x32xf16" in text and text.count("memref.alloca") == 1  # A alone
    rng = np.random.default_rng(2)
    a, w = rng.integers(-4, 5, (32, 96)).astype(np.float16), rng.integers(-4, 5, (96, 32)).astype(np.int8)
    scales, b, exact = np.ones((1, 32), np.float32), w.astype(np.float64), np.zeros((32, 32))
    for step in range(3):
        exact += a[:, step * 32 : step * 32 + 32].astype(np.float64) @ (b[step * 32 : step * 32 + 32] * (step + 1))
    given = Launch(scaled_by_what_changes, {"A": a, "W": w, "S": scales, "C": np.zeros((32, 32), np.float32)},
                   {"C": exact.astype(np.float32), "S": scales + 3}, (1,), {}, 2)  # fmt: skip
    assert given.compiled("dg2").ir["layout"].count("memref.alloca") == 1
    given.at_levels("dg2")


@xt.jit
def scaled_by_what_was(A, W, S, C):
    """The scales are those before the loop, whose steps store others."""
    scale, acc = xt.load_tile(xt.init_tile(S, (0, 0), (1, BN))), xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        b = (xt.load_tile(xt.init_tile(W, (k, 0), (BK, BN))).to(xt.f32) * (scale + 1.0)).to(xt.f16)
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, k), (BM, BK))), b, acc)
        xt.store_tile(scale * 0.0 + k, xt.init_tile(S, (0, 0), (1, BN)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (BM, BN)))


def test_lines_are_loaded_where_the_kernel_loads_them():
    rng = np.random.default_rng(4)
    a, w = rng.integers(-4, 5, (32, 96)).astype(np.float16), rng.integers(-4, 5, (96, 32)).astype(np.int8)
    scales = rng.integers(1, 4, (1, 32)).astype(np.float32)
    exact = (a.astype(np.float64) @ (w * (scales + 1.0))).astype(np.float32)
    given = Launch(scaled_by_what_was, {"A": a, "W": w, "S": scales, "C": np.zeros((32, 32), np.float32)},
                   {"C": exact, "S": np.full((1, 32), 64, np.float32)}, (1,), {}, 2)  # fmt: skip
    assert given.compiled("dg2").ir["layout"].count("memref.alloca") == 2
    given.at_levels("dg2")


@xt.jit
def nibbles_by_columns(A, Packed, C):
    """Of words that lie transposed, too, two operands."""
    m, n, half = xt.program_id(1) * BM, xt.program_id(0) * BN, Packed.shape[1]
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, half, BK):
        packed = xt.load_tile(xt.init_tile(Packed.T, (k, n), (BK, BN)))
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ (packed & 15).to(xt.f16)
        acc += xt.load_tile(xt.init_tile(A, (m, k + half), (BM, BK))) @ (packed >> 4).to(xt.f16)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


def test_two_operands_of_one_transposed_load():
    assert layout_of(nibbles_by_columns, "f16[?,?]", "u8[?,?]", "f32[?,?]").count("memref.alloca") == 4
    rng = np.random.default_rng(5)
    a, packed = rng.integers(-4, 5, (40, 128)).astype(np.float16), rng.integers(0, 256, (48, 64)).astype(np.uint8)
    weights = np.concatenate([packed.T & 15, packed.T >> 4]).astype(np.float64)
    exact = (a.astype(np.float64) @ weights).astype(np.float32)
    given = Launch(
        nibbles_by_columns, {"A": a, "Packed": packed, "C": np.zeros((40, 48), np.float32)}, {"C": exact}, (2, 2), {}, 4
    )
    given.at_levels("dg2")
    given.on_device("sim:dg2")


@xt.jit
def lines_of_one_axis(A, W, W2, R, S, C, DEPTH: xt.constexpr):
    """Scales are arrays of one axis; an operand is worked out of two loads; each lies transposed."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], DEPTH):
        rows, columns = xt.load_tile(xt.init_tile(R, k, (DEPTH,)))[:, None], xt.load_tile(xt.init_tile(S, n, (BN,)))[None, :]
        one, two = (xt.load_tile(xt.init_tile(w.T, (k, n), (DEPTH, BN))).to(xt.f32) for w in (W, W2))
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, DEPTH))) @ (one * rows + two * columns).to(xt.f16)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@pytest.mark.parametrize("depth, subgroups", [(32, 4), (48, 3), (48, 8)])  # of 48 rows, six for each of eight subgroups
def test_lines_of_one_axis_and_operands_of_two_loads(depth, subgroups):
    rng = np.random.default_rng(depth)
    a, (w, w2) = rng.integers(-4, 5, (40, 100)).astype(np.float16), rng.integers(-4, 5, (2, 50, 100)).astype(np.int8)
    r, s = rng.integers(1, 4, 100).astype(np.float32), rng.integers(1, 4, 50).astype(np.float32)
    exact = (a.astype(np.float64) @ (w * r + w2 * s[:, None]).T).astype(np.float32)
    values = {"A": a, "W": w, "W2": w2, "R": r, "S": s, "C": np.zeros((40, 50), np.float32)}
    given = Launch(lines_of_one_axis, values, {"C": exact}, (2, 2), {"DEPTH": depth}, subgroups)
    given.at_levels("dg2")
    given.on_device("cpu", "dg2")
    given.on_device("sim:dg2")


@xt.jit
def by_parts(A, B, C):
    """f32 by products of bf16: what is taken as an operand, another one is worked out of."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a, b = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        high, wide = a.to(xt.bf16), b.to(xt.bf16)
        low, rest = (a - high.to(xt.f32)).to(xt.bf16), (b - wide.to(xt.f32)).to(xt.bf16)
        acc += high @ wide
        acc += high @ rest
        acc += low @ wide
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


def test_operands_that_others_are_worked_out_of():
    assert layout_of(by_parts, "f32[?,?]", "f32[?,?]", "f32[?,?]").count("memref.alloca") == 4
    rng = np.random.default_rng(6)
    a, b = (rng.integers(-1000, 1000, shape).astype(np.float32) / 8 for shape in ((40, 72), (72, 50)))
    high, wide = (x.astype(ml_dtypes.bfloat16).astype(np.float64) for x in (a, b))
    low, rest = ((x - y).astype(ml_dtypes.bfloat16).astype(np.float64) for x, y in ((a, high), (b, wide)))
    exact = (high @ wide + high @ rest + low @ wide).astype(np.float32)
    given = Launch(
        by_parts, {"A": a, "B": b, "C": np.zeros((40, 50), np.float32)}, {"C": exact}, (2, 2), {}, 4, Close(1e-5, 1e-2)
    )
    given.at_levels("dg2")
    given.on_device("sim:dg2")


def test_shares_of_one_row(monkeypatch):
    """They are no lines that lanes load where they are spread: what is worked out of them is stored."""
    candidates = shares._candidates

    def of_one_row(shape, sizes, role, *others):
        return (s for s in candidates(shape, sizes, role, *others) if role == "b" or s.wg_map.sg_data[0] == 1)

    monkeypatch.setattr(shares, "_candidates", of_one_row)
    rng = np.random.default_rng(7)
    a, b = rng.integers(-4, 5, (32, 72)).astype(np.float32), rng.integers(-4, 5, (72, 32)).astype(np.float32)
    values = {"A": a, "W": b, "S": np.ones((2, 32), np.float32), "C": np.zeros((32, 32), np.float32)}
    given = Launch(product, values, {"C": a @ b}, (1,), {"FORM": "plain"}, 32, targets=("dg2",))
    assert "sg_data = [1, 32]" in given.compiled("dg2").ir["layout"]
    given.at_levels("dg2")


@xt.jit
def beside_lines(A, G, S, B, C):
    """Lines that move: of an array of one axis, and of rows of scales in f16, whose rows may begin within a word."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) * xt.load_tile(G[k : k + BK])[None, :]
        scales = xt.load_tile(xt.init_tile(S, (k // GROUP, n), (1, BN)))
        acc = xt.tile_mma(a, xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))).to(xt.f16) * scales, acc)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@pytest.mark.every(3)
@pytest.mark.parametrize("size", [*SIZES, (64, 68, 128), (64, 66, 160)], ids=str)
def test_lines_that_move(size):
    m, n, k = size
    rng = np.random.default_rng(n)
    a, b = rng.integers(-4, 5, (m, k)).astype(np.float16), rng.integers(-4, 5, (k, n)).astype(np.int8)
    factors, scales = rng.integers(1, 4, k).astype(np.float16), rng.integers(1, 4, (-(-k // GROUP), n)).astype(np.float16)
    exact = (a * factors).astype(np.float64) @ (b * np.repeat(scales, GROUP, 0)[:k].astype(np.float64))
    given = {"A": a, "G": factors, "S": scales, "B": b, "C": np.zeros((m, n), np.float32)}
    made = Launch(beside_lines, given, {"C": exact.astype(np.float32)}, (-(-n // BN), -(-m // BM)), {}, 4, targets=("dg2",))
    made.at_levels("dg2")
    made.on_device("sim:dg2")


def test_lines_inside_of_their_arrays_come_by_runs():
    text = layout_of(beside_lines, "f16[?,?]", "f16[?]", "f16[?,?]", "i8[?,?]", "f32[?,?]")
    assert any("inside" in line and "vector<1x32xf16>" in line for line in text.splitlines())

"""Operands whose columns come by turns, through shared memory as words: each is worked out once by a workgroup, and changes no places."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import uncompiled
from xetile.runtime.specialize import PerformanceWarning

BM = BN = BK = 32
GROUP = 64


@xt.jit
def by_rows(A, W, S, C, FORM: xt.constexpr):
    """C = A @ B.T, where a byte of W [N, K / 2] holds two neighbours in a row of B."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc, scale = xt.zeros((BM, BN), xt.f32), S[0, 0]
    for k in range(0, A.shape[1], BK):
        w = xt.load_tile(xt.init_tile(W, (n, k // 2), (BN, BK // 2)))
        b = xt.interleave(w & 15, w >> 4).to(xt.f16) - 8
        if FORM == "scaled":
            b = b * xt.load_tile(xt.init_tile(S, (n, k // GROUP), (BN, 1))).to(xt.f16)
        elif FORM == "scaled by two":
            b = (b.to(xt.f32) * xt.load_tile(xt.init_tile(S, (n, k // GROUP), (BN, 1))) * scale).to(xt.f16)
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), b.T, acc)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit
def first_operand(W, B, C):
    """C = A @ B, where a byte of W [M, K / 2] holds two neighbours in a row of A."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, B.shape[0], BK):
        w = xt.load_tile(xt.init_tile(W, (m, k // 2), (BM, BK // 2)))
        a = xt.interleave(w & 15, w >> 4).to(xt.f16)
        acc = xt.tile_mma(a, xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))), acc)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit
def four(A, W, C):
    """C = A @ B.T of i8, where a byte of W [N, K / 4] holds four neighbours in a row of B, each less 1."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.i32)
    for k in range(0, A.shape[1], 64):
        w = xt.load_tile(xt.init_tile(W, (n, k // 4), (BN, 16)))
        codes = xt.interleave(xt.interleave(w & 3, (w >> 4) & 3), xt.interleave((w >> 2) & 3, w >> 6))
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (m, k), (BM, 64))), (codes.to(xt.i8) - 1).T, acc)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit
def by_table(A, W, T, C, FORM: xt.constexpr):
    """C = A @ T[codes] of columns by turns, of rows of bytes, or of bytes as they lie."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        if FORM == "table by turns":
            w = xt.load_tile(xt.init_tile(W, (n, k // 2), (BN, BK // 2)))
            codes = xt.interleave(w >> 4, w & 15).T
        elif FORM == "table by rows":
            codes = (xt.load_tile(xt.init_tile(W, (n, k), (BN, BK))) & 15).T
        else:
            codes = xt.load_tile(xt.init_tile(W, (k, n), (BK, BN))) & 15
        b = xt.load_gather(xt.init_tile(T, codes.to(xt.i32))).to(xt.f16)
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))), b, acc)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


def _turns(*values: np.ndarray) -> np.ndarray:
    return np.stack(values, 2).reshape(len(values[0]), -1)


def _grid(m: int, n: int) -> tuple[int, int]:
    return -(-n // BN), -(-m // BM)


def launch(form: str, size: tuple[int, int, int]) -> Launch:
    m, n, k = size
    rng = np.random.default_rng(k)
    if form == "four":
        a, w = rng.integers(-4, 5, (m, k)).astype(np.int8), rng.integers(0, 256, (n, k // 4)).astype(np.uint8)
        b = _turns(w & 3, w >> 2 & 3, w >> 4 & 3, w >> 6).astype(np.int32) - 1
        return Launch(four, {"A": a, "W": w, "C": np.zeros((m, n), np.int32)}, {"C": a.astype(np.int32) @ b.T}, _grid(m, n), {}, 4,
                      targets=("dg2",))  # fmt: skip
    if form == "first operand":
        b, w = rng.integers(-4, 5, (k, n)).astype(np.float16), rng.integers(0, 256, (m, k // 2)).astype(np.uint8)
        exact = (_turns(w & 15, w >> 4).astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
        return Launch(
            first_operand, {"W": w, "B": b, "C": np.zeros((m, n), np.float32)}, {"C": exact}, _grid(m, n), {}, 4, targets=("dg2",)
        )
    if form.startswith("table"):
        shape = {"table by turns": (n, k // 2), "table by rows": (n, k)}.get(form, (k, n))
        a, w = rng.integers(-4, 5, (m, k)).astype(np.float16), rng.integers(0, 256, shape).astype(np.uint8)
        table = rng.permutation(16).astype(np.float32) - 8
        codes = _turns(w >> 4, w & 15).T if form == "table by turns" else (w & 15).T if form == "table by rows" else w & 15
        exact = (a.astype(np.float64) @ table[codes].astype(np.float64)).astype(np.float32)
        return Launch(by_table, {"A": a, "W": w, "T": table, "C": np.zeros((m, n), np.float32)}, {"C": exact}, _grid(m, n),
                      {"FORM": form}, 4, targets=("dg2",))  # fmt: skip
    a, w = rng.integers(-4, 5, (m, k)).astype(np.float16), rng.integers(0, 256, (n, k // 2)).astype(np.uint8)
    scales = rng.integers(1, 4, (n, -(-k // GROUP))).astype(np.float32)
    b = _turns(w & 15, w >> 4).astype(np.float64) - 8
    if form.startswith("scaled"):
        b = b * np.repeat(scales, GROUP, 1)[:, :k]
    if form == "scaled by two":
        b = b * scales[0, 0]
    exact = (a.astype(np.float64) @ b.T).astype(np.float32)
    return Launch(by_rows, {"A": a, "W": w, "S": scales, "C": np.zeros((m, n), np.float32)}, {"C": exact}, _grid(m, n), {"FORM": form},
                  4, targets=("dg2",))  # fmt: skip


TABLES = ("table by turns", "table by rows", "table")
FORMS = ("codes", "scaled", "scaled by two", "first operand", "four", *TABLES)
# Inside of the arrays; reaching outside of them, with an odd number of steps; with rows that are no whole words.
SIZES = [(64, 64, 128), (70, 72, 96), (33, 65, 44), (40, 33, 36)]
CASES = [(form, size) for form in FORMS for size in SIZES]


@pytest.mark.every(12, 3)
@pytest.mark.parametrize("form, size", CASES, ids=str)
def test_levels_agree(form, size):
    launch(form, size).at_levels("dg2")


@pytest.mark.every(20, 6)
@pytest.mark.parametrize("form, size", CASES, ids=str)
def test_the_module_of_the_gpu_is_right(form, size):
    launch(form, size).on_device("cpu", "dg2")


@pytest.mark.every(20, 6)
@pytest.mark.parametrize("form, size", CASES, ids=str)
def test_machine_code_is_right(form, size):
    launch(form, size).on_device("sim:dg2")


def layout_of(kernel: xt.Kernel, *types: str, **constants: object) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        return uncompiled(kernel, *types, num_subgroups=4, target="dg2", **constants).ir["layout"]


@pytest.mark.parametrize("form", ["codes", "scaled", "scaled by two"])
def test_words_are_stored_and_nothing_is_gathered(form):
    text = layout_of(by_rows, "f16[?,?]", "u8[?,?]", "f32[?,?]", "f32[?,?]", FORM=form)
    assert "load_gather" not in text and text.count("memref.alloca") == 2
    assert "memref<64x16xi32, affine_map" in text


def test_bytes_and_first_operands_too():
    assert "memref<64x16xi32, affine_map" in layout_of(four, "i8[?,?]", "u8[?,?]", "i32[?,?]")
    assert "memref<64x16xi32, affine_map" in layout_of(first_operand, "u8[?,?]", "f16[?,?]", "f32[?,?]")


@pytest.mark.parametrize("form", TABLES)
def test_each_element_is_looked_up_once(form):
    text = layout_of(by_table, "f16[?,?]", "u8[?,?]", "f32[?]", "f32[?,?]", FORM=form)
    assert text.count("memref.alloca") == 2
    assert "memref<64x32xf16, affine_map" in text and "xi8, affine_map" not in text

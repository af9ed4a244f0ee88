"""DG2, rows in runs: a lane's neighbours by one message, where rows are whole runs and nothing else moves data."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import uncompiled
from xetile.ops.kernels import matmul, norms, rows
from xetile.target import TARGETS
from xetile.target.names import KNOWN, is_ragged

F32 = "f32[?,?]"


def lane_text(kernel: Any, *types: str, **constants: Any) -> str:
    return str(uncompiled(kernel, *types, target="dg2", **constants).ir["lane"])


def runs(text: str) -> set[int]:
    """Elements of a lane in one message, of all scattered accesses."""
    accesses = [line for line in text.splitlines() if re.search(r"xegpu\.(load|store) ", line)]
    assert accesses
    return {int((re.search(r"chunk_size = (\d+)", line) or [0, 1])[1]) for line in accesses}


def test_the_targets_agree_with_what_launches_look_at() -> None:
    assert {name: target.lane_run for name, target in TARGETS.items()} == {name: known.lane_run for name, known in KNOWN.items()}


def test_sums_of_rows_go_by_runs() -> None:
    text = lane_text(rows.vector_add, F32, F32, F32)
    assert runs(text) == {8}
    assert text.count("xegpu.load ") == 16
    assert text.count("xegpu.store ") == 8


@pytest.mark.parametrize("mark", ["ragged", "scattered"])
def test_other_rows_go_element_by_element(mark: str) -> None:
    assert runs(lane_text(rows.vector_add, F32, f"f32[?,?;{mark}]", F32)) == {1}


def test_rows_of_a_known_size() -> None:
    assert runs(lane_text(rows.vector_add, "f32[64,128]", "f32[64,128]", "f32[64,128]")) == {8}
    assert runs(lane_text(rows.vector_add, *["f32[64,129]"] * 3)) == {1}


def test_columns_of_memory_are_loaded_by_runs() -> None:
    """A transposed tile: lanes have a column each, whose neighbours lie side by side."""
    loads = re.findall(r"xegpu\.load .*", lane_text(rows.transpose, F32, F32))
    assert len(loads) == 8
    assert all("chunk_size = 8" in load for load in loads)
    assert runs(lane_text(rows.transpose, "f32[?,?;ragged]", F32)) == {1}


def test_results_of_products_are_stored_by_runs() -> None:
    types = ("f16[?,?]", "f16[?,?]")
    options = {"BM": 256, "BN": 128, "num_subgroups": 32}
    stores = re.findall(r"xegpu\.store %.*", lane_text(matmul.matmul, *types, F32, **options))
    assert sum("vector<8xf32>" in store for store in stores) == 16
    stores = re.findall(r"xegpu\.store %.*", lane_text(matmul.matmul, *types, "f32[?,?;ragged]", **options))
    assert not any("vector<8xf32>" in store for store in stores)


@xt.jit(grid=lambda Y: (1,), num_subgroups=1)
def first_tile(X, Y, n: xt.constexpr = None):
    """Y[8, 64] = the first 8 x 64 of X, of whose rows only `n` elements count: as many as X has rows where that is None."""
    size = (X.shape[0], n or X.shape[0])
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (8, 64), base_shape=size)), xt.init_tile(Y, (0, 0), (8, 64)))


def test_sizes_that_no_launch_looks_at() -> None:
    assert runs(lane_text(first_tile, F32, F32, n=64)) == {8}
    assert runs(lane_text(first_tile, F32, F32, n=60)) == runs(lane_text(first_tile, F32, F32)) == {1}


@xt.jit(grid=lambda Y: (xt.cdiv(Y.shape[0], 8),), num_subgroups=2)
def shifted(X, Y, step: xt.constexpr):
    """Y[M, 64] = the sum of X's tiles of 64 columns that begin `step` columns apart, X at the right edge padded."""
    m = xt.program_id(0) * 8
    total = xt.zeros((8, 64), xt.f32)
    for n in range(0, X.shape[1], step):
        total += xt.load_tile(xt.init_tile(X, (m, n), (8, 64))).to(xt.f32)
    xt.store_tile(total, xt.init_tile(Y, (m, 0), (8, 64)))


def test_tiles_that_begin_inside_of_a_run_go_element_by_element() -> None:
    assert runs(lane_text(shifted, "f16[?,?]", F32, step=16)) == {8}
    assert runs(lane_text(shifted, "f16[?,?]", F32, step=12)) == {1}


@pytest.mark.parametrize(("size", "columns", "strides", "ragged"), [
    (4, 64, (64,), False), (4, 60, (64,), True), (2, 64, (65,), True), (2, 64, (66,), False), (1, 64, (640, 66), True), (4, 8, (), False),
])  # fmt: skip
def test_which_rows_are_ragged(size: int, columns: int, strides: tuple[int, ...], ragged: bool) -> None:
    assert is_ragged("dg2", size, columns, strides) is ragged
    assert not is_ragged("pvc", size, columns, strides)


@xt.jit(grid=lambda Y: (xt.cdiv(Y.shape[0], 8), xt.cdiv(Y.shape[1], 64)), num_subgroups=2)
def mixed(X, H, B, w, Y, S, M):
    """Several element types, a row that all rows share, coordinates, a batch of masks, sums of columns."""
    m, n = xt.program_id(0) * 8, xt.program_id(1) * 64
    x = xt.load_tile(xt.init_tile(X, (m, n), (8, 64)))
    h = xt.load_tile(xt.init_tile(H, (m, n), (8, 64))).to(xt.f32)
    b = xt.load_tile(xt.init_tile(B[1], (m, n), (8, 64))).to(xt.f32)
    row = xt.load_tile(xt.init_tile(w, n, (64,)))
    y = xt.where(n + xt.arange(64)[None, :] < 40, x * h + b, x - row)
    xt.store_tile(y, xt.init_tile(Y, (m, n), (8, 64)))
    xt.store_tile(xt.sum(y, axis=0, keepdims=True), xt.init_tile(S, (xt.program_id(0), n), (1, 64)))
    xt.store_tile(y > 0, xt.init_tile(M, (m, n), (8, 64)))


@pytest.mark.every(4)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("shape", [(16, 128), (13, 104), (7, 50), (9, 33)])
def test_values_of_many_kinds(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    high, wide = shape
    x, w = rng.standard_normal(shape).astype(np.float32), rng.standard_normal(wide).astype(np.float32)
    h, b = rng.standard_normal(shape).astype(np.float16), rng.integers(-9, 9, (2, *shape)).astype(np.int8)
    y, mask = np.zeros(shape, np.float32), np.zeros(shape, np.bool_)
    sums = np.zeros((xt.cdiv(high, 8), wide), np.float32)
    with xt.device("cpu"):
        mixed(x, h, b, w, y, sums, mask, target="dg2")
    exact = np.where(np.arange(wide) < 40, x * h.astype(np.float32) + b[1], x - w)
    np.testing.assert_allclose(y, exact, atol=1e-5)
    padded = np.tile(np.where(np.arange(wide) < 40, 0, -w), (len(sums) * 8, 1))  # rows below the last are 0
    padded[:high] = exact
    np.testing.assert_allclose(sums, padded.reshape(-1, 8, wide).sum(1), atol=1e-4)
    np.testing.assert_array_equal(mask, exact > 0)


@pytest.mark.covering
@pytest.mark.every(2, 1)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(72, 104), (64, 64), (41, 70), (40, 70), (70, 40)])
def test_transposed(shape: tuple[int, int], order: Any) -> None:
    x = np.asarray(np.random.default_rng(5).standard_normal(shape), np.float32, order=order)
    with xt.device("cpu"):
        np.testing.assert_array_equal(rows.transpose(x, target="dg2"), x.T)


@pytest.mark.every(4)
@pytest.mark.parametrize("shape", [(16, 1024), (5, 520), (3, 77)])
def test_rows_of_the_benchmarks(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(4)
    x = rng.standard_normal(shape).astype(np.float16)
    w, b = rng.standard_normal((2, shape[1])).astype(np.float32)
    with xt.device("cpu"):
        soft = rows.softmax(x, target="dg2")
        norm = norms.layer_norm(x, w, b, target="dg2")
        sums = rows.row_sum(x.astype(np.float32), target="dg2")
    exact = x.astype(np.float64)
    powers = np.exp(exact - exact.max(1, keepdims=True))
    np.testing.assert_allclose(soft, powers / powers.sum(1, keepdims=True), atol=1e-6)
    centred = exact - exact.mean(1, keepdims=True)
    np.testing.assert_allclose(norm, centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * w + b, atol=2e-3)
    np.testing.assert_allclose(sums, exact.sum(1, keepdims=True), atol=1e-3)


def test_loads_wait_until_they_are_used() -> None:
    """Three tiles that would fill the registers one after the other fit the smaller mode, for twice as many threads."""
    kernel = norms.layer_norm.compile("f16[?,?]", "f32[?]", "f32[?]", F32, target="dg2")
    assert kernel.grf == 128
    assert not kernel.estimate.spills

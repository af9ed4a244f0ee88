"""Reductions and scans over split and whole dimensions; kernels made of them."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.passes.parity import check_parity, ops, text

rng = np.random.default_rng(1)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


@xt.jit
def softmax(X, Y, R: xt.constexpr, C: xt.constexpr):
    row = xt.program_id(0) * R
    x = xt.load_tile(xt.init_tile(X, (row, 0), (R, C)), padding=float("-inf"))
    e = xt.exp(x - xt.max(x, axis=1))
    xt.store_tile(e / xt.sum(e, axis=1), xt.init_tile(Y, (row, 0), (R, C)))


@pytest.mark.parametrize(
    "rows,columns,subgroups", [(8, 64, 4), (1, 256, 8), (2, 64, 8), (32, 32, 1), (16, 16, 32), (64, 128, None)]
)
def test_softmax(rows, columns, subgroups):
    args = {"X": floats(rows * 2 - 1, columns), "Y": floats(rows * 2 - 1, columns)}
    out, modules = check_parity(softmax.fn, (2,), args, {"R": rows, "C": columns}, subgroups=subgroups)
    e = np.exp(args["X"] - args["X"].max(1, keepdims=True))
    np.testing.assert_allclose(out["Y"], e / e.sum(1, keepdims=True), rtol=1e-5, atol=1e-6)
    split = modules["layout"].kernel.attributes["num_subgroups"] > rows and columns > 16
    assert bool(ops(modules["subgroup"], "gpu.barrier")) == split


@xt.jit
def reduce(X, Y, R: xt.constexpr, C: xt.constexpr, AXIS: xt.constexpr, KIND: xt.constexpr, MAP: xt.constexpr):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (R, C), wg_map=MAP))
    xt.store_tile(xt.tile_reduce(KIND, x, AXIS), xt.init_tile(Y, (0, 0), (1 if AXIS == 0 else R, 1 if AXIS == 1 else C)))


MAPS = [xt.wg_map((4, 2), (8, 16)), xt.wg_map((4, 2), (2, 4)), xt.wg_map((2, 4), (16, 32)), xt.wg_map((1, 8), (32, 8)),
        xt.wg_map((8, 1), (4, 64)), xt.wg_map((8, 1), (32, 16)), xt.wg_map((2, 4), (4, 64))]  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize("layout", MAPS, ids=str)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", ["add", "max"])
def test_reductions_over_split_shared_and_round_robin_dimensions(layout, axis, kind):
    args = {"X": floats(32, 64), "Y": floats(*((1, 64) if axis == 0 else (32, 1)))}
    out, _ = check_parity(reduce.fn, (1,), args, {"R": 32, "C": 64, "AXIS": axis, "KIND": kind, "MAP": layout})
    expected = (np.sum if kind == "add" else np.max)(args["X"], axis=axis, keepdims=True)
    np.testing.assert_allclose(out["Y"], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("columns,shapes", [(64, [(1, 64)] * 8), (16, [(1, 16)] * 8), (8, [(8, 8)])])
def test_rows_of_other_subgroups_that_fill_the_lanes_are_combined_as_they_come(columns, shapes):
    args = {"X": floats(32, columns), "Y": floats(1, columns)}
    constants = {"R": 32, "C": columns, "AXIS": 0, "KIND": "add", "MAP": xt.wg_map((8, 1), (4, columns))}
    out, modules = check_parity(reduce.fn, (1,), args, constants)
    loads = [op.results[0].type.shape for op in modules["subgroup"].walk() if op.opname == "xetile.load_tile"]
    assert loads == [(4, columns), *shapes]
    np.testing.assert_allclose(out["Y"], args["X"].sum(0, keepdims=True), rtol=1e-5, atol=1e-5)


@xt.jit
def scan(X, Y, AXIS: xt.constexpr, MAP: xt.constexpr):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 64), wg_map=MAP))
    xt.store_tile(xt.cumsum(x, axis=AXIS), xt.init_tile(Y, (0, 0), (32, 64)))


@pytest.mark.parametrize("layout", MAPS, ids=str)
@pytest.mark.parametrize("axis", [0, 1])
def test_scans_over_split_shared_and_round_robin_dimensions(layout, axis):
    args = {"X": floats(32, 64), "Y": floats(32, 64)}
    out, _ = check_parity(scan.fn, (1,), args, {"AXIS": axis, "MAP": layout}, rtol=1e-4)
    np.testing.assert_allclose(out["Y"], args["X"].cumsum(axis), rtol=1e-4, atol=1e-4)


@xt.jit(grid=(1,))
def bytes_from(X, Y, FIRST: xt.constexpr, AXIS: xt.constexpr):
    x = xt.load_tile(xt.init_tile(X, FIRST, (8, 15)))
    xt.store_tile(xt.cumsum(x, axis=AXIS).to(xt.i8), xt.init_tile(Y, (0, 0), (8, 15)))


@pytest.mark.every(4)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("first", [(-5, -6), (0, 0)])
def test_scans_of_bytes_wrap_and_begin_outside_of_an_array(device, first, axis):
    """Rows that are known to be zeros ended the process inside the CPU's driver."""
    x, y = rng.integers(-128, 128, (8, 22)).astype(np.int8), np.zeros((8, 15), np.int8)
    with xt.device(device):
        bytes_from(x, y, FIRST=first, AXIS=axis)
    read = np.pad(x, ((-first[0], 0), (-first[1], 0)))[:8, :15]
    np.testing.assert_array_equal(y, read.cumsum(axis, dtype=np.int8))


@xt.jit
def total(X, Y):
    s = xt.sum(xt.load_tile(xt.init_tile(X, (0, 0), (32, 64))))
    if s > 0.0:
        xt.store_tile(xt.full((8, 16), 1.0, xt.f32) * s, xt.init_tile(Y, (0, 0), (8, 16)))


def test_a_sum_of_all_elements_is_the_same_scalar_in_every_subgroup():
    args = {"X": np.abs(floats(32, 64)), "Y": floats(8, 16)}
    out, modules = check_parity(total.fn, (1,), args, subgroups=8)
    np.testing.assert_allclose(out["Y"], args["X"].sum(), rtol=1e-5)
    assert len(ops(modules["subgroup"], "memref.alloca")) == 2, text(modules["subgroup"])


@xt.jit
def attention(Q, K, V, OUT, N: xt.constexpr, D: xt.constexpr, B: xt.constexpr):
    row = xt.program_id(0) * N
    q = xt.load_tile(xt.init_tile(Q, (row, 0), (N, D)))
    k, v = xt.init_tile(K.T, (0, 0), (D, B)), xt.init_tile(V, (0, 0), (B, D))
    m = xt.full((N, 1), float("-inf"), xt.f32)
    l = xt.zeros((N, 1), xt.f32)  # noqa: E741
    acc = xt.zeros((N, D), xt.f32)
    for start in range(0, K.shape[0], B):
        s = xt.tile_mma(q, xt.load_tile(k))
        rows, columns = row + xt.arange(0, N)[:, None], start + xt.arange(0, B)[None, :]
        s = xt.where(rows >= columns, s, float("-inf"))
        new = xt.maximum(m, xt.max(s, axis=1))
        p, alpha = xt.exp(s - new), xt.exp(m - new)
        l = l * alpha + xt.sum(p, axis=1)  # noqa: E741
        acc = xt.tile_mma(p.to(xt.f16), xt.load_tile(v), acc * alpha)
        m = new
        k, v = xt.update_tile_offset(k, (0, B)), xt.update_tile_offset(v, (B, 0))
    xt.store_tile(acc / l, xt.init_tile(OUT, (row, 0), (N, D)))


@pytest.mark.parametrize("subgroups", [1, 4, 8, None])
def test_attention_keeps_rows_in_one_subgroup(subgroups):
    n, d = 128, 64
    q, k, v = (rng.standard_normal((n, d)).astype(np.float16) for _ in range(3))
    args = {"Q": q, "K": k, "V": v, "OUT": floats(n, d)}
    out, modules = check_parity(attention.fn, (2,), args, {"N": 64, "D": d, "B": 64}, subgroups=subgroups, rtol=2e-3)
    s = np.where(np.tri(n, dtype=bool), q.astype(float) @ k.astype(float).T, -np.inf)
    p = np.exp(s - s.max(1, keepdims=True))
    np.testing.assert_allclose(out["OUT"], p / p.sum(1, keepdims=True) @ v.astype(float), rtol=1e-2, atol=1e-2)
    assert not ops(modules["subgroup"], "gpu.barrier")

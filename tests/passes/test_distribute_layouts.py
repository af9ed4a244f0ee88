"""Layout changes, transposes, round robin, sharing, gathers and atomics from workgroup to subgroups."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.passes.parity import check_parity, ops, text

rng = np.random.default_rng(2)

MAPS = [xt.wg_map((4, 2), (8, 32)), xt.wg_map((4, 2), (2, 8)), xt.wg_map((2, 4), (16, 64)), xt.wg_map((1, 8), (32, 8)),
        xt.wg_map((8, 1), (8, 64)), xt.wg_map((8, 1), (1, 16)), xt.wg_map((2, 4)), xt.wg_map((2, 4), order=(0, 1))]  # fmt: skip


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


@xt.jit
def convert(X, Y, FROM: xt.constexpr, TO: xt.constexpr):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 64), wg_map=FROM)) + 1.0
    xt.store_tile(xt.tile_conv_layout(x, wg_map=TO), xt.init_tile(Y, (0, 0), (32, 64), wg_map=TO))


@pytest.mark.every(4)
@pytest.mark.parametrize("source", MAPS, ids=str)
@pytest.mark.parametrize("target", MAPS, ids=str)
def test_conversions_between_all_layouts(source, target):
    args = {"X": floats(30, 70), "Y": floats(32, 64)}
    out, modules = check_parity(convert.fn, (1,), args, {"FROM": source, "TO": target})
    np.testing.assert_array_equal(out["Y"][:30], args["X"][:, :64] + 1)
    barriers = ops(modules["subgroup"], "gpu.barrier")
    assert len(barriers) == (0 if source is target else 1) or source.sg_layout == target.sg_layout


@xt.jit
def transpose(X, Y, FROM: xt.constexpr, TO: xt.constexpr):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 64), wg_map=FROM)) + 1.0
    xt.store_tile(xt.tile_transpose(x, wg_map=TO), xt.init_tile(Y, (0, 0), (64, 32), wg_map=TO))


@pytest.mark.parametrize(
    "source,target,moves",
    [
        (xt.wg_map((4, 2), (8, 32)), xt.wg_map((2, 4), (32, 8)), True),  # seed 001: the map is swapped
        (xt.wg_map((8, 1), (4, 64)), None, False),
        (None, xt.wg_map((4, 2), (16, 16)), False),
        (xt.wg_map((2, 4), (16, 64)), xt.wg_map((8, 1), (64, 16)), True),
        (None, None, False),
        (xt.wg_map((4, 2), (4, 16)), None, False),
    ],
)
def test_transposes(source, target, moves):
    args = {"X": floats(32, 64), "Y": floats(64, 32)}
    subgroups = 8
    if target is not None and source is not None and target.sg_layout == (8, 1):
        with pytest.raises(xt.errors.LayoutError):
            check_parity(transpose.fn, (1,), args, {"FROM": source, "TO": target})
        return
    out, modules = check_parity(transpose.fn, (1,), args, {"FROM": source, "TO": target}, subgroups=subgroups)
    np.testing.assert_array_equal(out["Y"], args["X"].T + 1)
    assert bool(ops(modules["subgroup"], "gpu.barrier")) == moves, text(modules["subgroup"])


@xt.jit
def transposed_product(A, BT, C):
    """Seed 001, appendix 2.3: each subgroup loads the piece of B whose transpose it needs."""
    acc = xt.zeros((128, 128), xt.f32)
    a, bt = xt.init_tile(A, (0, 0), (128, 32)), xt.init_tile(BT, (0, 0), (128, 32))
    for _ in range(0, A.shape[1], 32):
        acc = xt.tile_mma(xt.load_tile(a), xt.tile_transpose(xt.load_tile(bt)), acc, wg_map=xt.wg_map((8, 4), (16, 32)))
        a, bt = xt.update_tile_offset(a, (0, 32)), xt.update_tile_offset(bt, (0, 32))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (128, 128)))


def test_transposes_of_loads_move_nothing():
    a, b = (rng.standard_normal((128, 64)).astype(np.float16) for _ in range(2))
    out, modules = check_parity(transposed_product.fn, (1,), {"A": a, "BT": b, "C": floats(128, 128)})
    np.testing.assert_allclose(out["C"], a.astype(float) @ b.astype(float).T, rtol=1e-3, atol=1e-3)
    assert not ops(modules["subgroup"], "gpu.barrier")
    (turn,) = ops(modules["layout"], "xetile.tile_transpose")
    source = turn.source.op.tile.type.wg_map
    assert (source.sg_layout, source.sg_data) == ((32, 1), (32, 32))


@xt.jit
def sums(X, Y, Z, MAP: xt.constexpr):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 64), wg_map=MAP))
    old = xt.atomic_rmw_tile("add", x, xt.init_tile(Y, (0, 0), (16, 64)))
    xt.store_tile(old, xt.init_tile(Z, (0, 0), (16, 64)))


@pytest.mark.parametrize("layout", [xt.wg_map((4, 2), (4, 32)), xt.wg_map((4, 2), (16, 32)), xt.wg_map((8, 1), (1, 16))], ids=str)
def test_atomics_happen_once_where_subgroups_share(layout):
    args = {"X": floats(16, 64), "Y": floats(16, 64), "Z": floats(16, 64)}
    out, _ = check_parity(sums.fn, (1,), args, {"MAP": layout})
    np.testing.assert_allclose(out["Y"], args["X"] + args["Y"], rtol=1e-6)
    np.testing.assert_allclose(out["Z"], args["Y"], rtol=1e-6)


@xt.jit
def in_place(X):
    t = xt.init_tile(X, (0, 0), (8, 16))
    xt.store_tile(xt.load_tile(t) + 1.0, t)


def test_one_of_the_subgroups_that_share_a_piece_stores_it():
    _, modules = check_parity(in_place.fn, (1,), {"X": floats(8, 16)}, subgroups=32)
    (store,) = ops(modules["subgroup"], "xetile.store_tile")
    assert store.parent.parent.opname == "scf.if"


@xt.jit
def gather(X, INDEX, Y, R: xt.constexpr, C: xt.constexpr):
    rows, columns = xt.arange(0, R)[:, None], xt.arange(0, C)[None, :]
    where = xt.load_tile(xt.init_tile(INDEX, (0, 0), (R, C)))
    tile = xt.init_tile(X, where)
    x = xt.load_gather(tile, (rows + columns) % 3 != 0, padding=5.0)
    out = xt.init_tile(Y, rows * C + columns)
    xt.store_scatter(x, out, rows < R - 1)


@pytest.mark.parametrize("subgroups", [1, 4, 16])
def test_gathers_and_scatters(subgroups):
    r, c = 16, 32
    args = {"X": floats(20, 20), "INDEX": rng.integers(0, 400, (r, c)).astype(np.int32), "Y": floats(r, c)}
    out, _ = check_parity(gather.fn, (1,), args, {"R": r, "C": c}, subgroups=subgroups)
    i, j = np.indices((r, c))
    expected = np.where((i + j) % 3 != 0, args["X"].reshape(-1)[args["INDEX"]], 5.0)
    np.testing.assert_array_equal(out["Y"][: r - 1], expected[: r - 1])
    np.testing.assert_array_equal(out["Y"][r - 1], args["Y"][r - 1])


@xt.jit
def flow(X, Y, n):
    t = xt.init_tile(X, (0, 0), (32, 32))
    x = xt.load_tile(t)
    best = xt.zeros((32, 32), xt.f32)
    i = 0
    while i < n:
        if i % 2 == 0:
            best = xt.maximum(best, x)
        else:
            best = best + xt.sum(x, axis=0)
        t = xt.update_tile_offset(t, (1, 1))
        x = xt.load_tile(t)
        i = i + 1
    xt.store_tile(best, xt.init_tile(Y, (0, 0), (32, 32)))


@pytest.mark.parametrize("subgroups", [1, 4, 32])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_values_and_tiles_carried_through_control_flow(subgroups, n):
    x = floats(40, 40)
    out, _ = check_parity(flow.fn, (1,), {"X": x, "Y": floats(32, 32), "n": n}, subgroups=subgroups)
    best = np.zeros((32, 32), np.float32)
    for i in range(n):
        part = x[i : i + 32, i : i + 32]
        best = np.maximum(best, part) if i % 2 == 0 else best + part.sum(0)
    np.testing.assert_allclose(out["Y"], best, rtol=1e-4, atol=1e-4)

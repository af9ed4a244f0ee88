"""Steps of products whose depth is no power of two, of which one subgroup loads several pieces next to each other on DG2."""

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch


@xt.jit
def product(A, B, C, WORKED_OUT: xt.constexpr, BM: xt.constexpr, BN: xt.constexpr, BK: xt.constexpr):
    """C = A times what is less than nothing in B, or times B."""
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (0, k), (BM, BK)))
        b = xt.load_tile(xt.init_tile(B, (k, 0), (BK, BN)))
        acc += a @ (xt.minimum(b.to(xt.f16), 0.0) if WORKED_OUT else b)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (BM, BN)))


@pytest.mark.parametrize("worked_out", [False, True])
@pytest.mark.parametrize(("tile", "subgroups"), [((48, 32, 48), None), ((8, 48, 48), None), ((32, 32, 48), 4), ((24, 24, 24), 2)])
def test_pieces_next_to_each_other(tile, subgroups, worked_out):
    rng, (m, n, k) = np.random.default_rng(0), tile
    a = rng.integers(-3, 4, (m - 1, 3 * k + 8)).astype(np.float16)
    b = rng.integers(-3, 4, (a.shape[1], n - 2)).astype(ml_dtypes.float8_e4m3fn if worked_out else np.float16)
    wide = b.astype(np.float32)
    expected = a.astype(np.float32) @ (np.minimum(wide, 0) if worked_out else wide)
    constants = {"WORKED_OUT": worked_out, "BM": m, "BN": n, "BK": k}
    Launch(product, {"A": a, "B": b, "C": np.zeros_like(expected)}, {"C": expected}, constants=constants, num_subgroups=subgroups
           ).at_levels("dg2")  # fmt: skip

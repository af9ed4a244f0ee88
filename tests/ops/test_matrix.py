"""tile_mma for all its dtypes and accumulators, with edges, round robin and sharing."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops.numbers import random, small
from tests.ops.run import ON_EVERY_TARGET, Close, Launch

M, N, K = 16, 32, 64
MAPS = {
    "inferred": (None, None, None, 4),
    "round robin": (xt.wg_map((2, 1), (4, K)), xt.wg_map((2, 1), (K, 16)), xt.wg_map((2, 1), (4, 16)), 2),
    "shared": (xt.wg_map((4, 2), (8, K)), xt.wg_map((4, 2), (K, 16)), xt.wg_map((4, 2), (8, 16)), 8),
}
PRODUCTS = [
    (xt.f16, xt.f16, xt.f32), (xt.bf16, xt.bf16, xt.f32), (xt.f16, xt.f16, xt.f16), (xt.bf16, xt.bf16, xt.bf16),
    (xt.tf32, xt.tf32, xt.f32), (xt.f32, xt.f32, xt.f32), (xt.f64, xt.f64, xt.f64), (xt.i8, xt.i8, xt.i32),
    (xt.u8, xt.u8, xt.i32), (xt.i8, xt.u8, xt.i32), (xt.u8, xt.i8, xt.i32),
]  # fmt: skip


@xt.jit
def products(A, B, C, Out, a_type: xt.constexpr, b_type: xt.constexpr, MAPS: xt.constexpr):
    """Out[0] = A @ B, Out[1] = A @ B + C, Out[2] = A @ B + C in two steps of K, of tiles that reach behind the arrays."""
    ma, mb, mc = MAPS
    a = xt.load_tile(xt.init_tile(A, (3, 4), (M, K), wg_map=ma)).to(a_type)
    b = xt.load_tile(xt.init_tile(B, (4, 16), (K, N), wg_map=mb)).to(b_type)
    c = xt.load_tile(xt.init_tile(C, (0, 0), (M, N), wg_map=mc))
    xt.store_tile(xt.tile_mma(a, b, wg_map=mc, dtype=C.dtype), xt.init_tile(Out[0], (0, 0), (M, N), wg_map=mc))
    total = xt.tile_mma(a, b, c, wg_map=mc)
    xt.store_tile(total, xt.init_tile(Out[1], (0, 0), (M, N), wg_map=mc))
    xt.store_tile(xt.tile_mma(a, b, total, wg_map=mc), xt.init_tile(Out[2], (0, 0), (M, N), wg_map=mc))


def launch(a_type: xt.DType, b_type: xt.DType, c_type: xt.DType, layout: str) -> Launch:
    *maps, subgroups = MAPS[layout]
    held = [xt.f32 if t is xt.tf32 else t for t in (a_type, b_type)]
    whole = c_type is xt.i32
    a, b = ((random if whole else small)(t, shape, i) for i, (t, shape) in enumerate(zip(held, ((18, 64), (60, 64)))))
    c = small(c_type, (M, N), 3, 2)
    left, right = np.zeros((M, K)), np.zeros((K, N))
    left[:15, :60], right[:56] = a[3:18, 4:], b[4:, 16:48]
    exact = left @ right
    expected = np.stack([exact, exact + c, 2 * exact + c]).astype(c_type.numpy)
    values = {"A": a, "B": b, "C": c, "Out": np.zeros_like(expected)}
    # bf16 holds eight bits of the sums.
    close = Close(2**-6, 4.0) if c_type is xt.bf16 else Close()
    return Launch(products, values, {"Out": expected}, constants={"a_type": a_type, "b_type": b_type, "MAPS": tuple(maps)},
                  num_subgroups=subgroups, close=close, labels=("product", "with acc", "twice"))  # fmt: skip


CASES = [pytest.param(*types, list(MAPS)[i % 3], id="-".join(map(str, types))) for i, types in enumerate(PRODUCTS)]


@pytest.mark.every(144)
@pytest.mark.parametrize("a, b, c, layout", CASES)
def test_values(device, a, b, c, layout):
    launch(a, b, c, layout).on_device(device)


@pytest.mark.every(4)
@pytest.mark.parametrize("a, b, c, layout", CASES)
def test_levels(a, b, c, layout):
    launch(a, b, c, layout).at_levels()


@pytest.mark.every(7, 4)
@pytest.mark.parametrize("a, b, c, layout", CASES)
def test_code(a, b, c, layout):
    number = PRODUCTS.index((a, b, c))
    target = ("pvc", "bmg", "dg2")[number % 3]
    launch(a, b, c, layout).as_code("pvc" if target == "dg2" and {xt.tf32, xt.f64} & {a, c} else target)


@pytest.mark.slow
@ON_EVERY_TARGET
@pytest.mark.parametrize("a, b, c, layout", CASES)
def test_code_on_every_target(a, b, c, layout, target):
    launch(a, b, c, layout).as_code_if_it_has_it(target)


@xt.jit(grid=1)
def product(A, B, Out):
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
    xt.store_tile(xt.tile_mma(a, b), xt.init_tile(Out, (0, 0), (8, 16)))


def test_f32_products_are_not_rounded_to_tf32(device):
    """1 + 2**-20 is no tf32."""
    a, out = np.full((8, 16), 1 + 2**-20, np.float32), np.zeros((8, 16), np.float32)
    with xt.device(device):
        product(a, np.eye(16, dtype=np.float32), out)
    assert (out == np.float32(1 + 2**-20)).all()

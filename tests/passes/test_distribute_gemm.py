"""Matrix products from workgroup to subgroups: right results, the layouts that the RFC shows, prefetches distributed."""

from __future__ import annotations

import ml_dtypes  # noqa: F401  numpy learns bfloat16
import numpy as np
import pytest

import xetile as xt
from tests.kernels.matmul import matmul, matmul_bias_relu, matmul_prefetch
from tests.passes.parity import check_parity, levels, ops, text, traced

rng = np.random.default_rng(0)


def arrays(m, n, k, dtype=np.float16):
    a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
    return {"A": a, "B": b, "C": np.full((m, n), 7, np.float32)}


def grid(args, bm, bn):
    m, n = args["C"].shape
    return -(-n // bn), -(-m // bm)


def product(args):
    return args["A"].astype(float) @ args["B"].astype(float)


@pytest.mark.parametrize(
    "bm,bn,bk,subgroups", [(256, 256, 32, 32), (16, 16, 16, 1), (64, 64, 32, 2), (64, 64, 32, 4), (8, 128, 16, 1)]
)
def test_matmul(bm, bn, bk, subgroups):
    args = arrays(bm + 3, bn + 17, 2 * bk + 5)
    given = None if subgroups in (1, 32) else subgroups
    out, modules = check_parity(matmul.fn, grid(args, bm, bn), args, {"BM": bm, "BN": bn, "BK": bk}, subgroups=given)
    np.testing.assert_allclose(out["C"], product(args), rtol=1e-3, atol=1e-3)
    assert modules["layout"].kernel.attributes["num_subgroups"] == subgroups


def test_a_256x256_product_over_32_subgroups_is_8x4_pieces_of_32x64():
    layout = levels(lambda: traced(matmul.fn, arrays(8, 8, 8)))["layout"]
    (mma,) = ops(layout, "xetile.tile_mma")
    assert (mma.wg_map.sg_layout, mma.wg_map.sg_data) == ((8, 4), (32, 64))
    a, b = (v.op.tile.type.wg_map for v in mma.operands[:2])
    assert (a.sg_layout, a.sg_data, b.sg_layout, b.sg_data) == ((8, 4), (32, 32), (8, 4), (32, 64))


@pytest.mark.parametrize("bm,bn,bk", [(256, 256, 32), (32, 64, 16)])
def test_an_epilogue_takes_its_row_in_the_layout_of_the_product(bm, bn, bk):
    args = arrays(bm + 3, bn + 17, bk)
    bias = rng.standard_normal(args["C"].shape[1]).astype(np.float32)
    args = {"A": args["A"], "B": args["B"], "bias": bias, "C": args["C"]}
    out, modules = check_parity(matmul_bias_relu.fn, grid(args, bm, bn), args, {"BM": bm, "BN": bn, "BK": bk})
    np.testing.assert_allclose(out["C"], np.maximum(product(args) + bias, 0), rtol=1e-3, atol=1e-3)
    assert not ops(modules["subgroup"], "gpu.barrier")


def test_each_subgroup_prefetches_its_own_part_with_one_message():
    args = arrays(300, 280, 130)
    out, modules = check_parity(matmul_prefetch.fn, grid(args, 256, 256), args)
    np.testing.assert_allclose(out["C"], product(args), rtol=1e-3, atol=1e-3)
    maps = {
        (p.tile.type.shape, p.tile.type.wg_map.sg_layout, p.tile.type.wg_map.sg_data)
        for p in ops(modules["layout"], "xetile.prefetch_tile")
    }
    assert maps == {((256, 32), (32, 1), (8, 32)), ((32, 256), (4, 8), (8, 32))}  # seed 001, appendix 2.1


@xt.jit
def one_tile_for_both(A, B, C):
    a = xt.init_tile(A, (0, 0), (64, 32))
    acc = xt.zeros((64, 64), xt.f32)
    for k in range(0, A.shape[1], 32):
        xt.prefetch_tile(xt.update_tile_offset(a, (0, 32)))
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(xt.init_tile(B, (k, 0), (32, 64))), acc)
        a = xt.update_tile_offset(a, (0, 32))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (64, 64)))


def test_a_tile_that_is_loaded_and_prefetched_gets_a_version_for_each():
    args = arrays(64, 64, 96)
    out, modules = check_parity(one_tile_for_both.fn, (1,), args, subgroups=8)
    np.testing.assert_allclose(out["C"], product(args), rtol=1e-3, atol=1e-3)
    (prefetch,) = ops(modules["layout"], "xetile.prefetch_tile")
    assert prefetch.tile.type.wg_map.sg_data == (8, 32)


@pytest.mark.parametrize("target", ["pvc", "bmg", "lnl", "dg2", "cpu", "amx"])
def test_all_targets(target):
    args = arrays(70, 90, 80, "bfloat16" if target == "amx" else np.float16)
    out, _ = check_parity(matmul.fn, grid(args, 64, 64), args, {"BM": 64, "BN": 64, "BK": 32}, target=target)
    np.testing.assert_allclose(out["C"], product(args), rtol=1e-3, atol=1e-3)


def test_text(golden):
    modules = levels(lambda: traced(matmul_prefetch.fn, arrays(8, 8, 8)))
    for level in ("layout", "canonical"):
        golden(f"passes/matmul_prefetch.{level}.mlir", text(modules[level]))

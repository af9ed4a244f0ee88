"""The kernels of the RFC's appendix 2 (seed 001) with its maps, at sizes that the interpreter runs fast."""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.passes.parity import check_parity, ops, text

rng = np.random.default_rng(3)
MP_A, MP_B, MP_C = xt.wg_map((8, 4), (32, 32)), xt.wg_map((8, 4), (32, 64)), xt.wg_map((8, 4), (32, 64))


def halves(*shape):
    return rng.standard_normal(shape).astype(np.float16)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def close(one, other):
    np.testing.assert_allclose(one, other, rtol=2e-3, atol=2e-3)


@xt.jit
def gemm_2_1(A, B, C):
    m, n = xt.program_id(1) * 256, xt.program_id(0) * 256
    a, b = xt.init_tile(A, (m, 0), (256, 32), wg_map=MP_A), xt.init_tile(B, (0, n), (32, 256), wg_map=MP_B)
    ap = xt.init_tile(A, (m, 96), (256, 32), wg_map=xt.wg_map((32, 1), (8, 32)))
    bp = xt.init_tile(B, (96, n), (32, 256), wg_map=xt.wg_map((4, 8), (8, 32)))
    acc = xt.zeros((256, 256), xt.f32)
    for _ in range(0, A.shape[1], 32):
        av, bv = xt.load_tile(a), xt.load_tile(b)
        xt.prefetch_tile(ap)
        xt.prefetch_tile(bp)
        acc = xt.tile_mma(av, bv, acc, wg_map=MP_C)
        a, b = xt.update_tile_offset(a, (0, 32)), xt.update_tile_offset(b, (32, 0))
        ap, bp = xt.update_tile_offset(ap, (0, 32)), xt.update_tile_offset(bp, (32, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (256, 256), wg_map=MP_C))


def test_gemm_with_prefetch():
    a, b = halves(260, 96), halves(96, 300)
    out, modules = check_parity(gemm_2_1.fn, (2, 2), {"A": a, "B": b, "C": floats(260, 300)})
    close(out["C"], a.astype(float) @ b.astype(float))
    assert modules["layout"].kernel.attributes["num_subgroups"] == 32
    assert not ops(modules["subgroup"], "gpu.barrier")


@xt.jit
def gemm_2_2(A, BT, BC, C, RES):
    m, n = xt.program_id(1) * 256, xt.program_id(0) * 128
    mp_bt, mp_b, mp_c = xt.wg_map((4, 8), (32, 32)), xt.wg_map((8, 4), (32, 32)), xt.wg_map((8, 4), (32, 32))
    a = xt.init_tile(A, (m, 0), (256, 32), wg_map=xt.wg_map((8, 4), (32, 32)))
    bt = xt.init_tile(BT, (n, 0), (128, 32), wg_map=mp_bt)
    row = xt.init_tile(BC, (0, n), (1, 128), wg_map=xt.wg_map((8, 4), (1, 32)))
    res = xt.init_tile(RES, (m, 0), (256, 1), wg_map=xt.wg_map((32, 1), (8, 1)))
    acc = xt.zeros((256, 128), xt.f32)
    for _ in range(0, A.shape[1], 32):
        b = xt.tile_transpose(xt.load_tile(bt), wg_map=mp_b)
        acc = xt.tile_mma(xt.load_tile(a), b, acc, wg_map=mp_c)
        a, bt = xt.update_tile_offset(a, (0, 32)), xt.update_tile_offset(bt, (0, 32))
    total = acc + xt.tile_broadcast(xt.load_tile(row), (256, 128), wg_map=mp_c)
    xt.store_tile(total, xt.init_tile(C, (m, n), (256, 128), wg_map=mp_c))
    rows = xt.tile_conv_layout(total, wg_map=xt.wg_map((32, 1), (8, 128)))
    xt.store_tile(xt.tile_reduce("add", rows, 1, wg_map=xt.wg_map((32, 1), (8, 1))), res)


def test_gemm_with_transpose_broadcast_and_reduction():
    a, bt, bc = halves(256, 64), halves(128, 64), floats(1, 128)
    out, modules = check_parity(
        gemm_2_2.fn, (1, 1), {"A": a, "BT": bt, "BC": bc, "C": floats(256, 128), "RES": floats(256, 1)}, rtol=1e-3
    )
    expected = a.astype(float) @ bt.astype(float).T + bc
    close(out["C"], expected)
    np.testing.assert_allclose(out["RES"][:, 0], expected.sum(1), rtol=1e-2, atol=1e-2)
    # The transposition needs two in the loop: before its stores, and between them and its loads.
    (loop,) = ops(modules["subgroup"], "scf.for")
    assert sum(op.opname == "gpu.barrier" for op in loop.walk()) == 2, text(modules["subgroup"])


@xt.jit
def gemm_2_4(A, B, C):
    m, n = xt.program_id(1) * 256, xt.program_id(0) * 256
    mp_a, mp_b, mp_c = xt.wg_map((8, 8), (32, 32)), xt.wg_map((8, 8), (32, 32)), xt.wg_map((8, 8), (32, 32))
    cop_a, cop_b = xt.wg_map((64, 1), (4, 32)), xt.wg_map((8, 8), (4, 32))
    slm_a, slm_b = xt.alloc_slm((256, 128), xt.f16), xt.alloc_slm((128, 256), xt.f16)
    for i in xt.static_range(3):
        av = xt.load_tile(xt.init_tile(A, (m, 32 * i), (256, 32), wg_map=cop_a))
        bv = xt.load_tile(xt.init_tile(B, (32 * i, n), (32, 256), wg_map=cop_b))
        xt.store_tile(av, xt.init_tile(slm_a, (0, 32 * i), (256, 32), wg_map=cop_a))
        xt.store_tile(bv, xt.init_tile(slm_b, (32 * i, 0), (32, 256), wg_map=cop_b))
    xt.barrier()
    a4, b4 = xt.init_tile(A, (m, 96), (256, 32), wg_map=cop_a), xt.init_tile(B, (96, n), (32, 256), wg_map=cop_b)
    acc = xt.zeros((256, 256), xt.f32)
    slot = 0
    for _ in range(0, A.shape[1], 32):
        ahead_a, ahead_b = xt.load_tile(a4), xt.load_tile(b4)
        av = xt.load_tile(xt.init_tile(slm_a, (0, slot), (256, 32), wg_map=mp_a))
        bv = xt.load_tile(xt.init_tile(slm_b, (slot, 0), (32, 256), wg_map=mp_b))
        free = (slot + 96) % 128
        a4, b4 = xt.update_tile_offset(a4, (0, 32)), xt.update_tile_offset(b4, (32, 0))
        acc = xt.tile_mma(av, bv, acc, wg_map=mp_c)
        xt.barrier()
        xt.store_tile(ahead_a, xt.init_tile(slm_a, (0, free), (256, 32), wg_map=cop_a))
        xt.store_tile(ahead_b, xt.init_tile(slm_b, (free, 0), (32, 256), wg_map=cop_b))
        slot = (slot + 32) % 128
    xt.store_tile(acc, xt.init_tile(C, (m, n), (256, 256), wg_map=mp_c))


def test_gemm_with_cooperative_loads_through_shared_memory():
    a, b = halves(256, 224), halves(224, 256)
    out, modules = check_parity(gemm_2_4.fn, (1, 1), {"A": a, "B": b, "C": floats(256, 256)})
    close(out["C"], a.astype(float) @ b.astype(float))
    assert len(ops(modules["subgroup"], "gpu.barrier")) == 2  # the user's own


@xt.jit
def gemm_2_5(A, B, C):
    m, n = xt.program_id(1) * 512, xt.program_id(0) * 256
    mp_a, mp_b, mp_c = xt.wg_map((8, 4), (64, 32)), xt.wg_map((8, 4), (32, 64)), xt.wg_map((8, 4), (64, 64))
    a_l2 = xt.init_tile(A, (m, 0), (512, 128), wg_map=xt.wg_map((32, 1), (16, 128)))
    b_l2 = xt.init_tile(B, (0, n), (128, 256), wg_map=xt.wg_map((16, 2), (8, 128)))
    a_l1 = xt.init_tile(A, (m, 0), (512, 32), wg_map=xt.wg_map((32, 1), (16, 32)))
    b_l1 = xt.init_tile(B, (0, n), (32, 256), wg_map=xt.wg_map((4, 8), (8, 32)))
    a, b = xt.init_tile(A, (m, 0), (512, 32), wg_map=mp_a), xt.init_tile(B, (0, n), (32, 256), wg_map=mp_b)
    acc = xt.zeros((512, 256), xt.f32)
    for k in range(0, A.shape[1], 32):
        av, bv = xt.load_tile(a), xt.load_tile(b)
        if k % 128 == 0:
            xt.barrier()
            xt.prefetch_tile(a_l2, 2)
            xt.prefetch_tile(b_l2, 2)
            a_l2, b_l2 = xt.update_tile_offset(a_l2, (0, 128)), xt.update_tile_offset(b_l2, (128, 0))
        xt.prefetch_tile(a_l1)
        xt.prefetch_tile(b_l1)
        a_l1, b_l1 = xt.update_tile_offset(a_l1, (0, 32)), xt.update_tile_offset(b_l1, (32, 0))
        a, b = xt.update_tile_offset(a, (0, 32)), xt.update_tile_offset(b, (32, 0))
        acc = xt.tile_mma(av, bv, acc, wg_map=mp_c)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (512, 256), wg_map=mp_c))


def test_gemm_with_two_levels_of_prefetch():
    a, b = halves(512, 160), halves(160, 256)
    out, _ = check_parity(gemm_2_5.fn, (1, 1), {"A": a, "B": b, "C": floats(512, 256)})
    close(out["C"], a.astype(float) @ b.astype(float))

"""XeTile RFC, appendices 2.1 and 2.5: products with workgroup maps and prefetches, to one level of cache and to two."""

import xetile as xt

MP_A = xt.wg_map(sg_layout=(8, 4), sg_data=(32, 32))
MP_A_PFH = xt.wg_map(sg_layout=(32, 1), sg_data=(8, 32))
MP_B = xt.wg_map(sg_layout=(8, 4), sg_data=(32, 64))
MP_B_PFH = xt.wg_map(sg_layout=(4, 8), sg_data=(8, 32))
MP_C = xt.wg_map(sg_layout=(8, 4), sg_data=(32, 64))


@xt.jit(grid=lambda C: (xt.cdiv(C.shape[1], 256), xt.cdiv(C.shape[0], 256)), num_subgroups=32)
def gemm_prefetch(A, B, C):
    """2.1: tiles of 256x256x32, the next ones prefetched by all subgroups together, 96 elements of K ahead."""
    i, j = xt.program_id(1) * 256, xt.program_id(0) * 256
    a = xt.init_tile(A, (i, 0), (256, 32), wg_map=MP_A)
    b = xt.init_tile(B, (0, j), (32, 256), wg_map=MP_B)
    a_next = xt.init_tile(A, (i, 96), (256, 32), wg_map=MP_A_PFH)
    b_next = xt.init_tile(B, (96, j), (32, 256), wg_map=MP_B_PFH)
    c = xt.init_tile(C, (i, j), (256, 256), wg_map=MP_C)
    acc = xt.zeros((256, 256), xt.f32)
    for _ in range(0, A.shape[1], 32):
        a_value, b_value = xt.load_tile(a), xt.load_tile(b)
        xt.prefetch_tile(a_next)
        xt.prefetch_tile(b_next)
        acc = xt.tile_mma(a_value, b_value, acc, wg_map=MP_C)
        a = xt.update_tile_offset(a, (0, 32))
        b = xt.update_tile_offset(b, (32, 0))
        a_next = xt.update_tile_offset(a_next, (0, 32))
        b_next = xt.update_tile_offset(b_next, (32, 0))
    xt.store_tile(acc, c)


MP2_A = xt.wg_map(sg_layout=(8, 4), sg_data=(64, 32))
MP2_B = xt.wg_map(sg_layout=(8, 4), sg_data=(32, 64))
MP2_C = xt.wg_map(sg_layout=(8, 4), sg_data=(64, 64))
MP2_A_L2 = xt.wg_map(sg_layout=(32, 1), sg_data=(16, 128))
MP2_B_L2 = xt.wg_map(sg_layout=(16, 2), sg_data=(8, 128))
MP2_A_L1 = xt.wg_map(sg_layout=(32, 1), sg_data=(16, 32))
MP2_B_L1 = xt.wg_map(sg_layout=(4, 8), sg_data=(8, 32))


@xt.jit(grid=lambda C: (xt.cdiv(C.shape[1], 256), xt.cdiv(C.shape[0], 512)), num_subgroups=32)
def gemm_two_level_prefetch(A, B, C):
    """2.5: 128 elements of K at a time go to the last-level cache, and 32 at a time to the first level."""
    i, j = xt.program_id(1) * 512, xt.program_id(0) * 256
    a_l2 = xt.init_tile(A, (i, 0), (512, 128), wg_map=MP2_A_L2)
    b_l2 = xt.init_tile(B, (0, j), (128, 256), wg_map=MP2_B_L2)
    for _ in xt.static_range(2):
        xt.prefetch_tile(a_l2, locality=2)
        xt.prefetch_tile(b_l2, locality=2)
        a_l2 = xt.update_tile_offset(a_l2, (0, 128))
        b_l2 = xt.update_tile_offset(b_l2, (128, 0))
    a_l1 = xt.init_tile(A, (i, 0), (512, 32), wg_map=MP2_A_L1)
    b_l1 = xt.init_tile(B, (0, j), (32, 256), wg_map=MP2_B_L1)
    for _ in xt.static_range(4):
        xt.prefetch_tile(a_l1, locality=3)
        xt.prefetch_tile(b_l1, locality=3)
        a_l1 = xt.update_tile_offset(a_l1, (0, 32))
        b_l1 = xt.update_tile_offset(b_l1, (32, 0))
    a = xt.init_tile(A, (i, 0), (512, 32), wg_map=MP2_A)
    b = xt.init_tile(B, (0, j), (32, 256), wg_map=MP2_B)
    c = xt.init_tile(C, (i, j), (512, 256), wg_map=MP2_C)
    acc = xt.zeros((512, 256), xt.f32)
    for k in range(0, A.shape[1], 32):
        a_value, b_value = xt.load_tile(a), xt.load_tile(b)
        if k % 128 == 0:
            xt.barrier()
            xt.prefetch_tile(a_l2, locality=2)
            xt.prefetch_tile(b_l2, locality=2)
            a_l2 = xt.update_tile_offset(a_l2, (0, 128))
            b_l2 = xt.update_tile_offset(b_l2, (128, 0))
        xt.prefetch_tile(a_l1, locality=3)
        xt.prefetch_tile(b_l1, locality=3)
        a_l1 = xt.update_tile_offset(a_l1, (0, 32))
        b_l1 = xt.update_tile_offset(b_l1, (32, 0))
        a = xt.update_tile_offset(a, (0, 32))
        b = xt.update_tile_offset(b, (32, 0))
        acc = xt.tile_mma(a_value, b_value, acc, wg_map=MP2_C)
    xt.store_tile(acc, c)

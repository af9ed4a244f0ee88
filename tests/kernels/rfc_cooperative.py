"""XeTile RFC, appendix 2.4: all subgroups load tiles together to shared local memory, three steps ahead, in a ring of four."""

import xetile as xt

MP_A = xt.wg_map(sg_layout=(8, 8), sg_data=(32, 32))
MP_A_COP = xt.wg_map(sg_layout=(64, 1), sg_data=(4, 32))
MP_B = xt.wg_map(sg_layout=(8, 8), sg_data=(32, 32))
MP_B_COP = xt.wg_map(sg_layout=(8, 8), sg_data=(4, 32))
MP_C = xt.wg_map(sg_layout=(8, 8), sg_data=(32, 32))

STAGES = 4
RING = 32 * STAGES


@xt.jit(grid=lambda C: (xt.cdiv(C.shape[1], 256), xt.cdiv(C.shape[0], 256)), num_subgroups=64)
def gemm_cooperative(A, B, C):
    """C[M, N] = A[M, K] @ B[K, N] for f16 and bf16, f32 result; tiles of 256x256x32 on 64 subgroups."""
    i, j = xt.program_id(1) * 256, xt.program_id(0) * 256
    a_ring = xt.alloc_slm((256, RING), A.dtype)
    b_ring = xt.alloc_slm((RING, 256), B.dtype)
    a_global = xt.init_tile(A, (i, 0), (256, 32), wg_map=MP_A_COP)
    b_global = xt.init_tile(B, (0, j), (32, 256), wg_map=MP_B_COP)
    for stage in xt.static_range(STAGES - 1):
        xt.store_tile(xt.load_tile(a_global), xt.init_tile(a_ring, (0, 32 * stage), (256, 32), wg_map=MP_A_COP))
        xt.store_tile(xt.load_tile(b_global), xt.init_tile(b_ring, (32 * stage, 0), (32, 256), wg_map=MP_B_COP))
        a_global = xt.update_tile_offset(a_global, (0, 32))
        b_global = xt.update_tile_offset(b_global, (32, 0))
    xt.barrier()
    acc = xt.zeros((256, 256), xt.f32)
    read, write = 0, 32 * (STAGES - 1)
    for _ in range(0, A.shape[1], 32):
        a_next, b_next = xt.load_tile(a_global), xt.load_tile(b_global)
        a = xt.load_tile(xt.init_tile(a_ring, (0, read), (256, 32), wg_map=MP_A))
        b = xt.load_tile(xt.init_tile(b_ring, (read, 0), (32, 256), wg_map=MP_B))
        acc = xt.tile_mma(a, b, acc, wg_map=MP_C)
        # Between the last reads of the slot that is written next, and the first ones of what the last step wrote.
        xt.barrier()
        xt.store_tile(a_next, xt.init_tile(a_ring, (0, write), (256, 32), wg_map=MP_A_COP))
        xt.store_tile(b_next, xt.init_tile(b_ring, (write, 0), (32, 256), wg_map=MP_B_COP))
        read, write = (read + 32) % RING, (write + 32) % RING
        a_global = xt.update_tile_offset(a_global, (0, 32))
        b_global = xt.update_tile_offset(b_global, (32, 0))
    xt.store_tile(acc, xt.init_tile(C, (i, j), (256, 256), wg_map=MP_C))

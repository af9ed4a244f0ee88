"""XeTile RFC, appendices 2.2 and 2.3: C = A @ BT.T + broadcast(row), reduced over its columns; two maps for the transpose.

The RFC's loop over columns stays inside the program, which owns its rows of the result; partial sums go from step to step.
"""

import xetile as xt

MP_A = xt.wg_map(sg_layout=(8, 4), sg_data=(32, 32))
MP_A_PFH = xt.wg_map(sg_layout=(32, 1), sg_data=(8, 32))
MP_B = xt.wg_map(sg_layout=(8, 4), sg_data=(32, 64))
MP_BT = xt.wg_map(sg_layout=(4, 8), sg_data=(64, 32))
MP_BT_PFH = xt.wg_map(sg_layout=(32, 1), sg_data=(8, 32))
MP_C = xt.wg_map(sg_layout=(8, 4), sg_data=(32, 64))
MP_BCAST = xt.wg_map(sg_layout=(8, 4), sg_data=(1, 64))
MP_REDUCE = xt.wg_map(sg_layout=(32, 1), sg_data=(8, 1))
MP_REDUCE2 = xt.wg_map(sg_layout=(32, 1), sg_data=(8, 256))

# 2.3: subgroups load just what they hold of the transposed value, which is then transposed in registers.
MP_BT_IN_PLACE = xt.wg_map(sg_layout=(32, 1), sg_data=(64, 32))


@xt.jit
def product(A, BT, i, j, mp_bt):
    """256x256 of A @ BT.T at row i and column j."""
    a = xt.init_tile(A, (i, 0), (256, 32), wg_map=MP_A)
    bt = xt.init_tile(BT, (j, 0), (256, 32), wg_map=mp_bt)
    a_next = xt.init_tile(A, (i, 192), (256, 32), wg_map=MP_A_PFH)
    bt_next = xt.init_tile(BT, (j, 192), (256, 32), wg_map=MP_BT_PFH)
    acc = xt.zeros((256, 256), xt.f32)
    for _ in range(0, A.shape[1], 32):
        a_value, bt_value = xt.load_tile(a), xt.load_tile(bt)
        b_value = xt.tile_transpose(bt_value, wg_map=MP_B)
        xt.prefetch_tile(a_next)
        xt.prefetch_tile(bt_next)
        acc = xt.tile_mma(a_value, b_value, acc, wg_map=MP_C)
        a = xt.update_tile_offset(a, (0, 32))
        bt = xt.update_tile_offset(bt, (0, 32))
        a_next = xt.update_tile_offset(a_next, (0, 32))
        bt_next = xt.update_tile_offset(bt_next, (0, 32))
    return acc


@xt.jit
def columns_in_range(value, j, n):
    """The value with its columns from n on set to zero: sums must not see what lies outside of the matrix."""
    return xt.where(j + xt.arange(256)[None, :] < n, value, 0)


@xt.jit(grid=lambda result: (xt.cdiv(result.shape[0], 256),), num_subgroups=32)
def transpose_broadcast_reduce(A, BT, row, result, mp_bt: xt.constexpr = MP_BT):
    """2.2: result[M] = sum over n of (A[M, K] @ BT[N, K].T + row[N])."""
    i = xt.program_id(0) * 256
    total = xt.zeros((256, 1), xt.f32)
    for j in range(0, BT.shape[0], 256):
        acc = product(A, BT, i, j, mp_bt)
        bcast = xt.load_tile(xt.init_tile(row, j, (1, 256), wg_map=MP_BCAST))
        value = acc + xt.tile_broadcast(bcast, (256, 256), wg_map=MP_C)
        value = xt.tile_conv_layout(columns_in_range(value, j, BT.shape[0]), wg_map=MP_REDUCE2)
        total += xt.tile_reduce("add", value, 1, wg_map=MP_REDUCE)
    xt.store_tile(total, xt.init_tile(result, i, (256, 1), wg_map=MP_REDUCE))


@xt.jit(grid=lambda result: (xt.cdiv(result.shape[0], 256),), num_subgroups=32)
def transpose_in_place(A, BT, row, result):
    """2.3: the same with the map that needs no exchange between subgroups for the transpose."""
    transpose_broadcast_reduce(A, BT, row, result, mp_bt=MP_BT_IN_PLACE)

"""Small kernels, one for each pass: tests/passes/test_golden.py shows what the pass makes of them, and of nothing else."""

from __future__ import annotations

import xetile as xt
from tests.kernels import test_gathered_tiles as tiles
from tests.kernels.plain_linear import H4, heads
from tests.lowering.kernels import mixed_subgroup, workgroup
from tests.ops.test_carried_tiles import exchanged
from tests.passes import test_split_rows as rows
from tests.passes import test_split_words as words
from tests.passes import test_tabulate_codes as codes
from tests.passes import test_work_once as worked
from tests.passes.golden_products import (
    blocks,
    bytes_in_bf16,
    either_way,
    least,
    less_zero_points,
    masked_at_the_end,
    rows_by_number,
    scaled_sums,
    stored_turned,
    summed_behind,
    summed_narrowly,
    summed_transposed,
    sums_stretched,
    totals_beside,
    turned,
    used_transposed,
    weighted,
)

ROWS, PRODUCT = ("f32[?,?]", "f32[?,?]"), ("f16[?,?]", "f16[?,?]", "f32[?,?]")


@xt.jit
def looked_at(X, Y):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (8, 16)))
    breakpoint()
    xt.store_tile(x, xt.init_tile(Y, (0, 0), (8, 16)))


@xt.jit
def added(A, B, C):
    """A product that something is added to; in a loop over two steps."""
    a, b, c = xt.init_tile(A, (0, 0), (8, 16)), xt.init_tile(B, (0, 0), (16, 16)), xt.init_tile(C, (0, 0), (8, 16))
    acc = xt.load_tile(c)
    for _ in range(2):
        acc = acc + xt.load_tile(a) @ xt.load_tile(b)
    xt.store_tile(acc, c)


@xt.jit
def divided(A, B, C, s):
    """A product that one number multiplies and another divides, in each round."""
    for n in range(0, B.shape[1], 16):
        a, b = xt.init_tile(A, (0, 0), (8, 16)), xt.init_tile(B, (0, n), (16, 16))
        xt.store_tile(xt.load_tile(a) @ xt.load_tile(b) * s / 3.0, xt.init_tile(C, (0, n), (8, 16)))


@xt.jit
def quantized(A, S, B, C):
    """A product of bytes whose second operand is divided by the scales of its columns in each step."""
    scales, acc = xt.load_tile(xt.init_tile(S, (0, 0), (1, 64))), xt.zeros((256, 64), xt.i32)
    for k in range(0, A.shape[1], 64):
        b = xt.load_tile(xt.init_tile(B, (k, 0), (64, 64))) / scales
        acc += xt.load_tile(xt.init_tile(A, (0, k), (256, 64))) @ b.to(xt.i8)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (256, 64)))


@xt.jit
def ahead(A, B, C):
    acc, a = xt.zeros((16, 16), xt.f32), xt.load_tile(A[0:16, 0:16])
    for k in range(16, A.shape[1], 16):
        following = xt.load_tile(A[0:16, k : k + 16])
        acc += a @ xt.load_tile(B[k - 16 : k, 0:16])
        a = following
    xt.store_tile(acc + a.to(xt.f32), C[0:16, 0:16])


@xt.jit
def counting(A, B, C):
    """A loop with a counter of its own, which makes its tiles anew."""
    acc, k = xt.zeros((8, 16), xt.f32), 0
    while k < A.shape[1]:
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, k), (8, 16))), xt.load_tile(xt.init_tile(B, (k, 0), (16, 16))), acc)
        k += 16
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (8, 16)))


@xt.jit
def byte_weights(A, B, C):
    """A product whose second operand is widened."""
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (8, 32))), xt.load_tile(xt.init_tile(B, (0, 0), (32, 16)))
    xt.store_tile(a @ b.to(xt.f16), xt.init_tile(C, (0, 0), (8, 16)))


@xt.jit
def halves_and_codes(A, B, C):
    """Products by both halves of a tile, and of codes that are made floats by their bits."""
    a, codes = xt.load_tile(xt.init_tile(A, (0, 0), (8, 32))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 16))) & 15
    b = (codes.to(xt.u16) | 0x6400).bitcast(xt.f16) - 1032
    xt.store_tile(a[:, 0:16] @ b - a[:, 16:32] @ b, xt.init_tile(C, (0, 0), (8, 16)))


@xt.jit
def looked_up(A, B, Table, C):
    """Codes of 4 bits, each a number of a table."""
    b = xt.load_gather(xt.init_tile(Table, xt.load_tile(xt.init_tile(B, (0, 0), (16, 16))) >> 4))
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))) @ b, xt.init_tile(C, (0, 0), (8, 16)))


@xt.jit
def both_ways(A, B, C):
    """A loaded tile is used as it is, and worked on and transposed."""
    b = xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
    xt.store_tile(xt.tile_mma(b, (b * 2.0).T), xt.init_tile(C, (0, 0), (16, 16)))


@xt.jit
def odd(X, Y):
    """Sums of rows that hardware blocks do not divide."""
    total = xt.sum(xt.load_tile(xt.init_tile(X, (0, 0), (13, 33))), axis=1)
    xt.store_tile(total, xt.init_tile(Y, (0, 0), (13, 1)))


@xt.jit
def product(A, B, C, BM: xt.constexpr = 16, BN: xt.constexpr = 16, BK: xt.constexpr = 16):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    a, b = xt.init_tile(A, (m, 0), (BM, BK)), xt.init_tile(B, (0, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.f32)
    for _ in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a, b = xt.update_tile_offset(a, (0, BK)), xt.update_tile_offset(b, (BK, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit
def by_columns(A, B, C):
    """A first operand that memory holds by columns."""
    a, b = xt.init_tile(A.T, (0, 0), (64, 64)), xt.init_tile(B, (0, 0), (64, 64))
    acc = xt.zeros((64, 64), xt.f32)
    for _ in range(0, A.shape[0], 64):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a, b = xt.update_tile_offset(a, (0, 64)), xt.update_tile_offset(b, (64, 0))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (64, 64)))


@xt.jit
def scaled(X, Y):
    tile = xt.load_tile(xt.init_tile(X, (0, 0), (8, 16)))
    xt.store_tile(tile * 2.0 + 1.0, xt.init_tile(Y, (0, 0), (8, 16)))


@xt.jit
def totals(X, Y):
    """Sums of rows that two subgroups share."""
    total = xt.sum(xt.load_tile(xt.init_tile(X, (0, 0), (8, 32))), axis=1)
    xt.store_tile(total, xt.init_tile(Y, (0, 0), (8, 1)))


@xt.jit
def ends(X, Y):
    """Coordinates against the end of a loop."""
    count = xt.zeros((1, 16), xt.i32)
    for n in range(0, X.shape[1], 16):
        count = count + (n + xt.arange(16) < X.shape[1]).to(xt.i32)[None, :]
    xt.store_tile(count.to(xt.f32), xt.init_tile(Y, (0, 0), (1, 16)))


@xt.jit
def rolled(X, Y):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (4, 16)))
    xt.store_tile(xt.roll(x, 1, 0), xt.init_tile(Y, (0, 0), (4, 16)))


@xt.jit(grid=(1,))
def borrowed(X, Y):
    """The first subgroup takes rows that the second has stored."""
    shared = xt.alloc_slm((32, 16), xt.f32)
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (32, 16))) * 2, xt.init_tile(shared, (0, 0), (32, 16)))
    xt.barrier()
    xt.store_tile(xt.load_tile(xt.init_tile(shared, (16, 0), (16, 16))), xt.init_tile(Y, (0, 0), (16, 16)))


@xt.jit
def places(X, Y):
    """Where each row is greatest: lanes exchange places."""
    at = xt.argmax(xt.load_tile(xt.init_tile(X, (0, 0), (1, 16))), axis=1)
    xt.store_tile(at.to(xt.f32), xt.init_tile(Y, (0, 0), (1, 1)))


@xt.jit
def shifted_by_rows(X, Y):
    """Each row is shifted by its own number of bits."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), (8, 16)))
    xt.store_tile(x >> (xt.arange(8) % 4 * 2)[:, None].to(xt.u8), xt.init_tile(Y, (0, 0), (8, 16)))


@xt.jit
def flagged(X, Y):
    """Where bytes have a flag."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), (8, 16)))
    xt.store_tile(xt.where((x >> 2) & 3 == 2, 1.0, 0.0), xt.init_tile(Y, (0, 0), (8, 16)))


@xt.jit
def two_loads(A, B, C):
    """Both operands are loaded before the first product."""
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 32)))
    xt.store_tile(xt.tile_mma(a, b), xt.init_tile(C, (0, 0), (16, 32)))


@xt.jit
def widened(X, Y):
    """Halves that become floats: a message brings more rows than one op takes."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    xt.store_tile(x.to(xt.f32) * 2.0, xt.init_tile(Y, (0, 0), (16, 32)))


@xt.jit
def chain(X, Y):
    """More values at once than registers hold, if all are computed before the first is stored."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 64))).to(xt.f32)
    xt.store_tile((x + 1.0) * x, xt.init_tile(Y, (0, 0), (32, 64)))


@xt.jit
def capped(A, B, C):
    """A quotient and a function of each of several vectors of a product."""
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
    xt.store_tile(xt.tanh(a @ b / 3.0) * 3.0, xt.init_tile(C, (0, 0), (16, 16)))


@xt.jit
def faded(A, B, C):
    """Sums that each step of a loop scales: two blocks of them."""
    a, acc = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.zeros((16, 16), xt.f32)
    for k in range(0, A.shape[1], 16):
        acc = acc * 0.5 + a @ xt.load_tile(xt.init_tile(B, (k, 0), (16, 16)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, 16)))


@xt.jit
def scored(A, B, C):
    """Sums of what is computed with products of transposed blocks."""
    a, acc = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))), xt.zeros((16, 16), xt.f32)
    for n in range(0, B.shape[0], 16):
        acc += xt.maximum(a @ xt.load_tile(xt.init_tile(B, (n, 0), (16, 32))).T, 0)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, 16)))


@xt.jit
def bounded(A, B, C, end):
    """A product of the columns before one."""
    acc = xt.zeros((16, 16), xt.f32)
    for k in range(0, A.shape[1], 16):
        a, b = xt.load_tile(xt.init_tile(A, (0, k), (16, 16))), xt.load_tile(xt.init_tile(B, (k, 0), (16, 16)))
        acc = xt.tile_mma(xt.where(k + xt.arange(16)[None, :] < end, a, 0), b, acc)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, 16)))


@xt.jit
def below_two(A, B, Ends, C):
    """A product of the columns up to each row's and before one from memory."""
    acc = xt.zeros((16, 16), xt.f32)
    first, end = Ends[0], Ends[1]
    for k in range(first, end, 16):
        a, b = xt.load_tile(xt.init_tile(A, (0, k), (16, 16))), xt.load_tile(xt.init_tile(B, (k, 0), (16, 16)))
        columns, rows = k + xt.arange(16)[None, :], first + xt.arange(16)[:, None]
        acc = xt.tile_mma(xt.where((columns <= rows) & (columns < end), a, 0), b, acc)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, 16)))


@xt.jit
def joint(X, Y):
    """A joint matrix that is not filled with zeros, and what each work-item does with its elements."""
    c = xt.joint_matrix.fill((8, 16), 1.0, xt.f32)
    for i in range(c.wi_data.length):
        c.wi_data[i] *= 2.0
    xt.joint_matrix.store(c, Y, (0, 0))


@xt.jit
def gathered(X, Y):
    """A scattered tile that a loop moves."""
    tile, total = xt.init_tile(X, xt.arange(8)[:, None] * X.stride(0) + xt.arange(8)[None, :] * 2), xt.zeros((8, 8), xt.f32)
    for _ in range(0, X.shape[1], 16):
        total += xt.load_gather(tile)
        tile = xt.update_tile_offset(tile, 16)
    xt.store_tile(total, xt.init_tile(Y, (0, 0), (8, 8)))


@xt.jit(grid=(1,))
def softmax(X, Y):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (8, 16)))
    p = xt.exp(x - xt.max(x, axis=1))
    xt.store_tile(p / xt.sum(p, axis=1), xt.init_tile(Y, (0, 0), (8, 16)))


@xt.jit(grid=(1,))
def weights(A, B, Y, scale):
    s = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))) @ xt.load_tile(xt.init_tile(B, (0, 0), (16, 16))) * scale
    xt.store_tile(xt.exp(s - xt.max(s, axis=1)), xt.init_tile(Y, (0, 0), (8, 16)))


@xt.jit(grid=(1,))
def every_other(A, B, Y):
    """Even and odd columns of A, each times rows of B."""
    a, b = xt.load_tile(A[0:16, 0:32]), xt.load_tile(B[0:16, 0:16])
    xt.store_tile(a[:, ::2] @ b + a[:, 1::2] @ -b, Y[0:16, 0:16])


@xt.jit(grid=(1,))
def columns_by_turns(A, B, Y):
    """Columns of a value and of the same with the other sign by turns."""
    acc = xt.zeros((16, 32), xt.f32)
    for k in range(0, A.shape[1], 16):
        b = xt.load_tile(B[k : k + 16, 0:16])
        acc += xt.load_tile(A[0:16, k : k + 16]) @ xt.interleave(b, -b)
    xt.store_tile(acc, Y[0:16, 0:32])


@xt.jit(grid=(1,))
def online(A, B, Y, scale):
    """Rows' sums of exponentials, block by block."""
    a, top, total = (
        xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))),
        xt.full((16, 1), float("-inf"), xt.f32),
        xt.zeros((16, 1), xt.f32),
    )
    for n in range(0, B.shape[1], 16):
        s = a @ xt.load_tile(xt.init_tile(B, (0, n), (16, 16))) * scale
        new = xt.maximum(top, xt.max(s, axis=1))
        total, top = total * xt.exp(top - new) + xt.sum(xt.exp(s - new), axis=1), new
    xt.store_tile(total, xt.init_tile(Y, (0, 0), (16, 1)))


@xt.jit(grid=(1,))
def stepped(A, B, S, C):
    """A scale for each step of bytes."""
    acc = xt.zeros((16, 16), xt.f32)
    for k in range(0, A.shape[1], 16):
        b = xt.load_tile(xt.init_tile(B, (k, 0), (16, 16))).to(xt.f16)
        acc += (xt.load_tile(xt.init_tile(A, (0, k), (16, 16))) @ b) * S[k // 16, 0]
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, 16)))


@xt.jit(grid=(1,))
def rolling(X, Y):
    """The columns of X again and again."""
    for n in range(0, Y.shape[1], 16):
        xt.store_tile(xt.load_tile(xt.init_tile(X, (0, n % X.shape[1]), (8, 16))), xt.init_tile(Y, (0, n), (8, 16)))


CASES = {  # pass: kernel, types, constants and options, target
    "drop_breakpoints": (looked_at, ROWS, {}, "pvc"),
    "part_tiles": (exchanged, (*ROWS, "i32"), {"num_subgroups": 1}, "pvc"),
    "check_tiles": (product, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "count_loops": (counting, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "load_parts": (halves_and_codes, ("f16[?,?]", "u8[?,?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "select_in_branches": (masked_at_the_end, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "lift_branches": (either_way, (*PRODUCT, "i32"), {"num_subgroups": 1}, "pvc"),
    "multiply_as_f16": (bytes_in_bf16, ("i8[?,?]", "i8[?,?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "convert_bits": (halves_and_codes, ("f16[?,?]", "u8[?,?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "convert_first": (less_zero_points, ("f16[?,?]", "u8[?,?]", "u8[?,?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "widen_accumulators": (summed_narrowly, ("f16[?,?]", "f16[?,?]", "f16[?,?]"), {"num_subgroups": 1}, "dg2"),
    "load_in_time": (ahead, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "accumulate_products": (added, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "reduce_early": (summed_behind, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "join_columns": (every_other, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "split_columns": (columns_by_turns, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "drop_nan_tests": (softmax, ("f32[?,?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "join_scales": (divided, (*PRODUCT, "f32"), {"num_subgroups": 1}, "pvc"),
    "reload_operands": (weighted, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "scale_exponents": (weights, (*PRODUCT, "f32"), {"num_subgroups": 1}, "pvc"),
    "make_scales_positive": (online, (*PRODUCT, "f32"), {"num_subgroups": 1}, "pvc"),
    "fuse_scaled_sums": (scaled_sums, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "sum_by_products of what is stretched": (sums_stretched, ("i8[?,?]", "i8[?,?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "sum_by_products": (totals_beside, ("u8[?,?]", "i8[?,?]", "i32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "transpose_sums": (summed_transposed, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "transpose_products": (used_transposed, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "reload_transposes": (both_ways, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "turn_stores": (stored_turned, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "fold_transposes": (turned, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "carry_tiles": (counting, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "pad_tiles": (odd, ROWS, {"num_subgroups": 1}, "pvc"),
    "gather_tiles": (tiles.rows_by_places, ("f32[?,?]", "f32[?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "gather_rows": (rows_by_number, ("f16[?,?]", "i32[?]", "f16[?,?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "stage_columns": (by_columns, PRODUCT, {"num_subgroups": 4}, "pvc"),
    "insert_prefetches": (product, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "join_prefetches": (product, PRODUCT, {"num_subgroups": 8}, "pvc"),
    "stage_operands": (product, PRODUCT, {"BM": 32, "BN": 32, "BK": 32, "num_subgroups": 4}, "dg2"),
    "share_operands": (quantized, ("i8[?,?]", "f32[?,?]", "f32[?,?]", "i32[?,?]"), {"num_subgroups": 8}, "pvc"),
    "infer_layouts": (totals, ROWS, {"num_subgroups": 2}, "pvc"),
    "scale_extremes": (online, (*PRODUCT, "f32"), {"num_subgroups": 1}, "pvc"),
    "split_loops": (bounded, (*PRODUCT, "i32"), {"num_subgroups": 1}, "pvc"),
    "join_limits": (below_two, ("f16[?,?]", "f16[?,?]", "i32[?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "compare_in_words": (below_two, ("f16[?,?]", "f16[?,?]", "i32[?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "distribute_to_subgroups": (totals, ROWS, {"num_subgroups": 2}, "pvc"),
    "block_to_hardware": (two_loads, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "lower_xetile_to_xegpu": (two_loads, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "lift_conversions": (online, (*PRODUCT, "f32"), {"num_subgroups": 1}, "dg2"),
    "distribute_to_lanes": (two_loads, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "canonicalize": (scaled, ROWS, {"num_subgroups": 1}, "dg2"),
    "group_loads": (scored, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "lift_ends": (stepped, ("f16[?,?]", "i8[?,?]", "f32[?,?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "carry_quotients": (rolling, ROWS, {"num_subgroups": 1}, "pvc"),
    "sum_behind_loops": (online, (*PRODUCT, "f32"), {"num_subgroups": 1}, "pvc"),
    "compare_with_rest": (ends, ROWS, {"num_subgroups": 1}, "pvc"),
    "share_limits": (least, ROWS, {"num_subgroups": 1}, "pvc"),
    "evaluate_lanes": (shifted_by_rows, ("u8[?,?]", "u8[?,?]"), {"num_subgroups": 1}, "pvc"),
    "widen_bytes": (flagged, ("u8[?,?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "fold_comparisons": (rolled, ROWS, {"num_subgroups": 2}, "pvc"),
    "forward_shared": (rolled, ROWS, {"num_subgroups": 1}, "pvc"),
    "join_rows": (borrowed, ROWS, {"num_subgroups": 2}, "pvc"),
    "shuffle_integers": (places, ROWS, {"num_subgroups": 1}, "pvc"),
    "load_again": (heads, (H4,) * 4 + ("f32",), {"num_subgroups": 8}, "pvc"),
    "sink_loads": (two_loads, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "split_elementwise": (widened, ("f16[?,?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    **codes.GOLDEN,
    **words.GOLDEN,
    **rows.GOLDEN,
    "look_up_tables": (looked_up, ("f16[?,?]", "u8[?,?]", "f16[?]", "f32[?,?]"), {}, "pvc"),
    "pack_bytes": (byte_weights, ("f16[?,?]", "i8[?,?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    "sink_chains": (capped, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "sink_starts": (faded, PRODUCT, {"num_subgroups": 1}, "pvc"),
    "order_for_registers": (chain, ("f16[?,?]", "f32[?,?]"), {"num_subgroups": 1}, "pvc"),
    **worked.GOLDEN,
    "share_headers": (chain, ("f16[?,?]", "f32[?,?]"), {"num_subgroups": 1}, "bmg"),
    "choose_grf": (scaled, ROWS, {"num_subgroups": 1}, "pvc"),
    "keep_headers": (product, PRODUCT, {"BN": 64, "num_subgroups": 1}, "pvc"),
    "propagate_layouts": (workgroup, PRODUCT, {}, "pvc"),
    "raise_xegpu whole": (blocks, PRODUCT, {}, "pvc"),
    "raise_xegpu": (mixed_subgroup, PRODUCT, {}, "pvc"),
    "resolve_matrix_fill": (joint, ROWS, {"num_subgroups": 1}, "avx512"),
    "resolve_matrix_wi_slice": (joint, ROWS, {"num_subgroups": 1}, "avx512"),
    "vectorize_row_slices": (joint, ROWS, {"num_subgroups": 1}, "avx512"),
    "lower_to_vectors": (scaled, ROWS, {}, "avx512"),
}

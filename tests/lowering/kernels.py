"""Kernels in xetile.xegpu, at each level, and mixed with XeTile's ops."""

from __future__ import annotations

import xetile as xt
from xetile import xegpu

WG_A = xegpu.layout(sg_layout=(4, 2), sg_data=(32, 32))
WG_B = xegpu.layout(sg_layout=(4, 2), sg_data=(32, 64))
WG_C = xegpu.layout(sg_layout=(4, 2), sg_data=(32, 64))
FRAGMENT = xegpu.layout(lane_layout=(1, 16), lane_data=(1, 1))


@xt.jit(grid=lambda C: (xt.cdiv(C.shape[1], 128), xt.cdiv(C.shape[0], 128)))
def workgroup(A, B, C):
    """C = relu(A @ B) plus the sums of its rows; any sizes that are multiples of 8 bytes' worth, edges are clipped."""
    m, n = xt.program_id(1) * 128, xt.program_id(0) * 128
    a = xegpu.create_nd_tdesc(A, (m, 0), (128, 32), layout=WG_A)
    b = xegpu.create_nd_tdesc(B, (0, n), (32, 128), layout=WG_B)
    acc = xt.zeros((128, 128), xt.f32)
    for _ in range(0, A.shape[1], 32):
        xegpu.prefetch_nd(a)
        acc = xegpu.dpas(xegpu.load_nd(a), xegpu.load_nd(b), acc)
        a = xegpu.update_nd_offset(a, (0, 32))
        b = xegpu.update_nd_offset(b, (32, 0))
    acc = xt.maximum(acc, 0.0)
    xegpu.store_nd(acc + xt.sum(acc, axis=1), xegpu.create_nd_tdesc(C, (m, n), (128, 128), layout=WG_C))


@xt.jit(grid=(1,))
def mixed_workgroup(A, B, C):
    """Tiles of XeTile, one of them column-major, stored by a descriptor: the layout comes from there."""
    a = xt.load_tile(xt.init_tile(A, (0, 0), (128, 32)))
    b = xt.load_tile(xt.init_tile(B.T, (0, 0), (32, 128)))
    row = xt.arange(128).to(xt.f32)
    xegpu.store_nd(xt.tile_mma(a, b) * 2.0 + row[None, :], xegpu.create_nd_tdesc(C, (0, 0), (128, 128), layout=WG_C))


@xt.jit(grid=(1,))
def mixed_subgroup(A, B, C):
    """One subgroup: loads by xegpu, packed and plain, the store by XeTile."""
    a = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (32, 32)), l1_hint="streaming")
    b = xegpu.load_nd(xegpu.create_nd_tdesc(B, None, (32, 64)), (0, 0), packed=True)
    xt.store_tile(xegpu.dpas(a, b) + 1.0, xt.init_tile(C, (0, 0), (32, 64)))


@xt.jit(grid=(1,))
def lanes(A, B, C):
    """Fragments: 8 rows of A, all of B's 16 rows packed, 8 rows of C."""
    xegpu.level("lane")
    a = xegpu.load_nd(xegpu.create_nd_tdesc(A, None, (8, 16)), (0, 0))
    b = xegpu.load_nd(xegpu.create_nd_tdesc(B, None, (16, 16)), (0, 0), packed=True)
    c = xegpu.dpas(a, b, xt.zeros((8,), xt.f32))
    xegpu.store_nd(c * 2.0 + xegpu.lane_id().to(xt.f32), xegpu.create_nd_tdesc(C, None, (8, 16)), (0, 0))


@xt.jit(grid=(1,), num_subgroups=2)
def scattered_lanes(A, R):
    """Each lane its own element, in reverse, and a chunk of four."""
    xegpu.level("lane")
    item = xt.subgroup_id() * 16 + xegpu.lane_id()
    value = xegpu.load(A, 127 - item, item < 20)
    xegpu.store(value, R, item, item < 20)
    xegpu.store(xegpu.load(A, item * 4, chunk_size=4), R, item * 4 + 128, chunk_size=4)


@xt.jit(grid=(1,))
def gathers(A, R, N):
    """A subgroup's scattered loads, by offsets and by descriptor, with chunks; atomics."""
    places = xt.arange(16) * 3
    plain = xegpu.load(A, places, places < 30)
    desc = xegpu.create_tdesc(A, xt.arange(16) * 8, chunk_size=8)
    chunks = xegpu.load(xegpu.update_offset(desc, 1))
    xegpu.store(xt.where(places < 30, plain, 0.0), R, xt.arange(16))
    xegpu.store(chunks, xegpu.create_tdesc(R, xt.arange(16) * 8 + 16, chunk_size=8))
    counts = xegpu.create_tdesc(N, xt.arange(16) * 0)
    xegpu.atomic_rmw("addi", counts, True, xt.arange(16).to(xt.i32))


@xt.jit(grid=(1,))
def turned_in_memory(A, C, STRIDE: xt.constexpr, BLOCK: xt.constexpr):
    """A workgroup's tile through a matrix in shared local memory, written by rows and read through a view."""
    rows = xegpu.layout(sg_layout=(4, 1), sg_data=(16, 64))
    columns = xegpu.layout(sg_layout=(1, 4), sg_data=(32, 16))
    slm = xegpu.create_mem_desc(xt.alloc_slm((64 * 64 * 4,), xt.i8), (64, 64), xt.f32,
                                layout=xegpu.mem_layout(stride=STRIDE, block=BLOCK))  # fmt: skip
    value = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=rows))
    xegpu.store_matrix(value, slm, (0, 0), layout=rows)
    xt.barrier()
    lower = xegpu.mem_desc_subview(slm, (32, 0), (32, 64))
    half = xegpu.load_matrix(lower, (0, 0), (32, 64), layout=columns)
    xegpu.store_nd(half, xegpu.create_nd_tdesc(C, (0, 0), (32, 64), layout=columns))


@xt.jit(grid=(1,))
def converted(A, C):
    """From rows to columns between subgroups, by convert_layout."""
    rows = xegpu.layout(sg_layout=(8, 1), sg_data=(8, 64))
    columns = xegpu.layout(sg_layout=(1, 8), sg_data=(64, 8))
    value = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=rows))
    turned = xegpu.convert_layout(value, rows, columns)
    xegpu.store_nd(turned + 1.0, xegpu.create_nd_tdesc(C, (0, 0), (64, 64), layout=columns))


@xt.jit(grid=(1,))
def round_robin(A, C):
    """Four pieces for each of two subgroups along the rows; both share the columns."""
    distributed = xegpu.layout(sg_layout=(2, 2), sg_data=(8, 64), order=(0, 1))
    value = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=distributed))
    xegpu.store_nd(value * 3.0, xegpu.create_nd_tdesc(C, (0, 0), (64, 64), layout=distributed))


@xt.jit(grid=(1,))
def blocks_side_by_side(A, C):
    """array_length: two blocks by one load."""
    both = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (16, 16), array_length=2))
    total = xegpu.extract(both, 0).to(xt.f32) + xegpu.extract(both, 1).to(xt.f32)
    xegpu.store_nd(total, xegpu.create_nd_tdesc(C, (0, 0), (16, 16)))


@xt.jit(grid=(1,))
def turned_words(A, C):
    """Pairs of f16 transposed as words (seed 000): as B of a product it is A.T."""
    pairs = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (16, 32)), transpose=(1, 0))
    xegpu.store_nd(pairs, xegpu.create_nd_tdesc(C, (0, 0), (32, 16)))


@xt.jit(grid=(1,))
def rows_of_memory(A, R):
    """1-D blocks: to and from arrays of one dimension, with shared local memory between."""
    wg = xegpu.layout(sg_layout=(4,), sg_data=(32,))
    row = xegpu.load_nd(xegpu.create_nd_tdesc(A, (128,), (128,), layout=wg))
    xegpu.store_nd(row * row, xegpu.create_nd_tdesc(R, (0,), (128,), layout=wg))

"""Subgroups specialised by `sg_id_range`: four bring blocks to shared local memory, four use them; and seeded mistakes.

In each mistaken kernel the line at fault ends in "# here".
"""

from __future__ import annotations

import xetile as xt
from xetile import xegpu

PRODUCERS = xegpu.layout(sg_layout=(4, 1), sg_data=(16, 64))
CONSUMERS = xegpu.layout(sg_layout=(2, 2), sg_data=(32, 32))
ALL = xegpu.layout(sg_layout=(8, 1), sg_data=(8, 64))
COLUMNS = xegpu.layout(sg_layout=(1, 8), sg_data=(64, 8))


@xt.jit(grid=(1,), num_subgroups=8)
def pipeline(A, C, STEPS: xt.constexpr = 3):
    """C = the sum of STEPS blocks of A, one below the other."""
    slm = xegpu.create_mem_desc(xt.alloc_slm((64 * 64 * 4,), xt.i8), (64, 64), xt.f32)
    xegpu.alloc_nbarrier(2)
    full, free = xegpu.init_nbarrier(0, 4), xegpu.init_nbarrier(1, 4)
    if xegpu.sg_id_range(0, 4):
        a = xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=PRODUCERS)
        for _ in range(STEPS):
            value = xegpu.load_nd(a)
            xegpu.nbarrier_wait(free)
            xegpu.store_matrix(value, slm, (0, 0))
            xegpu.fence()
            xegpu.nbarrier_arrive(full)
            a = xegpu.update_nd_offset(a, (64, 0))
    if xegpu.sg_id_range(4, 8):
        total = xt.zeros((64, 64), xt.f32)
        xegpu.nbarrier_arrive(free)
        for _ in range(STEPS):
            xegpu.nbarrier_wait(full)
            total = total + xegpu.load_matrix(slm, (0, 0), (64, 64))
            xegpu.nbarrier_arrive(free)
        xegpu.store_nd(total, xegpu.create_nd_tdesc(C, (0, 0), (64, 64), layout=CONSUMERS))


@xt.jit(grid=(1,), num_subgroups=8)
def impatient_producers(A, C, STEPS: xt.constexpr = 3):
    """The same, but blocks are replaced before they have been used."""
    slm = xegpu.create_mem_desc(xt.alloc_slm((64 * 64 * 4,), xt.i8), (64, 64), xt.f32)
    xegpu.alloc_nbarrier(1)
    full = xegpu.init_nbarrier(0, 4)
    if xegpu.sg_id_range(0, 4):
        a = xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=PRODUCERS)
        for _ in range(STEPS):
            xegpu.store_matrix(xegpu.load_nd(a), slm, (0, 0))
            xegpu.nbarrier_arrive(full)
            a = xegpu.update_nd_offset(a, (64, 0))
    if xegpu.sg_id_range(4, 8):
        total = xt.zeros((64, 64), xt.f32)
        for _ in range(STEPS):
            xegpu.nbarrier_wait(full)
            total = total + xegpu.load_matrix(slm, (0, 0), (64, 64))  # here
        xegpu.store_nd(total, xegpu.create_nd_tdesc(C, (0, 0), (64, 64), layout=CONSUMERS))


@xt.jit(grid=(1,), num_subgroups=8)
def never_freed(A, C):
    """Producers wait for consumers that never arrive."""
    xegpu.alloc_nbarrier(1)
    free = xegpu.init_nbarrier(0, 4)
    if xegpu.sg_id_range(0, 4):
        xegpu.nbarrier_wait(free)  # here
        value = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=PRODUCERS))
        xegpu.store_nd(value, xegpu.create_nd_tdesc(C, (0, 0), (64, 64), layout=PRODUCERS))


@xt.jit(grid=(1,))
def turned(A, C):
    """Rows in, columns out, with the barrier between."""
    slm = xegpu.create_mem_desc(xt.alloc_slm((64 * 64 * 4,), xt.i8), (64, 64), xt.f32)
    value = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=ALL))
    xegpu.store_matrix(value, slm, (0, 0))
    xt.barrier()
    half = xegpu.load_matrix(slm, (0, 0), (64, 64))
    xegpu.store_nd(half, xegpu.create_nd_tdesc(C, (0, 0), (64, 64), layout=COLUMNS))


@xt.jit(grid=(1,))
def no_barrier(A, C):
    """The same without it; a fence alone waits for nobody."""
    slm = xegpu.create_mem_desc(xt.alloc_slm((64 * 64 * 4,), xt.i8), (64, 64), xt.f32)
    value = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=ALL))
    xegpu.store_matrix(value, slm, (0, 0))
    xegpu.fence()
    half = xegpu.load_matrix(slm, (0, 0), (64, 64))  # here
    xegpu.store_nd(half, xegpu.create_nd_tdesc(C, (0, 0), (64, 64), layout=COLUMNS))


@xt.jit(grid=(1,))
def overlapping_writes(A, C):
    """Two subgroups write different numbers to one place."""
    slm = xegpu.create_mem_desc(xt.alloc_slm((64 * 64 * 4,), xt.i8), (64, 64), xt.f32)
    value = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=ALL))
    xegpu.store_matrix(value, slm, (0, 0))
    turned = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=COLUMNS))
    xegpu.store_matrix(turned + 1.0, slm, (0, 0))  # here
    xegpu.store_nd(value, xegpu.create_nd_tdesc(C, (0, 0), (64, 64), layout=ALL))


@xt.jit(grid=(1,), num_subgroups=8)
def divergent_barrier(A, C):
    """Half of the subgroups come to the workgroup's barrier."""
    if xegpu.sg_id_range(0, 4):
        xt.barrier()  # here
        value = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=PRODUCERS))
        xegpu.store_nd(value, xegpu.create_nd_tdesc(C, (0, 0), (64, 64), layout=PRODUCERS))

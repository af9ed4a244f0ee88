"""XeGPU as a language: the dialect's ops inside `@xt.jit` kernels, at workgroup, subgroup or lane level.

    from xetile import xegpu

    @xt.jit(grid=(1,))
    def copy(A, C):
        wg = xegpu.layout(sg_layout=(8, 4), sg_data=(32, 32))
        a = xegpu.create_nd_tdesc(A, (0, 0), (256, 128), layout=wg)
        xegpu.store_nd(xegpu.load_nd(a), xegpu.create_nd_tdesc(C, (0, 0), (256, 128), layout=wg))

Names are the dialect's (seed 002); a layout with `sg_layout` makes a kernel one of workgroups, `level("lane")` one of lanes, any
other is one of subgroups. Values are those of `xt`: arithmetic, `xt.where`, `xt.sum` and others work on them. At workgroup and
subgroup level the ops mix with XeTile's: tiles and descriptors of one kernel, values from either.
"""

from xetile.language.xegpu_block import create_nd_tdesc, load_nd, prefetch_nd, sg_id_range, store_nd, update_nd_offset
from xetile.language.xegpu_compute import (
    alloc_nbarrier,
    convert_layout,
    create_mem_desc,
    dpas,
    extract,
    fence,
    init_nbarrier,
    load_matrix,
    mem_desc_subview,
    nbarrier_arrive,
    nbarrier_wait,
    store_matrix,
)
from xetile.language.xegpu_lanes import lane_id
from xetile.language.xegpu_scattered import atomic_rmw, create_tdesc, load, prefetch, store, update_offset
from xetile.language.xegpu_values import MemDesc, TensorDesc, layout, level, mem_layout

__all__ = [
    "MemDesc",
    "TensorDesc",
    "alloc_nbarrier",
    "atomic_rmw",
    "convert_layout",
    "create_mem_desc",
    "create_nd_tdesc",
    "create_tdesc",
    "dpas",
    "extract",
    "fence",
    "init_nbarrier",
    "lane_id",
    "layout",
    "level",
    "load",
    "load_matrix",
    "load_nd",
    "mem_desc_subview",
    "mem_layout",
    "nbarrier_arrive",
    "nbarrier_wait",
    "prefetch",
    "prefetch_nd",
    "sg_id_range",
    "store",
    "store_matrix",
    "store_nd",
    "update_nd_offset",
    "update_offset",
]

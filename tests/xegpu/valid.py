"""A valid module for every op, type and attribute of the dialect, in each form that seed 002 (LLVM 22) has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.xegpu.build import Kernel
from xetile.dialects import arith, gpu, math, scf, vector, xegpu
from xetile.dialects.types import BF16, F16, F32, I1, I8, I16, I32, INDEX, TF32, VectorType
from xetile.ir.core import UNIT, Block
from xetile.layout import Layout

WG = Layout((2, 2), (16, 16))
ORDERED = Layout((2, 2), (16, 16), lane_layout=(1, 16), lane_data=(1, 1), order=(0, 1))
FULL = Layout((2, 2), (16, 16), (8, 16), (1, 16), (1, 1))
SG = Layout(lane_layout=(1, 16), lane_data=(1, 1))
VNNI = Layout(lane_layout=(1, 16), lane_data=(2, 1))
INST = Layout(inst_data=(8, 16))

VALID: dict[str, Callable[[Kernel], Any]] = {}
SEED_ONLY = {"mem_desc_subview", "load_nd with transpose_bit_width", "dpas of A in three dimensions"}
"""What the seeds have and LLVM 22 has not: our text of it is the seeds'."""


def case(name: str) -> Callable[[Callable[[Kernel], Any]], Callable[[Kernel], Any]]:
    def register(build: Callable[[Kernel], Any]) -> Callable[[Kernel], Any]:
        VALID[name] = build
        return build

    return register


def module(name: str) -> Any:
    """The module of a case."""
    k = Kernel()
    VALID[name](k)
    return k.done()


# Blocks.


@case("create_nd_tdesc of memrefs")
def _(k):
    k.desc(8, 16)
    k.desc(8, 16, source="D")
    k.desc(16, source="H")
    k.build(xegpu.CreateNdTdesc, k.A, (k.m, k.const(0)), result=xegpu.TensorDescType((8, 16), F16))
    k.build(xegpu.CreateNdTdesc, k.H, (k.m, k.m, k.n), result=xegpu.TensorDescType((8, 16), F16))
    k.build(xegpu.CreateNdTdesc, k.D, (), (k.m, k.n), (k.n, k.const(1)), result=xegpu.TensorDescType((8, 16), F16))
    k.build(xegpu.CreateNdTdesc, k.D, (k.m, k.n), (k.m, k.n), (k.n, k.const(1)), result=xegpu.TensorDescType((8, 16), F16))


@case("create_nd_tdesc of addresses")
def _(k):
    for source in (k.P, k.Q):
        k.build(xegpu.CreateNdTdesc, source, (), (k.m, k.n), (k.n, k.const(1)), result=xegpu.TensorDescType((8, 16), BF16))


@case("tensor_desc with each block_tdesc_attr")
def _(k):
    k.desc(8, 16, array_length=2)
    k.desc(8, 16, boundary_check=False)
    k.desc(32, source="T", memory_space="slm", boundary_check=False)


@case("tensor_desc with layouts")
def _(k):
    for layout in (WG, ORDERED, FULL, INST, Layout((2, 2)), SG):
        k.desc(32, 32, layout=layout)
    k.desc(8, 16, layout=SG, array_length=2)
    k.desc(32, source="R", layout=Layout(lane_layout=(16,), lane_data=(2,)))


@case("load_nd plain, packed, transposed, several blocks")
def _(k):
    zero = k.const(0)
    k.build(xegpu.LoadNd, k.desc(8, 16), (k.m, zero), value=VectorType((8, 16), F16))
    k.build(xegpu.LoadNd, k.desc(8, 16), (), value=VectorType((8, 16), F16))
    k.build(xegpu.LoadNd, k.desc(16, 16), (zero, zero), packed=UNIT, value=VectorType((8, 16, 2), F16))
    k.build(xegpu.LoadNd, k.desc(32, 16, source="B"), (zero, zero), packed=UNIT, value=VectorType((8, 16, 4), I8))
    k.build(xegpu.LoadNd, k.desc(16, 8, source="F"), (zero, zero), transpose=(1, 0), value=VectorType((8, 16), F32))
    k.build(xegpu.LoadNd, k.desc(16, 16, array_length=2), (zero, zero), value=VectorType((2, 16, 16), F16))
    k.build(xegpu.LoadNd, k.desc(16, 16, array_length=2), (zero, zero), packed=UNIT, value=VectorType((2, 8, 16, 2), F16))
    k.build(xegpu.LoadNd, k.desc(32, source="R"), (zero,), value=VectorType((32,), F16))


@case("load_nd of a lane")
def _(k):
    zero = k.const(0)
    k.build(xegpu.LoadNd, k.desc(8, 16), (zero, zero), value=VectorType((8,), F16))
    k.build(xegpu.LoadNd, k.desc(16, 16), (zero, zero), packed=UNIT, value=VectorType((16,), F16))
    k.build(xegpu.LoadNd, k.desc(32, source="R"), (zero,), value=VectorType((2,), F16))


@case("load_nd with hints and a layout")
def _(k):
    hints = [xegpu.CacheHint(h) for h in ("cached", "uncached", "streaming", "read_invalidate")]
    for hint in hints:
        k.build(
            xegpu.LoadNd, k.desc(8, 16), (k.m, k.n), l1_hint=hint, l2_hint=hints[1], l3_hint=hint, value=VectorType((8, 16), F16)
        )
    k.build(xegpu.LoadNd, k.desc(32, 32), (k.m, k.n), layout=WG, value=VectorType((32, 32), F16))
    k.build(xegpu.LoadNd, k.desc(32, 32, layout=WG), (k.m, k.n), layout_result_0=WG, value=VectorType((32, 32), F16))


@case("load_nd with transpose_bit_width")
def _(k):
    """Seed 000: pairs of f16 as words."""
    k.build(xegpu.LoadNd, k.desc(16, 16), (), transpose=(1, 0), transpose_bit_width=32, value=VectorType((8, 32), F16))


@case("store_nd")
def _(k):
    zero = k.const(0)
    k.build(xegpu.StoreNd, k.vector(8, 16), k.desc(8, 16), (k.m, zero))
    k.build(xegpu.StoreNd, k.vector(8), k.desc(8, 16), (k.m, zero))
    k.build(xegpu.StoreNd, k.vector(32), k.desc(32, source="R"), (zero,))
    for hint in ("cached", "uncached", "write_back", "write_through"):
        k.build(xegpu.StoreNd, k.vector(8, 16), k.desc(8, 16), (k.m, zero), l1_hint=xegpu.CacheHint(hint))
    k.build(xegpu.StoreNd, k.vector(32, 32), k.desc(32, 32), (k.m, zero), layout=WG)


@case("prefetch_nd")
def _(k):
    k.build(xegpu.PrefetchNd, k.desc(8, 16), (k.m, k.n))
    k.build(xegpu.PrefetchNd, k.desc(8, 16), ())
    k.build(
        xegpu.PrefetchNd,
        k.desc(8, 16, array_length=2),
        (k.m, k.n),
        l1_hint=xegpu.CacheHint("uncached"),
        l3_hint=xegpu.CacheHint("cached"),
    )
    k.build(xegpu.PrefetchNd, k.desc(32, 32, layout=WG), (k.m, k.n), layout=WG)


@case("update_nd_offset")
def _(k):
    k.build(xegpu.UpdateNdOffset, k.desc(8, 16), (k.const(0), k.n))
    k.build(xegpu.UpdateNdOffset, k.desc(32, source="R"), (k.n,))


# Scattered memory.


@case("create_tdesc and update_offset")
def _(k):
    k.scattered(16)
    k.scattered(16, 8, chunk_size=8)
    k.scattered(16, 2, source="P", element=F32, chunk_size=2)
    k.scattered(16, source="T", memory_space="slm")
    k.scattered(16, 4, chunk_size=4, layout=Layout(lane_layout=(16, 1), lane_data=(1, 2)))
    moved = k.build(xegpu.UpdateOffset, k.scattered(16, 8, chunk_size=8), k.lanes())
    k.build(xegpu.UpdateOffset, moved, k.lanes())


@case("load and store by descriptor")
def _(k):
    for desc, shape in ((k.scattered(16), (16,)), (k.scattered(16, 8, chunk_size=8), (16, 8))):
        v = k.build(xegpu.Load, desc, None, k.mask(), value=VectorType(shape, F16), l1_hint=xegpu.CacheHint("cached"))
        k.build(xegpu.Store, v, desc, None, k.mask(), l1_hint=xegpu.CacheHint("write_back"))


@case("load of a lane's chunk by descriptor")
def _(k):
    k.build(xegpu.Load, k.scattered(16, 8, chunk_size=8), None, k.mask(), value=VectorType((8,), F16))


@case("load and store by offsets")
def _(k):
    off, mask = k.lanes(), k.mask()
    v = k.build(xegpu.Load, k.R, off, mask, value=VectorType((16,), F16), l3_hint=xegpu.CacheHint("uncached"))
    k.build(xegpu.Store, v, k.R, off, mask, l3_hint=xegpu.CacheHint("uncached"))
    w = k.build(xegpu.Load, k.W, off, mask, chunk_size=4, value=VectorType((16, 4), F32))
    k.build(xegpu.Store, w, k.W, off, mask, chunk_size=4)
    k.build(xegpu.Load, k.P, off, mask, value=VectorType((16,), F32))
    grid = k.const(0, VectorType((8, 16), INDEX))
    k.build(xegpu.Load, k.R, grid, k.mask(8, 16), value=VectorType((8, 16), F16), layout=SG)


@case("load and store of a lane")
def _(k):
    one, on = k.const((3,), VectorType((1,), INDEX)), k.mask(1)
    v = k.build(xegpu.Load, k.R, k.m, k.c, value=F16)
    k.build(xegpu.Store, v, k.R, k.n, k.c)
    v = k.build(xegpu.Load, k.R, k.m, k.c, value=VectorType((8,), F16))
    k.build(xegpu.Store, v, k.R, k.n, k.c)
    v = k.build(xegpu.Load, k.R, one, on, chunk_size=8, value=VectorType((8,), F16))
    k.build(xegpu.Store, v, k.R, one, on, chunk_size=8)


@case("prefetch")
def _(k):
    k.build(xegpu.Prefetch, k.scattered(16), None, l1_hint=xegpu.CacheHint("cached"))
    k.build(xegpu.Prefetch, k.R, k.lanes())
    k.build(xegpu.Prefetch, k.P, k.lanes(), offset_align_byte=2)


@case("atomic_rmw of every kind")
def _(k):
    for source, element, kinds in (("W", F32, arith.ATOMICS_FLOAT), ("I", I32, arith.ATOMICS_INT)):
        desc = k.scattered(16, source=source)
        for kind in kinds:
            k.build(xegpu.AtomicRmw, desc, k.mask(), k.vector(16, element=element), kind=kind)
    k.build(xegpu.AtomicRmw, k.scattered(16, 8, source="W", chunk_size=8), k.mask(), k.vector(16, 8, element=F32), kind="addf")


# Registers.


@case("dpas")
def _(k):
    a, b, packed, c = k.vector(8, 16), k.vector(16, 16), k.vector(8, 16, 2), k.vector(8, 16, element=F32)
    k.build(xegpu.Dpas, a, b, result=c.type)
    k.build(xegpu.Dpas, a, b, c)
    k.build(xegpu.Dpas, a, packed, c)
    k.build(xegpu.Dpas, k.vector(8, 32, element=I8), k.vector(8, 16, 4, element=I8), k.vector(8, 16, element=I32))
    k.build(xegpu.Dpas, k.vector(8, 8, element=TF32), k.vector(8, 16, element=TF32), c)


@case("dpas of lanes")
def _(k):
    k.build(xegpu.Dpas, k.vector(8), k.vector(16), k.vector(8, element=F32))


@case("dpas with layouts")
def _(k):
    a, b = k.vector(32, 32), k.vector(32, 32)
    k.build(xegpu.Dpas, a, b, layout_a=WG, layout_b=WG, layout_cd=WG, result=VectorType((32, 32), F32))
    k.build(
        xegpu.Dpas, a, b, layout_operand_0=FULL, layout_operand_1=FULL, layout_result_0=FULL, result=VectorType((32, 32), F32)
    )


@case("dpas of A in three dimensions")
def _(k):
    k.build(xegpu.Dpas, k.vector(8, 8, 2), k.vector(8, 16, 2), k.vector(8, 16, element=F32))


@case("convert_layout")
def _(k):
    rows = Layout((4, 1), (8, 32))
    k.build(xegpu.ConvertLayout, k.vector(32, 32), input_layout=WG, target_layout=rows)
    k.build(xegpu.ConvertLayout, k.vector(32), input_layout=WG.slice((0,)), target_layout=Layout((4,), (8,)))
    k.build(xegpu.ConvertLayout, k.vector(16, 16), input_layout=SG, target_layout=VNNI)


@case("vectors with layouts")
def _(k):
    row = WG.slice((0,))
    v = k.vector(32, 32, element=F32, layout_result_0=WG)
    v = k.build(math.Exp, v, layout_result_0=WG)
    r = k.build(
        vector.MultiReduction, v, k.vector(32, element=F32, layout_result_0=row), kind="add", dims=(0,), layout_result_0=row
    )
    v = k.build(vector.Broadcast, r, result=v.type, layout_result_0=WG)
    v = k.build(vector.Transpose, v, permutation=(1, 0), layout_result_0=Layout((2, 2), (16, 16), order=(0, 1)))
    v = k.build(vector.ShapeCast, v, result=VectorType((32, 4, 8), F32), layout_result_0=Layout((2, 1, 1), (16, 4, 8)))
    k.build(vector.Bitcast, v, result=VectorType((32, 4, 16), F16), layout_result_0=Layout((2, 1, 1), (16, 4, 16)))
    k.build(arith.Select, k.mask(32, 32), k.vector(32, 32), k.vector(32, 32), layout_result_0=WG)
    k.build(vector.Step, result=VectorType((32,), INDEX), layout_result_0=row)


@case("vectors cut and put together")
def _(k):
    v = k.vector(2, 32, 16)
    part = k.build(vector.Extract, v, position=(1,), layout_result_0=SG)
    k.build(vector.Insert, part, v, position=(0,))
    block = k.build(vector.ExtractStridedSlice, part, offsets=(8, 0), sizes=(8, 16), strides=(1, 1), layout_result_0=SG)
    k.build(vector.InsertStridedSlice, block, part, offsets=(16, 0), strides=(1, 1), layout_result_0=SG)
    k.build(vector.Extract, part, position=(3, 4))
    flat = k.build(vector.ShapeCast, block, result=VectorType((128,), F16))
    k.build(vector.Shuffle, flat, flat, mask=(0, 2, 255))
    k.build(vector.Scan, block, k.vector(8), kind="add", inclusive=True, reduction_dim=1)


# Shared memory, barriers, control.


@case("create_mem_desc with each layout")
def _(k):
    k.build(xegpu.CreateMemDesc, k.S, result=xegpu.MemDescType((32, 64), F16))
    k.matrix(32, 64, stride=(1, 32))
    k.matrix(32, 64, block=(8, 16))
    k.matrix(32, 64, stride=(1, 32), block=(8, 16))
    k.matrix(2, 32, 64)


@case("load_matrix and store_matrix")
def _(k):
    m = k.matrix(32, 64, block=(16, 16))
    v = k.build(xegpu.LoadMatrix, m, (k.m, k.const(8)), value=VectorType((8, 16), F16))
    k.build(xegpu.StoreMatrix, v, m, (k.m, k.const(8)))
    v = k.build(xegpu.LoadMatrix, m, (k.m, k.n), layout=WG, value=VectorType((32, 32), F16))
    k.build(xegpu.StoreMatrix, v, m, (k.m, k.n), layout=WG)
    v = k.build(xegpu.LoadMatrix, m, (k.m, k.n), value=VectorType((8,), F16))
    k.build(xegpu.StoreMatrix, v, m, (k.m, k.n))
    v = k.build(xegpu.LoadMatrix, m, (k.m, k.n), subgroup_block_io=UNIT, value=VectorType((8,), F16))
    k.build(xegpu.StoreMatrix, v, m, (k.m, k.n), subgroup_block_io=UNIT)
    for stride, lanes in (((), (1, 16)), ((1, 32), (16, 1))):
        rows = k.matrix(32, 64, block=lanes, **({"stride": stride} if stride else {}))
        lane = Layout(lane_layout=lanes, lane_data=(1, 1))
        v = k.build(xegpu.LoadMatrix, rows, (k.m, k.n), subgroup_block_io=UNIT, layout=lane, value=VectorType((16, 16), F16))
        k.build(xegpu.StoreMatrix, v, rows, (k.m, k.n), subgroup_block_io=UNIT, layout=lane)
    s = k.build(xegpu.LoadMatrix, m, (k.m, k.n), value=F16)
    k.build(xegpu.StoreMatrix, s, m, (k.m, k.n))


@case("mem_desc_subview")
def _(k):
    view = xegpu.MemDescType((16, 64), F16, xegpu.MemLayoutAttr(stride=(64, 1)))
    k.build(xegpu.MemDescSubview, k.matrix(32, 64), (k.m, k.const(0)), result=view)


@case("named barriers and fences")
def _(k):
    k.build(xegpu.AllocNbarrier, nbarrier_num=8)
    barrier = k.build(xegpu.InitNbarrier, k.const(1, I8), k.b)
    k.build(xegpu.NbarrierArrive, barrier)
    k.build(xegpu.NbarrierWait, barrier)
    for kind in ("global", "slm"):
        for scope in ("workgroup", "gpu"):
            k.build(xegpu.Fence, memory_kind=kind, fence_scope=scope)


@case("scf.if with sg_id_range")
def _(k):
    then, otherwise = Block(), Block()
    with k.build.at(then):
        k.build(gpu.Barrier)
        k.build(scf.Yield)
    k.build.op(scf.If, k.c, regions=[then, otherwise], values=[], sg_id_range=xegpu.RangeAttr(2, 4))


@case("descriptors in a loop")
def _(k):
    desc, acc = k.desc(8, 16), k.vector(8, 16)
    body = Block([INDEX, desc.type, acc.type], ["i", "td", "acc"])
    with k.build.at(body):
        _, td, total = body.args
        v = k.build(xegpu.LoadNd, td, (), value=VectorType((8, 16), F16))
        total = k.build(arith.AddF, total, v)
        k.build(scf.Yield, (k.build(xegpu.UpdateNdOffset, td, (k.const(0), k.const(16))), total))
    k.build.op(scf.For, k.const(0), k.n, k.const(16), (desc, acc), regions=[body], values=[desc.type, acc.type])


@case("gpu and memref")
def _(k):
    k.build(gpu.BlockId, dimension="x")
    k.build(gpu.GridDim, dimension="y")
    k.build(gpu.SubgroupId)
    lane = k.build(arith.IndexCast, k.build(gpu.LaneId), result=I32)
    k.build(gpu.Shuffle, lane, k.const(1, I32), k.const(16, I32), mode="xor")
    k.build(gpu.SubgroupReduce, lane, kind="add")
    k.build(gpu.SubgroupReduce, lane, kind="maxsi", cluster_size=8, cluster_stride=2)
    k.build(gpu.BarrierArrive)
    k.build(gpu.BarrierWait)
    k.build(gpu.Printf, (k.m,), message="m = %d\n")
    k.build(gpu.Assert, k.c, message='never "this"')
    flat = k.build(gpu.ReinterpretCast, k.D, k.n)
    k.build(gpu.ElementCast, flat, result=type(flat.type)((None,), I16, (1,)))
    k.const(float("inf"), F32)
    k.const(float("nan"), F16)
    k.const((1.5, 1e-30), VectorType((2,), F32))
    k.const(True, I1)

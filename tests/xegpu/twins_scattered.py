"""Invalid twins: scattered memory and atomics."""

from __future__ import annotations

from tests.xegpu.twins import twin
from xetile.dialects import xegpu
from xetile.dialects.types import F16, F32, VectorType
from xetile.layout import Layout

Type = xegpu.TensorDescType


@twin("create_tdesc of a block", "takes a scattered descriptor", "Expects a scattered TensorDesc",
      "The scatter_tdesc_attr indicates the created tensor_desc is a scattered tensor descriptor",
      "000 create_tdesc")  # fmt: skip
def _(k):
    k.build(xegpu.CreateTdesc, k.R, k.lanes(), result=Type((16,), F16))


@twin("create_tdesc of 2-D memory", "1-D memref or an address", "must be 1D memref",
      "source: a 1D memref or pointer (i64, i32, ui64, ui32) represents the flattened memory object",
      "002 create_tdesc")  # fmt: skip
def _(k):
    k.build(xegpu.CreateTdesc, k.A, k.lanes(), result=Type((16,), F16, xegpu.ScatterAttr()))


@twin("offsets and descriptor", "offsets and chunk_size give", "Incorrect TensorDesc shape",
      "The first dimension of the result TensorDesc corresponds to work-items, so it should match the dimension of offsets",
      "002 create_tdesc")  # fmt: skip
def _(k):
    k.build(xegpu.CreateTdesc, k.R, k.lanes(8), result=Type((16,), F16, xegpu.ScatterAttr()))


@twin("memory space of scattered memory", "memory space mismatch", "Memory space mismatch",
      "It has to match with the memory scope of the base addresses", "000 scatter_tdesc_attr")  # fmt: skip
def _(k):
    k.scattered(16, memory_space="slm")


@twin("chunk_size 0", "chunk_size 0 is below 1", "invalid chunk size",
      "chunk_size: Specifies the number of contiguous elements accessed per offset. The default value is 1",
      "002 ScatterTensorDescAttr")  # fmt: skip
def _(k):
    k.scattered(16, chunk_size=0)


@twin("chunk_size 5", "chunk_size 5 is none of", None,
      "It can be set to 2, 3, 4, 8, 16, 32, 64", "000 scatter_tdesc_attr")  # fmt: skip
def _(k):
    k.scattered(16, 5, source="W", chunk_size=5)


@twin("chunks in one dimension", "no room for chunks", "expected non-contiguous elements for 1D tensor",
      "With the chunk_size attribute, the tensor_desc created has a 2D shape of [subgroup_size, chunk_size]",
      "000 scatter_tdesc_attr")  # fmt: skip
def _(k):
    k.scattered(16, source="W", chunk_size=2)


@twin("chunks of another size", "is not the chunk_size", "expected last dim of tensor to match chunk size",
      "the tensor_desc created has a 2D shape of [subgroup_size, chunk_size]", "000 scatter_tdesc_attr")  # fmt: skip
def _(k):
    k.scattered(16, 2, source="W", chunk_size=4)


@twin("chunks that do not fill 32 bits", "fills 32 bits only in steps of 2", "to be a multiple of 2",
      "for fp16 a valid chunk size could be 2, 4, 8, 16, 32, 64", "000 scatter_tdesc_attr")  # fmt: skip
def _(k):
    k.scattered(16, 3, chunk_size=3)


@twin("lane_data of chunks", "the last entry of lane_data", "expected last dim of lane_data to be a multiple of: 2",
      "The rule of thumb is that the wi_data size must be 32bit", "000 regular load with chunk_size")  # fmt: skip
def _(k):
    k.scattered(16, 4, chunk_size=4, layout=Layout(lane_layout=(16, 1), lane_data=(1, 1)))


@twin("offsets of a moved scattered descriptor", "do not match", "Offsets should match TensorDesc",
      "its offsets contains values representing shifts for each work-item", "002 update_offset")  # fmt: skip
def _(k):
    k.build(xegpu.UpdateOffset, k.scattered(16), k.lanes(8))


@twin("load of a block descriptor", "takes a scattered descriptor", "Expects a scattered TensorDesc",
      "Load a set of scattered data points from memory", "002 load")  # fmt: skip
def _(k):
    k.build(xegpu.Load, k.desc(16, source="R"), None, k.mask(), value=VectorType((16,), F16))


@twin("mask of a load by descriptor", "the mask .* does not match", "Mask should match TensorDesc",
      "the mask applies to the first dimension in memory and not the second dimension (Chunk Size)", "000 load")  # fmt: skip
def _(k):
    k.build(xegpu.Load, k.scattered(16, 8, chunk_size=8), None, k.mask(8), value=VectorType((16, 8), F16))


@twin("value of a load by descriptor", "nor a lane's share", "neither a valid distribution for SIMT nor",
      "the output vector is a 2D vector, with dim-0 correspoding to work-items, and dim-1 corresponding to the chunk size",
      "002 load")  # fmt: skip
def _(k):
    k.build(xegpu.Load, k.scattered(16, 8, chunk_size=8), None, k.mask(), value=VectorType((6,), F16))


@twin("element type of a load by offsets", "same element type", "same element type as MemRef",
      "source: represents the memory region to be loaded from", "002 load")  # fmt: skip
def _(k):
    k.build(xegpu.Load, k.R, k.lanes(), k.mask(), value=VectorType((16,), F32))


@twin("load from 2-D memory", "1-D memref or an address", "must be TensorDesc .* or 1D memref",
      "source: either a tensor_desc or a 1D memref or pointer (ui64, ui32, i64 or i32)", "002 load")  # fmt: skip
def _(k):
    k.build(xegpu.Load, k.A, k.lanes(), k.mask(), value=VectorType((16,), F16))


@twin("load without offsets", "needs offsets", "Expects offsets",
      "offsets: represents offsets from source. required if source in not a TensorDescType", "002 load")  # fmt: skip
def _(k):
    k.build(xegpu.Load, k.R, None, k.mask(), value=VectorType((16,), F16))


@twin("mask of a load by offsets", "the mask .* does not match", "Mask should match value",
      "mask is a vector of size equal to the subgroup size", "002 load")  # fmt: skip
def _(k):
    k.build(xegpu.Load, k.R, k.lanes(), k.mask(8), value=VectorType((16,), F16))


@twin("a lane's chunk", "must match chunk size", "value elements must match chunk size",
      "If size is not 1, size should be equal to the chunk size", "002 load")  # fmt: skip
def _(k):
    k.build(xegpu.Load, k.R, k.m, k.c, chunk_size=4, value=VectorType((8,), F16))


@twin("one element by the offsets of many", "takes one offset, a mask of type i1", "Expecting scalar mask and offsets",
      "mask is a vector of size equal to the subgroup size, or 1 at lane level", "002 load")  # fmt: skip
def _(k):
    k.build(xegpu.Load, k.R, k.lanes(), k.mask(), value=F16)


@twin("one element in chunks", "takes one offset, a mask of type i1 and no chunks", "Expecting chunk size == 1 for scalar result",
      "chunk_size indicates the number of contiguous elements accessed for each offset", "002 load")  # fmt: skip
def _(k):
    k.build(xegpu.Load, k.R, k.m, k.c, chunk_size=4, value=F16)


@twin("many offsets under one mask", "the mask i1 does not match", "Expecting a vector type mask",
      "mask is a vector of size equal to the subgroup size", "002 load")  # fmt: skip
def _(k):
    k.build(xegpu.Load, k.R, k.lanes(), k.c, value=VectorType((16,), F16))


@twin("a write hint on a scattered load", "invalid l2_hint", "invalid l2_hint",
      "l1_hint, l2_hint, l3_hint: are optional cache hints for each level of cache", "002 load")  # fmt: skip
def _(k):
    k.build(xegpu.Load, k.R, k.lanes(), k.mask(), l2_hint=xegpu.CacheHint("write_through"), value=VectorType((16,), F16))


@twin("a read hint on a scattered store", "invalid l3_hint", "invalid l3_hint",
      "l1_hint, l2_hint, l3_hint: are optional cache hints for each level of cache", "002 store")  # fmt: skip
def _(k):
    k.build(xegpu.Store, k.vector(16), k.R, k.lanes(), k.mask(), l3_hint=xegpu.CacheHint("streaming"))


@twin("mask of a store", "the mask .* does not match", "Mask should match value",
      "mask is a vector of size equal to the subgroup size", "002 store")  # fmt: skip
def _(k):
    k.build(xegpu.Store, k.vector(16, 4), k.R, k.lanes(), k.mask(8), chunk_size=4)


@twin("prefetch of 2-D memory", "1-D memref or an address", "must be TensorDesc .* or 1D memref",
      "source: either a tensor_desc or a 1D memref or pointer", "002 prefetch")  # fmt: skip
def _(k):
    k.build(xegpu.Prefetch, k.A, k.lanes())


@twin("alignment of an address", "offset_align_byte is required", "offset_align_byte is required",
      "offset_align_byte: required if source is a pointer", "002 prefetch")  # fmt: skip
def _(k):
    k.build(xegpu.Prefetch, k.P, k.lanes())


@twin("alignment of a memref", "only allowed there", "offset_align_byte only allowed with integer source",
      "If source is not a pointer, it is not allowed", "002 prefetch")  # fmt: skip
def _(k):
    k.build(xegpu.Prefetch, k.R, k.lanes(), offset_align_byte=2)


@twin("shapes of an atomic", "must have the same shape", "same shape",
      "The mask operand has the same shape with TensorDesc", "002 atomic_rmw")  # fmt: skip
def _(k):
    k.build(xegpu.AtomicRmw, k.scattered(16, 8, source="W", chunk_size=8), k.mask(), k.vector(16, 4, element=F32), kind="addf")


@twin("an atomic of a block", "takes a scattered descriptor", None,
      "Atomic read-modify-write operation on the region described by the TensorDesc (scatter_tdesc_attr in 000)",
      "002 atomic_rmw")  # fmt: skip
def _(k):
    k.build(xegpu.AtomicRmw, k.desc(16, source="R"), k.mask(), k.vector(16), kind="addf")


@twin("an integer atomic of floats", "no atomic addi of f32", None,
      "xegpu.atomic_rmw reuses the arith dialect attribute, ::mlir::arith::AtomicRMWKindAttr", "000 atomic_rmw")  # fmt: skip
def _(k):
    k.build(xegpu.AtomicRmw, k.scattered(16, source="W"), k.mask(), k.vector(16, element=F32), kind="addi")

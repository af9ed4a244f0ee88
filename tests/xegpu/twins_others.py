"""Invalid twins: products, layouts, shared memory, barriers, control."""

from __future__ import annotations

from tests.xegpu.twins import twin
from tests.xegpu.valid import FULL, SG, WG
from xetile.dialects import gpu, scf, xegpu
from xetile.dialects.types import F16, F32, I8, I32, I64, MemRefType, VectorType
from xetile.ir.core import UNIT, Block
from xetile.layout import Layout


@twin("K of a product", "K-dimension mismatch", "K-dimension mismatch",
      "matrix multiplication on matrix A of mxk size, B of kxn size", "002 dpas")  # fmt: skip
def _(k):
    k.build(xegpu.Dpas, k.vector(8, 8), k.vector(8, 16, 2), result=VectorType((8, 16), F32))


@twin("M of a product", "M-dimension mismatch", "M-dimension mismatch",
      "accumulate on matrix C of mxn to the same size matrix", "002 dpas")  # fmt: skip
def _(k):
    k.build(xegpu.Dpas, k.vector(16, 16), k.vector(8, 16, 2), result=VectorType((8, 16), F32))


@twin("N of a product", "N-dimension mismatch", "N-dimension mismatch",
      "accumulate on matrix C of mxn to the same size matrix", "002 dpas")  # fmt: skip
def _(k):
    k.build(xegpu.Dpas, k.vector(8, 16), k.vector(8, 8, 2), result=VectorType((8, 16), F32))


@twin("type of an accumulator", "must have the type of the result", "acc type to be the same as result",
      "accumulate on matrix C of mxn to the same size matrix", "002 dpas")  # fmt: skip
def _(k):
    k.build(xegpu.Dpas, k.vector(8, 16), k.vector(16, 16), k.vector(8, 16), result=VectorType((8, 16), F32))


@twin("element types of a product", "same element type", "same element type",
      "for fp16 data type, the matrices are A: vector<8x16xf16>, B: vector<16x16xf16>", "002 dpas")  # fmt: skip
def _(k):
    k.build(xegpu.Dpas, k.vector(8, 16), k.vector(16, 16, element=F32), result=VectorType((8, 16), F32))


@twin("ranks of a product", "A and the result are 2-D", "expecting lhs and result to be a 2D vector",
      "B operands can be represented as a 3D vector, with the last dimension representing the VNNI factor",
      "002 dpas")  # fmt: skip
def _(k):
    k.build(xegpu.Dpas, k.vector(8, 8, 2), k.vector(16, 16), result=VectorType((8, 16), F32))


@twin("a lane's share of B", "multiple of 32 bits", "multiple of 32 bits",
      "the VNNI factor, which is computed as 32/bit_width_of_elem_type", "002 dpas")  # fmt: skip
def _(k):
    k.build(xegpu.Dpas, k.vector(8), k.vector(15), result=VectorType((8,), F32))


@twin("layouts of two levels", "both layouts must be for a workgroup", "at the same time",
      "Both input_layout and target_layout must correspond to the same programming scope", "002 convert_layout")  # fmt: skip
def _(k):
    k.build(xegpu.ConvertLayout, k.vector(32, 64), input_layout=FULL, target_layout=SG)


@twin("an input layout that does not fit", "invalid input_layout", "invalid input layout",
      "convert_layout redistribute data across subgroups and/or work-items", "002 convert_layout")  # fmt: skip
def _(k):
    k.build(xegpu.ConvertLayout, k.vector(32, 64), input_layout=Layout((3, 1)), target_layout=WG)


@twin("a target layout that does not fit", "invalid target_layout", "invalid target layout",
      "convert_layout redistribute data across subgroups and/or work-items", "002 convert_layout")  # fmt: skip
def _(k):
    k.build(xegpu.ConvertLayout, k.vector(32, 64), input_layout=WG, target_layout=Layout((3, 1)))


# Shared memory, barriers, control.


@twin("size of a matrix", "must have the same size", "same size in bits",
      "The resulting memory descriptor has to have the same size as the underlying shared local memory",
      "002 create_mem_desc")  # fmt: skip
def _(k):
    k.build(xegpu.CreateMemDesc, k.S, result=xegpu.MemDescType((32, 32), F16))


@twin("a matrix over a buffer of run-time size", "of constant size", "share memory and statically 1d shaped",
      "source: a 1D statically shaped memref", "002 create_mem_desc")  # fmt: skip
def _(k):
    flat = k.build(gpu.ReinterpretCast, k.S, k.n, result=MemRefType((None,), I8, (1,), 3))
    k.build(xegpu.CreateMemDesc, flat, result=xegpu.MemDescType((32, 64), F16))


@twin("a matrix whose strides leave gaps", "ends at byte 18432 of a memory of 4096 bytes", None,
      "The resulting memory descriptor has to have the same size as the underlying shared local memory",
      "002 create_mem_desc")  # fmt: skip
def _(k):
    k.matrix(32, 64, stride=(512, 1), block=(16, 16))


@twin("blocks that do not fill a matrix", "does not divide dimension", None,
      "Elements within the same block are stored contiguously in memory", "002 MemDescType")  # fmt: skip
def _(k):
    k.matrix(32, 64, block=(7, 8))


@twin("a matrix of three dimensions", "takes a 2-D matrix", "mem_desc must be 2D",
      "Only 2D memory descriptors are supported; use the subview operation", "002 load_matrix")  # fmt: skip
def _(k):
    k.build(xegpu.LoadMatrix, k.matrix(2, 32, 64), (k.m, k.m, k.n), value=VectorType((8, 16), F16))


@twin("a part larger than its matrix", "is larger than", "must not exceed mem_desc shape",
      "res: the matrix elements loaded from SLM", "002 load_matrix")  # fmt: skip
def _(k):
    k.build(xegpu.LoadMatrix, k.matrix(32, 64), (k.m, k.n), value=VectorType((64, 16), F16))


@twin("data larger than its matrix", "is larger than", "must not exceed mem_desc shape",
      "data: the values to be stored in the matrix", "002 store_matrix")  # fmt: skip
def _(k):
    k.build(xegpu.StoreMatrix, k.vector(64, 16), k.matrix(32, 64), (k.m, k.n))


@twin("element type of a matrix", "same element type", "same element type",
      "loads a 2D block of data from shared local memory (SLM) as specified by the provided 2D mem_desc",
      "002 load_matrix")  # fmt: skip
def _(k):
    k.build(xegpu.LoadMatrix, k.matrix(32, 64), (k.m, k.n), value=VectorType((8, 16), F32))


@twin("a block message for one element", "subgroup_block_io moves vectors", "only allowed when result is a VectorType",
      "(LLVM 22's property of load_matrix)", "002 load_matrix")  # fmt: skip
def _(k):
    k.build(xegpu.LoadMatrix, k.matrix(32, 64), (k.m, k.n), subgroup_block_io=UNIT, value=F16)


ROW = "With subgroup_block_io a message moves contiguous elements to neighbouring lanes (LLVM 22's property of load_matrix)"


def by_message(k, desc, lanes=None, data=(1, 1), shape=(16, 16)):
    layout = Layout(lane_layout=lanes, lane_data=data) if lanes else None
    k.build(xegpu.LoadMatrix, desc, (k.m, k.n), subgroup_block_io=UNIT, layout=layout, value=VectorType(shape, F16))


@twin("a block message of columns", "takes rows of a matrix", "should be row major", ROW, "002 load_matrix")
def _(k):
    by_message(k, k.matrix(32, 64, stride=(1, 32)), shape=(8,))


@twin("a block message whose lanes have columns", "moves elements in a row", "contiguous and coalesced", ROW, "002 load_matrix")
def _(k):
    by_message(k, k.matrix(32, 64, block=(1, 16)), (1, 16), (2, 1))


@twin("a block message of other blocks than lanes", "takes blocks of", "must match the lane layout", ROW, "002 load_matrix")
def _(k):
    by_message(k, k.matrix(32, 64, block=(16, 16)), (1, 16))


@twin("a block message across rows", "not contiguous", "distributed dimensions must be contiguous", ROW, "002 load_matrix")
def _(k):
    by_message(k, k.matrix(32, 64, block=(16, 1)), (16, 1))


@twin("offsets of a matrix", "offsets for a matrix of rank", None,
      "offsets: the coordinates within the matrix to read from", "002 load_matrix")  # fmt: skip
def _(k):
    k.build(xegpu.LoadMatrix, k.matrix(32, 64), (k.m,), value=VectorType((8, 16), F16))


@twin("a view larger than its matrix", "is larger than", None,
      "res: a memory descriptor with smaller size (the op is gone from LLVM 22)", "002 mem_desc_subview")  # fmt: skip
def _(k):
    k.build(xegpu.MemDescSubview, k.matrix(32, 64), (k.m, k.n), result=xegpu.MemDescType((64, 64), F16))


@twin("a view of more dimensions", "a view of rank 3", None,
      "The resulting memory descriptor can have a lower rank than the source", "002 mem_desc_subview")  # fmt: skip
def _(k):
    k.build(xegpu.MemDescSubview, k.matrix(32, 64), (k.m, k.n), result=xegpu.MemDescType((2, 32, 32), F16))


@twin("a barrier's number", "numbered by i8", "must be 8-bit signless integer",
      "the named barrier with the specified barrier ID (0~31): 8-bit signless integer", "002 init_nbarrier")  # fmt: skip
def _(k):
    k.build(xegpu.InitNbarrier, k.const(1, I32), k.b)


@twin("a fence of no scope", "none of workgroup, gpu", "to be one of: workgroup, gpu",
      "Fence_scope describes the scope of fence: workgroup or gpu", "002 fence")  # fmt: skip
def _(k):
    k.build(xegpu.Fence, memory_kind="global", fence_scope="lane")


@twin("a fence of no memory", "none of global, slm", "to be one of: global, slm",
      "Memory_kind describes the memory kind. global means the global memory, slm means the share local memory",
      "002 fence")  # fmt: skip
def _(k):
    k.build(xegpu.Fence, memory_kind="texture", fence_scope="gpu")


@twin("an empty range of subgroups", "must be greater than its start", "must be greater than",
      "RangeAttr is an attribute that defines a half-open range [start, end)", "002 RangeAttr")  # fmt: skip
def _(k):
    then, otherwise = Block(), Block()
    with k.build.at(then):
        k.build(scf.Yield)
    k.build.op(scf.If, k.c, regions=[then, otherwise], values=[], sg_id_range=xegpu.RangeAttr(4, 2))


@twin("offsets that are no index", "offsets are of type index", "must be vector of index values|fixed-length vector of index",
      "offsets is a vector of index type", "002 load")  # fmt: skip
def _(k):
    k.build(xegpu.Load, k.R, k.vector(16, element=I64), k.mask(), value=VectorType((16,), F16))

"""Invalid twins: descriptors of blocks, load_nd, store_nd, prefetch_nd, update_nd_offset."""

from __future__ import annotations

from tests.xegpu.twins import twin
from tests.xegpu.valid import SG, WG
from xetile.dialects import xegpu
from xetile.dialects.types import F16, F32, VectorType
from xetile.ir.core import UNIT
from xetile.layout import Layout

Type = xegpu.TensorDescType


def nd(k, kind, *operands, source="A"):
    return k.build(xegpu.CreateNdTdesc, k.args[source], *operands, result=kind)


# Descriptors.


@twin("tensor rank above the memory's", "more dimensions than the memory", "rank is not greater than",
      "a sub-view of a 1D/2D memory region inside the one or two innermost dimensions of the source",
      "002 create_nd_tdesc")  # fmt: skip
def _(k):
    nd(k, Type((8, 16), F16), source="R")


@twin("element type of a descriptor", "same element type", "same element type",
      "source: an object representing (starting address/pointer of) a memory region", "002 create_nd_tdesc")  # fmt: skip
def _(k):
    nd(k, Type((8, 16), F32))


@twin("ranks of offsets and memory", "ranks differ", "should match with each other",
      "offsets: index values represents offsets from the source at the each dimension", "002 create_nd_tdesc")  # fmt: skip
def _(k):
    nd(k, Type((8, 16), F16), (k.m,))


@twin("ranks of shape and strides", "ranks differ", "should match with each other",
      "the strides of the memory region; similar to shape", "002 create_nd_tdesc")  # fmt: skip
def _(k):
    nd(k, Type((16,), F16), (), (k.m, k.n), (k.n,))


@twin("an address without shape", "an address needs shape and strides", "integer source",
      "if source is simply a pointer, the shape information has to be explicitly passed", "002 create_nd_tdesc")  # fmt: skip
def _(k):
    nd(k, Type((8, 16), F16), source="Q")


@twin("a scattered descriptor of a block", "not a scattered one", "non-scattered",
      "create_tdesc is for creating non-continuous (scattered) subviews", "002 create_tdesc")  # fmt: skip
def _(k):
    nd(k, Type((16,), F16, xegpu.ScatterAttr()))


@twin("memory space of a descriptor", "memory space mismatch", "Memory space mismatch",
      "it has to match with the memory scope of the base addresses", "000 block_tdesc_attr")  # fmt: skip
def _(k):
    nd(k, Type((16,), F32), source="T")


@twin("a 2-D block in shared memory", "only 1-D blocks", "SLM is only supported for 1D block tensor",
      "a memory address and an offset and creates a 1D tensor_desc (memory_space=slm)", "000 create_nd_tdesc")  # fmt: skip
def _(k):
    nd(k, Type((8, 8), F32, xegpu.BlockAttr("slm")), source="F")


@twin("no dimensions", "at least one dimension", "expected non-zero rank tensor",
      "shape: the sizes/shape of the interested data block", "002 TensorDescType")  # fmt: skip
def _(k):
    nd(k, Type((), F16))


@twin("array_length 0", "array_length 0 is below 1", None,
      "array_length describes how many horizontally consecutive blocks will be loaded. Its default value is 1",
      "000 block_tdesc_attr")  # fmt: skip
def _(k):
    k.desc(8, 16, array_length=0)


# Layouts of descriptors.


@twin("layout of another rank", "the layout's rank", "expected layout rank to match tensor rank",
      "LayoutAttr requires the data to have the same rank as the attribute", "002 SliceAttr")  # fmt: skip
def _(k):
    k.desc(16, source="R", layout=SG)


@twin("sg_data that does not divide the tensor", r"cannot distribute \[128, 128\]", r"cannot distribute \[128, 128\]",
      "tensor_desc[0] must be either evenly divisible by sg_layout[0] x sg_data[0], or vice versa",
      "000 constraints")  # fmt: skip
def _(k):
    k.desc(128, 128, layout=Layout((4, 2), (24, 48)))


@twin("inst_data that does not divide sg_data", "cannot distribute", "cannot distribute",
      "inst_data specifies the data size that is processed by an instruction", "002 LayoutAttr")  # fmt: skip
def _(k):
    k.desc(64, 64, layout=Layout((2, 2), (32, 32), inst_data=(24, 32)))


@twin("inst_data larger than sg_data", "cannot distribute", "cannot distribute",
      "the inst_data parameter divides sg_data into instructions", "002 LayoutAttr, example 6")  # fmt: skip
def _(k):
    k.desc(64, 64, layout=Layout((2, 4), (32, 16), inst_data=(8, 32)))


@twin("more lanes than elements", r"cannot distribute \[4, 8\]", r"cannot distribute \[4, 8\]",
      "tensor_desc[1] must be evenly divisible by wi_layout[1] x wi_data[1]", "000 sg_map constraints")  # fmt: skip
def _(k):
    k.desc(4, 8, layout=SG)


@twin("lane_data that does not fit", r"cannot distribute \[4, 8\]", r"cannot distribute \[4, 8\]",
      "tensor_desc[0] must be evenly divisible by wi_layout[0] x wi_data[0]", "000 sg_map constraints")  # fmt: skip
def _(k):
    k.desc(4, 8, layout=Layout(lane_layout=(2, 8), lane_data=(4, 1)))


@twin("a slice on a descriptor", "takes a layout of its own rank, not a slice", r"\A\Z",
      "Layout attribute: supporting Workgroup, Subgroup, and workitem level programmings via the Layout attribute",
      "002 TensorDescType")  # fmt: skip
def _(k):
    k.desc(32, source="R", layout=WG.slice((0,)))


# load_nd.


@twin("a write hint on a load", "invalid l1_hint", "invalid l1_hint",
      'The cache directive for load could be "uncached, cached, streaming, read_invaldiate"', "000 load_nd")  # fmt: skip
def _(k):
    k.build(xegpu.LoadNd, k.desc(8, 16), (), l1_hint=xegpu.CacheHint("write_back"), value=VectorType((8, 16), F16))


@twin("load_nd of a scattered descriptor", "not a scattered one", "non-scattered",
      "It is only available to 1D or 2D blocked tensor_desc", "002 load_nd")  # fmt: skip
def _(k):
    k.build(xegpu.LoadNd, k.scattered(8, 2, chunk_size=2), (), value=VectorType((8, 2), F16))


@twin("load_nd of three dimensions", "1-D or 2-D descriptor", "1D or 2D TensorDesc",
      "It is only available to 1D or 2D blocked tensor_desc", "002 load_nd")  # fmt: skip
def _(k):
    k.build(xegpu.LoadNd, k.desc(4, 8, 16, source="H"), (), value=VectorType((4, 8, 16), F16))


@twin("packed with transpose", "packed and transpose cannot be combined", None,
      "It implies that vnni and transpose cannot exit at the same time", "002 load_nd")  # fmt: skip
def _(k):
    k.build(xegpu.LoadNd, k.desc(16, 16), (), packed=UNIT, transpose=(1, 0), value=VectorType((8, 16, 2), F16))


@twin("packed of wide elements", "packed puts rows of narrow elements", None,
      "VNNI transformation is used for B if the bit width of the data type is less then 32 bits", "002 load_nd")  # fmt: skip
def _(k):
    k.build(xegpu.LoadNd, k.desc(16, 16, source="F"), (), packed=UNIT, value=VectorType((16, 16, 1), F32))


@twin("transpose by no permutation", "no permutation", None,
      "Attribute transpose specifies the dimensions to be transposed during the load", "000 load_nd")  # fmt: skip
def _(k):
    k.build(xegpu.LoadNd, k.desc(8, 16), (), transpose=(2, 0), value=VectorType((8, 16), F16))


@twin("shape of a loaded block", "is not consistent with", "is not consistent with tensor descriptor",
      "LoadNdOp essentially mimics the hardware block read instruction to read a block of data", "002 load_nd")  # fmt: skip
def _(k):
    k.build(xegpu.LoadNd, k.desc(8, 16), (), value=VectorType((8, 1), F16))


@twin("shape of a packed block", "is not consistent with", "is not consistent with tensor descriptor",
      "splits a 2D matrix [col, row] to be 3-d matrix [col/vnni_factor, row, vnni_factor]", "000 load_nd")  # fmt: skip
def _(k):
    k.build(xegpu.LoadNd, k.desc(16, 16), (), packed=UNIT, value=VectorType((16, 8, 2), F16))


@twin("shape of several blocks", "is not consistent with", "is not consistent with tensor descriptor",
      "The actual loaded block shape will be array_length x (m x n)", "000 block_tdesc_attr")  # fmt: skip
def _(k):
    k.build(xegpu.LoadNd, k.desc(8, 16, array_length=2), (), value=VectorType((8, 32), F16))


@twin("element type of a loaded block", "same element type", "same element type",
      "element_type: the data type of the data element", "002 TensorDescType")  # fmt: skip
def _(k):
    k.build(xegpu.LoadNd, k.desc(8, 16), (), value=VectorType((8, 16), F32))


@twin("ranks of offsets and descriptor", "offsets for a descriptor of rank", "Mismatched ranks between offsets",
      'n-dimension tensor descriptor requires "n" number of offsets', "000 create_nd_tdesc")  # fmt: skip
def _(k):
    k.build(xegpu.LoadNd, k.desc(8, 16), (k.m,), value=VectorType((8, 16), F16))


@twin("a lane's uneven share", "is not a valid distribution", "is not a valid distribution",
      "tensor_size will be evenly divisible by distribution_unit_size", "000 sg_map constraints")  # fmt: skip
def _(k):
    k.build(xegpu.LoadNd, k.desc(16, source="R"), (), value=VectorType((3,), F16))


@twin("a lane's share with a layout", "must have no layout", "doesn't need LayoutAttr for SIMT code",
      "In SIMT mode, result vector represents the data to be loaded by each work-item", "002 load_nd")  # fmt: skip
def _(k):
    k.build(xegpu.LoadNd, k.desc(8, 16, layout=SG), (), value=VectorType((8,), F16))


# store_nd, prefetch_nd, update_nd_offset.


@twin("a read hint on a store", "invalid l1_hint", "invalid l1_hint",
      'For write, cache policy could be "uncached, write_through, write_back, streaming" (002 leaves streaming out)',
      "000 load_nd")  # fmt: skip
def _(k):
    k.build(xegpu.StoreNd, k.vector(8, 16), k.desc(8, 16), (), l1_hint=xegpu.CacheHint("read_invalidate"))


@twin("a store of several blocks", "array_length is for loads", "array length is not supported by store_nd",
      "array_length. It is only used for load", "000 block_tdesc_attr")  # fmt: skip
def _(k):
    k.build(xegpu.StoreNd, k.vector(2, 8, 16), k.desc(8, 16, array_length=2), ())


@twin("shape of a stored block", "is not consistent with", "is not consistent with tensor descriptor",
      "write a block of data from register into the memory region as described by the TensorDesc", "002 store_nd")  # fmt: skip
def _(k):
    k.build(xegpu.StoreNd, k.vector(8, 1), k.desc(8, 16), ())


@twin("element type of a stored block", "same element type", "same element type",
      "write a block of data from register into the memory region as described by the TensorDesc", "002 store_nd")  # fmt: skip
def _(k):
    k.build(xegpu.StoreNd, k.vector(8, 16, element=F32), k.desc(8, 16), ())


@twin("a lane's uneven share stored", "is not a valid distribution", "is not a valid distribution",
      "In SIMT mode, the input vector represents the data to be stored by each work-item", "002 store_nd")  # fmt: skip
def _(k):
    k.build(xegpu.StoreNd, k.vector(3), k.desc(16, source="R"), ())


@twin("store_nd of three dimensions", "1-D or 2-D descriptor", "1D or 2D TensorDesc",
      "It is only available to 1D or 2D blocked tensor_desc", "002 store_nd")  # fmt: skip
def _(k):
    k.build(xegpu.StoreNd, k.vector(4, 8, 16), k.desc(4, 8, 16, source="H"), ())


@twin("store_nd to a scattered descriptor", "not a scattered one", "non-scattered",
      "It is only available to 1D or 2D blocked tensor_desc", "002 store_nd")  # fmt: skip
def _(k):
    k.build(xegpu.StoreNd, k.vector(8, 2), k.scattered(8, 2, chunk_size=2), ())


@twin("a write hint on a prefetch", "invalid l1_hint", "invalid l1_hint",
      "prefetch a block of data to each level of the cache based on their cache policy", "002 prefetch_nd")  # fmt: skip
def _(k):
    k.build(xegpu.PrefetchNd, k.desc(8, 16), (), l1_hint=xegpu.CacheHint("write_back"))


@twin("prefetch_nd of a scattered descriptor", "not a scattered one", "non-scattered",
      "As compared to prefetch_nd, which works on non-scattered TensorDesc", "002 prefetch")  # fmt: skip
def _(k):
    k.build(xegpu.PrefetchNd, k.scattered(16), ())


@twin("offsets of a moved descriptor", "offsets for a descriptor of rank", "Invalid number of offsets",
      "The offsets are relative offset to the current position in the number of elements", "002 update_nd_offset")  # fmt: skip
def _(k):
    k.build(xegpu.UpdateNdOffset, k.desc(8, 16), (k.m,))


@twin("update_nd_offset of a scattered descriptor", "not a scattered one", "non-scattered",
      "update_nd_offset is to update the start point of a 2D block", "002 update_offset")  # fmt: skip
def _(k):
    k.build(xegpu.UpdateNdOffset, k.scattered(8, 2, chunk_size=2), (k.m, k.n))

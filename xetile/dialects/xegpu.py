"""xegpu: descriptors, block and scattered messages, dpas (seed 002; names and text of LLVM 22).

Offsets are given on load_nd, store_nd and prefetch_nd, or on the descriptor that update_nd_offset moves.
At lane level the vectors are 1-D: a lane's fragment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xetile.dialects.types import ScalarType, VectorType
from xetile.ir.core import Attribute, Op, Type, attribute, operand, result
from xetile.layout import Layout, Slice

CACHE_HINTS = ("cached", "uncached", "streaming", "read_invalidate", "write_back", "write_through")


@dataclass(frozen=True)
class CacheHint(Attribute):
    """`#xegpu.cache_hint<cached>`."""

    value: str

    def __str__(self) -> str:
        return f"#xegpu.cache_hint<{self.value}>"


@dataclass(frozen=True)
class BlockAttr(Attribute):
    """`block_tdesc_attr`: memory space, blocks side by side in one message, bounds checking."""

    memory_space: str = "global"
    array_length: int = 1
    boundary_check: bool = True

    def __str__(self) -> str:
        parts = []
        if self.memory_space != "global":
            parts.append(f"memory_space = {self.memory_space}")
        if self.array_length != 1:
            parts.append(f"array_length = {self.array_length} : i64")
        if not self.boundary_check:
            parts.append("boundary_check = false")
        return f"#xegpu.block_tdesc_attr<{', '.join(parts)}>"


@dataclass(frozen=True)
class ScatterAttr(Attribute):
    """`scatter_tdesc_attr`: memory space, contiguous elements for each offset."""

    memory_space: str = "global"
    chunk_size: int = 1

    def __str__(self) -> str:
        parts = []
        if self.memory_space != "global":
            parts.append(f"memory_space = {self.memory_space}")
        if self.chunk_size != 1:
            parts.append(f"chunk_size = {self.chunk_size} : i64")
        return f"#xegpu.scatter_tdesc_attr<{', '.join(parts)}>"


@dataclass(frozen=True)
class TensorDescType(Type):
    """A block (1-D or 2-D) of memory, or one element (or chunk) for each lane."""

    shape: tuple[int, ...]
    element: ScalarType
    encoding: BlockAttr | ScatterAttr | None = None
    layout: Layout | Slice | None = None

    @property
    def scattered(self) -> bool:
        """True where each lane has an offset of its own."""
        return isinstance(self.encoding, ScatterAttr)

    @property
    def array_length(self) -> int:
        """Blocks side by side."""
        return self.encoding.array_length if isinstance(self.encoding, BlockAttr) else 1

    def __str__(self) -> str:
        parts = ["x".join(map(str, (*self.shape, self.element)))]
        if self.encoding is not None and self.encoding not in (BlockAttr(),):
            parts.append(str(self.encoding))
        if self.layout is not None:
            parts.append(str(self.layout))
        return f"!xegpu.tensor_desc<{', '.join(parts)}>"


@dataclass(frozen=True)
class MemLayoutAttr(Attribute):
    """`mem_layout`: strides in elements and block shape of a matrix in shared local memory."""

    stride: tuple[int, ...] = ()
    block: tuple[int, ...] = ()

    def __str__(self) -> str:
        parts = [f"{n} = {list(v)}" for n, v in (("stride", self.stride), ("block", self.block)) if v]
        return f"#xegpu.mem_layout<{', '.join(parts)}>"


@dataclass(frozen=True)
class MemDescType(Type):
    """A matrix in shared local memory."""

    shape: tuple[int, ...]
    element: ScalarType
    layout: MemLayoutAttr | None = None

    def __str__(self) -> str:
        layout = f", {self.layout}" if self.layout is not None else ""
        return f"!xegpu.mem_desc<{'x'.join(map(str, (*self.shape, self.element)))}{layout}>"


@dataclass(frozen=True)
class NbarrierType(Type):
    """A named barrier."""

    def __str__(self) -> str:
        return "!xegpu.nbarrier"


class _Hinted(Op):
    """Declared attributes are printed as properties; `[...]` offsets follow the descriptor."""


def _offsets(p: Any, values: Any) -> str:
    return f"[{', '.join(map(p.index, values))}]" if values else ""


class CreateNdTdesc(Op, name="xegpu.create_nd_tdesc", pure=True):
    """A descriptor of blocks of a base array with run-time `shape` and `strides` (elements), at `offsets` if given."""

    source: Any = operand()
    offsets: Any = operand(variadic=True)
    shape: Any = operand(variadic=True)
    strides: Any = operand(variadic=True)
    result: Any = result(TensorDescType)

    def print(self, p: Any) -> str:
        """`xegpu.create_nd_tdesc %A[%i, %j], shape : [%m, %k], strides : [%lda, 1] : memref<...> -> !xegpu.tensor_desc<...>`."""
        text = f"xegpu.create_nd_tdesc {p.name(self.source)}{_offsets(p, self.offsets)}"
        if self.shape:
            text += f", shape : {_offsets(p, self.shape)}, strides : {_offsets(p, self.strides)}"
        return f"{text} : {self.source.type} -> {self.result.type}"


class LoadNd(_Hinted, name="xegpu.load_nd"):
    """One block message to registers: `packed` with the VNNI transform, or transposed."""

    desc: Any = operand(TensorDescType)
    offsets: Any = operand(variadic=True)
    packed: Any = attribute("unit", optional=True)
    transpose: Any = attribute("array", optional=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)
    value: Any = result(VectorType)

    def print(self, p: Any) -> str:
        """`xegpu.load_nd %td[%y, %x] <{packed}> : !xegpu.tensor_desc<...> -> vector<...>`."""
        head = f"xegpu.load_nd {p.name(self.desc)}{_offsets(p, self.offsets)}{p.properties(self)}{p.discardable(self)}"
        return f"{head} : {self.desc.type} -> {self.value.type}"


class StoreNd(_Hinted, name="xegpu.store_nd"):
    """One block message from registers; elements outside the base are not written."""

    value: Any = operand(VectorType)
    desc: Any = operand(TensorDescType)
    offsets: Any = operand(variadic=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)

    def print(self, p: Any) -> str:
        """`xegpu.store_nd %v, %td[%y, %x] : vector<...>, !xegpu.tensor_desc<...>`."""
        head = f"xegpu.store_nd {p.name(self.value)}, {p.name(self.desc)}{_offsets(p, self.offsets)}"
        return f"{head}{p.properties(self)}{p.discardable(self)} : {self.value.type}, {self.desc.type}"


class PrefetchNd(_Hinted, name="xegpu.prefetch_nd"):
    """One block message to the caches."""

    desc: Any = operand(TensorDescType)
    offsets: Any = operand(variadic=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)

    def print(self, p: Any) -> str:
        """`xegpu.prefetch_nd %td[%y, %x] : !xegpu.tensor_desc<...>`."""
        head = f"xegpu.prefetch_nd {p.name(self.desc)}{_offsets(p, self.offsets)}{p.properties(self)}{p.discardable(self)}"
        return f"{head} : {self.desc.type}"


class UpdateNdOffset(Op, name="xegpu.update_nd_offset", pure=True):
    """The descriptor moved by `offsets` elements."""

    desc: Any = operand(TensorDescType)
    offsets: Any = operand(variadic=True)
    result: Any = result(TensorDescType, infer=lambda op: op.desc.type)

    def print(self, p: Any) -> str:
        """`xegpu.update_nd_offset %td, [%c0, %c32] : !xegpu.tensor_desc<...>`."""
        return f"xegpu.update_nd_offset {p.name(self.desc)}, {_offsets(p, self.offsets)} : {self.desc.type}"


class CreateTdesc(Op, name="xegpu.create_tdesc", pure=True):
    """A scattered descriptor: one offset (elements) for each lane."""

    format = "$source `,` $offsets attr-dict `:` type($source) `,` type($offsets) `->` type($result)"
    source: Any = operand()
    offsets: Any = operand()
    result: Any = result(TensorDescType)


class UpdateOffset(Op, name="xegpu.update_offset", pure=True):
    """The scattered descriptor with each lane's offset moved."""

    format = "$desc `,` $offsets attr-dict `:` type($desc) `,` type($offsets)"
    desc: Any = operand(TensorDescType)
    offsets: Any = operand(VectorType)
    result: Any = result(TensorDescType, infer=lambda op: op.desc.type)


class Load(_Hinted, name="xegpu.load"):
    """One element (or chunk) for each lane whose mask is true, from a scattered descriptor or a base with `offsets`."""

    source: Any = operand()
    offsets: Any = operand(optional=True)
    mask: Any = operand()
    chunk_size: Any = attribute("i64", optional=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)
    value: Any = result()

    def print(self, p: Any) -> str:
        """`xegpu.load %A[%offsets], %mask : memref<...>, vector<16xindex>, vector<16xi1> -> vector<16xf32>`."""
        offsets = f"[{p.name(self.offsets)}]" if self.offsets is not None else ""
        types = ", ".join(str(v.type) for v in self.operands)
        head = f"xegpu.load {p.name(self.source)}{offsets}, {p.name(self.mask)}"
        return f"{head}{p.properties(self)}{p.discardable(self)} : {types} -> {self.value.type}"


class Store(_Hinted, name="xegpu.store"):
    """One element (or chunk) from each lane whose mask is true."""

    value: Any = operand()
    dest: Any = operand()
    offsets: Any = operand(optional=True)
    mask: Any = operand()
    chunk_size: Any = attribute("i64", optional=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)

    def print(self, p: Any) -> str:
        """`xegpu.store %v, %C[%offsets], %mask : types`."""
        offsets = f"[{p.name(self.offsets)}]" if self.offsets is not None else ""
        types = ", ".join(str(v.type) for v in self.operands)
        head = f"xegpu.store {p.name(self.value)}, {p.name(self.dest)}{offsets}, {p.name(self.mask)}"
        return f"{head}{p.properties(self)}{p.discardable(self)} : {types}"


class Prefetch(_Hinted, name="xegpu.prefetch"):
    """Bring each lane's element to the caches."""

    source: Any = operand()
    offsets: Any = operand(optional=True)
    offset_align_byte: Any = attribute("i64", optional=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)

    def print(self, p: Any) -> str:
        """`xegpu.prefetch %A[%offsets] : types`."""
        offsets = f"[{p.name(self.offsets)}]" if self.offsets is not None else ""
        types = ", ".join(str(v.type) for v in self.operands)
        return f"xegpu.prefetch {p.name(self.source)}{offsets}{p.properties(self)}{p.discardable(self)} : {types}"


class AtomicRmw(Op, name="xegpu.atomic_rmw"):
    """Combine a value atomically into a scattered region; gives the old elements."""

    kind: str = attribute("keyword")
    desc: Any = operand(TensorDescType)
    mask: Any = operand()
    value: Any = operand()
    result: Any = result(infer=lambda op: op.value.type)
    format = "$kind $desc `,` $mask `,` $value attr-dict `:` type($desc) `,` type($mask) `,` type($value) `->` type($result)"


class Dpas(Op, name="xegpu.dpas", pure=True):
    """One matrix instruction: A (m, k) by B (k, n) (or B packed 3-D) plus acc. Integers are signed unless marked."""

    format = "$lhs `,` $rhs (`,` $acc^)? attr-dict `:` type($lhs) `,` type($rhs) (`,` type($acc)^)? `->` type($result)"
    lhs: Any = operand(VectorType)
    rhs: Any = operand(VectorType)
    acc: Any = operand(VectorType, optional=True)
    lhs_unsigned: Any = attribute("unit", optional=True)
    rhs_unsigned: Any = attribute("unit", optional=True)
    result: Any = result(VectorType, infer=lambda op: op.acc.type)


class ConvertLayout(Op, name="xegpu.convert_layout", pure=True):
    """The same value distributed in another way."""

    source: Any = operand(VectorType)
    input_layout: Any = attribute("layout")
    target_layout: Any = attribute("layout")
    result: Any = result(VectorType, infer=lambda op: op.source.type)

    def print(self, p: Any) -> str:
        """`xegpu.convert_layout %v <{input_layout = ..., target_layout = ...}> : vector<...>`."""
        return f"xegpu.convert_layout {p.name(self.source)}{p.properties(self)}{p.discardable(self)} : {self.source.type}"


class CreateMemDesc(Op, name="xegpu.create_mem_desc", pure=True):
    """A matrix over a buffer of shared local memory."""

    format = "$source attr-dict `:` type($source) `->` type($result)"
    source: Any = operand()
    result: Any = result(MemDescType)


class MemDescSubview(Op, name="xegpu.mem_desc_subview", pure=True):
    """A smaller matrix inside a matrix."""

    source: Any = operand(MemDescType)
    offsets: Any = operand(variadic=True)
    result: Any = result(MemDescType)

    def print(self, p: Any) -> str:
        """`xegpu.mem_desc_subview %m[%i, %j] : type -> type`."""
        return f"xegpu.mem_desc_subview {p.name(self.source)}{_offsets(p, self.offsets)} : {self.source.type} -> {self.result.type}"


class LoadMatrix(_Hinted, name="xegpu.load_matrix"):
    """A block of a matrix in shared local memory."""

    desc: Any = operand(MemDescType)
    offsets: Any = operand(variadic=True)
    layout: Any = attribute("layout", optional=True)
    value: Any = result()

    def print(self, p: Any) -> str:
        """`xegpu.load_matrix %m[%i, %j] : !xegpu.mem_desc<...> -> vector<...>`."""
        head = f"xegpu.load_matrix {p.name(self.desc)}{_offsets(p, self.offsets)}{p.properties(self)}{p.discardable(self)}"
        types = ", ".join([str(self.desc.type), *p.index_types(self.offsets)])
        return f"{head} : {types} -> {self.value.type}"


class StoreMatrix(_Hinted, name="xegpu.store_matrix"):
    """Write a block of a matrix in shared local memory."""

    data: Any = operand()
    desc: Any = operand(MemDescType)
    offsets: Any = operand(variadic=True)
    layout: Any = attribute("layout", optional=True)

    def print(self, p: Any) -> str:
        """`xegpu.store_matrix %v, %m[%i, %j] : vector<...>, !xegpu.mem_desc<...>`."""
        head = f"xegpu.store_matrix {p.name(self.data)}, {p.name(self.desc)}{_offsets(p, self.offsets)}"
        types = ", ".join([str(self.data.type), str(self.desc.type), *p.index_types(self.offsets)])
        return f"{head}{p.properties(self)}{p.discardable(self)} : {types}"


class AllocNbarrier(Op, name="xegpu.alloc_nbarrier"):
    """Reserve named barriers for the workgroup."""

    nbarrier_num: int = attribute("i64")

    def print(self, p: Any) -> str:
        """`xegpu.alloc_nbarrier 8`."""
        return f"xegpu.alloc_nbarrier {self.nbarrier_num}"


class InitNbarrier(Op, name="xegpu.init_nbarrier"):
    """Join a named barrier of so many participants."""

    format = "$nbarrier_id `,` $participant_thread_num attr-dict `:` type($nbarrier_id) `,` type($participant_thread_num) `->` type($result)"
    nbarrier_id: Any = operand()
    participant_thread_num: Any = operand()
    result: Any = result(infer=lambda op: NbarrierType())


class NbarrierArrive(Op, name="xegpu.nbarrier_arrive"):
    """Signal a named barrier."""

    format = "$nbarrier attr-dict `:` type($nbarrier)"
    nbarrier: Any = operand(NbarrierType)


class NbarrierWait(Op, name="xegpu.nbarrier_wait"):
    """Wait for a named barrier."""

    format = "$nbarrier attr-dict `:` type($nbarrier)"
    nbarrier: Any = operand(NbarrierType)


class Fence(Op, name="xegpu.fence"):
    """Order memory accesses: `memory_kind` global or slm, `fence_scope` workgroup or gpu."""

    memory_kind: str = attribute("keyword")
    fence_scope: str = attribute("keyword")

    def print(self, p: Any) -> str:
        """`xegpu.fence memory_kind = slm, fence_scope = workgroup`."""
        return f"xegpu.fence memory_kind = {self.memory_kind}, fence_scope = {self.fence_scope}"

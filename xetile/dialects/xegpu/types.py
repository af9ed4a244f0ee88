"""Types and attributes of xegpu, each with the rules that upstream's types have (seed 002; text of LLVM 22).

`problem()` of a type or attribute says what is wrong with it, None where nothing is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod

from xetile.dialects.types import INDEX, ScalarType
from xetile.errors import LayoutError
from xetile.ir.core import Attribute, Op, Type
from xetile.layout import Layout, MemLayout, Slice
from xetile.records import dataclass

AnyLayout = Layout | Slice

CACHE_HINTS = ("cached", "uncached", "streaming", "read_invalidate", "write_back", "write_through")
READ_HINTS = ("cached", "uncached", "streaming", "read_invalidate")
# Seed 000 names streaming for stores too; seed 002's dialect (LLVM 22) does not take it there.
WRITE_HINTS = ("cached", "uncached", "write_back", "write_through")
MEMORY_SPACES = {"global": 0, "slm": 3}
FENCE_SCOPES = ("workgroup", "gpu")
# Seed 000, scatter_tdesc_attr: the sizes of a chunk, and the width that narrow elements must fill.
CHUNK_SIZES = (1, 2, 3, 4, 8, 16, 32, 64)
PACKED_BITS = 32


@dataclass(frozen=True)
class CacheHint(Attribute):
    """`#xegpu.cache_hint<cached>`."""

    value: str

    def __str__(self) -> str:
        return f"#xegpu.cache_hint<{self.value}>"


@dataclass(frozen=True)
class RangeAttr(Attribute):
    """`#xegpu.range<[2, 4]>`: numbers from `start` to before `end`; on scf.if (`sg_id_range`) the subgroups that go in."""

    start: int
    end: int

    def problem(self) -> str | None:
        """An empty range."""
        return (
            None if self.end > self.start else f"the end of the range, {self.end}, must be greater than its start, {self.start}"
        )

    def __str__(self) -> str:
        return f"#xegpu.range<[{self.start} : i64, {self.end} : i64]>"


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
    """A block of memory, or one element (or chunk) for each lane. `layout`: how the vectors of it are distributed."""

    shape: tuple[int, ...]
    element: ScalarType
    encoding: BlockAttr | ScatterAttr | None = None
    layout: AnyLayout | None = None

    @property
    def scattered(self) -> bool:
        """True where each lane has an offset of its own."""
        return isinstance(self.encoding, ScatterAttr)

    @property
    def array_length(self) -> int:
        """Blocks side by side."""
        return self.encoding.array_length if isinstance(self.encoding, BlockAttr) else 1

    @property
    def chunk_size(self) -> int:
        """Contiguous elements at each offset."""
        return self.encoding.chunk_size if isinstance(self.encoding, ScatterAttr) else 1

    @property
    def memory_space(self) -> int:
        """As memrefs count them: 0 global, 3 shared local memory."""
        return MEMORY_SPACES[self.encoding.memory_space] if self.encoding is not None else 0

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def count(self) -> int:
        """Number of elements of one block."""
        return prod(self.shape)

    def problem(self) -> str | None:
        """The first rule of upstream's TensorDescType (or of seed 000's scatter_tdesc_attr) that is broken."""
        return _problem_of_tensor_desc(self)

    def __str__(self) -> str:
        parts = ["x".join(map(str, (*self.shape, self.element)))]
        if self.encoding is not None and self.encoding not in (BlockAttr(),):
            parts.append(str(self.encoding))
        if self.layout is not None:
            parts.append(str(self.layout))
        return f"!xegpu.tensor_desc<{', '.join(parts)}>"


@lru_cache(maxsize=4096)
def _problem_of_tensor_desc(type: TensorDescType) -> str | None:
    return next((p for rule in (_shape_rules, _chunk_rules, _layout_rules) for p in rule(type)), None)


def _shape_rules(type: TensorDescType) -> Iterator[str]:
    if not type.shape:
        yield "a tensor_desc has at least one dimension"
    if type.element is INDEX:
        yield f"elements are integers or floats, not {type.element}"
    if isinstance(type.encoding, BlockAttr):
        if type.rank > 1 and type.memory_space:
            yield "only 1-D blocks can lie in shared local memory (slm)"
        if type.array_length < 1:
            yield f"array_length {type.array_length} is below 1"


def _chunk_rules(type: TensorDescType) -> Iterator[str]:
    chunk = type.chunk_size
    if chunk < 1:
        yield f"chunk_size {chunk} is below 1"
    if chunk == 1:
        return
    if type.rank == 1:
        yield f"a 1-D tensor_desc has no room for chunks of {chunk} elements"
    if type.shape[-1] != chunk:
        yield f"the last dimension, {type.shape[-1]}, is not the chunk_size, {chunk}"
    unit = packing(type.element)
    if chunk % unit:
        yield f"chunk_size {chunk} is not a multiple of {unit}: {type.element} fills {PACKED_BITS} bits only in steps of {unit}"
    if chunk not in CHUNK_SIZES:
        yield f"chunk_size {chunk} is none of {', '.join(map(str, CHUNK_SIZES[1:]))}"


def _layout_rules(type: TensorDescType) -> Iterator[str]:
    if type.layout is None:
        return
    if isinstance(type.layout, Slice):
        yield "takes a layout of its own rank, not a slice"
    if type.layout.rank != type.rank:
        yield f"the layout's rank, {type.layout.rank}, is not the tensor's, {type.rank}"
    data = type.layout.root.lane_data
    unit = packing(type.element)
    if type.chunk_size > 1 and data and data[-1] % unit:
        yield f"the last entry of lane_data, {data[-1]}, is not a multiple of {unit}, the elements of {PACKED_BITS} bits"
    wrong = not_distributable(type.shape, type.layout)
    if wrong:
        yield wrong


def packing(element: ScalarType) -> int:
    """Elements that fill 32 bits; 1 for wide ones."""
    return max(1, PACKED_BITS // element.bits)


def layouts_of(op: Op) -> Iterator[AnyLayout]:
    """The layouts that an op mentions, in attributes and in types of its results."""
    for value in op.attributes.values():
        if isinstance(value, (Layout, Slice)):
            yield value
    for result in op.results:
        layout = getattr(result.type, "layout", None)
        if isinstance(layout, (Layout, Slice)):
            yield layout


@lru_cache(maxsize=4096)
def not_distributable(shape: tuple[int, ...], layout: AnyLayout) -> str | None:
    """Why a layout cannot distribute a value of `shape`; None where it can.

    Lanes share nothing here (upstream's isEvenlyDistributable): a dimension holds whole units of all lanes.
    """
    inst = layout.root.inst_data
    try:
        piece = layout.piece_shape(shape)
        block = layout.block_shape(piece)
        layout.lane_spread(block)
    except LayoutError as error:
        return f"cannot distribute {list(shape)} using {layout}: {error.message}"
    for extent, d in zip(piece, layout.kept):
        if inst and inst[d] > extent:
            return f"cannot distribute {list(shape)} using {layout}: inst_data[{d}] is larger than a subgroup's {extent} elements"
    for extent, spread in zip(block, layout.lane_spread(block)):
        if extent % (spread.count * spread.size):
            return f"cannot distribute {list(shape)} using {layout}: {extent} elements for {spread.count} lanes of {spread.size}"
    return None


@dataclass(frozen=True)
class MemLayoutAttr(Attribute):
    """`mem_layout`: strides in elements and block shape of a matrix in shared local memory."""

    stride: tuple[int, ...] = ()
    block: tuple[int, ...] = ()

    def __str__(self) -> str:
        # LLVM prints the dictionary that this is, with typed integers where it cannot infer them: none in these lists.
        parts = [f"{name} = {list(values)}" for name, values in (("block", self.block), ("stride", self.stride)) if values]
        return f"#xegpu.mem_layout<{', '.join(parts)}>"


@dataclass(frozen=True)
class MemDescType(Type):
    """A matrix in shared local memory."""

    shape: tuple[int, ...]
    element: ScalarType
    layout: MemLayoutAttr | None = None

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def memory_layout(self) -> MemLayout:
        """Where the elements lie; raises LayoutError where the attribute contradicts itself."""
        attribute = self.layout or MemLayoutAttr()
        return MemLayout(self.shape, tuple(attribute.stride), tuple(attribute.block))

    def __str__(self) -> str:
        layout = f", {self.layout}" if self.layout is not None else ""
        return f"!xegpu.mem_desc<{'x'.join(map(str, (*self.shape, self.element)))}{layout}>"


@dataclass(frozen=True)
class NbarrierType(Type):
    """A named barrier."""

    def __str__(self) -> str:
        return "!xegpu.nbarrier"

"""Blocks of memory: descriptors, load_nd, store_nd, prefetch_nd.

Offsets are given on load_nd, store_nd and prefetch_nd, or on the descriptor that update_nd_offset moves.
"""

from __future__ import annotations

from typing import Any

from xetile.dialects.gpu import ElementCast
from xetile.dialects.types import MemRefType, VectorType
from xetile.dialects.xegpu.rules import (
    ReadsMemory,
    WritesMemory,
    XeOp,
    check_block,
    check_indices,
    check_layout,
    check_offsets,
    check_same_element,
    check_source,
    check_space,
)
from xetile.dialects.xegpu.types import PACKED_BITS, TensorDescType
from xetile.ir.core import Op, Typed, Value, attribute, operand, result


class CreateNdTdesc(XeOp, name="xegpu.create_nd_tdesc", pure=True):
    """A descriptor of blocks of a base array with run-time `shape` and `strides` (elements), at `offsets` if given.

    `narrow`: rows of the shape may have less bytes than messages take (`BlockRules.min_width_bytes`), though one word at least, and
    lie `BlockRules.far_pitch_bytes` apart or more; the messages then say that the array begins further ahead.
    """

    # `xegpu.create_nd_tdesc %A[%i, %j], shape : [%m, %k], strides : [%lda, 1] : memref<...> -> !xegpu.tensor_desc<...>`.
    format = (
        "$source (`` `[` $offsets^ `]`)? (`,` `shape` `:` `[` $shape^ `]` `,` `strides` "
        "`:` `[` $strides `]`)? attr-dict `:` type($source) `->` type($result)"
    )
    source: Any = operand()
    offsets: tuple[Value, ...] = operand(variadic=True)
    shape: tuple[Value, ...] = operand(variadic=True)
    strides: tuple[Value, ...] = operand(variadic=True)
    narrow: object = attribute("unit", optional=True)
    result: Typed[TensorDescType] = result(TensorDescType)

    def rules(self) -> None:
        source, desc = self.source.type, self.result.type
        if self.narrow is not None and (desc.rank != 2 or not self.shape):
            raise self.fail("only a descriptor of rank 2 with a shape of its own is narrow")
        check_source(self, self.source)
        check_indices(self, (*self.offsets, *self.shape, *self.strides))
        check_space(self, self.source, desc)
        memref = isinstance(source, MemRefType)
        if not memref and not (self.shape and self.strides):
            raise self.fail("an address needs shape and strides")
        rank = len(self.shape) if self.shape or not memref else source.rank
        strides = len(self.strides) if self.strides or not memref else source.rank
        if rank != strides or len(self.offsets) not in (0, rank):
            raise self.fail(f"ranks differ: {rank} sizes, {strides} strides, {len(self.offsets)} offsets")
        if desc.rank > rank:
            raise self.fail(f"a descriptor of rank {desc.rank} has more dimensions than the memory, {rank}")
        if memref:
            check_same_element(self, desc, source)
        check_block(self, desc)


HEADER = "xetile.header"
"""The attribute of a load that has a header of its own: its number among those of its surface, 0 where it is missing."""


class LoadNd(ReadsMemory, name="xegpu.load_nd", reads=("desc",)):
    """One block message to registers: `packed` with the VNNI transform, or transposed.

    `transpose_bit_width` 32 transposes narrow elements as words of 32 bits (seed 000; LLVM 22 has no such attribute).
    `layout`: how the result is distributed to subgroups and lanes.
    """

    # `xegpu.load_nd %td[%y, %x] <{packed}> : !xegpu.tensor_desc<...> -> vector<...>`.
    format = "$desc (`` `[` $offsets^ `]`)? prop-dict attr-dict `:` type($desc) `->` type($value)"
    desc: Typed[TensorDescType] = operand(TensorDescType)
    offsets: tuple[Value, ...] = operand(variadic=True)
    packed: object = attribute("unit", optional=True)
    transpose: tuple[int, ...] | None = attribute("array", optional=True)
    transpose_bit_width: int | None = attribute("i32", optional=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)
    layout: Any = attribute("layout", optional=True)
    value: Typed[VectorType] = result(VectorType)

    def rules(self) -> None:
        desc, value = self.desc.type, self.value.type
        check_block(self, desc, most=2)
        check_same_element(self, value, desc)
        if self.packed is not None and self.transpose is not None:
            raise self.fail("packed and transpose cannot be combined")
        total = desc.count * desc.array_length
        if value.rank == 1 and value.count < total:
            _check_fragment(self, desc, value, "result")
        else:
            expected = self._shape(desc)
            if value.shape != expected:
                wrong = f"result shape {list(value.shape)} is not consistent with {desc}"
                raise self.fail(wrong, hint=f"it gives {list(expected)}")
        check_offsets(self, desc)
        check_layout(self, "layout", self._distributed_shape(desc, value))

    @property
    def transposed(self) -> bool:
        """Whether dimensions change their places: a permutation that leaves them says nothing."""
        return self.transpose is not None and list(self.transpose) != sorted(self.transpose)

    def _distributed_shape(self, desc: TensorDescType, value: VectorType) -> tuple[int, ...]:
        """The shape that the layout speaks of: of one of several blocks, where it has no dimension for them (upstream takes both)."""
        several = desc.array_length > 1 and self.layout is not None and self.layout.rank < value.rank
        return value.shape[1:] if several else value.shape

    def _shape(self, desc: TensorDescType) -> tuple[int, ...]:
        """The shape of the whole block in registers."""
        shape = list(desc.shape)
        bits = desc.element.bits if self.transpose_bit_width is None else self.transpose_bit_width
        if self.transpose is not None:
            if sorted(self.transpose) != list(range(desc.rank)):
                raise self.fail(f"transpose {list(self.transpose)} is no permutation of the {desc.rank} dimensions")
            words, rest = divmod(bits, desc.element.bits)
            if rest or words < 1 or shape[-1] % words:
                raise self.fail(f"transpose_bit_width {bits} puts no whole number of {desc.element}s of a row together")
            shape[-1] //= words
            shape = [shape[d] for d in self.transpose]
            shape[-1] *= words
        if self.packed is not None:
            if desc.rank != 2:
                raise self.fail(f"packed takes a 2-D descriptor, not {desc}")
            together = PACKED_BITS // desc.element.bits
            if together < 2 or shape[0] % together:
                raise self.fail(f"packed puts rows of narrow elements into {PACKED_BITS} bits, which {desc} does not fill")
            shape = [shape[0] // together, shape[1], together]
        return tuple(([desc.array_length] if desc.array_length > 1 else []) + shape)


def _check_fragment(op: XeOp, desc: TensorDescType, value: VectorType, what: str) -> None:
    """At lane level a 1-D vector holds an even share of the block, and the descriptor says nothing of lanes."""
    if desc.layout is not None:
        raise op.fail(f"{value} is a lane's share, so {desc} must have no layout")
    if desc.count * desc.array_length % value.count:
        raise op.fail(f"{what} shape {list(value.shape)} is not a valid distribution of {desc}")


class StoreNd(WritesMemory, name="xegpu.store_nd", writes=("desc",)):
    """One block message from registers; elements outside the base are not written."""

    # `xegpu.store_nd %v, %td[%y, %x] : vector<...>, !xegpu.tensor_desc<...>`.
    format = "$value `,` $desc (`` `[` $offsets^ `]`)? prop-dict attr-dict `:` type($value) `,` type($desc)"
    value: Typed[VectorType] = operand(VectorType)
    desc: Typed[TensorDescType] = operand(TensorDescType)
    offsets: tuple[Value, ...] = operand(variadic=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)
    layout: Any = attribute("layout", optional=True)

    def rules(self) -> None:
        desc, value = self.desc.type, self.value.type
        check_block(self, desc, most=2)
        if desc.array_length > 1:
            raise self.fail("stores one block: array_length is for loads")
        check_same_element(self, value, desc)
        if value.rank == 1 and value.count < desc.count:
            _check_fragment(self, desc, value, "value")
        elif value.shape != desc.shape:
            raise self.fail(f"value shape {list(value.shape)} is not consistent with {desc}")
        check_offsets(self, desc)
        check_layout(self, "layout", value.shape)


class PrefetchNd(ReadsMemory, name="xegpu.prefetch_nd", fetches=("desc",)):
    """One block message to the caches."""

    # `xegpu.prefetch_nd %td[%y, %x] : !xegpu.tensor_desc<...>`.
    format = "$desc (`` `[` $offsets^ `]`)? prop-dict attr-dict `:` type($desc)"
    desc: Typed[TensorDescType] = operand(TensorDescType)
    offsets: tuple[Value, ...] = operand(variadic=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)
    layout: Any = attribute("layout", optional=True)

    def rules(self) -> None:
        check_block(self, self.desc.type)
        check_offsets(self, self.desc.type)
        check_layout(self, "layout", self.desc.type.shape)


class UpdateNdOffset(XeOp, name="xegpu.update_nd_offset", pure=True):
    """The descriptor moved by `offsets` elements."""

    # `xegpu.update_nd_offset %td, [%c0, %c32] : !xegpu.tensor_desc<...>`.
    format = "$desc `,` `[` $offsets `]` attr-dict `:` type($desc)"
    desc: Typed[TensorDescType] = operand(TensorDescType)
    offsets: tuple[Value, ...] = operand(variadic=True)
    result: Typed[TensorDescType] = result(TensorDescType, infer=lambda op: op.desc.type)

    def rules(self) -> None:
        check_block(self, self.desc.type)
        check_indices(self, self.offsets)
        if len(self.offsets) != self.desc.type.rank:
            raise self.fail(f"{len(self.offsets)} offsets for a descriptor of rank {self.desc.type.rank}")
        if self.result.type != self.desc.type:
            raise self.fail(f"moving {self.desc.type} does not give {self.result.type}")


def has_blocks(kernel: Op) -> bool:
    """Whether a kernel loads, stores or prefetches blocks, which Intel's GPUs alone do: it may have their assembly too, where one of
    scattered access is for any OpenCL driver.
    """
    return kernel.has((LoadNd, StoreNd, PrefetchNd))


Surface = tuple[Value, tuple[int, ...], int]


def surface_of(op: Any) -> Surface | None:
    """The array of which a message moves blocks of two dimensions, and their shape; None where its descriptor is made elsewhere."""
    made, kind = op.desc.op, op.desc.type
    if not isinstance(made, CreateNdTdesc) or kind.rank < 2:
        return None
    array = made.source
    while isinstance(array.op, ElementCast):
        array = array.op.source
    return array, kind.shape, kind.array_length

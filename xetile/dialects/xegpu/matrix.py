"""Matrices in shared local memory: mem_desc, load_matrix, store_matrix."""

from __future__ import annotations

from math import prod
from typing import Any

from xetile.dialects.types import I8, MemRefType, VectorType, element_of
from xetile.dialects.xegpu.rules import XeOp, check_indices, check_layout, shape_of
from xetile.dialects.xegpu.types import MemDescType
from xetile.errors import LayoutError
from xetile.ir.core import Typed, Value, attribute, operand, result

SHARED = 3


class CreateMemDesc(XeOp, name="xegpu.create_mem_desc", pure=True):
    """A matrix over a buffer of shared local memory."""

    format = "$source attr-dict `:` type($source) `->` type($result)"
    source: Typed[MemRefType] = operand(MemRefType)
    result: Typed[MemDescType] = result(MemDescType)

    def rules(self) -> None:
        source, desc = self.source.type, self.result.type
        if source.space != SHARED or None in source.shape or source.rank > 2:
            raise self.fail(f"takes a 1-D or 2-D memref of constant size in shared local memory (space {SHARED}), not {source}")
        _check_layout_attribute(self, desc)
        have = prod(n for n in source.shape if n is not None) * source.element.bits
        need = prod(desc.shape) * desc.element.bits
        if have != need:
            raise self.fail(f"{source} and {desc} must have the same size: {have // I8.bits} and {need // I8.bits} bytes")
        reach = desc.memory_layout().size * desc.element.bits
        if reach > have:
            raise self.fail(
                f"{desc} ends at byte {reach // I8.bits} of a memory of {have // I8.bits} bytes: its strides leave gaps"
            )


def _check_layout_attribute(op: XeOp, desc: MemDescType) -> None:
    """Strides and blocks give each element an address of its own; upstream checks none of it."""
    try:
        desc.memory_layout()
    except LayoutError as error:
        raise op.fail(f"{desc}: {error.message}", hint=error.hint) from None


class MemDescSubview(XeOp, name="xegpu.mem_desc_subview", pure=True):
    """A smaller matrix inside a matrix, whose strides and blocks it has, said or not.

    LLVM 22 has dropped this op; its text is seed 002's.
    """

    # `xegpu.mem_desc_subview %m[%i, %j] : type -> type`.
    format = "$source (`` `[` $offsets^ `]`)? attr-dict `:` type($source) `->` type($result)"
    source: Typed[MemDescType] = operand(MemDescType)
    offsets: tuple[Value, ...] = operand(variadic=True)
    result: Typed[MemDescType] = result(MemDescType)

    def rules(self) -> None:
        source, view = self.source.type, self.result.type
        if view.rank > source.rank:
            raise self.fail(f"a view of rank {view.rank} of a matrix of rank {source.rank}")
        check_indices(self, self.offsets)
        if len(self.offsets) != source.rank:
            raise self.fail(f"{len(self.offsets)} offsets for a matrix of rank {source.rank}")
        if any(small > large for small, large in zip(view.shape, source.shape[-view.rank :])):
            raise self.fail(f"{view} is larger than {source}")
        inner = source.memory_layout().strides[source.rank - view.rank :]
        if view.layout is not None and view.layout.stride and tuple(view.layout.stride) != inner:
            raise self.fail(f"{view} must have the strides of {source}", hint=f"stride = {list(inner)}")


class _MatrixAccess(XeOp):
    """Rules that load_matrix and store_matrix share."""

    def check_access(self, data: Any) -> None:
        """A block that fits a matrix of rank 2."""
        desc: MemDescType = self.desc.type  # type: ignore[attr-defined]
        offsets = self.offsets  # type: ignore[attr-defined]
        check_indices(self, offsets)
        if desc.rank != 2:
            raise self.fail(f"takes a 2-D matrix, not {desc}")
        if element_of(data) is not desc.element:
            raise self.fail(f"{data} and {desc} must have the same element type")
        if not isinstance(data, VectorType) and "subgroup_block_io" in self.attributes:
            raise self.fail("subgroup_block_io moves vectors")
        if len(offsets) != desc.rank:
            raise self.fail(f"{len(offsets)} offsets for a matrix of rank {desc.rank}")
        shape = shape_of(data)
        if len(shape) == desc.rank and any(small > large for small, large in zip(shape, desc.shape)):
            raise self.fail(f"{data} is larger than {desc}")
        check_layout(self, "layout", shape)
        if "subgroup_block_io" in self.attributes:
            self._check_block_message(desc, len(shape))

    def _check_block_message(self, desc: MemDescType, rank: int) -> None:
        """One message moves what lies in a row: lanes stand side by side where elements do (LLVM 22's rules)."""
        memory = desc.memory_layout()
        if rank == 1 and memory.strides[-1] != 1:
            raise self.fail(f"subgroup_block_io takes rows of a matrix, and {desc} has columns in a row")
        layout = self.attributes.get("layout")
        if layout is None or not layout.root.lane_data:
            return
        lanes, data = layout.root.lane_layout, layout.root.lane_data
        if any(n != 1 for n in data[:-1]):
            raise self.fail(f"subgroup_block_io moves elements in a row, and lane_data is {list(data)}")
        if tuple(lanes) != tuple(memory.block or desc.shape):
            raise self.fail(
                f"subgroup_block_io takes blocks of {list(lanes)} (lane_layout), and {desc} has {list(memory.block or desc.shape)}"
            )
        if any(n != 1 and step != 1 for n, step in zip(lanes, memory.strides)):
            raise self.fail(f"subgroup_block_io: lanes {list(lanes)} stand along a dimension of {desc} that is not contiguous")


class LoadMatrix(_MatrixAccess, name="xegpu.load_matrix", reads=("desc",)):
    """A block of a matrix in shared local memory."""

    # `xegpu.load_matrix %m[%i, %j] : !xegpu.mem_desc<...>, index, index -> vector<...>`.
    format = "$desc (`` `[` $offsets^ `]`)? prop-dict attr-dict `:` type($desc) (`,` type($offsets)^)? `->` type($value)"
    desc: Typed[MemDescType] = operand(MemDescType)
    offsets: tuple[Value, ...] = operand(variadic=True)
    subgroup_block_io: object = attribute("unit", optional=True)
    layout: Any = attribute("layout", optional=True)
    value: Any = result()

    def rules(self) -> None:
        self.check_access(self.value.type)


class StoreMatrix(_MatrixAccess, name="xegpu.store_matrix", writes=("desc",)):
    """Write a block of a matrix in shared local memory."""

    # `xegpu.store_matrix %v, %m[%i, %j] : vector<...>, !xegpu.mem_desc<...>, index, index`.
    format = "$data `,` $desc (`` `[` $offsets^ `]`)? prop-dict attr-dict `:` type($data) `,` type($desc) (`,` type($offsets)^)?"
    data: Any = operand()
    desc: Typed[MemDescType] = operand(MemDescType)
    offsets: tuple[Value, ...] = operand(variadic=True)
    subgroup_block_io: object = attribute("unit", optional=True)
    layout: Any = attribute("layout", optional=True)

    def rules(self) -> None:
        self.check_access(self.data.type)

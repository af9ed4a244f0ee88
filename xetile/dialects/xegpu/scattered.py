"""Scattered memory: an offset for each lane, on a descriptor or beside a base; atomics.

At lane level offsets and masks are scalars (or vectors of one), values are scalars or a lane's chunk.
"""

from __future__ import annotations

from typing import Any

from xetile.dialects.arith import ATOMICS_FLOAT, ATOMICS_INT
from xetile.dialects.types import I1, MemRefType, ScalarType, VectorType, element_of
from xetile.dialects.xegpu.rules import (
    POINTERS,
    ReadsMemory,
    WritesMemory,
    XeOp,
    check_flat_source,
    check_index_offsets,
    check_layout,
    check_scattered,
    check_space,
    shape_of,
    tail,
)
from xetile.dialects.xegpu.types import TensorDescType
from xetile.ir.core import Type, Typed, Value, attribute, operand, result

# The numbers of arith's AtomicRMWKind (seed 002), which the generic form prints.
ATOMIC_KINDS = ("addf", "addi", "andi", "assign", "maximumf", "maxnumf", "maxs", "maxu",
                "minimumf", "minnumf", "mins", "minu", "mulf", "muli", "ori", "xori")  # fmt: skip


class CreateTdesc(XeOp, name="xegpu.create_tdesc", pure=True):
    """A scattered descriptor: one offset (elements) for each lane; in a lane its own, an index."""

    format = "$source `,` $offsets attr-dict `:` type($source) `,` type($offsets) `->` type($result)"
    source: Any = operand()
    offsets: Any = operand((VectorType, ScalarType))
    result: Typed[TensorDescType] = result(TensorDescType)

    def rules(self) -> None:
        desc = self.result.type
        check_flat_source(self, self.source)
        check_index_offsets(self, self.offsets)
        check_scattered(self, desc)
        check_space(self, self.source, desc)
        if not isinstance(self.offsets.type, VectorType):
            return  # one of a subgroup's lanes
        expected = (*self.offsets.type.shape, *((desc.chunk_size,) if desc.chunk_size != 1 else ()))
        if desc.shape != expected:
            raise self.fail(f"the descriptor's shape is {list(desc.shape)}; offsets and chunk_size give {list(expected)}")


class UpdateOffset(XeOp, name="xegpu.update_offset", pure=True):
    """The scattered descriptor with each lane's offset moved."""

    format = "$desc `,` $offsets attr-dict `:` type($desc) `,` type($offsets)"
    desc: Typed[TensorDescType] = operand(TensorDescType)
    offsets: Typed[VectorType] = operand(VectorType)
    result: Typed[TensorDescType] = result(TensorDescType, infer=lambda op: op.desc.type)

    def rules(self) -> None:
        check_scattered(self, self.desc.type)
        check_index_offsets(self, self.offsets)
        if self.offsets.type.shape != _lanes(self.desc.type):
            raise self.fail(f"offsets {self.offsets.type} do not match {self.desc.type} (all dimensions but the chunk's)")


def _lanes(desc: TensorDescType) -> tuple[int, ...]:
    """The dimensions that have an offset each."""
    return desc.shape[:-1] if desc.chunk_size > 1 else desc.shape


def _check_access(op: Any, source: Any, value: Type) -> None:
    """What load and store have in common (upstream: isValidGatherScatterParams and the same for buffers)."""
    if element_of(op.mask.type) is not I1:
        raise op.fail(f"the mask has i1 elements, not {op.mask.type}")
    if isinstance(source.type, TensorDescType):
        check_scattered(op, source.type)
        _check_by_descriptor(op, source.type, value)
        return
    check_flat_source(op, source)
    if op.offsets is None:
        raise op.fail(f"{source.type} needs offsets")
    check_index_offsets(op, op.offsets)
    if isinstance(source.type, MemRefType) and element_of(value) is not source.type.element:
        raise op.fail(f"{value} and {source.type} must have the same element type")
    _check_by_offsets(op, value, chunk_of(op, value))
    check_layout(op, "layout", shape_of(value))


def _check_by_descriptor(op: Any, desc: TensorDescType, value: Type) -> None:
    if op.offsets is not None:
        raise op.fail("a descriptor has its offsets")
    if element_of(value) is not desc.element:
        raise op.fail(f"{value} and {desc} must have the same element type")
    if shape_of(op.mask.type) != _lanes(desc):
        raise op.fail(f"the mask {op.mask.type} does not match {desc} (all dimensions but the chunk's)")
    if isinstance(value, VectorType) and value.rank == 1 and value.count == desc.chunk_size:
        if desc.layout is not None:
            raise op.fail(f"{value} is a lane's share, so {desc} must have no layout")
    elif shape_of(value) != desc.shape:
        raise op.fail(f"value shape {list(shape_of(value))} is neither {list(desc.shape)} nor a lane's share of {desc}")


def chunk_of(op: Any, value: Type) -> int:
    """Elements at each offset; for a lane with one offset the value tells them (seed 002, load, example 4)."""
    if op.chunk_size is not None:
        return int(op.chunk_size)
    one = op.offsets is not None and not isinstance(op.offsets.type, VectorType) and not isinstance(op.mask.type, VectorType)
    return value.count if one and isinstance(value, VectorType) else 1


def _check_by_offsets(op: Any, value: Type, chunk: int) -> None:
    mask, offsets = op.mask.type, op.offsets.type
    scalars = not isinstance(mask, VectorType) and not isinstance(offsets, VectorType)
    if not isinstance(value, VectorType):
        if chunk > 1 or not scalars:
            raise op.fail(f"a single {value} takes one offset, a mask of type i1 and no chunks")
        return
    if isinstance(offsets, VectorType) and offsets.count > 1 and not isinstance(mask, VectorType):
        raise op.fail(f"the mask {mask} does not match the offsets {offsets}: it has one element for each")
    if scalars or (value.rank == 1 and chunk > 1) or (shape_of(mask) == (1,) and value.shape != (1,)):
        if value.count != chunk:
            raise op.fail(f"the {value.count} elements of a lane must match chunk size {chunk}")
        return
    expected = value.shape[:-1] if chunk > 1 else value.shape
    if shape_of(mask) != expected:
        raise op.fail(f"the mask {mask} does not match {value} (all dimensions but the chunk's)")
    if chunk > 1 and value.shape[-1] != chunk:
        raise op.fail(f"the last dimension of {value} is not the chunk size {chunk}")
    if shape_of(offsets) != expected:
        raise op.fail(f"the offsets {offsets} do not match {value} (all dimensions but the chunk's)")


class Load(ReadsMemory, name="xegpu.load", reads=("source",)):
    """One element (or chunk) for each lane whose mask is true, from a scattered descriptor or a base with `offsets`."""

    source: Any = operand()
    offsets: Any = operand(optional=True)
    mask: Any = operand()
    chunk_size: int | None = attribute("i64", optional=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)
    layout: Any = attribute("layout", optional=True)
    value: Any = result()

    def rules(self) -> None:
        _check_access(self, self.source, self.value.type)

    def print(self, p: Any) -> str:
        """`xegpu.load %A[%offsets], %mask : memref<...>, vector<16xindex>, vector<16xi1> -> vector<16xf32>`."""
        types = ", ".join(str(v.type) for v in self.operands)
        head = f"xegpu.load {p.name(self.source)}{_offsets(p, self)}, {p.name(self.mask)}"
        return f"{head}{_tail(p, self, self.value.type)} : {types} -> {self.value.type}"


class Store(WritesMemory, name="xegpu.store", writes=("dest",)):
    """One element (or chunk) from each lane whose mask is true."""

    value: Any = operand()
    dest: Any = operand()
    offsets: Any = operand(optional=True)
    mask: Any = operand()
    chunk_size: int | None = attribute("i64", optional=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)
    layout: Any = attribute("layout", optional=True)

    def rules(self) -> None:
        _check_access(self, self.dest, self.value.type)

    def print(self, p: Any) -> str:
        """`xegpu.store %v, %C[%offsets], %mask : types`."""
        types = ", ".join(str(v.type) for v in self.operands)
        head = f"xegpu.store {p.name(self.value)}, {p.name(self.dest)}{_offsets(p, self)}, {p.name(self.mask)}"
        return f"{head}{_tail(p, self, self.value.type)} : {types}"


class Prefetch(ReadsMemory, name="xegpu.prefetch", fetches=("source",)):
    """Bring each lane's element to the caches."""

    # `xegpu.prefetch %A[%offsets] : types`.
    format = "$source (`` `[` $offsets^ `]`)? prop-dict attr-dict `:` type($source) (`,` type($offsets)^)?"
    source: Any = operand()
    offsets: Any = operand(optional=True)
    offset_align_byte: int | None = attribute("i64", optional=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)
    layout: Any = attribute("layout", optional=True)

    def rules(self) -> None:
        type = self.source.type
        if (type in POINTERS) != (self.offset_align_byte is not None) and (
            type in POINTERS or self.offset_align_byte is not None
        ):
            raise self.fail("offset_align_byte is required with an address, and only allowed there")
        if isinstance(type, TensorDescType):
            check_scattered(self, type)
            return
        check_flat_source(self, self.source)
        if self.offsets is None:
            raise self.fail(f"{type} needs offsets")
        check_index_offsets(self, self.offsets)


def _tail(p: Any, op: Any, value: Type) -> str:
    """With the chunk size that upstream wants to read."""
    chunk = chunk_of(op, value)
    if chunk == 1 or op.chunk_size is not None:
        return tail(p, op)
    given = [f.name for f in op.attribute_fields if f.name in op.attributes]
    items = [f"chunk_size = {chunk} : i64", *(p.attribute(name, op.attributes[name]) for name in given)]
    return f" <{{{', '.join(items)}}}>{p.discardable(op)}"


def _offsets(p: Any, op: Any) -> str:
    return f"[{p.name(op.offsets)}]" if op.offsets is not None else ""


class AtomicRmw(XeOp, name="xegpu.atomic_rmw", reads=("desc",), writes=("desc",)):
    """Combine a value atomically into a scattered region; gives the old elements. In a lane all are scalars."""

    kind: str = attribute("keyword")
    desc: Typed[TensorDescType] = operand(TensorDescType)
    mask: Any = operand((VectorType, ScalarType))
    value: Any = operand((VectorType, ScalarType))
    layout: Any = attribute("layout", optional=True)
    result: Value = result(infer=lambda op: op.value.type)
    format = "$kind $desc `,` $mask `,` $value attr-dict `:` type($desc) `,` type($mask) `,` type($value) `->` type($result)"

    def rules(self) -> None:
        desc, value = self.desc.type, self.value.type
        check_scattered(self, desc)
        kinds = ATOMICS_FLOAT if desc.element.is_float else ATOMICS_INT
        if self.kind not in kinds:
            raise self.fail(f"no atomic {self.kind} of {desc.element}", hint=f"one of {', '.join(kinds)}")
        if element_of(value) is not desc.element:
            raise self.fail(f"{value} and {desc} must have the same element type")
        if not isinstance(value, VectorType) and self.mask.type is I1 and self.result.type == value:
            return  # one of a subgroup's lanes
        if self.result.type != value or shape_of(value) != desc.shape:
            raise self.fail(f"{desc}, {value} and {self.result.type} must have the same shape")
        if element_of(self.mask.type) is not I1 or shape_of(self.mask.type) != _lanes(desc):
            raise self.fail(f"the mask {self.mask.type} does not match {desc} (all dimensions but the chunk's)")

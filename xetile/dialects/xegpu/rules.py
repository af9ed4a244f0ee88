"""What several xegpu ops check in the same way, and the pieces of text that they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xetile.dialects.types import I32, I64, INDEX, UI32, UI64, MemRefType, VectorType, element_of
from xetile.dialects.xegpu.types import READ_HINTS, WRITE_HINTS, CacheHint, TensorDescType, not_distributable
from xetile.ir.core import Op, Type, Value

POINTERS = (I64, I32, UI64, UI32)
"""Integers that stand for addresses (seed 002, create_nd_tdesc)."""

HINTS = ("l1_hint", "l2_hint", "l3_hint")


class XeOp(Op):
    """An op of this dialect: the types of its operands and results must be right before its own rules are asked."""

    def verify(self) -> None:
        for value in (*self.operands, *self.results):
            problem = getattr(value.type, "problem", None)
            wrong = problem() if problem is not None else None
            if wrong:
                raise self.fail(f"{value.type}: {wrong}")
        self.rules()

    def rules(self) -> None:
        """The op's own rules."""


class ReadsMemory(XeOp):
    """Cache hints as reads take them."""

    hints = READ_HINTS

    def verify(self) -> None:
        check_hints(self, self.hints)
        super().verify()


class WritesMemory(ReadsMemory):
    """Cache hints as writes take them."""

    hints = WRITE_HINTS


def check_hints(op: Op, legal: Sequence[str]) -> None:
    """Each cache hint is one of those that this kind of access takes."""
    for name in HINTS:
        hint = op.attributes.get(name)
        if hint is not None and (not isinstance(hint, CacheHint) or hint.value not in legal):
            raise op.fail(f"invalid {name}: {hint}", hint=f"here it is one of {', '.join(legal)}")


def check_block(op: Op, desc: TensorDescType, *, most: int | None = None) -> None:
    """The descriptor is of a block, with at most so many dimensions."""
    if desc.scattered:
        raise op.fail("takes a descriptor of a block, not a scattered one")
    if most is not None and desc.rank > most:
        raise op.fail(f"takes a 1-D or 2-D descriptor, not {desc}")


def check_scattered(op: Op, desc: TensorDescType) -> None:
    """The descriptor is scattered."""
    if not desc.scattered:
        raise op.fail(f"takes a scattered descriptor, not {desc}")


def check_offsets(op: Any, desc: TensorDescType) -> None:
    """Offsets, where given, are one index for each dimension."""
    check_indices(op, op.offsets)
    if op.offsets and len(op.offsets) != desc.rank:
        raise op.fail(f"{len(op.offsets)} offsets for a descriptor of rank {desc.rank}")


def check_indices(op: Op, values: Sequence[Value]) -> None:
    """Offsets, sizes and strides are of type index."""
    for value in values:
        if value.type is not INDEX:
            raise op.fail(f"offsets, sizes and strides are of type index, not {value.type}")


def check_same_element(op: Op, value: Type, desc: Type) -> None:
    """Vector and memory hold the same elements."""
    if element_of(value) is not element_of(desc):
        raise op.fail(f"{value} and {desc} must have the same element type")


def check_layout(op: Op, name: str, shape: tuple[int, ...]) -> None:
    """A layout attribute can distribute the value."""
    layout = op.attributes.get(name)
    wrong = not_distributable(shape, layout) if layout is not None else None
    if wrong:
        raise op.fail(f"invalid {name}, {wrong}")


def check_flat_source(op: Op, source: Value) -> None:
    """Scattered access counts offsets in a 1-D memref, or from an address."""
    type = source.type
    if isinstance(type, MemRefType) and type.rank > 1:
        raise op.fail(f"takes a 1-D memref or an address, not {type}")
    check_source(op, source)


def check_source(op: Op, source: Value) -> None:
    """Memory is a memref or an address."""
    if not isinstance(source.type, MemRefType) and source.type not in POINTERS:
        raise op.fail(f"takes a memref or an address (i64, i32, ui64 or ui32), not {source.type}")


def memory_space(type: Type) -> int:
    """Of a memref; addresses are global."""
    return type.space if isinstance(type, MemRefType) else 0


def check_space(op: Op, source: Value, desc: TensorDescType) -> None:
    """A descriptor says where its memory lies."""
    given, said = memory_space(source.type), desc.memory_space
    if given != said:
        raise op.fail(f"memory space mismatch: {given} of the source, {said} of {desc}")


def check_index_offsets(op: Op, offsets: Value) -> None:
    """Offsets of lanes are index elements (one for each lane), or an index."""
    if element_of(offsets.type) is not INDEX:
        raise op.fail(f"offsets are of type index, not {offsets.type}")


def shape_of(type: Type) -> tuple[int, ...]:
    """The shape of a vector; a scalar counts as one element."""
    return type.shape if isinstance(type, VectorType) else (1,)


def tail(p: Any, op: Op) -> str:
    """` <{...}> {...}`: what the op declares, then the rest."""
    return f"{p.properties(op)}{p.discardable(op)}"

"""Where the value of a tile lies: one scalar for all elements (`Splat`), or a buffer private to the workgroup (`Stored`).

Values that only one nest of loops makes and uses lie in its vector registers, and never here.
"""

from __future__ import annotations

from dataclasses import field
from math import prod
from typing import Any

from xetile.dialects import arith, gpu, memory, vector
from xetile.dialects.types import I1, I8, I32, INDEX, MemRefType, ScalarType, VectorType
from xetile.ir.builder import Builder, create
from xetile.ir.core import Op, Value, type_of
from xetile.passes.vectors.numbers import Number, Numbers
from xetile.records import dataclass

Shape = tuple[int, int]

MOST_ELEMENTS = 1 << 62
"""The size of an array that is seen as one dimension: bounds are tested by its own sizes."""


@dataclass(eq=False)
class Buffer:
    """Memory of its own, `values` those that lie in it; `fixed`: it may not be given to another one."""

    memory: Value
    bytes: int
    values: list[Value] = field(default_factory=list)
    fixed: bool = False


@dataclass(frozen=True)
class Form:
    """How a value lies in its buffer: element type (`unsigned`: a wider one, filled with zeros), and width of panels (0: rows).

    In panels, columns stand in groups of that width (the rest in smaller powers of two), and each group row after row: what the
    inner loop of a product reads lies in the order in which it is read. With a `group` of rows a word
    holds their elements; `biased`: with the first bit of each byte flipped, so that unsigned ones read as signed ones are 128 less,
    and signed ones read as unsigned ones 128 more.
    """

    element: ScalarType
    panel: int = 0
    unsigned: bool = False
    group: int = 1
    biased: bool = False

    @property
    def word(self) -> ScalarType:
        """What lies in memory: groups are words of 32 bits."""
        return I32 if self.group > 1 else self.element


@dataclass(frozen=True, eq=False)
class Stored:
    """A value in a buffer, row after row or in panels."""

    shape: Shape
    form: Form
    buffer: Buffer

    @property
    def memory(self) -> Value:
        """Its memory."""
        return self.buffer.memory


@dataclass(frozen=True, eq=False)
class Splat:
    """A value whose elements are all the same."""

    shape: Shape
    scalar: Value


TileValue = Stored | Splat


class Buffers:
    """Allocates at the kernel's head; memory that is no longer needed serves again."""

    def __init__(self, build: Builder, head: list[Op]) -> None:
        self.build = build
        self.head = head
        self._free: dict[int, list[Buffer]] = {}
        self._flat: dict[Value, Value] = {}

    def allocate(self, shape: Shape, element: ScalarType) -> Buffer:
        """A buffer for so many elements."""
        kept = memory_element(element)
        count = prod(shape)
        size = count * kept.bits // 8
        free = self._free.get(size)
        if free:
            old = free.pop()
            if old.memory.type.element is kept:  # type: ignore[attr-defined]
                return Buffer(old.memory, size)
            cast = create(gpu.ElementCast, old.memory, result=memory.flat(kept))
            self.head.append(cast)
            return Buffer(cast.result, size)
        made = create(gpu.Alloca, result=MemRefType((count,), kept))
        bound = create(arith.Constant, value=count, result=INDEX)
        view = create(gpu.ReinterpretCast, made.result, bound.result)
        self.head += [made, bound, view]
        return Buffer(view.result, size)

    def flat(self, base: Value) -> Value:
        """An array as memory of one dimension: one value for each array, so that accesses to it can be told from others."""
        if base.op is not None:  # made here: shared local memory
            return base
        found = self._flat.get(base)
        if found is None:
            kind, base_of_bytes = base.type, base
            assert isinstance(kind, MemRefType)
            kept = memory_element(kind.element)
            if kept is not kind.element:
                cast = create(gpu.ElementCast, base, result=MemRefType(kind.shape, kept, kind.strides, kind.space))
                self.head.append(cast)
                base_of_bytes = cast.result
            most = create(arith.Constant, value=MOST_ELEMENTS, result=INDEX)
            view = create(gpu.ReinterpretCast, base_of_bytes, most.result)
            self.head += [most, view]
            found = self._flat[base] = view.result
        return found

    def release(self, buffer: Buffer) -> None:
        """Let the memory serve again."""
        self._free.setdefault(buffer.bytes, []).append(buffer)


def memory_element(element: ScalarType) -> ScalarType:
    """What an element is in memory: a bool takes a byte."""
    return I8 if element is I1 else element


class MemoryAccess:
    """Vectors and elements of a memory, bools from and to bytes."""

    def __init__(self, build: Builder) -> None:
        self.build = build
        self.numbers = Numbers(build)

    def load(self, where: Value, index: Number, count: int, element: ScalarType) -> Value:
        """`count` neighbours as a vector."""
        kept = memory_element(element)
        made = self.build(memory.LoadVector, where, self.numbers.value(index), value=VectorType((count,), kept))
        return made if kept is element else self.is_set(made)

    def load_one(self, where: Value, index: Number, element: ScalarType) -> Value:
        """One element."""
        made = self.build(memory.Load, where, self.numbers.value(index))
        return made if memory_element(element) is element else self.is_set(made)

    def store(self, value: Value, where: Value, index: Number, **how: Any) -> None:
        """A vector or an element written; `how`: attributes of the store of a vector."""
        one = isinstance(value.type, ScalarType)
        element = value.type if one else value.type.element  # type: ignore[attr-defined]
        if element is I1:
            value = self.build(arith.ExtUI, value, result=I8 if one else value.type.with_element(I8))  # type: ignore[attr-defined]
        self.build(memory.Store if one else memory.StoreVector, value, where, self.numbers.value(index), **how)

    def gather(self, where: Value, offsets: Value, mask: Value, padding: float, element: ScalarType) -> Value:
        """Elements where the mask is true, a number elsewhere."""
        kind = VectorType(offsets.type.shape, memory_element(element))  # type: ignore[attr-defined]
        otherwise = self.constant(int(bool(padding)) if element is I1 else padding, kind)
        made = self.build(memory.Gather, where, self.numbers.value(0), offsets, mask, otherwise)
        return made if element is kind.element else self.is_set(made)

    def scatter(self, where: Value, value: Value, offsets: Value, mask: Value) -> None:
        """Elements written where the mask is true."""
        kind = type_of(value, VectorType)
        if kind.element is I1:
            value = self.build(arith.ExtUI, value, result=kind.with_element(I8))
        self.build(memory.Scatter, value, where, self.numbers.value(0), offsets, mask)

    def is_set(self, number: Value) -> Value:
        """Bytes as bools: every byte but 0 is true."""
        return self.build(arith.CmpI, number, self.constant(0, number.type), predicate="ne")

    def constant(self, value: Any, type: Any) -> Value:
        """A number, or a vector of it."""
        return self.build(arith.Constant, value=value, result=type)

    def splat(self, scalar: Value, count: int) -> Value:
        """A vector of one scalar: a constant of a constant."""
        element: Any = scalar.type
        kind = VectorType((count,), element)
        known = arith.constant_of(scalar)
        return self.build(vector.Broadcast, scalar, result=kind) if known is None else self.constant(known, kind)

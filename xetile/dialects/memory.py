"""Memory by single elements and by vectors of neighbours: MLIR's memref and vector ops (LLVM 22) that code for CPUs is made of.

Every memory here has one dimension (`memref<?xT, strided<[1]>>`, or an allocation of constant size); an index counts elements from
its start. What is accessed must be there: bounds are the business of the code around.
"""

from __future__ import annotations

from typing import Any

from xetile.dialects.types import INDEX, MemRefType, ScalarType, VectorType
from xetile.dialects.xetile import ATOMICS_FLOAT, ATOMICS_INT
from xetile.ir.core import Op, Typed, Value, attribute, operand, result


def flat(element: ScalarType) -> MemRefType:
    """The type of a memory of so many elements as are there."""
    return MemRefType((None,), element, (1,))


class _Access(Op):
    def verify(self) -> None:
        memory: Any = self.operands[self.memory_at]
        if memory.type.rank != 1:
            raise self.fail(f"takes a memory of one dimension, not {memory.type}")
        value: Any = (self.results or self.operands)[0]
        if getattr(value.type, "element", value.type) is not memory.type.element:
            raise self.fail(f"{value.type} for a memory of {memory.type.element}")

    memory_at = 0


class Load(_Access, name="memref.load", reads=("memory",)):
    """One element."""

    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    value: Value = result(infer=lambda op: op.memory.type.element)

    def print(self, p: Any) -> str:
        """`memref.load %m[%i] : memref<?xf32, strided<[1]>>`."""
        return f"memref.load {p.name(self.memory)}[{p.name(self.index)}]{p.discardable(self)} : {self.memory.type}"


class Store(_Access, name="memref.store", writes=("memory",)):
    """Write one element."""

    value: Typed[ScalarType] = operand(ScalarType)
    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    memory_at = 1

    def print(self, p: Any) -> str:
        """`memref.store %v, %m[%i] : memref<?xf32, strided<[1]>>`."""
        return f"memref.store {p.name(self.value)}, {p.name(self.memory)}[{p.name(self.index)}]{p.discardable(self)} : {self.memory.type}"


class LoadVector(_Access, name="vector.load", reads=("memory",)):
    """Neighbours, from the one at an index on."""

    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    value: Typed[VectorType] = result(VectorType)

    def print(self, p: Any) -> str:
        """`vector.load %m[%i] : memref<?xf32, strided<[1]>>, vector<16xf32>`."""
        where = f"{p.name(self.memory)}[{p.name(self.index)}]"
        return f"vector.load {where}{p.discardable(self)} : {self.memory.type}, {self.value.type}"


class StoreVector(_Access, name="vector.store", writes=("memory",)):
    """Write neighbours, from the one at an index on.

    `nontemporal`, as MLIR has it: past the caches, to an address that is a multiple of 16 bytes.
    """

    value: Typed[VectorType] = operand(VectorType)
    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    nontemporal: bool | None = attribute(optional=True)
    memory_at = 1

    def print(self, p: Any) -> str:
        """`vector.store %v, %m[%i] : memref<?xf32, strided<[1]>>, vector<16xf32>`."""
        where = f"{p.name(self.value)}, {p.name(self.memory)}[{p.name(self.index)}]"
        return f"vector.store {where}{p.attr_dict(self, set(), before=' ')} : {self.memory.type}, {self.value.type}"


class Address(Op, name="xetile.address", pure=True):
    """The address of a memory's first element, in bytes; the reference counts from there: 0."""

    format = "$memory attr-dict `:` type($memory) `->` type($address)"
    memory: Typed[MemRefType] = operand(MemRefType)
    address: Value = result(infer=lambda op: INDEX)


class Gather(_Access, name="vector.gather", reads=("memory",)):
    """Elements at an index plus an offset each where the mask is true, those of `otherwise` elsewhere."""

    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    offsets: Typed[VectorType] = operand(VectorType)
    mask: Typed[VectorType] = operand(VectorType)
    otherwise: Typed[VectorType] = operand(VectorType)
    value: Typed[VectorType] = result(VectorType, infer=lambda op: op.otherwise.type)

    def print(self, p: Any) -> str:
        """`vector.gather %m[%i] [%offsets], %mask, %otherwise : memref<...>, vector<...> into vector<16xf32>`."""
        memory, index, *rest = map(p.name, self.operands)
        types = ", ".join(str(v.type) for v in (self.operands[0], *self.operands[2:]))
        offsets, mask, otherwise = rest
        return f"vector.gather {memory}[{index}] [{offsets}], {mask}, {otherwise} : {types} into {self.value.type}"


class Scatter(_Access, name="vector.scatter", writes=("memory",)):
    """Write elements at an index plus an offset each where the mask is true, one after the other."""

    value: Typed[VectorType] = operand(VectorType)
    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    offsets: Typed[VectorType] = operand(VectorType)
    mask: Typed[VectorType] = operand(VectorType)
    memory_at = 1

    def print(self, p: Any) -> str:
        """`vector.scatter %m[%i] [%offsets], %mask, %v : memref<...>, vector<16xi32>, vector<16xi1>, vector<16xf32>`."""
        value, where, index, offsets, mask = map(p.name, self.operands)
        types = ", ".join(str(self.operands[i].type) for i in (1, 3, 4, 0))
        return f"vector.scatter {where}[{index}] [{offsets}], {mask}, {value} : {types}"


class AtomicRmw(_Access, name="memref.atomic_rmw", reads=("memory",), writes=("memory",)):
    """Combine a value into an element atomically; gives the old element. `kind` as in xetile.atomic_rmw_tile."""

    kind: str = attribute("keyword")
    value: Typed[ScalarType] = operand(ScalarType)
    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    result: Value = result(infer=lambda op: op.value.type)
    memory_at = 1

    def verify(self) -> None:
        super().verify()
        if self.kind not in (ATOMICS_FLOAT if self.value.type.is_float else ATOMICS_INT):
            raise self.fail(f"no atomic {self.kind} of {self.value.type}")

    def print(self, p: Any) -> str:
        """`memref.atomic_rmw addf %v, %m[%i] : (f32, memref<?xf32, strided<[1]>>) -> f32`."""
        where = f"{p.name(self.value)}, {p.name(self.memory)}[{p.name(self.index)}]"
        return f"memref.atomic_rmw {self.kind} {where} : ({self.value.type}, {self.memory.type}) -> {self.result.type}"


__all__ = ["INDEX", "Address", "AtomicRmw", "Gather", "Load", "LoadVector", "Scatter", "Store", "StoreVector", "flat"]

"""Memory by single elements and by vectors of neighbours: MLIR's memref and vector ops (LLVM 22) that code for CPUs is made of.

Every memory here has one dimension (`memref<?xT, strided<[1]>>`, or an allocation of constant size); an index counts elements from
its start. What is accessed must be there: bounds are the business of the code around.
"""

from __future__ import annotations

from typing import Any

from xetile.dialects.arith import ATOMICS_FLOAT, ATOMICS_INT
from xetile.dialects.types import INDEX, MemRefType, ScalarType, VectorType
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

    # `memref.load %m[%i] : memref<?xf32, strided<[1]>>`.
    format = "$memory `` `[` $index `]` attr-dict `:` type($memory)"
    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    value: Value = result(infer=lambda op: op.memory.type.element)


class Store(_Access, name="memref.store", writes=("memory",)):
    """Write one element."""

    # `memref.store %v, %m[%i] : memref<?xf32, strided<[1]>>`.
    format = "$value `,` $memory `` `[` $index `]` attr-dict `:` type($memory)"
    value: Typed[ScalarType] = operand(ScalarType)
    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    memory_at = 1


class LoadVector(_Access, name="vector.load", reads=("memory",)):
    """Neighbours, from the one at an index on."""

    # `vector.load %m[%i] : memref<?xf32, strided<[1]>>, vector<16xf32>`.
    format = "$memory `` `[` $index `]` attr-dict `:` type($memory) `,` type($value)"
    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    value: Typed[VectorType] = result(VectorType)


class StoreVector(_Access, name="vector.store", writes=("memory",)):
    """Write neighbours, from the one at an index on.

    `nontemporal`, as MLIR has it: past the caches, to an address that is a multiple of 16 bytes.
    """

    # `vector.store %v, %m[%i] : memref<?xf32, strided<[1]>>, vector<16xf32>`.
    format = "$value `,` $memory `` `[` $index `]` attr-dict `:` type($memory) `,` type($value)"
    value: Typed[VectorType] = operand(VectorType)
    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    nontemporal: bool | None = attribute(optional=True)
    memory_at = 1


class Address(Op, name="xetile.address", pure=True):
    """The address of a memory's first element, in bytes; the reference counts from there: 0."""

    format = "$memory attr-dict `:` type($memory) `->` type($address)"
    memory: Typed[MemRefType] = operand(MemRefType)
    address: Value = result(infer=lambda op: INDEX)


class Gather(_Access, name="vector.gather", reads=("memory",)):
    """Elements at an index plus an offset each where the mask is true, those of `otherwise` elsewhere."""

    # `vector.gather %m[%i] [%offsets], %mask, %otherwise : memref<...>, vector<...> into vector<16xf32>`.
    format = (
        "$memory `` `[` $index `]` `[` $offsets `]` `,` $mask `,` $otherwise "
        "`:` type($memory) `,` type($offsets) `,` type($mask) `,` type($otherwise) `into` type($value)"
    )
    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    offsets: Typed[VectorType] = operand(VectorType)
    mask: Typed[VectorType] = operand(VectorType)
    otherwise: Typed[VectorType] = operand(VectorType)
    value: Typed[VectorType] = result(VectorType, infer=lambda op: op.otherwise.type)


class Scatter(_Access, name="vector.scatter", writes=("memory",)):
    """Write elements at an index plus an offset each where the mask is true, one after the other."""

    # `vector.scatter %m[%i] [%offsets], %mask, %v : memref<...>, vector<16xi32>, vector<16xi1>, vector<16xf32>`.
    format = (
        "$memory `` `[` $index `]` `[` $offsets `]` `,` $mask `,` $value "
        "`:` type($memory) `,` type($offsets) `,` type($mask) `,` type($value)"
    )
    value: Typed[VectorType] = operand(VectorType)
    memory: Typed[MemRefType] = operand(MemRefType)
    index: Typed[ScalarType] = operand(ScalarType)
    offsets: Typed[VectorType] = operand(VectorType)
    mask: Typed[VectorType] = operand(VectorType)
    memory_at = 1


class AtomicRmw(_Access, name="memref.atomic_rmw", reads=("memory",), writes=("memory",)):
    """Combine a value into an element atomically; gives the old element. `kind` as in xetile.atomic_rmw_tile."""

    # `memref.atomic_rmw addf %v, %m[%i] : (f32, memref<?xf32, strided<[1]>>) -> f32`.
    format = "$kind $value `,` $memory `` `[` $index `]` `:` `(` `` type($value) `,` type($memory) `` `)` `->` type($result)"
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


__all__ = ["INDEX", "Address", "AtomicRmw", "Gather", "Load", "LoadVector", "Scatter", "Store", "StoreVector", "flat"]

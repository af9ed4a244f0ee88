"""vector: shuffling of values held in registers (MLIR's vector dialect, LLVM 22)."""

from __future__ import annotations

from math import prod
from typing import Any

from xetile.dialects.arith import constant_of
from xetile.dialects.types import INDEX, ScalarType, VectorType, element_of
from xetile.ir.core import Op, Type, Typed, Value, attribute, operand, result

LAYOUT = "layout_result_0"
"""Upstream's name of the attribute that tells how lanes hold an op's result (seed 002)."""


class Broadcast(Op, name="vector.broadcast", pure=True):
    """A scalar, or a vector whose 1-sized dimensions stretch, to a larger vector."""

    format = "$source attr-dict `:` type($source) `to` type($result)"
    source: Any = operand()
    result: Typed[VectorType] = result(VectorType)

    def verify(self) -> None:
        source, result = self.source.type, self.result.type
        shape = source.shape if isinstance(source, VectorType) else ()
        kept = result.shape[result.rank - len(shape) :] if len(shape) <= result.rank else ()
        if (
            len(kept) != len(shape)
            or any(n not in (1, m) for n, m in zip(shape, kept))
            or element_of(source) is not result.element
        ):
            raise self.fail(f"{source} does not stretch to {result}")


class ShapeCast(Op, name="vector.shape_cast", pure=True):
    """The same elements in row-major order in another shape."""

    format = "$source attr-dict `:` type($source) `to` type($result)"
    source: Typed[VectorType] = operand(VectorType)
    result: Typed[VectorType] = result(VectorType)

    def verify(self) -> None:
        if self.source.type.count != self.result.type.count:
            raise self.fail(f"{self.source.type} and {self.result.type} differ in number of elements")


class Bitcast(Op, name="vector.bitcast", pure=True):
    """The same bits as other elements; only the last dimension changes. None of them are indices, whose width is the kernel's matter."""

    format = "$source attr-dict `:` type($source) `to` type($result)"
    source: Typed[VectorType] = operand(VectorType)
    result: Typed[VectorType] = result(VectorType)

    def verify(self) -> None:
        bits = [v.type.shape[-1] * v.type.element.bits for v in (self.source, self.result)]
        if self.source.type.shape[:-1] != self.result.type.shape[:-1] or bits[0] != bits[1]:
            raise self.fail(f"{self.source.type} and {self.result.type} differ in bits")
        if INDEX in (self.source.type.element, self.result.type.element):
            raise self.fail("indices have no bits of their own", hint="cast them to integers")


class Transpose(Op, name="vector.transpose", pure=True):
    """Result dimension i is source dimension permutation[i]."""

    format = "$source `,` $permutation attr-dict `:` type($source) `to` type($result)"
    source: Typed[VectorType] = operand(VectorType)
    permutation: tuple[int, ...] = attribute("[i64]")
    result: Any = result(
        VectorType, infer=lambda op: op.source.type.with_shape(*(op.source.type.shape[d] for d in op.permutation))
    )

    def verify(self) -> None:
        if sorted(self.permutation) != list(range(self.source.type.rank)):
            raise self.fail(f"{list(self.permutation)} is no permutation of the {self.source.type.rank} dimensions")


class Extract(Op, name="vector.extract", pure=True):
    """The sub-vector (or element) at a constant position in the leading dimensions."""

    # `vector.extract %v[0] : vector<32x16xf16> from vector<2x32x16xf16>`.
    format = "$source `` $position attr-dict `:` type($result) `from` type($source)"
    source: Typed[VectorType] = operand(VectorType)
    position: tuple[int, ...] = attribute("[i64]")
    result: Value = result(infer=lambda op: _inner(op.source.type, len(op.position)))


class Insert(Op, name="vector.insert", pure=True):
    """`dest` with the sub-vector (or element) at a constant position replaced."""

    # `vector.insert %x, %v[0] : type into type`.
    format = "$value `,` $dest `` $position attr-dict `:` type($value) `into` type($dest)"
    value: Any = operand()
    dest: Typed[VectorType] = operand(VectorType)
    position: tuple[int, ...] = attribute("[i64]")
    result: Typed[VectorType] = result(VectorType, infer=lambda op: op.dest.type)


def _inner(type: VectorType, depth: int) -> Type:
    rest = type.shape[depth:]
    return type.with_shape(*rest) if rest else type.element


class ExtractStridedSlice(Op, name="vector.extract_strided_slice", pure=True):
    """A block of a vector: offsets and sizes over the leading dimensions, unit strides."""

    format = "$source attr-dict `:` type($source) `to` type($result)"
    source: Typed[VectorType] = operand(VectorType)
    offsets: tuple[int, ...] = attribute("[i64]")
    sizes: tuple[int, ...] = attribute("[i64]")
    strides: tuple[int, ...] = attribute("[i64]")
    result: Any = result(
        VectorType, infer=lambda op: op.source.type.with_shape(*op.sizes, *op.source.type.shape[len(op.sizes) :])
    )

    def verify(self) -> None:
        for offset, size, limit in zip(self.offsets, self.sizes, self.source.type.shape):
            if offset < 0 or offset + size > limit:
                raise self.fail(f"{size} elements at {offset} are outside {self.source.type}")


class InsertStridedSlice(Op, name="vector.insert_strided_slice", pure=True):
    """`dest` with a block at constant offsets replaced, unit strides."""

    format = "$value `,` $dest attr-dict `:` type($value) `into` type($result)"
    value: Typed[VectorType] = operand(VectorType)
    dest: Typed[VectorType] = operand(VectorType)
    offsets: tuple[int, ...] = attribute("[i64]")
    strides: tuple[int, ...] = attribute("[i64]")
    result: Typed[VectorType] = result(VectorType, infer=lambda op: op.dest.type)

    def verify(self) -> None:
        part, shape = self.value.type.shape, self.dest.type.shape
        sizes = (*(1,) * (len(shape) - len(part)), *part)
        fits = len(self.offsets) == len(shape) == len(sizes)
        if not fits or any(not 0 <= at <= extent - size for at, size, extent in zip(self.offsets, sizes, shape)):
            raise self.fail(f"{self.value.type} at {list(self.offsets)} is not in {self.dest.type}")


class Shuffle(Op, name="vector.shuffle", pure=True):
    """Elements of two vectors, laid end to end, picked by `mask`; of vectors of more dimensions parts along the first one."""

    # `vector.shuffle %a, %b [0, 2] : vector<2xf32>, vector<2xf32>`.
    format = "$v1 `,` $v2 $mask attr-dict `:` type($v1) `,` type($v2)"
    v1: Typed[VectorType] = operand(VectorType)
    v2: Typed[VectorType] = operand(VectorType)
    mask: tuple[int, ...] = attribute("[i64]")
    result: Typed[VectorType] = result(VectorType, infer=lambda op: op.v1.type.with_shape(len(op.mask), *op.v1.type.shape[1:]))

    def verify(self) -> None:
        one, other = self.v1.type, self.v2.type
        if one.with_shape(*other.shape[:1], *one.shape[1:]) != other:
            raise self.fail(f"{one} and {other} differ in more than their first dimension")
        if any(not 0 <= at < one.shape[0] + other.shape[0] for at in self.mask):
            raise self.fail(f"{list(self.mask)} does not pick from {one.shape[0] + other.shape[0]} parts")


class Step(Op, name="vector.step", pure=True):
    """0, 1, 2, ... as a 1-D vector of index."""

    format = "attr-dict `:` type($result)"
    result: Typed[VectorType] = result(VectorType)

    def verify(self) -> None:
        if self.result.type.rank != 1 or self.result.type.element is not INDEX:
            raise self.fail(f"gives a 1-D vector of index, not {self.result.type}")


class MultiReduction(Op, name="vector.multi_reduction", pure=True):
    """Reduction over `dims` with `kind` (add, mul, minsi, minui, maxsi, maxui, and, or, xor, minnumf, maxnumf, minimumf, maximumf)."""

    # `vector.multi_reduction <add>, %v, %acc [1] : vector<8x16xf32> to vector<8xf32>`.
    format = "`<` $kind `>` `,` $source `,` $acc attr-dict $dims `:` type($source) `to` type($result)"
    source: Typed[VectorType] = operand(VectorType)
    acc: Value = operand()
    kind: str = attribute("keyword")
    dims: tuple[int, ...] = attribute("[i64]")
    result: Value = result(infer=lambda op: op.acc.type)

    def verify(self) -> None:
        kept = tuple(n for d, n in enumerate(self.source.type.shape) if d not in self.dims)
        if prod(kept) != (self.acc.type.count if isinstance(self.acc.type, VectorType) else 1):
            raise self.fail(f"accumulator {self.acc.type} does not fit {self.source.type} without dims {self.dims}")
        if element_of(self.acc.type) is not self.source.type.element:
            raise self.fail("accumulator and source differ in element type")


def identity(kind: str, element: ScalarType) -> Any:
    """What changes nothing in a reduction, to the bit: no zero but -0.0 keeps the sign of a zero, no number but NaN gives way to all."""
    if element.is_float:
        nan, top = float("nan"), float("inf")
        return {"add": -0.0, "mul": 1.0, "minnumf": nan, "maxnumf": nan, "minimumf": top}.get(kind, -top)
    if element.bits == 1:
        return kind in ("and", "minui", "maxsi", "mul")  # signed, true is -1
    top = (1 << (element.bits - 1)) - 1
    values = {"add": 0, "or": 0, "xor": 0, "maxui": 0, "mul": 1, "and": -1, "minui": -1, "minsi": top, "maxsi": -top - 1}
    return values[kind]


class Scan(Op, name="vector.scan", pure=True):
    """Running reduction along `reduction_dim`; gives the scanned vector and the whole reduction.

    Inclusive: element i holds elements 0..i; `initial` is the identity then.
    """

    # `vector.scan <add>, %v, %init {inclusive = true, reduction_dim = 1 : i64} : vector<8x16xf32>, vector<8xf32>`.
    format = "`<` $kind `>` `,` $source `,` $initial attr-dict `:` type($source) `,` type($initial)"
    source: Typed[VectorType] = operand(VectorType)
    initial: Typed[VectorType] = operand(VectorType)
    kind: str = attribute("keyword")
    inclusive: bool = attribute()
    reduction_dim: int = attribute("i64")
    dest: Typed[VectorType] = result(VectorType, infer=lambda op: op.source.type)
    accumulated: Typed[VectorType] = result(VectorType, infer=lambda op: op.initial.type)


def is_true(mask: Value) -> bool:
    """Whether a mask is a constant that lets everything through."""
    known = constant_of(mask.op.source if isinstance(mask.op, Broadcast) else mask)
    return all(known) if isinstance(known, tuple) else bool(known)


def is_one_number(value: Value) -> bool:
    """Whether all elements of a vector are one number: a constant, or a scalar spread over it."""
    spread = isinstance(value.op, Broadcast) and not isinstance(value.op.source.type, VectorType)
    return spread or isinstance(constant_of(value), (int, float))

"""Builtin types: scalars, vectors, memory references. Spelled as MLIR spells them; frozen; scalars are interned."""

from __future__ import annotations

from math import prod
from typing import Any

from xetile.errors import TileShapeError
from xetile.ir.core import Type
from xetile.layout import BlockOrder
from xetile.records import dataclass


class ScalarType(Type):
    """An element type. `kind` is "int", "float" or "index"; ints are signless, the ops know the sign.

    Compare scalar types with `is`: there is one object for each name.
    """

    __slots__ = ("bits", "kind", "name")

    def __init__(self, name: str, kind: str, bits: int) -> None:
        self.name = name
        self.kind = kind
        self.bits = bits

    @property
    def is_float(self) -> bool:
        """True for every floating point format."""
        return self.kind == "float"

    @property
    def is_int(self) -> bool:
        """True for signless integers and index."""
        return self.kind != "float"

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__

    def __reduce__(self) -> tuple[object, ...]:
        return scalar, (self.name,)


I1, I8, I16, I32, I64 = (ScalarType(f"i{bits}", "int", bits) for bits in (1, 8, 16, 32, 64))
WORDS = {1: I8, 2: I16, 4: I32, 8: I64}
"""Integers by their bytes."""
UI32, UI64 = ScalarType("ui32", "int", 32), ScalarType("ui64", "int", 64)  # addresses (xegpu); no op computes with them
INDEX = ScalarType("index", "index", 64)
F16, BF16, F32, F64 = (ScalarType(n, "float", b) for n, b in (("f16", 16), ("bf16", 16), ("f32", 32), ("f64", 64)))
TF32 = ScalarType("tf32", "float", 32)
TF32_BITS = 19  # stored in 32
F8E4M3FN, F8E5M2 = ScalarType("f8E4M3FN", "float", 8), ScalarType("f8E5M2", "float", 8)

SCALARS = {t.name: t for t in (I1, I8, I16, I32, I64, UI32, UI64, INDEX, F16, BF16, TF32, F32, F64, F8E4M3FN, F8E5M2)}


def scalar(name: str) -> ScalarType:
    """The scalar type of an MLIR name."""
    return SCALARS[name]


MOST_ELEMENTS = 2**31 - 1
"""Of a value: numbers of elements have 32 bits in SPIR-V's array types."""


class _Unique(type):
    """There is one object of each shape and element."""

    def __call__(cls, shape: tuple[int, ...], element: ScalarType) -> Any:
        found = _VECTORS.get((shape, element))
        if found is None:
            if prod(shape) > MOST_ELEMENTS:
                raise TileShapeError(
                    f"a value of {'x'.join(map(str, shape))} has {prod(shape)} elements; there can be {MOST_ELEMENTS}",
                    hint="use smaller tiles, and a loop over them",
                )
            found = _VECTORS.setdefault((shape, element), super().__call__(shape, element))
        return found


@dataclass(frozen=True, eq=False)
class VectorType(Type, metaclass=_Unique):
    """A value of elements held in registers. There is one object for each, as for scalar types."""

    shape: tuple[int, ...]
    element: ScalarType

    def __reduce__(self) -> tuple[object, ...]:
        return VectorType, (self.shape, self.element)

    @property
    def count(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def with_shape(self, *shape: int) -> VectorType:
        """Same elements, other shape."""
        return VectorType(shape, self.element)

    def with_element(self, element: ScalarType) -> VectorType:
        """Same shape, other elements."""
        return VectorType(self.shape, element)

    def __str__(self) -> str:
        return f"vector<{'x'.join(map(str, (*self.shape, self.element)))}>"


_VECTORS: dict[tuple[tuple[int, ...], ScalarType], VectorType] = {}


@dataclass(frozen=True)
class MemRefType(Type):
    """A region of memory: `None` stands for a run-time size or stride; strides count elements; `space` 3 is shared local memory.

    `offset`: what the type says of the first element's place; what is passed at launch starts there, whatever it is. `order`: in
    place of strides, of a matrix that lies in blocks.
    """

    shape: tuple[int | None, ...]
    element: ScalarType
    strides: tuple[int | None, ...] | None = None
    space: int = 0
    offset: int | None = 0
    order: BlockOrder | None = None

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def count(self) -> int:
        """Elements of memory whose sizes are known, as all that a kernel reserves is."""
        return prod(n for n in self.shape if n is not None)

    def __str__(self) -> str:
        dims = "x".join([*("?" if d is None else str(d) for d in self.shape), str(self.element)])
        offset = "" if self.offset == 0 else f", offset: {'?' if self.offset is None else self.offset}"
        layout = f", strided<[{', '.join('?' if s is None else str(s) for s in self.strides)}]{offset}>" if self.strides else ""
        layout = layout if self.order is None else f", {self.order}"
        return f"memref<{dims}{layout}{f', {self.space}' if self.space else ''}>"


@dataclass(frozen=True)
class FunctionType(Type):
    """Types of the arguments of a kernel."""

    inputs: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.inputs))}) -> ()"


def value_bits(element: ScalarType) -> int:
    """Bits that tell the values of a type from each other: by these types are wider and narrower. tf32 lies in more."""
    return TF32_BITS if element is TF32 else element.bits


def element_of(type: Type) -> ScalarType:
    """The element type of a scalar, vector or memory reference."""
    if isinstance(type, ScalarType):
        return type
    element = type.element  # type: ignore[attr-defined]
    assert isinstance(element, ScalarType)
    return element


def shape_of(type: Type) -> tuple[int, ...]:
    """The shape of a vector, tile or memory reference; () for a scalar."""
    if isinstance(type, ScalarType):
        return ()
    shape: tuple[int, ...] = type.shape  # type: ignore[attr-defined]
    return shape


def like(type: Type, element: ScalarType) -> Type:
    """The same shape with another element type."""
    return type.with_element(element) if isinstance(type, VectorType) else element

"""Parts of arrays: memref.subview, and casts that change nothing but a type or a shape. What they are used for speaks of the whole array.

Arrays are known by the argument that they are (which access may overtake which, what a launch has checked of them), so a part is no
value of its own: its start becomes leading offsets of the descriptors, or is added to the offsets of lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from xetile.dialects import arith, gpu, vector, xegpu
from xetile.dialects.types import INDEX, MemRefType, VectorType
from xetile.errors import MlirTextError
from xetile.ir.builder import Builder
from xetile.ir.core import Op, Type, Value
from xetile.mlir.limits import shortened
from xetile.records import dataclass

CASTS = ("memref.memory_space_cast", "memref.cast")
RESHAPES = ("memref.collapse_shape", "memref.expand_shape")
DIM = "memref.dim"
SUBVIEW = "memref.subview"
VIEW = "memref.view"
DYNAMIC = -(2**63)
LONGEST = (1 << 31) - 1
_SHARED = 3


Number = int | Value
"""A size or stride that the text says, or one of a run."""


@dataclass(frozen=True)
class Place:
    """A step into an array: `offset` times `stride` elements; the offset is less than `extent`."""

    offset: Value
    stride: int
    extent: int


@dataclass(frozen=True)
class View:
    """A part of the memory `root`, of a type with sizes and strides; `starts`: its offsets, where it has as many dimensions.

    `sizes`, `steps`: sizes and strides in the place of those that the type leaves to a run, as far as they are known.
    """

    root: Value
    type: MemRefType
    places: tuple[Place, ...] = ()
    starts: tuple[Value, ...] | None = None
    sizes: tuple[Number | None, ...] = ()
    steps: tuple[Number | None, ...] = ()


def extents_of(source: Value | View) -> tuple[Number | None, ...]:
    """Sizes: what the type says, else what is known of a part."""
    return _known(source.type.shape, source.sizes if isinstance(source, View) else ())  # type: ignore[attr-defined]


def steps_of(source: Value | View) -> tuple[Number | None, ...]:
    """The same of strides."""
    return _known(strides_of(source.type), source.steps if isinstance(source, View) else ())  # type: ignore[arg-type]


def _known(said: Sequence[int | None], found: Sequence[Number | None]) -> tuple[Number | None, ...]:
    return tuple(n if n is not None else k for n, k in zip(said, found or (None,) * len(said), strict=True))


def as_value(build: Builder, number: Number) -> Value:
    """A number as a value."""
    return build(arith.Constant, value=number, result=INDEX) if isinstance(number, int) else number


def times(build: Builder, value: Value, number: Number) -> Value:
    """A product with a number."""
    return value if number == 1 else build(arith.MulI, value, as_value(build, number))


def strides_of(type: MemRefType) -> tuple[int | None, ...]:
    """Strides in elements; those of rows that follow each other where the type says nothing."""
    if type.strides is not None:
        return type.strides
    rows: list[int | None] = []
    for d in range(type.rank):
        later = type.shape[d + 1 :]
        rows.append(None if None in later else prod(n for n in later if n is not None))
    return tuple(rows)


def cast(source: Value | View, result: Type) -> Value | View:
    """The same memory; sizes that only the result's type tells count."""
    known: Any = source.type
    if not isinstance(result, MemRefType) or result.element is not known.element or result.rank != known.rank:
        raise MlirTextError(f"{known} to {result} is no cast of the same memory")
    if isinstance(source, View):
        return replace(source, type=result if None in known.shape else known)
    return View(source, replace(result, space=known.space)) if None in known.shape and None not in result.shape else source


def reshaped(source: Value | View, result: Type) -> View:
    """The same memory with neighbouring dimensions as one, or one as several."""
    known: Any = source.type
    if not isinstance(result, MemRefType) or result.element is not known.element or _count(result) != _count(known):
        raise MlirTextError(f"{known} and {result} are not the same elements")
    kind = replace(result, space=known.space)
    return View(source.root, kind, source.places) if isinstance(source, View) else View(source, kind)


def _count(type: MemRefType) -> int | None:
    return None if None in type.shape else prod(n for n in type.shape if n is not None)


def dim(build: Builder, source: Value | View, axis: Value) -> Value:
    """A size of memory. Raises MlirTextError for one of a run."""
    extents, number = extents_of(source), arith.constant_of(axis)
    size = extents[number] if number is not None and 0 <= number < len(extents) else None
    if size is None:
        raise MlirTextError(f"{source.type} has no size there that is known", hint="pass sizes as arguments")
    return as_value(build, size)


INDEXED = {"memref.load": 0, "memref.store": 1, "memref.atomic_rmw": 1, "vector.load": 0, "vector.store": 1}
"""Accesses by one index for each dimension, and which of their operands is the memory."""


def by_one_index(build: Builder, name: str, operands: list[Any]) -> list[Any]:
    """The operands of an access: our memory has one dimension."""
    at = INDEXED.get(name)
    memory: Any = None if at is None or at >= len(operands) else operands[at]
    if at is None or not isinstance(getattr(memory, "type", None), MemRefType):
        return operands
    if isinstance(memory, Value) and memory.type.rank == 1 and memory.type.strides in (None, (1,)):  # type: ignore[attr-defined]
        return operands
    behind = at + 1 + memory.type.rank
    return [*operands[:at], *element_place(build, memory, operands[at + 1 : behind], steps_of(memory)), *operands[behind:]]


def element_place(
    build: Builder, source: Value | View, indices: Sequence[Value], steps: Sequence[Number | None]
) -> tuple[Value, Value]:
    """Memory as one dimension, and where in it the element of so many indices is; steps: strides."""
    known: Any = source.type
    view = source if isinstance(source, View) else View(source, known)
    strides = [n for n in steps if n is not None]
    if len(indices) != known.rank or len(strides) != known.rank:
        raise MlirTextError(f"{len(indices)} indices do not tell where an element of {known} is",
                            hint="give one for each dimension, and the memref static strides")  # fmt: skip
    where: Value | None = None
    for index, stride in [*zip(indices, strides, strict=True), *((place.offset, place.stride) for place in view.places)]:
        step = times(build, index, stride)
        where = step if where is None else build(arith.AddI, where, step)
    return _flat(build, view), build(arith.Constant, value=0, result=INDEX) if where is None else where


def bytes_as(build: Builder, source: Value | View, shift: Value, result: Type) -> Value:
    """Shared local memory of bytes as elements, from its first byte on."""
    if not isinstance(result, MemRefType) or isinstance(source, View) or arith.constant_of(shift) != 0:
        raise MlirTextError("memory is seen as other elements from its first byte on only", hint="reserve it for itself")
    return build(gpu.ElementCast, source, result=result)


def subview(build: Builder, source: Value | View, dynamic: Sequence[Value], values: dict[str, Any], result: Type) -> View:
    """The part that memref.subview names. Raises MlirTextError where it starts somewhere that is known only at run time."""
    known: Any = source.type
    static, sizes, factors = (values.get(f"static_{name}", ()) for name in ("offsets", "sizes", "strides"))
    lists = (static, sizes, factors)
    if (
        not isinstance(known, MemRefType)
        or not isinstance(result, MemRefType)
        or any(not isinstance(part, tuple) or len(part) != known.rank for part in lists)
    ):
        raise MlirTextError(f"there is no part {shortened(str(static))} of a {known} that is a {result}")
    if any(type(n) is not int for part in lists for n in part) or sum(part.count(DYNAMIC) for part in lists) != len(dynamic):
        raise MlirTextError(f"the lists {shortened(', '.join(map(str, lists)))} do not fit {len(dynamic)} operands")
    waiting = iter(dynamic)
    offsets = [next(waiting) if n == DYNAMIC else build(arith.Constant, value=n, result=INDEX) for n in static]
    extents, by = ([next(waiting) if n == DYNAMIC else n for n in part] for part in (sizes, factors))
    places = list(source.places) if isinstance(source, View) else []
    given = steps_of(source)
    for offset, stride, extent in zip(offsets, given, known.shape, strict=True):
        number = arith.constant_of(offset)
        if number == 0:
            continue
        if isinstance(stride, Value):
            places.append(Place(times(build, offset, stride), 1, LONGEST))
            continue
        if stride is None:
            raise MlirTextError(f"{known} has strides that are known only at run time, so where a part of it starts is not known",
                                hint="give the memref static strides, or the descriptor offsets")  # fmt: skip
        if number is None:
            places.append(Place(offset, stride, extent or LONGEST))
        else:  # as one step, whose width tells what it is a multiple of
            places.append(Place(build(arith.Constant, value=1, result=INDEX), number * stride, 2))
    whole = isinstance(source, Value) and len(offsets) == result.rank
    root = source.root if isinstance(source, View) else source
    kept = [d for d, n in enumerate(extents) if len(offsets) == result.rank or n != 1]  # else parts of one element are left out
    steps = [None if stride is None else _product(build, stride, factor) for stride, factor in zip(given, by, strict=True)]
    told = len(kept) == result.rank
    return View(root, result, tuple(places), tuple(offsets) if whole else None,
                tuple(extents[d] for d in kept) if told else (), tuple(steps[d] for d in kept) if told else ())  # fmt: skip


def _product(build: Builder, one: Number, other: Number) -> Number:
    if isinstance(one, int) and isinstance(other, int):
        return one * other
    value, factor = (one, other) if isinstance(one, Value) else (other, one)
    return times(build, as_value(build, value), factor)


# What parts of arrays are used for.


def on_parts(build: Builder, kind: type[Op], groups: list[Any]) -> list[Any]:
    """The operands, by declared field, of an op that speaks of the whole memory.  Raises MlirTextError for ops that cannot."""
    if any(isinstance(group, MatrixPart) for group in groups):
        return on_matrix_parts(build, kind, groups)
    if not any(isinstance(group, View) for group in groups):
        return groups
    if issubclass(kind, xegpu.CreateNdTdesc):
        return _descriptor(build, groups)
    names = [field.name for field in kind.operand_fields]
    for number, group in enumerate(groups):
        if isinstance(group, View):
            if "offsets" in names and groups[names.index("offsets")] is not None:
                where = names.index("offsets")
                groups[where] = _moved(build, groups[where], group)
                groups[number] = _flat(build, group)
            else:
                raise MlirTextError(f"{kind.opname} takes no part of an array")
    return groups


def _descriptor(build: Builder, groups: list[Any]) -> list[Any]:
    """Steps into the array are leading offsets; sizes and strides are the part's."""

    def constants(numbers: Sequence[Number | None], what: str) -> list[Value]:
        if None in numbers:
            raise MlirTextError(
                f"{view.type} has {what} that are known only at run time, so the descriptor needs shape and strides"
            )
        return [as_value(build, n) for n in numbers if n is not None]

    view, offsets, shape, strides = groups
    shape = list(shape) or constants(extents_of(view), "sizes")
    strides = list(strides) or constants(steps_of(view), "strides")
    if not view.places:
        return [view.root, offsets, shape, strides]
    inner = list(offsets) or [build(arith.Constant, value=0, result=INDEX) for _ in shape]
    head = [[p.offset for p in view.places]]
    head += [[build(arith.Constant, value=n, result=INDEX) for n in part]
             for part in ([p.extent for p in view.places], [p.stride for p in view.places])]  # fmt: skip
    return [view.root, *([*first, *rest] for first, rest in zip(head, (inner, shape, strides)))]


def _flat(build: Builder, view: View) -> Value:
    """The whole array as one dimension."""
    memory: Any = view.root.type
    if memory.rank == 1:
        return view.root
    size = build(arith.Constant, value=LONGEST, result=INDEX)
    return build(gpu.ReinterpretCast, view.root, size)


def _moved(build: Builder, offsets: Value, view: View) -> Value:
    """Offsets of lanes into the part, counted in the array."""
    if view.type.rank != 1:
        raise MlirTextError(f"offsets of lanes count in one dimension, and {view.type} has {view.type.rank}")
    (step,) = steps_of(view)
    if step is None:
        raise MlirTextError(f"{view.type} has a stride that is known only at run time")
    if step != 1:
        offsets = build(arith.MulI, offsets, _like(build, as_value(build, step), offsets))
    for place in view.places:
        start: Value = build(arith.MulI, place.offset, build(arith.Constant, value=place.stride, result=INDEX))
        offsets = build(arith.AddI, offsets, _like(build, start, offsets))
    return offsets


def _like(build: Builder, number: Value, offsets: Value) -> Value:
    if not isinstance(offsets.type, VectorType):
        return number
    return build(vector.Broadcast, number, result=offsets.type)


@dataclass(frozen=True)
class MatrixPart:
    """A matrix over a part of shared local memory: a part of the matrix over all of it."""

    whole: Value
    starts: tuple[Value, ...]


def matrix_part(build: Builder, view: View, result: Type) -> MatrixPart:
    """What xegpu.create_mem_desc makes of a part. Raises MlirTextError where the matrix would lie in another way."""
    kind: Any = view.root.type
    if not isinstance(result, xegpu.MemDescType) or None in kind.shape:
        raise MlirTextError(f"{kind} is no memory of a {result}")
    rows = strides_of(kind)
    sizes = tuple(n for n in kind.shape if n is not None)
    said = result.layout.stride if result.layout is not None else strides_of(MemRefType(result.shape, result.element))
    if (
        view.starts is None
        or len(sizes) != kind.rank
        or tuple(said) != rows
        or (result.layout is not None and result.layout.block)
    ):
        raise MlirTextError(f"{view.type} does not lie in shared local memory as {result} says",
                            hint=f"write mem_layout<stride = {list(rows)}>")  # fmt: skip
    whole = build(xegpu.CreateMemDesc, view.root, result=xegpu.MemDescType(sizes, kind.element))
    return MatrixPart(whole, view.starts)


def on_matrix_parts(build: Builder, kind: type[Op], groups: list[Any]) -> list[Any]:
    """The operands of a load or store of a part: offsets into the whole matrix. Raises MlirTextError for other ops."""
    names = [field.name for field in kind.operand_fields]
    at, offsets = (names.index(name) if name in names else -1 for name in ("desc", "offsets"))
    if at < 0 or offsets < 0 or not isinstance(groups[at], MatrixPart) or len(groups[offsets]) != len(groups[at].starts):
        raise MlirTextError(f"{kind.opname} takes no matrix over a part of shared local memory")
    part: MatrixPart = groups[at]
    groups[offsets] = [build(arith.AddI, *pair) for pair in zip(part.starts, groups[offsets])]
    groups[at] = part.whole
    return groups

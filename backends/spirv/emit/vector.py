"""vector: fragments cut and joined.  Most of it costs nothing: a piece list changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from operator import mul

from xetile.dialects import vector
from xetile.dialects.types import I32, INDEX, VectorType

from ..facts.uses import count_of
from .emitter import Emitter
from .table import emits
from .values import Fragment, concatenate, constant, from_chunks, splat


@emits(vector.Broadcast)
def emit_broadcast(e: Emitter, op: vector.Broadcast) -> Fragment:
    """One element, or a whole fragment several times."""
    source: Fragment = e[op.source]
    count = count_of(op.result.type)
    if source.count == 1:
        return splat(e, source.element, count, source.scalar(e))
    shape, inner = op.result.type.shape, op.source.type.shape
    if shape[len(shape) - len(inner) :] == inner:
        return concatenate(source.element, [source] * (count // source.count))
    steps = [0] * (len(shape) - len(inner)) + [step if n > 1 else 0 for n, step in zip(inner, _steps(inner))]
    return picked(e, source, _places(shape, steps))


@emits(vector.ShapeCast)
def emit_shape_cast(e: Emitter, op: vector.ShapeCast) -> Fragment:
    """A fragment has no shape."""
    value: Fragment = e[op.source]
    return value


@emits(vector.Bitcast)
def emit_bitcast(e: Emitter, op: vector.Bitcast) -> Fragment:
    """The same bits as other elements."""
    packed = e.packing.operands.get(op.source) if e.packing is not None else None
    if packed is not None:
        from .packed import packed_operand  # of narrower numbers alone: other kernels load none of it

        return from_chunks(e, I32, op.result.type.count, [packed_operand(e, packed)], e.i32)
    value: Fragment = e[op.source]
    return value.as_elements(op.result.type.element, op.result.type.count)


def _place(shape: tuple[int, ...], position: tuple[int, ...]) -> tuple[int, int]:
    """Where the sub-vector at a position starts, and its elements."""
    start, size = 0, VectorType(shape, INDEX).count
    for extent, at in zip(shape, position):
        size //= extent
        start += at * size
    return start, size


@emits(vector.Extract)
def emit_extract(e: Emitter, op: vector.Extract) -> Fragment:
    """A sub-vector or an element."""
    source: Fragment = e[op.source]
    return source.slice(e, *_place(op.source.type.shape, op.position))


@emits(vector.Insert)
def emit_insert(e: Emitter, op: vector.Insert) -> Fragment:
    """A sub-vector or an element replaced."""
    start, _ = _place(op.dest.type.shape, op.position)
    return insert(e, e[op.dest], start, e[op.value])


def insert(e: Emitter, dest: Fragment, start: int, value: Fragment) -> Fragment:
    """`dest` with elements from `start` replaced."""
    after = start + value.count
    return concatenate(dest.element, [dest.slice(e, 0, start), value, dest.slice(e, after, dest.count - after)])


@emits(vector.ExtractStridedSlice)
def emit_extract_slice(e: Emitter, op: vector.ExtractStridedSlice) -> Fragment:
    """Elements offset to offset + size, along each dimension."""
    if len(op.offsets) == 1:
        return e[op.source].slice(e, op.offsets[0], op.sizes[0])  # type: ignore[no-any-return]
    steps = _steps(op.source.type.shape)
    start = sum(map(mul, op.offsets, steps))
    return picked(e, e[op.source], [start + place for place in _places(op.result.type.shape, steps)])


@emits(vector.InsertStridedSlice)
def emit_insert_slice(e: Emitter, op: vector.InsertStridedSlice) -> Fragment:
    """Elements from offset replaced, along each dimension."""
    dest, steps = e[op.dest], _steps(op.dest.type.shape)
    if op.dest.type.rank == 1:
        return insert(e, dest, op.offsets[0], e[op.value])
    start = sum(map(mul, op.offsets, steps))
    new = {start + place: dest.count + i for i, place in enumerate(_places(op.value.type.shape, steps[-op.value.type.rank :]))}
    both = concatenate(dest.element, [dest, e[op.value]])
    return picked(e, both, [new.get(place, place) for place in range(dest.count)])


def picked(e: Emitter, source: Fragment, places: Iterable[int]) -> Fragment:
    """Elements by number; runs of neighbours stay together."""
    runs: list[list[int]] = []
    for place in places:
        if runs and sum(runs[-1]) == place:
            runs[-1][1] += 1
        else:
            runs.append([place, 1])
    parts = [source.slice(e, start, count) for start, count in runs]
    return parts[0] if len(parts) == 1 else concatenate(source.element, parts)


def _steps(shape: Sequence[int]) -> list[int]:
    """How far apart neighbours along each dimension are, row-major."""
    return [prod(shape[d + 1 :]) for d in range(len(shape))]


def _places(shape: Sequence[int], steps: Sequence[int]) -> list[int]:
    """The place of each element of a shape, row-major, where neighbours are `steps` apart."""
    return [sum(map(mul, at, steps)) for at in product(*map(range, shape))]


@emits(vector.Shuffle)
def emit_shuffle(e: Emitter, op: vector.Shuffle) -> Fragment:
    """Elements picked by number; runs of neighbours stay together."""
    one: Fragment = e[op.v1]
    if e.whole and one.count == len(op.mask) and one.count <= e.chunk:
        form = e.form(one.element)
        vectors = [e[v].get(e, form, 0, one.count) for v in (op.v1, op.v2)]
        kind = e.vector(form, one.count)
        return from_chunks(e, one.element, one.count, [e.emit("OpVectorShuffle", kind, *vectors, *op.mask)])
    both = concatenate(e[op.v1].element, [e[op.v1], e[op.v2]])
    return picked(e, both, op.mask)


@emits(vector.Transpose)
def emit_transpose(e: Emitter, op: vector.Transpose) -> Fragment:
    """The elements of a lane in the order of other dimensions."""
    steps = _steps(op.source.type.shape)
    return picked(e, e[op.source], _places(op.result.type.shape, [steps[d] for d in op.permutation]))


@emits(vector.Step)
def emit_step(e: Emitter, op: vector.Step) -> Fragment:
    """0, 1, 2, ..."""
    return constant(e, INDEX, count_of(op.result.type), tuple(range(count_of(op.result.type))))

"""vector: fragments cut and joined.  Most of it costs nothing: a piece list changes."""

from __future__ import annotations

from xetile.dialects import arith, vector
from xetile.dialects.types import INDEX, VectorType

from .emit import Emitter
from .emit_reduce import reduce_fragment
from .emit_table import emits
from .emit_values import Fragment, concatenate, constant, count_of, from_chunks, from_scalar, splat
from .errors import SpirvError
from .hidden import hidden_part


@emits(vector.Broadcast)
def emit_broadcast(e: Emitter, op: vector.Broadcast) -> Fragment:
    """One element, or a whole fragment several times.

    Where the element is one of a vector too, IGC's vectorizer takes that vector for the result: so one of a computed vector is hidden.
    """
    source: Fragment = e[op.source]
    count = count_of(op.result.type)
    if source.count == 1:
        vector_op = op.source.op.source.op if isinstance(op.source.op, vector.Extract) else None
        if isinstance(vector_op, (arith.Binary, arith.Unary)) and count > 1 and not e.whole:
            source = hidden_part(e, source)
        return splat(e, source.element, count, source.scalar(e))
    shape, inner = op.result.type.shape, op.source.type.shape
    if shape[len(shape) - len(inner) :] != inner:
        raise SpirvError(f"{op.source.type} stretched to {op.result.type}", hint="lane-level broadcasts stretch whole fragments")
    return concatenate(source.element, [source] * (count // source.count))


@emits(vector.ShapeCast)
def emit_shape_cast(e: Emitter, op: vector.ShapeCast) -> Fragment:
    """A fragment has no shape."""
    value: Fragment = e[op.source]
    return value


@emits(vector.Bitcast)
def emit_bitcast(e: Emitter, op: vector.Bitcast) -> Fragment:
    """The same bits as other elements."""
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
    """Elements offset to offset + size."""
    source: Fragment = e[op.source]
    if op.source.type.rank != 1:
        raise SpirvError(f"a slice of {op.source.type}", hint="lane-level vectors have one dimension")
    return source.slice(e, op.offsets[0], op.sizes[0])


@emits(vector.InsertStridedSlice)
def emit_insert_slice(e: Emitter, op: vector.InsertStridedSlice) -> Fragment:
    """Elements from offset replaced."""
    if op.dest.type.rank != 1:
        raise SpirvError(f"a slice of {op.dest.type}", hint="lane-level vectors have one dimension")
    return insert(e, e[op.dest], op.offsets[0], e[op.value])


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
    runs: list[list[int]] = []
    for pick in op.mask:
        if runs and runs[-1][0] + runs[-1][1] == pick:
            runs[-1][1] += 1
        else:
            runs.append([pick, 1])
    return concatenate(both.element, [both.slice(e, start, count) for start, count in runs])


@emits(vector.Step)
def emit_step(e: Emitter, op: vector.Step) -> Fragment:
    """0, 1, 2, ..."""
    return constant(e, INDEX, count_of(op.result.type), tuple(range(count_of(op.result.type))))


@emits(vector.MultiReduction)
def emit_reduction(e: Emitter, op: vector.MultiReduction) -> Fragment:
    """All elements of a fragment and `acc`, combined."""
    if tuple(op.dims) != tuple(range(op.source.type.rank)):
        raise SpirvError(f"a reduction of {op.source.type} over {list(op.dims)}", hint="lane-level vectors have one dimension")
    reduced = reduce_fragment(e, op.kind, concatenate(e[op.source].element, [e[op.source]]))
    pair = concatenate(reduced.element, [from_scalar(e, reduced.element, reduced.scalar(e)), e[op.acc]])
    return reduce_fragment(e, op.kind, pair)

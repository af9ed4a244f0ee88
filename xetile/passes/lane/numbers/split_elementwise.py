"""Vectors that a message loads whole are cast to wider elements in the parts that users take."""

from __future__ import annotations

from itertools import pairwise
from math import prod

from xetile.dialects import vector
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType, element_of, shape_of
from xetile.ir.core import Block, Elementwise, Op, Value, of_kind, regions_of
from xetile.ir.rewriter import Rewriter
from xetile.target import Target


def split_elementwise(module: GpuModule, target: Target) -> GpuModule:
    """Take slices of an op's operands in place of slices of its result, so that what is loaded grows one part at a time.

    Before and after: xegpu at lane level. An elementwise op whose result has wider elements than its operands, or of which half or less
    is taken, is split where all that its users take are parts of it that do not overlap, in its own block.
    """
    _split(module.kernel.body)
    return module


def _split(block: Block) -> None:
    for op in filter(regions_of, block.ops):
        for region in op.regions:
            _split(region)
    for op in reversed(of_kind(block.ops, Elementwise)):
        parts = _parts(op)
        if parts:
            _split_op(op, parts)


Part = vector.ExtractStridedSlice | vector.Extract


def _range(part: Part) -> tuple[int, int]:
    first = (part.position if isinstance(part, vector.Extract) else part.offsets)[0]
    return first, first + prod(shape_of(part.result.type))


def _parts(op: Elementwise) -> list[Part]:
    """The slices and elements that are all that is taken of an elementwise op, where they do not overlap."""
    if len(op.results) != 1 or not isinstance(op.results[0].type, VectorType):
        return []
    users = op.results[0].users
    found = [part for part in users if isinstance(part, Part) and part.parent is op.parent]
    if (
        not found
        or len(found) < len(users)
        or any(isinstance(p, vector.ExtractStridedSlice) and p.strides[0] != 1 for p in found)
    ):
        return []
    ranges = sorted({_range(part) for part in found})
    apart = all(end <= start for (_, end), (start, _) in pairwise(ranges))
    half = 2 * sum(end - start for start, end in ranges) <= prod(shape_of(op.results[0].type))
    slices = all(isinstance(part, vector.ExtractStridedSlice) for part in found)
    return found if apart and (half or (slices and _grows(op))) else []


def _grows(op: Op) -> bool:
    kind = op.results[0].type
    given = [value.type for value in op.operands]
    return isinstance(kind, VectorType) and all(isinstance(t, VectorType) and t.element.bits < kind.element.bits for t in given)


def _split_op(op: Op, parts: list[Part]) -> None:
    """One element is computed as a scalar of scalars, which then are those that vectors were put together of (`fold`)."""
    rewrite = Rewriter()
    for part in parts:
        kind = part.result.type
        with rewrite.before(part):
            operands = [_taken(rewrite, value, part) for value in op.operands]
            made = rewrite.clone(op, operands, [element_of(kind) if prod(shape_of(kind)) == 1 else kind]).results[0]
            if made.type != kind:
                made = rewrite(vector.Broadcast, made, result=kind)
        rewrite.replace(part, made)
    rewrite.erase(op)


def _taken(rewrite: Rewriter, value: Value, part: Part) -> Value:
    if not isinstance(value.type, VectorType):
        return value
    first, end = _range(part)
    taken: Value
    if end - first == 1:
        taken = rewrite(vector.Extract, value, position=(first,))
    else:
        taken = rewrite(vector.ExtractStridedSlice, value, offsets=(first,), sizes=(end - first,), strides=(1,))
    return taken

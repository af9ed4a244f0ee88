"""Vectors that a message loads whole are cast to wider elements in the parts that users take."""

from __future__ import annotations

from itertools import pairwise

from xetile.dialects import vector
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir.core import Block, Elementwise, Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.target import Target


def split_elementwise(module: GpuModule, target: Target) -> GpuModule:
    """Take slices of an op's operands in place of slices of its result, so that what is loaded grows one part at a time.

    Before and after: xegpu at lane level. An elementwise op whose result has wider elements than its operands is split where all
    that its users take are parts of it that do not overlap, in its own block.
    """
    _split(module.kernel.body)
    return module


def _split(block: Block) -> None:
    for op in reversed(list(block.ops)):
        for region in op.regions:
            _split(region)
        parts = _parts(op)
        if parts:
            _split_op(op, parts)


def _parts(op: Op) -> list[vector.ExtractStridedSlice]:
    """The slices that are all that is taken of an elementwise op, where they do not overlap."""
    if not isinstance(op, Elementwise) or len(op.results) != 1 or not _grows(op):
        return []
    users = op.results[0].users
    found = [part for part in users if isinstance(part, vector.ExtractStridedSlice) and part.parent is op.parent]
    if len(found) < len(users):
        return []
    ranges = sorted({(part.offsets[0], part.offsets[0] + part.sizes[0]) for part in found if part.strides[0] == 1})
    apart = all(end <= start for (_, end), (start, _) in pairwise(ranges))
    return found if apart and all(part.strides[0] == 1 for part in found) else []


def _grows(op: Op) -> bool:
    kind = op.results[0].type
    given = [value.type for value in op.operands]
    return isinstance(kind, VectorType) and all(isinstance(t, VectorType) and t.element.bits < kind.element.bits for t in given)


def _split_op(op: Op, parts: list[vector.ExtractStridedSlice]) -> None:
    rewrite = Rewriter()
    for part in parts:
        with rewrite.before(part):
            operands = [_slice(rewrite, value, part) for value in op.operands]
            made = rewrite.clone(op, operands, [part.result.type])
        rewrite.replace(part, made.results[0])
    rewrite.erase(op)


def _slice(rewrite: Rewriter, value: Value, part: vector.ExtractStridedSlice) -> Value:
    if not isinstance(value.type, VectorType):
        return value
    sliced: Value = rewrite(vector.ExtractStridedSlice, value, offsets=part.offsets, sizes=part.sizes, strides=part.strides)
    return sliced

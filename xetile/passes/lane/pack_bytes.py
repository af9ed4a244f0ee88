"""Blocks of bytes that become second operands of products come with four rows in a word, as such operands are computed."""

from __future__ import annotations

from xetile.dialects import arith, tables, vector, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import F32, VectorType, element_of
from xetile.dialects.xegpu import BlockAttr, TensorDescType
from xetile.ir.core import UNIT, Elementwise, Op, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.target import Target
from xetile.target.blocks import Block2D, Message

_BYTE = 8
_WIDEST = 16
"""Bits of the operands of products that are worked out of bytes."""


def pack_bytes(module: GpuModule, target: Target) -> GpuModule:
    """Load bytes that become second operands of products with the VNNI transform, and only as many blocks side by side as are used.

    Before and after: xegpu at lane level. A lane has the same bytes in the same order.
    """
    if target.block2d is not None:
        for op in module.find(xegpu.LoadNd):
            _pack(op, target.block2d)
    return module


def _pack(op: xegpu.LoadNd, blocks: Block2D) -> None:
    type = op.desc.type
    made = op.desc.op
    if type.element.bits != _BYTE or op.packed is not None or op.transposed or len(type.shape) != 2:
        return
    height, width = type.shape
    each = height * width // blocks.lanes
    used = _used(op.value, each * type.array_length)
    counts = [
        n for n in range(-(-used // each), type.array_length + 1) if blocks.is_legal("transform", 1, Message(width, height, n))
    ]
    if not isinstance(made, xegpu.CreateNdTdesc) or not _becomes_second_operand(op.value):
        return
    if not counts and used == each:
        # More rows than are used: those below, which the next iterations take.
        height = min((m.height for m in blocks.messages("transform", 1, width=width) if m.height >= height), default=0)
        each, counts = height * width // blocks.lanes, [1] * (height > 0)
    if not counts:
        return
    encoding = BlockAttr(array_length=counts[0]) if counts[0] > 1 else None
    rewrite = Rewriter()
    with rewrite.before(made):
        desc = rewrite.clone(
            made, list(made.operands), [TensorDescType((height, width), type.element, encoding, type.layout)]
        ).results[0]
    with rewrite.before(op):
        kind = VectorType((each * counts[0],), type.element)
        loaded = rewrite.clone(op, [desc, *op.operands[1:]], [kind], {**op.attributes, "packed": UNIT}).results[0]
        if kind == op.value.type:
            rewrite.replace(op, loaded)
            return
        for user in [user for user in op.value.users if isinstance(user, vector.ExtractStridedSlice)]:
            with rewrite.before(user):
                rewrite.replace(user, rewrite.clone(user, [loaded]).results[0])
        if op.value.users:  # of a block of fewer rows
            count = type_of(op.value, VectorType).count
            part = rewrite(vector.ExtractStridedSlice, loaded, offsets=(0,), sizes=(count,), strides=(1,), result=op.value.type)
            rewrite.replace(op, part)
            return
    rewrite.erase(op)


def _used(value: Value, count: int) -> int:
    """How many elements from the first on some op takes, slices of slices too."""
    ends = [
        user.offsets[0] + _used(user.result, user.sizes[0])
        if isinstance(user, vector.ExtractStridedSlice) and user.strides[0] == 1
        else count
        for user in value.users
    ]
    return max(ends, default=count)


_IN_PAIRS = (arith.AddF, arith.SubF, arith.MulF, tables.LookUp, tables.Choose)
"""What second operands of products are computed by in f32 on whole registers."""


def _is_wide(op: Op) -> bool:
    """Whether an op is arithmetic in more bits than operands of products have, which takes single registers."""
    element = element_of(op.results[0].type)
    if not isinstance(op, Elementwise) or isinstance(op, arith.Cast) or element.bits <= _WIDEST:
        return False
    return element is not F32 or not isinstance(op, _IN_PAIRS)


def _becomes_second_operand(value: Value) -> bool:
    """Whether all that is computed of a value without memory or branches ends in second operands of products, and by instructions that
    take whole registers: others take single bytes, which come apart more easily row by row.
    """
    seen, ahead = {value}, [value]
    while ahead:
        taken = ahead.pop()
        if not taken.users:
            return False
        for op in taken.users:
            if isinstance(op, xegpu.Dpas):
                if op.rhs is not taken or taken in (op.lhs, op.acc):
                    return False
            elif not op.pure or op.regions or op.accesses or not op.results or _is_wide(op) or isinstance(op, arith.CmpI):
                return False
            else:
                ahead += [result for result in op.results if result not in seen]
                seen.update(op.results)
    return True

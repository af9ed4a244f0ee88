"""Blocks of bytes that become second operands of products come with four rows in a word, as such operands are computed."""

from __future__ import annotations

from xetile.dialects import arith, tables, vector, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import F32, VectorType, element_of
from xetile.dialects.xegpu import BlockAttr, TensorDescType
from xetile.dialects.xegpu.shared_operands import is_stored_in_words
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
    if not isinstance(made, xegpu.CreateNdTdesc) or not _becomes_second_operand(op.value):
        return
    message = _packed_message(
        blocks, Message(width, height, type.array_length), -(-_used(op.value, each * type.array_length) // each)
    )
    if message is None or (message.height > height and type.array_length > 1 and not _by_blocks(op.value, each)):
        return
    encoding = BlockAttr(array_length=message.count) if message.count > 1 else None
    taller = message.height * width // blocks.lanes
    rewrite = Rewriter()
    with rewrite.before(made):
        shape = (message.height, width)
        desc = rewrite.clone(made, list(made.operands), [TensorDescType(shape, type.element, encoding, type.layout)]).results[0]
    with rewrite.before(op):
        kind = VectorType((taller * message.count,), type.element)
        loaded = rewrite.clone(op, [desc, *op.operands[1:]], [kind], {**op.attributes, "packed": UNIT}).results[0]
        if taller == each and kind == op.value.type:
            rewrite.replace(op, loaded)
            return
        for user in [user for user in op.value.users if isinstance(user, vector.ExtractStridedSlice)]:
            block, inside = divmod(user.offsets[0], each)
            with rewrite.before(user):
                moved = {**user.attributes, "offsets": (block * taller + inside,)}
                rewrite.replace(user, rewrite.clone(user, [loaded], None, moved).results[0])
        if op.value.users:  # of a block of fewer rows
            count = type_of(op.value, VectorType).count
            part = rewrite(vector.ExtractStridedSlice, loaded, offsets=(0,), sizes=(count,), strides=(1,), result=op.value.type)
            rewrite.replace(op, part)
            return
    rewrite.erase(op)


def _packed_message(blocks: Block2D, plain: Message, used: int) -> Message | None:
    """The message with the transform for a load whose first `used` blocks are used: of as many rows, else of more than are used (those
    below, which the next iterations take).
    """
    heights = sorted({m.height for m in blocks.messages("transform", 1, width=plain.width) if m.height >= plain.height})
    found = (Message(plain.width, height, n) for height in heights for n in range(used, plain.count + 1))
    return next((message for message in found if blocks.is_legal("transform", 1, message)), None)


def _by_blocks(value: Value, each: int) -> bool:
    """Whether all that is taken of a value are slices of one of its blocks of `each` elements."""
    return all(
        isinstance(user, vector.ExtractStridedSlice) and user.strides[0] == 1 and user.offsets[0] % each + user.sizes[0] <= each
        for user in value.users
    )


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
            elif is_stored_in_words(op, taken):
                continue
            elif not op.pure or op.regions or op.accesses or not op.results or _is_wide(op) or isinstance(op, arith.CmpI):
                return False
            else:
                ahead += [result for result in op.results if result not in seen]
                seen.update(op.results)
    return True

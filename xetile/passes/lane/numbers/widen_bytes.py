"""Bytes that are only compared are computed in 16 bits: IGC (2.40.14) has no arithmetic of bytes, and makes bytes again of each result.

A shift and a mask take six instructions in bytes, two in 16 bits: `where((codes >> 2) & 3 == row, a, b)` of two codes of two bits. So do
codes that each lane takes from a place of its own in a word, which are no bytes of a register: they stay words until they are floats.
"""

from __future__ import annotations

from xetile.dialects import arith, vector
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I8, I16, I32, VectorType, element_of
from xetile.ir.core import Op, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.unused import erase_unused
from xetile.target import Target

_PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge")
_COMPUTE = (arith.AndI, arith.OrI, arith.XOrI, arith.ShRUI, arith.MinUI, arith.MaxUI)
"""What gives no number beyond those of bytes."""
_MOVE = (vector.Broadcast, vector.ExtractStridedSlice, vector.Shuffle)


def widen_bytes(module: GpuModule, target: Target) -> GpuModule:
    """Compute bytes without a sign in 16 bits where comparisons alone take them, and codes in words where lanes shift these by numbers of
    their own.

    Before and after: xegpu at lane level.
    """
    for cast in module.find((arith.UIToFP,)) if target.block2d is not None else ():
        _keep_word(cast)
    ops = [op for op in module.find((arith.CmpI,)) if _is_of_bytes(op.operands[0]) and op.attributes["predicate"] in _PREDICATES]
    found: set[Op] = {op for op in ops if any(isinstance(v.op, _COMPUTE) and _is_for(v, set(ops)) for v in op.operands)}
    rewrite = Rewriter()
    made: dict[Value, Value] = {}
    for op in ops:
        if op in found:
            old = op.operands
            rewrite.set_operands(op, *[_wide(v, found, made, rewrite) for v in old])
            erase_unused(old, rewrite)
    return module


def _keep_word(op: arith.Cast) -> None:
    """Take the float of a byte that is a part of a word from the word, after the same mask."""
    masked = op.operand.op
    narrow, mask = (
        (masked.operands[0].op, arith.constant_of(masked.operands[1])) if isinstance(masked, arith.AndI) else (None, None)
    )
    if not isinstance(narrow, arith.TruncI) or not isinstance(mask, int) or element_of(op.operand.type) is not I8:
        return
    word = narrow.operand
    if element_of(word.type) is not I32 or not isinstance(word.op, (arith.ShRSI, arith.ShRUI)):
        return
    if arith.constant_of(word.op.operands[1]) is not None:
        return
    rewrite, given = Rewriter(), op.operand
    with rewrite.before(op), rewrite.located(op.loc):
        code = rewrite(arith.AndI, word, rewrite(arith.Constant, value=mask & 255, result=word.type))
        rewrite.replace(op, rewrite.clone(op, [code]).results[0])
    erase_unused([given], rewrite)


def _is_of_bytes(value: Value) -> bool:
    return isinstance(value.type, VectorType) and element_of(value.type) is I8


def _is_for(value: Value, comparisons: set[Op]) -> bool:
    """Whether comparisons alone take a value, or what is computed of it in bytes."""
    return all(
        user in comparisons or (isinstance(user, (*_COMPUTE, *_MOVE)) and _is_for(user.results[0], comparisons))
        for user in value.users
    )


def _wide(value: Value, comparisons: set[Op], made: dict[Value, Value], rewrite: Rewriter) -> Value:
    """The same number in 16 bits; what others take as well is widened once it is there."""
    if value in made:
        return made[value]
    op, number = value.op, arith.constant_of(value)
    kind = type_of(value, VectorType).with_element(I16)
    if op is not None and number is not None:
        numbers = tuple(n & 255 for n in number) if isinstance(number, tuple) else number & 255
        with rewrite.before(op):
            made[value] = rewrite(arith.Constant, value=numbers, result=kind)
    elif isinstance(op, (*_COMPUTE, *_MOVE)) and _is_of_bytes(op.operands[0]) and _is_for(value, comparisons):
        operands = [_wide(v, comparisons, made, rewrite) for v in op.operands]
        with rewrite.before(op), rewrite.located(op.loc):
            made[value] = rewrite.clone(op, operands, [kind]).results[0]
    else:
        with rewrite.after(value):
            made[value] = rewrite(arith.ExtUI, value, result=kind)
    return made[value]


__all__ = ["widen_bytes"]

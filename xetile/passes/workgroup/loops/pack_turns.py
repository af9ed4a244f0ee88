"""Operands whose columns come by turns, as codes of four bits do, are worked out as words that hold one column of each value.

`interleave(w & 15, w >> 4)` moves every element to another place. In shared memory a word holds neighbours in a row anyway: what is worked
out of the low halves and of the high ones is put together in words by the lanes that work it out, and the words are stored as they lie.
"""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, gpu, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I32, VectorType, element_of, scalar
from xetile.ir.core import Value, type_of
from xetile.ir.interfaces import loop_around
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.turns import by_turns, part_of
from xetile.passes.common.exchanges import drop_exchanges
from xetile.passes.common.unused import erase_unused


def operands_by_turns(module: GpuModule) -> list[Value]:
    """What products in loops take whose columns come by turns of as many values as share a word; seen as products go along its rows."""
    if not module.has(gpu.Alloca):
        return []
    along = [_along(product, position) for product in module.find(xetile.TileMma) for position in range(2)]
    return [value for value in along if value is not None and _is_packed(value)]


def pack_turns(module: GpuModule) -> list[Value]:
    """Let products take words, seen as their elements, in place of such operands; gives what they take now.

    Before and after: xetile at workgroup level. Words hold neighbours in a row of the first operand, and in a column of the second.
    """
    rewrite = Rewriter()
    found = [_in_words(whole, rewrite) for whole in operands_by_turns(module)]
    drop_exchanges(module, rewrite)
    return found


def _along(product: xetile.TileMma, position: int) -> Value | None:
    """What a product in a loop takes alone, with rows that it goes along."""
    value = product.operands[position]
    if position:
        if not isinstance(value.op, xetile.TileTranspose) or not value.has_one_use:
            return None
        value = value.op.source
    inside = value.op is not None and value.op.parent is product.parent and loop_around(product) is not None
    return value if inside and value.has_one_use else None


def _is_packed(value: Value) -> bool:
    bits = element_of(value.type).bits
    return bits < I32.bits and by_turns(value, looks_up=True) == I32.bits // bits


def _in_words(whole: Value, build: Rewriter) -> Value:
    """The same value as words, worked out of the values whose columns come by turns."""
    kind, op = type_of(whole, VectorType), whole.op
    assert op is not None
    bits = kind.element.bits
    count = I32.bits // bits
    words = VectorType((kind.shape[0], kind.shape[1] // count), I32)
    with build.before(op), build.located(op.loc):
        total: Value | None = None
        for at in range(count):
            part = _word(part_of(whole, at, count, build), words, build)
            if at:
                part = build(arith.ShLI, part, build(arith.Constant, value=at * bits, result=words))
            total = part if total is None else build(arith.OrI, total, part)
        seen: Value = build(vector.Bitcast, total, result=kind)
    build.replace_uses(whole, seen)
    erase_unused([whole], build)
    return seen


def _word(part: Value, words: VectorType, build: Rewriter) -> Value:
    """The bits of narrow elements as the lowest ones of words."""
    element: Any = element_of(part.type)
    if element.is_float:
        part = build(arith.Bitcast, part, result=words.with_element(scalar(f"i{element.bits}")))
    found: Value = build(arith.ExtUI, part, result=words)
    return found


__all__ = ["operands_by_turns", "pack_turns"]

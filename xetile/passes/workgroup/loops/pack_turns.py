"""Operands whose columns or rows come by turns, as codes of four bits do, are worked out as words that hold one element of each value.

`interleave(w & 15, w >> 4)` moves every element to another place. In shared memory a word holds neighbours in a row of the first operand, or
in a column of the second, anyway: what is worked out of the low halves and of the high ones is put together in words by the lanes that work
it out, and the words are stored as they lie.
"""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I32, VectorType, element_of, scalar
from xetile.ir.core import Value, type_of
from xetile.ir.interfaces import loop_around
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.turns import by_turns, part_of, rows_by_turns
from xetile.passes.common.exchanges import drop_exchanges
from xetile.passes.common.unused import erase_unused


def pack_turns(module: GpuModule) -> list[Value]:
    """Let products take words, seen as their elements, in place of what products in loops take whose columns come by turns of as many values
    as share a word, or rows of that many or a multiple; gives the words.

    Before and after: xetile at workgroup level. Words hold neighbours in a row of the first operand, and in a column of the second.
    """
    rewrite, products = Rewriter(), module.find(xetile.TileMma)
    along = [value for op in products for n in range(2) if (value := _along(op, n)) is not None]
    found = [_in_words(value, rewrite) for value in along if _is_packed(value)]
    second = [op.b for op in products if _is_of_step(op.b, op)]
    found += [_rows_in_words(value, rewrite) for value in second if _is_packed(value, axis=0)]
    drop_exchanges(module, rewrite)
    return found


def _along(product: xetile.TileMma, position: int) -> Value | None:
    """What a product in a loop takes alone, with rows that it goes along."""
    value = product.operands[position]
    if position:
        if not isinstance(value.op, xetile.TileTranspose) or not value.has_one_use:
            return None
        value = value.op.source
    return value if _is_of_step(value, product) else None


def _is_of_step(value: Value, product: xetile.TileMma) -> bool:
    return value.op is not None and value.op.parent is product.parent and loop_around(product) is not None and value.has_one_use


def _is_packed(value: Value, *, axis: int = 1) -> bool:
    """Whether words hold neighbours of a value whose columns (rows by `axis` 0) come by turns."""
    bits = element_of(value.type).bits
    if bits >= I32.bits:
        return False
    count, each = by_turns(value, axis=axis, looks_up=True) or 0, I32.bits // bits
    return count == each if axis else count > 0 and count % each == 0


def _in_words(whole: Value, build: Rewriter) -> Value:
    """The same value as words, worked out of the values whose columns come by turns."""
    kind, op = type_of(whole, VectorType), whole.op
    assert op is not None
    count = I32.bits // kind.element.bits
    with build.before(op), build.located(op.loc):
        total = _joined([part_of(whole, at, count, build) for at in range(count)], build)
        seen: Value = build(vector.Bitcast, total, result=kind)
    build.replace_uses(whole, seen)
    erase_unused([whole], build)
    return total


def _rows_in_words(whole: Value, build: Rewriter) -> Value:
    """The same of a value whose rows come by turns; rows of words, each of the next values, come by turns where there are more."""
    kind, op = type_of(whole, VectorType), whole.op
    assert op is not None
    each, count = I32.bits // kind.element.bits, by_turns(whole, axis=0, looks_up=True) or 1
    with build.before(op), build.located(op.loc):
        parts = [part_of(whole, at, count, build, axis=0) for at in range(count)]
        total = rows_by_turns([_joined(parts[at : at + each], build) for at in range(0, count, each)], build)
        turned = type_of(total, VectorType)
        across = build(xetile.TileTranspose, total, permutation=(1, 0), result=turned.with_shape(*reversed(turned.shape)))
        seen = build(vector.Bitcast, across, result=kind.with_shape(*reversed(kind.shape)))
        back: Value = build(xetile.TileTranspose, seen, permutation=(1, 0), result=kind)
    build.replace_uses(whole, back)
    erase_unused([whole], build)
    return total


def _joined(parts: list[Value], build: Rewriter) -> Value:
    """Words of an element of each value, the first one's lowest."""
    kind = type_of(parts[0], VectorType)
    words, total = kind.with_element(I32), None
    for at, part in enumerate(parts):
        word = _word(part, words, build)
        if at:
            word = build(arith.ShLI, word, build(arith.Constant, value=at * kind.element.bits, result=words))
        total = word if total is None else build(arith.OrI, total, word)
    assert total is not None
    return total


def _word(part: Value, words: VectorType, build: Rewriter) -> Value:
    """The bits of narrow elements as the lowest ones of words."""
    element: Any = element_of(part.type)
    if element.is_float:
        part = build(arith.Bitcast, part, result=words.with_element(scalar(f"i{element.bits}")))
    found: Value = build(arith.ExtUI, part, result=words)
    return found


__all__ = ["pack_turns"]

"""Codes that lie side by side in words or bytes, a row of these for several rows of codes, are taken from all of them place by place.

`(words[rows // 8] >> (rows % 8 * 4)[:, None]) & 15` moves each word to eight rows and shifts each row by a number of its own. A second
operand of a product has all rows of a column in one lane: codes of one place in the words are one shift and one mask for all of them, and
rows by turns change places in registers.
"""

from __future__ import annotations

from xetile.dialects import arith, gpu, vector, xetile
from xetile.dialects.types import I8, I32, I64, INDEX, VectorType, element_of
from xetile.ir import analyses
from xetile.ir.core import Op, Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.analysis.products import is_for_second_operands
from xetile.passes.analysis.rearranged import rearranged
from xetile.passes.analysis.row_numbers import RowNumbers
from xetile.passes.analysis.turns import rows_by_turns
from xetile.passes.common.codes import with_number
from xetile.passes.common.exchanges import drop_exchanges
from xetile.passes.common.unused import erase_unused
from xetile.records import dataclass
from xetile.target import Target

_SHIFTS = (arith.ShRUI, arith.ShRSI)
_LARGEST = (1 << I8.bits) - 1


def split_words(module: gpu.GpuModule, target: Target) -> gpu.GpuModule:
    """Take codes of second operands from the words that hold them, all of one place at once.

    Before and after: xetile at workgroup level. Rows of words of 32 bits or of bytes come again and again, each shifted by a number that is
    known, and masked to eight bits at most.
    """
    return module if target.block2d is None else codes_of_words(module)


def codes_of_words(module: gpu.GpuModule) -> gpu.GpuModule:
    """The same for any target."""
    if not module.has(xetile.TileMma) or not module.has(_SHIFTS):
        return module
    rewrite, changed, rows = Rewriter(), False, RowNumbers(analyses.get(Numbers, module.kernel))
    for op in module.find(arith.AndI):
        found = _codes_of(op, rows)
        if found is not None and is_for_second_operands(op.result):
            _replace(op, found, rewrite)
            changed = True
    if changed:
        drop_exchanges(module, rewrite)
    return module


@dataclass(frozen=True)
class _Codes:
    """Words, the shifts of the rows that each of their rows becomes, one after the other, and the mask."""

    words: Value
    shifts: tuple[int, ...]
    mask: int


def _codes_of(op: arith.Binary, rows: RowNumbers) -> _Codes | None:
    shift, mask = _untruncated(op.operands[0]).op, arith.constant_of(op.operands[1])
    if not isinstance(shift, _SHIFTS) or not isinstance(op.result.type, VectorType) or not isinstance(mask, int):
        return None
    if not 0 < mask <= min(_LARGEST, (1 << element_of(op.result.type).bits) - 1) or len(op.result.type.shape) != 2:
        return None
    shifts, words = rows.shifts(shift.operands[1]), _rows_of(_uncast(shift.operands[0]))
    if shifts is None or words is None:
        return None
    source, order = words
    count, rest = divmod(len(order), type_of(source, VectorType).shape[0])
    if rest or count < 2 or count & (count - 1) or order != [row // count for row in range(len(order))]:
        return None
    if shifts != shifts[:count] * (len(order) // count) or max(shifts) + mask.bit_length() > element_of(source.type).bits:
        return None
    if (
        element_of(source.type) is I8 and len(set(shifts[:count])) < count
    ):  # rows of the same codes are moved as they are in fewer steps
        return None
    return _Codes(source, tuple(shifts[:count]), mask)


def _untruncated(value: Value) -> Value:
    """A number before its lowest bits were taken."""
    return value.op.operand if isinstance(value.op, arith.TruncI) else value


def _uncast(value: Value) -> Value:
    """A word of 32 bits or a byte, before it became wider, and narrow again."""
    word = value
    while isinstance(value.op, arith.INTEGER_CASTS) and element_of(value.op.operand.type) in (I8, I32, I64, INDEX):
        if element_of(value.type) is I8:
            break
        value = value.op.operand
        word = value if element_of(value.type) in (I8, I32) else word
    return word


def _rows_of(value: Value) -> tuple[Value, list[int]] | None:
    """The value of which another one has whole rows, and which."""
    if element_of(value.type) not in (I8, I32):
        return None
    if isinstance(value.op, vector.Shuffle):
        height = type_of(value.op.v1, VectorType).shape[0]
        return (value.op.v1, list(value.op.mask)) if max(value.op.mask) < height else None
    found = rearranged(value)
    picked = None if found is None or len(found.sources) > 1 else found.picked(0)
    return None if found is None or picked is None else (found.sources[0], [row for _, row in picked])


def _replace(op: arith.Binary, found: _Codes, rewrite: Rewriter) -> None:
    with rewrite.before(op), rewrite.located(op.loc):
        codes = rows_by_turns([_part(found, shift, rewrite) for shift in found.shifts], rewrite)
        element = element_of(op.result.type)
        cast: type[Op] = arith.IndexCastUI if element is INDEX else arith.ExtUI
        made = codes if element is I8 else rewrite(cast, codes, result=op.result.type)
    taken = op.operands
    rewrite.replace(op, made)
    erase_unused(taken, rewrite)


def _part(found: _Codes, shift: int, build: Rewriter) -> Value:
    """The codes of one place in each word."""
    kind, shifted = type_of(found.words, VectorType), found.words
    if shift:
        shifted = with_number(build, arith.ShRUI, shifted, shift)
    made: Value = shifted if kind.element is I8 else build(arith.TruncI, shifted, result=kind.with_element(I8))
    return made if found.mask == _LARGEST else with_number(build, arith.AndI, made, found.mask)

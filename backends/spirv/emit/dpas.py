"""The matrix instruction: SPV_INTEL_subgroup_matrix_multiply_accumulate."""

from __future__ import annotations

from xetile.dialects import xegpu

from ..facts.packed import Packed
from ..facts.uses import count_of
from ..module.encode import Id
from .emitter import Emitter
from .hidden import of_lanes, told_apart
from .product_operands import first, operand, second, words_of
from .table import emits
from .values import Fragment, from_chunks
from .wide import started


@emits(xegpu.Dpas)
def emit_dpas(e: Emitter, op: xegpu.Dpas) -> Fragment:
    """One instruction; operands in the words that it takes, which is how block loads give them."""
    type, words = op.result.type, words_of(e, op)
    rows = count_of(type)
    packed = e.packing.operands.get(op.rhs) if e.packing is not None else None
    a, b = first(e, op, words), second(e, op, words) if packed is None else _packed(e, packed)
    form, matrix = words.c, words.matrix
    c = e.constant(form, 0, rows) if op.acc is None else started(e, op.acc)
    if c is None:
        assert op.acc is not None
        c = operand(e, e[op.acc], form, rows)
        if e.sums is not None and e.sums.begins(op.acc):
            c = of_lanes(e, form, c, rows)
    if not e.whole and e.ties.broken(op):
        c = told_apart(e, c, 1)
    result = e.emit("OpSubgroupMatrixMultiplyAccumulateINTEL", e.vector(form, rows), e.number(matrix.k), a, b, c, matrix.operands)
    return from_chunks(e, type.element, rows, [result], form)


def _packed(e: Emitter, packed: Packed) -> Id:
    from .packed import packed_operand  # of narrower numbers alone: other products load none of it

    return packed_operand(e, packed)

"""Which loads of lanes IGC makes one message of: words that lie behind each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xetile.dialects import arith, vector, xegpu
from xetile.dialects.affine import affine_of
from xetile.dialects.types import ScalarType
from xetile.ir.core import Op, Value, of_kind
from xetile.ir.interfaces import passes_reads

WORD_BITS = 32
MOST = 4
"""So many words a lane takes with one message."""

_Place = tuple[Value, tuple[tuple[Value, int], ...], Value]
"""An array, what a lane's number in it is a sum of beside a constant, and the mask."""


def merged_loads(ops: Sequence[Op]) -> list[list[Op]]:
    """Runs of two to four loads of words that follow each other in memory, with nothing that writes between them.

    Each in the order of its places; the message stands where the first of them stands in the code.
    """
    if not of_kind(ops, xegpu.Load):
        return []
    found: list[list[Op]] = []
    open_: dict[_Place, dict[int, Op]] = {}
    for op in ops:
        if isinstance(op, xegpu.Load) and _is_word(op):
            at = affine_of(op.offsets, _is_symbol)
            open_.setdefault((op.source, tuple(at.coefficients.items()), op.mask), {}).setdefault(at.constant, op)
        elif op.regions or not (op.pure or passes_reads(op)):
            found += _runs(open_)
            open_ = {}
    return [*found, *_runs(open_)]


def _runs(open_: dict[_Place, dict[int, Op]]) -> Iterator[list[Op]]:
    for places in open_.values():
        run: list[Op] = []
        last = None
        for at, op in sorted(places.items(), key=lambda item: item[0]):
            if run and (last != at - 1 or len(run) == MOST):
                if len(run) > 1:
                    yield run
                run = []
            run.append(op)
            last = at
        if len(run) > 1:
            yield run


def _is_word(op: xegpu.Load) -> bool:
    kind = op.value.type
    return isinstance(kind, ScalarType) and kind.bits == WORD_BITS and op.offsets is not None


def _is_symbol(value: Value) -> bool:
    """What is not a sum with a constant is one number here, whatever it is a sum of."""
    return not (isinstance(value.op, arith.AddI) and any(arith.constant_of(v) is not None for v in value.op.operands))


def comes_packed(op: xegpu.Load, count: int, element: ScalarType) -> bool:
    """Whether lanes load runs of narrow elements as words, and leave them so: where these are aligned, and no mask selects elements."""
    aligned = (op.attributes.get("alignment") or 0) >= WORD_BITS // 8 and count * element.bits % WORD_BITS == 0
    return aligned and vector.is_true(op.mask)

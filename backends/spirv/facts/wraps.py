"""Sums in addresses that wrap, hidden from IGC, which takes them for sums that do not.

IGC moves addresses out of loops (GEPLoopStrengthReduction): of those that differ by a constant it keeps one, and adds the difference
to it.  It reads an address as a sum, and drops the extensions of its terms (SCEVUtils); low bits are to it an extended narrow number:
so it takes (x + 17) & 31 for ((x + 1) & 31) + 16.  The low bits of a sum, where they are a term of an address in a loop, get a zero
that the compiler cannot know: the global offset along the third dimension, which no launch has.

A term that is multiplied, divided or chosen stays as it is, with all in it; so do the low bits of what is no sum: both cancel only
with their like.  Coordinates of 2D block messages are no addresses.  Sums of whole indices may not wrap (index_ranges).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xetile.dialects import arith, xegpu
from xetile.dialects.arith import constant_of, numbers_of
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import INDEX, element_of
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import control_values, runs_again
from xetile.ir.reach import reached
from xetile.ir.variables import variables

from .uses import SCALINGS, SUMS, moves

_REMAINDERS = (arith.RemUI, arith.RemSI)
_SHIFTS = (arith.ShRUI, arith.ShRSI)
_CUTS = (arith.AndI, *_REMAINDERS, *_SHIFTS, *arith.INTEGER_CASTS)
_SIGNED = (arith.ExtSI, arith.IndexCast, arith.ShRSI)


def wrapping(kernel: GpuFunc) -> frozenset[Op]:
    """The ops which cut sums to few bits, masks and extensions of narrow numbers, and are terms of addresses in loops."""
    terms = _Terms(kernel)
    cuts = terms.cuts()
    # Of one number extended with its sign and without it, each is the other to the compiler.
    signed, unsigned = ({_narrowed(op) for op in cuts if isinstance(op, _SIGNED) is kind} for kind in (True, False))
    return frozenset(op for op in cuts if is_sum(op.operands) or _narrowed(op) in signed & unsigned)


class _Terms:
    """What the addresses in a kernel's loops are sums of."""

    def __init__(self, kernel: GpuFunc) -> None:
        self.kernel = kernel
        self.index_bits = kernel.index_bits
        self.given = {arg: control_values(op) for op in kernel.walk() if op.repeats for block in op.regions for arg in block.args}
        self.given |= {holder: variable.given for holder, variable in variables(kernel).holding.items()}

    def cuts(self) -> frozenset[Op]:
        """The cuts that are terms; what lies beneath one is none."""

        def beneath(value: Value) -> Sequence[Value]:
            op = value.op
            if self._cuts(op):
                return ()
            if op is not None and (isinstance(op, (*SUMS, *arith.INTEGER_CASTS)) or moves(op)):
                return op.operands
            return self.given.get(value, ())

        addresses = [v for op in self.kernel.walk() if op.accesses and runs_again(op) for v in _address_of(op)]
        return frozenset(v.op for v in reached(addresses, beneath) if v.op is not None and self._cuts(v.op))

    def _cuts(self, op: Op | None) -> bool:
        if isinstance(op, arith.AndI):  # without the lowest bit it is a product
            return any(n & 1 for value in op.operands for n in numbers_of(value))
        if isinstance(op, _REMAINDERS):  # by other numbers it is no cut: x - x / n * n
            return any(n & (n - 1) == 0 for n in numbers_of(op.operands[1]))
        if isinstance(op, _SHIFTS):
            return isinstance(op.operands[0].op, arith.ShLI)
        return isinstance(op, arith.INTEGER_CASTS) and self._bits(op.operands[0]) < self._bits(op.results[0])

    def _bits(self, value: Value) -> int:
        element = element_of(value.type)
        return self.index_bits if element is INDEX else element.bits


def is_sum(values: Sequence[Value]) -> bool:
    """Whether the compiler finds a sum in the low bits of one of some numbers."""

    def beneath(value: Value) -> Sequence[Value]:
        op = value.op
        return op.operands if op is not None and (isinstance(op, (*SCALINGS, *_CUTS)) or moves(op)) else ()

    return any(isinstance(value.op, SUMS) for value in reached(values, beneath))


def _address_of(op: Op) -> tuple[Value, ...]:
    """What an access adds to where its memory begins, and what its descriptor or view does."""
    if isinstance(op, (xegpu.LoadNd, xegpu.StoreNd, xegpu.PrefetchNd)):
        made = op.desc.op
        given = made.offsets if isinstance(made, xegpu.CreateNdTdesc) else ()
        return (*op.offsets, *given) if op.desc.type.rank == 1 else ()
    if isinstance(op, (xegpu.LoadMatrix, xegpu.StoreMatrix)):
        return (*op.offsets, *_of_views(op.desc))
    if isinstance(op, (xegpu.Load, xegpu.Store, xegpu.Prefetch)):
        return tuple(value for value in (op.dest if isinstance(op, xegpu.Store) else op.source, op.offsets) if value is not None)
    return op.operands


def _of_views(matrix: Value) -> Iterator[Value]:
    while isinstance(view := matrix.op, xegpu.MemDescSubview):
        yield from view.offsets
        matrix = view.source


def _narrowed(cut: Op) -> Value:
    """The number whose low bits a cut leaves."""
    value = next((v for v in cut.operands if constant_of(v) is None), cut.operands[0])
    while isinstance(value.op, (arith.TruncI, arith.ShLI)):
        value = value.op.operands[0]
    return value

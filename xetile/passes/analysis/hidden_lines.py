"""Lines of values that nobody sees: what depends on them lies behind the ends of the arrays, or masks, that it is stored or added by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import VectorType, element_of
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.variables import variables
from xetile.passes.analysis.polynomials import WIDE, Place, Polynomial, Reader, compared, conjunction, number, of
from xetile.records import dataclass

_PLACES = (Place.ROW, Place.COLUMN)
_Write = xetile.StoreTile | xetile.StoreScatter | xetile.AtomicRmwTile
_WRITES = (xetile.StoreTile, xetile.StoreScatter, xetile.AtomicRmwTile)


@dataclass(frozen=True)
class Wrap:
    """What is taken modulo a size, as people keep indices inside of an array: `first`, counted on along dimension `dim`, modulo `end`."""

    dim: int
    first: Polynomial
    end: Polynomial

    @property
    def counted(self) -> Polynomial:
        """What is taken modulo `end`."""
        return self.first.plus(of(_PLACES[self.dim]))


class Wraps:
    """The vectors of a kernel that are such, and `unwrapped`, which reads each as what counts on."""

    def __init__(self, kernel: GpuFunc, reader: Reader, equal: dict[Value, Value], numbers: Mapping[Value, int]) -> None:
        self._found = {op.results[0]: wrap for op in kernel.walk() if (wrap := _wrap(op, reader)) is not None}
        self._holding = variables(kernel).holding
        self.unwrapped = Reader(equal, {value: wrap.counted for value, wrap in self._found.items()}, numbers)

    def of(self, value: Value) -> list[Wrap]:
        """Those that a vector of indices is worked out of, each along the dimension of that vector."""
        found, seen, ahead = list[Wrap](), set[tuple[Value, bool]](), [(value, False)]
        while ahead if self._found else ():
            value, turned = ahead.pop()
            if (value, turned) in seen:
                continue
            seen.add((value, turned))
            op = value.op
            if value in self._found:
                wrap = self._found[value]
                found.append(replace(wrap, dim=1 - wrap.dim) if turned else wrap)
            elif value in self._holding:
                ahead += [(given, turned) for given in self._holding[value].given]
            elif isinstance(op, (xetile.TileTranspose, vector.ShapeCast)):
                ahead.append((op.operands[0], not turned))
            elif isinstance(op, (Elementwise, xetile.TileBroadcast)):
                ahead += [(operand, turned) for operand in op.operands]
        return found


def _wrap(op: Op, reader: Reader) -> Wrap | None:
    """What an op takes modulo a number, if that counts on in steps of one."""
    parts = _modulo(op)
    if parts is None or element_of(op.results[0].type) not in WIDE:
        return None
    counted, end = map(reader.read, parts)
    if counted is None or end is None:
        return None
    for dim, place in enumerate(_PLACES):
        part = counted.part(place)
        if part is not None and part[0] == number(1) and not {*_PLACES} & part[1].symbols:
            return Wrap(dim, part[1], end)
    return None


def _modulo(op: Op) -> tuple[Value, Value] | None:
    """(dividend, divisor) of a vector's remainder, which is never negative where neither is: of the machine's, or of the language's."""
    if not op.results or not isinstance(op.results[0].type, VectorType):
        return None
    if isinstance(op, (arith.RemUI, arith.RemSI)):
        return op.operands[0], op.operands[1]
    if not isinstance(op, arith.Select) or not isinstance(rest := op.operands[2].op, arith.RemSI):
        return None
    moved, divisor = op.operands[1].op, rest.operands[1]
    if not isinstance(moved, arith.AddI) or tuple(moved.operands) != (rest.results[0], divisor):
        return None
    return (rest.operands[0], divisor) if _differ_in_sign(op.operands[0], rest.results[0], divisor) else None


def _differ_in_sign(condition: Value, rest: Value, divisor: Value) -> bool:
    """Whether a condition is false where neither a remainder nor its divisor is a negative number (`language.division.remainder`)."""
    for term in conjunction(condition):
        signs = term.op.operands if isinstance(term.op, arith.XOrI) else [term]
        if signs and all(_is_negative(sign) in (rest, divisor) for sign in signs):
            return True
    return False


def _is_negative(sign: Value) -> Value | None:
    """The number of which a value says that it is below zero."""
    op = sign.op
    below = isinstance(op, arith.CmpI) and op.predicate == "slt" and arith.constant_of(op.operands[1]) == 0
    return op.operands[0] if isinstance(op, arith.CmpI) and below else None


class HiddenLines:
    """Follows lines of values to where they are stored. `others`: (size that would hide lines, size that must be the same)."""

    def __init__(self, kernel: GpuFunc, reader: Reader, sizes: Iterable[Value]) -> None:
        self._given, self._reader, self._sizes = variables(kernel).given, reader, set(sizes)
        self.others: list[tuple[Value, Value]] = []

    def hide(self, value: Value, wrap: Wrap) -> bool:
        """Whether lines of a value are hidden whose numbers, from the first one's on, are a size and more."""
        seen, ahead = set[tuple[Value, int]](), [(value, wrap.dim)]
        while ahead:
            value, dim = ahead.pop()
            if (value, dim) in seen:
                continue
            seen.add((value, dim))
            for use in value.uses:
                after = self._after(use, dim, wrap)
                if after is None:
                    return False
                ahead += after
        return True

    def _after(self, use: tuple[Op, int], dim: int, wrap: Wrap) -> list[tuple[Value, int]] | None:
        """The values, and the dimensions, that lines go on to; None where something sees them."""
        op, position = use
        if use in self._given:
            return [(holder, dim) for holder in self._given[use].holders]
        if isinstance(op, _WRITES):  # of what an atomic finds where it changes nothing, nothing is said
            return [] if position == 0 and any(self._is_end(size, wrap) for size in self._ends(op, dim, wrap)) else None
        if isinstance(op, xetile.TileMma):
            kept = position == 2 or position == dim  # rows of A, columns of B
            return [(op.result, dim)] if kept else None
        if isinstance(op, xetile.TileTranspose):
            return [(op.result, 1 - dim)]
        if isinstance(op, (xetile.TileBroadcast, xetile.TileReduce)):
            return None if dim in op.dims else [(op.results[0], dim)]
        return [(found, dim) for found in op.results] if isinstance(op, Elementwise) and op.pure else None

    def _ends(self, op: _Write, dim: int, wrap: Wrap) -> Iterator[Polynomial]:
        """From which numbers on a store writes no lines, counted from the wrap's first one."""
        if not op.tile.type.scatter:
            made = op.tile.op
            is_there = isinstance(made, xetile.InitTile) and not made.result.type.space and len(made.offsets) >= 2 - dim
            if isinstance(made, xetile.InitTile) and is_there and self._reader.read(made.offsets[dim - 2]) == wrap.first:
                yield self._reader.read(made.shape[dim - 2]) or number(0)
            return
        mask = None if isinstance(op, xetile.StoreTile) else op.mask
        for term in () if mask is None else conjunction(mask):
            sides = compared(term, self._reader)
            part = None if sides is None else sides[0].plus(sides[1], -1).part(_PLACES[dim])
            if part is not None and part[0] == number(1) and not {*_PLACES} & part[1].symbols:
                yield wrap.first.plus(part[1], -1)

    def _is_end(self, size: Polynomial, wrap: Wrap) -> bool:
        if size == wrap.end:
            return True
        own, other = (set(found.symbols) for found in (size, wrap.end))
        if len(own) == len(other) == 1 and own | other <= self._sizes:
            self.others.append((*own, *other))  # type: ignore[arg-type]
        return False


__all__ = ["HiddenLines", "Wrap", "Wraps"]

"""Gathers of whole rows become `xetile.load_rows`, whose rows come by block messages instead of one element for each lane; scatters of
whole rows become `xetile.store_rows`.

Of their offsets each is a sum of one number for its row, of its column, and of what is the same for all. Its mask is one for
each row, and for columns that they are in front of the end of a row, where block messages find nothing but zeros, and write nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce

from xetile.dialects import arith, scf, vector, xetile
from xetile.dialects.affine import Affine
from xetile.dialects.gpu import GpuModule
from xetile.dialects.rows import LoadRows, StoreRows
from xetile.dialects.types import I1, INDEX, ScalarType, VectorType, element_of, shape_of
from xetile.ir import analyses
from xetile.ir.core import Block, Op, Value, type_of
from xetile.ir.interfaces import enclosing, loop_around
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.array_rows import ArrayRows
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.analysis.recurrences import is_hoistable
from xetile.passes.analysis.row_messages import row_messages, store_messages
from xetile.passes.analysis.row_sums import row_sum
from xetile.passes.common.numbers import index
from xetile.passes.common.unused import erase_unused
from xetile.passes.workgroup.forms.pad_tiles import is_mapped
from xetile.records import dataclass
from xetile.target import Target
from xetile.target.block_rules import TILE_BYTES
from xetile.target.blocks import WORD_BYTES

_ORDERS = {"slt": (0, 1), "ult": (0, 1), "sgt": (1, 0), "ugt": (1, 0)}
"""Which operand of a comparison is the smaller one, and which the larger."""
_AT_LEAST = {"sge": (0, 1), "sle": (1, 0)}
"""The same of those that may be equal, the larger one first."""


def gather_rows(module: GpuModule, target: Target) -> GpuModule:
    """Replace gathers and scatters of rows that begin at whole 32-bit words, and end where the mask says, or nowhere.

    Before and after: xetile at workgroup level without maps of the user.
    """
    if target.block2d is None or not module.has((xetile.LoadGather, xetile.StoreScatter)) or any(map(is_mapped, module.walk())):
        return module
    gathers = _Gathers(module, target)
    accesses: list[_Access] = module.find((xetile.LoadGather, xetile.StoreScatter))
    for op in accesses:
        found = gathers.rows_of(op)
        if found is not None:
            _replace(op, found)
    return module


_Access = xetile.LoadGather | xetile.StoreScatter


@dataclass(frozen=True)
class _Rows:
    """Where the rows of a gather or a scatter begin: columns that are added, and a scalar; their masks; the first column, and where rows end.

    `size`: the pitch and the height of an array of which the starts are the numbers of rows.
    """

    base: Value
    starts: tuple[Value, ...]
    ahead: Affine
    masks: tuple[Value, ...]
    column: Affine
    end: Value | int | None
    size: tuple[Value, Value] | None = None

    @property
    def given(self) -> tuple[Value, ...]:
        """What it takes to know where they begin."""
        return (*self.starts, *self.ahead.coefficients, *self.masks)


@dataclass(frozen=True)
class _Mask:
    """Columns, rows of one column or scalars, which are true where rows count; columns that are less than a number; those that are not."""

    rows: tuple[Value, ...] = ()
    ends: tuple[tuple[Affine, Value | int], ...] = ()
    begins: tuple[Affine, ...] = ()

    def both(self, other: _Mask) -> _Mask:
        """Where both are true."""
        return _Mask((*self.rows, *other.rows), (*self.ends, *other.ends), (*self.begins, *other.begins))


class _Gathers:
    """What is known of the gathers and scatters of a kernel."""

    def __init__(self, module: GpuModule, target: Target) -> None:
        assert target.block2d is not None
        self._target, self._rules = target, target.block2d
        self._arrays = ArrayRows(module.kernel, target.block2d)
        self._numbers = analyses.get(Numbers, module.kernel)

    def rows_of(self, op: _Access) -> _Rows | None:
        """What a gather or a scatter is as rows; None where it is none that messages move."""
        made = op.tile.op
        if not isinstance(made, xetile.InitTile) or not self._arrays.is_array(made.base) or not self._suits(op):
            return None
        places, mask, kind = row_sum(made.offsets[0]), _mask_of(op.mask), type_of(op.value, VectorType)
        if places is None or mask is None or places.across != 1 or not places.rows:
            return None
        bounds = self._before_end(mask, kind.element) if mask.ends else (self._unbounded(places.rest, kind), None)
        if bounds is None or any(self._low(column) < 0 for column in (bounds[0], *mask.begins)):
            return None
        column, end = bounds
        found = _Rows(made.base, places.rows, places.rest.plus(column, -1), mask.rows, column, end)
        if not self._is_whole(found, element_bytes(kind.element)) or _moves(op, found):
            return None
        if isinstance(op, xetile.StoreScatter):
            return _paying(self._numbered(found), element_bytes(kind.element))
        return self._numbered(found) if _outermost(op, found.given) is op else found

    def _numbered(self, rows: _Rows) -> _Rows:
        """The same by numbers of an array's rows, where these are known: one surface for all, which costs less than to make many."""
        op = rows.starts[0].op
        if len(rows.starts) > 1 or rows.ahead != Affine({}) or not isinstance(op, arith.MulI):
            return rows
        for number, step in (op.operands, op.operands[::-1]):
            found = row_sum(step)
            if found is not None and not found.rows and not found.across and len(found.rest.coefficients) == 1:
                height = self._arrays.height_of(rows.base, found.rest, rows.end)
                if height is not None:
                    (pitch,) = found.rest.coefficients
                    return replace(rows, starts=(number,), size=(pitch, height))
        return rows

    def _suits(self, op: _Access) -> bool:
        """Whether messages move rows as long as these, and bring them as those who take them hold them."""
        kind = type_of(op.value, VectorType)
        if kind.element.bits < 8 or kind.shape[1] * element_bytes(kind.element) > TILE_BYTES:
            return False
        if isinstance(op, xetile.StoreScatter):
            return store_messages(kind.element, kind.shape[1], self._target) is not None
        if op.padding != 0:
            return False
        return row_messages(op.value, kind.shape[1], self._target) is not None

    def _before_end(self, mask: _Mask, element: ScalarType) -> tuple[Affine, Value | int] | None:
        """The first column, and the one where rows end, which messages know: all of the mask says the same."""
        (column, end), *others = mask.ends
        if any(other != end or columns != column for columns, other in others) or not self._arrays.is_length(end, element):
            return None
        return column, end

    def _unbounded(self, rest: Affine, kind: VectorType) -> Affine:
        """Of a sum what is the column of rows that go on: a counter that ends where some array's rows do, before surfaces end."""
        terms = (Affine({v: times}) for v, times in rest.coefficients.items() if self._counts_row(v, times, kind.element))
        return next(terms, Affine({}))

    def _counts_row(self, value: Value, times: int, element: ScalarType) -> bool:
        """Whether so many times a value are a place in a row of some array, in each iteration of the loop that counts it."""
        loop = value.owner.parent if isinstance(value.owner, Block) else None
        if not isinstance(loop, scf.For) or value is not loop.body.args[0]:
            return False
        steps = loop.upper.op
        if isinstance(steps, (arith.CeilDivUI, arith.CeilDivSI)) and arith.constant_of(steps.operands[1]) == times > 0:
            return self._arrays.is_length(steps.operands[0], element)
        return times == 1 and self._arrays.is_length(loop.upper, element)

    def _low(self, found: Affine) -> int:
        """The least that a sum can be."""
        ends = ((times, self._numbers.interval(value)) for value, times in found.coefficients.items())
        return found.constant + sum(min(times * low, times * high) for times, (low, high) in ends)

    def _is_whole(self, rows: _Rows, size: int) -> bool:
        """Whether rows, and the columns taken of them, begin at whole words."""
        several = WORD_BYTES // min(size, WORD_BYTES)
        divisors = [self._arrays.divisor_of(found) for found in (rows.ahead, rows.column)]
        return all(n % several == 0 for n in (*divisors, *map(self._arrays.divisor, rows.starts)))


def _paying(rows: _Rows, size: int) -> _Rows | None:
    """Rows of a scatter where messages take fewer instructions than addresses do: of narrow elements they fill half of a register, and
    of bytes a quarter, which takes moves beside those that tell where rows begin.
    """
    return rows if size >= WORD_BYTES or (2 * size == WORD_BYTES and len(rows.starts) == 1) else None


def _moves(op: Op, rows: _Rows) -> bool:
    """Whether a loop adds to the beginnings of rows that it leaves alone: surfaces for all of them cost more than addresses, but not
    more than addresses of which masks choose.
    """
    if rows.masks or rows.end is not None:
        return False
    loop = loop_around(op)
    if not isinstance(loop, scf.For) or all(is_hoistable(v, loop) for v in rows.ahead.coefficients):
        return False
    return all(is_hoistable(v, loop) for v in (*rows.starts, *rows.masks))


def _mask_of(value: Value) -> _Mask | None:
    """What a mask says of rows and columns; None where it says something else."""
    op, one_column = value.op, shape_of(value.type)[1] == 1
    if vector.is_true(value):
        return _Mask()
    if one_column:
        return _Mask((value,))
    if isinstance(op, arith.AndI):
        left, right = map(_mask_of, op.operands)
        return left.both(right) if left is not None and right is not None else None
    if isinstance(op, vector.Broadcast):
        return _Mask((op.source,))
    if isinstance(op, xetile.TileBroadcast):
        return _mask_of(op.source)
    return _compared(op) if isinstance(op, arith.CmpI) else None


def _compared(op: arith.CmpI) -> _Mask | None:
    """What a comparison says of columns: that they lie before the end of a row, or not before its beginning."""
    orders = _ORDERS if op.predicate in _ORDERS else _AT_LEAST
    if op.predicate not in orders or not isinstance(op.lhs.type, VectorType):
        return None
    first, second = (row_sum(op.operands[i]) for i in orders[op.predicate])
    if first is None or second is None or first.rows or second.rows or (first.across, second.across) != (1, 0):
        return None
    if orders is _AT_LEAST:
        return _Mask(begins=(first.rest,)) if second.rest == Affine({}) else None
    end = second.rest
    symbol = next(iter(end.coefficients), None)
    if symbol is not None and end.less(symbol) != 0:
        return None
    # Without a sign, what is below zero is beyond the end: it is not there either way.
    return _Mask(ends=((first.rest, end.constant if symbol is None else symbol),))


def _replace(op: _Access, rows: _Rows) -> None:
    """The rows in place of a gather or a scatter. Where rows begin is worked out before loops that leave it alone."""
    build, height = Rewriter(), shape_of(op.value.type)[0]
    kind = VectorType((height, 1), INDEX)
    place = _outermost(op, rows.given)
    known: dict[Value, Value] = {}
    with build.before(place), build.located(op.loc):
        moved = {value: _made_here(value, place, build, known) for value in rows.given}
        starts = [_spread(build, moved[value], kind) for value in rows.starts]
        if rows.ahead != Affine({}):
            ahead = Affine({moved[v]: n for v, n in rows.ahead.coefficients.items()}, rows.ahead.constant)
            starts.append(_spread(build, _sum(build, ahead), kind))
        masks = [_spread(build, moved[value], kind.with_element(I1)) for value in rows.masks]
        start = reduce(partial(build, arith.AddI), starts)
        mask = reduce(partial(build, arith.AndI), masks) if masks else None
    with build.before(op), build.located(op.loc):
        end = index(build, rows.end) if isinstance(rows.end, int) else rows.end
        column = _sum(build, rows.column)
        taken = list(op.operands)
        where = (rows.base, start, column, mask, end, *(rows.size or (None, None)))
        if isinstance(op, xetile.LoadGather):
            build.replace(op, build(LoadRows, *where, value=op.value.type))
        else:
            build.op(StoreRows, op.value, *where)
            build.erase(op)
    erase_unused(taken, build)


def _outermost(op: Op, values: Sequence[Value]) -> Op:
    """The outermost of the loops around an op that leave values alone; the op itself where its own does not."""
    place = op
    for around in enclosing(op):
        if not isinstance(around, scf.For) or not all(is_hoistable(v, around) for v in values):
            break
        place = around
    return place


def _made_here(value: Value, place: Op, build: Rewriter, known: dict[Value, Value]) -> Value:
    """What a value is before a loop that leaves it alone."""
    op = value.op
    if op is None or all(around is not place for around in enclosing(op)):
        return value
    if value not in known:
        known[value] = build.clone(op, [_made_here(v, place, build, known) for v in op.operands]).results[0]
    return known[value]


def _sum(build: Rewriter, found: Affine) -> Value:
    """A sum as an index."""
    terms = list[Value]()
    for value, times in found.coefficients.items():
        term = value if value.type is INDEX else build(arith.IndexCast, value, result=INDEX)
        terms.append(term if times == 1 else build(arith.MulI, term, index(build, times)))
    if found.constant or not terms:
        terms.append(index(build, found.constant))
    return reduce(partial(build, arith.AddI), terms)


def _spread(build: Rewriter, value: Value, kind: VectorType) -> Value:
    """A scalar, or what is one number of a column, as a column; in its type."""
    if not isinstance(value.type, VectorType):
        return build(vector.Broadcast, value, result=kind)
    if element_of(value.type) is not kind.element:
        value = build(arith.IndexCast, value, result=value.type.with_element(kind.element))
    return value if value.type == kind else build(xetile.TileBroadcast, value, dims=(0,), result=kind)


__all__ = ["gather_rows"]

"""What each op makes of the intervals of its operands; ops without a rule give numbers of which nothing is known."""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, gpu, vector, xegpu, xetile
from xetile.dialects.types import I1, INDEX, ScalarType, VectorType, element_of
from xetile.index_ranges import UNBOUNDED, Interval
from xetile.ir.core import Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.analysis.index_ranges.forms import Form
from xetile.passes.analysis.index_ranges.reader import Forms, Reader, width
from xetile.passes.analysis.rearranged import rearranged
from xetile.target.model import MOST_LANES, MOST_SUBGROUPS

READ = Table()

_LARGEST_SIZE = 2**31 - 1
"""Of an array whose index has 32 bits."""
_MODULAR = {"add", "sub"}
_WITHOUT_SIGN = {"udiv", "urem", "uceildiv", "ushr", "umin", "umax"}
# Results can need more bits than operands; of numbers below zero those without a sign give what no index holds.
_GROWS = {"add", "sub", "mul", "shl", *_WITHOUT_SIGN}


@READ(arith.Binary)
def _arithmetic(op: arith.Binary, r: Reader) -> Forms:
    type, name = op.results[0].type, "or" if op.function == "xor" else op.function
    if not width(type):
        return r.unknown(type)
    found = r.apply(name, *(_operand(name, v, r) for v in op.operands))
    if r.may_wrap(found, op.results[0]):
        return (r.wrapped(found, type),)
    if (
        name in _GROWS
        and not (found.data and op.results[0] in r.places)
        and (element_of(type) is INDEX or op.results[0] in r.wanted)
    ):
        r.must_fit(found, type, op.loc)
    return (found,)


def _operand(name: str, value: Value, r: Reader) -> Form:
    if name in _MODULAR:
        return r.moved(value)
    return r.unsigned(value) if name in _WITHOUT_SIGN and element_of(value.type) is not INDEX else r.one(value)


@READ(arith.Constant)
def _constant(op: arith.Constant, r: Reader) -> Forms:
    if not width(op.result.type):
        return ()
    values = [int(n) for n in arith.numbers_of(op.result)]
    return (r.number(min(values), max(values)),)


@READ(arith.Select)
def _select(op: arith.Select, r: Reader) -> Forms:
    return tuple(r.hull(pair) for pair in zip(r[op.true_value], r[op.false_value]))


@READ(arith.IndexCast)
def _index_cast(op: arith.Cast, r: Reader) -> Forms:
    """An index of fewer bits than the number had, or the reverse, holds it or must not be."""
    if not width(op.result.type):
        return ()
    source = r.one(op.operand) if width(op.operand.type) else _elsewhere(op.operand, r)
    if element_of(op.result.type) is INDEX:
        r.must_fit(source, INDEX, op.loc)
        return (source,)
    if r.may_wrap(source, op.result):
        return (r.wrapped(source, op.result.type),)
    if op.result in r.wanted:
        r.must_fit(source, op.result.type, op.loc)
    return (source,)


def _elsewhere(value: Value, r: Reader) -> Form:
    """Of a number whose arithmetic is not followed: what a mask leaves of it."""
    most = _masked(value)
    return r._any(element_of(value.type)) if most is None else r.number(0, most, data=True)


def _masked(value: Value) -> int | None:
    """The largest that a mask leaves of integers, wherever they are moved to."""
    op = value.op
    if isinstance(op, arith.AndI):
        mask = arith.constant_of(op.operands[1])
        return mask if isinstance(mask, int) and mask >= 0 else None
    moved = rearranged(value) if isinstance(op, (xetile.TileTranspose, xetile.LoadGather, xetile.LoadTile)) else None
    sources = [_masked(source) for source in moved.sources] if moved is not None else []
    return max((most for most in sources if most is not None), default=None) if None not in sources else None


@READ(arith.IndexCastUI)
def _index_cast_unsigned(op: arith.Cast, r: Reader) -> Forms:
    element = element_of(op.operand.type)
    if not width(op.result.type) or element is INDEX:
        return r.unknown(op.result.type)
    found = r.unsigned(op.operand) if width(op.operand.type) else r.number(*_unsigned(element), data=True)
    r.must_fit(found, INDEX, op.loc)
    return (found,)


def _unsigned(element: ScalarType) -> Interval:
    return 0, (1 << element.bits) - 1 if element.bits < 64 else UNBOUNDED


@READ(arith.ExtSI)
def _extend(op: arith.Cast, r: Reader) -> Forms:
    return (r.one(op.operand),) if width(op.result.type) and width(op.operand.type) else r.unknown(op.result.type)


@READ(arith.TruncI)
def _truncate(op: arith.Cast, r: Reader) -> Forms:
    if not (width(op.result.type) and width(op.operand.type)):
        return r.unknown(op.result.type)
    return (r.wrapped(r.one(op.operand), op.result.type),)


@READ(arith.ExtUI)
def _extend_unsigned(op: arith.Cast, r: Reader) -> Forms:
    if not width(op.result.type):
        return ()
    element = element_of(op.operand.type)
    if element is I1:
        return (r.number(0, 1),)
    return (r.unsigned(op.operand) if width(op.operand.type) else r.number(*_unsigned(element), data=True),)


@READ(vector.Broadcast, vector.ShapeCast, vector.Transpose, vector.Extract, vector.ExtractStridedSlice, xetile.TileBroadcast,
      xetile.TileTranspose, xetile.TileConvLayout, xetile.TilePack, xetile.TileUnpack)  # fmt: skip
def _same_elements(op: Op, r: Reader) -> Forms:
    result, source = op.results[0].type, op.operands[0]
    return r[source] if width(result) and width(source.type) else r.unknown(result)


@READ(xetile.TileReduce, xetile.TileScan)
def _combined(op: xetile.TileReduce | xetile.TileScan, r: Reader) -> Forms:
    type = op.result.type
    if not width(type):
        return ()
    if "max" in op.kind or "min" in op.kind:
        return r[op.source]
    count = op.source.type.count // (type.count if isinstance(op, xetile.TileReduce) else 1)
    found = r.apply("mul", r.one(op.source), r.number(0, count)) if op.kind == "add" else r.unknown(type)[0]
    r.must_fit(found, INDEX, op.loc)
    return (found,)


@READ(xetile.TileIota)
def _iota(op: xetile.TileIota, r: Reader) -> Forms:
    return (r.number(0, op.result.type.shape[op.dim] - 1),)


@READ(vector.Step)
def _step(op: vector.Step, r: Reader) -> Forms:
    return (r.number(0, op.result.type.count - 1),)


# Who this is.


@READ(gpu.BlockId)
def _block_id(op: gpu.BlockId, r: Reader) -> Forms:
    return (Form(r.steps.make("first", r.steps.known("grid", "xyz".index(op.dimension)))),)


@READ(gpu.GridDim)
def _grid_dim(op: gpu.GridDim, r: Reader) -> Forms:
    return (Form(r.steps.known("grid", "xyz".index(op.dimension))),)


@READ(gpu.SubgroupId)
def _subgroup_id(op: gpu.SubgroupId, r: Reader) -> Forms:
    return (r.number(0, MOST_SUBGROUPS - 1),)


@READ(gpu.LaneId)
def _lane_id(op: gpu.LaneId, r: Reader) -> Forms:
    return (r.number(0, MOST_LANES - 1),)


# Places in memory.


@READ(xetile.InitTile, xegpu.CreateNdTdesc)
def _place(op: xetile.InitTile | xegpu.CreateNdTdesc, r: Reader) -> Forms:
    offsets = [r.one(v) for v in op.offsets[-width(op.result.type) :]]
    for value, offset, size, limit in zip(*map(reversed, (op.offsets, offsets, op.result.type.shape, op.shape))):
        if value in r.places and offset.data:
            r.must_lie(offset, size, r.one(limit), op.loc)
    return (*([r.number(0)] * (width(op.result.type) - len(offsets))), *offsets)


@READ(xetile.UpdateTileOffset, xegpu.UpdateNdOffset)
def _move(op: xetile.UpdateTileOffset | xegpu.UpdateNdOffset, r: Reader) -> Forms:
    """Places add up from iteration to iteration."""
    deltas = [r.one(v) for v in op.offsets[-width(op.result.type) :]]
    deltas = [*([r.number(0)] * (width(op.result.type) - len(deltas))), *deltas]
    found = tuple(r.apply("add", place, delta) for place, delta in zip(r[op.operands[0]], deltas))
    for place, size in zip(reversed(found), reversed(op.result.type.shape)):
        if isinstance(op, xetile.UpdateTileOffset) and place.data and not op.result.type.scatter:
            r.must_lie(place, size, r.number(0, _LARGEST_SIZE), op.loc)
        else:
            r.must_fit(place, INDEX, op.loc)
    return found


@READ(xegpu.CreateTdesc)
def _scattered(op: xegpu.CreateTdesc, r: Reader) -> Forms:
    return (_offsets(op, r), r.number(0))


@READ(xegpu.UpdateOffset)
def _move_scattered(op: xegpu.UpdateOffset, r: Reader) -> Forms:
    found = r.apply("add", r[op.desc][0], _offsets(op, r))
    r.must_fit(found, INDEX, op.loc)
    return (found, r.number(0))


def _offsets(op: Any, r: Reader) -> Form:
    return r.one(op.offsets) if width(op.offsets.type) else r.unknown(VectorType((1,), INDEX))[0]

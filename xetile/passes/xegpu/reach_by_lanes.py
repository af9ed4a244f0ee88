"""Blocks of lanes in memory that block messages do not reach, such as short rows: each lane's own elements, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

from xetile.dialects import arith, gpu, vector, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import MemRefType
from xetile.ir.core import Value
from xetile.ir.dispatch import Table
from xetile.passes.common.converter import Converter, Lowered
from xetile.passes.xegpu.check_messages import Access, lanes_reach, out_of_reach
from xetile.records import dataclass
from xetile.target import Target

REACH = Table()
_ALL = (1 << 31) - 1  # elements of an array whose end its sizes tell


def reach_by_lanes(module: GpuModule, target: Target) -> GpuModule:
    """Replace blocks that no message of the target reaches by accesses of each lane.

    Before: lane-level xegpu, each descriptor made where it is used (fold_descriptors). After: blocks of memory whose known sizes break
    the rules of block messages are loads and stores of single elements, zero outside of the array and nothing stored there; prefetches
    of such memory are gone. A module without them stays as it is.
    """
    lanes = target.subgroup_size
    if not any(isinstance(op, _BLOCKS) and _unreached(op, target) and lanes_reach(op, lanes) for op in module.walk()):
        return module
    return _Reaching(target).convert_function(module)


_BLOCKS = (xegpu.LoadNd, xegpu.StoreNd, xegpu.PrefetchNd)


def _unreached(op: Access, target: Target) -> bool:
    made = op.desc.op
    return isinstance(made, xegpu.CreateNdTdesc) and bool(out_of_reach(made, target))


class _Reaching(Converter):
    def __init__(self, target: Target) -> None:
        super().__init__(REACH)
        self.target = target

    def sum(self, terms: Sequence[Value]) -> Value:
        """Of one index or several."""
        return reduce(lambda a, b: self.build(arith.AddI, a, b), terms)

    def takes(self, op: Access) -> bool:
        """Whether this block is one that lanes access."""
        return _unreached(op, self.target) and lanes_reach(op, self.target.subgroup_size)


@dataclass(frozen=True)
class _Surface:
    """Flat memory, and along each of its dimensions where a block starts, how many elements there are, and how far they lie apart."""

    flat: Value
    starts: tuple[Value, ...]
    sizes: tuple[Value, ...]
    strides: tuple[Value, ...]


def _surface(op: Access, c: _Reaching) -> _Surface:
    made: Any = op.desc.op
    kind: MemRefType = made.source.type
    rank = len(made.shape) or kind.rank
    sizes = tuple(c.one(v) for v in made.shape) or tuple(map(c.constant, kind.shape))  # type: ignore[arg-type]
    strides = tuple(c.one(v) for v in made.strides) or tuple(map(c.constant, _strides(kind)))
    starts = [c.one(v) for v in made.offsets] or [c.constant(0)] * rank
    more = [c.one(v) for v in op.offsets]
    kept = rank - len(more)
    moved = [*starts[:kept], *(c.build(arith.AddI, *pair) for pair in zip(starts[kept:], more))]
    flat = c.one(made.source)
    if kind.rank != 1:
        flat = c.build(gpu.ReinterpretCast, flat, c.constant(_ALL))
    return _Surface(flat, tuple(moved), sizes, strides)


def _strides(kind: MemRefType) -> tuple[int, ...]:
    if kind.strides is not None:
        return tuple(n for n in kind.strides if n is not None)
    found = [1]
    for extent in reversed(kind.shape[1:]):
        found.insert(0, found[0] * (extent or 1))
    return tuple(found)


def _places(op: Access, c: _Reaching) -> Iterator[tuple[Value, Value]]:
    """For each element that a lane has: where it lies, and whether it is in the array."""
    desc, surface, lanes = op.desc.type, _surface(op, c), c.target.subgroup_size
    (height, width), lane = desc.shape, c.build(gpu.LaneId)
    *leading, row, column = surface.starts
    for block in range(desc.array_length):
        for slot in range(height * width // lanes):
            if isinstance(op, xegpu.LoadNd) and op.transposed:  # a lane has a row of memory
                at = [lane, c.constant(slot)]
            elif width > lanes:  # neighbours in a row
                row_of, place = divmod(slot, width // lanes)
                first = c.build(arith.MulI, lane, c.constant(width // lanes))
                at = [c.constant(row_of), c.sum([first, c.constant(block * width + place)])]
            else:  # lanes along rows, row by row
                step = lanes // width
                below = [c.build(arith.DivUI, lane, c.constant(width))] if step > 1 else []
                across = c.build(arith.RemUI, lane, c.constant(width)) if step > 1 else lane
                at = [c.sum([c.constant(slot * step), *below]), c.sum([across, c.constant(block * width)])]
            where = [*leading, c.sum([row, at[0]]), c.sum([column, at[1]])]
            inside = [c.build(arith.CmpI, v, size, predicate="ult") for v, size in zip(where, surface.sizes)]
            offset = c.sum([c.build(arith.MulI, v, stride) for v, stride in zip(where, surface.strides)])
            yield offset, reduce(lambda a, b: c.build(arith.AndI, a, b), inside)


@REACH(xegpu.LoadNd)
def _load(op: xegpu.LoadNd, c: _Reaching) -> Lowered:
    if not c.takes(op):
        return c.clone(op)
    flat, element = _surface(op, c).flat, op.value.type.element
    zero, made = c.build(arith.Constant, value=0, result=element), c.build(arith.Constant, value=0, result=op.value.type)
    for slot, (where, inside) in enumerate(_places(op, c)):
        one = c.build(xegpu.Load, flat, where, inside, value=element)
        made = c.build(vector.Insert, c.build(arith.Select, inside, one, zero), made, position=(slot,))
    return made


@REACH(xegpu.StoreNd)
def _store(op: xegpu.StoreNd, c: _Reaching) -> Lowered:
    if not c.takes(op):
        return c.clone(op)
    flat, value = _surface(op, c).flat, c.one(op.value)
    for slot, (where, inside) in enumerate(_places(op, c)):
        c.build.op(xegpu.Store, c.build(vector.Extract, value, position=(slot,)), flat, where, inside)
    return ()


@REACH(xegpu.PrefetchNd)
def _prefetch(op: xegpu.PrefetchNd, c: _Reaching) -> Lowered:
    return () if c.takes(op) else c.clone(op)

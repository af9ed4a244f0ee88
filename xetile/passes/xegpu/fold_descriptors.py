"""Descriptors of lanes: each message gets one that is made for it, so that control flow passes on offsets alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xetile.dialects import arith, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.ir.core import Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.common.converter import Converter, Lowered
from xetile.passes.xegpu.check_descriptors import check_descriptors
from xetile.records import dataclass
from xetile.target import Target

FOLD = Table()


def fold_descriptors(module: GpuModule, target: Target) -> GpuModule:
    """Replace descriptors that move, or that control flow passes on, by offsets.

    Before: lane-level xegpu. After: each descriptor is made where it is used, at its offsets; update_nd_offset and update_offset
    are sums. A module without moving or carried descriptors stays as it is. Raises CompileError as `check_descriptors`.
    """
    check_descriptors(module)
    if not any(map(_moves, module.walk())):
        return module
    folded = Converter(FOLD).convert_function(module)
    return folded


def _moves(op: Op) -> bool:
    passed = op.regions and any(isinstance(v.type, xegpu.TensorDescType) for v in op.results)
    return passed or isinstance(op, (xegpu.UpdateNdOffset, xegpu.UpdateOffset))


@dataclass(frozen=True)
class LaneDesc:
    """A descriptor: the op that made it, with its operands as they became, and its offsets, which move."""

    op: xegpu.CreateNdTdesc | xegpu.CreateTdesc
    source: Value
    shape: tuple[Value, ...]
    strides: tuple[Value, ...]
    offsets: tuple[Value, ...]

    def carried(self) -> Sequence[Value]:
        """Only the offsets change."""
        return self.offsets

    def with_carried(self, values: Sequence[Value]) -> LaneDesc:
        """The descriptor elsewhere."""
        return replace(self, offsets=tuple(values))

    def made(self, c: Converter) -> Value:
        """The descriptor as a value, made here."""
        kind = self.op.result.type
        if isinstance(self.op, xegpu.CreateTdesc):
            return c.build(xegpu.CreateTdesc, self.source, *self.offsets, result=kind)
        sizes = [[_here(v, c) for v in part] for part in (self.shape, self.strides)]
        return c.build(xegpu.CreateNdTdesc, self.source, self.offsets, *sizes, result=kind, narrow=self.op.narrow)


def _here(size: Value, c: Converter) -> Value:
    """A size or stride where the descriptor is used: a constant of a branch is not there behind it."""
    known = arith.constant_of(size)
    return size if known is None else c.constant(known)


@FOLD(xegpu.CreateNdTdesc)
def _create_nd(op: xegpu.CreateNdTdesc, c: Converter) -> LaneDesc:
    shape, strides, offsets = (tuple(c.one(v) for v in part) for part in (op.shape, op.strides, op.offsets))
    rank = len(op.shape) or op.source.type.rank
    zeros = () if offsets else (c.constant(0),) * rank
    return LaneDesc(op, c.one(op.source), shape, strides, offsets or zeros)


@FOLD(xegpu.CreateTdesc)
def _create(op: xegpu.CreateTdesc, c: Converter) -> LaneDesc:
    return LaneDesc(op, c.one(op.source), (), (), (c.one(op.offsets),))


@FOLD(xegpu.UpdateNdOffset, xegpu.UpdateOffset)
def _update(op: xegpu.UpdateNdOffset | xegpu.UpdateOffset, c: Converter) -> LaneDesc:
    desc: LaneDesc = c[op.desc]
    by = [c.one(v) for v in op.operands[1:]]
    kept = len(desc.offsets) - len(by)
    moved = [c.build(arith.AddI, *pair) for pair in zip(desc.offsets[kept:], by, strict=True)]
    return replace(desc, offsets=(*desc.offsets[:kept], *moved))


@FOLD(xegpu.LoadNd, xegpu.StoreNd, xegpu.PrefetchNd, xegpu.Load, xegpu.Store, xegpu.Prefetch, xegpu.AtomicRmw)
def _access(op: Op, c: Converter) -> Lowered:
    for value in op.operands:
        if isinstance(c[value], LaneDesc):
            c[value], desc = c[value].made(c), c[value]
            result = c.clone(op)
            c[value] = desc
            return result
    return c.clone(op)

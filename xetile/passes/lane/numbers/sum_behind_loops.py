"""Sums of rows that loops scale and add up stay apart in the lanes, which are added up once behind the loop.

`total = total * fade + sum(p, 1)` takes a reduction over the lanes in each iteration: a tree of moves and sums for 16 rows of 16 lanes. The
lanes' own sums take one product with a sum for each row, and a register for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from xetile.dialects import arith, gpu, math, scf, vector, xegpu, xetile
from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I1, I32, VectorType
from xetile.estimate import fullness
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.carry import carry, drop, give
from xetile.passes.common.numbers import index
from xetile.records import dataclass
from xetile.target import Target

SPARSE, OVERFULL = 0.8, 1.2
"""Up to what share of the registers a loop, as it is written, leaves enough for sums of lanes; and from where on, with its loads early, IGC
orders it to save registers in any case. Between, a loop in which loads come early would become one that waits for each of them.
"""


def sum_behind_loops(module: GpuModule, target: Target) -> GpuModule:
    """Let loops carry what lanes have added up of rows, in place of the rows' sums.

    Before and after: xegpu at lane level. The order of sums is open, and with it that of their multiples (`xt.sum`). Loops that may not
    have the registers for it stay. Vectors are carried in blocks of as many registers as products have, for one piece of assembly.
    """
    found = [each for op in module.find(scf.For) for each in _sums(op)]
    if not found:
        return module
    block = max(m for mma in target.mma for m in mma.m)
    written, early = (
        fullness(module.kernel, target),
        _fullness_with_early_loads(module, target, {each.loop.body for each in found}),
    )
    for each in found:
        body = each.loop.body
        if written.get(body, 0) < SPARSE or (early.get(body, 0) > OVERFULL and _keeps_order(each.loop, target)):
            each.rewrite(block)
    return module


def _fullness_with_early_loads(module: GpuModule, target: Target, blocks: Iterable[Block]) -> Mapping[Block, float]:
    """What share of the registers blocks need whose loads stand as early as they may, wherever they are written."""
    rewrite, orders = Rewriter(), {block: tuple(block.ops) for block in blocks}
    for block, ops in orders.items():
        rewrite.set_block(block, _with_early_loads(ops))
    found = fullness(module.kernel, target)
    for block, ops in orders.items():
        rewrite.set_block(block, ops)
    return found


def _with_early_loads(ops: Iterable[Op]) -> list[Op]:
    found: list[Op] = []
    for op in ops:
        at = len(found)
        if isinstance(op, xegpu.LoadNd):
            needed = {value.op for value in op.operands}
            while at and not (found[at - 1] in needed or found[at - 1].acts or isinstance(found[at - 1], xegpu.LoadNd)):
                at -= 1
        found.insert(at, op)
    return found


def _keeps_order(loop: scf.For, target: Target) -> bool:
    """Whether IGC takes about the registers for a loop that it needs as it is written.

    Comparisons, choices, functions that it expands, and what subgroups exchange it puts in an order of its own; and where loads have
    headers in registers of their own, floats that are made of places.
    """
    reordered: tuple[type[Op], ...] = (xegpu.StoreMatrix, arith.Select, arith.CmpI, arith.CmpF)
    if not target.block_offsets:
        reordered = (*reordered, arith.SIToFP)
    return not any(
        isinstance(op, reordered) or (isinstance(op, math.Function) and not isinstance(op, math.Exp2))
        for op in loop.body.ops
        if not op.results or isinstance(op.results[0].type, VectorType)
    )


@dataclass(frozen=True)
class _Sum:
    """What a loop carries at a position: sums of rows, one in each lane, to which `added` adds in each iteration.

    scaled   the product of what is carried with a number of each row; None where there is none.
    """

    loop: scf.For
    position: int
    added: Op
    reduce: xetile.ReduceLines
    scaled: arith.Binary | None

    def rewrite(self, block: int) -> None:
        """Carry the lanes' sums in its place, in vectors of `block` numbers."""
        rewrite, loop, lines = Rewriter(), self.loop, self.reduce.source.type
        with rewrite.before(loop), rewrite.located(self.added.loc):
            start = _apart(rewrite, loop.init[self.position], lines)
        with rewrite.before(self.added):
            factor = None if self.scaled is None else _of_rows(rewrite, self._factor(self.scaled), lines)
        parts = []
        for at in range(0, lines.shape[0], block):
            with rewrite.before(loop), rewrite.located(self.added.loc):
                so_far = carry(loop, _cut(rewrite, start, at, block), "")
            with rewrite.before(self.added):
                own = _cut(rewrite, self.reduce.source, at, block)
                if factor is None:
                    total = rewrite(arith.AddF, so_far, own)
                else:
                    total = rewrite(math.Fma, so_far, _cut(rewrite, factor, at, block), own)
            give(loop, total)
            parts.append(loop.results[-1])
        self._take(rewrite, parts)

    def _factor(self, scaled: arith.Binary) -> Value:
        carried = self.loop.body.args[self.position + 1]
        return scaled.operands[1] if scaled.operands[0] is carried else scaled.operands[0]

    def _take(self, rewrite: Rewriter, parts: list[Value]) -> None:
        """Add up what the lanes have behind the loop, and carry rows' sums no more."""
        loop, position, lines = self.loop, self.position, self.reduce.source.type
        with rewrite.after(parts[-1]), rewrite.located(self.added.loc):
            whole: Value = rewrite(arith.Constant, value=0.0, result=lines)
            at = 0
            for part in parts:
                whole = rewrite(vector.InsertStridedSlice, part, whole, offsets=(at,), strides=(1,), result=lines)
                at += part.type.shape[0]  # type: ignore[attr-defined]
            total = rewrite(xetile.ReduceLines, whole, kind="add")
        rewrite.replace_uses(loop.results[position], total)
        rewrite.set_operand(loop.body.terminator, position, loop.body.args[position + 1])
        for op in (self.added, self.reduce, self.scaled):
            if op is not None:
                rewrite.erase(op)
        drop(loop, position)


def _sums(loop: scf.For) -> Iterator[_Sum]:
    """The last first, so that positions stay as they are found."""
    for position in reversed(range(len(loop.results))):
        found = _sum_at(loop, position)
        if found is not None:
            yield found


def _sum_at(loop: scf.For, position: int) -> _Sum | None:
    carried, added = loop.body.args[position + 1], loop.body.terminator.operands[position].op
    if (
        not isinstance(added, arith.AddF)
        or added.parent is not loop.body
        or not (added.result.has_one_use and carried.has_one_use)
    ):
        return None
    for value, other in (added.operands, added.operands[::-1]):
        reduce, scaled = value.op, other.op
        if not isinstance(reduce, xetile.ReduceLines) or reduce.kind != "add" or not value.has_one_use:
            continue
        if other is carried:
            return _Sum(loop, position, added, reduce, None)
        if isinstance(scaled, arith.MulF) and other.has_one_use and carried in scaled.operands:
            return _Sum(loop, position, added, reduce, scaled)
    return None


def _apart(build: Builder, sums: Value, lines: VectorType) -> Value:
    """Numbers of which those of all lanes add up to these sums: what another loop has added up, or the sums in the first lane."""
    if isinstance(sums.op, xetile.ReduceLines) and sums.op.kind == "add":
        return sums.op.source
    nothing: Value = build(arith.Constant, value=0.0, result=lines)
    if constant_of(sums) == 0:
        return nothing
    first = build(arith.CmpI, build(gpu.LaneId), index(build, 0), predicate="eq")
    here = build(vector.Broadcast, first, result=VectorType(lines.shape, I1))
    chosen: Value = build(arith.Select, here, _of_rows(build, sums, lines), nothing)
    return chosen


def _of_rows(build: Builder, numbers: Value, lines: VectorType) -> Value:
    """The number that lane l has, in line l of all lanes."""
    number, size = build(vector.Extract, numbers, position=(0,)), lines.shape[0]
    lanes = build(arith.Constant, value=size, result=I32)

    def of_lane(row: int) -> Value:
        lane = build(arith.Constant, value=row, result=I32)
        shuffled: Value = build.op(gpu.Shuffle, number, lane, lanes, mode="idx").results[0]
        return shuffled

    spread: Value = build(vector.Broadcast, of_lane(0), result=lines)
    for row in range(1, size):
        spread = build(vector.Insert, of_lane(row), spread, position=(row,))
    return spread


def _cut(build: Builder, value: Value, at: int, size: int) -> Value:
    cut: Value = build(vector.ExtractStridedSlice, value, offsets=(at,), sizes=(size,), strides=(1,))
    return cut

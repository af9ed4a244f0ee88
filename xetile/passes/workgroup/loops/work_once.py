"""Operands of products in loops that several subgroups would work out alike: each subgroup works out a part of them, for all.

What a subgroup has worked out lies in shared local memory as registers have it, in blocks of DPAS: block messages store and load whole
registers. Two halves of a buffer alternate, so that one barrier an iteration suffices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from xetile.dialects import arith, gpu, scf, xetile
from xetile.dialects.effects import written_arguments
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import F8E4M3FN, MemRefType, VectorType, element_of
from xetile.dialects.vector import is_one_number
from xetile.estimate.work import instructions_of
from xetile.ir import analyses
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.interfaces import enclosing, runs_again
from xetile.ir.rewriter import Rewriter
from xetile.layout import BlockOrder, Layout
from xetile.passes.analysis.block_access import BlockAccess
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.analysis.products import mma_types
from xetile.passes.common.carry import carry, give
from xetile.passes.common.numbers import index
from xetile.passes.common.slm import SLM, bytes_of
from xetile.passes.workgroup.layouts.choose import Traffic, choose_plain
from xetile.passes.workgroup.layouts.plan import LayoutPlan
from xetile.passes.workgroup.layouts.planned import layout_plan
from xetile.passes.workgroup.layouts.rules import operand_layouts, shape_of
from xetile.records import dataclass
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES

CODES = {F8E4M3FN: 1}
"""Instructions for a register of numbers more than one, where they are converted from such."""
GAIN = 1.25
"""How many times fewer instructions it must take: a barrier makes subgroups wait for each other."""
HALVES = 2


def work_once(module: GpuModule, target: Target) -> GpuModule:
    """Let a workgroup work operands of products in loops out together, where that takes fewer instructions.

    Before and after: workgroup-level xetile. Operands that come as they are loaded stay on their way. Nothing changes for targets without
    block messages, for operands whose maps the user gives, and where not all subgroups run a loop.
    """
    if target.block2d is None or not module.has(xetile.TileMma) or module.has(gpu.SubgroupId):
        return module
    if any(isinstance(op, (gpu.BarrierArrive, gpu.BarrierWait)) for op in module.walk()):
        return module  # no other barrier may stand between the halves of a split one
    plan = layout_plan(module, target)
    groups = list(_Finder(module, plan, target).groups())
    for loop in dict.fromkeys(group.loop for group in groups):
        _exchange(loop, [group for group in groups if group.loop is loop])
    if groups:
        module.kernel.attributes["num_subgroups"] = plan.num_subgroups
    return module


@dataclass(frozen=True)
class _Operand:
    """What products of a loop take in one role, and how subgroups share it.

    pack     rows that share a word of the buffer; share: the part that each subgroup works out.
    block    of DPAS; halves: of the buffer, one or two.
    saved    instructions of a subgroup, but for a barrier.
    """

    value: Value
    uses: tuple[tuple[Op, int], ...]
    pack: int
    block: tuple[int, int]
    share: Layout
    saved: float = 0
    halves: int = HALVES

    @property
    def memory(self) -> MemRefType:
        """The buffer's type: its halves, one below the other."""
        rows, columns = shape_of(self.value)
        order = BlockOrder((self.halves * rows, self.block[1]), self.pack)
        return MemRefType((self.halves * rows, columns), element_of(self.value.type), None, SLM, order=order)

    def half(self, build: Rewriter, buffer: Value, phase: Value, share: Layout | None) -> Value:
        """The tile of a half of the buffer."""
        rows, columns = shape_of(self.value)
        places = (
            [build(arith.MulI, phase, index(build, rows if self.halves > 1 else 0)), index(build, 0)],
            [index(build, self.halves * rows), index(build, columns)],
            [index(build, columns), index(build, 1)],
        )
        kind = xetile.TileType((rows, columns), element_of(self.value.type), share, (1, 0), space=SLM)
        made: Value = build(xetile.InitTile, buffer, *places, result=kind)
        return made


@dataclass(frozen=True)
class _Group:
    """Operands of a loop that are there before the first product that takes one of them: one barrier serves all."""

    loop: Any
    before: Op
    operands: list[_Operand]


def _exchange(loop: Any, groups: Sequence[_Group]) -> None:
    """Let operands of a loop go through shared memory."""
    build = Rewriter()
    buffers: dict[Value, Value] = {}
    with build.before(loop):
        for group in groups:
            buffers.update({o.value: build(gpu.Alloca, result=o.memory) for o in group.operands})
        if runs_again(loop):
            build.op(gpu.Barrier)  # the last iterations of the time before may still read
        zero = index(build, 0)
    phase = carry(loop, zero, "phase")
    for group in groups:
        with build.before(group.before), build.located(group.before.loc):
            if any(operand.halves == 1 for operand in group.operands):
                build.op(gpu.Barrier)  # the iteration before may still read
            for operand in group.operands:
                build.op(xetile.StoreTile, operand.value, operand.half(build, buffers[operand.value], phase, operand.share))
            build.op(gpu.Barrier)
            for operand in group.operands:
                half = operand.half(build, buffers[operand.value], phase, None)
                # What the next instructions take would wait in registers.
                read = build(xetile.LoadTile, half, padding=0, inst_data=operand.block if operand.pack > 1 else None)
                for op, position in operand.uses:
                    build.set_operand(op, position, read)
    with build.before(loop.body.terminator):
        after = build(arith.SubI, index(build, HALVES - 1), phase)
    give(loop, after)


class _Finder:
    """Looks for operands that had better be worked out once."""

    def __init__(self, module: GpuModule, plan: LayoutPlan, target: Target) -> None:
        self.module = module
        self.plan = plan
        self.target = target
        self.numbers = analyses.get(Numbers, module.kernel)
        self.access = analyses.get(BlockAccess, module, target)
        self.written = written_arguments(module)  # what subgroups store, only they may load without a barrier
        self.budget = target.slm_bytes // 2 - sum(bytes_of(op.result.type) for op in module.find(gpu.Alloca))

    def groups(self) -> Iterator[_Group]:
        """The operands of each loop, as many as half of shared local memory holds: those of one workgroup run beside another's."""
        for loop in self.module.find(scf.For):
            products = [op for op in loop.body.ops if isinstance(op, xetile.TileMma)]
            if not products or self.numbers.diverge((loop, *enclosing(loop))):
                continue
            yield from self._in_time(loop, self._operands(loop, products))

    def _in_time(self, loop: Any, operands: Sequence[_Operand]) -> Iterator[_Group]:
        place = {op: number for number, op in enumerate(loop.body.ops)}
        left = sorted(operands, key=lambda o: min(place[op] for op, _ in o.uses))
        while left:
            before = min((op for op, _ in left[0].uses), key=lambda op: place[op])
            here = [o for o in left if o.value.op is not None and place[o.value.op] < place[before]]
            left = [o for o in left if o not in here]
            kept, barriers = self._fitting(here)
            if sum(o.saved for o in kept) > barriers * self.target.barrier_instructions * GAIN:
                self.budget -= sum(bytes_of(o.memory) for o in kept)
                yield _Group(loop, before, kept)

    def _fitting(self, operands: Sequence[_Operand]) -> tuple[list[_Operand], int]:
        """Those that save most of what fits into shared memory, and how many barriers they take: twice as many with a buffer alone."""
        found = [(self._most([replace(o, halves=halves) for o in operands]), HALVES // halves) for halves in (HALVES, 1)]
        return max(found, key=lambda each: sum(o.saved for o in each[0]) - each[1] * self.target.barrier_instructions)

    def _most(self, operands: Sequence[_Operand]) -> list[_Operand]:
        left, kept = self.budget, set[Value]()
        for operand in sorted(operands, key=lambda o: -o.saved):
            if bytes_of(operand.memory) <= left:
                left -= bytes_of(operand.memory)
                kept.add(operand.value)
        return [operand for operand in operands if operand.value in kept]

    def _operands(self, loop: Any, products: Sequence[xetile.TileMma]) -> list[_Operand]:
        values = dict.fromkeys((value, role) for op in products for role, value in enumerate((op.a, op.b)))
        found = [operand for value, role in values if (operand := self._operand(value, role, loop)) is not None]
        shared = {operand.value for operand in found}
        return [operand for operand in found if self._is_all(operand.value, shared)]

    def _is_all(self, value: Value, shared: set[Value]) -> bool:
        """Whether nothing else takes what has an operand's layout: all is worked out once, or all by each subgroup."""
        for node in self.plan.graph.members[self.plan.graph.root(value)]:
            uses = node.uses if isinstance(node, Value) else ()
            if isinstance(node, Op) or any(
                not isinstance(op, Elementwise) and not _takes(op, at, node, shared) for op, at in uses
            ):
                return False
        return True

    def _operand(self, value: Value, role: int, loop: Any) -> _Operand | None:
        uses, made = tuple((op, at) for op, at in value.uses if isinstance(op, xetile.TileMma)), value.op
        alike = all(at == role and op.parent is loop.body for op, at in uses)
        mma = self.target.find_mma(*mma_types(uses[0][0]))
        size = element_bytes(element_of(value.type))
        if made is None or made.parent is not loop.body or not alike or mma is None or not 1 < size < WORD_BYTES:
            return None
        graph = self.plan.graph
        results = {self.plan.layout(op.results[0]) for op, _ in uses}
        own = operand_layouts(uses[0][0], *results)[role] if len(results) == 1 else None
        chain = _chain(value, loop)
        loads: list[Any] = [v.op for v in chain if isinstance(v.op, xetile.LoadTile)]
        narrow = any(element_bytes(element_of(load.value.type)) < size for load in loads)
        written = any(start.base in self.written for load in loads for start in self.access.made_by(load.tile))
        if (
            not narrow
            or written
            or own is None
            or value in graph.cheap
            or any(graph.pin(v) for v in chain if v not in graph.cheap)
        ):
            return None
        block = (max(mma.m), mma.k) if role == 0 else (mma.k, mma.n)
        share = self._share(shape_of(value), block, loads)
        if share is None:
            return None
        pack = 1 if role == 0 else WORD_BYTES // size
        return self._counted(_Operand(value, uses, pack, block, share), own, chain, role)

    def _share(self, shape: tuple[int, int], block: tuple[int, int], loads: Sequence[Any]) -> Layout | None:
        """Whole blocks of an operand for each subgroup, in the fewest messages; None where there are none."""
        if any(n % part for n, part in zip(shape, block)):
            return None
        traffic = [Traffic("load" if load.tile.type.order == (1, 0) else "transpose", element_bytes(element_of(load.value.type)))
                   for load in loads if shape_of(load.value) == shape]  # fmt: skip
        found = choose_plain(shape, self.plan.num_subgroups, self.target, traffic=traffic, block=block)
        return None if any(n % part for n, part in zip(found.sg_data, block)) else found

    def _counted(self, operand: _Operand, own: Any, chain: Sequence[Value], role: int) -> _Operand | None:
        """The operand with what is saved by it, if that is enough."""
        whole = prod(shape_of(operand.value))
        size = element_bytes(element_of(operand.value.type))
        taken, part = prod(own.sg_data), prod(operand.share.sg_data)
        work = sum(_instructions(v.op, self.target) for v in chain if v.op is not None and v not in self.plan.graph.cheap)
        message = self.target.slm_operand_bytes if role else self.target.slm_block_bytes
        messages = -(-part * size // message) - (-taken * size // message)
        once = work * part / whole + self.target.slm_message_instructions * messages
        alone = work * taken / whole
        return replace(operand, saved=alone - once) if once * GAIN < alone else None


def _takes(op: Op, position: int, value: Value, shared: set[Value]) -> bool:
    """Whether an op takes an operand that subgroups share."""
    return isinstance(op, xetile.TileMma) and position < 2 and value in shared


def _instructions(op: Op, target: Target) -> float:
    """Those of all of an op's result, on whole registers."""
    if isinstance(op, (xetile.LoadTile, xetile.TileBroadcast)) or not isinstance(op.results[0].type, VectorType):
        return 0
    widened = [v for v in op.operands if isinstance(v.op, (arith.SIToFP, arith.UIToFP))]
    if isinstance(op, (arith.AddF, arith.SubF)) and widened and any(map(is_one_number, op.operands)):
        return 0  # bytes are widened and added to by the same instructions
    element = element_of(op.results[0].type)
    numbers = prod(shape_of(op.results[0]))
    registers = numbers * max(element.bits, 8) / 8 / target.grf_bytes
    codes = CODES.get(element_of(op.operands[0].type), 0) if op.operands else 0
    return registers * instructions_of(op) + codes * numbers * 2 / target.grf_bytes


def _chain(value: Value, loop: Any) -> list[Value]:
    """What a value is worked out from in an iteration, down to loads; empty where some of it comes from something else, as products."""
    found, queue = {value: None}, [value]
    while queue:
        op: Any = queue.pop().op
        if isinstance(op, xetile.LoadTile):
            if op.tile.type.space:
                return []
            continue
        if not isinstance(op, (Elementwise, xetile.TileBroadcast)):
            return []
        for v in op.operands:
            inside = v.op is not None and v.op.parent is loop.body and not is_one_number(v)
            if isinstance(v.type, VectorType) and v not in found and inside:
                found[v] = None
                queue.append(v)
    return list(found)

"""Operands of products in loops that several subgroups would work out alike: each subgroup works out a part of them, for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from xetile.dialects import arith, gpu, scf, xetile
from xetile.dialects.effects import written_arguments
from xetile.dialects.gpu import GpuModule
from xetile.dialects.tables import LookUp
from xetile.dialects.types import F8E4M3FN, VectorType, element_of
from xetile.dialects.vector import is_one_number
from xetile.estimate.work import instructions_of
from xetile.ir import analyses
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.interfaces import enclosing
from xetile.ir.reach import reached
from xetile.layout import Layout
from xetile.passes.analysis.block_access import BlockAccess
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.analysis.products import mma_types
from xetile.passes.common.slm import bytes_of
from xetile.passes.workgroup.layouts.choose import Traffic, choose_plain
from xetile.passes.workgroup.layouts.plan import LayoutPlan
from xetile.passes.workgroup.layouts.planned import layout_plan
from xetile.passes.workgroup.layouts.rules import operand_layouts, shape_of
from xetile.passes.workgroup.loops.pipelining import PHASES, Part, Schedule, software_pipeline
from xetile.passes.workgroup.loops.worked_operand import WorkedOperand
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES

CODES = {F8E4M3FN: 2}
"""Clocks for a register of numbers more than one, where they are converted from such."""
GAIN = 1.15
"""How many times fewer clocks it must take: a barrier makes subgroups wait for each other."""
MOST = 0.5
"""The share of what subgroups work out that must go away by it: the rest they work out at the same time, behind the barrier."""
BY_TURNS: tuple[Part, ...] = ("fetch", "wait", "use", "store")
"""What the next iteration takes is loaded, and worked out, while this one multiplies (`work_between_products`)."""
ALONE: tuple[Part, ...] = ("fetch", "wait", "use", "wait", "store")
"""Where there is no room for another half of a buffer."""


def work_once(module: GpuModule, target: Target) -> GpuModule:
    """Let a workgroup work operands of products in loops out together, where that takes less time.

    Before and after: workgroup-level xetile. In each iteration a subgroup works out its part of what the next one takes. Operands that come
    as they are loaded stay on their way. Nothing changes for targets without block messages, for operands whose maps the user gives, where
    not all subgroups run a loop, and for what does not follow from arrays that nobody writes and from what an iteration is given.
    """
    if target.block2d is None or not module.has(xetile.TileMma) or module.has(gpu.SubgroupId):
        return module
    if any(isinstance(op, (gpu.BarrierArrive, gpu.BarrierWait)) for op in module.walk()):
        return module  # no other barrier may stand between the halves of a split one
    plan = layout_plan(module, target)
    found = _Finder(module, plan, target).loops()
    for loop, operands in reversed(found.items()):  # inner loops first: outer ones are copied with what is in them
        streams = [replace(operand, buffer=operand.alloca(loop)) for operand in operands]
        alone = any(operand.halves == 1 for operand in operands)
        software_pipeline(loop, Schedule(streams, ALONE if alone else BY_TURNS, carried=False))
    if found:
        module.kernel.attributes["num_subgroups"] = plan.num_subgroups
    return module


class _Finder:
    """Looks for operands that had better be worked out once."""

    def __init__(self, module: GpuModule, plan: LayoutPlan, target: Target) -> None:
        self.module = module
        self.plan = plan
        self.target = target
        self.numbers = analyses.get(Numbers, module.kernel)
        self.access = analyses.get(BlockAccess, module, target)
        self.written = written_arguments(module)  # what subgroups store, only they may load without a barrier
        # A workgroup that fills a core has all of its shared memory; smaller ones run beside each other.
        fills = plan.num_subgroups * 2 > target.max_subgroups(target.most_registers)
        self.budget = target.slm_bytes // (1 if fills else 2) - sum(bytes_of(op.result.type) for op in module.find(gpu.Alloca))

    def loops(self) -> dict[scf.For, list[WorkedOperand]]:
        """The operands of each loop, as many as shared local memory holds."""
        found: dict[scf.For, list[WorkedOperand]] = {}
        for loop in self.module.find(scf.For):
            products = [op for op in loop.body.ops if isinstance(op, xetile.TileMma)]
            if not products or self.numbers.diverge((loop, *enclosing(loop))):
                continue
            worked, multiplied = self._clocks_of(loop, products)
            if worked < multiplied:
                continue
            kept, barriers = self._fitting(self._operands(loop, products))
            saved = sum(o.saved for o in kept) - barriers * self.target.barrier_instructions
            enough = saved > worked * MOST and (barriers == 1 or worked > multiplied * GAIN)
            if enough and _are_small(kept):
                self.budget -= sum(bytes_of(o.memory) for o in kept)
                found[loop] = kept
        return found

    def _clocks_of(self, loop: Any, products: Sequence[xetile.TileMma]) -> tuple[float, float]:
        """Clocks of a subgroup that works all of its operands out, and of its products. Where subgroups do not wait for each other some work
        out while others multiply: what takes less time takes none (both of f8e5m2 on bmg: 86 clocks a DPAS by turns, 64 so).
        """
        rates, engines = dict(self.target.roofline.matrix_ops_per_clock), self.target.engines_per_core or 1
        matrix = sum(2 * self._part(op.result) * shape_of(op.a)[1] / rates.get(mma_types(op)[0], 1) for op in products)
        shares: dict[Value, float] = {}  # of what an operand is worked out from as much as of the operand
        for op in products:
            for value, own in zip((op.a, op.b), operand_layouts(op, self.plan.layout(op.result))):
                for v in _chain(value, loop) if own is not None else ():
                    shares[v] = max(shares.get(v, 0), prod(own.sg_data) / prod(shape_of(value)))  # type: ignore[union-attr]
        worked = 0.0
        for op in loop.body.ops:
            made = op.results[0] if isinstance(op, Elementwise) else None
            if made is not None and made.users and isinstance(made.type, VectorType) and made not in self.plan.graph.cheap:
                worked += _clocks(op, self.target) * (shares.get(made) or self._part(made) / prod(shape_of(made)))
        return worked, matrix * engines

    def _part(self, value: Value) -> int:
        """How many elements of a value a subgroup has."""
        return prod(self.plan.layout(value).sg_data)

    def _fitting(self, operands: Sequence[WorkedOperand]) -> tuple[list[WorkedOperand], int]:
        """Those that save most of what fits into shared memory, and how many barriers they take: twice as many with a buffer alone."""
        found = [(self._most([replace(o, halves=halves) for o in operands]), PHASES // halves) for halves in (PHASES, 1)]
        return max(found, key=lambda each: sum(o.saved for o in each[0]) - each[1] * self.target.barrier_instructions)

    def _most(self, operands: Sequence[WorkedOperand]) -> list[WorkedOperand]:
        left, kept = self.budget, set[Value]()
        for operand in sorted(operands, key=lambda o: -o.saved):
            if bytes_of(operand.memory) <= left:
                left -= bytes_of(operand.memory)
                kept.add(operand.value)
        return [operand for operand in operands if operand.value in kept]

    def _operands(self, loop: Any, products: Sequence[xetile.TileMma]) -> list[WorkedOperand]:
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

    def _operand(self, value: Value, role: int, loop: Any) -> WorkedOperand | None:
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
        if (
            own is None
            or not self._comes_ahead(value, loop)
            or value in graph.cheap
            or any(graph.pin(v) for v in chain if v not in graph.cheap)
        ):
            return None
        block = (max(mma.m), mma.k) if role == 0 else (mma.k, mma.n)
        share = self._share(shape_of(value), block, loads)
        if share is None:
            return None
        pack = 1 if role == 0 else WORD_BYTES // size
        return self._counted(WorkedOperand(value, tuple(load.value for load in loads), pack, block, share), own, chain, role)

    def _comes_ahead(self, value: Value, loop: Any) -> bool:
        """Whether a value of the next iteration follows from what this one is given, and from arrays that nobody writes."""
        body, given = loop.body, loop.body.terminator.operands

        def made_of(value: Value) -> Sequence[Value]:
            if value.owner is body:
                return [given[value.index - 1]] if value.index else []
            return value.op.operands if value.op is not None and value.op.parent is body else ()

        return all(
            not isinstance(v.type, VectorType) if v.owner is body else self._is_steady(v.op)
            for v in reached([value], made_of)
            if v.owner is body or (v.op is not None and v.op.parent is body)
        )

    def _is_steady(self, op: Any) -> bool:
        """Whether an op gives the same in an iteration before."""
        if isinstance(op, xetile.LoadTile):
            return not op.tile.type.space and all(start.base not in self.written for start in self.access.made_by(op.tile))
        return bool(op.pure) and not op.regions

    def _share(self, shape: tuple[int, int], block: tuple[int, int], loads: Sequence[Any]) -> Layout | None:
        """Whole blocks of an operand for each subgroup, in the fewest messages; None where there are none."""
        if any(n % part for n, part in zip(shape, block)):
            return None
        traffic = [Traffic("load" if load.tile.type.order == (1, 0) else "transpose", element_bytes(element_of(load.value.type)))
                   for load in loads if shape_of(load.value) == shape]  # fmt: skip
        found = choose_plain(shape, self.plan.num_subgroups, self.target, traffic=traffic, block=block)
        return None if any(n % part for n, part in zip(found.sg_data, block)) else found

    def _counted(self, operand: WorkedOperand, own: Any, chain: Sequence[Value], role: int) -> WorkedOperand | None:
        """The operand with what is saved by it, if that is anything. What is worked out for the next iteration is worked out while DPAS
        works, as messages are stored; what is loaded is waited for.
        """
        whole = prod(shape_of(operand.value))
        size = element_bytes(element_of(operand.value.type))
        taken, part = prod(own.sg_data), prod(operand.share.sg_data)
        work = sum(_clocks(v.op, self.target) for v in chain if v.op is not None and v not in self.plan.graph.cheap)
        message = self.target.slm_operand_bytes if role else self.target.slm_block_bytes
        reads = self.target.slm_message_instructions * -(-taken * size // message)
        alone = work * taken / whole
        return replace(operand, saved=alone - reads) if work and part < taken and reads * GAIN < alone else None


def _are_small(operands: Sequence[WorkedOperand]) -> bool:
    """Whether what is loaded for the next iteration takes no more registers than what is worked out of it: it waits in them."""
    loads = dict.fromkeys(load for operand in operands for load in operand.loads)
    return sum(map(_bytes, loads)) <= sum(_bytes(operand.value) for operand in operands)


def _bytes(value: Value) -> int:
    return prod(shape_of(value)) * max(1, element_bytes(element_of(value.type)))


def _takes(op: Op, position: int, value: Value, shared: set[Value]) -> bool:
    """Whether an op takes an operand that subgroups share."""
    return isinstance(op, xetile.TileMma) and position < 2 and value in shared


def _clocks(op: Op, target: Target) -> float:
    """Those of all of an op's result: one for each register that an instruction takes or gives."""
    if isinstance(op, (xetile.LoadTile, xetile.TileBroadcast)) or not isinstance(op.results[0].type, VectorType):
        return 0
    widened = [v for v in op.operands if isinstance(v.op, (arith.SIToFP, arith.UIToFP))]
    if isinstance(op, (arith.AddF, arith.SubF)) and widened and any(map(is_one_number, op.operands)):
        return 0  # bytes are widened and added to by the same instructions
    widest = max(element_of(v.type).bits for v in (*op.results, *op.operands))
    numbers = prod(shape_of(op.results[0]))
    registers = numbers * max(widest, 8) / 8 / target.grf_bytes
    codes = CODES.get(element_of(op.operands[0].type), 0) if op.operands else 0
    return registers * instructions_of(op) + codes * numbers * 2 / target.grf_bytes


def _chain(value: Value, loop: Any) -> list[Value]:
    """What a value is worked out from in an iteration, down to loads; empty where some of it comes from something else, as products, and where
    something is looked up: that is assembly, which stands in one piece behind the products (nf4 on pvc: 4,452 clocks for 64 DPAS, 3,258 so).
    """
    found, queue = {value: None}, [value]
    while queue:
        op: Any = queue.pop().op
        if isinstance(op, xetile.LoadTile):
            if op.tile.type.space:
                return []
            continue
        if not isinstance(op, (Elementwise, xetile.TileBroadcast)) or isinstance(op, LookUp):
            return []
        for v in op.operands:
            inside = v.op is not None and v.op.parent is loop.body and not is_one_number(v)
            if isinstance(v.type, VectorType) and v not in found and inside:
                found[v] = None
                queue.append(v)
    return list(found)

"""First operands that memory holds by columns, through shared local memory: no message brings a column to the lanes as the matrix
unit takes it, and transposing it in registers costs a move for each row of each lane.

A subgroup loads its share of the next step's tile with columns packed in words: each lane then has a run of one row, and stores
it behind the others. All read whole rows from there, by block messages. Two halves of a buffer
alternate, so that one barrier an iteration suffices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from xetile.dialects import gpu, scf, xetile
from xetile.dialects.effects import written_arguments
from xetile.dialects.gpu import GpuModule
from xetile.ir import analyses
from xetile.ir.builder import Builder
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import enclosing
from xetile.layout import BlockOrder, Layout
from xetile.passes.analysis.block_access import BlockAccess
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.analysis.products import MmaTypes, mma_uses
from xetile.passes.analysis.recurrences import recurrence_of
from xetile.passes.common.carry import in_first_iteration
from xetile.passes.common.slm import bytes_of
from xetile.passes.workgroup.layouts.plan import LayoutPlan
from xetile.passes.workgroup.layouts.planned import layout_plan
from xetile.passes.workgroup.loops.pipelining import Iteration, Schedule, software_pipeline
from xetile.passes.workgroup.loops.staging import StagedTile
from xetile.records import dataclass
from xetile.target import Mma, Target
from xetile.target.blocks import WORD_BYTES, Kind


def stage_columns(module: GpuModule, target: Target) -> GpuModule:
    """Let a workgroup transpose column-major first operands of products in loops together, where that takes fewer instructions.

    Before and after: workgroup-level xetile. Nothing changes for targets without block messages, for tiles that these do not
    reach, and where not all subgroups run a loop.
    """
    if target.block2d is None or not any(_by_columns(op) and _is_first(mma_uses(op.results[0])) for op in module.walk()):
        return module
    plan = layout_plan(module, target)
    loops = _Finder(module, plan, target).loops()
    if not loops:
        return module
    for loop, staged in reversed(loops.items()):  # inner loops first: outer ones are copied with what is in them
        streams = [replace(tile, buffer=tile.alloca(loop)) for tile in staged]
        # Fetches before the barrier: nothing holds these loads back until the stores at the end.
        software_pipeline(loop, Schedule(streams, ("fetch", "wait", "use", "store")))
    module.kernel.attributes["num_subgroups"] = plan.num_subgroups
    return module


def _by_columns(op: Op) -> bool:
    return isinstance(op, xetile.LoadTile) and op.tile.type.order == (0, 1) and element_bytes(op.tile.type.element) <= WORD_BYTES


def _is_first(roles: set[tuple[str, MmaTypes] | None]) -> bool:
    """Whether products take a value as their first operand and nothing else takes it."""
    return {use and use[0] for use in roles} == {"a"} and len(roles) == 1


@dataclass(frozen=True)
class Columns(StagedTile):
    """The stream of a first operand that comes by columns. `start`: the init_tile that says where its memory is; `loop`: around it."""

    start: Any = None
    loop: Any = None

    def first(self, build: Builder, iteration: Iteration) -> Value:
        """Where the first iteration's tile is, in the subgroups' shares."""
        start = self.start
        parts = [[in_first_iteration(v, self.loop, build) for v in part] for part in (start.offsets, start.shape, start.strides)]
        return build(xetile.InitTile, start.base, *parts, result=replace(start.result.type, wg_map=self.wg_map))


class _Finder:
    """Looks for loops with operands to stage."""

    def __init__(self, module: GpuModule, plan: LayoutPlan, target: Target) -> None:
        self.module = module
        self.plan = plan
        self.target = target
        self.access = analyses.get(BlockAccess, module, target)
        self.numbers = analyses.get(Numbers, module.kernel)
        self.written = written_arguments(module)

    def loops(self) -> dict[scf.For, list[Columns]]:
        """The loops and their operands, as many as half of shared local memory holds."""
        ops = list(self.module.walk())
        if any(isinstance(op, (gpu.BarrierArrive, gpu.BarrierWait)) for op in ops):
            return {}  # no other barrier may stand between the halves of a split one
        # Half of it stays for values that change hands between subgroups: how many is not known yet.
        budget = self.target.slm_bytes // 2 - sum(bytes_of(op.result.type) for op in ops if isinstance(op, gpu.Alloca))
        found: dict[scf.For, list[Columns]] = {}
        for loop in [op for op in ops if isinstance(op, scf.For)]:
            if self.numbers.diverge((loop, *enclosing(loop))):
                continue
            for operand in self._operands(loop):
                if bytes_of(operand.memory) <= budget:
                    budget -= bytes_of(operand.memory)
                    found.setdefault(loop, []).append(operand)
        return found

    def _operands(self, loop: Any) -> Iterator[Columns]:
        for load in loop.body.ops:
            # Who says how large messages are, or what lies outside of the array, wants loads as they are.
            if not _by_columns(load) or load.padding or "inst_data" in load.attributes:
                continue
            found = recurrence_of(loop, load.tile)
            step = found.constant_step if found is not None and found.is_direct else None
            if found is None or step is None or found.start.base in self.written:  # what a step stores, the next one may load
                continue
            if self.access.reaches(found.start) and self.access.aligned(load.tile):
                operand = self._operand(loop, load, found.start, step)
                if operand is not None:
                    yield operand

    def _operand(self, loop: Any, load: Any, start: Any, step: tuple[int, int]) -> Columns | None:
        roles = mma_uses(load.value)
        if not _is_first(roles):
            return None
        mma = self.target.find_mma(*next(iter(roles))[1])  # type: ignore[index]
        if mma is None:
            return None
        size = element_bytes(load.tile.type.element)
        shared = share_columns(load.tile.type.shape, size, mma, self.plan.num_subgroups, self.target)
        product = next(op for op in load.value.users if isinstance(op, xetile.TileMma))
        rows = load.tile.type.shape[0] // self.plan.layout(product.result).sg_layout[0]
        if shared is None or not _pays(rows, load.tile.type.shape[1], size, shared, self.target):
            return None
        # The buffer is cut into strips as wide as DPAS is deep: in a strip, row follows row.
        order = BlockOrder((2 * load.tile.type.shape[0], mma.k))
        lanes = Layout(lane_layout=(self.target.subgroup_size, 1), lane_data=(1, mma.k))
        hints = {name: hint for name, hint in load.attributes.items() if name.endswith("_hint")}
        return Columns(load, step, order, shared, lanes, hints, start=start, loop=loop)


def share_columns(shape: tuple[int, int], elem_bytes: int, mma: Mma, subgroups: int, target: Target) -> Layout | None:
    """The smallest pieces, of the fewest messages, in which all subgroups load a tile; None where it does not come out even.

    A piece is rows for all lanes, and columns of whole matrix instructions; where there are fewer pieces than subgroups, several
    bring the same one. Wide pieces first: their rows in memory are longer.
    """
    candidates = []
    for down in (n for n in range(1, subgroups + 1) if subgroups % n == 0):
        across = subgroups // down
        rows, columns = max(shape[0] // down, target.subgroup_size), max(shape[1] // across, mma.k)
        if any(n % part or part % n_least for n, part, n_least in zip(shape, (rows, columns), (target.subgroup_size, mma.k))):
            continue
        if down % (shape[0] // rows) or across % (shape[1] // columns):
            continue
        messages = _loads(elem_bytes, columns, rows, target)
        if messages:
            candidates.append(((rows * columns, messages, down), Layout((down, across), (rows, columns))))
    return min(candidates, key=lambda c: c[0])[1] if candidates else None


def _loads(elem_bytes: int, rows: int, columns: int, target: Target) -> int:
    """Messages for a piece of memory that give each lane a column, in words; 0 if there are none."""
    assert target.block2d is not None
    kind: Kind = "transform" if elem_bytes < WORD_BYTES else "load"
    return len(target.block2d.plan(kind, elem_bytes, rows, columns, width=target.subgroup_size) or ())


def _pays(rows: int, columns: int, elem_bytes: int, shared: Layout, target: Target) -> bool:
    """Whether a subgroup that takes so many rows has less to do than with a move for each row of each lane.

    A message of shared memory counts twice, for its address.
    """
    moves = rows * columns // target.subgroup_size
    assert target.block2d is not None
    alone = moves + len(target.block2d.plan("transpose", WORD_BYTES, columns, rows * elem_bytes // WORD_BYTES) or ())
    run = target.run_bytes * target.subgroup_size
    stores = -(-shared.sg_data[0] * shared.sg_data[1] * elem_bytes // run)
    reads = -(-rows * columns * elem_bytes // target.slm_block_bytes)
    loads = _loads(elem_bytes, shared.sg_data[1], shared.sg_data[0], target)
    return target.barrier_instructions + loads + 2 * (stores + reads) < alone

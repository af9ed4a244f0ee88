"""First operands that memory holds by columns, through shared local memory: no message brings a column to the lanes as the matrix
unit takes it, and turning it in registers costs a move for each row of each lane.

A subgroup loads its share of the next step's tile with columns packed in words: each lane then has a run of one row, and stores
it behind the others. All read whole rows from there, by block messages. Two halves of a buffer take turns, so that one barrier a
step suffices: what a step reads was stored before its barrier, and is stored to again behind the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from xetile.dialects import arith, gpu, scf, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import INDEX
from xetile.ir.core import Block, Op, Value
from xetile.ir.dispatch import Table
from xetile.ir.interfaces import enclosing
from xetile.layout import BlockOrder, Layout
from xetile.passes.analysis import analyses
from xetile.passes.analysis.alias_classes import written_arguments
from xetile.passes.analysis.block_access import BlockAccess
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.divergence import Divergence
from xetile.passes.analysis.products import MmaTypes, mma_uses
from xetile.passes.analysis.recurrences import recurrence_of
from xetile.passes.common.slm import bytes_of, runs_again
from xetile.passes.workgroup.layouts.graph import Graph
from xetile.passes.workgroup.layouts.plan import Plan
from xetile.passes.workgroup.staging import Staging
from xetile.target import Mma, Target
from xetile.target.blocks import Kind

STAGE = Table()
WORD_BYTES = 4


def stage_columns(module: GpuModule, target: Target) -> GpuModule:
    """Let a workgroup turn column-major first operands of products in loops together, where that takes fewer instructions.

    Before and after: workgroup-level xetile. Nothing changes for targets without block messages, for tiles that these do not
    reach, and where not all subgroups run a loop.
    """
    if target.block2d is None or not any(_by_columns(op) and _is_first(mma_uses(op.results[0])) for op in module.walk()):
        return module
    plan = Plan(Graph(module), target)
    loops = _Finder(module, plan, target).loops()
    if not loops:
        return module
    result = Staging(STAGE, loops).convert_function(module, {"num_subgroups": plan.num_subgroups})
    assert isinstance(result, GpuModule)
    return result


def _by_columns(op: Any) -> bool:
    return isinstance(op, xetile.LoadTile) and op.tile.type.order == (0, 1) and element_bytes(op.tile.type.element) <= WORD_BYTES


def _is_first(roles: set[tuple[str, MmaTypes] | None]) -> bool:
    """Whether products take a value as their first operand and nothing else takes it."""
    return {use and use[0] for use in roles} == {"a"} and len(roles) == 1


@dataclass(frozen=True)
class Operand:
    """A tile that moves through a loop and is loaded for products: the load, where it starts, the move, who loads what."""

    load: Any
    start: Any
    step: tuple[int, int]
    wg_map: Layout
    lane_map: Layout
    depth: int

    @property
    def order(self) -> BlockOrder:
        """The buffer is cut into strips as wide as DPAS is deep: in a strip, row follows row."""
        return BlockOrder((2 * self.shape[0], self.depth))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the tile."""
        return self.load.tile.type.shape  # type: ignore[no-any-return]

    @property
    def bytes(self) -> int:
        """What both halves of the buffer take."""
        return 2 * self.shape[0] * self.shape[1] * element_bytes(self.load.tile.type.element)


class _Finder:
    """Looks for loops with operands to stage."""

    def __init__(self, module: GpuModule, plan: Plan, target: Target) -> None:
        self.module = module
        self.plan = plan
        self.target = target
        self.access = analyses.get(BlockAccess, module, target)
        self.divergence = analyses.get(Divergence, module.kernel)
        self.written = written_arguments(module)

    def loops(self) -> dict[Op, list[Operand]]:
        """The loops and their operands, as many as half of shared local memory holds."""
        ops = list(self.module.walk())
        if any(isinstance(op, (gpu.BarrierArrive, gpu.BarrierWait)) for op in ops):
            return {}  # no other barrier may stand between the halves of a split one
        # Half of it stays for values that change hands between subgroups: how many is not known yet.
        room = self.target.slm_bytes // 2 - sum(bytes_of(op.result.type) for op in ops if isinstance(op, gpu.Alloca))
        found: dict[Op, list[Operand]] = {}
        for loop in [op for op in ops if isinstance(op, scf.For)]:
            if any(self.divergence.divergent(op) for op in (loop, *enclosing(loop))):
                continue
            for operand in self._operands(loop):
                if operand.bytes <= room:
                    room -= operand.bytes
                    found.setdefault(loop, []).append(operand)
        return found

    def _operands(self, loop: Any) -> Iterator[Operand]:
        for load in loop.body.ops:
            # Who says how large messages are, or what lies outside of the array, wants loads as they are.
            if not _by_columns(load) or load.padding or "inst_data" in load.attributes:
                continue
            found = recurrence_of(loop, load.tile)
            step = found.constant_step if found is not None and found.is_direct else None
            if found is None or step is None or found.start.base in self.written:  # what a step stores, the next one may load
                continue
            if self.access.reaches(found.start) and self.access.aligned(load.tile):
                operand = self._operand(load, found.start, step)
                if operand is not None:
                    yield operand

    def _operand(self, load: Any, start: Any, step: tuple[int, int]) -> Operand | None:
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
        return Operand(load, start, step, shared, Layout(lane_layout=(self.target.subgroup_size, 1), lane_data=(1, mma.k)), mma.k)


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


@STAGE(scf.For)
def _for(op: Any, c: Staging) -> Any:
    staged = c.loops.get(op)
    if staged is None:
        return c.structure(op)
    if runs_again(op):
        c.build.op(gpu.Barrier)
    buffers = [c.buffer(o.load.tile.type, o.order) for o in staged]
    ahead = [_first(o, op, buffer, c) for o, buffer in zip(staged, buffers)]
    init = [c.one(v) for v in op.init]
    names = [*(a.name for a in op.body.args), *("ahead" for _ in staged), "read", "write"]
    body = Block([op.body.args[0].type, *(v.type for v in (*init, *ahead)), INDEX, INDEX], names)
    loop_args = [*init, *ahead, c.constant(0), c.constant(1)]
    with c.build.at(body):
        _step(op, staged, buffers, body, c)
    loop = c.build.op(scf.For, c.one(op.lower), c.one(op.upper), c.one(op.step), loop_args, regions=[body],
                      values=[v.type for v in loop_args], **c.kept(op))  # fmt: skip
    results = loop.results[: len(op.results)]
    return results[0] if len(results) == 1 else tuple(results)


def _first(o: Operand, loop: Any, buffer: Value, c: Staging) -> Value:
    """Bring the first step's tile to shared memory; gives the tile of the second."""
    start = o.start
    kind = replace(start.result.type, wg_map=o.wg_map)
    parts = [[_before(v, loop, c) for v in part] for part in (start.offsets, start.shape, start.strides)]
    tile = c.build(xetile.InitTile, c.one(start.base), *parts, result=kind)
    _store(o, _load(o, tile, c), buffer, c.constant(0), c)
    return _moved(o, tile, c)


def _before(value: Value, loop: Any, c: Staging) -> Value:
    """What a value is in the first step."""
    number = arith.constant_of(value)
    if isinstance(number, int):
        return c.constant(number)
    if value is loop.body.args[0]:
        return c.one(loop.lower)
    if value.op is not None and value.op.parent is loop.body:
        return c.build(arith.AddI, *(_before(v, loop, c) for v in value.op.operands))
    return c.one(value)


def _step(op: Any, staged: list[Operand], buffers: list[Value], body: Block, c: Staging) -> None:
    """The old loop's ops, with operands from shared memory, and the next tiles on their way there."""
    *old, read, write = body.args
    count = len(op.body.args)
    for before, after in zip(op.body.args, old):
        c[before] = after
    ahead = old[count:]
    # Before the barrier: nothing holds these loads back until the stores at the end.
    coming = [_load(o, tile, c) for o, tile in zip(staged, ahead)]
    c.build.op(gpu.Barrier)
    for o, buffer in zip(staged, buffers):
        c[o.load.value] = c.build(xetile.LoadTile, c.half(buffer, o.load.tile.type, read, o.load.tile.type.wg_map), padding=0)
    c.step(op, (o.load for o in staged))
    for o, value, buffer in zip(staged, coming, buffers):
        _store(o, value, buffer, write, c)
    moved = [_moved(o, tile, c) for o, tile in zip(staged, ahead)]
    turns = [c.build(arith.SubI, c.constant(1), turn) for turn in (read, write)]
    c.build.op(scf.Yield, [*(c.one(v) for v in op.body.terminator.operands), *moved, *turns])


def _load(o: Operand, tile: Value, c: Staging) -> Value:
    hints = {name: hint for name, hint in o.load.attributes.items() if name.endswith("_hint")}
    loaded: Value = c.build(xetile.LoadTile, tile, padding=0, lane_map=o.lane_map, **hints)
    return loaded


def _store(o: Operand, value: Value, buffer: Value, turn: Value, c: Staging) -> None:
    c.build.op(xetile.StoreTile, value, c.half(buffer, o.load.tile.type, turn, o.wg_map), lane_map=o.lane_map)


def _moved(o: Operand, tile: Value, c: Staging) -> Value:
    amounts = [c.constant(n) for n in o.step]
    moved: Value = c.build(xetile.UpdateTileOffset, tile, amounts)
    return moved

"""Operands of matrix loops through shared local memory, where no block message loads them: each element is read once by a workgroup,
and what is worked out of it is worked out once.

The tiles of the next iteration are loaded while this one is multiplied; two halves of a buffer alternate, so that one barrier an
iteration suffices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from xetile.dialects import arith, gpu, scf, vector, xetile
from xetile.dialects.effects import written_arguments
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import element_of
from xetile.ir import analyses
from xetile.ir.builder import Builder
from xetile.ir.core import UNIT, Block, Elementwise, Value, type_of
from xetile.ir.reach import reached
from xetile.layout import BlockOrder
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.products import mma_types
from xetile.passes.common.carry import in_first_iteration
from xetile.passes.common.numbers import index
from xetile.passes.common.slm import bytes_of
from xetile.passes.workgroup.layouts.planned import planned_subgroups
from xetile.passes.workgroup.loops.pack_turns import pack_turns
from xetile.passes.workgroup.loops.part_steps import part_steps
from xetile.passes.workgroup.loops.pick_rows import pick_rows
from xetile.passes.workgroup.loops.pipelining import PHASES, Schedule, software_pipeline
from xetile.passes.workgroup.loops.shared_buffers import SharedBuffers
from xetile.passes.workgroup.loops.shares import share
from xetile.passes.workgroup.loops.staging import StagedOperand
from xetile.passes.workgroup.loops.streams import streams
from xetile.passes.workgroup.loops.worked_out import as_taken, is_turned, role_of, worked_out
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES

_Staged = tuple[dict[scf.For, list[StagedOperand]], SharedBuffers]


def stage_operands(module: GpuModule, target: Target) -> GpuModule:
    """Let subgroups load operands of products in loops together, and exchange them through shared local memory.

    Before: workgroup-level xetile. After: the same; each such loop is two, one for the steps whose tiles lie inside their arrays, in
    wide messages and in pairs, one for the rest; all products are worked out as their transposes.
    What a loop works out of a load element by element is worked out by the subgroup that loads it, on the way to shared memory
    (`worked_out`), in words where its columns come by turns (`pack_turns`). Nothing changes for targets with block messages, and for
    kernels in which a product's tile does not fit.
    """
    if target.block2d is not None or not target.grf_modes or not _all_transpose(module, target):
        return module
    module, (loops, buffers) = _in_words(module, target) or (module, _staged_loops(module, target))
    if not loops:
        return module
    subgroups = planned_subgroups(module, target)
    pinned = {loop: [operand.pinned() for operand in staged] for loop, staged in loops.items()}
    for loop, staged in reversed(pinned.items()):  # inner loops first: outer ones are copied with what is in them
        software_pipeline(loop, _schedule(loop, staged, buffers.make(loop)), waits=buffers.had(loop))
    # In memory, rows of the first operand and words of the second's columns are what a lane takes of a transposed product.
    for op in module.find(xetile.TileMma):
        op.attributes["transposed"] = UNIT
    module.kernel.attributes["num_subgroups"] = subgroups
    return module


def _in_words(module: GpuModule, target: Target) -> tuple[GpuModule, _Staged] | None:
    """The module with operands by turns in words, if all of these are staged; copies of it show that.

    As they are, else with rows of second operands that registers pick, as where lanes hold columns.
    """
    for picks_rows in (False, True) if module.has(gpu.Alloca) else ():
        copy: Any = Builder(Block()).copy(module, {})
        if picks_rows:
            pick_rows(copy, target)
        packed = pack_turns(copy)
        if not packed:
            continue
        found = _staged_loops(copy, target)
        staged = {o.value for operands in found[0].values() for o in operands}
        if all(as_taken(words) in staged for words in packed) and _picks_words(copy, packed):
            return copy, found
    return None


def _picks_words(module: GpuModule, packed: Sequence[Value]) -> bool:
    """Whether registers pick nothing but rows of words that are staged: only lanes that load whole columns of a share can."""
    picked = set(reached(packed, lambda value: value.op.operands if isinstance(value.op, vector.Shuffle) else ()))
    return picked.issuperset(op.result for op in module.find(vector.Shuffle))


def _schedule(loop: Any, staged: Sequence[StagedOperand], buffers: Sequence[Value]) -> Schedule:
    """Iterations whose tiles are inside of their arrays in pairs, each with its half of the buffers at known addresses.

    The tiles of the others are copied when they are needed.
    """
    outside = [replace(o, buffer=buffer) for o, buffer in zip(staged, buffers)]
    inside = [replace(o, fetching={"inside": UNIT}) for o in outside]
    epilogue = Schedule(outside, ("fetch", "store", "wait", "use"), distance=0, carried=False)
    return Schedule(inside, ("wait", "fetch", "use", "store"), carried=False, unroll=PHASES,
                    loads=any(o.loads for o in staged), count=partial(_inside_steps, loop, staged), epilogue=epilogue)  # fmt: skip


def _all_transpose(module: GpuModule, target: Target) -> bool:
    products = module.find(xetile.TileMma)
    found = [target.find_mma(*mma_types(op)) for op in products]
    return bool(products) and all(
        mma is not None and mma.transposed() is not None and op.a.type.shape[0] % mma.n == 0 for op, mma in zip(products, found)
    )


def _staged_loops(module: GpuModule, target: Target) -> _Staged:
    """The loops and their operands, as many as shared local memory holds, and their buffers there."""
    kernel, classes = module.kernel, _alias_classes(module)
    arrays = {a for a, name in kernel.arrays.items() if name not in kernel.scattered}
    arrays -= written_arguments(module)  # what a step stores, the next one may load
    subgroups = planned_subgroups(module, target)
    can_be = {loop: list(_operands(loop, classes, arrays, subgroups, target)) for loop in module.find(scf.For)}
    # Half of it stays for operands that are worked out and change hands between subgroups.
    alone = {value for op in module.find(xetile.TileMma) for value in (op.a, op.b) if isinstance(value.op, Elementwise)}
    handed = bool(alone.difference(o.value for staged in can_be.values() for o in staged))
    left = target.slm_bytes // (1 + handed) - sum(bytes_of(op.result.type) for op in module.find(gpu.Alloca))
    buffers = SharedBuffers(left, sum(bytes_of(o.memory) for staged in can_be.values() for o in staged))
    found: dict[scf.For, list[StagedOperand]] = {}
    for loop, staged in can_be.items():
        if buffers.needs(loop, staged) > buffers.left and part_steps(loop, staged, target, buffers.left):
            return _staged_loops(module, target)  # again: how many subgroups share a tile follows from what it is
        if staged and buffers.needs(loop, staged) <= buffers.left:
            buffers.take(loop, staged)
            found[loop] = staged
    return found, buffers


def _operands(loop: Any, tiles: tuple[AliasClasses, dict[Value, list[Value]]], arrays: set[Value], subgroups: int,
              target: Target) -> Iterator[StagedOperand]:  # fmt: skip
    """The operands of a loop that can be staged."""
    classes, members = tiles
    known: set[Value] = set()  # what two loads are taken for, is staged with the first
    for stream in streams(loop, classes, arrays):
        load, step = stream.load, stream.step
        kind = type_of(stream.start, xetile.TileType)
        transposed = kind.order == (0, 1)
        values = worked_out(load, loop, arrays, exchanged=transposed)
        if not known.isdisjoint(values):
            continue
        known.update(values)
        for value in values:
            role, taken = str(role_of(value, load)), element_bytes(element_of(value.type))
            shape, moves = (kind.shape[::-1], (step[1], step[0])) if transposed else (kind.shape, step)
            seen = as_taken(value)
            turned = transposed or is_turned(seen)
            lying = {"a": "b", "b": "a"}[role] if turned else role  # as which operand memory has it
            if seen is not value and transposed:
                continue  # words hold neighbours in a row of memory
            sizes = element_bytes(kind.element), taken
            shared = share(
                shape, sizes, lying, subgroups, target, pieces=bool(moves[1])
            )  # of the depth, not of what is worked on
            if shared is not None:
                order, moved = _order(element_bytes(element_of(seen.type)), lying, target), members[classes.root(load.tile)]
                yield StagedOperand(load, moves, order, None, shared.lane_map, transposed=turned, loop=loop, start=stream.start,
                                    moved=moved, share=shared.wg_map, taken=value, seen=None if seen is value else seen)  # fmt: skip


def _order(elem_bytes: int, role: str, target: Target) -> BlockOrder:
    """Blocks of one transposed product, in each of which a lane reads one row of words: no two lanes read the same bank at a time.

    A word holds neighbours in a row of the first operand, and rows of one column of the second.
    """
    lanes, pack = target.subgroup_size, WORD_BYTES // elem_bytes
    return BlockOrder((lanes, lanes * pack)) if role == "a" else BlockOrder((lanes * pack, lanes), pack)


def _alias_classes(module: GpuModule) -> tuple[AliasClasses, dict[Value, list[Value]]]:
    """The alias classes of a kernel, and the tiles of each by its root."""
    classes = analyses.get(AliasClasses, module)
    every = {v: None for op in module.walk() for v in (*op.operands, *op.results)}
    every.update({a: None for op in module.walk() for block in op.regions for a in block.args})
    members: dict[Value, list[Value]] = {}
    for value in every:
        if isinstance(value.type, xetile.TileType):
            members.setdefault(classes.root(value), []).append(value)
    return classes, members


# How many iterations stay inside.


def _inside_steps(loop: scf.For, staged: Sequence[StagedOperand], build: Builder) -> Value:
    """Iterations at the loop's beginning whose tiles are inside the arrays; a multiple of the buffers' phases."""
    zero, phases = index(build, 0), index(build, PHASES)
    length = build(arith.MaxSI, build(arith.SubI, loop.upper, loop.lower), zero)
    steps = build(arith.CeilDivUI, length, loop.step)
    tiles = [(o.start.op, o.kind, o.step) for o in staged]
    tiles += [(start, start.result.type, step) for o in staged for start, step in o.beside.values()]
    for start, kind, step in dict.fromkeys(tiles):
        for d, delta in enumerate(step):
            if delta is not None and d + start.base.type.rank > 1:  # of an array of one axis all is one row
                steps = build(arith.MinSI, steps, _tiles_inside(start, loop, kind, d, delta, steps, build))
    return build(arith.MulI, build(arith.DivUI, steps, phases), phases)


def _tiles_inside(start: Any, loop: scf.For, kind: xetile.TileType, d: int, delta: int, steps: Value, build: Builder) -> Value:
    """How many of the tiles that moves of `delta` elements along a dimension meet lie inside of the array; at least `steps`."""
    zero, made = index(build, 0), start.parent is loop.body

    def first(value: Value) -> Value:
        return in_first_iteration(value, loop, build) if made else value

    offset, extent = first(list(start.offsets)[d - 2]), first(list(start.shape)[d - 2])
    left = build(arith.SubI, build(arith.SubI, extent, offset), index(build, kind.shape[d]))
    fits = build(arith.AndI, build(arith.CmpI, left, zero, predicate="sge"), build(arith.CmpI, offset, zero, predicate="sge"))
    words, across = WORD_BYTES // element_bytes(kind.element), kind.order[0]
    if d == across and words > 1 and kind.shape[d] > 1:
        beside = [first(stride) for i, stride in enumerate(start.strides) if i != len(start.strides) - 2 + across]
        for value in (offset, *(beside if start.base.type.rank > 1 else ())):
            odd = build(arith.RemUI, value, index(build, words))
            fits = build(arith.AndI, fits, build(arith.CmpI, odd, zero, predicate="eq"))
    count = steps
    if delta:
        left = build(arith.MaxSI, left, zero)
        count = build(arith.AddI, build(arith.DivUI, left, index(build, delta)), index(build, 1))
    return build(arith.Select, fits, count, zero)

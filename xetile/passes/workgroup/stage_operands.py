"""Operands of matrix loops through shared local memory, where no block message loads them: each element is read once by a workgroup.

The tiles of the next step are loaded while this one is multiplied; two halves of a buffer take turns, so that one barrier a step
suffices: what a step reads was stored before its barrier, and is stored to again behind the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from xetile.dialects import arith, gpu, scf, xetile
from xetile.dialects.gpu import GpuModule
from xetile.ir.core import UNIT, Block, Op, Value
from xetile.ir.dispatch import Table
from xetile.layout import BlockOrder
from xetile.passes.analysis import analyses
from xetile.passes.analysis.alias_classes import AliasClasses, written_arguments
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.products import mma_types, mma_uses
from xetile.passes.analysis.recurrences import Recurrence, recurrence_of
from xetile.passes.common.slm import bytes_of, runs_again
from xetile.passes.workgroup.layouts.graph import Graph
from xetile.passes.workgroup.layouts.plan import Plan
from xetile.passes.workgroup.shares import Shared, share
from xetile.passes.workgroup.staging import Staging
from xetile.target import Target

STAGE = Table()
WORD_BYTES = 4


def stage_operands(module: GpuModule, target: Target) -> GpuModule:
    """Let subgroups load operands of products in loops together, and exchange them through shared local memory.

    Before: workgroup-level xetile. After: the same; each such loop is two, one for the steps whose tiles lie inside their arrays, in
    wide messages and in pairs, one for the rest; all products are worked out as their transposes.
    Nothing changes for targets with block messages, and for kernels in which a product's tile does not fit.
    """
    if target.block2d is not None or not target.grf_modes or not _all_transpose(module, target):
        return module
    loops = _staged_loops(module, target)
    if not loops:
        return module
    for staged in loops.values():
        for operand in staged:
            operand.pin()
    result = Staging(STAGE, loops).convert_function(module, {"num_subgroups": _subgroups(module, target)})
    assert isinstance(result, GpuModule)
    return result


@dataclass
class Operand:
    """A tile that moves through a loop and is loaded for products: which carried value, the load, the move, who loads what."""

    position: int
    load: Any
    step: tuple[int, int]
    order: BlockOrder
    shared: Shared
    family: list[Value]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the tile."""
        return self.load.tile.type.shape  # type: ignore[no-any-return]

    def pin(self) -> None:
        """The subgroups' shares become part of the tile's type."""
        for tile in self.family:
            tile.set_type(replace(tile.type, wg_map=self.shared.wg_map))  # type: ignore[type-var]


def _all_transpose(module: GpuModule, target: Target) -> bool:
    products = [op for op in module.walk() if isinstance(op, xetile.TileMma)]
    found = [target.find_mma(*mma_types(op)) for op in products]
    return bool(products) and all(
        mma is not None and mma.transposed() is not None and op.a.type.shape[0] % mma.n == 0 for op, mma in zip(products, found)
    )


def _subgroups(module: GpuModule, target: Target) -> int:
    given = module.kernel.attributes.get("num_subgroups")
    return int(given) if given is not None else Plan(Graph(module), target).num_subgroups


def _staged_loops(module: GpuModule, target: Target) -> dict[Op, list[Operand]]:
    """The loops and their operands, as many as shared local memory holds."""
    kernel, families = module.kernel, _families(module)
    scattered = frozenset(kernel.attributes.get("scattered", ()))
    arrays = {a for a, spec in zip(kernel.body.args, kernel.args) if spec.kind == "array" and spec.param not in scattered}
    arrays -= written_arguments(module)  # what a step stores, the next one may load
    subgroups = _subgroups(module, target)
    room = target.slm_bytes - sum(bytes_of(op.result.type) for op in module.walk() if isinstance(op, gpu.Alloca))
    found: dict[Op, list[Operand]] = {}
    for loop in [op for op in module.walk() if isinstance(op, scf.For)]:
        staged = list(_operands(loop, families, arrays, subgroups, target))
        need = sum(2 * o.shape[0] * o.shape[1] * element_bytes(o.load.tile.type.element) for o in staged)
        if staged and need <= room:
            room -= need
            found[loop] = staged
    return found


def _operands(loop: Any, tiles: tuple[AliasClasses, dict[Value, list[Value]]], arrays: set[Value], subgroups: int,
              target: Target) -> Iterator[Operand]:  # fmt: skip
    """The operands of a loop that can be staged."""
    families, members = tiles
    for position, tile in enumerate(loop.body.args[1:]):
        found = recurrence_of(loop, tile)
        if found is None or not found.is_direct or found.start.base not in arrays:
            continue
        accesses = families.accesses(tile)
        step = _step(found)
        if step is None or len(accesses) != 1 or tile.type.order != (1, 0) or tile.type.wg_map is not None:
            continue
        (load,) = accesses
        roles = mma_uses(load.results[0]) if isinstance(load, xetile.LoadTile) and load.parent is loop.body else set()
        if load.operands[0] is not tile or len(roles) != 1 or None in roles or load.attributes.get("padding"):
            continue
        role, _ = next(iter(roles))  # type: ignore[misc]
        kind = found.start.result.type
        shared = share(kind.shape, element_bytes(kind.element), role, subgroups, target)
        if shared is not None:
            yield Operand(position, load, step, _order(kind, role, target), shared, members[families.root(tile)])


def _order(kind: xetile.TileType, role: str, target: Target) -> BlockOrder:
    """Blocks of one transposed product, in each of which a lane reads one row of words: no two lanes read the same bank at a time.

    A word holds neighbours in a row of the first operand, and rows of one column of the second.
    """
    lanes, pack = target.subgroup_size, WORD_BYTES // element_bytes(kind.element)
    return BlockOrder((lanes, lanes * pack)) if role == "a" else BlockOrder((lanes * pack, lanes), pack)


def _families(module: GpuModule) -> tuple[AliasClasses, dict[Value, list[Value]]]:
    """The families of a kernel, and the tiles of each by its root."""
    families = analyses.get(AliasClasses, module)
    every = {v: None for op in module.walk() for v in (*op.operands, *op.results)}
    every.update({a: None for op in module.walk() for block in op.regions for a in block.args})
    members: dict[Value, list[Value]] = {}
    for value in every:
        if isinstance(value.type, xetile.TileType):
            members.setdefault(families.root(value), []).append(value)
    return families, members


def _step(found: Recurrence) -> tuple[int, int] | None:
    """By how much the tile moves in each step, where that is known, forward, and by whole words."""
    tile, step = found.start.result.type, found.constant_step
    if step is None or min(step) < 0 or tile.scatter or tile.space:
        return None
    return step if step[1] * element_bytes(tile.element) % WORD_BYTES == 0 else None


@STAGE(xetile.TileMma)
def _transposed(op: Any, c: Staging) -> Any:
    """In memory, rows of the first operand and words of the second's columns are what a lane takes of a transposed product."""
    return c.clone(op, transposed=UNIT)


@STAGE(scf.For)
def _for(op: Any, c: Staging) -> Any:
    staged = c.loops.get(op)
    if staged is None:
        return c.structure(op)
    lower, upper, step = c.one(op.lower), c.one(op.upper), c.one(op.step)
    buffers = [c.buffer(o.load.tile.type, o.order) for o in staged]
    init = [c.one(v) for v in op.init]
    steps = _inside_steps(op, staged, lower, upper, step, c)
    if runs_again(op):
        c.build.op(gpu.Barrier)
    _first_tiles(staged, [init[o.position] for o in staged], buffers, steps, c)
    middle = c.build(arith.AddI, lower, c.build(arith.MulI, steps, step))
    carried = _main_loop(op, staged, buffers, (lower, middle, step), init, c)
    *results, _ = _rest_loop(op, staged, buffers, (middle, upper, step), [*carried, c.constant(0)], c)
    return results[0] if len(results) == 1 else tuple(results)


def _first_tiles(staged: list[Operand], tiles: list[Value], buffers: list[Value], steps: Value, c: Staging) -> None:
    """The tiles of the first step are brought to shared memory, if it is one of those that stay inside."""
    then, otherwise = Block(), Block()
    with c.build.at(then):
        for o, tile, buffer in zip(staged, tiles, buffers):
            _store(o, _load_inside(o, tile, c), buffer, c.constant(0), c)
        c.build.op(scf.Yield, [])
    with c.build.at(otherwise):
        c.build.op(scf.Yield, [])
    some = c.build(arith.CmpI, steps, c.constant(0), predicate="sgt")
    c.build.op(scf.If, some, regions=[then, otherwise], values=[])


def _main_loop(op: Any, staged: list[Operand], buffers: list[Value], bounds: tuple[Value, Value, Value], init: list[Value],
               c: Staging) -> list[Value]:  # fmt: skip
    """The steps whose tiles are inside of their arrays, two at a time: each has its half of the buffers, at known addresses."""
    lower, upper, step = bounds
    body = Block([op.body.args[0].type, *(v.type for v in init)], ["", *(a.name for a in op.body.args[1:])])
    with c.build.at(body):
        counter, values = body.args[0], list(body.args[1:])
        for half in (0, 1):
            for old, new in zip(op.body.args, [counter, *values]):
                c[old] = new
            c.build.op(gpu.Barrier)
            counter = c.build(arith.AddI, counter, step)
            # The last step loads its own tiles again: no branch.
            more = c.build(arith.CmpI, counter, upper, predicate="slt") if half else None
            coming = [_load_next(o, more, c) for o in staged]
            _multiply(op, staged, buffers, c.constant(half), c)
            values = [c.one(v) for v in op.body.terminator.operands]
            for o, value, buffer in zip(staged, coming, buffers):
                _store(o, value, buffer, c.constant(1 - half), c)
        c.build.op(scf.Yield, values)
    pair = c.build(arith.AddI, step, step)
    loop = c.build.op(scf.For, lower, upper, pair, init, regions=[body], values=[v.type for v in init])
    return list(loop.results)


def _rest_loop(op: Any, staged: list[Operand], buffers: list[Value], bounds: tuple[Value, Value, Value], carried: list[Value],
               c: Staging) -> list[Value]:  # fmt: skip
    """The steps whose tiles may reach outside of their arrays: copied when they are needed."""
    body = Block([op.body.args[0].type, *(v.type for v in carried)], ["", *(a.name for a in op.body.args[1:]), "turn"])
    for old, new in zip(op.body.args, body.args):
        c[old] = new
    turn = body.args[-1]
    with c.build.at(body):
        for o, buffer in zip(staged, buffers):
            here = c.build(xetile.LoadTile, c.one(o.load.tile), padding=0, lane_map=o.shared.lane_map)
            _store(o, here, buffer, turn, c)
        c.build.op(gpu.Barrier)
        _multiply(op, staged, buffers, turn, c)
        c.build.op(scf.Yield, [*(c.one(v) for v in op.body.terminator.operands), c.build(arith.SubI, c.constant(1), turn)])
    loop = c.build.op(scf.For, *bounds, carried, regions=[body], values=[v.type for v in carried])
    return list(loop.results)


def _store(o: Operand, value: Value, buffer: Value, turn: Value, c: Staging) -> None:
    c.build.op(xetile.StoreTile, value, c.half(buffer, o.load.tile.type, turn), lane_map=o.shared.lane_map)


def _multiply(op: Any, staged: list[Operand], buffers: list[Value], turn: Value, c: Staging) -> None:
    """The old loop's ops, with operands from shared memory."""
    for o, buffer in zip(staged, buffers):
        c[o.load.results[0]] = c.build(xetile.LoadTile, c.half(buffer, o.load.tile.type, turn), padding=0)
    c.step(op, (o.load for o in staged))


def _load_next(o: Operand, more: Value | None, c: Staging) -> Value:
    """The tile of the next step, in registers; where there is no `more`, this one's."""
    amounts = [c.constant(n) for n in o.step]
    if more is not None:
        amounts = [c.build(arith.Select, more, v, c.constant(0)) if n else v for n, v in zip(o.step, amounts)]
    return _load_inside(o, c.build(xetile.UpdateTileOffset, c.one(o.load.tile), amounts), c)


def _load_inside(o: Operand, tile: Value, c: Staging) -> Value:
    loaded: Value = c.build(xetile.LoadTile, tile, padding=0, lane_map=o.shared.lane_map, inside=UNIT)
    return loaded


# How many steps stay inside.


def _inside_steps(op: Any, staged: list[Operand], lower: Value, upper: Value, step: Value, c: Staging) -> Value:
    """Steps at the loop's beginning whose tiles are inside the arrays; an even number."""
    zero, two = c.constant(0), c.constant(2)
    length = c.build(arith.MaxSI, c.build(arith.SubI, upper, lower), zero)
    steps = c.build(arith.CeilDivUI, length, step)
    for o in staged:
        start = op.init[o.position].op
        for d, delta in enumerate(o.step):
            steps = c.build(arith.MinSI, steps, _tiles_inside(o, start, d, delta, steps, c))
    return c.build(arith.MulI, c.build(arith.DivUI, steps, two), two)


def _tiles_inside(o: Operand, start: Any, d: int, delta: int, steps: Value, c: Staging) -> Value:
    """How many of the tiles that a walk of `delta` elements along a dimension meets lie inside of the array; at least `steps`."""
    zero = c.constant(0)
    offset, extent = (c.one(list(values)[d - 2]) for values in (start.offsets, start.shape))
    room = c.build(arith.SubI, c.build(arith.SubI, extent, offset), c.constant(o.shape[d]))
    fits = c.build(
        arith.AndI, c.build(arith.CmpI, room, zero, predicate="sge"), c.build(arith.CmpI, offset, zero, predicate="sge")
    )
    words = WORD_BYTES // element_bytes(o.load.tile.type.element)
    if d == 1 and words > 1:
        for value in (offset, c.one(start.strides[-2])):
            odd = c.build(arith.RemUI, value, c.constant(words))
            fits = c.build(arith.AndI, fits, c.build(arith.CmpI, odd, zero, predicate="eq"))
    count = steps
    if delta:
        room = c.build(arith.MaxSI, room, zero)
        count = c.build(arith.AddI, c.build(arith.DivUI, room, c.constant(delta)), c.constant(1))
    return c.build(arith.Select, fits, count, zero)

"""Loads that come again where products take them a second time, so that they do not lie in registers between."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from xetile.dialects import vector, xegpu
from xetile.dialects.effects import written_arguments
from xetile.dialects.gpu import GpuModule
from xetile.estimate import fullness, least_bytes
from xetile.estimate.storage import Storage, placed, storage_of
from xetile.ir.core import UNIT, Block, Op, Value, of_kind
from xetile.ir.rewriter import Rewriter
from xetile.passes.lane.order.sink_loads import array_of
from xetile.target import Target

_PARTS = (vector.ExtractStridedSlice, vector.Bitcast, vector.ShapeCast)
ROUNDS = 12
"""How often the fullest place of a block is looked for: where the one before has room another one is the fullest."""


def load_again(module: GpuModule, target: Target) -> GpuModule:
    """In blocks with products of kernels that would spill, load again what lies in registers over the fullest place, between two uses.

    Before and after: xegpu at lane level. Only block messages of arrays that the kernel does not write: what they bring is in the cache,
    where what is spilled would lie too, and nothing is written before. What fits in some order stays as it is. The kernel is marked
    (`reloads`): with more subgroups it may fit without.
    """
    kernel = module.kernel
    if target.block2d is None or not any(full > 1 for full in _with_products(module, target).values()):
        return module
    for _ in range(ROUNDS):
        most = target.most_registers
        if not target.spilled_bytes(least_bytes(kernel, target), most):
            break
        written, storage = written_arguments(module), storage_of(kernel, target)
        over = {block: (full - 1) * target.largest_grf for block, full in _with_products(module, target).items() if full > 1}
        if not sum([_relieve(block, size, storage, written) for block, size in over.items()]):
            break
        kernel.attributes["reloads"] = UNIT
    return module


def _with_products(module: GpuModule, target: Target) -> dict[Block, float]:
    full = fullness(module.kernel, target)
    return {block: size for block, size in full.items() if of_kind(block.ops, xegpu.Dpas)}


def _relieve(block: Block, over: float, storage: Storage, written: set[Value]) -> int:
    """Load again behind the fullest place of a block what frees so many bytes there, if there is so much; how many loads these are."""
    place = _fullest(block, storage)
    position = {op: i for i, op in enumerate(block.ops)}
    found: list[tuple[int, Op, list[tuple[Op, int]]]] = []
    for op in of_kind(block.ops, xegpu.LoadNd):
        if position[op] < place and (array := array_of(op.desc)) is not None and array not in written:
            uses = list(_uses(op.results[0], block))
            if any(user.parent is not block for user, _ in uses):
                continue
            early = [position[user] for user, _ in uses if position[user] < place]
            late = [(user, at) for user, at in uses if position[user] >= place]
            if early and late:
                found.append((min(position[user] for user, _ in late) - max(early), op, late))
    count = 0
    for _, load, late in sorted(found, key=lambda each: -each[0]):
        if over <= 0:
            break
        over -= sum(atom.bytes for atom in dict.fromkeys(storage.atoms(load.results)))
        _again(load, sorted(late, key=lambda use: position[use[0]]))
        count += 1
    return count


def _fullest(block: Block, storage: Storage) -> int:
    """Behind how many ops of a block most registers hold something that the block makes, or takes last."""
    last = dict(placed(block.ops, storage.needs))
    grown = [0.0] * (len(block.ops) + 1)
    begun = set[object]()
    for atom, position in placed(block.ops, storage.makes):
        if atom not in begun and last.get(atom, -1) > position:
            begun.add(atom)
            grown[position + 1] += atom.bytes
            grown[last[atom] + 1] -= atom.bytes
    live = [*accumulate(grown)]
    return live.index(max(live))


def _uses(value: Value, block: Block) -> Iterator[tuple[Op, int]]:
    """Where ops of a block take a value or parts of it."""
    for user, at in value.uses:
        if isinstance(user, _PARTS) and user.parent is block:
            yield from _uses(user.results[0], block)
        else:
            yield user, at


def _again(load: Op, late: list[tuple[Op, int]]) -> None:
    """Let uses, in their order, take a load of their own that stands before the first of them."""
    rewrite, became = Rewriter(), dict[Value, Value]()

    def remade(value: Value) -> Value:
        if value not in became:
            assert value.op is not None
            if value.op is not load:
                remade(value.op.operands[0])
            rewrite.copy(value.op, became)
        return became[value]

    for user, at in late:
        with rewrite.before(user):
            rewrite.set_operand(user, at, remade(user.operands[at]))


__all__ = ["load_again"]

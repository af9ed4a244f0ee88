"""Who uses what: the uses of values, tiles that are one tile moved about, and the matrix operands that a value ends up as."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xetile.dialects import memory, scf, xegpu, xetile
from xetile.dialects.types import ScalarType
from xetile.ir.core import Op, Type, Value
from xetile.passes.slots import slots_of

Uses = dict[Value, list[tuple[Op, int]]]
MmaTypes = tuple[str, str, str]


def uses_of(module: Op) -> Uses:
    """The ops that take each value, and at which operand."""
    uses: Uses = {}
    for op in module.walk():
        for i, value in enumerate(op.operands):
            uses.setdefault(value, []).append((op, i))
    return uses


def mma_types(op: xetile.TileMma) -> MmaTypes:
    """Element types of a product as the target names them: u8 where an operand is marked unsigned."""
    a, b, acc = (v.type.element for v in (op.a, op.b, op.result))
    return signed(a, op.lhs_unsigned), signed(b, op.rhs_unsigned), acc.name


def signed(element: ScalarType, unsigned: object) -> str:
    """An operand's element type as the target names it."""
    return "u" + element.name[1:] if unsigned is not None else element.name


def mma_uses(value: Value, uses: Uses) -> set[tuple[str, MmaTypes] | None]:
    """The roles ("a" or "b", with the product's types) in which matrix products take a value; None for any other use."""
    found: set[tuple[str, MmaTypes] | None] = set()
    for op, position in uses.get(value, ()):
        if isinstance(op, xetile.TileMma) and position < 2:
            found.add(("ab"[position], mma_types(op)))
        elif isinstance(op, (xetile.TilePack, xetile.TileUnpack)):
            found |= mma_uses(op.results[0], uses)
        else:
            found.add(None)
    return found


_MOVES = (xetile.UpdateTileOffset, xegpu.UpdateNdOffset, xegpu.UpdateOffset)


class TileFamilies:
    """Tiles that are one tile at different times: moved by update_tile_offset, or carried through control flow.

    With other `kinds` of types xegpu's descriptors, and memory itself.
    """

    def __init__(self, module: Op, kinds: tuple[type[Type], ...] = (xetile.TileType,)) -> None:
        self._parent: dict[Value, Value] = {}
        self._accesses: dict[Value, list[Op]] = {}
        ops = list(module.walk())
        for op in ops:
            for one, other in _same_tiles(op, kinds):
                self._union(one, other)
        for op in ops:
            for value in op.operands:
                if isinstance(value.type, kinds) and not isinstance(op, (scf.Yield, scf.For, *_MOVES)):
                    self._accesses.setdefault(self.root(value), []).append(op)

    def root(self, tile: Value) -> Value:
        """One tile that stands for the family."""
        while tile in self._parent:
            tile = self._parent[tile]
        return tile

    def accesses(self, tile: Value) -> list[Op]:
        """Loads, stores, prefetches and atomics of any tile of the family."""
        return self._accesses.get(self.root(tile), [])

    def _union(self, one: Value, other: Value) -> None:
        one, other = self.root(one), self.root(other)
        if one is not other:
            self._parent[other] = one


def _same_tiles(op: Any, kinds: tuple[type[Type], ...]) -> Iterator[tuple[Value, Value]]:
    if isinstance(op, _MOVES) and isinstance(op.result.type, kinds):
        yield op.operands[0], op.result
    groups: list[tuple[Any, ...]] = []
    if isinstance(op, scf.For):
        groups = [(op.init, op.body.args[1:], op.body.terminator.operands, op.results)]
    elif isinstance(op, scf.If) and op.results:
        groups = [(op.results, op.then.terminator.operands, op.otherwise.terminator.operands)]
    elif isinstance(op, scf.While):
        groups = [(op.init, op.before.args, op.after.terminator.operands)]
        groups.append((op.results, op.after.args, op.before.terminator.operands[1:]))
    for group in groups:
        for values in zip(*group):
            if isinstance(values[0].type, kinds):
                for value in values[1:]:
                    yield values[0], value


_STORES: dict[type[Op], int] = {
    xetile.StoreTile: 1,
    xetile.StoreScatter: 2,
    xetile.AtomicRmwTile: 1,
    xegpu.StoreNd: 1,
    xegpu.Store: 1,
    xegpu.AtomicRmw: 0,
    memory.Store: 1,
    memory.StoreVector: 1,
    memory.Scatter: 1,
    memory.AtomicRmw: 1,
}
"""Ops that write to memory, and which operand says where."""


def written_arguments(module: Op) -> set[Value]:
    """The kernel's arguments that some op may write to: stores followed back through tiles and descriptors."""
    sources = {value: slot.sources for slot in slots_of(module) for value in slot.inside}
    found: set[Value] = set()
    open_ = [op.operands[_STORES[type(op)]] for op in module.walk() if type(op) in _STORES]
    while open_:
        value = open_.pop()
        if value in found:
            continue
        found.add(value)
        if value in sources:
            open_.extend(op.operands[position] for op, position in sources[value])
        elif value.op is not None:
            open_.extend(value.op.operands[:1])  # the memory comes first in all that describes it
    return found

"""Tiles, descriptors and memory that are one thing at different times."""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter

from xetile.dialects import xegpu, xetile
from xetile.ir.classes import Classes
from xetile.ir.core import Op, Type, Value
from xetile.ir.variables import variables

_MOVES = (xetile.UpdateTileOffset, xegpu.UpdateNdOffset, xegpu.UpdateOffset)


class AliasClasses:
    """Tiles that are one tile at different times: moved by update_tile_offset, or carried through control flow.

    With other `kinds` of types xegpu's descriptors, and memory itself.
    """

    def __init__(self, module: Op, kinds: tuple[type[Type], ...] = (xetile.TileType,)) -> None:
        self._module, self._kinds = module, kinds
        self._classes = Classes[Value]()
        unite = self._classes.unite
        for op in module.find(_MOVES):
            if isinstance(op.results[0].type, kinds):
                unite(op.operands[0], op.results[0])
        for variable in variables(module).all:
            if isinstance(variable.holders[0].type, kinds):
                first, *others = variable.values
                for value in others:
                    unite(first, value)

    @cached_property
    def _accesses(self) -> dict[Value, list[Op]]:
        found: dict[Value, list[Op]] = {}
        for op in filter(attrgetter("accesses"), self._module.walk()):
            for value in op.operands:
                if isinstance(value.type, self._kinds):
                    found.setdefault(self.root(value), []).append(op)
        return found

    def root(self, tile: Value) -> Value:
        """One tile that stands for the class."""
        return self._classes.root(tile)

    def accesses(self, tile: Value) -> list[Op]:
        """Loads, stores, prefetches and atomics of any tile of the class."""
        return self._accesses.get(self.root(tile), [])

"""Tiles that a loop loads once in each iteration: where they begin, how they move, and which of them an iteration before can tell.

A loop carries most of them and moves them by known steps. Others each iteration makes for itself, where a number lies in memory (a page of
a cache, a block of a sparse matrix) or where a counter chooses a matrix of several: these are made again of the next iteration's numbers.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any

from xetile.dialects import scf, xetile
from xetile.dialects.types import ScalarType
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import enclosing
from xetile.ir.reach import reached
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.recurrences import Recurrence, growth_of, is_fixed, recurrence_of
from xetile.passes.workgroup.loops.staging import Step, branches_around
from xetile.records import dataclass
from xetile.target.blocks import WORD_BYTES


@dataclass(frozen=True)
class Streamed:
    """A load of a loop, the tile where it begins, or which each iteration makes, and by how much it moves."""

    load: Any
    start: Value
    step: Step


def streams(loop: Any, classes: AliasClasses, arrays: Container[Value]) -> Iterator[Streamed]:
    """The loads of a loop that it makes once in each iteration, of tiles of arrays that nothing stores to."""
    for position, tile in enumerate(loop.body.args[1:]):
        found = recurrence_of(loop, tile)
        step = _step(found) if found is not None and found.is_direct and found.start.base in arrays else None
        load = _only_load(tile, loop, classes)
        if step is not None and load is not None:
            yield Streamed(load, loop.init[position], step)
    for op in loop.body.ops:
        load = _only_load(op.result, loop, classes) if isinstance(op, xetile.InitTile) else None
        if load is not None and load.parent is loop.body and (step := _step_of_made(op, loop, arrays)) is not None:
            yield Streamed(load, load.tile, step)


def _only_load(tile: Value, loop: scf.For, classes: AliasClasses) -> Any:
    """The load that alone accesses a tile, in a loop or in branches of it; None where another access does, too."""
    accesses = classes.accesses(tile) if isinstance(tile.type, xetile.TileType) and tile.type.wg_map is None else ()
    load = accesses[0] if len(accesses) == 1 else None
    plain = isinstance(load, xetile.LoadTile) and load.operands[0] is tile and not load.attributes.get("padding")
    return load if plain and load is not None and _is_in_step(load, loop) else None


def _is_in_step(load: Op, loop: scf.For) -> bool:
    """Whether a load stands in a loop, or in branches of it."""
    return all(isinstance(op, scf.If) for op in branches_around(load, loop)) and loop in enclosing(load)


def _step(found: Recurrence) -> Step | None:
    """By how much the tile moves in each step, where that is known, forward, and by whole words."""
    step = found.constant_step
    return step if step is not None and min(step) >= 0 and _by_words(found.start.result.type, step) else None


def _by_words(tile: xetile.TileType, step: Step) -> bool:
    along = step[tile.order[0]]
    return tile.is_block and along is not None and along * element_bytes(tile.element) % WORD_BYTES == 0


def _step_of_made(made: Any, loop: scf.For, arrays: Container[Value]) -> Step | None:
    """By how much a tile that each iteration makes lies behind the last one's; None where an iteration before cannot tell where it lies.

    Along rows of memory it moves by known steps, so that their runs begin at whole words; elsewhere it may lie anywhere.
    """
    if made.base not in arrays or len(made.offsets) < 2:
        return None
    if not all(is_fixed(v, loop) for v in made.strides) or not _is_known_ahead((*made.offsets, *made.shape), loop, arrays):
        return None
    growths = (
        growth_of(v, loop, is_fixed) if is_fixed(end, loop) else None for v, end in zip(made.offsets[-2:], made.shape[-2:])
    )
    step = tuple(None if n is None or n < 0 else n for n in growths)
    return step if _by_words(made.result.type, step) else None  # type: ignore[return-value, arg-type]


def _is_known_ahead(values: Sequence[Value], loop: scf.For, arrays: Container[Value]) -> bool:
    """Whether numbers of the next iteration follow from this one's, and from arrays that nothing stores to."""
    body = loop.body

    def made_of(value: Value) -> Sequence[Value]:
        if value.owner is body:
            return [body.terminator.operands[value.index - 1]] if value.index else []
        return value.op.operands if value.op is not None and value.op.parent is body else ()

    def is_known(value: Value) -> bool:
        op = value.op
        if op is None or op.parent is not body:
            return value.owner is not body or isinstance(value.type, ScalarType)
        if isinstance(op, xetile.LoadTile):
            made = op.tile.op
            return isinstance(made, xetile.InitTile) and made.base in arrays and not op.attributes.get("padding")
        return op.pure and not op.regions

    return all(map(is_known, reached(values, made_of)))


__all__ = ["Streamed", "streams"]

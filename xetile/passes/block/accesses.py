"""Loads and stores of tiles at xegpu level: by block messages, through shared memory, else element by element."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from xetile.dialects import xetile
from xetile.ir.core import Elementwise
from xetile.ir.dispatch import Table
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes, mma_layout
from xetile.passes.block.access import Tile
from xetile.passes.block.clips import store_parts
from xetile.passes.block.columns import Columns, load_by_lanes, load_columns, load_rows, store_columns
from xetile.passes.block.exchanged import load_words, store_blocks
from xetile.passes.block.hints import hints_of
from xetile.passes.block.lines import load_lines
from xetile.passes.block.lowering import Lowering, aligned, plain_layout
from xetile.passes.block.matrices import Matrix, first_part, reblock
from xetile.passes.block.padding import can_pad, pad
from xetile.passes.block.runs import gather
from xetile.passes.block.shifted import load_shifted
from xetile.passes.block.staged import (
    Elsewhere,
    copy_elements,
    is_packed,
    load_elements,
    load_operand,
    load_runs,
    store_operand,
    store_rows,
)
from xetile.passes.block.wide_rows import load_wide_row
from xetile.passes.common.changed import changed

LOWER = Table()


@LOWER(xetile.LoadTile)
def _load(op: xetile.LoadTile, c: Lowering) -> Any:
    tile = _limited(op, c)
    if op.lane_map is not None:
        return _load_share(op, tile, c)
    roles = c.uses.of(op.value)
    block = (op.value.type.shape[2], op.value.type.shape[3])
    layout, packed = plain_layout(op.value.type, c), False
    if len(roles) == 1 and None not in roles:
        ((role, types),) = roles  # type: ignore[misc]
        if c.target.find_mma(*types) is not None:
            layout = mma_layout(role, types, c.target)
            packed = role == "b" and element_bytes(op.value.type.element) < 4
    loaded = None
    if tile.staged:
        if layout.lane_layout[1] == 1:
            loaded = load_operand(c.access, tile)
        else:
            bring = load_by_lanes if tile.transposed else load_words if is_packed(tile) else load_rows
            loaded = bring(c.access, tile, layout)
    elif op.padding == 0 or can_pad(layout):
        loaded = _by_messages(op, tile, layout, c, packed=packed)
        loaded = pad(c.access, tile, loaded, op.padding) if loaded is not None else None
    if loaded is None:
        loaded = gather(c.access, tile, plain_layout(op.value.type, c), block, op.padding)
    return reblock(c.build, loaded, block)


def _by_messages(op: xetile.LoadTile, tile: Tile, layout: Layout, c: Lowering, *, packed: bool) -> Matrix | None:
    """The tile by block messages, from the word on that it begins in; None where none fit."""
    # A transposing load gives each lane a column: the way in which all but narrow blocks are held.
    whole_rows = layout.lane_layout == (1, c.target.subgroup_size) and (packed or layout.lane_data == (1, 1))
    hints = hints_of(op)

    def bring(tile: Tile, *, packed: bool = packed) -> Matrix | None:
        if tile.transposed:
            if not whole_rows:
                return None
            return c.access.load_transposed(tile, layout, packed=packed, covers=True, hints=hints)
        line = load_lines(c.access, tile, layout, hints) if tile.line and not packed else None
        loaded = load_wide_row(c.access, tile, layout, hints) if line is None and not packed else line
        return c.access.load(tile, layout, packed=packed, hints=hints) if loaded is None else loaded

    found: Tile = c[op.tile]
    if found.scattered or tile.limit or not c.blocks.begins_in_words(op.tile) or not c.blocks.moves_rows_beside(op.tile):
        return bring(tile)
    rest = c.blocks.behind_word(op.tile)
    return load_shifted(
        c.access, replace(tile, scattered=False), rest, layout, partial(bring, packed=packed and not tile.transposed)
    )


def _load_share(op: xetile.LoadTile, tile: Tile, c: Lowering) -> Any:
    """What a subgroup brings to shared memory."""
    if tile.transposed:
        return load_columns(c.access, tile, hints_of(op))
    if not any(isinstance(user, (xetile.StoreTile, Elementwise)) for user in op.value.users):
        return Elsewhere(
            tile, op.lane_map, op.inside is not None
        )  # a line, of which lanes load what they take where it is spread
    copied = all(isinstance(user, xetile.StoreTile) for user in op.value.users)
    if op.inside is not None or op.whole_rows is not None:
        loaded = load_runs(c.access, tile, op.lane_map, inside=op.inside is not None)
        return loaded if copied else reblock(c.build, loaded, tile.type.shape)
    if copied:
        return Elsewhere(tile, op.lane_map)
    # Something is worked out of it on its way.
    return reblock(c.build, load_elements(c.access, tile, op.lane_map), tile.type.shape)


def _limited(op: xetile.LoadTile | xetile.StoreTile, c: Lowering) -> Tile:
    """The tile of an access, whose messages are no larger than its `inst_data`, where it has that (seed 002, LayoutAttr)."""
    return changed(c.tile(op.tile), limit=op.attributes.get("inst_data"))


@LOWER(xetile.StoreTile)
def _store(op: xetile.StoreTile, c: Lowering) -> None:
    tile = _limited(op, c)
    if tile.staged:
        _store_staged(op, tile, c)
        return
    # What is written may end inside of a line.
    parts = [(0, tile)] if op.valid is None else c.clips.parts(op, changed(tile, line=0), [c.one(v) for v in op.origin], c.access)
    store_parts(c.access, parts, c.matrix(op.value), hints_of(op))


def _store_staged(op: xetile.StoreTile, tile: Tile, c: Lowering) -> None:
    # What was added to a share would fall on another subgroup's, or beyond the buffer.
    source = c[op.value] if op.valid is None else first_part(c.build, c.matrix(op.value), op.valid)
    if op.lane_map is None and c.target.block2d is None:
        lanes = c.target.subgroup_size
        store_rows(c.access, tile, aligned(source, Layout(lane_layout=(lanes, 1), lane_data=(1, 1)), c))
    elif op.lane_map is None:
        store_blocks(c.access, tile, aligned(source, plain_layout(op.value.type, c), c))
    elif isinstance(source, Columns):
        store_columns(c.access, tile, source)
    elif isinstance(source, Elsewhere):
        copy_elements(c.access, source, tile)
    else:
        (high, beside), (_, run) = op.lane_map.lane_layout, op.lane_map.lane_data
        store_operand(c.access, tile, reblock(c.build, aligned(source, op.lane_map, c), (high, beside * run)))

"""Loaded tiles that are used transposed, beside other uses, are loaded a second time for that.

A message brings a tile to the lanes with rows and columns exchanged; registers that hold it the other way would give it up element
by element. Both loads stand at one place, so both read the same numbers. What is worked out of single rows and columns is worked out the
other way: their few elements change places, not all that they are spread to (members of clusters by `best == arange(K)`, on pvc: 2,724
exchanges between lanes before).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from xetile.dialects import arith, scf, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import ScalarType, VectorType, element_of
from xetile.ir import analyses
from xetile.ir.core import Elementwise, Op, Value, type_of
from xetile.ir.dispatch import Table
from xetile.ir.reach import reached
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.common.carry import carry, give
from xetile.passes.common.unused import erase_unused
from xetile.passes.workgroup.memory.fold_transposes import all_transposed
from xetile.target import Target

REPEATED = 3
"""Ops for each element that a value is worked out by, from which on its transpose is not worked out a second time."""

TRANSPOSE = Table()
"""How the transposed result of an op is made: from transposed operands, or with its dimensions exchanged."""


def reload_transposes(module: GpuModule, target: Target | None = None) -> GpuModule:
    """Give transposes of loads, and of what is worked out from loads element by element, a load of their own; those of transposes are gone.

    Before and after: xetile at workgroup level. `tile_transpose(f(load_tile(t)))` becomes `f(tile_transpose(load_tile(t)))`, and so for
    an `f` of rows and columns that are spread; a load
    that is used in another way too is made again, from a tile of its own that moves as `t` does, so that `fold_transposes` can
    transpose it. What the user gave maps stays, and so do tiles that are scattered, in shared memory, or chosen by a branch or a `while`.
    """
    rewrite, found = Rewriter(), module.find(xetile.TileTranspose)
    if not found:
        return module
    transposed = Transposed(rewrite)
    for op in found:
        back = op.source.op
        if isinstance(back, xetile.TileTranspose) and "wg_map" not in (op.attributes | back.attributes):
            rewrite.replace(op, back.source)
            erase_unused(back.results, rewrite)
            continue
        if "wg_map" in op.attributes or not isinstance(back, Elementwise) or not _comes_transposed(op.source):
            continue
        if _is_of_lines(op.source) or not _handed_on(op, target):
            rewrite.replace(op, transposed.get(op.source))
    classes = analyses.get(AliasClasses, module)
    tiles = _Tiles(rewrite)
    for load in module.find(xetile.LoadTile):
        transposes = [user for user in load.value.users if isinstance(user, xetile.TileTranspose)]
        if transposes and _may_transpose(load.tile) and not all_transposed(load.tile, classes.accesses(load.tile)):
            tiles.load_again(load, transposes)
    return module


def _handed_on(op: xetile.TileTranspose, target: Target | None) -> bool:
    """Whether a transpose is an operand that subgroups give each other through shared memory, transposed on the way: where the other
    way its ops would be done twice.
    """
    if target is None or target.block2d is None or {type(user) for user in op.result.users} != {xetile.TileMma}:
        return False
    return element_bytes(element_of(op.source.type)) == 2 and _repeated(op.source) >= REPEATED


def _repeated(value: Value) -> int:
    """How many of the ops that work a tile out are there for other uses, too."""
    worked = _worked(value)
    return len(set().union(*(_worked(v) for v in worked if any(map(partial(_is_other, worked), v.users)))))


def _worked(value: Value) -> set[Value]:
    """A value and those that it is worked out from, as far as ops make them element by element of others that are."""

    def given(value: Value) -> Iterator[Value]:
        operands = () if value.op is None else value.op.operands
        return (v for v in operands if isinstance(v.type, VectorType) and isinstance(v.op, Elementwise))

    return set(reached([value], given))


def _is_other(worked: set[Value], user: Op) -> bool:
    return not isinstance(user, xetile.TileTranspose) and not worked.intersection(user.results)


def _may_transpose(tile: Value) -> bool:
    type_ = type_of(tile, xetile.TileType)
    return type_.is_block and type_.wg_map is None and not type_.inner_blocks


def _comes_transposed(value: Value) -> bool:
    """Whether a value is elementwise ops on loads, on spread rows and columns, and on what can be made transposed as well as it is."""
    found, open_, given = {value}, [value], 0
    while open_:
        taken = open_.pop()
        op = taken.op
        if taken is not value and is_line(taken):
            given += 1
            continue
        if op is None or isinstance(op, xetile.TileMma) or not can_be_transposed(op):
            return False
        if isinstance(op, (xetile.LoadTile, xetile.TileTranspose)):
            given += 1
        else:
            new = [v for v in op.operands if isinstance(v.type, VectorType) and v not in found]
            found.update(new)
            open_ += new
    return given > 0


def _is_of_lines(value: Value) -> bool:
    """Whether all that a value is worked out of is spread rows and columns, and what costs nothing to transpose."""
    op = value.op
    if op is None or isinstance(op, (xetile.LoadTile, xetile.TileMma)) or not can_be_transposed(op):
        return False
    return all(is_line(v) or _is_of_lines(v) for v in op.operands if isinstance(v.type, VectorType))


def is_line(value: Value) -> bool:
    """Whether a value is one row or one column."""
    return 1 in type_of(value, VectorType).shape


def is_number(value: Value) -> bool:
    """Whether all elements are one number, which is its own transpose."""
    if isinstance(value.op, vector.Broadcast):
        return isinstance(value.op.source.type, ScalarType)
    return isinstance(value.op, arith.Constant) and not isinstance(value.op.value, tuple)


def _descends(value: Value) -> bool:
    """Whether all that a value is worked out of comes transposed by itself."""
    op = value.op
    if op is None or not can_be_transposed(op) or isinstance(op, xetile.TileMma):
        return False
    if isinstance(op, (xetile.LoadTile, xetile.TileTranspose)):
        return True
    return all(_descends(v) for v in op.operands if isinstance(v.type, VectorType))


def can_be_transposed(op: Op) -> bool:
    """Whether the transpose of what an op gives is made like the op, from transposed operands."""
    if "wg_map" in op.attributes or TRANSPOSE.find(type(op)) is None:
        return False
    if isinstance(op, arith.Constant) and isinstance(op.value, tuple):
        return False
    return not isinstance(op, xetile.LoadTile) or _may_transpose(op.tile)


class Transposed:
    """Values transposed, each made once, beside what it is the transpose of."""

    def __init__(self, rewrite: Rewriter) -> None:
        self.build = rewrite
        self._made: dict[Value, Value] = {}

    def get(self, value: Value) -> Value:
        """The transpose of a value; a scalar as it is."""
        if value not in self._made and isinstance(value.type, VectorType):
            self._made[value] = self._of_line(value) if is_line(value) and not _descends(value) else self._of_op(value.op)
        return self._made.get(value, value)

    def _of_op(self, op: Any) -> Value:
        rule: Any = TRANSPOSE.find(type(op))
        made: Value = rule(op, self)
        return made

    def _of_line(self, value: Value) -> Value:
        """A row or a column changes places as it is."""
        with self.build.after(value):
            return self.build(xetile.TileTranspose, value)


def _exchanged(value: Value) -> VectorType:
    type_ = type_of(value, VectorType)
    return type_.with_shape(*reversed(type_.shape))


@TRANSPOSE(Elementwise, arith.Constant, vector.Broadcast)
def _as_it_is(op: Op, transposed: Transposed) -> Value:
    operands = [transposed.get(v) for v in op.operands]
    with transposed.build.after(op.results[0]):
        return transposed.build.clone(op, operands, [_exchanged(op.results[0])]).results[0]


@TRANSPOSE(xetile.TileBroadcast)
def _broadcast(op: xetile.TileBroadcast, transposed: Transposed) -> Value:
    source = transposed.get(op.source)
    with transposed.build.after(op.result):
        return transposed.build(xetile.TileBroadcast, source, dims=tuple(1 - d for d in op.dims), result=_exchanged(op.result))


@TRANSPOSE(xetile.TileIota)
def _coordinates(op: xetile.TileIota, transposed: Transposed) -> Value:
    with transposed.build.after(op.result):
        return transposed.build(xetile.TileIota, dim=1 - op.dim, result=_exchanged(op.result))


@TRANSPOSE(xetile.TileTranspose)
def _back(op: xetile.TileTranspose, transposed: Transposed) -> Value:
    return op.source


@TRANSPOSE(xetile.TileMma)
def _product(op: xetile.TileMma, transposed: Transposed) -> Value:
    return exchanged(op, transposed, None if op.acc is None else transposed.get(op.acc))


def exchanged(op: xetile.TileMma, transposed: Transposed, acc: Value | None) -> Value:
    """The transpose of a product, which goes on from a sum that is transposed already."""
    operands, unsigned = (transposed.get(op.b), transposed.get(op.a), acc), (op.rhs_unsigned, op.lhs_unsigned)
    with transposed.build.after(op.result):
        return transposed.build(
            xetile.TileMma, *operands, lhs_unsigned=unsigned[0], rhs_unsigned=unsigned[1], result=_exchanged(op.result)
        )


@TRANSPOSE(xetile.LoadTile)
def _load(op: xetile.LoadTile, transposed: Transposed) -> Value:
    with transposed.build.after(op.value):
        return transposed.build(xetile.TileTranspose, op.value)


class _Tiles:
    """Second tiles that are at all times where the first ones are."""

    def __init__(self, rewrite: Rewriter) -> None:
        self.rewrite = rewrite
        self._second: dict[Value, Value] = {}

    def load_again(self, load: xetile.LoadTile, transposes: list[xetile.TileTranspose]) -> None:
        """Let transposes of a load take one from a second tile; a load that has no other use is that one."""
        if not self._follows(load.tile):
            return
        tile = self._twin(load.tile)
        if len(load.value.users) == len(transposes):
            self.rewrite.set_operand(load, 0, tile)
            return
        with self.rewrite.before(load):
            again = self.rewrite.clone(load, [tile, *load.operands[1:]]).results[0]
        again.name = load.value.name
        for user in transposes:
            self.rewrite.set_operand(user, 0, again)

    def _follows(self, tile: Value) -> bool:
        """Whether a tile is made by an init_tile, moved, or carried by counted loops."""

        def is_made(tile: Value) -> bool:
            return tile in self._second or isinstance(tile.op, xetile.InitTile)

        return all(is_made(v) or _sources(v) for v in reached([tile], lambda v: () if is_made(v) else _sources(v)))

    def _twin(self, tile: Value) -> Value:
        if tile not in self._second:
            self._second[tile] = self._carried(tile) if _loop_of(tile) is not None else self._made_again(tile)
        return self._second[tile]

    def _made_again(self, tile: Value) -> Value:
        op = tile.op
        assert op is not None
        operands = [self._twin(op.operands[0]), *op.operands[1:]] if isinstance(op, xetile.UpdateTileOffset) else op.operands
        with self.rewrite.after(tile):
            return self.rewrite.clone(op, operands).results[0]

    def _carried(self, tile: Value) -> Value:
        loop, position = _loop_of(tile), _position(tile)
        assert loop is not None
        inner = carry(loop, self._twin(loop.init[position]), tile.name)
        self._second[loop.body.args[position + 1]] = inner
        self._second[loop.results[position]] = loop.results[-1]
        give(loop, self._twin(loop.body.terminator.operands[position]))
        return self._second[tile]


def _sources(tile: Value) -> list[Value]:
    """Tiles that a tile is, or is moved from; none where that is not known."""
    loop = _loop_of(tile)
    if loop is not None:
        position = _position(tile)
        return [loop.init[position], loop.body.terminator.operands[position]]
    return [tile.op.operands[0]] if isinstance(tile.op, xetile.UpdateTileOffset) else []


def _loop_of(tile: Value) -> scf.For | None:
    """The counted loop that carries a tile."""
    loop = tile.op if tile.op is not None else tile.owner.parent
    return loop if isinstance(loop, scf.For) else None


def _position(tile: Value) -> int:
    """Which of the values that a loop carries a tile is."""
    return tile.index if tile.op is not None else tile.index - 1


__all__ = ["Transposed", "can_be_transposed", "exchanged", "is_line", "is_number", "reload_transposes"]

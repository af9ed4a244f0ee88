"""Gathers and scatters of neighbours, whose offsets people work out from rows, columns and strides, become loads and stores of tiles.

The offsets of such an access are a tile's: a row times the array's stride, and a column. Its mask says where the array ends, as tiles do by
themselves. What else a mask of a gather says chooses among what is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuFunc, GpuModule
from xetile.dialects.types import I1, INDEX, MemRefType, VectorType, element_of, shape_of
from xetile.ir import analyses
from xetile.ir.core import Block, Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.equal_scalars import asserted_sizes, equal_scalars
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.analysis.polynomials import Place, Polynomial, Reader, conjunction, number, of
from xetile.passes.common.numbers import index
from xetile.passes.common.unused import erase_unused
from xetile.records import dataclass
from xetile.target import Target
from xetile.target.block_rules import LINE_PITCH, MOST_STEP

_LESS = {"slt": (0, 1), "ult": (0, 1), "sgt": (1, 0), "ugt": (1, 0)}
"""Which operand of a comparison is the smaller one, and which the larger."""
_AT_MOST = {"sle": (0, 1), "ule": (0, 1), "sge": (1, 0), "uge": (1, 0)}
"""The same of those that may be equal."""

_Access = xetile.LoadGather | xetile.StoreScatter


def gather_tiles(module: GpuModule, target: Target) -> GpuModule:
    """Replace gathers and scatters of what is a tile of an array, by the array's own strides and up to its own ends.

    Before and after: xetile at workgroup level.
    """
    if not module.has((xetile.LoadGather, xetile.StoreScatter)):
        return module
    found = _Accesses(module.kernel, target)
    tiles = {op: tile for op in found.ops if (tile := found.tile_of(op)) is not None}
    emitter = _Emitter(module.kernel, target)
    for op, tile in tiles.items():
        emitter.replace(op, tile)
    return module


@dataclass(frozen=True)
class _Array:
    """An array of the kernel's: its sizes and strides, outermost first; the last stride is 1."""

    sizes: tuple[Polynomial, ...]
    strides: tuple[Polynomial, ...]


@dataclass(frozen=True)
class _Tile:
    """Where a tile lies in an array, and what must be true besides where it is accessed. `turned`: its rows are the array's columns.

    `every`: lines of the array from one of the tile to the next. `ends`: sizes of other arrays, up to the least of which the mask lets
    the outermost axis go.
    """

    base: Value
    array: _Array
    offsets: tuple[Polynomial, ...]
    turned: bool
    every: int
    masks: tuple[Value, ...] = ()
    ends: tuple[Value, ...] = ()


def _arrays(kernel: GpuFunc) -> dict[Value, _Array]:
    """The arrays of a kernel whose rows are neighbours, and whose other strides it is told."""
    found: dict[Value, _Array] = {}
    args = dict(zip(kernel.body.args, kernel.args))
    told = {(spec.kind, spec.param, spec.axis): of(arg) for arg, spec in args.items()}
    for arg, spec in args.items():
        kind = arg.type
        if not isinstance(kind, MemRefType) or spec.kind != "array" or kind.rank < 1 or (kind.strides or (1,))[-1] != 1:
            continue
        sizes = [told.get(("dim", spec.param, axis)) for axis in range(kind.rank)]
        sizes = [number(n) if n is not None else size for n, size in zip(kind.shape, sizes)]
        strides = [told.get(("stride", spec.param, axis)) for axis in range(kind.rank - 1)]
        if None not in sizes and None not in strides:
            found[arg] = _Array(tuple(sizes), (*strides, number(1)))  # type: ignore[arg-type]
    return found


class _Accesses:
    """What is known of the gathers and scatters of a kernel."""

    def __init__(self, kernel: GpuFunc, target: Target) -> None:
        self.ops: list[_Access] = kernel.find((xetile.LoadGather, xetile.StoreScatter))
        self._arrays = _arrays(kernel)
        self._sizes = {arg for arg, spec in zip(kernel.body.args, kernel.args) if spec.kind == "dim"}
        self._numbers = analyses.get(Numbers, kernel)
        # Where lanes hold runs of a row, nobody knows that one begins where so many lines of the array are one.
        self._most = MOST_STEP if target.lane_run == 1 else 1
        self._same = asserted_sizes(kernel)
        self._reader = Reader({**equal_scalars(kernel), **self._same})

    def tile_of(self, op: _Access) -> _Tile | None:
        """The tile that an access is of; None where it is of none."""
        made = op.tile.op
        if not isinstance(made, xetile.InitTile) or made.result.type.wg_map is not None or made.base not in self._arrays:
            return None
        offsets, array = self._reader.read(made.offsets[0]), self._arrays[made.base]
        placed = None if offsets is None else _placed(offsets, array, shape_of(op.value.type), self._most)
        # Numbers of i64 may be larger than a tile's offsets, where a mask says so.
        if placed is None or any(s.type is not INDEX for place in placed[0] for s in place.symbols if isinstance(s, Value)):
            return None
        ends = [of(self._same.get(s, s)) if isinstance(s := next(iter(n.symbols), None), Value) else n for n in array.sizes]
        bounds = _Bounds(self._reader, ends, self._sizes, placed, shape_of(op.value.type))
        masks = tuple(term for term in conjunction(op.mask) if not bounds.add(term))
        if not self._is_inside(placed, bounds) or (masks and not _may_choose(op)):
            return None
        return _Tile(made.base, array, *placed, masks, tuple(bounds.nearer))

    def _is_inside(self, placed: _Placed, bounds: _Bounds) -> bool:
        """Whether an access stays in its row and its matrix: beyond these other elements of the array follow, which tiles leave out.

        Behind the array there is nothing. An access that nothing bounds stays what it is: simulators tell where it is outside. What lies in
        front of a line is another one where a tile has every n-th alone.
        """
        offsets, last = placed.offsets, len(placed.offsets) - 1
        if not bounds.ends or (placed.every > 1 and not self._is_natural(offsets[last])):
            return False
        for axis in range(max(1, last - 1), last + 1):
            if axis not in bounds.ends or not (axis in bounds.begins or self._is_natural(offsets[axis])):
                return False
        return True

    def _is_natural(self, found: Polynomial) -> bool:
        return all(n > 0 for n in found.terms.values()) and all(
            isinstance(s, Value) and self._numbers.is_natural(s) for s in found.symbols
        )


class _Placed(NamedTuple):
    """Where the first element of a tile lies, by axes, whether its rows are the array's columns, and how many of the array's lines lie
    from one of its lines to the next.
    """

    offsets: tuple[Polynomial, ...]
    turned: bool
    every: int


def _placed(offsets: Polynomial, array: _Array, shape: Sequence[int], most: int) -> _Placed | None:
    """Where a tile lies, each of whose lines is `most` lines of the array behind the one before at most; None where it is no tile."""
    by_row = offsets.part(Place.ROW)
    by_column = None if by_row is None else by_row[1].part(Place.COLUMN)
    if by_row is None or by_column is None or {Place.ROW, Place.COLUMN} & (by_row[0].symbols | by_column[0].symbols):
        return None
    steps, rest = (by_row[0], by_column[0]), by_column[1]
    pitch = array.strides[-2] if len(array.strides) > 1 else None

    def lines(steps: Sequence[Polynomial], shape: Sequence[int]) -> int:
        if shape[1] > 1 and steps[1] != number(1):
            return 0
        return 1 if shape[0] == 1 else _multiple(steps[0], pitch, most)

    every, turned = lines(steps, shape), False
    if not every:
        every, turned = lines(steps[::-1], shape[::-1]), True
    if not every:
        return None
    places: list[Polynomial] = []
    for stride in array.strides[:-1]:
        ((symbol,),) = stride.terms
        part = rest.part(symbol)
        if part is None:
            return None
        places.append(part[0])
        rest = part[1]
    own = {symbol for stride in array.strides[:-1] for symbol in stride.symbols}
    if any(own & place.symbols for place in (*places, rest)):
        return None
    outer = [bool(place.terms) for place in places[:-1]]
    # Where an inner index alone is given it may count on through the outer ones.
    if outer != sorted(outer, reverse=True) or (every > 1 and _divided(places[-1], every) is None):
        return None
    return _Placed((*places, rest), turned, every)


def _multiple(step: Polynomial, pitch: Polynomial | None, most: int) -> int:
    """How many times an array's pitch a step is, `most` times at most; 0 for other steps."""
    if pitch is None:
        return 0
    ((symbols, n),) = pitch.terms.items()
    times, rest = divmod(step.terms.get(symbols, 0), n)
    return times if 1 <= times <= most and rest == 0 and step == pitch.times(number(times)) else 0


def _divided(place: Polynomial, every: int) -> tuple[Polynomial, int | None] | None:
    """(the line of an array of every n-th one, which of n it is) by the line of the array: (place, None) where launches find out.

    None where nobody finds out by shifts.
    """
    known = place.terms.get((), 0)
    if all(n % every == 0 for symbols, n in place.terms.items() if symbols):
        parts = {symbols: n // every for symbols, n in place.terms.items()}
        return Polynomial({symbols: n for symbols, n in parts.items() if n}), known % every
    return None if every & (every - 1) else (place, None)


class _Bounds:
    """Along which axes a mask says where the array ends, and where it begins."""

    def __init__(self, reader: Reader, ends: Sequence[Polynomial], sizes: set[Value], placed: _Placed,
                 shape: Sequence[int]) -> None:  # fmt: skip
        self._reader, self._own, self._sizes = reader, ends, sizes
        self._offsets, turned, self._every = placed
        self._places = (Place.COLUMN, Place.ROW) if turned else (Place.ROW, Place.COLUMN)
        self._extents = tuple(shape[place.value] for place in self._places)
        self.ends: set[int] = set()
        self.begins: set[int] = set()
        self.nearer: dict[Value, None] = {}

    def add(self, term: Value) -> bool:
        """Whether a mask is a bound of the array, which is noted."""
        op = term.op
        if not isinstance(op, arith.CmpI):
            return False
        order = _LESS.get(op.predicate) or _AT_MOST.get(op.predicate)
        if order is None:
            return False
        small, large = (self._reader.read(op.operands[i]) for i in order)
        if small is None or large is None:
            return False
        strict = op.predicate in _LESS
        end = self._end(small.plus(large, -1).plus(number(0 if strict else -1)))
        if end is not None:
            self.ends.add(end)
            if op.predicate.startswith("u"):  # what is below zero is large
                begin = self._begin(number(-1).plus(small, -1))
                self.begins.update(() if begin is None else (begin,))
            return True
        begin = None if op.predicate.startswith("u") else self._begin(small.plus(large, -1).plus(number(0 if strict else -1)))
        self.begins.update(() if begin is None else (begin,))
        return begin is not None

    def _axes(self, below: Polynomial, sign: int) -> list[tuple[int, Polynomial]]:
        """The axes along which a number that is below zero may be a bound, and what is left of it without the place."""
        last, found = len(self._own) - 1, list[tuple[int, Polynomial]]()
        for place, extent, axis, step in zip(self._places, self._extents, (last - 1, last), (self._every, 1)):
            part = below.part(place)
            if axis < 0 or part is None or {Place.ROW, Place.COLUMN} & part[1].symbols:
                continue
            if part[0] == number(sign * step if extent > 1 else 0):
                found.append((axis, part[1]))
        return found

    def _end(self, below: Polynomial) -> int | None:
        """The axis along which all places in front of the array's end, and no others, have a number below zero; of the outermost one also
        those in front of another array's, as behind its own there is nothing.
        """
        ends = [(axis, self._offsets[axis].plus(rest, -1)) for axis, rest in self._axes(below, 1)]
        own = next((axis for axis, end in ends if end == self._own[axis]), None)
        others = [s for axis, end in ends if axis == 0 and (s := self._size(end)) is not None]
        if own is None and others:
            self.nearer[others[0]] = None
            return 0
        return own

    def _size(self, end: Polynomial) -> Value | None:
        """The size of an array that a number is."""
        ((monomial, n), *more) = end.terms.items() if end.terms else (((), 0),)
        symbol = monomial[0] if not more and n == 1 and len(monomial) == 1 else None
        return symbol if isinstance(symbol, Value) and symbol in self._sizes else None

    def _begin(self, below: Polynomial) -> int | None:
        """The axis along which all places from the array's beginning on, and no others, have a number below zero."""
        begins = ((axis, self._offsets[axis].plus(rest).plus(number(1))) for axis, rest in self._axes(below, -1))
        return next((axis for axis, begin in begins if not begin.terms), None)


def _may_choose(op: _Access) -> bool:
    """Whether what is loaded may be chosen from: products take it as it comes."""
    return isinstance(op, xetile.LoadGather) and not any(isinstance(user, xetile.TileMma) for user in op.value.users)


class _Emitter:
    """Makes the tiles."""

    def __init__(self, kernel: GpuFunc, target: Target) -> None:
        self._kernel, self._target, self._build = kernel, target, Rewriter()
        self._params = {arg: spec.param for arg, spec in zip(kernel.body.args, kernel.args)}
        self._order: dict[Value, int] = {}
        for block in _blocks(kernel.body):
            for value in (*block.args, *(r for op in block.ops for r in op.results)):
                self._order[value] = len(self._order)
        self._ends: dict[object, Value] = {}
        self._made: dict[tuple[Block | None, frozenset[tuple[tuple[object, ...], int]]], Value] = {}

    def replace(self, op: _Access, tile: _Tile) -> None:
        """The access of a tile in place of that of single elements."""
        build, taken = self._build, list(op.operands)
        with build.before(op), build.located(op.loc):
            made = self._tile(op, tile)
            kept = {name: value for name, value in op.attributes.items() if value is not None}
            if isinstance(op, xetile.StoreScatter):
                build.op(xetile.StoreTile, op.value, made, [], **kept)
                build.erase(op)
            else:
                loaded = build(xetile.LoadTile, made, **kept)
                build.replace(op, self._chosen(loaded, tile.masks, op.padding))
        erase_unused(taken, build)

    def _tile(self, op: _Access, tile: _Tile) -> Value:
        parts = [list(values) for values in (tile.offsets, tile.array.sizes, tile.array.strides)]
        if tile.turned and len(tile.offsets) == 1:  # a column of memory of rank 1, which is its own only line
            pitch = self._scalar(op, tile.array.sizes[0])
            lines = self._build(arith.CeilDivUI, pitch, index(self._build, LINE_PITCH))
            whole = self._build(arith.MulI, lines, index(self._build, LINE_PITCH))
            zero, one = (index(self._build, n) for n in (0, 1))
            return self._init(op, tile, [[self._scalar(op, tile.offsets[0]), zero], [self._end(op, tile), one], [one, whole]])
        values = [[self._scalar(op, each) for each in part] for part in parts]
        values[1][0] = self._end(op, tile)
        if tile.every > 1:
            self._skip(op, tile, *values)
        if tile.turned:
            values = [[*part[:-2], part[-1], part[-2]] for part in values]
        return self._init(op, tile, values)

    def _skip(self, op: Op, tile: _Tile, offsets: list[Value], sizes: list[Value], strides: list[Value]) -> None:
        """Make sizes and strides those of an array that has every n-th line, which begins as many lines further to the right as it leaves
        out in front of its first: a message begins at whole words of any line, but at few places in memory.

        Where the array ends in front of its first it has one line all the same, behind which the tile lies.
        """
        build, every, (lines, pitch) = self._build, tile.every, (sizes[-2], strides[-2])
        divided, one = _divided(tile.offsets[-2], every), index(build, 1)
        assert divided is not None, "it is a tile"
        if divided[1] is None:
            left: Value = build(arith.AndI, offsets[-2], index(build, every - 1))
            offsets[-2] = build(arith.ShRSI, offsets[-2], index(build, every.bit_length() - 1))
            more: Value = build(arith.SubI, index(build, every - 1), left)
        else:
            left, offsets[-2], more = index(build, divided[1]), self._scalar(op, divided[0]), index(build, every - 1 - divided[1])
        strides[-2] = build(arith.MulI, pitch, index(build, every))
        sizes[-2] = build(arith.DivUI, build(arith.AddI, lines, more), index(build, every))
        if divided[1] != 0:
            sizes[-2] = build(arith.MaxSI, sizes[-2], one)
            offsets[-2] = build(arith.Select, build(arith.CmpI, left, lines, predicate="ult"), offsets[-2], one)
            sizes[-1] = build(arith.AddI, build(arith.MulI, left, pitch), sizes[-1])
            offsets[-1] = build(arith.AddI, build(arith.MulI, left, self._whole(tile, pitch)), offsets[-1])

    def _whole(self, tile: _Tile, pitch: Value) -> Value:
        """The pitch of an array, as what it is a multiple of by the rules of block messages, where launches have seen that it keeps them."""
        rules, param = self._target.block2d, self._params[tile.base]
        if rules is None or param in (self._kernel.scattered):
            return pitch
        several = rules.pitch_multiple // element_bytes(element_of(tile.base.type))
        return self._build(arith.AndI, pitch, index(self._build, -several)) if several > 1 else pitch

    def _end(self, op: Op, tile: _Tile) -> Value:
        """Where the outermost axis ends: which of several sizes is the least is found out once, in front of all loops."""
        own = self._scalar(op, tile.array.sizes[0])
        key = (tile.base, tile.ends)
        if tile.ends and key not in self._ends:
            with self._build.before(self._kernel.body.ops[0]):
                known = arith.constant_of(own)
                own = own if known is None else index(self._build, known)
                self._ends[key] = reduce(lambda one, two: self._build(arith.MinSI, one, two), tile.ends, own)
        return self._ends.get(key, own)

    def _init(self, op: _Access, tile: _Tile, parts: Sequence[Sequence[Value]]) -> Value:
        kind, order = op.tile.type, (0, 1) if tile.turned else (1, 0)
        made = xetile.TileType(kind.shape, kind.element, None, order)
        return self._build(xetile.InitTile, tile.base, *map(list, parts), result=made)

    def _chosen(self, loaded: Value, masks: Sequence[Value], padding: float) -> Value:
        """What is loaded where masks are true, the padding elsewhere."""
        if not masks:
            return loaded
        flags = VectorType(shape_of(loaded.type), I1)
        mask = reduce(lambda one, two: self._build(arith.AndI, one, two), [self._spread(mask, flags) for mask in masks])
        other = self._build(arith.Constant, value=padding, result=loaded.type)
        return self._build(arith.Select, mask, loaded, other)

    def _spread(self, mask: Value, kind: VectorType) -> Value:
        if not isinstance(mask.type, VectorType):
            return self._build(vector.Broadcast, mask, result=kind)
        dims = tuple(d for d, (have, want) in enumerate(zip(mask.type.shape, kind.shape)) if have != want)
        return self._build(xetile.TileBroadcast, mask, dims=dims, result=kind) if dims else mask

    def _scalar(self, op: Op, found: Polynomial) -> Value:
        """A polynomial of scalars as an index; the same once in a block."""
        key = (op.parent, frozenset(found.terms.items()))
        if key not in self._made:
            terms = [self._term(monomial, n) for monomial, n in found.terms.items()]
            self._made[key] = reduce(lambda a, b: self._build(arith.AddI, a, b), terms) if terms else index(self._build, 0)
        return self._made[key]

    def _term(self, monomial: Sequence[object], times: int) -> Value:
        factors = sorted((s for s in monomial if isinstance(s, Value)), key=lambda s: self._order[s])
        values = [s if s.type is INDEX else self._build(arith.IndexCast, s, result=INDEX) for s in factors]
        if times != 1 or not values:
            values.append(index(self._build, times))
        return reduce(lambda a, b: self._build(arith.MulI, a, b), values)


def _blocks(block: Block) -> list[Block]:
    return [block, *(found for op in block.ops for inner in op.regions for found in _blocks(inner))]


__all__ = ["gather_tiles"]

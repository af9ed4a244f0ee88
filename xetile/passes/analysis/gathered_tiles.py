"""Gathers and scatters of neighbours that are tiles of an array: where each lies, and what is left of its mask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xetile.dialects import xetile
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import INDEX, MemRefType, shape_of
from xetile.ir import analyses
from xetile.ir.core import Value
from xetile.passes.analysis.equal_scalars import equal_arguments, equal_scalars, known_arguments, named_scalars
from xetile.passes.analysis.hidden_lines import HiddenLines, Wrap, Wraps
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.analysis.polynomials import Place, Polynomial, Reader, compared, conjunction, number, of
from xetile.records import dataclass
from xetile.target.block_rules import MOST_STEP

ASSUMED = ("assumed_begins", "assumed_ends")
"""Attributes of accesses that say of which sides of their arrays a launch makes sure."""

Access = xetile.LoadGather | xetile.StoreScatter
Pair = tuple[Value, Value | int]
"""An argument, and another one or a number."""


@dataclass(frozen=True)
class Array:
    """An array of the kernel's: its sizes and strides, outermost first; the last stride is 1. `read`: the strides as offsets are read."""

    sizes: tuple[Polynomial, ...]
    strides: tuple[Polynomial, ...]
    read: tuple[Polynomial, ...]


class Sides(NamedTuple):
    """Axes of an array, in front of and behind which other elements follow."""

    begins: frozenset[int]
    ends: frozenset[int]


@dataclass(frozen=True)
class GatheredTile:
    """Where a tile lies in an array, and what must be true besides where it is accessed. `turned`: its rows are the array's columns.

    `every`: lines of the array from one of the tile to the next. `ends`: sizes of other arrays, up to the least of which the mask lets
    the outermost axis go.
    """

    base: Value
    array: Array
    offsets: tuple[Polynomial, ...]
    turned: bool
    every: int
    masks: tuple[Value, ...] = ()
    ends: tuple[Value, ...] = ()


def _arrays(kernel: GpuFunc, same: Mapping[Value, Value]) -> dict[Value, Array]:
    """The arrays of a kernel whose rows are neighbours, and whose other strides it is told."""
    found: dict[Value, Array] = {}
    args = kernel.specs
    told = {(spec.kind, spec.param, spec.axis): of(arg) for arg, spec in args.items()}
    for arg, spec in args.items():
        kind = arg.type
        if not isinstance(kind, MemRefType) or spec.kind != "array" or kind.rank < 1 or (kind.strides or (1,))[-1] != 1:
            continue
        sizes = [told.get(("dim", spec.param, axis)) for axis in range(kind.rank)]
        sizes = [number(n) if n is not None else size for n, size in zip(kind.shape, sizes)]
        strides = [told.get(("stride", spec.param, axis)) for axis in range(kind.rank - 1)]
        if None not in sizes and None not in strides:
            own = (*(stride for stride in strides if stride is not None), number(1))
            read = tuple(of(same.get(symbol, symbol)) if (symbol := stride.value) is not None else stride for stride in own)
            found[arg] = Array(tuple(size for size in sizes if size is not None), own, read)
    return found


def accesses(kernel: GpuFunc) -> list[Access]:
    """Gathers and scatters of a kernel."""
    return kernel.find((xetile.LoadGather, xetile.StoreScatter))


class GatheredTiles:
    """What is known of the gathers and scatters of a kernel."""

    def __init__(self, kernel: GpuFunc) -> None:
        self.ops = accesses(kernel)
        self._same = equal_arguments(kernel)
        self._arrays = _arrays(kernel, self._same)
        self._named = list(named_scalars(kernel).values())
        self._sizes = {arg for arg, spec in kernel.specs.items() if spec.kind == "dim"}
        self._numbers = analyses.get(Numbers, kernel)
        equal = {**self._same, **{value: self._same.get(found, found) for value, found in equal_scalars(kernel).items()}}
        known = known_arguments(kernel)
        self._reader = Reader(equal, numbers=known)
        self._wraps = Wraps(kernel, self._reader, equal, known)
        self._hidden = HiddenLines(kernel, self._reader, self._named)
        self._own_numbers = [value for name, value in named_scalars(kernel).items() if name[0] == "scalar"]
        self._others: list[Pair] = []
        self.open: dict[Access, Sides] = {}
        """Of the accesses asked about: those that would be tiles if nothing were accessed beyond these sides of their arrays."""

    @property
    def others(self) -> list[Pair]:
        """Of the accesses asked about: pairs of arguments that would have to be the same for more of them to be tiles, or an argument and
        what it would have to be.
        """
        place = self._named.index
        found = dict[Pair, None]()
        for one, two in (*self._others, *self._hidden.others):
            if isinstance(two, int):
                found[one, two] = None
            elif {one, two} <= {*self._named} and one is not two:
                found[(one, two) if place(one) < place(two) else (two, one)] = None
        return list(found)

    def tile_of(self, op: Access) -> GatheredTile | None:
        """The tile that an access is of; None where it is of none."""
        wraps = self._wraps_of(op)
        if wraps and not (isinstance(op, xetile.LoadGather) and all(self._hidden.hide(op.value, wrap) for wrap in wraps)):
            return None
        found = self._placed(op, wraps)
        if found is None:
            return None
        made, array, placed, bounds = found
        masks = tuple(term for term in conjunction(op.mask) if not bounds.add(term))
        wrapped = [bounds.add_end(wrap.counted.plus(wrap.end, -1)) for wrap in wraps]
        self._others += bounds.others
        if not all(wrapped) or (masks and not _may_choose(op)):
            return None
        sides = self._sides(placed, bounds, wraps)
        if sides is None:
            return None
        if not (sides.begins <= {*op.assumed_begins} and sides.ends <= {*op.assumed_ends}):
            if bounds.has_neighbours:  # single elements gathers bring as well
                self.open[op] = sides
            return None
        return GatheredTile(made.base, array, *placed, masks, tuple(bounds.nearer))

    def assumed(self, op: Access) -> Iterator[Polynomial]:
        """What must not be negative for an access to lie inside of its array on the sides on which that is assumed."""
        found = self._placed(op, self._wraps_of(op))
        assert found is not None, "it is a tile"
        _, array, placed, bounds = found
        yield from (placed.offsets[axis] for axis in op.assumed_begins)
        for axis in op.assumed_ends:
            yield array.sizes[axis].plus(number(1), -1).plus(bounds.last(axis), -1)

    def _wraps_of(self, op: Access) -> list[Wrap]:
        return self._wraps.of(op.tile.op.offsets[0]) if isinstance(op.tile.op, xetile.InitTile) else []

    def _placed(self, op: Access, wraps: Sequence[Wrap]) -> tuple[xetile.InitTile, Array, _Placed, _Bounds] | None:
        """Where an access lies, if it is a tile at all; what its mask says is not known yet."""
        made = op.tile.op
        if not isinstance(made, xetile.InitTile) or made.result.type.wg_map is not None or made.base not in self._arrays:
            return None
        reader = self._wraps.unwrapped if wraps else self._reader
        offsets, array = reader.read(made.offsets[0]), self._arrays[made.base]
        placed = None if offsets is None else _placed(offsets, array, shape_of(op.value.type))
        if offsets is not None:
            self._others += _other_strides(offsets, array, self._own_numbers) or _other_pitches(offsets, array)
        # Numbers of i64 may be larger than a tile's offsets, where a mask says so.
        if placed is None or any(s.type is not INDEX for place in placed[0] for s in place.symbols if isinstance(s, Value)):
            return None
        ends = [of(self._same.get(s, s)) if (s := n.value) is not None else n for n in array.sizes]
        return made, array, placed, _Bounds(reader, ends, self._sizes, placed, shape_of(op.value.type))

    def _sides(self, placed: _Placed, bounds: _Bounds, wraps: Sequence[Wrap]) -> Sides | None:
        """The sides of its array beyond which an access must not reach to be a tile, where its mask does not say so: beyond those of its row
        and its matrix other elements of the array follow, which tiles leave out. Behind the array there is nothing.

        None where nobody knows: what wraps around must not begin in front of the array; and what lies in front of a line is another one
        where a tile has every n-th alone. Of an access that nothing bounds all sides are asked for: simulators tell where it is outside.
        """
        offsets, last = placed.offsets, len(placed.offsets) - 1
        if placed.every > 1 and not self._is_natural(offsets[last]):
            return None
        axes = range(max(1 if bounds.ends else 0, last - 1), last + 1)
        begins = {axis for axis in axes if axis not in bounds.begins and not self._is_natural(offsets[axis])}
        for wrap in wraps:
            if not self._is_natural(wrap.first):
                axis = next((axis for axis in range(len(offsets)) if offsets[axis] == wrap.first), None)
                if axis is None:
                    return None
                begins.add(axis)
        return Sides(frozenset(begins), frozenset(axis for axis in axes if axis not in bounds.ends))

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


def _placed(offsets: Polynomial, array: Array, shape: Sequence[int]) -> _Placed | None:
    """Where a tile lies, each of whose lines is `MOST_STEP` lines of the array behind the one before at most; None where it is no tile."""
    by_row = offsets.part(Place.ROW)
    by_column = None if by_row is None else by_row[1].part(Place.COLUMN)
    if by_row is None or by_column is None or {Place.ROW, Place.COLUMN} & (by_row[0].symbols | by_column[0].symbols):
        return None
    steps, rest = (by_row[0], by_column[0]), by_column[1]
    pitch = array.read[-2] if len(array.read) > 1 else None

    def lines(steps: Sequence[Polynomial], shape: Sequence[int]) -> int:
        if shape[1] > 1 and steps[1] != number(1):
            return 0
        return 1 if shape[0] == 1 else _multiple(steps[0], pitch)

    every, turned = lines(steps, shape), False
    if not every:
        every, turned = lines(steps[::-1], shape[::-1]), True
    if not every:
        return None
    places: list[Polynomial] = []
    for stride in array.read[:-1]:
        ((symbol,),) = stride.terms
        part = rest.part(symbol)
        if part is None:
            return None
        places.append(part[0])
        rest = part[1]
    own = {symbol for stride in array.read[:-1] for symbol in stride.symbols}
    if any(own & place.symbols for place in (*places, rest)):
        return None
    outer = [bool(place.terms) for place in places[:-1]]
    # Where an inner index alone is given it may count on through the outer ones.
    if outer != sorted(outer, reverse=True) or (every > 1 and divided(places[-1], every) is None):
        return None
    return _Placed((*places, rest), turned, every)


def _other_strides(offsets: Polynomial, array: Array, numbers: Sequence[Value]) -> list[Pair]:
    """(a number of the user's, the stride of an array that it would have to be), where offsets take as many numbers for strides as the array
    has, with its last or without: people pass strides in the order of axes.
    """
    taken = [n for n in numbers if all(len(monomial) > 1 for monomial in offsets.terms if n in monomial) and n in offsets.symbols]
    if len(taken) not in (len(array.read), len(array.read) - 1):
        return []
    strides = [stride.known if stride.known is not None else stride.value for stride in array.read]
    return [(mine, stride) for mine, stride in zip(taken, strides) if stride is not None]


def _other_pitches(offsets: Polynomial, array: Array) -> Iterator[tuple[Value, Value]]:
    """(an array's pitch, what would have to be it) for what offsets take in its place: from row to row, or as the length of its rows."""
    pitch = array.read[-2].value if len(array.read) > 1 else None
    if pitch is None or pitch in offsets.symbols:
        return
    steps = [part[0] for place in Place if (part := offsets.part(place)) is not None]
    taken = {symbol for step in steps if (symbol := step.value) is not None}
    length = array.sizes[-1].value
    yield from ((pitch, symbol) for symbol in taken | {length} if symbol is not None and symbol in offsets.symbols)


def _multiple(step: Polynomial, pitch: Polynomial | None) -> int:
    """How many times an array's pitch a step is, `MOST_STEP` times at most; 0 for other steps."""
    if pitch is None:
        return 0
    ((symbols, n),) = pitch.terms.items()
    times, rest = divmod(step.terms.get(symbols, 0), n)
    return times if 1 <= times <= MOST_STEP and rest == 0 and step == pitch.times(number(times)) else 0


def divided(place: Polynomial, every: int) -> tuple[Polynomial, int | None] | None:
    """(the line of an array of every n-th one, which of n it is) by the line of the array: (place, None) where launches find out.

    None where nobody finds out by shifts.
    """
    known = place.terms.get((), 0)
    if all(n % every == 0 for symbols, n in place.terms.items() if symbols):
        parts = {symbols: n // every for symbols, n in place.terms.items()}
        return Polynomial({symbols: n for symbols, n in parts.items() if n}), known % every
    return None if every & (every - 1) else (place, None)


class _Bounds:
    """Along which axes a mask says where the array ends, and where it begins. `others`: (size of the array, what would have to be it)."""

    def __init__(self, reader: Reader, ends: Sequence[Polynomial], sizes: set[Value], placed: _Placed,
                 shape: Sequence[int]) -> None:  # fmt: skip
        self._reader, self._own, self._sizes = reader, ends, sizes
        self._offsets, turned, self._every = placed
        self._places = (Place.COLUMN, Place.ROW) if turned else (Place.ROW, Place.COLUMN)
        self._extents = tuple(shape[place.value] for place in self._places)
        self.ends: set[int] = set()
        self.begins: set[int] = set()
        self.nearer: dict[Value, None] = {}
        self.others: list[tuple[Value, Value]] = []

    @property
    def has_neighbours(self) -> bool:
        """Whether several of the access's elements follow each other in memory."""
        return self._extents[1] > 1

    def last(self, axis: int) -> Polynomial:
        """The last place of the access along an axis."""
        behind = len(self._own) - 1 - axis
        extent, step = ((self._extents[1], 1), (self._extents[0], self._every))[behind] if behind < 2 else (1, 1)
        return self._offsets[axis].plus(number((extent - 1) * step))

    def add(self, term: Value) -> bool:
        """Whether a mask is a bound of the array, which is noted."""
        sides = compared(term, self._reader)
        if sides is None or term.op is None:
            return False
        without_sign, below = term.op.attributes["predicate"].startswith("u"), sides[0].plus(sides[1], -1)
        if self.add_end(below):
            if without_sign:  # what is below zero is large
                self._add_begin(number(-1).plus(sides[0], -1))
            return True
        return not without_sign and self._add_begin(below)

    def add_end(self, below: Polynomial) -> bool:
        """Whether what has a number below zero is all that lies in front of the array's end, which is noted."""
        end = self._end(below)
        self.ends.update(() if end is None else (end,))
        return end is not None

    def _add_begin(self, below: Polynomial) -> bool:
        begin = self._begin(below)
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
        for axis, end in ends if own is None else ():
            mine, other = self._own[axis].value, end.value
            if mine is not None and other is not None:
                self.others.append((mine, other))
        return own

    def _size(self, end: Polynomial) -> Value | None:
        """The size of an array that a number is."""
        symbol = end.value
        return symbol if symbol in self._sizes else None

    def _begin(self, below: Polynomial) -> int | None:
        """The axis along which all places from the array's beginning on, and no others, have a number below zero."""
        begins = ((axis, self._offsets[axis].plus(rest).plus(number(1))) for axis, rest in self._axes(below, -1))
        return next((axis for axis, begin in begins if not begin.terms), None)


def _may_choose(op: Access) -> bool:
    """Whether what is loaded may be chosen from: products take it as it comes."""
    return isinstance(op, xetile.LoadGather) and not any(isinstance(user, xetile.TileMma) for user in op.value.users)

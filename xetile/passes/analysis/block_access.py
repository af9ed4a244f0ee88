"""Which tiles 2D block messages may access: what of their rules is known when a kernel is compiled.

Address, sizes and pitch of the arrays themselves are looked at at each launch (runtime/specialize.py). What is left: sizes and
strides that the kernel gives in place of the array's, and where along a row of memory a tile begins.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property

from xetile.dialects import arith, xetile
from xetile.dialects.affine import affine_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import MemRefType
from xetile.ir import analyses
from xetile.ir.core import Value, type_of
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.alignment import Rest
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.every_line import every_line
from xetile.passes.analysis.lane_runs import RowRuns
from xetile.passes.analysis.lengths import Lengths, least_of
from xetile.passes.analysis.numbers import Numbers
from xetile.target import Target
from xetile.target.block_rules import LINE_PITCH

RANK = 2
FEWEST_LINES = 8
"""Lines of a tile in which an array may end, from which on two messages of all of them cost less than a message for each."""


class BlockAccess:
    """What is known of the tiles of a blocked module."""

    def __init__(self, module: GpuModule, target: Target) -> None:
        kernel = module.kernel
        scattered = frozenset(kernel.scattered)
        self._rules = target.block2d
        self._spec = kernel.specs
        self._own: dict[Value, str] = {a: spec.param for a, spec in self._spec.items()}
        rank = {spec.param: a.type.rank for a, spec in kernel.specs.items() if isinstance(a.type, MemRefType)}
        self._outer = {a for a, spec in kernel.specs.items() if spec.kind == "stride" and spec.axis < rank[spec.param] - 2}
        self._free, self._far = (frozenset(kernel.attributes.get(mark) or ()) for mark in ("free", "far"))
        self._lines, self._long = (frozenset(kernel.attributes.get(mark) or ()) for mark in ("lines", "long"))
        self._scattered = {a for a, param in self._own.items() if param in scattered}
        self._lengths = Lengths(kernel, scattered)
        self._no_lines = {*rank} - self._lines | (scattered - self._long)
        self._numbers = analyses.get(Numbers, kernel)
        self._module, self._target = module, target
        self._classes = analyses.get(AliasClasses, module)
        self.near: dict[tuple[str, int], int] = {}
        """By array and axis, less than how many elements are from row to row of what messages reach every n-th row of."""
        self._together: dict[Value, list[xetile.InitTile]] = {}
        for op in kernel.find(xetile.InitTile):
            self._together.setdefault(self._classes.root(op.result), []).append(op)

    def made_by(self, tile: Value) -> list[xetile.InitTile]:
        """The init_tiles whose tiles a tile may be."""
        return self._together[self._classes.root(tile)]

    def is_scattered(self, op: xetile.InitTile) -> bool:
        """Whether the array of an init_tile breaks the rules, as its launch has seen."""
        return op.base in self._scattered

    def reaches(self, op: xetile.InitTile) -> bool:
        """Whether the memory of an init_tile, and of those that control flow brings together with it, keeps the rules."""
        return all(map(self._reaches, self._together[self._classes.root(op.result)]))

    def varying(self, op: xetile.InitTile) -> tuple[tuple[str, int], ...]:
        """Which leading offsets, sizes and strides differ between the tiles that control flow brings together, as (field, position)."""
        several = self._together[self._classes.root(op.result)]
        fields = {"leading": lambda o: o.offsets[:-2], "shape": lambda o: o.shape, "strides": lambda o: o.strides}
        row = 1 if len(op.offsets) == 1 else 0  # memory of rank 1 becomes one row
        return tuple(
            (name, row + i)
            for name, part in fields.items()
            for i, values in enumerate(zip(*map(part, several)))
            if len(set(map(known, values))) > 1
        )

    def _reaches(self, op: xetile.InitTile) -> bool:
        if self._rules is None or op.result.type.space or op.base in self._scattered:
            return False
        known = None not in map(arith.constant_of, (*op.shape, *op.strides))
        return self._are_legal(op) if known and len(op.shape) > 1 else self._are_own(op)

    def _are_own(self, op: xetile.InitTile) -> bool:
        """Whether sizes and strides are the array's, as the launch has seen them."""
        known = {1, *(op.base.type.shape or ()), *(op.base.type.strides or ())} - {None}
        own = self._own.get(op.base, op)

        def is_own(value: Value) -> bool:
            return arith.constant_of(value) in known or self._own.get(value) == own

        shape, strides, size = list(op.shape), list(op.strides), element_bytes(op.result.type.element)
        if not self.keeps_axes(op):
            return False
        along = -1 if op.result.type.order == (1, 0) else -2
        if len(strides) > 1:
            shape, strides = self._of_all_lines(op, shape, strides, is_own)
        # A row may also end where one of another array does, if that is nearer.
        if self._lengths.is_row(shape[along], size):
            shape[along] = next(filter(is_own, least_of(shape[along])), shape[along])
        if len(strides) > 1:
            away = 0 if op.result.type.order == (1, 0) else 1  # of the last two axes, the one along which lines follow each other
            # One line: its pitch is never used, but has to be one that messages take.
            if arith.constant_of(op.shape[away - 2]) == 1 and 1 << self._numbers.zeros(strides[away - 2])[0] >= LINE_PITCH:
                del strides[away - 2]
            # Messages take any number of lines that the array has, so a tile may end before it does.
            if self._at_most(shape[away - 2], is_own) and self._is_positive(shape[away - 2], is_own):
                del shape[away - 2]
        return all(map(is_own, (*shape, *strides)))

    def _of_all_lines(self, op: xetile.InitTile, shape: list[Value], strides: list[Value],
                      is_own: Callable[[Value], bool]) -> tuple[list[Value], list[Value]]:  # fmt: skip
        """Sizes and strides of the array where a tile's are those of every n-th line: these keep the rules if the array's do, but where its
        lines are far apart.
        """
        away, along = (-2, -1) if op.result.type.order == (1, 0) else (-1, -2)
        if self._spec.get(strides[away]) is not None or arith.constant_of(strides[away]) is not None:
            return shape, strides

        def is_pitch(value: Value) -> bool:
            spec = self._spec.get(value)
            return spec is not None and spec.kind == "stride" and is_own(value) and spec.axis >= op.base.type.rank - RANK

        found = every_line(shape[along], strides[away], is_pitch)
        spec = None if found is None else self._spec[found.pitch]
        if found is None or spec is None or spec.param in self._far:
            return shape, strides
        assert self._rules is not None, "an array's tiles are accessed by messages"
        self.near[spec.param, spec.axis] = self._rules.near_pitch_bytes // element_bytes(op.result.type.element)
        shape[along], strides[away] = found.row, found.pitch
        return shape, strides

    def _is_positive(self, value: Value, is_own: Callable[[Value], bool]) -> bool:
        """Whether a number of lines is 1 at least: messages hold one less."""
        op = value.owner
        if self._numbers.interval(value)[0] >= 1 or self._lengths.is_present(value):
            return True
        if isinstance(op, arith.MinSI):
            return all(self._is_positive(v, is_own) for v in op.operands)
        if isinstance(op, arith.DivUI) and (by := arith.constant_of(op.operands[1])) is not None:
            lines = affine_of(op.operands[0])
            return any(lines.less(v) == by - 1 and self._is_positive(v, is_own) for v in lines.coefficients)
        return is_own(value) or (isinstance(op, arith.MaxSI) and any(self._is_positive(v, is_own) for v in op.operands))

    def _at_most(self, value: Value, is_own: Callable[[Value], bool]) -> bool:
        """Whether a number of lines is the array's at most; an array that messages access has one at least."""
        op = value.owner
        if isinstance(op, arith.MinSI):
            return any(self._at_most(v, is_own) for v in op.operands)
        if isinstance(op, arith.DivUI) and self._is_part(op, is_own):
            return True
        return is_own(value) or (isinstance(op, arith.MaxSI) and all(self._at_most(v, is_own) for v in op.operands))

    def _is_part(self, op: arith.Binary, is_own: Callable[[Value], bool]) -> bool:
        """Whether a quotient is of a number of lines, rounded up at most."""
        by, found = arith.constant_of(op.operands[1]), affine_of(op.operands[0])
        lines = next((v for v, n in found.coefficients.items() if n == 1 and self._at_most(v, is_own)), None)
        if not isinstance(by, int) or lines is None:
            return False
        low = high = found.constant
        for value, n in found.coefficients.items():
            if value is not lines:
                ends = [n * end for end in self._numbers.interval(value)]
                low, high = low + min(ends), high + max(ends)
        return low >= 0 and high < by

    def keeps_axes(self, op: xetile.InitTile) -> bool:
        """Whether, of the axes of a tile's array, none is dropped that lies among the last two, or none obeys other rules than those."""
        return self._own.get(op.base) in self._free or all(self._is_outer(op, stride) for stride in op.strides[:-2])

    def _is_outer(self, op: xetile.InitTile, stride: Value) -> bool:
        """Whether steps of a stride keep a tile's base where messages take it: those between matrices are looked at, those between
        rows are not, along which a tile's base lies where a view drops the last axis but one (`A[:, h]`).
        """
        assert self._rules is not None
        known = arith.constant_of(stride)
        if known is None:
            return stride in self._outer
        return bool(known * element_bytes(op.result.type.element) % self._rules.base_alignment == 0)

    def _are_legal(self, op: xetile.InitTile) -> bool:
        """Whether known sizes and strides keep the rules."""
        assert self._rules is not None
        transposed = op.result.type.order == (0, 1)
        sizes, strides = ([arith.constant_of(v) for v in part] for part in (op.shape, op.strides))
        (rows, columns), pitch = (sizes[-2:], strides[-2]) if not transposed else (sizes[:-3:-1], strides[-1])
        size = element_bytes(op.result.type.element)
        if any(stride * size % self._rules.base_alignment for stride in strides[:-2]):
            return False
        return not self._rules.check(0, columns * size, rows, pitch * size, elem_bytes=size)

    def aligned(self, tile: Value) -> bool:
        """Whether a tile always begins at a coordinate that messages take (SPV_INTEL_2d_block_io: whole 32-bit words)."""
        kind = type_of(tile, xetile.TileType)
        if self._rules is None:
            return False
        multiple = self._rules.x_multiple_of(element_bytes(kind.element))
        return multiple <= 1 << self._along(tile).zeros

    def begins_in_words(self, tile: Value) -> bool:
        """Whether messages reach a tile all the same where it may begin at other coordinates: they bring it from the word on."""
        kind = type_of(tile, xetile.TileType)
        if self._rules is None or not kind.is_block or self.aligned(tile):
            return False
        return all(map(self.reaches, self.made_by(tile)))

    def moves_rows_beside(self, tile: Value) -> bool:
        """Whether messages bring at most twice the rows that a tile has (of bytes eight at least), and no others fill registers."""
        kind = type_of(tile, xetile.TileType)
        if self._rules is None or kind.order == (0, 1):
            return True
        messages = self._rules.messages("load", element_bytes(kind.element), width=self._rules.lanes)
        return min((m.height for m in messages), default=1) <= 2 * kind.shape[0]

    def behind_word(self, tile: Value) -> int | None:
        """How many elements behind the begin of a 32-bit word of memory a tile always begins; None where that is not known."""
        kind = type_of(tile, xetile.TileType)
        assert self._rules is not None
        multiple, place = self._rules.x_multiple_of(element_bytes(kind.element)), self._along(tile)
        return place.value % multiple if multiple <= 1 << place.digits else None

    def _along(self, tile: Value) -> Rest:
        """What is known of where along a row of memory a tile begins."""
        return self._numbers.rests(tile)[0 if type_of(tile, xetile.TileType).order == (0, 1) else 1]

    def line(self, tile: Value) -> int:
        """Elements of a line, where a tile of one row is several of an array of one dimension; else 0. Few are not worth it where the array
        may end inside of a line, and rows of it are reached as well.

        A line is a row of the least length that block messages take.
        """
        kind = type_of(tile, xetile.TileType)
        if self._rules is None or not kind.is_block or kind.order != (1, 0) or kind.element.bits < 8:
            return 0
        line = self._rules.min_width_bytes // element_bytes(kind.element)
        if kind.shape[0] != 1 or kind.shape[1] % line or kind.shape[1] == line or line > 1 << self._numbers.zeros(tile)[1]:
            return 0
        made = self.made_by(tile)
        few = kind.shape[1] // line < FEWEST_LINES and not any(map(self.is_scattered, made)) and self.ends_inside(tile)
        return line if not few and all(map(self._has_lines, made)) else 0

    def ends_inside(self, tile: Value) -> bool:
        """Whether the array of a tile may end inside of a line."""
        return not all(map(self._is_lines, self.made_by(tile)))

    def _has_lines(self, op: xetile.InitTile) -> bool:
        """Whether an init_tile is of all of an array of one dimension, of which the launch has found that it begins at a line and has one."""
        if self._rules is None or arith.constant_of(op.strides[-1]) != 1 or not self._begins_at_lines(op):
            return False
        is_long = self._own.get(op.base) in self._long and not op.result.type.space and self._are_own(op)
        if not is_long and not self._reaches(op):
            return False
        known = arith.constant_of(op.shape[-1])
        return known is None or known * element_bytes(op.result.type.element) >= self._rules.min_width_bytes

    def _begins_at_lines(self, op: xetile.InitTile) -> bool:
        """Whether rows of the memory of an init_tile begin at lines: there is one, or they lie whole lines apart."""
        if len(op.shape) == 1:
            return True
        assert self._rules is not None
        pitch, size, line = op.strides[-2], element_bytes(op.result.type.element), self._rules.min_width_bytes
        known, spec = arith.constant_of(pitch), self._spec.get(pitch)
        if known is not None:
            return known * size % line == 0 and not op.result.type.space
        return spec is not None and spec.kind == "stride" and self._own.get(op.base) == spec.param in self._free

    def _is_lines(self, op: xetile.InitTile) -> bool:
        """Whether the launch has found besides that it is nothing but whole lines, or the type says so."""
        if self._rules is None or not self._has_lines(op):
            return False
        param, length, size = self._own.get(op.base), op.shape[-1], element_bytes(op.result.type.element)
        if (known := arith.constant_of(length)) is not None:
            return bool(known * size % self._rules.min_width_bytes == 0)
        ends = [self._own.get(v) for v in least_of(length)]
        return len(op.shape) == 1 and param in self._lines and param in ends and self._of_lines.is_row(length, size)

    @cached_property
    def _of_lines(self) -> Lengths:
        return Lengths(self._module.kernel, self._no_lines)

    @cached_property
    def _runs(self) -> RowRuns:
        return analyses.get(RowRuns, self._module, self._target)

    def run(self, tile: Value) -> int:
        """Neighbours in a row of a tile that lanes may access at once, without block messages."""
        return self._runs.length if self._target.lane_run > 1 and self._runs.reach(tile) else 1


def known(value: Value) -> Hashable:
    """A value, or the constant that it is."""
    number = arith.constant_of(value)
    return value if number is None else number

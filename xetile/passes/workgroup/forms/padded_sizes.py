"""Which sizes of tiles and values are rounded up, and to what (`pad_tiles`)."""

from __future__ import annotations

from functools import cached_property
from math import lcm

from xetile.dialects import scf, xetile
from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir import analyses
from xetile.ir.core import Value
from xetile.passes.analysis.block_access import BlockAccess
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.products import mma_types
from xetile.passes.workgroup.forms.padding_work import PaddingWork
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES

# So that they can be distributed over many subgroups, small sizes become powers of two, larger ones quarters of one.
STEPS, SMALL = 4, 128
SMALL_IN_WORDS = 256  # columns of whole words: their messages are one of each lane wide, and a power of two of them is the fewest
CLEARLY = 0.97
"""Another size is taken where a subgroup's work is estimated to be no more than it was, and all of theirs so much of it."""


def rows_and_columns(value: Value) -> tuple[int, int] | None:
    """Rows and columns of a tile or a value."""
    kind = value.type
    if not isinstance(kind, (VectorType, xetile.TileType)) or len(kind.shape) != 2:
        return None
    rows, columns = kind.shape
    return rows, columns


class Sizes:
    """The sizes of a kernel's tiles: which are rounded, and to what."""

    def __init__(self, module: GpuModule, target: Target) -> None:
        self._module, self._target, self._ops = module, target, list(module.walk())
        ops = self._ops
        self.lanes = target.subgroup_size * target.lane_run  # columns that all lanes hold at once
        shapes = {shape for op in ops for v in op.results if (shape := rows_and_columns(v)) is not None}
        self.rows = {rows for rows, _ in shapes}
        self.columns = {columns for _, columns in shapes}
        self.linked = module.has((xetile.TileTranspose, xetile.TileMma))
        made = [op.result.type for op in module.find(xetile.InitTile)]
        self.in_words = {kind.shape[1] for kind in made if element_bytes(kind.element) >= WORD_BYTES}
        self.summed = {op.source.type.shape[1] for op in module.find(xetile.TileReduce) if tuple(op.dims) == (0,)}
        self.block_rows = target.block_rows
        self.steps = self._steps(module, target)
        self.kept = {n for n, step in self.steps.items() if n % step == 0}
        # Behind what a subgroup brings to shared memory lies what the next one brings.
        brought = [v for op in ops if "lane_map" in op.attributes for v in (*op.operands, *op.results)]
        self.shares = {(dim, n) for v in brought for dim, n in enumerate(rows_and_columns(v) or ())}

    @cached_property
    def by_blocks(self) -> set[int]:
        """Columns that block messages may move, as far as the arrays' own rules go."""
        if self._target.block2d is None:
            return set()
        access = analyses.get(BlockAccess, self._module, self._target)
        apart = {op.result.type.shape[-1] for op in self._module.find(xetile.InitTile) if access.is_scattered(op)}
        return self.columns - apart

    @property
    def _weigh(self) -> bool:
        """Layouts of products follow other rules, and where accesses are element by element the fewest elements are the least work."""
        with_products = self.steps or self._module.has(xetile.TileMma)
        return not with_products and self.by_blocks == self.columns

    @staticmethod
    def _steps(module: GpuModule, target: Target) -> dict[int, int]:
        """For columns and depths of products what they have to be multiples of: whole steps of DPAS. Where no block message loads them they
        are powers of two, which a workgroup shares out evenly, but what tiles move on by.
        """
        steps: dict[int, int] = {}
        shared = target.block2d is None and module.kernel.level != "subgroup"
        moves = {constant_of(op.step) for op in module.find(scf.For)}
        for op in module.find(xetile.TileMma):
            mma = target.find_mma(*mma_types(op))
            if mma is not None:
                for size, step in zip(op.b.type.shape, (mma.k, mma.n)):
                    power = 1 << (size - 1).bit_length() if shared and size not in moves else 1
                    steps[size] = lcm(step, power, steps.get(size, 1))
        return steps

    def rounded(self, *, alone: bool) -> dict[tuple[int, int], int]:
        """What each size along a dimension becomes that is not whole. `alone`: even numbers of rows stay, since they are
        distributed no further. Where no op makes rows of columns, the same size may become another one along each of them.
        """
        stay = {n for n in self.rows - self.columns if n <= self.block_rows or n % 2 == 0} if alone else set()
        if self.linked:
            sizes = {n: self._whole(n, alone, n in self.rows, n in self.columns) for n in self.rows | self.columns}
            found = {(dim, n): sizes[n] for dim, every in enumerate((self.rows, self.columns)) for n in every - stay}
        else:
            stay = {n for n in self.rows if n <= self.block_rows or n % 2 == 0} if alone else set()
            found = {(0, n): self._whole(n, alone, True, False) for n in self.rows - stay}
            found |= {(1, n): self._whole(n, alone, False, True) for n in self.columns}
        if not alone and self._weigh:
            self._choose(found)
        return {
            key: whole for key, whole in found.items() if whole != key[1] and key[1] not in self.kept and key not in self.shares
        }

    def _choose(self, found: dict[tuple[int, int], int]) -> None:
        """Take less than the next powers of two only where no subgroup has more work for that: even where more is computed, it may come
        by fewer messages, and more subgroups may have a part of it.
        """
        work = PaddingWork(self._ops, self._module.kernel.num_subgroups, self._target)

        def rounded(shape: tuple[int, int]) -> tuple[int, int]:
            return found.get((0, shape[0]), shape[0]), found.get((1, shape[1]), shape[1])

        powers = {key: max(whole, 1 << (key[1] - 1).bit_length()) for key, whole in found.items()}
        given = dict(found)
        found.update(powers)
        most, least = work.of(rounded)
        for dim, size in sorted(found, key=lambda key: -key[1]):
            together = [(d, size) for d in (0, 1) if (d, size) in found] if self.linked else [(dim, size)]
            unit = self.lanes if any(d for d, _ in together) else self.block_rows
            before = found[dim, size]
            for whole in {given[dim, size], -(-size // unit) * unit} - {before} if size > unit else ():
                found.update(dict.fromkeys(together, whole))
                each, every = work.of(rounded)
                if each <= most and every < least * CLEARLY:
                    least, before = every, whole
            found.update(dict.fromkeys(together, before))

    def _whole(self, size: int, alone: bool, is_rows: bool, is_columns: bool) -> int:
        unit = self.lanes if is_columns else self.block_rows  # rows that do not fill their lanes have no block stores
        power = 1 << (size - 1).bit_length()
        unit = lcm(unit, self.steps.get(size, 1))
        if size <= unit:
            if not alone and 1 < size < unit and is_columns and not is_rows and size in self.by_blocks:
                return unit  # block messages leave out what lies beside a tile; lanes that share rows move element by element
            return max(power, self.steps.get(size, 1))
        if alone:
            return -(-size // unit) * unit
        # The fewer subgroups columns are distributed over, the more of them have parts of one column, and each reads the sums of all others.
        summed = is_columns and size in self.summed
        step = max(unit, power // (STEPS if summed else 2 * STEPS))
        whole = -(-size // step) * step
        if power - whole <= power // (2 * STEPS):
            return power
        if size % (step if is_columns else unit) == 0:
            return size
        small = SMALL_IN_WORDS if is_columns and (summed or (size in self.in_words and size in self.by_blocks)) else SMALL
        return power if size <= small and size not in self.steps else whole

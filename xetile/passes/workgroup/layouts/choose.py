"""Layouts and numbers of subgroups where the user gives none; every number comes from the target.

Rules, each the first that separates the candidates:
- products: no redundant work, the bound dimension whole, operands that are worked out in each step in the fewest ops (as registers
  allow), fewest bytes of A and B per subgroup, more rows of subgroups;
- other tiles: no redundant work, rows of whole lanes, the bound dimension whole, fewest messages, rows before columns;
- prefetches: fewest messages per subgroup, no redundant ones, the widest rows; several tiles at once by parts of the subgroups;
- num_subgroups: the fewest with which what is live at one time fits a subgroup's registers; a power of two, or a number by which the
  blocks of products can be divided, where that is clearly less work (`planned.py`).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from math import gcd, prod
from typing import Literal

from xetile.layout import Layout
from xetile.passes.analysis.product_order import Part, bits
from xetile.passes.analysis.products import MmaTypes
from xetile.passes.workgroup.layouts.once import handed_on
from xetile.records import dataclass
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES

LIVE_VALUES = 7
"""Values of the largest tile's size that a kernel without products is planned to hold at one time."""

BESIDE_STAYING = 0.75
"""The share of the registers that a kernel is planned to fill where an operand B stays in them for a whole loop."""

COLUMN, FEWEST_ROWS = 4, 4
"""Messages that cost what it does to move a column of some rows to as many lanes, and to store it; and how many rows these are at least."""

Shape = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Product:
    """A tile_mma as the choice sees it.

    bound   the dimension of the result that should not be split, if any.
    ops     by how many ops each element of A and of B is worked out in each step from what is loaded.
    stays   whether B is made before the loop that multiplies by it: all of it stays in registers.
    comes   whether A comes as it is loaded, and at most masked.
    again   whether A was loaded before that loop, and can be loaded again in each iteration (reload_operands).
    goes_on whether its sums are the accumulator of another product, behind its loop or with operands that are worked out: they lie in
            the same registers.
    once    the same ops where the operand can be worked out once, to change hands between subgroups; else 0.
    passes  whether B is worked out, and multiples of the product are added to sums that a loop carries: it passes by, some rows at a time.
    """

    m: int
    n: int
    k: int
    types: MmaTypes
    bound: int | None = None
    ops: tuple[int, int] = (0, 0)
    stays: bool = False
    goes_on: bool = False
    passes: bool = False
    comes: bool = True
    again: bool = False
    once: tuple[int, int] = (0, 0)

    def operand_ops(self, rows: int, columns: int, subgroups: int, target: Target) -> float:
        """Ops, counted for each element, by which one subgroup works its part of A and B out; or what it takes to hand these on."""
        work = 0.0
        for ops, once, mine, whole, name in zip(self.ops, self.once, (rows, columns), (self.m, self.n), self.types[:2]):
            alone: float = self.k * mine * ops
            if once:
                handed = handed_on(once, self.k * mine, (self.k * whole, bits(name) // 8), subgroups, target)
                alone = min(self.k * mine * max(ops, once), handed * target.subgroup_size)
            work += alone
        return work

    def operand_bytes(self, rows: int, columns: int) -> int:
        """Bytes of A and B that one subgroup loads for its part of the result."""
        return self.k * (rows * bits(self.types[0]) + columns * bits(self.types[1])) // 8

    def part(self, rows: int, columns: int) -> Part:
        """What one subgroup multiplies for its part of the result."""
        return Part(rows, columns, self.k, self.types)

    def live_bytes(self, rows: int, columns: int, target: Target) -> int:
        """Bytes of A and B that are live at one time for a part; B that is worked out may stay while A passes by.

        All rows of a B that stays.
        """
        part = self.part(rows, columns)
        if self.passes:
            return part.bytes_passing(target)
        if not self.comes and not self.stays and part.columns_at_a_time(target) < columns:
            found = part.bytes_by_columns(target)
        elif self.stays:
            found = part.operand_bytes(rows, self.k)
        else:
            found = (part._replace(depth=part.depth_of_message(target)) if self.again else part).bytes_by_depth(target)
        return min(found, part.bytes_by_rows(target), part.bytes_by_parts(target)) if self.ops[1] else found


def choose_product(product: Product, subgroups: int, target: Target) -> Layout:
    """The layout of a product's result over so many subgroups."""
    mma = target.find_mma(*product.types)
    blocks = (max((s for s in mma.m if product.m % s == 0), default=1), mma.n) if mma else (1, target.subgroup_size)
    whole = product.bound
    budget = target.largest_grf

    def cost(candidate: Layout) -> tuple[object, ...]:
        rows, columns = candidate.sg_data
        redundant = subgroups * rows * columns > product.m * product.n
        split_bound = whole is not None and candidate.sg_data[whole] < (product.m, product.n)[whole]
        live = product.part(rows, columns).acc_bytes + product.live_bytes(rows, columns, target)
        spills = any(product.ops) and live > budget
        work = product.operand_ops(rows, columns, subgroups, target)
        return redundant, split_bound, spills, work, product.operand_bytes(rows, columns), -candidate.sg_layout[0]

    return min(_candidates((product.m, product.n), subgroups, blocks), key=cost)


@dataclass(frozen=True, slots=True)
class Traffic:
    """An access to memory that moves a tile: the kind of its block messages, and the size of an element.

    `columns`: how many of the tile's are written, where a padded tile is stored. "transpose": loads of column-major memory, whose
    lines are the tile's columns; elements narrower than 32 bits come in words of neighbours there (SPV_INTEL_2d_block_io).
    """

    kind: Literal["load", "transpose", "store"]
    elem_bytes: int
    columns: int | None = None

    def messages(self, rows: int, columns: int, target: Target) -> int:
        """Messages of one subgroup for its part, in rows of one element for each lane."""
        blocks, size = target.block2d, self.elem_bytes
        if self.kind == "transpose":
            size = max(size, WORD_BYTES)
            words, left = divmod(rows * self.elem_bytes, size)
            if blocks is None or left:
                return rows * columns
            found = blocks.plan("transpose", size, columns, words) or blocks.cover_transposed(columns, words)
            return rows * columns if found is None else len(found)
        found = blocks.plan(self.kind, size, rows, columns, width=target.subgroup_size) if blocks else ()
        if found is None:
            return rows * columns
        # Of rows that end inside of a word the last columns go alone: row by row, or moved to the lanes, as many rows as there are at once.
        written = (self.columns or 0) * self.elem_bytes
        cut = written % blocks.width_multiple // self.elem_bytes if blocks else 0
        together = gcd(rows, target.subgroup_size)
        by_lanes = together >= FEWEST_ROWS and (cut == 1 or together == target.subgroup_size)
        last = min(rows, COLUMN * cut * rows // together) if by_lanes else rows
        return min(len(found) + last, rows * -(-columns // target.subgroup_size)) if cut else len(found)


def choose_plain(
    shape: Shape,
    subgroups: int,
    target: Target,
    bound: int | None = None,
    traffic: Sequence[Traffic] = (),
    block: Shape | None = None,
) -> Layout:
    """The layout of a tile that no product shapes: by `bound` 0 columns over subgroups first, by 1 rows; else few messages.

    block: rows and columns that stay together where they can, as products take them from shared memory.
    """
    columns_first = bound == 0
    lanes = target.subgroup_size

    def cost(candidate: Layout) -> tuple[object, ...]:
        rows, columns = candidate.sg_data
        redundant = subgroups * rows * columns > shape[0] * shape[1]
        partial_lanes = columns % lanes != 0 and shape[1] % lanes == 0
        messages = 0 if bound is not None else sum(t.messages(rows, columns, target) for t in traffic)
        cut = block is not None and bool(rows % block[0] or columns % block[1])
        return partial_lanes, cut, redundant, messages, -candidate.sg_layout[columns_first]

    return min(_candidates(shape, subgroups, (1, lanes)) + _candidates(shape, subgroups, (1, 1)), key=cost)


@lru_cache(maxsize=1024)
def choose_prefetch(shape: Shape, elem_bytes: int, order: Shape, subgroups: int, target: Target) -> Layout:
    """The whole tile split over all subgroups so that each sends few messages (seed 001, appendix 2.1: cooperative prefetch)."""
    in_memory = order == (1, 0)

    def cost(candidate: Layout) -> tuple[object, ...]:
        rows, columns = candidate.sg_data if in_memory else candidate.sg_data[::-1]
        plan = target.block2d.plan("prefetch", elem_bytes, rows, columns) if target.block2d else None
        lines = -(-columns * elem_bytes // target.cache_line)
        redundant = subgroups * rows * columns > shape[0] * shape[1]
        return len(plan) if plan else rows * lines, redundant, -columns

    return min(_candidates(shape, subgroups, (1, 1)), key=cost)


@lru_cache(maxsize=1024)
def choose_shared_prefetch(
    tiles: tuple[tuple[Shape, Shape], ...], elem_bytes: int, subgroups: int, target: Target
) -> tuple[Layout, ...] | None:
    """Layouts of tiles (shape, order) each of which one part of the subgroups prefetches, all by the same messages.

    None where that takes no fewer messages than all tiles by all subgroups: a select before the loop and one message in it must replace
    several. A part's grid stands once for each part, one below the other, so that each holds the whole tile.
    """
    parts, blocks = len(tiles), target.block2d
    if blocks is None or subgroups % parts:
        return None

    def messages(layout: Layout, order: Shape) -> int | None:
        plan = blocks.plan("prefetch", elem_bytes, *_in_memory(layout.sg_data, order))
        return None if plan is None else len(plan)

    apart = [messages(choose_prefetch(shape, elem_bytes, order, subgroups, target), order) for shape, order in tiles]
    by_piece: list[dict[Shape, Layout]] = []
    for shape, order in tiles:
        grids = _candidates(shape, subgroups // parts, (1, 1))
        by_piece.append({_in_memory(grid.sg_data, order): grid for grid in grids if messages(grid, order) is not None})
    common = set(by_piece[0]).intersection(*by_piece[1:])
    count = {piece: len(blocks.plan("prefetch", elem_bytes, *piece) or ()) for piece in common}
    best = min(common, key=lambda piece: (count[piece], piece[0] * piece[1], -piece[1]), default=None)
    if best is None or None in apart or count[best] >= sum(n for n in apart if n is not None):
        return None
    grids = [of[best] for of in by_piece]
    return tuple(Layout((parts * grid.sg_layout[0], grid.sg_layout[1]), grid.sg_data) for grid in grids)


def _in_memory(shape: tuple[int, ...], order: Shape) -> Shape:
    """Rows and columns as memory has them."""
    rows, columns = shape if order == (1, 0) else shape[::-1]
    return rows, columns


Together = Mapping[tuple[Hashable, Hashable], list[Product]]
"""Products by the class of their sums, and by what of the kernel's body they stand in: where one after the other adds to the sums of a class,
each finds in the registers what the one before has left there.
"""


def choose_num_subgroups(together: Together, largest: tuple[Shape, int] | None, target: Target) -> int:
    """Subgroups of a workgroup: a power of two, at most what one core runs at a time with the registers that it takes.

    `largest`: shape and bytes per element of the largest tile, for kernels without products. Targets without a register file of
    their own (CPUs) get one subgroup.
    """
    if not target.grf_modes:
        return 1
    if together:
        limit, budget = _limits(together, target)
        fitting = (n for n in _powers(limit) if _live_bytes(together, n, target) <= budget)
        return next(fitting, max(_powers(limit)))
    small = min(mode.registers for mode in target.grf_modes)
    (rows, columns), size = largest or ((1, 1), 1)
    limit = min(target.max_subgroups(small), max(1, rows * columns // target.subgroup_size))
    budget = target.grf_capacity(small) // LIVE_VALUES
    # Not all numbers of subgroups can be given parts of a tile: with some each would hold all of it.
    parts = {n: prod(choose_plain((rows, columns), n, target).sg_data) * size for n in _powers(limit)}
    fitting = (n for n in parts if parts[n] <= budget)
    return next(fitting, min(parts, key=lambda n: parts[n]))


def choose_with_whole_columns(shape: Shape, size: int, target: Target) -> int | None:
    """The fewest subgroups, a power of two, between which the columns of the largest tile are divided by registers, and with which it fits
    those, of which it may take all that a subgroup can have; None where there is no such number.
    """
    rows, columns = shape
    for mode in sorted(mode.registers for mode in target.grf_modes):
        for n in _powers(columns // target.subgroup_size):
            if rows * columns * size <= n * target.grf_capacity(mode) // LIVE_VALUES:
                return n
    return None


def other_numbers(together: Together, target: Target) -> list[int]:
    """Numbers of subgroups that are no powers of two, between which products can be divided: for each odd one by which their blocks can,
    the fewest of it, twice it, four times it and so on with which what is live fits.
    """
    if not target.grf_modes or not together:
        return []
    products = [product for those in together.values() for product in those]
    limit, budget = _limits(together, target)
    blocks = {count for product in products for count in _blocks(product, target)}
    found = []
    for odd in range(3, limit + 1, 2):
        if any(count % odd == 0 for count in blocks):
            numbers = (odd * power for power in _powers(limit // odd))
            whole = (n for n in numbers if all(_is_divided(product, n, target) for product in products))
            found += [n for n in whole if _live_bytes(together, n, target) <= budget][:1]
    return found


def _limits(together: Together, target: Target) -> tuple[int, int]:
    """The most subgroups for products, and the bytes that each has for what is live."""
    big = target.most_registers
    products = [product for those in together.values() for product in those]
    limit = min(target.max_subgroups(big), max(prod(_blocks(p, target)) for p in products))
    # Between values that stay for a whole loop IGC has fewer registers for those that come and go.
    return limit, round(target.grf_capacity(big) * (BESIDE_STAYING if any(p.stays for p in products) else 1))


def _is_divided(product: Product, subgroups: int, target: Target) -> bool:
    """Whether each subgroup has a part of a product that no other one has."""
    rows, columns = choose_product(product, subgroups, target).sg_data
    return subgroups * rows * columns == product.m * product.n


def _live_bytes(together: Together, subgroups: int, target: Target) -> int:
    """Accumulators of all products that are live together, and the operands of the largest."""
    sums, operands = dict[Hashable, int](), 0
    for (root, _), products in together.items():
        parts = [(p, choose_product(p, subgroups, target).sg_data) for p in products]
        here = sum(p.part(*data).acc_bytes for p, data in parts if not p.goes_on)
        sums[root] = max(sums.get(root, 0), here)
        operands = max(operands, *(p.live_bytes(data[0], data[1], target) for p, data in parts))
    return sum(sums.values()) + operands


def _blocks(product: Product, target: Target) -> tuple[int, int]:
    return mma_blocks((product.m, product.n), product.types, target)


def mma_blocks(shape: Sequence[int], types: MmaTypes, target: Target) -> tuple[int, int]:
    """Blocks of DPAS, down and across, that a product's result can be cut into."""
    mma = target.find_mma(*types)
    m, n = (max(mma.m), mma.n) if mma else (1, target.subgroup_size)
    return max(1, shape[0] // m), max(1, shape[1] // n)


def _powers(limit: int) -> list[int]:
    return [1 << i for i in range(max(1, limit).bit_length())]


def _candidates(shape: Shape, subgroups: int, blocks: Shape) -> list[Layout]:
    found = []
    for rows in range(1, subgroups + 1):
        if subgroups % rows == 0:
            grid = (rows, subgroups // rows)
            data = tuple(_share(n, count, block) for n, count, block in zip(shape, grid, blocks))
            if all(data):
                found.append(Layout(grid, data))
    # Every subgroup holds the whole tile: always possible.
    return found or [Layout((subgroups, 1), shape)]


def _share(extent: int, count: int, block: int) -> int:
    """Elements per subgroup: an even share of whole blocks, of as many as so many subgroups can be given, which share it; 0 if none fits."""
    if extent % block:
        return extent if extent < block else 0
    return extent // gcd(extent // block, count)

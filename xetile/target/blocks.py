"""2-D block messages: which shapes a target moves in one message, how to cover a block with few, and what memory must obey."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from xetile.records import dataclass
from xetile.target.block_rules import BlockRules

Kind = Literal["load", "transform", "transpose", "prefetch", "store"]
Lanes = tuple[int, int]

WORD_BYTES = 4
"""What transposing loads move at the least, and what rows packed for DPAS share (SPV_INTEL_2d_block_io)."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message: `count` blocks side by side, each `width` elements by `height` rows (of memory, before any transposition)."""

    width: int
    height: int
    count: int = 1

    @property
    def columns(self) -> int:
        """Elements per row of all blocks together."""
        return self.width * self.count

    @property
    def elements(self) -> int:
        """Elements of all blocks together."""
        return self.columns * self.height


@dataclass(frozen=True, slots=True)
class Placed:
    """A message and where its first element lies in the block that it helps to cover."""

    row: int
    column: int
    message: Message


@dataclass(frozen=True, slots=True)
class MessageShapes:
    """One row of a message table: all combinations of the width, the heights and the counts are legal."""

    kind: Kind
    elem_bytes: int
    width: int
    heights: tuple[int, ...]
    counts: tuple[int, ...] = (1,)

    def messages(self) -> Iterator[Message]:
        """The messages of this row."""
        return (Message(self.width, height, count) for count in self.counts for height in self.heights)


@dataclass(frozen=True, slots=True)
class Block2D(BlockRules):
    """The 2-D block messages of a target, with the rules that the array behind them must obey (`BlockRules`)."""

    shapes: tuple[MessageShapes, ...]
    lanes: int
    x_multiple: tuple[tuple[int, int], ...]  # (element bytes, the x coordinate is a multiple of this many elements)

    def __hash__(self) -> int:
        """Of few parts alone: plans are kept by it, and looked up often."""
        return hash((self.lanes, self.x_multiple, len(self.shapes)))

    def x_multiple_of(self, elem_bytes: int) -> int:
        """What the x coordinate of a block of such elements is a multiple of."""
        return dict(self.x_multiple).get(elem_bytes, 1)

    def messages(self, kind: Kind, elem_bytes: int, *, width: int | None = None) -> tuple[Message, ...]:
        """All messages of a kind for elements of that size; `width` keeps those with blocks of one width."""
        return tuple(
            message
            for row in self.shapes
            if row.kind == kind and row.elem_bytes == elem_bytes and width in (None, row.width)
            for message in row.messages()
        )

    def is_legal(self, kind: Kind, elem_bytes: int, message: Message) -> bool:
        """Whether one message can have this shape."""
        return message in self.messages(kind, elem_bytes)

    def widths(self, kind: Kind, elem_bytes: int) -> tuple[int, ...]:
        """Block widths that messages of a kind can have, ascending."""
        return tuple(sorted({row.width for row in self.shapes if row.kind == kind and row.elem_bytes == elem_bytes}))

    def largest(self, kind: Kind, elem_bytes: int, rows: int, cols: int, *, width: int | None = None) -> Message | None:
        """The message that moves most of a block of rows x cols elements without reaching past it; None if none fits.

        Among equals it is the one with the widest blocks: one element per lane and row.
        """
        fitting = [m for m in self.messages(kind, elem_bytes, width=width) if m.height <= rows and m.columns <= cols]
        return max(fitting, key=_preference, default=None)

    def largest_part(self, kind: Kind, elem_bytes: int, rows: int, cols: int, *, width: int) -> Message | None:
        """`largest` of those that cut a block of rows x cols elements into equal parts, without a rest."""
        fitting = [m for m in self.messages(kind, elem_bytes, width=width) if not rows % m.height and not cols % m.columns]
        return max(fitting, key=_preference, default=None)

    def plan(self, kind: Kind, elem_bytes: int, rows: int, cols: int, *, width: int | None = None) -> tuple[Placed, ...] | None:
        """The fewest messages that cover a block of rows x cols elements exactly, columns outermost; None if none do.

        `width` fixes the width of the blocks, and with it how rows lie over lanes (`lane_layout`).
        """
        return _plan(self, kind, elem_bytes, rows, cols, width)

    def cover(self, elem_bytes: int, rows: int, cols: int, *, width: int) -> tuple[Placed, ...] | None:
        """The fewest loads of the smallest block that messages cover and that holds one of rows x cols elements; None without any.

        For elements whose narrow blocks come only several side by side: `plan` has no messages for fewer.
        """
        messages = self.messages("load", elem_bytes, width=width)
        if not messages:
            return None
        height, columns = min(m.height for m in messages), min(m.columns for m in messages)
        return self.plan("load", elem_bytes, -(-rows // height) * height, -(-cols // columns) * columns, width=width)

    def cover_transposed(self, rows: int, words: int) -> tuple[Placed, ...] | None:
        """The fewest transposing loads of rows of some words, and of some words behind them, fewer than those; None without any.

        Lines of the cache are read whole in any case.
        """
        width = min(self.widths("transpose", WORD_BYTES), default=0)
        whole = -(-words // width) * width if width else 0
        return self.plan("transpose", WORD_BYTES, rows, whole) if 0 < whole <= 2 * words else None

    def row_width(self, elem_bytes: int, lanes: tuple[Lanes, Lanes]) -> int | None:
        """The width of the blocks of loads of a single row whose lanes hold it so (`lane_layout`); None where there are none."""
        rows = (m for m in self.messages("load", elem_bytes) if m.height == 1)
        return next((m.width for m in rows if self.lane_layout("load", elem_bytes, m) == lanes), None)

    def lane_layout(self, kind: Kind, elem_bytes: int, message: Message) -> tuple[Lanes, Lanes]:
        """(lane_layout, lane_data) of one block in memory's coordinates: which elements each lane gets.

        SPV_INTEL_2d_block_io, mapping of block data: a row as wide as the subgroup gives each lane one element, a narrower one
        leaves lanes for the next rows, a wider one gives neighbours to a lane; transform packs rows into 32 bits.
        """
        row = message.height if kind == "transpose" else message.width
        grid = (max(1, self.lanes // row), min(row, self.lanes))
        neighbours = max(1, row // self.lanes)
        if kind == "transpose":
            return (grid[1], grid[0]), (neighbours, 1)
        return grid, (4 // elem_bytes if kind == "transform" else 1, neighbours)


def _preference(message: Message) -> tuple[int, int, int]:
    return message.elements, message.width, message.height


_Cover = tuple[int, tuple[int, ...]] | None
SEARCHED = 4096  # the longest sides of blocks for which each length below is looked at


@lru_cache(maxsize=1024)
def _plan(blocks: Block2D, kind: Kind, elem_bytes: int, rows: int, cols: int, width: int | None) -> tuple[Placed, ...] | None:
    """Columns are cut into strips of one message shape each, every strip into rows: both by the shortest partition."""
    strips: dict[tuple[int, int], list[int]] = {}
    for message in blocks.messages(kind, elem_bytes, width=width):
        strips.setdefault((message.width, message.count), []).append(message.height)
    costs: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
    for strip, heights in strips.items():
        cover = _partition(rows, tuple((height, 1) for height in heights))
        if cover is not None:
            costs[strip] = cover
    # Widest blocks first: of two equally short covers the first found wins.
    options = sorted(costs, reverse=True)
    chosen = _partition(cols, tuple((w * count, costs[w, count][0]) for w, count in options))
    if chosen is None:
        return None
    strip_of: dict[int, tuple[tuple[int, Message], ...]] = {}  # of strips as wide as this: its messages and their first rows
    for columns in set(chosen[1]):
        w, count = min((o for o in options if o[0] * o[1] == columns), key=lambda o: (costs[o][0], -o[0]))
        strip_of[columns] = tuple(_in_strip(costs[w, count][1], w, count))
    placed: list[Placed] = []
    column = 0
    for columns in chosen[1]:
        placed += [Placed(row, column, message) for row, message in strip_of[columns]]
        column += columns
    return tuple(placed)


def _in_strip(heights: tuple[int, ...], width: int, count: int) -> Iterator[tuple[int, Message]]:
    """Messages one below the other, each with its first row."""
    row = 0
    for height in heights:
        yield row, Message(width, height, count)
        row += height


@lru_cache(maxsize=1024)
def _partition(total: int, parts: tuple[tuple[int, int], ...]) -> _Cover:
    """The cheapest way to write `total` as a sum of parts (length, cost), longest parts first; None if there is none.

    Of more than SEARCHED the most is parts of the least cost for their length: a sum of as many others as one of them is long has
    some that are a multiple of it together, and it takes their place for no more.
    """
    if not parts:
        return None if total else (0, ())
    cheapest, its_cost = min(parts, key=lambda part: (part[1] / part[0], -part[0]))
    repeated = max(0, total - max(SEARCHED, cheapest * max(length for length, _ in parts))) // cheapest
    total -= repeated * cheapest
    costs: list[int | None] = [0, *[None] * total]
    last = [0] * (total + 1)
    for length in range(1, total + 1):
        for part, cost in parts:
            before, here = costs[length - part] if part <= length else None, costs[length]
            if before is not None and (here is None or before + cost < here):
                costs[length], last[length] = before + cost, part
    found = costs[total]
    if found is None:
        return None
    chosen = [cheapest] * repeated
    while total:
        chosen.append(last[total])
        total -= last[total]
    return found + repeated * its_cost, tuple(sorted(chosen, reverse=True))

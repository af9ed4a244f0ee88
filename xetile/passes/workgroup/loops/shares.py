"""How a workgroup shares the loading of a tile: pieces of whole rows for subgroups, runs of neighbours for lanes."""

from __future__ import annotations

from collections.abc import Iterator

from xetile.layout import Layout
from xetile.records import dataclass
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES


@dataclass(frozen=True)
class Shared:
    """Which piece a subgroup loads, how its lanes hold it, and in how many messages."""

    wg_map: Layout
    lane_map: Layout
    messages: int


def share(shape: tuple[int, int], sizes: tuple[int, int], role: str, subgroups: int, target: Target, *,
          pieces: bool = False) -> Shared | None:  # fmt: skip
    """The fewest messages, each of the longest runs, in which all subgroups load a tile once; None where it does not come out even.

    The second operand lies packed in words of several rows: a lane must have all rows of a word.
    sizes: bytes of an element in memory, and where it is shared.
    pieces: whether subgroups may have several next to each other where columns are no power of two, as 3 of 16 in rows of 48.
    """
    found = list(_candidates(shape, sizes, role, subgroups, target))
    rounds = shape[1] // (shape[1] & -shape[1]) if pieces else 1
    if not found and rounds > 1:
        found = list(_candidates((shape[0], shape[1] // rounds), sizes, role, subgroups, target))
        found = [Shared(each.wg_map, each.lane_map, each.messages * rounds) for each in found]
    copies, least = 1, target.subgroup_size * WORD_BYTES
    while not found and copies < subgroups and shape[0] * shape[1] * min(sizes) <= subgroups // copies * least:
        copies *= 2  # a subgroup's piece is less than a word for each lane
        found = [_by_several(each, copies) for each in _candidates(shape, sizes, role, subgroups // copies, target)]
    return min(found, key=lambda s: (s.messages, s.wg_map.sg_layout), default=None)


def _by_several(each: Shared, copies: int) -> Shared:
    """The same where as many subgroups load each piece."""
    down, across = each.wg_map.sg_layout
    return Shared(each.wg_map.with_sg((down * copies, across), each.wg_map.sg_data), each.lane_map, each.messages)


def _candidates(shape: tuple[int, int], sizes: tuple[int, int], role: str, subgroups: int, target: Target) -> Iterator[Shared]:
    lanes, pack = target.subgroup_size, WORD_BYTES // sizes[1] if role == "b" else 1
    longest = target.run_bytes
    for across in (n for n in range(1, subgroups + 1) if subgroups % n == 0):
        down = subgroups // across
        rows, columns = shape[0] // down, shape[1] // across
        if shape[0] % down or shape[1] % across or not rows or not columns or rows % pack:
            continue
        for run in (longest // max(sizes) >> i for i in range(4)):
            beside = columns // run if run else 0
            if not beside or columns % run or lanes % beside or run * min(sizes) % WORD_BYTES:
                continue
            high = lanes // beside
            if rows % high or (role == "b" and high > 1):
                continue
            yield Shared(
                Layout((down, across), (rows, columns)), Layout(lane_layout=(high, beside), lane_data=(1, run)), rows // high
            )

"""What a kernel without products costs with its tiles rounded up to some sizes: from the layouts and messages that would be chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from math import gcd, prod
from typing import Any

from xetile.dialects import xetile
from xetile.dialects.types import VectorType, element_of
from xetile.ir.core import Elementwise, Op, Value
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.workgroup.layouts.choose import Traffic, choose_num_subgroups, choose_plain
from xetile.records import dataclass
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES

Shape = tuple[int, int]

# In instructions of a subgroup, from counts of machine code.
BASE = 40  # a kernel that does nothing, and the places of its tiles
MESSAGE = 9  # a block message and its payload
FUSED = 2  # operations of an instruction: two rows at once, or a product and a sum
EXCHANGE = 40  # a barrier, and shared memory before and after it
MASK = 2  # what pads a row of lanes that is reduced, compared and replaced
ROW, ROWS = 10, 5  # a row that is reduced over the lanes by itself, and one of as many as a power of two
READ = 4  # what another subgroup has summed, for each row of lanes


@dataclass
class _Values:
    """All values of one shape: the accesses that move them, the ops that work on them, the dimensions that are reduced."""

    traffic: list[Traffic] = field(default_factory=list)
    words: float = 0.0
    reduced: list[int] = field(default_factory=list)
    bound: int | None = None
    bytes: int = 1


class PaddingWork:
    """The work of a kernel's ops by the sizes of tiles."""

    def __init__(self, ops: Sequence[Op], subgroups: int | None, target: Target) -> None:
        self._target = target
        self._given = subgroups
        self._values: dict[Shape, _Values] = {}
        for op in ops:
            self._note(op)

    def of(self, rounded: Callable[[Shape], Shape]) -> tuple[float, float]:
        """Instructions of one subgroup, and of all, where each shape becomes another."""
        if not self._values:
            return BASE, BASE
        found = [(shape, rounded(shape), values) for shape, values in self._values.items()]
        _, largest, values = max(found, key=lambda each: prod(each[1]) * each[2].bytes)
        subgroups = self._given or choose_num_subgroups({}, (largest, values.bytes), self._target)
        each = BASE + sum(self._work(given, shape, values, subgroups) for given, shape, values in found)
        return each, each * subgroups

    def _note(self, op: Op) -> None:
        if isinstance(op, (xetile.LoadTile, xetile.StoreTile)) and not op.tile.type.space:
            self._access(op)
        for result in op.results:
            if isinstance(op, Elementwise) and (shape := shape_of(result)) is not None:
                at = self._at(shape, result)
                at.words += max(1.0, element_bytes(element_of(result.type)) / WORD_BYTES) / FUSED
        if isinstance(op, (xetile.TileReduce, xetile.TileScan)) and (shape := shape_of(op.source)) is not None:
            at = self._at(shape, op.source)
            dims = (op.dim,) if isinstance(op, xetile.TileScan) else tuple(op.dims)
            at.reduced += dims
            at.bound = dims[0] if len(dims) == 1 else None

    def _access(self, op: xetile.LoadTile | xetile.StoreTile) -> None:
        kind: Any = op.tile.type
        shape = (kind.shape[0], kind.shape[1])
        at = self._at(shape, op.value)
        size, is_load = element_bytes(kind.element), bool(op.results)
        if kind.order == (1, 0):
            at.traffic.append(Traffic("load", size) if is_load else Traffic("store", size, shape[1]))
        elif is_load:
            at.traffic.append(Traffic("transpose", size))

    def _at(self, shape: Shape, value: Value) -> _Values:
        at = self._values.setdefault(shape, _Values())
        at.bytes = max(at.bytes, element_bytes(element_of(value.type)))
        return at

    def _work(self, given: Shape, shape: Shape, values: _Values, subgroups: int) -> float:
        layout = choose_plain(shape, subgroups, self._target, values.bound, values.traffic)
        rows, columns = layout.sg_data
        lanes = self._target.subgroup_size
        lines = rows * -(-columns // lanes) if columns > lanes else -(-rows * columns // lanes)
        messages = sum(self._messages(t, rows, columns) for t in values.traffic)
        masks = MASK * lines * sum(shape[dim] != given[dim] for dim in values.reduced)
        across = sum(rows * (ROWS if rows & (rows - 1) == 0 else ROW) for dim in values.reduced if dim == 1)
        return (
            MESSAGE * messages + values.words * lines + masks + across + sum(self._shared(layout, dim) for dim in values.reduced)
        )

    def _messages(self, traffic: Traffic, rows: int, columns: int) -> int:
        """Narrow bytes come with what lies beside them; what no block message moves goes element by element, as many as there are lanes."""
        blocks, lanes = self._target.block2d, self._target.subgroup_size
        found = traffic.messages(rows, columns, self._target)
        if found < rows * columns:
            return found
        cover = blocks.cover(traffic.elem_bytes, rows, columns, width=lanes) if blocks and traffic.kind == "load" else None
        return rows * columns // gcd(rows * columns, lanes) if cover is None else len(cover)

    def _shared(self, layout: Layout, dim: int) -> float:
        """What it costs that several subgroups have parts of one row or column that is reduced."""
        parts = layout.sg_layout[dim]
        if parts == 1:
            return 0.0
        kept = layout.sg_data[1 - dim]
        return EXCHANGE + READ * parts * (-(-kept // self._target.subgroup_size))


def shape_of(value: Value) -> Shape | None:
    """Rows and columns of a value."""
    kind = value.type
    return (kind.shape[0], kind.shape[1]) if isinstance(kind, VectorType) and len(kind.shape) == 2 else None


__all__ = ["PaddingWork"]

"""Where a nest may end: rows and columns from some place on that nobody sees, or that only add padding to what is reduced."""

from __future__ import annotations

from functools import reduce

from xetile.dialects import xetile
from xetile.ir.core import Op, Value
from xetile.passes.vectors.needed import needed_along
from xetile.passes.vectors.numbers import Number
from xetile.passes.vectors.state import Lowering, Nest
from xetile.passes.vectors.storage import Stored
from xetile.passes.vectors.tails import Tail, tail_of

MOST_VECTORS = 4
"""Vectors of each value in one iteration of a nest: chains that do not wait for each other."""
Tails = dict[Op, tuple[Tail, Number]]
"""What reductions combine with once in place of all that is beyond an end, and that end."""


def ends_of(lower: Lowering, nest: Nest, outputs: dict[Value, Stored]) -> tuple[tuple[Number, Number], Tails]:
    """Rows and columns, as a nest is run through, from which on nothing need be done; the first ones always are."""
    scatters = any(isinstance(op, xetile.StoreScatter) for op in nest.ops)
    if scatters or any(out.form.panel or out.form.group > 1 for out in outputs.values()):
        return nest.size, {}
    tails: Tails = {}
    rows, columns = (_end(lower, nest, outputs, dim, tails) for dim in (0, 1))
    # As all nests round: what one of them leaves out of a buffer no other one reads.
    n, most = lower.numbers, lower.lanes * MOST_VECTORS
    return (rows, n.smaller(n.multiply(n.divide(n.add(columns, most - 1), most), most), nest.size[1])), tails


def _end(lower: Lowering, nest: Nest, outputs: dict[Value, Stored], dim: int, tails: Tails) -> Number:
    n, size = lower.numbers, nest.size[dim]
    if size == 1:
        return size
    along = {op for op in nest.ops if isinstance(op, xetile.TileReduce) and nest.dim(op.dims[0]) == dim}
    found = [needed_along(value, nest.dim(dim), lower) for value in outputs if value.op not in along]
    known: dict[Op, Tail] = {}
    for op in nest.ops:
        if isinstance(op, xetile.StoreTile):
            place = nest.place(lower.env[op.tile])
            line = (place.rows, place.columns)[dim]
            found.append(n.subtract(line.extent, line.offset))
        elif op in along:
            tail = tail_of(op, lower)
            if tail is None:
                return size
            known[op] = tail
            found.append(tail.begin)
    end = n.larger(n.smaller(reduce(n.larger, found), size), 1) if found else size
    if not isinstance(end, int):
        tails.update((op, (tail, end)) for op, tail in known.items())
    return end

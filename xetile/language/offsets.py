"""Offsets of scattered tiles, which count elements of memory: what is looked at when a kernel has been traced."""

from __future__ import annotations

from xetile.errors import TileShapeError
from xetile.language.arrays import Array
from xetile.language.context import current
from xetile.language.values import Value


def note_offsets(base: Array, offsets: Value) -> None:
    """Note that a kernel reaches elements of an array by offsets. Raises TileShapeError for a slice with a step, of whose elements these
    do not count.
    """
    step = next((axis.step for axis in base.axes if axis.step != 1), None)
    if step is not None:
        raise TileShapeError(
            f"init_tile: {base.described} takes one element in {step}, and offsets count all of them",
            hint=f"slice without a step, and multiply the offsets: xt.init_tile({base.name}[begin:end], {step} * index)",
        )
    current().counted.append((base, offsets.ir, current().build.loc))

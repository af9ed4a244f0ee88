"""Sizes of arrays that a kernel is compiled for multiples of: it adds them to columns of tiles, which begin at whole words then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xetile.dialects import gpu, xetile
from xetile.dialects.arith import Binary
from xetile.ir import analyses
from xetile.ir.core import Value
from xetile.ir.reach import reached
from xetile.passes.analysis.alignment import Alignment
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.target import Target

MOST = 5
"""The largest exponent of a power of two that is tried."""


def assume_multiples(module: gpu.GpuModule, target: Target) -> bool:
    """Note in the kernel's `multiples` of which powers of two its sizes must be multiples, so that block messages move its tiles.

    Before and after: a traced module. The smallest power with which all tiles begin at whole words whose columns depend on sizes of arrays.
    A launch checks it (`index_ranges`); where it does not hold, it gets a kernel with an index of 64 bits, for which nothing is assumed.
    Gives whether anything was noted.
    """
    kernel = module.kernel
    if target.block2d is None or kernel.index_bits > 32:
        return False
    sizes = {v: spec for v, spec in kernel.specs.items() if spec.kind == "dim"}
    added = {op: found for op in _tiles(kernel) if (found := sizes.keys() & _added(op))}
    tiles = _unaligned(added, kernel, target)
    wanted = {size for op in tiles for size in added[op]}
    for exponent in range(1, MOST + 1) if wanted else ():
        noted = tuple(f"{spec.param} {spec.axis} {exponent}" for size, spec in sizes.items() if size in wanted)
        kernel.attributes["multiples"] = noted
        if not _unaligned(tiles, kernel, target):
            analyses.forget(module, kernel)
            return True
    kernel.attributes.pop("multiples", None)
    return False


def _tiles(kernel: gpu.GpuFunc) -> Iterator[xetile.InitTile]:
    """Tiles that block messages would move."""
    scattered = {v for v, spec in kernel.specs.items() if spec.param in kernel.scattered}
    for op in kernel.find(xetile.InitTile):
        if op.base.type.rank < 2 or op.base in scattered:
            continue
        tile, axis = op.result.type, _axis(op)
        if not tile.scatter and not tile.space and tile.shape[axis] > 1:
            yield op


def _unaligned(tiles: Iterable[xetile.InitTile], kernel: gpu.GpuFunc, target: Target) -> list[xetile.InitTile]:
    """Those that may begin inside of a word of memory (`BlockAccess.aligned`)."""
    alignment, blocks = Alignment(kernel), target.block2d
    assert blocks is not None

    def begins_inside(op: xetile.InitTile) -> bool:
        whole = blocks.x_multiple_of(element_bytes(op.result.type.element))
        return bool(whole > 1 << alignment.of(op.result)[_axis(op)])

    return list(filter(begins_inside, tiles))


def _axis(op: xetile.InitTile) -> int:
    """The axis of a tile along which its elements are neighbours in memory."""
    return 0 if op.result.type.order == (0, 1) else 1


def _added(op: xetile.InitTile) -> set[Value]:
    """All of which a tile's place along memory's rows is worked out."""
    return set(reached([op.offsets[_axis(op) - 2]], lambda v: v.op.operands if isinstance(v.op, Binary) else ()))

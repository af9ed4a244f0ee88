"""Sizes and pitches of arrays that a kernel is compiled for being the same, so that what it gathers are tiles."""

from __future__ import annotations

from collections.abc import Iterable

from xetile.dialects import xetile
from xetile.dialects.gpu import GpuFunc, GpuModule
from xetile.ir import analyses
from xetile.ir.core import Value
from xetile.passes.analysis.equal_scalars import named_scalars
from xetile.passes.analysis.gathered_tiles import Access, GatheredTiles
from xetile.target import Target

_Pair = tuple[Value, Value]


def assume_same_sizes(module: GpuModule, target: Target) -> bool:
    """Note in the kernel's `same` which of its arrays' sizes must be the same for more of its gathers and scatters to be tiles.

    Before and after: a traced module. People mask columns of A by the number of rows of B, which is the same where a product is one, and count
    elements of whole arrays by the length of their rows, which is their pitch. A launch checks it (`index_ranges`); where it does not
    hold, it gets a kernel with an index of 64 bits, for which nothing is assumed. Gives whether anything was noted.
    """
    kernel = module.kernel
    if kernel.index_bits > 32 or not kernel.has((xetile.LoadGather, xetile.StoreScatter)):
        return False
    without, others = _tiles(kernel, target)
    noted, found = list[_Pair](), without
    while new := [pair for pair in others if pair not in noted]:
        noted += new
        found, others = _with(noted, kernel, target)
    if not found > without:
        noted = []
    for pair in tuple(noted):  # those that some tile needs
        fewer = [other for other in noted if other is not pair]
        if _with(fewer, kernel, target)[0] >= found:
            noted = fewer
    _note(noted, kernel)
    if noted:
        analyses.forget(module, kernel)
    return bool(noted)


def _with(pairs: Iterable[_Pair], kernel: GpuFunc, target: Target) -> tuple[set[Access], list[_Pair]]:
    _note(pairs, kernel)
    return _tiles(kernel, target)


def _tiles(kernel: GpuFunc, target: Target) -> tuple[set[Access], list[_Pair]]:
    """(what is a tile, arguments that would have to be the same for others to be)."""
    found = GatheredTiles(kernel, target)
    return {op for op in found.ops if found.tile_of(op) is not None}, found.others


def _note(pairs: Iterable[_Pair], kernel: GpuFunc) -> None:
    names = {value: " ".join(map(str, name)) for name, value in named_scalars(kernel).items()}
    kernel.attributes.pop("same", None)
    if pairs:
        kernel.attributes["same"] = tuple(f"{names[one]} {names[other]}" for one, other in pairs)


__all__ = ["assume_same_sizes"]

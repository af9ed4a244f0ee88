"""Loads, stores and prefetches of tiles; shared local memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xetile import dtypes
from xetile.dialects import gpu, xetile
from xetile.dialects.types import MemRefType
from xetile.errors import CompileError, DtypeError
from xetile.ir.core import UNIT
from xetile.language.arrays import Array, Tile
from xetile.language.context import current
from xetile.language.gather import load_gather, store_scatter
from xetile.language.tiles import SLM, check_padding, check_tile, init_tile, loaded, stored, tile_of, with_others
from xetile.language.values import Number, Value, check_dtype, check_shape, describe, operator

if TYPE_CHECKING:
    from xetile.dtypes import DTypeLike


@operator("element")
def element(view: Array) -> Value:
    """`A[i, j]`: one element, as a scalar."""
    return load_tile(init_tile(view.as_element.unlimited, (0,), (1,))).item()


def load_tile(
    tile: Tile | Array, padding: Number | None = None, *, l1_hint: str | None = None, l3_hint: str | None = None
) -> Value:
    """The elements of a tile as a value of its shape and dtype; `padding` for those outside of the array (RFC, load_tile).

    tile      an ordinary one, (M, N) or (N,), or a part of an array of constant size; of any dtype. Tiles of f8 give f16 values.
    padding   a number that the tile's dtype holds. Left out, it is 0, and debug mode tells where that decides a reduction (PaddingWarning).
    l1_hint, l3_hint   how caches treat it: cached, uncached, streaming, read_invalidate.

    Raises CompileError for a scattered tile (see load_gather) and for another hint, DtypeError for padding that the dtype lacks.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((6,), xt.f32)}, grid=(1,))
        def example(X, Y):
            x = xt.load_tile(xt.init_tile(X, 0, (6,)), padding=-1)      # X has 4 elements
            xt.store_tile(x, xt.init_tile(Y, 0, (6,)))

        print(example(np.ones(4, np.float32)))

    Prints:
        [ 1.  1.  1.  1. -1. -1.]
    """
    if isinstance(tile, Array):
        wider = with_others(tile)
        if wider is not None:
            return load_tile(wider[0], padding, l1_hint=l1_hint, l3_hint=l3_hint)[:, :: wider[1]]
        tile, mask = tile_of(tile, "load_tile")
        if tile.type.scatter:
            return load_gather(tile, mask, padding or 0)
    tile = check_tile(tile, "load_tile")
    number = check_padding(0 if padding is None else padding, tile, "load_tile")
    hints = cache_hints("load_tile", l1_hint, l3_hint)
    unsaid = UNIT if padding is None and current().debug else None
    return loaded(
        tile, current().build(xetile.LoadTile, tile.ir, padding=number if number != 0 else None, unsaid=unsaid, **hints)
    )


@operator("store")
def store_tile(value: Any, tile: Tile | Array, *, l1_hint: str | None = None, l3_hint: str | None = None) -> None:
    """Write a value of the tile's shape and dtype, or one number to all elements; outside of the array nothing is written.

    value     of the tile's shape and dtype; a scalar of that dtype or a number fills the tile. An index is stored to any integers of
              32 bits and more.
    tile      an ordinary one, (M, N) or (N,), or a part of an array of constant size, such as A[m:m + 64, 0:32].
    l1_hint, l3_hint   how caches treat it: cached, uncached, write_back, write_through.

    Raises DtypeError for another dtype (convert with `.to`), TileShapeError for another shape (RFC, store_tile).

    Example:
        @xt.jit(grid=(1,))
        def example(Y):
            xt.store_tile(7, xt.init_tile(Y, 3, (4,)))      # the last two of the tile's elements are outside

        Y = np.zeros(5, np.int32)
        example(Y)
        print(Y)

    Prints:
        [0 0 0 7 7]
    """
    if isinstance(tile, Array):
        tile, mask = tile_of(tile, "store_tile")
        if tile.type.scatter:
            store_scatter(value, tile, mask)
            return
    tile = check_tile(tile, "store_tile")
    ir = stored(value, tile, "store_tile")
    current().build(xetile.StoreTile, ir, tile.ir, **cache_hints("store_tile", l1_hint, l3_hint))


def prefetch_tile(tile: Tile | Array, locality: int = 3, *, l1_hint: str | None = None, l3_hint: str | None = None) -> None:
    """Bring a tile to the caches: `locality` from 0 (use once) to 3 (keep near); cache hints override it (RFC, prefetch_tile).

    Raises CompileError for another locality or hint.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((4,), xt.f32)}, grid=(1,))
        def example(X, Y):
            ahead = xt.init_tile(X, (0, 0), (8, 4))
            xt.prefetch_tile(ahead)                     # no result depends on it
            xt.store_tile(xt.sum(xt.load_tile(ahead), axis=0, keepdims=False), xt.init_tile(Y, 0, (4,)))

        print(example(np.ones((8, 4), np.float32)))

    Prints:
        [8. 8. 8. 8.]
    """
    tile = check_tile(tile, "prefetch_tile", scattered=None)
    if not isinstance(locality, int) or not 0 <= locality <= 3:
        raise CompileError(f"prefetch_tile: locality is {describe(locality)}", hint="0, 1, 2 or 3")
    hints = cache_hints("prefetch_tile", l1_hint, l3_hint)
    current().build(xetile.PrefetchTile, tile.ir, locality=None if locality == 3 else locality, **hints)


def cache_hints(op: str, l1: str | None, l3: str | None) -> dict[str, str]:
    """The hints that are given, checked; raises CompileError."""
    from xetile.dialects.xegpu import CACHE_HINTS

    hints = {name: hint for name, hint in (("l1_hint", l1), ("l3_hint", l3)) if hint is not None}
    for name, hint in hints.items():
        if hint not in CACHE_HINTS:
            raise CompileError(f"{op}: {name} is {hint!r}", hint=f"one of {', '.join(CACHE_HINTS)}")
    return hints


def alloc_slm(shape: tuple[int, ...], dtype: DTypeLike) -> Array:
    """Shared local memory of the workgroup as an array of constant shape; its contents are undefined until stored.

    Raises ResourceError when the kernel is compiled for a target that has less.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((4, 4), xt.f32)}, grid=(1,))
        def example(X, Y):
            shared = xt.alloc_slm((4, 4), xt.f32)
            xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (4, 4))), xt.init_tile(shared, (0, 0), (4, 4)))
            xt.barrier()                                # what others stored is there from here on
            xt.store_tile(xt.load_tile(xt.init_tile(shared.T, (0, 0), (4, 4))), xt.init_tile(Y, (0, 0), (4, 4)))

        print(example(np.arange(16, dtype=np.float32).reshape(4, 4))[0])

    Prints:
        [ 0.  4.  8. 12.]
    """
    extent, element = check_shape(shape, "alloc_slm"), check_dtype(dtype, "alloc_slm: dtype")
    if element is dtypes.index:
        raise DtypeError("alloc_slm: index has no size in memory", hint="use xt.i32 or xt.i64")
    strides = (1,) if len(extent) == 1 else (extent[1], 1)
    ir = current().build(gpu.Alloca, result=MemRefType(extent, element.ir, None, SLM))
    return Array("slm", ir, element, extent, strides, space=SLM)

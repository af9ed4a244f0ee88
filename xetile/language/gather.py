"""Scattered access and atomic updates."""

from __future__ import annotations

from typing import Any

from xetile import dtypes
from xetile.dialects import xetile
from xetile.dtypes import DType
from xetile.errors import CompileError, DtypeError, TileShapeError
from xetile.ir.core import Value as IRValue
from xetile.language.arrays import Array, Tile
from xetile.language.context import current
from xetile.language.elementwise import as_value, broadcast_to, constant
from xetile.language.promote import STORAGE_ONLY
from xetile.language.tiles import check_padding, check_tile, loaded, stored
from xetile.language.values import Number, Value, describe

# What users write, and the IR's kind for signed integers, unsigned integers, floats (arith's AtomicRMWKind).
_ATOMICS: dict[str, tuple[str | None, str | None, str | None]] = {
    "add": ("addi", "addi", "addf"),
    "mul": ("muli", "muli", "mulf"),
    "max": ("maxs", "maxu", "maximumf"),
    "min": ("mins", "minu", "minimumf"),
    "maxnum": ("maxs", "maxu", "maxnumf"),
    "minnum": ("mins", "minu", "minnumf"),
    "and": ("andi", "andi", None),
    "or": ("ori", "ori", None),
    "xor": ("xori", "xori", None),
    "assign": ("assign", "assign", "assign"),
}
_SPELLED_OUT = {
    "addi": "add", "addf": "add", "muli": "mul", "mulf": "mul", "maxs": "max", "maxu": "max", "mins": "min", "minu": "min",
    "maximumf": "max", "minimumf": "min", "maxnumf": "maxnum", "minnumf": "minnum", "andi": "and", "ori": "or", "xori": "xor",
}  # fmt: skip


def load_gather(tile: Tile, mask: Any = None, padding: Number = 0) -> Value:
    """The elements of a scattered tile where `mask` is true (everywhere without one), `padding` elsewhere (RFC, load_gather).

    Addresses are not checked against the array: mask those outside. Tiles of f8 give f16 values. Where offsets and mask say what
    an ordinary tile does (rows times `A.stride(0)` and columns, up to `A.shape`), or every n-th of its rows, that is loaded.
    Raises CompileError for an ordinary tile (see load_tile), TileShapeError for a mask of another shape.

    Example:
        @xt.jit(out={"Y": lambda I: xt.empty(I.shape, xt.f32)}, grid=(1,))
        def example(X, I, Y):
            i = xt.load_tile(xt.init_tile(I, 0, (4,)))
            x = xt.load_gather(xt.init_tile(X, i), mask=i < X.shape[0], padding=-1)
            xt.store_tile(x, xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([10, 11, 12]), np.int32([2, 0, 9, 1])))

    Prints:
        [12. 10. -1. 11.]
    """
    check_tile(tile, "load_gather", scattered=True)
    number = check_padding(padding, tile, "load_gather")
    lanes = check_mask(mask, tile, "load_gather")
    return loaded(tile, current().build(xetile.LoadGather, tile.ir, lanes, padding=number if number != 0 else None))


def store_scatter(value: Any, tile: Tile, mask: Any = None) -> None:
    """Write a value of the tile's shape and dtype to a scattered tile where `mask` is true (RFC, store_scatter).

    Where two elements have one address, either may be the one that stays. Raises as store_tile does.

    Example:
        @xt.jit(grid=(1,))
        def example(X, I, Y):
            i = xt.load_tile(xt.init_tile(I, 0, (4,)))
            xt.store_scatter(xt.load_tile(xt.init_tile(X, 0, (4,))), xt.init_tile(Y, i))

        Y = np.zeros(6, np.float32)
        example(np.float32([10, 11, 12, 13]), np.int32([5, 0, 3, 1]), Y)
        print(Y)

    Prints:
        [11. 13.  0. 12.  0. 10.]
    """
    check_tile(tile, "store_scatter", scattered=True)
    ir = stored(value, tile, "store_scatter")
    current().build(xetile.StoreScatter, ir, check_mask(mask, tile, "store_scatter"), tile.ir)


def check_mask(mask: Any, tile: Tile, op: str) -> IRValue:
    """A mask of the tile's shape; all true where none is given. Raises DtypeError, TileShapeError."""
    if mask is None:
        return constant(True, dtypes.bool_, tile.shape).ir
    held = as_value(mask)
    if held.dtype.kind != "b":
        raise DtypeError(f"{op}: the mask is {describe(mask)}, not bool", hint="compare: offsets < n")
    try:
        return broadcast_to(held, tile.shape).ir
    except TileShapeError as error:
        raise TileShapeError(f"{op}: the mask is {describe(mask)}, the tile is {tile.described}", hint=error.hint) from None


def atomic_kind(kind: str, dtype: DType) -> str:
    """The IR's kind of an atomic update; raises CompileError for an unknown one, DtypeError where the dtype has none."""
    known = _SPELLED_OUT.get(kind, kind)
    if known not in _ATOMICS:
        raise CompileError(f"atomic_rmw_tile: there is no kind {kind!r}", hint=f"one of {', '.join(_ATOMICS)}")
    column = 2 if dtype.is_float else 1 if dtype.kind == "u" else 0
    found = _ATOMICS[known][column]
    if found is None or dtype.kind == "b" or dtype in STORAGE_ONLY or (known != kind and found != kind):
        fitting = [name for name, columns in _ATOMICS.items() if columns[column] is not None]
        hint = (
            f"{dtype} has {', '.join(fitting)}"
            if dtype.kind != "b" and dtype not in STORAGE_ONLY
            else "use an array of i32 or f32"
        )
        raise DtypeError(f"atomic_rmw_tile: there is no atomic {kind!r} of {dtype}", hint=hint)
    return found


def atomic_rmw_tile(kind: str, value: Any, tile: Tile | Array, mask: Any = None) -> Value:
    """Combine a value into a tile in memory, each element atomically; gives the old elements (RFC, atomic_rmw_tile).

    kind    add, mul, max, min (NaN wins), maxnum, minnum (NaN loses), and, or, xor, assign; the RFC's names too.
    value   of the tile's shape and dtype, or a number.
    mask    for scattered tiles: only where it is true; elsewhere the result is undefined.

    Elements outside of the array are left alone, their results are undefined. Raises CompileError, DtypeError, TileShapeError.

    Example:
        @xt.jit(grid=lambda X: (xt.cdiv(X.shape[0], 4),))
        def example(X, Counts):
            x = xt.load_tile(xt.init_tile(X, xt.program_id(0) * 4, (4,)))
            xt.atomic_rmw_tile("add", 1, xt.init_tile(Counts, x))       # a histogram: programs meet in one count

        Counts = np.zeros(4, np.int32)
        example(np.int32([0, 1, 1, 3, 3, 3, 0, 1]), Counts)
        print(Counts)

    Prints:
        [2 3 0 3]
    """
    tile = check_tile(tile, "atomic_rmw_tile", scattered=None)
    name = atomic_kind(kind, tile.dtype)
    if mask is not None and not tile.type.scatter:
        raise CompileError("atomic_rmw_tile: masks are for scattered tiles", hint="make the tile from a row of offsets")
    ir = stored(value, tile, "atomic_rmw_tile")
    lanes = check_mask(mask, tile, "atomic_rmw_tile") if mask is not None else None
    return Value(current().build(xetile.AtomicRmwTile, ir, tile.ir, lanes, kind=name), tile.dtype, tile.shape)

"""Blocks of memory: create_nd_tdesc, load_nd, store_nd, prefetch_nd, update_nd_offset (seed 002)."""

from __future__ import annotations

from math import prod
from typing import Any

from xetile import dtypes
from xetile.dialects import xegpu
from xetile.dialects.types import I1, VectorType
from xetile.errors import CompileError, LayoutError, TileShapeError
from xetile.ir.core import UNIT
from xetile.language.arrays import Array
from xetile.language.axes import Size, is_unit
from xetile.language.context import current
from xetile.language.tiles import as_index
from xetile.language.values import Shape, Value, describe
from xetile.language.xegpu_values import (
    TensorDesc,
    cache_hints,
    check_array,
    check_desc,
    check_layout,
    check_value,
    from_vector,
    index_list,
    level_now,
    static_shape,
    to_vector,
)

SPACES = {0: "global", 3: "slm"}


def create_nd_tdesc(base: Array, offsets: Any = None, shape: Any = None, *, layout: Any = None, array_length: int = 1,
                    boundary_check: bool = True, base_shape: tuple[Size, ...] | None = None,
                    base_strides: tuple[Size, ...] | None = None) -> TensorDesc:  # fmt: skip
    """A descriptor of a block of `base`, whose last stride is 1 (MLIR's xegpu dialect, create_nd_tdesc).

    offsets         where the block starts, one integer for each axis of `base`; left out, loads and stores give them.
    shape           constants: (M, N), or (N,) for a row.
    layout          how the block is distributed to subgroups and lanes (`xegpu.layout`).
    array_length    blocks side by side that one load moves.
    boundary_check  False promises that no element is outside of the array.
    base_shape, base_strides   run-time sizes and strides in place of the array's own.

    Raises TileShapeError, LayoutError, CompileError.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            x = xegpu.load_nd(xegpu.create_nd_tdesc(X, (0, 0), (8, 16)))
            xegpu.store_nd(x, xegpu.create_nd_tdesc(Y, (0, 0), (8, 16)))

        X, Y = np.arange(128, dtype=np.float32).reshape(8, 16), np.zeros((8, 16), np.float32)
        example(X, Y)
        print((Y == X).all())

    Prints:
        True
    """
    op = "create_nd_tdesc"
    array = check_array(base, op)
    if shape is None:
        raise TileShapeError(f"{op} needs the shape of the block", hint="xegpu.create_nd_tdesc(A, (row, column), (32, 16))")
    extent = static_shape(shape, op, (1, 2))
    if len(extent) > array.ndim:
        raise TileShapeError(f"{op}: a block of shape {extent} of {array.described}", hint="a row has one size: (16,)")
    array = array.with_sizes(base_shape, base_strides) if base_shape or base_strides else array
    if any(axis.extent is not None or axis.step != 1 for axis in array.axes):
        raise TileShapeError(
            f"{op} does not take a part of an array", hint="give its beginning as offsets, its end as base_shape"
        )
    if not is_unit(array.stride(-1)):
        raise TileShapeError(
            f"{op}: neighbours along the last axis of {array.described} do not lie side by side",
            hint="describe A instead of A.T, and load with transpose=(1, 0)",
        )
    if array.space and len(extent) > 1:
        raise TileShapeError(
            f"{op}: blocks of shared local memory have one dimension", hint="use create_mem_desc and load_matrix"
        )
    encoding = _encoding(array, array_length, boundary_check)
    kind = xegpu.TensorDescType(extent, array.dtype.ir, encoding, check_layout(layout, op, extent))
    level_now()
    ir = current().build(xegpu.CreateNdTdesc, array.base, _offsets(array, offsets, op), *_sizes(array), result=kind)
    return TensorDesc(ir, array.dtype, extent, array.name)


def _encoding(array: Array, array_length: int, boundary_check: bool) -> xegpu.BlockAttr | None:
    if not isinstance(array_length, int) or array_length < 1:
        raise CompileError(f"create_nd_tdesc: array_length is {array_length!r}", hint="a number of blocks side by side")
    given = xegpu.BlockAttr(SPACES[array.space], array_length, boundary_check)
    return None if given == xegpu.BlockAttr() else given


def _offsets(array: Array, offsets: Any, op: str) -> list[Any]:
    if offsets is None:
        return [] if array.is_whole else [as_index(x, op) for x in array.full_offsets((0,) * array.ndim)]
    items = tuple(offsets) if isinstance(offsets, (tuple, list)) else (offsets,)
    index_list(items, op, array.ndim, array.described)
    return [as_index(x, f"{op}: an offset") for x in array.full_offsets(items)]


def _sizes(array: Array) -> tuple[list[Any], list[Any]]:
    """Sizes and strides, where the memory's type does not say them."""
    known: Any = array.base.type
    if None not in known.shape and known.strides is None and all(isinstance(n, int) for n in array.full_shape):
        return [], []
    return ([as_index(x, "a size") for x in array.full_shape], [as_index(x, "a stride") for x in array.full_strides])


def _where(desc: TensorDesc, offsets: Any, op: str) -> list[Any]:
    return [] if offsets is None else index_list(offsets, op, len(desc.shape), desc.described)


def load_nd(desc: TensorDesc, offsets: Any = None, *, packed: bool = False, transpose: tuple[int, ...] | None = None,
            transpose_bit_width: int | None = None, layout: Any = None, l1_hint: str | None = None, l2_hint: str | None = None,
            l3_hint: str | None = None) -> Value:  # fmt: skip
    """The block in registers, zero outside of the array (MLIR's xegpu dialect, load_nd).

    packed                rows of narrow elements in groups that fill 32 bits: (K, N) becomes (K / p, N, p), as dpas takes B.
    transpose             (1, 0): rows and columns exchanged; not together with `packed`.
    transpose_bit_width   32: narrow elements are transposed in words of 32 bits (seed 000).
    layout                of the result, where the descriptor says none.
    l1_hint ...           cached, uncached, streaming, read_invalidate.

    In a lane-level kernel the result is the lane's share, a row. With array_length the blocks are a leading dimension.
    Raises CompileError, TileShapeError, LayoutError.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            x = xegpu.create_nd_tdesc(X, shape=(8, 16))             # offsets are given to the load
            y = xegpu.load_nd(x, (8, 0))
            xegpu.store_nd(y + 1, xegpu.create_nd_tdesc(Y, (0, 0), (8, 16)))

        X, Y = np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((16, 16), np.float32)
        example(X, Y)
        print((Y[:8] == X[8:] + 1).all())

    Prints:
        True
    """
    op = "load_nd"
    check_desc(desc, op)
    if packed and transpose is not None:
        raise CompileError(f"{op}: packed and transpose cannot be combined")
    shape = _loaded_shape(desc, packed, transpose, transpose_bit_width)
    if level_now() == "lane":
        shape = (_share(desc, prod(shape), op),)
    kind = VectorType(shape, desc.dtype.ir)
    hints = cache_hints(op, l1_hint=l1_hint, l2_hint=l2_hint, l3_hint=l3_hint)
    ir = current().build(
        xegpu.LoadNd, desc.ir, _where(desc, offsets, op), packed=UNIT if packed else None, transpose=transpose,
        transpose_bit_width=transpose_bit_width, layout=check_layout(layout, op, shape), value=kind, **hints,
    )  # fmt: skip
    return from_vector(ir, desc.dtype)


def _loaded_shape(desc: TensorDesc, packed: bool, transpose: Any, width: int | None) -> Shape:
    shape, bits = list(desc.shape), desc.dtype.bits
    if transpose is not None:
        if sorted(transpose) != list(range(len(shape))):
            raise TileShapeError(f"load_nd: transpose {transpose!r} is no permutation of {len(shape)} axes")
        words = (width or bits) // bits
        if not words or shape[-1] % words:
            raise TileShapeError(f"load_nd: transpose_bit_width {width} does not fit rows of {shape[-1]} {desc.dtype}")
        shape[-1] //= words
        shape = [shape[d] for d in transpose]
        shape[-1] *= words
    if packed:
        together = 32 // bits
        if len(shape) != 2 or together < 2 or shape[0] % together:
            raise TileShapeError(
                f"load_nd: {desc.described} cannot be packed",
                hint="packed is for matrices of 8 or 16-bit elements whose rows fill groups of 32 bits",
            )
        shape = [shape[0] // together, shape[1], together]
    return (*((desc.type.array_length,) if desc.type.array_length > 1 else ()), *shape)


def _share(desc: TensorDesc, count: int, op: str) -> int:
    lanes = current().subgroup_size
    if desc.type.layout is not None:
        raise LayoutError(
            f"{op}: {desc.described} has a layout", hint="lane-level descriptors have none: a value is the lane's share"
        )
    if count % lanes:
        raise TileShapeError(f"{op}: {lanes} lanes cannot share the {count} elements of {desc.described}")
    return count // lanes


def store_nd(value: Any, desc: TensorDesc, offsets: Any = None, *, layout: Any = None, l1_hint: str | None = None,
             l2_hint: str | None = None, l3_hint: str | None = None) -> None:  # fmt: skip
    """Write a value of the block's shape and dtype; what is outside of the array is dropped (MLIR's xegpu dialect, store_nd).

    l1_hint ...   cached, uncached, write_back, write_through. Raises CompileError, TileShapeError, LayoutError.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            x = xegpu.load_nd(xegpu.create_nd_tdesc(X, (0, 0), (8, 16)))
            xegpu.store_nd(x, xegpu.create_nd_tdesc(Y, (4, 0), (8, 16)))     # its last four rows are outside of Y

        X, Y = np.arange(128, dtype=np.float32).reshape(8, 16), np.zeros((8, 16), np.float32)
        example(X, Y)
        print((Y[4:] == X[:4]).all(), (Y[:4] == 0).all())

    Prints:
        True True
    """
    op = "store_nd"
    check_desc(desc, op)
    shape: Shape = desc.shape
    if level_now() == "lane":
        shape = (_share(desc, prod(shape), op),)
    stored = check_value(value, op, desc.dtype, shape, desc.described)
    hints = cache_hints(op, l1_hint=l1_hint, l2_hint=l2_hint, l3_hint=l3_hint)
    given = check_layout(layout, op, shape)
    current().build(xegpu.StoreNd, to_vector(stored), desc.ir, _where(desc, offsets, op), layout=given, **hints)


def prefetch_nd(desc: TensorDesc, offsets: Any = None, *, layout: Any = None, l1_hint: str | None = None,
                l2_hint: str | None = None, l3_hint: str | None = None) -> None:  # fmt: skip
    """Bring the block to the caches (MLIR's xegpu dialect, prefetch_nd). Raises CompileError, LayoutError.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            block = xegpu.create_nd_tdesc(X, (0, 0), (8, 16))
            xegpu.prefetch_nd(block, l1_hint="cached", l3_hint="cached")
            xegpu.store_nd(xegpu.load_nd(block), xegpu.create_nd_tdesc(Y, (0, 0), (8, 16)))

        X, Y = np.arange(128, dtype=np.float32).reshape(8, 16), np.zeros((8, 16), np.float32)
        example(X, Y)
        print((Y == X).all())

    Prints:
        True
    """
    op = "prefetch_nd"
    check_desc(desc, op)
    hints = cache_hints(op, l1_hint=l1_hint, l2_hint=l2_hint, l3_hint=l3_hint)
    current().build(xegpu.PrefetchNd, desc.ir, _where(desc, offsets, op), layout=check_layout(layout, op, desc.shape), **hints)


def update_nd_offset(desc: TensorDesc, offsets: Any) -> TensorDesc:
    """The descriptor moved by `offsets` elements, one number for each axis of the block (MLIR's xegpu dialect, update_nd_offset).

    Raises CompileError for what is no descriptor of a block, TileShapeError for another number of offsets.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            x, y = xegpu.create_nd_tdesc(X, (0, 0), (8, 16)), xegpu.create_nd_tdesc(Y, (0, 0), (8, 16))
            for _ in range(2):
                xegpu.store_nd(xegpu.load_nd(x), y)
                x, y = xegpu.update_nd_offset(x, (8, 0)), xegpu.update_nd_offset(y, (8, 0))

        X, Y = np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((16, 16), np.float32)
        example(X, Y)
        print((Y == X).all())

    Prints:
        True
    """
    check_desc(desc, "update_nd_offset")
    moved = index_list(offsets, "update_nd_offset", len(desc.shape), desc.described)
    return desc.with_ir(current().build(xegpu.UpdateNdOffset, desc.ir, moved))


def sg_id_range(start: int, end: int) -> Value:
    """A condition for `if`: only the subgroups `start` to before `end` go in; layouts inside are of these (MLIR's xegpu dialect, range).

    Raises CompileError for an empty range.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            rows = xegpu.layout(sg_layout=(4, 1), sg_data=(8, 16))
            half = xegpu.layout(sg_layout=(2, 1), sg_data=(16, 16))         # of the two subgroups that go in
            if xegpu.sg_id_range(0, 2):
                x = xegpu.load_nd(xegpu.create_nd_tdesc(X, (0, 0), (32, 16), layout=half))
                xegpu.store_nd(x, xegpu.create_nd_tdesc(Y, (0, 0), (32, 16), layout=half))
            z = xegpu.load_nd(xegpu.create_nd_tdesc(X, (32, 0), (32, 16), layout=rows))
            xegpu.store_nd(z, xegpu.create_nd_tdesc(Y, (32, 0), (32, 16), layout=rows))

        X, Y = np.ones((64, 16), np.float32), np.zeros((64, 16), np.float32)
        example(X, Y)
        print((Y == X).all())

    Prints:
        True
    """
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end:
        raise CompileError(f"sg_id_range({describe(start)}, {describe(end)})", hint="give constants: sg_id_range(0, 4)")
    from xetile.dialects import arith, gpu

    build, number = current().build, current().index
    me = build(gpu.SubgroupId)
    after = build(arith.CmpI, me, number(start), predicate="uge")
    before = build(arith.CmpI, me, number(end), predicate="ult")
    inside = build(arith.AndI, after, before, result=I1, sg_id_range=xegpu.RangeAttr(start, end))
    level_now()
    return Value(inside, dtypes.bool_)

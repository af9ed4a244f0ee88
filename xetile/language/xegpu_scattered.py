"""Scattered memory: create_tdesc, load, store, prefetch, update_offset, atomic_rmw (seed 002).

Offsets are given with an array, or are on a descriptor. In lane-level kernels offsets and masks are scalars.
"""

from __future__ import annotations

from typing import Any

from xetile import dtypes
from xetile.dialects import xegpu
from xetile.dialects.types import VectorType
from xetile.errors import CompileError, DtypeError, TileShapeError
from xetile.ir.core import Value as IRValue
from xetile.language.arrays import Array
from xetile.language.context import current
from xetile.language.elementwise import as_value, broadcast_to, constant
from xetile.language.gather import atomic_kind
from xetile.language.values import Shape, Value, describe
from xetile.language.xegpu_values import (
    TensorDesc,
    cache_hints,
    check_array,
    check_desc,
    check_layout,
    check_value,
    from_vector,
    level_now,
    to_vector,
)


def create_tdesc(base: Array, offsets: Value, *, chunk_size: int = 1, layout: Any = None) -> TensorDesc:
    """A descriptor of scattered elements: element i lies `offsets[i]` elements behind the first of `base`, of rank 1.

    chunk_size   neighbours at each offset: a further dimension of the values. 2, 3, 4, 8, 16, 32 or 64, in whole 32 bits.
    Raises CompileError, DtypeError, TileShapeError, LayoutError.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            i = xt.arange(16)
            every_second = xegpu.create_tdesc(X, i * 2)
            xegpu.store(xegpu.load(every_second), xegpu.create_tdesc(Y, i))

        X, Y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
        example(X, Y)
        print(Y[:8])

    Prints:
        [ 0.  2.  4.  6.  8. 10. 12. 14.]
    """
    op = "create_tdesc"
    array = _flat(base, op)
    places = _lanes(offsets, op, "offsets", "iun")
    if not places.shape:
        raise CompileError(f"{op}: {describe(offsets)} is one offset", hint="lane-level kernels load by xegpu.load(A, offset)")
    extent = (*places.shape, *((chunk_size,) if chunk_size != 1 else ()))
    encoding = xegpu.ScatterAttr("slm" if array.space else "global", chunk_size)
    kind = xegpu.TensorDescType(extent, array.dtype.ir, encoding, check_layout(layout, op, extent))
    wrong = kind.problem()
    if wrong:
        raise TileShapeError(f"{op}: {wrong}")
    level_now()
    ir = current().build(xegpu.CreateTdesc, array.base, to_vector(places.to(dtypes.index)), result=kind)
    return TensorDesc(ir, array.dtype, extent, array.name)


def _flat(base: Any, op: str) -> Array:
    array = check_array(base, op)
    if array.ndim != 1 or not array.is_whole:
        raise TileShapeError(f"{op}: scattered access counts offsets in an array of rank 1, not {array.described}",
                             hint="a row of a contiguous array is one: pass A.reshape(-1), and count offsets in it")  # fmt: skip
    return array


def _lanes(given: Any, op: str, what: str, kinds: str) -> Value:
    value = as_value(given)
    if value.dtype.kind not in kinds:
        wanted = "bool" if kinds == "b" else "integers"
        raise DtypeError(f"{op}: the {what} are {describe(given)}, not {wanted}")
    return value


def _mask(mask: Any, op: str, shape: Shape) -> IRValue:
    """A mask of the offsets' shape; all true where none is given."""
    if mask is None:
        held = constant(True, dtypes.bool_, shape)
    else:
        held = _lanes(mask, op, "mask", "b")
        held = broadcast_to(held, shape) if held.shape != shape else held
    return to_vector(held)


def _source(source: Any, offsets: Any, chunk: int | None, op: str) -> tuple[IRValue, IRValue | None, Shape, Shape, Any]:
    """(memory, offsets, shape of the offsets, shape of the value, what holds the dtype)."""
    if isinstance(source, TensorDesc):
        check_desc(source, op, scattered=True)
        if offsets is not None or chunk is not None:
            raise CompileError(f"{op}: {source.described} has its offsets and chunk_size", hint="leave them out")
        lanes = source.shape[:-1] if source.type.chunk_size > 1 else source.shape
        return source.ir, None, lanes, source.shape, source
    array = _flat(source, op)
    if offsets is None:
        raise CompileError(f"{op}: {array.described} needs offsets", hint=f"xegpu.{op}(A, offsets, mask)")
    places = _lanes(offsets, op, "offsets", "iun")
    chunk = chunk or 1
    shape = (*places.shape, *((chunk,) if chunk > 1 else ()))
    ir = places.to(dtypes.index)
    level_now()
    return array.base, to_vector(ir), places.shape, shape, array


def load(source: Any, offsets: Any = None, mask: Any = None, *, chunk_size: int | None = None, layout: Any = None,
         l1_hint: str | None = None, l2_hint: str | None = None, l3_hint: str | None = None) -> Value:  # fmt: skip
    """The elements at `offsets` of an array of rank 1, or of a scattered descriptor, where `mask` is true (MLIR's xegpu dialect, load).

    With chunk_size each offset gives that many neighbours, along a further dimension. Where the mask is false the result is
    undefined on devices. In lane-level kernels the offset is a scalar, and the result a scalar or a row of a chunk.
    Raises CompileError, DtypeError, TileShapeError, LayoutError.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            i = xt.arange(16)
            xegpu.store(xegpu.load(X, i + 4, mask=i < 12), Y, i, mask=i < 12)

        X, Y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
        example(X, Y)
        print(Y[:8])

    Prints:
        [ 4.  5.  6.  7.  8.  9. 10. 11.]
    """
    base, where, lanes, shape, held = _source(source, offsets, chunk_size, "load")
    kind = VectorType(shape, held.dtype.ir) if shape else held.dtype.ir
    hints = cache_hints("load", l1_hint=l1_hint, l2_hint=l2_hint, l3_hint=l3_hint)
    ir = current().build(xegpu.Load, base, where, _mask(mask, "load", lanes), chunk_size=chunk_size,
                         layout=check_layout(layout, "load", shape), value=kind, **hints)  # fmt: skip
    return from_vector(ir, held.dtype)


def store(value: Any, dest: Any, offsets: Any = None, mask: Any = None, *, chunk_size: int | None = None, layout: Any = None,
          l1_hint: str | None = None, l2_hint: str | None = None, l3_hint: str | None = None) -> None:  # fmt: skip
    """Write a value to the places that `load` would read (MLIR's xegpu dialect, store). Raises as load does.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            i = xt.arange(16)
            xegpu.store(xegpu.load(X, i), Y, i * 2, mask=i < 4)

        X, Y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
        example(X, Y)
        print(Y[:8])

    Prints:
        [0. 0. 1. 0. 2. 0. 3. 0.]
    """
    base, where, lanes, shape, held = _source(dest, offsets, chunk_size, "store")
    stored = check_value(value, "store", held.dtype, shape, held.described)
    hints = cache_hints("store", l1_hint=l1_hint, l2_hint=l2_hint, l3_hint=l3_hint)
    current().build(xegpu.Store, to_vector(stored), base, where, _mask(mask, "store", lanes), chunk_size=chunk_size,
                    layout=check_layout(layout, "store", shape), **hints)  # fmt: skip


def prefetch(source: Any, offsets: Any = None, *, l1_hint: str | None = None, l2_hint: str | None = None,
             l3_hint: str | None = None) -> None:  # fmt: skip
    """Bring scattered elements to the caches (MLIR's xegpu dialect, prefetch). Raises CompileError, DtypeError.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            i = xt.arange(16)
            xegpu.prefetch(X, i)
            xegpu.store(xegpu.load(X, i), Y, i)

        X, Y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
        example(X, Y)
        print(Y[:8])

    Prints:
        [0. 1. 2. 3. 4. 5. 6. 7.]
    """
    base, where, *_ = _source(source, offsets, None, "prefetch")
    hints = cache_hints("prefetch", l1_hint=l1_hint, l2_hint=l2_hint, l3_hint=l3_hint)
    current().build(xegpu.Prefetch, base, where, **hints)


def update_offset(desc: TensorDesc, offsets: Value) -> TensorDesc:
    """The scattered descriptor with each offset moved by `offsets` elements (MLIR's xegpu dialect, update_offset).

    Raises CompileError for what is no scattered descriptor, TileShapeError for offsets of another shape.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            i = xt.arange(16)
            x = xegpu.create_tdesc(X, i)
            x = xegpu.update_offset(x, xt.full((16,), 16, xt.index))
            xegpu.store(xegpu.load(x), Y, i)

        X, Y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
        example(X, Y)
        print(Y[:8])

    Prints:
        [16. 17. 18. 19. 20. 21. 22. 23.]
    """
    op = "update_offset"
    check_desc(desc, op, scattered=True)
    lanes = desc.shape[:-1] if desc.type.chunk_size > 1 else desc.shape
    deltas = _lanes(offsets, op, "offsets", "iun").to(dtypes.index)
    if deltas.shape != lanes:
        deltas = broadcast_to(deltas, lanes)
    return desc.with_ir(current().build(xegpu.UpdateOffset, desc.ir, to_vector(deltas)))


def atomic_rmw(kind: str, desc: TensorDesc, mask: Any, value: Any, *, layout: Any = None) -> Value:
    """Combine a value atomically into a scattered region where `mask` is true; gives the old elements (MLIR's xegpu dialect, atomic_rmw).

    kind   addf, addi, andi, assign, maximumf, maxnumf, maxs, maxu, minimumf, minnumf, mins, minu, mulf, muli, ori, xori; or
           without the letters of the type. Raises CompileError, DtypeError, TileShapeError.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            i = xt.arange(16)
            same = xegpu.create_tdesc(Y, i // 8)          # two elements of Y, eight lanes for each
            xegpu.atomic_rmw("addf", same, None, xegpu.load(X, i))

        X, Y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
        example(X, Y)
        print(Y[:8])

    Prints:
        [28. 92.  0.  0.  0.  0.  0.  0.]
    """
    op = "atomic_rmw"
    check_desc(desc, op, scattered=True)
    name = atomic_kind(kind, desc.dtype)
    lanes = desc.shape[:-1] if desc.type.chunk_size > 1 else desc.shape
    held = check_value(value, op, desc.dtype, desc.shape, desc.described)
    ir = current().build(
        xegpu.AtomicRmw, desc.ir, _mask(mask, op, lanes), to_vector(held), kind=name, layout=check_layout(layout, op, desc.shape)
    )
    return from_vector(ir, desc.dtype)

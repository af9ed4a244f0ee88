"""dpas and convert_layout; matrices in shared local memory; named barriers and fences (seed 002)."""

from __future__ import annotations

from math import prod
from typing import Any

from xetile.dialects import gpu, vector, xegpu
from xetile.dialects.types import I8, MemRefType, VectorType
from xetile.dtypes import DType
from xetile.errors import CompileError, TileShapeError
from xetile.ir.core import UNIT
from xetile.language import sync
from xetile.language.arrays import Array
from xetile.language.context import current
from xetile.language.elementwise import as_value, broadcast_to
from xetile.language.matrix import product_dtype
from xetile.language.values import Value, check_dtype, describe
from xetile.language.xegpu_values import (
    MemDesc,
    check_array,
    check_layout,
    check_matrix,
    check_value,
    from_vector,
    index_list,
    level_now,
    static_shape,
    to_vector,
)


def dpas(a: Value, b: Value, acc: Any = None, *, dtype: DType | None = None, layout_a: Any = None, layout_b: Any = None,
         layout_cd: Any = None) -> Value:  # fmt: skip
    """`a @ b`, plus `acc` where given (MLIR's xegpu dialect, dpas): (M, K) by (K, N), or by packed (K / p, N, p), gives (M, N).

    dtype       the result's where there is no `acc`: f32 or the operands' for f16 and bf16, i32 for bytes.
    layout_a, layout_b, layout_cd   how operands and result are distributed, where that does not follow.

    In lane-level kernels operands and result are the lanes' shares. Raises TileShapeError, DtypeError, LayoutError.

    Example:
        @xt.jit(grid=(1,))
        def example(A, B, C):
            a = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (8, 16)))
            b = xegpu.load_nd(xegpu.create_nd_tdesc(B, (0, 0), (16, 16)), packed=True)
            xegpu.store_nd(xegpu.dpas(a, b), xegpu.create_nd_tdesc(C, (0, 0), (8, 16)))

        C = np.zeros((8, 16), np.float32)
        example(np.ones((8, 16), np.float16), np.ones((16, 16), np.float16), C)
        print(C[0, 0])

    Prints:
        16.0
    """
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, Value) or not value.shape:
            raise TileShapeError(f"dpas: {name} is {describe(value)}, not a matrix")
    result = product_dtype(a, b, acc, dtype, "dpas")
    shape = (_rows_of_share(a, b),) if level_now() == "lane" else _product_shape(a, b)
    start = None
    if acc is not None:
        held = as_value(acc, result)
        start = to_vector(check_value(held if held.shape else broadcast_to(held, shape), "dpas", result, shape, "the result"))
    marks = {name: UNIT for name, v in (("lhs_unsigned", a), ("rhs_unsigned", b)) if v.dtype.kind == "u"}
    given = (("layout_a", layout_a, _plain(a)), ("layout_b", layout_b, _plain(b)), ("layout_cd", layout_cd, shape))
    layouts = {name: check_layout(held, f"dpas: {name}", extent) for name, held, extent in given}
    kind = VectorType(shape, result.ir)
    return from_vector(current().build(xegpu.Dpas, to_vector(a), to_vector(b), start, result=kind, **marks, **layouts), result)


def _plain(value: Value) -> tuple[int, ...]:
    shape = value.shape
    return (shape[0] * shape[2], shape[1]) if len(shape) == 3 else shape


def _product_shape(a: Value, b: Value) -> tuple[int, int]:
    left = (a.shape[0], prod(a.shape[1:])) if len(a.shape) == 3 else a.shape
    right = _plain(b)
    if len(left) != 2 or len(right) != 2 or left[1] != right[0]:
        raise TileShapeError(f"dpas: {describe(a)} by {describe(b)}", hint="a is (M, K), b is (K, N), or packed (K / p, N, p)")
    return left[0], right[1]


def _rows_of_share(a: Value, b: Value) -> int:
    """Rows of the result that a lane holds: all of its column. A lane holds 8 words of 32 bits of B (seed 000)."""
    depth = b.shape[0]
    rows = prod(a.shape) * current().subgroup_size // depth
    if rows * depth != prod(a.shape) * current().subgroup_size:
        raise TileShapeError(f"dpas: {describe(a)} by {describe(b)} are no shares of one product")
    return rows


def convert_layout(value: Value, input_layout: Any, target_layout: Any) -> Value:
    """The same value distributed in another way (MLIR's xegpu dialect, convert_layout); between subgroups it goes through shared local memory.

    Raises CompileError, LayoutError.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            rows = xegpu.layout(sg_layout=(4, 1), sg_data=(8, 32))
            columns = xegpu.layout(sg_layout=(1, 4), sg_data=(32, 8))
            x = xegpu.load_nd(xegpu.create_nd_tdesc(X, (0, 0), (32, 32), layout=rows))
            y = xegpu.convert_layout(x, rows, columns)
            xegpu.store_nd(y, xegpu.create_nd_tdesc(Y, (0, 0), (32, 32), layout=columns))

        X, Y = np.arange(1024, dtype=np.float32).reshape(32, 32), np.zeros((32, 32), np.float32)
        example(X, Y)
        print((Y == X).all())

    Prints:
        True
    """
    op = "convert_layout"
    if not isinstance(value, Value) or not value.shape:
        raise CompileError(f"{op}: {describe(value)} is not distributed")
    layouts = [check_layout(given, op, value.shape) for given in (input_layout, target_layout)]
    if None in layouts:
        raise CompileError(f"{op} takes two layouts", hint="xegpu.convert_layout(v, input_layout, target_layout)")
    ir = current().build(xegpu.ConvertLayout, to_vector(value), input_layout=layouts[0], target_layout=layouts[1])
    return from_vector(ir, value.dtype)


def extract(value: Value, number: int) -> Value:
    """Block `number` of a value with a leading dimension, such as one loaded with array_length.

    Raises TileShapeError for a value without blocks, CompileError for a number that is no constant below theirs.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            pair = xegpu.load_nd(xegpu.create_nd_tdesc(X, (0, 0), (8, 16), array_length=2))     # two blocks of 8 x 16
            y = xegpu.create_nd_tdesc(Y, (0, 0), (8, 16))
            xegpu.store_nd(xegpu.extract(pair, 1), y)

        X, Y = np.arange(256, dtype=np.float16).reshape(8, 32), np.zeros((8, 32), np.float16)
        example(X, Y)
        print((Y[:, :16] == X[:, 16:]).all())

    Prints:
        True
    """
    if not isinstance(value, Value) or len(value.shape) < 3:
        raise TileShapeError(f"extract: {describe(value)} has no blocks", hint="values loaded with array_length have")
    if not isinstance(number, int) or not 0 <= number < value.shape[0]:
        raise CompileError(f"extract: there is no block {describe(number)} in {describe(value)}")
    return from_vector(current().build(vector.Extract, value.ir, position=(number,)), value.dtype)


# Shared local memory.


def create_mem_desc(buffer: Array, shape: Any, dtype: DType | None = None, *, layout: Any = None) -> MemDesc:
    """A matrix over shared local memory (MLIR's xegpu dialect, create_mem_desc).

    buffer   from xt.alloc_slm, as large as the matrix.
    dtype    of its elements, by default the buffer's.
    layout   xegpu.mem_layout(stride=..., block=...): how it lies there; by default row-major.
    Raises CompileError, TileShapeError, LayoutError.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            matrix = xegpu.create_mem_desc(xt.alloc_slm((8, 16), xt.f32), (8, 16))
            xegpu.store_matrix(xegpu.load_nd(xegpu.create_nd_tdesc(X, (0, 0), (8, 16))), matrix, (0, 0))
            xt.barrier()

            xegpu.store_nd(xegpu.load_matrix(matrix, (0, 0), (8, 16)), xegpu.create_nd_tdesc(Y, (0, 0), (8, 16)))

        X, Y = np.arange(128, dtype=np.float32).reshape(8, 16), np.zeros((8, 16), np.float32)
        example(X, Y)
        print((Y == X).all())

    Prints:
        True
    """
    op = "create_mem_desc"
    array = check_array(buffer, op)
    if not array.space:
        raise CompileError(f"{op}: {array.described} is not shared local memory", hint="allocate it: xt.alloc_slm((N,), xt.i8)")
    extent = static_shape(shape, op, (1, 2, 3, 4))
    element = check_dtype(dtype, f"{op}: dtype") if dtype is not None else array.dtype
    if layout is not None and not isinstance(layout, xegpu.MemLayoutAttr):
        raise CompileError(f"{op}: the layout is {layout!r}", hint="make one: xegpu.mem_layout(stride=(1, 128))")
    source: Any = array.base.type
    have, need = prod(source.shape) * array.dtype.itemsize, prod(extent) * element.itemsize
    if have != need:
        raise TileShapeError(f"{op}: {array.described} has {have} bytes, a {element}{list(extent)} needs {need}")
    kind = xegpu.MemDescType(extent, element.ir, layout)
    kind.memory_layout()  # raises LayoutError where strides and blocks contradict each other
    level_now()
    base = array.base
    if source.element is not I8 or source.rank != 1:
        # Seed 002: the buffer is raw bytes.
        base = current().build(gpu.ElementCast, base, result=MemRefType((have,), I8, None, source.space))
    return MemDesc(current().build(xegpu.CreateMemDesc, base, result=kind), element, extent, "slm")


def mem_desc_subview(matrix: MemDesc, offsets: Any, shape: Any) -> MemDesc:
    """The part of a matrix at constant or run-time offsets (MLIR's xegpu dialect, mem_desc_subview); leading dimensions may go.

    Raises CompileError, TileShapeError.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            matrix = xegpu.create_mem_desc(xt.alloc_slm((8, 16), xt.f32), (8, 16))
            xegpu.store_matrix(xegpu.load_nd(xegpu.create_nd_tdesc(X, (0, 0), (8, 16))), matrix, (0, 0))
            xt.barrier()

            lower = xegpu.mem_desc_subview(matrix, (4, 0), (4, 16))
            xegpu.store_nd(xegpu.load_matrix(lower, (0, 0), (4, 16)), xegpu.create_nd_tdesc(Y, (0, 0), (4, 16)))

        X, Y = np.arange(128, dtype=np.float32).reshape(8, 16), np.zeros((8, 16), np.float32)
        example(X, Y)
        print((Y[:4] == X[4:]).all())

    Prints:
        True
    """
    op = "mem_desc_subview"
    check_matrix(matrix, op)
    extent = static_shape(shape, op, tuple(range(1, len(matrix.shape) + 1)))
    where = index_list(offsets, op, len(matrix.shape), matrix.described)
    whole = matrix.type.memory_layout()
    inner = tuple(whole.strides[len(matrix.shape) - len(extent) :])
    given = matrix.type.layout
    kept = xegpu.MemLayoutAttr(inner, tuple(given.block[-len(extent) :]) if given is not None else ())
    kind = xegpu.MemDescType(extent, matrix.dtype.ir, kept)
    return MemDesc(current().build(xegpu.MemDescSubview, matrix.ir, where, result=kind), matrix.dtype, extent, "slm")


def load_matrix(matrix: MemDesc, offsets: Any, shape: Any, *, layout: Any = None) -> Value:
    """A block of a matrix in shared local memory (MLIR's xegpu dialect, load_matrix); in lane-level kernels the lane's own run of elements.

    Raises CompileError, TileShapeError, LayoutError.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            matrix = xegpu.create_mem_desc(xt.alloc_slm((8, 16), xt.f32), (8, 16))
            xegpu.store_matrix(xegpu.load_nd(xegpu.create_nd_tdesc(X, (0, 0), (8, 16))), matrix, (0, 0))
            xt.barrier()

            y = xegpu.load_matrix(matrix, (4, 0), (4, 16))
            xegpu.store_nd(y, xegpu.create_nd_tdesc(Y, (0, 0), (4, 16)))

        X, Y = np.arange(128, dtype=np.float32).reshape(8, 16), np.zeros((8, 16), np.float32)
        example(X, Y)
        print((Y[:4] == X[4:]).all())

    Prints:
        True
    """
    op = "load_matrix"
    check_matrix(matrix, op)
    extent = static_shape(shape, op, (1, 2))
    where = index_list(offsets, op, len(matrix.shape), matrix.described)
    kind = VectorType(extent, matrix.dtype.ir)
    level_now()
    ir = current().build(xegpu.LoadMatrix, matrix.ir, where, layout=check_layout(layout, op, extent), value=kind)
    return from_vector(ir, matrix.dtype)


def store_matrix(value: Any, matrix: MemDesc, offsets: Any, *, layout: Any = None) -> None:
    """Write a value to a matrix in shared local memory (MLIR's xegpu dialect, store_matrix). Raises as load_matrix does.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            matrix = xegpu.create_mem_desc(xt.alloc_slm((8, 16), xt.f32), (8, 16))
            xegpu.store_matrix(xegpu.load_nd(xegpu.create_nd_tdesc(X, (0, 0), (8, 16))), matrix, (0, 0))
            xt.barrier()

            xegpu.store_nd(xegpu.load_matrix(matrix, (0, 0), (8, 16)), xegpu.create_nd_tdesc(Y, (0, 0), (8, 16)))

        X, Y = np.arange(128, dtype=np.float32).reshape(8, 16), np.zeros((8, 16), np.float32)
        example(X, Y)
        print((Y == X).all())

    Prints:
        True
    """
    op = "store_matrix"
    check_matrix(matrix, op)
    if not isinstance(value, Value):
        raise CompileError(f"{op}: {describe(value)} is not a value")
    stored = check_value(value, op, matrix.dtype, value.shape, matrix.described)
    where = index_list(offsets, op, len(matrix.shape), matrix.described)
    level_now()
    current().build(xegpu.StoreMatrix, to_vector(stored), matrix.ir, where, layout=check_layout(layout, op, value.shape))


# Synchronisation: the same barriers as XeTile's, under the dialect's names.


def alloc_nbarrier(count: int) -> None:
    """Reserve named barriers for the workgroup, once, at the head of the kernel (MLIR's xegpu dialect, alloc_nbarrier).

    Raises CompileError where the number is no positive constant.

    Example:
        @xt.jit(grid=(1,), num_subgroups=2)
        def example(X):
            xegpu.alloc_nbarrier(1)
            both = xegpu.init_nbarrier(0, 2)
            xegpu.nbarrier_arrive(both)
            xegpu.nbarrier_wait(both)
            if xt.subgroup_id() == 0:
                xt.device_print("both subgroups have come")

        example(np.zeros(4, np.float32))

    Prints:
        both subgroups have come
    """
    level_now()
    sync.alloc_named_barriers(count)


def init_nbarrier(number: Any, participants: Any) -> sync.NamedBarrier:
    """Join the named barrier `number` of so many participating subgroups (MLIR's xegpu dialect, init_nbarrier).

    Raises CompileError where either is not an integer.

    Example:
        @xt.jit(grid=(1,), num_subgroups=2)
        def example(X):
            xegpu.alloc_nbarrier(1)
            both = xegpu.init_nbarrier(0, 2)
            xegpu.nbarrier_arrive(both)
            xegpu.nbarrier_wait(both)
            if xt.subgroup_id() == 0:
                xt.device_print("both subgroups have come")

        example(np.zeros(4, np.float32))

    Prints:
        both subgroups have come
    """
    return sync.named_barrier(number, participants)


def nbarrier_arrive(barrier: sync.NamedBarrier) -> None:
    """Signal that this subgroup has come so far, and go on (MLIR's xegpu dialect, nbarrier_arrive).

    Raises CompileError for what is no named barrier.

    Example:
        @xt.jit(grid=(1,), num_subgroups=2)
        def example(X):
            xegpu.alloc_nbarrier(1)
            both = xegpu.init_nbarrier(0, 2)
            xegpu.nbarrier_arrive(both)
            xegpu.nbarrier_wait(both)
            if xt.subgroup_id() == 0:
                xt.device_print("both subgroups have come")

        example(np.zeros(4, np.float32))

    Prints:
        both subgroups have come
    """
    _check_barrier(barrier, "nbarrier_arrive").arrive()


def nbarrier_wait(barrier: sync.NamedBarrier) -> None:
    """Wait until all participants have arrived (MLIR's xegpu dialect, nbarrier_wait).

    Raises CompileError for what is no named barrier.

    Example:
        @xt.jit(grid=(1,), num_subgroups=2)
        def example(X):
            xegpu.alloc_nbarrier(1)
            both = xegpu.init_nbarrier(0, 2)
            xegpu.nbarrier_arrive(both)
            xegpu.nbarrier_wait(both)
            if xt.subgroup_id() == 0:
                xt.device_print("both subgroups have come")

        example(np.zeros(4, np.float32))

    Prints:
        both subgroups have come
    """
    _check_barrier(barrier, "nbarrier_wait").wait()


def _check_barrier(given: Any, op: str) -> sync.NamedBarrier:
    if not isinstance(given, sync.NamedBarrier):
        raise CompileError(f"{op} takes a named barrier, not {describe(given)}", hint="xegpu.init_nbarrier(number, participants)")
    return given


def fence(memory_kind: str = "slm", fence_scope: str = "workgroup") -> None:
    """Order accesses (MLIR's xegpu dialect, fence): `memory_kind` slm or global, `fence_scope` workgroup or gpu.

    Raises CompileError for other words.

    Example:
        @xt.jit(grid=(1,), num_subgroups=2)
        def example(X):
            xegpu.alloc_nbarrier(1)
            both = xegpu.init_nbarrier(0, 2)
            xegpu.fence("slm", "workgroup")
            xegpu.nbarrier_arrive(both)
            xegpu.nbarrier_wait(both)
            if xt.subgroup_id() == 0:
                xt.device_print("what both stored is seen by both")

        example(np.zeros(4, np.float32))

    Prints:
        what both stored is seen by both
    """
    sync.fence(memory_kind, fence_scope)

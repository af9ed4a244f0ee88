"""What users read when they misuse a function of the language."""

import pytest

import xetile as xt
from tests.frontend.messages import Cases, check_message
from xetile import errors

wrong = Cases()


@wrong(errors.TileShapeError, A="f16[?,?]", B="f16[?,?]")
def mma_sizes(A, B):
    """
    tile_mma: a is f16[256,32], b is f16[64,256]: the inner sizes 32 and 64 differ
      hint: a is (M, K) and b is (K, N)
      in mma_sizes:
        c = xt.tile_mma(a, b)
            ^^^^^^^^^^^^^^^^^
    """
    a = xt.load_tile(xt.init_tile(A, (0, 0), (256, 32)))
    b = xt.load_tile(xt.init_tile(B, (0, 0), (64, 256)))
    c = xt.tile_mma(a, b)
    return c


@wrong(errors.DtypeError, A="f16[?,?]", B="bf16[?,?]")
def mma_dtypes(A, B):
    """
    tile_mma: a is f16[256,32], b is bf16[32,256]: f16 and bf16 cannot be multiplied
      hint: both f16, bf16, tf32, f32 or f64, or any of i8 and u8: convert with .to(...)
      in mma_dtypes:
        return a @ b
               ^^^^^
    """
    a = xt.load_tile(xt.init_tile(A, (0, 0), (256, 32)))
    b = xt.load_tile(xt.init_tile(B, (0, 0), (32, 256)))
    return a @ b


@wrong(errors.DtypeError, A="f16[?,?]")
def mma_accumulator(A):
    """
    tile_mma: acc is i32[32,32], but products of f16 are summed in f32 or f16
      hint: start with xt.zeros((32, 32), xt.f32) and convert the result
      in mma_accumulator:
        return xt.tile_mma(a, a, xt.zeros((32, 32), xt.i32))
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    a = xt.load_tile(xt.init_tile(A, (0, 0), (32, 32)))
    return xt.tile_mma(a, a, xt.zeros((32, 32), xt.i32))


@wrong(errors.TileShapeError, A="f16[?,?]")
def mma_rows(A):
    """
    tile_mma: b is f16[32], not a 2-D value
      hint: load tiles with load_tile; v[None, :] and v[:, None] make a row two-dimensional
      in mma_rows:
        return a @ xt.load_tile(xt.init_tile(A[0], 0, (32,)))
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    a = xt.load_tile(xt.init_tile(A, (0, 0), (32, 32)))
    return a @ xt.load_tile(xt.init_tile(A[0], 0, (32,)))


@wrong(errors.ConstexprError, A="f16[?,?]")
def run_time_shape(A):
    """
    zeros: a size of the shape is known at run time only
      hint: sizes of tiles are constants: A.shape[0] comes with the call: give the size as a parameter of its own, N: xt.constexpr
      in run_time_shape:
        return xt.zeros((A.shape[0], 4), xt.f32)
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    return xt.zeros((A.shape[0], 4), xt.f32)


@wrong(errors.CompileError, A="f16[?,?]")
def misspelt_keyword(A):
    """
    load_tile() got an unexpected keyword argument 'pading'
      hint: did you mean padding? its parameters are tile, padding, l1_hint, l3_hint
      in misspelt_keyword:
        return xt.load_tile(A, pading=3)
               ^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    return xt.load_tile(A, pading=3)


@wrong(errors.DtypeError, A="f16[?,?]")
def store_dtype(A):
    """
    store_tile: the value is f32[8,16], the tile is f16[8,16] of A
      hint: convert the value: .to(xt.f16)
      in store_dtype:
        xt.store_tile(value, xt.init_tile(A, (0, 0), (8, 16)))
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    value = xt.zeros((8, 16))
    xt.store_tile(value, xt.init_tile(A, (0, 0), (8, 16)))


@wrong(errors.TileShapeError, A="f16[?,?]")
def store_shape(A):
    """
    store_tile: the value is f16[8,1], the tile is f16[8,16] of A
      hint: stretch it: xt.tile_broadcast(value, (8, 16))
      in store_shape:
        xt.store_tile(value, xt.init_tile(A, (0, 0), (8, 16)))
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    value = xt.zeros((8, 1), xt.f16)
    xt.store_tile(value, xt.init_tile(A, (0, 0), (8, 16)))


@wrong(errors.TileShapeError)
def broadcast():
    """
    shapes 4x8 and 8x4 do not go together: 4 and 8 elements along axis 0
      hint: axes must have the same size, or size 1: v[:, None] and v[None, :] add axes
      in broadcast:
        return xt.zeros((4, 8)) + xt.zeros((8, 4))
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    return xt.zeros((4, 8)) + xt.zeros((8, 4))


@wrong(errors.DtypeError, A="f16[?,?]", n="u64")
def no_common_type(A, n):
    """
    index and u64 have no common type
      hint: convert one: .to(xt.u64) or .to(xt.i64)
      in no_common_type:
        return n + A.shape[0]
               ^^^^^^^^^^^^^^
    """
    return n + A.shape[0]


@wrong(errors.DtypeError, k="u32")
def numbers_that_should_wrap(k):
    """
    6288268554 does not fit u32 (0 to 4294967295)
      hint: convert the other operand to a wider type: .to(xt.i64); where it should wrap: & 0xffffffff
      in numbers_that_should_wrap:
        return k ^ (0xBB67AE85 * 2)
               ^^^^^^^^^^^^^^^^^^^^
    """
    return k ^ (0xBB67AE85 * 2)


@wrong(errors.DtypeError, A="f16[?,?]")
def beyond_index(A):
    """
    2147483648 does not fit a 32-bit index (-2147483648 to 2147483647)
      hint: convert the other operand to a wider type: .to(xt.i64)
      in beyond_index:
        return A.shape[0] + 2**31
               ^^^^^^^^^^^^^^^^^^
    """
    return A.shape[0] + 2**31


@wrong(errors.LayoutError, A="f16[?,?]")
def maps_disagree(A):
    """
    init_tile: sg_layout [4, 4] has 16 subgroups, the kernel has 32
      hint: the numbers of sg_layout must multiply to 32 in every wg_map, as in num_subgroups
      in maps_disagree:
        b = xt.init_tile(A, (0, 0), (64, 32), wg_map=xt.wg_map((4, 4), (16, 8)))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    a = xt.init_tile(A, (0, 0), (64, 32), wg_map=xt.wg_map((8, 4), (8, 8)))
    b = xt.init_tile(A, (0, 0), (64, 32), wg_map=xt.wg_map((4, 4), (16, 8)))
    return a, b


@wrong(errors.DtypeError, A="f16[?,?]")
def no_such_atomic(A):
    """
    atomic_rmw_tile: there is no atomic 'and' of f16
      hint: f16 has add, mul, max, min, maxnum, minnum, assign
      in no_such_atomic:
        xt.atomic_rmw_tile("and", 1.0, xt.init_tile(A, (0, 0), (64, 32)))
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    xt.atomic_rmw_tile("and", 1.0, xt.init_tile(A, (0, 0), (64, 32)))


@wrong(errors.TileShapeError)
def no_such_axis():
    """
    sum: f32[4,4] has no axis 2
      hint: its axes are 0, 1
      in no_such_axis:
        return xt.sum(xt.zeros((4, 4)), axis=2)
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    return xt.sum(xt.zeros((4, 4)), axis=2)


@wrong(errors.TileShapeError, A="f16[?,?,?]")
def three_axes(A):
    """
    init_tile: 3 offsets for A: f16[?,?,?]
      hint: drop leading axes with A[i]: tiles have two axes
      in three_axes:
        return xt.init_tile(A, (0, 0, 0), (16, 32))
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    return xt.init_tile(A, (0, 0, 0), (16, 32))


@wrong(errors.TileShapeError, A="f16[?,?]")
def order_contradicts(A):
    """
    init_tile: order (0, 1) contradicts the memory of A: f16[?,?], which is (1, 0)
      hint: leave `order` out to follow the array; A.T is the column-major view of a row-major array
      in order_contradicts:
        return xt.init_tile(A, (0, 0), (16, 32), order=(0, 1))
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    return xt.init_tile(A, (0, 0), (16, 32), order=(0, 1))


@wrong(errors.TileShapeError, A="f16[?,?]")
def tile_assigned_to_an_element(A):
    """
    store_tile: the value is f16[8,16], the tile is f16[1] of A
      hint: shapes must be the same; a part of constant size is value[0:n, 0:m]
      in tile_assigned_to_an_element:
        A[0, 0] = xt.zeros((8, 16), xt.f16)
        ^^^^^^^
    """
    A[0, 0] = xt.zeros((8, 16), xt.f16)


@wrong(errors.ConstexprError, A="f16[?,?]", n="i32")
def part_of_no_constant_size_assigned(A, n):
    """
    store_tile: A: f16[?,16] is no tile: a size is not constant
      hint: annotate the parameter: n: xt.constexpr; or take a part of constant size, A[m:m + 64, 0:32], or xt.init_tile(A, (m, 0), (64, 32))
      in part_of_no_constant_size_assigned:
        A[0:n, 0:16] = 1
        ^^^^^^^^^^^^
    """
    A[0:n, 0:16] = 1


@wrong(errors.TileShapeError, A="f16[?,?]")
def over_several_lines(A):
    """
    tile_mma: a is f32[4,8], b is f32[4,8]: the inner sizes 8 and 4 differ
      hint: a is (M, K) and b is (K, N); transpose b: b.T
      in over_several_lines:
        return xt.tile_mma(
               ^^^^^^^^^^^^
    """
    return xt.tile_mma(
        xt.zeros((4, 8)),
        xt.zeros((4, 8)),
    )


@wrong(errors.CompileError, X="f32[16,16]")
def axes_of_max(X):
    """
    xt.max() takes from 1 to 2 positional arguments but 3 were given
      hint: its parameters are value, axis, keepdims
      in axes_of_max:
        return xt.max(xt.load_tile(X[0:16, 0:16]), 0, 1)
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    return xt.max(xt.load_tile(X[0:16, 0:16]), 0, 1)


@pytest.mark.parametrize("kernel,kind,constants,types", wrong)
def test_message(kernel, kind, constants, types):
    check_message(kernel, kind, constants, types)


def test_errors_of_a_call_come_before_anything_runs():
    import numpy as np

    out = np.full((8, 32), 7, np.float16)
    with xt.device("numpy"), pytest.raises(errors.DtypeError):
        xt.jit(store_dtype)[1,](out)
    assert (out == 7).all()


@pytest.mark.parametrize("name,arguments", [("arange", (4,)), ("program_id", (0,)), ("exp", (1.0,)), ("barrier", ())])
def test_kernel_functions_outside_of_a_kernel(name, arguments):
    with pytest.raises(errors.CompileError, match="only inside a kernel"):
        getattr(xt, name)(*arguments)

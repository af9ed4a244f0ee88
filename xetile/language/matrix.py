"""The matrix product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xetile import dtypes
from xetile.dialects import xetile
from xetile.dtypes import DType
from xetile.errors import DtypeError, TileShapeError
from xetile.ir.core import UNIT
from xetile.language.context import current, in_a_kernel
from xetile.language.elementwise import as_value, broadcast_to
from xetile.language.maps import check_map
from xetile.language.values import Value, check_dtype, describe, ir_type, operator
from xetile.layout import Layout

if TYPE_CHECKING:
    from xetile.dtypes import DTypeLike

_FLOATS = (dtypes.f16, dtypes.bf16, dtypes.tf32, dtypes.f32, dtypes.f64)
_BYTES = (dtypes.i8, dtypes.u8)
_ACCUMULATORS: dict[DType, tuple[DType, ...]] = {
    dtypes.f16: (dtypes.f32, dtypes.f16),
    dtypes.bf16: (dtypes.f32, dtypes.bf16),
    dtypes.tf32: (dtypes.f32,),
    dtypes.f32: (dtypes.f32,),
    dtypes.f64: (dtypes.f64,),
    dtypes.i8: (dtypes.i32,),
    dtypes.u8: (dtypes.i32,),
}


def tile_mma(
    a: Value, b: Value, acc: Value | None = None, *, dtype: DTypeLike | None = None, wg_map: Layout | None = None
) -> Value:
    """`a @ b`, plus `acc` where given: (M, K) by (K, N) gives (M, N) (RFC, tile_mma).

    a, b      both f16, both bf16, both tf32, both f32, both f64, or any mix of i8 and u8.
    acc       (M, N), or a scalar for all elements; f32, or the type of f16 and bf16 operands; f64 for f64; i32 for i8 and u8.
    dtype     the result's where there is no `acc`; default the first of those.
    wg_map    of the result; inferred where absent.

    f32 operands are multiplied exactly; cast them with `.to(xt.tf32)` to trade accuracy for speed.

    Products and `acc` are summed in the result's dtype, in an order that is left open. So a sum of one with a product, `acc += a @
    b` or `x - a @ b`, is computed as one accumulating product wherever that sum is in f32, f64 or i32 (which wraps) and the product
    is read nowhere else: the two mean the same, and are as fast. f16 and bf16 accumulators are rounded on the way, after each step
    of DPAS: there `tile_mma(a, b, acc)` rounds where it says so, and `acc + tile_mma(a, b, dtype=xt.f16)` rounds the product first,
    then the sum. With the order the last bits of a product in f32 are open, and those of its multiple by one number: where
    differences of such multiples go to `exp` and nowhere else, the number is multiplied by log2(e) first, and a power of two is
    taken (multiples of 2.3e38 and more are infinite there); and with it the number of a multiple that is added to it, such as `slope *
    distance`. Numbers that multiply or divide a product in f32 one after the other,
    `(a @ b) * s / c`, may become one first, `s / c`, and a number that divides it its reciprocal. A multiple of a product in f32
    that is added to something and read nowhere else, `acc += (a @ b) * s`, may be rounded with that sum, as by `xt.fma`; so may one
    from which a row or column is subtracted, and nothing else but the choice of its largest or smallest elements reads: `exp((a @
    b) * s - largest)`. Sums of such multiples by weights of f8e4m3 that are converted in the loop lose digits below 2^-118; so do sums of
    products of bf16 by such weights.

    Raises TileShapeError and DtypeError.

    Example:
        @xt.jit(out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[1]), xt.f32)}, grid=(1,))
        def example(A, B, C):
            a, b = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
            xt.store_tile(xt.tile_mma(a, b, xt.full((8, 16), 0.5)), xt.init_tile(C, (0, 0), (8, 16)))

        C = example(np.ones((8, 16), np.float16), np.ones((16, 16), np.float16))
        print(C.shape, C[0, 0])

    Prints:
        (8, 16) 16.5
    """
    shape = _check_shapes(a, b)
    result = product_dtype(a, b, acc, check_dtype(dtype, "tile_mma: dtype") if dtype is not None else None)
    start = None
    if acc is not None:
        start = as_value(acc, result)
        if start.shape not in ((), shape):
            raise TileShapeError(f"tile_mma: acc is {describe(acc)}, a @ b is {result}[{shape[0]},{shape[1]}]",
                                 hint=f"rows of a, columns of b: start with xt.zeros({shape}, xt.{result})")  # fmt: skip
        start = broadcast_to(start, shape)
    marks = {name: UNIT for name, v in (("lhs_unsigned", a), ("rhs_unsigned", b)) if v.dtype is dtypes.u8}
    operands = (a.ir, b.ir, start.ir if start is not None else None)
    layout = check_map(wg_map, "tile_mma")
    ir = current().build(xetile.TileMma, *operands, wg_map=layout, result=ir_type(result, shape), **marks)
    return Value(ir, result, shape)


def _check_shapes(a: Any, b: Any) -> tuple[int, int]:
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, Value) or len(value.shape) != 2:
            raise in_a_kernel(
                TileShapeError(
                    f"tile_mma: {name} is {describe(value)}, not a 2-D value",
                    hint="load tiles with load_tile; v[None, :] and v[:, None] make a row two-dimensional",
                )
            )
    if a.shape[1] != b.shape[0]:
        raise TileShapeError(
            f"tile_mma: a is {describe(a)}, b is {describe(b)}: the inner sizes {a.shape[1]} and {b.shape[0]} differ",
            hint="a is (M, K) and b is (K, N)" + ("; transpose b: b.T" if a.shape[1] == b.shape[1] else ""),
        )
    return a.shape[0], b.shape[1]


def product_dtype(a: Value, b: Value, acc: Any, dtype: DType | None, op: str = "tile_mma") -> DType:
    """The dtype of a product; raises DtypeError for operands that cannot be multiplied, or summed in that of `acc`."""
    mixes = a.dtype in _BYTES and b.dtype in _BYTES
    if not mixes and (a.dtype is not b.dtype or a.dtype not in _FLOATS):
        raise DtypeError(
            f"{op}: a is {describe(a)}, b is {describe(b)}: {a.dtype} and {b.dtype} cannot be multiplied",
            hint="both f16, bf16, tf32, f32 or f64, or any of i8 and u8: convert with .to(...)"
            + ("; products of f64 are exact below 2**53" if a.dtype.kind in "iu" and b.dtype.kind in "iu" else ""),
        )
    accepted = _ACCUMULATORS[a.dtype]
    given = acc.dtype if isinstance(acc, Value) else check_dtype(dtype, f"{op}: dtype") if dtype is not None else accepted[0]
    if dtype is not None and given is not dtype:
        raise DtypeError(f"{op}: dtype is {dtype}, acc is {describe(acc)}", hint="leave dtype out: the result has acc's")
    if given not in accepted:
        what = f"acc is {describe(acc)}" if isinstance(acc, Value) else f"the result is to be {given}"
        raise DtypeError(
            f"{op}: {what}, but products of {a.dtype} are summed in {' or '.join(map(str, accepted))}",
            hint=f"start with xt.zeros({(a.shape[0], b.shape[1])}, xt.{accepted[0]}) and convert the result",
        )
    return given


@operator("matmul")
def matmul(a: Any, b: Any) -> Value:
    """`a @ b`."""
    return tile_mma(a, b)

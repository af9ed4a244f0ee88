"""Matrix products: batched, with what follows them in registers, of bytes and 4-bit weights with scales, and by groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from xetile import dtypes
from xetile.dtypes import DType
from xetile.errors import ArgumentError, DtypeError
from xetile.ops.arguments import (
    FLOATS,
    INDICES,
    Output,
    array,
    by_columns,
    check_elements,
    check_shape,
    dtype_of,
    fitting,
    interpreted,
    on_vectors,
    power_of_two,
    tiled,
)
from xetile.ops.kernels import linear as kernels
from xetile.ops.kernels.matmul import DEFAULTS
from xetile.runtime.arrays import is_device_array
from xetile.runtime.devices import current_device

BYTES, EIGHTHS = (dtypes.i8, dtypes.u8), (dtypes.f8e4m3, dtypes.f8e5m2)
HALVES = (dtypes.f16, dtypes.bf16)
BY_AMX = (dtypes.bf16, *BYTES)  # what it multiplies
RESULTS = (*FLOATS, dtypes.i32)
AMX_DEPTH = 512  # bytes of a step's depth: what is packed of the right operand then fills a sixteenth of a second cache of 2 MiB
MOST_ROWS = 512  # of a CPU's tile: its sums and what is packed for them fit a second cache of 2 MiB, half of them one of 1 MiB
ONCE = 256  # rows and columns of a CPU's sums that one step adds to: they are begun, added to and stored while they are near
IN_PLACE = 4  # rows of a product up to which a CPU reads the right operand where it lies
# Of its tiles where that lies column by column: elements of a vector are summed once for each tile.
BY_COLUMNS = {"BN": 256, "BK": 2048}
STEP = 32  # of a CPU's tiles of many rows: finer ones would ask for a kernel of its own for nearly every size
HELD = 1 << 21  # elements of an operand that numpy's programs together load in a step: the deeper, the fewer steps are begun
LEAST_DEPTH = 64  # of a CPU's step: bytes that AMX takes at a time
SMALLEST = 4  # columns, and depth, of other tiles on a CPU: what a small product has beyond its operands takes as long as they do
FEW = 32  # rows of a product for which a tile of its own is made
KNOWN_GROUP = 256  # rows of a group up to which a kernel is compiled for their number
MANY = 16  # subgroups of a workgroup whose tile is of few rows
ACTIVATIONS = ("none", "relu", "gelu", "silu")


def matmul(a: Any, b: Any, *, bias: Any = None, activation: str = "none", residual: Any = None, row_scales: Any = None,
           column_scales: Any = None, dtype: Any = None, out: Any = None) -> Any:  # fmt: skip
    """a @ b, or activation(a @ b * row_scales * column_scales + bias) + residual, with all of it in registers.

    a, b            [..., M, K] and [..., K, N], leading axes broadcast; [K] as in numpy. Transposed views cost no copy.
                    Both of f16, bf16, f32 or f64 (summed in f32, f64 in f64), of i8 or u8 (summed in i32), of f8; or a of f16 or
                    bf16 and b[K, N] of f8 or bytes, which take a's dtype in registers.
    bias            [N], of any float.
    activation      "none", "relu", "gelu" (the tanh form) or "silu".
    residual        of the result's shape, of any float.
    row_scales      [M], f32: of a's rows; column_scales [N], f32: of b's columns.
    dtype           of the result: by default that of a and b, of bytes i32 or with scales f32, of f8 f32.
    out             of the result's shape and dtype.

    Raises ArgumentError, DtypeError.

    Example:
        a, b = np.ones((2, 300, 64), np.float16), np.ones((64, 32), np.float16)
        print(xt.ops.matmul(a, b, bias=-np.arange(32), activation="relu").shape)

    Prints:
        (2, 300, 32)
    """
    x, y = _operands(a, b)
    if activation not in ACTIVATIONS:
        raise ArgumentError(f"matmul: activation is {activation!r}", hint=f"one of {', '.join(ACTIVATIONS)}")
    lead, (m, k), n = _sizes(x, y)
    vectors = {"bias": _vector("bias", bias, n, FLOATS), "row_scales": _vector("row_scales", row_scales, m, (dtypes.f32,)),
               "column_scales": _vector("column_scales", column_scales, n, (dtypes.f32,))}  # fmt: skip
    kind = _result_dtype(x, y, dtype, any(v is not None for v in (*vectors.values(), residual)) or activation != "none")
    shape = (*lead, *((m,) if x.ndim > 1 else ()), *((n,) if y.ndim > 1 else ()))
    rest = None if residual is None else array("matmul", "residual", residual, FLOATS, shape)
    result = Output("matmul", out, shape, kind, x, y, rest, *vectors.values())
    if math.prod(shape):
        planes = _planes(x, y, lead, m, n, k)
        if planes[0].ndim == 2 and vectors["row_scales"] is not None and planes[0].shape[0] != m:
            vectors["row_scales"] = np.tile(vectors["row_scales"], math.prod(lead))
        _launch(*planes, rest, result.array, vectors, activation)
    return result.done()


def _launch(a: Any, b: Any, residual: Any, result: Any, vectors: dict[str, Any], activation: str) -> None:
    shape = (*a.shape[:-1], b.shape[-1])
    target = result.reshape(shape)
    kind = dtype_of(a, (*FLOATS, *BYTES, *EIGHTHS))
    assert kind is not None, "_operands() has checked it"
    options: dict[str, Any] = {
        "ACTIVATION": activation,
        **fitted_tiles(shape[-2], shape[-1], kind, math.prod(shape[:-2]), a.shape[-1], turned=by_columns(b)),
    }
    bias, columns, lines = vectors["bias"], vectors["column_scales"], vectors["row_scales"]
    if a.dtype != b.dtype and kind in HALVES:
        # Few rows wait for weights alone: more subgroups ask for more of them at a time.
        many = {"num_subgroups": MANY} if options.get("BM") == FEW else {}
        kernels.wide_weights(a, b, columns, bias, target, **options, **many)
        return
    total = dtypes.i32 if kind in BYTES else dtypes.f64 if kind is dtypes.f64 else dtypes.f32
    lines = None if lines is None else lines.reshape(-1, 1)
    rest = None if residual is None else tiled(residual.reshape(shape))
    acc = dtypes.f64 if kind is dtypes.f64 else dtypes.f32
    kernels.linear(a, b, bias, lines, columns, rest, target, SUM=total, ACC=acc, **options)


def _operands(a: Any, b: Any) -> tuple[Any, Any]:
    x, y = (_operand(name, value) for name, value in (("a", a), ("b", b)))
    same = x.dtype == y.dtype or all(dtype_of(v, BYTES) for v in (x, y))
    weights = dtype_of(x, HALVES) is not None and dtype_of(y, (*BYTES, *EIGHTHS)) is not None and y.ndim == 2 and x.ndim > 1
    if not (same or weights):
        raise DtypeError(f"matmul: a is {x.dtype} and b is {y.dtype}, which have no product", hint="cast one: a.astype(b.dtype)")
    if x.ndim == 0 or y.ndim == 0:
        raise ArgumentError("matmul: an operand has no axes", hint="multiply by a number with *")
    k = y.shape[-2] if y.ndim > 1 else y.shape[0]
    if x.shape[-1] != k:
        raise ArgumentError(f"matmul: a has {x.shape[-1]} columns and b has {k} rows: {tuple(x.shape)} @ {tuple(y.shape)}",
                            hint="b.T, or numpy.swapaxes(b, -1, -2), is b transposed" if x.shape[-1] == y.shape[-1] else None)  # fmt: skip
    return x, y


def _operand(name: str, value: Any) -> Any:
    try:
        return array("matmul", name, value, (*FLOATS, *BYTES, *EIGHTHS))
    except DtypeError as error:
        if value.dtype.kind not in "iu":
            raise
        hint = f"pass {name}.astype('float64'), whose sums of whole numbers are exact below 2**53"
        raise DtypeError(error.message, hint=hint) from None


def _sizes(x: Any, y: Any) -> tuple[tuple[int, ...], tuple[int, int], int]:
    """Leading axes of the result, M and K, N."""
    try:
        lead = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ValueError:
        raise ArgumentError(f"matmul: leading axes {tuple(x.shape[:-2])} and {tuple(y.shape[:-2])} do not broadcast") from None
    return lead, (x.shape[-2] if x.ndim > 1 else 1, x.shape[-1]), y.shape[-1] if y.ndim > 1 else 1


def _vector(name: str, value: Any, size: int, allowed: Sequence[DType]) -> Any:
    if value is None:
        return None
    found = array("matmul", name, value if is_device_array(value) else np.asarray(value), (*FLOATS, *INDICES))
    check_shape("matmul", name, found, (size,))
    kept = dtype_of(found, allowed) is not None and (is_device_array(found) or found.flags.c_contiguous)
    return found if kept else np.ascontiguousarray(found, np.float32)


def _result_dtype(x: Any, y: Any, asked: Any, scaled: bool) -> DType:
    own = dtype_of(x, FLOATS) or (dtypes.i32 if dtype_of(x, BYTES) and not scaled else dtypes.f32)
    if asked is None:
        return own
    try:
        found = asked if isinstance(asked, DType) else next((t for t in RESULTS if np.dtype(asked) == t.numpy), None)
    except TypeError:
        found = None
    if found not in RESULTS or (found is dtypes.i32) != (own is dtypes.i32):
        raise DtypeError(
            f"matmul: dtype is {asked!r}; the result of {x.dtype} @ {y.dtype} can be {own}", hint="or another float for floats"
        )
    return found


def _planes(x: Any, y: Any, lead: tuple[int, ...], m: int, n: int, k: int) -> tuple[Any, Any]:
    """Operands of two axes, or of three of which the first is that of the result's leading axes."""
    if x.ndim == 1:
        x = x.reshape(1, k)
    if y.ndim == 1:
        y = y.reshape(k, 1)
    if not lead or math.prod(lead) == 1:
        return tiled(x.reshape(m, k) if x.ndim > 2 else x), tiled(y.reshape(k, n) if y.ndim > 2 else y)
    if y.ndim == 2:
        return tiled(x.reshape(math.prod(x.shape[:-1]), k)), tiled(y)
    if is_device_array(x) or is_device_array(y):
        return (x if x.ndim == 2 else x.reshape(math.prod(x.shape[:-2]), m, k)), y.reshape(math.prod(y.shape[:-2]), k, n)
    count = math.prod(lead)
    return (
        tiled(np.broadcast_to(x, (*lead, m, k)).reshape(count, m, k)),
        tiled(np.broadcast_to(y, (*lead, k, n)).reshape(count, k, n)),
    )


def fitted_tiles(m: int, n: int, kind: DType, planes: int = 1, depth: int = 1 << 31, *, turned: bool = False) -> dict[str, int]:
    """Tiles of so many products of m x n numbers where the usual ones would be empty for the most part, or wider than registers.

    depth: what is summed for each number; a CPU's steps are no deeper. turned: the right operand lies column by column.
    """
    device = current_device()
    if on_vectors():
        by_amx = device.target == "amx" and kind in BY_AMX
        usual = {**DEFAULTS["amx" if by_amx else "cpu"], "BM": MOST_ROWS}
        if by_amx:
            usual["BK"] = AMX_DEPTH // kind.numpy.itemsize
        if not by_amx and depth <= usual["BK"]:
            usual = {**usual, "BM": ONCE if depth > ONCE // 2 else ONCE // 2, "BN": ONCE}
        cores = max(1, device.compute_units) / planes
        tiles = _cpu_tiles(m, n, usual, cores)
        if turned and m <= IN_PLACE and n > 1 and kind not in BYTES:
            tiles |= {"BN": min(BY_COLUMNS["BN"], shared_columns(n, cores)), "BK": BY_COLUMNS["BK"]}
        least = LEAST_DEPTH if kind in BYTES or by_amx else STEP if n == 1 or turned else SMALLEST
        return {**tiles, "BK": min(tiles["BK"], max(least, power_of_two(depth)))}
    if interpreted():
        rows, columns = shared_out(m, n, MOST_ROWS, MOST_ROWS, 1)
        deepest = max(STEP, HELD // power_of_two(max(m, n)))
        return {"BM": min(rows, power_of_two(m)), "BN": columns, "BK": min(deepest, max(STEP, power_of_two(depth)))}
    tiles = {"BM": FEW} if m <= FEW else {}
    # What has no DPAS is multiplied in a GPU's registers: half as many rows leave them to the operands.
    if kind in (dtypes.f64, dtypes.f32):
        tiles = {"BM": min(tiles.get("BM", 128), 128)}
    return {**tiles, "BN": 64} if n <= 64 else tiles


def _cpu_tiles(m: int, n: int, usual: Mapping[str, int], cores: float) -> dict[str, int]:
    """Tiles that leave the least of them empty: a CPU computes each of them whole.

    What few rows are multiplied by is read as fast as it comes from memory: in long rows, of which few at a time.
    """
    if n == 1:
        return {"BM": shared_out(m, n, 256, STEP, cores)[0], "BN": 1, "BK": 512}
    if m <= FEW:
        few = m <= IN_PLACE
        longest = min(2048 if few else 1024, max(256, -(-n // max(1, math.ceil(cores)))))
        columns = fitting(n, longest, 128 if n > 64 else STEP)
        return {"BM": 1 << (m - 1).bit_length(), "BN": min(columns, _narrow(n)), "BK": 16 if few else 128}
    rows, columns = shared_out(m, n, usual["BM"], usual["BN"], cores)
    return {"BM": rows, "BN": min(columns, _narrow(n)), "BK": usual["BK"]}


def _narrow(n: int) -> int:
    """The least power of two that holds so many columns, for results that have fewer than usual tiles."""
    return max(SMALLEST, power_of_two(n))


def shared_columns(n: int, cores: float) -> int:
    """Columns of a tile, a power of two, with which so many cores have one each where there are as many."""
    return max(STEP, power_of_two(-(-n // max(1, math.ceil(cores)))))


@lru_cache(maxsize=1024)
def shared_out(m: int, n: int, most_rows: int, most_columns: int, cores: float) -> tuple[int, int]:
    """The tile of a result of m x n numbers with which so many cores are done first; large ones before.

    cores: a fraction where there are several results. Beginning a tile costs about as much as 32 more rows and 64 more columns: what is
    packed for a small one serves fewer elements. What lies outside of the result is not multiplied, but goes through what follows.
    """

    def time(tile: tuple[int, int]) -> float:
        rows, columns = tile
        high, wide = -(-m // rows), -(-n // columns)
        inside = (m + high * 32) * (n + wide * 64)
        whole = high * (rows + 32) * wide * (columns + 64)
        return max(1, math.ceil(high * wide / cores)) * (7 * inside + whole) / 8 / (high * wide)

    highest, widest = (min(most, -(-size // STEP) * STEP) for most, size in ((most_rows, m), (most_columns, n)))
    return min(((r, c) for r in range(highest, 0, -STEP) for c in range(widest, 0, -STEP)), key=time)


def grouped_matmul(a: Any, b: Any, offsets: Any, *, out: Any = None) -> Any:
    """Rows offsets[g] to offsets[g + 1] of a, times b[g], for all groups: the products of a mixture of experts.

    a           [M, K]; b [G, K, N], of a's dtype; f16, bf16, f32.
    offsets     [G + 1], i32, from 0 to M, never falling.
    out         [M, N], of a's dtype.

    Raises ArgumentError, DtypeError.

    Example:
        a, b = np.ones((5, 8), np.float32), np.stack([np.ones((8, 2)), 2 * np.ones((8, 2))]).astype(np.float32)
        print(xt.ops.grouped_matmul(a, b, np.int32([0, 2, 5]))[:, 0])

    Prints:
        [ 8.  8. 16. 16. 16.]
    """
    x = array("grouped_matmul", "a", a, FLOATS[:3], (None, None))
    y = array("grouped_matmul", "b", b, FLOATS[:3], (None, x.shape[1], None), like=x)
    ends = array("grouped_matmul", "offsets", offsets, (dtypes.i32,), (y.shape[0] + 1,))
    if not is_device_array(ends):
        check_elements(_check_offsets, ends, x.shape[0])
    result = Output("grouped_matmul", out, (x.shape[0], y.shape[2]), x.dtype, x, y)
    if math.prod(result.array.shape):
        kernels.grouped_matmul(tiled(x), tiled(y), ends, result.array)
    return result.done()


def _check_offsets(ends: Any, rows: int) -> None:
    """Raise ArgumentError where groups do not follow one another from the first row to the last."""
    if ends[0] != 0 or ends[-1] != rows or (np.diff(ends) < 0).any():
        raise ArgumentError(f"grouped_matmul: offsets go from 0 to {rows} and never fall; they are {ends}")


def pack_int4(weights: Any) -> Any:
    """Weights of 4 bits for `matmul_int4`: of integers [K, N] from -8 to 7 bytes [K / 2, N], row k beside row k + K / 2.

    Raises ArgumentError.

    Example:
        print(xt.ops.pack_int4(np.int8([[1], [2], [-1], [7]])))

    Prints:
        [[-15]
         [114]]
    """
    found = np.asarray(weights)
    if (
        found.ndim != 2
        or found.shape[0] % 2
        or found.dtype.kind not in "iu"
        or (found.size and not (found.min() >= -8 and found.max() <= 7))
    ):
        raise ArgumentError(
            f"pack_int4: weights are {found.dtype} of shape {found.shape}; they must be integers from -8 to 7, [K, N], K even"
        )
    low, high = np.split(found.astype(np.int8), 2)
    return np.ascontiguousarray((low & 15) | (high << 4))


def matmul_int4(a: Any, packed: Any, scales: Any, *, out: Any = None) -> Any:
    """a @ b, where b holds weights of 4 bits and a scale for each group of rows and column.

    a           [M, K]; f16, bf16. K is a multiple of 64.
    packed      [K / 2, N] i8, as `pack_int4` makes it.
    scales      [K / group, N], f32 or of a's dtype; a group is a multiple of 32 rows.
    out         [M, N], of a's dtype.

    A weight times its scale is rounded to a's dtype; scales of f16 take fewer instructions. Raises ArgumentError, DtypeError.

    Example:
        a, w = np.ones((2, 64), np.float16), np.full((64, 3), -2)
        print(xt.ops.matmul_int4(a, xt.ops.pack_int4(w), np.full((2, 3), 0.5, np.float32)))

    Prints:
        [[-64. -64. -64.]
         [-64. -64. -64.]]
    """
    x = array("matmul_int4", "a", a, HALVES, (None, None))
    weights = array("matmul_int4", "packed", packed, (dtypes.i8,), (x.shape[1] // 2, None))
    factors = array("matmul_int4", "scales", scales, (dtypes.f32, *HALVES), (None, weights.shape[1]))
    if dtype_of(factors, HALVES) not in (None, dtype_of(x, HALVES)):
        raise DtypeError(f"matmul_int4: scales are {factors.dtype}; they must be float32 or of a's dtype, {x.dtype}")
    k, groups = x.shape[1], factors.shape[0]
    if k % 64 or groups == 0 or k % groups or (k // groups) % 32:
        raise ArgumentError(f"matmul_int4: {k} rows in {groups} groups", hint="K is a multiple of 64, each group of 32 rows")
    result = Output("matmul_int4", out, (x.shape[0], weights.shape[1]), x.dtype, x, weights, factors)
    if math.prod(result.array.shape):
        group = k // groups
        # On DG2, whose registers are full, a division takes more of them than to count.
        known = group <= KNOWN_GROUP and group.bit_count() == 1 and current_device().target != "dg2"
        kernels.matmul_int4(tiled(x), tiled(weights), tiled(factors), result.array, GROUP=group if known else 0)
    return result.done()

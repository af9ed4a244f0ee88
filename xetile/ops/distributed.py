"""The library over `dask.array`: arrays larger than one machine, our kernels as the functions of blocks.

Blocks are numpy arrays in the workers' memory; each worker runs kernels on its own device (`XETILE_DEVICE` where it was started), and
takes what another one has compiled from the disk cache. Needs the extra `dask`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.errors import ArgumentError
from xetile.ops.heads import scaled_dot_product_attention as attention_of_blocks
from xetile.ops.products import matmul as product_of_blocks
from xetile.ops.rows import softmax as softmax_of_block

__all__ = ["matmul", "scaled_dot_product_attention", "softmax"]


def _dask() -> Any:
    """The module `dask.array`. Raises ArgumentError where it is not installed."""
    try:
        import dask.array
    except ImportError as error:
        raise ArgumentError(f"dask is not installed: {error}", hint="pip install 'xetile[dask]'") from None
    return dask.array


def matmul(a: Any, b: Any) -> Any:
    """a @ b for dask arrays [M, K] and [K, N]: f16, bf16, f32; products of blocks are summed in f32.

    Chunks of the result are a's by rows and b's by columns; one task holds a row of a's blocks and a column of b's.
    Raises ArgumentError; a block's own errors when it is computed.

    Example:
        import dask.array as da

        a, b = da.ones((100, 60), chunks=40, dtype=np.float32), da.ones((60, 50), chunks=40, dtype=np.float32)
        print(xt.ops.distributed.matmul(a, b).compute()[99, 49])

    Prints:
        60.0
    """
    da = _dask()

    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ArgumentError(f"matmul: dask arrays of shapes {a.shape} and {b.shape}", hint="[M, K] and [K, N]")
    return da.blockwise(
        _sum_of_products, "ij", a, "ik", b, "kj", dtype=a.dtype, concatenate=False, meta=np.empty((0, 0), a.dtype)
    )


def _sum_of_products(rows: list[Any], columns: list[Any]) -> Any:
    kind, total = rows[0].dtype, None
    for i, (a, b) in enumerate(zip(rows, columns, strict=True)):
        last = i == len(rows) - 1
        total = product_of_blocks(a, b, residual=total, dtype=kind if last else np.promote_types(kind, np.float32))
    return total


def softmax(x: Any, axis: int = -1) -> Any:
    """Softmax along an axis of a dask array, which becomes one chunk along that axis.

    x       any shape; f16, bf16, f32, f64. Raises ArgumentError; a block's own errors when it is computed.

    Example:
        import dask.array as da

        print(xt.ops.distributed.softmax(da.zeros((6, 4), chunks=2, dtype=np.float32)).compute()[5])

    Prints:
        [0.25 0.25 0.25 0.25]
    """
    if not -x.ndim <= axis < x.ndim:
        raise ArgumentError(f"softmax: axis {axis} of an array with {x.ndim} axes")
    whole = x.rechunk({axis % x.ndim: -1})
    return whole.map_blocks(softmax_of_block, axis=axis, dtype=x.dtype, meta=np.empty((0,) * x.ndim, x.dtype))


def scaled_dot_product_attention(query: Any, key: Any, value: Any, *, is_causal: bool = False, scale: float | None = None) -> Any:
    """Attention of dask arrays: blocks of queries to one block of keys after the other, put together by their logarithms of sums.

    query       [B, H, N, D], any chunks but one along D; f16, bf16, f32.
    key, value  [B, G, M, D], alike chunked; H / G query heads share each of theirs, and follow the chunks of these.
    is_causal, scale    as for `xt.ops.scaled_dot_product_attention`.

    Raises ArgumentError; a block's own errors when it is computed.

    Example:
        import dask.array as da

        q, v = da.zeros((1, 2, 6, 8), chunks=(1, 1, 3, 8), dtype=np.float32), da.ones((1, 2, 5, 8), chunks=(1, 1, 2, 8), dtype=np.float32)
        print(xt.ops.distributed.scaled_dot_product_attention(q, v, v).compute()[0, 1, 5, 7].round(4))

    Prints:
        1.0
    """
    da = _dask()

    shapes = query.shape, key.shape, value.shape
    if any(len(s) != 4 for s in shapes) or key.shape != value.shape or query.shape[1] % max(1, key.shape[1]):
        raise ArgumentError(
            f"scaled_dot_product_attention: dask arrays of shapes {shapes}", hint="[B, H, N, D] and twice [B, G, M, D]"
        )
    group = query.shape[1] // key.shape[1]
    key = key.rechunk({0: query.chunks[0], 3: -1})
    value = value.rechunk(key.chunks)
    query = query.rechunk({1: tuple(group * n for n in key.chunks[1]), 3: -1})
    starts = np.cumsum((0, *query.chunks[2][:-1]))
    first = da.from_array(starts, chunks=1)
    scale = query.shape[3] ** -0.5 if scale is None else scale
    return da.blockwise(_attention, "bhnd", query, "bhnd", key, "bhmd", value, "bhmd", first, "n", is_causal, None, scale, None,
                        dtype=query.dtype, concatenate=False, align_arrays=False, meta=np.empty((0,) * 4, query.dtype))  # fmt: skip


def _attention(query: Any, keys: list[Any], values: list[Any], first: Any, is_causal: bool, scale: float) -> Any:
    """One block of queries, the first of which is number `first`, to all blocks of keys."""
    count, begin, place = query.shape[2], int(first[0]), 0
    total: Any = None
    logs: Any = None
    for k, v in zip(keys, values, strict=True):
        for part, seen in _parts(begin, count, place, k.shape[2]) if is_causal else [(slice(None), None)]:
            queries = query if seen is None else query[:, :, seen:]
            out, lse = attention_of_blocks(
                queries, k[:, :, part], v[:, :, part], is_causal=seen is not None, scale=scale, return_lse=True
            )
            if seen:  # queries before the first of these keys see none of them
                out = np.concatenate([np.zeros((*out.shape[:2], seen, out.shape[3]), out.dtype), out], 2)
                lse = np.concatenate([np.full((*lse.shape[:2], seen), -np.inf, lse.dtype), lse], 2)
            total, logs = (out.astype(np.float32), lse) if total is None else _joined(total, logs, out, lse)
        place += k.shape[2]
    return total.astype(query.dtype)


def _parts(begin: int, count: int, place: int, size: int) -> list[tuple[slice, int | None]]:
    """The keys of a block from number `place` on that queries begin to begin + count see: all do, or from the i-th on."""
    before = min(max(begin - place, 0), size)
    parts: list[tuple[slice, int | None]] = [(slice(0, before), None)] if before else []
    if before < size and place + before < begin + count:
        parts.append((slice(before, size), place + before - begin))
    return parts


def _joined(total: Any, logs: Any, out: Any, lse: Any) -> tuple[Any, Any]:
    """Two results over different keys as one over all of them: each weighs as much as the sum of its weights."""
    both = np.logaddexp2(logs, lse)
    return total * np.exp2(logs - both)[..., None] + out * np.exp2(lse - both)[..., None], both

"""Attention: forward and backward, of sequences of several lengths, and of one new query to pages of keys and values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from xetile import dtypes
from xetile.errors import ArgumentError
from xetile.ops.arguments import FLOATS, Output, array, dtype_of, new, number, on_vectors
from xetile.ops.kernels import attention as forward
from xetile.ops.kernels import attention_backward as backward
from xetile.ops.kernels import decoding, masked_attention
from xetile.runtime.arrays import is_device_array
from xetile.runtime.devices import current_device

KINDS = FLOATS[:3]
WIDEST = 256
QUAD = 4  # columns of which vectors of pairs take a multiple
BY_AMX = (dtypes.bf16,)  # which takes whole matrices
FEW_ROWS = (1, 4, 16, 64)  # of a CPU's tiles of queries; each is a kernel of its own, that takes a third of a second to compile


def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
                                 is_causal: bool = False, *, scale: float | None = None, enable_gqa: bool = True,
                                 return_lse: bool = False, out: Any = None) -> Any:  # fmt: skip
    """softmax(query @ key.T * scale) @ value, with the scores never in memory; products and sums in f32.

    query       [B, H, N, D] or [H, N, D]; f16, bf16, f32; D up to 256.
    key, value  [B, G, M, D], of query's dtype; H / G query heads share each of theirs.
    attn_mask   [N, M] or with leading axes, and sizes of 1, that broadcast to [B, H, N, M]: of bools, which keys a query sees; of floats of
                query's dtype or f32, what is added to its scores. A query that sees no key gives 0.
    dropout_p   0: nothing is dropped.
    is_causal   query i sees keys 0 to i only.
    scale       by default 1 / sqrt(D).
    enable_gqa  whether heads may share keys and values. True by default, where PyTorch has False and refuses fewer heads of keys: what
                works there gives the same here. False asks for as many.
    return_lse  also give [B, H, N] f32: log2 of the sums of the scores' exponentials, for the gradient; not with a mask.
    out         of query's shape and dtype.

    Raises ArgumentError, DtypeError.

    Example:
        q = np.zeros((1, 2, 3, 8), np.float32)
        k, v = np.zeros((1, 1, 4, 8), np.float32), np.arange(32, dtype=np.float32).reshape(1, 1, 4, 8)
        print(xt.ops.scaled_dot_product_attention(q, k, v)[0, 1, 2])

    Prints:
        [12. 13. 14. 15. 16. 17. 18. 19.]
    """
    function = "scaled_dot_product_attention"
    q, k, v = _operands(function, query, key, value)
    if number(function, "dropout_p", dropout_p) != 0:
        raise ArgumentError(f"{function}: dropout_p is {dropout_p}, and nothing is dropped here",
                            hint="0.0, as PyTorch has it in evaluation")  # fmt: skip
    if not enable_gqa and k.shape[1] != q.shape[1]:
        raise ArgumentError(f"{function}: {q.shape[1]} heads of queries and {k.shape[1]} of keys, with enable_gqa=False",
                            hint="enable_gqa=True lets heads share keys and values")  # fmt: skip
    result = Output(function, out, tuple(np.shape(query)), q.dtype, q, k, v)
    if attn_mask is not None:
        if return_lse:
            raise ArgumentError(f"{function}: return_lse with attn_mask", hint="gradients are those of attention without a mask")
        mask = _mask(function, attn_mask, (*q.shape[:3], k.shape[2]), q)
        if math.prod(q.shape):
            several = dict(zip(("BATCHES", "HEADS", "ROWS"), (n > 1 for n in mask.shape), strict=False))
            constants = _tiles(q, k.shape[1], scale, q.shape[2])
            if not on_vectors() and masked_attention.is_wide(constants["D"], dtype_of(q, KINDS)):
                constants |= masked_attention.WIDE
            masked_attention.attention_masked(
                q, k, v, mask, result.array.reshape(q.shape), causal=bool(is_causal), **several, **constants
            )
        return result.done()
    lse = new((*q.shape[:-1], 1), dtypes.f32, q) if return_lse else None
    if math.prod(q.shape):
        many = not is_causal and q.shape[2] >= forward.MANY_QUERIES
        kernel = forward.attention_heads_whole if many else forward.attention_heads
        kernel(q, k, v, result.array.reshape(q.shape), lse, causal=bool(is_causal), **_tiles(q, k.shape[1], scale, q.shape[2]))
    if lse is None:
        return result.done()
    return result.done(), lse.reshape(tuple(np.shape(query))[:-1])


def scaled_dot_product_attention_backward(grad: Any, query: Any, key: Any, value: Any, output: Any, lse: Any, *,
                                          is_causal: bool = False, scale: float | None = None) -> Any:  # fmt: skip
    """Gradients of `scaled_dot_product_attention`: a tuple of those of query, key and value, in their dtype.

    grad            of the output, in its shape and dtype.
    output, lse     what the call with return_lse=True gave; the other arguments are those of that call.

    Raises ArgumentError, DtypeError.

    Example:
        q, k, v = (np.ones((1, 2, 8), np.float32) * n for n in (1, 2, 3))
        output, lse = xt.ops.scaled_dot_product_attention(q, k, v, return_lse=True)
        dq, dk, dv = xt.ops.scaled_dot_product_attention_backward(np.ones_like(q), q, k, v, output, lse)
        print(dv[0, :, 0].round(3))

    Prints:
        [1. 1.]
    """
    function = "scaled_dot_product_attention_backward"
    q, k, v = _operands(function, query, key, value)
    shape = np.shape(query)
    slope, made = (
        _whole(array(function, name, x, KINDS, shape, like=q)).reshape(q.shape)
        for name, x in (("grad", grad), ("output", output))
    )
    logs = _whole(array(function, "lse", lse, (dtypes.f32,), shape[:-1])).reshape((*q.shape[:-1], 1))
    dq, dk, dv = (new(x.shape, x.dtype, x) for x in (q, k, v))
    if math.prod(q.shape):
        delta = new(logs.shape, dtypes.f32, q)
        options = {"causal": bool(is_causal), **_constants(q, k.shape[1], scale)}
        by_queries = backward.query_gradient_f32 if q.dtype == np.float32 else backward.query_gradient
        by_queries(q, k, v, made, slope, logs, dq, delta, **options)
        backward.key_gradient(q, k, v, slope, logs, delta, dk, dv, **options)
    else:
        dk, dv = (new(x.shape, x.dtype, x, 0) for x in (k, v))
    return dq.reshape(shape), dk.reshape(np.shape(key)), dv.reshape(np.shape(value))


def varlen_attention(query: Any, key: Any, value: Any, cu_seqlens_q: Any, cu_seqlens_k: Any, max_seqlen_q: int, *,
                     is_causal: bool = False, scale: float | None = None, out: Any = None) -> Any:  # fmt: skip
    """Attention of sequences that lie one after the other, each to its own keys.

    query           [T, H, D]; f16, bf16, f32; D up to 256.  key, value: [S, G, D], H / G query heads to each.
    cu_seqlens_q    [n + 1] i32: where sequences begin, from 0 to T; cu_seqlens_k the same for keys, from 0 to S.
    max_seqlen_q    the most queries that a sequence has.
    is_causal, scale, out   as for `scaled_dot_product_attention`; places count from each sequence's first.

    A sequence with queries has keys. Raises ArgumentError, DtypeError.

    Example:
        q, v = np.zeros((3, 1, 8), np.float32), np.ones((4, 1, 8), np.float32) * np.arange(4)[:, None, None]
        print(xt.ops.varlen_attention(q, q[[0, 0, 0, 0]], v.astype(np.float32), np.int32([0, 1, 3]), np.int32([0, 1, 4]), 2)[:, 0, 0])

    Prints:
        [0. 2. 2.]
    """
    function = "varlen_attention"
    q = _whole(array(function, "query", query, KINDS, (None, None, None)))
    k = _whole(array(function, "key", key, KINDS, (None, None, q.shape[2]), like=q))
    v = _whole(array(function, "value", value, KINDS, k.shape, like=q))
    ends = array(function, "cu_seqlens_q", cu_seqlens_q, (dtypes.i32,), (None,))
    others = array(function, "cu_seqlens_k", cu_seqlens_k, (dtypes.i32,), ends.shape)
    _check_heads(function, q.shape[1], k.shape[1])
    _check_ends(function, ends, others, q.shape[0], k.shape[0], max_seqlen_q)
    result = Output(function, out, q.shape, q.dtype, q, k, v)
    if math.prod(q.shape):
        forward.attention_ragged(q, k, v, ends, others, result.array, max_seqlen_q, causal=bool(is_causal),
                                 **_tiles(q, k.shape[1], scale, max_seqlen_q))  # fmt: skip
    return result.done()


def paged_attention(query: Any, key_cache: Any, value_cache: Any, block_table: Any, lengths: Any, *, scale: float | None = None,
                    out: Any = None) -> Any:  # fmt: skip
    """Attention of one new query of each sequence to keys and values that lie in pages: a step of decoding.

    query       [B, H, D]; f16, bf16, f32; D up to 256.
    key_cache, value_cache      [pages, page, G, D], of query's dtype; H / G query heads to each; a page has 8, 16, 32 or 64 keys.
    block_table     [B, any] i32: the pages of each sequence, in order.
    lengths         [B] i32: how many keys each has; a sequence without keys gives 0.
    scale, out      as for `scaled_dot_product_attention`.

    Raises ArgumentError, DtypeError.

    Example:
        q, cache = np.zeros((1, 2, 8), np.float32), np.arange(16 * 8, dtype=np.float32).reshape(2, 8, 1, 8)
        print(xt.ops.paged_attention(q, cache, cache, np.int32([[1, 0]]), np.int32([9]))[0, 0, 0].round(3))

    Prints:
        81.778
    """
    function = "paged_attention"
    q = _whole(array(function, "query", query, KINDS, (None, None, None)))
    keys = _whole(array(function, "key_cache", key_cache, KINDS, (None, None, None, q.shape[2]), like=q))
    values = _whole(array(function, "value_cache", value_cache, KINDS, keys.shape, like=q))
    table = _whole(array(function, "block_table", block_table, (dtypes.i32,), (q.shape[0], None)))
    counts = array(function, "lengths", lengths, (dtypes.i32,), (q.shape[0],))
    group, page = _check_heads(function, q.shape[1], keys.shape[2]), keys.shape[1]
    if page not in (8, 16, 32, 64):
        raise ArgumentError(f"{function}: pages of {page} keys", hint="8, 16, 32 or 64")
    if not is_device_array(table) and not is_device_array(counts):
        _check_pages(function, table, counts, keys.shape[0], page)
    result = Output(function, out, q.shape, q.dtype, q, keys, values)
    if math.prod(q.shape):
        rows = max(8, 1 << (group - 1).bit_length())
        constants = _constants(q, keys.shape[2], scale)
        decoding.paged_decoding(q, keys, values, table, counts, result.array, PAGE=page, ROWS=rows, **constants)
    return result.done()


def _operands(function: str, query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
    """As arrays of four axes."""
    q = array(function, "query", query, KINDS)
    if q.ndim not in (3, 4):
        raise ArgumentError(f"{function}: query has shape {tuple(q.shape)}", hint="[B, H, N, D] or [H, N, D]")
    lead = q.shape[:-3]
    k = array(function, "key", key, KINDS, (*lead, None, None, q.shape[-1]), like=q)
    v = array(function, "value", value, KINDS, k.shape, like=q)
    _check_heads(function, q.shape[-3], k.shape[-3])
    if k.shape[-2] == 0 and math.prod(q.shape):
        raise ArgumentError(f"{function}: there are no keys: {tuple(k.shape)}")
    q, k, v = (_whole(x) for x in (q, k, v))
    return (q, k, v) if lead else (q.reshape((1, *q.shape)), k.reshape((1, *k.shape)), v.reshape((1, *v.shape)))


def _mask(function: str, mask: Any, shape: tuple[int, ...], query: Any) -> Any:
    """A mask as an array of four axes, of which the first three may be of size 1. Raises ArgumentError, DtypeError."""
    own = dtype_of(query)
    assert own is not None
    found = array(function, "attn_mask", mask, (dtypes.bool_, own, dtypes.f32))
    sizes = (1,) * (4 - found.ndim) + tuple(found.shape)
    if found.ndim > 4 or any(n not in (1, want) for n, want in zip(sizes, shape, strict=False)):
        raise ArgumentError(f"{function}: attn_mask has shape {tuple(found.shape)}, and does not broadcast to {shape}",
                            hint="[queries, keys], or with axes of batches and heads before them")  # fmt: skip
    found = found.reshape(sizes)
    if sizes[3] == shape[3]:
        return _whole(found)
    if is_device_array(found):
        raise ArgumentError(
            f"{function}: attn_mask has shape {tuple(found.shape)}, and {shape[3]} keys", hint="one column for each key"
        )
    return np.ascontiguousarray(np.broadcast_to(found, (*sizes[:3], shape[3])))


def _whole(found: Any) -> Any:
    """Rows of heads are contiguous; other axes lie as they do."""
    if is_device_array(found) or found.strides[-1] == found.itemsize or found.shape[-1] == 1:
        return found
    return np.ascontiguousarray(found)


def _check_heads(function: str, heads: int, groups: int) -> int:
    if groups == 0 or heads % groups:
        raise ArgumentError(
            f"{function}: {heads} heads of queries and {groups} of keys", hint="the first is a multiple of the second"
        )
    return heads // groups


def _check_ends(function: str, ends: Any, others: Any, queries: int, keys: int, longest: int) -> None:
    if is_device_array(ends) or is_device_array(others):
        return
    for name, found, total in (("cu_seqlens_q", ends, queries), ("cu_seqlens_k", others, keys)):
        if len(found) < 2 or found[0] != 0 or found[-1] != total or (np.diff(found) < 0).any():
            raise ArgumentError(f"{function}: {name} goes from 0 to {total} and never falls; it is {found}")
    lengths = np.diff(ends)
    if lengths.max() > longest:
        raise ArgumentError(f"{function}: a sequence has {lengths.max()} queries, more than max_seqlen_q {longest}")
    if (lengths[np.diff(others) == 0] > 0).any():
        raise ArgumentError(f"{function}: a sequence has queries and no keys")


def _check_pages(function: str, table: Any, lengths: Any, pages: int, page: int) -> None:
    used = -(-lengths // page)
    if (lengths < 0).any() or (used > table.shape[1]).any():
        raise ArgumentError(f"{function}: lengths {lengths} in {table.shape[1]} pages of {page}")
    taken = table[np.arange(table.shape[1])[None, :] < used[:, None]]
    if taken.size and not (taken.min() >= 0 and taken.max() < pages):
        raise ArgumentError(f"{function}: block_table names pages from {taken.min()} to {taken.max()}; there are {pages}")


def _tiles(q: Any, groups: int, scale: float | None, queries: int) -> dict[str, Any]:
    """Constants, on a CPU with a tile of as many queries and features as there are: it computes all of one, what no array has too."""
    found, width = _constants(q, groups, scale), q.shape[-1]
    if on_vectors():
        rows = next((rows for rows in FEW_ROWS if queries <= rows), 0)
        joint = current_device().target == "amx" and dtype_of(q, BY_AMX) is not None
        found |= {**({"BM": rows} if rows else {}), **({} if joint else {"D": -(-width // QUAD) * QUAD})}
    return found


def _constants(q: Any, groups: int, scale: float | None) -> dict[str, Any]:
    width = q.shape[-1]
    if width > WIDEST:
        raise ArgumentError(f"attention of heads of {width} elements", hint=f"at most {WIDEST}")
    heads = q.shape[-3] if q.ndim == 4 else q.shape[-2]
    factor = width**-0.5 if scale is None else number("attention", "scale", scale)
    return {"scale": factor, "GROUP": heads // groups, "D": -(-width // 32) * 32}

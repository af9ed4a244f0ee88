"""Small kernels with products, and one of padded rows, of the passes whose golden text `golden_kernels.CASES` asks for."""

from __future__ import annotations

import xetile as xt
from xetile import xegpu


@xt.jit(grid=(1,))
def rows_by_number(A, Rows, B, C):
    """Rows of A where they are there, times B."""
    rows, acc = xt.load_tile(xt.init_tile(Rows, 0, 16))[:, None], xt.zeros((16, 16), xt.f32)
    for k in range(0, A.shape[1], 32):
        columns = k + xt.arange(32)[None, :]
        a = xt.load_gather(xt.init_tile(A, rows * A.stride(0) + columns), (rows >= 0) & (columns < A.shape[1]))
        acc += a @ xt.load_tile(xt.init_tile(B, (k, 0), (32, 16)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, 16)))


@xt.jit(grid=(1,))
def blocks(A, B, C):
    """A product of blocks whose layouts are those that XeTile derives."""
    out = xegpu.layout(sg_layout=(2, 2), sg_data=(16, 16))
    a = xegpu.create_nd_tdesc(A, shape=(32, 16), layout=xegpu.layout(sg_layout=(2, 2), sg_data=(16, 16)))
    b = xegpu.create_nd_tdesc(B, shape=(16, 32), layout=xegpu.layout(sg_layout=(2, 2), sg_data=(16, 16)))
    acc = xt.zeros((32, 32), xt.f32)
    for k in range(0, A.shape[1], 16):
        acc = xegpu.dpas(xegpu.load_nd(a, (0, k)), xegpu.load_nd(b, (k, 0)), acc)
    xegpu.store_nd(acc * 2.0, xegpu.create_nd_tdesc(C, (0, 0), (32, 32), layout=out))


@xt.jit(grid=(1,))
def either_way(A, B, C, n):
    """B or its transpose."""
    acc = xt.zeros((16, 16), xt.f32)
    for k in range(0, A.shape[1], 16):
        if n == 1:
            b = xt.load_tile(B.T[k : k + 16, 0:16])
        else:
            b = xt.load_tile(B[k : k + 16, 0:16])
        acc += xt.load_tile(A[0:16, k : k + 16]) @ b
    xt.store_tile(acc, C[0:16, 0:16])


@xt.jit(grid=(1,))
def masked_at_the_end(A, B, C):
    """A product that is masked where it goes beyond the end."""
    for n in range(0, B.shape[1], 16):
        s = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))) @ xt.load_tile(xt.init_tile(B, (0, n), (16, 16)))
        if n + 16 > B.shape[1]:
            s = xt.where(n + xt.arange(16)[None, :] < B.shape[1], s, -1.0)
        xt.store_tile(s, xt.init_tile(C, (0, n), (8, 16)))


@xt.jit(grid=(1,))
def summed_narrowly(A, B, C):
    """A product that is summed in f16."""
    acc = xt.load_tile(xt.init_tile(C, (0, 0), (8, 16)))
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
    xt.store_tile(xt.tile_mma(a, b, acc), xt.init_tile(C, (0, 0), (8, 16)))


@xt.jit(grid=(1,))
def summed_behind(A, B, C):
    """A product whose rows are summed up behind another product of it."""
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
    p = xt.exp(a @ b)
    out = p.to(xt.f16) @ b
    xt.store_tile(out / xt.sum(p, axis=1), xt.init_tile(C, (0, 0), (8, 16)))


@xt.jit(grid=(1,))
def summed_transposed(A, B, C):
    """A sum of products of two operands that lie transposed."""
    acc = xt.zeros((16, 32), xt.f32)
    for k in range(0, A.shape[0], 16):
        acc += xt.load_tile(xt.init_tile(A.T, (0, k), (16, 16))) @ xt.load_tile(xt.init_tile(B.T, (k, 0), (16, 32)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, 32)))


@xt.jit
def turned(A, B, C):
    """B is transposed after it is loaded."""
    a, b = xt.init_tile(A, (0, 0), (8, 16)), xt.init_tile(B, (0, 0), (16, 16))
    product = xt.tile_mma(xt.load_tile(a), xt.tile_transpose(xt.load_tile(b)))
    xt.store_tile(product, xt.init_tile(C, (0, 0), (8, 16)))


@xt.jit(grid=(1,))
def stored_turned(A, B, C):
    """The transpose of a product, worked on and stored to columns."""
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 32)))
    xt.store_tile((a @ b).T * 2, xt.init_tile(C.T, (0, 0), (32, 16)))


@xt.jit(grid=(1,))
def used_transposed(A, B, C):
    """A product of which nothing but the transpose is used."""
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
    xt.store_tile(xt.exp(a @ b.T).to(xt.f16).T @ a, xt.init_tile(C, (0, 0), (16, 16)))


@xt.jit(grid=(1,))
def less_zero_points(A, B, Z, C):
    """A product by bytes less zero points, as whole numbers."""
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
    z = xt.load_tile(xt.init_tile(Z, (0, 0), (1, 16)))
    xt.store_tile(a @ (b.to(xt.i32) - z.to(xt.i32)).to(xt.f16), xt.init_tile(C, (0, 0), (8, 16)))


@xt.jit
def bytes_in_bf16(A, B, C):
    """A product of bytes, in bf16."""
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
    xt.store_tile(a.to(xt.bf16) @ b.to(xt.bf16).T, xt.init_tile(C, (0, 0), (8, 16)))


@xt.jit
def weighted(A, B, C):
    """Sums of rows of B, weighted by their products with the same rows of A in each step."""
    a, acc = xt.load_tile(A[0:16, 0:128]), xt.zeros((16, 128), xt.f32)
    for n in range(0, B.shape[0], 32):
        b = xt.load_tile(B[n : n + 32, 0:128])
        acc = acc * 0.5 + (a @ b.T).to(b.dtype) @ b
    xt.store_tile(acc, C[0:16, 0:128])


@xt.jit
def scaled_sums(A, B, C):
    """A multiple of a product that is added to something."""
    a, b, c = xt.init_tile(A, (0, 0), (8, 16)), xt.init_tile(B, (0, 0), (16, 16)), xt.init_tile(C, (0, 0), (8, 16))
    xt.store_tile(xt.load_tile(c) + xt.load_tile(a) @ xt.load_tile(b) * 0.5, c)


@xt.jit
def least(X, Y):
    """The least of rows that are padded with something else than zeros."""
    m, top = xt.program_id(0) * 4, xt.full((4, 1), float("inf"), xt.f32)
    for n in range(0, X.shape[1], 16):
        x = xt.load_tile(xt.init_tile(X, (m, n), (4, 16)), padding=float("inf"))
        top = xt.minimum(top, xt.min(x, axis=1))
    xt.store_tile(top, xt.init_tile(Y, (m, 0), (4, 1)))


@xt.jit
def totals_beside(A, B, C):
    """Sums of rows and columns of whole numbers beside their product."""
    acc, rows, columns = xt.zeros((16, 16), xt.i32), xt.zeros((16, 1), xt.i32), xt.zeros((1, 16), xt.i32)
    for k in range(0, A.shape[1], 32):
        a, b = xt.load_tile(xt.init_tile(A, (0, k), (16, 32))), xt.load_tile(xt.init_tile(B, (k, 0), (32, 16)))
        acc = xt.tile_mma(a, b, acc)
        rows += xt.sum(a.to(xt.i32), axis=1)
        columns += xt.sum(b.to(xt.i32), axis=0)
    xt.store_tile(acc + rows * columns, xt.init_tile(C, (0, 0), (16, 16)))


@xt.jit
def sums_stretched(A, B, C):
    """A sum of rows that is converted and stretched over the product."""
    a, b = xt.load_tile(A[0:16, 0:32]), xt.load_tile(B[0:32, 0:32])
    rows = xt.sum(a, axis=1).to(xt.f32)
    xt.store_tile((a @ b).to(xt.f32) - rows * 0.5, C[0:16, 0:32])

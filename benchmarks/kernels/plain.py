"""Kernels in the plainest form: tiles by the sizes that come to mind, and rows in a tile of the next power of two."""

import xetile as xt


def by_elements(X, B):
    """A program for B elements."""
    return (xt.cdiv(X.shape[0], B),)


def by_rows(Y, BM):
    """A program for BM rows."""
    return (xt.cdiv(Y.shape[0], BM),)


def by_tiles(X, BM, BN):
    """A program for each tile of an array."""
    return xt.cdiv(X.shape[1], BN), xt.cdiv(X.shape[0], BM)


@xt.jit(grid=by_elements, out={"Y": lambda X: xt.empty(X.shape, X.dtype)})
def gelu(X, Y, B: xt.constexpr = 1024):
    """Y = X * (1 + erf(X / sqrt(2))) / 2."""
    i = xt.program_id(0) * B
    x = xt.load_tile(xt.init_tile(X, i, (B,)))
    xt.store_tile(0.5 * x * (1 + xt.erf(x * 0.70710678)), xt.init_tile(Y, i, (B,)))


@xt.jit(grid=by_tiles, out={"Y": lambda X: xt.empty(X.shape, xt.f16)})
def to_f16(X, Y, BM: xt.constexpr = 16, BN: xt.constexpr = 128):
    """X in f16."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    xt.store_tile(xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(Y.dtype), xt.init_tile(Y, (m, n), (BM, BN)))


@xt.jit(grid=by_rows, out={"Y": lambda X: xt.empty(X.shape, X.dtype)})
def softmax(X, Y, BM: xt.constexpr = 4, BN: xt.constexpr = 1024):
    """Softmax of rows of at most BN columns."""
    m = xt.program_id(0) * BM
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, BN)), padding=float("-inf"))
    e = xt.exp(x - xt.max(x, axis=1))
    xt.store_tile(e / xt.sum(e, axis=1), xt.init_tile(Y, (m, 0), (BM, BN)))


@xt.jit(grid=by_rows, out={"Y": lambda X: xt.empty(X.shape, X.dtype)})
def layer_norm(X, W, B, Y, BM: xt.constexpr = 4, BN: xt.constexpr = 1024):
    """Layer norm of rows of at most BN columns."""
    m, columns = xt.program_id(0) * BM, X.shape[1].to(xt.f32)
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, BN)))
    off = xt.where(xt.arange(BN)[None, :] < X.shape[1], x - xt.sum(x, axis=1) / columns, 0.0)
    scale = xt.rsqrt(xt.sum(off * off, axis=1) / columns + 1e-5)
    w, b = xt.load_tile(xt.init_tile(W, 0, (BN,)))[None, :], xt.load_tile(xt.init_tile(B, 0, (BN,)))[None, :]
    xt.store_tile(off * scale * w + b, xt.init_tile(Y, (m, 0), (BM, BN)))


@xt.jit(grid=lambda X, BN: (xt.cdiv(X.shape[1], BN),), out={"Y": lambda X: xt.empty((1, X.shape[1]), xt.f32)})
def column_sums(X, Y, BM: xt.constexpr = 32, BN: xt.constexpr = 128):
    """Y[1, N]: the sum of each column."""
    n, total = xt.program_id(0) * BN, xt.zeros((1, BN), xt.f32)
    for m in range(0, X.shape[0], BM):
        total += xt.sum(xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))), axis=0)
    xt.store_tile(total, xt.init_tile(Y, (0, n), (1, BN)))


@xt.jit(grid=by_rows, out={"Y": lambda Places, Table: xt.empty((Places.shape[0], Table.shape[1]), Table.dtype)})
def rows_of_table(Places, Table, Y, BM: xt.constexpr = 8, BN: xt.constexpr = 512):
    """Y[i] = Table[Places[i]], by a gather."""
    m, c = xt.program_id(0) * BM, xt.arange(BN)[None, :]
    row = xt.load_tile(xt.init_tile(Places, m, (BM,)))[:, None]
    there = (m + xt.arange(BM)[:, None] < Places.shape[0]) & (c < Table.shape[1])
    xt.store_tile(xt.load_gather(xt.init_tile(Table, row * Table.stride(0) + c), there), xt.init_tile(Y, (m, 0), (BM, BN)))


@xt.jit(grid=by_tiles, out={"Y": lambda X: xt.empty(X.shape, X.dtype)})
def turned(X, Y, BM: xt.constexpr = 16, BN: xt.constexpr = 64):
    """Each row from its last column to its first, by a gather."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    r, c = m + xt.arange(BM)[:, None], n + xt.arange(BN)[None, :]
    there = (r < X.shape[0]) & (c < X.shape[1])
    x = xt.load_gather(xt.init_tile(X, r * X.stride(0) + (X.shape[1] - 1 - c)), there)
    xt.store_tile(x, xt.init_tile(Y, (m, n), (BM, BN)))


@xt.jit(grid=by_tiles, out={"Y": lambda X: xt.empty((2 * X.shape[0], 2 * X.shape[1]), X.dtype)})
def doubled(X, Y, BM: xt.constexpr = 8, BN: xt.constexpr = 32):
    """Each element four times: an image of twice the size."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    x = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN)))
    x = xt.interleave(x, x)
    xt.store_tile(xt.interleave(x.T, x.T).T, xt.init_tile(Y, (2 * m, 2 * n), (2 * BM, 2 * BN)))


@xt.jit(grid=lambda Places, B: (xt.cdiv(Places.shape[0], B),))
def counted(Places, Y, B: xt.constexpr = 1024):
    """Y[p] += 1 for each of some places, by atomics."""
    i = xt.program_id(0) * B + xt.arange(B)
    there = i < Places.shape[0]
    at = xt.load_gather(xt.init_tile(Places, i), there)
    xt.atomic_rmw_tile("addi", xt.full((B,), 1, xt.i32), xt.init_tile(Y, at), there)

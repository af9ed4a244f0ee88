"""Convolution of images as a product of matrices that are brought together in no memory but registers."""

import xetile as xt


@xt.jit(
    grid=lambda Y, BM, BN: (xt.cdiv(Y.shape[3], BN), xt.cdiv(Y.shape[1], BM), Y.shape[0] * Y.shape[2]),
    num_subgroups=8,
    defaults={"cpu": {"BM": 64, "BN": 64, "BK": 64}},
)
def conv2d(X, W, bias, Y, stride, above, spread, across, left, columns, STRIDE: xt.constexpr = 1,
           BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32, ACC: xt.constexpr = xt.f32):  # fmt: skip
    """Y[B, O, P, Q] of images X[B, C, H, L] and a filter W[R * S, O, C] of S = `columns` columns, plus bias[O], if any.

    Row p of Y begins `above` above row stride * p of X, rows of the filter lie `spread` apart; its columns `across`, from `left` before.
    STRIDE  of columns: a constant, since it says how tiles lie. Where it is not 1, X[b] is contiguous.
    """
    m, n, z = xt.program_id(1) * BM, xt.program_id(0) * BN, xt.program_id(2)
    b, p, c = z // Y.shape[2], z % Y.shape[2], W.shape[2]
    acc = xt.zeros((BM, BN), ACC)
    for tap in range(W.shape[0]):
        row = p * stride + tap // columns * spread - above
        if (row >= 0) & (row < X.shape[2]):
            place = n * STRIDE + tap % columns * across - left
            for k in range(0, c, BK):
                w = xt.load_tile(xt.init_tile(W[tap], (m, k), (BM, BK)))
                image = X[b, :, row]
                if STRIDE == 1:
                    x = xt.load_tile(xt.init_tile(image, (k, place), (BK, BN)))
                else:
                    lines = k + xt.arange(BK)[:, None]
                    places = place + xt.arange(BN)[None, :] * STRIDE
                    inside = (places >= 0) & (places < image.shape[1]) & (lines < c)
                    x = xt.load_gather(xt.init_tile(image, lines * (X.shape[2] * X.shape[3]) + places), mask=inside)
                acc = xt.tile_mma(w, x, acc)
    if bias is not None:
        acc = acc + xt.load_tile(xt.init_tile(bias, m, (BM, 1))).to(ACC)
    xt.store_tile(acc.to(Y.dtype), xt.init_tile(Y[b, :, p], (m, n), (BM, BN)))


BY_PIXELS = ("pvc", "bmg", "lnl")
"""Targets whose block messages begin at whole words of 32 bits, so that `conv2d` loads images of 16 bits element by element."""


@xt.jit(
    grid=lambda Y, BM, BN: (xt.cdiv(Y.shape[1], BN), xt.cdiv(Y.shape[3], BM), Y.shape[0] * Y.shape[2]),
    num_subgroups=8,
)
def conv2d_pixels(X, W, bias, Y, stride, above, spread, across, left, columns,
                  BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32, ACC: xt.constexpr = xt.f32):  # fmt: skip
    """The same of images X[B, H, S, L, C], whose column l * S + s is X[:, :, s, l], and a filter W[R * S, C, O].

    Channels lie side by side, so that a tile may begin at any column: elements of 16 bits are loaded by whole words, and blocks of them
    at multiples of a word.  Tiles are pixels by channels; sums are transposed once, where they are stored.
    """
    n, m, z = xt.program_id(0) * BN, xt.program_id(1) * BM, xt.program_id(2)
    b, p, c, parts = z // Y.shape[2], z % Y.shape[2], W.shape[1], X.shape[2]
    acc = xt.zeros((BM, BN), ACC)
    for tap in range(W.shape[0]):
        row = p * stride + tap // columns * spread - above
        if (row >= 0) & (row < X.shape[1]):
            column = tap % columns * across - left
            pixels = X[b, row, column % parts]
            for k in range(0, c, BK):
                x = xt.load_tile(xt.init_tile(pixels, (m + column // parts, k), (BM, BK)))
                acc = xt.tile_mma(x, xt.load_tile(xt.init_tile(W[tap], (k, n), (BK, BN))), acc)
    if bias is not None:
        acc = acc + xt.load_tile(xt.init_tile(bias, n, (1, BN))).to(ACC)
    xt.store_tile(acc.T.to(Y.dtype), xt.init_tile(Y[b, :, p], (n, m), (BN, BM)))

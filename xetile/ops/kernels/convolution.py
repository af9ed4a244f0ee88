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


@xt.jit(grid=lambda Z, BM: (xt.cdiv(Z.shape[3], BM), Z.shape[1], Z.shape[0] * Z.shape[2]), num_subgroups=4)
def columns_of_taps(X, Z, above, across, left, STRIDE: xt.constexpr = 1, BM: xt.constexpr = 16, BN: xt.constexpr = 64):
    """Z[B, S, C, I, Q] of images X[B, C, H, L]: in Z[b, s, c] what columns s of filters take of rows from `above` before the first on."""
    m, s, z = xt.program_id(0) * BM, xt.program_id(1), xt.program_id(2)
    image, target = X[z // X.shape[1], z % X.shape[1]], Z[z // X.shape[1], s, z % X.shape[1]]
    for n in range(0, Z.shape[4], BN):
        place = n * STRIDE + s * across - left
        if STRIDE == 1:
            value = xt.load_tile(xt.init_tile(image, (m - above, place), (BM, BN)))
        else:
            lines, places = m - above + xt.arange(BM)[:, None], place + xt.arange(BN)[None, :] * STRIDE
            inside = (places >= 0) & (places < image.shape[1]) & (lines >= 0) & (lines < image.shape[0])
            value = xt.load_gather(xt.init_tile(image, lines * image.stride(0) + places), mask=inside)
        xt.store_tile(value, xt.init_tile(target, (m, n), (BM, BN)))


@xt.jit(grid=lambda Y, BM, BN: (xt.cdiv(Y.shape[2], BN), xt.cdiv(Y.shape[1], BM), Y.shape[0]), num_subgroups=8)
def conv2d_rows(Z, W, bias, Y, stride, spread, columns, BM: xt.constexpr = 64, BN: xt.constexpr = 128, BK: xt.constexpr = 64,
                ACC: xt.constexpr = xt.f32):  # fmt: skip
    """Y[B, O, P * Q] of rows by turns, Z[B, T, S * C, I * Q] by `columns_of_taps`, and a filter W[R, O, S * C], plus bias[O], if any.

    Row r of the filter takes row r * spread of the image, which is one of every `stride`. A row has `columns` columns: Q.
    """
    n, m, b = xt.program_id(0) * BN, xt.program_id(1) * BM, xt.program_id(2)
    acc = xt.zeros((BM, BN), ACC)
    for r in range(W.shape[0]):
        lines, place = Z[b, r * spread % stride], n + r * spread // stride * columns
        for k in range(0, W.shape[2], BK):
            w = xt.load_tile(xt.init_tile(W[r], (m, k), (BM, BK)))
            acc = xt.tile_mma(w, xt.load_tile(xt.init_tile(lines, (k, place), (BK, BN))), acc)
    if bias is not None:
        acc = acc + xt.load_tile(xt.init_tile(bias, m, (BM, 1))).to(ACC)
    xt.store_tile(acc.to(Y.dtype), xt.init_tile(Y[b], (m, n), (BM, BN)))

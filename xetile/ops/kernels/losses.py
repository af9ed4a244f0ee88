"""Cross entropy of rows of logits and the numbers of their classes, with its gradient."""

import xetile as xt
from xetile.ops.kernels.planes import BY_ROWS


@xt.jit(grid=lambda X, BM: xt.cdiv(X.shape[0], BM), num_subgroups=8, fast_math=True, defaults=BY_ROWS)
def cross_entropy(X, Classes, Losses, dX, ignored, SMOOTHING: xt.constexpr = 0.0, BM: xt.constexpr = 8, BN: xt.constexpr = 512,
                  ACC: xt.constexpr = xt.f32):  # fmt: skip
    """Losses[M, 1] = log(sum(exp(X))) - X[Classes], of X[M, N] and Classes[M, 1]; 0 for rows whose class is `ignored`.

    With SMOOTHING s a row's target is 1 - s for its class and s / N for each class.
    dX[M, N], where it is not None: the gradient of each row's loss, softmax(X) - target.
    """
    m, columns = xt.program_id(0) * BM, X.shape[1]
    classes = xt.load_tile(xt.init_tile(Classes, (m, 0), (BM, 1)))
    largest, total = xt.full((BM, 1), float("-inf"), ACC), xt.zeros((BM, 1), ACC)
    chosen, every = xt.zeros((BM, 1), ACC), xt.zeros((BM, 1), ACC)
    for n in range(0, columns, BN):
        places = (n + xt.arange(BN)[None, :]).to(Classes.dtype)
        raw = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(ACC)
        chosen += xt.sum(xt.where(places == classes, raw, 0.0), axis=1)
        if SMOOTHING:
            every += xt.sum(raw, axis=1)
        value = xt.where(n + xt.arange(BN)[None, :] < columns, raw, float("-inf"))
        new = xt.maximum(largest, xt.max(value, axis=1))
        down = xt.where(new == float("-inf"), 0.0, new)
        total = total * xt.exp(largest - down) + xt.sum(xt.exp(value - down), axis=1)
        largest = new
    loss = xt.log(total) + largest - chosen
    if SMOOTHING:
        loss = xt.log(total) + largest - chosen * (1.0 - SMOOTHING) - every * SMOOTHING / columns.to(ACC)
    counts = classes != ignored
    xt.store_tile(xt.where(counts, loss, 0.0).to(Losses.dtype), xt.init_tile(Losses, (m, 0), (BM, 1)))
    if dX is not None:
        scale = 1.0 / total
        for n in range(0, columns, BN):
            places = (n + xt.arange(BN)[None, :]).to(Classes.dtype)
            value = xt.exp(xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(ACC) - largest) * scale
            value = xt.where(places == classes, value - (1.0 - SMOOTHING), value)
            if SMOOTHING:
                value = value - SMOOTHING / columns.to(ACC)
            xt.store_tile(xt.where(counts, value, 0.0).to(dX.dtype), xt.init_tile(dX, (m, n), (BM, BN)))

"""Sums of columns, and functions of single elements."""

import xetile as xt


@xt.jit(
    out={"Y": lambda X: xt.empty((1, X.shape[1]), xt.f32)},
    grid=lambda Y, BN: (xt.cdiv(Y.shape[1], BN),),
    num_subgroups=8,
    defaults={"cpu": {"BM": 32, "BN": 4096}},
)
def column_sum(X, Y, BM: xt.constexpr = 32, BN: xt.constexpr = 128):
    """Y[1, N] f32: the sum of each column of X[M, N]."""
    n = xt.program_id(0) * BN
    total = xt.zeros((1, BN), xt.f32)
    for m in range(0, X.shape[0], BM):
        total += xt.sum(xt.load_tile(xt.init_tile(X, (m, n), (BM, BN))).to(xt.f32), axis=0)
    xt.store_tile(total, xt.init_tile(Y, (0, n), (1, BN)))


@xt.jit(
    out={"Y": lambda X: xt.empty(X.shape, xt.f32)},
    grid=lambda Y, BM, BN: (xt.cdiv(Y.shape[1], BN), xt.cdiv(Y.shape[0], BM)),
    num_subgroups=8,
    defaults={"cpu": {"BN": 512}},
)
def function(X, Y, NAME: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 128):
    """Y = NAME(X), elementwise over [M, N]; NAME: "exp", "tanh", "erf" or "sin"."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    x = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN)))
    if NAME == "exp":
        x = xt.exp(x)
    elif NAME == "tanh":
        x = xt.tanh(x)
    elif NAME == "erf":
        x = xt.erf(x)
    else:
        x = xt.sin(x)
    xt.store_tile(x, xt.init_tile(Y, (m, n), (BM, BN)))

"""A kernel of any length: steps that no compiler folds."""

import xetile as xt


@xt.jit(grid=1, num_subgroups=1)
def steps(X, Y, N: xt.constexpr):
    """Y[16, 16] f32 of X after N products and sums, one after the other."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 16)))
    for i in xt.static_range(N):
        x = x * (i + 1) + x
    xt.store_tile(x, xt.init_tile(Y, (0, 0), (16, 16)))

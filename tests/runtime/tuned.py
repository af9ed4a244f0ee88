"""A kernel whose configurations include all that can go wrong, in a module that worker processes can import."""

import xetile as xt

CONFIGS = [xt.Config(MODE="right"), xt.Config(MODE="wide", num_subgroups=1)]
BAD = {
    "refused": xt.Config(MODE="refused"),
    "wrong": xt.Config(MODE="wrong"),
    "partial": xt.Config(MODE="partial"),
    "crashed": xt.Config(MODE="crashed"),
    "hung": xt.Config(MODE="hung"),
}


def grid(X, MODE):
    return xt.cdiv(X.shape[0], 64 if MODE == "wide" else 16)


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=grid, num_subgroups=1)
def double(X, Y, MODE: xt.constexpr):
    """Y[N] = X[N] * 2, in one of several ways, some of them bad."""
    N = 64 if MODE == "wide" else 16
    i = xt.program_id(0) * N
    x = xt.load_tile(xt.init_tile(X, (i,), (N,)))
    y = xt.init_tile(Y, (i,), (N,))
    xt.static_assert(MODE != "refused", "refused")
    if MODE == "wrong":
        x = x + 1
    if MODE == "hung":
        for _ in range(2147483647 - X.shape[0]):
            for _ in range(2147483647 - X.shape[0]):
                x = xt.sin(x)
                xt.store_tile(x, y)
    if MODE == "crashed":
        xt.store_scatter(x, xt.init_tile(Y, xt.arange(16) + 2000000000))
    if MODE != "partial" or xt.program_id(0) == 0:
        xt.store_tile(x * 2, y)

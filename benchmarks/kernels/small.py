"""Kernels so small that their launch is all that they cost."""

import xetile as xt


@xt.jit(grid=lambda Z: (1,), num_subgroups=1)
def combine(X, Y, Z, a, b, c):
    """Z[16, 16] = X * a + Y * b + c: three arrays, three scalars."""
    x, y = xt.load_tile(xt.init_tile(X, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(Y, (0, 0), (16, 16)))
    xt.store_tile(x * a + y * b + c, xt.init_tile(Z, (0, 0), (16, 16)))


@xt.jit(out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[1]), xt.f32)}, grid=lambda C: (1,), num_subgroups=1)
def product(A, B, C):
    """C[16, 16] = A[16, 16] @ B[16, 16]."""
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
    xt.store_tile(xt.tile_mma(a, b, xt.zeros((16, 16), xt.f32)), xt.init_tile(C, (0, 0), (16, 16)))

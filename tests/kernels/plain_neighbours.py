"""Kernels whose elements need those of other lanes and subgroups, as people write them: shared memory, element by element."""

from __future__ import annotations

import xetile as xt


@xt.jit(grid=(1,))
def life(X, Y, generations, N: xt.constexpr = 64):
    """Game of life on a torus of N x N cells."""
    x = xt.load_tile(X[0:N, 0:N])
    for _ in range(generations):
        rows = x + xt.roll(x, 1, 0) + xt.roll(x, -1, 0)
        near = rows + xt.roll(rows, 1, 1) + xt.roll(rows, -1, 1) - x
        x = ((near == 3) | ((x == 1) & (near == 2))).to(X.dtype)
    xt.store_tile(x, Y[0:N, 0:N])


@xt.jit(grid=lambda X: (X.shape[0],))
def bitonic(X, Y, N: xt.constexpr = 256, LOG: xt.constexpr = 8):
    """Each row of X, sorted."""
    row, place = xt.program_id(0), xt.arange(N)
    x = xt.load_tile(X[row, 0:N])
    for step in xt.static_range(LOG):
        for bit in xt.static_range(step, -1, -1):
            other = xt.gather(x, place ^ (1 << bit), 0)
            up = ((place >> (step + 1)) & 1) == 0
            first = (place & (1 << bit)) == 0
            x = xt.where(up == first, xt.minimum(x, other), xt.maximum(x, other))
    xt.store_tile(x, Y[row, 0:N])


@xt.jit(grid=lambda P, B: (xt.cdiv(P.shape[1], B),))
def gravity(P, M, F, soft, B: xt.constexpr = 64):
    """F[:, i] = sum of M[j] (P[:, j] - P[:, i]) / distance ** 3; P and F have a row for each coordinate."""
    i = xt.program_id(0) * B
    x, y, z = (xt.load_tile(P[axis, i : i + B])[:, None] for axis in (0, 1, 2))
    fx, fy, fz = x * 0, x * 0, x * 0
    for j in range(0, P.shape[1], B):
        dx = xt.load_tile(P[0, j : j + B])[None, :] - x
        dy = xt.load_tile(P[1, j : j + B])[None, :] - y
        dz = xt.load_tile(P[2, j : j + B])[None, :] - z
        square = dx * dx + dy * dy + dz * dz + soft
        weight = xt.load_tile(M[j : j + B])[None, :] / (square * xt.sqrt(square))
        fx += xt.sum(weight * dx, axis=1)
        fy += xt.sum(weight * dy, axis=1)
        fz += xt.sum(weight * dz, axis=1)
    xt.store_tile(xt.reshape(fx, (B,)), F[0, i : i + B])
    xt.store_tile(xt.reshape(fy, (B,)), F[1, i : i + B])
    xt.store_tile(xt.reshape(fz, (B,)), F[2, i : i + B])

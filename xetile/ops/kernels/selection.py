"""The largest elements of rows, and counts of elements by bins."""

import xetile as xt
from xetile.ops.kernels.planes import plane, planes


@xt.jit
def order_of(x):
    """Numbers as integers in the same order, every NaN above all others and zeros of both signs alike."""
    if x.dtype.kind != "f":
        return x.to(xt.i32)
    bits = xt.bitcast(x.to(xt.f32) + 0.0, xt.i32)
    return xt.where(x != x, 0x7FFFFFFF, xt.where(bits < 0, bits ^ 0x7FFFFFFF, bits))


LEAST, MOST = -0x80000000, 0x7FFFFFFF


@xt.jit
def keep_largest(x, m, Values, Places, BN: xt.constexpr, KEPT: xt.constexpr):
    """One row of `topk` in one pass: the K largest so far in KEPT places; of each tile those that are larger than the least of them."""
    columns, count = x.shape[1], Values.shape[1]
    lanes = xt.arange(KEPT)[None, :].to(xt.i32)
    # Places that nothing has taken yet differ from each other; those beyond K are never the least.
    orders, places = xt.where(lanes < count.to(xt.i32), LEAST, MOST), xt.where(lanes < count.to(xt.i32), MOST - lanes, -1)
    for n in range(0, columns, BN):
        here = (n + xt.arange(BN)[None, :]).to(xt.i32)
        order = xt.where(here < columns, order_of(xt.load_tile(xt.init_tile(x, (m, n), (1, BN)))), LEAST)
        best, least = xt.max(xt.max(order, axis=1)), xt.min(xt.min(orders, axis=1))
        while best > least:
            first = xt.min(xt.where(order == best, here, MOST), axis=1)
            last = xt.max(xt.where(orders == least, places, -1), axis=1)  # of equals the last one makes room
            leaves = (orders == least) & (places == last)
            orders, places = xt.where(leaves, best, orders), xt.where(leaves, first, places)
            order = xt.where(here == first, LEAST, order)
            best, least = xt.max(xt.max(order, axis=1)), xt.min(xt.min(orders, axis=1))
    left = lanes < count.to(xt.i32)
    for i in range(count):
        best = xt.max(xt.where(left, orders, LEAST), axis=1)
        first = xt.min(xt.where(left & (orders == best), places, MOST), axis=1)
        left = left & (places != first)
        value = xt.load_tile(xt.init_tile(x, (m, xt.min(first)), (1, 1)))
        xt.store_tile(value, xt.init_tile(Values, (m, i), (1, 1)))
        xt.store_tile(first.to(xt.i64), xt.init_tile(Places, (m, i), (1, 1)))


@xt.jit(
    grid=lambda Values, BM: (xt.cdiv(Values.shape[-2], BM), planes(Values)),
    num_subgroups=4,
    defaults={"cpu": {"BM": 1, "BN": 256}},
)
def topk(X, Values, Places, BM: xt.constexpr = 4, BN: xt.constexpr = 256, KEPT: xt.constexpr = 0):
    """Values[M, K] and Places[M, K] i64: the K largest of each row of X[M, N], the first of equals first; one pass for each of K.

    KEPT    a power of two from K on: single rows take one pass. Their elements are more than the least i32.
    """
    x, z, m = plane(X, xt.program_id(1)), xt.program_id(1), xt.program_id(0) * BM
    if BM == 1 and KEPT > 0:
        keep_largest(x, m, plane(Values, z), plane(Places, z), BN, KEPT)
        return
    columns = x.shape[1]
    least = -0x80000000
    bound, place = xt.full((BM, 1), 0x7FFFFFFF, xt.i32), xt.full((BM, 1), -1, xt.i32)
    for i in range(Values.shape[-1]):
        best, at = xt.full((BM, 1), least, xt.i32), xt.full((BM, 1), 0x7FFFFFFF, xt.i32)
        kept = xt.zeros((BM, 1), X.dtype)
        for n in range(0, columns, BN):
            value = xt.load_tile(xt.init_tile(x, (m, n), (BM, BN)))
            places = xt.tile_broadcast((n + xt.arange(BN)[None, :]).to(xt.i32), (BM, BN))
            order = order_of(value)
            # What comes after the last one found: smaller, or equal and further on.
            left = ((order < bound) | ((order == bound) & (places > place))) & (places < columns)
            found = xt.max(xt.where(left, order, least), axis=1)
            first = xt.min(xt.where(left & (order == found), places, 0x7FFFFFFF), axis=1)
            better = (first < 0x7FFFFFFF) & ((found > best) | (at == 0x7FFFFFFF))
            taken = xt.sum(xt.where(places == first, value.to(xt.f32), 0.0), axis=1) if X.dtype.kind == "f" else found
            best, at, kept = xt.where(better, found, best), xt.where(better, first, at), xt.where(better, taken.to(X.dtype), kept)
        xt.store_tile(kept, xt.init_tile(plane(Values, z), (m, i), (BM, 1)))
        xt.store_tile(at.to(xt.i64), xt.init_tile(plane(Places, z), (m, i), (BM, 1)))
        bound, place = best, at


@xt.jit(grid=lambda X, BN: xt.cdiv(X.shape[0], BN), num_subgroups=8, defaults={"cpu": {"BN": 1024}})
def histogram(X, Edges, Counts, BN: xt.constexpr = 512):
    """Adds to Counts[K] i32 how many of X[N] lie in each bin: from Edges[i] on, before Edges[i + 1], the last bin with its end.

    Edges[K + 1], in X's type, are evenly spaced up to rounding: what a division says is set right by the edges themselves.
    """
    n = xt.program_id(0) * BN
    x = xt.load_tile(xt.init_tile(X, n, (BN,)))
    bins, first, last = Counts.shape[0], Edges[0], Edges[Edges.shape[0] - 1]
    inside = (n + xt.arange(BN) < X.shape[0]) & (x >= first) & (x <= last)
    near = ((x - first) / (last - first) * bins.to(X.dtype)).to(xt.i32)
    near = xt.clamp(xt.where(inside, near, 0), 0, bins.to(xt.i32) - 1)
    near = near - xt.where((x < xt.load_gather(xt.init_tile(Edges, near), mask=inside)) & (near > 0), 1, 0)
    above = x >= xt.load_gather(xt.init_tile(Edges, near + 1), mask=inside)
    near = near + xt.where(above & (near < bins.to(xt.i32) - 1), 1, 0)
    xt.atomic_rmw_tile("add", 1, xt.init_tile(Counts, near), mask=inside)

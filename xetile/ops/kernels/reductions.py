"""Reductions of rows: sums and extremes, whole or in parts, and where extremes are."""

import xetile as xt
from xetile.ops.kernels.planes import BY_COLUMNS, PADDED_ROWS, filled, plane, planes


def parts_grid(Y, BM):
    """A program for BM rows of each plane and each of the parts that a row is cut into."""
    return xt.cdiv(Y.shape[-2], BM), Y.shape[-1], planes(Y)


@xt.jit(grid=parts_grid, num_subgroups=8, defaults=PADDED_ROWS)
def reduce(X, Y, part, count, KIND: xt.constexpr = "add", FIRST: xt.constexpr = 0, MEAN: xt.constexpr = False,
           BM: xt.constexpr = 8, BN: xt.constexpr = 512, ACC: xt.constexpr = xt.f32, PADDED: xt.constexpr = False):  # fmt: skip
    """Y[M, P]: "add", "max" or "min" of each of P parts of the rows of X[M, N], of `part` columns each, the last of what is left.

    part        a multiple of BN, so that no tile reaches into the next part.
    FIRST       what changes no result: 0, or the least and largest of X's dtype.
    PADDED      as in `filled`.
    MEAN        sums are divided by `count`.
    """
    z, m, p = xt.program_id(2), xt.program_id(0) * BM, xt.program_id(1)
    x, begin = plane(X, z), p * part // BN * BN  # so that it is known to begin a tile
    end = min(begin + part, x.shape[1])
    found = xt.full((BM, 1), FIRST, ACC)
    for n in range(begin, end, BN):
        tile = xt.init_tile(x, (m, n), (BM, BN))
        value = xt.load_tile(tile).to(ACC) if KIND == "add" else filled(tile, n, x.shape[1], FIRST, ACC, PADDED)
        if KIND == "add":
            found += xt.sum(value, axis=1)
        elif KIND == "max":
            found = xt.maximum(found, xt.max(value, axis=1))
        else:
            found = xt.minimum(found, xt.min(value, axis=1))
    if MEAN:
        found = found / count.to(ACC)
    xt.store_tile(found.to(Y.dtype), xt.init_tile(plane(Y, z), (m, p), (BM, 1)))


reduce_columns = xt.jit(grid=parts_grid, num_subgroups=8, defaults=BY_COLUMNS)(reduce.fn)
"""The same for an X whose columns are contiguous, and that has many rows."""


@xt.jit
def put(Y, value, z, m, p, BM):
    """A column of a part's results, where there is an array for them."""
    if Y is not None:
        xt.store_tile(value.to(Y.dtype), xt.init_tile(plane(Y, z), (m, p), (BM, 1)))


# Places beside values: half as many registers are left for each. On CPUs short tiles: fewer of them hold what is better than all before.
@xt.jit(
    grid=parts_grid, num_subgroups=8, defaults={"cpu": {"BM": 1, "BN": 512, "SEARCH": True, "PADDED": True}, "dg2": {"BN": 128}}
)
def where_extreme(X, Y, Best, part, LARGEST: xt.constexpr = True, FIRST: xt.constexpr = 0, SEARCH: xt.constexpr = False,
                  BM: xt.constexpr = 8, BN: xt.constexpr = 512, ACC: xt.constexpr = xt.f32, PADDED: xt.constexpr = False):  # fmt: skip
    """Y[M, P]: where the largest (or smallest) of each of P parts of the rows of X[M, N] is, the first of equals; NaN before all numbers.

    Best        None, or [M, P] for what is found there, in ACC.
    part        columns of a part, a multiple of BN.
    FIRST       the least (or largest) of X's dtype, which stands beyond the edge.
    PADDED      as in `filled`.
    SEARCH      row by row: only the tile that has it is searched for its place.
    """
    z, m, p = xt.program_id(2), xt.program_id(0) * BM, xt.program_id(1)
    x, begin = plane(X, z), p * part // BN * BN  # so that it is known to begin a tile
    end = min(begin + part, x.shape[1])
    if SEARCH:
        for row in range(m, min(m + BM, x.shape[0])):
            best, first = xt.full((1, 1), FIRST, ACC), begin
            for n in range(begin, end, BN):
                value = xt.load_tile(xt.init_tile(x, (row, n), (1, BN)), padding=FIRST).to(ACC)
                found = xt.max(value, axis=1) if LARGEST else xt.min(value, axis=1)
                better = (found > best if LARGEST else found < best) | ((found != found) & (best == best))
                if xt.any(better):
                    best, first = found, n
            value = xt.load_tile(xt.init_tile(x, (row, first), (1, BN)), padding=FIRST).to(ACC)
            places = first.to(xt.i32) + xt.arange(BN)[None, :].to(xt.i32)
            place = xt.min(xt.where((value == best) | (value != value), places, 0x7FFFFFFF), axis=1)
            put(Best, best, z, row, p, 1)
            put(Y, place, z, row, p, 1)
    else:
        best, place = xt.full((BM, 1), FIRST, ACC), begin.to(xt.i32) + xt.zeros((BM, 1), xt.i32)
        for n in range(begin, end, BN):
            value = filled(xt.init_tile(x, (m, n), (BM, BN)), n, x.shape[1], FIRST, ACC, PADDED)
            if LARGEST:
                found, at = xt.max(value, axis=1), xt.argmax(value, axis=1)
                better = found > best
            else:
                found, at = xt.min(value, axis=1), xt.argmin(value, axis=1)
                better = found < best
            better = better | ((found != found) & (best == best))  # NaN, and not yet
            best, place = xt.where(better, found, best), xt.where(better, n.to(xt.i32) + at, place)
        put(Best, best, z, m, p, BM)
        put(Y, place, z, m, p, BM)


@xt.jit(grid=parts_grid, num_subgroups=1)
def place_of_best(Best, Places, Y, LARGEST: xt.constexpr = True, FIRST: xt.constexpr = 0, P: xt.constexpr = 64,
                  BM: xt.constexpr = 1):  # fmt: skip
    """Y[M, 1] i64: of places of Best[M, P'] of parts, at most P, that of the largest (or smallest), as `where_extreme` finds it."""
    z, m = xt.program_id(2), xt.program_id(0)
    best = filled(xt.init_tile(plane(Best, z), (m, 0), (BM, P)), 0, Best.shape[-1], FIRST, Best.dtype, PADDED=False)
    chosen = xt.argmax(best, axis=1) if LARGEST else xt.argmin(best, axis=1)
    places = xt.load_tile(xt.init_tile(plane(Places, z), (m, 0), (BM, P)))
    place = xt.sum(xt.where(xt.arange(P)[None, :] == chosen, places, 0), axis=1)
    xt.store_tile(place.to(Y.dtype), xt.init_tile(plane(Y, z), (m, 0), (BM, 1)))

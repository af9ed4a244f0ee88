"""Rows of tables by number, their gradient, and rotary embedding."""

import xetile as xt


@xt.jit(grid=lambda Y, BM, BN: (xt.cdiv(Y.shape[1], BN), xt.cdiv(Y.shape[0], BM)), num_subgroups=8,
        defaults={"cpu": {"BM": 4, "BN": 1024, "BY_ROWS": True}})  # fmt: skip
def embedding(Numbers, Table, Y, BM: xt.constexpr = 16, BN: xt.constexpr = 128, BY_ROWS: xt.constexpr = False):
    """Y[M, N] = Table[Numbers[M, 1]], rows of Table[V, N]; numbers are those of rows, and BY_ROWS taken one after the other."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    if BY_ROWS:
        for i in range(m, min(m + BM, Y.shape[0])):
            # Neighbours of one row: a tile like any other, whose row is not there where the number is none.
            row = xt.load_tile(xt.init_tile(Table, (Numbers[i, 0], n), (1, BN)))
            xt.store_tile(row, xt.init_tile(Y, (i, n), (1, BN)))
        return
    numbers = xt.load_tile(xt.init_tile(Numbers, (m, 0), (BM, 1))).to(xt.i64)
    columns = (n + xt.arange(BN)[None, :]).to(xt.i64)
    inside = (columns < Table.shape[1]) & (numbers >= 0) & (numbers < Table.shape[0])
    places = numbers * Table.stride(0).to(xt.i64) + columns
    value = xt.load_gather(xt.init_tile(Table, places), mask=inside)
    xt.store_tile(value, xt.init_tile(Y, (m, n), (BM, BN)))


@xt.jit(grid=lambda dY, BM, BN: (xt.cdiv(dY.shape[1], BN), xt.cdiv(dY.shape[0], BM)), num_subgroups=8)
def embedding_gradient(dY, Numbers, dTable, BM: xt.constexpr = 16, BN: xt.constexpr = 128):
    """Adds row i of dY[M, N] to row Numbers[i] of dTable[V, N] f32, atomically: rows may meet."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    numbers = xt.load_tile(xt.init_tile(Numbers, (m, 0), (BM, 1))).to(xt.i64)
    columns, lines = (n + xt.arange(BN)[None, :]).to(xt.i64), m + xt.arange(BM)[:, None]
    inside = (columns < dTable.shape[1]) & (numbers >= 0) & (numbers < dTable.shape[0]) & (lines < dY.shape[0])
    places = numbers * dTable.shape[1].to(xt.i64) + columns
    value = xt.load_tile(xt.init_tile(dY, (m, n), (BM, BN))).to(xt.f32)
    xt.atomic_rmw_tile("add", value, xt.init_tile(dTable, places), mask=inside)


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[1], BM), X.shape[2], X.shape[0]), num_subgroups=4)
def rotary(X, Cos, Sin, Y, INTERLEAVED: xt.constexpr = False, HALF: xt.constexpr = 32, BM: xt.constexpr = 16,
           EXACT: xt.constexpr = True):  # fmt: skip
    """Y[B, N, H, D] of X: pairs of a head rotated by angles of Cos, Sin[N, D / 2] of HALF (a power of 2) columns, or fewer unless EXACT.

    Pairs are elements i and i + D / 2, or with INTERLEAVED 2 i and 2 i + 1.
    """
    m, h, b = xt.program_id(0) * BM, xt.program_id(1), xt.program_id(2)
    x, y, half = X[b, :, h], Y[b, :, h], Cos.shape[1]
    cos = xt.load_tile(xt.init_tile(Cos, (m, 0), (BM, HALF))).to(xt.f32)
    sin = xt.load_tile(xt.init_tile(Sin, (m, 0), (BM, HALF))).to(xt.f32)
    if INTERLEAVED:
        both = xt.load_tile(xt.init_tile(x, (m, 0), (BM, 2 * HALF))).to(xt.f32)
        first, second = both[:, ::2], both[:, 1::2]
        rotated = xt.interleave(first * cos - second * sin, second * cos + first * sin)
        xt.store_tile(rotated.to(Y.dtype), xt.init_tile(y, (m, 0), (BM, 2 * HALF)))
    elif EXACT:
        # Block messages: where the second half begins is known, and aligned.
        first = xt.load_tile(xt.init_tile(x, (m, 0), (BM, HALF))).to(xt.f32)
        second = xt.load_tile(xt.init_tile(x, (m, HALF), (BM, HALF))).to(xt.f32)
        xt.store_tile((first * cos - second * sin).to(Y.dtype), xt.init_tile(y, (m, 0), (BM, HALF)))
        xt.store_tile((second * cos + first * sin).to(Y.dtype), xt.init_tile(y, (m, HALF), (BM, HALF)))
    else:
        # The first half ends where the second begins.
        first = xt.load_tile(xt.init_tile(x[:, :half], (m, 0), (BM, HALF))).to(xt.f32)
        second = xt.load_tile(xt.init_tile(x[:, half:], (m, 0), (BM, HALF))).to(xt.f32)
        xt.store_tile((first * cos - second * sin).to(Y.dtype), xt.init_tile(y[:, :half], (m, 0), (BM, HALF)))
        xt.store_tile((second * cos + first * sin).to(Y.dtype), xt.init_tile(y[:, half:], (m, 0), (BM, HALF)))


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[1], BM), X.shape[2], X.shape[0]), num_subgroups=4)
def rotary_pairs(X, Cos, Sin, Y, KIND: xt.constexpr = xt.f16, HALF: xt.constexpr = 32, BM: xt.constexpr = 16):
    """`rotary` of interleaved pairs of 16 bits: X and Y[B, N, H, D / 2] u32 hold two neighbours of KIND in each element.

    No element leaves its lane, where even and odd columns of 16 bits are brought together through shared memory.
    """
    m, h, b = xt.program_id(0) * BM, xt.program_id(1), xt.program_id(2)
    cos = xt.load_tile(xt.init_tile(Cos, (m, 0), (BM, HALF))).to(xt.f32)
    sin = xt.load_tile(xt.init_tile(Sin, (m, 0), (BM, HALF))).to(xt.f32)
    pairs = xt.load_tile(xt.init_tile(X[b, :, h], (m, 0), (BM, HALF)))
    first = pairs.to(xt.u16).bitcast(KIND).to(xt.f32)
    second = (pairs >> 16).to(xt.u16).bitcast(KIND).to(xt.f32)
    low = (first * cos - second * sin).to(KIND).bitcast(xt.u16).to(xt.u32)
    high = (second * cos + first * sin).to(KIND).bitcast(xt.u16).to(xt.u32)
    xt.store_tile(low | (high << 16), xt.init_tile(Y[b, :, h], (m, 0), (BM, HALF)))

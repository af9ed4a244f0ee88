"""Gather and scatter: an embedding, its gradient, and rows moved to their groups.

    python tutorials/12_gather_scatter.py

Tiles are rectangles. Where the places depend on data, a tile is made from a row of offsets instead: `xt.init_tile(A, offsets)`, element i
lying `offsets[i]` elements behind the first of A. `load_gather` and `store_scatter` move it, with a mask for what is not to be moved:
addresses are not checked (debug mode does). Two habits make them fast and right:

- Where whole rows move, one program a row takes them as ordinary tiles: `embed`.
- Two elements with one address race in a scatter; `atomic_rmw_tile` adds them up.
"""

import numpy as np

import xetile as xt


@xt.jit(out={"Y": lambda Ids, Table: xt.empty((Ids.shape[0], Table.shape[1]), xt.f32)}, grid=lambda Ids: (Ids.shape[0],))
def embed(Ids: xt.Array, Table: xt.Array, Y: xt.Array, D: xt.constexpr = 64) -> None:
    """Y[i, :] = Table[Ids[i], :]. Each program moves a row: the id is a number, so the row is an ordinary tile."""
    assert Table.shape[1] == D, "rows of D elements"
    i = xt.program_id(0)
    row = xt.load_tile(xt.init_tile(Ids, i, (1,))).item()
    xt.store_tile(xt.load_tile(xt.init_tile(Table, (row, 0), (1, D))), xt.init_tile(Y, (i, 0), (1, D)))


@xt.jit(grid=lambda Ids, BM: (xt.cdiv(Ids.shape[0], BM),))
def embed_gradient(Ids: xt.Array, G: xt.Array, Table: xt.Array, BM: xt.constexpr = 8, D: xt.constexpr = 64) -> None:
    """Table[Ids[i], :] += G[i, :]: several i may have one id, so each element is added atomically."""
    assert Ids.shape[0] == G.shape[0] and G.shape[1] == D and Table.shape[1] == D, "a row of D elements for each id"
    m = xt.program_id(0) * BM
    ids = xt.load_tile(xt.init_tile(Ids, m, (BM,)))[:, None]
    offsets = ids * D + xt.arange(D)[None, :]
    g = xt.load_tile(xt.init_tile(G, (m, 0), (BM, D)))
    inside = (m + xt.arange(BM))[:, None] < Ids.shape[0]
    xt.atomic_rmw_tile("add", g, xt.init_tile(Table, offsets), inside & (offsets >= 0))


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def move_to_groups(
    X: xt.Array,
    Group: xt.Array,
    Start: xt.Array,
    Used: xt.Array,
    Y: xt.Array,
    Place: xt.Array,
    BM: xt.constexpr = 16,
    D: xt.constexpr = 32,
) -> None:
    """Y[Start[g] + k, :] = X[i, :], where X[i] is the k-th row that came to group g = Group[i]; Place[i] tells where it went.

    The old value of an atomic count is a number that no other row gets.
    """
    assert X.shape[1] == D and Y.shape[1] == D and Group.shape[0] == X.shape[0], "rows of D elements, a group for each"
    m = xt.program_id(0) * BM
    rows = m + xt.arange(BM)
    inside = rows < X.shape[0]
    group = xt.load_tile(xt.init_tile(Group, m, (BM,)))
    k = xt.atomic_rmw_tile("add", 1, xt.init_tile(Used, group), inside)
    place = xt.load_gather(xt.init_tile(Start, group), inside) + k
    xt.store_scatter(place, xt.init_tile(Place, rows), inside)
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, D)))
    xt.store_scatter(x, xt.init_tile(Y, place[:, None] * D + xt.arange(D)[None, :]), inside[:, None])


def main() -> None:
    """Each against numpy."""
    rng = np.random.default_rng(0)
    ids = rng.integers(0, 50, 100).astype(np.int32)
    table, g = rng.integers(-9, 9, (50, 64)).astype(np.float32), rng.integers(-9, 9, (100, 64)).astype(np.float32)
    gradient = np.zeros_like(table)
    embed_gradient(ids, g, gradient)
    expected = np.zeros_like(table)
    np.add.at(expected, ids, g)
    right = (embed(ids, table) == table[ids]).all() and (gradient == expected).all()
    print("embedding and its gradient:", "right" if right else "wrong")

    x, group = rng.integers(-9, 9, (100, 32)).astype(np.float32), rng.integers(0, 4, 100).astype(np.int32)
    counts = np.bincount(group, minlength=4)
    start = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int32)
    y, place, used = np.zeros_like(x), np.zeros(100, np.int32), np.zeros(4, np.int32)
    move_to_groups(x, group, start, used, y, place)
    moved = (y[place] == x).all() and (np.sort(place) == np.arange(100)).all() and (used == counts).all()
    print(f"rows moved to {len(counts)} groups of {counts.tolist()}:", "right" if moved else "wrong")
    if not (right and moved):
        raise SystemExit("the result is wrong")


if __name__ == "__main__":
    main()

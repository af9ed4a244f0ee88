"""Layouts: which subgroup holds which part of a tile, and what it costs to change that.

    python tutorials/07_layouts.py

A program is a workgroup of subgroups. `xt.wg_map(sg_layout, sg_data)` distributes a tile over them: `sg_layout` subgroups along each axis,
each with blocks of `sg_data` elements, round robin until the tile is used up. Without a map the compiler chooses one. Here are the three
things that a map can do: distribute evenly, distribute in rounds, and share; and how a value moves from one map to another.
"""

import numpy as np

import xetile as xt
from xetile.layout import Layout


def owners(layout: Layout, shape: tuple[int, int]) -> str:
    """A drawing in text: the subgroups that hold each block of 4 x 8 elements."""
    held = layout.owners(shape)
    rows = range(0, shape[0], 4)
    return "\n".join(
        "  " + "  ".join("".join(str(subgroup) for subgroup, _ in held[i, j]) for j in range(0, shape[1], 8)) for i in rows
    )


# 1. Four subgroups, 32 x 32 elements.

EVEN = xt.wg_map(sg_layout=(2, 2), sg_data=(16, 16))  # a quarter each
ROUNDS = xt.wg_map(sg_layout=(4, 1), sg_data=(4, 32))  # 4 rows at a time: two rounds
SHARED = xt.wg_map(sg_layout=(2, 2), sg_data=(16, 32))  # the pairs of a row hold the same half

# 2. Rows and columns. A sum along rows is cheap where a subgroup holds whole rows, a sum along columns where it holds whole columns.
#    `tile_conv_layout` moves the value from one map to the other: through shared local memory, with a barrier.

ROWS = xt.wg_map(sg_layout=(4, 1), sg_data=(8, 32))
COLUMNS = xt.wg_map(sg_layout=(1, 4), sg_data=(32, 8))


@xt.jit(out={"R": lambda X: xt.empty((32, 1), xt.f32), "C": lambda X: xt.empty((1, 32), xt.f32)}, grid=(1,), num_subgroups=4)
def sums(X: xt.Array, R: xt.Array, C: xt.Array) -> None:
    """R = X.sum(axis=1), C = X.sum(axis=0), both with their axis kept, of X[32, 32] f32."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 32), wg_map=ROWS))
    xt.store_tile(xt.sum(x, axis=1), xt.init_tile(R, (0, 0), (32, 1)))
    by_columns = xt.tile_conv_layout(x, COLUMNS)
    xt.store_tile(xt.sum(by_columns, axis=0), xt.init_tile(C, (0, 0), (1, 32)))


def main() -> None:
    """Draw maps, run the kernel, and count the barriers of its subgroup level."""
    for name, layout in (("a quarter each", EVEN), ("in rounds", ROUNDS), ("shared", SHARED)):
        print(f"{name}:\n{owners(layout, (32, 32))}")

    x = np.arange(1024, dtype=np.float32).reshape(32, 32)
    rows, columns = sums(x)
    if not ((rows[:, 0] == x.sum(axis=1)).all() and (columns[0] == x.sum(axis=0)).all()):
        raise SystemExit("the result is wrong")

    lowered = sums.compile("f32[?,?]", "f32[?,?]", "f32[?,?]", target="pvc").ir["subgroup"]
    print(
        f"the change of maps: {lowered.count('gpu.barrier')} barriers, {lowered.count('memref.alloca')} buffers in shared memory"
    )


if __name__ == "__main__":
    main()

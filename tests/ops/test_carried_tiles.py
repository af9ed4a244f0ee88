"""Tiles that control flow brings together: other places, other slices, other sizes of one array."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.language.running import traced
from tests.ops.run import Launch
from xetile.errors import CompileError
from xetile.passes.workgroup.check_tiles import check_tiles
from xetile.target import get_target

TILE = (16, 32)
rng = np.random.default_rng(12)


@xt.jit
def slices(A, Out, n, MAP: xt.constexpr = None):
    """Out[0] = the sum of A[0], ..., A[n - 1]; a tile of the slice that comes next is carried."""
    tile = xt.init_tile(A[0], (0, 2), TILE, wg_map=MAP)
    total = xt.zeros(TILE, A.dtype)
    for i in range(n):
        total += xt.load_tile(tile)
        tile = xt.init_tile(A[i + 1], (0, 2), TILE, wg_map=MAP)
    xt.store_tile(total, xt.init_tile(Out, (0, 0), TILE, wg_map=MAP))


@xt.jit
def branches(A, Out, n, MAP: xt.constexpr = None):
    """A tile of a slice or of another, moved or not."""
    if n > 2:
        tile = xt.init_tile(A[n], (4, 8), TILE, wg_map=MAP)
    elif n > 1:
        tile = xt.init_tile(A[0], (-2, 6), TILE, wg_map=MAP)
    else:
        tile = xt.update_tile_offset(xt.init_tile(A[1], (0, 0), TILE, wg_map=MAP), (n, 40))
    xt.store_tile(xt.load_tile(tile), xt.init_tile(Out, (0, 0), TILE, wg_map=MAP))


@xt.jit
def sizes(A, Out, n, MAP: xt.constexpr = None):
    """Every time the array is one row shorter."""
    tile = xt.init_tile(A[0], (0, 0), TILE, wg_map=MAP)
    total = xt.zeros(TILE, A.dtype)
    for i in range(n):
        total += xt.load_tile(tile)
        tile = xt.init_tile(A[0], (0, 0), TILE, base_shape=(n - i - 1, A.shape[2]), wg_map=MAP)
    xt.store_tile(total, xt.init_tile(Out, (0, 0), TILE, wg_map=MAP))


def window(a: np.ndarray, y: int, x: int) -> np.ndarray:
    return np.pad(a, ((20, 20), (64, 64)))[y + 20 : y + 36, x + 64 : x + 96]


def expected(kernel: object, a: np.ndarray, n: int) -> np.ndarray:
    if kernel is slices:
        return sum(window(a[i], 0, 2) for i in range(n))
    if kernel is sizes:
        return sum(window(a[0] * (np.arange(20) < (n - i if i else 20))[:, None], 0, 0) for i in range(n)).astype(a.dtype)
    return window(a[n], 4, 8) if n > 2 else window(a[0], -2, 6) if n > 1 else window(a[1], n, 40)


@pytest.mark.covering
@pytest.mark.every(2, 1)
@pytest.mark.parametrize("wg_map, subgroups", [(None, 2), (xt.wg_map((2, 1), (4, 16)), 2)], ids=["inferred", "round robin"])
@pytest.mark.parametrize("kernel", [slices, branches, sizes], ids=lambda k: k.fn.__name__)
def test_tiles_of_one_array(kernel, wg_map, subgroups):
    a = rng.integers(0, 9, (5, 20, 64)).astype(np.float32)
    for n in (1, 2, 4):
        launch = Launch(kernel, {"A": a, "Out": np.zeros(TILE, a.dtype), "n": n}, {"Out": expected(kernel, a, n)},
                        constants={"MAP": wg_map}, num_subgroups=subgroups)  # fmt: skip
        launch.on_device("numpy")
        launch.on_device("cpu")
    launch.at_levels()
    launch.as_code("pvc")


@pytest.mark.parametrize("form", ["branch", "loop"])
def test_tiles_of_two_arrays_are_refused_where_they_meet(form):
    def branch(A, B, n):
        if n > 0:
            tile = xt.init_tile(A, (0, 0), TILE)
        else:
            tile = xt.init_tile(B, (0, 0), TILE)
        xt.prefetch_tile(tile)

    def loop(A, B, n):
        tile = xt.init_tile(A, (0, 0), TILE)
        for _ in range(n):
            xt.prefetch_tile(tile)
            tile = xt.init_tile(B, (0, 0), TILE)

    module = traced(branch if form == "branch" else loop, A="f32[?,?]", B="f32[?,?]", n="i32")
    with pytest.raises(CompileError, match="by one of another array") as caught:
        check_tiles(module, get_target("pvc"))
    assert "init_tile(B" in str(caught.value)

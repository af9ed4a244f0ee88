"""Tiles that control flow brings together: other places, other slices, other sizes, other arrays."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.language.running import traced
from tests.ops.run import Launch
from xetile.errors import CompileError
from xetile.passes.workgroup.forms.check_tiles import check_tiles
from xetile.passes.workgroup.forms.part_tiles import part_tiles
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


@xt.jit
def exchanged(A, B, n):
    """A and B in turns become half of the other one, and its columns rolled."""
    source, result = xt.init_tile(A, (0, 0), TILE), xt.init_tile(B, (0, 0), TILE)
    for _ in range(n):
        x = xt.load_tile(source)
        xt.store_tile(x * 0.5 + xt.roll(x, 1, 1), result)
        xt.barrier()
        source, result = result, source


@pytest.mark.every(2)
@pytest.mark.covering
@pytest.mark.parametrize("n", [0, 1, 4])
def test_loops_exchange_tiles_of_two_arrays(n):
    """Once tiles of other arrays were refused, where seed, source and result of a stencil change places in each step."""
    a, b = (rng.integers(-9, 9, TILE).astype(np.float32) for _ in range(2))
    held = [a, b]
    for i in range(n):
        x = held[i % 2]
        held[(i + 1) % 2] = x * np.float32(0.5) + np.roll(x, 1, 1)
    everywhere(Launch(exchanged, {"A": a.copy(), "B": b.copy(), "n": n}, {"A": held[0], "B": held[1]}, num_subgroups=2))


@xt.jit
def chosen(A, B, C, Which, Out):
    """A tile of a slice of A, of B two rows further down, or of C, which is one row; of another array in each program."""
    i = xt.program_id(0)
    if Which[i] == 0:
        tile = xt.init_tile(A[i], (1, 2), TILE)
    elif Which[i] == 1:
        tile = xt.update_tile_offset(xt.init_tile(B, (0, 3), TILE), (2, 0))
    else:
        tile = xt.init_tile(B, (-1, 0), TILE)
    row = xt.init_tile(C, 4, (1, 32)) if Which[i] == 2 else xt.init_tile(B, (i, 0), (1, 32))
    xt.store_tile(xt.load_tile(tile, padding=2) + xt.load_tile(row), xt.init_tile(Out[i], (0, 0), TILE))


def test_branches_choose_between_arrays_of_other_sizes_and_dimensions():
    a, b, c = (rng.integers(0, 9, shape).astype(np.float32) for shape in ((3, 20, 64), (18, 36), (50,)))
    padded = np.pad(b, ((1, 20), (0, 32)), constant_values=2)
    parts = [a[0, 1:17, 2:34] + b[0, :32], padded[3:19, 3:35] + b[1, :32], padded[:16, :32] + c[4:36]]
    which = np.arange(3, dtype=np.int32)
    launch = Launch(chosen, {"A": a, "B": b, "C": c, "Which": which, "Out": np.zeros((3, *TILE), np.float32)},
                    {"Out": np.stack(parts)}, grid=(3,), num_subgroups=2)  # fmt: skip
    everywhere(launch)


@xt.jit
def collected(A, B, Index, Out):
    """What places of A or B held; then they hold twice as much."""
    i = xt.program_id(0)
    index, there = xt.load_tile(xt.init_tile(Index, 0, (32,))), xt.arange(32) < Index.shape[0]
    places = xt.init_tile(A, index)
    if i > 0:
        places = xt.init_tile(B, index)
    held = xt.atomic_rmw_tile("add", xt.load_gather(places, there), places, there)
    xt.store_scatter(held, xt.init_tile(Out[i], xt.arange(32)), there)


def test_places_in_one_of_two_arrays():
    a, b = (rng.integers(1, 9, 40).astype(np.float32) for _ in range(2))
    index = rng.permutation(40)[:29].astype(np.int32)
    twice = [np.where(np.isin(np.arange(40), index), 2 * x, x) for x in (a, b)]
    out = np.stack([a[index], b[index]])
    everywhere(Launch(collected, {"A": a.copy(), "B": b.copy(), "Index": index, "Out": np.zeros_like(out)},
                      {"A": twice[0], "B": twice[1], "Out": out}, grid=(2,), num_subgroups=1))  # fmt: skip


def everywhere(launch: Launch) -> None:
    for device in ("numpy", "cpu"):
        launch.on_device(device)
    launch.at_levels()
    launch.as_code("pvc")


@pytest.mark.parametrize("form", ["branch", "loop"])
def test_tiles_of_arrays_of_sizes_from_memory_are_refused_where_they_meet(form):
    """Nothing could say elsewhere how large the array is."""

    def branch(A, B, N, n):
        if n > 0:
            tile = xt.init_tile(A, (0, 0), TILE)
        else:
            tile = xt.init_tile(B, (0, 0), TILE, base_shape=(N[n], 32))
        xt.prefetch_tile(tile)

    def loop(A, B, N, n):
        tile = xt.init_tile(A, (0, 0), TILE)
        for i in range(n):
            xt.prefetch_tile(tile)
            tile = xt.init_tile(B, (0, 0), TILE, base_shape=(N[i], 32))

    module = part_tiles(traced(branch if form == "branch" else loop, A="f32[?,?]", B="f32[?,?]", N="i32[?]", n="i32"))
    with pytest.raises(CompileError, match="by one of another array") as caught:
        check_tiles(module, get_target("pvc"))
    assert "init_tile(B" in str(caught.value)

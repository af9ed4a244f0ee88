"""Tiles of memory of every dtype: row-major, column-major, of rank 1, of slices, of run-time sizes; inside, on edges, outside.

Each dtype has one kernel for loads, and one for stores; each dtype meets a layout with round robin or one with sharing.
"""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops.maps import MAPS, TILE
from tests.ops.numbers import FLOATS, INTEGERS, STORAGE, marks, random
from tests.ops.run import ON_EVERY_TARGET, Launch

# Inside; over each edge; over a corner; outside on each side. In steps of four, which block messages take, and one further.
QUARTERS = np.array([(2, 4), (-1, 1), (8, 4), (1, -2), (2, 15), (6, 18), (-4, 0), (9, 0), (0, 20), (0, -10)], np.int32)
BLOCKS, ODD = (36, 80), (35, 37)
DTYPES = (*INTEGERS, *FLOATS, xt.bool)
CASES = [pytest.param(dtype, list(MAPS)[i % 3], marks=marks(dtype), id=str(dtype)) for i, dtype in enumerate(DTYPES)]


def window(array: np.ndarray, place: tuple[int, ...], shape: tuple[int, ...], padding: object = 0) -> np.ndarray:
    """The elements of an array from a place on; padding outside."""
    out = np.full(shape, padding, array.dtype)
    inside = [(max(0, -p), min(n, size - p)) for p, n, size in zip(place, shape, array.shape)]
    if all(low < high for low, high in inside):
        target = tuple(slice(low, high) for low, high in inside)
        out[target] = array[tuple(slice(p + low, p + high) for p, (low, high) in zip(place, inside))]
    return out


@xt.jit
def place_of(PLACES, i, shift):
    """The i-th place (y, x): a multiple of four, that the compiler can see, and `shift` further."""
    y = xt.load_tile(xt.init_tile(PLACES, (i, 0), (1, 1))).item() * 4 + shift
    x = xt.load_tile(xt.init_tile(PLACES, (i, 1), (1, 1))).item() * 4 + shift
    return y, x


@xt.jit
def loads(A, ODD, PLACES, Out, PADDING: xt.constexpr, MAP: xt.constexpr, SHAPE: xt.constexpr):
    """Out[v, i, 16, 32]: the tiles at all places of views of A[M, N] and of ODD, which no block message takes."""
    for i in range(PLACES.shape[0]):
        for v, (base, padding, shift) in enumerate(
            ((A, 0, 0), (A.T, 0, 0), (A, PADDING, 0), (A, 0, 1), (A.T, 0, 1), (ODD.T, PADDING, 0))
        ):
            tile = xt.init_tile(base, place_of(PLACES, i, shift), SHAPE, wg_map=MAP)
            value = xt.load_tile(tile, padding=padding).to(Out.dtype)
            xt.store_tile(value, xt.init_tile(Out[v, i], (0, 0), SHAPE, wg_map=MAP))


def loading(dtype: xt.DType, layout: str, out: xt.DType | None = None) -> Launch:
    wg_map, subgroups = MAPS[layout]
    a, odd = random(dtype, BLOCKS), random(dtype, ODD, 1)
    padding = True if dtype is xt.bool else float("-inf") if dtype in FLOATS else 3
    views = ((a, 0, 0), (a.T, 0, 0), (a, padding, 0), (a, 0, 1), (a.T, 0, 1), (odd.T, padding, 0))
    expected = np.stack([[window(base, tuple(4 * place + shift), TILE, pad) for place in QUARTERS] for base, pad, shift in views])
    expected = expected.astype((out or dtype).numpy)
    values = {"A": a, "ODD": odd, "PLACES": QUARTERS, "Out": np.zeros_like(expected)}
    labels = ("plain", "transposed", "padded", "inside of a word", "transposed inside of a word", "odd")
    return Launch(loads, values, {"Out": expected}, constants={"PADDING": padding, "MAP": wg_map, "SHAPE": TILE},
                  num_subgroups=subgroups, labels=labels, as_called=True)  # fmt: skip


@xt.jit
def stores(A, PLACES, Out, ODD, MAP: xt.constexpr, SHAPE: xt.constexpr):
    """A[16, 32] at the i-th place of Out[v, i, M, N], of its transposed view, and of ODD[i, M, N]."""
    value = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE, wg_map=MAP))
    for i in range(PLACES.shape[0]):
        for base, shift in ((Out[0, i], 0), (Out[1, i], 1), (Out[2, i].T, 0), (ODD[i], 0)):
            xt.store_tile(value, xt.init_tile(base, place_of(PLACES, i, shift), SHAPE, wg_map=MAP))


def storing(dtype: xt.DType, layout: str) -> Launch:
    wg_map, subgroups = MAPS[layout]
    a = random(dtype, TILE)
    plain, shifted, odd = (
        [window(a, tuple(-(4 * place + shift)), shape) for place in QUARTERS]
        for shape, shift in ((BLOCKS, 0), (BLOCKS, 1), (ODD, 0))
    )
    transposed = [window(a, tuple(-4 * place), BLOCKS[::-1]).T for place in QUARTERS]
    expected = {"Out": np.stack([plain, shifted, transposed]), "ODD": np.stack(odd)}
    values = {"A": a, "PLACES": QUARTERS, **{name: np.zeros_like(e) for name, e in expected.items()}}
    return Launch(stores, values, expected, constants={"MAP": wg_map, "SHAPE": TILE}, num_subgroups=subgroups)


@pytest.mark.covering
@pytest.mark.every(10, 1)
@pytest.mark.parametrize("launch", [loading, storing])
@pytest.mark.parametrize("dtype, layout", CASES)
def test_values(device, launch, dtype, layout):
    launch(dtype, layout).on_device(device)


@pytest.mark.covering
@pytest.mark.every(10, 5)
@pytest.mark.parametrize("launch", [loading, storing])
@pytest.mark.parametrize("dtype, layout", CASES)
def test_levels(launch, dtype, layout):
    launch(dtype, layout).at_levels()


@pytest.mark.every(4)
@pytest.mark.covering
@pytest.mark.parametrize("dtype", STORAGE, ids=str)
def test_f8_is_converted_on_load(device, dtype):
    launch = loading(dtype, "round robin", xt.f16)
    launch.on_device(device)


@pytest.mark.covering
@pytest.mark.every(4, 2)
@pytest.mark.parametrize("launch", [loading, storing])
@pytest.mark.parametrize(
    "dtype, layout, target",
    [(xt.i8, "inferred", "pvc"), (xt.bool, "round robin", "bmg"), (xt.f16, "shared", "bmg"), (xt.i64, "shared", "pvc"),
     (xt.f32, "inferred", "dg2"), (xt.f64, "inferred", "bmg")],
    ids=str,
)  # fmt: skip
def test_code(launch, dtype, layout, target):
    launch(dtype, layout).as_code(target)


@pytest.mark.slow
@ON_EVERY_TARGET
@pytest.mark.parametrize("launch", [loading, storing])
@pytest.mark.parametrize("dtype, layout", CASES)
def test_code_on_every_target(launch, dtype, layout, target):
    launch(dtype, layout).as_code_if_it_has_it(target)

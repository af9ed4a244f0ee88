"""Reductions, running sums and places of extremes over both axes, for every dtype, in every kind of layout.

The last tile ends outside of the array: padding takes part as the zeros that it is, or as the number that it was loaded with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests.ops.maps import MAPS, TILE
from tests.ops.numbers import FLOATS, INTEGERS, marks, random, small, specials
from tests.ops.run import EXACT, ON_EVERY_TARGET, Close, Launch

Reduction = tuple[str, Callable[[Any, int], Any], Callable[[np.ndarray, int], Any]]


def _kind(name: str, function: np.ufunc) -> Reduction:
    return name, lambda x, axis: xt.tile_reduce(name, x, axis), lambda x, axis: function.reduce(x, axis, dtype=x.dtype)


KINDS = {
    name: _kind(name, function)
    for name, function in (
        ("add", np.add), ("mul", np.multiply), ("max", np.maximum), ("min", np.minimum), ("maxnum", np.fmax), ("minnum", np.fmin),
        ("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor),
    )
}  # fmt: skip
BITS = ("and", "or", "xor")
SCANS = {
    "cumsum": (lambda x, axis: xt.cumsum(x, axis, dtype=x.dtype), lambda x, axis: np.cumsum(x, axis, dtype=x.dtype)),
    "argmax": (lambda x, axis: xt.argmax(x, axis).to(x.dtype), lambda x, axis: np.argmax(x, axis, keepdims=True)),
    "argmin": (lambda x, axis: xt.argmin(x, axis).to(x.dtype), lambda x, axis: np.argmin(x, axis, keepdims=True)),
    "sum of all": (lambda x, axis: xt.sum(x).to(x.dtype) + axis, lambda x, axis: x.sum() + axis),
    "max of all": (lambda x, axis: xt.max(x), lambda x, axis: x.max()),
}


@xt.jit
def reductions(A, Out, F: xt.constexpr, SHAPE: xt.constexpr, MAP: xt.constexpr):
    """Out[2 * f + axis]: F[f] of the tile at (3, 16) of A over each axis, stretched over the tile again."""
    value = xt.load_tile(xt.init_tile(A, (3, 16), SHAPE, wg_map=MAP))
    for f in xt.static_range(len(F)):
        for axis in xt.static_range(2):
            result = xt.tile_broadcast(F[f](value, axis), SHAPE)
            xt.store_tile(result, xt.init_tile(Out[2 * f + axis], (0, 0), SHAPE, wg_map=MAP))


def launch(table: dict[str, tuple[Any, Any]], a: np.ndarray, layout: str, close: Close = EXACT) -> Launch:
    wg_map, subgroups = MAPS[layout]
    tile = np.zeros(TILE, a.dtype)
    part = a[3:19, 16:48]
    tile[: part.shape[0], : part.shape[1]] = part
    rows = []
    with np.errstate(all="ignore"):
        for _, reference in table.values():
            for axis in (0, 1):
                result = np.asarray(reference(tile, axis))
                shaped = np.expand_dims(result, axis) if result.ndim == 1 else result
                rows.append(np.broadcast_to(shaped.astype(a.dtype), TILE))
    expected = np.stack(rows)
    labels = tuple(f"{name} over {axis}" for name in table for axis in (0, 1))
    constants = {"F": tuple(f for f, _ in table.values()), "SHAPE": TILE, "MAP": wg_map}
    values = {"A": a, "Out": np.zeros_like(expected)}
    return Launch(reductions, values, {"Out": expected}, constants=constants, num_subgroups=subgroups, close=close, labels=labels)


def kinds(dtype: xt.DType, layout: str) -> Launch:
    names = [n for n in KINDS if not (dtype in FLOATS and n in BITS)]
    if dtype is xt.bool:
        names = [n for n in names if n not in ("add", "mul", "maxnum", "minnum")]
    a = random(dtype, (17, 96)) if dtype in INTEGERS else small(dtype, (17, 96), limit=1)
    if dtype in FLOATS:
        a[a == 0] = 1  # products stay what every dtype holds
    return launch({n: KINDS[n][1:] for n in names}, a, layout)


def nans(dtype: xt.DType, layout: str) -> Launch:
    names = ("max", "min", "maxnum", "minnum")
    return launch({n: KINDS[n][1:] for n in names}, specials(dtype, (17, 96)), layout)


def scans(dtype: xt.DType, layout: str) -> Launch:
    return launch(SCANS, small(dtype, (17, 96), limit=3), layout)


CASES = [
    pytest.param(family, dtype, list(MAPS)[i % 3], marks=marks(dtype), id=f"{family.__name__}-{dtype}")
    for i, (family, dtype) in enumerate(
        [*((kinds, dtype) for dtype in (*INTEGERS, *FLOATS, xt.bool)), *((nans, dtype) for dtype in FLOATS),
         *((scans, dtype) for dtype in (xt.i32, xt.i64, xt.u16, xt.i8, *FLOATS))]
    )
]  # fmt: skip
CODE = [
    (kinds, xt.i32, "round robin", "pvc"), (kinds, xt.f32, "shared", "bmg"), (kinds, xt.f16, "inferred", "dg2"),
    (kinds, xt.bool, "shared", "pvc"), (nans, xt.bf16, "round robin", "bmg"), (scans, xt.f32, "round robin", "pvc"),
    (scans, xt.i64, "inferred", "bmg"), (scans, xt.i32, "inferred", "dg2"),
]  # fmt: skip


@pytest.mark.every(160, 10)
@pytest.mark.parametrize("family, dtype, layout", CASES)
def test_values(device, family, dtype, layout):
    family(dtype, layout).on_device(device)


@pytest.mark.every(11, 10)
@pytest.mark.parametrize("family, dtype, layout", CASES)
def test_levels(family, dtype, layout):
    family(dtype, layout).at_levels()


@pytest.mark.every(5, 3)
@pytest.mark.parametrize("family, dtype, layout, target", CODE)
def test_code(family, dtype, layout, target):
    family(dtype, layout).as_code(target)


@pytest.mark.slow
@ON_EVERY_TARGET
@pytest.mark.parametrize("family, dtype, layout", CASES)
def test_code_on_every_target(family, dtype, layout, target):
    family(dtype, layout).as_code_if_it_has_it(target)


@xt.jit(grid=(1,))
def without_nan(A, Larger, Largest, Smallest):
    x = xt.load_tile(xt.init_tile(A, (0, 0), (4, 20)))
    xt.store_tile(xt.fmax(x, 1.5), xt.init_tile(Larger, (0, 0), (4, 20)))
    xt.store_tile(xt.tile_reduce("maxnum", x, 1), xt.init_tile(Largest, (0, 0), (4, 1)))
    xt.store_tile(xt.tile_reduce("minnum", x, 1), xt.init_tile(Smallest, (0, 0), (4, 1)))


@pytest.mark.parametrize("dtype,bits", [("f2", 0x7D01), ("f4", 0x7FA97B7A), ("f8", 0x7FF4000000000001)])
def test_a_signalling_nan_is_no_number_either(device, dtype, bits):
    """numpy's fmax of short arrays gives NaN where one is, that of long arrays the other number."""
    a = np.full((4, 20), bits, f"i{dtype[1]}").view(dtype)
    a[:, 3], a[:, 7] = 2, 9
    larger, largest, smallest = np.zeros_like(a), np.zeros((4, 1), dtype), np.zeros((4, 1), dtype)
    with xt.device(device):
        without_nan(a, larger, largest, smallest)
    assert (larger == np.where(a == a, np.maximum(a, 1.5), 1.5)).all()
    assert (largest == 9).all() and (smallest == 2).all()

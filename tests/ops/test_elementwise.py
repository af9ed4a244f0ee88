"""Every operator and function of elements, for every dtype: on devices, at all levels, and as GPU code.

Each dtype has one kernel with all of its operations.  Arrays end inside of tiles, some tiles lie outside altogether.
"""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops import elementwise as tables
from tests.ops.elementwise import Op, table
from tests.ops.maps import MAPS, TILE
from tests.ops.numbers import EPSILON, FLOATS, INTEGERS, NUMBERS, SIGNED, nonzero, random, specials
from tests.ops.run import EXACT, ON_EVERY_TARGET, Close, Launch

SIZE, GRID = (36, 80), (4, 3)
TARGETS = ("pvc", "bmg", "dg2")


def launch(ops: tuple[Op, ...], arrays: list[np.ndarray], out: np.dtype, layout: str, close: Close = EXACT, wide: bool = False,
           via: xt.DType | None = None) -> Launch:  # fmt: skip
    """All of `ops` on three arrays; `wide`: numpy computes in float64 and rounds once."""
    operands = [x.astype(np.float64) for x in arrays] if wide else arrays
    with np.errstate(all="ignore"):
        expected = np.stack([np.asarray(op.numpy(*operands)).astype(out) for op in ops])
    wg_map, subgroups = MAPS[layout]
    values = {**dict(zip("ABC", arrays)), "Out": np.zeros(expected.shape, out)}
    constants = {"F": tuple(op.fn for op in ops), "SHAPE": TILE, "MAP": wg_map, "VIA": via}
    return Launch(table, values, {"Out": expected}, GRID, constants, subgroups, close, tuple(op.name for op in ops))


def integers(dtype: xt.DType, layout: str) -> Launch:
    ops = (*tables.ANY, *tables.INTEGER, *(tables.SIGNED_ONLY if dtype in SIGNED else ()))
    a, b, c = (random(dtype, SIZE, seed) for seed in range(3))
    b[::3] = a[::3]
    return launch(ops, [a, nonzero(b), c], dtype.numpy, layout)


def floats(dtype: xt.DType, layout: str) -> Launch:
    a, b, c = (random(dtype, SIZE, seed) for seed in range(3))
    b[::3] = a[::3]
    return launch((*tables.ANY, *tables.FLOAT), [a, nonzero(b), c], dtype.numpy, layout, Close(2 * EPSILON[dtype]))


def not_numbers(dtype: xt.DType, layout: str) -> Launch:
    arrays = [specials(dtype, SIZE, seed) for seed in range(3)]
    return launch((*tables.ANY, *tables.FLOAT, *tables.ENDLESS), arrays, dtype.numpy, layout, Close(2 * EPSILON[dtype]))


def functions(dtype: xt.DType, layout: str) -> Launch:
    arrays = [random(dtype, SIZE, seed, scale=2.0) for seed in range(3)]
    close = Close(max(1e-5, 4 * EPSILON[dtype]), max(1e-6, EPSILON[dtype]))
    return launch(tables.MATH, arrays, dtype.numpy, layout, close, wide=True)


def masks(dtype: xt.DType, layout: str) -> Launch:
    return launch(tables.BOOL, [random(dtype, SIZE, seed) for seed in range(3)], dtype.numpy, layout)


def rounded(dtype: xt.DType, layout: str) -> Launch:
    arrays = [random(xt.f16, SIZE, seed).astype(np.float32) for seed in range(3)]
    return launch((*tables.ANY, *tables.FLOAT), arrays, np.dtype(np.float32), layout, Close(EPSILON[dtype], 0.02), via=dtype)


FAMILIES = [
    *((integers, dtype) for dtype in INTEGERS),
    *((kind, dtype) for kind in (floats, not_numbers, functions) for dtype in FLOATS),
    (masks, xt.bool),
    (rounded, xt.tf32),
]  # fmt: skip
# Every family of three meets every layout and every target.
CASES = [
    pytest.param(family, dtype, list(MAPS)[i % 3], TARGETS[i // 2 % 3], id=f"{family.__name__}-{dtype}")
    for i, (family, dtype) in enumerate(FAMILIES)
]


@pytest.mark.every(336, 6)
@pytest.mark.parametrize("family, dtype, layout, target", CASES)
def test_values(device, family, dtype, layout, target):
    family(dtype, layout).on_device(device)


@pytest.mark.every(12, 10)
@pytest.mark.parametrize("family, dtype, layout, target", CASES)
def test_levels(family, dtype, layout, target):
    family(dtype, layout).at_levels("pvc")


def compiles(dtype: xt.DType, target: str) -> bool:
    """Whether a target has a dtype."""
    return not (target == "dg2" and dtype in (xt.f64, xt.tf32))


@pytest.mark.every(40, 20)
@pytest.mark.parametrize("family, dtype, layout, target", CASES)
def test_code(family, dtype, layout, target):
    # Without block messages a shared layout's stores are many branches: long to compile, and nothing new for elementwise ops.
    layout = "inferred" if target == "dg2" else layout
    family(dtype, layout).as_code(target if compiles(dtype, target) else "bmg")


@pytest.mark.slow
@ON_EVERY_TARGET
@pytest.mark.parametrize("family, dtype, layout, one", CASES)
def test_code_on_every_target(family, dtype, layout, one, target):
    family(dtype, "inferred" if target == "dg2" else layout).as_code_if_it_has_it(target)


assert {dtype for _, dtype in FAMILIES} >= set(NUMBERS)

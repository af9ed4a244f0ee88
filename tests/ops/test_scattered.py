"""Gathers, scatters and atomic updates: every dtype and kind, masks, edges, tiles that move, and addresses that meet."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops.maps import MAPS, TILE
from tests.ops.numbers import FLOATS, INTEGERS, random, small
from tests.ops.run import ON_EVERY_TARGET, Launch

KINDS = {
    "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "maxnum": np.fmax, "minnum": np.fmin,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "assign": lambda a, b: b,
}  # fmt: skip
ATOMICS = [xt.i32, xt.u32, xt.i64, xt.u64, xt.f32, xt.f64]


@xt.jit
def gathers(A, PLACES, Out, Scattered, n, SHAPE: xt.constexpr, MAP: xt.constexpr):
    """Elements of the slice A[1] by PLACES[16, 32], 63 to a row, where they are below n, and one further; the first go to Scattered."""
    places = xt.load_tile(xt.init_tile(PLACES, (0, 0), SHAPE, wg_map=MAP))
    tile = xt.init_tile(A[1], places // 63 * A.stride(1) + places % 63)
    for i in range(2):
        value = xt.load_gather(tile, places < n, padding=3)
        xt.store_tile(value, xt.init_tile(Out[i], (0, 0), SHAPE, wg_map=MAP))
        if i == 0:
            xt.store_scatter(value, xt.init_tile(Scattered, places), places >= 5)
        tile = xt.update_tile_offset(tile, 1)


def gathering(dtype: xt.DType, layout: str) -> Launch:
    wg_map, subgroups = MAPS[layout]
    a = random(dtype, (2, 12, 64))
    places = np.random.default_rng(5).permutation(TILE[0] * TILE[1]).reshape(TILE).astype(np.int32)
    three = np.array(3).astype(dtype.numpy)
    out = np.stack([np.where(places < 400, a[1, places // 63, places % 63 + i], three) for i in (0, 1)])
    scattered = np.zeros(520, dtype.numpy)
    scattered[places[places >= 5]] = out[0][places >= 5]
    values = {"A": a, "PLACES": places, "Out": np.zeros_like(out), "Scattered": np.zeros_like(scattered), "n": 400}
    return Launch(gathers, values, {"Out": out, "Scattered": scattered}, constants={"SHAPE": TILE, "MAP": wg_map},
                  num_subgroups=subgroups)  # fmt: skip


@xt.jit
def atomics(A, B, Old, KINDS: xt.constexpr, SHAPE: xt.constexpr, MAP: xt.constexpr):
    """A[k] combined with B[16, 32] by each kind, at (30, 16), so that some of it lies outside."""
    value = xt.load_tile(xt.init_tile(B, (0, 0), SHAPE, wg_map=MAP))
    for k in xt.static_range(len(KINDS)):
        old = xt.atomic_rmw_tile(KINDS[k], value, xt.init_tile(A[k], (30, 16), SHAPE, wg_map=MAP))
        xt.store_tile(old, xt.init_tile(Old[k], (30, 16), SHAPE, wg_map=MAP))


def updating(dtype: xt.DType, layout: str) -> Launch:
    wg_map, subgroups = MAPS[layout]
    kinds = tuple(k for k in KINDS if dtype not in FLOATS or k not in ("and", "or", "xor"))
    before, b = small(dtype, (len(kinds), 36, 96)), small(dtype, TILE, 1)
    after, old = before.copy(), np.zeros_like(before)
    for k, kind in enumerate(kinds):
        after[k, 30:, 16:48] = KINDS[kind](before[k, 30:, 16:48], b[:6])
        old[k, 30:, 16:48] = before[k, 30:, 16:48]
    values = {"A": before, "B": b, "Old": np.zeros_like(old)}
    return Launch(atomics, values, {"A": after, "Old": old}, constants={"KINDS": kinds, "SHAPE": TILE, "MAP": wg_map},
                  num_subgroups=subgroups, labels=kinds)  # fmt: skip


@xt.jit
def histogram(A, Counts, SHAPE: xt.constexpr, MAP: xt.constexpr):
    value = xt.load_tile(xt.init_tile(A, (xt.program_id(0) * SHAPE[0], 0), SHAPE, wg_map=MAP))
    xt.atomic_rmw_tile("add", 1, xt.init_tile(Counts, value), mask=value < 6)


def counting(dtype: xt.DType, layout: str) -> Launch:
    wg_map, subgroups = MAPS[layout]
    a = np.random.default_rng(2).integers(0, 9, (64, 32)).astype(np.int32)
    counts = (np.bincount(a.reshape(-1), minlength=9) * (np.arange(9) < 6)).astype(dtype.numpy)
    return Launch(histogram, {"A": a, "Counts": np.zeros_like(counts)}, {"Counts": counts}, (4,),
                  {"SHAPE": TILE, "MAP": wg_map}, subgroups)  # fmt: skip


CASES = [
    pytest.param(family, dtype, list(MAPS)[i % 3], id=f"{family.__name__}-{dtype}")
    for i, (family, dtype) in enumerate(
        [*((gathering, d) for d in (*INTEGERS, *FLOATS)), *((updating, d) for d in ATOMICS), *((counting, d) for d in ATOMICS)]
    )
]
CODE = [(gathering, xt.f16, "shared", "pvc"), (gathering, xt.i64, "inferred", "dg2"), (updating, xt.f32, "round robin", "bmg"),
        (updating, xt.i64, "shared", "pvc"), (updating, xt.u32, "inferred", "dg2"), (counting, xt.f32, "shared", "pvc")]  # fmt: skip


@pytest.mark.every(150, 10)
@pytest.mark.parametrize("family, dtype, layout", CASES)
def test_values(device, family, dtype, layout):
    family(dtype, layout).on_device(device)


@pytest.mark.every(12)
@pytest.mark.parametrize("family, dtype, layout", CASES)
def test_levels(family, dtype, layout):
    family(dtype, layout).at_levels()


@pytest.mark.every(6)
@pytest.mark.parametrize("family, dtype, layout, target", CODE)
def test_code(family, dtype, layout, target):
    family(dtype, layout).as_code(target)


@pytest.mark.slow
@ON_EVERY_TARGET
@pytest.mark.parametrize("family, dtype, layout", CASES)
def test_code_on_every_target(family, dtype, layout, target):
    family(dtype, layout).as_code_if_it_has_it(target)


@xt.jit
def updates_of_few(A, Out, Sums, SHAPE: xt.constexpr):
    """Fewer columns than lanes: several hold each element, one of which updates it. What was there is stored by all, and added up."""
    old = xt.atomic_rmw_tile("add", 5, xt.init_tile(A, (2, 3), SHAPE))
    Out[0 : 2 * SHAPE[0] : 2, 8 : 8 + 2 * SHAPE[1] : 2] = old.to(xt.i8)
    Sums[0 : SHAPE[0], 0:1] = xt.sum(old, 1)


@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("subgroups", [1, 8])
@pytest.mark.parametrize("shape", [(6, 3), (4, 1), (1, 5), (2, 2)], ids=str)
def test_what_an_update_found_is_known_to_all_lanes(shape, subgroups, target):
    a = np.random.default_rng(0).integers(1, 99, (13, 17)).astype(np.int64)
    rows, columns = shape
    part = (slice(2, 2 + rows), slice(3, 3 + columns))
    after, out, sums = a.copy(), np.zeros((16, 32), np.int8), np.zeros((8, 1), np.int64)
    after[part] += 5
    out[0 : 2 * rows : 2, 8 : 8 + 2 * columns : 2] = a[part]
    sums[:rows, 0] = a[part].sum(1)
    values = {"A": a, "Out": np.zeros_like(out), "Sums": np.zeros_like(sums)}
    expected = {"A": after, "Out": out, "Sums": sums}
    Launch(updates_of_few, values, expected, constants={"SHAPE": shape}, num_subgroups=subgroups).at_levels(target)

"""Conversions between all dtypes, bits read as other dtypes, f8 as storage."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops.maps import MAPS, TILE
from tests.ops.numbers import FLOATS, INTEGERS, STORAGE, marks, random, small
from tests.ops.run import ON_EVERY_TARGET, Launch

TARGETS = (*INTEGERS, *FLOATS, xt.bool)
SAME_BITS = {8: (xt.i8, xt.u8), 16: (xt.i16, xt.u16, xt.f16, xt.bf16), 32: (xt.i32, xt.u32, xt.f32), 64: (xt.i64, xt.u64, xt.f64)}


@xt.jit
def casts(A, Out, TO: xt.constexpr, SHAPE: xt.constexpr, MAP: xt.constexpr):
    """Out[i]: A[16, 32] as TO[i] and then, exactly, as f64."""
    value = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE, wg_map=MAP))
    for i in xt.static_range(len(TO)):
        xt.store_tile(value.to(TO[i]).to(Out.dtype), xt.init_tile(Out[i], (0, 0), SHAPE, wg_map=MAP))


def converting(dtype: xt.DType, layout: str, out: xt.DType = xt.f32) -> Launch:
    """To every dtype; values that all of them hold, or wrap to."""
    wg_map, subgroups = MAPS[layout]
    a = random(dtype, TILE) if dtype in INTEGERS[:2] else small(dtype, TILE, limit=100)
    a = np.abs(small(xt.f32, TILE, limit=15)).astype(dtype.numpy) if dtype in (*FLOATS, *STORAGE) else a
    expected = np.stack([a.astype(t.numpy).astype(out.numpy) for t in TARGETS])
    return Launch(casts, {"A": a, "Out": np.zeros_like(expected)}, {"Out": expected},
                  constants={"TO": TARGETS, "SHAPE": TILE, "MAP": wg_map}, num_subgroups=subgroups,
                  labels=tuple(f"to {t}" for t in TARGETS))  # fmt: skip


@xt.jit
def bits(A, Out, TO: xt.constexpr, SHAPE: xt.constexpr, MAP: xt.constexpr):
    """Out[i]: the bits of A as TO[i] and back."""
    value = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE, wg_map=MAP))
    for i in xt.static_range(len(TO)):
        other = value.bitcast(TO[i])
        other = xt.where(other == other, other, other)
        xt.store_tile(other.bitcast(Out.dtype), xt.init_tile(Out[i], (0, 0), SHAPE, wg_map=MAP))


def reading_bits(dtype: xt.DType, layout: str) -> Launch:
    wg_map, subgroups = MAPS[layout]
    a = random(dtype, TILE)
    others = SAME_BITS[dtype.bits]
    unsigned = next(t for t in others if t.kind == "u")
    expected = np.stack([a.view(unsigned.numpy)] * len(others))
    return Launch(bits, {"A": a, "Out": np.zeros_like(expected)}, {"Out": expected},
                  constants={"TO": others, "SHAPE": TILE, "MAP": wg_map}, num_subgroups=subgroups,
                  labels=tuple(f"as {t}" for t in others))  # fmt: skip


@xt.jit
def store_f8(A, Out, SHAPE: xt.constexpr, MAP: xt.constexpr):
    value = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE, wg_map=MAP))
    xt.store_tile(value.to(Out.dtype), xt.init_tile(Out, (0, 0), SHAPE, wg_map=MAP))


def storing_f8(dtype: xt.DType, layout: str) -> Launch:
    wg_map, subgroups = MAPS[layout]
    a = random(xt.f32, TILE)
    expected = a.astype(dtype.numpy)
    return Launch(store_f8, {"A": a, "Out": np.zeros_like(expected)}, {"Out": expected},
                  constants={"SHAPE": TILE, "MAP": wg_map}, num_subgroups=subgroups)  # fmt: skip


CASES = [
    pytest.param(family, dtype, list(MAPS)[i % 3], marks=marks(dtype), id=f"{family.__name__}-{dtype}")
    for i, (family, dtype) in enumerate(
        [*((converting, d) for d in (*INTEGERS, *FLOATS, *STORAGE, xt.bool)),
         *((reading_bits, d) for d in (xt.i8, xt.f16, xt.u16, xt.f32, xt.i64)), *((storing_f8, d) for d in STORAGE)]
    )
]  # fmt: skip


@pytest.mark.every(120, 1)
@pytest.mark.parametrize("family, dtype, layout", CASES)
def test_values(device, family, dtype, layout):
    family(dtype, layout).on_device(device)


@pytest.mark.every(6, 1)
@pytest.mark.parametrize("family, dtype, layout", CASES)
def test_levels(family, dtype, layout):
    family(dtype, layout).at_levels()


@pytest.mark.every(8, 5)
@pytest.mark.parametrize("family, dtype, layout", CASES[::2])
def test_code(family, dtype, layout):
    family(dtype, layout).as_code("pvc" if dtype.bits == 64 else "bmg")


@pytest.mark.slow
@ON_EVERY_TARGET
@pytest.mark.parametrize("family, dtype, layout", CASES)
def test_code_on_every_target(family, dtype, layout, target):
    family(dtype, layout).as_code_if_it_has_it(target)

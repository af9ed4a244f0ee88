"""Subgroups that diverge: each loads, computes, carries and stores its own part, on every device and at every level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import ON_EVERY_TARGET, Launch
from xetile.errors import LayoutError

TILE = (16, 32)
ROWS = xt.wg_map((4, 1), (4, 32))
ROUNDS = xt.wg_map((4, 1), (2, 32))  # two pieces each, eight rows apart
BLOCKS = xt.wg_map((2, 2), (8, 16))
SHARED = xt.wg_map((2, 2), (8, 32))  # the same for two subgroups
MAPS = {"rows": ROWS, "rounds": ROUNDS, "blocks": BLOCKS, "shared": SHARED}


def holds(name: str, subgroup: int) -> np.ndarray:
    """Which elements a subgroup holds, written out."""
    held = np.zeros(TILE, np.bool_)
    if name == "rows":
        held[subgroup * 4 : subgroup * 4 + 4] = True
    elif name == "rounds":
        for start in (subgroup * 2, subgroup * 2 + 8):
            held[start : start + 2] = True
    elif name == "blocks":
        held[subgroup // 2 * 8 :, subgroup % 2 * 16 :][:8, :16] = True
    else:
        held[subgroup // 2 * 8 :][:8] = True
    return held


def by_owner(name: str, of: Callable[[int], np.ndarray]) -> np.ndarray:
    """Each element as the first subgroup has it that holds it."""
    found = np.zeros(TILE, np.float32)
    for subgroup in reversed(range(4)):
        held = holds(name, subgroup)
        found[held] = np.broadcast_to(of(subgroup), TILE)[held]
    return found


@xt.jit
def stores_in_branches(A, Out, MAP: xt.constexpr):
    value = xt.load_tile(xt.init_tile(A, (0, 0), TILE, wg_map=MAP))
    tile = xt.init_tile(Out, (0, 0), TILE, wg_map=MAP)
    if xt.subgroup_id() % 2 == 0:
        xt.store_tile(value * 2, tile)
    elif xt.subgroup_id() == 1:
        xt.store_tile(value + 1, tile)


def stored_in_branches(a: np.ndarray, name: str) -> np.ndarray:
    return by_owner(name, lambda s: a * 2 if s % 2 == 0 else a + 1 if s == 1 else np.zeros_like(a))


@xt.jit
def carries(A, Out, MAP: xt.constexpr):
    """Loops of different lengths, a while and a branch, around values, tiles and loads."""
    tile = xt.init_tile(A, (0, 0), TILE, wg_map=MAP)
    total, place, left = xt.load_tile(tile), tile, xt.subgroup_id()
    for i in range(xt.subgroup_id()):
        total = total + xt.load_tile(place) * i
        place = xt.update_tile_offset(place, (1, 0))
    while left > 1:
        total = total * 2
        left = left - 1
    if xt.subgroup_id() > 2:
        total = total - 1
    else:
        total = total + xt.subgroup_id()
    xt.store_tile(total, xt.init_tile(Out, (0, 0), TILE, wg_map=MAP))


def carried_by(a: np.ndarray, s: int) -> np.ndarray:
    moved = [np.concatenate([a[i:], np.zeros_like(a[:i])]) * i for i in range(s)]
    total = (a + sum(moved)) * 2 ** max(0, s - 1)
    return total - 1 if s > 2 else total + s


@xt.jit
def atomics(A, Out, MAP: xt.constexpr):
    value = xt.load_tile(xt.init_tile(A, (0, 0), TILE, wg_map=MAP))
    tile = xt.init_tile(Out, (0, 0), TILE, wg_map=MAP)
    for _ in range(xt.subgroup_id()):
        xt.atomic_rmw_tile("add", value, tile)


@xt.jit
def scattered(A, Out, MAP: xt.constexpr):
    places = xt.arange(16)[:, None] * 32 + xt.arange(32)[None, :]
    value = xt.load_gather(xt.init_tile(A, places, wg_map=MAP), places >= 0)
    if xt.subgroup_id() != 2:
        xt.store_scatter(value + 1, xt.init_tile(Out, places, wg_map=MAP), places < 400)


def scattered_by(a: np.ndarray, s: int) -> np.ndarray:
    return np.where((np.arange(512).reshape(TILE) < 400) & (s != 2), a + 1, 0)


@xt.jit
def exchanges(A, Out, MAP: xt.constexpr):
    """What subgroups have computed each for itself is brought together by layout changes, transpositions and reductions."""
    value = xt.load_tile(xt.init_tile(A, (0, 0), TILE, wg_map=MAP))
    if xt.subgroup_id() > 1:
        value = value * 3
    else:
        value = value - xt.subgroup_id()
    columns = xt.sum(value, axis=0)
    moved = xt.tile_conv_layout(value, wg_map=xt.wg_map((1, 4), (16, 8)))
    transposed = xt.tile_transpose(xt.tile_transpose(value) + 1)
    result = xt.tile_conv_layout(moved + 0, wg_map=MAP) + columns + xt.tile_conv_layout(transposed, wg_map=MAP)
    xt.store_tile(result, xt.init_tile(Out, (0, 0), TILE, wg_map=MAP))


def exchanged(a: np.ndarray, name: str) -> np.ndarray:
    value = by_owner(name, lambda s: a * 3 if s > 1 else a - s)
    return value + value.sum(axis=0, keepdims=True) + value + 1


@xt.jit
def through_memory(A, Out, MAP: xt.constexpr):
    memory = xt.alloc_slm(TILE, xt.f32)
    value = xt.load_tile(xt.init_tile(A, (0, 0), TILE, wg_map=MAP))
    part = xt.init_tile(memory, (0, 0), TILE, wg_map=MAP)
    xt.store_tile(value, part)
    xt.barrier()
    if xt.subgroup_id() == 3:
        xt.store_tile(value * 5, part)
    xt.barrier()
    value = xt.load_tile(xt.init_tile(memory, (0, 0), TILE, wg_map=xt.wg_map((1, 4), (16, 8))))
    xt.store_tile(value, xt.init_tile(Out, (0, 0), TILE, wg_map=xt.wg_map((1, 4), (16, 8))))


@xt.jit
def products(A, Out, MAP: xt.constexpr):
    """The accumulator of a product that some subgroups go on with for longer."""
    acc, left = xt.zeros(TILE, xt.f32), xt.subgroup_id()
    b = xt.load_tile(xt.init_tile(A, (0, 0), (32, 32))).to(xt.bf16)
    while left >= 0:
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, 0), TILE)).to(xt.bf16), b, acc)
        left = left - 1
    xt.store_tile(acc, xt.init_tile(Out, (0, 0), TILE, wg_map=MAP))


def matrix() -> np.ndarray:
    return np.random.default_rng(3).integers(-4, 5, TILE).astype(np.float32)


def launches(name: str) -> dict[str, Launch]:
    a = matrix()
    cases: dict[str, tuple[Any, np.ndarray]] = {
        "stores": (stores_in_branches, stored_in_branches(a, name)),
        "carries": (carries, by_owner(name, lambda s: carried_by(a, s))),
        "scattered": (scattered, by_owner(name, lambda s: scattered_by(a, s))),
        "exchanges": (exchanges, exchanged(a, name)),
        "memory": (through_memory, by_owner(name, lambda s: a * 5 if s == 3 else a)),
        "products": (products, by_owner(name, lambda s: (a @ np.concatenate([a, np.zeros_like(a)])) * (s + 1))),
        "atomics": (atomics, by_owner(name, lambda s: a * s)),
    }
    out = np.zeros(TILE, np.float32)
    made = {}
    for kind, (kernel, expected) in cases.items():
        flat = kind == "scattered"
        values = {"A": a.reshape(-1) if flat else a, "Out": (out.reshape(-1) if flat else out).copy()}
        made[kind] = Launch(kernel, values, {"Out": expected.reshape(values["Out"].shape)}, constants={"MAP": MAPS[name]})
    return made


EACH = pytest.mark.parametrize("name", MAPS)
KINDS = pytest.mark.parametrize("kind", ["stores", "carries", "scattered", "exchanges", "memory", "products", "atomics"])


@pytest.mark.covering
@pytest.mark.every(30, 1)
@EACH
@KINDS
def test_values(device, kind, name):
    launches(name)[kind].on_device(device)


@pytest.mark.covering
@pytest.mark.every(2)
@EACH
@KINDS
def test_levels(kind, name):
    launches(name)[kind].at_levels()


@pytest.mark.covering
@EACH
@KINDS
def test_debug_mode_finds_nothing(kind, name):
    with xt.debug():
        launches(name)[kind].on_device("numpy")


@pytest.mark.slow
@ON_EVERY_TARGET
@EACH
@KINDS
def test_code_on_every_target(kind, name, target):
    launches(name)[kind].as_code_if_it_has_it(target)


def test_exchanges_that_some_miss_are_refused_on_numpy_too():
    @xt.jit
    def kernel(A):
        tile = xt.init_tile(A, (0, 0), TILE, wg_map=ROWS)
        if xt.subgroup_id() == 0:
            xt.store_tile(xt.tile_conv_layout(xt.load_tile(tile), wg_map=BLOCKS), xt.init_tile(A, (0, 0), TILE, wg_map=BLOCKS))

    with xt.device("numpy"), pytest.raises(LayoutError, match="not all subgroups take"):
        kernel[(1,)](matrix())


def test_each_subgroup_that_comes_there_prints(device, capfd):
    @xt.jit
    def kernel(A):
        if xt.subgroup_id() > 1:
            xt.device_print("here")
        if xt.program_id(0) == 0:
            xt.device_print("all")

    with xt.device(device):
        kernel[(1,)](np.zeros(16, np.float32), num_subgroups=4)
    assert sorted(capfd.readouterr().out.split()) == ["all", "here", "here"]

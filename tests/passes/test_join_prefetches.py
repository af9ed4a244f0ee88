"""One prefetch for all operands of a step: parts of the subgroups bring one tile each. Right at every level, on devices and simulators."""

import re

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from xetile.passes.workgroup.layouts.choose import choose_shared_prefetch
from xetile.target import get_target

PVC = get_target("pvc")
ROWS = (1, 0)


@xt.jit(grid=lambda C: (xt.cdiv(C.shape[1], 64), xt.cdiv(C.shape[0], 64)))
def product(A, B, C, BK: xt.constexpr = 32, ACC: xt.constexpr = xt.f32):
    """C = A @ B."""
    m, n = xt.program_id(1) * 64, xt.program_id(0) * 64
    a, b = xt.init_tile(A, (m, 0), (64, BK)), xt.init_tile(B, (0, n), (BK, 64))
    acc = xt.zeros((64, 64), ACC)
    for _ in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a, b = xt.update_tile_offset(a, (0, BK)), xt.update_tile_offset(b, (BK, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (64, 64)))


def launch(m, n, k, kinds=("f16", "f16"), targets=("pvc",), subgroups=8):
    rng = np.random.default_rng(m + n + k)
    types = {"f16": np.float16, "i8": np.int8, "u8": np.uint8}
    whole = kinds[0] != "f16"
    low = [0 if kind == "u8" else -4 for kind in kinds]
    a, b = (rng.integers(lo, 5, shape).astype(types[kind]) for lo, shape, kind in zip(low, ((m, k), (k, n)), kinds))
    exact = (a.astype(np.int64) @ b.astype(np.int64)).astype(np.int32 if whole else np.float32)
    constants = {"BK": 64, "ACC": xt.i32} if whole else {}
    grid = (-(-n // 64), -(-m // 64))
    return Launch(product, {"A": a, "B": b, "C": np.zeros_like(exact)}, {"C": exact}, grid, constants, subgroups, targets=targets)


def prefetches(text):
    """How many prefetches stand in the loop, and how many in front of it."""
    before, inside = text.split("scf.for", 1)
    return inside.count("prefetch_nd"), before.count("prefetch_nd")


@pytest.mark.parametrize("kinds", [("f16", "f16"), ("i8", "u8")])
def test_one_message_a_step_with_a_selected_descriptor(kinds):
    text = launch(64, 64, 64, kinds).compiled("pvc").ir["xegpu"]
    assert prefetches(text) == (1, PVC.prefetch_distance)
    before, inside = text.split("scf.for", 1)
    assert "arith.select" in before and "arith.select" not in inside
    assert re.search(r"arith\.select .*tensor_desc", before)


@pytest.mark.parametrize(("m", "n", "k"), [(64, 64, 64), (72, 40, 24), (33, 65, 31), (64, 64, 0), (1, 8, 8)])
def test_at_levels(m, n, k):
    launch(m, n, k).at_levels("pvc")


@pytest.mark.every(2)
@pytest.mark.parametrize("kinds", [("f16", "f16"), ("i8", "u8")])
def test_on_the_cpu_by_emulation(kinds):
    launch(72, 40, 96, kinds).on_device("cpu", "pvc")


@pytest.mark.every(6, 1)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize(("m", "n", "k"), [(72, 40, 24), (33, 65, 31), (64, 64, 0)])
def test_no_array_gets_an_illegal_block(target, m, n, k):
    """The simulator refuses payloads of widths, pitches or bases that hardware does not take."""
    launch(m, n, k, targets=(target,)).on_device(f"sim:{target}")


def test_an_array_without_block_messages_is_not_joined():
    compiled = product.compile("f16[?,?]", "f16[?,?;scattered]", "f32[?,?]", target="pvc", num_subgroups=8)
    assert "prefetch_tiles" not in compiled.ir["layout"]
    assert prefetches(compiled.ir["xegpu"])[0] == 1


def test_joined_only_where_that_saves_messages():
    halves = choose_shared_prefetch((((256, 32), ROWS), ((32, 256), ROWS)), 2, 32, PVC)
    assert halves is not None and [layout.sg_data for layout in halves] == [(16, 32), (16, 32)]
    assert [layout.num_subgroups for layout in halves] == [32, 32]
    # One subgroup has no parts; with a tile each of three messages instead of one nothing is saved.
    assert choose_shared_prefetch((((256, 32), ROWS), ((32, 256), ROWS)), 2, 1, PVC) is None
    assert choose_shared_prefetch((((64, 256), ROWS), ((8, 8), ROWS)), 2, 2, PVC) is None


def test_each_part_of_the_subgroups_has_the_whole_tile():
    shapes = ((256, 32), (32, 256), (64, 64), (128, 32))
    for first in shapes:
        for second in shapes:
            found = choose_shared_prefetch(((first, ROWS), (second, ROWS)), 2, 16, PVC)
            for part, (layout, shape) in enumerate(zip(found or (), (first, second))):
                rows, columns = layout.sg_data
                across = layout.sg_layout[1]
                places = {(i // across * rows % shape[0], i % across * columns % shape[1]) for i in range(part * 8, part * 8 + 8)}
                assert len(places) * rows * columns == shape[0] * shape[1]


@xt.jit(grid=lambda Y: (1,))
def chosen(X, Y, flag: xt.i32):
    """Y[0, :] = the sum of every row of X, or of every second one from row 1 on, by a flag that the loop does not change."""
    total = xt.zeros((1, 16), xt.f32)
    for i in range(4):
        total += xt.load_tile(xt.init_tile(X, (xt.where(flag > 0, i, 2 * i + 1), 0), (1, 16)))
    xt.store_tile(total, xt.init_tile(Y, (0, 0), (1, 16)))


@pytest.mark.parametrize("flag", [0, 1])
def test_a_selected_sum_is_carried(flag):
    x = np.arange(128, dtype=np.float32).reshape(8, 16)
    exact = (x[:4] if flag else x[1::2]).sum(0, keepdims=True)
    given = Launch(chosen, {"X": x, "Y": np.zeros_like(exact), "flag": flag}, {"Y": exact}, num_subgroups=1)
    _, inside = given.compiled("pvc").ir["lane"].split("scf.for", 1)
    assert "arith.select" not in inside
    given.at_levels("pvc")
    given.on_device("cpu", "pvc")

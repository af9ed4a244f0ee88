"""Where tiles begin: block messages write only tiles that never begin inside of a 32-bit word, read others from the word on, and need memory
that keeps their rules.
"""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import uncompiled
from xetile.dialects import xetile
from xetile.passes.analysis.block_access import BlockAccess
from xetile.runtime.compiler import trace
from xetile.target import get_target

TILE = (16, 32)


def ops_of(kernel: object, *types: str, **constants: object) -> dict[str, int]:
    """How often each kind of message occurs."""
    compiled = xt.jit(kernel).compile(*types, target="pvc", num_subgroups=1, **constants)
    lines = compiled.ir["lane"].splitlines()
    names = ("load_nd", "store_nd", "xegpu.load ", "xegpu.store ", "transpose =", "gpu.shuffle ")
    return {name.strip(" ="): sum(name in line for line in lines) for name in names}


def at(A, Out, n, WHERE: xt.constexpr):
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), TILE)), xt.init_tile(Out, (n, WHERE(n)), TILE))


@xt.jit
def larger(n):
    return n * 8 if n > 3 else 12


@xt.jit
def either(n):
    return n * 8 if n > 3 else n


ALIGNED = [
    lambda n: 0,
    lambda n: n * 4,
    lambda n: n // 4 * 4,
    lambda n: xt.program_id(0) * 64 - 4,
    lambda n: (n << 2) & 255,
    lambda n: xt.cdiv(n, 3) * 12,
    lambda n: xt.minimum(n * 8, 64) + n * 4,
    lambda n: (n * 16) // 4,
    lambda n: (n * 4).to(xt.i64),
    larger,
]
UNKNOWN = [
    lambda n: n,
    lambda n: n * 4 + 2,
    lambda n: n * 2,
    lambda n: n // 4,
    lambda n: (n * 4) // 2,
    either,
    lambda n: xt.program_id(0) * 63,
]


@pytest.mark.parametrize("number", range(len(ALIGNED)))
def test_known_multiples_use_block_messages(number):
    found = ops_of(at, "i8[?,?]", "i8[?,?]", "i32", WHERE=ALIGNED[number])
    assert found["store_nd"] and not found["xegpu.store"]


@pytest.mark.every(2)
@pytest.mark.parametrize("number", range(len(UNKNOWN)))
def test_other_places_are_written_element_by_element(number):
    found = ops_of(at, "i8[?,?]", "i8[?,?]", "i32", WHERE=UNKNOWN[number])
    assert found["xegpu.store"] and not found["store_nd"]


@pytest.mark.parametrize("where, rest", [
    (lambda n: n * 4 + 1, 1), (lambda n: n * 8 - 1, 3), (lambda n: xt.program_id(0) * 64 - 6, 2), (lambda n: (n * 8 + 6) >> 1, 3),
    (lambda n: (n * 4 + 3) * 3, 1), (lambda n: xt.minimum(n * 8 + 3, 7), 3), (lambda n: (n * 4 + 3) & 253, 1), (lambda n: (n | 1) & 1, None),
    (lambda n: n * 4 % 12 + 3, 3), (lambda n: (n * 16 - 4) // 4, 3), (lambda n: (n * 4 + 1).to(xt.i64) - 2, 3), (lambda n: 2 * n + 1, None),
    (lambda n: xt.where(n > 3, 5, 9), 1), (lambda n: xt.where(n > 3, 5, 7), None), (lambda n: n % 4, None),
])  # fmt: skip
def test_how_many_elements_behind_a_word(where, rest):
    request = uncompiled(xt.jit(read_at), "i8[?,?]", "i8[?,?]", "i32", target="pvc", num_subgroups=1, WHERE=where).request
    module, target = trace(request), get_target("pvc")
    (load,) = module.find(xetile.LoadTile)
    assert BlockAccess(module, target).behind_word(load.tile) == rest


def read_at(A, Out, n, WHERE: xt.constexpr):
    xt.store_tile(xt.load_tile(xt.init_tile(A, (n, WHERE(n)), TILE)), xt.init_tile(Out, (0, 0), TILE))


def test_counters_of_loops_keep_their_first_place():
    def kernel(A, Out, n, FIRST: xt.constexpr, STEP: xt.constexpr):
        total = xt.zeros(TILE, xt.f16)
        for i in range(FIRST, n, STEP):
            total += xt.load_tile(xt.init_tile(A, (0, i), TILE))
        xt.store_tile(total, xt.init_tile(Out, (0, 0), TILE))

    for first, step, rest in ((1, 2, 1), (3, 16, 1), (2, 2, 0), (1, 3, None), (0, 1, None)):
        request = uncompiled(
            xt.jit(kernel), "f16[?,?]", "f16[?,?]", "i32", target="pvc", num_subgroups=1, FIRST=first, STEP=step
        ).request
        module = trace(request)
        (load,) = module.find(xetile.LoadTile)
        assert BlockAccess(module, get_target("pvc")).behind_word(load.tile) == rest


def test_the_rule_depends_on_the_width_of_elements():
    def where(n):
        return n * 2

    for dtype, block in (("i8", False), ("f16", True), ("f32", True)):
        assert bool(ops_of(at, f"{dtype}[?,?]", f"{dtype}[?,?]", "i32", WHERE=where)["store_nd"]) == block
    assert ops_of(at, "f32[?,?]", "f32[?,?]", "i32", WHERE=lambda n: n)["store_nd"]


def test_carried_places():
    def kernel(A, Out, n, STEP: xt.constexpr):
        tile, x = xt.init_tile(A, (0, 0), TILE), 0
        total = xt.zeros(TILE, xt.f16)
        for i in range(0, n, 4):
            total += xt.load_tile(tile) + xt.load_tile(xt.init_tile(A, (0, x + i), TILE))
            tile = xt.update_tile_offset(tile, (1, STEP))
            x += STEP
        xt.store_tile(total, xt.init_tile(Out, (0, 0), TILE))

    for step, shifts in ((8, False), (7, True)):
        found = ops_of(kernel, "f16[?,?]", "f16[?,?]", "i32", STEP=step)
        assert not found["xegpu.load"] and bool(found["gpu.shuffle"]) == shifts


def transposed(A, Out, n, STEP: xt.constexpr):
    xt.store_tile(xt.load_tile(xt.init_tile(A.T, (n * STEP, 0), TILE)), xt.init_tile(Out, (0, 0), TILE))


@pytest.mark.covering
@pytest.mark.every(4, 3)
@pytest.mark.parametrize("n", [-3, -1, 0, 1, 5])
@pytest.mark.parametrize("step", [1, 2])
def test_transposing_loads_begin_anywhere(n, step):
    a = np.arange(64 * 64, dtype=np.float16).reshape(64, 64) % 251
    rows = np.arange(n * step, n * step + 16)
    expected = np.where((rows >= 0)[:, None], a.T[rows][:, :32], 0).astype(np.float16)
    launch = Launch(
        xt.jit(transposed), {"A": a, "Out": np.zeros(TILE, np.float16), "n": n}, {"Out": expected}, constants={"STEP": step},
        num_subgroups=1,
    )  # fmt: skip
    for device in ("numpy", "cpu"):
        launch.on_device(device)
    launch.at_levels()
    assert ops_of(transposed, "f16[?,?]", "f16[?,?]", "i32", STEP=step)["transpose"]


def resized(A, Out, n, SHAPE: xt.constexpr, STRIDES: xt.constexpr):
    tile = xt.init_tile(A, (0, 0), TILE, base_shape=SHAPE(A, n), base_strides=STRIDES(A, n))
    xt.store_tile(xt.load_tile(tile), xt.init_tile(Out, (0, 0), TILE))


@pytest.mark.parametrize(
    "shape, strides, block",
    [
        (lambda A, n: A.shape, lambda A, n: (A.stride(0), 1), True),
        (lambda A, n: (64, 64), lambda A, n: (64, 1), True),
        (lambda A, n: (n, 64), lambda A, n: (64, 1), False),
        (lambda A, n: A.shape, lambda A, n: (n, 1), False),
        (lambda A, n: (64, 63), lambda A, n: (64, 1), False),
        (lambda A, n: (64, 16), lambda A, n: (64, 1), False),
        (lambda A, n: (64, 64), lambda A, n: (60, 1), False),
    ],
)
def test_sizes_that_the_kernel_gives_must_keep_the_rules(shape, strides, block):
    found = ops_of(resized, "f16[?,?]", "f16[?,?]", "i32", SHAPE=shape, STRIDES=strides)
    assert bool(found["load_nd"]) == block and bool(found["xegpu.load"]) != block


def test_arrays_of_known_and_of_rank_1_shape_keep_block_messages():
    def row(A, Out):
        xt.store_tile(xt.load_tile(xt.init_tile(A, 32, (64,))), xt.init_tile(Out, 0, (64,)))

    def column(A, Out):
        xt.store_tile(xt.load_tile(xt.init_tile(A, 32, (64, 1))), xt.init_tile(Out, (0, 0), (64, 1)))

    def plain(A, Out):
        xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 32), TILE)), xt.init_tile(Out, (0, 0), TILE))

    assert ops_of(plain, "f16[?,64]", "f16[64,64]")["load_nd"]
    assert ops_of(row, "f16[?]", "f16[?]")["load_nd"]
    assert not ops_of(plain, "f16[64,63]", "f16[64,64]")["load_nd"]
    assert ops_of(column, "f32[?]", "f32[?,?]")["xegpu.store"]

"""Tiles that begin inside of a 32-bit word: block messages bring them from the word on, lanes move them (passes/block/shifted)."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests import tools
from tests.ops.run import Launch

BF16, F8 = np.dtype(ml_dtypes.bfloat16), np.dtype(ml_dtypes.float8_e4m3fn)
NARROW = [np.dtype(d) for d in (np.float16, np.int8, np.uint8, np.bool_)] + [BF16, F8]
KNOWN = [lambda n: n * 4 + 1, lambda n: n * 4 - 1, lambda n: n * 4 + 2]
"""Places whose rest by whole words is known: 1, 3 and 2 bytes, or elements of two bytes."""
ANY = [lambda n: n, lambda n: n * 2 + 1]
ROWS, COLUMNS = 40, 96


def numbers(dtype: np.dtype, shape: tuple[int, int] = (ROWS, COLUMNS), seed: int = 0) -> np.ndarray:
    found = np.random.default_rng(seed).integers(0, 2 if dtype == np.bool_ else 9, shape)
    return (found - 4 * (np.dtype(dtype).kind not in "ub")).astype(dtype)


def part(a: np.ndarray, y: int, x: int, shape: tuple[int, int], padding: Any = 0) -> np.ndarray:
    """What a tile has at a place, also in front of the array and behind its end."""
    rows, columns = np.arange(y, y + shape[0])[:, None], np.arange(x, x + shape[1])[None, :]
    inside = (rows >= 0) & (rows < a.shape[0]) & (columns >= 0) & (columns < a.shape[1])
    found = np.full(shape, padding).astype(a.dtype)
    found[inside] = a[np.broadcast_to(rows, shape)[inside], np.broadcast_to(columns, shape)[inside]]
    return found


@xt.jit
def copied(A, Out, y, n, AT: xt.constexpr, SHAPE: xt.constexpr):
    xt.store_tile(xt.load_tile(xt.init_tile(A, (y, AT(n)), SHAPE)), xt.init_tile(Out, (0, 0), SHAPE))


def copy_of(dtype: np.dtype, place: Any, n: int, y: int = 0, shape: tuple[int, int] = (16, 32)) -> Launch:
    a, kind = numbers(dtype), np.dtype(np.float16) if dtype == F8 else dtype  # what is loaded of f8 is f16
    expected = part(a, y, place(n), shape).astype(kind)
    return Launch(copied, {"A": a, "Out": np.zeros(shape, kind), "y": y, "n": n}, {"Out": expected},
                  constants={"AT": place, "SHAPE": shape})  # fmt: skip


def messages(launch: Launch, target: str = "pvc") -> dict[str, int]:
    lines = launch.compiled(target).ir["lane"].splitlines()
    return {name: sum(f"{name} " in line for line in lines) for name in ("xegpu.load_nd", "xegpu.load", "gpu.shuffle")}


@pytest.mark.every(36, 2)
@pytest.mark.parametrize("dtype", NARROW, ids=str)
@pytest.mark.parametrize("place", [*KNOWN, *ANY], ids=["1", "-1", "2", "any", "odd"])
def test_tiles_come_by_block_messages(dtype, place):
    for n, y in ((0, 0), (5, 3), (-3, -2), (21, 30)):
        launch = copy_of(dtype, place, n, y)
        launch.on_device("numpy")
        launch.on_device("cpu", "pvc")
    launch.at_levels()
    found = messages(launch)
    assert found["xegpu.load_nd"] and not found["xegpu.load"]


@pytest.mark.every(36, 4)
@pytest.mark.parametrize("device", ["sim:bmg", pytest.param("sim:pvc", marks=pytest.mark.slow)])
@pytest.mark.parametrize("dtype", NARROW, ids=str)
@pytest.mark.parametrize("place", [*KNOWN, *ANY], ids=["1", "-1", "2", "any", "odd"])
def test_tiles_on_simulated_gpus(device, dtype, place):
    tools.require_tool("ocloc")
    for n, y, shape in ((5, 3, (16, 32)), (-3, -2, (4, 64)), (20, 30, (64, 16))):
        copy_of(dtype, place, n, y, shape).on_device(device)


def test_whole_words_do_not_move():
    assert not messages(copy_of(np.dtype(np.float16), KNOWN[2], 3))["gpu.shuffle"]
    assert not messages(copy_of(np.dtype(np.int8), lambda n: n * 4, 3))["gpu.shuffle"]


@pytest.mark.parametrize("rows, blocks", [(1, False), (2, False), (4, True), (8, True)])
def test_few_rows_of_bytes_come_one_by_one(rows, blocks):
    """Messages bring eight rows of them at least."""
    found = messages(copy_of(np.dtype(np.int8), KNOWN[0], 1, shape=(rows, 64)))
    assert (bool(found["xegpu.load_nd"]), bool(found["xegpu.load"])) == (blocks, not blocks)


def test_the_text(golden):
    launch = copy_of(np.dtype(np.float16), KNOWN[0], 1, shape=(8, 16))
    ir = launch.compiled().ir
    golden("levels/shifted_tile.mlir", f"// xegpu\n{ir['xegpu']}\n\n// lane\n{ir['lane']}")


@xt.jit
def padded(A, Out, n, AT: xt.constexpr, SHAPE: xt.constexpr):
    xt.store_tile(xt.load_tile(xt.init_tile(A, (-3, AT(n)), SHAPE), padding=7), xt.init_tile(Out, (0, 0), SHAPE))


@xt.jit
def moved(A, Out, n, STEP: xt.constexpr, SHAPE: xt.constexpr):
    total, tile = xt.zeros(SHAPE, xt.f32), xt.init_tile(A, (0, 1), SHAPE)
    for _ in range(n):
        total += xt.load_tile(tile).to(xt.f32)
        tile = xt.update_tile_offset(tile, (1, STEP))
    xt.store_tile(total, xt.init_tile(Out, (0, 0), SHAPE))


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", [np.dtype(np.float16), np.dtype(np.int8)], ids=str)
@pytest.mark.parametrize("device, target", [("numpy", None), ("cpu", "pvc")])
def test_padding_lies_beside_the_array(dtype, device, target):
    shape, a = (16, 32), numbers(dtype)
    for place in (KNOWN[1], ANY[0]):
        for n in (-2, 19):
            expected = part(a, -3, place(n), shape, 7)
            launch = Launch(padded, {"A": a, "Out": np.zeros(shape, dtype), "n": n}, {"Out": expected},
                            constants={"AT": place, "SHAPE": shape})  # fmt: skip
            launch.on_device(device, target)


@pytest.mark.every(4)
@pytest.mark.parametrize("step", [2, 3, 4, -1])
@pytest.mark.parametrize("device, target", [("numpy", None), ("cpu", "pvc")])
def test_tiles_that_loops_move(device, target, step):
    shape, a = (16, 32), numbers(np.dtype(np.float16))
    expected = sum(part(a, i, 1 + i * step, shape).astype(np.float32) for i in range(5))
    launch = Launch(moved, {"A": a, "Out": np.zeros(shape, np.float32), "n": 5}, {"Out": expected},
                    constants={"STEP": step, "SHAPE": shape})  # fmt: skip
    launch.on_device(device, target)
    assert not messages(launch)["xegpu.load"]


@xt.jit
def multiplied(A, B, C, n, A_AT: xt.constexpr, B_AT: xt.constexpr, A_TURNED: xt.constexpr, B_TURNED: xt.constexpr):
    """C = A @ B, of which either may be a view with rows and columns exchanged."""
    a = xt.load_tile(xt.init_tile(A.T, (A_AT(n), 3), (32, 32)) if A_TURNED else xt.init_tile(A, (3, A_AT(n)), (32, 32)))
    b = xt.load_tile(xt.init_tile(B.T, (B_AT(n), -2), (32, 32)) if B_TURNED else xt.init_tile(B, (-2, B_AT(n)), (32, 32)))
    xt.store_tile(xt.tile_mma(a, b), xt.init_tile(C, (0, 0), (32, 32)))


def product(dtype: np.dtype, turned: tuple[bool, bool], places: tuple[Any, Any], n: int, subgroups: int | None) -> Launch:
    a, b = numbers(dtype), numbers(dtype, seed=1)
    tiles = [(part(x.T, at(n), other, (32, 32)) if is_turned else part(x, other, at(n), (32, 32)))
             for x, at, is_turned, other in zip((a, b), places, turned, (3, -2))]  # fmt: skip
    kind = np.int32 if dtype.kind in "iu" else np.float32
    expected = (tiles[0].astype(np.float64) @ tiles[1].astype(np.float64)).astype(kind)
    constants = {"A_AT": places[0], "B_AT": places[1], "A_TURNED": turned[0], "B_TURNED": turned[1]}
    return Launch(multiplied, {"A": a, "B": b, "C": np.zeros((32, 32), kind), "n": n}, {"C": expected}, constants=constants,
                  num_subgroups=subgroups)  # fmt: skip


TURNED = pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)], ids=str)
PLACES = pytest.mark.parametrize("places", [
    (KNOWN[0], lambda n: n * 4), (lambda n: n * 4, KNOWN[1]), (KNOWN[2], KNOWN[0]), (ANY[0], lambda n: n * 4), (lambda n: n * 4, ANY[1]),
], ids=["a", "b", "both", "any a", "odd b"])  # fmt: skip
DTYPES = pytest.mark.parametrize("dtype", [np.dtype(np.float16), BF16, np.dtype(np.int8), np.dtype(np.uint8)], ids=str)


@pytest.mark.every(80, 3)
@TURNED
@PLACES
@DTYPES
def test_operands_of_products(dtype, places, turned):
    for n, subgroups in ((4, 1), (-2, None), (18, None)):
        launch = product(dtype, turned, places, n, subgroups)
        launch.on_device("numpy")
        launch.on_device("cpu", "pvc")
    by_bytes = turned[0] and dtype.itemsize == 1  # no message gives lanes two bytes of a row each of what memory has by columns
    assert bool(messages(launch)["xegpu.load"]) == by_bytes


@pytest.mark.every(120, 6)
@pytest.mark.parametrize("device", ["sim:bmg", pytest.param("sim:pvc", marks=pytest.mark.slow)])
@TURNED
@PLACES
@DTYPES
def test_operands_of_products_on_simulated_gpus(device, dtype, places, turned):
    tools.require_tool("ocloc")
    for n, subgroups in ((4, 1), (-2, None)):
        product(dtype, turned, places, n, subgroups).on_device(device)


@xt.jit
def of_prefetched(A, B, C, DEPTH: xt.constexpr = 32):
    total = xt.zeros((64, 64), xt.f32)
    for k in range(0, A.shape[1], DEPTH):
        total += xt.load_tile(xt.init_tile(A, (0, k), (64, DEPTH))) @ xt.load_tile(xt.init_tile(B, (k, 1), (DEPTH, 64)))
    xt.store_tile(total, xt.init_tile(C, (0, 0), (64, 64)))


def test_what_is_shifted_is_prefetched():
    lowered = of_prefetched.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target="pvc").ir["lane"]
    assert "prefetch_nd" in lowered and "xegpu.load " not in lowered

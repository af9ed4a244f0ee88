"""Operands whose rows change places in registers, of sizes that are no powers of two: also of such that padding rounds up."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.passes.parity import traced
from xetile.passes.manager import run
from xetile.passes.workgroup.memory.repeat_rows import repeat_rows
from xetile.passes.workgroup.numbers.split_words import split_words
from xetile.passes.workgroup.products.accumulate_products import accumulate_products
from xetile.passes.workgroup.products.join_columns import join_columns
from xetile.passes.workgroup.products.split_columns import split_columns
from xetile.target import get_target


def halves_of(W, k, depth, columns):
    w = xt.load_tile(xt.init_tile(W, (k // 2, 0), (depth // 2, columns)))
    return (w & 15).to(xt.f16) - 8, (w >> 4).to(xt.f16) - 8


def rows_by_turns(W, k, depth, columns):
    low, high = halves_of(W, k, depth, columns)
    return xt.interleave(low.T, high.T).T


def rows_beside(W, k, depth, columns):
    return xt.concatenate(halves_of(W, k, depth, columns), 0)


def columns_by_turns(W, k, depth, columns):
    w = xt.load_tile(xt.init_tile(W, (k, 0), (depth, columns // 2)))
    return xt.interleave((w & 15).to(xt.f16) - 8, (w >> 4).to(xt.f16) - 8)


def words_of_a_tile(W, k, depth, columns):
    words, rows = xt.load_tile(xt.init_tile(W, (k // 8, 0), (depth // 8, columns))), xt.arange(depth)
    return ((words[rows // 8] >> (rows % 8 * 4)[:, None]) & 15).to(xt.f16) - 8


def words_gathered(W, k, depth, columns):
    """Of an array of one dimension, one row after the other."""
    rows = (k + xt.arange(depth))[:, None]
    words = xt.load_gather(xt.init_tile(W, rows // 8 * columns + xt.arange(columns)[None, :]))
    return ((words >> rows % 8 * 4) & 15).to(xt.f16) - 8


def _by_turns(low, high, depth):
    return np.stack([low, high], 1).reshape(-1, low.shape[1])


def _beside(low, high, depth):
    parts = zip(*(np.split(part, len(part) // (depth // 2)) for part in (low, high)), strict=True)
    return np.concatenate([part for both in parts for part in both])


def _of_words(words):
    return (words[:, None, :] >> (np.arange(8) * 4)[None, :, None] & 15).reshape(-1, words.shape[1])


HALVES = {"rows by turns": (rows_by_turns, _by_turns), "rows beside": (rows_beside, _beside)}
WORDS = {"words of a tile": words_of_a_tile, "words gathered": words_gathered}
FORMS = [*HALVES, *WORDS, "columns by turns"]
WHOLE = [(48, 96, 96), (96, 96, 48), (24, 32, 160)]
"""Rows, columns and depth that no padding changes."""
ROUNDED = [(40, 40, 40), (64, 64, 24), (12, 24, 56), (20, 8, 72), (1, 80, 8)]


@xt.jit(grid=(1,))
def products(X, W, C, FORM: xt.constexpr, M: xt.constexpr, N: xt.constexpr, K: xt.constexpr):
    """C[M, N] = X @ B, K rows of B at a time."""
    acc = xt.zeros((M, N), xt.f32)
    for k in range(0, X.shape[1], K):
        acc += xt.load_tile(xt.init_tile(X, (0, k), (M, K))) @ FORM(W, k, K, N)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (M, N)))


def launch(form: str, rows: int, columns: int, depth: int) -> Launch:
    rng = np.random.default_rng(11)
    x = rng.integers(-2, 3, (rows, 2 * depth)).astype(np.float16)
    if form in WORDS:
        function = WORDS[form]
        w = rng.integers(0, 1 << 32, (depth // 4, columns), dtype=np.uint64).astype(np.uint32)
        b = _of_words(w).astype(int)
        w = w.view(np.int32).reshape(-1) if form == "words gathered" else w.view(np.int32)
    elif form in HALVES:
        function, put_together = HALVES[form]
        w = rng.integers(0, 256, (depth, columns)).astype(np.uint8)
        b = put_together((w & 15).astype(int), (w >> 4).astype(int), depth)
    else:
        function = columns_by_turns
        w = rng.integers(0, 256, (2 * depth, columns // 2)).astype(np.uint8)
        b = np.stack([w & 15, w >> 4], 2).reshape(2 * depth, -1).astype(int)
    values = {"X": x, "W": w, "C": np.zeros((rows, columns), np.float32)}
    constants = {"FORM": function, "M": rows, "N": columns, "K": depth}
    return Launch(products, values, {"C": (x.astype(int) @ (b - 8)).astype(np.float32)}, constants=constants)


@pytest.mark.every(2)
@pytest.mark.parametrize("sizes", WHOLE + ROUNDED, ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_every_level_gives_numpys_numbers(form, sizes):
    launch(form, *sizes).at_levels()


@pytest.mark.every(9)
@pytest.mark.parametrize("sizes", WHOLE + ROUNDED, ids=str)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("device", ["cpu", "sim:pvc", "sim:bmg"])
def test_devices_give_numpys_numbers(form, sizes, device):
    launch(form, *sizes).on_device(device, "pvc" if device == "cpu" else None)


@pytest.mark.parametrize("sizes", WHOLE, ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_nothing_goes_through_shared_memory_in_the_loop(form, sizes):
    case, target = launch(form, *sizes), get_target("pvc")
    module = accumulate_products(traced(case.kernel.fn, case.values, case.constants))
    module = run((repeat_rows, split_words, join_columns, split_columns), module, target)
    loop = next(op for op in module.walk() if op.opname == "scf.for")
    assert not [op for op in loop.body.ops if op.opname == "gpu.barrier"]

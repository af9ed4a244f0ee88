"""Codes of four bits in words: which spellings become one product whose codes come from bytes, and the same numbers at every level."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.kernels.plain_words import CASES
from tests.ops.run import Launch
from tests.passes.parity import traced
from xetile.dialects import vector, xetile
from xetile.ir.verifier import verify
from xetile.passes.workgroup.memory.repeat_rows import repeat_rows
from xetile.passes.workgroup.numbers.split_words import split_words
from xetile.target import get_target

PVC = get_target("pvc")


def tile(W, k):
    return xt.load_tile(xt.init_tile(W, (k // 8, 0), (8, 64)))


def gathered(W, rows):
    return xt.load_gather(xt.init_tile(W, rows // 8 * W.shape[1] + xt.arange(64)[None, :]))


def rows_of(k):
    return (k + xt.arange(64))[:, None]


# What B is, of words and the number of its first row.
SPLIT = {
    "rows of a tile": lambda W, k: (tile(W, k)[xt.arange(64) // 8] >> (xt.arange(64) % 8 * 4)[:, None]) & 15,
    "gathered": lambda W, k: (gathered(W, rows_of(k)) >> rows_of(k) % 8 * 4) & 15,
    "gathered, by shifts and masks": lambda W, k: (gathered(W, rows_of(k) >> 3 << 3) >> ((rows_of(k) & 7) << 2)) & 15,
    "gathered, the block's number apart": lambda W, k: (gathered(W, xt.arange(64)[:, None] + k) >> xt.arange(64)[:, None] % 8 * 4) & 15,
    "bytes": lambda W, k: (tile(W, k // 2)[:, :][xt.arange(32) // 4] >> (xt.arange(32) % 4 * 8)[:, None]) & 255,
    "pairs of bits": lambda W, k: (tile(W, k)[xt.arange(64) // 8] >> (xt.arange(64) % 8 * 2)[:, None]) & 3,
}  # fmt: skip
KEPT = {
    "backwards": lambda W, k: (tile(W, k)[7 - xt.arange(64) // 8] >> (xt.arange(64) % 8 * 4)[:, None]) & 15,
    "other shifts below": lambda W, k: (tile(W, k)[xt.arange(64) // 8] >> (xt.arange(64) // 8 * 4)[:, None]) & 15,
    "beyond the word": lambda W, k: (tile(W, k)[xt.arange(64) // 8] >> (xt.arange(64) % 8 * 4)[:, None]) & 31,
}  # fmt: skip
ALL = SPLIT | KEPT


def picked(W, k, count):
    """Rows of bytes, each so many times."""
    return xt.load_tile(xt.init_tile(W, (k // count, 0), (64 // count, 64)))[xt.arange(64) // count]


BYTES = {
    "codes of bytes": lambda W, k: (picked(W, k, 2) >> (xt.arange(64) % 2 * 4).to(W.dtype)[:, None]) & 15,
    "codes of bytes, the upper first": lambda W, k: (picked(W, k, 2) >> (4 - xt.arange(64) % 2 * 4).to(W.dtype)[:, None]) & 15,
    "bytes as words": lambda W, k: (picked(W, k, 2).to(xt.i32) >> (xt.arange(64) % 2 * 4)[:, None]) & 15,
    "pairs of bits of bytes": lambda W, k: (picked(W, k, 4) >> (xt.arange(64) % 4 * 2).to(W.dtype)[:, None]) & 3,
}
BEYOND = {
    "beyond the byte": lambda W, k: (picked(W, k, 2).to(xt.i32) >> (xt.arange(64) % 2 * 4)[:, None]) & 31,
    "bits of bytes": lambda W, k: (picked(W, k, 8) >> (xt.arange(64) % 8).to(W.dtype)[:, None]) & 1,
}


@xt.jit(grid=(1,))
def products(X, W, C, FORM: xt.constexpr):
    acc = xt.zeros((64, 64), xt.f32)
    for k in range(0, X.shape[1], 64):
        b = FORM(W, k).to(xt.f16) - 3
        acc += xt.load_tile(xt.init_tile(X, (0, k), (64, b.shape[0]))) @ b
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (64, 64)))


GOLDEN = {
    name: (products, ("f16[?,?]", "i32[?,?]", "f32[?,?]"), {"FORM": SPLIT[form]}, "pvc")
    for name, form in (("repeat_rows", "gathered"), ("split_words", "rows of a tile"))
}


def launch(form: str) -> Launch:
    rng = np.random.default_rng(7)
    words = rng.integers(0, 1 << 32, (16, 64), dtype=np.uint64).astype(np.uint32).view(np.int32)
    values = {"X": rng.integers(-2, 3, (64, 128)).astype(np.float16), "W": words, "C": np.zeros((64, 64), np.float32)}
    return Launch(products, values, {}, constants={"FORM": ALL[form]})


def of_bytes(form: str, kind: type) -> Launch:
    case = launch("bytes")
    bytes = np.random.default_rng(8).integers(0, 256, (64, 64), dtype=np.uint8).view(kind)
    return Launch(products, {**case.values, "W": bytes}, {}, constants={"FORM": (BYTES | BEYOND)[form]})


def split(form: str):
    return split_case(launch(form))


def split_case(case: Launch):
    module = split_words(repeat_rows(traced(case.kernel.fn, case.values, case.constants), PVC), PVC)
    verify(module)
    return module


@pytest.mark.parametrize("form", SPLIT)
def test_words_are_read_once_and_their_codes_come_from_bytes(form):
    module = split(form)
    shapes = {
        op.value.type.shape for op in module.find((xetile.LoadTile, xetile.LoadGather)) if op.value.type.element.name == "i32"
    }
    assert shapes <= {(8, 64), (1, 64)}
    assert all(op.v1.type.element.name == "i8" for op in module.find(vector.Shuffle) if op.v1 is not op.v2)
    assert sum(op.v1 is not op.v2 for op in module.find(vector.Shuffle)) in (3, 7)


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("form", BYTES)
def test_codes_of_bytes_are_shifted_by_one_number_for_all(form, kind):
    module = split_case(of_bytes(form, kind))
    assert all(op.v1 is not op.v2 for op in module.find(vector.Shuffle))
    assert len(module.find(vector.Shuffle)) in (1, 3)


def test_no_more_bits_are_taken_than_a_byte_has():
    assert not split_case(of_bytes("beyond the byte", np.int8)).find(vector.Shuffle)


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("form", BYTES | BEYOND)
def test_every_level_gives_the_same_of_bytes(form, kind):
    of_bytes(form, kind).alike_at_levels("C")


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("form", BYTES | BEYOND)
def test_codes_of_bytes_on_each_device(device, form, kind):
    case = of_bytes(form, kind)
    with xt.device(device):
        case.kernel(*case.values.values(), FORM=case.constants["FORM"])
    with xt.device("numpy"):
        expected = of_bytes(form, kind)
        expected.kernel(*expected.values.values(), FORM=expected.constants["FORM"])
    np.testing.assert_array_equal(case.values["C"], expected.values["C"])


@pytest.mark.parametrize("form", KEPT)
def test_other_rows_and_shifts_stay(form):
    assert not split(form).find(vector.Shuffle)


@pytest.mark.every(3)
@pytest.mark.parametrize("form", ALL)
def test_every_level_gives_the_same(form):
    launch(form).alike_at_levels("C")


@xt.jit(grid=(1,))
def moved(X, W, C, START: xt.constexpr):
    """Groups of eight rows begin where the counter does not."""
    acc = xt.zeros((64, 64), xt.f32)
    for k in range(START, X.shape[1], 64):
        b = ((gathered(W, rows_of(k)) >> rows_of(k) % 8 * 4) & 15).to(xt.f16)
        acc += xt.load_tile(xt.init_tile(X, (0, k), (64, 64))) @ b
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (64, 64)))


@pytest.mark.parametrize(("start", "repeats"), [(0, True), (8, True), (4, False)])
def test_groups_of_rows_must_begin_with_the_tile(start, repeats):
    values = {**launch("gathered").values}
    module = repeat_rows(traced(moved.fn, values, {"START": start}), PVC)
    assert bool(module.find(vector.Shuffle)) == repeats


def test_masked_words_keep_indices_at_32_bits():
    """What a mask leaves of words from memory is no larger, through shared memory too."""
    for name in ("gptq, columns of a tile", "gptq, rows by turns", "gptq, gathered"):
        case = CASES[name]
        assert "xetile.index_bits = 32" in case.kernel.compile(*case.types, target="pvc").ir["xetile"]

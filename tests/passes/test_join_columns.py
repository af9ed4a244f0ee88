"""Products of a value's columns become products of the value: in which forms, which stay as they are, and their values."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import run_levels
from tests.passes.parity import traced
from xetile.passes.workgroup.products.accumulate_products import accumulate_products
from xetile.passes.workgroup.products.join_columns import join_columns
from xetile.target import get_target


def by_turns(a, b):
    """Rows of both by turns."""
    return xt.interleave(a.T, b.T).T


def both(a, b):
    return np.stack([a, b], 1).reshape(-1, a.shape[1])


# Of a loaded tile, and of what lies in the lower and upper halves of bytes; the same in numpy.
FORMS = {
    "even and odd": (lambda x, a, b: x[:, ::2] @ a + x[:, 1::2] @ b, lambda x, a, b: x @ both(a, b)),
    "odd and even": (lambda x, a, b: x[:, 1::2] @ b + x[:, ::2] @ a, lambda x, a, b: x @ both(a, b)),
    "halves": (lambda x, a, b: x[:, :32] @ a + x[:, 32:] @ b, lambda x, a, b: x @ np.concatenate([a, b])),
    "of a sum": (lambda x, a, b: (lambda y: y[:, ::2] @ a + y[:, 1::2] @ b)(x + 1), lambda x, a, b: (x + 1) @ both(a, b)),
    "turned, then worked out, then by turns": (
        lambda x, a, b: x @ (xt.interleave(a.T * 2, b.T - 1).T + 1),
        lambda x, a, b: x @ (both(a * 2, b - 1) + 1),
    ),
    "rows by turns": (lambda x, a, b: x @ by_turns(a, b), lambda x, a, b: x @ both(a, b)),
    "rows beside": (lambda x, a, b: x @ xt.concatenate((a, b), 0), lambda x, a, b: x @ np.concatenate([a, b])),
    "one twice": (lambda x, a, b: x @ by_turns(b, b), lambda x, a, b: x @ both(b, b)),
    "columns by turns, worked out": (
        lambda x, a, b: x @ (xt.interleave(a.T, b.T) * 2 - xt.interleave(b.T, a.T)).T,
        lambda x, a, b: x @ (2 * both(a, b) - both(b, a)),
    ),
    "columns by turns, each row times a number": (
        lambda x, a, b: x @ (xt.interleave(a.T, b.T) * xt.max(a, axis=0).T).T,
        lambda x, a, b: x @ (both(a, b) * a.max(0)),
    ),
}
# Of four values.
FOURTHS = {
    "fourths of columns": (
        lambda x, a, b: x[:, ::4] @ a[:16] + x[:, 1::4] @ a[16:] + x[:, 2::4] @ b[:16] + x[:, 3::4] @ b[16:],
        lambda x, a, b: x @ np.stack([a[:16], a[16:], b[:16], b[16:]], 1).reshape(64, -1),
    ),
    "rows of four by turns": (
        lambda x, a, b: x @ by_turns(by_turns(a[:16], b[:16]), by_turns(a[16:], b[16:])),
        lambda x, a, b: x @ both(both(a[:16], b[:16]), both(a[16:], b[16:])),
    ),
}
# Rows and columns in another order; one exchange after the other through the same memory, which is kept.
AGAIN = {
    "rows from the last": (lambda x, a, b: x @ by_turns(a, b)[::-1], lambda x, a, b: x @ both(a, b)[::-1]),
    "from the last": (lambda x, a, b: x[:, ::-2] @ a + x[:, -2::-2] @ b, lambda x, a, b: x[:, ::-1] @ both(a, b)),
    "rows rotated": (lambda x, a, b: x @ xt.roll(by_turns(a, b), 3, 0), lambda x, a, b: x @ np.roll(both(a, b), 3, 0)),
}
KEPT = {
    "some columns twice": (
        lambda x, a, b: x[:, ::2] @ a + x[:, :32] @ b,
        lambda x, a, b: x[:, ::2] @ a + x[:, :32] @ b,
    ),
    "the same columns": (lambda x, a, b: x[:, ::2] @ a + x[:, ::2] @ b, lambda x, a, b: x[:, ::2] @ (a + b)),
    "of two values": (lambda x, a, b: x[:, ::2] @ a + (x + 1)[:, 1::2] @ b, lambda x, a, b: x @ both(a, b) + b.sum(0)),
    "other rows": (lambda x, a, b: x[::-1, ::2] @ a + x[:, 1::2] @ b, lambda x, a, b: x[::-1, ::2] @ a + x[:, 1::2] @ b),
    "rows of columns": (lambda x, a, b: x @ xt.interleave(a, b).reshape(64, 64), lambda x, a, b: x @ np.stack([a, b], 2).reshape(64, 64)),
}  # fmt: skip
ALL = FORMS | FOURTHS | AGAIN | KEPT
CODES = {
    "f16": (np.float16, lambda w: ((w & 15).to(xt.f16) - 8, (w >> 4).to(xt.f16) - 8), 8),
    "f16, each its own": (np.float16, lambda w: ((w & 15).to(xt.f16) - 8, (w >> 4).to(xt.f16) * 1 - 8), 8),
    "bf16": (xt.bf16.numpy, lambda w: ((w & 15).to(xt.bf16), (w >> 4).to(xt.bf16)), 0),
    "i8": (np.int8, lambda w: ((w & 15).to(xt.i8) - 8, (w >> 4).to(xt.i8) - 8), 8),
}


@xt.jit(grid=(1,))
def products(X, W, C, FORM: xt.constexpr, CODES: xt.constexpr):
    """C[64, 64] = the sum of a form over the blocks of 64 columns of X."""
    acc = xt.zeros((64, 64), C.dtype)
    for k in range(0, X.shape[1], 64):
        x, w = xt.load_tile(X[0:64, k : k + 64]), xt.load_tile(xt.init_tile(W, (k // 2, 0), (32, 64)))
        acc += FORM(x, *CODES(w))
    xt.store_tile(acc, C[0:64, 0:64])


def launch(form: str, codes: str = "f16") -> Launch:
    """The form on small whole numbers, which every order of summing adds up alike; the last block is cut."""
    dtype, function, zero = CODES[codes]
    rng = np.random.default_rng(5)
    x = np.pad(rng.integers(-2, 3, (64, 100)), ((0, 0), (0, 28)))
    w = np.pad(rng.integers(0, 256, (50, 64)), ((0, 14), (0, 0))).astype(np.uint8)
    low, high = ((part.astype(int) - zero) for part in (w & 15, w >> 4))
    expected = sum(ALL[form][1](x[:, k : k + 64], low[k // 2 :][:32], high[k // 2 :][:32]) for k in (0, 64))
    total = np.int32 if dtype is np.int8 else np.float32
    values = {"X": x[:, :100].astype(dtype), "W": w[:50], "C": np.zeros((64, 64), total)}
    return Launch(products, values, {"C": expected.astype(total)}, constants={"FORM": ALL[form][0], "CODES": function})


def ops_of(case: Launch, target: str = "pvc") -> list[str]:
    module = accumulate_products(traced(case.kernel.fn, case.values, case.constants))
    return [op.opname for op in join_columns(module, get_target(target)).walk()]


@pytest.mark.parametrize("form", FORMS)
def test_one_product_is_left_and_nothing_goes_through_memory(form):
    ops = ops_of(launch(form))
    assert ops.count("xetile.tile_mma") == ops.count("vector.shuffle") == 1
    assert not {"memref.alloca", "gpu.barrier", "xetile.load_gather"} & set(ops)


@pytest.mark.parametrize("form", FOURTHS)
def test_one_product_is_left_of_four(form):
    assert ops_of(launch(form)).count("xetile.tile_mma") == 1


@pytest.mark.parametrize("form", AGAIN)
def test_one_product_is_left_of_what_moves_twice(form):
    ops = ops_of(launch(form))
    assert ops.count("xetile.tile_mma") == ops.count("vector.shuffle") == 1


@pytest.mark.parametrize("form", KEPT)
def test_what_is_not_all_columns_of_one_value_stays(form):
    ops = ops_of(launch(form))
    assert "vector.shuffle" not in ops
    assert "xetile.load_gather" in ops


def test_lanes_of_dg2_and_of_cpus_hold_operands_otherwise():
    assert "vector.shuffle" not in [*ops_of(launch("even and odd"), "dg2"), *ops_of(launch("even and odd"), "avx512")]


@pytest.mark.every(5)
@pytest.mark.simulated
@pytest.mark.parametrize("target", ["sim:pvc", "sim:bmg"])
@pytest.mark.parametrize("codes", CODES)
@pytest.mark.parametrize("form", ALL)
def test_values_of_machine_code(target, form, codes):
    launch(form, codes).on_device(target)


@pytest.mark.every(80, 21)
@pytest.mark.parametrize("codes", CODES)
@pytest.mark.parametrize("form", ALL)
def test_values_at_every_level(form, codes):
    case = launch(form, codes)
    for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values, emits=True):
        np.testing.assert_array_equal(after["C"], case.expected["C"], err_msg=level)


@xt.jit(grid=(1,))
def loaded(X, W, C, AT: xt.constexpr, WRITTEN: xt.constexpr):
    """Every other column of an array, from two places on."""
    even = xt.load_tile(X[0:64, 0:64:2])
    if WRITTEN:
        xt.store_tile(even * 0, X[0:64, 0:32])
    odd = xt.load_tile(X[0:64, AT : AT + 63 : 2])
    w = xt.load_tile(W[0:64, 0:64])
    xt.store_tile(even @ w[::2] + odd @ w[1::2], C[0:64, 0:64])


@pytest.mark.every(3)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("at", [1, 2, 3])
def test_columns_of_an_array_by_two_loads(at):
    rng = np.random.default_rng(3)
    x, w = rng.integers(-2, 3, (64, 70)).astype(np.float16), rng.integers(-2, 3, (64, 64)).astype(np.float16)
    expected = x[:, 0:64:2].astype(float) @ w[::2] + x[:, at : at + 63 : 2] @ w[1::2]
    values = {"X": x, "W": w, "C": np.zeros((64, 64), np.float32)}
    case = Launch(loaded, values, {"C": expected.astype(np.float32)}, constants={"AT": at, "WRITTEN": False})
    assert ops_of(case).count("xetile.tile_mma") == (1 if at == 1 else 2)
    for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values):
        np.testing.assert_array_equal(after["C"], case.expected["C"], err_msg=level)


def test_columns_of_an_array_that_is_written_between_are_loaded():
    values = {"X": np.zeros((64, 70), np.float16), "W": np.zeros((64, 64), np.float16)}
    case = Launch(loaded, {**values, "C": np.zeros((64, 64), np.float32)}, {}, constants={"AT": 1, "WRITTEN": True})
    assert ops_of(case).count("xetile.tile_mma") == 2


@xt.jit(grid=(1,))
def odd_sizes(X, W, C):
    """Sizes that are rounded up: rows of the second operand stand in between."""
    x, w = xt.load_tile(X[0:40, 0:24]), xt.load_tile(W[0:12, 0:40])
    xt.store_tile(x[:, ::2] @ w + x[:, 1::2] @ (w + 1), C[0:40, 0:40])


def test_sizes_that_padding_rounds_up():
    rng = np.random.default_rng(4)
    x, w = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((40, 24), (12, 40)))
    wide = x[:, ::2].astype(np.float32) @ w + x[:, 1::2].astype(np.float32) @ (w + 1)
    case = Launch(odd_sizes, {"X": x, "W": w, "C": np.zeros((40, 40), np.float32)}, {"C": wide})
    assert ops_of(case).count("vector.shuffle") == 1
    case.at_levels()


@xt.jit(grid=(1,))
def eight_deep(X, W, C):
    """Products of eight columns by eight of sixteen rows: DPAS takes sixteen, so that others are added to both."""
    x, w = xt.load_tile(X[0:32, 0:32]), xt.load_tile(W[0:16, 0:32])
    first, second = w[::2, :], w[1::2, :]
    xt.store_tile(x[:, ::4] @ (first + second) + x[:, 1::4] @ first, C[0:32, 0:32])


def test_rows_that_are_no_whole_block():
    rng = np.random.default_rng(5)
    x, w = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((32, 32), (16, 32)))
    wide = x[:, ::4].astype(np.float32) @ (w[::2] + w[1::2]) + x[:, 1::4].astype(np.float32) @ w[::2]
    case = Launch(eight_deep, {"X": x, "W": w, "C": np.zeros((32, 32), np.float32)}, {"C": wide})
    for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values, emits=True):
        np.testing.assert_array_equal(after["C"], wide, err_msg=level)

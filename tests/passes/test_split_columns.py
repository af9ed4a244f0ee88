"""Products of columns by turns become products of each value: in which forms, which stay as they are, and their values."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import run_levels
from tests.passes.parity import traced
from xetile.dialects import arith, xetile
from xetile.dialects.types import F16, element_of
from xetile.passes.workgroup.products.accumulate_products import accumulate_products
from xetile.passes.workgroup.products.join_columns import join_columns
from xetile.passes.workgroup.products.split_columns import split_columns
from xetile.target import get_target


def turns(*parts):
    return np.stack(parts, 2).reshape(len(parts[0]), -1)


# The sum with one more block, of a loaded tile and what lies in the lower and upper halves of bytes; the same in numpy.
SPLIT = {
    "columns by turns": (lambda x, a, b, acc: acc + x @ xt.interleave(a, b), lambda x, a, b: x @ turns(a, b)),
    "the other first": (lambda x, a, b, acc: acc + x @ xt.interleave(b, a), lambda x, a, b: x @ turns(b, a)),
    "worked out further": (
        lambda x, a, b, acc: acc + x @ (2 * xt.interleave(a, b) - xt.interleave(b, a) * 3 + 1),
        lambda x, a, b: x @ (2 * turns(a, b) - 3 * turns(b, a) + 1),
    ),
}
SPLIT |= {
    "each row times a number": (
        lambda x, a, b, acc: acc + x @ (xt.interleave(a, b) * xt.max(a, axis=1)),
        lambda x, a, b: x @ (turns(a, b) * a.max(1, keepdims=True)),
    ),
}
KEPT = {
    "with other columns": (
        lambda x, a, b, acc: acc + x @ (xt.interleave(a, b) * xt.concatenate((a, b), 1)),
        lambda x, a, b: x @ (turns(a, b) * np.concatenate([a, b], 1)),
    ),
    "parts of them": (
        lambda x, a, b, acc: (
            acc + x @ xt.interleave(xt.interleave(a[:, :16], b[:, :16]), xt.interleave(a[:, 16:] + 1, b[:, 16:] + 1))
        ),
        lambda x, a, b: x @ turns(turns(a[:, :16], b[:, :16]), turns(a[:, 16:] + 1, b[:, 16:] + 1)),
    ),
    "one twice": (lambda x, a, b, acc: acc + x @ xt.interleave(a, a), lambda x, a, b: x @ turns(a, a)),
    "beside": (lambda x, a, b, acc: acc + x @ xt.concatenate((a, b), 1), lambda x, a, b: x @ np.concatenate([a, b], 1)),
    "two products": (
        lambda x, a, b, acc: acc + x @ xt.interleave(a, b) + x @ xt.interleave(b, a),
        lambda x, a, b: x @ turns(a, b) + x @ turns(b, a),
    ),
}
ALL = SPLIT | KEPT


@xt.jit(grid=(1,))
def products(X, W, C, FORM: xt.constexpr, OUTER: xt.constexpr):
    """C[64, 64] = the sum of a form over the blocks of 32 columns of X, `OUTER` times, one after the other through the same memory."""
    for _ in range(OUTER):
        acc = xt.zeros((64, 64), xt.f32)
        for k in range(0, X.shape[1], 32):
            x, w = xt.load_tile(X[0:64, k : k + 32]), xt.load_tile(xt.init_tile(W, (k, 0), (32, 32)))
            acc = FORM(x, (w & 15).to(xt.f16) - 8, (w >> 4).to(xt.f16) - 8, acc)
        xt.store_tile(xt.load_tile(C[0:64, 0:64]) + acc, C[0:64, 0:64])


def launch(form: str, outer: int = 2) -> Launch:
    """The form on small whole numbers; the last block is cut."""
    rng = np.random.default_rng(5)
    x = np.pad(rng.integers(-2, 3, (64, 80)), ((0, 0), (0, 16)))
    w = np.pad(rng.integers(0, 256, (80, 32)), ((0, 16), (0, 0))).astype(np.uint8)
    low, high = (part.astype(int) - 8 for part in (w & 15, w >> 4))
    expected = sum(ALL[form][1](x[:, k : k + 32], low[k : k + 32], high[k : k + 32]) for k in (0, 32, 64))
    values = {"X": x[:, :80].astype(np.float16), "W": w[:80], "C": np.zeros((64, 64), np.float32)}
    constants = {"FORM": ALL[form][0], "OUTER": outer}
    return Launch(products, values, {"C": (outer * expected).astype(np.float32)}, constants=constants)


@xt.jit(grid=(1,))
def four(X, W, C):
    """C[64, 64] = X @ W, whose columns are loaded one of four at a time."""
    acc = xt.zeros((64, 64), xt.f32)
    for k in range(0, X.shape[1], 32):
        a, b, c, d = (xt.load_tile(xt.init_tile(W, (k, 16 * n), (32, 16))) for n in range(4))
        acc += xt.load_tile(X[0:64, k : k + 32]) @ xt.interleave(xt.interleave(a, b), xt.interleave(c, d))
    xt.store_tile(acc, C[0:64, 0:64])


def launch_four() -> Launch:
    rng = np.random.default_rng(6)
    x, w = rng.integers(-2, 3, (64, 64)).astype(np.float16), rng.integers(-9, 9, (64, 64)).astype(np.float16)
    columns = turns(turns(w[:, :16], w[:, 16:32]), turns(w[:, 32:48], w[:, 48:]))
    values = {"X": x, "W": w, "C": np.zeros((64, 64), np.float32)}
    return Launch(four, values, {"C": (x.astype(np.float32) @ columns.astype(np.float32))})


@xt.jit(grid=(1,))
def scaled(X, W, S, C):
    """C[64, 64] = X @ (columns by turns of both halves of bytes, each step of 32 rows times a row of S)."""
    acc = xt.zeros((64, 64), xt.f32)
    for k in range(0, X.shape[1], 32):
        w = xt.load_tile(xt.init_tile(W, (k, 0), (32, 32)))
        s = xt.load_tile(xt.init_tile(S, (k // 32, 0), (1, 64)), padding=3)
        acc += xt.load_tile(X[0:64, k : k + 32]) @ (xt.interleave(w & 15, w >> 4).to(xt.f16) * s.to(xt.f16))
    xt.store_tile(acc, C[0:64, 0:64])


def launch_scaled(columns: int, rows: int = 3) -> Launch:
    """Some rows and columns of scales are beyond their end."""
    rng = np.random.default_rng(7)
    x, w = rng.integers(-2, 3, (64, 96)), rng.integers(0, 256, (96, 32)).astype(np.uint8)
    s = rng.integers(-3, 4, (rows, columns)).astype(np.float32)
    every = np.full((3, 64), 3.0)
    every[:rows, :columns] = s
    expected = x @ (turns(w & 15, w >> 4) * np.repeat(every, 32, 0))
    values = {"X": x.astype(np.float16), "W": w, "S": s, "C": np.zeros((64, 64), np.float32)}
    return Launch(scaled, values, {"C": expected.astype(np.float32)})


def inside(case: Launch, target: str = "pvc") -> list[str]:
    """The ops of the innermost loop."""
    module = accumulate_products(traced(case.kernel.fn, case.values, case.constants))
    module = split_columns(join_columns(module, get_target(target)), get_target(target))
    module.verify()
    product = next(op for op in module.walk() if op.opname == "xetile.tile_mma")
    return [op.opname for op in product.parent.ops]


@pytest.mark.parametrize("form", SPLIT)
def test_nothing_goes_through_memory_in_the_loop(form):
    ops = inside(launch(form))
    assert ops.count("xetile.tile_mma") == 2
    assert not {"xetile.store_tile", "gpu.barrier", "xetile.load_gather"} & set(ops)


def test_columns_of_four_values():
    assert inside(launch_four()).count("xetile.tile_mma") == 4
    case = launch_four()
    for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values, emits=True):
        np.testing.assert_array_equal(after["C"], case.expected["C"], err_msg=level)


@pytest.mark.every(3)
@pytest.mark.parametrize(("columns", "rows"), [(64, 3), (33, 2), (1, 1)])
def test_each_product_takes_its_columns_of_a_row_of_scales(columns, rows):
    case = launch_scaled(columns, rows)
    ops = inside(case)
    assert ops.count("xetile.tile_mma") == 2
    assert "gpu.barrier" not in ops
    for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values, emits=True):
        np.testing.assert_array_equal(after["C"], case.expected["C"], err_msg=level)


@pytest.mark.simulated
def test_scales_beyond_their_end_in_machine_code():
    launch_scaled(33, 2).on_device("sim:bmg")


@pytest.mark.parametrize("form", KEPT)
def test_what_is_no_sum_of_columns_by_turns_stays(form):
    assert "xetile.load_gather" in inside(launch(form)) or form == "beside"


def test_constants_with_a_number_for_each_column_stay():
    """Half of their columns is another constant."""
    module = accumulate_products(traced(products.fn, launch("worked out further").values, launch("worked out further").constants))
    module, pvc = join_columns(module, get_target("pvc")), get_target("pvc")
    for op in module.kernel.find(arith.Constant):
        if op.value == 1.0 and element_of(op.result.type) is F16:
            op.attributes["value"] = tuple(float(n) for n in range(op.result.type.count))
    module = split_columns(module, pvc)
    module.verify()
    assert len(module.kernel.find(xetile.TileMma)) == 1


def test_lanes_of_dg2_and_of_cpus_hold_operands_otherwise():
    for target in ("dg2", "avx512"):
        assert inside(launch("columns by turns"), target).count("xetile.tile_mma") == 1


@pytest.mark.every(4)
@pytest.mark.simulated
@pytest.mark.parametrize("target", ["sim:pvc", "sim:bmg", "sim:dg2"])
@pytest.mark.parametrize("form", ALL)
def test_values_of_machine_code(target, form):
    launch(form).on_device(target)


@pytest.mark.every(9, 7)
@pytest.mark.parametrize("form", ALL)
def test_values_at_every_level(form):
    case = launch(form)
    for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values, emits=True):
        np.testing.assert_array_equal(after["C"], case.expected["C"], err_msg=level)
